// SPDX-License-Identifier: MIT
/*
 * Log lines in words. An anchor, a piece of text that no other kind has, identifies each kind of
 * line. Names identify the fields. So the wordings of several kernel versions work, and so do
 * incomplete lines.
 */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_methods.h"

static void channel_of(struct ctx *c, const char *s)
{
	const char *p;
	char name[80];
	__s64 id;

	p = dec(s, "ch", &id);
	if (!p)
		p = dec(s, "channel", &id);
	if (!p)
		return;

	if (id < 0)
		means(c, "the driver knows no channel with that structure");
	num(c, "channel", id);
	p = bracket(p, name, sizeof(name));
	if (p && *name && strcmp(name, "unknown"))
		str(c, "owner", "%s", name);
}

/* --- The pusher ---------------------------------------------------------- */

static const char *const pusher_advice[] = {
	[1] = "A call inside of a subroutine: the pusher has one return address only.",
	[2] = "PFIFO itself owns the methods below 0x100 and knows no such one on this chipset: a class's method without its offset, or a method of G84 on a G80.",
	[3] = "A return without a call.",
	[4] = "The pusher met a word that is no command. Either a count in an earlier header is wrong, so that data are read as commands, or the segment's content was not yet visible to the card: if GET is at the first word of a segment, suspect the second.",
	[5] = "An IB entry of length 0: the ring was written wrongly, or IB_PUT is ahead of what was written.",
	[6] = "The MMU refused the ring or the pushbuffer: see the VM fault line of the same time. The memory is not mapped in the channel's address space, or was unmapped too early.",
};

void nvfifo_explain_dma_state(struct ctx *c, __u32 v)
{
	struct nvfifo_dma_state s = nvfifo_dma_state_decode(v);
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_pusher_errors, s.error);
	const char *name = nvfifo_method_name(0, s.method);

	str(c, "dma_state", "%08x", v);
	means(c, "%s", n->means);
	str(c, "error", "%s", n->name);
	num(c, "subchannel", s.subc);
	if (name)
		means(c, "%s, of the next data word", name);
	else
		means(c, "of the next data word");
	str(c, "method", "%04x", s.method);
	num(c, "non_incr", s.nonincr);
	if (s.long_pending)
		means(c, "the next word is the count of a long command");
	num(c, "long_ni_len_pending", s.long_pending);
	num(c, "subroutine_active", s.subroutine);
	if (s.not_main)
		means(c, "the segment is not the main buffer");
	num(c, "non_main", s.not_main);
	if (s.error != NVFIFO_PUSHER_INVALID_MTHD && s.method && !s.nonincr)
		str(c, "last_method_done", "%04x", s.method - 4u);
	else
		str(c, "last_method_done", "%s", "");
	if (s.error == NVFIFO_PUSHER_INVALID_MTHD)
		str(c, "offending_method", "%04x", s.method);
	else
		str(c, "offending_method", "%s", "");
	if (s.error < sizeof(pusher_advice) / sizeof(pusher_advice[0]) && pusher_advice[s.error])
		advise(c, "%s", pusher_advice[s.error]);
	else
		advise(c, "DMA_STATE has no known error: the pusher has gone on before the driver read it, or the reads are not the card's.");
}

static void positions(struct ctx *c, const char *s)
{
	__u64 get, put_, ib_get, ib_put;
	bool have_get = hex(s, "get", &get), have_put = hex(s, "put", &put_);
	bool have_ib_get = hex(s, "ib_get", &ib_get) || hex(s, "ibget", &ib_get);
	bool have_ib_put = hex(s, "ib_put", &ib_put) || hex(s, "ibput", &ib_put);

	if (have_get) {
		means(c, "the pusher reads here next");
		str(c, "dma_get", "%010" PRIx64, (uint64_t)get);
	}

	if (have_put) {
		means(c, "end of the segment");
		str(c, "dma_put", "%010" PRIx64, (uint64_t)put_);
	}

	if (have_get && have_put && put_ >= get) {
		means(c, "%" PRIu64 " words that were not read", (uint64_t)(put_ - get) / 4);
		num(c, "segment_bytes_left", (__s64)(put_ - get));
	}

	if (have_ib_get) {
		means(c, "the next entry of the ring that the pusher reads");
		str(c, "ib_get", "%08" PRIx64, (uint64_t)ib_get);
	}

	if (have_ib_put) {
		means(c, "the next entry that the driver writes");
		str(c, "ib_put", "%08" PRIx64, (uint64_t)ib_put);
	}

	if (have_ib_get && have_ib_put && ib_put >= ib_get)
		num(c, "ib_entries_after_this", (__s64)(ib_put - ib_get));
}

/* nouveau prints addresses of 40 bits and the ring's positions for this family only. */
static bool is_older_card(const char *s)
{
	const char *p = find(s, "get");
	__u64 v;

	if (!p || hex(s, "ib_get", &v) || hex(s, "ibget", &v) || find(s, "word"))
		return false;

	p += strspn(p, " ");
	if (!strncmp(p, "0x", 2))
		p += 2;

	return strspn(p, "0123456789abcdef") == 8;
}

static void older_dma_pusher(struct ctx *c, const char *s, __u32 state)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_pusher_errors, state >> 29);
	__u64 v;

	str(c, "dma_state", "%08x", state);
	str(c, "error", "%s", n ? n->name : "");
	if (hex(s, "get", &v))
		str(c, "dma_get", "%08" PRIx64, (uint64_t)v);
	if (hex(s, "put", &v))
		str(c, "dma_put", "%08" PRIx64, (uint64_t)v);
	str(c, "meaning", "the card is older than this family, which has an IB ring and addresses of 40 bits");
	advise(c, "The layout of DMA_STATE differs there; this program knows the NV50 family only.");
}

static void dma_pusher(struct ctx *c, const char *s)
{
	__u64 v;

	if (is_older_card(s) && hex(s, "state", &v)) {
		channel_of(c, s);
		older_dma_pusher(c, s, (__u32)v);
		return;
	}

	channel_of(c, s);
	if (hex(s, "word", &v)) {
		means(c, "what the pusher refused");
		str(c, "word", "%08" PRIx64, (uint64_t)v);
	}

	if (hex(s, "state", &v))
		nvfifo_explain_dma_state(c, (__u32)v);
	positions(c, s);
	if (hex(s, "push", &v)) {
		str(c, "dma_push", "%08" PRIx64, (uint64_t)v);
		put_bits(c, "dma_push_bits", nvfifo_dma_push_bits, (__u32)v);
	}
}

static void nvfifo_dma_pusher(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "channel ");

	dma_pusher(c, p ? p : s);
}

/* --- The puller ---------------------------------------------------------- */

void nvfifo_explain_method(struct ctx *c, __u64 method, __u32 oclass)
{
	const char *name = nvfifo_method_name(oclass, (__u32)method);

	if (name)
		means(c, "%s", name);
	str(c, "method", "%04" PRIx64, (uint64_t)method);
}

/*
 * Handles that Mesa chooses and nouveau puts into RAMHT when the channel is made: beef0201 for VRAM,
 * beef0202 for system memory. nouveau's fences bind them with method 0060.
 */
#define KERNEL_HANDLES	0xbeef0200

#define FENCE_ADVICE \
	"The driver's own fence wrote this handle, which it put into RAMHT when the channel was made: no program can spell it wrong. A single one skips one word and was harmless on MCP79. If it comes at each fence, the entry is missing: read CACHE1.PULL0 (HASH_FAILED) and the channel's RAMHT. The same error at other methods is a real mistake."

static void cache_error(struct ctx *c, const char *s)
{
	const struct nvfifo_name *n;
	const char *p = find(s, "ch");
	__u64 method = 0, data = 0;
	bool has_method;
	__s64 subc = -1, id;
	char reason[32] = "";

	/* The oldest wording: "Ch 2/1". */
	if (p && (p = dec(s, "ch", &id)) && *p == '/' && isdigit((unsigned char)p[1])) {
		num(c, "channel", id);
		subc = p[1] - '0';
	} else {
		channel_of(c, s);
	}

	p = strstr(s, "CACHE_ERROR ");
	if (p && isupper((unsigned char)p[12]))
		snprintf(reason, sizeof(reason), "%.*s", (int)strcspn(p + 12, ","), p + 12);

	for (n = nvfifo_pull0_bits; *reason && n->name; n++) {
		if (!strcmp(n->name, reason))
			means(c, "%s", n->means);
	}

	if (*reason)
		str(c, "error", "%s", reason);
	if (subc >= 0 || dec(s, "subc", &subc) || dec(s, "subchannel", &subc))
		num(c, "subchannel", subc);
	has_method = hex(s, "mthd", &method) || hex(s, "method", &method);
	if (has_method)
		nvfifo_explain_method(c, method, 0);
	if (hex(s, "data", &data))
		str(c, "data", "%08" PRIx64, (uint64_t)data);

	if (!has_method)
		return;

	if (method == NVFIFO_MTHD_DMA_SEMAPHORE && (data & 0xffffff00) == KERNEL_HANDLES)
		advise(c, "%s", FENCE_ADVICE);
	else if (!method || method == NVFIFO_MTHD_DMA_SEMAPHORE || (method >= 0x180 && method < 0x200))
		advise(c, "The data are a handle, and RAMHT of the channel has no object of that name (or, for method 0, one that no engine of the card has). Create the object before its use; is the handle spelled right?");
	else if (method >= 0x100)
		advise(c, "The subchannel has no object that an engine knows: bind one with method 0 first.");
	else
		advise(c, "PFIFO itself executes methods below 0x100, and refused this one: this chip has no such method, or its data are wrong.");
}

