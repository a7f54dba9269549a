// SPDX-License-Identifier: MIT
/*
 * Every mistake that a pushbuffer can make. The driver must ban the channel, report the
 * reason, and end its fences with an error. Other channels must not be affected.
 *
 * The driver is loaded with a short job_timeout_ms, because the tests of work that never
 * ends wait for that time.
 *
 * Guards blame, for each error of a pushbuffer (threat-model.rst), on each generation.
 */
#include "../../hw/nvfifo_object_rule.h"
#include "expect.h"
#include "raw.h"

#define SEM	0x1234
#define NO_SEM	0x777		/* a handle that no object has */

static struct nv nv, other;
static uint32_t vm;
static struct ch near, far;	/* witnesses: the same address space, another file */
static struct bo data;
static uint64_t data_va;
static bool have_world;

/* All tests share one set of files and witnesses, which must survive every error. */
static void world(void)
{
	unsigned int i;

	if (have_world)
		return;
	module_reload("job_timeout_ms=1500");
	nv_open(&nv);
	nv_open(&other);
	/* These files stay open from test to test. */
	for (i = 0; i < MAX_OPEN; i++)
		open_fds[i] = 0;
	vm = new_vm(&nv);
	near = ch_new(&nv, vm);
	far = ch_new(&other, new_vm(&other));
	data = sys_bo(&nv, 64 * KIB);
	data_va = map(&nv, vm, &data);
	have_world = true;
}

static struct ch victim(void)
{
	struct ch c;

	world();
	c = ch_new(&nv, vm);
	new_object(&c, SEM, data_va, data.size);
	return c;
}

static void witnesses(const char *what)
{
	check(ch_works(&near), "%s: another channel of the address space works", what);
	check(ch_works(&far), "%s: another file's channel works", what);
}

struct death {
	uint32_t error;
	uint32_t code;
	uint32_t method;	/* ~0: not looked at */
	uint32_t data;		/* looked at together with method */
};

/*
 * Check the end of a channel that has got its faulty words. Its fence must have an error.
 * CHANNEL_QUERY must report the reason, and the same one later. The channel must refuse
 * more work, and its destruction must succeed.
 */
static void dies_at(int line, struct ch *c, const struct death *d, const char *what)
{
	struct drm_nvfifo_channel_query q, q2;
	uint32_t late = sync_new(&nv);
	int ret;

	ret = sync_finish(&nv, c->done);
	if (!check_at(__FILE__, line, ret == -ECANCELED, "%s: the fence ends with ECANCELED", what))
		diag("it ended with %d", ret);
	q = ch_query(c);
	if (!check_at(__FILE__, line, q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == d->error,
		      "%s: dead of error %u", what, d->error))
		diag("state %u error %u", q.state, q.error);
	if (d->error == DRM_NVFIFO_ERROR_CACHE)
		check_at(__FILE__, line, (q.error_code & d->code) == d->code,
			 "%s: PULL0 0x%x has 0x%x", what, q.error_code, d->code);
	else
		check_at(__FILE__, line, q.error_code == d->code, "%s: code %u is %u", what,
			 q.error_code, d->code);
	if (d->method != ~0u &&
	    !check_at(__FILE__, line, q.error_method == d->method && q.error_data == d->data,
		      "%s: the method and its data", what))
		diag("method 0x%x data 0x%x, not 0x%x and 0x%x", q.error_method, q.error_data,
		     d->method, d->data);

	refused_at(__FILE__, line, submit_raw(&nv, c->id, NULL, 0, NULL, 0, NULL), ECANCELED,
		   "SUBMIT of nothing to a dead channel");
	p_ref(c, 0xdead);
	refused_at(__FILE__, line, ch_submit_sync(c, 0, late), ECANCELED,
		   "SUBMIT to a dead channel");
	check_at(__FILE__, line, !sync_has_fence(&nv, late), "%s: that left no fence", what);
	sync_free(&nv, late);
	check_at(__FILE__, line, sync_status(&nv, c->done) == -ECANCELED,
		 "%s: the old fence keeps its state", what);
	witnesses(what);
	q2 = ch_query(c);
	check_at(__FILE__, line, !memcmp(&q, &q2, sizeof(q)), "%s: QUERY says the same later",
		 what);
}

static void fault_is_at(int line, struct ch *c, uint64_t address, bool write, uint32_t client,
			uint32_t slot, const char *what)
{
	struct drm_nvfifo_channel_query q = ch_query(c);

	if (!check_at(__FILE__, line, q.fault == 1 && q.fault_address == address &&
		      q.fault_write == write && q.fault_client == client && q.fault_slot == slot,
		      "%s: fault at 0x%llx", what, (unsigned long long)address))
		diag("fault %u at 0x%llx write %u engine %u client %u slot %u reason %u", q.fault,
		     (unsigned long long)q.fault_address, q.fault_write, q.fault_engine,
		     q.fault_client, q.fault_slot, q.fault_reason);
}

