// SPDX-License-Identifier: MIT
/*
 * Removal and loss of the card while a process has mappings, exported buffers and submissions. The
 * card is unbound from the driver, or stops answering. A process can map VRAM and control pages in
 * QEMU only, since UML cannot map BARs.
 *
 * NVFIFO_REMOVALS=N makes t_removals remove the card N times instead of 20.
 *
 * Guards the kernel, when the card goes (threat-model.rst), on one chip.
 */
#include "raw.h"
#include "nvfifo_text.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>

#define SEM		0x1234
#define NEVER		0x77777777
#define REMOVALS	20
/* A removal that waits for work takes longer, and any other takes less, also on a slow machine. */
#define JOB_PARAM	"job_timeout_ms=90000"
#define REMOVE_MS	50000u
#define VRAM_BYTES	(192 * KIB)
#define PAGE_WORDS	1024u

static struct nv nv;
static uint32_t vm;

/* --- Resources of a process --------------------------------------------------------- */

struct goods {
	struct bo vram, sys;
	uint32_t *apart;		/* a part of @vram through a dma-buf, or NULL */
	int dma_buf, fence;
	volatile uint32_t *control;	/* of a user queue, or NULL */
	struct ch ch;
};

static bool maps_vram(void)
{
	return nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP;
}

static volatile uint32_t *control_map(void)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE,
	};
	struct bo ring;
	void *p;

	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE))
		return NULL;

	ring = sys_bo(&nv, 8ull << nv.lim.ring_order_default);
	c.start = map(&nv, vm, &ring);
	need(!chan_create_args(&nv, &c), "CHANNEL_CREATE with a user queue");
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd, (off_t)c.control_offset);
	need(p != MAP_FAILED, "mmap of the control page: %s", strerror(errno));
	map_keep(nv.fd, p, 4096);
	return p;
}

/* Mappings, a dma-buf, and work that waits for a word without a writer. */
static struct goods goods_new(void)
{
	struct goods g = { .sys = sys_bo(&nv, 8192) };
	uint64_t va = map(&nv, vm, &g.sys);

	g.vram = vram_bo(&nv, VRAM_BYTES);
	if (maps_vram()) {
		bo_mmap(&nv, &g.vram);
		g.vram.map[0] = 0x11111111;
		g.apart = bo_map_apart(&nv, &g.vram);
	}
	g.dma_buf = prime_export(&nv, g.vram.handle);
	need(g.dma_buf >= 0, "PRIME export");
	g.control = control_map();
	g.sys.map[PAGE_WORDS] = 0x22222222;
	g.ch = ch_new(&nv, vm);
	new_object(&g.ch, SEM, va, 4096);
	p_acquire(&g.ch, SEM, 0, NEVER);
	need(!ch_submit(&g.ch), "SUBMIT");
	g.fence = sync_export(&nv, g.ch.done);
	need(g.fence >= 0, "export of a sync file");
	return g;
}

static void goods_end(struct goods *g)
{
	if (g->apart)
		munmap(g->apart, g->vram.size);
	close(g->dma_buf);
	close(g->fence);
}

/* --- Mappings ------------------------------------------------------------------------ */

/*
 * A signal would end the test. The dummy page is ordinary memory, one page for all of the buffer,
 * and holds no data from VRAM.
 */
static void dummies(struct goods *g, const char *why)
{
	const uint32_t pages = (uint32_t)(VRAM_BYTES / 4096);
	uint32_t i, wrong = 0;

	equal(g->sys.map[PAGE_WORDS], 0x22222222, "system memory keeps its contents");
	if (g->control) {
		g->control[0x8c / 4] = 5;
		equal(g->control[0x8c / 4], 5, "the control page is memory now");
	}
	if (!maps_vram()) {
		skip("%s # SKIP VRAM cannot be mapped in this kernel", why);
		return;
	}
	equal(g->vram.map[0], 0, why);
	equal(g->vram.map[VRAM_BYTES / 4 - 1], 0, "so is the last word");
	g->vram.map[1] = 0x33333333;
	g->apart[PAGE_WORDS + 2] = 0x44444444;
	for (i = 0; i < pages; i++)
		wrong += g->vram.map[i * PAGE_WORDS + 1] != 0x33333333 ||
			 g->apart[i * PAGE_WORDS + 2] != 0x44444444;
	equal(wrong, 0, "pages that are not the one dummy page, also through the dma-buf");
}

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
}

