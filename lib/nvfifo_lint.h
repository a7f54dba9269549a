/* SPDX-License-Identifier: MIT */
/*
 * Finds mistakes in pushbuffers before the card sees them. It checks a stream of
 * words, the entries of an IB ring, or a text program.
 */
#ifndef NVFIFO_LINT_H
#define NVFIFO_LINT_H

#include "nvfifo.h"
#include "nvfifo_prog.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nvfifo_severity {
	NVFIFO_LINT_ERROR,	/* the card or the driver refuses the word, or the channel hangs */
	NVFIFO_LINT_WARNING,	/* probably a mistake */
};

/* A kind of mistake */
struct nvfifo_rule {
	const char *name;		/* short name, such as "invalid-command" */
	enum nvfifo_severity severity;	/* how bad */
	const char *why;		/* effect on the card, and advice */
};

/* All rules; the last has no name. */
extern const struct nvfifo_rule nvfifo_lint_rules[];

/* A mistake that was found */
struct nvfifo_finding {
	const struct nvfifo_rule *rule;	/* which rule it breaks */
	unsigned int line;		/* line of the text, 0 if there is none */
	unsigned int column;		/* column of the word in it, 0 if it is not known */
	const char *place;		/* segment or pushbuffer, "" if there is none */
	size_t word;			/* number of the word in it, from 0 */
	bool has_word;			/* @word and @value mean something */
	__u32 value;
	/*
	 * "kind: ..." if an attribute of a mapping or an object is wrong, else NULL;
	 * nvfifo_prog_column() finds its place
	 */
	const char *attribute;
	/* line that expects the channel to die of the mistake, 0 if none does */
	unsigned int expected;
	char text[320];	/* description of the mistake */
};

typedef void (*nvfifo_finding_fn)(void *ctx, const struct nvfifo_finding *f);

struct nvfifo_lint;

/**
 * nvfifo_lint_new() - Begin
 * @format: how words are read
 * @chipset: chipset id, or 0 to find only mistakes on all chipsets
 * @found: called for each mistake
 * @ctx: for @found
 *
 * Return: the checker, or NULL without memory.
 */
struct nvfifo_lint *nvfifo_lint_new(enum nvfifo_format format, __u32 chipset,
				    nvfifo_finding_fn found, void *ctx);
void nvfifo_lint_free(struct nvfifo_lint *l);

/* Report unknown handles from now on: the objects are complete. */
void nvfifo_lint_know_objects(struct nvfifo_lint *l);

/* An object of a channel; @oclass 0 if only the handle is known, or a DMA object. */
void nvfifo_lint_object(struct nvfifo_lint *l, unsigned int channel, __u32 handle, __u32 oclass);

/* A DMA object with its range, limit inclusive; @channel -1 for all. */
void nvfifo_lint_dma_object(struct nvfifo_lint *l, int channel, __u32 handle, __u64 start,
			    __u64 limit, bool read_only);

/**
 * nvfifo_lint_segment() - A segment begins
 * @l: checker
 * @channel: its channel, below NVFIFO_CAPTURE_CHANNELS
 * @place: its name; it must stay until the next segment, in programs for good
 * @va: its address
 * @words: its length
 * @ib: the two words of its IB entry, or NULL
 * @line: line of the text, or 0
 */
void nvfifo_lint_segment(struct nvfifo_lint *l, unsigned int channel, const char *place,
			 __u64 va, size_t words, const __u32 *ib, unsigned int line);
void nvfifo_lint_word(struct nvfifo_lint *l, __u32 word, unsigned int line);

/* End the check, and report incomplete commands. */
void nvfifo_lint_end(struct nvfifo_lint *l);

/**
 * nvfifo_lint_capture() - Check a capture: its objects, segments and words
 * @l: checker
 * @text: the capture
 * @len: its length
 * @diag: out: on -EINVAL, where and why
 *
 * A finding's place is "push N at ADDRESS".
 *
 * Return: 0, -EINVAL with @diag.
 */
int nvfifo_lint_capture(struct nvfifo_lint *l, const char *text, size_t len, struct nvfifo_diag *diag);

/**
 * nvfifo_lint_chipset() - Get the chipset for which to check a program
 * @prog: the program
 *
 * Return: id of the oldest chipset if the program is to run on all, else 0, to find only mistakes on all
 * chipsets.
 */
__u32 nvfifo_lint_chipset(const struct nvfifo_prog *prog);

/**
 * nvfifo_lint_ring() - Check the entries of an IB ring
 * @l: checker
 * @entries: two words for each entry, from the ring's first
 * @count: entries
 * @get: IB_GET, index of the first entry that the card reads
 * @put: IB_PUT as it will be written, index after that of the last entry
 */
void nvfifo_lint_ring(struct nvfifo_lint *l, const __u32 *entries, size_t count, __u64 get,
		      __u64 put);

/* Check a whole text program. */
void nvfifo_lint_program(struct nvfifo_lint *l, const struct nvfifo_prog *prog);

#ifdef __cplusplus
}
#endif

#endif
