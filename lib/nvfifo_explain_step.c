// SPDX-License-Identifier: MIT
/* The steps of a row: each reads a value of the line and sets a field. */
#define _GNU_SOURCE
#include "nvfifo_explain_priv.h"
#include "nvfifo_methods.h"

/* --- Numbers ----------------------------------------------------------------- */

static void hex_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	hexnum(c, step->field, step->digits, v);
}

static void plain_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	num(c, step->field, (__s64)v);
}

static void va_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	(void)step;
	hexnum(c, "va", 10, v);
	num(c, "pde_index", (__s64)(v >> 29));
	num(c, "pte_index_4k", (__s64)(v >> 12 & 0x1ffff));
	num(c, "pte_index_64k", (__s64)(v >> 16 & 0x1fff));
}

static void desc_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	nvfifo_explain_desc(c, step->field, v, step->digits);
}

static void method_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	const char *name = nvfifo_method_name(field_value(c, "object_class"), (__u32)v);

	(void)step;
	if (name)
		means(c, "%s", name);
	hexnum(c, "method", 4, v);
}

static void class_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	const char *name = nvfifo_class_name((__u32)v);

	if (name)
		means(c, "%s", name);
	hexnum(c, step->field, 4, v);
}

/* The data in words, if the class and the method are known */
static void data_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	const __u32 data = (__u32)v;
	char text[200], number[24];
	unsigned int form;

	if (field(c, "object_class") && field(c, "method") &&
	    nvfifo_method_get(field_value(c, "object_class"), field_value(c, "method"), &form)) {
		nvfifo_form_text(form, data, text, sizeof(text));
		snprintf(number, sizeof(number), data ? "0x%x" : "%u", data);
		if (strcmp(text, number))
			means(c, "%s", text);
	}

	hexnum(c, step->field, 8, data);
}

/* PMC.BOOT_0, with the chip's name */
static void boot_0_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	const __u32 chipset = (__u32)v >> 20 & 0x1ff;
	const char *name = nvfifo_chipset_name(chipset);

	if (!name)
		name = "not this family";
	if (step->means)
		means(c, "%s: %s", step->means, name);
	else
		means(c, "chipset %03x, %s", chipset, name);
	hexnum(c, step->field, 8, v);
}

static void bits_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	put_bits(c, step->field, step->table, (__u32)v);
}

/* The meanings of all bits that are set, as words for the next field. */
void nvfifo_explain_bits_mean(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	for (; bits->name; bits++) {
		if (v & bits->value && bits->means)
			nvfifo_text_add(c->means, sizeof(c->means), "%s%s", *c->means ? "; " : "", bits->means);
	}
}

/* The same with the meaning of each bit */
static void meanings_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	nvfifo_explain_bits_mean(c, step->table, (__u32)v);
	put_bits(c, step->field, step->table, (__u32)v);
}

static void names_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	char names[400];

	nvfifo_bits_text(step->table, (__u32)v, "UNK", " ", names, sizeof(names));
	str(c, step->field, "%s", names);
}

static void name_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	const struct nvfifo_name *n = nvfifo_name_find(step->table, (__u32)v);

	if (n && n->means)
		means(c, "%s", n->means);
	str(c, step->field, "%s", n ? n->name : "");
}

/* A number with the names of the bits in a register of the chipset */
static void register_value(struct ctx *c, const struct explain_step *step, __u64 v)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;

	hexnum(c, step->field, 8, v & 0xffffffff);
	if (v == 0xffffffff) {
		str(c, "meaning", "all ones: the card no longer answers, this is not a status");
		advise(c, "The card is gone from the bus or powered down; nothing that the log says after this line is about the card.");
		return;
	}

	if (nvfifo_reg_parse(step->names[STEP_NAMES - 1], c->chipset, &ref))
		return;

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		if (v & nvfifo_reg_mask(f))
			str(c, f->name, "1");
	}
}

/* --- Texts ------------------------------------------------------------------- */

/* A decimal number, also one below 0 */
static void number_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	__s64 v;
	size_t i;

	for (i = 0; step->names[i]; i++) {
		if (dec(s, step->names[i], &v)) {
			num(c, step->field, v);
			return;
		}
	}
}

