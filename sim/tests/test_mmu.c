// SPDX-License-Identifier: MIT
/*
 * The MMU: DMA objects, page walk, TLB, fault record, BAR flush. The accesses come through
 * BAR1 and BAR3, those of other VM engines through PFIFO.
 */

#include "rig.h"

#define OBJ_BAR1	0x6000u
#define OBJ_BAR3	0x6020u
#define PT_SMALL	0x01000000u
#define PT_LARGE	0x01100000u
#define DATA		0x02000000u

#define VA_SMALL	0x00000000ull
#define VA_LARGE	0x20000000ull
#define VA_NONE		0x40000000ull

static void set64(struct rig *r, uint32_t at, uint64_t v)
{
	vwr(r, at, v);
	vwr(r, at + 4, v >> 32);
}

static void set_pde(struct rig *r, uint64_t va, uint64_t pde)
{
	set64(r, BAR_CHAN + pd_offset(r) + (va >> 29) * 8, pde);
}

static void set_pte(struct rig *r, uint64_t va, uint64_t pte)
{
	if (va >= VA_LARGE)
		set64(r, PT_LARGE + ((va - VA_LARGE) >> 16) * 8, pte);
	else
		set64(r, PT_SMALL + (va >> 12) * 8, pte);
}

/* A BAR address space: small pages at 0 (32 MiB), large pages at 512 MiB. */
static struct rig *setup_cfg(struct nvsim_config *cfg)
{
	struct rig *r = rig_create_cfg(cfg);

	set_pde(r, VA_SMALL, PT_SMALL | 0x63);
	set_pde(r, VA_LARGE, PT_LARGE | 0x01);
	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x7fc00000, 0, 0xffffffffff);
	put_dmaobj(r, BAR_CHAN + OBJ_BAR3, 0x7fc00000, 0, 0x1fff);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_CHAN, 1u << 30 | BAR_CHAN >> 12);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	wr(r, NV_PBUS_HOST_MEM_BAR3, 1u << 31 | OBJ_BAR3 >> 4);

	return r;
}

static struct rig *setup(const char *chip)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
	};

	return setup_cfg(&cfg);
}

/* Let BAR1 begin at @va, so that every address space fits the aperture. */
static void bar1_at(struct rig *r, uint64_t va)
{
	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x7fc00000, va, 0xffffffffff);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
}

static uint32_t bar1(struct rig *r, uint32_t off)
{
	return nvsim_bar_read(r->sim, 1, off, 4);
}

static void sync_bar(struct rig *r)
{
	bar_flush(r);
	tlb_flush(r, 6);
}

/* The expected status word; GT215 and later have wider fields. */
static uint32_t status(struct rig *r, uint32_t eng, uint32_t client, uint32_t slot, uint32_t reason)
{
	if (r->gt215)
		return eng | reason << 8 | client << 16 | slot << 24;
	return eng | reason << 4 | client << 8 | slot << 12;
}

/* The status word of the latched fault; acknowledges it. */
static uint32_t fault(struct rig *r, uint64_t *addr, bool *read)
{
	uint32_t w[6], v = rd(r, NV_PFB_VM_FAULT), en = v & 0xffffff;
	unsigned int i;

	if (!(v & 1u << 31))
		return ~0u;

	for (i = 0; i < 6; i++) {
		wr(r, NV_PFB_VM_FAULT, en | i << 24);
		w[i] = rd(r, NV_PFB_VM_FAULT_DATA);
	}

	wr(r, NV_PFB_VM_FAULT, en | 1u << 31);
	if (addr)
		*addr = w[3] | w[4] << 16 | (uint64_t)(w[5] & 0xff) << 32;
	if (read)
		*read = w[5] >> 8 & 1;
	if ((w[2] << 16 | w[1]) != BAR_CHAN >> 12)
		return ~0u;

	return w[0];
}

/* BAR1 read: engine 6, client 8, slot 0 */
static bool faults_with(struct rig *r, uint32_t off, unsigned int reason)
{
	uint32_t is;

	bar1(r, off);
	is = fault(r, NULL, NULL);
	if (is != status(r, 6, 8, 0, reason)) {
		printf("# status %08x\n", is);
		return false;
	}

	return true;
}

static void test_walk(const char *chip)
{
	struct rig *r = setup(chip);
	uint32_t i;

	for (i = 0; i < 0x100000; i += 4) {
		uint8_t b[4] = { i, i >> 8, i >> 16, 0x5a };

		nvsim_vram_write(r->sim, DATA + i, b, 4);
	}

	set_pte(r, 0x3000, DATA + 0x7000 + 1);
	set_pte(r, VA_LARGE + 0x20000, DATA + 0x50000 + 1);

	/* a block of four small pages at an address that is not aligned to it */
	for (i = 0; i < 4; i++)
		set_pte(r, 0x8000 + i * 0x1000, (DATA + 0x9000) | 2 << 7 | 1);

	/* a block of two large pages */
	for (i = 0; i < 2; i++)
		set_pte(r, VA_LARGE + 0x40000 + i * 0x10000, (DATA + 0x30000) | 1 << 7 | 1);

	sync_bar(r);

	tap(bar1(r, 0x3124) == 0x5a007124, "%s: small page", chip);
	tap(bar1(r, 0x8010) == 0x5a009010 && bar1(r, 0xb010) == 0x5a00c010,
	    "%s: contig block of small pages, base plus offset in the block", chip);
	bar1_at(r, VA_LARGE);
	tap(bar1(r, 0x21234) == 0x5a051234, "%s: large page", chip);
	tap(bar1(r, 0x41234) == 0x5a031234 && bar1(r, 0x51234) == 0x5a041234,
	    "%s: contig block of large pages", chip);
	nvsim_bar_write(r->sim, 1, 0x20010, 0x12345678, 4);
	tap(peek(r, DATA + 0x50010) == 0x12345678 && clean(r), "%s: write", chip);

	bar1_at(r, 0);
	set_pte(r, 0x5000, (RAM_BASE + 0x3000) | 0x21);
	sync_bar(r);
	ram_set(r, 0x3000 + 0xffc, 0x01020304);
	ram_set(r, 0x3000, 0x0a0b0c0d);
	tap(bar1(r, 0x5ffc) == 0x01020304 && bar1(r, 0x5000) == 0x0a0b0c0d && clean(r),
	    "%s: host memory", chip);
	rig_destroy(r);
}

static void test_faults(void)
{
	struct rig *r = setup("g84");
	uint64_t addr;
	bool read;
	uint32_t s;

	set_pte(r, 0x1000, DATA | 0x9);
	set_pte(r, 0x2000, DATA | 0x41);
	set_pte(r, 0x3000, VRAM_SIZE | 1);
	set_pte(r, 0x4000, DATA | 1 | 0x7eull << 40);
	set_pte(r, 0x5000, DATA | 1 | 0x70ull << 40);
	sync_bar(r);
	tap(faults_with(r, 0x0000, 2), "PAGE_NOT_PRESENT");
	tap(rd(r, NV_PFIFO_INTR) == 0x10 && bar1(r, 0) == 0xbad1fa17, "BAR_FAULT is raised");
	fault(r, NULL, NULL);
	bar1(r, 0x1000);
	tap(fault(r, NULL, NULL) == ~0u, "a read-only page can be read");
	nvsim_bar_write(r->sim, 1, 0x1004, 1, 4);
	s = fault(r, &addr, &read);
	tap(s == 0x0446 && addr == 0x1004 && !read, "PAGE_READ_ONLY, client 4, address, write");
	tap(faults_with(r, 0x2000, 3), "PAGE_SUPERVISOR_ONLY");
	tap(faults_with(r, 0x3000, 0xb), "VRAM_LIMIT");
	tap(faults_with(r, 0x4000, 7), "WRONG_MEMTYPE");
	bar1(r, 0x5000);
	tap(fault(r, NULL, NULL) == ~0u, "a valid storage type is fine");
	tap(faults_with(r, 32 << 20, 1), "PT_TOO_SHORT");
	bar1_at(r, VA_NONE);
	tap(faults_with(r, 0, 0), "PT_NOT_PRESENT");

	bar1(r, 0x10);
	bar1(r, 0x20);
	s = fault(r, &addr, &read);
	tap(s == 0x0806 && addr == VA_NONE + 0x10 && read, "only the first fault is kept");
	tap(fault(r, NULL, NULL) == ~0u, "and acknowledging drops it");

	nvsim_bar_read(r->sim, 3, 0x1000, 4);
	tap(fault(r, NULL, NULL) == ~0u, "BAR3 inside its limit");
	nvsim_bar_read(r->sim, 3, 0x1fff, 1);
	tap(fault(r, NULL, NULL) == ~0u, "the limit is inclusive");
	nvsim_bar_read(r->sim, 3, 0x2000, 4);
	tap(fault(r, &addr, NULL) == 0x18f6 && addr == 0x2000, "DMAOBJ_LIMIT, slot 1 is BAR3");
	wr(r, NV_PBUS_HOST_MEM_BAR3, 1u << 31);
	nvsim_bar_read(r->sim, 3, 0, 4);
	tap(fault(r, NULL, NULL) == 0x1866, "NULL_DMAOBJ");

	wr(r, NV_PBUS_HOST_MEM_CHAN, 1u << 30);
	bar1(r, 0);
	wr(r, NV_PFB_VM_FAULT, 0);
	tap((rd(r, NV_PFB_VM_FAULT) & 1u << 31) && rd(r, NV_PFB_VM_FAULT_DATA) == 0x0856,
	    "NO_CHANNEL, and PENDING stays without its bit written");
	tap(clean(r), "faults are no violations");
	rig_destroy(r);

	r = setup("gt215");
	bar1(r, 0x1234);
	tap(fault(r, &addr, &read) == 0x00080206 && addr == 0x1234 && read,
	    "GT215: the record has 8-bit fields");
	rig_destroy(r);
}

