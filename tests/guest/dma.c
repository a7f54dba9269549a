// SPDX-License-Identifier: MIT
/*
 * DMA mode: the linear buffer of NV04 with jumps, calls and returns. A SUBMIT names the new
 * PUT. The user's commands release the seqno of the SUBMIT themselves.
 *
 *	NVFIFO_SEED=n	other random numbers for the circular buffer
 *	NVFIFO_STEPS=n	more SUBMITs
 *
 * Guards DMA mode (uapi.rst), on each generation.
 */
#include "nvfifo_text.h"
#include "raw.h"

#define SEM	0x1234
#define ILLEGAL	0xffffffff	/* no command of either mode */

static struct nv nv, other;
static uint32_t vm;
static struct ch near, far;	/* witnesses in IB mode: the same address space, another file */
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

static struct lin queue_order(uint32_t order)
{
	struct lin l = lin_order(&nv, vm, order, 64 * KIB);
	int ret = object_dma(&nv, l.id, SEM, data_va, data.size);

	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));
	return l;
}

static struct lin queue(void)
{
	return queue_order(0);
}

static struct drm_nvfifo_channel_query lin_query(struct lin *l)
{
	struct drm_nvfifo_channel_query q;
	int ret = chan_query(&nv, l->id, &q);

	need(!ret, "CHANNEL_QUERY: %s", strerror(-ret));
	return q;
}

static void works_at(int line, struct lin *l, const char *what)
{
	static uint32_t magic = 0x5eed0000;
	struct drm_nvfifo_channel_query q;
	int ret;

	l_mthd(l, NVFIFO_MTHD_REF_CNT, ++magic);
	ret = lin_run(l);
	q = lin_query(l);
	if (!check_at(__FILE__, line, ret == 1 && q.ref == magic && !q.state, "%s", what))
		diag("run gave %d, ref 0x%x is not 0x%x, state %u", ret, q.ref, magic, q.state);
}

#define works(l, what) works_at(__LINE__, l, what)

/* --- Commands ------------------------------------------------------------------- */

static void t_straight(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin l;
	uint32_t i;

	world();
	l = queue();
	q = lin_query(&l);
	check(q.get == l.va && q.put == l.va && q.ring_order == nv.lim.ring_order_default,
	      "GET and PUT are at the start");
	works(&l, "words from GET to PUT are executed");
	q = lin_query(&l);
	check(q.get == lin_at(&l) && q.put == lin_at(&l), "GET has come to PUT");
	check(q.submitted == 1 && q.completed == 1 && l.seqno == 1, "that was SUBMIT 1");
	check(!q.ib_get && !q.ib_put, "there is no ring of entries");
	check(!q.mget_valid && !q.mget, "nor a main buffer");

	for (i = 0; i < 100; i++)
		l_release(&l, SEM, i * 4, i ^ 0xabcd);

	works(&l, "a hundred releases");

	for (i = 0; i < 100 && *cell(i) == (i ^ 0xabcd); i++)
		;

	equal(i, 100, "each wrote its word");
	l_word(&l, 0);
	l_word(&l, cmd_word(3, 0x50, 0));
	works(&l, "commands without data do nothing");

	/* Non-increasing: the same method again and again. */
	l_sem(&l, SEM, 0);
	l_word(&l, 0x40000000 | cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 3));

	for (i = 1; i <= 3; i++)
		l_word(&l, i);

	works(&l, "a non-increasing command");
	equal(*cell(0), 3, "it released thrice, the last time 3");
	check(!chan_destroy(&nv, l.id), "CHANNEL_DESTROY");
	check(ch_works(&near) && ch_works(&far), "channels in IB mode next to it work");
}

/* Back and forth: C jumps to A, A to B, B to the word after C. */
static void jump_back_and_forth(struct lin *l)
{
	uint32_t a = l->n + 32, b = l->n + 16, end = l->n + 48;

	l_word(l, JUMP(l->va + a * 4));
	l->n = a;
	l_release(l, SEM, 0, 0xa);
	l_word(l, OLD_JUMP(l->va + b * 4));
	l->n = b;
	l_acquire(l, SEM, 0, 0xa);
	l_release(l, SEM, 0, 0xb);
	l_word(l, JUMP(l->va + end * 4));
	need(l->n <= a, "the piece is too long");

	l->n = end;
	l_acquire(l, SEM, 0, 0xb);
	l_release(l, SEM, 0, 0xe);
	works(l, "jumps forward and back");
	equal(*cell(0), 0xe, "in the order that they say");
}

