// SPDX-License-Identifier: MIT
/*
 * The tests of envytools' hwtest that concern this family. Tests of instructions run as vectors:
 * tests/data/hwtest.txt has hwtest's programs, and operands with the results that hwtest expects of a
 * card (tests/data/README.md). Each other test is skipped with its reason.
 */
#include "nvfifo_text.h"
#include "../core/gr.h"
#include "rig_pgraph.h"

#define VECTORS		"tests/data/hwtest.txt"

#define SUBC_COMPUTE	1
#define CODE		0x30000u
#define THREADS		32u	/* at most, of a launch */
#define STRIDE		512u	/* values from one operand's array to the next, as hwtest has 512 threads */
#define OPERANDS	4u
#define KERNELS		10u

struct kernel {
	char name[12];
	uint32_t width;			/* bytes of a value */
	uint32_t word[40], count;
	uint32_t at;			/* the place of the instruction under test */
};

struct row {
	uint64_t in[OPERANDS], result, mask, old;
	uint32_t inputs, flags;
	bool has_flags, has_old;
};

/* All tests of hwtest for this family */
static struct hwtest {
	const char *group, *name;
	const char *reason;		/* why there are no vectors */
	uint32_t values, wrong;
	char chips[64];
} tests[] = {
	{ .group = "int", .name = "iadd" },
	{ .group = "int", .name = "icmp" },
	{ .group = "int", .name = "iminmax" },
	{ .group = "int", .name = "shift" },
	{ .group = "int", .name = "imul" },
	{ .group = "int", .name = "isad" },
	{ .group = "int", .name = "imad" },
	{ .group = "int", .name = "logop" },
	{ .group = "int", .name = "iadd_s" },
	{ .group = "int", .name = "imul_s" },
	{ .group = "int", .name = "isad_s" },
	{ .group = "int", .name = "imad_s" },
	{ .group = "int", .name = "iadd_i" },
	{ .group = "int", .name = "imul_i" },
	{ .group = "int", .name = "imad_i" },
	{ .group = "int", .name = "logop_i" },
	{ .group = "fp", .name = "fadd" },
	{ .group = "fp", .name = "fcmp" },
	{ .group = "fp", .name = "fminmax" },
	{ .group = "fp", .name = "fmul" },
	{ .group = "fp", .name = "fslct" },
	{ .group = "fp", .name = "fswz" },
	{ .group = "fp", .name = "fmad" },
	{ .group = "fp", .name = "fadd_s" },
	{ .group = "fp", .name = "fmul_s" },
	{ .group = "fp", .name = "fmad_s" },
	{ .group = "fp", .name = "fadd_i" },
	{ .group = "fp", .name = "fmul_i" },
	{ .group = "fp", .name = "fmad_i" },
	{ .group = "fp", .name = "i2i" },
	{ .group = "fp", .name = "i2f" },
	{ .group = "fp", .name = "f2i" },
	{ .group = "fp", .name = "f2f" },
	{ .group = "sfu", .name = "sfu_tab",
	  .reason = "reads a card's tables of the special functions through a debug port of its MPs" },
	{ .group = "sfu", .name = "sfu_rcp_one" },
	{ .group = "sfu", .name = "sfu_rcp_rnd" },
	{ .group = "sfu", .name = "sfu_rcp_short_rnd",
	  .reason = "compares nothing: a break leaves its loop before the first comparison" },
	{ .group = "sfu", .name = "sfu_rsqrt_one" },
	{ .group = "sfu", .name = "sfu_rsqrt_rnd" },
	{ .group = "sfu", .name = "sfu_sin_one" },
	{ .group = "sfu", .name = "sfu_cos_one" },
	{ .group = "sfu", .name = "sfu_sincos_rnd" },
	{ .group = "sfu", .name = "sfu_ex2_one" },
	{ .group = "sfu", .name = "sfu_ex2_rnd" },
	{ .group = "sfu", .name = "sfu_lg2_one" },
	{ .group = "sfu", .name = "sfu_lg2_rnd" },
	{ .group = "sfu", .name = "sfu_preex2_one" },
	{ .group = "sfu", .name = "sfu_presin_one" },
	{ .group = "sfu", .name = "sfu_pre_rnd" },
	{ .group = "fp64", .name = "dfma" },
	{ .group = "fp64", .name = "dadd" },
	{ .group = "fp64", .name = "dmul" },
	{ .group = "fp64", .name = "dmin" },
	{ .group = "fp64", .name = "dmax" },
	{ .group = "fp64", .name = "dcmp" },
	{ .group = "fp64", .name = "i2f64" },
	{ .group = "fp64", .name = "f2i64" },
	{ .group = "fp64", .name = "f2f64" },
	{ .group = "atom32", .name = "atom32" },
	{ .group = "atom64", .name = "atom64" },
};

