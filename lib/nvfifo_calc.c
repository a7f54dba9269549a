// SPDX-License-Identifier: MIT
/*
 * The calculator. Numbers are hexadecimal, with or without 0x. Counts, ids and
 * flags are decimal, and hexadecimal with 0x.
 *
 * Some kinds accept a second set of fields, which the names of the fields select. It
 * belongs to a function of the nouveau driver whose values were recorded as test vectors.
 */
#include "nvfifo_calc_field.h"

const struct nvfifo_calc_kind nvfifo_calc_kinds[] = {
	{ "pte", "pte", "address target present contig kind comp tag ro priv long_cycle encrypted",
	  "page table entry" },
	{ "pde", "pde", "address target type size", "page directory entry" },
	{ "dmaobj", "w0 w1 w2 w3 w4 w5",
	  "oclass target access start limit priv part comp kind supervisor encrypted tag_start "
	  "tag_limit comp_start",
	  "DMA object, six words" },
	{ "ramht", "context", "handle bits chid engine offset", "RAMHT hash and context word" },
	{ "ib", "w0 w1", "va words not_main no_prefetch", "entry of the IB ring" },
	{ "chan", "desc", "address target", "channel descriptor" },
	{ "fault", "trap", "chipset va inst engine client subclient reason access",
	  "the MMU's fault record, six words" },
	{ "dma-state", "dma_state",
	  "error subchannel method non_incr long_ni_len_pending subroutine_active non_main",
	  "DMA_STATE, register 003228" },
	{ "pull0", "pull0", "", "PULL0, register 003250" },
	{ "kind", "kind", "kind", "storage type" },
	{ "ramfc", "ramfc", "gen inst ib_offset ib_bytes push_node_offset chid off_ramfc off_cache off_ramht "
	  "ramht_bits",
	  "RAMFC of a new channel" },
	{ "ectx", "words", "gen engine ctx_addr ctx_size", "engine context DMA object" },
	{ "tlb", "value", "engine", "value that flushes a TLB" },
	{ "pgraph", "r400700 r400380 r400384 r400388", "vstatus value", "PGRAPH_STATUS and PGRAPH_VSTATUS" },
	{ 0 },
};

static const struct {
	const char *names;	/* also: names of files of test vectors */
	const char *column;	/* a field that no other kind has */
	const char *carried;	/* columns of test vectors that have no part in the result */
	void (*calc)(struct calc *c);
} jobs[] = {
	{ "pte|pte_type|pte_runs", "page_shift", "memsize", nvfifo_calc_pte },
	{ "pde", "pt_addr", "", nvfifo_calc_pde },
	{ "dmaobj", "oclass", "", nvfifo_calc_dmaobj },
	{ "ramht|ramht_hash|ramht_insert", "handle", "size", nvfifo_calc_ramht },
	{ "ib|ib_entries", "va", "userd_8c", nvfifo_calc_ib },
	{ "chan|channel", "desc", "", nvfifo_calc_chan },
	{ "fault|vm_fault", "trap", "", nvfifo_calc_fault },
	{ "dma-state|dma_state|dma_pusher|dma-pusher", "r3228", "", nvfifo_calc_dma_state },
	{ "pull0|cache_error|cache-error", "pull0", "line mmio", nvfifo_calc_pull0 },
	{ "kind|kinds", "class", "", nvfifo_calc_memory_kind },
	{ "ramfc", "ib_offset", "off_eng off_pgd userd_8c", nvfifo_calc_ramfc },
	{ "ectx", "ctx_addr", "mmio", nvfifo_calc_ectx },
	{ "tlb|tlb_flush|tlb-flush", "hw_stuck", "", nvfifo_calc_tlb },
	{ "pgraph|pgraph_status|pgraph-status", "r400700", "", nvfifo_calc_pgraph },
};

#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

_Static_assert(sizeof(nvfifo_calc_kinds) / sizeof(nvfifo_calc_kinds[0]) == JOBS + 1,
	       "one job for each kind");

