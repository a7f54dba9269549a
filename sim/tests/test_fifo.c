// SPDX-License-Identifier: MIT
/*
 * PFIFO: commands and errors of the pusher, puller, semaphores, channel switches, kick,
 * freeze and playlist, with the violations that the model reports for each.
 */
#include "rig.h"

#define PUSHER_ERROR(r)	(rd(r, NV_CACHE1_DMA_STATE) >> 29)

static struct rig *ready(const char *chip, bool ib)
{
	struct rig *r = rig_create(chip);

	rig_init_pfifo(r);
	channel_create(r, 1, ib);
	playlist(r, 1, 1);
	return r;
}

static uint32_t ref(struct rig *r, unsigned int n)
{
	return rd(r, user(n, NV_USER_REF));
}

/* Handle a DMA_PUSHER error as a driver does. */
static void pusher_recover(struct rig *r)
{
	uint32_t put = rd(r, NV_CACHE1_DMA_PUT), put_hi = rd(r, NV_CACHE1_DMA_PUT_HIGH);

	wr(r, NV_CACHE1_METHOD_COUNT, 0);
	if (rd(r, NV_CACHE1_DMA_GET) != put || rd(r, NV_CACHE1_DMA_GET_HIGH) != put_hi) {
		wr(r, NV_CACHE1_DMA_GET, put);
		wr(r, NV_CACHE1_DMA_GET_HIGH, put_hi);
	} else {
		wr(r, NV_CACHE1_IB_GET, rd(r, NV_CACHE1_IB_PUT));
	}

	wr(r, NV_CACHE1_DMA_STATE, 0);
	wr(r, NV_CACHE1_DMA_PUSH, 1);
	wr(r, NV_PFIFO_INTR, 0x1000);
}

/* Handle CACHE_ERROR or SEMAPHORE as a driver does. */
static void puller_skip(struct rig *r, uint32_t intr)
{
	wr(r, NV_CACHE1_GET, (rd(r, NV_CACHE1_GET) + 4) & 0xffc);
	wr(r, NV_PFIFO_INTR, intr);
	wr(r, NV_CACHE1_PULL0, 1);
}

/* --- pusher --- */

static void test_commands(const char *chip)
{
	struct rig *r = ready(chip, true);

	/* increasing: two methods in one command */
	submit(r, 1, M(0, 0x60, 3), H_SEM, 0x10, 0x68, M(0, 0x6c, 1), 0x11);
	ram_set(r, RAM_SEM + 0x10, 0x68);
	run(r);
	tap(ram32(r, RAM_SEM + 0x10) == 0x11, "%s: an increasing command counts the method up",
	    chip);
	submit(r, 1, NI(0, 0x6c, 2), 1, 2, NI(0, 0x50, 3), 1, 2, 3);
	run(r);
	tap(ref(r, 1) == 3 && ram32(r, RAM_SEM + 0x10) == 2, "%s: non-increasing", chip);
	submit(r, 1, 0x00030050, 2, 7, 8, 0, M(5, 0x1ffc, 0), 0x40000000);
	run(r);
	tap(ref(r, 1) == 8, "%s: long non-increasing, NOPs, count 0", chip);
	submit(r, 1, 0x00010000 | 2 << 4, M(0, 0x50, 1), 9);
	run(r);
	tap(ref(r, 1) == 8, "%s: SLI conditional for another card", chip);
	submit(r, 1, 0x00010000 | 1 << 4, M(0, 0x50, 1), 10);
	run(r);
	tap(ref(r, 1) == 10, "%s: SLI conditional for this one", chip);
	submit(r, 1, M(0, 0x50, 1));
	run(r);
	tap(ref(r, 1) == 10 && rd(r, NV_CACHE1_METHOD_COUNT) == 1, "%s: a command may end in",
	    chip);
	submit(r, 1, 0x1234);
	run(r);
	tap(ref(r, 1) == 0x1234, "%s: the next segment", chip);
	tap(rd(r, user(1, NV_USER_IB_GET)) == r->ib_put[1] &&
		    rd(r, user(1, NV_USER_DMA_GET)) == VA_PUSH + r->push_at[1] &&
		    rd(r, user(1, NV_USER_DMA_PUT)) == VA_PUSH + r->push_at[1] &&
		    rd(r, user(1, NV_USER_DMA_MGET)) == VA_PUSH + r->push_at[1] &&
		    rd(r, user(1, NV_USER_DMA_MGET_HIGH)) == 0x80000000,
	    "%s: GET, PUT and MGET end at the end", chip);

	ram_set(r, RAM_PUSH(1) + 0x8000, 0);
	ib_raw(r, 1, VA_PUSH + 0x8000, 1 << 10 | 1 << 9);
	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_DMA_GET)) == VA_PUSH + 0x8004 &&
		    rd(r, user(1, NV_USER_DMA_MGET)) == VA_PUSH + r->push_at[1],
	    "%s: NOT_MAIN leaves MGET alone", chip);

	while (r->ib_put[1] != 3) {
		ib_raw(r, 1, VA_PUSH, 1 << 10);
		ram_set(r, RAM_PUSH(1), 0);
	}

	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_IB_GET)) == 3 && clean(r), "%s: the ring wraps", chip);
	rig_destroy(r);
}

static void ib_jump(struct rig *r, const char *chip)
{
	submit(r, 1, M(0, 0x50, 1), 1, 0x20000000 | VA_PUSH, M(0, 0x50, 1), 2);
	run(r);
	tap(PUSHER_ERROR(r) == 4 && ref(r, 1) == 1 && r->intx && rd(r, NV_PFIFO_INTR) == 0x1000,
	    "%s: a jump in IB mode is INVALID_CMD", chip);
	tap(rd(r, NV_CACHE1_DMA_GET) == VA_PUSH + 8 &&
		    rd(r, NV_CACHE1_DMA_RSVD_SHADOW) == (0x20000000 | VA_PUSH) &&
		    !(rd(r, NV_CACHE1_DMA_PUSH) & 1),
	    "%s: GET stays at the word, the pusher stops", chip);
	run(r);
	tap(ref(r, 1) == 1, "%s: nothing goes on by itself", chip);

	pusher_recover(r);
	submit(r, 1, M(0, 0x50, 1), 3);
	run(r);
	tap(ref(r, 1) == 3 && !r->intx, "%s: dropped, the next segment runs", chip);
}

