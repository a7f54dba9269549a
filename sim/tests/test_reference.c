// SPDX-License-Identifier: MIT
/*
 * Forms of Tesla's instructions with operands at corners and random ones, compared with a reference
 * that does not know the model. Compared are the register, its other half, and the flags. Each
 * thread loads its operands; numbers, constants and shared memory are the same for a launch.
 */
#include "nvfifo_text.h"
#include "rig_pgraph.h"
#include "tesla_reference.h"

#define SUBC_COMPUTE	1
#define CODE		0x30000u
#define CONSTANTS	0x40000u
#define SHORT_NOP	0x10008204	/* mov b32 $r1 $r1 */
#define FORMS		"tests/data/tesla-forms.txt"

#define KNOWN		1585u	/* of the list */
#define THREADS		32u
#define LAUNCHES	4u

/* Places of loads and stores, THREADS * 8 bytes each */
enum { AT_A, AT_B, AT_C, AT_FLAGS, AT_RESULT, AT_RESULT_FLAGS, PLACES };
#define PLACE(n)	((n) * THREADS * 8)

/* Registers: operands, and the result, of up to 64 bits */
enum { R_RESULT = 4, R_A = 8, R_B = 10, R_C = 12, R_FLAGS = 14, R_AT = 16 };

#define FLAGS_BEFORE	0xfu		/* a form writes $c1 and reads $c0 */
#define AT_SHARED	0x10u		/* the first parameter */
#define AT_CONSTANT	0x08u

static const uint64_t corners[] = {
	0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
	0x1000000, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00,
	0x3f800000, 0x3f800001, 0xbf800000, 0x3f000000, 0xbfc00000, 0x00800001, 0x807fffff, 0x7f800000,
	0xff800000, 0x7f800aaa, 0xffc00000, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x477fe000, 0x33000000,
	0x7fffffe0, 0x8000001f, 0x01000000, 0x7f000000, 0x4b800001, 33, 32, 31, 16, 15,
};

static const uint64_t corners64[] = {
	0, 1, 0x8000000000000000, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000001,
	0x3ff0000000000000, 0x3ff0000000000001, 0xbff8000000000000, 0x7fefffffffffffff,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000abc, 0xffffffffffffffff,
	0x43e0000000000000, 0xc3e0000000000000, 0x41dfffffffc00000, 0x3fe0000000000000,
	0x47efffffe0000001, 0x36a0000000000000, 0x7fffffffffffffff, 0x1234, 0x3ca0000000000000,
};

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;

	return state;
}

#define ONE_OF(list)	(list)[next() % (sizeof(list) / sizeof((list)[0]))]

static uint64_t operand(uint32_t bits)
{
	uint64_t random = next() >> 1 ^ next() << 20, kind = next() & 3;

	if (bits == 64)
		return kind ? ONE_OF(corners64) : random;
	if (kind)
		return (ONE_OF(corners) & 0xffffffff) | random << 32;
	return random;
}

/* --- the kernel --- */

struct kernel {
	uint32_t word[128], n;
};

static void emit(struct kernel *k, uint32_t w0, uint32_t w1)
{
	k->word[k->n++] = w0;
	k->word[k->n++] = w1;
}

/* $r @to is the address of this thread's entry at @place. */
static void emit_address(struct kernel *k, uint32_t place)
{
	emit(k, 0x20008001 | R_AT << 2 | (PLACE(place) & 0x3f) << 16,
	     PLACE(place) >> 6 << 2 | 3);
}

static void emit_load(struct kernel *k, uint32_t reg, uint32_t place)
{
	emit_address(k, place);
	emit(k, 0xd0000001 | reg << 2 | R_AT << 9, 0x80800780);		/* ld b64 */
}

static void emit_store(struct kernel *k, uint32_t reg, uint32_t place)
{
	emit_address(k, place);
	emit(k, 0xd0000001 | reg << 2 | R_AT << 9, 0xa0800780);		/* st b64 */
}

