// SPDX-License-Identifier: MIT
/*
 * Assembler of the text that Documentation/guides/text-format.rst describes.
 *
 * With ':' the assembler counts the data words itself; with xCOUNT it believes the text, right or
 * wrong, so that every stream can be written down.
 */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_lex.h"
#include "nvfifo_methods.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

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
		struct nvfifo_place *places;
		__u32 *data;

		if (w->count == room)
			room = room ? room * 2 : 64;
		if (room > SIZE_MAX / sizeof(*places))
			return nvfifo_error(-ENOMEM, "too many words");

		data = realloc(w->data, room * sizeof(*data));
		if (!data)
			return nvfifo_error(-ENOMEM, "out of memory");
		w->data = data;

		if (w->line) {
			places = realloc(w->places, room * sizeof(*places));
			if (!places)
				return nvfifo_error(-ENOMEM, "out of memory");
			w->places = places;
		}

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

/* --- Data of methods ----------------------------------------------------- */

static int value(struct nvfifo_lex *lex, const char *s, unsigned int width,
		 unsigned int generation, bool of_field, __u32 *word);

static bool same_name(const struct nvfifo_token *tok, const char *name, size_t len)
{
	return tok->type == NVFIFO_TOKEN_WORD && tok->len == len &&
	       !strncasecmp(tok->start, name, len);
}

/* --- Floats -------------------------------------------------------------- */

/* Read a decimal number with a point or an exponent at @s. Return: its length, or 0. */
static size_t read_float(const char *s, const char *end, char text[static 64], float *f)
{
	char *rest = text;
	size_t n = 0;

	while (n < 63 && s + n < end && (isdigit((unsigned char)s[n]) || memchr(".eE+-", s[n], 5))) {
		text[n] = s[n];
		n++;
	}

	text[n] = '\0';
	if (!isdigit((unsigned char)*text) || !strpbrk(text, ".eE"))
		return 0;

	errno = 0;
	*f = strtof(text, &rest);
	*rest = '\0';
	n = (size_t)(rest - text);
	if (!strpbrk(text, ".eE") || (s + n < end && nvfifo_text_is_name(s[n])))
		return 0;

	return n;
}

/* Take a float, with its sign. Return: 1, 0 if there is none, or an error. */
static int take_float(struct nvfifo_lex *lex, unsigned int width, __u32 *word)
{
	struct nvfifo_token tok = lex->tok;
	struct nvfifo_lex start = *lex;
	union {
		float f;
		__u32 u;
	} x;
	char text[64];
	bool minus = nvfifo_lex_take_sign(lex, '-');
	size_t len = 0;

	if (lex->tok.type == NVFIFO_TOKEN_WORD)
		len = read_float(lex->tok.start, lex->end, text, &x.f);
	if (!len) {
		*lex = start;
		return 0;
	}

	if (errno == ERANGE && (x.f > FLT_MAX || x.f == 0))
		return nvfifo_lex_error(lex, &tok, "%s does not fit into a 32-bit float", text);

	if (width == 16 && !nvfifo_float_to_half(x.f, word))
		return nvfifo_lex_error(lex, &tok, "%s does not fit into a 16-bit float", text);

	if (width == 16)
		*word |= minus ? 0x8000 : 0;
	else
		*word = x.u | (minus ? 0x80000000 : 0);
	lex->pos = lex->tok.start + len;
	nvfifo_lex_next(lex);

	return 1;
}

/* --- Names of values ----------------------------------------------------- */

/* "=80a:NAME 80b:OTHER": the value with the token's name. */
static bool find_value(const char *s, const struct nvfifo_token *tok, __u32 *v)
{
	struct nvfifo_value_name n;

	while ((s = nvfifo_method_next_name(s, &n))) {
		if (same_name(tok, n.name, n.len)) {
			*v = n.value;
			return true;
		}
	}

	return false;
}

static void offer(struct nvfifo_near *near, const char *name, size_t len)
{
	char text[NVFIFO_NEAR_NAME];

	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	if (len < sizeof(text))
		nvfifo_near_offer(near, text);
}

/* --- Fields -------------------------------------------------------------- */

