// SPDX-License-Identifier: MIT
/*
 * nvsim's command line.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "nvfifo_text.h"
#include "options.h"

#include "like.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#define MIB (1024ull * 1024)

#define VRAM_MIB_MAX 4095
#define BAR_MIB_MAX  1024
#define BAR3_MIB_MIN 16
#define SPIN_US_MAX  10000
#define TAGS_MAX     4096

void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("nvsim: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Options */

/* The text of --help, around the list of quirks. */
static const char usage_card[] =
    "Usage: nvsim --socket PATH --chipset NAME [option]...\n"
    "       nvsim --vfio-user PATH --chipset NAME [option]...\n"
    "       nvsim --replay FILE [option of the card]... [--keep-going]\n"
    "       nvsim --decode FILE [--from N] [--to N] [--only KIND[,KIND]...] [--all]\n"
    "\n"
    "A software model of an NV50-family card as a PCI device for a virtual machine.\n"
    "It listens on PATH, serves one guest until that hangs up, and exits. A UML\n"
    "guest speaks vhost-user (--socket) and finds the card with\n"
    "    linux virtio_uml.device=PATH:N ...\n"
    "where N is the kernel's CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID. QEMU 10.1 and\n"
    "later speaks vfio-user:\n"
    "    -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"PATH\"}}'\n"
    "with the guest's memory in a memory-backend-memfd that is shared.\n"
    "\n"
    "The card:\n"
    "  --chipset NAME     one of --list-chipsets, any case\n"
    "  --vram MIB         memory of the card, 1 to 4095 (default 64)\n"
    "  --bar1 MIB         BAR1, a power of two, 1 to 1024 (default 64)\n"
    "  --bar3 MIB         BAR3, a power of two, 16 to 1024 (default 32)\n"
    "  --tags N           cells of compression tag memory, 0 or 2 to 4096 (default\n"
    "                     512, none on IGPs)\n"
    "  --boot0 HEX        PMC_BOOT_0, 1 to ffffffff, instead of the chipset's own\n"
    "  --boot-vga         the boot console's VGA device: class 0x030000, VGA\n"
    "                     decoding on\n"
    "  --not-posted       the VBIOS has not been run\n"
    "  --efi              set up by EFI: the VGA registers are empty, and\n"
    "                     PFB.MEM_AMOUNT of an IGP is 0\n"
    "  --no-msi           no MSI capability\n"
    "  --big-endian       comes up in big-endian mode\n"
    "  --endian-stuck     ... and the mode cannot be switched\n"
    "  --dead             every read is all ones\n"
    "  --engine-context WHAT\n"
    "                     what becomes of methods for an engine of which the channel\n"
    "                     has no context: require (default: PGRAPH faults and\n"
    "                     hangs), ignore (classes are checked, methods are\n"
    "                     recorded), record (also of channels that have one)\n"
    "  --whole-card       also the units that only other drivers use; they hold what\n"
    "                     is written to them\n"
    "  --d3-loss WHAT     what the way from D3hot to D0 costs: keep (default), lost\n"
    "                     (registers and VRAM), unposted (also POST), gone\n"
    "  --left STATE       how an earlier driver left the card: posted (default:\n"
    "                     there was none), nouveau (removed), channel (still runs,\n"
    "                     as after kexec), daemon-off, daemon-irqs (PDAEMON is in\n"
    "                     reset, or keeps the interrupts; GT215 and later)\n"
    "  --pmc-enable HEX   PMC.ENABLE after POST\n"
    "  --straps HEX       PSTRAPS.STRAPS_PRIMARY\n"
    "  --like FILE        the card of a test stick's report: chipset, BOOT_0,\n"
    "                     memory, BARs, PMC.ENABLE, straps, POST state. Options\n"
    "                     after it change single points\n"
    "  --describe         print the card as options, a line each, and exit\n"
    "  --sysram-high HEX  PFB.SYSRAM_ADDR_HIGH after POST (default 0): bits 63:40 of\n"
    "                     what the card reads and writes in system memory\n"
    "  --check-stores     report DMA objects and PDEs in use that grant more between\n"
    "                     two stores than before or after them\n"
    "  --adverse [random:SEED]\n"
    "                     the side that is harder for a driver, of all points that\n"
    "                     no source decides, or of some of them. --quirk options\n"
    "                     after it change single points\n"
    "  --quirk NAME=VALUE which side to take where the sources disagree, may be\n"
    "                     repeated. The first of each is the default, the text says\n"
    "                     what the other means:\n";

