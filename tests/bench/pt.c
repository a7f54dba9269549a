// SPDX-License-Identifier: MIT
/*
 * Benchmark of page table entries: the cost of a write in nouveau and in nvfifo, in user
 * space on the same memory. It needs no card and no guest; pt.sh builds it.
 *
 *	pt [rounds]		default 41
 *
 * Both drivers map and unmap 1 GiB, in two tables of 512 MiB each. The program first counts
 * accesses and compares the written entries. Then rounds alternate between the two drivers,
 * and the medians are printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "median.h"
#include "pt.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define ROUNDS_MAX	1001
#define SPACE		(1ull << 30)
#define REGION		(1ull << 29)
#define REGIONS		(SPACE / REGION)
#define TABLE_BYTES	(REGION / 4096 * 8)
#define CONTIG_MASK	(7ull << 7)
#define ADDRESS_MASK	0xfffffff000ull

enum { NOUVEAU, NVFIFO, DRIVERS };
enum { MAP, UNMAP, ACTIONS };

static const struct pt_driver *const drivers[DRIVERS] = { &pt_nouveau, &pt_nvfifo };

static const struct kind {
	const char *name;
	enum pt_memory memory;
	unsigned int shift;
	bool blocks_differ;
} kinds[] = {
	{ "4 KiB pages, VRAM in one piece", PT_VRAM, 12, false },
	{ "64 KiB pages, VRAM in one piece", PT_VRAM, 16, false },
	{ "4 KiB pages, system memory in one piece", PT_SYSTEM, 12, true },
	{ "4 KiB pages, system memory in 64 KiB pieces", PT_SYSTEM_64K, 12, false },
	{ "4 KiB pages, system memory page by page", PT_SYSTEM_4K, 12, false },
};

static const struct {
	const char *name;
	uint64_t bytes;
} sizes[] = { { "1 MiB", 1ull << 20 }, { "64 MiB", 64ull << 20 }, { "1 GiB", 1ull << 30 } };

static uint64_t *tables[DRIVERS][REGIONS];
static uint64_t *dma;
static struct scatterlist *sgl;
static double samples[DRIVERS][ACTIONS][ROUNDS_MAX];
static unsigned int rounds = 41;

static void *memory(size_t bytes)
{
	void *p = aligned_alloc(1 << 21, (bytes + (1 << 21) - 1) & ~(size_t)((1 << 21) - 1));

	if (!p) {
		fprintf(stderr, "pt: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	memset(p, 0, bytes);
	return p;
}

/* Address of a page of the memory. Scattered memory has its pages in random order. */
static uint64_t address_of(const struct kind *k, uint64_t page)
{
	const uint64_t pages = SPACE >> k->shift, base = 1ull << 32;
	uint64_t piece;

	switch (k->memory) {
	case PT_SYSTEM_4K:
		page = page * 0x2545f491 % pages;
		break;
	case PT_SYSTEM_64K:
		piece = page / 16 * 0x2545f491 % (pages / 16);
		page = piece * 16 + page % 16;
		break;
	default:
		break;
	}
	return base + (page << k->shift);
}

static void make_source(const struct kind *k)
{
	const unsigned int pages = k->memory == PT_SYSTEM_64K ? 16 : 1;
	uint64_t i;

	for (i = 0; i < SPACE >> k->shift; i++)
		dma[i] = address_of(k, i);
	for (i = 0; i < (SPACE >> k->shift) / pages; i++) {
		sgl[i].dma_address = dma[i * pages];
		sgl[i].dma_length = pages << k->shift;
	}
}

static struct pt_source source(const struct kind *k, uint64_t page)
{
	struct pt_source s = { .memory = k->memory, .address = dma[page], .dma = dma + page };

	if (k->memory == PT_SYSTEM_64K)
		s.sgl = sgl + page / 16;
	else if (k->memory == PT_SYSTEM_4K)
		s.sgl = sgl + page;
	return s;
}

