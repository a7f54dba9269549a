// SPDX-License-Identifier: MIT
/*
 * Names of classes and methods, after rnndb. Methods below 0x100 are PFIFO's
 * own and mean the same on every subchannel. The others belong to the class that
 * is bound to the subchannel, and begin with its name: "M2MF.FORMAT". The first
 * look-up expands their tables. A look-up is then two steps, and the disassembler
 * makes millions of them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_code_names.h"
#include "nvfifo_methods.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- Tables, spread out -------------------------------------------------- */

const struct nvfifo_method_family nvfifo_method_families[] = {
	{ "2D", nvfifo_methods_2d, 1, { 0x502d } },
	{ "M2MF", nvfifo_methods_m2mf, 1, { 0x5039 } },
	{ "3D", nvfifo_methods_3d, 5, { 0x5097, 0x8297, 0x8397, 0x8597, 0x8697 } },
	{ "COMPUTE", nvfifo_methods_compute, 2, { 0x50c0, 0x85c0 } },
	{ "CIPHER", nvfifo_methods_cipher, 1, { 0x74c1 } },
	{ "COPY", nvfifo_methods_copy, 1, { 0x85b5 } },
	{ "MPEG", nvfifo_methods_mpeg, 2, { 0x3174, 0x8274 } },
	{ "ME", nvfifo_methods_me, 1, { 0x4075 } },
	{ "VP1", nvfifo_methods_vp1, 1, { 0x4176 } },
};

const size_t nvfifo_method_family_count = COUNT(nvfifo_method_families);

#define families nvfifo_method_families

#define METHODS 0x800	/* numbers that a method can have, in words */
#define CLASSES 15	/* classes with a table: the sum of all generations */
#define ENTRIES 4096
#define NAMES (48 * ENTRIES)
#define HASH (2 * ENTRIES)

static struct nvfifo_method entries[ENTRIES];

static __u16 place[CLASSES][METHODS];	/* in entries; 0 is none */
static __u16 hashed[HASH];		/* the same, by name */
static char names[NAMES];

static unsigned int hash_of(const char *name, size_t len)
{
	unsigned int h = 5381;

	/* Without the bit that tells lower from upper case; other characters may collide. */
	while (len--)
		h = h * 33 + ((unsigned char)*name++ & 0xdfu);

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

/* One form for all generations, unless the description has fields of some only. */
static void set_forms(struct nvfifo_method *m, unsigned int generations)
{
	unsigned int g;

	for (g = 0; g < generations; g++) {
		if (g && (!m->value || !strchr(m->value, '^')))
			m->form[g] = m->form[0];
		else
			m->form[g] = nvfifo_form_make(m->value, g);
	}
}

/* Add element @i of a row, which is like @first but for its name and number. */
static void add_element(unsigned int count, const struct nvfifo_method *first,
			const struct nvfifo_method_row *r, const char *family, unsigned int i,
			size_t *used)
{
	struct nvfifo_method *m = &entries[count];
	char *name = names + *used;

	*m = *first;
	m->method = (__u16)(r->method + i * r->stride);
	m->name = name;
	m->name_len = (__u16)spell(family, r->name, i, name, NAMES - *used);
	*used += m->name_len + 1u;
}

/* A class with a table: the row of its places */
struct class {
	__u32 oclass;
	unsigned int generation;
	const __u16 *places;
};

/* The classes, hashed. More than half of the places are empty, which have class 0 and no table. */
#define CLASS_PLACES	64

static struct class classes[CLASS_PLACES];
static atomic_bool are_spread;

/* The place of a class, an empty one if it has no table */
static inline struct class *class_place(__u32 oclass)
{
	unsigned int i = (oclass ^ oclass >> 8) % CLASS_PLACES;

	while (classes[i].oclass != oclass && classes[i].oclass)
		i = (i + 1) % CLASS_PLACES;

	return &classes[i];
}

static void add_class(__u32 oclass, unsigned int generation, const __u16 *places)
{
	*class_place(oclass) = (struct class){ oclass, generation, places };
}

static void spread(void)
{
	unsigned int count = 1, table = 0, i, g;
	size_t used = 0, f;

	for (f = 0; f < COUNT(families); f++) {
		const struct nvfifo_method_row *r;

		for (g = 0; g < families[f].generations; g++)
			add_class(families[f].classes[g], g, place[table + g]);

		for (r = families[f].rows; r->name; r++) {
			struct nvfifo_method first = {
				.value = r->value,
				.oclass = first_class(f, r->generations),
				.address_high = is_address_high(r),
			};

			if (r->value && *r->value == '@')
				first.value = nvfifo_method_plain(r->value);
			set_forms(&first, families[f].generations);

			for (i = 0; i < r->count; i++) {
				/* Room is left after the last name, so that each can be copied as a block. */
				if (count == ENTRIES || NAMES - used < 2 * NVFIFO_METHOD_NAME_ROOM)
					return;

				add_element(count, &first, r, families[f].name, i, &used);

				for (g = 0; g < families[f].generations; g++) {
					if (r->generations >> g & 1)
						place[table + g][entries[count].method / 4] =
							(__u16)count;
				}

				add_hash(count++);
			}
		}

		table += families[f].generations;
	}
}

static void make_tables(void)
{
	spread();
	atomic_store_explicit(&are_spread, true, memory_order_release);
}

/* Make the tables, once for all threads. */
static void spread_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_tables);
}