static void semaphore(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "SEMAPHORE ");
	const struct nvfifo_name *n;
	__u64 v;

	channel_of(c, s);

	for (n = nvfifo_semaphore_errors; p && n->name; n++) {
		if (!strncmp(p + 10, n->name, strlen(n->name))) {
			means(c, "%s", n->means);
			str(c, "error", "%s", n->name);
			break;
		}
	}

	if (hex(s, "method", &v))
		nvfifo_explain_method(c, v, 0);
	if (hex(s, "data", &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	advise(c, "Semaphores need DMA_SEMAPHORE (0x60) with the handle of a DMA object, then an address that is a multiple of 4 inside of it.");
}

/* --- The MMU ------------------------------------------------------------- */

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
	{ "M2MF_IN", "The source of a copy is not mapped there: OFFSET_IN, its pitch and lines, or a buffer that was freed too early." },
	{ "M2MF_OUT", "The destination of a copy is not mapped there: OFFSET_OUT, its pitch and lines, or a buffer that was freed too early." },
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
	if (*printed)
		str(c, field, "%02x %s", id, printed);
	else if (*known && is_client)
		str(c, field, "%02x %s (name missing in nouveau table; from rnndb)", id, known);
	else
		str(c, field, "%02x %s", id, known);
}

void nvfifo_explain_fault_address(struct ctx *c, __u64 va)
{
	str(c, "va", "%010" PRIx64, (uint64_t)va);
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
		advise(c, "The driver itself touched memory that is not mapped in the BARs' address space; no pushbuffer has a part in it.");
		return;
	}

	means(c, slot ? "the window for instance memory" : "the window for buffers that the processor maps");
	str(c, "bar", "%s", slot ? "BAR3" : "BAR1");
	if (slot && va >= NOUVEAU_BAR3) {
		means(c, "nouveau's BAR3 space begins at 01_0000_0000");
		str(c, "bar_offset", "%08" PRIx64, (uint64_t)(va - NOUVEAU_BAR3));
	}

	advise(c, "The processor's access through %s, not the card's: no pushbuffer has a part in it. The channel structure is that of the BARs, so that the driver knows no channel of it. Look at the driver: a mapping that was torn down while it was in use, or a resume.",
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
	const char *p;
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
				str(c, "inst", "%08" PRIx64, (uint64_t)inst);
				p += strspn(p, " ");
				if (*p && strcmp(p, "unknown"))
					str(c, "owner", "%s", p);
			}
		}
	}

	if (!numbered(s, "engine", &engine, en, sizeof(en)))
		return;

	numbered(s, "client", &client, cl, sizeof(cl));
	numbered(s, "subclient", &slot, sc, sizeof(sc));
	numbered(s, "reason", &reason, re, sizeof(re));
	unit(c, "engine", (unsigned int)engine, en, nvfifo_fault_engine(c->chipset, (__u32)engine),
	     false);
	unit(c, "client", (unsigned int)client, cl, nvfifo_fault_client(c->chipset, (__u32)client),
	     true);
	unit(c, "subclient", (unsigned int)slot,
	     slot_name((unsigned int)engine, sc, ""),
	     nvfifo_fault_slot(c->chipset, (__u32)engine, (__u32)client, (__u32)slot), false);
	if (!*re && nvfifo_name_find(nvfifo_fault_reasons, (__u32)reason))
		snprintf(re, sizeof(re), "%s", nvfifo_fault_reason_name((__u32)reason));
	str(c, "reason", "%08" PRIx64 " %s", (uint64_t)reason, re);
	if (engine == NVFIFO_VM_BAR)
		bar_fault(c, va, (unsigned int)slot);
	else
		nvfifo_explain_fault_reason(c, (__u32)reason);
	if (engine == NVFIFO_VM_PGRAPH &&
	    slot_advice((__u32)reason, nvfifo_fault_slot(c->chipset, 0, (__u32)client, (__u32)slot)))
		advise(c, "%s The card keeps the first fault only.",
		       slot_advice((__u32)reason, nvfifo_fault_slot(c->chipset, 0, (__u32)client, (__u32)slot)));
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
	str(c, "desc", "%08" PRIx64, (uint64_t)desc);
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
		str(c, "reason", "%08" PRIx64, (uint64_t)va);

	p = from;
	while (p > s && p[-1] != ' ')
		p--;
	snprintf(units, sizeof(units), "%.*s", (int)(from - p), p);
	means(c, "engine, client, DMA slot");
	str(c, "units", "%s", units);
}

static void nvfifo_fault(struct ctx *c, const char *s)
{
	__u64 va, engine = 0, client = 0, slot = 0, inst;
	const char *p = strrchr(s, ':');
	const struct nvfifo_name *n;

	nvfifo_explain_fault_access(c, s);
	if (hex(s, "at", &va))
		nvfifo_explain_fault_address(c, va);
	if (hex(s, "structure", &inst)) {
		means(c, "address of the channel structure");
		str(c, "inst", "%08" PRIx64, (uint64_t)inst);
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

	for (n = nvfifo_fault_reasons; p && n->name; n++) {
		if (!strncmp(p + 2, n->name, strlen(n->name))) {
			str(c, "reason", "%08x %s", n->value, n->name);
			nvfifo_explain_fault_reason(c, n->value);
		}
	}
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
	advise(c, "The MMU did not end a TLB flush. nouveau waits as long again for each later unmap, so that the machine seems frozen; only a reset of the card helps.");
}

/* --- PGRAPH -------------------------------------------------------------- */

bool nvfifo_explain_all_ones(struct ctx *c, __u64 v)
{
	if (v != 0xffffffff)
		return false;
	str(c, "meaning", "all ones: the card no longer answers, this is no status");
	advise(c, "The card is gone from the bus or powered down; nothing that the log says after this line is about the card.");
	return true;
}

#define IDLE_TEXT "PGRAPH not idle 2 s after PFIFO fetch was paused; 3-bit unit states, 1 = busy"

static void pgraph_status(struct ctx *c, const char *s)
{
	char names[400];
	const char *p;
	__u64 v;

	p = hex(s, "PGRAPH_STATUS", &v);
	if (!p)
		p = hex(s, "status", &v);
	if (!p)
		return;

	str(c, "status", "%08" PRIx64, (uint64_t)v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	nvfifo_bits_text(nvfifo_pgraph_status_bits, (__u32)v, "UNK", " ", names, sizeof(names));
	str(c, "units", "%s", names);
	str(c, "meaning", IDLE_TEXT);
	advise(c, "A unit that stays busy waits for another or hangs; CTXPROG means that a context switch did not end.");
}

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

static void pgraph_vstatus(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "VSTATUS");
	unsigned int reg;
	__u64 v;

	reg = (unsigned int)(p[7] - '0');
	if (reg > 2 || !hex_at(p + 8, &v)) {
		c->declined = true;
		return;
	}

	num(c, "register", reg);
	str(c, "status", "%08" PRIx64, (uint64_t)v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	vstatus_states(c, reg, (__u32)v, "");
	str(c, "meaning", IDLE_TEXT);
	advise(c, "%s", v ? "A unit that stays busy waits for another or hangs." : "No unit of this group is busy.");
}

/* Older kernels print PGRAPH_STATUS and the three VSTATUS words in one line, newer ones in more. */
static void idle_timeout(struct ctx *c, const char *s)
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
		str(c, names[i], "%08" PRIx64, (uint64_t)w[i]);
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
		str(c, "code", "%08x", n->value);
		return;
	}

	c->declined = true;
}

static void data_error(struct ctx *c, const char *s)
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
	str(c, "code", "%08" PRIx64, (uint64_t)v);
	advise(c, "The next line with class, method and data tells which method it was.");
}

