// SPDX-License-Identifier: MIT
/* "nvfifo peek" and "poke": registers of BAR0, by name, through debugfs. */
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "regs.h"
#include "terminal.h"

static const char peek_help[] =
	"Usage: nvfifo peek [OPTIONS] REG [COUNT]\n"
	"       nvfifo peek --decode WORD REG\n"
	"       nvfifo peek --reads FILE\n"
	"       nvfifo peek --list [NAME]\n\n"
	"Read registers of the card, and show what their fields say. With COUNT, so many\n"
	"words from there on, or so many of the registers if there are several of the\n"
	"name.\n\n"
	REGS_HELP_NAMES REGS_HELP_ROOT
	"Options:\n"
	"  --all           show fields that are 0, too\n"
	"  --decode WORD   show what WORD would say in the register; needs no card\n"
	"  --reads FILE    decode a list of reads, '-' is standard input, and say what\n"
	"                  they mean together: lines 'NAME VALUE', 'ADDRESS VALUE',\n"
	"                  'VALUE ADDRESS', nvapeek's 'ADDRESS: VALUE ...', mmiotrace's\n"
	"                  'R 4 ...'; needs no card\n"
	"  --list          list the registers with NAME in their names; needs no card\n"
	REGS_HELP_WHERE
	"Exit codes: 0 done, 2 a wrong option, name or file, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo peek PFIFO.INTR\n"
	"  nvfifo peek CHAN_TABLE[1] 4\n"
	"  nvfifo peek 0x2500\n"
	"  nvfifo peek --json CACHE1.DMA_STATE.ERROR\n"
	"  nvfifo peek --decode 1c001000 PFIFO.RAMHT\n"
	"  nvfifo peek --list semaphore\n";

static const char poke_help[] =
	"Usage: nvfifo poke --yes-write-registers [OPTIONS] REG VALUE\n\n"
	"Write a register of the card, and show its old and its new value. The driver\n"
	"is not told: a wrong value can hang the card or the machine. With a\n"
	"field, or with --mask, the other bits stay as they are; in a register where\n"
	"ones clear bits (W1C) they are written as zeros.\n\n"
	REGS_HELP_NAMES REGS_HELP_ROOT
	"Options:\n"
	"  --yes-write-registers  without this nothing is written\n"
	"  --mask M        change these bits only\n"
	REGS_HELP_WHERE
	"Exit codes: 0 done, 1 the register does not read back what was written, 2 a\n"
	"wrong option or name, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo poke --yes-write-registers PBUS.INTR_USER0_SCRATCH[0] cafe0001\n"
	"  nvfifo poke --yes-write-registers PFIFO.CACHES.REASSIGN 0\n"
	"  nvfifo poke --yes-write-registers --mask 1 2500 1\n";

/* --- peek ---------------------------------------------------------------- */

static bool contains(const char *text, const char *piece)
{
	size_t n = strlen(piece);

	for (; *text; text++) {
		if (!strncasecmp(text, piece, n))
			return true;
	}

	return !n;
}

static int list_regs(const struct regs *r, const char *piece)
{
	const struct nvfifo_reg *reg = NULL, *f;
	unsigned int found = 0;

	while ((reg = nvfifo_reg_next(reg, r->chipset))) {
		char name[NVFIFO_REG_NAME_MAX], address[12];
		struct wrap w;
		FILE *out;

		snprintf(name, sizeof(name), "%s.%s", reg->block, reg->name);
		snprintf(address, sizeof(address), "%06x", reg->offset);
		if (!contains(name, piece) && !contains(address, piece))
			continue;

		found++;
		printf("%06x  %-3s  ", reg->offset, reg->access);
		out = wrap_begin(&w);
		fputs(name, out);
		if (reg->count > 1)
			fprintf(out, "[0..%u], %u bytes apart", reg->count - 1, reg->stride);

		for (f = NULL; (f = nvfifo_reg_field(reg, r->chipset, f));)
			fprintf(out, "%s%s", f == nvfifo_reg_field(reg, r->chipset, NULL) ? ": " : " ",
				f->name);
		wrap_end(&w, 17, 13);
	}

	if (!found)
		fprintf(stderr, "nvfifo: no register has '%s' in its name\n", piece);

	return found ? EXIT_OK : EXIT_USAGE;
}

static void print_field(const struct regs *r, const struct nvfifo_reg *reg,
			const struct nvfifo_reg *f, __u32 value)
{
	const char *unit = nvfifo_reg_unit(f, r->chipset);
	unsigned int bits = f->hi - f->lo + 1u;
	char text[NVFIFO_REG_VALUE_MAX];

	nvfifo_reg_value(reg, f, value, text);
	if (!*text && unit && strcmp(unit, f->name))
		snprintf(text, sizeof(text), "%s", unit);
	printf("    %-24s %.*x", f->name, (int)(bits + 3) / 4, regs_field_value(f, value));
	print_means(text);
	putchar('\n');
}

