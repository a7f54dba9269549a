// SPDX-License-Identifier: MIT
/*
 * The calculator: tables of words, of lib/calc and of users; words from fields, and fields from words. Numbers are
 * hexadecimal, with or without 0x. Counts, ids and flags are decimal, and hexadecimal with 0x.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "nvfifo_calc_table.h"

/* A column and its kind, or a name and ours */
struct pair {
	const char *name;
	const char *ours;
};

struct list {
	const char *name;
	size_t first;
	size_t count;
};

static struct {
	pthread_once_t once;
	struct calc_table **tables;
	size_t table_count;
	struct calc_row *rows;
	size_t row_count;
	struct calc_value *values;
	size_t value_count;
	struct list *lists;
	size_t list_count;
	struct pair *columns;
	size_t column_count;
	struct pair *names;
	size_t name_count;
} all = { .once = PTHREAD_ONCE_INIT };

/* The part of the text that is being read */
struct reader {
	struct nvfifo_table text;	/* first */
	enum { IN_NOTHING, IN_KIND, IN_LIST, IN_COLUMNS, IN_NAMES } part;
};

/* --- Reading ----------------------------------------------------------------- */

/* VALUE, or VALUE = MEANING */
static int read_value(struct nvfifo_table *t, size_t *count)
{
	struct calc_value *v = NVFIFO_ADD(all.values, all.value_count);
	char *equals;

	if (!v)
		return -ENOMEM;

	v->key = nvfifo_table_word(t);
	equals = nvfifo_table_word(t);
	if (equals && strcmp(equals, "="))
		return nvfifo_table_error(t, "%s: '=' and a meaning, or nothing, must follow", v->key);
	if (equals)
		v->means = nvfifo_table_rest(t);
	++*count;

	return 0;
}

/* The last one wins: a user's, if there is one. */
static const struct list *find_list(const char *name)
{
	size_t i;

	for (i = all.list_count; i; i--) {
		if (!strcmp(all.lists[i - 1].name, name))
			return &all.lists[i - 1];
	}

	return NULL;
}

static int read_type(struct nvfifo_table *t, struct calc_row *row)
{
	const char *name = nvfifo_table_word(t), *list_name;
	const struct calc_type *type;
	const struct list *list;
	char names[200] = "";

	for (type = nvfifo_calc_types; name && type->name; type++) {
		if (!strcmp(type->name, name))
			row->type = type;
	}

	for (type = nvfifo_calc_types; !row->type && type->name; type++)
		nvfifo_text_add(names, sizeof(names), "%s%s", *names ? ", " : "", type->name);
	if (!row->type)
		return nvfifo_table_error(t, "%s: '%.40s' is no type; there are %s", row->name, name ? name : "", names);

	if (!strcmp(row->type->name, "hex")) {
		row->digits = (unsigned int)nvfifo_text_value(nvfifo_table_word(t), 10);
		if (row->digits < 1 || row->digits > 16)
			return nvfifo_table_error(t, "%s: hex needs a number of digits, 1 to 16", row->name);
	}

	if (strcmp(row->type->name, "name"))
		return 0;

	list_name = nvfifo_table_word(t);
	list = find_list(list_name ? list_name : "");
	if (!list)
		return nvfifo_table_error(t, "%s: there is no list '%.40s' before this line", row->name,
					  list_name ? list_name : "");

	row->list = list->first;
	row->list_count = list->count;

	return 0;
}

/* "w1[7:0]". Return: 1, 0 if it is another word, or an error */
static int read_part(struct nvfifo_table *t, const struct calc_table *table, struct calc_row *row, char *text)
{
	unsigned int high, low, i;
	const char *p = table->kind.words;
	size_t len;
	int ret = nvfifo_table_bits(text, &high, &low);

	if (!ret)
		return 0;
	if (ret < 0 || row->part_count == CALC_PARTS)
		return nvfifo_table_error(t, "%s: '%s' is not WORD[HIGH:LOW], or more than %d of them", row->name, text,
					  CALC_PARTS);

	for (i = 0; i < table->word_count; i++, p += len, p += strspn(p, " ")) {
		len = strcspn(p, " ");
		if (strlen(text) == len && !strncmp(p, text, len))
			break;
	}

	if (i == table->word_count || high >= table->bits[i])
		return nvfifo_table_error(t, "%s: %s[%u:%u] is not in the words: %s, of %u bits", row->name, text, high, low,
					  table->kind.words, table->bits[i < table->word_count ? i : 0]);

	row->parts[row->part_count].word = i;
	row->parts[row->part_count].high = high;
	row->parts[row->part_count].low = low;
	row->part_count++;

	return 1;
}

