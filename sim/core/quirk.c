// SPDX-License-Identifier: MIT
/* The points on which the sources disagree, by the names that a person writes. */
#include <stdio.h>

#include "core.h"

static const struct {
	const char *name, *values[2], *help;
} quirks[NVSIM_QUIRK_COUNT] = {
	[NVSIM_QUIRK_IB_WORD0] = {
		"ib-word0", { "unused", "skip" },
		"bits 1:0 of an IB entry's word 0: bit 0 skips it, bit 1 keeps the channel",
	},
	[NVSIM_QUIRK_IB_BIT8] = {
		"ib-bit8", { "unknown", "privileged" },
		"bit 8 of word 1: the segment is read with a supervisor's rights",
	},
	[NVSIM_QUIRK_IB_BIT9] = {
		"ib-bit9", { "not-main", "level" },
		"bit 9 of word 1: also shows as SUBROUTINE_ACTIVE",
	},
	[NVSIM_QUIRK_IB_BIT31] = {
		"ib-bit31", { "no-prefetch", "length" },
		"bit 31 of word 1: the top of LENGTH",
	},
	[NVSIM_QUIRK_USER_50_80] = {
		"user-50-80", { "unknown", "methods" },
		"0x50 and 0x80 of a channel's page: set REF, yield",
	},
	[NVSIM_QUIRK_PFIFO_TLB] = {
		"pfifo-tlb", { "flush", "coherent" },
		"PFIFO's TLB never holds anything stale",
	},
	[NVSIM_QUIRK_INVALID_CMD_GET] = {
		"invalid-cmd-get", { "stays", "advances" },
		"DMA_GET moves past a command that is refused as invalid",
	},
	[NVSIM_QUIRK_DMAOBJ_LIMIT] = {
		"dmaobj-limit", { "inclusive", "exclusive" },
		"a DMA object's limit is the first byte outside",
	},
	[NVSIM_QUIRK_DMA_LIMIT] = {
		"dma-limit", { "inclusive", "exclusive" },
		"DMA_LIMIT of NV04 mode is the first address outside",
	},
	[NVSIM_QUIRK_ECTX_WORD3] = {
		"ectx-word3", { "high", "low" },
		"word 3 of an engine context object may hold the low half of the start",
	},
};

static u32 value_of(unsigned int quirk, const char *text)
{
	unsigned int v;

	for (v = 0; v < 2; v++)
		if (!strcmp(text, quirks[quirk].values[v]))
			return v;
	return ~0u;
}

bool nvsim_quirk_parse(struct nvsim_config *cfg, const char *text, char *err, size_t len)
{
	size_t n = strcspn(text, "=");
	unsigned int i;
	u32 value;
	int at;

	for (i = 0; i < NVSIM_QUIRK_COUNT; i++) {
		if (strlen(quirks[i].name) != n || memcmp(quirks[i].name, text, n))
			continue;
		value = text[n] ? value_of(i, text + n + 1) : ~0u;
		if (value == ~0u) {
			snprintf(err, len, "%s: needs %s=%s or %s=%s", text, quirks[i].name,
				 quirks[i].values[0], quirks[i].name, quirks[i].values[1]);
			return false;
		}
		cfg->quirks = (cfg->quirks & ~(1u << i)) | value << i;
		return true;
	}
	at = snprintf(err, len, "%s: needs NAME=VALUE with one of", text);
	for (i = 0; i < NVSIM_QUIRK_COUNT && at >= 0 && (size_t)at < len; i++)
		at += snprintf(err + at, len - at, " %s", quirks[i].name);
	return false;
}

bool nvsim_quirk_describe(unsigned int quirk, const char **name, const char **value,
			  const char **other, const char **help)
{
	if (quirk >= NVSIM_QUIRK_COUNT)
		return false;
	*name = quirks[quirk].name;
	*value = quirks[quirk].values[0];
	*other = quirks[quirk].values[1];
	*help = quirks[quirk].help;
	return true;
}