static void make_kernel(struct kernel *k, const struct tesla_op *op)
{
	k->n = 0;
	emit(k, 0x30030001, 0xc4100780);			/* shl b32 $r0 $r0 3 */
	emit_load(k, R_A, AT_A);
	emit_load(k, R_B, AT_B);
	emit_load(k, R_C, AT_C);
	emit_load(k, R_RESULT, AT_C);
	emit_load(k, R_FLAGS, AT_FLAGS);
	emit(k, 0x00000001 | R_FLAGS << 9, 0xa0000780);		/* mov $c0 $r14 */
	emit(k, 0x00000001 | (R_FLAGS + 1) << 9, 0xa0000790);	/* mov $c1 $r15 */
	emit(k, op->w0, op->w1);
	emit_store(k, R_RESULT, AT_RESULT);
	emit(k, 0x00000001 | R_FLAGS << 2, 0x20000780);		/* mov $r14 $c0 */
	emit(k, 0x00000001 | (R_FLAGS + 1) << 2, 0x20001780);	/* mov $r15 $c1 */
	emit_store(k, R_FLAGS, AT_RESULT_FLAGS);
	emit(k, 0xf0000001, 0xe0000781);			/* exit nop */
}

/* --- a form, with places for its operands --- */

enum source { REGISTER, SHARED, CONSTANT, NUMBER };

struct form {
	struct tesla_op op;
	enum source source[3];
};

static uint32_t reg_field(uint32_t reg, uint32_t width, bool upper)
{
	return width == 16 ? 2 * reg + upper : reg;
}

/* Sources of the operands, by the bits of envydis */
static void find_sources(struct form *f)
{
	const struct tesla_op *op = &f->op;
	uint32_t memory = field(op->w0, 23, 2);
	bool shared_a = is_long(op) ? field(op->w1, 21, 1) : field(op->w0, 24, 1);

	f->source[0] = shared_a ? SHARED : REGISTER;
	f->source[1] = memory == 1 ? CONSTANT : REGISTER;
	if (is_immediate(op))
		f->source[1] = NUMBER;
	f->source[2] = is_long(op) && memory == 2 ? CONSTANT : REGISTER;
}

/*
 * The forms for numbers of 64 bits have no memory. An address that counts on is another test's; in the
 * second operand of compute envydis prints it as one that does not.
 */
static bool usable(const struct form *f, const char *text)
{
	const struct tesla_op *op = &f->op;
	bool memory = f->source[0] == SHARED || f->source[1] == CONSTANT || f->source[2] == CONSTANT;

	if (strstr(text, "++") || strstr(text, "o[") || !strpbrk(text, "$"))
		return false;
	/* Nor are conditions and lanes the reference's, and after an end nothing is stored. */
	if (*text == '(' || !strncmp(text, "exit ", 5) || !strncmp(text, "join ", 5))
		return false;
	if (is_long(op) && op->w1 & 8)
		return false;
	if (memory && (op->width[0] == 64 || field(op->w0, 25, 1)))
		return false;
	/* Short codes have too few bits for this place of a byte. */
	if (!is_long(op) && f->source[0] == SHARED && !field(op->w0, 13, 2))
		return false;

	return true;
}

static uint32_t shared_index(const struct tesla_op *op)
{
	uint32_t type = field(op->w0, is_long(op) ? 14 : 13, 2);
	static const uint32_t bytes[] = { 1, 2, 2, 4 };

	return AT_SHARED / bytes[type];
}

static void set_field(uint32_t *word, uint32_t at, uint32_t bits, uint32_t value)
{
	*word = (*word & ~(((1u << bits) - 1) << at)) | value << at;
}