/* FIELD TYPE WORD[HIGH:LOW]... [<< N] [= ABSENT] [needed] [set] [decoded]  # MEANING */
static int read_row(struct nvfifo_table *t, struct calc_table *table, const char *name)
{
	char *means = nvfifo_table_meaning(t->at), *text;
	struct calc_row *row = NVFIFO_ADD(all.rows, all.row_count);
	int ret;

	if (!row)
		return -ENOMEM;

	row->name = name;
	row->means = means;
	row->values = all.value_count;
	if (!table->row_count++)
		table->rows = all.row_count - 1;

	ret = read_type(t, row);
	while (!ret && (text = nvfifo_table_word(t))) {
		ret = read_part(t, table, row, text);
		if (ret)
			ret = ret < 0 ? ret : 0;
		else if (!strcmp(text, "<<"))
			row->shift = (unsigned int)nvfifo_text_value(nvfifo_table_word(t), 10);
		else if (!strcmp(text, "="))
			row->absent = nvfifo_text_value(nvfifo_table_word(t), 0);
		else if (!strcmp(text, "needed"))
			row->needed = true;
		else if (!strcmp(text, "set"))
			row->only_set = true;
		else if (!strcmp(text, "decoded"))
			row->only_decoded = true;
		else
			ret = nvfifo_table_error(t, "%s: '%.40s' is none of WORD[HIGH:LOW], << N, = N, needed, set, decoded", name, text);
	}

	return ret || row->part_count ? ret : nvfifo_table_error(t, "%s: its bits are missing, WORD[HIGH:LOW]", name);
}

/* Append a name to a list with blanks between. */
static int append(const char **list, const char *name)
{
	char *more;

	if (asprintf(&more, "%s%s%s", *list, **list ? " " : "", name) < 0)
		return nvfifo_error(-ENOMEM, "out of memory");

	if (**list)
		free((char *)*list);
	*list = more;

	return 0;
}

/* "words pte:64" */
static int read_words(struct nvfifo_table *t, struct calc_table *table)
{
	char *name, *colon;
	int ret;

	while ((name = nvfifo_table_word(t))) {
		if (table->word_count == CALC_WORDS)
			return nvfifo_table_error(t, "words: more than %d", CALC_WORDS);

		colon = strchr(name, ':');
		if (colon)
			*colon++ = '\0';
		table->bits[table->word_count] = colon ? (unsigned int)nvfifo_text_value(colon, 10) : 32;
		if (table->bits[table->word_count] < 1 || table->bits[table->word_count] > 64)
			return nvfifo_table_error(t, "words: %s must have 1 to 64 bits", name);

		table->word_count++;
		ret = append(&table->kind.words, name);
		if (ret)
			return ret;
	}

	return table->word_count ? 0 : nvfifo_table_error(t, "words: a name is missing");
}

static int read_function(struct nvfifo_table *t, struct calc_table *table)
{
	const struct calc_function *f;
	const char *name = nvfifo_table_word(t);

	for (f = nvfifo_calc_functions; name && f->name; f++) {
		if (!strcmp(f->name, name))
			table->calc = f->calc;
	}

	if (!table->calc)
		return nvfifo_table_error(t, "do: there is no function '%.40s'", name ? name : "");

	return 0;
}

static int read_kind_line(struct nvfifo_table *t)
{
	struct calc_table *table = all.tables[all.table_count - 1];
	char *name = nvfifo_table_word(t);

	if (!strcmp(name, "words") && !table->word_count)
		return read_words(t, table);

	if (!strcmp(name, "also")) {
		table->also = nvfifo_table_rest(t);
	} else if (!strcmp(name, "carried")) {
		table->carried = nvfifo_table_rest(t);
	} else if (!strcmp(name, "fields")) {
		table->kind.fields = nvfifo_table_rest(t);
	} else if (!strcmp(name, "do")) {
		return read_function(t, table);
	} else {
		return read_row(t, table, name);
	}

	return 0;
}