static void t_jump(void)
{
	uint64_t high = 0xf0000000;
	struct lin l, h;
	uint32_t i;

	world();
	l = queue();

	for (i = 0; i < 2; i++) {
		uint64_t target = lin_at(&l) + 64;

		l_word(&l, i ? OLD_JUMP(target) : JUMP(target));
		while (lin_at(&l) < target)
			l_word(&l, ILLEGAL);
		l_release(&l, SEM, 4 * i, 0x11 + i);
		works(&l, i ? "an old jump" : "a jump");
		equal(*cell(i), 0x11 + i, "the words after it were executed");
	}

	jump_back_and_forth(&l);

	/* A jump in the middle of a command is data. */
	l_sem(&l, SEM, 0);
	l_mthd(&l, NVFIFO_MTHD_SEMAPHORE_RELEASE, JUMP(0xdead0000));
	l_mthd(&l, NVFIFO_MTHD_REF_CNT, RETURN);
	works(&l, "data that looks like a jump");
	equal(*cell(0), JUMP(0xdead0000), "is data");

	/* Jumps have 32 bits, old ones 29. */
	h = l;
	h.buf = sys_bo(&nv, 4096);
	h.va = high;
	h.n = 0;
	need(!vm_map_at(&nv, vm, &h.buf, high, 0, 0), "VM_BIND");

	l_word(&l, JUMP(high));
	l_release(&h, SEM, 0, 0x44);
	l_word(&h, OLD_JUMP(lin_at(&l)));
	works(&l, "a jump to near 4 GiB and back");
	equal(*cell(0), 0x44, "the words there were executed");

	/* PUT is there, and the next SUBMIT continues from it. */
	l_word(&l, JUMP(lin_at(&h)));
	h.seqno = l.seqno;
	works(&h, "PUT near 4 GiB");
	equal(lin_query(&l).get, lin_at(&h), "GET is near 4 GiB");
	l_word(&h, JUMP(lin_at(&l)));
	l.seqno = h.seqno;
	works(&l, "and PUT back");
}

static void t_call(void)
{
	struct drm_nvfifo_channel_query q;
	uint32_t sub, i;
	struct lin l;

	world();
	l = queue();

	/* The subroutine lies after the commands, and contains a jump. */
	sub = 4096;
	l.n = sub;
	l_acquire(&l, SEM, 0, 1);
	l_word(&l, JUMP(lin_at(&l) + 32));

	for (i = 0; i < 7; i++)
		l_word(&l, ILLEGAL);

	l_release(&l, SEM, 0, 2);
	l_word(&l, RETURN);
	l_word(&l, ILLEGAL);
	l.n = 0;

	for (i = 0; i < 20; i++) {
		l_release(&l, SEM, 0, 1);
		l_word(&l, CALL(l.va + sub * 4));
		l_acquire(&l, SEM, 0, 2);
	}

	l_release(&l, SEM, 4, 20);
	works(&l, "twenty calls of a subroutine");
	equal(*cell(1), 20, "all returned");
	q = lin_query(&l);
	equal(q.dma_state & 1u << 17, 0, "and none is active");

	/* PUT is in the subroutine; the commands after the call are written later. */
	l_release(&l, SEM, 0, 1);
	l_word(&l, CALL(l.va + 5000 * 4));
	i = l.n;
	l.n = 5000;
	l_mthd(&l, NVFIFO_MTHD_REF_CNT, 0x77);
	works(&l, "PUT in a subroutine");
	q = lin_query(&l);
	check(q.dma_state & 1u << 17, "CHANNEL_QUERY says that one is active");
	equal(q.subroutine, l.va + i * 4, "and where it returns to");
	equal(q.get, lin_at(&l), "and where GET is");
	l_word(&l, RETURN);
	l.n = i;
	works(&l, "it returns in the next SUBMIT");
	equal(lin_query(&l).dma_state & 1u << 17, 0, "none is active any more");
}

