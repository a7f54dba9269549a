// SPDX-License-Identifier: MIT
/*
 * Data of methods as text. The descriptions of the method table are read once and become
 * forms: which numbers have names, which bits are which field. The disassembler writes
 * millions of words with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_methods.h"
#include "nvfifo_priv.h"

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
	__u32 known;	/* bits that fields have */
};

struct value_name {
	__u32 value;
	__u16 len;
	const char *name;
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

static struct form forms[FORMS];
static struct value_name value_names[NAMES];
static struct field fields[FIELDS];
/* The first form is a hexadecimal number. */
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

static bool ends(char c)
{
	return !c || c == '|' || c == '}';
}

static __u16 make(const char *s, unsigned int width, unsigned int generation);

/* "=80a:NAME 80b:OTHER" */
static void make_names(struct form *f, const char *s)
{
	f->kind = FORM_NAMES;
	f->first = (__u16)name_count;

	for (s++; !ends(*s) && *s != '^' && name_count < NAMES; name_count++) {
		struct value_name *n = &value_names[name_count];
		char *colon;

		n->value = (__u32)strtoul(s, &colon, 16);
		n->name = colon + 1;
		s = n->name;
		while (!ends(*s) && *s != ' ')
			s++;
		n->len = (__u16)(s - n->name);
		s += *s == ' ';
	}

	f->count = (__u16)(name_count - f->first);
}

/* "NAME 7:4 DATA ^34" at @s. Return: where it ends, at '|' or '}'. */
static const char *read_field(struct field *field, const char *s, unsigned int generation,
			      bool *present)
{
	unsigned int high, low, width;
	const char *data, *marks;
	char *after;

	field->name = s;
	field->name_len = (__u16)strcspn(s, " ");
	high = (unsigned int)strtoul(s + field->name_len, &after, 10);
	low = high;
	if (*after == ':')
		low = (unsigned int)strtoul(after + 1, &after, 10);
	width = high - low + 1;
	field->low = (__u8)low;
	field->mask = width < 32 ? (1u << width) - 1 : 0xffffffff;

	data = after + (*after == ' ');
	s = data;
	while (!ends(*s))
		s++;
	marks = memchr(data, '^', (size_t)(s - data));
	*present = !marks || memchr(marks, (int)('0' + generation), (size_t)(s - marks));
	field->is_bool = starts(data, "bool");
	if (*present)
		field->form = make(data, width, generation);

	return s;
}

/* "{X 15:0 int|ON 31}" */
static void make_fields(struct form *f, const char *s, unsigned int generation)
{
	struct field list[32] = { 0 };
	unsigned int count = 0;

	f->kind = FORM_FIELDS;

	while (*s && *s != '}' && count < 32) {
		bool present;

		s = read_field(&list[count], s + 1, generation, &present);
		if (!present)
			continue;
		f->known |= list[count].mask << list[count].low;
		count++;
	}

	/* The fields of a field's own fields stand before. */
	f->first = (__u16)field_count;
	if (count <= FIELDS - field_count) {
		memcpy(&fields[field_count], list, count * sizeof(*list));
		field_count += count;
		f->count = (__u16)count;
	} else {
		f->kind = FORM_HEX;
	}
}

/* A number of @width bits after its description */
static __u16 make(const char *s, unsigned int width, unsigned int generation)
{
	struct form f = { .kind = FORM_HEX, .width = (__u8)width };

	if (*s == '<') {
		f.shift = (__u8)(s[1] - '0');
		s += 2 + strspn(s + 2, " ");
	}

	if (*s == '@')
		s = nvfifo_method_type(s + 1, strcspn(s + 1, " |}"));
	if (!s)
		s = "";

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
		f.part = (__u8)strtoul(s + 5, NULL, 10);
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

/* Text that grows up to the end of a buffer. */
struct out {
	char *s;
	char *end;
};

static void put(struct out *o, const char *text, size_t len)
{
	if (len > (size_t)(o->end - o->s))
		len = (size_t)(o->end - o->s);
	memcpy(o->s, text, len);
	o->s += len;
}

static void put_str(struct out *o, const char *text)
{
	put(o, text, strlen(text));
}

static void put_decimal(struct out *o, __u32 v)
{
	char rev[10];
	unsigned int n = sizeof(rev);

	do {
		rev[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);

	put(o, rev + n, sizeof(rev) - n);
}

static void put_hex(struct out *o, __u64 v)
{
	char rev[18];
	unsigned int n = sizeof(rev);

	if (!v) {
		put(o, "0", 1);
		return;
	}

	for (; v; v >>= 4)
		rev[--n] = "0123456789abcdef"[v & 0xf];
	rev[--n] = 'x';
	rev[--n] = '0';
	put(o, rev + n, sizeof(rev) - n);
}

static void put_signed(struct out *o, __u32 v, unsigned int width)
{
	if (v >> (width - 1) & 1) {
		put(o, "-", 1);
		v = (width < 32 ? 1u << width : 0) - v;
	}
	put_decimal(o, v);
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
 * The text is that of "%.6g", with ".0" after a whole number. Return: whether @x was such a number.
 */
static bool put_short_float(struct out *o, double x)
{
	/* A float has 24 bits and 100000 has 17, so the product is exact. */
	const double units = (x < 0 ? -x : x) * 100000;
	__u64 n = units < 1e11 ? (__u64)units : 0;
	unsigned int i, len = 1;
	char digits[5];

	/* Below a ten-thousandth "%g" has an exponent. */
	if (n < 10 || (double)n != units || !has_six_digits(n))
		return false;

	if (x < 0)
		put(o, "-", 1);
	put_decimal(o, (__u32)(n / 100000));
	n %= 100000;

	for (i = 5; i > 0; i--, n /= 10) {
		digits[i - 1] = (char)('0' + n % 10);
		if (n % 10 && len < i)
			len = i;
	}

	put(o, ".", 1);
	put(o, digits, len);

	return true;
}

/*
 * The shortest decimal number that reads back as the same word, always with a point
 * or an exponent. Numbers that the assembler cannot write so are hexadecimal.
 */
static void put_float(struct out *o, __u32 v)
{
	union {
		__u32 u;
		float f;
	} x = { .u = v };
	char text[32];
	int digits;

	if ((v & 0x7f800000) == 0x7f800000) {
		put_hex(o, v);
		return;
	}

	if (!v) {
		put(o, "0.0", 3);
		return;
	}

	if (put_short_float(o, (double)x.f))
		return;

	for (digits = 6; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)x.f);
		if (strtof(text, NULL) == x.f)
			break;
	}

	put_str(o, text);
	if (!strpbrk(text, ".e"))
		put(o, ".0", 2);
}

/* A half has a sign, 5 bits of exponent with a bias of 15 (a float 8 and 127), 10 of fraction. */
float nvfifo_half_to_float(__u32 half)
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
static void put_half(struct out *o, __u32 v)
{
	char text[32];
	__u32 back;
	int digits;

	if ((v & 0x7c00) == 0x7c00) {
		put_hex(o, v);
		return;
	}

	for (digits = 1; digits <= 6; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)nvfifo_half_to_float(v));
		if (nvfifo_float_to_half(strtof(text, NULL), &back) && back == v)
			break;
	}

