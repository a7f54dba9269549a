// SPDX-License-Identifier: MIT
/* Data of methods from text: names of values, fields and floats. */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_methods.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

/* A field of a description: "NAME HIGH:LOW DATA". */
struct field {
	const char *name;
	size_t name_len;
	unsigned int low;
	unsigned int width;
	const char *data;	/* ends at '|' or '}' */
};

static int value(struct nvfifo_lex *lex, const char *s, unsigned int width,
		 unsigned int generation, bool of_field, __u32 *word);

static bool same_name(const struct nvfifo_token *tok, const char *name, size_t len)
{
	return tok->type == NVFIFO_TOKEN_WORD && tok->len == len &&
	       !strncasecmp(tok->start, name, len);
}

static bool ends_data(char c)
{
	return !c || c == '|' || c == '}';
}

static __u32 mask_of(unsigned int width)
{
	return width < 32 ? (1u << width) - 1 : 0xffffffff;
}

/* --- Floats -------------------------------------------------------------- */

static size_t digits(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && isdigit((unsigned char)*s))
		s++;
	return (size_t)(s - from);
}

/* Length of a decimal number with a point or an exponent at @s, or 0. */
static size_t float_len(const char *s, const char *end)
{
	const char *p = s, *exponent;
	bool is_float = false;

	p += digits(p, end);
	if (p == s)
		return 0;

	if (p < end && *p == '.') {
		is_float = true;
		p++;
		p += digits(p, end);
	}

	if (p < end && (*p | 0x20) == 'e') {
		exponent = p + 1;
		if (exponent < end && (*exponent == '-' || *exponent == '+'))
			exponent++;
		if (digits(exponent, end)) {
			is_float = true;
			p = exponent + digits(exponent, end);
		}
	}

	if (!is_float || (p < end && (isalnum((unsigned char)*p) || *p == '_')))
		return 0;

	return (size_t)(p - s);
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
		len = float_len(lex->tok.start, lex->end);
	if (!len || len >= sizeof(text)) {
		*lex = start;
		return 0;
	}

	memcpy(text, lex->tok.start, len);
	text[len] = '\0';
	errno = 0;
	x.f = strtof(text, NULL);
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
	for (s++; !ends_data(*s) && *s != '^';) {
		const char *name;
		__u64 n;

		name = nvfifo_text_read(s, 16, &n) + 1;
		s = name;
		while (!ends_data(*s) && *s != ' ')
			s++;
		if (same_name(tok, name, (size_t)(s - name))) {
			*v = (__u32)n;
			return true;
		}

		s += *s == ' ';
	}

	return false;
}

static void offer_values(const char *s, struct nvfifo_near *near)
{
	char name[NVFIFO_NEAR_NAME];

	for (s++; !ends_data(*s) && *s != '^';) {
		size_t len;

		s += strcspn(s, ":");
		s += *s == ':';
		len = strcspn(s, " |}");
		if (len < sizeof(name)) {
			memcpy(name, s, len);
			name[len] = '\0';
			nvfifo_near_offer(near, name);
		}

		s += len;
		s += *s == ' ';
	}
}

/* --- Fields -------------------------------------------------------------- */

/* The next field of the generation, or NULL; @s stands at '{' or '|'. */
static const char *next_field(const char *s, unsigned int generation, struct field *f)
{
	while (*s && *s != '}') {
		const char *marks, *end;

		f->name = ++s;
		f->name_len = strcspn(s, " ");
		f->data = nvfifo_method_bits(s + f->name_len, &f->low, &f->width);
		end = f->data + strcspn(f->data, "|}");
		s = end;
		marks = memchr(f->data, '^', (size_t)(end - f->data));
		if (!marks || memchr(marks, (int)('0' + generation), (size_t)(end - marks)))
			return s;
	}

	return NULL;
}

static bool find_field(const char *description, unsigned int generation,
		       const struct nvfifo_token *tok, struct field *f)
{
	const char *s = description;

	while ((s = next_field(s, generation, f))) {
		if (same_name(tok, f->name, f->name_len))
			return true;
	}

	return false;
}

static int unknown_field(struct nvfifo_lex *lex, const char *description, unsigned int generation)
{
	const struct nvfifo_token *tok = &lex->tok;
	struct nvfifo_near near;
	const char *s = description;
	char name[NVFIFO_NEAR_NAME], more[200];
	struct field f;

	nvfifo_near_init(&near, tok->start, tok->len);

	while ((s = next_field(s, generation, &f))) {
		if (f.name_len >= sizeof(name))
			continue;
		memcpy(name, f.name, f.name_len);
		name[f.name_len] = '\0';
		nvfifo_near_offer(&near, name);
	}

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
	struct field f;
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

	if (v & ~mask_of(f.width))
		return nvfifo_lex_error(lex, &tok, "%.*s must be 0 to 0x%x", (int)f.name_len,
					f.name, mask_of(f.width));

	return add_bits(lex, &tok, mask_of(f.width) << f.low, v << f.low, given, word);
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
	struct field f;

	if (nvfifo_lex_take_sign(lex, '{'))
		return field_list(lex, s, generation, true, word);

	/* A number that is the name of a field is a field only if a value follows. */
	if (find_field(s, generation, &lex->tok, &f)) {
		nvfifo_lex_next(lex);
		if (!isdigit((unsigned char)*f.name) || nvfifo_lex_is_sign(lex, '=')) {
			*lex = start;
			return field_list(lex, s, generation, false, word);
		}
		*lex = start;
	} else if (lex->tok.type == NVFIFO_TOKEN_WORD && !isdigit((unsigned char)*lex->tok.start)) {
		/* "NAME =" can be nothing but a field. */
		nvfifo_lex_next(lex);
		if (nvfifo_lex_is_sign(lex, '=')) {
			*lex = start;
			return unknown_field(lex, s, generation);
		}
		*lex = start;
	}

	return value(lex, "", width, generation, false, word);
}

/* --- All kinds ----------------------------------------------------------- */

/* An expression that must fit into @width bits, of which one is the sign if @is_signed. */
static int number(struct nvfifo_lex *lex, unsigned int width, bool is_signed, __u32 *word)
{
	struct nvfifo_token tok = lex->tok;
	__u32 mask = mask_of(width);
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
	struct nvfifo_near near;
	char more[200];

	if (tok->type != NVFIFO_TOKEN_WORD || isdigit((unsigned char)*tok->start))
		return 0;

	nvfifo_near_init(&near, tok->start, tok->len);
	offer_values(s, &near);
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

	if (*s == '@')
		s = nvfifo_method_type(s + 1, strcspn(s + 1, " |}"));
	if (!s)
		s = "";

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

int nvfifo_value_parse(struct nvfifo_lex *lex, __u32 oclass, __u32 method, __u32 *word)
{
	unsigned int generation = 0;
	const char *s = NULL;

	if (oclass && method >= 0x100)
		s = nvfifo_method_description(oclass, method, &generation);

	return value(lex, s ? s : "", 32, generation, false, word);
}
