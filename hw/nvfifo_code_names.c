// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Names of the hardware's codes. Names of units are rnndb's; the names that envytools'
 * documents use for the same units are PVDEC (PPDEC), PCRYPT2 (PCIPHER), PCRYPT3 (PSEC) and
 * PFIFO_BG (SEMAPHORE_BG).
 */
#include "nvfifo_code_names.h"

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

#include "nvfifo_code_table.h"

#define ARRAY_COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define UNKNOWN			"UNKNOWN"

struct code_name {
	unsigned int code;
	const char *name;
};

static const char *find_name(const struct code_name *names, unsigned int count, unsigned int code,
			     const char *unknown)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (names[i].code == code)
			return names[i].name;
	}

	return unknown;
}

/* Find the first of @names whose bits are set in @word */
static const char *find_bit(const struct code_name *names, unsigned int count, __u32 word)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (word & names[i].code)
			return names[i].name;
	}

	return UNKNOWN;
}

/* --- Chipsets ------------------------------------------------------------- */

#define CHIPSET_NAME(id, name) { id, name },

static const struct code_name chipset_names[] = {
	NVFIFO_CHIPSET_IDS(CHIPSET_NAME)
};

#undef CHIPSET_NAME

/**
 * nvfifo_chipset_name() - Get the name of a chipset
 * @chipset: its id, PMC_BOOT_0[28:20]
 *
 * Return: for example "G84", NULL if the chipset is not of this family.
 */
const char *nvfifo_chipset_name(unsigned int chipset)
{
	return find_name(chipset_names, ARRAY_COUNT(chipset_names), chipset, NULL);
}

/* --- Channels ------------------------------------------------------------- */

static const struct code_name ramfc_names[] = {
	{ NVFIFO_RAMFC_IB_PUT, "IB_PUT" },
	{ NVFIFO_RAMFC_IB_GET, "IB_GET" },
	{ NVFIFO_RAMFC_DMA_PUT, "DMA_PUT" },
	{ NVFIFO_RAMFC_DMA_PUT_HIGH, "DMA_PUT_HIGH" },
	{ NVFIFO_RAMFC_DMA_GET, "DMA_GET" },
	{ NVFIFO_RAMFC_DMA_GET_HIGH, "DMA_GET_HIGH" },
	{ NVFIFO_RAMFC_DMA_MGET, "DMA_MGET" },
	{ NVFIFO_RAMFC_DMA_MGET_HIGH, "DMA_MGET_HIGH" },
	{ NVFIFO_RAMFC_GET_HIGH_RDSHADOW, "GET_HIGH_RDSHADOW" },
	{ NVFIFO_RAMFC_PUT_HIGH_RDSHADOW, "PUT_HIGH_RDSHADOW" },
	{ NVFIFO_RAMFC_PUT_HIGH_WRSHADOW, "PUT_HIGH_WRSHADOW" },
	{ NVFIFO_RAMFC_MGET_HIGH_RDSHADOW, "MGET_HIGH_RDSHADOW" },
	{ NVFIFO_RAMFC_DMA_STATE, "DMA_STATE" },
	{ NVFIFO_RAMFC_METHOD_COUNT, "METHOD_COUNT" },
	{ NVFIFO_RAMFC_DMA_DCOUNT_SHADOW, "DMA_DCOUNT_SHADOW" },
	{ NVFIFO_RAMFC_DMA_FETCH, "DMA_FETCH" },
	{ NVFIFO_RAMFC_SUBROUTINE, "SUBROUTINE" },
	{ NVFIFO_RAMFC_DMA_TIMESLICE, "DMA_TIMESLICE" },
	{ NVFIFO_RAMFC_DMA_INSTANCE, "DMA_INSTANCE" },
	{ NVFIFO_RAMFC_DMA_LIMIT, "DMA_LIMIT" },
	{ NVFIFO_RAMFC_IB_ADDRESS_LOW, "IB_ADDRESS_LOW" },
	{ NVFIFO_RAMFC_IB_CONFIG, "IB_CONFIG" },
	{ NVFIFO_RAMFC_ENGINE, "ENGINE" },
	{ NVFIFO_RAMFC_PULL1, "PULL1" },
	{ NVFIFO_RAMFC_ACQUIRE_TIMEOUT, "ACQUIRE_TIMEOUT" },
	{ NVFIFO_RAMFC_ACQUIRE_TIMESTAMP, "ACQUIRE_TIMESTAMP" },
	{ NVFIFO_RAMFC_ACQUIRE_VALUE, "ACQUIRE_VALUE" },
	{ NVFIFO_RAMFC_SEMAPHORE, "SEMAPHORE" },
	{ NVFIFO_RAMFC_UNK0E4, "UNK0E4" },
	{ NVFIFO_RAMFC_REF, "REF" },
	{ NVFIFO_RAMFC_DEBUG_2, "DEBUG_2" },
	{ NVFIFO_RAMFC_SLI, "SLI" },
	{ NVFIFO_RAMFC_RAMHT, "RAMHT" },
	{ NVFIFO_RAMFC_CACHE_CNT, "CACHE_CNT" },
	{ NVFIFO_RAMFC_CACHE_INST, "CACHE_INST" },
	{ NVFIFO_RAMFC_SEMAPHORE_ADDRESS_HIGH, "SEMAPHORE_ADDRESS_HIGH" },
	{ NVFIFO_RAMFC_SEMAPHORE_ADDRESS_LOW, "SEMAPHORE_ADDRESS_LOW" },
	{ NVFIFO_RAMFC_SEMAPHORE_SEQUENCE, "SEMAPHORE_SEQUENCE" },
	{ NVFIFO_RAMFC_CHAN_INST, "CHAN_INST" },
	{ NVFIFO_RAMFC_MTHD_UNK28, "MTHD_UNK28" },
	{ NVFIFO_RAMFC_UNK304, "UNK304" },
};

