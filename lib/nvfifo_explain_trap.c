// SPDX-License-Identifier: MIT
/*
 * Lines of nouveau about traps of PGRAPH's units, and advice: a table by unit and bit.
 * The bits and their names are rnndb's, the meaning of PROP's last word is pscnv's.
 */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_text.h"

/* Advice for a bit, or with bit 0 for a unit whose bits set have none. */
struct trap_advice {
	const char *unit;
	__u32 bit;
	const char *advice;
};

#define MAPPED	"the VM fault line at the same time shows the address and the reason; is the buffer mapped there, large enough, and still alive?"
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
	{ "MP_EXEC", 1u << 4, "No such instruction: the program counter, which counts from CODE_ADDRESS, points at something that is not code of this chip. Was the code uploaded, flushed with CODE_CB_FLUSH, overwritten, or built for another chip?" },
	{ "MP_EXEC", 1u << 5, "A performance counter ran over; it does no harm. PM_CONTROL turns the trap off." },
	{ "MP_EXEC", 1u << 6, "A breakpoint of the program; a debugger would look at it here." },
	{ "PROP", 1u << 2, "An access beyond the width of a surface: the size that the methods set is smaller than what is drawn or copied." },
	{ "PROP", 1u << 3, "An access beyond the height of a surface: the size that the methods set is smaller than what is drawn or copied." },
	{ "PROP", 1u << 4, "The destination of 2D could not be accessed: " MAPPED },
	{ "PROP", 1u << 5, "The depth buffer could not be accessed: " MAPPED },
	{ "PROP", 1u << 6, "A render target could not be accessed: " MAPPED },
	{ "PROP", 1u << 7, "A program's access to local, global or stack memory failed: the VM fault line at the same time shows the slot. LOCAL: is the buffer of LOCAL_ADDRESS mapped, and large enough for LOCAL_SIZE_LOG times the number of TPs, MPs and warps? GLOBAL: is the address that the program computes inside of its buffer? STACK: the same for STACK_ADDRESS." },
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
	hexnum(c, "storage_type", 2, (unsigned int)v & 0x7f);
}

/* --- Units and their lines -------------------------------------------------- */

/* A unit of PGRAPH in a line of nouveau's log, and the bits of its status */
struct trap_unit {
	const char *text;	/* in the log */
	const char *unit;
	const struct nvfifo_name *bits;
	const char *means;
	const char *registers;	/* those that the log prints after the status */
	const char *implied;	/* text without a status */
};

#define DISPATCH_MEANS	"DISPATCH: notifier, query, condition or context"
#define PROP_MEANS	"render targets or memory accesses of shaders"
#define PROP_REGISTERS	"e0c e18 e1c e20 e24"

static const struct trap_unit trap_units[] = {
	{ "TRAP_M2MF", "M2MF", nvfifo_trap_m2mf_bits, "the MMU refused a memory copy",
	  "406804 406808 40680c 406810", NULL },
	{ "TRAP_VFETCH", "VFETCH", nvfifo_trap_fault_bits, "the MMU refused to read vertices",
	  "400c00 400c08 400c0c 400c10", NULL },
	{ "TRAP_STRMOUT", "STRMOUT", nvfifo_trap_fault_bits, "the MMU refused transform feedback",
	  "401804 401808 40180c 401810", NULL },
	/* Kernels before 2.6.37 read other registers. */
	{ "TRAP_CCACHE_FAULT", "CCACHE", nvfifo_trap_fault_bits,
	  "the MMU refused to read code, constants, or texture and sampler headers",
	  "405800 405804 405808 40580c 405810 405814 40581c", "FAULT" },
	{ "TRAP_CCACHE", "CCACHE", nvfifo_trap_fault_bits,
	  "the MMU refused to read code, constants, or texture and sampler headers",
	  "405000 405004 405008 40500c 405010 405014 40501c", NULL },
	{ "TRAP_TEXTURE", "TEXTURE", nvfifo_trap_tex_bits, "a texture unit stopped", NULL, NULL },
	{ "TRAP_MP_EXEC", "MP_EXEC", nvfifo_trap_mp_exec_bits, "a shader program stopped", NULL,
	  NULL },
	{ "TRAP_MP", "MP", nvfifo_trap_mp_bits, "a multiprocessor stopped", NULL, NULL },
	{ "TRAP_PROP", "PROP", nvfifo_trap_prop_bits, PROP_MEANS, PROP_REGISTERS, NULL },
	/* PROP's name in kernels before 3.15 */
	{ "TRAP_TPDMA_2D", "PROP", nvfifo_trap_prop_bits, "the destination of 2D",
	  PROP_REGISTERS, "DST2D_FAULT" },
	{ "TRAP_TPDMA_RT", "PROP", nvfifo_trap_prop_bits, "a render target", PROP_REGISTERS,
	  "RT_FAULT" },
	{ "TRAP_TPDMA", "PROP", nvfifo_trap_prop_bits, PROP_MEANS, PROP_REGISTERS, NULL },
	{ "TRAP_DISPATCH", "DISPATCH", nvfifo_trap_dispatch_bits, DISPATCH_MEANS, NULL, NULL },
	{ "TRAP DISPATCH", "DISPATCH", nvfifo_trap_dispatch_bits, DISPATCH_MEANS, NULL, NULL },
	{ "TRAP_UNKC04", "UNKC04", nvfifo_trap_fault_bits,
	  "CLIPID of other documents, with its status at 402000", NULL, NULL },
};