static void works_again(void)
{
	struct ch c;

	world();
	c = ch_new(&nv, vm);
	check(ch_works(&c), "a new file works");
	nv_close(&nv);
}

static void t_unbind(void)
{
	struct goods g;

	world();
	g = goods_new();
	equal((uint32_t)card_bind(false), 0, "unbind");
	dummies(&g, "VRAM of a card without driver reads as 0");
	check(sync_file_finish(g.fence) < 0, "the fence has ended with an error");
	equal((uint32_t)card_bind(true), 0, "bind");
	if (maps_vram())
		equal(g.vram.map[1], 0x33333333, "an old mapping does not lead to the new card");
	goods_end(&g);
	nv_close(&nv);
	works_again();
}

static void t_lost(void)
{
	struct goods g;

	if (!ctl_present()) {
		skip("lost card # SKIP no model");
		return;
	}
	world();
	g = goods_new();
	violations_allow(true);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	check(sync_file_finish(g.fence) < 0, "the fence has ended with an error");
	msleep(HOLD_MS);
	dummies(&g, "VRAM of a card that does not answer reads as 0");
	equal((uint32_t)card_bind(false), 0, "unbind");
	if (maps_vram())
		equal(g.vram.map[1], 0x33333333, "the dummy page stays");
	ctl(NVSIM_CTL_CLEAR, ~0u);
	equal((uint32_t)card_bind(true), 0, "bind");
	violations_allow(false);
	goods_end(&g);
	nv_close(&nv);
	works_again();
}

#define QUEUES	8
#define GET	(0x44 / 4)	/* in a control page; the card takes no writes of it */

/* The youngest channel is the last one that the driver ends. */
static void control_dummies(volatile uint32_t *const *controls)
{
	uint32_t i, wrong = 0;

	if (!controls[0]) {
		skip("control pages of a stuck card # SKIP no user queues in this kernel");
		return;
	}
	for (i = QUEUES; i--;) {
		controls[i][GET] = 0x51ce0000 + i;
		wrong += controls[i][GET] != 0x51ce0000 + i;
	}
	equal(wrong, 0, "control pages that still are the card's when the call returns");
}

/*
 * VRAM without an earlier access: the card is stuck, and BAR1 can show no more of it. Its control
 * pages are gone before the call that finds it stuck returns.
 */
static void t_stuck(void)
{
	volatile uint32_t *controls[QUEUES];
	struct bo bo, unseen;
	unsigned int i;
	struct goods g;
	uint64_t va;

	if (!ctl_present()) {
		skip("stuck card # SKIP no model");
		return;
	}
	world();
	g = goods_new();
	unseen = vram_bo(&nv, VRAM_BYTES);
	if (maps_vram())
		bo_mmap(&nv, &unseen);
	for (i = 0; i < QUEUES; i++) {
		controls[i] = control_map();
		if (controls[i])
			controls[i][0x8c / 4] = 0;
	}
	bo = sys_bo(&nv, 4096);
	va = map(&nv, vm, &bo);
	violations_allow(true);
	need(ctl_line("inject tlb-stuck"), "inject tlb-stuck");
	equal((uint32_t)vm_unmap(&nv, vm, va, 4096), (uint32_t)-EIO, "a TLB flush that never ends");
	control_dummies(controls);
	check(sync_file_finish(g.fence) < 0, "the fence has ended with an error");
	if (maps_vram()) {
		equal(unseen.map[PAGE_WORDS], 0, "VRAM of a stuck card reads as 0");
		unseen.map[0] = 0x55555555;
		equal(unseen.map[PAGE_WORDS], 0x55555555, "it is the one dummy page");
	} else {
		skip("VRAM of a stuck card # SKIP VRAM cannot be mapped in this kernel");
	}
	ctl_line("clear");
	equal((uint32_t)card_bind(false), 0, "unbind");
	equal((uint32_t)card_bind(true), 0, "bind");
	violations_allow(false);
	goods_end(&g);
	nv_close(&nv);
	works_again();
}

/* --- A kill during a reset -------------------------------------------------------------- */

#define STILL_MS	100	/* without an access: the process waits in a page fault */

