// SPDX-License-Identifier: MIT
/* "nvfifo chips": the chipsets of the family, without a card. */
#include <stdlib.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_boards.h"
#include "nvfifo_text.h"
#include "options.h"
#include "terminal.h"
#include "tools.h"

struct chip {
	__u32 id;
	const char *aliases;
	const char *video;
	__u16 class_3d;
	__u16 class_compute;
	const char *engines;	/* PFIFO engines 2 to 6 */
};

/* In the order of age, which the documents use for their ranges. */
static const struct chip chips[] = {
	{ 0x50, "NV50", "VP1", 0x5097, 0x50c0, "PMPEG PME PVP1" },
	{ 0x84, "NV84", "VP2", 0x8297, 0x50c0, "PMPEG PVP2 PCIPHER PBSP" },
	{ 0x86, "NV86", "VP2", 0x8297, 0x50c0, "PMPEG PVP2 PCIPHER PBSP" },
	{ 0x92, "NV92", "VP2", 0x8297, 0x50c0, "PMPEG PVP2 PCIPHER PBSP" },
	{ 0x94, "NV94", "VP2", 0x8297, 0x50c0, "PMPEG PVP2 PCIPHER PBSP" },
	{ 0x96, "NV96", "VP2", 0x8297, 0x50c0, "PMPEG PVP2 PCIPHER PBSP" },
	{ 0x98, "NV98", "VP3", 0x8297, 0x50c0, "PPPP PPDEC PSEC PVLD" },
	{ 0xa0, "GT200 NVA0", "VP2", 0x8397, 0x50c0, "PMPEG PVP2 PCIPHER PBSP" },
	{ 0xaa, "MCP78 NVAA", "VP3", 0x8397, 0x50c0, "PPPP PPDEC PSEC PVLD" },
	{ 0xac, "MCP7A NVAC", "VP3", 0x8397, 0x50c0, "PPPP PPDEC PSEC PVLD" },
	{ 0xa3, "NVA3", "VP4", 0x8597, 0x85c0, "PPPP PCOPY PPDEC PVLD" },
	{ 0xa5, "NVA5", "VP4", 0x8597, 0x85c0, "PPPP PCOPY PPDEC PVLD" },
	{ 0xa8, "NVA8", "VP4", 0x8597, 0x85c0, "PPPP PCOPY PPDEC PVLD" },
	{ 0xaf, "NVAF", "VP4", 0x8697, 0x85c0, "PPPP PCOPY PPDEC PVCOMP PVLD" },
};

#define CHIPS (sizeof(chips) / sizeof(chips[0]))

static const char help[] =
	"Usage: nvfifo chips [OPTIONS] [BOARD]\n\n"
	"List the 14 chipsets of the NV50 family, or the boards with all words of BOARD\n"
	"in their names or with its PCI id. Needs no card. --chipset and --model=\n"
	"accept the same names.\n\n"
	"  layout   which layout of the channel structure: G80's or G84's\n"
	"  sem64    has 64-bit semaphores, methods 0x10 to 0x1c\n"
	"  memory   VRAM on board, or stolen from system memory\n"
	"  3D       class of 3D objects; 2D is 0x502d and M2MF 0x5039 everywhere\n"
	"  engines  PFIFO's engines besides PGRAPH\n\n"
	"Options:\n"
	"  --boards      all boards, with their PCI ids\n"
	"  --json        print a JSON array\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 done, 1 no board of the family has that name, 2 a wrong option.\n\n"
	"Examples:\n"
	"  nvfifo chips\n"
	"  nvfifo chips 'GeForce 8600'\n"
	"  nvfifo chips 10de:061d\n"
	"  nvfifo chips --json | python3 -m json.tool\n";

static const char *layout(const struct chip *c)
{
	return c->id == 0x50 ? "G80" : "G84";
}

static const char *memory(const struct chip *c)
{
	return nvfifo_chipset_is_igp(c->id) ? "stolen" : "VRAM";
}

static bool has_sem64(const struct chip *c)
{
	return nvfifo_pfifo_method_valid(c->id, NVFIFO_MTHD_SEMAPHORE_TRIGGER);
}

