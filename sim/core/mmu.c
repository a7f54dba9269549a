// SPDX-License-Identifier: MIT
/*
 * PFB's MMU: DMA objects, page walk, a TLB per VM engine, the fault record.
 *
 * A TLB entry stays until its engine is flushed, even if the tables in memory change. Entries for
 * pages that are not present stay as well. An entry belongs to a channel structure and survives
 * channel switches. The use of a stale entry, from which the tables in memory now differ, is a
 * violation (once per entry).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "chip.h"
#include "fault.h"
#include "mem.h"
#include "mmu.h"
#include "store.h"

enum sim_fault {
	FAULT_NONE = -1,
	FAULT_PT_NOT_PRESENT = 0,
	FAULT_PT_TOO_SHORT = 1,
	FAULT_PAGE_NOT_PRESENT = 2,
	FAULT_PAGE_SUPERVISOR_ONLY = 3,
	FAULT_PAGE_READ_ONLY = 4,
	FAULT_NO_CHANNEL = 5,
	FAULT_NULL_DMAOBJ = 6,
	FAULT_WRONG_MEMTYPE = 7,
	FAULT_VRAM_LIMIT = 0xb,
	FAULT_DMAOBJ_LIMIT = 0xf,
};

/* One set per VM engine. Entries live until the engine is flushed. */
struct sim_tlb_entry {
	u64 key;		/* 0 = free */
	u64 raw;		/* PDE or PTE as it was when it was read */
	u64 checked;		/* pt_gen at which it was last compared with memory */
	bool reported;
};

struct sim_tlb {
	struct sim_tlb_entry *tab;
	u32 size, used;
	u32 shifts;		/* bit n: there are PTE entries of 2^(12 + n) bytes */
};

struct sim_dmaobj {
	bool valid;
	u16 inst;
	u32 chan;
	u32 w[6];
	u64 start, limit;
	/*
	 * Last page translated; good while @stamp equals mmu_stamp, and memory at pte_addr has @pte.
	 * @stamp is 0 without such a page, or if the object is not valid for the engine's channel.
	 */
	u64 stamp, vpage, linear;
	u64 pte, pte_addr;
	u32 pte_target;		/* system memory, which the CPU writes unseen, or TGT_VRAM */
	u32 target;
	bool writable;
	bool super;		/* @linear was translated with a supervisor's rights */
	bool reported;
};

/*
 * A violation of a unit that runs beside the CPU. A TLB flush drops it; some submissions to the
 * channel, or the end, report it.
 */
struct sim_pending {
	char line[256];		/* empty: none */
	unsigned int chid;	/* of the channel, or SIM_CHID_ANY */
	unsigned int submissions;	/* to the channel since then */
	bool unflushed;		/* the unit read the entry at target:addr before a BAR flush */
	u32 target;
	u64 addr;
};

#define SIM_CHID_ANY	~0u

struct sim_vmeng_state {
	bool bound;
	u32 chan;		/* channel descriptor */
	struct sim_dmaobj obj[SIM_SLOTS];
	struct sim_tlb tlb;
	bool super;		/* reads with a supervisor's rights */
	u64 flush_serial;	/* number of the last CPU write before the last flush */
	u32 *tag_page;		/* per tag cell: 1 + VRAM >> 16 of its page since that flush */
	struct sim_pending pending;
};

struct sim_fault_record {
	bool pending;
	u32 word[6];
};

struct sim_mmu {
	struct sim_vmeng_state vm[VMENG_COUNT];
	unsigned int chid;	/* of the channel in PFIFO */
	u64 stamp;		/* changes whenever a cached translation may be wrong */
	u64 pt_gen;		/* changes when memory used as a page table is written */
	bool pt_in_sysram;
	struct sim_fault_record fault;
	bool tlb_busy;
};

#define CLIENT_WRITE	0x4
#define CLIENT_READ	0x8

/* Single bytes of VRAM that take the time of one access */
#define BYTES_AS_ACCESS	16

/* PFIFO's slot of the push buffer's object */
#define PUSH_SLOT	0

#define KEY_VALID	(1ull << 63)
#define KEY_PDE		0xfull
#define TLB_MAX		(1u << 16)

/*
 * Submissions to a channel that a flush may follow. A driver may submit queued work of a channel
 * while another thread is between the store of a PTE and the flush.
 */
#define PENDING_SUBMISSIONS	8

#define KIND_USE_PTE	0x7f
#define COMP_USE_PTE	3

/* Few enough that the pages of a small card's memory can use up all of them */
#define TAGS_DEFAULT	512
#define TAGS_MAX	4096

static u64 tlb_key(u32 chan, u64 kind, u64 vpn)
{
	return KEY_VALID | (u64)chan << 32 | kind << 28 | vpn;
}

static struct sim_tlb_entry *tlb_slot(struct sim_tlb *t, u64 key)
{
	u32 i = (u32)((key * 0x9e3779b97f4a7c15ull) >> 40);

	for (;; i++) {
		struct sim_tlb_entry *e = &t->tab[i & (t->size - 1)];

		if (!e->key || e->key == key)
			return e;
	}
}

static struct sim_tlb_entry *tlb_find(struct sim_tlb *t, u64 key)
{
	struct sim_tlb_entry *e;

	if (!t->used)
		return NULL;
	e = tlb_slot(t, key);
	return e->key ? e : NULL;
}

static void tlb_clear(struct sim_tlb *t)
{
	if (t->tab)
		memset(t->tab, 0, t->size * sizeof(*t->tab));
	t->used = 0;
	t->shifts = 0;
}

/* Without memory the TLB does not grow, and the translation is not cached. */
static void tlb_grow(struct sim_tlb *t)
{
	struct sim_tlb old = *t;
	u32 i;

	if (old.size >= TLB_MAX) {
		tlb_clear(t);
		return;
	}
	t->size = old.size ? old.size * 2 : 64;
	t->tab = calloc(t->size, sizeof(*t->tab));
	if (!t->tab) {
		*t = old;
		tlb_clear(t);
		return;
	}
	for (i = 0; i < old.size; i++)
		if (old.tab[i].key)
			*tlb_slot(t, old.tab[i].key) = old.tab[i];
	free(old.tab);
}

static void tlb_insert(struct nvsim *s, struct sim_tlb *t, u64 key, u64 raw)
{
	struct sim_tlb_entry *e;

	if (t->used * 2 >= t->size)
		tlb_grow(t);
	if (!t->tab)
		return;
	e = tlb_slot(t, key);
	if (!e->key)
		t->used++;
	*e = (struct sim_tlb_entry){ .key = key, .raw = raw, .checked = s->mmu->pt_gen };
}

int sim_mmu_create(struct nvsim *s)
{
	s->mmu = calloc(1, sizeof(*s->mmu));
	return s->mmu ? 0 : -1;
}

void sim_mmu_init(struct nvsim *s)
{
	*sim_reg(s, NV_PFB_CFG1) = 9 << 12 | 4 << 16 | 4 << 20;
	*sim_reg(s, NV_PFB_RAM_TYPE) = 2;
	*sim_reg(s, NV_PFB_SYSRAM_ADDR_HIGH) = s->cfg.sysram_high;
	if (s->posted && !(s->cfg.efi && s->info->igp))
		*sim_reg(s, NV_PFB_MEM_AMOUNT) = s->cfg.vram_size;
	if (s->info->igp) {
		*sim_reg(s, NV_PFB_FAKEFB_BASE) = sim_mem_stolen_base(s) >> 12;
		*sim_reg(s, NV_PFB_FAKEFB_SIZE) = s->cfg.vram_size >> 12;
	} else if (!s->cfg.no_tags) {
		*sim_reg(s, NV_PFB_COMP_MAX_TAG) = (s->cfg.tags ? s->cfg.tags : TAGS_DEFAULT) - 1;
	}
	*sim_reg(s, NV_PFB_VRAM_LIMIT) = (s->cfg.vram_size >> 12) - 1;
	*sim_reg(s, NV_PFB_PD_OFFSET) = 0x200;
	sim_mmu_end_flush(s);
	sim_mmu_tables_changed(s);
}

