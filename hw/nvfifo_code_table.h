/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Codes of the hardware. nvfifo_code_names.h gives their names.
 */
#ifndef _NVFIFO_CODE_TABLE_H_
#define _NVFIFO_CODE_TABLE_H_

/* Chipset ids, PMC_BOOT_0[28:20]. Their numeric order is not their order of release. */
#define NVFIFO_CHIPSET_IDS(X) \
	X(0x50, "G80") X(0x84, "G84") X(0x86, "G86") X(0x92, "G92") X(0x94, "G94") \
	X(0x96, "G96") X(0x98, "G98") X(0xa0, "G200") X(0xaa, "MCP77") X(0xac, "MCP79") \
	X(0xa3, "GT215") X(0xa5, "GT216") X(0xa8, "GT218") X(0xaf, "MCP89")

/* DMA_STATE[31:29] */
enum nvfifo_pusher_error {
	NVFIFO_PUSHER_NONE = 0,
	NVFIFO_PUSHER_CALL_SUBR_ACTIVE = 1,
	NVFIFO_PUSHER_INVALID_MTHD = 2,
	NVFIFO_PUSHER_RET_SUBR_INACTIVE = 3,
	NVFIFO_PUSHER_INVALID_CMD = 4,
	NVFIFO_PUSHER_IB_EMPTY = 5,
	NVFIFO_PUSHER_MEM_FAULT = 6,
};

/* PULL0[23:20] */
enum nvfifo_semaphore_error {
	NVFIFO_SEMAPHORE_NONE = 0,
	NVFIFO_SEMAPHORE_ADDRESS_UNALIGNED = 1,
	NVFIFO_SEMAPHORE_INVALID_STATE = 2,
	NVFIFO_SEMAPHORE_ADDRESS_TOO_LARGE = 3,
	NVFIFO_SEMAPHORE_MEM_FAULT = 4,
};

/*
 * PGRAPH.DATA_ERROR: why a method refused its data. Codes and names are those of rnndb's
 * G80_PGRAPH_DATA_ERROR and, where they differ, of nouveau. Two more of rnndb's, 98 and a5, are of
 * later cards. Documentation/not-modelled.rst says which of them the model raises.
 */