static void test_limit_switch(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.quirks = 1ull << NVSIM_QUIRK_DMAOBJ_LIMIT,
	};
	struct rig *r = rig_create_cfg(&cfg);

	put_dmaobj(r, BAR_CHAN + OBJ_BAR3, 0x00190000, DATA, DATA + 0x100);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_CHAN, 1u << 30 | BAR_CHAN >> 12);
	wr(r, NV_PBUS_HOST_MEM_BAR3, 1u << 31 | OBJ_BAR3 >> 4);
	nvsim_bar_read(r->sim, 3, 0xff, 1);
	tap(fault(r, NULL, NULL) == ~0u, "exclusive limit: the byte before it");
	nvsim_bar_read(r->sim, 3, 0x100, 1);
	tap(fault(r, NULL, NULL) == 0x18f6, "exclusive limit: the limit itself faults");
	rig_destroy(r);
}

static void test_dmaobj(void)
{
	struct rig *r = setup("g84");

	set_pte(r, 0, DATA | 0x41);
	set_pte(r, 0x1000, DATA | 0x9);
	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0xffc00000, 0, 0xffff);
	sync_bar(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	bar1(r, 0);
	tap(fault(r, NULL, NULL) == ~0u, "a supervisor object may use a supervisor page");

	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x7fc80000, 0, 0xffff);
	bar_flush(r);
	nvsim_bar_write(r->sim, 1, 0x1000, 0, 4);
	tap(fault(r, NULL, NULL) == 0x0446, "a changed object is not seen until the selector is "
					    "rewritten");
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	nvsim_bar_write(r->sim, 1, 0x1000, 0, 4);
	tap(fault(r, NULL, NULL) == ~0u, "then its ACCESS overrides the PTE");

	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x00150000, DATA + 0x10, DATA + 0xfff);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	nvsim_bar_write(r->sim, 1, 0, 5, 4);
	tap(fault(r, NULL, NULL) == 0x0446, "an unpaged read-only object");

	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x00190000, DATA + 0x10, DATA + 0xffff);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	nvsim_bar_write(r->sim, 1, 0xff8, 0x99, 4);
	tap(peek(r, DATA + 0x1008) == 0x99 && fault(r, NULL, NULL) == ~0u,
	    "an unpaged object with an odd start");

	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x001a0000, RAM_BASE, RAM_BASE + 0xfff);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	nvsim_bar_write(r->sim, 1, 8, 0x77, 4);
	tap(ram32(r, 8) == 0x77 && clean(r), "an unpaged object in host memory");
	rig_destroy(r);
}

static void tlb_keeps_pte(struct rig *r)
{
	nvsim_vram_write(r->sim, DATA, "AAAA", 4);
	nvsim_vram_write(r->sim, DATA + 0x1000, "BBBB", 4);
	set_pte(r, 0, DATA | 1);
	sync_bar(r);
	tap(bar1(r, 0) == 0x41414141, "a translation");
	set_pte(r, 0, (DATA + 0x1000) | 1);
	bar_flush(r);
	tap(bar1(r, 0) == 0x41414141 && violated(r, "stale"),
	    "stays when the PTE changes, and that is a violation");
	tap(bar1(r, 0) == 0x41414141 && clean(r), "reported once");
	tlb_flush(r, 5);
	tap(bar1(r, 0) == 0x41414141, "another engine's flush does not help");
	tlb_flush(r, 6);
	tap(bar1(r, 0) == 0x42424242 && clean(r), "its own does");
	set_pte(r, 0, (DATA + 0x1000) | 1);
	bar_flush(r);
	tap(bar1(r, 0) == 0x42424242 && clean(r), "rewriting the same PTE is no violation");
}

static void tlb_keeps_absence(struct rig *r)
{
	bar1(r, 0x7000);
	fault(r, NULL, NULL);
	set_pte(r, 0x7000, DATA | 1);
	bar_flush(r);
	bar1(r, 0x7000);
	tap(fault(r, NULL, NULL) == 0x0826 && violated(r, "stale"), "a page that was not there "
								    "stays absent");
	tlb_flush(r, 6);
	tap(bar1(r, 0x7000) == 0x41414141 && clean(r), "until the flush");

	set_pte(r, 0x7000, 0);
	bar_flush(r);
	tap(bar1(r, 0x7000) == 0x41414141 && violated(r, "stale"), "use after unmap is caught");
	tlb_flush(r, 6);
	tap(faults_with(r, 0x7000, 2) && clean(r), "after the flush it faults");
}

static void tlb_keeps_block(struct rig *r)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		set_pte(r, 0x10000 + i * 0x1000, DATA | 2 << 7 | 1);

	sync_bar(r);
	bar1(r, 0x10000);

	for (i = 0; i < 4; i++)
		set_pte(r, 0x10000 + i * 0x1000, (DATA + i * 0x2000) | 1);

	bar_flush(r);
	tap(bar1(r, 0x10000) == 0x41414141 && clean(r),
	    "page 0 of a changed block is where it was");
	tap(bar1(r, 0x11000) == 0x42424242 && violated(r, "stale"),
	    "page 1 is not: one entry serves the block");
}

/* The model sees no write to a table in host memory, and so looks there on each access. */
static void tlb_keeps_host_table(struct rig *r)
{
	uint32_t page = VA_NONE + 0x3000, entry = 3 * 8;

	ram_set(r, entry, (DATA + 0x1000) | 1);
	ram_set(r, entry + 4, 0);
	set_pde(r, VA_NONE, RAM_BASE | 0x6b);
	bar1_at(r, page);
	sync_bar(r);
	tap(bar1(r, 0) == 0x42424242 && bar1(r, 0) == 0x42424242 && clean(r),
	    "a page of a table in host memory, twice");
	bar1(r, 0x4000);
	fault(r, NULL, NULL);
	ram_set(r, entry, DATA | 1);
	tap(bar1(r, 0) == 0x42424242 && violated(r, "stale"),
	    "its PTE changes there without a flush");
	tlb_flush(r, 6);
	tap(bar1(r, 0) == 0x41414141 && clean(r), "until the flush");

	bar1(r, 0x4000);
	fault(r, NULL, NULL);
	ram_set(r, entry, 0);
	tap(bar1(r, 0) == 0x41414141 && violated(r, "stale"),
	    "a fault of another page hides no change");
	tlb_flush(r, 6);
}

static void tlb_flush_stuck(struct rig *r)
{
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_TLB_STUCK);
	tlb_flush(r, 6);
	tap(rd(r, NV_PFB_TLB_FLUSH) == 0x60001, "TLB_STUCK: bit 0 stays");
	tlb_flush(r, 6);
	tap(violated(r, "while another"), "a second flush meanwhile is a mistake");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_TLB_STUCK);
	tlb_flush(r, 6);
	tap(rd(r, NV_PFB_TLB_FLUSH) == 0x60000, "cleared, it works again");
	tlb_flush(r, 0xd);
	tap(violated(r, "does not have"), "a flush of an engine the chip does not have");
}

static void test_tlb(void)
{
	struct rig *r = setup("g84");

	tlb_keeps_pte(r);
	tlb_keeps_absence(r);

	bar1_at(r, VA_NONE);
	tap(faults_with(r, 0, 0), "no page table");
	set_pde(r, VA_NONE, PT_SMALL | 0x63);
	bar_flush(r);
	tap(faults_with(r, 0, 0) && violated(r, "stale"), "PDEs are kept as well");
	tlb_flush(r, 6);
	tap(bar1(r, 0) == 0x42424242 && clean(r), "until the flush");

	bar1_at(r, 0);
	tlb_keeps_block(r);
	tlb_flush_stuck(r);
	tlb_flush(r, 6);
	tlb_keeps_host_table(r);
	rig_destroy(r);
}

