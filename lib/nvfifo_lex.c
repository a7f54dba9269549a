// SPDX-License-Identifier: MIT
/* Tokens and expressions. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_hex.h"
#include "nvfifo_lex.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

/* Deeper than real expressions, and bounded for the stack */
#define EXPR_DEPTH 32

/* Bytes of a token that an error quotes */
#define TOKEN_SHOWN 40

int nvfifo_lex_error(struct nvfifo_lex *lex, const struct nvfifo_token *tok, const char *fmt, ...)
{
	struct nvfifo_diag *d = lex->diag;
	va_list args;

	va_start(args, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, args);
	va_end(args);
	d->line = tok->line;
	d->column = tok->column;

	return -EINVAL;
}

/* Characters of words; the same everywhere, whatever the locale. */
static const bool word_chars[256] = {
	['0'] = true, true, true, true, true, true, true, true, true, true,
	['A'] = true, true, true, true, true, true, true, true, true, true, true, true, true,
	['N'] = true, true, true, true, true, true, true, true, true, true, true, true, true,
	['a'] = true, true, true, true, true, true, true, true, true, true, true, true, true,
	['n'] = true, true, true, true, true, true, true, true, true, true, true, true, true,
	['_'] = true, ['.'] = true, ['['] = true, [']'] = true,
};

static const bool blanks[256] = { [' '] = true, ['\t'] = true, ['\r'] = true };

static bool is_word_char(char c)
{
	return word_chars[(unsigned char)c];
}

static bool is_blank(char c)
{
	return blanks[(unsigned char)c];
}

static void skip_blanks(struct nvfifo_lex *lex)
{
	const char *s = lex->pos, *const end = lex->end;

	while (s < end && is_blank(*s))
		s++;

	if (s < end && *s == '#')
		s = nvfifo_text_line_end(s, end);

	lex->pos = s;
}

static void read_string(struct nvfifo_lex *lex)
{
	struct nvfifo_token *t = &lex->tok;

	t->start = ++lex->pos;
	while (lex->pos < lex->end && *lex->pos != '"' && *lex->pos != '\n')
		lex->pos++;
	t->len = (size_t)(lex->pos - t->start);
	if (lex->pos < lex->end && *lex->pos == '"') {
		t->type = NVFIFO_TOKEN_STRING;
		lex->pos++;
	} else {
		t->type = NVFIFO_TOKEN_BAD;
	}
}

void nvfifo_lex_next(struct nvfifo_lex *lex)
{
	struct nvfifo_token *t = &lex->tok;

	skip_blanks(lex);
	t->start = lex->pos;
	t->len = 0;
	t->line = lex->line;
	t->column = (unsigned int)(lex->pos - lex->line_start) + 1;
	if (lex->pos == lex->end) {
		t->type = NVFIFO_TOKEN_END;
	} else if (*lex->pos == '\n') {
		t->type = NVFIFO_TOKEN_NEWLINE;
		lex->line_start = ++lex->pos;
		lex->line++;
	} else if (is_word_char(*lex->pos)) {
		t->type = NVFIFO_TOKEN_WORD;
		while (lex->pos < lex->end && is_word_char(*lex->pos))
			lex->pos++;
		t->len = (size_t)(lex->pos - t->start);
	} else if (*lex->pos == '"') {
		read_string(lex);
	} else {
		t->type = *lex->pos && strchr(":,+-|(){}<>=", *lex->pos) ? NVFIFO_TOKEN_SIGN :
									   NVFIFO_TOKEN_BAD;
		t->len = 1;
		lex->pos++;
	}
}

void nvfifo_lex_init(struct nvfifo_lex *lex, const char *text, size_t len,
		     nvfifo_symbol_fn symbol, void *ctx, struct nvfifo_diag *diag)
{
	memset(lex, 0, sizeof(*lex));

	/* The byte order mark that some editors write. */
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}

	lex->pos = text;
	lex->end = text + len;
	lex->line_start = text;
	lex->line = 1;
	lex->symbol = symbol;
	lex->ctx = ctx;
	lex->diag = diag;
	nvfifo_lex_next(lex);
}

/* Is the text UTF-16? It begins with a mark of two bytes, and has two bytes for each character. */
static bool is_utf16(const struct nvfifo_lex *lex, const struct nvfifo_token *t)
{
	return lex->line == 1 && t->start == lex->line_start && lex->end - t->start >= 2 &&
	       (!memcmp(t->start, "\xff\xfe", 2) || !memcmp(t->start, "\xfe\xff", 2));
}

