// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page directories and TLB flushes from the card's side.
 *
 * After every store to a directory or a table, a walker reads the directories in the fake card's
 * VRAM and their page tables. An address must lead to its old page, to its new page, or nowhere.
 * Nowhere is right only if the address gets another page, or has none before or after.
 *
 * The walker reads the card's words, not the driver's copy, and looks after each of the two words
 * of an entry.
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include "chipsets.h"
#include "fake.h"
#include "nvfifo_vm.h"
#include "walk.h"

/* Regions of the address space that have a reference: neighbours, with all bits in use. */
#define REGIONS		3
#define FIRST_PDE	0x2a5u
#define REGION		BIT_ULL(29)
#define REGION_PAGES	((u32)BIT(17))
#define VA_START	(FIRST_PDE * REGION)
#define PAGES		(REGIONS * REGION_PAGES)

#define CHANS		3
#define CHAN_SPACING	SZ_64K
#define SEEN_MAX	64

/* Pages on each side of a change that are checked, too */
#define NEIGHBOURS	256u

enum mmu_call {
	CALL_NONE,	/* nothing may change */
	CALL_TABLES,	/* other tables, same translations */
	CALL_PAGES,	/* other pages */
};

/**
 * struct mmu - An address space under watch
 * @test: the running test
 * @card: the card
 * @vm: the address space
 * @chans: channels, their structures in the card's VRAM
 * @attached: the channel runs in the address space
 * @changes: planned, and not installed
 * @call: changes that the running call may make
 * @old: each page of 4 KiB before the running change: a PTE in no block
 * @new: and after it
 * @either: pages may be as before the running change, or as after it
 * @mapped: of a region's pages in @old, how many are there
 * @comp: and how many of them are compressed
 * @stay: how many are there before and after the running change
 * @type: pages of the region, while it has any
 * @before: PDEs when the last flush was over, or before it, of the regions
 * @seen: values of PDEs that were visible since
 * @seens: number of them
 * @pd_stores: stores to directories in the running call
 * @absent: of a region with pages, in all calls
 * @changed: values of its PDE, in all calls
 * @gone: of a region without pages, in all calls
 * @gaps: looks at pages that were absent on the way to another one, in all calls
 * @filled: the table that is being filled, and that the card does not know
 * @table_stores: stores to tables, in all calls
 * @stored_at: accesses in the card's log at the last store to a table
 * @wrong: mistakes
 * @what: the first
 */
struct mmu {
	struct kunit *test;
	struct nvfifo_test_card *card;
	struct nvfifo_vm *vm;
	struct nvfifo_chan *chans[CHANS];
	bool attached[CHANS];
	struct list_head changes;
	enum mmu_call call;
	u64 *old;
	u64 *new;
	bool either;
	u32 mapped[REGIONS];
	u32 comp[REGIONS];
	u32 stay[REGIONS];
	u8 type[REGIONS];
	u64 before[REGIONS];
	struct {
		u32 index;
		u64 pde;
	} seen[SEEN_MAX];
	u32 seens;
	u32 pd_stores;
	u32 absent;
	u32 changed;
	u32 gone;
	u32 gaps;
	const struct nvfifo_table *filled;
	u32 table_stores;
	u32 stored_at;
	u32 wrong;
	char what[96];
};

static __printf(2, 3) void wrong(struct mmu *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!m->wrong++)
		vsnprintf(m->what, sizeof(m->what), fmt, args);
	va_end(args);
}

static void expect_right(struct mmu *m)
{
	KUNIT_ASSERT_EQ_MSG(m->test, m->wrong, 0, "%s", m->what);
}

/* --- The card's eyes ----------------------------------------------------- */

static u64 pd_address(const struct mmu *m, u32 chan)
{
	return m->chans[chan]->inst.addr + (m->card->ndev.chip->g84 ? 0x200 : 0x1400);
}

/* A PDE in the card's memory; 0 if it is not present. */
static u64 read_pde(const struct mmu *m, u32 chan, u32 index)
{
	u64 addr = pd_address(m, chan) + index * 8;
	u64 pde = nvfifo_test_vram(m->card, addr);

	pde |= (u64)nvfifo_test_vram(m->card, addr + 4) << 32;
	return pde & 3 ? pde : 0;
}

static u64 table_pde(const struct nvfifo_table *table)
{
	u64 size = table->pt.type == 3 ? table->pt.size : 0;

	return table->inst.addr | size << 5 | table->pt.type;
}

/* An entry as the card reads it. */
static u64 table_entry(const struct mmu *m, const struct nvfifo_table *table, u32 index)
{
	u64 addr = table->inst.addr + index * 8;

	return (u64)nvfifo_test_vram(m->card, addr + 4) << 32 | nvfifo_test_vram(m->card, addr);
}

/* The PDE that the driver should have written */
static u64 want_pde(const struct mmu *m, u32 index)
{
	const struct nvfifo_table *table = m->vm->regions[index].table;

	return table ? table_pde(table) : 0;
}

/* The table of a PDE, if it is not freed */
static const struct nvfifo_table *pde_table(const struct mmu *m, u64 pde)
{
	struct nvfifo_table *table;
	u32 i;

	if (!pde)
		return NULL;

	for (i = 0; i < REGIONS; i++) {
		table = m->vm->regions[FIRST_PDE + i].table;
		if (table && table_pde(table) == pde)
			return table;
	}

	list_for_each_entry(table, &m->vm->retired, link)
		if (table_pde(table) == pde)
			return table;

	return NULL;
}

static u32 pde_shift(u64 pde)
{
	static const u32 shifts[] = { 16, 16, 14, 12 };

	return shifts[pde & 3];
}

/* The number of entries that the card reads; after them it faults with PT_TOO_SHORT. */
static u32 pde_entries(u64 pde)
{
	static const u32 small[] = { 0x20000, 0x8000, 0x4000, 0x2000 };
	static const u32 entries[] = { 0, 0x2000, 0x8000 };

	return (pde & 3) == 3 ? small[pde >> 5 & 3] : entries[pde & 3];
}

/* The target of a page of 4 KiB through a PDE and its table, as a PTE in no block. */
static u64 translate(const struct mmu *m, u64 pde, const struct nvfifo_table *table, u32 page)
{
	u32 shift = pde_shift(pde), index = page % REGION_PAGES >> (shift - 12);
	u64 pte;

	if (!table || index >= pde_entries(pde))
		return 0;
	pte = nvfifo_test_page(table_entry(m, table, index), shift, index);
	return pte ? pte + ((u64)(page & ((1u << (shift - 12)) - 1)) << 12) : 0;
}

static bool any_attached(const struct mmu *m)
{
	u32 c;

	for (c = 0; c < CHANS; c++)
		if (m->attached[c])
			return true;
	return false;
}

/* A table that the card is told of: is all of it there? */
static void table_arrives(struct mmu *m, u64 pde)
{
	const struct nvfifo_table *table;
	u32 bar = m->card->ndev.chip->g84 ? 0x70000 : 0x330c;

	list_for_each_entry(table, &m->changes, link)
		if (table->pt.type && table_pde(table) == pde &&
		    nvfifo_test_find(m->card, true, bar, m->stored_at) < 0)
			wrong(m, "no BAR flush between a new table and its PDE");
}

static void watch_table(struct mmu *m, u64 addr);

/* After each store to VRAM. */
static void watch_vram(struct nvfifo_test_card *card, u64 addr)
{
	struct mmu *m = card->priv;
	u32 chan = (addr - NVFIFO_TEST_VRAM) / CHAN_SPACING;
	u64 off, pde;
	u32 index, r, i;

	if (chan >= CHANS) {
		watch_table(m, addr);
		return;
	}

	off = addr - pd_address(m, chan);
	if (off >= 0x4000)
		return;

	m->pd_stores++;
	m->filled = NULL;
	index = off / 8;
	pde = read_pde(m, chan, index);
	r = index - FIRST_PDE;
	if (!m->attached[chan])
		r = REGIONS;

	if (!pde) {
		m->gone += r < REGIONS && !m->stay[r];
		m->absent += r < REGIONS && m->stay[r];
		if (r < REGIONS && m->stay[r])
			wrong(m, "PDE %x is absent, but the region has pages", index);
		return;
	}

	m->changed += r < REGIONS && m->stay[r];
	table_arrives(m, pde);

	for (i = 0; i < m->seens; i++)
		if (m->seen[i].index == index && m->seen[i].pde == pde)
			return;
	if (m->seens == SEEN_MAX) {
		wrong(m, "too many values of PDEs");
		return;
	}

	m->seen[m->seens].index = index;
	m->seen[m->seens++].pde = pde;
}

static bool known(const struct mmu *m, u64 pde)
{
	u32 c, r;

	for (c = 0; c < CHANS; c++)
		for (r = 0; r < REGIONS; r++)
			if (m->attached[c] && read_pde(m, c, FIRST_PDE + r) == pde)
				return true;
	return false;
}