/*
 * Until it is killed: access a control page, and count. The parent keeps the file open. Otherwise
 * the end of the process would close it, which waits for the end of the reset.
 */
static pid_t toucher(volatile uint32_t *count)
{
	volatile uint32_t *control;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		tap_env_set = false;
		control = control_map();
		for (;; (*count)++)
			(void)control[0x8c / 4];
	}
	while (!*count)
		msleep(1);
	return pid;
}

/* A process whose CHANNEL_CREATE runs into a playlist that ends with the second reset. */
static pid_t resetter(void)
{
	pid_t pid = child_fork();
	uint32_t id;

	if (!pid)
		_exit(chan_create(&nv, vm, 0, &id) ? 1 : 0);

	return pid;
}

/* Wait until the process makes no access any more, which is in the first reset. */
static void wait_still(const volatile uint32_t *count)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	uint32_t last;

	do {
		last = *count;
		msleep(STILL_MS);
	} while (*count != last && now_ns() < end);
	need(*count == last, "the process waits for PFIFO");
}

/* Kill a process in PFIFO's reset. Return: whether it is gone long before the reset ends. */
static bool is_killed_soon(volatile uint32_t *count)
{
	int64_t kill_ns, end_ns, reset_ns;
	pid_t victim, other;
	int status;

	*count = 0;
	victim = toucher(count);
	violations_allow(true);
	need(ctl_line("inject playlist-stuck until units"), "inject playlist-stuck");
	other = resetter();
	wait_still(count);
	kill_ns = now_ns();
	kill(victim, SIGKILL);
	need(waitpid(victim, &status, 0) == victim, "waitpid: %s", strerror(errno));
	end_ns = now_ns();
	need(waitpid(other, &status, 0) == other, "waitpid: %s", strerror(errno));
	reset_ns = now_ns();
	violations_allow(false);
	ctl_line("clear");
	equal((uint32_t)status, 0, "CHANNEL_CREATE succeeds after both resets");
	diag("a kill ends the wait after %lld ms of %lld", (long long)(end_ns - kill_ns) / 1000000,
	     (long long)(reset_ns - kill_ns) / 1000000);

	return (end_ns - kill_ns) * 2 < reset_ns - kill_ns;
}

#define KILL_TRIES	5

/*
 * An access of a control page waits while PFIFO is in reset. A kill ends this wait: it takes a
 * small part of the time that the reset still needs. The machine may stand still meanwhile, but not
 * in each try.
 */
static void t_killed_in_reset(void)
{
	volatile uint32_t *count;
	bool soon = false;
	uint32_t tries;

	world();
	if (!ctl_present() || !(nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE)) {
		skip("a kill in PFIFO's reset # SKIP no model, or no user queues in this kernel");
		return;
	}

	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(count != MAP_FAILED, "mmap: %s", strerror(errno));
	for (tries = 0; tries < KILL_TRIES && !soon; tries++)
		soon = is_killed_soon(count);

	check(soon, "a kill ends the wait in the fault");
	munmap((void *)count, 4096);
	nv_close(&nv);
	works_again();
}

/* --- A channel that was never complete ---------------------------------------------------- */

#define HOG_MS	3000

static bool is_unbound_worker(pid_t pid)
{
	char path[64], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = 0;
	fclose(f);

	return !strncmp(name, "kworker/u", 9);
}

/* Let threads of unbound work queues run only when nothing else does, or as usual. */
static void workers_idle(bool idle)
{
	const struct sched_param param = { 0 };
	struct dirent *entry;
	uint32_t found = 0;
	DIR *proc;
	pid_t pid;

	proc = opendir("/proc");
	need(proc, "/proc: %s", strerror(errno));
	while ((entry = readdir(proc))) {
		pid = (pid_t)nvfifo_text_value(entry->d_name, 10);
		if (pid && is_unbound_worker(pid))
			found += !sched_setscheduler(pid, idle ? SCHED_IDLE : SCHED_OTHER, &param);
	}
	closedir(proc);
	need(found, "threads of unbound work queues");
}

/* A process that leaves idle workers no time, for a while. */
static pid_t hog(void)
{
	int64_t end = now_ns() + HOG_MS * 1000000ll;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	while (!pid && now_ns() < end)
		;
	if (!pid)
		_exit(0);

	return pid;
}

