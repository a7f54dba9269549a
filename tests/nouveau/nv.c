// SPDX-License-Identifier: MIT
/*
 * The sequence of NVIDIA's X driver nv (xf86-video-nv), the third driver of this family that is
 * known to work on real cards. So the sequence has to work on the model.
 *
 * From user space, through the BARs, it loads one channel by hand, without page tables, playlist,
 * IB ring or context program, and draws with 2D. Then nvfifo must work on the card in the state
 * that nv left.
 *
 * sim/tests/test_nv.c has the same sequence without a guest. Prints TAP. No driver may be loaded
 * when it starts.
 */
#include "../rig/rig.h"
#include "../../hw/nvfifo_reg_table.h"

#define OBJECT_DMA	0x0019003du	/* VRAM, read and write, user */
#define OBJECT_CTX	0x00190002u
#define OBJECT_HOST	0x001a003du	/* host memory, where an IGP's is */
#define OBJECT_END	0x00010000u	/* word 5 */

#define H_PUSH		0x80000011u
#define H_2D		0x80000012u
#define H_VRAM		0x80000013u
#define H_NOTIFY	0x80000014u

#define PUSH_SIZE	0xe000u
#define PUSH_LIMIT	0x7fffu
#define INSTANCE_SIZE	0x80000u
#define NOTIFIER	0x11000u	/* from the base of instance memory */

#define PITCH		1024u
#define SCREEN		0x00100000u	/* address of the drawing */

/* The card, as nv sees it */
struct card {
	volatile uint32_t *regs;
	volatile uint8_t *vram;		/* through BAR1 */
	uint32_t vram_size;
	bool g80, igp;
	uint32_t base;			/* instance memory, as the firmware left the window */
	uint32_t push;			/* push buffer, an offset in VRAM */
	uint32_t put;			/* words */
};

static struct card card;

static uint32_t rd(uint32_t reg)
{
	return card.regs[reg / 4];
}

static void wr(uint32_t reg, uint32_t val)
{
	card.regs[reg / 4] = val;
}

static volatile uint32_t *vram_word(uint32_t offset)
{
	return (volatile uint32_t *)(card.vram + offset);
}

/* One of the card's files in sysfs, mapped whole. */
static volatile void *map_resource(unsigned int bar)
{
	char path[512];
	struct stat st;
	void *p;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource%u", card_slot(), bar);
	fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
	need(fd >= 0 && !fstat(fd, &st), "%s: %s", path, strerror(errno));
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(p != MAP_FAILED, "mapping %s: %s", path, strerror(errno));
	close(fd);
	return p;
}

static void card_open(void)
{
	uint16_t command = 0x0007;	/* I/O, memory, bus master */
	char path[512];
	const char *chip = getenv("CHIPSET");

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/enable", card_slot());
	need(!file_write(path, "1"), "%s", path);
	need(pwrite(ctl_open(), &command, 2, 4) == 2, "the command register");
	card.regs = map_resource(0);
	card.vram = map_resource(1);
	card.g80 = rd(NV_PMC_BOOT_0) >> 20 == 0x050;
	card.igp = chip && !strncmp(chip, "mcp", 3);
	card.vram_size = rd(NV_PFB_MEM_AMOUNT);
	card.push = card.vram_size - PUSH_SIZE;
}

static void inst(uint32_t off, uint32_t val)
{
	wr(NV_PMEM_WINDOW + off, val);
}

static void object(uint32_t at, uint32_t word0, uint64_t start, uint64_t limit)
{
	inst(at, word0);
	inst(at + 4, (uint32_t)limit);
	inst(at + 8, (uint32_t)start);
	inst(at + 12, (uint32_t)((limit >> 32) << 24 | start >> 32));
	inst(at + 16, 0);
	inst(at + 20, OBJECT_END);
}

