/* SPDX-License-Identifier: MIT */
/* A card with the values of a test stick's report */
#ifndef NVSIM_LIKE_H
#define NVSIM_LIKE_H

#include <stdbool.h>

#include "../nvsim.h"

/* Set the card's options to the values of the report @path. False after a complaint. */
bool like_report(struct nvsim_config *card, const char *path);

#endif