/**
 * nvfifo_ramfc_name() - Get the name of a word of RAMFC
 * @offset: offset in bytes
 *
 * Return: the name, NULL for any other.
 */
const char *nvfifo_ramfc_name(unsigned int offset)
{
	return find_name(ramfc_names, ARRAY_COUNT(ramfc_names), offset, NULL);
}

/* --- Errors of PFIFO and PGRAPH ------------------------------------------- */

static const struct code_name pusher_error_names[] = {
	{ NVFIFO_PUSHER_NONE, "NONE" },
	{ NVFIFO_PUSHER_CALL_SUBR_ACTIVE, "CALL_SUBR_ACTIVE" },
	{ NVFIFO_PUSHER_INVALID_MTHD, "INVALID_MTHD" },
	{ NVFIFO_PUSHER_RET_SUBR_INACTIVE, "RET_SUBR_INACTIVE" },
	{ NVFIFO_PUSHER_INVALID_CMD, "INVALID_CMD" },
	{ NVFIFO_PUSHER_IB_EMPTY, "IB_EMPTY" },
	{ NVFIFO_PUSHER_MEM_FAULT, "MEM_FAULT" },
};

/**
 * nvfifo_pusher_error_name() - Get the name of an error of the pusher
 * @code: DMA_STATE[31:29]
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_pusher_error_name(unsigned int code)
{
	return find_name(pusher_error_names, ARRAY_COUNT(pusher_error_names), code, UNKNOWN);
}

static const struct code_name semaphore_error_names[] = {
	{ NVFIFO_SEMAPHORE_NONE, "NONE" },
	{ NVFIFO_SEMAPHORE_ADDRESS_UNALIGNED, "ADDRESS_UNALIGNED" },
	{ NVFIFO_SEMAPHORE_INVALID_STATE, "INVALID_STATE" },
	{ NVFIFO_SEMAPHORE_ADDRESS_TOO_LARGE, "ADDRESS_TOO_LARGE" },
	{ NVFIFO_SEMAPHORE_MEM_FAULT, "MEM_FAULT" },
};

/**
 * nvfifo_semaphore_error_name() - Get the name of an error of a semaphore method
 * @code: PULL0[23:20]
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_semaphore_error_name(unsigned int code)
{
	return find_name(semaphore_error_names, ARRAY_COUNT(semaphore_error_names), code, UNKNOWN);
}

/* Bits of PULL0. A reason earlier in the list excludes the later ones. */
static const struct code_name cache_error_names[] = {
	{ 1u << 4, "HASH_FAILED" },
	{ 1u << 24, "INVALID_ENGINE" },
	{ 1u << 8, "EMPTY_SUBCHANNEL" },
};

