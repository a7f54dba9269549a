// SPDX-License-Identifier: MIT
/* Lines of nouveau about PFIFO and its channels, from Linux 4.3 on. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_methods.h"

void nvfifo_explain_channel(struct ctx *c, const char *s)
{
	const char *p;
	char name[80];
	__s64 id;

	p = dec(s, "ch", &id);
	if (!p)
		p = dec(s, "channel", &id);
	if (!p)
		return;

	if (id < 0)
		means(c, "the driver knows no channel with that structure");
	num(c, "channel", id);
	p = bracket(p, name, sizeof(name));
	if (p && *name && strcmp(name, "unknown"))
		str(c, "owner", "%s", name);
}

static const char *const pusher_advice[] = {
	[1] = "A call inside of a subroutine: the pusher has one return address only.",
	[2] = "Methods below 0x100 belong to PFIFO, and this chip has no such method: is a class's method meant (0x100 and up), or one that only G84 and later have?",
	[3] = "A return without a call.",
	[4] = "The pusher met a word that is not a command. Either a count in an earlier header is wrong, so that data are read as commands, or the segment's content was not yet visible to the card: if GET is at the first word of a segment, suspect the second.",
	[5] = "An IB entry of length 0: the ring was written wrongly, or IB_PUT is ahead of what was written.",
	[6] = "The MMU refused the ring or the pushbuffer: see the VM fault line of the same time. The memory is not mapped in the channel's address space, or was unmapped too early.",
};

void nvfifo_explain_dma_state(struct ctx *c, __u32 v)
{
	struct nvfifo_dma_state s = nvfifo_dma_state_decode(v);
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_pusher_errors, s.error);
	const char *name = nvfifo_method_name(0, s.method);
	const char *whose = "of the next data word";

	if (s.error == NVFIFO_PUSHER_INVALID_MTHD)
		whose = "of the refused data word";

	hexnum(c, "dma_state", 8, v);
	means(c, "%s", n->means);
	str(c, "error", "%s", n->name);
	num(c, "subchannel", s.subc);
	if (name)
		means(c, "%s, %s", name, whose);
	else
		means(c, "%s", whose);
	hexnum(c, "method", 4, s.method);
	num(c, "non_incr", s.nonincr);
	if (s.long_pending)
		means(c, "the next word is the count of a long command");
	num(c, "long_ni_len_pending", s.long_pending);
	num(c, "subroutine_active", s.subroutine);
	if (s.not_main)
		means(c, "the segment is not the main buffer");
	num(c, "non_main", s.not_main);
	if (s.error != NVFIFO_PUSHER_INVALID_MTHD && s.method && !s.nonincr)
		hexnum(c, "last_method_done", 4, s.method - 4u);
	else
		str(c, "last_method_done", "%s", "");
	if (s.error == NVFIFO_PUSHER_INVALID_MTHD)
		hexnum(c, "offending_method", 4, s.method);
	else
		str(c, "offending_method", "%s", "");
	if (s.error < sizeof(pusher_advice) / sizeof(pusher_advice[0]) && pusher_advice[s.error])
		advise(c, "%s", pusher_advice[s.error]);
	else
		advise(c, "DMA_STATE has no known error: the pusher has gone on before the driver read it, or the reads are not the card's.");
}

static void positions(struct ctx *c, const char *s)
{
	__u64 get, put_, ib_get, ib_put;
	bool have_get = hex(s, "get", &get), have_put = hex(s, "put", &put_);
	bool have_ib_get = hex(s, "ib_get", &ib_get) || hex(s, "ibget", &ib_get);
	bool have_ib_put = hex(s, "ib_put", &ib_put) || hex(s, "ibput", &ib_put);

	if (have_get) {
		means(c, "the pusher reads here next");
		hexnum(c, "dma_get", 10, get);
	}

	if (have_put) {
		means(c, "end of the segment");
		hexnum(c, "dma_put", 10, put_);
	}

	if (have_get && have_put && put_ >= get) {
		means(c, "%" PRIu64 " words that were not read", (uint64_t)(put_ - get) / 4);
		num(c, "segment_bytes_left", (__s64)(put_ - get));
	}

	if (have_ib_get) {
		means(c, "the next entry of the ring that the pusher reads");
		hexnum(c, "ib_get", 8, ib_get);
	}

	if (have_ib_put) {
		means(c, "the next entry that the driver writes");
		hexnum(c, "ib_put", 8, ib_put);
	}

	if (have_ib_get && have_ib_put && ib_put >= ib_get)
		num(c, "ib_entries_after_this", (__s64)(ib_put - ib_get));
}

/* nouveau prints addresses of 40 bits and the ring's positions for this family only. */
static bool is_older_card(const char *s)
{
	const char *p = find(s, "get");
	__u64 v;

	if (!p || hex(s, "ib_get", &v) || hex(s, "ibget", &v) || find(s, "word"))
		return false;

	p += strspn(p, " ");
	if (!strncmp(p, "0x", 2))
		p += 2;

	return strspn(p, "0123456789abcdef") == 8;
}

