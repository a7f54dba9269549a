// SPDX-License-Identifier: MIT
/*
 * Reads the tables of messages: those of lib/explain, which are in the program, and those of users.
 * Both have the same language. The message of each mistake has its place and the allowed words.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "nvfifo_explain_priv.h"
#include "nvfifo_near.h"

struct block {
	const char *name;
	unsigned int first;
	unsigned int count;
};

static struct {
	pthread_once_t once;
	struct explain_line *lines;
	size_t line_count;
	struct explain_step *steps;
	size_t step_count;
	struct block *blocks;
	size_t block_count;
	struct explain_row *rows;
	size_t row_count;
} all = { .once = PTHREAD_ONCE_INIT };

enum part {
	PART_NONE,
	PART_LINES,
	PART_BLOCK,
	PART_TABLE,
};

#define CONSTANTS_MAX	32

/* A text that is being read */
struct reader {
	struct nvfifo_table text;	/* first */
	enum part part;
	const char *driver;
	const char *table;
	struct block with;		/* of each row */
	size_t first_line;		/* of the rows that have the steps in common */
	size_t first_step;
	struct {
		const char *name;
		const char *text;
	} constants[CONSTANTS_MAX];
	size_t constant_count;
};

/* --- Errors ------------------------------------------------------------------ */

/* @text with the constants of the file for {NAME}. Return: NULL without memory. */
static char *with_constants(const struct reader *r, char *text)
{
	char *more, *made = NULL, *brace, *end;
	size_t i;

	while ((brace = strchr(text, '{'))) {
		for (i = 0; i < r->constant_count; i++) {
			end = brace + 1 + strlen(r->constants[i].name);
			if (!strncmp(brace + 1, r->constants[i].name, strlen(r->constants[i].name)) && *end == '}')
				break;
		}
		if (i == r->constant_count)
			break;

		if (asprintf(&more, "%.*s%s%s", (int)(brace - text), text, r->constants[i].text, end + 1) < 0)
			return NULL;
		free(made);
		text = made = more;
	}

	return text;
}

/* --- Steps ------------------------------------------------------------------- */

static const struct explain_type *find_type(const char *name)
{
	const struct explain_type *t;

	for (t = nvfifo_explain_types; t->name; t++) {
		if (!strcmp(t->name, name))
			return t;
	}

	return NULL;
}

static int no_type(struct reader *r, const char *field, const char *name)
{
	const struct explain_type *t;
	char names[400] = "";

	for (t = nvfifo_explain_types; t->name; t++)
		nvfifo_text_add(names, sizeof(names), "%s%s", *names ? ", " : "", t->name);

	return nvfifo_table_error(&r->text, "%s: '%.40s' is no type; there are %s, and = TEXT", field, name ? name : "", names);
}

static int no_table(struct reader *r, const char *field, const char *name)
{
	const struct explain_names *n;
	char names[400] = "";

	for (n = nvfifo_explain_names; n->name; n++)
		nvfifo_text_add(names, sizeof(names), "%s%s", *names ? ", " : "", n->name);

	return nvfifo_table_error(&r->text, "%s: '%.40s' is no table of names; there are %s", field, name ? name : "", names);
}

static int no_block(struct reader *r, const char *name)
{
	const struct explain_function *f;
	struct nvfifo_near near;
	char more[200];
	size_t i;

	nvfifo_near_init(&near, name, strlen(name));
	for (i = 0; i < all.block_count; i++)
		nvfifo_near_offer(&near, all.blocks[i].name);
	for (f = nvfifo_explain_functions; f->name; f++)
		nvfifo_near_offer(&near, f->name);

	return nvfifo_table_error(&r->text, "do: there is no block '%.40s' before this line%s", name,
		    nvfifo_near_text(&near, more, sizeof(more)));
}

static const struct block *find_block(const char *name)
{
	size_t i;

	for (i = 0; i < all.block_count; i++) {
		if (!strcmp(all.blocks[i].name, name))
			return &all.blocks[i];
	}

	return NULL;
}

static int read_do(struct reader *r, struct explain_step *step)
{
	const struct explain_function *f;
	const struct block *block;
	const char *name = nvfifo_table_word(&r->text);
	size_t i;

	if (!name)
		return nvfifo_table_error(&r->text, "do: the name of a block is missing");

	step->op = STEP_DO;
	for (i = 0; i + 1 < STEP_NAMES && !nvfifo_table_is_end(&r->text); i++)
		step->names[i] = nvfifo_table_word(&r->text);
	if (!nvfifo_table_is_end(&r->text))
		return nvfifo_table_error(&r->text, "do: more than %d arguments", STEP_NAMES - 1);

	for (f = nvfifo_explain_functions; f->name; f++) {
		if (!strcmp(f->name, name)) {
			step->run = f->run;
			return 0;
		}
	}

	block = find_block(name);
	if (!block)
		return no_block(r, name);

	step->first = block->first;
	step->count = block->count;

	return 0;
}

