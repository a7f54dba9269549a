/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reference vectors: values that functions of Linux 6.12's nouveau driver (MIT)
 * gave when they were run in user space. Values only, no code. nouveau is another
 * driver and not the hardware: where it is wrong, the test says so and differs.
 *
 * From nv50_mmu_kind(): storage types and their class, as enum nvfifo_kind_class.
 */

static const struct {
	u8 kind;
	u8 class;
} kind_rows[] = {
	{ 0x08, 0 }, { 0x09, 0 }, { 0x0f, 0 }, { 0x10, 1 }, { 0x11, 1 }, { 0x13, 1 }, { 0x14, 0 },
	{ 0x16, 0 }, { 0x1a, 2 }, { 0x1b, 2 }, { 0x1e, 0 }, { 0x21, 1 }, { 0x23, 1 }, { 0x25, 1 },
	{ 0x2d, 2 }, { 0x2e, 2 }, { 0x2f, 0 }, { 0x30, 0 }, { 0x34, 0 }, { 0x36, 0 }, { 0x39, 0 },
	{ 0x3a, 0 }, { 0x3b, 0 }, { 0x3d, 0 }, { 0x40, 1 }, { 0x41, 1 }, { 0x42, 1 }, { 0x43, 1 },
	{ 0x44, 1 }, { 0x45, 1 }, { 0x46, 1 }, { 0x4b, 2 }, { 0x4d, 2 }, { 0x4e, 0 }, { 0x53, 0 },
	{ 0x56, 1 }, { 0x58, 0 }, { 0x59, 0 }, { 0x5a, 0 }, { 0x5f, 0 }, { 0x61, 1 }, { 0x62, 1 },
	{ 0x63, 1 }, { 0x64, 1 }, { 0x65, 1 }, { 0x67, 0 }, { 0x68, 1 }, { 0x69, 1 }, { 0x6b, 1 },
	{ 0x6f, 2 }, { 0x70, 1 }, { 0x71, 0 }, { 0x73, 0 }, { 0x74, 1 }, { 0x75, 0 }, { 0x76, 2 },
	{ 0x77, 0 }, { 0x79, 1 }, { 0x7b, 2 }, { 0x7d, 1 }, { 0x7e, 0 },
};