/* NV1_NULL, an object that takes no methods */
#define NULL_CLASS	0x0030

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

	str(c, "interrupt", "%08" PRIx64, (uint64_t)intr);
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
		num(c, "subchannel", strtol(from + 1, NULL, 10));

	if (!bracket(from, text, sizeof(text)))
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(from, ")"), from);
	from = hex_at(text, &inst);
	if (!from)
		return;

	means(c, "address of the channel structure");
	str(c, "inst", "%010" PRIx64, (uint64_t)inst);
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
	    !nvfifo_method_get((__u32)strtoul(oclass, NULL, 16), (__u32)strtoul(method, NULL, 16), &form))
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
		str(c, "data_high", "%08" PRIx64, (uint64_t)data >> 32);
	nvfifo_explain_data_means(c, (__u32)data);
	str(c, "data", "%08" PRIx64, (uint64_t)data & 0xffffffff);
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

	if (oclass && !nvfifo_class_exists(0, oclass) && oclass != NULL_CLASS)
		advise(c, "No chip of this family has a class %04x: either the card is of another family, or the driver reads nonsense.", oclass);
	else if (bits && (strstr(bits, "ILLEGAL_MTHD") || strstr(bits, "ILLEGAL_CLASS")) &&
		 is_lost_binding(oclass, method))
		advise(c, "The subchannel has lost its object: methods of another class arrive at it. Bind the object anew with method 0; after a reset, a resume or another channel's error the driver has to.");
	else if (bits && strstr(bits, "ILLEGAL_MTHD"))
		advise(c, "The object of the subchannel has no such method: is the right object bound there, and is its class one that this chip has?");
	else if (bits && strstr(bits, "ILLEGAL_CLASS"))
		advise(c, "PGRAPH of this chip has no such class: 'nvfifo chips' lists the classes.");
	else if (bits && strstr(bits, "DATA_ERROR"))
		advise(c, "PGRAPH refused this method's data; the DATA_ERROR line at the same time has the code.");
	else if (bits && strstr(bits, "TRAP"))
		advise(c, "Where the front end was when a unit stopped: the method that failed is this or one before it. The lines about a TRAP and a VM fault at the same time have the cause.");
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
		str(c, "object_class", "%04" PRIx64, (uint64_t)oclass);
	}

	if (hex(s, "mthd", &method))
		nvfifo_explain_method(c, method, (__u32)oclass);
	nvfifo_explain_method_data(c, s);
	method_advice(c, (__u32)oclass, (__u32)method);
}

/* "ch 3 [...] subc 5 class 5039 mthd 0104 data ... 400808 80050104 400848 00000000" */
static void stuck_command(struct ctx *c, const char *s)
{
	static const char *const registers[] = { "400808", "400848", "40084c" };
	char name[16];
	size_t i;
	__u64 v;

	str(c, "unit", "DISPATCH");
	nvfifo_explain_pgraph_method(c, s);

	for (i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		if (!hex(s, registers[i], &v))
			continue;

		snprintf(name, sizeof(name), "r%s", registers[i]);
		str(c, name, "%08" PRIx64, (uint64_t)v);
	}

	advise(c, "The command that is stuck in DISPATCH: a notifier, query or condition with a wrong address or DMA object.");
}

/* "PGRAPH DATA_ERROR INVALID_ENUM, intr 00100000 detail 00000005, class 502d subchannel 4 ..." */
static void nvfifo_graph(struct ctx *c, const char *s)
{
	__u64 intr = 0, detail = 0, oclass = 0, v;
	const struct nvfifo_name *n;
	char units[160];
	__s64 subc;

	channel_of(c, s);
	if (hex(s, "intr", &intr)) {
		str(c, "interrupt", "%08" PRIx64, (uint64_t)intr);
		put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, (__u32)intr);
	}

	hex(s, "detail", &detail);
	n = nvfifo_name_find(nvfifo_data_errors, (__u32)detail);
	if (intr >> 20 & 1 && n) {
		means(c, "%s", n->means ? n->means : "");
		str(c, "error", "%s", n->name);
	}

	if (intr >> 20 & 1)
		str(c, "code", "%08" PRIx64, (uint64_t)detail);
	if (intr >> 21 & 1) {
		nvfifo_bits_text(nvfifo_trap_bits, (__u32)detail, "UNK", " ", units, sizeof(units));
		str(c, "units", "%s", units);
	}

	if (dec(s, "subchannel", &subc))
		num(c, "subchannel", subc);
	if (hex(s, "class", &oclass) && oclass) {
		const char *name = nvfifo_class_name((__u32)oclass);

		if (name)
			means(c, "%s", name);
		str(c, "object_class", "%04" PRIx64, (uint64_t)oclass);
	}

	if (hex(s, "method", &v))
		nvfifo_explain_method(c, v, (__u32)oclass);
	if (hex(s, "data", &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	if (intr >> 21 & 1)
		advise(c, "A unit of PGRAPH could not go on, mostly because the MMU refused it: see the VM fault line of the same time. PGRAPH works through methods in advance, so that the method is that or one before it.");
	else if (intr >> 20 & 1)
		advise(c, "The method's data are wrong in themselves, or do not go with what was set before.");
	else
		advise(c, "The object of the subchannel has no such method, or PGRAPH of this chipset no such class: is the right object bound there?");
}

/* A unit of PGRAPH in a line of nouveau's log, and the bits of its status */
struct trap_unit {
	const char *text;	/* in the log */
	const char *unit;
	const struct nvfifo_name *bits;
	const char *means;
	const char *registers;	/* those that the log prints after the status */
	const char *implied;	/* text without a status */
};

#define DISPATCH_MEANS	"DISPATCH: notifier, query, condition or context"
#define PROP_MEANS	"render targets or memory accesses of shaders"
#define PROP_REGISTERS	"e0c e18 e1c e20 e24"

static const struct trap_unit trap_units[] = {
	{ "TRAP_M2MF", "M2MF", nvfifo_trap_m2mf_bits, "the MMU refused a memory copy",
	  "406804 406808 40680c 406810", NULL },
	{ "TRAP_VFETCH", "VFETCH", nvfifo_trap_fault_bits, "the MMU refused to read vertices",
	  "400c00 400c08 400c0c 400c10", NULL },
	{ "TRAP_STRMOUT", "STRMOUT", nvfifo_trap_fault_bits, "the MMU refused transform feedback",
	  "401804 401808 40180c 401810", NULL },
	/* Kernels before 2.6.37 read other registers. */
	{ "TRAP_CCACHE_FAULT", "CCACHE", nvfifo_trap_fault_bits,
	  "the MMU refused to read code, constants, or texture and sampler headers",
	  "405800 405804 405808 40580c 405810 405814 40581c", "FAULT" },
	{ "TRAP_CCACHE", "CCACHE", nvfifo_trap_fault_bits,
	  "the MMU refused to read code, constants, or texture and sampler headers",
	  "405000 405004 405008 40500c 405010 405014 40501c", NULL },
	{ "TRAP_TEXTURE", "TEXTURE", nvfifo_trap_tex_bits, "a texture unit stopped", NULL, NULL },
	{ "TRAP_MP_EXEC", "MP_EXEC", nvfifo_trap_mp_exec_bits, "a shader program stopped", NULL,
	  NULL },
	{ "TRAP_MP", "MP", nvfifo_trap_mp_bits, "a multiprocessor stopped", NULL, NULL },
	{ "TRAP_PROP", "PROP", nvfifo_trap_prop_bits, PROP_MEANS, PROP_REGISTERS, NULL },
	/* PROP's name in kernels before 3.15 */
	{ "TRAP_TPDMA_2D", "PROP", nvfifo_trap_prop_bits, "the destination of 2D",
	  PROP_REGISTERS, "DST2D_FAULT" },
	{ "TRAP_TPDMA_RT", "PROP", nvfifo_trap_prop_bits, "a render target", PROP_REGISTERS,
	  "RT_FAULT" },
	{ "TRAP_TPDMA", "PROP", nvfifo_trap_prop_bits, PROP_MEANS, PROP_REGISTERS, NULL },
	{ "TRAP_DISPATCH", "DISPATCH", nvfifo_trap_dispatch_bits, DISPATCH_MEANS, NULL, NULL },
	{ "TRAP DISPATCH", "DISPATCH", nvfifo_trap_dispatch_bits, DISPATCH_MEANS, NULL, NULL },
	{ "TRAP_UNKC04", "UNKC04", nvfifo_trap_fault_bits,
	  "CLIPID of other documents, with its status at 402000", NULL, NULL },
};

/* The meanings of all bits that are set, as words for the next field. */
static void bits_mean(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	size_t used = 0;

	for (; bits->name && used < sizeof(c->means); bits++) {
		if (v & bits->value && bits->means)
			used += (size_t)snprintf(c->means + used, sizeof(c->means) - used, "%s%s",
						 used ? "; " : "", bits->means);
	}
}

/* The eight digits after "stopped", and their names. */
static void stopped_for(struct ctx *c, const char *s, const struct nvfifo_name *bits)
{
	__u64 v;

	if (!hex(s, "stopped", &v))
		return;

	str(c, "ustatus", "%08" PRIx64, (uint64_t)v);
	bits_mean(c, bits, (__u32)v);
	put_bits(c, "bits", bits, (__u32)v);
}

static void stopped_advice(struct ctx *c, const char *unit, const struct nvfifo_name *bits,
			   const char *s)
{
	__u64 v;

	if (hex(s, "stopped", &v))
		nvfifo_explain_trap_advice(c, unit, bits, (__u32)v);
}

/* "DISPATCH holds a command, subchannel 5 class 5039 M2MF method 0104 NOTIFY data 00000000 ..." */
static void nvfifo_stuck(struct ctx *c, const char *s)
{
	__u64 oclass = 0, v;
	const char *p;
	__s64 subc;

	channel_of(c, s);
	means(c, "%s", "DISPATCH: notifier, query, condition or context");
	str(c, "unit", "DISPATCH");
	str(c, "stuck", "%s", strstr(s, "holds a query") ? "query" : "command");
	if (dec(s, "subchannel", &subc))
		num(c, "subchannel", subc);
	if (hex(s, "class", &oclass))
		str(c, "object_class", "%04" PRIx64, (uint64_t)oclass);
	if (hex(s, "method", &v))
		nvfifo_explain_method(c, v, (__u32)oclass);

	p = hex(s, "data", &v);
	if (p)
		str(c, "data_high", "%08" PRIx64, (uint64_t)v);
	if (p && hex_at(p, &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	advise(c, "PGRAPH could not write the notifier or the query, or read the condition: is its DMA object right, and its address mapped?");
}

/* "MP 0 of TP 0 stopped: 00000010 INVALID_OPCODE, pc 001234 warp 5, opcode 10008001 e0800780" */
static void nvfifo_mp(struct ctx *c, const char *s)
{
	const char *p;
	__s64 n;
	__u64 v;

	channel_of(c, s);
	means(c, "%s", "a shader program stopped");
	str(c, "unit", "MP_EXEC");
	if (dec(s, "TP", &n))
		num(c, "tp", n);
	if (dec(s, "MP", &n))
		num(c, "mp", n);
	stopped_for(c, s, nvfifo_trap_mp_exec_bits);
	if (hex(s, "pc", &v))
		str(c, "pc", "%06" PRIx64, (uint64_t)v);
	if (dec(s, "warp", &n))
		num(c, "warp", n);

	p = hex(s, "opcode", &v);
	if (p)
		str(c, "opcode_low", "%08" PRIx64, (uint64_t)v);
	if (p && hex_at(p, &v))
		str(c, "opcode_high", "%08" PRIx64, (uint64_t)v);
	stopped_advice(c, "MP_EXEC", nvfifo_trap_mp_exec_bits, s);
}

/* "PROP of TP 5 stopped: 00000080 CUDA_FAULT, access at 0020239300" */
static void nvfifo_prop(struct ctx *c, const char *s)
{
	__s64 n;
	__u64 v;

	channel_of(c, s);
	means(c, "%s", "render targets or memory accesses of shaders");
	str(c, "unit", "PROP");
	if (dec(s, "TP", &n))
		num(c, "tp", n);
	stopped_for(c, s, nvfifo_trap_prop_bits);
	if (find(s, "read") || find(s, "write"))
		nvfifo_explain_fault_access(c, s);
	else
		str(c, "access", "unknown");
	if (hex(s, "at", &v))
		nvfifo_explain_fault_address(c, v);
	stopped_advice(c, "PROP", nvfifo_trap_prop_bits, s);
}

/* The part of the line from the unit's name on, or NULL. */
static const char *find_trap_unit(const char *s, const struct trap_unit **unit)
{
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(trap_units) / sizeof(trap_units[0]); i++) {
		p = strstr(s, trap_units[i].text);
		if (p) {
			*unit = &trap_units[i];
			return p;
		}
	}

	return NULL;
}

/* The TP and the multiprocessor that the unit belongs to. */
static void trap_place(struct ctx *c, const char *p)
{
	const char *q = strstr(p, "- TP");
	__s64 mp;

	if (q) {
		q += 4 + strspn(q + 4, " ");
		if (isdigit((unsigned char)*q))
			num(c, "tp", strtol(q, NULL, 10));
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

	str(c, "ustatus", "%08x", v);
	bits_mean(c, bits, v);
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
	const char *from = p + strlen(unit->text), *r = unit->registers;
	char name[16];
	__u64 v;

	if (!r || strchr(p, '['))
		return;

	if (!strncmp(from, "_FAULT", 6))
		from += 6;
	if (!strncmp(from, " - ", 3))
		from += 2;
	while (*r && *from == ' ') {
		from = hex_at(from, &v);
		if (!from)
			return;

		snprintf(name, sizeof(name), "r%.6s", r);
		str(c, name, "%08" PRIx64, (uint64_t)v);
		advise(c, "Registers of %s that go with its trap: the line with the names of bits, and the VM fault line, have the cause.",
		       unit->unit);
		r += strcspn(r, " ");
		r += strspn(r, " ");
	}
}

/* The values with names: "e0c: 00000000, e18: 00000000, ..." */
static void named_words(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *r = unit->registers;
	char name[16];
	__u64 v;

	for (; r && *r; r += strspn(r, " ")) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(r, " "), r);
		if (hex(p, name, &v))
			str(c, name, "%08" PRIx64, (uint64_t)v);
		r += strcspn(r, " ");
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
		str(c, "pc", "%06" PRIx64, (uint64_t)v);
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
		str(c, "address", "%010" PRIx64, (uint64_t)va);
		return;
	}

	nvfifo_explain_fault_address(c, va);
}

/* The bits by their names: the line need not have the word. */
static void trap_advice(struct ctx *c, const struct trap_unit *unit)
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

	nvfifo_explain_trap_advice(c, unit->unit, unit->bits, v);
}