/* A value with a meaning, or "last 0" */
static int read_row_value(struct nvfifo_table *t)
{
	struct calc_table *table = all.tables[all.table_count - 1];
	struct calc_row *row = &all.rows[all.row_count - 1];

	if (!table->row_count)
		return nvfifo_table_error(t, "a value, but no field before it");

	if (!strncmp(t->at + strspn(t->at, " \t"), "last ", 5)) {
		row->last = true;
		return 0;
	}

	return read_value(t, &row->value_count);
}

static int read_head(struct reader *r)
{
	struct nvfifo_table *t = &r->text;
	char *what = nvfifo_table_word(t), *name = nvfifo_table_word(t), *equals;
	struct calc_table *table;

	if (!strcmp(what, "columns") || !strcmp(what, "names")) {
		r->part = *what == 'c' ? IN_COLUMNS : IN_NAMES;
		return 0;
	}

	if (strcmp(what, "kind") && strcmp(what, "list"))
		return nvfifo_table_error(t, "'%.40s' is none of kind, list, columns, names", what);
	if (!name)
		return nvfifo_table_error(t, "%s: a name is missing", what);

	if (*what == 'l') {
		r->part = IN_LIST;
		return NVFIFO_APPEND(all.lists, all.list_count, ((struct list){ .name = name, .first = all.value_count }));
	}

	equals = nvfifo_table_word(t);
	if (!equals || strcmp(equals, "="))
		return nvfifo_table_error(t, "%s: '= MEANING' is missing", name);

	r->part = IN_KIND;
	table = calloc(1, sizeof(*table));
	if (!table || NVFIFO_APPEND(all.tables, all.table_count, table)) {
		free(table);
		return nvfifo_error(-ENOMEM, "out of memory");
	}

	table->kind = (struct nvfifo_calc_kind){ .name = name, .words = "", .fields = "", .means = nvfifo_table_rest(t) };
	table->also = "";
	table->carried = "";
	return 0;
}

static int read_pair(struct nvfifo_table *t, struct pair *pair)
{
	const char *equals;

	if (!pair)
		return -ENOMEM;

	pair->name = nvfifo_table_word(t);
	equals = nvfifo_table_word(t);
	pair->ours = nvfifo_table_word(t);
	if (!equals || strcmp(equals, "=") || !pair->ours)
		return nvfifo_table_error(t, "%s: '= NAME' is missing", pair->name);

	return 0;
}

static int take_line(struct nvfifo_table *t, unsigned int depth)
{
	struct reader *r = (struct reader *)t;

	if (!depth)
		return read_head(r);

	switch (r->part) {
	case IN_KIND:
		return depth == 2 ? read_row_value(t) : read_kind_line(t);
	case IN_LIST:
		return read_value(t, &all.lists[all.list_count - 1].count);
	case IN_COLUMNS:
		return read_pair(t, NVFIFO_ADD(all.columns, all.column_count));
	case IN_NAMES:
		return read_pair(t, NVFIFO_ADD(all.names, all.name_count));
	default:
		return nvfifo_table_error(t, "nothing before this line");
	}
}

/* The names of all rows, for a kind that has no "fields" */
static int name_fields(struct calc_table *table)
{
	size_t i;
	int ret = 0;

	if (*table->kind.fields)
		return 0;

	for (i = 0; i < table->row_count && !ret; i++)
		ret = append(&table->kind.fields, all.rows[table->rows + i].name);

	return ret;
}

static int read_text(const char *name, char *text)
{
	struct reader r = { .text.name = name };
	size_t before = all.table_count, i;
	int ret = nvfifo_table_read(&r.text, text, take_line);

	for (i = before; i < all.table_count && !ret; i++)
		ret = name_fields(all.tables[i]);
	if (ret)
		all.table_count = before;

	return ret;
}

static void read_sources(void)
{
	nvfifo_table_sources(nvfifo_calc_sources, read_text);
}

int nvfifo_calc_layouts(const char *name, const char *text)
{
	char *copy = strdup(text);

	pthread_once(&all.once, read_sources);
	if (!copy)
		return nvfifo_error(-ENOMEM, "out of memory");

	/* After a mistake the rows so far stay in memory: the program ends. */
	return read_text(name, copy);
}

/* --- Looking up -------------------------------------------------------------- */

const struct nvfifo_calc_kind *nvfifo_calc_next(const struct nvfifo_calc_kind *kind)
{
	size_t i;

	pthread_once(&all.once, read_sources);
	for (i = 0; kind && i < all.table_count && &all.tables[i]->kind != kind; i++)
		;
	if (kind)
		i++;

	return i < all.table_count ? &all.tables[i]->kind : NULL;
}

