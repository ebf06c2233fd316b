#include "tools/host/failure.h"

#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

const char *qdi_failure_reason(qd_status status, const qd_error *error) {
    return error->text[0] ? error->text : qd_status_text(status);
}

int qdi_failure_code(qd_status status, int exit_code) {
    return status == QD_ERR_MEMORY || status == QD_ERR_INTERNAL ? QDI_EXIT_FAILED : exit_code;
}

int qdi_fail(qd_status status, const qd_error *error, int exit_code) {
    qdi_complain("%s", qdi_failure_reason(status, error));
    return qdi_failure_code(status, exit_code);
}
