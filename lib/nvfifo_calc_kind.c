// SPDX-License-Identifier: MIT
/*
 * The calculator: kinds that are more than rows of a table. Some accept a second set of fields, which belongs to a
 * function of the nouveau driver whose values were recorded as test vectors.
 */
#include "nvfifo_boards.h"
#include "nvfifo_calc_table.h"
#include "nvfifo_text.h"

/* --- Engines ------------------------------------------------------------- */

/**
 * struct engine - An engine as nouveau, rnndb and the MMU name it
 * @names: its names
 * @g80: of these, the names of one that has a context object on the G80
 * @id: the MMU's number
 * @ctx: it has a context object on later chips
 * @flushed: nouveau flushes its TLB
 */
struct engine {
	const char *names;
	const char *g80;
	unsigned int id;
	bool ctx;
	bool flushed;
};

static const struct engine engines[] = {
	{ "gr|pgraph", "gr|pgraph", NVFIFO_VM_PGRAPH, true, true },
	{ "vp|mspdec|pvp|ppdec", "vp|pvp", NVFIFO_VM_PVP, true, true },
	{ "peephole", "", NVFIFO_VM_PEEPHOLE, false, false },
	{ "fifo|pfifo", "", NVFIFO_VM_PFIFO, false, false },
	{ "bar", "", NVFIFO_VM_BAR, false, true },
	{ "me|pme", "me|pme", NVFIFO_VM_PME, false, false },
	{ "vcomp|pvcomp", "", NVFIFO_VM_PME, true, false },
	{ "mpeg|msppp|pmpeg|pppp", "mpeg|pmpeg", NVFIFO_VM_PMPEG, true, true },
	{ "bsp|msvld|pbsp|pvld", "", NVFIFO_VM_PBSP, true, true },
	{ "cipher|sec|pcipher|psec", "", NVFIFO_VM_PCIPHER, true, true },
	{ "pcounter", "", NVFIFO_VM_PCOUNTER, false, false },
	{ "semaphore_bg", "", NVFIFO_VM_SEMAPHORE_BG, false, false },
	{ "ce|ce0|pcopy", "", NVFIFO_VM_PCOPY, true, true },
	{ "pdaemon|pmu", "", NVFIFO_VM_PDAEMON, false, false },
};

static const struct engine *find_engine(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (is_one_of(engines[i].names, name))
			return &engines[i];
	}

	return NULL;
}

/* --- Storage types ------------------------------------------------------- */

static const char *kind_order(__u32 kind)
{
	switch (nvfifo_kind_class(kind)) {
	case NVFIFO_KIND_PLAIN:
		return "normal bank order";
	case NVFIFO_KIND_SWIZZLED:
		return "swizzled bank order";
	default:
		return NULL;
	}
}

static void kind_means(struct calc *c, __u32 kind)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_kind_names, kind);
	const char *order = kind_order(kind);

	if (kind == NVFIFO_DMAOBJ_KIND_VM)
		means(c, "as the PTE says; DMA objects only");
	else if (!kind)
		means(c, "pitch linear");
	else if (order && n)
		means(c, "%s: block linear, %s%s", n->name, order,
		      nvfifo_kind_is_g200(kind) ? ", G200 and later" : "");
	else
		means(c, "no such storage type");
}

static void set_kind(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	(void)words;
	kind_means(c, (__u32)v);
	set(c, row->name, STR, "%02" PRIx64, (uint64_t)v);
}

static void memory_kind(struct calc *c)
{
	static const char *const names[] = { "invalid", "plain", "bankswz" };
	__u32 kind = (__u32)need(c, "kind", HEX, 0x7f);

	kind_means(c, kind);
	set(c, "class", STR, "%s", names[nvfifo_kind_class(kind)]);
}

/* --- PTE ----------------------------------------------------------------- */

#define PTE_TAG_MAX	0xfff

/* nouveau's nv50_vmm_valid(): check the mapping, and make its first PTE without the address. */
static void pte_type(struct calc *c)
{
	unsigned int target = nvfifo_calc_pick(c, "target", "target", 0);
	__u64 stolen = opt(c, "stolen", HEX, NVFIFO_PTE_ADDR_MASK, 0);
	unsigned int shift = (unsigned int)need(c, "page_shift", DEC, 16);
	__u64 offset = opt(c, "offset", HEX, NVFIFO_VA_MASK, 0);
	bool host = target != NVFIFO_TARGET_VRAM || stolen;
	struct nvfifo_pte p = {
		.present = true,
		.target = (__u8)target,
		.kind = (__u8)need(c, "kind", HEX, 0xff),
		.comp = (__u8)opt(c, "comp", DEC, 3, 0),
		.read_only = flag(c, "ro", false),
		.supervisor = flag(c, "priv", false),
	};
	__u64 tag = opt(c, "tag_base", HEX, PTE_TAG_MAX, 0), cells = offset >> 16, ctag;
	__u64 word;

	/* nouveau clears bit 7 of the kind. */
	p.kind &= 0x7f;
	if (target == NVFIFO_TARGET_VRAM && stolen) {
		p.target = NVFIFO_TARGET_SYS_NOSNOOP;
		p.address = stolen;
	}

	if (c->err)
		return;

	if (nvfifo_kind_class(p.kind) == NVFIFO_KIND_INVALID || (p.comp && (host || shift != 16))) {
		set(c, "ret", NUM, "%d", -EINVAL);
		set(c, "type", STR, "%s", "");
		set(c, "ctag", STR, "%s", "");
		set(c, "next", STR, "%s", "");
		return;
	}

	/* Mode 2 takes two tag cells for each 64 KiB. */
	if (p.comp)
		tag += cells * p.comp;
	if (p.comp > 1 && cells && is_nouveau(c)) {
		tag -= cells * (p.comp - 1u);
		note(c, "nouveau starts a mapping inside of a buffer at the tag first + (offset >> 16), without the cells per page");
	}
	if (p.comp && tag > PTE_TAG_MAX) {
		c->err = nvfifo_error(-EINVAL, "the page at this offset needs tag cell %" PRIx64
				      ", and a PTE has 12 bits for it", (uint64_t)tag);
		return;
	}

	if (p.comp)
		p.tag = (__u16)tag;
	ctag = (__u64)p.comp << NVFIFO_PTE_TAG_SHIFT;
	word = nvfifo_pte_encode(&p);
	set(c, "ret", NUM, "0");
	set(c, "type", STR, "%016" PRIx64, (uint64_t)word);
	set(c, "ctag", STR, "%016" PRIx64, (uint64_t)ctag);
	set(c, "next", STR, "%016" PRIx64, (uint64_t)nvfifo_pte_step(shift, word));
}