static void test_many_pages(void)
{
	struct rig *r = setup("g84");
	unsigned int i, pass;
	bool ok = true;

	for (i = 0; i < 0x2000; i++)
		set_pte(r, i * 0x1000, (DATA + (i * 7 % 0x2000) * 0x1000) | 1);

	for (i = 0; i < 0x2000; i++)
		nvsim_vram_write(r->sim, DATA + i * 0x1000, &i, sizeof(i));

	sync_bar(r);

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < 0x2000; i++)
			ok &= bar1(r, i * 0x1000) == i * 7 % 0x2000;

	tap(ok && clean(r), "8192 pages in the TLB");
	rig_destroy(r);
}

static void reserved_in_pte(struct rig *r)
{
	set_pte(r, 0x0000, DATA | 3);
	set_pte(r, 0x1000, DATA | 0x11);
	set_pte(r, 0x2000, DATA | 1 | 1ull << 47);
	set_pte(r, 0x3000, DATA | 1 | 1ull << 63);
	set_pte(r, 0x4000, DATA | 0x81);
	set_pte(r, 0x5000, (DATA + 0x1000) | 0x81);
	sync_bar(r);
	bar1(r, 0);
	tap(violated(r, "reserved"), "PTE bit 1");
	bar1(r, 0x1000);
	tap(strstr(r->last_violation, "target code 1") && r->violations == 2, "PTE target 1");
	r->violations = 0;
	bar1(r, 0x2000);
	tap(violated(r, "64 KiB pages"), "compression in small pages");
	bar1(r, 0x3000);
	tap(violated(r, "reserved"), "PTE bit 63");
	bar1(r, 0x4000);
	tap(violated(r, "entry 1 of its block"), "a contig block whose PTEs differ");
}

static void reserved_in_dmaobj(struct rig *r)
{
	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x7fc00000, 0, 0xffff);
	vwr(r, BAR_CHAN + OBJ_BAR1 + 16, 0xf0000000);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	bar1(r, 0x6000);
	tap(violated(r, "word 4"), "DMA object word 4");

	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, 0x7fc10000, 0, 0xffff);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
	bar1(r, 0x6000);
	tap(violated(r, "unpaged"), "an unpaged DMA object with use-PTE fields");
}

static void test_reserved_bits(void)
{
	struct rig *r = setup("g84");

	reserved_in_pte(r);

	set_pde(r, VA_NONE, PT_SMALL | 0x73);
	sync_bar(r);
	bar1_at(r, VA_NONE);
	bar1(r, 0x6000);
	tap(violated(r, "bits 11:7 and 4"), "PDE bit 4");

	set_pde(r, VA_NONE, PT_SMALL | 0x02);
	sync_bar(r);
	bar1(r, 0x6000);
	tap(violated(r, "GT215"), "16 KiB pages on a G84");

	fault(r, NULL, NULL);
	reserved_in_dmaobj(r);
	rig_destroy(r);

	r = setup("g80");
	set_pte(r, 0x0000, (RAM_BASE + 0x1000) | 0x21 | 0x70ull << 40);
	sync_bar(r);
	bar1(r, 0);
	tap(violated(r, "G80"), "G80: host memory with a storage type");
	rig_destroy(r);

	r = setup("gt215");
	set_pde(r, VA_NONE, PT_SMALL | 0x02);
	set64(r, PT_SMALL + 8, DATA | 0x1001);
	sync_bar(r);
	nvsim_vram_write(r->sim, DATA + 0x2004, "MMMM", 4);
	bar1_at(r, VA_NONE);
	tap(bar1(r, 0x6004) == 0x4d4d4d4d && clean(r), "GT215: 16 KiB pages, bits 13:12 ignored");
	rig_destroy(r);
}

static void test_bar_flush(const char *chip)
{
	struct rig *r = setup(chip);

	set_pte(r, 0, DATA | 1);
	tlb_flush(r, 6);
	bar1(r, 0);
	tap(violated(r, "BAR flush"), "%s: a PTE used without a BAR flush", chip);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_BARFLUSH_STUCK);
	bar_flush(r);
	tap(rd(r, r->g80 ? NV_CACHE1_FLUSH_CTRL_G80 : NV_PFLUSH_BAR_FLUSH) & 2,
	    "%s: BARFLUSH_STUCK: BUSY stays", chip);
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	bar_flush(r);
	tap(!(rd(r, r->g80 ? NV_CACHE1_FLUSH_CTRL_G80 : NV_PFLUSH_BAR_FLUSH) & 3),
	    "%s: and ends when cleared", chip);

	set_pte(r, 0x9000, DATA | 1);
	tlb_flush(r, 6);
	bar1(r, 0);
	tap(clean(r), "%s: unflushed neighbours in the page do not matter", chip);
	rig_destroy(r);
}

static void test_igp(void)
{
	struct rig *r = setup("mcp79");
	uint64_t base = (uint64_t)rd(r, NV_PFB_FAKEFB_BASE) << 12;

	nvsim_vram_write(r->sim, DATA + 0x40, "IGP!", 4);
	set_pte(r, 0, (base + DATA) | 0x31);
	set_pte(r, 0x1000, DATA | 1);
	sync_bar(r);
	tap(bar1(r, 0x40) == 0x21504749 && bar1(r, 0x1040) == 0x21504749 && clean(r),
	    "MCP79: target 3 at the stolen base is the card's memory");
	nvsim_bar_write(r->sim, 1, 0x44, 0x1234, 4);
	tap(peek(r, DATA + 0x44) == 0x1234 && clean(r), "MCP79: for writes too");
	rig_destroy(r);

	r = setup("g84");
	set_pte(r, 0, 0xf000000000ull | 0x31);
	sync_bar(r);
	bar1(r, 0);
	tap(violated(r, "nothing answers"), "G84: there is nothing at that address");
	rig_destroy(r);
}

/* The retries of a blocked semaphore, by engine c */
static void acquire_tlb(struct rig *r)
{
	tlb_flush(r, 5);
	map_ram(r, 1, VA_PUSH, RAM_PUSH(1));
	bar_flush(r);
	tlb_flush(r, 5);
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x20, M(0, 0x68, 1), 7, M(0, 0x50, 1), 9);
	run(r);
	r->now += 1000000;
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 4 && clean(r), "an acquire waits");
	map_ram(r, 1, VA_SEM, RAM_SEM + 0x1000);
	ram_set(r, RAM_SEM + 0x1020, 7);
	bar_flush(r);
	tlb_flush(r, 6);
	r->now += 1000000;
	run(r);
	nvsim_settle(r->sim);
	tap(rd(r, user(1, NV_USER_REF)) == 4 && violated(r, "VM engine c used a stale"),
	    "its retries need a flush of PFIFO");
	tlb_flush(r, 5);
	r->now += 1000000;
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 9 && clean(r), "after it, the acquire succeeds");
}

/* PFIFO's own TLBs: push buffer by engine 5, blocked semaphores by engine c */
static void test_pfifo_tlb(void)
{
	struct rig *r = rig_create("g84");
	uint32_t words[] = { M(0, 0x50, 1), 0 };

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	channel_create(r, 2, true);
	playlist(r, 2, 1, 2);
	words[1] = 1;
	submit_words(r, 1, words, 2);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 1, "a push buffer page is used");

	/* map the page to other memory, at the same offset in the page */
	map_ram(r, 1, VA_PUSH, 0x300000);
	bar_flush(r);
	ram_set(r, 0x300000 + 8, M(0, 0x50, 1));
	ram_set(r, 0x300000 + 12, 3);
	words[1] = 2;
	submit_words(r, 1, words, 2);
	run(r);

	/* Until something follows, it might be a driver on its way to the flush. */
	tap(clean(r), "a stale entry may yet be flushed");
	submit(r, 2, M(0, 0x50, 1), 1);
	tap(clean(r), "also after another channel has got work");
	nvsim_settle(r->sim);
	tap(rd(r, user(1, NV_USER_REF)) == 2 && violated(r, "VM engine 5 used a stale"),
	    "PFIFO goes on with the old page");
	tlb_flush(r, 5);
	ram_set(r, 0x300000 + 16, M(0, 0x50, 1));
	ram_set(r, 0x300000 + 20, 4);
	words[1] = 5;
	submit_words(r, 1, words, 2);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 4 && clean(r),
	    "and with the new one after a flush of 5");

	acquire_tlb(r);
	rig_destroy(r);
}

/* Without a flush, PFIFO's use of a stale entry is reported at the eighth submission after it. */
static void test_stale_submissions(void)
{
	struct rig *r = rig_create("g84");
	unsigned int i;

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	map_ram(r, 1, VA_PUSH, 0x300000);
	bar_flush(r);
	submit(r, 1, M(0, 0x50, 1), 2);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 2 && clean(r), "a stale entry is used");

	for (i = 1; i < 8; i++) {
		submit(r, 1, 0);
		run(r);
	}

	tap(clean(r), "seven submissions may follow before the flush");
	submit(r, 1, 0);
	tap(violated(r, "VM engine 5 used a stale"), "eight may not");
	rig_destroy(r);
}

