#pragma once

#include <quadrille/world.h>

/// Puts the rows in tree order; the tree must have them all. Changes no result. QD_ERR_MEMORY: as before.
QD_MUST_USE qd_status qdi_rows_order(qd_world *world);
