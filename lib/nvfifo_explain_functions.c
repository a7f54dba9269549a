// SPDX-License-Identifier: MIT
/* The functions that rows of the tables name after "do" */
#define _GNU_SOURCE
#include "nvfifo_explain_priv.h"

/* --- Channels -------------------------------------------------------------- */

void nvfifo_explain_desc(struct ctx *c, const char *name, __u64 v, unsigned int digits)
{
	char before[80];

	snprintf(before, sizeof(before), "%.76s%s", c->means, *c->means ? ": " : "");
	means(c, "%sstructure at %0*" PRIx64, before, (int)digits, (uint64_t)nvfifo_chan_desc_address((__u32)v));
	hexnum(c, name, 8, v);
}

/* "001fb13000 Xorg[9]", "Xorg[9]", "0x0001fb13": a structure's address, its owner, or a descriptor */
static void owner(struct ctx *c, const char *text, unsigned int digits)
{
	const char *first = text + (nvfifo_text_is_0x(text) ? 2 : 0), *rest = text;
	const size_t len = nvfifo_text_digits(first, 16);
	__u64 v;

	if (len >= 8 && hex_at(first, &v)) {
		rest = first + len + strspn(first + len, " ");
		if (*rest || len > 8) {
			means(c, "address of the channel structure");
			hexnum(c, "inst", digits, v);
		} else {
			nvfifo_explain_desc(c, "desc", v, 10);
		}
	}

	if (*rest && strcmp(rest, "unknown"))
		str(c, "owner", "%s", rest);
}

/* The number of a channel at @s, or its descriptor. Return: the text after it, or NULL. */
static const char *channel_number(struct ctx *c, const char *s)
{
	const char *end;
	__s64 id;
	__u64 v;

	s += strspn(s, " \t:=#");
	if (nvfifo_text_is_0x(s) || nvfifo_text_digits(s, 16) > 3) {
		end = hex_at(s, &v);
		if (end)
			nvfifo_explain_desc(c, "desc", v, 10);
		return end;
	}

	end = dec_at(s, &id);
	if (!end)
		return NULL;

	/* pscnv's number of channels stands for none. */
	if (id < 0 || (id == 128 && !strcmp(c->kind->driver, "pscnv")))
		means(c, "the driver knows no channel with that structure");
	num(c, "channel", id);

	return end;
}

/*
 * "ch 3 [000f0e1000 Xorg[1234]]", "channel 3 [Xorg[1234]]", "Ch 2/5" with the subchannel, "ch 2 (0x0000123000)",
 * "channel 0x0000fbce [Xorg[1234]]". ARGUMENTS: digits of the address, 10 without it
 */
static void channel(struct ctx *c, const char *s)
{
	const unsigned int digits = c->args[0] ? (unsigned int)nvfifo_text_value(c->args[0], 10) : 10;
	const char *p = find(s, "channel"), *end;
	char text[120];

	if (!p)
		p = find(s, "ch");
	p = p ? channel_number(c, p) : NULL;
	if (!p)
		return;

	if (*p == '/' && isdigit((unsigned char)p[1]))
		num(c, "subchannel", nvfifo_text_value(p + 1, 10));

	end = bracket(p, text, sizeof(text));
	p += strspn(p, " ");
	if (!end && *p == '(')
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(p + 1, ")"), p + 1);
	owner(c, text, digits);
}

/* --- Methods --------------------------------------------------------------- */

/* NV1_NULL, an object that takes no methods */
#define NULL_CLASS	0x0030

/* M2MF's methods at an object that has no such method: the subchannel lost its object. */
static bool is_lost_binding(__u32 oclass, __u32 method)
{
	const char *m2mf = nvfifo_method_name(0x5039, method);

	if (oclass == NULL_CLASS)
		return true;

	return oclass == 0x502d && m2mf && !strncmp(m2mf, "M2MF", 4) &&
	       !nvfifo_method_name(oclass, method);
}

