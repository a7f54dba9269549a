// SPDX-License-Identifier: MIT
/* Registers by name. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "nvfifo_names.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "nvfifo_reg_table.h"
#include "nvfifo_text.h"

#define REG(block, reg, stride, count, first, end, access) \
	{ #block, NV_REG_NAME(#block, #reg), &#access[3], reg, stride, count, 0, 0, first, end },
/* Of channel N; the table counts from the channel's page. */
#define USER_REG(block, reg, stride, count, first, end, access) \
	{ #block, NV_REG_NAME(#block, #reg), &#access[3], NV_USER_BASE + (reg), \
	  NV_USER_BASE__STRIDE, NV_USER_BASE__COUNT, 0, 0, first, end },
#define FLD(reg, field) \
	{ NULL, NV_FLD_NAME(#reg, #field), NULL, 0, 0, 0, NV_FLD_HI(field), NV_FLD_LO(field), \
	  0, NV_CHIP_END },

/* Windows come last, so that a register inside a window is found by its own name. */
static const struct nvfifo_reg rows[] = {
	NV_USER_REGS(USER_REG, FLD)
	NV_PGRAPH_VSTATUS_REGS(REG, FLD)
	NV_REGS(REG, FLD)
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(NV_BAR0_SIZE == NVFIFO_BAR0_BYTES, "one size of BAR0");

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static const struct nvfifo_reg *reg_of(const struct nvfifo_reg *field)
{
	while (!field->count)
		field--;

	return field;
}

/* --- Fields that not all chips have, and units that share a bit ---------------- */

/*
 * The register table names a bit that chips use for different units once, for its first unit:
 * PMC.ENABLE.PCRYPT is PCIPHER of a G84, PSEC of a G98 and PVCOMP of an MCP89. rnndb has a name for
 * each.
 */

/* Bits of enum nv_chip, which is in the order of the ranges. */
#define FROM(first)		((1u << NV_CHIP_END) - (1u << NV_CHIP_##first))
#define RANGE(first, end)	(FROM(first) & ~FROM(end))

#define G80	RANGE(G80, G84)
#define VP2	(RANGE(G84, G98) | RANGE(G200, MCP77))
#define VP3_4	(RANGE(G98, G200) | FROM(MCP77))
#define PSEC	(RANGE(G98, G200) | RANGE(MCP77, GT215))
#define PCRYPT	(RANGE(G84, GT215) | FROM(MCP89))

/* Without a row a field is on each chip that has the register. */
static const struct {
	const char *block;
	const char *reg; /* NULL: of each register of the block */
	const char *field; /* alone or with "_CTXSW" */
	__u32 chips;
} limits[] = {
	{ "PMC", NULL, "PBSP", FROM(G84) },
	{ "PMC", NULL, "PCOPY", FROM(GT215) },
	{ "PMC", NULL, "PCRYPT", PCRYPT },
	{ "PMC", NULL, "PDAEMON", FROM(GT215) },
	{ "PMC", NULL, "PPCI", FROM(G84) },
	{ "PMC", "ENABLE", "PGRAPH_CTXSW", FROM(G84) },
	{ "PMC", "ENABLE", "PMPEG_CTXSW", FROM(G84) },
	{ "PMC", "ENABLE", "PVP_CTXSW", FROM(G84) },
	{ "PBUS", "HWUNITS_1", "PCOPY", FROM(GT215) },
	{ "PFB", "VM_FAULT", "PBSP", FROM(G84) },
	{ "PFB", "VM_FAULT", "PCOPY", FROM(GT215) },
	{ "PFB", "VM_FAULT", "PCOUNTER", FROM(G84) },
	{ "PFB", "VM_FAULT", "PCRYPT", FROM(G84) },
	{ "PFB", "VM_FAULT", "PDAEMON", FROM(GT215) },
	{ "PFB", "VM_FAULT", "PVCOMP", FROM(MCP89) },
	{ "PFIFO", NULL, "MTHD_UNK2C", FROM(MCP89) },
	{ "PFIFO", NULL, "NOTIFY", FROM(G84) },
	{ "CACHE1", "PULL0", "MTHD_UNK2C_UNK0_0_UNK28_1", FROM(MCP89) },
	{ "CACHE1", "PULL0", "MTHD_UNK2C_UNK29_INVALID", FROM(MCP89) },
	{ "CACHE1", "PULL1", "ACQUIRE_MODE_GEQ", FROM(G84) },
	{ "CACHE1", "PULL1", "ACQUIRE_SOURCE_NEW", FROM(G84) },
};

static const struct {
	const char *field; /* alone or with "_CTXSW" */
	__u32 chips;
	const char *unit;
} units[] = {
	{ "PVPE", G80, "PMPEG, PME" },
	{ "PVPE", VP2, "PMPEG" },
	{ "PVPE", VP3_4, "PPPP" },
	{ "PMPEG", G80 | VP2, "PMPEG" },
	{ "PMPEG", VP3_4, "PPPP" },
	{ "PVP", G80, "PVP1" },
	{ "PVP", VP2, "PVP2" },
	{ "PVP", VP3_4, "PPDEC" },
	{ "PBSP", VP2, "PBSP" },
	{ "PBSP", VP3_4, "PVLD" },
	{ "PCRYPT", VP2, "PCIPHER" },
	{ "PCRYPT", PSEC, "PSEC" },
	{ "PCRYPT", FROM(MCP89), "PVCOMP" },
	{ "PME_PCOPY", G80, "PME" },
	{ "PME_PCOPY", FROM(GT215), "PCOPY" },
};

/* "PVP" and "PVP_CTXSW" are of PVP. */
static bool of_unit(const char *field, const char *unit)
{
	size_t n = strlen(unit);

	return !strncmp(field, unit, n) && (!field[n] || !strcmp(field + n, "_CTXSW"));
}

static bool is_field_on(const char *block, const char *reg, const char *field, int chip)
{
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (strcmp(limits[i].block, block) || !of_unit(field, limits[i].field))
			continue;
		if (!limits[i].reg || !strcmp(limits[i].reg, reg))
			return limits[i].chips & (1u << chip);
	}

	return true;
}

static const char *unit_of(const char *field, int chip)
{
	const char *none = NULL;
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!of_unit(field, units[i].field))
			continue;
		if (units[i].chips & (1u << chip))
			return units[i].unit;
		none = "no such unit on this chip";
	}

	return none;
}

