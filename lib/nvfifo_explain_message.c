// SPDX-License-Identifier: MIT
/*
 * Messages that need a sentence more than a decoder: a row for each, with its meaning and advice.
 *
 * nouveau's rows are the error formats of Linux 6.12 that a submission, a channel, a flush or a
 * fault can cause.
 */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_text.h"

/* --- Fields that several messages have ------------------------------------ */

static const struct {
	unsigned int err;
	const char *name;
	const char *means;
} errnos[] = {
	{ 1, "EPERM", "not allowed" },
	{ 2, "ENOENT", "no such handle" },
	{ 4, "EINTR", "a signal interrupted the wait" },
	{ 5, "EIO", "the card failed" },
	{ 11, "EAGAIN", "try again" },
	{ 12, "ENOMEM", "no memory, or the buffers do not fit together" },
	{ 13, "EACCES", "not allowed" },
	{ 14, "EFAULT", "a pointer of the program is wrong" },
	{ 16, "EBUSY", "in use, or it did not become idle in time" },
	{ 17, "EEXIST", "it exists already" },
	{ 19, "ENODEV", "the channel was killed, or the card is gone" },
	{ 22, "EINVAL", "a handle, a domain or a range is wrong" },
	{ 25, "ENOTTY", "the driver has no such call" },
	{ 28, "ENOSPC", "no room" },
	{ 35, "EDEADLK", "two submissions wait for the same buffers" },
	{ 38, "ENOSYS", "the driver has no such call" },
	{ 110, "ETIMEDOUT", "it did not end in time" },
	{ 512, "ERESTARTSYS", "a signal interrupted the wait" },
};

#define ERRNOS (sizeof(errnos) / sizeof(errnos[0]))

const char *nvfifo_errno_name(unsigned int err)
{
	size_t i;

	for (i = 0; i < ERRNOS; i++) {
		if (errnos[i].err == err)
			return errnos[i].name;
	}

	return "";
}

void nvfifo_explain_errno(struct ctx *c, unsigned int err)
{
	size_t i;

	for (i = 0; i < ERRNOS; i++) {
		if (errnos[i].err == err)
			means(c, "%s: %s", errnos[i].name, errnos[i].means);
	}

	num(c, "errno", err);
}

/* A negative number at the end of the line: "validate: -12" */
static void last_errno(struct ctx *c, const char *s)
{
	const char *end = s + strlen(s), *p;

	while (end > s && strchr(" .\r", end[-1]))
		end--;
	for (p = end; p > s && isdigit((unsigned char)p[-1]); p--)
		;
	if (p < end && p > s + 1 && p[-1] == '-' && p[-2] == ' ')
		nvfifo_explain_errno(c, (unsigned int)nvfifo_text_value(p, 10));
}

/* "nouveau 0000:01:00.0: Xorg[849]: fail reserve", "nouveau E[Xorg[849]] fail reserve" */
static void program_field(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "nouveau E["), *colon;
	char owner[80];

	if (p && bracket(p + strlen("nouveau E"), owner, sizeof(owner))) {
		str(c, "owner", "%s", owner + strspn(owner, " "));
		return;
	}

	p = strstr(s, "nouveau ");
	p = p ? strstr(p, ": ") : NULL;
	colon = p ? strstr(p + 2, "]: ") : NULL;
	if (colon)
		str(c, "owner", "%.*s", (int)(colon + 1 - p - 2), p + 2);
}

/* Numbers of a message by the text in front of them */
static void numbers(struct ctx *c, const char *s)
{
	static const struct {
		const char *text;
		const char *field;
		bool hex;
	} fields[] = {
		{ "push", "segment", false }, { "instances of buffer", "buffer", false },
		{ "Unknown handle", "handle", true }, { "valid domains", "domains", true },
		{ "max", "limit", false }, { "channel", "channel", false },
		{ "client", "display_client", false }, { "spin", "spin", false },
	};
	size_t i;
	__u64 v;
	__s64 n;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].hex && hex(s, fields[i].text, &v))
			hexnum(c, fields[i].field, 8, v);
		else if (!fields[i].hex && dec(s, fields[i].text, &n))
			num(c, fields[i].field, n);
	}
}

