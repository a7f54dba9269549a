// SPDX-License-Identifier: MIT
/* Functions for rows: programs, errnos, words in a row, libdrm's request, registers. */
#define _GNU_SOURCE
#include "nvfifo_explain_priv.h"

/* --- Tables of rows ---------------------------------------------------------- */

/* The text of the row whose key is the value, or a range "40-44" that has it, or NULL. */
static const char *row_of(const char *table, const char *value)
{
	const __u64 v = nvfifo_text_value(value, 16);
	const struct explain_row *row = NULL;
	const char *end;
	__u64 first;

	while ((row = nvfifo_explain_row(table, row))) {
		if (!strcmp(row->key, value))
			return row->text;

		end = nvfifo_text_read(row->key, 16, &first);
		if (end && *end == '-' && v >= first && v <= nvfifo_text_value(end + 1, 16))
			return row->text;
	}

	return NULL;
}

/* TABLE FIELD: the row of the field's value has its meaning in words, and after '#' advice. */
static void lookup(struct ctx *c, const char *s)
{
	const char *value = field(c, c->args[1]), *text = value ? row_of(c->args[0], value) : NULL, *hash;
	size_t len;

	(void)s;
	if (!text)
		return;

	hash = strstr(text, "# ");
	len = hash ? (size_t)(hash - text) : strlen(text);
	while (len && text[len - 1] == ' ')
		len--;

	if (len) {
		means(c, "%.*s", (int)len, text);
		put(c, c->args[1], NVFIFO_VALUE_STRING, value);
	}

	if (hash)
		advise(c, "%s", hash + 2);
}

/* --- Numbers ----------------------------------------------------------------- */

/* A negative number at the end of the line: "validate: -12" */
static void last_errno(struct ctx *c, const char *s)
{
	const char *end = s + strlen(s), *p;

	while (end > s && strchr(" .\r", end[-1]))
		end--;
	for (p = end; p > s && isdigit((unsigned char)p[-1]); p--)
		;
	if (p < end && p > s + 1 && p[-1] == '-' && p[-2] == ' ')
		num(c, "errno", (__s64)nvfifo_text_value(p, 10));
}

/*
 * WORD DIGITS FIELD...: the hexadecimal numbers after the word, with blanks or commas between them, if there are so
 * many. "-" is a word that has no field.
 */
static void numbers(struct ctx *c, const char *s)
{
	const unsigned int digits = (unsigned int)nvfifo_text_value(c->args[1], 10);
	const char *p = find(s, c->args[0]);
	__u64 v[STEP_NAMES];
	size_t i;

	for (i = 2; p && c->args[i]; i++) {
		p += strspn(p, " ,-");
		if (strcmp(c->args[i], "-"))
			p = hex_at(p, &v[i]);
		else
			p += strcspn(p, " ,");
	}

	for (i = 2; p && c->args[i]; i++) {
		if (strcmp(c->args[i], "-"))
			hexnum(c, c->args[i], digits, v[i]);
	}
}

/* FIELD END START DIVISOR [WORDS]: the field is the distance of two others, also in words. */
static void distance(struct ctx *c, const char *s)
{
	const char *end = field(c, c->args[1]), *start = field(c, c->args[2]);
	const __s64 n = (__s64)(nvfifo_text_value(end, 16) - nvfifo_text_value(start, 16));

	(void)s;
	if (!start || !end || n < 0)
		return;

	if (c->args[4])
		means(c, "%" PRId64 " %s", (int64_t)n / 4, c->args[4]);
	num(c, c->args[0], n / (__s64)nvfifo_text_value(c->args[3], 10));
}

/* --- Programs and functions -------------------------------------------------- */

/* "nouveau 0000:01:00.0: Xorg[849]: fail reserve", "nouveau E[Xorg[849]] fail reserve" */
static void program(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "nouveau E["), *colon;
	char name[80];

	if (p && bracket(p + strlen("nouveau E"), name, sizeof(name))) {
		str(c, "owner", "%s", name + strspn(name, " "));
		return;
	}

	p = strstr(s, "nouveau ");
	p = p ? strstr(p, ": ") : NULL;
	colon = p ? strstr(p + 2, "]: ") : NULL;
	if (colon)
		str(c, "owner", "%.*s", (int)(colon + 1 - p - 2), p + 2);
}