/* No cached translation may be used without a look at the TLB. */
void sim_mmu_stale(struct nvsim *s)
{
	s->mmu->stamp++;
}

/* Memory from which a page table was read has changed. */
void sim_mmu_tables_changed(struct nvsim *s)
{
	s->mmu->pt_gen++;
	s->mmu->stamp++;
}

/* A flush that does not end shows as done. */
void sim_mmu_end_flush(struct nvsim *s)
{
	s->mmu->tlb_busy = false;
}

u32 sim_tlb_entries(const struct nvsim *s, enum sim_vmeng eng)
{
	return s->mmu->vm[eng].tlb.used;
}

void sim_mmu_destroy(struct nvsim *s)
{
	unsigned int i;

	for (i = 0; s->mmu && i < VMENG_COUNT; i++) {
		free(s->mmu->vm[i].tlb.tab);
		free(s->mmu->vm[i].tag_page);
	}
	free(s->mmu);
}

/* The MMU lost its power: drop all entries, objects, channels and the fault. */
void sim_mmu_forget(struct nvsim *s)
{
	unsigned int i;

	for (i = 0; i < VMENG_COUNT; i++) {
		struct sim_vmeng_state *vm = &s->mmu->vm[i];

		tlb_clear(&vm->tlb);
		if (vm->tag_page)
			memset(vm->tag_page, 0, TAGS_MAX * sizeof(*vm->tag_page));
		vm->pending.line[0] = 0;
		vm->flush_serial = sim_mem_write_serial(s);
		sim_vm_bind(s, i, false, 0);
	}
	memset(&s->mmu->fault, 0, sizeof(s->mmu->fault));
}

/* --- fault record --- */

/* The record keeps the first fault until it is acknowledged. */
static void record(struct nvsim *s, u32 status, u32 chan, u64 addr, bool write)
{
	struct sim_fault_record *f = &s->mmu->fault;

	if (f->pending)
		return;
	f->pending = true;
	f->word[0] = status;
	f->word[1] = chan & 0xffff;
	f->word[2] = chan >> 16;
	f->word[3] = addr & 0xffff;
	f->word[4] = addr >> 16 & 0xffff;
	f->word[5] = (addr >> 32 & 0xff) | (write ? 0 : 1 << 8);
}

static u32 status_word(const struct nvsim *s, u32 eng, u32 client, u32 slot, u32 reason)
{
	if (s->chip >= NV_CHIP_GT215)
		return eng | reason << 8 | client << 16 | slot << 24;
	return eng | reason << 4 | client << 8 | slot << 12;
}

/* On request: a fault of PFIFO's channel, also of a unit that the model does not have. */
void sim_fault_record(struct nvsim *s, u32 engine, u32 client, u32 slot, u32 reason, u64 va,
		      bool write)
{
	record(s, status_word(s, engine, client, slot, reason), s->mmu->vm[VMENG_PFIFO].chan, va, write);
}

static void latch_fault(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, int reason,
			u64 addr, bool write)
{
	static const struct {
		u8 client, slot;
	} ports[SIM_SLOTS] = {
		[SIM_GR_CTX] = { 0x3, 0 },	[SIM_GR_NOTIFY] = { 0x3, 1 },
		[SIM_GR_QUERY] = { 0x3, 2 },	[SIM_GR_COND] = { 0x3, 3 },
		[SIM_GR_M2MF_IN] = { 0x3, 4 },	[SIM_GR_M2MF_OUT] = { 0x3, 5 },
		[SIM_GR_M2MF_NOTIFY] = { 0x3, 6 },
		[SIM_GR_2D_SRC] = { 0xa, 0 },	[SIM_GR_2D_DST] = { 0xb, 0xc },
		[SIM_GR_3D_COLOR] = { 0xb, 0 },	[SIM_GR_3D_ZETA] = { 0xb, 8 },
		[SIM_GR_3D_CODE_CB] = { 0x5, 0 },	[SIM_GR_3D_VTXBUF] = { 0x9, 0 },
		[SIM_GR_3D_TIC] = { 0x5, 1 },	[SIM_GR_3D_TSC] = { 0x5, 2 },
		[SIM_GR_3D_TEXTURE] = { 0xa, 0 },	[SIM_GR_3D_STRMOUT] = { 0, 0 },
		[SIM_GR_GLOBAL] = { 0xb, 0xa },	[SIM_GR_LOCAL] = { 0xb, 9 },
		[SIM_GR_STACK] = { 0xb, 0xb },
	};
	u32 client = write ? CLIENT_WRITE : CLIENT_READ, chan = s->mmu->vm[eng].chan;
	const char *access = write ? "write" : "read";

	if (eng == VMENG_PGRAPH) {
		client = ports[slot].client;
		slot = ports[slot].slot;
	}
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR VM fault engine %x client %x slot %x reason %x chan %08x "
			     "addr %010llx %s%s", eng, client, slot, reason, chan,
			  (unsigned long long)addr, access, s->mmu->fault.pending ? " (not recorded)" : "");
	record(s, status_word(s, eng, client, slot, (u32)reason), chan, addr, write);
}

/* --- registers --- */

static void flush_engine(struct nvsim *s, struct sim_vmeng_state *vm)
{
	/* A TLB flush before the BAR flush does not excuse a read of unflushed bytes. */
	if (!vm->pending.unflushed ||
	    !sim_vram_unflushed(s, vm->pending.target, vm->pending.addr, 8))
		vm->pending.line[0] = 0;
	vm->flush_serial = sim_mem_write_serial(s);
	if (vm->tag_page)
		memset(vm->tag_page, 0, TAGS_MAX * sizeof(*vm->tag_page));
	tlb_clear(&vm->tlb);
}

static void tlb_flush(struct nvsim *s, u32 val)
{
	u32 eng = NV_FLD_GET(NV_PFB_TLB_FLUSH__ENGINE, val);
	struct sim_vmeng_state *vm = &s->mmu->vm[eng];

	if (val & ~0x000f0001u)
		sim_violation(s, "TLB flush %08x: only bits 19:16 and 0 may be set", val);
	if (!(val & 1))
		return;
	if (s->mmu->tlb_busy) {
		sim_violation(s, "TLB flush %08x while another one is running", val);
		return;
	}
	if (!(s->info->vm_engines & 1u << eng))
		sim_violation(s, "TLB flush of VM engine %x, which the %s does not have", eng,
			      s->info->name);
	if (s->cfg.trace_mthd)
		sim_trace(s, "TLB flush engine %x", eng);
	if (sim_inject(s, NVSIM_INJECT_TLB_STUCK) || sim_flush_stuck(s, eng)) {
		s->mmu->tlb_busy = true;
		return;
	}
	sim_delay_start(s, SIM_DELAY_TLB_FLUSH);
	if (eng == VMENG_PGRAPH && !sim_is_g80(s) && sim_quirk(s, NVSIM_QUIRK_FLUSH_BUSY))
		s->calls->gr_flushed(s);
	s->st.tlb_flushes++;
	s->st.engine_flushes[eng]++;
	flush_engine(s, vm);
	/* No driver flushes engine c, so the flush of PFIFO must be for its background reads, too. */
	if (eng == VMENG_PFIFO)
		flush_engine(s, &s->mmu->vm[VMENG_SEM_BG]);
	s->mmu->stamp++;
}

