// SPDX-License-Identifier: MIT
/*
 * Compute: blocks of threads, one after the other. A block's warps have 32 threads, or 16 without
 * LANES32_ENABLE. Each runs until it ends or waits at a barrier. rnndb's G80_COMPUTE has the methods;
 * envytools' hwtest launches blocks on cards in the same way. Constant buffers are those of 3D, as
 * envytools' isa.rst has 128 for a channel. The place of code, textures, samplers and their tables
 * are those of fragment programs: Mesa's nv50 does not set CP_ADDRESS, and after compute it binds a
 * fragment program and its textures anew.
 */
#include <stdlib.h>

#include "compute.h"
#include "../gr.h"

#define WITH_ALL_BLOCKS		(1u << 8)	/* of ALL_BLOCKS: else block 0, 0 alone runs */

#define DMA_QUERY_COMPUTE	0x1a4

#define PARAMETERS		0x10	/* the first one's place in s[] */

#define FRAGMENT_STAGE		2	/* of textures and samplers */

/*
 * A new context of compute has these values of nouveau's first image (ctxnv50.c), and 0 elsewhere.
 * BLOCKDIM_LATCH is 0, as the image says that the dimensions have changed since.
 */
static const u32 start_compute[][2] = {
	{ COMPUTE_TIC_LIMIT, 0x3fffff },
	{ COMPUTE_TSC_LIMIT, 0x1fff },
	{ BLOCK_ALLOC, 0x10001 },
	{ BLOCKDIM_XY, 0x10001 },
	{ BLOCKDIM_Z, 1 },
	{ GRIDDIM, 0x10001 },
	{ LANES32_ENABLE, 1 },
	{ CP_REG_ALLOC_TEMP, 4 },
	{ REG_MODE, 2 },
	{ LOCAL_WARPS_LOG_ALLOC, 7 },
	{ LOCAL_WARPS_NO_CLAMP, 1 },
	{ STACK_WARPS_LOG_ALLOC, 7 },
	{ STACK_WARPS_NO_CLAMP, 1 },
	{ ALL_BLOCKS, WITH_ALL_BLOCKS },
};

void sim_compute_start_state(u32 *state)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(start_compute); i++)
		state[start_compute[i][0] / 4] = start_compute[i][1];
}

/* --- a block --- */

static void put_16(u8 *at, u32 value)
{
	at[0] = value;
	at[1] = value >> 8;
}

static bool keeps_memory(struct nvsim *s)
{
	return sim_quirk(s, NVSIM_QUIRK_MP_MEMORY);
}

/* s[] begins with numbers of 16 bits: grid, threads in x, y, z, blocks in x, y, and the block's. */
static void prepare_shared(struct nvsim *s)
{
	const u32 *st = sim_compute_state(s);
	u32 xy = st[BLOCKDIM_XY / 4], grid = st[GRIDDIM / 4], i;
	u32 count = st[USER_PARAM_COUNT / 4] >> 8 & 0xff;
	const u32 words[8] = {
		st[GRIDID / 4], sim_low(xy), sim_high(xy), st[BLOCKDIM_Z / 4], sim_low(grid), sim_high(grid),
		s->gr->job_x, s->gr->job_y,
	};

	if (!keeps_memory(s))
		memset(s->gr->shared, 0, sizeof(s->gr->shared));
	memset(s->gr->shared_locks, 0, sizeof(s->gr->shared_locks));
	for (i = 0; i < ARRAY_LEN(words); i++)
		put_16(s->gr->shared + 2 * i, words[i]);
	for (i = 0; i < count && i < 64; i++)
		put_le32(s->gr->shared + PARAMETERS + 4 * i, st[USER_PARAM(i) / 4]);
}

/*
 * $r0 has a thread's place in its block. No source says where a thread's registers lie in the MP.
 * With mp-memory=kept a thread gets those of the last thread with its number.
 */
static void prepare_threads(struct nvsim *s, struct sim_thread *t, u32 count)
{
	const u32 *st = sim_compute_state(s);
	u32 width = sim_low(st[BLOCKDIM_XY / 4]), height = sim_high(st[BLOCKDIM_XY / 4]), i;

	for (i = 0; i < count; i++) {
		t[i].program = SIM_PROGRAM_CP;
		if (keeps_memory(s) && i < SIM_THREADS)
			memcpy(t[i].r, s->gr->registers[i], sizeof(t[i].r));
		t[i].r[0] = i % width | i / width % height << 16 | i / width / height << 26;
	}
}

/* The context image, which a client may have changed, can have any BLOCK_ALLOC. */
static void keep_registers(struct nvsim *s, const struct sim_thread *t, u32 count)
{
	u32 i;

	for (i = 0; i < count && i < SIM_THREADS; i++)
		memcpy(s->gr->registers[i], t[i].r, sizeof(t[i].r));
}