/**
 * nvfifo_cache_error_name() - Get the name of the reason of a CACHE_ERROR
 * @pull0: CACHE1.PULL0
 *
 * Return: the name, "UNKNOWN" if PULL0 has none of the bits.
 */
const char *nvfifo_cache_error_name(__u32 pull0)
{
	return find_bit(cache_error_names, ARRAY_COUNT(cache_error_names), pull0);
}

static const struct code_name gr_intr_names[] = {
	{ 0, "NOTIFY" },
	{ 1, "COMPUTE_QUERY" },
	{ 2, "SYNC" },
	{ 4, "ILLEGAL_MTHD" },
	{ 5, "ILLEGAL_CLASS" },
	{ 6, "DOUBLE_NOTIFY" },
	{ 12, "CONTEXT_SWITCH" },
	{ 16, "BUFFER_NOTIFY" },
	{ 20, "DATA_ERROR" },
	{ 21, "TRAP" },
	{ 24, "SINGLE_STEP" },
	{ 25, "CTXPROG_SINGLE_STEP" },
};

/**
 * nvfifo_gr_intr_name() - Get the name of one interrupt of PGRAPH
 * @bit: its bit in PGRAPH.INTR, 0 to 31
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_gr_intr_name(unsigned int bit)
{
	return find_name(gr_intr_names, ARRAY_COUNT(gr_intr_names), bit, UNKNOWN);
}

static const struct code_name gr_trap_names[] = {
	{ 0, "DISPATCH" }, { 1, "M2MF" },   { 2, "VFETCH" },
	{ 3, "STRMOUT" },  { 4, "CCACHE" }, { 5, "CLIPID" },
	{ 6, "TEX" },	   { 7, "MP" },	    { 8, "PROP" },
};

/**
 * nvfifo_gr_trap_name() - Get the name of a unit of PGRAPH that can trap
 * @bit: its bit in PGRAPH.TRAP, 0 to 31
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_gr_trap_name(unsigned int bit)
{
	return find_name(gr_trap_names, ARRAY_COUNT(gr_trap_names), bit, UNKNOWN);
}

/**
 * nvfifo_gr_unit_name() - Get the name of a unit of PGRAPH whose state is in VSTATUS
 * @reg: index of the register, 0 to 2
 * @unit: index of the three bits, from the lowest
 *
 * Return: the name, "" for any other.
 */
const char *nvfifo_gr_unit_name(unsigned int reg, unsigned int unit)
{
	static const char *const units[3][8] = {
		{ "VFETCH", "CCACHE", "PREGEOM", "POSTGEOM", "VATTR", "STRMOUT", "VCLIP" },
		{ "TPC_RAST", "TPC_PROP", "TPC_TEX", "TPC_GEOM", "TPC_MP" },
		{ "RATTR", "APLANE", "TRAST", "CLIPID", "ZCULL", "ENG2D", "RMASK", "ROP" },
	};

	if (reg >= 3 || unit >= 8 || !units[reg][unit])
		return "";

	return units[reg][unit];
}

/**
 * nvfifo_bits_names() - Get the names of all bits that are set in a word
 * @word: the word
 * @name: returns the name of a bit, 0 to 31, for example nvfifo_gr_intr_name()
 * @text: out: the names, from the lowest bit up, with a space between two; cut to @size
 * @size: bytes of @text, at least 1
 *
 * Return: @text.
 */
const char *nvfifo_bits_names(__u32 word, const char *(*name)(unsigned int bit), char *text,
			      unsigned int size)
{
	unsigned int bit, used = 0;
	const char *from;

	for (bit = 0; bit < 32; bit++) {
		if (!(word >> bit & 1))
			continue;

		if (used && used + 1 < size)
			text[used++] = ' ';
		for (from = name(bit); *from && used + 1 < size; from++)
			text[used++] = *from;
	}

	text[used] = '\0';

	return text;
}

