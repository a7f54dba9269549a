// SPDX-License-Identifier: MIT
/*
 * Fences of SUBMIT: they stay correct even if the channel's own commands write to the fence's word.
 *
 * Guards truth (threat-model.rst), on each generation.
 */
#include "raw.h"

#include <dirent.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>

#define SEM	0x1234		/* DMA object over the data BO */
#define ALL	0x1235		/* DMA object over the address space */
#define M2MF	0x5039
#define SUBC	5
#define LATER	5		/* SUBMITs after the forging one */
#define HANDLED	16		/* rounds of t_handler */
#define GATE	12		/* the word that lets a channel begin to forge */

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;

static struct ch chan(void)
{
	struct ch c = ch_new(&nv, vm);

	new_object(&c, SEM, data_va, data.size);
	return c;
}

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
}

static volatile uint32_t *word(uint32_t i)
{
	return (volatile uint32_t *)data.map + i;
}

/* Before the forged word: the driver may end the channel as soon as it sees that word. */
static void wait_for_gate(struct ch *c)
{
	*word(GATE) = 0;
	p_acquire(c, SEM, 4 * GATE, 1);
}

/*
 * Wait for a word that never comes, and let more SUBMITs follow that never run. The gate opens after
 * them, so that no SUBMIT finds a dead channel.
 */
static void hang_and_follow(struct ch *c, uint32_t fences[LATER + 1])
{
	uint32_t i;

	*word(0) = 0;
	p_acquire(c, SEM, 0, 1);

	for (i = 0; i <= LATER; i++) {
		fences[i] = sync_new(&nv);
		p_ref(c, 0xbad00 + i);
		need(!ch_submit_sync(c, 0, fences[i]), "SUBMIT");
	}

	*word(GATE) = 1;
}

/* No fence may signal success, neither now nor after the channel's end. */
static void fences_are_honest(struct ch *c, const uint32_t fences[LATER + 1], const char *what)
{
	struct drm_nvfifo_channel_query q;
	uint32_t i, early = 0, success = 0;

	msleep(5 * HOLD_MS);

	for (i = 0; i <= LATER; i++)
		early += sync_status(&nv, fences[i]) == 1;

	equal(early, 0, what);

	for (i = 0; i <= LATER; i++)
		success += sync_finish(&nv, fences[i]) != -ECANCELED;

	equal(success, 0, "each ends with ECANCELED");
	q = ch_query(c);
	check(q.state == DRM_NVFIFO_CHANNEL_DEAD, "the channel is dead");
	equal(q.error, DRM_NVFIFO_ERROR_FENCE, "because it wrote to the driver's fence page");
	equal(q.ref & 0xfff00, 0, "nothing after the hang was executed");

	for (i = 0; i <= LATER; i++)
		sync_free(&nv, fences[i]);
}

/* Seqnos of the fences, a distant one, and random words */
static void t_forged(void)
{
	static const uint32_t values[] = { 1, 2, 6, 1000, 0, 0x7fffffff, 0xffffffff };
	struct ch other, c;
	uint32_t i, fences[LATER + 1];
	char what[64];

	world();
	other = chan();

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		c = chan();
		wait_for_gate(&c);
		p_release(&c, FENCE_HANDLE, 0, values[i]);
		hang_and_follow(&c, fences);
		snprintf(what, sizeof(what), "release of 0x%x: no fence is signalled", values[i]);
		fences_are_honest(&c, fences, what);
		ch_free(&c);
	}

	check(ch_works(&other), "another channel works");
	ch_free(&other);
}

static void g_mthd(struct ch *c, uint32_t mthd, uint32_t val)
{
	p_word(c, cmd_word(SUBC, mthd, 1));
	p_word(c, val);
}

static void m2mf_new(struct ch *c)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = c->id, .handle = M2MF, .type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = 0x5039,
	};

	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), "an M2MF object");

	g_mthd(c, 0, M2MF);
	g_mthd(c, 0x180, SEM);
	g_mthd(c, 0x200, 1);
	g_mthd(c, 0x21c, 1);
}

