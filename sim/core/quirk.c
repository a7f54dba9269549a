// SPDX-License-Identifier: MIT
/*
 * Names of the quirks for --quirk, and the adverse card of --adverse.
 *
 * A quirk is a point on which sources disagree or are silent. The adverse card takes the side that
 * is harder for a driver, of each quirk that no source decides.
 */
#include <assert.h>
#include <stdio.h>

#include "core.h"
#include "nvfifo_text.h"

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
	[NVSIM_QUIRK_POSTED_UNITS] = {
		"posted-units", { "least", "all" },
		"PMC.ENABLE after POST has all units, not only PFB, PTIMER, PFIFO and the display",
	},
	[NVSIM_QUIRK_POSTED_PTIMER] = {
		"posted-ptimer", { "stands", "runs" },
		"PTIMER runs after POST, at twice the rate of ns; else it stands still",
	},
	[NVSIM_QUIRK_POSTED_IRQS] = {
		"posted-irqs", { "off", "on" },
		"the firmware left interrupts on: PTIMER, display, hot-plug and temperature raise them",
	},
	[NVSIM_QUIRK_RESET_IDLE] = {
		"reset-idle", { "clear", "set" },
		"ENGINE_IDLE has a bit for a unit that PMC.ENABLE holds in reset",
	},
	[NVSIM_QUIRK_BARS] = {
		"bars", { "pfifo", "always" },
		"BAR1, BAR3 and PEEPHOLE reach memory while PFIFO is off in PMC.ENABLE",
	},
	[NVSIM_QUIRK_KICK_UNLOADS] = {
		"kick-unloads", { "yes", "no" },
		"a kick makes engines save; PFIFO's channel leaves when its slice ends",
	},
	[NVSIM_QUIRK_EMPTY_PLAYLIST] = {
		"empty-playlist", { "unload", "keep" },
		"a channel stays in PUSH1 until another one takes its place",
	},
	[NVSIM_QUIRK_KICK_MASK_0] = {
		"kick-mask-0", { "ends", "hangs" },
		"a kick that asks no engine never ends (G84 and later)",
	},
	[NVSIM_QUIRK_FLUSH_BUSY] = {
		"flush-busy", { "harmless", "hangs" },
		"a TLB flush of PGRAPH while it works hangs it (G84 and later)",
	},
	[NVSIM_QUIRK_TRAP_RELEASE] = {
		"trap-release", { "fifo-access", "registers" },
		"a command stuck in DISPATCH traps again until its registers are cleared",
	},
	[NVSIM_QUIRK_VRAM_SEGMENTS] = {
		"vram-segments", { "at-once", "ordered" },
		"PFIFO reads the old words of VRAM until the CPU has flushed or read back",
	},
	[NVSIM_QUIRK_IB_PREFETCH] = {
		"ib-prefetch", { "none", "next" },
		"the next IB entry's words are read early; with NO_PREFETCH after all before them",
	},
	[NVSIM_QUIRK_RAMHT_HASH] = {
		"ramht-hash", { "handle", "channel" },
		"the channel id goes into RAMHT's hash, as it did before NV50",
	},
	[NVSIM_QUIRK_BANK_TYPES] = {
		"bank-types", { "plain", "move" },
		"storage types of type LSR swap the halves of a row block",
	},
	[NVSIM_QUIRK_DMAOBJ_READ] = {
		"dmaobj-read", { "bind", "use" },
		"a DMA object is read from memory at every use",
	},
	[NVSIM_QUIRK_PCIE_TAGS] = {
		"pcie-tags", { "any", "limited" },
		"reads of host memory fail while more than 32 may be under way without extended tags",
	},
	[NVSIM_QUIRK_PLAYLIST_PENDING] = {
		"playlist-pending", { "bit-12", "bit-8" },
		"PLAYLIST_LEN shows an update in bit 8, as on the G80 (G84 and later)",
	},
	[NVSIM_QUIRK_KICK_ERROR] = {
		"kick-error", { "waits", "ends" },
		"a kick ends although an error of the channel waits for its handler",
	},
	[NVSIM_QUIRK_IB_PUT] = {
		"ib-put", { "endless", "wraps" },
		"an IB_PUT that the ring does not have counts modulo the ring",
	},
	[NVSIM_QUIRK_MSI_MIRROR] = {
		"msi-mirror", { "rearms", "ignored" },
		"the MCP79 takes a re-arm of its MSI only as a configuration write",
	},
	[NVSIM_QUIRK_RAMHT_LOOKUP] = {
		"ramht-lookup", { "finds", "misses" },
		"a look-up in RAMHT fails ten times per second, though the handle is there",
	},
	[NVSIM_QUIRK_PULLER_STOP] = {
		"puller-stop", { "clean", "spoils" },
		"a stop of the puller in a look-up fails it, or leaves the last instance in HASH",
	},
	[NVSIM_QUIRK_UNIT_FAULT] = {
		"unit-fault", { "ends", "hangs" },
		"PGRAPH stays busy after a VM fault of VFETCH or CCACHE, until it is reset",
	},
	[NVSIM_QUIRK_RAMHT_EMPTY] = {
		"ramht-empty", { "skipped", "zero" },
		"two zero words in RAMHT match handle 0, which then names the channel structure's start",
	},
	[NVSIM_QUIRK_HOST_CHAN] = {
		"host-chan", { "which", "valid" },
		"bit 30 of HOST_MEM.CHAN makes the one channel of BARs and PEEPHOLE valid",
	},
	[NVSIM_QUIRK_OBJECT_TAGS] = {
		"object-tags", { "two", "one" },
		"an unpaged object with double compression has one tag cell for each 64 KiB",
	},
	[NVSIM_QUIRK_FROZEN] = {
		"frozen", { "lags", "at-once" },
		"PFIFO and its FROZEN bit follow FREEZE at once, not 4 us later",
	},
	[NVSIM_QUIRK_MP_MEMORY] = {
		"mp-memory", { "cleared", "kept" },
		"compute starts with what the last grid left in shared memory and registers",
	},
};

