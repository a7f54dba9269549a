// SPDX-License-Identifier: MIT
/*
 * 2D, class 0x502d: solid rectangles, blits, and images from the push buffer.
 *
 * Surfaces are pitch or block-linear, of different formats, with clipping and raster operations.
 * Blits take the nearest pixel. Documentation/not-modelled.rst lists the rest.
 */
#include <math.h>

#include "core.h"
#include "gr.h"
#include "number.h"

/* Methods. The state block is indexed by their numbers. */
#define DMA_DST		0x184
#define DMA_SRC		0x188
#define DMA_COND	0x18c
#define DST_FORMAT	0x200
#define SRC_FORMAT	0x230
#define LINEAR		0x04	/* from FORMAT on */
#define BLOCK		0x08
#define DEPTH		0x0c
#define LAYER		0x10
#define PITCH		0x14
#define WIDTH		0x18
#define HEIGHT		0x1c
#define HIGH		0x20
#define LOW		0x24
#define COND_HIGH	0x264
#define COND_LOW	0x268
#define COND_MODE	0x26c
#define CLIP_X		0x280
#define CLIP_Y		0x284
#define CLIP_W		0x288
#define CLIP_H		0x28c
#define CLIP_ENABLE	0x290
#define ROP		0x2a0
#define COLOR_KEY_ENABLE	0x29c
#define OPERATION	0x2ac
#define OPERATION_SRCCOPY_AND	0
#define OPERATION_ROP_AND	1
#define OPERATION_BLEND		2
#define OPERATION_SRCCOPY	3
#define OPERATION_ROP		4
#define PATTERN_COLOR_FORMAT	0x2e8
#define PATTERN_A8R8G8B8	2
#define PATTERN_BITMAP_COLOR(i)	(0x2f0 + 4 * (i))
#define PATTERN_BITMAP(i)	(0x2f8 + 4 * (i))
#define DRAW_SHAPE	0x580
#define DRAW_FORMAT	0x584
#define DRAW_COLOR	0x588
#define DRAW_POINT16	0x5e0
#define DRAW_POINT	0x600
#define DRAW_POINT_END	0x800
#define SIFC_BITMAP	0x800
#define SIFC_FORMAT	0x804
#define SIFC_INDEX	0x808
#define SIFC_LE		0x80c
#define SIFC_WRAP	0x810
#define SIFC_COLOR_0	0x814
#define SIFC_COLOR_1	0x818
#define SIFC_OPAQUE	0x81c
#define SIFC_WIDTH	0x838
#define SIFC_HEIGHT	0x83c
#define SIFC_DX_DU_FRACT	0x840
#define SIFC_DX_DU_INT	0x844
#define SIFC_DY_DV_FRACT	0x848
#define SIFC_DY_DV_INT	0x84c
#define SIFC_DST_X	0x854
#define SIFC_DST_Y	0x85c
#define SIFC_DATA	0x860
#define BLIT_CONTROL	0x88c
#define BLIT_BILINEAR	(1u << 4)
#define BLIT_DST_X	0x8b0
#define BLIT_DST_Y	0x8b4
#define BLIT_DST_W	0x8b8
#define BLIT_DST_H	0x8bc
#define BLIT_DU_FRACT	0x8c0
#define BLIT_DU_INT	0x8c4
#define BLIT_DV_FRACT	0x8c8
#define BLIT_DV_INT	0x8cc
#define BLIT_SRC_X_FRACT 0x8d0
#define BLIT_SRC_X	0x8d4
#define BLIT_SRC_Y_FRACT 0x8d8
#define BLIT_SRC_Y	0x8dc

/* Counters at numbers that are no methods: vertices and SIFC data since the last start */
#define HAVE_POINTS	0x000
#define HAVE_BYTES	0x004
#define POINT16_X	0x008
#define POINT16_Y	0x00c
#define SKIPS		0x020	/* COND_MODE skips drawing methods */

#define SHAPE_RECTS	4

#define MAX_BPP		16
#define PIECE		512	/* pixels */

/* Bits of a pixel, the first word first */
struct pixel {
	u32 word[4];
};

struct format {
	u8 id, bpp;
	bool is_float;
	u8 bits[4], shift[4];	/* red, green, blue, alpha; 0 bits: no such channel */
};