#define NVFIFO_DATA_ERRORS(X) \
	X(0x03, "INVALID_OPERATION", "the method is not allowed in this state") \
	X(0x04, "INVALID_VALUE", "the data are out of range") \
	X(0x05, "INVALID_ENUM", "the data are none of the values that the method knows") \
	X(0x08, "INVALID_OBJECT", "the DMA object's class does not fit") \
	X(0x09, "READ_ONLY_OBJECT", "the DMA object is for reading only") \
	X(0x0a, "SUPERVISOR_OBJECT", "the DMA object is for supervisor accesses") \
	X(0x0b, "INVALID_ADDRESS_ALIGNMENT", "the address is not aligned as the method wants") \
	X(0x0c, "INVALID_BITFIELD", "bits that must be 0 are set") \
	X(0x0d, "BEGIN_END_ACTIVE", \
	  "the method is not allowed between VERTEX_BEGIN and VERTEX_END") \
	X(0x0e, "SEMANTIC_COLOR_BACK_OVER_LIMIT", \
	  "SEMANTIC_COLOR names a back color that is not in the result map") \
	X(0x0f, "VIEWPORT_ID_NEEDS_GP", "a viewport id needs a geometry program") \
	X(0x10, "RT_DOUBLE_BIND", "RT_CONTROL names a render target twice") \
	X(0x11, "RT_TYPES_MISMATCH", "render targets of different types") \
	X(0x12, "RT_LINEAR_WITH_ZETA", "a linear render target with a depth buffer") \
	X(0x15, "FP_TOO_FEW_REGS", "the fragment program has too few registers") \
	X(0x16, "ZETA_FORMAT_CSAA_MISMATCH", \
	  "coverage samples in the depth format or in the mode of multisampling only") \
	X(0x17, "RT_LINEAR_WITH_MSAA", "a linear render target with multisampling") \
	X(0x18, "FP_INTERPOLANT_START_OVER_LIMIT", \
	  "FP_INTERPOLANT_CTRL begins past the end of the result map") \
	X(0x19, "SEMANTIC_LAYER_OVER_LIMIT", \
	  "SEMANTIC_LAYER names a result that is not in the result map") \
	X(0x1a, "RT_INVALID_ALIGNMENT", "the render target's address or size is not aligned") \
	X(0x1b, "SAMPLER_OVER_LIMIT", "TEX_LIMITS has fewer samplers") \
	X(0x1c, "TEXTURE_OVER_LIMIT", "TEX_LIMITS has fewer textures") \
	X(0x1e, "GP_TOO_MANY_OUTPUTS", "the geometry program has too many outputs") \
	X(0x1f, "RT_BPP128_WITH_MS8", "128 bits per pixel with eight samples") \
	X(0x21, "Z_OUT_OF_BOUNDS", "the layer is outside of the surface") \
	X(0x23, "XY_OUT_OF_BOUNDS", "the rectangle is outside of the surface") \
	X(0x24, "VP_ZERO_INPUTS", "the vertex program has no inputs") \
	X(0x27, "CP_MORE_PARAMS_THAN_SHARED", "more parameters than shared memory") \
	X(0x28, "CP_NO_REG_SPACE_STRIPED", "too few registers for the block") \
	X(0x29, "CP_NO_REG_SPACE_PACKED", "too few registers for the block") \
	X(0x2a, "CP_NOT_ENOUGH_WARPS", "a block of more warps than a multiprocessor runs") \
	X(0x2b, "CP_BLOCK_SIZE_MISMATCH", "BLOCK_ALLOC has more threads than the block") \
	X(0x2c, "CP_NOT_ENOUGH_LOCAL_WARPS", \
	  "a block of more warps than LOCAL_WARPS_LOG_ALLOC has") \
	X(0x2d, "CP_NOT_ENOUGH_STACK_WARPS", \
	  "a block of more warps than STACK_WARPS_LOG_ALLOC has") \
	X(0x2e, "CP_NO_BLOCKDIM_LATCH", "the block's size was not latched") \
	X(0x31, "ENG2D_FORMAT_MISMATCH", "source and destination formats do not go together") \
	X(0x33, "ENG2D_OPERATION_ILLEGAL_FOR_DST_FORMAT", \
	  "the destination format allows no such OPERATION") \
	X(0x34, "ENG2D_FORMAT_MISMATCH_B", \
	  "the destination format takes sources of its own format only") \
	X(0x3f, "PRIMITIVE_ID_NEEDS_GP", "a primitive id needs a geometry program") \
	X(0x44, "SEMANTIC_VIEWPORT_OVER_LIMIT", \
	  "SEMANTIC_VIEWPORT names a result that is not in the result map") \
	X(0x45, "SEMANTIC_COLOR_FRONT_OVER_LIMIT", \
	  "SEMANTIC_COLOR names a front color that is not in the result map") \
	X(0x46, "LAYER_ID_NEEDS_GP", "a layer id needs a geometry program") \
	X(0x47, "SEMANTIC_CLIP_OVER_LIMIT", \
	  "SEMANTIC_CLIP names a clip distance that is not in the result map") \
	X(0x48, "SEMANTIC_PTSZ_OVER_LIMIT", \
	  "SEMANTIC_PTSZ names a point size that is not in the result map") \
	X(0x51, "M2MF_LINE_LENGTH_EXCEEDS_PITCH_IN", \
	  "lines are longer than the pitch of the source") \
	X(0x53, "M2MF_LINE_LENGTH_EXCEEDS_PITCH_OUT", \
	  "lines are longer than the pitch of the destination")

/*
 * VM engines, the numbers in TLB_FLUSH, too. Some numbers belong to another unit on other
 * chips: these are the names of the first chip that has a unit there; see
 * nvfifo_fault_engine().
 */
enum nvfifo_vm_engine {
	NVFIFO_VM_PGRAPH = 0x0,
	NVFIFO_VM_PVP = 0x1,
	NVFIFO_VM_PEEPHOLE = 0x4,
	NVFIFO_VM_PFIFO = 0x5,
	NVFIFO_VM_BAR = 0x6,
	NVFIFO_VM_PME = 0x7,
	NVFIFO_VM_PMPEG = 0x8,
	NVFIFO_VM_PBSP = 0x9,
	NVFIFO_VM_PCIPHER = 0xa,
	NVFIFO_VM_PCOUNTER = 0xb,
	NVFIFO_VM_SEMAPHORE_BG = 0xc,		/* G84 and later */
	NVFIFO_VM_PCOPY = 0xd,
	NVFIFO_VM_PDAEMON = 0xe,
};

