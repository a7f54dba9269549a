// SPDX-License-Identifier: MIT
/*
 * SUBMIT of correct pushbuffers: every method of PFIFO, every form of submission, and memory
 * that is visible to the card after VM_BIND.
 *
 * Guards SUBMIT and the methods of PFIFO (uapi.rst), on each generation.
 */
#include "raw.h"

static struct nv nv;
static uint32_t vm;
static struct ch ch;
static struct bo data;
static uint64_t data_va;

#define SEM 0x1234		/* DMA object over the data BO */

enum ring { RING_DEFAULT, RING_MIN, RING_MAX };

static void world_ring(enum ring ring)
{
	uint32_t order = 0;

	nv_open(&nv);
	vm = new_vm(&nv);
	if (ring == RING_MIN)
		order = nv.lim.ring_order_min;
	else if (ring == RING_MAX)
		order = nv.lim.ring_order_max;

	ch = ch_order(&nv, vm, order);
	data = sys_bo(&nv, 64 * KIB);
	data_va = map(&nv, vm, &data);
	new_object(&ch, SEM, data_va, data.size);
}

static void world(void)
{
	world_ring(RING_DEFAULT);
}

static volatile uint32_t *word(const struct bo *bo, uint64_t offset)
{
	return (volatile uint32_t *)bo->map + offset / 4;
}

/* The channel must have died of this VM fault, and the fault record must show it. */
static void died_of_fault(struct ch *c, uint32_t error, uint32_t code, uint64_t address,
			  uint32_t client, uint32_t slot, bool write, const char *what)
{
	struct drm_nvfifo_channel_query q = ch_query(c);
	uint32_t reason = q.fault_reason;

	if (!check(q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == error && q.error_code == code,
		   "%s: dead of error %u code %u", what, error, code))
		diag("state %u error %u code 0x%x method 0x%x data 0x%x", q.state, q.error,
		     q.error_code, q.error_method, q.error_data);
	if (!check(q.fault && q.fault_address == address && q.fault_client == client &&
		   q.fault_slot == slot && q.fault_write == write, "%s: the fault is recorded",
		   what))
		diag("fault %u at 0x%llx (not 0x%llx) engine %u client %u slot %u reason %u write %u",
		     q.fault, (unsigned long long)q.fault_address, (unsigned long long)address,
		     q.fault_engine, q.fault_client, q.fault_slot, reason, q.fault_write);
	check(q.fault_engine == NVFIFO_VM_PFIFO || q.fault_engine == NVFIFO_VM_SEMAPHORE_BG,
	      "%s: the fault is PFIFO's", what);
}

static bool reason_is_absent(struct ch *c)
{
	struct drm_nvfifo_channel_query q = ch_query(c);

	return q.fault_reason == NVFIFO_FAULT_PT_NOT_PRESENT ||
	       q.fault_reason == NVFIFO_FAULT_PT_TOO_SHORT ||
	       q.fault_reason == NVFIFO_FAULT_PAGE_NOT_PRESENT;
}

/* --- Methods ------------------------------------------------------------------ */

static void t_ref_cnt(void)
{
	struct drm_nvfifo_channel_query q;

	world();
	p_ref(&ch, 0xdeadbeef);
	equal((uint32_t)ch_run(&ch), 1, "SUBMIT of a REF_CNT ends");
	equal(ch.seqno, 1, "it is number 1");
	q = ch_query(&ch);
	equal(q.ref, 0xdeadbeef, "REF");
	check(q.submitted == 1 && q.completed == 1, "one submitted, one completed");
	check(q.ib_get == q.ib_put && q.ib_put > 0, "IB_GET has reached IB_PUT");
	check(q.get == q.put, "GET has reached PUT");
	check(q.state == DRM_NVFIFO_CHANNEL_ALIVE && !q.error && !q.fault, "no error");
	p_ref(&ch, 0);
	equal((uint32_t)ch_run(&ch), 1, "another");
	equal(ch.seqno, 2, "it is number 2");
	equal(ch_query(&ch).ref, 0, "REF again");
}

static void t_command_forms(void)
{
	uint32_t i;

	world();
	p_word(&ch, 0);				/* increasing, count 0 */
	p_word(&ch, 0x40000000);		/* non-increasing, count 0 */
	p_word(&ch, 0x40000000 | cmd_word(0, NVFIFO_MTHD_REF_CNT, 3));

	for (i = 1; i <= 3; i++)
		p_word(&ch, i);

	equal((uint32_t)ch_run(&ch), 1, "non-increasing command");
	equal(ch_query(&ch).ref, 3, "its last word counts");

	p_word(&ch, 0x00030000 | NVFIFO_MTHD_REF_CNT);
	p_word(&ch, 4000);

	for (i = 1; i <= 4000; i++)
		p_word(&ch, 0x10000 + i);

	p_word(&ch, 0x00030000 | NVFIFO_MTHD_REF_CNT);
	p_word(&ch, 0);				/* of no words */
	equal((uint32_t)ch_run(&ch), 1, "long non-increasing command");
	equal(ch_query(&ch).ref, 0x10000 + 4000, "its last word counts");

	p_ref(&ch, 1);
	p_word(&ch, 0x00010000);		/* no position of the SLI mask */
	p_ref(&ch, 2);
	p_word(&ch, 0x00010010);		/* the first */
	equal((uint32_t)ch_run(&ch), 1, "SLI conditional");
	equal(ch_query(&ch).ref, 1, "methods for other cards are left out");
	p_ref(&ch, 5);
	equal((uint32_t)ch_run(&ch), 1, "after it");
	equal(ch_query(&ch).ref, 5, "methods for this card are executed again");

	p_mthd(&ch, NVFIFO_MTHD_YIELD, 0);
	if (nv.g84) {
		p_mthd(&ch, NVFIFO_MTHD_WRCACHE_FLUSH, 0);
		p_mthd(&ch, NVFIFO_MTHD_NOTIFY_INTR, 0);
	}

	p_ref(&ch, 6);
	equal((uint32_t)ch_run(&ch), 1, "YIELD, flush and interrupt");
	check(ch_works(&ch), "the channel works");
}