static const struct format formats[] = {
	{ 0xc0, 16, true, { 32, 32, 32, 32 }, { 0, 32, 64, 96 } },	/* RGBA32_FLOAT */
	{ 0xc3, 16, true, { 32, 32, 32, 0 }, { 0, 32, 64, 0 } },	/* RGBX32_FLOAT */
	{ 0xca, 8, true, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },	/* RGBA16_FLOAT */
	{ 0xcb, 8, true, { 32, 32, 0, 0 }, { 0, 32, 0, 0 } },	/* RG32_FLOAT */
	{ 0xce, 8, true, { 16, 16, 16, 0 }, { 0, 16, 32, 0 } },	/* RGBX16_FLOAT */
	{ 0xcf, 4, false, { 8, 8, 8, 8 }, { 16, 8, 0, 24 } },	/* A8R8G8B8 */
	{ 0xd0, 4, false, { 8, 8, 8, 8 }, { 16, 8, 0, 24 } },	/* A8R8G8B8, sRGB */
	{ 0xe6, 4, false, { 8, 8, 8, 0 }, { 16, 8, 0, 0 } },	/* X8R8G8B8 */
	{ 0xe7, 4, false, { 8, 8, 8, 0 }, { 16, 8, 0, 0 } },	/* X8R8G8B8, sRGB */
	{ 0xfd, 4, false, { 8, 8, 8, 0 }, { 16, 8, 0, 0 } },	/* X8R8G8B8 */
	{ 0xfe, 4, false, { 8, 8, 8, 0 }, { 16, 8, 0, 0 } },	/* X8R8G8B8 */
	{ 0xd5, 4, false, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },	/* A8B8G8R8 */
	{ 0xd6, 4, false, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },	/* A8B8G8R8, sRGB */
	{ 0xf9, 4, false, { 8, 8, 8, 0 }, { 0, 8, 16, 0 } },	/* X8B8G8R8 */
	{ 0xfa, 4, false, { 8, 8, 8, 0 }, { 0, 8, 16, 0 } },	/* X8B8G8R8, sRGB */
	{ 0xdf, 4, false, { 10, 10, 10, 2 }, { 20, 10, 0, 30 } },	/* A2R10G10B10 */
	{ 0xd1, 4, false, { 10, 10, 10, 2 }, { 0, 10, 20, 30 } },	/* A2B10G10R10 */
	{ 0xe5, 4, true, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },	/* R32_FLOAT */
	{ 0xe8, 2, false, { 5, 6, 5, 0 }, { 11, 5, 0, 0 } },	/* R5G6B5 */
	{ 0xe9, 2, false, { 5, 5, 5, 1 }, { 10, 5, 0, 15 } },	/* A1R5G5B5 */
	{ 0xf8, 2, false, { 5, 5, 5, 0 }, { 10, 5, 0, 0 } },	/* X1R5G5B5 */
	{ 0xfb, 2, false, { 5, 5, 5, 0 }, { 10, 5, 0, 0 } },	/* X1R5G5B5 */
	{ 0xfc, 2, false, { 5, 5, 5, 0 }, { 10, 5, 0, 0 } },	/* X1R5G5B5 */
	{ 0xf2, 2, true, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },	/* R16_FLOAT */
	{ 0xf3, 1, false, { 8, 0, 0, 0 }, { 0, 0, 0, 0 } },	/* R8 */
	{ 0xee, 2, false, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },	/* R16 */
	{ 0xff, 4, false, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },	/* R32 */
};

static const struct format *find_format(u32 id)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++)
		if (formats[i].id == id)
			return &formats[i];
	return NULL;
}

/* Convert a channel of @from bits to @to bits: repeat its bits below, or drop low bits. */
static u32 rescale(u32 v, u32 from, u32 to)
{
	u64 wide = 0;
	u32 have;

	if (!to)
		return 0;
	for (have = 0; have < to; have += from)
		wide = wide << from | v;
	return (u32)(wide >> (have - to));
}

/* A channel's value, for conversions from or to floating point */
static float channel_value(const struct format *f, u32 v, u32 bits)
{
	if (f->is_float)
		return bits == 16 ? sim_half_to_float(v) : sim_bits_to_float(v);
	return (float)(v / (double)((1ull << bits) - 1));
}

static u32 channel_bits(const struct format *f, float v, u32 bits)
{
	if (f->is_float)
		return bits == 16 ? sim_float_to_half(v) : sim_float_to_bits(v);
	if (!(v > 0))
		return 0;
	if (v > 1)
		v = 1;
	return (u32)(v * (double)((1ull << bits) - 1) + 0.5);
}

