// SPDX-License-Identifier: MIT
/*
 * USERD: the channels' control pages at 0xc00000. The page of the loaded channel shows CACHE1's
 * registers, that of any other channel its RAMFC in memory.
 */
#include "core.h"
#include "fifo.h"
#include "mem.h"
#include "mmu.h"

/* RAMFC offsets */
#define FC_IB_PUT		0x00
#define FC_IB_GET		0x04
#define FC_DMA_PUT		0x08
#define FC_DMA_PUT_HIGH		0x0c
#define FC_DMA_GET		0x10
#define FC_DMA_GET_HIGH		0x14
#define FC_DMA_MGET		0x18
#define FC_DMA_MGET_HIGH	0x1c
#define FC_GET_HIGH_RDSHADOW	0x20
#define FC_PUT_HIGH_RDSHADOW	0x24
#define FC_PUT_HIGH_WRSHADOW	0x28
#define FC_MGET_HIGH_RDSHADOW	0x2c
#define FC_DMA_STATE		0x30
#define FC_DMA_FETCH		0x3c
#define FC_SUBROUTINE		0x40
#define FC_IB_CONFIG		0x54
#define FC_REF			0x74

static u32 reg_of(u32 fc)
{
	static const u32 regs[] = {
		[FC_IB_PUT / 4] = NV_CACHE1_IB_PUT,
		[FC_IB_GET / 4] = NV_CACHE1_IB_GET,
		[FC_DMA_PUT / 4] = NV_CACHE1_DMA_PUT,
		[FC_DMA_PUT_HIGH / 4] = NV_CACHE1_DMA_PUT_HIGH,
		[FC_DMA_GET / 4] = NV_CACHE1_DMA_GET,
		[FC_DMA_GET_HIGH / 4] = NV_CACHE1_DMA_GET_HIGH,
		[FC_DMA_MGET / 4] = NV_CACHE1_DMA_MGET,
		[FC_DMA_MGET_HIGH / 4] = NV_CACHE1_DMA_MGET_HIGH,
		[FC_GET_HIGH_RDSHADOW / 4] = NV_CACHE1_GET_HIGH_RDSHADOW,
		[FC_PUT_HIGH_RDSHADOW / 4] = NV_CACHE1_PUT_HIGH_RDSHADOW,
		[FC_PUT_HIGH_WRSHADOW / 4] = NV_CACHE1_PUT_HIGH_WRSHADOW,
		[FC_MGET_HIGH_RDSHADOW / 4] = NV_CACHE1_MGET_HIGH_RDSHADOW,
		[FC_DMA_STATE / 4] = NV_CACHE1_DMA_STATE,
		[FC_DMA_FETCH / 4] = NV_CACHE1_DMA_FETCH,
		[FC_SUBROUTINE / 4] = NV_CACHE1_SUBROUTINE,
		[FC_IB_CONFIG / 4] = NV_CACHE1_IB_CONFIG,
		[FC_REF / 4] = NV_CACHE1_REF,
	};

	return regs[fc / 4];
}

static u32 fc_get(struct nvsim *s, unsigned int chid, u32 fc)
{
	u8 w[4] = { 0 };
	u32 target;
	u64 addr;

	if (sim_pfifo_loaded(s) && sim_pfifo_chid(s) == chid)
		return PF(s, reg_of(fc));
	if (sim_ramfc_location(s, chid, &target, &addr))
		sim_mem_read(s, target, addr + fc, w, 4, false);

	return get_le32(w);
}

static void fc_set(struct nvsim *s, unsigned int chid, u32 fc, u32 val)
{
	u32 target;
	u64 addr;
	u8 w[4];

	if (sim_pfifo_loaded(s) && sim_pfifo_chid(s) == chid) {
		PF(s, reg_of(fc)) = val;
		return;
	}

	put_le32(w, val);
	if (sim_ramfc_location(s, chid, &target, &addr))
		sim_mem_write(s, target, addr + fc, w, 4, false);
}