static int read_argument(struct reader *r, struct explain_step *step)
{
	const struct explain_names *n;
	struct nvfifo_reg_ref ref;
	const char *text;

	if (step->type->argument == ARGUMENT_NONE)
		return 0;

	text = nvfifo_table_is_quoted(&r->text) ? NULL : nvfifo_table_word(&r->text);
	switch (step->type->argument) {
	case ARGUMENT_DIGITS:
		step->digits = text ? (unsigned int)nvfifo_text_value(text, 10) : 0;
		if (step->digits < 1 || step->digits > 16)
			return nvfifo_table_error(&r->text, "%s: %s needs a number of digits, 1 to 16", step->field, step->type->name);
		return 0;
	case ARGUMENT_TABLE:
		for (n = nvfifo_explain_names; text && n->name; n++) {
			if (!strcmp(n->name, text)) {
				step->table = n->table;
				return 0;
			}
		}
		return no_table(r, step->field, text);
	default:
		if (!text || nvfifo_reg_parse(text, 0, &ref))
			return nvfifo_table_error(&r->text, "%s: '%.40s' is no register; 'nvfifo peek --list' lists them", step->field, text ? text : "");
		step->names[STEP_NAMES - 1] = text;
		return 0;
	}
}

/* "[31:29]" after a field or a word: bits of the value */
static int read_bits(const struct reader *r, struct explain_step *step, char *text)
{
	unsigned int high;
	int ret = nvfifo_table_bits(text, &high, &step->low);

	if (ret < 0)
		return nvfifo_table_error(&r->text, "%s: '%s' has no [HIGH:LOW], bits of the value", step->field, text);
	if (ret)
		step->mask = ~0ull >> (63 - (high - step->low));

	return 0;
}

/* FIELD TYPE [ARGUMENT] "WORD"..., or the name of a field instead of the words */
static int read_field(struct reader *r, struct explain_step *step, const char *type)
{
	size_t i = 0;
	char *text;
	int ret;

	step->op = STEP_FIELD;
	step->type = type ? find_type(type) : NULL;
	if (!step->type)
		return no_type(r, step->field, type);

	ret = read_argument(r, step);
	if (ret)
		return ret;

	step->means = nvfifo_table_meaning(r->text.at);
	step->mask = ~0ull;
	while (!nvfifo_table_is_end(&r->text)) {
		bool quoted = nvfifo_table_is_quoted(&r->text);

		text = nvfifo_table_word(&r->text);
		if (!quoted && *text != '[')
			step->source = text;
		else if (quoted && i + 1 < STEP_NAMES)
			step->names[i++] = text;

		ret = quoted ? 0 : read_bits(r, step, text);
		if (ret)
			return ret;
	}

	if (!i == !step->source)
		return nvfifo_table_error(&r->text, "%s: %s needs \"a word\" of the line that is in front of the value, or a field",
			    step->field, step->type->name);
	if (step->source && !step->type->value)
		return nvfifo_table_error(&r->text, "%s: %s reads the line, no field", step->field, step->type->name);

	return 0;
}

static int read_condition(struct reader *r, struct explain_step *step, const char *keyword)
{
	step->negate = !strcmp(keyword, "unless");
	if (nvfifo_table_is_end(&r->text))
		return nvfifo_table_error(&r->text, "%s: a \"text\" of the line or a field is missing", keyword);

	if (!nvfifo_table_is_quoted(&r->text))
		step->on_field = nvfifo_table_word(&r->text);
	if (nvfifo_table_is_quoted(&r->text))
		step->on_text = nvfifo_table_word(&r->text);

	return 0;
}

static int read_step(struct reader *r)
{
	struct explain_step *step = NVFIFO_ADD(all.steps, all.step_count);
	char *name, *type;
	int ret = 0;

	if (!step)
		return -ENOMEM;

	name = nvfifo_table_word(&r->text);
	if (!strcmp(name, "when") || !strcmp(name, "unless")) {
		ret = read_condition(r, step, name);
		name = nvfifo_table_word(&r->text);
	}
	if (ret)
		return ret;
	if (!name)
		return nvfifo_table_error(&r->text, "a condition without a step");

	if (!strcmp(name, "do"))
		return read_do(r, step);

	if (!strcmp(name, "stop") || !strcmp(name, "decline")) {
		step->op = *name == 's' ? STEP_STOP : STEP_DECLINE;
		return 0;
	}

	/* A field may have that name, too. */
	if (!strcmp(name, "from") && (nvfifo_table_is_quoted(&r->text) || nvfifo_table_is_end(&r->text))) {
		step->op = STEP_FROM;
		step->text = nvfifo_table_word(&r->text);
		return 0;
	}

	if (!strcmp(name, "=>")) {
		step->op = STEP_ADVICE;
		step->text = with_constants(r, nvfifo_table_rest(&r->text));
		return 0;
	}

	step->field = name;
	type = nvfifo_table_word(&r->text);
	if (type && !strcmp(type, "=")) {
		step->op = STEP_TEXT;
		step->text = nvfifo_table_rest(&r->text);
		step->means = nvfifo_table_meaning((char *)step->text);
		step->text = with_constants(r, (char *)step->text);
		return 0;
	}

	return read_field(r, step, type);
}