int nvfifo_lex_expected(struct nvfifo_lex *lex, const char *what)
{
	const struct nvfifo_token *t = &lex->tok;

	switch (t->type) {
	case NVFIFO_TOKEN_END:
		return nvfifo_lex_error(lex, t, "expected %s, found the end of the text", what);
	case NVFIFO_TOKEN_NEWLINE:
		return nvfifo_lex_error(lex, t, "expected %s, found the end of the line", what);
	case NVFIFO_TOKEN_STRING:
		return nvfifo_lex_error(lex, t, "expected %s, found a string", what);
	case NVFIFO_TOKEN_BAD:
		if (t->start > lex->line_start && t->start[-1] == '"')
			return nvfifo_lex_error(lex, t, "the string does not end on this line");
		if (is_utf16(lex, t))
			return nvfifo_lex_error(lex, t,
						"the text is UTF-16, and must be UTF-8: iconv converts it");
		if (!isprint((unsigned char)*t->start))
			return nvfifo_lex_error(lex, t, "expected %s, found the byte 0x%02x", what,
						(unsigned char)*t->start);
		break;
	default:
		break;
	}

	if (t->start == lex->line_start && (*t->start == '/' || *t->start == ';'))
		return nvfifo_lex_error(lex, t, "expected %s, found '%c'; a comment begins with '#'", what,
					*t->start);

	if (t->len > TOKEN_SHOWN)
		return nvfifo_lex_error(lex, t, "expected %s, found '%.*s' ...", what, TOKEN_SHOWN,
					t->start);

	return nvfifo_lex_error(lex, t, "expected %s, found '%.*s'", what, (int)t->len, t->start);
}

int nvfifo_lex_expected_near(struct nvfifo_lex *lex, const char *what, const struct nvfifo_near *near)
{
	const struct nvfifo_token *tok = &lex->tok;
	char more[200];

	return nvfifo_lex_error(lex, tok, "expected %s, found '%.*s'%s", what,
				(int)(tok->len > TOKEN_SHOWN ? TOKEN_SHOWN : tok->len), tok->start,
				nvfifo_near_text(near, more, sizeof(more)));
}

bool nvfifo_token_spells(const struct nvfifo_token *tok, const char *word)
{
	return tok->len == strlen(word) && !strncasecmp(tok->start, word, tok->len);
}

bool nvfifo_lex_is_sign(const struct nvfifo_lex *lex, char sign)
{
	return lex->tok.type == NVFIFO_TOKEN_SIGN && *lex->tok.start == sign;
}

bool nvfifo_lex_take_word(struct nvfifo_lex *lex, const char *word)
{
	if (!nvfifo_token_is(&lex->tok, word))
		return false;
	nvfifo_lex_next(lex);
	return true;
}

bool nvfifo_lex_take_sign(struct nvfifo_lex *lex, char sign)
{
	if (!nvfifo_lex_is_sign(lex, sign))
		return false;
	nvfifo_lex_next(lex);
	return true;
}

bool nvfifo_lex_take_plain_word(struct nvfifo_lex *lex, __u32 *value)
{
	const char *start = lex->pos, *s;
	__u32 v;

	skip_blanks(lex);
	s = lex->pos;
	lex->pos = start;
	if (lex->end - s < 10 || s[0] != '0' || (s[1] | 0x20) != 'x' || !nvfifo_get_word(s + 2, &v))
		return false;

	s += 10;
	if (s < lex->end && *s != '\n' && *s != ' ')
		return false;

	lex->pos = s;
	skip_blanks(lex);
	if (lex->pos < lex->end && *lex->pos != '\n') {
		lex->pos = start;
		return false;
	}

	nvfifo_lex_next(lex);
	*value = v;

	return true;
}

bool nvfifo_lex_at_line_end(const struct nvfifo_lex *lex)
{
	return lex->tok.type == NVFIFO_TOKEN_NEWLINE || lex->tok.type == NVFIFO_TOKEN_END;
}

void nvfifo_lex_skip_newlines(struct nvfifo_lex *lex)
{
	while (lex->tok.type == NVFIFO_TOKEN_NEWLINE)
		nvfifo_lex_next(lex);
}

/* Decimal numbers may end in K, M or G. */
static int unit_shift(char c)
{
	switch (c) {
	case 'K':
		return 10;
	case 'M':
		return 20;
	case 'G':
		return 30;
	}

	return 0;
}

bool nvfifo_token_number(const struct nvfifo_token *tok, __u64 *value)
{
	size_t len = tok->len;
	int shift = 0;
	__u64 v;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return false;

	if (len > 1) {
		shift = unit_shift(tok->start[len - 1]);
		len -= shift != 0;
	}

	if (!nvfifo_text_whole(tok->start, len, shift ? 10 : 0, UINT64_MAX >> shift, &v))
		return false;

	*value = v << shift;
	return true;
}

static int expr(struct nvfifo_lex *lex, __u64 *value, unsigned int depth);

static int parenthesised(struct nvfifo_lex *lex, __u64 *value, unsigned int depth)
{
	int ret;

	if (!nvfifo_lex_take_sign(lex, '('))
		return nvfifo_lex_expected(lex, "'('");

	ret = expr(lex, value, depth + 1);
	if (ret)
		return ret;
	if (!nvfifo_lex_take_sign(lex, ')'))
		return nvfifo_lex_expected(lex, "')'");

	return 0;
}

bool nvfifo_token_lacks_0x(const struct nvfifo_token *tok)
{
	size_t i;

	for (i = 0; i < tok->len && isxdigit((unsigned char)tok->start[i]); i++)
		;

	return i == tok->len;
}

