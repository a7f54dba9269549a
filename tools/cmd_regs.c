// SPDX-License-Identifier: MIT
/* "nvfifo peek", "poke" and "watch": registers of BAR0, by name, through debugfs or in a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_names.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"
#include "options.h"
#include "terminal.h"
#include "tools.h"

#define HELP_WHERE \
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n" \
	"                  the first card of the nvfifo driver if not given\n" \
	"  --debugfs DIR   where debugfs is, /sys/kernel/debug if not given\n" \
	"  --file FILE     work on FILE, an image of BAR0, instead of a card\n" \
	"  --chipset C     g80 ... mcp89: names as on this chipset, whatever PMC.BOOT_0\n" \
	"                  says\n" \
	"  --json          one object of JSON for each register\n" \
	"  --color WHEN    auto (default), always, never\n\n"

#define HELP_NAMES \
	"REG is a name such as PFIFO.CACHES, pull0 or CHAN_TABLE[3] (any case; the block\n" \
	"may be left out where the rest is unique), such a name with a field,\n" \
	"PFIFO.CACHES.REASSIGN, or an address in BAR0; +OFFSET may follow. Addresses,\n" \
	"offsets, values and masks are hexadecimal, with or without 0x; indices and\n" \
	"counts are decimal.\n\n"

#define HELP_ROOT \
	"Needs root, debugfs and the nvfifo driver; a kernel in lockdown refuses it.\n\n"

static const char peek_help[] =
	"Usage: nvfifo peek [OPTIONS] REG [COUNT]\n"
	"       nvfifo peek --decode WORD REG\n"
	"       nvfifo peek --reads FILE\n"
	"       nvfifo peek --list [NAME]\n\n"
	"Read registers of the card, and show what their fields say. With COUNT, so many\n"
	"words from there on, or so many of the registers if there are several of the\n"
	"name.\n\n"
	HELP_NAMES HELP_ROOT
	"Options:\n"
	"  --all           show fields that are 0, too\n"
	"  --decode WORD   show what WORD would say in the register; needs no card\n"
	"  --reads FILE    decode a list of reads, '-' is standard input, and say what\n"
	"                  they mean together: lines 'NAME VALUE', 'ADDRESS VALUE',\n"
	"                  'VALUE ADDRESS', nvapeek's 'ADDRESS: VALUE ...'; needs no\n"
	"                  card\n"
	"  --list          list the registers with NAME in their names; needs no card\n"
	HELP_WHERE
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
	HELP_NAMES HELP_ROOT
	"Options:\n"
	"  --yes-write-registers  without this nothing is written\n"
	"  --mask M        change these bits only\n"
	HELP_WHERE
	"Exit codes: 0 done, 1 the register does not read back what was written, 2 a\n"
	"wrong option or name, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo poke --yes-write-registers PBUS.INTR_USER0_SCRATCH[0] cafe0001\n"
	"  nvfifo poke --yes-write-registers PFIFO.CACHES.REASSIGN 0\n"
	"  nvfifo poke --yes-write-registers --mask 1 2500 1\n";

static const char watch_help[] =
	"Usage: nvfifo watch [OPTIONS] REG...\n\n"
	"Read registers repeatedly, one line each with the time in seconds and the\n"
	"fields that are not 0, until stopped.\n\n"
	HELP_NAMES HELP_ROOT
	"Options:\n"
	"  --interval MS   time between two rounds, 1 to 3600000, 500 if not given\n"
	"  --count N       end after N rounds\n"
	"  --changes       print a register only if it has changed\n"
	HELP_WHERE
	"Exit codes: 0 done, 2 a wrong option or name, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo watch --changes PFIFO.INTR CACHE1.DMA_GET CACHE1.DMA_PUT\n"
	"  nvfifo watch --count 100 PFB.TLB_FLUSH\n";

/**
 * struct regs - Source of registers, and format of the output
 * @cmd: the subcommand, for its messages
 * @device: the card, NULL for the first
 * @debugfs: path of debugfs
 * @file: an image of BAR0 instead of a card, or NULL
 * @path: of the file that is open
 * @chipset: chipset of the names, 0 until the program has read it from the card
 * @json: JSON instead of text
 * @all: with fields that are 0
 * @fd: the file, -1 while it is not open
 */
