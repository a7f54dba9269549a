// SPDX-License-Identifier: MIT
/* Assembler and disassembler: round trips, meanings, and errors in the text. */
#include <errno.h>

#include "nvfifo.h"
#include "tap.h"

static const char *const format_names[] = { "nv04", "nv04-dma", "nvc0" };

/* --- Round trips --------------------------------------------------------- */

/* Disassemble, as listing or as source, assemble, compare. */
static bool round_trip(const __u32 *words, size_t count, enum nvfifo_format format, bool listing)
{
	char *text = malloc(count * NVFIFO_WORD_TEXT_MAX + 1024), *s = text;
	struct nvfifo_words back = { 0 };
	struct nvfifo_decoder d;
	struct nvfifo_word w;
	bool ok;
	size_t i;

	nvfifo_decoder_init(&d, format, 0);
	nvfifo_decoder_handle(&d, 0xbeef5039, 0x5039);
	for (i = 0; i < count; i++) {
		nvfifo_decode(&d, words[i], &w);
		s += listing ? nvfifo_listing_line(&w, format, 0xfffffff0 + i * 4, s) :
			       nvfifo_word_text(&w, format, s);
		*s++ = '\n';
	}
	ok = !nvfifo_assemble(text, (size_t)(s - text), format, NULL, NULL, &back, NULL) &&
	     back.count == count && !memcmp(back.data, words, count * sizeof(*words));
	if (!ok)
		printf("# %s\n", nvfifo_last_error());
	nvfifo_words_free(&back);
	free(text);
	return ok;
}

/* Words that lie near the borders of the formats. */
static __u32 odd_word(uint64_t *seed)
{
	__u32 r = tap_random(seed);

	switch (tap_random(seed) % 8) {
	case 0:
		return r & 0xe0030003;
	case 1:
		return r & 0x0007fffc;
	case 2:
		return (r & 0x1ffc0000) | 0x50;
	case 3:
		return 0x00010000 | (r & 0xffff);
	case 4:
		return 0x00030000 | (r & 0xfffc);
	case 5:
		return 0xbeef5039;
	case 6:
		return (r & 0xe000fffc) | 0x40000;
	}
	return r;
}

static void test_random(void)
{
	static __u32 words[512];
	enum nvfifo_format format;

	for (format = NVFIFO_FORMAT_NV04; format <= NVFIFO_FORMAT_NVC0; format++) {
		uint64_t seed = 42 + format;
		unsigned int run, i, wrong = 0;

		for (run = 0; run < 400; run++) {
			for (i = 0; i < 512; i++)
				words[i] = run & 1 ? odd_word(&seed) : tap_random(&seed);
			wrong += !round_trip(words, 1 + run % 512, format, run & 2);
		}
		tap(!wrong, "random words survive, %s", format_names[format]);

		/* Every word on its own is a header: all of the upper half, some of the lower. */
		wrong = 0;
		for (i = 0; i < 0x10000; i++) {
			words[0] = i << 16 | (tap_random(&seed) & 0xffff);
			wrong += !round_trip(words, 1, format, false);
		}
		tap(!wrong, "each kind of header survives, %s", format_names[format]);
	}
}

static void test_structured(void)
{
	static __u32 words[8192];
	enum nvfifo_format format;

	for (format = NVFIFO_FORMAT_NV04; format <= NVFIFO_FORMAT_NVC0; format++) {
		uint64_t seed = 7 + format;
		unsigned int run, i, n, invalid = 0, wrong = 0;
		struct nvfifo_decoder d;
		struct nvfifo_word w;

		for (run = 0; run < 100; run++) {
			struct nvfifo_push p;

			nvfifo_push_init(&p, words, 8192, format);
			for (n = 0; n < 60; n++) {
				__u32 subc = tap_random(&seed) & 7, count = 1 + tap_random(&seed) % 40;
				__u32 mthd = 0x100 + (tap_random(&seed) & 0xffc);

				switch (tap_random(&seed) % 5) {
				case 0:
					P_MTHD(&p, subc, mthd, count);
					break;
				case 1:
					P_0INC(&p, subc, mthd, count);
					break;
				case 2:
					if (format == NVFIFO_FORMAT_NVC0)
						P_1INC(&p, subc, mthd, count);
					else if (format == NVFIFO_FORMAT_NV04)
						P_LONG(&p, subc, mthd, count);
					else
						P_JUMP(&p, mthd);
					break;
				case 3:
					P_IMMD(&p, subc, mthd, count);
					break;
				case 4:
					P_SLI_COND(&p, mthd >> 4);
					break;
				}
				while (p.left)
					P_DATA(&p, tap_random(&seed));
			}
			wrong += nvfifo_push_finish(&p) != 0;
			nvfifo_decoder_init(&d, format, 0);
			for (i = 0; i < nvfifo_push_words(&p); i++) {
				nvfifo_decode(&d, words[i], &w);
				invalid += w.kind == NVFIFO_WORD_INVALID;
			}
			wrong += d.left || d.long_pending;
			wrong += !round_trip(words, nvfifo_push_words(&p), format, run & 1);
		}
		tap(!wrong && !invalid, "built streams survive, no header is lost, %s",
		    format_names[format]);
	}
}