static void print_text_reg(const struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value)
{
	char text[NVFIFO_REG_VALUE_MAX] = "", name[NVFIFO_REG_NAME_MAX];
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref whole = *ref;
	__u32 known = 0;

	whole.field = NULL;
	nvfifo_reg_name(&whole, name);
	if (ref->reg)
		nvfifo_reg_value(ref->reg, NULL, value, text);

	printf("%06x  %s%08x%s  %s", ref->address, color(COLOR_HEAD), value, color(COLOR_OFF),
	       *name ? name : "(no name)");
	print_means(text);
	putchar('\n');

	while (ref->reg && (f = nvfifo_reg_field(ref->reg, r->chipset, f))) {
		known |= nvfifo_reg_mask(f);
		if (ref->field ? f == ref->field
			       : r->all || f->hi != f->lo || regs_field_value(f, value))
			print_field(r, ref->reg, f, value);
	}

	if (known && !ref->field && value & ~known)
		printf("    %-24s %08x\n", "(bits without a name)", value & ~known);
}

void regs_show(const struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value)
{
	struct nvfifo_json j = JSON_TO(stdout);

	if (!r->json) {
		print_text_reg(r, ref, value);
		return;
	}

	nvfifo_json_open(&j, NULL, '{');
	regs_print_json(r, &j, ref, value);
	nvfifo_json_end(&j, '}');
}

static int peek(struct regs *r, const struct nvfifo_reg_ref *first, unsigned long count)
{
	__u32 step = first->reg && first->reg->count > 1 ? first->reg->stride : 4, value;
	struct nvfifo_reg_ref ref = *first;
	unsigned long i;
	int ret;

	for (i = 0; i < count; i++) {
		if (i)
			nvfifo_reg_at(ref.address + step, r->chipset, &ref);
		if (ref.address >= NVFIFO_BAR0_BYTES)
			break;

		ret = regs_read(r, ref.address, &value);
		if (ret)
			return ret;

		ref.field = ref.reg == first->reg ? first->field : NULL;
		regs_show(r, &ref, value);
	}

	return EXIT_OK;
}

/* "--decode 1c001000 PFIFO.RAMHT" */
static int decode(struct regs *r, __u32 value, const char *name, bool count)
{
	struct nvfifo_reg_ref ref;
	int ret;

	if (count)
		return usage_error(r->cmd, "--decode accepts one register, and no COUNT");

	ret = regs_find(r, name, &ref);
	if (!ret)
		regs_show(r, &ref, value);

	return ret;
}

static int run_peek(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_peek, .debugfs = REGS_DEBUGFS, .fd = -1 };
	struct nvfifo_reg_ref ref;
	const char *word = NULL, *reads = NULL;
	unsigned long count = 1;
	__u32 value = 0;
	bool list = false;
	const struct option_row rows[] = {
		REGS_OPTIONS(&r),
		OPTION_FLAG("all", 0, &r.all),
		OPTION_TEXT("decode", 0, &word),
		OPTION_TEXT("reads", 0, &reads),
		OPTION_FLAG("list", 0, &list),
		OPTION_END,
	};
	int ret = take_options(r.cmd, rows, 2, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	if (list && (word || r.json || r.file || r.device))
		return usage_error(r.cmd, "--list goes without --decode, --json, --file and --device");
	if (word && (r.file || r.device))
		return usage_error(r.cmd, "--decode goes without --file and --device");
	if (reads && (word || list || r.file || r.device || optind < argc))
		return usage_error(r.cmd, "--reads goes with --chipset, --all and --json only");
	if (reads)
		return regs_reads(&r, reads);
	if (list)
		return list_regs(&r, optind < argc ? argv[optind] : "");
	if (word && !regs_parse_word(word, &value))
		return usage_error(r.cmd, "--decode is a hexadecimal word, 0 to ffffffff, not '%s'",
				   word);
	if (optind == argc)
		return usage_error(r.cmd, "the name or address of a register is missing");
	if (word)
		return decode(&r, value, argv[optind], optind + 1 < argc);

	if (optind + 1 < argc &&
	    (!parse_unsigned(argv[optind + 1], NVFIFO_BAR0_BYTES / 4, &count) || !count))
		return usage_error(r.cmd, "COUNT is 1 to %u, not '%s'", NVFIFO_BAR0_BYTES / 4,
				   argv[optind + 1]);

	/* Report a wrong name even without a card. */
	ret = regs_find(&r, argv[optind], &ref);
	if (!ret)
		ret = regs_open(&r, O_RDONLY);
	if (!ret)
		ret = regs_find(&r, argv[optind], &ref);
	if (!ret)
		ret = peek(&r, &ref, count);

	return regs_end(&r, ret);
}

