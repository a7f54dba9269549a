// SPDX-License-Identifier: MIT
/* Functions for rows: libdrm's dump of a submission that the kernel refused. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"

/* Is one of the texts of a list, with '|' between them, in @s? */
static bool has_one_of(const char *s, const char *list)
{
	char text[80];
	size_t len;

	for (; *list; list += len + (list[len] == '|')) {
		len = strcspn(list, "|");
		snprintf(text, sizeof(text), "%.*s", (int)len, list);
		if (strcasestr(s, text))
			return true;
	}

	return false;
}

void nvfifo_explain_rejected(struct ctx *c, const char *s)
{
	const char *text = strstr(s, "rejected pushbuf:") + strlen("rejected pushbuf:"), *advice = NULL;
	const struct explain_row *row = NULL;

	text += strspn(text, " ");
	while ((row = nvfifo_explain_row("errno_text", row)) && !has_one_of(text, row->text))
		;

	str(c, "text", "%.100s", text);
	if (row) {
		nvfifo_explain_errno(c, (unsigned int)nvfifo_text_value(row->key, 10));
		advice = nvfifo_explain_text("rejection", row->key);
	}

	str(c, "meaning", "the kernel refused a submission, and libdrm prints it");
	advise(c, "Nothing of it reached the card. %s", advice ? advice : "The kernel log at the same time says why.");
}

/* libdrm's "ch5:" is the number of the channel. */
void nvfifo_explain_request_channel(struct ctx *c, const char *s)
{
	const char *p = strstr(s, ": ch");

	c->declined = !p || !isdigit((unsigned char)p[4]);
	if (!c->declined)
		num(c, "channel", nvfifo_text_value(p + 4, 10));
}

/* VRAM 2, GART 4, and both */
static const char *domain_name(__u64 domains)
{
	static const char *const names[] = {
		"none", "CPU", "VRAM", "VRAM or CPU", "GART", "GART or CPU", "VRAM or GART", "any",
	};

	return domains < 8 ? names[domains] : "unknown bits";
}

/* "buf 00000000 0000000b 00000004 00000004 00000000 0x7f5dc2f80000 0x20010000 0x80000" */
void nvfifo_explain_request_buffer(struct ctx *c, const char *s)
{
	static const char *const names[] = { "buffer", "handle", "valid_domains", "read_domains", "write_domains" };
	const char *p = strstr(s, " buf ") + strlen(" buf ");
	__u64 v;
	size_t i;

	for (i = 0; i < 5; i++) {
		p = hex_at(p, &v);
		if (!p)
			return;
		if (i == 0)
			num(c, names[i], (__s64)v);
		if (i >= 2)
			means(c, "%s", domain_name(v));
		if (i)
			hexnum(c, names[i], 8, v);
	}

	p += strspn(p, " ");
	p += strcspn(p, " ");
	p = hex_at(p, &v);
	if (!p)
		return;

	means(c, "where it was in the channel's address space");
	hexnum(c, "offset", 10, v);
	if (hex_at(p, &v))
		str(c, "bytes", "%" PRIx64, (uint64_t)v);
}

/* "psh 00000000 0000000100 0000000120": buffer, first byte, byte after the last */
void nvfifo_explain_request_segment(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " psh ") + strlen(" psh ");
	__u64 buffer, from, to;

	if (*p == '(')
		p += strcspn(p, ")") + 1;
	p = hex_at(p, &buffer);
	p = p ? hex_at(p, &from) : NULL;
	p = p ? hex_at(p, &to) : NULL;
	if (!p) {
		c->e->cut = true;
		return;
	}

	num(c, "buffer", (__s64)buffer);
	means(c, "of the buffer");
	str(c, "from", "%" PRIx64, (uint64_t)from);
	str(c, "to", "%" PRIx64, (uint64_t)to);
	num(c, "words", (__s64)(to - from) / 4);
}
