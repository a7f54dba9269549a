// SPDX-License-Identifier: MIT
/* Functions for rows: other lines: programs, errnos, functions, words in a row. */
#define _GNU_SOURCE
#include "nvfifo_explain_table.h"

void nvfifo_explain_errno(struct ctx *c, unsigned int err)
{
	const char *text;
	char key[16];

	snprintf(key, sizeof(key), "%u", err);
	text = nvfifo_explain_text("errno", key);
	if (text)
		means(c, "%s", text);
	num(c, "errno", err);
}

/* A negative number at the end of the line: "validate: -12" */
void nvfifo_explain_last_errno(struct ctx *c, const char *s)
{
	const char *end = s + strlen(s), *p;

	while (end > s && strchr(" .\r", end[-1]))
		end--;
	for (p = end; p > s && isdigit((unsigned char)p[-1]); p--)
		;
	if (p < end && p > s + 1 && p[-1] == '-' && p[-2] == ' ')
		nvfifo_explain_errno(c, (unsigned int)nvfifo_text_value(p, 10));
}

/* "nouveau 0000:01:00.0: Xorg[849]: fail reserve", "nouveau E[Xorg[849]] fail reserve" */
void nvfifo_explain_program(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "nouveau E["), *colon;
	char owner[80];

	if (p && bracket(p + strlen("nouveau E"), owner, sizeof(owner))) {
		str(c, "owner", "%s", owner + strspn(owner, " "));
		return;
	}

	p = strstr(s, "nouveau ");
	p = p ? strstr(p, ": ") : NULL;
	colon = p ? strstr(p + 2, "]: ") : NULL;
	if (colon)
		str(c, "owner", "%.*s", (int)(colon + 1 - p - 2), p + 2);
}

/* "CPU#1: Xorg/849" of Linux 7 */
static void warning_program(struct ctx *c, const char *s)
{
	const char *name = strstr(s, "CPU#"), *slash;

	name = name ? strstr(name, ": ") : NULL;
	slash = name ? strrchr(name, '/') : NULL;
	if (!slash)
		return;

	str(c, "owner", "%.*s[%.*s]", (int)(slash - name - 2), name + 2,
	    (int)strspn(slash + 1, "0123456789"), slash + 1);
}

/*
 * "WARNING: CPU: 1 PID: 11 at drivers/gpu/drm/nouveau/nvkm/engine/fifo/g84.c:132 g84_ectx_bind+0x1c2/0x1e0",
 * and of Linux 7 "WARNING: drivers/.../g84.c:132 at g84_ectx_bind+0x1c2/0x1e0, CPU#1: Xorg/849"
 */
void nvfifo_explain_warning(struct ctx *c, const char *s)
{
	const char *file = strstr(s, "nouveau/"), *function = strstr(s, "+0x");
	__s64 n;

	while (function && function > s && (isalnum((unsigned char)function[-1]) || function[-1] == '_'))
		function--;
	if (function)
		str(c, "function", "%.*s", (int)strcspn(function, "+"), function);
	else
		str(c, "function", "%s", c->kind->also);
	if (file)
		str(c, "file", "%.*s", (int)strcspn(file + 8, " "), file + 8);
	if (dec(s, "PID", &n))
		num(c, "pid", n);
	warning_program(c, s);
}

/* "nouveau 0000:01:00.0: timeout": a word between them is a unit's name, as in "drm: base-0: timeout". */
void nvfifo_explain_lone_timeout(struct ctx *c, const char *s)
{
	const char *p = strstr(s, ": timeout"), *end = p + strlen(": timeout");

	c->declined = p - s < 7 || p[-2] != '.' || end[strspn(end, " \r")];
}

/* The generation of a class that only chips of other generations have, or NULL */
static const char *class_generation(__u32 oclass)
{
	/* Of classes that exist in other generations only, by the lower byte */
	static const __u8 lows[] = { 0x97, 0xc0, 0x6f, 0xb5, 0x39, 0x2d, 0x40, 0x6e, 0x96, 0x56 };
	const struct explain_row *row = NULL;
	__u64 first, last;
	const char *end;

	if (nvfifo_class_exists(0, oclass) || oclass > 0xffff || !memchr(lows, (int)(oclass & 0xff), sizeof(lows)))
		return NULL;

	while ((row = nvfifo_explain_row("class_generation", row))) {
		end = nvfifo_text_read(row->key, 16, &first);
		last = end && *end == '-' ? nvfifo_text_value(end + 1, 16) : first;
		if (oclass >> 8 >= first && oclass >> 8 <= last)
			return row->text;
	}

	return NULL;
}