/* Advice about a class that cannot be, or that the methods do not belong to */
static void object(struct ctx *c, const char *s)
{
	const char *bits = field(c, "interrupt_bits");
	const __u32 oclass = field_value(c, "object_class");

	(void)s;
	if (oclass && !nvfifo_class_exists(0, oclass) && oclass != NULL_CLASS)
		advise(c, "No chip of this family has a class %04x: either the card is of another family, or the driver reads nonsense.", oclass);
	else if (bits && strstr(bits, "ILLEGAL_") && is_lost_binding(oclass, field_value(c, "method")))
		advise(c, "The subchannel has lost its object: methods of another class arrive at it. Bind the object anew with method 0; after a reset, a resume or another channel's error the driver has to.");
}

/* TABLE FIELD: the meaning of the field's value becomes the advice. */
static void meaning(struct ctx *c, const char *s)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_explain_table(c->args[0]), field_value(c, c->args[1]));

	(void)s;
	if (n && n->means)
		advise(c, "%s.", n->means);
}

/* --- PFIFO's state --------------------------------------------------------- */

/* WORD: DMA_STATE after the word */
static void dma_state(struct ctx *c, const char *s)
{
	const char *name, *whose = "of the next data word", *advice, *offending;
	const struct nvfifo_name *error;
	struct nvfifo_dma_state d;
	__u64 v;

	if (!hex(s, c->args[0], &v))
		return;

	d = nvfifo_dma_state_decode((__u32)v);
	error = nvfifo_name_find(nvfifo_pusher_errors, d.error);
	name = nvfifo_method_name(0, d.method);
	if (d.error == NVFIFO_PUSHER_INVALID_MTHD)
		whose = "of the refused data word";

	hexnum(c, "dma_state", 8, v);
	means(c, "%s", error->means);
	str(c, "error", "%s", error->name);
	num(c, "subchannel", d.subc);
	if (name)
		means(c, "%s, %s", name, whose);
	else
		means(c, "%s", whose);
	hexnum(c, "method", 4, d.method);
	num(c, "non_incr", d.nonincr);
	if (d.long_pending)
		means(c, "the next word is the count of a long command");
	num(c, "long_ni_len_pending", d.long_pending);
	num(c, "subroutine_active", d.subroutine);
	if (d.not_main)
		means(c, "the segment is not the main buffer");
	num(c, "non_main", d.not_main);
	str(c, "last_method_done", "%s", "");
	if (d.error != NVFIFO_PUSHER_INVALID_MTHD && d.method && !d.nonincr)
		hexnum(c, "last_method_done", 4, d.method - 4u);
	offending = d.error == NVFIFO_PUSHER_INVALID_MTHD ? field(c, "method") : "";
	str(c, "offending_method", "%s", offending);

	advice = nvfifo_explain_text("pusher", error->name);
	if (!advice)
		advice = "DMA_STATE has no known error: the pusher has gone on before the driver read it, or the reads are not the card's.";
	advise(c, "%s", advice);
}

/* The semaphore of "waits until the word at 0000000020 of object 06460 is 0007a57e (ran" */
static void awaited_word(struct ctx *c, const char *s)
{
	__u64 offset, object, value;

	if (!hex(s, "word at", &offset) || !hex(s, "of object", &object) ||
	    (!hex(s, "at least", &value) && !hex(s, "is", &value)))
		return;

	means(c, "the word at 0x%" PRIx64 " of the DMA object at %05" PRIx64 " of the channel structure",
	      (uint64_t)offset, (uint64_t)object);
	hexnum(c, "waits_for", 8, value);
}

/* REGISTER FIELD NUMBER: the units of VSTATUS in a field by their states, in fields with the number */
static void vstatus(struct ctx *c, const char *s)
{
	const unsigned int reg = (unsigned int)nvfifo_text_value(c->args[0], 10);
	const char *number = c->args[2] ? c->args[2] : "";
	const struct nvfifo_name *state;
	char names[160], key[24];

	(void)s;

	for (state = nvfifo_unit_states + 1; state->name; state++) {
		nvfifo_vstatus_text(reg, field_value(c, c->args[1]), state->value, names, sizeof(names));
		snprintf(key, sizeof(key), "%s%s", state->name, number);
		if (*names || (!*number && state->value == 1))
			str(c, key, "%s", names);
	}
}