/* Look at an entry of a page table, after a store to it. */
static void watch_entry(struct mmu *m, struct nvfifo_table *table, u32 index)
{
	u64 pte = table_entry(m, table, index), to;
	u32 shift = pde_shift(table->pt.type), pages = nvfifo_test_block(pte);
	u32 first = index & ~(pages - 1), r, i, page;

	/* A new table is filled before a PDE points to it. */
	if (m->call != CALL_PAGES) {
		if (known(m, table_pde(table)))
			wrong(m, "store to entry %x of a table that the card knows", index);
		return;
	}

	for (r = 0; r < REGIONS; r++)
		if (m->vm->regions[FIRST_PDE + r].table == table)
			break;

	if (r == REGIONS) {
		wrong(m, "store to entry %x of a table that is not in use", index);
		return;
	}

	for (i = first; i < first + pages; i++) {
		page = r * REGION_PAGES + (i << (shift - 12));
		to = nvfifo_test_page(pte, shift, i);

		/* A page may be absent on the way to another one. */
		if (!to && m->old[page] && m->new[page] && m->old[page] != m->new[page])
			m->gaps++;
		else if (to != m->old[page] && to != m->new[page])
			wrong(m, "entry %x leads page %x to a third one", index, page);
	}
}

static struct nvfifo_table *holds(struct nvfifo_table *table, u64 addr)
{
	return table && addr - table->inst.addr < table->pt.count * 8 ? table : NULL;
}

/* The table that has this address. */
static struct nvfifo_table *vram_table(const struct mmu *m, u64 addr)
{
	struct nvfifo_table *table;
	u32 i;

	for (i = 0; i < REGIONS; i++) {
		table = holds(m->vm->regions[FIRST_PDE + i].table, addr);
		if (table)
			return table;
	}

	list_for_each_entry(table, &m->changes, link)
		if (holds(table, addr))
			return table;

	list_for_each_entry(table, &m->vm->retired, link)
		if (holds(table, addr))
			return table;

	return NULL;
}

/* After each store to VRAM that is not a channel's: to a page table. */
static void watch_table(struct mmu *m, u64 addr)
{
	struct nvfifo_table *table = vram_table(m, addr);

	m->table_stores++;
	m->stored_at = m->card->logged;
	if (!table) {
		wrong(m, "store to %llx, which is in no table", addr);
		return;
	}

	if (m->call == CALL_PAGES || m->filled != table)
		watch_entry(m, table, (addr - table->inst.addr) / 8);
	if (m->call != CALL_PAGES)
		m->filled = table;
}

static u64 page_va(u32 page)
{
	return VA_START + ((u64)page << 12);
}

static u64 comp_of(u64 pte)
{
	return pte & 3ULL << 47;
}

/* --- Calls --------------------------------------------------------------- */

static void call_begins(struct mmu *m, enum mmu_call call)
{
	m->call = call;
	m->pd_stores = 0;
	m->seens = 0;
	m->filled = NULL;
	nvfifo_test_forget(m->card);
}

/*
 * Each PDE that was visible is the one before or the one after the call. A call that failed may
 * also have shown an empty table that came and went again.
 */
static void pds_check(struct mmu *m)
{
	u32 i, c, r;

	for (i = 0; i < m->seens; i++)
		if (m->seen[i].pde != want_pde(m, m->seen[i].index) &&
		    !pde_table(m, m->seen[i].pde))
			wrong(m, "PDE %x was %llx for a moment", m->seen[i].index, m->seen[i].pde);

	for (c = 0; c < CHANS; c++)
		for (r = 0; m->attached[c] && r < REGIONS; r++)
			if (read_pde(m, c, FIRST_PDE + r) != want_pde(m, FIRST_PDE + r))
				wrong(m, "channel %u has another PDE %x", c, FIRST_PDE + r);
}

static void call_ends(struct mmu *m)
{
	pds_check(m);
	m->call = CALL_NONE;
	expect_right(m);
}

/* The card's translation: through the directories now, or through PDEs that it kept. */
static void expect_pages(struct mmu *m, u32 first, u32 end, bool stale)
{
	const struct nvfifo_table *table = NULL, *old_table = NULL;
	struct nvfifo_walk w;
	u64 to, pde = 0, old_pde = 0;
	u32 page, r;

	first = first > NEIGHBOURS ? first - NEIGHBOURS : 0;
	end = min(end + NEIGHBOURS, PAGES);

	for (page = first; page < end; page++) {
		if (page == first || page % REGION_PAGES == 0) {
			r = page / REGION_PAGES;
			pde = want_pde(m, FIRST_PDE + r);
			table = m->vm->regions[FIRST_PDE + r].table;
			old_pde = stale ? m->before[r] : 0;
			old_table = pde_table(m, old_pde);
			KUNIT_ASSERT_EQ_MSG(m->test, !old_table, !old_pde, "table of %llx is gone",
					    old_pde);
		}

		to = translate(m, pde, table, page);
		if (!m->either || to != m->old[page])
			KUNIT_ASSERT_EQ_MSG(m->test, to, m->new[page], "page %#x", page);
		if (page % 5 == 0) {
			KUNIT_ASSERT_EQ_MSG(m->test, nvfifo_mmu_walk(m->vm, page_va(page) + 0x123,
								     &w), to != 0,
					    "page %#x", page);
			if (to)
				KUNIT_ASSERT_EQ_MSG(m->test, w.linear, (to & 0xfffffff000) + 0x123,
						    "page %#x", page);
		}

		if (!old_pde)
			continue;
		to = translate(m, old_pde, old_table, page);
		KUNIT_ASSERT_TRUE_MSG(m->test, to == m->old[page] || to == m->new[page],
				      "page %#x through a stale PDE", page);
	}

	expect_right(m);
}

static void pde_snapshot(struct mmu *m)
{
	u32 r;

	for (r = 0; r < REGIONS; r++)
		m->before[r] = want_pde(m, FIRST_PDE + r);
}

/*
 * The flush after a change: a BAR flush, then one flush of each engine that uses the address space.
 * Another test checks PGRAPH's procedure.
 */
static void expect_flush(struct mmu *m)
{
	u32 bar = m->card->ndev.chip->g84 ? 0x70000 : 0x330c;
	unsigned long engines = m->vm->engines;
	bool barred = false;
	u32 i;

	for (i = 0; i < m->card->logged; i++) {
		const struct nvfifo_test_access *a = &m->card->log[i];

		if (a->write && a->reg == bar) {
			KUNIT_EXPECT_EQ(m->test, engines, m->vm->engines);
			KUNIT_EXPECT_FALSE(m->test, barred);
			barred = true;
		}

		if (a->write && a->reg == 0x100c80) {
			KUNIT_EXPECT_EQ(m->test, a->val & 0xffff, 1);
			KUNIT_EXPECT_TRUE_MSG(m->test, engines & BIT(a->val >> 16),
					      "engine %x is flushed once too often", a->val >> 16);
			engines &= ~BIT(a->val >> 16);
		}
	}

	KUNIT_EXPECT_EQ_MSG(m->test, engines, 0, "not flushed");
	KUNIT_EXPECT_TRUE_MSG(m->test, barred, "no BAR flush");
}

static int flush(struct mmu *m)
{
	int ret;

	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->pt_lock);
	ret = nvfifo_mmu_flush(m->vm);
	mutex_unlock(&m->vm->pt_lock);
	KUNIT_EXPECT_EQ(m->test, m->pd_stores, 0);
	call_ends(m);
	return ret;
}

/* Flush after a change of these pages, and update the reference. */
static void flush_ends(struct mmu *m, u32 first, u32 end)
{
	u32 page, r;

	expect_pages(m, first, end, true);
	KUNIT_ASSERT_EQ(m->test, flush(m), 0);
	if (any_attached(m))
		expect_flush(m);
	else
		KUNIT_EXPECT_EQ_MSG(m->test, m->card->logged, 0, "flush without a channel");

	KUNIT_EXPECT_TRUE(m->test, list_empty(&m->vm->retired));

	for (page = first; page < end; page++) {
		r = page / REGION_PAGES;
		m->mapped[r] += !!m->new[page] - !!m->old[page];
		m->comp[r] += !!comp_of(m->new[page]) - !!comp_of(m->old[page]);
		m->old[page] = m->new[page];
	}

	for (r = 0; r < REGIONS; r++)
		m->stay[r] = m->mapped[r];

	pde_snapshot(m);
}

static void attach(struct mmu *m, u32 c)
{
	u32 i;

	KUNIT_ASSERT_FALSE(m->test, m->attached[c]);

	for (i = 0; i < 0x800; i++)
		KUNIT_ASSERT_EQ(m->test, read_pde(m, c, i), 0);

	call_begins(m, CALL_TABLES);
	nvfifo_mmu_attach(m->vm, m->chans[c]);
	m->attached[c] = true;
	call_ends(m);

	for (i = 0; i < 0x800; i++)
		KUNIT_ASSERT_EQ(m->test, read_pde(m, c, i), want_pde(m, i));
}

static void detach(struct mmu *m, u32 c)
{
	call_begins(m, CALL_NONE);
	nvfifo_mmu_detach(m->vm, m->chans[c]);
	KUNIT_EXPECT_EQ(m->test, m->pd_stores, 0);

	m->attached[c] = false;
	call_ends(m);

	/* The next channel gets cleared memory. */
	nvfifo_vram_fill(&m->card->ndev, pd_address(m, c), 0x4000, 0);
}

/* The expected result of planning; smaller pages have the larger type. */
static int plan_model(struct mmu *m, u32 first, u32 end, u8 type, u64 pte, bool strict)
{
	u32 r;

	for (r = first / REGION_PAGES; r <= (end - 1) / REGION_PAGES; r++) {
		u8 want = type;

		if (m->mapped[r] && type < m->type[r]) {
			if (strict || comp_of(pte))
				return -EBUSY;
			want = m->type[r];
		}

		if (m->mapped[r] && type > m->type[r] && m->comp[r])
			return -EBUSY;
		m->type[r] = want;
	}

	return 0;
}

