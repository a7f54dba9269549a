// SPDX-License-Identifier: MIT
/*
 * The samples of a pixel: their places in it, and the block of memory that has them, by the mode.
 */
#include "gr3d.h"

#define KNOWN_MODES	7

/* By MULTISAMPLE_MODE */
static const struct sim_samples modes[] = {
	{ 0, 0, 1, { { 8, 8, 0, 0 } } },
	{ 1, 0, 2, { { 4, 4, 0, 0 }, { 12, 12, 1, 0 } } },
	{ 1, 1, 4, { { 6, 2, 0, 0 }, { 14, 6, 1, 0 }, { 2, 10, 0, 1 }, { 10, 14, 1, 1 } } },
	{ 2, 1, 8, { { 1, 7, 0, 0 }, { 5, 3, 1, 0 }, { 3, 13, 0, 1 }, { 7, 11, 1, 1 },
		     { 9, 5, 2, 0 }, { 15, 1, 3, 0 }, { 11, 15, 2, 1 }, { 13, 9, 3, 1 } } },
	{ 2, 1, 8, { { 9, 5, 2, 0 }, { 7, 11, 1, 1 }, { 13, 9, 3, 1 }, { 5, 3, 1, 0 },
		     { 3, 13, 0, 1 }, { 1, 7, 0, 0 }, { 11, 15, 2, 1 }, { 15, 1, 3, 0 } } },
	{ 1, 0, 2, { { 12, 12, 1, 0 }, { 4, 4, 0, 0 } } },
	{ 0, 0, 1, { { 8, 8, 0, 0 } } },
	{ 0, 0, 1, { { 8, 8, 0, 0 } } },
	{ 1, 1, 4, { { 6, 2, 0, 0 }, { 14, 6, 1, 0 }, { 2, 10, 0, 1 }, { 10, 14, 1, 1 } } },
	{ 1, 1, 4, { { 6, 1, 0, 0 }, { 15, 6, 1, 0 }, { 1, 10, 0, 1 }, { 10, 15, 1, 1 } } },
	{ 2, 1, 8, { { 1, 3, 0, 0 }, { 6, 4, 1, 0 }, { 3, 15, 0, 1 }, { 4, 11, 1, 1 },
		     { 12, 1, 2, 0 }, { 14, 7, 3, 0 }, { 8, 8, 2, 1 }, { 15, 13, 3, 1 } } },
};

/* Whether the model has all of MULTISAMPLE_MODE: modes past 6 have coverage samples, which it lacks. */
bool sim_gr3d_has_samples(const u32 *st)
{
	return st[MULTISAMPLE_MODE / 4] < KNOWN_MODES;
}

const struct sim_samples *sim_gr3d_samples(const u32 *st)
{
	u32 mode = st[MULTISAMPLE_MODE / 4];

	return &modes[mode < ARRAY_LEN(modes) ? mode : 0];
}

bool sim_gr3d_samples_differ(const u32 *st)
{
	return st[MULTISAMPLE_ENABLE / 4] & 1 && sim_gr3d_samples(st)->count > 1;
}