/* --- Rows -------------------------------------------------------------------- */

/* Two layouts of a field are told by the ends of their names. */
static bool fits(const struct nvfifo_reg *r, __u32 chipset)
{
	int chip = nvfifo_chip_of(chipset);

	if (chip < 0)
		return true;
	if (r->count)
		return chip >= r->first && chip < r->end;

	if (ends_with(r->name, "_G80"))
		return chip == NV_CHIP_G80;
	if (ends_with(r->name, "_G84"))
		return chip != NV_CHIP_G80;

	return is_field_on(reg_of(r)->block, reg_of(r)->name, r->name, chip);
}

static const struct nvfifo_reg *next_reg(const struct nvfifo_reg *r)
{
	r = r ? r + 1 : rows;
	while (r < rows + ROWS && !r->count)
		r++;
	return r < rows + ROWS ? r : NULL;
}

/* Chips that do not follow each other have a row each of a register that they share. */
static bool repeats(const struct nvfifo_reg *reg)
{
	const struct nvfifo_reg *r;

	for (r = next_reg(NULL); r != reg; r = next_reg(r)) {
		if (r->offset == reg->offset && !strcmp(r->name, reg->name))
			return true;
	}

	return false;
}

/* The next row of any chip; without a chipset, each register once. */
static const struct nvfifo_reg *next_once(const struct nvfifo_reg *reg, __u32 chipset)
{
	do {
		reg = next_reg(reg);
	} while (reg && !chipset && repeats(reg));

	return reg;
}

