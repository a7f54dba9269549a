// SPDX-License-Identifier: MIT
/*
 * The model without channels: creation, configuration space, registers and their checks,
 * interrupts, PTIMER, PEEPHOLE, the control capability.
 */
#include "rig.h"

static void test_create(void)
{
	struct nvsim_host host = { 0 };
	struct nvsim_config cfg = {
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
	};
	char err[200] = "";

	cfg.chipset = "nv40";
	tap(!nvsim_create(&cfg, &host, err, sizeof(err)) && strstr(err, "chipset"),
	    "an unknown chipset is refused by name");
	cfg.chipset = "G84";
	cfg.vram_size = 12345;
	tap(!nvsim_create(&cfg, &host, err, sizeof(err)) && strstr(err, "vram_size"),
	    "an odd vram_size is refused");
	cfg.vram_size = VRAM_SIZE;
	cfg.bar1_size = 100 << 20;
	tap(!nvsim_create(&cfg, &host, err, sizeof(err)) && strstr(err, "bar1_size"),
	    "a bar1_size that is no power of two is refused");
	cfg.bar1_size = 128 << 20;
	cfg.bar3_size = 1 << 20;
	tap(!nvsim_create(&cfg, &host, err, sizeof(err)) && strstr(err, "bar3_size"),
	    "a bar3_size below 16 MiB is refused");
	cfg.bar3_size = 32 << 20;
	cfg.tags = 4097;
	tap(!nvsim_create(&cfg, &host, err, sizeof(err)) && strstr(err, "tags"),
	    "more tags than a PTE can name are refused");
}

static void test_identity(void)
{
	static const unsigned int ids[] = { 0x50, 0x84, 0x86, 0x92, 0x94, 0x96, 0x98, 0xa0,
					    0xaa, 0xac, 0xa3, 0xa5, 0xa8, 0xaf };
	unsigned int i;
	bool ok = true;

	for (i = 0; nvsim_chipset_names[i]; i++) {
		struct rig *r = rig_create(nvsim_chipset_names[i]);
		uint32_t boot0 = rd(r, NV_PMC_BOOT_0);
		bool igp = ids[i] == 0xaa || ids[i] == 0xac || ids[i] == 0xaf;

		ok &= NV_FLD_GET(NV_PMC_BOOT_0__CHIPSET, boot0) == ids[i];
		ok &= rd(r, NV_PFB_MEM_AMOUNT) == VRAM_SIZE;
		ok &= rd(r, NV_PMC_ENDIAN) == 0;
		if (i >= NV_CHIP_G94)
			ok &= rd(r, NV_PMC_NEW_ID) >> 20 == ids[i];
		if (igp)
			ok &= (uint64_t)rd(r, NV_PFB_FAKEFB_SIZE) << 12 == VRAM_SIZE;
		ok &= nvsim_cfg_read(r->sim, 0, 2) == 0x10de && clean(r);
		rig_destroy(r);
	}

	tap(i == 14 && ok, "all 14 chipsets identify themselves");
}

static void test_config_space(void)
{
	struct rig *r = rig_create("g84");
	unsigned int cap, seen = 0, n = 0;

	nvsim_cfg_write(r->sim, 0x10, ~0u, 4);
	nvsim_cfg_write(r->sim, 0x14, ~0u, 4);
	nvsim_cfg_write(r->sim, 0x18, ~0u, 4);
	nvsim_cfg_write(r->sim, 0x1c, ~0u, 4);
	nvsim_cfg_write(r->sim, 0x24, ~0u, 4);
	tap(nvsim_cfg_read(r->sim, 0x10, 4) == 0xff000000 &&
		    nvsim_cfg_read(r->sim, 0x14, 4) == 0xf800000c &&
		    nvsim_cfg_read(r->sim, 0x18, 4) == ~0u &&
		    nvsim_cfg_read(r->sim, 0x1c, 4) == 0xfe000004 &&
		    nvsim_cfg_read(r->sim, 0x24, 4) == 0,
	    "BARs size to 16, 128 and 32 MiB");

	for (cap = nvsim_cfg_read(r->sim, 0x34, 1); cap && n < 10; n++) {
		seen |= 1u << nvsim_cfg_read(r->sim, cap, 1);
		cap = nvsim_cfg_read(r->sim, cap + 1, 1);
	}

	tap(seen == (1u << 1 | 1u << 5 | 1u << 9 | 1u << 16),
	    "capabilities: PM, MSI, PCI Express, control");
	tap(nvsim_cfg_read(r->sim, 0x100, 4) == ~0u && nvsim_cfg_read(r->sim, 0xfe, 4) == ~0u &&
		    nvsim_cfg_read(r->sim, 0x200, 1) == 0xff,
	    "reads past configuration space are all ones");
	nvsim_cfg_write(r->sim, 4, 0, 2);
	tap(rd(r, 0) == ~0u && violated(r, "does not decode"), "no memory decoding, no registers");
	nvsim_cfg_write(r->sim, 4, 6, 2);
	nvsim_cfg_write(r->sim, 0x64, 3, 2);
	tap(rd(r, 0) == ~0u && violated(r, "does not decode"), "nor in D3");
	nvsim_cfg_write(r->sim, 0x64, 0, 2);
	tap(rd(r, NV_PPCI_CONFIG) == nvsim_cfg_read(r->sim, 0, 4) && clean(r),
	    "PPCI mirrors configuration space");
	rig_destroy(r);

	r = rig_create("mcp79");
	seen = 0;

	for (cap = nvsim_cfg_read(r->sim, 0x34, 1); cap; cap = nvsim_cfg_read(r->sim, cap + 1, 1))
		seen |= 1u << nvsim_cfg_read(r->sim, cap, 1);

	tap(!(seen & 1u << 16) && (nvsim_cfg_read(r->sim, 0x1c, 4) & 8),
	    "an IGP is no PCI Express endpoint, its RAMIN is prefetchable");
	rig_destroy(r);
}

