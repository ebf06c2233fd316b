#include "sim/text/reason.h"

#include <stdarg.h>
#include <stdio.h>

qd_status qdi_reason(qd_error *error, qd_status status, const char *format, ...) {
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}