const struct nvfifo_reg *nvfifo_reg_next(const struct nvfifo_reg *reg, __u32 chipset)
{
	do {
		reg = next_once(reg, chipset);
	} while (reg && !fits(reg, chipset));
	return reg;
}

const struct nvfifo_reg *nvfifo_reg_field(const struct nvfifo_reg *reg, __u32 chipset,
					  const struct nvfifo_reg *field)
{
	const struct nvfifo_reg *f = field ? field : reg;

	while (++f < rows + ROWS && !f->count) {
		if (fits(f, chipset))
			return f;
	}

	return NULL;
}

__u32 nvfifo_reg_mask(const struct nvfifo_reg *field)
{
	return (0xffffffffu >> (31 - (field->hi - field->lo))) << field->lo;
}

void nvfifo_reg_at(__u32 address, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	const struct nvfifo_reg *r = NULL;

	memset(ref, 0, sizeof(*ref));
	ref->address = address;
	while ((r = next_reg(r))) {
		__u32 at = address - r->offset;

		if (address < r->offset || !fits(r, chipset))
			continue;
		if (r->stride ? at % r->stride || at / r->stride >= r->count : at)
			continue;

		ref->reg = r;
		ref->index = r->stride ? at / r->stride : 0;

		return;
	}
}

void nvfifo_reg_name(const struct nvfifo_reg_ref *ref, char buf[NVFIFO_REG_NAME_MAX])
{
	const struct nvfifo_reg *r = ref->reg;
	char index[16] = "";

	buf[0] = '\0';
	if (!r)
		return;

	if (r->count > 1)
		snprintf(index, sizeof(index), "[%u]", ref->index);
	if (ref->field)
		snprintf(buf, NVFIFO_REG_NAME_MAX, "%s.%s%s.%s", r->block, r->name, index,
			 ref->field->name);
	else
		snprintf(buf, NVFIFO_REG_NAME_MAX, "%s.%s%s", r->block, r->name, index);
}

/* --- From a name --------------------------------------------------------- */

#define TEXT_MAX 96

struct query {
	char name[TEXT_MAX]; /* upper case, '_' for '.', without index and offset */
	__u32 chipset;
	bool quiet; /* names that do not exist are expected: make no message */
	const struct nvfifo_reg *found[8]; /* candidates */
	const struct nvfifo_reg *fields[8];
	unsigned int count;
	bool other_chip; /* the name is that of a register that this chipset lacks */
};

/* The text after "BLOCK_NAME" or, without @block, "NAME", in @text. NULL if it begins otherwise. */
static inline const char *after_key(const struct nvfifo_reg *r, bool block, const char *text)
{
	size_t n;

	if (block) {
		n = strlen(r->block);
		if (*r->block != *text || strncmp(r->block, text, n) || text[n] != '_')
			return NULL;
		text += n + 1;
	}

	n = strlen(r->name);
	if (*r->name != *text || strncmp(r->name, text, n))
		return NULL;

	return text + n;
}

/* Also accept the name without the suffix of its layout, if it is the card's layout. */
static const struct nvfifo_reg *field_by_name(const struct nvfifo_reg *r, __u32 chipset,
					      const char *name)
{
	const struct nvfifo_reg *f = NULL;
	size_t n = strlen(name);

	while ((f = nvfifo_reg_field(r, chipset, f))) {
		if (!strcmp(f->name, name))
			return f;
		if (nvfifo_chip_of(chipset) >= 0 && !strncmp(f->name, name, n) &&
		    (!strcmp(f->name + n, "_G80") || !strcmp(f->name + n, "_G84")))
			return f;
	}

	return NULL;
}

/* Look for it in one way: with the block's name or without, as a register or with a field. */
static void look(struct query *q, bool block, bool field)
{
	const struct nvfifo_reg *r = NULL, *f;
	const char *rest;

	while ((r = next_reg(r))) {
		f = NULL;
		rest = after_key(r, block, q->name);
		if (!rest || *rest != (field ? '_' : '\0') || (!q->chipset && repeats(r)))
			continue;
		if (!fits(r, q->chipset)) {
			q->other_chip |= !field;
			continue;
		}

		if (field) {
			f = field_by_name(r, q->chipset, rest + 1);
			if (!f)
				continue;
		}

		if (q->count < sizeof(q->found) / sizeof(q->found[0])) {
			q->found[q->count] = r;
			q->fields[q->count++] = f;
		}
	}
}

