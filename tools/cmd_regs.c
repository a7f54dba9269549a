// SPDX-License-Identifier: MIT
/* "nvfifo peek", "poke" and "watch": registers of BAR0, by name, through debugfs. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "nvfifo_row.h"
#include "json.h"
#include "nvfifo_reg.h"
#include "options.h"
#include "tools.h"

#define REG_FILE "nvfifo_regs"
#define DEBUGFS "/sys/kernel/debug"

#define HELP_WHERE \
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n" \
	"                  the first card of the nvfifo driver if not given\n" \
	"  --debugfs DIR   where debugfs is, /sys/kernel/debug if not given\n" \
	"  --file FILE     work on FILE, an image of BAR0, instead of a card\n" \
	"  --chipset C     g80 ... mcp89: names as on this chipset, whatever PMC.BOOT_0 says\n" \
	"  --json          one object of JSON for each register\n" \
	"  --color WHEN    auto (default), always, never\n\n"

#define HELP_NAMES \
	"REG is a name such as PFIFO.CACHES, pull0 or CHAN_TABLE[3] (any case; the block may be\n" \
	"left out where the rest is unique), such a name with a field, PFIFO.CACHES.REASSIGN, or\n" \
	"an address in BAR0; +OFFSET may follow. Addresses, offsets, values and masks are\n" \
	"hexadecimal, with or without 0x; indices and counts are decimal.\n\n"

#define HELP_ROOT \
	"Needs root, debugfs and the nvfifo driver; a kernel in lockdown refuses it.\n\n"

static const char peek_help[] =
	"Usage: nvfifo peek [OPTIONS] REG [COUNT]\n"
	"       nvfifo peek --list [NAME]\n\n"
	"Read registers of the card, and show what their fields say. With COUNT, so many words\n"
	"from there on, or so many of the registers if there are several of the name.\n\n"
	HELP_NAMES HELP_ROOT
	"Options:\n"
	"  --all           show fields that are 0, too\n"
	"  --list          list the registers with NAME in their names; needs no card\n"
	HELP_WHERE
	"Exit codes: 0 done, 2 a wrong option or name, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo peek PFIFO.INTR\n"
	"  nvfifo peek CHAN_TABLE[1] 4\n"
	"  nvfifo peek 0x2500\n"
	"  nvfifo peek --json CACHE1.DMA_STATE.ERROR\n"
	"  nvfifo peek --list semaphore\n";

static const char poke_help[] =
	"Usage: nvfifo poke --yes-write-registers [OPTIONS] REG VALUE\n\n"
	"Write a register of the card, and show its old and its new value. The driver does not\n"
	"know of it: a wrong value can hang the card or the machine. With a field, or with\n"
	"--mask, the other bits stay as they are; in a register where ones clear bits (W1C) they\n"
	"are written as zeros.\n\n"
	HELP_NAMES HELP_ROOT
	"Options:\n"
	"  --yes-write-registers  without this nothing is written\n"
	"  --mask M        change these bits only\n"
	HELP_WHERE
	"Exit codes: 0 done, 1 the register does not read back what was written, 2 a wrong option\n"
	"or name, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo poke --yes-write-registers PBUS.INTR_USER0_SCRATCH[0] cafe0001\n"
	"  nvfifo poke --yes-write-registers PFIFO.CACHES.REASSIGN 0\n"
	"  nvfifo poke --yes-write-registers --mask 1 2500 1\n";

static const char watch_help[] =
	"Usage: nvfifo watch [OPTIONS] REG...\n\n"
	"Read registers again and again, one line each with the time in seconds and the fields\n"
	"that are not 0, until stopped.\n\n"
	HELP_NAMES HELP_ROOT
	"Options:\n"
	"  --interval MS   time between two rounds, 1 to 3600000, 500 if not given\n"
	"  --count N       end after N rounds\n"
	"  --until C       end when C holds: REG=VALUE, REG&MASK=VALUE or REG.FIELD=VALUE\n"
	"  --changes       print a register only if it has changed\n"
	HELP_WHERE
	"Exit codes: 0 done, 1 with --until: it was stopped before, 2 a wrong option or name, 3 no\n"
	"card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo watch --changes PFIFO.INTR CACHE1.DMA_GET CACHE1.DMA_PUT\n"
	"  nvfifo watch --interval 10 --count 100 --until 'PFB.TLB_FLUSH&1=0' PFB.TLB_FLUSH\n"
	"  nvfifo watch --until CACHE1.DMA_PUSH.BUSY=0 003220\n";

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

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

/* --- The file ------------------------------------------------------------ */