/* --- Rows -------------------------------------------------------------------- */

/* The rows so far have the steps that were read since. */
static void end_group(struct reader *r)
{
	const unsigned int count = (unsigned int)(all.step_count - r->first_step);
	size_t i;

	if (r->part == PART_LINES) {
		for (i = r->first_line; i < all.line_count; i++) {
			all.lines[i].first = (unsigned int)r->first_step;
			all.lines[i].count = count;
		}
	} else if (r->part == PART_BLOCK) {
		all.blocks[all.block_count - 1].first = (unsigned int)r->first_step;
		all.blocks[all.block_count - 1].count = count;
	}

	r->part = PART_NONE;
	r->first_step = all.step_count;
	r->first_line = all.line_count;
}

/* The steps of the rows that follow begin here, with those of their block. */
static int begin_group(struct reader *r)
{
	const struct explain_step step = { .op = STEP_DO, .first = r->with.first, .count = r->with.count };

	end_group(r);

	return r->with.count ? NVFIFO_APPEND(all.steps, all.step_count, step) : 0;
}

/* "= MEANING" after a row's texts is its first step. */
static int read_meaning(struct reader *r)
{
	const struct explain_step step = {
		.op = STEP_TEXT,
		.field = "meaning",
		.text = with_constants(r, nvfifo_table_rest(&r->text)),
	};

	return NVFIFO_APPEND(all.steps, all.step_count, step);
}

/* CLASS "TEXT" ["TEXT"] [to "TEXT" [DIGITS]] [= MEANING] */
static int read_line(struct reader *r, const char *cls)
{
	struct explain_line *line;
	const char *text;
	int ret;

	if (!nvfifo_table_is_quoted(&r->text))
		return nvfifo_table_error(&r->text, "'%.40s' is neither a CLASS with a \"text\" of the message, nor driver, let, block, with or table",
			    cls);
	if (!r->driver)
		return nvfifo_table_error(&r->text, "%s: no driver is named before it: driver NAME", cls);

	/* Rows without a step between them have the same. */
	if (r->part != PART_LINES || r->first_step + (r->with.count != 0) != all.step_count) {
		ret = begin_group(r);
		if (ret)
			return ret;
	}

	line = NVFIFO_ADD(all.lines, all.line_count);
	if (!line)
		return -ENOMEM;

	r->part = PART_LINES;
	line->cls = cls;
	line->driver = r->driver;
	line->anchor = nvfifo_table_word(&r->text);
	if (nvfifo_table_is_quoted(&r->text))
		line->also = nvfifo_table_word(&r->text);

	text = nvfifo_table_word(&r->text);
	if (text && !strcmp(text, "="))
		return read_meaning(r);
	if (!text)
		return 0;
	if (strcmp(text, "to") || !nvfifo_table_is_quoted(&r->text))
		return nvfifo_table_error(&r->text, "%s: after the texts there may be 'to \"WORD\" DIGITS' or '= MEANING', not '%.40s'", cls, text);

	line->last = nvfifo_table_word(&r->text);
	text = nvfifo_table_word(&r->text);
	if (text)
		line->digits = (unsigned int)nvfifo_text_value(text, 10);

	return 0;
}

static int read_let(struct reader *r)
{
	const char *name = nvfifo_table_word(&r->text), *equals = nvfifo_table_word(&r->text);

	if (!name || !equals || strcmp(equals, "="))
		return nvfifo_table_error(&r->text, "let: NAME = TEXT is missing");
	if (r->constant_count == CONSTANTS_MAX)
		return nvfifo_table_error(&r->text, "let: more than %d names in a file", CONSTANTS_MAX);

	r->constants[r->constant_count].name = name;
	r->constants[r->constant_count].text = with_constants(r, nvfifo_table_rest(&r->text));
	r->constant_count++;

	return 0;
}