bool nvfifo_calc_has_word(const char *list, const char *word)
{
	size_t len = strlen(word), n;

	for (; *list; list += n, list += strspn(list, " ")) {
		n = strcspn(list, " ");
		if (n == len && !strncasecmp(list, word, n))
			return true;
	}

	return false;
}

const struct nvfifo_calc_kind *nvfifo_calc_find(const char *name)
{
	size_t i;

	pthread_once(&all.once, read_sources);

	/* The last one wins: a user's, if there is one. */
	for (i = all.table_count; i; i--) {
		if (!strcasecmp(all.tables[i - 1]->kind.name, name) || nvfifo_calc_has_word(all.tables[i - 1]->also, name))
			return &all.tables[i - 1]->kind;
	}

	return NULL;
}

const struct nvfifo_calc_kind *nvfifo_calc_detect(const struct nvfifo_row *r)
{
	size_t i;

	pthread_once(&all.once, read_sources);

	for (i = 0; i < all.column_count; i++) {
		if (nvfifo_row_get(r, all.columns[i].name))
			return nvfifo_calc_find(all.columns[i].ours);
	}

	return NULL;
}

static const char *usual_name(const char *name)
{
	size_t i;

	for (i = 0; i < all.name_count; i++) {
		if (!strcasecmp(all.names[i].name, name))
			return all.names[i].ours;
	}

	return NULL;
}

/* --- Words from fields ------------------------------------------------------- */

static __u64 bits_of(const __u64 *words, unsigned int word, unsigned int high, unsigned int low)
{
	return words[word] >> low & ~0ull >> (63 - (high - low));
}

static __u64 value_of(const struct calc_row *row, const __u64 *words)
{
	__u64 v = 0;
	size_t i;

	for (i = 0; i < row->part_count; i++) {
		v <<= row->parts[i].high - row->parts[i].low;
		v = v << 1 | bits_of(words, row->parts[i].word, row->parts[i].high, row->parts[i].low);
	}

	return v << row->shift;
}

static void put_value(const struct calc_row *row, __u64 *words, __u64 v)
{
	unsigned int bits;
	size_t i;

	v >>= row->shift;
	for (i = row->part_count; i; i--) {
		bits = row->parts[i - 1].high - row->parts[i - 1].low + 1;
		words[row->parts[i - 1].word] |= (v & ~0ull >> (64 - bits)) << row->parts[i - 1].low;
		v = bits < 64 ? v >> bits : 0;
	}
}

/* The place of the value among the values of a list, of which each may have synonyms */
static unsigned int pick(struct calc *c, const char *name, size_t first, size_t count, unsigned int absent)
{
	const struct calc_value *list = &all.values[first];
	const char *s = field_text(c, name);
	char names[160] = "";
	unsigned int i;
	__u64 v;

	if (!s || !*s)
		return absent;

	for (i = 0; i < count; i++) {
		if (is_one_of(list[i].key, s))
			return i;
	}

	if (number(s, DEC, count - 1, &v))
		return (unsigned int)v;

	for (i = 0; i < count; i++)
		nvfifo_text_add(names, sizeof(names), "%s%.*s", i ? ", " : "", (int)strcspn(list[i].key, "|"), list[i].key);

	if (!c->err)
		c->err = nvfifo_error(-EINVAL, "%s must be one of %s, not '%.40s'", name, names, s);

	return absent;
}

unsigned int nvfifo_calc_pick(struct calc *c, const char *name, const char *list, unsigned int absent)
{
	const struct list *l = all.lists;

	/* The program's own come first. */
	while (strcmp(l->name, list))
		l++;

	return pick(c, name, l->first, l->count, absent);
}

bool nvfifo_calc_are_synonyms(const char *a, const char *b)
{
	size_t i;

	for (i = 0; i < all.value_count; i++) {
		if (is_one_of(all.values[i].key, a) && is_one_of(all.values[i].key, b))
			return true;
	}

	return false;
}

