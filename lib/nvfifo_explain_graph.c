// SPDX-License-Identifier: MIT
/* Functions for rows: lines about PGRAPH: its units, refused methods and their data. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_methods.h"

#define IDLE_TEXT "PGRAPH not idle 2 s after PFIFO fetch was paused; 3-bit unit states, 1 = busy"

/* The units of a VSTATUS word by state; @number tells its fields from those of the others. */
static void vstatus_states(struct ctx *c, unsigned int reg, __u32 v, const char *number)
{
	static const struct {
		unsigned int state;
		const char *name;
	} states[] = {
		{ 1, "busy" }, { 3, "waiting" }, { 5, "blocked" }, { 7, "paused" },
	};
	char names[160], key[24];
	unsigned int i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		nvfifo_vstatus_text(reg, v, states[i].state, names, sizeof(names));
		snprintf(key, sizeof(key), "%s%s", states[i].name, number);
		if (*names || (!*number && states[i].state == 1))
			str(c, key, "%s", names);
	}
}

void nvfifo_explain_vstatus(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "VSTATUS");
	unsigned int reg;
	__u64 v;

	reg = nvfifo_text_digit(p[7]);
	if (reg > 2 || !hex_at(p + 8, &v)) {
		c->declined = true;
		return;
	}

	num(c, "register", reg);
	hexnum(c, "status", 8, v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	vstatus_states(c, reg, (__u32)v, "");
	str(c, "meaning", IDLE_TEXT);
	advise(c, "%s", v ? "A unit that stays busy waits for another or hangs." : "No unit of this group is busy.");
}

/* Older kernels print PGRAPH_STATUS and the three VSTATUS words in one line, newer ones in more. */
void nvfifo_explain_idle_timeout(struct ctx *c, const char *s)
{
	static const char *const names[] = { "status", "vstatus0", "vstatus1", "vstatus2" };
	static const char *const numbers[] = { "0", "1", "2" };
	const char *p = strcasestr(s, "timeout");
	__u64 w[4] = { 0 };
	char units[400];
	unsigned int i;

	for (i = 0; i < 4 && p; i++) {
		p = strstr(p, "0x");
		if (!p || !hex_at(p, &w[i]))
			break;
		p += 2;
	}

	str(c, "meaning", IDLE_TEXT);
	if (i < 4) {
		advise(c, i ? "The line should have four words, STATUS and VSTATUS0 to 2; which of them is missing here cannot be told."
			    : "The lines that follow tell which units were busy.");
		return;
	}

	for (i = 0; i < 4; i++)
		hexnum(c, names[i], 8, w[i]);
	if (nvfifo_explain_all_ones(c, w[0]))
		return;

	nvfifo_bits_text(nvfifo_pgraph_status_bits, (__u32)w[0], "UNK", " ", units, sizeof(units));
	str(c, "units", "%s", units);

	for (i = 0; i < 3; i++)
		vstatus_states(c, i, (__u32)w[i + 1], numbers[i]);
	advise(c, "A unit that stays busy waits for another or hangs; CTXPROG means that a context switch did not end.");
}

/* Kernels before 4.3 print the name only, and 2.6.3x have two other names. */
static void old_data_error(struct ctx *c, const char *s)
{
	static const struct {
		const char *old;
		const char *name;
	} renamed[] = {
		{ "MP_NO_REG_SPACE", "CP_NO_REG_SPACE_STRIPED" },
		{ "MP_BLOCK_SIZE_MISMATCH", "CP_BLOCK_SIZE_MISMATCH" },
	};
	const char *name = strstr(s, "DATA_ERROR") + strlen("DATA_ERROR");
	const struct nvfifo_name *n;
	size_t i, len;

	name += strspn(name, " -");
	len = strcspn(name, " \r");

	for (i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		if (strlen(renamed[i].old) == len && !strncmp(name, renamed[i].old, len)) {
			name = renamed[i].name;
			len = strlen(name);
		}
	}

	for (n = nvfifo_data_errors; n->name; n++) {
		if (strlen(n->name) != len || strncmp(name, n->name, len))
			continue;

		if (n->means)
			means(c, "%s", n->means);
		str(c, "error", "%s", n->name);
		hexnum(c, "code", 8, n->value);
		return;
	}

	c->declined = true;
}