static int unknown_name(struct nvfifo_lex *lex, const struct nvfifo_token *tok)
{
	/* Commands alone, without a program, have no buffers. */
	const char *what = lex->symbol ? "there is no buffer with the name " : "";
	const char *end = lex->symbol ? "" : " is not a number";
	int len = tok->len > 40 ? 40 : (int)tok->len;
	struct nvfifo_near near;
	char more[200];

	if (nvfifo_token_lacks_0x(tok))
		return nvfifo_lex_error(lex, tok,
					"%s'%.*s'%s; the hexadecimal number is 0x%.*s", what, len,
					tok->start, end, len, tok->start);

	nvfifo_near_init(&near, tok->start, tok->len);
	if (lex->offer)
		lex->offer(lex->ctx, &near);

	return nvfifo_lex_error(lex, tok, "%s'%.*s'%s%s", what, len, tok->start, end,
				nvfifo_near_text(&near, more, sizeof(more)));
}

static int primary(struct nvfifo_lex *lex, __u64 *value, unsigned int depth)
{
	struct nvfifo_token tok = lex->tok;
	int ret;

	*value = 0;
	if (depth > EXPR_DEPTH)
		return nvfifo_lex_error(lex, &tok, "the expression is nested too deeply");
	if (nvfifo_lex_take_sign(lex, '-')) {
		ret = primary(lex, value, depth + 1);
		*value = -*value;
		return ret;
	}

	if (nvfifo_lex_is_sign(lex, '('))
		return parenthesised(lex, value, depth);
	if (tok.type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(lex, "a number or a name");

	nvfifo_lex_next(lex);
	if (nvfifo_token_is(&tok, "hi") || nvfifo_token_is(&tok, "lo")) {
		ret = parenthesised(lex, value, depth);
		*value = nvfifo_token_is(&tok, "hi") ? *value >> 32 : *value & 0xffffffff;
		return ret;
	}

	if (nvfifo_token_number(&tok, value))
		return 0;

	if (isdigit((unsigned char)*tok.start))
		return nvfifo_lex_error(lex, &tok,
					"'%.*s' is not a number of at most 64 bits (0x12ab, 4711, 64K, 16M, 1G)",
					(int)(tok.len > 40 ? 40 : tok.len), tok.start);
	if (!lex->symbol || lex->symbol(lex->ctx, tok.start, tok.len, value))
		return unknown_name(lex, &tok);

	return 0;
}

static int expr(struct nvfifo_lex *lex, __u64 *value, unsigned int depth)
{
	__u64 v = 0;
	int ret;

	*value = 0;
	ret = primary(lex, value, depth);
	while (!ret) {
		if (nvfifo_lex_take_sign(lex, '+')) {
			ret = primary(lex, &v, depth);
			*value += v;
		} else if (nvfifo_lex_take_sign(lex, '-')) {
			ret = primary(lex, &v, depth);
			*value -= v;
		} else if (nvfifo_lex_take_sign(lex, '|')) {
			ret = primary(lex, &v, depth);
			*value |= v;
		} else {
			break;
		}
	}

	return ret;
}

int nvfifo_lex_expr(struct nvfifo_lex *lex, __u64 *value)
{
	return expr(lex, value, 0);
}

/* A number for a message. The difference of two numbers may be below 0. */
static const char *number_text(__u64 v, char text[static 24])
{
	if ((__s64)v < 0 && (__s64)v >= -0xffffffffLL)
		snprintf(text, 24, "-0x%llx", -(unsigned long long)v);
	else
		snprintf(text, 24, "0x%llx", (unsigned long long)v);
	return text;
}

int nvfifo_lex_range(struct nvfifo_lex *lex, const char *what, __u64 max, __u64 *value)
{
	struct nvfifo_token tok = lex->tok;
	char text[24];
	int ret = nvfifo_lex_expr(lex, value);

	if (ret)
		return ret;

	if (*value > max)
		return nvfifo_lex_error(lex, &tok, "%s must be 0 to 0x%llx, this is %s", what,
					(unsigned long long)max, number_text(*value, text));

	return 0;
}

/* A 64-bit value that must be a 32-bit word, as a number with or without a sign. */
static int read_word(struct nvfifo_lex *lex, int (*read)(struct nvfifo_lex *lex, __u64 *v, unsigned int depth),
		     __u32 *value)
{
	struct nvfifo_token tok = lex->tok;
	char text[24];
	__u64 v;
	int ret = read(lex, &v, 0);

	*value = (__u32)v;
	if (ret || ((__s64)v <= 0xffffffffLL && (__s64)v >= -0x80000000LL))
		return ret;

	return nvfifo_lex_error(lex, &tok,
				"%s does not fit into a 32-bit word; hi(x) and lo(x) give the halves of an address, addr(x) both",
				number_text(v, text));
}

int nvfifo_lex_term(struct nvfifo_lex *lex, __u32 *value)
{
	return read_word(lex, primary, value);
}

int nvfifo_lex_word(struct nvfifo_lex *lex, __u32 *value)
{
	return read_word(lex, expr, value);
}