static void t_release(void)
{
	struct ch c;
	uint32_t i;

	world();
	*word(&data, 0x100) = 0x11111111;
	*word(&data, 0x104) = 0x22222222;
	*word(&data, 0x108) = 0x33333333;
	p_release(&ch, SEM, 0x104, 0xcafe0001);
	equal((uint32_t)ch_run(&ch), 1, "release ends");
	equal(*word(&data, 0x104), 0xcafe0001, "release writes its word");
	check(*word(&data, 0x100) == 0x11111111 && *word(&data, 0x108) == 0x33333333,
	      "and no other");
	p_release(&ch, SEM, 0xfffc, 0xcafe0002);
	equal((uint32_t)ch_run(&ch), 1, "release at the largest offset ends");
	equal(*word(&data, 0xfffc), 0xcafe0002, "it writes the last word");

	/* The semaphore is state of the channel, so a new channel starts without one. */
	c = ch_new(&nv, vm);
	new_object(&c, SEM, data_va + 0x2000, 0x1000);

	for (i = 0; i < 4; i++)
		p_release(&c, SEM, i * 0x400, 0xbee0 + i);

	equal((uint32_t)ch_run(&c), 1, "releases of another channel end");

	for (i = 0; i < 4; i++)
		equal(*word(&data, 0x2000 + i * 0x400), 0xbee0 + i,
		      "they go where that channel's object is");
}

static void t_acquire(void)
{
	struct drm_nvfifo_channel_query q;
	struct ch c;

	world();
	*word(&data, 0x40) = 7;
	p_acquire(&ch, SEM, 0x40, 7);
	p_ref(&ch, 1);
	equal((uint32_t)ch_run(&ch), 1, "acquire of the present value");

	p_acquire(&ch, SEM, 0x40, 8);
	p_ref(&ch, 2);
	equal(ch_submit(&ch), 0, "SUBMIT of an acquire that has to wait");
	msleep(HOLD_MS);
	equal(sync_status(&nv, ch.done), 0, "its fence is not signalled");
	q = ch_query(&ch);
	check(q.ref == 1 && q.submitted == 2 && q.completed == 1, "nothing after it is executed");

	/* A blocked channel does not keep others from running. */
	c = ch_new(&nv, vm);
	check(ch_works(&c), "another channel runs meanwhile");
	check(ch_works(&c), "more than once");
	equal(sync_status(&nv, ch.done), 0, "the first still waits");
	*word(&data, 0x40) = 8;
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "the CPU writes the word and it goes on");
	equal(ch_query(&ch).ref, 2, "the words after it are executed");
}

/* Two channels, two address spaces with the BO at different addresses. */
static void t_across_vms(void)
{
	uint32_t vm2, i;
	uint64_t va2;
	struct ch c;

	world();
	vm2 = new_vm(&nv);
	c = ch_new(&nv, vm2);
	va2 = map(&nv, vm2, &data);
	check(va2 != data_va, "the BO has another address there");

	new_object(&c, SEM, va2, data.size);

	for (i = 1; i <= 8; i++) {
		p_acquire(&ch, SEM, 0, i);
		p_release(&ch, SEM, 0, 0x100 + i);
		p_acquire(&c, SEM, 0, 0x100 + i);
		p_release(&c, SEM, 0, i + 1);
	}

	need(!ch_submit(&ch) && !ch_submit(&c), "SUBMIT");
	msleep(HOLD_MS);
	check(!sync_status(&nv, ch.done) && !sync_status(&nv, c.done), "both wait");
	*word(&data, 0) = 1;
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "the first ends");
	equal((uint32_t)sync_finish(&nv, c.done), 1, "the second ends");
	equal(*word(&data, 0), 9, "they took turns");
}

static void t_semaphore64(void)
{
	volatile uint32_t *p;
	uint32_t vm2, t0, t1;
	uint64_t va2;
	struct ch c;

	world();
	if (!nv.g84) {
		skip("64-bit semaphores # SKIP not on G80");
		return;
	}
	p = word(&data, 0x200);
	memset((void *)p, 0xee, 32);
	p_sem64(&ch, SEM, 0x200, 0x5e90, NVFIFO_TRIGGER_RELEASE);
	equal((uint32_t)ch_run(&ch), 1, "64-bit release ends");
	check(p[0] == 0x5e90 && !p[1], "it writes the sequence and a zero");
	check(p[4] == 0xeeeeeeee, "and 16 bytes only");
	t0 = p[2];
	check(p[2] || p[3], "with the time");
	msleep(2);
	p_sem64(&ch, SEM, 0x200, 0x5e91, NVFIFO_TRIGGER_RELEASE);
	equal((uint32_t)ch_run(&ch), 1, "another");
	t1 = p[2];
	check((int32_t)(t1 - t0) > 0, "the time goes on");

	vm2 = new_vm(&nv);
	c = ch_new(&nv, vm2);
	va2 = map(&nv, vm2, &data);
	new_object(&c, SEM, va2, data.size);

	p_sem64(&ch, SEM, 0x300, 5, NVFIFO_TRIGGER_ACQUIRE_EQUAL);
	p_sem64(&ch, SEM, 0x310, 1, NVFIFO_TRIGGER_RELEASE);
	equal(ch_submit(&ch), 0, "SUBMIT of a 64-bit acquire");
	p_sem64(&c, SEM, 0x300, 6, NVFIFO_TRIGGER_RELEASE);
	equal((uint32_t)ch_run(&c), 1, "another channel releases another value");
	msleep(HOLD_MS);
	equal(sync_status(&nv, ch.done), 0, "an equal acquire does not take a larger value");
	p_sem64(&c, SEM, 0x300, 5, NVFIFO_TRIGGER_RELEASE);
	equal((uint32_t)ch_run(&c), 1, "it releases the right one");
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "the acquire ends");
	equal(*word(&data, 0x310), 1, "and the words after it are executed");

	/* Greater or equal, in the arithmetic of 32-bit differences. */
	*word(&data, 0x400) = 0xfffffff0;
	p_sem64(&ch, SEM, 0x400, 0xfffffff0, NVFIFO_TRIGGER_ACQUIRE_GEQUAL);
	p_sem64(&ch, SEM, 0x400, 0xffffffe0, NVFIFO_TRIGGER_ACQUIRE_GEQUAL);
	equal((uint32_t)ch_run(&ch), 1, "acquire of a value that is reached or passed");
	p_sem64(&ch, SEM, 0x400, 4, NVFIFO_TRIGGER_ACQUIRE_GEQUAL);
	equal(ch_submit(&ch), 0, "SUBMIT of an acquire past the wrap");
	msleep(HOLD_MS);
	equal(sync_status(&nv, ch.done), 0, "a value before the wrap is not enough");
	p_sem64(&c, SEM, 0x400, 3, NVFIFO_TRIGGER_RELEASE);
	equal((uint32_t)ch_run(&c), 1, "one less");
	msleep(HOLD_MS);
	equal(sync_status(&nv, ch.done), 0, "is not enough");
	p_sem64(&c, SEM, 0x400, 5, NVFIFO_TRIGGER_RELEASE);
	equal((uint32_t)ch_run(&c), 1, "one more");
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "is");
}