void nvfifo_explain_data_error(struct ctx *c, const char *s)
{
	const struct nvfifo_name *n;
	__u64 v;

	str(c, "meaning", "PGRAPH refused method data; code in DATA_ERROR");
	if (!hex(s, "DATA_ERROR", &v) && !hex(s, "unknown value", &v) &&
	    !hex(s, "unknown enum", &v)) {
		old_data_error(c, s);
		return;
	}

	n = nvfifo_name_find(nvfifo_data_errors, (__u32)v);
	if (n && n->means)
		means(c, "%s", n->means);
	str(c, "error", "%s", n ? n->name : "");
	hexnum(c, "code", 8, v);
	advise(c, "The next line with class, method and data tells which method it was.");
}

/* NV1_NULL, an object that takes no methods */
#define NULL_CLASS	0x0030

void nvfifo_explain_method(struct ctx *c, __u64 method, __u32 oclass)
{
	const char *name = nvfifo_method_name(oclass, (__u32)method);

	if (name)
		means(c, "%s", name);
	hexnum(c, "method", 4, method);
}

/* "00100010 [ILLEGAL_MTHD DATA_ERROR] ch 3": @p is its text from " ch" on. */
static void interrupt_before(struct ctx *c, const char *s, const char *p,
			     const struct nvfifo_name *bits)
{
	const char *open = p;
	__u64 intr;

	if (p == s || p[-1] != ']')
		return;

	while (open > s && *open != '[')
		open--;
	if (open - s < 9 || !hex_at(open - 9, &intr))
		return;

	hexnum(c, "interrupt", 8, intr);
	put_bits(c, "interrupt_bits", bits, (__u32)intr);
}

/*
 * "ch 3 [000f0e1000 Xorg[1234]] subc 5", "ch 2 (0x0000123000) subc 3", and "Ch 2/5" of old
 * kernels, which have the subchannel there.
 */
void nvfifo_explain_method_channel(struct ctx *c, const char *s)
{
	const char *from;
	char text[120];
	__u64 inst;
	__s64 v;

	from = dec(s, "ch", &v);
	if (!from)
		return;

	if (v < 0)
		means(c, "the driver knows no channel with that structure");
	num(c, "channel", v);
	if (*from == '/')
		num(c, "subchannel", nvfifo_text_value(from + 1, 10));

	if (!bracket(from, text, sizeof(text))) {
		from += strspn(from, " ");
		if (*from != '(')
			return;
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(from, ")"), from);
	}

	from = hex_at(text, &inst);
	if (!from)
		return;

	means(c, "address of the channel structure");
	hexnum(c, "inst", 10, inst);
	from += strspn(from, " ");
	if (*from && strcmp(from, "unknown"))
		str(c, "owner", "%s", from);
}

void nvfifo_explain_data_means(struct ctx *c, __u32 data)
{
	const char *oclass = nvfifo_row_get(&c->e->fields, "object_class");
	const char *method = nvfifo_row_get(&c->e->fields, "method");
	char text[200], number[24];
	unsigned int form;

	if (!oclass || !method ||
	    !nvfifo_method_get((__u32)nvfifo_text_value(oclass, 16),
			       (__u32)nvfifo_text_value(method, 16), &form))
		return;

	nvfifo_form_text(form, data, text, sizeof(text));
	snprintf(number, sizeof(number), data ? "0x%x" : "%u", data);
	if (strcmp(text, number))
		means(c, "%s", text);
}