static void sleep_and_wake(struct rig *r)
{
	nvsim_cfg_write(r->sim, 0x64, 3, 2);
	nvsim_cfg_write(r->sim, 0x64, 0, 2);
}

static void test_power(void)
{
	struct rig *r = rig_create("g84");
	uint32_t scratch = NV_PBUS_INTR_USER0_SCRATCH;

	vwr(r, 0x4000, 0x12345678);
	wr(r, scratch, 0xabcd);
	wr(r, NV_PBUS_INTR_EN, 1u << 26);
	wr(r, NV_PBUS_INTR_USER0_TRIGGER, 0);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	tap(nvsim_cfg_read(r->sim, 0x64, 2) == 8, "D0, and No_Soft_Reset while nothing is lost");
	nvsim_cfg_write(r->sim, 0x64, 1, 2);
	tap(!(nvsim_cfg_read(r->sim, 0x64, 2) & 3), "there is no D1");
	nvsim_cfg_write(r->sim, 0x64, 3, 2);
	tap((nvsim_cfg_read(r->sim, 0x64, 2) & 3) == 3 && !r->intx, "D3hot, no interrupt from there");
	nvsim_cfg_write(r->sim, 0x64, 2, 2);
	tap((nvsim_cfg_read(r->sim, 0x64, 2) & 3) == 3, "no way to D2 either");
	nvsim_cfg_write(r->sim, 0x64, 0, 2);
	tap(r->intx && rd(r, scratch) == 0xabcd && peek(r, 0x4000) == 0x12345678,
	    "keep: everything is there in D0");

	ctl(r, NVSIM_CTL_D3_LOSS, NVSIM_D3_COUNT);
	tap(ctl_result(r) == ~0u, "no such kind of loss");
	ctl(r, NVSIM_CTL_D3_LOSS, NVSIM_D3_LOST);
	tap(ctl_result(r) == NVSIM_D3_KEEP && nvsim_cfg_read(r->sim, 0x64, 2) == 0,
	    "lost: without No_Soft_Reset");
	tlb_flush(r, 5);
	sleep_and_wake(r);
	tap(nvsim_cfg_read(r->sim, 4, 2) == 0 && !r->intx, "lost: the command register is 0");
	nvsim_cfg_write(r->sim, 4, 6, 2);
	tap(rd(r, scratch) == 0 && !rd(r, NV_PBUS_INTR_EN) &&
		    rd(r, NV_PFB_MEM_AMOUNT) == VRAM_SIZE && !rd(r, NV_PTIMER_CLOCK_DIV) &&
		    (rd(r, NV_PMC_ENABLE) & 0x100),
	    "lost: registers are as after POST");
	tap(peek(r, 0x4000) == 0xd3d3d3d3 && peek(r, VRAM_SIZE - 4) == 0xd3d3d3d3,
	    "lost: VRAM holds something else");
	nvsim_bar_write(r->sim, 0, 0x6013d4, 0x1a, 1);
	tap(nvsim_bar_read(r->sim, 0, 0x6013d5, 1) == 2, "lost: CRTC bytes are as after POST");

	ctl(r, NVSIM_CTL_D3_LOSS, NVSIM_D3_UNPOSTED);
	sleep_and_wake(r);
	nvsim_cfg_write(r->sim, 4, 6, 2);
	nvsim_bar_write(r->sim, 0, 0x6013d4, 0x1a, 1);
	tap(rd(r, NV_PMC_BOOT_0) == 0x084000a1 && !nvsim_bar_read(r->sim, 0, 0x6013d5, 1) &&
		    !rd(r, NV_PMC_ENABLE) && !rd(r, NV_PTIMER_CLOCK_DIV),
	    "unposted: the VBIOS has not run");
	ctl(r, NVSIM_CTL_D3_LOSS, NVSIM_D3_GONE);
	sleep_and_wake(r);
	tap(rd(r, NV_PMC_BOOT_0) == ~0u, "gone: all ones");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_LOST);
	tap(rd(r, NV_PMC_BOOT_0) == 0x084000a1 && clean(r), "gone, until LOST is cleared");
	rig_destroy(r);
}

/* A channel sleeps with the card and continues after the resume. */
static void test_power_channel(void)
{
	struct rig *r = rig_create("g96");

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	submit(r, 1, M(0, 0x50, 1), 1);
	nvsim_cfg_write(r->sim, 0x64, 3, 2);
	tap(nvsim_run(r->sim, 1000) == UINT64_MAX, "PFIFO stands still in D3hot");
	nvsim_cfg_write(r->sim, 0x64, 0, 2);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 1, "and goes on in D0");

	ctl(r, NVSIM_CTL_D3_LOSS, NVSIM_D3_LOST);
	sleep_and_wake(r);
	nvsim_cfg_write(r->sim, 4, 6, 2);
	run(r);
	ctl(r, NVSIM_CTL_TLB_ENTRIES, 5);
	tap(!rd(r, NV_CACHE1_PUSH1) && !rd(r, NV_PFIFO_CACHES) && !ctl_result(r) &&
		    !(rd(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1)) & 1u << 31),
	    "lost: no channel, no TLB entry");

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	r->push_at[1] = 0;
	submit(r, 1, M(0, 0x50, 1), 7);
	run(r);
	tap(rd(r, user(1, NV_USER_REF)) == 7 && clean(r), "and the channel can be set up again");
	rig_destroy(r);
}

