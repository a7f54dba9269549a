// SPDX-License-Identifier: MIT
/* The push builder: against recorded sequences, and every mistake it must see. */
#include "nvfifo.h"
#include "nvfifo_text.h"
#include "tap.h"

#define ROOM 4096

static __u32 words[ROOM];

/* --- Recorded sequences -------------------------------------------------- */

static unsigned long long argument(const char *line, const char *name)
{
	char key[32];
	const char *s;

	snprintf(key, sizeof(key), "%s=", name);
	s = strstr(line, key);
	return s ? nvfifo_text_value(s + strlen(key), 16) : 0;
}

static void fence_emit(struct nvfifo_push *p, const char *line)
{
	P_MTHD(p, 0, NVFIFO_MTHD_DMA_SEMAPHORE, 1);
	P_DATA(p, (__u32)argument(line, "dma_handle"));
	P_MTHD(p, 0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 5);
	P_DATAH(p, argument(line, "virtual"));
	P_DATAL(p, argument(line, "virtual"));
	P_DATA(p, (__u32)argument(line, "sequence"));
	P_DATA(p, NVFIFO_TRIGGER_RELEASE);
	P_DATA(p, 0);
}

static void fence_sync(struct nvfifo_push *p, const char *line)
{
	P_IMMD(p, 0, NVFIFO_MTHD_DMA_SEMAPHORE, (__u32)argument(line, "dma_handle"));
	P_MTHD(p, 0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4);
	P_DATAH(p, argument(line, "virtual"));
	P_DATAL(p, argument(line, "virtual"));
	P_DATA(p, (__u32)argument(line, "sequence"));
	P_DATA(p, NVFIFO_TRIGGER_ACQUIRE_GEQUAL);
}

static void m2mf_layout(struct nvfifo_push *p, __u32 mthd, unsigned long long tiled, __u32 height)
{
	const __u32 layout[] = { 0, 0, 64, height, 1, 0, 0 };

	if (!tiled) {
		P_IMMD(p, 4, mthd, 1);
		return;
	}
	P_MTHD(p, 4, mthd, 7);
	P_DATAp(p, layout, 7);
}

/* Lines of 64 bytes, at most 65536 of them in one launch. */
static void m2mf_copy(struct nvfifo_push *p, const char *line)
{
	unsigned long long src = argument(line, "src"), dst = argument(line, "dst");
	unsigned long long left = argument(line, "bytes");

	while (left) {
		__u32 bytes = left > 0x400000 ? 0x400000 : (__u32)left;
		__u32 height = bytes / 64;

		m2mf_layout(p, 0x200, argument(line, "src_tiled"), height);
		m2mf_layout(p, 0x21c, argument(line, "dst_tiled"), height);
		P_MTHD(p, 4, 0x238, 2);
		P_DATAH(p, src);
		P_DATAH(p, dst);
		P_MTHD(p, 4, 0x30c, 8);
		P_DATAL(p, src);
		P_DATAL(p, dst);
		P_DATA(p, 64);
		P_DATA(p, 64);
		P_DATA(p, 64);
		P_DATA(p, height);
		P_DATA(p, 0x101);
		P_DATA(p, 0);
		P_IMMD(p, 4, 0x100, 0);
		left -= bytes;
		src += bytes;
		dst += bytes;
	}
}

static void pcopy(struct nvfifo_push *p, const char *line)
{
	unsigned long long src = argument(line, "src"), dst = argument(line, "dst");

	P_MTHD(p, 4, 0x30c, 8);
	P_DATAH(p, src);
	P_DATAL(p, src);
	P_DATAH(p, dst);
	P_DATAL(p, dst);
	P_DATA(p, 0x1000);
	P_DATA(p, 0x1000);
	P_DATA(p, 0x1000);
	P_DATA(p, (__u32)(argument(line, "bytes") >> 12));
	P_IMMD(p, 4, 0x300, 0x110);
}

static bool compare_sequence(const char *line, const __u32 *have, size_t count)
{
	const char *s = strstr(line, "\"words\":[");
	size_t i = 0;

	if (!s)
		return false;
	for (s += 9; *s == '"' || *s == ','; s += 11) {
		if (*s == ',')
			s++;
		if (i == count || nvfifo_text_value(s + 1, 16) != have[i])
			return false;
		i++;
		if (s[10] != ',')
			break;
	}
	return i == count;
}

