/* SPDX-License-Identifier: MIT */
/*
 * The accesses that a driver made to a real card, as nvfifo_record in debugfs has them, done to the
 * model. A record of the model has all that passed at its port; this has only what the driver did,
 * and nothing of host memory.
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

/* Where they begin in a file, which may have other text before; NULL if there are none. */
const char *accesses_find(const char *data, size_t size);
/* False and a sentence in @err if they cannot be read or the model could not be made. */
bool accesses_replay(const struct accesses_config *cfg, const char *begin, size_t size,
		     struct accesses_result *result, char *err, size_t err_len);

#endif
