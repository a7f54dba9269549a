// SPDX-License-Identifier: MIT
/*
 * Assembler.
 *
 * One statement a line; '#' starts a comment.
 *
 *	mthd SUBC METHOD : DATA, DATA ...	increasing methods, data counted
 *	mthd SUBC METHOD xCOUNT			the header alone
 *	data WORD, WORD ...			data words
 *	0inc, ninc				one method, many data words
 *	1inc					increases once (NVC0)
 *	long SUBC METHOD : DATA ...		0inc with a 24-bit count (NV04)
 *	long SUBC METHOD xCOUNT			header and count
 *	long SUBC METHOD			header alone; "count N" follows
 *	immd SUBC METHOD VALUE			one method with its data
 *	nop
 *	sli MASK, sli_store MASK, sli_use	SLI conditional
 *	jump A, old_jump A, call A, return	NV04 in a linear buffer
 *	end_segment				NVC0
 *	.word WORD, WORD ...			anything
 *
 * METHOD is a number or a name: REF_CNT, M2MF.LINE_COUNT. A data list goes on after a comma at the
 * end of a line. DATA is an expression; hi(buf + 16) and lo(buf + 16) are the halves of an address,
 * addr(buf + 16) is both, two words. DATA may be a float (1.5). If METHOD is a name, DATA may also
 * be output of the disassembler: the name of a value (SRCCOPY) or fields (SIZE = 4096 | BUFFER =
 * 3).
 *
 * With ':' the assembler counts the data words itself; with xCOUNT it believes
 * the text, right or wrong, so that every stream can be written down. An offset
 * and a word in front of a statement, as the disassembler prints them, are
 * skipped.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_lex.h"
#include "nvfifo_methods.h"
#include "nvfifo_priv.h"

struct assembler {
	struct nvfifo_lex *lex;
	enum nvfifo_format format;
	struct nvfifo_words *words;
	__u32 oclass;	/* of the method's name, 0 if it has none */
	bool named;	/* the method is given by its name */
};

struct mnemonic;

static const struct mnemonic *find_mnemonic(const struct nvfifo_token *tok);

int nvfifo_words_add(struct nvfifo_words *w, __u32 word)
{
	if (w->count == w->room || (w->line && !w->places)) {
		size_t room = w->room;
		struct nvfifo_place *places = NULL;
		__u32 *data;

		if (w->count == room)
			room = room ? room * 2 : 64;
		if (room > SIZE_MAX / sizeof(*places))
			return nvfifo_error(-ENOMEM, "too many words");

		data = realloc(w->data, room * sizeof(*data));
		if (data)
			w->data = data;
		if (data && w->line) {
			places = realloc(w->places, room * sizeof(*places));
			if (places)
				w->places = places;
		}

		if (!data || (w->line && !places))
			return nvfifo_error(-ENOMEM, "out of memory");

		w->room = room;
	}

	if (w->places)
		w->places[w->count] = (struct nvfifo_place){ w->line, w->column };
	w->data[w->count++] = word;

	return 0;
}

void nvfifo_words_free(struct nvfifo_words *w)
{
	free(w->data);
	free(w->places);
	memset(w, 0, sizeof(*w));
}

static bool nvc0(const struct assembler *a)
{
	return a->format == NVFIFO_FORMAT_NVC0;
}

static int emit(struct assembler *a, const struct nvfifo_command *c)
{
	return nvfifo_words_add(a->words, nvc0(a) ? nvfifo_nvc0_encode(c) : nvfifo_nv04_encode(c));
}

/* The method of data word @i of a command. */
static __u32 method_of(const struct nvfifo_command *c, __u32 i)
{
	if (c->type == NVFIFO_COMMAND_INCR)
		return c->method + i * 4;
	if (c->type == NVFIFO_COMMAND_1INC && i)
		return c->method + 4;
	return c->method;
}

/*
 * "addr(x)" is two words: the upper and the lower half of an address. A method with a name, and the
 * next one, must be the two halves of an address.
 */
static int address(struct assembler *a, const struct nvfifo_command *c, __u32 *count)
{
	struct nvfifo_token tok = a->lex->tok;
	__u64 v;
	int ret;

	if (c && a->named && (c->type != NVFIFO_COMMAND_INCR ||
			      !nvfifo_method_is_address_high(a->oclass, method_of(c, *count))))
		return nvfifo_lex_error(a->lex, &tok,
					"method 0x%x and the next one are not the two halves of an address; hi(x) and lo(x) give one each",
					method_of(c, *count));

	nvfifo_lex_next(a->lex);
	ret = nvfifo_lex_expr(a->lex, &v);
	if (ret)
		return ret;

	if (v > NVFIFO_VA_MASK)
		return nvfifo_lex_error(a->lex, &tok, "an address has at most 40 bits, this is 0x%llx",
					(unsigned long long)v);
	*count += 2;
	ret = nvfifo_words_add(a->words, (__u32)(v >> 32));
	if (ret)
		return ret;

	return nvfifo_words_add(a->words, (__u32)v);
}

