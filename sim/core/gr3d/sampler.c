// SPDX-License-Identifier: MIT
/*
 * Samplers (TSC), and texture instructions: the texels of a value, and their weights. Weights have
 * 8 bits. The level of detail is one for a quad, of a cube map one for each pixel. It comes from
 * the differences between the pixels, of a cube map between those of a pixel's row and column. Mesa
 * makes such differences for textureCubeGrad(), which so agrees with textureCube(). No document says
 * how a card rounds the level. An anisotropic filter takes several places along the longer
 * difference. rnndb names settings that change their distance. The model has only "force spread",
 * by which Mesa resolves eight samples.
 */
#include <math.h>

#include "gr3d.h"
#include "../gr.h"
#include "../number.h"

#define VALID		(1u << 31)	/* of the stored bits of BIND_TSC */

#define WRAP_REPEAT		0
#define WRAP_MIRROR		1
#define WRAP_CLAMP_TO_EDGE	2
#define WRAP_BORDER		3
#define WRAP_CLAMP		4
#define WRAP_MIRROR_ONCE	5	/* this and the next two: once, then as modes 2 to 4 */
#define ONCE			3	/* more than the mode without it */

#define FILTER_LINEAR	2
#define MIP_NEAREST	2
#define MIP_LINEAR	3

#define SEAMLESS	(1u << 2)	/* of TEX_MISC */

struct sampler {
	u32 wrap[3];
	bool compare, srgb;
	u32 function, mag, min, mip;
	double bias, least, most;
	u32 anisotropy;		/* the most places that it may take */
	u32 border[4];
};

/* One instruction at work */
struct job {
	struct nvsim *s;
	struct sim_sample *q;
	struct sim_texture t;
	struct sampler p;
	bool cube, seamless, fault;
	u32 dimensions;
	double lod;		/* of the quad */
	double along[3];	/* the longer difference, in coordinates */
	u32 places;		/* along it */
	double reference;	/* to compare with, of the lane */
};

/* Position at which a lane samples, in texels of level @level */
struct point {
	double at[3];
	u32 layer, level, face;
};

/*
 * The number has 13 bits, as TSC_LIMIT and the same method of the Fermi class have. rnndb has nine
 * bits, but Mesa uses the numbers up to 2047 in turn, on cards.
 */
void sim_gr3d_bind_sampler(u32 *st, u32 stage, u32 data)
{
	st[GR3D_SAMPLER(stage, data >> 4 & 0xf)] = (data & 1 ? VALID : 0) | (data >> 12 & 0x1fff);
}

/* --- headers --- */

static double signed_fixed(u32 v, u32 bits)
{
	u32 sign = 1u << (bits - 1);

	return ((double)(v & (sign - 1)) - (v & sign)) / 256;
}

/* By MAX_ANISOTROPY */
static const u8 anisotropies[] = { 1, 2, 4, 6, 8, 10, 12, 16 };

static void decode(const u32 word[8], struct sampler *p)
{
	u32 i;

	for (i = 0; i < 3; i++)
		p->wrap[i] = word[0] >> 3 * i & 7;
	p->compare = word[0] & 1u << 9;
	p->function = word[0] >> 10 & 7;
	p->srgb = word[0] & 1u << 13;
	p->mag = word[1] & 3;
	p->min = word[1] >> 4 & 3;
	p->mip = word[1] >> 6 & 3;
	p->bias = signed_fixed(word[1] >> 12 & 0x1fff, 13);
	p->anisotropy = anisotropies[word[0] >> 20 & 7];
	p->least = (word[2] & 0xfff) / 256.0;
	p->most = (word[2] >> 12 & 0xfff) / 256.0;
	memcpy(p->border, word + 4, sizeof(p->border));
}

