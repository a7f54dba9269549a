/* SPDX-License-Identifier: MIT */
/* "nvfifo dump --program": a channel of a dump as a text program. */
#ifndef NVFIFO_DUMP_PROGRAM_H
#define NVFIFO_DUMP_PROGRAM_H

#include "nvfifo_coredump.h"

/* Print the program to standard output. Return: 0, or -1 after a message. */
int dump_program(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c);

#endif
