/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reference vectors: values that functions of Linux 6.12's nouveau driver (MIT)
 * gave when they were run in user space. Values only, no code. nouveau is another
 * driver and not the hardware: where it is wrong, the test says so and differs.
 *
 * From nv50_vmm_flush() and g84_gr_tlb_flush(): their reads and writes. Engines that
 * nouveau never flushes are not in the table. nouveau polled a stuck flush four times
 * in this run.
 */

struct tlb_flush_row {
	u8 g84;		/* else the procedures of the G80 */
	u8 engine;	/* VM engine */
	u8 stuck;	/* the flush does not end */
	struct {
		char dir;
		u32 reg;
		u32 val;
	} io[13];	/* up to the one with dir = 0 */
};

static const struct tlb_flush_row tlb_flush_rows[] = {
	{ 0, 0x1, 0, {
		{ 'W', 0x100c80, 0x00010001 }, { 'R', 0x100c80, 0x00010000 },
	} },
	{ 0, 0x9, 0, {
		{ 'W', 0x100c80, 0x00090001 }, { 'R', 0x100c80, 0x00090000 },
	} },
	{ 0, 0x8, 0, {
		{ 'W', 0x100c80, 0x00080001 }, { 'R', 0x100c80, 0x00080000 },
	} },
	{ 0, 0x9, 0, {
		{ 'W', 0x100c80, 0x00090001 }, { 'R', 0x100c80, 0x00090000 },
	} },
	{ 0, 0xd, 0, {
		{ 'W', 0x100c80, 0x000d0001 }, { 'R', 0x100c80, 0x000d0000 },
	} },
	{ 0, 0x6, 1, {
		{ 'W', 0x100c80, 0x00060001 }, { 'R', 0x100c80, 0x00060001 },
		{ 'R', 0x100c80, 0x00060001 }, { 'R', 0x100c80, 0x00060001 },
		{ 'R', 0x100c80, 0x00060001 },
	} },
	{ 0, 0x1, 1, {
		{ 'W', 0x100c80, 0x00010001 }, { 'R', 0x100c80, 0x00010001 },
		{ 'R', 0x100c80, 0x00010001 }, { 'R', 0x100c80, 0x00010001 },
		{ 'R', 0x100c80, 0x00010001 },
	} },
	{ 0, 0x9, 1, {
		{ 'W', 0x100c80, 0x00090001 }, { 'R', 0x100c80, 0x00090001 },
		{ 'R', 0x100c80, 0x00090001 }, { 'R', 0x100c80, 0x00090001 },
		{ 'R', 0x100c80, 0x00090001 },
	} },
	{ 1, 0x1, 0, {
		{ 'W', 0x100c80, 0x00010001 }, { 'R', 0x100c80, 0x00010000 },
	} },
	{ 1, 0xa, 0, {
		{ 'W', 0x100c80, 0x000a0001 }, { 'R', 0x100c80, 0x000a0000 },
	} },
	{ 1, 0xd, 0, {
		{ 'W', 0x100c80, 0x000d0001 }, { 'R', 0x100c80, 0x000d0000 },
	} },
	{ 1, 0x0, 1, {
		{ 'R', 0x400500, 0x00010001 }, { 'W', 0x400500, 0x00010000 },
		{ 'R', 0x400380, 0x00000000 }, { 'R', 0x400384, 0x00000000 },
		{ 'R', 0x400388, 0x00000000 }, { 'W', 0x100c80, 0x00000001 },
		{ 'R', 0x100c80, 0x00000001 }, { 'R', 0x100c80, 0x00000001 },
		{ 'R', 0x100c80, 0x00000001 }, { 'R', 0x100c80, 0x00000001 },
		{ 'R', 0x400500, 0x00010000 }, { 'W', 0x400500, 0x00010001 },
	} },
	{ 1, 0x8, 1, {
		{ 'W', 0x100c80, 0x00080001 }, { 'R', 0x100c80, 0x00080001 },
		{ 'R', 0x100c80, 0x00080001 }, { 'R', 0x100c80, 0x00080001 },
		{ 'R', 0x100c80, 0x00080001 },
	} },
	{ 1, 0x9, 1, {
		{ 'W', 0x100c80, 0x00090001 }, { 'R', 0x100c80, 0x00090001 },
		{ 'R', 0x100c80, 0x00090001 }, { 'R', 0x100c80, 0x00090001 },
		{ 'R', 0x100c80, 0x00090001 },
	} },
	{ 1, 0x1, 1, {
		{ 'W', 0x100c80, 0x00010001 }, { 'R', 0x100c80, 0x00010001 },
		{ 'R', 0x100c80, 0x00010001 }, { 'R', 0x100c80, 0x00010001 },
		{ 'R', 0x100c80, 0x00010001 },
	} },
	{ 1, 0x8, 1, {
		{ 'W', 0x100c80, 0x00080001 }, { 'R', 0x100c80, 0x00080001 },
		{ 'R', 0x100c80, 0x00080001 }, { 'R', 0x100c80, 0x00080001 },
		{ 'R', 0x100c80, 0x00080001 },
	} },
};