/* --- Entries and rings ----------------------------------------------------------- */

static void t_many_entries(void)
{
	struct drm_nvfifo_entry e[200];
	struct drm_nvfifo_sync s;
	bool all = true;
	uint32_t i;

	world();

	for (i = 0; i < ARRAY_SIZE(e); i++) {
		p_release(&ch, SEM, i * 4, 0xa0000 + i);
		p_mthd(&ch, NVFIFO_MTHD_REF_CNT, i);
		e[i] = ch_entry(&ch);
		if (i & 1)
			e[i].flags = DRM_NVFIFO_ENTRY_NOT_MAIN;
	}

	s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };
	equal(submit_raw(&nv, ch.id, e, ARRAY_SIZE(e), &s, 1, &ch.seqno), 0,
	      "SUBMIT of 200 entries, every second one NOT_MAIN");
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "they end");

	for (i = 0; i < ARRAY_SIZE(e); i++)
		all &= *word(&data, i * 4) == 0xa0000 + i;

	check(all, "each of them was executed");
	equal(ch_query(&ch).ref, ARRAY_SIZE(e) - 1, "the last one last");
	equal(ch.seqno, 1, "they were one SUBMIT");
}

/* The pusher's state survives the end of a segment. */
static void t_spanning_commands(void)
{
	struct drm_nvfifo_entry e[7];
	struct drm_nvfifo_sync s;
	uint32_t words[7], i;

	world();
	words[0] = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2);
	words[1] = SEM;
	words[2] = 0x80;
	words[3] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	words[4] = 0x5aa5;
	words[5] = 0x00030000 | NVFIFO_MTHD_REF_CNT;
	words[6] = 0;

	for (i = 0; i < 7; i++) {
		p_word(&ch, words[i]);
		e[i] = ch_entry(&ch);
		if (i & 1)
			e[i].flags = DRM_NVFIFO_ENTRY_NOT_MAIN;
	}

	s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };
	equal(submit_raw(&nv, ch.id, e, 7, &s, 1, NULL), 0, "commands of one word per entry");
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "they end");
	equal(*word(&data, 0x80), 0x5aa5, "they were executed");
	check(ch_works(&ch), "the channel works");
}

/* Far more SUBMITs than the ring has entries, in flight together. */
static void t_ring_wrap(void)
{
	uint32_t i, last = 0, n = 100;
	struct drm_nvfifo_channel_query q;
	bool ok = true;

	world_ring(RING_MIN);

	for (i = 1; i <= n && ok; i++) {
		p_release(&ch, SEM, i * 4, i);
		p_ref(&ch, i);
		if (i == n)
			last = ch.done;
		ok = !ch_submit_sync(&ch, 0, last) && ch.seqno == i;
	}

	check(ok, "%u SUBMITs without waiting to the smallest ring", n);
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "the last one ends");

	for (i = 1; i <= n; i++)
		ok &= *word(&data, i * 4) == i;

	check(ok, "all were executed");
	q = ch_query(&ch);
	check(q.ref == n && q.submitted == n && q.completed == n, "in order");
	check(q.ib_put < 1u << q.ring_order && q.ib_get == q.ib_put, "IB_PUT stays in the ring");

	/* With waits in between, the ring's position is at every place once. */
	ch_rewind(&ch);

	for (i = 0, ok = true; i < 3u << q.ring_order && ok; i++)
		ok = ch_works(&ch);

	check(ok, "one by one around the ring");
}

/* Work waits in the ring, and more is queued after it than fits. */
static void t_ring_full(void)
{
	uint32_t i, n = 40, syncs[40];
	bool ok = true, none = true;

	world_ring(RING_MIN);
	*word(&data, 0) = 0;
	p_acquire(&ch, SEM, 0, 1);

	for (i = 0; i < n; i++) {
		p_ref(&ch, i + 1);
		syncs[i] = sync_new(&nv);
		ok &= !ch_submit_sync(&ch, 0, syncs[i]);
	}

	check(ok, "%u SUBMITs after an acquire do not block the caller", n);

	msleep(HOLD_MS);

	for (i = 0; i < n; i++)
		none &= sync_status(&nv, syncs[i]) == 0;

	check(none, "none of them ends before the acquire");

	*word(&data, 0) = 1;
	for (i = 0, ok = true; i < n; i++)
		ok &= sync_finish(&nv, syncs[i]) == 1;

	check(ok, "all of them end after it");
	equal(ch_query(&ch).ref, n, "the last one last");
}

static void t_largest_ring(void)
{
	struct drm_nvfifo_entry *e;
	struct drm_nvfifo_sync s;
	uint32_t i, n;
	bool ok = true;

	world_ring(RING_MAX);
	n = nv.lim.submit_entries;
	e = calloc(n, sizeof(*e));
	need(e, "calloc");

	p_word(&ch, 0);
	e[0] = ch_entry(&ch);

	for (i = 1; i < n; i++)
		e[i] = e[0];

	p_ref(&ch, 0x7a57);
	e[n - 1] = ch_entry(&ch);
	s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };

	for (i = 0; i < 3 && ok; i++) {
		ok = !submit_raw(&nv, ch.id, e, n, &s, 1, NULL) &&
		     sync_finish(&nv, ch.done) == 1;
	}

	check(ok, "SUBMIT of %u entries, three times", n);
	equal(ch_query(&ch).ref, 0x7a57, "executed to the end");
	check(ch_works(&ch), "the channel works");
	free(e);
}