static void reason_is_at(int line, struct ch *c, uint32_t a, uint32_t b, const char *what)
{
	uint32_t r = ch_query(c).fault_reason;

	if (!check_at(__FILE__, line, r == a || r == b, "%s: reason %s", what,
		      nvfifo_fault_reason_name(a)))
		diag("reason %u %s", r, nvfifo_fault_reason_name(r));
}

#define dies(c, d, what) dies_at(__LINE__, c, d, what)
#define fault_is(c, ...) fault_is_at(__LINE__, c, __VA_ARGS__)
#define reason_is(c, ...) reason_is_at(__LINE__, c, __VA_ARGS__)

static void is_destroyed(struct ch *c, const char *what)
{
	struct drm_nvfifo_channel_query q;

	check(!chan_destroy(&nv, c->id), "%s: the channel can be destroyed", what);
	check(chan_query(&nv, c->id, &q) == -ENOENT, "%s: and is gone then", what);
	ch_free(c);
}

/*
 * With a long time limit, so that an error ends the fence and not the limit. This test comes first,
 * because the others shorten the limit.
 */
static void t_at_once(void)
{
	static const uint32_t words[] = { 0xffffffff, 0x00040070, 0x00040100, 0x0004006c };
	struct nv n;
	struct ch c;
	uint32_t v;
	size_t i;

	module_reload("job_timeout_ms=600000");
	nv_open(&n);
	v = new_vm(&n);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		c = ch_new(&n, v);
		p_word(&c, words[i]);
		p_word(&c, 0);
		check(ch_run(&c) == -ECANCELED && ch_query(&c).error != DRM_NVFIFO_ERROR_TIMEOUT,
		      "the error of command 0x%08x ends the fence before the time limit", words[i]);
	}
	nv_close(&n);
}

/* --- The pusher ------------------------------------------------------------------- */

static void t_invalid_command(void)
{
	static const struct {
		uint32_t word;
		const char *what;
	} bad[] = {
		{ 0xffffffff, "all ones" },
		{ 0x20000000, "old jump" },
		{ 0x20012000, "increasing methods of a later format" },
		{ 0x80000050, "immediate data of a later format" },
		{ 0x00000001, "jump" },
		{ 0x00000002, "call" },
		{ 0x00020000, "return" },
		{ 0x40030050, "long command that is not one" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct death d = { DRM_NVFIFO_ERROR_PUSHER, 4, ~0u, 0 };
		struct ch c = victim();

		p_ref(&c, 0x900d);
		p_word(&c, bad[i].word);
		p_ref(&c, 0xbad);
		equal(ch_submit(&c), 0, "SUBMIT of an invalid command");
		dies(&c, &d, bad[i].what);
		equal(ch_query(&c).error_data, bad[i].word, "the failing word is named");
		equal(ch_query(&c).fault, 0, "there was no fault");
		check(ch_query(&c).ref != 0xbad, "%s: nothing after it was executed", bad[i].what);
		is_destroyed(&c, bad[i].what);
	}
}

static void t_invalid_method(void)
{
	uint32_t bad[24], n = 0, m;

	world();
	bad[n++] = 0x04;
	bad[n++] = 0x08;
	bad[n++] = 0x30;
	bad[n++] = 0x54;
	bad[n++] = 0x70;
	bad[n++] = 0xfc;
	for (m = 0x10; m <= 0x24 && !nv.g84; m += 4)
		bad[n++] = m;
	if (nv.dev.chipset != 0xaf)
		bad[n++] = 0x28;
	while (n--) {
		struct death d = { DRM_NVFIFO_ERROR_PUSHER, 2, bad[n], 0xdada0000 + n };
		struct ch c = victim();
		char what[32];

		snprintf(what, sizeof(what), "method 0x%02x", bad[n]);
		p_mthd(&c, bad[n], 0xdada0000 + n);
		p_ref(&c, 0xbad);
		equal(ch_submit(&c), 0, "SUBMIT of an invalid method");
		dies(&c, &d, what);
		check(ch_query(&c).ref != 0xbad, "%s: nothing after it was executed", what);
		is_destroyed(&c, what);
	}
	{
		/* The error reports the subchannel, too. */
		struct death d = { DRM_NVFIFO_ERROR_PUSHER, 2, 5 << 13 | 0x70, 1 };
		struct ch c = victim();

		p_word(&c, cmd_word(5, 0x70, 1));
		p_word(&c, 1);
		equal(ch_submit(&c), 0, "SUBMIT of an invalid method");
		dies(&c, &d, "method on subchannel 5");
		is_destroyed(&c, "method on subchannel 5");
	}
}

static void submit_at(struct ch *c, uint64_t va, uint32_t words)
{
	struct drm_nvfifo_entry e = { .address = va, .words = words };
	struct drm_nvfifo_sync s = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = c->done };
	int ret = submit_raw(&nv, c->id, &e, 1, &s, 1, NULL);

	need(!ret, "SUBMIT: %s", strerror(-ret));
}

