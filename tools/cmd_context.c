// SPDX-License-Identifier: MIT
/* "nvfifo context": the context program of PGRAPH, its image and its start, without a card. */
#include <stdlib.h>
#include <string.h>

#include "../sim/core/chip.h"
#include "../sim/core/grctx.h"
#include "json.h"
#include "nvfifo_grctx.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo context --chipset C [OPTIONS]\n\n"
	"Show what PGRAPH needs to switch between channels: the context program, the\n"
	"image of a new channel, and the registers that are set before. All three depend\n"
	"on the chipset and on the units of the card. Needs no card.\n\n"
	"Options:\n"
	"  --chipset C   g80 ... mcp89\n"
	"  --units U     the card's units, PBUS.HWUNITS_0 in hexadecimal ('nvfifo peek'\n"
	"                prints it); those of the model's card if not given\n"
	"  --gddr5       the card has GDDR5 memory\n"
	"  --image       the image's words instead of the program: offset and value\n"
	"  --init        the registers instead of the program: address, value, name\n"
	"  --json        one object of JSON with all three\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 done, 2 a wrong option.\n\n"
	"Examples:\n"
	"  nvfifo context --chipset g84\n"
	"  nvfifo context --chipset gt215 --units f703000f --gddr5 --image\n"
	"  nvfifo context --chipset g80 --json | python3 -m json.tool\n";

struct context {
	struct nvfifo_grctx gr;
	__u32 chipset;
	__u32 program[NVFIFO_GRCTX_PROGRAM_MAX];
	__u32 length;
	struct nvfifo_json j;
};

/* --- The program's instructions ------------------------------------------ */

#define FLAGS_PER_WORD	32

/* Flags of FLAGS_0 and of the status, which is word 2 */
static const char *flag_text(unsigned int flag, char *buf, size_t size)
{
	static const char *const names[3 * FLAGS_PER_WORD] = {
		[0] = "SAVING",
		[3] = "DROP_METHODS",
		[5] = "SAVE",
		[6] = "LOAD",
		[14] = "XFER_ENABLE",
		[31] = "SINGLE_STEP",
		[64] = "IDLE",
		[68] = "AUTO_SAVE",
		[69] = "AUTO_LOAD",
		[74] = "NEW_DMA_DONE",
		[75] = "XFER_BUSY",
		[77] = "ALWAYS",
		[79] = "INTR_PENDING",
	};
	const char *name = flag < 3 * FLAGS_PER_WORD ? names[flag] : NULL;

	int len = snprintf(buf, size, "FLAGS_%u.%u", flag / FLAGS_PER_WORD, flag % FLAGS_PER_WORD);

	if (name)
		snprintf(buf + len, size - (size_t)len, " %s", name);
	return buf;
}

static const char *command_name(unsigned int command)
{
	static const char *const names[] = {
		[0x04] = "take the context DMA object of the channel in SWAP",
		[0x05] = "SWAP = NEXT",
		[0x06] = "register pointer = SCRATCH",
		[0x07] = "transfer pointer = SCRATCH",
		[0x08] = "start the timer",
		[0x09] = "enable all units",
		[0x0c] = "end",
		[0x0d] = "CUR = NEXT",
	};

	if (command >= sizeof(names) / sizeof(names[0]) || !names[command])
		return "not known";

	return names[command];
}

static void put_register(const struct context *c, __u32 address, char *buf, size_t size)
{
	char name[NVFIFO_REG_NAME_MAX];
	struct nvfifo_reg_ref ref;

	nvfifo_reg_at(address, c->chipset, &ref);
	nvfifo_reg_name(&ref, name);
	snprintf(buf, size, "%06x%s%s", address, *name ? " " : "", name);
}

static void put_move(const struct context *c, __u32 insn, char *buf, size_t size)
{
	const __u32 count = insn >> 16 & 0xf;
	char name[NVFIFO_REG_NAME_MAX + 16], many[24];

	put_register(c, 0x400000 + (insn & 0x3fff) * 4, name, sizeof(name));
	snprintf(many, sizeof(many), "%u register%s", count, count == 1 ? "" : "s");
	snprintf(buf, size, "move %s from %s on", count ? many : "SCRATCH registers", name);
}

static void put_units(__u32 insn, char *buf, size_t size)
{
	__u32 units = insn & 0xffff;

	if (insn >> 16 & 1)
		units <<= 16;
	snprintf(buf, size, "disable units %08x", units);
}

/* Describe an instruction. Transfers go to the image while SAVING is set, else from it. */
static void describe(const struct context *c, __u32 insn, char *buf, size_t size)
{
	const char *is = insn >> 7 & 1 ? "clear" : "set";
	char text[120];

	switch (insn >> 20 & 0xf) {
	case 0x1:
		put_move(c, insn, buf, size);
		break;
	case 0x2:
		snprintf(buf, size, "SCRATCH = 0x%05x", insn & 0xfffff);
		break;
	case 0x3:
		snprintf(buf, size, "SCRATCH2 = 0x%05x", insn & 0xfffff);
		break;
	case 0x4:
		snprintf(buf, size, "to %03x if %s is %s", insn >> 8 & 0x1ff,
			 flag_text(insn & 0x7f, text, sizeof(text)), is);
		break;
	case 0x5:
		snprintf(buf, size, "wait until %s is %s",
			 flag_text(insn & 0x7f, text, sizeof(text)), is);
		break;
	case 0x6:
		snprintf(buf, size, "command %02x: %s", insn & 0x1f, command_name(insn & 0x1f));
		break;
	case 0x7:
		snprintf(buf, size, "%s %s", insn >> 7 & 1 ? "set" : "clear",
			 flag_text(insn & 0x7f, text, sizeof(text)));
		break;
	case 0x8:
		snprintf(buf, size, "transfer SCRATCH rows of area %u", insn >> 19 & 1);
		break;
	case 0x9:
		put_units(insn, buf, size);
		break;
	case 0xa:
		put_register(c, 0x400000 + (insn & 0x3fff) * 4, text, sizeof(text));
		snprintf(buf, size, "FLAGS_3 = %s", text);
		break;
	case 0xc:
		snprintf(buf, size, "to the first row of area %u", insn >> 19 & 1);
		break;
	default:
		snprintf(buf, size, "no instruction");
	}
}

