/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fake card: registers whose accesses are recorded, and an extent of VRAM.
 *
 * The registers of the procedures under test behave as on a card: a procedure stays busy for the
 * number of reads that the test sets. All others keep the last value. An access to a register that
 * nvfifo_reg_table.h lacks for the chipset fails the test.
 */
#ifndef _NVFIFO_TEST_FAKE_H_
#define _NVFIFO_TEST_FAKE_H_

#include <linux/fs.h>

#include "card/nvfifo_card.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pt.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_test.h"

/* Procedures that can be slow. */
enum nvfifo_test_unit {
	NVFIFO_TEST_TLB,	/* TLB flush */
	NVFIFO_TEST_FLUSH,	/* BAR flush */
	NVFIFO_TEST_FROZEN,	/* PFIFO stops at FREEZE */
	NVFIFO_TEST_IDLE,	/* engines become idle */
	NVFIFO_TEST_KICK,	/* channel is saved */
	NVFIFO_TEST_PLAYLIST,	/* playlist is taken over */
	NVFIFO_TEST_HASH,	/* RAMHT look-up ends */
	NVFIFO_TEST_PGRAPH,	/* PGRAPH becomes idle without new methods */
	NVFIFO_TEST_UNITS
};

#define NVFIFO_TEST_STUCK	UINT_MAX

/* One access; equal reads in a row count as one. */
struct nvfifo_test_access {
	bool write;
	u32 reg;
	u32 val;
	u32 times;
};

#define NVFIFO_TEST_REGS	512
#define NVFIFO_TEST_LOG		8192

/**
 * struct nvfifo_test_card - The card
 * @ndev: the device, whose operations are those of fake.c
 * @test: the running test
 * @inode: of the device, whose mapping no process has
 * @mapping: its pages
 * @regs: registers that were written or set
 * @regs_used: number of them
 * @log: accesses so far
 * @logged: number of them
 * @log_overflows: more came than @log has room for
 * @slow: reads for which a procedure is busy, NVFIFO_TEST_STUCK for ever
 * @busy: reads left of the running one
 * @fault: words of the fault record
 * @byte_reg: the register of the last write of one byte
 * @byte_val: its value
 * @timer_stands: PTIMER counts only when its clock is set
 * @gr_error_at: the read of ENGINE_IDLE at which PGRAPH finds an error, from 1; 0 for none
 * @vram: memory that replaces VRAM from NVFIFO_TEST_VRAM on
 * @vram_bytes: bytes of @vram
 * @pramin: base of the window in BAR0, a value of NV_PBUS_HOST_MEM_PMEM
 * @timeout_us: the driver's time-out for every wait, in microseconds
 * @on_store: called after each store to VRAM, under the lock of the window
 * @on_write: called after each write of a register
 * @priv: of the test, for @on_store and @on_write
 */
struct nvfifo_test_card {
	struct nvfifo_device ndev;
	struct kunit *test;
	struct inode inode;
	struct address_space mapping;
	struct {
		u32 reg;
		u32 val;
	} regs[NVFIFO_TEST_REGS];
	u32 regs_used;
	struct nvfifo_test_access log[NVFIFO_TEST_LOG];
	u32 logged;
	bool log_overflows;
	u32 slow[NVFIFO_TEST_UNITS];
	u32 busy[NVFIFO_TEST_UNITS];
	u32 fault[NVFIFO_FAULT_WORDS];
	u32 byte_reg;
	u8 byte_val;
	bool timer_stands;
	u32 gr_error_at;
	u32 *vram;
	u32 vram_bytes;
	u32 pramin;
	u32 timeout_us;
	void (*on_store)(struct nvfifo_test_card *card, u64 addr);
	void (*on_write)(struct nvfifo_test_card *card, u32 reg, u32 val);
	void *priv;
};

void nvfifo_test_stick(struct nvfifo_test_card *card, unsigned int unit);
struct nvfifo_test_card *nvfifo_test_card(struct kunit *test, u32 chipset);
u32 nvfifo_test_peek(const struct nvfifo_test_card *card, u32 reg);
void nvfifo_test_poke(struct nvfifo_test_card *card, u32 reg, u32 val);
void nvfifo_test_forget(struct nvfifo_test_card *card);
int nvfifo_test_find(const struct nvfifo_test_card *card, bool write, u32 reg, int from);
u32 nvfifo_test_vram(const struct nvfifo_test_card *card, u64 addr);
void nvfifo_test_heap(struct nvfifo_test_card *card, u32 bytes);

struct nvfifo_test_write {
	u32 reg;
	u32 val;
};

void nvfifo_test_expect_writes(struct nvfifo_test_card *card,
			       const struct nvfifo_test_write *want, u32 count);

#define NVFIFO_TEST_EXPECT_WRITES(card, ...) \
	do { \
		static const struct nvfifo_test_write want[] = { __VA_ARGS__ }; \
		nvfifo_test_expect_writes(card, want, ARRAY_SIZE(want)); \
	} while (0)

/*
 * The address of its VRAM has many bits set, so that a wrong shift or mask of an address shows.
 * nvfifo_test_heap() adds to the size.
 */
#define NVFIFO_TEST_VRAM	0x7fe0000ULL
#define NVFIFO_TEST_VRAM_BYTES	SZ_256K

#endif
