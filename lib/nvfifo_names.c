// SPDX-License-Identifier: MIT
/* Names and meanings of register bits, codes and slots; names as in rnndb. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nvfifo_code_table.h"
#include "nvfifo_names.h"
#include "nvfifo_reg_table.h"

/* A bit and its name from the register table, so that all who name it agree */
#define FIELD(reg, field)	NV_##reg##__##field, #field

const struct nvfifo_name nvfifo_dma_push_bits[] = {
	{ FIELD(CACHE1_DMA_PUSH, ACCESS), "the pusher may fetch" },
	{ FIELD(CACHE1_DMA_PUSH, BUSY), "a fetch is under way" },
	{ FIELD(CACHE1_DMA_PUSH, EMPTY), "nothing is left to fetch" },
	{ FIELD(CACHE1_DMA_PUSH, SUSPENDED), "fetching is suspended" },
	{ 0 },
};

const struct nvfifo_name nvfifo_pull0_bits[] = {
	{ FIELD(CACHE1_PULL0, ACCESS), "the puller runs" },
	{ FIELD(CACHE1_PULL0, HASH_FAILED), "RAMHT has no entry for the handle" },
	{ FIELD(CACHE1_PULL0, DEVICE_SOFTWARE), "the subchannel's object belongs to no engine of the card" },
	{ FIELD(CACHE1_PULL0, HASH_BUSY), "a look-up in RAMHT is under way" },
	{ FIELD(CACHE1_PULL0, ACQUIRE_BUSY), "a semaphore acquire is under way" },
	{ FIELD(CACHE1_PULL0, INVALID_ENGINE), "the engine in the RAMHT entry does not exist" },
	{ FIELD(CACHE1_PULL0, MTHD_UNK2C_UNK0_0_UNK28_1),
	  "method 0x2c was refused: bit 28 is set, and bits 27:0 are 0 (MCP89)" },
	{ FIELD(CACHE1_PULL0, MTHD_UNK2C_UNK29_INVALID),
	  "method 0x2c was refused: bits 31:29 are more than 2 (MCP89)" },
	{ 0 },
};

const struct nvfifo_name nvfifo_pfifo_intr_bits[] = {
	{ FIELD(PFIFO_INTR, CACHE_ERROR), "the puller cannot execute a method" },
	{ FIELD(PFIFO_INTR, BAR_FAULT), "an access through BAR1 or BAR3 failed in the MMU" },
	{ FIELD(PFIFO_INTR, PEEPHOLE_FAULT), "an access through PEEPHOLE failed in the MMU" },
	{ FIELD(PFIFO_INTR, PIO_ERROR), "a submission by PIO went wrong" },
	{ FIELD(PFIFO_INTR, MTHD_UNK2C), "method 0x2c was refused (MCP89)" },
	{ FIELD(PFIFO_INTR, DMA_PUSHER), "the pusher stopped at an error" },
	{ FIELD(PFIFO_INTR, SEMAPHORE), "a semaphore method was refused" },
	{ FIELD(PFIFO_INTR, NOTIFY), "method 0x20 was executed" },
	{ 0 },
};

const struct nvfifo_name nvfifo_pgraph_intr_bits[] = {
	{ FIELD(PGRAPH_INTR, NOTIFY), "a notifier asked for an interrupt" },
	{ FIELD(PGRAPH_INTR, COMPUTE_QUERY), "a query asked for an interrupt" },
	{ FIELD(PGRAPH_INTR, SYNC), "a sync trap" },
	{ FIELD(PGRAPH_INTR, ILLEGAL_MTHD), "the class has no such method" },
	{ FIELD(PGRAPH_INTR, ILLEGAL_CLASS), "PGRAPH of this chipset has no such class" },
	{ FIELD(PGRAPH_INTR, DOUBLE_NOTIFY), "two notifies without a method between them" },
	{ FIELD(PGRAPH_INTR, CONTEXT_SWITCH), "a context switch wants the driver" },
	{ FIELD(PGRAPH_INTR, BUFFER_NOTIFY), "a buffer notifier asked for an interrupt" },
	{ FIELD(PGRAPH_INTR, DATA_ERROR), "a method refused its data" },
	{ FIELD(PGRAPH_INTR, TRAP), "a unit of PGRAPH stopped, see its TRAP line" },
	{ FIELD(PGRAPH_INTR, UNK22), NULL },
	{ FIELD(PGRAPH_INTR, SINGLE_STEP), "single step" },
	{ FIELD(PGRAPH_INTR, CTXPROG_SINGLE_STEP), "single step of the context program" },
	{ 0 },
};

