// SPDX-License-Identifier: MIT
/*
 * The calculator. Numbers are hexadecimal, with or without 0x. Counts, ids and
 * flags are decimal, and hexadecimal with 0x.
 *
 * Some kinds accept a second set of fields, which the names of the fields select. It
 * belongs to a function of the nouveau driver whose values were recorded as test vectors.
 */
#include "nvfifo_calc_table.h"

/* A field that no calculator has read is misspelt or redundant. */
static int refuse_field(const struct nvfifo_calc_kind *kind, const char *name)
{
	const char *name_to_find = name, *usual;
	struct nvfifo_near near;
	char more[200];

	if (nvfifo_calc_has_word(kind->fields, name) || nvfifo_calc_has_word(kind->words, name))
		return nvfifo_error(-EINVAL, "%s is of no use beside the other fields of this %s",
				    name, kind->name);

	usual = nvfifo_calc_usual(name);
	if (usual && nvfifo_calc_has_word(kind->fields, usual))
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
	const struct calc_table *table = (const struct calc_table *)kind;
	struct calc c = { .r = r, .table = table, .flags = flags, .note = text };
	size_t given = r->count, i;

	text[0] = '\0';
	for (i = 0; i < given; i++)
		r->fields[i].used = nvfifo_calc_has_word(table->carried, r->fields[i].name);
	if (table->calc)
		table->calc(&c);
	else
		nvfifo_calc_table(&c);

	/* An error leaves fields unread. Report "no field addres" rather than "pte is missing". */
	if (c.err && !c.missing)
		return c.err;

	for (i = 0; i < given; i++) {
		if (r->fields[i].used || (c.err && nvfifo_calc_has_word(kind->fields, r->fields[i].name)))
			continue;
		return refuse_field(kind, r->fields[i].name);
	}

	return c.err;
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
	{ "kind", true, nvfifo_calc_set_kind },
	{ "class", true, nvfifo_calc_set_class },
	{ "limit", true, nvfifo_calc_set_limit },
	{ "table_size", false, nvfifo_calc_set_table_size },
	{ 0 }
};

const struct calc_function nvfifo_calc_functions[] = {
	{ "pte", nvfifo_calc_pte },
	{ "pde", nvfifo_calc_pde },
	{ "dmaobj", nvfifo_calc_dmaobj },
	{ "ramht", nvfifo_calc_ramht },
	{ "ib", nvfifo_calc_ib },
	{ "chan", nvfifo_calc_chan },
	{ "fault", nvfifo_calc_fault },
	{ "dma_state", nvfifo_calc_dma_state },
	{ "pull0", nvfifo_calc_pull0 },
	{ "kind", nvfifo_calc_memory_kind },
	{ "ramfc", nvfifo_calc_ramfc },
	{ "ectx", nvfifo_calc_ectx },
	{ "tlb", nvfifo_calc_tlb },
	{ "pgraph", nvfifo_calc_pgraph },
	{ 0 }
};
