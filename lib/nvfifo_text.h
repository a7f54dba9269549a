/* SPDX-License-Identifier: MIT */
/* Text of other programs: numbers, lines, and the additions of mail, terminals and browsers. */
#ifndef NVFIFO_TEXT_H
#define NVFIFO_TEXT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* The text after blanks and tabs */
const char *nvfifo_text_skip(const char *s);

/* The value of a digit of up to 16, or a large number */
unsigned int nvfifo_text_digit(char c);

/* How many digits of a base (2, 8, 10, 16) stand at @s. */
size_t nvfifo_text_digits(const char *s, unsigned int base);

/* Whether "0x" stands at @s. */
bool nvfifo_text_is_0x(const char *s);

/* Whether a character can be in a name: a letter, a digit or '_' */
static inline bool nvfifo_text_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/**
 * nvfifo_text_number() - Read digits
 * @s: the first digit; no "0x"
 * @len: how many there are
 * @base: 2, 8, 10 or 16
 * @v: out: the number
 *
 * Return: false if one is not of the base, if the number needs more than 64 bits, or if @len is 0.
 */
bool nvfifo_text_number(const char *s, size_t len, unsigned int base, __u64 *v);

/**
 * nvfifo_text_hex() - Read a hexadecimal number, with "0x" or without
 * @s: the text, blanks first
 * @v: out: the number
 * @digits: out: how many digits it has
 *
 * Return: the text after the number, or NULL if there is none of at most 64 bits.
 */
const char *nvfifo_text_hex(const char *s, __u64 *v, size_t *digits);

/**
 * nvfifo_text_read() - Read the number at a place of a text
 * @s: the text, blanks first
 * @base: 2, 8, 10, 16 (with "0x" or without), or 0: 16 after "0x", else 10
 * @v: out: the number
 *
 * Return: the text after the number, or NULL if there is none of at most 64 bits.
 */
const char *nvfifo_text_read(const char *s, unsigned int base, __u64 *v);

/* The same for the number alone, 0 if there is none. @s may be NULL. */
__u64 nvfifo_text_value(const char *s, unsigned int base);

/**
 * nvfifo_text_whole() - Read a text that is a number and nothing else
 * @s: the text, no blanks
 * @len: its length
 * @base: as for nvfifo_text_read()
 * @max: the largest number
 * @v: out: the number, also one above @max
 *
 * Return: false for another text.
 */
bool nvfifo_text_whole(const char *s, size_t len, unsigned int base, __u64 max, __u64 *v);

/* The end of the line at @s: its newline, or @end. */
const char *nvfifo_text_line_end(const char *s, const char *end);

/* The line after the one at @s, or @end. */
const char *nvfifo_text_next_line(const char *s, const char *end);

/* Bytes of a text's whole lines, without a last one that has no newline */
size_t nvfifo_text_whole_lines(const char *s, size_t len);

/* Length of the line at @s, without its newline. The text ends with a zero, here and below. */
size_t nvfifo_text_line_len(const char *s);

/**
 * nvfifo_text_line() - Copy the next line of a text
 * @s: in: the text; out: its next line
 * @line: out: the line without its end, cut to @size; NULL: only go on to the next line
 *
 * Return: false at the end of the text, where the line is empty.
 */
bool nvfifo_text_line(const char **s, char *line, size_t size);

/* Copy word @i of a list with blanks between. Return: @word, or NULL without one. */
const char *nvfifo_text_word(const char *list, size_t i, char *word, size_t size);

/* Append to a text in a buffer of @size bytes. A longer text is cut. */
__attribute__((format(printf, 3, 4))) void nvfifo_text_add(char *text, size_t size, const char *fmt, ...);

/* Remove the newline that fgets() or getline() leaves at the end of a line. */
void nvfifo_text_chomp(char *line);

/* The first line of a file such as those of sysfs; @line is empty if there is none. */
bool nvfifo_text_file_line(const char *path, char *line, size_t size);

/* The number in such a file, 0 if there is none */
__u64 nvfifo_text_file(const char *path, unsigned int base);

/* A part of a line: a word or a number */
struct nvfifo_piece {
	const char *start;
	size_t len;
};

/* Kinds of characters, in a table of all characters for nvfifo_text_piece() */
enum nvfifo_text_char {
	NVFIFO_TEXT_PIECE,
	NVFIFO_TEXT_BLANK,	/* between two pieces */
	NVFIFO_TEXT_STOP,	/* no piece follows, such as a comment */
};

/* Take the next piece. Return: false if there is none; @p is then the place where one could be. */
static inline bool nvfifo_text_piece(const char **pos, const char *end, const unsigned char chars[256],
				     struct nvfifo_piece *p)
{
	const char *s = *pos;

	while (s < end && chars[(unsigned char)*s] == NVFIFO_TEXT_BLANK)
		s++;
	p->start = s;
	while (s < end && chars[(unsigned char)*s] == NVFIFO_TEXT_PIECE)
		s++;
	p->len = (size_t)(s - p->start);
	*pos = s;

	return p->len;
}

/* Whether a piece is this word */
bool nvfifo_piece_is(const struct nvfifo_piece *p, const char *word);

/**
 * nvfifo_text_clean() - Remove additions from a line
 * @s: in and out: the line, which becomes shorter or stays
 *
 * Colours of a terminal, marks of a quotation and of a list, tags and entities of a page, and
 * blanks that are no ASCII go.
 *
 * Return: whether anything but blanks at the end was removed.
 */
bool nvfifo_text_clean(char *s);

#endif