/* Map the whole space, @bytes a call. A call that is larger than a table continues in the next. */
static void map(int driver, const struct kind *k, uint64_t bytes, bool counted)
{
	const uint64_t step = bytes < REGION ? bytes : REGION;
	uint64_t at;

	for (at = 0; at < SPACE; at += step) {
		struct pt_source s = source(k, at >> k->shift);

		drivers[driver]->map(tables[driver][at / REGION], k->shift,
				     (uint32_t)(at % REGION >> k->shift),
				     (uint32_t)(step >> k->shift), &s, counted);
	}
}

static void unmap(int driver, const struct kind *k, uint64_t bytes, bool counted)
{
	const uint64_t step = bytes < REGION ? bytes : REGION;
	uint64_t at;

	for (at = 0; at < SPACE; at += step)
		drivers[driver]->unmap(tables[driver][at / REGION], k->shift,
				       (uint32_t)(at % REGION >> k->shift),
				       (uint32_t)(step >> k->shift), counted);
}

/* nouveau does not always make blocks, so compare the pages, not the entries. */
static bool same(const struct kind *k, uint64_t blocks[DRIVERS])
{
	const uint32_t count = (uint32_t)(REGION >> k->shift);
	unsigned int r;
	uint32_t i;

	for (r = 0; r < REGIONS; r++) {
		for (i = 0; i < count; i++) {
			uint64_t a = tables[NOUVEAU][r][i], b = tables[NVFIFO][r][i];
			uint64_t page = pt_page(tables[NVFIFO][r], k->shift, i);

			blocks[NOUVEAU] += !!(a & CONTIG_MASK);
			blocks[NVFIFO] += !!(b & CONTIG_MASK);
			if ((page & ADDRESS_MASK) == dma[(uint64_t)r * count + i] &&
			    (k->blocks_differ ? page == pt_page(tables[NOUVEAU][r], k->shift, i) :
						a == b))
				continue;
			printf("  PTE %u of table %u: nouveau %016" PRIx64 ", nvfifo %016" PRIx64
			       ", wanted address %010" PRIx64 "\n",
			       i, r, a, b, dma[(uint64_t)r * count + i]);
			return false;
		}
	}
	return true;
}

static bool empty(void)
{
	unsigned int r;
	uint64_t i;
	int d;

	for (d = 0; d < DRIVERS; d++)
		for (r = 0; r < REGIONS; r++)
			for (i = 0; i < TABLE_BYTES / 8; i++)
				if (tables[d][r][i])
					return false;
	return true;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(const struct kind *k, uint64_t bytes)
{
	unsigned int round, i;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < DRIVERS; i++) {
			/* The order of the drivers alternates as well. */
			int d = (int)((i + round) % DRIVERS);
			double start = now_ns(), mapped;

			map(d, k, bytes, false);
			mapped = now_ns();
			unmap(d, k, bytes, false);
			samples[d][MAP][round] = mapped - start;
			samples[d][UNMAP][round] = now_ns() - mapped;
		}
	}
}

static void print_row(const char *size, const char *action, double ptes,
		      const double ns[DRIVERS], const struct pt_counts counts[DRIVERS])
{
	int d;

	printf("  %-7s%-6s", size, action);
	for (d = 0; d < DRIVERS; d++) {
		const struct pt_counts *c = &counts[d];

		printf("|%7.2f %6.0f %5.1f ", ns[d] / ptes, 1e3 * ptes / ns[d],
		       (double)(c->store_bytes + c->filled) / ptes);
		if (c->filled)
			printf("%6s ", "memset");
		else
			printf("%6.2f ", (double)c->stores / ptes);
	}
	printf("|%7.2f\n", ns[NOUVEAU] / ns[NVFIFO]);
}