static void test_strict_registers(void)
{
	struct rig *r = rig_create("g84");

	tap(rd(r, 0x002f00) == 0 && violated(r, "no such register"), "unknown register, read");
	tap((rd(r, NV_PBUS_INTR) & 8) && rd(r, NV_PBUS_MMIO_FAULT_ADDR) == 0x2f00,
	    "PBUS keeps the address of a faulting read");
	wr(r, 0x500000, 0x1234);
	tap(violated(r, "no such register") && rd(r, NV_PBUS_MMIO_FAULT_ADDR) == 0x500002 &&
		    rd(r, NV_PBUS_MMIO_FAULT_DATA) == 0x1234,
	    "unknown register, write, with its data");
	wr(r, NV_PBUS_INTR, 8);
	tap(rd(r, NV_PBUS_INTR) == 0, "PBUS.INTR is cleared by writing ones");
	wr(r, NV_CACHE1_FLUSH_CTRL_G80, 1);
	tap(violated(r, "g84 does not have"), "0x330c is refused on a G84");
	rd(r, NV_PMC_INTR_MASK_HOST);
	tap(violated(r, "g84 does not have"), "0x640 is refused before GT215");
	nvsim_bar_read(r->sim, 0, NV_PMC_BOOT_0, 2);
	tap(violated(r, "32 bits"), "a 16-bit register access is refused");
	wr(r, NV_PMC_BOOT_0, 0);
	tap(violated(r, "read-only"), "a write to a read-only register is refused");
	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) & ~0x100u);
	tap(rd(r, NV_PFIFO_INTR) == 0 && violated(r, "switched off"),
	    "PFIFO's registers are gone while it is disabled");
	rd(r, user(1, NV_USER_IB_GET));
	tap(violated(r, "switched off"), "the USER area too");
	wr(r, NV_PMC_ENABLE, ~(1u << 14));
	tap(rd(r, NV_PCIPHER_INTR) == 0 && violated(r, "switched off"),
	    "PCIPHER's registers are gone while it is disabled");
	wr(r, NV_PMC_ENABLE, ~0u);
	rd(r, NV_PCIPHER_INTR);
	tap(clean(r), "and back when it is on");
	rig_destroy(r);

	r = rig_create("g80");
	rd(r, NV_CACHE1_SEMAPHORE_ADDRESS_LOW);
	tap(violated(r, "g80 does not have"), "0x3404 is refused on a G80");
	wr(r, NV_PFIFO_ENGINE_CTRL, 1);
	tap(violated(r, "g80 does not have"), "0x2520 is refused on a G80");
	wr(r, NV_PFLUSH_BAR_FLUSH, 1);
	tap(violated(r, "g80 does not have"), "0x070000 is refused on a G80");

	wr(r, NV_PFIFO_INTR_EN, 0x1051);
	wr(r, NV_PFIFO_C11_MIN_SLICE, 5);
	wr(r, NV_REG_AT(NV_CACHE1_CACHE_DATA, 9), 5);
	wr(r, NV_PMC_ENABLE, 0);
	wr(r, NV_PMC_ENABLE, ~0u);
	tap(rd(r, NV_PFIFO_INTR_EN) == 0 && rd(r, NV_REG_AT(NV_CACHE1_CACHE_DATA, 9)) == 0,
	    "switching PFIFO off clears its registers");
	tap(rd(r, NV_PFIFO_C11_MIN_SLICE) == 0x90100 && rd(r, NV_PFIFO_DEBUG_1) == 0x0072f200 &&
		    rd(r, NV_CACHE1_UNK104) == 3 && clean(r),
	    "PFIFO comes out of a reset with its reset values");
	rig_destroy(r);
}

static void test_intx(void)
{
	struct rig *r = rig_create("g84");

	wr(r, NV_PBUS_INTR_USER0_TRIGGER, 0);
	tap(!r->intx && rd(r, NV_PBUS_INTR) == 1u << 26, "a masked interrupt stays inside");
	wr(r, NV_PBUS_INTR_EN, 1u << 26);
	tap(!r->intx && rd(r, NV_PMC_INTR_HOST) == 1u << 28, "PMC shows PBUS");
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	tap(r->intx && rd(r, NV_PMC_INTR_LN_HOST) == 0, "INTx rises");
	nvsim_cfg_write(r->sim, 4, 0x406, 2);
	tap(!r->intx && (nvsim_cfg_read(r->sim, 6, 2) & 8), "INTx disable, status bit stays");
	nvsim_cfg_write(r->sim, 4, 0x006, 2);
	wr(r, NV_PBUS_INTR, 1u << 26);
	tap(!r->intx && rd(r, NV_PMC_INTR_HOST) == 0, "acknowledged, INTx falls");
	wr(r, NV_PMC_INTR_HOST, 1u << 31);
	tap(!r->intx, "SOFTWARE has its own enable bit");
	wr(r, NV_PMC_INTR_EN_HOST, 2);
	tap(r->intx, "SOFTWARE raises INTx");
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
	tap(!r->intx, "NO_IRQ swallows it");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_NO_IRQ);
	tap(r->intx && clean(r), "cleared, it shows again");
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	tap(!r->intx, "a lost card asserts nothing");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_LOST);
	tap(r->intx && clean(r), "and does again when it is back");
	rig_destroy(r);

	r = rig_create("gt215");
	wr(r, NV_PBUS_INTR_EN, 1u << 26);
	wr(r, NV_PBUS_INTR_USER0_TRIGGER, 0);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	wr(r, NV_PMC_INTR_MASK_HOST, ~(1u << 28));
	tap(!r->intx, "GT215: INTR_MASK_HOST keeps a source from the line");
	wr(r, NV_PMC_INTR_MASK_HOST, ~0u);
	tap(r->intx, "GT215: and lets it through");
	rig_destroy(r);
}

