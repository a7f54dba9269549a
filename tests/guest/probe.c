// SPDX-License-Identifier: MIT
/*
 * Cards that the driver must refuse, and cards that are odd but usable.
 *
 *	probe [variant]
 *
 * The variant names the options of the model, see variants.txt. Without a variant the card
 * is an ordinary one.
 *
 * Guards cards that probe refuses or takes (probe-errors.rst), on each generation.
 */
#include "raw.h"

#include <sys/syscall.h>

#define SEM	0x1234

static const struct variant {
	const char *name;
	int err;			/* result of probe */
	const char *says;		/* part of its message */
	const char *params;		/* of the module with which it works after all */
	bool not_msi;			/* it has to work without MSI */
	bool rearms;			/* it has to take the re-arm of its MSI */
	bool quiet;			/* its leftovers do not disturb the driver */
} variants[] = {
	{ .name = "normal" },
	{ .name = "not-posted", .err = ENXIO, .says = "VBIOS has not been run" },
	{ .name = "efi", .err = ENXIO, .says = "load with posted=1", .params = "posted=1" },
	{ .name = "dead", .err = ENODEV, .says = "all ones" },
	{ .name = "unknown-chipset", .err = ENODEV, .says = "none of the NV50 family" },
	{ .name = "big-endian" },
	{ .name = "endian-stuck", .err = EIO, .says = "big-endian mode and stays in it" },
	{ .name = "boot-console", .err = EBUSY, .says = "boot console", .params = "console=1" },
	{ .name = "no-msi", .not_msi = true },
	{ .name = "msi-mirror", .rearms = true },
	{ .name = "small-vram", .err = ENODEV, .says = "need 32 MiB" },
	{ .name = "least-vram" },
	{ .name = "left", .quiet = true },
	{ .name = "swiotlb", .err = EIO, .says = "(swiotlb)" },
};

static const struct variant *variant;

static void works(const char *what)
{
	struct ch ch;
	struct nv nv;
	unsigned int i;
	bool ok = true;

	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));

	for (i = 0; i < 10; i++)
		ok &= ch_works(&ch);

	check(ok, "%s: a channel works", what);
	if (variant->not_msi)
		check(!(nv.dev.features & DRM_NVFIFO_FEATURE_MSI), "%s: without MSI", what);

	nv_close(&nv);
}

static void t_refused(void)
{
	unsigned int i;

	if (!variant->err) {
		skip("refusal # SKIP this card is usable");
		return;
	}

	need(!module_loaded() || !module_unload_soon(), "rmmod");
	equal((uint32_t)module_load(""), 0, "the module can be loaded");
	check(node_open() < 0, "there is no render node");

	/* Again and again: nothing may be left from the last attempt. */
	for (i = 0; i < 3; i++)
		refused(card_bind(true), variant->err, variant->name);

	check(log_has(variant->says), "the log says \"%s\"", variant->says);
	equal((uint32_t)module_unload_soon(), 0, "the module can be removed");
	equal((uint32_t)module_load(variant->params ? variant->params : ""), 0, "and loaded");
	if (variant->params)
		works(variant->params);
	else
		check(node_open() < 0, "there is still no render node");
}

static void t_usable(void)
{
	if (variant->err) {
		skip("use # SKIP this card is refused");
		return;
	}

	module_reload("");
	works(variant->name);
	equal((uint32_t)card_bind(false), 0, "unbind");
	check(node_open() < 0, "there is no render node");
	refused(card_bind(false), ENODEV, "unbind twice");
	equal((uint32_t)card_bind(true), 0, "bind");
	works("bound again");
}

static uint32_t interrupts_within(unsigned int ms)
{
	uint32_t before = stat_of(interrupts);

	msleep(ms);

	return stat_of(interrupts) - before;
}

/* Check that a wait for a fence ends by an interrupt, not by a look of the driver. */
static void interrupts_arrive(const char *name)
{
	uint32_t before, i;
	struct bo data;
	struct nv nv;
	struct ch ch;

	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	data = sys_bo(&nv, 4096);
	new_object(&ch, SEM, map(&nv, ch.vm, &data), data.size);
	before = stat_of(interrupts);
	for (i = 0; i < 20 && stat_of(interrupts) == before; i++)
		need(ch_sleep(&ch, SEM, data.map) == 1, "a wait for a fence");

	check(stat_of(interrupts) > before, "%s", name);
	nv_close(&nv);
}