/* --- Meanings ------------------------------------------------------------ */

static int symbols(void *ctx, const char *name, size_t len, __u64 *value)
{
	(void)ctx;
	if (len != 3 || memcmp(name, "sem", 3))
		return -ENOENT;
	*value = 0x1234567890;
	return 0;
}

static const struct {
	enum nvfifo_format format;
	const char *text;
	size_t count;
	__u32 words[6];
} meanings[] = {
	{ 0, "mthd 0 REF_CNT : 0x1234", 2, { 0x00040050, 0x1234 } },
	{ 0, "mthd 0 0x50 : 1, 2\n", 3, { 0x00080050, 1, 2 } },
	{ 0, "mthd 3 0x1558 : 1,\n\t# a remark\n\t2   # another", 3, { 0x00087558, 1, 2 } },
	{ 0, "ninc 7 0x100 : 5", 2, { 0x4004e100, 5 } },
	{ 0, "0INC 7 0x100 x5", 1, { 0x4014e100 } },
	{ 0, "long 3 0x15f0 : 1, 2, 3", 5, { 0x000375f0, 3, 1, 2, 3 } },
	{ 0, "long 3 0x15f0 x7", 2, { 0x000375f0, 7 } },
	{ 0, "long 3 0x15f0\ncount 7", 2, { 0x000375f0, 7 } },
	{ 0, "immd 1 YIELD -1", 2, { 0x00042080, 0xffffffff } },
	{ 0, "immd 1 m2mf.line_count 10", 2, { 0x00042320, 10 } },
	{ 0, "immd 1 2D.OPERATION 3", 2, { 0x000422ac, 3 } },
	{ 0, "nop\n\n nop", 2, { 0, 0 } },
	{ 0, "sli 0x123", 1, { 0x00011230 } },
	{ 0, ".word 0xffffffff, 1K", 2, { 0xffffffff, 1024 } },
	{ 0, "data hi(sem), lo(sem + 16)", 2, { 0x12, 0x345678a0 } },
	{ 0, "data lo(sem) | 3, hi(sem) + (4 - 1), -(1)", 3, { 0x34567893, 0x15, 0xffffffff } },
	{ 0, "00000000: 00040050  mthd 0 REF_CNT x1\n00000004: 00000007  data 7\n", 2,
	  { 0x00040050, 7 } },
	{ 0, "0000001234: 00040050\nnop", 1, { 0 } },
	{ 0, "", 0, { 0 } },
	{ 0, "# only a remark", 0, { 0 } },
	{ 1, "jump 0x1000\nold_jump 0x1000\ncall 0x1000\nreturn", 4,
	  { 0x1001, 0x20001000, 0x1002, 0x20000 } },
	{ 2, "mthd 3 0 : 1, 2", 3, { 0x20026000, 1, 2 } },
	{ 2, "1inc 1 0x14 : 1, 2, 3", 4, { 0xa0032005, 1, 2, 3 } },
	{ 2, "immd 7 REF_CNT 0x1fff", 1, { 0x9fffe014 } },
	{ 2, "immd 7 REF_CNT 0x2000", 2, { 0x2001e014, 0x2000 } },
	{ 2, "0inc 1 0x3ffc x8191", 1, { 0x7fff2fff } },
	{ 2, "sli_store 0x12\nsli_use\nend_segment\nsli 1", 4,
	  { 0x00020120, 0x00030000, 0xe0000000, 0x00010010 } },
};