static bool is_srgb(const struct format *f)
{
	return f->id == 0xd0 || f->id == 0xd6 || f->id == 0xe7 || f->id == 0xfa;
}

/* Channel @i: by its bits, or as a number where one format has floats or sRGB. Mesa blits so. */
static u32 convert_channel(const struct format *from, const struct format *to, u32 i, u32 c)
{
	u32 n = from->bits[i], bits = to->bits[i];
	float v;

	if (!from->is_float && !to->is_float && (is_srgb(from) == is_srgb(to) || i == 3))
		return rescale(c, n, bits);
	v = channel_value(from, c, n);
	if (is_srgb(from) && i < 3)
		v = sim_srgb_to_linear(v);
	if (is_srgb(to) && i < 3)
		v = (float)sim_linear_to_srgb(fmax(fmin(v, 1), 0));
	return channel_bits(to, v, bits);
}

static struct pixel convert(const struct format *from, const struct format *to, struct pixel in)
{
	struct pixel out = { { 0 } };
	u32 i;

	if (from == to)
		return in;
	for (i = 0; i < 4; i++) {
		u32 n = from->bits[i], bits = to->bits[i], v;
		u32 c = n ? in.word[from->shift[i] / 32] >> from->shift[i] % 32 : 0;

		if (!bits)
			continue;
		c &= (u32)((1ull << n) - 1);
		/* A format without alpha is opaque. */
		if (!n)
			v = channel_bits(to, i == 3 ? 1 : 0, bits);
		else
			v = convert_channel(from, to, i, c);
		out.word[to->shift[i] / 32] |= v << to->shift[i] % 32;
	}
	return out;
}

static struct pixel get_pixel(const u8 *p, u32 bpp)
{
	struct pixel v = { { 0 } };
	u32 i;

	for (i = 0; i < bpp; i++)
		v.word[i / 4] |= (u32)p[i] << 8 * (i & 3);
	return v;
}

static void put_pixel(u8 *p, u32 bpp, struct pixel v)
{
	u32 i;

	for (i = 0; i < bpp; i++)
		p[i] = v.word[i / 4] >> 8 * (i & 3);
}

static void get_surface(struct nvsim *s, bool dst, struct sim_surface *f, const struct format **fmt)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D), *m = st + (dst ? DST_FORMAT : SRC_FORMAT) / 4;

	*fmt = find_format(m[0]);
	f->port = dst ? SIM_GR_2D_DST : SIM_GR_2D_SRC;
	f->inst = st[(dst ? DMA_DST : DMA_SRC) / 4];
	f->linear = m[LINEAR / 4] & 1;
	f->block = m[BLOCK / 4];
	f->layer = m[LAYER / 4];
	f->pitch = m[PITCH / 4];
	f->width = m[WIDTH / 4] * (*fmt ? (*fmt)->bpp : 1);
	f->height = m[HEIGHT / 4];
	f->address = m[LOW / 4] | (u64)(m[HIGH / 4] & 0xff) << 32;
}

/* --- writing --- */

/* Each bit of @rop is the result for one combination of pattern, source and destination. */
static u32 raster(u32 rop, u32 src, u32 dst, u32 pattern)
{
	u32 out = 0, i, d, s, p;

	for (i = 0; i < 8; i++) {
		d = i & 1 ? dst : ~dst;
		s = i & 2 ? src : ~src;
		p = i & 4 ? pattern : ~pattern;
		if (rop >> i & 1)
			out |= d & s & p;
	}

	return out;
}

/* A pattern of one color, which all bits of the bitmap select */
static bool has_plain_pattern(const u32 *st)
{
	return st[PATTERN_BITMAP(0) / 4] == ~0u && st[PATTERN_BITMAP(1) / 4] == ~0u &&
	       st[PATTERN_COLOR_FORMAT / 4] == PATTERN_A8R8G8B8;
}

/* Another pattern is all ones. */
static u32 pattern_of(const u32 *st)
{
	return has_plain_pattern(st) ? st[PATTERN_BITMAP_COLOR(1) / 4] : ~0u;
}

