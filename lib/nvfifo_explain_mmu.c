// SPDX-License-Identifier: MIT
/* Functions for rows: faults of the MMU: names of units by chip, the address, advice by both. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"

/* Advice for an access of PGRAPH to memory that is not mapped, by DMA slot, or NULL */
static const char *slot_advice(unsigned int reason, const char *slot)
{
	const struct explain_row *row = NULL;

	while (reason <= NVFIFO_FAULT_PAGE_NOT_PRESENT && (row = nvfifo_explain_row("slot", row))) {
		if (!strncmp(row->key, slot, strlen(row->key)))
			return row->text;
	}

	return NULL;
}

/* "0b PROP"; names that nouveau does not have come from rnndb. */
static void unit(struct ctx *c, const char *field, unsigned int id, const char *printed,
		 const char *known, bool is_client)
{
	if (!*printed && *known && is_client)
		str(c, field, "%02x %s (name missing in nouveau table; from rnndb)", id, known);
	else
		str(c, field, "%02x %s", id, *printed ? printed : known);
}

void nvfifo_explain_fault_address(struct ctx *c, __u64 va)
{
	hexnum(c, "va", 10, va);
	num(c, "pde_index", (__s64)(va >> 29));
	num(c, "pte_index_4k", (__s64)(va >> 12 & 0x1ffff));
	num(c, "pte_index_64k", (__s64)(va >> 16 & 0x1fff));
}

void nvfifo_explain_desc(struct ctx *c, const char *field, __u64 v, unsigned int digits)
{
	char before[80];

	snprintf(before, sizeof(before), "%.76s%s", c->means, *c->means ? ": " : "");
	means(c, "%sstructure at %0*" PRIx64, before, (int)digits, (uint64_t)nvfifo_chan_desc_address((__u32)v));
	hexnum(c, field, 8, v);
}

static void reason(struct ctx *c, const struct nvfifo_name *n)
{
	const char *advice = n ? nvfifo_explain_text("fault", n->name) : NULL, *gap = " ";

	if (n)
		str(c, "meaning", "%s", n->means);
	if (!advice)
		advice = gap = "";
	advise(c, "%s%sThe card keeps the first fault only, and its record says nothing about now.", advice, gap);
}

/* The reason by its name; nouveau and pscnv have one of their own for the supervisor's pages. */
static const struct nvfifo_name *reason_at(const char *s)
{
	const struct nvfifo_name *n;

	for (n = nvfifo_fault_reasons; n->name; n++) {
		if (!strncmp(s, n->name, strlen(n->name)) ||
		    (n->value == NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY && !strncmp(s, "PAGE_SYSTEM_ONLY", 16)))
			return n;
	}

	return NULL;
}

/* "reason PAGE_NOT_PRESENT", "reason: PAGE_NOT_PRESENT", "reason 0000000c" */
void nvfifo_explain_fault_reason(struct ctx *c, const char *s)
{
	const char *p = find(s, "reason");
	const struct nvfifo_name *n;
	__u64 v;

	if (!p)
		return;

	p += strspn(p, ": ");
	n = reason_at(p);
	if (n) {
		str(c, "reason", "%08x %s", n->value, n->name);
		reason(c, n);
	} else if (hex_at(p, &v)) {
		hexnum(c, "reason", 8, v);
	}
}

void nvfifo_explain_access(struct ctx *c, const char *s)
{
	const char *w = find(s, "write"), *r = find(s, "read");

	str(c, "access", "%s", w && (!r || w < r) ? "write" : "read");
}

/* "engine 00 [PGRAPH]": the number, and the name that the log has for it. */
static bool numbered(const char *s, const char *name, __u64 *v, char *text, size_t size)
{
	const char *p = hex(s, name, v);

	bracket(p, text, size);
	return p;
}

/* nouveau's address space for BAR3, its window for instance memory, begins here. */
#define NOUVEAU_BAR3	0x100000000ull

/*
 * A fault of engine 6: the processor's access through BAR1 or BAR3. Clients 4 and 8 are writes and
 * reads; DMA slot 0 is BAR1 and slot 1 BAR3.
 */
