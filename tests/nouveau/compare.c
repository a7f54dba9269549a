// SPDX-License-Identifier: MIT
/*
 * Runs the same steps with nouveau or nvfifo on the model, with a mark between them. compare.py
 * compares the records of both runs.
 *
 *	compare mark NAME	one mark, for what a script does
 *	compare steps DRIVER	all steps, of nouveau or nvfifo
 *	compare hold DRIVER	a channel that runs until the machine is switched off
 *
 * With COMPARE_SLEEP in the environment there is a suspend as well. It takes minutes in an
 * emulator, because nouveau then reads and writes all of its instance memory word by word.
 *
 * Each mark is a line of the output, "mark N NAME", and a command N of the control capability.
 * The words of a channel's structures are lines "word PLACE VALUE".
 */
#include "../rig/rig.h"
#include "compare.h"

#define CHAN_TABLE	0x2600
#define CHANNELS	128
#define G80_ENGINES	0x200
#define G84_ENGINES	0
#define G84_RAMFC	0x4200
#define PGRAPH_SLOT	0x20	/* after the start of the engines' objects on G84 */
#define OBJECT_WORDS	6
#define RAMFC_END	0xa4

static const char *const names[] = {
	"other", "channel", "objects", "structures", "map", "work", "unmap", "free",
	"method", "handle", "semaphore", "graph", "trap", "suspend", "unload", "shutdown",
};

static const char *const mistakes[MISTAKES] = {
	"method", "handle", "semaphore", "graph", "trap",
};

static void mark(const char *name)
{
	uint32_t n;

	for (n = 0; n < ARRAY_SIZE(names) && strcmp(names[n], name); n++)
		;

	need(n < ARRAY_SIZE(names), "'%s' is no step", name);

	ctl(NVSIM_CTL_MARK, n);
	printf("mark %u %s\n", n, name);
	fflush(stdout);
}

/* Without one step there is nothing to compare, and the steps after it may wait for minutes. */
static void step(const char *name, bool ok)
{
	if (ok)
		return;
	printf("failed %s: %s\n", name, strerror(errno));
	exit(1);
}

static void words(const char *what, uint32_t address, uint32_t count)
{
	uint32_t i;

	ctl(NVSIM_CTL_SET_ADDR, address);
	for (i = 0; i < count; i++)
		printf("word %s.%02x %08x\n", what, i * 4, ctl(NVSIM_CTL_VRAM_READ, 0));
}

static uint32_t vram_word(uint32_t address)
{
	ctl(NVSIM_CTL_SET_ADDR, address);
	return ctl(NVSIM_CTL_VRAM_READ, 0);
}

/* The structures of the youngest channel, which has the highest number. */
static void structures(bool g80)
{
	uint32_t id, entry = 0, inst, ramfc, object;

	for (id = CHANNELS; id-- && !(entry & 1u << 31);)
		entry = ctl(NVSIM_CTL_READ_REG, CHAN_TABLE + id * 4);

	ramfc = (entry & 0xfffffff) << (g80 ? 12 : 8);
	inst = g80 ? ramfc : vram_word(ramfc + 0x98) << 12;
	object = inst + ((vram_word(ramfc + 0x48) & 0xffff) << 4);
	printf("word CHAN_TABLE.00 %08x\n", entry);
	words("RAMFC", ramfc, RAMFC_END / 4);
	words("PGRAPH", inst + (g80 ? G80_ENGINES : G84_ENGINES + PGRAPH_SLOT), OBJECT_WORDS);
	words("PUSHBUF", object, OBJECT_WORDS);
}

/* A step is over when the work items and interrupts that it caused are done, too. */
static void settle(void)
{
	msleep(300);
}

static void one_channel(const struct driver *d)
{
	const char *chipset = getenv("CHIPSET");

	mark("channel");
	step("channel", d->channel());
	settle();
	mark("objects");
	step("objects", d->objects());
	settle();
	mark("structures");
	structures(chipset && !strcmp(chipset, "g80"));
	mark("map");
	step("map", d->map());
	settle();
	mark("work");
	step("work", d->work());
	settle();
	mark("unmap");
	step("unmap", d->unmap());
	settle();
	mark("free");
	step("free", d->channel_free());
	settle();
}

static void errors(const struct driver *d)
{
	enum mistake m;

	for (m = 0; m < MISTAKES; m++) {
		mark("other");
		step("a channel again", d->channel() && d->objects());
		settle();
		mark(mistakes[m]);
		step(mistakes[m], d->mistake(m));
		settle();
		mark("other");
		step("its end", d->channel_free());
		settle();
	}
}

/* pm_test brings the kernel back by itself when all devices are asleep. */
static void sleeps(const struct driver *d)
{
	mark("other");
	step("a channel that sleeps", d->channel() && d->objects() && d->work());
	if (file_write("/sys/power/pm_test", "platform") ||
	    file_write("/sys/module/suspend/parameters/pm_test_delay", "0") ||
	    file_write("/sys/power/pm_async", "0"))
		step("pm_test", false);
	settle();
	mark("suspend");
	step("suspend", !file_write("/sys/power/state", "freeze"));
	settle();
	mark("other");
	step("work after it", d->work());
	step("its end", d->channel_free());
	settle();
}

/* The process lives, and its channel with it, when the kernel shuts the devices down. */
static void hold(const struct driver *d)
{
	step("a channel that is held", d->open() && d->channel() && d->objects() && d->work());
	settle();
	mark("shutdown");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const struct driver *d = &nouveau_driver;

	if (argc != 3 || !ctl_present()) {
		fprintf(stderr, "compare mark NAME | steps DRIVER | hold DRIVER, on the model\n");
		return 2;
	}

	if (!strcmp(argv[1], "mark")) {
		mark(argv[2]);
		return 0;
	}

	if (!strcmp(argv[2], nvfifo_driver.name))
		d = &nvfifo_driver;

	if (!strcmp(argv[1], "hold"))
		hold(d);

	mark("other");
	step("open", d->open());
	one_channel(d);
	errors(d);
	if (getenv("COMPARE_SLEEP"))
		sleeps(d);

	mark("other");

	return 0;
}
