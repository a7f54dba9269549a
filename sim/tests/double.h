/* SPDX-License-Identifier: MIT */
/*
 * Helpers for the tests of both transports: TAP, a double of the card, the start of nvsim.
 *
 * The double replaces the model. It is some memory and a few trigger registers, so that a
 * test knows every access, interrupt and DMA exactly.
 */
#ifndef SIM_TESTS_DOUBLE_H
#define SIM_TESTS_DOUBLE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../nvsim.h"
#include "../record/record.h"
#include "../transport/session.h"
#include "../../tests/tap.h"

/* TAP */

static bool case_ok;

#define diag	tap_diag

#define CHECK(cond, ...)                                                                           \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			case_ok = false;                                                           \
			diag("line %d: %s", __LINE__, #cond);                                      \
			diag(__VA_ARGS__);                                                         \
		}                                                                                  \
	} while (0)

static void begin(void)
{
	case_ok = true;
}

static void end(const char *name)
{
	tap(case_ok, "%s", name);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void sleep_ms(long ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

/* The card */

#define BAR_SIZE     0x10000u
#define TRIG_INTX    0xf000u /* level */
#define TRIG_MSI     0xf004u /* send this data */
#define TRIG_ADDR_LO 0xf008u
#define TRIG_ADDR_HI 0xf00cu
#define TRIG_DMA_RD  0xf010u /* length; data to 0x8000, result to TRIG_RESULT */
#define TRIG_DMA_WR  0xf014u
#define TRIG_RESULT  0xf018u
#define TRIG_RUNS    0xf01cu /* reads the number of nvsim_run() calls */
#define TRIG_BUSY    0xf020u /* the next n runs claim that there is more to do */
#define DMA_BUF	     0x8000u

struct nvsim {
	struct nvsim_host host;
	uint8_t cfg[256];
	uint8_t bar[4][BAR_SIZE];
	uint64_t dma_addr;
	uint32_t result, busy;
	unsigned int accesses, widest, blocks, misaligned;
	atomic_uint runs;
};

const char *const nvsim_chipset_names[] = {"double", NULL};

struct nvsim *nvsim_create(const struct nvsim_config *cfg, const struct nvsim_host *host, char *err,
			   size_t err_len)
{
	struct nvsim *sim = calloc(1, sizeof(*sim));

	(void)cfg;
	if (!sim)
		snprintf(err, err_len, "out of memory");
	else
		sim->host = *host;
	return sim;
}

void nvsim_destroy(struct nvsim *sim)
{
	free(sim);
}

uint32_t nvsim_cfg_read(struct nvsim *sim, uint32_t off, unsigned int size)
{
	uint32_t v = 0;

	sim->misaligned += (off & (size - 1)) != 0;
	if (off > sizeof(sim->cfg) - size)
		return UINT32_MAX;
	memcpy(&v, sim->cfg + off, size);
	return v;
}

void nvsim_cfg_write(struct nvsim *sim, uint32_t off, uint32_t val, unsigned int size)
{
	sim->misaligned += (off & (size - 1)) != 0;
	if (off <= sizeof(sim->cfg) - size)
		memcpy(sim->cfg + off, &val, size);
}

uint64_t nvsim_bar_size(struct nvsim *sim, unsigned int bar)
{
	(void)sim;
	return bar == 0 || bar == 1 || bar == 3 ? BAR_SIZE : 0;
}

uint64_t nvsim_bar_read(struct nvsim *sim, unsigned int bar, uint64_t off, unsigned int size)
{
	uint64_t v = 0;

	sim->accesses++;
	sim->misaligned += (off & (size - 1)) != 0;
	if (size > sim->widest)
		sim->widest = size;
	if (bar == 0 && off == TRIG_RESULT)
		return sim->result;
	if (bar == 0 && off == TRIG_RUNS)
		return atomic_load(&sim->runs);
	memcpy(&v, &sim->bar[bar][off], size);
	return v;
}

void nvsim_bar_write(struct nvsim *sim, unsigned int bar, uint64_t off, uint64_t val,
		     unsigned int size)
{
	sim->accesses++;
	sim->misaligned += (off & (size - 1)) != 0;
	if (size > sim->widest)
		sim->widest = size;
	memcpy(&sim->bar[bar][off], &val, size);
	if (bar)
		return;
	switch (off) {
	case TRIG_INTX:
		sim->host.intx(sim->host.ctx, val & 1);
		break;
	case TRIG_MSI:
		sim->host.msi(sim->host.ctx, 0xa0000, (uint32_t)val);
		break;
	case TRIG_ADDR_LO:
		sim->dma_addr = (sim->dma_addr & ~UINT64_C(0xffffffff)) | (uint32_t)val;
		break;
	case TRIG_ADDR_HI:
		sim->dma_addr = (sim->dma_addr & 0xffffffff) | val << 32;
		break;
	case TRIG_DMA_RD:
		sim->result = (uint32_t)sim->host.dma_read(sim->host.ctx, sim->dma_addr,
							   &sim->bar[0][DMA_BUF], (size_t)val);
		break;
	case TRIG_DMA_WR:
		sim->result = (uint32_t)sim->host.dma_write(sim->host.ctx, sim->dma_addr,
							    &sim->bar[0][DMA_BUF], (size_t)val);
		break;
	case TRIG_BUSY:
		sim->busy = (uint32_t)val;
		break;
	}
}

static uint8_t *block_at(struct nvsim *sim, unsigned int bar, uint64_t off)
{
	sim->accesses++;
	sim->blocks++;
	return &sim->bar[bar][off];
}

void nvsim_bar_read_block(struct nvsim *sim, unsigned int bar, uint64_t off, void *buf, size_t len)
{
	memcpy(buf, block_at(sim, bar, off), len);
}

void nvsim_bar_write_block(struct nvsim *sim, unsigned int bar, uint64_t off, const void *buf,
			   size_t len)
{
	memcpy(block_at(sim, bar, off), buf, len);
}

void nvsim_bar_fill(struct nvsim *sim, unsigned int bar, uint64_t off, uint8_t byte, size_t len)
{
	memset(block_at(sim, bar, off), byte, len);
}

void nvsim_settle(struct nvsim *sim)
{
	(void)sim;
}

bool nvsim_command(struct nvsim *sim, const char *line, char *answer, size_t len)
{
	(void)sim;
	snprintf(answer, len, "%s", line);
	return true;
}

uint64_t nvsim_run(struct nvsim *sim, unsigned int budget)
{
	(void)budget;
	atomic_fetch_add(&sim->runs, 1);
	if (!sim->busy)
		return UINT64_MAX;
	sim->busy--;
	return 0;
}

/* Reports and configuration of a server */

struct report {
	atomic_uint violations, traces;
	char violation[320];
};

static void on_violation(void *ctx, const char *line)
{
	struct report *said = ctx;

	snprintf(said->violation, sizeof(said->violation), "%s", line);
	atomic_fetch_add(&said->violations, 1);
}

static void on_trace(void *ctx, const char *line)
{
	struct report *said = ctx;

	(void)line;
	atomic_fetch_add(&said->traces, 1);
}

static void on_idle(void *ctx)
{
	(void)ctx;
}

/* The recorder of the sessions that begin */
static struct recorder *recording;

static struct server_config report_config(struct report *said, unsigned int spin_us,
					  const volatile sig_atomic_t *stop, const sigset_t *mask)
{
	return (struct server_config){
	    .spin_us = spin_us,
	    .ctx = said,
	    .trace = on_trace,
	    .violation = on_violation,
	    .idle = on_idle,
	    .stop = stop,
	    .sigmask = mask,
	    .record = recording,
	};
}

/* Sockets and descriptors */

static bool send_fds(int sock, const void *buf, size_t len, const int *fds, unsigned int n)
{
	union {
		char buf[CMSG_SPACE(20 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n) {
		struct cmsghdr *cm = &control.align;

		memset(&control, 0, sizeof(control));
		mh.msg_control = control.buf;
		mh.msg_controllen = CMSG_SPACE(n * sizeof(int));
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, n * sizeof(int));
	}

	while (len) {
		ssize_t sent = sendmsg(sock, &mh, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		len -= (size_t)sent;
		iov.iov_base = (char *)iov.iov_base + sent;
		iov.iov_len -= (size_t)sent;
		mh.msg_control = NULL;
		mh.msg_controllen = 0;
	}

	return true;
}

/* Each piece within @ms */
static bool recv_all(int sock, void *buf, size_t len, int ms)
{
	uint8_t *p = buf;

	while (len) {
		struct pollfd pfd = {.fd = sock, .events = POLLIN};
		ssize_t n;

		if (poll(&pfd, 1, ms) <= 0)
			return false;
		n = recv(sock, p, len, 0);
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}

	return true;
}

static unsigned int open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	if (!d)
		abort();
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* The program */

static const char *nvsim_path;
static char work_dir[] = "/tmp/test_nvsim.XXXXXX";

static pid_t spawn(const char *out, char *const argv[])
{
	pid_t pid = fork();

	if (!pid) {
		int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, 1);
		dup2(fd, 2);
		execv(nvsim_path, argv);
		_exit(127);
	}

	return pid;
}

static int wait_exit(pid_t pid)
{
	uint64_t until = now_ms() + 10000;
	int status;

	while (now_ms() < until) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
		sleep_ms(5);
	}

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return 2000;
}

static const char *slurp(const char *path)
{
	static char buf[16384];
	FILE *f = fopen(path, "r");
	size_t n = 0;

	if (f) {
		n = fread(buf, 1, sizeof(buf) - 1, f);
		fclose(f);
	}

	buf[n] = 0;
	return buf;
}

static int connect_to(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	uint64_t until = now_ms() + 10000;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);

	while (now_ms() < until) {
		if (!connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
			return fd;
		sleep_ms(5);
	}

	close(fd);
	return -1;
}

static void check_refused(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	CHECK(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), "a second guest came in");
	close(fd);
}

#define ARGV(...) ((char *const[]){(char *)"nvsim", __VA_ARGS__, NULL})

static char recording_path[] = "/tmp/test_nvsim.XXXXXX";

static void start_recording(void)
{
	int fd = mkstemp(recording_path);

	recording = recorder_open(recording_path, "");
	if (fd < 0 || !recording)
		abort();
	close(fd);
}

/*
 * Check the record of a session, which read the @len bytes @data at @addr. It then tried to write
 * them where no memory is, raised the line and sent message 0x77.
 */
static void check_recording(uint64_t addr, const void *data, size_t len)
{
	unsigned int seen[64] = {0};
	bool read = false, refused = false, level = false, message = false;
	struct record_reader r;
	struct record rec;
	uint8_t *file;
	char err[100];
	size_t size;

	CHECK(recorder_close(recording), "it could not be written");
	recording = NULL;
	file = record_load(recording_path, &size);
	CHECK(file && record_start(&r, file, size, err, sizeof(err)), "no record");

	while (record_next(&r, &rec)) {
		seen[rec.type]++;
		read |= rec.type == RECORD_DMA_READ && rec.addr == addr && rec.len == len &&
			!memcmp(rec.bytes, data, len);
		refused |= rec.type == RECORD_DMA_WRITE && rec.failed && rec.len == len &&
			   !memcmp(rec.bytes, data, len);
		level |= rec.type == RECORD_INTX && rec.value;
		message |= rec.type == RECORD_MSI && rec.value == 0x77;
	}

	CHECK(r.end == RECORD_CLOSED, "it ends with %d", r.end);
	CHECK(read && refused, "DMA: %d %d", read, refused);
	CHECK(level && message, "interrupts: %d %d", level, message);
	CHECK(seen[RECORD_BAR_WRITE] >= 7 && seen[RECORD_BAR_READ] >= 2 && seen[RECORD_RUN] > 3 &&
		  seen[RECORD_CFG_READ] && seen[RECORD_BLOCK_WRITE] == 1 &&
		  seen[RECORD_RETURN] ==
		      seen[RECORD_BAR_READ] + seen[RECORD_RUN] + seen[RECORD_CFG_READ],
	      "accesses: %u %u %u %u %u", seen[RECORD_BAR_WRITE], seen[RECORD_BAR_READ],
	      seen[RECORD_RUN], seen[RECORD_CFG_READ], seen[RECORD_BLOCK_WRITE]);
	free(file);
	unlink(recording_path);
}

/* Check the program's record of a session that read PMC_BOOT_0 of a G84. */
static void check_record(const char *path, const char *out, const char *transport)
{
	char command[256];
	struct stat st;

	CHECK(wait_exit(spawn(out, ARGV("--replay", (char *)(uintptr_t)path))) == 0 &&
		  strstr(slurp(out), " 0 differences\n"),
	      "replay: %s", slurp(out));
	CHECK(wait_exit(spawn(out, ARGV("--replay", (char *)(uintptr_t)path, "--chipset", "g86",
					"--keep-going"))) == 1 &&
		  strstr(slurp(out), ": 000000 PMC.BOOT_0: expected 084"),
	      "replay on a G86: %s", slurp(out));
	CHECK(wait_exit(spawn(out, ARGV("--decode", (char *)(uintptr_t)path))) == 0, "decode");
	snprintf(command, sizeof(command), " %s client connected\n", transport);
	CHECK(strstr(slurp(out), command) && strstr(slurp(out), " R 000000 PMC.BOOT_0 = 084") &&
		  strstr(slurp(out), " W config COMMAND <- 0006\n") &&
		  strstr(slurp(out), " client hung up\n") &&
		  strstr(slurp(out), " end of the session\n"),
	      "decode: %s", slurp(out));
	CHECK(!stat(path, &st) && !truncate(path, st.st_size - 3), "truncate");
	CHECK(wait_exit(spawn(out, ARGV("--replay", (char *)(uintptr_t)path))) == 0 &&
		  strstr(slurp(out), " cut: the last of ") && strstr(slurp(out), " 0 differences\n"),
	      "replay of what is left: %s", slurp(out));
	CHECK(wait_exit(spawn(out, ARGV("--decode", (char *)(uintptr_t)path))) == 0, "decode");
	CHECK(!truncate(path, 30) &&
		  wait_exit(spawn(out, ARGV("--replay", (char *)(uintptr_t)path))) == 2 &&
		  strstr(slurp(out), "ends within its header"),
	      "replay of the beginning: %s", slurp(out));
	unlink(path);
}

/* How long an access takes, next to a byte there and back over a pair of sockets. */

#define TURNS  31
#define A_TURN 200

static void *echo_thread(void *arg)
{
	int sock = *(const int *)arg;
	char byte;

	while (read(sock, &byte, 1) == 1 && write(sock, &byte, 1) == 1)
		;
	close(sock);
	return NULL;
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int compare_us(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

__attribute__((unused)) static void round_trip(const char *transport, void (*access)(void *arg),
					       void *arg)
{
	uint64_t us[2][TURNS], start;
	unsigned int turn, i;
	pthread_t thread;
	int pair[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
	    pthread_create(&thread, NULL, echo_thread, &pair[1]))
		abort();

	for (turn = 0; turn < TURNS; turn++) {
		start = now_us();
		for (i = 0; i < A_TURN; i++)
			access(arg);
		us[0][turn] = now_us() - start;
		start = now_us();
		for (i = 0; i < A_TURN; i++)
			if (write(pair[0], &byte, 1) != 1 || read(pair[0], &byte, 1) != 1)
				abort();
		us[1][turn] = now_us() - start;
	}

	close(pair[0]);
	pthread_join(thread, NULL);

	for (i = 0; i < 2; i++)
		qsort(us[i], TURNS, sizeof(us[i][0]), compare_us);
	printf("%s, a register read: %.1f us; a byte over a socket pair and back: %.1f us; %.2f times\n",
	       transport, (double)us[0][TURNS / 2] / A_TURN, (double)us[1][TURNS / 2] / A_TURN,
	       (double)us[0][TURNS / 2] / (double)us[1][TURNS / 2]);
}

#endif