/* Clip a span to clip rectangle and surface; false if nothing is left. */
static bool clip(struct nvsim *s, const struct sim_surface *f, u32 bpp, int64_t *x0, int64_t *x1,
		 int64_t y)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	int64_t left = 0, right = f->width / bpp, top = 0, bottom = f->height;

	if (st[CLIP_ENABLE / 4] & 1) {
		int64_t cx = (int32_t)st[CLIP_X / 4], cy = (int32_t)st[CLIP_Y / 4];

		if (cx > left)
			left = cx;
		if (cy > top)
			top = cy;
		if (cx + st[CLIP_W / 4] < right)
			right = cx + st[CLIP_W / 4];
		if (cy + st[CLIP_H / 4] < bottom)
			bottom = cy + st[CLIP_H / 4];
	}
	if (*x0 < left)
		*x0 = left;
	if (*x1 > right)
		*x1 = right;
	return *x0 < *x1 && y >= top && y < bottom;
}

/* Write @n pixels in the destination's format from (@x, @y) on: all, or those of @mask. */
static bool write_span(struct nvsim *s, int64_t x, int64_t y, const struct pixel *pixels,
		       const u8 *mask, u32 n)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	u32 op = st[OPERATION / 4] & 7;
	int64_t x0 = x, x1 = x + n, i;
	const struct format *fmt;
	u8 buf[PIECE * MAX_BPP] = { 0 };
	struct sim_surface f;
	u32 k;

	get_surface(s, true, &f, &fmt);
	if (!clip(s, &f, fmt->bpp, &x0, &x1, y))
		return true;
	if ((op == 1 || op == 4 || mask) &&
	    !sim_surface_row(s, &f, x0 * fmt->bpp, y, buf, (x1 - x0) * fmt->bpp, false))
		return false;
	for (i = x0; i < x1; i++) {
		u8 *p = buf + (i - x0) * fmt->bpp;
		struct pixel v = pixels[i - x], old = get_pixel(p, fmt->bpp);

		if (mask && !mask[i - x])
			continue;
		for (k = 0; (op == 1 || op == 4) && k < 4; k++)
			v.word[k] = raster(st[ROP / 4], v.word[k], old.word[k], pattern_of(st));
		put_pixel(p, fmt->bpp, v);
	}
	return sim_surface_row(s, &f, x0 * fmt->bpp, y, buf, (x1 - x0) * fmt->bpp, true);
}

static void dst_fault(struct nvsim *s)
{
	s->gr->job = SIM_GR_JOB_NONE;
	sim_gr_tp_trap(s, NV_FLD_MASK(NV_PGRAPH_TRAP__PROP), 0x10);
}

static void src_fault(struct nvsim *s)
{
	s->gr->job = SIM_GR_JOB_NONE;
	sim_gr_tp_trap(s, NV_FLD_MASK(NV_PGRAPH_TRAP__TEX), 0x1);
}

/* Formats of one bit, and of gray with alpha. A new context has 0, which is none. */
static void note_missing_format(struct nvsim *s, u32 mthd)
{
	const u32 format = sim_gr_state(s, SIM_GR_2D)[mthd / 4];

	if (format)
		sim_gr_missing(s, NVSIM_MISSING_FORMAT_2D, "format", format);
	else
		sim_gr_data_error(s, GR_INVALID_ENUM);
}

static bool surface_ok(struct nvsim *s, bool dst)
{
	const struct format *fmt;
	struct sim_surface f;

	get_surface(s, dst, &f, &fmt);
	if (!fmt)
		note_missing_format(s, dst ? DST_FORMAT : SRC_FORMAT);
	else if (f.linear ? (f.address | f.pitch) & 63 : f.address & 255)
		sim_gr_data_error(s, GR_INVALID_ADDRESS_ALIGNMENT);
	else
		return true;
	return false;
}

/*
 * Destinations that take sources of their own format only: those for which Mesa's nv50 lets 2D copy
 * but not convert. rnndb says of this code that it "happens with the single-component formats".
 */
static bool is_copy_only(u32 format)
{
	return format == 0xe5 || format == 0xee || format == 0xf3;
}

/*
 * Operations that read the destination. Mesa's nv50 has them for R5G6B5 and for formats of three or
 * four channels of eight bits. nouveau's DDX also has them for formats of 8, 15 and 30 bits. Neither
 * has them for these.
 */
static bool is_illegal_for(u32 operation, u32 format)
{
	return operation != OPERATION_SRCCOPY && operation != OPERATION_SRCCOPY_AND &&
	       (format == 0xc0 || format == 0xc3 || format == 0xca || format == 0xe5 ||
		format == 0xee || format == 0xff);
}