static void t_empty_submit(void)
{
	uint32_t s, i;

	world();
	s = sync_new(&nv);
	equal(submit_raw(&nv, ch.id, NULL, 0, NULL, 0, &ch.seqno), 0, "SUBMIT of nothing");
	equal(ch.seqno, 1, "it has a number");
	equal(ch_submit_sync(&ch, 0, s), 0, "SUBMIT of no entries that signals");
	equal((uint32_t)sync_finish(&nv, s), 1, "it does");
	p_acquire(&ch, SEM, 0, 0x99);
	need(!ch_submit(&ch), "SUBMIT");
	equal(ch_submit_sync(&ch, 0, s), 0, "one after work that waits");
	msleep(HOLD_MS);
	equal(sync_status(&nv, s), 0, "waits too");
	*word(&data, 0) = 0x99;
	equal((uint32_t)sync_finish(&nv, s), 1, "and ends after it");

	for (i = 0; i < 20; i++)
		need(!ch_submit_sync(&ch, ch.done, s), "SUBMIT");

	equal((uint32_t)sync_finish(&nv, s), 1, "empty ones that wait and signal");
	equal(ch_query(&ch).completed, 24, "all of them are counted");
}

/* The pusher's position in CHANNEL_QUERY while it cannot continue */
static void t_positions(void)
{
	struct drm_nvfifo_channel_query q, q2;
	uint64_t start, end;
	bool rests = false;
	uint32_t i;

	world();
	start = ch.push_va;
	p_acquire(&ch, SEM, 0, 1);

	/* More methods than PFIFO's cache holds: the pusher stops in this segment. */
	for (i = 0; i < 4; i++) {
		uint32_t n;

		p_word(&ch, 0x40000000 | cmd_word(0, NVFIFO_MTHD_REF_CNT, 2000));
		for (n = 0; n < 2000; n++)
			p_word(&ch, i << 16 | n);
	}

	end = ch.push_va + ch.n * 4ull;
	need(!ch_submit(&ch), "SUBMIT");

	q = ch_query(&ch);

	for (i = 0; i < 50 && !rests; i++) {
		msleep(HOLD_MS);
		q2 = ch_query(&ch);
		rests = q.ib_get && !memcmp(&q, &q2, sizeof(q));
		q = q2;
	}

	check(rests, "the pusher comes to rest");

	if (!check(q.get > start && q.get < end, "GET is inside of the segment"))
		diag("0x%llx to 0x%llx: GET 0x%llx PUT 0x%llx", (unsigned long long)start,
		     (unsigned long long)end, (unsigned long long)q.get,
		     (unsigned long long)q.put);

	equal(q.put, end, "PUT is its end");
	check(q.ib_get != q.ib_put && q.ib_get == 1, "the entry is fetched, the next one is not");
	check(q.submitted == 1 && !q.completed && !q.ref, "nothing has ended");
	*word(&data, 0) = 1;
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "it goes on");
	q = ch_query(&ch);
	check(q.ref == (3u << 16 | 1999) && q.ib_get == q.ib_put && q.get == q.put, "to the end");
}

/* --- Memory --------------------------------------------------------------------------- */

/* Pushbuffers, semaphores and objects above 4 GiB, at the last address, and in the first page. */
static void t_far_addresses(void)
{
	uint64_t places[] = { 0x123450000ull, 0x8000000000ull, 0x1ffff0000ull, 0, 0 };
	struct drm_nvfifo_entry e;
	struct drm_nvfifo_sync s;
	size_t i;

	world();
	places[3] = nv.dev.va_start;
	places[4] = nv.dev.va_end - 64 * KIB;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		uint64_t va = places[i];
		struct bo bo = sys_bo(&nv, 64 * KIB);
		uint32_t n = 0, *w = bo.map + 4096;

		need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "map at 0x%llx", (unsigned long long)va);
		new_object(&ch, 0x500 + (uint32_t)i, va, bo.size);
		w[n++] = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2);
		w[n++] = 0x500 + (uint32_t)i;
		w[n++] = 0xfffc;
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
		w[n++] = 0xfa70 + (uint32_t)i;
		e = (struct drm_nvfifo_entry){ .address = va + 4096 * 4, .words = n };
		s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };
		need(!submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL), "SUBMIT");
		check(sync_finish(&nv, ch.done) == 1 && *word(&bo, 0xfffc) == 0xfa70 + i,
		      "pushbuffer and semaphore at 0x%llx", (unsigned long long)va);
	}

	if (nv.g84) {
		/* The object covers the address space, so all 40 bits of the address count. */
		struct bo bo = sys_bo(&nv, 4096);
		uint64_t va = 0xab12340000ull;

		need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "map");
		new_object(&ch, 0x600, nv.dev.va_start, nv.dev.va_end - nv.dev.va_start);
		p_sem64(&ch, 0x600, va + 0x40 - nv.dev.va_start, 0x40b1, NVFIFO_TRIGGER_RELEASE);
		check(ch_run(&ch) == 1 && *word(&bo, 0x40) == 0x40b1, "40-bit semaphore address");
	}
}

/* Every page of a mapping must lead to its own page of the buffer. */
static void t_pages(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo bo;
	uint64_t va;
	uint32_t i, n = 64;
	bool ok = true;

	world();
	bo = sys_bo(&nv, 4096 * 1024);
	va = va_alloc(&nv, bo.size);

	/* From its second page on, at an address that is not a multiple of 64 KiB */
	op = op_map(&bo, va + 4096);
	op.bo_offset = 4096;
	op.range = bo.size - 8192;
	need(!vm_bind(&nv, vm, &op, 1), "VM_BIND");

	for (i = 0; i < n; i++) {
		uint64_t page = 1 + (i * 16381ull) % 1022;

		new_object(&ch, 0x700, va + page * 4096, 4096);
		p_release(&ch, 0x700, (i * 4) % 4096, 0x9a0000 + i);
		ok &= ch_run(&ch) == 1;
		ok &= *word(&bo, page * 4096 + (i * 4) % 4096) == 0x9a0000 + i;
		need(!object_destroy(&nv, ch.id, 0x700), "OBJECT_DESTROY");
	}

	check(ok, "releases to pages of a system BO of 4 MiB land where the CPU looks");
}

/*
 * The CPU cannot read VRAM in this kernel. So the card releases words through one mapping
 * and acquires them through another, with pages of another size and at another address.
 */
