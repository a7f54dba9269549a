/* SPDX-License-Identifier: MIT */
/*
 * Reading of an mmiotrace, as the kernel's Documentation/trace/mmiotrace.rst describes it.
 *
 * The lines PCIDEV name the BARs of all PCI devices. The card is the first one of NVIDIA that has
 * BARs of an NV50-family card and accesses in the trace. Without such a line its BAR0 is the first
 * mapping of 16 MiB.
 */
#ifndef NVSIM_MMIOTRACE_H
#define NVSIM_MMIOTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MMIOTRACE_BARS	4
#define MMIOTRACE_LINE	400	/* the rest of a line is dropped */

struct mmiotrace {
	const char *next, *end;
	uint64_t line;			/* number of the last line, from 1 */
	uint64_t base[MMIOTRACE_BARS];	/* of the card */
	uint64_t len[MMIOTRACE_BARS];	/* 0: the card has no such BAR, or it is not known */
	uint64_t others;		/* accesses of other devices so far */
	uint64_t unknown;		/* accesses so far that mmiotrace could not decode */
	uint64_t lost;			/* events so far that did not fit into the kernel's buffer */
};

enum mmiotrace_kind {
	MMIOTRACE_READ,
	MMIOTRACE_WRITE,
	MMIOTRACE_NOTE,			/* MARK, MAP, UNMAP, UNKNOWN: text only */
};

struct mmiotrace_event {
	enum mmiotrace_kind kind;
	uint64_t line, ns;
	unsigned int bar, size;
	uint64_t offset, value;
	char text[MMIOTRACE_LINE];
};

/* Whether a file is an mmiotrace, or the end of one. */
bool mmiotrace_is(const char *data, size_t size);
/*
 * Find the card. The text stays the caller's. Returns false and a sentence in @err if the trace
 * has another version or no accesses of a card.
 */
bool mmiotrace_open(struct mmiotrace *t, const char *data, size_t size, char *err, size_t err_len);
/* The chipset, from the first useful read of PMC_BOOT_0 after this place, or NULL. */
const char *mmiotrace_chipset(const struct mmiotrace *trace);
/*
 * The next event of the card. Returns false at the end; a line that has no known form is in @err
 * then, which else is empty.
 */
bool mmiotrace_next(struct mmiotrace *t, struct mmiotrace_event *e, char *err, size_t err_len);

#endif
