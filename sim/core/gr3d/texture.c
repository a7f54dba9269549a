// SPDX-License-Identifier: MIT
/*
 * Texture headers (TIC): where a texel is. A texture is a pitch surface, a row of texels in a
 * buffer, or layers of mip levels in blocks. A header gives level 0 of layer 0; the sizes and
 * places of all others follow from it.
 */
#include "gr3d.h"
#include "../gr.h"

#define VALID		(1u << 31)	/* of the stored bits of BIND_TIC */

#define LINEAR		(1u << 18)	/* of word 2 */
#define SRGB		(1u << 10)
#define NORMALIZED	(1u << 31)
#define OWN_CONTROL	(1u << 29)	/* of word 3: USE_HEADER_OPT_CONTROL */

void sim_gr3d_bind_texture(u32 *st, u32 stage, u32 data)
{
	u32 slot = data >> 1 & 0xff;

	if (slot < GR3D_TEXTURES)
		st[GR3D_TEXTURE(stage, slot)] = (data & 1 ? VALID : 0) | data >> 9;
}

/* --- layout --- */

/* Blocks are cut to the smallest that holds the level. */
static u32 cut_block(u32 block, u32 unit, u32 size)
{
	while (block && unit << (block - 1) >= size)
		block--;
	return block;
}

static u32 minified(u32 size, u32 level)
{
	return size >> level ? size >> level : 1;
}

static u64 blocks(u32 size, u64 block)
{
	return (size + block - 1) / block;
}

/* Texels, or blocks of compressed ones, in a row or a column */
static u32 stored(const struct sim_texture *t, u32 texels)
{
	return sim_texel_is_compressed(t->format) ? (texels + 3) / 4 : texels;
}

static u64 level_bytes(const struct sim_texture *t, const struct sim_texture_level *l)
{
	u64 rows = 4ull << l->block_height, slices = 1ull << l->block_depth;
	u32 width = stored(t, l->size[0]) * t->format->bytes;

	return blocks(width, 64) * 64 * blocks(stored(t, l->size[1]), rows) * rows *
	       blocks(l->size[2], slices) * slices;
}

static bool is_one_line(const struct sim_texture *t)
{
	return t->type == SIM_TEXTURE_1D || t->type == SIM_TEXTURE_1D_ARRAY ||
	       t->type == SIM_TEXTURE_BUFFER;
}

static void shape(const struct sim_texture *t, u32 level, struct sim_texture_level *l)
{
	l->size[0] = minified(t->width, level);
	l->size[1] = is_one_line(t) ? 1 : minified(t->height, level);
	l->size[2] = t->type == SIM_TEXTURE_3D ? minified(t->depth, level) : 1;
	l->block_height = cut_block(t->block_height, 4, stored(t, l->size[1]));
	l->block_depth = cut_block(t->block_depth, 1, l->size[2]);
}

void sim_texture_level(const struct sim_texture *t, u32 level, struct sim_texture_level *l)
{
	u32 i;

	l->offset = 0;
	for (i = 0; i < level; i++) {
		struct sim_texture_level above;

		shape(t, i, &above);
		l->offset += level_bytes(t, &above);
	}
	shape(t, level, l);
}

/* From one layer to the next: all levels, up to whole blocks of the first */
static u64 layer_bytes(const struct sim_texture *t)
{
	struct sim_texture_level l;
	u64 bytes, block;

	sim_texture_level(t, t->mapped, &l);
	bytes = l.offset + level_bytes(t, &l);
	shape(t, 0, &l);
	block = 256ull << (l.block_height + l.block_depth);
	return (bytes + block - 1) / block * block;
}

/* --- headers --- */

static bool read_header(struct nvsim *s, u32 index, u32 word[8])
{
	const u32 *st = sim_gr3d_state(s);
	u64 table = st[TIC_ADDRESS_LOW / 4] | (u64)(st[TIC_ADDRESS_HIGH / 4] & 0xff) << 32;
	u8 raw[32];
	u32 i;

	if (!sim_gr_vm(s, SIM_GR_3D_TIC, st[DMA_TIC / 4], (table + index * 32ull) & MASK40, raw,
		       sizeof(raw), false)) {
		sim_gr_ccache_trap(s, 1);
		return false;
	}
	for (i = 0; i < 8; i++)
		word[i] = get_le32(raw + 4 * i);
	return true;
}

/* By ANISO_FINE_SPREAD_MODIFIER: all of the difference, one texel, two; the root is not modelled */
static const u8 spreads[] = { 0, 1, 2, 0 };

static u32 at_least_one(u32 v)
{
	return v ? v : 1;
}