struct regs {
	const struct subcommand *cmd;
	const char *device;
	const char *debugfs;
	const char *file;
	char path[PATH_MAX];
	__u32 chipset;
	bool json;
	bool all;
	int fd;
};

#define REGS_OPTIONS(r) \
	OPTION_TEXT("device", 'd', &(r)->device), OPTION_TEXT("debugfs", 0, &(r)->debugfs), \
	OPTION_TEXT("file", 0, &(r)->file), OPTION_CHIPSET("chipset", &(r)->chipset), \
	OPTION_FLAG("json", 0, &(r)->json), OPTION_COLOR("color")

/* --- The file ------------------------------------------------------------ */

/* Return: an exit code, after a message with errno. */
static int file_error(const struct regs *r, const char *what)
{
	int err = errno;

	fflush(stdout);
	fprintf(stderr, "nvfifo: cannot %s %s: %s\n%s", what, r->path, strerror(err),
		r->file ? "" : debugfs_advice(err));

	return r->file ? EXIT_USAGE : EXIT_DEVICE;
}

/* Return: EXIT_OK with the word, or an exit code after a message. */
static int read_reg(const struct regs *r, __u32 address, __u32 *value)
{
	ssize_t n = pread(r->fd, value, sizeof(*value), address);

	if (n == sizeof(*value))
		return EXIT_OK;
	if (n < 0)
		return file_error(r, "read");

	fflush(stdout);
	fprintf(stderr, "nvfifo: %s ends before the register at %06x\n", r->path, address);

	return r->file ? EXIT_USAGE : EXIT_DEVICE;
}

/* Open the card's registers, or the file. Return: 0, or an exit code after a message. */
static int open_regs(struct regs *r, int flags)
{
	__u32 boot_0;
	int ret;

	if (r->file && r->device)
		return usage_error(r->cmd, "either --device or --file, not both");

	if (r->file)
		snprintf(r->path, sizeof(r->path), "%s", r->file);
	ret = r->file
		  ? EXIT_OK
		  : debugfs_find(r->debugfs, r->device, "nvfifo_regs", r->path, sizeof(r->path));
	if (ret)
		return ret;

	r->fd = open(r->path, flags | O_CLOEXEC);
	if (r->fd < 0)
		return file_error(r, "open");
	if (r->chipset)
		return EXIT_OK;

	ret = read_reg(r, 0, &boot_0);
	r->chipset = nvfifo_chipset_name(boot_0 >> 20 & 0x1ff) ? boot_0 >> 20 & 0x1ff : 0;
	if (!ret && boot_0 == 0xffffffff)
		fputs("nvfifo: PMC.BOOT_0 reads ffffffff: the card is gone from the bus\n", stderr);

	return ret;
}

/* Close them. Return: @ret, or an exit code if that fails. */
static int end(struct regs *r, int ret)
{
	if (r->fd >= 0 && close(r->fd) && !ret)
		ret = file_error(r, "close");
	return ret;
}

static int find(const struct regs *r, const char *text, struct nvfifo_reg_ref *ref)
{
	if (nvfifo_reg_parse(text, r->chipset, ref))
		return usage_error(r->cmd, "%s", nvfifo_last_error());
	return EXIT_OK;
}

static int find_all(const struct regs *r, char **names, int count, struct nvfifo_reg_ref *refs)
{
	int i, ret = EXIT_OK;

	for (i = 0; i < count && !ret; i++)
		ret = find(r, names[i], &refs[i]);

	return ret;
}

/* A wrong name is reported even without a card. With one, the registers are those of its chip. */
static int find_and_open(struct regs *r, char **names, int count, struct nvfifo_reg_ref *refs,
			 int flags)
{
	int ret = find_all(r, names, count, refs);

	if (!ret)
		ret = open_regs(r, flags);
	return ret ? ret : find_all(r, names, count, refs);
}

/* --- Printing ------------------------------------------------------------ */

static __u32 field_value(const struct nvfifo_reg *f, __u32 value)
{
	return (value & nvfifo_reg_mask(f)) >> f->lo;
}