/* --- poke ---------------------------------------------------------------- */

static int poke(struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value, __u32 mask)
{
	struct nvfifo_json j = JSON_TO(stdout);
	bool is_reg = ref->reg, wo = is_reg && !strcmp(ref->reg->access, "WO");
	bool w1c = is_reg && !strcmp(ref->reg->access, "W1C");
	char name[NVFIFO_REG_NAME_MAX];
	__u32 old = 0, word, now = 0;
	int ret = wo ? EXIT_OK : regs_read(r, ref->address, &old);

	if (ret)
		return ret;

	word = w1c || wo ? value & mask : (old & ~mask) | (value & mask);
	if (pwrite(r->fd, &word, sizeof(word), ref->address) != sizeof(word))
		return regs_file_error(r, "write");

	if (!wo)
		ret = regs_read(r, ref->address, &now);
	if (ret)
		return ret;

	nvfifo_reg_name(ref, name);
	if (r->json) {
		nvfifo_json_open(&j, NULL, '{');
		nvfifo_json_hex(&j, "address", 6, ref->address);
		nvfifo_json_string(&j, "register", name);
		nvfifo_json_hex(&j, "old", 8, old);
		nvfifo_json_hex(&j, "written", 8, word);
		nvfifo_json_hex(&j, "new", 8, now);
		nvfifo_json_end(&j, '}');
	} else if (wo) {
		printf("%06x  %s: %08x written; it cannot be read\n", ref->address, name, word);
	} else {
		printf("%06x  %s: was %08x, wrote %08x, is %s%08x%s", ref->address,
		       *name ? name : "(no name)", old, word, color(COLOR_HEAD), now,
		       color(COLOR_OFF));
		print_if(w1c, " (ones clear bits)");
		putchar('\n');
	}

	if (wo || w1c || !((now ^ word) & mask))
		return EXIT_OK;

	fflush(stdout);
	fprintf(stderr, "nvfifo: %06x does not read back what was written%s\n", ref->address,
		is_reg && !strcmp(ref->reg->access, "RO") ? ": it is for reading only" : "");

	return EXIT_DIFFERENT;
}

static int take_mask(const struct subcommand *cmd, void *ctx, const char *arg)
{
	if (regs_parse_word(arg, ctx))
		return EXIT_OK;
	return usage_error(cmd, "--mask is a hexadecimal word, 0 to ffffffff, not '%s'", arg);
}

static int run_poke(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_poke, .debugfs = REGS_DEBUGFS, .fd = -1 };
	__u32 mask = 0xffffffff, value;
	struct nvfifo_reg_ref ref;
	bool yes = false;
	const struct option_row rows[] = {
		REGS_OPTIONS(&r),
		OPTION_CALL("mask", 0, take_mask, &mask),
		OPTION_FLAG("yes-write-registers", 0, &yes),
		OPTION_END,
	};
	int ret = take_options(r.cmd, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	if (argc - optind != 2)
		return usage_error(r.cmd, "a register and a value are needed");

	if (!regs_parse_word(argv[optind + 1], &value))
		return usage_error(r.cmd, "the value is a hexadecimal word, 0 to ffffffff, not '%s'",
				   argv[optind + 1]);
	ret = regs_find(&r, argv[optind], &ref);
	if (ret)
		return ret;

	if (!yes)
		return usage_error(r.cmd, "a wrong value can hang the card or the machine: "
					  "--yes-write-registers says that you want it");
	ret = regs_open(&r, O_RDWR);
	if (!ret)
		ret = regs_find(&r, argv[optind], &ref);
	if (!ret && ref.field) {
		__u32 max = nvfifo_reg_mask(ref.field) >> ref.field->lo;

		if (value > max)
			ret = usage_error(r.cmd, "%s is 0 to %x, not %x", ref.field->name, max,
					  value);
		mask &= nvfifo_reg_mask(ref.field);
		value <<= ref.field->lo;
	}

	if (!ret)
		ret = poke(&r, &ref, value, mask);

	return regs_end(&r, ret);
}

const struct subcommand cmd_peek = {
	.name = "peek",
	.summary = "read registers by name",
	.help = peek_help,
	.run = run_peek,
};

const struct subcommand cmd_poke = {
	.name = "poke",
	.summary = "write a register",
	.help = poke_help,
	.run = run_poke,
};