u32 sim_pfb_read(struct nvsim *s, u32 off)
{
	u32 v = *sim_reg(s, off);
	u32 index;

	switch (off) {
	case NV_PFB_TLB_FLUSH:
		return (v & 0x000f0000) | (s->mmu->tlb_busy || sim_delayed(s, SIM_DELAY_TLB_FLUSH));
	case NV_PFB_VM_FAULT:
		return v | NV_FLD_SET(NV_PFB_VM_FAULT__PENDING, s->mmu->fault.pending);
	case NV_PFB_VM_FAULT_DATA:
		index = NV_FLD_GET(NV_PFB_VM_FAULT__INDEX, *sim_reg(s, NV_PFB_VM_FAULT));
		return index < ARRAY_LEN(s->mmu->fault.word) ? s->mmu->fault.word[index] : 0;
	}
	return v;
}

void sim_pfb_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off) {
	case NV_PFB_TLB_FLUSH:
		*sim_reg(s, off) = val & 0x000f0000;
		tlb_flush(s, val);
		return;
	case NV_PFB_VM_FAULT:
		*sim_reg(s, off) = val & ~NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING);
		if (val & NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING))
			s->mmu->fault.pending = false;
		return;
	case NV_PFB_FAKEFB_BASE:
	case NV_PFB_FAKEFB_SIZE:
	case NV_PFB_MEM_AMOUNT:
		sim_violation(s, "write of %08x to %06x, which only a BIOS may change", val, off);
		return;
	case NV_PFB_PD_OFFSET:
		s->mmu->stamp++;
		break;
	}
	*sim_reg(s, off) = val;
}

/* --- channels and DMA objects --- */

void sim_vm_bind(struct nvsim *s, enum sim_vmeng eng, bool bound, u32 chan)
{
	unsigned int slot;

	s->mmu->vm[eng].bound = bound;
	s->mmu->vm[eng].chan = chan & 0x3fffffff;
	for (slot = 0; slot < SIM_SLOTS; slot++)
		sim_vm_drop_obj(s, eng, slot);
}

bool sim_vm_is_bound(const struct nvsim *s, enum sim_vmeng eng, u32 chan)
{
	return s->mmu->vm[eng].bound && s->mmu->vm[eng].chan == chan;
}

u32 sim_vm_channel(const struct nvsim *s, enum sim_vmeng eng)
{
	return s->mmu->vm[eng].chan;
}

/* From here on @eng reads with a supervisor's rights, or without. */
void sim_vm_set_super(struct nvsim *s, enum sim_vmeng eng, bool super)
{
	s->mmu->vm[eng].super = super;
}

/* PFIFO has loaded this channel, for reports that wait for its next submissions. */
void sim_vm_set_chid(struct nvsim *s, unsigned int chid)
{
	s->mmu->chid = chid;
}

void sim_vm_drop_obj(struct nvsim *s, enum sim_vmeng eng, unsigned int slot)
{
	s->mmu->vm[eng].obj[slot].valid = false;
	s->mmu->vm[eng].obj[slot].stamp = 0;
}

/*
 * PFIFO and PGRAPH run beside the CPU. While the CPU changes a table, a running channel uses the
 * old entry, or a new one before its BAR flush. This is a violation only if no flush follows.
 */
static bool runs_beside_cpu(enum sim_vmeng eng)
{
	return eng == VMENG_PFIFO || eng == VMENG_SEM_BG || eng == VMENG_PGRAPH;
}

static u64 chan_base(u32 chan)
{
	return (u64)(chan & 0x0fffffff) << 12;
}

static u32 chan_target(u32 chan)
{
	return chan >> 28 & 3;
}

/* Why @cells of tag memory from @tag on cannot be used, or NULL */
static const char *bad_tags(struct nvsim *s, u32 tag, u32 cells)
{
	u32 max = *sim_reg(s, NV_PFB_COMP_MAX_TAG);

	if (!max)
		return "compression on a card without tag memory";
	if (tag + cells - 1 > max)
		return "its compression tags leave the tag memory";
	return NULL;
}

static const char *bad_unpaged(struct nvsim *s, const u32 *w)
{
	u32 target = w[0] >> 16 & 3, access = w[0] >> 18 & 3, us = w[0] >> 20 & 3;
	u32 kind = w[0] >> 22 & 0x7f, comp = w[0] >> 29 & 3;
	u32 tag = w[4] & 0xfff, tag_limit = w[4] >> 16 & 0xfff;
	bool vram = sim_mem_is_vram(s, target == 1 ? TGT_VRAM : target,
				    w[2] | (u64)(w[3] & 0xff) << 32);

	if (access == 0 || us == 0 || kind == KIND_USE_PTE || comp == COMP_USE_PTE)
		return "an unpaged object cannot take attributes from a PTE";
	if (sim_is_g80(s) && kind && !vram)
		return "the G80 cannot use host memory with a storage type";
	if ((w[5] >> 16 & 3) == 2 && !vram)
		return "a long partition cycle is for VRAM";
	if ((w[5] >> 18 & 3) == 1 && vram)
		return "encryption is for host memory";
	if (!comp)
		return NULL;
	if (target != 1)
		return "compression needs VRAM";
	if (tag > tag_limit)
		return "TAG_START is behind TAG_LIMIT";
	return bad_tags(s, tag, tag_limit - tag + 1);
}

static void check_dmaobj(struct nvsim *s, u32 chan, u16 inst, const u32 *w)
{
	u32 target = w[0] >> 16 & 3, access = w[0] >> 18 & 3, us = w[0] >> 20 & 3;
	const char *why = NULL;

	if (access == 3 || us == 3)
		why = "ACCESS or ACCESSUS is 3";
	else if ((w[3] & 0x00ffff00) &&
		 !(sim_quirk(s, NVSIM_QUIRK_ECTX_WORD3) && sim_is_engine_ctx(s, inst)))
		why = "bits 23:8 of word 3 are reserved";
	else if (w[4] & 0xf000f000)
		why = "bits 31:28 and 15:12 of word 4 are reserved";
	else if (w[5] & 0xfff00000)
		why = "bits 31:20 of word 5 are reserved";
	else if ((w[5] >> 16 & 3) == 3 || (w[5] >> 18 & 3) == 3)
		why = "PART_CYCLE or ENCRYPTED is 3";
	else if (!sim_is_g80(s) && (w[5] >> 16 & 3) == 2)
		why = "only the G80 has a long partition cycle";
	else if (sim_is_g80(s) && (w[5] & 0x000c0000))
		why = "ENCRYPTED in word 5 came with the G84";
	else if (target)
		why = bad_unpaged(s, w);
	if (why)
		sim_violation(s, "DMA object at %04x0 of channel %08x, word 0 %08x: %s", inst, chan,
			      w[0], why);
}

static struct sim_dmaobj *get_dmaobj(struct nvsim *s, enum sim_vmeng eng, unsigned int slot,
				     u16 inst)
{
	struct sim_vmeng_state *vm = &s->mmu->vm[eng];
	struct sim_dmaobj *o = &vm->obj[slot];
	bool known = o->valid && o->inst == inst && o->chan == vm->chan;
	u32 old[6];
	u8 raw[24];
	int i;

	if (known && !sim_quirk(s, NVSIM_QUIRK_DMAOBJ_READ))
		return o;
	memcpy(old, o->w, sizeof(old));
	sim_struct_read(s, chan_target(vm->chan), chan_base(vm->chan) + inst * 16ull, raw,
			sizeof(raw), "DMA object");
	if (runs_beside_cpu(eng))
		sim_mem_loaded(s, chan_target(vm->chan), chan_base(vm->chan) + inst * 16ull,
			       sizeof(raw), vm->chan, inst);
	for (i = 0; i < 6; i++)
		o->w[i] = get_le32(raw + 4 * i);
	if (known && !memcmp(old, o->w, sizeof(old)))
		return o;
	check_dmaobj(s, vm->chan, inst, o->w);
	o->inst = inst;
	o->chan = vm->chan;
	o->start = o->w[2] | (u64)(o->w[3] & 0xff) << 32;
	o->limit = o->w[1] | (u64)(o->w[3] >> 24) << 32;
	o->stamp = 0;
	o->reported = false;
	o->valid = true;
	return o;
}