static void place_operands(struct form *f)
{
	struct tesla_op *op = &f->op;
	uint32_t bits = is_long(op) ? 7 : 6;
	uint32_t constant = AT_CONSTANT / (op->width[1] == 16 ? 2 : 4);

	set_field(&op->w0, 2, bits, reg_field(R_RESULT, op->width[RESULT_OF], false));
	if (op->width[0] && f->source[0] == SHARED)
		set_field(&op->w0, 9, is_long(op) ? 5 : 4, shared_index(op));
	else if (op->width[0])
		set_field(&op->w0, 9, bits, reg_field(R_A, op->width[0], false));
	if (op->width[1] && f->source[1] == CONSTANT)
		set_field(&op->w0, 16, is_long(op) ? 7 : 5, constant);
	else if (op->width[1] && f->source[1] == REGISTER)
		set_field(&op->w0, 16, bits, reg_field(R_B, op->width[1], true));
	constant = AT_CONSTANT / (op->width[2] == 16 ? 2 : 4);
	if (op->width[2] && is_long(op))
		set_field(&op->w1, 14, 7, f->source[2] == CONSTANT ? constant :
						  reg_field(R_C, op->width[2], false));
	if (is_long(op) && (op->w1 & 0x40))
		set_field(&op->w1, 4, 2, 1);
}

/* --- sources of other forms of the same instruction --- */

#define KINDS		400u
#define COMBINATIONS	40u

/* Bits of the first word and of the second one that select registers or memory */
struct combination {
	uint32_t w0, w1;
};

static struct kind {
	uint32_t key, count;
	struct combination combination[COMBINATIONS];
} kinds[KINDS];

static struct combination source_bits(const struct tesla_op *op)
{
	struct combination c = { .w0 = op->w0 & 0x01800000 };

	if (is_long(op))
		c.w1 = op->w1 & 1u << 21;
	if (is_long(op) && c.w1)
		c.w0 |= op->w0 & 0xc000;
	if (!is_long(op) && c.w0 & 1u << 24)
		c.w0 |= op->w0 & 0x6000;

	return c;
}

/* Forms of one kind can have each other's sources. Shifts by a number are a kind of their own. */
static struct kind *kind_of(const struct tesla_op *op)
{
	uint32_t key = opcode(op) << 16 | op->width[0] << 4 | (uint32_t)is_long(op) << 1 | is_immediate(op);
	uint32_t i;

	if (is_long(op) && (opcode(op) | 1) == 0x37)
		key |= field(op->w1, 20, 1) << 2;
	for (i = 0; i < KINDS && kinds[i].count && kinds[i].key != key; i++)
		;
	if (i == KINDS)
		return NULL;
	kinds[i].key = key;

	return &kinds[i];
}

/* The operand of cvt depends on more bits: its forms keep their sources. */
static bool has_other_sources(const struct tesla_op *op)
{
	return op->w0 >> 28 != 0xa;
}

static void note_sources(const struct tesla_op *op)
{
	struct combination c = source_bits(op);
	struct kind *k = kind_of(op);
	uint32_t i;

	for (i = 0; k && i < k->count; i++)
		if (k->combination[i].w0 == c.w0 && k->combination[i].w1 == c.w1)
			return;
	if (k && k->count < COMBINATIONS)
		k->combination[k->count++] = c;
}

static struct tesla_op with_sources(struct tesla_op op, const struct combination *c)
{
	op.w0 = (op.w0 & ~(is_long(&op) ? 0x0180c000 : 0x01806000)) | c->w0;
	if (is_long(&op))
		op.w1 = (op.w1 & ~(1u << 21)) | c->w1;

	return op;
}

/* --- launches --- */

static struct rig *card(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i;

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1a0, 1), H_VM,
	       M(SUBC_COMPUTE, 0x1c0, 1), H_VM, M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE,
	       M(SUBC_COMPUTE, 0x2b8, 1), 1, M(SUBC_COMPUTE, 0x384, 1), 0x100,
	       M(SUBC_COMPUTE, 0x400, 5), 0, VA_MEM, 0, 0xffff, 1);
	submit(r, 1, M(SUBC_COMPUTE, 0x2a4, 3), 0, VA_MEM + CONSTANTS, 0x100);
	for (i = 0; i < 16; i++)
		submit(r, 1, M(SUBC_COMPUTE, 0x3c8, 1), i << 8 | 1);
	submit(r, 1, M(SUBC_COMPUTE, 0x3a8, 3), 0x140, 1 << 16 | THREADS, 1, M(SUBC_COMPUTE, 0x2b4, 1),
	       1u << 16 | THREADS, M(SUBC_COMPUTE, 0x2c0, 1), 32, M(SUBC_COMPUTE, 0x2f8, 1), 1,
	       M(SUBC_COMPUTE, 0x388, 1), 0, M(SUBC_COMPUTE, 0x3a4, 1), 1 | 1 << 16,
	       M(SUBC_COMPUTE, 0x374, 1), 1 << 8);
	run(r);

	return r;
}

