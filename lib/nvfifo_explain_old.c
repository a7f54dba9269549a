// SPDX-License-Identifier: MIT
/*
 * Lines of nouveau before Linux 4.3 that later kernels print in no similar way:
 * "[drm] nouveau 0000:01:00.0: PGRAPH_..." of 2.6.32 to 3.6, "nouveau E[  PGRAPH][...]" of
 * 3.7 to 4.2.
 */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"

/*
 * "PGRAPH_TRAP_M2MF_IN - VM: Trapped read at 0020116000 status 00004320 channel 2 (0x0001fb13)",
 * and before that without the descriptor: "status 00004320 00000000 channel 2".
 */
static void fault_status(struct ctx *c, const char *s)
{
	const char *end = strstr(s, " - VM: "), *from = end, *p;
	__u32 chipset = c->chipset, words[NVFIFO_FAULT_WORDS] = { 0 };
	struct nvfifo_fault f;
	__u64 va, status, desc;
	__s64 id;

	while (from > s && from[-1] != ' ')
		from--;
	means(c, "the unit that the driver was asked about");
	str(c, "reporter", "%.*s", (int)(end - from), from);
	nvfifo_explain_fault_access(c, end);
	if (hex(end, "at", &va))
		nvfifo_explain_fault_address(c, va);
	p = dec(end, "channel", &id);
	if (p)
		num(c, "channel", id);
	if (p && (p = strchr(p, '(')) && hex_at(p, &desc)) {
		means(c, "structure at %010" PRIx64,
		      (uint64_t)nvfifo_chan_desc_address((__u32)desc));
		hexnum(c, "desc", 8, desc);
	}

	if (!hex(end, "status", &status))
		return;

	/* Fields have 8 bits from GT215 on, and 4 before; only the former fill the upper half. */
	if (!chipset)
		chipset = status >> 16 ? 0xa3 : 0x50;
	words[0] = (__u32)status;
	f = nvfifo_fault_decode(chipset, words);
	hexnum(c, "status", 8, status);
	str(c, "engine", "%02x %s", f.engine, nvfifo_fault_engine(chipset, f.engine));
	str(c, "client", "%02x %s", f.client, nvfifo_fault_client(chipset, f.client));
	str(c, "subclient", "%02x %s", f.slot,
	    nvfifo_fault_slot(chipset, f.engine, f.client, f.slot));
	str(c, "reason", "%08x %s", f.reason, nvfifo_fault_reason_name(f.reason));
	nvfifo_explain_fault_reason(c, f.reason);
}

/* The bits of @table whose names stand in @s, a blank between them, and nothing else. */
static bool names_only(const struct nvfifo_name *table, const char *s, __u32 *bits)
{
	const struct nvfifo_name *n;
	size_t len;
	__u64 v;

	*bits = 0;

	for (s += strspn(s, " "); *s && *s != '\r'; s += strspn(s, " ")) {
		len = strcspn(s, " \r");
		n = name_of_text(table, s, len);
		if (n) {
			*bits |= n->value;
			s += len;
		} else if (!strncmp(s, "(unknown bits ", 14) && hex_at(s + 14, &v)) {
			*bits |= (__u32)v;
			s += strcspn(s, ")");
			s += *s == ')';
		} else {
			return false;
		}
	}

	return *bits;
}

/* "PGRAPH - ILLEGAL_MTHD DATA_ERROR", "nouveau E[  PGRAPH][0000:01:00.0]  TRAP" */
static void interrupt_names(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH -");
	__u32 bits;

	if (p) {
		p += strlen("PGRAPH -");
	} else {
		p = strstr(s, "PGRAPH][");
		p = p ? strchr(p + strlen("PGRAPH]["), ']') : NULL;
		p = p ? p + 1 : "";
	}

	if (!names_only(nvfifo_pgraph_intr_bits, p, &bits)) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, bits);
	put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, bits);
	advise(c, "The next line names the channel, the class and the method.");
}

/* "PGRAPH_ILLEGAL_MTHD - Ch 2/3 Class 0x8297 Mthd 0x15e4 Data 0x00000000:0x00000007" */
static void interrupt_method(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH_"), *end = strstr(s, " - Ch ");
	const struct nvfifo_name *n;
	size_t len;

	if (!p || end < p) {
		c->declined = true;
		return;
	}

	p += strlen("PGRAPH_");
	len = (size_t)(end - p);

	n = name_of_text(nvfifo_pgraph_intr_bits, p, len);
	if (!n) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, n->value);
	put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, n->value);
	nvfifo_explain_pgraph_method(c, s);
	advise(c, "%s.", n->means);
}