static void t_unmapped_pushbuffer(void)
{
	const struct death d = { DRM_NVFIFO_ERROR_PUSHER, 6, ~0u, 0 };
	uint64_t places[4];
	struct bo bo;
	uint64_t va;
	struct ch c;
	size_t i;

	world();
	places[0] = va_alloc(&nv, 64 * KIB);	/* near other mappings */
	places[1] = 512 * GIB;			/* in a part of it that has no table */
	places[2] = nv.dev.va_start;
	places[3] = nv.dev.va_end - 8;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		c = victim();
		submit_at(&c, places[i], 2);
		dies(&c, &d, "unmapped pushbuffer");
		fault_is(&c, places[i], false, 8, 0, "unmapped pushbuffer");
		equal(ch_query(&c).fault_engine, NVFIFO_VM_PFIFO, "VM engine PFIFO");
		check(ch_query(&c).fault_reason <= 2, "reason: something is not present");
		is_destroyed(&c, "unmapped pushbuffer");
	}

	/* The segment continues past the end of the mapping. */
	c = victim();
	bo = sys_bo(&nv, 4096);
	va = va_alloc(&nv, 64 * KIB);
	need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "map");
	bo.map[1022] = cmd_word(0, NVFIFO_MTHD_REF_CNT, 1);
	bo.map[1023] = 0x1a57;
	submit_at(&c, va + 1022 * 4, 16);
	dies(&c, &d, "pushbuffer that runs out of its mapping");
	fault_is(&c, va + 4096, false, 8, 0, "pushbuffer that runs out of its mapping");
	is_destroyed(&c, "pushbuffer that runs out of its mapping");
	vm_unmap(&nv, vm, va, 4096);
	bo_unmap(&bo);
	bo_close(&nv, bo.handle);
}

/* --- Semaphores -------------------------------------------------------------------- */

static void t_unmapped_semaphore(void)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		const char *what = i ? "acquire of an unmapped semaphore" :
				       "release of an unmapped semaphore";
		uint32_t m = i ? NVFIFO_MTHD_SEMAPHORE_ACQUIRE : NVFIFO_MTHD_SEMAPHORE_RELEASE;
		struct death d = { DRM_NVFIFO_ERROR_SEMAPHORE, 4, m, 0x5e3 };
		struct ch c = victim();
		uint64_t va = va_alloc(&nv, 64 * KIB);

		new_object(&c, 0x20, va, 4096);
		p_sem(&c, 0x20, 0x40);
		p_mthd(&c, m, 0x5e3);
		p_ref(&c, 0xbad);
		equal(ch_submit(&c), 0, "SUBMIT");
		dies(&c, &d, what);
		fault_is(&c, va + 0x40, !i, i ? 8 : 4, 1, what);
		check(ch_query(&c).fault_reason <= 2, "reason: something is not present");
		check(ch_query(&c).ref != 0xbad, "%s: nothing after it was executed", what);
		is_destroyed(&c, what);
	}
}

static void t_semaphore_arguments(void)
{
	static const struct {
		uint32_t method, data, code;
		bool g84;
		const char *what;
	} bad[] = {
		{ 0x64, 0x0002, 1, false, "unaligned offset" },
		{ 0x64, 0x0001, 1, false, "odd offset" },
		{ 0x64, 0x10000, 3, false, "offset too large" },
		{ 0x64, 0xfffffffc, 3, false, "offset far too large" },
		{ 0x10, 0x100, 3, true, "address of more than 40 bits" },
		{ 0x14, 0x1002, 1, true, "unaligned address" },
	};
	size_t i;

	world();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct death d = { DRM_NVFIFO_ERROR_SEMAPHORE, bad[i].code, bad[i].method,
				   bad[i].data };
		struct ch c;

		if (bad[i].g84 && !nv.g84)
			continue;
		c = victim();
		p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
		p_mthd(&c, bad[i].method, bad[i].data);
		p_ref(&c, 0xbad);
		equal(ch_submit(&c), 0, "SUBMIT");
		dies(&c, &d, bad[i].what);
		equal(ch_query(&c).fault, 0, "there was no fault");
		is_destroyed(&c, bad[i].what);
	}
}