/* Go to the next data word, perhaps on a later line; a command there means that it is missing. */
static int next_datum(struct assembler *a)
{
	struct nvfifo_token end = a->lex->tok, *tok = &a->lex->tok;
	__u64 v;

	nvfifo_lex_skip_newlines(a->lex);
	if (end.type == NVFIFO_TOKEN_NEWLINE &&
	    (tok->type == NVFIFO_TOKEN_END ||
	     (find_mnemonic(tok) &&
	      (!a->lex->symbol || a->lex->symbol(a->lex->ctx, tok->start, tok->len, &v)))))
		return nvfifo_lex_error(a->lex, &end, "expected a number or a name, found the end of the line");

	return 0;
}

/*
 * "DATA, DATA ..."; a comma at the end of a line continues the list. @c is the command
 * that the data belong to, NULL for none.
 */
static int data_list(struct assembler *a, const struct nvfifo_command *c, __u32 *count)
{
	__u32 word, oclass = c ? a->oclass : 0;
	int ret;

	*count = 0;
	do {
		ret = next_datum(a);
		if (ret)
			return ret;

		a->words->line = a->lex->tok.line;
		a->words->column = a->lex->tok.column;
		if (nvfifo_token_is(&a->lex->tok, "addr")) {
			ret = address(a, c, count);
		} else {
			ret = nvfifo_value_parse(a->lex, oclass, c ? method_of(c, *count) : 0,
						 &word);
			if (!ret)
				ret = nvfifo_words_add(a->words, word);
			(*count)++;
		}
		if (ret)
			return ret;
	} while (nvfifo_lex_take_sign(a->lex, ','));

	return 0;
}

static int subchannel(struct assembler *a, struct nvfifo_command *c)
{
	const struct nvfifo_token *tok = &a->lex->tok;
	__u32 oclass;
	__u64 v;
	int ret;

	if (tok->type == NVFIFO_TOKEN_WORD && !nvfifo_token_number(tok, &v) &&
	    nvfifo_method_find(tok->start, tok->len, &oclass) >= 0)
		return nvfifo_lex_error(a->lex, tok, "the subchannel, 0 to 7, stands before the method '%.*s'",
					(int)tok->len, tok->start);

	ret = nvfifo_lex_range(a->lex, "the subchannel", 7, &v);
	c->subc = (__u8)v;

	return ret;
}

static int unknown_method(struct assembler *a, const struct nvfifo_token *tok)
{
	const char *open = memchr(tok->start, '[', tok->len), *close;
	int len = tok->len > 40 ? 40 : (int)tok->len;
	char name[NVFIFO_NEAR_NAME], more[240];
	struct nvfifo_near near;

	if (open && (!memchr(open, ']', tok->len - (size_t)(open - tok->start)) || open[1] == ']'))
		return nvfifo_lex_error(a->lex, tok,
					"'%.*s' needs the number of an element from 0 on, as in [3]",
					len, tok->start);

	/* Elements have no numbers in the list of names. */
	close = open ? memchr(open, ']', tok->len - (size_t)(open - tok->start)) : NULL;
	if (close)
		snprintf(name, sizeof(name), "%.*s[%.*s", (int)(open - tok->start), tok->start,
			 (int)(tok->len - (size_t)(close - tok->start)), close);
	else
		snprintf(name, sizeof(name), "%.*s", (int)tok->len, tok->start);
	nvfifo_near_init(&near, name, strlen(name));
	nvfifo_method_offer(&near);
	nvfifo_near_text(&near, more, sizeof(more));
	if (close && !strcasecmp(near.best[0], name))
		return nvfifo_lex_error(a->lex, tok, "the array of '%.*s' has no such element, only 0 to %u",
					len, tok->start, nvfifo_method_elements(name) - 1);

	return nvfifo_lex_error(a->lex, tok, "there is no method with the name '%.*s'%s", len,
				tok->start, more);
}

