// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of PGRAPH contexts, compiled for the suites too: nvfifo.ko need not export pure functions.
 */
#include "nvfifo_grctx_table.c"