/* Without a sampler all zeros: the first texel of level 0 is taken, nothing is filtered. */
static bool load_sampler(struct job *j, u32 stage, u32 slot)
{
	const u32 *st = sim_gr3d_state(j->s);
	u32 bound = slot < GR3D_SAMPLERS ? st[GR3D_SAMPLER(stage, slot)] : 0, word[8] = { 0 };
	u64 table = st[TSC_ADDRESS_LOW / 4] | (u64)(st[TSC_ADDRESS_HIGH / 4] & 0xff) << 32;
	u32 index = bound & ~VALID, i;
	u8 raw[32];

	if (st[LINKED_TSC / 4] & 1) {
		bound = j->q->texture < GR3D_TEXTURES ?
			st[GR3D_TEXTURE(stage, j->q->texture)] : 0;
		index = bound & ~VALID;
	}
	if ((bound & VALID) && index <= st[TSC_LIMIT / 4]) {
		if (!sim_gr_vm(j->s, SIM_GR_3D_TSC, st[DMA_TSC / 4],
			       (table + index * 32ull) & MASK40, raw, sizeof(raw), false)) {
			sim_gr_ccache_trap(j->s, 1);
			return false;
		}
		for (i = 0; i < 8; i++)
			word[i] = get_le32(raw + 4 * i);
	}
	decode(word, &j->p);
	return true;
}

/* --- cube maps --- */

static u32 major_axis(const double v[3])
{
	double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);

	if (x >= y && x >= z)
		return v[0] < 0 ? 1 : 0;
	if (y >= z)
		return v[1] < 0 ? 3 : 2;
	return v[2] < 0 ? 5 : 4;
}

/* A direction on a face, from 0 to 1 */
static void on_face(u32 face, const double v[3], double at[2])
{
	double sign = face & 1 ? -1 : 1, major = v[face / 2] * sign, s, t = -v[1];

	switch (face / 2) {
	case 0:
		s = -sign * v[2];
		break;
	case 1:
		s = v[0];
		t = sign * v[2];
		break;
	default:
		s = sign * v[0];
		break;
	}
	at[0] = (s / major + 1) / 2;
	at[1] = (t / major + 1) / 2;
}

static void direction(u32 face, double s, double t, double v[3])
{
	double sign = face & 1 ? -1 : 1;

	switch (face / 2) {
	case 0:
		v[0] = sign;
		v[1] = -t;
		v[2] = -sign * s;
		break;
	case 1:
		v[0] = s;
		v[1] = sign;
		v[2] = sign * t;
		break;
	default:
		v[0] = sign * s;
		v[1] = -t;
		v[2] = sign;
		break;
	}
}

/* A texel beside a face is one of the face that is there. */
static void across_edge(u32 *face, int64_t index[2], u32 size)
{
	double v[3], at[2];
	u32 i;

	if (index[0] >= 0 && index[0] < size && index[1] >= 0 && index[1] < size)
		return;
	direction(*face, (2 * (double)index[0] + 1) / size - 1, (2 * (double)index[1] + 1) / size - 1,
		  v);
	*face = major_axis(v);
	on_face(*face, v, at);
	for (i = 0; i < 2; i++) {
		index[i] = (int64_t)floor(at[i] * size);
	}
}

/* --- texels --- */

static int64_t modulo(int64_t v, int64_t n)
{
	return (v % n + n) % n;
}

/* Which texel of @size; false if it is the border */
static bool wrap(u32 mode, int64_t *index, int64_t size)
{
	int64_t i = *index;

	switch (mode) {
	case WRAP_REPEAT:
		i = modulo(i, size);
		break;
	case WRAP_MIRROR:
		i = modulo(i, 2 * size);
		if (i >= size)
			i = 2 * size - 1 - i;
		break;
	default:
		if (mode >= WRAP_MIRROR_ONCE) {
			mode -= ONCE;
			i = i < 0 ? -1 - i : i;
		}
		if (mode != WRAP_CLAMP_TO_EDGE && (i < 0 || i >= size))
			return false;
		if (i < 0)
			i = 0;
		if (i >= size)
			i = size - 1;
	}
	*index = i;
	return true;
}

static bool compare(u32 function, double reference, double texel)
{
	if (reference < texel)
		return function & 1;
	return function & (reference > texel ? 4 : 2);
}

/* The depth is in each component that is no constant. */
static void compare_texel(struct job *j, u32 value[4])
{
	double reference = j->reference, texel;
	u32 i = 0, result;

	while (i < 3 && sim_texel_is_constant(j->t.header, i))
		i++;
	texel = sim_bits_to_float(value[i]);

	/* Floats are compared as they are. */
	if ((j->t.header >> 6 & 7) != 7)
		reference = reference > 0 ? fmin(reference, 1) : 0;
	result = sim_float_to_bits(compare(j->p.function, reference, texel) ? 1 : 0);
	for (i = 0; i < 4; i++) {
		if (!sim_texel_is_constant(j->t.header, i))
			value[i] = result;
	}
}