/* A new channel has no offset and no object. */
static void t_semaphore_without(void)
{
	struct death d = { DRM_NVFIFO_ERROR_SEMAPHORE, 2, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x11 };
	struct ch c = victim();

	p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
	p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x11);
	equal(ch_submit(&c), 0, "SUBMIT of a release without an offset");
	dies(&c, &d, "release without an offset");
	is_destroyed(&c, "release without an offset");

	c = victim();
	d.method = NVFIFO_MTHD_SEMAPHORE_ACQUIRE;
	p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
	p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 0x11);
	equal(ch_submit(&c), 0, "SUBMIT of an acquire without an offset");
	dies(&c, &d, "acquire without an offset");
	is_destroyed(&c, "acquire without an offset");

	c = victim();
	d = (struct death){ DRM_NVFIFO_ERROR_SEMAPHORE, 4, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x12 };
	p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_OFFSET, 0x40);
	p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x12);
	equal(ch_submit(&c), 0, "SUBMIT of a release without a DMA object");
	dies(&c, &d, "release without a DMA object");
	reason_is(&c, NVFIFO_FAULT_NULL_DMAOBJ, NVFIFO_FAULT_NULL_DMAOBJ,
		  "release without a DMA object");
	is_destroyed(&c, "release without a DMA object");
}

static void t_dma_object_limit(void)
{
	struct death d = { DRM_NVFIFO_ERROR_SEMAPHORE, 4, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x22 };
	struct ch c = victim();

	((volatile uint32_t *)data.map)[0x1ffc / 4] = 0;
	((volatile uint32_t *)data.map)[0x2000 / 4] = 0xaa;
	new_object(&c, 0x30, data_va + 0x1000, 0x1000);
	p_release(&c, 0x30, 0xffc, 0x21);
	equal((uint32_t)ch_run(&c), 1, "release of the last word of a DMA object");
	equal(data.map[0x1ffc / 4], 0x21, "it is written");
	p_release(&c, 0x30, 0x1000, 0x22);
	equal(ch_submit(&c), 0, "SUBMIT of a release past the DMA object");
	dies(&c, &d, "release past the DMA object");
	fault_is(&c, data_va + 0x2000, true, 4, 1, "release past the DMA object");
	reason_is(&c, NVFIFO_FAULT_DMAOBJ_LIMIT, NVFIFO_FAULT_DMAOBJ_LIMIT,
		  "release past the DMA object");
	equal(data.map[0x2000 / 4], 0xaa, "the word after it keeps its value");
	is_destroyed(&c, "release past the DMA object");
}

/* --- RAMHT and subchannels ------------------------------------------------------------ */

static void t_ramht_miss(void)
{
	static const struct {
		uint32_t method, handle;
	} misses[] = {
		{ NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM },
		{ NVFIFO_MTHD_OBJECT, NO_SEM },
		/* A card may take an empty slot for an entry of this handle. */
		{ NVFIFO_MTHD_DMA_SEMAPHORE, 0 },
		{ NVFIFO_MTHD_OBJECT, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(misses); i++) {
		struct death d = { DRM_NVFIFO_ERROR_CACHE, 1 << 4, misses[i].method, misses[i].handle };
		struct ch c = victim();

		p_mthd(&c, misses[i].method, misses[i].handle);
		p_ref(&c, 0xbad);
		equal(ch_submit(&c), 0, "SUBMIT of a handle that is not there");
		dies(&c, &d, "RAMHT miss");
		check(ch_query(&c).ref != 0xbad, "RAMHT miss: nothing after it was executed");
		is_destroyed(&c, "RAMHT miss");
	}
	{
		/* The object existed, but was destroyed. */
		struct death d = { DRM_NVFIFO_ERROR_CACHE, 1 << 4, NVFIFO_MTHD_DMA_SEMAPHORE, SEM };
		struct ch c = victim();

		p_release(&c, SEM, 0, 1);
		equal((uint32_t)ch_run(&c), 1, "a handle that is there");
		need(!object_destroy(&nv, c.id, SEM), "OBJECT_DESTROY");
		p_release(&c, SEM, 0, 2);
		equal(ch_submit(&c), 0, "SUBMIT of a destroyed handle");
		dies(&c, &d, "destroyed object");
		is_destroyed(&c, "destroyed object");
	}
}

/* MCP89's method 0x2c refuses some data with an interrupt of its own, PFIFO.INTR bit 11. */
static void t_unk2c(void)
{
	struct death d = { DRM_NVFIFO_ERROR_CACHE, 0x04000000, 0x2c, 0x60000000 };
	struct ch c, waits;

	world();
	if (nv.dev.chipset != 0xaf) {
		skip("method 0x2c that is refused # SKIP only MCP89 does");
		return;
	}
	waits = ch_new(&nv, vm);
	new_object(&waits, SEM, data_va, data.size);
	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&waits, SEM, 0, 1);
	need(!ch_submit(&waits), "SUBMIT of a channel that waits");
	c = victim();
	p_mthd(&c, 0x2c, 0x60000000);
	p_ref(&c, 0xbad);
	equal(ch_submit(&c), 0, "SUBMIT of method 0x2c with data that it refuses");
	dies(&c, &d, "method 0x2c");
	check(ch_query(&c).ref != 0xbad, "nothing after it was executed");
	is_destroyed(&c, "method 0x2c");
	((volatile uint32_t *)data.map)[0] = 1;
	equal((uint32_t)sync_finish(&nv, waits.done), 1, "the channel that waited goes on");
	is_destroyed(&waits, "the channel that waited");
}