/* --- Faults of the MMU ----------------------------------------------------- */

/* Read or write, the first in the line */
static void access(struct ctx *c, const char *s)
{
	const char *w = find(s, "write"), *r = find(s, "read");

	str(c, "access", "%s", w && (!r || w < r) ? "write" : "read");
}

static void set_reason(struct ctx *c, unsigned int code, const char *printed)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_fault_reasons, code);
	const char *advice = n ? nvfifo_explain_text("fault", n->name) : NULL, *gap = " ";

	/* A character of the text may be damaged. */
	if (n)
		printed = n->name;
	str(c, "reason", "%08x%s%s", code, *printed ? " " : "", printed);
	if (n)
		str(c, "meaning", "%s", n->means);
	if (!advice)
		advice = gap = "";
	advise(c, "%s%sThe card keeps the first fault only, and its record says nothing about now.", advice, gap);
}

/*
 * "reason 00000002 [PAGE_NOT_PRESENT]", "reason: PAGE_NOT_PRESENT", or the name after the last colon.
 * nouveau and pscnv have a name of their own for the supervisor's pages.
 */
static void fault_reason(struct ctx *c, const char *s)
{
	const char *p = find(s, "reason"), *end;
	const struct nvfifo_name *n;
	char text[40];
	__u64 v;

	if (!p)
		p = strrchr(s, ':');
	if (!p)
		return;

	p += strspn(p, ": ");
	if (!strncmp(p, "PAGE_SYSTEM_ONLY", 16))
		p = "PAGE_SUPERVISOR_ONLY";

	for (n = nvfifo_fault_reasons; n->name; n++) {
		if (!strncmp(p, n->name, strlen(n->name))) {
			set_reason(c, n->value, "");
			return;
		}
	}

	end = hex_at(p, &v);
	bracket(end, text, sizeof(text));
	if (end)
		set_reason(c, (unsigned int)v, text);
}

/* nouveau's address space for BAR3, its window for instance memory, begins here. */
#define NOUVEAU_BAR3	0x100000000ull

/*
 * A fault of engine 6: the processor's access through BAR1 or BAR3. Clients 4 and 8 are writes and
 * reads; DMA slot 0 is BAR1 and slot 1 BAR3.
 */
static void bar_fault(struct ctx *c, unsigned int slot)
{
	const __u64 va = nvfifo_text_value(field(c, "va"), 16);

	str(c, "meaning", "an access of the processor through a BAR, not of the card");
	if (slot > 1) {
		advise(c, "The driver itself touched memory that is not mapped in the BARs' address space; no pushbuffer is involved.");
		return;
	}

	means(c, slot ? "the window for instance memory" : "the window for buffers that the processor maps");
	str(c, "bar", "%s", slot ? "BAR3" : "BAR1");
	if (slot && va >= NOUVEAU_BAR3) {
		means(c, "nouveau's BAR3 space begins at 01_0000_0000");
		hexnum(c, "bar_offset", 8, (va - NOUVEAU_BAR3));
	}

	advise(c, "The processor's access through %s, not the card's: no pushbuffer is involved. The channel structure is that of the BARs, so the driver knows no channel with it. Look at the driver: a mapping that was torn down while it was in use, or a resume.",
	       slot ? "BAR3" : "BAR1");
}

/* Advice for an access of PGRAPH to memory that is not mapped, by the beginning of the DMA slot's name */
static void slot_advice(struct ctx *c, unsigned int reason, const char *slot)
{
	const struct explain_row *row = NULL;

	while (reason <= NVFIFO_FAULT_PAGE_NOT_PRESENT && (row = nvfifo_explain_row("slot", row))) {
		if (!strncmp(row->key, slot, strlen(row->key))) {
			advise(c, "%s The card keeps the first fault only.", row->text);
			return;
		}
	}
}