static void msi_on(struct rig *r)
{
	nvsim_cfg_write(r->sim, 0x6c, 0xfee00000, 4);
	nvsim_cfg_write(r->sim, 0x74, 0x41, 2);
	nvsim_cfg_write(r->sim, 0x6a, 1, 2);
	wr(r, NV_PBUS_INTR_EN, 1u << 26);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
}

static void user0(struct rig *r)
{
	wr(r, NV_PBUS_INTR, 1u << 26);
	wr(r, NV_PBUS_INTR_USER0_TRIGGER, 0);
}

static void test_msi(void)
{
	struct rig *r = rig_create("g92");

	msi_on(r);
	user0(r);
	tap(r->msis == 1 && !r->intx, "the first MSI arrives, INTx stays low");
	user0(r);
	tap(r->msis == 1, "G92: without re-arm no second one");
	nvsim_bar_write(r->sim, 0, NV_PPCI_CONFIG + 0x68, 0xff, 1);
	tap(r->msis == 1 && violated(r, "re-arm"), "G92: the MMIO mirror does not re-arm");
	wr(r, NV_PMC_INTR_EN_HOST, 0);
	nvsim_cfg_write(r->sim, 0x68, 0xff, 1);
	tap(r->msis == 1, "G92: re-armed while masked, nothing is sent");
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	tap(r->msis == 2, "G92: a pending interrupt is sent when unmasked");
	nvsim_cfg_write(r->sim, 0x68, 0xff, 1);
	tap(r->msis == 3, "G92: re-arm with the line high sends at once");
	tap(nvsim_cfg_read(r->sim, 0x68, 1) == 5 && clean(r), "the re-arm write changes nothing");
	rig_destroy(r);

	r = rig_create("g94");
	msi_on(r);
	user0(r);
	nvsim_cfg_write(r->sim, 0x68, 0xff, 1);
	user0(r);
	tap(r->msis == 1, "G94: a configuration write does not re-arm");
	nvsim_bar_write(r->sim, 0, NV_PPCI_MSI_REARM, 0xff, 1);
	tap(r->msis == 2 && clean(r), "G94: a byte write to 088068 does");

	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
	nvsim_bar_write(r->sim, 0, NV_PPCI_MSI_REARM, 0xff, 1);
	user0(r);
	tap(r->msis == 2, "NO_IRQ swallows MSIs");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_NO_IRQ);
	wr(r, NV_PPCI_MSI_REARM, 0xff);
	tap(!(nvsim_cfg_read(r->sim, 0x6a, 2) & 1) && violated(r, "MSI switched off"),
	    "G94: a write of 32 bits there also clears Message Control");
	wr(r, NV_PMC_INTR_EN_HOST, 0);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	tap(r->msis == 3, "G94: so no further message comes");
	nvsim_bar_write(r->sim, 0, NV_PPCI_CONFIG + 0x6a, 0x0081, 2);
	tap(nvsim_cfg_read(r->sim, 0x6a, 2) & 1 && clean(r), "G94: 16 bits reach it alone");
	rig_destroy(r);

	r = rig_create("mcp77");
	msi_on(r);
	tap(violated(r, "MCP77"), "MCP77: switching MSI on is a mistake");
	user0(r);
	tap(r->msis == 0, "MCP77: and no message arrives");
	rig_destroy(r);
}

static void test_ptimer(void)
{
	struct rig *r = rig_create("g84");
	uint32_t t0;

	r->now = 0x123456789aull;
	rig_units_on(r);
	tap(rd(r, NV_PTIMER_TIME_LOW) == 0x34567880 && rd(r, NV_PTIMER_TIME_HIGH) == 0x12,
	    "PTIMER shows ns without the low five bits");

	wr(r, NV_PTIMER_TIME_HIGH, 0);
	wr(r, NV_PTIMER_TIME_LOW, 0);
	t0 = rd(r, NV_PTIMER_TIME_LOW);
	r->now += 64;
	tap(t0 == 0 && rd(r, NV_PTIMER_TIME_LOW) == 64, "it can be set, and goes on");

	wr(r, NV_PTIMER_ALARM_LOW, 1000);
	wr(r, NV_PTIMER_INTR_EN, 1);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	tap(nvsim_run(r->sim, 10) == 1000 - 64 && !r->intx, "run tells when the alarm is due");
	r->now += 1000;
	nvsim_run(r->sim, 10);
	tap(r->intx && rd(r, NV_PMC_INTR_HOST) == 1u << 20, "the alarm interrupts");
	wr(r, NV_PTIMER_INTR, 1);
	tap(!r->intx && nvsim_run(r->sim, 10) == UINT64_MAX && clean(r), "once");
	rig_destroy(r);
}