/* A plan changes nothing that the card sees. */
static void plan_ends(struct mmu *m)
{
	KUNIT_EXPECT_EQ(m->test, m->pd_stores, 0);
	KUNIT_EXPECT_EQ(m->test, m->card->logged, 0);
	call_ends(m);
}

static int plan(struct mmu *m, u32 first, u32 end, u8 type, u64 pte, bool strict)
{
	int ret;

	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->lock);
	ret = nvfifo_mmu_plan_map(m->vm, page_va(first), (u64)(end - first) << 12, type, pte,
				  strict, &m->changes);
	mutex_unlock(&m->vm->lock);
	plan_ends(m);
	KUNIT_ASSERT_EQ_MSG(m->test, ret, plan_model(m, first, end, type, pte, strict),
			    "from %#x to %#x, type %u", first, end, type);

	return ret;
}

/* A place to cut at, if it is inside of a mapping. */
static int plan_cut(struct mmu *m, u32 page)
{
	u32 r = page / REGION_PAGES;
	int ret, want = 0;

	if (!page || page == PAGES || !m->old[page - 1] || !m->old[page])
		return 0;

	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->lock);
	ret = nvfifo_mmu_plan_cut(m->vm, page_va(page), &m->changes);
	mutex_unlock(&m->vm->lock);
	plan_ends(m);
	if (page % (1u << (pde_shift(m->type[r]) - 12))) {
		if (m->comp[r])
			want = -EBUSY;
		else
			m->type[r] = NVFIFO_PT_4K;
	}

	KUNIT_ASSERT_EQ_MSG(m->test, ret, want, "at %#x", page);

	return ret;
}

/* The mappings of a range will go, extent by extent. */
static void plan_unmap(struct mmu *m, u32 first, u32 end)
{
	u32 at, n;

	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->lock);

	for (at = first; at < end; at += n) {
		for (n = 1; at + n < end && !m->old[at] == !m->old[at + n] &&
		     comp_of(m->old[at]) == comp_of(m->old[at + n]); n++)
			;
		if (m->old[at])
			nvfifo_mmu_plan_unmap(m->vm, page_va(at), (u64)n << 12,
					      comp_of(m->old[at]), &m->changes);
	}

	mutex_unlock(&m->vm->lock);
	plan_ends(m);
}

static void plan_undo(struct mmu *m)
{
	u32 r;

	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->lock);
	nvfifo_mmu_plan_undo(m->vm, &m->changes);
	mutex_unlock(&m->vm->lock);
	plan_ends(m);
	KUNIT_EXPECT_TRUE(m->test, list_empty(&m->changes));

	/* The undone plan must be the installed state. */
	for (r = 0; r < REGIONS; r++) {
		const struct nvfifo_region *region = &m->vm->regions[FIRST_PDE + r];

		KUNIT_EXPECT_EQ(m->test, region->type, region->table ? region->table->pt.type : 0);
		KUNIT_EXPECT_EQ(m->test, region->size, region->table ? region->table->pt.size : 0);
		m->type[r] = region->type;
	}
}

/* Tables change. Pages do not, but for those that go with their table. */
static void install(struct mmu *m, u32 first, u32 end)
{
	u32 r;

	call_begins(m, CALL_TABLES);
	mutex_lock(&m->vm->pt_lock);
	KUNIT_ASSERT_EQ(m->test, nvfifo_mmu_install(m->vm, &m->changes), 0);

	mutex_unlock(&m->vm->pt_lock);
	call_ends(m);
	m->either = true;

	for (r = 0; r < REGIONS; r++)
		if (want_pde(m, FIRST_PDE + r) != m->before[r]) {
			expect_pages(m, first, end, true);
			break;
		}

	m->either = false;
}

/* Both, or nothing. */
static int prepare(struct mmu *m, u32 first, u32 end, u8 type, u64 pte, bool strict)
{
	int ret = plan(m, first, end, type, pte, strict);

	if (ret) {
		plan_undo(m);
		m->pd_stores = 0;
		return ret;
	}

	install(m, first, end);
	nvfifo_mmu_changes_free(m->vm, &m->changes);

	return 0;
}

static int cut(struct mmu *m, u32 page)
{
	int ret = plan_cut(m, page);

	if (ret) {
		plan_undo(m);
		return ret;
	}

	install(m, page, page);
	nvfifo_mmu_changes_free(m->vm, &m->changes);
	return 0;
}

static void will_map(struct mmu *m, u32 first, u32 end, u64 pte)
{
	u32 i;

	for (i = 0; i < end - first; i++)
		m->new[first + i] = pte + ((u64)i << 12) + ((i >> 4) * (pte >> 47 & 3) << 49);
}

static void commit_begins(struct mmu *m, u32 first, u32 end)
{
	plan_unmap(m, first, end);
	install(m, first, end);
	call_begins(m, CALL_PAGES);
	mutex_lock(&m->vm->pt_lock);
}

static void commit_ends(struct mmu *m, u32 first, u32 end)
{
	mutex_unlock(&m->vm->pt_lock);
	KUNIT_EXPECT_EQ(m->test, m->pd_stores, 0);
	KUNIT_EXPECT_EQ(m->test, m->card->logged, 0);

	call_ends(m);
	flush_ends(m, first, end);
	nvfifo_mmu_changes_free(m->vm, &m->changes);
	KUNIT_EXPECT_TRUE(m->test, list_empty(&m->changes));
}

/* Write the planned PTEs, and flush. */
static void map(struct mmu *m, u32 first, u32 end, u64 pte)
{
	commit_begins(m, first, end);
	will_map(m, first, end, pte);
	nvfifo_mmu_write(m->vm, page_va(first), (u64)(end - first) << 12, pte, NULL);
	commit_ends(m, first, end);
}

/* Pages of 4 KiB that are anywhere. */
static void map_pages(struct mmu *m, u32 first, u32 end, u64 pte, const u64 *addresses)
{
	u32 i;

	commit_begins(m, first, end);
	for (i = 0; i < end - first; i++)
		m->new[first + i] = pte + addresses[i];
	nvfifo_mmu_write(m->vm, page_va(first), (u64)(end - first) << 12, pte, addresses);
	commit_ends(m, first, end);
}

/* Unmap a range, which may cut mappings at its ends, and flush. */
static void unmap(struct mmu *m, u32 first, u32 end)
{
	u32 at, n;

	memset(&m->new[first], 0, (end - first) * sizeof(*m->new));

	for (at = first; at < end; at++)
		m->stay[at / REGION_PAGES] -= !!m->old[at];

	commit_begins(m, first, end);

	for (at = first; at < end; at += n + 1) {
		for (n = 0; at + n < end && m->old[at + n]; n++)
			;
		if (n)
			nvfifo_mmu_write(m->vm, page_va(at), (u64)n << 12, 0, NULL);
	}

	commit_ends(m, first, end);
}

#define HEAP	SZ_4M

/* @heap: bytes of instance memory for page tables */
static struct mmu *mmu_new_in(struct kunit *test, u32 chipset, u32 heap)
{
	struct mmu *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 c;

	KUNIT_ASSERT_NOT_NULL(test, m);

	m->test = test;
	m->card = nvfifo_test_card(test, chipset);
	nvfifo_test_heap(m->card, heap);
	m->card->priv = m;
	m->card->on_store = watch_vram;
	m->old = kunit_kcalloc(test, PAGES, sizeof(*m->old), GFP_KERNEL);
	m->new = kunit_kcalloc(test, PAGES, sizeof(*m->new), GFP_KERNEL);
	m->vm = kunit_kzalloc(test, sizeof(*m->vm), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, m->old && m->new && m->vm);

	INIT_LIST_HEAD(&m->changes);
	mutex_init(&m->vm->lock);
	nvfifo_mmu_init(m->vm, &m->card->ndev);

