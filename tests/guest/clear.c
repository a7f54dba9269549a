// SPDX-License-Identifier: MIT
/*
 * VRAM that the card clears: every buffer begins with zeros, whoever had the memory before, and
 * whatever others do to PGRAPH meanwhile.
 */
#include "../rig/copier.h"
#include "raw.h"

#define LINE		4096u
#define PATTERN		0xdeadbeefu

static struct copier self;

/* Memory that the next owner must not see is freed. */
static void leave_secrets(struct copier *p, uint64_t bytes)
{
	struct bo bo = vram_bo(&p->nv, bytes);

	copier_fill(p, &bo, PATTERN);
	need(!bo_close(&p->nv, bo.handle), "close");
}

/* Less freed memory does not make the card work. */
#define FREED_KIB	2048

/* Wait until the card has nothing to clear, if it clears at all. */
static void settle(void)
{
	unsigned int freed = ~0u, now = ~0u;
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	char *text;

	while ((freed >= FREED_KIB || now) && now_ns() < end) {
		text = debug_text("nvfifo_clear");
		need(sscanf(text, "freed and not cleared: %u KiB being cleared by the card: %u",
			    &freed, &now) == 2, "nvfifo_clear: %s", text);
		free(text);
		msleep(10);
	}
}

/* The card, not the processor, clears a large buffer. */
static void t_by_card(void)
{
	uint64_t writes;
	struct bo bo;

	if (!ctl_present()) {
		skip("by the card # SKIP only the model counts");
		return;
	}

	copier_open(&self);

	/* Makes the driver's channel. */
	bo = vram_bo(&self.nv, 2 * MIB);
	equal(copier_differing(&self, &bo, 0), 0, "the first buffer is zero");

	writes = stat_of(bar1_writes);
	bo = vram_bo(&self.nv, 16 * MIB);
	equal(stat_of(bar1_writes) - writes, 0, "16 MiB without a write to BAR1");
	equal(copier_differing(&self, &bo, 0), 0, "all of it is zero");
	copier_fill(&self, &bo, PATTERN);
	equal(copier_differing(&self, &bo, PATTERN), 0, "written words stay");
	need(!bo_close(&self.nv, bo.handle), "close");

	writes = stat_of(bar1_writes);
	bo = vram_bo(&self.nv, 16 * MIB);
	equal(stat_of(bar1_writes) - writes, 0, "16 MiB that held data, without one");
	equal(copier_differing(&self, &bo, 0), 0, "nothing of it is left");
	nv_close(&self.nv);
}

#define SMALL		64	/* buffers of 64 KiB */

/* How many of new small buffers does the processor clear? Counts the words that are not zero. */
static uint32_t by_processor(uint64_t *wrong)
{
	uint32_t i, handles[SMALL], count = 0;
	uint64_t writes;
	struct bo bo;

	for (i = 0; i < SMALL; i++) {
		writes = stat_of(bar1_writes);
		bo = vram_bo(&self.nv, 64 * KIB);
		handles[i] = bo.handle;
		count += stat_of(bar1_writes) != writes;
		*wrong += copier_differing(&self, &bo, 0);
	}

	for (i = 0; i < SMALL; i++)
		need(!bo_close(&self.nv, handles[i]), "close");

	return count;
}

/* Freed memory is cleared before it is allocated: small buffers find it zero. */
static void t_background(void)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	uint64_t wrong = 0;
	uint32_t count;

	if (!ctl_present()) {
		skip("in the background # SKIP only the model counts");
		return;
	}

	copier_open(&self);
	vram_bo(&self.nv, 2 * MIB);

	/* The card may be late on a busy machine, but not each time. */
	do {
		leave_secrets(&self, 8 * MIB);
		settle();
		count = by_processor(&wrong);
	} while (count >= SMALL / 2 && now_ns() < end);

	equal(wrong, 0, "64 buffers are zero");

	/* Less than 2 MiB of freed memory does not make the card work. */
	check(count < SMALL / 2, "few of them were cleared by the processor (%u)", count);
	nv_close(&self.nv);
}

/* All memory that counts as free can be had, also while the card clears a part of it. */
static void t_all(void)
{
	uint64_t free, wrong = 0;
	struct bo bo, rest;
	uint32_t round;
	int ret;

	copier_open(&self);
	leave_secrets(&self, 8 * MIB);

	for (round = 0; round < 8; round++) {
		leave_secrets(&self, 6 * MIB + round * 64 * KIB);
		free = vram_free(&self.nv);
		ret = bo_create(&self.nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, free);
		if (!check(!ret, "all of free VRAM in round %u: %s", round, strerror(-ret)))
			break;

		equal(vram_free(&self.nv), 0, "none is free");
		refused(bo_create(&self.nv, &rest, DRM_NVFIFO_DOMAIN_VRAM, 64 * KIB), ENOSPC,
			"64 KiB more");
		if (!round)
			wrong += copier_differing(&self, &bo, 0);

		need(!bo_close(&self.nv, bo.handle), "close");
	}

	equal(wrong, 0, "all of it is zero");
	nv_close(&self.nv);
}

