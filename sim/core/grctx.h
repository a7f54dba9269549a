/* SPDX-License-Identifier: MIT */
/*
 * PGRAPH's context unit: the uploaded program, and the state that it moves between PGRAPH and a
 * channel's image. The unit owns PGRAPH's registers and strands. It reaches memory and PFIFO only
 * through struct sim_grctx_ops, so that tests run it without a card.
 */
#ifndef SIM_CORE_GRCTX_H
#define SIM_CORE_GRCTX_H

#include <stdbool.h>
#include <stdint.h>

#include "../../hw/nvfifo_reg_table.h"

#define SIM_GRCTX_PROGRAM	512

struct sim_grctx_ops {
	/* Bind the context DMA object of the channel that 400784 names; false after a fault. */
	bool (*bind)(void *arg, uint32_t chan);
	/* Access bytes of the image through that object; false after a fault. */
	bool (*access)(void *arg, uint32_t offset, void *buf, uint32_t len, bool write);
	/* Status: no method at work; an interrupt pending */
	bool (*idle)(void *arg);
	bool (*intr)(void *arg);
	/* A fault at the image: bits of DISPATCH_TRAP */
	void (*trap)(void *arg, uint32_t bits);
	/* Strands are about to be saved, or have been loaded: units put state there, or take it. */
	void (*strands)(void *arg, bool save);
	void (*violation)(void *arg, const char *text);
};

enum sim_grctx_state {
	GRCTX_STOPPED,
	GRCTX_RUNNING,		/* runs, or waits for a flag: call sim_grctx_run() again */
	GRCTX_HUNG,		/* for ever */
};

struct sim_grctx {
	const struct sim_grctx_ops *ops;
	void *arg;
	enum nv_chip chip;
	uint32_t units;
	uint32_t reg[0x10000 / 4];	/* 0x400000 to 0x40ffff */

	uint32_t program[SIM_GRCTX_PROGRAM];
	uint32_t upload;
	enum sim_grctx_state state;
	bool paused, bound;
	unsigned int bind_done;		/* instructions for which it still shows */
	bool auto_save, auto_load;

	/* For each area: rows of a strand, next row, and the eight strands one after the other */
	uint32_t rows[2], row[2];
	uint32_t *strand[2];
	uint32_t *words, word_count;	/* see sim_grctx_words() */

	/* By direction, since the program's start: registers moved; rows transferred in order */
	uint32_t moved[2], transferred[2][2];
};

/* Returns 0, or -1 without memory. */
int sim_grctx_init(struct sim_grctx *g, enum nv_chip chip, uint32_t units,
		   const struct sim_grctx_ops *ops, void *arg);
void sim_grctx_fini(struct sim_grctx *g);
void sim_grctx_reset(struct sim_grctx *g);

/* Registers with side effects; all others are words of @reg. */
bool sim_grctx_owns(uint32_t off);
uint32_t sim_grctx_read(struct sim_grctx *g, uint32_t off);
void sim_grctx_write(struct sim_grctx *g, uint32_t off, uint32_t val);

/*
 * PFIFO requests this channel, as in 400330, or none. Starts the program if a save or load is
 * needed. False if DEBUG_3 leaves the switch to software, which the caller interrupts.
 */
bool sim_grctx_want(struct sim_grctx *g, uint32_t next);
enum sim_grctx_state sim_grctx_run(struct sim_grctx *g);
bool sim_grctx_switched(const struct sim_grctx *g);

/*
 * Words of M2MF's strand that are 0 in a fresh image, at least 1170. The model's units keep their
 * method state in them, so that the context program saves and loads it.
 */
static inline uint32_t *sim_grctx_words(struct sim_grctx *g, uint32_t *count)
{
	*count = g->word_count;
	return g->words;
}

/* The first @count words of another strand, at most 8304. A fresh image has 3D state there. */
static inline uint32_t *sim_grctx_strand(struct sim_grctx *g, uint32_t count)
{
	return count <= g->rows[0] ? g->strand[0] + 4 * (size_t)g->rows[0] : NULL;
}

#endif