static void test_vram_push(void)
{
	struct rig *r = rig_create("g84");
	uint32_t at = 0x03000000;

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	map_vram(r, 1, VA_PUSH, at);
	playlist(r, 1, 1);
	nvsim_bar_write(r->sim, 1, at, M(0, 0x50, 1), 4);
	nvsim_bar_write(r->sim, 1, at + 4, 1, 4);
	ib_raw(r, 1, VA_PUSH, 2 << 10);
	doorbell(r, 1);
	run(r);
	tap(strstr(r->last_violation, "neither a BAR flush nor a read") && r->violations == 2,
	    "a push buffer in VRAM needs ordering before the doorbell");

	r->violations = 0;
	nvsim_bar_write(r->sim, 1, at, M(0, 0x50, 1), 4);
	nvsim_bar_write(r->sim, 1, at + 4, 2, 4);
	nvsim_bar_read(r->sim, 1, at + 4, 4);
	ib_raw(r, 1, VA_PUSH, 2 << 10);
	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 2 && clean(r), "reading a word back is enough");

	nvsim_bar_write(r->sim, 1, at + 4, 3, 4);
	bar_flush(r);
	ib_raw(r, 1, VA_PUSH, 2 << 10);
	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 3 && clean(r), "so is a BAR flush");
	rig_destroy(r);
}

static void peephole_setup(struct rig *r)
{
	uint32_t i;

	for (i = 0; i < 0x3000; i += 4) {
		uint8_t b[4] = { i, i >> 8, 0, 0xa5 };

		nvsim_vram_write(r->sim, DATA + i, b, 4);
	}

	channel_tables(r, 1);
	map_vram(r, 1, 0x4000, DATA + 0x2000);
	map_vram(r, 1, 0x5000, DATA + 0x1000);
	map_raw(r, 1, 0x7000, DATA | 9);
	put_dmaobj(r, CHAN_BASE(1) + CHAN_DMAOBJ, 0x7fc00000, 0x1000, 0xffffffffff);
	set_pte(r, 0x4000, DATA | 1);
	sync_bar(r);
	wr(r, NV_PBUS_HOST_MEM_CHAN, CHAN_BASE(1) >> 12);
	wr(r, NV_PBUS_HOST_MEM_PEEPHOLE, 1u << 31 | CHAN_DMAOBJ >> 4);
	tlb_flush(r, 4);
}

static void peephole_accesses(struct rig *r, const char *chip)
{
	uint32_t rw = r->g80 ? NV_PBUS_PEEPHOLE_RW_ADDR : NV_PEEPHOLE_RW_ADDR;
	uint32_t w = r->g80 ? NV_PBUS_PEEPHOLE_W_ADDR : NV_PEEPHOLE_W_ADDR;
	uint32_t i, v[4];

	wr(r, rw, 0x3ff8);

	for (i = 0; i < 4; i++)
		v[i] = rd(r, rw + 4);

	tap(v[0] == 0xa5002ff8 && v[1] == 0xa5002ffc && v[2] == 0xa5001000 && v[3] == 0xa5001004 &&
		    rd(r, rw) == 0x4008,
	    "%s: PEEPHOLE counts on into a page that is elsewhere", chip);
	tap(bar1(r, 0x4010) == 0xa5000010, "%s: BAR1 keeps its own channel", chip);
	wr(r, rw, 0x3010);
	wr(r, rw + 4, 0x600dda7a);
	tap(peek(r, DATA + 0x2010) == 0x600dda7a && clean(r), "%s: PEEPHOLE writes", chip);

	wr(r, w + 4, 0x11112222);
	wr(r, w, 0x3020);
	nvsim_bar_write(r->sim, 0, w, 0x3333444400003024ull, 8);
	tap(peek(r, DATA + 0x2020) == 0x11112222 && peek(r, DATA + 0x2024) == 0x33334444 &&
		    !(rd(r, NV_PBUS_INTR) & 1u << 12) && clean(r),
	    "%s: pairs, data first and as one 64-bit write", chip);
	bar_flush(r);
}

static void peephole_faults(struct rig *r, const char *chip)
{
	uint32_t rw = r->g80 ? NV_PBUS_PEEPHOLE_RW_ADDR : NV_PEEPHOLE_RW_ADDR;
	uint32_t v[4], st;
	uint64_t addr;
	bool read;

	wr(r, rw, 0x8000);
	v[0] = rd(r, rw + 4);
	tap(v[0] == ~0u && rd(r, rw) == 0x8004 && rd(r, NV_PFIFO_INTR) == 0x40,
	    "%s: a read that faults is all ones, PEEPHOLE_FAULT is raised", chip);
	st = rd(r, NV_PFB_VM_FAULT) & 1u << 31 ? rd(r, NV_PFB_VM_FAULT_DATA) : 0;
	tap(st == status(r, 4, 8, 0, 2), "%s: engine 4, client 8, slot 0, not present", chip);

	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	wr(r, NV_PFIFO_INTR, 0x40);
	wr(r, rw, 0x6000);
	wr(r, rw + 4, 1);
	wr(r, NV_PFB_VM_FAULT, 3 << 24);
	addr = rd(r, NV_PFB_VM_FAULT_DATA);
	wr(r, NV_PFB_VM_FAULT, 5 << 24);
	read = rd(r, NV_PFB_VM_FAULT_DATA) & 0x100;
	wr(r, NV_PFB_VM_FAULT, 0);
	tap(rd(r, NV_PFB_VM_FAULT_DATA) == status(r, 4, 4, 0, 4) && addr == 0x7000 &&
		    !read && rd(r, NV_PFIFO_INTR) == 0x40 && peek(r, DATA) == 0xa5000000,
	    "%s: a write to a read-only page: client 4, address, nothing written", chip);

	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	wr(r, NV_PBUS_HOST_MEM_CHAN, 0);
	wr(r, rw, 0x3100);
	tap(rd(r, rw + 4) == ~0u &&
		    rd(r, NV_PFB_VM_FAULT_DATA) == status(r, 4, 8, 0, 5) &&
		    bar1(r, 0x4010) == 0xa5000010 && clean(r),
	    "%s: without a channel; BAR's is another one", chip);
	wr(r, NV_PFB_VM_FAULT, 1u << 31);
}

/* PEEPHOLE: its channel, its TLB, its faults; the BARs keep theirs. */
static void test_peephole(const char *chip)
{
	struct rig *r = setup(chip);
	uint32_t rw = r->g80 ? NV_PBUS_PEEPHOLE_RW_ADDR : NV_PEEPHOLE_RW_ADDR;

	peephole_setup(r);
	peephole_accesses(r, chip);

	map_vram(r, 1, 0x4000, DATA);
	bar_flush(r);
	tlb_flush(r, 6);
	wr(r, rw, 0x3100);
	tap(rd(r, rw + 4) == 0xa5002100 && violated(r, "VM engine 4 used a stale"),
	    "%s: its TLB keeps a translation, whatever BAR's does", chip);
	tlb_flush(r, 4);
	wr(r, rw, 0x3100);
	tap(rd(r, rw + 4) == 0xa5000100 && clean(r), "%s: until engine 4 is flushed", chip);

	peephole_faults(r, chip);

	wr(r, NV_PBUS_HOST_MEM_PEEPHOLE, 0);
	wr(r, rw, DATA + 0x1043);
	tap(rd(r, rw + 4) == 0xa5001040 && rd(r, rw) == DATA + 0x1044 && clean(r),
	    "%s: direct mode is linear VRAM, bits 1:0 of the address do not count", chip);
	rig_destroy(r);
}

/* Bit 30 of HOST_MEM.CHAN makes the one channel valid: a write without it is the BARs' last. */
static void test_host_chan(void)
{
	struct rig *r = setup("g84");

	ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_HOST_CHAN << 8 | 1);
	peephole_setup(r);
	wr(r, NV_PEEPHOLE_RW_ADDR, 0x3100);
	tap(rd(r, NV_PEEPHOLE_RW_DATA) == ~0u && bar1(r, 0x4010) != 0xa5000010,
	    "host-chan=valid: neither PEEPHOLE nor BAR1 has a channel");

	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	wr(r, NV_PBUS_HOST_MEM_CHAN, 1u << 30 | CHAN_BASE(1) >> 12);
	tlb_flush(r, 4);
	wr(r, NV_PEEPHOLE_RW_ADDR, 0x3100);
	tap(rd(r, NV_PEEPHOLE_RW_DATA) == 0xa5002100, "host-chan=valid: both have this one");
	rig_destroy(r);
}