const struct nvfifo_calc_kind *nvfifo_calc_find(const char *name)
{
	size_t i;

	for (i = 0; i < JOBS; i++) {
		if (is_one_of(jobs[i].names, name))
			return &nvfifo_calc_kinds[i];
	}

	return NULL;
}

const struct nvfifo_calc_kind *nvfifo_calc_detect(const struct nvfifo_row *r)
{
	/* Fields that several kinds have. The first one in a row selects the kind. */
	static const struct {
		const char *column;
		const char *kind;
	} more[] = {
		{ "pt_bytes", "pde" }, { "ptei", "pte" },     { "trap", "fault" },
		{ "ops", "ramht" },    { "ib_offset", "ramfc" }, { "w5", "dmaobj" },
		{ "w1", "ib" },	       { "vstatus", "pgraph" }, { "pte", "pte" },
		{ "pde", "pde" },      { "dma_state", "dma-state" }, { "context", "ramht" },
		{ "r400380", "pgraph" }, { "r400384", "pgraph" }, { "r400388", "pgraph" },
	};
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (nvfifo_row_get(r, more[i].column))
			return nvfifo_calc_find(more[i].kind);
	}

	for (i = 0; i < JOBS; i++) {
		if (nvfifo_row_get(r, jobs[i].column))
			return &nvfifo_calc_kinds[i];
	}

	return NULL;
}

static bool in_list(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list) {
		if (!strncmp(list, name, len) && (!list[len] || list[len] == ' '))
			return true;
		list += strcspn(list, " ");
		list += strspn(list, " ");
	}

	return false;
}

/* Other projects' names for a field. */
static const char *usual_name(const char *name)
{
	static const struct {
		const char *other;
		const char *ours;
	} names[] = {
		{ "readonly", "ro" },	  { "read_only", "ro" },     { "user", "priv" },
		{ "storage_type", "kind" }, { "compression", "comp" }, { "class", "oclass" },
		{ "length", "words" },	  { "subc", "subchannel" },  { "size", "limit" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcasecmp(names[i].other, name))
			return names[i].ours;
	}

	return NULL;
}

/* A field that no calculator has read is misspelt or redundant. */
static int refuse_field(const struct nvfifo_calc_kind *kind, const char *name)
{
	const char *name_to_find = name, *usual;
	struct nvfifo_near near;
	char more[200];

	if (in_list(kind->fields, name) || in_list(kind->words, name))
		return nvfifo_error(-EINVAL, "%s is of no use beside the other fields of this %s",
				    name, kind->name);

	usual = usual_name(name);
	if (usual && in_list(kind->fields, usual))
		name_to_find = usual;
	nvfifo_near_init(&near, name_to_find, strlen(name_to_find));
	nvfifo_near_offer_list(&near, kind->fields);
	nvfifo_near_offer_list(&near, kind->words);
	nvfifo_near_text(&near, more, sizeof(more));
	if (*more)
		return nvfifo_error(-EINVAL, "%s has no field '%.40s'%s", kind->name, name, more);

	return nvfifo_error(-EINVAL, "%s has no field '%.40s', it has %s", kind->name, name,
			    *kind->fields ? kind->fields : kind->words);
}

int nvfifo_calc(const struct nvfifo_calc_kind *kind, struct nvfifo_row *r, unsigned int flags,
		char text[200])
{
	size_t job = (size_t)(kind - nvfifo_calc_kinds), given = r->count, i;
	struct calc c = { .r = r, .flags = flags, .note = text };

	text[0] = '\0';
	for (i = 0; i < given; i++)
		r->fields[i].used = in_list(jobs[job].carried, r->fields[i].name);
	jobs[job].calc(&c);

	/* An error leaves fields unread. Report "no field addres" rather than "pte is missing". */
	if (c.err && !c.missing)
		return c.err;

	for (i = 0; i < given; i++) {
		if (r->fields[i].used || (c.err && in_list(kind->fields, r->fields[i].name)))
			continue;
		return refuse_field(kind, r->fields[i].name);
	}

	return c.err;
}