/* Groups of tests that need another unit of a card */
static const struct {
	const char *name, *reason;
	uint32_t count;
} other_groups[] = {
	{ "nv50_ptherm", "the model has no thermal sensor", 20 },
	{ "nv84_ptherm", "the model has no thermal sensor", 38 },
	{ "pvcomp_isa", "the model has no PVCOMP, the MCP89's video compositor", 1 },
	{ "vp2_macro", "the model has no video decoder", 1 },
	{ "mpeg_crypt", "the model has no PMPEG", 1 },
	{ "vp1", "the model has no video processor", 5 },
};

static struct hwtest *find_test(const char *group, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].group, group) && !strcmp(tests[i].name, name))
			return &tests[i];

	return NULL;
}

/* --- a card --- */

/* All of g[] are the same memory, as hwtest's codes select one at random. */
static struct rig *card(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i;

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1a0, 1), H_VM,
	       M(SUBC_COMPUTE, 0x1c0, 1), H_VM, M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE,
	       M(SUBC_COMPUTE, 0x2b8, 1), 1, M(SUBC_COMPUTE, 0x384, 1), 0x100);
	for (i = 0; i < 16; i++)
		submit(r, 1, M(SUBC_COMPUTE, 0x400 + 32 * i, 5), 0, VA_MEM, 0, 0xffff, 1);
	run(r);

	return r;
}

/* Cards stay for the next test of the same chip. */
static struct rig *card_of(const char *chip)
{
	static struct {
		char chip[8];
		struct rig *rig;
	} cards[8];
	uint32_t i;

	for (i = 0; i < 7 && cards[i].rig && strcmp(cards[i].chip, chip); i++)
		;
	if (!cards[i].rig || strcmp(cards[i].chip, chip)) {
		snprintf(cards[i].chip, sizeof(cards[i].chip), "%s", chip);
		cards[i].rig = card(chip);
	}

	return cards[i].rig;
}

/* A register of a multiprocessor, which hwtest writes, too */
static void set_mode(struct rig *r, uint32_t mode)
{
	wr(r, sim_gr_mp(r->sim) + SIM_MP_MODE, mode);
}

static uint64_t findings(struct rig *r)
{
	struct nvsim_missing m;
	uint64_t count = 0;
	unsigned int i;

	for (i = 0; nvsim_get_missing(r->sim, i, &m); i++)
		count += m.kind == NVSIM_MISSING_INSTRUCTION ? m.count : 0;

	return count;
}

/* --- launches --- */

static void put(struct rig *r, uint32_t width, uint32_t array, uint32_t n, uint64_t value)
{
	nvsim_vram_write(r->sim, VRAM_MEM + (array * STRIDE + n) * width, &value, width);
}

static uint64_t get(struct rig *r, uint32_t width, uint32_t array, uint32_t n)
{
	uint64_t value = 0;

	nvsim_vram_read(r->sim, VRAM_MEM + (array * STRIDE + n) * width, &value, width);
	return value;
}

