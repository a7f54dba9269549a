/* SPDX-License-Identifier: MIT */
/*
 * A record as text, one access a line.
 */
#ifndef NVSIM_DECODE_H
#define NVSIM_DECODE_H

#include <stdio.h>

#include "mmiotrace.h"
#include "record.h"

enum decode_kind {
	DECODE_CONFIG = 1,
	DECODE_MMIO = 2, /* all BARs */
	DECODE_DMA = 4,
	DECODE_IRQ = 8,
	DECODE_OTHER = 16, /* power-up, notes, violations */
};

struct decode_config {
	const char *chipset;
	uint64_t from, to; /* numbers of records */
	unsigned int only; /* enum decode_kind */
	bool all;	   /* print each access on its own, with all words */
	FILE *out;
};

/* @r is positioned after the header. */
void decode_run(const struct decode_config *cfg, struct record_reader *r);
/*
 * Decode the card's accesses in a trace; numbers are those of lines. @err is empty, or a sentence
 * about the line at which the decoder stopped.
 */
void decode_mmiotrace(const struct decode_config *cfg, struct mmiotrace *t, char *err,
		      size_t err_len);

#endif