/* A command may be cut by PUT; its fence comes with a later SUBMIT. */
static void t_cut(void)
{
	struct drm_nvfifo_channel_query q;
	int64_t start;
	struct lin l;

	world();
	l = queue();

	/* Subchannel 5 has no meaning below 0x100, but it is remembered. */
	l_sem(&l, SEM, 0);
	l_word(&l, 0x40000000 | cmd_word(5, NVFIFO_MTHD_REF_CNT, 3));
	l_word(&l, 0x100);
	need(!lin_submit(&l), "SUBMIT");

	start = now_ns();
	while (lin_query(&l).get != lin_at(&l) && may_come(start))
		;

	q = lin_query(&l);
	equal(q.get, lin_at(&l), "the pusher came to the middle of a command");
	equal(q.method_count, 2, "it waits for two more words");
	equal(q.dma_state, 1u | NVFIFO_MTHD_REF_CNT | 5u << 13, "non-increasing, of that method");
	check(!lin_has_ended(&l, 1), "no number is released");
	check(ch_works(&near), "another channel works meanwhile");
	q = lin_query(&l);
	check(q.method_count == 2 && q.dma_state == (1u | NVFIFO_MTHD_REF_CNT | 5u << 13) && !q.loaded,
	      "the state survives that it is switched off");
	l_word(&l, 0x101);
	l_word(&l, 0x102);
	works(&l, "the next SUBMIT brings the rest of the command");
	check(lin_has_ended(&l, 1), "its number ends the first SUBMIT too");
	equal(lin_query(&l).method_count, 0, "nothing is missing any more");

	/* Increasing: after the cut the command continues with the next method. */
	l_word(&l, cmd_word(2, NVFIFO_MTHD_DMA_SEMAPHORE, 4));
	l_word(&l, SEM);
	l_word(&l, 8);
	need(!lin_submit(&l), "SUBMIT");

	start = now_ns();
	while (lin_query(&l).get != lin_at(&l) && may_come(start))
		;

	q = lin_query(&l);
	check(q.method_count == 2 && q.dma_state == (0x68u | 2u << 13), "an increasing one, cut");

	*cell(2) = 0x55;
	l_word(&l, 0x55);
	l_word(&l, 0x56);
	works(&l, "acquire and release are its other half");
	equal(*cell(2), 0x56, "it released");
}

/* --- A circular buffer ------------------------------------------------------------- */

static uint64_t rng_state;

static uint32_t rnd(uint32_t below)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (uint32_t)(rng_state >> 11) % below;
}

#define RING_WORDS	2048
#define SUBS		5
#define SUB_WORDS	64
#define ROOM		160		/* words that a SUBMIT writes at most, with a wrap */
#define IN_FLIGHT	64
#define CELLS		1000

struct circle {
	struct lin l;
	struct bo subs;
	uint64_t subs_va;
	uint64_t written[IN_FLIGHT];	/* words until the end of SUBMIT n, by n % IN_FLIGHT */
	uint32_t calls, jumps, wraps;
};

/* Subroutine i takes cell CELLS + i from 1 to 2, a longer way for some. */
static void circle_subs(struct circle *c)
{
	struct lin s = c->l;
	uint32_t i;

	c->subs = sys_bo(&nv, SUBS * SUB_WORDS * 4);
	c->subs_va = map(&nv, vm, &c->subs);
	s.buf = c->subs;
	s.va = c->subs_va;

	for (i = 0; i < SUBS; i++) {
		s.n = i * SUB_WORDS;
		l_acquire(&s, SEM, (CELLS + i) * 4, 1);
		if (i & 1) {
			l_word(&s, JUMP(s.va + (i * SUB_WORDS + 32) * 4));
			l_word(&s, ILLEGAL);
			s.n = i * SUB_WORDS + 32;
		}

		l_release(&s, SEM, (CELLS + i) * 4, 2);
		l_word(&s, RETURN);
		l_word(&s, ILLEGAL);
	}
}

static uint64_t circle_total(const struct circle *c)
{
	return (uint64_t)c->wraps * RING_WORDS + c->l.n;
}

/* Wait until @words can be written without overwriting words that the pusher has not read. */
static void circle_room(struct circle *c, uint32_t words)
{
	uint64_t n = c->l.seqno >= IN_FLIGHT ? c->l.seqno - IN_FLIGHT + 1 : 1;

	/* The oldest SUBMIT that ends after the overwritten range must have ended. */
	while (n < c->l.seqno && c->written[n % IN_FLIGHT] + RING_WORDS < circle_total(c) + words)
		n++;

	if (c->l.seqno)
		need(lin_finish(&c->l, n) == 1, "SUBMIT %llu ends",
		     (unsigned long long)n);
}

