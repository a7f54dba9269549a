/* SPDX-License-Identifier: MIT */
/*
 * nvsim: a software model of an NV50-family card. This is the interface of its core.
 *
 * The core does no I/O of its own. Its caller is a transport: vhost-user, vfio-user, or a test
 * on the host. The transport supplies callbacks for DMA, interrupts, time and log lines, and
 * forwards PCI accesses. Between accesses it calls nvsim_run(), which lets PFIFO and the other
 * units work. Only one thread at a time may call the core.
 *
 * sim/README.md is the introduction, Documentation/model.rst the manual.
 */
#ifndef NVSIM_H
#define NVSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvsim_ctl.h"
#include "nvsim_missing.h"

struct nvsim;

/* The transport's functions for the core. Every callback gets @ctx. */
struct nvsim_host {
	void *ctx;
	/* Bus-master access. Returns 0, or -1 if nothing answers at that address. */
	int (*dma_read)(void *ctx, uint64_t addr, void *buf, size_t len);
	int (*dma_write)(void *ctx, uint64_t addr, const void *buf, size_t len);
	/* Level of the INTx pin. */
	void (*intx)(void *ctx, bool level);
	/* One MSI message. */
	void (*msi)(void *ctx, uint64_t addr, uint32_t data);
	/* Monotonic time, ns. */
	uint64_t (*time_ns)(void *ctx);
	/* Let time pass in an access that is slow on request. NULL: no access is slow. */
	void (*wait_ns)(void *ctx, uint64_t ns);
	/* One trace or violation line, without a newline. */
	void (*trace)(void *ctx, const char *line);
	void (*violation)(void *ctx, const char *line);
};

struct nvsim_config {
	const char *chipset;	/* "g80", "mcp89", ... any case */
	uint64_t vram_size;	/* bytes, a multiple of 1 MiB */
	void *vram;		/* zeroed memory of that size; NULL: the model allocates it */
	uint64_t bar1_size;	/* bytes, a power of two */
	uint64_t bar3_size;	/* bytes, a power of two, 16 MiB at least */
	uint32_t tags;		/* cells of compression tag memory, 2 to 4096; 0: 512 */
	bool no_tags;		/* none at all, as on IGPs */
	bool trace_mmio;	/* trace every register access */
	bool trace_mthd;	/* trace executed methods, IB entries, switches, errors */
	uint64_t quirks;	/* bit n: side 1 of enum nvsim_quirk n */
	bool not_posted;	/* a card whose VBIOS was not run */
	bool efi;		/* set up by EFI: no VGA registers, MEM_AMOUNT of an IGP is 0 */
	bool no_msi;		/* leave the MSI capability out */
	bool big_endian;	/* PMC.ENDIAN comes up big */
	bool endian_stuck;	/* ... and cannot be switched */
	bool dead;		/* every read is all ones */
	bool check_stores;	/* report half-written DMA objects and PDEs that grant too much */
	uint32_t boot0;		/* if not 0: PMC_BOOT_0 instead of the chipset's own */
	uint32_t pmc_enable;	/* if not 0: PMC.ENABLE after POST */
	uint32_t straps;	/* if not 0: PSTRAPS.STRAPS_PRIMARY */
	uint32_t sysram_high;	/* PFB.SYSRAM_ADDR_HIGH after POST */
	bool whole_card;	/* also model the units that only other drivers use */
	bool is_boot_vga;	/* class 0x030000 with VGA decoding on */
	enum nvsim_engine_context engine_context;	/* until NVSIM_CTL_ENGINE_CONTEXT */
	enum nvsim_left left;	/* by an earlier driver */
	enum nvsim_d3 d3_loss;	/* until NVSIM_CTL_D3_LOSS says something else */
};

/* Parse "name=value" into @cfg. False and a sentence in @err if no quirk or side has that name. */
bool nvsim_quirk_parse(struct nvsim_config *cfg, const char *text, char *err, size_t err_len);
/*
 * Make the card adverse: set the quirks that no source decides. "all" (or NULL) takes the side
 * that is harder for a driver, "random:SEED" a random mix. Anything else returns false and a
 * sentence in @err.
 */
bool nvsim_adverse_parse(struct nvsim_config *cfg, const char *text, char *err, size_t err_len);
/* Name, default and other side of a quirk, with the other side's meaning; false after the last. */
bool nvsim_quirk_describe(unsigned int quirk, const char **name, const char **value,
			  const char **other, const char **help);

/* NULL and a sentence in @err when the configuration is refused. */
struct nvsim *nvsim_create(const struct nvsim_config *cfg, const struct nvsim_host *host,
			   char *err, size_t err_len);
void nvsim_destroy(struct nvsim *sim);

/* Names of the 14 chipsets in the envytools order, NULL after the last. */
extern const char *const nvsim_chipset_names[];
/* The name of the chipset that PMC_BOOT_0 names, NULL if the model has none such. */
const char *nvsim_chipset_of(uint32_t boot0);