/* "PGRAPH_TRAP_DISPATCH_FAULT - 400808: 80050104" */
static void dispatch_register(struct ctx *c, const char *s)
{
	static const char *const registers[] = { "400808", "400848", "40084c" };
	const char *p = NULL;
	size_t i;
	__u64 v;

	for (i = 0; i < sizeof(registers) / sizeof(registers[0]) && !p; i++)
		p = hex(s, registers[i], &v);
	if (!p) {
		c->declined = true;
		return;
	}

	i--;
	str(c, "unit", "DISPATCH");
	str(c, "register", "%s", registers[i]);
	hexnum(c, "data", 8, v);
	if (i == 1) {
		means(c, "of the notifier or condition that failed");
		str(c, "stuck", "state");
		return;
	}

	str(c, "stuck", "%s", i ? "query" : "command");
	num(c, "valid", (__s64)(v >> 31 & 1));
	num(c, "subchannel", (__s64)(v >> 16 & 7));
	hexnum(c, "method", 4, (unsigned int)v & 0x1ffc);
}

static void unhandled(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex_at(strstr(s, "INTR - ") + strlen("INTR - "), &v)) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, v);
	if (!nvfifo_explain_all_ones(c, v))
		put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, (__u32)v);
}

static void unhandled_pmc(struct ctx *c, const char *s)
{
	__u64 v;

	if (hex(s, "bits", &v))
		nvfifo_explain_register_bits(c, "PMC.INTR_HOST", (__u32)v);
}

static void invalid_channel(struct ctx *c, const char *s)
{
	__s64 id;

	if (dec(s, "channel id", &id))
		num(c, "channel", id);
	str(c, "meaning", "PGRAPH has a context loaded that is not that of a channel of the driver");
	advise(c, "The channel of the next lines is gone: its work was still in PGRAPH when it was destroyed.");
}

/* The unit of "nouveau W[   PFIFO][0000:01:00.0] unknown intr 0x00000010, ch 3" */
static void unit_interrupt(struct ctx *c, const char *s)
{
	static const struct {
		const char *unit;
		const char *reg;
	} units[] = {
		{ "PBUS][", "PBUS.INTR" }, { "PMC][", "PMC.INTR_HOST" },
		{ "PTIMER][", "PTIMER.INTR" },
	};
	size_t i;
	__u64 v;
	__s64 id;

	if (!hex(s, "intr", &v) && !hex(s, "stat", &v)) {
		c->declined = true;
		return;
	}

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strstr(s, units[i].unit)) {
			nvfifo_explain_register_bits(c, units[i].reg, (__u32)v);
			return;
		}
	}

	if (dec(s, "ch", &id))
		num(c, "channel", id);
	hexnum(c, "interrupt", 8, v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	if (strstr(s, "PFIFO]["))
		put_bits(c, "interrupt_bits", nvfifo_pfifo_intr_bits, (__u32)v);
	else
		put_bits(c, "interrupt_bits", nvfifo_falcon_intr_bits, (__u32)v);
}

/* "PCRYPT: ILLEGAL_MTHD ch 3 (0x001fb14000) mthd 0x0300 data 0x00000007" */
static void cipher(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PCRYPT"), *ch = strstr(s, " ch ");
	char names[80];
	__u32 bits;
	__u64 v;

	p += strlen("PCRYPT");
	if (*p == ']')
		p = strchr(p + 1, ']');
	if (!p || !ch || ch <= p) {
		c->declined = true;
		return;
	}

	snprintf(names, sizeof(names), "%.*s", (int)(ch - p - 1), p + 1);
	if (!names_only(nvfifo_cipher_intr_bits, names, &bits)) {
		c->declined = true;
		return;
	}

	hexnum(c, "interrupt", 8, bits);
	put_bits(c, "interrupt_bits", nvfifo_cipher_intr_bits, bits);
	nvfifo_explain_method_channel(c, ch);
	if (hex(ch, "mthd", &v))
		hexnum(c, "method", 4, v);
	nvfifo_explain_method_data(c, ch);
}

