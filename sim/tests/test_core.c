// SPDX-License-Identifier: MIT
#include "rig.h"

static void test_basic(const char *chip)
{
	struct rig *r = rig_create(chip);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x50, 1), 0x12345678, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40,
	       M(0, 0x6c, 1), 0xcafe0001);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 0x12345678 && ram32(r, RAM_SEM + 0x40) == 0xcafe0001 &&
		    clean(r), "%s: REF_CNT and release", chip);
	rig_destroy(r);
}

int main(void)
{
	unsigned int i;

	for (i = 0; nvsim_chipset_names[i]; i++)
		test_basic(nvsim_chipset_names[i]);
	return tap_end();
}
