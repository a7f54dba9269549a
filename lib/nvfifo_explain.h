/* SPDX-License-Identifier: MIT */
/* Kernel log lines of nvfifo, nouveau and pscnv about an NV50-family card, in words. */
#ifndef NVFIFO_EXPLAIN_H
#define NVFIFO_EXPLAIN_H

#include "nvfifo_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nvfifo_explanation - Explanation of a log line
 * @cls: kind of line, such as "dma_pusher" or "vm_fault"
 * @driver: driver that wrote the line: "nvfifo", "nouveau" or "pscnv"
 * @fields: every field of the line, decoded
 * @advice: the line's meaning, and advice, or ""
 * @cut: the line ends before the fields that its kind always has
 */
struct nvfifo_explanation {
	const char *cls;
	const char *driver;
	struct nvfifo_row fields;
	char advice[480];
	bool cut;
};

/**
 * nvfifo_explain() - Decode a line of the kernel log
 * @line: the line, without its newline, with or without the log's prefix
 * @chipset: chipset id for the names of units, 0 if unknown
 * @e: out: free it with nvfifo_explanation_free()
 *
 * Return: 1 if the line was understood, 0 if not, or -ENOMEM.
 */
int nvfifo_explain(const char *line, unsigned int chipset, struct nvfifo_explanation *e);
void nvfifo_explanation_free(struct nvfifo_explanation *e);

/**
 * nvfifo_explain_messages() - Add kinds of lines
 * @name: of the text, for errors
 * @text: rows in the language of Documentation/guides/messages.rst; they come before all others
 *
 * No other thread may use nvfifo_explain() at the same time.
 *
 * Return: 0, -EINVAL for a mistake in the text, -ENOMEM; nvfifo_last_error() has the line and the
 * allowed words.
 */
int nvfifo_explain_messages(const char *name, const char *text);

#ifdef __cplusplus
}
#endif

#endif
