// SPDX-License-Identifier: MIT
/* Lines of nvfifo, this driver. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_methods.h"
#include "nvfifo_text.h"

static void semaphore(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "SEMAPHORE ");
	const struct nvfifo_name *n;
	__u64 v;

	nvfifo_explain_channel(c, s);

	for (n = nvfifo_semaphore_errors; p && n->name; n++) {
		if (!strncmp(p + 10, n->name, strlen(n->name))) {
			means(c, "%s", n->means);
			str(c, "error", "%s", n->name);
			break;
		}
	}

	if (hex(s, "method", &v))
		nvfifo_explain_method(c, v, 0);
	if (hex(s, "data", &v))
		hexnum(c, "data", 8, v);
	advise(c, "Semaphores need DMA_SEMAPHORE (0x60) with the handle of a DMA object, then an address that is a multiple of 4 inside of it.");
}

static void nvfifo_dma_pusher(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "channel ");

	nvfifo_explain_dma_pusher(c, p ? p : s);
}

static void nvfifo_fault(struct ctx *c, const char *s)
{
	__u64 va, engine = 0, client = 0, slot = 0, inst;
	const char *p = strrchr(s, ':');
	const struct nvfifo_name *n;

	nvfifo_explain_fault_access(c, s);
	if (hex(s, "at", &va))
		nvfifo_explain_fault_address(c, va);
	if (hex(s, "structure", &inst)) {
		means(c, "address of the channel structure");
		hexnum(c, "inst", 8, inst);
	}

	hex(s, "engine", &engine);
	hex(s, "client", &client);
	hex(s, "slot", &slot);
	str(c, "engine", "%02x %s", (unsigned int)engine,
	    nvfifo_fault_engine(c->chipset, (__u32)engine));
	str(c, "client", "%02x %s", (unsigned int)client,
	    nvfifo_fault_client(c->chipset, (__u32)client));
	str(c, "subclient", "%02x %s", (unsigned int)slot,
	    nvfifo_fault_slot(c->chipset, (__u32)engine, (__u32)client, (__u32)slot));

	for (n = nvfifo_fault_reasons; p && n->name; n++) {
		if (!strncmp(p + 2, n->name, strlen(n->name))) {
			str(c, "reason", "%08x %s", n->value, n->name);
			nvfifo_explain_fault_reason(c, n->value);
		}
	}
}

#define TRAP_MP		(1u << 7)	/* of PGRAPH.TRAP */

/* "PGRAPH DATA_ERROR INVALID_ENUM, intr 00100000 detail 00000005, class 502d subchannel 4 ..." */
static void nvfifo_graph(struct ctx *c, const char *s)
{
	__u64 intr = 0, detail = 0, oclass = 0, v;
	const struct nvfifo_name *n;
	char units[160];
	__s64 subc;

	nvfifo_explain_channel(c, s);
	if (hex(s, "intr", &intr)) {
		hexnum(c, "interrupt", 8, intr);
		put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, (__u32)intr);
	}

	hex(s, "detail", &detail);
	n = nvfifo_name_find(nvfifo_data_errors, (__u32)detail);
	if (intr >> 20 & 1 && n) {
		means(c, "%s", n->means ? n->means : "");
		str(c, "error", "%s", n->name);
	}

	if (intr >> 20 & 1)
		hexnum(c, "code", 8, detail);
	if (intr >> 21 & 1) {
		nvfifo_bits_text(nvfifo_trap_bits, (__u32)detail, "UNK", " ", units, sizeof(units));
		str(c, "units", "%s", units);
	}

	if (dec(s, "subchannel", &subc))
		num(c, "subchannel", subc);
	if (hex(s, "class", &oclass) && oclass) {
		const char *name = nvfifo_class_name((__u32)oclass);

		if (name)
			means(c, "%s", name);
		hexnum(c, "object_class", 4, oclass);
	}

	if (hex(s, "method", &v))
		nvfifo_explain_method(c, v, (__u32)oclass);
	if (hex(s, "data", &v))
		hexnum(c, "data", 8, v);
	if (intr >> 21 & 1 && detail & TRAP_MP)
		advise(c, "A program stopped: the lines of its MP, of its TP or of PROP at the same time have the cause. PGRAPH works through methods in advance, so the method is that of the launch or draw, or a later one.");
	else if (intr >> 21 & 1)
		advise(c, "A unit of PGRAPH could not go on, mostly because the MMU refused it: see the VM fault line of the same time. PGRAPH works through methods in advance, so the method is that one or an earlier one.");
	else if (intr >> 20 & 1)
		advise(c, "The method's data are wrong in themselves, or do not go with what was set before.");
	else
		advise(c, "The object of the subchannel has no such method, or PGRAPH of this chipset no such class: is the right object bound there?");
}