/* An object with a supervisor's rights, and a page that asks for them. */
static void test_peephole_rights(void)
{
	struct rig *r = setup("g84");

	peephole_setup(r);
	map_raw(r, 1, 0x6000, DATA | 0x41);
	put_dmaobj(r, CHAN_BASE(1) + CHAN_DMAOBJ, 0xffc00000, 0x1000, 0xffffffffff);
	sync_bar(r);
	tlb_flush(r, 4);
	wr(r, NV_PEEPHOLE_RW_ADDR, 0x5004);
	tap(rd(r, NV_PEEPHOLE_RW_DATA) == 0xa5000004, "PEEPHOLE reads a supervisor's page, as its object says");
	rig_destroy(r);
}

/* A block of four pages in the push buffer's table, as entry @i of it */
static void block_pte(struct rig *r, uint32_t va, uint32_t i, uint32_t off)
{
	map_raw(r, 1, va + i * 0x1000, (RAM_BASE + off) | 2 << 7 | 0x21);
}

static void ref(struct rig *r, uint32_t page, uint32_t val)
{
	ram_set(r, RAM_PUSH(1) + page * 0x1000, M(0, 0x50, 1));
	ram_set(r, RAM_PUSH(1) + page * 0x1000 + 4, val);
	ib_raw(r, 1, VA_PUSH + page * 0x1000, 2 << 10);
}

static void half_split_block(struct rig *r)
{
	uint32_t i;

	/* The flush empties the TLB, so the next fetch looks at the tables. */
	tlb_flush(r, 5);
	ref(r, 1, 2);
	doorbell(r, 1);
	map_ram(r, 1, VA_PUSH + 0x2000, RAM_PUSH(1) + 0x2000);
	run(r);

	for (i = 0; i < 4; i++)
		map_ram(r, 1, VA_PUSH + i * 0x1000, RAM_PUSH(1) + i * 0x1000);

	bar_flush(r);
	tlb_flush(r, 5);
	nvsim_settle(r->sim);
	tap(rd(r, user(1, NV_USER_REF)) == 2 && clean(r),
	    "half split when PFIFO looks: no mistake if a flush follows");

	for (i = 0; i < 4; i++)
		block_pte(r, VA_PUSH, i, RAM_PUSH(1));

	bar_flush(r);
	tlb_flush(r, 5);
	ref(r, 1, 3);
	doorbell(r, 1);
	map_ram(r, 1, VA_PUSH + 0x2000, RAM_PUSH(1) + 0x2000);
	bar_flush(r);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 3 && clean(r), "without one it is not known yet");
	nvsim_settle(r->sim);
	tap(violated(r, "VM engine 5: PTE") && !r->violations, "at the end it is one");

	tlb_flush(r, 5);
	clean(r);
	ref(r, 1, 5);
	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 5 && violated(r, "entry 2 of its block of 4"),
	    "an entry that is still unequal after the flush is a mistake at once");
}

static void entry_before_bar_flush(struct rig *r)
{
	uint32_t i;

	/* The store has been made, its BAR flush not yet. */
	for (i = 0; i < 4; i++)
		map_ram(r, 1, VA_PUSH + i * 0x1000, RAM_PUSH(1) + i * 0x1000);

	bar_flush(r);
	tlb_flush(r, 5);
	ref(r, 1, 6);
	doorbell(r, 1);
	map_ram(r, 1, VA_PUSH + 0x1000, RAM_PUSH(1) + 0x1000);
	run(r);
	bar_flush(r);
	tlb_flush(r, 5);
	nvsim_settle(r->sim);
	tap(rd(r, user(1, NV_USER_REF)) == 6 && clean(r),
	    "an entry whose BAR flush is yet to come: no mistake if both flushes follow");

	ref(r, 1, 7);
	doorbell(r, 1);
	map_ram(r, 1, VA_PUSH + 0x1000, RAM_PUSH(1) + 0x1000);
	run(r);
	tlb_flush(r, 5);
	nvsim_settle(r->sim);
	tap(violated(r, "followed by a BAR flush"), "the TLB flush alone does not make up for it");

	ref(r, 1, 8);
	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 8 && violated(r, "PTE at VRAM"),
	    "and after a TLB flush it is a mistake at once");

	bar_flush(r);
	tlb_flush(r, 5);
	ref(r, 1, 9);
	doorbell(r, 1);
	run(r);
	nvsim_settle(r->sim);
	tap(rd(r, user(1, NV_USER_REF)) == 9 && clean(r), "in the right order it is none");
}

/* The CPU takes a block apart while PFIFO fetches from it: engine 5 */
static void test_split_beside_pfifo(void)
{
	struct rig *r = rig_create("g84");
	uint32_t i;

	rig_init_pfifo(r);
	channel_create(r, 1, true);

	for (i = 0; i < 4; i++)
		block_pte(r, VA_PUSH, i, RAM_PUSH(1));

	bar_flush(r);
	tlb_flush(r, 5);
	playlist(r, 1, 1);
	ref(r, 0, 1);
	doorbell(r, 1);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 1 && clean(r), "a block of four");

	half_split_block(r);
	entry_before_bar_flush(r);
	rig_destroy(r);
}

/* The same for the retries of an acquire: engine c */
static void test_split_beside_acquire(void)
{
	struct rig *r = rig_create("g84");
	uint32_t i;

	rig_init_pfifo(r);
	channel_create(r, 1, true);

	for (i = 0; i < 4; i++)
		block_pte(r, VA_SEM, i, RAM_SEM);

	bar_flush(r);
	tlb_flush(r, 5);
	tlb_flush(r, 0xc);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x20, M(0, 0x68, 1), 7, M(0, 0x50, 1), 9);
	map_ram(r, 1, VA_SEM + 0x3000, RAM_SEM + 0x3000);
	bar_flush(r);

	for (i = 0; i < 4; i++) {
		r->now += 1000000;
		run(r);
	}

	tlb_flush(r, 6);
	nvsim_settle(r->sim);
	r->violations--;	/* PFIFO's own entry is another mistake */
	tap(violated(r, "VM engine c: PTE"), "another engine's flush is no excuse");

	for (i = 0; i < 4; i++)
		map_ram(r, 1, VA_SEM + i * 0x1000, RAM_SEM + i * 0x1000);

	bar_flush(r);
	tlb_flush(r, 0xc);
	map_ram(r, 1, VA_SEM + 0x3000, RAM_SEM + 0x3000);

	for (i = 0; i < 4; i++)
		block_pte(r, VA_SEM, i, RAM_SEM);

	map_ram(r, 1, VA_SEM + 0x3000, RAM_SEM + 0x3000);
	bar_flush(r);
	r->now += 1000000;
	run(r);

	for (i = 0; i < 4; i++)
		block_pte(r, VA_SEM, i, RAM_SEM);

	bar_flush(r);
	tlb_flush(r, 0xc);
	nvsim_settle(r->sim);
	tap(clean(r), "its own is");

	ram_set(r, RAM_SEM + 0x20, 7);
	r->now += 1000000;
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 9 && clean(r), "and the acquire succeeds");
	rig_destroy(r);
}

#define COMP(mode, tag)	((uint64_t)(mode) << 47 | (uint64_t)(tag) << 49)

static void set_bar1(struct rig *r, uint32_t w0, uint64_t start, uint64_t limit, uint32_t w4,
		     uint32_t w5)
{
	put_dmaobj(r, BAR_CHAN + OBJ_BAR1, w0, start, limit);
	vwr(r, BAR_CHAN + OBJ_BAR1 + 16, w4);
	vwr(r, BAR_CHAN + OBJ_BAR1 + 20, w5);
	bar_flush(r);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 1u << 31 | OBJ_BAR1 >> 4);
}

static void tags_of_pages(struct rig *r)
{
	uint32_t i;

	set_pte(r, VA_LARGE, DATA | 1 | COMP(1, 63));
	set_pte(r, VA_LARGE + 0x10000, (DATA + 0x10000) | 1 | COMP(2, 61));
	set_pte(r, VA_LARGE + 0x20000, (DATA + 0x20000) | 1 | COMP(2, 63));

	for (i = 4; i < 8; i++)
		set_pte(r, VA_LARGE + i * 0x10000, (DATA + 0x40000) | 2 << 7 | 1 | COMP(2, 0));

	for (i = 8; i < 16; i++)
		set_pte(r, VA_LARGE + i * 0x10000, (DATA + 0x80000) | 3 << 7 | 1 | COMP(1, 60));

	sync_bar(r);
	bar1_at(r, VA_LARGE);
	bar1(r, 0);
	tap(clean(r), "the last tag cell");
	bar1(r, 0x10000);
	tap(clean(r), "the two before it");
	bar1(r, 0x20000);
	tap(strstr(r->last_violation, "belongs to the VRAM page at 02000000, now it is used for "
				      "02020000") &&
		    r->violations == 2,
	    "one too many, and the first is taken");
	r->violations = 0;
	bar1(r, 0x70000);
	tap(clean(r), "tags of a block");
	bar1(r, 0x80000);
	tap(violated(r, "leave the tag memory"), "a block that has not enough of them");
}