/* --- page walk --- */

static u32 pd_offset(struct nvsim *s)
{
	return sim_is_g80(s) ? 0x1400 : *sim_reg(s, NV_PFB_PD_OFFSET) & ~7u;
}

static unsigned int page_shift(u64 pde)
{
	switch (pde & 3) {
	case 1:
		return 16;
	case 2:
		return 14;
	}
	return 12;
}

static bool pde_present(const struct nvsim *s, u64 pde)
{
	if ((pde & 3) == 2)
		return s->chip >= NV_CHIP_GT215;

	return pde & 3;
}

/* Entries of the page table that a PDE points to */
static u32 pde_entries(u64 pde)
{
	static const u32 small[4] = { 0x20000, 0x8000, 0x4000, 0x2000 };

	switch (pde & 3) {
	case 1:
		return 0x2000;
	case 2:
		return 0x8000;
	}
	return small[pde >> 5 & 3];
}

static u32 pte_index(u64 pde, u64 va)
{
	return (va & 0x1fffffff) >> page_shift(pde);
}

static void pde_location(struct nvsim *s, u32 chan, u64 va, u32 *target, u64 *addr)
{
	*target = chan_target(chan);
	*addr = chan_base(chan) + pd_offset(s) + (va >> 29) * 8;
}

static void pte_location(u64 pde, u64 va, u32 *target, u64 *addr)
{
	*target = pde >> 2 & 3;
	*addr = (pde & 0xfffffff000ull) + pte_index(pde, va) * 8ull;
}

/*
 * Whether the CPU may be in the middle of changing the entry. Entries that it wrote before the
 * engine's last flush must be correct.
 */
static bool may_be_changing(struct nvsim *s, enum sim_vmeng eng, u32 target, u64 addr)
{
	return runs_beside_cpu(eng) &&
	       sim_vram_changed_since(s, target, addr, s->mmu->vm[eng].flush_serial);
}