static void test_apertures(void)
{
	struct rig *r = rig_create("g84");

	vwr(r, 0x123450, 0xdeadbeef);
	tap(peek(r, 0x123450) == 0xdeadbeef && vrd(r, 0x123450) == 0xdeadbeef,
	    "PMEM reaches VRAM");
	tap(nvsim_bar_read(r->sim, 1, 0x123450, 4) == 0xdeadbeef &&
		    nvsim_bar_read(r->sim, 3, 0x123452, 2) == 0xdead,
	    "BAR1 and BAR3 show VRAM directly after power-up");
	nvsim_bar_write(r->sim, 1, 0x123450, 0x1122334455667788ull, 8);
	tap(nvsim_bar_read(r->sim, 3, 0x123450, 8) == 0x1122334455667788ull &&
		    nvsim_bar_read(r->sim, 0, 0x700000 + 0x3450, 1) == 0x88,
	    "64-bit and byte accesses");
	wr(r, NV_PBUS_HOST_MEM_PMEM, (RAM_BASE >> 16) | 2u << 24);
	ram_set(r, 0x10, 0x77777777);
	tap(rd(r, NV_PMEM_WINDOW + 0x10) == 0x77777777, "PMEM reaches host memory with target 2");
	wr(r, NV_PBUS_HOST_MEM_PMEM, 1u << 24);
	tap(violated(r, "target 1"), "target 1 is refused");

	wr(r, NV_PBUS_HOST_MEM_PMEM, 0);
	wr(r, NV_PMC_VRAM_HIDE_HIGH, 0x1fffff);
	wr(r, NV_PMC_VRAM_HIDE_LOW, 0x80000000 | 0x100000);
	tap(nvsim_bar_read(r->sim, 1, 0x123450, 4) == 0 &&
		    nvsim_bar_read(r->sim, 1, 0x200000, 4) == 0,
	    "VRAM hide: reads give 0");
	wr(r, NV_PMC_VRAM_HIDE_LOW, 0);
	tap(nvsim_bar_read(r->sim, 1, VRAM_SIZE, 4) == 0 && violated(r, "behind the end"),
	    "BAR1 past the end of VRAM");

	nvsim_cfg_write(r->sim, 4, 2, 2);
	wr(r, NV_PBUS_HOST_MEM_PMEM, (RAM_BASE >> 16) | 2u << 24);
	rd(r, NV_PMEM_WINDOW);
	tap(violated(r, "bus mastering"), "no host memory without bus mastering");
	rig_destroy(r);
}

static void test_peephole(const char *chip)
{
	struct rig *r = rig_create(chip);
	uint32_t rw = r->g80 ? NV_PBUS_PEEPHOLE_RW_ADDR : NV_PEEPHOLE_RW_ADDR;
	uint32_t w = r->g80 ? NV_PBUS_PEEPHOLE_W_ADDR : NV_PEEPHOLE_W_ADDR;
	uint32_t first;

	wr(r, rw, 0x5000);
	wr(r, rw + 4, 0x11111111);
	wr(r, rw + 4, 0x22222222);
	tap(peek(r, 0x5000) == 0x11111111 && peek(r, 0x5004) == 0x22222222 && rd(r, rw) == 0x5008,
	    "%s: PEEPHOLE read/write port counts on", chip);
	wr(r, rw, 0x5000);
	first = rd(r, rw + 4);
	tap(first == 0x11111111 && rd(r, rw + 4) == 0x22222222, "%s: and reads", chip);
	wr(r, w, 0x6000);
	wr(r, w + 4, 0x33333333);
	tap(peek(r, 0x6000) == 0x33333333, "%s: the write port fires on a pair", chip);
	wr(r, w, 0x6000);
	wr(r, w, 0x6000);
	tap((rd(r, NV_PBUS_INTR) & 1u << 12) && rd(r, NV_PBUS_PEEPHOLE_W_CTRL) == 1 && clean(r),
	    "%s: pair mismatch is reported", chip);
	wr(r, w + 4, 0x44444444);
	tap(peek(r, 0x6000) == 0x44444444 && rd(r, NV_PBUS_PEEPHOLE_W_CTRL) == 0,
	    "%s: and the pair can still be completed", chip);

	wr(r, NV_PBUS_INTR, ~0u);
	wr(r, w, 0x6000);
	rd(r, w);
	tap(!rd(r, NV_PBUS_INTR) && rd(r, NV_PBUS_PEEPHOLE_W_CTRL) == 1,
	    "%s: reads do not break a pair", chip);
	wr(r, NV_PTIMER_INTR_EN, 0);
	wr(r, w + 4, 0x55555555);
	tap(rd(r, NV_PBUS_INTR) == 1u << 12 && peek(r, 0x6000) == 0x44444444,
	    "%s: a write elsewhere does", chip);

	wr(r, NV_PBUS_PEEPHOLE_W_CTRL, 0x100);
	wr(r, w, 0x6010);
	wr(r, w + 4, 0x66666666);
	wr(r, NV_PTIMER_INTR_EN, 0);
	wr(r, NV_PBUS_INTR, ~0u);
	wr(r, w + 4, 0x77777777);
	tap(!rd(r, NV_PBUS_INTR) && peek(r, 0x6010) == 0x77777777 && rd(r, w) == 0x6010 &&
		    rd(r, w + 4) == 0x77777777 && clean(r),
	    "%s: free-form: each write of the data fires", chip);
	rig_destroy(r);
}

static void test_efi(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.efi = true,
	};
	struct rig *r = rig_create_cfg(&cfg);

	nvsim_bar_write(r->sim, 0, NV_PRMIO_CRTC_INDEX, 0, 1);
	tap(!nvsim_bar_read(r->sim, 0, NV_PRMIO_CRTC_DATA, 1) && rd(r, NV_PFB_MEM_AMOUNT),
	    "a card that EFI has set up");
	rig_destroy(r);

	cfg.chipset = "mcp79";
	r = rig_create_cfg(&cfg);
	tap(!rd(r, NV_PFB_MEM_AMOUNT) && rd(r, NV_PFB_FAKEFB_SIZE), "and an IGP");
	rig_destroy(r);
}