static void test_meanings(void)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct nvfifo_words w = { 0 };
		struct nvfifo_diag diag;
		int ret = nvfifo_assemble(meanings[i].text, strlen(meanings[i].text),
					  meanings[i].format, symbols, NULL, &w, &diag);

		if (ret)
			printf("# %u:%u: %s\n", diag.line, diag.column, diag.text);
		tap(!ret && w.count == meanings[i].count &&
			    (!w.count ||
			     !memcmp(w.data, meanings[i].words, w.count * sizeof(*w.data))),
		    "text %zu, %s, assembles to the right words", i + 1,
		    format_names[meanings[i].format]);
		nvfifo_words_free(&w);
	}
}

static const struct {
	enum nvfifo_format format;
	const char *text;
	unsigned int line, column;
	const char *part;	/* of the message */
} mistakes[] = {
	{ 0, "mthd", 1, 5, "expected a number or a name, found the end of the text" },
	{ 0, "mthd 8 REF_CNT : 1", 1, 6, "subchannel must be 0 to 0x7, this is 0x8" },
	{ 0, "mthd 0 REFCNT : 1", 1, 8, "no method with the name 'REFCNT'" },
	{ 0, "mthd 0 0x52 : 1", 1, 8, "multiple of 4 from 0 to 0x1ffc" },
	{ 0, "mthd 0 0x2000 : 1", 1, 8, "multiple of 4 from 0 to 0x1ffc" },
	{ 0, "mthd 0 0x50", 1, 12, "expected ':' and data words, or a count such as x1" },
	{ 0, "mthd 0 0x50 x2048", 1, 13, "x0 to x2047" },
	{ 0, "nop\nmthd 0 0x50 : 1 2", 2, 17, "expected the end of the line, found '2'" },
	{ 0, "mthd 0 0x50 : 1,", 1, 17, "expected a number or a name" },
	{ 0, "mthd 0 0x50 :\nmthd 0 0x50 : 1", 1, 14, "found the end of the line" },
	{ 0, "mthd 0 0x50 : 1,\n", 1, 17, "found the end of the line" },
	{ 0, "mthd 0 0x1ffc : 1, 2", 1, 6, "run past the last one, 0x1ffc" },
	{ 0, "data 0x100000000", 1, 6, "does not fit into a 32-bit word" },
	{ 0, "data 0xgg", 1, 6, "not a number of at most 64 bits" },
	{ 0, "data 0x10000000000000000", 1, 6, "not a number of at most 64 bits" },
	{ 0, "data foo", 1, 6, "there is no buffer with the name 'foo'" },
	{ 0, "data sem", 1, 6, "does not fit into a 32-bit word" },
	{ 0, "data hi sem", 1, 9, "expected '('" },
	{ 0, "data hi(sem", 1, 12, "expected ')'" },
	{ 0, "\n\n  frob 1", 3, 3, "expected a command such as mthd" },
	{ 0, "}", 1, 1, "expected a command" },
	{ 0, "jump 0x1000", 1, 1, "jump does not exist in the format nv04" },
	{ 0, "1inc 0 0x100 : 1", 1, 1, "1inc does not exist in the format nv04" },
	{ 1, "long 0 0x100 : 1", 1, 1, "long does not exist in the format nv04-dma" },
	{ 1, "jump 0x1002", 1, 6, "multiple of 4" },
	{ 1, "old_jump 0x20000000", 1, 10, "the target must be 0 to 0x1ffffffc" },
	{ 2, "sli_store 0x1000", 1, 11, "an SLI mask must be 0 to 0xfff" },
	{ 0, "nop \001", 1, 5, "found the byte 0x01" },
	{ 0, "nop \"abc", 1, 5, "the string does not end on this line" },
	{ 0, "data 17179869184G", 1, 6, "not a number of at most 64 bits" },
	{ 0, "00000000: 0004005 nop", 1, 1, "expected a command" },
	{ 0, "00000000: 00040050x", 1, 1, "expected a command" },
	{ 0, "count 0x1000000", 1, 7, "a count must be 0 to 0xffffff" },
};