/* To the start, if less than @words are left; any number of skipped words is garbage. */
static void circle_turn(struct circle *c, uint32_t words)
{
	if (RING_WORDS - c->l.n > words)
		return;
	l_word(&c->l, c->wraps & 1 ? OLD_JUMP(c->l.va) : JUMP(c->l.va));
	while (c->l.n < RING_WORDS)
		l_word(&c->l, ILLEGAL);
	c->l.n = 0;
	c->wraps++;
}

static void circle_submit(struct circle *c, uint64_t number)
{
	uint32_t i, at = (uint32_t)(number % CELLS), w[16], n;

	circle_room(c, ROOM);

	/* Acquire the number of the SUBMIT before, so that a wrong order blocks the channel. */
	circle_turn(c, 8);
	if (number > 1)
		l_acquire(&c->l, SEM, (uint32_t)((number - 1) % CELLS) * 4, (uint32_t)number - 1);

	for (i = rnd(3); i; i--) {
		uint32_t sub = rnd(SUBS);

		circle_turn(c, 16);
		l_release(&c->l, SEM, (CELLS + sub) * 4, 1);
		l_word(&c->l, CALL(c->subs_va + sub * SUB_WORDS * 4));
		l_acquire(&c->l, SEM, (CELLS + sub) * 4, 2);
		c->calls++;
	}

	if (!rnd(4)) {
		uint32_t gap = rnd(20);

		circle_turn(c, 24);
		l_word(&c->l, rnd(2) ? JUMP(lin_at(&c->l) + 4 + gap * 4) :
				       OLD_JUMP(lin_at(&c->l) + 4 + gap * 4));
		while (gap--)
			l_word(&c->l, ILLEGAL);
		c->jumps++;
	}

	circle_turn(c, 8);
	l_release(&c->l, SEM, at * 4, (uint32_t)number);

	/* A sequence of commands goes over the wrap, one command cannot. */
	n = fence_words(&nv, number, w);

	for (i = 0; i < n; i += 1 + (w[i] >> 18 & 0x7ff)) {
		uint32_t k, len = 1 + (w[i] >> 18 & 0x7ff);

		circle_turn(c, len);
		for (k = 0; k < len; k++)
			l_word(&c->l, w[i + k]);
	}

	c->written[number % IN_FLIGHT] = circle_total(c);
	need(!lin_submit(&c->l), "SUBMIT %llu", (unsigned long long)number);
	need(c->l.seqno == number, "SUBMIT %llu is number %llu", (unsigned long long)number,
	     (unsigned long long)c->l.seqno);
}

static void t_circle(void)
{
	const char *env = getenv("NVFIFO_STEPS");
	struct drm_nvfifo_channel_query q;
	uint32_t steps, good = 0, i;
	struct circle c = { 0 };

	world();
	steps = 300;
	if (nv.dev.chipset == 0x84)
		steps = 3000;
	else if (nv.dev.chipset == 0x50)
		steps = 1500;

	if (env)
		steps = (uint32_t)nvfifo_text_value(env, 0);

	env = getenv("NVFIFO_SEED");
	rng_state = env ? nvfifo_text_value(env, 0) : 0x1234567;
	diag("NVFIFO_SEED=%llu NVFIFO_STEPS=%u", (unsigned long long)rng_state, steps);
	c.l = queue();
	circle_subs(&c);

	for (i = 1; i <= steps; i++) {
		circle_submit(&c, i);
		if (i % 1000 == 0)
			need(ch_works(&near), "another channel works meanwhile");
	}

	equal((uint32_t)lin_finish(&c.l, steps), 1,
	      "a circular buffer: all SUBMITs end");
	q = lin_query(&c.l);
	check(q.state == DRM_NVFIFO_CHANNEL_ALIVE && q.submitted == steps && q.completed == steps,
	      "the channel is alive and has done all of them");
	equal(q.get, lin_at(&c.l), "GET is at the last PUT");

	for (i = steps > CELLS ? steps - CELLS + 1 : 1; i <= steps; i++)
		good += *cell(i % CELLS) == i;

	equal(good, steps > CELLS ? CELLS : steps, "each of the last wrote its number");
	check(c.wraps > steps / 100 && c.calls > steps / 2 && c.jumps > steps / 10,
	      "%u wraps, %u calls, %u jumps", c.wraps, c.calls, c.jumps);
}

/* --- The queue ------------------------------------------------------------------------ */