/* "CPU#1: Xorg/849" of a WARNING of Linux 7 */
static void warning_program(struct ctx *c, const char *s)
{
	const char *name = strstr(s, "CPU#"), *slash;

	name = name ? strstr(name, ": ") : NULL;
	slash = name ? strrchr(name, '/') : NULL;
	if (slash)
		str(c, "owner", "%.*s[%.*s]", (int)(slash - name - 2), name + 2,
		    (int)strspn(slash + 1, "0123456789"), slash + 1);
}

/* "nouveau 0000:01:00.0: timeout": a word between them is a unit's name, as in "drm: base-0: timeout". */
static void lone_timeout(struct ctx *c, const char *s)
{
	const char *p = strstr(s, ": timeout"), *end = p + strlen(": timeout");

	c->declined = p - s < 7 || p[-2] != '.' || end[strspn(end, " \r")];
}

/* The procedure of "[drm] *ERROR* TLB flush did not end in 2000 ms" */
static void wait(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " did not end"), *from = p;

	while (from > s && from[-1] != ':' && from[-1] != ']')
		from--;
	from += strspn(from, " ");
	str(c, "wait", "%.*s", (int)(p - from), from);
}

/* A class that chips of another generation have, and none of this family */
static void other_class(struct ctx *c, const char *s)
{
	/* Of classes that exist in other generations only, by the lower byte */
	static const __u8 lows[] = { 0x97, 0xc0, 0x6f, 0xb5, 0x39, 0x2d, 0x40, 0x6e, 0x96, 0x56 };
	const char *generation = NULL;
	__u64 oclass = 0;
	char high[8];

	if (hex(s, "class", &oclass) && !nvfifo_class_exists(0, (__u32)oclass) && oclass <= 0xffff &&
	    memchr(lows, (int)(oclass & 0xff), sizeof(lows))) {
		snprintf(high, sizeof(high), "%02x", (unsigned int)(oclass >> 8));
		generation = row_of("class_generation", high);
	}

	c->declined = !generation;
	if (!generation)
		return;

	hexnum(c, "object_class", 4, oclass);
	str(c, "generation", "%s", generation);
	str(c, "meaning", "a class that no chip of this family has");
	advise(c, "This card is not of the NV50 family (G80 to MCP89): class %04" PRIx64 " is one of %s. The line is not explained here.",
	       (uint64_t)oclass, generation);
}

/* --- libdrm's dump of a request ----------------------------------------------- */

/* Is one of the texts of a list, with '|' between them, in @s? */
static bool has_one_of(const char *s, const char *list)
{
	char text[80];
	size_t len;

	for (; *list; list += len + (list[len] == '|')) {
		len = strcspn(list, "|");
		snprintf(text, sizeof(text), "%.*s", (int)len, list);
		if (strcasestr(s, text))
			return true;
	}

	return false;
}

/* The errno of a text in some language */
static void errno_text(struct ctx *c, const char *s)
{
	const struct explain_row *row = NULL;

	while ((row = nvfifo_explain_row("errno_text", row))) {
		if (has_one_of(s, row->text)) {
			num(c, "errno", (__s64)nvfifo_text_value(row->key, 10));
			return;
		}
	}
}

/* --- Registers ----------------------------------------------------------------- */

/* A number of at least @least digits, or one with "0x". Return: the text after it, or NULL. */
static const char *read_hex(const char *s, size_t least, __u32 *value)
{
	size_t len;

	if (nvfifo_text_is_0x(s)) {
		s += 2;
		least = 1;
	}

	len = nvfifo_text_digits(s, 16);
	if (len < least || len > 8)
		return NULL;

	*value = (__u32)nvfifo_text_value(s, 16);
	return s + len;
}

/* The register of an address with a name. The first 256 bytes may be offsets of other things. */
static bool at_address(const char *text, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	__u32 address;
	const char *end = read_hex(text, 6, &address);

	if (!end || *end || address < 0x100 || address >= NVFIFO_BAR0_BYTES || address % 4)
		return false;

	nvfifo_reg_at(address, chipset, ref);
	return ref->reg;
}