static bool find_field(const char *s, unsigned int generation, const struct nvfifo_token *tok,
		       struct nvfifo_data_field *f)
{
	while ((s = nvfifo_method_next_field(s, generation, f))) {
		if (same_name(tok, f->name, f->name_len))
			return true;
	}

	return false;
}

static int unknown_field(struct nvfifo_lex *lex, const char *s, unsigned int generation)
{
	const struct nvfifo_token *tok = &lex->tok;
	struct nvfifo_near near;
	struct nvfifo_data_field f;
	char more[200];

	nvfifo_near_init(&near, tok->start, tok->len);
	while ((s = nvfifo_method_next_field(s, generation, &f)))
		offer(&near, f.name, f.name_len);

	return nvfifo_lex_error(lex, tok, "the data have no field '%.*s'%s",
				(int)(tok->len > 40 ? 40 : tok->len), tok->start,
				nvfifo_near_text(&near, more, sizeof(more)));
}

/*
 * Add bits to a word; @given has those that it has already. Fields of one word may share
 * bits (QUERY_SELECT and COUNTER_SELECT), but not with different values.
 */
static int add_bits(struct nvfifo_lex *lex, const struct nvfifo_token *tok, __u32 mask, __u32 bits,
		    __u32 *given, __u32 *word)
{
	if ((*word ^ bits) & *given & mask)
		return nvfifo_lex_error(lex, tok, "'%.*s' contradicts what stands before it",
					(int)(tok->len > 40 ? 40 : tok->len), tok->start);
	*given |= mask;
	*word |= bits;

	return 0;
}

/* "FIELD", "FIELD = VALUE", or a number for bits that have no name. */
static int field_item(struct nvfifo_lex *lex, const char *description, unsigned int generation,
		      __u32 *given, __u32 *word)
{
	struct nvfifo_token tok = lex->tok;
	struct nvfifo_data_field f;
	__u32 v = 1;
	__u64 bits;
	int ret;

	/* "{0 1:0|1 5:4}": a field may be called by a number. */
	if (tok.type != NVFIFO_TOKEN_WORD || !find_field(description, generation, &tok, &f)) {
		if (!nvfifo_token_number(&tok, &bits))
			return unknown_field(lex, description, generation);
		if (bits > 0xffffffff)
			return nvfifo_lex_error(lex, &tok, "0x%llx does not fit into a 32-bit word",
						(unsigned long long)bits);
		nvfifo_lex_next(lex);
		return add_bits(lex, &tok, (__u32)bits, (__u32)bits, given, word);
	}

	nvfifo_lex_next(lex);
	if (nvfifo_lex_take_sign(lex, '=')) {
		ret = value(lex, f.data, f.width, generation, true, &v);
		if (ret)
			return ret;
	} else if (f.width > 1 && strncmp(f.data, "bool", 4)) {
		return nvfifo_lex_error(lex, &tok, "%.*s needs a value, '= VALUE'",
					(int)f.name_len, f.name);
	}

	if (v & ~f.mask)
		return nvfifo_lex_error(lex, &tok, "%.*s must be 0 to 0x%x", (int)f.name_len,
					f.name, f.mask);

	return add_bits(lex, &tok, f.mask << f.low, v << f.low, given, word);
}

static int field_list(struct nvfifo_lex *lex, const char *description, unsigned int generation,
		      bool braces, __u32 *word)
{
	__u32 given = 0;
	int ret;

	*word = 0;
	do {
		ret = field_item(lex, description, generation, &given, word);
		if (ret)
			return ret;
	} while (nvfifo_lex_take_sign(lex, '|'));

	if (braces && !nvfifo_lex_take_sign(lex, '}'))
		return nvfifo_lex_expected(lex, "'|' or '}'");

	return 0;
}

static int fields(struct nvfifo_lex *lex, const char *s, unsigned int width,
		  unsigned int generation, __u32 *word)
{
	struct nvfifo_lex start = *lex;
	bool is_field, is_name, has_value;
	struct nvfifo_data_field f;

	if (nvfifo_lex_take_sign(lex, '{'))
		return field_list(lex, s, generation, true, word);

	is_field = find_field(s, generation, &lex->tok, &f);
	is_name = lex->tok.type == NVFIFO_TOKEN_WORD && !isdigit((unsigned char)*lex->tok.start);
	nvfifo_lex_next(lex);
	has_value = nvfifo_lex_is_sign(lex, '=');
	*lex = start;

	/* A number that is the name of a field is a field only if a value follows. */
	if (is_field && (is_name || has_value))
		return field_list(lex, s, generation, false, word);

	/* "NAME =" can be nothing but a field. */
	if (is_name && has_value)
		return unknown_field(lex, s, generation);

	return value(lex, "", width, generation, false, word);
}