static void older_dma_pusher(struct ctx *c, const char *s, __u32 state)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_pusher_errors, state >> 29);
	__u64 v;

	hexnum(c, "dma_state", 8, state);
	str(c, "error", "%s", n ? n->name : "");
	if (hex(s, "get", &v))
		hexnum(c, "dma_get", 8, v);
	if (hex(s, "put", &v))
		hexnum(c, "dma_put", 8, v);
	str(c, "meaning", "the card is older than this family, which has an IB ring and addresses of 40 bits");
	advise(c, "The layout of DMA_STATE differs there; this program knows the NV50 family only.");
}

void nvfifo_explain_dma_pusher(struct ctx *c, const char *s)
{
	__u64 v;

	if (is_older_card(s) && hex(s, "state", &v)) {
		nvfifo_explain_channel(c, s);
		older_dma_pusher(c, s, (__u32)v);
		return;
	}

	nvfifo_explain_channel(c, s);
	if (hex(s, "word", &v)) {
		means(c, "what the pusher refused");
		hexnum(c, "word", 8, v);
	}

	if (hex(s, "state", &v))
		nvfifo_explain_dma_state(c, (__u32)v);
	positions(c, s);
	if (hex(s, "push", &v)) {
		hexnum(c, "dma_push", 8, v);
		put_bits(c, "dma_push_bits", nvfifo_dma_push_bits, (__u32)v);
	}
}

/*
 * Handles that Mesa chooses and nouveau puts into RAMHT when the channel is made: beef0201 for VRAM,
 * beef0202 for system memory. nouveau's fences bind them with method 0060.
 */
#define KERNEL_HANDLES	0xbeef0200

#define FENCE_ADVICE \
	"The driver's own fence wrote this handle, which it put into RAMHT when the channel was made: no program can spell it wrong. A single one skips one word and was harmless on MCP79. If it comes at each fence, the entry is missing: read CACHE1.PULL0 (HASH_FAILED) and the channel's RAMHT. The same error at other methods is a real mistake."

void nvfifo_explain_cache_error(struct ctx *c, const char *s)
{
	const struct nvfifo_name *n;
	const char *p = find(s, "ch");
	__u64 method = 0, data = 0;
	bool has_method;
	__s64 subc = -1, id;
	char reason[32] = "";

	/* The oldest wording: "Ch 2/1". */
	if (p && (p = dec(s, "ch", &id)) && *p == '/' && isdigit((unsigned char)p[1])) {
		num(c, "channel", id);
		subc = (int)nvfifo_text_digit(p[1]);
	} else {
		nvfifo_explain_channel(c, s);
	}

	p = strstr(s, "CACHE_ERROR ");
	if (p && isupper((unsigned char)p[12]))
		snprintf(reason, sizeof(reason), "%.*s", (int)strcspn(p + 12, ","), p + 12);

	for (n = nvfifo_pull0_bits; *reason && n->name; n++) {
		if (!strcmp(n->name, reason))
			means(c, "%s", n->means);
	}

	if (*reason)
		str(c, "error", "%s", reason);
	if (subc >= 0 || dec(s, "subc", &subc) || dec(s, "subchannel", &subc))
		num(c, "subchannel", subc);
	has_method = hex(s, "mthd", &method) || hex(s, "method", &method);
	if (has_method)
		nvfifo_explain_method(c, method, 0);
	if (hex(s, "data", &data))
		hexnum(c, "data", 8, data);

	if (!has_method)
		return;

	if (method == NVFIFO_MTHD_DMA_SEMAPHORE && (data & 0xffffff00) == KERNEL_HANDLES)
		advise(c, "%s", FENCE_ADVICE);
	else if (!method || method == NVFIFO_MTHD_DMA_SEMAPHORE || (method >= 0x180 && method < 0x200))
		advise(c, "The data are a handle, and RAMHT of the channel has no object of that name (or, for method 0, one that no engine of the card has). Create the object before its use; is the handle spelled right?");
	else if (method >= 0x100)
		advise(c, "The subchannel has no object that an engine knows: bind one with method 0 first.");
	else
		advise(c, "PFIFO itself executes methods below 0x100, and refused this one: this chip has no such method, or its data are wrong.");
}