static void m2mf_copy(struct ch *c, uint32_t from, uint64_t from_at, uint32_t to, uint64_t to_at)
{
	g_mthd(c, 0x184, from);
	g_mthd(c, 0x188, to);
	g_mthd(c, 0x238, (uint32_t)(from_at >> 32));
	g_mthd(c, 0x23c, (uint32_t)(to_at >> 32));
	g_mthd(c, 0x30c, (uint32_t)from_at);
	g_mthd(c, 0x310, (uint32_t)to_at);
	g_mthd(c, 0x31c, 4);
	g_mthd(c, 0x320, 1);
	g_mthd(c, 0x324, 0x101);
	g_mthd(c, 0x328, 0);
}

/* A channel can read the released words, but cannot derive the next one from them. */
static void t_replayed(void)
{
	uint32_t fences[LATER + 1], old[3], i;
	struct ch c;

	world();
	c = chan();
	new_object(&c, ALL, 0, nv.dev.va_end);
	m2mf_new(&c);

	for (i = 0; i < 3; i++) {
		p_ref(&c, i);
		need(ch_run(&c) == 1, "a SUBMIT");
		m2mf_copy(&c, FENCE_HANDLE, 0, ALL, data_va + 64 + 4 * i);
		need(ch_run(&c) == 1, "a copy of the fence page");
		old[i] = *word(16 + i);
	}

	check(old[0] && old[0] != old[1] && old[1] != old[2], "the page holds another word each time");

	/* Replay the last word, and add the difference of the last two. */
	wait_for_gate(&c);
	p_release(&c, FENCE_HANDLE, 0, old[1]);
	hang_and_follow(&c, fences);
	fences_are_honest(&c, fences, "an older word again: no fence is signalled");
	ch_free(&c);

	c = chan();
	m2mf_new(&c);
	wait_for_gate(&c);
	p_release(&c, FENCE_HANDLE, 0, 2 * old[2] - old[1]);
	hang_and_follow(&c, fences);
	fences_are_honest(&c, fences, "a word that continues the row: no fence is signalled");
	ch_free(&c);
}

/* M2MF writes through the handle, too. */
static void t_forged_by_engine(void)
{
	uint32_t fences[LATER + 1];
	struct ch c;

	world();
	c = chan();
	new_object(&c, ALL, 0, nv.dev.va_end);
	m2mf_new(&c);
	*word(8) = 4;
	wait_for_gate(&c);
	m2mf_copy(&c, ALL, data_va + 32, FENCE_HANDLE, 0);
	hang_and_follow(&c, fences);
	fences_are_honest(&c, fences, "M2MF writes a number: no fence is signalled");
	ch_free(&c);
}

/* The last command of a SUBMIT takes the driver's words as its data. */
static void t_swallowed(void)
{
	uint32_t first = 0, second = 0, i;
	struct ch c;

	world();
	c = chan();
	first = sync_new(&nv);
	second = sync_new(&nv);
	*word(0) = 0;
	/* So many words that the segments of two fences disappear in them. */
	p_word(&c, 0x40000000 | cmd_word(0, NVFIFO_MTHD_REF_CNT, 2 * (nv.g84 ? 9 : 8) + 1));
	need(!ch_submit_sync(&c, 0, first), "SUBMIT");
	p_word(&c, 7);
	need(!ch_submit_sync(&c, 0, second), "SUBMIT");
	msleep(3 * HOLD_MS);
	equal((uint32_t)sync_status(&nv, first), 0, "a fence whose commands were taken as data waits");
	p_acquire(&c, SEM, 0, 1);
	need(!ch_submit(&c), "SUBMIT");
	msleep(3 * HOLD_MS);
	equal((uint32_t)sync_status(&nv, first) + (uint32_t)sync_status(&nv, second), 0,
	      "it does not end by the next words");
	*word(0) = 1;
	equal((uint32_t)sync_finish(&nv, c.done), 1, "the fence after it ends");

	for (i = 0; i < 2; i++)
		equal((uint32_t)sync_finish(&nv, i ? second : first), 1, "and those before it");

	ch_free(&c);
}