/* In the order of their numbers */
static const struct code_name pfifo_method_names[] = {
	{ NVFIFO_MTHD_OBJECT, "OBJECT" },
	{ NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, "SEMAPHORE_ADDRESS_HIGH" },
	{ NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW, "SEMAPHORE_ADDRESS_LOW" },
	{ NVFIFO_MTHD_SEMAPHORE_SEQUENCE, "SEMAPHORE_SEQUENCE" },
	{ NVFIFO_MTHD_SEMAPHORE_TRIGGER, "SEMAPHORE_TRIGGER" },
	{ NVFIFO_MTHD_NOTIFY_INTR, "NOTIFY_INTR" },
	{ NVFIFO_MTHD_WRCACHE_FLUSH, "WRCACHE_FLUSH" },
	{ NVFIFO_MTHD_UNK28, "UNK28" },
	{ NVFIFO_MTHD_UNK2C, "UNK2C" },
	{ NVFIFO_MTHD_REF_CNT, "REF_CNT" },
	{ NVFIFO_MTHD_DMA_SEMAPHORE, "DMA_SEMAPHORE" },
	{ NVFIFO_MTHD_SEMAPHORE_OFFSET, "SEMAPHORE_OFFSET" },
	{ NVFIFO_MTHD_SEMAPHORE_ACQUIRE, "SEMAPHORE_ACQUIRE" },
	{ NVFIFO_MTHD_SEMAPHORE_RELEASE, "SEMAPHORE_RELEASE" },
	{ NVFIFO_MTHD_YIELD, "YIELD" },
};

static const struct code_name class_names[] = {
	{ 0x502d, "2D" },   { 0x5039, "M2MF" }, { 0x5097, "3D" },	  { 0x50c0, "COMPUTE" },
	{ 0x8297, "3D" },   { 0x8397, "3D" },	{ 0x8597, "3D" },	  { 0x85c0, "COMPUTE" },
	{ 0x8697, "3D" },   { 0x74c1, "CIPHER" }, { 0x85b5, "COPY" },
};

/**
 * nvfifo_engine_class_name() - Get the name of a class whose methods an engine executes
 * @oclass: the class
 *
 * Return: the name, "" for any other.
 */
const char *nvfifo_engine_class_name(unsigned int oclass)
{
	return find_name(class_names, ARRAY_COUNT(class_names), oclass, "");
}

/**
 * nvfifo_pfifo_method_name() - Get the name of a method that PFIFO executes itself
 * @method: its number
 *
 * Return: the name, NULL for any other.
 */
const char *nvfifo_pfifo_method_name(unsigned int method)
{
	return find_name(pfifo_method_names, ARRAY_COUNT(pfifo_method_names), method, NULL);
}

/**
 * nvfifo_pfifo_method_at() - Get one of the methods that PFIFO executes itself
 * @index: from 0 on
 * @method: out: number of the method
 *
 * Return: the name, NULL at the end.
 */
const char *nvfifo_pfifo_method_at(unsigned int index, unsigned int *method)
{
	if (index >= ARRAY_COUNT(pfifo_method_names))
		return NULL;

	*method = pfifo_method_names[index].code;

	return pfifo_method_names[index].name;
}

#define DATA_ERROR_NAME(code, name, means) { code, name },

static const struct code_name data_error_names[] = {
	NVFIFO_DATA_ERRORS(DATA_ERROR_NAME)
};

#undef DATA_ERROR_NAME