/* The texel at @index, or the border */
static void texel(struct job *j, const struct point *p, const int64_t index[3], u32 value[4])
{
	struct sim_texture_level l;
	struct sim_texel_at at = { .layer = p->layer };
	int64_t i[3] = { index[0], index[1], index[2] };
	u32 face = p->face, k;
	bool inside = true;

	sim_texture_level(&j->t, p->level, &l);
	if (j->cube && j->seamless)
		across_edge(&face, i, l.size[0]);
	for (k = 0; k < j->dimensions && k < 3; k++)
		inside &= wrap(j->cube && j->seamless ? WRAP_CLAMP_TO_EDGE : j->p.wrap[k], &i[k],
			       l.size[k]);
	at.x = (u32)i[0];
	at.y = j->dimensions > 1 ? (u32)i[1] : 0;
	at.z = j->dimensions > 2 ? (u32)i[2] : 0;
	if (j->cube)
		at.layer = p->layer * 6 + face;
	if (!inside)
		memcpy(value, j->p.border, sizeof(j->p.border));
	else if (!sim_texture_texel(j->s, &j->t, p->level, &at, j->p.srgb, value))
		j->fault = true;
	if (j->p.compare)
		compare_texel(j, value);
}

/* NaNs, and numbers beyond all texels, become 0. */
static double tame(double v)
{
	return fabs(v) < 1e12 ? v : 0;
}

/* Before filters: modes that end at the border's middle, and the mirrored ones beside 0 */
static double clamped(u32 mode, double v, u32 size)
{
	if (mode >= WRAP_MIRROR_ONCE) {
		mode -= ONCE;
		v = fabs(v);
	}
	if (mode == WRAP_CLAMP)
		v = fmin(fmax(v, 0), size);
	return v;
}

static void nearest(struct job *j, const struct point *p, u32 value[4])
{
	struct sim_texture_level l;
	int64_t index[3] = { 0 };
	u32 k;

	sim_texture_level(&j->t, p->level, &l);
	for (k = 0; k < j->dimensions; k++) {
		index[k] = (int64_t)floor(clamped(j->p.wrap[k], p->at[k], l.size[k]));
		/* The end itself is the last texel's. */
		if (j->cube || j->p.wrap[k] == WRAP_CLAMP || j->p.wrap[k] == WRAP_CLAMP + ONCE)
			index[k] = index[k] < l.size[k] ? index[k] : l.size[k] - 1;
	}
	texel(j, p, index, value);
}

/* The lower texel of each dimension, and the upper one's weight in 1/256 */
static void corners(struct job *j, const struct point *p, int64_t low[3], u32 weight[3])
{
	struct sim_texture_level l;
	double v;
	u32 k;

	sim_texture_level(&j->t, p->level, &l);
	for (k = 0; k < 3; k++) {
		low[k] = 0;
		weight[k] = 0;
		if (k >= j->dimensions)
			continue;
		v = floor(clamped(j->p.wrap[k], p->at[k], l.size[k]) * 256) - 128;
		low[k] = (int64_t)floor(v / 256);
		weight[k] = (u32)(v - (double)low[k] * 256);
	}
}

static void linear(struct job *j, const struct point *p, u32 value[4])
{
	u32 weight[3], corner, k, one[4];
	int64_t low[3], index[3];
	double sum[4] = { 0 }, share;

	corners(j, p, low, weight);
	for (corner = 0; corner < 1u << j->dimensions; corner++) {
		share = 1;
		for (k = 0; k < 3; k++) {
			index[k] = low[k] + (corner >> k & 1);
			share *= (corner >> k & 1 ? weight[k] : 256 - weight[k]) / 256.0;
		}
		if (share == 0)
			continue;
		texel(j, p, index, one);
		for (k = 0; k < 4; k++)
			sum[k] += share * sim_bits_to_float(one[k]);
	}
	for (k = 0; k < 4; k++)
		value[k] = sim_float_to_bits((float)sum[k]);
}

/* --- coordinates --- */

/* Argument @n of a lane as a float */
static double argument(const struct job *j, u32 lane, u32 n)
{
	return n < 4 ? sim_bits_to_float(j->q->arg[lane][n]) : 0;
}