/* Results are where the first operand was, flags with the second one, old values with the third one. */
static bool is_right(struct rig *r, const struct kernel *k, const struct row *row, uint32_t n)
{
	uint64_t result = get(r, k->width, 0, n), flags = get(r, k->width, 1, n) & 0xffffffff;
	uint64_t old = get(r, k->width, 2, n);

	if ((result & row->mask) == row->result && (!row->has_flags || flags == row->flags) &&
	    (!row->has_old || old == row->old))
		return true;

	printf("# (%llx %llx %llx %llx): %llx.%x %llx, not %llx.%x %llx\n", (unsigned long long)row->in[0],
	       (unsigned long long)row->in[1], (unsigned long long)row->in[2],
	       (unsigned long long)row->in[3], (unsigned long long)(result & row->mask),
	       (unsigned int)flags, (unsigned long long)old, (unsigned long long)row->result, row->flags,
	       (unsigned long long)row->old);
	return false;
}

/* A thread for each row. The number that are wrong */
static uint32_t launch(struct rig *r, struct kernel *k, const uint32_t op[2], const struct row *rows,
		       uint32_t count)
{
	uint64_t before = findings(r);
	uint32_t n, i, wrong = 0;

	k->word[k->at] = op[0];
	k->word[k->at + 1] = op[1];
	for (n = 0; n < count; n++)
		for (i = 0; i < OPERANDS; i++)
			put(r, k->width, i, n, rows[n].in[i]);

	nvsim_vram_write(r->sim, VRAM_MEM + CODE, k->word, k->count * 4);
	r->push_at[1] = 0;
	submit(r, 1, M(SUBC_COMPUTE, 0x380, 1), 0, M(SUBC_COMPUTE, 0x3a8, 3), 0x40, 1 << 16 | count, 1,
	       M(SUBC_COMPUTE, 0x2c0, 1), 12, M(SUBC_COMPUTE, 0x2b4, 1), 1 << 16 | count,
	       M(SUBC_COMPUTE, 0x2f8, 1), 1, M(SUBC_COMPUTE, 0x388, 1), 0, M(SUBC_COMPUTE, 0x3a4, 1),
	       1 << 16 | 1, M(SUBC_COMPUTE, 0x374, 1), 0, M(SUBC_COMPUTE, 0x368, 1), 0);
	run(r);

	for (n = 0; n < count; n++)
		wrong += !is_right(r, k, &rows[n], n);
	if (wrong)
		printf("# those are of %s %08x %08x\n", k->name, op[0], op[1]);
	if (findings(r) != before || rd(r, NV_PGRAPH_INTR)) {
		printf("# %s %08x %08x: a finding or an error\n", k->name, op[0], op[1]);
		return count;
	}

	return wrong;
}

/* --- the file --- */

/* "a b c = result flags old": a result has the digits that count. */
static bool parse_row(char *line, struct row *row)
{
	uint32_t n = 0;
	char *word;

	memset(row, 0, sizeof(*row));
	for (word = strtok(line, " \n"); word && *word != '='; word = strtok(NULL, " \n")) {
		if (n == OPERANDS)
			return false;
		row->in[n++] = nvfifo_text_value(word, 16);
	}

	word = word ? strtok(NULL, " \n") : NULL;
	if (!word)
		return false;
	row->result = nvfifo_text_value(word, 16);
	row->mask = ~0ull >> (64 - 4 * strlen(word));
	word = strtok(NULL, " \n");
	row->has_flags = word;
	row->flags = word ? (uint32_t)nvfifo_text_value(word, 16) : 0;
	word = word ? strtok(NULL, " \n") : NULL;
	row->has_old = word;
	row->old = word ? nvfifo_text_value(word, 16) : 0;

	return true;
}