void nvfifo_explain_message(struct ctx *c, const char *s)
{
	const char *p = strstr(s, c->kind->anchor);

	program_field(c, s);
	numbers(c, p - s > 8 ? p - 8 : s);
	last_errno(c, s);
	str(c, "meaning", "%s", c->kind->meaning);
	if (c->kind->advice)
		advise(c, "%s", c->kind->advice);
}

/* A submission that nouveau does not pass on */
static void refused(struct ctx *c, const char *s)
{
	nvfifo_explain_message(c, s);
	advise(c, "Nothing of the submission reached the card; libdrm prints 'kernel rejected pushbuf' for it. %s",
	       c->kind->advice);
}

/* --- A wait of nouveau that did not end ------------------------------------ */

/* "CPU#1: Xorg/849" of Linux 7 */
static void warning_program(struct ctx *c, const char *s)
{
	const char *name = strstr(s, "CPU#"), *slash;

	name = name ? strstr(name, ": ") : NULL;
	slash = name ? strrchr(name, '/') : NULL;
	if (!slash)
		return;

	str(c, "owner", "%.*s[%.*s]", (int)(slash - name - 2), name + 2,
	    (int)strspn(slash + 1, "0123456789"), slash + 1);
}

/*
 * "WARNING: CPU: 1 PID: 11 at drivers/gpu/drm/nouveau/nvkm/engine/fifo/g84.c:132 g84_ectx_bind+0x1c2/0x1e0",
 * and of Linux 7 "WARNING: drivers/.../g84.c:132 at g84_ectx_bind+0x1c2/0x1e0, CPU#1: Xorg/849"
 */
void nvfifo_explain_warning(struct ctx *c, const char *s)
{
	const char *file = strstr(s, "nouveau/"), *function = strstr(s, "+0x");
	__s64 n;

	while (function && function > s && (isalnum((unsigned char)function[-1]) || function[-1] == '_'))
		function--;
	if (function)
		str(c, "function", "%.*s", (int)strcspn(function, "+"), function);
	else
		str(c, "function", "%s", c->kind->also);
	if (file)
		str(c, "file", "%.*s", (int)strcspn(file + 8, " "), file + 8);
	if (dec(s, "PID", &n))
		num(c, "pid", n);
	warning_program(c, s);
	str(c, "meaning", "%s", c->kind->meaning);
	advise(c, "%s", c->kind->advice);
}

/* "nouveau 0000:01:00.0: timeout" */
static void timeout(struct ctx *c, const char *s)
{
	const char *p = strstr(s, ": timeout"), *end = p + strlen(": timeout");

	/* A word between them is a unit's name: "drm: base-0: timeout" */
	if (p - s < 7 || p[-2] != '.' || end[strspn(end, " \r")]) {
		c->declined = true;
		return;
	}

	str(c, "meaning", "a wait of nouveau for the card did not end in 2 s");
	advise(c, "The WARNING line after it names the function, and so what did not end.");
}

/* --- Lines of other generations --------------------------------------------- */

static void other_generation(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "generation", "%s", c->kind->meaning);
	str(c, "meaning", "a line that nouveau prints for cards of another generation only");
	advise(c, "This card is not of the NV50 family (G80 to MCP89), and the line is not explained here.");
}

/* Generations of the classes of 3D and compute, of channels, copies and 2D, by the upper byte */
static const struct {
	unsigned int first;
	unsigned int last;
	const char *generation;
} class_generations[] = {
	{ 0x00, 0x1f, "NV40 or older" }, { 0x20, 0x20, "NV40 or older" }, { 0x30, 0x30, "NV40 or older" },
	{ 0x34, 0x35, "NV30 (Rankine)" }, { 0x40, 0x44, "NV40 (Curie)" }, { 0x90, 0x92, "GF100 (Fermi)" },
	{ 0xa0, 0xa2, "GK104 (Kepler)" }, { 0xb0, 0xb1, "GM107 (Maxwell)" }, { 0xc0, 0xc1, "GP100 (Pascal)" },
	{ 0xc3, 0xc3, "GV100 (Volta)" }, { 0xc4, 0xc5, "TU102 (Turing)" }, { 0xc6, 0xc7, "GA100 (Ampere)" },
	{ 0xc9, 0xc9, "AD102 (Ada)" }, { 0xcb, 0xcb, "GH100 (Hopper)" }, { 0xcd, 0xce, "GB100 (Blackwell)" },
};