static int method(struct assembler *a, struct nvfifo_command *c)
{
	struct nvfifo_token tok = a->lex->tok;
	__u64 max = nvc0(a) ? 0x3ffc : 0x1ffc;
	__u64 v;
	int named;

	a->oclass = 0;
	a->named = false;
	if (tok.type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(a->lex, "a method (its number or name)");

	if (!nvfifo_token_number(&tok, &v)) {
		named = nvfifo_method_find(tok.start, tok.len, &a->oclass);
		if (named < 0)
			return unknown_method(a, &tok);
		v = (__u64)named;
		a->named = true;
	}

	if (v > max || v & 3)
		return nvfifo_lex_error(a->lex, &tok,
					"a method must be a multiple of 4 from 0 to 0x%x",
					(unsigned int)max);
	nvfifo_lex_next(a->lex);
	c->method = (__u16)v;

	return 0;
}

/* "x12": 1 and the count, 0 if the token is something else, or an error. */
static int explicit_count(struct assembler *a, __u32 max, __u32 *count)
{
	struct nvfifo_token tok = a->lex->tok;
	__u64 v;

	if (tok.type != NVFIFO_TOKEN_WORD || tok.len < 2 || (*tok.start | 0x20) != 'x')
		return 0;

	tok.start++;
	tok.len--;
	if (!nvfifo_token_number(&tok, &v) || v > max)
		return nvfifo_lex_error(a->lex, &a->lex->tok, "a count must be x0 to x%u", max);

	nvfifo_lex_next(a->lex);
	*count = (__u32)v;

	return 1;
}

/* Get the distance from the first to the last method of @count data words, bytes. */
static __u32 method_run(const struct nvfifo_command *c, __u32 count)
{
	if (c->type == NVFIFO_COMMAND_INCR)
		return (count - 1) * 4;
	return c->type == NVFIFO_COMMAND_1INC && count > 1 ? 4 : 0;
}

static int counted_list(struct assembler *a, struct nvfifo_command *c, const struct nvfifo_token *tok,
			size_t count_at, __u32 max)
{
	__u32 last = nvc0(a) ? 0x3ffc : 0x1ffc;
	__u32 count;
	int ret = data_list(a, c, &count);

	if (ret)
		return ret;

	if (count > max)
		return nvfifo_lex_error(a->lex, tok, "%u data words, this command can have %u",
					count, max);
	if (method_run(c, count) > last - c->method)
		return nvfifo_lex_error(a->lex, tok,
					"%u data words from method 0x%x on run past the last one, 0x%x",
					count, c->method, last);
	if (c->type == NVFIFO_COMMAND_LONG_NONINCR) {
		a->words->data[count_at] = count;
	} else {
		c->count = (__u16)count;
		a->words->data[count_at] = nvc0(a) ? nvfifo_nvc0_encode(c) : nvfifo_nv04_encode(c);
	}

	return 0;
}

static int method_command(struct assembler *a, enum nvfifo_command_type type)
{
	bool is_long = type == NVFIFO_COMMAND_LONG_NONINCR;
	struct nvfifo_token tok = a->lex->tok;
	struct nvfifo_command c = { .type = type };
	__u32 count = 0, max;
	int ret;

	max = nvc0(a) ? NVFIFO_NVC0_COUNT_MAX : NVFIFO_NV04_COUNT_MAX;
	if (is_long)
		max = NVFIFO_LONG_COUNT_MAX;

	ret = subchannel(a, &c);
	if (!ret)
		ret = method(a, &c);
	if (ret)
		return ret;

	if (nvfifo_lex_take_sign(a->lex, ':')) {
		ret = emit(a, &c);
		if (!ret && is_long)
			ret = nvfifo_words_add(a->words, 0);
		return ret ? ret : counted_list(a, &c, &tok, a->words->count - 1, max);
	}

	ret = explicit_count(a, max, &count);
	if (ret < 0)
		return ret;
	if (!ret && !is_long)
		return nvfifo_lex_expected(a->lex, "':' and data words, or a count such as x1");

	c.count = is_long ? 0 : (__u16)count;
	if (emit(a, &c))
		return -ENOMEM;

	return ret && is_long ? nvfifo_words_add(a->words, count) : 0;
}

static int immediate(struct assembler *a)
{
	struct nvfifo_command c = { .type = NVFIFO_COMMAND_INCR, .count = 1 };
	__u32 word;
	int ret = subchannel(a, &c);

	if (!ret)
		ret = method(a, &c);
	if (!ret)
		ret = nvfifo_value_parse(a->lex, a->oclass, c.method, &word);
	if (ret)
		return ret;

	/* Like P_IMMD of the builder: one word if the data fit into it. */
	if (nvc0(a) && word <= 0x1fff) {
		c.type = NVFIFO_COMMAND_IMMD;
		c.value = word;
		return emit(a, &c);
	}

	ret = emit(a, &c);

	return ret ? ret : nvfifo_words_add(a->words, word);
}

static int single(struct assembler *a, enum nvfifo_command_type type)
{
	struct nvfifo_command c = { .type = type };
	struct nvfifo_token tok = a->lex->tok;
	__u64 max = 0, v = 0;
	int ret = 0;

	switch (type) {
	case NVFIFO_COMMAND_SLI_COND:
	case NVFIFO_COMMAND_SLI_STORE_MASK:
		ret = nvfifo_lex_range(a->lex, "an SLI mask", 0xfff, &v);
		break;
	case NVFIFO_COMMAND_OLD_JUMP:
		max = 0x1ffffffc;
		break;
	case NVFIFO_COMMAND_JUMP:
	case NVFIFO_COMMAND_CALL:
		max = 0xfffffffc;
		break;
	default:
		break;
	}

	if (max) {
		ret = nvfifo_lex_range(a->lex, "the target", max, &v);
		if (!ret && v & 3)
			return nvfifo_lex_error(a->lex, &tok, "the target must be a multiple of 4");
	}

	c.value = (__u32)v;
	return ret ? ret : emit(a, &c);
}

#define IN_NV04	    (1u << NVFIFO_FORMAT_NV04)
#define IN_NV04_DMA (1u << NVFIFO_FORMAT_NV04_DMA)
#define IN_NVC0	    (1u << NVFIFO_FORMAT_NVC0)
#define IN_ALL	    (IN_NV04 | IN_NV04_DMA | IN_NVC0)

enum statement {
	METHODS,	/* subchannel, method, count or data */
	SINGLE,		/* at most a value */
	IMMEDIATE,
	NOP,
	DATA,
	LONG_COUNT,
};

static const struct mnemonic {
	const char *name;
	enum statement statement;
	enum nvfifo_command_type type;
	unsigned int formats;
} mnemonics[] = {
	{ "mthd", METHODS, NVFIFO_COMMAND_INCR, IN_ALL },
	{ "0inc", METHODS, NVFIFO_COMMAND_NONINCR, IN_ALL },
	{ "ninc", METHODS, NVFIFO_COMMAND_NONINCR, IN_ALL },
	{ "1inc", METHODS, NVFIFO_COMMAND_1INC, IN_NVC0 },
	{ "long", METHODS, NVFIFO_COMMAND_LONG_NONINCR, IN_NV04 },
	{ "immd", IMMEDIATE, NVFIFO_COMMAND_IMMD, IN_ALL },
	{ "nop", NOP, NVFIFO_COMMAND_INCR, IN_ALL },
	{ "data", DATA, NVFIFO_COMMAND_INVALID, IN_ALL },
	{ ".word", DATA, NVFIFO_COMMAND_INVALID, IN_ALL },
	{ "count", LONG_COUNT, NVFIFO_COMMAND_INVALID, IN_NV04 },
	{ "sli", SINGLE, NVFIFO_COMMAND_SLI_COND, IN_ALL },
	{ "sli_store", SINGLE, NVFIFO_COMMAND_SLI_STORE_MASK, IN_NVC0 },
	{ "sli_use", SINGLE, NVFIFO_COMMAND_SLI_USE_MASK, IN_NVC0 },
	{ "end_segment", SINGLE, NVFIFO_COMMAND_END_SEGMENT, IN_NVC0 },
	{ "jump", SINGLE, NVFIFO_COMMAND_JUMP, IN_NV04_DMA },
	{ "old_jump", SINGLE, NVFIFO_COMMAND_OLD_JUMP, IN_NV04_DMA },
	{ "call", SINGLE, NVFIFO_COMMAND_CALL, IN_NV04_DMA },
	{ "return", SINGLE, NVFIFO_COMMAND_RETURN, IN_NV04_DMA },
};

static const char *format_name(enum nvfifo_format format)
{
	switch (format) {
	case NVFIFO_FORMAT_NVC0:
		return "nvc0";
	case NVFIFO_FORMAT_NV04_DMA:
		return "nv04-dma";
	default:
		return "nv04";
	}
}

static const struct mnemonic *find_mnemonic(const struct nvfifo_token *tok)
{
	size_t i;

	for (i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++) {
		if (nvfifo_token_is(tok, mnemonics[i].name))
			return &mnemonics[i];
	}

	return NULL;
}

bool nvfifo_asm_is_command(const struct nvfifo_token *tok)
{
	return find_mnemonic(tok) != NULL;
}

/* @block: does the text stand in the braces of a pushbuffer? */
static int unknown_mnemonic(struct assembler *a, bool block)
{
	const char *what = block ? "a command such as mthd, 0inc, data or nop, or the pushbuffer's '}'" :
				   "a command such as mthd, 0inc, data or nop";
	const struct nvfifo_token *tok = &a->lex->tok;
	struct nvfifo_near near;
	char more[200];
	size_t i;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(a->lex, what);

	nvfifo_near_init(&near, tok->start, tok->len);
	for (i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++) {
		if (mnemonics[i].formats & 1u << a->format)
			nvfifo_near_offer(&near, mnemonics[i].name);
	}
	if (!near.count)
		return nvfifo_lex_expected(a->lex, what);

	return nvfifo_lex_error(a->lex, tok, "expected %s, found '%.*s'%s", what,
				(int)(tok->len > 40 ? 40 : tok->len), tok->start,
				nvfifo_near_text(&near, more, sizeof(more)));
}

static int statement(struct assembler *a, const struct mnemonic *m)
{
	__u32 count;
	__u64 v;
	int ret;

	switch (m->statement) {
	case METHODS:
		return method_command(a, m->type);
	case IMMEDIATE:
		return immediate(a);
	case NOP:
		return nvfifo_words_add(a->words, 0);
	case DATA:
		return data_list(a, NULL, &count);
	case LONG_COUNT:
		ret = nvfifo_lex_range(a->lex, "a count", NVFIFO_LONG_COUNT_MAX, &v);
		return ret ? ret : nvfifo_words_add(a->words, (__u32)v);
	case SINGLE:
		break;
	}

	return single(a, m->type);
}

static const char *skip_hex(const char *s, const char *end)
{
	while (s < end && isxdigit((unsigned char)*s))
		s++;
	return s;
}

/* "00000040: 00040050  " as the disassembler prints it in front of a line. */
static void skip_listing(struct nvfifo_lex *lex)
{
	const char *s = lex->tok.start, *word;

	if (lex->tok.type != NVFIFO_TOKEN_WORD || lex->tok.len < 8 || lex->tok.len > 10 ||
	    skip_hex(s, s + lex->tok.len) != s + lex->tok.len)
		return;

	s += lex->tok.len;
	if (lex->end - s < 10 || s[0] != ':' || s[1] != ' ')
		return;

	word = s + 2;
	s = skip_hex(word, lex->end);
	if (s - word != 8 || (s < lex->end && !isspace((unsigned char)*s)))
		return;

	lex->pos = s;
	nvfifo_lex_next(lex);
}

int nvfifo_asm_run(struct nvfifo_lex *lex, bool block, enum nvfifo_format format,
		   struct nvfifo_words *words)
{
	struct assembler a = { .lex = lex, .format = format, .words = words };
	__u32 word;
	int ret;

	for (;;) {
		const struct mnemonic *m;

		nvfifo_lex_skip_newlines(lex);
		skip_listing(lex);
		if (nvfifo_lex_at_line_end(lex)) {
			if (lex->tok.type == NVFIFO_TOKEN_END)
				return 0;
			continue;
		}

		if (block && nvfifo_lex_is_sign(lex, '}'))
			return 0;

		m = find_mnemonic(&lex->tok);
		if (!m)
			return unknown_mnemonic(&a, block);

		if (!(m->formats & 1u << format))
			return nvfifo_lex_error(lex, &lex->tok,
						"%s does not exist in the format %s", m->name,
						format_name(format));
		words->line = lex->tok.line;
		words->column = lex->tok.column;

		/* The disassembler's usual line */
		if (m->statement == DATA && nvfifo_lex_take_plain_word(lex, &word)) {
			ret = nvfifo_words_add(words, word);
			if (ret)
				return ret;
			continue;
		}

		nvfifo_lex_next(lex);
		ret = statement(&a, m);
		if (ret)
			return ret;
		if (!nvfifo_lex_at_line_end(lex) && !(block && nvfifo_lex_is_sign(lex, '}')))
			return nvfifo_lex_expected(lex, "the end of the line");
	}
}

int nvfifo_assemble(const char *text, size_t len, enum nvfifo_format format,
		    nvfifo_symbol_fn symbol, void *ctx, struct nvfifo_words *words,
		    struct nvfifo_diag *diag)
{
	struct nvfifo_diag own;
	struct nvfifo_lex lex;
	int ret;

	if (!diag)
		diag = &own;
	memset(diag, 0, sizeof(*diag));
	nvfifo_lex_init(&lex, text, len, symbol, ctx, diag);
	ret = nvfifo_asm_run(&lex, false, format, words);
	if (ret == -EINVAL)
		nvfifo_error(ret, "line %u, column %u: %s", diag->line, diag->column, diag->text);

	return ret;
}
