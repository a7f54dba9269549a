/* SPDX-License-Identifier: MIT */
/* Words in the forms in which people paste them: dumps of other tools, of C and of Python. */
#ifndef NVFIFO_PASTE_H
#define NVFIFO_PASTE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

enum nvfifo_paste {
	NVFIFO_PASTE_UNKNOWN,
	NVFIFO_PASTE_WORDS,	/* the forms of nvfifo_capture_read() */
	NVFIFO_PASTE_LIST,	/* words with something around them */
	NVFIFO_PASTE_DECIMAL,
	NVFIFO_PASTE_BYTES,	/* bytes without offsets, with blanks or as of xxd -p */
	NVFIFO_PASTE_LIBDRM,
	NVFIFO_PASTE_MMT,
	NVFIFO_PASTE_DEMMT,
	NVFIFO_PASTE_DEDMA,
	NVFIFO_PASTE_DUMP,	/* offset and groups: xxd, hexdump, od, nvapeek, gdb */
	NVFIFO_PASTE_CALLS,
	NVFIFO_PASTE_SOURCE,	/* C, Python, Rust, Go, JSON */
	/* no words of a pushbuffer */
	NVFIFO_PASTE_REGISTERS,	/* nvapeek's */
	NVFIFO_PASTE_MMIOTRACE,
	NVFIFO_PASTE_LEFT_OUT,	/* words, and a '*' for more of them */
	NVFIFO_PASTE_HDR,	/* Mesa's dump of GF100 and later */
	NVFIFO_PASTE_IB,
};

/* The form of a text, by all of its lines. */
enum nvfifo_paste nvfifo_paste_detect(const char *text, size_t len);

/**
 * nvfifo_paste_convert() - Turn a text of words into hex text or a capture
 * @text: the text
 * @len: its length
 * @out_len: out: length of the result
 *
 * Return: the result in memory of malloc(), or NULL with nvfifo_last_error(): the form is not known
 * or holds no words, or no memory.
 */
char *nvfifo_paste_convert(const char *text, size_t len, size_t *out_len);

/* The forms that are known, for the message about one that is not. */
extern const char nvfifo_paste_forms[];

/* Whether words are a pushbuffer of GF100 or later, which this family does not read. */
bool nvfifo_words_are_gf100(const char *text, size_t len);

#endif
