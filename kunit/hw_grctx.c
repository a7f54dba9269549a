// SPDX-License-Identifier: GPL-2.0-only
/*
 * PGRAPH contexts, compiled for the suites too: nvfifo.ko need not export pure functions.
 */
#include "nvfifo_grctx.c"
