// SPDX-License-Identifier: MIT
/*
 * Compute: blocks with shared memory and barriers, parameters, global memory, wrong launches,
 * memory of an MP that the last grid has written, random programs. Instructions are encoded as
 * envytools' disassembler describes them; methods have the order of its hwtest, which launches blocks
 * on cards.
 */
#include "../core/gr3d/gr3d.h"
#include "../core/number.h"
#include "../core/store.h"
#include "rig_pgraph.h"

#define SUBC_COMPUTE	1
#define CODE		0x30000u

/*
 * Each thread puts its number plus a parameter into shared memory, and waits for all. Then it writes
 * another thread's value to global memory, in reverse order.
 */
static const uint32_t reverse[] = {
	0x30020005, 0xc4100780,	/* shl b32 $r1 $r0 2 */
	0x00000205, 0xc0000780,	/* shl $a1 $r1 0 */
	0x2000c809, 0x04200780,	/* add b32 $r2 s[0x10] $r0 */
	0x04002001, 0xe4208780,	/* st b32 s[$a1+0x40] $r2 */
	0x861ffe03, 0x00000000,	/* bar sync 0 */
	0x103f800d, 0x00000003,	/* mov b32 $r3 63 */
	0x2040060d, 0x04000780,	/* sub b32 $r3 $r3 $r0 */
	0x3002060d, 0xc4100780,	/* shl b32 $r3 $r3 2 */
	0x00000605, 0xc0000780,	/* shl $a1 $r3 0 */
	0x1400e011, 0x0423c780,	/* mov b32 $r4 s[$a1+0x40] */
	0x1000c615, 0x0423c780,	/* mov b32 $r5 s[0xc]: the block's number in x, and in y */
	0x30080a15, 0xc4100780,	/* shl b32 $r5 $r5 8 */
	0x20000205, 0x04014780,	/* add b32 $r1 $r1 $r5 */
	0xd0000211, 0xa0c00780,	/* st b32 g0[$r1] $r4 */
	0xf0000001, 0xe0000781,	/* exit nop */
};

/* Counts threads; keeps the largest number; gives each one a number of its own. */
static const uint32_t atomics[] = {
	0x10008019, 0x00000003,	/* mov b32 $r6 0 */
	0x1001801d, 0x00000003,	/* mov b32 $r7 1 */
	0xd0010c1d, 0xc0c00780,	/* red add u32 g1[$r6] $r7 */
	0x10048021, 0x00000003,	/* mov b32 $r8 4 */
	0xd0011001, 0xc0c00798,	/* red max u32 g1[$r8] $r0 */
	0x10088025, 0x00000003,	/* mov b32 $r9 8 */
	0xd0871229, 0xe0c00780,	/* ld add u32 $r10 g1[$r9] $r7 */
	0x30021429, 0xc4100780,	/* shl b32 $r10 $r10 2 */
	0xd000142d, 0x80c00780,	/* ld b32 $r11 g0[$r10] */
	0x2000162d, 0x0401c780,	/* add b32 $r11 $r11 $r7 */
	0xd000142d, 0xa0c00780,	/* st b32 g0[$r10] $r11 */
	0xf0000001, 0xe0000781,	/* exit nop */
};

/*
 * Each thread adds its number to a word of shared memory, which it locks. A thread without the lock
 * tries again after the one that has it.
 */
static const uint32_t locks[] = {
	0x10002005, 0x4480c7c0,	/* 00: ld lock b32 $r1 $c0 s[0x40] */
	0x10003003, 0x00000080,	/* 08: $c0 lt bra 18 */
	0x10005003, 0x00000780,	/* 10: bra 28 */
	0x20000205, 0x04000780,	/* 18: add b32 $r1 $r1 $r0 */
	0x00002001, 0xe4a04780,	/* 20: st unlock b32 s[0x40] $r1 */
	0x10000003, 0x00000700,	/* 28: $c0 not lt bra 0 */
	0x861ffe03, 0x00000000,	/* 30: bar sync 0 */
	0x10002011, 0x4400c780,	/* 38: mov b32 $r4 s[0x40] */
	0x30020005, 0xc4100780,	/* 40: shl b32 $r1 $r0 2 */
	0xd0000211, 0xa0c00780,	/* 48: st b32 g0[$r1] $r4 */
	0xf0000001, 0xe0000781,	/* 50: exit nop */
};

/* Four words of each of 16 lines, 32 bytes apart */
static const uint32_t to_tiles[] = {
	0xd0030005, 0x00000003,	/* and b32 $r1 $r0 3 */
	0x30050205, 0xc4100780,	/* shl b32 $r1 $r1 5 */
	0x30020009, 0xe4100780,	/* shr u32 $r2 $r0 2 */
	0x30100409, 0xc4100780,	/* shl b32 $r2 $r2 16 */
	0x20000205, 0x04008780,	/* add b32 $r1 $r1 $r2 */
	0xd0000201, 0xa0c00780,	/* st b32 g0[$r1] $r0 */
	0xf0000001, 0xe0000781,	/* exit nop */
};