/*
 * CHANNEL_CREATE fails on a lost card, so that a work item frees the incomplete channel. The
 * removal waits for this item, however late it is. The kernel reports memory for DMA that is still
 * there at the end of the unbind.
 */
static void t_unborn(void)
{
	int status, ret;
	uint32_t id;
	pid_t pid;

	if (!ctl_present()) {
		skip("a channel that is never complete # SKIP no model");
		return;
	}
	world();
	violations_allow(true);
	workers_idle(true);
	pid = hog();
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	ret = chan_create(&nv, vm, 0, &id);
	equal((uint32_t)card_bind(false), 0, "unbind");
	workers_idle(false);
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	equal((uint32_t)ret, (uint32_t)-ENODEV, "CHANNEL_CREATE on a card that has gone");
	ctl(NVSIM_CTL_CLEAR, ~0u);
	equal((uint32_t)card_bind(true), 0, "bind");
	violations_allow(false);
	nv_close(&nv);
	works_again();
}

/* --- Removals ------------------------------------------------------------------------- */

static volatile bool stop;
static volatile uint32_t rounds;

/* Submit at full speed, with a new file after each removal of the card, until @stop. */
static void load(void)
{
	struct drm_nvfifo_channel_create c;
	struct drm_nvfifo_submit sub;
	uint32_t space;
	int fd;

	while (!stop) {
		fd = node_open();
		if (fd < 0) {
			msleep(1);
			continue;
		}
		if (!vm_create(&(struct nv){ .fd = fd }, &space)) {
			c = (struct drm_nvfifo_channel_create){ .vm_id = space };
			sub = (struct drm_nvfifo_submit){
				.entries.stride = sizeof(struct drm_nvfifo_entry),
			};
			if (!chan_create_args(&(struct nv){ .fd = fd }, &c))
				sub.channel_id = c.id;
			while (sub.channel_id && !stop &&
			       !nv_ioctl(fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub))
				rounds++;
		}
		close(fd);
	}
}

static void *load_thread(void *arg)
{
	load();
	return arg;
}

/* Returns whether removal and return of the card succeeded. */
static bool remove_once(bool surprise)
{
	int64_t start;
	struct goods g;
	bool ok = true;
	int ret;

	world();
	g = goods_new();
	if (surprise)
		ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	start = now_ns();
	ret = card_bind(false);
	if (ret || now_ns() - start > REMOVE_MS * 1000000ll) {
		diag("unbind: %d after %lld ms", ret, (long long)(now_ns() - start) / 1000000);
		ok = false;
	}
	if (sync_file_finish(g.fence) >= 0) {
		diag("the fence did not end with an error");
		ok = false;
	}
	if (g.sys.map[PAGE_WORDS] != 0x22222222 ||
	    (maps_vram() && (g.vram.map[PAGE_WORDS] || g.apart[0]))) {
		diag("mappings have wrong contents");
		ok = false;
	}
	if (g.control)
		g.control[0] = 1;
	if (surprise)
		ctl(NVSIM_CTL_CLEAR, ~0u);
	ret = card_bind(true);
	if (ret) {
		diag("bind: %d", ret);
		ok = false;
	}
	goods_end(&g);
	nv_close(&nv);
	return ok;
}

/* Half of them find a card that has stopped answering a moment before. */
static void t_removals(void)
{
	const char *wanted = getenv("NVFIFO_REMOVALS");
	uint32_t n = wanted ? (uint32_t)nvfifo_text_value(wanted, 0) : REMOVALS, i, bad = 0;
	pthread_t thread;

	module_reload(JOB_PARAM);
	violations_allow(true);
	stop = false;
	rounds = 0;
	need(!pthread_create(&thread, NULL, load_thread, NULL), "pthread_create");
	for (i = 0; i < n && bad < 3; i++) {
		alarm(TEST_S);
		bad += !remove_once(i % 2 && ctl_present());
		if (i % 100 == 99)
			diag("%u removals", i + 1);
	}
	stop = true;
	pthread_join(thread, NULL);
	violations_allow(false);
	equal(bad, 0, "removals that went wrong");
	check(rounds, "%u removals beside %u SUBMITs of another file", i, rounds);
	works_again();
	module_reload("");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_unbind), TEST(t_lost), TEST(t_stuck), TEST(t_killed_in_reset), TEST(t_unborn),
		TEST_ONCE(t_removals),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
