// SPDX-License-Identifier: MIT
/*
 * nvsim: the model as a device process. It serves one guest over vhost-user (UML) or vfio-user
 * (QEMU). It also decodes and replays records, see sim/record.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../nvsim.h"
#include "../record/accesses.h"
#include "../record/decode.h"
#include "../record/record.h"
#include "../record/replay.h"
#include "control.h"
#include "options.h"
#include "server.h"
#include "vfio_server.h"

/* A broken driver can cause violations for ever; limit the file. */
#define MAX_VIOLATION_LINES 10000

struct program {
	FILE *trace;
	FILE *report;
	bool trace_pending;
	uint64_t violations;
	const struct nvsim_config *card;
	struct nvsim_host host;
	struct port *port;
	struct recorder *record;
};

static volatile sig_atomic_t stop;

/* Output files */

static void write_trace(void *ctx, const char *line)
{
	struct program *prog = ctx;

	if (!prog->trace)
		return;

	fputs(line, prog->trace);
	fputc('\n', prog->trace);

	/* A test in the guest reads the file as soon as it has set a mark. */
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

/* The loop is about to sleep. */
static void flush_output(void *ctx)
{
	struct program *prog = ctx;

	if (prog->record)
		recorder_idle(prog->record, now_ns());

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
	STAT(frozen_us);
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

/* Remove a stale socket; -1 if a process listens there or the file is no socket. */
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
 * Wait for the guest: the first client that sends data. A client that disconnects without data
 * only tested whether the socket is alive.
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

/* A bus reset replaces the card by a new one in its state after power-up. */
static struct nvsim *new_card(void *ctx)
{
	struct program *prog = ctx;
	char err[256];
	struct nvsim *sim;

	if (prog->port->sim)
		write_trace(prog, "RESET");

	sim = port_power_up(prog->port, prog->card, &prog->host, err, sizeof(err));
	if (!sim)
		complain("%s", err);

	return sim;
}

/* Only the requested transport is used. */
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

	/* There is one guest only: refuse others. */
	unlink(o->socket_path);
	close(listener);
	if (guest < 0)
		return EXIT_TRANSPORT;

	port_note(prog->port,
		  o->vfio ? "vfio-user client connected" : "vhost-user client connected");
	if (o->vfio)
		rc = vfio_server_run(&server.vfio, prog->port->sim, guest, err, sizeof(err));
	else
		rc = server_run(&server.vhost, prog->port->sim, guest, err, sizeof(err));

	if (rc)
		port_note(prog->port, err);
	else
		port_note(prog->port, stop ? "stopped by a signal" : "client hung up");

	if (rc) {
		complain("%s", err);
		return EXIT_TRANSPORT;
	}

	return EXIT_OK;
}

static bool open_outputs(const struct options *o, struct program *prog)
{
	if (o->trace_path) {
		prog->trace = open_output(o->trace_path);
		if (!prog->trace)
			return false;
		setvbuf(prog->trace, NULL, _IOFBF, 1 << 16);
	}

	if (o->report_path) {
		prog->report = open_output(o->report_path);
		if (!prog->report)
			return false;
	}

	return true;
}

static bool close_outputs(const struct options *o, struct program *prog)
{
	bool ok = close_output(prog->trace, o->trace_path);

	return close_output(prog->report, o->report_path) && ok;
}

/* Records */

static struct recorder *open_record(const struct options *o, int argc, char **argv)
{
	struct recorder *rec = NULL;
	char card[4096], *header;
	size_t size;
	FILE *f = open_memstream(&header, &size);
	int i;

	if (!f) {
		complain("out of memory");
		return NULL;
	}

	options_card_text(&o->card, card, sizeof(card));
	fprintf(f, "%s#", card);

	for (i = 0; i < argc; i++) {
		const char *p;

		fputc(' ', f);
		for (p = argv[i]; *p; p++)
			fputc(*p == '\n' ? '?' : *p, f);
	}

	fputc('\n', f);
	if (!fclose(f)) {
		rec = recorder_open(o->record_path, header);
		if (!rec)
			complain("cannot write %s: %s", o->record_path, strerror(errno));
	}

	free(header);
	return rec;
}

/* Take the card from the header, then options from the command line. -1 or the exit status. */
static int read_header(struct record_reader *r, const char *path, int argc, char **argv,
		       struct options *o)
{
	struct nvsim_config card;
	char line[512];

	options_card_init(&card);

	while (record_header_line(r, line, sizeof(line))) {
		if (line[0] != '#' && !options_card_line(&card, line)) {
			complain("%s: a bad header", path);
			return EXIT_BAD_RECORD;
		}
	}

	if (!card.chipset) {
		complain("%s: the header names no chipset", path);
		return EXIT_BAD_RECORD;
	}

	return options_parse(argc, argv, &card, o);
}

/* Report how the file ends; false if it ends with garbage. */
static bool tell_end(const char *path, const struct record_reader *r)
{
	if (r->end == RECORD_CUT)
		complain("%s: cut: the last of %" PRIu64 " whole records ends at byte %zu of %zu",
			 path, r->count, r->at, r->size);
	if (r->end == RECORD_GARBAGE)
		complain("%s: no record begins at byte %zu", path, r->at);
	return r->end != RECORD_GARBAGE;
}

static void write_violation_line(void *ctx, const char *line)
{
	struct program *prog = ctx;

	if (prog->report)
		fprintf(prog->report, "%s\n", line);
}

/* End a line of a replay's result. A replay that stops at the first difference knows a minimum. */
static void print_differences(const struct options *o, uint64_t count)
{
	if (count && !o->keep_going)
		printf("at least ");
	printf("%" PRIu64 " difference%s\n", count, count == 1 ? "" : "s");
}

static int replay(const struct options *o, struct record_reader *r, struct program *prog)
{
	struct replay_config cfg = {
	    .card = o->card,
	    .keep_going = o->keep_going,
	    .out = stdout,
	    .ctx = prog,
	    .trace = write_trace,
	    .violation = write_violation_line,
	};
	uint64_t start = now_ns();
	struct replay_result result;
	int rc = EXIT_OK;
	char err[256];

	if (!replay_run(&cfg, r, &result, err, sizeof(err))) {
		complain("%s: %s", o->replay_path, err);
		rc = EXIT_BAD_RECORD;
	} else if (!tell_end(o->replay_path, r)) {
		rc = EXIT_BAD_RECORD;
	} else if (result.differences) {
		rc = EXIT_DIFFERENT;
	}

	printf("%" PRIu64 " records, %" PRIu64 " calls, %.3f s, replayed in %.3f s: ",
	       result.records, result.calls, (double)result.time / NS_PER_S,
	       (double)(now_ns() - start) / NS_PER_S);
	print_differences(o, result.differences);
	if (result.sim && o->stats_path && !write_stats(result.sim, o->stats_path))
		rc = EXIT_BAD_RECORD;

	nvsim_destroy(result.sim);
	return rc;
}

static struct decode_config decode_config_of(const struct options *o)
{
	return (struct decode_config){
	    .chipset = o->card.chipset,
	    .from = o->from,
	    .to = o->to,
	    .only = o->only,
	    .all = o->all,
	    .out = stdout,
	};
}

static int decode(const struct options *o, struct record_reader *r)
{
	struct decode_config cfg = decode_config_of(o);

	decode_run(&cfg, r);
	return tell_end(o->decode_path, r) ? EXIT_OK : EXIT_BAD_RECORD;
}

/* An mmiotrace may be incomplete, and may have accesses that nvsim does not use. */
static void tell_left_out(const char *path, uint64_t others, uint64_t unknown, uint64_t lost)
{
	if (others)
		complain("%s: left out: %" PRIu64 " accesses of other devices", path, others);
	if (unknown)
		complain("%s: left out: %" PRIu64 " accesses that mmiotrace could not decode", path,
			 unknown);
	if (lost)
		complain("%s: incomplete: mmiotrace lost %" PRIu64 " events", path, lost);
}

static int decode_trace(const struct options *o, const char *data, size_t size)
{
	struct decode_config cfg = decode_config_of(o);
	struct mmiotrace t;
	char err[256] = "";

	if (!mmiotrace_open(&t, data, size, err, sizeof(err))) {
		complain("%s: %s", o->decode_path, err);
		return EXIT_BAD_RECORD;
	}

	if (!cfg.chipset)
		cfg.chipset = mmiotrace_chipset(&t);
	if (!cfg.chipset) {
		complain("%s: the trace has no read of PMC_BOOT_0: name the card with --chipset NAME",
			 o->decode_path);
		return EXIT_BAD_RECORD;
	}

	decode_mmiotrace(&cfg, &t, err, sizeof(err));
	tell_left_out(o->decode_path, t.others, t.unknown, t.lost);
	if (err[0])
		complain("%s: %s", o->decode_path, err);

	return err[0] ? EXIT_BAD_RECORD : EXIT_OK;
}

/* Replay accesses to a real card, from the report of nvfifo selftest or from a trace. */
static int replay_accesses(const struct options *o, const char *data, size_t size)
{
	struct accesses_config cfg = {
	    .card = o->card,
	    .keep_going = o->keep_going,
	    .out = stdout,
	};
	struct accesses_result result;
	char err[256];

	if (!accesses_replay(&cfg, data, size, &result, err, sizeof(err))) {
		complain("%s: %s", o->replay_path, err);
		return EXIT_BAD_RECORD;
	}

	tell_left_out(o->replay_path, result.others, result.unknown, result.lost);
	if (result.doorbell)
		printf("work from %s %" PRIu64 " on: registers that depend on it are not compared\n",
		       mmiotrace_is(data, size) ? "line" : "access", result.doorbell);
	if (result.unmodelled)
		printf("%" PRIu64 " reads of units that are not modelled: not compared\n",
		       result.unmodelled);

	printf("%" PRIu64 " accesses, %" PRIu64 " compared: ", result.accesses, result.compared);
	print_differences(o, result.differences);
	return result.differences ? EXIT_DIFFERENT : EXIT_OK;
}

static int use_record(const char *path, int argc, char **argv, struct options *o)
{
	struct program prog = {0};
	struct record_reader r;
	char err[256];
	uint8_t *data;
	size_t size;
	int rc;

	data = record_load(path, &size);
	if (!data) {
		complain("cannot read %s: %s", path, strerror(errno));
		return EXIT_BAD_RECORD;
	}

	if (o->decode_path && mmiotrace_is((const char *)data, size)) {
		rc = decode_trace(o, (const char *)data, size);
		free(data);
		return rc;
	}

	if (o->replay_path && accesses_are_in((const char *)data, size)) {
		rc = replay_accesses(o, (const char *)data, size);
		free(data);
		return rc;
	}

	if (!record_start(&r, data, size, err, sizeof(err))) {
		complain("%s %s", path, err);
		free(data);
		return EXIT_BAD_RECORD;
	}

	rc = read_header(&r, path, argc, argv, o);
	if (rc < 0 && !open_outputs(o, &prog))
		rc = EXIT_USAGE;

	if (rc < 0)
		rc = o->decode_path ? decode(o, &r) : replay(o, &r, &prog);

	if (!close_outputs(o, &prog) && rc == EXIT_OK)
		rc = EXIT_BAD_RECORD;

	free(data);
	return rc;
}

/* Open the files of the options except trace and report; false after an error message. */
static bool open_sockets(const struct options *o, int argc, char **argv, struct program *prog,
			 struct control **control)
{
	if (o->record_path) {
		prog->record = open_record(o, argc, argv);
		if (!prog->record)
			return false;
	}

	if (o->control_path) {
		*control = control_open(o->control_path);
		if (!*control) {
			complain("--control %s: %s", o->control_path, strerror(errno));
			return false;
		}
	}

	return true;
}

/* Make the transport that the options choose, without a card. */
static void make_server(const struct options *o, const struct server_config *cfg,
			struct program *prog)
{
	prog->card = &o->card;
	if (o->vfio) {
		vfio_server_init(&server.vfio, cfg, &prog->host);
		prog->port = &server.vfio.session.port;
	} else {
		server_init(&server.vhost, cfg, &prog->host);
		prog->port = &server.vhost.session.port;
	}
}

static void complain_of_missing(const struct nvsim *sim)
{
	char text[NVSIM_MISSING_TEXT];
	struct nvsim_missing m;
	unsigned int i;

	for (i = 0; nvsim_get_missing(sim, i, &m); i++)
		complain("the model did not do: %s", nvsim_missing_text(&m, text, sizeof(text)));
}

/* Write the results of a run and destroy the card. Returns the exit status, the first failure's. */
static int finish(const struct options *o, struct program *prog, int rc)
{
	if (prog->violations > MAX_VIOLATION_LINES)
		complain("%" PRIu64 " violations, the first %d were printed", prog->violations,
			 MAX_VIOLATION_LINES);
	complain_of_missing(prog->port->sim);

	if (rc == EXIT_OK && o->strict && prog->violations)
		rc = EXIT_VIOLATIONS;

	if (prog->record && !recorder_close(prog->record)) {
		complain("cannot write %s: %s", o->record_path, strerror(errno));
		if (rc == EXIT_OK)
			rc = EXIT_TRANSPORT;
	}

	if (o->stats_path && !write_stats(prog->port->sim, o->stats_path) && rc == EXIT_OK)
		rc = EXIT_TRANSPORT;

	nvsim_destroy(prog->port->sim);
	if (!close_outputs(o, prog) && rc == EXIT_OK)
		rc = EXIT_TRANSPORT;

	return rc;
}

int main(int argc, char **argv)
{
	struct program prog = {0};
	struct server_config cfg;
	struct options o;
	sigset_t mask;
	int rc;

	rc = options_parse(argc, argv, NULL, &o);
	if (rc >= 0)
		return rc;
	if (o.replay_path || o.decode_path)
		return use_record(o.replay_path ? o.replay_path : o.decode_path, argc, argv, &o);

	set_up_signals(&mask);

	/* The default timer slack of 50 us is as long as a register access. */
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);

	cfg = (struct server_config){
	    .spin_us = o.spin_us,
	    .ctx = &prog,
	    .trace = write_trace,
	    .violation = write_violation,
	    .idle = flush_output,
	    .stop = &stop,
	    .sigmask = &mask,
	    .reset = new_card,
	};
	if (!open_outputs(&o, &prog) || !open_sockets(&o, argc, argv, &prog, &cfg.control))
		return EXIT_TRANSPORT;

	cfg.record = prog.record;

	make_server(&o, &cfg, &prog);
	if (!new_card(&prog)) {
		control_close(cfg.control);
		return EXIT_USAGE;
	}

	rc = serve_one(&o, &prog, &mask);
	port_settle(prog.port);
	control_close(cfg.control);
	return finish(&o, &prog, rc);
}