/* The name without the field */
static const char *whole_name(const struct nvfifo_reg_ref *ref, char name[NVFIFO_REG_NAME_MAX])
{
	struct nvfifo_reg_ref whole = *ref;

	whole.field = NULL;
	nvfifo_reg_name(&whole, name);

	return *name ? name : "(no name)";
}

void json_reg_fields(struct nvfifo_json *j, const struct nvfifo_reg_ref *ref, __u32 chipset,
		     __u32 value)
{
	const struct nvfifo_reg *f = NULL;

	nvfifo_json_open(j, "fields", '{');
	while (ref->reg && (f = nvfifo_reg_field(ref->reg, chipset, f))) {
		if (!ref->field || f == ref->field)
			nvfifo_json_number(j, f->name, field_value(f, value));
	}
	nvfifo_json_close(j, '}');
}

/* The members of a register's JSON object, which is open. */
static void print_json(const struct regs *r, struct nvfifo_json *j,
		       const struct nvfifo_reg_ref *ref, __u32 value)
{
	char text[NVFIFO_REG_VALUE_MAX], name[NVFIFO_REG_NAME_MAX];

	whole_name(ref, name);
	nvfifo_json_print(j, "address:%06x register:%s value:%08x", ref->address, name, value);
	if (!ref->reg)
		return;

	nvfifo_reg_value(ref->reg, NULL, value, text);
	if (*text)
		nvfifo_json_string(j, "means", text);
	json_reg_fields(j, ref, r->chipset, value);
}

void print_reg_fields(const struct nvfifo_reg_ref *ref, __u32 chipset, __u32 value)
{
	const struct nvfifo_reg *f = NULL;
	const char *between = "  ";

	while (ref->reg && (f = nvfifo_reg_field(ref->reg, chipset, f))) {
		if (!field_value(f, value) || (ref->field && ref->field != f))
			continue;
		printf("%s%s", between, f->name);
		if (f->hi != f->lo)
			printf(" %x", field_value(f, value));
		between = ", ";
	}
}

static void print_reg(const struct nvfifo_reg_ref *ref, __u32 value)
{
	char name[NVFIFO_REG_NAME_MAX];

	printf("%06x  %s%08x%s  %s", ref->address, color(COLOR_HEAD), value, color(COLOR_OFF),
	       whole_name(ref, name));
}

void print_reg_line(const struct nvfifo_reg_ref *ref, __u32 chipset, __u32 value)
{
	print_reg(ref, value);
	fputs(color(COLOR_DIM), stdout);
	print_reg_fields(ref, chipset, value);
	printf("%s\n", color(COLOR_OFF));
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
	printf("    %-24s %.*x", f->name, (int)(bits + 3) / 4, field_value(f, value));
	print_means(text);
	putchar('\n');
}

static void print_text_reg(const struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value)
{
	char text[NVFIFO_REG_VALUE_MAX] = "";
	const struct nvfifo_reg *f = NULL;
	__u32 known = 0;

	if (ref->reg)
		nvfifo_reg_value(ref->reg, NULL, value, text);

	print_reg(ref, value);
	print_means(text);
	putchar('\n');

	while (ref->reg && (f = nvfifo_reg_field(ref->reg, r->chipset, f))) {
		known |= nvfifo_reg_mask(f);
		if (ref->field ? f == ref->field
			       : r->all || f->hi != f->lo || field_value(f, value))
			print_field(r, ref->reg, f, value);
	}

	if (known && !ref->field && value & ~known)
		printf("    %-24s %08x\n", "(bits without a name)", value & ~known);
}

/* Print a register with its value and its fields. */
static void show(const struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value)
{
	struct nvfifo_json j = JSON_TO(stdout);

	if (!r->json) {
		print_text_reg(r, ref, value);
		return;
	}

	nvfifo_json_open(&j, NULL, '{');
	print_json(r, &j, ref, value);
	nvfifo_json_end(&j, '}');
}

