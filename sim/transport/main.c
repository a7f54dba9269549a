// SPDX-License-Identifier: MIT
/*
 * nvsim: the card model as a device process, vhost-user for a UML guest or vfio-user for QEMU.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../nvsim.h"
#include "server.h"
#include "vfio_server.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_TRANSPORT = 1,
	EXIT_USAGE = 2,
	EXIT_VIOLATIONS = 3,
};

#define MIB (1024ull * 1024)

#define VRAM_MIB_MAX 4095
#define BAR_MIB_MAX  1024
#define BAR3_MIB_MIN 16
#define SPIN_US_MAX  10000
#define TAGS_MAX     4096

/* A broken driver can complain for ever; a file should not grow for ever. */
#define MAX_VIOLATION_LINES 10000

struct options {
	const char *socket_path;
	bool vfio;
	const char *trace_path;
	const char *report_path;
	const char *stats_path;
	bool strict;
	unsigned int spin_us;
	struct nvsim_config card;
};

struct program {
	FILE *trace;
	FILE *report;
	bool trace_pending;
	uint64_t violations;
	const struct nvsim_config *card;
	struct nvsim_host host;
	struct nvsim *sim;
};

static volatile sig_atomic_t stop;

static void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("nvsim: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Options */

static void usage(FILE *f)
{
	const char *name, *value, *other, *help;
	unsigned int i;

	fputs(
	    "Usage: nvsim --socket PATH --chipset NAME [option]...\n"
	    "       nvsim --vfio-user PATH --chipset NAME [option]...\n"
	    "\n"
	    "A software model of an NV50-family card as a PCI device for a virtual machine. It\n"
	    "listens on PATH, serves one guest until that hangs up, and exits.\n"
	    "A UML guest speaks vhost-user (--socket) and finds the card with\n"
	    "    linux virtio_uml.device=PATH:N ...\n"
	    "where N is the kernel's CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID. QEMU 10.1 and later\n"
	    "speaks vfio-user:\n"
	    "    -device "
	    "'{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"PATH\"}}'\n"
	    "with the guest's memory in a memory-backend-memfd that is shared.\n"
	    "\n"
	    "The card:\n"
	    "  --chipset NAME     one of --list-chipsets, any case\n"
	    "  --vram MIB         memory of the card, 1 to 4095 (default 64)\n"
	    "  --bar1 MIB         BAR1, a power of two, 1 to 1024 (default 64)\n"
	    "  --bar3 MIB         BAR3, a power of two, 16 to 1024 (default 32)\n"
	    "  --tags N           cells of compression tag memory, 0 or 2 to 4096 (default 512,\n"
	    "                     none on IGPs)\n"
	    "  --boot0 HEX        PMC_BOOT_0, 1 to ffffffff, instead of the chipset's own\n"
	    "  --boot-vga         the boot console's VGA device: class 0x030000, VGA decoding on\n"
	    "  --not-posted       the VBIOS has not been run\n"
	    "  --no-msi           no MSI capability\n"
	    "  --big-endian       comes up in big-endian mode\n"
	    "  --endian-stuck     ... and the mode cannot be switched\n"
	    "  --dead             every read is all ones\n"
	    "  --engine-context WHAT  what becomes of methods for an engine of which the channel has\n"
	    "                     no context: require (default: PGRAPH faults and hangs), ignore\n"
	    "                     (classes are checked, methods are recorded), record (also of\n"
	    "                     channels that have one)\n"
	    "  --whole-card       also the units that only other drivers use; they hold what is\n"
	    "                     written to them\n"
	    "  --d3-loss WHAT     what the way from D3hot to D0 costs: keep (default), lost\n"
	    "                     (registers and VRAM), unposted (also POST), gone\n"
	    "  --quirk NAME=VALUE which side to take where the sources disagree, may be repeated.\n"
	    "                     The first of each is the default, the text says what the other means:\n",
	    f);
	for (i = 0; nvsim_quirk_describe(i, &name, &value, &other, &help); i++)
		fprintf(f, "                       %s=%s|%s\n                           %s\n", name,
			value, other, help);
	fputs("\n"
	      "What it reports:\n"
	      "  --trace FILE       executed methods, IB entries, channel switches, errors; - is "
	      "stdout\n"
	      "  --trace-mmio       ... and every register access (needs --trace)\n"
	      "  --report FILE      violations: accesses that no correct driver makes\n"
	      "  --strict           exit with 3 if there was a violation that nobody announced\n"
	      "  --stats FILE       counters at exit, one `name value` a line\n"
	      "\n"
	      "Other:\n"
	      "  --socket PATH      unix socket; a stale one is replaced, any other file is not\n"
	      "  --vfio-user PATH   the same, for vfio-user instead of vhost-user\n"
	      "  --spin-us US       watch for the next access this long before sleeping,\n"
	      "                     0 to 10000 (default 50)\n"
	      "  --list-chipsets    print the names and exit\n"
	      "  --help             print this and exit\n"
	      "\n"
	      "Exit status: 0 the guest hung up (or SIGTERM, SIGINT), 1 transport error, 2 bad "
	      "usage,\n"
	      "3 violations with --strict.\n",
	      f);
}

static bool parse_number(const char *option, const char *text, unsigned long min, unsigned long max,
			 bool power_of_two, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && *value >= min && *value <= max &&
	    !(power_of_two && (*value & (*value - 1))))
		return true;
	complain("--%s %s: needs a %s from %lu to %lu", option, text,
		 power_of_two ? "power of two" : "number", min, max);
	return false;
}

