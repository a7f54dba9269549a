/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reference vectors: values that functions of Linux 6.12's nouveau driver (MIT)
 * gave when they were run in user space. Values only, no code. nouveau is another
 * driver and not the hardware: where it is wrong, the test says so and differs.
 *
 * From nv04_fifo_intr_dma_pusher(): DMA_STATE and the error that nouveau names for
 * it; its word for code 7 is UNK.
 */

static const struct {
	u32 state;
	const char *error;
} pusher_rows[] = {
	{ 0x31781360, "CALL_SUBR_ACTIVE" },
	{ 0x3f0e8bb7, "CALL_SUBR_ACTIVE" },
	{ 0x229c9417, "CALL_SUBR_ACTIVE" },
	{ 0x2db17df6, "CALL_SUBR_ACTIVE" },
	{ 0x3e03ef39, "CALL_SUBR_ACTIVE" },
	{ 0x2540c871, "CALL_SUBR_ACTIVE" },
	{ 0x3ddad2ad, "CALL_SUBR_ACTIVE" },
	{ 0x26634dc1, "CALL_SUBR_ACTIVE" },
	{ 0xa93a1e17, "IB_EMPTY" },
	{ 0xa0dee9e0, "IB_EMPTY" },
	{ 0xa0132524, "IB_EMPTY" },
	{ 0xb592fa76, "IB_EMPTY" },
	{ 0xbcf75ed4, "IB_EMPTY" },
	{ 0xa9c294e3, "IB_EMPTY" },
	{ 0xbc320d35, "IB_EMPTY" },
	{ 0xa92b0d23, "IB_EMPTY" },
	{ 0x83ed943d, "INVALID_CMD" },
	{ 0x855408dd, "INVALID_CMD" },
	{ 0x8d8a0a7e, "INVALID_CMD" },
	{ 0x8ce9110c, "INVALID_CMD" },
	{ 0x9bf94438, "INVALID_CMD" },
	{ 0x884c1a3e, "INVALID_CMD" },
	{ 0x827e9e65, "INVALID_CMD" },
	{ 0x84f3f306, "INVALID_CMD" },
	{ 0x49fe75f9, "INVALID_MTHD" },
	{ 0x504db7cf, "INVALID_MTHD" },
	{ 0x5730cf8a, "INVALID_MTHD" },
	{ 0x4d75b9d7, "INVALID_MTHD" },
	{ 0x5cfa872a, "INVALID_MTHD" },
	{ 0x46995cd6, "INVALID_MTHD" },
	{ 0x59d15500, "INVALID_MTHD" },
	{ 0x4bb5cda7, "INVALID_MTHD" },
	{ 0xc5709427, "MEM_FAULT" },
	{ 0xcc9ab347, "MEM_FAULT" },
	{ 0xdbed7ce7, "MEM_FAULT" },
	{ 0xc64a778f, "MEM_FAULT" },
	{ 0xda4c796c, "MEM_FAULT" },
	{ 0xddf63388, "MEM_FAULT" },
	{ 0xd4b7826f, "MEM_FAULT" },
	{ 0xc02a4d63, "MEM_FAULT" },
	{ 0x1394bc27, "NONE" },
	{ 0x02948337, "NONE" },
	{ 0x0d01717b, "NONE" },
	{ 0x1a4d293a, "NONE" },
	{ 0x01f94899, "NONE" },
	{ 0x1709101e, "NONE" },
	{ 0x0d1f1804, "NONE" },
	{ 0x0a820a52, "NONE" },
	{ 0x76986a53, "RET_SUBR_INACTIVE" },
	{ 0x764837eb, "RET_SUBR_INACTIVE" },
	{ 0x670e2b18, "RET_SUBR_INACTIVE" },
	{ 0x6eee90ba, "RET_SUBR_INACTIVE" },
	{ 0x78b71938, "RET_SUBR_INACTIVE" },
	{ 0x60e717d6, "RET_SUBR_INACTIVE" },
	{ 0x6b1d1212, "RET_SUBR_INACTIVE" },
	{ 0x6fc4d754, "RET_SUBR_INACTIVE" },
	{ 0xfbf02b8e, "UNK" },
	{ 0xeab8686c, "UNK" },
	{ 0xfbb523eb, "UNK" },
	{ 0xee3c372b, "UNK" },
	{ 0xf15cc305, "UNK" },
	{ 0xe1879070, "UNK" },
	{ 0xe44d8b83, "UNK" },
	{ 0xfb8b30b3, "UNK" },
};
