/* SPDX-License-Identifier: MIT */
/* The text of "nvfifo run --model --step": words with their meaning, memory, registers. */
#ifndef NVFIFO_STEP_SHOW_H
#define NVFIFO_STEP_SHOW_H

#include "model/model.h"
#include "nvfifo_prog.h"

/**
 * struct step_view - The program and its card
 * @model: the card
 * @prog: the program
 * @chipset: chipset of the card
 * @decoders: one for each channel of the program, in its order
 * @gets: address that each channel's pusher reads next
 * @word: the last word, NULL if it is the driver's own
 * @buffer: buffer that has it
 * @offset: its place there, bytes
 * @line: the word with its address and meaning
 */
struct step_view {
	struct model *model;
	const struct nvfifo_prog *prog;
	__u32 chipset;
	struct nvfifo_decoder *decoders;
	__u64 *gets;
	const __u32 *word;
	const char *buffer;
	__u64 offset;
	char line[2 * NVFIFO_WORD_TEXT_MAX];
};

/* A run begins. Return: false if memory is short; the view then shows words without a meaning. */
bool step_view_begin(struct step_view *v, struct model *model, const struct nvfifo_prog *prog,
		     __u32 chipset);
void step_view_free(struct step_view *v);

/* The pusher has read a word. */
void step_view_read(struct step_view *v, const struct model_position *p);

/* Print the last word, number @word of the run, and the state of pusher and puller. */
void step_view_print(const struct step_view *v, unsigned long word,
		     const struct model_position *p);

/* Print a line of the card's: methods as the assembler writes them, others as they are. */
void step_view_trace(const struct step_view *v, const char *line);

/* The method that a line of the card's says was executed, or -1. */
int step_view_method(const char *line);

/**
 * step_view_is() - Compare the class of the method that a line names
 * @name: "3D.RT_ADDRESS_HIGH[0]"; NULL for any class
 *
 * Methods of different classes have the same numbers.
 *
 * Return: whether it is that method, or the class of the line's is not known.
 */
bool step_view_is(const struct step_view *v, const char *line, const char *name);

/* Print @count words from a place on, "sem+0x40" or an address, or an error. */
void step_view_memory(const struct step_view *v, const char *place, unsigned long count);

/* Print a register by name or address, or an error. */
void step_view_register(const struct step_view *v, const char *text);

#endif