/* The number that the MMU has for an engine, with its name */
static void engine_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	__s64 v;

	if (!dec(s, step->names[0], &v))
		return;

	means(c, "%s", nvfifo_fault_engine(c->chipset, (unsigned int)v));
	num(c, step->field, v);
}

/* The decimal number in front of the text */
static void count_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p = strstr(s, step->names[0]);

	while (p && p > s && isdigit((unsigned char)p[-1]))
		p--;
	if (p && isdigit((unsigned char)*p))
		num(c, step->field, nvfifo_text_value(p, 10));
}

/* The word in front of the text, up to a blank */
static void before_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *end = strstr(s, step->names[0]), *from = end;

	while (from > s && from[-1] != ' ')
		from--;
	if (end && end > from)
		str(c, step->field, "%.*s", (int)(end - from), from);
}

/* The text in the bracket after one of the words, or after its number */
static void bracket_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p = NULL;
	char text[80];
	size_t i;

	for (i = 0; step->names[i] && !p; i++)
		p = find(s, step->names[i]);
	if (!p)
		return;

	p += strspn(p, " ");
	p += strspn(p, "-0123456789abcdefx");
	if (bracket(p, text, sizeof(text)))
		str(c, step->field, "%s", text);
}

/*
 * Names of bits, or of a code, up to the end of the line, a mark or the channel. Return: their value, 0 for another text.
 * "(unknown bits 00400000)" are bits without a name.
 */
static __u32 value_of_names(const struct nvfifo_name *table, const char *s)
{
	const struct nvfifo_name *n;
	__u32 bits = 0;
	size_t len;
	__u64 v;

	for (s += strspn(s, " -"); *s && !strchr("\r]-", *s) && strncmp(s, "ch ", 3) && strncmp(s, ": ch ", 5);
	     s += strspn(s, " ")) {
		len = strcspn(s, " \r:]");
		n = name_of_text(table, s, len);
		if (n) {
			bits |= n->value;
			s += len;
		} else if (!strncmp(s, "(unknown bits ", 14) && hex_at(s + 14, &v)) {
			bits |= (__u32)v;
			s += strcspn(s, ")");
			s += *s == ')';
		} else {
			return 0;
		}
	}

	return bits;
}

/* The number of the bits or of the code whose names follow one of the texts */
static void named_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p;
	__u32 v = 0;
	size_t i;

	for (i = 0; step->names[i] && !v; i++) {
		p = strstr(s, step->names[i]);
		if (p)
			v = value_of_names(step->table, p + strlen(step->names[i]));
	}

	if (v)
		hexnum(c, step->field, 8, v);
}

/* The text itself is a name of the table: "SEMAPHORE ADDRESS_UNALIGNED". */
static void code_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const struct nvfifo_name *n;
	const char *p = strstr(s, step->names[0]);

	if (!p)
		return;

	p += strlen(step->names[0]);
	p += strspn(p, " -");
	n = name_of_text(step->table, p, strcspn(p, " ,:]\r"));
	if (!n)
		return;

	if (n->means)
		means(c, "%s", n->means);
	str(c, step->field, "%s", n->name);
}

/* Eight digits in front of the names of their bits: "TRAP_MP - TP4: 00000003 [LOCAL_LIMIT_READ]" */
static void status_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p = strstr(s, step->names[0]);

	p = p ? strchr(p, '[') : NULL;
	if (p && p - s > 9 && nvfifo_text_digits(p - 9, 16) == 8)
		hexnum(c, step->field, 8, nvfifo_text_value(p - 9, 16));
}

/* "data 00000001", or both halves: "data 0000000000000001", "Data 0x00000000:0x00000001" */
static void data_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *start = find(s, step->names[0]), *end;
	char high[40];
	__u64 v, low;

	end = hex(s, step->names[0], &v);
	if (!end)
		return;

	start += strspn(start, " ");
	if (*end == ':' && hex_at(end + 1, &low))
		v = v << 32 | (low & 0xffffffff);
	if (*end == ':' || end - start == 16) {
		snprintf(high, sizeof(high), "%.30s_high", step->field);
		hexnum(c, high, 8, v >> 32);
	}

	data_value(c, step, v);
}