static __u64 given(struct calc *c, const struct calc_row *row)
{
	unsigned int bits = row->shift;
	__u64 max, v;
	size_t i;

	if (row->needed && !has(c, row->name) && !c->err) {
		c->missing = true;
		c->err = nvfifo_error(-EINVAL, "%s is missing", row->name);
	}

	if (row->list_count)
		return pick(c, row->name, row->list, row->list_count, (unsigned int)row->absent);

	for (i = 0; i < row->part_count; i++)
		bits += row->parts[i].high - row->parts[i].low + 1;
	max = ~0ull >> (64 - bits);
	v = opt(c, row->name, row->type->hex ? HEX : DEC, max, row->absent);

	return row->shift ? aligned(c, row->name, 1ull << row->shift, v) : v;
}

/* --- Fields from words ------------------------------------------------------- */

/* A meaning with {1<<}, {*N} and {N} for 2 to the value, N times the value, and its N digits without the shift */
static void expand(struct calc *c, const struct calc_row *row, const char *text, __u64 v)
{
	const char *brace = strchr(text, '{'), *end = brace ? strchr(brace, '}') : NULL;
	char number[24];

	if (!end) {
		means(c, "%s", text);
		return;
	}

	if (brace[1] == '*')
		snprintf(number, sizeof(number), "%" PRIu64, (uint64_t)(v * nvfifo_text_value(brace + 2, 10)));
	else if (!strncmp(brace, "{1<<}", 5))
		snprintf(number, sizeof(number), "%" PRIu64, (uint64_t)(1ull << (v & 63)));
	else
		snprintf(number, sizeof(number), "%0*" PRIx64, (int)nvfifo_text_value(brace + 1, 10),
			 (uint64_t)(v >> row->shift));

	means(c, "%.*s%s%s", (int)(brace - text), text, number, end + 1);
}

/* Does a value's meaning hold? KEY is a number, the name of a field that is not 0, or "other". */
static bool holds(const struct calc_table *table, const char *key, const __u64 *words, __u64 v)
{
	__u64 wanted;
	size_t i;

	if (number(key, DEC, ~0ull, &wanted))
		return v == wanted;

	for (i = 0; i < table->row_count; i++) {
		if (!strcmp(all.rows[table->rows + i].name, key))
			return value_of(&all.rows[table->rows + i], words);
	}

	return v != 0;
}

static void row_means(struct calc *c, const struct calc_table *table, const struct calc_row *row, const __u64 *words,
		      __u64 v)
{
	const struct calc_value *value;
	size_t i;

	if (row->means)
		expand(c, row, row->means, v);

	if (v < row->list_count && all.values[row->list + v].means)
		expand(c, row, all.values[row->list + v].means, v);

	for (i = 0; i < row->value_count; i++) {
		value = &all.values[row->values + i];
		if (holds(table, value->key, words, v)) {
			expand(c, row, value->means ? value->means : "", v);
			return;
		}
	}
}

void nvfifo_calc_set_name(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	const char *names;

	(void)words;
	if (v >= row->list_count) {
		means(c, "no such code");
		set(c, row->name, STR, "%" PRIu64, (uint64_t)v);
		return;
	}

	names = all.values[row->list + v].key;
	set(c, row->name, STR, "%.*s", (int)strcspn(names, "|"), names);
}

/* The bits of each word that no row has */
static void decode_unknown(struct calc *c, const struct calc_table *table, const __u64 *words)
{
	__u64 rest[CALC_WORDS], any = 0;
	char text[160] = "", where[48] = "";
	size_t i, k, count = 0;
	const struct calc_row *row;

	for (i = 0; i < table->word_count; i++)
		rest[i] = ~0ull >> (64 - table->bits[i]);

	for (i = 0; i < table->row_count; i++) {
		row = &all.rows[table->rows + i];
		for (k = 0; k < row->part_count; k++)
			rest[row->parts[k].word] &= ~(~0ull >> (63 - (row->parts[k].high - row->parts[k].low)) << row->parts[k].low);
	}

	for (i = 0; i < table->word_count; i++) {
		if (!rest[i])
			continue;

		any |= words[i] & rest[i];
		nvfifo_text_add(text, sizeof(text), "%s%0*" PRIx64, count ? " " : "", (int)(table->bits[i] + 3) / 4,
				(uint64_t)(words[i] & rest[i]));
		nvfifo_text_add(where, sizeof(where), "%s%zu", count ? ", " : ", in words ", i);
		count++;
	}

	if (!any)
		return;

	means(c, "bits that no source knows%s", count > 1 ? where : "");
	set(c, "unknown", STR, "%s", text);
}