static void ib_invalid_method(struct rig *r, const char *chip)
{
	submit(r, 1, M(0, 0x50, 1), 4, M(2, 0x54, 1), 5);
	run(r);
	tap(PUSHER_ERROR(r) == 2 && (rd(r, NV_CACHE1_DMA_STATE) & 0xfffc) == (2 << 13 | 0x54) &&
		    rd(r, NV_CACHE1_METHOD_COUNT) == 1 && rd(r, NV_CACHE1_DMA_DATA_SHADOW) == 5,
	    "%s: INVALID_MTHD keeps method, subchannel and count", chip);

	pusher_recover(r);
	submit(r, 1, M(0, 0x08, 1), 5);
	run(r);
	tap(PUSHER_ERROR(r) == 2, "%s: 0x08 is no method of this family", chip);

	pusher_recover(r);
	submit(r, 1, M(0, 0x20, 1), 5);
	run(r);
	tap(PUSHER_ERROR(r) == (r->g80 ? 2 : 0), "%s: 0x20 came with the G84", chip);

	if (r->g80)
		pusher_recover(r);
	else
		wr(r, NV_PFIFO_INTR, 1u << 30);
}

static void ib_mem_fault(struct rig *r, const char *chip)
{
	ib_raw(r, 1, 0x01f00000, 4 << 10);
	doorbell(r, 1);
	run(r);
	tap(PUSHER_ERROR(r) == 6 && rd(r, NV_CACHE1_DMA_GET) == 0x01f00000 &&
		    (rd(r, NV_PFB_VM_FAULT) & 1u << 31),
	    "%s: MEM_FAULT, GET stays", chip);

	map_ram(r, 1, 0x01f00000, 0x300000);
	ram_set(r, 0x300000, NI(0, 0x50, 3));
	ram_set(r, 0x300004, 0);
	ram_set(r, 0x300008, 0);
	ram_set(r, 0x30000c, 0x77);
	bar_flush(r);
	tlb_flush(r, 5);
	wr(r, NV_CACHE1_DMA_STATE, 0);
	wr(r, NV_PFIFO_INTR, 0x1000);
	wr(r, NV_CACHE1_DMA_PUSH, 1);
	run(r);
	tap(ref(r, 1) == 0x77, "%s: with the page there, it can be restarted", chip);
}

static void test_ib_errors(const char *chip)
{
	struct rig *r = ready(chip, true);

	ib_jump(r, chip);
	ib_invalid_method(r, chip);

	ib_raw(r, 1, VA_PUSH, 0);
	doorbell(r, 1);
	run(r);
	tap(PUSHER_ERROR(r) == 5 && rd(r, NV_CACHE1_IB_GET) == r->ib_put[1],
	    "%s: IB_EMPTY, IB_GET has gone on", chip);
	pusher_recover(r);

	ib_mem_fault(r, chip);

	submit(r, 1, 0x00020000);
	run(r);
	tap(PUSHER_ERROR(r) == 4, "%s: return in IB mode is INVALID_CMD", chip);

	pusher_recover(r);
	submit(r, 1, 0xa0000000);
	run(r);
	tap(PUSHER_ERROR(r) == 4 && clean(r), "%s: reserved opcode", chip);
	rig_destroy(r);
}

static void test_get_switch(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.quirks = 1ull << NVSIM_QUIRK_INVALID_CMD_GET,
	};
	struct rig *r = rig_create_cfg(&cfg);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x50, 1), 1, 0xffffffff, 0);
	run(r);
	tap(PUSHER_ERROR(r) == 4 && rd(r, NV_CACHE1_DMA_GET) == VA_PUSH + 12,
	    "invalid-cmd-get=advances: GET is after the word");
	rig_destroy(r);
}

static void put_at(struct rig *r, uint32_t off, uint32_t w)
{
	ram_set(r, RAM_PUSH(1) + off, w);
}

static void nv04_errors(struct rig *r, const char *chip)
{
	put_at(r, 0x308, 0x00020000);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x30c);
	run(r);
	tap(PUSHER_ERROR(r) == 3, "%s: RET_SUBR_INACTIVE", chip);

	pusher_recover(r);
	put_at(r, 0x30c, (VA_PUSH + 0x400) | 2);
	put_at(r, 0x400, (VA_PUSH + 0x500) | 2);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x500);
	run(r);
	tap(PUSHER_ERROR(r) == 1 && rd(r, NV_CACHE1_DMA_GET) == VA_PUSH + 0x404,
	    "%s: CALL_SUBR_ACTIVE", chip);

	pusher_recover(r);
	put_at(r, 0x500, 0x00030050);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x504);
	run(r);
	tap(PUSHER_ERROR(r) == 4, "%s: long non-increasing is for IB mode", chip);
	pusher_recover(r);
}

