/* SPDX-License-Identifier: MIT */
/*
 * Replay of the accesses that a driver made to a real card. They are this driver's trace events
 * nvfifo_access, or any driver's accesses in an mmiotrace of the kernel.
 *
 * A record of the model (record.h) has all traffic at the card's port. A trace has only the
 * driver's accesses, without host memory and interrupts.
 */
#ifndef NVSIM_ACCESSES_H
#define NVSIM_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../nvsim.h"

struct accesses_config {
	struct nvsim_config card;	/* chipset, PMC_BOOT_0, VRAM and BARs come from the trace */
	bool keep_going;		/* after the first difference */
	FILE *out;			/* gets a line for each difference */
};

struct accesses_result {
	uint64_t accesses, compared, differences;
	uint64_t doorbell;		/* number of the first access that started work, 0 if none */
	/* Of an mmiotrace */
	uint64_t unmodelled;		/* reads of units that are not modelled: not compared */
	uint64_t others;		/* accesses of other devices: left out */
	uint64_t unknown;		/* accesses that mmiotrace could not decode: left out */
	uint64_t lost;			/* events that did not fit into the kernel's buffer */
};

/* Whether a file is a trace, or a text that has one in it. */
bool accesses_are_in(const char *data, size_t size);
/* False and a sentence in @err if the accesses cannot be read or the model cannot be created. */
bool accesses_replay(const struct accesses_config *cfg, const char *data, size_t size,
		     struct accesses_result *result, char *err, size_t err_len);

#endif
