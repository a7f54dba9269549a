// SPDX-License-Identifier: MIT
/*
 * Advice for traps of PGRAPH's units: a table by unit and bit.
 * The bits and their names are rnndb's, the meaning of PROP's last word is pscnv's.
 */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"

/* Advice for a bit, or with bit 0 for a unit whose bits set have none. */
struct trap_advice {
	const char *unit;
	__u32 bit;
	const char *advice;
};

#define MAPPED	"the VM fault line of the same time has the address and the reason; is the buffer mapped there, large enough, and still alive?"
#define TYPES	"compare the storage type of the mapping (kind) with the tile mode and format that the methods set."

static const struct trap_advice advices[] = {
	{ "DISPATCH", 1u << 0, "DISPATCH could not write a notifier or read a condition: is its DMA object bound, and its address mapped?" },
	{ "DISPATCH", 1u << 1, "DISPATCH could not write a query: is QUERY_ADDRESS mapped, and its DMA object the right one?" },
	{ "DISPATCH", 1u << 2, "The context program could not read or write the channel's saved registers: the context buffer is not mapped or was freed. The driver's mistake." },
	{ "DISPATCH", 1u << 3, "The context program could not move the first area of the context: the context buffer is too small, not mapped or was freed. The driver's mistake." },
	{ "DISPATCH", 1u << 4, "The context program could not move the second area of the context: the context buffer is too small, not mapped or was freed. The driver's mistake." },
	{ "M2MF", 1u << 0, "M2MF could not write its notifier: is DMA_NOTIFY bound and mapped?" },
	{ "M2MF", 1u << 1, "M2MF could not read the source: " MAPPED " OFFSET_IN, LINE_LENGTH_IN, LINE_COUNT and PITCH_IN decide how far the copy reads." },
	{ "M2MF", 1u << 2, "M2MF could not write the destination: " MAPPED " OFFSET_OUT, LINE_COUNT and PITCH_OUT decide how far the copy writes." },
	{ "VFETCH", 1u << 0, "Vertices or indices could not be read: " MAPPED " VERTEX_ARRAY_START and _LIMIT, and the largest index, decide how far it reads." },
	{ "STRMOUT", 1u << 0, "Transform feedback could not write: " MAPPED " STRMOUT_ADDRESS and the number of primitives decide how far it writes." },
	{ "CCACHE", 1u << 0, "Code, constants, or texture and sampler headers could not be read: " MAPPED " CODE_ADDRESS, CB_ADDRESS, TIC_ADDRESS and TSC_ADDRESS are the buffers." },
	{ "UNKC04", 1u << 0, "The unit of clip ids could not access its memory: " MAPPED " CLIPID_ADDRESS is the buffer." },
	{ "TEXTURE", 1u << 1, "A texture could not be read: " MAPPED " The texture header (TIC) has its address and size." },
	{ "TEXTURE", 1u << 2, "The texture header and the pages disagree about the layout: " TYPES },
	{ "TEXTURE", 1u << 3, "The texture header says linear and the pages are tiled, or the other way round: " TYPES },
	{ "TEXTURE", 1u << 5, "Textures cannot be read from pages of this storage type: " TYPES },
	{ "TEXTURE", 1u << 0, "A texture unit stopped; no other bit says why." },
	{ "MP", 1u << 0, "A program read past its local memory: LOCAL_SIZE_LOG is too small for what its code uses, or the address it computes is wrong." },
	{ "MP", 1u << 4, "A program wrote past its local memory: LOCAL_SIZE_LOG is too small for what its code uses, or the address it computes is wrong." },
	{ "MP", 1u << 6, "The stack of a program ran over: STACK_SIZE_LOG is too small for its nested branches and calls, or calls do not return." },
	{ "MP", 1u << 8, "A program read past the limit of a global memory slot: GLOBAL_LIMIT, or the address it computes." },
	{ "MP", 1u << 12, "A program wrote past the limit of a global memory slot: GLOBAL_LIMIT, or the address it computes." },
	{ "MP", 1u << 18, "A reduction went past the limit of a global memory slot: GLOBAL_LIMIT, or the address it computes." },
	{ "MP", 1u << 22, "An atomic went past the limit of a global memory slot: GLOBAL_LIMIT, or the address it computes." },
	{ "MP", 7u << 16 | 1u << 26, "A multiprocessor stopped: the MP_EXEC line has the cause, the program counter and the instruction." },
	{ "MP_EXEC", 1u << 0, "A return, break or join found the stack empty: the program's flow instructions do not pair, or it is not the code that was meant. Disassemble it at the program counter, which counts from CODE_ADDRESS." },
	{ "MP_EXEC", 1u << 1, "The stack's top entry was made by another kind of flow instruction: they do not pair. Disassemble the program at the program counter, which counts from CODE_ADDRESS." },
	{ "MP_EXEC", 1u << 2, "A quadon was executed inside of another one: the program lacks a quadpop. Disassemble it at the program counter, which counts from CODE_ADDRESS." },
	{ "MP_EXEC", 1u << 3, "A warp did not end in the time of WATCHDOG_TIMER: the program loops for ever or is very slow. Disassemble it at the program counter, which counts from CODE_ADDRESS, and try a smaller loop. The method of the next line is where the front end waited; the program belongs to an earlier draw or launch." },
	{ "MP_EXEC", 1u << 4, "No such instruction: the program counter, which counts from CODE_ADDRESS, points at something that is no code of this chip. Was the code uploaded, flushed with CODE_CB_FLUSH, overwritten, or built for another chip?" },
	{ "MP_EXEC", 1u << 5, "A performance counter ran over; it does no harm. PM_CONTROL turns the trap off." },
	{ "MP_EXEC", 1u << 6, "A breakpoint of the program; a debugger would look at it here." },
	{ "PROP", 1u << 2, "An access beyond the width of a surface: the size that the methods set is smaller than what is drawn or copied." },
	{ "PROP", 1u << 3, "An access beyond the height of a surface: the size that the methods set is smaller than what is drawn or copied." },
	{ "PROP", 1u << 4, "The destination of 2D could not be accessed: " MAPPED },
	{ "PROP", 1u << 5, "The depth buffer could not be accessed: " MAPPED },
	{ "PROP", 1u << 6, "A render target could not be accessed: " MAPPED },
	{ "PROP", 1u << 7, "A program's access to local, global or stack memory failed: the VM fault line of the same time has the slot. LOCAL: is the buffer of LOCAL_ADDRESS mapped, and large enough for LOCAL_SIZE_LOG times the number of TPs, MPs and warps? GLOBAL: is the address that the program computes inside of its buffer? STACK: the same for STACK_ADDRESS." },
	{ "PROP", 1u << 8, "The 2D destination's methods and its pages disagree about the storage type: " TYPES },
	{ "PROP", 1u << 9, "The depth buffer's methods and its pages disagree about the storage type: " TYPES },
	{ "PROP", 1u << 10, "A render target's methods and its pages disagree about the storage type: " TYPES },
	{ "PROP", 1u << 11, "The 2D destination's methods say linear and its pages are tiled, or the other way round: " TYPES },
	{ "PROP", 1u << 12, "The methods 3D.RT_* say linear and the render target's pages are tiled, or the other way round: " TYPES },
	{ "PROP", 0, "Words of PROP that go with the line before: the surface, and the storage type of its pages." },
};