/* Logs of these cards have these values. */
static void test_read_back(void)
{
	static const struct {
		const char *chip;
		uint32_t units, caches, fifo, graph;	/* ~0: in no log, and the model keeps all bits */
	} seen[] = {
		{"gt218", 0xdff3f113, 0x11, ~0u, ~0u},
		{"mcp79", 0xdff3d113, 0x01, 0x7ffd1151, 0x03711077},
	};
	size_t i;

	for (i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		struct rig *r = rig_create(seen[i].chip);

		wr(r, NV_PMC_ENABLE, ~0u);
		tap(rd(r, NV_PMC_ENABLE) == seen[i].units, "%s: PMC.ENABLE after ffffffff",
		    seen[i].chip);
		wr(r, NV_PFIFO_CACHES, 1);
		tap(rd(r, NV_PFIFO_CACHES) == seen[i].caches, "%s: CACHES after 1", seen[i].chip);
		wr(r, NV_PFIFO_CACHES, 0);
		tap(rd(r, NV_PFIFO_CACHES) == 0, "%s: CACHES after 0", seen[i].chip);
		wr(r, NV_PFIFO_INTR_EN, ~0u);
		tap(rd(r, NV_PFIFO_INTR_EN) == seen[i].fifo, "%s: PFIFO.INTR_EN after ffffffff",
		    seen[i].chip);
		wr(r, NV_PGRAPH_INTR_EN, ~0u);
		tap(rd(r, NV_PGRAPH_INTR_EN) == seen[i].graph, "%s: PGRAPH.INTR_EN after ffffffff",
		    seen[i].chip);
		rig_destroy(r);
	}
}

static void test_variants(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.not_posted = true,
	};
	struct rig *r = rig_create_cfg(&cfg);

	nvsim_bar_write(r->sim, 0, NV_PRMIO_CRTC_INDEX, 0x1a, 1);
	tap(rd(r, NV_PMC_ENABLE) == 0 && nvsim_bar_read(r->sim, 0, NV_PRMIO_CRTC_DATA, 1) == 0 &&
		    rd(r, NV_PTIMER_TIME_LOW) == 0,
	    "a card that was not POSTed");
	rig_destroy(r);

	r = rig_create("g84");
	nvsim_bar_write(r->sim, 0, NV_PRMIO_CRTC_INDEX, 0, 1);
	tap(nvsim_bar_read(r->sim, 0, NV_PRMIO_CRTC_DATA, 1) != 0, "one that was");
	rig_destroy(r);

	cfg.not_posted = false;
	cfg.boot0 = 0x0c0000a1;
	cfg.no_msi = true;
	cfg.is_boot_vga = true;
	r = rig_create_cfg(&cfg);
	tap(rd(r, 0) == 0x0c0000a1 && nvsim_cfg_read(r->sim, 0x60, 2) == 0x7801 &&
		    nvsim_cfg_read(r->sim, 8, 4) >> 8 == 0x030000,
	    "boot0, no_msi and is_boot_vga");
	rig_destroy(r);

	cfg.boot0 = 0;
	cfg.dead = true;
	r = rig_create_cfg(&cfg);
	wr(r, NV_PMC_ENABLE, 0);
	tap(rd(r, 0) == ~0u && nvsim_bar_read(r->sim, 1, 0, 8) == ~0ull, "a dead card");
	rig_destroy(r);

	cfg.dead = false;
	cfg.big_endian = true;
	r = rig_create_cfg(&cfg);
	tap(rd(r, 0) == 0xa1004008 && rd(r, NV_PMC_ENDIAN) == 0x01000001, "a big-endian card");
	wr(r, NV_PMC_ENDIAN, 0x01000001);
	tap(rd(r, 0) == 0x084000a1 && rd(r, NV_PMC_ENDIAN) == 0, "can be switched");
	rig_destroy(r);

	cfg.endian_stuck = true;
	r = rig_create_cfg(&cfg);
	wr(r, NV_PMC_ENDIAN, 0x01000001);
	tap(rd(r, NV_PMC_ENDIAN) == 0x01000001, "unless it is stuck");
	rig_destroy(r);
}

static void test_ctl(void)
{
	struct rig *r = rig_create("g84");

	tap(nvsim_cfg_read(r->sim, NVSIM_CTL_SIGNATURE, 4) == NVSIM_CTL_MAGIC, "the signature");
	ctl(r, NVSIM_CTL_MARK, 42);
	tap(!strcmp(r->last_trace, "MARK 42"), "MARK goes into the trace");

	rd(r, 0);
	ctl(r, NVSIM_CTL_RESET_STATS, 0);
	rd(r, 0);
	rd(r, 0);
	wr(r, NV_PMC_INTR_EN_HOST, 0);
	ctl(r, NVSIM_CTL_GET_STAT, 0);
	tap(ctl_result(r) == 2, "mmio_reads");
	ctl(r, NVSIM_CTL_GET_STAT, 1);
	tap(ctl_result(r) == 1, "mmio_writes");
	ctl(r, NVSIM_CTL_GET_STAT, 1000);
	tap(ctl_result(r) == ~0u, "no such counter");

	ctl(r, NVSIM_CTL_SET_ADDR, 0x9000);
	ctl(r, NVSIM_CTL_VRAM_WRITE, 0xaaaa5555);
	ctl(r, NVSIM_CTL_VRAM_WRITE, 0x5555aaaa);
	ctl(r, NVSIM_CTL_SET_ADDR, 0x9004);
	ctl(r, NVSIM_CTL_VRAM_READ, 0);
	tap(ctl_result(r) == 0x5555aaaa && peek(r, 0x9000) == 0xaaaa5555, "VRAM_READ, VRAM_WRITE");
	ctl(r, NVSIM_CTL_EXPECT_VIOLATION, 2);
	rd(r, 0x2f00);
	tap(r->violations == 0 && strstr(r->last_trace, "EXPECTED VIOLATION"),
	    "an expected violation does not fail");
	ctl(r, NVSIM_CTL_EXPECT_VIOLATION, 0);
	tap(ctl_result(r) == 1, "one of the two did not come");
	rd(r, 0x2f00);
	tap(violated(r, "no such register"), "the next one counts");
	ctl(r, NVSIM_CTL_INJECT, 99);
	tap(ctl_result(r) == ~0u, "no such injection");
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	tap(rd(r, 0) == ~0u && nvsim_bar_read(r->sim, 3, 0, 4) == ~0u &&
		    nvsim_run(r->sim, 1) == UINT64_MAX,
	    "LOST: all ones");
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	tap(rd(r, 0) != ~0u && clean(r), "and back");
	rig_destroy(r);
}