/* --- All kinds ----------------------------------------------------------- */

/* An expression that must fit into @width bits, of which one is the sign if @is_signed. */
static int number(struct nvfifo_lex *lex, unsigned int width, bool is_signed, __u32 *word)
{
	struct nvfifo_token tok = lex->tok;
	__u32 mask = width < 32 ? (1u << width) - 1 : 0xffffffff;
	int ret;

	if (width == 32)
		return nvfifo_lex_word(lex, word);

	/* '|' separates fields, so a field's value is one term. */
	ret = nvfifo_lex_term(lex, word);
	if (ret)
		return ret;
	if (is_signed && (__s32)*word >> (width - 1) != (__s32)*word >> 31)
		return nvfifo_lex_error(lex, &tok, "the value must be %d to %d",
					-(int)(mask >> 1) - 1, (int)(mask >> 1));
	if (!is_signed && *word & ~mask)
		return nvfifo_lex_error(lex, &tok,
					"the value must fit into %u bits and has no sign", width);

	*word &= mask;
	return 0;
}

/* A word that is no name of the list: an error if a name is near, or if it must be one. */
static int refuse_value(struct nvfifo_lex *lex, const char *s, bool must)
{
	const struct nvfifo_token *tok = &lex->tok;
	struct nvfifo_value_name n;
	struct nvfifo_near near;
	char more[200];

	if (tok->type != NVFIFO_TOKEN_WORD || isdigit((unsigned char)*tok->start))
		return 0;

	nvfifo_near_init(&near, tok->start, tok->len);
	while ((s = nvfifo_method_next_name(s, &n)))
		offer(&near, n.name, n.len);
	nvfifo_near_text(&near, more, sizeof(more));
	if (!must && !*more)
		return 0;
	if (!*more)
		snprintf(more, sizeof(more), "; 'nvfifo methods' lists those of the method");

	return nvfifo_lex_error(lex, tok, "there is no value '%.*s'%s",
				(int)(tok->len > 40 ? 40 : tok->len), tok->start, more);
}

/* Must a word that is no name of the list be a mistake? Commands alone have no buffers. */
static bool must_be_value(const struct nvfifo_lex *lex)
{
	const struct nvfifo_token *tok = &lex->tok;

	return !lex->symbol && !nvfifo_token_is(tok, "hi") && !nvfifo_token_is(tok, "lo") &&
	       !nvfifo_token_is(tok, "addr");
}

/*
 * One value after its description. @of_field: it belongs to a field, where a buffer's
 * name has no meaning. A number stands for the bits themselves, even where the
 * disassembler prints a multiple of them.
 */
static int value(struct nvfifo_lex *lex, const char *s, unsigned int width,
		 unsigned int generation, bool of_field, __u32 *word)
{
	struct nvfifo_token tok = lex->tok;
	int ret;

	s = nvfifo_method_plain(s);
	if (*s == '{')
		return fields(lex, s, width, generation, word);
	if (!strncmp(s, "bool", 4) && (same_name(&tok, "TRUE", 4) || same_name(&tok, "FALSE", 5))) {
		*word = same_name(&tok, "TRUE", 4);
		nvfifo_lex_next(lex);
		return 0;
	}

	if (*s == '=') {
		if (find_value(s, &tok, word)) {
			nvfifo_lex_next(lex);
			return 0;
		}
		ret = refuse_value(lex, s, of_field || must_be_value(lex));
		if (ret)
			return ret;
	}

	if (width == 32 || (width == 16 && !strncmp(s, "float", 5))) {
		ret = take_float(lex, width, word);
		if (ret)
			return ret < 0 ? ret : 0;
	}

	return number(lex, width, !strncmp(s, "int", 3), word);
}

/*
 * Read a data word of a method, 0 for a class that is not known. Names of values and fields are those
 * that nvfifo_method_value() prints: "SRCCOPY", "{ SIZE = 4096 | BUFFER = 3 }", "X | Y". Decimal
 * numbers with a point or an exponent are floats. All else is an expression.
 */