/**
 * nvfifo_data_error_name() - Get the name of the reason why a method of PGRAPH refused its data
 * @code: PGRAPH.DATA_ERROR
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_data_error_name(unsigned int code)
{
	return find_name(data_error_names, ARRAY_COUNT(data_error_names), code, UNKNOWN);
}

static const struct code_name mp_trap_names[] = {
	{ 0, "STACK_UNDERFLOW" }, { 1, "STACK_MISMATCH" }, { 2, "QUADON_ACTIVE" },
	{ 3, "TIMEOUT" },	  { 4, "INVALID_OPCODE" }, { 5, "PM_OVERFLOW" },
	{ 6, "BREAKPOINT" },
};

/**
 * nvfifo_mp_trap_name() - Get the name of a reason for a multiprocessor's trap
 * @bit: its bit in the multiprocessor's trap register, 0 to 31
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_mp_trap_name(unsigned int bit)
{
	return find_name(mp_trap_names, ARRAY_COUNT(mp_trap_names), bit, UNKNOWN);
}

static const struct code_name prop_trap_names[] = {
	{ 2, "SURF_WIDTH_OVERRUN" },
	{ 3, "SURF_HEIGHT_OVERRUN" },
	{ 4, "DST2D_FAULT" },
	{ 5, "ZETA_FAULT" },
	{ 6, "RT_FAULT" },
	{ 7, "CUDA_FAULT" },
	{ 8, "DST2D_STORAGE_TYPE_MISMATCH" },
	{ 9, "ZETA_STORAGE_TYPE_MISMATCH" },
	{ 10, "RT_STORAGE_TYPE_MISMATCH" },
	{ 11, "DST2D_LINEAR_MISMATCH" },
	{ 12, "RT_LINEAR_MISMATCH" },
};

/**
 * nvfifo_prop_trap_name() - Get the name of a reason for a trap of PROP
 * @bit: its bit in PROP's trap register, 0 to 31
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_prop_trap_name(unsigned int bit)
{
	return find_name(prop_trap_names, ARRAY_COUNT(prop_trap_names), bit, UNKNOWN);
}

#define GR_DATA_ERROR	(1u << 20)
#define GR_TRAP		(1u << 21)

/**
 * nvfifo_gr_error_names() - Describe an error of PGRAPH
 * @intr: PGRAPH.INTR
 * @detail: PGRAPH.TRAP if there is a trap, else PGRAPH.DATA_ERROR
 * @text: out: the interrupts and, after a colon, the units or the reason; cut to @size
 * @size: bytes of @text, at least 1
 */
void nvfifo_gr_error_names(__u32 intr, __u32 detail, char *text, unsigned int size)
{
	unsigned int used = 0;
	const char *reason;

	nvfifo_bits_names(intr, nvfifo_gr_intr_name, text, size);
	if (!(intr & (GR_TRAP | GR_DATA_ERROR)))
		return;

	while (text[used])
		used++;
	if (used + 3 > size)
		return;

	text[used++] = ':';
	text[used++] = ' ';
	if (intr & GR_TRAP) {
		nvfifo_bits_names(detail, nvfifo_gr_trap_name, text + used, size - used);
		return;
	}

	for (reason = nvfifo_data_error_name(detail); *reason && used + 1 < size; reason++)
		text[used++] = *reason;
	text[used] = '\0';
}

/* --- The MMU --------------------------------------------------------------- */

/**
 * nvfifo_target_name() - Get the name of a memory target
 * @target: enum nvfifo_target; higher bits do not count
 *
 * Return: the name.
 */
const char *nvfifo_target_name(unsigned int target)
{
	static const char * const names[] = { "VRAM", "INVALID", "SYSRAM_SNOOP", "SYSRAM_NOSNOOP" };

	return names[target & 3];
}

static const struct code_name fault_reason_names[] = {
	{ NVFIFO_FAULT_PT_NOT_PRESENT, "PT_NOT_PRESENT" },
	{ NVFIFO_FAULT_PT_TOO_SHORT, "PT_TOO_SHORT" },
	{ NVFIFO_FAULT_PAGE_NOT_PRESENT, "PAGE_NOT_PRESENT" },
	{ NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY, "PAGE_SUPERVISOR_ONLY" },
	{ NVFIFO_FAULT_PAGE_READ_ONLY, "PAGE_READ_ONLY" },
	{ NVFIFO_FAULT_NO_CHANNEL, "NO_CHANNEL" },
	{ NVFIFO_FAULT_NULL_DMAOBJ, "NULL_DMAOBJ" },
	{ NVFIFO_FAULT_WRONG_MEMTYPE, "WRONG_MEMTYPE" },
	{ NVFIFO_FAULT_VRAM_LIMIT, "VRAM_LIMIT" },
	{ NVFIFO_FAULT_DMAOBJ_LIMIT, "DMAOBJ_LIMIT" },
};

