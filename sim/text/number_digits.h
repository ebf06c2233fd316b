#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The fewest of 15, 16 or 17 decimal digits that read back as `value`, as "%.15g" and so on round them:
/// `digits` without a point, whose first digit stands for 10^`exponent`. False where that takes more than
/// whole numbers of 128 bits: below 1e-6 and from 1e15 on, where there are no such numbers, and for what is
/// not above 0.
bool qdi_number_digits(double value, uint64_t *digits, int *exponent);