/*
 * nvcc's code for out[blockIdx.x * blockDim.x + threadIdx.x] = a[i] + b[i] of floats, with a check of
 * the length. On a GT218 it gave 0, 11, 22 and 33 for 0 to 3 and their tens (github.com/allbilly/nvgpu,
 * examples_en210/add_sass.bin, 36bb42e).
 */
static const uint32_t vector_add[] = {
	0x10000c05, 0x40004780, 0xa0000005, 0x04000780, 0x41012200, 0x20018000,
	0x3000cffd, 0x6420c7c8, 0x30000003, 0x00000680, 0x30020009, 0xc4100780,
	0x2102e800, 0x2102ea0c, 0xd00e0005, 0x80c00780, 0xd00e0601, 0x80c00780,
	0xb0000200, 0x2102ec04, 0xd00e0201, 0xa0c00781,
};

/* Local memory keeps a thread's number until after a barrier. */
static const uint32_t local[] = {
	0xd0000001, 0x60c00780,	/* st b32 l[0] $r0 */
	0x861ffe03, 0x00000000,	/* bar sync 0 */
	0xd0000011, 0x40c00780,	/* ld b32 $r4 l[0] */
	0x30020005, 0xc4100780,	/* shl b32 $r1 $r0 2 */
	0xd0000211, 0xa0c00780,	/* st b32 g0[$r1] $r4 */
	0xf0000001, 0xe0000781,	/* exit nop */
};

/*
 * Threads below 40 say yes: all of the first warp, eight of the second one. The last vote is of those
 * that said yes.
 */
static const uint32_t votes[] = {
	0x10288005, 0x00000003,	/* 00: mov b32 $r1 40 */
	0x2040000d, 0x040047c0,	/* 08: sub b32 $c0 $r3 $r0 $r1 */
	0x10008011, 0x00000003,	/* 10: mov b32 $r4 0 */
	0x10018015, 0x00000003,	/* 18: mov b32 $r5 1 */
	0x10028019, 0x00000003,	/* 20: mov b32 $r6 2 */
	0x1004801d, 0x00000003,	/* 28: mov b32 $r7 4 */
	0x10000201, 0x600000d0,	/* 30: $c0 lt vote any $c1 */
	0x10000401, 0x600000e0,	/* 38: $c0 lt vote all $c2 */
	0x20000811, 0x04015680,	/* 40: $c1 ne add b32 $r4 $r4 $r5 */
	0x20000811, 0x0401a680,	/* 48: $c2 ne add b32 $r4 $r4 $r6 */
	0x1000d003, 0x00000700,	/* 50: $c0 not lt bra 68 */
	0x10000401, 0x600000f0,	/* 58: $c0 lt vote all $c3 */
	0x20000811, 0x0401f680,	/* 60: $c3 ne add b32 $r4 $r4 $r7 */
	0x30020005, 0xc4100780,	/* 68: shl b32 $r1 $r0 2 */
	0xd0000211, 0xa0c00780,	/* 70: st b32 g0[$r1] $r4 */
	0xf0000001, 0xe0000781,	/* 78: exit nop */
};

/*
 * Two kernels that copy from g0[] to g1[] in the short forms and the 16-bit products that nvcc writes.
 * In the first one the threads of all blocks take the words in turn. In that at COPY_PART each block
 * takes a part of its own, whose length is s[0x14].
 */