static void instance_memory(void)
{
	static const uint32_t ramht[][2] = {
		{ 0, 0x00100642 }, { H_PUSH, 0x644 }, { H_2D, 0x00100646 },
		{ H_VRAM, 0x648 }, { H_NOTIFY, 0x64a },
	};
	uint64_t stolen = (uint64_t)rd(NV_PFB_FAKEFB_BASE) << 12;
	uint32_t i;

	for (i = 0; i < INSTANCE_SIZE; i += 4)
		inst(i, 0);

	if (!card.g80) {
		inst(0, 1);
		inst(4, card.base + 0x200);
	}

	object(card.g80 ? 0x200 : 0x20, OBJECT_CTX, card.base + 0x20000,
	       card.base + INSTANCE_SIZE - 1);

	for (i = 0; i < ARRAY_SIZE(ramht); i++) {
		inst(0x10000 + i * 8, ramht[i][0]);
		inst(0x10004 + i * 8, ramht[i][1]);
	}

	object(0x6420, 0x00190030, 0, 0);
	object(0x6440, OBJECT_DMA, card.push, card.push + 0x9fff);
	object(0x6460, 0x0000502d, 0, 0);
	if (card.igp)
		object(0x6480, OBJECT_HOST, stolen, stolen + card.vram_size - 1);
	else
		object(0x6480, OBJECT_DMA, 0, card.vram_size - 1);

	object(0x64a0, OBJECT_DMA, card.base + NOTIFIER, card.base + NOTIFIER + 0xf);
}

static void units_on(void)
{
	static const uint32_t traps[] = {
		0x400804, 0x406800, 0x400c04, 0x401800, 0x405018, 0x402000,
	};
	uint32_t i;

	wr(NV_PMC_ENABLE, 0xffff00ff);
	wr(NV_PMC_ENABLE, 0xffffffff);
	wr(NV_PFIFO_INTR, ~0u);
	wr(0x250c, 0x6f3cfc34);

	for (i = 0; i < ARRAY_SIZE(traps); i++)
		wr(traps[i], 0xc0000000);

	wr(NV_PGRAPH_TRAP, ~0u);
	wr(NV_PGRAPH_INTR, ~0u);
}

static void load_channel(void)
{
	wr(NV_PFIFO_CHAN_TABLE + 4,
	   card.g80 ? 0x80000000 | card.base >> 12 : 0x80000002 | card.base >> 8);
	wr(NV_CACHE1_DMA_FETCH, 0x000f0078);
	wr(NV_CACHE1_DMA_INSTANCE, 0x644);
	wr(NV_CACHE1_DMA_LIMIT, PUSH_LIMIT);
	wr(0x3254, 1);
	wr(NV_PFIFO_RAMHT, 0x1c001000);
	if (!card.g80) {
		wr(NV_CACHE1_CACHE_INST, (card.base + 0x1000) >> 10);
		wr(NV_CACHE1_CHAN_INST, card.base >> 12);
	}

	wr(0x400824, 0x4000);
	wr(NV_PGRAPH_CTXCTL_SWAP, 0x80000000 | card.base >> 12);
	wr(0x400320, 4);
	wr(NV_PGRAPH_CTXCTL_CUR, 0x80000000 | card.base >> 12);
	wr(NV_PGRAPH_CONTROL, 0x10001);
	wr(NV_CACHE1_PULL0, 1);
	wr(NV_CACHE1_PUSH0, 1);
	wr(NV_CACHE1_DMA_PUSH, 0x1001);
	wr(NV_CACHE1_PUSH1, 0x10001);
}

/* --- The push buffer ----------------------------------------------------------------- */

static void word(uint32_t v)
{
	*vram_word(card.push + 4 * card.put++) = v;
}

static void method(uint32_t mthd, uint32_t count, const uint32_t *data)
{
	word(count << 18 | mthd);
	while (count--)
		word(*data++);
}

#define METHOD(mthd, ...) \
	do { \
		const uint32_t data_[] = { __VA_ARGS__ }; \
		method(mthd, ARRAY_SIZE(data_), data_); \
	} while (0)

/* A read of VRAM orders the words before PUT. */
static bool kick_off(void)
{
	uint32_t user = NV_USER_BASE + NV_USER_BASE__STRIDE, tries;

	(void)*vram_word(card.push);
	wr(user + NV_USER_DMA_PUT, card.put * 4);

	for (tries = 0; tries < 1000; tries++) {
		if (rd(user + NV_USER_DMA_GET) == card.put * 4)
			return true;
		msleep(1);
	}

	return false;
}