const struct nvfifo_name nvfifo_pgraph_status_bits[] = {
	{ FIELD(PGRAPH_STATUS, BUSY), NULL },
	{ FIELD(PGRAPH_STATUS, DISPATCH), NULL },
	{ FIELD(PGRAPH_STATUS, UNK2), NULL },
	{ FIELD(PGRAPH_STATUS, UNK3), NULL },
	{ FIELD(PGRAPH_STATUS, UNK4), NULL },
	{ FIELD(PGRAPH_STATUS, UNK5), NULL },
	{ FIELD(PGRAPH_STATUS, M2MF), NULL },
	{ FIELD(PGRAPH_STATUS, UNK7), NULL },
	{ FIELD(PGRAPH_STATUS, CTXPROG), NULL },
	{ FIELD(PGRAPH_STATUS, VFETCH), NULL },
	{ FIELD(PGRAPH_STATUS, CCACHE_PREGEOM), NULL },
	{ FIELD(PGRAPH_STATUS, STRMOUT_VATTR_POSTGEOM), NULL },
	{ FIELD(PGRAPH_STATUS, VCLIP), NULL },
	{ FIELD(PGRAPH_STATUS, RATTR_APLANE), NULL },
	{ FIELD(PGRAPH_STATUS, TRAST), NULL },
	{ FIELD(PGRAPH_STATUS, CLIPID), NULL },
	{ FIELD(PGRAPH_STATUS, ZCULL), NULL },
	{ FIELD(PGRAPH_STATUS, ENG2D), NULL },
	{ FIELD(PGRAPH_STATUS, RMASK), NULL },
	{ FIELD(PGRAPH_STATUS, TPC_RAST), NULL },
	{ FIELD(PGRAPH_STATUS, TPC_PROP), NULL },
	{ FIELD(PGRAPH_STATUS, TPC_TEX), NULL },
	{ FIELD(PGRAPH_STATUS, TPC_GEOM), NULL },
	{ FIELD(PGRAPH_STATUS, TPC_MP), NULL },
	{ FIELD(PGRAPH_STATUS, ROP), NULL },
	{ 0 },
};

/* Of a unit, in three bits of VSTATUS; rnndb knows no names for the even ones. */
const struct nvfifo_name nvfifo_unit_states[] = {
	{ 0, "idle", NULL },
	{ 1, "busy", NULL },
	{ 3, "waiting", "for another unit" },
	{ 5, "blocked", NULL },
	{ 7, "paused", NULL },
	{ 0 },
};

const struct nvfifo_name nvfifo_ctxctl_states[] = {
	{ 0, "IDLE", NULL },
	{ 1, "FETCH", NULL },
	{ 2, "EXECUTE", NULL },
	{ 3, "SINGLE_STEP_WAIT", NULL },
	{ 0 },
};

const struct nvfifo_name nvfifo_pending_states[] = {
	{ 1, "PENDING", "set while something is trapped; the drivers of the family read it so" },
	{ 0 },
};