static int lin_try(struct lin *l, uint32_t wait)
{
	struct drm_nvfifo_sync s = sync_wait_for(wait);
	struct drm_nvfifo_entry e = { .address = lin_at(l) };
	struct drm_nvfifo_submit sub = {
		.channel_id = l->id,
		.flags = DRM_NVFIFO_SUBMIT_TRY,
		.entries = { sizeof(e), 1, (uintptr_t)&e },
		.syncs = { sizeof(s), wait ? 1 : 0, (uintptr_t)&s },
	};
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub);

	if (!ret)
		l->seqno = sub.seqno;

	return ret;
}

/* A SUBMIT that releases one number. If it is refused, returns -errno and removes the words. */
static int one_try(struct lin *l)
{
	uint32_t n = l->n;
	int ret;

	l_fence(l);
	ret = lin_try(l, 0);
	if (ret)
		l->n = n;

	return ret;
}

#define LATE	4

static void t_full(void)
{
	uint32_t order, max, i, bad = 0;
	struct drm_nvfifo_channel_query q;
	struct lin l;
	int ret;

	world();
	order = nv.lim.ring_order_min;
	max = (1u << order) - 1;
	l = queue_order(order);
	l_acquire(&l, SEM, 0, 1);

	for (i = 0; i < max; i++)
		bad += !!one_try(&l);

	equal(bad, 0, "SUBMIT_TRY takes as many SUBMITs as the order says");
	refused(one_try(&l), EAGAIN, "one more SUBMIT_TRY");
	q = lin_query(&l);
	check(q.submitted == max && q.put == lin_at(&l), "nor did it move PUT");

	for (i = 0, ret = 0; i < LATE; i++) {
		l_fence(&l);
		ret |= lin_submit(&l);
	}

	equal((uint32_t)ret, 0, "SUBMIT without TRY queues more");
	q = lin_query(&l);
	check(q.submitted == max + LATE && q.put < lin_at(&l),
	      "they are counted, and PUT waits");
	refused(one_try(&l), EAGAIN, "SUBMIT_TRY after a waiting job");
	equal(q.completed, 0, "nothing has ended");
	*cell(0) = 1;
	equal((uint32_t)lin_finish(&l, max + LATE), 1, "released, the last ends");
	equal(lin_query(&l).completed, max + LATE, "and so have all the others");
	equal((uint32_t)one_try(&l), 0, "SUBMIT_TRY finds room again");
	equal((uint32_t)lin_finish(&l, l.seqno), 1, "and ends");
	works(&l, "the channel works");
}

/* A SUBMIT that waits for a fence delays later ones of the same channel only. */
static void t_order(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin l;
	struct ch b;
	uint64_t put;

	world();
	l = queue();
	b = ch_new(&nv, vm);
	new_object(&b, SEM, data_va, data.size);
	p_acquire(&b, SEM, 0, 1);
	need(!ch_submit(&b), "SUBMIT");
	works(&l, "a channel while another is blocked");

	put = lin_at(&l);
	l_release(&l, SEM, 4, 1);
	l_fence(&l);
	refused(lin_try(&l, b.done), EAGAIN, "SUBMIT_TRY that had to wait for a fence");
	need(!lin_submit_when(&l, b.done), "SUBMIT");

	l_acquire(&l, SEM, 4, 1);
	l_release(&l, SEM, 4, 2);
	l_fence(&l);
	need(!lin_submit(&l), "SUBMIT");
	l_mthd(&l, NVFIFO_MTHD_REF_CNT, 0x3333);
	l_fence(&l);
	need(!lin_submit_when(&l, b.done), "SUBMIT");
	msleep(HOLD_MS);
	q = lin_query(&l);
	check(q.put == put && q.submitted == 4 && q.completed == 1, "PUT waits for the fence");
	equal(*cell(1), 0, "nothing was executed");
	*cell(0) = 1;
	equal((uint32_t)lin_finish(&l, 4), 1, "then all end");
	equal(*cell(1), 2, "in order");
	equal(lin_query(&l).ref, 0x3333, "up to the last");
}