#define ADVICES (sizeof(advices) / sizeof(advices[0]))

void nvfifo_explain_trap_advice(struct ctx *c, const char *unit, const struct nvfifo_name *bits,
				__u32 ustatus)
{
	size_t i;

	for (i = 0; i < ADVICES; i++) {
		if (!strcmp(advices[i].unit, unit) && advices[i].bit & ustatus) {
			advise(c, "%s", advices[i].advice);
			return;
		}
	}

	/* The word itself was printed in another line, or it has bits that no source names. */
	if (nvfifo_row_get(&c->e->fields, "ustatus") && !*c->e->advice)
		advise(c, "What this bit of %s means is not documented.", unit);
	else if (!strcmp(unit, "PROP") && nvfifo_row_get(&c->e->fields, "e24"))
		advise(c, "%s", advices[ADVICES - 1].advice);
	(void)bits;
}

/* --- PROP's words -------------------------------------------------------- */

/* The surface of bits 27:24 of e24: DMA slots of PROP in the order of the MMU's fault record */
static void surface_name(unsigned int slot, char *text, size_t size)
{
	static const char *const names[] = { "ZETA", "LOCAL", "GLOBAL", "STACK", "DST2D" };

	if (slot < 8)
		snprintf(text, size, "RT%u", slot);
	else if (slot - 8 < sizeof(names) / sizeof(names[0]))
		snprintf(text, size, "%s", names[slot - 8]);
	else
		snprintf(text, size, "%x", slot);
}

void nvfifo_explain_prop_words(struct ctx *c, const char *s)
{
	const struct nvfifo_name *kind;
	char surface[16];
	__u64 v;

	if (!hex(s, "e24", &v))
		return;

	surface_name((unsigned int)(v >> 24 & 0xf), surface, sizeof(surface));
	means(c, "slot %x in bits 27:24 of e24", (unsigned int)(v >> 24 & 0xf));
	str(c, "surface", "%s", surface);
	kind = nvfifo_name_find(nvfifo_kind_names, (__u32)v & 0x7f);
	if (kind)
		means(c, "%s", kind->name);
	str(c, "storage_type", "%02x", (unsigned int)v & 0x7f);
}
