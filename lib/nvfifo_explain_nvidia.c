// SPDX-License-Identifier: MIT
/* Functions for rows: lines of NVIDIA's drivers: Xid, and registers in those of macOS. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"

static void xid_graph(struct ctx *c, const char *s)
{
	static const char *const fields[] = { "channel", "xid_word1", "object_class", "method", "data", "xid_word5" };
	const char *name;
	__u64 w[6];
	size_t i;

	for (i = 0; i < 6; i++) {
		s += strspn(s, " ,");
		if (!strncasecmp(s, "Ch ", 3))
			s += 3;
		s = hex_at(s, &w[i]);
		if (!s)
			return;
	}

	for (i = 0; i < 6; i++) {
		name = NULL;
		if (i == 2)
			name = nvfifo_class_name((__u32)w[i]);
		else if (i == 3)
			name = nvfifo_method_name((__u32)w[2], (__u32)w[i]);
		if (name)
			means(c, "%s", name);
		if (i == 4)
			nvfifo_explain_data_means(c, (__u32)w[i]);
		if (i == 5)
			means(c, "its meaning is not documented");
		if (i == 0)
			num(c, fields[i], (__s64)w[i]);
		else
			str(c, fields[i], i == 2 || i == 3 ? "%04" PRIx64 : "%08" PRIx64, (uint64_t)w[i]);
	}
}

/* PGRAPH of GF100 and later has exception registers at 404000 and above, and PBDMAs. */
static bool is_later_card(const char *s)
{
	return strstr(s, "ESR 0x") || strstr(s, "PBDMA");
}

/* "NVRM: Xid (0000:01:00): 13, 0003 00000000 00008297 00001314 00000207 00000040" */
void nvfifo_explain_xid(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "Xid"), *text, *advice;
	char key[24];
	__s64 number;

	p = strstr(p, "): ");
	if (!p)
		p = strstr(s, "Xid: ");
	p = p ? p + strspn(p, "Xid): ") : NULL;
	if (!p || !isdigit((unsigned char)*p)) {
		c->declined = true;
		return;
	}

	number = nvfifo_text_value(p, 10);
	snprintf(key, sizeof(key), "%" PRId64, (int64_t)number);
	text = nvfifo_explain_text("xid", key);
	advice = text ? strstr(text, "  # ") : NULL;
	if (text)
		means(c, "%.*s", (int)(advice ? (size_t)(advice - text) : strlen(text)), text);

	num(c, "xid", number);
	p += strspn(p, "0123456789");
	p += strspn(p, ", ");
	if (number == 13 && !is_later_card(p))
		xid_graph(c, p);
	else if (*p)
		str(c, "text", "%.80s", p);

	advise(c, "A line of NVIDIA's own driver; this number is not explained here.");
	if (text)
		advise(c, "A line of NVIDIA's own driver. %s", advice ? advice + 4 : "");
	if (is_later_card(p))
		advise(c, "A line of NVIDIA's own driver for cards from GF100 on, not of this family.");
}

/* macOS: "NVRM[0/1:0:0]: Read Error 0x00610028: CFG 0x0a2910de 0x00100006 0x00000000, BAR0 0xc8000000 ..., D0, P0/4" */
void nvfifo_explain_nvrm_mac(struct ctx *c, const char *s)
{
	const bool is_off = strstr(s, "CFG 0xffffffff");
	__u64 v;
	__u32 chipset;

	if (hex(s, "Error", &v))
		hexnum(c, "register", 6, v);
	if (!is_off && hex(s, "CFG", &v))
		str(c, "pci_id", "10de:%04x", (unsigned int)(v >> 16 & 0xffff));
	if (hex(s, "BAR0", &v)) {
		means(c, "where BAR0 is in the machine's address space");
		hexnum(c, "bar0", 8, v);
		/* Its address for the processor, where the driver has mapped it, and BOOT_0 */
		s = strstr(s, "BAR0") + strlen("BAR0");
		s = hex_at(s, &v);
		s = s ? hex_at(s, &v) : NULL;
		if (s && hex_at(s, &v)) {
			chipset = (__u32)v >> 20 & 0x1ff;
			means(c, "PMC.BOOT_0: %s", nvfifo_chipset_name(chipset) ? nvfifo_chipset_name(chipset)
										: "not this family");
			hexnum(c, "boot_0", 8, v);
		}
	}

	str(c, "meaning", "NVIDIA's driver for macOS could not access a register");
	/* All ones from the configuration space, too */
	if (is_off)
		advise(c, "The card is off the bus: powered down, or it failed. No pushbuffer is involved.");
	else
		advise(c, "The card is powered down, off the bus, or its firmware is not in the state that the driver expects; no pushbuffer is involved.");
}
