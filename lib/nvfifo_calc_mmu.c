// SPDX-License-Identifier: MIT
/* The calculator: storage types, page tables and faults of the MMU. */
#include "nvfifo_calc_table.h"

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

void nvfifo_calc_kind_means(struct calc *c, __u32 kind)
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

void nvfifo_calc_set_kind(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	(void)words;
	nvfifo_calc_kind_means(c, (__u32)v);
	set(c, row->name, STR, "%02" PRIx64, (uint64_t)v);
}

void nvfifo_calc_memory_kind(struct calc *c)
{
	static const char *const names[] = { "invalid", "plain", "bankswz" };
	__u32 kind = (__u32)need(c, "kind", HEX, 0x7f);

	nvfifo_calc_kind_means(c, kind);
	set(c, "class", STR, "%s", names[nvfifo_kind_class(kind)]);
}

/* --- PTE ----------------------------------------------------------------- */

#define PTE_TAG_MAX	0xfff

static const char *const target_means[] = {
	"video memory", "no valid target (or peer to peer: the sources disagree)",
	"system memory, snooping the CPU's caches", "system memory, not snooping",
};

const char *nvfifo_calc_target_means(unsigned int target)
{
	return target_means[target & 3];
}

void nvfifo_calc_set_target(struct calc *c, unsigned int target)
{
	static const char *const names[] = { "vram", "invalid", "snoop", "nosnoop" };

	means(c, "%s", target_means[target & 3]);
	set(c, "target", STR, "%s", names[target & 3]);
}

/* nouveau's nv50_vmm_valid(): check the mapping, and make its first PTE without the address. */
static void pte_type(struct calc *c)
{
	unsigned int target = pick(c, "target", targets, 4, 0);
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
	set_long(c, "ptes_out", NVFIFO_VALUE_JSON, out);
	free(out);
}

void nvfifo_calc_pte(struct calc *c)
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
	if (!nvfifo_calc_words(c, words))
		return;

	p = nvfifo_pte_decode(words[0]);
	if (c->encoded && (p.comp == 3 || (p.comp && p.target != NVFIFO_TARGET_VRAM)))
		note(c, "compression is for VRAM, in modes 1 and 2");
	nvfifo_calc_set_words(c, words);
	nvfifo_calc_decode(c, c->table, words);
}

/* --- PDE ----------------------------------------------------------------- */

/* nouveau's nv50_vmm_pde(). */
static void pde_vector(struct calc *c)
{
	static const char *const shifts[] = { "none", "16", "14", "12" };
	unsigned int type = pick(c, "page_shift", shifts, 4, 0);
	__u64 bytes = opt(c, "pt_bytes", HEX, 0x100000, 0);
	struct nvfifo_pde p = {
		.target = (__u8)pick(c, "target", targets, 4, 0),
		.address = opt(c, "pt_addr", HEX, NVFIFO_VA_MASK, 0),
		.type = (__u8)type,
	};
	bool ok = true;

	if (c->err)
		return;
	if (type == NVFIFO_PT_NONE) {
		/* The card ignores the high word. */
		set(c, "ok", NUM, "1");
		set(c, "pde", STR, "0");
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

void nvfifo_calc_set_table_size(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	struct nvfifo_pde p = nvfifo_pde_decode(words[0]);
	__u32 entries = nvfifo_pt_entries(p.type, p.size);

	means(c, "%u entries, %u MiB of addresses", entries,
	      (unsigned int)((__u64)entries << nvfifo_pt_page_shift(p.type) >> 20));
	set(c, row->name, NUM, "%" PRIu64, (uint64_t)v);
}

void nvfifo_calc_pde(struct calc *c)
{
	if (has(c, "page_shift")) {
		c->vectors = true;
		pde_vector(c);
		return;
	}

	nvfifo_calc_table(c);
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

/* A chipset's name or number: "G96", "96", "0x96" */
static __u32 chipset_of(struct calc *c)
{
	const char *s = field_text(c, "chipset");
	__u64 v = 0;

	if (!s || !*s)
		return 0x84;

#define IS_NAMED(id, name)			\
	if (!strcasecmp(s, name))		\
		return id;
	NVFIFO_CHIPSET_IDS(IS_NAMED)
#undef IS_NAMED

	if (number(s, HEX, 0xff, &v) && nvfifo_chipset_name((__u32)v))
		return (__u32)v;
	if (!c->err)
		c->err = nvfifo_error(-EINVAL, "chipset '%.40s' is none of the NV50 family", s);

	return 0x84;
}

void nvfifo_calc_fault(struct calc *c)
{
	__u32 chipset = chipset_of(c), w[NVFIFO_FAULT_WORDS] = { 0 };
	bool fields = has(c, "va") || has(c, "reason");
	static const char *const accesses[] = { "read", "write" };
	const struct nvfifo_name *reason;
	struct nvfifo_fault f = { 0 };
	unsigned int n = nvfifo_fault_width(chipset);
	const char *reason_name = "";
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
		f.write = pick(c, "access", accesses, 2, 0);
		nvfifo_fault_encode(chipset, &f, w);
		snprintf(line, sizeof(line), "[\"%08x\",\"%08x\",\"%08x\",\"%08x\",\"%08x\",\"%08x\"]",
			 w[0], w[1], w[2], w[3], w[4], w[5]);
		set_long(c, "trap", NVFIFO_VALUE_JSON, line);
	} else {
		c->vectors = true;
		words(c, "trap", w, NVFIFO_FAULT_WORDS);
	}

	if (c->err)
		return;

	f = nvfifo_fault_decode(chipset, w);
	reason = nvfifo_name_find(nvfifo_fault_reasons, f.reason);
	if (reason)
		reason_name = reason->name;
	snprintf(line, sizeof(line),
		 "trapped %s at %010" PRIx64 " on channel -1 [%08x unknown] engine %02x [%s] client %02x [%s] subclient %02x [%s] reason %08x [%s]",
		 accesses[f.write], (uint64_t)f.address, (__u32)f.inst, f.engine,
		 nvfifo_fault_engine(chipset, f.engine), f.client,
		 nvfifo_fault_client(chipset, f.client), f.slot,
		 nvfifo_fault_slot(chipset, f.engine, f.client, f.slot), f.reason,
		 reason_name);
	set_long(c, "line", STR, line);
	if (details(c))
		fault_details(c, chipset, &f);
}
