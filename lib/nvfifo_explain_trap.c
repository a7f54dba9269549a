// SPDX-License-Identifier: MIT
/* Functions for rows: traps of PGRAPH's units, whose status has many forms in logs. */
#define _GNU_SOURCE
#include "nvfifo_explain_table.h"

/* Advice for the bits of a unit of PGRAPH that are set: the first of the table has it. */
static void trap_advice(struct ctx *c, const struct nvfifo_name *bits, __u32 ustatus)
{
	const char *unit = nvfifo_row_get(&c->e->fields, "unit");
	const size_t len = strlen(unit);
	const struct explain_row *row = NULL;
	const struct nvfifo_name *n;

	while ((row = nvfifo_explain_row("trap", row))) {
		if (strncmp(row->key, unit, len) || row->key[len] != ' ')
			continue;

		n = name_of_text(bits, row->key + len + 1, strlen(row->key + len + 1));
		if (n && n->value & ustatus) {
			advise(c, "%s", row->text);
			return;
		}
	}

	/* The word itself was printed in another line, or it has bits that no source names. */
	if (nvfifo_row_get(&c->e->fields, "ustatus") && !*c->e->advice)
		advise(c, "What this bit of %s means is not documented.", unit);
	else if (nvfifo_explain_text("trap", unit) && nvfifo_row_get(&c->e->fields, "e24"))
		advise(c, "%s", nvfifo_explain_text("trap", unit));
}

/* nvfifo prints the whole status. */
void nvfifo_explain_trap_advice(struct ctx *c, const char *s)
{
	const char *ustatus = nvfifo_row_get(&c->e->fields, "ustatus");

	(void)s;
	if (ustatus)
		trap_advice(c, nvfifo_explain_table(c->args[0]), (__u32)nvfifo_text_value(ustatus, 16));
}

/* --- PROP's words -------------------------------------------------------- */

/* The surface of bits 27:24 of e24: DMA slots of PROP in the order of the MMU's fault record */
static void surface_name(unsigned int slot, char *text, size_t size)
{
	static const char *const names[] = { "ZETA", "LOCAL", "GLOBAL", "STACK", "DST2D" };

	if (slot < 8)
		snprintf(text, size, "RT%u", slot);
	else if (slot - 8 < sizeof(names) / sizeof(names[0]))
		snprintf(text, size, "%s", names[slot - 8]);
	else
		snprintf(text, size, "%x", slot);
}

static void prop_words(struct ctx *c, const char *s)
{
	const struct nvfifo_name *kind;
	char surface[16];
	__u64 v;

	if (!hex(s, "e24", &v))
		return;

	surface_name((unsigned int)(v >> 24 & 0xf), surface, sizeof(surface));
	means(c, "slot %x in bits 27:24 of e24", (unsigned int)(v >> 24 & 0xf));
	str(c, "surface", "%s", surface);
	kind = nvfifo_name_find(nvfifo_kind_names, (__u32)v & 0x7f);
	if (kind)
		means(c, "%s", kind->name);
	hexnum(c, "storage_type", 2, (unsigned int)v & 0x7f);
}

/* The meanings of all bits that are set, as words for the next field. */
void nvfifo_explain_bits_mean(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	size_t used = 0;

	for (; bits->name && used < sizeof(c->means); bits++) {
		if (v & bits->value && bits->means)
			used += (size_t)snprintf(c->means + used, sizeof(c->means) - used, "%s%s",
						 used ? "; " : "", bits->means);
	}
}

/* A unit of PGRAPH in a line of nouveau's log, from its row */
struct trap_unit {
	const char *text;			/* in the log */
	const struct nvfifo_name *bits;
	const char *implied;			/* the bit of a line without them, or NULL */
	const char *const *registers;		/* those that the log prints after the unit, up to NULL */
};

/* The TP and the multiprocessor that the unit belongs to. */
static void trap_place(struct ctx *c, const char *p)
{
	const char *q = strstr(p, "- TP");
	__s64 mp;

	if (q) {
		q += 4 + strspn(q + 4, " ");
		if (isdigit((unsigned char)*q))
			num(c, "tp", nvfifo_text_value(q, 10));
	}

	if (dec(p, "MP", &mp))
		num(c, "mp", mp);
}