/**
 * nvfifo_fault_reason_name() - Get the name of the reason of a fault
 * @code: enum nvfifo_fault_reason
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_fault_reason_name(unsigned int code)
{
	return find_name(fault_reason_names, ARRAY_COUNT(fault_reason_names), code, UNKNOWN);
}

/*
 * Generations of the video units, on which the meaning of an engine or client number depends. ANY
 * is an unknown chip.
 */
#define ANY	(1u << 0)
#define VP1	(1u << 1)
#define VP2	(1u << 2)
#define VP3	(1u << 3)
#define GT215	(1u << 4)	/* VP4 but MCP89 */
#define MCP89	(1u << 5)
#define VP4	(GT215 | MCP89)
#define G84_ON	(ANY | VP2 | VP3 | VP4)
#define ALL	(ANY | VP1 | VP2 | VP3 | VP4)

static unsigned int generation(__u32 chipset)
{
	switch (chipset) {
	case 0x50:
		return VP1;
	case 0x84:
	case 0x86:
	case 0x92:
	case 0x94:
	case 0x96:
	case 0xa0:
		return VP2;
	case 0x98:
	case 0xaa:
	case 0xac:
		return VP3;
	case 0xa3:
	case 0xa5:
	case 0xa8:
		return GT215;
	case 0xaf:
		return MCP89;
	default:
		return ANY;
	}
}

/* Name of a number on the chips of @chips */
struct unit_name {
	unsigned int chips;
	unsigned int number;
	const char *name;
};

static const char *find_unit(const struct unit_name *names, unsigned int count, __u32 chipset,
			     unsigned int number, const char *unknown)
{
	unsigned int chips = generation(chipset);
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (names[i].number == number && names[i].chips & chips)
			return names[i].name;
	}

	return unknown;
}

static const struct unit_name vm_engine_names[] = {
	{ ALL, 0x0, "PGRAPH" },
	{ ANY, 0x1, "PVP" },
	{ VP1, 0x1, "PVP1" },
	{ VP2, 0x1, "PVP2" },
	{ VP3 | VP4, 0x1, "PPDEC" },
	{ ALL, 0x4, "PEEPHOLE" },
	{ ALL, 0x5, "PFIFO" },
	{ ALL, 0x6, "BAR" },
	{ ANY | VP1, 0x7, "PME" },
	{ MCP89, 0x7, "PVCOMP" },
	{ ANY | VP1 | VP2, 0x8, "PMPEG" },
	{ VP3 | VP4, 0x8, "PPPP" },
	{ ANY | VP2, 0x9, "PBSP" },
	{ VP3 | VP4, 0x9, "PVLD" },
	{ ANY | VP2, 0xa, "PCIPHER" },
	{ VP3, 0xa, "PSEC" },
	{ G84_ON, 0xb, "PCOUNTER" },
	{ G84_ON, 0xc, "SEMAPHORE_BG" },
	{ ANY | VP4, 0xd, "PCOPY" },
	{ ANY | VP4, 0xe, "PDAEMON" },
};

/**
 * nvfifo_fault_engine() - Get the name of a VM engine
 * @chipset: the chipset's id, 0 if not known
 * @engine: its number in the fault record and in TLB_FLUSH
 *
 * Return: the name, "" if the chip has no such engine.
 */
const char *nvfifo_fault_engine(__u32 chipset, unsigned int engine)
{
	return find_unit(vm_engine_names, ARRAY_COUNT(vm_engine_names), chipset, engine, "");
}

