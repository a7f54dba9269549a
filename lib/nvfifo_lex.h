/* SPDX-License-Identifier: MIT */
/* Tokens and expressions, the same for assembler text and for programs. */
#ifndef NVFIFO_LEX_H
#define NVFIFO_LEX_H

#include "nvfifo.h"

enum nvfifo_token_type {
	NVFIFO_TOKEN_END,	/* of the text */
	NVFIFO_TOKEN_NEWLINE,
	NVFIFO_TOKEN_WORD,	/* letters, digits, '_', '.', '[' and ']' */
	NVFIFO_TOKEN_STRING,	/* "...", @start and @len are those of the inside */
	NVFIFO_TOKEN_SIGN,	/* one of : , + - | ( ) { } < > = */
	NVFIFO_TOKEN_BAD,	/* anything else */
};

struct nvfifo_near;

struct nvfifo_token {
	enum nvfifo_token_type type;
	const char *start;
	size_t len;
	unsigned int line;
	unsigned int column;
};

/*
 * A text being read, one token ahead.
 *
 * A copy of the structure is a place to which the caller can return.
 */
struct nvfifo_lex {
	const char *pos;		/* text after @tok */
	const char *end;		/* end of the text */
	const char *line_start;		/* first byte of the line of @pos */
	unsigned int line;		/* its number, from 1 */
	struct nvfifo_token tok;	/* the current token */
	nvfifo_symbol_fn symbol;	/* looks names up in expressions */
	/* offers the names that @symbol knows, or NULL */
	void (*offer)(void *ctx, struct nvfifo_near *near);
	void *ctx;			/* for @symbol and @offer */
	struct nvfifo_diag *diag;	/* gets the first error */
};

/* Start, with the first token read. */
void nvfifo_lex_init(struct nvfifo_lex *lex, const char *text, size_t len,
		     nvfifo_symbol_fn symbol, void *ctx, struct nvfifo_diag *diag);
void nvfifo_lex_next(struct nvfifo_lex *lex);

/*
 * Take "0x" and eight digits that follow the current token and end the line, perhaps before a
 * comment. Return: whether there were; otherwise the call takes nothing.
 */
bool nvfifo_lex_take_plain_word(struct nvfifo_lex *lex, __u32 *value);

/* Refuse the text at @tok. Return: -EINVAL. */
__attribute__((format(printf, 3, 4))) int
nvfifo_lex_error(struct nvfifo_lex *lex, const struct nvfifo_token *tok, const char *fmt, ...);

/* Refuse the current token: "expected WHAT, found TOKEN". Return: -EINVAL. */
int nvfifo_lex_expected(struct nvfifo_lex *lex, const char *what);

/* The same, with the nearest of the names that were offered. */
int nvfifo_lex_expected_near(struct nvfifo_lex *lex, const char *what, const struct nvfifo_near *near);

/* Whether a word is @word, in upper or lower case */
bool nvfifo_token_spells(const struct nvfifo_token *tok, const char *word);

static inline bool nvfifo_token_is(const struct nvfifo_token *tok, const char *word)
{
	/* Most words differ in their first letter, apart from its case. */
	return tok->type == NVFIFO_TOKEN_WORD && !((*tok->start ^ *word) & ~0x20) &&
	       nvfifo_token_spells(tok, word);
}

bool nvfifo_lex_is_sign(const struct nvfifo_lex *lex, char sign);

/* Take the current token if it is this one. */
bool nvfifo_lex_take_word(struct nvfifo_lex *lex, const char *word);
bool nvfifo_lex_take_sign(struct nvfifo_lex *lex, char sign);

/* Is the current token the end of a line or of the text? Does not take it. */
bool nvfifo_lex_at_line_end(const struct nvfifo_lex *lex);
void nvfifo_lex_skip_newlines(struct nvfifo_lex *lex);

/* A number as a whole token; false if it is none or needs more than 64 bits. */
bool nvfifo_token_number(const struct nvfifo_token *tok, __u64 *value);

/*
 * An expression: numbers, names, hi(x), lo(x), parentheses, + - |, from left to
 * right. Return: 0 or -EINVAL.
 */
int nvfifo_lex_expr(struct nvfifo_lex *lex, __u64 *value);

/* One term of it, which a 32-bit word can hold: no '+', '-' or '|' follows. */
int nvfifo_lex_term(struct nvfifo_lex *lex, __u32 *value);

/* The same, for a value that must be at most @max; @what names it in the error. */
int nvfifo_lex_range(struct nvfifo_lex *lex, const char *what, __u64 max, __u64 *value);

/* Whether a word has hexadecimal digits only, as a number whose 0x is missing. */
bool nvfifo_token_lacks_0x(const struct nvfifo_token *tok);

/* The same as nvfifo_lex_range(), for a 32-bit word; negative numbers are fine. */
int nvfifo_lex_word(struct nvfifo_lex *lex, __u32 *value);

/* Whether a word is a command of a pushbuffer, such as "mthd". */
bool nvfifo_asm_is_command(const struct nvfifo_token *tok);

/*
 * Assemble statements up to the end of the text, or, if @block, up to the '}'
 * that ends a block, which is not taken.
 */
int nvfifo_asm_run(struct nvfifo_lex *lex, bool block, enum nvfifo_format format,
		   struct nvfifo_words *words);

#endif