static bool channel_ok(struct nvsim *s, u32 off, unsigned int chid)
{
	u32 target;
	u64 addr;

	if (off < NV_USER_BASE) {
		sim_violation(s, "access to %06x: USER_PIO belongs to channel 0, which is not used",
			      off);
		sim_pfifo_intr(s, NV_FLD_MASK(NV_PFIFO_INTR__PIO_ERROR));
		return false;
	}

	if (chid >= 128) {
		sim_violation(s, "access to %06x: behind the last channel's page", off);
		return false;
	}

	if (chid == 0 || chid == 127) {
		sim_violation(s, "access to the page of channel %u; channel ids are 1 to 126",
			      chid);
		return false;
	}

	if (!sim_ramfc_location(s, chid, &target, &addr)) {
		sim_violation(s, "access to the page of channel %u, which has no channel table "
				 "entry", chid);
		return false;
	}

	return true;
}

static bool ib_mode(struct nvsim *s, unsigned int chid)
{
	return fc_get(s, chid, FC_DMA_FETCH) & NV_FLD_MASK(NV_CACHE1_DMA_FETCH__IB_ENABLE);
}

/* A read of a low half latches the high one. */
static u32 read_low(struct nvsim *s, unsigned int chid, u32 low, u32 high, u32 shadow)
{
	fc_set(s, chid, shadow, fc_get(s, chid, high));
	return fc_get(s, chid, low);
}

/* NVIDIA's class header has these two registers, envytools does not. */
#define USER_SET_REF	0x50
#define USER_YIELD	0x80

static bool user_method(u32 off)
{
	return (off & 0x1ffc) == USER_SET_REF || (off & 0x1ffc) == USER_YIELD;
}

u32 sim_user_read(struct nvsim *s, u32 off)
{
	unsigned int chid = (off - NV_USER_BASE) / NV_USER_BASE__STRIDE;

	if (!channel_ok(s, off, chid))
		return 0;

	switch (off & 0x1ffc) {
	case NV_USER_DMA_PUT:
		return read_low(s, chid, FC_DMA_PUT, FC_DMA_PUT_HIGH, FC_PUT_HIGH_RDSHADOW);
	case NV_USER_DMA_GET:
		return read_low(s, chid, FC_DMA_GET, FC_DMA_GET_HIGH, FC_GET_HIGH_RDSHADOW);
	case NV_USER_REF:
		return fc_get(s, chid, FC_REF);
	case NV_USER_DMA_PUT_HIGH:
		return fc_get(s, chid, FC_PUT_HIGH_RDSHADOW);
	case NV_USER_DMA_CGET:
		if (fc_get(s, chid, FC_DMA_STATE) &
		    NV_FLD_MASK(NV_CACHE1_DMA_STATE__SUBROUTINE_ACTIVE))
			return fc_get(s, chid, FC_SUBROUTINE);
		return fc_get(s, chid, FC_DMA_GET);
	case NV_USER_DMA_MGET:
		return read_low(s, chid, FC_DMA_MGET, FC_DMA_MGET_HIGH, FC_MGET_HIGH_RDSHADOW);
	case NV_USER_DMA_MGET_HIGH:
		return fc_get(s, chid, FC_MGET_HIGH_RDSHADOW);
	case NV_USER_DMA_GET_HIGH:
		return fc_get(s, chid, FC_GET_HIGH_RDSHADOW);
	case NV_USER_IB_GET:
		return fc_get(s, chid, FC_IB_GET);
	case NV_USER_IB_PUT:
		return fc_get(s, chid, FC_IB_PUT);
	}

	if (sim_quirk(s, NVSIM_QUIRK_USER_50_80) && user_method(off))
		return 0;

	sim_violation(s, "read of %06x: no such register in a channel's page", off);

	return 0;
}

