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

/**
 * struct nvfifo_exec_check - Result of a step, one line of the report
 * @step: index of the step, or the number of steps for a check at the end
 * @line: line in the program, 0 if it has none
 * @ok: as the program expects
 * @text: the same in words
 */
struct nvfifo_exec_check {
	size_t step;
	unsigned int line;
	bool ok;
	char text[256];
};

/**
 * struct nvfifo_exec_fence - The fence of a submission
 * @syncobj: private
 * @channel: index of the channel
 * @submitted: the submission was accepted
 * @waited: private
 * @seqno: number in its channel
 * @status: 1 signalled, 0 not, or the error it ended with, a negative errno
 */
struct nvfifo_exec_fence {
	__u32 syncobj;
	unsigned int channel;
	bool submitted;
	bool waited;
	__u64 seqno;
	int status;
};

/**
 * struct nvfifo_exec_memory - Memory that is shown before and after
 * @buffer: index of the buffer
 * @offset: first byte
 * @count: words
 * @before: words before the first step, NULL if none was done
 * @after: words after the last step, NULL if it was not reached
 */
struct nvfifo_exec_memory {
	unsigned int buffer;
	__u64 offset;
	__u64 count;
	__u32 *before;
	__u32 *after;
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

/**
 * struct nvfifo_exec - A program on a card
 * @prog: in: the program
 * @dev: in: the card
 * @chipset: in: its chipset id
 * @timeout_ns: in: longest time of a wait
 * @ops: in: callbacks, or NULL
 * @ctx: in: for @ops
 * @checks: out: results of the steps
 * @check_count: out: their number
 * @failures: out: number of differences
 * @memory: out: memory before and after
 * @memory_count: out: how many stretches
 * @states: out: each channel at the end
 * @fences: out: each fence at the end
 * @refused: out: if a call was refused, the request of the program, else ""
 * @spaces: private
 * @bos: private
 * @channels: private
 *
 * Clear it before the input is set, and give it back with nvfifo_exec_free().
 */
struct nvfifo_exec {
	const struct nvfifo_prog *prog;
	struct nvfifo_dev *dev;
	__u32 chipset;
	__s64 timeout_ns;
	const struct nvfifo_exec_ops *ops;
	void *ctx;

	struct nvfifo_exec_check *checks;
	size_t check_count;
	unsigned int failures;
	struct nvfifo_exec_memory *memory;
	size_t memory_count;
	struct drm_nvfifo_channel_query *states;
	struct nvfifo_exec_fence *fences;
	char refused[256];

	struct nvfifo_exec_space *spaces;
	struct nvfifo_bo *bos;
	struct nvfifo_exec_channel *channels;
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
