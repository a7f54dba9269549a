// SPDX-License-Identifier: MIT
/* Names and data of methods: signs, numbers, names of values, array indices. */
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_code_names.h"
#include "nvfifo_methods.h"
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
	{ G84_3D, 0x0600, 0xb4003e00, "{ X = 1.5 | Y = -0.25 }" },
	{ G84_3D, 0x0604, 0x7c008001, "{ Z = -6e-08 | W = 0x7c00 }" },
	/* A stride of more than 32 bits */
	{ G84_3D, 0x0210, 0x42f68000, "0x10bda0000" },
	{ 0x8274, 0x0310, 0x00000101, "{ DATA_FORMAT = S8 | UNK8 }" },
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
	"PITCH_OUT", "VTX_ATTR_2I[]", "VTX_ATTR_2NI[]",
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
		nvfifo_methods_mpeg, nvfifo_methods_me, nvfifo_methods_vp1,
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

/* --- Values from text ---------------------------------------------------- */

static bool assemble(const char *text, struct nvfifo_words *w, struct nvfifo_diag *diag)
{
	memset(w, 0, sizeof(*w));
	return !nvfifo_assemble(text, strlen(text), NVFIFO_FORMAT_NV04, NULL, NULL, w, diag);
}

static const struct {
	const char *text;
	size_t count;		/* of data words */
	__u32 data[2];
} assembled[] = {
	{ "mthd 4 2D.OPERATION : SRCCOPY", 1, { 3 } },
	{ "mthd 4 2d.operation : srccopy", 1, { 3 } },
	{ "mthd 4 2D.DST_FORMAT : B5G6R5_UNORM, TRUE", 2, { 0xe8, 1 } },
	{ "mthd 3 3D.CB_DEF_SET : { SIZE = 4096 | BUFFER = 127 }", 1, { 0x007f1000 } },
	{ "mthd 3 3D.CB_DEF_SET : SIZE = 0x8000", 1, { 0x8000 } },
	{ "mthd 3 3D.SEMANTIC_PTSZ : PTSZ_EN | PTSZ_ID = 16", 1, { 0x101 } },
	{ "mthd 3 3D.VP_RESULT_MAP[0] : { 0 = 128 | 1 = 1 }", 1, { 0x180 } },
	{ "mthd 3 3D.VP_RESULT_MAP[0] : 1", 1, { 1 } },
	{ "mthd 3 3D.VTX_ATTR_2I[1] : X = -1 | Y = 2", 1, { 0x0002ffff } },
	{ "mthd 3 3D.VTX_ATTR_2F_X[0] : 1.0, -1.5e-07", 2, { 0x3f800000, 0xb4210fb0 } },
	{ "mthd 3 0x380 : -0.5, 2e3", 2, { 0xbf000000, 0x44fa0000 } },
	{ "mthd 4 2D.DST_ADDRESS_HIGH : addr(0x1234567890)", 2, { 0x12, 0x34567890 } },
	{ "mthd 5 M2MF.LINEAR_IN : PITCH", 1, { 1 } },
	{ "mthd 3 COPY.EXEC : SRC_LINEAR | DST_LINEAR", 1, { 0x110 } },
	{ "mthd 5 M2MF.TILING_POSITION_OUT : X = 3 | Y = 65535", 1, { 0xffff0003 } },
	{ "mthd 3 3D.RT[07].TILE_MODE : HEIGHT = 4", 1, { 0x40 } },
	{ "mthd 0 REF_CNT : 1 + 2 | 4", 1, { 7 } },
	{ "mthd 3 3D.VTX_ATTR_1F[010] : 3.4028235e38, 1.4013e-45", 2, { 0x7f7fffff, 1 } },
	{ "mthd 3 3D.VTX_ATTR_2I[0] : X = -32768 | Y = 32767", 1, { 0x7fff8000 } },
	{ "mthd 0 SEMAPHORE_ADDRESS_HIGH : addr(0x1234567890)", 2, { 0x12, 0x34567890 } },
};