static void test_nv04(const char *chip)
{
	struct rig *r = ready(chip, false);

	put_at(r, 0x00, M(0, 0x50, 1));
	put_at(r, 0x04, 1);
	put_at(r, 0x08, (VA_PUSH + 0x100) | 1);
	put_at(r, 0x100, M(0, 0x50, 1));
	put_at(r, 0x104, 2);
	put_at(r, 0x108, (VA_PUSH + 0x200) | 2);
	put_at(r, 0x10c, 0x20000000 | (VA_PUSH + 0x300));
	put_at(r, 0x200, M(0, 0x50, 1));
	put_at(r, 0x204, 3);
	put_at(r, 0x208, 0x00020000);
	put_at(r, 0x300, M(0, 0x50, 1));
	put_at(r, 0x304, 4);
	wr(r, user(1, NV_USER_DMA_PUT_HIGH), 0);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 8);
	run(r);
	tap(ref(r, 1) == 1 && rd(r, user(1, NV_USER_DMA_GET)) == VA_PUSH + 8, "%s: linear", chip);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x108);
	run(r);
	tap(ref(r, 1) == 2 && rd(r, NV_CACHE1_DMA_GET_JMP_SHADOW) == VA_PUSH + 0xc, "%s: jump",
	    chip);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x208);
	run(r);
	tap(ref(r, 1) == 3 && rd(r, user(1, NV_USER_DMA_CGET)) == VA_PUSH + 0x10c,
	    "%s: call, CGET is the return address", chip);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x308);
	run(r);
	tap(ref(r, 1) == 4 && rd(r, user(1, NV_USER_DMA_CGET)) == VA_PUSH + 0x308,
	    "%s: return, old jump", chip);

	nv04_errors(r, chip);
	wr(r, NV_CACHE1_DMA_LIMIT, VA_PUSH + 0x504);
	put_at(r, 0x504, M(0, 0x50, 1));
	put_at(r, 0x508, 9);
	wr(r, user(1, NV_USER_DMA_PUT), VA_PUSH + 0x50c);
	run(r);
	tap(PUSHER_ERROR(r) == 6 && rd(r, NV_CACHE1_DMA_GET) == VA_PUSH + 0x508,
	    "%s: past DMA_LIMIT is MEM_FAULT", chip);
	tap(clean(r), "%s: and all that is no violation", chip);
	wr(r, user(1, NV_USER_IB_PUT), 1);
	tap(violated(r, "not in IB mode"), "%s: IB_PUT of an NV04-mode channel", chip);
	rig_destroy(r);
}

static void test_cache_full(void)
{
	struct rig *r = ready("g84", true);
	unsigned int i;

	wr(r, NV_CACHE1_PULL0, 0);
	ib_raw(r, 1, VA_PUSH, 701 << 10);
	put_at(r, 0, NI(0, 0x50, 700));

	for (i = 0; i < 700; i++)
		put_at(r, 4 + i * 4, i);

	doorbell(r, 1);
	run(r);
	tap((rd(r, NV_CACHE1_STATUS) & 0x110) == 0x100 && rd(r, NV_CACHE1_PUT) == 0x800 &&
		    rd(r, NV_CACHE1_DMA_GET) == VA_PUSH + 4 + 512 * 4,
	    "the pusher waits at 512 entries");
	tap(rd(r, NV_REG_AT(NV_CACHE1_CACHE_MTHD, 511)) == 0x51 &&
		    rd(r, NV_REG_AT(NV_CACHE1_CACHE_DATA, 511)) == 511,
	    "which can be read at 0x90000");
	wr(r, NV_CACHE1_PULL0, 1);
	run(r);
	tap(ref(r, 1) == 699 && rd(r, NV_CACHE1_GET) == 700 * 4 && clean(r),
	    "with the puller on, everything runs");
	rig_destroy(r);
}

/* --- puller --- */

static void test_ramht(void)
{
	struct rig *r = ready("g84", true);
	uint32_t h = 0x00000201;	/* 0x001 ^ 0x200 >> 9: collides with slot 0 */
	unsigned int slot = hash9(h);

	ramht_insert(r, 1, slot, 0x1111, 0x00000800);
	ramht_insert(r, 1, (slot + 5) & 511, h, (CHAN_DMAOBJ + 0x20) >> 4);
	bar_flush(r);
	submit(r, 1, M(0, 0x60, 1), h);
	run(r);
	tap(rd(r, NV_CACHE1_SEMAPHORE) >> 16 == (CHAN_DMAOBJ + 0x20) >> 4 &&
		    rd(r, NV_CACHE1_HASH) == (CHAN_DMAOBJ + 0x20) >> 4,
	    "found after a collision and free slots");

	wr(r, NV_PFIFO_RAMHT, CHAN_RAMHT >> 4);
	ramht_insert(r, 1, (slot + 5) & 511, 0, 0);
	ramht_insert(r, 1, (slot + 15) & 511, h, 0x801);
	bar_flush(r);
	submit(r, 1, M(0, 0x60, 1), h);
	run(r);
	tap(rd(r, NV_CACHE1_HASH) == 0x801, "SEARCH 0 looks at 16 slots");

	ramht_insert(r, 1, (slot + 15) & 511, 0, 0);
	ramht_insert(r, 1, (slot + 16) & 511, h, 0x801);
	bar_flush(r);
	submit(r, 1, M(0, 0x60, 1), h);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 1 && rd(r, NV_CACHE1_PULL0) == 0x10 &&
		    rd(r, NV_CACHE1_HASH) == 0,
	    "not at 17: HASH_FAILED, CACHE_ERROR");
	tap(rd(r, NV_PFIFO_DEBUG_0) == 0x11, "DEBUG_0 has copies of CACHE_ERROR");

	wr(r, NV_CACHE1_PULL0, 1);
	wr(r, NV_PFIFO_INTR, 1);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 1, "resumed without a step, it fails again");

	wr(r, NV_PFIFO_RAMHT, 0x04000000 | CHAN_RAMHT >> 4);
	wr(r, NV_CACHE1_PULL0, 1);
	wr(r, NV_PFIFO_INTR, 1);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 0 && rd(r, NV_CACHE1_HASH) == 0x801,
	    "resumed with SEARCH_FULL, it succeeds");
	tap(rd(r, NV_PFIFO_DEBUG_0) == 0, "DEBUG_0 is 0 without an error");
	tap(clean(r), "no violation so far");

	ramht_insert(r, 1, 7, 7, 0x802);
	submit(r, 1, M(0, 0x60, 1), 7);
	run(r);
	tap(violated(r, "RAMHT entry"), "an entry used without a BAR flush");
	submit(r, 1, M(0, 0x60, 1), 0);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 1, "handle 0 misses in a table of free slots");
	rig_destroy(r);
}

