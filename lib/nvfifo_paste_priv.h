/* SPDX-License-Identifier: MIT */
/* Shared by the files that read words in the forms of other tools */
#ifndef NVFIFO_PASTE_PRIV_H
#define NVFIFO_PASTE_PRIV_H

#include <stdio.h>

#include "nvfifo_decode.h"
#include "nvfifo_paste.h"

/* A text whose lines are clean */
struct paste {
	char *text;	/* the memory of the lines */
	/* the lines that are not empty, no comment, and not of a terminal or of Markdown */
	char **lines;
	size_t count;
	bool changed;	/* something was removed */
};

/* The words that were read */
struct paste_out {
	FILE *f;			/* text of a word in each line, or a capture */
	struct nvfifo_words words;
	size_t printed;			/* how many of them are in @f */
	unsigned char bytes[4];		/* of a word that is not complete */
	unsigned int count;		/* how many of them */
	int err;			/* -ENOMEM */
};

void paste_put_word(struct paste_out *o, __u32 v);

/* Print the words that are not printed yet. */
void paste_print(struct paste_out *o);

/* The bytes of a word come with the lowest first. */
void paste_put_byte(struct paste_out *o, unsigned int v);

/* --- Dumps: an offset, groups of digits, and perhaps the same as characters ---- */

struct paste_group_kind;

/* How a dump is made */
struct paste_dump {
	const struct paste_group_kind *kind;	/* of its groups */
	unsigned int base;			/* of its offsets: 16, 10 or 8 */
	bool in_words;				/* the offsets count words, not bytes */
	bool jumps;				/* the offsets do not follow each other */
	bool big;				/* the first digits of a group are its first byte */
	bool characters;			/* the bytes follow as characters */
	bool ambiguous;				/* how many lines were left out is not sure */
	__u64 first;				/* the first offset */
};

/* Find out how a dump is made. Return: whether the text is one. */
bool paste_dump_look(const struct paste *p, struct paste_dump *d);

/* Return: 0, or -EINVAL with nvfifo_last_error(). */
int paste_dump_put(const struct paste *p, const struct paste_dump *d, struct paste_out *o);

/* --- Programs ------------------------------------------------------------------ */

/* Does the line call a function that writes a word, as OUT_RING()? */
bool paste_is_call(const char *s);

/* Return: 0, or -EINVAL with nvfifo_last_error(). */
int paste_calls_put(const struct paste *p, struct paste_out *o);

/* Numbers of an array, of a list or of assignments */
void paste_source_put(const char *text, size_t len, struct paste_out *o);

/* --- libdrm -------------------------------------------------------------------- */

bool paste_is_libdrm(const char *s);

/* Return: 0, or -EINVAL with nvfifo_last_error(). */
int paste_libdrm_put(const struct paste *p, struct paste_out *o);

/* --- Lists of words -------------------------------------------------------------- */

enum { PASTE_HEX = 16, PASTE_DECIMAL = 10 };

/* How many command words are none of this family if these are all words of a pushbuffer. */
unsigned int paste_wrong_words(const __u32 *words, size_t count);

#endif