static int file_error(const struct regs *r, const char *what)
{
	int err = errno;

	fflush(stdout);
	fprintf(stderr, "nvfifo: cannot %s %s: %s\n%s", what, r->path, strerror(err),
		debugfs_advice(err));
	return EXIT_DEVICE;
}

static int read_word(const struct regs *r, __u32 address, __u32 *value)
{
	ssize_t n = pread(r->fd, value, sizeof(*value), address);

	if (n == sizeof(*value))
		return EXIT_OK;
	if (n < 0)
		return file_error(r, "read");
	fflush(stdout);
	fprintf(stderr, "nvfifo: %06x is behind the end of %s\n", address, r->path);
	return EXIT_DEVICE;
}

/* Return: 0 with r->fd open, or an exit code. */
static int open_regs(struct regs *r, int flags)
{
	__u32 boot_0;
	int ret;

	if (r->file)
		snprintf(r->path, sizeof(r->path), "%s", r->file);
	ret = r->file ? EXIT_OK : debugfs_find(r->debugfs, r->device, REG_FILE, r->path, sizeof(r->path));
	if (ret)
		return ret;
	r->fd = open(r->path, flags | O_CLOEXEC);
	if (r->fd < 0)
		return file_error(r, "open");
	if (r->chipset)
		return EXIT_OK;
	ret = read_word(r, 0, &boot_0);
	r->chipset = nvfifo_chipset_name(boot_0 >> 20 & 0x1ff) ? boot_0 >> 20 & 0x1ff : 0;
	if (!ret && boot_0 == 0xffffffff)
		fputs("nvfifo: PMC.BOOT_0 reads ffffffff: the card is gone from the bus\n", stderr);
	return ret;
}

/* --- Printing ------------------------------------------------------------ */

static __u32 field_value(const struct nvfifo_reg *f, __u32 value)
{
	return (value & nvfifo_reg_mask(f)) >> f->lo;
}

static void print_json_reg(const struct regs *r, struct json *j, const struct nvfifo_reg_ref *ref,
			   __u32 value)
{
	char text[NVFIFO_REG_VALUE_MAX], name[NVFIFO_REG_NAME_MAX];
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref whole = *ref;

	whole.field = NULL;
	nvfifo_reg_name(&whole, name);
	json_hex(j, "address", 6, ref->address);
	json_string(j, "register", name);
	json_hex(j, "value", 8, value);
	if (!ref->reg)
		return;
	nvfifo_reg_value(ref->reg, NULL, value, text);
	if (*text)
		json_string(j, "means", text);
	json_open(j, "fields", '{');
	while ((f = nvfifo_reg_field(ref->reg, r->chipset, f))) {
		if (!ref->field || f == ref->field)
			json_number(j, f->name, field_value(f, value));
	}
	json_close(j, '}');
}

static void print_field(const struct nvfifo_reg *reg, const struct nvfifo_reg *f, __u32 value)
{
	unsigned int bits = f->hi - f->lo + 1u;
	char text[NVFIFO_REG_VALUE_MAX];

	nvfifo_reg_value(reg, f, value, text);
	printf("    %-24s %.*x%s%s%s%s\n", f->name, (int)(bits + 3) / 4, field_value(f, value),
	       color(COLOR_DIM), *text ? "  # " : "", text, color(COLOR_OFF));
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
	printf("%06x  %s%08x%s  %s%s%s%s%s\n", ref->address, color(COLOR_HEAD), value,
	       color(COLOR_OFF), *name ? name : "(no name)", color(COLOR_DIM), *text ? "  # " : "",
	       text, color(COLOR_OFF));
	while (ref->reg && (f = nvfifo_reg_field(ref->reg, r->chipset, f))) {
		known |= nvfifo_reg_mask(f);
		if (ref->field ? f == ref->field
			       : r->all || f->hi != f->lo || field_value(f, value))
			print_field(ref->reg, f, value);
	}
	if (known && !ref->field && value & ~known)
		printf("    %-24s %08x\n", "(bits without a name)", value & ~known);
}