static void t_vram_pages(void)
{
	static const uint32_t shifts[][2] = { { 16, 12 }, { 12, 16 }, { 0, 12 } };
	uint32_t vm2, i, k;
	struct bo v;
	struct ch c;

	world();
	vm2 = new_vm(&nv);
	c = ch_new(&nv, vm2);
	v = vram_bo(&nv, 256 * KIB);

	for (k = 0; k < ARRAY_SIZE(shifts); k++) {
		/* The mappings are in different regions, since 512 MiB have one page size. */
		uint64_t a = (2 + k) * GIB + 64 * KIB, b = (20 + k) * GIB + 192 * KIB;

		need(!vm_map_at(&nv, vm, &v, a, 0, shifts[k][0]), "map");
		need(!vm_map_at(&nv, vm2, &v, b, 0, shifts[k][1]), "map");
		for (i = 0; i < 4; i++) {
			new_object(&ch, 0x800 + i, a + i * 64 * KIB, 64 * KIB);
			new_object(&c, 0x800 + i, b + i * 64 * KIB, 64 * KIB);
		}

		if (!k) {
			for (i = 0; i < 8; i++)
				p_acquire(&c, 0x800 + i / 2, i & 1 ? 0xfffc : 0, 0);
			check(ch_run(&c) == 1, "VRAM is zeroed");
		}

		/* A word in every page of 4 KiB. */
		for (i = 0; i < 64; i++) {
			p_release(&ch, 0x800 + i / 16, i % 16 * 4096 + i * 8,
				  0x77000000 + k * 0x100 + i);
			p_acquire(&c, 0x800 + i / 16, i % 16 * 4096 + i * 8,
				  0x77000000 + k * 0x100 + i);
		}

		check(ch_run(&ch) == 1 && ch_run(&c) == 1,
		      "released through pages of 2^%u, acquired through 2^%u", shifts[k][0],
		      shifts[k][1]);
		for (i = 0; i < 4; i++) {
			object_destroy(&nv, ch.id, 0x800 + i);
			object_destroy(&nv, c.id, 0x800 + i);
		}

		vm_unmap(&nv, vm, a, v.size);
		vm_unmap(&nv, vm2, b, v.size);
	}
}

/* A mapping of 4 KiB pages in a region with 64 KiB pages: old mappings must stay valid. */
static void t_mixed_region(void)
{
	struct bo v, s;
	uint64_t a = 3 * GIB;

	world();
	v = vram_bo(&nv, 128 * KIB);
	s = sys_bo(&nv, 64 * KIB);
	need(!vm_map_at(&nv, vm, &v, a, 0, 16), "map of VRAM with 64 KiB pages");

	new_object(&ch, 0x900, a, 64 * KIB);
	new_object(&ch, 0x901, a + 64 * KIB, 64 * KIB);
	p_release(&ch, 0x900, 0x10, 0xaa01);
	p_release(&ch, 0x901, 0xfffc, 0xaa02);
	need(ch_run(&ch) == 1, "release");
	equal(vm_map_at(&nv, vm, &s, a + 1 * MIB, 0, 12), 0, "4 KiB pages after 64 KiB pages");

	new_object(&ch, 0x902, a + 1 * MIB, 64 * KIB);
	p_release(&ch, 0x902, 0x20, 0xaa03);
	p_acquire(&ch, 0x900, 0x10, 0xaa01);
	p_acquire(&ch, 0x901, 0xfffc, 0xaa02);
	equal((uint32_t)ch_run(&ch), 1, "the card sees the old pages");
	equal(*word(&s, 0x20), 0xaa03, "and the new ones");
	equal(vm_unmap(&nv, vm, a, v.size), 0, "the old ones can be unmapped");
	p_release(&ch, 0x902, 0x24, 0xaa04);
	equal((uint32_t)ch_run(&ch), 1, "the new ones still work");
	equal(*word(&s, 0x24), 0xaa04, "in the right place");
}

static void read_only(bool vram, uint32_t shift, const char *what)
{
	struct bo bo = vram ? vram_bo(&nv, 64 * KIB) : sys_bo(&nv, 64 * KIB);
	uint64_t rw = (4 + shift) * GIB, ro = rw + 1 * MIB;
	struct ch c;

	need(!vm_map_at(&nv, vm, &bo, rw, 0, shift), "map");
	need(!vm_map_at(&nv, vm, &bo, ro, DRM_NVFIFO_VM_BIND_READ_ONLY, shift), "map");
	new_object(&ch, 0xa00, rw, 64 * KIB);
	p_release(&ch, 0xa00, 0x30, 0x0ddba11);
	need(ch_run(&ch) == 1, "release");

	c = ch_new(&nv, vm);
	new_object(&c, 0xa01, ro, 64 * KIB);
	p_acquire(&c, 0xa01, 0x30, 0x0ddba11);
	check(ch_run(&c) == 1, "%s: it can be read", what);
	p_release(&c, 0xa01, 0x30, 0xbad);
	check(ch_run(&c) == -ECANCELED, "%s: a write ends the channel", what);
	died_of_fault(&c, DRM_NVFIFO_ERROR_SEMAPHORE, 4, ro + 0x30, 4, 1, true, what);
	equal(ch_query(&c).fault_reason, NVFIFO_FAULT_PAGE_READ_ONLY, "reason PAGE_READ_ONLY");
	p_acquire(&ch, 0xa00, 0x30, 0x0ddba11);
	check(ch_run(&ch) == 1, "%s: the word keeps its value", what);
	if (!vram)
		equal(*word(&bo, 0x30), 0x0ddba11, "the CPU sees that too");

	object_destroy(&nv, ch.id, 0xa00);
	vm_unmap(&nv, vm, rw, 2 * MIB);
}