static void test_assembled(void)
{
	struct nvfifo_diag diag;
	struct nvfifo_words w;
	size_t i;

	for (i = 0; i < sizeof(assembled) / sizeof(assembled[0]); i++) {
		bool ok = assemble(assembled[i].text, &w, &diag);

		ok = ok && w.count == 1 + assembled[i].count &&
		     !memcmp(w.data + 1, assembled[i].data, assembled[i].count * sizeof(__u32));
		if (!tap(ok, "%s", assembled[i].text))
			printf("# %u:%u: %s; %zu words, the second is %08x\n", diag.line, diag.column,
			       diag.text, w.count, w.count > 1 ? w.data[1] : 0);
		nvfifo_words_free(&w);
	}
}

static const struct {
	const char *text, *part;
} refused[] = {
	{ "mthd 3 3D.RT[65538].FORMAT : 1", "no such element" },
	{ "mthd 3 3D.RT[0x100000002].FORMAT : 1", "no such element" },
	{ "mthd 3 3D.RT[0x100000000].FORMAT : 1", "no such element" },
	{ "mthd 3 3D.RT[0x10000000000000002].FORMAT : 1", "no such element" },
	{ "mthd 3 3D.RT[8].FORMAT : 1", "no such element" },
	{ "mthd 3 3D.RT[-1].FORMAT : 1", "needs the number of an element" },
	{ "mthd 0 REFCNT : 1", "did you mean REF_CNT?" },
	{ "mthd 0 REF_CNTT : 1", "did you mean REF_CNT?" },
	{ "mthd 0 SEMAPHORE_RELASE : 1", "did you mean SEMAPHORE_RELEASE" },
	{ "mthd 5 M2MF.LINECOUNT : 1", "did you mean M2MF.LINE_COUNT?" },
	{ "mthd 5 LINE_COUNT : 1", "did you mean M2MF.LINE_COUNT?" },
	{ "mthd 4 2D.DRAW_POINT32[0].X : 1", "did you mean 2D.DRAW_POINT32_X[]" },
	{ "mthd 4 2D.OPERATION : SRCCPY", "did you mean SRCCOPY?" },
	{ "mthd 3 3D.CB_DEF_SET : SZE = 1", "did you mean SIZE?" },
	{ "mthd 3 3D.CB_DEF_SET : SIZE = 65536", "must fit into 16 bits" },
	{ "mthd 3 3D.CB_DEF_SET : SIZE = -1", "must fit into 16 bits and has no sign" },
	{ "mthd 3 3D.VTX_ATTR_2I[0] : Y = 32768", "must be -32768 to 32767" },
	{ "mthd 3 3D.VTX_ATTR_4B[0] : W = -129", "must be -128 to 127" },
	{ "mthd 3 3D.VTX_ATTR_4H_0[0] : X = 65520.0", "does not fit into a 16-bit float" },
	{ "mthd 3 3D.CLEAR_BUFFERS : RT = 1 | RT = 2", "'RT' contradicts what stands before it" },
	{ "mthd 3 3D.CLEAR_BUFFERS : Z | Z = 0", "'Z' contradicts" },
	{ "mthd 3 3D.CLEAR_BUFFERS : Z | 0x100000000", "does not fit into a 32-bit word" },
	{ "mthd 3 3D.BLEND_COLOR[0] : 1e40", "1e40 does not fit into a 32-bit float" },
	{ "mthd 3 3D.BLEND_COLOR[0] : -1e-50", "1e-50 does not fit into a 32-bit float" },
	{ "mthd 4 2D.OPERATION : addr(0x10)", "not the two halves of an address" },
	{ "mthd 4 2D.DST_ADDRESS_LOW : addr(0x10)", "not the two halves of an address" },
	{ "mthd 5 M2MF.OFFSET_IN_HIGH : addr(0x10)", "not the two halves of an address" },
	{ "0inc 4 2D.DST_ADDRESS_HIGH : addr(0x10)", "not the two halves of an address" },
	{ "mthd 0 REF_CNT : 0 - 0x80000001", "-0x80000001 does not fit" },
	{ "mthd 3 -4 : 1", "the subchannel must be 0 to 0x7, this is -0x1" },
	{ "mthd 3 3D.RT[].FORMAT : 1", "needs the number of an element" },
	{ "mthd 3 3D.CB_DEF_SET : SIZE", "needs a value" },
	{ "mthd 3 3D.CB_DEF_SET : { SIZE = 1 ", "'|' or '}'" },
	{ "mthd 4 2D.DST_ADDRESS_HIGH : addr(0x10000000000)", "at most 40 bits" },
	{ "mthd 0 REF_CNT : cafe0001", "0xcafe0001" },
	{ "mthd 0 REF_CNT : SRCCOPY", "'SRCCOPY' is not a number" },
	{ "mthd 0 REF_CNT : ffff", "'ffff' is not a number; the hexadecimal number is 0xffff" },
	{ "mthd 3 3D.RT[0].FORMAT : A8R8G8B8", "no value 'A8R8G8B8'; 'nvfifo methods' lists" },
};

