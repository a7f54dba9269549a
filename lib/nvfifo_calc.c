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