int nvfifo_value_parse(struct nvfifo_lex *lex, __u32 oclass, __u32 method, __u32 *word)
{
	unsigned int generation = 0;
	const char *s = NULL;

	if (oclass && method >= 0x100)
		s = nvfifo_method_description(oclass, method, &generation);

	return value(lex, s, 32, generation, false, word);
}

/* --- Commands ------------------------------------------------------------ */

static bool nvc0(const struct assembler *a)
{
	return a->format == NVFIFO_FORMAT_NVC0;
}

static __u32 encode(const struct assembler *a, const struct nvfifo_command *c)
{
	return nvc0(a) ? nvfifo_nvc0_encode(c) : nvfifo_nv04_encode(c);
}

static int emit(struct assembler *a, const struct nvfifo_command *c)
{
	return nvfifo_words_add(a->words, encode(a, c));
}

static __u32 last_method(const struct assembler *a)
{
	return nvc0(a) ? 0x3ffc : 0x1ffc;
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
	const char *open = memchr(tok->start, '[', tok->len), *end = tok->start + tok->len;
	const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	int len = tok->len > 40 ? 40 : (int)tok->len;
	char name[NVFIFO_NEAR_NAME], more[240];
	struct nvfifo_near near;

	if (open && (!close || close == open + 1))
		return nvfifo_lex_error(a->lex, tok,
					"'%.*s' needs the number of an element from 0 on, as in [3]",
					len, tok->start);

	/* Elements have no numbers in the list of names. */
	if (close)
		snprintf(name, sizeof(name), "%.*s[%.*s", (int)(open - tok->start), tok->start,
			 (int)(end - close), close);
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
	const __u32 max = last_method(a);
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
					max);
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

static int counted_list(struct assembler *a, struct nvfifo_command *c, const struct nvfifo_token *tok,
			size_t count_at, __u32 max)
{
	const __u32 last = last_method(a);
	__u32 count;
	int ret = data_list(a, c, &count);

	if (ret)
		return ret;

	if (count > max)
		return nvfifo_lex_error(a->lex, tok, "%u data words, this command can have %u",
					count, max);
	if (method_of(c, count - 1) > last)
		return nvfifo_lex_error(a->lex, tok,
					"%u data words from method 0x%x on run past the last one, 0x%x",
					count, c->method, last);
	if (c->type == NVFIFO_COMMAND_LONG_NONINCR) {
		a->words->data[count_at] = count;
	} else {
		c->count = (__u16)count;
		a->words->data[count_at] = encode(a, c);
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
	__u64 v = 0;
	__u32 max;
	int ret = 0;

	switch (type) {
	case NVFIFO_COMMAND_SLI_COND:
	case NVFIFO_COMMAND_SLI_STORE_MASK:
		ret = nvfifo_lex_range(a->lex, "an SLI mask", 0xfff, &v);
		break;
	case NVFIFO_COMMAND_OLD_JUMP:
	case NVFIFO_COMMAND_JUMP:
	case NVFIFO_COMMAND_CALL:
		max = type == NVFIFO_COMMAND_OLD_JUMP ? 0x1ffffffc : 0xfffffffc;
		ret = nvfifo_lex_range(a->lex, "the target", max, &v);
		if (!ret && v & 3)
			return nvfifo_lex_error(a->lex, &tok, "the target must be a multiple of 4");
		break;
	default:
		break;
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

static const char *const format_names[] = {
	[NVFIFO_FORMAT_NV04] = "nv04",
	[NVFIFO_FORMAT_NV04_DMA] = "nv04-dma",
	[NVFIFO_FORMAT_NVC0] = "nvc0",
};

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
	size_t i;

	nvfifo_near_init(&near, tok->start, tok->len);
	for (i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++) {
		if (mnemonics[i].formats & 1u << a->format)
			nvfifo_near_offer(&near, mnemonics[i].name);
	}

	if (tok->type != NVFIFO_TOKEN_WORD || !near.count)
		return nvfifo_lex_expected(a->lex, what);

	return nvfifo_lex_expected_near(a->lex, what, &near);
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
						format_names[format]);
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