/* The driver's channel takes none from those of PFIFO that clients can have. */
static void t_channels(void)
{
	uint32_t n, id;

	copier_open(&self);
	vram_bo(&self.nv, 4 * MIB);

	/* One is the copier's. */
	for (n = 1; n < self.nv.lim.channels; n++)
		if (chan_create(&self.nv, self.vm, 3, &id))
			break;

	equal(n, self.nv.lim.channels, "all channels can be had");
	nv_close(&self.nv);
}

/* Two processes get memory that the other has freed, and neither sees the other's data. */
static void t_spy(void)
{
	struct spy *spy = spy_start();
	uint64_t wrong = 0;
	struct bo bo;
	uint32_t i;

	copier_open(&self);

	for (i = 0; i < 40; i++) {
		bo = vram_bo(&self.nv, (uint64_t)(1 + rand() % 96) * 64 * KIB);
		wrong += copier_differing(&self, &bo, 0);
		copier_fill(&self, &bo, PATTERN);
		need(!bo_close(&self.nv, bo.handle), "close");
	}

	equal(wrong, 0, "neither does the other process");
	spy_stop(spy, 4);
	nv_close(&self.nv);
}

#define SEM		0x1234	/* DMA objects, one for each word */
#define WORDS		20

/* PFIFO writes a word to each MiB of a buffer, which needs no PGRAPH. */
static uint64_t write_words(struct ch *c, const struct bo *bo)
{
	uint64_t va = map(c->nv, c->vm, bo);
	uint32_t i;

	for (i = 0; i < WORDS; i++) {
		new_object(c, SEM + i, va + i * MIB, LINE);
		p_release(c, SEM + i, 0, PATTERN);
	}

	equal((uint32_t)ch_run(c), 1, "PFIFO works meanwhile");

	return va;
}

/*
 * PGRAPH is busy with another's work. A call does not wait for it, and the card's late clearing
 * overwrites no other buffer.
 */
static void t_late(void)
{
	struct bo bo, first;
	struct ch pfifo;
	uint64_t free, va;
	int ret;

	if (!ctl_present()) {
		skip("late # SKIP only the model can be told to be slow");
		return;
	}

	copier_open(&self);
	pfifo = ch_new(&self.nv, new_vm(&self.nv));
	first = vram_bo(&self.nv, 4 * MIB);
	need(!bo_close(&self.nv, first.handle), "close");
	settle();
	free = vram_free(&self.nv);

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&self.ch, 5, 0x100, 0);
	need(!ch_submit(&self.ch), "SUBMIT");
	ret = bo_create(&self.nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, WORDS * MIB);
	check(!ret, "a buffer beside a busy PGRAPH: %s", strerror(-ret));
	equal((uint32_t)sync_status(&self.nv, self.ch.done), 0, "which is still busy");
	equal(vram_free(&self.nv), free - WORDS * MIB, "memory that the card clears counts as free");
	va = write_words(&pfifo, &bo);
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	equal((uint32_t)sync_finish(&self.nv, self.ch.done), 1, "the work ends well");

	settle();
	equal(copier_differing(&self, &bo, 0), WORDS,
	      "all but these words is zero: it is not cleared later");
	need(!vm_unmap(&self.nv, pfifo.vm, va, bo.size), "unmap");
	ch_free(&pfifo);
	need(!bo_close(&self.nv, bo.handle), "close");
	equal(vram_free(&self.nv), free, "free VRAM is the same as before");
	nv_close(&self.nv);
}

#define HOLD_LIMIT_MS	50000u

/*
 * A call needs all of free VRAM while the card clears a part of it, and PGRAPH is busy for long. The
 * call fails soon. It gets no memory that the card may still write to.
 */
static void t_busy_piece(void)
{
	struct bo bo, secret;
	int64_t start;
	uint64_t free;
	uint32_t took;
	int ret;

	if (!ctl_present()) {
		skip("a busy extent # SKIP only the model can be told to be slow");
		return;
	}

	module_reload("job_timeout_ms=90000");
	copier_open(&self);
	secret = vram_bo(&self.nv, 8 * MIB);
	copier_fill(&self, &secret, PATTERN);
	settle();

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&self.ch, 5, 0x100, 0);
	need(!ch_submit(&self.ch), "SUBMIT");
	need(!bo_close(&self.nv, secret.handle), "close");
	msleep(200);
	free = vram_free(&self.nv);
	start = now_ns();
	ret = bo_create(&self.nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, free);
	took = (uint32_t)((now_ns() - start) / 1000000);
	refused(ret, ENOSPC, "all of free VRAM, a part of which the card holds");
	check(took < HOLD_LIMIT_MS, "the call does not wait for a busy PGRAPH (%u ms)", took);
	equal(vram_free(&self.nv), free, "nothing has been taken");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	equal((uint32_t)sync_finish(&self.nv, self.ch.done), 1, "the work ends well");

	settle();
	ret = bo_create(&self.nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, free);
	check(!ret, "all of it can be had afterwards: %s", strerror(-ret));
	equal(copier_differing(&self, &bo, 0), 0, "and is zero");
	nv_close(&self.nv);
}