/* "read fault at address ...": @q is its text from "fault" on. */
static void trap_fault(struct ctx *c, const char *p, const char *q)
{
	const char *access = "unknown";
	__u64 v;

	if (strstr(p, "write"))
		access = "write";
	else if (strstr(p, "read"))
		access = "read";
	str(c, "access", "%s", access);
	if (hex(q, "address", &v))
		nvfifo_explain_fault_address(c, v);
}

static void status_bits(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	char names[240];

	hexnum(c, "ustatus", 8, v);
	nvfifo_explain_bits_mean(c, bits, v);
	nvfifo_bits_text(bits, v, "UNK", " ", names, sizeof(names));
	str(c, "bits", "%s", names);
}

/* Return: whether the line has the status, eight digits in front of a bracket. */
static bool trap_status(struct ctx *c, const char *p, const struct nvfifo_name *bits)
{
	const char *q = strchr(p, '[');
	__u64 v;

	if (!q || q - p <= 9 || !hex_at(q - 9, &v))
		return false;

	status_bits(c, bits, (__u32)v);

	return true;
}

/* "(unknown 00000004)", "Unhandled ustatus 10000000": nouveau's tables lack some names. */
static bool unknown_status(struct ctx *c, const char *p, const struct nvfifo_name *bits)
{
	__u64 v;

	if (!hex(p, "unknown", &v) && !hex(p, "ustatus", &v) && !hex(p, "TRAP_UNKC04", &v))
		return false;

	status_bits(c, bits, (__u32)v);

	return true;
}

/* Kernels before 4.3 print the names only: "TRAP_M2MF NOTIFY OUT", "TRAP_M2MF_OUT" */
static void named_bits(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *from = p + strlen(unit->text);
	const struct nvfifo_name *n;
	char names[240] = "";
	size_t used = 0;

	from += *from == '_';

	for (n = unit->bits; n->name; n++) {
		if (find(from, n->name) && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? " " : "", n->name);
	}

	if (!used && unit->implied)
		snprintf(names, sizeof(names), "%s", unit->implied);
	if (*names)
		str(c, "bits", "%s", names);
}

/* The values after a unit's name: "TRAP_M2MF 00000a41 00201000 00000000 04000430" */
static void unit_words(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *from = p + strlen(unit->text), *const *r = unit->registers;
	char name[16];
	__u64 v;

	if (strchr(p, '['))
		return;

	if (!strncmp(from, "_FAULT", 6))
		from += 6;
	if (!strncmp(from, " - ", 3))
		from += 2;
	for (; *r && *from == ' '; r++) {
		from = hex_at(from, &v);
		if (!from)
			return;

		snprintf(name, sizeof(name), "r%.6s", *r);
		hexnum(c, name, 8, v);
		advise(c, "Registers of %s that go with its trap: the line with the names of bits, and the VM fault line, have the cause.",
		       nvfifo_row_get(&c->e->fields, "unit"));
	}
}

/* The values with names: "e0c: 00000000, e18: 00000000, ..." */
static void named_words(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *const *r;
	__u64 v;

	for (r = unit->registers; *r; r++) {
		if (hex(p, *r, &v))
			hexnum(c, *r, 8, v);
	}
}

/* "at 0002a8 warp 3, opcode f0000001 e0000000" */
static void shader_place(struct ctx *c, const char *p)
{
	const char *from;
	__u64 v, high;
	__s64 warp;

	if (!dec(p, "warp", &warp))
		return;

	if (hex(p, "at", &v))
		hexnum(c, "pc", 6, v);
	num(c, "warp", warp);
	from = hex(p, "opcode", &v);
	if (from && hex_at(from, &high))
		str(c, "opcode", "%08" PRIx64 " %08" PRIx64, (uint64_t)v, (uint64_t)high);
}

/*
 * Lines about a search without a result: "no ustatus?", "No TPs claiming errors?", "no VM fault?"
 */
