// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fake card: see fake.h.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "fake.h"

static const struct {
	u32 off;
	u32 stride;
	u32 count;
	enum nv_chip first;
	enum nv_chip end;
	bool ro;
	const char *name;
} known_regs[] = {
#define REG(block, reg, stride, count, first, end, access) \
	{ reg, stride, count, first, end, (access) == NV_RO, #reg },
#define FLD(...)
	NV_REGS(REG, FLD)
#undef REG
	/* In the control page of each channel */
#define REG(block, reg, stride, count, first, end, access) \
	{ NV_USER_BASE + (reg), NV_USER_BASE__STRIDE, NVFIFO_CHANNELS, first, end, \
	  (access) == NV_RO, #reg },
	NV_USER_REGS(REG, FLD)
#undef FLD
#undef REG
};

static void check_access(struct nvfifo_test_card *card, u32 reg, bool write)
{
	enum nv_chip chip = card->ndev.chip->chip;
	int i;

	for (i = 0; i < ARRAY_SIZE(known_regs); i++) {
		u32 n = known_regs[i].stride ? (reg - known_regs[i].off) / known_regs[i].stride : 0;

		if (reg < known_regs[i].off || n >= known_regs[i].count ||
		    reg != known_regs[i].off + n * known_regs[i].stride)
			continue;
		if (chip < known_regs[i].first || chip >= known_regs[i].end)
			continue;
		KUNIT_EXPECT_FALSE_MSG(card->test, write && known_regs[i].ro,
				       "write to %s, which is read only", known_regs[i].name);
		return;
	}

	KUNIT_FAIL(card->test, "%s of register %06x, which the chip does not have",
		   write ? "write" : "read", reg);
}

static void record(struct nvfifo_test_card *card, bool write, u32 reg, u32 val)
{
	struct nvfifo_test_access *last = card->logged ? &card->log[card->logged - 1] : NULL;

	if (last && !write && !last->write && last->reg == reg && last->val == val) {
		last->times++;
		return;
	}

	if (card->logged == NVFIFO_TEST_LOG) {
		/* Once: a wait that is too long reads thousands of times more. */
		if (!card->log_overflows)
			KUNIT_FAIL(card->test, "more than %d accesses", NVFIFO_TEST_LOG);
		card->log_overflows = true;
		return;
	}

	card->log[card->logged++] = (struct nvfifo_test_access){ write, reg, val, 1 };
}

/**
 * nvfifo_test_peek() - Read a register without recording the access
 * @card: the card
 * @reg: register
 *
 * Return: the value, 0 if it was never written.
 */
u32 nvfifo_test_peek(const struct nvfifo_test_card *card, u32 reg)
{
	u32 i;

	for (i = 0; i < card->regs_used; i++)
		if (card->regs[i].reg == reg)
			return card->regs[i].val;
	return 0;
}

/**
 * nvfifo_test_poke() - Set a register without recording the access
 * @card: the card
 * @reg: register
 * @val: its value
 */
void nvfifo_test_poke(struct nvfifo_test_card *card, u32 reg, u32 val)
{
	u32 i;

	for (i = 0; i < card->regs_used; i++)
		if (card->regs[i].reg == reg)
			break;

	KUNIT_ASSERT_LT(card->test, i, NVFIFO_TEST_REGS);

	card->regs[i].reg = reg;
	card->regs[i].val = val;
	card->regs_used = max(card->regs_used, i + 1);
}

/* Whether the unit is still busy. Each call counts as one read of its register. */
static bool busy(struct nvfifo_test_card *card, enum nvfifo_test_unit unit)
{
	if (!card->busy[unit])
		return false;
	if (card->busy[unit] != NVFIFO_TEST_STUCK)
		card->busy[unit]--;
	return true;
}

static u32 reg_read(struct nvfifo_test_card *card, u32 reg)
{
	u32 pending = card->ndev.chip->g84 ? 0x1000 : 0x100;
	u32 val = nvfifo_test_peek(card, reg);
	bool frozen;

	switch (reg) {
	case NV_PFB_TLB_FLUSH:
		return (val & ~1u) | busy(card, NVFIFO_TEST_TLB);
	case NV_PFLUSH_BAR_FLUSH:
	case NV_CACHE1_FLUSH_CTRL_G80:
		return busy(card, NVFIFO_TEST_FLUSH) ? 3 : 0;
	case NV_PFIFO_FREEZE:
		/* The bit follows bit 0, in a freeze and in a thaw. */
		frozen = val & 1;
		if (busy(card, NVFIFO_TEST_FROZEN))
			frozen = !frozen;
		return val | (frozen ? 0x10 : 0);
	case NV_PFIFO_ENGINE_IDLE:
		if (card->gr_error_at && !--card->gr_error_at)
			nvfifo_test_poke(card, NV_PGRAPH_INTR, 0x10);
		if (nvfifo_test_peek(card, NV_PGRAPH_INTR))
			return 0x3e;
		return busy(card, NVFIFO_TEST_IDLE) ? 0x3e : 0x3f;
	case NV_CACHE1_KICK_CHANNEL:
		return busy(card, NVFIFO_TEST_KICK) ? 0xffffffff : 0;
	case NV_CACHE1_PLAYLIST_LEN:
		return val | (busy(card, NVFIFO_TEST_PLAYLIST) ? pending : 0);
	case NV_CACHE1_PULL0:
		return val | (busy(card, NVFIFO_TEST_HASH) ? 0x1000 : 0);
	case NV_REG_AT(NV_PGRAPH_VSTATUS, 1):
		return val | (busy(card, NVFIFO_TEST_PGRAPH) ? 1 << 12 : 0);
	case NV_PTIMER_TIME_LOW:
		if (!card->timer_stands || (nvfifo_test_peek(card, NV_PTIMER_CLOCK_DIV) &&
					    nvfifo_test_peek(card, NV_PTIMER_CLOCK_MUL)))
			nvfifo_test_poke(card, reg, val + 32);
		return val;
	case NV_PFB_VM_FAULT_DATA:
		val = nvfifo_test_peek(card, NV_PFB_VM_FAULT) >> 24 & 7;
		return val < NVFIFO_FAULT_WORDS ? card->fault[val] : 0;
	}

	return val;
}

static struct nvfifo_test_card *to_card(struct nvfifo_device *ndev)
{
	return container_of(ndev, struct nvfifo_test_card, ndev);
}

/* --- VRAM, which the driver reaches through PRAMIN ----------------------- */

#define PRAMIN_BYTES	SZ_1M

static bool is_pramin(u32 reg)
{
	return reg >= NV_PMEM_WINDOW && reg < NV_PMEM_WINDOW + PRAMIN_BYTES;
}

/* The word in the window. An access outside of the fake VRAM fails the test. */
static u32 *pramin_word(struct nvfifo_test_card *card, u32 reg)
{
	u64 addr = ((u64)card->pramin << 16) + (reg - NV_PMEM_WINDOW);

	KUNIT_EXPECT_EQ(card->test, addr % 4, 0);

	if (addr < NVFIFO_TEST_VRAM || addr >= NVFIFO_TEST_VRAM + card->vram_bytes) {
		KUNIT_FAIL(card->test, "there is no VRAM at %#llx", addr);
		return card->vram;
	}

	return card->vram + (addr - NVFIFO_TEST_VRAM) / 4;
}

static void pramin_write(struct nvfifo_test_card *card, u32 reg, u32 val)
{
	u32 *word = pramin_word(card, reg);

	*word = val;
	if (card->on_store)
		card->on_store(card, NVFIFO_TEST_VRAM + (word - card->vram) * 4);
}

/* --- Operations ---------------------------------------------------------- */

static u32 fake_rd32(struct nvfifo_device *ndev, u32 reg)
{
	struct nvfifo_test_card *card = to_card(ndev);
	u32 val;

	if (is_pramin(reg))
		return *pramin_word(card, reg);

	val = reg_read(card, reg);

	check_access(card, reg, false);
	record(card, false, reg, val);

	return val;
}

static void fake_wr32(struct nvfifo_device *ndev, u32 reg, u32 val)
{
	struct nvfifo_test_card *card = to_card(ndev);
	u32 old;

	/* Accesses to VRAM and to the window's base are not recorded. */
	if (is_pramin(reg)) {
		pramin_write(card, reg, val);
		return;
	}

	if (reg == NV_PBUS_HOST_MEM_PMEM) {
		card->pramin = val;
		return;
	}

	old = nvfifo_test_peek(card, reg);
	check_access(card, reg, true);
	record(card, true, reg, val);

	switch (reg) {
	case NV_PFB_TLB_FLUSH:
		card->busy[NVFIFO_TEST_TLB] = val & 1 ? card->slow[NVFIFO_TEST_TLB] : 0;
		break;
	case NV_PFLUSH_BAR_FLUSH:
	case NV_CACHE1_FLUSH_CTRL_G80:
		card->busy[NVFIFO_TEST_FLUSH] = val & 1 ? card->slow[NVFIFO_TEST_FLUSH] : 0;
		break;
	case NV_PFIFO_FREEZE:
		val &= ~0x10u;
		card->busy[NVFIFO_TEST_FROZEN] = card->slow[NVFIFO_TEST_FROZEN];
		card->busy[NVFIFO_TEST_IDLE] = card->slow[NVFIFO_TEST_IDLE];
		break;
	case NV_CACHE1_KICK_CHANNEL:
		card->busy[NVFIFO_TEST_KICK] = card->slow[NVFIFO_TEST_KICK];
		break;
	case NV_CACHE1_PLAYLIST_LEN:
		card->busy[NVFIFO_TEST_PLAYLIST] = card->slow[NVFIFO_TEST_PLAYLIST];
		break;
	case NV_CACHE1_PULL0:
		card->busy[NVFIFO_TEST_HASH] = card->slow[NVFIFO_TEST_HASH];
		break;
	case NV_PGRAPH_CONTROL:
		if (old & ~val & 1)
			card->busy[NVFIFO_TEST_PGRAPH] = card->slow[NVFIFO_TEST_PGRAPH];
		break;
	case NV_PFIFO_INTR:
	case NV_PGRAPH_INTR:
		val = old & ~val;
		break;
	case NV_PFB_VM_FAULT:
		/* PENDING is cleared by writing it. */
		val = (val & 0x7fffffff) | (val & 0x80000000 ? 0 : old & 0x80000000);
		break;
	}

	nvfifo_test_poke(card, reg, val);
	if (card->on_write)
		card->on_write(card, reg, val);
}

/* A byte: no procedure has a register of that size. */
static void fake_wr8(struct nvfifo_device *ndev, u32 reg, u8 val)
{
	struct nvfifo_test_card *card = to_card(ndev);

	check_access(card, reg, true);
	card->byte_reg = reg;
	card->byte_val = val;
}

/* All waits alike: a machine under load may need longer than the driver's short ones. */
static u32 fake_timeout_us(struct nvfifo_device *ndev, u32 us)
{
	return to_card(ndev)->timeout_us;
}

/* The fake card is on no bus, and the tests end its channels themselves. */
static void fake_leave_bus(struct nvfifo_device *ndev)
{
}

static const struct nvfifo_io_ops fake_io = {
	.rd32 = fake_rd32,
	.wr32 = fake_wr32,
	.wr8 = fake_wr8,
	.timeout_us = fake_timeout_us,
	.leave_bus = fake_leave_bus,
};

/* The word that the card reads there. */
u32 nvfifo_test_vram(const struct nvfifo_test_card *card, u64 addr)
{
	u64 offset = addr - NVFIFO_TEST_VRAM;

	KUNIT_ASSERT_LT_MSG(card->test, offset, card->vram_bytes, "no VRAM at %#llx", addr);
	return card->vram[offset / 4];
}

void nvfifo_test_forget(struct nvfifo_test_card *card)
{
	card->logged = 0;
}

/**
 * nvfifo_test_find() - Find an access
 * @card: the card
 * @write: a write, else a read
 * @reg: of this register
 * @from: start of the search
 *
 * Return: its index in the log, -1 if there is none.
 */
int nvfifo_test_find(const struct nvfifo_test_card *card, bool write, u32 reg, int from)
{
	int i;

	for (i = max(from, 0); i < card->logged; i++)
		if (card->log[i].write == write && card->log[i].reg == reg)
			return i;
	return -1;
}

/* Expect exactly these recorded writes, in this order. */
void nvfifo_test_expect_writes(struct nvfifo_test_card *card,
			       const struct nvfifo_test_write *want, u32 count)
{
	u32 i, n = 0;

	for (i = 0; i < card->logged; i++) {
		if (!card->log[i].write)
			continue;
		if (n < count) {
			KUNIT_EXPECT_EQ_MSG(card->test, card->log[i].reg, want[n].reg, "write %u",
					    n);
			KUNIT_EXPECT_EQ_MSG(card->test, card->log[i].val, want[n].val,
					    "write %u, register %06x", n, want[n].reg);
		} else {
			KUNIT_FAIL(card->test, "unexpected write %u: %06x = %08x", n,
				   card->log[i].reg, card->log[i].val);
		}

		n++;
	}

	KUNIT_EXPECT_GE_MSG(card->test, n, count, "writes are missing");
}

/* Make a procedure endless, and shorten the driver's time-outs. */
void nvfifo_test_stick(struct nvfifo_test_card *card, unsigned int unit)
{
	card->slow[unit] = NVFIFO_TEST_STUCK;
	card->timeout_us = 20 * USEC_PER_MSEC;
}

/**
 * nvfifo_test_card() - Create a card
 * @test: owns the card, which is freed with it
 * @chipset: id of the chipset
 *
 * Return: the card: quiet, with nothing busy and VRAM full of old bytes.
 */
struct nvfifo_test_card *nvfifo_test_card(struct kunit *test, u32 chipset)
{
	struct nvfifo_test_card *card = kunit_kzalloc(test, sizeof(*card), GFP_KERNEL);
	struct nvfifo_device *ndev;

	KUNIT_ASSERT_NOT_NULL(test, card);

	card->test = test;

	/*
	 * A busy procedure of the fake card ends much earlier. The time-out is long, so that a
	 * test on a loaded machine does not fail.
	 */
	card->timeout_us = 20 * USEC_PER_SEC;
	card->vram = kunit_kmalloc(test, NVFIFO_TEST_VRAM_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, card->vram);
	memset(card->vram, 0xa5, NVFIFO_TEST_VRAM_BYTES);
	card->vram_bytes = NVFIFO_TEST_VRAM_BYTES;

	ndev = &card->ndev;
	nvfifo_device_prepare(ndev);
	address_space_init_once(&card->mapping);
	card->inode.i_mapping = &card->mapping;
	ndev->drm.anon_inode = &card->inode;
	ndev->hw.io = &fake_io;

	ndev->boot_0 = chipset << 20 | 0xa2;
	ndev->chip = nvfifo_chip_find(ndev->boot_0);
	KUNIT_ASSERT_NOT_NULL(test, ndev->chip);

	ndev->mem.facts.vram_size = NVFIFO_TEST_VRAM + NVFIFO_TEST_VRAM_BYTES;
	nvfifo_test_poke(card, NV_PMC_BOOT_0, ndev->boot_0);

	return card;
}

KUNIT_DEFINE_ACTION_WRAPPER(vfree_action, vfree, const void *);

static void heap_takedown(void *data)
{
	struct nvfifo_test_card *card = data;

	/* Reports memory that is still allocated. */
	drm_mm_takedown(&card->ndev.mem.heap);
}

/**
 * nvfifo_test_heap() - Create the card's instance heap, for page tables
 * @card: the card
 * @bytes: of the heap, a multiple of 4 KiB; it follows the first NVFIFO_TEST_VRAM_BYTES of VRAM
 */
void nvfifo_test_heap(struct nvfifo_test_card *card, u32 bytes)
{
	u32 all = NVFIFO_TEST_VRAM_BYTES + bytes;
	u32 *vram = vmalloc(all);

	KUNIT_ASSERT_NOT_NULL(card->test, vram);
	KUNIT_ASSERT_EQ(card->test, kunit_add_action_or_reset(card->test, vfree_action, vram), 0);

	memset(vram, 0xa5, all);
	card->vram = vram;
	card->vram_bytes = all;
	card->ndev.mem.facts.vram_size = NVFIFO_TEST_VRAM + all;
	card->ndev.mem.facts.heap_size = bytes;
	drm_mm_init(&card->ndev.mem.heap, NVFIFO_TEST_VRAM + NVFIFO_TEST_VRAM_BYTES, bytes);
	KUNIT_ASSERT_EQ(card->test, kunit_add_action_or_reset(card->test, heap_takedown, card), 0);
}