/* nouveau's nv50_vmm_pgt_pte(): a run of PTEs with the largest contig blocks that fit. */
static void pte_run(struct calc *c)
{
	__u32 index = (__u32)need(c, "ptei", DEC, 0x1ffff);
	__u32 count = (__u32)need(c, "ptes", DEC, 0x20000);
	unsigned int shift = (unsigned int)opt(c, "page_shift", DEC, 16, 12);
	__u64 addr = need(c, "addr", HEX, NVFIFO_VA_MASK), type = need(c, "type", HEX, ~0ULL);
	__u64 next = opt(c, "next", HEX, ~0ULL, nvfifo_pte_step(shift, type));
	size_t used = 0, size;
	char *out;

	if (c->err)
		return;

	size = (size_t)count * 20 + 8;
	out = malloc(size);
	if (!out) {
		c->err = nvfifo_error(-ENOMEM, "out of memory");
		return;
	}

	used = (size_t)snprintf(out, size, "[");
	addr += type;
	while (count) {
		unsigned int log2 = nvfifo_pte_contig(index, count);
		__u32 i, n = 1u << log2;

		for (i = 0; i < n; i++)
			used += (size_t)snprintf(out + used, size - used, "%s\"%" PRIx64 "\"",
						 used > 1 ? "," : "",
						 (uint64_t)(addr |
							    (__u64)log2 << NVFIFO_PTE_CONTIG_SHIFT));

		addr += next << log2;
		index += n;
		count -= n;
	}

	snprintf(out + used, size - used, "]");
	set_text(c, "ptes_out", NVFIFO_VALUE_JSON, out);
	free(out);
}

static void pte(struct calc *c)
{
	__u64 words[CALC_WORDS];
	struct nvfifo_pte p;

	c->vectors = true;
	if (has(c, "ptei")) {
		pte_run(c);
		return;
	}

	if (has(c, "page_shift")) {
		pte_type(c);
		return;
	}

	c->vectors = false;
	if (!nvfifo_calc_table(c, words))
		return;

	p = nvfifo_pte_decode(words[0]);
	if (c->encoded && (p.comp == 3 || (p.comp && p.target != NVFIFO_TARGET_VRAM)))
		note(c, "compression is for VRAM, in modes 1 and 2");
}

/* --- PDE ----------------------------------------------------------------- */

/* nouveau's nv50_vmm_pde(). */
static void pde_vector(struct calc *c)
{
	unsigned int type = nvfifo_calc_pick(c, "page_shift", "page_size", 0);
	__u64 bytes = opt(c, "pt_bytes", HEX, 0x100000, 0);
	struct nvfifo_pde p = {
		.target = (__u8)nvfifo_calc_pick(c, "target", "target", 0),
		.address = opt(c, "pt_addr", HEX, NVFIFO_VA_MASK, 0),
		.type = (__u8)type,
	};
	bool ok = true;

	if (c->err)
		return;
	if (type == NVFIFO_PT_NONE) {
		/* The card ignores the high word. */
		set(c, "ok", NUM, "1");
		set(c, "pde", STR, "%s", is_nouveau(c) ? "deadcafe00000000" : "0");
		if (is_nouveau(c))
			note(c, "nouveau marks an empty PDE in bits that the card ignores");
		return;
	}

	if (type == NVFIFO_PT_4K) {
		p.size = (__u8)nvfifo_pt_size_for((__u32)(bytes / 8));
		ok = (__u64)nvfifo_pt_entries(type, p.size) * 8 == bytes;
	}

	if (type == NVFIFO_PT_16K || p.target == NVFIFO_TARGET_INVALID)
		ok = false;
	set(c, "ok", NUM, "%d", ok);
	set(c, "pde", STR, "%" PRIx64, (uint64_t)(ok ? nvfifo_pde_encode(&p) : 0));
}

static void set_table_size(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	struct nvfifo_pde p = nvfifo_pde_decode(words[0]);
	__u32 entries = nvfifo_pt_entries(p.type, p.size);

	means(c, "%u entries, %u MiB of addresses", entries,
	      (unsigned int)((__u64)entries << nvfifo_pt_page_shift(p.type) >> 20));
	set(c, row->name, NUM, "%" PRIu64, (uint64_t)v);
}

static void pde(struct calc *c)
{
	__u64 words[CALC_WORDS];

	if (has(c, "page_shift")) {
		c->vectors = true;
		pde_vector(c);
		return;
	}

	nvfifo_calc_table(c, words);
}

/* --- Faults -------------------------------------------------------------- */

static void fault_details(struct calc *c, __u32 chipset, const struct nvfifo_fault *f)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_fault_reasons, f->reason);
	const __u32 desc = (__u32)(f->inst >> 12);

	set(c, "access", STR, "%s", f->write ? "write" : "read");
	means(c, "PDE %u; PTE %u of a table of 4 KiB pages, %u of 64 KiB",
	      (unsigned int)(f->address >> 29), (unsigned int)(f->address >> 12 & 0x1ffff),
	      (unsigned int)(f->address >> 16 & 0x1fff));
	set(c, "va", STR, "%010" PRIx64, (uint64_t)f->address);
	if (desc >> 28 & 3)
		means(c, "channel descriptor << 12: the channel structure is at %010" PRIx64 ", %s",
		      (uint64_t)nvfifo_chan_desc_address(desc), nvfifo_target_name(desc >> 28 & 3));
	else
		means(c, "address of the channel structure");
	set(c, "inst", STR, "%08" PRIx64, (uint64_t)f->inst);
	means(c, "%s", nvfifo_fault_engine(chipset, f->engine));
	set(c, "engine", STR, "%02x", f->engine);
	means(c, "%s", nvfifo_fault_client(chipset, f->client));
	set(c, "client", STR, "%02x", f->client);
	means(c, "%s", nvfifo_fault_slot(chipset, f->engine, f->client, f->slot));
	set(c, "subclient", STR, "%02x", f->slot);
	means(c, "%s", n ? n->name : "");
	if (n && n->means)
		means(c, "%s: %s", n->name, n->means);
	set(c, "reason", STR, "%02x", f->reason);
}

/* Names that nouveau has instead of rnndb's; it has none for some. @part: of fault_names() */
static const struct {
	unsigned int part;
	unsigned int id;
	const char *name;
} nouveau_names[] = {
	{ 0, 1, "PVP" }, { 0, 7, "" }, { 0, 8, "PMSPPP" }, { 0, 0xa, "PCRYPT" }, { 0, 0xd, "PCE0" }, { 0, 0xe, "PMU" },
	{ 1, 6, "PMSPPP" }, { 1, 0xc, "PVP" }, { 1, 0xe, "PCRYPT" }, { 1, 0x13, "" }, { 1, 0x14, "" },
	{ 3, 3, "PAGE_SYSTEM_ONLY" }, { 3, 5, "" },
};