static void bar_fault(struct ctx *c, __u64 va, unsigned int slot)
{
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

/* Names of a BAR's DMA slots; nouveau prints those of PGRAPH's clients. */
static const char *slot_name(unsigned int engine, const char *printed, const char *known)
{
	if (engine == NVFIFO_VM_BAR || !*printed)
		return known;

	return printed;
}

void nvfifo_explain_vm_fault(struct ctx *c, const char *s)
{
	char en[40], cl[40], sc[40], re[40], owner[80];
	__u64 va, engine, client, slot, code, inst;
	const char *p, *known;
	__s64 id;

	nvfifo_explain_access(c, s);
	if (hex(s, "at", &va))
		nvfifo_explain_fault_address(c, va);
	p = dec(s, "channel", &id);
	if (p) {
		if (id < 0)
			means(c, "the driver knows no channel with that structure");
		num(c, "channel", id);
		if (bracket(p, owner, sizeof(owner)) && *owner) {
			p = hex_at(owner, &inst);
			if (p) {
				means(c, "address of the channel structure");
				hexnum(c, "inst", 8, inst);
				p += strspn(p, " ");
				if (*p && strcmp(p, "unknown"))
					str(c, "owner", "%s", p);
			}
		}
	}

	if (!numbered(s, "engine", &engine, en, sizeof(en)))
		return;

	unit(c, "engine", (unsigned int)engine, en, nvfifo_fault_engine(c->chipset, (__u32)engine),
	     false);
	if (numbered(s, "client", &client, cl, sizeof(cl)))
		unit(c, "client", (unsigned int)client, cl, nvfifo_fault_client(c->chipset, (__u32)client),
		     true);
	known = "";
	if (numbered(s, "subclient", &slot, sc, sizeof(sc))) {
		known = nvfifo_fault_slot(c->chipset, (__u32)engine, (__u32)client, (__u32)slot);
		unit(c, "subclient", (unsigned int)slot, slot_name((unsigned int)engine, sc, ""), known, false);
	}

	if (!numbered(s, "reason", &code, re, sizeof(re)))
		return;
	/* A character of the text may be damaged. */
	if (nvfifo_name_find(nvfifo_fault_reasons, (__u32)code))
		snprintf(re, sizeof(re), "%s", nvfifo_fault_reason_name((__u32)code));
	str(c, "reason", "%08" PRIx64 " %s", (uint64_t)code, re);
	if (engine == NVFIFO_VM_BAR)
		bar_fault(c, va, (unsigned int)slot);
	else
		reason(c, nvfifo_name_find(nvfifo_fault_reasons, (__u32)code));
	if (engine == NVFIFO_VM_PGRAPH && slot_advice((__u32)code, known))
		advise(c, "%s The card keeps the first fault only.", slot_advice((__u32)code, known));
}

/*
 * "on ch 2 [0x00001d2f]" of kernels before 3.7, and "on channel 0x0000fbce [Xorg[1234]]" after
 * them: the word is the channel's descriptor.
 */
static void old_fault_channel(struct ctx *c, const char *s)
{
	const char *from = find(s, "on ch");
	char text[80] = "";
	__u64 desc;
	__s64 id;

	if (from) {
		if (dec(s, "on ch", &id))
			num(c, "channel", id);
		from = strchr(from, '[');
		bracket(from, text, sizeof(text));
		from = text;
	} else {
		from = find(s, "on channel");
		bracket(from ? strchr(from, '[') : NULL, text, sizeof(text));
		if (from && strncmp(from, " 0x", 3))
			from = NULL;
		if (*text)
			str(c, "owner", "%s", text);
	}

	if (!from || !hex_at(from, &desc))
		return;

	nvfifo_explain_desc(c, "desc", desc, 10);
}

/* Kernels before 3.15: "PGRAPH/PROP/RT0 reason: PAGE_NOT_PRESENT". */
void nvfifo_explain_vm_fault_old(struct ctx *c, const char *s)
{
	const char *from = find(s, "reason"), *p;
	__u64 va;

	nvfifo_explain_vm_fault(c, s);
	if (!nvfifo_row_get(&c->e->fields, "va") && hex(s, "at", &va))
		nvfifo_explain_fault_address(c, va);
	old_fault_channel(c, s);
	if (!from || !strchr(s, '/'))
		return;

	nvfifo_explain_fault_reason(c, s);
	for (from -= strlen("reason"); from > s && (from[-1] == ' ' || from[-1] == '('); from--)
		;
	for (p = from; p > s && p[-1] != ' '; p--)
		;
	means(c, "engine, client, DMA slot");
	str(c, "units", "%.*s", (int)(from - p < 63 ? from - p : 63), p);
}

void nvfifo_explain_nvfifo_fault(struct ctx *c, const char *s)
{
	__u64 va, engine = 0, client = 0, slot = 0, inst;
	const char *p = strrchr(s, ':');
	const struct nvfifo_name *n;

	nvfifo_explain_access(c, s);
	if (hex(s, "at", &va))
		nvfifo_explain_fault_address(c, va);
	if (hex(s, "structure", &inst)) {
		means(c, "address of the channel structure");
		hexnum(c, "inst", 8, inst);
	}

	hex(s, "engine", &engine);
	hex(s, "client", &client);
	hex(s, "slot", &slot);
	str(c, "engine", "%02x %s", (unsigned int)engine,
	    nvfifo_fault_engine(c->chipset, (__u32)engine));
	str(c, "client", "%02x %s", (unsigned int)client,
	    nvfifo_fault_client(c->chipset, (__u32)client));
	str(c, "subclient", "%02x %s", (unsigned int)slot,
	    nvfifo_fault_slot(c->chipset, (__u32)engine, (__u32)client, (__u32)slot));

	n = p ? reason_at(p + 2) : NULL;
	if (!n)
		return;

	str(c, "reason", "%08x %s", n->value, n->name);
	reason(c, n);
}

/*
 * "PGRAPH_TRAP_M2MF_IN - VM: Trapped read at 0020116000 status 00004320 channel 2 (0x0001fb13)",
 * and before that without the descriptor: "status 00004320 00000000 channel 2".
 */
void nvfifo_explain_fault_status(struct ctx *c, const char *s)
{
	const char *end = strstr(s, " - VM: "), *from = end, *p;
	__u32 chipset = c->chipset, words[NVFIFO_FAULT_WORDS] = { 0 };
	struct nvfifo_fault f;
	__u64 va, status, desc;
	__s64 id;

	while (from > s && from[-1] != ' ')
		from--;
	means(c, "the unit that the driver was asked about");
	str(c, "reporter", "%.*s", (int)(end - from), from);
	nvfifo_explain_access(c, end);
	if (hex(end, "at", &va))
		nvfifo_explain_fault_address(c, va);
	p = dec(end, "channel", &id);
	if (p)
		num(c, "channel", id);
	if (p && (p = strchr(p, '(')) && hex_at(p, &desc))
		nvfifo_explain_desc(c, "desc", desc, 10);

	if (!hex(end, "status", &status))
		return;

	/* Fields have 8 bits from GT215 on, and 4 before; only the former fill the upper half. */
	if (!chipset)
		chipset = status >> 16 ? 0xa3 : 0x50;
	words[0] = (__u32)status;
	f = nvfifo_fault_decode(chipset, words);
	hexnum(c, "status", 8, status);
	str(c, "engine", "%02x %s", f.engine, nvfifo_fault_engine(chipset, f.engine));
	str(c, "client", "%02x %s", f.client, nvfifo_fault_client(chipset, f.client));
	str(c, "subclient", "%02x %s", f.slot,
	    nvfifo_fault_slot(chipset, f.engine, f.client, f.slot));
	str(c, "reason", "%08x %s", f.reason, nvfifo_fault_reason_name(f.reason));
	reason(c, nvfifo_name_find(nvfifo_fault_reasons, f.reason));
}

/* "gr mmu invalidate timeout", "flush timeout, engine 5" */
void nvfifo_explain_mmu_engine(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " mmu invalidate"), *from = p, *unit;
	char name[16];
	__s64 id;

	if (p) {
		while (from > s && isalnum((unsigned char)from[-1]))
			from--;
		snprintf(name, sizeof(name), "%.*s", (int)(p - from), from);
		unit = nvfifo_explain_text("mmu_engine", name);
		if (unit)
			means(c, "%s", unit);
		str(c, "engine", "%s", name);
	} else if (dec(s, "engine", &id)) {
		means(c, "%s", nvfifo_fault_engine(c->chipset, (unsigned int)id));
		num(c, "engine", id);
	}
}
