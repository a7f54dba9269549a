// SPDX-License-Identifier: MIT
/* The cards that a log names: their PCI addresses, chips and generations. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_boards.h"
#include "nvfifo_advice.h"
#include "nvfifo_log_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define XDIGITS "0123456789abcdefABCDEF"

/* Generations by the chipset id in PMC.BOOT_0, bits 28:20 */
static const struct {
	__u32 first;
	__u32 last;
	const char *name;
} generations[] = {
	{ 0x004, 0x005, "NV04" }, { 0x010, 0x01f, "NV10 (Celsius)" }, { 0x020, 0x02a, "NV20 (Kelvin)" },
	{ 0x030, 0x036, "NV30 (Rankine)" }, { 0x040, 0x04f, "NV40 (Curie)" },
	{ 0x060, 0x06f, "NV40 (Curie)" }, { 0x0c0, 0x0df, "Fermi" }, { 0x0e0, 0x10f, "Kepler" },
	{ 0x110, 0x12f, "Maxwell" }, { 0x130, 0x13f, "Pascal" }, { 0x140, 0x14f, "Volta" },
	{ 0x160, 0x16f, "Turing" }, { 0x170, 0x17f, "Ampere" }, { 0x180, 0x18f, "Hopper" },
	{ 0x190, 0x19f, "Ada" }, { 0x1a0, 0x1bf, "Blackwell" },
};

/* The same by the beginning of a chip's name, with a digit after it */
static const struct {
	const char *name;
	const char *generation;
} prefixes[] = {
	{ "GF1", "Fermi" }, { "GK1", "Kepler" }, { "GK2", "Kepler" }, { "GM1", "Maxwell" },
	{ "GM2", "Maxwell" }, { "GP1", "Pascal" }, { "GV1", "Volta" }, { "TU1", "Turing" },
	{ "GA1", "Ampere" }, { "GH1", "Hopper" }, { "AD1", "Ada" }, { "GB1", "Blackwell" },
	{ "GB2", "Blackwell" }, { "NV4", "NV40 (Curie)" }, { "G70", "NV40 (Curie)" },
	{ "G71", "NV40 (Curie)" }, { "G72", "NV40 (Curie)" }, { "G73", "NV40 (Curie)" },
	{ "C51", "NV40 (Curie)" }, { "C61", "NV40 (Curie)" }, { "C68", "NV40 (Curie)" },
	{ "C73", "NV40 (Curie)" }, { "NV3", "NV30 (Rankine)" }, { "NV2", "NV20 (Kelvin)" },
	{ "NV1", "NV10 (Celsius)" },
};

const char *log_generation(const char *name, __u32 chipset)
{
	size_t i;

	for (i = 0; chipset && i < sizeof(generations) / sizeof(generations[0]); i++) {
		if (chipset >= generations[i].first && chipset <= generations[i].last)
			return generations[i].name;
	}

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(name, prefixes[i].name, 3) && isalnum((unsigned char)name[3] ? name[3] : 'x'))
			return prefixes[i].generation;
	}

	return NULL;
}

/* "0000:01:00.0" or "01:00.0" at @s. Return: its length, or 0. */
static size_t pci_address(const char *s, char address[20])
{
	const char *from = s;
	size_t domain = strspn(s, "0123456789abcdef");

	if (domain == 4 && s[4] == ':')
		s += 5;
	else if (domain != 2)
		return 0;

	if (strspn(s, XDIGITS) != 2 || s[2] != ':' || strspn(s + 3, XDIGITS) != 2 || s[5] != '.' ||
	    !isxdigit((unsigned char)s[6]))
		return 0;

	snprintf(address, 20, "%s%.12s", domain == 4 ? "" : "0000:", from);
	address[12] = '\0';

	return (size_t)(s + 7 - from);
}

/* The address after a driver's name, or at the beginning of a line of lspci. */
static bool find_address(const char *line, char address[20])
{
	static const char *const before[] = { "nouveau ", "nvfifo ", "][", "NVRM: GPU " };
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		for (p = line; (p = strstr(p, before[i])); p++) {
			if (pci_address(p + strlen(before[i]), address))
				return true;
		}
	}

	return pci_address(line + strspn(line, " "), address);
}

static struct log_card *card_at(struct log_cards *cards, const char *address)
{
	struct log_card *card;
	size_t i;

	for (i = 0; i < cards->count; i++) {
		if (!strcmp(cards->list[i].address, address))
			return &cards->list[i];
	}

	if (cards->count == LOG_CARDS)
		return NULL;

	card = &cards->list[cards->count++];
	snprintf(card->address, sizeof(card->address), "%s", address);

	return card;
}

static struct log_card *only_card(struct log_cards *cards)
{
	struct log_card *only = NULL;
	size_t i;

	for (i = 0; i < cards->count; i++) {
		if (!*cards->list[i].address)
			continue;
		if (only)
			return NULL;
		only = &cards->list[i];
	}