/* The eight digits after "stopped", and their names. */
static void stopped_for(struct ctx *c, const char *s, const struct nvfifo_name *bits)
{
	__u64 v;

	if (!hex(s, "stopped", &v))
		return;

	hexnum(c, "ustatus", 8, v);
	nvfifo_explain_bits_mean(c, bits, (__u32)v);
	put_bits(c, "bits", bits, (__u32)v);
}

static void stopped_advice(struct ctx *c, const char *unit, const struct nvfifo_name *bits,
			   const char *s)
{
	__u64 v;

	if (hex(s, "stopped", &v))
		nvfifo_explain_trap_advice(c, unit, bits, (__u32)v);
}

/* "DISPATCH holds a command, subchannel 5 class 5039 M2MF method 0104 NOTIFY data 00000000 ..." */
static void nvfifo_stuck(struct ctx *c, const char *s)
{
	__u64 oclass = 0, v;
	const char *p;
	__s64 subc;

	nvfifo_explain_channel(c, s);
	means(c, "%s", "DISPATCH: notifier, query, condition or context");
	str(c, "unit", "DISPATCH");
	str(c, "stuck", "%s", strstr(s, "holds a query") ? "query" : "command");
	if (dec(s, "subchannel", &subc))
		num(c, "subchannel", subc);
	if (hex(s, "class", &oclass))
		hexnum(c, "object_class", 4, oclass);
	if (hex(s, "method", &v))
		nvfifo_explain_method(c, v, (__u32)oclass);

	p = hex(s, "data", &v);
	if (p)
		hexnum(c, "data_high", 8, v);
	if (p && hex_at(p, &v))
		hexnum(c, "data", 8, v);
	advise(c, "PGRAPH could not write the notifier or the query, or read the condition: is its DMA object right, and its address mapped?");
}

/* "MP 0 of TP 0 stopped: 00000010 INVALID_OPCODE, pc 001234 warp 5, opcode 10008001 e0800780" */
static void nvfifo_mp(struct ctx *c, const char *s)
{
	const char *p;
	__s64 n;
	__u64 v;

	nvfifo_explain_channel(c, s);
	means(c, "%s", "a shader program stopped");
	str(c, "unit", "MP_EXEC");
	if (dec(s, "TP", &n))
		num(c, "tp", n);
	if (dec(s, "MP", &n))
		num(c, "mp", n);
	stopped_for(c, s, nvfifo_trap_mp_exec_bits);
	if (hex(s, "pc", &v))
		hexnum(c, "pc", 6, v);
	if (dec(s, "warp", &n))
		num(c, "warp", n);

	p = hex(s, "opcode", &v);
	if (p)
		hexnum(c, "opcode_low", 8, v);
	if (p && hex_at(p, &v))
		hexnum(c, "opcode_high", 8, v);
	stopped_advice(c, "MP_EXEC", nvfifo_trap_mp_exec_bits, s);
}

