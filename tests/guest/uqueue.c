// SPDX-License-Identifier: MIT
/*
 * User queues: channels whose owner writes ring and doorbell directly. The kernel can revoke one at
 * any time, and its control page must not reach anything else.
 *
 * Control pages need BARs that a process can map. Without them the program tests CHANNEL_WAIT on
 * ordinary channels only.
 *
 * Guards memory; user queues and CHANNEL_WAIT (uapi.rst), on one chip.
 */
#include "raw.h"
#include "../rig/copier.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>

#define SEM	0x1234
#define ILLEGAL	0xffffffff
#define PAGE	4096

/* Words of the control page */
#define DMA_PUT		(0x40 / 4)
#define DMA_GET		(0x44 / 4)
#define REF		(0x48 / 4)
#define DMA_PUT_HIGH	(0x4c / 4)
#define IB_GET		(0x88 / 4)
#define IB_PUT		(0x8c / 4)

static struct nv nv, other;
static uint32_t vm;
static struct ch near, far;	/* witnesses: the same address space, another file */
static struct bo data;
static uint64_t data_va;

static void world(void)
{
	nv_open(&nv);
	nv_open(&other);
	vm = new_vm(&nv);
	near = ch_new(&nv, vm);
	far = ch_new(&other, new_vm(&other));
	data = sys_bo(&nv, 64 * KIB);
	data_va = map(&nv, vm, &data);
}

static volatile uint32_t *cell(uint32_t i)
{
	return (volatile uint32_t *)data.map + i;
}

/* --- A user queue ------------------------------------------------------------------ */

struct uq {
	uint32_t id;
	bool ib, vram;			/* vram: the ring is there */
	uint32_t order, put;		/* put: next entry (IB), next word (DMA) */
	struct bo ring, push;		/* DMA mode has no ring */
	uint64_t ring_va, push_va;
	uint32_t n;			/* next word in push (IB) */
	uint64_t control_offset;
	volatile uint32_t *control;
};

static void *control_map(struct nv *n, uint64_t offset, size_t size, int prot, int flags)
{
	return mmap(NULL, size, prot, flags, n->fd, (off_t)offset);
}

static struct uq uq_in(uint32_t domain, uint32_t flags, uint32_t order)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE | flags, .ring_order = order,
	};
	struct uq q = {
		.ib = !(flags & DRM_NVFIFO_CHANNEL_DMA_MODE),
		.vram = domain == DRM_NVFIFO_DOMAIN_VRAM,
	};
	int ret;

	q.push = sys_bo(&nv, 256 * KIB);
	q.push_va = map(&nv, vm, &q.push);
	q.order = order ? order : nv.lim.ring_order_default;
	if (q.ib) {
		q.ring = q.vram ? vram_bo(&nv, 8ull << q.order) : sys_bo(&nv, 8ull << q.order);
		if (!q.ring.map)
			bo_mmap(&nv, &q.ring);
		q.ring_va = map(&nv, vm, &q.ring);
		c.start = q.ring_va;
	} else {
		c.start = q.push_va;
	}

	ret = chan_create_args(&nv, &c);
	need(!ret, "CHANNEL_CREATE with a user queue: %s", strerror(-ret));
	need(c.control_offset, "an offset of the control page");
	q.id = c.id;
	q.control_offset = c.control_offset;
	q.control = control_map(&nv, q.control_offset, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	need(q.control != MAP_FAILED, "mmap of the control page: %s", strerror(errno));
	ret = object_dma(&nv, q.id, SEM, data_va, data.size);
	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));

	return q;
}

static struct uq uq(void)
{
	return uq_in(DRM_NVFIFO_DOMAIN_SYSTEM, 0, 0);
}

static struct uq uq_dma(void)
{
	return uq_in(0, DRM_NVFIFO_CHANNEL_DMA_MODE, 0);
}

static void uq_end(struct uq *q)
{
	check(!chan_destroy(&nv, q->id), "CHANNEL_DESTROY");
	munmap((void *)q->control, PAGE);
}

static void u_word(struct uq *q, uint32_t w)
{
	need(q->n < q->push.size / 4, "the test's pushbuffer is full");
	((volatile uint32_t *)q->push.map)[q->n++] = w;
}

static void u_mthd(struct uq *q, uint32_t mthd, uint32_t val)
{
	u_word(q, cmd_word(0, mthd, 1));
	u_word(q, val);
}