	for (c = 0; c < CHANS; c++) {
		m->chans[c] = kunit_kzalloc(test, sizeof(*m->chans[c]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, m->chans[c]);
		m->chans[c]->ndev = &m->card->ndev;
		m->chans[c]->vm = m->vm;
		m->chans[c]->inst.addr = NVFIFO_TEST_VRAM + c * CHAN_SPACING;
		nvfifo_vram_fill(&m->card->ndev, m->chans[c]->inst.addr, CHAN_SPACING, 0);
	}

	m->wrong = 0;

	return m;
}

static struct mmu *mmu_new(struct kunit *test, u32 chipset)
{
	return mmu_new_in(test, chipset, HEAP);
}

static void mmu_end(struct mmu *m)
{
	u32 c;

	expect_right(m);

	for (c = 0; c < CHANS; c++)
		if (m->attached[c])
			detach(m, c);

	nvfifo_mmu_free_tables(m->vm);
	KUNIT_EXPECT_TRUE(m->test, list_empty(&m->vm->retired));
	mutex_destroy(&m->vm->lock);
	mutex_destroy(&m->vm->pt_lock);
}

/* --- Random changes ------------------------------------------------------ */

struct mmu_random {
	u32 chipset;
	const char *name;
	bool crowded;	/* four other regions keep empty tables: no more are kept */
};

/* Tables are cleared and filled word by word here, which takes long. */
#define RANDOM_STEPS	300

static const struct mmu_random mmu_randoms[] = {
	{ 0x50, "G80", true },
	{ 0x84, "G84", true },
	{ 0xa3, "GT215", true },
};

static void mmu_random_desc(const struct mmu_random *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mmu_random, mmu_randoms, mmu_random_desc);

static u64 random_pte(struct rnd_state *rnd, u8 type, u32 count)
{
	static const u8 targets[] = {
		NVFIFO_TARGET_VRAM, NVFIFO_TARGET_SYS_SNOOP, NVFIFO_TARGET_SYS_NOSNOOP,
	};
	u32 shift = pde_shift(type);
	struct nvfifo_pte pte = {
		.present = true,
		.address = (nvfifo_test_rnd64(rnd) & 0x7fffffffff) >> shift << shift,
		.read_only = prandom_u32_state(rnd) & 1,
		.supervisor = prandom_u32_state(rnd) & 1,
		.kind = prandom_u32_state(rnd) & 1 ? 0x70 : 0,
	};

	if (type == NVFIFO_PT_4K)
		pte.target = targets[nvfifo_test_below(rnd, ARRAY_SIZE(targets))];

	if (type == NVFIFO_PT_64K && prandom_u32_state(rnd) % 4 == 0) {
		pte.comp = 1 + prandom_u32_state(rnd) % 2;
		pte.tag = nvfifo_test_below(rnd, 0x1000 - pte.comp * count);
	}

	return nvfifo_pte_encode(&pte);
}

static u32 random_page(struct rnd_state *rnd)
{
	u32 page = nvfifo_test_below(rnd, REGIONS) * REGION_PAGES;

	switch (nvfifo_test_below(rnd, 8)) {
	case 0:
		return page + nvfifo_test_below(rnd, REGION_PAGES);
	case 1:
		return page + REGION_PAGES - 1 - nvfifo_test_below(rnd, 600);
	default:
		return page + nvfifo_test_below(rnd, 6000);
	}
}

static void random_map(struct mmu *m, struct rnd_state *rnd, u32 *refused)
{
	static const u8 types[] = { NVFIFO_PT_4K, NVFIFO_PT_64K, NVFIFO_PT_64K, NVFIFO_PT_16K };
	u8 type = types[nvfifo_test_below(rnd, m->card->ndev.chip->id == 0xa3 ? 4 : 3)];
	u32 unit = 1u << (pde_shift(type) - 12), count = 1 + nvfifo_test_below(rnd, 200);
	u32 first = random_page(rnd) & ~(unit - 1), end = min(first + count * unit, PAGES);
	u64 pte = random_pte(rnd, type, count);

	if (plan_cut(m, first) || plan_cut(m, end) ||
	    plan(m, first, end, type, pte, prandom_u32_state(rnd) % 4 == 0)) {
		(*refused)++;
		plan_undo(m);
	} else if (type == NVFIFO_PT_4K && prandom_u32_state(rnd) % 2) {
		static u64 addresses[200];
		u32 i;

		for (i = 0; i < count; i++)
			addresses[i] = nvfifo_test_rnd64(rnd) & 0xfffffff000;
		map_pages(m, first, end, pte & ~0xfffffff000ULL, addresses);
	} else {
		map(m, first, end, pte);
	}
}

static void random_unmap(struct mmu *m, struct rnd_state *rnd, u32 *refused)
{
	u32 first = random_page(rnd), end;

	if (nvfifo_test_below(rnd, 8) == 0) {
		first = first / REGION_PAGES * REGION_PAGES;
		end = first + REGION_PAGES;
	} else {
		end = min(first + 1 + nvfifo_test_below(rnd, 3000), PAGES);
	}

	if (plan_cut(m, first) || plan_cut(m, end)) {
		(*refused)++;
		plan_undo(m);
	} else {
		unmap(m, first, end);
	}
}

static void expect_regions(struct mmu *m)
{
	u32 i, empty = 0;

	for (i = 0; i < NVFIFO_PD_ENTRIES; i++)
		empty += m->vm->regions[i].table && !m->vm->regions[i].bytes;

	KUNIT_EXPECT_EQ(m->test, empty, m->vm->empty);
	KUNIT_EXPECT_LE(m->test, empty, 4);

	for (i = 0; i < REGIONS; i++) {
		const struct nvfifo_region *r = &m->vm->regions[FIRST_PDE + i];

		KUNIT_EXPECT_EQ(m->test, r->bytes, m->mapped[i] << 12);
		KUNIT_EXPECT_EQ(m->test, r->comp_bytes, m->comp[i] << 12);
		KUNIT_EXPECT_EQ(m->test, r->type, r->table ? r->table->pt.type : 0);
		KUNIT_EXPECT_EQ(m->test, r->size, r->table ? r->table->pt.size : 0);
	}
}

/* Four tables without a mapping, which a crowded space keeps. */
static void random_crowd(struct mmu *m)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		u64 va = (u64)i << 33;

		KUNIT_ASSERT_EQ(m->test, nvfifo_mmu_plan_map(m->vm, va, SZ_4K, NVFIFO_PT_4K, 0,
							     false, &m->changes), 0);
		install(m, 0, 0);
		nvfifo_mmu_changes_free(m->vm, &m->changes);
		nvfifo_mmu_plan_unmap(m->vm, va, SZ_4K, 0, &m->changes);
		KUNIT_EXPECT_TRUE(m->test, list_empty(&m->changes));
	}
}

static void random_channel(struct mmu *m, struct rnd_state *rnd, u32 *attached)
{
	u32 c = nvfifo_test_below(rnd, CHANS);

	if (m->attached[c]) {
		detach(m, c);
	} else {
		attach(m, c);
		(*attached)++;
	}

	flush_ends(m, 0, 0);
}

static void expect_random_coverage(struct mmu *m, u32 steps, u32 refused, u32 attached)
{
	KUNIT_EXPECT_GT(m->test, refused, steps / 68);
	KUNIT_EXPECT_LT(m->test, refused, steps / 2);
	KUNIT_EXPECT_GT(m->test, attached, steps / 170);
	KUNIT_EXPECT_GT(m->test, m->gone, steps / 170);
	KUNIT_EXPECT_GT(m->test, m->gaps, 5);
	KUNIT_EXPECT_GT(m->test, m->table_stores, 100000);
	KUNIT_EXPECT_GT(m->test, m->changed, 3);
	KUNIT_EXPECT_EQ(m->test, m->absent, 0);
}

static void mmu_random(struct kunit *test)
{
	const struct mmu_random *p = test->param_value;
	struct mmu *m = mmu_new_in(test, p->chipset, SZ_16M);
	const u32 steps = RANDOM_STEPS * nvfifo_test_random_factor;
	u32 i, refused = 0, attached = 0;
	struct rnd_state rnd;

	nvfifo_test_seed(&rnd);
	if (p->crowded)
		random_crowd(m);

	for (i = 0; i < steps; i++) {
		m->card->slow[NVFIFO_TEST_TLB] = nvfifo_test_below(&rnd, 3);
		switch (nvfifo_test_below(&rnd, 20)) {
		case 0:
			random_channel(m, &rnd, &attached);
			break;
		case 1 ... 8:
			random_unmap(m, &rnd, &refused);
			break;
		default:
			random_map(m, &rnd, &refused);
			break;
		}

		if (i % 200 == 0)
			m->vm->engines |= BIT(1 + nvfifo_test_below(&rnd, 3) * 4);
		if (i % 100 == 99) {
			expect_pages(m, 0, PAGES, false);
			expect_regions(m);
		}
	}

	expect_random_coverage(m, steps, refused, attached);

	unmap(m, 0, PAGES);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* --- Tables -------------------------------------------------------------- */

#define PTE_VRAM	0x1ULL
#define PTE_SNOOP	0x21ULL
#define PTE_COMP	(0x1ULL | 1ULL << 47)

static struct mmu *mmu_running(struct kunit *test, u32 chipset)
{
	struct mmu *m = mmu_new(test, chipset);

	attach(m, 0);
	attach(m, 1);
	flush_ends(m, 0, 0);
	return m;
}

static struct mmu *param_mmu(struct kunit *test)
{
	return mmu_running(test, nvfifo_test_chipset(test));
}

/* A table of 4 KiB pages is as long as it must be, and gets longer. */
static void mmu_grow(struct kunit *test)
{
	static const struct {
		u32 page;
		u8 size;
		bool stays;
	} rows[] = {
		{ 0x00000, 3, false }, { 0x01fff, 3, true }, { 0x02000, 2, false },
		{ 0x00100, 2, true }, { 0x03fff, 2, true }, { 0x04000, 1, false },
		{ 0x07fff, 1, true }, { 0x08000, 0, false }, { 0x1ffff, 0, true },
	};
	struct mmu *m = param_mmu(test);
	u64 old;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		old = m->before[0];
		KUNIT_EXPECT_EQ(test, prepare(m, rows[i].page, rows[i].page + 1, NVFIFO_PT_4K,
					      PTE_SNOOP, false), 0);
		KUNIT_EXPECT_EQ(test, m->vm->regions[FIRST_PDE].table->pt.size, rows[i].size);
		KUNIT_EXPECT_EQ(test, want_pde(m, FIRST_PDE) == old, rows[i].stays);
		KUNIT_EXPECT_EQ_MSG(test, m->pd_stores, rows[i].stays ? 0 : 2, "row %u", i);
		KUNIT_EXPECT_EQ(test, list_empty(&m->vm->retired), rows[i].stays || !i);
		map(m, rows[i].page, rows[i].page + 1, (0x100000000 + i * 0x7000ULL) | PTE_SNOOP);
	}

	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/*
 * After a flush that fails, the table of the driver's memory may be too short for it. The memory is
 * freed without a store to the table.
 */
static void mmu_broken_unmap(struct kunit *test)
{
	struct mmu *m = mmu_running(test, 0x84);
	struct drm_mm_node node = {
		.start = page_va(REGION_PAGES - 1),
		.size = SZ_4K,
	};

	drm_mm_init(&m->vm->kernel, VA_START, REGION);
	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0, 1, PTE_SNOOP);
	nvfifo_test_stick(m->card, NVFIFO_TEST_FLUSH);

	KUNIT_EXPECT_EQ(test, drm_mm_reserve_node(&m->vm->kernel, &node), 0);
	KUNIT_EXPECT_EQ(test, plan(m, REGION_PAGES - 1, REGION_PAGES, NVFIFO_PT_4K, PTE_SNOOP,
				   false), 0);
	mutex_lock(&m->vm->pt_lock);
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_install(m->vm, &m->changes), -EIO);
	mutex_unlock(&m->vm->pt_lock);
	nvfifo_mmu_changes_free(m->vm, &m->changes);
	KUNIT_EXPECT_LT(test, m->vm->regions[FIRST_PDE].table->pt.count, REGION_PAGES);

	nvfifo_vm_unmap_kernel(m->vm, &node);
	KUNIT_EXPECT_FALSE(test, drm_mm_node_allocated(&node));
	drm_mm_takedown(&m->vm->kernel);
	mmu_end(m);
}