/* Configuration space, @size 1, 2 or 4; out of range reads give all ones. */
uint32_t nvsim_cfg_read(struct nvsim *sim, uint32_t off, unsigned int size);
void nvsim_cfg_write(struct nvsim *sim, uint32_t off, uint32_t val, unsigned int size);

/* BAR access by Linux resource number (0, 1, 3), @size 1, 2, 4 or 8. */
uint64_t nvsim_bar_read(struct nvsim *sim, unsigned int bar, uint64_t off, unsigned int size);
void nvsim_bar_write(struct nvsim *sim, unsigned int bar, uint64_t off, uint64_t val,
		     unsigned int size);
uint64_t nvsim_bar_size(struct nvsim *sim, unsigned int bar);

/*
 * Blocks in BAR1 and BAR3, as memcpy_toio(), memcpy_fromio() and memset_io() access them. The
 * effect is that of 8-byte accesses in sequence. The core works by pages and counts one access.
 */
void nvsim_bar_read_block(struct nvsim *sim, unsigned int bar, uint64_t off, void *buf,
			  size_t len);
void nvsim_bar_write_block(struct nvsim *sim, unsigned int bar, uint64_t off, const void *buf,
			   size_t len);
void nvsim_bar_fill(struct nvsim *sim, unsigned int bar, uint64_t off, uint8_t byte, size_t len);

/*
 * Let PFIFO and the other units work for at most @budget steps, which bounds the time as well. A
 * step is a word or a method; a step of many small memory accesses counts as that many.
 *
 * Returns 0 if there is more to do now. Returns UINT64_MAX if only a new access can change
 * anything. Otherwise returns the ns until the next poll of a blocked acquire or a timer.
 */
uint64_t nvsim_run(struct nvsim *sim, unsigned int budget);

/*
 * Report pending violations; call it at the end of a session. While the driver changes a table,
 * PFIFO or PGRAPH may use a stale TLB entry. This is a violation only if no flush follows.
 */
void nvsim_settle(struct nvsim *sim);

/*
 * Begin or end a failure by a line of text. "help" and Documentation/model.rst list the commands.
 * False after a mistake. @answer is "ok" or the reason.
 */
bool nvsim_command(struct nvsim *sim, const char *line, char *answer, size_t len);

/* Totals since creation, or since the last NVSIM_CTL_RESET_STATS */
struct nvsim_stats {
	uint64_t mmio_reads, mmio_writes;	/* BAR0, PRAMIN and USER included */
	uint64_t bar1_reads, bar1_writes, bar3_reads, bar3_writes;	/* a block counts once */
	uint64_t dma_reads, dma_writes;
	uint64_t methods, words, ib_entries, switches;
	uint64_t interrupts;			/* assertions or messages */
	uint64_t tlb_hits, tlb_misses, tlb_flushes;
	uint64_t violations;
	uint64_t engine_flushes[16];		/* tlb_flushes by VM engine */
	uint64_t frozen_us;			/* time from FREEZE 1 to FREEZE 0 */
};
void nvsim_get_stats(const struct nvsim *sim, struct nvsim_stats *st);

/*
 * The last look-up in RAMHT. @count of all since creation; @handle was looked for from slot @hash
 * on, and if @found is in slot @slot with @context.
 */
struct nvsim_ramht_lookup {
	uint64_t count;
	uint32_t handle, hash, slot, context;
	bool found;
};

/*
 * The last translation of an address that was not in the page of the one before. @count of all
 * since creation; @reason is a fault's code, or -1 if the access to @linear of @target succeeded.
 */
struct nvsim_walk {
	uint64_t count;
	unsigned int engine;
	bool write;
	bool tlb_hit;
	uint64_t va, pde_at, pde, pte_at, pte, linear;
	uint32_t target;
	int reason;
};

struct nvsim_lookups {
	struct nvsim_ramht_lookup ramht;
	struct nvsim_walk fetch;	/* of commands, by the pusher */
	struct nvsim_walk access;	/* of an engine, on behalf of a method */
};
void nvsim_get_lookups(const struct nvsim *sim, struct nvsim_lookups *lookups);

/* A part of a program that the model left out */
struct nvsim_missing {
	enum nvsim_missing_kind kind;
	const char *name;	/* of the kind */
	uint64_t count;
	char first[160];	/* the first one, with its place */
};
/* Entry @n of those since creation; false after the last */
bool nvsim_get_missing(const struct nvsim *sim, unsigned int n, struct nvsim_missing *m);
/* As text: "NAME: FIRST; COUNT times". Return: @buf. */
#define NVSIM_MISSING_TEXT	240
const char *nvsim_missing_text(const struct nvsim_missing *m, char *buf, size_t len);

/* Direct access of tests to the card's VRAM, past buses and checks; returns 0 or -1. */
int nvsim_vram_read(struct nvsim *sim, uint64_t addr, void *buf, size_t len);
int nvsim_vram_write(struct nvsim *sim, uint64_t addr, const void *buf, size_t len);

#endif
