/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a dump consists of: registers, and lines of text. A row F(format, value) is a part of a
 * line; the values are of the variables that there are where the line is printed.
 */
#ifndef _NVFIFO_DUMP_TABLE_H_
#define _NVFIFO_DUMP_TABLE_H_

#include "nvfifo_reg_table.h"

/* Those of NV_DUMP_REGS; no chip has a row of what cannot be read or is an array. */
#define NVFIFO_DUMP_ROW(block, reg, stride, count, first, end, access) \
	{ reg, first, (access) != NV_WO && (count) == 1 ? (end) : 0 },
#define NVFIFO_DUMP_NONE(reg, field)

static const struct nvfifo_dump_row {
	u32 offset;
	u8 first, end;	/* chips from the first to before the end have it */
} nvfifo_dump_rows[NV_DUMP_WORDS] = { NV_DUMP_REGS(NVFIFO_DUMP_ROW, NVFIFO_DUMP_NONE) };

#undef NVFIFO_DUMP_ROW
#undef NVFIFO_DUMP_NONE

/* Print such lines. */
#define NVFIFO_DUMP_FORMAT(format, value) format
#define NVFIFO_DUMP_VALUE(format, value), value
#define nvfifo_print(p, line) \
	drm_printf(p, NVFIFO_DUMP_##line(NVFIFO_DUMP_FORMAT) NVFIFO_DUMP_##line(NVFIFO_DUMP_VALUE))

#define NVFIFO_DUMP_CARD(F) \
	F("nvfifo dump %u\n", 1) \
	F("card %s", dev_name(ndev->drm.dev)) \
	F(" chipset %02x", ndev->chip->id) \
	F(" boot0 %08x", ndev->boot_0) \
	F(" vram %llu\n", ndev->vram_size) \
	F("kernel %s", init_utsname()->release) \
	F(" machine %s\n", init_utsname()->machine) \
	F("counters timeouts %d", atomic_read(&ndev->timeouts)) \
	F(" errors %lld", atomic64_read(&ndev->errors)) \
	F(" submits %lld", atomic64_read(&ndev->submits)) \
	F(" vram_free %llu\n", ndev->vram_free) \
	F("wedged %s\n", wedged == NVFIFO_LOST ? "lost" : wedged ? "stuck" : "ok")

#define NVFIFO_DUMP_BO(F) \
	F("bo %s", domain_name(bo)) \
	F(" %zu", bo->shmem.base.size) \
	F(" flags %s", flags & DRM_NVFIFO_BO_WC ? "w" : "") \
	F("%s", flags & DRM_NVFIFO_BO_CONTIGUOUS ? "c" : "") \
	F("%s", flags & DRM_NVFIFO_BO_IMPORTED ? "i" : "") \
	F("%s", flags ? "" : "-") \
	F(" tags %llu", bo->tag_users ? bo->tags.size : 0) \
	F(" label %s\n", bo->label)

/* Attributes of pages that differ from the usual ones */
#define NVFIFO_DUMP_ATTRIBUTES(F) \
	F("%s", pte.read_only ? " ro" : "") \
	F("%s", pte.supervisor ? " supervisor" : "") \
	F("%s", pte.long_cycle ? " long-cycle" : "") \
	F("%s", pte.encrypted ? " encrypted" : "")

#define NVFIFO_DUMP_MAPPING(F) \
	F("mapping %010llx", va->va.addr) \
	F("-%010llx", va->va.addr + va->va.range - 1) \
	F(" %s", domain_name(bo)) \
	F(" %010llx", va->gem.offset) \
	F(" kind %02x", pte.kind) \
	F(" comp %u", pte.comp) \
	NVFIFO_DUMP_ATTRIBUTES(F) \
	F("%s", pte.target == NVFIFO_TARGET_SYS_NOSNOOP ? " nosnoop" : "") \
	F(" label %s\n", bo->label)

#define NVFIFO_DUMP_PDE(F) \
	F("%016llx", val) \
	F(" %u KiB pages", 1u << (nvfifo_pt_page_shift(pde.type) - 10)) \
	F(", %u entries", nvfifo_pt_entries(pde.type, pde.size)) \
	F(", %s", nvfifo_target_name(pde.target)) \
	F(" at %010llx\n", pde.address)

#define NVFIFO_DUMP_PTE(F) \
	F("%016llx", val) \
	F(" %s", nvfifo_target_name(pte.target)) \
	F(" %010llx", pte.address) \
	F(", block of %u", 1u << pte.contig) \
	F(", kind %02x", pte.kind)

#define NVFIFO_DUMP_PTE_END(F) \
	NVFIFO_DUMP_ATTRIBUTES(F) \
	F("%s", "\n")

#define NVFIFO_DUMP_FAULT(F) \
	F("fault %010llx", e.fault_address) \
	F(" inst %08llx", chan->inst.addr) \
	F(" engine %x", e.fault_engine) \
	F(" reason %x", e.fault_reason) \
	F(" client %02x", e.fault_client) \
	F(" slot %02x", e.fault_slot) \
	F(" %s\n", e.fault_write ? "write" : "read")

#define NVFIFO_DUMP_CHANNEL(F) \
	F("channel %u", chan->id) \
	F(" state %s", dead ? "dead" : "alive") \
	F(" mode %s", chan->ib ? "ib" : "dma") \
	F(" queue %s", chan->user_queue ? "user" : "kernel") \
	F(" inst %08llx", chan->inst.addr) \
	F(" error %u", e.error) \
	F(" code %08x", e.error_code) \
	F(" detail %08x", e.error_detail) \
	F(" method %08x", e.error_method) \
	F(" data %08x", e.error_data) \
	F(" errno %d\n", -dead)

#define NVFIFO_DUMP_POS(F) \
	F("pos get %010llx", e.get) \
	F(" put %010llx", e.put) \
	F(" mget %010llx", e.mget) \
	F(" state %08x", e.dma_state) \
	F(" ib_get %u", e.ib_get) \
	F(" ib_put %u", e.ib_put) \
	F(" ref %08x\n", e.ref)

#endif