static void t_empty_subchannel(void)
{
	static const uint32_t where[][2] = { { 0, 0x100 }, { 3, 0x1ffc }, { 6, 0x204 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(where); i++) {
		struct death d = { DRM_NVFIFO_ERROR_CACHE, 0, where[i][0] << 13 | where[i][1],
				   0x5ca1e + (uint32_t)i };
		struct ch c = victim();

		p_word(&c, cmd_word(where[i][0], where[i][1], 1));
		p_word(&c, 0x5ca1e + (uint32_t)i);
		p_ref(&c, 0xbad);
		equal(ch_submit(&c), 0, "SUBMIT of a method to an empty subchannel");
		dies(&c, &d, "empty subchannel");
		is_destroyed(&c, "empty subchannel");
	}
	{
		/* A method that names an object, which is looked up first. */
		struct death d = { DRM_NVFIFO_ERROR_CACHE, 1 << 4, 0x180, NO_SEM };
		struct ch c = victim();

		p_mthd(&c, 0x180, NO_SEM);
		equal(ch_submit(&c), 0, "SUBMIT of a method with an unknown object");
		dies(&c, &d, "method with an unknown object");
		is_destroyed(&c, "method with an unknown object");
	}
}

/* --- PGRAPH ---------------------------------------------------------------------------- */

#define H_3D		0xbeef3d3d
#define SUBC_3D		3
#define SUBC_M2MF	5
#define NOWHERE		0x7000000000ull

/* CCACHE writes a word of a constant buffer. */
static void p_constant(struct ch *c, uint64_t va)
{
	p_subc_mthd(c, SUBC_3D, 0x198, GRAPH_ALL_HANDLE);	/* DMA_CODE_CB */
	p_subc_mthd(c, SUBC_3D, 0x1280, (uint32_t)(va >> 32));	/* CB_DEF_ADDRESS_HIGH */
	p_subc_mthd(c, SUBC_3D, 0x1284, (uint32_t)va);		/* CB_DEF_ADDRESS_LOW */
	p_subc_mthd(c, SUBC_3D, 0x1288, 0x10);			/* CB_DEF_SET */
	p_subc_mthd(c, SUBC_3D, 0xf00, 0);			/* CB_ADDR */
	p_subc_mthd(c, SUBC_3D, 0xf04, 0xda7a);			/* CB_DATA */
}

/* VFETCH reads one vertex of four floats. */
static void p_vertex(struct ch *c, uint64_t va)
{
	p_subc_mthd(c, SUBC_3D, 0x18c, GRAPH_ALL_HANDLE);	/* DMA_VTXBUF */
	p_subc_mthd(c, SUBC_3D, 0x900, 1u << 29 | 16);		/* VERTEX_ARRAY_FETCH */
	p_subc_mthd(c, SUBC_3D, 0x904, (uint32_t)(va >> 32));	/* VERTEX_ARRAY_START_HIGH */
	p_subc_mthd(c, SUBC_3D, 0x908, (uint32_t)va);		/* VERTEX_ARRAY_START_LOW */
	p_subc_mthd(c, SUBC_3D, 0x1650, 0xf);			/* VP_ATTR_EN */
	p_subc_mthd(c, SUBC_3D, 0x1ac0, 1u << 19);		/* VERTEX_ARRAY_ATTRIB */
	p_subc_mthd(c, SUBC_3D, 0x15dc, 0);			/* VERTEX_BEGIN_GL */
	p_subc_mthd(c, SUBC_3D, 0xd74, 0);			/* VERTEX_BUFFER_FIRST */
	p_subc_mthd(c, SUBC_3D, 0xd78, 1);			/* VERTEX_BUFFER_COUNT */
}

/*
 * A VM fault of a unit of 3D. Reports of nouveau have cards on which PGRAPH stays busy afterwards.
 * Then the driver resets it, and the channels of others go on.
 */
static void t_unit_fault(void)
{
	static void (*const faults[])(struct ch *c, uint64_t va) = { p_constant, p_vertex };
	static const char *const names[] = { "CCACHE", "VFETCH" };
	struct death d = { DRM_NVFIFO_ERROR_GRAPH, 1 << 21, ~0u, 0 };
	unsigned int resets, is_hung = model_quirk(NVSIM_QUIRK_UNIT_FAULT);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		struct ch other = victim(), c = victim();

		graph_bind_m2mf(&other);
		equal((uint32_t)ch_run(&other), 1, "a channel that uses PGRAPH");
		graph_bind_m2mf(&c);
		need(!graph_object_new(&nv, c.id, H_3D, nvfifo_class_3d(nv.dev.chipset)),
		     "a 3D object");
		p_subc_mthd(&c, SUBC_3D, NVFIFO_MTHD_OBJECT, H_3D);
		equal((uint32_t)ch_run(&c), 1, "a channel with 3D");
		resets = recovery_count("resets of PGRAPH");
		faults[i](&c, NOWHERE);
		/* Nothing releases this: a trap of these units does not stop the methods after it. */
		p_acquire(&c, SEM, 0, 0xfa017);
		equal((uint32_t)ch_submit(&c), 0, "SUBMIT");
		dies(&c, &d, names[i]);
		check(ch_query(&c).fault_address == NOWHERE, "%s: the fault's address", names[i]);
		is_destroyed(&c, names[i]);
		p_subc_mthd(&other, SUBC_M2MF, 0x100, 0);
		check(ch_run(&other) == 1, "%s: the other channel goes on", names[i]);
		check(recovery_count("resets of PGRAPH") - resets == is_hung,
		      "%s: %u resets of PGRAPH", names[i], is_hung);
	}
}

