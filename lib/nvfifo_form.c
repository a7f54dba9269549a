// SPDX-License-Identifier: MIT
/*
 * Data of methods as text. The descriptions of the method table are read once and become
 * forms: which numbers have names, which bits are which field. The disassembler writes
 * millions of words with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_hex.h"
#include "nvfifo_methods.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

enum form_kind {
	FORM_HEX,
	FORM_UINT,
	FORM_INT,
	FORM_BOOL,
	FORM_FLOAT,
	FORM_HALF,	/* a float of 16 bits */
	FORM_FIXED,	/* with a point; @part bits stand after it */
	FORM_NAMES,	/* one of a list: @count names from @first on */
	FORM_FIELDS,	/* @count fields from @first on */
};

/* How a number of @width bits is written, after a shift to the left by @shift. */
struct form {
	__u8 kind;
	__u8 width;
	__u8 shift;
	__u8 part;
	__u16 first;
	__u16 count;
	__u32 most;	/* bytes that the text has at most */
	__u32 known;	/* bits that fields have */
};

struct field {
	const char *name;
	__u16 name_len;
	__u16 form;
	__u8 low;
	bool is_bool;	/* only its name is written, and only if it is 1 */
	__u32 mask;	/* before the shift by @low */
};

/* More than the tables need. A longer text is written as a number. */
#define FORMS	2048
#define NAMES	4096
#define FIELDS	2048

/* Bytes of a form's text at most. A form with a longer one is written as a number. */
#define FORM_TEXT_MAX	320

/* Bytes of a number at most, "-2147483648.000000" among them */
#define NUMBER_TEXT_MAX	20

/* The first form is a hexadecimal number. */
static struct form forms[FORMS] = { { .most = NUMBER_TEXT_MAX } };
static struct nvfifo_value_name value_names[NAMES];
static struct field fields[FIELDS];
static unsigned int form_count = 1, name_count, field_count;

/* --- Descriptions to forms ----------------------------------------------- */

static bool starts(const char *s, const char *word)
{
	for (; *word; word++, s++) {
		if (*s != *word)
			return false;
	}
	return !*s || *s == ' ' || *s == '|' || *s == '}';
}

static __u16 make(const char *s, unsigned int width, unsigned int generation);

/* "=80a:NAME 80b:OTHER" */
static void make_names(struct form *f, const char *s)
{
	struct nvfifo_value_name n;

	f->kind = FORM_NAMES;
	f->first = (__u16)name_count;

	while (name_count < NAMES && (s = nvfifo_method_next_name(s, &n))) {
		value_names[name_count++] = n;
		if (f->most < n.len)
			f->most = (__u32)n.len;
	}

	f->count = (__u16)(name_count - f->first);
}

/* Bytes that a field adds to a text at most: " | NAME = VALUE" */
static __u32 field_text_max(const struct field *field)
{
	const __u32 name = 3u + field->name_len;

	if (field->is_bool && field->mask == 1)
		return name;

	return name + 3 + forms[field->form].most;
}

/* "{X 15:0 int|ON 31}" */
static void make_fields(struct form *f, const char *s, unsigned int generation)
{
	struct field list[32] = { 0 };
	struct nvfifo_data_field part;
	unsigned int count;

	f->kind = FORM_FIELDS;
	f->most = sizeof("{ 0 }");

	for (count = 0; count < 32 && (s = nvfifo_method_next_field(s, generation, &part)); count++) {
		list[count] = (struct field){
			.name = part.name,
			.name_len = (__u16)part.name_len,
			.form = make(part.data, part.width, generation),
			.low = (__u8)part.low,
			.is_bool = starts(part.data, "bool"),
			.mask = part.mask,
		};
		f->known |= part.mask << part.low;
		f->most += field_text_max(&list[count]);
	}

	/* Bits that no field has are a number. */
	if (~f->known & (0xffffffff >> (32 - f->width)) << f->shift)
		f->most += 3 + NUMBER_TEXT_MAX;

	/* The fields of a field's own fields stand before. */
	f->first = (__u16)field_count;
	if (count <= FIELDS - field_count && f->most < FORM_TEXT_MAX) {
		memcpy(&fields[field_count], list, count * sizeof(*list));
		field_count += count;
		f->count = (__u16)count;
	} else {
		f->kind = FORM_HEX;
		f->most = NUMBER_TEXT_MAX;
	}
}

