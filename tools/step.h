/* SPDX-License-Identifier: MIT */
/* "nvfifo run --model --step": stop after each word that the pusher takes, and go back. */
#ifndef NVFIFO_STEP_H
#define NVFIFO_STEP_H

#include "model/model.h"
#include "nvfifo_prog.h"

struct step;

/*
 * Commands come from standard input; with @json there are none, and each stop is a line of JSON.
 * Return: the session, to be freed by step_free().
 */
struct step *step_create(bool json);
void step_free(struct step *s);

/* The watcher with which model_open() makes the model stop */
const struct model_watcher *step_watcher(const struct step *s);

/* A run begins, the first one or, after step_again(), the next one. */
void step_begin(struct step *s, struct model *model, const struct nvfifo_prog *prog,
		__u32 chipset);

/* The run has ended: record the card's work after the last word, or print that a method did not come. */
void step_end(struct step *s);

/* Whether the run only leads to a stop that was there before; NULL is false. */
bool step_is_replay(const struct step *s);

/* True if the run was ended to step back and must be repeated; false for NULL. */
bool step_again(const struct step *s);

/* The word after which the person ended the program with q, 0 if not; NULL is 0. */
unsigned long step_quit_at(const struct step *s);

#endif