static void decode(struct nvsim *s, const u32 word[8], struct sim_texture *t)
{
	bool v2 = word[4] >> 31 && !sim_is_g80(s);

	t->header = word[0];
	t->address = word[1] | (u64)(word[2] & 0xff) << 32;
	t->srgb = word[2] & SRGB;
	t->type = word[2] >> 14 & 0xf;
	t->linear = word[2] & LINEAR;
	t->block_height = word[2] >> 22 & 7;
	t->block_depth = word[2] >> 25 & 7;
	t->normalized = word[2] & NORMALIZED;
	t->pitch = word[3] & 0xfffff;
	t->width = at_least_one(word[4] & 0x3fffffff);
	t->height = word[5] & 0xffff ? word[5] & 0xffff : 0x10000;
	t->depth = at_least_one(word[5] >> 16 & 0xfff);
	t->own_anisotropy = word[3] & OWN_CONTROL;
	t->anisotropy = word[6] >> 27 & 7;
	t->spread = spreads[word[6] >> 30];
	t->mapped = word[5] >> 28;
	t->first = v2 ? word[7] & 0xf : 0;
	t->last = v2 ? word[7] >> 4 & 0xf : t->mapped;
}

bool sim_texture_is_cube(const struct sim_texture *t)
{
	return t->type == SIM_TEXTURE_CUBE || t->type == SIM_TEXTURE_CUBE_ARRAY;
}

/* Sizes that no texture has would overflow the layout. */
static bool sane(const struct sim_texture *t)
{
	if (t->type == SIM_TEXTURE_BUFFER)
		return t->linear;
	if (t->linear)
		return t->type == SIM_TEXTURE_2D || t->type == SIM_TEXTURE_RECTANGLE;
	return t->width <= 0x10000 && t->block_height <= 5 && t->block_depth <= 5;
}

bool sim_texture_load(struct nvsim *s, u32 stage, u32 slot, struct sim_texture *t, bool *fault)
{
	const u32 *st = sim_gr3d_state(s);
	u32 bound = slot < GR3D_TEXTURES ? st[GR3D_TEXTURE(stage, slot)] : 0, word[8];
	u32 index = bound & ~VALID;

	*fault = false;
	if (!(bound & VALID) || index > st[TIC_LIMIT / 4])
		return false;
	*fault = !read_header(s, index, word);
	if (*fault)
		return false;
	decode(s, word, t);
	t->format = sim_texel_format(word[0] & 0x3f);
	if (!t->format || t->type > SIM_TEXTURE_CUBE_ARRAY || !sane(t)) {
		sim_gr_missing(s, NVSIM_MISSING_TEXTURE,
			       t->linear ? "pitch surface of type and format" :
					   "surface in blocks of type and format",
			       t->type << 8 | (word[0] & 0x3f));
		return false;
	}
	if (t->type == SIM_TEXTURE_RECTANGLE || t->linear)
		t->first = t->last = t->mapped = 0;
	if (t->last > t->mapped)
		t->last = t->mapped;
	if (t->first > t->last)
		t->first = t->last;
	t->layers = 1;
	if (sim_texture_is_cube(t))
		t->layers = t->depth * 6;
	else if (t->type == SIM_TEXTURE_1D_ARRAY || t->type == SIM_TEXTURE_2D_ARRAY)
		t->layers = t->depth;
	t->layer_bytes = t->linear ? 0 : layer_bytes(t);
	return true;
}

bool sim_texture_texel(struct nvsim *s, const struct sim_texture *t, u32 level,
		       const struct sim_texel_at *at, bool srgb, u32 value[4])
{
	struct sim_surface f = {
		.port = SIM_GR_3D_TEXTURE,
		.inst = sim_gr3d_state(s)[DMA_TEXTURE / 4],
		.linear = t->linear,
		.pitch = t->pitch,
		.layer = at->z,
	};
	struct sim_texture_level l;
	u32 bytes = t->format->bytes, texel = 0, x = at->x, y = at->y;
	u8 raw[16];

	sim_texture_level(t, level, &l);
	memset(value, 0, 4 * sizeof(*value));
	if (at->x >= l.size[0] || at->y >= l.size[1] || at->z >= l.size[2] || at->layer >= t->layers)
		return true;
	f.block = l.block_height << 4 | l.block_depth << 8;
	f.width = stored(t, l.size[0]) * bytes;
	f.height = stored(t, l.size[1]);
	f.address = t->address + l.offset + at->layer * t->layer_bytes;
	if (sim_texel_is_compressed(t->format)) {
		texel = 4 * (y % 4) + x % 4;
		x /= 4;
		y /= 4;
	}
	if (!sim_surface_row(s, &f, x * bytes, y, raw, bytes, false)) {
		sim_gr_tp_trap(s, NV_FLD_MASK(NV_PGRAPH_TRAP__TEX), 1);
		return false;
	}
	sim_texel_unpack(t->format, t->header, srgb && t->srgb, raw, texel, value);
	return true;
}