static void tags_shared(struct rig *r)
{
	/* page 1 of the block of four has the cells 2 and 3 */
	set_pte(r, VA_LARGE + 0x100000, (DATA + 0x50000) | 1 | COMP(2, 2));
	set_pte(r, VA_LARGE + 0x110000, (DATA + 0x60000) | 1 | COMP(1, 3));
	set_pte(r, VA_LARGE + 0x120000, (DATA + 0x60000) | 1 | COMP(1, 20));
	set_pte(r, VA_LARGE + 0x130000, (DATA + 0x70000) | 1 | COMP(1, 20));
	bar_flush(r);
	bar1(r, 0x50000);
	bar1(r, 0x100000);
	tap(clean(r), "two mappings of one page share its cells");
	bar1(r, 0x110000);
	tap(violated(r, "tag cell 3 belongs to the VRAM page at 02050000, now it is used for "
			"02060000"),
	    "two pages may not");

	bar1(r, 0x120000);
	tlb_flush(r, 6);
	bar1(r, 0x130000);
	tap(clean(r), "but one after the other with a flush between");
}

static void tags_of_dmaobj(struct rig *r)
{
	/* DMA objects: paged, with the object's mode; unpaged, with the object's tags */
	set_pte(r, VA_LARGE + 0x140000, (DATA + 0x140000) | 1);
	set_pte(r, VA_SMALL, DATA | 1);
	set_pte(r, VA_SMALL + 0x1000, (DATA + 0x1000) | 1);
	sync_bar(r);
	set_bar1(r, 0x7fc00000 & ~(3u << 29), VA_LARGE, 0xffffffffffull, 0, 0);
	bar1(r, 0x20000);
	bar1(r, 0x110000);
	tap(violated(r, "leave the tag memory"),
	    "an object without compression uses none; the PTE is wrong nevertheless");

	set_bar1(r, 0x3fc00000, VA_SMALL, 0xffffffffffull, 0, 0);
	bar1(r, 0);
	bar1(r, 0x1000);
	tap(violated(r, "by its DMA object: compression needs"),
	    "compression by the object, of a small page");

	set_bar1(r, 0x00190000 | 1u << 29, DATA, DATA + 0xfffff, 50u << 16 | 40, DATA >> 16);
	bar1(r, 0x10);
	bar1(r, 0x20010);
	bar1(r, 0xb0010);
	tap(clean(r), "an unpaged object with tags; after the last one it is uncompressed");

	set_bar1(r, 0x00190000 | 1u << 29, DATA, DATA + 0xfffff, 51u << 16 | 40,
		 (DATA + 0x20000) >> 16);
	bar1(r, 0x10010);
	bar1(r, 0xd0010);
	tap(clean(r), "uncompressed before COMP_VRAM_START, too");
	bar1(r, 0x20010);
	tap(violated(r, "tag cell 28 belongs to the VRAM page at 02000000, now it is used for "
			"02020000"),
	    "whose distance counts the tags");
	set_bar1(r, 0x00190000 | 1u << 29, DATA, DATA + 0xfffff, 64u << 16 | 40, DATA >> 16);
	bar1(r, 0x10000);
	tap(violated(r, "leave the tag memory"), "TAG_LIMIT too large");
	set_bar1(r, 0x00190000 | 2u << 29, DATA, DATA + 0xfffff, 39u << 16 | 40, DATA >> 16);
	bar1(r, 0);
	tap(violated(r, "TAG_START is behind TAG_LIMIT"), "TAG_LIMIT too small");
	set_bar1(r, 0x001a0000 | 1u << 29, RAM_BASE, RAM_BASE + 0xfff, 0, 0);
	bar1(r, 0);
	tap(violated(r, "needs VRAM"), "a compressed unpaged object in host memory");
}

/* Two pages of an unpaged object with double compression; then another page takes cell 41. */
static void tags_of_double(struct rig *r, bool one, const char *owner)
{
	ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_OBJECT_TAGS << 8 | one);
	tlb_flush(r, 6);
	set_bar1(r, 0x00190000 | 2u << 29, DATA, DATA + 0xfffff, 47u << 16 | 40, DATA >> 16);
	bar1(r, 0x10);
	bar1(r, 0x10010);
	tap(clean(r), "object-tags=%s: cells for two pages", one ? "one" : "two");

	set_bar1(r, 0x00190000 | 1u << 29, DATA, DATA + 0xfffff, 42u << 16 | 41,
		 (DATA + 0x40000) >> 16);
	bar1(r, 0x40010);
	tap(violated(r, owner), "object-tags=%s: %s", one ? "one" : "two", owner);
}

/* Compression tags, 64 cells; large pages at BAR1 0 */
static void test_tags(void)
{
	struct nvsim_config cfg = {
		.chipset = "g94",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.tags = 64,
	};
	struct rig *r = setup_cfg(&cfg);

	tap(rd(r, NV_PFB_COMP_MAX_TAG) == 63, "64 tag cells");

	tags_of_pages(r);
	tags_shared(r);
	tags_of_dmaobj(r);
	tags_of_double(r, false, "tag cell 29 belongs to the VRAM page at 02000000");
	tags_of_double(r, true, "tag cell 29 belongs to the VRAM page at 02010000");
	rig_destroy(r);

	cfg.tags = 0;
	cfg.no_tags = true;
	r = setup_cfg(&cfg);
	set_pte(r, VA_LARGE, DATA | 1 | COMP(1, 0));
	sync_bar(r);
	bar1_at(r, VA_LARGE);
	bar1(r, 0);
	tap(rd(r, NV_PFB_COMP_MAX_TAG) == 0 && violated(r, "without tag memory"), "no tag memory");
	rig_destroy(r);
	r = setup("mcp77");
	tap(rd(r, NV_PFB_COMP_MAX_TAG) == 0, "nor have IGPs any");
	rig_destroy(r);
}

static const struct {
	const char *chip;
	uint64_t pte;
	const char *why;	/* NULL: it is fine */
} pte_attributes[] = {
	{ "g84", DATA | 1 | 1ull << 62, "encryption is for host memory" },
	{ "g84", RAM_BASE | 0x21 | 1ull << 62, NULL },
	{ "g84", RAM_BASE | 0x31 | 1ull << 62, NULL },
	{ "g80", RAM_BASE | 0x21 | 1ull << 62, "came with the G84" },
	{ "mcp79", 0xf000000000ull | DATA | 0x31 | 1ull << 62,
	  "encryption is for host memory" },
	{ "g80", DATA | 1 | 1ull << 61, NULL },
	{ "g80", RAM_BASE | 0x21 | 1ull << 61, "cycle is for VRAM" },
	{ "g84", DATA | 1 | 1ull << 61, "only the G80" },
	{ "g84", RAM_BASE | 0x21 | 0x70ull << 40, NULL },
	{ "g80", RAM_BASE | 0x21 | 0x70ull << 40, "G80 cannot" },
	{ "mcp79", 0xf000000000ull | DATA | 0x31 | 0x70ull << 40, NULL },
};

static const struct {
	const char *chip;
	uint32_t w0, w5;
	uint64_t start;
	const char *why;
} dmaobj_attributes[] = {
	{ "g80", 0x00190000, 2 << 16, DATA, NULL },
	{ "g80", 0x001a0000, 2 << 16, RAM_BASE, "cycle is for VRAM" },
	{ "g84", 0x00190000, 2 << 16, DATA, "only the G80" },
	{ "g84", 0x00190000, 1 << 16, DATA, NULL },
	{ "g84", 0x00190000, 3 << 16, DATA, "is 3" },
	{ "g84", 0x00190000, 1 << 18, DATA, "encryption is for host memory" },
	{ "g84", 0x001a0000, 1 << 18, RAM_BASE, NULL },
	{ "g84", 0x001b0000, 1 << 18, RAM_BASE, NULL },
	{ "g84", 0x00190000, 3 << 18, DATA, "is 3" },
	{ "g80", 0x001a0000 | 0x70 << 22, 0, RAM_BASE, "host memory with a storage type" },
	{ "g84", 0x001a0000 | 0x70 << 22, 0, RAM_BASE, NULL },
	{ "mcp79", 0x00190000, 0, DATA, NULL },
	{ "mcp79", 0x001b0000 | 1 << 29, 0, 0xf002000000ull, "needs VRAM" },
	{ "mcp79", 0x00190000 | 1 << 29, 0, DATA, "without tag memory" },
};