static void u_sem(struct uq *q, uint32_t i, uint32_t mthd, uint32_t val)
{
	u_mthd(q, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
	u_mthd(q, NVFIFO_MTHD_SEMAPHORE_OFFSET, i * 4);
	u_mthd(q, mthd, val);
}

static void u_interrupt(struct uq *q)
{
	if (nv.g84) {
		u_mthd(q, NVFIFO_MTHD_NOTIFY_INTR, 0);
	} else {
		u_word(q, cmd_word(7, NVFIFO_MTHD_OBJECT, 1));
		u_word(q, SW_HANDLE);
	}
}

static void ring_entry(struct uq *q, uint64_t address, uint32_t words)
{
	volatile uint32_t *e = (volatile uint32_t *)q->ring.map + q->put * 2;

	e[0] = (uint32_t)address;
	e[1] = (uint32_t)(address >> 32) | words << 10;
	q->put = (q->put + 1) & ((1u << q->order) - 1);
}

static void ring_bell(struct uq *q)
{
	/* The barrier also drains write-combining buffers; a read drains posted writes to VRAM. */
	__sync_synchronize();
	if (q->vram)
		(void)*(volatile uint32_t *)q->ring.map;

	if (q->ib)
		q->control[IB_PUT] = q->put;
	else
		q->control[DMA_PUT] = (uint32_t)q->push_va + q->n * 4;
}

/* Push the words written since word @from. */
static void u_go(struct uq *q, uint32_t from)
{
	if (q->ib)
		ring_entry(q, q->push_va + from * 4ull, q->n - from);
	ring_bell(q);
}

/* Poll without system calls, not even to sleep, because seccomp may forbid them. */
static bool spin(volatile uint32_t *p, uint32_t want)
{
	uint64_t n;

	for (n = 0; n < 1u << 31; n++) {
		if (*p == want)
			return true;
		__asm__ volatile("" ::: "memory");
	}

	return false;
}

static int chan_wait(struct nv *n, uint32_t id, volatile uint32_t *p, uint32_t value,
		     int64_t timeout)
{
	struct drm_nvfifo_channel_wait w = {
		.channel_id = id, .value = value, .address = (uintptr_t)p, .timeout_ns = timeout,
	};

	/* Not repeated for a signal. */
	return ioctl(n->fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w) ? -errno : 0;
}

static int64_t in_ms(int64_t ms)
{
	return now_ns() + ms * 1000000;
}

static void works_at(int line, struct uq *q, const char *what)
{
	static uint32_t magic = 0x60000000;
	uint32_t from = q->n;

	magic++;
	u_mthd(q, NVFIFO_MTHD_REF_CNT, magic);
	u_sem(q, 100, NVFIFO_MTHD_SEMAPHORE_RELEASE, magic);
	u_go(q, from);
	if (!check_at(__FILE__, line, poll_word(cell(100), magic) && q->control[REF] == magic, "%s",
		      what))
		diag("memory 0x%x ref 0x%x, not 0x%x", *cell(100), q->control[REF], magic);
}

#define works(q, what) works_at(__LINE__, q, what)

static struct drm_nvfifo_channel_query uq_query(struct uq *q)
{
	struct drm_nvfifo_channel_query r;

	need(!chan_query(&nv, q->id, &r), "CHANNEL_QUERY");
	return r;
}

static void t_modes(void)
{
	uint32_t domain, i;
	struct drm_nvfifo_channel_query r;
	struct uq q;

	world();

	for (domain = 0; domain < 2; domain++) {
		q = uq_in(domain, 0, 0);
		works(&q, domain ? "a ring in VRAM" : "a ring in system memory");
		check(q.control[IB_GET] == 1 && q.control[IB_PUT] == 1, "IB_GET has come to IB_PUT");
		r = uq_query(&q);
		check(r.ib_get == 1 && r.ib_put == 1 && !r.submitted && !r.completed && !r.state &&
		      r.ring_order == q.order, "CHANNEL_QUERY says so");
		refused(submit_raw(&nv, q.id, NULL, 0, NULL, 0, NULL), EOPNOTSUPP,
			"SUBMIT to a user queue");
		uq_end(&q);
	}

	for (i = nv.lim.ring_order_min; i <= nv.lim.ring_order_max; i += 9) {
		uint32_t k;

		q = uq_in(0, 0, i);
		for (k = 0; k < (2u << i) + 3; k++) {
			u_mthd(&q, NVFIFO_MTHD_REF_CNT, k + 1);
			ring_entry(&q, q.push_va + (q.n - 2) * 4ull, 2);
			if (k % 3)
				continue;
			ring_bell(&q);
			/* Wait for room in the ring. */
			while ((q.put - q.control[IB_GET]) % (1u << i) > (1u << i) - 5)
				;
			if (q.n > q.push.size / 8) {
				need(poll_word(&q.control[REF], k + 1), "entry %u", k);
				q.n = 0;
			}
		}

		ring_bell(&q);
		check(poll_word(&q.control[REF], k), "order %u, round and round", i);
		uq_end(&q);
	}

	q = uq_dma();
	works(&q, "DMA mode");
	equal(q.control[DMA_GET], (uint32_t)q.push_va + q.n * 4, "DMA_GET has come to DMA_PUT");
	u_word(&q, JUMP(q.push_va + 4096));
	q.n = 1024;
	works(&q, "a jump");
	uq_end(&q);
	check(ch_works(&near) && ch_works(&far), "channels of the kernel work");
}

/* --- Without a system call ------------------------------------------------------------------ */

#define PUSHES 200

static struct uq silent;
static volatile uint32_t silent_state;	/* 1: begun, 2: done, 3: wrong */

/* A system call other than read, write and exit kills this thread. */
static void *silent_thread(void *arg)
{
	uint32_t i;

	(void)arg;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
		silent_state = 4;
		return NULL;
	}

	silent_state = 1;

	for (i = 1; i <= PUSHES; i++) {
		uint32_t from = silent.n;

		u_sem(&silent, 0, NVFIFO_MTHD_SEMAPHORE_RELEASE, i);
		u_go(&silent, from);
		if (!spin(cell(0), i))
			silent_state = 3;
	}

	if (silent_state == 1)
		silent_state = 2;

	/* The C library's exit of a thread makes other system calls. */
	syscall(SYS_exit, 0);

	return NULL;
}

