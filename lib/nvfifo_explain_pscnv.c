// SPDX-License-Identifier: MIT
/* Lines of pscnv, PathScale's driver for the same cards. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_text.h"

/* "ch 2"; its first versions print the descriptor in hexadecimal there, with eight digits. */
static void channel_field(struct ctx *c, const char *s)
{
	const char *p = find(s, "ch");
	__u64 desc;
	__s64 id;

	if (!p)
		p = find(s, "channel");
	if (!p)
		return;

	p += strspn(p, " ");
	if (strspn(p, "0123456789abcdef") <= 3) {
		id = nvfifo_text_value(p, 10);
		if (id == 128)
			means(c, "the driver knows no channel with that structure");
		num(c, "channel", id);
	} else if (hex_at(p, &desc)) {
		means(c, "structure at %010" PRIx64,
		      (uint64_t)nvfifo_chan_desc_address((__u32)desc & 0x3fffffff));
		hexnum(c, "desc", 8, desc);
	}
}

/* "ch 2 sub 3 [8297] mthd 15e4 data 00000007" */
static void method(struct ctx *c, const char *s)
{
	const char *p;
	char text[16];
	__u64 oclass = 0, v;
	__s64 subc;

	channel_field(c, s);
	p = dec(s, "sub", &subc);
	if (!p)
		p = dec(s, "subch", &subc);
	if (!p)
		p = dec(s, "subc", &subc);
	if (p)
		num(c, "subchannel", subc);
	if (bracket(p, text, sizeof(text)) && hex_at(text, &oclass)) {
		const char *name = nvfifo_class_name((__u32)oclass);

		if (name)
			means(c, "%s", name);
		hexnum(c, "object_class", 4, oclass);
	}

	if (hex(s, "mthd", &v) || hex(s, "addr", &v))
		nvfifo_explain_method(c, v, (__u32)oclass);
	if (hex(s, "data", &v))
		hexnum(c, "data", 8, v);
}

static void name_of(char *name, size_t size, const char *s)
{
	const char *p = strchr(s, '[');

	bracket(p, name, size);
}

static void cache_error(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PFIFO_CACHE_ERROR");
	__u32 bit = 0;
	char name[32];
	__u64 v;

	name_of(name, sizeof(name), p);
	method(c, p);
	if (!strcmp(name, "NO_HASH"))
		bit = 1u << 4;
	else if (!strcmp(name, "EMPTY_SUBCHAN"))
		bit = 1u << 8;
	if (bit) {
		const struct nvfifo_name *n = nvfifo_name_find(nvfifo_pull0_bits, bit);

		means(c, "%s", n->means);
		str(c, "error", "%s", n->name);
	} else if (hex_at(name, &v)) {
		hexnum(c, "pull0", 8, v);
		put_bits(c, "pull0_bits", nvfifo_pull0_bits, (__u32)v);
	}
}

/*
 * "ch 2 addr 0020025550 [PUT 002002694c], IB 00000137 [PUT 0000014e] status 80000030 len 00000000
 * push 00400040 shadow 20041234 00000005 00000007 00000008"
 */
static void dma_pusher(struct ctx *c, const char *s)
{
	/* Registers 0032a0 to 0032ac */
	static const char *const shadows[] = {
		"dcount_shadow", "get_jmp_shadow", "rsvd_shadow", "data_shadow",
	};
	const char *p = strstr(s, "PFIFO_DMA_PUSHER"), *ib;
	__u64 v;
	size_t i;

	channel_field(c, p);
	if (hex(p, "status", &v))
		nvfifo_explain_dma_state(c, (__u32)v);
	if (hex(p, "addr", &v))
		hexnum(c, "dma_get", 10, v);
	if (hex(p, "PUT", &v))
		hexnum(c, "dma_put", 10, v);
	ib = hex(p, "IB", &v);
	if (ib)
		hexnum(c, "ib_get", 8, v);
	if (hex(ib, "PUT", &v))
		hexnum(c, "ib_put", 8, v);
	if (hex(p, "len", &v)) {
		means(c, "words of the command that are left");
		hexnum(c, "method_count", 8, v);
	}

	if (hex(p, "push", &v)) {
		hexnum(c, "dma_push", 8, v);
		put_bits(c, "dma_push_bits", nvfifo_dma_push_bits, (__u32)v);
	}

	p = find(p, "shadow");
	for (i = 0; i < 4 && p; i++) {
		p = hex_at(p, &v);
		if (p)
			str(c, shadows[i], "%08" PRIx64, (uint64_t)v);
	}
}