static void trap_bits(struct ctx *c, const char *s)
{
	const struct trap_unit *unit;
	const char *p = find_trap_unit(s, &unit), *fault;
	__u64 v;

	if (!p) {
		c->declined = true;
		return;
	}

	means(c, "%s", unit->means);
	str(c, "unit", "%s", unit->unit);
	trap_place(c, p);

	fault = strstr(p, "fault at address");
	if (fault) {
		trap_fault(c, p, fault);
		if (unit->implied)
			str(c, "bits", "%s", unit->implied);
		else if (unit->bits == nvfifo_trap_prop_bits)
			str(c, "bits", "CUDA_FAULT");
		trap_advice(c, unit);
		return;
	}

	if (!trap_status(c, p, unit->bits) && !unknown_status(c, p, unit->bits))
		named_bits(c, p, unit);
	if (hex(p, "address", &v))
		trap_address(c, v);
	shader_place(c, p);
	unit_words(c, p, unit);
	named_words(c, p, unit);
	if (unit->bits == nvfifo_trap_prop_bits)
		nvfifo_explain_prop_words(c, p);
	trap_nothing(c, p);
	trap_advice(c, unit);
}

/* Kernels before 3.15 have the method in the line of the trap. */
static void trap_method(struct ctx *c, const char *s)
{
	trap_bits(c, s);
	nvfifo_explain_pgraph_method(c, s);
}

/* "TRAP: unknown 00000200", "TRAP: no units reporting traps?" */
static void trap_none(struct ctx *c, const char *s)
{
	char units[160];
	__u64 v;

	if (!hex(s, "unknown", &v) && !hex(s, "trap", &v)) {
		str(c, "units", "none");
		advise(c, "PGRAPH reported a trap, and none of its units did: the trap was over before it was looked at.");
		return;
	}

	str(c, "trap", "%08" PRIx64, (uint64_t)v);
	nvfifo_bits_text(nvfifo_trap_bits, (__u32)v, "UNK", " ", units, sizeof(units));
	str(c, "units", "%s", units);
	advise(c, "%s", v >> 9 ? "Bits that no source documents: if there are many, the card does not answer sensibly." :
				 "nouveau did not handle these units; lines about them may stand before this one.");
}

/* Lines of nouveau between a texture unit's: "magic set 1:", and registers with their values */
static void texture_words(struct ctx *c, const char *s)
{
	const char *from = strchr(s, '\t');
	__u64 reg, v;
	__s64 tp;

	str(c, "unit", "TEXTURE");
	advise(c, "Registers of a texture unit after its trap, whose meaning is not documented: the TRAP_TEXTURE line at the same time has the cause.");
	if (dec(s, "magic set", &tp))
		num(c, "tp", tp);
	if (!from)
		return;

	from = hex_at(from, &reg);
	if (!from || !hex_at(from, &v)) {
		c->declined = true;
		return;
	}

	str(c, "register", "%06" PRIx64, (uint64_t)reg);
	str(c, "data", "%08" PRIx64, (uint64_t)v);
}

static void no_stuck_command(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "unit", "DISPATCH");
	str(c, "meaning", "DISPATCH holds no command: it has gone on by itself");
	advise(c, "The cause was gone when the driver looked: the trap's own line has it.");
}

/* --- Others -------------------------------------------------------------- */

static void mmio_fault(struct ctx *c, const char *s)
{
	__u64 v;

	nvfifo_explain_fault_access(c, s);
	if (hex(s, "FAULT at", &v) || hex(s, "register", &v))
		str(c, "register", "%06" PRIx64, (uint64_t)v);
	if (hex(s, "of", &v) || hex(s, "data", &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	advise(c, "The driver touched a register that this chipset does not have, or whose unit is off or has lost its clock.");
}

static void fifo_intr(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "intr", &v) && !hex(s, "interrupt", &v) && !hex(s, "PFIFO_INTR", &v))
		return;

	channel_of(c, s);
	str(c, "interrupt", "%08" PRIx64, (uint64_t)v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	put_bits(c, "interrupt_bits", nvfifo_pfifo_intr_bits, (__u32)v);
	if (v & (1 << 4 | 1 << 6))
		advise(c, "The processor's own access to the card's memory failed in the MMU: the VM fault line at the same time has the address.");
	else
		advise(c, "An interrupt of PFIFO that the driver has no handler for; the bits are those of PFIFO.INTR.");
}

/* An interrupt that does not stop, of one of three units; its bits have names in two of them. */
static void masked_for_good(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "interrupt", &v))
		return;

	str(c, "interrupt", "%08" PRIx64, (uint64_t)v);
	if (strstr(s, "PFIFO interrupt"))
		put_bits(c, "interrupt_bits", nvfifo_pfifo_intr_bits, (__u32)v);
	else if (strstr(s, "PGRAPH interrupt"))
		put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, (__u32)v);
	advise(c, "A unit raised an interrupt without a known cause a hundred times. The driver has turned it off; please report it.");
}

