// SPDX-License-Identifier: MIT
/* Lines of nouveau about the MMU: faults, and flushes that do not end. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_methods.h"

static const char *reason_advice(unsigned int reason)
{
	switch (reason) {
	case NVFIFO_FAULT_PT_NOT_PRESENT:
	case NVFIFO_FAULT_PT_TOO_SHORT:
	case NVFIFO_FAULT_PAGE_NOT_PRESENT:
		return "Nothing is mapped at that address: a wrong address, or a buffer that was unmapped while the card still used it.";
	case NVFIFO_FAULT_PAGE_READ_ONLY:
		return "The mapping or the DMA object is for reading only, and the method writes.";
	case NVFIFO_FAULT_NULL_DMAOBJ:
		return "The engine's DMA object was never set in this channel, or its context was lost (seen after a resume from suspend).";
	case NVFIFO_FAULT_WRONG_MEMTYPE:
		return "The storage type of the mapping does not fit to the method, or does not exist on this chipset.";
	case NVFIFO_FAULT_DMAOBJ_LIMIT:
		return "The access ends beyond the limit of the DMA object that the method names.";
	case NVFIFO_FAULT_VRAM_LIMIT:
		return "The page table points beyond the end of VRAM: a wrong PTE, a driver's mistake.";
	case NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY:
		return "The page is the driver's.";
	}

	return "";
}

/* Advice for an access of PGRAPH to memory that is not mapped, by DMA slot */
static const struct {
	const char *slot;
	const char *advice;
} slot_advices[] = {
	{ "LOCAL", "Local memory of programs, where registers are spilled, is not mapped there: the buffer of LOCAL_ADDRESS is too small for LOCAL_SIZE_LOG times the TPs, MPs and warps of this chip, was freed too early, or the address was set wrongly." },
	{ "STACK", "The stack of programs is not mapped there: the buffer of STACK_ADDRESS is too small for STACK_SIZE_LOG times the TPs, MPs and warps of this chip, was freed too early, or the address was set wrongly." },
	{ "GLOBAL", "A program computed an address of global memory where nothing is mapped: an index past the end, or a buffer that was freed too early." },
	{ "RT", "A render target is not mapped there: RT_ADDRESS, its size, or a buffer that was freed too early." },
	{ "ZETA", "The depth buffer is not mapped there: ZETA_ADDRESS, its size, or a buffer that was freed too early." },
	{ "DST2D", "The destination of 2D is not mapped there: DST_ADDRESS, its pitch and height, or a buffer that was freed too early." },
	{ "M2M_IN", "The source of a copy is not mapped there: OFFSET_IN, its pitch and lines, or a buffer that was freed too early." },
	{ "M2M_OUT", "The destination of a copy is not mapped there: OFFSET_OUT, its pitch and lines, or a buffer that was freed too early." },
	{ "M2M_NOTIFY", "The notifier of a copy is not mapped there: DMA_NOTIFY of M2MF." },
	{ "STRMOUT", "The buffer of transform feedback is not mapped there: STRMOUT_ADDRESS, its size, or a buffer that was freed too early." },
	{ "GRCTX", "The context buffer of the channel, where PGRAPH saves its registers, is not mapped there. The driver's mistake." },
	{ "NOTIFY", "The notifier is not mapped there: DMA_NOTIFY, or a buffer that was freed too early." },
	{ "QUERY", "The result of a query is not mapped there: QUERY_ADDRESS, or a buffer that was freed too early." },
	{ "COND", "The word of a condition is not mapped there: COND_ADDRESS, or a buffer that was freed too early." },
	{ "CB", "Code or constants of a program are not mapped there: CODE_ADDRESS or CB_ADDRESS, or a buffer that was freed too early." },
	{ "TIC", "The table of texture headers is not mapped there: TIC_ADDRESS, an index past its end, or a buffer that was freed too early." },
	{ "TSC", "The table of samplers is not mapped there: TSC_ADDRESS, an index past its end, or a buffer that was freed too early." },
	{ "CLIPID", "The buffer of clip ids is not mapped there: CLIPID_ADDRESS, or a buffer that was freed too early." },
	{ "VERTEX", "Vertices or indices are not mapped there: VERTEX_ARRAY_START and its limit, the largest index, or a buffer that was freed too early." },
	{ "TEXTURE", "A texture is not mapped there: the address and size in its header (TIC), or a buffer that was freed too early." },
};

static const char *slot_advice(unsigned int reason, const char *slot)
{
	size_t i;

	if (reason > NVFIFO_FAULT_PAGE_NOT_PRESENT)
		return NULL;

	for (i = 0; i < sizeof(slot_advices) / sizeof(slot_advices[0]); i++) {
		if (!strncmp(slot_advices[i].slot, slot, strlen(slot_advices[i].slot)))
			return slot_advices[i].advice;
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

void nvfifo_explain_fault_reason(struct ctx *c, unsigned int reason)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_fault_reasons, reason);

	if (n)
		str(c, "meaning", "%s", n->means);
	advise(c, "%s%sThe card keeps the first fault only, and its record says nothing about now.",
	       reason_advice(reason), *reason_advice(reason) ? " " : "");
}

