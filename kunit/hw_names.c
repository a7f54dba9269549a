// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of codes, compiled for the suites too: nvfifo.ko need not export pure functions.
 */
#include "nvfifo_code_names.c"