/* --- peek ---------------------------------------------------------------- */

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
		if (!strcasestr(name, piece) && !strcasestr(address, piece))
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

		ret = read_reg(r, ref.address, &value);
		if (ret)
			return ret;

		ref.field = ref.reg == first->reg ? first->field : NULL;
		show(r, &ref, value);
	}

	return EXIT_OK;
}

/* --- peek --reads ----------------------------------------------------------
 *
 * A list of registers and their values, in the forms of nvapeek and of hand-written notes. A summary
 * of all of them follows.
 */

#define STATUS		0x400700
#define VSTATUS		0x400380
#define CTXCTL_STATUS	0x400300

struct reads {
	struct regs *r;
	const char *name;
	unsigned long line;
	unsigned long count;
	unsigned long wrong;
	unsigned long ones;
	__u32 status;
	__u32 vstatus[3];
	__u32 ctxctl;
	bool has_status;
	bool has_ctxctl;
	unsigned int vstatus_read;	/* a bit for each */
};

static void note_read(struct reads *s, __u32 address, __u32 value)
{
	s->count++;
	s->ones += value == 0xffffffff;
	if (value == 0xffffffff)
		return;

	if (address == STATUS) {
		s->status = value;
		s->has_status = true;
	} else if (address == CTXCTL_STATUS) {
		s->ctxctl = value;
		s->has_ctxctl = true;
	} else if (address >= VSTATUS && address < VSTATUS + 12) {
		s->vstatus[(address - VSTATUS) / 4] = value;
		s->vstatus_read |= 1u << (address - VSTATUS) / 4;
	}

	/* The chip's own number decides the fields of the registers after it. */
	if (!address && !s->r->chipset && nvfifo_chipset_name(value >> 20 & 0x1ff))
		s->r->chipset = value >> 20 & 0x1ff;
}

static void take(struct reads *s, const struct nvfifo_reg_ref *ref, __u32 value)
{
	note_read(s, ref->address, value);
	show(s->r, ref, value);
}

/* "00400700: 00000503 00000000", the form of nvapeek, with a word for each register from there on */
static bool take_row(struct reads *s, const char *line)
{
	struct nvfifo_reg_ref ref;
	__u64 address, value;
	size_t digits;
	const char *p = nvfifo_text_hex(line, &address, &digits), *next;

	if (!p || (*p != ':' && *p != '='))
		return false;

	for (p++; (next = nvfifo_text_hex(p, &value, &digits)); p = next, address += 4) {
		if (digits > 8 || address >= NVFIFO_BAR0_BYTES)
			return false;
		nvfifo_reg_at((__u32)address & ~3u, s->r->chipset, &ref);
		take(s, &ref, (__u32)value);
	}

	return !p[strspn(p, " \t\r")];
}

/* "NAME VALUE", "ADDRESS VALUE", or "VALUE ADDRESS" if only the first has eight digits */
static bool take_pair(struct reads *s, char *line)
{
	struct nvfifo_reg_ref ref;
	char *first = strtok(line, " \t\r:="), *second = strtok(NULL, " \t\r:="), *swap;
	__u64 value;
	size_t digits, other;

	if (!first || !second || strtok(NULL, " \t\r"))
		return false;

	if (nvfifo_text_hex(first, &value, &digits) && nvfifo_text_hex(second, &value, &other) &&
	    digits == 8 && other < 8) {
		swap = first;
		first = second;
		second = swap;
	}

	if (!nvfifo_text_hex(second, &value, &digits) || digits > 8 ||
	    (nvfifo_reg_parse(first, s->r->chipset, &ref) &&
	     nvfifo_reg_typed(first, s->r->chipset, &ref)))
		return false;

	take(s, &ref, (__u32)value);
	return true;
}

static void take_line(struct reads *s, char *line)
{
	nvfifo_text_chomp(line);
	line += strspn(line, " \t");
	s->line++;
	if (!*line || *line == '#' || !strncmp(line, "...", 3) || take_row(s, line) ||
	    take_pair(s, line))
		return;

	fflush(stdout);
	fprintf(stderr, "%s:%lu: no register and value; known are 'NAME VALUE', 'ADDRESS VALUE', 'VALUE ADDRESS' and nvapeek's 'ADDRESS: VALUE ...'\n",
		s->name, s->line);
	s->wrong++;
}

