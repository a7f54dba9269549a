// SPDX-License-Identifier: MIT
/*
 * The results of all calls in each state of a channel and of the card. The table of
 * Documentation/ladder.csv is the reference: the test tries each of its cells.
 *
 * A cell is 0 or an errno's name. For a row of fences it is the fence's status, 0 for success.
 *
 * Guards the results of calls in each state (ladder.csv), on one chip.
 */
#include "raw.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#define TABLE		"/src/Documentation/ladder.csv"
#define SEM		0x1234
#define GATE		0x5678
#define LABEL		"ladder"

static struct nv nv;

/* Each call that takes something away has one of its own. */
static struct {
	uint32_t vm, spare_vm;
	struct ch ch, spare;
	struct bo bo, spare_bo, gate, vram;
	uint64_t va, control_offset;
	volatile uint32_t *control;
	int dma_buf;
	int work, bind;		/* sync files of work that waits for @gate, and of a VM_BIND after it */
} w;

static bool maps_vram(void)
{
	return nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP;
}

static bool maps_control(void)
{
	return nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE;
}

/* A channel whose end raises an event, instead of a new channel. */
static struct ch ch_with_event(void)
{
	struct drm_nvfifo_channel_create args = {
		.vm_id = w.vm, .flags = DRM_NVFIFO_CHANNEL_EVENT,
	};
	struct ch c = ch_new(&nv, w.vm);

	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	need(!chan_create_args(&nv, &args), "CHANNEL_CREATE with an event");
	c.id = args.id;

	return c;
}

/* A user queue, for its control page */
static void control_new(void)
{
	struct drm_nvfifo_channel_create args = {
		.vm_id = w.vm, .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE,
	};
	struct bo ring = sys_bo(&nv, 8ull << nv.lim.ring_order_default);
	void *p;

	args.start = map(&nv, w.vm, &ring);
	need(!chan_create_args(&nv, &args), "CHANNEL_CREATE with a user queue");
	w.control_offset = args.control_offset;
	p = mmap(NULL, 4 * KIB, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd,
		 (off_t)w.control_offset);
	need(p != MAP_FAILED, "mmap of a control page: %s", strerror(errno));
	map_keep(nv.fd, p, 4 * KIB);
	w.control = p;
}

static void world(const char *options)
{
	uint32_t bound;

	module_reload(options);
	nv_open(&nv);
	need(!fcntl(nv.fd, F_SETFL, O_NONBLOCK), "fcntl");
	w.vm = new_vm(&nv);
	w.spare_vm = new_vm(&nv);
	w.ch = ch_with_event();
	w.spare = ch_new(&nv, w.vm);
	w.bo = sys_bo(&nv, 4 * KIB);
	w.spare_bo = sys_bo(&nv, 4 * KIB);
	w.gate = sys_bo(&nv, 4 * KIB);
	w.vram = vram_bo(&nv, 4 * KIB);
	if (maps_vram())
		bo_mmap(&nv, &w.vram);

	if (maps_control())
		control_new();
	w.va = map(&nv, w.vm, &w.bo);
	w.dma_buf = prime_export(&nv, w.bo.handle);
	need(w.dma_buf >= 0, "a dma-buf");
	new_object(&w.ch, GATE, map(&nv, w.vm, &w.gate), 4 * KIB);
	new_object(&w.ch, SEM, w.va, 4 * KIB);

	p_acquire(&w.ch, GATE, 0, 1);
	need(!ch_submit(&w.ch), "SUBMIT");
	w.work = sync_export(&nv, w.ch.done);
	bound = sync_new(&nv);
	need(!vm_bind_when(&nv, w.spare_vm, op_map(&w.bo, GIB), w.ch.done, bound), "VM_BIND");
	w.bind = sync_export(&nv, bound);
	need(w.work >= 0 && w.bind >= 0, "sync files");
}

static void world_end(void)
{
	close(w.work);
	close(w.bind);
	close(w.dma_buf);
	nv_close(&nv);
}

/* --- Calls ---------------------------------------------------------------------------------- */

static int call_query_device(void)
{
	struct drm_nvfifo_query_device d;

	return query(nv.fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d));
}

static int call_query_limits(void)
{
	struct drm_nvfifo_query_limits l;

	return query(nv.fd, DRM_NVFIFO_QUERY_LIMITS, &l, sizeof(l));
}

static int call_query_time(void)
{
	struct drm_nvfifo_query_time t;

	return query(nv.fd, DRM_NVFIFO_QUERY_TIME, &t, sizeof(t));
}