static void t_silent(void)
{
	pthread_t t;
	int dma, k;

	world();

	for (dma = 0; dma < 2; dma++) {
		silent = dma ? uq_dma() : uq();
		/* Touch the pages before, so that they need no page faults. */
		works(&silent, "before it");
		silent_state = 0;
		*cell(0) = 0;
		need(!pthread_create(&t, NULL, silent_thread, NULL), "pthread_create");
		for (k = 0; k < WAIT_MS / 5 && silent_state < 2; k++)
			msleep(5);
		if (silent_state == 4) {
			skip("SUBMITs without a system call # SKIP no seccomp");
			pthread_join(t, NULL);
			uq_end(&silent);
			return;
		}

		check(silent_state == 2 && *cell(0) == PUSHES,
		      "%s: %d pushes under seccomp, no system call is made", dma ? "DMA" : "IB", PUSHES);
		uq_end(&silent);
	}
}

/* --- CHANNEL_WAIT ----------------------------------------------------------------------------- */

/* A blocked CHANNEL_WAIT and its release, on an ordinary channel or a user queue */
struct waiter {
	uint32_t id;
	volatile uint32_t *word;
	uint32_t value;
	int ret;
	volatile bool begun;
	pthread_t thread;
};

static void on_signal(int sig)
{
	(void)sig;
}

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;

	w->begun = true;
	w->ret = chan_wait(&nv, w->id, w->word, w->value, in_ms(WAIT_MS));
	return NULL;
}

static void wait_start(struct waiter *w)
{
	w->ret = 1;
	w->begun = false;
	need(!pthread_create(&w->thread, NULL, wait_thread, w), "pthread_create");
	while (!w->begun)
		msleep(1);
	msleep(20);
}

/* Waits for the values 1 to 20 */
static void check_wakes(uint32_t id, void (*write_word)(uint32_t val), const char *kind)
{
	struct waiter w = { .id = id, .word = cell(7) };
	uint32_t i, ms, fastest = ~0u, bad = 0;
	int64_t start;

	for (i = 1; i <= 20; i++) {
		w.value = i;
		wait_start(&w);
		bad += w.ret != 1;
		start = now_ns();
		write_word(i);
		pthread_join(w.thread, NULL);
		bad += w.ret != 0;
		ms = ms_since(start);
		if (ms < fastest)
			fastest = ms;
	}

	check(!bad, "%s: CHANNEL_WAIT sleeps until the word is written", kind);

	/* Without one, a check wakes once a second. The machine may be slow, but not each time. */
	check(fastest < 700, "%s: it is the interrupt that wakes (%u ms)", kind, fastest);
}

static void check_waits(uint32_t id, void (*write_word)(uint32_t val), const char *kind)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;
	struct waiter w = { .id = id, .word = cell(7) };
	int64_t start;

	*cell(7) = 0;
	equal((uint32_t)chan_wait(&nv, id, cell(7), 1, in_ms(HOLD_MS)), (uint32_t)-ETIME,
	      "CHANNEL_WAIT for nothing times out");
	check_wakes(id, write_word, kind);
	equal((uint32_t)chan_wait(&nv, id, cell(7), 5, 0), 0,
	      "a value that has passed needs no wait");

	sigaction(SIGUSR1, &sa, &old);
	w.value = 21;
	wait_start(&w);
	start = now_ns();
	do
		pthread_kill(w.thread, SIGUSR1);
	while (w.ret == 1 && may_come(start));
	pthread_join(w.thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	equal((uint32_t)w.ret, (uint32_t)-EINTR, "a signal ends CHANNEL_WAIT");

	/* Unmap the word during a wait. */
	{
		void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		need(p != MAP_FAILED, "mmap");
		*(volatile uint32_t *)p = 0;
		w.word = p;
		wait_start(&w);
		munmap(p, PAGE);
		write_word(21);
		pthread_join(w.thread, NULL);
		equal((uint32_t)w.ret, (uint32_t)-EFAULT, "the word is unmapped: EFAULT");
	}

	w.word = cell(8);
	wait_start(&w);
	check(!chan_destroy(&nv, id), "CHANNEL_DESTROY while a thread waits");
	pthread_join(w.thread, NULL);
	equal((uint32_t)w.ret, (uint32_t)-ECANCELED, "ends the wait with ECANCELED");
	equal((uint32_t)chan_wait(&nv, id, cell(8), 1, 0), (uint32_t)-ENOENT,
	      "the channel is gone for the next");
}

static struct ch plain;

static void plain_write(uint32_t val)
{
	p_release(&plain, SEM, 7 * 4, val);
	if (nv.g84) {
		p_mthd(&plain, NVFIFO_MTHD_NOTIFY_INTR, 0);
	} else {
		p_word(&plain, cmd_word(7, NVFIFO_MTHD_OBJECT, 1));
		p_word(&plain, SW_HANDLE);
	}

	need(!ch_submit(&plain), "SUBMIT");
}

static void t_wait_kernel_queue(void)
{
	world();
	plain = ch_new(&nv, vm);
	new_object(&plain, SEM, data_va, data.size);
	check_waits(plain.id, plain_write, "kernel queue");

	/* A channel that dies, and one that is dead. */
	{
		struct ch c = ch_new(&nv, vm);
		struct waiter w = { .id = c.id, .word = cell(8), .value = 1 };

		wait_start(&w);
		p_word(&c, ILLEGAL);
		need(!ch_submit(&c), "SUBMIT");
		pthread_join(w.thread, NULL);
		equal((uint32_t)w.ret, (uint32_t)-ECANCELED, "an error ends the wait with ECANCELED");
		equal((uint32_t)chan_wait(&nv, c.id, cell(8), 1, in_ms(WAIT_MS)),
		      (uint32_t)-ECANCELED, "a dead channel is not waited for");
		equal((uint32_t)chan_wait(&nv, c.id, cell(8), 0, 0), 0,
		      "but for the present value");
	}

	check(ch_works(&near) && ch_works(&far), "other channels work");
}