static void semaphore(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PFIFO_SEMAPHORE");
	const struct nvfifo_name *n;
	__u64 v;

	method(c, p);
	if (!hex(p, "status", &v))
		return;

	n = nvfifo_name_find(nvfifo_semaphore_errors, (__u32)v >> 20 & 0xf);
	if (n)
		means(c, "%s", n->means);
	str(c, "error", "%s", n ? n->name : "");
	hexnum(c, "pull0", 8, v);
	put_bits(c, "pull0_bits", nvfifo_pull0_bits, (__u32)v & 0x0f0fffff);
	advise(c, "Semaphores need DMA_SEMAPHORE (0x60) with the handle of a DMA object, then an address that is a multiple of 4 inside of it.");
}

/* "VM: Trapped write at 0020116000 channel 0001fb13 on PGRAPH/TPROP/RT0, reason PAGE_NOT_PRESENT" */
static void fault(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "VM: Trapped "), *units;
	const struct nvfifo_name *n;
	__u64 va, reason;

	nvfifo_explain_fault_access(c, p);
	if (hex(p, "at", &va))
		nvfifo_explain_fault_address(c, va);
	channel_field(c, p);
	units = strstr(p, " on ");
	if (units) {
		means(c, "engine, client, DMA slot");
		str(c, "units", "%.*s", (int)strcspn(units + 4, ", "), units + 4);
	}

	p = find(p, "reason");
	if (!p)
		return;

	p += strspn(p, " ");
	for (n = nvfifo_fault_reasons; n->name; n++) {
		if (!strncmp(p, n->name, strlen(n->name)) ||
		    (n->value == NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY &&
		     !strncmp(p, "PAGE_SYSTEM_ONLY", 16)))
			break;
	}

	if (n->name) {
		str(c, "reason", "%08x %s", n->value, n->name);
		nvfifo_explain_fault_reason(c, n->value);
	} else if (hex_at(p, &reason)) {
		hexnum(c, "reason", 8, reason);
	}
}

/* --- PGRAPH -------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *unit;
	const struct nvfifo_name *bits;
	const char *implied;
	const char *registers;
} units[] = {
	{ "TRAP_M2MF_NOTIFY", "M2MF", nvfifo_trap_m2mf_bits, "NOTIFY",
	  "406804 406808 40680c 406810" },
	{ "TRAP_M2MF_IN", "M2MF", nvfifo_trap_m2mf_bits, "IN", "406804 406808 40680c 406810" },
	{ "TRAP_M2MF_OUT", "M2MF", nvfifo_trap_m2mf_bits, "OUT", "406804 406808 40680c 406810" },
	{ "TRAP_M2MF", "M2MF", nvfifo_trap_m2mf_bits, NULL, NULL },
	{ "TRAP_VFETCH", "VFETCH", nvfifo_trap_fault_bits, "FAULT", NULL },
	{ "TRAP_STRMOUT", "STRMOUT", nvfifo_trap_fault_bits, "FAULT",
	  "401804 401808 40180c 401810" },
	{ "TRAP_CCACHE", "CCACHE", nvfifo_trap_fault_bits, "FAULT", NULL },
	{ "TRAP_CLIPID", "CLIPID", nvfifo_trap_fault_bits, "FAULT", NULL },
	{ "TRAP_TEXTURE", "TEXTURE", nvfifo_trap_tex_bits, NULL, NULL },
	{ "TRAP_MPC", "MP", nvfifo_trap_mp_bits, NULL, NULL },
	{ "TRAP_MP", "MP_EXEC", nvfifo_trap_mp_exec_bits, NULL, NULL },
	{ "TRAP_TPROP", "PROP", nvfifo_trap_prop_bits, NULL, NULL },
	{ "TRAP_QUERY", "DISPATCH", nvfifo_trap_dispatch_bits, "QUERY", NULL },
	{ "TRAP_GRCTX_MMIO", "DISPATCH", nvfifo_trap_dispatch_bits, "GRCTX_FAULT_MMIO", NULL },
	{ "TRAP_GRCTX_XFER1", "DISPATCH", nvfifo_trap_dispatch_bits, "GRCTX_FAULT_XFER1", NULL },
	{ "TRAP_GRCTX_XFER2", "DISPATCH", nvfifo_trap_dispatch_bits, "GRCTX_FAULT_XFER2", NULL },
	{ "TRAP_DISPATCH", "DISPATCH", nvfifo_trap_dispatch_bits, NULL, NULL },
};

/* "Unknown ustatus 0x00000008 on ch 2", "status 00000008" */
static bool trap_status(struct ctx *c, const char *p, const struct nvfifo_name *bits)
{
	char names[240];
	__u64 v;

	if (!hex(p, "ustatus", &v) && !hex(p, "status", &v))
		return false;

	hexnum(c, "ustatus", 8, v);
	nvfifo_bits_text(bits, (__u32)v, "UNK", " ", names, sizeof(names));
	str(c, "bits", "%s", names);

	return true;
}