/* Values that all threads of a launch have */
struct common {
	uint64_t shared, constant;
};

static uint64_t fetched(const struct form *f, uint32_t n, uint64_t in, const struct common *c)
{
	const struct tesla_op *op = &f->op;
	uint32_t width = op->width[n];

	switch (f->source[n]) {
	case SHARED:
		switch (field(op->w0, is_long(op) ? 14 : 13, 2)) {
		case 0:
			return c->shared & 0xff;
		case 1:
			return c->shared & 0xffff;
		case 2:
			return (uint64_t)(int64_t)(int16_t)c->shared & ones(width);
		}
		return c->shared & ones(width);
	case CONSTANT:
		return c->constant & ones(width);
	case NUMBER:
		return (field(op->w0, 16, 6) | field(op->w1, 2, 26) << 6) & ones(width);
	default:
		/* b is in the upper half of its register. */
		return (n == 1 && width == 16 ? in >> 16 : in) & ones(width);
	}
}

static bool same(const struct form *f, const uint64_t in[PLACES], const struct common *c,
		 const char *line)
{
	struct tesla_op op = f->op;
	bool writes_flags = is_long(&op) && (op.w1 & 0x40);
	uint64_t mask = ones(op.width[RESULT_OF]), expected;
	uint32_t flags = (uint32_t)(in[AT_RESULT_FLAGS] >> 32);
	struct tesla_result r;

	op.a = fetched(f, 0, in[AT_A], c);
	op.b = fetched(f, 1, in[AT_B], c);
	op.c = fetched(f, 2, in[AT_C], c);
	op.flags = in[AT_FLAGS] & 0xf;
	r = tesla_compute(&op);
	expected = (in[AT_C] & ~mask) | (r.value & mask);
	if (in[AT_RESULT] == expected && flags == (writes_flags ? r.flags : FLAGS_BEFORE))
		return true;

	printf("# %08x %08x (%llx %llx %llx %x): %016llx.%x, not %016llx.%x: %s", op.w0, op.w1,
	       (unsigned long long)op.a, (unsigned long long)op.b, (unsigned long long)op.c, op.flags,
	       (unsigned long long)in[AT_RESULT], flags, (unsigned long long)expected,
	       writes_flags ? r.flags : FLAGS_BEFORE, line);
	return false;
}

static void vary_code(struct form *f)
{
	static const uint8_t counts[] = { 0, 1, 15, 16, 17, 31, 32, 33, 0x7f };
	uint32_t n = (uint32_t)operand(32);

	if (f->source[1] == NUMBER) {
		set_field(&f->op.w0, 16, 6, n & 0x3f);
		set_field(&f->op.w1, 2, 26, n >> 6);
	}
	if (is_long(&f->op) && (opcode(&f->op) | 1) == 0x37 && field(f->op.w1, 20, 1))
		set_field(&f->op.w0, 16, 7, ONE_OF(counts));
}