static void test_software(void)
{
	struct rig *r = ready("g84", true);

	ramht_insert(r, 1, hash9(0x77), 0x77, 0x00000004);
	bar_flush(r);
	submit(r, 1, M(3, 0x00, 1), 0x77, M(3, 0x500, 1), 0xabcd, M(3, 0x180, 1), H_SEM,
	       M(0, 0x50, 1), 5);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 1 && rd(r, NV_CACHE1_PULL0) == 0x100 &&
		    rd(r, NV_CACHE1_HASH) == 4,
	    "binding a software object is a CACHE_ERROR with its instance in HASH");

	wr(r, NV_CACHE1_GET, (rd(r, NV_CACHE1_GET) + 4) & 0xffc);
	wr(r, NV_PFIFO_INTR, 1);
	wr(r, NV_CACHE1_PULL0, 1);
	tap(rd(r, NV_CACHE1_PULL0) == 1, "letting the puller run clears its error bits");
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 0x100 &&
		    rd(r, NV_REG_AT(NV_CACHE1_CACHE_MTHD, rd(r, NV_CACHE1_GET) >> 2)) == 0x6500 &&
		    rd(r, NV_REG_AT(NV_CACHE1_CACHE_DATA, rd(r, NV_CACHE1_GET) >> 2)) == 0xabcd,
	    "so is a software method, with its pair at GET");
	puller_skip(r, 1);
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 0x100 && rd(r, NV_CACHE1_HASH) == (CHAN_DMAOBJ + 0x20) >> 4,
	    "0x180 looks its data up first");
	puller_skip(r, 1);
	run(r);
	tap(ref(r, 1) == 5 && rd(r, NV_PFIFO_INTR) == 0 && clean(r), "and then the rest runs");
	rig_destroy(r);
}

static void test_engines(void)
{
	struct rig *r = ready("g84", true);

	graph_object(r, 1, 1, 0x9000, 0x5039);
	ramht_insert(r, 1, hash9(0x3333), 0x3333, 0x00300900);
	bar_flush(r);
	submit(r, 1, M(2, 0x00, 1), 0x3333);
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 1u << 24, "engine 3 does not exist on a G84");

	puller_skip(r, 1);
	submit(r, 1, M(2, 0x00, 1), 0x5039, M(2, 0x180, 1), H_SEM, M(2, 0x30c, 1), 0x10,
	       M(0, 0x50, 1), 6);
	run(r);
	tap(rd(r, NV_CACHE1_ENGINE) == 0x100 && rd(r, NV_CACHE1_PULL1) == 1 && ref(r, 1) == 6 &&
		    clean(r),
	    "bound, methods go to the engine");
	rig_destroy(r);
}

static void test_semaphore_errors(const char *chip)
{
	struct rig *r = ready(chip, true);

	submit(r, 1, M(0, 0x6c, 1), 1);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 0x100000 && rd(r, NV_CACHE1_PULL0) == 0x200000,
	    "%s: release without an offset: INVALID_STATE", chip);

	puller_skip(r, 0x100000);
	submit(r, 1, M(0, 0x64, 1), 0x42);
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 0x100000, "%s: odd offset: ADDRESS_UNALIGNED", chip);

	puller_skip(r, 0x100000);
	submit(r, 1, M(0, 0x64, 1), 0x10000);
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 0x300000, "%s: large offset: ADDRESS_TOO_LARGE", chip);

	puller_skip(r, 0x100000);
	submit(r, 1, M(0, 0x64, 1), 0x40, M(0, 0x6c, 1), 1);
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 0x400000 && (rd(r, NV_PFB_VM_FAULT_DATA) & 0xff) == 0x65,
	    "%s: no DMA object: MEM_FAULT with NULL_DMAOBJ", chip);

	puller_skip(r, 0x100000);
	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x2000, M(0, 0x68, 1), 1);
	run(r);
	tap(rd(r, NV_CACHE1_PULL0) == 0x400000 && rd(r, NV_PFB_VM_FAULT_DATA) == 0x1825,
	    "%s: acquire on an absent page: MEM_FAULT, client 8, slot 1", chip);

	puller_skip(r, 0x100000);
	if (!r->g80) {
		uint32_t get;

		submit(r, 1, M(0, 0x10, 1), 0x100);
		run(r);
		tap(rd(r, NV_CACHE1_PULL0) == 0x300000, "%s: more than 40 bits", chip);
		puller_skip(r, 0x100000);
		get = rd(r, NV_CACHE1_GET);
		submit(r, 1, M(0, 0x14, 1), 0x42, M(0, 0x50, 1), 0x99);
		run(r);
		tap(rd(r, NV_CACHE1_PULL0) == 0x100000 &&
			    rd(r, NV_CACHE1_SEMAPHORE_ADDRESS_LOW) == 0x42 &&
			    rd(r, NV_CACHE1_GET) == ((get + 4) & 0xffc),
		    "%s: 0x14 odd: the address is stored and GET has gone on", chip);
		wr(r, NV_CACHE1_SEMAPHORE_ADDRESS_LOW, 0);
		wr(r, NV_CACHE1_PULL0, 1);
		wr(r, NV_PFIFO_INTR, 0x100000);
		run(r);
		tap(ref(r, 1) == 0x99, "%s: so the handler must not step", chip);
	}

	tap(clean(r), "%s: semaphore errors are no violations", chip);
	rig_destroy(r);
}

static void test_new_semaphores(void)
{
	struct rig *r = ready("g84", true);

	r->now = 0x500000020ull;
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x10, 4), 0, 0x100, 0x12345678, 2,
	       M(0, 0x20, 1), 0);
	ram_set(r, RAM_SEM + 0x104, 0xffffffff);
	run(r);
	tap(ram32(r, RAM_SEM + 0x100) == 0x12345678 && ram32(r, RAM_SEM + 0x104) == 0 &&
		    ram32(r, RAM_SEM + 0x108) == 0x20 && ram32(r, RAM_SEM + 0x10c) == 5,
	    "long release: sequence, 0, time");
	tap(rd(r, NV_PFIFO_INTR) == 1u << 30 && r->intx, "NOTIFY_INTR interrupts");

	wr(r, NV_PFIFO_INTR, 1u << 30);
	ram_set(r, RAM_SEM + 0x100, 0x80000001);
	submit(r, 1, M(0, 0x18, 2), 0x80000001, 1, M(0, 0x50, 1), 1, M(0, 0x18, 2), 0x80000000, 4,
	       M(0, 0x50, 1), 2, M(0, 0x18, 2), 0x80000002, 4, M(0, 0x50, 1), 3);
	run(r);
	tap(ref(r, 1) == 2 && (rd(r, NV_CACHE1_PULL1) & 0xf0) == 0xb0 &&
		    rd(r, NV_CACHE1_ACQUIRE_VALUE) == 0x80000002,
	    "acquire equal and greater-or-equal, the third one waits");
	ram_set(r, RAM_SEM + 0x100, 0x80000003);
	tap(nvsim_run(r->sim, 100) == 50000 && ref(r, 1) == 2, "until its next look");
	r->now += 50000;
	run(r);
	tap(ref(r, 1) == 3 && !(rd(r, NV_CACHE1_PULL1) & 0x10) && clean(r), "then it goes on");

	ram_set(r, RAM_SEM + 0x100, 1);
	submit(r, 1, M(0, 0x18, 2), 0xffffffff, 4, M(0, 0x50, 1), 30);
	run(r);
	tap(ref(r, 1) == 30, "greater-or-equal goes by the sign of the difference");

	submit(r, 1, M(0, 0x1c, 1), 3, M(0, 0x50, 1), 4);
	run(r);
	r->now += 10000000;
	run(r);
	tap(ref(r, 1) == 30 && !r->intx, "an unknown trigger waits for ever");
	rig_destroy(r);
}