static bool has_layers(const struct job *j)
{
	u32 type = j->t.type;

	return type == SIM_TEXTURE_1D_ARRAY || type == SIM_TEXTURE_2D_ARRAY ||
	       type == SIM_TEXTURE_CUBE_ARRAY || (sim_texture_is_cube(&j->t) && !j->cube);
}

/* Coordinates of a lane; of a cube map on face @face */
static void coordinates(const struct job *j, u32 lane, u32 face, double at[3])
{
	double v[3];
	u32 k;

	for (k = 0; k < 3; k++) {
		v[k] = argument(j, lane, k);
		at[k] = k < j->dimensions ? v[k] : 0;
	}
	if (j->cube)
		on_face(face, v, at);
}

static u32 face_of(const struct job *j, u32 lane)
{
	double v[3] = { argument(j, lane, 0), argument(j, lane, 1), argument(j, lane, 2) };

	return j->cube ? major_axis(v) : 0;
}

/* How many places a filter takes, for squares of the differences along and across */
static u32 places_of(const struct job *j, double longer, double shorter)
{
	u32 most = j->t.own_anisotropy ? anisotropies[j->t.anisotropy] : j->p.anisotropy;
	double ratio;

	if (most == 1 || !(longer > 0))
		return 1;
	ratio = shorter > 0 ? ceil(sqrt(longer / shorter) - 1.0 / 256) : most;
	return ratio < most ? (u32)fmax(ratio, 1) : most;
}

/*
 * How many texels of the first level lie between two pixels, as a power of 2. The pixels are those
 * of @lane's row and column. All are seen from @face of a cube map: a pixel beside the triangle may
 * look at another one.
 */
static double quad_lod(struct job *j, u32 face, u32 lane)
{
	double at[4][3], dx = 0, dy = 0, d;
	struct sim_texture_level l;
	u32 k;

	for (k = 0; k < 4; k++)
		coordinates(j, k, face, at[k]);
	sim_texture_level(&j->t, j->t.first, &l);
	for (k = 0; k < j->dimensions; k++) {
		d = j->t.normalized ? l.size[k] : 1;
		dx += pow((at[lane | 1][k] - at[lane & 2][k]) * d, 2);
		dy += pow((at[lane | 2][k] - at[lane & 1][k]) * d, 2);
	}
	d = fmax(dx, dy);
	if (!j->cube)
		j->places = places_of(j, d, fmin(dx, dy));
	for (k = 0; k < 3; k++)
		j->along[k] = at[dx >= dy ? 1 : 2][k] - at[0][k];
	if (d <= 0)
		return -64;
	/* cppcheck-suppress invalidFunctionArg ; it takes d for 0 here */
	return fmin(log2(d) / 2 - log2(j->places), 64);
}

/* Index, reference and further operands */
static u32 take_layer(struct job *j, u32 lane, struct point *p)
{
	u32 n = j->cube ? 3 : j->dimensions, layers = j->cube ? j->t.depth : j->t.layers;

	p->layer = 0;
	if (has_layers(j)) {
		p->layer = n < 4 ? j->q->arg[lane][n] : 0;
		n++;
		if (p->layer >= layers)
			p->layer = layers - 1;
	}
	return n;
}

static void place(struct job *j, u32 lane, u32 level, struct point *p)
{
	struct sim_texture_level l;
	u32 k;

	p->level = level;
	p->face = face_of(j, lane);
	coordinates(j, lane, p->face, p->at);
	sim_texture_level(&j->t, level, &l);
	for (k = 0; k < 3; k++) {
		if (j->t.normalized)
			p->at[k] *= l.size[k];
		p->at[k] = tame(p->at[k] + (j->cube ? 0 : j->q->offset[k]));
	}
}

/* --- instructions --- */

static void one_place(struct job *j, const struct point *p, bool is_linear, u32 value[4])
{
	if (is_linear)
		linear(j, p, value);
	else
		nearest(j, p, value);
}

/* From one place to the next, in texels of the level: over all of the difference, or as forced */
static void step_along(const struct job *j, u32 level, double step[3])
{
	struct sim_texture_level l;
	double length = 0;
	u32 k;

	sim_texture_level(&j->t, level, &l);
	for (k = 0; k < 3; k++) {
		step[k] = tame(j->along[k] * (j->t.normalized ? l.size[k] : 1));
		length += step[k] * step[k];
	}
	length = sqrt(length);
	for (k = 0; k < 3 && length > 0; k++)
		step[k] *= j->t.spread ? j->t.spread / length : 1.0 / j->places;
}

