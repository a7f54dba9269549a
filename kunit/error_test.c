// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the card says when something went wrong: fault record, DMA_STATE, PULL0.
 */
#include <linux/string.h>

#include "nvfifo_test.h"

#include "nvfifo_reg_table.h"

#include "data/cache_error.h"
#include "data/fault.h"
#include "data/pusher.h"

/* --- VM faults ----------------------------------------------------------- */

static const u32 fault_fields_4[NVFIFO_FAULT_WORDS] = {
	0x0000ffff, 0xffff, 0xffff, 0xffff, 0xffff, 0x1ff,
};

static const u32 fault_fields_8[NVFIFO_FAULT_WORDS] = {
	0xffffffff, 0xffff, 0xffff, 0xffff, 0xffff, 0x1ff,
};

static const u32 *fault_fields(u32 chipset)
{
	return nvfifo_chipset_is_gt215(chipset) ? fault_fields_8 : fault_fields_4;
}

static void fault_oracle(struct kunit *test)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(fault_rows); i++) {
		const struct fault_row *r = &fault_rows[i];
		struct nvfifo_fault f = nvfifo_fault_decode(r->chipset, r->trap);
		const u32 *fields = fault_fields(r->chipset);
		u32 w[NVFIFO_FAULT_WORDS];

		KUNIT_EXPECT_EQ_MSG(test, f.address, r->address, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, f.inst, r->inst, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, f.write, (bool)r->write, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, f.engine, r->engine, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, f.client, r->client, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, f.slot, r->slot, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, f.reason, r->reason, "row %d", i);
		nvfifo_fault_encode(r->chipset, &f, w);
		for (j = 0; j < NVFIFO_FAULT_WORDS; j++)
			KUNIT_EXPECT_EQ_MSG(test, w[j], r->trap[j] & fields[j], "row %d word %d",
					    i, j);
	}
}

/*
 * Where nouveau and the hardware documents have other words for the same unit.
 * Numbers that nouveau has no name for are not compared.
 */
static void expect_name(struct kunit *test, const char *ours, const char *theirs)
{
	static const char * const same[][2] = {
		{ "PMPEG", "PMSPPP" }, { "PPPP", "PMSPPP" }, { "PCIPHER", "PCRYPT" },
		{ "PCOPY", "PCE0" }, { "PDAEMON", "PMU" },
		{ "PAGE_SUPERVISOR_ONLY", "PAGE_SYSTEM_ONLY" },
	};
	int i;

	if (!theirs)
		return;
	for (i = 0; i < ARRAY_SIZE(same); i++)
		if (!strcmp(ours, same[i][0]) && !strcmp(theirs, same[i][1]))
			return;
	KUNIT_EXPECT_STREQ(test, ours, theirs);
}

static void fault_names_oracle(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(fault_engine_names); n++)
		expect_name(test, nvfifo_vm_engine_name(n), fault_engine_names[n]);
	for (n = 0; n < ARRAY_SIZE(fault_client_names); n++)
		expect_name(test, nvfifo_vm_client_name(n), fault_client_names[n]);
	for (n = 0; n < ARRAY_SIZE(fault_reason_names); n++)
		expect_name(test, nvfifo_fault_reason_name(n), fault_reason_names[n]);
}