static void forged_fence(struct ctx *c, const char *s)
{
	__u64 v;

	channel_of(c, s);
	if (hex(s, "wrote", &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	advise(c, "The channel's own commands wrote to the driver's fence page, handle 0x80000000, and the channel ended.");
}

static void missed_handle(struct ctx *c, const char *s)
{
	__u64 v;

	channel_of(c, s);
	if (hex(s, "handle", &v))
		str(c, "handle", "%08" PRIx64, (uint64_t)v);
	advise(c, "The handle is in RAMHT, and the driver has PFIFO look for it again. If the line comes often, please report it.");
}

static void pio_area(struct ctx *c, const char *s)
{
	channel_of(c, s);
	advise(c, "Something wrote to a channel's area for programmed I/O, which PFIFO refuses for channels with a pushbuffer.");
}

static void more_units(struct ctx *c, const char *s)
{
	__s64 n;

	channel_of(c, s);
	if (dec(s, "channel", &n) && dec(s, ":", &n))
		num(c, "units", n);
	advise(c, "The lines before it name the first units that trapped; usually all of them trap for the same reason.");
}

/* The channel of a line about one, in any driver's words. */
static void channel_fields(struct ctx *c, const char *s)
{
	const char *p;
	char name[80];
	__s64 id;
	__u64 v;

	p = dec(s, "channel", &id);
	if (!p)
		p = dec(s, "ch", &id);
	if (p && !strstr(s, "kick of channel")) {
		num(c, "channel", id);
		if (bracket(p, name, sizeof(name)) && *name)
			str(c, "owner", "%s", name);
	} else if (hex(s, "channel", &v)) {
		means(c, "channel descriptor: structure at %09" PRIx64,
		      (uint64_t)nvfifo_chan_desc_address((__u32)v));
		str(c, "desc", "%08" PRIx64, (uint64_t)v);
	}
}

/* "did not end in 3000 ms", or "in 2 s". */
static void duration_field(struct ctx *c, const char *s)
{
	__s64 time;

	if (dec(s, "in", &time))
		num(c, "milliseconds", strstr(s, " 2 s") ? 2000 : time);
}

/* The kick, a write of the channel to 0032fc, was not acknowledged. */
static void kick_timeout(struct ctx *c, const char *s)
{
	channel_fields(c, s);
	duration_field(c, s);
	str(c, "meaning", "the channel was told to leave the card, and the card did not acknowledge it");
	advise(c, "An engine did not give up the channel's context: it hangs in a method, or its context switch did not end. The channel stays loaded, so that none of the others runs; the engine, or the card, needs a reset.");
}

/*
 * nvfifo's cause of a late channel: "...: waits until the word at 0000000020 of object 06460 is
 * 0007a57e (ran"
 */
static void hang_cause(struct ctx *c, const char *s)
{
	__u64 offset, object, value;

	if (strstr(s, "waits until the word") && hex(s, "word at", &offset) &&
	    hex(s, "of object", &object) && (hex(s, "at least", &value) || hex(s, "is", &value))) {
		means(c, "the word at 0x%" PRIx64 " of the DMA object at %05" PRIx64
		      " of the channel structure", (uint64_t)offset, (uint64_t)object);
		str(c, "waits_for", "%08" PRIx64, (uint64_t)value);
		advise(c, "Nobody has released the semaphore: is the release missing, does it follow the acquire in the same channel, or has its channel died?");
	} else if (strstr(s, "hangs in PGRAPH")) {
		advise(c, "The engine works for this channel and does not come to an end.");
	} else if (strstr(s, "hangs in PFIFO")) {
		advise(c, "PFIFO executes this channel's commands, and they do not come to an end: a loop of jumps, a command whose count is too large, or a semaphore operation that is none.");
	} else if (strstr(s, "waits for its turn")) {
		advise(c, "Other channels had the card for all of the time.");
	}
}

/* The word before a text of the line: "ce0" of "ce0: intr ", "Xorg[849]" of "Xorg[849]: nv50cal_space" */
static void word_before(struct ctx *c, const char *field, const char *s, const char *text)
{
	const char *end = strstr(s, text), *from = end;

	while (from > s && from[-1] != ' ')
		from--;
	if (end && end > from)
		str(c, field, "%.*s", (int)(end - from), from);
}

/* "Xorg[849]: ", or "nouveau E[Xorg[849]] " of kernels before 4.3 */
static void client_of(struct ctx *c, const char *s, const char *text)
{
	const char *p = strstr(s, "nouveau E[");
	char owner[80];

	if (!p)
		word_before(c, "owner", s, text);
	else if (bracket(p + strlen("nouveau E"), owner, sizeof(owner)))
		str(c, "owner", "%s", owner + strspn(owner, " "));
}

/* A fence of the channel was not signalled. */
static void idle_channel(struct ctx *c, const char *s)
{
	__u64 handle;
	__s64 id;

	/* nouveau of Linux 3: the name that the client gave its channel. */
	if (strstr(s, "channel 0x") && hex(s, "channel", &handle)) {
		str(c, "handle", "%08" PRIx64, (uint64_t)handle);
		client_of(c, s, ": failed ");
	} else {
		channel_fields(c, s);
	}

	if (dec(s, "submission", &id))
		num(c, "submission", id);
	duration_field(c, s);
	str(c, "meaning", "the channel's work did not end");
	hang_cause(c, s);
	if (*c->e->advice)
		return;

	advise(c, "The channel waits for a semaphore that nobody releases, or an engine hangs in its work; look for an error line in front of this one.");
}

static void card_gone(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "the driver gave the card up");
	advise(c, "Look for the first error line before this one. The card needs a reset: reload the driver, or boot anew.");
}

static void wait_timeout(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " did not end"), *from = p;
	__u64 v;

	while (from > s && from[-1] != ':' && from[-1] != ']')
		from--;
	from += strspn(from, " ");
	str(c, "wait", "%.*s", (int)(p - from), from);
	if (hex(s, "register", &v))
		str(c, "register", "%06" PRIx64, (uint64_t)v);
	if (hex(s, "is", &v)) {
		str(c, "value", "%08" PRIx64, (uint64_t)v);
		if (nvfifo_explain_all_ones(c, v))
			return;
	}

	advise(c, "The card did not answer a command in the time that every known driver allows; it is treated as stuck from now on.");
}

static void lockup(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "nouveau's console could not draw with the card any more");
	advise(c, "A consequence, not a cause: look for the first error line before it.");
}

static void cipher(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " ch ");
	__u64 v;

	if (p) {
		interrupt_before(c, s, p, nvfifo_cipher_intr_bits);
		nvfifo_explain_method_channel(c, p);
	}

	if (hex(s, "mthd", &v))
		str(c, "method", "%04" PRIx64, (uint64_t)v);
	if (hex(s, "data", &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	advise(c, "PCIPHER refused a method, or a memory access of it failed: the bits say which, and a VM fault line at the same time has the address.");
}

/* "ce0: DISPATCH_ERROR 0002 [ILLEGAL_MTHD] ch 3 [000f0e1000 Xorg[1234]] subc 0 mthd 0000 ..." */
static void falcon(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " ch "), *from;
	char name[40];
	__u64 v;
	__s64 n;

	from = hex(s, "DISPATCH_ERROR", &v);
	if (from) {
		bracket(from, name, sizeof(name));
		str(c, "error", "%s", name);
		str(c, "code", "%04" PRIx64, (uint64_t)v);
	}

	if (p)
		nvfifo_explain_method_channel(c, p);
	if (dec(s, "subc", &n))
		num(c, "subchannel", n);
	if (hex(s, "mthd", &v))
		str(c, "method", "%04" PRIx64, (uint64_t)v);
	nvfifo_explain_method_data(c, s);
	advise(c, "The firmware of the engine refused a method of the channel.");
}

void nvfifo_explain_register_bits(struct ctx *c, const char *reg, __u32 v)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;

	str(c, "interrupt", "%08x", v);
	if (nvfifo_explain_all_ones(c, v) || nvfifo_reg_parse(reg, c->chipset, &ref))
		return;

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		if (v & nvfifo_reg_mask(f))
			str(c, f->name, "1");
	}
}

/* Interrupts that nouveau has no handler for, with the names of the unit's register. */
static void unit_intr(struct ctx *c, const char *s, const char *name)
{
	__u64 v;

	if (!hex(s, "intr", &v) && !hex(s, "stat", &v) && !hex(s, "bits", &v))
		return;

	nvfifo_explain_register_bits(c, name, (__u32)v);
	if (!*c->e->advice)
		advise(c, "An interrupt that the driver has no handler for; the bits are those of %s. Alone it does no harm.",
		       name);
}

static void bus_intr(struct ctx *c, const char *s)
{
	unit_intr(c, s, "PBUS.INTR");
}

static void mc_intr(struct ctx *c, const char *s)
{
	unit_intr(c, s, "PMC.INTR_HOST");
}

static void timer_intr(struct ctx *c, const char *s)
{
	unit_intr(c, s, "PTIMER.INTR");
}