/* A channel may release numbers that it has not submitted, but only its owner is misled. */
static void t_lies(void)
{
	struct drm_nvfifo_sync s;
	struct lin l, m;
	uint32_t a;

	world();
	l = queue();
	m = queue();
	a = sync_new(&nv);
	s = sync_signal(a);
	refused(lin_put(&l, lin_at(&l), &s, 1), EOPNOTSUPP, "SUBMIT that signals a syncobj");
	check(!sync_has_fence(&nv, a), "it left no fence");
	l_acquire(&m, SEM, 0, 1);
	l_fence(&m);
	need(!lin_submit(&m), "SUBMIT");

	l.seqno = 100;
	l_fence(&l);
	l.seqno = 0;
	need(!lin_submit(&l), "SUBMIT");
	equal((uint32_t)lin_finish(&l, 1), 1, "SUBMIT 1 ends when 101 is released");
	equal((uint32_t)lin_submit(&l), 0, "SUBMIT of nothing");
	equal((uint32_t)lin_finish(&l, 2), 1, "SUBMIT 2 has ended already, it seems");
	check(!lin_has_ended(&l, 3), "one that does not exist has not");
	check(!lin_has_ended(&m, 1), "those of other channels have not");
	*cell(0) = 1;
	equal((uint32_t)lin_finish(&m, 1), 1, "until they are released");
	check(ch_works(&near) && ch_works(&far), "other channels work");
	check(!chan_destroy(&nv, l.id), "CHANNEL_DESTROY");
}

/* --- Errors ------------------------------------------------------------------------------ */

enum { CALL_ACTIVE = 1, BAD_MTHD, RET_INACTIVE, BAD_CMD, EMPTY, FAULT };

static struct drm_nvfifo_channel_query dies_at(int line, struct lin *l, uint32_t code,
					       const char *what)
{
	struct drm_nvfifo_channel_query q, later;
	int64_t start = now_ns();
	int ret;

	ret = lin_submit(l);
	if (!ret)
		ret = lin_finish(l, l->seqno);

	if (!check_at(__FILE__, line, ret == -ECANCELED, "%s: it ends with ECANCELED", what))
		diag("it ended with %d", ret);

	/* The driver kills the channel, then unloads it. After that nothing changes. */
	do
		q = lin_query(l);
	while (q.completed != q.submitted && may_come(start));

	if (!check_at(__FILE__, line,
		      q.state == DRM_NVFIFO_CHANNEL_DEAD &&
			      q.error == DRM_NVFIFO_ERROR_PUSHER && q.error_code == code,
		      "%s: dead of %s", what, nvfifo_pusher_error_name(code)))
		diag("state %u error %u code %u", q.state, q.error, q.error_code);
	check_at(__FILE__, line, q.dma_state >> 29 == code, "%s: DMA_STATE has the code", what);
	refused_at(__FILE__, line, lin_submit(l), ECANCELED, "SUBMIT after it died");
	check_at(__FILE__, line, ch_works(&near) && ch_works(&far), "%s: others work", what);
	later = lin_query(l);
	check_at(__FILE__, line, !memcmp(&q, &later, sizeof(q)), "%s: QUERY says the same later",
		 what);
	check_at(__FILE__, line, !chan_destroy(&nv, l->id), "%s: CHANNEL_DESTROY", what);

	return q;
}

#define dies(l, code, what) dies_at(__LINE__, l, code, what)

static void t_call_in_call(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin l, alive;
	uint64_t back, get;

	world();
	l = queue();
	alive = queue();
	l_word(&l, CALL(l.va + 1024));
	back = lin_at(&l);
	l.n = 256;
	l_word(&l, CALL(l.va));
	get = lin_at(&l);
	l_fence(&l);
	q = dies(&l, CALL_ACTIVE, "call in a subroutine");
	check(q.dma_state & 1u << 17, "the subroutine is active");
	equal(q.subroutine, back, "it would have returned there");
	equal(q.get, get, "GET is after the second call");
	equal(q.fault, 0, "no fault");
	works(&alive, "another queue in DMA mode works");
}

static void t_return(void)
{
	struct drm_nvfifo_channel_query q;
	uint64_t get;
	struct lin l;

	world();
	l = queue();
	l_word(&l, RETURN);
	get = lin_at(&l);
	l_fence(&l);
	q = dies(&l, RET_INACTIVE, "return without a call");
	equal(q.get, get, "GET is after it");

	l = queue();
	l_word(&l, CALL(l.va + 1024));
	l_word(&l, RETURN);
	get = lin_at(&l);
	l.n = 256;
	l_word(&l, RETURN);
	l_fence(&l);
	q = dies(&l, RET_INACTIVE, "second return from one call");
	equal(q.get, get, "GET is after that");
	equal(q.dma_state & 1u << 17, 0, "no subroutine is active");
}