/* The fields of the register that the name begins with, or the names nearest to it. */
static void suggest(const struct query *q, char *buf, size_t size)
{
	const struct nvfifo_reg *r = NULL, *f;
	char wanted[TEXT_MAX], name[TEXT_MAX];
	struct nvfifo_near near;
	const char *rest;
	size_t block;
	int way;

	strcpy(wanted, q->name);
	while ((r = next_once(r, q->chipset))) {
		block = strlen(r->block);
		if (!strncmp(wanted, r->block, block) && wanted[block] == '_')
			wanted[block] = '.';

		for (way = 1; way >= 0; way--) {
			rest = after_key(r, way, q->name);
			if (!rest || *rest != '_' || !fits(r, q->chipset) ||
			    !nvfifo_reg_field(r, q->chipset, NULL))
				continue;

			snprintf(buf, size, "; fields of %s.%s are", r->block, r->name);
			for (f = NULL; (f = nvfifo_reg_field(r, q->chipset, f));)
				nvfifo_text_add(buf, size, " %s", f->name);

			return;
		}
	}

	nvfifo_near_init(&near, wanted, strlen(wanted));
	while ((r = nvfifo_reg_next(r, q->chipset))) {
		snprintf(name, sizeof(name), "%s.%s", r->block, r->name);
		nvfifo_near_offer(&near, name);
	}

	nvfifo_near_text(&near, buf, size);
}

static int refuse_name(const struct query *q, const char *text)
{
	char more[200] = "";
	unsigned int i;

	if (q->quiet)
		return -EINVAL;

	if (q->count) {
		for (i = 0; i < q->count; i++)
			nvfifo_text_add(more, sizeof(more), "%s%s.%s", i ? ", " : "",
					q->found[i]->block, q->found[i]->name);
		return nvfifo_error(-EINVAL, "'%.60s' may be %s", text, more);
	}

	if (q->other_chip)
		return nvfifo_error(-EINVAL, "%s has no register '%.60s'",
				    nvfifo_chipset_name(q->chipset), text);
	suggest(q, more, sizeof(more));

	return nvfifo_error(-EINVAL, "there is no register '%.60s'%s", text, more);
}

/* Hexadecimal if @hex or with 0x, else decimal; up to the end or one of @stop. */
static const char *read_number(const char *s, bool hex, const char *stop, __u32 *value)
{
	const char *end;
	__u64 v;

	if (!isxdigit((unsigned char)*s))
		return NULL;

	end = nvfifo_text_read(s, hex ? 16 : 0, &v);
	if (!end || v > 0xffffffff || (*end && !strchr(stop, *end)))
		return NULL;

	*value = (__u32)v;
	return end;
}

/* "NAME", "NAME[3]", "NAME[3].FIELD": cut the index out. */
static int take_name(struct query *q, const char *text, size_t len, struct nvfifo_reg_ref *ref,
		     bool *indexed)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (text[i] == '[') {
			const char *end = read_number(text + i + 1, false, "]", &ref->index);

			if (!end || *end != ']' || *indexed)
				return nvfifo_error(-EINVAL, "'%.60s': the index is a number in []",
						    text);
			*indexed = true;
			i = (size_t)(end - text);
			continue;
		}

		if (n + 1 == sizeof(q->name))
			return nvfifo_error(-EINVAL, "'%.20s...' is too long for a name", text);

		q->name[n++] = text[i] == '.' ? '_' : (char)toupper((unsigned char)text[i]);
	}

	q->name[n] = '\0';
	if (!strncmp(q->name, "NV_", 3))
		memmove(q->name, q->name + 3, n - 2);

	return 0;
}