static const uint32_t copy[] = {
	0x11002220,		/* 00: mov b16 $r4l u16 s[0x2] */
	0x61082c00,		/* 04: add $r0 mul u16 u16 s[0xc] $r4l $r0 */
	0x10006003, 0x00000780,	/* 08: bra 30 */
	0x30020015, 0xc4100780,	/* 10: shl b32 $r5 $r0 2 */
	0xd0000a19, 0x80c00780,	/* 18: ld b32 $r6 g0[$r5] */
	0xd0010a19, 0xa0c00780,	/* 20: st b32 g1[$r5] $r6 */
	0x60084801, 0x00200780,	/* 28: add $r0 mul u16 u16 s[0x8] $r4l $r0 */
	0x3000c9fd, 0x642107c8,	/* 30: set gt u32 $c0 # b32 s[0x10] $r0 */
	0x10002003, 0x00000280,	/* 38: lg $c0 bra 10 */
	0x30000003, 0x00000780,	/* 40: ret */

	0x1100ea10,		/* 48: mov b32 $r4 b32 s[0x14] */
	0x41082c14,		/* 4c: mul $r5 u16 u16 s[0xc] u16 $r4l */
	0x41092c18,		/* 50: mul $r6 u16 u16 s[0xc] u16 $r4h */
	0x200c162c,		/* 54: add b16 $r5h $r5h $r6l */
	0x20000819, 0x04014780,	/* 58: add b32 $r6 $r4 $r5 */
	0x3006c819, 0xa4200780,	/* 60: min u32 $r6 b32 s[0x10] $r6 */
	0x10012003, 0x00000780,	/* 68: bra 90 */
	0x30020a1d, 0xc4100780,	/* 70: shl b32 $r7 $r5 2 */
	0xd0000e21, 0x80c00780,	/* 78: ld b32 $r8 g0[$r7] */
	0xd0010e21, 0xa0c00780,	/* 80: st b32 g1[$r7] $r8 */
	0x20018a15, 0x00000003,	/* 88: add b32 $r5 $r5 1 */
	0x30060bfd, 0x640047c8,	/* 90: set lt u32 $c0 # $r5 $r6 */
	0x1000e003, 0x00000280,	/* 98: lg $c0 bra 70 */
	0x30000003, 0x00000780,	/* a0: ret */
};

#define COPY_PART	0x48

/* Each thread copies a word of shared memory and $r2, which it has not written, to global memory. */
static const uint32_t remains[] = {
	0x30020005, 0xc4100780,	/* shl b32 $r1 $r0 2 */
	0x00000205, 0xc0000780,	/* shl $a1 $r1 0 */
	0x1400e011, 0x0423c780,	/* mov b32 $r4 s[$a1+0x40] */
	0xd0000211, 0xa0c00780,	/* st b32 g0[$r1] $r4 */
	0xd0010209, 0xa0c00780,	/* st b32 g1[$r1] $r2 */
	0xf0000001, 0xe0000781,	/* exit nop */
};

/* Each thread writes the place where it runs. */
static const uint32_t physid[] = {
	0x30020005, 0xc4100780,	/* shl b32 $r1 $r0 2 */
	0x00000011, 0x60000780,	/* mov b32 $r4 $physid */
	0xd0000211, 0xa0c00780,	/* st b32 g0[$r1] $r4 */
	0xf0000001, 0xe0000781,	/* exit nop */
};

static const uint32_t endless[] = {
	0x10000003, 0x00000780,	/* bra 0 */
};

/* g0[] and g1[] are 1 KiB each. */
static void prepare_channel(struct rig *r, unsigned int n)
{
	uint32_t i;

	submit(r, n, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1a0, 1), H_VM,
	       M(SUBC_COMPUTE, 0x1c0, 1), H_VM, M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE,
	       M(SUBC_COMPUTE, 0x2b8, 1), 1, M(SUBC_COMPUTE, 0x384, 1), 0x100,
	       M(SUBC_COMPUTE, 0x1b8, 1), H_VM, M(SUBC_COMPUTE, 0x294, 3), 0, VA_MEM, 3,
	       M(SUBC_COMPUTE, 0x1bc, 1), H_VM, M(SUBC_COMPUTE, 0x218, 3), 0, VA_MEM, 4);
	for (i = 0; i < 2; i++)
		submit(r, n, M(SUBC_COMPUTE, 0x400 + 32 * i, 5), 0, VA_MEM + 0x1000 * i, 0, 0x3ff, 1);
	run(r);
	r->push_at[n] = 0;
}

static struct rig *prepared(const char *chip, const uint32_t *code, size_t size)
{
	struct rig *r = ready(chip);

	fill_memory_below(r, 0x4000);
	nvsim_vram_write(r->sim, VRAM_MEM + CODE, code, size);
	prepare_channel(r, 1);

	return r;
}

/* @blocks of 64 threads, then a mark that channel @n has gone on */
static void launch_on(struct rig *r, unsigned int n, uint32_t blocks, uint32_t threads, uint32_t mark)
{
	r->push_at[n] = 0;
	submit(r, n, M(SUBC_COMPUTE, 0x3a8, 3), 0x140, 64 | 1 << 16, 1, M(SUBC_COMPUTE, 0x2b4, 1),
	       1u << 16 | threads, M(SUBC_COMPUTE, 0x2f8, 1), 1, M(SUBC_COMPUTE, 0x388, 1), 0,
	       M(SUBC_COMPUTE, 0x3a4, 1), blocks | 1 << 16, M(SUBC_COMPUTE, 0x374, 1), 1 << 8,
	       M(SUBC_COMPUTE, 0x600, 1), 1000, M(SUBC_COMPUTE, 0x368, 1), 0, M(0, 0x50, 1), mark);
	run(r);
}