/* "ce0: intr 00000300": of a falcon, whatever its firmware does with it */
static void falcon_intr(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "intr", &v))
		return;

	word_before(c, "engine", s, ": intr ");
	str(c, "interrupt", "%08" PRIx64, (uint64_t)v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	put_bits(c, "interrupt_bits", nvfifo_falcon_intr_bits, (__u32)v);
	advise(c, "An interrupt of an engine's falcon that nouveau has no handler for. An MMU fault of the engine, or a method that it refused, stands in the lines around it.");
}

/* "vp: Watchdog interrupt, engine hung." */
static void engine_hung(struct ctx *c, const char *s)
{
	word_before(c, "engine", s, ": Watchdog ");
	str(c, "meaning", "the engine's processor did not answer its watchdog");
	advise(c, "The video engine hangs; other engines go on. Look for an MMU fault of it before this line.");
}

static void no_firmware(struct ctx *c, const char *s)
{
	word_before(c, "engine", s, ": unable ");
	str(c, "meaning", "the file with the engine's firmware is missing, and the engine stays off");
	advise(c, "Video decoding only: PFIFO, PGRAPH and M2MF need no firmware on this family.");
}

/* The interrupt, why a method was refused, the method and its data: "00000001 00000010 0000018c 00000007" */
static void mpeg(struct ctx *c, const char *s)
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

static void mpeg_timeout(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "timeout", &v) && !hex(s, "init", &v))
		return;

	str(c, "status", "%08" PRIx64, (uint64_t)v);
	if (!nvfifo_explain_all_ones(c, v))
		advise(c, "PMPEG is not idle 2 s after it was set up; it stays off.");
}

static void puller_idle(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "the puller was stopped for a change, and a look-up in RAMHT did not end");
	advise(c, "PFIFO hangs: nothing more runs. Look for the first error line before it.");
}

static void runlist(struct ctx *c, const char *s)
{
	__s64 id;

	if (dec(s, "runlist", &id))
		num(c, "runlist", id);
	str(c, "meaning", "PFIFO did not take the new list of channels in 2 s");
	advise(c, "Only nouveau's code for GF100 and later prints this: the card is no NV50-family card, or there is a second one. PFIFO hangs; look for the first error line before it.");
}

/* "timer: stalled at ffffffffffffffff" */
static void timer_stalled(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "at", &v))
		return;

	str(c, "time", "%016" PRIx64, (uint64_t)v);
	if (nvfifo_explain_all_ones(c, v == ~0ull ? 0xffffffff : v))
		return;

	str(c, "meaning", "PTIMER does not count");
	advise(c, "The card lost its clock or its set-up; nothing that waits for a time ends.");
}

static void ring_space(struct ctx *c, const char *s)
{
	__s64 v;

	client_of(c, s, ": nv50cal_space");
	if (dec(s, "nv50cal_space", &v))
		num(c, "errno", -v);
	str(c, "meaning", "the IB ring of the channel did not become empty enough");
	advise(c, "PFIFO has stopped to fetch from the channel: it is dead, or another one keeps the card. Look for the first error line before it.");
}

static void bar_flush(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "the flush of CPU writes to VRAM did not end: bit 1 of 0x070000, on the G80 of 0x00330c");
	advise(c, "The card does not work through its accesses to VRAM: it is not set up, hangs, or is gone.");
}

static void channel_killed(struct ctx *c, const char *s)
{
	__s64 id;

	client_of(c, s, ": channel ");
	if (dec(s, "channel", &id))
		num(c, "channel", id);
	str(c, "meaning", "nouveau ended the channel after an error, and fails its fences");
	advise(c, "The program has to make a new channel. Look for the error line before it.");
}

/* Some kernels print the rest of the time limit, although the wait was successful. */
static void buffer_wait(struct ctx *c, const char *s)
{
	__s64 v;

	client_of(c, s, ": reloc ");
	if (!dec(s, "wait_idle failed", &v))
		return;

	if (v > 0) {
		num(c, "ticks_left", v);
		str(c, "meaning", "the buffer became idle in time, and nouveau took the time left for an error");
		advise(c, "No error of the card: a mistake of that kernel, which refuses the submission.");
		return;
	}

	num(c, "errno", -v);
	str(c, "meaning", "a buffer of a submission stayed in use");
	advise(c, "Work of the card that uses the buffer does not end. Look for the first error line before it.");
}

/* "ERROR 5 [INVALID_STATE] 06 [] chid 1 mthd 0080 data 00000001" of the display's channels */
static void display_error(struct ctx *c, const char *s)
{
	char text[40];
	__u64 v;
	__s64 n;
	const char *p = dec(s, "ERROR", &n);

	if (p) {
		p = bracket(p, text, sizeof(text));
		str(c, "error", "%s", text);
		num(c, "type", n);
		if (p && hex_at(p, &v))
			str(c, "code", "%02" PRIx64, (uint64_t)v);
	}

	means(c, "of the display, none of PFIFO's");
	if (dec(s, "chid", &n))
		num(c, "display_channel", n);
	c->means[0] = '\0';
	if (hex(s, "mthd", &v))
		str(c, "method", "%04" PRIx64, (uint64_t)v);
	if (hex(s, "data", &v))
		str(c, "data", "%08" PRIx64, (uint64_t)v);
	advise(c, "Outside of this tool's scope: the driver's own commands for the display, not a pushbuffer of a program.");
}

static void pmu_fault(struct ctx *c, const char *s)
{
	__u64 v;

	if (hex(s, "fault at", &v)) {
		means(c, "program counter");
		str(c, "pc", "%06" PRIx64, (uint64_t)v);
	}

	if (hex(s, "addr", &v))
		str(c, "register", "%06" PRIx64, (uint64_t)v);
	advise(c, "The firmware of the power management unit touched a register that does not exist.");
}

static void still_angry(struct ctx *c, const char *s)
{
	__s64 n;

	if (dec(s, "after", &n))
		num(c, "rounds", n);
	str(c, "meaning", "interrupts of PFIFO came back after 100 rounds of handling, and nouveau turned them off");
	advise(c, "Nothing more runs on this card. Look for the first error line before it.");
}

static void probe(struct ctx *c, const char *s)
{
	__u64 v;

	if (hex(s, "PMC_BOOT_0", &v) || hex(s, "PMC_BOOT_0 is", &v)) {
		const char *name = nvfifo_chipset_name((__u32)v >> 20 & 0x1ff);

		means(c, "chipset %03x, %s", (__u32)v >> 20 & 0x1ff, name ? name : "not this family");
		str(c, "boot_0", "%08" PRIx64, (uint64_t)v);
	}

	if (hex(s, "chipset", &v))
		str(c, "chipset", "%03" PRIx64, (uint64_t)v);
}

/* Lines that explain themselves and need only advice. */
static const struct {
	const char *anchor;
	const char *advice;
} sentences[] = {
	{ "every register reads all ones",
	  "The card is gone from the bus or in a deep sleep: power, seat, lspci." },
	{ "is in big-endian mode and stays in it",
	  "The switch at register 000004 does not work: power-cycle the card." },
	{ "VBIOS has not been run",
	  "Clocks and memory are not set up, and the driver cannot run VBIOS scripts: boot with the card as a graphics card." },
	{ "the kernel copies memory on its way",
	  "The card would not see what clients write later: switch an IOMMU on." },
	{ "PTIMER stands still",
	  "The card is not set up: boot with it as a graphics card, so that the firmware runs its VBIOS." },
	{ "the card is the boot console",
	  "With console=1 the driver takes it, and the screen stays dark." },
	{ "bytes; need 16 MiB, any, 16 MiB",
	  "The firmware or a bridge gave the card too little room: see lspci -v." },
	{ "bytes of VRAM, need", "The memory controller reports too little memory." },
	{ "does not keep its contents", "Memory is defective, or hidden by the firmware." },
	{ "BAR3 does not show the instance heap",
	  "The MMU does not translate BAR3. Please report it, with the whole log." },
	{ "bytes of VRAM at ",
	  "After the sleep this is another card, or its memory was set up otherwise: load the driver again." },
	{ "no memory for the contents of VRAM",
	  "System sleep needs as much free memory as VRAM is in use." },
	{ "does not let go of channel",
	  "A context switch of PGRAPH did not end, so that the driver resets it: look for an error before this line." },
	{ "does not go away, and slows the driver down",
	  "A unit keeps its interrupt up and cannot be turned off. The card works on, and the driver polls it. Please report it." },
	{ "of units that are not used",
	  "The firmware left a unit on that nobody uses here; it is turned off." },
	{ "the card's interrupts do not arrive",
	  "The card raises interrupts, and the kernel does not deliver them. The driver looks for them itself, so all work ends late. With MSIs load the module with msi=0; with the line look at its routing." },
	{ "PTIMER stood still and was started",
	  "The firmware had not started the card's timer. The driver set its rate for the crystal that the straps name." },
	{ "the firmware translates BAR1",
	  "The driver cannot find the memory that the screen shows, so a program's memory may become visible there: switch the screen off." },
	{ "the screen's frame buffer leaves too little",
	  "With console=1 the driver keeps the firmware's frame buffer out of use, and too little is left: let the firmware set a smaller mode." },
	{ "is not below 2^40",
	  "The IGP's register for the base of its stolen memory names an address that no page table entry can hold. The driver takes no such card: please report it." },
	{ "the objects of the display are not in VRAM",
	  "The firmware left the display running with its DMA objects in system memory. The driver cannot keep them from others: please report it." },
	{ "above the addresses of system memory",
	  "The firmware set upper bits for the card's accesses to memory. The driver clears them, as its addresses have 40 bits." },
	{ ": reset of ",
	  "The procedure at the beginning of the line did not end, so the driver resets units of the card. Channels without an error continue." },
	{ "failed to create ce channel",
	  "nouveau has no channel for its own copies with a copy engine and uses the general one: see the lines before." },
	{ "failed to create kernel channel",
	  "nouveau has no channel of its own. The processor moves buffers, slowly, and there is no acceleration: see the lines before." },
	{ "error fencing pushbuf",
	  "nouveau submitted the commands but could not make the fence of their end: the channel has ended, or memory ran out." },
	{ " did not end in ",
	  "The card did not end a procedure in the time that it has. The driver resets PFIFO, then all units, before it gives the card up: see the lines that follow." },
};