const char *nvfifo_class_generation(__u32 oclass)
{
	/* Of classes that exist in other generations only, by the lower byte */
	static const __u8 lows[] = { 0x97, 0xc0, 0x6f, 0xb5, 0x39, 0x2d, 0x40, 0x6e, 0x96, 0x56 };
	size_t i;

	if (nvfifo_class_exists(0, oclass) || oclass > 0xffff || !memchr(lows, (int)(oclass & 0xff), sizeof(lows)))
		return NULL;

	for (i = 0; i < sizeof(class_generations) / sizeof(class_generations[0]); i++) {
		if (oclass >> 8 >= class_generations[i].first && oclass >> 8 <= class_generations[i].last)
			return class_generations[i].generation;
	}

	return NULL;
}

/* A class that chips of another generation have, and none of this family */
static void other_class(struct ctx *c, const char *s)
{
	const char *generation = NULL;
	__u64 oclass = 0;

	if (hex(s, "class", &oclass))
		generation = nvfifo_class_generation((__u32)oclass);
	if (!generation) {
		c->declined = true;
		return;
	}

	hexnum(c, "object_class", 4, oclass);
	str(c, "generation", "%s", generation);
	str(c, "meaning", "a class that no chip of this family has");
	advise(c, "This card is not of the NV50 family (G80 to MCP89): class %04" PRIx64 " is one of %s. The line is not explained here.",
	       (uint64_t)oclass, generation);
}

/* --- The table -------------------------------------------------------------- */

#define SUBMIT(anchor, meaning, advice) \
	{ "submit_refused", "nouveau", anchor, "nouveau", refused, NULL, 0, meaning, advice }
#define MESSAGE(cls, anchor, also, meaning, advice) \
	{ cls, "nouveau", anchor, also, nvfifo_explain_message, NULL, 0, meaning, advice }
#define WAIT(function, meaning, advice) \
	{ "wait_timeout", "nouveau", "WARNING:", function, nvfifo_explain_warning, NULL, 0, meaning, advice }
#define OTHER(anchor, also, generation) \
	{ "other_family", "nouveau", anchor, also, other_generation, NULL, 0, generation, NULL }

#define THREADS	"The program's mistake, often of two threads that share a channel without a lock."
#define KICK "the channel was told to leave the card, a write of its address to 0032fc, and the card did not answer in 2 s"
#define KICK_ADVICE "PFIFO or an engine hangs, so the channel's context cannot be saved. The lines before it (a trap, a flush or idle timeout) tell which engine; since Linux 6.0 this WARNING is the only trace of a kick that failed."
#define SETUP	"nouveau does not start, or without what the line names: see the lines before."
#define NO_CHANNEL "Memory for channels ran out, or the card does not answer: see the lines before."
#define ALL_CHANNELS "All of the card's channels are in use: a program makes too many, or does not close them."
#define NO_CLIENT "The program gets no access to the card. Memory ran out, or the card does not answer: see the lines before."
#define OBJECT	"Memory ran out, or the card does not answer: see the lines before."
#define VIDEO	"Video decoding only: PFIFO, PGRAPH and M2MF need no firmware on this family."
#define GF100	"GF100 (Fermi) or later"