static void launch(struct rig *r, uint32_t blocks, uint32_t threads, uint32_t mark)
{
	launch_on(r, 1, blocks, threads, mark);
}

static void test_blocks(const char *chip)
{
	struct rig *r = prepared(chip, reverse, sizeof(reverse));
	uint32_t i;
	bool ok = true;

	launch(r, 3, 64, 1);
	for (i = 0; i < 3 * 64; i++)
		ok &= peek(r, VRAM_MEM + 4 * i) == 1000 + 63 - i % 64;
	tap(ok && peek(r, VRAM_MEM + 4 * i) == 0 && ref(r, 1) == 1 && clean(r),
	    "%s: shared memory, a barrier, parameters, three blocks", chip);

	fill_memory_below(r, 0x4000);
	submit(r, 1, M(SUBC_COMPUTE, 0x384, 1), 0);
	run(r);
	launch(r, 3, 64, 2);
	tap(peek(r, VRAM_MEM) == 1063 && peek(r, VRAM_MEM + 256) == 0 && clean(r),
	    "%s: the first block alone", chip);
	fill_memory_below(r, 0x4000);
	launch(r, 1, 32, 3);
	tap(peek(r, VRAM_MEM) == 0 && peek(r, VRAM_MEM + 4 * 31) == 0 && ref(r, 1) == 3 && clean(r),
	    "%s: half of the threads, beside which shared memory is 0", chip);
	rig_destroy(r);
}

/* Each thread of channel 1 leaves 1000 plus its number in its MP, and channel 2 reads there. */
static void test_remains(const char *chip)
{
	uint32_t kept, i, in_shared, in_registers;

	for (kept = 0; kept < 2; kept++) {
		struct rig *r = prepared(chip, reverse, sizeof(reverse));

		ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_MP_MEMORY << 8 | kept);
		prepare_channel(r, 2);
		launch(r, 1, 64, 1);
		fill_memory_below(r, 0x4000);
		nvsim_vram_write(r->sim, VRAM_MEM + CODE, remains, sizeof(remains));
		launch_on(r, 2, 1, 64, 2);
		in_shared = 0;
		in_registers = 0;
		for (i = 0; i < 64; i++) {
			in_shared += peek(r, VRAM_MEM + 4 * i) == kept * (1000 + i);
			in_registers += peek(r, VRAM_MEM + 0x1000 + 4 * i) == kept * (1000 + i);
		}

		tap(in_shared == 64 && ref(r, 2) == 2 && clean(r),
		    "%s: mp-memory=%s: another channel's words in shared memory", chip,
		    kept ? "kept" : "cleared");
		tap(in_registers == 64, "%s: mp-memory=%s: another channel's registers", chip,
		    kept ? "kept" : "cleared");
		rig_destroy(r);
	}
}

/* envytools' isa.rst: TP, MP, warp of the MP, thread of the warp */
static void test_physid(const char *chip)
{
	struct rig *r = prepared(chip, physid, sizeof(physid));
	uint32_t first, i, right = 0;

	for (first = 0; first < 2; first++) {
		launch(r, 1, 64, first + 1);
		for (i = 0; i < 64; i++)
			right += peek(r, VRAM_MEM + 4 * i) == (first << 20 | i / 32 << 8 | i % 32);
		/* The second launch is on a card that lacks its first TP. */
		*sim_reg(r->sim, NV_PBUS_HWUNITS_0) &= ~1u;
	}
	tap(right == 128 && ref(r, 1) == 2 && clean(r),
	    "%s: $physid has the first TP that works, two warps and their threads", chip);
	rig_destroy(r);
}

static void test_atomics(const char *chip)
{
	struct rig *r = prepared(chip, atomics, sizeof(atomics));
	uint32_t i;
	bool ok = true;

	launch(r, 2, 64, 1);
	for (i = 0; i < 128; i++)
		ok &= peek(r, VRAM_MEM + 4 * i) == 1;
	if (!strcmp(chip, "g80"))
		tap(peek(r, VRAM_MEM + 0x1000) == 0 && ref(r, 1) == 1 && clean(r),
		    "%s: has no changes of global memory", chip);
	else
		tap(ok && peek(r, VRAM_MEM + 0x1000) == 128 && peek(r, VRAM_MEM + 0x1004) == 63 &&
		    clean(r), "%s: changes of global memory", chip);
	rig_destroy(r);
}

static bool before_g200(const char *chip)
{
	return !strcmp(chip, "g80") || !strcmp(chip, "g96");
}

