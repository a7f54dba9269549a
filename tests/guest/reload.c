// SPDX-License-Identifier: MIT
/*
 * Repeated loading and removal of the module, with a submission in each round and work in
 * flight at the removal. After it the card must be quiet: no DMA and no interrupts.
 *
 *	reload [N]	N rounds, default 100 on G84 and 6 elsewhere
 *
 * The script that runs this test looks for leaks.
 *
 * Guards the kernel: a quiet card after rmmod (threat-model.rst), on each generation.
 */
#include "nvfifo_text.h"
#include "raw.h"

#include <linux/pci_regs.h>

#define SEM 0x1234

static unsigned int rounds;

static uint16_t config16(int offset)
{
	char path[128];
	uint16_t v = 0xffff;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", card_slot());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &v, 2, offset) != 2)
		diag("%s: %s", path, strerror(errno));
	close(fd);
	return v;
}

/* Is MSI on? Found in the list of capabilities, as its place differs. */
static bool msi_enabled(void)
{
	uint8_t at = (uint8_t)config16(PCI_CAPABILITY_LIST);
	int n;

	for (n = 0; at >= 0x40 && n < 48; n++) {
		uint16_t head = config16(at);

		if ((head & 0xff) == PCI_CAP_ID_MSI)
			return config16(at + PCI_MSI_FLAGS) & PCI_MSI_FLAGS_ENABLE;
		at = (uint8_t)(head >> 8);
	}

	return false;
}

static bool quiet(void)
{
	uint32_t reads = stat_of(dma_reads), writes = stat_of(dma_writes);
	uint32_t irqs = stat_of(interrupts), methods = stat_of(methods);
	bool ok = true;

	if (config16(PCI_COMMAND) & PCI_COMMAND_MASTER) {
		diag("the card is still a bus master");
		ok = false;
	}

	if (msi_enabled()) {
		diag("MSI is still on");
		ok = false;
	}

	msleep(30);
	if (stat_of(dma_reads) != reads || stat_of(dma_writes) != writes ||
	    stat_of(interrupts) != irqs || stat_of(methods) != methods) {
		diag("the card still does something: %u reads, %u writes, %u interrupts, %u methods",
		     stat_of(dma_reads) - reads, stat_of(dma_writes) - writes,
		     stat_of(interrupts) - irqs, stat_of(methods) - methods);
		ok = false;
	}

	return ok;
}

/* Load and unload the module once; with @busy a channel still has work that waits. */
static bool life(bool busy, const char *params)
{
	struct bo data;
	struct ch ch;
	struct nv nv;
	uint32_t vm;
	int ret;
	bool ok;

	ret = module_load(params);
	if (ret) {
		diag("insmod: %s", strerror(-ret));
		return false;
	}

	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	ok = ch_works(&ch);
	if (busy) {
		data = sys_bo(&nv, 4096);
		new_object(&ch, SEM, map(&nv, vm, &data), 4096);
		p_acquire(&ch, SEM, 0, 1);
		ok = ok && !ch_submit(&ch);
		msleep(5);
		ok = ok && !card_bind(false);
	}

	nv_close(&nv);
	ret = module_unload_soon();
	if (ret)
		diag("rmmod: %s", strerror(-ret));
	return ok && !ret && quiet();
}

static void t_reload(void)
{
	unsigned int i;
	bool ok = true;

	need(!module_loaded() || !module_unload_soon(), "rmmod");
	check(quiet(), "the card is quiet after rmmod");
	for (i = 0; i < rounds && ok; i++) {
		/* A long run is not a hang. */
		alarm(TEST_S);
		ok = life(i % 5 == 4, i % 7 == 6 ? "msi=0" : "");
		if (!ok)
			diag("in round %u", i + 1);
	}

	check(ok, "%u rounds of insmod, submission and rmmod, the card quiet after each", rounds);
	check(life(true, ""), "rmmod after unbind with work in flight leaves the card quiet");
}

/* Modules that are removed at once. */
static void t_load_unload(void)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < 3 && ok; i++)
		ok = !module_load("") && !module_unload_soon() && quiet();
	check(ok, "insmod and rmmod without anything in between");
	equal((uint32_t)module_load(""), 0, "insmod");
}

/* A load without interrupts, for the first look at a card, and one with them */
static void t_no_interrupts(void)
{
	uint32_t before;

	need(!module_loaded() || !module_unload_soon(), "rmmod");
	before = stat_of(interrupts);
	check(life(false, "interrupts=0"), "interrupts=0: work ends, and rmmod leaves the card quiet");
	equal(stat_of(interrupts), before, "the card has raised no interrupt");

	check(life(false, ""), "without the parameter");
	check(stat_of(interrupts) != before, "the card has raised interrupts");
	equal((uint32_t)module_load(""), 0, "insmod");
}

static const struct test tests[] = {
	TEST(t_reload),
	TEST(t_load_unload),
	TEST(t_no_interrupts),
};

int main(int argc, char **argv)
{
	const char *chipset = getenv("CHIPSET");

	rounds = argc > 1 ? (unsigned int)nvfifo_text_value(argv[1], 10) : 0;
	if (!rounds)
		rounds = chipset && !strcmp(chipset, "g84") ? 100 : 6;
	return run_tests(1, argv, tests, ARRAY_SIZE(tests));
}