static bool parse_boot0(const char *text, uint32_t *value)
{
	const char *digits = text;
	unsigned long v;
	char *end;

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		digits += 2;
	errno = 0;
	v = strtoul(digits, &end, 16);
	if (strspn(digits, "0123456789abcdefABCDEF") != strlen(digits) || end == digits || *end ||
	    errno || !v || v > UINT32_MAX) {
		complain("--boot0 %s: needs a hexadecimal number from 1 to ffffffff", text);
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
static const char *const engine_contexts[] = {"ignore", "require", "record", NULL};

/* The place in the list is the value in nvsim_ctl.h. */
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
	OPT_QUIRK,
	OPT_NOT_POSTED,
	OPT_NO_MSI,
	OPT_BIG_ENDIAN,
	OPT_ENDIAN_STUCK,
	OPT_DEAD,
	OPT_D3_LOSS,
	OPT_WHOLE_CARD,
	OPT_ENGINE_CONTEXT,
	OPT_BOOT0,
	OPT_BOOT_VGA,
	OPT_SPIN_US,
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
    {"quirk", required_argument, NULL, OPT_QUIRK},
    {"not-posted", no_argument, NULL, OPT_NOT_POSTED},
    {"no-msi", no_argument, NULL, OPT_NO_MSI},
    {"big-endian", no_argument, NULL, OPT_BIG_ENDIAN},
    {"endian-stuck", no_argument, NULL, OPT_ENDIAN_STUCK},
    {"dead", no_argument, NULL, OPT_DEAD},
    {"engine-context", required_argument, NULL, OPT_ENGINE_CONTEXT},
    {"whole-card", no_argument, NULL, OPT_WHOLE_CARD},
    {"d3-loss", required_argument, NULL, OPT_D3_LOSS},
    {"boot0", required_argument, NULL, OPT_BOOT0},
    {"boot-vga", no_argument, NULL, OPT_BOOT_VGA},
    {"spin-us", required_argument, NULL, OPT_SPIN_US},
    {"list-chipsets", no_argument, NULL, OPT_LIST_CHIPSETS},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	unsigned int choice;
	unsigned long v;
	char err[256];
	int id;

	memset(o, 0, sizeof(*o));
	o->spin_us = 50;
	o->card.vram_size = 64 * MIB;
	o->card.engine_context = NVSIM_ENGINE_REQUIRE;
	o->card.bar1_size = 64 * MIB;
	o->card.bar3_size = 32 * MIB;

	while ((id = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch ((enum option_id)id) {
		case OPT_SOCKET:
		case OPT_VFIO_USER:
			if (o->socket_path) {
				complain("--socket and --vfio-user: one socket, named once");
				return EXIT_USAGE;
			}
			o->vfio = id == OPT_VFIO_USER;
			o->socket_path = optarg;
			break;
		case OPT_CHIPSET:
			if (!parse_chipset(optarg, &o->card.chipset))
				return EXIT_USAGE;
			break;
		case OPT_VRAM:
			if (!parse_number("vram", optarg, 1, VRAM_MIB_MAX, false, &v))
				return EXIT_USAGE;
			o->card.vram_size = v * MIB;
			break;
		case OPT_BAR1:
			if (!parse_number("bar1", optarg, 1, BAR_MIB_MAX, true, &v))
				return EXIT_USAGE;
			o->card.bar1_size = v * MIB;
			break;
		case OPT_BAR3:
			if (!parse_number("bar3", optarg, BAR3_MIB_MIN, BAR_MIB_MAX, true, &v))
				return EXIT_USAGE;
			o->card.bar3_size = v * MIB;
			break;
		case OPT_TAGS:
			if (!parse_number("tags", optarg, 0, TAGS_MAX, false, &v))
				return EXIT_USAGE;
			o->card.tags = (uint32_t)v;
			o->card.no_tags = !v;
			break;
		case OPT_TRACE:
			o->trace_path = optarg;
			o->card.trace_mthd = true;
			break;
		case OPT_TRACE_MMIO:
			o->card.trace_mmio = true;
			break;
		case OPT_REPORT:
			o->report_path = optarg;
			break;
		case OPT_STRICT:
			o->strict = true;
			break;
		case OPT_STATS:
			o->stats_path = optarg;
			break;
		case OPT_QUIRK:
			if (!nvsim_quirk_parse(&o->card, optarg, err, sizeof(err))) {
				complain("--quirk %s", err);
				return EXIT_USAGE;
			}
			break;
		case OPT_NOT_POSTED:
			o->card.not_posted = true;
			break;
		case OPT_NO_MSI:
			o->card.no_msi = true;
			break;
		case OPT_BIG_ENDIAN:
			o->card.big_endian = true;
			break;
		case OPT_ENDIAN_STUCK:
			o->card.endian_stuck = true;
			break;
		case OPT_DEAD:
			o->card.dead = true;
			break;
		case OPT_WHOLE_CARD:
			o->card.whole_card = true;
			break;
		case OPT_D3_LOSS:
			if (!parse_name("d3-loss", optarg, d3_losses, &choice))
				return EXIT_USAGE;
			o->card.d3_loss = choice;
			break;
		case OPT_ENGINE_CONTEXT:
			if (!parse_name("engine-context", optarg, engine_contexts, &choice))
				return EXIT_USAGE;
			o->card.engine_context = choice;
			break;
		case OPT_BOOT0:
			if (!parse_boot0(optarg, &o->card.boot0))
				return EXIT_USAGE;
			break;
		case OPT_BOOT_VGA:
			o->card.is_boot_vga = true;
			break;
		case OPT_SPIN_US:
			if (!parse_number("spin-us", optarg, 0, SPIN_US_MAX, false, &v))
				return EXIT_USAGE;
			o->spin_us = (unsigned int)v;
			break;
		case OPT_LIST_CHIPSETS:
			for (v = 0; nvsim_chipset_names[v]; v++)
				puts(nvsim_chipset_names[v]);
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

	if (optind < argc) {
		complain("%s: options only, no other arguments", argv[optind]);
		return EXIT_USAGE;
	}
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
	if (o->card.trace_mmio && !o->trace_path) {
		complain("--trace-mmio needs --trace FILE");
		return EXIT_USAGE;
	}
	return -1;
}

/* Output files */

static void write_trace(void *ctx, const char *line)
{
	struct program *prog = ctx;

	if (!prog->trace)
		return;
	fputs(line, prog->trace);
	fputc('\n', prog->trace);
	/* A test in the guest reads the file right after it has set a mark. */
	if (strstr(line, "MARK ")) {
		fflush(prog->trace);
		prog->trace_pending = false;
	} else {
		prog->trace_pending = true;
	}
}

static void write_violation(void *ctx, const char *line)
{
	struct program *prog = ctx;

	prog->violations++;
	if (prog->violations > MAX_VIOLATION_LINES)
		return;
	complain("violation: %s", line);
	if (prog->report) {
		fprintf(prog->report, "%s\n", line);
		fflush(prog->report);
	}
}

static void flush_trace(void *ctx)
{
	struct program *prog = ctx;

	if (!prog->trace_pending)
		return;
	fflush(prog->trace);
	prog->trace_pending = false;
}

static FILE *open_output(const char *path)
{
	FILE *f;

	if (!strcmp(path, "-"))
		return stdout;
	f = fopen(path, "we");
	if (!f)
		complain("cannot write %s: %s", path, strerror(errno));
	return f;
}

static bool close_output(FILE *f, const char *path)
{
	bool failed;

	if (!f)
		return true;
	failed = ferror(f);
	failed |= (f == stdout ? fflush(f) : fclose(f)) != 0;
	if (failed)
		complain("cannot write %s: %s", path, strerror(errno));
	return !failed;
}

static bool write_stats(const struct nvsim *sim, const char *path)
{
	struct nvsim_stats st;
	unsigned int i;
	FILE *f;

	f = open_output(path);
	if (!f)
		return false;
	nvsim_get_stats(sim, &st);
#define STAT(name) fprintf(f, #name " %" PRIu64 "\n", st.name)
	STAT(mmio_reads);
	STAT(mmio_writes);
	STAT(bar1_reads);
	STAT(bar1_writes);
	STAT(bar3_reads);
	STAT(bar3_writes);
	STAT(dma_reads);
	STAT(dma_writes);
	STAT(methods);
	STAT(words);
	STAT(ib_entries);
	STAT(switches);
	STAT(interrupts);
	STAT(tlb_hits);
	STAT(tlb_misses);
	STAT(tlb_flushes);
	STAT(violations);
#undef STAT
	for (i = 0; i < sizeof(st.engine_flushes) / sizeof(st.engine_flushes[0]); i++)
		if (st.engine_flushes[i])
			fprintf(f, "engine_flushes_%x %" PRIu64 "\n", i, st.engine_flushes[i]);
	return close_output(f, path);
}

/* The socket */

static int stop_or_error(const char *what)
{
	if (errno != EINTR)
		complain("%s: %s", what, strerror(errno));
	else if (stop)
		complain("stopped before a guest came");
	return -1;
}

/* Remove a socket that nobody listens on; -1 if something else is in the way. */
static int remove_stale(const struct sockaddr_un *sa)
{
	struct stat st;
	int fd, rc;

	if (lstat(sa->sun_path, &st)) {
		if (errno == ENOENT)
			return 0;
		complain("--socket %s: %s", sa->sun_path, strerror(errno));
		return -1;
	}
	if (!S_ISSOCK(st.st_mode)) {
		complain("--socket %s: exists and is not a socket", sa->sun_path);
		return -1;
	}

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		complain("socket: %s", strerror(errno));
		return -1;
	}
	rc = connect(fd, (const struct sockaddr *)sa, sizeof(*sa));
	if (rc && errno == ECONNREFUSED) {
		rc = unlink(sa->sun_path);
		if (rc)
			complain("cannot remove %s: %s", sa->sun_path, strerror(errno));
	} else {
		complain("--socket %s: in use by another process", sa->sun_path);
		rc = -1;
	}
	close(fd);
	return rc;
}

static int listen_on(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd;

	strcpy(sa.sun_path, path);
	if (remove_stale(&sa))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		complain("socket: %s", strerror(errno));
		return -1;
	}
	if (bind(fd, (const struct sockaddr *)&sa, sizeof(sa))) {
		complain("--socket %s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	if (listen(fd, 1)) {
		complain("--socket %s: %s", path, strerror(errno));
		unlink(path);
		close(fd);
		return -1;
	}
	return fd;
}

static int wait_readable(int fd, const sigset_t *mask)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	while (!stop) {
		if (ppoll(&pfd, 1, NULL, mask) > 0)
			return 0;
		if (errno != EINTR)
			break;
	}
	return stop_or_error("ppoll");
}

/*
 * The first client that says something is the guest. One that connects and goes
 * away was only looking whether somebody is there.
 */
static int accept_guest(int listener, const sigset_t *mask)
{
	for (;;) {
		ssize_t n;
		char byte;
		int fd;

		if (wait_readable(listener, mask))
			return -1;
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0) {
			if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
				continue;
			return stop_or_error("accept");
		}
		if (wait_readable(fd, mask)) {
			close(fd);
			return -1;
		}
		n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
		if (n > 0)
			return fd;
		close(fd);
	}
}

/* Signals */

static void on_stop(int sig)
{
	(void)sig;
	stop = 1;
}

static void on_sigbus(int sig)
{
	static const char text[] = "nvsim: the guest's memory is gone (its file was truncated)\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_TRANSPORT);
	_exit(EXIT_TRANSPORT);
}

/* SIGTERM and SIGINT stay blocked except in ppoll(), which gets @open. */
static void set_up_signals(sigset_t *open)
{
	struct sigaction sa = {.sa_handler = on_stop};
	sigset_t block;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, open);
	sigdelset(open, SIGTERM);
	sigdelset(open, SIGINT);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sa.sa_handler = on_sigbus;
	sigaction(SIGBUS, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

/* A bus reset: the card as it comes out of power-up, whatever was going on. */
static struct nvsim *new_card(void *ctx)
{
	struct program *prog = ctx;
	char err[256];
	struct nvsim *sim = nvsim_create(prog->card, &prog->host, err, sizeof(err));

	if (!sim) {
		complain("%s", err);
		return NULL;
	}
	if (prog->sim) {
		write_trace(prog, "RESET");
		nvsim_settle(prog->sim);
		nvsim_destroy(prog->sim);
	}
	prog->sim = sim;
	return sim;
}

/* Of which only the one that was asked for is used. */
static union {
	struct server vhost;
	struct vfio_server vfio;
} server;

static int serve_one(const struct options *o, struct program *prog, const sigset_t *mask)
{
	int listener, guest, rc;
	char err[256];

	listener = listen_on(o->socket_path);
	if (listener < 0)
		return EXIT_TRANSPORT;
	guest = accept_guest(listener, mask);
	/* One guest only: from here on others are refused. */
	unlink(o->socket_path);
	close(listener);
	if (guest < 0)
		return EXIT_TRANSPORT;

	if (o->vfio)
		rc = vfio_server_run(&server.vfio, prog->sim, guest, err, sizeof(err));
	else
		rc = server_run(&server.vhost, prog->sim, guest, err, sizeof(err));
	if (rc) {
		complain("%s", err);
		return EXIT_TRANSPORT;
	}
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	struct program prog = {0};
	struct server_config cfg;
	struct options o;
	sigset_t mask;
	int rc;

	rc = parse_options(argc, argv, &o);
	if (rc >= 0)
		return rc;
	set_up_signals(&mask);
	/* The default slack of 50 us is as long as a register access. */
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);

	if (o.trace_path) {
		prog.trace = open_output(o.trace_path);
		if (!prog.trace)
			return EXIT_TRANSPORT;
		setvbuf(prog.trace, NULL, _IOFBF, 1 << 16);
	}
	if (o.report_path) {
		prog.report = open_output(o.report_path);
		if (!prog.report)
			return EXIT_TRANSPORT;
	}

	cfg = (struct server_config){
	    .spin_us = o.spin_us,
	    .ctx = &prog,
	    .trace = write_trace,
	    .violation = write_violation,
	    .idle = flush_trace,
	    .stop = &stop,
	    .sigmask = &mask,
	    .reset = new_card,
	};
	prog.card = &o.card;
	if (o.vfio)
		vfio_server_init(&server.vfio, &cfg, &prog.host);
	else
		server_init(&server.vhost, &cfg, &prog.host);
	if (!new_card(&prog))
		return EXIT_USAGE;

	rc = serve_one(&o, &prog, &mask);
	nvsim_settle(prog.sim);

	if (prog.violations > MAX_VIOLATION_LINES)
		complain("%" PRIu64 " violations, the first %d were printed", prog.violations,
			 MAX_VIOLATION_LINES);
	if (rc == EXIT_OK && o.strict && prog.violations)
		rc = EXIT_VIOLATIONS;
	if (o.stats_path && !write_stats(prog.sim, o.stats_path) && rc == EXIT_OK)
		rc = EXIT_TRANSPORT;
	nvsim_destroy(prog.sim);
	if (!close_output(prog.trace, o.trace_path) && rc == EXIT_OK)
		rc = EXIT_TRANSPORT;
	if (!close_output(prog.report, o.report_path) && rc == EXIT_OK)
		rc = EXIT_TRANSPORT;
	return rc;
}