static const char usage_rest[] =
    "\n"
    "What it reports:\n"
    "  --trace FILE       executed methods, IB entries, channel switches, errors; -\n"
    "                     is stdout\n"
    "  --trace-mmio       ... and every register access (needs --trace)\n"
    "  --report FILE      violations: accesses that no correct driver makes\n"
    "  --strict           exit with 3 if there was a violation that nobody announced\n"
    "  --stats FILE       counters at exit, one `name value` a line\n"
    "\n"
    "Failures on request:\n"
    "  --control PATH     listen on PATH, a unix socket, for lines such as `help',\n"
    "                     `inject lost for 1000', `force 400700 1'; each is answered\n"
    "\n"
    "Records of a run:\n"
    "  --record FILE      write all that goes in and out of the card to FILE\n"
    "  --replay FILE      no guest: do to the card what FILE says, and compare what\n"
    "                     it does. It is the card of the record but for what other\n"
    "                     options say; --trace, --report and --stats work as in the\n"
    "                     run itself. FILE may also be accesses to a real card: a\n"
    "                     report of `nvfifo selftest', a trace of nvfifo_access, or\n"
    "                     the kernel's mmiotrace of any driver\n"
    "  --keep-going       do not stop at the first difference\n"
    "  --decode FILE      print FILE as text: a record, or an mmiotrace, which\n"
    "                     without a read of PMC_BOOT_0 needs --chipset NAME\n"
    "  --from N, --to N   only records with these numbers, or these lines of an\n"
    "                     mmiotrace, the first column\n"
    "  --only KIND        only config, mmio (BARs), dma, irq, other; several with\n"
    "                     commas\n"
    "  --all              each access on its own, all words of large ones\n"
    "\n"
    "Other:\n"
    "  --socket PATH      unix socket; a stale one is replaced, any other file is\n"
    "                     not\n"
    "  --vfio-user PATH   the same, for vfio-user instead of vhost-user\n"
    "  --spin-us US       watch for the next access this long before sleeping, 0 to\n"
    "                     10000 (default 50)\n"
    "  --list-chipsets    print the names and exit\n"
    "  --help             print this and exit\n"
    "\n"
    "Exit status: 0 the guest hung up (or SIGTERM, SIGINT), 1 transport error, 2 bad\n"
    "usage, 3 violations with --strict. Of --replay: 0 no difference, 1 differences,\n"
    "2 bad usage or a bad file. Of --decode: 0, or 2.\n";

/* Print a text in lines of 79 columns, each after @indent blanks. */
static void print_filled(FILE *f, const char *text, int indent)
{
	int column = 0, length;

	for (; *text; text += length + (text[length] == ' ')) {
		length = (int)strcspn(text, " ");
		if (column && column + 1 + length > 79) {
			fputc('\n', f);
			column = 0;
		}
		column += fprintf(f, "%*s%.*s", column ? 1 : indent, "", length, text);
	}

	fputc('\n', f);
}

static void usage(FILE *f)
{
	const char *name, *value, *other, *help;
	unsigned int i;

	fputs(usage_card, f);

	for (i = 0; nvsim_quirk_describe(i, &name, &value, &other, &help); i++) {
		fprintf(f, "                       %s=%s|%s\n", name, value, other);
		print_filled(f, help, 27);
	}

	fputs(usage_rest, f);
}

static bool parse_number(const char *option, const char *text, unsigned long min, unsigned long max,
			 bool power_of_two, unsigned long *value)
{
	__u64 v;
	bool ok = nvfifo_text_whole(text, strlen(text), 10, max, &v);

	*value = (unsigned long)v;
	if (ok && v >= min && !(power_of_two && v & (v - 1)))
		return true;
	complain("--%s %s: needs a %s from %lu to %lu", option, text,
		 power_of_two ? "power of two" : "number", min, max);

	return false;
}