static void one_level(struct job *j, u32 lane, struct point *p, u32 level, bool is_linear,
		      u32 value[4])
{
	double step[3], middle[3], sum[4] = { 0 };
	u32 i, k, one[4];

	place(j, lane, level, p);
	if (j->places <= 1) {
		one_place(j, p, is_linear, value);
		return;
	}

	memcpy(middle, p->at, sizeof(middle));
	step_along(j, level, step);
	for (i = 0; i < j->places; i++) {
		for (k = 0; k < 3; k++)
			p->at[k] = middle[k] + step[k] * (i - (j->places - 1) / 2.0);
		one_place(j, p, is_linear, one);
		for (k = 0; k < 4; k++)
			sum[k] += sim_bits_to_float(one[k]);
	}
	for (k = 0; k < 4; k++)
		value[k] = sim_float_to_bits((float)(sum[k] / j->places));
}

static u32 level_at(const struct job *j, double lod)
{
	u32 level = j->t.first + (u32)lod;

	return level < j->t.last ? level : j->t.last;
}

static void filter(struct job *j, u32 lane, struct point *p, double lod, u32 value[4])
{
	bool is_linear = (lod > 0 ? j->p.min : j->p.mag) == FILTER_LINEAR;
	u32 upper[4], k, weight;
	double a, b;

	lod = fmax(lod, 0);
	if (j->p.mip == MIP_NEAREST)
		lod = floor(lod + 0.5);
	else if (j->p.mip != MIP_LINEAR)
		lod = 0;
	one_level(j, lane, p, level_at(j, lod), is_linear, value);
	weight = (u32)((lod - floor(lod)) * 256);
	if (!weight || level_at(j, lod) == j->t.last)
		return;
	one_level(j, lane, p, level_at(j, lod + 1), is_linear, upper);
	for (k = 0; k < 4; k++) {
		a = sim_bits_to_float(value[k]);
		b = sim_bits_to_float(upper[k]);
		value[k] = sim_float_to_bits((float)(a + (b - a) * weight / 256));
	}
}

static void sample(struct job *j, u32 lane)
{
	double lod = j->lod, given;
	struct point p;
	u32 n = take_layer(j, lane, &p);

	if (j->p.compare)
		j->reference = argument(j, lane, n++);
	given = argument(j, lane, n);
	if (isnan(given))
		given = 0;
	if (j->q->kind == SIM_SAMPLE_LOD)
		lod = given;
	else if (j->q->kind == SIM_SAMPLE_BIAS)
		lod += given;
	lod = fmin(fmax(lod + j->p.bias, j->p.least), j->p.most);
	filter(j, lane, &p, lod, j->q->result[lane]);
}

/* A texel by its number; 0 outside of the texture. */
static void fetch(struct job *j, u32 lane)
{
	u32 *value = j->q->result[lane], n, i, index[3] = { 0 }, level = j->t.first;
	struct sim_texel_at at = { 0 };
	struct point p;

	for (i = 0; i < j->dimensions; i++)
		index[i] = j->q->arg[lane][i] + (u32)j->q->offset[i];
	at.x = index[0];
	at.y = index[1];
	at.z = index[2];
	n = take_layer(j, lane, &p);
	at.layer = p.layer;
	if (j->t.type != SIM_TEXTURE_BUFFER && !j->t.linear && n < 4)
		level += j->q->arg[lane][n] & 0xff;
	if (level > j->t.last)
		return;
	if (!sim_texture_texel(j->s, &j->t, level, &at, true, value))
		j->fault = true;
}

/* The four texels of a linear filter, counter-clockwise from the lower left */
static void gather(struct job *j, u32 lane)
{
	static const u32 column[] = { 0, 1, 1, 0 }, row[] = { 1, 1, 0, 0 };
	u32 weight[3], i, one[4], n;
	int64_t low[3], index[3];
	struct point p;

	n = take_layer(j, lane, &p);
	if (j->p.compare)
		j->reference = argument(j, lane, n);
	place(j, lane, j->t.first, &p);
	corners(j, &p, low, weight);
	for (i = 0; i < 4; i++) {
		index[0] = low[0] + column[i];
		index[1] = low[1] + row[i];
		index[2] = low[2];
		texel(j, &p, index, one);
		j->q->result[lane][i] = one[0];
	}
}