/* The first look-up makes the tables. Inlined, its call would cost all others saved registers. */
__attribute__((noinline))
static const struct nvfifo_method *get_first(__u32 oclass, __u32 method, unsigned int *form)
{
	spread_once();

	return nvfifo_method_get(oclass, method, form);
}

const struct nvfifo_method *nvfifo_method_get(__u32 oclass, __u32 method, unsigned int *form)
{
	const struct class *c;
	unsigned int i;

	/* The disassembler asks for each word, so nothing here needs a call. */
	if (!atomic_load_explicit(&are_spread, memory_order_acquire))
		return get_first(oclass, method, form);

	c = class_place(oclass);
	if (!c->places || method >= METHODS * 4)
		return NULL;

	i = c->places[method / 4];
	if (!i)
		return NULL;

	*form = entries[i].form[c->generation];
	return &entries[i];
}

static const struct nvfifo_method *lookup(__u32 oclass, __u32 method)
{
	unsigned int form;

	return nvfifo_method_get(oclass, method, &form);
}

const char *nvfifo_method_name(__u32 oclass, __u32 method)
{
	const struct nvfifo_method *e;

	if (method < 0x100)
		return nvfifo_pfifo_method_name(method);

	e = lookup(oclass, method);
	return e ? e->name : NULL;
}

bool nvfifo_class_has_methods(__u32 oclass)
{
	size_t f;
	unsigned int g;

	/* Not from the tables: a list of classes would spend most of its time on making them. */
	for (f = 0; f < COUNT(families); f++) {
		for (g = 0; g < families[f].generations; g++) {
			if (families[f].classes[g] == oclass)
				return true;
		}
	}

	return false;
}

/* Parts of names in Mesa's and the DDX's older headers. The first one that a name has counts. */
static const struct {
	const char *old;
	const char *now;
} aliases[] = {
	{ "TILE_MODE", "BLOCK_DIMENSIONS" },
	{ "M2MF.LINEAR_", "M2MF.LAYOUT_" },
	{ "M2MF.TILING_MODE_", "M2MF.BLOCKLINEAR_DIMENSIONS_" },
	{ "M2MF.TILING_", "M2MF.BLOCKLINEAR_" },
	{ "2D.PATTERN_MONO_FORMAT", "2D.PATTERN_BITMAP_FORMAT" },
	{ "2D.PATTERN_COLOR[", "2D.PATTERN_BITMAP_COLOR[" },
	{ "3D.PM_", "3D.MP_PM_" },
	{ "3D.EDGEFLAG_ENABLE", "3D.EDGEFLAG" },
	{ "3D.LINE_LAST_PIXEL", "3D.PIXEL_CENTER_INTEGER" },
};

