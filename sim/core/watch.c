// SPDX-License-Identifier: MIT
/*
 * --check-stores: DMA objects and PDEs that the CPU rewrites in place while the card uses them.
 *
 * A DMA object is six words and a PDE two, and PFIFO may load them between two stores of the CPU.
 * So after each store the structure must grant no more than before the change or after it.
 *
 * The model watches a place once the card has loaded it. A change begins with a store and ends with
 * the next BAR flush. Each state between is compared with both ends.
 */
#include <stdlib.h>

#include "core.h"
#include "engine.h"
#include "mem.h"
#include "mmu.h"
#include "pfifo.h"
#include "watch.h"

/* Structures that the card has loaded, by their place in VRAM */
struct sim_watch {
	u32 *page;		/* per 4 KiB: index + 1 of its first cell */
	struct sim_cell *cell;
	u32 count, room;
	bool dirty;
};

#define STATES	12
#define LONGEST	24

struct sim_cell {
	u64 off;		/* in VRAM */
	u32 chan;
	u16 inst;		/* of a DMA object */
	u8 len;			/* 24 for a DMA object, 8 for a PDE */
	bool dirty;
	u8 count;
	u32 next;		/* index + 1 of the next one in the same 4 KiB */
	u8 before[LONGEST];
	u8 state[STATES][LONGEST];
};

/* The memory and rights that a DMA object grants */
struct grant {
	bool paged, super;
	u32 target;
	u64 start, end;
	u32 access, user;	/* ranks: a higher one grants more */
};

static bool is_object(const struct sim_cell *c)
{
	return c->len == LONGEST;
}

static bool grant_of(const u8 *raw, struct grant *g)
{
	static const u8 access_rank[] = { 1, 0, 2, 2 }, user_rank[] = { 1, 2, 0, 2 };
	u32 w0 = get_le32(raw), w3 = get_le32(raw + 12);

	g->target = w0 >> 16 & 3;
	g->paged = !g->target;
	g->super = w0 >> 31;
	g->access = access_rank[w0 >> 18 & 3];
	g->user = user_rank[w0 >> 20 & 3];
	g->start = get_le32(raw + 8) | (u64)(w3 & 0xff) << 32;
	g->end = get_le32(raw + 4) | (u64)(w3 >> 24) << 32;
	return g->start <= g->end;
}

/* Whether @other grants all that @raw grants */
static bool covered(const u8 *raw, const u8 *other)
{
	struct grant a, b;

	if (!memcmp(raw, other, LONGEST) || !grant_of(raw, &a))
		return true;
	if (!grant_of(other, &b))
		return false;

	return a.target == b.target && a.start >= b.start && a.end <= b.end &&
	       a.access <= b.access && a.user <= b.user && a.super <= b.super;
}

/* Whether the PDE @raw is not present or points to the table of @other */
static bool same_table(const u8 *raw, const u8 *other)
{
	return !(raw[0] & 3) || get_le64(raw) == get_le64(other);
}

/*
 * Whether a unit has loaded the channel, or PFIFO may load it. BAR and PEEPHOLE do not count: only
 * the CPU uses them.
 */
static bool is_live(struct nvsim *s, u32 chan)
{
	static const u8 engines[] = { VMENG_PGRAPH, VMENG_PFIFO, VMENG_SEM_BG };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(engines); i++)
		if (sim_vm_is_bound(s, engines[i], chan))
			return true;

	return sim_channel_listed(s, chan);
}

static struct sim_cell *find(struct nvsim *s, u64 off)
{
	u32 i = s->watch->page[off >> 12];

	for (; i; i = s->watch->cell[i - 1].next)
		if (s->watch->cell[i - 1].off == off)
			return &s->watch->cell[i - 1];
	return NULL;
}

static struct sim_cell *add(struct nvsim *s, u64 off)
{
	struct sim_watch *w = s->watch;
	struct sim_cell *c;

