// SPDX-License-Identifier: MIT
/* Functions for rows: channels, methods, PFIFO's state, faults of the MMU, traps of PGRAPH. */
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

const struct explain_function nvfifo_explain_units[] = {
	{ "access", access },
	{ "awaited_word", awaited_word },
	{ "channel", channel },
	{ "dma_state", dma_state },
	{ "fault_reason", fault_reason },
	{ "fault_status", fault_status },
	{ "fault_units", fault_units },
	{ "meaning", meaning },
	{ "object", object },
	{ "prop_surface", prop_surface },
	{ "status_advice", status_advice },
	{ "trap_bits", trap_bits },
	{ "vstatus", vstatus },
	{ 0 }
};