const struct explain_line nvfifo_explain_message_lines[] = {
	LINE("other_family", "nouveau", " class ", "nouveau", other_class),
	SUBMIT(" buffer not in list", "a segment of the submission is in no buffer of its list", THREADS),
	SUBMIT("multiple instances of buffer ", "the list of buffers names one twice", THREADS),
	SUBMIT("Unknown handle 0x", "the list of buffers has a handle that the program does not own",
	       "The program's mistake: a buffer that it has freed."),
	SUBMIT("invalid valid domains: ", "a buffer of the list may lie in neither VRAM nor system memory",
	       "The program's mistake."),
	SUBMIT("fail set_domain", "a buffer cannot be where the submission wants it", "The program's mistake."),
	SUBMIT("fail ttm_validate", "a buffer could not be moved to where the submission wants it",
	       "The buffers of this submission do not fit together in VRAM and system memory, or the copy by the card failed: look for an error line before it."),
	SUBMIT("fail post-validate sync", "the wait for another channel that uses a buffer failed",
	       "Look for an error of that channel before it."),
	SUBMIT("fail reserve", "a buffer of the list could not be locked",
	       "A signal or another submission interrupted it, or two submissions wait for each other."),
	SUBMIT("vma not found!", "a buffer of the list is not mapped in the channel's address space",
	       "The program's mistake: the buffer was closed, or belongs to another file descriptor."),
	SUBMIT("failed and gave up.", "the buffers could not be locked in 100000 rounds",
	       "Other submissions hold them all of the time, or the kernel lost a lock."),
	SUBMIT("validate_init", "looking up or locking the buffers of the list failed",
	       "A handle that does not exist (ENOENT), or one that stands twice in the list; the line before it says which."),
	SUBMIT("validating bo list", "moving the buffers to where the submission wants them failed",
	       "The line before it says which step; -12 (ENOMEM): they do not fit together."),
	SUBMIT("validate: ", "the buffers of the submission cannot be used together",
	       "-12 (ENOMEM): they do not fit together in VRAM and system memory. -2 (ENOENT): a handle does not exist. -22 (EINVAL): a domain or a range is wrong."),
	SUBMIT("reloc container bo index invalid", "a relocation lies in a buffer that the list does not have",
	       "The program's mistake."),
	SUBMIT("reloc bo index invalid", "a relocation names a buffer that the list does not have",
	       "The program's mistake."),
	SUBMIT("reloc outside of bo", "a relocation lies outside of its buffer", "The program's mistake."),
	SUBMIT("failed kmap for reloc", "the processor could not map a buffer for a relocation",
	       "Memory ran out, or the buffer is gone."),
	SUBMIT("reloc apply: ", "an address could not be written into the submission",
	       "A relocation that lies outside of its buffer or names none (-22, EINVAL), or a buffer that stayed in use."),
	SUBMIT("pushbuf push count exceeds limit", "the submission has too many segments", "The program's mistake."),
	SUBMIT("pushbuf bo count exceeds limit", "the submission has too many buffers", "The program's mistake."),
	SUBMIT("pushbuf reloc count exceeds limit", "the submission has too many relocations",
	       "The program's mistake."),
	SUBMIT("pushbuf size exceeds limit", "a segment of the submission is too long", "The program's mistake."),
	SUBMIT("Failed to find syncobj", "the submission names a syncobj that the program does not own",
	       "The program's mistake: a handle that it has destroyed."),
	SUBMIT("bind job failed: ", "a change of the address space failed",
	       "The range overlaps another, the buffer is gone, or memory ran out."),
	SUBMIT(" cal_space: ", "no room in the ring for the submission",
	       "PFIFO has stopped fetching from the channel: look for the first error line before it."),
	SUBMIT("jmp_space: ", "no room in the ring for the submission",
	       "PFIFO has stopped fetching from the channel: look for the first error line before it."),

	MESSAGE("channel_timeout", "job timeout, channel ", "killed",
		"a job of the scheduler did not end in 10 s, and nouveau ended its channel",
		"The channel's work hangs, or waits for a semaphore that nobody releases. The program must create a new channel."),
	MESSAGE("channel_timeout", "Generic job timeout", "nouveau",
		"a job of the scheduler did not end in time", "Look for an error line of the card before it."),
	MESSAGE("channel_killed", "rc scheduled", "nouveau",
		"nouveau takes the channel off the card and fails its work after an error",
		"The error line before it names the cause; the program must create a new channel."),
	MESSAGE("channel_killed", "errored - disabling channel", "nouveau",
		"nouveau turned the channel off after an error", "The error line before it names the cause."),
	MESSAGE("probe", "channel failed to initialise", "nouveau",
		"a channel was created and its set-up failed", "Memory ran out, or the card does not answer: see the lines before."),
	MESSAGE("probe", "Failed to request channel kill notification", "nouveau",
		"nouveau will not learn that a channel ended",
		"It does no harm until a channel ends with an error; then its programs wait."),
	MESSAGE("probe", "failed to allocate sw or blit class", "nouveau", "an object of nouveau's own channel failed",
		"There is no acceleration of the console: see the lines before."),
	MESSAGE("probe", "failed to allocate notifier", "nouveau", "memory of nouveau's own channel failed",
		"There is no acceleration of the console: see the lines before."),
	MESSAGE("probe", "failed to initialise sync subsystem", "nouveau", "nouveau has no fences",
		"There is no acceleration: see the lines before."),
	MESSAGE("probe", "fifo: nonstall ", "nouveau", "the interrupt of PFIFO could not be requested", SETUP),
	MESSAGE("probe", "ectx ", "fifo: ", "the context of an engine for the channel could not be created", NO_CHANNEL),
	MESSAGE("probe", "vctx ", "fifo: ", "the context of an engine for the channel could not be mapped", NO_CHANNEL),
	MESSAGE("probe", "!cgids", "fifo: ", "no channel is free", ALL_CHANNELS),
	MESSAGE("probe", "!chids", "fifo: ", "no channel is free", ALL_CHANNELS),
	MESSAGE("probe", ": alloc ", "fifo: ", "the list of channels could not be allocated", NO_CHANNEL),
	MESSAGE("probe", "cgid/chid: ", "fifo: ", "the table of channels could not be allocated", NO_CHANNEL),
	MESSAGE("probe", "channel create, ", "nouveau", "a channel could not be created", NO_CHANNEL),
	MESSAGE("probe", "Client allocation failed", "nouveau", "nouveau could not serve a program", NO_CLIENT),
	MESSAGE("probe", "Device allocation failed", "nouveau", "nouveau could not serve a program", NO_CLIENT),
	MESSAGE("probe", "MMU allocation failed", "nouveau", "nouveau could not serve a program", NO_CLIENT),
	MESSAGE("probe", "VMM allocation failed", "nouveau", "an address space could not be created", NO_CLIENT),
	MESSAGE("probe", "No supported V", "MM class", "nouveau has no MMU code for the chip", SETUP),
	MESSAGE("probe", "No supported M", " class", "nouveau has no MMU code for the chip", SETUP),
	MESSAGE("probe", "Failed to map PRI", "nouveau", "BAR0, the registers, could not be mapped", SETUP),
	MESSAGE("probe", "vram setup failed", "nouveau", "the card's memory could not be set up", SETUP),
	MESSAGE("probe", "error initialising bo driver", "nouveau", "nouveau has no memory management", SETUP),
	MESSAGE("probe", "VRAM mm init failed", "nouveau", "nouveau has no memory management", SETUP),
	MESSAGE("probe", "GART mm init failed", "nouveau", "nouveau has no memory management", SETUP),
	MESSAGE("probe", "unknown input clock freq", "nouveau", "the crystal's frequency is not known",
		"PTIMER may run at a wrong rate, and time-outs with it; nothing else depends on it."),
	MESSAGE("probe", "failed restart, ", "nouveau", "nouveau could not take the card up again after a failed sleep",
		"Later errors are a consequence. Look for errors of the card before it."),
	MESSAGE("probe", "shutdown suspend failed with", "nouveau", "nouveau could not stop the card at a shutdown",
		"An engine or a channel did not stop: look for errors of the card before it."),
	MESSAGE("probe", "unknown parameter ", "nouveau", "a program asked for a value that this nouveau does not know",
		"The program is newer than the kernel, or was written for another chip; it does no harm."),
	MESSAGE("probe", "init failed with ", "nouveau", "an object of nouveau could not be set up", OBJECT),
	MESSAGE("probe", " failed with ", "nouveau: ", "an object of nouveau could not be taken down", OBJECT),
	MESSAGE("memory", "skipped size ", "nouveau", "a program asked for a buffer that is too large",
		"The program's mistake: a size past 2 GiB, or one that is negative."),
	MESSAGE("memory", "PRAMIN ioremap failed", "nouveau", "the window for instance memory could not be mapped",
		"The kernel's address space is full; nouveau uses a slower way."),
	MESSAGE("firmware", "core allocation failed", "nouveau", "no memory for the firmware of an engine", VIDEO),
	MESSAGE("firmware", "ucode exceeds falcon limit", "nouveau", "the firmware does not fit into the engine", VIDEO),
	MESSAGE("firmware", "firmware ", " too large", "the firmware does not fit into the engine", VIDEO),
	MESSAGE("engine_error", "mpeg: inst ", "dma0", "PMPEG refused the DMA object of a channel's commands or data",
		"The DMA object is not one of linear VRAM or system memory, or its limit is wrong: the program or Mesa set it so."),
	MESSAGE("probe", "Client resume failed with error", "nouveau", "nouveau could not wake the card up",
		"What comes later is a consequence. Look for errors of the card before it."),
	MESSAGE("probe", "resume failed with: ", "nouveau", "nouveau could not wake the card up",
		"What comes later is a consequence. Look for errors of the card before it."),
	MESSAGE("probe", "one-time init failed", "nouveau", "a unit of the card could not be set up",
		"The unit is named before the text; what needs it does not work."),
	MESSAGE("probe", "preinit failed", "nouveau", "a unit of the card could not be set up",
		"The unit is named before the text; what needs it does not work."),
	MESSAGE("probe", "suspend failed, ", "nouveau", "a unit of the card could not be stopped",
		"The unit is named before the text; look for errors of the card before it."),
	MESSAGE("probe", "fini failed, ", "nouveau", "a unit of the card could not be stopped",
		"The unit is named before the text; look for errors of the card before it."),
	MESSAGE("probe", "init failed, ", "nouveau", "a unit of the card could not be set up",
		"The unit is named before the text; what needs it does not work."),
	MESSAGE("memory", "pinned elsewhere", "nouveau", "a buffer was to be pinned where it is not",
		"Two users want it in different memory, as VRAM for the screen and system memory for another card. A mistake of a program or of the kernel, no error of the card."),
	MESSAGE("memory", "instmem: OOM: ", "nouveau", "no instance memory is left for channels and page tables",
		"VRAM is full, or memory leaks."),
	MESSAGE("mmio_fault", "BUS ERROR", "nouveau", "the card reported an error of its bus interface",
		"A register that does not exist, or a unit that is off."),
	MESSAGE("memory", "unable to map PRAMIN", "nouveau", "the window for instance memory could not be mapped", SETUP),

	WAIT("g84_ectx_bind", KICK, KICK_ADVICE),
	WAIT("nv50_ectx_bind", KICK, KICK_ADVICE),
	WAIT("nv50_chan_stop", "a channel was taken off the list, and the card did not answer in 2 s", KICK_ADVICE),
	WAIT("g84_fifo_chan_engine_fini", KICK, KICK_ADVICE),
	WAIT("nv50_fifo_chan_engine_fini", KICK, KICK_ADVICE),
	WAIT("nv50_runl_wait", "PFIFO did not accept the new list of channels in time",
	     "PFIFO hangs: look for the first error line before it."),
	WAIT("nv50_chan_preempt", KICK, KICK_ADVICE),
	WAIT("nvkm_runl_rc", KICK, KICK_ADVICE),
	WAIT("nvkm_runl_preempt_wait", KICK, KICK_ADVICE),
	WAIT("nv04_fifo_pause", "PFIFO's puller did not become idle in 2 s",
	     "A look-up in RAMHT does not end: PFIFO hangs, and nothing more runs."),
	WAIT("nv50_vmm_flush", "the MMU did not end a TLB flush in 2 s (bit 0 of 100c80)",
	     "An engine holds the flush up, mostly because it hangs: a trap or a busy unit in the lines before it tells which. Each later unmap waits as long again, so the machine seems frozen."),
	WAIT("g84_gr_tlb_flush", "PGRAPH did not end its TLB flush in 2 s (bit 0 of 100c80), after its fetch was paused",
	     "PGRAPH hangs: the PGRAPH_STATUS and VSTATUS lines at the same time name the busy units."),
	WAIT("g84_bar_flush", "the flush of the processor's writes to VRAM did not end in 2 s (bit 1 of 070000)",
	     "The card does not work through its accesses to VRAM: it is not set up, hangs, or is gone."),
	WAIT("nv50_bar_flush", "the flush of the processor's writes to VRAM did not end in 2 s (bit 1 of 00330c)",
	     "The card does not work through its accesses to VRAM: it is not set up, hangs, or is gone."),
	WAIT("nv50_mpeg_init", "PMPEG is not idle 2 s after it was set up", "Video decoding only; it stays off."),
	WAIT("nv31_mpeg_init", "PMPEG is not idle 2 s after it was set up", "Video decoding only; it stays off."),
	WAIT("gt215_pmu_", "the power management unit did not answer in 2 s", "No matter of PFIFO's channels."),
	WAIT("gt215_clk_", "a change of clocks did not end in 2 s", "No matter of PFIFO's channels."),
	WAIT("mcp77_clk_", "a change of clocks did not end in 2 s", "No matter of PFIFO's channels."),
	WAIT("nvkm_falcon_", "an engine's processor did not answer in 2 s", "The engine named before it stays off."),
	WAIT("hwsq_exec", "a script of the bus unit did not end in 2 s", "No matter of PFIFO's channels."),
	WAIT("nouveau_fence_wait", "a fence was not signalled in time", "The channel's work does not end: look for an error line before it."),

	LINE("wait_timeout", "nouveau", ": timeout", "nouveau 0", timeout),

	OTHER("SCHED_ERROR", "nouveau", GF100),
	OTHER("PBDMA", "nouveau", GF100),
	OTHER("CTXSW_TIMEOUT", "nouveau", GF100),
	OTHER("BIND_ERROR", "nouveau", GF100),
	OTHER("GPC", "/", GF100),
	OTHER("] from PGRAPH/", "read fault at", GF100),
	OTHER("] from ", "fault at 0x", GF100),
	OTHER("fifo: read fault at", NULL, GF100),
	OTHER("fifo: write fault at", NULL, GF100),
	OTHER("fifo: fault ", " at ", GF100),
	OTHER("fifo: runlist ", "scheduled", GF100),
	OTHER("engine fault on channel", "nouveau", GF100),
	OTHER(": FECS ", "nouveau", GF100),
	OTHER(": SKED: ", "nouveau", GF100),
	OTHER("secboot:", "nouveau", "GM200 (Maxwell) or later"),
	OTHER("gsp: ", "nouveau", "TU102 (Turing) or later"),
	OTHER("nsource: ", "nstatus", "NV40 or older"),
	{ 0 }
};

/* --- Other WARNINGs -------------------------------------------------------- */

/* A line that is cut before the function goes on in the next one. */
static void other_warning(struct ctx *c, const char *s)
{
	if (strstr(s, "+0x"))
		nvfifo_explain_warning(c, s);
	else
		c->declined = true;
}

/* After all others */
const struct explain_line nvfifo_explain_last_lines[] = {
	{ .cls = "warning", .driver = "nouveau", .anchor = "WARNING:", .also = "drivers/gpu/drm/nouveau/",
	  .explain = other_warning, .meaning = "the kernel met something in nouveau that it does not expect",
	  .advice = "With a line 'timeout' at the same time the card did not answer, and the function says to what. Without one it is a mistake of the kernel; look for errors of the card before it." },
	{ 0 }
};
