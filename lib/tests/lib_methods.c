// SPDX-License-Identifier: MIT
/* Names and data of methods: signs, numbers, names of values, array indices. */
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_method_table.h"
#include "tap.h"

#define G80_2D	0x502d
#define G80_M2MF 0x5039
#define G84_3D	0x8297
#define GT215_3D 0x8597
#define G80_COMPUTE 0x50c0

/* --- Signs --------------------------------------------------------------- */

static const struct {
	__u32 oclass, method, data;
	const char *text;
} values[] = {
	/* Counts, sizes and numbers of things have no sign, whatever rnndb's type is called. */
	{ G84_3D, 0x1288, 0x007f8000, "{ SIZE = 32768 | BUFFER = 127 }" },
	{ G84_3D, 0x1288, 0x007b1000, "{ SIZE = 4096 | BUFFER = 123 }" },
	{ G84_3D, 0x1910, 0x00000101, "{ PTSZ_EN | PTSZ_ID = 16 }" },
	{ G84_3D, 0x16bc, 0x00000080, "{ 0 = 128 | 1 = 0 | 2 = 0 | 3 = 0 }" },
	{ G84_3D, 0x17fc, 0xff000000, "{ 0 = 0 | 1 = 0 | 2 = 0 | 3 = 255 }" },
	{ GT215_3D, 0x1b3c, 0x00008000, "{ 0 = 0 | 1 = 128 | 2 = 0 | 3 = 0 }" },
	{ G84_3D, 0x0fd4, 0x000000ff, "{ VIEWPORT_ID = 255 }" },
	{ G84_3D, 0x1648, 0xffffffff, "4294967295" },
	{ G84_3D, 0x15e8, 0xffffffff, "4294967295" },
	{ G84_3D, 0x0900, 0x20000fff, "{ STRIDE = 4095 | ENABLE }" },
	{ G80_M2MF, 0x0218, 0xffff8000, "{ X = 32768 | Y = 65535 }" },
	{ G80_2D, 0x0214, 0x80000000, "2147483648" },
	{ G80_COMPUTE, 0x03a4, 0x0001ffff, "{ X = 65535 | Y = 1 }" },
	/* These have one. */
	{ G84_3D, 0x0680, 0xffff0001, "{ X = 1 | Y = -1 }" },
	{ G84_3D, 0x0840, 0x800000ff, "{ X = -1 | Y = 0 | Z = 0 | W = -128 }" },
	{ G84_3D, 0x0df8, 0xfffffff0, "-16" },
	{ G84_3D, 0x1434, 0xffffffff, "-1" },
	{ G80_2D, 0x08b0, 0xfffffffe, "-2" },
	{ G80_2D, 0x0600, 0x80000000, "-2147483648" },
	{ G80_M2MF, 0x0314, 0xfffffc00, "-1024" },
	/* Floats are exact. */
	{ G84_3D, 0x0d80, 0x00000000, "0.0" },
	{ G84_3D, 0x0d80, 0x3f800000, "1.0" },
	{ G84_3D, 0x0d80, 0x33d6bf95, "1e-07" },
	{ G84_3D, 0x0d80, 0x80000001, "-1.4013e-45" },
	{ G84_3D, 0x0d80, 0x7fc00000, "0x7fc00000" },
};

static void test_values(void)
{
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char text[320];

		nvfifo_method_value(values[i].oclass, values[i].method, values[i].data, text,
				    sizeof(text));
		if (!tap(!strcmp(text, values[i].text), "%04x.%04x %08x is %s", values[i].oclass,
			 values[i].method, values[i].data, values[i].text))
			printf("# it is %s\n", text);
	}
}

/* Every row that has a sign. A row that is missing here must be argued about. */
static const char *const signed_rows[] = {
	"CLIP_X", "CLIP_Y", "DRAW_POINT32_X[]", "DRAW_POINT32_Y[]", "SIFC_DX_DU_INT",
	"SIFC_DY_DV_INT", "SIFC_DST_X_INT", "SIFC_DST_Y_INT", "BLIT_DST_X", "BLIT_DST_Y",
	"BLIT_DU_DX_INT", "BLIT_DV_DY_INT", "BLIT_SRC_X_INT", "BLIT_SRC_Y_INT", "PITCH_IN",
	"PITCH_OUT", "SRC_PITCH", "DST_PITCH", "VTX_ATTR_2I[]", "VTX_ATTR_2NI[]",
	"VTX_ATTR_4I_0[]", "VTX_ATTR_4I_1[]", "VTX_ATTR_4NI_0[]", "VTX_ATTR_4NI_1[]",
	"VTX_ATTR_4B[]", "VTX_ATTR_4NB[]", "WINDOW_OFFSET_X", "WINDOW_OFFSET_Y",
	"VB_ELEMENT_BASE",
};

static bool may_be_signed(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(signed_rows) / sizeof(signed_rows[0]); i++) {
		if (!strcmp(signed_rows[i], name))
			return true;
	}
	return false;
}

static bool has_sign(const char *value)
{
	const char *s = value;

	while (s && (s = strstr(s, "int"))) {
		if (s == value || s[-1] != 'u')
			return true;
		s += 3;
	}
	return false;
}

static void test_signs(void)
{
	static const struct nvfifo_method_row *const tables[] = {
		nvfifo_methods_2d, nvfifo_methods_m2mf,	  nvfifo_methods_3d,
		nvfifo_methods_compute, nvfifo_methods_cipher, nvfifo_methods_copy,
	};
	const struct nvfifo_method_row *r;
	size_t i, count = 0, unexpected = 0;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (r = tables[i]; r->name; r++) {
			if (!has_sign(r->value))
				continue;
			count++;
			if (!may_be_signed(r->name)) {
				printf("# %s has a sign\n", r->name);
				unexpected++;
			}
		}
	}
	tap(!unexpected && count >= sizeof(signed_rows) / sizeof(signed_rows[0]),
	    "%zu rows have a sign, and each of them is listed", count);
}

int main(void)
{
	test_values();
	test_signs();
	return tap_end();
}