/* Encryption, partition cycle, storage types in the wrong place */
static void test_attributes(void)
{
	struct rig *r;
	size_t i;

	for (i = 0; i < sizeof(pte_attributes) / sizeof(pte_attributes[0]); i++) {
		r = setup(pte_attributes[i].chip);
		set_pte(r, 0, pte_attributes[i].pte);
		sync_bar(r);
		bar1(r, 0);
		tap(pte_attributes[i].why ? violated(r, pte_attributes[i].why) : clean(r), "%s: PTE %016llx", pte_attributes[i].chip,
		    (unsigned long long)pte_attributes[i].pte);
		rig_destroy(r);
	}

	for (i = 0; i < sizeof(dmaobj_attributes) / sizeof(dmaobj_attributes[0]); i++) {
		r = setup(dmaobj_attributes[i].chip);
		set_bar1(r, dmaobj_attributes[i].w0, dmaobj_attributes[i].start, dmaobj_attributes[i].start + 0xffff, 0, dmaobj_attributes[i].w5);
		bar1(r, 0);
		tap(dmaobj_attributes[i].why ? violated(r, dmaobj_attributes[i].why) : clean(r),
		    "%s: DMA object %08x, word 5 %08x", dmaobj_attributes[i].chip, dmaobj_attributes[i].w0, dmaobj_attributes[i].w5);
		rig_destroy(r);
	}

	r = setup("g84");
	set_bar1(r, 0x00190000 | 0x7e << 22, DATA, DATA + 0xfff, 0, 0);
	tap(faults_with(r, 0, 7), "a storage type that does not exist, in an unpaged object");

	/* An entry that was used with another storage type is as stale as one that led elsewhere. */
	set_pte(r, 0x3000, DATA | 1);
	bar1_at(r, 0);
	sync_bar(r);
	bar1(r, 0x3000);
	set_pte(r, 0x3000, DATA | 1 | 0x70ull << 40);
	bar_flush(r);
	bar1(r, 0x3004);
	tap(violated(r, "stale"), "a changed storage type needs a flush, too");
	rig_destroy(r);
}

static void rights_of_unpaged(struct rig *r, const char *chip)
{
	bool igp = rd(r, NV_PFB_MEM_AMOUNT) && !strncmp(chip, "mcp", 3);
	uint64_t addr = 0;

	nvsim_vram_write(r->sim, DATA + 0x1ffc, "last", 4);
	set_bar1(r, 0x00190000, DATA + 0x1000, DATA + 0x1fff, 0, 0);
	tap(bar1(r, 0xffc) == 0x7473616c && fault(r, NULL, NULL) == ~0u && clean(r),
	    "%s: unpaged VRAM up to its limit%s", chip, igp ? ", an offset into the stolen memory" : "");
	bar1(r, 0x1000);
	tap(fault(r, &addr, NULL) == status(r, 6, 8, 0, 0xf) && addr == DATA + 0x2000,
	    "%s: and not past it", chip);
	nvsim_bar_write(r->sim, 1, 0x1000, 1, 4);
	tap(fault(r, NULL, NULL) == status(r, 6, 4, 0, 0xf) && peek(r, DATA + 0x2000) == 0,
	    "%s: nor written", chip);
	set_bar1(r, 0x00190000, VRAM_SIZE - 4, VRAM_SIZE + 0xfff, 0, 0);
	bar1(r, 0);
	tap(fault(r, NULL, NULL) == ~0u && faults_with(r, 4, 0xb),
	    "%s: unpaged VRAM ends with the card's memory", chip);
	set_bar1(r, 0x00150000, DATA, DATA + 0xfff, 0, 0);
	bar1(r, 0);
	tap(fault(r, NULL, NULL) == ~0u, "%s: unpaged, read only: reads", chip);
	nvsim_bar_write(r->sim, 1, 0, 1, 4);
	tap(fault(r, NULL, NULL) == status(r, 6, 4, 0, 4), "%s: no writes", chip);
	set_bar1(r, 0x00290000, DATA, DATA + 0xfff, 0, 0);
	tap(faults_with(r, 0, 3), "%s: unpaged, supervisor only, for a user", chip);
	set_bar1(r, 0x80290000, DATA, DATA + 0xfff, 0, 0);
	bar1(r, 0);
	tap(fault(r, NULL, NULL) == ~0u, "%s: for a supervisor", chip);
}

static void rights_of_pages(struct rig *r, const char *chip)
{
	set_pte(r, 0x1000, DATA | 0x41);
	set_pte(r, 0x2000, DATA | 1);
	sync_bar(r);
	set_bar1(r, 0x7fc00000, 0, 0xffff, 0, 0);
	tap(faults_with(r, 0x1000, 3), "%s: a supervisor page for a user", chip);
	set_bar1(r, 0xffc00000, 0, 0xffff, 0, 0);
	bar1(r, 0x1000);
	tap(fault(r, NULL, NULL) == ~0u, "%s: for a supervisor's object", chip);
	set_bar1(r, 0x7fd00000, 0, 0xffff, 0, 0);
	bar1(r, 0x1000);
	tap(fault(r, NULL, NULL) == ~0u, "%s: for one that lets everybody in", chip);
	set_bar1(r, 0x7fe00000, 0, 0xffff, 0, 0);
	tap(faults_with(r, 0x2000, 3), "%s: and one that lets only supervisors in", chip);
	set_bar1(r, 0x7fc40000, 0, 0xffff, 0, 0);
	nvsim_bar_write(r->sim, 1, 0x2000, 1, 4);
	tap(fault(r, NULL, NULL) == status(r, 6, 4, 0, 4), "%s: a read-only object, any page",
	    chip);
	tap(clean(r), "%s: none of this is a violation", chip);
}

/* The limits and rights of unpaged objects; who may use a supervisor page */
static void test_rights(const char *chip)
{
	struct rig *r = setup(chip);

	rights_of_unpaged(r, chip);
	rights_of_pages(r, chip);

	/* PFIFO's fetch is a user's access. */
	rig_init_pfifo(r);
	channel_create(r, 1, true);
	map_raw(r, 1, VA_PUSH, (RAM_BASE + RAM_PUSH(1)) | 0x61);
	bar_flush(r);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == 0x1000 && rd(r, NV_CACHE1_DMA_STATE) >> 29 == 6 &&
		    rd(r, NV_PFB_VM_FAULT_DATA) == status(r, 5, 8, 0, 3) && clean(r),
	    "%s: a pushbuffer in supervisor pages cannot be fetched", chip);
	rig_destroy(r);
}

/* The effect of a block, by single accesses */
static void by_words(struct rig *r, unsigned int bar, uint64_t off, uint8_t *buf, size_t len,
		     bool write)
{
	while (len) {
		unsigned int n = 8, i;
		uint64_t v = 0;

		while (n > len || (off & (n - 1)))
			n /= 2;
		for (i = 0; i < n; i++)
			v |= (uint64_t)buf[i] << 8 * i;
		if (write)
			nvsim_bar_write(r->sim, bar, off, v, n);
		else
			v = nvsim_bar_read(r->sim, bar, off, n);
		for (i = 0; i < n; i++)
			buf[i] = v >> 8 * i;
		off += n;
		buf += n;
		len -= n;
	}
}

static uint32_t seed = 12345;

static uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

#define BLOCK_PAGES	16u

/* The same random tables in both; of 16 pages some are absent, read only, host memory, far off */
static void random_tables(struct rig *a, struct rig *b)
{
	uint32_t i, start = rnd(4) ? 0 : rnd(0x3000) & ~7u;
	uint32_t w0 = rnd(4) ? 0x7fc00000 : 0x00190000;
	uint64_t limit = rnd(4) ? 0xffffffffffull : rnd(BLOCK_PAGES * 0x1000), pte;

	for (i = 0; i < BLOCK_PAGES; i++) {
		pte = (DATA + rnd(64) * 0x1000) | 1;
		if (rnd(4) == 0)
			pte = (RAM_BASE + rnd(64) * 0x1000) | 0x21;
		if (rnd(6) == 0)
			pte |= 8;
		if (rnd(6) == 0)
			pte = 0;
		set_pte(a, i * 0x1000, pte);
		set_pte(b, i * 0x1000, pte);
	}

	if (w0 == 0x00190000) {
		start += DATA;
		limit += DATA;
	}

	set_bar1(a, w0, start, limit, 0, 0);
	set_bar1(b, w0, start, limit, 0, 0);
	tlb_flush(a, 6);
	tlb_flush(b, 6);
}

static bool same_memory(struct rig *a, struct rig *b)
{
	static uint8_t x[64 * 0x1000], y[64 * 0x1000];

	nvsim_vram_read(a->sim, DATA, x, sizeof(x));
	nvsim_vram_read(b->sim, DATA, y, sizeof(y));
	return !memcmp(x, y, sizeof(x)) && !memcmp(a->ram, b->ram, RAM_SIZE);
}

