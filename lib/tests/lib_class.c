// SPDX-License-Identifier: MIT
/* The generated names of classes and methods, in a program that builds a pushbuffer. */
#include "nvfifo.h"
#include "nvfifo_class.h"
#include "tap.h"

#define ROOM 64

static bool same(const struct nvfifo_push *p, const __u32 *words, const __u32 *want, size_t count)
{
	return nvfifo_push_words(p) == count && !memcmp(words, want, count * sizeof(*want));
}

static void test_names(void)
{
	static const __u32 want[] = {
		1u << 18 | 0x50, 0x1234,
		1u << 18 | 4 << 13, 0xbeef502d,
		2u << 18 | 4 << 13 | 0x200, 0xcf, 1,
		1u << 18 | 4 << 13 | 0x2ac, 3,
		1u << 18 | 3 << 13 | 0x1288, 0x007f1000,
		2u << 18 | 3 << 13 | 0x268, 0xcf, 0x40,
		1u << 18 | 5 << 13 | 0x324, 0x101,
		1u << 18 | 3 << 13 | 0x1248, 0x80000040,
	};
	__u32 words[ROOM];
	struct nvfifo_push p;

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_MTHD(&p, NV506F, REF_CNT);
	P_DATA(&p, 0x1234);
	P_MTHD(&p, NV502D, SET_OBJECT);
	P_DATA(&p, 0xbeef502d);
	P_MTHD(&p, NV502D, SET_DST_FORMAT);
	P_DATA(&p, NV502D_DST_FORMAT_BGRA8_UNORM);
	P_DATA(&p, NV502D_DST_LINEAR_TRUE);
	P_MTHD(&p, NV502D, OPERATION);
	P_DATA(&p, NV502D_OPERATION_SRCCOPY);
	P_MTHD(&p, NV8297, CB_DEF_SET);
	P_DATA(&p, NV8297_CB_DEF_SET_SIZE(4096) | NV8297_CB_DEF_SET_BUFFER(127));
	P_MTHD(&p, NV8297, RT_FORMAT(3));
	P_DATA(&p, NV8297_RT_FORMAT_BGRA8_UNORM);
	P_DATA(&p, NV8297_RT_BLOCK_DIMENSIONS_HEIGHT(4));
	/* With a count, as before. */
	P_MTHD(&p, SUBC_NV5039, NV5039_FORMAT, 1);
	P_DATA(&p, NV5039_FORMAT_INPUT_INC_1 | NV5039_FORMAT_OUTPUT_INC_1);
	P_MTHD(&p, NV8297, RT_HORIZ(1));
	P_DATA(&p, NV8297_RT_HORIZ_WIDTH(64) | NV8297_RT_HORIZ_LAYOUT_PITCH);
	tap(!nvfifo_push_finish(&p) && same(&p, words, want, sizeof(want) / sizeof(want[0])),
	    "methods, values and fields by name make the right words");
}

/* The forms of Mesa's nv_push.h, with class and method */
static void test_forms(void)
{
	static const __u32 nv04[] = {
		1u << 18 | 4 << 13 | 0x110, 0,
		0x40000000 | 3u << 18 | 4 << 13 | 0x860, 1, 2, 3,
		2u << 18 | 4 << 13 | 0x200, 0xcf, 1,
	};
	static const __u32 nvc0[] = {
		0x80000000 | 4 << 13 | 0x110 >> 2,
		0xa0000000 | 3u << 16 | 4 << 13 | 0x85c >> 2, 7, 8, 9,
	};
	__u32 words[ROOM];
	struct nvfifo_push p;

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_IMMD(&p, NV502D, SERIALIZE, 0);
	P_0INC(&p, NV502D, SIFC_DATA);
	P_DATA(&p, 1);
	P_NV502D_SET_SIFC_DATA(&p, 2);
	P_DATA(&p, 3);
	P_MTHD(&p, NV502D, SET_DST_FORMAT);
	P_NV502D_SET_DST_FORMAT(&p, NV502D_DST_FORMAT_BGRA8_UNORM);
	P_NV502D_SET_DST_LINEAR(&p, NV502D_DST_LINEAR_TRUE);
	tap(!nvfifo_push_finish(&p) && same(&p, words, nv04, sizeof(nv04) / sizeof(nv04[0])),
	    "P_IMMD, P_0INC and typed data by class and method");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NVC0);
	P_IMMD(&p, NV502D, SERIALIZE, 0);
	P_1INC(&p, NV502D, SIFC_DST_Y_INT);
	P_DATA(&p, 7);
	P_NV502D_SET_SIFC_DATA(&p, 8);
	P_NV502D_SET_SIFC_DATA(&p, 9);
	tap(!nvfifo_push_finish(&p) && same(&p, words, nvc0, sizeof(nvc0) / sizeof(nvc0[0])),
	    "P_IMMD and P_1INC in the NVC0 format");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_1INC(&p, NV502D, SIFC_DST_Y_INT);
	tap(p.error == NVFIFO_PUSH_FORMAT, "NV04 has no header that increases once");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_MTHD(&p, NV502D, DST_FORMAT);
	P_NV502D_SET_DST_LINEAR(&p, 1);
	tap(p.error == NVFIFO_PUSH_METHOD, "typed data of another method is a mistake");
}

/* Each name has the class that the library's lookup returns. */
static void test_look_up(void)
{
	tap(nvfifo_method_by_name("2D.BLIT_SRC_Y_INT", 17) == NV502D_BLIT_SRC_Y_INT &&
		    nvfifo_method_by_name("3D.VTX_ATTR_2F_X[5]", 19) == NV8697_VTX_ATTR_2F_X(5) &&
		    nvfifo_method_by_name("COMPUTE.GRIDDIM", 15) == NV50C0_GRIDDIM &&
		    NV85C0_SET_GRIDDIM == NV50C0_GRIDDIM && NV502D == 0x502d,
	    "names in C are names of the assembler");
}

static void test_growth(void)
{
	static const __u32 many[3] = { 1, 2, 3 };
	__u32 words[ROOM];
	struct nvfifo_push p;
	unsigned int i;

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NVC0);
	P_MTHD(&p, NV502D, DST_FORMAT);
	P_DATAp(&p, many, 3);
	tap(!nvfifo_push_finish(&p) && nvfifo_push_words(&p) == 4 &&
		    words[0] == (0x20000000 | 3 << 16 | 4 << 13 | 0x200 >> 2),
	    "the header of the NVC0 format grows");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_MTHD(&p, NV502D, DST_FORMAT);
	P_MTHD(&p, NV502D, DST_PITCH);
	tap(p.error == NVFIFO_PUSH_DATA_MISSING, "a header without data is a mistake");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_MTHD(&p, NV502D, DST_FORMAT);
	tap(nvfifo_push_finish(&p) == -EINVAL && p.error == NVFIFO_PUSH_DATA_MISSING,
	    "so is one at the end");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	P_MTHD(&p, NV502D, DST_FORMAT);
	for (i = 0; i < ROOM; i++)
		P_DATA(&p, i);
	tap(nvfifo_push_finish(&p) == -ENOSPC && nvfifo_push_words(&p) == ROOM,
	    "a header does not grow beyond the buffer");

	nvfifo_push_init(&p, words, ROOM, NVFIFO_FORMAT_NV04);
	nvfifo_push_open(&p, 0, 0x1ffc);
	P_DATA(&p, 1);
	P_DATA(&p, 2);
	tap(p.error == NVFIFO_PUSH_COUNT, "or past the last method");
}

int main(void)
{
	test_names();
	test_forms();
	test_look_up();
	test_growth();
	return tap_end();
}