void nvfifo_calc_decode(struct calc *c, const struct calc_table *table, const __u64 *words)
{
	const struct calc_row *row;
	size_t i;
	__u64 v;

	for (i = 0; i < table->row_count; i++) {
		row = &all.rows[table->rows + i];
		v = value_of(row, words);
		if (!row->type->set || (row->only_set && !v) || (row->only_decoded && c->encoded))
			continue;

		row_means(c, table, row, words, v);
		row->type->set(c, row, words, v);
		if (row->last && !v)
			return;
	}

	decode_unknown(c, table, words);
}

/* Fields into words, if there is one of them, else the words that are given. Return: whether there are words. */
static bool take_words(struct calc *c, __u64 *words)
{
	const struct calc_table *table = c->table;
	const struct calc_row *row;
	char name[32];
	size_t i;

	memset(words, 0, CALC_WORDS * sizeof(*words));
	for (i = 0; i < table->row_count; i++) {
		row = &all.rows[table->rows + i];
		if (nvfifo_calc_has_word(table->kind.fields, row->name) && has(c, row->name))
			c->encoded = true;
	}

	for (i = 0; i < table->row_count && c->encoded; i++) {
		row = &all.rows[table->rows + i];
		if (row->type->set)
			put_value(row, words, given(c, row));
	}

	for (i = 0; i < table->word_count && !c->encoded; i++)
		words[i] = need(c, nvfifo_text_word(table->kind.words, i, name, sizeof(name)), HEX, ~0ull >> (64 - table->bits[i]));

	return !c->err;
}

void nvfifo_calc_set_words(struct calc *c, const __u64 *words)
{
	const struct calc_table *table = c->table;
	char name[32];
	size_t i;

	for (i = 0; i < table->word_count; i++)
		set(c, nvfifo_text_word(table->kind.words, i, name, sizeof(name)), STR, "%0*" PRIx64,
		    (int)(table->bits[i] + 3) / 4, (uint64_t)words[i]);
}

bool nvfifo_calc_table(struct calc *c, __u64 *words)
{
	if (!take_words(c, words))
		return false;

	nvfifo_calc_set_words(c, words);
	if (details(c))
		nvfifo_calc_decode(c, c->table, words);

	return true;
}

/* --- Calculating ------------------------------------------------------------- */

/* A field that no calculator has read is misspelt or redundant. */
static int refuse_field(const struct nvfifo_calc_kind *kind, const char *name)
{
	const char *name_to_find = name, *usual;
	struct nvfifo_near near;
	char more[200];

	if (nvfifo_calc_has_word(kind->fields, name) || nvfifo_calc_has_word(kind->words, name))
		return nvfifo_error(-EINVAL, "%s is of no use beside the other fields of this %s",
				    name, kind->name);

	usual = usual_name(name);
	if (usual && nvfifo_calc_has_word(kind->fields, usual))
		name_to_find = usual;
	nvfifo_near_init(&near, name_to_find, strlen(name_to_find));
	nvfifo_near_offer_list(&near, kind->fields);
	nvfifo_near_offer_list(&near, kind->words);
	nvfifo_near_text(&near, more, sizeof(more));
	if (*more)
		return nvfifo_error(-EINVAL, "%s has no field '%.40s'%s", kind->name, name, more);

	return nvfifo_error(-EINVAL, "%s has no field '%.40s', it has %s", kind->name, name,
			    *kind->fields ? kind->fields : kind->words);
}

int nvfifo_calc(const struct nvfifo_calc_kind *kind, struct nvfifo_row *r, unsigned int flags,
		char text[200])
{
	const struct calc_table *table = (const struct calc_table *)kind;
	struct calc c = { .r = r, .table = table, .flags = flags, .note = text };
	size_t given = r->count, i;
	__u64 words[CALC_WORDS];

	text[0] = '\0';
	for (i = 0; i < given; i++)
		r->fields[i].used = nvfifo_calc_has_word(table->carried, r->fields[i].name);
	if (table->calc)
		table->calc(&c);
	else
		nvfifo_calc_table(&c, words);

	/* An error leaves fields unread. Report "no field addres" rather than "pte is missing". */
	if (c.err && !c.missing)
		return c.err;

	for (i = 0; i < given; i++) {
		if (r->fields[i].used || (c.err && nvfifo_calc_has_word(kind->fields, r->fields[i].name)))
			continue;
		return refuse_field(kind, r->fields[i].name);
	}

	return c.err;
}
