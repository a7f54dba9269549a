/* SPDX-License-Identifier: MIT */
/*
 * The file format of `nvsim --record': a run of the model, with all traffic at the card's port.
 *
 * The file begins with text, which `head' can show. The first line is "nvsim-record 1". Then follow
 * the card's options that differ from the default, one a line as on nvsim's command line, but
 * without the dashes. Lines that begin with # are comments. An empty line ends the text. Records
 * follow until the end of the file:
 *
 *	bits 5:0 of the first byte	enum record_type
 *	bits 7:6			log2 of the size of an access
 *	then				the type's fields, numbers as LEB128
 *
 * After a call into the model follow the model's actions in this call, then its return value. A
 * file that was cut is valid up to its last whole record. A file that was closed ends with
 * RECORD_END.
 */
#ifndef NVSIM_RECORD_H
#define NVSIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RECORD_MAGIC   "nvsim-record 1\n"
#define RECORD_VERSION 1

enum record_type {
	/* Calls into the model */
	RECORD_CFG_READ = 1, /* offset */
	RECORD_CFG_WRITE,    /* offset, value */
	RECORD_BAR_READ,     /* offset << 3 | BAR */
	RECORD_BAR_WRITE,    /* offset << 3 | BAR, value */
	RECORD_BLOCK_READ,   /* offset << 3 | BAR, length */
	RECORD_BLOCK_WRITE,  /* offset << 3 | BAR, length, bytes */
	RECORD_FILL,	     /* offset << 3 | BAR, length, byte */
	RECORD_RUN,	     /* budget */
	RECORD_SETTLE,
	RECORD_POWER_UP, /* a new card, the first or after a reset of the bus */
	RECORD_COMMAND,	 /* length, text: for nvsim_command() */

	/* The model's actions in a call */
	RECORD_TIME = 16,    /* ns since the last one, zigzag: the host's answer */
	RECORD_DMA_READ,     /* address, length * 2 + 1 if nothing answered, else bytes */
	RECORD_DMA_WRITE,    /* address, length * 2 + 1 if nothing answered, bytes */
	RECORD_INTX,	     /* level */
	RECORD_MSI,	     /* address, data */
	RECORD_VIOLATION,    /* length, text */
	RECORD_RETURN,	     /* value; of RUN plus 1 */
	RECORD_RETURN_BYTES, /* length, bytes */

	/* Between calls */
	RECORD_STAMP = 32, /* ns since the last time, zigzag: a comment */
	RECORD_NOTE,	   /* length, text: a comment of the transport */
	RECORD_END,	   /* number of records before this one */
};

/* The next record that is not nested, a call or one between calls, ends a call. */
static inline bool record_is_call(enum record_type t)
{
	return t < RECORD_TIME;
}

static inline bool record_is_nested(enum record_type t)
{
	return t >= RECORD_TIME && t < RECORD_STAMP;
}

/* Writing */

struct recorder;

/* @header is the text after RECORD_MAGIC, without the empty line. Returns NULL and sets errno. */
struct recorder *recorder_open(const char *path, const char *header);
/* Write a record: the type's numbers, three at most, then its bytes. @size is 1, 2, 4, 8 or 0. */
void recorder_put(struct recorder *rec, enum record_type type, unsigned int size,
		  const uint64_t *numbers, unsigned int count, const void *bytes, size_t len);
/* Write a RECORD_TIME or RECORD_STAMP. A stamp that equals the last time is left out. */
void recorder_time(struct recorder *rec, enum record_type type, uint64_t ns);
/* Write the buffer to the file if the last write was a while ago. */
void recorder_idle(struct recorder *rec, uint64_t now);
/* End the file. False if a write failed; errno says why. */
bool recorder_close(struct recorder *rec);

/* Reading */

struct record {
	uint64_t number; /* from 0 */
	size_t at;	 /* in the file */
	enum record_type type;
	unsigned int size; /* of the access */
	unsigned int bar;
	uint64_t addr;	/* offset or address */
	uint64_t value; /* value written or returned, budget, data or level */
	uint64_t time;	/* ns since the first */
	bool failed;	/* DMA that nothing answered */
	const uint8_t *bytes;
	size_t len;
};

enum record_end {
	RECORD_MORE,
	RECORD_CLOSED,	/* RECORD_END: the file is complete */
	RECORD_CUT,	/* the file ends, perhaps in the middle of a record */
	RECORD_GARBAGE, /* no record begins here */
};

struct record_reader {
	const uint8_t *data;
	size_t size, at; /* at: after the last whole record */
	size_t header, header_len;
	uint64_t count, time, first_time;
	bool timed;
	enum record_end end;
};

/* Returns the contents of a file, which the caller frees; or NULL and sets errno. */
uint8_t *record_load(const char *path, size_t *size);
/* False and a sentence in @err if this is no record at all. @data stays the caller's. */
bool record_start(struct record_reader *r, const uint8_t *data, size_t size, char *err,
		  size_t err_len);
/* The next line of the header in @line, without its end; false after the last. */
bool record_header_line(struct record_reader *r, char *line, size_t len);
/* Read the next record. False at the end; record_reader.end gives the reason. */
bool record_next(struct record_reader *r, struct record *rec);

/* A call with the model's actions, or a record between calls */
struct record_call {
	struct record head;
	struct record *nested;
	size_t count, room;
	const struct record *ret; /* RETURN or RETURN_BYTES, or NULL; the last of nested */
	/*
	 * False if records of the call may be missing, because the file was cut. Also false for
	 * garbage: a RETURN that is not last, is missing, or has the wrong length.
	 */
	bool whole;
};

/* Read the next call. False at the end. Free call->nested at last. */
bool record_next_call(struct record_reader *r, struct record_call *call);

#endif
