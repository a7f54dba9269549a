/* SPDX-License-Identifier: MIT */
/*
 * A whole log: its lines put together again, each explained by the chip of its own card, and a
 * summary. nvfifo_explain() explains one line.
 */
#ifndef NVFIFO_LOG_H
#define NVFIFO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#include "nvfifo_explain.h"

/**
 * enum nvfifo_record - What a record of the log is
 * @NVFIFO_RECORD_EXPLAINED: understood
 * @NVFIFO_RECORD_ORDINARY: a message of the driver about nothing wrong
 * @NVFIFO_RECORD_UNKNOWN: a message of the driver that is not understood
 * @NVFIFO_RECORD_FOREIGN: a message about a card of another generation, not explained
 * @NVFIFO_RECORD_OTHER: no message of the driver
 */
enum nvfifo_record {
	NVFIFO_RECORD_EXPLAINED,
	NVFIFO_RECORD_ORDINARY,
	NVFIFO_RECORD_UNKNOWN,
	NVFIFO_RECORD_FOREIGN,
	NVFIFO_RECORD_OTHER,
};

/**
 * struct nvfifo_log_record - A message, which may have been several lines or a part of one
 * @kind: kind of the record
 * @text: the message as it was, with its lines joined
 * @e: its explanation, of @NVFIFO_RECORD_EXPLAINED
 * @note: repairs of the text, such as damaged characters, or ""
 * @repeated: a message of the same kind about the same thing came before
 */
struct nvfifo_log_record {
	enum nvfifo_record kind;
	const char *text;
	const struct nvfifo_explanation *e;
	const char *note;
	bool repeated;
};

typedef int (*nvfifo_log_fn)(void *ctx, const struct nvfifo_log_record *r);

struct nvfifo_log;

/**
 * nvfifo_log_new() - Begin a log
 * @chipset: chipset id of all cards, 0: the log says it
 * @fn: gets each record; a value other than 0 ends the reading
 * @ctx: for @fn
 *
 * Return: the log, for nvfifo_log_free(), or NULL without memory.
 */
struct nvfifo_log *nvfifo_log_new(__u32 chipset, nvfifo_log_fn fn, void *ctx);
void nvfifo_log_free(struct nvfifo_log *log);

/* Look for cards in text that is read again later: a log may name a card after its first error. */
void nvfifo_log_scan(struct nvfifo_log *log, const char *text, size_t len);

/**
 * nvfifo_log_line() - Read a line
 * @log: the log
 * @line: the line, without its newline
 *
 * A message may go on in the next line, so its record may come later.
 *
 * Return: 0, -ENOMEM, or the value of the function.
 */
int nvfifo_log_line(struct nvfifo_log *log, const char *line);

/* The message that waits for more lines is whole: for a pause of the input, and for its end. */
int nvfifo_log_flush(struct nvfifo_log *log);

/* Whether the log has messages about cards of other generations. */
bool nvfifo_log_other_cards(const struct nvfifo_log *log);

/* Write the summary as text. @colors: head, good, dim, off. */
void nvfifo_log_summary(const struct nvfifo_log *log, FILE *out, const char *const colors[4]);

#endif