/*
 * The driver's own objects are there for the driver's own entry. A pushbuffer
 * that uses them cannot do more than end its own work early or end itself.
 */
static void t_drivers_objects(void)
{
	struct drm_nvfifo_channel_query q;
	uint32_t subc, m;
	struct ch c;
	int ret;

	for (subc = 0; subc < 8; subc += 7) {
		for (m = 0x100; m <= 0x500; m += 0x100) {
			c = victim();
			p_word(&c, cmd_word(subc, NVFIFO_MTHD_OBJECT, 1));
			p_word(&c, 0x80000001);
			p_word(&c, cmd_word(subc, m, 1));
			p_word(&c, 0xffffffff);
			need(!ch_submit(&c), "SUBMIT");
			ret = sync_finish(&nv, c.done);
			q = ch_query(&c);
			check(ret == -ECANCELED,
			      "software method 0x%x on subchannel %u: it ends", m, subc);
			equal(q.error, DRM_NVFIFO_ERROR_CACHE, "with its channel");
			check(q.completed <= q.submitted, "no more ends than began");
			ch_free(&c);
		}
	}
	witnesses("the software object");

	for (m = 0; m < 6; m++) {
		static const uint32_t values[] = { 0, 1, 2, 1000, 0x7fffffff, 0xffffffff };
		uint32_t i, done[4];

		c = victim();
		/* Fences to come, then a forged value in the fence's place. */
		((volatile uint32_t *)data.map)[0] = 0;
		((volatile uint32_t *)data.map)[1] = 0;

		/* The channel may die of it before the last SUBMIT otherwise. */
		p_acquire(&c, SEM, 4, 1);
		p_release(&c, 0x80000000, 0, values[m]);
		p_acquire(&c, SEM, 0, 1);
		for (i = 0; i < 4; i++) {
			done[i] = sync_new(&nv);
			p_ref(&c, i);
			need(!ch_submit_sync(&c, 0, done[i]), "SUBMIT");
		}
		((volatile uint32_t *)data.map)[1] = 1;
		msleep(HOLD_MS);
		q = ch_query(&c);
		check(!q.completed || q.state == DRM_NVFIFO_CHANNEL_DEAD,
		      "forged fence 0x%x: none ends", values[m]);
		for (i = 0; i < 4; i++)
			equal((uint32_t)sync_finish(&nv, done[i]), (uint32_t)-ECANCELED,
			      "its fence ends with ECANCELED");
		q = ch_query(&c);
		equal(q.error, DRM_NVFIFO_ERROR_FENCE, "the channel died of it");
		ch_free(&c);
	}
	witnesses("forged fences");
}

/* --- Work that does not end --------------------------------------------------------------- */