static bool parse_hex(const char *option, const char *text, uint32_t *value)
{
	__u64 v;

	if (!nvfifo_text_whole(text, strlen(text), 16, UINT32_MAX, &v) || !v) {
		complain("--%s %s: needs a hexadecimal number from 1 to ffffffff", option, text);
		return false;
	}

	*value = (uint32_t)v;
	return true;
}

static bool parse_chipset(const char *text, const char **name)
{
	unsigned int i;

	for (i = 0; nvsim_chipset_names[i]; i++) {
		if (!strcasecmp(text, nvsim_chipset_names[i])) {
			*name = nvsim_chipset_names[i];
			return true;
		}
	}

	fprintf(stderr, "nvsim: --chipset %s: needs one of", text);

	for (i = 0; nvsim_chipset_names[i]; i++)
		fprintf(stderr, " %s", nvsim_chipset_names[i]);

	fputc('\n', stderr);

	return false;
}

static const char *const d3_losses[] = {"keep", "lost", "unposted", "gone", NULL};
static const char *const lefts[] = {"posted", "nouveau", "channel", "daemon-off", "daemon-irqs", NULL};
static const char *const engine_contexts[] = {"ignore", "require", "record", NULL};

/* The index in the list is the value in nvsim_ctl.h. */
static bool parse_name(const char *option, const char *text, const char *const *names,
		       unsigned int *value)
{
	for (*value = 0; names[*value]; ++*value)
		if (!strcmp(text, names[*value]))
			return true;

	fprintf(stderr, "nvsim: --%s %s: needs one of", option, text);

	for (; *names; names++)
		fprintf(stderr, " %s", *names);

	fputc('\n', stderr);
	return false;
}

enum option_id {
	OPT_SOCKET = 256,
	OPT_VFIO_USER,
	OPT_CHIPSET,
	OPT_VRAM,
	OPT_BAR1,
	OPT_BAR3,
	OPT_TAGS,
	OPT_TRACE,
	OPT_TRACE_MMIO,
	OPT_REPORT,
	OPT_STRICT,
	OPT_STATS,
	OPT_CONTROL,
	OPT_QUIRK,
	OPT_NOT_POSTED,
	OPT_EFI,
	OPT_NO_MSI,
	OPT_BIG_ENDIAN,
	OPT_ENDIAN_STUCK,
	OPT_DEAD,
	OPT_D3_LOSS,
	OPT_LEFT,
	OPT_WHOLE_CARD,
	OPT_ENGINE_CONTEXT,
	OPT_BOOT0,
	OPT_PMC_ENABLE,
	OPT_STRAPS,
	OPT_LIKE,
	OPT_DESCRIBE,
	OPT_SYSRAM_HIGH,
	OPT_ADVERSE,
	OPT_CHECK_STORES,
	OPT_BOOT_VGA,
	OPT_SPIN_US,
	OPT_RECORD,
	OPT_REPLAY,
	OPT_KEEP_GOING,
	OPT_DECODE,
	OPT_FROM,
	OPT_TO,
	OPT_ONLY,
	OPT_ALL,
	OPT_LIST_CHIPSETS,
	OPT_HELP,
};