static void test_locks(const char *chip)
{
	struct rig *r = prepared(chip, locks, sizeof(locks));
	uint32_t i;
	bool ok = true;

	launch(r, 1, 64, 1);
	for (i = 0; i < 64; i++)
		ok &= peek(r, VRAM_MEM + 4 * i) == 64 * 63 / 2;
	if (before_g200(chip))
		tap(!ok && clean(r), "%s: has no locks in shared memory", chip);
	else
		tap(ok && clean(r), "%s: a lock in shared memory lets one thread pass", chip);
	rig_destroy(r);
}

static void test_votes(const char *chip)
{
	struct rig *r = prepared(chip, votes, sizeof(votes));
	uint32_t i, wanted;
	bool ok = true;

	launch(r, 1, 64, 1);
	for (i = 0; i < 64; i++) {
		wanted = i < 32 ? 7 : 1;
		if (i >= 32 && i < 40)
			wanted = 5;
		if (before_g200(chip))
			wanted = 0;
		ok &= peek(r, VRAM_MEM + 4 * i) == wanted;
	}
	tap(ok && ref(r, 1) == 1 && clean(r), before_g200(chip) ?
	    "%s: has no votes" : "%s: votes of a warp's active threads", chip);
	rig_destroy(r);
}

/* Blocks of 64 bytes times 8 lines, two in a row, with rows of 4 lines inside */
static void test_tiled(const char *chip)
{
	struct rig *r = prepared(chip, to_tiles, sizeof(to_tiles));
	uint32_t i, x, y;
	bool ok = true;

	submit(r, 1, M(SUBC_COMPUTE, 0x408, 3), 128 * 8, 15 << 16 | 127, 0x100);
	run(r);
	launch(r, 1, 64, 1);
	for (i = 0; i < 64; i++) {
		x = i % 4 * 32;
		y = i / 4;
		ok &= peek(r, VRAM_MEM + (x / 64 + y / 8 * 2) * 512 + y % 8 * 64 + x % 64) == i;
	}
	tap(ok && clean(r), "%s: a tiled surface as global memory", chip);

	r->push_at[1] = 0;
	submit(r, 1, M(SUBC_COMPUTE, 0x40c, 1), 14 << 16 | 127);
	run(r);
	launch(r, 1, 64, 2);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_TRAP, "%s: which ends at its limit", chip);
	rig_destroy(r);
}

/* nvcc's code reaches all memory by g14[]. */
static void test_vector_add(const char *chip)
{
	struct rig *r = prepared(chip, vector_add, sizeof(vector_add));
	uint32_t i, right = 0, n = 100;
	float a, b;

	for (i = 0; i < n; i++) {
		a = (float)i;
		b = (float)(10 * i);
		nvsim_vram_write(r->sim, VRAM_MEM + 4 * i, &a, 4);
		nvsim_vram_write(r->sim, VRAM_MEM + 0x400 + 4 * i, &b, 4);
	}

	submit(r, 1, M(SUBC_COMPUTE, 0x400 + 32 * 14, 5), 0, 0, 0, ~0u, 1, M(SUBC_COMPUTE, 0x3a8, 3),
	       0x140, 64 | 1 << 16, 1, M(SUBC_COMPUTE, 0x2b4, 1), 1u << 16 | 64,
	       M(SUBC_COMPUTE, 0x2f8, 1), 1, M(SUBC_COMPUTE, 0x388, 1), 0, M(SUBC_COMPUTE, 0x3a4, 1),
	       2 | 1 << 16, M(SUBC_COMPUTE, 0x374, 1), 4 << 8, M(SUBC_COMPUTE, 0x600, 4), VA_MEM,
	       VA_MEM + 0x400, VA_MEM + 0x800, n, M(SUBC_COMPUTE, 0x368, 1), 0);
	run(r);

	for (i = 0; i < n; i++)
		right += sim_bits_to_float(peek(r, VRAM_MEM + 0x800 + 4 * i)) == (float)(11 * i);
	tap(right == n && clean(r), "%s: nvcc's sum of two vectors, in two blocks: %u of %u", chip, right,
	    n);
	rig_destroy(r);
}

