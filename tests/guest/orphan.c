// SPDX-License-Identifier: MIT
/*
 * The last holder of a file is killed while it waits in a call. Another process has opened the file
 * and has ended, so the kill closes it, with its channels at work. All that the file had comes back,
 * and a bystander's channel works on.
 *
 * Guards the kernel: a file closed by a kill (threat-model.rst), on one chip.
 */
#include "raw.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#define SEM		0x1234
#define WAITING_MAX	1024	/* SUBMITs of a channel that wait until the next one sleeps */

/* The holder's file */
static struct nv own;
static struct ch busy, idle;
static uint32_t space;
static struct bo page;

/* Work that does not end, and memory of each kind. */
static void own_open(void)
{
	struct drm_nvfifo_channel_create c = { .flags = DRM_NVFIFO_CHANNEL_EVENT, .ring_order = 4 };

	nv_open(&own);
	space = new_vm(&own);
	busy = ch_new(&own, space);
	idle = ch_new(&own, space);
	c.vm_id = space;
	need(!chan_create_args(&own, &c), "a channel with events");
	page = sys_bo(&own, 4 * KIB);
	vram_bo(&own, MIB);
	new_object(&busy, SEM, map(&own, space, &page), 4 * KIB);
	graph_bind_m2mf(&idle);
	need(ch_run(&idle) == 1, "a channel in PGRAPH");
	p_acquire(&busy, SEM, 0, 1);
	need(!ch_submit(&busy), "SUBMIT");
}

static void wait_word(void)
{
	struct drm_nvfifo_channel_wait w = {
		.channel_id = busy.id, .value = 1, .address = (uintptr_t)page.map,
		.timeout_ns = INT64_MAX,
	};

	nv_ioctl(own.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);
}

static void wait_submit(void)
{
	struct drm_nvfifo_channel_wait w = {
		.channel_id = busy.id, .flags = DRM_NVFIFO_WAIT_SUBMIT, .value = 1,
		.timeout_ns = INT64_MAX,
	};

	nv_ioctl(own.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);
}

static void wait_fence(void)
{
	sync_wait_ms(&own, busy.done, 3600 * 1000);
}

static void wait_room(void)
{
	struct drm_nvfifo_sync sync = sync_wait_for(busy.done);
	uint32_t i;

	for (i = 0; i <= WAITING_MAX; i++)
		submit_raw(&own, idle.id, NULL, 0, &sync, 1, NULL);
}

static void wait_bind(void)
{
	need(!vm_bind_when(&own, space, op_map(&page, GIB), busy.done, 0), "VM_BIND");
	vm_unmap(&own, space, GIB, 4 * KIB);
}

static void wait_event(void)
{
	char event[64];

	while (read(own.fd, event, sizeof(event)) < 0)
		;
}

/* PGRAPH gets busy with the holder's other channel. */
static void wait_pgraph(void)
{
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&idle, 5, 0x100, 0);
	need(!ch_submit(&idle), "SUBMIT");
	chan_destroy(&own, idle.id);
}

static const struct way {
	const char *name;
	void (*wait)(void);
	bool model;	/* only there */
} ways[] = {
	{ "CHANNEL_WAIT for a word", wait_word, false },
	{ "CHANNEL_WAIT for a SUBMIT", wait_submit, false },
	{ "the wait for a syncobj", wait_fence, false },
	{ "SUBMIT, for room", wait_room, false },
	{ "VM_BIND, for an earlier one", wait_bind, false },
	{ "read(), for an event", wait_event, false },
	{ "CHANNEL_DESTROY, for PGRAPH", wait_pgraph, true },
};

/* The opener ends when it has told its child's number. The child is this process's from then on. */
static pid_t holder_start(void (*wait_call)(void))
{
	int ends[2], status;
	pid_t opener, holder = 0;

	need(!pipe2(ends, O_CLOEXEC), "pipe: %s", strerror(errno));
	fflush(stdout);
	opener = fork();
	need(opener >= 0, "fork: %s", strerror(errno));
	if (opener) {
		close(ends[1]);
		need(waitpid(opener, &status, 0) == opener && !status, "the opener ends well");
		need(read(ends[0], &holder, sizeof(holder)) == sizeof(holder), "the holder");
		close(ends[0]);
		return holder;
	}

	tap_env_set = false;
	alarm(0);
	own_open();
	holder = fork();
	if (holder)
		_exit(holder < 0 || write(ends[1], &holder, sizeof(holder)) != sizeof(holder));

	prctl(PR_SET_PDEATHSIG, 0);
	wait_call();
	for (;;)
		pause();
}

/* Whether the process sleeps, also at a second look */
static bool is_asleep(pid_t pid)
{
	char path[64], *text, *state;
	unsigned int looks;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (looks = 0; looks < 40; looks++) {
		text = file_text(path);
		state = text ? strrchr(text, ')') : NULL;
		if (state && state[2] == 'R')
			looks = 100;
		free(text);
		msleep(5);
	}

	return looks == 40;
}

static void killed_in(const struct way *way, struct ch *bystander)
{
	uint64_t free = vram_free(bystander->nv);
	int64_t start = now_ns();
	int status = 0;
	pid_t pid;

	pid = holder_start(way->wait);
	while (!is_asleep(pid) && may_come(start))
		;

	check(vram_free(bystander->nv) < free, "%s: the file is open", way->name);
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "%s: its last holder is killed",
	      way->name);
	ctl(NVSIM_CTL_CLEAR, ~0u);
	vram_wait(bystander->nv, free);
	equal(vram_free(bystander->nv), free, "all that it had comes back");
	check(ch_works(bystander), "a bystander's channel works");
}

static void t_orphan(void)
{
	struct ch bystander;
	struct nv nv;
	size_t i;

	/* The time limit does not end the wait. */
	module_reload("job_timeout_ms=600000");
	need(!prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl: %s", strerror(errno));
	nv_open(&nv);
	bystander = ch_new(&nv, new_vm(&nv));
	graph_bind_m2mf(&bystander);
	need(ch_run(&bystander) == 1, "the bystander is in PGRAPH");

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i].model && !ctl_present())
			skip("%s # SKIP only the model can be told to be busy", ways[i].name);
		else
			killed_in(&ways[i], &bystander);
	}

	nv_close(&nv);
	equal((uint32_t)module_unload_soon(), 0, "nothing holds the module");
	need(!module_load(""), "insmod");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { TEST_ONCE(t_orphan) };

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