/* "kernel NAME WIDTH words", where - are those of the instruction under test */
static bool parse_kernel(char *line, struct kernel *k)
{
	char *word;

	memset(k, 0, sizeof(*k));
	strtok(line, " ");
	snprintf(k->name, sizeof(k->name), "%s", strtok(NULL, " "));
	k->width = (uint32_t)nvfifo_text_value(strtok(NULL, " "), 10);
	for (word = strtok(NULL, " \n"); word && k->count < 40; word = strtok(NULL, " \n")) {
		if (*word == '-' && !k->at)
			k->at = k->count;
		k->word[k->count++] = *word == '-' ? 0 : (uint32_t)nvfifo_text_value(word, 16);
	}

	return k->at && k->at + 1 < k->count && (k->width == 4 || k->width == 8);
}

static struct kernel *find_kernel(struct kernel *kernels, const char *name)
{
	uint32_t i;

	for (i = 0; i < KERNELS; i++)
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];

	return NULL;
}

static void bail(const char *line)
{
	printf("Bail out! " VECTORS ": %s\n", line);
	exit(1);
}

/* "test GROUP NAME CHIP" */
static struct hwtest *begin_test(const char *line, struct rig **r)
{
	char group[16], name[24], chip[8];
	struct hwtest *t;
	size_t at;

	if (sscanf(line, "test %15s %23s %7s", group, name, chip) != 3)
		bail(line);
	t = find_test(group, name);
	if (!t)
		bail(line);
	*r = card_of(chip);
	at = strlen(t->chips);
	if (!strstr(t->chips, chip))
		snprintf(t->chips + at, sizeof(t->chips) - at, " %s", chip);

	return t;
}

struct launch {
	struct kernel *kernel;
	uint32_t op[2], count;
	struct row rows[THREADS];
};

static void finish(struct rig *r, struct hwtest *t, struct launch *l)
{
	if (t && l->count) {
		t->values += l->count;
		t->wrong += launch(r, l->kernel, l->op, l->rows, l->count);
	}
	l->count = 0;
}

/* "KERNEL word word" or "KERNEL word word mode word" */
static void begin_launch(const char *line, struct rig *r, struct kernel *kernels, struct launch *l)
{
	uint32_t mode = 0;
	char name[12];

	if (!r || sscanf(line, "%11s %8x %8x mode %8x", name, &l->op[0], &l->op[1], &mode) < 3)
		bail(line);
	l->kernel = find_kernel(kernels, name);
	if (!l->kernel)
		bail(line);
	set_mode(r, mode);
}

static void run_file(FILE *f)
{
	struct kernel kernels[KERNELS] = { 0 };
	struct hwtest *t = NULL;
	struct rig *r = NULL;
	struct launch l = { 0 };
	uint32_t known = 0;
	char line[512];

	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		if (strchr(line, '=')) {
			if (l.count == THREADS || !parse_row(line, &l.rows[l.count++]))
				bail(line);
			continue;
		}
		finish(r, t, &l);
		if (!strncmp(line, "kernel ", 7)) {
			if (known == KERNELS || !parse_kernel(line, &kernels[known++]))
				bail(line);
		} else if (!strncmp(line, "test ", 5)) {
			t = begin_test(line, &r);
		} else {
			begin_launch(line, r, kernels, &l);
		}
	}
	finish(r, t, &l);
}

int main(void)
{
	FILE *f = fopen(VECTORS, "r");
	uint32_t i;

	if (!f)
		bail("no such file");
	run_file(f);
	fclose(f);

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const struct hwtest *t = &tests[i];

		if (t->reason)
			tap_skip("isa_%s test_%s # SKIP %s", t->group, t->name, t->reason);
		else
			tap(t->values && !t->wrong, "isa_%s test_%s: %u of %u values are hwtest's (%s)",
			    t->group, t->name, t->values - t->wrong, t->values, t->chips + 1);
	}
	for (i = 0; i < sizeof(other_groups) / sizeof(other_groups[0]); i++)
		tap_skip("%s, %u tests # SKIP %s", other_groups[i].name, other_groups[i].count,
			 other_groups[i].reason);

	return tap_end();
}
