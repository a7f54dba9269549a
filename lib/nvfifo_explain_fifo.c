// SPDX-License-Identifier: MIT
/* Functions for rows: lines about PFIFO: DMA_STATE, refused methods, channels. */
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

static void dma_state(struct ctx *c, __u32 v)
{
	struct nvfifo_dma_state s = nvfifo_dma_state_decode(v);
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_pusher_errors, s.error);
	const char *name = nvfifo_method_name(0, s.method);
	const char *whose = "of the next data word", *advice;

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
	advice = nvfifo_explain_text("pusher", n->name);
	if (!advice)
		advice = "DMA_STATE has no known error: the pusher has gone on before the driver read it, or the reads are not the card's.";
	advise(c, "%s", advice);
}

void nvfifo_explain_dma_state(struct ctx *c, const char *s)
{
	__u64 v;

	if (hex(s, c->args[0], &v))
		dma_state(c, (__u32)v);
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
		dma_state(c, (__u32)v);
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

/* The channel of a line about one, in any driver's words. */
void nvfifo_explain_any_channel(struct ctx *c, const char *s)
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

/* The semaphore of "waits until the word at 0000000020 of object 06460 is 0007a57e (ran" */
void nvfifo_explain_awaited_word(struct ctx *c, const char *s)
{
	__u64 offset, object, value;

	if (!hex(s, "word at", &offset) || !hex(s, "of object", &object) ||
	    (!hex(s, "at least", &value) && !hex(s, "is", &value)))
		return;

	means(c, "the word at 0x%" PRIx64 " of the DMA object at %05" PRIx64 " of the channel structure",
	      (uint64_t)offset, (uint64_t)object);
	hexnum(c, "waits_for", 8, value);
}