static void acquire_without_release(void)
{
	const struct death waits = {
		DRM_NVFIFO_ERROR_TIMEOUT, DRM_NVFIFO_HANG_SEMAPHORE, 0, 0xabcdef
	};
	struct drm_nvfifo_channel_query q;
	uint32_t done[3], i;
	struct ch c = victim();

	((volatile uint32_t *)data.map)[0] = 0;
	for (i = 0; i < 3; i++) {
		done[i] = sync_new(&nv);
		if (!i)
			p_acquire(&c, SEM, 0, 0xabcdef);
		p_ref(&c, i + 1);
		need(!ch_submit_sync(&c, 0, done[i]), "SUBMIT");
	}
	p_ref(&c, 4);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, &waits, "acquire that never succeeds");
	for (i = 0; i < 3; i++)
		check(sync_finish(&nv, done[i]) == -ECANCELED,
		      "acquire that never succeeds: fence %u ends with ECANCELED", i);
	q = ch_query(&c);
	check(q.submitted == 4 && q.ref == 0, "nothing after it was executed");
	/* The release comes too late: the channel is off the card. */
	((volatile uint32_t *)data.map)[0] = 0xabcdef;
	msleep(HOLD_MS);
	equal(ch_query(&c).ref, 0, "and is not when the word comes too late");
	is_destroyed(&c, "acquire that never succeeds");
}

static void wrong_trigger(void)
{
	const struct death hangs = { DRM_NVFIFO_ERROR_TIMEOUT, DRM_NVFIFO_HANG_PFIFO, ~0u, 0 };
	struct ch c = victim();

	p_sem64(&c, SEM, 0x10, 1, 0);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, &hangs, "semaphore trigger that is none");
	is_destroyed(&c, "semaphore trigger that is none");
}

/* An incomplete command takes the words of the driver's own entry as data. */
static void open_command(void)
{
	struct ch c = victim();

	p_word(&c, 0x00030000 | NVFIFO_MTHD_REF_CNT);
	p_word(&c, 0xffffff);
	p_word(&c, 0x0be4);
	need(!ch_submit(&c), "SUBMIT");
	check(sync_finish(&nv, c.done) == -ECANCELED, "a command that is left open: the fence ends");
	equal(ch_query(&c).state, DRM_NVFIFO_CHANNEL_DEAD, "the channel is dead");
	witnesses("a command that is left open");
	is_destroyed(&c, "a command that is left open");
}

/* Methods for another card of an SLI group only, the driver's own among them. */
static void masked_out(void)
{
	struct ch c = victim();

	p_word(&c, 0x00010000);
	p_ref(&c, 0x511);
	need(!ch_submit(&c), "SUBMIT");
	check(sync_finish(&nv, c.done) != 0, "an SLI mask that is left at 0: the fence ends");
	check(ch_query(&c).ref != 0x511, "its methods are not executed");
	witnesses("an SLI mask that is left at 0");
	ch_free(&c);
}

static void t_timeout(void)
{
	acquire_without_release();
	if (nv.g84)
		wrong_trigger();
	open_command();
	masked_out();
}

/* Work that is queued after the mistake ends with the channel. */
static void t_death_with_queue(void)
{
	uint32_t held = 0, done[3], i;
	struct ch block = victim(), c = victim();

	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&block, SEM, 0, 0x4e1d);
	need(!ch_submit(&block), "SUBMIT");
	held = block.done;
	for (i = 0; i < 3; i++) {
		done[i] = sync_new(&nv);
		if (!i)
			p_word(&c, 0xffffffff);
		p_ref(&c, i);
		/* The first SUBMIT waits and holds up the others; else it may end too early. */
		need(!ch_submit_sync(&c, i ? 0 : held, done[i]), "SUBMIT");
	}
	((volatile uint32_t *)data.map)[0] = 0x4e1d;
	check(sync_finish(&nv, done[0]) == -ECANCELED, "the job that failed");
	for (i = 1; i < 3; i++)
		check(sync_finish(&nv, done[i]) == -ECANCELED, "a job after it that never ran");
	equal(ch_query(&c).state, DRM_NVFIFO_CHANNEL_DEAD, "the channel is dead");
	sync_finish(&nv, held);
	ch_free(&block);
	ch_free(&c);
	witnesses("a dead channel with a queue");
}

/* The fence of dead work signals like any other, and releases the work that waits for it. */
static void t_wait_for_the_dead(void)
{
	struct ch c = victim(), w = victim();
	uint32_t s = sync_new(&nv);

	p_word(&c, 0xffffffff);
	need(!ch_submit(&c), "SUBMIT");
	p_ref(&w, 0x1);
	need(!ch_submit_sync(&w, c.done, s), "SUBMIT");
	check(sync_finish(&nv, s) != 0, "work that waits for a channel that dies does not hang");
	equal(ch_query(&w).state, DRM_NVFIFO_CHANNEL_ALIVE, "its own channel is alive");
	check(ch_works(&w), "and works");
	ch_free(&c);
	ch_free(&w);
}