static void query_size(struct job *j, u32 lane)
{
	u32 *value = j->q->result[lane], level = j->t.first + (j->q->arg[lane][0] & 0xff);
	struct sim_texture_level l;

	if (level > j->t.last)
		level = j->t.last;
	sim_texture_level(&j->t, level, &l);
	memcpy(value, l.size, sizeof(l.size));
	if (j->t.type == SIM_TEXTURE_1D_ARRAY)
		value[1] = j->t.layers;
	else if (j->t.type == SIM_TEXTURE_2D_ARRAY)
		value[2] = j->t.layers;
	else if (j->t.type == SIM_TEXTURE_CUBE_ARRAY)
		value[2] = j->t.depth;
	value[3] = j->t.last - j->t.first + 1;
}

/* A direction and a cube's number become a place and a layer. */
static void prepare(struct job *j, u32 lane)
{
	u32 *value = j->q->result[lane], face = face_of(j, lane);
	double at[3];

	coordinates(j, lane, face, at);
	value[0] = sim_float_to_bits((float)at[0]);
	value[1] = sim_float_to_bits((float)at[1]);
	value[2] = j->q->arg[lane][3] * 6 + face;
}

/* In 1/256: the level that a filter takes, and the level of detail before it is clamped */
static void query_lod(struct job *j, u32 lane)
{
	double lod = fmin(fmax(j->lod + j->p.bias, j->p.least), j->p.most), most;

	most = j->t.last - j->t.first;
	lod = fmin(fmax(lod, 0), most);
	if (j->p.mip == MIP_NEAREST)
		lod = floor(lod + 0.5);
	j->q->result[lane][0] = (u32)(int32_t)(lod * 256);
	j->q->result[lane][1] = (u32)(int32_t)((j->lod + j->p.bias) * 256);
}

static void instruction(struct job *j, u32 lane)
{
	switch (j->q->kind) {
	case SIM_SAMPLE_AUTO:
	case SIM_SAMPLE_BIAS:
	case SIM_SAMPLE_LOD:
		sample(j, lane);
		break;
	case SIM_SAMPLE_FETCH:
		fetch(j, lane);
		break;
	case SIM_SAMPLE_GATHER:
		gather(j, lane);
		break;
	case SIM_SAMPLE_SIZE:
		query_size(j, lane);
		break;
	case SIM_SAMPLE_PREPARE:
		prepare(j, lane);
		break;
	case SIM_SAMPLE_QUERY_LOD:
		query_lod(j, lane);
		break;
	}
}

static u32 dimensions_of(const struct sim_texture *t)
{
	switch (t->type) {
	case SIM_TEXTURE_1D:
	case SIM_TEXTURE_1D_ARRAY:
	case SIM_TEXTURE_BUFFER:
		return 1;
	case SIM_TEXTURE_3D:
		return 3;
	}
	return 2;
}

bool sim_gr3d_sample(struct nvsim *s, struct sim_sample *q)
{
	struct job j = { .s = s, .q = q };
	u32 stage = 0, lane;

	if (q->program != SIM_PROGRAM_VP)
		stage = q->program == SIM_PROGRAM_GP ? 1 : 2;
	memset(q->result, 0, sizeof(q->result));
	if (!sim_texture_load(s, stage, q->texture, &j.t, &j.fault))
		return !j.fault;
	if (!load_sampler(&j, stage, q->sampler))
		return false;
	j.cube = q->cube && sim_texture_is_cube(&j.t);
	j.seamless = sim_gr3d_state(s)[TEX_MISC / 4] & SEAMLESS;
	j.dimensions = dimensions_of(&j.t);
	j.places = 1;
	if (q->derive && !j.cube)
		j.lod = quad_lod(&j, 0, 0);
	for (lane = 0; lane < SIM_QUAD && !j.fault; lane++) {
		if (!(q->lanes >> lane & 1))
			continue;
		if (q->derive && j.cube)
			j.lod = quad_lod(&j, face_of(&j, lane), lane);
		instruction(&j, lane);
	}
	return !j.fault;
}