/* Two numbers: "opcode f0000001 e0000000" */
static void pair_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *end = NULL;
	__u64 v, high;
	size_t i;

	for (i = 0; step->names[i] && !end; i++)
		end = hex(s, step->names[i], &v);
	if (end && hex_at(end, &high))
		str(c, step->field, "%08" PRIx64 " %08" PRIx64, (uint64_t)v, (uint64_t)high);
}

/* The word after the text; a colon before a blank ends it. */
static void word_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p = find(s, step->names[0]);
	size_t len;

	if (!p)
		return;

	p += strspn(p, " ");
	len = strcspn(p, " ,[");
	len -= len && p[len - 1] == ':';
	str(c, step->field, "%.*s", (int)len, p);
}

/* The rest of the line after the text */
static void after_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p = strstr(s, step->names[0]);

	if (!p)
		return;

	p += strlen(step->names[0]);
	p += strspn(p, " ");
	if (*p)
		str(c, step->field, "%.80s", p);
}

/* The text and the rest of the line */
static void rest_text(struct ctx *c, const struct explain_step *step, const char *s)
{
	const char *p = strstr(s, step->names[0]);

	if (p)
		str(c, step->field, "%.200s", p);
}

const struct explain_type nvfifo_explain_types[] = {
	{ "number", ARGUMENT_NONE, NULL, number_text },
	{ "count", ARGUMENT_NONE, NULL, count_text },
	{ "hex", ARGUMENT_DIGITS, hex_value, NULL },
	{ "decimal", ARGUMENT_NONE, plain_value, NULL },
	{ "va", ARGUMENT_NONE, va_value, NULL },
	{ "engine", ARGUMENT_NONE, NULL, engine_text },
	{ "desc", ARGUMENT_DIGITS, desc_value, NULL },
	{ "class", ARGUMENT_NONE, class_value, NULL },
	{ "method", ARGUMENT_NONE, method_value, NULL },
	{ "data", ARGUMENT_NONE, data_value, data_text },
	{ "boot_0", ARGUMENT_NONE, boot_0_value, NULL },
	{ "bits", ARGUMENT_TABLE, bits_value, NULL },
	{ "meanings", ARGUMENT_TABLE, meanings_value, NULL },
	{ "names", ARGUMENT_TABLE, names_value, NULL },
	{ "name", ARGUMENT_TABLE, name_value, NULL },
	{ "register", ARGUMENT_REGISTER, register_value, NULL },
	{ "code", ARGUMENT_TABLE, NULL, code_text },
	{ "named", ARGUMENT_TABLE, NULL, named_text },
	{ "status", ARGUMENT_NONE, NULL, status_text },
	{ "pair", ARGUMENT_NONE, NULL, pair_text },
	{ "word", ARGUMENT_NONE, NULL, word_text },
	{ "before", ARGUMENT_NONE, NULL, before_text },
	{ "bracket", ARGUMENT_NONE, NULL, bracket_text },
	{ "rest", ARGUMENT_NONE, NULL, rest_text },
	{ "after", ARGUMENT_NONE, NULL, after_text },
	{ 0 }
};

const struct explain_names nvfifo_explain_names[] = {
	{ "pull0", nvfifo_pull0_bits },
	{ "dma_push", nvfifo_dma_push_bits },
	{ "pfifo_intr", nvfifo_pfifo_intr_bits },
	{ "pgraph_intr", nvfifo_pgraph_intr_bits },
	{ "pgraph_status", nvfifo_pgraph_status_bits },
	{ "trap", nvfifo_trap_bits },
	{ "trap_prop", nvfifo_trap_prop_bits },
	{ "trap_tex", nvfifo_trap_tex_bits },
	{ "trap_mp", nvfifo_trap_mp_bits },
	{ "trap_mp_exec", nvfifo_trap_mp_exec_bits },
	{ "trap_m2mf", nvfifo_trap_m2mf_bits },
	{ "trap_dispatch", nvfifo_trap_dispatch_bits },
	{ "trap_fault", nvfifo_trap_fault_bits },
	{ "cipher_intr", nvfifo_cipher_intr_bits },
	{ "falcon_intr", nvfifo_falcon_intr_bits },
	{ "mpeg_intr", nvfifo_mpeg_intr_bits },
	{ "mpeg_error", nvfifo_mpeg_error_bits },
	{ "data_errors", nvfifo_data_errors },
	{ "pusher_errors", nvfifo_pusher_errors },
	{ "semaphore_errors", nvfifo_semaphore_errors },
	{ "fault_reasons", nvfifo_fault_reasons },
	{ "kinds", nvfifo_kind_names },
	{ 0 }
};