/* The meanings of all bits that are set, as words for the next field. */
void nvfifo_explain_bits_mean(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	size_t used = 0;

	for (; bits->name && used < sizeof(c->means); bits++) {
		if (v & bits->value && bits->means)
			used += (size_t)snprintf(c->means + used, sizeof(c->means) - used, "%s%s",
						 used ? "; " : "", bits->means);
	}
}

/* The part of the line from the unit's name on, or NULL. */
static const char *find_trap_unit(const char *s, const struct trap_unit **unit)
{
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(trap_units) / sizeof(trap_units[0]); i++) {
		p = strstr(s, trap_units[i].text);
		if (p) {
			*unit = &trap_units[i];
			return p;
		}
	}

	return NULL;
}

/* The TP and the multiprocessor that the unit belongs to. */
static void trap_place(struct ctx *c, const char *p)
{
	const char *q = strstr(p, "- TP");
	__s64 mp;

	if (q) {
		q += 4 + strspn(q + 4, " ");
		if (isdigit((unsigned char)*q))
			num(c, "tp", nvfifo_text_value(q, 10));
	}

	if (dec(p, "MP", &mp))
		num(c, "mp", mp);
}

/* "read fault at address ...": @q is its text from "fault" on. */
static void trap_fault(struct ctx *c, const char *p, const char *q)
{
	const char *access = "unknown";
	__u64 v;

	if (strstr(p, "write"))
		access = "write";
	else if (strstr(p, "read"))
		access = "read";
	str(c, "access", "%s", access);
	if (hex(q, "address", &v))
		nvfifo_explain_fault_address(c, v);
}

static void status_bits(struct ctx *c, const struct nvfifo_name *bits, __u32 v)
{
	char names[240];

	hexnum(c, "ustatus", 8, v);
	nvfifo_explain_bits_mean(c, bits, v);
	nvfifo_bits_text(bits, v, "UNK", " ", names, sizeof(names));
	str(c, "bits", "%s", names);
}

/* Return: whether the line has the status, eight digits in front of a bracket. */
static bool trap_status(struct ctx *c, const char *p, const struct nvfifo_name *bits)
{
	const char *q = strchr(p, '[');
	__u64 v;

	if (!q || q - p <= 9 || !hex_at(q - 9, &v))
		return false;

	status_bits(c, bits, (__u32)v);

	return true;
}

/* "(unknown 00000004)", "Unhandled ustatus 10000000": nouveau's tables lack some names. */
static bool unknown_status(struct ctx *c, const char *p, const struct nvfifo_name *bits)
{
	__u64 v;

	if (!hex(p, "unknown", &v) && !hex(p, "ustatus", &v) && !hex(p, "TRAP_UNKC04", &v))
		return false;

	status_bits(c, bits, (__u32)v);

	return true;
}

