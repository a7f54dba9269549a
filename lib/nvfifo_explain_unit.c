// SPDX-License-Identifier: MIT
/* Lines of nouveau about the other units: interrupts, video, PCIPHER, the display. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_methods.h"

bool nvfifo_explain_all_ones(struct ctx *c, __u64 v)
{
	if (v != 0xffffffff)
		return false;
	str(c, "meaning", "all ones: the card no longer answers, this is not a status");
	advise(c, "The card is gone from the bus or powered down; nothing that the log says after this line is about the card.");
	return true;
}

void nvfifo_explain_mmio_fault(struct ctx *c, const char *s)
{
	__u64 v;

	nvfifo_explain_fault_access(c, s);
	if (hex(s, "FAULT at", &v) || hex(s, "register", &v))
		hexnum(c, "register", 6, v);
	if (hex(s, "of", &v) || hex(s, "data", &v))
		hexnum(c, "data", 8, v);
	advise(c, "The driver touched a register that this chipset does not have, or whose unit is off or has lost its clock.");
}

static void lockup(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "nouveau's console could not draw with the card any more");
	advise(c, "A consequence, not a cause: look for the first error line before it.");
}

static void cipher(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " ch ");
	__u64 v;

	if (p) {
		nvfifo_explain_interrupt_before(c, s, p, nvfifo_cipher_intr_bits);
		nvfifo_explain_method_channel(c, p);
	}

	if (hex(s, "mthd", &v))
		hexnum(c, "method", 4, v);
	if (hex(s, "data", &v))
		hexnum(c, "data", 8, v);
	advise(c, "PCIPHER refused a method, or a memory access of it failed: the bits say which, and a VM fault line at the same time shows the address.");
}

/* "ce0: DISPATCH_ERROR 0002 [ILLEGAL_MTHD] ch 3 [000f0e1000 Xorg[1234]] subc 0 mthd 0000 ..." */
static void falcon(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " ch "), *from;
	char name[40];
	__u64 v;
	__s64 n;

	from = hex(s, "DISPATCH_ERROR", &v);
	if (from) {
		bracket(from, name, sizeof(name));
		str(c, "error", "%s", name);
		hexnum(c, "code", 4, v);
	}

	if (p)
		nvfifo_explain_method_channel(c, p);
	if (dec(s, "subc", &n))
		num(c, "subchannel", n);
	if (hex(s, "mthd", &v))
		hexnum(c, "method", 4, v);
	nvfifo_explain_method_data(c, s);
	advise(c, "The firmware of the engine refused a method of the channel.");
}

void nvfifo_explain_register_bits(struct ctx *c, const char *reg, __u32 v)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;

	hexnum(c, "interrupt", 8, v);
	if (nvfifo_explain_all_ones(c, v) || nvfifo_reg_parse(reg, c->chipset, &ref))
		return;

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		if (v & nvfifo_reg_mask(f))
			str(c, f->name, "1");
	}
}

/* Interrupts that nouveau has no handler for, with the names of the unit's register. */
static void unit_intr(struct ctx *c, const char *s, const char *name)
{
	__u64 v;

	if (!hex(s, "intr", &v) && !hex(s, "stat", &v) && !hex(s, "bits", &v))
		return;

	nvfifo_explain_register_bits(c, name, (__u32)v);
	if (!*c->e->advice)
		advise(c, "An interrupt that the driver has no handler for; the bits are those of %s. Alone it does no harm.",
		       name);
}

static void bus_intr(struct ctx *c, const char *s)
{
	unit_intr(c, s, "PBUS.INTR");
}

static void mc_intr(struct ctx *c, const char *s)
{
	unit_intr(c, s, "PMC.INTR_HOST");
}

static void timer_intr(struct ctx *c, const char *s)
{
	unit_intr(c, s, "PTIMER.INTR");
}

/* "ce0: intr 00000300": of a falcon, whatever its firmware does with it */
static void falcon_intr(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "intr", &v))
		return;

	word_before(c, "engine", s, ": intr ");
	hexnum(c, "interrupt", 8, v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	put_bits(c, "interrupt_bits", nvfifo_falcon_intr_bits, (__u32)v);
	advise(c, "An interrupt of an engine's falcon that nouveau has no handler for. An MMU fault of the engine, or a method that it refused, stands in the lines around it.");
}

/* "vp: Watchdog interrupt, engine hung." */
static void engine_hung(struct ctx *c, const char *s)
{
	word_before(c, "engine", s, ": Watchdog ");
	str(c, "meaning", "the engine's processor did not answer its watchdog");
	advise(c, "The video engine hangs; other engines go on. Look for an MMU fault of it before this line.");
}

static void no_firmware(struct ctx *c, const char *s)
{
	word_before(c, "engine", s, ": unable ");
	str(c, "meaning", "the file with the engine's firmware is missing, and the engine stays off");
	advise(c, "Video decoding only: PFIFO, PGRAPH and M2MF need no firmware on this family.");
}