static bool synchronize(void)
{
	volatile uint16_t *status = (volatile uint16_t *)(card.vram + card.base + NOTIFIER + 0xa);
	uint32_t tries;

	*status = 0x8000;
	METHOD(0x104, 0);
	METHOD(0x100, 0);
	if (!kick_off())
		return false;

	for (tries = 0; *status && tries < 1000; tries++)
		msleep(1);

	return !*status;
}

static uint32_t pixel(uint32_t x, uint32_t y)
{
	return *vram_word(SCREEN + y * PITCH + x * 4);
}

static void start_2d(void)
{
	uint32_t i;

	for (i = 0; i < 8; i++)
		word(0);

	METHOD(0, H_2D);
	METHOD(0x180, H_NOTIFY, H_VRAM, H_VRAM);
	METHOD(0x290, 0);
	METHOD(0x2ac, 3);
	METHOD(0x200, 0xcf, 1);
	METHOD(0x214, PITCH, 256, 256, 0, SCREEN);
}

static void draw(void)
{
	METHOD(0x580, 4, 0xcf, 0x00c0ffee);
	METHOD(0x600, 10, 20, 30, 40);
	check(synchronize(), "a rectangle, and the notifier says when");
	check(pixel(10, 20) == 0x00c0ffee && pixel(29, 39) == 0x00c0ffee && !pixel(9, 20) &&
	      !pixel(30, 39) && !pixel(10, 40), "which is where it should be");
	METHOD(0x230, 0xcf, 1);
	METHOD(0x244, PITCH, 256, 256, 0, SCREEN);
	METHOD(0x888, 0, 0);
	METHOD(0x8b0, 100, 100, 20, 20, 0, 1, 0, 1, 0, 10, 0, 20);
	check(synchronize() && pixel(100, 100) == 0x00c0ffee && pixel(119, 119) == 0x00c0ffee &&
	      !pixel(120, 119), "a blit");
}

/* The jump to the beginning at the end of the buffer */
static void wrap(void)
{
	uint32_t i;

	word(0x20000000);
	card.put = 0;
	kick_off();

	for (i = 0; i < 8; i++)
		word(0);

	METHOD(0x580, 4, 0xcf, 0x00123456);
	METHOD(0x600, 0, 0, 1, 1);
	check(synchronize() && pixel(0, 0) == 0x00123456, "round the push buffer");
}

static void third_client(void)
{
	uint32_t i;

	card_open();

	/* nv never writes a BAR flush, on which the model insists. */
	violations_allow(true);
	wr(NV_PBUS_HOST_MEM_BAR1, 0);

	for (i = 0; i < 8; i++)
		wr(0x1900 + 4 * i, 0);

	card.base = rd(NV_PBUS_HOST_MEM_PMEM) << 16;
	instance_memory();
	units_on();

	for (i = 0; i < PITCH * 256; i += 4)
		*vram_word(SCREEN + i) = 0;
	load_channel();
	start_2d();
	check(kick_off() && !rd(NV_PFIFO_INTR) && !rd(NV_PGRAPH_INTR),
	      "channel 1 is loaded by PUSH1 and takes its words");
	draw();
	wrap();
	violations_allow(false);
}

/* The channel of nv is still in PFIFO when the driver comes. */
static void driver_works(void)
{
	struct nv nv;
	struct ch ch;

	/* nv.sh has switched off that a driver takes all cards. */
	need(!module_load(""), "insmod");
	equal((uint32_t)card_bind(true), 0, "nvfifo takes the card");
	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	check(ch_works(&ch), "a channel of nvfifo works");
	graph_bind_m2mf(&ch);
	equal((uint32_t)ch_run(&ch), 1, "and an object of PGRAPH");
	nv_close(&nv);
	equal((uint32_t)module_unload(), 0, "and nvfifo leaves");
}

static void t_nv(void)
{
	third_client();
	driver_works();
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { TEST(t_nv) };
	const char *chosen = getenv("NV_CARD");

	if (chosen)
		card_choose(chosen);

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