/* With such methods the card takes two seconds for the buffer, and a fifth of one for each part. */
#define SLOW_METHOD_US	300
#define FREEZE_TIMEOUT	"/sys/power/pm_freeze_timeout"
#define FREEZE_MS	"1000"
#define FREEZE_TRIES	3

/* Take VRAM that is not zero, again and again, most of the time in BO_CREATE. */
static void create_loop(volatile uint32_t *calls)
{
	struct bo bo;
	struct nv nv;

	nv_open(&nv);

	for (;;) {
		(*calls)++;
		if (!bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, vram_free(&nv) / 4 * 3))
			bo_close(&nv, bo.handle);
	}
}

/*
 * A card that others keep busy clears a large buffer slowly, but each part in time. A process that
 * waits for that cannot be frozen. The announcement of a suspend ends the wait, and the processor
 * clears the rest. The kernel here waits for one second, not for 20.
 */
static void t_frozen(void)
{
	volatile uint32_t *calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t i, before, frozen = 0;
	int64_t start;
	pid_t pid;

	if (!ctl_present()) {
		skip("a frozen BO_CREATE # SKIP only the model can be told to be slow");
		return;
	}

	if (!pm_test_begin("freezer", "a frozen BO_CREATE"))
		return;

	need(calls != MAP_FAILED, "mmap");
	/* The card clears only while PGRAPH is in use. */
	copier_open(&self);
	leave_secrets(&self, 8 * MIB);
	need(ctl_line("delay method %u", SLOW_METHOD_US), "slow methods");
	need(!file_write(FREEZE_TIMEOUT, FREEZE_MS), FREEZE_TIMEOUT);
	pid = child_fork();
	if (!pid)
		create_loop(calls);

	for (i = 0; i < FREEZE_TRIES; i++) {
		before = *calls;
		while (*calls == before && waitpid(pid, NULL, WNOHANG) != pid)
			msleep(1);

		msleep(200);
		start = now_ns();
		frozen += !file_write("/sys/power/state", "freeze");
		diag("call %u, frozen after %u ms", *calls, ms_since(start));
	}

	file_write(FREEZE_TIMEOUT, "20000");
	file_write("/sys/power/pm_test", "none");
	ctl_line("delay method 0");
	equal(frozen, FREEZE_TRIES, "a process in BO_CREATE can be frozen");
	before = *calls;
	for (i = 0; i < 2000 && *calls == before; i++)
		msleep(10);
	check(*calls != before, "and continues");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap((void *)calls, 4096);
	nv_close(&self.nv);
}

/* A reset that costs the driver's channel costs no other channel. */
static void t_reset(void)
{
	uint64_t free;
	struct bo bo;
	struct ch hog;
	uint32_t i;
	int ret;

	if (!ctl_present()) {
		skip("resets # SKIP only the model can be told to hang");
		return;
	}

	module_reload("job_timeout_ms=1000");

	for (i = 0; i < 2; i++) {
		copier_open(&self);
		hog = ch_new(&self.nv, self.vm);
		need(!graph_object_new(&self.nv, hog.id, GRAPH_M2MF_HANDLE, 0x5039), "M2MF");
		p_subc_mthd(&hog, 5, 0, GRAPH_M2MF_HANDLE);
		need(ch_run(&hog) == 1, "a channel");
		leave_secrets(&self, 4 * MIB);
		settle();
		free = vram_free(&self.nv);

		/* The card hangs for ever, with an extent of the driver's channel queued after it. */
		ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
		p_subc_mthd(&hog, 5, 0x100, 0);
		need(!ch_submit(&hog), "SUBMIT");
		ret = bo_create(&self.nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, 12 * MIB);
		check(!ret, "a buffer beside endless work: %s", strerror(-ret));
		check(sync_finish(&self.nv, hog.done) != 0, "the work ends, well or not");
		ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
		nv_close(&self.nv);

		/* The copier's channel may have been the one in PGRAPH's registers. */
		copier_open(&self);
		bo = vram_bo(&self.nv, 12 * MIB);
		equal(copier_differing(&self, &bo, 0), 0, "memory is zero after the reset");
		leave_secrets(&self, 8 * MIB);
		need(!bo_close(&self.nv, bo.handle), "close");
		msleep(1100);
		leave_secrets(&self, 8 * MIB);
		settle();
		check(vram_free(&self.nv) + 2 * MIB >= free, "and none is lost");
		bo = vram_bo(&self.nv, 12 * MIB);
		equal(copier_differing(&self, &bo, 0), 0, "so is memory that other processes freed");
		nv_close(&self.nv);
	}
}

static const struct test tests[] = {
	TEST(t_by_card),
	TEST_ONCE(t_background),
	TEST_ONCE(t_all),
	TEST_ONCE(t_channels),
	TEST_ONCE(t_spy),
	TEST_ONCE(t_late),
	TEST_ONCE(t_busy_piece),
	TEST_ONCE(t_frozen),
	TEST_ONCE(t_reset),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