/* Pages become smaller when a mapping needs it, and never larger while there are some. */
static void mmu_convert(struct kunit *test)
{
	struct mmu *m = param_mmu(test);

	KUNIT_EXPECT_EQ(test, prepare(m, 0x100, 0x300, NVFIFO_PT_64K, PTE_VRAM, true), 0);
	KUNIT_EXPECT_EQ(test, want_pde(m, FIRST_PDE) & 0xfff, 0x001);
	map(m, 0x100, 0x300, 0x70000000 | PTE_VRAM);
	if (nvfifo_test_chipset(test) == 0xa3) {
		KUNIT_EXPECT_EQ(test, prepare(m, 0x400, 0x404, NVFIFO_PT_16K, PTE_VRAM, true), 0);
		KUNIT_EXPECT_EQ(test, want_pde(m, FIRST_PDE) & 0xfff, 0x002);
		map(m, 0x400, 0x404, 0x80004000 | PTE_VRAM);
		KUNIT_EXPECT_EQ(test, prepare(m, 0x500, 0x510, NVFIFO_PT_64K, PTE_VRAM, true),
				-EBUSY);
	}

	KUNIT_EXPECT_EQ(test, prepare(m, 0x407, 0x408, NVFIFO_PT_4K, PTE_SNOOP, false), 0);

	/* As short as the mappings allow. */
	KUNIT_EXPECT_EQ(test, want_pde(m, FIRST_PDE) & 0xfff, 0x063);
	map(m, 0x407, 0x408, 0x90001000 | PTE_SNOOP);

	/* Large pages on request only if the region is free; else small ones do as well. */
	KUNIT_EXPECT_EQ(test, prepare(m, 0x500, 0x510, NVFIFO_PT_64K, PTE_VRAM, true), -EBUSY);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 0);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x500, 0x510, NVFIFO_PT_64K, PTE_COMP, false), -EBUSY);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x500, 0x510, NVFIFO_PT_64K, PTE_VRAM, false), 0);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 0);
	map(m, 0x500, 0x510, 0xa0000000 | PTE_VRAM);
	unmap(m, 0, REGION_PAGES);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x500, 0x510, NVFIFO_PT_64K, PTE_VRAM, true), 0);
	map(m, 0x500, 0x510, 0xa0000000 | PTE_VRAM);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* A region keeps its large pages as long as it has compressed pages. */
static void mmu_compressed(struct kunit *test)
{
	struct mmu *m = param_mmu(test);

	KUNIT_EXPECT_EQ(test, prepare(m, 0, 0x100, NVFIFO_PT_64K, PTE_COMP, false), 0);
	map(m, 0, 0x100, PTE_COMP | 0x30000000 | 0x77ULL << 49);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x200, 0x210, NVFIFO_PT_64K, PTE_VRAM, false), 0);
	map(m, 0x200, 0x210, PTE_VRAM | 0x40000000);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x400, 0x401, NVFIFO_PT_4K, PTE_SNOOP, false), -EBUSY);
	KUNIT_EXPECT_EQ(test, cut(m, 0x204), -EBUSY);
	KUNIT_EXPECT_EQ(test, cut(m, 0x10), 0);
	unmap(m, 0x10, 0x100);
	KUNIT_EXPECT_EQ(test, cut(m, 0x204), -EBUSY);
	unmap(m, 0, 0x10);
	KUNIT_EXPECT_EQ(test, m->vm->regions[FIRST_PDE].comp_bytes, 0);
	KUNIT_EXPECT_EQ(test, cut(m, 0x204), 0);
	unmap(m, 0x204, 0x207);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* A plan that fails in its second region leaves nothing in the first. */
static void mmu_plan_fails(struct kunit *test)
{
	struct mmu *m = param_mmu(test);
	u32 border = REGION_PAGES;

	KUNIT_EXPECT_EQ(test, prepare(m, border, border + 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, border, border + 1, PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, prepare(m, border - 16, border + 32, NVFIFO_PT_64K, PTE_VRAM, true),
			-EBUSY);
	KUNIT_EXPECT_NULL(test, m->vm->regions[FIRST_PDE].table);
	expect_regions(m);
	KUNIT_EXPECT_EQ(test, m->vm->empty, 0);
	mmu_end(m);
}

/* A plan with all kinds of changes, taken back. */
static void mmu_undo(struct kunit *test)
{
	struct mmu *m = param_mmu(test);
	u64 pdes[REGIONS];
	u32 r;

	KUNIT_EXPECT_EQ(test, prepare(m, 0x100, 0x200, NVFIFO_PT_64K, PTE_VRAM, false), 0);
	map(m, 0x100, 0x200, 0x50000000 | PTE_VRAM);
	KUNIT_EXPECT_EQ(test, prepare(m, REGION_PAGES, REGION_PAGES + 1, NVFIFO_PT_4K, PTE_SNOOP,
				      false), 0);

	map(m, REGION_PAGES, REGION_PAGES + 1, 0x3000 | PTE_SNOOP);

	for (r = 0; r < REGIONS; r++)
		pdes[r] = want_pde(m, FIRST_PDE + r);

	/* A table of smaller pages that gets longer, another longer one, and a new one. */
	KUNIT_EXPECT_EQ(test, plan_cut(m, 0x123), 0);
	KUNIT_EXPECT_EQ(test, plan(m, 0x8000, 0x8001, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	KUNIT_EXPECT_EQ(test, plan(m, 2 * REGION_PAGES - 1, 2 * REGION_PAGES + 1, NVFIFO_PT_4K,
				   PTE_SNOOP, false), 0);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&m->changes), 4);

	nvfifo_mmu_account(m->vm, page_va(0x8000), SZ_4K, PTE_SNOOP, false);
	nvfifo_mmu_account(m->vm, page_va(2 * REGION_PAGES - 1), SZ_8K, PTE_SNOOP, false);
	plan_undo(m);

	for (r = 0; r < REGIONS; r++)
		KUNIT_EXPECT_EQ(test, want_pde(m, FIRST_PDE + r), pdes[r]);

	expect_regions(m);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/*
 * Four tables without pages stay. The others leave the directories at once, and are freed after the
 * TLB flush.
 */
static void mmu_empty(struct kunit *test)
{
	struct mmu *m = param_mmu(test);
	struct nvfifo_table *table;
	u32 i, n = 0;
	u64 pde;

	for (i = 0; i < 7; i++)
		KUNIT_ASSERT_EQ(test, nvfifo_mmu_plan_map(m->vm, (10 + i) * REGION, SZ_64K,
							  NVFIFO_PT_64K, PTE_VRAM, true,
							  &m->changes), 0);

	install(m, 0, 0);
	nvfifo_mmu_changes_free(m->vm, &m->changes);
	flush_ends(m, 0, 0);
	pde = read_pde(m, 1, 16);
	KUNIT_EXPECT_NE(test, pde, 0);

	table = m->vm->regions[16].table;

	for (i = 0; i < 7; i++)
		nvfifo_mmu_plan_unmap(m->vm, (10 + i) * REGION, SZ_64K, PTE_VRAM, &m->changes);

	KUNIT_EXPECT_EQ(test, m->vm->empty, 4);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&m->changes), 3);
	KUNIT_EXPECT_EQ(test, read_pde(m, 1, 16), pde);

	/* One word of each entry. */
	install(m, 0, 0);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 3 * 2);
	KUNIT_EXPECT_EQ(test, m->card->logged, 0);
	nvfifo_mmu_changes_free(m->vm, &m->changes);

	for (i = 10; i < 17; i++) {
		KUNIT_EXPECT_EQ(test, read_pde(m, 0, i), want_pde(m, i));
		KUNIT_EXPECT_EQ(test, read_pde(m, 1, i), want_pde(m, i));
		n += !want_pde(m, i);
	}

	KUNIT_EXPECT_EQ(test, n, 3);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&m->vm->retired), 3);

	/* The card may still read the last one. */
	KUNIT_ASSERT_PTR_EQ(test, list_first_entry(&m->vm->retired, struct nvfifo_table, link),
			    table);
	KUNIT_EXPECT_EQ(test, table_pde(table), pde);
	KUNIT_EXPECT_EQ(test, table_entry(m, table, 0x1fff), 0);
	flush_ends(m, 0, 0);

	/* One that stayed is used again without a word to the card. */
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_plan_map(m->vm, 10 * REGION, SZ_64K, NVFIFO_PT_64K,
						  PTE_VRAM, true, &m->changes), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&m->changes));
	KUNIT_EXPECT_EQ(test, m->vm->empty, 3);
	mmu_end(m);
}