/* --- DMA mode: the owner releases a number, and no fence --------------------------------- */

static void t_dma_mode(void)
{
	struct drm_nvfifo_channel_wait w = { .flags = DRM_NVFIFO_WAIT_SUBMIT };
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_sync s;
	struct lin l;
	struct ch c;

	world();
	c = chan();
	l = lin_order(&nv, vm, 0, 64 * KIB);
	need(!object_dma(&nv, l.id, SEM, data_va, data.size), "OBJECT_CREATE");
	s = sync_signal(c.done);
	refused(lin_put(&l, lin_at(&l), &s, 1), EOPNOTSUPP, "SUBMIT with a fence in DMA mode");

	*word(0) = 0;
	/* It claims to be done, and is not. */
	l_fence(&l);
	l_acquire(&l, SEM, 0, 1);
	need(!lin_submit(&l), "SUBMIT");
	equal((uint32_t)lin_finish(&l, 1), 1, "CHANNEL_WAIT believes the channel");
	need(!chan_query(&nv, l.id, &q), "CHANNEL_QUERY");
	check(q.completed == 1 && q.get != q.put - 4, "CHANNEL_QUERY shows both");
	equal((uint32_t)lin_wait_ms(&l, 2, HOLD_MS), 0, "the next one has not ended");
	*word(0) = 1;
	l_fence(&l);
	need(!lin_submit(&l), "SUBMIT");
	equal((uint32_t)lin_finish(&l, 2), 1, "CHANNEL_WAIT for SUBMIT 2");

	p_ref(&c, 1);
	need(ch_run(&c) == 1, "SUBMIT");
	w.channel_id = c.id;
	w.value = (uint32_t)c.seqno;
	equal((uint32_t)nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), 0, "in IB mode, too");
	w.address = (uintptr_t)word(0);
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), EINVAL, "address with WAIT_SUBMIT");
	w.flags = 2;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), EINVAL, "an unknown flag");
	ch_free(&c);
}

/* --- Buffers that other drivers share --------------------------------------------------- */

/* Whether the fences of a dma-buf allow another driver's write */
static bool is_free(int dmabuf)
{
	struct pollfd p = { .fd = dmabuf, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents & POLLOUT;
}

/*
 * The driver puts no fences into buffers. Their users do, with the calls of dma-buf: then other
 * drivers wait for the card, and the card for them.
 */
static void t_dma_buf(void)
{
	struct dma_buf_import_sync_file in = { .flags = DMA_BUF_SYNC_WRITE };
	struct dma_buf_export_sync_file out = { .flags = DMA_BUF_SYNC_WRITE, .fd = -1 };
	uint32_t ours, theirs;
	struct ch c, next;
	struct bo shared;
	int dmabuf;

	world();
	c = chan();
	next = chan();
	shared = sys_bo(&nv, 4 * KIB);
	dmabuf = prime_export(&nv, shared.handle);
	need(dmabuf >= 0, "PRIME_HANDLE_TO_FD");

	*word(0) = 0;
	ours = sync_new(&nv);
	theirs = sync_new(&nv);
	p_acquire(&c, SEM, 0, 1);
	need(!ch_submit_sync(&c, 0, ours), "SUBMIT");
	check(is_free(dmabuf), "the driver itself marks no buffer as busy");

	in.fd = sync_export(&nv, ours);
	need(in.fd >= 0, "a sync file of the SUBMIT");
	equal((uint32_t)nv_ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in), 0,
	      "its user puts the fence into the buffer");
	check(!is_free(dmabuf), "others wait for the card now");
	equal((uint32_t)nv_ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out), 0,
	      "and takes out the other channels' work");
	need(!sync_import(&nv, theirs, out.fd), "a syncobj of it");
	p_release(&next, SEM, 4, 7);
	need(!ch_submit_sync(&next, theirs, next.done), "a SUBMIT that waits for the buffer");
	equal((uint32_t)sync_wait_ms(&nv, next.done, HOLD_MS), (uint32_t)-ETIME, "it waits");

	*word(0) = 1;
	equal((uint32_t)sync_finish(&nv, next.done), 1, "until the first one is done");
	equal(*word(1), 7, "and is executed");
	check(is_free(dmabuf), "the buffer is free again");

	close(in.fd);
	close(out.fd);
	close(dmabuf);
	nv_close(&nv);
}

