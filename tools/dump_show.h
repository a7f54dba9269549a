/* SPDX-License-Identifier: MIT */
/* Shared by the files of "nvfifo dump": options, the two printers, the search for a dump */
#ifndef NVFIFO_DUMP_SHOW_H
#define NVFIFO_DUMP_SHOW_H

#include "nvfifo_coredump.h"
#include "nvfifo_row.h"

#define EVERY_SEGMENT (~0ul)

/* Options: parts to show, and the source of the dump */
struct dump_options {
	const char *sysfs;
	const char *debugfs;
	const char *device;
	bool json;
	bool summary;
	bool program;
	unsigned long segment;	/* of this IB entry, or EVERY_SEGMENT */
};

typedef struct nvfifo_coredump dump_t;
typedef struct nvfifo_coredump_channel channel_t;
typedef struct nvfifo_coredump_blame blame_t;

/* Whether the channel's error is about one word of the pushbuffer. */
bool dump_is_word_error(const channel_t *c);
bool dump_is_dma_object(const struct nvfifo_coredump_object *o);

/* The segment that an entry of the ring leads to, or NULL */
const struct nvfifo_coredump_segment *dump_segment_of_ib(const channel_t *c, __u32 index);

/**
 * dump_dma_row() - A DMA object's fields, with their meanings
 * @o: an object of a dump
 * @r: out: its fields; nvfifo_row_free() ends it
 *
 * Return: whether it could be decoded.
 */
bool dump_dma_row(const struct nvfifo_coredump_object *o, struct nvfifo_row *r);

/* The dump for a person, on standard output. */
void dump_print_text(const struct dump_options *o, const dump_t *d);

/* The same as one object of JSON. */
void dump_print_json(const dump_t *d);

/* The channel as a text program. Return: 0, or -1 after a message. */
int dump_print_program(const dump_t *d, const channel_t *c);

#endif