static enum sim_gr_error check_formats(const u32 *st, u32 from)
{
	const u32 to = st[DST_FORMAT / 4];

	if (is_copy_only(to) && from != to)
		return GR_ENG2D_FORMAT_MISMATCH_B;
	/* A format of one 32-bit channel converts to no other format. */
	if ((from == 0xff) != (to == 0xff))
		return GR_ENG2D_FORMAT_MISMATCH;
	if (is_illegal_for(st[OPERATION / 4], to))
		return GR_ENG2D_OPERATION_ILLEGAL_FOR_DST_FORMAT;
	return GR_OK;
}

static bool formats_match(struct nvsim *s, u32 from)
{
	enum sim_gr_error err = check_formats(sim_gr_state(s, SIM_GR_2D), from);

	if (err)
		sim_gr_data_error(s, err);
	return !err;
}

/* --- parts that are left out --- */

static bool is_rop(u32 operation)
{
	return operation == OPERATION_ROP_AND || operation == OPERATION_ROP;
}

/* The upper half of a raster operation differs from the lower one if the pattern matters. */
static bool takes_pattern(const u32 *st)
{
	return is_rop(st[OPERATION / 4]) && st[ROP / 4] >> 4 != (st[ROP / 4] & 0xf);
}

static void note_missing(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	u32 operation = st[OPERATION / 4];

	if (operation == OPERATION_BLEND || operation > OPERATION_ROP)
		sim_gr_missing(s, NVSIM_MISSING_OPERATION_2D, "OPERATION", operation);
	if (takes_pattern(st) && !has_plain_pattern(st))
		sim_gr_missing(s, NVSIM_MISSING_PATTERN_2D, "ROP", st[ROP / 4]);
	if (st[COLOR_KEY_ENABLE / 4] & 1)
		sim_gr_missing(s, NVSIM_MISSING_COLOR_KEY_2D, "COLOR_KEY_ENABLE", 1);
}

/* --- solid rectangles --- */

static void start_fill(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D), *p = st + DRAW_POINT / 4;
	int32_t v[4], i;

	if (!surface_ok(s, true) || !formats_match(s, st[DRAW_FORMAT / 4]))
		return;
	if (!find_format(st[DRAW_FORMAT / 4])) {
		sim_gr_data_error(s, GR_INVALID_ENUM);
		return;
	}
	if (st[SKIPS / 4])
		return;
	note_missing(s);
	for (i = 0; i < 4; i++)
		v[i] = p[i];
	s->gr->job = SIM_GR_JOB_FILL;
	s->gr->rect[0] = v[0] < v[2] ? v[0] : v[2];
	s->gr->rect[1] = v[1] < v[3] ? v[1] : v[3];
	s->gr->rect[2] = v[0] < v[2] ? v[2] : v[0];
	s->gr->rect[3] = v[1] < v[3] ? v[3] : v[1];
	/* The job is bounded by the surface, whatever the coordinates are. */
	for (i = 0; i < 2; i++)
		if (s->gr->rect[i] < 0)
			s->gr->rect[i] = 0;
	if (s->gr->rect[2] > (int64_t)st[(DST_FORMAT + WIDTH) / 4])
		s->gr->rect[2] = st[(DST_FORMAT + WIDTH) / 4];
	if (s->gr->rect[3] > (int64_t)st[(DST_FORMAT + HEIGHT) / 4])
		s->gr->rect[3] = st[(DST_FORMAT + HEIGHT) / 4];
	s->gr->job_x = 0;
	s->gr->job_y = 0;
}

static void fill_step(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	int64_t x = s->gr->rect[0] + s->gr->job_x, y = s->gr->rect[1] + s->gr->job_y;
	int64_t n = s->gr->rect[2] - x, i;
	struct pixel pixels[PIECE], color = { { st[DRAW_COLOR / 4] } };

	if (n <= 0 || y >= s->gr->rect[3]) {
		if (s->gr->job_x && y < s->gr->rect[3]) {
			s->gr->job_x = 0;
			s->gr->job_y++;
			return;
		}
		s->gr->job = SIM_GR_JOB_NONE;
		return;
	}
	if (n > PIECE)
		n = PIECE;
	color = convert(find_format(st[DRAW_FORMAT / 4]), find_format(st[DST_FORMAT / 4]), color);
	for (i = 0; i < n; i++)
		pixels[i] = color;
	if (!write_span(s, x, y, pixels, NULL, n)) {
		dst_fault(s);
		return;
	}
	s->gr->job_x += n;
}