static int parse_address(const char *text, __u32 offset, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	__u32 address;

	if (!read_number(text, true, "+", &address))
		return nvfifo_error(-EINVAL, "'%.60s' is not a hexadecimal address", text);

	if (address >= NVFIFO_BAR0_BYTES || offset >= NVFIFO_BAR0_BYTES - address)
		return nvfifo_error(-EINVAL, "'%.60s' is outside of BAR0, 0 to %x", text,
				    NVFIFO_BAR0_BYTES - 4);
	if ((address + offset) % 4)
		return nvfifo_error(-EINVAL, "'%.60s' is not a multiple of 4", text);

	nvfifo_reg_at(address + offset, chipset, ref);
	return 0;
}

static int parse(const char *text, __u32 chipset, bool quiet, struct nvfifo_reg_ref *ref)
{
	const char *plus = strchr(text, '+');
	struct query q = { .chipset = chipset, .quiet = quiet };
	size_t len = strcspn(text, "+");
	bool indexed = false;
	__u32 offset = 0;
	int way, ret;

	memset(ref, 0, sizeof(*ref));
	if (plus && !read_number(plus + 1, true, "", &offset))
		return nvfifo_error(-EINVAL, "'%.60s': after '+' comes a hexadecimal number", text);
	if (isdigit((unsigned char)*text))
		return parse_address(text, offset, chipset, ref);

	ret = take_name(&q, text, len, ref, &indexed);
	if (ret)
		return ret;

	/* The whole name before one with a field, with its block before without. */
	for (way = 0; way < 4 && !q.count; way++)
		look(&q, !(way & 1), way & 2);
	if (!q.count && len && strspn(text, "0123456789abcdefABCDEF") == len)
		return parse_address(text, offset, chipset, ref);
	if (q.count != 1)
		return refuse_name(&q, text);

	ref->reg = q.found[0];
	ref->field = q.fields[0];
	if (ref->index >= ref->reg->count)
		return nvfifo_error(-EINVAL, "'%.60s': the index is 0 to %u", text,
				    ref->reg->count - 1);
	ref->address = ref->reg->offset + ref->index * ref->reg->stride;
	if (ref->address % 4)
		return nvfifo_error(-EINVAL,
				    "'%.60s' is a byte at %06x; only whole words can be accessed",
				    text, ref->address);
	if (!offset)
		return 0;

	if (ref->field || offset % 4 || offset >= NVFIFO_BAR0_BYTES - ref->address)
		return nvfifo_error(
			-EINVAL, "'%.60s': the offset is a multiple of 4, from a register in BAR0",
			text);
	nvfifo_reg_at(ref->address + offset, chipset, ref);

	return 0;
}

int nvfifo_reg_parse(const char *text, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	return parse(text, chipset, false, ref);
}

/* --- From a name that is not exactly the table's ------------------------------ */

/* Names of nouveau, envytools and older chips for registers of the table */
static const struct {
	const char *other;
	const char *name;
} aliases[] = {
	{ "PMC_INTR", "PMC.INTR_HOST" }, { "PMC_INTR_0", "PMC.INTR_HOST" },
	{ "PMC_INTR_EN", "PMC.INTR_EN_HOST" }, { "PMC_INTR_EN_0", "PMC.INTR_EN_HOST" },
	{ "PMC_BOOT0", "PMC.BOOT_0" }, { "BOOT0", "PMC.BOOT_0" }, { "BOOT_0", "PMC.BOOT_0" },
	{ "PFIFO_INTR_0", "PFIFO.INTR" }, { "PFIFO_INTR_EN_0", "PFIFO.INTR_EN" },
	{ "PFIFO_CHID", "CACHE1.PUSH1" }, { "PFIFO_CACHE1_CHID", "CACHE1.PUSH1" },
	{ "CACHE1_CHID", "CACHE1.PUSH1" }, { "PGRAPH_INTR_0", "PGRAPH.INTR" },
	{ "PGRAPH_DATA_ERROR_CODE", "PGRAPH.DATA_ERROR" }, { "PGRAPH_TRAPPED_DATA_LOW", "PGRAPH.TRAPPED_DATA" },
	{ "PTIMER_INTR_0", "PTIMER.INTR" }, { "PTIMER_INTR_EN_0", "PTIMER.INTR_EN" },
	{ "PBUS_INTR_0", "PBUS.INTR" }, { "PBUS_INTR_EN_0", "PBUS.INTR_EN" },
};