/* Engine, client, DMA slot and reason of a fault, in the line of nouveau's log */
static void fault_names(const struct calc *c, __u32 chipset, const struct nvfifo_fault *f, const char *names[4])
{
	static const char *const bar[] = { "FB", "IN" };
	const struct nvfifo_name *reason = nvfifo_name_find(nvfifo_fault_reasons, f->reason);
	const unsigned int ids[] = { f->engine, f->client, f->slot, f->reason };
	size_t i;

	if (is_nouveau(c))
		chipset = 0;
	names[0] = nvfifo_fault_engine(chipset, f->engine);
	names[1] = nvfifo_fault_client(chipset, f->client);
	names[2] = nvfifo_fault_slot(chipset, f->engine, f->client, f->slot);
	names[3] = reason ? reason->name : "";
	if (!is_nouveau(c))
		return;

	/* nouveau takes the slots from the client, or from the engine. */
	if (f->client == 3 || f->client == 5 || f->client == 0xb)
		names[2] = nvfifo_fault_slot(0, 0, f->client, f->slot);
	else if (f->engine == NVFIFO_VM_PFIFO)
		names[2] = nvfifo_fault_slot(0, NVFIFO_VM_PFIFO, 4, f->slot);
	else
		names[2] = f->engine == NVFIFO_VM_BAR && f->slot < 2 ? bar[f->slot] : "";

	for (i = 0; i < sizeof(nouveau_names) / sizeof(nouveau_names[0]); i++) {
		if (ids[nouveau_names[i].part] == nouveau_names[i].id)
			names[nouveau_names[i].part] = nouveau_names[i].name;
	}
}

/* A chipset's name or number: "G96", "96", "0x96" */
static __u32 chipset_of(struct calc *c)
{
	const char *s = field_text(c, "chipset");
	__u64 v = 0;

	if (!s || !*s)
		return 0x84;

	if (number(s, HEX, 0xff, &v) && nvfifo_chipset_name((__u32)v))
		return (__u32)v;

	v = nvfifo_chipset_of_name(s, strlen(s));
	if (v)
		return (__u32)v;

	if (!c->err)
		c->err = nvfifo_error(-EINVAL, "chipset '%.40s' is none of the NV50 family", s);

	return 0x84;
}

static void fault(struct calc *c)
{
	__u32 chipset = chipset_of(c), w[NVFIFO_FAULT_WORDS] = { 0 };
	bool fields = has(c, "va") || has(c, "reason");
	struct nvfifo_fault f = { 0 };
	unsigned int n = nvfifo_fault_width(chipset);
	const char *names[4];
	char line[400];

	if (!has(c, "chipset"))
		note(c, "without chipset= this is the record of G80 to G200, MCP77 and MCP79; those of GT215 to GT218 and MCP89 have fields of 8 bits");

	if (fields && !has(c, "trap")) {
		f.address = need(c, "va", HEX, NVFIFO_VA_MASK);
		f.inst = aligned(c, "inst", 0x1000, opt(c, "inst", HEX, 0xfffffffffffULL, 0));
		f.engine = (__u8)opt(c, "engine", HEX, (1u << n) - 1, NVFIFO_VM_PFIFO);
		f.reason = (__u8)opt(c, "reason", HEX, (1u << n) - 1, 0);
		f.client = (__u8)opt(c, "client", HEX, (1u << n) - 1, 8);
		f.slot = (__u8)opt(c, "subclient", HEX, (1u << n) - 1, 0);
		f.write = nvfifo_calc_pick(c, "access", "access", 0);
		nvfifo_fault_encode(chipset, &f, w);
		snprintf(line, sizeof(line), "[\"%08x\",\"%08x\",\"%08x\",\"%08x\",\"%08x\",\"%08x\"]",
			 w[0], w[1], w[2], w[3], w[4], w[5]);
		set_text(c, "trap", NVFIFO_VALUE_JSON, line);
	} else {
		c->vectors = true;
		words(c, "trap", w, NVFIFO_FAULT_WORDS, NVFIFO_FAULT_WORDS);
	}

	if (c->err)
		return;

	f = nvfifo_fault_decode(chipset, w);
	fault_names(c, chipset, &f, names);
	snprintf(line, sizeof(line),
		 "trapped %s at %010" PRIx64 " on channel -1 [%08x unknown] engine %02x [%s] client %02x [%s] subclient %02x [%s] reason %08x [%s]",
		 f.write ? "write" : "read", (uint64_t)f.address, (__u32)f.inst, f.engine, names[0], f.client, names[1],
		 f.slot, names[2], f.reason, names[3]);
	set_text(c, "line", STR, line);
	if (details(c))
		fault_details(c, chipset, &f);
}

/* --- DMA objects --------------------------------------------------------- */

static const char *const dma_word_names[] = { "w0", "w1", "w2", "w3", "w4", "w5" };

static void set_class(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	const char *name = nvfifo_class_name((__u32)v);

	(void)words;
	means(c, "%s; the MMU ignores it", name ? name : "no DMA object class");
	set(c, row->name, STR, "%02" PRIx64, (uint64_t)v);
}

static void set_limit(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	const __u64 start = (words[3] & 0xff) << 32 | words[2];

	means(c, "last address, inclusive; %" PRIu64 " bytes", (uint64_t)(v >= start ? v - start + 1 : 0));
	set(c, row->name, STR, "%010" PRIx64, (uint64_t)v);
}

static void dmaobj_decode(struct calc *c, const __u32 *w)
{
	struct nvfifo_dmaobj o = nvfifo_dmaobj_decode(w);
	__u64 words[CALC_WORDS] = { 0 };
	size_t i;

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		words[i] = w[i];

	nvfifo_calc_decode(c, (const struct calc_table *)nvfifo_calc_find("dmaobj"), words);
	if (o.target && (!o.access || !o.user || o.kind == NVFIFO_DMAOBJ_KIND_VM || o.comp == NVFIFO_DMAOBJ_COMP_VM))
		note(c, "the object is not paged, so no PTE decides access, priv, kind or comp");
}

/* Return: the first field that is out of range, in words, or NULL. */
static const char *dmaobj_error(const struct nvfifo_dmaobj *o)
{
	if (o->start > o->limit)
		return "limit is below start";
	if (o->user > 2)
		return "priv must be 0 to 2";
	if (o->cycle > 2)
		return "part must be 0 to 2";
	if (o->comp > 3)
		return "comp must be 0 to 3";
	if (o->kind > 0x7f)
		return "kind must be 0 to 7f";

	return NULL;
}