static uint32_t ctl_get(struct rig *r, uint32_t cmd, uint32_t arg)
{
	ctl(r, cmd, arg);
	return ctl_result(r);
}

#define FLUSHES_OF(r, n) \
	ctl_get(r, NVSIM_CTL_GET_STAT, offsetof(struct nvsim_stats, engine_flushes[n]) / 8)

static void ctl_flush_counters(struct rig *r)
{
	tlb_flush(r, 5);
	tlb_flush(r, 5);
	tlb_flush(r, 0xc);
	tap(FLUSHES_OF(r, 5) == 2 && FLUSHES_OF(r, 0xc) == 1 && FLUSHES_OF(r, 6) == 0 &&
		    ctl_get(r, NVSIM_CTL_GET_STAT,
			    offsetof(struct nvsim_stats, tlb_flushes) / 8) == 3,
	    "flushes by engine");
	tap(offsetof(struct nvsim_stats, violations) / 8 == 16, "the older counters stay in place");
	ctl(r, NVSIM_CTL_RESET_STATS, 0);
	tap(FLUSHES_OF(r, 5) == 0, "they are reset with the others");
}

static void ctl_tlb_entries(struct rig *r)
{
	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);
	tap(ctl_get(r, NVSIM_CTL_TLB_ENTRIES, 5) == 0, "an empty TLB");
	submit(r, 1, M(0, 0x50, 1), 7);
	run(r);
	tap(ctl_get(r, NVSIM_CTL_TLB_ENTRIES, 5) == 3, "PDE, ring and pushbuffer");
	tap(ctl_get(r, NVSIM_CTL_TLB_ENTRIES, 16) == ~0u, "no such engine");
}

static void ctl_read_reg_loaded(struct rig *r)
{
	tap(ctl_get(r, NVSIM_CTL_READ_REG, NV_CACHE1_PUSH0) == 1 &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_CACHE1_PUSH1) == 0x10001 &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_PFIFO_ENGINE_IDLE) == 0x3f &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1)) ==
			    (chan_entry(r, 1) | 1u << 31) &&
		    ctl_get(r, NVSIM_CTL_READ_REG, 0) == 0x0a3000a1,
	    "READ_REG: PFIFO and PMC");
	tap(ctl_get(r, NVSIM_CTL_READ_REG, user(1, NV_USER_REF)) == 7 &&
		    ctl_get(r, NVSIM_CTL_READ_REG, user(1, NV_USER_IB_GET)) == 1 &&
		    ctl_get(r, NVSIM_CTL_READ_REG, user(2, NV_USER_REF)) == ~0u,
	    "READ_REG: a loaded channel's page, a missing one's");
	tap(ctl_get(r, NVSIM_CTL_READ_REG, 0x2f00) == ~0u &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_PFB_POLLER_CFG) == ~0u &&
		    ctl_get(r, NVSIM_CTL_READ_REG, 0x1000000) == ~0u &&
		    ctl_get(r, NVSIM_CTL_READ_REG, 2) == ~0u &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_PEEPHOLE_RW_DATA) == ~0u &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_PEEPHOLE_RW_ADDR) == 0,
	    "READ_REG: an absent register is all ones");
}

static void ctl_read_reg(struct rig *r)
{
	struct nvsim_stats before, after;

	nvsim_get_stats(r->sim, &before);
	ctl_read_reg_loaded(r);
	nvsim_vram_write(r->sim, 0x120040, "PMEM", 4);
	wr(r, NV_PBUS_HOST_MEM_PMEM, 0x12);
	before.mmio_writes++;
	tap(ctl_get(r, NVSIM_CTL_READ_REG, NV_PMEM_WINDOW + 0x40) == 0x4d454d50 &&
		    ctl_get(r, NVSIM_CTL_READ_REG, NV_PPCI_CONFIG) ==
			    nvsim_cfg_read(r->sim, 0, 4),
	    "READ_REG: the windows");

	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	wr(r, NV_CACHE1_REF, 99);
	before.mmio_writes += 3;
	before.switches++;
	tap(ctl_get(r, NVSIM_CTL_READ_REG, user(1, NV_USER_REF)) == 7,
	    "READ_REG: an unloaded channel's page");
	wr(r, NV_PMC_ENABLE, 0);
	before.mmio_writes++;
	tap(ctl_get(r, NVSIM_CTL_READ_REG, NV_CACHE1_PUSH0) == 0,
	    "READ_REG: a unit that is off, as its reset left it");
	nvsim_cfg_write(r->sim, 4, 0, 2);
	tap(ctl_get(r, NVSIM_CTL_READ_REG, NV_PMC_ENABLE) == 0, "READ_REG: without memory decoding");
	nvsim_get_stats(r->sim, &after);
	tap(!memcmp(&before, &after, sizeof(before)) && clean(r),
	    "READ_REG counts as no access and is no violation");
}

/* Commands of the control capability that read state without changing it */
static void test_ctl_state(void)
{
	struct rig *r = rig_create("gt215");

	ctl_flush_counters(r);
	ctl_tlb_entries(r);
	ctl_read_reg(r);
	rig_destroy(r);
}

static uint8_t rom_byte(struct rig *r, uint32_t at)
{
	return nvsim_bar_read(r->sim, 0, 0x300000 + at, 1);
}