/* --- switching --- */

static struct rig *two_channels(const char *chip)
{
	struct rig *r = rig_create(chip);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	channel_create(r, 2, true);
	playlist(r, 2, 1, 2);
	return r;
}

static void test_cross_channel(const char *chip)
{
	struct rig *r = two_channels(chip);
	uint32_t fc = ramfc(r, 1), area = r->g80 ? CHAN_BASE(1) + 0x400 :
						   CHAN_BASE(1) + CHAN_CACHE_G84;

	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x10, M(0, 0x68, 1), 1, M(0, 0x50, 1),
	       0xaa, M(4, 0x6c, 1), 2);
	run(r);
	tap(ref(r, 1) == 0 && rd(r, NV_CACHE1_PUSH1) == 0x10001, "%s: channel 1 waits, loaded",
	    chip);
	submit(r, 2, M(0, 0x50, 1), 0x22);
	run(r);
	tap(ref(r, 2) == 0x22 && rd(r, NV_CACHE1_PUSH1) == 0x10002, "%s: channel 2 runs", chip);
	tap(peek(r, fc + 0x84) == 3 && (peek(r, fc + 0x5c) & 0x10) && peek(r, fc + 0x68) == 1 &&
		    peek(r, fc + 0x04) == 1 && peek(r, fc + 0x80) == (0x04000000 | CHAN_RAMHT >> 4),
	    "%s: RAMFC of channel 1 keeps its state", chip);
	tap(peek(r, area) == 0x68 && peek(r, area + 4) == 1 && peek(r, area + 8) == 0x50 &&
		    peek(r, area + 12) == 0xaa && peek(r, area + 16) == (4 << 13 | 0x6c),
	    "%s: its CACHE entries are in the save area", chip);
	tap(ref(r, 1) == 0 && rd(r, user(1, NV_USER_IB_GET)) == 1 &&
		    rd(r, user(1, NV_USER_DMA_GET)) == VA_PUSH + 40,
	    "%s: its USER page shows RAMFC", chip);
	submit(r, 2, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x10, M(0, 0x6c, 1), 1);
	run(r);
	tap(ref(r, 1) == 0xaa && ram32(r, RAM_SEM + 0x10) == 2,
	    "%s: a release by channel 2 lets it go on", chip);
	tap(clean(r), "%s: no violation", chip);
	rig_destroy(r);
}

static void test_ping_pong(const char *chip)
{
	struct rig *r = two_channels(chip);
	unsigned int i;
	struct nvsim_stats st;

	for (i = 0; i < 20; i++) {
		uint32_t a[] = { M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x10, M(0, 0x68, 1), 2 * i,
				 M(0, 0x6c, 1), 2 * i + 1, M(0, 0x50, 1), i };
		uint32_t b[] = { M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x10, M(0, 0x68, 1),
				 2 * i + 1, M(0, 0x6c, 1), 2 * i + 2, M(0, 0x50, 1), i };

		submit_words(r, 1, a, 10);
		submit_words(r, 2, b, 10);
	}

	for (i = 0; i < 1000 && ref(r, 2) != 19; i++) {
		run(r);
		r->now += 50000;
	}

	nvsim_get_stats(r->sim, &st);
	tap(ref(r, 1) == 19 && ref(r, 2) == 19 && ram32(r, RAM_SEM + 0x10) == 40 && i < 3 &&
		    clean(r),
	    "%s: 20 hand-overs between two channels", chip);
	rig_destroy(r);
}

static void test_slices(void)
{
	struct rig *r = two_channels("g84");
	unsigned int i;

	for (i = 0; i < 0x4000 - 1; i++) {
		ram_set(r, RAM_PUSH(1) + 4 + i * 4, i);
		ram_set(r, RAM_PUSH(2) + 4 + i * 4, i);
	}

	ram_set(r, RAM_PUSH(1), NI(0, 0x50, 0x7ff));
	ram_set(r, RAM_PUSH(2), NI(0, 0x50, 0x7ff));
	wr(r, NV_PFIFO_CACHES, 0);

	for (i = 0; i < 40; i++) {
		ib_raw(r, 1, VA_PUSH, 0x800 << 10);
		ib_raw(r, 2, VA_PUSH, 0x800 << 10);
	}

	doorbell(r, 1);
	doorbell(r, 2);
	run(r);
	tap(rd(r, NV_CACHE1_PUSH1) == 0 && ref(r, 1) == 0, "without REASSIGN nothing is loaded");

	wr(r, NV_PFIFO_CACHES, 1);

	for (i = 0; i < 400 && rd(r, NV_CACHE1_PUSH1) != 0x10002; i++)
		nvsim_run(r->sim, 100);

	tap(rd(r, user(1, NV_USER_IB_GET)) < 40 && rd(r, user(1, NV_USER_IB_GET)) > 1 && i < 400,
	    "a slice ends while the channel has work");
	wr(r, NV_PFIFO_TIMESLICE, 0x20000);
	nvsim_run(r->sim, 1);
	tap(rd(r, NV_CACHE1_PUSH1) == 0x10001, "writing 0x20000 to TIMESLICE forces a switch");
	run(r);
	tap(ref(r, 1) == 0x7fe && ref(r, 2) == 0x7fe && clean(r), "both end");
	rig_destroy(r);

	r = two_channels("g84");
	wr(r, NV_PFIFO_CACHES, 0);
	submit(r, 1, M(0, 0x50, 1), 1, M(0, 0x80, 1), 0, M(0, 0x50, 1), 2);
	submit(r, 2, M(0, 0x50, 1), 1);
	wr(r, NV_PFIFO_CACHES, 1);

	for (i = 0; i < 100 && ref(r, 2) != 1; i++)
		nvsim_run(r->sim, 1);

	tap(ref(r, 1) == 1, "YIELD lets the other channel run first");
	run(r);
	tap(ref(r, 1) == 2 && clean(r), "and then goes on");
	rig_destroy(r);
}