static void test_sequences(void)
{
	static const struct {
		const char *fn;
		void (*emit)(struct nvfifo_push *p, const char *line);
	} emitters[] = {
		{ "nv84_fence_emit32", fence_emit },
		{ "nv84_fence_sync32", fence_sync },
		{ "nv50_bo_move_m2mf", m2mf_copy },
		{ "nva3_bo_move_copy", pcopy },
	};
	size_t len, i, n = 0;
	char *text = tap_file("tests/data/push_sequences.jsonl", &len), *save, *line;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct nvfifo_push p;

		nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
		for (i = 0; i < 4 && !strstr(line, emitters[i].fn); i++)
			;
		if (i == 4) {
			tap(false, "line %zu of the recorded sequences has a known emitter", ++n);
			continue;
		}
		emitters[i].emit(&p, line);
		tap(!nvfifo_push_finish(&p) &&
			    compare_sequence(line, words, nvfifo_push_words(&p)),
		    "recorded sequence %zu, %s", ++n, emitters[i].fn);
	}
	tap(n == 16, "all 16 recorded sequences were there");
	free(text);
}

/* --- IB entries ---------------------------------------------------------- */

static void test_ib(void)
{
	size_t len, n = 0, wrong = 0;
	char *text = tap_file("tests/data/ib_entries.csv", &len), *save, *line;

	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save))) {
		unsigned long long va;
		unsigned int bytes, flag;
		__u32 want[2], have[2];
		struct nvfifo_ib_entry e, back;

		if (sscanf(line, "%llx,%x,%x,%x,%x", &va, &bytes, &flag, &want[0], &want[1]) != 5) {
			wrong++;
			continue;
		}
		n++;
		/* The flag of the recorded driver is bit 31, which we never set. */
		want[1] &= flag ? 0x7fffffff : 0xffffffff;
		e = (struct nvfifo_ib_entry){ .address = va, .words = bytes / 4 };
		nvfifo_ib_encode(&e, have);
		back = nvfifo_ib_decode(have);
		wrong += have[0] != want[0] || have[1] != want[1] || back.address != va ||
			 back.words != e.words || back.not_main;
	}
	tap(n == 115 && !wrong, "IB entries agree with %zu recorded ones", n);
	free(text);
}

/* --- Words and mistakes -------------------------------------------------- */

static struct nvfifo_push start(enum nvfifo_format format, size_t room)
{
	struct nvfifo_push p;

	memset(words, 0xaa, sizeof(words));
	nvfifo_push_init(&p, words, room, format);
	return p;
}