/*
 * A fence with its interrupt costs two reads: whose interrupt it is, and PFIFO's reason. A thread
 * sleeps until the fence, as a poll needs no interrupt. The fewest of many rounds count, as the
 * watchdog reads too. NOTIFY may be off before a round, on a loaded machine before most of them.
 */
static void t_reads(void)
{
	uint32_t fewest = UINT32_MAX, reads, i;
	struct ch c;

	world();
	if (!ctl_present() || !nv.g84 || !(nv.dev.features & DRM_NVFIFO_FEATURE_MSI)) {
		skip("reads # SKIP for NOTIFY as a message, with the model's counters");
		return;
	}

	c = chan();

	for (i = 0; i < 200 && fewest > 2; i++) {
		reads = stat_of(mmio_reads);
		need(ch_sleep(&c, SEM, word(0)) == 1, "SUBMIT");
		msleep(5);
		reads = stat_of(mmio_reads) - reads;
		if (reads < fewest)
			fewest = reads;
	}

	equal(fewest, 2, "reads for a fence");
	nv_close(&nv);
}

/* How often did a kernel thread with this in its name begin to sleep? */
static uint64_t thread_sleeps(const char *name)
{
	char path[300], line[128], comm[32];
	unsigned long long count = 0;
	struct dirent *entry;
	bool found = false;
	DIR *proc = opendir("/proc");
	FILE *status;

	need(proc, "/proc: %s", strerror(errno));

	while (!found && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		status = fopen(path, "r");
		if (!status)
			continue;

		comm[0] = 0;
		while (fgets(line, sizeof(line), status)) {
			sscanf(line, "Name: %31s", comm);
			sscanf(line, "voluntary_ctxt_switches: %llu", &count);
		}

		fclose(status);
		found = !strncmp(comm, "irq/", 4) && strstr(comm, name);
	}

	closedir(proc);
	need(found, "the thread of the interrupt");

	return count;
}

/*
 * The interrupt handler signals the fence that a thread waits for, without its own thread. NOTIFY is
 * off before the first round. The watchdog wakes the handler's thread if an interrupt is late.
 */
static void t_handler(void)
{
	uint64_t sleeps;
	struct ch c;
	uint32_t i;

	world();
	if (!nv.g84) {
		skip("handler # SKIP for G84 and later, with NOTIFY");
		return;
	}

	c = chan();
	sleeps = thread_sleeps("nvfifo");
	for (i = 0; i < HANDLED; i++)
		need(ch_sleep(&c, SEM, word(0)) == 1, "SUBMIT");

	sleeps = thread_sleeps("nvfifo") - sleeps;
	check(sleeps < HANDLED / 2, "runs of the handler's thread for %u fences: %u", HANDLED,
	      (uint32_t)sleeps);
	nv_close(&nv);
}

/* --- Fences that are asked ------------------------------------------------------- */

/*
 * CHANNEL_WAIT sees a fence before the interrupt and the watchdog. Interrupts are lost, and
 * a channel that waits keeps the watchdog reading registers: a round without a read had neither.
 */