const struct nvfifo_name *nvfifo_explain_table(const char *name)
{
	const struct explain_names *n;

	for (n = nvfifo_explain_names; n->name && strcmp(n->name, name); n++)
		;

	return n->table;
}

/* --- Steps ------------------------------------------------------------------- */

/* @text with the fields so far instead of {FIELD} */
static const char *with_fields(const struct ctx *c, const char *text, char *out, size_t size)
{
	const char *brace, *value;
	char name[40];
	size_t len;

	out[0] = '\0';
	while ((brace = strchr(text, '{'))) {
		len = strcspn(brace + 1, "}");
		snprintf(name, sizeof(name), "%.*s", (int)len, brace + 1);
		value = nvfifo_row_get(&c->e->fields, name);
		nvfifo_text_add(out, size, "%.*s%s", (int)(brace - text), text, value ? value : "");
		text = brace + 1 + len;
		text += *text == '}';
	}

	if (!*out)
		return text;

	nvfifo_text_add(out, size, "%s", text);
	return out;
}

static bool holds(const struct ctx *c, const char *s, const struct explain_step *step)
{
	const char *text;

	if (!step->on_field)
		return has_text(s, step->on_text);

	text = nvfifo_row_get(&c->e->fields, step->on_field);
	return text && (!step->on_text || strstr(text, step->on_text));
}

/* The value in a field, in the base in which it is written */
static bool value_of_field(const struct ctx *c, const char *name, __u64 *v)
{
	const struct nvfifo_row *r = &c->e->fields;
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (!strcmp(r->fields[i].name, name))
			return nvfifo_text_read(r->fields[i].text, r->fields[i].kind == NVFIFO_VALUE_NUMBER ? 10 : 16, v);
	}

	return false;
}

static bool value_of_line(const char *s, const struct explain_step *step, __u64 *v)
{
	size_t i;

	for (i = 0; step->names[i]; i++) {
		if (hex(s, step->names[i], v))
			return true;
	}

	return false;
}

static void set_field(struct ctx *c, const char *s, const struct explain_step *step)
{
	bool found;
	__u64 v = 0;

	if (step->means)
		means(c, "%s", step->means);

	if (step->type->text && !step->source) {
		step->type->text(c, step, s);
	} else {
		found = step->source ? value_of_field(c, step->source, &v) : value_of_line(s, step, &v);
		if (found)
			step->type->value(c, step, v >> step->low & step->mask);
	}

	c->means[0] = '\0';
}

/* From the text on, or from a little before the text by which the line is known */
static const char *from(const struct ctx *c, const char *s, const char *text)
{
	const char *p = strstr(s, text ? text : c->kind->anchor);

	if (!p)
		return s;
	if (!text && p - s > 8)
		return p - 8;

	return text ? p : s;
}

bool nvfifo_explain_steps(struct ctx *c, const char *s, unsigned int first, unsigned int count)
{
	const struct explain_step *step = nvfifo_explain_step(first), *end = step + count;
	char text[sizeof(c->e->advice)];

	for (; step < end; step++) {
		if ((step->on_field || step->on_text) && holds(c, s, step) == step->negate)
			continue;

		switch (step->op) {
		case STEP_FIELD:
			set_field(c, s, step);
			break;
		case STEP_TEXT:
			if (step->means)
				means(c, "%s", step->means);
			str(c, step->field, "%s", with_fields(c, step->text, text, sizeof(text)));
			break;
		case STEP_ADVICE:
			advise(c, "%s", with_fields(c, step->text, text, sizeof(text)));
			break;
		case STEP_FROM:
			s = from(c, s, step->text);
			break;
		case STEP_DO:
			c->args = step->names;
			if (step->run)
				step->run(c, s);
			else if (!nvfifo_explain_steps(c, s, step->first, step->count))
				return false;
			break;
		case STEP_STOP:
			return false;
		case STEP_DECLINE:
			c->declined = true;
			return false;
		}

		if (c->declined || c->err)
			return false;
	}

	return true;
}