static struct uq user;

static void user_write(uint32_t val)
{
	uint32_t from = user.n;

	u_sem(&user, 7, NVFIFO_MTHD_SEMAPHORE_RELEASE, val);
	u_interrupt(&user);
	u_go(&user, from);
}

static void t_wait_user_queue(void)
{
	int dma;

	world();

	for (dma = 0; dma < 2; dma++) {
		user = dma ? uq_dma() : uq();
		check_waits(user.id, user_write, dma ? "user queue in DMA mode" : "user queue");
		munmap((void *)user.control, PAGE);
	}

	check(ch_works(&near) && ch_works(&far), "other channels work");
}

/* --- The kernel takes it away ----------------------------------------------------------------- */

static volatile bool push_on;
static volatile uint32_t pushed;

static void *push_thread(void *arg)
{
	struct uq *q = arg;

	while (push_on) {
		ring_entry(q, q->push_va, 2);
		ring_bell(q);
		pushed++;
		/* A page that was taken away shows 0, as far as anybody knows. */
		while (push_on && (q->put - q->control[IB_GET]) % (1u << q->order) > 100)
			;
	}

	return NULL;
}

/* The page of a dead channel must not change a new channel with the same number. */
static void page_is_dead(struct uq *q, uint32_t old_hw, bool free, const char *what)
{
	struct drm_nvfifo_channel_query r;
	struct ch fresh[4];
	uint32_t i, bad = 0, k;
	bool same = false;

	/* Another channel gets the number of the dead one. */
	for (i = 0; i < ARRAY_SIZE(fresh); i++)
		fresh[i] = ch_new(&nv, vm);

	for (k = 0; k < 3; k++) {
		for (i = 0; i < PAGE / 4; i++)
			q->control[i] = 0x5a5a0000 + i;
		q->control[IB_PUT] = 3 + k;
		q->control[DMA_PUT] = 0x100000;
	}

	msleep(10);

	for (i = 0; i < ARRAY_SIZE(fresh); i++) {
		need(!chan_query(&nv, fresh[i].id, &r), "CHANNEL_QUERY");
		bad += r.state || r.ib_put || r.put;
		same |= r.hw_id == old_hw;
		bad += !ch_works(&fresh[i]);
		chan_destroy(&nv, fresh[i].id);
	}

	check(!bad && same == free, "%s: the old page reaches no other channel", what);
	check(q->control[5] == 0x5a5a0005, "%s: it is ordinary memory now", what);
}