/* Kernels before 4.3 print the names only: "TRAP_M2MF NOTIFY OUT", "TRAP_M2MF_OUT" */
static void named_bits(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *from = p + strlen(unit->text);
	const struct nvfifo_name *n;
	char names[240] = "";
	size_t used = 0;

	from += *from == '_';

	for (n = unit->bits; n->name; n++) {
		if (find(from, n->name) && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? " " : "", n->name);
	}

	if (!used && unit->implied)
		snprintf(names, sizeof(names), "%s", unit->implied);
	if (*names)
		str(c, "bits", "%s", names);
}

/* The values after a unit's name: "TRAP_M2MF 00000a41 00201000 00000000 04000430" */
static void unit_words(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *from = p + strlen(unit->text), *r = unit->registers;
	char name[16];
	__u64 v;

	if (!r || strchr(p, '['))
		return;

	if (!strncmp(from, "_FAULT", 6))
		from += 6;
	if (!strncmp(from, " - ", 3))
		from += 2;
	while (*r && *from == ' ') {
		from = hex_at(from, &v);
		if (!from)
			return;

		snprintf(name, sizeof(name), "r%.6s", r);
		hexnum(c, name, 8, v);
		advise(c, "Registers of %s that go with its trap: the line with the names of bits, and the VM fault line, have the cause.",
		       unit->unit);
		r += strcspn(r, " ");
		r += strspn(r, " ");
	}
}

/* The values with names: "e0c: 00000000, e18: 00000000, ..." */
static void named_words(struct ctx *c, const char *p, const struct trap_unit *unit)
{
	const char *r = unit->registers;
	char name[16];
	__u64 v;

	for (; r && *r; r += strspn(r, " ")) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(r, " "), r);
		if (hex(p, name, &v))
			hexnum(c, name, 8, v);
		r += strcspn(r, " ");
	}
}

/* "at 0002a8 warp 3, opcode f0000001 e0000000" */
static void shader_place(struct ctx *c, const char *p)
{
	const char *from;
	__u64 v, high;
	__s64 warp;

	if (!dec(p, "warp", &warp))
		return;

	if (hex(p, "at", &v))
		hexnum(c, "pc", 6, v);
	num(c, "warp", warp);
	from = hex(p, "opcode", &v);
	if (from && hex_at(from, &high))
		str(c, "opcode", "%08" PRIx64 " %08" PRIx64, (uint64_t)v, (uint64_t)high);
}

/*
 * Lines about a search without a result: "no ustatus?", "No TPs claiming errors?", "no VM fault?"
 */
static void trap_nothing(struct ctx *c, const char *p)
{
	if (find(p, "no ustatus"))
		str(c, "meaning", "the unit reported a trap, and its status is 0");
	else if (find(p, "No TPs claiming errors") || find(p, "No MPs claiming errors"))
		str(c, "meaning", "the unit reported a trap, and the status of each part of it is 0");
	else if (find(p, "no VM fault"))
		str(c, "meaning", "the unit reported a fault, and the MMU has no record of one");
	else if (find(p, "No stuck command"))
		str(c, "meaning", "DISPATCH holds no command: it has gone on by itself");
	else
		return;

	advise(c, "The cause was gone when the driver looked. One such line does no harm; many mean that interrupts come late, or that reads of the card fail.");
}

/* The address of a unit's line is that of a fault. Without one it says nothing. */
static void trap_address(struct ctx *c, __u64 va)
{
	const char *bits = nvfifo_row_get(&c->e->fields, "bits");

	if (bits && !strstr(bits, "FAULT")) {
		means(c, "of no meaning here: the address belongs to faults in the MMU");
		hexnum(c, "address", 10, va);
		return;
	}

	nvfifo_explain_fault_address(c, va);
}

/* The bits by their names: the line need not have the word. */
static void trap_advice(struct ctx *c, const struct trap_unit *unit)
{
	const char *names = nvfifo_row_get(&c->e->fields, "bits");
	const struct nvfifo_name *n;
	__u32 v = 0;

	if (*c->e->advice)
		return;

	for (n = unit->bits; names && n->name; n++) {
		if (find(names, n->name))
			v |= n->value;
	}

	nvfifo_explain_trap_advice(c, unit->unit, unit->bits, v);
}

