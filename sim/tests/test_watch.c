// SPDX-License-Identifier: MIT
/*
 * --check-stores: violations for a DMA object or a PDE in use that grants too much while the
 * CPU rewrites it word by word. Also methods that are lost in a unit that is off.
 */
#include "rig.h"

#define OBJECT		(CHAN_BASE(1) + CHAN_DMAOBJ + 0x20)
#define PAGED		0x7fc0003du
#define HOST_RW		0x001a003du	/* unpaged, host memory, read and write, user */

static struct rig *ready(const char *chip)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.check_stores = true,
	};
	struct rig *r = rig_create_cfg(&cfg);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0, M(0, 0x6c, 1), 1);
	run(r);

	return r;
}

static void remove_channel(struct rig *r)
{
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	playlist(r, 0);
	if (r->g80)
		wr(r, NV_PME_CONTROL, 1);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	run(r);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), 0);
}

static void test_object(const char *chip)
{
	struct rig *r = ready(chip);

	tap(ram32(r, RAM_SEM) == 1 && clean(r), "%s: a channel has used its object", chip);

	/* Word 0 first: for a moment the old range, which was virtual, is one of host memory. */
	put_dmaobj(r, OBJECT, HOST_RW, RAM_BASE, RAM_BASE + 0xfff);
	bar_flush(r);
	tap(violated(r, "between two stores it was 001a003d"), "%s: the target first", chip);
	rig_destroy(r);

	r = ready(chip);
	vwr(r, OBJECT + 4, RAM_BASE + 0xfff);
	vwr(r, OBJECT, HOST_RW);
	vwr(r, OBJECT + 8, RAM_BASE);
	bar_flush(r);
	tap(violated(r, "between two stores it was 7fc0003d"), "%s: the limit first", chip);
	rig_destroy(r);

	r = ready(chip);
	vwr(r, OBJECT + 12, 0xff);
	vwr(r, OBJECT, HOST_RW);
	vwr(r, OBJECT + 4, RAM_BASE + 0xfff);
	vwr(r, OBJECT + 8, RAM_BASE);
	vwr(r, OBJECT + 12, 0);
	bar_flush(r);
	tap(clean(r), "%s: with an empty range in between it grants nothing", chip);
	rig_destroy(r);

	r = ready(chip);
	remove_channel(r);
	put_dmaobj(r, OBJECT, HOST_RW, RAM_BASE, RAM_BASE + 0xfff);
	bar_flush(r);
	tap(clean(r), "%s: nor does it matter when the channel is gone", chip);
	rig_destroy(r);

	r = ready(chip);
	put_dmaobj(r, OBJECT + 0x40, HOST_RW, RAM_BASE, RAM_BASE + 0xfff);
	bar_flush(r);
	tap(clean(r), "%s: or before it is loaded", chip);
	rig_destroy(r);
}

/* The table moves: both halves of the PDE change. */
static void test_pde(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t pd = CHAN_BASE(1) + pd_offset(r);

	vwr(r, pd, 0x1234000b);
	vwr(r, pd + 4, 5);
	bar_flush(r);
	tap(violated(r, "PDE at VRAM"), "%s: half a PDE", chip);
	rig_destroy(r);

	r = ready(chip);
	vwr(r, pd, 0);
	vwr(r, pd + 4, 5);
	vwr(r, pd, 0x1234000b);
	bar_flush(r);
	tap(clean(r), "%s: a PDE that is not present in between", chip);
	rig_destroy(r);

	r = ready(chip);
	wr(r, NV_PFIFO_FREEZE, 1);
	r->now += 4000;
	vwr(r, pd, 0x1234000b);
	vwr(r, pd + 4, 5);
	bar_flush(r);
	wr(r, NV_PFIFO_FREEZE, 0);
	tap(clean(r), "%s: or while PFIFO is frozen", chip);
	rig_destroy(r);
}

static void test_lost(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.engine_context = NVSIM_ENGINE_IGNORE,
	};
	struct rig *r = rig_create_cfg(&cfg);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	graph_object(r, 1, 1, 0x9000, 0x5039);
	bar_flush(r);
	playlist(r, 1, 1);
	submit(r, 1, M(1, 0, 1), 0x5039);
	run(r);
	tap(clean(r), "an object is bound");

	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) & ~NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	submit(r, 1, M(1, 0x100, 2), 0, 0, M(1, 0x100, 2), 0, 0);
	run(r);
	tap(violated(r, "method 0100 of channel 1 is lost"), "methods for a unit in reset: one line");

	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	submit(r, 1, M(1, 0x100, 1), 0);
	run(r);
	tap(clean(r), "none once it is on again");
	rig_destroy(r);
}

int main(void)
{
	test_object("g80");
	test_object("g84");
	test_object("mcp89");
	test_pde("g80");
	test_pde("gt215");
	test_lost();
	return tap_end();
}
