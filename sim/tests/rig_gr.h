/* SPDX-License-Identifier: MIT */
/*
 * The rig for PGRAPH: objects, surfaces, and contexts. The driver's generator makes the context
 * program and the images.
 */
#ifndef SIM_TESTS_RIG_GR_H
#define SIM_TESTS_RIG_GR_H

#include "rig.h"
#include "../../hw/nvfifo_grctx.h"

/* VRAM address of channel @n's context image */
#define GR_IMAGE(n)	(0x03000000u + (n) * 0x80000u)

struct gr_image_at {
	struct rig *r;
	uint32_t at;
};

static inline struct nvfifo_grctx gr_card(struct rig *r)
{
	struct nvfifo_grctx gr = { .units = rd(r, NV_PBUS_HWUNITS_0) };
	uint32_t id = NV_FLD_GET(NV_PMC_BOOT_0__CHIPSET, rd(r, NV_PMC_BOOT_0));
	static const uint8_t ids[NV_CHIP_END] = { 0x50, 0x84, 0x86, 0x92, 0x94, 0x96, 0x98,
						  0xa0, 0xaa, 0xac, 0xa3, 0xa5, 0xa8, 0xaf };

	while (ids[gr.chip] != id)
		gr.chip++;
	return gr;
}

static void gr_write_reg(void *arg, uint32_t at, uint32_t value)
{
	wr(arg, at, value);
}

static void gr_write_image(void *arg, uint32_t at, uint32_t value)
{
	const struct gr_image_at *i = arg;

	nvsim_vram_write(i->r->sim, i->at + at, &value, 4);
}

static inline void gr_init(struct rig *r)
{
	uint32_t program[NVFIFO_GRCTX_PROGRAM_MAX];
	struct nvfifo_grctx gr = gr_card(r);

	nvfifo_grctx_init(&gr, program, nvfifo_grctx_program(&gr, program), gr_write_reg, r);
}

static inline uint32_t gr_context_object(struct rig *r, unsigned int n)
{
	return CHAN_BASE(n) + (r->g80 ? 0x200 : 0x20);
}

/* A fresh image for channel @n and the DMA object for it */
static inline void gr_context(struct rig *r, unsigned int n)
{
	struct gr_image_at where = { r, GR_IMAGE(n) };
	struct nvfifo_grctx gr = gr_card(r);
	static const uint8_t zero[0x80000];
	uint32_t size;

	nvsim_vram_write(r->sim, where.at, zero, sizeof(zero));
	size = nvfifo_grctx_image(&gr, gr_write_image, &where);
	put_dmaobj(r, gr_context_object(r, n), 0x00190000, where.at, where.at + size - 1);
}

static inline uint32_t class_3d(struct rig *r)
{
	enum nv_chip chip = gr_card(r).chip;

	if (chip == NV_CHIP_G80)
		return 0x5097;
	if (chip < NV_CHIP_G200)
		return 0x8297;
	if (chip < NV_CHIP_GT215)
		return 0x8397;
	return chip == NV_CHIP_MCP89 ? 0x8697 : 0x8597;
}

/* Is the recorded fault PGRAPH's, by this client and slot? */
static inline bool fault_is(struct rig *r, uint32_t client, uint32_t slot)
{
	uint32_t status;

	wr(r, NV_PFB_VM_FAULT, 0);
	status = rd(r, NV_PFB_VM_FAULT_DATA);

	return r->gt215 ? (status & 0xffff00ff) == (slot << 24 | client << 16) :
			  (status & 0xff0f) == (slot << 12 | client << 8);
}

#endif