#define WORD(want, format, call)                                                \
	do {                                                                    \
		struct nvfifo_push p = start(NVFIFO_FORMAT_##format, ROOM);     \
		call;                                                           \
		tap(!p.error && words[0] == (want), #call " in " #format);      \
	} while (0)

#define MISTAKE(want, format, room, calls)                                          \
	do {                                                                        \
		struct nvfifo_push p = start(NVFIFO_FORMAT_##format, room);         \
		int ret_;                                                           \
		calls;                                                              \
		ret_ = nvfifo_push_finish(&p);                                      \
		tap(ret_ < 0 && p.error == NVFIFO_PUSH_##want &&                    \
			    nvfifo_push_words(&p) <= (room) &&                      \
			    words[nvfifo_push_words(&p)] == 0xaaaaaaaa &&           \
			    strcmp(nvfifo_push_error_text(p.error), "unknown error"), \
		    #calls " in " #format " is " #want);                            \
	} while (0)

static void test_words(void)
{
	WORD(0x00080050, NV04, P_MTHD(&p, 0, 0x50, 2));
	WORD(0x1ffcfffc, NV04, P_0INC(&p, 7, 0x1ffc, 0x7ff); words[0] &= 0xbfffffff);
	WORD(0x40046860, NV04, P_NINC(&p, 3, 0x860, 1));
	WORD(0x000375f0, NV04, P_LONG(&p, 3, 0x15f0, 300));
	WORD(0x00010ff0, NV04, P_SLI_COND(&p, 0xff));
	WORD(0x00000000, NV04, P_NOP(&p));
	WORD(0x00040050, NV04, P_IMMD(&p, 0, 0x50, 0xffffffff));
	WORD(0x3ffffffc, NV04_DMA, P_OLD_JUMP(&p, 0x1ffffffc));
	WORD(0xfffffffd, NV04_DMA, P_JUMP(&p, 0xfffffffc));
	WORD(0x00001002, NV04_DMA, P_CALL(&p, 0x1000));
	WORD(0x00020000, NV04_DMA, P_RETURN(&p));
	WORD(0x20026000, NVC0, P_MTHD(&p, 3, 0, 2));
	WORD(0x60012fff, NVC0, P_0INC(&p, 1, 0x3ffc, 1));
	WORD(0xa0032005, NVC0, P_1INC(&p, 1, 0x14, 3));
	WORD(0x9fffe014, NVC0, P_IMMD(&p, 7, 0x50, 0x1fff));
	WORD(0x00020120, NVC0, P_SLI_STORE_MASK(&p, 0x12));
	WORD(0x00030000, NVC0, P_SLI_USE_MASK(&p));
	WORD(0xe0000000, NVC0, P_END_SEGMENT(&p));
}

static void test_mistakes(void)
{
	struct nvfifo_push p;
	size_t good;

	MISTAKE(SUBC, NV04, ROOM - 1, P_MTHD(&p, 8, 0x50, 1));
	MISTAKE(METHOD, NV04, ROOM - 1, P_MTHD(&p, 0, 0x52, 1));
	MISTAKE(METHOD, NV04, ROOM - 1, P_MTHD(&p, 0, 0x2000, 1));
	MISTAKE(METHOD, NVC0, ROOM - 1, P_MTHD(&p, 0, 0x4000, 1));
	MISTAKE(COUNT, NV04, ROOM - 1, P_MTHD(&p, 0, 0x50, 0));
	MISTAKE(COUNT, NV04, ROOM - 1, P_MTHD(&p, 0, 0x0, 0x800));
	MISTAKE(COUNT, NV04, ROOM - 1, P_MTHD(&p, 0, 0x1ffc, 2));
	MISTAKE(COUNT, NV04, ROOM - 1, P_0INC(&p, 0, 0x100, 0x800));
	MISTAKE(COUNT, NV04, ROOM - 1, P_LONG(&p, 0, 0x100, 0x1000000));
	MISTAKE(COUNT, NV04, ROOM - 1, P_MTHD(&p, 0, 0x50, 0xffffffff));
	MISTAKE(COUNT, NVC0, ROOM - 1, P_1INC(&p, 0, 0x3ffc, 2));
	MISTAKE(FORMAT, NV04, ROOM - 1, P_1INC(&p, 0, 0x100, 2));
	MISTAKE(FORMAT, NV04, ROOM - 1, P_JUMP(&p, 0x1000));
	MISTAKE(FORMAT, NV04_DMA, ROOM - 1, P_LONG(&p, 0, 0x100, 2));
	MISTAKE(FORMAT, NVC0, ROOM - 1, P_LONG(&p, 0, 0x100, 2));
	MISTAKE(FORMAT, NV04, ROOM - 1, P_END_SEGMENT(&p));
	MISTAKE(NO_SPACE, NVC0, 1, P_IMMD(&p, 0, 0x50, 0x2000));
	MISTAKE(VALUE, NV04, ROOM - 1, P_SLI_COND(&p, 0x1000));
	MISTAKE(ADDRESS, NV04_DMA, ROOM - 1, P_JUMP(&p, 0x1002));
	MISTAKE(ADDRESS, NV04_DMA, ROOM - 1, P_JUMP(&p, 0x100000000ull));
	MISTAKE(ADDRESS, NV04_DMA, ROOM - 1, P_OLD_JUMP(&p, 0x20000000));
	MISTAKE(DATA_MISSING, NV04, ROOM - 1, P_MTHD(&p, 0, 0x50, 2); P_DATA(&p, 1));
	MISTAKE(DATA_MISSING, NV04, ROOM - 1, P_MTHD(&p, 0, 0x50, 1); P_NOP(&p));
	MISTAKE(DATA_EXTRA, NV04, ROOM - 1, P_DATA(&p, 1));
	MISTAKE(DATA_EXTRA, NV04, ROOM - 1, P_MTHD(&p, 0, 0x50, 1); P_DATAp(&p, words, 2));
	MISTAKE(NO_SPACE, NV04, 2, P_MTHD(&p, 0, 0x50, 2));
	MISTAKE(NO_SPACE, NV04, 2, P_LONG(&p, 0, 0x50, 1));
	MISTAKE(NO_SPACE, NV04, 0, P_NOP(&p));
	MISTAKE(NO_SPACE, NVC0, 0, P_IMMD(&p, 0, 0x50, 1));

	p = start(NVFIFO_FORMAT_NV04, ROOM);
	P_IMMD(&p, 0, 0x50, 1);
	P_MTHD(&p, 9, 0x50, 1);
	good = nvfifo_push_words(&p);
	P_DATA(&p, 1);
	P_MTHD(&p, 0, 0x3, 1);
	P_IMMD(&p, 0, 0x50, 1);
	tap(p.error == NVFIFO_PUSH_SUBC && p.error_word == 2 && good == 2 &&
		    nvfifo_push_words(&p) == 2,
	    "the first mistake is kept, with its place, and nothing follows it");

	p = start(NVFIFO_FORMAT_NV04, ROOM);
	P_MTHD(&p, 0, 0x50, 2);
	P_NOP(&p);
	P_DATA(&p, 1);
	tap(p.error == NVFIFO_PUSH_DATA_MISSING && nvfifo_push_words(&p) == 1,
	    "nor do data words of a command that was left open");
}

/* Data that a header of the NVC0 format has no room for take a word of their own. */
static void test_immediate(void)
{
	struct nvfifo_push p = start(NVFIFO_FORMAT_NVC0, ROOM);

	P_IMMD(&p, 1, 0x50, 0x1fff);
	P_IMMD(&p, 1, 0x50, 0x2000);
	tap(!nvfifo_push_finish(&p) && nvfifo_push_words(&p) == 3 &&
		    words[0] == 0x9fff2014 && words[1] == 0x20012014 &&
		    words[2] == 0x2000,
	    "P_IMMD with 13 bits of data, and with more");
}

/* The decoder reads the builder's words. */
static void test_decode(void)
{
	enum nvfifo_format format;
	uint64_t seed = 1;
	unsigned int wrong = 0, n;

	for (format = NVFIFO_FORMAT_NV04; format <= NVFIFO_FORMAT_NVC0; format++) {
		for (n = 0; n < 5000; n++) {
			struct nvfifo_push p = start(format, ROOM);
			__u32 subc = tap_random(&seed) & 7, i;
			__u32 mthd = tap_random(&seed) & 0xffc, count = tap_random(&seed) % 20 + 1;
			bool zero_inc = tap_random(&seed) & 1;
			struct nvfifo_decoder d;
			struct nvfifo_word w;

			if (zero_inc)
				P_0INC(&p, subc, mthd, count);
			else
				P_MTHD(&p, subc, mthd, count);
			for (i = 0; i < count; i++)
				P_DATA(&p, i);
			nvfifo_decoder_init(&d, format, 0);
			nvfifo_decode(&d, words[0], &w);
			wrong += nvfifo_push_finish(&p) || w.kind != NVFIFO_WORD_HEADER ||
				 w.cmd.count != count || w.cmd.subc != subc || w.cmd.method != mthd;
			for (i = 0; i < count; i++) {
				nvfifo_decode(&d, words[i + 1], &w);
				wrong += w.kind != NVFIFO_WORD_DATA || w.word != i ||
					 w.method != mthd + (zero_inc ? 0 : i * 4);
			}
			wrong += d.left != 0;
		}
	}
	tap(!wrong, "the decoder reads 15000 commands as the builder meant them");
}

int main(void)
{
	test_sequences();
	test_ib();
	test_words();
	test_mistakes();
	test_immediate();
	test_decode();
	return tap_end();
}
