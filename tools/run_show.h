/* SPDX-License-Identifier: MIT */
/* Shared by the files of "nvfifo run": the run, and its two printers */
#ifndef NVFIFO_RUN_SHOW_H
#define NVFIFO_RUN_SHOW_H

#include "nvfifo_exec.h"

struct model;
struct perfetto;
struct step;

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
	VERDICT_DRY,
	VERDICT_ERROR,
	VERDICT_STOPPED,
	VERDICT_NOT_MODELLED,
};

/* A program, its card, and its results. */
struct run {
	const char *name;	/* of the program, for the verdict */
	const struct nvfifo_prog *prog;
	const char *images;	/* directory for them, or NULL */
	bool quiet;
	bool json;
	bool brief;		/* one of several programs: only its verdict */
	struct nvfifo_dev *dev;	/* NULL in a dry run */
	const char *model;	/* chipset of the model in this process, or NULL */
	struct step *step;	/* stops after each word, or NULL */
	struct perfetto *timeline;	/* of the model's work, or NULL */
	struct model *card_model;
	struct drm_nvfifo_query_device card;
	__u32 chipset;
	struct nvfifo_exec exec;
	enum verdict verdict;
	bool wrong;		/* the card does not meet a requirement */
	char why[600];		/* reason of a skip, the error, or the part that is not modelled */
};

/* Does the output of a run show its progress? */
static inline bool run_is_shown(const struct run *r)
{
	return !r->json && !r->brief;
}

/* Address of a pushbuffer in its address space. */
__u64 run_push_address(const struct run *r, const struct nvfifo_prog_push *push);

/* A decoder for the pushbuffers of a channel; one past the last: for those of none. */
void run_init_decoder(const struct nvfifo_prog *p, __u32 chipset, size_t channel,
		      struct nvfifo_decoder *d);

/* A heading on standard output. */
void run_print_head(const char *text);

/* Title, buffers, objects, and unless --quiet the pushbuffers. */
void run_print_program(struct run *r);

/* For nvfifo_exec_ops: a step as it happened; @ctx is the run. */
void run_print_check(void *ctx, const struct nvfifo_exec_check *c);

/* The submissions of a program that is not run. */
void run_print_dry(const struct run *r);

/* Memory before and after, channels and fences. */
void run_print_state(const struct run *r);

/* The parts of the program that the model left out */
void run_print_missing(const struct run *r);

/*
 * Write the driver's line about the multiprocessor whose stop has ended a channel; the model knows it.
 * Return: its length, 0 if there is none.
 */
int run_mp_line(const struct run *r, const struct drm_nvfifo_channel_query *q, char *buf,
		size_t size);

/* After a failure: the errors that killed channels, and the program's mistakes, with their words. */
void run_print_why(const struct run *r);

/* A pushbuffer of a channel, or of one past the last; @seen: it was there before. */
typedef void (*run_push_fn)(void *ctx, size_t channel, const struct nvfifo_prog_push *push,
			    struct nvfifo_decoder *d, bool seen);

/* Offer all pushbuffers in the order of submission to @take, which decodes all words. */
void run_walk_pushes(const struct run *r, run_push_fn take, void *ctx);

/* The last line. */
void run_print_verdict(const struct run *r);

/* All of it as one object of JSON, with the exit code. */
void run_print_json(const struct run *r, int code);

#endif