void nvfifo_explain_fifo_intr(struct ctx *c, const char *s)
{
	__u64 v;

	if (!hex(s, "intr", &v) && !hex(s, "interrupt", &v) && !hex(s, "PFIFO_INTR", &v))
		return;

	nvfifo_explain_channel(c, s);
	hexnum(c, "interrupt", 8, v);
	if (nvfifo_explain_all_ones(c, v))
		return;

	put_bits(c, "interrupt_bits", nvfifo_pfifo_intr_bits, (__u32)v);
	if (v & (1 << 4 | 1 << 6))
		advise(c, "The processor's own access to the card's memory failed in the MMU: the VM fault line at the same time shows the address.");
	else
		advise(c, "An interrupt of PFIFO that the driver has no handler for; the bits are those of PFIFO.INTR.");
}

/* The channel of a line about one, in any driver's words. */
static void channel_fields(struct ctx *c, const char *s)
{
	const char *p;
	char name[80];
	__s64 id;
	__u64 v;

	p = dec(s, "channel", &id);
	if (!p)
		p = dec(s, "ch", &id);
	if (p && !strstr(s, "kick of channel")) {
		num(c, "channel", id);
		if (bracket(p, name, sizeof(name)) && *name)
			str(c, "owner", "%s", name);
	} else if (hex(s, "channel", &v)) {
		means(c, "channel descriptor: structure at %09" PRIx64,
		      (uint64_t)nvfifo_chan_desc_address((__u32)v));
		hexnum(c, "desc", 8, v);
	}
}

/* "did not end in 3000 ms", or "in 2 s". */
static void duration_field(struct ctx *c, const char *s)
{
	__s64 time;

	if (dec(s, "in", &time))
		num(c, "milliseconds", strstr(s, " 2 s") ? 2000 : time);
}

/* The kick, a write of the channel to 0032fc, was not acknowledged. */
void nvfifo_explain_kick_timeout(struct ctx *c, const char *s)
{
	channel_fields(c, s);
	duration_field(c, s);
	str(c, "meaning", "the channel was told to leave the card, and the card did not acknowledge it");
	advise(c, "An engine did not give up the channel's context: it hangs in a method, or its context switch did not end. The channel stays loaded, so no other channel runs; the engine, or the card, needs a reset.");
}

/*
 * nvfifo's cause of a late channel: "...: waits until the word at 0000000020 of object 06460 is
 * 0007a57e (ran"
 */
static void hang_cause(struct ctx *c, const char *s)
{
	__u64 offset, object, value;

	if (strstr(s, "waits until the word") && hex(s, "word at", &offset) &&
	    hex(s, "of object", &object) && (hex(s, "at least", &value) || hex(s, "is", &value))) {
		means(c, "the word at 0x%" PRIx64 " of the DMA object at %05" PRIx64
		      " of the channel structure", (uint64_t)offset, (uint64_t)object);
		hexnum(c, "waits_for", 8, value);
		advise(c, "Nobody has released the semaphore: is the release missing, does it follow the acquire in the same channel, or has its channel died?");
	} else if (strstr(s, "hangs in PGRAPH")) {
		advise(c, "The engine works for this channel and does not come to an end.");
	} else if (strstr(s, "hangs in PFIFO")) {
		advise(c, "PFIFO executes this channel's commands, and they do not come to an end: a loop of jumps, a command whose count is too large, or a semaphore operation that is none.");
	} else if (strstr(s, "waits for its turn")) {
		advise(c, "Other channels occupied the card all the time.");
	}
}

/* "Xorg[849]: ", or "nouveau E[Xorg[849]] " of kernels before 4.3 */
static void client_of(struct ctx *c, const char *s, const char *text)
{
	const char *p = strstr(s, "nouveau E[");
	char owner[80];

	if (!p)
		word_before(c, "owner", s, text);
	else if (bracket(p + strlen("nouveau E"), owner, sizeof(owner)))
		str(c, "owner", "%s", owner + strspn(owner, " "));
}

/* A fence of the channel was not signalled. */
void nvfifo_explain_idle_channel(struct ctx *c, const char *s)
{
	__u64 handle;
	__s64 id;

	/* nouveau of Linux 3: the name that the client gave its channel. */
	if (strstr(s, "channel 0x") && hex(s, "channel", &handle)) {
		hexnum(c, "handle", 8, handle);
		client_of(c, s, ": failed ");
	} else {
		channel_fields(c, s);
	}

	if (dec(s, "submission", &id))
		num(c, "submission", id);
	duration_field(c, s);
	str(c, "meaning", "the channel's work did not end");
	hang_cause(c, s);
	if (*c->e->advice)
		return;

	advise(c, "The channel waits for a semaphore that nobody releases, or an engine hangs in its work; look for an error line in front of this one.");
}

static void puller_idle(struct ctx *c, const char *s)
{
	(void)s;
	str(c, "meaning", "the puller was stopped for a change, and a look-up in RAMHT did not end");
	advise(c, "PFIFO hangs: nothing more runs. Look for the first error line before it.");
}