void print_reg_line(const struct nvfifo_reg_ref *ref, __u32 chipset, __u32 value)
{
	struct nvfifo_reg_ref whole = *ref;
	const struct nvfifo_reg *f = NULL;
	char name[NVFIFO_REG_NAME_MAX];
	const char *between = "  ";

	whole.field = NULL;
	nvfifo_reg_name(&whole, name);
	printf("%06x  %s%08x%s  %s%s", ref->address, color(COLOR_HEAD), value, color(COLOR_OFF),
	       *name ? name : "(no name)", color(COLOR_DIM));
	while (ref->reg && (f = nvfifo_reg_field(ref->reg, chipset, f))) {
		if (!field_value(f, value) || (ref->field && ref->field != f))
			continue;
		printf("%s%s", between, f->name);
		if (f->hi != f->lo)
			printf(" %x", field_value(f, value));
		between = ", ";
	}
	printf("%s\n", color(COLOR_OFF));
}

/* --- Options that all have ----------------------------------------------- */

#define COMMON_OPTIONS(r) \
	OPTION_TEXT("device", 'd', &(r)->device), OPTION_TEXT("debugfs", 0, &(r)->debugfs), \
	OPTION_TEXT("file", 0, &(r)->file), OPTION_CHIPSET("chipset", &(r)->chipset), \
	OPTION_FLAG("json", 0, &(r)->json), OPTION_COLOR("color")

static int find_reg(const struct regs *r, const char *text, struct nvfifo_reg_ref *ref)
{
	if (nvfifo_reg_parse(text, r->chipset, ref))
		return usage_error(r->cmd, "%s", nvfifo_last_error());
	return EXIT_OK;
}

/* Hexadecimal, with or without 0x. */
static bool parse_word(const char *text, __u32 *value)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 16);
	*value = (__u32)v;
	return !errno && isxdigit((unsigned char)*text) && !*end && v <= 0xffffffff;
}

static int end_regs(struct regs *r, int ret)
{
	if (r->fd >= 0 && close(r->fd) && !ret)
		ret = file_error(r, "close");
	return ret;
}

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
		char name[NVFIFO_REG_NAME_MAX];

		snprintf(name, sizeof(name), "%s.%s", reg->block, reg->name);
		if (!contains(name, piece))
			continue;
		found++;
		printf("%06x  %-3s  %s", reg->offset, reg->access, name);
		if (reg->count > 1)
			printf("[0..%u], %u bytes apart", reg->count - 1, reg->stride);
		for (f = NULL; (f = nvfifo_reg_field(reg, r->chipset, f));)
			printf("%s%s", f == nvfifo_reg_field(reg, r->chipset, NULL) ? ": " : " ",
			       f->name);
		putchar('\n');
	}
	if (!found)
		fprintf(stderr, "nvfifo: no register has '%s' in its name\n", piece);
	return found ? EXIT_OK : EXIT_USAGE;
}

static int peek(struct regs *r, const struct nvfifo_reg_ref *first, unsigned long count)
{
	struct json j = { .f = stdout };
	__u32 step = first->reg && first->reg->count > 1 ? first->reg->stride : 4, value;
	struct nvfifo_reg_ref ref = *first;
	unsigned long i;
	int ret;

	for (i = 0; i < count; i++) {
		if (i)
			nvfifo_reg_at(ref.address + step, r->chipset, &ref);
		if (ref.address >= NVFIFO_BAR0_BYTES)
			break;
		ret = read_word(r, ref.address, &value);
		if (ret)
			return ret;
		ref.field = ref.reg == first->reg ? first->field : NULL;
		if (r->json) {
			json_open(&j, NULL, '{');
			print_json_reg(r, &j, &ref, value);
			json_end(&j, '}');
		} else {
			print_text_reg(r, &ref, value);
		}
	}
	return EXIT_OK;
}