static void t_bad_words(void)
{
	static const uint32_t words[] = {
		ILLEGAL, 0x00030100, 0x60000100, 0x80000100, 0xa0000100, 0xc0000100, 0xe0000100,
		0x00000003, 0x40010100,
	};
	struct drm_nvfifo_channel_query q;
	struct lin l;
	size_t i;

	world();

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		char what[64];

		snprintf(what, sizeof(what), "word 0x%08x", words[i]);
		l = queue();
		l_mthd(&l, NVFIFO_MTHD_REF_CNT, 0x1000 + (uint32_t)i);
		l_word(&l, words[i]);
		l_fence(&l);
		q = dies(&l, BAD_CMD, what);
		equal(q.error_data, words[i], "it is named");
		equal(q.ref, 0x1000 + i, "the words before it were executed");
	}

	l = queue();
	l_word(&l, cmd_word(3, 0x04, 2));
	l_word(&l, 0x1234);
	l_fence(&l);
	q = dies(&l, BAD_MTHD, "method 4");
	equal(q.error_method, 3u << 13 | 4, "subchannel and method are named");
	equal(q.error_data, 0x1234, "and its data");
}

static void t_past_the_end(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin l, top;
	uint64_t put;

	world();
	/* PUT is past the mapping. */
	l = queue();
	l.n = 0;
	l_word(&l, JUMP(l.va + l.buf.size - 8));
	l.n = (uint32_t)l.buf.size / 4 - 2;
	l_word(&l, 0);
	l_word(&l, 0);
	put = lin_at(&l) + 64;
	equal((uint32_t)lin_put(&l, put, NULL, 0), 0, "PUT past the buffer is taken");
	l.n = 0;
	equal((uint32_t)lin_finish(&l, l.seqno), (uint32_t)-ECANCELED, "it ends with ECANCELED");
	q = lin_query(&l);
	check(q.error == DRM_NVFIFO_ERROR_PUSHER && q.error_code == FAULT && q.fault &&
	      q.fault_address == l.va + l.buf.size && !q.fault_write &&
	      q.fault_client == 8 && !q.fault_slot, "a fault at the end of the buffer");
	equal(q.put, put, "PUT is where it was put");
	check(ch_works(&near) && ch_works(&far), "others work");

	l = queue();
	l_word(&l, JUMP(0xdead0000));
	l_fence(&l);
	q = dies(&l, FAULT, "jump to where nothing is");
	check(q.fault && q.fault_address == 0xdead0000, "the fault is there");

	l = queue();
	l_word(&l, CALL(0x8000000));
	l_fence(&l);
	q = dies(&l, FAULT, "call of where nothing is");
	check(q.fault && q.fault_address == 0x8000000 && q.dma_state & 1u << 17,
	      "the fault is there, in a subroutine");

	/* The last words below 4 GiB can be used, those above cannot. */
	l = queue();
	top = l;
	top.buf = sys_bo(&nv, 8192);
	top.va = 4 * GIB - 4096;
	need(!vm_map_at(&nv, vm, &top.buf, top.va, 0, 0), "VM_BIND");
	l_word(&l, JUMP(4 * GIB - 64));
	top.n = 1024 - 16;
	l_mthd(&top, NVFIFO_MTHD_REF_CNT, 0x70b);
	while (top.n < 1023)
		l_word(&top, 0);
	l_word(&top, JUMP(lin_at(&l)));
	works(&l, "words up to 4 GiB");
	l_word(&l, JUMP(4 * GIB - 4));
	top.n = 1023;
	l_word(&top, 0);
	l_mthd(&top, NVFIFO_MTHD_REF_CNT, 0xbad);
	l_fence(&l);
	q = dies(&l, FAULT, "words past 4 GiB, although they are mapped");
	check(q.get >= 4 * GIB - 4 && q.get <= 4 * GIB + 4, "GET is at 4 GiB");
	check(q.ref != 0xbad, "they were not executed");
}