/* All warps up to the next barrier or their end; false after a fault */
static bool run_warps(struct nvsim *s, struct sim_thread *t, u32 count, u32 *left)
{
	u32 width = sim_compute_state(s)[LANES32_ENABLE / 4] & 1 ? 32 : 16, i, n;

	for (i = 0; i < count; i += width) {
		n = count - i < width ? count - i : width;
		if (!sim_gr3d_run_warp(s, t + i, n, i / width, left))
			return false;
	}
	return true;
}

static bool release(struct sim_thread *t, u32 count)
{
	bool any = false;
	u32 i;

	for (i = 0; i < count; i++) {
		any |= t[i].waits;
		t[i].waits = false;
	}
	return any;
}

static bool run_block(struct nvsim *s)
{
	const u32 *st = sim_compute_state(s);
	u32 count = sim_low(st[BLOCK_ALLOC / 4]), left = SIM_BLOCK_LIMIT;
	struct sim_thread *t = calloc(count, sizeof(*t));
	bool ok = t;
	u32 i;

	if (!t)
		return false;
	prepare_shared(s);
	prepare_threads(s, t, count);
	sim_gr3d_start_warps(s, t, count);
	do {
		ok = run_warps(s, t, count, &left);
	} while (ok && release(t, count));
	if (keeps_memory(s))
		keep_registers(s, t, count);
	for (i = 0; i < count; i++)
		free(t[i].local);
	free(t);
	return ok;
}

void sim_compute_step(struct nvsim *s)
{
	const u32 *st = sim_compute_state(s);
	u32 grid = st[GRIDDIM / 4];

	if (!run_block(s) || !(st[ALL_BLOCKS / 4] & WITH_ALL_BLOCKS)) {
		s->gr->job = SIM_GR_JOB_NONE;
		return;
	}
	if (++s->gr->job_x < sim_low(grid))
		return;
	s->gr->job_x = 0;
	if (++s->gr->job_y >= sim_high(grid))
		s->gr->job = SIM_GR_JOB_NONE;
}

/* --- methods --- */

/* From compute capability 1.2 on: G200 and GT215 and later. MCP77 and MCP79 have 1.1. */
static bool is_large_mp(const struct nvsim *s)
{
	return s->chip == NV_CHIP_G200 || s->chip >= NV_CHIP_GT215;
}

static bool has_too_many_warps(u32 warps, u32 log_alloc, bool no_clamp)
{
	log_alloc &= 7;

	return !no_clamp && warps > 1u << (log_alloc == 7 ? 5 : log_alloc);
}

/*
 * rnndb's g80_defs.xml describes these codes of DATA_ERROR. How a card rounds its registers is not
 * known, so that only a block that cannot fit in any way is an error.
 */
static enum sim_gr_error check_launch(const struct nvsim *s, const u32 *st)
{
	u32 xy = st[BLOCKDIM_XY / 4], threads = sim_low(st[BLOCK_ALLOC / 4]);
	u32 warps = (threads + 31) / 32, parameters = st[USER_PARAM_COUNT / 4] >> 8 & 0xff;

	if (!(st[BLOCKDIM_LATCH / 4] & 1))
		return GR_CP_NO_BLOCKDIM_LATCH;
	/* CUDA's programming guide has 24 warps for multiprocessors with 8192 registers, else 32. */
	if (warps > (is_large_mp(s) ? 32u : 24u))
		return GR_CP_NOT_ENOUGH_WARPS;
	/* No code is known for these. */
	if (!threads || threads > SIM_THREADS)
		return GR_INVALID_VALUE;
	if ((u64)sim_low(xy) * sim_high(xy) * st[BLOCKDIM_Z / 4] < threads)
		return GR_CP_BLOCK_SIZE_MISMATCH;
	if (parameters && PARAMETERS + 4 * parameters > st[SHARED_SIZE / 4])
		return GR_CP_MORE_PARAMS_THAN_SHARED;
	if (threads * st[CP_REG_ALLOC_TEMP / 4] > (is_large_mp(s) ? 16384u : 8192u))
		return (st[REG_MODE / 4] & 3) == 1 ? GR_CP_NO_REG_SPACE_PACKED :
						     GR_CP_NO_REG_SPACE_STRIPED;
	if (st[COMPUTE_LOCAL_SIZE_LOG / 4] && has_too_many_warps(warps, st[LOCAL_WARPS_LOG_ALLOC / 4],
							 st[LOCAL_WARPS_NO_CLAMP / 4] & 1))
		return GR_CP_NOT_ENOUGH_LOCAL_WARPS;
	if (st[COMPUTE_STACK_SIZE_LOG / 4] && has_too_many_warps(warps, st[STACK_WARPS_LOG_ALLOC / 4],
							 st[STACK_WARPS_NO_CLAMP / 4] & 1))
		return GR_CP_NOT_ENOUGH_STACK_WARPS;
	return GR_OK;
}