static const struct option long_options[] = {
    {"socket", required_argument, NULL, OPT_SOCKET},
    {"vfio-user", required_argument, NULL, OPT_VFIO_USER},
    {"chipset", required_argument, NULL, OPT_CHIPSET},
    {"vram", required_argument, NULL, OPT_VRAM},
    {"bar1", required_argument, NULL, OPT_BAR1},
    {"bar3", required_argument, NULL, OPT_BAR3},
    {"tags", required_argument, NULL, OPT_TAGS},
    {"trace", required_argument, NULL, OPT_TRACE},
    {"trace-mmio", no_argument, NULL, OPT_TRACE_MMIO},
    {"report", required_argument, NULL, OPT_REPORT},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"stats", required_argument, NULL, OPT_STATS},
    {"control", required_argument, NULL, OPT_CONTROL},
    {"quirk", required_argument, NULL, OPT_QUIRK},
    {"not-posted", no_argument, NULL, OPT_NOT_POSTED},
    {"efi", no_argument, NULL, OPT_EFI},
    {"no-msi", no_argument, NULL, OPT_NO_MSI},
    {"big-endian", no_argument, NULL, OPT_BIG_ENDIAN},
    {"endian-stuck", no_argument, NULL, OPT_ENDIAN_STUCK},
    {"dead", no_argument, NULL, OPT_DEAD},
    {"engine-context", required_argument, NULL, OPT_ENGINE_CONTEXT},
    {"whole-card", no_argument, NULL, OPT_WHOLE_CARD},
    {"d3-loss", required_argument, NULL, OPT_D3_LOSS},
    {"left", required_argument, NULL, OPT_LEFT},
    {"boot0", required_argument, NULL, OPT_BOOT0},
    {"pmc-enable", required_argument, NULL, OPT_PMC_ENABLE},
    {"straps", required_argument, NULL, OPT_STRAPS},
    {"like", required_argument, NULL, OPT_LIKE},
    {"describe", no_argument, NULL, OPT_DESCRIBE},
    {"sysram-high", required_argument, NULL, OPT_SYSRAM_HIGH},
    {"adverse", optional_argument, NULL, OPT_ADVERSE},
    {"check-stores", no_argument, NULL, OPT_CHECK_STORES},
    {"boot-vga", no_argument, NULL, OPT_BOOT_VGA},
    {"spin-us", required_argument, NULL, OPT_SPIN_US},
    {"record", required_argument, NULL, OPT_RECORD},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"keep-going", no_argument, NULL, OPT_KEEP_GOING},
    {"decode", required_argument, NULL, OPT_DECODE},
    {"from", required_argument, NULL, OPT_FROM},
    {"to", required_argument, NULL, OPT_TO},
    {"only", required_argument, NULL, OPT_ONLY},
    {"all", no_argument, NULL, OPT_ALL},
    {"list-chipsets", no_argument, NULL, OPT_LIST_CHIPSETS},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

void options_card_init(struct nvsim_config *card)
{
	memset(card, 0, sizeof(*card));
	card->vram_size = 64 * MIB;
	card->engine_context = NVSIM_ENGINE_REQUIRE;
	card->bar1_size = 64 * MIB;
	card->bar3_size = 32 * MIB;
}

/* The flag of the card that an option sets, or NULL. */
static bool *card_flag(struct nvsim_config *card, int id)
{
	switch ((enum option_id)id) {
	case OPT_NOT_POSTED:
		return &card->not_posted;
	case OPT_EFI:
		return &card->efi;
	case OPT_NO_MSI:
		return &card->no_msi;
	case OPT_BIG_ENDIAN:
		return &card->big_endian;
	case OPT_ENDIAN_STUCK:
		return &card->endian_stuck;
	case OPT_DEAD:
		return &card->dead;
	case OPT_WHOLE_CARD:
		return &card->whole_card;
	case OPT_CHECK_STORES:
		return &card->check_stores;
	case OPT_BOOT_VGA:
		return &card->is_boot_vga;
	default:
		return NULL;
	}
}

/* Parse a size of the card. Returns 1, 0 if it is no such option, -1 after a complaint. */
static int card_size(struct nvsim_config *card, int id, const char *value)
{
	unsigned long v;

	switch ((enum option_id)id) {
	case OPT_VRAM:
		if (!parse_number("vram", value, 1, VRAM_MIB_MAX, false, &v))
			return -1;
		card->vram_size = v * MIB;
		return 1;
	case OPT_BAR1:
		if (!parse_number("bar1", value, 1, BAR_MIB_MAX, true, &v))
			return -1;
		card->bar1_size = v * MIB;
		return 1;
	case OPT_BAR3:
		if (!parse_number("bar3", value, BAR3_MIB_MIN, BAR_MIB_MAX, true, &v))
			return -1;
		card->bar3_size = v * MIB;
		return 1;
	case OPT_TAGS:
		if (!parse_number("tags", value, 0, TAGS_MAX, false, &v))
			return -1;
		card->tags = (uint32_t)v;
		card->no_tags = !v;
		return 1;
	default:
		return 0;
	}
}