/* "NV_", "NV04_", "NV50_" or "NVA3_" in front. Return: its length. */
static size_t chip_prefix(const char *name)
{
	size_t n;

	if (strncmp(name, "NV", 2))
		return 0;

	n = 2 + strspn(name + 2, "0123456789ABCDEF");
	return name[n] == '_' && n <= 4 ? n + 1 : 0;
}

static bool has_block(const char *name)
{
	const struct nvfifo_reg *r = NULL;
	size_t n;

	while ((r = next_reg(r))) {
		n = strlen(r->block);
		if (!strncmp(name, r->block, n) && name[n] == '_')
			return true;
	}

	return false;
}

/* The only register whose name begins so, with '_' for '.' */
static const struct nvfifo_reg *only_beginning(const char *name, __u32 chipset)
{
	const struct nvfifo_reg *r = NULL, *found = NULL;
	char key[TEXT_MAX];

	while ((r = next_reg(r))) {
		if (*r->block != *name)
			continue;

		snprintf(key, sizeof(key), "%s_%s", r->block, r->name);
		if (strncmp(key, name, strlen(name)) || !fits(r, chipset) || (!chipset && repeats(r)))
			continue;
		if (found)
			return NULL;
		found = r;
	}

	return found;
}

/* A number at the end with '_' in front: "VSTATUS0" is VSTATUS_0. */
static int parse_last_number(const char *name, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	size_t n = strlen(name);
	char other[TEXT_MAX + 1];

	if (n < 2 || !isdigit((unsigned char)name[n - 1]))
		return -EINVAL;

	snprintf(other, sizeof(other), "%.*s_%c", (int)n - 1, name, name[n - 1]);
	return parse(other, chipset, true, ref);
}

int nvfifo_reg_typed(const char *text, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	char upper[TEXT_MAX], *name = upper, *rest;
	const struct nvfifo_reg *r;
	size_t i;

	if (strlen(text) >= sizeof(upper))
		return -EINVAL;

	for (i = 0; text[i]; i++)
		upper[i] = text[i] == '.' ? '_' : (char)toupper((unsigned char)text[i]);
	upper[i] = '\0';
	name += chip_prefix(upper);

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(aliases[i].other, name))
			return nvfifo_reg_parse(aliases[i].name, chipset, ref);
	}

	if (!has_block(name))
		return -EINVAL;
	if (!parse(name, chipset, true, ref) || !parse_last_number(name, chipset, ref))
		return 0;

	/* CACHE1 is a block of its own here, and a part of PFIFO in other texts. */
	rest = strchr(name, '_') + 1;
	if (!strncmp(name, "PFIFO_", 6) && *rest &&
	    (!parse(rest, chipset, true, ref) || !parse_last_number(rest, chipset, ref)))
		return 0;

	r = only_beginning(name, chipset);
	if (!r)
		return -EINVAL;

	*ref = (struct nvfifo_reg_ref){ .reg = r, .address = r->offset };
	return 0;
}

/* --- Values in words ----------------------------------------------------- */

enum style { CODE, BITS, SHIFT, CHIPSET, METHOD, STATE };

