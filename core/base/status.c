#include <quadrille/status.h>

const char *qd_status_text(qd_status status) {
    switch (status) {
    case QD_OK: return "done";
    case QD_ERR_MEMORY: return "out of memory";
    case QD_ERR_ARGUMENT: return "a null pointer, or a def that was not made by its _default()";
    case QD_ERR_VALUE: return "a number that is not finite or out of its range";
    case QD_ERR_STALE: return "no living body has this id";
    case QD_ERR_EXISTS: return "already there";
    case QD_ERR_STATE: return "not possible in the present state";
    case QD_ERR_LIMIT: return "a limit was passed";
    case QD_ERR_CORRUPT: return "stored data is truncated, damaged or foreign";
    case QD_ERR_INVALID: return "not a valid input";
    case QD_ERR_NOT_FOUND: return "not found";
    case QD_ERR_IO: return "reading or writing failed";
    case QD_ERR_INTERNAL: return "internal error: a structure broke its own rules";
    case QD_ERR_STOPPED: return "stopped before it was done";
    }
    return "unknown status"; // a number that is none of ours, cast to the enum
}