/* Parse an option of the card. Returns 1, 0 if it is no such option, -1 after a complaint. */
static int card_option(struct nvsim_config *card, int id, const char *value)
{
	bool *flag = card_flag(card, id);
	unsigned int choice;
	char err[256];

	if (flag) {
		*flag = true;
		return 1;
	}

	switch ((enum option_id)id) {
	case OPT_CHIPSET:
		return parse_chipset(value, &card->chipset) ? 1 : -1;
	case OPT_QUIRK:
		if (nvsim_quirk_parse(card, value, err, sizeof(err)))
			return 1;
		complain("--quirk %s", err);
		return -1;
	case OPT_D3_LOSS:
		if (!parse_name("d3-loss", value, d3_losses, &choice))
			return -1;
		card->d3_loss = choice;
		return 1;
	case OPT_LEFT:
		if (!parse_name("left", value, lefts, &choice))
			return -1;
		card->left = choice;
		return 1;
	case OPT_ENGINE_CONTEXT:
		if (!parse_name("engine-context", value, engine_contexts, &choice))
			return -1;
		card->engine_context = choice;
		return 1;
	case OPT_BOOT0:
		return parse_hex("boot0", value, &card->boot0) ? 1 : -1;
	case OPT_PMC_ENABLE:
		return parse_hex("pmc-enable", value, &card->pmc_enable) ? 1 : -1;
	case OPT_STRAPS:
		return parse_hex("straps", value, &card->straps) ? 1 : -1;
	case OPT_LIKE:
		return like_report(card, value) ? 1 : -1;
	case OPT_SYSRAM_HIGH:
		return parse_hex("sysram-high", value, &card->sysram_high) ? 1 : -1;
	case OPT_ADVERSE:
		if (nvsim_adverse_parse(card, value, err, sizeof(err)))
			return 1;
		complain("--adverse %s", err);
		return -1;
	default:
		return card_size(card, id, value);
	}
}

void options_card_text(const struct nvsim_config *card, char *buf, size_t len)
{
	const char *name, *value, *other, *help;
	FILE *f = fmemopen(buf, len, "w");
	struct nvsim_config usual;
	unsigned int i;

	buf[0] = 0;
	if (!f)
		return;
	options_card_init(&usual);
	fprintf(f, "chipset %s\n", card->chipset);
	if (card->vram_size != usual.vram_size)
		fprintf(f, "vram %llu\n", (unsigned long long)(card->vram_size / MIB));
	if (card->bar1_size != usual.bar1_size)
		fprintf(f, "bar1 %llu\n", (unsigned long long)(card->bar1_size / MIB));
	if (card->bar3_size != usual.bar3_size)
		fprintf(f, "bar3 %llu\n", (unsigned long long)(card->bar3_size / MIB));
	if (card->no_tags || card->tags)
		fprintf(f, "tags %u\n", card->no_tags ? 0 : card->tags);
	if (card->boot0)
		fprintf(f, "boot0 %x\n", card->boot0);
	if (card->pmc_enable)
		fprintf(f, "pmc-enable %x\n", card->pmc_enable);
	if (card->straps)
		fprintf(f, "straps %x\n", card->straps);
	if (card->sysram_high)
		fprintf(f, "sysram-high %x\n", card->sysram_high);
	if (card->engine_context != usual.engine_context)
		fprintf(f, "engine-context %s\n", engine_contexts[card->engine_context]);
	if (card->left != usual.left)
		fprintf(f, "left %s\n", lefts[card->left]);
	if (card->d3_loss != usual.d3_loss)
		fprintf(f, "d3-loss %s\n", d3_losses[card->d3_loss]);
#define FLAG(member, name)                                                                         \
	if (card->member)                                                                          \
	fputs(name "\n", f)
	FLAG(is_boot_vga, "boot-vga");
	FLAG(not_posted, "not-posted");
	FLAG(efi, "efi");
	FLAG(no_msi, "no-msi");
	FLAG(big_endian, "big-endian");
	FLAG(endian_stuck, "endian-stuck");
	FLAG(dead, "dead");
	FLAG(check_stores, "check-stores");
	FLAG(whole_card, "whole-card");
#undef FLAG
	for (i = 0; nvsim_quirk_describe(i, &name, &value, &other, &help); i++)
		if (card->quirks >> i & 1)
			fprintf(f, "quirk %s=%s\n", name, other);
	fclose(f);
}