static void t_read_only(void)
{
	struct bo bo;
	struct ch c;
	uint64_t ro;

	world();
	read_only(false, 12, "read-only system memory");
	read_only(true, 12, "read-only VRAM in 4 KiB pages");
	read_only(true, 16, "read-only VRAM in 64 KiB pages");

	/* A DMA object can forbid an access that the page allows. */
	c = ch_new(&nv, vm);
	need(!object_dma_access(&nv, c.id, 0xa02, data_va, data.size, DRM_NVFIFO_ACCESS_RO),
	     "OBJECT_CREATE");
	*word(&data, 0x50) = 3;
	p_acquire(&c, 0xa02, 0x50, 3);
	equal((uint32_t)ch_run(&c), 1, "a read-only DMA object can be read");
	p_release(&c, 0xa02, 0x50, 4);
	check(ch_run(&c) == -ECANCELED, "a write through it ends the channel");
	died_of_fault(&c, DRM_NVFIFO_ERROR_SEMAPHORE, 4, data_va + 0x50, 4, 1, true,
		      "read-only DMA object");
	equal(*word(&data, 0x50), 3, "the word keeps its value");

	/* The card only reads pushbuffers. */
	bo = sys_bo(&nv, 4096);
	ro = map_flags(&nv, vm, &bo, DRM_NVFIFO_VM_BIND_READ_ONLY);
	bo.map[0] = cmd_word(0, NVFIFO_MTHD_REF_CNT, 1);
	bo.map[1] = 0xf00d;
	{
		struct drm_nvfifo_entry e = { .address = ro, .words = 2 };
		struct drm_nvfifo_sync s = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };

		need(!submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL), "SUBMIT");
		check(sync_finish(&nv, ch.done) == 1 && ch_query(&ch).ref == 0xf00d,
		      "a pushbuffer in a read-only mapping");
	}
}

/* --- TLBs -------------------------------------------------------------------------------- */

static void t_unmap_semaphore(void)
{
	struct bo bo;
	uint64_t va;

	world();
	bo = sys_bo(&nv, 4096);
	va = map(&nv, vm, &bo);
	new_object(&ch, 0xb00, va, 4096);
	p_release(&ch, 0xb00, 0, 1);
	need(ch_run(&ch) == 1, "release");
	equal(*bo.map, 1, "the mapping is in use, its translation cached");
	equal(vm_unmap(&nv, vm, va, 4096), 0, "unmap");
	p_release(&ch, 0xb00, 0, 2);
	check(ch_run(&ch) == -ECANCELED, "a release to unmapped memory ends the channel");
	died_of_fault(&ch, DRM_NVFIFO_ERROR_SEMAPHORE, 4, va, 4, 1, true, "unmapped semaphore");
	check(reason_is_absent(&ch), "reason: not present");
	equal(*bo.map, 1, "the old page was not written");
}

static void t_unmap_pushbuffer(void)
{
	struct drm_nvfifo_sync s;
	struct drm_nvfifo_entry e;
	struct bo bo;
	uint64_t va;

	world();
	bo = sys_bo(&nv, 4096);
	va = map(&nv, vm, &bo);
	bo.map[0] = cmd_word(0, NVFIFO_MTHD_REF_CNT, 1);
	bo.map[1] = 0xb0b0;
	e = (struct drm_nvfifo_entry){ .address = va, .words = 2 };
	s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };
	need(!submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL) && sync_finish(&nv, ch.done) == 1,
	     "SUBMIT");
	equal(ch_query(&ch).ref, 0xb0b0, "the mapping is in use, its translation cached");
	equal(vm_unmap(&nv, vm, va, 4096), 0, "unmap");
	bo.map[1] = 0xb1b1;
	need(!submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL), "SUBMIT");
	check(sync_finish(&nv, ch.done) == -ECANCELED,
	      "a pushbuffer in unmapped memory ends the channel");
	died_of_fault(&ch, DRM_NVFIFO_ERROR_PUSHER, 6, va, 8, 0, false, "unmapped pushbuffer");
	check(reason_is_absent(&ch), "reason: not present");
	equal(ch_query(&ch).ref, 0xb0b0, "nothing of it was executed");
}

/* Two BOs take turns at one address; each time in one VM_BIND. */
static void remap(uint32_t domain, uint32_t shift, const char *what)
{
	struct drm_nvfifo_vm_bind_op ops[2];
	struct bo a, b;
	uint64_t va = (40 + domain * 8 + shift) * GIB;
	uint32_t i;
	bool ok = true;

	if (domain) {
		a = vram_bo(&nv, 64 * KIB);
		b = vram_bo(&nv, 64 * KIB);
	} else {
		a = sys_bo(&nv, 64 * KIB);
		b = sys_bo(&nv, 64 * KIB);
	}

	need(!vm_map_at(&nv, vm, &a, va, 0, shift), "map");

	new_object(&ch, 0xc00 + shift + domain, va, 64 * KIB);

	for (i = 1; i <= 16; i++) {
		uint32_t h = 0xc00 + shift + domain;
		const struct bo *next = i & 1 ? &b : &a;

		/* Acquire the last value of this BO, then release a new one. */
		if (i > 2)
			p_acquire(&ch, h, 0x8000, i - 2);
		p_release(&ch, h, 0x8000, i);
		ok &= ch_run(&ch) == 1;
		ops[0] = op_unmap(va, 64 * KIB);
		ops[1] = op_map(next, va);
		ops[1].page_shift = shift;
		ok &= !vm_bind(&nv, vm, ops, 2);
	}

	check(ok, "%s: the card sees another BO at an address at once", what);
	if (!domain)
		check(*word(&a, 0x8000) == 15 && *word(&b, 0x8000) == 16, "%s: so does the CPU",
		      what);

	vm_unmap(&nv, vm, va, 64 * KIB);
}

static void t_remap(void)
{
	world();
	remap(0, 12, "system memory");
	remap(1, 12, "VRAM, 4 KiB pages");
	remap(1, 16, "VRAM, 64 KiB pages");
}

/* Remap a pushbuffer's address to another BO: the next SUBMIT must read that one. */
static void t_remap_pushbuffer(void)
{
	struct drm_nvfifo_vm_bind_op ops[2];
	struct drm_nvfifo_entry e;
	struct drm_nvfifo_sync s;
	struct bo bo[2];
	uint64_t va;
	uint32_t i;
	bool ok = true;

	world();

	for (i = 0; i < 2; i++) {
		bo[i] = sys_bo(&nv, 4096);
		bo[i].map[0] = cmd_word(0, NVFIFO_MTHD_REF_CNT, 1);
		bo[i].map[1] = 0xe0 + i;
	}

	va = map(&nv, vm, &bo[0]);
	e = (struct drm_nvfifo_entry){ .address = va, .words = 2 };
	s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };

	for (i = 0; i < 10; i++) {
		ok &= !submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL) &&
		      sync_finish(&nv, ch.done) == 1 && ch_query(&ch).ref == 0xe0 + (i & 1);
		ops[0] = op_unmap(va, 4096);
		ops[1] = op_map(&bo[~i & 1], va);
		ok &= !vm_bind(&nv, vm, ops, 2);
	}

	check(ok, "a pushbuffer that is remapped is read from its new pages");
}