/* The fields of a DMA object. @plain leaves nouveau's defaults, whatever the row says. */
static void dmaobj_fields(struct calc *c, bool plain, struct nvfifo_dmaobj *o)
{
	o->oclass = (__u16)opt(c, "oclass", HEX, 0xffff, NVFIFO_CLASS_DMA_RW);
	o->target = (__u8)nvfifo_calc_pick(c, "target", "dma_target", 0);
	o->access = (__u8)nvfifo_calc_pick(c, "access", "dma_access", o->target ? NVFIFO_DMAOBJ_ACCESS_RW : 0);
	o->start = need(c, "start", HEX, NVFIFO_VA_MASK);
	o->limit = need(c, "limit", HEX, NVFIFO_VA_MASK);

	/* nouveau's defaults */
	if (o->target == NVFIFO_DMAOBJ_VM) {
		o->user = NVFIFO_DMAOBJ_USER_VM;
		o->kind = NVFIFO_DMAOBJ_KIND_VM;
		o->comp = NVFIFO_DMAOBJ_COMP_VM;
	} else {
		o->user = NVFIFO_DMAOBJ_USER_BOTH;
		o->cycle = 1;
	}

	if (!plain) {
		o->user = (__u8)opt(c, "priv", DEC, 0xff, o->user);
		o->cycle = (__u8)opt(c, "part", DEC, 0xff, o->cycle);
		o->comp = (__u8)opt(c, "comp", DEC, 0xff, o->comp);
		o->kind = (__u8)opt(c, "kind", HEX, 0xff, o->kind);
	}

	o->supervisor = flag(c, "supervisor", false);
	o->encrypted = (__u8)opt(c, "encrypted", DEC, 3, 0);
	o->tag_start = (__u16)opt(c, "tag_start", HEX, 0xfff, 0);
	o->tag_limit = (__u16)opt(c, "tag_limit", HEX, 0xfff, 0);
	o->comp_start = (__u16)opt(c, "comp_start", HEX, 0xffff, 0);
}

/* The answer for an object that nouveau refuses: in test vectors, a line without words. */
static void dmaobj_refuse(struct calc *c, const char *why)
{
	unsigned int i;

	if (!c->vectors) {
		c->err = nvfifo_error(-EINVAL, "%s", why);
		return;
	}

	set(c, "ret", NUM, "%d", -EINVAL);
	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		set(c, dma_word_names[i], STR, "%s", "");
}

static void dmaobj_encode(struct calc *c, const struct nvfifo_dmaobj *o)
{
	__u32 w[NVFIFO_DMAOBJ_WORDS];
	unsigned int i;

	nvfifo_dmaobj_encode(o, w);
	if (c->vectors)
		set(c, "ret", NUM, "0");
	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		set(c, dma_word_names[i], STR, "%08x", w[i]);
	if (!c->vectors)
		dmaobj_decode(c, w);
}

static void dmaobj(struct calc *c)
{
	__u32 w[NVFIFO_DMAOBJ_WORDS] = { 0 };
	struct nvfifo_dmaobj o = { 0 };
	const char *why;
	unsigned int i;
	bool plain;

	if (!has_one_of(c, "oclass target start limit access priv part comp kind supervisor encrypted "
			   "tag_start tag_limit comp_start")) {
		for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
			w[i] = (__u32)need(c, dma_word_names[i], HEX, 0xffffffff);
		if (!c->err)
			dmaobj_decode(c, w);
		return;
	}

	c->vectors = field_text(c, "explicit");
	plain = c->vectors && !opt(c, "explicit", DEC, 1, 0);
	dmaobj_fields(c, plain, &o);
	if (c->err)
		return;

	why = dmaobj_error(&o);
	if (why)
		dmaobj_refuse(c, why);
	else
		dmaobj_encode(c, &o);
}

/* The offset of the engine's context object in the channel structure */
static __u32 ectx_offset(struct calc *c, bool g84, const char *name)
{
	const struct engine *e = find_engine(name);
	const char *why = "no engine has the name '%.20s' on the %s";

	if (e && ((g84 && e->ctx) || (!g84 && is_one_of(e->g80, name))))
		return nvfifo_engine_ctx(g84, e->id);

	if (e && (e->ctx || *e->g80))
		why = "engine '%.20s' has no context object on the %s";
	if (!c->err)
		c->err = nvfifo_error(-EINVAL, why, name, g84 ? "G84 and later" : "G80");

	return 0;
}

/* Words of the object as they lie in memory: four or six */
static void ectx_decode(struct calc *c)
{
	__u32 w[NVFIFO_DMAOBJ_WORDS] = { 0 };

	words(c, "words", w, 4, NVFIFO_DMAOBJ_WORDS);
	if (c->err)
		return;

	set_text(c, "words", STR, field_text(c, "words"));
	means(c, "of the DMA object: its class, target and access");
	set(c, "flags", STR, "%08x", w[0]);
	dmaobj_decode(c, w);
}

static void ectx(struct calc *c)
{
	bool g84 = nvfifo_calc_pick(c, "gen", "generation", 1);
	const char *engine = field_text(c, "engine");
	__u32 w[NVFIFO_DMAOBJ_WORDS], offset;
	struct nvfifo_dmaobj o;
	__u64 addr, size;
	char text[160];

	if (!has_one_of(c, "engine ctx_addr ctx_size gen") && has(c, "words")) {
		ectx_decode(c);
		return;
	}

	addr = need(c, "ctx_addr", HEX, NVFIFO_VA_MASK);
	size = need(c, "ctx_size", HEX, NVFIFO_VA_MASK);
	if (!engine && !c->err) {
		c->missing = true;
		c->err = nvfifo_error(-EINVAL, "engine is missing");
	}

	if (c->err)
		return;

	offset = ectx_offset(c, g84, engine);
	if (!c->err && (!size || size - 1 > NVFIFO_VA_MASK - addr))
		c->err = nvfifo_error(-EINVAL, "ctx_size must be 1 to %" PRIx64 " at this address",
				      (uint64_t)(NVFIFO_VA_MASK - addr + 1));
	if (c->err)
		return;

	c->vectors = true;
	if (!opt(c, "bind", DEC, 1, 1)) {
		set_text(c, "words", NVFIFO_VALUE_JSON, "{}");
		return;
	}

	o = nvfifo_dmaobj_engine(addr, size);
	nvfifo_dmaobj_encode(&o, w);
	if (is_nouveau(c) && addr) {
		w[3] = (w[3] & 0xff000000) | (__u32)addr;
		note(c, "nouveau writes the low half of the start into word 3, a slip");
	}

	snprintf(text, sizeof(text), "{\"%x\":\"%08x\",\"%x\":\"%08x\",\"%x\":\"%08x\",\"%x\":\"%08x\"}",
		 offset, w[0], offset + 4, w[1], offset + 8, w[2], offset + 12, w[3]);
	set_text(c, "words", NVFIFO_VALUE_JSON, text);
}

/* --- RAMHT --------------------------------------------------------------- */

#define RAMHT_MAX (1u << NVFIFO_RAMHT_BITS_MAX)

