// SPDX-License-Identifier: MIT
/*
 * The memory of compute programs: their code, shared memory, and global memory, which is linear or a
 * tiled surface.
 */
#include "compute.h"
#include "../missing.h"

#define IS_LINEAR	1u	/* of GLOBAL_MODE */

u16 sim_compute_code(struct nvsim *s, u64 *base, u32 *start)
{
	const u32 *st = sim_compute_state(s), *shared_with_3d = sim_gr3d_state(s);

	*base = shared_with_3d[FP_ADDRESS_LOW / 4] |
		(u64)(shared_with_3d[FP_ADDRESS_HIGH / 4] & 0xff) << 32;
	*start = st[CP_START_ID / 4];
	return st[DMA_CODE / 4];
}

u32 sim_compute_registers(struct nvsim *s)
{
	return sim_compute_state(s)[CP_REG_ALLOC_TEMP / 4];
}

bool sim_gr3d_local(struct nvsim *s, bool is_compute, bool write)
{
	const u32 *st = is_compute ? sim_compute_state(s) : sim_gr3d_state(s);
	struct sim_place at = { .slot = SIM_GR_LOCAL };

	if (is_compute) {
		at.inst = st[COMPUTE_DMA_LOCAL / 4];
		at.logical = st[COMPUTE_LOCAL_LOW / 4] | (u64)(st[COMPUTE_LOCAL_HIGH / 4] & 0xff) << 32;
	} else {
		at.inst = st[DMA_LOCAL / 4];
		at.logical = st[LOCAL_ADDRESS_LOW / 4] | (u64)(st[LOCAL_ADDRESS_HIGH / 4] & 0xff) << 32;
	}

	if (sim_vm_reaches(s, VMENG_PGRAPH, &at, write, is_compute))
		return true;

	if (is_compute) {
		sim_gr_program_trap(s, PROP_SLOT_LOCAL, at.logical);
		return false;
	}

	sim_missing(s, NVSIM_MISSING_LOCAL, at.logical,
		    "a fault at 0x%010llx, LOCAL_ADDRESS of 3D, which is not mapped",
		    (unsigned long long)at.logical);
	return true;
}

/* LOCAL_SIZE_LOG 0 disables local memory. */
bool sim_gr3d_has_local(struct nvsim *s, bool is_compute)
{
	return is_compute ? sim_compute_state(s)[COMPUTE_LOCAL_SIZE_LOG / 4] & 0xf :
			    sim_gr3d_state(s)[LOCAL_SIZE_LOG / 4] & 0xf;
}

bool sim_gr3d_stack(struct nvsim *s, bool is_compute, bool write)
{
	const u32 *st = is_compute ? sim_compute_state(s) : sim_gr3d_state(s);
	struct sim_place at = { .slot = SIM_GR_STACK };

	if (is_compute) {
		at.inst = st[COMPUTE_DMA_STACK / 4];
		at.logical = st[COMPUTE_STACK_LOW / 4] | (u64)(st[COMPUTE_STACK_HIGH / 4] & 0xff) << 32;
	} else {
		at.inst = st[DMA_STACK / 4];
		at.logical = st[STACK_ADDRESS_LOW / 4] | (u64)(st[STACK_ADDRESS_HIGH / 4] & 0xff) << 32;
	}

	if (sim_vm_reaches(s, VMENG_PGRAPH, &at, write, true))
		return true;

	sim_gr_program_trap(s, PROP_SLOT_STACK, at.logical);
	return false;
}

/* STACK_SIZE_LOG: the number of entries, of which a card has 4 at least. 0: there is no stack. */
u32 sim_gr3d_stack_entries(struct nvsim *s, bool is_compute)
{
	u32 log = is_compute ? sim_compute_state(s)[COMPUTE_STACK_SIZE_LOG / 4] :
			       sim_gr3d_state(s)[STACK_SIZE_LOG / 4];

	log &= 0xf;
	if (!log)
		return 0;

	return log > 3 ? 1u << (log - 1) : 4;
}

/* CALL_LIMIT_LOG: limited calls that may be active at once */
u32 sim_gr3d_call_limit(struct nvsim *s, enum sim_program program)
{
	u32 log;

	switch (program) {
	case SIM_PROGRAM_CP:
		log = sim_compute_state(s)[COMPUTE_CALL_LIMIT_LOG / 4];
		break;
	case SIM_PROGRAM_FP:
		log = sim_gr3d_state(s)[CALL_LIMIT_LOG / 4] >> 8;
		break;
	case SIM_PROGRAM_GP:
		log = sim_gr3d_state(s)[CALL_LIMIT_LOG / 4] >> 4;
		break;
	default:
		log = sim_gr3d_state(s)[CALL_LIMIT_LOG / 4];
	}

	log &= 0xf;
	if (!log)
		return 0;

	return log <= 8 ? 1u << (log - 1) : ~0u;
}

u8 *sim_compute_shared(struct nvsim *s, u32 address, u32 bytes)
{
	u32 size = sim_compute_state(s)[SHARED_SIZE / 4];

	/* The size comes from the context image, which a client may have changed. */
	if (size > SIM_SHARED || address > size || bytes > size - address)
		return NULL;

	return s->gr->shared + address;
}

/*
 * A tiled surface, where an address is a byte of a line, and above it the line. PITCH has the bytes of
 * a row of blocks, LIMIT the last byte and line, as Mesa's nv50 sets them.
 */
static bool reach_tiled(struct nvsim *s, u32 which, u32 address, void *buf, u32 bytes, bool write)
{
	const u32 *st = sim_compute_state(s);
	u32 mode = st[GLOBAL_MODE(which) / 4], lines = 4u << (mode >> 8 & 0xf);
	u32 limit = st[GLOBAL_LIMIT(which) / 4], x = sim_low(address), y = sim_high(address);
	struct sim_surface f = {
		.port = SIM_GR_GLOBAL,
		.inst = st[DMA_GLOBAL / 4],
		.block = mode >> 4 & 0xff,
		.width = st[GLOBAL_PITCH(which) / 4] / lines,
		.height = sim_high(limit) + 1,
		.address = st[GLOBAL_LOW(which) / 4] |
			   (u64)(st[GLOBAL_HIGH(which) / 4] & 0xff) << 32,
	};

	return x + bytes - 1 <= sim_low(limit) && y <= sim_high(limit) &&
	       sim_surface_row(s, &f, x, y, buf, bytes, write);
}

bool sim_compute_global(struct nvsim *s, u32 which, u32 address, void *buf, u32 bytes, bool write)
{
	const u32 *st = sim_compute_state(s);
	u64 base = st[GLOBAL_LOW(which) / 4] | (u64)(st[GLOBAL_HIGH(which) / 4] & 0xff) << 32;
	u32 limit = st[GLOBAL_LIMIT(which) / 4];
	bool is_linear = st[GLOBAL_MODE(which) / 4] & IS_LINEAR;

	if (!is_linear && reach_tiled(s, which, address, buf, bytes, write))
		return true;
	if (is_linear && (u64)address + bytes - 1 <= limit &&
	    sim_gr_vm(s, SIM_GR_GLOBAL, st[DMA_GLOBAL / 4], (base + address) & MASK40, buf, bytes,
		      write))
		return true;

	sim_gr_global_trap(s, (base + address) & MASK40, write);
	return false;
}
