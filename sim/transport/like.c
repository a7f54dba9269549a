// SPDX-License-Identifier: MIT
/*
 * nvsim --like: the model takes the values that the test stick has read from a card. Options without
 * a value in the report keep their defaults, and so do values that the model cannot have.
 */
#include "like.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../../hw/nvfifo_reg_table.h"
#include "../../lib/nvfifo_text.h"
#include "../../tools/report_file.h"
#include "options.h"

#define MIB	    (1024ull * 1024)
#define VRAM_MAX    (4095 * MIB)
#define BAR_MAX	    (1024 * MIB)
#define CONFIG_SIZE 256
#define CAP_MSI	    0x05

/* The card's BARs, a line each as in the kernel's file "resource": first, last, flags */
static uint64_t bar_size(const char *pci, unsigned int bar)
{
	unsigned long long first, last;
	char line[80];

	/* The first line is about the card. */
	for (bar++; bar; bar--)
		nvfifo_text_line(&pci, NULL, 0);

	nvfifo_text_line(&pci, line, sizeof(line));
	if (sscanf(line, "%llx %llx", &first, &last) != 2 || last <= first)
		return 0;

	return last - first + 1;
}

static bool fits(uint64_t size, uint64_t least, uint64_t most)
{
	return size >= least && size <= most && !(size & (size - 1));
}

/* Read the configuration space, lines of " de 10 00 04". Returns the bytes. */
static size_t read_config(const char *pci, uint8_t config[CONFIG_SIZE])
{
	size_t n = 0;

	for (; *pci && n < CONFIG_SIZE; nvfifo_text_line(&pci, NULL, 0)) {
		const char *p = pci;
		unsigned int byte;
		int used;

		while (*p == ' ' && n < CONFIG_SIZE && sscanf(p, " %2x%n", &byte, &used) == 1) {
			config[n++] = (uint8_t)byte;
			p += used;
		}
	}

	return n;
}

static bool has_capability(const uint8_t config[CONFIG_SIZE], uint8_t id)
{
	unsigned int at = config[0x34] & 0xfc, i;

	for (i = 0; i < CONFIG_SIZE / 4 && at >= 0x40; i++, at = config[at + 1] & 0xfc)
		if (config[at] == id)
			return true;

	return false;
}

static void take_pci(struct nvsim_config *card, const char *pci)
{
	uint64_t bar1 = bar_size(pci, 1), bar3 = bar_size(pci, 3);
	uint8_t config[CONFIG_SIZE] = { 0 };

	if (fits(bar1, MIB, BAR_MAX))
		card->bar1_size = bar1;
	if (fits(bar3, 16 * MIB, BAR_MAX))
		card->bar3_size = bar3;
	if (read_config(pci, config) == CONFIG_SIZE)
		card->no_msi = !has_capability(config, CAP_MSI);
}

/* Two bytes of the CRTC, "crtc 00 5F", which the VBIOS sets and EFI's drivers need not set */
static bool crtc_is_empty(const char *post)
{
	unsigned int index, value, sum = 0, count = 0;

	for (; *post; nvfifo_text_line(&post, NULL, 0)) {
		if (sscanf(post, "crtc %x %x", &index, &value) != 2)
			continue;
		sum |= value;
		count++;
	}

	return count && !sum;
}

static void take_registers(struct nvsim_config *card, const struct report_file *r)
{
	uint32_t value;

	if (report_register(r, NV_PMC_BOOT_0, &value))
		card->boot0 = value;
	if (report_register(r, NV_PMC_ENABLE, &value))
		card->pmc_enable = value;
	if (report_register(r, NV_PSTRAPS_STRAPS_PRIMARY, &value))
		card->straps = value;
	if (report_register(r, NV_PFB_MEM_AMOUNT, &value)) {
		uint64_t size = ((uint64_t)(value & 0xff) << 32 | (value & 0xfffff000)) & ~(MIB - 1);

		if (size >= MIB)
			card->vram_size = size < VRAM_MAX ? size : VRAM_MAX;
	}

	/* A card with a unit on has been set up, by whatever. */
	if (crtc_is_empty(report_text(r, "post.txt"))) {
		card->efi = card->pmc_enable;
		card->not_posted = !card->efi;
	}
}

bool like_report(struct nvsim_config *card, const char *path)
{
	char err[300], chip[40], value[8];
	struct report_file r;
	unsigned int i;

	if (!report_read(path, &r, err, sizeof(err))) {
		complain("--like: %s", err);
		return false;
	}

	report_value(&r, "chip", chip, sizeof(chip));
	for (i = 0; nvsim_chipset_names[i]; i++)
		if (!strcasecmp(chip, nvsim_chipset_names[i]))
			break;

	card->chipset = nvsim_chipset_names[i];
	if (card->chipset) {
		take_registers(card, &r);
		take_pci(card, report_text(&r, "pci.txt"));
		card->is_boot_vga = report_value(&r, "screen", value, sizeof(value)) && *value == '1';
	} else {
		complain("--like %s: its chip is none of the model's", path);
	}

	report_free(&r);

	return card->chipset;
}
