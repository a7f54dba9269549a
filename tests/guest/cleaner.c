// SPDX-License-Identifier: MIT
/*
 * Attacks on the driver's own channel, which clears VRAM for all. A client may slow it down. But it
 * must see no data of others, reach no memory of others, and stop no other channel.
 *
 * Guards memory, against the channel that clears VRAM (threat-model.rst), on one chip.
 */
#include <sys/wait.h>

#include "../rig/copier.h"
#include "../rig/witness.h"
#include "raw.h"

#define GAP_MS		20000
#define ATTACKERS	3
#define DEATHS		40

/* The context image of the driver's channel, and its ring, are less. */
#define OWN_BYTES	(1 * MIB)
#define PATTERN		0xdeadbeefu

/* Names of the objects of the driver's channel */
#define FIRST_HANDLE	0x80000010
#define LAST_HANDLE	0x80000013

static struct copier self;

/* The card clears large buffers, even if the driver's channel is created again. */
static bool card_clears(struct nv *nv)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	uint64_t writes;
	struct bo bo;

	do {
		msleep(1100);
		bo = vram_bo(nv, 2 * MIB);
		need(!bo_close(nv, bo.handle), "close");
		writes = stat_of(bar1_writes);
		bo = vram_bo(nv, 8 * MIB);
		need(!bo_close(nv, bo.handle), "close");
		if (stat_of(bar1_writes) == writes)
			return true;
	} while (now_ns() < end);

	return false;
}

/* Free VRAM while no file is open. */
static uint64_t free_at_rest(void)
{
	uint64_t free;
	struct nv nv;

	nv_open(&nv);
	free = vram_free(&nv);
	nv_close(&nv);

	return free;
}

static void sound_after_it(uint64_t free)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	struct nv nv;

	nv_open(&nv);
	while (vram_free(&nv) + OWN_BYTES < free && now_ns() < end)
		msleep(50);
	check(vram_free(&nv) + OWN_BYTES >= free, "all VRAM came back");
	if (ctl_present())
		check(card_clears(&nv), "the card clears memory again");
	nv_close(&nv);
}

/* An open file without privileges in a new process, which calls @attack for ever. */
static pid_t attacker_start(void (*attack)(struct nv *nv))
{
	static struct nv own;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (pid)
		return pid;

	tap_env_set = false;
	nv_open(&own);
	become_nobody();
	for (;;)
		attack(&own);
}

static void attacker_kill(pid_t pid)
{
	if (!pid)
		return;

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Large buffers, each of which the card has to clear. */
static void take_and_leave(struct nv *nv)
{
	uint64_t bytes = (uint64_t)(32 + rand() % 352) * 64 * KIB;
	struct bo bo;

	if (!bo_create(nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, bytes))
		bo_close(nv, bo.handle);
}

/* Processes that die while the card clears memory for them. */
static void t_killed(void)
{
	pid_t pids[ATTACKERS] = { 0 };
	struct witness *w;
	struct spy *spy;
	uint64_t free;
	uint32_t i;

	free = free_at_rest();
	w = witness_start(WITNESS_M2MF);
	spy = spy_start();

	for (i = 0; i < DEATHS; i++) {
		attacker_kill(pids[i % ATTACKERS]);
		pids[i % ATTACKERS] = attacker_start(take_and_leave);
		msleep(20 + (uint32_t)rand() % 60);
	}

	for (i = 0; i < ATTACKERS; i++)
		attacker_kill(pids[i]);

	spy_stop(spy, 4);
	witness_stop(w, GAP_MS, "M2MF");
	sound_after_it(free);
}

/* The names of the driver's objects mean nothing in a client's channel. */
static void t_names(void)
{
	uint32_t handle, i;
	struct ch c;
	struct bo bo;

	copier_open(&self);
	bo = vram_bo(&self.nv, 4 * MIB);
	copier_fill(&self, &bo, PATTERN);

	for (handle = FIRST_HANDLE; handle <= LAST_HANDLE; handle++) {
		c = ch_new(&self.nv, self.vm);
		p_subc_mthd(&c, 5, 0, handle);
		equal((uint32_t)ch_run(&c), (uint32_t)-ECANCELED, "binding it ends the channel");
		ch_free(&c);

		c = ch_new(&self.nv, self.vm);
		p_release(&c, handle, 0, 1);
		equal((uint32_t)ch_run(&c), (uint32_t)-ECANCELED, "so does a semaphore in it");
		ch_free(&c);

		for (i = 0; i < 3; i++) {
			c = ch_new(&self.nv, self.vm);
			graph_bind_m2mf(&c);
			p_subc_mthd(&c, 5, 0x180 + 4 * i, handle);
			equal((uint32_t)ch_run(&c), (uint32_t)-ECANCELED, "and M2MF with it");
			ch_free(&c);
		}
	}

	equal(copier_differing(&self, &bo, PATTERN), 0, "VRAM is as it was");
	nv_close(&self.nv);
}

static const struct test tests[] = {
	TEST(t_names),
	TEST_ONCE(t_killed),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