/* The words after the channel: "ch 2 00000a41 00201000 00000000 04000430" */
static void trap_words(struct ctx *c, const char *p, const char *registers)
{
	char name[16];
	__u64 v;

	p = find(p, "ch");
	p = p ? hex_at(p, &v) : NULL;

	while (p && registers && *registers) {
		p = hex_at(p, &v);
		if (!p)
			return;

		snprintf(name, sizeof(name), "r%.6s", registers);
		hexnum(c, name, 8, v);
		registers += strcspn(registers, " ");
		registers += strspn(registers, " ");
	}
}

/* "TP 1 surf RT0 RT_FAULT at 20116000", "TP 1 MP 0 TIMEOUT at 0002a8 warp 3 op f0000001 e0000000" */
static void trap_place(struct ctx *c, const char *p, bool is_code)
{
	const char *q;
	char text[24];
	__u64 v, high;
	__s64 n;

	if (dec(p, "TP", &n))
		num(c, "tp", n);
	if (dec(p, "MP", &n))
		num(c, "mp", n);
	q = find(p, "surf");
	if (q) {
		q += strspn(q, " ");
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(q, " "), q);
		str(c, "surface", "%s", text);
	}

	if (hex(p, "type", &v))
		hexnum(c, "storage_type", 2, v);
	if (hex(p, "at", &v) && is_code)
		hexnum(c, "pc", 6, v);
	else if (hex(p, "at", &v))
		nvfifo_explain_fault_address(c, v);
	if (dec(p, "warp", &n))
		num(c, "warp", n);
	q = hex(p, "op", &v);
	if (q && hex_at(q, &high))
		str(c, "opcode", "%08" PRIx64 " %08" PRIx64, (uint64_t)v, (uint64_t)high);
}

static void trap(struct ctx *c, const char *s)
{
	const struct nvfifo_name *n;
	const char *p = NULL;
	size_t i;
	__u64 v;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		p = strstr(s, units[i].text);
		if (p)
			break;
	}

	/* nouveau has a blank there. */
	if (!p || p[strlen(units[i].text)] != ':') {
		c->declined = true;
		return;
	}

	str(c, "unit", "%s", units[i].unit);
	p += strlen(units[i].text);
	if (hex(p, "mthd", &v))
		method(c, p);
	else
		channel_field(c, p);

	if (!trap_status(c, p, units[i].bits)) {
		for (n = units[i].bits; n->name && !find(p, n->name); n++)
			;
		if (n->name && n->means)
			means(c, "%s", n->means);
		if (n->name || units[i].implied)
			str(c, "bits", "%s", n->name ? n->name : units[i].implied);
	}

	trap_words(c, p, units[i].registers);
	trap_place(c, p, units[i].bits == nvfifo_trap_mp_exec_bits);
	if (strstr(p, "No stuck command"))
		str(c, "meaning", "DISPATCH holds no command: it has gone on by itself");
}

/* "PGRAPH_TRAP_DISPATCH: 400808: 80050104" */
static void dispatch_register(struct ctx *c, const char *s)
{
	bool command = strstr(s, "400808");
	__u64 v;

	if (!hex(s, "400808", &v) && !hex(s, "400848", &v)) {
		c->declined = true;
		return;
	}

	str(c, "unit", "DISPATCH");
	str(c, "register", "%s", command ? "400808" : "400848");
	hexnum(c, "data", 8, v);
	if (!command)
		return;

	num(c, "valid", (__s64)(v >> 31 & 1));
	num(c, "subchannel", (__s64)(v >> 16 & 7));
	hexnum(c, "method", 4, (unsigned int)v & 0x1ffc);
}