static void sentence(struct ctx *c, const char *s)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;
	const char *p;
	size_t i;
	__u64 v;

	for (i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		if (strstr(s, sentences[i].anchor)) {
			advise(c, "%s", sentences[i].advice);
			break;
		}
	}

	p = strstr(s, " bytes of VRAM");
	if (p) {
		while (p > s && isdigit((unsigned char)p[-1]))
			p--;
		num(c, "vram", strtoll(p, NULL, 10));
	}

	if (hex(s, "at", &v))
		str(c, "at", "%08" PRIx64, (uint64_t)v);
	if (hex(s, "is", &v))
		str(c, "value", "%08" PRIx64, (uint64_t)v);
	if (hex(s, "let go of channel", &v)) {
		means(c, "structure at %09" PRIx64, (uint64_t)nvfifo_chan_desc_address((__u32)v));
		str(c, "desc", "%08" PRIx64, (uint64_t)v);
	}

	if (!hex(s, "interrupt", &v) || nvfifo_reg_parse("PMC.INTR_HOST", c->chipset, &ref))
		return;

	str(c, "interrupt", "%08" PRIx64, (uint64_t)v);

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		if (v & nvfifo_reg_mask(f))
			str(c, f->name, "1");
	}
}

/* --- The table ----------------------------------------------------------- */