bool options_card_line(struct nvsim_config *card, const char *line)
{
	size_t n = strcspn(line, " ");
	const char *value = line[n] ? line + n + 1 : NULL;
	const struct option *o;

	for (o = long_options; o->name; o++)
		if (strlen(o->name) == n && !memcmp(o->name, line, n) &&
		    (o->has_arg == required_argument) == (value != NULL))
			break;

	if (o->name) {
		int rc = card_option(card, o->val, value);

		if (rc)
			return rc > 0;
	}

	complain("'%s' is not an option of a card", line);

	return false;
}

static const char *const kinds[] = {"config", "mmio", "dma", "irq", "other"};

/* The index in the list is the bit in enum decode_kind. */
static bool parse_kinds(const char *text, unsigned int *only)
{
	unsigned int i;

	*only = 0;
	for (;;) {
		size_t n = strcspn(text, ",");

		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (strlen(kinds[i]) == n && !memcmp(kinds[i], text, n))
				break;
		if (i == sizeof(kinds) / sizeof(kinds[0]))
			break;
		*only |= 1u << i;
		if (!text[n])
			return true;
		text += n + 1;
	}

	complain("--only %s: needs config, mmio, dma, irq, other, or several with commas", text);

	return false;
}

static int describe(const struct nvsim_config *card)
{
	char text[4096];

	if (!card->chipset) {
		complain("--describe needs --chipset NAME or --like FILE");
		return EXIT_USAGE;
	}

	options_card_text(card, text, sizeof(text));
	fputs(text, stdout);
	return EXIT_OK;
}

/* Check that the options fit together. */
static int check(const struct options *o)
{
	const char *file = o->replay_path ? o->replay_path : o->decode_path;
	const char *mode = o->replay_path ? "replay" : "decode";

	if (file && (o->socket_path || o->record_path || (o->replay_path && o->decode_path))) {
		complain("--%s: not together with --socket, --vfio-user, --record%s", mode,
			 o->replay_path ? ", --decode" : ", --replay");
		return EXIT_USAGE;
	}

	if (o->keep_going && !o->replay_path) {
		complain("--keep-going needs --replay FILE");
		return EXIT_USAGE;
	}

	if ((o->from || o->to != UINT64_MAX || o->only != ~0u || o->all) && !o->decode_path) {
		complain("--from, --to, --only and --all need --decode FILE");
		return EXIT_USAGE;
	}

	if (o->describe)
		return describe(&o->card);

	if (o->card.trace_mmio && !o->trace_path) {
		complain("--trace-mmio needs --trace FILE");
		return EXIT_USAGE;
	}

	if (file)
		return -1;

	if (!o->socket_path || !o->card.chipset) {
		complain("--%s is missing, try `nvsim --help'",
			 o->socket_path ? "chipset NAME" : "vfio-user PATH or --socket PATH");
		return EXIT_USAGE;
	}

	if (!o->socket_path[0] ||
	    strlen(o->socket_path) >= sizeof(((struct sockaddr_un *)0)->sun_path)) {
		complain("--%s %s: needs a path of 1 to %zu bytes",
			 o->vfio ? "vfio-user" : "socket", o->socket_path,
			 sizeof(((struct sockaddr_un *)0)->sun_path) - 1);
		return EXIT_USAGE;
	}

	return -1;
}