/* Launch one of the kernels that copy in a new context; whether it copies @n words and no more. */
static bool copies(const char *chip, uint32_t start, uint32_t n, uint32_t blocks, uint32_t threads)
{
	uint32_t words[0x400], i, right = 0;
	struct rig *r = ready(chip);
	struct nvsim_missing missing;
	bool ok;

	fill_memory_below(r, 0x4000);
	nvsim_vram_write(r->sim, VRAM_MEM + CODE, copy, sizeof(copy));
	for (i = 0; i < 0x400; i++)
		words[i] = 0xc0de0000 + i;
	nvsim_vram_write(r->sim, VRAM_MEM, words, sizeof(words));

	/* As pscnv's mem_test: methods that a new context has values for are left out. */
	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1a0, 1), H_VM,
	       M(SUBC_COMPUTE, 0x1c0, 1), H_VM, M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE,
	       M(SUBC_COMPUTE, 0x400, 5), 0, VA_MEM, 0, 0xfff, 1,
	       M(SUBC_COMPUTE, 0x420, 5), 0, VA_MEM + 0x1000, 0, 0xfff, 1,
	       M(SUBC_COMPUTE, 0x2b4, 1), threads, M(SUBC_COMPUTE, 0x2c0, 1), 9,
	       M(SUBC_COMPUTE, 0x3a4, 5), 1 << 16 | blocks, 0x40, 1 << 16 | threads, 1, start,
	       M(SUBC_COMPUTE, 0x374, 1), 2 << 8,
	       M(SUBC_COMPUTE, 0x600, 2), n, (n + blocks - 1) / blocks,
	       M(SUBC_COMPUTE, 0x2f8, 1), 1, M(SUBC_COMPUTE, 0x368, 1), 0);
	run(r);

	for (i = 0; i < 0x400; i++)
		right += peek(r, VRAM_MEM + 0x1000 + 4 * i) == (i < n ? 0xc0de0000 + i : 0);
	ok = right == 0x400 && !nvsim_get_missing(r->sim, 0, &missing) && clean(r);
	if (!ok)
		printf("# %u of 1024 words are right, INTR %08x\n", right, rd(r, NV_PGRAPH_INTR));
	rig_destroy(r);

	return ok;
}

static void test_copies(const char *chip)
{
	tap(copies(chip, 0, 1001, 3, 128), "%s: three blocks of a new context copy, word by word", chip);
	tap(copies(chip, COPY_PART, 1001, 10, 1), "%s: ten blocks of a new context copy, part by part", chip);
}

static void test_local(const char *chip)
{
	struct rig *r = prepared(chip, local, sizeof(local));
	uint32_t i;
	bool ok = true;

	launch(r, 1, 64, 1);
	for (i = 0; i < 64; i++)
		ok &= peek(r, VRAM_MEM + 4 * i) == i;
	tap(ok && clean(r), "%s: each thread's local memory, beyond a barrier", chip);
	tap(sim_gr3d_state(r->sim)[FP_ADDRESS_LOW / 4] == VA_MEM + CODE,
	    "%s: the place of code is that of fragment programs", chip);
	rig_destroy(r);
}

static void test_wrong_launches(const char *chip)
{
	struct rig *r = prepared(chip, endless, sizeof(endless));
	struct nvsim_missing missing;

	launch(r, 2, 64, 7);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_TRAP &&
	    rd(r, sim_gr_mp(r->sim) + SIM_MP_STATUS) == SIM_MP_TIMEOUT &&
	    rd(r, NV_PGRAPH_TRAPPED_ADDR) == (SUBC_COMPUTE << 16 | 0x368),
	    "%s: the time of a program without end is up", chip);
	tap(nvsim_get_missing(r->sim, 0, &missing) && missing.kind == NVSIM_MISSING_STEPS &&
	    missing.count == 1, "%s: which the model says, as the limit is its own", chip);
	rig_destroy(r);

	r = prepared(chip, reverse, sizeof(reverse));
	launch(r, 1, 65, 8);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_DATA, "%s: more threads than the block has", chip);
	rig_destroy(r);

	r = prepared(chip, reverse, sizeof(reverse));
	submit(r, 1, M(SUBC_COMPUTE, 0x40c, 1), 0xff);
	run(r);
	launch(r, 2, 64, 9);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_TRAP && peek(r, VRAM_MEM) == 1063 &&
	    peek(r, VRAM_MEM + 256) == 0, "%s: global memory ends at its limit", chip);
	rig_destroy(r);

	r = prepared(chip, reverse, sizeof(reverse));
	submit(r, 1, M(SUBC_COMPUTE, 0x404, 1), VA_HOLE + 0x100000);
	run(r);
	launch(r, 1, 64, 9);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_TRAP, "%s: global memory that is not mapped is a trap", chip);
	rig_destroy(r);
}