static const struct explain_line lines[] = {
	LINE_TO("dma_pusher", "nvfifo", ": DMA_PUSHER ", "subchannel", nvfifo_dma_pusher, "ib_put", 1),
	LINE_TO("dma_pusher", "nouveau", "DMA_PUSHER -", NULL, dma_pusher, "state", 8),
	LINE("dma_pusher", "nouveau", "DMA_PUSHER", "state", dma_pusher),
	LINE_TO("cache_error", "nvfifo", ": CACHE_ERROR ", "subchannel", cache_error, "data", 8),
	LINE_TO("cache_error", "nouveau", "CACHE_ERROR", NULL, cache_error, "data", 8),
	LINE_TO("semaphore", "nvfifo", ": SEMAPHORE ", "method", semaphore, "data", 8),
	LINE("pgraph", "nvfifo", ": PGRAPH ", " intr ", nvfifo_graph),
	LINE("engine_trap", "nvfifo", ": DISPATCH holds a ", "method", nvfifo_stuck),
	LINE("engine_trap", "nvfifo", ": MP ", " stopped: ", nvfifo_mp),
	LINE("engine_trap", "nvfifo", ": PROP of TP ", " stopped: ", nvfifo_prop),
	LINE("vm_fault", "nvfifo", "VM fault: ", "engine", nvfifo_fault),
	LINE_TO("vm_fault", "nouveau", "rapped ", " engine ", vm_fault, "reason", 8),
	LINE_TO("vm_fault", "nouveau", "rapped read at ", NULL, vm_fault_old, "reason", 0),
	LINE_TO("vm_fault", "nouveau", "rapped write at ", NULL, vm_fault_old, "reason", 0),
	LINE("tlb_flush_timeout", "nouveau", "mmu invalidate timeout", NULL, tlb_timeout),
	LINE("tlb_flush_timeout", "nouveau", "flush timeout", "engine", tlb_timeout),
	LINE("tlb_flush_timeout", "nouveau", "PGRAPH_VSTATUS", "nouveau ", pgraph_vstatus),
	LINE("tlb_flush_timeout", "nouveau", "PGRAPH_STATUS", "nouveau ", pgraph_status),
	LINE("tlb_flush_timeout", "nouveau", "flush idle timeout", NULL, idle_timeout),
	LINE("tlb_flush_timeout", "nvfifo", "does not get idle for a TLB flush", NULL, pgraph_status),
	LINE("data_error", "nouveau", "DATA_ERROR -", " mthd ", nvfifo_explain_pgraph_method),
	LINE("data_error", "nouveau", "DATA_ERROR ", NULL, data_error),
	LINE_TO("engine_trap", "nouveau", "TRAP_", " mthd ", trap_method, "data", 8),
	LINE("engine_trap", "nouveau", "TRAP_", NULL, trap_bits),
	LINE("engine_trap", "nouveau", "TRAP DISPATCH", NULL, trap_bits),
	LINE("engine_trap", "nouveau", "TRAP: no units", NULL, trap_none),
	LINE("engine_trap", "nouveau", "TRAP: unknown", NULL, trap_none),
	LINE("engine_trap", "nouveau", "TRAP - no units", NULL, trap_none),
	LINE("engine_trap", "nouveau", "TRAP - Unknown trap", NULL, trap_none),
	LINE("engine_trap", "nouveau", " magic set ", NULL, texture_words),
	LINE("engine_trap", "nouveau", "gr: \t", ": ", texture_words),
	LINE("engine_trap", "nouveau", "PGRAPH][", "] \t0x", texture_words),
	LINE("engine_trap", "nouveau", "[drm] nouveau ", ": \t0x00", texture_words),
	LINE("engine_trap", "nouveau", "no stuck command?", NULL, no_stuck_command),
	LINE("engine_trap", "nouveau", " 400808 ", " mthd ", stuck_command),
	LINE("engine_trap", "nouveau", " 40084c ", " mthd ", stuck_command),
	LINE_TO("illegal_mthd", "nouveau", " class ", " mthd ", nvfifo_explain_pgraph_method, "data", 8),
	LINE("mmio_fault", "nouveau", "MMIO ", " FAULT at", mmio_fault),
	LINE("mmio_fault", "nvfifo", " of absent register ", NULL, mmio_fault),
	LINE("channel_timeout", "nouveau", "failed to idle channel", NULL, idle_channel),
	LINE("channel_timeout", "nouveau", "Failed to idle channel", NULL, idle_channel),
	LINE("channel_timeout", "nouveau", "unload timeout", NULL, kick_timeout),
	LINE("channel_timeout", "nouveau", "kick timeout", NULL, kick_timeout),
	LINE("channel_timeout", "nvfifo", "kick of channel", NULL, kick_timeout),
	LINE("channel_timeout", "nvfifo", "stays in CACHE1", NULL, kick_timeout),
	LINE("channel_timeout", "nvfifo", ": submission ", " did not end in", idle_channel),
	LINE("wait_timeout", "nvfifo", " did not end in ", "register", wait_timeout),
	LINE("card_lost", "nvfifo", "nothing more can be done with it", NULL, card_gone),
	LINE("fence", "nvfifo", "its commands wrote ", " to the fence page", forged_fence),
	LINE("lookup", "nvfifo", "a look-up in RAMHT missed handle ", NULL, missed_handle),
	LINE("pio", "nvfifo", "access to a PIO area was refused", NULL, pio_area),
	LINE("trap", "nvfifo", " more units have trapped", NULL, more_units),
	LINE("interrupt", "nvfifo", " does not stop, and is masked for good", "interrupt", masked_for_good),
	LINE("interrupt", "nvfifo", "PFIFO interrupt ", NULL, fifo_intr),
	LINE("interrupt", "nouveau", "fifo: intr ", NULL, fifo_intr),
	LINE("interrupt", "nouveau", "fifo: unknown intr ", NULL, fifo_intr),
	LINE("interrupt", "nouveau", "PFIFO_INTR ", NULL, fifo_intr),
	LINE("interrupt", "nouveau", "bus: intr ", NULL, bus_intr),
	LINE("interrupt", "nouveau", "mc: intr ", NULL, mc_intr),
	LINE("interrupt", "nouveau", "mc: unknown intr ", NULL, mc_intr),
	LINE("interrupt", "nouveau", "PMC - unhandled INTR ", NULL, mc_intr),
	LINE("interrupt", "nouveau", "still angry after ", " spins", still_angry),
	LINE("engine_error", "nouveau", "DISPATCH_ERROR ", " mthd ", falcon),
	LINE("interrupt", "nouveau", "timer: intr ", NULL, timer_intr),
	LINE("interrupt", "nouveau", "msvld: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "mspdec: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "msppp: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "sec: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "ce: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "ce0: intr ", NULL, falcon_intr),
	LINE("engine_error", "nouveau", "Watchdog interrupt, engine hung", NULL, engine_hung),
	LINE("engine_error", "nouveau", "mpeg: timeout ", NULL, mpeg_timeout),
	LINE("engine_error", "nouveau", "PMPEG][", " timeout ", mpeg_timeout),
	LINE("engine_error", "nouveau", "PMPEG init: ", NULL, mpeg_timeout),
	LINE("engine_error", "nouveau", "mpeg: ", NULL, mpeg),
	LINE("engine_error", "nouveau", "PMPEG][", NULL, mpeg),
	LINE("engine_error", "nouveau", "PMPEG - ", NULL, mpeg),
	LINE("engine_error", "nouveau", "pmu: UAS fault at ", NULL, pmu_fault),
	LINE("firmware", "nouveau", "unable to load firmware", NULL, no_firmware),
	LINE("wait_timeout", "nouveau", "timeout idling puller", NULL, puller_idle),
	LINE("wait_timeout", "nouveau", "runlist", "update timeout", runlist),
	LINE("wait_timeout", "nouveau", "timer: stalled at ", NULL, timer_stalled),
	LINE("channel_timeout", "nouveau", "nv50cal_space: ", NULL, ring_space),
	LINE("channel_timeout", "nouveau", "reloc wait_idle failed: ", NULL, buffer_wait),
	LINE("wait_timeout", "nouveau", "PRAMIN flush timeout", NULL, bar_flush),
	LINE("channel_timeout", "nouveau", ": channel ", " killed!", channel_killed),
	LINE("display_error", "nouveau", "disp: ERROR ", " chid ", display_error),
	LINE("display_error", "nouveau", "disp: chid ", " mthd ", display_error),
	LINE("lockup", "nouveau", "GPU lockup", NULL, lockup),
	LINE("cipher_error", "nouveau", "cipher: ", " mthd ", cipher),
	LINE("probe", "nvfifo", "PMC_BOOT_0", NULL, probe),
	LINE("probe", "nvfifo", "every register reads all ones", NULL, sentence),
	LINE("probe", "nvfifo", "big-endian mode and stays", NULL, sentence),
	LINE("probe", "nvfifo", "VBIOS has not been run", NULL, sentence),
	LINE("probe", "nvfifo", "the kernel copies memory on its way", NULL, sentence),
	LINE("probe", "nvfifo", "PTIMER stands still at", NULL, sentence),
	LINE("probe", "nvfifo", "the card is the boot console", NULL, sentence),
	LINE("probe", "nvfifo", "need 16 MiB, any", NULL, sentence),
	LINE("probe", "nvfifo", "bytes of VRAM, need", NULL, sentence),
	LINE("probe", "nvfifo", "does not keep its contents", NULL, sentence),
	LINE("probe", "nvfifo", "BAR3 does not show", NULL, sentence),
	LINE("probe", "nvfifo", "above the addresses of system memory", NULL, sentence),
	LINE("suspend", "nvfifo", "bytes of VRAM at ", "and were", sentence),
	LINE("suspend", "nvfifo", "no memory for the contents of VRAM", NULL, sentence),
	LINE("channel_timeout", "nvfifo", "PGRAPH does not let go of channel", NULL, sentence),
	LINE("interrupt", "nvfifo", "does not go away, and slows the driver down", NULL, sentence),
	LINE("interrupt", "nvfifo", " of units that are not used", NULL, sentence),
	LINE("interrupt", "nvfifo", "the card's interrupts do not arrive", NULL, sentence),
	LINE("probe", "nvfifo", "PTIMER stood still and was started", NULL, sentence),
	LINE("probe", "nvfifo", "the firmware translates BAR1", NULL, sentence),
	LINE("probe", "nvfifo", "the screen's frame buffer leaves", NULL, sentence),
	LINE("probe", "nvfifo", "the objects of the display are not in VRAM", NULL, sentence),
	LINE("probe", "nvfifo", "stolen memory at ", "is not below 2^40", sentence),
	LINE("probe", "nvfifo", "page tables in ", "TLB flush for background", sentence),
	LINE("wait_timeout", "nvfifo", "PGRAPH does not get idle for ", NULL, pgraph_status),
	LINE("wait_timeout", "nvfifo", ": reset of ", "nvfifo ", sentence),
	LINE("probe", "nouveau", "failed to create ce channel", NULL, sentence),
	LINE("probe", "nouveau", "failed to create kernel channel", NULL, sentence),
	LINE("submit_refused", "nouveau", "error fencing pushbuf", NULL, sentence),
	LINE("wait_timeout", "nvfifo", " did not end in ", NULL, sentence),
	{ 0 }
};

/* A line that is cut before the function goes on in the next one. */
static void other_warning(struct ctx *c, const char *s)
{
	if (strstr(s, "+0x"))
		nvfifo_explain_warning(c, s);
	else
		c->declined = true;
}

/* After all others */
static const struct explain_line last_lines[] = {
	{ .cls = "warning", .driver = "nouveau", .anchor = "WARNING:", .also = "drivers/gpu/drm/nouveau/",
	  .explain = other_warning, .meaning = "the kernel met something in nouveau that it does not expect",
	  .advice = "With a line 'timeout' at the same time the card did not answer, and the function says to what. Without one it is a mistake of the kernel; look for errors of the card before it." },
	{ 0 }
};

static bool has_open_bracket(const char *s)
{
	int depth = 0;

	for (; *s; s++)
		depth += (*s == '[') - (*s == ']');

	return depth > 0;
}

/* Is the line's last field there, with all of its digits? */
static bool has_last(const char *line, const char *last, unsigned int digits)
{
	const char *p = find(line, last);

	if (!p)
		return false;

	p += strspn(p, " \t:=");
	if (p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;

	return strspn(p, "0123456789abcdefABCDEF") >= digits;
}

/* A line that ends in the middle is told from a whole one, which its reader might take it for. */
static void mark_cut(struct ctx *c, const char *line)
{
	const char *last = c->kind->last;
	size_t used = strlen(c->e->advice);
	const char *gap = used ? " " : "";
	char missing[48] = "its end is";

	if (last && has_last(line, last, c->kind->digits))
		return;
	if (!last && !has_open_bracket(line))
		return;

	if (last)
		snprintf(missing, sizeof(missing), "%s or digits of it are", last);
	c->e->cut = true;
	snprintf(c->e->advice + used, sizeof(c->e->advice) - used,
		 "%sThis line is cut: %s missing. Join the lines that a mail program or terminal has wrapped.",
		 gap, missing);
}

/*
 * Which groups of three characters a line has, as bits of hashes. A log of 20 MB has 200,000 lines and
 * the tables have 350 texts, most of which this excludes without a search.
 */
struct triples {
	__u64 bits[32];
};

static unsigned int triple_hash(const char *s)
{
	return ((unsigned char)s[0] * 961u + (unsigned char)s[1] * 31u + (unsigned char)s[2]) & 2047;
}

static void find_triples(const char *line, struct triples *t)
{
	unsigned int h;

	memset(t, 0, sizeof(*t));
	for (; line[0] && line[1] && line[2]; line++) {
		h = triple_hash(line);
		t->bits[h / 64] |= 1ull << h % 64;
	}
}

static bool has_triple(const struct triples *t, const char *s)
{
	const unsigned int h = triple_hash(s);

	return t->bits[h / 64] >> h % 64 & 1;
}

/* False only if the line does not have @text. */
static bool may_contain(const struct triples *t, const char *text)
{
	const size_t len = strlen(text);

	if (len < 3)
		return true;

	return has_triple(t, text) && has_triple(t, text + len - 3) && has_triple(t, text + len / 2 - 1);
}

/* Return: 1 if a kind of the table explains the line, 0 if none, or -ENOMEM. */
static int explain_by(const struct explain_line *kind, struct ctx *c, const char *line,
		      const struct triples *triples)
{
	for (; kind->anchor; kind++) {
		if (!may_contain(triples, kind->anchor) || !strstr(line, kind->anchor) || (kind->also && !strcasestr(line, kind->also)))
			continue;

		c->declined = false;
		c->kind = kind;
		c->e->cls = kind->cls;
		c->e->driver = kind->driver;
		kind->explain(c, line);
		if (!c->err && !c->declined) {
			mark_cut(c, line);
			return 1;
		}

		nvfifo_explanation_free(c->e);
		c->means[0] = '\0';
		if (c->err)
			return c->err;
	}

	return 0;
}

int nvfifo_explain(const char *line, unsigned int chipset, struct nvfifo_explanation *e)
{
	struct ctx c = { .e = e, .chipset = chipset };
	struct triples triples;
	int ret;

	memset(e, 0, sizeof(*e));
	find_triples(line, &triples);

	ret = explain_by(nvfifo_explain_pscnv_lines, &c, line, &triples);
	if (!ret)
		ret = explain_by(nvfifo_explain_old_lines, &c, line, &triples);
	if (!ret)
		ret = explain_by(nvfifo_explain_message_lines, &c, line, &triples);
	if (!ret)
		ret = explain_by(lines, &c, line, &triples);
	if (!ret)
		ret = explain_by(nvfifo_explain_display_lines, &c, line, &triples);
	if (!ret)
		ret = explain_by(nvfifo_explain_register_lines, &c, line, &triples);
	if (!ret)
		ret = explain_by(last_lines, &c, line, &triples);

	return ret;
}

void nvfifo_explanation_free(struct nvfifo_explanation *e)
{
	nvfifo_row_free(&e->fields);
	memset(e, 0, sizeof(*e));
}
