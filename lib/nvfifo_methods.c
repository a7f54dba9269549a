// SPDX-License-Identifier: MIT
/*
 * Names of classes and methods, after rnndb. Methods below 0x100 are PFIFO's
 * own and mean the same on every subchannel; the others belong to the class
 * that is bound to the subchannel, and carry its name in front: "M2MF.FORMAT".
 * Their tables are spread out once, at the first question: a look-up is then two
 * steps, and the disassembler makes millions of them.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_methods.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"

struct name {
	__u16 id;
	const char *name;
};

/* Sorted by number. */
static const struct name pfifo[] = {
	{ NVFIFO_MTHD_OBJECT, "OBJECT" },
	{ NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, "SEMAPHORE_ADDRESS_HIGH" },
	{ NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW, "SEMAPHORE_ADDRESS_LOW" },
	{ NVFIFO_MTHD_SEMAPHORE_SEQUENCE, "SEMAPHORE_SEQUENCE" },
	{ NVFIFO_MTHD_SEMAPHORE_TRIGGER, "SEMAPHORE_TRIGGER" },
	{ NVFIFO_MTHD_NOTIFY_INTR, "NOTIFY_INTR" },
	{ NVFIFO_MTHD_WRCACHE_FLUSH, "WRCACHE_FLUSH" },
	{ NVFIFO_MTHD_UNK28, "UNK28" },
	{ NVFIFO_MTHD_UNK2C, "UNK2C" },
	{ NVFIFO_MTHD_REF_CNT, "REF_CNT" },
	{ NVFIFO_MTHD_DMA_SEMAPHORE, "DMA_SEMAPHORE" },
	{ NVFIFO_MTHD_SEMAPHORE_OFFSET, "SEMAPHORE_OFFSET" },
	{ NVFIFO_MTHD_SEMAPHORE_ACQUIRE, "SEMAPHORE_ACQUIRE" },
	{ NVFIFO_MTHD_SEMAPHORE_RELEASE, "SEMAPHORE_RELEASE" },
	{ NVFIFO_MTHD_YIELD, "YIELD" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *find(const struct name *list, size_t count, __u32 id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (list[mid].id == id)
			return list[mid].name;
		if (list[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* --- Tables, spread out -------------------------------------------------- */

const struct nvfifo_method_family nvfifo_method_families[] = {
	{ "2D", nvfifo_methods_2d, 1, { 0x502d } },
	{ "M2MF", nvfifo_methods_m2mf, 1, { 0x5039 } },
	{ "3D", nvfifo_methods_3d, 5, { 0x5097, 0x8297, 0x8397, 0x8597, 0x8697 } },
	{ "COMPUTE", nvfifo_methods_compute, 2, { 0x50c0, 0x85c0 } },
	{ "CIPHER", nvfifo_methods_cipher, 1, { 0x74c1 } },
	{ "COPY", nvfifo_methods_copy, 1, { 0x85b5 } },
};

const size_t nvfifo_method_family_count = COUNT(nvfifo_method_families);

#define families nvfifo_method_families

#define METHODS 0x800	/* numbers that a method can have, in words */
#define CLASSES 11	/* classes with a table: the sum of all generations */
#define ENTRIES 4096
#define NAMES (48 * ENTRIES)
#define HASH (2 * ENTRIES)

/* How data are written; what a description says, found out once. */
enum value_kind {
	VALUE_HEX,
	VALUE_INT,
	VALUE_UINT,
	VALUE_BOOL,
	VALUE_FLOAT,
	VALUE_OTHER,
};

static struct entry {
	const char *name;
	const char *value;	/* with the name of a type already looked up */
	__u16 method;
	__u16 oclass;		/* the first class that has it */
	__u8 kind;
	bool address_high;	/* the next method has the lower half of the address */
} entries[ENTRIES];

static __u16 place[CLASSES][METHODS];	/* in entries; 0 is none */
static __u16 hashed[HASH];		/* the same, by name */
static char names[NAMES];

static unsigned int hash_of(const char *name, size_t len)
{
	unsigned int h = 5381;

	while (len--)
		h = h * 33 + (unsigned int)toupper((unsigned char)*name++);
	return h % HASH;
}

/* "RT[].FORMAT" and 3: "3D.RT[0x3].FORMAT", as rnndb's tools write it. Return: its length. */
static size_t spell(const char *family, const char *name, unsigned int i, char *out, size_t size)
{
	const char *brackets = strstr(name, "[]");
	int n;

	if (brackets)
		n = snprintf(out, size, "%s.%.*s[%#x]%s", family, (int)(brackets - name), name, i,
			     brackets + 2);
	else
		n = snprintf(out, size, "%s.%s", family, name);
	return (size_t)n;
}

static void add_hash(unsigned int entry)
{
	const char *name = entries[entry].name;
	unsigned int h = hash_of(name, strlen(name));

	while (hashed[h] && strcasecmp(entries[hashed[h]].name, name))
		h = (h + 1) % HASH;
	if (!hashed[h])
		hashed[h] = (__u16)entry;
}

static enum value_kind kind_of(const char *value)
{
	if (!value)
		return VALUE_HEX;
	return !strcmp(value, "int")   ? VALUE_INT :
	       !strcmp(value, "uint")  ? VALUE_UINT :
	       !strcmp(value, "bool")  ? VALUE_BOOL :
	       !strcmp(value, "float") ? VALUE_FLOAT : VALUE_OTHER;
}

static __u16 first_class(size_t family, __u8 generations)
{
	unsigned int g = 0;

	while (!(generations >> g & 1) && g + 1 < families[family].generations)
		g++;
	return families[family].classes[g];
}

/* "DST_ADDRESS_HIGH" with "DST_ADDRESS_LOW" in the next row. */
static bool is_address_high(const struct nvfifo_method_row *r)
{
	const struct nvfifo_method_row *next = r + 1;
	size_t len = strlen(r->name);

	if (len < 5 || strcmp(r->name + len - 5, "_HIGH") || !next->name)
		return false;
	return next->method == r->method + 4 && strlen(next->name) == len - 1 &&
	       !strncmp(next->name, r->name, len - 4) && !strcmp(next->name + len - 4, "LOW");
}

static void spread(void)
{
	unsigned int count = 1, table = 0, i, g;
	size_t used = 0, f;

	for (f = 0; f < COUNT(families); f++) {
		const struct nvfifo_method_row *r;

		for (r = families[f].rows; r->name; r++) {
			const char *value = r->value;

			if (value && *value == '@')
				value = nvfifo_method_type(value + 1, strlen(value + 1));
			for (i = 0; i < r->count; i++) {
				__u16 method = (__u16)(r->method + i * r->stride);

				if (count == ENTRIES || NAMES - used < 96)
					return;
				entries[count].name = names + used;
				entries[count].value = value;
				entries[count].kind = kind_of(value);
				entries[count].method = method;
				entries[count].oclass = first_class(f, r->generations);
				entries[count].address_high = is_address_high(r);
				used += spell(families[f].name, r->name, i, names + used,
					      NAMES - used) + 1;
				for (g = 0; g < families[f].generations; g++) {
					if (r->generations >> g & 1)
						place[table + g][method / 4] = (__u16)count;
				}
				add_hash(count++);
			}
		}
		table += families[f].generations;
	}
}

/* The row of places of a class, NULL if it has no table. */
static const __u16 *class_places(__u32 oclass)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static _Thread_local __u32 last = ~0u;
	static _Thread_local const __u16 *places;
	unsigned int table = 0, g;
	size_t f;

	/* One word after the other is of the same class. */
	if (oclass == last)
		return places;
	pthread_once(&once, spread);
	last = oclass;
	places = NULL;
	for (f = 0; f < COUNT(families); f++) {
		for (g = 0; g < families[f].generations; g++, table++) {
			if (families[f].classes[g] == oclass)
				places = place[table];
		}
	}
	return places;
}

static const struct entry *lookup(__u32 oclass, __u32 method)
{
	const __u16 *places = class_places(oclass);
	unsigned int i = places && method < METHODS * 4 ? places[method / 4] : 0;

	return i ? &entries[i] : NULL;
}

const char *nvfifo_method_name(__u32 oclass, __u32 method)
{
	const struct entry *e;

	if (method < 0x100)
		return find(pfifo, COUNT(pfifo), method);
	e = lookup(oclass, method);
	return e ? e->name : NULL;
}

bool nvfifo_class_has_methods(__u32 oclass)
{
	return lookup(oclass, 0x100) != NULL;
}

/* Names that Mesa's and the DDX's older headers have for methods. */
static const struct {
	const char *name;
	const char *now;
} aliases[] = {
	{ "2D.DST_TILE_MODE", "2D.DST_BLOCK_DIMENSIONS" },
	{ "2D.SRC_TILE_MODE", "2D.SRC_BLOCK_DIMENSIONS" },
	{ "3D.ZETA_TILE_MODE", "3D.ZETA_BLOCK_DIMENSIONS" },
	{ "M2MF.LINEAR_IN", "M2MF.LAYOUT_IN" },
	{ "M2MF.LINEAR_OUT", "M2MF.LAYOUT_OUT" },
	{ "M2MF.TILING_MODE_IN", "M2MF.BLOCKLINEAR_DIMENSIONS_IN" },
	{ "M2MF.TILING_PITCH_IN", "M2MF.BLOCKLINEAR_PITCH_IN" },
	{ "M2MF.TILING_HEIGHT_IN", "M2MF.BLOCKLINEAR_HEIGHT_IN" },
	{ "M2MF.TILING_DEPTH_IN", "M2MF.BLOCKLINEAR_DEPTH_IN" },
	{ "M2MF.TILING_POSITION_IN", "M2MF.BLOCKLINEAR_POSITION_IN" },
	{ "M2MF.TILING_POSITION_IN_Z", "M2MF.BLOCKLINEAR_POSITION_IN_Z" },
	{ "M2MF.TILING_MODE_OUT", "M2MF.BLOCKLINEAR_DIMENSIONS_OUT" },
	{ "M2MF.TILING_PITCH_OUT", "M2MF.BLOCKLINEAR_PITCH_OUT" },
	{ "M2MF.TILING_HEIGHT_OUT", "M2MF.BLOCKLINEAR_HEIGHT_OUT" },
	{ "M2MF.TILING_DEPTH_OUT", "M2MF.BLOCKLINEAR_DEPTH_OUT" },
	{ "M2MF.TILING_POSITION_OUT", "M2MF.BLOCKLINEAR_POSITION_OUT" },
	{ "M2MF.TILING_POSITION_OUT_Z", "M2MF.BLOCKLINEAR_POSITION_OUT_Z" },
};

/* "3D.RT[010].TILE_MODE" becomes "3D.RT[0xa].BLOCK_DIMENSIONS". Return: whether it may exist. */
static bool usual_spelling(const char *name, size_t len, char *out, size_t size)
{
	const char *bracket = memchr(name, '[', len);
	unsigned long long index;
	char copy[64], *after;
	size_t i;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = '\0';
	snprintf(out, size, "%s", copy);
	if (bracket) {
		char *number = copy + (bracket - name) + 1;
		const char *rest;

		if (!isdigit((unsigned char)*number))
			return false;
		/* An index that does not fit is larger than every array. */
		index = strtoull(number, &after, 0);
		if (*after != ']')
			return false;
		rest = after + 1;
		if (!strcasecmp(rest, ".TILE_MODE"))
			rest = ".BLOCK_DIMENSIONS";
		snprintf(out, size, "%.*s[%#llx]%s", (int)(bracket - name), copy, index, rest);
		return true;
	}
	for (i = 0; i < COUNT(aliases); i++) {
		if (!strcasecmp(aliases[i].name, copy))
			snprintf(out, size, "%s", aliases[i].now);
	}
	return true;
}

int nvfifo_method_find(const char *name, size_t len, __u32 *oclass)
{
	char text[128];
	unsigned int h;
	size_t i;

	*oclass = 0;
	if (!usual_spelling(name, len, text, sizeof(text)))
		return -1;
	for (i = 0; i < COUNT(pfifo); i++) {
		if (!strcasecmp(pfifo[i].name, text))
			return pfifo[i].id;
	}

	lookup(0, 0);
	for (h = hash_of(text, strlen(text)); hashed[h]; h = (h + 1) % HASH) {
		const struct entry *e = &entries[hashed[h]];

		if (!strcasecmp(e->name, text)) {
			*oclass = e->oclass;
			return e->method;
		}
	}
	return -1;
}

int nvfifo_method_by_name(const char *name, size_t len)
{
	__u32 oclass;

	return nvfifo_method_find(name, len, &oclass);
}

void nvfifo_method_offer(struct nvfifo_near *near)
{
	const struct nvfifo_method_row *r;
	char name[NVFIFO_NEAR_NAME];
	size_t i;

	for (i = 0; i < COUNT(pfifo); i++)
		nvfifo_near_offer(near, pfifo[i].name);
	for (i = 0; i < COUNT(families); i++) {
		for (r = families[i].rows; r->name; r++) {
			snprintf(name, sizeof(name), "%s.%s", families[i].name, r->name);
			nvfifo_near_offer(near, name);
		}
	}
}

bool nvfifo_method_is_address_high(__u32 oclass, __u32 method)
{
	const struct entry *e;

	if (method < 0x100)
		return method == NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH;
	e = lookup(oclass, method);
	return e && e->address_high;
}

/* --- Data of methods ----------------------------------------------------- */

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

static void put_hex(struct out *o, __u32 v)
{
	char rev[10];
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

	for (digits = 6; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)x.f);
		if (strtof(text, NULL) == x.f)
			break;
	}
	put_str(o, text);
	if (!strpbrk(text, ".e"))
		put_str(o, ".0");
}

/* The end of a field's data, which is that of the field or of the text. */
static size_t item_len(const char *s)
{
	const char *from = s;

	while (*s && *s != '|' && *s != '}')
		s++;
	return (size_t)(s - from);
}

static bool starts(const char *s, const char *word)
{
	for (; *word; word++, s++) {
		if (*s != *word)
			return false;
	}
	return !*s || *s == ' ' || *s == '|' || *s == '}';
}

const char *nvfifo_method_type(const char *name, size_t len)
{
	const struct nvfifo_method_type *t;

	for (t = nvfifo_method_types; t->name; t++) {
		if (strlen(t->name) == len && !memcmp(t->name, name, len))
			return t->value;
	}
	return NULL;
}

/* "80a:NAME 80b:OTHER", up to the end of the field. */
static void put_enum(struct out *o, const char *s, __u32 v)
{
	for (s++; *s && *s != '|' && *s != '}' && *s != '^';) {
		const char *name;
		__u32 n = 0;

		for (; *s && *s != ':'; s++)
			n = n << 4 | (__u32)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
		name = s += *s == ':';
		while (*s && *s != ' ' && *s != '|' && *s != '}')
			s++;
		if (n == v) {
			put(o, name, (size_t)(s - name));
			return;
		}
		s += *s == ' ';
	}
	put_hex(o, v);
}

static const char *small_number(const char *s, unsigned int *v)
{
	for (*v = 0; *s >= '0' && *s <= '9'; s++)
		*v = *v * 10 + (unsigned int)(*s - '0');
	return s;
}

static void put_value(struct out *o, const char *s, __u32 v, unsigned int width,
		      unsigned int generation);

static void put_fields(struct out *o, const char *s, __u32 v, unsigned int generation)
{
	bool first = true;
	__u32 known = 0;

	put_str(o, "{ ");
	while (*s && *s != '}') {
		const char *name = ++s, *type, *p;
		size_t name_len;
		unsigned int high, low, width;
		__u32 field, mask;

		while (*s != ' ')
			s++;
		name_len = (size_t)(s - name);
		p = small_number(s + 1, &high);
		low = high;
		if (*p == ':')
			p = small_number(p + 1, &low);
		width = high - low + 1;
		mask = width < 32 ? (1u << width) - 1 : 0xffffffff;
		type = *p == ' ' ? p + 1 : p;
		/* Only the text of a field may hold the mark of its generations. */
		s = type + item_len(type);
		p = memchr(type, '^', (size_t)(s - type));
		if (p && !memchr(p, (int)('0' + generation), (size_t)(s - p)))
			continue;
		known |= mask << low;
		field = v >> low & mask;
		if (starts(type, "bool") && field < 2) {
			if (!field)
				continue;
			if (!first)
				put_str(o, " | ");
			put(o, name, name_len);
		} else {
			if (!first)
				put_str(o, " | ");
			put(o, name, name_len);
			put_str(o, " = ");
			put_value(o, type, field, width, generation);
		}
		first = false;
	}
	if (v & ~known) {
		if (!first)
			put_str(o, " | ");
		put_hex(o, v & ~known);
		first = false;
	}
	put_str(o, first ? "0 }" : " }");
}

static void put_signed(struct out *o, __u32 v, unsigned int width)
{
	if (v >> (width - 1) & 1) {
		put_str(o, "-");
		v = (width < 32 ? 1u << width : 0) - v;
	}
	put_decimal(o, v);
}

/* A number of @width bits after its description. */
static void put_value(struct out *o, const char *s, __u32 v, unsigned int width,
		      unsigned int generation)
{
	char text[48];

	if (*s == '<') {
		v <<= s[1] - '0';
		s += 2 + strspn(s + 2, " ");
	}
	if (*s == '@') {
		const char *type = nvfifo_method_type(s + 1, strcspn(s + 1, " |}"));

		if (type)
			put_value(o, type, v, width, generation);
	} else if (*s == '{') {
		put_fields(o, s, v, generation);
	} else if (*s == '=') {
		put_enum(o, s, v);
	} else if (starts(s, "bool") && v < 2) {
		put_str(o, v ? "TRUE" : "FALSE");
	} else if (starts(s, "uint")) {
		put_decimal(o, v);
	} else if (starts(s, "int")) {
		put_signed(o, v, width);
	} else if (starts(s, "float") && width == 32) {
		put_float(o, v);
	} else if (!strncmp(s, "fixed", 5)) {
		double scale = (double)(1u << strtoul(s + 5, NULL, 10));

		snprintf(text, sizeof(text), "%f", (double)(__s32)v / scale);
		put_str(o, text);
	} else {
		put_hex(o, v);
	}
}

static unsigned int generation_of(__u32 oclass)
{
	size_t f;
	unsigned int g;

	for (f = 0; f < COUNT(families); f++) {
		for (g = 0; g < families[f].generations; g++) {
			if (families[f].classes[g] == oclass)
				return g;
		}
	}
	return 0;
}

const char *nvfifo_method_description(__u32 oclass, __u32 method, unsigned int *generation)
{
	const struct entry *e = lookup(oclass, method);

	*generation = generation_of(oclass);
	return e ? e->value : NULL;
}

size_t nvfifo_method_value(__u32 oclass, __u32 method, __u32 data, char *buf, size_t size)
{
	const struct entry *e = method >= 0x100 ? lookup(oclass, method) : NULL;
	struct out o = { buf, buf + size - 1 };

	if (!e) {
		*buf = '\0';
		return 0;
	}
	switch (e->kind) {
	case VALUE_INT:
		put_signed(&o, data, 32);
		break;
	case VALUE_UINT:
		put_decimal(&o, data);
		break;
	case VALUE_FLOAT:
		put_float(&o, data);
		break;
	case VALUE_BOOL:
		if (data < 2)
			put_str(&o, data ? "TRUE" : "FALSE");
		else
			put_hex(&o, data);
		break;
	case VALUE_OTHER:
		put_value(&o, e->value, data, 32, generation_of(oclass));
		break;
	default:
		put_hex(&o, data);
	}
	*o.s = '\0';
	return (size_t)(o.s - buf);
}