void nvfifo_explain_fault_access(struct ctx *c, const char *s)
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

static void vm_fault(struct ctx *c, const char *s)
{
	char en[40], cl[40], sc[40], re[40], owner[80];
	__u64 va, engine, client, slot, reason, inst;
	const char *p, *known;
	__s64 id;

	nvfifo_explain_fault_access(c, s);
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

	if (!numbered(s, "reason", &reason, re, sizeof(re)))
		return;
	/* A character of the text may be damaged. */
	if (nvfifo_name_find(nvfifo_fault_reasons, (__u32)reason))
		snprintf(re, sizeof(re), "%s", nvfifo_fault_reason_name((__u32)reason));
	str(c, "reason", "%08" PRIx64 " %s", (uint64_t)reason, re);
	if (engine == NVFIFO_VM_BAR)
		bar_fault(c, va, (unsigned int)slot);
	else
		nvfifo_explain_fault_reason(c, (__u32)reason);
	if (engine == NVFIFO_VM_PGRAPH && slot_advice((__u32)reason, known))
		advise(c, "%s The card keeps the first fault only.", slot_advice((__u32)reason, known));
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

	means(c, "structure at %010" PRIx64, (uint64_t)nvfifo_chan_desc_address((__u32)desc));
	hexnum(c, "desc", 8, desc);
}

/* Kernels before 3.15: "PGRAPH/PROP/RT0 reason: PAGE_NOT_PRESENT". */
static void vm_fault_old(struct ctx *c, const char *s)
{
	const char *p = find(s, "reason"), *from;
	const struct nvfifo_name *n;
	char units[64];
	__u64 va;

	vm_fault(c, s);
	if (!nvfifo_row_get(&c->e->fields, "va") && hex(s, "at", &va))
		nvfifo_explain_fault_address(c, va);
	old_fault_channel(c, s);
	if (!p || !strchr(s, '/'))
		return;

	for (from = p - strlen("reason"); from > s && (from[-1] == ' ' || from[-1] == '('); from--)
		;
	p += strspn(p, ": ");
	for (n = nvfifo_fault_reasons; n->name; n++) {
		if (!strncmp(p, n->name, strlen(n->name)) ||
		    (n->value == 3 && !strncmp(p, "PAGE_SYSTEM_ONLY", 16))) {
			str(c, "reason", "%08x %s", n->value, n->name);
			nvfifo_explain_fault_reason(c, n->value);
			break;
		}
	}

	if (!n->name && hex_at(p, &va))
		hexnum(c, "reason", 8, va);

	p = from;
	while (p > s && p[-1] != ' ')
		p--;
	snprintf(units, sizeof(units), "%.*s", (int)(from - p), p);
	means(c, "engine, client, DMA slot");
	str(c, "units", "%s", units);
}

static void tlb_timeout(struct ctx *c, const char *s)
{
	static const struct {
		const char *name;
		const char *unit;
	} units[] = {
		{ "gr", "PGRAPH" }, { "bar", "BAR" },	{ "ce0", "PCOPY" },   { "ce", "PCOPY" },
		{ "vp", "PVP" },    { "mspdec", "PPDEC" }, { "msppp", "PPPP" }, { "msvld", "PVLD" },
		{ "mpeg", "PMPEG" }, { "bsp", "PBSP" }, { "cipher", "PCIPHER" }, { "sec", "PSEC" },
	};
	const char *p = strstr(s, " mmu invalidate"), *from = p;
	unsigned int i;
	char name[16];
	__s64 id;

	if (p) {
		while (from > s && isalnum((unsigned char)from[-1]))
			from--;
		snprintf(name, sizeof(name), "%.*s", (int)(p - from), from);
		for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (!strcmp(units[i].name, name))
				means(c, "%s", units[i].unit);
		}
		str(c, "engine", "%s", name);
	} else if (dec(s, "engine", &id)) {
		means(c, "%s", nvfifo_fault_engine(c->chipset, (unsigned int)id));
		num(c, "engine", id);
	}

	str(c, "meaning", "bit 0 of 0x100c80 still set after 2 s");
	advise(c, "The MMU did not end a TLB flush. nouveau waits as long again for each later unmap, so the machine seems frozen; only a reset of the card helps.");
}

static void bar_flush(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "the flush of CPU writes to VRAM did not end: bit 1 of 0x070000, on the G80 of 0x00330c");
	advise(c, "The card does not work through its accesses to VRAM: it is not set up, hangs, or is gone.");
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_mmu_lines[] = {
	LINE_TO("vm_fault", "nouveau", "rapped ", " engine ", vm_fault, "reason", 8),
	LINE_TO("vm_fault", "nouveau", "rapped read at ", NULL, vm_fault_old, "reason", 0),
	LINE_TO("vm_fault", "nouveau", "rapped write at ", NULL, vm_fault_old, "reason", 0),
	LINE("tlb_flush_timeout", "nouveau", "mmu invalidate timeout", NULL, tlb_timeout),
	LINE("tlb_flush_timeout", "nouveau", "flush timeout", "engine", tlb_timeout),
	LINE("wait_timeout", "nouveau", "PRAMIN flush timeout", NULL, bar_flush),
	{ 0 }
};