/* "engine 00 [PGRAPH]": the number, and the name that the log has for it. */
static bool numbered(const char *s, const char *name, __u64 *v, char *text, size_t size)
{
	const char *p = hex(s, name, v);

	bracket(p, text, size);
	return p;
}

/* "engine 00 [PGRAPH] client 0b [PROP] subclient 09 [LOCAL] reason 00000002 [PAGE_NOT_PRESENT]" */
static void fault_units(struct ctx *c, const char *s)
{
	char en[40], cl[40], sc[40];
	const char *known, *missing, *slot_name = "";
	__u64 engine, client, slot = 0, reason;

	if (!numbered(s, "engine", &engine, en, sizeof(en)))
		return;

	known = nvfifo_fault_engine(c->chipset, (__u32)engine);
	str(c, "engine", "%02x %s", (unsigned int)engine, *en ? en : known);

	if (numbered(s, "client", &client, cl, sizeof(cl))) {
		known = nvfifo_fault_client(c->chipset, (__u32)client);
		missing = "";
		if (!*cl && *known && strstr(s, "subclient"))
			missing = " (name missing in nouveau table; from rnndb)";
		str(c, "client", "%02x %s%s", (unsigned int)client, *cl ? cl : known, missing);
	}

	if (numbered(s, "subclient", &slot, sc, sizeof(sc)) || numbered(s, "slot", &slot, sc, sizeof(sc))) {
		slot_name = nvfifo_fault_slot(c->chipset, (__u32)engine, (__u32)client, (__u32)slot);
		/* For a BAR's slots nouveau prints the names of PGRAPH's clients. */
		known = *sc && engine != NVFIFO_VM_BAR ? sc : slot_name;
		str(c, "subclient", "%02x %s", (unsigned int)slot, known);
	}

	fault_reason(c, s);
	if (!field(c, "reason"))
		return;

	reason = field_value(c, "reason");
	if (engine == NVFIFO_VM_BAR && strstr(s, "reason"))
		bar_fault(c, (unsigned int)slot);
	if (engine == NVFIFO_VM_PGRAPH && strstr(s, "reason"))
		slot_advice(c, (unsigned int)reason, slot_name);
}

/* "status 00004320": the first word of the MMU's record */
static void fault_status(struct ctx *c, const char *s)
{
	__u32 chipset = c->chipset, words[NVFIFO_FAULT_WORDS] = { 0 };
	struct nvfifo_fault f;
	__u64 status;

	if (!hex(s, "status", &status))
		return;

	/* Fields have 8 bits from GT215 on, and 4 before; only the former fill the upper half. */
	if (!chipset)
		chipset = status >> 16 ? 0xa3 : 0x50;
	words[0] = (__u32)status;
	f = nvfifo_fault_decode(chipset, words);
	hexnum(c, "status", 8, status);
	str(c, "engine", "%02x %s", f.engine, nvfifo_fault_engine(chipset, f.engine));
	str(c, "client", "%02x %s", f.client, nvfifo_fault_client(chipset, f.client));
	str(c, "subclient", "%02x %s", f.slot, nvfifo_fault_slot(chipset, f.engine, f.client, f.slot));
	set_reason(c, f.reason, "");
}

/* --- Traps of PGRAPH's units ------------------------------------------------ */

/* Is the name of a bit in the line, alone or after '_'? */
static bool has_bit(const char *s, const char *name)
{
	const size_t len = strlen(name);
	const char *p;

	for (p = s; (p = strstr(p, name)); p += len) {
		if ((p == s || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[len]) && p[len] != '_')
			return true;
	}

	return false;
}

