/* SPDX-License-Identifier: MIT */
/* "nvfifo run --model --step --json": a stop as a line of JSON */
#ifndef NVFIFO_STEP_JSON_H
#define NVFIFO_STEP_JSON_H

#include "model/model.h"

#define STEP_TRACE_LINES	64
#define STEP_TRACE_LENGTH	200
#define STEP_CHANGES		16	/* words of memory that a stop lists */

/**
 * struct step_record - State of the card at a stop
 * @model: the card
 * @position: of pusher and puller
 * @word: number of the word, 0 after the last one
 * @value: the word, NULL if it is the driver's
 * @buffer: buffer that has it
 * @offset: its place there, bytes
 * @trace: the card's lines since the last stop
 * @trace_count: their number
 * @shadows: contents of the buffers at the last stop
 * @shadow_count: their number
 */
struct step_record {
	struct model *model;
	struct model_position position;
	unsigned long word;
	const __u32 *value;
	const char *buffer;
	__u64 offset;
	const char (*trace)[STEP_TRACE_LENGTH];
	unsigned int trace_count;
	void *const *shadows;
	size_t shadow_count;
};

void step_print_json(const struct step_record *r);

#endif