static void test_pause(void)
{
	struct rig *r = two_channels("g84");
	struct nvsim_stats st;

	wr(r, NV_CACHE1_PULL0, 0);
	submit(r, 1, M(0, 0x50, 1), 1);
	submit(r, 2, M(0, 0x50, 1), 2);
	tap(nvsim_run(r->sim, 1000) == UINT64_MAX, "with the puller off, everything comes to rest");
	nvsim_get_stats(r->sim, &st);
	tap(st.switches == 1 && rd(r, NV_CACHE1_PUSH1) == 0x10001, "in the first channel");
	wr(r, NV_CACHE1_PULL0, 1);
	run(r);
	tap(ref(r, 1) == 1 && ref(r, 2) == 2, "with it on, both run");

	wr(r, NV_CACHE1_DMA_PUSH, 0);
	submit(r, 2, M(0, 0x50, 1), 3);
	submit(r, 1, M(0, 0x50, 1), 3);
	tap(nvsim_run(r->sim, 1000) == UINT64_MAX && ref(r, 2) == 2, "the same for the pusher");
	wr(r, NV_CACHE1_DMA_PUSH, 1);
	run(r);
	tap(ref(r, 1) == 3 && ref(r, 2) == 3 && clean(r), "on again, both run");
	rig_destroy(r);
}

static void test_error_blocks(void)
{
	struct rig *r = two_channels("g84");

	submit(r, 1, 0xffffffff);
	run(r);
	submit(r, 2, M(0, 0x50, 1), 1);
	run(r);
	tap(ref(r, 2) == 0 && rd(r, NV_CACHE1_PUSH1) == 0x10001, "an unhandled error blocks all");

	/* kill channel 1 */
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	playlist(r, 1, 2);
	run(r);
	tap(ref(r, 2) == 0, "even with its channel taken away");

	wr(r, NV_PFIFO_ENGINE_CTRL, 1);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == ~0u, "and a kick waits for the handler");
	pusher_recover(r);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && ref(r, 2) == 1 && clean(r),
	    "which ends the error, the kick, and lets others run");
	rig_destroy(r);
}

static void kick(struct rig *r, unsigned int n)
{
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, n), chan_entry(r, n));
	playlist(r, 0);
	if (!r->g80)
		wr(r, NV_PFIFO_ENGINE_CTRL, 1);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(n) >> 12);
}

static void test_kick(void)
{
	struct rig *r = ready("g84", true);

	submit(r, 1, M(0, 0x50, 1), 0x55);
	run(r);
	tap(peek(r, ramfc(r, 1) + 0x74) == 0, "REF of a loaded channel is not in RAMFC");
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && peek(r, ramfc(r, 1) + 0x74) == 0x55 &&
		    rd(r, NV_CACHE1_PUSH1) == 0x1007f,
	    "a kick saves the channel, 127 is loaded");
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), 0);
	tap(clean(r), "then its entry may go");
	rig_destroy(r);

	r = ready("g80", true);
	submit(r, 1, M(0, 0x50, 1), 0x55);
	run(r);
	kick(r, 1);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == ~0u, "G80: without PME the kick hangs");
	wr(r, NV_PME_CONTROL, 1);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && peek(r, ramfc(r, 1) + 0x74) == 0x55,
	    "G80: with it, it ends");
	rig_destroy(r);

	r = ready("g84", true);
	submit(r, 1, M(0, 0x50, 1), 0x55);
	run(r);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_KICK_STUCK);
	kick(r, 1);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == ~0u, "KICK_STUCK: all ones");
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0, "KICK_STUCK cleared");
	tap(clean(r), "no violation");
	wr(r, NV_CACHE1_KICK_CHANNEL, 0x12345);
	tap(violated(r, "no channel table entry"), "a kick of nothing");
	rig_destroy(r);

	r = ready("g84", true);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	tap(violated(r, "enabled and in the playlist"), "a kick of a channel that may run");

	submit(r, 1, M(0, 0x50, 1), 0x55);
	run(r);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), 0);
	tap(violated(r, "while the channel is loaded"), "clearing a loaded channel's entry");
	rig_destroy(r);
}