/*
 * A waiting acquire polls its semaphore, on G84 and later by a unit with a TLB of its own.
 * The flush must cover this TLB, so that the acquire reads the new page.
 */
static void t_remap_under_acquire(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo a, b;
	uint64_t va;

	world();
	a = sys_bo(&nv, 4096);
	b = sys_bo(&nv, 4096);
	va = map(&nv, vm, &a);
	b.map[0] = 0x5157e4;
	new_object(&ch, 0xd00, va, 4096);
	p_acquire(&ch, 0xd00, 0, 0x5157e4);
	p_ref(&ch, 1);
	need(!ch_submit(&ch), "SUBMIT");
	msleep(HOLD_MS);
	equal(sync_status(&nv, ch.done), 0, "an acquire waits");

	/* Not an unmap and a map: between the two, the acquire would fault. */
	op = op_map(&b, va);
	op.flags = DRM_NVFIFO_VM_BIND_REPLACE;

	/* The acquire may read between the change of the page table and the flush. */
	violations_allow(true);
	equal(vm_bind(&nv, vm, &op, 1), 0, "another BO takes the place of its page");
	violations_allow(false);
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "it finds the value there");
}

static void t_unmap_under_acquire(void)
{
	struct bo a;
	uint64_t va;

	world();
	a = sys_bo(&nv, 4096);
	va = map(&nv, vm, &a);
	new_object(&ch, 0xd00, va, 4096);
	p_acquire(&ch, 0xd00, 0, 0x5157e4);
	need(!ch_submit(&ch), "SUBMIT");
	msleep(HOLD_MS);
	equal(sync_status(&nv, ch.done), 0, "an acquire waits");
	violations_allow(true);
	equal(vm_unmap(&nv, vm, va, 4096), 0, "its page is unmapped");
	violations_allow(false);
	a.map[0] = 0x5157e4;
	check(sync_finish(&nv, ch.done) == -ECANCELED,
	      "it ends with a fault and does not read the old page");
	died_of_fault(&ch, DRM_NVFIFO_ERROR_SEMAPHORE, 4, va, 8, 1, false,
		      "semaphore unmapped under an acquire");
}

/* --- Syncobjs -------------------------------------------------------------------------------- */

static void t_sync_binary(void)
{
	uint32_t s = 0, s2;
	struct ch c;

	world();
	c = ch_new(&nv, vm);
	s = sync_new(&nv);
	s2 = sync_new(&nv);
	*word(&data, 0) = 0;
	p_acquire(&ch, SEM, 0, 1);
	p_ref(&ch, 0x11);
	need(!ch_submit_sync(&ch, 0, s), "SUBMIT");
	p_ref(&c, 0x22);
	equal(ch_submit_sync(&c, s, s2), 0, "SUBMIT that waits for another channel's fence");
	msleep(HOLD_MS);
	check(sync_status(&nv, s) == 0 && sync_status(&nv, s2) == 0 && ch_query(&c).ref == 0,
	      "neither has run");
	equal(ch_query(&c).submitted, 1, "it counts as submitted");
	p_ref(&c, 0x23);
	equal(ch_submit(&c), 0, "more work after it");
	msleep(HOLD_MS);
	check(ch_query(&c).ref == 0, "does not overtake it");
	*word(&data, 0) = 1;
	equal((uint32_t)sync_finish(&nv, s2), 1, "the fence is signalled and it runs");
	equal((uint32_t)sync_finish(&nv, c.done), 1, "so does the work after it");
	check(ch_query(&ch).ref == 0x11 && ch_query(&c).ref == 0x23, "in order");

	/* A fence that is signalled already, and one syncobj for wait and signal. */
	p_ref(&c, 0x24);
	equal(ch_submit_sync(&c, s, s), 0, "wait for a signalled fence, signal the same syncobj");
	equal((uint32_t)sync_finish(&nv, s), 1, "ends");
	equal(ch_query(&c).ref, 0x24, "and has run");
}

static void t_sync_timeline(void)
{
	struct drm_nvfifo_sync s[2];
	struct drm_nvfifo_entry e;
	uint32_t tl, i;
	struct ch c;
	bool ok = true;

	world();
	c = ch_new(&nv, vm);
	tl = sync_new(&nv);
	*word(&data, 0) = 0;
	for (i = 1; i <= 4; i++) {
		p_acquire(&ch, SEM, 0, i);
		p_ref(&ch, i);
		e = ch_entry(&ch);
		s[0] = (struct drm_nvfifo_sync){
			.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
			.handle = tl,
			.timeline_value = i * 10,
		};
		ok &= !submit_raw(&nv, ch.id, &e, 1, s, 1, NULL);
	}

	check(ok, "SUBMITs that signal points 10 to 40");
	for (i = 1; i <= 4; i++) {
		p_ref(&c, 0x100 + i);
		e = ch_entry(&c);
		s[0] = (struct drm_nvfifo_sync){
			.flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE,
			.handle = tl,
			.timeline_value = i * 10,
		};
		s[1] = (struct drm_nvfifo_sync){
			.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
			.handle = c.done,
			.timeline_value = i,
		};
		ok &= !submit_raw(&nv, c.id, &e, 1, s, 2, NULL);
	}

	check(ok, "SUBMITs that wait for them");
	for (i = 1; i <= 4; i++) {
		msleep(HOLD_MS / 3);
		check(timeline_wait_ms(&nv, tl, i * 10, 1) == -ETIME &&
		      timeline_wait_ms(&nv, c.done, i, 1) == -ETIME,
		      "point %u is not reached before its word is written", i * 10);
		*word(&data, 0) = i;
		check(!timeline_wait_ms(&nv, tl, i * 10, WAIT_MS) &&
		      !timeline_wait_ms(&nv, c.done, i, WAIT_MS) && ch_query(&c).ref == 0x100 + i,
		      "point %u is reached after it", i * 10);
	}
	s[0] = (struct drm_nvfifo_sync){
		.flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE,
		.handle = tl,
		.timeline_value = 41,
	};
	check(submit_raw(&nv, c.id, NULL, 0, s, 1, NULL) == -EINVAL,
	      "a point that was not submitted is refused");
}