const struct nvfifo_name nvfifo_kind_names[] = {
	{ 0x00, "PITCH", NULL },
	{ 0x10, "S8_Z24_MS1", NULL },
	{ 0x11, "S8_Z24_MS2", NULL },
	{ 0x12, "S8_Z24_MS4", NULL },
	{ 0x13, "S8_Z24_MS8", NULL },
	{ 0x18, "S8_Z24_LSR_MS1", NULL },
	{ 0x19, "S8_Z24_LSR_MS2", NULL },
	{ 0x1a, "S8_Z24_LSR_MS4", NULL },
	{ 0x1b, "S8_Z24_LSR_MS8", NULL },
	{ 0x20, "Z24_S8_MS1", NULL },
	{ 0x21, "Z24_S8_MS2", NULL },
	{ 0x22, "Z24_S8_MS4", NULL },
	{ 0x23, "Z24_S8_MS8", NULL },
	{ 0x24, "Z24_C8_MS4_CS4", NULL },
	{ 0x25, "Z24_C8_MS4_CS12", NULL },
	{ 0x26, "Z24_C8_MS8_CS8", NULL },
	{ 0x28, "Z24_S8_MS1_LSR", NULL },
	{ 0x29, "Z24_S8_MS2_LSR", NULL },
	{ 0x2a, "Z24_S8_MS4_LSR", NULL },
	{ 0x2b, "Z24_S8_MS8_LSR", NULL },
	{ 0x2c, "Z24_C8_MS4_CS4_LSR", NULL },
	{ 0x2d, "Z24_C8_MS4_CS12_LSR", NULL },
	{ 0x2e, "Z24_C8_MS8_CS8_LSR", NULL },
	{ 0x40, "Z32_MS1", NULL },
	{ 0x41, "Z32_MS2", NULL },
	{ 0x42, "Z32_MS4", NULL },
	{ 0x43, "Z32_MS8", NULL },
	{ 0x44, "BLOCKLINEAR_24", NULL },
	{ 0x45, "BLOCKLINEAR_24_MS4", NULL },
	{ 0x46, "BLOCKLINEAR_24_MS8", NULL },
	{ 0x47, "Z32_MS1_LSR", NULL },
	{ 0x48, "Z32_MS2_LSR", NULL },
	{ 0x49, "Z32_MS4_LSR", NULL },
	{ 0x4a, "Z32_MS8_LSR", NULL },
	{ 0x4b, "BLOCKLINEAR_24_LSR", NULL },
	{ 0x4c, "BLOCKLINEAR_24_MS4_LSR", NULL },
	{ 0x4d, "BLOCKLINEAR_24_MS8_LSR", NULL },
	{ 0x54, "Z24_X8_S8_C8_X16_MS4_CS4", NULL },
	{ 0x55, "Z24_X8_S8_C8_X16_MS4_CS12", NULL },
	{ 0x56, "Z24_X8_S8_C8_X16_MS8_CS8", NULL },
	{ 0x60, "Z32_S8_X24_MS1", NULL },
	{ 0x61, "Z32_S8_X24_MS2", NULL },
	{ 0x62, "Z32_S8_X24_MS4", NULL },
	{ 0x63, "Z32_S8_X24_MS8", NULL },
	{ 0x64, "Z32_S8_C8_X16_MS4_CS4", NULL },
	{ 0x65, "Z32_S8_C8_X16_MS4_CS12", NULL },
	{ 0x66, "Z32_S8_C8_X16_MS8_CS8", NULL },
	{ 0x68, "Z16_MS1", NULL },
	{ 0x69, "Z16_MS2", NULL },
	{ 0x6a, "Z16_MS4", NULL },
	{ 0x6b, "Z16_MS8", NULL },
	{ 0x6c, "Z16_MS1_LSR", NULL },
	{ 0x6d, "Z16_MS2_LSR", NULL },
	{ 0x6e, "Z16_MS4_LSR", NULL },
	{ 0x6f, "Z16_MS8_LSR", NULL },
	{ 0x70, "BLOCKLINEAR", NULL },
	{ 0x72, "BLOCKLINEAR_LSR", NULL },
	{ 0x74, "BLOCKLINEAR_128", NULL },
	{ 0x76, "BLOCKLINEAR_128_LSR", NULL },
	{ 0x78, "BLOCKLINEAR_32_MS4", NULL },
	{ 0x79, "BLOCKLINEAR_32_MS8", NULL },
	{ 0x7a, "BLOCKLINEAR_32_MS4_LSR", NULL },
	{ 0x7b, "BLOCKLINEAR_32_MS8_LSR", NULL },
	{ 0x7c, "BLOCKLINEAR_64_MS4", NULL },
	{ 0x7d, "BLOCKLINEAR_64_MS8", NULL },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_bits[] = {
	{ FIELD(PGRAPH_TRAP, DISPATCH), "notifiers, queries, conditions, the context" },
	{ FIELD(PGRAPH_TRAP, M2MF), "memory copies" },
	{ FIELD(PGRAPH_TRAP, VFETCH), "reading of vertices" },
	{ FIELD(PGRAPH_TRAP, STRMOUT), "transform feedback" },
	{ FIELD(PGRAPH_TRAP, CCACHE), "code, constants, texture and sampler headers" },
	{ FIELD(PGRAPH_TRAP, CLIPID), "clip ids" },
	{ FIELD(PGRAPH_TRAP, TEX), "textures" },
	{ FIELD(PGRAPH_TRAP, MP), "shader programs" },
	{ FIELD(PGRAPH_TRAP, PROP), "render targets, memory of shaders" },
	{ 0 },
};

const struct nvfifo_name nvfifo_cipher_intr_bits[] = {
	{ FIELD(PCIPHER_INTR, INVALID_STATE), "methods came in an order that makes no sense" },
	{ FIELD(PCIPHER_INTR, ILLEGAL_MTHD), "the class has no such method" },
	{ FIELD(PCIPHER_INTR, ILLEGAL_CLASS), "the object's class is not PCIPHER's" },
	{ FIELD(PCIPHER_INTR, QUERY), "a query asked for an interrupt" },
	{ FIELD(PCIPHER_INTR, FAULT), "a memory access failed in the MMU" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_prop_bits[] = {
	{ FIELD(PGRAPH_PROP_TRAP, SURF_WIDTH_OVERRUN), "an access beyond the width of the surface" },
	{ FIELD(PGRAPH_PROP_TRAP, SURF_HEIGHT_OVERRUN), "an access beyond the height of the surface" },
	{ FIELD(PGRAPH_PROP_TRAP, DST2D_FAULT), "the 2D destination failed in the MMU" },
	{ FIELD(PGRAPH_PROP_TRAP, ZETA_FAULT), "the depth buffer failed in the MMU" },
	{ FIELD(PGRAPH_PROP_TRAP, RT_FAULT), "a render target failed in the MMU" },
	{ FIELD(PGRAPH_PROP_TRAP, CUDA_FAULT), "local, global or stack memory failed in the MMU" },
	{ FIELD(PGRAPH_PROP_TRAP, DST2D_STORAGE_TYPE_MISMATCH), "the 2D destination's pages have another storage type" },
	{ FIELD(PGRAPH_PROP_TRAP, ZETA_STORAGE_TYPE_MISMATCH), "the depth buffer's pages have another storage type" },
	{ FIELD(PGRAPH_PROP_TRAP, RT_STORAGE_TYPE_MISMATCH), "a render target's pages have another storage type" },
	{ FIELD(PGRAPH_PROP_TRAP, DST2D_LINEAR_MISMATCH), "linear or tiled: the 2D destination's pages differ from its methods" },
	{ FIELD(PGRAPH_PROP_TRAP, RT_LINEAR_MISMATCH), "linear or tiled: a render target's pages differ from its methods" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_tex_bits[] = {
	{ FIELD(PGRAPH_TEX_TRAP, ANY), "set with any other bit" },
	{ FIELD(PGRAPH_TEX_TRAP, FAULT), "a texture read failed in the MMU" },
	{ FIELD(PGRAPH_TEX_TRAP, STORAGE_TYPE_MISMATCH), "the texture's pages have another storage type" },
	{ FIELD(PGRAPH_TEX_TRAP, LINEAR_MISMATCH), "linear or tiled: the pages differ from the texture header" },
	{ FIELD(PGRAPH_TEX_TRAP, WRONG_MEMTYPE), "the texture's pages have a storage type that textures cannot have" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_mp_bits[] = {
	{ FIELD(PGRAPH_MPC_TRAP, LOCAL_LIMIT_READ), "a read beyond the end of local memory" },
	{ FIELD(PGRAPH_MPC_TRAP, LOCAL_LIMIT_WRITE), "a write beyond the end of local memory" },
	{ FIELD(PGRAPH_MPC_TRAP, STACK_LIMIT), "the stack ran over" },
	{ FIELD(PGRAPH_MPC_TRAP, GLOBAL_LIMIT_READ), "a read beyond the limit of global memory" },
	{ FIELD(PGRAPH_MPC_TRAP, GLOBAL_LIMIT_WRITE), "a write beyond the limit of global memory" },
	{ FIELD(PGRAPH_MPC_TRAP, MP0), "multiprocessor 0 stopped" },
	{ FIELD(PGRAPH_MPC_TRAP, MP1), "multiprocessor 1 stopped" },
	{ FIELD(PGRAPH_MPC_TRAP, GLOBAL_LIMIT_RED), "a reduction beyond the limit of global memory" },
	{ FIELD(PGRAPH_MPC_TRAP, GLOBAL_LIMIT_ATOM), "an atomic beyond the limit of global memory" },
	{ FIELD(PGRAPH_MPC_TRAP, MP2), "multiprocessor 2 stopped" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_mp_exec_bits[] = {
	{ FIELD(PGRAPH_MP0_TRAP, STACK_UNDERFLOW), "a return or join without its call" },
	{ FIELD(PGRAPH_MP0_TRAP, STACK_MISMATCH), "the stack's top entry is of another kind" },
	{ FIELD(PGRAPH_MP0_TRAP, QUADON_ACTIVE), "quadon inside of quadon" },
	{ FIELD(PGRAPH_MP0_TRAP, TIMEOUT), "the program ran for too long" },
	{ FIELD(PGRAPH_MP0_TRAP, INVALID_OPCODE), "no such instruction" },
	{ FIELD(PGRAPH_MP0_TRAP, PM_OVERFLOW), "a performance counter ran over" },
	{ FIELD(PGRAPH_MP0_TRAP, BREAKPOINT), "a breakpoint" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_m2mf_bits[] = {
	{ FIELD(PGRAPH_M2MF_TRAP, NOTIFY), "the notifier" },
	{ FIELD(PGRAPH_M2MF_TRAP, IN), "the source" },
	{ FIELD(PGRAPH_M2MF_TRAP, OUT), "the destination" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_dispatch_bits[] = {
	{ FIELD(PGRAPH_DISPATCH_TRAP, FAULT), "a notifier or a condition failed in the MMU" },
	{ FIELD(PGRAPH_DISPATCH_TRAP, QUERY), "a query failed in the MMU" },
	{ FIELD(PGRAPH_DISPATCH_TRAP, GRCTX_FAULT_MMIO), "the context's registers failed in the MMU" },
	{ FIELD(PGRAPH_DISPATCH_TRAP, GRCTX_FAULT_XFER1), "the context's first area failed in the MMU" },
	{ FIELD(PGRAPH_DISPATCH_TRAP, GRCTX_FAULT_XFER2), "the context's second area failed in the MMU" },
	{ 0 },
};

/* Of every falcon; the firmware of its engine uses those from bit 8 on. */
const struct nvfifo_name nvfifo_falcon_intr_bits[] = {
	{ 1u << 0, "PERIODIC", "the periodic timer" },
	{ 1u << 1, "WATCHDOG", "the watchdog ran out" },
	{ 1u << 2, "FIFO_DATA", "methods of PFIFO wait" },
	{ 1u << 3, "CHANNEL_SWITCH", "PFIFO wants another channel" },
	{ 1u << 4, "EXIT", "the firmware has ended" },
	{ 1u << 5, "PAUSE", "the falcon stopped" },
	{ 1u << 6, "USER1", "the firmware calls the driver: it refused a method" },
	{ 1u << 7, "USER2", "the firmware calls the driver" },
	{ 0 },
};

const struct nvfifo_name nvfifo_mpeg_intr_bits[] = {
	{ 1u << 0, "SYNC", "a sync command asked for an interrupt" },
	{ 1u << 4, "UNK4", NULL },
	{ 1u << 8, "FETCH_DONE", "all commands are read" },
	{ 1u << 16, "ERROR", "a command, its data or a memory access is wrong" },
	{ 1u << 20, "UNK20", NULL },
	{ 1u << 24, "FIFO_ERR", "a method was refused" },
	{ 0 },
};

/* PMPEG's FIFO_ERR */
const struct nvfifo_name nvfifo_mpeg_error_bits[] = {
	{ 1u << 0, "CLEAR", NULL },
	{ 1u << 4, "ILLEGAL_MTHD", "the class has no such method" },
	{ 1u << 5, "ILLEGAL_VALUE", "the data do not fit the method; nouveau gets it when an object is bound" },
	{ 1u << 12, "PIO_OVERFLOW", "methods came faster than they were taken" },
	{ 1u << 13, "ILLEGAL_EXEC", "EXEC was not allowed" },
	{ 0 },
};

const struct nvfifo_name nvfifo_trap_fault_bits[] = {
	{ FIELD(PGRAPH_VFETCH_TRAP, FAULT), "a memory access failed in the MMU" },
	{ 0 },
};

#define DATA_ERROR(code, name, means) { code, name, means },

const struct nvfifo_name nvfifo_data_errors[] = {
	NVFIFO_DATA_ERRORS(DATA_ERROR)
	{ 0 },
};

#undef DATA_ERROR

const struct nvfifo_name nvfifo_pusher_errors[] = {
	{ 0, "NONE", "no error" },
	{ 1, "CALL_SUBR_ACTIVE", "a call inside of a subroutine" },
	{ 2, "INVALID_MTHD", "a method below 0x100 that PFIFO of this chipset does not know" },
	{ 3, "RET_SUBR_INACTIVE", "a return outside of a subroutine" },
	{ 4, "INVALID_CMD", "a word that is not a command of the pusher" },
	{ 5, "IB_EMPTY", "an IB entry with length 0" },
	{ 6, "MEM_FAULT", "reading the ring or the pushbuffer failed in the MMU" },
	{ 7, "UNKNOWN", "an unknown error" },
	{ 0 },
};

const struct nvfifo_name nvfifo_semaphore_errors[] = {
	{ 0, "NONE", "no error" },
	{ 1, "ADDRESS_UNALIGNED", "the address is not a multiple of 4" },
	{ 2, "INVALID_STATE", "acquire or release without an offset" },
	{ 3, "ADDRESS_TOO_LARGE", "the offset has more than 16, or the address more than 40 bits" },
	{ 4, "MEM_FAULT", "the semaphore's memory failed in the MMU" },
	{ 0 },
};

/* enum drm_nvfifo_hang */
const struct nvfifo_name nvfifo_hangs[] = {
	{ 1, "SEMAPHORE", "it waits for a semaphore that nobody releases" },
	{ 2, "GRAPH", "it hangs in PGRAPH" },
	{ 3, "PFIFO", "its commands do not come to an end in PFIFO" },
	{ 4, "TURN", "it waits for its turn, because other channels occupy the card" },
	{ 0 },
};

const struct nvfifo_name nvfifo_fault_reasons[] = {
	{ 0x0, "PT_NOT_PRESENT", "PDE says no page table for this 512 MiB range" },
	{ 0x1, "PT_TOO_SHORT", "the page table ends before this page" },
	{ 0x2, "PAGE_NOT_PRESENT", "page table exists, PTE valid bit 0 clear" },
	{ 0x3, "PAGE_SUPERVISOR_ONLY", "the page is for supervisor accesses only" },
	{ 0x4, "PAGE_READ_ONLY", "a write to a page or object that is read only" },
	{ 0x5, "NO_CHANNEL", "the engine has no channel loaded" },
	{ 0x6, "NULL_DMAOBJ",
	  "engine used a DMA object slot that is zero (context or object not set up)" },
	{ 0x7, "WRONG_MEMTYPE", "the page has a storage type that does not exist or does not fit" },
	{ 0xb, "VRAM_LIMIT", "the page lies beyond the end of VRAM" },
	{ 0xf, "DMAOBJ_LIMIT", "the address lies beyond the DMA object's limit" },
	{ 0 },
};

const struct nvfifo_name *nvfifo_name_find(const struct nvfifo_name *table, __u32 value)
{
	for (; table->name; table++) {
		if (table->value == value)
			return table;
	}
	return NULL;
}

void nvfifo_bits_text(const struct nvfifo_name *table, __u32 value, const char *prefix,
		      const char *separator, char *buf, size_t size)
{
	const struct nvfifo_name *n;
	size_t used = 0;
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < 32 && used < size; i++) {
		if (!(value >> i & 1))
			continue;

		n = nvfifo_name_find(table, 1u << i);
		if (n)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
						 used ? separator : "", n->name);
		else if (prefix)
			used += (size_t)snprintf(buf + used, size - used, "%s%s%u",
						 used ? separator : "", prefix, i);
	}
}

void nvfifo_vstatus_text(unsigned int reg, __u32 value, unsigned int state, char *buf, size_t size)
{
	size_t used = 0;
	const char *name;
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < 8 && used < size; i++) {
		name = nvfifo_gr_unit_name(reg, i);
		if (*name && (value >> i * 3 & 7) == state)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? " " : "",
						 name);
	}
}