static void trap_bits(struct ctx *c, const char *s)
{
	const struct trap_unit *unit;
	const char *p = find_trap_unit(s, &unit), *fault;
	__u64 v;

	if (!p) {
		c->declined = true;
		return;
	}

	means(c, "%s", unit->means);
	str(c, "unit", "%s", unit->unit);
	trap_place(c, p);

	fault = strstr(p, "fault at address");
	if (fault) {
		trap_fault(c, p, fault);
		if (unit->implied)
			str(c, "bits", "%s", unit->implied);
		else if (unit->bits == nvfifo_trap_prop_bits)
			str(c, "bits", "CUDA_FAULT");
		trap_advice(c, unit);
		return;
	}

	if (!trap_status(c, p, unit->bits) && !unknown_status(c, p, unit->bits))
		named_bits(c, p, unit);
	if (hex(p, "address", &v))
		trap_address(c, v);
	shader_place(c, p);
	unit_words(c, p, unit);
	named_words(c, p, unit);
	if (unit->bits == nvfifo_trap_prop_bits)
		nvfifo_explain_prop_words(c, p);
	trap_nothing(c, p);
	trap_advice(c, unit);
}

/* Kernels before 3.15 have the method in the line of the trap. */
static void trap_method(struct ctx *c, const char *s)
{
	trap_bits(c, s);
	nvfifo_explain_pgraph_method(c, s);
}

/* "TRAP: unknown 00000200", "TRAP: no units reporting traps?" */
static void trap_none(struct ctx *c, const char *s)
{
	char units[160];
	__u64 v;

	if (!hex(s, "unknown", &v) && !hex(s, "trap", &v)) {
		str(c, "units", "none");
		advise(c, "PGRAPH reported a trap, and none of its units did: the trap was over before it was looked at.");
		return;
	}

	hexnum(c, "trap", 8, v);
	nvfifo_bits_text(nvfifo_trap_bits, (__u32)v, "UNK", " ", units, sizeof(units));
	str(c, "units", "%s", units);
	advise(c, "%s", v >> 9 ? "Bits that no source documents: if there are many, the card does not answer sensibly." :
				 "nouveau did not handle these units; lines about them may stand before this one.");
}

/* Lines of nouveau between a texture unit's: "magic set 1:", and registers with their values */
static void texture_words(struct ctx *c, const char *s)
{
	const char *from = strchr(s, '\t');
	__u64 reg, v;
	__s64 tp;

	str(c, "unit", "TEXTURE");
	advise(c, "Registers of a texture unit after its trap, whose meaning is not documented: the TRAP_TEXTURE line at the same time names the cause.");
	if (dec(s, "magic set", &tp))
		num(c, "tp", tp);
	if (!from)
		return;

	from = hex_at(from, &reg);
	if (!from || !hex_at(from, &v)) {
		c->declined = true;
		return;
	}

	hexnum(c, "register", 6, reg);
	hexnum(c, "data", 8, v);
}

static void no_stuck_command(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "unit", "DISPATCH");
	str(c, "meaning", "DISPATCH holds no command: it has gone on by itself");
	advise(c, "The cause was gone when the driver looked: the trap's own line has it.");
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_trap_lines[] = {
	LINE_TO("engine_trap", "nouveau", "TRAP_", " mthd ", trap_method, "data", 8),
	LINE("engine_trap", "nouveau", "TRAP_", NULL, trap_bits),
	LINE("engine_trap", "nouveau", "TRAP DISPATCH", NULL, trap_bits),
	LINE("engine_trap", "nouveau", "TRAP: no units", NULL, trap_none),
	LINE("engine_trap", "nouveau", "TRAP: unknown", NULL, trap_none),
	LINE("engine_trap", "nouveau", "TRAP - no units", NULL, trap_none),
	LINE("engine_trap", "nouveau", "TRAP - Unknown trap", NULL, trap_none),
	LINE("engine_trap", "nouveau", " magic set ", NULL, texture_words),
	LINE("engine_trap", "nouveau", "gr: \t", ": ", texture_words),
	LINE("engine_trap", "nouveau", "PGRAPH][", "] \t0x", texture_words),
	LINE("engine_trap", "nouveau", "[drm] nouveau ", ": \t0x00", texture_words),
	LINE("engine_trap", "nouveau", "no stuck command?", NULL, no_stuck_command),
	{ 0 }
};
