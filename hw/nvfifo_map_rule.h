/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The rules that a mapping must keep on a chip, as a pure function. The driver refuses other
 * mappings with EINVAL. "nvfifo lint" and "nvfifo run" report the reason before the call.
 */
#ifndef _NVFIFO_MAP_RULE_H_
#define _NVFIFO_MAP_RULE_H_

#include "nvfifo_fmt.h"

/**
 * struct nvfifo_map_request - A mapping of memory in an address space
 * @g84: the chip is G84 or later
 * @g200: the chip is G200 or later in the order of the hardware documents
 * @gt215: the chip is GT215 or later
 * @tags: the card has compression tags
 * @vram: the memory is VRAM
 * @system: it is system memory; with neither, rules about the memory do not apply
 * @wc: system memory that the CPU maps write-combined
 * @lsr: VRAM in whole row blocks, for kinds with the other bank order
 * @nosnoop: accesses do not snoop the CPU's caches
 * @long_cycle: long partition cycle
 * @encrypted: encrypted accesses
 * @page_shift: log2 of the page size, 0 for any that fits
 * @kind: storage type
 * @compression: 0 none, 1 single, 2 double
 * @address: bits of the first address, the size and the offset, combined with |
 */
struct nvfifo_map_request {
	bool g84;
	bool g200;
	bool gt215;
	bool tags;
	bool vram;
	bool system;
	bool wc;
	bool lsr;
	bool nosnoop;
	bool long_cycle;
	bool encrypted;
	__u32 page_shift;
	__u32 kind;
	__u32 compression;
	__u64 address;
};

static inline const char *nvfifo_map_rule_flags(const struct nvfifo_map_request *m)
{
	if (m->long_cycle && m->g84)
		return "long_cycle: only G80 has it";
	if (m->long_cycle && m->system)
		return "long_cycle: it is for VRAM";

	if (m->encrypted && !m->g84)
		return "encrypted: G80 does not have it";
	if (m->encrypted && m->vram)
		return "encrypted: it is for system memory";

	if (m->nosnoop && m->vram)
		return "nosnoop: it is for system memory";
	if (m->nosnoop && m->system && !m->wc)
		return "nosnoop: it needs memory that the CPU maps write-combined (wc)";

	return NULL;
}

static inline const char *nvfifo_map_rule_page(const struct nvfifo_map_request *m)
{
	__u64 page = 0x1000;

	if (m->page_shift == 14 && !m->gt215)
		return "pages: 16K exist from GT215 on";
	if (m->page_shift && m->page_shift != 12 && m->page_shift != 14 && m->page_shift != 16)
		return "pages: a page has 4K, 16K or 64K";
	if (m->page_shift > 12 && m->system)
		return "pages: system memory has pages of 4K";

	if (m->page_shift)
		page = 1ULL << m->page_shift;
	if (m->address & (page - 1))
		return "pages: address, size or offset is no multiple of the page";

	return NULL;
}

static inline const char *nvfifo_map_rule_kind(const struct nvfifo_map_request *m)
{
	if (nvfifo_kind_class(m->kind) == NVFIFO_KIND_INVALID)
		return "kind: there is no such storage type";
	if (nvfifo_kind_is_g200(m->kind) && !m->g200)
		return "kind: this storage type exists from G200 on";

	if (m->kind && m->system && !m->g84)
		return "kind: G80 has none for system memory";
	if (m->vram && m->lsr != (nvfifo_kind_class(m->kind) == NVFIFO_KIND_SWIZZLED))
		return "kind: LSR kinds go with VRAM made for them (lsr), others without";

	return NULL;
}

static inline const char *nvfifo_map_rule_compression(const struct nvfifo_map_request *m)
{
	if (!m->compression)
		return NULL;

	if (m->compression > 2)
		return "compression: it is single or double";
	if (!m->tags)
		return "compression: the card has no tags";
	if (m->system)
		return "compression: it is for VRAM";

	if (!m->vram)
		return NULL;

	if ((m->page_shift && m->page_shift != 16) || m->address & 0xffff)
		return "compression: it needs pages of 64K";

	return NULL;
}

/**
 * nvfifo_map_rule() - Find the rule that a mapping breaks
 * @m: the mapping
 *
 * Return: NULL, or a text with the wrong attribute and the reason.
 */
static inline const char *nvfifo_map_rule(const struct nvfifo_map_request *m)
{
	const char *why = nvfifo_map_rule_flags(m);

	if (!why)
		why = nvfifo_map_rule_page(m);
	if (!why)
		why = nvfifo_map_rule_kind(m);
	if (!why)
		why = nvfifo_map_rule_compression(m);

	return why;
}

#endif