/* The former length of a table does not matter after all of its pages are unmapped. */
static void mmu_short_again(struct kunit *test)
{
	struct mmu *m = param_mmu(test);

	KUNIT_EXPECT_EQ(test, prepare(m, 0x1f000, 0x1f010, NVFIFO_PT_64K, PTE_VRAM, false), 0);
	map(m, 0x1f000, 0x1f010, 0x50000000 | PTE_VRAM);
	unmap(m, 0x1f000, 0x1f010);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x100, 0x110, NVFIFO_PT_64K, PTE_VRAM, false), 0);
	map(m, 0x100, 0x110, 0x60000000 | PTE_VRAM);
	KUNIT_EXPECT_EQ(test, cut(m, 0x105), 0);
	KUNIT_EXPECT_EQ(test, m->vm->regions[FIRST_PDE].table->pt.size, 3);
	unmap(m, 0x105, 0x107);

	/* But one that is there and longer than it must be stays. */
	KUNIT_EXPECT_EQ(test, prepare(m, 0x1f000, 0x1f001, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0x1f000, 0x1f001, 0x70000000 | PTE_SNOOP);
	unmap(m, 0, REGION_PAGES);
	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 0);
	KUNIT_EXPECT_EQ(test, m->vm->regions[FIRST_PDE].table->pt.size, 0);
	map(m, 0, 1, 0x80000000 | PTE_SNOOP);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* Why an address leads nowhere. */
static void mmu_walk(struct kunit *test)
{
	struct mmu *m = mmu_running(test, 0x84);
	struct nvfifo_walk w;

	KUNIT_EXPECT_FALSE(test, nvfifo_mmu_walk(m->vm, page_va(0), &w));
	KUNIT_EXPECT_EQ(test, w.reason, NVFIFO_FAULT_PT_NOT_PRESENT);
	KUNIT_EXPECT_EQ(test, w.pde, 0);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x80, 0x100, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0x80, 0x100, 0x777770000 | PTE_SNOOP);
	KUNIT_EXPECT_TRUE(test, nvfifo_mmu_walk(m->vm, page_va(0x83) + 0xabc, &w));
	KUNIT_EXPECT_EQ(test, w.pde, read_pde(m, 0, FIRST_PDE));
	KUNIT_EXPECT_EQ(test, w.index, 0x83);
	KUNIT_EXPECT_EQ(test, w.pte, 0x777770000 | PTE_SNOOP | 7 << 7);
	KUNIT_EXPECT_EQ(test, w.linear, 0x777773abc);
	KUNIT_EXPECT_FALSE(test, nvfifo_mmu_walk(m->vm, page_va(0x101), &w));
	KUNIT_EXPECT_EQ(test, w.reason, NVFIFO_FAULT_PAGE_NOT_PRESENT);
	KUNIT_EXPECT_FALSE(test, nvfifo_mmu_walk(m->vm, page_va(0x2000), &w));
	KUNIT_EXPECT_EQ(test, w.reason, NVFIFO_FAULT_PT_TOO_SHORT);
	mmu_end(m);
}

/* --- The checker --------------------------------------------------------- */

static void put_pde(struct mmu *m, u32 word, u64 pde)
{
	nvfifo_vram_wr32(&m->card->ndev, pd_address(m, 0) + FIRST_PDE * 8 + word * 4,
			 pde >> word * 32);
}

static void pde_once(struct mmu *m, u64 new)
{
	put_pde(m, 0, new);
}

static void pde_absent_first(struct mmu *m, u64 new)
{
	put_pde(m, 0, 0);
	put_pde(m, 0, new);
}

static void pde_high(struct mmu *m, u64 new)
{
	put_pde(m, 1, 1ULL << 32);
	put_pde(m, 0, new);
	put_pde(m, 1, 0);
}

static void pde_before_table(struct mmu *m, u64 new)
{
	pde_once(m, new);
	nvfifo_vram_wr32(&m->card->ndev, m->vm->regions[FIRST_PDE].table->inst.addr, 0);
}

static void pde_forgotten(struct mmu *m, u64 new)
{
}

/* A table replaces another. Ways to do it right and wrong, with and without pages. */
static void mmu_checker(struct kunit *test)
{
	static const struct {
		const char *name;
		void (*run)(struct mmu *m, u64 new);
		bool empty_ok;
		bool used_ok;
	} ways[] = {
		{ "in one store", pde_once, true, true },
		{ "absent in between", pde_absent_first, true, false },
		{ "another high word in between", pde_high, false, false },
		{ "before the table is filled", pde_before_table, false, false },
		{ "not at all", pde_forgotten, false, false },
	};
	u32 i, used;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (used = 0; used < 2; used++) {
			struct mmu *m = mmu_new_in(test, 0x84, SZ_256K);
			struct nvfifo_table *table;
			bool ok;

			attach(m, 0);
			KUNIT_ASSERT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
			if (used)
				map(m, 0, 1, PTE_SNOOP);
			flush_ends(m, 0, 0);
			table = m->vm->regions[FIRST_PDE].table;
			call_begins(m, CALL_TABLES);
			/* The same table, found elsewhere. */
			table->inst.addr += SZ_4K;
			ways[i].run(m, table_pde(table));
			m->call = CALL_NONE;
			if (!m->wrong)
				pds_check(m);
			ok = used ? ways[i].used_ok : ways[i].empty_ok;
			KUNIT_EXPECT_EQ_MSG(test, !m->wrong, ok, "%s, %s: %s", ways[i].name,
					    used ? "used" : "empty", m->what);
			m->wrong = 0;
			mmu_end(m);
		}
	}
}

/* --- Tables as memory ---------------------------------------------------- */