/* Every second vertex completes a rectangle. */
static void point(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr_state(s, SIM_GR_2D), shape = st[DRAW_SHAPE / 4] & 7, at;

	if (shape != SHAPE_RECTS) {
		sim_gr_missing(s, NVSIM_MISSING_SHAPE_2D, "DRAW_SHAPE", shape);
		return;
	}
	if (mthd == DRAW_POINT16) {
		at = DRAW_POINT / 4 + (st[HAVE_POINTS / 4]++ & 1) * 2;
		st[at] = (u32)(int16_t)data;
		st[at + 1] = (u32)(int16_t)(data >> 16);
		if (!(st[HAVE_POINTS / 4] & 1))
			start_fill(s);
		return;
	}
	/* Later pairs of vertices act as the first pair. */
	at = (mthd - DRAW_POINT) / 4 & 3;
	st[DRAW_POINT / 4 + at] = data;
	st[HAVE_POINTS / 4] = 0;
	if (at == 3)
		start_fill(s);
}

/* --- blit --- */

static int64_t fixed(const u32 *st, u32 fract, u32 integer)
{
	return (int64_t)((u64)st[integer / 4] << 32 | st[fract / 4]);
}

static bool is_one(int64_t step)
{
	return step == 1ll << 32 || step == -(1ll << 32);
}

static bool is_scaled(const u32 *st)
{
	return !is_one(fixed(st, BLIT_DU_FRACT, BLIT_DU_INT)) ||
	       !is_one(fixed(st, BLIT_DV_FRACT, BLIT_DV_INT));
}

static void start_blit(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	int64_t w = st[BLIT_DST_W / 4], h = st[BLIT_DST_H / 4];

	if (!surface_ok(s, true) || !surface_ok(s, false) ||
	    !formats_match(s, st[SRC_FORMAT / 4]) || st[SKIPS / 4])
		return;
	note_missing(s);
	if (st[BLIT_CONTROL / 4] & BLIT_BILINEAR && is_scaled(st))
		sim_gr_missing(s, NVSIM_MISSING_FILTER_2D, "BLIT_CONTROL", st[BLIT_CONTROL / 4]);
	s->gr->job = SIM_GR_JOB_BLIT;
	s->gr->rect[0] = (int32_t)st[BLIT_DST_X / 4];
	s->gr->rect[1] = (int32_t)st[BLIT_DST_Y / 4];
	if (w > 0x10000)
		w = 0x10000;
	if (h > 0x10000)
		h = 0x10000;
	s->gr->rect[2] = w;
	s->gr->rect[3] = h;
	s->gr->job_x = 0;
	s->gr->job_y = 0;
}

static int64_t clamp(int64_t v, int64_t end)
{
	if (v >= end)
		v = end - 1;
	return v < 0 ? 0 : v;
}

/* Read the nearest source pixels of @n destination pixels of one row. */
static bool read_span(struct nvsim *s, int64_t u, int64_t du, int64_t v, u32 n,
		      struct pixel *pixels)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	const struct format *from, *to = find_format(st[DST_FORMAT / 4]);
	struct sim_surface f;
	int64_t width, y;
	u8 raw[PIECE * MAX_BPP];
	u32 i;

	get_surface(s, false, &f, &from);
	width = f.width / from->bpp;
	memset(pixels, 0, n * sizeof(*pixels));
	if (!width || !f.height)
		return true;
	y = clamp(v >> 32, f.height);
	/* Unscaled and inside the source: one access */
	if (du == 1ll << 32 && u >= 0 && (u >> 32) + n <= width) {
		if (!sim_surface_row(s, &f, (u32)(u >> 32) * from->bpp, y, raw, n * from->bpp,
				     false))
			return false;
		for (i = 0; i < n; i++)
			pixels[i] = convert(from, to, get_pixel(raw + i * from->bpp, from->bpp));
		return true;
	}
	for (i = 0; i < n; i++, u += du) {
		int64_t x = clamp(u >> 32, width);

		if (!sim_surface_row(s, &f, (u32)x * from->bpp, y, raw, from->bpp, false))
			return false;
		pixels[i] = convert(from, to, get_pixel(raw, from->bpp));
	}
	return true;
}