/* A fence of another driver, made by the kernel's test driver for fences. */
struct sw_sync_create {
	uint32_t value;
	char name[32];
	int32_t fence;
};

#define SW_SYNC_CREATE	_IOWR('W', 0, struct sw_sync_create)
#define SW_SYNC_INC	_IOW('W', 1, uint32_t)

static void t_sync_foreign(void)
{
	struct sw_sync_create f = { .value = 1 };
	int tl = open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC);
	uint32_t s, s2, one = 1;

	world();
	if (tl < 0) {
		skip("foreign fences # SKIP no sw_sync");
		return;
	}

	need(!nv_ioctl(tl, SW_SYNC_CREATE, &f), "sw_sync fence");
	s = sync_new(&nv);
	s2 = sync_new(&nv);
	need(!sync_import(&nv, s, f.fence), "import of a sync file");
	p_ref(&ch, 0x5f);
	equal(ch_submit_sync(&ch, s, s2), 0, "SUBMIT that waits for a foreign fence");
	msleep(HOLD_MS);
	check(sync_status(&nv, s2) == 0 && ch_query(&ch).ref == 0, "it waits");
	nv_ioctl(tl, SW_SYNC_INC, &one);
	equal((uint32_t)sync_finish(&nv, s2), 1, "it runs when the fence is signalled");
	equal(ch_query(&ch).ref, 0x5f, "to the end");
	close(f.fence);
	close(tl);
}

static void t_many_syncs(void)
{
	struct drm_nvfifo_sync s[16];
	struct ch c[8];
	uint32_t i;

	world();

	for (i = 0; i < 8; i++) {
		c[i] = ch_new(&nv, vm);
		new_object(&c[i], SEM, data_va, data.size);
		p_acquire(&c[i], SEM, i * 4, 1);
		need(!ch_submit(&c[i]), "SUBMIT");
		s[i] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT,
						 .handle = c[i].done };
		s[8 + i] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL,
						     .handle = sync_new(&nv) };
	}

	equal(submit_raw(&nv, ch.id, NULL, 0, s, 16, NULL), 0, "wait for 8 channels, signal 8");

	for (i = 0; i < 8; i++) {
		check(sync_status(&nv, s[15].handle) == 0, "not before channel %u", i);
		*word(&data, (i ^ 5) * 4) = 1;
		check(sync_finish(&nv, c[i ^ 5].done) == 1, "a channel ends");
	}

	for (i = 8; i < 16; i++)
		check(sync_finish(&nv, s[i].handle) == 1, "signal %u", i - 8);
}

/* --- Several channels ---------------------------------------------------------------------- */

#define PLAYERS	6
#define ROUNDS	20

static void t_ping_pong(void)
{
	struct ch c[PLAYERS];
	uint32_t i, r;
	bool ok = true;

	world();

	for (i = 0; i < PLAYERS; i++) {
		c[i] = ch_new(&nv, i & 1 ? vm : new_vm(&nv));
		new_object(&c[i], SEM, i & 1 ? data_va : map(&nv, c[i].vm, &data), data.size);
	}

	for (i = 0; i < PLAYERS; i++) {
		for (r = 0; r < ROUNDS; r++) {
			p_acquire(&c[i], SEM, 0, r * PLAYERS + i + 1);
			p_ref(&c[i], r + 1);
			p_release(&c[i], SEM, 0, r * PLAYERS + i + 2);
		}
	}

	/* The last player is submitted first, so that each has to wait. */
	for (i = PLAYERS; i--;)
		ok &= !ch_submit(&c[i]);

	check(ok, "SUBMITs to %u channels", PLAYERS);

	*word(&data, 0) = 1;
	for (i = 0; i < PLAYERS; i++)
		ok &= sync_finish(&nv, c[i].done) == 1 && ch_query(&c[i]).ref == ROUNDS;

	check(ok, "%u channels play %u rounds", PLAYERS, ROUNDS);
	equal(*word(&data, 0), ROUNDS * PLAYERS + 1, "every turn was taken");
}

/* Many short jobs, of which none may get lost */
static void t_many_jobs(void)
{
	bool ok = true;
	uint32_t i;

	world();

	for (i = 0; i < 150 && ok; i++)
		ok = ch_works(&ch);

	check(ok, "150 jobs, each waited for");
	equal(ch_query(&ch).completed, 150, "all are counted");

	/* G80 has no such interrupt: the driver binds its software object instead. */
	check(ch_query(&ch).state == DRM_NVFIFO_CHANNEL_ALIVE, "the channel is alive");
}

#define SLEEPS	40

/* The watchdog or a look may see an end before its interrupt, but not each time. */
static void t_sleepers(void)
{
	uint32_t i, irqs;
	bool ok = true;

	world();
	if (!ctl_present()) {
		skip("sleepers # SKIP for the model's counters");
		return;
	}

	irqs = stat_of(interrupts);
	for (i = 0; i < SLEEPS && ok; i++)
		ok = ch_sleep(&ch, SEM, word(&data, 0)) == 1;

	check(ok, "%u jobs end while a thread sleeps", SLEEPS);
	check(stat_of(interrupts) - irqs >= SLEEPS / 2, "an interrupt wakes it (%u)",
	      stat_of(interrupts) - irqs);
}

static const struct test tests[] = {
	TEST(t_ref_cnt),
	TEST(t_command_forms),
	TEST(t_release),
	TEST(t_acquire),
	TEST(t_across_vms),
	TEST(t_semaphore64),
	TEST(t_many_entries),
	TEST(t_spanning_commands),
	TEST(t_ring_wrap),
	TEST(t_ring_full),
	TEST(t_largest_ring),
	TEST(t_empty_submit),
	TEST(t_positions),
	TEST(t_far_addresses),
	TEST(t_pages),
	TEST(t_vram_pages),
	TEST(t_mixed_region),
	TEST(t_read_only),
	TEST(t_unmap_semaphore),
	TEST(t_unmap_pushbuffer),
	TEST(t_remap),
	TEST(t_remap_pushbuffer),
	TEST(t_remap_under_acquire),
	TEST(t_unmap_under_acquire),
	TEST(t_sync_binary),
	TEST(t_sync_timeline),
	TEST(t_sync_foreign),
	TEST(t_many_syncs),
	TEST(t_ping_pong),
	TEST(t_many_jobs),
	TEST(t_sleepers),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
