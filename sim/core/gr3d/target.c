// SPDX-License-Identifier: MIT
/* Render targets and the depth buffer as surfaces, and clears. */
#include "gr3d.h"
#include "../gr.h"
#include "../number.h"

#define LINEAR		(1u << 31)	/* of RT_HORIZ, whose rest is the pitch then */
#define ARRAY_3D	(1u << 16)	/* of RT_ARRAY_MODE: layers are slices */
#define PIECE_LINES	8

#define CLEAR_Z		1u
#define CLEAR_S		2u

struct rectangle {
	int64_t left, top, right, bottom;
};

/* A render target; false if it has no format that is known */
bool sim_gr3d_color(struct nvsim *s, u32 rt, u32 layer, struct sim_surface *f,
		    const struct sim_color_format **format)
{
	const u32 *st = sim_gr3d_state(s);
	u32 horiz = st[RT_HORIZ(rt) / 4];

	*format = sim_color_format(st[RT_FORMAT(rt) / 4]);
	if (!*format) {
		if (st[RT_FORMAT(rt) / 4])
			sim_gr_missing(s, NVSIM_MISSING_COLOR, "format", st[RT_FORMAT(rt) / 4]);
		return false;
	}
	f->port = SIM_GR_3D_COLOR;
	f->inst = st[DMA_COLOR(rt) / 4];
	f->linear = horiz & LINEAR;
	f->pitch = horiz & ~LINEAR;
	f->width = (horiz & 0xfffffff) * (f->linear ? 1 : (*format)->bpp);
	f->height = st[RT_VERT(rt) / 4];
	f->block = st[RT_BLOCK(rt) / 4];
	f->address = st[RT_ADDRESS_LOW(rt) / 4] | (u64)(st[RT_ADDRESS_HIGH(rt) / 4] & 0xff) << 32;
	f->layer = 0;
	if (st[RT_ARRAY_MODE / 4] & ARRAY_3D)
		f->layer = layer;
	else
		f->address += (u64)layer * ((u64)st[RT_LAYER_STRIDE(rt) / 4] << 2);
	return true;
}

bool sim_gr3d_zeta(struct nvsim *s, u32 layer, struct sim_surface *f,
		   const struct sim_zeta_format **format)
{
	const u32 *st = sim_gr3d_state(s);

	*format = sim_zeta_format(st[ZETA_FORMAT / 4]);
	if (!*format)
		return false;
	f->port = SIM_GR_3D_ZETA;
	f->inst = st[DMA_ZETA / 4];
	f->linear = false;
	f->pitch = 0;
	f->width = (st[ZETA_HORIZ / 4] & 0xfffffff) * (*format)->bpp;
	f->height = st[ZETA_VERT / 4];
	f->block = st[ZETA_BLOCK / 4];
	f->address = st[ZETA_ADDRESS_LOW / 4] | (u64)(st[ZETA_ADDRESS_HIGH / 4] & 0xff) << 32;
	f->layer = 0;
	f->address += (u64)layer * ((u64)st[ZETA_LAYER_STRIDE / 4] << 2);
	return true;
}

static void cut(struct rectangle *r, int64_t left, int64_t top, int64_t right, int64_t bottom)
{
	if (left > r->left)
		r->left = left;
	if (top > r->top)
		r->top = top;
	if (right < r->right)
		r->right = right;
	if (bottom < r->bottom)
		r->bottom = bottom;
}

static u32 low(u32 v)
{
	return v & 0xffff;
}

static u32 high(u32 v)
{
	return v >> 16;
}

static void check_samples(struct nvsim *s, const u32 *st)
{
	if (!sim_gr3d_has_samples(st))
		sim_gr_missing(s, NVSIM_MISSING_SAMPLES, "mode", st[MULTISAMPLE_MODE / 4]);
}