/* A number of @width bits after its description */
static __u16 make(const char *s, unsigned int width, unsigned int generation)
{
	struct form f = { .kind = FORM_HEX, .width = (__u8)width, .most = NUMBER_TEXT_MAX };

	if (*s == '<') {
		f.shift = (__u8)nvfifo_text_digit(s[1]);
		s += 2 + strspn(s + 2, " ");
	}

	s = nvfifo_method_plain(s);
	if (*s == '{')
		make_fields(&f, s, generation);
	else if (*s == '=')
		make_names(&f, s);
	else if (starts(s, "bool"))
		f.kind = FORM_BOOL;
	else if (starts(s, "uint"))
		f.kind = FORM_UINT;
	else if (starts(s, "int"))
		f.kind = FORM_INT;
	else if (starts(s, "float") && width == 32)
		f.kind = FORM_FLOAT;
	else if (starts(s, "float") && width == 16)
		f.kind = FORM_HALF;
	else if (!strncmp(s, "fixed", 5))
		f.kind = FORM_FIXED;
	if (f.kind == FORM_FIXED)
		f.part = (__u8)nvfifo_text_value(s + 5, 10);
	if ((f.kind == FORM_HEX && !f.shift) || form_count == FORMS)
		return 0;

	forms[form_count] = f;
	return (__u16)form_count++;
}

__u16 nvfifo_form_make(const char *description, unsigned int generation)
{
	return description ? make(description, 32, generation) : 0;
}

/* --- Forms to text ------------------------------------------------------- */

/*
 * The text of a form fits into FORM_TEXT_MAX bytes, which make_fields() checks. Texts are therefore
 * appended without a look at the buffer's end.
 */
static char *put(char *s, const char *text, size_t len)
{
	memcpy(s, text, len);
	return s + len;
}

/* put_form() jumps to these functions. With their bodies in it, each form would save all registers. */
#define NOT_INLINED	__attribute__((noinline))

static inline char *put_str(char *s, const char *text)
{
	/* The compiler knows the length of a constant. */
	return put(s, text, strlen(text));
}

static NOT_INLINED char *put_hex(char *s, __u64 v)
{
	unsigned int digits = 1;

	if (!v)
		return put_str(s, "0");

	while (digits < 16 && v >> 4 * digits)
		digits++;

	return nvfifo_put_digits(put_str(s, "0x"), v, digits);
}

static NOT_INLINED char *put_signed(char *s, __u32 v, unsigned int width)
{
	if (v >> (width - 1) & 1) {
		*s++ = '-';
		v = (width < 32 ? 1u << width : 0) - v;
	}

	return nvfifo_put_decimal(s, v);
}

/* Do @n hundred-thousandths have at most six significant digits? */
static bool has_six_digits(__u64 n)
{
	__u64 limit = 1000000, unit = 1;

	for (; n >= limit; limit *= 10)
		unit *= 10;

	return unit <= 100000 && n % unit == 0;
}

/*
 * Write a number that is exact with five digits after the point and six in all, as most are.
 * The text is that of "%.6g", with ".0" after a whole number. Return: the end of the text, NULL if
 * @x is no such number.
 */
static char *put_short_float(char *s, double x)
{
	/* A float has 24 bits and 100000 has 17, so the product is exact. */
	const double units = (x < 0 ? -x : x) * 100000;
	__u64 n = units < 1e11 ? (__u64)units : 0;
	unsigned int i, len = 1;

	/* Below a ten-thousandth "%g" has an exponent. */
	if (n < 10 || (double)n != units || !has_six_digits(n))
		return NULL;

	if (x < 0)
		*s++ = '-';
	s = nvfifo_put_decimal(s, (__u32)(n / 100000));
	*s++ = '.';
	n %= 100000;

	for (i = 5; i > 0; i--, n /= 10) {
		s[i - 1] = (char)('0' + n % 10);
		if (n % 10 && len < i)
			len = i;
	}

	return s + len;
}

/* A number that printf() has written; it is given a point if it has none and no exponent. */
static char *put_printed(char *s, const char *text)
{
	s = put_str(s, text);
	return strpbrk(text, ".e") ? s : put_str(s, ".0");
}

/*
 * The shortest decimal number that reads back as the same word, always with a point
 * or an exponent. Numbers that the assembler cannot write so are hexadecimal.
 */
static NOT_INLINED char *put_float(char *s, __u32 v)
{
	union {
		__u32 u;
		float f;
	} x = { .u = v };
	char text[32], *end;
	int digits;

	if ((v & 0x7f800000) == 0x7f800000)
		return put_hex(s, v);
	if (!v)
		return put_str(s, "0.0");

	end = put_short_float(s, (double)x.f);
	if (end)
		return end;

	for (digits = 6; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)x.f);
		if (strtof(text, NULL) == x.f)
			break;
	}

	return put_printed(s, text);
}