static bool launch(struct rig *r, struct form *f, const char *line)
{
	static uint64_t place[PLACES][THREADS];
	struct common common = { operand(32) & 0xffffffff, operand(32) & 0xffffffff };
	uint32_t i, n, constant = (uint32_t)common.constant;
	struct kernel k;

	vary_code(f);
	make_kernel(&k, &f->op);
	for (i = 0; i < THREADS; i++) {
		for (n = AT_A; n <= AT_C; n++)
			place[n][i] = operand(f->op.width[n]);
		place[AT_FLAGS][i] = (next() & 0xf) | (uint64_t)FLAGS_BEFORE << 32;
		place[AT_RESULT][i] = 0;
	}
	nvsim_vram_write(r->sim, VRAM_MEM, place, sizeof(place));
	nvsim_vram_write(r->sim, VRAM_MEM + CODE, k.word, k.n * 4);
	nvsim_vram_write(r->sim, VRAM_MEM + CONSTANTS + AT_CONSTANT, &constant, 4);
	r->push_at[1] = 0;
	submit(r, 1, M(SUBC_COMPUTE, 0x380, 1), 0, M(SUBC_COMPUTE, 0x600, 1), (uint32_t)common.shared,
	       M(SUBC_COMPUTE, 0x368, 1), 0);
	run(r);
	nvsim_vram_read(r->sim, VRAM_MEM, place, sizeof(place));

	for (i = 0; i < THREADS; i++) {
		uint64_t in[PLACES];

		for (n = 0; n < PLACES; n++)
			in[n] = place[n][i];
		if (!same(f, in, &common, line))
			return false;
	}
	return !rd(r, NV_PGRAPH_INTR);
}

/* --- the list --- */

static bool parse(const char *line, char chip[8], struct form *f, int *text)
{
	char second[9], was[8];

	*text = 0;
	if (sscanf(line, "%7s %8x %8s %7s\t%n", chip, &f->op.w0, second, was, text) != 4 || !*text)
		return false;

	f->op.w1 = second[0] == '-' ? SHORT_NOP : (uint32_t)nvfifo_text_value(second, 16);
	f->op.g200 = !strcmp(chip, "g200");
	return !strcmp(was, "done") && tesla_widths(&f->op);
}

static bool run_form(struct rig *r, struct tesla_op op, const char *line)
{
	struct form f = { .op = op };
	uint32_t i;

	find_sources(&f);
	place_operands(&f);
	for (i = 0; i < LAUNCHES; i++)
		if (!launch(r, &f, line))
			return false;

	return true;
}

struct count {
	uint32_t known, varied, wrong;
};

static void run_line(struct rig *r, const struct form *f, const char *line, struct count *count)
{
	const struct kind *k = has_other_sources(&f->op) ? kind_of(&f->op) : NULL;
	uint32_t i;

	count->known++;
	count->wrong += !run_form(r, f->op, line);
	for (i = 0; k && i < k->count; i++) {
		count->varied++;
		count->wrong += !run_form(r, with_sources(f->op, &k->combination[i]), line);
	}
}

/* The next form that the reference knows; false at the end */
static bool next_form(FILE *file, char *line, size_t size, char chip[8], struct form *f, int *text)
{
	while (fgets(line, (int)size, file)) {
		memset(f, 0, sizeof(*f));
		if (!parse(line, chip, f, text))
			continue;
		find_sources(f);
		if (usable(f, line + *text))
			return true;
	}

	return false;
}

int main(void)
{
	FILE *file = fopen(FORMS, "r");
	char line[200], chip[8], now[8] = "";
	struct count count = { 0 };
	struct rig *r = NULL;
	struct form f;
	int text;

	if (!file) {
		printf("Bail out! no " FORMS "\n");
		return 1;
	}

	while (next_form(file, line, sizeof(line), chip, &f, &text))
		note_sources(&f.op);
	rewind(file);
	while (next_form(file, line, sizeof(line), chip, &f, &text)) {
		if (strcmp(chip, now)) {
			if (r)
				rig_destroy(r);
			r = card(chip);
			strcpy(now, chip);
		}
		run_line(r, &f, line + text, &count);
	}

	fclose(file);
	if (r)
		rig_destroy(r);
	tap(count.known == KNOWN, "the reference knows %u forms", count.known);
	tap(count.varied > 2 * KNOWN, "each is varied by the sources of others like it, %u times",
	    count.varied);
	tap(!count.wrong, "each has the reference's results and flags; %u have not", count.wrong);

	return tap_end();
}