/* "PROP of TP 5 stopped: 00000080 CUDA_FAULT, access at 0020239300" */
static void nvfifo_prop(struct ctx *c, const char *s)
{
	__s64 n;
	__u64 v;

	nvfifo_explain_channel(c, s);
	means(c, "%s", "render targets or memory accesses of shaders");
	str(c, "unit", "PROP");
	if (dec(s, "TP", &n))
		num(c, "tp", n);
	stopped_for(c, s, nvfifo_trap_prop_bits);
	if (find(s, "read") || find(s, "write"))
		nvfifo_explain_fault_access(c, s);
	else
		str(c, "access", "unknown");
	if (hex(s, "at", &v))
		nvfifo_explain_fault_address(c, v);
	stopped_advice(c, "PROP", nvfifo_trap_prop_bits, s);
}

/* An interrupt that does not stop, of one of three units; its bits have names in two of them. */
static void masked_for_good(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "interrupt", &v))
		return;

	hexnum(c, "interrupt", 8, v);
	if (strstr(s, "PFIFO interrupt"))
		put_bits(c, "interrupt_bits", nvfifo_pfifo_intr_bits, (__u32)v);
	else if (strstr(s, "PGRAPH interrupt"))
		put_bits(c, "interrupt_bits", nvfifo_pgraph_intr_bits, (__u32)v);
	advise(c, "A unit raised an interrupt without a known cause a hundred times. The driver has turned it off; please report it.");
}

static void forged_fence(struct ctx *c, const char *s)
{
	__u64 v;

	nvfifo_explain_channel(c, s);
	if (hex(s, "wrote", &v))
		hexnum(c, "data", 8, v);
	advise(c, "The channel's own commands wrote to the driver's fence page, handle 0x80000000, and the channel ended.");
}

static void missed_handle(struct ctx *c, const char *s)
{
	__u64 v;

	nvfifo_explain_channel(c, s);
	if (hex(s, "handle", &v))
		hexnum(c, "handle", 8, v);
	advise(c, "The handle is in RAMHT, and the driver has PFIFO look for it again. If the line comes often, please report it.");
}

static void pio_area(struct ctx *c, const char *s)
{
	nvfifo_explain_channel(c, s);
	advise(c, "Something wrote to a channel's area for programmed I/O, which PFIFO refuses for channels with a pushbuffer.");
}

static void more_units(struct ctx *c, const char *s)
{
	__s64 n;

	nvfifo_explain_channel(c, s);
	if (dec(s, "channel", &n) && dec(s, ":", &n))
		num(c, "units", n);
	advise(c, "The lines before it name the first units that trapped; usually all of them trap for the same reason.");
}

static void card_gone(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "the driver gave the card up");
	advise(c, "Look for the first error line before this one. The card needs a reset: reload the driver, or reboot.");
}

static void wait_timeout(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " did not end"), *from = p;
	__u64 v;

	while (from > s && from[-1] != ':' && from[-1] != ']')
		from--;
	from += strspn(from, " ");
	str(c, "wait", "%.*s", (int)(p - from), from);
	if (hex(s, "register", &v))
		hexnum(c, "register", 6, v);
	if (hex(s, "is", &v)) {
		hexnum(c, "value", 8, v);
		if (nvfifo_explain_all_ones(c, v))
			return;
	}

	advise(c, "The card did not answer a command in the time that every known driver allows; it is treated as stuck from now on.");
}

static void probe(struct ctx *c, const char *s)
{
	__u64 v;

	if (hex(s, "PMC_BOOT_0", &v) || hex(s, "PMC_BOOT_0 is", &v)) {
		const char *name = nvfifo_chipset_name((__u32)v >> 20 & 0x1ff);

		means(c, "chipset %03x, %s", (__u32)v >> 20 & 0x1ff, name ? name : "not this family");
		hexnum(c, "boot_0", 8, v);
	}

	if (hex(s, "chipset", &v))
		hexnum(c, "chipset", 3, v);
}

