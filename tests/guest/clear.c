// SPDX-License-Identifier: MIT
/*
 * VRAM that the card clears: every buffer begins with zeros, whoever had the memory before, and
 * whatever others do to PGRAPH meanwhile.
 *
 * Guards memory: VRAM begins with zeros (threat-model.rst), on one chip.
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

/* All memory that counts as free can be had. */
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
		need(!bo_close(&self.nv, bo.handle), "close");
		msleep(1100);
		leave_secrets(&self, 8 * MIB);
		check(vram_free(&self.nv) + 2 * MIB >= free, "and none is lost");
		bo = vram_bo(&self.nv, 12 * MIB);
		equal(copier_differing(&self, &bo, 0), 0, "so is memory that other processes freed");
		nv_close(&self.nv);
	}
}

static const struct test tests[] = {
	TEST(t_by_card),
	TEST_ONCE(t_all),
	TEST_ONCE(t_channels),
	TEST_ONCE(t_spy),
	TEST_ONCE(t_reset),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