/* The table that a script of insertions fills. */
struct ramht {
	unsigned int bits;
	__u32 next;	/* offset of the next object's memory */
	__u32 handles[RAMHT_MAX];
	bool used[RAMHT_MAX];
};

/* The slot of the handle, else the first free slot; a full table has neither. */
static __u32 ramht_slot(const struct ramht *t, __u32 handle)
{
	__u32 first = nvfifo_ramht_hash(handle, t->bits), slot = first;

	while (t->used[slot] && t->handles[slot] != handle) {
		slot = (slot + 1) & ((1u << t->bits) - 1);
		if (slot == first)
			break;
	}

	return slot;
}

/* One insertion of the script, whose result goes into its row. */
static void ramht_insert_one(struct ramht *t, struct calc *o)
{
	__u32 handle = (__u32)need(o, "handle", HEX, 0xffffffff);
	unsigned int engine = (unsigned int)opt(o, "engine", DEC, 15, 0);
	__u32 bytes = (__u32)opt(o, "bytes", DEC, 0xfffff, 0);
	__u32 slot = ramht_slot(t, handle), offset;

	if (t->used[slot]) {
		set(o, "ret", NUM, "%d", t->handles[slot] == handle ? -EEXIST : -ENOSPC);
		return;
	}

	/* An object without memory gets a context that is not 0. */
	offset = bytes ? t->next : 0x40;
	t->next += (bytes + 15) & ~15u;
	t->used[slot] = true;
	t->handles[slot] = handle;

	set(o, "ret", NUM, "%u", slot + 1);
	set(o, "slot", NUM, "%u", slot);
	set(o, "w0", STR, "%08x", handle);
	set(o, "w1", STR, "%08x", nvfifo_ramht_context(engine, offset));
}

/* The script's array with the results. */
static void ramht_script(struct calc *c, struct ramht *t, const char *ops, FILE *f)
{
	struct nvfifo_row op = { 0 };
	bool more = false;
	char item[512];
	size_t at;

	fputc('[', f);

	while (!c->err && nvfifo_json_next(&ops, item, sizeof(item))) {
		struct calc o = { .r = &op, .note = c->note };

		if (nvfifo_row_from_json(&op, item, strlen(item), &at))
			o.err = nvfifo_error(-EINVAL, "ops is an array of objects");
		ramht_insert_one(t, &o);

		if (more)
			fputc(',', f);
		more = true;
		nvfifo_row_write_json(f, &op, false);
		nvfifo_row_free(&op);
		c->err = o.err;
	}

	fputc(']', f);
}

/* nouveau's nvkm_ramht_insert(), a script of insertions into an empty table. */
static void ramht_insert(struct calc *c)
{
	unsigned int bits = (unsigned int)need(c, "bits", DEC, NVFIFO_RAMHT_BITS_MAX);
	__u32 table = (__u32)need(c, "ramht_offset", DEC, 0xfffff);
	const char *ops = field_text(c, "ops");
	struct ramht *t;
	char *out = NULL;
	size_t size = 0;
	FILE *f;

	if (!c->err && bits < NVFIFO_RAMHT_BITS_MIN)
		c->err = nvfifo_error(-EINVAL, "bits must be 9 to 12");
	if (c->err)
		return;

	t = calloc(1, sizeof(*t));
	f = open_memstream(&out, &size);
	if (f && t) {
		t->bits = bits;
		t->next = table + (8u << bits);
		ramht_script(c, t, ops, f);
	} else {
		c->err = nvfifo_error(-ENOMEM, "out of memory");
	}

	/* The text is complete only after the file is closed. */
	if (f)
		fclose(f);
	if (f && t)
		set_text(c, "ops", NVFIFO_VALUE_JSON, out);
	free(t);
	free(out);
}

static void ramht(struct calc *c)
{
	bool hash = has(c, "handle"), context = has_one_of(c, "engine offset context");
	__u64 words[CALC_WORDS];

	if (has(c, "ops")) {
		c->vectors = true;
		ramht_insert(c);
		return;
	}

	if (hash) {
		unsigned int bits = (unsigned int)opt(c, "bits", DEC, 31, 12);
		__u32 chid = (__u32)opt(c, "chid", DEC, 127, 0);
		__u32 handle = (__u32)need(c, "handle", HEX, 0xffffffff);

		if (!c->err && bits < 5)
			c->err = nvfifo_error(-EINVAL, "bits must be 5 to 31; the card's tables have 9 to 12");
		if (c->err)
			return;

		c->vectors = field_text(c, "chid") && !context;
		means(c, "slot at which the search starts");
		set(c, "index", STR, "%x", nvfifo_ramht_hash(handle, bits) ^ chid << (bits - 4));
		if (bits < NVFIFO_RAMHT_BITS_MIN || bits > NVFIFO_RAMHT_BITS_MAX)
			note(c, "the card has no table of that size: bits is 9 to 12");
		if (chid)
			note(c, "on this family each channel has its own RAMHT, and the channel id is not part of the hash");
	}

	if (!hash || context)
		nvfifo_calc_table(c, words);
}

/* --- IB entries, RAMFC ------------------------------------------------ */

static void ib(struct calc *c)
{
	struct nvfifo_ib_entry e = { 0 };
	__u64 words[CALC_WORDS];
	__u32 w[2];

	c->vectors = has(c, "bytes");
	if (!c->vectors) {
		if (nvfifo_calc_table(c, words) && c->encoded && !(words[1] >> 10 & NVFIFO_IB_WORDS_MAX))
			note(c, "an entry of length 0 stops the pusher with IB_EMPTY");
		return;
	}

	e.address = aligned(c, "va", 4, need(c, "va", HEX, NVFIFO_VA_MASK));
	e.words = (__u32)aligned(c, "bytes", 4, need(c, "bytes", HEX, NVFIFO_IB_WORDS_MAX * 4ULL)) / 4;
	e.no_prefetch = opt(c, "no_prefetch", DEC, 1, 0);
	e.not_main = opt(c, "not_main", DEC, 1, 0);
	nvfifo_ib_encode(&e, w);
	if (c->err)
		return;

	if (!e.words)
		note(c, "an entry of length 0 stops the pusher with IB_EMPTY");
	words[0] = w[0];
	words[1] = w[1];
	nvfifo_calc_set_words(c, words);
	if (details(c))
		nvfifo_calc_decode(c, c->table, words);
}

/* "ADDRESS_HIGH 0, ORDER 9": the fields of the register that a word of RAMFC is loaded into */
static void ramfc_means(struct calc *c, const char *name, __u32 value)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;
	char text[160] = "";

	if (nvfifo_reg_parse(name, 0, &ref) || ref.field)
		return;

	while ((f = nvfifo_reg_field(ref.reg, 0, f)))
		nvfifo_text_add(text, sizeof(text), "%s%s %x", *text ? ", " : "", f->name,
				(value & nvfifo_reg_mask(f)) >> f->lo);

	means(c, "%s", text);
}