static void trap_nothing(struct ctx *c, const char *p)
{
	if (find(p, "no ustatus"))
		str(c, "meaning", "the unit reported a trap, and its status is 0");
	else if (find(p, "No TPs claiming errors") || find(p, "No MPs claiming errors"))
		str(c, "meaning", "the unit reported a trap, and the status of each part of it is 0");
	else if (find(p, "no VM fault"))
		str(c, "meaning", "the unit reported a fault, and the MMU has no record of one");
	else if (find(p, "No stuck command"))
		str(c, "meaning", "DISPATCH holds no command: it has gone on by itself");
	else
		return;

	advise(c, "The cause was gone when the driver looked. One such line does no harm; many mean that interrupts come late, or that reads of the card fail.");
}

/* The address of a unit's line is that of a fault. Without one it says nothing. */
static void trap_address(struct ctx *c, __u64 va)
{
	const char *bits = nvfifo_row_get(&c->e->fields, "bits");

	if (bits && !strstr(bits, "FAULT")) {
		means(c, "of no meaning here: the address belongs to faults in the MMU");
		hexnum(c, "address", 10, va);
		return;
	}

	nvfifo_explain_fault_address(c, va);
}

/* The bits by their names: the line need not have the word. */
static void named_advice(struct ctx *c, const struct trap_unit *unit)
{
	const char *names = nvfifo_row_get(&c->e->fields, "bits");
	const struct nvfifo_name *n;
	__u32 v = 0;

	if (*c->e->advice)
		return;

	for (n = unit->bits; names && n->name; n++) {
		if (find(names, n->name))
			v |= n->value;
	}

	trap_advice(c, unit->bits, v);
}

/* ARGUMENTS: names of bits, the implied bit or "-", registers */
void nvfifo_explain_trap(struct ctx *c, const char *s)
{
	const struct trap_unit unit = {
		.text = c->kind->anchor,
		.bits = nvfifo_explain_table(c->args[0]),
		.implied = strcmp(c->args[1], "-") ? c->args[1] : NULL,
		.registers = c->args + 2,
	};
	const char *p = strstr(s, unit.text), *fault;
	__u64 v;

	trap_place(c, p);

	fault = strstr(p, "fault at address");
	if (fault) {
		trap_fault(c, p, fault);
		if (unit.implied)
			str(c, "bits", "%s", unit.implied);
		else if (unit.bits == nvfifo_trap_prop_bits)
			str(c, "bits", "CUDA_FAULT");
		named_advice(c, &unit);
		return;
	}

	if (!trap_status(c, p, unit.bits) && !unknown_status(c, p, unit.bits))
		named_bits(c, p, &unit);
	if (hex(p, "address", &v))
		trap_address(c, v);
	shader_place(c, p);
	unit_words(c, p, &unit);
	named_words(c, p, &unit);
	if (unit.bits == nvfifo_trap_prop_bits)
		prop_words(c, p);
	trap_nothing(c, p);
	named_advice(c, &unit);
}

/* "TRAP: unknown 00000200", "TRAP: no units reporting traps?" */
void nvfifo_explain_trap_none(struct ctx *c, const char *s)
{
	char units[160];
	__u64 v;

	if (!hex(s, "unknown", &v) && !hex(s, "trap", &v)) {
		str(c, "units", "none");
		advise(c, "PGRAPH reported a trap, and none of its units did: the trap was over before it was looked at.");
		return;
	}

	hexnum(c, "trap", 8, v);
	nvfifo_bits_text(nvfifo_trap_bits, (__u32)v, "UNK", " ", units, sizeof(units));
	str(c, "units", "%s", units);
	advise(c, "%s", v >> 9 ? "Bits that no source documents: if there are many, the card does not answer sensibly." :
				 "nouveau did not handle these units; lines about them may stand before this one.");
}

/* "\t00409904: 00000005" between a texture unit's lines */
void nvfifo_explain_texture_register(struct ctx *c, const char *s)
{
	const char *from = strchr(s, '\t');
	__u64 reg, v;

	if (!from)
		return;

	from = hex_at(from, &reg);
	if (!from || !hex_at(from, &v)) {
		c->declined = true;
		return;
	}

	hexnum(c, "register", 6, reg);
	hexnum(c, "data", 8, v);
}