	if (w->count == w->room) {
		u32 room = w->room ? w->room * 2 : 256;

		c = realloc(w->cell, room * sizeof(*c));
		if (!c)
			return NULL;
		w->cell = c;
		w->room = room;
	}

	c = &w->cell[w->count++];
	memset(c, 0, sizeof(*c));
	c->off = off;
	c->next = w->page[off >> 12];
	w->page[off >> 12] = w->count;
	return c;
}

static void loaded(struct nvsim *s, u32 target, u64 addr, size_t len, u32 chan, u16 inst)
{
	int64_t off = sim_vram_offset(s, target, addr, len);
	struct sim_cell *c;

	if (off < 0)
		return;

	c = find(s, off);
	if (!c)
		c = add(s, off);

	if (!c || c->dirty)
		return;

	c->chan = chan;
	c->inst = inst;
	c->len = len;
	memcpy(c->before, sim_vram_at(s, 0) + off, len);
}

/* With PFIFO frozen and PGRAPH idle no unit reads page directories. */
static bool may_be_read(struct nvsim *s, const struct sim_cell *c)
{
	return is_object(c) || !sim_pfifo_frozen(s) || !sim_engine_idle(s, 1);
}

static void stored(struct nvsim *s, u64 off, size_t len)
{
	struct sim_watch *w = s->watch;
	u64 page;

	for (page = off >> 12; page <= (off + len - 1) >> 12; page++) {
		u32 i = w->page[page];

		for (; i; i = w->cell[i - 1].next) {
			struct sim_cell *c = &w->cell[i - 1];

			if (off >= c->off + c->len || off + len <= c->off)
				continue;
			c->dirty = true;
			w->dirty = true;
			if (c->count < STATES && may_be_read(s, c))
				memcpy(c->state[c->count++], sim_vram_at(s, 0) + c->off, c->len);
		}
	}
}

static bool harmless(const struct sim_cell *c, const u8 *state, const u8 *after)
{
	if (is_object(c))
		return covered(state, c->before) || covered(state, after);
	return same_table(state, c->before) || same_table(state, after);
}

static void end_of_change(struct nvsim *s, struct sim_cell *c)
{
	const u8 *after = sim_vram_at(s, 0) + c->off;
	u32 i;

	for (i = 0; i < c->count; i++) {
		if (harmless(c, c->state[i], after))
			continue;
		if (is_live(s, c->chan))
			sim_violation(s, "%s at VRAM %llx of channel %08x: between two stores it was "
					 "%08x %08x..., which grants more than before or after",
				      is_object(c) ? "DMA object" : "PDE",
				      (unsigned long long)c->off, c->chan, get_le32(c->state[i]),
				      get_le32(c->state[i] + 4));
		break;
	}

	memcpy(c->before, after, c->len);
	c->count = 0;
	c->dirty = false;
}

static void flushed(struct nvsim *s)
{
	struct sim_watch *w = s->watch;
	u32 i;

	if (!w->dirty)
		return;

	for (i = 0; i < w->count; i++)
		if (w->cell[i].dirty)
			end_of_change(s, &w->cell[i]);

	w->dirty = false;
}

static const struct sim_mem_observer observer = {
	.loaded = loaded,
	.stored = stored,
	.flushed = flushed,
};

int sim_watch_create(struct nvsim *s)
{
	if (!s->cfg.check_stores)
		return 0;

	s->watch = calloc(1, sizeof(*s->watch));
	if (!s->watch)
		return -1;

	s->watch->page = calloc(s->cfg.vram_size >> 12, sizeof(*s->watch->page));
	if (!s->watch->page)
		return -1;

	sim_mem_observe(s, &observer);
	return 0;
}

void sim_watch_destroy(struct nvsim *s)
{
	if (!s->watch)
		return;

	free(s->watch->page);
	free(s->watch->cell);
	free(s->watch);
}
