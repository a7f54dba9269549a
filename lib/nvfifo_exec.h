/* SPDX-License-Identifier: MIT */
/*
 * Executor of text programs: creates a program's buffers, channels and objects on a card, executes
 * its steps, and keeps their results. "nvfifo run" prints them, and "nvfifo selftest" copies memory
 * with it.
 */
#ifndef NVFIFO_EXEC_H
#define NVFIFO_EXEC_H

#include "nvfifo_prog.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Result of a step, one line of the report */
struct nvfifo_exec_check {
	size_t step;	/* index of the step, or the number of steps for a check at the end */
	unsigned int line;	/* line in the program, 0 if it has none */
	bool ok;	/* as the program expects */
	char text[256];	/* the same in words */
};

/* The fence of a submission */
struct nvfifo_exec_fence {
	__u32 syncobj;	/* private */
	unsigned int channel;	/* index of the channel */
	bool submitted;	/* the submission was accepted */
	bool waited;	/* private */
	__u64 seqno;	/* number in its channel */
	int status;	/* 1 signalled, 0 not, or the error it ended with, a negative errno */
};

/* Memory that is shown before and after */
struct nvfifo_exec_memory {
	unsigned int buffer;	/* index of the buffer */
	__u64 offset;		/* first byte */
	__u64 count;		/* words */
	__u32 *before;		/* words before the first step, NULL if none was done */
	__u32 *after;		/* words after the last step, NULL if it was not reached */
};

/**
 * struct nvfifo_exec_ops - Callbacks of the executor
 * @check: called after each step; may be NULL
 * @image: a picture, three bytes red, green, blue for each pixel; returns 0 or a
 *	negative errno, and writes what came of it to @text of 256 bytes; may be NULL
 */
struct nvfifo_exec_ops {
	void (*check)(void *ctx, const struct nvfifo_exec_check *check);
	int (*image)(void *ctx, const struct nvfifo_prog_image *image, const unsigned char *rgb,
		     char *text);
};

struct nvfifo_exec_space;
struct nvfifo_exec_channel;

/*
 * A program on a card.
 *
 * Clear it before the input is set, and give it back with nvfifo_exec_free().
 */
struct nvfifo_exec {
	const struct nvfifo_prog *prog;		/* in: the program */
	struct nvfifo_dev *dev;			/* in: the card */
	__u32 chipset;				/* in: its chipset id */
	__s64 timeout_ns;			/* in: longest time of a wait */
	const struct nvfifo_exec_ops *ops;	/* in: callbacks, or NULL */
	void *ctx;				/* in: for @ops */

	struct nvfifo_exec_check *checks;		/* out: results of the steps */
	size_t check_count;				/* out: their number */
	unsigned int failures;				/* out: number of differences */
	struct nvfifo_exec_memory *memory;		/* out: memory before and after */
	size_t memory_count;				/* out: how many stretches */
	struct drm_nvfifo_channel_query *states;	/* out: each channel at the end */
	struct nvfifo_exec_fence *fences;		/* out: each fence at the end */
	/* out: if a call was refused, the request of the program, else "" */
	char refused[256];

	struct nvfifo_exec_space *spaces;	/* private */
	struct nvfifo_bo *bos;			/* private */
	struct nvfifo_exec_channel *channels;	/* private */
};

/**
 * nvfifo_exec_run() - Execute a program
 * @x: the program and the card; the result
 *
 * A difference is not an error: @x->failures counts the differences.
 *
 * Return: 0, or the negative errno of a call that the card or the driver refused; then
 * nvfifo_last_error() has the call, and @x->refused the statement.
 */
int nvfifo_exec_run(struct nvfifo_exec *x);

/* Destroy the program's objects on the card, and free the result. */
void nvfifo_exec_free(struct nvfifo_exec *x);

/**
 * nvfifo_exec_missing() - Find a requirement of a program that a card does not meet
 * @prog: the program
 * @features: DRM_NVFIFO_FEATURE_* of the card
 *
 * Return: the missing thing in words, or NULL.
 */
const char *nvfifo_exec_missing(const struct nvfifo_prog *prog, __u64 features);

/* Write the reason why a channel is dead, one line without newline. Return: @buf. */
const char *nvfifo_exec_error_text(const struct drm_nvfifo_channel_query *q, char *buf,
				   size_t size);

/* Write the fault of that error, or "". Return: @buf. */
const char *nvfifo_exec_fault_text(__u32 chipset, const struct drm_nvfifo_channel_query *q,
				   char *buf, size_t size);

/* The entry of the IB ring for a pushbuffer, as the driver writes it. */
struct nvfifo_ib_entry nvfifo_exec_entry(const struct nvfifo_prog *prog,
					 const struct nvfifo_prog_entry *e);

#ifdef __cplusplus
}
#endif

#endif