static void t_destroy_busy(void)
{
	struct ch c = victim();
	uint32_t s = sync_new(&nv);

	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&c, SEM, 0, 0x4e1e);
	need(!ch_submit(&c), "SUBMIT");
	p_ref(&c, 1);
	need(!ch_submit_sync(&c, 0, s), "SUBMIT");
	msleep(HOLD_MS);
	equal(chan_destroy(&nv, c.id), 0, "CHANNEL_DESTROY with work in flight");
	check(sync_finish(&nv, c.done) == -ECANCELED, "its fence ends with ECANCELED");
	check(sync_finish(&nv, s) == -ECANCELED, "so does the one after it");
	ch_free(&c);
	witnesses("a channel that was destroyed at work");
}

/*
 * The end of a channel whose error is still pending. The card may name another channel as loaded
 * once the kick has ended, and that one must not die of it.
 */
static void t_destroy_beside_error(void)
{
	bool alive = true;
	uint32_t i, k;

	world();

	for (i = 0; i < 40 && alive; i++) {
		struct ch c = victim();

		need(!object_engine(&nv, c.id, 0xbeef5039, 0x5039), "an M2MF object");
		for (k = 0; k < i * 4; k++)
			p_ref(&c, k);
		p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
		need(!ch_submit(&c), "SUBMIT");
		for (k = 0; k < 200; k++)
			p_ref(&far, i * 1000 + k);
		need(!ch_submit(&far), "SUBMIT");
		need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
		alive = sync_finish(&other, far.done) == 1;
		ch_free(&c);
	}

	check(alive, "a channel lives beside 40 that end with a pending error");
	witnesses("errors that are pending at the end of a channel");
}

/* --- Many ------------------------------------------------------------------------------------ */

#define CROWD 12

static void t_crowd(void)
{
	struct ch c[CROWD];
	bool dead = true, alive = true;
	uint32_t i;

	for (i = 0; i < CROWD; i++) {
		c[i] = victim();
		if (i % 3 == 0)
			p_word(&c[i], 0xffffffff);
		else if (i % 3 == 1)
			p_mthd(&c[i], NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
		p_ref(&c[i], 0x100 + i);
	}
	for (i = 0; i < CROWD; i++)
		need(!ch_submit(&c[i]), "SUBMIT");
	for (i = 0; i < CROWD; i++) {
		int ret = sync_finish(&nv, c[i].done);

		if (i % 3 == 2)
			alive &= ret == 1 && ch_query(&c[i]).ref == 0x100 + i;
		else
			dead &= ret == -ECANCELED &&
				ch_query(&c[i]).state == DRM_NVFIFO_CHANNEL_DEAD;
	}
	check(dead, "the channels with a mistake die, all at about the same time");
	check(alive, "those between them run to the end");
	for (i = 0; i < CROWD; i++)
		ch_free(&c[i]);
	witnesses("a crowd of mistakes");
}

/* Many errors one after the other, as from a program in a loop, must not use up resources. */
static void t_again_and_again(void)
{
	uint64_t free;
	uint32_t i;
	bool ok = true;

	world();
	free = vram_free(&nv);
	for (i = 0; i < 40 && ok; i++) {
		struct ch c = victim();

		p_word(&c, i & 1 ? 0xffffffff : cmd_word(0, 0x70, 1));
		p_word(&c, 0);
		ok = !ch_submit(&c) && sync_finish(&nv, c.done) == -ECANCELED;
		ch_free(&c);
	}
	check(ok, "40 channels die one after the other");
	equal(vram_free(&nv), free, "free VRAM is the same as before");
	witnesses("40 dead channels");
}

static const struct test tests[] = {
	TEST(t_at_once),
	TEST(t_invalid_command),
	TEST(t_invalid_method),
	TEST(t_unmapped_pushbuffer),
	TEST(t_unmapped_semaphore),
	TEST(t_semaphore_arguments),
	TEST(t_semaphore_without),
	TEST(t_dma_object_limit),
	TEST(t_ramht_miss),
	TEST(t_unk2c),
	TEST(t_empty_subchannel),
	TEST(t_unit_fault),
	TEST(t_drivers_objects),
	TEST_ONCE(t_timeout),
	TEST(t_death_with_queue),
	TEST(t_wait_for_the_dead),
	TEST(t_destroy_busy),
	TEST(t_destroy_beside_error),
	TEST_ONCE(t_crowd),
	TEST_ONCE(t_again_and_again),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
