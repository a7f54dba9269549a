/* SPDX-License-Identifier: MIT */
/*
 * Methods of compute, which are the places of their data in the state, too
 */
#ifndef SIM_CORE_GR3D_COMPUTE_H
#define SIM_CORE_GR3D_COMPUTE_H

#include "gr3d.h"

#define DMA_GLOBAL		0x1a0
#define DMA_CODE		0x1c0
#define COMPUTE_DMA_TSC		0x1c4
#define COMPUTE_DMA_TIC		0x1c8
#define COMPUTE_DMA_TEXTURE	0x1cc
#define CP_ADDRESS_HIGH		0x210
#define CP_ADDRESS_LOW		0x214
#define COMPUTE_STACK_HIGH	0x218
#define COMPUTE_STACK_LOW	0x21c
#define COMPUTE_STACK_SIZE_LOG	0x220
#define COMPUTE_CALL_LIMIT_LOG	0x224
#define COMPUTE_TSC_HIGH	0x22c
#define COMPUTE_TSC_LOW		0x230
#define COMPUTE_TSC_LIMIT	0x234
#define COMPUTE_CB_ADDR		0x238
#define COMPUTE_CB_DATA		0x23c
#define COMPUTE_CB_DATA_END	0x27c
#define COMPUTE_CB_DEF_HIGH	0x2a4
#define COMPUTE_CB_DEF_LOW	0x2a8
#define COMPUTE_CB_DEF_SET	0x2ac
#define BLOCK_ALLOC		0x2b4
#define LANES32_ENABLE		0x2b8
#define CP_REG_ALLOC_TEMP	0x2c0
#define BLOCKDIM_LATCH		0x2f8
#define COMPUTE_TIC_HIGH	0x2c4
#define COMPUTE_TIC_LOW		0x2c8
#define COMPUTE_TIC_LIMIT	0x2cc
#define COMPUTE_DMA_LOCAL	0x1b8
#define COMPUTE_DMA_STACK	0x1bc
#define COMPUTE_LOCAL_HIGH	0x294
#define COMPUTE_LOCAL_LOW	0x298
#define COMPUTE_LOCAL_SIZE_LOG	0x29c
#define LOCAL_WARPS_LOG_ALLOC	0x2fc
#define LOCAL_WARPS_NO_CLAMP	0x300
#define STACK_WARPS_LOG_ALLOC	0x304
#define STACK_WARPS_NO_CLAMP	0x308
#define COMPUTE_COND_HIGH	0x320
#define COMPUTE_COND_LOW	0x324
#define COMPUTE_COND_MODE	0x328
#define LAUNCH			0x368
#define USER_PARAM_COUNT	0x374
#define ALL_BLOCKS		0x384
#define GRIDID			0x388
#define GRIDDIM			0x3a4
#define SHARED_SIZE		0x3a8
#define BLOCKDIM_XY		0x3ac
#define BLOCKDIM_Z		0x3b0
#define REG_MODE		0x3b8
#define COMPUTE_TEX_LIMITS	0x3bc
#define CP_START_ID		0x3b4
#define COMPUTE_BIND_TSC	0x3c0
#define COMPUTE_BIND_TIC	0x3c4
#define COMPUTE_PROGRAM_CB	0x3c8
#define GLOBAL_HIGH(i)		(0x400 + 32 * (i))
#define GLOBAL_LOW(i)		(0x404 + 32 * (i))
#define GLOBAL_PITCH(i)		(0x408 + 32 * (i))
#define GLOBAL_LIMIT(i)		(0x40c + 32 * (i))
#define GLOBAL_MODE(i)		(0x410 + 32 * (i))
#define USER_PARAM(i)		(0x600 + 4 * (i))

/* The state of compute */
static inline u32 *sim_compute_state(struct nvsim *s)
{
	return sim_gr3d_state(s) + GR3D_COMPUTE;
}

/* Halves of a word */
static inline u32 sim_low(u32 v)
{
	return v & 0xffff;
}

static inline u32 sim_high(u32 v)
{
	return v >> 16;
}

#endif