/* All of the table is written, and a BAR flush follows, before a directory names it. */
static void vram_install(struct kunit *test)
{
	struct mmu *m = param_mmu(test);
	const struct nvfifo_table *table;
	u64 pde;
	u32 i;

	KUNIT_EXPECT_EQ(test, prepare(m, 5, 6, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	table = m->vm->regions[FIRST_PDE].table;
	KUNIT_EXPECT_EQ(test, m->pd_stores, 2);
	KUNIT_EXPECT_EQ(test, m->table_stores, 2 * 0x2000);
	pde = read_pde(m, 0, FIRST_PDE);
	KUNIT_EXPECT_EQ(test, pde, table->inst.addr | 0x063);
	KUNIT_EXPECT_EQ(test, read_pde(m, 1, FIRST_PDE), pde);

	/* The VRAM was full of old bytes. */
	for (i = 0; i < 0x2000; i++)
		KUNIT_ASSERT_EQ_MSG(test, table_entry(m, table, i), 0, "entry %x", i);

	map(m, 5, 6, 0x123450000 | PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, table_entry(m, table, 5), 0x123450000 | PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, m->table_stores, 2 * 0x2000 + 2);

	/* A longer one takes over the mappings of the old one. */
	KUNIT_EXPECT_EQ(test, prepare(m, 0x2000, 0x2001, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	KUNIT_EXPECT_PTR_NE(test, m->vm->regions[FIRST_PDE].table, table);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 2);
	map(m, 0x2000, 0x2001, 0x223450000 | PTE_SNOOP);

	/* A channel that comes later needs one store for each table. */
	attach(m, 2);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 1);
	flush_ends(m, 0, 0);

	/* Nothing more to write. */
	KUNIT_EXPECT_EQ(test, prepare(m, 7, 0x2000, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 0);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* Without instance memory there is no plan, and mappings stay. */
static void vram_full(struct kunit *test)
{
	struct mmu *m = mmu_new_in(test, nvfifo_test_chipset(test), 3 * SZ_64K);
	u32 first = 2 * REGION_PAGES;

	attach(m, 0);
	flush_ends(m, 0, 0);

	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0, 1, 0x10000000 | PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, prepare(m, REGION_PAGES, REGION_PAGES + 1, NVFIFO_PT_4K, PTE_SNOOP,
				      false), 0);
	map(m, REGION_PAGES, REGION_PAGES + 1, 0x20000000 | PTE_SNOOP);

	/* 64 KiB are left: neither a longer table nor two more. */
	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->lock);
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_plan_map(m->vm, page_va(0x2000), SZ_4K, NVFIFO_PT_4K,
						  PTE_SNOOP, false, &m->changes), -ENOSPC);

	mutex_unlock(&m->vm->lock);
	plan_ends(m);
	plan_undo(m);
	call_begins(m, CALL_NONE);
	mutex_lock(&m->vm->lock);
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_plan_map(m->vm, page_va(first), 2 * REGION, NVFIFO_PT_64K,
						  PTE_VRAM, false, &m->changes), -ENOSPC);
	mutex_unlock(&m->vm->lock);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&m->changes), 1);
	plan_ends(m);
	plan_undo(m);
	expect_regions(m);
	expect_pages(m, 0, PAGES, false);

	KUNIT_EXPECT_EQ(test, prepare(m, first, first + 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, first, first + 1, 0x30000000 | PTE_SNOOP);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* A table whose BAR flush does not end is not installed. */
static void vram_flush_stuck(struct kunit *test)
{
	struct mmu *m = param_mmu(test);
	u64 pde;

	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);

	map(m, 0, 1, PTE_SNOOP);
	pde = read_pde(m, 0, FIRST_PDE);
	nvfifo_test_stick(m->card, NVFIFO_TEST_FLUSH);
	KUNIT_EXPECT_EQ(test, plan(m, 0x2000, 0x2001, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	call_begins(m, CALL_TABLES);
	mutex_lock(&m->vm->pt_lock);
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_install(m->vm, &m->changes), -EIO);
	mutex_unlock(&m->vm->pt_lock);
	KUNIT_EXPECT_EQ(test, m->pd_stores, 0);
	KUNIT_EXPECT_TRUE(test, m->vm->broken);
	call_ends(m);
	KUNIT_EXPECT_EQ(test, read_pde(m, 0, FIRST_PDE), pde);
	expect_pages(m, 0, PAGES, false);
	nvfifo_mmu_changes_free(m->vm, &m->changes);
	mmu_end(m);
}

static void put_word(struct mmu *m, u32 index, u32 word, u64 pte)
{
	u64 addr = m->vm->regions[FIRST_PDE].table->inst.addr + index * 8 + word * 4;

	nvfifo_vram_wr32(&m->card->ndev, addr, pte >> word * 32);
}

static void pte_low_high(struct mmu *m, u64 new)
{
	put_word(m, 3, 0, new);
	put_word(m, 3, 1, new);
}

static void pte_high_low(struct mmu *m, u64 new)
{
	put_word(m, 3, 1, new);
	put_word(m, 3, 0, new);
}

static void pte_absent_first(struct mmu *m, u64 new)
{
	put_word(m, 3, 0, 0);
	pte_high_low(m, new);
}

/* Ways to write a PTE in VRAM whose words both change, right and wrong. */
static void vram_checker(struct kunit *test)
{
	static const struct {
		const char *name;
		void (*run)(struct mmu *m, u64 new);
		bool empty_ok;
		bool used_ok;
	} ways[] = {
		{ "low, high", pte_low_high, false, false },
		{ "high, low", pte_high_low, true, false },
		{ "absent in between", pte_absent_first, true, true },
	};
	u32 i, used;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (used = 0; used < 2; used++) {
			struct mmu *m = param_mmu(test);
			bool ok;

			KUNIT_ASSERT_EQ(test, prepare(m, 0, 4, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
			if (used)
				map(m, 3, 4, 0x120003000 | PTE_SNOOP);
			call_begins(m, CALL_PAGES);
			m->new[3] = 0x220005000 | PTE_SNOOP;
			ways[i].run(m, m->new[3]);
			m->call = CALL_NONE;
			ok = used ? ways[i].used_ok : ways[i].empty_ok;
			KUNIT_EXPECT_EQ_MSG(test, !m->wrong, ok, "%s, %s: %s", ways[i].name,
					    used ? "used" : "empty", m->what);
			m->wrong = 0;
			mmu_end(m);
		}
	}
}

/* A page replaces another, and its neighbours stay. */
static void vram_replace(struct kunit *test)
{
	struct mmu *m = param_mmu(test);
	u32 stores;

	KUNIT_EXPECT_EQ(test, prepare(m, 0, 0x100, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0, 4, 0x120000000 | PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, m->gaps, 0);

	stores = m->table_stores;
	map(m, 3, 4, 0x120007000 | PTE_SNOOP);

	/* The block of four is split, in one word each: two, one and the new one. */
	KUNIT_EXPECT_EQ(test, m->table_stores - stores, 2 + 1 + 1 + 1);
	KUNIT_EXPECT_EQ(test, m->gaps, 0);
	map(m, 3, 4, 0x220007000 | PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, m->gaps, 2);

	/* The second half of a block is in the next 4 GiB. */
	map(m, 0x10, 0x20, 0x2ffff8000 | PTE_SNOOP);
	unmap(m, 0x1f, 0x20);
	KUNIT_EXPECT_EQ(test, m->gaps, 2);
	expect_pages(m, 0, PAGES, false);
	mmu_end(m);
}

/* --- Flushes ------------------------------------------------------------- */

/* The BAR flush, then PFIFO's TLB. */
static void flush_order(struct kunit *test)
{
	struct mmu *m = param_mmu(test);

	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	KUNIT_EXPECT_EQ(test, flush(m), 0);

	if (m->card->ndev.chip->g84)
		NVFIFO_TEST_EXPECT_WRITES(m->card, { 0x70000, 1 }, { 0x100c80, 0x50001 });
	else
		NVFIFO_TEST_EXPECT_WRITES(m->card, { 0x330c, 1 }, { 0x100c80, 0x50001 });

	/* Every engine that has used it, once. */
	m->vm->engines |= BIT(NVFIFO_VM_PVP) | BIT(NVFIFO_VM_PMPEG);
	KUNIT_EXPECT_EQ(test, flush(m), 0);
	expect_flush(m);
	mmu_end(m);
}

/* Without a channel no engine knows the tables: they are freed without an access to the card. */
static void flush_alone(struct kunit *test)
{
	struct mmu *m = mmu_new(test, 0x84);

	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0, 1, PTE_SNOOP);
	KUNIT_EXPECT_EQ(test, prepare(m, 0x10000, 0x10001, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&m->vm->retired));
	KUNIT_EXPECT_EQ(test, flush(m), 0);
	KUNIT_EXPECT_EQ(test, m->card->logged, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&m->vm->retired));
	mmu_end(m);
}

/* If a flush does not end the card may still use the old tables: they stay. */
static void flush_fails(struct kunit *test, enum nvfifo_test_unit unit)
{
	struct mmu *m = mmu_new(test, 0x84);
	u64 pde;

	attach(m, 0);
	KUNIT_EXPECT_EQ(test, prepare(m, 0, 1, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	map(m, 0, 1, PTE_SNOOP);
	pde = m->before[0];
	KUNIT_EXPECT_EQ(test, prepare(m, 0x10000, 0x10001, NVFIFO_PT_4K, PTE_SNOOP, false), 0);
	nvfifo_test_stick(m->card, unit);
	KUNIT_EXPECT_EQ(test, flush(m), -EIO);
	KUNIT_EXPECT_TRUE(test, m->vm->broken);
	KUNIT_EXPECT_NOT_NULL(test, pde_table(m, pde));
	KUNIT_EXPECT_FALSE(test, list_empty(&m->vm->retired));
	expect_pages(m, 0, 0x2000, true);
	KUNIT_EXPECT_EQ(test, m->card->ndev.hw.phase, NVFIFO_STUCK);

	/* Nor is anything flushed after it. */
	KUNIT_EXPECT_LE(test, nvfifo_test_find(m->card, true, 0x100c80, 0),
			nvfifo_test_find(m->card, false, 0x100c80, 0));
	KUNIT_EXPECT_EQ(test, flush(m), -EIO);
	KUNIT_EXPECT_EQ(test, m->card->logged, 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&m->vm->retired));
	mmu_end(m);
}

static void flush_tlb_stuck(struct kunit *test)
{
	flush_fails(test, NVFIFO_TEST_TLB);
}

static void flush_bar_stuck(struct kunit *test)
{
	flush_fails(test, NVFIFO_TEST_FLUSH);
}

static void flush_lost(struct kunit *test)
{
	struct mmu *m = mmu_new(test, 0x84);

	attach(m, 0);
	m->card->ndev.hw.phase = NVFIFO_LOST;
	KUNIT_EXPECT_EQ(test, flush(m), -ENODEV);
	KUNIT_EXPECT_EQ(test, m->card->logged, 0);
	KUNIT_EXPECT_TRUE(test, m->vm->broken);
	mmu_end(m);
}

/*
 * The card's removal may begin while a kernel mapping is planned. The plan is then undone, and its
 * table freed: the region has no type without a table, and the next mapping plans one.
 */
static void kernel_map_removing(struct kunit *test)
{
	const u32 index = NVFIFO_VA_END >> NVFIFO_PDE_SHIFT;
	struct mmu *m = mmu_new(test, 0x84);
	struct nvfifo_vm *vm = m->vm;
	struct drm_mm_node node = {};

	m->card->on_store = NULL;
	drm_mm_init(&vm->kernel, NVFIFO_VA_END, 1ULL << NVFIFO_PDE_SHIFT);

	m->card->ndev.hw.phase = NVFIFO_REMOVING;
	KUNIT_EXPECT_EQ(test, nvfifo_vm_map_kernel(vm, &node, 0x10000, SZ_8K, SZ_4K), -ENODEV);
	KUNIT_EXPECT_EQ(test, vm->regions[index].type, NVFIFO_PT_NONE);
	KUNIT_EXPECT_EQ(test, vm->regions[index].bytes, 0);
	KUNIT_EXPECT_TRUE(test, drm_mm_clean(&m->card->ndev.mem.heap));
	KUNIT_EXPECT_TRUE(test, drm_mm_clean(&vm->kernel));

	m->card->ndev.hw.phase = NVFIFO_RUNNING;
	KUNIT_ASSERT_EQ(test, nvfifo_vm_map_kernel(vm, &node, 0x10000, SZ_8K, SZ_4K), 0);
	KUNIT_EXPECT_NOT_NULL(test, vm->regions[index].table);

	drm_mm_remove_node(&node);
	drm_mm_takedown(&vm->kernel);
	mmu_end(m);
}

/* --- PGRAPH's TLB -------------------------------------------------------- */

/* States of a unit that are not BUSY, in all three registers. */
#define PGRAPH_QUIET	{ 0x3eaebaeb, 0x00000000, 0xc0eb5d75 }

static struct nvfifo_test_card *pgraph_card(struct kunit *test, u32 chipset)
{
	static const u32 quiet[] = PGRAPH_QUIET;
	struct nvfifo_test_card *card = nvfifo_test_card(test, chipset);
	u32 i;

	nvfifo_test_poke(card, 0x400500, 0x00010001);

	for (i = 0; i < 3; i++)
		nvfifo_test_poke(card, 0x400380 + i * 4, quiet[i]);

	return card;
}

/* The chips on which nouveau waits, whether or not they need it. */
static bool pgraph_waits(u32 chipset)
{
	return chipset != 0x50 && chipset != 0xac;
}

/* Without new methods, and when no unit is busy any more. */
static void pgraph_flush(struct kunit *test)
{
	struct nvfifo_test_card *card = pgraph_card(test, nvfifo_test_chipset(test));
	u32 slow, i, last, reads;

	for (slow = 0; slow < 4; slow++) {
		nvfifo_test_forget(card);
		card->slow[NVFIFO_TEST_PGRAPH] = slow;
		card->slow[NVFIFO_TEST_TLB] = slow;
		KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, NVFIFO_VM_PGRAPH), 0);
		if (!pgraph_waits(nvfifo_test_chipset(test))) {
			NVFIFO_TEST_EXPECT_WRITES(card, { 0x100c80, 1 });
			KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, false, 0x400380, 0), -1);
			continue;
		}

		NVFIFO_TEST_EXPECT_WRITES(card, { 0x400500, 0x10000 }, { 0x100c80, 1 },
					  { 0x400500, 0x10001 });

		/* All three are read until they are quiet, then comes the flush. */
		for (i = 0, reads = 0, last = 0; i < card->logged; i++) {
			const struct nvfifo_test_access *a = &card->log[i];

			if (a->write && a->reg == 0x100c80)
				break;
			if (a->reg != 0x400384)
				continue;
			reads += a->times;
			last = a->val;
		}

		KUNIT_EXPECT_EQ(test, reads, slow + 1);
		KUNIT_EXPECT_EQ(test, last, 0);

		/* Methods come again when the flush is over. */
		KUNIT_ASSERT_GE(test, card->logged, 3);
		KUNIT_EXPECT_EQ(test, card->log[card->logged - 3].reg, 0x100c80);
		KUNIT_EXPECT_EQ(test, card->log[card->logged - 3].val, 0);
	}
}

