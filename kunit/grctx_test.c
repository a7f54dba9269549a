// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context program, context image and initialisation of PGRAPH, against nouveau's.
 */
#include <linux/bitmap.h>
#include <linux/vmalloc.h>

#include "nvfifo_test.h"
#include "nvfifo_grctx.h"

struct grctx_word {
	u32 at, value;
};

struct grctx_row {
	const char *name;
	struct nvfifo_grctx gr;
	u32 bytes;				/* size of the image */
	const u32 *program;
	u32 length;
	const struct grctx_word *init;		/* without the upload of the program */
	u32 inits;
	const struct grctx_word *image;		/* the words that are not 0 */
	u32 words;
};

#include "data/grctx.inc"

/* Digests by fnv() of programs and images of all chipsets */
static const struct grctx_digest {
	struct nvfifo_grctx gr;
	u32 length, bytes, nonzero;
	u64 program, image;
} grctx_digests[] = {
#include "data/grctx_digests.inc"
};

/* Larger than any image, also of units that no card has */
#define IMAGE_WORDS	0x40000

struct image {
	u32 *words;
	unsigned long *written;
	u32 count;
	u32 bad, twice;		/* offset + 1 of the first that is wrong */
};

static void image_free(void *data)
{
	struct image *image = data;

	vfree(image->words);
	bitmap_free(image->written);
}

static struct image *image_alloc(struct kunit *test)
{
	struct image *image = kunit_kzalloc(test, sizeof(*image), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, image);
	image->words = vmalloc(IMAGE_WORDS * 4);
	image->written = bitmap_alloc(IMAGE_WORDS, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, image_free, image), 0);
	KUNIT_ASSERT_NOT_NULL(test, image->words);
	KUNIT_ASSERT_NOT_NULL(test, image->written);
	return image;
}

static void image_write(void *arg, u32 at, u32 value)
{
	struct image *image = arg;
	u32 word = at / 4;

	if (at % 4 || word >= IMAGE_WORDS || !value) {
		image->bad = at + 1;
		return;
	}

	if (test_and_set_bit(word, image->written))
		image->twice = at + 1;
	image->words[word] = value;
	image->count++;
}

/* Make the image in @image. Return: its size in bytes. */
static u32 image_make(struct kunit *test, const struct nvfifo_grctx *gr, struct image *image)
{
	u32 bytes;

	memset(image->words, 0, IMAGE_WORDS * 4);
	bitmap_zero(image->written, IMAGE_WORDS);
	image->count = 0;
	image->bad = 0;
	image->twice = 0;
	bytes = nvfifo_grctx_image(gr, image_write, image);
	KUNIT_EXPECT_EQ(test, image->bad, 0);
	KUNIT_EXPECT_EQ(test, image->twice, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_grctx_image(gr, NULL, NULL), bytes);
	KUNIT_EXPECT_LE(test, bytes, IMAGE_WORDS * 4);
	KUNIT_EXPECT_EQ(test, find_next_bit(image->written, IMAGE_WORDS, bytes / 4), IMAGE_WORDS);
	return bytes;
}

static u64 fnv(const u32 *words, u32 n)
{
	u64 h = 0xcbf29ce484222325ull;
	u32 i;

	for (i = 0; i < n; i++)
		h = (h ^ words[i]) * 0x100000001b3ull;
	return h;
}

static void row_name(const struct grctx_row *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(grctx, grctx_rows, row_name);

static void grctx_program(struct kunit *test)
{
	const struct grctx_row *row = test->param_value;
	u32 *words = kunit_kcalloc(test, NVFIFO_GRCTX_PROGRAM_MAX, 4, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, words);
	KUNIT_EXPECT_EQ(test, nvfifo_grctx_program(&row->gr, NULL), row->length);
	KUNIT_ASSERT_EQ(test, nvfifo_grctx_program(&row->gr, words), row->length);

	for (i = 0; i < row->length; i++)
		KUNIT_EXPECT_EQ_MSG(test, words[i], row->program[i], "word %u", i);
}

static void grctx_image(struct kunit *test)
{
	const struct grctx_row *row = test->param_value;
	struct image *image = image_alloc(test);
	u32 i;

	KUNIT_EXPECT_EQ(test, image_make(test, &row->gr, image), row->bytes);
	KUNIT_EXPECT_EQ(test, image->count, row->words);

	for (i = 0; i < row->words; i++)
		KUNIT_EXPECT_EQ_MSG(test, image->words[row->image[i].at / 4], row->image[i].value,
				    "image+%#x", row->image[i].at);
}

/* The registers of a trace, with the upload where it belongs */
struct trace {
	struct kunit *test;
	const struct grctx_row *row;
	u32 at, uploaded;
};

static void trace_write(void *arg, u32 reg, u32 value)
{
	struct trace *t = arg;

	if (reg == 0x400328) {
		KUNIT_EXPECT_EQ(t->test, t->row->init[t->at - 1].at, 0x400324);
		KUNIT_ASSERT_LT(t->test, t->uploaded, t->row->length);
		KUNIT_EXPECT_EQ(t->test, value, t->row->program[t->uploaded++]);
		return;
	}

	KUNIT_ASSERT_LT(t->test, t->at, t->row->inits);
	KUNIT_EXPECT_EQ_MSG(t->test, reg, t->row->init[t->at].at, "write %u", t->at);
	KUNIT_EXPECT_EQ_MSG(t->test, value, t->row->init[t->at].value, "%06x", reg);
	t->at++;
}

static void grctx_init(struct kunit *test)
{
	const struct grctx_row *row = test->param_value;
	struct trace t = { .test = test, .row = row };

	nvfifo_grctx_init(&row->gr, row->program, row->length, trace_write, &t);
	KUNIT_EXPECT_EQ(test, t.at, row->inits);
	KUNIT_EXPECT_EQ(test, t.uploaded, row->length);
}

/* All chipsets, whole and in parts */
static void grctx_chips(struct kunit *test)
{
	u32 *words = kunit_kcalloc(test, NVFIFO_GRCTX_PROGRAM_MAX, 4, GFP_KERNEL);
	struct image *image = image_alloc(test);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, words);

	for (i = 0; i < ARRAY_SIZE(grctx_digests); i++) {
		const struct grctx_digest *row = &grctx_digests[i];

		KUNIT_EXPECT_EQ_MSG(test, nvfifo_grctx_program(&row->gr, words), row->length,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, fnv(words, row->length), row->program, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, image_make(test, &row->gr, image), row->bytes,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, image->count, row->nonzero, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, fnv(image->words, row->bytes / 4), row->image,
				    "row %d", i);
	}
}