static int call_bo_create_system(void)
{
	struct bo bo;

	return bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 4 * KIB);
}

static int call_bo_create_vram(void)
{
	struct bo bo;

	return bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, 4 * KIB);
}

static int call_bo_info(void)
{
	struct drm_nvfifo_bo_info info;

	return bo_info(&nv, w.bo.handle, &info);
}

static int call_bo_label(void)
{
	return bo_label(&nv, w.bo.handle, LABEL);
}

static int call_prime_export(void)
{
	int fd = prime_export(&nv, w.bo.handle);

	if (fd < 0)
		return fd;

	close(fd);

	return 0;
}

static int call_prime_import(void)
{
	uint32_t handle;

	return prime_import(&nv, w.dma_buf, &handle);
}

static int call_gem_close(void)
{
	bo_unmap(&w.spare_bo);

	return bo_close(&nv, w.spare_bo.handle);
}

static int call_vm_create(void)
{
	uint32_t id;

	return vm_create(&nv, &id);
}

static int call_vm_bind_map(void)
{
	return vm_map_at(&nv, w.vm, &w.bo, 3 * GIB, 0, 0);
}

static int call_vm_bind_unmap(void)
{
	return vm_unmap(&nv, w.vm, w.va, w.bo.size);
}

static int call_vm_bind_async(void)
{
	return vm_bind_when(&nv, w.vm, op_map(&w.bo, 4 * GIB), 0, w.spare.done);
}

static int call_vm_destroy(void)
{
	return vm_destroy(&nv, w.spare_vm);
}

static int call_channel_create(void)
{
	uint32_t id;

	return chan_create(&nv, w.vm, 3, &id);
}

static int call_channel_query(void)
{
	struct drm_nvfifo_channel_query q;

	return chan_query(&nv, w.ch.id, &q);
}

static int call_object_create_dma(void)
{
	return object_dma(&nv, w.ch.id, 0x77, w.va, 4 * KIB);
}

static int call_object_create_engine(void)
{
	return graph_object_new(&nv, w.ch.id, 0x78, 0x5039);
}

static int call_object_destroy(void)
{
	return object_destroy(&nv, w.ch.id, SEM);
}

static int call_submit(void)
{
	p_ref(&w.ch, 1);

	return ch_submit(&w.ch);
}

static int call_submit_try(void)
{
	struct drm_nvfifo_submit s = {
		.channel_id = w.ch.id, .flags = DRM_NVFIFO_SUBMIT_TRY,
		.entries.stride = sizeof(struct drm_nvfifo_entry),
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s);
}

/* For a value that comes when the gate opens, so it waits unless the state ends it. */
static int call_channel_wait(void)
{
	struct drm_nvfifo_channel_wait wait = {
		.channel_id = w.ch.id, .flags = DRM_NVFIFO_WAIT_SUBMIT, .value = 1,
		.timeout_ns = now_ns() + HOLD_MS * 1000000ll,
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &wait);
}

static int call_channel_destroy(void)
{
	return chan_destroy(&nv, w.spare.id);
}

/* The gate opens: the state decides whether the work goes on. */
static int fence_work(void)
{
	int status;

	w.gate.map[0] = 1;
	status = sync_file_finish(w.work);

	return status == 1 ? 0 : status;
}

static int fence_bind(void)
{
	int status = sync_file_finish(w.bind);

	return status == 1 ? 0 : status;
}

/* --- Mappings ------------------------------------------------------------------------------- */

static int map_once(uint64_t offset)
{
	void *p = mmap(NULL, 4 * KIB, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd, (off_t)offset);

	if (p == MAP_FAILED)
		return -errno;

	munmap(p, 4 * KIB);

	return 0;
}

static sigjmp_buf fault_return;

static void fault(int signal)
{
	(void)signal;
	siglongjmp(fault_return, 1);
}

/* Write and read a word of a mapping, which a child may not have. Return: 0, -EFAULT on a signal. */
static int touch(volatile uint32_t *word)
{
	const struct sigaction act = { .sa_handler = fault };
	struct sigaction bus, segv;
	volatile int ret = 0;

	need(!sigaction(SIGBUS, &act, &bus) && !sigaction(SIGSEGV, &act, &segv), "sigaction");
	if (sigsetjmp(fault_return, 1)) {
		ret = -EFAULT;
	} else {
		*word = 1;
		(void)*word;
	}
	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGSEGV, &segv, NULL);

	return ret;
}

static int mmap_system(void)
{
	return map_once(w.bo.offset);
}