/* "3D.RT[010].TILE_MODE" becomes "3D.RT[0xa].BLOCK_DIMENSIONS". Return: whether it may exist. */
static bool usual_spelling(const char *name, size_t len, char *out, size_t size)
{
	char copy[64], text[128];
	const char *bracket, *rest, *at;
	__u64 index;
	size_t i;

	if (len >= sizeof(copy))
		return false;

	snprintf(copy, sizeof(copy), "%.*s", (int)len, name);
	snprintf(text, sizeof(text), "%s", copy);
	bracket = strchr(copy, '[');
	if (bracket) {
		rest = nvfifo_text_read(bracket + 1, 0, &index);
		if (!rest || *rest != ']')
			return false;
		snprintf(text, sizeof(text), "%.*s[%#llx]%s", (int)(bracket - copy), copy,
			 (unsigned long long)index, rest + 1);
	}

	snprintf(out, size, "%s", text);
	for (i = 0; i < COUNT(aliases); i++) {
		at = strcasestr(text, aliases[i].old);
		if (!at)
			continue;
		snprintf(out, size, "%.*s%s%s", (int)(at - text), text, aliases[i].now,
			 at + strlen(aliases[i].old));
		break;
	}

	return true;
}

/* The family that a name of a method begins with; @dot: out: the dot after it. NULL if there is none. */
static const struct nvfifo_method_family *family_of(const char *name, const char **dot)
{
	size_t i;

	*dot = strchr(name, '.');
	for (i = 0; *dot && i < COUNT(families); i++) {
		if (!strncasecmp(families[i].name, name, (size_t)(*dot - name)) &&
		    !families[i].name[*dot - name])
			return &families[i];
	}

	return NULL;
}

/* Whether "RT[].ADDRESS_HIGH" of a table is "RT_ADDRESS_HIGH" in a header. */
static bool is_identifier_of(const char *row, const char *name)
{
	for (; *row; row++) {
		char c = *row;

		if (c == '[' || c == ']')
			continue;
		if (c == '.')
			c = '_';
		if (toupper((unsigned char)*name) != c)
			return false;
		name++;
	}

	return !*name;
}

/*
 * Headers have no dots, and put the number of an element at the end: "3D.RT_ADDRESS_HIGH[3]".
 * Return: whether @out has the name with that number in its place.
 */
static bool header_spelling(const char *name, char *out, size_t size)
{
	const char *dot, *bracket = strchr(name, '['), *row_dot;
	const struct nvfifo_method_family *family = family_of(name, &dot);
	const struct nvfifo_method_row *r;
	char array[64];

	if (!family || !bracket || strchr(bracket, '.') || bracket < dot)
		return false;

	snprintf(array, sizeof(array), "%.*s", (int)(bracket - dot - 1), dot + 1);
	for (r = family->rows; r->name; r++) {
		row_dot = strchr(r->name, '.');
		if (!row_dot || !is_identifier_of(r->name, array))
			continue;

		snprintf(out, size, "%s.%.*s%s%s", family->name, (int)strcspn(r->name, "["), r->name,
			 bracket, row_dot);
		return true;
	}

	return false;
}

/* Old headers name unknown methods after their number: "3D.UNK0D7C". */
static const struct nvfifo_method *find_by_number(const char *name)
{
	const char *dot;
	const struct nvfifo_method_family *family = family_of(name, &dot);
	const struct nvfifo_method *m = NULL;
	__u64 method;
	size_t n;

	if (!family || strncasecmp(dot, ".UNK", 4) || strlen(dot) < 7 || strlen(dot) > 8)
		return NULL;

	if (!nvfifo_text_whole(dot + 4, strlen(dot + 4), 16, 0x1ffc, &method) || method % 4 ||
	    method < 0x100)
		return NULL;

	for (n = 0; n < family->generations && !m; n++)
		m = lookup(family->classes[n], (__u32)method);

	return m;
}

static const struct nvfifo_method *find_by_name(const char *name, size_t len)
{
	unsigned int h;

	spread_once();

	for (h = hash_of(name, len); hashed[h]; h = (h + 1) % HASH) {
		const struct nvfifo_method *m = &entries[hashed[h]];

		if (m->name_len == len && !strncasecmp(m->name, name, len))
			return m;
	}

	return NULL;
}