/* Advice for the registers whose fields say something together */
static void register_advice(struct ctx *c, const struct nvfifo_reg *reg, __u32 v)
{
	char units[400];

	if (v == 0xffffffff) {
		advise(c, "All ones: the register or its unit is off, or the card is gone from the bus.");
	} else if (!strcmp(reg->name, "STATUS") && !strcmp(reg->block, "PGRAPH")) {
		nvfifo_bits_text(nvfifo_pgraph_status_bits, v & ~1u, "UNK", " ", units, sizeof(units));
		advise(c, v ? "PGRAPH is busy: %s. CTXPROG means that a context switch waits for the others." :
			      "PGRAPH is idle.%s", units);
	} else if (!strncmp(reg->name, "VSTATUS_", 8)) {
		nvfifo_vstatus_text(nvfifo_text_digit(reg->name[8]), v, 1, units, sizeof(units));
		advise(c, *units ? "Busy: %s." : "No unit of this group is busy.%s", units);
	} else if (!strcmp(reg->name, "INTR") || !strcmp(reg->name, "INTR_HOST")) {
		advise(c, v ? "Interrupts that are not handled yet." : "No interrupt is pending.");
	} else {
		advise(c, "A value of a register, no message of the driver. 'nvfifo peek --reads FILE' reads lists of them, in other forms, too.");
	}
}

/* The register and the value of a line that has nothing else. */
static bool read_line(const struct ctx *c, const char *s, struct nvfifo_reg_ref *ref, __u32 *value)
{
	char name[NVFIFO_REG_NAME_MAX];
	const char *end;
	size_t len, gap;
	bool marked;

	s += strspn(s, " \t*-#>");
	len = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.[]");
	gap = strspn(s + len, " \t:=");
	if (len < 3 || len >= sizeof(name) || !gap)
		return false;

	/* A short value needs a sign that it is one. */
	marked = strcspn(s + len, ":=") < gap;
	end = read_hex(s + len + gap, marked ? 1 : 8, value);
	if (!end || end[strspn(end, " \t\r")])
		return false;

	snprintf(name, sizeof(name), "%.*s", (int)len, s);
	if (isdigit((unsigned char)*name))
		return at_address(name, c->chipset, ref);

	return !nvfifo_reg_typed(name, c->chipset, ref);
}

/*
 * A line that has a register and its value only, from a script, a debugger or a person. Examples are
 * "PGRAPH_STATUS 00000503", "0x400700 = 0x503", and "00400700: 00000503" of nvapeek. The whole line
 * has that form, so that no other text is taken for it.
 */
static void explain_register(struct ctx *c, const char *s)
{
	char name[NVFIFO_REG_NAME_MAX], text[NVFIFO_REG_VALUE_MAX];
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;
	__u32 v, bits;

	if (!read_line(c, s, &ref, &v)) {
		c->declined = true;
		return;
	}

	nvfifo_reg_name(&ref, name);
	means(c, "%06x", ref.address);
	str(c, "register", "%s", name);
	nvfifo_reg_value(ref.reg, NULL, v, text);
	means(c, "%s", text);
	hexnum(c, "value", 8, v);

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		bits = (v & nvfifo_reg_mask(f)) >> f->lo;
		if (!bits)
			continue;

		nvfifo_reg_value(ref.reg, f, v, text);
		means(c, "%s", text);
		str(c, f->name, "%x", bits);
	}

	str(c, "meaning", "a value of the register, read by someone");
	register_advice(c, ref.reg, v);
}

const struct explain_function nvfifo_explain_others[] = {
	{ "distance", distance },
	{ "errno_text", errno_text },
	{ "last_errno", last_errno },
	{ "lone_timeout", lone_timeout },
	{ "lookup", lookup },
	{ "numbers", numbers },
	{ "other_class", other_class },
	{ "program", program },
	{ "register", explain_register },
	{ "wait", wait },
	{ "warning_program", warning_program },
	{ 0 }
};