static const struct unit_name vm_client_names[] = {
	{ ALL, 0x00, "STRMOUT" },
	{ ALL, 0x03, "DISPATCH" },
	{ ALL, 0x04, "PFIFO_WRITE" },
	{ ALL, 0x05, "CCACHE" },
	{ VP1 | VP2, 0x06, "PVPE" },
	{ ANY | VP3 | VP4, 0x06, "PPPP" },
	{ ALL, 0x07, "CLIPID" },
	{ ALL, 0x08, "PFIFO_READ" },
	{ ALL, 0x09, "VFETCH" },
	{ ALL, 0x0a, "TEXTURE" },
	{ ALL, 0x0b, "PROP" },
	{ ANY | VP2, 0x0c, "PVP2" },
	{ VP3 | VP4, 0x0c, "PPDEC" },
	{ ANY | VP2, 0x0d, "PBSP" },
	{ VP3 | VP4, 0x0d, "PVLD" },
	{ ANY | VP2, 0x0e, "PCIPHER" },
	{ VP3, 0x0e, "PSEC" },
	{ G84_ON, 0x0f, "PCOUNTER" },
	{ ANY | VP4, 0x11, "PDAEMON" },
	{ ANY | VP4, 0x13, "PCOPY" },
	{ ANY | MCP89, 0x14, "PVCOMP" },
};

/**
 * nvfifo_fault_client() - Get the name of a client of the MMU
 * @chipset: the chipset's id, 0 if not known
 * @client: its number in the fault record
 *
 * Return: the name, "" if the chip has no such client.
 */
const char *nvfifo_fault_client(__u32 chipset, unsigned int client)
{
	return find_unit(vm_client_names, ARRAY_COUNT(vm_client_names), chipset, client, "");
}

static const char * const strmout_slots[] = { "STRMOUT" };

static const char * const dispatch_slots[] = {
	"GRCTX", "NOTIFY", "QUERY", "COND", "M2M_IN", "M2M_OUT", "M2M_NOTIFY",
};

static const char * const ccache_slots[] = { "CB", "TIC", "TSC" };

static const char * const clipid_slots[] = { "CLIPID" };

static const char * const vfetch_slots[] = { "VERTEX" };

static const char * const texture_slots[] = { "TEXTURE" };

static const char * const prop_slots[] = {
	"RT0", "RT1", "RT2", "RT3", "RT4", "RT5", "RT6", "RT7",
	"ZETA", "LOCAL", "GLOBAL", "STACK", "DST2D",
};

static const char * const peephole_slots[] = { "PEEPHOLE" };

static const char * const pfifo_slots[] = { "PUSHBUF", "SEMAPHORE" };

static const char * const bar_slots[] = { "BAR1", "BAR3" };

static const char * const context_slots[] = { "CONTEXT" };

static const char * const pmpeg_slots[] = { "CMD", "DATA", "IMAGE", "CONTEXT" };

static const char * const query_slots[] = { "QUERY" };

static const char * const pcipher_slots[] = { "CONTEXT", "SRC", "DST", "QUERY" };

static const char * const record_slots[] = { "RECORD" };

static const char * const port_slots[] = {
	"PORT0", "PORT1", "PORT2", "PORT3", "PORT4", "PORT5", "PORT6", "PORT7",
	"PORT8", "PORT9", "PORTA", "PORTB", "PORTC", "PORTD", "PORTE", "PORTF",
};

/* DMA slots @first to @first + @count - 1 of a client in an engine */
struct slot_names {
	unsigned int chips;
	unsigned int engine;
	unsigned int client;
	unsigned int first;
	unsigned int count;
	const char * const *names;
};