/* RAMFC as the column of nouveau's vectors has it: {"3c":"403f6078","44":"01003fff"} */
static void ramfc_decode(struct calc *c)
{
	const char *text = field_text(c, "ramfc"), *name;
	struct nvfifo_row r = { 0 };
	__u64 offset, value;
	size_t at, i;

	if (nvfifo_row_from_json(&r, text, strlen(text), &at) && !c->err)
		c->err = nvfifo_error(-EINVAL, "ramfc must be an object of JSON such as {\"3c\":\"403f6078\"}");

	for (i = 0; i < r.count && !c->err; i++) {
		name = NULL;
		if (number(r.fields[i].name, HEX, NVFIFO_RAMFC_WORDS * 4 - 4, &offset))
			name = nvfifo_ramfc_name((unsigned int)offset);

		if (!name) {
			c->err = nvfifo_error(-EINVAL, "RAMFC has no word at '%.20s', 0 to %x in steps of 4",
					      r.fields[i].name, NVFIFO_RAMFC_WORDS * 4 - 4);
		} else if (!number(r.fields[i].text, HEX, 0xffffffff, &value)) {
			c->err = nvfifo_error(-EINVAL, "%s must be a hexadecimal number up to ffffffff, not '%.40s'",
					      name, r.fields[i].text);
		} else {
			ramfc_means(c, name, (__u32)value);
			set(c, name, STR, "%08x", (__u32)value);
		}
	}

	nvfifo_row_free(&r);
}

/* An offset in the channel structure */
static __u32 place(struct calc *c, const char *name, __u32 align, __u32 absent)
{
	return (__u32)aligned(c, name, align, opt(c, name, HEX, 0xfffff, absent));
}

/* RAMFC of a new channel, and the accesses that bind, start and stop it */
static void ramfc_encode(struct calc *c)
{
	static const __u8 plan[] = {
		NVFIFO_RAMFC_DMA_FETCH, NVFIFO_RAMFC_DMA_TIMESLICE, NVFIFO_RAMFC_DMA_INSTANCE,
		NVFIFO_RAMFC_IB_ADDRESS_LOW, NVFIFO_RAMFC_IB_CONFIG, NVFIFO_RAMFC_ACQUIRE_TIMEOUT,
		NVFIFO_RAMFC_SLI, NVFIFO_RAMFC_RAMHT, NVFIFO_RAMFC_CACHE_INST,
		NVFIFO_RAMFC_CHAN_INST,
	};
	bool g84 = nvfifo_calc_pick(c, "gen", "generation", 1);
	__u64 inst = aligned(c, "inst", 0x1000, need(c, "inst", HEX, 0xffffffff));
	__u32 bytes = (__u32)opt(c, "ib_bytes", HEX, 0x80000, 0x1000);
	__u32 off_ramfc = place(c, "off_ramfc", 0x100, NVFIFO_G84_RAMFC);
	__u32 off_cache = place(c, "off_cache", 0x400, NVFIFO_G84_CACHE);
	__u32 chid = (__u32)opt(c, "chid", DEC, 127, 1);
	struct nvfifo_ramfc r = {
		.g84 = g84,
		.ib = true,
		.inst = inst,
		.push_offset = place(c, "push_node_offset", 0x10, 0),
		.ramht_offset = place(c, "off_ramht", 0x10, NVFIFO_CHAN_RAMHT),
		.ramht_bits = (unsigned int)opt(c, "ramht_bits", DEC, NVFIFO_RAMHT_BITS_MAX, 12),
		.ib_address = need(c, "ib_offset", HEX, NVFIFO_VA_MASK),
		.sli_mask = 0xfff,
	};
	__u32 w[NVFIFO_RAMFC_WORDS], bound;
	char text[512] = "{";
	size_t i;

	if (!c->err && r.ramht_bits < NVFIFO_RAMHT_BITS_MIN)
		c->err = nvfifo_error(-EINVAL, "ramht_bits must be 9 to 12");
	if (!c->err && (bytes < 8 || bytes & (bytes - 1)))
		c->err = nvfifo_error(-EINVAL, "ib_bytes must be a power of two, and 8 or more, not %x",
				      bytes);
	if (c->err)
		return;

	c->vectors = true;
	while ((16u << r.ib_order) <= bytes)
		r.ib_order++;
	nvfifo_ramfc_encode(&r, w);
	w[NVFIFO_RAMFC_CACHE_INST / 4] = g84 ? (__u32)((inst + off_cache) >> 10) : 0;
	for (i = 0; i < sizeof(plan) - (g84 ? 0 : 2); i++)
		nvfifo_text_add(text, sizeof(text), "%s\"%x\":\"%08x\"", i ? "," : "", plan[i], w[plan[i] / 4]);

	nvfifo_text_add(text, sizeof(text), "}");
	if (!field_text(c, "ret"))
		set(c, "ret", NUM, "0");
	set_text(c, "ramfc", NVFIFO_VALUE_JSON, text);
	bound = (__u32)(g84 ? (inst + off_ramfc) >> 8 : inst >> 12);
	snprintf(text, sizeof(text),
		 "[\"W %06x %08x\",\"R %06x %08x\",\"W %06x %08x\",\"R %06x %08x\",\"W %06x %08x\",\"W %06x %08x\"]",
		 0x2600 + chid * 4, bound, 0x2600 + chid * 4, bound, 0x2600 + chid * 4,
		 bound | 1u << 31, 0x2600 + chid * 4, bound | 1u << 31, 0x2600 + chid * 4, bound,
		 0x2600 + chid * 4, 0);
	set_text(c, "bind_start_stop_unbind", NVFIFO_VALUE_JSON, text);
}

static void ramfc(struct calc *c)
{
	if (has(c, "ramfc") && !has(c, "inst") && !has(c, "ib_offset"))
		ramfc_decode(c);
	else
		ramfc_encode(c);
}

/* --- PFIFO's state ------------------------------------------------------- */

static void set_next_method(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	const char *name = nvfifo_method_name(0, (__u32)v);

	if (!name && nvfifo_dma_state_decode((__u32)words[0]).error == NVFIFO_PUSHER_INVALID_MTHD)
		name = "of the refused data word";
	means(c, "%s", name ? name : "of the next data word");
	set(c, row->name, STR, "%04" PRIx64, (uint64_t)v);
}

