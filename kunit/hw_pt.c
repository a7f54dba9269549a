// SPDX-License-Identifier: GPL-2.0-only
/*
 * One page table, compiled for the suites too: nvfifo.ko need not export pure functions.
 */
#include "nvfifo_pt.c"