static void runlist(struct ctx *c, const char *s)
{
	__s64 id;

	if (dec(s, "runlist", &id))
		num(c, "runlist", id);
	str(c, "meaning", "PFIFO did not accept the new list of channels in 2 s");
	advise(c, "Only nouveau's code for GF100 and later prints this: the card is not of the NV50 family, or there is a second one. PFIFO hangs; look for the first error line before it.");
}

static void ring_space(struct ctx *c, const char *s)
{
	__s64 v;

	client_of(c, s, ": nv50cal_space");
	if (dec(s, "nv50cal_space", &v))
		num(c, "errno", -v);
	str(c, "meaning", "the IB ring of the channel did not become empty enough");
	advise(c, "PFIFO has stopped fetching from the channel: it is dead, or another one keeps the card. Look for the first error line before it.");
}

static void channel_killed(struct ctx *c, const char *s)
{
	__s64 id;

	client_of(c, s, ": channel ");
	if (dec(s, "channel", &id))
		num(c, "channel", id);
	str(c, "meaning", "nouveau ended the channel after an error, and fails its fences");
	advise(c, "The program must create a new channel. Look for the error line before it.");
}

/* Some kernels print the rest of the time limit, although the wait was successful. */
static void buffer_wait(struct ctx *c, const char *s)
{
	__s64 v;

	client_of(c, s, ": reloc ");
	if (!dec(s, "wait_idle failed", &v))
		return;

	if (v > 0) {
		num(c, "ticks_left", v);
		str(c, "meaning", "the buffer became idle in time, and nouveau took the time left for an error");
		advise(c, "No error of the card: a mistake of that kernel, which refuses the submission.");
		return;
	}

	num(c, "errno", -v);
	str(c, "meaning", "a buffer of a submission stayed in use");
	advise(c, "Work of the card that uses the buffer does not end. Look for the first error line before it.");
}

static void still_angry(struct ctx *c, const char *s)
{
	__s64 n;

	if (dec(s, "after", &n))
		num(c, "rounds", n);
	str(c, "meaning", "interrupts of PFIFO came back after 100 rounds of handling, and nouveau turned them off");
	advise(c, "Nothing more runs on this card. Look for the first error line before it.");
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_fifo_lines[] = {
	LINE_TO("dma_pusher", "nouveau", "DMA_PUSHER -", NULL, nvfifo_explain_dma_pusher, "state", 8),
	LINE("dma_pusher", "nouveau", "DMA_PUSHER", "state", nvfifo_explain_dma_pusher),
	LINE_TO("cache_error", "nouveau", "CACHE_ERROR", NULL, nvfifo_explain_cache_error, "data", 8),
	LINE("channel_timeout", "nouveau", "failed to idle channel", NULL, nvfifo_explain_idle_channel),
	LINE("channel_timeout", "nouveau", "Failed to idle channel", NULL, nvfifo_explain_idle_channel),
	LINE("channel_timeout", "nouveau", "unload timeout", NULL, nvfifo_explain_kick_timeout),
	LINE("channel_timeout", "nouveau", "kick timeout", NULL, nvfifo_explain_kick_timeout),
	LINE("interrupt", "nouveau", "fifo: intr ", NULL, nvfifo_explain_fifo_intr),
	LINE("interrupt", "nouveau", "fifo: unknown intr ", NULL, nvfifo_explain_fifo_intr),
	LINE("interrupt", "nouveau", "PFIFO_INTR ", NULL, nvfifo_explain_fifo_intr),
	LINE("interrupt", "nouveau", "still angry after ", " spins", still_angry),
	LINE("wait_timeout", "nouveau", "timeout idling puller", NULL, puller_idle),
	LINE("wait_timeout", "nouveau", "runlist", "update timeout", runlist),
	LINE("channel_timeout", "nouveau", "nv50cal_space: ", NULL, ring_space),
	LINE("channel_timeout", "nouveau", "reloc wait_idle failed: ", NULL, buffer_wait),
	LINE("channel_timeout", "nouveau", ": channel ", " killed!", channel_killed),
	SENTENCE("probe", "nouveau", "failed to create ce channel", NULL,
		 "nouveau has no channel for its own copies with a copy engine and uses the general one: see the lines before."),
	SENTENCE("probe", "nouveau", "failed to create kernel channel", NULL,
		 "nouveau has no channel of its own. The processor moves buffers, slowly, and there is no acceleration: see the lines before."),
	SENTENCE("submit_refused", "nouveau", "error fencing pushbuf", NULL,
		 "nouveau submitted the commands but could not create the fence of their end: the channel has ended, or memory ran out."),
	{ 0 }
};