/* Why the MMU refused an access */
enum nvfifo_fault_reason {
	NVFIFO_FAULT_PT_NOT_PRESENT = 0x0,
	NVFIFO_FAULT_PT_TOO_SHORT = 0x1,
	NVFIFO_FAULT_PAGE_NOT_PRESENT = 0x2,
	NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY = 0x3,
	NVFIFO_FAULT_PAGE_READ_ONLY = 0x4,
	NVFIFO_FAULT_NO_CHANNEL = 0x5,
	NVFIFO_FAULT_NULL_DMAOBJ = 0x6,
	NVFIFO_FAULT_WRONG_MEMTYPE = 0x7,
	NVFIFO_FAULT_VRAM_LIMIT = 0xb,
	NVFIFO_FAULT_DMAOBJ_LIMIT = 0xf,
};

/* Methods of PFIFO itself. */
enum nvfifo_pfifo_method {
	NVFIFO_MTHD_OBJECT = 0x00,
	NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH = 0x10, /* from here on G84 and later */
	NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW = 0x14,
	NVFIFO_MTHD_SEMAPHORE_SEQUENCE = 0x18,
	NVFIFO_MTHD_SEMAPHORE_TRIGGER = 0x1c,
	NVFIFO_MTHD_NOTIFY_INTR = 0x20,
	NVFIFO_MTHD_WRCACHE_FLUSH = 0x24,
	NVFIFO_MTHD_UNK28 = 0x28,		/* MCP89 */
	NVFIFO_MTHD_UNK2C = 0x2c,		/* MCP89 */
	NVFIFO_MTHD_REF_CNT = 0x50,		/* from here on all chipsets again */
	NVFIFO_MTHD_DMA_SEMAPHORE = 0x60,
	NVFIFO_MTHD_SEMAPHORE_OFFSET = 0x64,
	NVFIFO_MTHD_SEMAPHORE_ACQUIRE = 0x68,
	NVFIFO_MTHD_SEMAPHORE_RELEASE = 0x6c,
	NVFIFO_MTHD_YIELD = 0x80,
};

/* Offsets in RAMFC. */
enum nvfifo_ramfc_offset {
	NVFIFO_RAMFC_IB_PUT = 0x00,
	NVFIFO_RAMFC_IB_GET = 0x04,
	NVFIFO_RAMFC_DMA_PUT = 0x08,
	NVFIFO_RAMFC_DMA_PUT_HIGH = 0x0c,
	NVFIFO_RAMFC_DMA_GET = 0x10,
	NVFIFO_RAMFC_DMA_GET_HIGH = 0x14,
	NVFIFO_RAMFC_DMA_MGET = 0x18,
	NVFIFO_RAMFC_DMA_MGET_HIGH = 0x1c,
	NVFIFO_RAMFC_GET_HIGH_RDSHADOW = 0x20,
	NVFIFO_RAMFC_PUT_HIGH_RDSHADOW = 0x24,
	NVFIFO_RAMFC_PUT_HIGH_WRSHADOW = 0x28,
	NVFIFO_RAMFC_MGET_HIGH_RDSHADOW = 0x2c,
	NVFIFO_RAMFC_DMA_STATE = 0x30,
	NVFIFO_RAMFC_METHOD_COUNT = 0x34,
	NVFIFO_RAMFC_DMA_DCOUNT_SHADOW = 0x38,
	NVFIFO_RAMFC_DMA_FETCH = 0x3c,
	NVFIFO_RAMFC_SUBROUTINE = 0x40,
	NVFIFO_RAMFC_DMA_TIMESLICE = 0x44,
	NVFIFO_RAMFC_DMA_INSTANCE = 0x48,
	NVFIFO_RAMFC_DMA_LIMIT = 0x4c,
	NVFIFO_RAMFC_IB_ADDRESS_LOW = 0x50,
	NVFIFO_RAMFC_IB_CONFIG = 0x54,
	NVFIFO_RAMFC_ENGINE = 0x58,
	NVFIFO_RAMFC_PULL1 = 0x5c,
	NVFIFO_RAMFC_ACQUIRE_TIMEOUT = 0x60,
	NVFIFO_RAMFC_ACQUIRE_TIMESTAMP = 0x64,
	NVFIFO_RAMFC_ACQUIRE_VALUE = 0x68,
	NVFIFO_RAMFC_SEMAPHORE = 0x6c,
	NVFIFO_RAMFC_UNK0E4 = 0x70,
	NVFIFO_RAMFC_REF = 0x74,
	NVFIFO_RAMFC_DEBUG_2 = 0x78,
	NVFIFO_RAMFC_SLI = 0x7c,
	NVFIFO_RAMFC_RAMHT = 0x80,
	NVFIFO_RAMFC_CACHE_CNT = 0x84,
	NVFIFO_RAMFC_CACHE_INST = 0x88,		/* from here on G84 and later */
	NVFIFO_RAMFC_SEMAPHORE_ADDRESS_HIGH = 0x8c,
	NVFIFO_RAMFC_SEMAPHORE_ADDRESS_LOW = 0x90,
	NVFIFO_RAMFC_SEMAPHORE_SEQUENCE = 0x94,
	NVFIFO_RAMFC_CHAN_INST = 0x98,
	NVFIFO_RAMFC_MTHD_UNK28 = 0x9c,		/* MCP89 */
	NVFIFO_RAMFC_UNK304 = 0xa0,		/* MCP89 */
};

