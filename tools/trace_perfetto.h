/* SPDX-License-Identifier: MIT */
/*
 * Timelines: trace events as Chrome's JSON, which Perfetto's page and Chrome's DevTools show. A card
 * is a process there, a channel a thread, and a submission a bar from SUBMIT to its fence.
 */
#ifndef NVFIFO_TRACE_PERFETTO_H
#define NVFIFO_TRACE_PERFETTO_H

#include "json.h"
#include "nvfifo_event.h"

#define PERFETTO_CARDS		64	/* render nodes, from 128 on */
#define PERFETTO_CHANNELS	128

/**
 * struct perfetto - A timeline being written
 * @j: writer
 * @named: the channels of each card that have a name already; [0] is the card itself
 * @first: for each channel the number of the first submission with a bar, 0 before it
 */
struct perfetto {
	struct nvfifo_json j;
	bool named[PERFETTO_CARDS][PERFETTO_CHANNELS];
	unsigned long first[PERFETTO_CARDS][PERFETTO_CHANNELS];
};

/* Begin a timeline in @f. @p is cleared. */
void perfetto_begin(struct perfetto *p, FILE *f);

/* Add an event of the driver. Accesses are no part of a timeline. */
void perfetto_event(struct perfetto *p, const struct nvfifo_event *e);

/* Add the acquire or the object of an engine in a word of @e, an event nvfifo_words. */
void perfetto_word(struct perfetto *p, const struct nvfifo_event *e, __u64 va,
		   const struct nvfifo_word *w);

void perfetto_end(struct perfetto *p);

#endif