static void test_wrong_local(const char *chip)
{
	struct rig *r = prepared(chip, local, sizeof(local));
	struct nvsim_missing missing;
	uint32_t tp, access;

	submit(r, 1, M(SUBC_COMPUTE, 0x298, 1), VA_HOLE + 0x100000);
	run(r);
	launch(r, 1, 64, 9);
	tp = sim_gr_first_tp(r->sim);
	access = r->sim->chip < NV_CHIP_G200 ? NV_REG_AT(NV_PGRAPH_G80_PROP_TRAP, tp) :
					       NV_REG_AT(NV_PGRAPH_PROP_TRAP, tp);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_TRAP && fault_is(r, 0xb, 9) &&
	    rd(r, access + 16) == 0x09030000,
	    "%s: local memory that is not mapped is a trap of PROP", chip);
	rig_destroy(r);

	r = prepared(chip, local, sizeof(local));
	submit(r, 1, M(SUBC_COMPUTE, 0x29c, 1), 0);
	run(r);
	launch(r, 1, 64, 9);
	tap(!rd(r, NV_PGRAPH_INTR) && nvsim_get_missing(r->sim, 0, &missing) &&
	    strstr(missing.first, "LOCAL_SIZE_LOG"), "%s: no local memory is not modelled", chip);
	rig_destroy(r);
}

static void test_wrong_special(const char *chip)
{
	static const uint32_t counter[] = {
		0x00000005, 0x60010780,	/* mov b32 $r1 $pm0 */
		0xf0000001, 0xe0000781,	/* exit nop */
	};
	struct rig *r = prepared(chip, counter, sizeof(counter));
	struct nvsim_missing missing;

	launch(r, 1, 64, 9);
	tap(!rd(r, NV_PGRAPH_INTR) && nvsim_get_missing(r->sim, 0, &missing) &&
	    missing.kind == NVSIM_MISSING_INSTRUCTION && strstr(missing.first, "$pm"),
	    "%s: performance counters are not modelled", chip);
	rig_destroy(r);
}

static void test_stack(const char *chip)
{
	static const uint32_t nested[] = {
		0x40000003, 0x780, 0x40000003, 0x780, 0x40000003, 0x780,	/* breakaddr 0, 9 times */
		0x40000003, 0x780, 0x40000003, 0x780, 0x40000003, 0x780,
		0x40000003, 0x780, 0x40000003, 0x780, 0x40000003, 0x780, 0xf0000001, 0xe0000781,
	};
	static const uint32_t limited[] = {
		0x20000003 | 16 / 4 << 11, 0x40,	/* call lim 10 */
		0xf0000001, 0xe0000781,			/* exit nop */
		0x90000003, 0,				/* trap */
	};
	struct rig *r = prepared(chip, nested, sizeof(nested));

	launch(r, 1, 64, 9);
	tap(rd(r, NV_PGRAPH_TRAP) == 1u << 7, "%s: the stack of a kernel has 8 entries", chip);
	rig_destroy(r);

	r = prepared(chip, nested, sizeof(nested));
	submit(r, 1, M(SUBC_COMPUTE, 0x220, 1), 5, M(SUBC_COMPUTE, 0x21c, 1), VA_HOLE);
	run(r);
	launch(r, 1, 64, 9);
	tap(!rd(r, NV_PGRAPH_INTR) && clean(r), "%s: or 16, which are not in memory", chip);
	rig_destroy(r);

	r = prepared(chip, limited, sizeof(limited));
	submit(r, 1, M(SUBC_COMPUTE, 0x224, 1), 2);
	run(r);
	launch(r, 1, 64, 9);
	tap(rd(r, NV_PGRAPH_INTR) & INTR_TRAP, "%s: a limited call of a kernel", chip);
	rig_destroy(r);
}

/*
 * Forms with halves, bytes and addresses that count on, as envydis reads them. Each begins with r1
 * = 0x80ff7f01 and ends with a store of r0 to g0[0].
 */
static const struct {
	const char *what;
	uint32_t result, words[8];
	bool no_g80;		/* which then writes nothing */
} forms[] = {
	{ "ld $r0h u16 s[0xc]", 0x00030000, { 0x10000c05, 0x40004780 }, true },
	{ "mov b16 $r0l u16 s[0x2], the threads in x", 64, { 0x10004201, 0x0023c780 }, false },
	{ "cvt u16 $r0h u16 $r1l", 0x7f010000, { 0xa0000405, 0x00000780 }, false },
	{ "cvt s32 $r0 s8 $r1l", 1, { 0xa0000401, 0x0c018780 }, false },
	{ "cvt s8 $r0 s32 $r1, the nearest", 0xffffff80, { 0xa0000201, 0x0c094780 }, false },
	{ "st b16 s[0x40] $r1h, ld u8 of it", 0xff, {
		0x00004001, 0xe000c780, 0x10008001, 0x44000780 }, true },
	{ "addresses that count on", 0x80ff7f01, {
		0x00002001, 0xe4204780,		/* st b32 s[0x40] $r1 */
		0xd0007805, 0x20000780,		/* add $a1 $a0 0x3c */
		0x1600c201, 0x0423c780,		/* mov b32 $r0 b32 s[$a1++0x4], twice */
		0x1600c201, 0x0423c780,
	}, false },
};