/* Column of the engines in the table */
#define ENGINES_COLUMN	68

static void print_chip(const struct chip *c)
{
	printf("0x%02x  %-6s %-11s %-6s %-5s %-6s %-5s 0x%04x 0x%04x  ", c->id,
	       nvfifo_chipset_name(c->id), c->aliases, layout(c), has_sem64(c) ? "yes" : "no",
	       memory(c), c->video, c->class_3d, c->class_compute);
	print_wrapped(c->engines, ENGINES_COLUMN, ENGINES_COLUMN);
}

static void print_text(void)
{
	size_t i;

	printf("%s%-4s  %-6s %-11s %-6s %-5s %-6s %-5s %-6s %-7s %s%s\n", color(COLOR_HEAD), "id",
	       "name", "also", "layout", "sem64", "memory", "video", "3D", "compute", "engines",
	       color(COLOR_OFF));

	for (i = 0; i < CHIPS; i++)
		print_chip(&chips[i]);
}

static void print_json(void)
{
	struct nvfifo_json j = JSON_TO(stdout);
	size_t i;

	nvfifo_json_open(&j, NULL, '[');
	for (i = 0; i < CHIPS; i++) {
		const struct chip *c = &chips[i];
		char engines[80];

		snprintf(engines, sizeof(engines), "PGRAPH %s", c->engines);
		nvfifo_json_print(&j, "{id:%02x name:%s also:%s layout:%s semaphore64:%i igp:%i "
				  "video:%s class_2d:%04x class_m2mf:%04x class_3d:%04x "
				  "class_compute:%04x engines:%s}", c->id,
				  nvfifo_chipset_name(c->id), c->aliases, layout(c), has_sem64(c),
				  nvfifo_chipset_is_igp(c->id), c->video, 0x502d, 0x5039,
				  c->class_3d, c->class_compute, engines);
	}
	nvfifo_json_end(&j, ']');
}

/* The boards that @text names, "" for all. */
static int print_boards(const char *text, bool as_json)
{
	struct nvfifo_json j = JSON_TO(stdout);
	struct nvfifo_board b;
	size_t at = 0, found = 0;
	char id[12];

	if (as_json)
		nvfifo_json_open(&j, NULL, '[');

	while (nvfifo_board_next(text, &at, &b)) {
		found++;
		snprintf(id, sizeof(id), "10de:%04x", b.device);
		if (as_json)
			nvfifo_json_print(&j, "{pci:%s board:%s chip:%s chipset:%02x}", id, b.name,
					  b.chip, b.chipset);
		else
			printf("%s  %s%-6s%s 0x%02x  %s\n", id, color(COLOR_HEAD), b.chip,
			       color(COLOR_OFF), b.chipset, b.name);
	}

	if (as_json)
		nvfifo_json_end(&j, ']');
	if (found)
		return EXIT_OK;

	fflush(stdout);
	fprintf(stderr, "nvfifo: no board of the NV50 family (G80 to MCP89) is called '%s'; --boards lists all\n",
		text);

	return EXIT_DIFFERENT;
}

/* The words of the command line with blanks between them */
static void join(char **words, int count, char *text, size_t size)
{
	int i;

	text[0] = '\0';
	for (i = 0; i < count; i++)
		nvfifo_text_add(text, size, "%s%s", i ? " " : "", words[i]);
}

static int run(int argc, char **argv)
{
	bool json = false, boards = false;
	char text[200];
	const struct option_row rows[] = {
		OPTION_FLAG("json", 0, &json),
		OPTION_FLAG("boards", 0, &boards),
		OPTION_COLOR("color"),
		OPTION_END,
	};

	take_options(&cmd_chips, rows, ARGUMENTS_ANY, argc, argv);

	if (boards && optind < argc)
		return usage_error(&cmd_chips, "either --boards or a board's name");

	join(argv + optind, argc - optind, text, sizeof(text));
	if (boards || *text)
		return print_boards(text, json);
	if (json)
		print_json();
	else
		print_text();

	return EXIT_OK;
}

const struct subcommand cmd_chips = {
	.name = "chips",
	.summary = "the table of chipsets",
	.help = help,
	.run = run,
};