/* The values in a line of plain words, and the advice of its row */
void nvfifo_explain_sentence(struct ctx *c, const char *s)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;
	const char *p;
	__u64 v;

	if (c->kind->advice)
		advise(c, "%s", c->kind->advice);

	p = strstr(s, " bytes of VRAM");
	if (p) {
		while (p > s && isdigit((unsigned char)p[-1]))
			p--;
		num(c, "vram", nvfifo_text_value(p, 10));
	}

	if (hex(s, "at", &v))
		hexnum(c, "at", 8, v);
	if (hex(s, "is", &v))
		hexnum(c, "value", 8, v);
	if (hex(s, "let go of channel", &v)) {
		means(c, "structure at %09" PRIx64, (uint64_t)nvfifo_chan_desc_address((__u32)v));
		hexnum(c, "desc", 8, v);
	}

	if (!hex(s, "interrupt", &v) || nvfifo_reg_parse("PMC.INTR_HOST", c->chipset, &ref))
		return;

	hexnum(c, "interrupt", 8, v);

	while ((f = nvfifo_reg_field(ref.reg, c->chipset, f))) {
		if (v & nvfifo_reg_mask(f))
			str(c, f->name, "1");
	}
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_driver_lines[] = {
	LINE_TO("dma_pusher", "nvfifo", ": DMA_PUSHER ", "subchannel", nvfifo_dma_pusher, "ib_put", 1),
	LINE_TO("cache_error", "nvfifo", ": CACHE_ERROR ", "subchannel", nvfifo_explain_cache_error, "data", 8),
	LINE_TO("semaphore", "nvfifo", ": SEMAPHORE ", "method", semaphore, "data", 8),
	LINE("pgraph", "nvfifo", ": PGRAPH ", " intr ", nvfifo_graph),
	LINE("engine_trap", "nvfifo", ": DISPATCH holds a ", "method", nvfifo_stuck),
	LINE("engine_trap", "nvfifo", ": MP ", " stopped: ", nvfifo_mp),
	LINE("engine_trap", "nvfifo", ": PROP of TP ", " stopped: ", nvfifo_prop),
	LINE("vm_fault", "nvfifo", "VM fault: ", "engine", nvfifo_fault),
	LINE("tlb_flush_timeout", "nvfifo", "does not get idle for a TLB flush", NULL, nvfifo_explain_pgraph_status),
	LINE("mmio_fault", "nvfifo", " of absent register ", NULL, nvfifo_explain_mmio_fault),
	LINE("channel_timeout", "nvfifo", "kick of channel", NULL, nvfifo_explain_kick_timeout),
	LINE("channel_timeout", "nvfifo", "stays in CACHE1", NULL, nvfifo_explain_kick_timeout),
	LINE("channel_timeout", "nvfifo", ": submission ", " did not end in", nvfifo_explain_idle_channel),
	LINE("wait_timeout", "nvfifo", " did not end in ", "register", wait_timeout),
	LINE("card_lost", "nvfifo", "it is unusable until the driver is bound", NULL, card_gone),
	LINE("fence", "nvfifo", "its commands wrote ", " to the fence page", forged_fence),
	LINE("lookup", "nvfifo", "a look-up in RAMHT missed handle ", NULL, missed_handle),
	LINE("pio", "nvfifo", "access to a PIO area was refused", NULL, pio_area),
	LINE("trap", "nvfifo", " more units have trapped", NULL, more_units),
	LINE("interrupt", "nvfifo", " does not stop, and is masked for good", "interrupt", masked_for_good),
	LINE("interrupt", "nvfifo", "PFIFO interrupt ", NULL, nvfifo_explain_fifo_intr),
	LINE("probe", "nvfifo", "PMC_BOOT_0", NULL, probe),
	SENTENCE("probe", "nvfifo", "every register reads all ones", NULL,
		 "The card is gone from the bus or in a deep sleep: check its power, its seat, and lspci."),
	SENTENCE("probe", "nvfifo", "big-endian mode and stays", NULL,
		 "The switch at register 000004 does not work: power-cycle the card."),
	SENTENCE("probe", "nvfifo", "VBIOS has not been run", NULL,
		 "Clocks and memory are not set up, and the driver cannot run VBIOS scripts: boot with the card as a graphics card."),
	SENTENCE("probe", "nvfifo", "the kernel copies memory on its way", NULL,
		 "The card would not see what clients write later: switch an IOMMU on."),
	SENTENCE("probe", "nvfifo", "PTIMER stands still at", NULL,
		 "The card is not set up: boot with it as a graphics card, so that the firmware runs its VBIOS."),
	SENTENCE("probe", "nvfifo", "the card is the boot console", NULL,
		 "With console=1 the driver accepts it, and the screen stays dark."),
	SENTENCE("probe", "nvfifo", "need 16 MiB, any", NULL,
		 "The firmware or a bridge gave the card too little address space: see lspci -v."),
	SENTENCE("probe", "nvfifo", "bytes of VRAM, need", NULL,
		 "The memory controller reports too little memory."),
	SENTENCE("probe", "nvfifo", "does not keep its contents", NULL,
		 "Memory is defective, or hidden by the firmware."),
	SENTENCE("probe", "nvfifo", "BAR3 does not show", NULL,
		 "The MMU does not translate BAR3. Please report it, with the whole log."),
	SENTENCE("probe", "nvfifo", "above the addresses of system memory", NULL,
		 "The firmware set upper bits for the card's accesses to memory. The driver clears them, because its addresses have 40 bits."),
	SENTENCE("suspend", "nvfifo", "bytes of VRAM at ", "and were",
		 "After the sleep this is another card, or its memory was set up differently: load the driver again."),
	SENTENCE("suspend", "nvfifo", "no memory for the contents of VRAM", NULL,
		 "System sleep needs as much free memory as there is VRAM in use."),
	SENTENCE("channel_timeout", "nvfifo", "PGRAPH does not let go of channel", NULL,
		 "A context switch of PGRAPH did not end, so the driver resets it: look for an error before this line."),
	SENTENCE("interrupt", "nvfifo", "does not go away, and slows the driver down", NULL,
		 "A unit keeps raising its interrupt and cannot be turned off. The card continues to work, and the driver polls it. Please report it."),
	SENTENCE("interrupt", "nvfifo", " of units that are not used", NULL,
		 "The firmware left a unit on that nobody uses here; it is turned off."),
	SENTENCE("interrupt", "nvfifo", "the card's interrupts do not arrive", NULL,
		 "The card raises interrupts, and the kernel does not deliver them. The driver looks for them itself, so all work ends late. With MSIs load the module with msi=0; with the line look at its routing."),
	SENTENCE("probe", "nvfifo", "PTIMER stood still and was started", NULL,
		 "The firmware had not started the card's timer. The driver set its rate for the crystal that the straps name."),
	SENTENCE("probe", "nvfifo", "the firmware translates BAR1", NULL,
		 "The driver cannot find the memory that the screen shows, so a program's memory may become visible there: switch the screen off."),
	SENTENCE("probe", "nvfifo", "the screen's frame buffer leaves", NULL,
		 "With console=1 the driver keeps the firmware's frame buffer out of use, and too little is left: let the firmware set a smaller mode."),
	SENTENCE("probe", "nvfifo", "the objects of the display are not in VRAM", NULL,
		 "The firmware left the display running with its DMA objects in system memory. The driver cannot keep them from others: please report it."),
	SENTENCE("probe", "nvfifo", "stolen memory at ", "is not below 2^40",
		 "The IGP's register for the base of its stolen memory names an address that no page table entry can hold. The driver accepts no such card: please report it."),
	SENTENCE("probe", "nvfifo", "page tables in ", "TLB flush for background",
		 NULL),
	LINE("wait_timeout", "nvfifo", "PGRAPH does not get idle for ", NULL, nvfifo_explain_pgraph_status),
	SENTENCE("wait_timeout", "nvfifo", ": reset of ", "nvfifo ",
		 "The procedure at the beginning of the line did not end, so the driver resets units of the card. Channels without an error continue."),
	SENTENCE("wait_timeout", "nvfifo", " did not end in ", NULL,
		 "The card did not end a procedure in the time that it has. The driver resets PFIFO, then all units, before it gives the card up: see the lines that follow."),
	{ 0 }
};