static int run_peek(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_peek, .debugfs = DEBUGFS, .fd = -1 };
	struct nvfifo_reg_ref ref;
	unsigned long count = 1;
	bool list = false;
	const struct option_row rows[] = {
		COMMON_OPTIONS(&r),
		OPTION_FLAG("all", 0, &r.all),
		OPTION_FLAG("list", 0, &list),
		OPTION_END,
	};
	int ret = take_options(r.cmd, rows, 2, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	if (list)
		return list_regs(&r, optind < argc ? argv[optind] : "");
	if (optind == argc)
		return usage_error(r.cmd, "which register?");
	if (optind + 1 < argc &&
	    (!parse_unsigned(argv[optind + 1], NVFIFO_BAR0_BYTES / 4, &count) || !count))
		return usage_error(r.cmd, "COUNT is 1 to %u, not '%s'", NVFIFO_BAR0_BYTES / 4,
				   argv[optind + 1]);
	/* A wrong name is told even where there is no card. */
	ret = find_reg(&r, argv[optind], &ref);
	if (!ret)
		ret = open_regs(&r, O_RDONLY);
	if (!ret)
		ret = find_reg(&r, argv[optind], &ref);
	if (!ret)
		ret = peek(&r, &ref, count);
	return end_regs(&r, ret);
}

/* --- poke ---------------------------------------------------------------- */