static void test_refused(void)
{
	struct nvfifo_diag diag;
	struct nvfifo_words w;
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		bool ok = !assemble(refused[i].text, &w, &diag) && strstr(diag.text, refused[i].part);

		if (!tap(ok, "%s is refused: %s", refused[i].text, refused[i].part))
			printf("# %s\n", diag.text);
		nvfifo_words_free(&w);
	}
}

/* "<2" prints a multiple; "{ 0 }" is no field, and a field with the name 0. */
static bool is_ambiguous(const char *description, const char *text)
{
	return *description == '<' || !strcmp(text, "{ 0 }");
}

/* The assembler turns the decoder's text back into the word. */
static void test_round_trip(void)
{
	static const __u32 classes[] = { G80_2D, G80_M2MF, 0x5097, G84_3D, GT215_3D, 0x8697,
					 G80_COMPUTE, 0x85c0, 0x74c1, 0x85b5, 0x3174, 0x8274,
					 0x4075, 0x4176 };
	static const __u32 data[] = { 0, 1, 0xffffffff, 0x80000000, 0x00030201, 0x3f800000,
				      0x12345678, 0xcf };
	unsigned int bad = 0, count = 0, generation;
	char text[400], value[320];
	size_t i, j;
	__u32 mthd;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		for (mthd = 0x100; mthd < 0x2000; mthd += 4) {
			const char *s = nvfifo_method_description(classes[i], mthd, &generation);

			for (j = 0; s && j < sizeof(data) / sizeof(data[0]); j++) {
				struct nvfifo_diag diag = { 0 };
				struct nvfifo_lex lex;
				__u32 word = 0;

				nvfifo_method_value(classes[i], mthd, data[j], value, sizeof(value));
				if (is_ambiguous(s, value))
					continue;
				snprintf(text, sizeof(text), "%s\n", value);
				nvfifo_lex_init(&lex, text, strlen(text), NULL, NULL, &diag);
				count++;
				if (nvfifo_value_parse(&lex, classes[i], mthd, &word) ||
				    word != data[j] || !nvfifo_lex_at_line_end(&lex)) {
					if (!bad++)
						printf("# %04x.%04x %08x: %s gave %08x %s\n", classes[i],
						       mthd, data[j], value, word, diag.text);
				}
			}
		}
	}
	tap(!bad && count > 5000, "%u values give their words again, %u do not", count - bad, bad);
}

/* Names that headers of Mesa and of the X driver have, or had */
static void test_header_names(void)
{
	static const struct {
		const char *name;
		int method;
	} names[] = {
		{ "3D.RT_ADDRESS_HIGH[3]", 0x260 },
		{ "3D.RT_TILE_MODE[1]", 0x22c },
		{ "3D.rt_layer_stride[0x7]", 0x2f0 },
		{ "3D.VERTEX_ARRAY_START_HIGH[2]", 0x924 },
		{ "3D.PM_SET[1]", 0x12f4 },
		{ "3D.UNK0D7C", 0xd7c },
		{ "2D.UNK0888", 0x888 },
		{ "2D.PATTERN_COLOR[1]", 0x2f4 },
		{ "3D.EDGEFLAG_ENABLE", 0x15e4 },
		{ "3D.UNK1FFD", -1 },
		{ "3D.UNK0", -1 },
		{ "3D.RT_ADDRESS_HIGH[8]", -1 },
		{ "3D.RT_ADDRESS_HIGH", -1 },
		{ "5D.RT_ADDRESS_HIGH[0]", -1 },
	};
	size_t i, bad = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int method = nvfifo_method_by_name(names[i].name, strlen(names[i].name));

		if (method != names[i].method) {
			printf("# %s is %d\n", names[i].name, method);
			bad++;
		}
	}
	tap(!bad, "%zu names of headers", sizeof(names) / sizeof(names[0]));
}