/* A half has a sign, 5 bits of exponent with a bias of 15 (a float 8 and 127), 10 of fraction. */
static float half_to_float(__u32 half)
{
	const __u32 exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
	union {
		__u32 u;
		float f;
	} x = { .u = (exponent + 112) << 23 | fraction << 13 };

	if (!exponent)
		x.f = (float)fraction / (1 << 24);

	return half >> 15 & 1 ? -x.f : x.f;
}

bool nvfifo_float_to_half(float f, __u32 *half)
{
	const union {
		float f;
		__u32 u;
	} x = { .f = f };
	const __u32 exponent = x.u >> 23 & 0xff, fraction = (x.u & 0x7fffff) | 0x800000;
	__u32 base = 0, shift = 13, rest, units;

	/* Numbers below the smallest exponent have the same unit, 2^-24. */
	if (exponent > 112)
		base = (exponent - 113) << 10;
	else
		shift = 126 - exponent;
	if (shift > 24)
		shift = 25;

	units = fraction >> shift;
	rest = fraction & ((1u << shift) - 1);
	if (rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && units & 1))
		units++;

	/* The fraction's uppermost bit is not stored, and counts as one step of the exponent. */
	*half = (x.u >> 16 & 0x8000) | (base + units);

	return base + units < 0x7c00;
}

/* The same for a float of 16 bits. */
static NOT_INLINED char *put_half(char *s, __u32 v)
{
	char text[32];
	__u32 back;
	int digits;

	if ((v & 0x7c00) == 0x7c00)
		return put_hex(s, v);

	for (digits = 1; digits <= 6; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)half_to_float(v));
		if (nvfifo_float_to_half(strtof(text, NULL), &back) && back == v)
			break;
	}

	return put_printed(s, text);
}

static NOT_INLINED char *put_fixed(char *s, __u32 v, unsigned int part)
{
	return s + sprintf(s, "%f", (double)(__s32)v / (double)(1u << part));
}

static NOT_INLINED char *put_name(char *s, const struct form *f, __u32 v)
{
	const struct nvfifo_value_name *n = &value_names[f->first], *end = n + f->count;

	for (; n < end; n++) {
		if (n->value == v)
			return put(s, n->name, n->len);
	}

	return put_hex(s, v);
}

static char *put_form(char *s, const struct form *f, __u32 v);

static NOT_INLINED char *put_fields(char *s, const struct form *f, __u32 v)
{
	const struct field *field = &fields[f->first], *end = field + f->count;
	char *start;

	s = put_str(s, "{ ");
	start = s;
	for (; field < end; field++) {
		const __u32 bits = v >> field->low & field->mask;

		if (field->is_bool && !bits)
			continue;

		if (s != start)
			s = put_str(s, " | ");
		s = put(s, field->name, field->name_len);
		if (field->is_bool && bits == 1)
			continue;

		s = put_form(put_str(s, " = "), &forms[field->form], bits);
	}

	if (v & ~f->known) {
		if (s != start)
			s = put_str(s, " | ");
		s = put_hex(s, v & ~f->known);
	}

	if (s == start)
		*s++ = '0';

	return put_str(s, " }");
}

static char *put_form(char *s, const struct form *f, __u32 v)
{
	/* A layer's stride has up to 34 bits. */
	if (f->shift && f->kind == FORM_HEX)
		return put_hex(s, (__u64)v << f->shift);

	v <<= f->shift;

	switch (f->kind) {
	case FORM_UINT:
		return nvfifo_put_decimal(s, v);
	case FORM_INT:
		return put_signed(s, v, f->width);
	case FORM_BOOL:
		if (v > 1)
			return put_hex(s, v);
		return put_str(s, v ? "TRUE" : "FALSE");
	case FORM_FLOAT:
		return put_float(s, v);
	case FORM_HALF:
		return put_half(s, v);
	case FORM_FIXED:
		return put_fixed(s, v, f->part);
	case FORM_NAMES:
		return put_name(s, f, v);
	case FORM_FIELDS:
		return put_fields(s, f, v);
	default:
		return put_hex(s, v);
	}
}

size_t nvfifo_form_text(unsigned int form, __u32 data, char *buf, size_t size)
{
	char text[FORM_TEXT_MAX], *end;
	size_t len;

	if (size >= FORM_TEXT_MAX) {
		end = put_form(buf, &forms[form], data);
		*end = '\0';
		return (size_t)(end - buf);
	}

	end = put_form(text, &forms[form], data);
	len = (size_t)(end - text) < size ? (size_t)(end - text) : size - 1;
	memcpy(buf, text, len);
	buf[len] = '\0';

	return len;
}