/* The part of a surface that a clear reaches: in samples, which scissors are not */
static struct rectangle clear_area(struct nvsim *s, u32 width, u32 height)
{
	const u32 *st = sim_gr3d_state(s);
	const struct sim_samples *samples = sim_gr3d_samples(st);
	struct rectangle r = { 0, 0, width >> samples->log_x, height >> samples->log_y };
	u32 h = st[SCREEN_SCISSOR_HORIZ / 4], v = st[SCREEN_SCISSOR_VERT / 4];

	check_samples(s, st);
	cut(&r, low(h), low(v), low(h) + high(h), low(v) + high(v));
	h = st[SCISSOR_HORIZ(0) / 4];
	v = st[SCISSOR_VERT(0) / 4];
	if (st[CLEAR_FLAGS / 4] & 1u << 4) {
		h = st[VIEWPORT_HORIZ / 4];
		v = st[VIEWPORT_VERT / 4];
		cut(&r, low(h), low(v), low(h) + high(h), low(v) + high(v));
	} else if (st[SCISSOR_ENABLE(0) / 4] & 1) {
		cut(&r, low(h), low(v), high(h), high(v));
	}
	r.left <<= samples->log_x;
	r.right <<= samples->log_x;
	r.top <<= samples->log_y;
	r.bottom <<= samples->log_y;
	return r;
}

static void cut_to_targets(struct nvsim *s, struct rectangle *r)
{
	const u32 *st = sim_gr3d_state(s);
	const struct sim_samples *samples = sim_gr3d_samples(st);
	const struct sim_color_format *color;
	const struct sim_zeta_format *zeta;
	u32 control = st[RT_CONTROL / 4], i;
	struct sim_surface f;

	for (i = 0; i < (control & 0xf) && i < 8; i++) {
		if (sim_gr3d_color(s, control >> (4 + 3 * i) & 7, 0, &f, &color))
			cut(r, 0, 0, f.width / color->bpp >> samples->log_x,
			    f.height >> samples->log_y);
	}
	if (st[ZETA_ENABLE / 4] & 1 && sim_gr3d_zeta(s, 0, &f, &zeta))
		cut(r, 0, 0, f.width / zeta->bpp >> samples->log_x, f.height >> samples->log_y);
}

void sim_gr3d_draw_area(struct nvsim *s, int64_t area[4])
{
	const u32 *st = sim_gr3d_state(s);
	u32 h = st[SCREEN_SCISSOR_HORIZ / 4], v = st[SCREEN_SCISSOR_VERT / 4];
	struct rectangle r = { low(h), low(v), low(h) + high(h), low(v) + high(v) };
	u32 n = s->gr->draw.viewport;

	check_samples(s, st);
	cut_to_targets(s, &r);
	h = st[SCISSOR_HORIZ(n) / 4];
	v = st[SCISSOR_VERT(n) / 4];
	if (st[SCISSOR_ENABLE(n) / 4] & 1)
		cut(&r, low(h), low(v), high(h), high(v));
	area[0] = r.left;
	area[1] = r.top;
	area[2] = r.right;
	area[3] = r.bottom;
}

void sim_gr3d_target_fault(struct nvsim *s)
{
	s->gr->job = SIM_GR_JOB_NONE;
	sim_gr_tp_trap(s, NV_FLD_MASK(NV_PGRAPH_TRAP__PROP), 0x10);
}

/* --- clears --- */

/*
 * Clear a color target first, then depth and stencil, some lines in each step of the job. job_x is 0
 * for the color target and 1 for the other. job_y is the next line.
 */
void sim_gr3d_start_clear(struct nvsim *s, u32 data)
{
	s->gr->clear = data;
	s->gr->job = SIM_GR_JOB_CLEAR;
	s->gr->job_x = 0;
	s->gr->job_y = 0;
}

