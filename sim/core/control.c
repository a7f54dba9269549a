// SPDX-License-Identifier: MIT
/*
 * The control capability of configuration space, by which a guest gives the model commands and
 * reads its counters, and the transport's way into configuration space.
 */
#include <stdlib.h>

#include "core.h"
#include "command.h"
#include "control.h"
#include "engine.h"
#include "inject.h"
#include "mmio.h"
#include "mmu.h"
#include "pci.h"
#include "posted.h"

struct sim_control {
	u32 arg, result;
	u64 addr;
};

int sim_control_create(struct nvsim *s)
{
	s->control = calloc(1, sizeof(*s->control));
	return s->control ? 0 : -1;
}

/*
 * The commands of the control words in configuration space. Each takes CTL_ARG and returns
 * CTL_RESULT; ~0 is the answer to an argument that is out of range.
 */
static u32 ctl_mark(struct nvsim *s, u32 arg)
{
	sim_trace(s, "MARK %u", arg);
	return 0;
}

static u32 ctl_reset_stats(struct nvsim *s, u32 arg)
{
	u64 violations = s->st.violations;

	(void)arg;
	memset(&s->st, 0, sizeof(s->st));
	s->st.violations = violations;
	return 0;
}

static u32 ctl_get_stat(struct nvsim *s, u32 arg)
{
	u64 all[sizeof(s->st) / sizeof(u64)];

	sim_mmu_settle(s);
	memcpy(all, &s->st, sizeof(all));
	return arg < ARRAY_LEN(all) ? (u32)all[arg] : ~0u;
}

static u32 ctl_inject(struct nvsim *s, u32 arg)
{
	if (arg >= NVSIM_INJECT_COUNT)
		return ~0u;

	sim_inject_set(s, arg, 0);
	return 0;
}

static u32 ctl_clear(struct nvsim *s, u32 arg)
{
	if (arg != ~0u && arg >= NVSIM_INJECT_COUNT)
		return ~0u;

	sim_inject_clear(s, arg == ~0u ? ~0u : 1u << arg);
	return 0;
}

static u32 ctl_set_addr(struct nvsim *s, u32 arg)
{
	s->control->addr = arg;
	return 0;
}

static u32 ctl_vram_read(struct nvsim *s, u32 arg)
{
	u32 at = s->control->addr;
	u8 word[4];

	(void)arg;
	s->control->addr += 4;
	if (nvsim_vram_read(s, at, word, 4))
		return ~0u;

	return get_le32(word);
}

static u32 ctl_vram_write(struct nvsim *s, u32 arg)
{
	u32 at = s->control->addr;
	u8 word[4];

	s->control->addr += 4;
	put_le32(word, arg);
	return nvsim_vram_write(s, at, word, 4) ? ~0u : 0;
}

/* The answer is the number of earlier expected violations that did not happen. */
static u32 ctl_expect_violation(struct nvsim *s, u32 arg)
{
	u32 missing = s->expect_violations;

	s->expect_violations = arg;
	return missing;
}

static u32 ctl_tlb_entries(struct nvsim *s, u32 arg)
{
	return arg < VMENG_COUNT ? sim_tlb_entries(s, arg) : ~0u;
}

static u32 ctl_d3_loss(struct nvsim *s, u32 arg)
{
	u32 old = s->cfg.d3_loss;

	if (arg >= NVSIM_D3_COUNT)
		return ~0u;

	s->cfg.d3_loss = arg;
	return old;
}

static u32 ctl_rec_reset(struct nvsim *s, u32 arg)
{
	(void)arg;
	sim_record_reset(s);
	return 0;
}

static u32 ctl_rec_count(struct nvsim *s, u32 chid)
{
	return chid < 128 ? (u32)sim_record_sum(s, chid)->count : ~0u;
}

static u32 ctl_rec_crc(struct nvsim *s, u32 chid)
{
	return chid < 128 ? sim_record_sum(s, chid)->crc : ~0u;
}

static u32 ctl_rec_seek(struct nvsim *s, u32 arg)
{
	sim_record_seek(s, arg);
	return 0;
}

