/* SPDX-License-Identifier: MIT */
/*
 * A record as text, one access a line.
 */
#ifndef NVSIM_DECODE_H
#define NVSIM_DECODE_H

#include <stdio.h>

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

#endif
