#ifndef QUADRILLE_TEAM_H
#define QUADRILLE_TEAM_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// The threads that work together on one call: the caller's and, from the first call on that is worth
/// sharing, others, which OpenMP makes and which sleep between calls. One call at a time may use a team; two
/// threads that work at the same time need a team each. A process that was forked from one whose team has
/// threads must not use that team.
typedef struct qd_team qd_team;

/// Most threads a team can have.
#define QD_TEAM_MAX 1024

/// How a team is made.
typedef struct qd_team_def {
    uint32_t cookie;               ///< set by qd_team_def_default; a def without it is refused
    int threads;                   ///< 1..QD_TEAM_MAX; default 1. More than the machine has is allowed
    const qd_allocator *allocator; ///< NULL: the C heap
} qd_team_def;

/// One thread, memory from the C heap.
QD_API qd_team_def qd_team_def_default(void);

/// Makes a team. Errors: QD_ERR_ARGUMENT (no cookie), QD_ERR_VALUE (threads), QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_team_create(const qd_team_def *def, qd_team **team);

/// Frees a team; NULL is fine.
QD_API void qd_team_destroy(qd_team *team);

/// How many threads the team was made for. Where the system has fewer to give, the team works with these;
/// results do not change.
QD_API int qd_team_threads(const qd_team *team);

QD_END_DECLS

#endif