/* The bits of a status that a line has by name only: "TRAP_M2MF NOTIFY OUT", "TRAP_M2MF_OUT" */
static __u32 named_bits(const struct nvfifo_name *table, const char *s)
{
	__u32 v = 0;

	for (; table->name; table++) {
		if (has_bit(s, table->name))
			v |= table->value;
	}

	return v;
}

/* Advice for the bits of a unit of PGRAPH that are set: the first of the table has it. */
static void trap_advice(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	const char *unit = field(c, "unit"), *name;
	const size_t len = strlen(unit);
	const struct explain_row *row = NULL;
	const struct nvfifo_name *n;

	while ((row = nvfifo_explain_row("trap", row))) {
		if (strncmp(row->key, unit, len) || row->key[len] != ' ')
			continue;

		name = row->key + len + 1;
		n = name_of_text(bits, name, strlen(name));
		if (n && n->value & v) {
			advise(c, "%s", row->text);
			return;
		}
	}

	if (field(c, "ustatus"))
		advise(c, "What this bit of %s means is not documented.", unit);
}

/* TABLE: the same for the bits of "ustatus", which nvfifo always prints. */
static void status_advice(struct ctx *c, const char *s)
{
	(void)s;
	if (field(c, "ustatus"))
		trap_advice(c, nvfifo_explain_table(c->args[0]), field_value(c, "ustatus"));
}

/* TABLE [BIT]: names of the bits of "ustatus", or of the line; a line without both has the bit. */
static void trap_bits(struct ctx *c, const char *s)
{
	const struct nvfifo_name *table = nvfifo_explain_table(c->args[0]);
	const char *bit = field(c, "bits"), *status = field(c, "ustatus");
	const struct nvfifo_name *n;
	char names[240];
	__u32 v;

	if (!bit)
		bit = c->args[1];
	v = status ? field_value(c, "ustatus") : named_bits(table, s);
	n = bit ? name_of_text(table, bit, strlen(bit)) : NULL;
	if (!status && n && (!v || field(c, "bits")))
		v = n->value;

	nvfifo_bits_text(table, v, "UNK", " ", names, sizeof(names));
	if (status || !strcmp(c->kind->driver, "pscnv"))
		nvfifo_explain_bits_mean(c, table, v);
	if (v || status)
		str(c, "bits", "%s", names);
	trap_advice(c, table, v);
}

/* Bits 27:24 of e24 are a DMA slot of PROP, the storage type stands below. */
static void prop_surface(struct ctx *c, const char *s)
{
	const __u32 v = field_value(c, "e24"), slot = v >> 24 & 0xf;
	const struct nvfifo_name *kind = nvfifo_name_find(nvfifo_kind_names, v & 0x7f);
	const char *name = nvfifo_fault_slot(0x50, NVFIFO_VM_PGRAPH, 0xb, slot);

	(void)s;
	means(c, "slot %x in bits 27:24 of e24", slot);
	if (*name)
		str(c, "surface", "%s", name);
	else
		hexnum(c, "surface", 1, slot);
	if (kind)
		means(c, "%s", kind->name);
	hexnum(c, "storage_type", 2, v & 0x7f);
}

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

const struct explain_function nvfifo_explain_functions[] = {
	{ "access", access },
	{ "awaited_word", awaited_word },
	{ "channel", channel },
	{ "distance", distance },
	{ "dma_state", dma_state },
	{ "errno_text", errno_text },
	{ "fault_reason", fault_reason },
	{ "fault_status", fault_status },
	{ "fault_units", fault_units },
	{ "last_errno", last_errno },
	{ "lone_timeout", lone_timeout },
	{ "lookup", lookup },
	{ "meaning", meaning },
	{ "numbers", numbers },
	{ "object", object },
	{ "other_class", other_class },
	{ "program", program },
	{ "prop_surface", prop_surface },
	{ "register", explain_register },
	{ "status_advice", status_advice },
	{ "trap_bits", trap_bits },
	{ "vstatus", vstatus },
	{ "wait", wait },
	{ "warning_program", warning_program },
	{ 0 }
};