static const struct slot_names vm_slot_names[] = {
	{ ALL, 0x0, 0x00, 0, 1, strmout_slots },
	{ ALL, 0x0, 0x03, 0, 7, dispatch_slots },
	{ ALL, 0x0, 0x05, 0, 3, ccache_slots },
	{ ALL, 0x0, 0x07, 0, 1, clipid_slots },
	{ ALL, 0x0, 0x09, 0, 1, vfetch_slots },
	{ ALL, 0x0, 0x0a, 0, 1, texture_slots },
	{ ALL, 0x0, 0x0b, 0, 13, prop_slots },
	{ ALL, 0x4, 0x04, 0, 1, peephole_slots },
	{ ALL, 0x4, 0x08, 0, 1, peephole_slots },
	{ ALL, 0x5, 0x04, 0, 2, pfifo_slots },
	{ ALL, 0x5, 0x08, 0, 2, pfifo_slots },
	{ ALL, 0x6, 0x04, 0, 2, bar_slots },
	{ ALL, 0x6, 0x08, 0, 2, bar_slots },
	{ G84_ON, 0xc, 0x04, 0, 2, pfifo_slots },
	{ G84_ON, 0xc, 0x08, 0, 2, pfifo_slots },
	{ VP1, 0x1, 0x06, 8, 1, context_slots },
	{ VP1, 0x7, 0x06, 4, 1, context_slots },
	{ VP1 | VP2, 0x8, 0x06, 1, 4, pmpeg_slots },
	{ VP2, 0x8, 0x06, 5, 1, query_slots },
	{ G84_ON, 0xb, 0x0f, 0, 1, record_slots },
	{ VP2, 0x1, 0x0c, 0, 16, port_slots },
	{ VP2, 0x9, 0x0d, 0, 16, port_slots },
	{ VP2, 0xa, 0x0e, 0, 4, pcipher_slots },
	{ VP3 | VP4, 0x1, 0x0c, 0, 8, port_slots },
	{ VP3 | VP4, 0x8, 0x06, 0, 8, port_slots },
	{ VP3 | VP4, 0x9, 0x0d, 0, 8, port_slots },
	{ VP3, 0xa, 0x0e, 0, 8, port_slots },
	{ VP4, 0xd, 0x13, 0, 8, port_slots },
	{ VP4, 0xe, 0x11, 0, 8, port_slots },
	{ MCP89, 0x7, 0x14, 0, 8, port_slots },
};

/**
 * nvfifo_fault_slot() - Get the name of a DMA slot
 * @chipset: the chipset's id, 0 if not known
 * @engine: VM engine of the fault record
 * @client: client of the fault record
 * @slot: slot of the fault record
 *
 * Slots of clients that differ by chip have no name without the chipset. envytools' list
 * (docs/hw/memory/g80-vm.rst) is the source.
 *
 * Return: the name, "" if there is none.
 */
const char *nvfifo_fault_slot(__u32 chipset, unsigned int engine, unsigned int client,
			      unsigned int slot)
{
	unsigned int chips = generation(chipset);
	unsigned int i;

	for (i = 0; i < ARRAY_COUNT(vm_slot_names); i++) {
		const struct slot_names *s = &vm_slot_names[i];

		if (!(s->chips & chips) || s->engine != engine || s->client != client)
			continue;

		if (slot >= s->first && slot - s->first < s->count)
			return s->names[slot - s->first];
	}

	return "";
}

/* --- Engines of PFIFO ------------------------------------------------------ */

static const struct unit_name engine_names[] = {
	{ ALL, 0, "software" },
	{ ALL, 1, "PGRAPH" },
	{ ANY | VP1 | VP2, 2, "PMPEG" },
	{ VP3 | VP4, 2, "PPPP" },
	{ VP1, 3, "PME" },
	{ ANY | VP2 | VP3 | VP4, 3, "PCOPY" },
	{ VP1, 4, "PVP1" },
	{ ANY | VP2, 4, "PVP2" },
	{ VP3 | VP4, 4, "PPDEC" },
	{ ANY | VP1 | VP2, 5, "PCIPHER" },
	{ VP3 | GT215, 5, "PSEC" },
	{ MCP89, 5, "PVCOMP" },
	{ ANY | VP1 | VP2, 6, "PBSP" },
	{ VP3 | VP4, 6, "PVLD" },
};

/**
 * nvfifo_engine_name() - Get the name of an engine of PFIFO
 * @chipset: the chipset's id, 0 if not known
 * @engine: its number in RAMHT and in CACHE1.ENGINE; 0 for methods that no engine executes
 *
 * Return: the name, "unknown" for any other number.
 */
const char *nvfifo_engine_name(__u32 chipset, unsigned int engine)
{
	return find_unit(engine_names, ARRAY_COUNT(engine_names), chipset, engine, "unknown");
}