/* Floats of 16 bits: all of them to text and back, and values between two of them. */
static void test_halves(void)
{
	static const struct {
		float f;
		__u32 half;
	} rounded[] = {
		{ 1.0f + 1.0f / 2048, 0x3c00 },		/* halfway, to the even one */
		{ 1.0f + 3.0f / 2048, 0x3c02 },
		{ 1.0f + 1.0f / 2000, 0x3c01 },
		{ 65519.0f, 0x7bff },
		{ 1.0f / (1 << 25), 0 },		/* half of the smallest */
		{ 1.5f / (1 << 25), 1 },
		{ -2.0f, 0xc000 },
	};
	unsigned int bad = 0;
	char text[64], line[80];
	__u32 v, word;
	size_t i;

	for (v = 0; v < 0x10000; v++) {
		struct nvfifo_diag diag = { 0 };
		struct nvfifo_lex lex;

		nvfifo_method_value(0x5097, 0x600, v, text, sizeof(text));
		snprintf(line, sizeof(line), "%s\n", text);
		nvfifo_lex_init(&lex, line, strlen(line), NULL, NULL, &diag);
		word = ~v;
		if (nvfifo_value_parse(&lex, 0x5097, 0x600, &word) || word != v) {
			if (!bad++)
				printf("# %04x: %s gave %08x %s\n", v, text, word, diag.text);
		}
	}
	tap(!bad, "every float of 16 bits is read back from its text");

	for (i = 0; i < sizeof(rounded) / sizeof(rounded[0]); i++) {
		if (!nvfifo_float_to_half(rounded[i].f, &word) || word != rounded[i].half) {
			printf("# %g gave %04x\n", (double)rounded[i].f, word);
			bad++;
		}
	}
	tap(!bad && !nvfifo_float_to_half(65520.0f, &word), "numbers between two are rounded");
}

/* --- JSON ---------------------------------------------------------------- */

static bool needs_no_escape(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\') {
			printf("# %s\n", text);
			return false;
		}
	}

	return true;
}

/* The writer of JSON copies the texts that the library makes of these. */
static void test_plain(void)
{
	const struct nvfifo_method_type *t;
	unsigned int i, method;
	const char *own;
	__u32 oclass;
	size_t f;
	bool ok = true;

	for (t = nvfifo_method_types; t->name; t++)
		ok = ok && needs_no_escape(t->value);
	for (i = 0; (own = nvfifo_pfifo_method_at(i, &method)); i++)
		ok = ok && needs_no_escape(own);
	for (oclass = nvfifo_class_next(0); oclass; oclass = nvfifo_class_next(oclass))
		ok = ok && (!nvfifo_class_name(oclass) || needs_no_escape(nvfifo_class_name(oclass)));

	for (f = 0; f < nvfifo_method_family_count; f++) {
		const struct nvfifo_method_row *r = nvfifo_method_families[f].rows;

		ok = ok && needs_no_escape(nvfifo_method_families[f].name);
		for (; r->name; r++) {
			ok = ok && needs_no_escape(r->name);
			ok = ok && (!r->value || needs_no_escape(r->value));
		}
	}

	tap(ok, "JSON takes names and descriptions as they are");
}

/* The text of fields has their names, however long it is. */
static void test_fields(void)
{
	unsigned int g, generation, form;
	char text[NVFIFO_WORD_TEXT_MAX];
	__u32 method, wrong = 0;
	size_t f;

	for (f = 0; f < nvfifo_method_family_count; f++) {
		for (g = 0; g < nvfifo_method_families[f].generations; g++) {
			const __u32 oclass = nvfifo_method_families[f].classes[g];

			for (method = 0x100; method < 0x2000; method += 4) {
				const char *s = nvfifo_method_description(oclass, method, &generation);

				if (!s || *s != '{' || !nvfifo_method_get(oclass, method, &form))
					continue;
				nvfifo_method_value(oclass, method, 0xffffffff, text, sizeof(text));
				wrong += *text != '{';
			}
		}
	}

	tap(!wrong, "each method with fields has them in its text");
}

int main(void)
{
	test_plain();
	test_fields();
	test_halves();
	test_header_names();
	test_values();
	test_signs();
	test_assembled();
	test_refused();
	test_round_trip();
	return tap_end();
}