/* The registers after a line about a texture unit (4 words) or PROP (7) */
static void magic(struct ctx *c, const char *s)
{
	static const char *const prop[] = { "e0c", "e10", "e14", "e18", "e1c", "e20", "e24" };
	static const char *const tex[] = { "e04", "e08", "e0c", "e10" };
	const char *const *names = prop;
	const char *p = strstr(s, "magic: ");
	unsigned int n = 0, i;
	__u64 w[7];

	p += strlen("magic: ");
	while (n < 7 && p && *p) {
		p = hex_at(p, &w[n]);
		n += p != NULL;
	}

	if (n != 7 && n != 4) {
		c->declined = true;
		return;
	}

	if (n == 4)
		names = tex;
	str(c, "unit", "%s", n == 4 ? "TEXTURE" : "PROP");
	for (i = 0; i < n; i++)
		hexnum(c, names[i], 8, w[i]);
}

/* "PGRAPH_ILLEGAL_MTHD: ch 2 sub 3 [8297] mthd 15e4 data 00000007", "PGRAPH_QUERY: ch 2" */
static void interrupt(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH_");
	const struct nvfifo_name *n;
	size_t len;

	p += strlen("PGRAPH_");
	len = strcspn(p, ": ");

	n = name_of_text(nvfifo_pgraph_intr_bits, p, len);
	if (!n && len == 5 && !strncmp(p, "QUERY", 5))
		n = nvfifo_name_find(nvfifo_pgraph_intr_bits, 2);
	if (!n) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, n->value);
	put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, n->value);
	method(c, p + len);
	advise(c, "%s.", n->means);
}

/* "PGRAPH_DISPATCH_ERROR [INVALID_VALUE]: ch 2 sub 3 [8297] mthd 1558 data 00000007" */
static void data_error(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH_DISPATCH_ERROR");
	const struct nvfifo_name *n;
	char name[40];
	__u64 code;

	name_of(name, sizeof(name), p);
	method(c, strchr(p, ':') ? strchr(p, ':') : p);

	n = name_of_text(nvfifo_data_errors, name, strlen(name));
	if (n) {
		if (n->means)
			means(c, "%s", n->means);
		str(c, "error", "%s", n->name);
		hexnum(c, "code", 8, n->value);
	} else if (hex_at(name, &code)) {
		hexnum(c, "code", 8, code);
	} else {
		str(c, "error", "%s", name);
	}
}

static void unknown_trap(struct ctx *c, const char *s)
{
	char names[160];
	__u64 v;

	if (!hex(s, "trap", &v))
		return;

	channel_field(c, s);
	hexnum(c, "trap", 8, v);
	nvfifo_bits_text(nvfifo_trap_bits, (__u32)v, "UNK", " ", names, sizeof(names));
	str(c, "units", "%s", names);
}

static void unknown_channel(struct ctx *c, const char *s)
{
	__u64 desc;

	if (hex(s, "channel", &desc)) {
		means(c, "structure at %010" PRIx64,
		      (uint64_t)nvfifo_chan_desc_address((__u32)desc & 0x3fffffff));
		hexnum(c, "desc", 8, desc);
	}

	advise(c, "The engine works for a channel that the driver does not know: it was destroyed too early.");
}

/* --- Others -------------------------------------------------------------- */

static void unknown_interrupt(struct ctx *c, const char *s)
{
	const struct nvfifo_name *bits = nvfifo_pfifo_intr_bits;
	__u64 v;

	if (!hex(s, "interrupt", &v))
		return;

	if (strstr(s, "PBUS")) {
		nvfifo_explain_register_bits(c, "PBUS.INTR", (__u32)v);
		return;
	}

	if (strstr(s, "PGRAPH"))
		bits = nvfifo_pgraph_intr_bits;
	else if (strstr(s, "PCRYPT"))
		bits = nvfifo_cipher_intr_bits;
	hexnum(c, "interrupt", 8, v);
	if (!nvfifo_explain_all_ones(c, v))
		put_bits(c, "interrupt_bits", bits, (__u32)v);
}

/* "PCRYPT_ILLEGAL_MTHD: ch 2 subc 1 mthd 0300 data 00000007"; a QUERY is PCIPHER's interrupt, too. */
static void cipher(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PCRYPT_") + strlen("PCRYPT_");

	str(c, "error", "%.*s", (int)strcspn(p, ": ["), p);
	method(c, p);
}

static void pfifo_fault(struct ctx *c, const char *s)
{
	bool bar = strstr(s, "BAR");

	hexnum(c, "interrupt", 8, bar ? 0x10u : 0x40u);
	put_bits(c, "interrupt_bits", nvfifo_pfifo_intr_bits, bar ? 0x10 : 0x40);
	advise(c, "The processor reached memory through the card that is not mapped there: the VM line at the same time shows the address.");
}