/* After a command of increasing methods the one before is known. */
static void set_last_methods(struct calc *c, __u32 v)
{
	const struct nvfifo_dma_state s = nvfifo_dma_state_decode(v);
	char last[8] = "", offending[8] = "";

	if (s.error == NVFIFO_PUSHER_INVALID_MTHD)
		snprintf(offending, sizeof(offending), "%04x", s.method);
	else if (s.method && !s.nonincr)
		snprintf(last, sizeof(last), "%04x", s.method - 4u);

	set_text(c, "last_method_done", STR, last);
	set_text(c, "offending_method", STR, offending);
}

static void dma_pusher_vector(struct calc *c)
{
	__u32 get = (__u32)need(c, "r3244", HEX, ~0u), get_high = (__u32)opt(c, "r3328", HEX, ~0u, 0);
	__u32 put = (__u32)need(c, "r3240", HEX, ~0u), put_high = (__u32)opt(c, "r3320", HEX, ~0u, 0);
	__u32 ib_get = (__u32)need(c, "r3334", HEX, ~0u), ib_put = (__u32)need(c, "r3330", HEX, ~0u);
	__u64 state[CALC_WORDS] = { need(c, "r3228", HEX, ~0u) };
	__u32 push = (__u32)opt(c, "r3220", HEX, ~0u, 0);
	static const char *const names[] = { "NONE", "CALL_SUBR_ACTIVE", "INVALID_MTHD",
					     "RET_SUBR_INACTIVE", "INVALID_CMD", "IB_EMPTY",
					     "MEM_FAULT", "UNK" };
	const char *old = field_text(c, "line"), *ch = old ? strstr(old, " ch ") : NULL;
	int chid = ch ? (int)nvfifo_text_value(ch + 4, 10) : 0;
	char text[400];

	if (c->err)
		return;

	/* The vectors number their channels in the line only. */
	chid = (int)opt(c, "chid", DEC, 127, (__u64)(chid >= 0 ? chid : 0));
	snprintf(text, sizeof(text),
		 "DMA_PUSHER - ch %d [unknown] get %02x%08x put %02x%08x ib_get %08x ib_put %08x state %08x (err: %s) push %08x",
		 chid, get_high, get, put_high, put, ib_get, ib_put, (__u32)state[0],
		 names[state[0] >> 29], push);
	set_text(c, "line", STR, text);
	if (get != put || get_high != put_high)
		snprintf(text, sizeof(text),
			 "[\"W 003364 00000000\",\"W 003244 %08x\",\"W 003328 %08x\",\"W 003228 00000000\",\"W 003220 00000001\",\"W 002100 00001000\"]",
			 put, put_high);
	else if (ib_get != ib_put)
		snprintf(text, sizeof(text),
			 "[\"W 003364 00000000\",\"W 003334 %08x\",\"W 003228 00000000\",\"W 003220 00000001\",\"W 002100 00001000\"]",
			 ib_put);
	else
		snprintf(text, sizeof(text),
			 "[\"W 003364 00000000\",\"W 003228 00000000\",\"W 003220 00000001\",\"W 002100 00001000\"]");
	set_text(c, "mmio", NVFIFO_VALUE_JSON, text);
	if (!details(c))
		return;

	nvfifo_calc_decode(c, c->table, state);
	set_last_methods(c, (__u32)state[0]);
}

static void dma_state(struct calc *c)
{
	__u64 words[CALC_WORDS];

	c->vectors = has(c, "r3228");
	if (c->vectors)
		dma_pusher_vector(c);
	else if (nvfifo_calc_table(c, words))
		set_last_methods(c, (__u32)words[0]);
}

static void pull0_decode(struct calc *c, __u32 v)
{
	const struct nvfifo_name *n;
	unsigned int i;
	char names[160];

	nvfifo_bits_text(nvfifo_pull0_bits, v & ~0xf0f00000u, "UNK", " ", names, sizeof(names));
	set(c, "bits", STR, "%s", names);

	for (i = 0; i < 32; i++) {
		n = nvfifo_name_find(nvfifo_pull0_bits, 1u << i);
		if (n && v >> i & 1) {
			means(c, "%s", n->means);
			set(c, n->name, NUM, "1");
		}
	}

	n = nvfifo_name_find(nvfifo_semaphore_errors, v >> 20 & 0xf);
	means(c, "%s", n ? n->means : "an unknown error");
	set(c, "semaphore_error", STR, "%s", n ? n->name : "UNKNOWN");
	if (v >> 28) {
		means(c, "a status that no source knows");
		set(c, "status", NUM, "%u", v >> 28);
	}
}

static void pull0(struct calc *c)
{
	__u32 pull0 = (__u32)need(c, "pull0", HEX, 0xffffffff), get, mthd, data, i, next;
	char text[640];

	if (!has(c, "mthd")) {
		if (c->err)
			return;
		pull0_decode(c, pull0);
		return;
	}

	c->vectors = true;
	get = (__u32)opt(c, "get", HEX, 0xffffffff, 0);
	mthd = (__u32)need(c, "mthd", HEX, 0xffffffff);
	data = (__u32)opt(c, "data", HEX, 0xffffffff, 0);
	if (c->err)
		return;

	snprintf(text, sizeof(text), "CACHE_ERROR - ch %u [unknown] subc %u mthd %04x data %08x",
		 (unsigned int)opt(c, "chid", DEC, 127, 0), mthd >> 13 & 7, mthd & 0x1ffc, data);
	set_text(c, "line", STR, text);
	i = (get & 0x7ff) >> 2;
	next = get + 4;

	/* A software method that is not handled leaves the same registers except ENGINE. */
	if (!(pull0 & 0x100)) {
		snprintf(text, sizeof(text),
			 "[\"R 003250 %08x\",\"R %06x %08x\",\"R %06x %08x\",\"W 003220 00000000\",\"W 002100 00000001\",\"R 003200 00000001\",\"W 003200 00000000\",\"W 003270 %08x\",\"R 003200 00000000\",\"W 003200 00000001\",\"W 003258 00000000\",\"R 003220 00000000\",\"W 003220 00000001\",\"W 003250 00000001\"]",
			 pull0, 0x90000 + i * 8, mthd, 0x90004 + i * 8, data, next);
		set_text(c, "mmio", NVFIFO_VALUE_JSON, text);
	}

	if (details(c)) {
		set(c, "subchannel", NUM, "%u", mthd >> 13 & 7);
		set(c, "method", STR, "%04x", mthd & 0x1ffc);
		pull0_decode(c, pull0);
	}
}

/* The units of a VSTATUS word by their states: "busy0" */
static void vstatus_decode(struct calc *c, unsigned int reg, __u32 v)
{
	const struct nvfifo_name *state;
	char names[400], field[24];

	for (state = nvfifo_unit_states + 1; state->name; state++) {
		nvfifo_vstatus_text(reg, v, state->value, names, sizeof(names));
		snprintf(field, sizeof(field), "%s%u", state->name, reg);
		if (*names || state->value == 1)
			set_text(c, field, STR, names);
	}
}