static void test_mistakes(void)
{
	static char many[8192];
	char deep[300];
	struct nvfifo_words w = { 0 };
	struct nvfifo_diag d;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		ret = nvfifo_assemble(mistakes[i].text, strlen(mistakes[i].text),
				      mistakes[i].format, symbols, NULL, &w, &d);
		if (!tap(ret == -EINVAL && d.line == mistakes[i].line &&
				 d.column == mistakes[i].column && strstr(d.text, mistakes[i].part),
			 "mistake %zu is refused where it is: %s", i + 1, mistakes[i].part))
			printf("# %d, %u:%u: %s\n", ret, d.line, d.column, d.text);
		nvfifo_words_free(&w);
	}

	memset(deep, '(', sizeof(deep));
	for (i = 0; i < 5; i++)
		deep[i] = "data "[i];
	ret = nvfifo_assemble(deep, sizeof(deep), NVFIFO_FORMAT_NV04, NULL, NULL, &w, &d);
	tap(ret == -EINVAL && strstr(d.text, "nested too deeply"), "nesting has a limit");
	memset(deep + 5, '-', sizeof(deep) - 5);
	ret = nvfifo_assemble(deep, sizeof(deep), NVFIFO_FORMAT_NV04, NULL, NULL, &w, &d);
	tap(ret == -EINVAL && strstr(d.text, "nested too deeply"), "signs have a limit");
	nvfifo_words_free(&w);

	memset(many, 0, sizeof(many));
	strcpy(many, "0inc 0 0x100 : 0");
	for (i = 0; i < 2047; i++)
		strcat(many, ",0");
	ret = nvfifo_assemble(many, strlen(many), NVFIFO_FORMAT_NV04, NULL, NULL, &w, &d);
	tap(ret == -EINVAL && strstr(d.text, "2048 data words, this command can have 2047"),
	    "a command has at most 2047 data words");
	nvfifo_words_free(&w);
	many[strlen(many) - 2] = '\0';
	ret = nvfifo_assemble(many, strlen(many), NVFIFO_FORMAT_NV04, NULL, NULL, &w, &d);
	tap(!ret && w.count == 2048 && w.data[0] == 0x5ffc0100, "and 2047 are fine");
	nvfifo_words_free(&w);
}

/* --- Texts of words ------------------------------------------------------ */

static const struct {
	enum nvfifo_format format;
	__u32 chipset;
	__u32 words[3];		/* the last one that is not 0 is looked at */
	const char *text;
} texts[] = {
	{ 0, 0x84, { 0x00040050 }, "mthd 0 REF_CNT x1" },
	{ 0, 0x84, { 0x00040050, 7 }, "    data 0x00000007  # REF_CNT: set when the engine's work is done" },
	{ 0, 0x84, { 0x0004001c, 2 }, "    data 0x00000002  # SEMAPHORE_TRIGGER: release, when the engine's work is done" },
	{ 0, 0x84, { 0x0004001c, 4 },
	  "    data 0x00000004  # SEMAPHORE_TRIGGER: wait until greater or equal" },
	{ 0, 0x50, { 0x0004001c, 2 },
	  "    data 0x00000002  # SEMAPHORE_TRIGGER: the pusher refuses it, INVALID_MTHD" },
	{ 0, 0x84, { 0x00040028, 2 },
	  "    data 0x00000002  # UNK28: the pusher refuses it, INVALID_MTHD" },
	{ 0, 0xaf, { 0x00040028, 2 }, "    data 0x00000002  # UNK28" },
	{ 0, 0, { 0x00040028, 2 }, "    data 0x00000002  # UNK28" },
	{ 0, 0, { 0x00040070, 2 },
	  "    data 0x00000002  # 0x0070: the pusher refuses it, INVALID_MTHD" },
	{ 2, 0, { 0x20010002, 2 }, "    data 0x00000002  # 0x0008" },
	{ 0, 0x84, { 0x0004a000, 0xbeef5039 }, "    data 0xbeef5039  # OBJECT: M2MF 0x5039" },
	{ 0, 0x84, { 0x0004a000, 0xbeef5039, 0x0004a320 }, "mthd 5 M2MF.LINE_COUNT x1" },
	{ 0, 0x84, { 0x0004a000, 0xbeef5039, 0x0004c320 }, "mthd 6 0x0320 x1" },
	{ 0, 0x84, { 0x000375f0, 300 }, "    count 300" },
	{ 0, 0x84, { 0x000375f0, 0x0100000a },
	  "    .word 0x0100000a  # count 10 with unknown bits set" },
	{ 0, 0x84, { 0x20001000 }, ".word 0x20001000  # the pusher refuses it, INVALID_CMD" },
	{ 1, 0x84, { 0x20001000 }, "old_jump 0x00001000" },
	{ 0, 0x84, { 0x0001000c },
	  ".word 0x0001000c  # a valid command with unknown bits set" },
	{ 0, 0x84, { 0x00081ffc, 1, 2 }, "    data 0x00000002  # OBJECT" },
	{ 2, 0, { 0xa0022005 }, "1inc 1 SEMAPHORE_ADDRESS_LOW x2" },
};

