// SPDX-License-Identifier: MIT
/* Lines of NVIDIA's drivers, from public reports: Xid of Linux, and those of macOS. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_text.h"

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

/* Numbers as in NVIDIA's list of Xid errors */
static const struct {
	unsigned int xid;
	const char *means;
	const char *advice;
} xids[] = {
	{ 1, "invalid or damaged stream of commands", "The pushbuffer is not what the card can read." },
	{ 2, "invalid or damaged stream of commands", "The pushbuffer is not what the card can read." },
	{ 6, "a pushbuffer word that is not a command", "PFIFO met a word that is not a command: a wrong count in a header before it, or memory that was overwritten." },
	{ 7, "an address of the pushbuffer is wrong", "The pushbuffer's address is not mapped." },
	{ 8, "a channel does not go on", "The channel of the line made no progress for some seconds: an engine hangs in its work, or it waits for a semaphore." },
	{ 9, "the driver programmed the card wrongly", NULL },
	{ 11, "a method of a unit that the chip does not have", "Is the class one of this chip?" },
	{ 12, "a method of the driver's own that it refused", NULL },
	{ 13, "an error of PGRAPH", "PGRAPH refused a method or its data: the words are channel, a word of unknown meaning, class, method, data, and another word of unknown meaning." },
	{ 16, "the display gave no vertical blank in time", "No matter of PFIFO's channels." },
	{ 18, "the card got no access to the bus in time", "Memory of the machine was not reachable: bus mastering, or the IOMMU." },
	{ 19, "the display missed a notifier", "No matter of PFIFO's channels." },
	{ 24, "a semaphore was not released in time", "A channel waits for another one that does not go on: is the value ever written?" },
	{ 25, "a wrong notifier", "The method NOTIFY without a memory object for it." },
	{ 26, "PFIFO's memory interface did not become idle", NULL },
	{ 27, "the video processor", NULL },
	{ 30, "the card reported an error of its memory access", "The driver's text after the number is not documented." },
	{ 31, "a fault of the MMU", "An access to memory that is not mapped." },
	{ 32, "invalid or damaged stream of commands", "PFIFO met an error in the pushbuffer." },
	{ 38, "the driver's firmware", NULL },
	{ 43, "the channel was reset", "An error of the program; the lines before this one have it." },
	{ 44, "a fault while PGRAPH changed the context", "The channel's saved registers are not mapped, or the work before it hangs." },
	{ 45, "the channel was removed", "A consequence: an earlier error has ended the program's other channels." },
	{ 46, "the card did not answer in time", NULL },
	{ 55, "the copy engine", "The driver's text after the number is not documented." },
	{ 56, "the display engine", "No matter of PFIFO's channels." },
	{ 79, "the card has fallen off the bus", "Power, seat, heat; nothing after this line is about the card." },
};

/* PGRAPH of GF100 and later has exception registers at 404000 and above, and PBDMAs. */
static bool is_later_card(const char *s)
{
	return strstr(s, "ESR 0x") || strstr(s, "PBDMA");
}

/* "NVRM: Xid (0000:01:00): 13, 0003 00000000 00008297 00001314 00000207 00000040" */
static void xid(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "Xid");
	__s64 number;
	size_t i;

	p = strstr(p, "): ");
	if (!p)
		p = strstr(s, "Xid: ");
	p = p ? p + strspn(p, "Xid): ") : NULL;
	if (!p || !isdigit((unsigned char)*p)) {
		c->declined = true;
		return;
	}

	number = nvfifo_text_value(p, 10);
	for (i = 0; i < sizeof(xids) / sizeof(xids[0]); i++) {
		if (xids[i].xid == number)
			means(c, "%s", xids[i].means);
	}

	num(c, "xid", number);
	p += strspn(p, "0123456789");
	p += strspn(p, ", ");
	if (number == 13 && !is_later_card(p))
		xid_graph(c, p);
	else if (*p)
		str(c, "text", "%.80s", p);

	for (i = 0; i < sizeof(xids) / sizeof(xids[0]); i++) {
		if (xids[i].xid == number)
			advise(c, "A line of NVIDIA's own driver. %s", xids[i].advice ? xids[i].advice : "");
	}

	if (is_later_card(p))
		advise(c, "A line of NVIDIA's own driver for cards from GF100 on, not of this family.");

	if (!*c->e->advice)
		advise(c, "A line of NVIDIA's own driver; this number is not explained here.");
}

/* macOS: "NVRM[0/1:0:0]: Read Error 0x00610028: CFG 0x0a2910de 0x00100006 0x00000000, BAR0 0xc8000000 ..., D0, P0/4" */
static void nvrm_mac(struct ctx *c, const char *s)
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

static void nvrm(struct ctx *c, const char *s)
{
	const char *p = strstr(s, "NVRM");

	str(c, "text", "%.200s", p);
	if (strstr(p, "fallen off the bus"))
		advise(c, "A line of NVIDIA's own driver. The card does not answer any more: power, seat, heat; nothing after this line is about the card.");
	else if (strstr(p, "RmInitAdapter failed"))
		advise(c, "A line of NVIDIA's own driver, which could not start the card: the lines before this one may say why.");
	else
		advise(c, "A line of NVIDIA's own driver, which is not explained here.");
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_nvidia_lines[] = {
	LINE("nvidia", "nvidia", "NVRM: Xid", NULL, xid),
	LINE("nvidia", "nvidia", "NVRM: loading ", NULL, nvrm),
	LINE("nvidia", "nvidia", "NVRM[", "Error", nvrm_mac),
	LINE("nvidia", "nvidia", "NVRM", ":", nvrm),
	SENTENCE("nvidia", "nvidia", "Graphics Exception", "ESR",
		 "A line of NVIDIA's driver for Windows; 4041xx and above are registers of GF100 and later. This tool reads lines of Linux and macOS."),
	SENTENCE("nvidia", "nvidia", "nvlddmkm", NULL,
		 "A line of NVIDIA's driver for Windows: the card did not answer in time or was set up again. It has no method and no channel."),
	SENTENCE("nvidia", "nvidia", "Channel timeout!", "NVDA(",
		 "A line of NVIDIA's driver for macOS: the work of a program's channel did not end. The NVRM lines at the same time say more."),
	SENTENCE("nvidia", "nvidia", "Channel exception!", NULL,
		 "A line of NVIDIA's driver for macOS: an engine refused what a program sent, and the channel ended. The NVRM lines at the same time say more."),
	{ 0 }
};
