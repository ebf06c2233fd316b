#ifndef QUADRILLE_BRUTE_H
#define QUADRILLE_BRUTE_H

#include <quadrille/tree.h>

QD_BEGIN_DECLS

/// The tree's calls by brute force: every box against every other. For tests, for the bench, and for a
/// handful of bodies. Same contracts and errors as the functions of tree.h with the same endings; pairs come
/// in order (a, b).
typedef struct qd_brute qd_brute;

/// As qd_tree_create.
QD_API QD_MUST_USE qd_status qd_brute_create(const qd_tree_def *def, qd_brute **brute);
/// Frees it; NULL is fine.
QD_API void qd_brute_destroy(qd_brute *brute);
/// As qd_tree_refresh. Cost: O(n).
QD_API QD_MUST_USE qd_status qd_brute_refresh(qd_brute *brute, qd_team *team, const qd_box *boxes,
                                              const qd_body_index *indices, size_t n, qd_tree_counts *counts,
                                              size_t *bad);
/// As qd_tree_add.
QD_API QD_MUST_USE qd_status qd_brute_add(qd_brute *brute, qd_body_index body, qd_box box);
/// As qd_tree_remove.
QD_API QD_MUST_USE qd_status qd_brute_remove(qd_brute *brute, qd_body_index body);
/// As qd_tree_pairs, in order (a, b). Cost: O(n^2).
QD_API QD_MUST_USE qd_status qd_brute_pairs(const qd_brute *brute, qd_team *team, qd_pairs *pairs);
/// As qd_tree_retrieve. Cost: O(n).
QD_API QD_MUST_USE qd_status qd_brute_retrieve(const qd_brute *brute, qd_box box, qd_body_index self,
                                               qd_tree_visit visit, void *context);

QD_END_DECLS

#endif