/* The values of a page's registers, without the effects of a read or its shadow registers */
u32 sim_user_peek(struct nvsim *s, u32 off)
{
	static const struct {
		u32 reg, fc;
	} map[] = {
		{ NV_USER_DMA_PUT, FC_DMA_PUT },
		{ NV_USER_DMA_GET, FC_DMA_GET },
		{ NV_USER_REF, FC_REF },
		{ NV_USER_DMA_PUT_HIGH, FC_DMA_PUT_HIGH },
		{ NV_USER_DMA_MGET, FC_DMA_MGET },
		{ NV_USER_DMA_MGET_HIGH, FC_DMA_MGET_HIGH },
		{ NV_USER_DMA_GET_HIGH, FC_DMA_GET_HIGH },
		{ NV_USER_IB_GET, FC_IB_GET },
		{ NV_USER_IB_PUT, FC_IB_PUT },
	};
	unsigned int chid = (off - NV_USER_BASE) / NV_USER_BASE__STRIDE, i;
	u32 target;
	u64 addr;
	u8 w[4];

	if (off < NV_USER_BASE || chid >= 128 || !sim_ramfc_location(s, chid, &target, &addr))
		return ~0u;

	for (i = 0; i < ARRAY_LEN(map); i++) {
		if (map[i].reg != (off & 0x1ffc))
			continue;
		if (sim_pfifo_loaded(s) && sim_pfifo_chid(s) == chid)
			return PF(s, reg_of(map[i].fc));
		return sim_peek(s, target, addr + map[i].fc, w, 4) ? ~0u : get_le32(w);
	}

	return ~0u;
}

/* Note that the channel may have work. PFIFO fetches it when the transport calls nvsim_run(). */
static void submitted(struct nvsim *s, unsigned int chid)
{
	s->pfifo->chan_hint[chid] = 1;
	sim_mmu_submitted(s, chid);
	if (!sim_chan_runnable(s, chid))
		sim_violation(s, "work submitted to channel %u, which is not both enabled and in "
				 "the playlist", chid);
}

static void write_ib_put(struct nvsim *s, unsigned int chid, u32 val)
{
	u32 order = fc_get(s, chid, FC_IB_CONFIG) >> 16;

	if (!ib_mode(s, chid)) {
		sim_violation(s, "write of %08x to IB_PUT of channel %u, which is not in IB mode", val,
			      chid);
		return;
	}

	if (order < 32 && val >= 1ull << order) {
		sim_violation(s, "IB_PUT of channel %u = %u, the ring has %u entries", chid, val,
			      1u << order);
		if (sim_quirk(s, NVSIM_QUIRK_IB_PUT))
			val &= (1u << order) - 1;
		else
			s->pfifo->chan_endless[chid] = 1;
	}

	if (val != fc_get(s, chid, FC_IB_PUT)) {
		fc_set(s, chid, FC_IB_PUT, val);
		submitted(s, chid);
	}
}

void sim_user_write(struct nvsim *s, u32 off, u32 val)
{
	unsigned int chid = (off - NV_USER_BASE) / NV_USER_BASE__STRIDE;

	if (!channel_ok(s, off, chid))
		return;

	switch (off & 0x1ffc) {
	case NV_USER_DMA_PUT:
		if (ib_mode(s, chid)) {
			sim_violation(s, "write of %08x to DMA_PUT of channel %u, which is in IB "
					 "mode", val, chid);
			return;
		}

		if (val & 3)
			sim_violation(s, "DMA_PUT of channel %u = %08x: not aligned to 4", chid,
				      val);
		fc_set(s, chid, FC_DMA_PUT_HIGH, fc_get(s, chid, FC_PUT_HIGH_WRSHADOW) & 0xff);
		fc_set(s, chid, FC_DMA_PUT, val & ~3u);
		submitted(s, chid);
		return;
	case NV_USER_DMA_PUT_HIGH:
		/* Envytools: only writable outside of IB mode */
		if (ib_mode(s, chid)) {
			sim_violation(s, "write of %08x to DMA_PUT_HIGH of channel %u, which is in "
					 "IB mode", val, chid);
			return;
		}

		fc_set(s, chid, FC_PUT_HIGH_WRSHADOW, val & 0xff);
		return;
	case NV_USER_IB_PUT:
		write_ib_put(s, chid, val);
		return;
	}

	if (sim_quirk(s, NVSIM_QUIRK_USER_50_80) && user_method(off)) {
		if ((off & 0x1ffc) == USER_SET_REF)
			fc_set(s, chid, FC_REF, val);
		else if (sim_pfifo_loaded(s) && sim_pfifo_chid(s) == chid)
			s->pfifo->slice_expired = true;
		return;
	}

	sim_violation(s, "write of %08x to %06x: no such writable register in a channel's page",
		      val, off);
}