static void test_freeze(void)
{
	struct rig *r = ready("g84", true);
	struct nvsim_stats st;

	wr(r, NV_PFIFO_FREEZE, 1);
	tap(rd(r, NV_PFIFO_FREEZE) == 1, "FROZEN lags");
	r->now += 4000;
	tap(rd(r, NV_PFIFO_FREEZE) == 0x11 && rd(r, NV_PFIFO_ENGINE_IDLE) == 0x3f, "FROZEN shows");
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	tap(ref(r, 1) == 0, "frozen, nothing runs");
	r->now += 3000000;
	wr(r, NV_PFIFO_FREEZE, 1);
	r->now += 1996000;
	wr(r, NV_PFIFO_FREEZE, 0);
	run(r);
	tap(ref(r, 1) == 0 && rd(r, NV_PFIFO_FREEZE) == 0x10, "FROZEN lags in a thaw, too");
	tap(nvsim_run(r->sim, 1000) == 4000, "PFIFO goes on by itself after that time");
	r->now += 4000;
	run(r);
	tap(ref(r, 1) == 1 && rd(r, NV_PFIFO_FREEZE) == 0, "thawed, it runs");
	r->now += 1000000;
	wr(r, NV_PFIFO_FREEZE, 0);
	nvsim_get_stats(r->sim, &st);
	tap(st.frozen_us == 5000, "the time of the freeze is counted");
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_FREEZE_STUCK);
	wr(r, NV_PFIFO_FREEZE, 1);
	r->now += 4000;
	tap(rd(r, NV_PFIFO_FREEZE) == 1 && clean(r), "FREEZE_STUCK: FROZEN never shows");
	rig_destroy(r);

	r = ready("g84", true);
	wr(r, NV_PFIFO_FREEZE, 1);
	r->now += 4000;
	wr(r, NV_PFIFO_FREEZE, 0);
	wr(r, NV_PFIFO_FREEZE, 1);
	tap(violated(r, "FROZEN still shows the last freeze"), "a freeze before a thaw's end");

	/* A reset ends a thaw, too. */
	wr(r, NV_PFIFO_FREEZE, 0);
	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) & ~NV_FLD_MASK(NV_PMC_ENABLE__PFIFO));
	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | NV_FLD_MASK(NV_PMC_ENABLE__PFIFO));
	tap(rd(r, NV_PFIFO_FREEZE) == 0, "a reset of PFIFO clears FROZEN");
	ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_FROZEN << 8 | 1);
	wr(r, NV_PFIFO_FREEZE, 1);
	tap(rd(r, NV_PFIFO_FREEZE) == 0x11, "frozen=at-once");
	rig_destroy(r);
}

static void test_playlist(const char *chip)
{
	struct rig *r = rig_create(chip);

	wr(r, NV_PMC_ENABLE, 0x00110000);
	wr(r, NV_PMC_ENABLE, 0x40110113);
	vwr(r, PLAYLIST_A, 1);
	bar_flush(r);
	wr(r, NV_CACHE1_PLAYLIST, PLAYLIST_A >> 12);
	wr(r, NV_CACHE1_PLAYLIST_LEN, 1);
	tap(violated(r, "not all 128"), "%s: playlist before the channel table was cleared", chip);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	vwr(r, PLAYLIST_A, 1);
	wr(r, NV_CACHE1_PLAYLIST_LEN, 1);
	tap(violated(r, "BAR flush"), "%s: playlist without a BAR flush", chip);
	bar_flush(r);
	vwr(r, PLAYLIST_A, 1);
	tap(violated(r, "committed playlist"), "%s: write into the committed playlist", chip);
	r->playlist_other = true;
	playlist(r, 2, 0, 127);
	tap(r->violations == 2 && strstr(r->last_violation, "ids are 1 to 126"),
	    "%s: channels 0 and 127 in the playlist", chip);
	r->violations = 0;
	submit(r, 1, M(0, 0x50, 1), 1);
	tap(violated(r, "not both enabled"),
	    "%s: work for a channel outside of the playlist", chip);
	run(r);
	tap(ref(r, 1) == 0, "%s: does not run", chip);
	playlist(r, 1, 1);
	run(r);
	tap(ref(r, 1) == 1 && clean(r), "%s: but when it gets there", chip);
	wr(r, NV_CACHE1_PLAYLIST_LEN, 129);
	tap(r->violations >= 1 && strstr(r->last_violation, "ids are"), "%s: 129 entries", chip);

	r->violations = 0;
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PLAYLIST_STUCK);
	playlist(r, 0);
	tap(rd(r, NV_CACHE1_PLAYLIST_LEN) == (r->g80 ? 0x100 : 0x1000),
	    "%s: PLAYLIST_STUCK: pending stays", chip);
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	tap(rd(r, NV_CACHE1_PLAYLIST_LEN) == 0, "%s: and ends", chip);
	rig_destroy(r);
}

static void test_page_checks(void)
{
	struct rig *r = ready("g84", true);

	wr(r, user(1, NV_USER_DMA_PUT_HIGH), 0x11);
	tap(violated(r, "DMA_PUT_HIGH of channel 1, which is in IB mode"), "DMA_PUT_HIGH of one");
	nvsim_bar_read(r->sim, 0, user(1, NV_USER_IB_GET), 8);
	tap(violated(r, "32-bit registers"), "a read of 8 bytes of a channel's page");

	/* The first half is IB_GET, which is read only. */
	nvsim_bar_write(r->sim, 0, user(1, NV_USER_IB_GET), 0, 8);
	tap(r->violations == 2, "a write of 8 bytes of a channel's page");
	rig_destroy(r);

	r = ready("g84", false);
	wr(r, user(1, NV_USER_DMA_PUT_HIGH), 0x11);
	tap(clean(r), "a channel in DMA mode has a DMA_PUT_HIGH to write");
	rig_destroy(r);
}

