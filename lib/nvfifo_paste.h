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
	NVFIFO_PASTE_FENCED,	/* words between lines of a terminal or of Markdown */
	NVFIFO_PASTE_BYTES,	/* bytes without offsets */
	NVFIFO_PASTE_LIBDRM,
	NVFIFO_PASTE_MMT,
	NVFIFO_PASTE_DEMMT,
	NVFIFO_PASTE_DEDMA,
	NVFIFO_PASTE_COLON,	/* "offset: groups": xxd, nvapeek, gdb */
	NVFIFO_PASTE_OFFSET,	/* "offset groups": hexdump, od */
	NVFIFO_PASTE_C,
	NVFIFO_PASTE_CALLS,
	NVFIFO_PASTE_LIST,	/* of Python */
	NVFIFO_PASTE_HDR,	/* Mesa's dump of GF100 and later */
	NVFIFO_PASTE_IB,
};

/* The form of a text, by all of its lines. */
enum nvfifo_paste nvfifo_paste_detect(const char *text, size_t len);

/**
 * nvfifo_paste_convert() - Turn a text of words into hex text or a capture
 * @form: from nvfifo_paste_detect()
 * @text: the text
 * @len: its length
 * @out_len: out: length of the result
 *
 * Return: the result in memory of malloc(), or NULL with nvfifo_last_error(): the form holds no
 * words, or no memory.
 */
char *nvfifo_paste_convert(enum nvfifo_paste form, const char *text, size_t len, size_t *out_len);

/* The forms that are known, for the message about one that is not. */
extern const char nvfifo_paste_forms[];

/* Whether words are a pushbuffer of GF100 or later, which this family does not read. */
bool nvfifo_words_are_gf100(const char *text, size_t len);

#endif