static void t_destroy(void)
{
	uint32_t round, hw;
	struct uq q;
	pthread_t t;
	void *p;

	world();

	for (round = 0; round < 4; round++) {
		q = uq();
		hw = uq_query(&q).hw_id;
		u_mthd(&q, NVFIFO_MTHD_REF_CNT, 1);
		push_on = true;
		pushed = 0;
		need(!pthread_create(&t, NULL, push_thread, &q), "pthread_create");
		while (pushed < 500 + 300 * round)
			msleep(1);
		check(!chan_destroy(&nv, q.id), "CHANNEL_DESTROY while a thread pushes");
		msleep(20);
		push_on = false;
		pthread_join(t, NULL);
		check(ch_works(&near) && ch_works(&far), "other channels work");
		page_is_dead(&q, hw, true, "destroyed");
		p = control_map(&nv, q.control_offset, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
		check(p == MAP_FAILED, "it cannot be mapped again");
		check(!munmap((void *)q.control, PAGE), "munmap");
		bo_unmap(&q.ring);
		bo_unmap(&q.push);
	}
}

static void dies(struct uq *q, uint32_t error, const char *what)
{
	struct drm_nvfifo_channel_query r;
	uint32_t i;

	for (i = 0; i < WAIT_MS / 10 && !uq_query(q).state; i++)
		msleep(10);

	r = uq_query(q);
	if (!check(r.state == DRM_NVFIFO_CHANNEL_DEAD && r.error == error, "%s: the channel dies",
		   what))
		diag("state %u error %u code %u", r.state, r.error, r.error_code);
	equal((uint32_t)chan_wait(&nv, q->id, cell(9), 1, in_ms(WAIT_MS)), (uint32_t)-ECANCELED,
	      "CHANNEL_WAIT says so");
	check(ch_works(&near) && ch_works(&far), "%s: others work", what);
}

static void t_errors(void)
{
	uint32_t hw;
	struct uq q;

	world();
	q = uq();
	hw = uq_query(&q).hw_id;
	works(&q, "a user queue");
	u_word(&q, ILLEGAL);
	u_go(&q, q.n - 1);
	dies(&q, DRM_NVFIFO_ERROR_PUSHER, "a wrong word");
	page_is_dead(&q, hw, false, "dead of an error");
	uq_end(&q);

	q = uq();
	ring_entry(&q, 0xdead0000, 4);
	ring_bell(&q);
	dies(&q, DRM_NVFIFO_ERROR_PUSHER, "a segment that is not mapped");
	check(uq_query(&q).fault && uq_query(&q).fault_address == 0xdead0000, "the fault is named");
	uq_end(&q);

	q = uq();
	need(!vm_unmap(&nv, vm, q.ring_va, q.ring.size), "VM_BIND");
	ring_entry(&q, q.push_va, 1);
	ring_bell(&q);
	dies(&q, DRM_NVFIFO_ERROR_PUSHER, "a ring that is not mapped");
	check(uq_query(&q).fault && uq_query(&q).fault_address == q.ring_va, "the fault is named");
	uq_end(&q);

	q = uq();
	ring_entry(&q, q.push_va, 0);
	ring_bell(&q);
	dies(&q, DRM_NVFIFO_ERROR_PUSHER, "an entry of no words");
	equal(uq_query(&q).error_code, 5, "IB_EMPTY");
	uq_end(&q);

	q = uq();
	u_mthd(&q, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	u_go(&q, 0);
	dies(&q, DRM_NVFIFO_ERROR_SEMAPHORE, "a release to nowhere");
	uq_end(&q);

	q = uq_dma();
	u_word(&q, RETURN);
	u_go(&q, 0);
	dies(&q, DRM_NVFIFO_ERROR_PUSHER, "a return without a call");
	equal(uq_query(&q).error_code, 3, "RET_SUBR_INACTIVE");
	uq_end(&q);
}

/*
 * An error disables the channel's entry. Its owner must not reach the doorbell any more; the model
 * complains if it does. The owner rings on each processor in turn, so that the driver handles the
 * error on another one.
 */
static void t_bell_of_the_dead(void)
{
	uint32_t i, k;
	cpu_set_t set;
	struct uq q;

	world();

	for (i = 0; i < 20; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % 2, &set);
		need(!sched_setaffinity(0, sizeof(set), &set), "processor %u", i % 2);

		q = uq();
		u_word(&q, ILLEGAL);
		u_go(&q, q.n - 1);

		for (k = 0; k < 1000; k++) {
			ring_entry(&q, q.push_va, 1);
			ring_bell(&q);
		}

		dies(&q, DRM_NVFIFO_ERROR_PUSHER, "a channel whose owner goes on ringing");
		uq_end(&q);
	}
}

static void t_event(void)
{
	struct drm_nvfifo_event_channel_dead ev;
	struct pollfd p = { .events = POLLIN };
	struct drm_nvfifo_channel_create c = {
		.flags = DRM_NVFIFO_CHANNEL_USER_QUEUE | DRM_NVFIFO_CHANNEL_EVENT,
		.user_data = 0x1122334455667788,
	};
	volatile uint32_t *control;
	struct bo ring;

	world();
	ring = sys_bo(&nv, 8ull << nv.lim.ring_order_default);
	c.vm_id = vm;
	c.start = map(&nv, vm, &ring);
	need(!chan_create_args(&nv, &c), "CHANNEL_CREATE");
	control = control_map(&nv, c.control_offset, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	need(control != MAP_FAILED, "mmap");
	control[IB_PUT] = 1;
	p.fd = nv.fd;
	equal((uint32_t)poll(&p, 1, WAIT_MS), 1, "the death of a user queue is an event");
	check(read(nv.fd, &ev, sizeof(ev)) == sizeof(ev) && ev.channel_id == c.id &&
	      ev.user_data == c.user_data && ev.error == DRM_NVFIFO_ERROR_PUSHER && ev.error_code == 5,
	      "that names it");
	munmap((void *)control, PAGE);
}

/* A process that ends in any way ends its queue. */
static void t_exit(void)
{
	uint64_t vram;
	int how, status;
	pid_t pid;

	world();
	vram = vram_free(&other);

	for (how = 0; how < 3; how++) {
		pid = fork();
		need(pid >= 0, "fork");
		if (!pid) {
			struct uq q;

			tap_env_set = false;
			if (!freopen("/dev/null", "w", stdout))
				_exit(3);
			nv_open(&nv);
			vm = new_vm(&nv);
			data = sys_bo(&nv, 4096);
			data_va = map(&nv, vm, &data);
			q = uq_dma();
			u_word(&q, JUMP(q.push_va));
			q.n = 100;
			ring_bell(&q);
			msleep(20);
			if (how == 0)
				raise(SIGKILL);
			if (how == 1)
				close(nv.fd);
			_exit(q.control[DMA_GET] >= (uint32_t)q.push_va + 8);
		}

		waitpid(pid, &status, 0);
		check(how ? WIFEXITED(status) && !WEXITSTATUS(status) : WIFSIGNALED(status),
		      "a process ends with its user queue in an endless loop");
		check(ch_works(&near) && ch_works(&far), "other channels work");
		vram_wait(&other, vram);
		equal(vram_free(&other), vram, "its memory comes back");
	}
}

/* --- Registers of the page ------------------------------------------------------------- */

static void map_refused(struct nv *n, uint64_t offset, size_t size, int prot, int flags,
			const char *what)
{
	void *p = control_map(n, offset, size, prot, flags);

	check(p == MAP_FAILED, "%s is refused", what);
	if (p != MAP_FAILED)
		munmap(p, size);
}

static void on_fault(int sig)
{
	(void)sig;
	_exit(42);
}

static void t_mmap(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	struct uq q, q2;
	int status;
	void *p;
	pid_t pid;

	world();
	q = uq();
	q2 = uq();
	map_refused(&nv, q.control_offset, 2 * PAGE, rw, MAP_SHARED, "a mapping of 8 KiB");
	map_refused(&nv, q.control_offset - PAGE, 2 * PAGE, rw, MAP_SHARED,
		    "it with what is in front of it");
	map_refused(&nv, q.control_offset, 256 * PAGE, rw, MAP_SHARED, "a mapping of 1 MiB");
	map_refused(&nv, q.control_offset, PAGE, rw, MAP_PRIVATE, "a private mapping");
	map_refused(&nv, q.control_offset, PAGE, PROT_READ, MAP_PRIVATE, "a private one to read");
	map_refused(&nv, q.control_offset, PAGE, rw | PROT_EXEC, MAP_SHARED, "code in it");
	map_refused(&other, q.control_offset, PAGE, rw, MAP_SHARED, "another file's page");
	p = control_map(&nv, q.control_offset, PAGE, PROT_READ, MAP_SHARED);
	check(p != MAP_FAILED, "a second mapping, only to read, is not");
	if (p != MAP_FAILED) {
		check(mprotect(p, PAGE, PROT_READ | PROT_EXEC), "it cannot be made code");
		check(mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED, "nor made longer");
		munmap(p, PAGE);
	}

	/* A child has the file, but not the page. */
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		signal(SIGSEGV, on_fault);
		_exit((int)(q.control[IB_PUT] & 1));
	}

	waitpid(pid, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 42, "fork does not copy the mapping");
	works(&q, "the queue works after all that");
	works(&q2, "and the one next to it");
	check(!munmap((void *)q2.control, PAGE), "munmap of a page that is in use");
	q2.control = control_map(&nv, q2.control_offset, PAGE, rw, MAP_SHARED);
	need(q2.control != MAP_FAILED, "it is mapped again");
	works(&q2, "a page that is mapped again");
	uq_end(&q);
	uq_end(&q2);
}

/* Words of the control page, each of which shows only the channel's own state. */
static bool shown(uint32_t i)
{
	return (i >= 0x40 / 4 && i <= 0x60 / 4) || i == 0x88 / 4 || i == 0x8c / 4;
}

static void t_read_page(void)
{
	uint32_t i, marks = 0, other_words = 0, k;
	struct uq q, q2;

	world();
	q = uq();
	q2 = uq();

	for (k = 0; k < 5; k++)
		works(&q2, "a neighbour with marks of its own");

	p_ref(&near, 0xabcdabcd);
	need(ch_run(&near) == 1, "SUBMIT");
	works(&q, "the queue that looks");

	/* The model reports reads of absent registers as violations. */
	violations_allow(true);

	for (i = 0; i < PAGE / 4; i++) {
		uint32_t v = q.control[i];

		marks += v == 0xabcdabcd || v == q2.control[REF] || v == (uint32_t)q2.push_va;
		other_words += v && !shown(i);
	}

	violations_allow(false);
	equal(marks, 0, "nothing of other channels is in the page");
	equal(other_words, 0, "nothing but the pointers is in the page");
	check(q.control[IB_GET] == 1 && q.control[IB_PUT] == 1, "IB_GET and IB_PUT");
	equal(q.control[DMA_GET], (uint32_t)q.push_va + q.n * 4, "DMA_GET");
	uq_end(&q);
	uq_end(&q2);
}

static uint64_t rng_state = 0x1234567;

static uint32_t rnd(uint32_t below)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (uint32_t)(rng_state >> 11) % below;
}