static const struct {
	const char *block;
	const char *reg; /* a pattern for fnmatch() */
	const char *field; /* NULL: the whole register, or (BITS) any field */
	enum style style;
	const struct nvfifo_name *names;
	unsigned int shift;
} styles[] = {
	{ "PMC", "BOOT_0", "CHIPSET", CHIPSET, NULL, 0 },
	{ "PMC", "NEW_ID", "CHIPSET", CHIPSET, NULL, 0 },
	{ "PFIFO", "INTR", NULL, BITS, nvfifo_pfifo_intr_bits, 0 },
	{ "PFIFO", "INTR_EN", NULL, BITS, nvfifo_pfifo_intr_bits, 0 },
	{ "PFIFO", "RAMHT", "INSTANCE", SHIFT, NULL, 4 },
	{ "PFIFO", "CHAN_TABLE", "ADDRESS_G80", SHIFT, NULL, 12 },
	{ "PFIFO", "CHAN_TABLE", "ADDRESS_G84", SHIFT, NULL, 8 },
	{ "CACHE1", "DMA_PUSH", NULL, BITS, nvfifo_dma_push_bits, 0 },
	{ "CACHE1", "DMA_STATE", "ERROR", CODE, nvfifo_pusher_errors, 0 },
	{ "CACHE1", "DMA_STATE", "METHOD", METHOD, NULL, 2 },
	{ "CACHE1", "DMA_INSTANCE", "INSTANCE", SHIFT, NULL, 4 },
	{ "CACHE1", "PULL0", "SEMAPHORE_ERROR", CODE, nvfifo_semaphore_errors, 0 },
	{ "CACHE1", "PULL0", NULL, BITS, nvfifo_pull0_bits, 0 },
	{ "CACHE1", "CACHE_MTHD", "METHOD", METHOD, NULL, 2 },
	{ "CACHE1", "PLAYLIST", "ADDRESS", SHIFT, NULL, 12 },
	{ "CACHE1", "KICK_CHANNEL", "ADDRESS", SHIFT, NULL, 12 },
	{ "CACHE1", "CACHE_INST", "ADDRESS", SHIFT, NULL, 10 },
	{ "CACHE1", "CHAN_INST", "ADDRESS", SHIFT, NULL, 12 },
	{ "PBUS", "HOST_MEM_CHAN", "ADDRESS", SHIFT, NULL, 12 },
	{ "PBUS", "HOST_MEM_PMEM", "BASE", SHIFT, NULL, 16 },
	{ "PGRAPH", "INTR*", NULL, BITS, nvfifo_pgraph_intr_bits, 0 },
	{ "PGRAPH", "DATA_ERROR", NULL, CODE, nvfifo_data_errors, 0 },
	{ "PFIFO", "*_CTX_MAP", "ADDRESS", SHIFT, NULL, 12 },
	{ "PGRAPH", "STATUS", NULL, BITS, nvfifo_pgraph_status_bits, 0 },
	{ "PGRAPH", "TRAP", NULL, BITS, nvfifo_trap_bits, 0 },
	{ "PGRAPH", "TRAP_EN", NULL, BITS, nvfifo_trap_bits, 0 },
	{ "PGRAPH", "CTXCTL_STATUS", "STATE", CODE, nvfifo_ctxctl_states, 0 },
	{ "PGRAPH", "VSTATUS_?", NULL, STATE, nvfifo_unit_states, 0 },
	{ "PGRAPH", "DISPATCH_TRAP", NULL, BITS, nvfifo_trap_dispatch_bits, 0 },
	{ "PGRAPH", "M2MF_TRAP", NULL, BITS, nvfifo_trap_m2mf_bits, 0 },
	{ "PGRAPH", "VFETCH_TRAP", NULL, BITS, nvfifo_trap_fault_bits, 0 },
	{ "PGRAPH", "STRMOUT_TRAP", NULL, BITS, nvfifo_trap_fault_bits, 0 },
	{ "PGRAPH", "CCACHE_TRAP", NULL, BITS, nvfifo_trap_fault_bits, 0 },
	{ "PGRAPH", "CLIPID_TRAP", NULL, BITS, nvfifo_trap_fault_bits, 0 },
	{ "PGRAPH", "*MP[0-3]_TRAP", NULL, BITS, nvfifo_trap_mp_exec_bits, 0 },
	{ "PGRAPH", "*MPC_TRAP", NULL, BITS, nvfifo_trap_mp_bits, 0 },
	{ "PGRAPH", "*TEX_TRAP", NULL, BITS, nvfifo_trap_tex_bits, 0 },
	{ "PGRAPH", "*PROP_TRAP", NULL, BITS, nvfifo_trap_prop_bits, 0 },
	{ "PGRAPH", "TRAPPED_ADDR", "PENDING", CODE, nvfifo_pending_states, 0 },
	{ "PGRAPH", "TRAPPED_ADDR", "METHOD", METHOD, NULL, 2 },
	{ "PGRAPH", "*_STUCK", "METHOD", METHOD, NULL, 2 },
	{ "PCIPHER", "INTR*", NULL, BITS, nvfifo_cipher_intr_bits, 0 },
	{ "PCIPHER", "CHAN_*", "CHAN", SHIFT, NULL, 12 },
};