/* All names; a number without one is safe to ask for. */
static void fault_names(struct kunit *test)
{
	static const char * const engines[] = {
		[NVFIFO_VM_PGRAPH] = "PGRAPH", [NVFIFO_VM_PVP] = "PVP",
		[NVFIFO_VM_PEEPHOLE] = "PEEPHOLE", [NVFIFO_VM_PFIFO] = "PFIFO",
		[NVFIFO_VM_BAR] = "BAR", [NVFIFO_VM_PME] = "PME", [NVFIFO_VM_PMPEG] = "PMPEG",
		[NVFIFO_VM_PBSP] = "PBSP", [NVFIFO_VM_PCIPHER] = "PCIPHER",
		[NVFIFO_VM_PCOUNTER] = "PCOUNTER", [NVFIFO_VM_SEMAPHORE_BG] = "SEMAPHORE_BG",
		[NVFIFO_VM_PCOPY] = "PCOPY", [NVFIFO_VM_PDAEMON] = "PDAEMON",
	};
	static const char * const clients[] = {
		[0x00] = "STRMOUT", [0x03] = "DISPATCH", [0x04] = "PFIFO_WRITE",
		[0x05] = "CCACHE", [0x06] = "PPPP", [0x07] = "CLIPID", [0x08] = "PFIFO_READ",
		[0x09] = "VFETCH", [0x0a] = "TEXTURE", [0x0b] = "PROP", [0x0c] = "PVP",
		[0x0d] = "PBSP", [0x0e] = "PCIPHER", [0x0f] = "PCOUNTER", [0x11] = "PDAEMON",
		[0x13] = "PCOPY", [0x14] = "PVCOMP",
	};
	static const char * const reasons[] = {
		[NVFIFO_FAULT_PT_NOT_PRESENT] = "PT_NOT_PRESENT",
		[NVFIFO_FAULT_PT_TOO_SHORT] = "PT_TOO_SHORT",
		[NVFIFO_FAULT_PAGE_NOT_PRESENT] = "PAGE_NOT_PRESENT",
		[NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY] = "PAGE_SUPERVISOR_ONLY",
		[NVFIFO_FAULT_PAGE_READ_ONLY] = "PAGE_READ_ONLY",
		[NVFIFO_FAULT_NO_CHANNEL] = "NO_CHANNEL",
		[NVFIFO_FAULT_NULL_DMAOBJ] = "NULL_DMAOBJ",
		[NVFIFO_FAULT_WRONG_MEMTYPE] = "WRONG_MEMTYPE",
		[NVFIFO_FAULT_VRAM_LIMIT] = "VRAM_LIMIT",
		[NVFIFO_FAULT_DMAOBJ_LIMIT] = "DMAOBJ_LIMIT",
	};
	static const struct {
		const char *(*name)(unsigned int n);
		const char * const *names;
		unsigned int count;
	} lists[] = {
		{ nvfifo_vm_engine_name, engines, ARRAY_SIZE(engines) },
		{ nvfifo_vm_client_name, clients, ARRAY_SIZE(clients) },
		{ nvfifo_fault_reason_name, reasons, ARRAY_SIZE(reasons) },
	};
	unsigned int n;
	int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (n = 0; n < 0x100; n++) {
			const char *want = n < lists[i].count ? lists[i].names[n] : NULL;

			KUNIT_EXPECT_STREQ(test, lists[i].name(n), want ? want : "UNKNOWN");
		}
	}
}

static void fault_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i, j;

	nvfifo_test_seed(&rnd);
	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u32 chipset = i & 1 ? 0x84 : 0xa8;
		const u32 *fields = fault_fields(chipset);
		u32 w[NVFIFO_FAULT_WORDS], out[NVFIFO_FAULT_WORDS];
		struct nvfifo_fault f;

		for (j = 0; j < NVFIFO_FAULT_WORDS; j++)
			w[j] = prandom_u32_state(&rnd);
		f = nvfifo_fault_decode(chipset, w);
		nvfifo_fault_encode(chipset, &f, out);
		for (j = 0; j < NVFIFO_FAULT_WORDS; j++)
			KUNIT_ASSERT_EQ_MSG(test, out[j], w[j] & fields[j], "word %d", j);
	}
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(fault_oracle),
	KUNIT_CASE(fault_names_oracle),
	KUNIT_CASE(fault_names),
	KUNIT_CASE(fault_random),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "nvfifo_fault",
	.test_cases = fault_cases,
};

/* --- DMA_STATE, PULL0 ---------------------------------------------------- */

/* Bit 1 copies a disputed bit of the IB entry; 28:19 are unknown. */
#define DMA_STATE_FIELDS	0xe007fffd

static void dma_state_oracle(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pusher_rows); i++) {
		struct nvfifo_dma_state s = nvfifo_dma_state_decode(pusher_rows[i].state);
		const char *want = pusher_rows[i].error;

		KUNIT_EXPECT_STREQ(test, nvfifo_pusher_error_name(s.error),
				   strcmp(want, "UNK") ? want : "UNKNOWN");
		KUNIT_EXPECT_EQ(test, nvfifo_dma_state_encode(&s),
				pusher_rows[i].state & DMA_STATE_FIELDS);
	}
}