/* No other engine makes PGRAPH wait. */
static void pgraph_others(struct kunit *test)
{
	struct nvfifo_test_card *card = pgraph_card(test, 0x86);
	u32 engine;

	for (engine = 1; engine < 0xf; engine++) {
		nvfifo_test_forget(card);
		KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, engine), 0);
		KUNIT_EXPECT_EQ(test, card->logged, 2);
	}
}

/*
 * A unit stays busy, in any of the fields. nouveau prints a message and flushes anyway,
 * which can lock up the card. Here PGRAPH is reset if it is set up. This one is not, and the card
 * counts as stuck.
 */
/* PFIFO out of reset: only then there is something to halt. */
#define PMC_PFIFO	0x100

static void pgraph_busy(struct kunit *test)
{
	static const u32 quiet[] = PGRAPH_QUIET;
	u32 reg, shift;

	for (reg = 0; reg < 3; reg++) {
		for (shift = 0; shift < 32; shift += 3) {
			struct nvfifo_test_card *card = pgraph_card(test, 0x84);

			card->timeout_us = 200;
			nvfifo_test_poke(card, 0x200, PMC_PFIFO);
			nvfifo_test_poke(card, 0x400380 + reg * 4,
					 (quiet[reg] & ~(7u << shift)) | 1u << shift);
			KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, NVFIFO_VM_PGRAPH),
					-EIO);
			NVFIFO_TEST_EXPECT_WRITES(card, { 0x400500, 0x10000 },
						  { 0x400500, 0x10001 }, { 0x2140, 0 },
						  { 0x2500, 0 }, { 0x3250, 0 }, { 0x3220, 0 },
						  { 0x3200, 0 });
			KUNIT_EXPECT_EQ(test, card->ndev.hw.phase, NVFIFO_STUCK);
			KUNIT_EXPECT_EQ(test, atomic_read(&card->ndev.counters.timeouts), 1);
			KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.mmu.lock));
			kunit_kfree(test, card->vram);
			kunit_kfree(test, card);
		}
	}
}

/* In between the driver looks whether the card is still there, and halts one that is stuck. */
static bool is_ours(u32 reg)
{
	return reg == 0 || reg == 0x200 || reg == 0x2140 || reg == 0x2500 || reg == 0x3250 ||
	       reg == 0x3220 || reg == 0x3200;
}

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
#include "data/tlb_flush.inc"
};

/* The same accesses as nouveau's; a repeated read counts once. */
static void flush_oracle(struct kunit *test)
{
	u32 i, k, n, from;

	for (i = 0; i < ARRAY_SIZE(tlb_flush_rows); i++) {
		const struct tlb_flush_row *r = &tlb_flush_rows[i];
		struct nvfifo_test_card *card = nvfifo_test_card(test, r->g84 ? 0x84 : 0x50);

		nvfifo_test_poke(card, 0x200, PMC_PFIFO);
		nvfifo_test_poke(card, 0x400500, 0x10001);
		if (r->stuck)
			nvfifo_test_stick(card, NVFIFO_TEST_TLB);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_tlb_flush(&card->ndev, r->engine),
				    r->stuck ? -EIO : 0, "row %u", i);
		for (k = 0, n = 0; k < ARRAY_SIZE(r->io) && r->io[k].dir; k++) {
			if (k && r->io[k].dir == 'R' && r->io[k - 1].dir == 'R' &&
			    r->io[k].reg == r->io[k - 1].reg && r->io[k].val == r->io[k - 1].val)
				continue;
			for (from = n; from < card->logged && is_ours(card->log[from].reg); from++)
				;
			KUNIT_ASSERT_LT_MSG(test, from, card->logged, "row %u", i);
			KUNIT_EXPECT_EQ_MSG(test, card->log[from].write, r->io[k].dir == 'W',
					    "row %u access %u", i, k);
			KUNIT_EXPECT_EQ_MSG(test, card->log[from].reg, r->io[k].reg,
					    "row %u access %u", i, k);
			KUNIT_EXPECT_EQ_MSG(test, card->log[from].val, r->io[k].val,
					    "row %u access %u", i, k);
			n = from + 1;
		}

		while (n < card->logged && is_ours(card->log[n].reg))
			n++;
		KUNIT_EXPECT_EQ_MSG(test, n, card->logged, "row %u", i);
		kunit_kfree(test, card->vram);
		kunit_kfree(test, card);
	}
}

static struct kunit_case mmu_cases[] = {
	KUNIT_CASE_PARAM(mmu_grow, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(mmu_broken_unmap),
	KUNIT_CASE_PARAM(mmu_convert, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(mmu_compressed, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(mmu_plan_fails, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(mmu_undo, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(mmu_short_again, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(mmu_empty, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(mmu_walk),
	KUNIT_CASE_PARAM(mmu_random, mmu_random_gen_params),
	KUNIT_CASE(mmu_checker),
	KUNIT_CASE_PARAM(vram_install, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(vram_full, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(vram_flush_stuck, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(vram_replace, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(vram_checker, nvfifo_test_chipsets_gen_params),
	{}
};

static struct kunit_suite mmu_suite = {
	.name = "nvfifo_mmu",
	.test_cases = mmu_cases,
};

static struct kunit_case flush_cases[] = {
	KUNIT_CASE_PARAM(flush_order, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(flush_alone),
	KUNIT_CASE(flush_tlb_stuck),
	KUNIT_CASE(flush_bar_stuck),
	KUNIT_CASE(flush_lost),
	KUNIT_CASE(kernel_map_removing),
	KUNIT_CASE_PARAM(pgraph_flush, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(pgraph_others),
	KUNIT_CASE(pgraph_busy),
	KUNIT_CASE(flush_oracle),
	{}
};

static struct kunit_suite flush_suite = {
	.name = "nvfifo_vm_flush",
	.test_cases = flush_cases,
};

kunit_test_suites(&mmu_suite, &flush_suite);