/* "data 00000001", or both halves: "data 0000000000000001", "Data 0x00000000:0x00000001" */
void nvfifo_explain_method_data(struct ctx *c, const char *s)
{
	__u64 data, low;
	const char *end = hex(s, "data", &data);
	const char *start = find(s, "data");

	if (!end)
		return;

	start += strspn(start, " ");
	if (*end == ':' && hex_at(end + 1, &low))
		data = data << 32 | (low & 0xffffffff);
	if (*end == ':' || end - start == 16)
		hexnum(c, "data_high", 8, data >> 32);
	nvfifo_explain_data_means(c, (__u32)data);
	hexnum(c, "data", 8, data & 0xffffffff);
}

/* M2MF's methods at an object that has no such method: the subchannel lost its object. */
static bool is_lost_binding(__u32 oclass, __u32 method)
{
	const char *m2mf = nvfifo_method_name(0x5039, method);

	if (oclass == NULL_CLASS)
		return true;

	return oclass == 0x502d && m2mf && !strncmp(m2mf, "M2MF", 4) &&
	       !nvfifo_method_name(oclass, method);
}

/* Advice about a method that PGRAPH stopped at, by the bits of the interrupt that are named. */
static void method_advice(struct ctx *c, __u32 oclass, __u32 method)
{
	const char *bits = nvfifo_row_get(&c->e->fields, "interrupt_bits");

	if (!oclass && nvfifo_row_get(&c->e->fields, "object_class"))
		advise(c, "No object is bound to the subchannel: bind one with method 0. If that was done, a CACHE_ERROR before this line refused it, or the context was lost; after a reset or a resume the driver has to bind it anew.");
	else if (oclass && !nvfifo_class_exists(0, oclass) && oclass != NULL_CLASS)
		advise(c, "No chip of this family has a class %04x: either the card is of another family, or the driver reads nonsense.", oclass);
	else if (bits && (strstr(bits, "ILLEGAL_MTHD") || strstr(bits, "ILLEGAL_CLASS")) &&
		 is_lost_binding(oclass, method))
		advise(c, "The subchannel has lost its object: methods of another class arrive at it. Bind the object anew with method 0; after a reset, a resume or another channel's error the driver has to.");
	else if (bits && strstr(bits, "ILLEGAL_MTHD"))
		advise(c, "The object of the subchannel has no such method: is the right object bound there, and is its class one that this chip has?");
	else if (bits && strstr(bits, "ILLEGAL_CLASS"))
		advise(c, "PGRAPH of this chip has no such class: 'nvfifo chips' lists the classes.");
	else if (bits && strstr(bits, "DATA_ERROR"))
		advise(c, "PGRAPH refused this method's data; the DATA_ERROR line at the same time shows the code.");
	else if (bits && strstr(bits, "TRAP"))
		advise(c, "Where the front end was when a unit stopped: the method that failed is this or one before it. The lines about a TRAP and a VM fault at the same time name the cause.");
	else
		advise(c, "The method that PGRAPH stopped at.");
}

void nvfifo_explain_pgraph_method(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " ch ");
	__u64 oclass = 0, method;
	__s64 v;

	if (!p)
		p = strstr(s, "Ch ");
	if (!p)
		p = s;

	interrupt_before(c, s, p, nvfifo_pgraph_intr_bits);
	nvfifo_explain_method_channel(c, p);
	if (dec(s, "subc", &v))
		num(c, "subchannel", v);
	if (hex(s, "class", &oclass)) {
		const char *name = nvfifo_class_name((__u32)oclass);

		if (name)
			means(c, "%s", name);
		hexnum(c, "object_class", 4, oclass);
	}

	if (hex(s, "mthd", &method))
		nvfifo_explain_method(c, method, (__u32)oclass);
	nvfifo_explain_method_data(c, s);
	method_advice(c, (__u32)oclass, (__u32)method);
}

