/* SPDX-License-Identifier: MIT */
/*
 * Timelines: Chrome's JSON, which Perfetto's page and Chrome's DevTools show. Of the driver's trace
 * events, a card is a process there, a channel a thread, and a submission a bar from SUBMIT to its
 * fence. The model's work has lines for PFIFO, the engines, and each channel's pusher and puller.
 */
#ifndef NVFIFO_PERFETTO_H
#define NVFIFO_PERFETTO_H

#include "model/model.h"
#include "nvfifo_event.h"

struct perfetto;

/* Begin a timeline in a file, which is overwritten. Return: NULL after a message. */
struct perfetto *perfetto_create(const char *path);

/* End it. Return: 0, also for NULL, or an exit code after a message. */
int perfetto_close(struct perfetto *p);

/* Add an event of the driver. Accesses are no part of a timeline. */
void perfetto_event(struct perfetto *p, const struct nvfifo_event *e);

/* Add the acquire or the object of an engine in a word of @e, an event nvfifo_words. */
void perfetto_word(struct perfetto *p, const struct nvfifo_event *e, __u64 va,
		   const struct nvfifo_word *w);

/* The watcher with which model_open() reports the model's work to the timeline */
const struct model_watcher *perfetto_watcher(const struct perfetto *p);

/* The model is open: its time is that of the timeline. */
void perfetto_run(struct perfetto *p, struct model *model);

/* The run has ended, and the model is still open. NULL is allowed. */
void perfetto_run_end(struct perfetto *p);

#endif