static bool same_memory(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);

	return st[DMA_DST / 4] == st[DMA_SRC / 4] &&
	       st[(DST_FORMAT + LOW) / 4] == st[(SRC_FORMAT + LOW) / 4] &&
	       st[(DST_FORMAT + HIGH) / 4] == st[(SRC_FORMAT + HIGH) / 4];
}

/*
 * ORIGIN=CENTER moves samples half a step to the right and down, also with negative steps. Mesa
 * relies on this: it flips an image by starting at the last row with a step of -1. For steps of
 * other sizes no source is reliable.
 */
static u64 half_step(bool center, int64_t step)
{
	u64 size = step < 0 ? 0 - (u64)step : (u64)step;

	return center ? size / 2 : 0;
}

static void blit_step(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);
	int64_t du = fixed(st, BLIT_DU_FRACT, BLIT_DU_INT);
	int64_t dv = fixed(st, BLIT_DV_FRACT, BLIT_DV_INT);
	int64_t sx = fixed(st, BLIT_SRC_X_FRACT, BLIT_SRC_X);
	int64_t sy = fixed(st, BLIT_SRC_Y_FRACT, BLIT_SRC_Y);
	bool center = !(st[BLIT_CONTROL / 4] & 1);
	int64_t i = s->gr->job_x, j = s->gr->job_y;
	int64_t w = s->gr->rect[2], h = s->gr->rect[3], n = w - i;
	bool back = same_memory(s) && sy >> 32 <= s->gr->rect[1], right;
	struct pixel pixels[PIECE];

	if (j >= h || w <= 0) {
		s->gr->job = SIM_GR_JOB_NONE;
		return;
	}
	if (n > PIECE)
		n = PIECE;
	/* Overlapping copies down or right start at the end, so that none reads a written pixel. */
	right = same_memory(s) && sx >> 32 < s->gr->rect[0];
	if (right)
		i = w - i - n;
	if (back)
		j = h - 1 - j;
	if (!read_span(s, (int64_t)((u64)sx + (u64)i * (u64)du + half_step(center, du)),
		       du,
		       (int64_t)((u64)sy + (u64)j * (u64)dv + half_step(center, dv)), n, pixels)) {
		src_fault(s);
		return;
	}
	if (!write_span(s, s->gr->rect[0] + i, s->gr->rect[1] + j, pixels, NULL, n)) {
		dst_fault(s);
		return;
	}
	s->gr->job_x += n;
	if (s->gr->job_x >= w) {
		s->gr->job_x = 0;
		s->gr->job_y++;
	}
	if (s->gr->job_y >= h)
		s->gr->job = SIM_GR_JOB_NONE;
}

/* --- images from the push buffer --- */

/* SIFC data of one bit per pixel, packed as WRAP says; the high bit is first without SIFC_LE. */
static void sifc_bits(struct nvsim *s, u32 data)
{
	u32 *st = sim_gr_state(s, SIM_GR_2D);
	const struct format *from = find_format(st[SIFC_FORMAT / 4] ? st[SIFC_FORMAT / 4] : 0xcf);
	const struct format *to = find_format(st[DST_FORMAT / 4]);
	u32 w = st[SIFC_WIDTH / 4], wrap = st[SIFC_WRAP / 4], stride = w, b;

	if (wrap == 1)
		stride = (w + 7) & ~7u;
	else if (wrap == 2)
		stride = (w + 31) & ~31u;
	if (!stride)
		return;
	for (b = 0; b < 32; b++) {
		u32 at = st[HAVE_BYTES / 4]++, x = at % stride, y = at / stride;
		u32 bit = st[SIFC_LE / 4] & 1 ? b : (b & ~7u) + (7 - (b & 7));
		bool one = data >> bit & 1;
		struct pixel in = { { st[(one ? SIFC_COLOR_1 : SIFC_COLOR_0) / 4] } };
		const u8 take = one || (st[SIFC_OPAQUE / 4] & 1);

		if (x >= w || y >= st[SIFC_HEIGHT / 4])
			continue;
		in = convert(from, to, in);
		if (!write_span(s, (int64_t)(int32_t)st[SIFC_DST_X / 4] + x,
				(int64_t)(int32_t)st[SIFC_DST_Y / 4] + y, &in, &take, 1)) {
			dst_fault(s);
			return;
		}
	}
}

