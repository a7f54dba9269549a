/* SPDX-License-Identifier: MIT */
/* Shared by the files that read words in the forms of other tools */
#ifndef NVFIFO_PASTE_PRIV_H
#define NVFIFO_PASTE_PRIV_H

#include <stdio.h>

#include "nvfifo_paste.h"

/**
 * struct paste - A text whose lines are clean
 * @text: the memory of the lines
 * @lines: the lines that are not empty, no comment, and not of a terminal or of Markdown
 * @count: how many
 * @changed: something was removed
 */
struct paste {
	char *text;
	char **lines;
	size_t count;
	bool changed;
};

/**
 * struct paste_out - The words that were read
 * @f: text of a word in each line, or a capture
 * @words: how many
 * @bytes: of a word that is not complete
 * @count: how many of them
 */
struct paste_out {
	FILE *f;
	size_t words;
	unsigned char bytes[4];
	unsigned int count;
};

void paste_put_word(struct paste_out *o, __u32 v);

/* The bytes of a word come with the lowest first. */
void paste_put_byte(struct paste_out *o, unsigned int v);

/* --- Dumps: an offset, groups of digits, and perhaps the same as characters ---- */

struct paste_group_kind;

/**
 * struct paste_dump - How a dump is made
 * @kind: of its groups
 * @base: of its offsets: 16, 10 or 8
 * @in_words: the offsets count words, not bytes
 * @jumps: the offsets do not follow each other
 * @big: the first digits of a group are its first byte
 * @ambiguous: how many lines were left out is not sure
 * @first: the first offset
 * @characters: the bytes follow as characters
 */
struct paste_dump {
	const struct paste_group_kind *kind;
	unsigned int base;
	bool in_words;
	bool jumps;
	bool big;
	bool characters;
	bool ambiguous;
	__u64 first;
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

/* Numbers of an array, of a list or of assignments. Return: 0, or a negative errno. */
int paste_source_put(const char *text, size_t len, struct paste_out *o);

/* --- libdrm -------------------------------------------------------------------- */

bool paste_is_libdrm(const char *s);

/* Return: 0, or -EINVAL with nvfifo_last_error(). */
int paste_libdrm_put(const struct paste *p, struct paste_out *o);

/* --- Lists of words -------------------------------------------------------------- */

enum { PASTE_HEX = 16, PASTE_DECIMAL = 10 };

/* How many command words are none of this family if these are all words of a pushbuffer. */
unsigned int paste_wrong_words(const __u32 *words, size_t count);

#endif