/* Change the bits of @mask in each pixel of a line. */
static bool clear_line(struct nvsim *s, const struct sim_surface *f, u32 bpp, int64_t x0,
		       int64_t x1, int64_t y, const u8 *value, const u8 *mask)
{
	u8 buf[512 * 16];
	int64_t n;
	u32 i;

	for (; x0 < x1; x0 += n) {
		n = x1 - x0 < 512 ? x1 - x0 : 512;
		if (!sim_surface_row(s, f, (u32)x0 * bpp, (u32)y, buf, (u32)n * bpp, false))
			return false;
		for (i = 0; i < n * bpp; i++)
			buf[i] = (buf[i] & ~mask[i % bpp]) | (value[i % bpp] & mask[i % bpp]);
		if (!sim_surface_row(s, f, (u32)x0 * bpp, (u32)y, buf, (u32)n * bpp, true))
			return false;
	}
	return true;
}

/* Some lines of a surface; false when it is done, or faulted */
static bool clear_piece(struct nvsim *s, const struct sim_surface *f, u32 bpp, const u8 *value,
			const u8 *mask)
{
	struct rectangle r = clear_area(s, f->width / bpp, f->height);
	int64_t y = r.top + s->gr->job_y, end = y + PIECE_LINES;

	for (; y < end && y < r.bottom && r.left < r.right; y++, s->gr->job_y++) {
		if (!clear_line(s, f, bpp, r.left, r.right, y, value, mask)) {
			sim_gr3d_target_fault(s);
			return false;
		}
	}
	return y < r.bottom && r.left < r.right;
}

static bool clear_color(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s);
	u32 channels = s->gr->clear >> 2 & 0xf, rt = s->gr->clear >> 6 & 7;
	const struct sim_color_format *format;
	u8 value[16], mask[16];
	struct sim_surface f;

	if (!channels || !sim_gr3d_color(s, rt, s->gr->clear >> 10 & 0x7ff, &f, &format))
		return false;
	sim_color_pack(format, st + CLEAR_COLOR(0) / 4, value);
	sim_color_mask(format, channels, mask);
	return clear_piece(s, &f, format->bpp, value, mask);
}

static u32 clear_depth_bits(const struct sim_zeta_format *format, u32 value)
{
	double v = sim_bits_to_float(value);

	if (format->is_float)
		return value;
	if (!(v > 0))
		v = 0;
	if (v > 1)
		v = 1;
	return (u32)(v * (double)((1ull << format->z_bits) - 1) + 0.5);
}

static bool clear_zeta(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s);
	const struct sim_zeta_format *format;
	u64 value = 0, mask = 0;
	u8 bytes[8], mask_bytes[8];
	struct sim_surface f;
	u32 i;

	if (!(s->gr->clear & (CLEAR_Z | CLEAR_S)))
		return false;
	if (!sim_gr3d_zeta(s, s->gr->clear >> 10 & 0x7ff, &f, &format)) {
		sim_gr_missing(s, NVSIM_MISSING_ZETA, "format", st[ZETA_FORMAT / 4]);
		return false;
	}
	if (s->gr->clear & CLEAR_Z) {
		value |= (u64)clear_depth_bits(format, st[CLEAR_DEPTH / 4]) << format->z_shift;
		mask |= ((1ull << format->z_bits) - 1) << format->z_shift;
	}
	if (s->gr->clear & CLEAR_S) {
		value |= (u64)(st[CLEAR_STENCIL / 4] & 0xff) << format->s_shift;
		mask |= ((1ull << format->s_bits) - 1) << format->s_shift;
	}
	for (i = 0; i < 8; i++) {
		bytes[i] = value >> 8 * i;
		mask_bytes[i] = mask >> 8 * i;
	}
	return clear_piece(s, &f, format->bpp, bytes, mask_bytes);
}

void sim_gr3d_clear_step(struct nvsim *s)
{
	bool more = s->gr->job_x ? clear_zeta(s) : clear_color(s);

	if (more || s->gr->job == SIM_GR_JOB_NONE)
		return;
	if (s->gr->job_x) {
		s->gr->job = SIM_GR_JOB_NONE;
		return;
	}
	s->gr->job_x = 1;
	s->gr->job_y = 0;
}