static u32 ctl_rec_next(struct nvsim *s, u32 chid)
{
	static const struct sim_record end = { .where = ~0u };
	const struct sim_record *r = chid < 128 ? sim_record_next(s, chid) : NULL;

	if (!r)
		r = &end;

	sim_pci_show(s, NVSIM_CTL_RESULT_1, r->data);
	sim_pci_show(s, NVSIM_CTL_RESULT_2, r->class);
	sim_pci_show(s, NVSIM_CTL_RESULT_3, r->object);
	return r->where;
}

static u32 ctl_engine_context(struct nvsim *s, u32 arg)
{
	u32 old = s->cfg.engine_context;

	if (arg >= NVSIM_ENGINE_CONTEXT_COUNT)
		return ~0u;

	s->cfg.engine_context = arg;
	return old;
}

static u32 ctl_quirk(struct nvsim *s, u32 arg)
{
	u32 quirk = arg >> 8, side = arg & 0xff, old;

	if (quirk >= NVSIM_QUIRK_COUNT || side > 1)
		return ~0u;

	old = sim_quirk(s, quirk);
	s->cfg.quirks = (s->cfg.quirks & ~(1ull << quirk)) | (u64)side << quirk;
	return old;
}

static void ctl_command(struct nvsim *s, u32 cmd)
{
	static u32 (*const commands[])(struct nvsim *s, u32 arg) = {
		[NVSIM_CTL_MARK] = ctl_mark,
		[NVSIM_CTL_RESET_STATS] = ctl_reset_stats,
		[NVSIM_CTL_GET_STAT] = ctl_get_stat,
		[NVSIM_CTL_INJECT] = ctl_inject,
		[NVSIM_CTL_CLEAR] = ctl_clear,
		[NVSIM_CTL_SET_ADDR] = ctl_set_addr,
		[NVSIM_CTL_VRAM_READ] = ctl_vram_read,
		[NVSIM_CTL_VRAM_WRITE] = ctl_vram_write,
		[NVSIM_CTL_EXPECT_VIOLATION] = ctl_expect_violation,
		[NVSIM_CTL_READ_REG] = sim_mmio_peek,
		[NVSIM_CTL_TLB_ENTRIES] = ctl_tlb_entries,
		[NVSIM_CTL_D3_LOSS] = ctl_d3_loss,
		[NVSIM_CTL_REC_RESET] = ctl_rec_reset,
		[NVSIM_CTL_REC_COUNT] = ctl_rec_count,
		[NVSIM_CTL_REC_CRC] = ctl_rec_crc,
		[NVSIM_CTL_REC_SEEK] = ctl_rec_seek,
		[NVSIM_CTL_REC_NEXT] = ctl_rec_next,
		[NVSIM_CTL_ENGINE_CONTEXT] = ctl_engine_context,
		[NVSIM_CTL_QUIRK] = ctl_quirk,
		[NVSIM_CTL_TEXT] = sim_command_text,
	};

	s->control->result = ~0u;
	if (cmd < ARRAY_LEN(commands) && commands[cmd])
		s->control->result = commands[cmd](s, s->control->arg);
}

u32 nvsim_cfg_read(struct nvsim *s, u32 off, unsigned int size)
{
	sim_posted_arrive(s);
	sim_pci_show(s, NVSIM_CTL_ARG, s->control->arg);
	sim_pci_show(s, NVSIM_CTL_RESULT, s->control->result);
	return sim_pci_read(s, off, size);
}

void nvsim_cfg_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	u32 shift = 8 * (off & 3), mask;

	sim_posted_arrive(s);
	if ((size != 1 && size != 2 && size != 4) || (off & (size - 1)))
		return;

	mask = (size == 4 ? ~0u : (1u << 8 * size) - 1) << shift;
	switch (off & ~3u) {
	case NVSIM_CTL_ARG:
		s->control->arg = (s->control->arg & ~mask) | (val << shift & mask);
		return;
	case NVSIM_CTL_CMD:
		ctl_command(s, (val << shift & mask) >> shift);
		return;
	}

	sim_pci_write(s, off, val, size);
}