static void launch(struct nvsim *s, const u32 *st)
{
	enum sim_gr_error err = check_launch(s, st);

	if (err) {
		sim_gr_data_error(s, err);
		return;
	}
	if (st[GR3D_COMPUTE_SKIPS - GR3D_COMPUTE] || !sim_low(st[GRIDDIM / 4]) || !sim_high(st[GRIDDIM / 4]))
		return;
	s->gr->job_x = 0;
	s->gr->job_y = 0;
	s->gr->job = SIM_GR_JOB_COMPUTE;
}

static void set_condition(struct nvsim *s, u32 *st)
{
	struct sim_gr_condition c = {
		.inst = st[DMA_QUERY_COMPUTE / 4],
		.address = st[COMPUTE_COND_LOW / 4] |
			   (u64)(st[COMPUTE_COND_HIGH / 4] & 0xff) << 32,
		.mode = st[COMPUTE_COND_MODE / 4],
	};

	st[GR3D_COMPUTE_SKIPS - GR3D_COMPUTE] = !sim_gr_condition(s, &c);
}

static enum sim_gr_error check(struct nvsim *s, u32 mthd, u32 data)
{
	const u32 *st = sim_compute_state(s);
	const struct sim_texture_limits limits = {
		st[COMPUTE_TEX_LIMITS / 4], st[COMPUTE_TIC_LIMIT / 4], st[COMPUTE_TSC_LIMIT / 4],
	};

	switch (mthd) {
	case COMPUTE_BIND_TIC:
		return sim_gr3d_check_texture(&limits, data);
	case COMPUTE_BIND_TSC:
		return sim_gr3d_check_sampler(&limits, data);
	}
	return GR_OK;
}

/* Methods that set what fragment programs have, and theirs */
static const u16 shared_methods[][2] = {
	{ COMPUTE_DMA_TSC, DMA_TSC },
	{ COMPUTE_DMA_TIC, DMA_TIC },
	{ COMPUTE_DMA_TEXTURE, DMA_TEXTURE },
	{ CP_ADDRESS_HIGH, FP_ADDRESS_HIGH },
	{ CP_ADDRESS_LOW, FP_ADDRESS_LOW },
	{ COMPUTE_TSC_HIGH, TSC_ADDRESS_HIGH },
	{ COMPUTE_TSC_LOW, TSC_ADDRESS_LOW },
	{ COMPUTE_TSC_LIMIT, TSC_LIMIT },
	{ COMPUTE_TIC_HIGH, TIC_ADDRESS_HIGH },
	{ COMPUTE_TIC_LOW, TIC_ADDRESS_LOW },
	{ COMPUTE_TIC_LIMIT, TIC_LIMIT },
};

static void set_shared(u32 *st, u32 mthd, u32 data)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(shared_methods); i++) {
		if (shared_methods[i][0] == mthd)
			st[shared_methods[i][1] / 4] = data;
	}
}

void sim_compute_method(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_compute_state(s), *shared_with_3d = sim_gr3d_state(s);
	enum sim_gr_error err = check(s, mthd, data);

	if (err) {
		sim_gr_data_error(s, err);
		return;
	}
	if (mthd / 4 >= GR3D_COMPUTE_METHODS)
		return;
	if (mthd >= COMPUTE_CB_DATA && mthd < COMPUTE_CB_DATA_END) {
		sim_gr3d_write_buffer(s, st[DMA_CODE / 4], &st[COMPUTE_CB_ADDR / 4], data);
		return;
	}
	st[mthd / 4] = data;
	set_shared(shared_with_3d, mthd, data);
	sim_gr3d_forget_code(s);
	switch (mthd) {
	case BLOCKDIM_XY:
	case BLOCKDIM_Z:
		st[BLOCKDIM_LATCH / 4] = 0;
		break;
	case COMPUTE_BIND_TIC:
		sim_gr3d_bind_texture(shared_with_3d, FRAGMENT_STAGE, data);
		break;
	case COMPUTE_BIND_TSC:
		sim_gr3d_bind_sampler(shared_with_3d, FRAGMENT_STAGE, data);
		break;
	case COMPUTE_CB_DEF_SET:
		sim_gr3d_define_buffer(shared_with_3d, st[COMPUTE_CB_DEF_HIGH / 4],
				       st[COMPUTE_CB_DEF_LOW / 4], data);
		break;
	case COMPUTE_PROGRAM_CB:
		shared_with_3d[GR3D_PROGRAM_CB(SIM_PROGRAM_CP, data >> 8 & 0xf)] =
			(data & 0xff ? GR3D_CB_VALID : 0) | (data >> 12 & 0x7f);
		break;
	case COMPUTE_COND_MODE:
		set_condition(s, st);
		break;
	case LAUNCH:
		launch(s, st);
		break;
	}
}