static void code_text(const struct nvfifo_name *n, char buf[NVFIFO_REG_VALUE_MAX])
{
	if (n && n->means)
		snprintf(buf, NVFIFO_REG_VALUE_MAX, "%s: %s", n->name, n->means);
	else if (n)
		snprintf(buf, NVFIFO_REG_VALUE_MAX, "%s", n->name);
}

static void style_text(size_t i, const struct nvfifo_reg *field, __u32 value,
		       char buf[NVFIFO_REG_VALUE_MAX])
{
	const char *name = NULL;

	switch (styles[i].style) {
	case CODE:
		code_text(nvfifo_name_find(styles[i].names, value), buf);
		return;
	case BITS:
		if (field && field->hi == field->lo && value) {
			const struct nvfifo_name *n =
				nvfifo_name_find(styles[i].names, 1u << field->lo);

			snprintf(buf, NVFIFO_REG_VALUE_MAX, "%s", n && n->means ? n->means : "");
		}
		return;
	case STATE:
		if (field)
			code_text(nvfifo_name_find(styles[i].names, value), buf);
		return;
	case SHIFT:
		snprintf(buf, NVFIFO_REG_VALUE_MAX, "%010llx",
			 (unsigned long long)value << styles[i].shift);
		return;
	case CHIPSET:
		name = nvfifo_chipset_name(value);
		snprintf(buf, NVFIFO_REG_VALUE_MAX, "%s", name ? name : "not of this family");
		return;
	case METHOD:
		snprintf(buf, NVFIFO_REG_VALUE_MAX, "%04x", value << 2);
		name = nvfifo_method_name(0, value << 2);
		if (name)
			snprintf(buf, NVFIFO_REG_VALUE_MAX, "%04x %s", value << 2, name);
		return;
	}
}

void nvfifo_reg_value(const struct nvfifo_reg *reg, const struct nvfifo_reg *field, __u32 value,
		      char buf[NVFIFO_REG_VALUE_MAX])
{
	size_t i;

	buf[0] = '\0';
	if (field)
		value = (value & nvfifo_reg_mask(field)) >> field->lo;
	if (!field && value == 0xffffffff && nvfifo_reg_field(reg, 0, NULL)) {
		snprintf(buf, NVFIFO_REG_VALUE_MAX,
			 "all ones: the register or the card may be absent");
		return;
	}

	if (field && !strncmp(field->name, "TARGET", 6)) {
		snprintf(buf, NVFIFO_REG_VALUE_MAX, "%s", nvfifo_target_name(value));
		return;
	}

	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		if (strcmp(styles[i].block, reg->block) || fnmatch(styles[i].reg, reg->name, 0))
			continue;
		if (styles[i].field ? !field || strcmp(styles[i].field, field->name)
				    : !field != (styles[i].style != BITS && styles[i].style != STATE))
			continue;
		style_text(i, field, value, buf);
		return;
	}
}

const char *nvfifo_reg_unit(const struct nvfifo_reg *field, __u32 chipset)
{
	int chip = nvfifo_chip_of(chipset);

	return chip < 0 ? NULL : unit_of(field->name, chip);
}