/* --- What they say together -------------------------------------------------- */

static void say_busy(const struct reads *s)
{
	char names[400] = "", states[160];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		nvfifo_vstatus_text(i, s->vstatus[i], 1, states, sizeof(states));
		if (*states)
			nvfifo_text_add(names, sizeof(names), "%s%s", *names ? " " : "", states);
	}

	if (!*names && s->has_status)
		nvfifo_bits_text(nvfifo_pgraph_status_bits, s->status & ~1u, "UNK", " ", names,
				 sizeof(names));
	if (*names)
		printf("PGRAPH is busy: %s\n", names);
	else if (s->has_status || s->vstatus_read == 7)
		puts("PGRAPH is idle");
	if (s->has_status && s->status >> 8 & 1)
		puts("A context switch is under way (CTXPROG) and waits for the units that are busy.");
	else if (s->has_ctxctl && s->ctxctl & 1)
		puts("The context program runs.");
}

/* Decode a list of reads, with a summary. Return: an exit code. */
static int decode_reads(struct regs *r, const char *path)
{
	struct reads s = { .r = r, .name = input_name(path) };
	char *line = NULL;
	size_t room = 0;
	FILE *f = open_input(path);

	if (!f)
		return EXIT_USAGE;

	while (getline(&line, &room, f) >= 0)
		take_line(&s, line);
	free(line);
	close_input(f);

	if (!r->json) {
		printf("%lu registers\n", s.count);
		if (s.count > 2 && 2 * s.ones > s.count)
			puts("Most read as all ones: the card is gone from the bus or powered down.");
		say_busy(&s);
	}

	return s.wrong || !s.count ? EXIT_USAGE : EXIT_OK;
}

/* "--decode 1c001000 PFIFO.RAMHT" */
static int decode(struct regs *r, __u32 value, const char *name, bool count)
{
	struct nvfifo_reg_ref ref;
	int ret;

	if (count)
		return usage_error(r->cmd, "--decode accepts one register, and no COUNT");

	ret = find(r, name, &ref);
	if (!ret)
		show(r, &ref, value);

	return ret;
}

static int run_peek(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_peek, .debugfs = "/sys/kernel/debug", .fd = -1 };
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
	int ret;

	take_options(r.cmd, rows, 2, argc, argv);
	if (list && (word || r.json || r.file || r.device))
		return usage_error(r.cmd, "--list goes without --decode, --json, --file and --device");
	if (word && (r.file || r.device))
		return usage_error(r.cmd, "--decode goes without --file and --device");
	if (reads && (word || list || r.file || r.device || optind < argc))
		return usage_error(r.cmd, "--reads goes with --chipset, --all and --json only");
	if (reads)
		return decode_reads(&r, reads);
	if (list)
		return list_regs(&r, optind < argc ? argv[optind] : "");
	if (word && !parse_word(word, &value))
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

	ret = find_and_open(&r, argv + optind, 1, &ref, O_RDONLY);
	if (!ret)
		ret = peek(&r, &ref, count);

	return end(&r, ret);
}

/* --- poke ---------------------------------------------------------------- */