	return only;
}

struct log_card *log_card_of(struct log_cards *cards, const char *line)
{
	struct log_card *only;
	char address[20];

	if (find_address(line, address))
		return card_at(cards, address);

	only = only_card(cards);
	return only ? only : card_at(cards, "");
}

/* Remember the card that a line names; the first line decides. */
static void name_card(struct log_cards *cards, const char *line, const char *name, size_t len,
		      __u32 chipset, const char *from)
{
	struct log_card *card;
	char text[24];
	__u32 id = chipset;

	snprintf(text, sizeof(text), "%.*s", (int)(len < 23 ? len : 23), name);
	if (!id)
		id = nvfifo_chipset_of_name(text, strlen(text));
	if (!id && !log_generation(text, 0))
		return;

	card = log_card_of(cards, line);
	if (!card || *card->name)
		return;

	snprintf(card->name, sizeof(card->name), "%s", text);
	snprintf(card->from, sizeof(card->from), "%.*s", (int)strcspn(from, "\r"), from);
	if (nvfifo_chipset_name(id))
		card->chipset = id;
	else
		card->generation = log_generation(text, chipset);
	if (!card->chipset && !card->generation)
		card->name[0] = '\0';
}

/* "NVIDIA G92 (092300a2)": nouveau's line at probe */
static bool scan_probe(struct log_cards *cards, const char *line)
{
	const char *p = strstr(line, "NVIDIA "), *open;
	__u64 boot_0;

	p = p ? p + strlen("NVIDIA ") : NULL;
	open = p ? strstr(p, " (") : NULL;
	if (!open || open - p > 20 || memchr(p, ' ', (size_t)(open - p)))
		return false;

	if (nvfifo_text_digits(open + 2, 16) != 8 || open[10] != ')')
		return false;

	nvfifo_text_number(open + 2, 8, 16, &boot_0);

	name_card(cards, line, p, (size_t)(open - p), boot_0 >> 20 & 0x1ff, p - strlen("NVIDIA "));
	return true;
}

/* Older kernels: "Chipset: G92 (NV92)" */
static bool scan_chipset(struct log_cards *cards, const char *line)
{
	const char *p = strstr(line, "Chipset: "), *name;

	if (!p)
		return false;

	name = p + strlen("Chipset: ");
	name_card(cards, line, name, strcspn(name, " "), 0, p);
	return true;
}

/* A text before PMC_BOOT_0; @unknown: the name of a chip of another family, or NULL: no card */
static bool scan_boot_0(struct log_cards *cards, const char *line, const char *text, const char *unknown)
{
	const char *p = strstr(line, text), *name;
	__u32 chipset;

	if (!p)
		return false;

	chipset = (__u32)nvfifo_text_value(p + strlen(text), 16) >> 20 & 0x1ff;
	name = nvfifo_chipset_name(chipset);
	if (!name)
		name = unknown;
	if (name)
		name_card(cards, line, name, strlen(name), chipset, p);

	return true;
}

/* lspci, Xorg, inxi: "NVIDIA Corporation G92 [GeForce 9800 GT] [10de:0605]" */
static void scan_name(struct log_cards *cards, const char *line)
{
	const char *p = strcasestr(line, "nvidia"), *id = strstr(line, "[10de:"), *word, *chip;
	unsigned int device;
	size_t len;

	if (id) {
		device = (unsigned int)nvfifo_text_value(id + 6, 16);
		chip = nvfifo_card_chip(device);
		if (chip) {
			name_card(cards, line, chip, strlen(chip), 0, id);
			return;
		}
	}

	for (word = p; word && *word; word += len) {
		word += strspn(word, " [](),:");
		len = strcspn(word, " [](),:");
		/* Mobile and workstation chips have letters after their names. */
		while (len > 3 && word[len - 1] != 'b' && isupper((unsigned char)word[len - 1]) &&
		       !log_generation(word, 0))
			len--;
		name_card(cards, line, word, len, 0, word);
		len = strcspn(word, " [](),:");
	}
}

/* "nvidia" in any case: most lines have no "v" with an "n" in front. */
static bool has_nvidia(const char *line)
{
	const char *p;

	for (p = line; (p = strpbrk(p, "vV")); p++) {
		if (p > line && !strncasecmp(p - 1, "nvidia", 6))
			return true;
	}

	return false;
}

void log_cards_scan(struct log_cards *cards, const char *line)
{
	/* "Detected an NV50 generation card (0x092480a2)" of older kernels, and nvfifo's line at probe */
	if (scan_probe(cards, line) || scan_chipset(cards, line) ||
	    scan_boot_0(cards, line, "generation card (0x", "older") || scan_boot_0(cards, line, "PMC_BOOT_0 ", NULL))
		return;

	if (has_nvidia(line) && !strstr(line, "NVRM"))
		scan_name(cards, line);
}
