/* SPDX-License-Identifier: MIT */
/*
 * The small header of the core: the card, its ways to the host, and the calls that lead upwards. The
 * model shares only the register table with the driver: names, offsets and fields. All other parts
 * are written from the hardware documents, so that a mistake of the driver shows.
 *
 * Each unit has a header of its own, and a structure that no other unit can see. A unit calls those
 * below it, see Documentation/files.rst.
 */
#ifndef SIM_CORE_H
#define SIM_CORE_H

/*
 * Trace lines. The first word is the kind. All numbers are hexadecimal except channel ids,
 * subchannels, engine ids, IB indices, word counts and marks.
 *
 *	R 002100 PFIFO.INTR 00000000			register read
 *	W 002140 PFIFO.INTR_EN 00101051			register write
 *	W c0208c USER[1].IB_PUT 00000001		a channel's page
 *	W 700040 PMEM(120040) 00000000			the window, with the memory's address
 *	IB ch 1 get 0 addr 0000110000 words 4 [not-main]	IB entry read
 *	M ch 1 subc 0 mthd 0050 REF_CNT data 12345678	method done
 *	ENG ch 1 engine 1 subc 2 mthd 0100 data 00000000	method sent to an engine
 *	WAIT ch 1 at 0000140010 want 00000001 have 00000000	acquire that has to wait
 *	SW ch 1 -> 2					channel switch, 127 is none
 *	GR 00000000 -> 80000240				context switch of PGRAPH
 *	KICK 00000240 done
 *	TLB flush engine 5
 *	ERR ch 1 ...					an error of pusher or puller
 *	ERR VM fault engine 6 ...			even when the record was full
 *	ERR PGRAPH ...					an error, a trap or a hang
 *	NOT MODELLED ...				a part that the model leaves out
 *	IRQ msi, IRQ intx 1				message, change of the pin
 *	PM D3hot, PM D0					power state
 *	MARK 7						from the control capability
 *	INJECT ...					a line of nvsim_command()
 *	EXPECTED VIOLATION ...				one that a test announced
 */

#include <string.h>

#include "../nvsim.h"
#include "../nvsim_ctl.h"
#include "../../hw/nvfifo_reg_table.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))
#define MASK40		0xffffffffffull

/* Memory target codes, everywhere but in a DMA object's word 0 */
enum sim_target {
	TGT_VRAM = 0,
	TGT_INVALID = 1,
	TGT_SNOOP = 2,
	TGT_NOSNOOP = 3,
};

/* A step of PFIFO, its pusher or its puller */
enum sim_step {
	STEP_IDLE,		/* nothing to do */
	STEP_DONE,		/* handled one word, method or switch */
	STEP_BLOCKED,		/* has work that waits */
};

struct sim_chip {
	const char *name;
	u16 id;			/* as in PMC_BOOT_0 */
	u16 pci_device;
	u32 hwunits_0;
	u32 engines;		/* bit n: PFIFO engine id n exists; bit 0 is SOFTWARE */
	u32 vm_engines;		/* bit n: VM engine n exists */
	bool igp;
};

/*
 * The calls of a unit to one above it. core.c fills the table. Documentation/files.rst has the
 * reason of each.
 */
struct sim_calls {
	/* Whether PMC raises the interrupt line */
	bool (*irq_line)(struct nvsim *s);
	/* Memory from which a page table was read has changed. */
	void (*tables_changed)(struct nvsim *s);
	/* The MMU has flushed PGRAPH's TLB, with NVSIM_QUIRK_FLUSH_BUSY. */
	void (*gr_flushed)(struct nvsim *s);
	/* PMCSR went from D3hot to D0. */
	void (*leave_d3)(struct nvsim *s);
};

/* One card. The pointers at the end are the units' own: each structure is known in its unit only. */
struct nvsim {
	struct nvsim_config cfg;
	struct nvsim_host host;
	enum nv_chip chip;
	const struct sim_chip *info;
	const struct sim_calls *calls;
	struct nvsim_stats st;
	struct nvsim_lookups seen;	/* for a person who steps through a program */
	u32 inject;		/* bit n: enum nvsim_inject n */
	u32 expect_violations;
	unsigned int accesses;	/* through the MMU, in this step of nvsim_run() */
	bool posted;		/* the firmware has set the card up */
	bool big;		/* PMC.ENDIAN */

	struct sim_missing *missing;
	struct sim_methods *methods;
	struct sim_faults *faults;
	struct sim_pci *pci;
	struct sim_store *store;
	struct sim_vga *vga;
	struct sim_mem *mem;
	struct sim_mmu *mmu;
	struct sim_pflush *pflush;
	struct sim_ptimer *ptimer;
	struct sim_pfifo *pfifo;
	struct sim_engines *engines;
	struct sim_grctx *grctx;
	struct sim_pgraph *gr;
	struct sim_board *board;
	struct sim_sources *sources;
	struct sim_watch *watch;
	struct sim_posted_writes *posted_writes;
	struct sim_command *command;
	struct sim_control *control;
};

static inline bool sim_in_pgraph(u32 off)
{
	return off >= 0x400000 && off < 0x410000;
}

static inline bool sim_inject(const struct nvsim *s, enum nvsim_inject i)
{
	return s->inject & 1u << i;
}

static inline bool sim_quirk(const struct nvsim *s, enum nvsim_quirk q)
{
	return s->cfg.quirks >> q & 1;
}

static inline bool sim_is_g80(const struct nvsim *s)
{
	return s->chip == NV_CHIP_G80;
}

static inline bool sim_lost(const struct nvsim *s)
{
	return s->cfg.dead || sim_inject(s, NVSIM_INJECT_LOST);
}

static inline u32 get_le32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

static inline void put_le32(u8 *p, u32 v)
{
	p[0] = v;
	p[1] = v >> 8;
	p[2] = v >> 16;
	p[3] = v >> 24;
}

static inline u64 get_le64(const u8 *p)
{
	return get_le32(p) | (u64)get_le32(p + 4) << 32;
}

static inline u32 sim_cpu_word(bool big, u32 v)
{
	return big ? __builtin_bswap32(v) : v;
}

/* log.c */
void sim_trace(struct nvsim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_violation(struct nvsim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
u64 sim_now(struct nvsim *s);

#endif