static int touch_system(void)
{
	return touch(w.bo.map);
}

static int mmap_vram(void)
{
	return map_once(w.vram.offset);
}

static int touch_vram(void)
{
	return touch(w.vram.map);
}

static int mmap_control(void)
{
	return map_once(w.control_offset);
}

/* REF, of which nothing depends */
static int touch_control(void)
{
	return touch(w.control + 0x48 / 4);
}

/* --- Events --------------------------------------------------------------------------------- */

static bool lives;		/* The state ends no channel, so an event never comes. */

static int poll_event(void)
{
	struct pollfd p = { .fd = nv.fd, .events = POLLIN };
	int ret = poll(&p, 1, lives ? HOLD_MS : WAIT_MS);

	if (ret < 0)
		return -errno;

	return p.revents & POLLIN ? 0 : -EAGAIN;
}

static int read_event(void)
{
	struct drm_nvfifo_event_channel_dead e;

	return read(nv.fd, &e, sizeof(e)) == sizeof(e) ? 0 : -errno;
}

/* --- The rows ------------------------------------------------------------------------------- */

/* In the order of the calls: those that end something come last. */
static const struct call {
	const char *name;
	int (*make)(void);
} calls[] = {
	{ "DEVICE_QUERY of the device", call_query_device },
	{ "DEVICE_QUERY of the limits", call_query_limits },
	{ "DEVICE_QUERY of the time", call_query_time },
	{ "BO_CREATE of system memory", call_bo_create_system },
	{ "BO_CREATE of VRAM", call_bo_create_vram },
	{ "BO_INFO", call_bo_info },
	{ "BO_LABEL", call_bo_label },
	{ "PRIME_HANDLE_TO_FD", call_prime_export },
	{ "PRIME_FD_TO_HANDLE", call_prime_import },
	{ "mmap() of system memory", mmap_system },
	{ "access to system memory", touch_system },
	{ "mmap() of VRAM", mmap_vram },
	{ "access to VRAM that is mapped", touch_vram },
	{ "mmap() of a control page", mmap_control },
	{ "access to a control page that is mapped", touch_control },
	{ "GEM_CLOSE", call_gem_close },
	{ "VM_CREATE", call_vm_create },
	{ "VM_BIND that maps", call_vm_bind_map },
	{ "VM_BIND that unmaps", call_vm_bind_unmap },
	{ "VM_BIND with syncobjs", call_vm_bind_async },
	{ "CHANNEL_CREATE", call_channel_create },
	{ "CHANNEL_QUERY", call_channel_query },
	{ "OBJECT_CREATE of a DMA object", call_object_create_dma },
	{ "OBJECT_CREATE of an engine", call_object_create_engine },
	{ "OBJECT_DESTROY", call_object_destroy },
	{ "CHANNEL_WAIT for work in flight", call_channel_wait },
	{ "SUBMIT", call_submit },
	{ "SUBMIT with TRY", call_submit_try },
	{ "fence of work in flight", fence_work },
	{ "fence of a VM_BIND that waits for it", fence_bind },
	{ "poll() for the end of the channel", poll_event },
	{ "read() of the event", read_event },
	{ "CHANNEL_DESTROY", call_channel_destroy },
	{ "VM_DESTROY", call_vm_destroy },
};

/* Some kernels cannot map the card's memory and registers. */
static bool is_possible(const struct call *call)
{
	if (call->make == mmap_vram || call->make == touch_vram)
		return maps_vram();

	if (call->make == mmap_control || call->make == touch_control)
		return maps_control();

	return true;
}

/* --- States -------------------------------------------------------------------------------- */

/* An error after the work in flight would come too late: the limit of the channel ends it. */
static void enter_ended(void)
{
	world("job_timeout_ms=1500");
	need(sync_file_finish(w.work) < 0, "the channel ends");
	need(ch_query(&w.ch).state == DRM_NVFIFO_CHANNEL_DEAD, "it is dead");
}

static void enter_reset(void)
{
	world("job_timeout_ms=600000");
}

/* The work in flight is taken off the card, and goes on afterwards. */
static void enter_suspended(void)
{
	world("job_timeout_ms=600000");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_LOST);
	equal((uint32_t)file_write("/sys/power/state", "freeze"), 0, "the system sleeps and wakes");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_KEEP);
}

/* A work item ends the channels of a card that is given up, and takes their control pages away. */
static void wait_for_bans(void)
{
	int64_t start = now_ns();

	while (maps_control() && mmap_control() != -EACCES && may_come(start))
		msleep(1);
}

