#pragma once

#include "tools/session/result.h"

#include <quadrille/world.h>
#include <stdbool.h>
#include <stdio.h>

/// The report at the end of a run, for people: where the time went, what happened, where the files are.
/// `verbose` adds the tree's figures and how busy each thread was.
void qdi_report_print(FILE *out, const qdi_result *result, const qd_world *world, const char *directory,
                      bool verbose);