/* Random writes to the page may end only this channel, and it can be destroyed. */
static void t_garbage(void)
{
	static const uint32_t puts[] = { 0xffffffff, 0x80000000, 512, 513, 0x10000, 511 };
	uint32_t i, k, bad = 0;
	struct uq q;

	world();
	violations_allow(true);

	for (i = 0; i < ARRAY_SIZE(puts); i++) {
		q = uq();
		for (k = 0; k < 512; k++)
			ring_entry(&q, q.push_va, 1);
		q.control[IB_PUT] = puts[i];
		bad += !ch_works(&near) + !ch_works(&far);
		q.control[IB_PUT] = 1;
		bad += !!chan_destroy(&nv, q.id);
		munmap((void *)q.control, PAGE);
		bo_unmap(&q.ring);
		bo_unmap(&q.push);
	}

	equal(bad, 0, "IB_PUT outside of the ring: others work, and the channel can be destroyed");

	for (i = 0; i < 12; i++) {
		q = i & 1 ? uq_dma() : uq();
		for (k = 0; k < 8000; k++)
			((volatile uint32_t *)q.push.map)[k] =
				rnd(3) ? (uint32_t)rng_state : cmd_word(rnd(8), rnd(64) * 4, rnd(4));
		for (k = 0; k < 40; k++) {
			if (q.ib && rnd(2))
				ring_entry(&q, q.push_va + rnd(4000) * 4, rnd(100));
			else if (q.ib)
				ring_entry(&q, (uint64_t)rng_state & 0xffffffffff, (uint32_t)rng_state);
			if (rnd(2))
				ring_bell(&q);
			else if (rnd(2))
				q.control[DMA_PUT] = (uint32_t)q.push_va + rnd(8000) * 4 + rnd(2);
			else
				q.control[rnd(PAGE / 4)] = (uint32_t)rng_state;
		}

		for (k = 0; k < PAGE / 4; k++)
			q.control[k] = (uint32_t)rng_state + k;
		bad += !ch_works(&near) + !ch_works(&far);
		bad += !!chan_destroy(&nv, q.id);
		munmap((void *)q.control, PAGE);
		bo_unmap(&q.ring);
		bo_unmap(&q.push);
	}

	violations_allow(false);
	equal(bad, 0, "garbage in page, ring and pushbuffer: others work");
	q = uq();
	works(&q, "another user queue works after all that");
	uq_end(&q);
}

