// SPDX-License-Identifier: MIT
/* Boards: the names that people have for their cards lead to the chips. */
#include "nvfifo_advice.h"
#include "nvfifo_boards.h"
#include "tap.h"

static const struct {
	const char *text;
	__u32 chipset;
	const char *chips;
} names[] = {
	{ "GeForce 8600", 0x84, "G84" },
	{ "geforce 8600 gt", 0x84, "G84" },
	{ "Quadro FX 2800M", 0x92, "G92" },
	{ "MacBook 9400M", 0xac, "MCP79" },
	{ "ION", 0, "MCP79, GT218" },
	{ "GTX 295", 0xa0, "G200" },
	{ "NVIDIA Corporation GeForce 320M", 0xaf, "MCP89" },
	{ "8400M GS", 0x86, "G86" },
	{ "9800 GT", 0, "G92, G94" },
	{ "9800GX2", 0x92, "G92" },
	{ "FX2800M", 0x92, "G92" },
	{ "MacBookPro5,1", 0, "MCP79, G96" },
	{ "MacBook Pro 6", 0xa5, "GT216" },
	{ "9650", 0, "G84, G96" },
	{ "10de:0402", 0x84, "G84" },
	{ "0a65", 0xa8, "GT218" },
	{ "10de:1401", 0, "" },
	{ "GeForce RTX 3060", 0, "" },
	{ "GeForce", 0, "" },
	{ "MacBookPro6,2", 0xa5, "GT216" },
	{ "", 0, "" },
};

static void test_names(void)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char chips[80] = "";
		__u32 chipset = nvfifo_board_chipset(names[i].text, chips, sizeof(chips));

		if (!tap(chipset == names[i].chipset && !strcmp(chips, names[i].chips),
			 "'%s' is %s", names[i].text, *names[i].chips ? names[i].chips : "no board"))
			printf("# %x, %s\n", chipset, chips);
	}
}

/* Each row has an id of the family, and its whole name finds it. */
static void test_table(void)
{
	struct nvfifo_board b, found;
	unsigned int wrong = 0, count = 0;
	size_t at = 0, again;
	bool same;

	while (nvfifo_board_next("", &at, &b)) {
		count++;
		same = false;
		again = 0;
		while (b.chipset && nvfifo_board_next(b.name, &again, &found))
			same = same || (found.device == b.device && found.chipset == b.chipset);
		if (same)
			continue;

		printf("# %04x %s is not found by its name\n", b.device, b.name);
		wrong++;
	}

	tap(count > 250 && !wrong, "each of %u boards has a chip and is found by its name", count);
}

int main(void)
{
	test_names();
	test_table();
	return tap_end();
}