static void list_chipsets(void)
{
	unsigned int i;

	for (i = 0; nvsim_chipset_names[i]; i++)
		puts(nvsim_chipset_names[i]);
}

static int socket_option(struct options *o, int id, const char *path)
{
	if (o->socket_path) {
		complain("--socket and --vfio-user: one socket, named once");
		return EXIT_USAGE;
	}

	o->vfio = id == OPT_VFIO_USER;
	o->socket_path = path;
	return -1;
}

/* The path that an option sets, or NULL. */
static const char **path_option(struct options *o, int id)
{
	switch ((enum option_id)id) {
	case OPT_TRACE:
		return &o->trace_path;
	case OPT_REPORT:
		return &o->report_path;
	case OPT_STATS:
		return &o->stats_path;
	case OPT_CONTROL:
		return &o->control_path;
	case OPT_RECORD:
		return &o->record_path;
	case OPT_REPLAY:
		return &o->replay_path;
	case OPT_DECODE:
		return &o->decode_path;
	default:
		return NULL;
	}
}

/* The flag that an option sets, or NULL. */
static bool *flag_option(struct options *o, int id)
{
	switch ((enum option_id)id) {
	case OPT_TRACE_MMIO:
		return &o->card.trace_mmio;
	case OPT_STRICT:
		return &o->strict;
	case OPT_KEEP_GOING:
		return &o->keep_going;
	case OPT_ALL:
		return &o->all;
	case OPT_DESCRIBE:
		return &o->describe;
	default:
		return NULL;
	}
}

/* Parse an option that is not of the card. Returns -1 to continue, or the exit status. */
static int run_option(struct options *o, int id, const char *value)
{
	const char **path = path_option(o, id);
	bool *flag = flag_option(o, id);
	unsigned long v;

	if (path) {
		*path = value;
		return -1;
	}

	if (flag) {
		*flag = true;
		return -1;
	}

	switch ((enum option_id)id) {
	case OPT_SOCKET:
	case OPT_VFIO_USER:
		return socket_option(o, id, value);
	case OPT_SPIN_US:
		if (!parse_number("spin-us", value, 0, SPIN_US_MAX, false, &v))
			return EXIT_USAGE;
		o->spin_us = (unsigned int)v;
		return -1;
	case OPT_FROM:
		if (!parse_number("from", value, 0, LONG_MAX, false, &v))
			return EXIT_USAGE;
		o->from = v;
		return -1;
	case OPT_TO:
		if (!parse_number("to", value, 0, LONG_MAX, false, &v))
			return EXIT_USAGE;
		o->to = v;
		return -1;
	case OPT_ONLY:
		return parse_kinds(value, &o->only) ? -1 : EXIT_USAGE;
	case OPT_LIST_CHIPSETS:
		list_chipsets();
		return EXIT_OK;
	case OPT_HELP:
		usage(stdout);
		return EXIT_OK;
	default:
		/* getopt_long() has named the option. */
		fputs("Try `nvsim --help'.\n", stderr);
		return EXIT_USAGE;
	}
}

int options_parse(int argc, char **argv, const struct nvsim_config *card, struct options *o)
{
	int id, rc;

	memset(o, 0, sizeof(*o));
	o->spin_us = 50;
	o->to = UINT64_MAX;
	o->only = ~0u;
	if (card)
		o->card = *card;
	else
		options_card_init(&o->card);

	/* Reset getopt(), for a second call. */
	optind = 0;

	while ((id = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (id == OPT_ADVERSE && !optarg && optind < argc && argv[optind][0] != '-')
			optarg = argv[optind++];

		rc = card_option(&o->card, id, optarg);
		if (rc < 0)
			return EXIT_USAGE;
		if (rc)
			continue;

		rc = run_option(o, id, optarg);
		if (rc >= 0)
			return rc;
	}

	if (optind < argc) {
		complain("%s: options only, no other arguments", argv[optind]);
		return EXIT_USAGE;
	}

	if (o->trace_path)
		o->card.trace_mthd = true;

	return check(o);
}
