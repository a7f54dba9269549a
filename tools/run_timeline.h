/* SPDX-License-Identifier: MIT */
/* "nvfifo run --model --perfetto": a timeline of the model's work. */
#ifndef NVFIFO_RUN_TIMELINE_H
#define NVFIFO_RUN_TIMELINE_H

#include "model/model.h"

struct timeline;

/**
 * timeline_create() - Begin a timeline
 * @path: the file, which is overwritten
 *
 * Return: the timeline, to be ended by timeline_close(), or NULL with errno.
 */
struct timeline *timeline_create(const char *path);

/* The watcher with which model_open() reports the model's work to the timeline */
const struct model_watcher *timeline_watcher(const struct timeline *t);

/* The model is open: its time is that of the timeline. */
void timeline_begin(struct timeline *t, struct model *model);

/* The run has ended, and the model is still open. NULL is allowed. */
void timeline_end(struct timeline *t);

/* Close the file. Return: 0, or a negative errno if it could not be written; 0 for NULL. */
int timeline_close(struct timeline *t);

#endif