static void tlb_flush(struct ctx *c, const char *s)
{
	__s64 id;

	if (dec(s, "unit", &id)) {
		means(c, "%s", nvfifo_fault_engine(c->chipset, (unsigned int)id));
		num(c, "engine", id);
	}

	str(c, "meaning", "bit 0 of 0x100c80 stays set");
	advise(c, "The MMU did not end a TLB flush; only a reset of the card helps.");
}

static void wait_failed(struct ctx *c, const char *s)
{
	const char *what = "a flush of writes through a BAR did not end";

	if (strstr(s, "freeze"))
		what = "PFIFO did not stop for a change";
	else if (strstr(s, "ctxprog"))
		what = "a context switch of PGRAPH did not end";
	str(c, "meaning", "%s", what);
	advise(c, "The card hangs. Look for the first error line before this one.");
}

/* Not an error: how pscnv destroys a channel that the card has loaded. */
static void kick(struct ctx *c, const char *s)
{
	__s64 id;

	if (dec(s, "channel", &id))
		num(c, "channel", id);
	str(c, "unit", "%s", strstr(s, "PGRAPH") ? "PGRAPH" : "PFIFO");
	str(c, "meaning", "the channel is destroyed while the unit has it loaded");
}

static void mmio(struct ctx *c, const char *s)
{
	__u64 v;

	nvfifo_explain_fault_access(c, s);
	if (hex(s, "addr", &v))
		hexnum(c, "register", 6, v);
	if (hex(s, "data", &v))
		hexnum(c, "data", 8, v);
	advise(c, "The driver touched a register that this chipset does not have, or whose unit is off or has lost its clock.");
}

const struct explain_line nvfifo_explain_pscnv_lines[] = {
	LINE("cache_error", "pscnv", "PFIFO_CACHE_ERROR [", "subch", cache_error),
	LINE("dma_pusher", "pscnv", "PFIFO_DMA_PUSHER [", " status ", dma_pusher),
	LINE("semaphore", "pscnv", "PFIFO_SEMAPHORE [", " status ", semaphore),
	LINE("vm_fault", "pscnv", "VM: Trapped ", ", reason ", fault),
	LINE("engine_trap", "pscnv", "PGRAPH_TRAP_DISPATCH: 4008", NULL, dispatch_register),
	LINE("engine_trap", "pscnv", "PGRAPH_TRAP_", ": ", trap),
	LINE("engine_trap", "pscnv", ": magic: ", "pscnv", magic),
	LINE("data_error", "pscnv", "PGRAPH_DISPATCH_ERROR [", "]: ch ", data_error),
	LINE("illegal_mthd", "pscnv", "PGRAPH_ILLEGAL_", ": ch ", interrupt),
	LINE("interrupt", "pscnv", "PGRAPH_", ": ch ", interrupt),
	LINE("illegal_mthd", "pscnv", "PGRAPH: ch ", " mthd ", method),
	LINE("engine_trap", "pscnv", "Unknown PGRAPH trap ", NULL, unknown_trap),
	LINE("interrupt", "pscnv", "PGRAPH: UNKNOWN channel ", "active", unknown_channel),
	LINE("interrupt", "pscnv", "PCRYPT: UNKNOWN channel ", "active", unknown_channel),
	LINE("interrupt", "pscnv", "Unknown P", " interrupt ", unknown_interrupt),
	LINE("interrupt", "pscnv", "PBUS: unknown interrupt ", NULL, unknown_interrupt),
	LINE("cipher_error", "pscnv", "PCRYPT_", ": ch ", cipher),
	LINE("interrupt", "pscnv", "PFIFO BAR fault!", NULL, pfifo_fault),
	LINE("interrupt", "pscnv", "PFIFO PEEPHOLE fault!", NULL, pfifo_fault),
	LINE("tlb_flush_timeout", "pscnv", "TLB flush fail on unit ", NULL, tlb_flush),
	LINE("wait_timeout", "pscnv", "BAR flush timeout!", NULL, wait_failed),
	LINE("wait_timeout", "pscnv", "PFIFO freeze fail!", NULL, wait_failed),
	LINE("wait_timeout", "pscnv", "ctxprog wait fail!", NULL, wait_failed),
	LINE("kick", "pscnv", "Kicking channel ", " off P", kick),
	LINE("mmio_fault", "pscnv", "PBUS: MMIO ", " fault, addr ", mmio),
	{ 0 }
};