	put_str(o, text);
	if (!strpbrk(text, ".e"))
		put(o, ".0", 2);
}

static void put_name(struct out *o, const struct form *f, __u32 v)
{
	const struct value_name *n = &value_names[f->first], *end = n + f->count;

	for (; n < end; n++) {
		if (n->value == v) {
			put(o, n->name, n->len);
			return;
		}
	}

	put_hex(o, v);
}

static void put_form(struct out *o, const struct form *f, __u32 v);

static void put_fields(struct out *o, const struct form *f, __u32 v)
{
	const struct field *field = &fields[f->first], *end = field + f->count;
	char *start;

	put(o, "{ ", 2);
	start = o->s;
	for (; field < end; field++) {
		const __u32 bits = v >> field->low & field->mask;

		if (field->is_bool && !bits)
			continue;

		if (o->s != start)
			put(o, " | ", 3);
		put(o, field->name, field->name_len);
		if (field->is_bool && bits == 1)
			continue;

		put(o, " = ", 3);
		put_form(o, &forms[field->form], bits);
	}

	if (v & ~f->known) {
		if (o->s != start)
			put(o, " | ", 3);
		put_hex(o, v & ~f->known);
	}

	if (o->s == start)
		put(o, "0", 1);
	put(o, " }", 2);
}

static void put_form(struct out *o, const struct form *f, __u32 v)
{
	char text[48];

	/* A layer's stride has up to 34 bits. */
	if (f->shift && f->kind == FORM_HEX) {
		put_hex(o, (__u64)v << f->shift);
		return;
	}

	v <<= f->shift;

	switch (f->kind) {
	case FORM_UINT:
		put_decimal(o, v);
		break;
	case FORM_INT:
		put_signed(o, v, f->width);
		break;
	case FORM_BOOL:
		if (v < 2)
			put_str(o, v ? "TRUE" : "FALSE");
		else
			put_hex(o, v);
		break;
	case FORM_FLOAT:
		put_float(o, v);
		break;
	case FORM_HALF:
		put_half(o, v);
		break;
	case FORM_FIXED:
		snprintf(text, sizeof(text), "%f", (double)(__s32)v / (double)(1u << f->part));
		put_str(o, text);
		break;
	case FORM_NAMES:
		put_name(o, f, v);
		break;
	case FORM_FIELDS:
		put_fields(o, f, v);
		break;
	default:
		put_hex(o, v);
	}
}

size_t nvfifo_form_text(unsigned int form, __u32 data, char *buf, size_t size)
{
	struct out o = { buf, buf + size - 1 };

	put_form(&o, &forms[form], data);
	*o.s = '\0';
	return (size_t)(o.s - buf);
}