static int poke(struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value, __u32 mask)
{
	struct json j = { .f = stdout };
	bool is_reg = ref->reg, wo = is_reg && !strcmp(ref->reg->access, "WO");
	bool w1c = is_reg && !strcmp(ref->reg->access, "W1C");
	char name[NVFIFO_REG_NAME_MAX];
	__u32 old = 0, word, now = 0;
	int ret = wo ? EXIT_OK : read_word(r, ref->address, &old);

	if (ret)
		return ret;
	word = w1c || wo ? value & mask : (old & ~mask) | (value & mask);
	if (pwrite(r->fd, &word, sizeof(word), ref->address) != sizeof(word))
		return file_error(r, "write");
	if (!wo)
		ret = read_word(r, ref->address, &now);
	if (ret)
		return ret;
	nvfifo_reg_name(ref, name);
	if (r->json) {
		json_open(&j, NULL, '{');
		json_hex(&j, "address", 6, ref->address);
		json_string(&j, "register", name);
		json_hex(&j, "old", 8, old);
		json_hex(&j, "written", 8, word);
		json_hex(&j, "new", 8, now);
		json_end(&j, '}');
	} else if (wo) {
		printf("%06x  %s: %08x written; it cannot be read\n", ref->address, name, word);
	} else {
		printf("%06x  %s: was %08x, wrote %08x, is %s%08x%s%s\n", ref->address,
		       *name ? name : "(no name)", old, word, color(COLOR_HEAD), now,
		       color(COLOR_OFF), w1c ? " (ones clear bits)" : "");
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
	struct regs r = { .cmd = &cmd_poke, .debugfs = DEBUGFS, .fd = -1 };
	__u32 mask = 0xffffffff, value;
	struct nvfifo_reg_ref ref;
	bool yes = false;
	const struct option_row rows[] = {
		COMMON_OPTIONS(&r),
		OPTION_CALL("mask", 0, take_mask, &mask),
		OPTION_FLAG("yes-write-registers", 0, &yes),
		OPTION_END,
	};
	int ret = take_options(r.cmd, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	if (argc - optind != 2)
		return usage_error(r.cmd, "a register and a value are needed");
	if (!parse_word(argv[optind + 1], &value))
		return usage_error(r.cmd, "the value is a hexadecimal word, 0 to ffffffff, not '%s'",
				   argv[optind + 1]);
	ret = find_reg(&r, argv[optind], &ref);
	if (ret)
		return ret;
	if (!yes)
		return usage_error(r.cmd, "a wrong value can hang the card or the machine: "
					  "--yes-write-registers says that you want it");
	ret = open_regs(&r, O_RDWR);
	if (!ret)
		ret = find_reg(&r, argv[optind], &ref);
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
	return end_regs(&r, ret);
}

/* --- watch --------------------------------------------------------------- */

#define WATCH_MAX 64

struct watch {
	struct nvfifo_reg_ref refs[WATCH_MAX];
	__u32 last[WATCH_MAX];
	int count;
	unsigned long interval;
	unsigned long rounds; /* 0: until stopped */
	bool changes;
	const char *until;
	struct nvfifo_reg_ref until_ref;
	__u32 until_mask;
	__u32 until_value;
};

/* "REG=VALUE", "REG&MASK=VALUE" */
static int parse_until(const struct regs *r, struct watch *w)
{
	char name[120], *equals, *and;

	snprintf(name, sizeof(name), "%s", w->until);
	equals = strchr(name, '=');
	and = strchr(name, '&');
	w->until_mask = 0xffffffff;
	if (equals)
		*equals = '\0';
	if (and)
		*and = '\0';
	if (!equals || (and&&and > equals) || !parse_word(equals + 1, &w->until_value) ||
	    (and&&!parse_word(and+1, &w->until_mask)))
		return usage_error(
			r->cmd, "--until is REG=VALUE or REG&MASK=VALUE in hexadecimal, not '%s'",
			w->until);
	return find_reg(r, name, &w->until_ref);
}

static bool until_holds(const struct watch *w, __u32 value)
{
	const struct nvfifo_reg *f = w->until_ref.field;

	if (f)
		value = field_value(f, value);
	return (value & w->until_mask) == w->until_value;
}

static void print_line(const struct regs *r, const struct nvfifo_reg_ref *ref, double time, __u32 value)
{
	struct json j = { .f = stdout };

	if (!r->json) {
		printf("%10.3f  ", time);
		print_reg_line(ref, r->chipset, value);
		return;
	}
	json_open(&j, NULL, '{');
	json_decimal(&j, "time", 3, time);
	print_json_reg(r, &j, ref, value);
	json_end(&j, '}');
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
		bool holds = false;
		__u32 value;

		/* Before the others, so that the last lines show what made it hold. */
		if (w->until) {
			ret = read_word(r, w->until_ref.address, &value);
			if (ret)
				return ret;
			holds = until_holds(w, value);
		}
		for (i = 0; i < w->count; i++) {
			ret = read_word(r, w->refs[i].address, &value);
			if (ret)
				return ret;
			if (!round || !w->changes || value != w->last[i])
				print_line(r, &w->refs[i], seconds_since(&start), value);
			w->last[i] = value;
		}
		fflush(stdout);
		if (holds)
			return EXIT_OK;
		if (round + 1 == w->rounds)
			break;
		nanosleep(&pause, NULL);
	}
	if (!w->until)
		return EXIT_OK;
	fprintf(stderr, "nvfifo: %s did not come\n", w->until);
	return EXIT_DIFFERENT;
}

static int find_watched(const struct regs *r, struct watch *w, char **names)
{
	int i, ret = EXIT_OK;

	for (i = 0; i < w->count && !ret; i++)
		ret = find_reg(r, names[i], &w->refs[i]);
	if (!ret && w->until)
		ret = parse_until(r, w);
	return ret;
}

static int run_watch(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_watch, .debugfs = DEBUGFS, .fd = -1 };
	struct watch w = { .interval = 500 };
	const struct option_row rows[] = {
		COMMON_OPTIONS(&r),
		OPTION_NUMBER("interval", 0, &w.interval, 1, 3600000, " ms"),
		OPTION_NUMBER("count", 0, &w.rounds, 1, ULONG_MAX, ""),
		OPTION_TEXT("until", 0, &w.until),
		OPTION_FLAG("changes", 0, &w.changes),
		OPTION_END,
	};
	int ret = take_options(r.cmd, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	w.count = argc - optind;
	if (!w.count || w.count > WATCH_MAX)
		return usage_error(r.cmd, "1 to %d registers are needed", WATCH_MAX);
	ret = find_watched(&r, &w, argv + optind);
	if (!ret)
		ret = open_regs(&r, O_RDONLY);
	if (!ret)
		ret = find_watched(&r, &w, argv + optind);
	if (!ret)
		ret = watch(&r, &w);
	return end_regs(&r, ret);
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
	.summary = "read registers again and again",
	.help = watch_help,
	.run = run_watch,
};