static void test_blocks(const char *chip)
{
	static uint8_t x[BLOCK_PAGES * 0x1000], y[BLOCK_PAGES * 0x1000];
	struct rig *a = setup(chip), *b = setup(chip);
	unsigned int round, faults = 0, i, bad = 0;
	uint32_t hide = 0;

	for (round = 0; round < 600 && !bad; round++) {
		uint32_t off = rnd(BLOCK_PAGES * 0x1000 - 1), len, op = rnd(3), st;
		uint64_t addr_a = 0, addr_b = 0;
		bool read_a = false, read_b = false;

		len = 1 + rnd(BLOCK_PAGES * 0x1000 - off);
		if (rnd(3) == 0)
			len = 1 + rnd(len < 40 ? len : 40);
		if (round % 8 == 0)
			random_tables(a, b);
		if (round % 64 == 0) {
			hide = hide ? 0 : 0x80001234u;
			for (i = 0; i < 2; i++) {
				wr(i ? b : a, NV_PMC_VRAM_HIDE_HIGH, 0x2345);
				wr(i ? b : a, NV_PMC_VRAM_HIDE_LOW, hide);
			}
		}

		for (i = 0; i < len; i++)
			x[i] = op == 1 ? 0xc3 : rnd(256);
		memcpy(y, x, len);
		if (op == 0)
			nvsim_bar_write_block(a->sim, 1, off, x, len);
		else if (op == 1)
			nvsim_bar_fill(a->sim, 1, off, 0xc3, len);
		else
			nvsim_bar_read_block(a->sim, 1, off, x, len);
		by_words(b, 1, off, y, len, op != 2);
		bad |= memcmp(x, y, len) != 0;
		bad |= rd(a, NV_PFIFO_INTR) != rd(b, NV_PFIFO_INTR);
		wr(a, NV_PFIFO_INTR, ~0u);
		wr(b, NV_PFIFO_INTR, ~0u);
		st = fault(a, &addr_a, &read_a);
		bad |= st != fault(b, &addr_b, &read_b) || addr_a != addr_b || read_a != read_b;
		faults += st != ~0u;
		bad |= !same_memory(a, b);
		if (bad)
			printf("# round %u: op %u, %x bytes at %x\n", round, op, len, off);
	}

	tap(!bad && faults > 50 && clean(a) && clean(b),
	    "%s: blocks equal accesses of 8 bytes, %u faults", chip, faults);
	rig_destroy(a);
	rig_destroy(b);
}

static void blocks_over_pages(struct rig *r)
{
	static uint8_t x[0x100000];
	struct nvsim_stats st;
	uint32_t i;

	/* The pages lie in VRAM in reverse order, one of them nowhere. */
	for (i = 0; i < 0x100; i++)
		set_pte(r, i * 0x1000, i == 0x80 ? 0 : (DATA + (0xff - i) * 0x1000) | 1);

	sync_bar(r);
	ctl(r, NVSIM_CTL_RESET_STATS, 0);
	nvsim_bar_fill(r->sim, 1, 0, 0x5a, sizeof(x));
	nvsim_get_stats(r->sim, &st);
	tap(st.bar1_writes == 1 && st.tlb_misses == 0x100 && st.mmio_writes == 0,
	    "a fill of 1 MiB counts as one access");
	tap(st.tlb_hits <= 0x100, "and looks up each page once or twice, not each word (%llu hits)",
	    (unsigned long long)st.tlb_hits);
	tap(peek(r, DATA) == 0x5a5a5a5a && peek(r, DATA + 0xffffc) == 0x5a5a5a5a &&
		    peek(r, DATA + 0x7f000) == 0 && peek(r, DATA + 0x7fffc) == 0 &&
		    peek(r, DATA + 0x80000) == 0x5a5a5a5a && peek(r, DATA + 0x7effc) == 0x5a5a5a5a,
	    "each page where it is, but not the absent one");
	tap(rd(r, NV_PFIFO_INTR) == 0x10 && fault(r, &(uint64_t){ 0 }, NULL) == 0x0426,
	    "which raises BAR_FAULT and is recorded");

	wr(r, NV_PFIFO_INTR, ~0u);
	nvsim_bar_read_block(r->sim, 1, 0, x, sizeof(x));
	nvsim_get_stats(r->sim, &st);
	tap(st.bar1_reads == 1 && x[0] == 0x5a && x[0xfffff] == 0x5a && x[0x80000] == 0x17 &&
		    x[0x80fff] == 0xba && x[0x81000] == 0x5a && x[0x7ffff] == 0x5a &&
		    fault(r, NULL, NULL) == 0x0826,
	    "reading it back is one access, with the fixed pattern in the absent page");
	tap(clean(r), "no violation in that");
}

static void block_into_page_table(struct rig *r)
{
	static uint8_t y[0x40];

	/* A page table in BAR1's memory: a block must be tracked as single writes are. */
	set_pte(r, 0x100000, PT_SMALL | 1);
	sync_bar(r);
	nvsim_bar_read(r->sim, 1, 0x2000, 4);
	memset(y, 0, sizeof(y));
	y[0] = 1;
	y[3] = DATA >> 24;
	nvsim_bar_write_block(r->sim, 1, 0x100010, y, 8);
	bar1(r, 0x2000);
	tap(violated(r, "stale"), "a block into a page table makes TLB entries stale");
	tlb_flush(r, 6);
	bar1(r, 0x2000);
	tap(violated(r, "PTE at VRAM"), "and has to be followed by a BAR flush");

	bar_flush(r);
	tlb_flush(r, 6);
	bar1(r, 0x2000);
	bar1(r, 0x3000);
	tap(clean(r), "as single writes have");
}

static void blocks_outside(struct rig *r)
{
	static uint8_t y[0x40];

	nvsim_bar_fill(r->sim, 1, (128 << 20) - 4, 1, 8);
	nvsim_bar_write_block(r->sim, 0, 0x1700, y, 4);
	nvsim_bar_read_block(r->sim, 2, 0, y, 4);
	tap(rd(r, NV_PBUS_HOST_MEM_PMEM) != 1 && y[0] == 0xff && y[3] == 0xff && clean(r),
	    "blocks outside of BAR1 and BAR3 do nothing");

	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	nvsim_bar_fill(r->sim, 1, 0, 0x77, 0x100);
	memset(y, 0, sizeof(y));
	nvsim_bar_read_block(r->sim, 1, 0, y, sizeof(y));
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	tap(peek(r, DATA + 0xff000) != 0x77777777 && y[0] == 0xff && y[0x3f] == 0xff && clean(r),
	    "nor do they when the card is lost");
}

static void blocks_in_direct_mode(struct rig *r)
{
	static uint8_t x[0x100000], y[0x40];
	uint32_t i;

	nvsim_bar_fill(r->sim, 1, VRAM_SIZE - 0x1800, 0x11, 0x2000);
	tap(peek(r, VRAM_SIZE - 4) == 0x11111111 && violated(r, "behind the end"),
	    "direct mode: up to the end of VRAM");

	wr(r, NV_PMC_ENDIAN, 0x01000001);

	for (i = 0; i < sizeof(y); i++)
		y[i] = i;

	nvsim_bar_write_block(r->sim, 3, 0x1002, y, 13);
	by_words(r, 3, 0x2002, y, 13, true);
	nvsim_bar_fill(r->sim, 3, 0x1020, 0x99, 0x10);
	nvsim_vram_read(r->sim, 0x1000, x, 0x20);
	nvsim_vram_read(r->sim, 0x2000, x + 0x20, 0x20);
	tap(!memcmp(x, x + 0x20, 0x20) && x[1] == 0 && x[0] == 1 && peek(r, 0x1020) == 0x99999999,
	    "a big-endian card turns the bytes of BAR3's blocks, too");
	memset(x, 0, 16);
	nvsim_bar_read_block(r->sim, 3, 0x1002, x, 13);
	tap(!memcmp(x, y, 13) && clean(r), "and back");
}

static void test_block_details(void)
{
	struct rig *r = setup("g84");

	blocks_over_pages(r);
	block_into_page_table(r);
	blocks_outside(r);
	rig_destroy(r);

	r = rig_create("g84");
	blocks_in_direct_mode(r);
	rig_destroy(r);
}

int main(void)
{
	test_walk("g80");
	test_walk("g84");
	test_walk("mcp89");
	test_faults();
	test_limit_switch();
	test_dmaobj();
	test_tlb();
	test_many_pages();
	test_reserved_bits();
	test_bar_flush("g80");
	test_bar_flush("g98");
	test_igp();
	test_pfifo_tlb();
	test_stale_submissions();
	test_vram_push();
	test_tags();
	test_attributes();
	test_rights("g80");
	test_rights("g84");
	test_rights("mcp79");
	test_rights("gt215");
	test_split_beside_pfifo();
	test_split_beside_acquire();
	test_peephole("g80");
	test_peephole("g84");
	test_peephole("gt215");
	test_host_chan();
	test_peephole_rights();
	test_blocks("g84");
	test_blocks("mcp79");
	test_block_details();

	return tap_end();
}