static uint32_t rom16(struct rig *r, uint32_t at)
{
	return rom_byte(r, at) | rom_byte(r, at + 1) << 8;
}

/* Found the way a driver finds them */
static void test_vbios(void)
{
	struct rig *r = rig_create("g92");
	uint32_t pcir, bit, dcb, i, size;
	uint8_t sum = 0;

	tap(rom16(r, 0) == 0xaa55 && rd(r, 0x300000) >> 24 == 0xcb, "PROM: signature");

	size = rom_byte(r, 2) * 512;

	for (i = 0; i < size; i++)
		sum += rom_byte(r, i);

	tap(size == 0x2000 && !sum, "PROM: size and checksum");
	pcir = rom16(r, 0x18);
	tap(rd(r, 0x300000 + pcir) == 0x52494350 && rom16(r, pcir + 4) == 0x10de &&
		    rom16(r, pcir + 6) == 0x0611 && rom16(r, pcir + 16) == size / 512 &&
		    rom_byte(r, pcir + 21) == 0x80,
	    "PROM: PCI data structure");

	for (bit = 0; bit < size; bit++)
		if (rom16(r, bit) == 0xb8ff && rom16(r, bit + 2) == 0x4942 &&
		    rom_byte(r, bit + 4) == 0x54)
			break;

	for (i = 0, sum = 0; i < rom_byte(r, bit + 8); i++)
		sum += rom_byte(r, bit + i);

	tap(bit < size && rom_byte(r, bit + 9) == 6 && rom_byte(r, bit + 10) == 2 && !sum &&
		    rom_byte(r, bit + 12) == 'i' && rom_byte(r, bit + 18) == 'I',
	    "PROM: table of tables");
	tap(rom_byte(r, rom16(r, bit + 16) + 3) == 0x60 && rom_byte(r, rom16(r, bit + 16) + 2) == 0x92,
	    "PROM: version");
	dcb = rom16(r, 0x36);
	tap(rom_byte(r, dcb) == 0x40 && rom_byte(r, dcb + 2) == 0 &&
		    rd(r, 0x300000 + ((dcb + 6) & ~3u)) >> 16 == 0xbdcb,
	    "PROM: no outputs");
	wr(r, 0x300000, 0);
	tap(rom16(r, 0) == 0xaa55 && rom_byte(r, size) == 0xff && clean(r), "PROM: cannot be written");
	rig_destroy(r);
}

static void test_whole_card(void)
{
	struct nvsim_config cfg = {
		.chipset = "gt215",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.whole_card = true,
	};
	struct rig *r = rig_create_cfg(&cfg);
	uint32_t en = rd(r, NV_PMC_ENABLE);

	wr(r, 0x020100, 0x12345678);
	nvsim_bar_write(r->sim, 0, 0x020101, 0xab, 1);
	tap(rd(r, 0x020100) == 0x1234ab78 && clean(r), "whole card: PTHERM holds written values");
	wr(r, 0x610050, 1);
	wr(r, NV_PMC_ENABLE, en & ~(1u << 30));
	tap(rd(r, 0x610050) == 0 && violated(r, "no such register"),
	    "whole card: PDISPLAY hangs on PMC.ENABLE");
	wr(r, NV_PMC_ENABLE, en);
	tap(rd(r, 0x102000) == 0 && violated(r, "no such register"), "whole card: no PCIPHER on GT215");
	tap(!(rd(r, NV_PBUS_HWUNITS_1) & 0x240), "whole card: only PGRAPH copies");
	tap(!rd(r, 0x10a4d0), "whole card: PDAEMON stands still");
	wr(r, 0x10a100, 2);
	wr(r, 0x10a4a0, 3);
	tap(rd(r, 0x10a4d0) == 0x00800c00 && rd(r, 0x10a4dc) == 0x00800c80 &&
		    rd(r, 0x10a4b0) == 3 && clean(r),
	    "whole card: started, it has rings, and takes messages");
	rig_destroy(r);

	r = rig_create("gt215");
	rd(r, 0x020100);
	tap(violated(r, "no such register"), "without it there is no PTHERM");
	rig_destroy(r);
}

static void test_trace(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.trace_mmio = true,
	};
	struct rig *r = rig_create_cfg(&cfg);

	wr(r, NV_PFIFO_INTR_EN, 0x00101051);
	tap(!strcmp(r->last_trace, "W 002140 PFIFO.INTR_EN 00101051"), "a write");
	rd(r, NV_PFIFO_INTR);
	tap(!strcmp(r->last_trace, "R 002100 PFIFO.INTR 00000000"), "a read");
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 5), 0);
	tap(!strcmp(r->last_trace, "W 002614 PFIFO.CHAN_TABLE[5] 00000000"), "an array element");
	wr(r, NV_PBUS_HOST_MEM_PMEM, 0x12);
	rd(r, NV_PMEM_WINDOW + 0x30);
	tap(!strcmp(r->last_trace, "R 700030 PMEM(120030) 00000000"), "the PMEM window");
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 5), 0x00001000);
	wr(r, user(5, NV_USER_IB_PUT), 0);
	tap(!strcmp(r->last_trace, "W c0a08c USER[5].IB_PUT 00000000") ||
		    strstr(r->last_violation, "IB mode"), "a channel's page");
	rig_destroy(r);
}

int main(void)
{
	test_create();
	test_identity();
	test_config_space();
	test_power();
	test_power_channel();
	test_strict_registers();
	test_intx();
	test_msi();
	test_ptimer();
	test_apertures();
	test_peephole("g80");
	test_peephole("g84");
	test_efi();
	test_read_back();
	test_variants();
	test_ctl();
	test_ctl_state();
	test_vbios();
	test_whole_card();
	test_trace();

	return tap_end();
}