/* "cipher: 00000004 [ILLEGAL_CLASS] ch 3 [000f0e1000 Xorg[1234]] mthd" */
void nvfifo_explain_cipher_interrupt(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " ch ");

	if (!p)
		return;

	interrupt_before(c, s, p, nvfifo_cipher_intr_bits);
	nvfifo_explain_method_channel(c, p);
}

/* The bits of @table whose names stand in @s, a blank between them, and nothing else. */
static bool names_only(const struct nvfifo_name *table, const char *s, __u32 *bits)
{
	const struct nvfifo_name *n;
	size_t len;
	__u64 v;

	*bits = 0;

	for (s += strspn(s, " "); *s && *s != '\r'; s += strspn(s, " ")) {
		len = strcspn(s, " \r");
		n = name_of_text(table, s, len);
		if (n) {
			*bits |= n->value;
			s += len;
		} else if (!strncmp(s, "(unknown bits ", 14) && hex_at(s + 14, &v)) {
			*bits |= (__u32)v;
			s += strcspn(s, ")");
			s += *s == ')';
		} else {
			return false;
		}
	}

	return *bits;
}

/* "PGRAPH - ILLEGAL_MTHD DATA_ERROR", "nouveau E[  PGRAPH][0000:01:00.0]  TRAP" */
void nvfifo_explain_interrupt_names(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH -");
	__u32 bits;

	if (p) {
		p += strlen("PGRAPH -");
	} else {
		p = strstr(s, "PGRAPH][");
		p = p ? strchr(p + strlen("PGRAPH]["), ']') : NULL;
		p = p ? p + 1 : "";
	}

	if (!names_only(nvfifo_pgraph_intr_bits, p, &bits)) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, bits);
	put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, bits);
}

/* "PGRAPH_ILLEGAL_MTHD - Ch 2/3 Class 0x8297 Mthd 0x15e4 Data 0x00000000:0x00000007" */
void nvfifo_explain_interrupt_method(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH_"), *end = strstr(s, " - Ch ");
	const struct nvfifo_name *n;
	size_t len;

	if (!p || end < p) {
		c->declined = true;
		return;
	}

	p += strlen("PGRAPH_");
	len = (size_t)(end - p);

	n = name_of_text(nvfifo_pgraph_intr_bits, p, len);
	if (!n) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, n->value);
	put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, n->value);
	nvfifo_explain_pgraph_method(c, s);
	advise(c, "%s.", n->means);
}

/* "PCRYPT: ILLEGAL_MTHD ch 3 (0x001fb14000) mthd 0x0300 data 0x00000007" */
void nvfifo_explain_cipher_names(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PCRYPT"), *ch = strstr(s, " ch ");
	char names[80];
	__u32 bits;
	__u64 v;

	p += strlen("PCRYPT");
	if (*p == ']')
		p = strchr(p + 1, ']');
	if (!p || !ch || ch <= p) {
		c->declined = true;
		return;
	}

	snprintf(names, sizeof(names), "%.*s", (int)(ch - p - 1), p + 1);
	if (!names_only(nvfifo_cipher_intr_bits, names, &bits)) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, bits);
	put_bits(c, "interrupt_bits", nvfifo_cipher_intr_bits, bits);
	nvfifo_explain_method_channel(c, ch);
	if (hex(ch, "mthd", &v))
		hexnum(c, "method", 4, v);
	nvfifo_explain_method_data(c, ch);
}

/* " ch 3 [0x0001fb14]": eight digits are the descriptor, ten the address. */
void nvfifo_explain_short_channel(struct ctx *c, const char *s)
{
	char inst[40] = "";
	const char *p;
	__s64 n;
	__u64 v;

	p = dec(s, "ch", &n);
	bracket(p, inst, sizeof(inst));
	if (strlen(inst) == 10 && hex_at(inst, &v)) {
		num(c, "channel", n);
		nvfifo_explain_desc(c, "desc", v, 10);
	} else {
		nvfifo_explain_method_channel(c, s);
	}
}
