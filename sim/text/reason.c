#include "sim/text/reason.h"

#include <stdarg.h>
#include <stdio.h>

qd_status qdi_reason(qd_error *error, qd_status status, const char *format, ...) {
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    // What is quoted may be any bytes: they neither end the line nor command a terminal.
    for (char *c = error->text; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    return status;
}
