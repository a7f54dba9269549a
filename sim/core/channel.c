// SPDX-License-Identifier: MIT
/*
 * The channels of PFIFO by number: the channel table, the loaded channel, and PFIFO's interrupts.
 * The pusher, the puller and the scheduler (pfifo.c) are above it.
 */
#include "core.h"
#include "fifo.h"
#include "mem.h"
#include "pci.h"

/* Place of a channel's RAMFC, from its entry in the channel table */
bool sim_ramfc_location(struct nvsim *s, unsigned int chid, u32 *target, u64 *addr)
{
	u32 e = *sim_chan_entry(s, chid);

	*target = 0;
	*addr = 0;
	if (!s->pfifo->chan_written[chid])
		return false;

	if (sim_is_g80(s)) {
		*target = NV_FLD_GET(NV_PFIFO_CHAN_TABLE__TARGET_G80, e);
		*addr = (u64)NV_FLD_GET(NV_PFIFO_CHAN_TABLE__ADDRESS_G80, e) << 12;
	} else {
		*target = NV_FLD_GET(NV_PFIFO_CHAN_TABLE__TARGET_G84, e);
		*addr = (u64)NV_FLD_GET(NV_PFIFO_CHAN_TABLE__ADDRESS_G84, e) << 8;
	}

	/* Address 0 is valid: NVIDIA's nv has a channel of the G80 there. */
	return e != 0;
}

void sim_pfifo_wake(struct nvsim *s)
{
	memset(s->pfifo->retry_at, 0, sizeof(s->pfifo->retry_at));
}

void sim_pfifo_intr(struct nvsim *s, u32 bits)
{
	u32 notify = bits & NV_FLD_MASK(NV_PFIFO_INTR__NOTIFY);

	PF(s, NV_PFIFO_INTR) |= bits;
	if (s->chip >= NV_CHIP_GT215)
		PF(s, NV_PFIFO_INTR_NRHOST) |= notify;
	sim_irq_update(s);
}

static __attribute__((noinline)) bool is_frozen(struct nvsim *s, bool wanted)
{
	if (s->pfifo->freeze_until && s->pfifo->freeze_until <= sim_now(s))
		s->pfifo->freeze_until = 0;

	if (wanted && sim_inject(s, NVSIM_INJECT_FREEZE_STUCK))
		return false;

	return s->pfifo->freeze_until ? !wanted : wanted;
}

/* Each method asks, so that the usual answer takes a few instructions. */
bool sim_pfifo_frozen(struct nvsim *s)
{
	const bool wanted = PF(s, NV_PFIFO_FREEZE) & 1;

	return (wanted || s->pfifo->freeze_until) && is_frozen(s, wanted);
}

/* The descriptor of the channel to which an entry of the table leads, or ~0 */
static u32 listed_channel(struct nvsim *s, unsigned int chid)
{
	u32 target, entry = *sim_chan_entry(s, chid);
	u8 word[4];
	u64 addr;

	if (!(entry >> 31) || !sim_ramfc_location(s, chid, &target, &addr))
		return ~0u;
	if (sim_is_g80(s))
		return entry & 0x3fffffff;

	return sim_peek(s, target, addr + 0x98, word, 4) ? ~0u : get_le32(word) & 0x3fffffff;
}

/* Whether an entry of the channel table leads to the channel with this descriptor */
bool sim_channel_listed(struct nvsim *s, u32 chan)
{
	unsigned int i;

	for (i = 1; i < SIM_NO_CHANNEL; i++)
		if (listed_channel(s, i) == chan)
			return true;

	return false;
}