/*
 * Memory targets, the same in PTEs, PDEs, channel descriptors, the playlist and the PRAMIN
 * window. DMA objects have their own.
 */
enum nvfifo_target {
	NVFIFO_TARGET_VRAM = 0,
	NVFIFO_TARGET_INVALID = 1,
	NVFIFO_TARGET_SYS_SNOOP = 2,
	NVFIFO_TARGET_SYS_NOSNOOP = 3,
};

enum nvfifo_dmaobj_target {
	NVFIFO_DMAOBJ_VM = 0,
	NVFIFO_DMAOBJ_VRAM = 1,
	NVFIFO_DMAOBJ_SYS_SNOOP = 2,
	NVFIFO_DMAOBJ_SYS_NOSNOOP = 3,
};

/* VM: the PTE decides. */
enum nvfifo_dmaobj_access {
	NVFIFO_DMAOBJ_ACCESS_VM = 0,
	NVFIFO_DMAOBJ_ACCESS_RO = 1,
	NVFIFO_DMAOBJ_ACCESS_RW = 2,
};

enum nvfifo_dmaobj_user {
	NVFIFO_DMAOBJ_USER_VM = 0,
	NVFIFO_DMAOBJ_USER_BOTH = 1,
	NVFIFO_DMAOBJ_USER_SUPERVISOR = 2,
};

/* PDE[1:0], the size of the pages */
enum nvfifo_pt_type {
	NVFIFO_PT_NONE = 0,
	NVFIFO_PT_64K = 1,
	NVFIFO_PT_16K = 2,			/* GT215 and later */
	NVFIFO_PT_4K = 3,
};

/* Values of method SEMAPHORE_TRIGGER */
enum nvfifo_semaphore_trigger {
	NVFIFO_TRIGGER_ACQUIRE_EQUAL = 1,
	NVFIFO_TRIGGER_RELEASE = 2,
	NVFIFO_TRIGGER_ACQUIRE_GEQUAL = 4,
};

/* Storage types with the normal order of banks, and with the swapped one (LSR) */
enum nvfifo_kind_class {
	NVFIFO_KIND_INVALID = 0,
	NVFIFO_KIND_PLAIN = 1,
	NVFIFO_KIND_SWIZZLED = 2,
};

/*
 * Classes of the storage types of all chipsets together: two bits a type, 16 types
 * a word, type 0x00 in the lowest bits. LSR types have their banks swapped.
 */
#define NVFIFO_KIND_MAP { \
	0x00000001,	/* 00-0f: 00 */ \
	0x00aa0055,	/* 10-1f: 10-13, LSR 18-1b */ \
	0x2aaa1555,	/* 20-2f: 20-26, LSR 28-2e */ \
	0x00000000,	/* 30-3f */ \
	0x0aaa9555,	/* 40-4f: 40-46, LSR 47-4d */ \
	0x00001500,	/* 50-5f: 54-56 */ \
	0xaa551555,	/* 60-6f: 60-66, 68-6b, LSR 6c-6f */ \
	0x05a52121,	/* 70-7f: 70, 74, 78, 79, 7c, 7d, LSR 72, 76, 7a, 7b */ \
}

#endif
