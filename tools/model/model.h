/* SPDX-License-Identifier: MIT */
/*
 * The model of the card inside this process, as a backend of the library's device calls.
 *
 * Nothing of the kernel takes part: no driver, no PCI. These files fill memory as the driver does,
 * with the same functions of hw/: structure, RAMFC, RAMHT, page tables, PGRAPH's context. The model
 * has its own time, so each run of a program is the same.
 */
#ifndef NVFIFO_MODEL_H
#define NVFIFO_MODEL_H

#include "../../sim/nvsim.h"
#include "nvfifo_backend.h"

/**
 * struct model_watcher - Callbacks for an observer of the model
 * @ctx: for the functions
 * @budget: steps between two calls of @stepped, 0 for all steps of the work
 * @stepped: the model has done @budget steps; false ends the program
 * @trace: a line of the model's trace; may be NULL
 */
struct model_watcher {
	void *ctx;
	unsigned int budget;
	bool (*stepped)(void *ctx);
	void (*trace)(void *ctx, const char *line);
};

struct model;

/**
 * model_open() - Make a card and open it
 * @chipset: name as the model knows it, "g84"
 * @watcher: the observer, or NULL
 * @model: out: the card
 * @dev: out: the device; nvfifo_close() of the last one frees the card
 *
 * Return: 0, or a negative errno with nvfifo_last_error().
 */
int model_open(const char *chipset, const struct model_watcher *watcher, struct model **model,
	       struct nvfifo_dev **dev);

/**
 * model_call() - An ioctl of the device file
 * @m: the card
 * @request: as for ioctl(2)
 * @arg: as for ioctl(2)
 *
 * Return: 0 or a negative errno.
 */
int model_call(struct model *m, unsigned long request, void *arg);

/* Get the file of the card's memory, for mmap() with the offsets of BO_CREATE. */
int model_file(const struct model *m);

/* Let the card work until it has nothing to do, or waits for ever. */
void model_settle(struct model *m);

/*
 * Count the rules of the hardware that the set-up has broken; standard error has a line for each.
 */
unsigned int model_violations(const struct model *m);

/**
 * struct model_position - Positions of pusher and puller
 * @channel: PFIFO's number of the loaded channel, 0 if there is none
 * @ib_get: IB entries fetched
 * @ib_put: IB entries written
 * @get: address that the pusher reads next
 * @put: end of its segment
 * @dma_state: CACHE1.DMA_STATE
 * @left: data words that the command still takes
 * @cached: methods between pusher and puller
 * @ref: REF
 * @pull0: CACHE1.PULL0
 * @words: words that the pusher has taken in all
 * @methods: methods that were executed in all
 */
struct model_position {
	__u32 channel;
	__u32 ib_get;
	__u32 ib_put;
	__u64 get;
	__u64 put;
	__u32 dma_state;
	__u32 left;
	__u32 cached;
	__u32 ref;
	__u32 pull0;
	__u64 words;
	__u64 methods;
};

/* The model's time, ns */
__u64 model_time(const struct model *m);

void model_position(struct model *m, struct model_position *p);

/* The parts of programs that the model left out: entry @n, false after the last */
bool model_missing(const struct model *m, unsigned int n, struct nvsim_missing *missing);

/**
 * struct model_mp_stop - A multiprocessor that has stopped
 * @mp: its number, TP * NVFIFO_TP_MPS + MP
 * @trap: bits of its trap register, for instance TIMEOUT
 * @pc: its program counter and warp, as in the register
 * @opcode: the instruction
 */
struct model_mp_stop {
	__u32 mp;
	__u32 trap;
	__u32 pc;
	__u32 opcode[2];
};

/* Get the stop that has ended a channel, by PFIFO's number. Return: false if there was none. */
bool model_mp_stop(const struct model *m, __u32 channel, struct model_mp_stop *stop);

/* Print these entries on standard error, each after @prefix. */
void model_print_missing(const struct model *m, const char *prefix);

/* The last look-up in RAMHT and the last page walks */
void model_lookups(const struct model *m, struct nvsim_lookups *lookups);

#define MODEL_CACHE	512	/* methods that the cache can hold */

/* A method between pusher and puller; @method has the subchannel in bits 15:13. */
struct model_cached {
	__u32 method;
	__u32 data;
};

/* Get the methods in the cache, the puller's next one first. Return: how many. */
unsigned int model_cache(struct model *m, struct model_cached cache[MODEL_CACHE]);

/* Read a register as the driver does. Reading has no side effect for those of CACHE1. */
__u32 model_register(struct model *m, __u32 reg);

/**
 * model_buffer() - Get the memory of a buffer
 * @m: the card
 * @index: 0 for the first one
 * @size: out: bytes
 * @label: out: its name
 *
 * Return: the memory, NULL after the last buffer.
 */
const void *model_buffer(const struct model *m, size_t index, __u64 *size, const char **label);

#endif