/* An acquire of a value that is never written: others run, and the channel can be destroyed. */
static void t_blocked(void)
{
	struct uq q;

	world();
	q = uq();
	u_sem(&q, 3, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 0x1d1e);
	u_go(&q, 0);
	check(ch_works(&near) && ch_works(&far), "others run while a user queue is blocked");
	msleep(HOLD_MS);
	equal(uq_query(&q).state, DRM_NVFIFO_CHANNEL_ALIVE, "it may stay so");
	*cell(3) = 0x1d1e;
	works(&q, "until its word is written");
	u_sem(&q, 3, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 0x1d1f);
	u_go(&q, q.n - 6);
	uq_end(&q);
	check(ch_works(&near) && ch_works(&far), "others work after it was destroyed");
}

#define HEIRS	64

/* Whether any of the new files can map the page of another file's channel */
static bool heirs_map(uint64_t offset)
{
	uint32_t i, mapped = 0;
	int fds[HEIRS];
	void *p;

	for (i = 0; i < HEIRS; i++) {
		fds[i] = node_open();
		need(fds[i] >= 0, "open: %s", strerror(-fds[i]));
		p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], (off_t)offset);
		if (p == MAP_FAILED)
			continue;

		mapped++;
		munmap(p, PAGE);
	}

	for (i = 0; i < HEIRS; i++)
		close(fds[i]);

	return mapped;
}

/* A process with a user queue, and a channel whose work in PGRAPH does not end */
static void heir_parent(volatile uint64_t *offset)
{
	struct ch busy;
	struct uq q;

	nv_open(&nv);
	vm = new_vm(&nv);
	data = sys_bo(&nv, PAGE);
	data_va = map(&nv, vm, &data);
	busy = ch_new(&nv, vm);
	graph_bind_m2mf(&busy);
	need(ch_run(&busy) == 1, "M2MF is bound");
	q = uq();
	need(!graph_object_new(&nv, q.id, GRAPH_M2MF_HANDLE, 0x5039), "OBJECT_CREATE of M2MF");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&busy, 5, 0x100, 0);
	need(!ch_submit(&busy), "SUBMIT");
	msleep(100);
	*offset = q.control_offset;
	for (;;)
		pause();
}

/*
 * A process with a user queue dies while its channels cannot leave the card. The kernel gives the
 * memory of its file to the next one. No other file can map the control page.
 */
static void t_heirs(void)
{
	volatile uint64_t *offset = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t start = now_ns();
	cpu_set_t all, first;
	pid_t pid;

	if (!ctl_present()) {
		skip("a page without an owner # SKIP only the model can be told to be slow");
		return;
	}

	need(offset != MAP_FAILED, "mmap");

	/* A processor keeps freed memory for its next allocations. */
	need(!sched_getaffinity(0, sizeof(all), &all), "sched_getaffinity");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	need(!sched_setaffinity(0, sizeof(first), &first), "sched_setaffinity");
	world();

	pid = child_fork();
	if (!pid)
		heir_parent(offset);

	while (!*offset && may_come(start))
		;

	need(*offset, "the process has a user queue");
	start = now_ns();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	diag("the process ended after %u ms", ms_since(start));
	check(!heirs_map(*offset), "no new file maps the page of a dead one");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	check(ch_works(&near) && ch_works(&far), "others work");
	sched_setaffinity(0, sizeof(all), &all);
	munmap((void *)offset, PAGE);
}

static void moves_put(struct uq q, const char *mode)
{
	struct drm_nvfifo_channel_query r;
	uint32_t i, from;

	u_sem(&q, 3, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 0x1d1e);
	u_go(&q, 0);

	for (i = 0; i < 400; i++) {
		r = uq_query(&q);
		if (r.state == DRM_NVFIFO_CHANNEL_DEAD)
			break;
		from = q.n;
		u_mthd(&q, NVFIFO_MTHD_REF_CNT, i);
		u_go(&q, from);
		msleep(50);
	}

	check(r.state == DRM_NVFIFO_CHANNEL_DEAD && r.error == DRM_NVFIFO_ERROR_TIMEOUT,
	      "%s: a queue that hangs dies of the time limit though its owner moves PUT", mode);
	check(ch_works(&near) && ch_works(&far), "%s: others work", mode);
	uq_end(&q);
}

/* The owner of a hanging queue moves PUT all the time, which is no progress of the card. */
static void t_moving_put(void)
{
	module_reload("job_timeout_ms=1500");
	world();
	moves_put(uq(), "IB");
	moves_put(uq_dma(), "DMA");
	nv_close(&nv);
	nv_close(&other);
	module_reload("");
}

static void t_user_queue(void)
{
	skip("user queues # SKIP control pages cannot be mapped in this kernel");
}

/* --- The page of a channel that does not run yet ---------------------------------------------- */

#define EARLY_ROUNDS	60

static struct {
	uint64_t offset;		/* of the next control page */
	volatile bool creates;		/* a CHANNEL_CREATE is under way */
	volatile bool stop;
	volatile uint32_t early;	/* mappings before the end of a CHANNEL_CREATE */
} guess;

/* Map the control page as soon as the kernel lets us, and read it. */
static void *early_thread(void *arg)
{
	volatile uint32_t *p;

	while (!guess.stop) {
		p = control_map(&nv, guess.offset, PAGE, PROT_READ, MAP_SHARED);
		if (p == MAP_FAILED)
			continue;

		(void)p[IB_GET];
		guess.early += guess.creates;
		munmap((void *)p, PAGE);
	}

	return arg;
}

/* CHANNEL_CREATE has to wait for a lock that CHANNEL_QUERY holds. */
static void *query_thread(void *arg)
{
	while (!guess.stop)
		ch_query(&near);

	return arg;
}