/* KEY = TEXT */
static int read_row(struct reader *r)
{
	const char *key = nvfifo_table_word(&r->text), *equals = nvfifo_table_word(&r->text);
	struct explain_row row = { .table = r->table, .key = key };

	if (!equals || strcmp(equals, "="))
		return nvfifo_table_error(&r->text, "%s: KEY = TEXT is missing", r->table);

	row.text = with_constants(r, nvfifo_table_rest(&r->text));

	return NVFIFO_APPEND(all.rows, all.row_count, row);
}

static int read_head(struct reader *r)
{
	char *name = nvfifo_table_word(&r->text), *what;
	const struct block *with;

	if (!strcmp(name, "let"))
		return read_let(r);
	if (strcmp(name, "driver") && strcmp(name, "block") && strcmp(name, "table") && strcmp(name, "with"))
		return read_line(r, name);

	end_group(r);
	what = nvfifo_table_word(&r->text);
	if (!what)
		return nvfifo_table_error(&r->text, "%s: a name is missing", name);

	if (!strcmp(name, "driver")) {
		r->driver = what;
	} else if (!strcmp(name, "table")) {
		r->table = what;
		r->part = PART_TABLE;
	} else if (!strcmp(name, "block")) {
		r->part = PART_BLOCK;
		return NVFIFO_APPEND(all.blocks, all.block_count, (struct block){ .name = what });
	} else {
		with = find_block(what);
		if (!with && strcmp(what, "nothing"))
			return no_block(r, what);
		r->with = with ? *with : (struct block){ 0 };
	}

	return 0;
}

static int take_line(struct nvfifo_table *t, unsigned int depth)
{
	struct reader *r = (struct reader *)t;

	if (!depth)
		return read_head(r);
	if (r->part == PART_TABLE)
		return read_row(r);
	if (r->part == PART_NONE)
		return nvfifo_table_error(t, "a step, but no message before it");

	return read_step(r);
}

/* Read the rows of @text, which is changed and stays in memory. */
static int read_text(const char *name, char *text)
{
	struct reader r = { .text.name = name, .first_step = all.step_count, .first_line = all.line_count };
	int ret = nvfifo_table_read(&r.text, text, take_line);

	end_group(&r);
	return ret;
}

/* --- All of them ------------------------------------------------------------- */

static void read_sources(void)
{
	nvfifo_table_sources(nvfifo_explain_sources, read_text);
}

/* Put the last @count elements of a list of @all first. */
static int move_first(void *list, size_t count, size_t whole, size_t size)
{
	char *first = list, *copy;

	if (!count)
		return 0;

	copy = malloc(count * size);
	if (!copy)
		return nvfifo_error(-ENOMEM, "out of memory");

	memcpy(copy, first + (whole - count) * size, count * size);
	memmove(first + count * size, first, (whole - count) * size);
	memcpy(first, copy, count * size);
	free(copy);

	return 0;
}

int nvfifo_explain_messages(const char *name, const char *text)
{
	size_t lines, rows, steps, blocks;
	char *copy = strdup(text);
	int ret;

	if (!copy)
		return nvfifo_error(-ENOMEM, "out of memory");

	pthread_once(&all.once, read_sources);
	lines = all.line_count;
	rows = all.row_count;
	steps = all.step_count;
	blocks = all.block_count;

	ret = read_text(name, copy);
	if (ret) {
		all.line_count = lines;
		all.row_count = rows;
		all.step_count = steps;
		all.block_count = blocks;
		free(copy);
		return ret;
	}

	ret = move_first(all.lines, all.line_count - lines, all.line_count, sizeof(*all.lines));
	if (!ret)
		ret = move_first(all.rows, all.row_count - rows, all.row_count, sizeof(*all.rows));
	nvfifo_explain_index();

	return ret;
}

size_t nvfifo_explain_lines(const struct explain_line **lines)
{
	pthread_once(&all.once, read_sources);
	*lines = all.lines;

	return all.line_count;
}

const struct explain_step *nvfifo_explain_step(unsigned int number)
{
	return &all.steps[number];
}

const struct explain_row *nvfifo_explain_row(const char *table, const struct explain_row *row)
{
	const struct explain_row *end = all.rows + all.row_count;
	const char *other = NULL;

	/* The rows of a table have its name in one place, and few tables have to be compared. */
	for (row = row ? row + 1 : all.rows; row < end; row++) {
		if (row->table == other)
			continue;
		if (!strcmp(row->table, table))
			return row;
		other = row->table;
	}

	return NULL;
}

const char *nvfifo_explain_text(const char *table, const char *key)
{
	const struct explain_row *row = NULL;

	while ((row = nvfifo_explain_row(table, row))) {
		if (!strcmp(row->key, key))
			return row->text;
	}

	return NULL;
}