static void test_channel_checks(void)
{
	struct rig *r = rig_create("g84");

	rig_init_pfifo(r);
	rd(r, user(3, NV_USER_IB_GET));
	tap(violated(r, "no channel table entry"), "USER page of a channel that does not exist");
	rd(r, user(0, NV_USER_IB_GET));
	tap(violated(r, "1 to 126"), "USER page of channel 0");
	rd(r, NV_USER_PIO);
	tap(violated(r, "USER_PIO") && rd(r, NV_PFIFO_INTR) == 0x100, "USER_PIO");
	wr(r, NV_PFIFO_INTR, ~0u);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 3), 0x10000000);
	tap(violated(r, "reserved"), "CHAN_TABLE reserved bits");
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 3), 0x01001000);
	tap(violated(r, "target 1"), "CHAN_TABLE target 1");
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 3), 0);

	channel_create(r, 1, true);
	wr(r, user(1, 0x50), 1);
	tap(violated(r, "no such writable"), "USER 0x50");
	wr(r, user(1, NV_USER_DMA_PUT), 0x1000);
	tap(violated(r, "in IB mode"), "DMA_PUT of an IB-mode channel");

	playlist(r, 1, 1);
	vwr(r, ramfc(r, 1) + 0x3c, 0x403f6078);
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	tap(violated(r, "RAMFC at VRAM"), "RAMFC loaded without a BAR flush");
	kick(r, 1);
	vwr(r, ramfc(r, 1) + 0x3c, 0x403f6079);
	playlist(r, 1, 1);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1) | 1u << 31);
	submit(r, 1, M(0, 0x50, 1), 2);
	run(r);
	tap(violated(r, "DMA_FETCH") && ref(r, 1) == 2, "RAMFC with reserved bits set, still runs");
	kick(r, 1);
	vwr(r, ramfc(r, 1) + 0x3c, 0x403f6078);
	vwr(r, ramfc(r, 1) + 0x50, VA_RING + 4);
	playlist(r, 1, 1);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1) | 1u << 31);
	submit(r, 1, M(0, 0x50, 1), 2);
	run(r);
	tap(violated(r, "aligned to 8"), "misaligned IB ring");
	rig_destroy(r);

	r = ready("g84", true);
	ib_raw(r, 1, VA_PUSH | 1, 1 << 10);
	put_at(r, 0, 0);
	doorbell(r, 1);
	run(r);
	tap(violated(r, "bits 1:0 of word 0"), "IB word 0 bit 0");
	ib_raw(r, 1, VA_PUSH, 1 << 10 | 0x100);
	doorbell(r, 1);
	run(r);
	tap(violated(r, "bit 8 of word 1") && (rd(r, NV_CACHE1_DMA_STATE) & 2), "IB word 1 bit 8");
	wr(r, user(1, NV_USER_IB_PUT), 64);
	tap(violated(r, "has 64 entries"), "IB_PUT past the ring");
	rig_destroy(r);
}

static void test_nrhost(void)
{
	struct rig *r = ready("gt215", true);

	wr(r, NV_PMC_INTR_EN_HOST, 0);
	wr(r, NV_PMC_INTR_EN_NRHOST, 1);
	wr(r, NV_PFIFO_INTR_EN_NRHOST, 1u << 30);
	submit(r, 1, M(0, 0x20, 1), 0);
	run(r);
	tap(r->intx && rd(r, NV_PMC_INTR_NRHOST) == 0x100, "GT215: NOTIFY by the NRHOST line");
	wr(r, NV_PFIFO_INTR_NRHOST, 1u << 30);
	tap(!r->intx && clean(r), "GT215: acknowledged");
	rig_destroy(r);

	r = ready("mcp89", true);
	submit(r, 1, M(0, 0x28, 1), 0x1234, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_CACHE1_MTHD_UNK28) == 0x1234 && ref(r, 1) == 1 && clean(r),
	    "MCP89: method 0x28");
	rig_destroy(r);
}

/* Data of MCP89's method 0x2c, and the bits of PULL0 that name the reason of a stop */
static void test_unk2c(void)
{
	static const struct {
		uint32_t data, pull0;
	} rows[] = {
		{ 0x00000000, 0 },	    { 0x40000001, 0 },	       { 0x10000001, 0 },
		{ 0x60000000, 0x04000000 }, { 0xe0000001, 0x04000000 }, { 0x10000000, 0x02000000 },
		{ 0x50000000, 0x02000000 }, { 0xf0000000, 0x06000000 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig *r = ready("mcp89", true);
		uint32_t intr = rows[i].pull0 ? 0x800 : 0;

		submit(r, 1, M(0, 0x2c, 1), rows[i].data, M(0, 0x50, 1), 1);
		run(r);
		tap(rd(r, NV_PFIFO_INTR) == intr &&
			    (rd(r, NV_CACHE1_PULL0) & 0x06000000) == rows[i].pull0 &&
			    ref(r, 1) == !intr,
		    "MCP89: method 0x2c with %08x", rows[i].data);
		rig_destroy(r);
	}
}

static void test_endian(void)
{
	struct rig *r = ready("g84", true);

	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	wr(r, NV_CACHE1_FIFO_ENDIAN, 3);
	ram_set(r, RAM_RING(1) + 8, __builtin_bswap32(VA_PUSH + 0x100));
	ram_set(r, RAM_RING(1) + 12, __builtin_bswap32(2 << 10));
	put_at(r, 0x100, __builtin_bswap32(M(0, 0x50, 1)));
	put_at(r, 0x104, __builtin_bswap32(0x12345678));
	wr(r, user(1, NV_USER_IB_PUT), 2);
	run(r);
	tap(ref(r, 1) == 0x12345678 && clean(r), "FIFO_ENDIAN makes PFIFO big-endian");
	rig_destroy(r);
}

static void test_all_chips(void)
{
	unsigned int i;

	for (i = 0; nvsim_chipset_names[i]; i++) {
		struct rig *r = two_channels(nvsim_chipset_names[i]);

		submit(r, 1, M(0, 0x50, 1), 0x12345678, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40,
		       M(0, 0x6c, 1), 0xcafe0001);
		submit(r, 2, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40, M(0, 0x68, 1), 0xcafe0001,
		       M(0, 0x50, 1), 2);
		run(r);
		tap(ref(r, 1) == 0x12345678 && ram32(r, RAM_SEM + 0x40) == 0xcafe0001 &&
			    ref(r, 2) == 2 && clean(r),
		    "%s: REF_CNT and a semaphore between two channels", nvsim_chipset_names[i]);
		rig_destroy(r);
	}
}

int main(void)
{
	test_all_chips();
	test_commands("g80");
	test_commands("gt218");
	test_ib_errors("g80");
	test_ib_errors("g84");
	test_get_switch();
	test_nv04("g80");
	test_nv04("g84");
	test_cache_full();
	test_ramht();
	test_software();
	test_engines();
	test_semaphore_errors("g80");
	test_semaphore_errors("g84");
	test_new_semaphores();
	test_cross_channel("g80");
	test_cross_channel("g84");
	test_cross_channel("mcp89");
	test_ping_pong("g80");
	test_ping_pong("g84");
	test_slices();
	test_pause();
	test_error_blocks();
	test_kick();
	test_freeze();
	test_playlist("g80");
	test_playlist("g84");
	test_channel_checks();
	test_page_checks();
	test_nrhost();
	test_unk2c();
	test_endian();

	return tap_end();
}