/* The words of the program outside its TPs' and ROPs' parts, and those of one TP. */
static const struct {
	u8 fixed;
	u8 per_tp;
} program_words[NV_CHIP_END] = {
	[NV_CHIP_G80] = { 92, 14 },
	[NV_CHIP_G84 ... NV_CHIP_G200 - 1] = { 91, 15 },
	[NV_CHIP_G200 ... NV_CHIP_GT215 - 1] = { 98, 16 },
	[NV_CHIP_GT215] = { 100, 17 },
	[NV_CHIP_GT215 + 1 ... NV_CHIP_END - 1] = { 100, 16 },
};

/* The program fits into the context unit for any set of units. */
static void grctx_length(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		struct nvfifo_grctx gr = {
			.chip = i % NV_CHIP_END,
			.units = i < NV_CHIP_END ? ~0u : prandom_u32_state(&rnd),
		};
		u32 mp_mask = gr.chip >= NV_CHIP_G200 ? 0xf000000 : 0x3000000;
		u32 tps = hweight32(gr.units & 0x3ff), rops = hweight32(gr.units & 0xff0000);
		u32 mps = hweight32(gr.units & mp_mask);
		u32 want = program_words[gr.chip].fixed + 4 * rops +
			   tps * (program_words[gr.chip].per_tp + 2 * mps);

		KUNIT_ASSERT_EQ_MSG(test, nvfifo_grctx_program(&gr, NULL), want, "chip %d %08x",
				    gr.chip, gr.units);
		KUNIT_ASSERT_LE(test, want, NVFIFO_GRCTX_PROGRAM_MAX);
	}
}

/* GDDR5 changes one word from G200 on; the high bits of the units change nothing. */
static void grctx_inputs(struct kunit *test)
{
	struct image *one = image_alloc(test), *other = image_alloc(test);
	int chip;

	for (chip = 0; chip < NV_CHIP_END; chip++) {
		struct nvfifo_grctx gr = { .chip = chip, .units = 0x03030003 };
		u32 bytes = image_make(test, &gr, one), i, differ = 0;

		gr.units |= 0xf0000000;
		KUNIT_EXPECT_EQ(test, image_make(test, &gr, other), bytes);
		KUNIT_EXPECT_MEMEQ(test, one->words, other->words, bytes);
		gr.gddr5 = true;
		KUNIT_EXPECT_EQ(test, image_make(test, &gr, other), bytes);
		for (i = 0; i < bytes / 4; i++) {
			if (one->words[i] == other->words[i])
				continue;
			differ++;
			KUNIT_EXPECT_EQ(test, one->words[i], 0x3d0040);
			KUNIT_EXPECT_EQ(test, other->words[i], 0x3c0040);
		}
		KUNIT_EXPECT_EQ_MSG(test, differ, chip >= NV_CHIP_G200, "chip %d", chip);
	}
}

static struct kunit_case grctx_cases[] = {
	KUNIT_CASE_PARAM(grctx_program, grctx_gen_params),
	KUNIT_CASE_PARAM(grctx_image, grctx_gen_params),
	KUNIT_CASE_PARAM(grctx_init, grctx_gen_params),
	KUNIT_CASE(grctx_chips),
	KUNIT_CASE(grctx_length),
	KUNIT_CASE(grctx_inputs),
	{}
};

static struct kunit_suite grctx_suite = {
	.name = "nvfifo_grctx",
	.test_cases = grctx_cases,
};

kunit_test_suite(grctx_suite);