int nvfifo_method_find(const char *name, size_t len, __u32 *oclass)
{
	const struct nvfifo_method *m;
	unsigned int i, method;
	char text[128], header[128];
	const char *own;

	*oclass = 0;

	/* Names of PFIFO's own methods have no dot, and all others have one. */
	m = find_by_name(name, len);
	for (i = 0; !m && (own = nvfifo_pfifo_method_at(i, &method)); i++) {
		if (strlen(own) == len && !strncasecmp(own, name, len))
			return (int)method;
	}

	if (!m && usual_spelling(name, len, text, sizeof(text))) {
		m = find_by_name(text, strlen(text));
		if (!m && header_spelling(text, header, sizeof(header)))
			m = find_by_name(header, strlen(header));
		if (!m)
			m = find_by_number(text);
	}

	if (!m)
		return -1;

	*oclass = m->oclass;
	return m->method;
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
	unsigned int n, method;
	const char *own;
	size_t i;

	for (n = 0; (own = nvfifo_pfifo_method_at(n, &method)); n++)
		nvfifo_near_offer(near, own);

	for (i = 0; i < COUNT(families); i++) {
		for (r = families[i].rows; r->name; r++) {
			snprintf(name, sizeof(name), "%s.%s", families[i].name, r->name);
			nvfifo_near_offer(near, name);
		}
	}
}

unsigned int nvfifo_method_elements(const char *name)
{
	const struct nvfifo_method_row *r;
	unsigned int most = 0;
	char full[NVFIFO_NEAR_NAME];
	size_t i;

	for (i = 0; i < COUNT(families); i++) {
		for (r = families[i].rows; r->name; r++) {
			snprintf(full, sizeof(full), "%s.%s", families[i].name, r->name);
			if (r->count > most && !strcasecmp(full, name))
				most = r->count;
		}
	}

	return most;
}

bool nvfifo_method_is_address_high(__u32 oclass, __u32 method)
{
	const struct nvfifo_method *e;

	if (method < 0x100)
		return method == NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH;

	e = lookup(oclass, method);
	return e && e->address_high;
}

/* --- Data of methods ----------------------------------------------------- */

/* The description that "@name" stands for, or NULL */
static const char *type_of(const char *name, size_t len)
{
	const struct nvfifo_method_type *t;

	for (t = nvfifo_method_types; t->name; t++) {
		if (strlen(t->name) == len && !memcmp(t->name, name, len))
			return t->value;
	}

	return NULL;
}

const char *nvfifo_method_plain(const char *s)
{
	if (s && *s == '@')
		s = type_of(s + 1, strcspn(s + 1, " |}"));

	return s ? s : "";
}

const char *nvfifo_method_next_name(const char *s, struct nvfifo_value_name *n)
{
	__u64 value;

	s += *s == '=' || *s == ' ';
	if (!*s || strchr("|}^", *s))
		return NULL;

	n->name = nvfifo_text_read(s, 16, &value) + 1;
	n->value = (__u32)value;
	n->len = strcspn(n->name, " |}");

	return n->name + n->len;
}

const char *nvfifo_method_next_field(const char *s, unsigned int generation, struct nvfifo_data_field *f)
{
	const char *marks;
	__u64 high, low;

	while (*s && *s != '}') {
		f->name = s + 1;
		f->name_len = strcspn(f->name, " ");
		s = nvfifo_text_read(f->name + f->name_len, 10, &high);
		low = high;
		if (*s == ':')
			s = nvfifo_text_read(s + 1, 10, &low);
		f->low = (unsigned int)low;
		f->width = (unsigned int)(high - low) + 1;
		f->mask = f->width < 32 ? (1u << f->width) - 1 : 0xffffffff;
		f->data = s + (*s == ' ');
		s = f->data + strcspn(f->data, "|}");
		marks = memchr(f->data, '^', (size_t)(s - f->data));
		if (!marks || memchr(marks, (int)('0' + generation), (size_t)(s - marks)))
			return s;
	}

	return NULL;
}

const char *nvfifo_method_description(__u32 oclass, __u32 method, unsigned int *generation)
{
	const struct nvfifo_method *m = lookup(oclass, method);

	*generation = class_place(oclass)->generation;
	return m ? m->value : NULL;
}

size_t nvfifo_method_value(__u32 oclass, __u32 method, __u32 data, char *buf, size_t size)
{
	unsigned int form = 0;

	if (method < 0x100 || !nvfifo_method_get(oclass, method, &form)) {
		*buf = '\0';
		return 0;
	}

	return nvfifo_form_text(form, data, buf, size);
}