/* "PCOPY: DISPATCH_ERROR [ILLEGAL_MTHD] ch 3 [0x0001fb14] subc 0 mthd 0x0300 data 0x00000007" */
static void dispatch_error(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "DISPATCH_ERROR ["), *ch;
	char name[40], inst[40] = "";
	__u64 v;
	__s64 n;

	ch = bracket(p + strlen("DISPATCH_ERROR"), name, sizeof(name));
	if (!ch) {
		c->declined = true;
		return;
	}

	str(c, "error", "%s", name);
	p = dec(ch, "ch", &n);
	bracket(p, inst, sizeof(inst));

	/* Eight digits are the descriptor, ten the address. */
	if (strlen(inst) == 10 && hex_at(inst, &v)) {
		num(c, "channel", n);
		means(c, "structure at %010" PRIx64,
		      (uint64_t)nvfifo_chan_desc_address((__u32)v));
		hexnum(c, "desc", 8, v);
	} else {
		nvfifo_explain_method_channel(c, ch);
	}

	if (dec(ch, "subc", &n))
		num(c, "subchannel", n);
	if (hex(ch, "mthd", &v))
		hexnum(c, "method", 4, v);
	nvfifo_explain_method_data(c, ch);
	advise(c, "The firmware of the engine refused a method of the channel.");
}

/* "PCOPY: unhandled intr 0x00000300" */
static void falcon(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "intr", &v))
		return;

	hexnum(c, "interrupt", 8, v);
	if (!nvfifo_explain_all_ones(c, v))
		put_bits(c, "interrupt_bits", nvfifo_falcon_intr_bits, (__u32)v);
}

static void master_search(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "PMSRCH", &v))
		return;

	hexnum(c, "interrupt", 8, v);
	str(c, "meaning", "an interrupt of PME, the motion estimation unit of G80");
}

static void bar_flush(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "a flush of writes through a BAR did not end in 2 s");
	advise(c, "PFIFO or the memory controller hangs. Look for the first error line before this one.");
}

const struct explain_line nvfifo_explain_old_lines[] = {
	LINE("vm_fault", "nouveau", " - VM: Trapped ", " status ", fault_status),
	LINE("engine_trap", "nouveau", "TRAP_DISPATCH_FAULT - 4008", NULL, dispatch_register),
	LINE("engine_trap", "nouveau", "TRAP_DISPATCH_QUERY - 4008", NULL, dispatch_register),
	LINE("data_error", "nouveau", "PGRAPH_DATA_ERROR - Ch ", " mthd ", interrupt_method),
	LINE("engine_trap", "nouveau", "PGRAPH_TRAP - Ch ", " mthd ", interrupt_method),
	LINE("illegal_mthd", "nouveau", "PGRAPH_ILLEGAL_", " - ch ", interrupt_method),
	LINE("interrupt", "nouveau", "PGRAPH_", " - ch ", interrupt_method),
	LINE("interrupt", "nouveau", "PGRAPH -", NULL, interrupt_names),
	LINE("interrupt", "nouveau", "PGRAPH][", NULL, interrupt_names),
	LINE("interrupt", "nouveau", "Unhandled PGRAPH_INTR - ", NULL, unhandled),
	LINE("interrupt", "nouveau", "Unhandled PMC INTR status bits ", NULL, unhandled_pmc),
	LINE("interrupt", "nouveau", "AIII, invalid/inactive channel id ", NULL, invalid_channel),
	LINE("cipher_error", "nouveau", "PCRYPT:", " mthd ", cipher),
	LINE("cipher_error", "nouveau", "PCRYPT][", " mthd ", cipher),
	LINE("engine_error", "nouveau", "DISPATCH_ERROR [", "] ch ", dispatch_error),
	LINE("interrupt", "nouveau", "PCOPY: unhandled intr ", NULL, falcon),
	LINE("interrupt", "nouveau", "PCRYPT: unhandled intr ", NULL, falcon),
	LINE("interrupt", "nouveau", "nouveau ", "] unhandled intr ", unit_interrupt),
	LINE("interrupt", "nouveau", "nouveau ", "] unknown intr ", unit_interrupt),
	LINE("interrupt", "nouveau", "nouveau ", "] unknown stat ", unit_interrupt),
	LINE("interrupt", "nouveau", "PMSRCH", NULL, master_search),
	LINE("wait_timeout", "nouveau", "nouveau ", "] flush timeout", bar_flush),
	{ 0 }
};