static bool bench(const struct kind *k)
{
	static const char *const actions[ACTIONS] = { "map", "unmap" };
	struct pt_counts counts[ARRAY_SIZE(sizes)][ACTIONS][DRIVERS];
	const uint64_t ptes = SPACE >> k->shift;
	uint64_t blocks[DRIVERS];
	unsigned int i;
	int a, d;

	make_source(k);
	printf("\n%s\n", k->name);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(blocks, 0, sizeof(blocks));
		for (d = 0; d < DRIVERS; d++) {
			map(d, k, sizes[i].bytes, true);
			counts[i][MAP][d] = drivers[d]->counts();
		}
		if (!same(k, blocks)) {
			printf("  The tables are not the same.\n");
			return false;
		}
		for (d = 0; d < DRIVERS; d++) {
			unmap(d, k, sizes[i].bytes, true);
			counts[i][UNMAP][d] = drivers[d]->counts();
		}
		if (!empty()) {
			printf("  The tables are not empty after all was unmapped.\n");
			return false;
		}
	}
	if (k->blocks_differ)
		printf("  Same pages; in contig blocks: nouveau's PTEs %.0f %%, nvfifo's %.0f %%.\n",
		       100.0 * (double)blocks[NOUVEAU] / (double)ptes,
		       100.0 * (double)blocks[NVFIFO] / (double)ptes);
	else
		printf("  Same PTEs, bit for bit; %.0f %% in contig blocks.\n",
		       100.0 * (double)blocks[NVFIFO] / (double)ptes);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		double ns[DRIVERS];

		measure(k, sizes[i].bytes);
		for (a = 0; a < ACTIONS; a++) {
			for (d = 0; d < DRIVERS; d++)
				ns[d] = median(samples[d][a], rounds);
			print_row(sizes[i].name, actions[a], (double)ptes, ns, counts[i][a]);
		}
	}
	return true;
}

/* Accesses of the card by a call of nouveau beside its stores, from nouveau's code. */
static void print_flushes(void)
{
	const struct kind *k = &kinds[0];
	uint32_t reads, writes;
	struct pt_counts c;

	make_source(k);
	map(NOUVEAU, k, SPACE, true);
	c = pt_nouveau.counts();
	pt_nouveau_flush(&reads, &writes);
	printf("\nnouveau's page tables are VRAM behind BAR3 (write-combined): each of its stores and\n"
	       "cleared bytes crosses the bus. That is not in the times above. Nor are its waits:\n"
	       "%" PRIu64 " BAR flushes for a call of 1 GiB, one for each table, a register write and at least\n"
	       "one read each; then %u write and at least %u read for the TLB of each engine of the\n"
	       "channel that it knows (PGRAPH here; PFIFO's own is not flushed). nvfifo's are memory\n"
	       "that the CPU caches, as here, and need no BAR flush; `make bench` counts its flushes.\n",
	       c.released, writes, reads);
}

int main(int argc, char **argv)
{
	unsigned int i, r;

	if (argc > 1) {
		rounds = (unsigned int)strtoul(argv[1], NULL, 10);
		if (!rounds || rounds > ROUNDS_MAX) {
			fprintf(stderr, "pt: rounds '%s': not a number from 1 to %d\n", argv[1],
				ROUNDS_MAX);
			return 2;
		}
	}
	dma = memory(SPACE / 4096 * sizeof(*dma));
	sgl = memory(SPACE / 4096 * sizeof(*sgl));
	for (i = 0; i < DRIVERS; i++)
		for (r = 0; r < REGIONS; r++)
			tables[i][r] = memory(TABLE_BYTES);

	printf("Writing page tables: nouveau's code and nvfifo's, same compiler, options and memory;\n"
	       "medians of %u rounds in turns; a round maps 1 GiB in calls of the size in front, and\n"
	       "unmaps it.\n\n"
	       "                      nouveau                      nvfifo             nouveau/\n"
	       "               ns/PTE M PTE/s bytes stores  ns/PTE M PTE/s bytes stores nvfifo\n",
	       rounds);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!bench(&kinds[i]))
			return 1;
	print_flushes();
	return 0;
}