static void dma_state_fields(struct kunit *test)
{
	static const struct {
		struct nvfifo_dma_state s;
		u32 word;
	} rows[] = {
		{ { .nonincr = true }, 0x00000001 },
		{ { .method = 0x1ffc }, 0x00001ffc },
		{ { .subc = 7 }, 0x0000e000 },
		{ { .long_pending = true }, 0x00010000 },
		{ { .subroutine = true }, 0x00020000 },
		{ { .not_main = true }, 0x00040000 },
		{ { .error = 7 }, 0xe0000000 },
		/* from bug reports: INVALID_CMD behind the last method of a fence */
		{ { .error = 4, .method = 0x24 }, 0x80000024 },
	};
	const struct nvfifo_dma_state cut = { .method = 0xffff, .subc = 0xff, .error = 0xff };
	int i;

	KUNIT_EXPECT_EQ(test, nvfifo_dma_state_decode(~0u).method, 0x1ffc);
	KUNIT_EXPECT_EQ(test, nvfifo_dma_state_encode(&cut), 0xe000fffc);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvfifo_dma_state s = nvfifo_dma_state_decode(rows[i].word);

		KUNIT_EXPECT_EQ_MSG(test, nvfifo_dma_state_encode(&rows[i].s), rows[i].word,
				    "row %d", i);
		KUNIT_EXPECT_EQ(test, s.method, rows[i].s.method);
		KUNIT_EXPECT_EQ(test, s.subc, rows[i].s.subc);
		KUNIT_EXPECT_EQ(test, s.error, rows[i].s.error);
		KUNIT_EXPECT_EQ(test, s.nonincr, rows[i].s.nonincr);
		KUNIT_EXPECT_EQ(test, s.long_pending, rows[i].s.long_pending);
		KUNIT_EXPECT_EQ(test, s.subroutine, rows[i].s.subroutine);
		KUNIT_EXPECT_EQ(test, s.not_main, rows[i].s.not_main);
	}
}

static void pusher_error_names(struct kunit *test)
{
	static const char * const names[] = {
		"NONE", "CALL_SUBR_ACTIVE", "INVALID_MTHD", "RET_SUBR_INACTIVE", "INVALID_CMD",
		"IB_EMPTY", "MEM_FAULT", "UNKNOWN",
	};
	static const char * const semaphore[] = {
		"NONE", "ADDRESS_UNALIGNED", "INVALID_STATE", "ADDRESS_TOO_LARGE", "MEM_FAULT",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(names); n++)
		KUNIT_EXPECT_STREQ(test, nvfifo_pusher_error_name(n), names[n]);
	for (n = 0; n < 0x100; n++)
		KUNIT_EXPECT_STREQ(test, nvfifo_semaphore_error_name(n),
				   n < ARRAY_SIZE(semaphore) ? semaphore[n] : "UNKNOWN");
}

static void cache_error_oracle(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(cache_error_rows); i++) {
		u32 entry = (cache_error_rows[i].get & 0x7fc) >> 2;
		u32 w = cache_error_rows[i].word;

		KUNIT_EXPECT_EQ_MSG(test, NV_REG_AT(NV_CACHE1_CACHE_MTHD, entry),
				    cache_error_rows[i].reg, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, NV_REG_AT(NV_CACHE1_CACHE_DATA, entry),
				    cache_error_rows[i].reg + 4, "row %d", i);
		KUNIT_EXPECT_EQ(test, NV_FLD_GET(NV_CACHE1_CACHE_MTHD__METHOD, w) << 2,
				cache_error_rows[i].method);
		KUNIT_EXPECT_EQ(test, NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, w),
				cache_error_rows[i].subc);
		KUNIT_EXPECT_STREQ(test, nvfifo_cache_error_name(cache_error_rows[i].pull0),
				   cache_error_rows[i].pull0 & 0x10 ? "HASH_FAILED" : "UNKNOWN");
	}
}

/* Why the puller stopped. HASH_FAILED comes first: without an object no engine counts. */
static void cache_error_names(struct kunit *test)
{
	static const struct {
		u32 pull0;
		const char *name;
	} rows[] = {
		{ 0x00000000, "UNKNOWN" }, { 0x00000001, "UNKNOWN" },
		{ 0x00000010, "HASH_FAILED" }, { 0x00000100, "EMPTY_SUBCHANNEL" },
		{ 0x01000000, "INVALID_ENGINE" }, { 0x01000110, "HASH_FAILED" },
		{ 0x01000100, "INVALID_ENGINE" }, { 0x00000110, "HASH_FAILED" },
		{ 0xfefffeef, "UNKNOWN" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_STREQ(test, nvfifo_cache_error_name(rows[i].pull0), rows[i].name);
}

static struct kunit_case error_cases[] = {
	KUNIT_CASE(dma_state_oracle),
	KUNIT_CASE(dma_state_fields),
	KUNIT_CASE(pusher_error_names),
	KUNIT_CASE(cache_error_oracle),
	KUNIT_CASE(cache_error_names),
	{}
};

static struct kunit_suite error_suite = {
	.name = "nvfifo_error",
	.test_cases = error_cases,
};

kunit_test_suites(&fault_suite, &error_suite);