/* Keep the first violation of an engine, until a flush of the engine excuses it. */
__attribute__((format(printf, 3, 4))) static bool defer(struct nvsim *s, enum sim_vmeng eng,
							const char *fmt, ...)
{
	struct sim_pending *p = &s->mmu->vm[eng].pending;
	va_list ap;

	if (p->line[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(p->line, sizeof(p->line), fmt, ap);
	va_end(ap);
	p->unflushed = false;
	p->submissions = 0;
	/* PGRAPH may work for a channel that PFIFO has left. */
	p->chid = eng == VMENG_PGRAPH ? SIM_CHID_ANY : s->mmu->chid;
	return true;
}

static void check_pde(struct nvsim *s, u64 va, u64 pde)
{
	const char *why = NULL;

	if (!(pde & 3))
		return;
	if ((pde & 3) == 2 && s->chip < NV_CHIP_GT215)
		why = "16 KiB pages came with the GT215";
	else if (pde & 0xf90)
		why = "bits 11:7 and 4 are reserved";
	else if ((pde >> 2 & 3) == TGT_INVALID)
		why = "target 1 does not exist";
	if (why)
		sim_violation(s, "PDE %016llx for %010llx: %s", (unsigned long long)pde,
			      (unsigned long long)va, why);
}

static bool kind_valid(const struct nvsim *s, u32 kind)
{
	/* One bit per storage type; in the second table those that came with the G200 */
	static const u32 all[4] = { 0x0f0f0001, 0x00007f7f, 0x0070078f, 0x3f55007f };
	static const u32 g200[4] = { 0, 0, 0x00003870, 0x0000ff00 };

	if (all[kind >> 5] >> (kind & 31) & 1)
		return true;
	return s->chip >= NV_CHIP_G200 && (g200[kind >> 5] >> (kind & 31) & 1);
}

/* Storage types of bank type LSR; the others must not share a row block with them. */
static bool kind_is_lsr(u32 kind)
{
	static const u32 lsr[4] = { 0x0f000000, 0x00007f00, 0x00003f80, 0x0c44f000 };

	return lsr[kind >> 5] >> (kind & 31) & 1;
}

/* Bytes of VRAM in which memory of both bank types must not meet */
static u32 row_block(struct nvsim *s)
{
	u32 parts = __builtin_popcount(NV_FLD_GET(NV_PBUS_HWUNITS_0__PART_MASK,
						  *sim_reg(s, NV_PBUS_HWUNITS_0)));
	u32 cfg = *sim_reg(s, NV_PFB_CFG1);
	u32 banks = 1u << (NV_FLD_GET(NV_PFB_CFG1__BANK_BITS, cfg) + 2);
	u32 columns = 1u << NV_FLD_GET(NV_PFB_CFG1__COL_BITS, cfg);
	u32 rows = *sim_reg(s, NV_PFB_BANKCFG) & 1 ? 3 : 1;

	return parts * banks * columns * rows * 8;
}

/*
 * The cells that an address leads to. Sources say only that bank types must not mix; the layout on
 * real cards is unknown. In this model type LSR has the halves of a row block in the other order.
 */
static u64 bank_address(struct nvsim *s, u32 kind, u64 linear)
{
	u32 size = row_block(s), half = size / 2 & ~0xfffu;
	u64 base = (linear & 0xffffffff) / size * size, at = (linear & 0xffffffff) - base;

	if (!kind_is_lsr(kind) || base + size > s->cfg.vram_size)
		return linear;
	return (linear & ~0xffffffffull) + base + (at + half) % size;
}

static void check_block(struct nvsim *s, enum sim_vmeng eng, u64 va, u64 pde, u64 pte)
{
	u32 contig = 1u << (pte >> 7 & 7), first = pte_index(pde, va) & ~(contig - 1), i, target;
	u64 addr;

	if (first + contig > pde_entries(pde)) {
		sim_violation(s, "PTE %016llx for %010llx: its block of %u pages leaves the table",
			      (unsigned long long)pte, (unsigned long long)va, contig);
		return;
	}
	for (i = first; i < first + contig; i++) {
		char line[160];
		u8 raw[8];

		pte_location(pde, (u64)i << page_shift(pde), &target, &addr);
		sim_peek(s, target, addr, raw, sizeof(raw));
		if (get_le64(raw) == pte)
			continue;
		snprintf(line, sizeof(line),
			 "PTE %016llx for %010llx: entry %u of its block of %u is %016llx",
			 (unsigned long long)pte, (unsigned long long)va, i - first, contig,
			 (unsigned long long)get_le64(raw));
		if (may_be_changing(s, eng, target, addr))
			defer(s, eng, "VM engine %x: %s", eng, line);
		else
			sim_violation(s, "%s", line);
		return;
	}
}

static const char *bad_compression(struct nvsim *s, u64 pde, u64 pte, u32 comp)
{
	u32 contig = 1u << (pte >> 7 & 7);

	if (page_shift(pde) != 16 || (pte >> 4 & 3) != TGT_VRAM)
		return "compression needs 64 KiB pages in VRAM";
	return bad_tags(s, pte >> 49 & 0xfff, contig * comp);
}

static void check_pte(struct nvsim *s, enum sim_vmeng eng, u64 va, u64 pde, u64 pte)
{
	u32 target = pte >> 4 & 3, kind = pte >> 40 & 0x7f, comp = pte >> 47 & 3;
	bool vram = sim_mem_is_vram(s, target, pte & 0xfffffff000ull);
	const char *why = NULL;

	if (!(pte & 1))
		return;
	if (pte & 0x8000000000000c06ull)
		why = "bits 63, 11:10 and 2:1 are reserved";
	else if (target == TGT_INVALID)
		why = "target 1 must not be used";
	else if (comp == COMP_USE_PTE)
		why = "compression 3 is for DMA objects only";
	else if (sim_is_g80(s) && (pte >> 62 & 1))
		why = "encryption came with the G84";
	else if ((pte >> 62 & 1) && vram)
		why = "encryption is for host memory";
	else if (!sim_is_g80(s) && (pte >> 61 & 1))
		why = "only the G80 has a long partition cycle";
	else if ((pte >> 61 & 1) && !vram)
		why = "a long partition cycle is for VRAM";
	else if (sim_is_g80(s) && kind && !vram)
		why = "the G80 cannot map host memory with a storage type";
	else if (comp)
		why = bad_compression(s, pde, pte, comp);
	if (why)
		sim_violation(s, "PTE %016llx for %010llx: %s", (unsigned long long)pte,
			      (unsigned long long)va, why);
	if (pte & 0x380)
		check_block(s, eng, va, pde, pte);
}

/* @n cells from @tag on serve the 64 KiB at @linear. No other page may use them until a flush. */
static void use_tags(struct nvsim *s, enum sim_vmeng eng, u32 tag, u32 n, u64 linear)
{
	u32 **owner = &s->mmu->vm[eng].tag_page, page = ((u32)linear >> 16) + 1;

	/* Without memory for the table tags are not checked. */
	if (!*owner)
		*owner = calloc(TAGS_MAX, sizeof(**owner));
	for (; *owner && n && tag < TAGS_MAX; n--, tag++) {
		if ((*owner)[tag] && (*owner)[tag] != page)
			sim_violation(s, "VM engine %x: tag cell %x belongs to the VRAM page at "
					 "%08x, now it is used for %08x", eng, tag,
				      ((*owner)[tag] - 1) << 16, (page - 1) << 16);
		(*owner)[tag] = page;
	}
}

struct walk {
	u64 pde, pte;
	int reason;			/* why the PDE leads to no PTE, or FAULT_NONE */
	struct sim_tlb_entry *hit;	/* the entry to blame if the translation is stale */
};

/* Why a PDE leads to no PTE, or FAULT_NONE */
static int pde_fault(const struct nvsim *s, u64 pde, u64 va)
{
	if (!pde_present(s, pde))
		return FAULT_PT_NOT_PRESENT;

	return pte_index(pde, va) < pde_entries(pde) ? FAULT_NONE : FAULT_PT_TOO_SHORT;
}

/* Walk the tables in memory, without side effects. */
static void walk_memory(struct nvsim *s, u32 chan, u64 va, struct walk *w)
{
	u32 target;
	u64 addr;
	u8 raw[8];

	pde_location(s, chan, va, &target, &addr);
	sim_peek(s, target, addr, raw, sizeof(raw));
	w->pde = get_le64(raw);
	w->pte = 0;
	w->reason = pde_fault(s, w->pde, va);
	if (w->reason != FAULT_NONE)
		return;

	pte_location(w->pde, va, &target, &addr);
	sim_peek(s, target, addr, raw, sizeof(raw));
	w->pte = get_le64(raw);
}

static u64 load_entry(struct nvsim *s, enum sim_vmeng eng, u32 target, u64 addr, const char *what)
{
	u8 raw[8];

	if (!sim_vram_mark_pt(s, target, addr))
		s->mmu->pt_in_sysram = true;
	if (!sim_vram_unflushed(s, target, addr, sizeof(raw)) ||
	    !may_be_changing(s, eng, target, addr)) {
		sim_struct_read(s, target, addr, raw, sizeof(raw), what);
		return get_le64(raw);
	}
	if (defer(s, eng, "VM engine %x: %s at VRAM %llx is loaded, but a CPU write there was not "
			  "followed by a BAR flush", eng, what, (unsigned long long)addr)) {
		s->mmu->vm[eng].pending.unflushed = true;
		s->mmu->vm[eng].pending.target = target;
		s->mmu->vm[eng].pending.addr = addr;
	}
	sim_mem_read(s, target, addr, raw, sizeof(raw), false);
	return get_le64(raw);
}

/* Translate as the engine does: from its TLB, else from memory into its TLB. */
static void walk_tlb(struct nvsim *s, enum sim_vmeng eng, u64 va, struct walk *w)
{
	struct sim_vmeng_state *vm = &s->mmu->vm[eng];
	struct sim_tlb *t = &vm->tlb;
	struct sim_tlb_entry *e;
	unsigned int shift, o;
	u32 target, sizes;
	u64 addr;

	w->hit = NULL;
	w->pte = 0;
	e = tlb_find(t, tlb_key(vm->chan, KEY_PDE, va >> 29));
	if (e) {
		w->pde = e->raw;
		w->hit = e;
	} else {
		pde_location(s, vm->chan, va, &target, &addr);
		w->pde = load_entry(s, eng, target, addr, "PDE");
		if (runs_beside_cpu(eng))
			sim_mem_loaded(s, target, addr, sizeof(w->pde), vm->chan, 0);
		check_pde(s, va, w->pde);
		tlb_insert(s, t, tlb_key(vm->chan, KEY_PDE, va >> 29), w->pde);
	}

	w->reason = pde_fault(s, w->pde, va);
	if (w->reason != FAULT_NONE) {
		if (w->hit)
			s->st.tlb_hits++;
		else
			s->st.tlb_misses++;
		return;
	}

	shift = page_shift(w->pde) - 12;
	for (sizes = t->shifts >> shift & 0xff; sizes; sizes &= sizes - 1) {
		o = (unsigned int)__builtin_ctz(sizes);
		e = tlb_find(t, tlb_key(vm->chan, shift + o, va >> (12 + shift + o)));
		if (!e)
			continue;
		s->st.tlb_hits++;
		w->pte = e->raw;
		w->hit = e;
		return;
	}
	s->st.tlb_misses++;
	pte_location(w->pde, va, &target, &addr);
	w->pte = load_entry(s, eng, target, addr, "PTE");
	check_pte(s, eng, va, w->pde, w->pte);
	o = w->pte & 1 ? w->pte >> 7 & 7 : 0;
	t->shifts |= 1u << (shift + o);
	tlb_insert(s, t, tlb_key(vm->chan, shift + o, va >> (12 + shift + o)), w->pte);
	/* Inserting may have moved the entry of the PDE. */
	if (w->hit)
		w->hit = tlb_find(t, tlb_key(vm->chan, KEY_PDE, va >> 29));
}

struct xlat {
	int reason;
	u32 target;
	u64 linear;
	bool writable;
	u64 attr;		/* PTE bits 63:40 for this page of the block */
	u32 comp, tag;		/* cells it needs, the first one */
	u64 pte, pte_addr;	/* of a paged object: the PTE, and where memory has it */
	u32 pte_target;
};

/* The object, or the work of the engine at present, may have a supervisor's rights. */
static bool has_supervisor_rights(const struct nvsim *s, enum sim_vmeng eng,
				  const struct sim_dmaobj *o)
{
	return o->w[0] >> 31 || s->mmu->vm[eng].super;
}

static void finish(struct nvsim *s, enum sim_vmeng eng, const struct sim_dmaobj *o,
		   const struct walk *w, u64 va, bool write, struct xlat *x)
{
	u32 access = o->w[0] >> 18 & 3, us = o->w[0] >> 20 & 3, kind = o->w[0] >> 22 & 0x7f;
	bool user = !has_supervisor_rights(s, eng, o), ro, super;
	const unsigned int shift = page_shift(w->pde);
	u64 block, page;

	memset(x, 0, sizeof(*x));
	x->reason = w->reason;
	if (x->reason != FAULT_NONE)
		return;

	if (!(w->pte & 1)) {
		x->reason = FAULT_PAGE_NOT_PRESENT;
		return;
	}
	ro = access == 0 ? w->pte >> 3 & 1 : access == 1;
	super = us == 0 ? w->pte >> 6 & 1 : us == 2;
	if (kind == KIND_USE_PTE)
		kind = w->pte >> 40 & 0x7f;

	x->writable = !ro;
	x->target = w->pte >> 4 & 3;
	block = 1ull << (shift + (w->pte >> 7 & 7));
	x->linear = w->pte & 0xfffffff000ull;
	x->linear &= ~((1ull << shift) - 1);
	x->linear = (x->linear + (va & (block - 1))) & MASK40;
	if (x->target == TGT_VRAM && sim_quirk(s, NVSIM_QUIRK_BANK_TYPES))
		x->linear = bank_address(s, kind, x->linear);
	/* Tags count up from page to page of a block. */
	x->comp = o->w[0] >> 29 & 3;
	if (x->comp == COMP_USE_PTE)
		x->comp = w->pte >> 47 & 3;
	page = (va & (block - 1)) >> shift;
	x->tag = x->comp ? (w->pte >> 49 & 0xfff) + page * x->comp : 0;
	x->attr = w->pte >> 40 & ~(0xfffull << 9);
	if (user && super)
		x->reason = FAULT_PAGE_SUPERVISOR_ONLY;
	else if (write && ro)
		x->reason = FAULT_PAGE_READ_ONLY;
	else if (!kind_valid(s, kind))
		x->reason = FAULT_WRONG_MEMTYPE;
	else if (x->target == TGT_VRAM && (x->linear & 0xffffffff) >= s->cfg.vram_size)
		x->reason = FAULT_VRAM_LIMIT;
}

/* Whether memory may have another entry than the TLB, and nothing was said about it */
static inline bool may_be_stale(const struct nvsim *s, const struct walk *w)
{
	const struct sim_tlb_entry *e = w->hit;

	if (!e || e->reported)
		return false;

	/* One check of a block entry says nothing about its other pages. */
	return e->checked != s->mmu->pt_gen || s->mmu->pt_in_sysram || w->pte & 0x380;
}

static void check_stale(struct nvsim *s, enum sim_vmeng eng, const struct sim_dmaobj *o,
			const struct walk *w, u64 va, bool write, const struct xlat *x)
{
	struct sim_tlb_entry *e = w->hit;
	struct walk now;
	struct xlat y;
	char line[sizeof(s->mmu->vm[0].pending.line)], was[32];

	walk_memory(s, s->mmu->vm[eng].chan, va, &now);
	finish(s, eng, o, &now, va, write, &y);
	if (x->reason == y.reason &&
	    (x->reason != FAULT_NONE || (x->target == y.target && x->linear == y.linear &&
					 x->attr == y.attr && x->tag == y.tag))) {
		e->checked = s->mmu->pt_gen;
		return;
	}
	e->reported = true;
	if (x->reason != FAULT_NONE)
		snprintf(was, sizeof(was), "fault %x", x->reason);
	else
		snprintf(was, sizeof(was), "memory %u:%010llx", x->target,
			 (unsigned long long)x->linear);
	snprintf(line, sizeof(line),
		 "VM engine %x used a stale TLB entry for %010llx of channel %08x: %s, but the "
		 "tables now say PDE %016llx PTE %016llx", eng, (unsigned long long)va,
		 s->mmu->vm[eng].chan, was, (unsigned long long)now.pde, (unsigned long long)now.pte);
	if (runs_beside_cpu(eng))
		defer(s, eng, "%s", line);
	else
		sim_violation(s, "%s", line);
}

static void report_pending(struct nvsim *s, struct sim_pending *p)
{
	if (p->line[0])
		sim_violation(s, "%s", p->line);

	p->line[0] = 0;
}

/* Count a submission to a channel. Report violations that no flush has dropped in time. */
void sim_mmu_submitted(struct nvsim *s, unsigned int chid)
{
	struct sim_pending *p;
	unsigned int i;

	for (i = 0; i < VMENG_COUNT; i++) {
		p = &s->mmu->vm[i].pending;
		if (p->line[0] && (p->chid == chid || p->chid == SIM_CHID_ANY) &&
		    ++p->submissions >= PENDING_SUBMISSIONS)
			report_pending(s, p);
	}
}

/* Report all pending violations, as at the end of the session. */
void sim_mmu_settle(struct nvsim *s)
{
	unsigned int i;

	for (i = 0; i < VMENG_COUNT; i++)
		report_pending(s, &s->mmu->vm[i].pending);
}

void nvsim_settle(struct nvsim *s)
{
	sim_mmu_settle(s);
}

/* An access to compressed memory. The walk has checked the PTE's mode, but not the object's. */
static void compressed(struct nvsim *s, enum sim_vmeng eng, struct sim_dmaobj *o,
		       const struct walk *w, u64 va, const struct xlat *x)
{
	const char *why;

	if (x->comp != (w->pte >> 47 & 3) && !o->reported) {
		why = bad_compression(s, w->pde, w->pte, x->comp);
		if (why)
			sim_violation(s, "PTE %016llx for %010llx, compression by its DMA object: %s",
				      (unsigned long long)w->pte, (unsigned long long)va, why);
		o->reported = why;
	}
	if (x->target == TGT_VRAM)
		use_tags(s, eng, x->tag, x->comp, x->linear);
}

/* Keep a walk for nvsim_get_lookups(). The CPU's own accesses are none of a program's. */
static void note_walk(struct nvsim *s, enum sim_vmeng eng, const struct sim_dmaobj *o, u64 va,
		      bool write, bool hit, const struct walk *w, const struct xlat *x)
{
	const struct sim_vmeng_state *vm = &s->mmu->vm[eng];
	struct nvsim_walk *seen = &s->seen.access;
	u32 target;

	if (eng == VMENG_BAR || eng == VMENG_PEEPHOLE)
		return;
	/* Slot 0 of PFIFO is the pushbuffer's. */
	if (eng == VMENG_PFIFO && o == &vm->obj[0])
		seen = &s->seen.fetch;

	*seen = (struct nvsim_walk) {
		.count = seen->count + 1,
		.engine = eng,
		.write = write,
		.tlb_hit = hit,
		.va = va,
		.pde = w->pde,
		.pte = w->pte,
		.reason = x->reason,
		.target = x->target,
		.linear = x->linear,
	};
	pde_location(s, vm->chan, va, &target, &seen->pde_at);
	pte_location(w->pde, va, &target, &seen->pte_at);
}

static void translate_paged(struct nvsim *s, enum sim_vmeng eng, struct sim_dmaobj *o, u64 va,
			    bool write, struct xlat *x)
{
	const u64 hits = s->st.tlb_hits;
	struct walk w;

	if (sim_quirk(s, NVSIM_QUIRK_PFIFO_TLB) && (eng == VMENG_PFIFO || eng == VMENG_SEM_BG))
		tlb_clear(&s->mmu->vm[eng].tlb);
	walk_tlb(s, eng, va, &w);
	finish(s, eng, o, &w, va, write, x);
	if (may_be_stale(s, &w))
		check_stale(s, eng, o, &w, va, write, x);
	note_walk(s, eng, o, va, write, s->st.tlb_hits != hits, &w, x);
	if (x->reason != FAULT_NONE)
		return;
	if (x->comp)
		compressed(s, eng, o, &w, va, x);
	x->pte = w.pte;
	pte_location(w.pde, va, &x->pte_target, &x->pte_addr);
}

/* Whether a table in host memory still has the last PTE of @o. The model sees no writes there. */
static bool table_is_same(struct nvsim *s, const struct sim_dmaobj *o)
{
	u8 raw[8];

	return !sim_peek(s, o->pte_target, o->pte_addr, raw, sizeof(raw)) && get_le64(raw) == o->pte;
}

/* The tag cells of 64 KiB of an unpaged object. The sources' formula has no factor for two cells. */
static void unpaged_tag(struct nvsim *s, enum sim_vmeng eng, const struct sim_dmaobj *o, u64 linear)
{
	u64 base = (u64)(o->w[5] & 0xffff) << 16, tag;
	u32 cells = o->w[0] >> 29 & 3;

	if (!cells || cells == COMP_USE_PTE || linear < base)
		return;

	if (sim_quirk(s, NVSIM_QUIRK_OBJECT_TAGS))
		cells = 1;

	tag = (o->w[4] & 0xfff) + ((linear - base) >> 16) * cells;
	if (tag + cells - 1 <= (o->w[4] >> 16 & 0xfff))
		use_tags(s, eng, tag, cells, linear);
}

static void translate_unpaged(struct nvsim *s, enum sim_vmeng eng, const struct sim_dmaobj *o,
			      u64 va, bool write, struct xlat *x)
{
	u32 target = o->w[0] >> 16 & 3, kind = o->w[0] >> 22 & 0x7f;

	x->reason = FAULT_NONE;
	x->pte_target = TGT_VRAM;
	x->target = target == 1 ? TGT_VRAM : target;
	x->linear = va;
	if (x->target == TGT_VRAM && sim_quirk(s, NVSIM_QUIRK_BANK_TYPES))
		x->linear = bank_address(s, kind, va);
	x->writable = (o->w[0] >> 18 & 3) != 1;
	if ((o->w[0] >> 20 & 3) == 2 && !has_supervisor_rights(s, eng, o))
		x->reason = FAULT_PAGE_SUPERVISOR_ONLY;
	else if (write && !x->writable)
		x->reason = FAULT_PAGE_READ_ONLY;
	else if (kind != KIND_USE_PTE && !kind_valid(s, kind))
		x->reason = FAULT_WRONG_MEMTYPE;
	else if (x->target == TGT_VRAM && (va & 0xffffffff) >= s->cfg.vram_size)
		x->reason = FAULT_VRAM_LIMIT;
	else if (x->target == TGT_VRAM)
		unpaged_tag(s, eng, o, va & 0xffffffff);
}

/* Whether the object's last page has @va, and its translation still holds */
static inline bool is_last_page(struct nvsim *s, enum sim_vmeng eng, const struct sim_dmaobj *o, u64 va,
				bool write)
{
	if (o->vpage != va >> 12 || o->stamp != s->mmu->stamp)
		return false;
	if (o->super != s->mmu->vm[eng].super || (write && !o->writable))
		return false;

	return o->pte_target == TGT_VRAM || table_is_same(s, o);
}

static int translate_in_full(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst,
			     u64 logical, bool write, struct xlat *x, u64 *va)
{
	struct sim_dmaobj *o;

	*va = logical & MASK40;
	if (!s->mmu->vm[eng].bound)
		return FAULT_NO_CHANNEL;
	if (!inst)
		return FAULT_NULL_DMAOBJ;
	o = get_dmaobj(s, eng, slot, inst);
	*va = (o->start + logical) & MASK40;
	if (*va > o->limit || (*va == o->limit && sim_quirk(s, NVSIM_QUIRK_DMAOBJ_LIMIT)))
		return FAULT_DMAOBJ_LIMIT;
	if (sim_fault_wanted(s, eng, *va))
		return FAULT_PAGE_NOT_PRESENT;

	if (is_last_page(s, eng, o, *va, write)) {
		x->target = o->target;
		x->linear = o->linear + (*va & 0xfff);
		return FAULT_NONE;
	}

	if (o->w[0] >> 16 & 3)
		translate_unpaged(s, eng, o, *va, write, x);
	else
		translate_paged(s, eng, o, *va, write, x);
	if (x->reason != FAULT_NONE)
		return x->reason;
	o->stamp = s->mmu->stamp;
	o->vpage = *va >> 12;
	o->linear = x->linear & ~0xfffull;
	o->pte = x->pte;
	o->pte_addr = x->pte_addr;
	o->pte_target = x->pte_target;
	o->target = x->target;
	o->writable = x->writable;
	o->super = s->mmu->vm[eng].super;
	return FAULT_NONE;
}

/* Translate the start of an access of at most a page. @va is the address for a fault's report. */
static inline int translate(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst,
			    u64 logical, bool write, struct xlat *x, u64 *va)
{
	const struct sim_dmaobj *o = &s->mmu->vm[eng].obj[slot];
	const u64 address = (o->start + logical) & MASK40;

	/* Most accesses are to the page of the one before, and no failure is requested. */
	if (o->inst == inst && address < o->limit && is_last_page(s, eng, o, address, write) &&
	    !sim_faults_requested(s) && !sim_quirk(s, NVSIM_QUIRK_DMAOBJ_READ)) {
		*va = address;
		x->target = o->target;
		x->linear = o->linear + (address & 0xfff);
		return FAULT_NONE;
	}

	return translate_in_full(s, eng, slot, inst, logical, write, x, va);
}

bool sim_vm_access(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst, u64 logical,
		   void *buf, unsigned int len, bool write)
{
	bool cpu = eng == VMENG_BAR || eng == VMENG_PEEPHOLE;
	u8 *p = buf;

	while (len) {
		struct xlat x;
		unsigned int n;
		u64 va;
		int reason;

		s->accesses++;
		if (!cpu)
			sim_delay_work(s, SIM_DELAY_MEMORY);

		reason = translate(s, eng, slot, inst, logical, write, &x, &va);

		if (reason != FAULT_NONE) {
			latch_fault(s, eng, slot, reason, va, write);
			return false;
		}
		n = 0x1000 - (va & 0xfff);
		if (n > len)
			n = len;
		if (write)
			sim_mem_write(s, x.target, x.linear, p, n, cpu);
		else
			sim_mem_read(s, x.target, x.linear, p, n, cpu);
		p += n;
		logical += n;
		len -= n;
	}
	return true;
}

bool sim_vm_reaches(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *at, bool write,
		    bool fault)
{
	struct xlat x;
	int reason;
	u64 va;

	reason = translate(s, eng, at->slot, at->inst, at->logical, write, &x, &va);
	if (reason == FAULT_NONE)
		return true;

	if (fault)
		latch_fault(s, eng, at->slot, reason, va, write);
	return false;
}

bool sim_vm_bytes(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *at, u32 stride, u8 *buf,
		  u32 n, bool write)
{
	const struct sim_dmaobj *o = &s->mmu->vm[eng].obj[at->slot];
	u64 logical = at->logical;

	while (n) {
		struct xlat x;
		u32 here;
		u64 va;
		int reason = translate(s, eng, at->slot, at->inst, logical, write, &x, &va);

		if (reason != FAULT_NONE) {
			latch_fault(s, eng, at->slot, reason, va, write);
			return false;
		}

		here = (u32)(0xfff - (va & 0xfff)) / stride + 1;
		if (here > n)
			here = n;

		/* Each byte is compared with the limit, and counted by a requested failure. */
		if (sim_faults_requested(s) || va + (u64)(here - 1) * stride >= o->limit)
			here = 1;

		s->accesses++;
		s->accesses += sim_mem_is_vram(s, x.target, x.linear) ? here / BYTES_AS_ACCESS : here;
		sim_delay_works(s, SIM_DELAY_MEMORY, here);
		if (write)
			sim_mem_write_bytes(s, x.target, x.linear, stride, buf, here);
		else
			sim_mem_read_bytes(s, x.target, x.linear, stride, buf, here);
		buf += here;
		logical += (u64)here * stride;
		n -= here;
	}

	return true;
}

/*
 * Find the pages of one side of a copy that follow each other in VRAM. @len: how many bytes are wanted;
 * out: how many there are, 0 if the first page is not in VRAM. A page that faults ends the run, but the
 * first one latches its fault: then the function returns false.
 */
static bool find_run(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *p, bool write,
		     unsigned int *len, int64_t *off)
{
	unsigned int size = *len, n;
	struct xlat x;
	u64 va;
	int reason = translate(s, eng, p->slot, p->inst, p->logical, write, &x, &va);

	if (reason != FAULT_NONE) {
		latch_fault(s, eng, p->slot, reason, va, write);
		return false;
	}

	*len = 0;
	n = 0x1000 - (va & 0xfff);
	*off = sim_vram_offset(s, x.target, x.linear, n);

	while (*off >= 0 && sim_vram_offset(s, x.target, x.linear, n) == *off + *len) {
		s->accesses++;
		sim_delay_work(s, SIM_DELAY_MEMORY);
		*len += n;
		if (*len >= size) {
			*len = size;
			break;
		}

		/* A requested failure counts translations, so a page that is not copied must have none. */
		if (sim_faults_requested(s) ||
		    translate(s, eng, p->slot, p->inst, p->logical + *len, write, &x, &va) != FAULT_NONE)
			break;
		n = 0x1000;
	}

	return true;
}

enum sim_copied sim_vm_copy(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *from,
			    const struct sim_place *to, unsigned int *len)
{
	unsigned int n = *len;
	int64_t in, out;

	if (!find_run(s, eng, from, false, &n, &in))
		return SIM_COPIED_FAULT_IN;
	if (!n)
		return SIM_COPIED_NOT;

	if (!find_run(s, eng, to, true, &n, &out))
		return SIM_COPIED_FAULT_OUT;
	if (!n)
		return SIM_COPIED_NOT;

	/* Sides that overlap are copied page by page, in the order of their addresses. */
	if (n > 0x1000 && in < out + n && out < in + n)
		n = 0x1000;

	sim_mem_write(s, TGT_VRAM, (u64)out, sim_vram_at(s, (u64)in), n, false);
	*len = n;

	return SIM_COPIED;
}

/*
 * Find the single bytes of one page, @stride apart. @n: how many are wanted; out: how many there are.
 * @off: out: the first one's offset in VRAM, -1 if they are elsewhere or need a look at each.
 * False after a fault, which the function latches.
 */
static bool find_bytes(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *p, u32 stride,
		       bool write, u32 *n, int64_t *off)
{
	const struct sim_dmaobj *o = &s->mmu->vm[eng].obj[p->slot];
	struct xlat x;
	u64 va, len;
	u32 here;
	int reason = translate(s, eng, p->slot, p->inst, p->logical, write, &x, &va);

	if (reason != FAULT_NONE) {
		latch_fault(s, eng, p->slot, reason, va, write);
		return false;
	}

	here = (u32)(0xfff - (va & 0xfff)) / stride + 1;
	if (*n > here)
		*n = here;

	len = (u64)(*n - 1) * stride + 1;
	*off = -1;
	if (va + len <= o->limit)
		*off = sim_vram_offset(s, x.target, x.linear, len);

	return true;
}

enum sim_copied sim_vm_copy_bytes(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *from,
				  u32 from_stride, const struct sim_place *to, u32 to_stride, u32 *n)
{
	u32 count = *n;
	u64 read, written;
	int64_t in, out;

	/* A requested failure counts the bytes. */
	if (sim_faults_requested(s))
		return SIM_COPIED_NOT;

	if (!find_bytes(s, eng, from, from_stride, false, &count, &in))
		return SIM_COPIED_FAULT_IN;
	if (!find_bytes(s, eng, to, to_stride, true, &count, &out))
		return SIM_COPIED_FAULT_OUT;

	/* Sides that overlap go by way of a buffer. */
	read = (u64)(count - 1) * from_stride + 1;
	written = (u64)(count - 1) * to_stride + 1;
	if (in < 0 || out < 0 || ((u64)in < (u64)out + written && (u64)out < (u64)in + read))
		return SIM_COPIED_NOT;

	s->accesses += 2 * (1 + count / BYTES_AS_ACCESS);
	sim_delay_works(s, SIM_DELAY_MEMORY, 2 * count);
	sim_vram_copy_bytes(s, (u64)out, to_stride, (u64)in, from_stride, count);
	*n = count;

	return SIM_COPIED;
}

bool sim_vm_fetch(struct nvsim *s, u16 inst, u64 logical, void *buf, unsigned int len)
{
	u8 *p = buf;

	while (len) {
		struct xlat x;
		unsigned int n;
		u64 va;
		int reason;

		s->accesses++;
		sim_delay_work(s, SIM_DELAY_MEMORY);
		reason = translate(s, VMENG_PFIFO, PUSH_SLOT, inst, logical, false, &x, &va);
		if (reason != FAULT_NONE) {
			latch_fault(s, VMENG_PFIFO, PUSH_SLOT, reason, va, false);
			return false;
		}

		n = 0x1000 - (va & 0xfff);
		if (n > len)
			n = len;

		/* A polled semaphore may see a write late. Commands must not. */
		if (!sim_mem_read_commands(s, x.target, x.linear, p, n))
			sim_violation(s, "PFIFO reads %010llx (VRAM), but a CPU write there "
					 "was followed by neither a BAR flush nor a read",
				      (unsigned long long)va);
		p += n;
		logical += n;
		len -= n;
	}

	return true;
}

bool sim_vm_prefetch(struct nvsim *s, u16 inst, u64 logical, void *buf, unsigned int len)
{
	u8 *p = buf;

	while (len) {
		struct xlat x;
		unsigned int n;
		u64 va;

		if (translate(s, VMENG_PFIFO, PUSH_SLOT, inst, logical, false, &x, &va) !=
		    FAULT_NONE)
			return false;
		n = 0x1000 - (va & 0xfff);
		if (n > len)
			n = len;
		sim_mem_read_commands(s, x.target, x.linear, p, n);
		p += n;
		logical += n;
		len -= n;
	}
	return true;
}

size_t sim_vm_block(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst, u64 logical,
		    void *buf, size_t len, bool write, bool *ok)
{
	struct xlat x;
	u64 va, last;
	size_t n;
	int reason = translate(s, eng, slot, inst, logical, write, &x, &va);

	n = 0x1000 - (va & 0xfff);
	if (n > len)
		n = len;
	*ok = reason == FAULT_NONE;
	if (!*ok) {
		latch_fault(s, eng, slot, reason, va, write);
		return n;
	}
	/* The card compares only the first byte of each access with the limit. */
	last = s->mmu->vm[eng].obj[slot].limit - sim_quirk(s, NVSIM_QUIRK_DMAOBJ_LIMIT);
	if (n > (last | 7) + 1 - va)
		n = (last | 7) + 1 - va;
	if (write)
		sim_mem_write(s, x.target, x.linear, buf, n, true);
	else
		sim_mem_read(s, x.target, x.linear, buf, n, true);
	return n;
}