static int poke(struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value, __u32 mask)
{
	struct nvfifo_json j = JSON_TO(stdout);
	bool is_reg = ref->reg, wo = is_reg && !strcmp(ref->reg->access, "WO");
	bool w1c = is_reg && !strcmp(ref->reg->access, "W1C");
	char name[NVFIFO_REG_NAME_MAX];
	__u32 old = 0, word, now = 0;
	int ret = wo ? EXIT_OK : read_reg(r, ref->address, &old);

	if (ret)
		return ret;

	word = w1c || wo ? value & mask : (old & ~mask) | (value & mask);
	if (pwrite(r->fd, &word, sizeof(word), ref->address) != sizeof(word))
		return file_error(r, "write");

	if (!wo)
		ret = read_reg(r, ref->address, &now);
	if (ret)
		return ret;

	nvfifo_reg_name(ref, name);
	if (r->json) {
		nvfifo_json_print(&j, "{address:%06x register:%s old:%08x written:%08x new:%08x}\n",
				  ref->address, name, old, word, now);
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
	if (parse_word(arg, ctx))
		return EXIT_OK;
	return usage_error(cmd, "--mask is a hexadecimal word, 0 to ffffffff, not '%s'", arg);
}

static int run_poke(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_poke, .debugfs = "/sys/kernel/debug", .fd = -1 };
	__u32 mask = 0xffffffff, value;
	struct nvfifo_reg_ref ref;
	bool yes = false;
	const struct option_row rows[] = {
		REGS_OPTIONS(&r),
		OPTION_CALL("mask", 0, take_mask, &mask),
		OPTION_FLAG("yes-write-registers", 0, &yes),
		OPTION_END,
	};
	int ret;

	take_options(r.cmd, rows, ARGUMENTS_ANY, argc, argv);
	if (argc - optind != 2)
		return usage_error(r.cmd, "a register and a value are needed");

	if (!parse_word(argv[optind + 1], &value))
		return usage_error(r.cmd, "the value is a hexadecimal word, 0 to ffffffff, not '%s'",
				   argv[optind + 1]);
	ret = find(&r, argv[optind], &ref);
	if (ret)
		return ret;

	if (!yes)
		return usage_error(r.cmd, "a wrong value can hang the card or the machine: "
					  "--yes-write-registers says that you want it");
	ret = find_and_open(&r, argv + optind, 1, &ref, O_RDWR);
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

	return end(&r, ret);
}

/* --- watch --------------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

#define WATCH_MAX 64

struct watch {
	struct nvfifo_reg_ref refs[WATCH_MAX];
	__u32 last[WATCH_MAX];
	int count;
	unsigned long interval;
	unsigned long rounds; /* 0: until stopped */
	bool changes;
};

static void watch_line(const struct regs *r, const struct nvfifo_reg_ref *ref, double time,
		       __u32 value)
{
	struct nvfifo_json j = JSON_TO(stdout);

	if (!r->json) {
		printf("%10.3f  ", time);
		print_reg_line(ref, r->chipset, value);
		return;
	}

	nvfifo_json_print(&j, "{time:%.3f", time);
	print_json(r, &j, ref, value);
	nvfifo_json_end(&j, '}');
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static int watch(struct regs *r, struct watch *w)
{
	struct sigaction stop = { .sa_handler = on_signal };
	struct timespec pause = { (time_t)(w->interval / 1000),
				  (long)(w->interval % 1000) * 1000000 };
	struct timespec start;
	unsigned long round;
	int i, ret;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);

	for (round = 0; !stopped; round++) {
		__u32 value;

		for (i = 0; i < w->count; i++) {
			ret = read_reg(r, w->refs[i].address, &value);
			if (ret)
				return ret;
			if (!round || !w->changes || value != w->last[i])
				watch_line(r, &w->refs[i], seconds_since(&start), value);
			w->last[i] = value;
		}

		fflush(stdout);
		if (round + 1 == w->rounds)
			break;

		nanosleep(&pause, NULL);
	}

	return EXIT_OK;
}

static int run_watch(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_watch, .debugfs = "/sys/kernel/debug", .fd = -1 };
	struct watch w = { .interval = 500 };
	const struct option_row rows[] = {
		REGS_OPTIONS(&r),
		OPTION_NUMBER("interval", 0, &w.interval, 1, 3600000, " ms"),
		OPTION_NUMBER("count", 0, &w.rounds, 1, ULONG_MAX, ""),
		OPTION_FLAG("changes", 0, &w.changes),
		OPTION_END,
	};
	int ret;

	take_options(r.cmd, rows, ARGUMENTS_ANY, argc, argv);

	w.count = argc - optind;
	if (!w.count || w.count > WATCH_MAX)
		return usage_error(r.cmd, "1 to %d registers are needed", WATCH_MAX);

	ret = find_and_open(&r, argv + optind, w.count, w.refs, O_RDONLY);
	if (!ret)
		ret = watch(&r, &w);

	return end(&r, ret);
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

const struct subcommand cmd_watch = {
	.name = "watch",
	.summary = "read registers repeatedly",
	.help = watch_help,
	.run = run_watch,
};
