/* SPDX-License-Identifier: MIT */
/* Fields that not all chips have, and the units of bits that chips use for different units */
#ifndef NVFIFO_REG_UNITS_H
#define NVFIFO_REG_UNITS_H

#include <stdbool.h>

#include <linux/types.h>

/* Whether @chip, one of enum nv_chip, has the field of the register. */
bool nvfifo_field_on(const char *block, const char *reg, const char *field, int chip);

/* The unit that the field is about on @chip; NULL if its name is the unit's, or no unit's. */
const char *nvfifo_field_unit(const char *field, int chip);

#endif
