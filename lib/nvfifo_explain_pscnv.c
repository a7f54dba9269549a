// SPDX-License-Identifier: MIT
/* Functions for rows: pscnv's lines. */
#define _GNU_SOURCE
#include "nvfifo_explain_table.h"

/* "ch 2"; its first versions print the descriptor in hexadecimal there, with eight digits. */
void nvfifo_explain_pscnv_channel(struct ctx *c, const char *s)
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
		nvfifo_explain_desc(c, "desc", desc, 10);
	}
}

/* "ch 2 sub 3 [8297] mthd 15e4 data 00000007" */
void nvfifo_explain_pscnv_method(struct ctx *c, const char *s)
{
	const char *p;
	char text[16];
	__u64 oclass = 0, v;
	__s64 subc;

	nvfifo_explain_pscnv_channel(c, s);
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

void nvfifo_explain_pscnv_cache_error(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PFIFO_CACHE_ERROR");
	__u32 bit = 0;
	char name[32];
	__u64 v;

	name_of(name, sizeof(name), p);
	nvfifo_explain_pscnv_method(c, p);
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

void nvfifo_explain_pscnv_semaphore(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PFIFO_SEMAPHORE");
	const struct nvfifo_name *n;
	__u64 v;

	nvfifo_explain_pscnv_method(c, p);
	if (!hex(p, "status", &v))
		return;

	n = nvfifo_name_find(nvfifo_semaphore_errors, (__u32)v >> 20 & 0xf);
	if (n)
		means(c, "%s", n->means);
	str(c, "error", "%s", n ? n->name : "");
	hexnum(c, "pull0", 8, v);
	put_bits(c, "pull0_bits", nvfifo_pull0_bits, (__u32)v & 0x0f0fffff);
}

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
static void trap_words(struct ctx *c, const char *p, const char *const *registers)
{
	char name[16];
	__u64 v;

	p = find(p, "ch");
	p = p ? hex_at(p, &v) : NULL;

	for (; p && *registers; registers++) {
		p = hex_at(p, &v);
		if (!p)
			return;

		snprintf(name, sizeof(name), "r%.6s", *registers);
		hexnum(c, name, 8, v);
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

/* ARGUMENTS: names of bits, the implied bit or "-", registers */
void nvfifo_explain_pscnv_trap(struct ctx *c, const char *s)
{
	const struct nvfifo_name *bits = nvfifo_explain_table(c->args[0]), *n;
	const char *p = strstr(s, c->kind->anchor) + strlen(c->kind->anchor) - 1, *name = c->args[1];
	__u64 v;

	if (hex(p, "mthd", &v))
		nvfifo_explain_pscnv_method(c, p);
	else
		nvfifo_explain_pscnv_channel(c, p);

	if (!trap_status(c, p, bits)) {
		for (n = bits; n->name && !find(p, n->name); n++)
			;
		if (n->name && n->means)
			means(c, "%s", n->means);
		if (n->name || strcmp(name, "-"))
			str(c, "bits", "%s", n->name ? n->name : name);
	}

	trap_words(c, p, c->args + 2);
	trap_place(c, p, bits == nvfifo_trap_mp_exec_bits);
}

/* The registers after a line about a texture unit (4 words) or PROP (7) */
void nvfifo_explain_pscnv_magic(struct ctx *c, const char *s)
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
void nvfifo_explain_pscnv_interrupt(struct ctx *c, const char *s)
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
	nvfifo_explain_pscnv_method(c, p + len);
	advise(c, "%s.", n->means);
}

/* "PGRAPH_DISPATCH_ERROR [INVALID_VALUE]: ch 2 sub 3 [8297] mthd 1558 data 00000007" */
void nvfifo_explain_pscnv_data_error(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "PGRAPH_DISPATCH_ERROR");
	const struct nvfifo_name *n;
	char name[40];
	__u64 code;

	name_of(name, sizeof(name), p);
	nvfifo_explain_pscnv_method(c, strchr(p, ':') ? strchr(p, ':') : p);

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
