// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoding of the card's error registers: fault record, DMA_STATE, PULL0, and the names of codes.
 */
#include <linux/string.h>

#include "nvfifo_test.h"

#include "nvfifo_reg_table.h"

/* --- VM faults ----------------------------------------------------------- */

struct fault_row {
	u16 chipset;
	u32 trap[6];
	u64 address;
	u64 inst;
	u8 write;
	u8 engine;
	u8 client;
	u8 slot;
	u8 reason;
};

static const struct fault_row fault_rows[] = {
#include "data/fault.inc"
};

static const struct {
	enum {
		FAULT_ENGINE,
		FAULT_CLIENT,
		FAULT_REASON,
	} what;
	u32 number;
	const char *name;
} fault_names[] = {
#include "data/fault_names.inc"
};

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
 * Compare a unit's name with nouveau's. nouveau and the hardware documents differ in some names.
 */
static void expect_name(struct kunit *test, const char *ours, const char *theirs)
{
	static const char * const same[][2] = {
		{ "PMPEG", "PMSPPP" }, { "PPPP", "PMSPPP" }, { "PCIPHER", "PCRYPT" },
		{ "PCOPY", "PCE0" }, { "PDAEMON", "PMU" }, { "PVP2", "PVP" },
		{ "PAGE_SUPERVISOR_ONLY", "PAGE_SYSTEM_ONLY" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		if (!strcmp(ours, same[i][0]) && !strcmp(theirs, same[i][1]))
			return;

	KUNIT_EXPECT_STREQ(test, ours, theirs);
}

static void fault_names_oracle(struct kunit *test)
{
	const char *name;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(fault_names); i++) {
		n = fault_names[i].number;
		if (fault_names[i].what == FAULT_ENGINE)
			name = nvfifo_fault_engine(0, n);
		else if (fault_names[i].what == FAULT_CLIENT)
			name = nvfifo_fault_client(0, n);
		else
			name = nvfifo_fault_reason_name(n);

		expect_name(test, name, fault_names[i].name);
	}
}

/* A number without a name is safe to ask for. */
static void fault_reasons(struct kunit *test)
{
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
	unsigned int n;

	for (n = 0; n < 0x100; n++) {
		const char *want = n < ARRAY_SIZE(reasons) ? reasons[n] : NULL;

		if (!want)
			want = "UNKNOWN";
		KUNIT_EXPECT_STREQ(test, nvfifo_fault_reason_name(n), want);
	}
}

/* One chip of each generation of video units: VP1, VP2, VP3, VP4 and MCP89 */
static const u32 fault_chipsets[] = { 0x50, 0x84, 0xaa, 0xa3, 0xaf };

/* Names of the numbers that mean other units on other chips; NULL where there is no unit */
static void fault_units_by_chip(struct kunit *test)
{
	static const struct {
		unsigned int number;
		const char *names[ARRAY_SIZE(fault_chipsets)];
	} engines[] = {
		{ 0x0, { "PGRAPH", "PGRAPH", "PGRAPH", "PGRAPH", "PGRAPH" } },
		{ 0x1, { "PVP1", "PVP2", "PPDEC", "PPDEC", "PPDEC" } },
		{ 0x2, { "", "", "", "", "" } },
		{ 0x5, { "PFIFO", "PFIFO", "PFIFO", "PFIFO", "PFIFO" } },
		{ 0x7, { "PME", "", "", "", "PVCOMP" } },
		{ 0x8, { "PMPEG", "PMPEG", "PPPP", "PPPP", "PPPP" } },
		{ 0x9, { "", "PBSP", "PVLD", "PVLD", "PVLD" } },
		{ 0xa, { "", "PCIPHER", "PSEC", "", "" } },
		{ 0xb, { "", "PCOUNTER", "PCOUNTER", "PCOUNTER", "PCOUNTER" } },
		{ 0xc, { "", "SEMAPHORE_BG", "SEMAPHORE_BG", "SEMAPHORE_BG", "SEMAPHORE_BG" } },
		{ 0xd, { "", "", "", "PCOPY", "PCOPY" } },
		{ 0xe, { "", "", "", "PDAEMON", "PDAEMON" } },
		{ 0xff, { "", "", "", "", "" } },
	}, clients[] = {
		{ 0x04, { "PFIFO_WRITE", "PFIFO_WRITE", "PFIFO_WRITE", "PFIFO_WRITE",
			  "PFIFO_WRITE" } },
		{ 0x06, { "PVPE", "PVPE", "PPPP", "PPPP", "PPPP" } },
		{ 0x0c, { "", "PVP2", "PPDEC", "PPDEC", "PPDEC" } },
		{ 0x0d, { "", "PBSP", "PVLD", "PVLD", "PVLD" } },
		{ 0x0e, { "", "PCIPHER", "PSEC", "", "" } },
		{ 0x0f, { "", "PCOUNTER", "PCOUNTER", "PCOUNTER", "PCOUNTER" } },
		{ 0x11, { "", "", "", "PDAEMON", "PDAEMON" } },
		{ 0x13, { "", "", "", "PCOPY", "PCOPY" } },
		{ 0x14, { "", "", "", "", "PVCOMP" } },
		{ 0xff, { "", "", "", "", "" } },
	};
	int i, chip;

	for (chip = 0; chip < ARRAY_SIZE(fault_chipsets); chip++) {
		for (i = 0; i < ARRAY_SIZE(engines); i++)
			KUNIT_EXPECT_STREQ_MSG(test, nvfifo_fault_engine(fault_chipsets[chip],
									 engines[i].number),
					       engines[i].names[chip], "engine %x, chipset %x",
					       engines[i].number, fault_chipsets[chip]);
		for (i = 0; i < ARRAY_SIZE(clients); i++)
			KUNIT_EXPECT_STREQ_MSG(test, nvfifo_fault_client(fault_chipsets[chip],
									 clients[i].number),
					       clients[i].names[chip], "client %x, chipset %x",
					       clients[i].number, fault_chipsets[chip]);
	}
}

/*
 * How many slots of each engine and client have a name, from the list in envytools'
 * docs/hw/memory/g80-vm.rst, and the first and the last of them.
 */
static void fault_slots_by_chip(struct kunit *test)
{
	static const struct {
		u32 chipset;
		unsigned int engine, client, first, last;
		const char *first_name, *last_name;
	} rows[] = {
		{ 0x84, 0x0, 0x03, 0, 6, "GRCTX", "M2M_NOTIFY" },
		{ 0x84, 0x0, 0x0b, 0, 12, "RT0", "DST2D" },
		{ 0x84, 0x4, 0x04, 0, 0, "PEEPHOLE", "PEEPHOLE" },
		{ 0x84, 0x4, 0x08, 0, 0, "PEEPHOLE", "PEEPHOLE" },
		{ 0x84, 0x5, 0x08, 0, 1, "PUSHBUF", "SEMAPHORE" },
		{ 0x84, 0x6, 0x04, 0, 1, "BAR1", "BAR3" },
		{ 0x84, 0xc, 0x08, 0, 1, "PUSHBUF", "SEMAPHORE" },
		{ 0x50, 0x1, 0x06, 8, 8, "CONTEXT", "CONTEXT" },
		{ 0x50, 0x7, 0x06, 4, 4, "CONTEXT", "CONTEXT" },
		{ 0x50, 0x8, 0x06, 1, 4, "CMD", "CONTEXT" },
		{ 0x84, 0x8, 0x06, 1, 5, "CMD", "QUERY" },
		{ 0xa0, 0xb, 0x0f, 0, 0, "RECORD", "RECORD" },
		{ 0xa0, 0x1, 0x0c, 0, 15, "PORT0", "PORTF" },
		{ 0xa0, 0x9, 0x0d, 0, 15, "PORT0", "PORTF" },
		{ 0xa0, 0xa, 0x0e, 0, 3, "CONTEXT", "QUERY" },
		{ 0x98, 0x1, 0x0c, 0, 7, "PORT0", "PORT7" },
		{ 0x98, 0x8, 0x06, 0, 7, "PORT0", "PORT7" },
		{ 0x98, 0x9, 0x0d, 0, 7, "PORT0", "PORT7" },
		{ 0x98, 0xa, 0x0e, 0, 7, "PORT0", "PORT7" },
		{ 0xa5, 0xd, 0x13, 0, 7, "PORT0", "PORT7" },
		{ 0xa5, 0xe, 0x11, 0, 7, "PORT0", "PORT7" },
		{ 0xaf, 0x7, 0x14, 0, 7, "PORT0", "PORT7" },
		/* not there */
		{ 0x50, 0xb, 0x0f, 1, 0 },
		{ 0xa3, 0xa, 0x0e, 1, 0 },
		{ 0xa3, 0x7, 0x14, 1, 0 },
		{ 0x84, 0x2, 0x03, 1, 0 },
	};
	unsigned int slot;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (slot = 0; slot < 0x100; slot++) {
			const char *name = nvfifo_fault_slot(rows[i].chipset, rows[i].engine,
							     rows[i].client, slot);
			bool want = slot >= rows[i].first && slot <= rows[i].last;

			KUNIT_EXPECT_EQ_MSG(test, !!*name, want, "row %d slot %x '%s'", i, slot,
					    name);
			if (slot == rows[i].first && want)
				KUNIT_EXPECT_STREQ(test, name, rows[i].first_name);
			if (slot == rows[i].last && want)
				KUNIT_EXPECT_STREQ(test, name, rows[i].last_name);
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
	KUNIT_CASE(fault_reasons),
	KUNIT_CASE(fault_units_by_chip),
	KUNIT_CASE(fault_slots_by_chip),
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

static const struct {
	u32 state;
	const char *error;
} pusher_rows[] = {
#include "data/pusher.inc"
};

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
		/* from bug reports: INVALID_CMD after the last method of a fence */
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

static const struct {
	u32 get;	/* register 0x3270 */
	u32 reg;	/* place of the entry */
	u32 pull0;
	u32 word;	/* its method word */
	u32 subc;
	u32 method;
} cache_error_rows[] = {
#include "data/cache_error.inc"
};

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

/* The puller's reason. HASH_FAILED comes first: without an object the engine has no meaning. */
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

/* --- Names of bits -------------------------------------------------------- */

static void gr_names(struct kunit *test)
{
	static const struct {
		u32 intr, detail;
		const char *text;
	} rows[] = {
		{ 0x00000010, 0, "ILLEGAL_MTHD" },
		{ 0x00000020, 0, "ILLEGAL_CLASS" },
		{ 0x00000040, 0, "DOUBLE_NOTIFY" },
		{ 0x00001000, 0, "CONTEXT_SWITCH" },
		{ 0x01000000, 0, "SINGLE_STEP" },
		{ 0x00100000, 0x0d, "DATA_ERROR: BEGIN_END_ACTIVE" },
		{ 0x00200000, 0x002, "TRAP: M2MF" },
		{ 0x00200000, 0x181, "TRAP: DISPATCH MP PROP" },
		{ 0x00200000, 0x200, "TRAP: UNKNOWN" },
		{ 0x00300001, 0x100, "NOTIFY DATA_ERROR TRAP: PROP" },
		{ 0x00010006, 0, "COMPUTE_QUERY SYNC BUFFER_NOTIFY" },
		{ 0x80000000, 0, "UNKNOWN" },
		{ 0, 0, "" },
	};
	char text[64], tight[8];
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		nvfifo_gr_error_names(rows[i].intr, rows[i].detail, text, sizeof(text));
		KUNIT_EXPECT_STREQ_MSG(test, text, rows[i].text, "row %d", i);
	}

	/* Text that does not fit is cut, and ends with a NUL. */
	nvfifo_gr_error_names(0x00200000, 0x181, tight, sizeof(tight));
	KUNIT_EXPECT_STREQ(test, tight, "TRAP: D");
	nvfifo_bits_names(~0u, nvfifo_gr_trap_name, tight, 1);
	KUNIT_EXPECT_STREQ(test, tight, "");
}

/* Names as rnndb and the tools have them. */
static struct kunit_case error_cases[] = {
	KUNIT_CASE(dma_state_oracle),
	KUNIT_CASE(dma_state_fields),
	KUNIT_CASE(pusher_error_names),
	KUNIT_CASE(cache_error_oracle),
	KUNIT_CASE(cache_error_names),
	KUNIT_CASE(gr_names),
	{}
};

static struct kunit_suite error_suite = {
	.name = "nvfifo_error",
	.test_cases = error_cases,
};

kunit_test_suites(&fault_suite, &error_suite);