static void test_forms(const char *chip)
{
	static const uint32_t begin[] = { 0x10018005, 0x080ff7f3, 0x10008001, 0x00000003 };
	static const uint32_t end[] = { 0x1000801d, 0x00000003, 0xd0000e01, 0xa0c00780,
					0xf0000001, 0xe0000781 };
	uint32_t code[24], i, n, want;
	struct rig *r;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		want = forms[i].no_g80 && !strcmp(chip, "g80") ? 0 : forms[i].result;
		memcpy(code, begin, sizeof(begin));
		for (n = 4; n < 12 && forms[i].words[n - 4]; n++)
			code[n] = forms[i].words[n - 4];
		memcpy(code + n, end, sizeof(end));
		r = prepared(chip, code, n * 4 + sizeof(end));
		launch(r, 4, 64, 1);
		if (!tap(peek(r, VRAM_MEM) == want && clean(r), "%s: %s", chip, forms[i].what))
			printf("# %08x\n", peek(r, VRAM_MEM));
		rig_destroy(r);
	}
}

static uint32_t chance(void)
{
	static uint32_t x = 77;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Bits of both programs flip, and methods have other values; the model goes on. */
static void test_random_programs(const char *chip)
{
	const uint32_t rounds = rig_rounds(60);
	struct rig *r = NULL;
	uint32_t words[48], i, k, gone_on = 0;

	for (i = 0; i < rounds; i++) {
		if (!r || rd(r, NV_PGRAPH_INTR) || rd(r, NV_PFIFO_INTR)) {
			if (r)
				rig_destroy(r);
			r = prepared(chip, reverse, sizeof(reverse));
		}
		for (k = 0; k < 48; k++)
			words[k] = chance();
		if (chance() & 1)
			memcpy(words, reverse, sizeof(reverse));
		else if (chance() & 1)
			memcpy(words, atomics, sizeof(atomics));
		for (k = chance() % 4; k; k--)
			words[chance() % 24] ^= 1u << chance() % 32;
		nvsim_vram_write(r->sim, VRAM_MEM + CODE, words, sizeof(words));
		r->push_at[1] = 0;
		submit(r, 1, M(SUBC_COMPUTE, 0x200 + chance() % 0x150 * 4, 1), chance() >> chance() % 32,
		       M(SUBC_COMPUTE, 0x3ac, 2), chance() % 70 | (chance() % 9) << 16,
		       1 + chance() % 64, M(SUBC_COMPUTE, 0x2b4, 1), chance() % 530,
		       M(SUBC_COMPUTE, 0x2f8, 1), 1,
		       M(SUBC_COMPUTE, 0x3a4, 1), 0x20002, M(SUBC_COMPUTE, 0x368, 1), 0,
		       M(0, 0x50, 1), i);
		run(r);
		gone_on += ref(r, 1) == i;
	}
	tap(gone_on > rounds / 10, "%s: %u launches of %u with random programs ended without an error", chip,
	    gone_on, rounds);
	rig_destroy(r);
}

/* The size comes with a context image, which the guest may have written. */
static void test_hostile_image(const char *chip)
{
	struct rig *r = prepared(chip, reverse, sizeof(reverse));
	u32 *size = sim_gr3d_state(r->sim) + GR3D_COMPUTE + 0x3a8 / 4;

	launch(r, 1, 64, 1);
	tap(*size == 0x140 && sim_compute_shared(r->sim, 0x13c, 4) &&
	    !sim_compute_shared(r->sim, 0x140, 4) && !sim_compute_shared(r->sim, 0x13e, 4),
	    "%s: shared memory has the size of SHARED_SIZE", chip);
	*size = ~0u;
	tap(!sim_compute_shared(r->sim, SIM_SHARED, 4) && !sim_compute_shared(r->sim, ~0u, 4),
	    "%s: no size of an image goes beyond the model's memory", chip);
	rig_destroy(r);
}

int main(void)
{
	static const char *const chips[] = { "g80", "g96", "g200", "gt215" };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		test_blocks(chips[i]);
		test_remains(chips[i]);
		test_physid(chips[i]);
		test_atomics(chips[i]);
		test_locks(chips[i]);
		test_votes(chips[i]);
		test_tiled(chips[i]);
		test_copies(chips[i]);
		test_local(chips[i]);
		/* Code for GT215 to GT218, of which a G80 lacks loads from shared memory */
		if (strcmp(chips[i], "g80"))
			test_vector_add(chips[i]);
		test_forms(chips[i]);
		test_wrong_launches(chips[i]);
		test_wrong_local(chips[i]);
		test_wrong_special(chips[i]);
		test_stack(chips[i]);
		test_hostile_image(chips[i]);
		test_random_programs(chips[i]);
	}
	return tap_end();
}
