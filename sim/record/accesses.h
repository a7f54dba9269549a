/* SPDX-License-Identifier: MIT */
/*
 * Replay of the accesses that a driver made to a real card, from the file nvfifo_record in debugfs.
 *
 * A record of the model (record.h) has all traffic at the card's port. The file from debugfs has
 * only the driver's accesses, without host memory and interrupts.
 */
#ifndef NVSIM_ACCESSES_H
#define NVSIM_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../nvsim.h"

struct accesses_config {
	struct nvsim_config card;	/* chipset, PMC_BOOT_0 and VRAM come from the file */
	bool keep_going;		/* after the first difference */
	FILE *out;			/* gets a line for each difference */
};

struct accesses_result {
	uint64_t accesses, compared, differences;
	uint64_t doorbell;		/* number of the first access that started work, 0 if none */
};

/* The first byte of the accesses in a file, which may have other text before; NULL if none. */
const char *accesses_find(const char *data, size_t size);
/* False and a sentence in @err if the accesses cannot be read or the model cannot be created. */
bool accesses_replay(const struct accesses_config *cfg, const char *begin, size_t size,
		     struct accesses_result *result, char *err, size_t err_len);

#endif