/*
 * A client knows where the control page of its next channel will be, and maps it during
 * CHANNEL_CREATE. The model reports accesses to the page of a channel that PFIFO does not know.
 */
static void t_early(void)
{
	struct drm_nvfifo_channel_create c = { .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE |
							DRM_NVFIFO_CHANNEL_EVENT };
	pthread_t early, query;
	struct uq first;
	uint32_t i;

	world();
	first = uq();
	guess.offset = first.control_offset;
	c.start = first.ring_va;
	c.vm_id = vm;
	munmap((void *)first.control, PAGE);
	need(!chan_destroy(&nv, first.id), "CHANNEL_DESTROY");
	need(!pthread_create(&query, NULL, query_thread, NULL) &&
	     !pthread_create(&early, NULL, early_thread, NULL), "pthread_create");

	for (i = 0; i < EARLY_ROUNDS; i++) {
		guess.creates = true;
		need(!chan_create_args(&nv, &c), "CHANNEL_CREATE");
		guess.creates = false;
		guess.offset = c.control_offset;
		msleep(1);
		need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	}

	guess.stop = true;
	pthread_join(early, NULL);
	pthread_join(query, NULL);
	diag("%u of %u pages mapped during CHANNEL_CREATE", guess.early, EARLY_ROUNDS);
	check(ch_works(&near) && ch_works(&far), "others work");
	nv_close(&nv);
	nv_close(&other);
}

/* --- PGRAPH's owner with an empty ring -------------------------------------------------------- */

#define VICTIMS	4

/*
 * Bind M2MF, release a word, and then start one long method. It copies 2 GiB, in pieces of two
 * bytes: on the fastest machine that is far more than the hang limit.
 */
static void own_pgraph(struct uq *q)
{
	struct ch words = {
		.nv = &nv, .vm = vm, .id = q->id, .push = q->push, .push_va = q->push_va,
	};
	struct bo lines = sys_bo(&nv, 2 * MIB);
	uint64_t va = map(&nv, vm, &lines);

	graph_bind_m2mf(&words);
	graph_m2mf_format(&words, MIB / 2, 2047, 0);
	p_subc_mthd(&words, 5, 0x324, 0x202);			/* FORMAT */
	p_release(&words, SEM, 0, 1);
	graph_m2mf_launch(&words, va, va + MIB);
	q->n = words.n;
	*cell(0) = 0;
	u_go(q, 0);
	check(poll_word(cell(0), 1), "the word is released before the method ends");

	if (q->ib)
		check(poll_word(&q->control[IB_GET], q->put), "the ring is empty");
	else
		check(poll_word(&q->control[DMA_GET], (uint32_t)q->push_va + q->n * 4),
		      "the pushbuffer is empty");
}

/* The owner of a busy PGRAPH is the one to end, not those that wait for PGRAPH. */
static void owner_ends(uint32_t flags, uint32_t victims)
{
	struct drm_nvfifo_channel_query r;
	struct copier users[VICTIMS];
	uint32_t i, good = 0;
	struct uq q;

	world();

	for (i = 0; i < victims; i++)
		copier_open(&users[i]);

	q = uq_in(DRM_NVFIFO_DOMAIN_SYSTEM, flags, 0);
	own_pgraph(&q);

	for (i = 0; i < victims; i++) {
		struct copier *p = &users[i];

		ch_rewind(&p->ch);
		graph_m2mf_format(&p->ch, PAGE, 1, 0);
		graph_m2mf_launch(&p->ch, p->window_va, p->window_va + PAGE);
		need(!ch_submit(&p->ch), "SUBMIT of a victim");
	}

	for (i = 0; i < victims; i++)
		good += sync_finish(&users[i].nv, users[i].ch.done) == 1;

	equal(good, victims, "jobs that wait for PGRAPH end well");
	r = uq_query(&q);
	check(r.state == DRM_NVFIFO_CHANNEL_DEAD && r.error == DRM_NVFIFO_ERROR_TIMEOUT,
	      "PGRAPH's owner is dead of the time limit");
	uq_end(&q);

	for (i = 0; i < victims; i++)
		nv_close(&users[i].nv);

	nv_close(&other);
	nv_close(&nv);
}

static void t_owner(void)
{
	static const uint32_t modes[] = { 0, DRM_NVFIFO_CHANNEL_DMA_MODE };
	uint32_t i;

	module_reload("job_timeout_ms=1500");

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		owner_ends(modes[i], 1);
		owner_ends(modes[i], VICTIMS);
	}

	module_reload("");
}

static const struct test tests[] = {
	TEST(t_wait_kernel_queue), TEST(t_modes),   TEST(t_silent),    TEST(t_wait_user_queue),
	TEST(t_destroy),	   TEST(t_errors),  TEST(t_bell_of_the_dead), TEST(t_event),     TEST(t_exit),
	TEST(t_mmap),		   TEST(t_blocked), TEST(t_read_page), TEST(t_garbage),
	TEST(t_moving_put),	   TEST(t_heirs),   TEST_ONCE(t_early), TEST_ONCE(t_owner),
};

static const struct test kernel_tests[] = { TEST(t_wait_kernel_queue), TEST(t_user_queue) };

int main(int argc, char **argv)
{
	bool features;

	nv_open(&nv);
	features = nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE;
	nv_close(&nv);
	if (!features)
		return run_tests(argc, argv, kernel_tests, ARRAY_SIZE(kernel_tests));

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