/* Formats of SIFC have four bytes at most. Return: the number of pixels of a word */
static u32 sifc_pixels(const struct format *from, const struct format *to, u32 data,
		       struct pixel *pixels)
{
	struct pixel in = { { 0 } };
	u32 n;

	for (n = 0; n < 4u / from->bpp; n++) {
		in.word[0] = data >> 8 * from->bpp * n & (u32)((1ull << 8 * from->bpp) - 1);
		pixels[n] = convert(from, to, in);
	}
	return n;
}

/* SIFC data of whole pixels; each line starts with a new word. */
static void sifc_color(struct nvsim *s, u32 data)
{
	u32 *st = sim_gr_state(s, SIM_GR_2D);
	const struct format *from = find_format(st[SIFC_FORMAT / 4]);
	const struct format *to = find_format(st[DST_FORMAT / 4]);
	u32 w = st[SIFC_WIDTH / 4], at = st[HAVE_BYTES / 4], line, x, y, n;
	struct pixel pixels[4];

	if (!from) {
		sim_gr_data_error(s, GR_INVALID_ENUM);
		return;
	}
	line = (w * from->bpp + 3) / 4 * 4;
	if (!line)
		return;
	st[HAVE_BYTES / 4] = at + 4;
	x = at % line / from->bpp;
	y = at / line;
	if (y >= st[SIFC_HEIGHT / 4])
		return;
	n = sifc_pixels(from, to, data, pixels);
	if (x >= w)
		n = 0;
	else if (n > w - x)
		n = w - x;
	if (n && !write_span(s, (int64_t)(int32_t)st[SIFC_DST_X / 4] + x,
			     (int64_t)(int32_t)st[SIFC_DST_Y / 4] + y, pixels, NULL, n))
		dst_fault(s);
}

/* Bits as indices of more than two colors, and pixels of another size */
static void note_missing_image(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);

	if (st[SIFC_BITMAP / 4] & 1 && st[SIFC_INDEX / 4])
		sim_gr_missing(s, NVSIM_MISSING_IMAGE_2D, "SIFC_BITMAP_FORMAT", st[SIFC_INDEX / 4]);
	if (st[SIFC_DX_DU_FRACT / 4] || st[SIFC_DY_DV_FRACT / 4] ||
	    st[SIFC_DX_DU_INT / 4] > 1 || st[SIFC_DY_DV_INT / 4] > 1)
		sim_gr_missing(s, NVSIM_MISSING_IMAGE_2D, "SIFC_DX_DU_INT", st[SIFC_DX_DU_INT / 4]);
}

static void sifc_data(struct nvsim *s, u32 data)
{
	const u32 *st = sim_gr_state(s, SIM_GR_2D);

	if (!surface_ok(s, true) || !formats_match(s, st[SIFC_FORMAT / 4]) || st[SKIPS / 4])
		return;
	if (!st[HAVE_BYTES / 4]) {
		note_missing(s);
		note_missing_image(s);
	}
	if (st[SIFC_BITMAP / 4] & 1)
		sifc_bits(s, data);
	else
		sifc_color(s, data);
}

/* --- methods --- */

static void set_condition(struct nvsim *s, u32 *st)
{
	struct sim_gr_condition c = {
		.inst = st[DMA_COND / 4],
		.address = st[COND_LOW / 4] | (u64)(st[COND_HIGH / 4] & 0xff) << 32,
		.mode = st[COND_MODE / 4],
	};

	st[SKIPS / 4] = !sim_gr_condition(s, &c);
}

void sim_eng2d_method(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr_state(s, SIM_GR_2D);

	if (mthd == DRAW_POINT16 || (mthd >= DRAW_POINT && mthd < DRAW_POINT_END)) {
		point(s, mthd, data);
		return;
	}
	st[mthd / 4] = data;
	switch (mthd) {
	case COND_MODE:
		set_condition(s, st);
		break;
	case DRAW_SHAPE:
		st[HAVE_POINTS / 4] = 0;
		break;
	case SIFC_DST_Y:
		st[HAVE_BYTES / 4] = 0;
		break;
	case SIFC_DATA:
		sifc_data(s, data);
		break;
	case BLIT_SRC_Y:
		start_blit(s);
		break;
	}
}

void sim_eng2d_step(struct nvsim *s)
{
	if (s->gr->job == SIM_GR_JOB_FILL)
		fill_step(s);
	else
		blit_step(s);
}