/* Errors of the puller are the same as in IB mode. */
static void t_puller_errors(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin l;

	world();
	l = queue();
	l_word(&l, cmd_word(2, 0, 1));
	l_word(&l, 0x777);
	l_fence(&l);
	need(!lin_submit(&l), "SUBMIT");
	equal((uint32_t)lin_finish(&l, l.seqno), (uint32_t)-ECANCELED, "an unknown object");
	q = lin_query(&l);
	check(q.error == DRM_NVFIFO_ERROR_CACHE && q.error_method == 2u << 13 &&
	      q.error_data == 0x777, "is a CACHE error of that handle");
	check(ch_works(&near) && ch_works(&far), "others work");

	l = queue();
	l_mthd(&l, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	l_fence(&l);
	need(!lin_submit(&l), "SUBMIT");
	equal((uint32_t)lin_finish(&l, l.seqno), (uint32_t)-ECANCELED, "release of nothing");
	q = lin_query(&l);
	check(q.error == DRM_NVFIFO_ERROR_SEMAPHORE && q.error_code == 2,
	      "is a SEMAPHORE error, INVALID_STATE");
	check(ch_works(&near) && ch_works(&far), "others work");
}

/* Destroyed, or its file closed, while it is in a loop. */
static void t_endless(void)
{
	struct lin l, m;
	struct nv n;
	int k;

	world();

	for (k = 0; k < 2; k++) {
		l = queue();
		l_word(&l, JUMP(l.va));
		l_fence(&l);
		need(!lin_submit(&l), "SUBMIT");
		check(ch_works(&near) && ch_works(&far), "others work next to an endless loop");
		check(!lin_has_ended(&l, l.seqno), "which does not end");
		check(!chan_destroy(&nv, l.id), "CHANNEL_DESTROY ends it");
	}

	nv_open(&n);
	m = lin_order(&n, new_vm(&n), 0, 4096);
	l_word(&m, JUMP(m.va));
	l_fence(&m);
	need(!lin_submit(&m), "SUBMIT");
	nv_close(&n);
	check(ch_works(&near) && ch_works(&far), "others work after the file of one is closed");
}

/* No number is released: the watchdog ends the channel. */
static void t_silent(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin l;

	module_reload("job_timeout_ms=1500");
	world();
	l = queue();
	l_mthd(&l, NVFIFO_MTHD_REF_CNT, 9);
	need(!lin_submit(&l), "SUBMIT");
	equal((uint32_t)lin_finish(&l, l.seqno), (uint32_t)-ECANCELED,
	      "a SUBMIT whose commands release no number ends with ECANCELED");
	q = lin_query(&l);
	check(q.error == DRM_NVFIFO_ERROR_TIMEOUT && q.ref == 9 && q.get == lin_at(&l),
	      "after a time, although all was executed");
	check(ch_works(&near) && ch_works(&far), "others work");
}

/* Close the file with work of all kinds: nothing may leak, and the module must unload. */
static void t_many(void)
{
	struct lin l[20];
	uint32_t i, bad = 0;

	world();

	for (i = 0; i < ARRAY_SIZE(l); i++)
		l[i] = queue_order(i & 1 ? nv.lim.ring_order_min : nv.lim.ring_order_max);

	/* A ring: each waits for the one before it. */
	for (i = 1; i < ARRAY_SIZE(l); i++) {
		l_acquire(&l[i], SEM, 4 * (i - 1), 1);
		l_release(&l[i], SEM, 4 * i, 1);
		l_fence(&l[i]);
		bad += !!lin_submit(&l[i]);
	}

	l_release(&l[0], SEM, 0, 1);
	l_fence(&l[0]);
	bad += !!lin_submit(&l[0]);

	for (i = 0; i < ARRAY_SIZE(l); i++)
		bad += lin_finish(&l[i], l[i].seqno) != 1;

	equal(bad, 0, "twenty channels in DMA mode wait for one another");

	for (i = 0; i < ARRAY_SIZE(l); i++) {
		l_acquire(&l[i], SEM, 4 * i, 2);
		l_fence(&l[i]);
		bad += !!lin_submit(&l[i]);
	}

	equal(bad, 0, "and are left in the middle of their work");
}

static const struct test tests[] = {
	TEST(t_straight),     TEST(t_jump),	    TEST(t_call),	  TEST(t_cut),
	TEST(t_circle),	      TEST(t_full),	    TEST(t_order),	  TEST(t_lies),
	TEST(t_call_in_call), TEST(t_return),	    TEST(t_bad_words),	  TEST(t_past_the_end),
	TEST(t_puller_errors), TEST_ONCE(t_endless),	    TEST_ONCE(t_many),	  TEST(t_silent),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