/*
 * Interrupts that were on before the driver, or engines that ran. The vertical blank comes 60 times
 * per second, and a pending interrupt without a mask more often.
 */
static void t_left(void)
{
	uint32_t idle;

	if (!variant->quiet) {
		skip("leftovers # SKIP the card has none");
		return;
	}

	need(!module_loaded() || !module_unload_soon(), "rmmod");
	card_power_cycle();
	equal((uint32_t)module_load(""), 0, "the module can be loaded");

	works("a card with leftovers");

	interrupts_arrive("interrupts arrive");

	idle = interrupts_within(1000);
	check(idle < 10, "an idle card is quiet: %u interrupts in a second", idle);
	check(!log_has("of units that are not used"), "each was masked before it could come");
	check(!log_has("does not go away"), "and none had to be polled for");
}

/* Every message but the first needs a re-arm. */
static void t_rearm(void)
{
	struct nv nv;
	unsigned int i;

	if (!variant->rearms) {
		skip("re-arms # SKIP no quirk of this card is about them");
		return;
	}

	module_reload("");
	nv_open(&nv);
	check(nv.dev.features & DRM_NVFIFO_FEATURE_MSI, "the driver uses MSI");
	nv_close(&nv);

	for (i = 0; i < 3; i++)
		interrupts_arrive("one more message arrives");
}

#define SCREEN_FILE	"/src/build/uml-module/nvfifo_screen.ko"
#define SCREEN_FIRST	(20 * MIB)
#define SCREEN_BYTES	(3 * MIB)

/* PDISPLAY's objects: the register, and a place in VRAM that no screen shows */
#define OBJECTS		0x610010
#define OBJECTS_FIRST	(26 * MIB + 64 * KIB)
#define OBJECTS_VRAM	9	/* valid, in VRAM */
#define OBJECTS_SYSTEM	11	/* valid, in system memory */

/* Make a frame buffer of the firmware in BAR1. */
static bool screen_load(void)
{
	int fd = open(SCREEN_FILE, O_RDONLY | O_CLOEXEC);
	char options[128];

	if (fd < 0)
		return false;

	snprintf(options, sizeof(options), "slot=%s first=%llu size=%llu", card_slot(),
		 (unsigned long long)SCREEN_FIRST, (unsigned long long)SCREEN_BYTES);
	need(!syscall(SYS_finit_module, fd, options, 0), "insmod %s", SCREEN_FILE);
	close(fd);

	return true;
}

/* Bytes of VRAM in an address space, by their place */
struct vram {
	uint64_t shown, objects, below, above;
};

static void count_vram(uint32_t space, struct vram *vram)
{
	char *text = debug_text("nvfifo_vm/%u/tables", space), *line, *save;
	unsigned long long first, last, at;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "pte %llx-%llx %*x VRAM %llx", &first, &last, &at) != 3)
			continue;

		for (; first < last; first += 64 * KIB, at += 64 * KIB) {
			if (at < SCREEN_FIRST)
				vram->below += 64 * KIB;
			else if (at < SCREEN_FIRST + SCREEN_BYTES)
				vram->shown += 64 * KIB;
			else if (at == OBJECTS_FIRST)
				vram->objects += 64 * KIB;
			else
				vram->above += 64 * KIB;
		}
	}

	free(text);
}

/* A client's DMA object among those of the display would lead it to all memory. */
static void objects_at(uint64_t address, uint32_t kind)
{
	need(ctl_line("force %x %x", OBJECTS, (uint32_t)(address >> 8) | kind), "force");
}