/* One to four words, STATUS and VSTATUS0 to 2, as nouveau prints them */
static void pgraph_decode(struct calc *c)
{
	static const char *const vstatus[] = { "r400380", "r400384", "r400388" };
	char names[400];
	unsigned int i;
	__u32 v;

	if (has(c, "r400700")) {
		v = (__u32)need(c, "r400700", HEX, 0xffffffff);
		nvfifo_bits_text(nvfifo_pgraph_status_bits, v, NULL, " ", names, sizeof(names));
		if (!c->err)
			set_text(c, "text", STR, names);
	}

	for (i = 0; i < 3 && !c->err; i++) {
		if (!has(c, vstatus[i]))
			continue;

		v = (__u32)need(c, vstatus[i], HEX, 0xffffffff);
		if (!c->err)
			vstatus_decode(c, i, v);
	}
}

static void pgraph(struct calc *c)
{
	char names[400], text[480];
	__u32 v;

	if (has_one_of(c, "r400700 r400380 r400384 r400388")) {
		pgraph_decode(c);
		return;
	}

	v = (__u32)need(c, "value", HEX, 0xffffffff);
	nvfifo_vstatus_text((unsigned int)need(c, "vstatus", DEC, 2), v, 1, names, sizeof(names));
	snprintf(text, sizeof(text), "PGRAPH_VSTATUS%u: %08x [%s]",
		 (unsigned int)opt(c, "vstatus", DEC, 2, 0), v, names);
	if (!c->err)
		set_text(c, "text", STR, text);
}

/* nouveau's accesses for one flush. Only G84 pauses PGRAPH for a flush of PGRAPH's TLB. */
static void tlb_accesses(struct calc *c, unsigned int id, const char *engine, const char *gen)
{
	bool stuck = opt(c, "hw_stuck", DEC, 1, 0), pause = id == 0 && is_one_of("g84", gen);
	__u32 v = nvfifo_tlb_flush_value(id);
	char text[400], reads[120];

	if (stuck)
		snprintf(reads, sizeof(reads),
			 "\"R 100c80 %08x\",\"R 100c80 %08x\",\"R 100c80 %08x\",\"R 100c80 %08x\"", v,
			 v, v, v);
	else
		snprintf(reads, sizeof(reads), "\"R 100c80 %08x\"", v & ~1u);

	if (pause)
		snprintf(text, sizeof(text),
			 "[\"R 400500 00010001\",\"W 400500 00010000\",\"R 400380 00000000\",\"R 400384 00000000\",\"R 400388 00000000\",\"W 100c80 %08x\",%s,\"R 400500 00010000\",\"W 400500 00010001\"]",
			 v, reads);
	else
		snprintf(text, sizeof(text), "[\"W 100c80 %08x\",%s]", v, reads);

	if (stuck && !pause)
		set(c, "log", STR, "%s mmu invalidate timeout|", engine);
	else
		set(c, "log", STR, "%s", "");
	set_text(c, "mmio", NVFIFO_VALUE_JSON, text);
}

/* The engine's names on the chips, "PVP1, PVP2, PPDEC", for @size bytes */
static void tlb_engine_names(unsigned int id, char *text, size_t size)
{
	static const __u32 chips[] = { 0x50, 0x84, 0x98, 0xa3, 0xaf };
	const char *name;
	size_t i;

	text[0] = '\0';

	for (i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		name = nvfifo_fault_engine(chips[i], id);
		if (*name && !strstr(text, name))
			nvfifo_text_add(text, size, "%s%s", *text ? ", " : "", name);
	}

	if (!*text)
		snprintf(text, size, "no such engine");
}

/* nouveau's flush of an engine's TLB, or the value that flushes it. */
static void tlb(struct calc *c)
{
	const char *engine = field_text(c, "engine"), *gen = field_text(c, "gen");
	const struct engine *e = find_engine(engine);
	__u64 words[CALC_WORDS];
	unsigned int id;
	char names[80];

	if (!engine && !gen && has(c, "value")) {
		nvfifo_calc_table(c, words);
		return;
	}

	c->vectors = gen;
	if (c->vectors && e && (e->flushed || !is_nouveau(c))) {
		tlb_accesses(c, e->id, engine, gen);
		return;
	}

	/* Check the stuck bit even if the result does not depend on it. */
	opt(c, "hw_stuck", DEC, 1, 0);
	if (c->vectors) {
		/* nouveau names engines that the MMU does not know: nothing to flush. */
		set(c, "log", STR, "%s", "");
		set_text(c, "mmio", NVFIFO_VALUE_JSON, "[]");
		if (e && e->id == NVFIFO_VM_PFIFO)
			note(c, "nouveau does not flush PFIFO's TLB, engine 5; nvfifo does");
		return;
	}

	id = e ? e->id : (unsigned int)need(c, "engine", HEX, 0xf);
	if (c->err)
		return;

	tlb_engine_names(id, names, sizeof(names));
	means(c, "%s", names);
	set_text(c, "engine", STR, engine ? engine : "");
	means(c, "to TLB_FLUSH, 100c80; bit 0 reads 1 until it is done");
	set(c, "value", STR, "%08x", nvfifo_tlb_flush_value(id));
}

static void set_tlb_engine(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	char names[80];

	(void)words;
	tlb_engine_names((unsigned int)v, names, sizeof(names));
	means(c, "%s", names);
	set(c, row->name, STR, "%" PRIx64, (uint64_t)v);
}

/* --- Types of fields --------------------------------------------------------- */

static void set_hex(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	(void)words;
	set(c, row->name, STR, "%0*" PRIx64, (int)row->digits, (uint64_t)v);
}

static void set_number(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	(void)words;
	set(c, row->name, NUM, "%" PRIu64, (uint64_t)v);
}

const struct calc_type nvfifo_calc_types[] = {
	{ "number", false, set_number },
	{ "hex", true, set_hex },
	{ "name", false, nvfifo_calc_set_name },
	{ "hidden", true, NULL },
	{ "kind", true, set_kind },
	{ "class", true, set_class },
	{ "limit", true, set_limit },
	{ "next_method", true, set_next_method },
	{ "tlb_engine", true, set_tlb_engine },
	{ "table_size", false, set_table_size },
	{ 0 }
};

const struct calc_function nvfifo_calc_functions[] = {
	{ "pte", pte },
	{ "pde", pde },
	{ "dmaobj", dmaobj },
	{ "ramht", ramht },
	{ "ib", ib },
	{ "fault", fault },
	{ "dma_state", dma_state },
	{ "pull0", pull0 },
	{ "kind", memory_kind },
	{ "ramfc", ramfc },
	{ "ectx", ectx },
	{ "tlb", tlb },
	{ "pgraph", pgraph },
	{ 0 }
};