/* A class that chips of another generation have, and none of this family */
void nvfifo_explain_other_class(struct ctx *c, const char *s)
{
	const char *generation = NULL;
	__u64 oclass = 0;

	if (hex(s, "class", &oclass))
		generation = class_generation((__u32)oclass);
	if (!generation) {
		c->declined = true;
		return;
	}

	hexnum(c, "object_class", 4, oclass);
	str(c, "generation", "%s", generation);
	str(c, "meaning", "a class that no chip of this family has");
	advise(c, "This card is not of the NV50 family (G80 to MCP89): class %04" PRIx64 " is one of %s. The line is not explained here.",
	       (uint64_t)oclass, generation);
}

/* The procedure of "[drm] *ERROR* TLB flush did not end in 2000 ms" */
void nvfifo_explain_wait(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " did not end"), *from = p;

	while (from > s && from[-1] != ':' && from[-1] != ']')
		from--;
	from += strspn(from, " ");
	str(c, "wait", "%.*s", (int)(p - from), from);
}

void nvfifo_explain_boot_0(struct ctx *c, const char *s)
{
	const char *name;
	__u64 v;

	if (!hex(s, "PMC_BOOT_0", &v) && !hex(s, "PMC_BOOT_0 is", &v))
		return;

	name = nvfifo_chipset_name((__u32)v >> 20 & 0x1ff);
	means(c, "chipset %03x, %s", (__u32)v >> 20 & 0x1ff, name ? name : "not this family");
	hexnum(c, "boot_0", 8, v);
}

/* WORD DIGITS FIELD...: the hexadecimal numbers after the word, as many as there are */
void nvfifo_explain_numbers(struct ctx *c, const char *s)
{
	const unsigned int digits = (unsigned int)nvfifo_text_value(c->args[1], 10);
	const char *p = find(s, c->args[0]), *const *field;
	__u64 v;

	for (field = c->args + 2; p && *field; field++) {
		p = hex_at(p, &v);
		if (p)
			hexnum(c, *field, digits, v);
	}
}

bool nvfifo_explain_all_ones(struct ctx *c, __u64 v)
{
	if (v != 0xffffffff)
		return false;
	str(c, "meaning", "all ones: the card no longer answers, this is not a status");
	advise(c, "The card is gone from the bus or powered down; nothing that the log says after this line is about the card.");
	return true;
}

void nvfifo_explain_register_bits(struct ctx *c, const char *field, const char *reg, __u32 v)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;

	hexnum(c, field, 8, v);
	if (nvfifo_explain_all_ones(c, v) || nvfifo_reg_parse(reg, c->chipset, &ref))
		return;

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		if (v & nvfifo_reg_mask(f))
			str(c, f->name, "1");
	}
}

/* The interrupt, why a method was refused, the method and its data: "00000001 00000010 0000018c 00000007" */
void nvfifo_explain_mpeg(struct ctx *c, const char *s)
{
	static const char *const names[] = { "interrupt", "fifo_error", "method", "data" };
	const struct nvfifo_name *bits[] = { nvfifo_mpeg_intr_bits, nvfifo_mpeg_error_bits };
	const char *p = strcasestr(s, "mpeg");
	__u64 w[4];
	size_t i;

	p = p ? p + strlen("mpeg") : s;
	if (*p == ']')
		p = strchr(p + 1, ']');
	if (p && find(p, "ch")) {
		nvfifo_explain_method_channel(c, p);
		p = strrchr(p, ']');
	}

	if (p)
		p += strspn(p, "]:- ");

	for (i = 0; i < 4 && p; i++)
		p = hex_at(p, &w[i]);
	if (!p) {
		c->declined = true;
		return;
	}

	for (i = 0; i < 4; i++) {
		str(c, names[i], i == 2 ? "%04" PRIx64 : "%08" PRIx64, (uint64_t)w[i]);
		if (i == 0 && nvfifo_explain_all_ones(c, w[i]))
			return;
		if (i < 2)
			put_bits(c, i ? "fifo_error_bits" : "interrupt_bits", bits[i], (__u32)w[i]);
	}

	advise(c, "PMPEG refused a method or its command buffer; FIFO_ERR says that the method and data are those.");
}

/* The code of "ERROR 5 [INVALID_STATE] 06 [] chid 1" */
void nvfifo_explain_second_code(struct ctx *c, const char *s)
{
	char text[40];
	__u64 v;
	__s64 n;
	const char *p = bracket(dec(s, "ERROR", &n), text, sizeof(text));

	if (p && hex_at(p, &v))
		hexnum(c, "code", 2, v);
}