#define BIT_OF(quirk)	(1ull << NVSIM_QUIRK_##quirk)

/* Quirks that no source settles */
#define ADVERSE_MASK	(BIT_OF(COUNT) - BIT_OF(POSTED_UNITS))

/* For these quirks the default is the harder side, such as the least that a card has after POST. */
#define KIND_MASK	(BIT_OF(POSTED_UNITS) | BIT_OF(POSTED_PTIMER) | BIT_OF(RESET_IDLE) | \
			 BIT_OF(BARS) | BIT_OF(KICK_ERROR) | BIT_OF(IB_PUT) | \
			 BIT_OF(FROZEN))

static_assert(NVSIM_QUIRK_COUNT < 64, "a mask of quirks has 64 bits");

/* splitmix64 gives the same mix for a seed on every machine. */
static u64 mix(u64 seed)
{
	u64 z = seed + 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

bool nvsim_adverse_parse(struct nvsim_config *cfg, const char *text, char *err, size_t len)
{
	static const char random[] = "random:";
	__u64 seed;

	if (!text || !strcmp(text, "all")) {
		cfg->quirks &= ~ADVERSE_MASK;
		cfg->quirks |= ADVERSE_MASK & ~KIND_MASK;
		return true;
	}

	if (!strncmp(text, random, sizeof(random) - 1)) {
		const char *digits = text + sizeof(random) - 1;

		if (nvfifo_text_whole(digits, strlen(digits), 10, ~0ull, &seed)) {
			cfg->quirks &= ~ADVERSE_MASK;
			cfg->quirks |= mix(seed) & ADVERSE_MASK;
			return true;
		}
	}

	snprintf(err, len, "%s: needs all or random:SEED with a decimal number", text);

	return false;
}

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

		cfg->quirks = (cfg->quirks & ~(1ull << i)) | (u64)value << i;
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