static void enter_stuck(void)
{
	world("job_timeout_ms=600000");
	violations_allow(true);
	need(ctl_line("inject tlb-stuck"), "inject");
	need(vm_unmap(&nv, w.vm, w.va, w.bo.size) == -EIO, "the card is stuck");
	wait_for_bans();
}

static void enter_lost(void)
{
	world("job_timeout_ms=600000");
	violations_allow(true);
	need(ctl_line("inject lost"), "inject");
	need(vm_unmap(&nv, w.vm, w.va, w.bo.size) == -ENODEV, "the card is lost");
	wait_for_bans();
}

static void enter_unbound(void)
{
	world("job_timeout_ms=600000");
	need(!card_bind(false), "unbind");
}

/* In the order of the table's columns */
enum { ENDED, RESET, SUSPENDED, STUCK, LOST, UNBOUND };

static const struct condition {
	const char *name;
	void (*enter)(void);
} conditions[] = {
	[ENDED] = { "channel ended", enter_ended },
	[RESET] = { "reset under way", enter_reset },
	[SUSPENDED] = { "after a suspend", enter_suspended },
	[STUCK] = { "card stuck", enter_stuck },
	[LOST] = { "card lost", enter_lost },
	[UNBOUND] = { "driver unbound", enter_unbound },
};

/* --- The table ------------------------------------------------------------------------------ */

/* The cell of a row and a column, column 0 being the row's name; "" if there is none. */
static void cell(const char *table, const char *row, unsigned int column, char *text, size_t size)
{
	char key[80];
	const char *at;
	size_t len;

	text[0] = '\0';
	snprintf(key, sizeof(key), "\n%s,", row);
	at = strstr(table, key);
	if (!at)
		return;

	at++;
	while (column-- && at)
		at = strpbrk(at, ",\n") ? strpbrk(at, ",\n") + 1 : NULL;
	if (!at)
		return;

	len = strcspn(at, ",\n");
	snprintf(text, size, "%.*s", (int)len, at);
}

static const char *result_name(int ret)
{
	return ret ? strerrorname_np(-ret) : "0";
}

/* A process whose CHANNEL_CREATE makes the driver reset PFIFO */
static pid_t reset_start(void)
{
	uint32_t id;
	pid_t pid;

	need(ctl_line("inject playlist-stuck until pfifo"), "inject");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(chan_create(&nv, w.vm, 3, &id) ? 1 : 0);

	/* It is in the wait for the playlist, which takes two seconds. */
	msleep(4 * HOLD_MS);

	return pid;
}

static void reset_end(pid_t pid)
{
	int status;

	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	equal((uint32_t)status, 0, "the reset has ended, and the call that it was for has succeeded");
	ctl_line("clear");
}

static void check_state(const char *table, unsigned int state)
{
	char want[40];
	unsigned int i;
	pid_t pid = 0;
	int ret;

	lives = state == RESET || state == SUSPENDED;
	conditions[state].enter();
	violations_allow(true);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!is_possible(&calls[i])) {
			skip("%s, %s # SKIP not in this kernel", conditions[state].name, calls[i].name);
			continue;
		}
		cell(table, calls[i].name, state + 1, want, sizeof(want));
		if (state == RESET)
			pid = reset_start();
		ret = calls[i].make();
		if (pid)
			reset_end(pid);
		if (!check(!strcmp(want, result_name(ret)), "%s, %s: %s", conditions[state].name,
			   calls[i].name, want))
			diag("it gave %s", result_name(ret));
	}

	world_end();
	ctl_line("clear");

	/* The card's work goes on until a new bind, without access to memory. */
	if (state >= STUCK) {
		equal((uint32_t)(state < UNBOUND ? card_bind(false) : 0), 0, "unbind");
		need(!card_bind(true), "bind");
	}

	violations_allow(false);
}

static void t_ladder(void)
{
	char *table = file_text(TABLE), text[80];
	unsigned int i;

	need(table, TABLE);
	for (i = 0; i < ARRAY_SIZE(conditions); i++) {
		need(!strncmp(table, "call,", 5), "the head of the table");
		snprintf(text, sizeof(text), ",%s", conditions[i].name);
		check(strstr(table, text), "the table has a column '%s'", conditions[i].name);
		if (i == SUSPENDED && !pm_test_begin("platform", conditions[i].name))
			continue;

		check_state(table, i);
	}

	free(table);
	module_reload("");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { TEST_ONCE(t_ladder) };

	if (!ctl_present()) {
		printf("1..0 # SKIP no model\n");
		return 0;
	}

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