static void t_seen(void)
{
	struct drm_nvfifo_channel_wait w = { .flags = DRM_NVFIFO_WAIT_SUBMIT };
	uint32_t fewest = UINT32_MAX, reads, i;
	struct ch waits, c;
	int64_t end;

	world();
	if (!ctl_present() || !nv.g84) {
		skip("seen # SKIP for G84 and later, with the model's counters");
		return;
	}

	waits = chan();
	c = chan();
	*word(0) = 0;
	p_acquire(&waits, SEM, 0, 1);
	need(!ch_submit(&waits), "SUBMIT of a channel that waits");
	need(ch_works(&c), "the channel works");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);

	for (i = 0; i < 40 && fewest; i++) {
		ch_rewind(&c);
		p_ref(&c, i);
		reads = stat_of(mmio_reads);
		end = now_ns() + WAIT_MS * 1000000ll;
		need(!ch_submit(&c), "SUBMIT");
		w.channel_id = c.id;
		w.value = (uint32_t)c.seqno;
		while (nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w) && now_ns() < end)
			sched_yield();
		/* The watchdog reads after it has looked at the fences. */
		msleep(10);
		reads = stat_of(mmio_reads) - reads;
		if (reads < fewest)
			fewest = reads;
	}

	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_NO_IRQ);
	equal(fewest, 0, "CHANNEL_WAIT sees a fence without the interrupt and the watchdog");
	*word(0) = 1;
	equal((uint32_t)sync_finish(&nv, waits.done), 1, "the channel that waits goes on");
	nv_close(&nv);
}

#define POLLED	8

static int status_of(int fd)
{
	struct sync_file_info info = { 0 };

	return nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? -EBADF : info.status;
}

/* Ask all fences until they have ended. Return: how often a later one had ended and not this. */
static int ask_all(const int fds[POLLED])
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	unsigned int i, pending, wrong = 0;

	do {
		pending = !status_of(fds[POLLED - 1]);
		for (i = POLLED - 1; i; i--) {
			bool later = status_of(fds[i]);

			if (status_of(fds[i - 1]))
				continue;

			wrong += later;
			pending++;
		}
	} while (pending && now_ns() < end);

	return wrong + pending ? 1 : 0;
}

static uint64_t ended_at(int fd)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };

	need(!nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info) && info.num_fences == 1, "a sync file's fence");

	return fence.timestamp_ns;
}

/*
 * Two processes ask the fences of a channel while it works, ends and is freed. They ask the last one
 * first, and its time must not be before that of the others. Without interrupts only they poll.
 */
static void t_asked_by_many(void)
{
	uint32_t fences[POLLED], i, round, wrong = 0, early = 0;
	int fds[POLLED], status;
	pid_t pids[2];
	struct ch c;

	world();
	if (ctl_present())
		ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);

	for (round = 0; round < 10; round++) {
		c = chan();
		for (i = 0; i < POLLED; i++) {
			fences[i] = sync_new(&nv);
			p_ref(&c, i);
			need(!ch_submit_sync(&c, 0, fences[i]), "SUBMIT");
			fds[i] = sync_export(&nv, fences[i]);
			need(fds[i] >= 0, "a sync file");
		}

		fflush(stdout);
		for (i = 0; i < 2; i++) {
			pids[i] = fork();
			if (!pids[i])
				_exit(ask_all(fds));
		}

		if (round % 2)
			wrong += sync_finish(&nv, fences[POLLED - 1]) != 1;
		ch_free(&c);

		for (i = 0; i < 2; i++)
			wrong += waitpid(pids[i], &status, 0) != pids[i] || status;
		for (i = 1; i < POLLED; i++)
			early += ended_at(fds[i]) < ended_at(fds[i - 1]);
		for (i = 0; i < POLLED; i++) {
			close(fds[i]);
			sync_free(&nv, fences[i]);
		}
	}

	if (ctl_present())
		ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_NO_IRQ);

	equal(wrong, 0, "a process that asks sees no later fence end first");
	equal(early, 0, "no fence ended before an earlier one");
	nv_close(&nv);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_forged), TEST(t_replayed), TEST(t_forged_by_engine), TEST(t_swallowed),
		TEST(t_dma_mode), TEST(t_dma_buf), TEST(t_reads), TEST(t_handler),
		TEST(t_seen), TEST(t_asked_by_many),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