/* --- Text ---------------------------------------------------------------- */

static void print_head(const struct context *c, const char *what)
{
	printf("%s%s, units %08x%s: %s%s\n", color(COLOR_HEAD), nvfifo_chipset_name(c->chipset),
	       c->gr.units, c->gr.gddr5 ? ", GDDR5" : "", what, color(COLOR_OFF));
}

static void print_program(const struct context *c)
{
	char what[60], text[240];
	__u32 i;

	snprintf(what, sizeof(what), "context program of %u words", c->length);
	print_head(c, what);

	for (i = 0; i < c->length; i++) {
		describe(c, c->program[i], text, sizeof(text));
		printf("%03x: %06x  %s\n", i, c->program[i], text);
	}
}

static void print_word(void *arg, __u32 at, __u32 value)
{
	(void)arg;
	printf("%06x  %08x\n", at, value);
}

static void print_image(const struct context *c)
{
	char what[60];

	snprintf(what, sizeof(what), "image of 0x%x bytes, 0 but for",
		 nvfifo_grctx_image(&c->gr, NULL, NULL));
	print_head(c, what);
	nvfifo_grctx_image(&c->gr, print_word, NULL);
}

static void print_register(void *arg, __u32 at, __u32 value)
{
	char text[NVFIFO_REG_NAME_MAX + 16];

	put_register(arg, at, text, sizeof(text));
	printf("%06x  %08x", at, value);

	/* After the address, six digits and a blank, comes the name. */
	if (text[6])
		printf("  %s", text + 7);
	putchar('\n');
}

static void print_init(struct context *c)
{
	print_head(c, "registers, in the order of the writes");
	nvfifo_grctx_init(&c->gr, c->program, c->length, print_register, c);
}

/* --- JSON ---------------------------------------------------------------- */

static void json_word(void *arg, __u32 at, __u32 value)
{
	struct context *c = arg;

	nvfifo_json_print(&c->j, "{offset:%06x value:%08x}", at, value);
}

static void json_register(void *arg, __u32 at, __u32 value)
{
	struct context *c = arg;

	nvfifo_json_print(&c->j, "{address:%06x value:%08x}", at, value);
}

static void print_json(struct context *c)
{
	struct nvfifo_json *j = &c->j;
	char text[240];
	__u32 i;

	*j = (struct nvfifo_json)JSON_TO(stdout);
	nvfifo_json_print(j, "{chipset:%s units:%08x gddr5:%i program:[",
			  nvfifo_chipset_name(c->chipset), c->gr.units, c->gr.gddr5);
	for (i = 0; i < c->length; i++) {
		describe(c, c->program[i], text, sizeof(text));
		nvfifo_json_print(j, "{word:%06x text:%s}", c->program[i], text);
	}
	nvfifo_json_print(j, "] image_bytes:%u image:[", nvfifo_grctx_image(&c->gr, NULL, NULL));
	nvfifo_grctx_image(&c->gr, json_word, c);
	nvfifo_json_print(j, "] init:[");
	nvfifo_grctx_init(&c->gr, c->program, c->length, json_register, c);
	nvfifo_json_print(j, "]}\n");
}

/* --- The subcommand ------------------------------------------------------ */

/* "f703000f"; there is at least one TP, ROP and MP on each card. */
static int take_units(const struct subcommand *cmd, void *ctx, const char *arg)
{
	__u32 *units = ctx;

	if (parse_word(arg, units) && *units & 0xffff && *units >> 16 & 0xff &&
	    *units >> 24 & 0xf)
		return EXIT_OK;

	return usage_error(cmd, "--units is a hexadecimal word with units in bits 0 to 15, 16 to 23 and 24 to 27, not '%s'",
			   arg);
}

static int run(int argc, char **argv)
{
	static struct context c;
	bool image = false, init = false, json = false;
	const struct option_row rows[] = {
		OPTION_CHIPSET("chipset", &c.chipset),
		OPTION_CALL("units", 0, take_units, &c.gr.units),
		OPTION_FLAG("gddr5", 0, &c.gr.gddr5),
		OPTION_FLAG("image", 0, &image),
		OPTION_FLAG("init", 0, &init),
		OPTION_FLAG("json", 0, &json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int chip;

	take_options(&cmd_context, rows, 0, argc, argv);
	if (image + init + json > 1)
		return usage_error(&cmd_context, "--image, --init and --json exclude each other");

	chip = nvfifo_chip_of(c.chipset);
	if (chip < 0)
		return usage_error(&cmd_context, "the option --chipset is missing");

	c.gr.chip = (enum nv_chip)chip;
	if (!c.gr.units)
		c.gr.units = sim_chips[chip].hwunits_0;
	c.length = nvfifo_grctx_program(&c.gr, c.program);
	if (json)
		print_json(&c);
	else if (image)
		print_image(&c);
	else if (init)
		print_init(&c);
	else
		print_program(&c);

	return EXIT_OK;
}

const struct subcommand cmd_context = {
	.name = "context",
	.summary = "PGRAPH's context program and image of a chipset",
	.help = help,
	.run = run,
};