/* The interrupt, why a method was refused, the method and its data: "00000001 00000010 0000018c 00000007" */
static void mpeg(struct ctx *c, const char *s)
{
	static const char *const names[] = { "interrupt", "fifo_error", "method", "data" };
	const struct nvfifo_name *bits[] = { nvfifo_mpeg_intr_bits, nvfifo_mpeg_error_bits };
	const char *p = strcasestr(s, "mpeg");
	__u64 w[4];
	size_t i;

	p = p ? p + strlen("mpeg") : s;
	if (*p == ']')
		p = strchr(p + 1, ']');
	if (p && find(p, "ch")) {
		nvfifo_explain_method_channel(c, p);
		p = strrchr(p, ']');
	}

	if (p)
		p += strspn(p, "]:- ");

	for (i = 0; i < 4 && p; i++)
		p = hex_at(p, &w[i]);
	if (!p) {
		c->declined = true;
		return;
	}

	for (i = 0; i < 4; i++) {
		str(c, names[i], i == 2 ? "%04" PRIx64 : "%08" PRIx64, (uint64_t)w[i]);
		if (i == 0 && nvfifo_explain_all_ones(c, w[i]))
			return;
		if (i < 2)
			put_bits(c, i ? "fifo_error_bits" : "interrupt_bits", bits[i], (__u32)w[i]);
	}

	advise(c, "PMPEG refused a method or its command buffer; FIFO_ERR says that the method and data are those.");
}

static void mpeg_timeout(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "timeout", &v) && !hex(s, "init", &v))
		return;

	hexnum(c, "status", 8, v);
	if (!nvfifo_explain_all_ones(c, v))
		advise(c, "PMPEG is not idle 2 s after it was set up; it stays off.");
}

/* "timer: stalled at ffffffffffffffff" */
static void timer_stalled(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "at", &v))
		return;

	hexnum(c, "time", 16, v);
	if (nvfifo_explain_all_ones(c, v == ~0ull ? 0xffffffff : v))
		return;

	str(c, "meaning", "PTIMER does not count");
	advise(c, "The card lost its clock or its set-up; nothing that waits for a time ends.");
}

/* "ERROR 5 [INVALID_STATE] 06 [] chid 1 mthd 0080 data 00000001" of the display's channels */
static void display_error(struct ctx *c, const char *s)
{
	char text[40];
	__u64 v;
	__s64 n;
	const char *p = dec(s, "ERROR", &n);

	if (p) {
		p = bracket(p, text, sizeof(text));
		str(c, "error", "%s", text);
		num(c, "type", n);
		if (p && hex_at(p, &v))
			hexnum(c, "code", 2, v);
	}

	means(c, "of the display, none of PFIFO's");
	if (dec(s, "chid", &n))
		num(c, "display_channel", n);
	c->means[0] = '\0';
	if (hex(s, "mthd", &v))
		hexnum(c, "method", 4, v);
	if (hex(s, "data", &v))
		hexnum(c, "data", 8, v);
	advise(c, "Outside of this tool's scope: the driver's own commands for the display, not a pushbuffer of a program.");
}

static void pmu_fault(struct ctx *c, const char *s)
{
	__u64 v;

	if (hex(s, "fault at", &v)) {
		means(c, "program counter");
		hexnum(c, "pc", 6, v);
	}

	if (hex(s, "addr", &v))
		hexnum(c, "register", 6, v);
	advise(c, "The firmware of the power management unit touched a register that does not exist.");
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_unit_lines[] = {
	LINE("mmio_fault", "nouveau", "MMIO ", " FAULT at", nvfifo_explain_mmio_fault),
	LINE("interrupt", "nouveau", "bus: intr ", NULL, bus_intr),
	LINE("interrupt", "nouveau", "mc: intr ", NULL, mc_intr),
	LINE("interrupt", "nouveau", "mc: unknown intr ", NULL, mc_intr),
	LINE("interrupt", "nouveau", "PMC - unhandled INTR ", NULL, mc_intr),
	LINE("engine_error", "nouveau", "DISPATCH_ERROR ", " mthd ", falcon),
	LINE("interrupt", "nouveau", "timer: intr ", NULL, timer_intr),
	LINE("interrupt", "nouveau", "msvld: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "mspdec: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "msppp: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "sec: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "ce: intr ", NULL, falcon_intr),
	LINE("interrupt", "nouveau", "ce0: intr ", NULL, falcon_intr),
	LINE("engine_error", "nouveau", "Watchdog interrupt, engine hung", NULL, engine_hung),
	LINE("engine_error", "nouveau", "mpeg: timeout ", NULL, mpeg_timeout),
	LINE("engine_error", "nouveau", "PMPEG][", " timeout ", mpeg_timeout),
	LINE("engine_error", "nouveau", "PMPEG init: ", NULL, mpeg_timeout),
	LINE("engine_error", "nouveau", "mpeg: ", NULL, mpeg),
	LINE("engine_error", "nouveau", "PMPEG][", NULL, mpeg),
	LINE("engine_error", "nouveau", "PMPEG - ", NULL, mpeg),
	LINE("engine_error", "nouveau", "pmu: UAS fault at ", NULL, pmu_fault),
	LINE("firmware", "nouveau", "unable to load firmware", NULL, no_firmware),
	LINE("wait_timeout", "nouveau", "timer: stalled at ", NULL, timer_stalled),
	LINE("display_error", "nouveau", "disp: ERROR ", " chid ", display_error),
	LINE("display_error", "nouveau", "disp: chid ", " mthd ", display_error),
	LINE("lockup", "nouveau", "GPU lockup", NULL, lockup),
	LINE("cipher_error", "nouveau", "cipher: ", " mthd ", cipher),
	{ 0 }
};