/* No buffer gets the memory that the display shows, wherever in VRAM it is. */
static void t_screen(void)
{
	struct vram vram = { 0 };
	uint32_t vm, space, chipset;
	uint64_t va = GIB;
	struct bo bo;
	struct nv nv;
	struct ch ch;

	chipset = ctl(NVSIM_CTL_READ_REG, 0) >> 20 & 0x1ff;

	if (strcmp(variant->name, "normal") || nvfifo_chipset_is_igp(chipset)) {
		skip("a screen # SKIP on ordinary cards");
		return;
	}

	need(!module_loaded() || !module_unload_soon(), "rmmod");
	if (!screen_load()) {
		skip("a screen # SKIP the helper is in User Mode Linux only");
		equal((uint32_t)module_load(""), 0, "insmod");
		return;
	}

	equal((uint32_t)module_load(""), 0, "the module can be loaded");
	check(node_open() < 0, "a card with a frame buffer of the firmware is refused");
	objects_at(OBJECTS_FIRST, OBJECTS_VRAM);
	need(!module_unload_soon() && !module_load("console=1"), "insmod with console=1");

	nv_open(&nv);
	vm = new_vm(&nv);
	space = debug_last_vm();
	ch = ch_new(&nv, vm);

	while (!bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, 64 * KIB)) {
		need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "VM_BIND");
		va += 64 * KIB;
	}

	count_vram(space, &vram);
	equal(vram.shown, 0, "no buffer has memory that the display shows");
	equal(vram.objects, 0, "or the memory of its objects");
	check(vram.below >= 3 * MIB && vram.above >= 3 * MIB,
	      "but that on their sides: %llu and %llu KiB",
	      (unsigned long long)vram.below / KIB, (unsigned long long)vram.above / KIB);
	check(ch_works(&ch), "a channel works");
	nv_close(&nv);

	need(!module_unload_soon(), "rmmod");
	objects_at(0, OBJECTS_SYSTEM);
	equal((uint32_t)module_load("console=1"), 0, "the module can be loaded");
	check(node_open() < 0, "a display with objects in system memory is refused");
	check(log_has("objects of the display"), "and the log says why");
	need(ctl_line("force %x off", OBJECTS), "force");
	module_reload("");
	works("the next load, without a frame buffer");
}

static void refused_with(const char *params, const char *line)
{
	check(module_load(params) == -EINVAL && !module_loaded(), "%s is refused", params);
	check(log_has(line), "%s: the log says why", params);
}

static void t_parameters(void)
{
	struct nv nv;

	if (variant->err) {
		skip("parameters # SKIP this card is refused");
		return;
	}

	module_reload("msi=0");
	nv_open(&nv);
	check(!(nv.dev.features & DRM_NVFIFO_FEATURE_MSI), "msi=0: no MSI");
	nv_close(&nv);
	works("msi=0");
	module_reload("console=1");
	works("console=1 on a card that is no console");
	module_reload("job_timeout_ms=0");
	works("job_timeout_ms=0");
	need(!module_unload_soon(), "rmmod");
	check(module_load("msi=perhaps") == -EINVAL, "a parameter that is none is refused");
	check(!module_loaded(), "with the module not loaded");
	refused_with("job_timeout_ms=99", "nvfifo: job_timeout_ms=99 is not 0 or in 100 to 600000");
	refused_with("job_timeout_ms=600001", "nvfifo: job_timeout_ms=600001 is not 0 or");
	refused_with("engines=0x80", "nvfifo: engines=0x80 has bits outside of 0x7e");
	equal((uint32_t)module_load("job_timeout_ms=100 engines=0x7e"), 0, "insmod with the limits");
	need(!module_unload_soon(), "rmmod");
	equal((uint32_t)module_load(""), 0, "insmod");
}

static const struct test tests[] = {
	TEST(t_refused),
	TEST(t_usable),
	TEST(t_rearm),
	TEST(t_left),
	TEST_ONCE(t_screen),
	TEST(t_parameters),
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "normal";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(variants); i++)
		if (!strcmp(variants[i].name, name))
			variant = &variants[i];

	if (!variant) {
		fprintf(stderr, "probe: variant '%s' is none of", name);
		for (i = 0; i < ARRAY_SIZE(variants); i++)
			fprintf(stderr, " %s", variants[i].name);
		fprintf(stderr, "\n");
		return 2;
	}

	return run_tests(1, argv, tests, ARRAY_SIZE(tests));
}