static void test_texts(void)
{
	char text[NVFIFO_WORD_TEXT_MAX];
	size_t i, j;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct nvfifo_decoder d;
		struct nvfifo_word w = { 0 };

		nvfifo_decoder_init(&d, texts[i].format, texts[i].chipset);
		nvfifo_decoder_handle(&d, 0xbeef5039, 0x5039);
		for (j = 0; j < 3 && texts[i].words[j]; j++)
			nvfifo_decode(&d, texts[i].words[j], &w);
		nvfifo_word_text(&w, texts[i].format, text);
		if (!tap(!strcmp(text, texts[i].text), "word reads '%s'", texts[i].text))
			printf("# it reads '%s'\n", text);
	}
}

/* The text of any data must fit, whatever the method. */
static void test_values(void)
{
	static const __u32 data[] = { 0, 1, 0xffffffff, 0x80000000, 0x3f800000, 0x7fc00000,
				      0xff7fffff, 0x12345678 };
	static const __u32 classes[] = { 0x5097, 0x8697, 0x502d, 0x5039, 0x50c0, 0x74c1 };
	char value[320], text[NVFIFO_WORD_TEXT_MAX];
	size_t longest = 0, longest_line = 0, i, j;
	struct nvfifo_decoder d;
	__u32 mthd;

	nvfifo_decoder_init(&d, NVFIFO_FORMAT_NV04, 0);
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		d.oclass[0] = classes[i];
		for (mthd = 0x100; mthd < 0x2000; mthd += 4) {
			for (j = 0; j < sizeof(data) / sizeof(data[0]); j++) {
				size_t n = nvfifo_method_value(classes[i], mthd, data[j], value,
							       sizeof(value));
				struct nvfifo_word w;

				d.cmd.method = (__u16)mthd;
				d.left = 1;
				nvfifo_decode(&d, data[j], &w);
				longest = n > longest ? n : longest;
				n = nvfifo_word_text(&w, NVFIFO_FORMAT_NV04, text);
				longest_line = n > longest_line ? n : longest_line;
			}
		}
	}
	tap(longest > 100 && longest < 300 && longest_line < NVFIFO_WORD_TEXT_MAX - 60,
	    "the longest data are %zu characters, the longest line %zu", longest, longest_line);
	tap(nvfifo_method_value(0x5097, 0x300, 0xff7fffff, value, 8) == 7 &&
		    !strcmp(value, "-3.4028"),
	    "a value is cut where the buffer ends");
}

static void test_names(void)
{
	__u32 classes[] = { 0,	    0x5039, 0x502d, 0x5097, 0x8297, 0x8397,
			    0x8597, 0x8697, 0x50c0, 0x85c0, 0x74c1, 0x85b5 };
	unsigned int wrong = 0, named = 0;
	__u32 mthd;
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		for (mthd = 0; mthd < 0x2000; mthd += 4) {
			const char *name = nvfifo_method_name(classes[i], mthd);

			if (!name)
				continue;
			named++;
			wrong += nvfifo_method_by_name(name, strlen(name)) != (int)mthd;
		}
	}
	tap(!wrong && named > 7000, "%u names and methods agree in both directions", named);
	tap(nvfifo_method_by_name("3d.rt[3].format", 15) == 0x268 &&
		    nvfifo_method_by_name("3D.RT[0x3].FORMAT", 17) == 0x268 &&
		    nvfifo_method_by_name("3D.RT[8].FORMAT", 15) < 0 &&
		    nvfifo_method_by_name("3D.RT[].FORMAT", 14) < 0,
	    "elements of an array by number");
	tap(!nvfifo_method_name(0x5097, 0x11c) && nvfifo_method_by_name("M2MF", 4) < 0 &&
		    nvfifo_method_by_name("", 0) < 0,
	    "a method without a name gets none");
	tap(!strcmp(nvfifo_class_name(0x5039), "M2MF") && !nvfifo_class_name(0x1234),
	    "classes have names");
}

int main(void)
{
	test_random();
	test_structured();
	test_meanings();
	test_mistakes();
	test_texts();
	test_names();
	test_values();
	return tap_end();
}
