// SPDX-License-Identifier: MIT
/*
 * Objects of engines: the classes of each chipset. Each method must arrive at the right engine and
 * subchannel, with the right class and data. In this test the model's engines only record methods.
 *
 * Guards classes and objects of each chipset (uapi.rst), on each generation.
 */
#include "expect.h"
#include "nvfifo_text.h"

#define DMA_A	0xd0a
#define DMA_B	0xd0b
#define OBJ(i)	(0xbeef0000 + (i))
#define SEM	0x1234

static struct nv nv, other;
static uint32_t vm;
static struct ch ch, near, far;	/* under test; witnesses: same address space, another file */
static uint32_t hw;		/* PFIFO's number of the channel */
static struct expect want;
static struct parser parser;
static struct bo data;
static bool loaded;

static struct ch new_channel(struct nv *n, uint32_t in_vm)
{
	struct ch c = ch_new(n, in_vm);

	new_object(&c, DMA_A, n->dev.va_start, 1 * MIB);
	new_object(&c, DMA_B, n->dev.va_start + 1 * MIB, 2 * MIB);
	return c;
}

static void world(void)
{
	need(ctl_present(), "the model");
	if (!loaded)
		/* Random methods cost hundreds of errors, each with a line in the log. */
		module_reload("engines=0x7e job_timeout_ms=60000");

	loaded = true;
	ctl(NVSIM_CTL_ENGINE_CONTEXT, NVSIM_ENGINE_RECORD);
	nv_open(&nv);
	nv_open(&other);
	vm = new_vm(&nv);
	near = ch_new(&nv, vm);
	far = ch_new(&other, new_vm(&other));
	ch = new_channel(&nv, vm);
	data = sys_bo(&nv, 4096);
	new_object(&ch, SEM, map(&nv, vm, &data), data.size);
	hw = ch_query(&ch).hw_id;
	expect_forget(&want);
	memset(&parser, 0, sizeof(parser));
	ctl(NVSIM_CTL_REC_RESET, 0);
}

static void fresh(void)
{
	expect_forget(&want);
	ctl(NVSIM_CTL_REC_RESET, 0);
}

/* Append a word to the pushbuffer, and pass it to the parser. */
static void word(uint32_t w)
{
	p_word(&ch, w);
	parser_word(&parser, w, &want);
}

static void mthd(uint32_t subc, uint32_t m, uint32_t w)
{
	word(cmd_word(subc, m, 1));
	word(w);
}

/* An object of a class that the chipset has to have. */
static void new_engine_object(struct ch *c, uint32_t handle, uint32_t oclass)
{
	const struct class *k = class_of(nv.dev.chipset, oclass);
	int ret;

	need(k, "class 0x%04x is not of this chip", oclass);
	ret = object_engine(c->nv, c->id, handle, oclass);
	need(!ret, "OBJECT_CREATE of class 0x%04x: %s", oclass, strerror(-ret));
	parser_object(&parser, handle, oclass, k->engine);
}

/* Two classes of different engines that the chip has, besides PGRAPH's. */
static uint32_t class_with_engine(uint32_t engine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (classes[i].engine == engine && classes[i].chips & chip_groups(nv.dev.chipset) &&
		    classes[i].oclass != CLASS_NULL)
			return classes[i].oclass;
	return 0;
}

/* --- Classes ------------------------------------------------------------------------ */

static uint32_t vram_word(uint64_t address)
{
	ctl(NVSIM_CTL_SET_ADDR, (uint32_t)address);
	return ctl(NVSIM_CTL_VRAM_READ, 0);
}

/* Address of the channel structure, from the channel table; from G84 on that of RAMFC. */
static uint64_t channel_structure(void)
{
	uint32_t table = ctl(NVSIM_CTL_READ_REG, 0x2600 + hw * 4);

	if (nv.dev.chipset == 0x50)
		return (uint64_t)(table & 0x0fffffff) << 12;
	return (uint64_t)(vram_word((uint64_t)(table & 0x0fffffff) * 256 + 0x98) & 0x0fffffff) << 12;
}

static void check_instances(const struct class *k, const char *what)
{
	uint32_t instance = 0, wrong = 0;
	struct rec r;

	ctl(NVSIM_CTL_REC_SEEK, 0);

	while (rec_next(hw, &r)) {
		uint64_t at = channel_structure() + r.object * 16ull;

		if (!r.mthd) {
			instance = r.object;
			wrong += (vram_word(at) & 0xffff) != k->oclass || !r.object;
		} else if (r.mthd >= 0x180 && r.mthd < 0x200) {
			uint64_t start = nv.dev.va_start + (r.data == DMA_B ? 1 * MIB : 0);

			wrong += (vram_word(at) & 0xffff) != NVFIFO_CLASS_DMA_RW ||
				 vram_word(at + 8) != start || r.object == instance;
		} else {
			wrong += r.object != r.data;
		}
	}

	check(!wrong && instance, "%s: objects arrive as instances, data as it is", what);
}

static void check_class(const struct class *k, uint32_t subc, uint32_t handle)
{
	uint32_t i, bound;
	struct drm_nvfifo_channel_query q;
	char what[64];
	int ret;

	snprintf(what, sizeof(what), "class 0x%04x of engine %u", k->oclass, k->engine);
	ret = object_engine(&nv, ch.id, handle, k->oclass);
	if (!check(!ret, "%s can be created", what)) {
		diag("%s", strerror(-ret));
		return;
	}

	refused(object_engine(&nv, ch.id, handle, k->oclass), EEXIST, "the handle again");
	fresh();
	memset(&parser, 0, sizeof(parser));
	parser_object(&parser, handle, k->oclass, k->engine);
	mthd(subc, 0, handle);
	mthd(subc, 0x100, 0x1000 + k->oclass);
	if (k->oclass != CLASS_NULL) {
		/* The effect of the method does not matter. */
		word(cmd_word(subc, 0x1ff8, 2));
		word(0xffffffff);
		word(k->oclass);
		word(0x40000000 | cmd_word(subc, 0x304, 3));
		for (i = 0; i < 3; i++)
			word(0x11111111 * i);
		word(cmd_word(subc, 0x180, 3));
		word(DMA_A);
		word(DMA_B);
		word(DMA_A);
		mthd(subc, 0x1fc, DMA_B);
		mthd(subc, 0x17c, DMA_A);
		mthd(subc, 0x200, DMA_A);
	}

	if (!check(ch_run(&ch) == 1, "%s: its methods are executed", what))
		return;

	expect_check_all(&want, hw, what);

	/* Methods 0 and 0x180 to 0x1fc arrive with an instance, all others with their data. */
	check_instances(k, what);
	q = ch_query(&ch);
	bound = q.bound >> 4 * subc & 0xf;
	equal(bound, k->engine, "CHANNEL_QUERY says which engine is bound");
	check(!object_destroy(&nv, ch.id, handle), "OBJECT_DESTROY");
}

static void t_classes(void)
{
	uint32_t n = 0, refusals = 0, subc, c;
	struct state before, after;
	size_t i;

	world();
	equal(nv.dev.bound_engines, 1 | nv.dev.engines, "DEVICE_QUERY: all engines can be bound");

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		if (!(classes[i].chips & chip_groups(nv.dev.chipset)))
			continue;
		/* On G80 the driver's fence binds subchannel 7. */
		subc = n++ % (nv.dev.chipset == 0x50 ? 7 : 8);
		check_class(&classes[i], subc, OBJ(i));
	}

	check(n >= 9, "%u classes", n);

	/* All other classes, some of which belong to other chips, are refused. */
	before = state_of(&nv, ch.id);

	for (c = 0; c < 0x10000; c++)
		if (!class_of(nv.dev.chipset, c) && object_engine(&nv, ch.id, OBJ(0), c) == -EINVAL)
			refusals++;

	after = state_of(&nv, ch.id);
	equal(refusals, 0x10000 - n, "all other classes are refused with EINVAL");
	check(state_same(&before, &after), "and changed nothing");
	check(ch_works(&ch) && ch_works(&near) && ch_works(&far), "channels work");
}

/* Only one engine's objects may be bound. */
static void t_one_engine(void)
{
	uint32_t oclass, engine;

	module_reload("engines=2");
	loaded = false;
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	equal(nv.dev.bound_engines, 3, "engines=2: PGRAPH and DMA objects");
	equal((uint32_t)object_engine(&nv, ch.id, OBJ(0), 0x502d), 0, "2D object");

	for (engine = 2; engine <= 6; engine++) {
		oclass = class_with_engine(engine);
		if (oclass && engine != 1)
			refused(object_engine(&nv, ch.id, OBJ(1), oclass), EOPNOTSUPP,
				"object of an engine that is not in the parameter");
	}

	check(ch_works(&ch), "the channel works");
}

/* As many objects as there is room for, and handles that share their place in the hash. */
static void t_many_objects(void)
{
	uint32_t n, i;
	int ret = 0;

	world();

	for (n = 0; n < 4096; n++) {
		ret = object_engine(&nv, ch.id, 0x100000 + n * 0x201, 0x5039);
		if (ret)
			break;
	}

	refused(ret, ENOSPC, "one engine object too many");
	equal(n, nv.lim.objects - 3, "as many as the limit says, with three DMA objects");

	for (i = 0; i < n; i += n / 20) {
		parser.num_objects = 0;
		parser_object(&parser, 0x100000 + i * 0x201, 0x5039, 1);
		mthd(i % 7, 0, 0x100000 + i * 0x201);
		mthd(i % 7, 0x100, i);
	}

	equal((uint32_t)ch_run(&ch), 1, "some of them are bound");
	expect_check_all(&want, hw, "with all objects that fit");
}

/* --- Binding ------------------------------------------------------------------------------ */

static void rebind_later(void)
{
	/* A binding survives channel switches, and the next SUBMIT still has it. */
	fresh();
	check(ch_works(&near) && ch_works(&far), "others run");
	mthd(3, 0x200, 7);
	mthd(2, 0x200, 8);
	equal((uint32_t)ch_run(&ch), 1, "a SUBMIT later");
	expect_check_all(&want, hw, "the same objects are bound");

	/* The card knows a bound object although its handle is gone. */
	fresh();
	check(!object_destroy(&nv, ch.id, OBJ(1)), "OBJECT_DESTROY of a bound object");
	mthd(2, 0x100, 9);
	equal((uint32_t)ch_run(&ch), 1, "methods for it");
	expect_check_all(&want, hw, "still arrive");

	/* The handle names another class now: the next binding takes that. */
	fresh();
	parser.objects[0].oclass = 0x50c0;
	check(!object_engine(&nv, ch.id, OBJ(1), 0x50c0), "the handle for another class");
	mthd(2, 0, OBJ(1));
	mthd(2, 0x100, 10);
	equal((uint32_t)ch_run(&ch), 1, "bound anew");
	expect_check_all(&want, hw, "it is of that class");
}

static void t_rebind(void)
{
	uint32_t second, k;

	world();

	/* The last engine the chip has, so that two engines take turns. */
	for (k = 6; k > 1 && !class_with_engine(k); k--)
		;

	second = class_with_engine(k);
	need(second, "a second engine");
	new_engine_object(&ch, OBJ(1), 0x502d);
	new_engine_object(&ch, OBJ(2), 0x5039);
	new_engine_object(&ch, OBJ(3), second);
	mthd(2, 0, OBJ(1));
	mthd(2, 0x100, 1);
	mthd(2, 0, OBJ(2));
	mthd(2, 0x100, 2);
	mthd(2, 0, OBJ(3));
	mthd(2, 0x100, 3);
	mthd(3, 0, OBJ(3));
	mthd(2, 0, OBJ(1));
	mthd(3, 0x100, 4);
	mthd(2, 0x100, 5);
	mthd(4, 0, OBJ(1));
	mthd(4, 0x100, 6);
	equal((uint32_t)ch_run(&ch), 1, "subchannels are bound again and again");
	expect_check_all(&want, hw, "rebinding, and one object on two subchannels");
	equal(ch_query(&ch).bound & 0xfff00, 0x10100 | k << 12, "CHANNEL_QUERY: the bound objects");

	fresh();

	for (k = 0; k < 50; k++) {
		mthd(2, 0x100, k);
		mthd(3, 0x104, k);
		mthd(4, 0x100, k);
		p_ref(&ch, k);
	}

	equal((uint32_t)ch_run(&ch), 1, "two engines in turns");
	expect_check_all(&want, hw, "in order");
	equal(ch_query(&ch).ref, 49, "with references in between");

	rebind_later();
}

/* Method 0 with the NULL object unbinds: PGRAPH takes nothing but NOP from there. */
static void t_null(void)
{
	world();
	new_engine_object(&ch, OBJ(1), 0x5039);
	new_engine_object(&ch, OBJ(2), CLASS_NULL);
	mthd(1, 0, OBJ(1));
	mthd(1, 0x100, 1);
	mthd(1, 0, OBJ(2));
	mthd(1, 0x100, 2);
	mthd(1, 0, OBJ(1));
	mthd(1, 0x30c, 3);
	equal((uint32_t)ch_run(&ch), 1, "NULL object between two bindings");
	expect_check_all(&want, hw, "NULL object");
}

struct death {
	uint32_t method, data;
	uint32_t pull0;
};

static void dies_at(int line, struct ch *c, struct death d, const char *what)
{
	struct drm_nvfifo_channel_query q;
	int ret = ch_run(c);

	if (!check_at(__FILE__, line, ret == -ECANCELED, "%s: the fence ends with ECANCELED", what))
		diag("it ended with %d", ret);

	q = ch_query(c);
	if (!check_at(__FILE__, line,
		      q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == DRM_NVFIFO_ERROR_CACHE &&
			      q.error_method == d.method && q.error_data == d.data &&
			      q.error_code & d.pull0, "%s: CACHE error, named", what))
		diag("error %u code 0x%x method 0x%x data 0x%x", q.error, q.error_code,
		     q.error_method, q.error_data);
	check_at(__FILE__, line, ch_works(&near) && ch_works(&far), "%s: others work", what);
}

#define dies(c, what, ...) dies_at(__LINE__, c, (struct death){ __VA_ARGS__ }, what)

#define HASH_FAILED	(1u << 4)
#define SOFTWARE	(1u << 8)

static void t_unbound(void)
{
	world();
	p_word(&ch, cmd_word(3, 0x100, 1));
	p_word(&ch, 0x55);
	dies(&ch, "method of a subchannel that nothing is bound to",
	     .method = 3 << 13 | 0x100, .data = 0x55, .pull0 = SOFTWARE);
	equal(ctl(NVSIM_CTL_REC_COUNT, hw), 0, "no engine was sent anything");

	world();
	p_word(&ch, cmd_word(4, 0, 1));
	p_word(&ch, 0x99);
	dies(&ch, "binding of a handle that is nothing",
	     .method = 4 << 13, .data = 0x99, .pull0 = HASH_FAILED);

	world();
	new_engine_object(&ch, OBJ(1), 0x5039);
	check(!object_destroy(&nv, ch.id, OBJ(1)), "OBJECT_DESTROY");
	mthd(4, 0, OBJ(1));
	dies(&ch, "binding of an object that was destroyed",
	     .method = 4 << 13, .data = OBJ(1), .pull0 = HASH_FAILED);
}

/* An unknown handle in a method from 0x180 to 0x1fc; earlier methods must have arrived. */
static void t_bad_dma(void)
{
	static const uint32_t mthds[] = { 0x180, 0x1bc, 0x1fc };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mthds); i++) {
		world();
		new_engine_object(&ch, OBJ(1), 0x5039);
		mthd(4, 0, OBJ(1));
		mthd(4, 0x17c, 0x99);
		mthd(4, 0x200, 0x99);
		p_word(&ch, cmd_word(4, mthds[i], 1));
		p_word(&ch, 0x99);
		dies(&ch, "method with a handle that is nothing",
		     .method = 4 << 13 | mthds[i], .data = 0x99, .pull0 = HASH_FAILED);
		expect_check_all(&want, hw, "the methods before it");
	}
}

/* Another file's or channel's handles are no objects of this one. */
static void t_foreign(void)
{
	world();
	new_engine_object(&near, OBJ(1), 0x5039);
	need(!object_engine(&other, far.id, OBJ(1), 0x5039), "OBJECT_CREATE");
	p_word(&ch, cmd_word(4, 0, 1));
	p_word(&ch, OBJ(1));
	dies(&ch, "binding of another channel's handle",
	     .method = 4 << 13, .data = OBJ(1), .pull0 = HASH_FAILED);
	equal(ctl(NVSIM_CTL_REC_COUNT, 0), 0, "no engine was sent anything");
}

/* --- Several channels ----------------------------------------------------------------------- */

#define ROUNDS 60

static void t_interleaved(void)
{
	static const uint32_t oclass[3] = { 0x5039, 0x502d, 0x50c0 };
	struct expect e[3] = { 0 };
	struct parser p[3] = { 0 };
	struct ch c[3];
	uint32_t ids[3], i, k, n, bad = 0;

	world();

	for (i = 0; i < 3; i++) {
		if (i == 2)
			c[i] = new_channel(&other, far.vm);
		else
			c[i] = new_channel(&nv, vm);
		ids[i] = ch_query(&c[i]).hw_id;
		need(!object_engine(c[i].nv, c[i].id, OBJ(i), oclass[i]), "OBJECT_CREATE");
		parser_object(&p[i], OBJ(i), oclass[i], 1);
	}

	ctl(NVSIM_CTL_REC_RESET, 0);

	for (k = 0; k < ROUNDS; k++) {
		for (i = 0; i < 3; i++) {
			for (n = 0; n < 40; n++) {
				uint32_t v = n % 2 ? i << 24 | k << 8 | n :
						     cmd_word(1, 0x200 + 4 * n, 1);

				if (!k && n < 2)
					v = n ? OBJ(i) : cmd_word(1, 0, 1);

				p_word(&c[i], v);
				parser_word(&p[i], v, &e[i]);
			}
			bad += !!ch_submit(&c[i]);
		}
		if (c[0].n > PUSH_BYTES / 4 - 64)
			break;
	}

	for (i = 0; i < 3; i++)
		bad += sync_finish(c[i].nv, c[i].done) != 1;

	equal(bad, 0, "three channels send methods at once");

	for (i = 0; i < 3; i++)
		expect_check(&e[i], ids[i], "each has sent its own, in order");

	equal(ctl(NVSIM_CTL_REC_COUNT, 0), e[0].n + e[1].n + e[2].n, "and of no other channel");

	for (i = 0; i < 3; i++)
		expect_forget(&e[i]);
}

/* Methods that PGRAPH executes and refuses, from several channels at a time. */
static void t_wrong_at_once(void)
{
	static const uint32_t oclass[] = { 0x5039, 0x502d, 0x50c0, 0x5039 };
	struct ch c[ARRAY_SIZE(oclass)];
	uint32_t i, k, bad = 0;

	world();
	ctl(NVSIM_CTL_ENGINE_CONTEXT, NVSIM_ENGINE_IGNORE);

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		c[i] = new_channel(&nv, vm);
		need(!object_engine(&nv, c[i].id, OBJ(i), oclass[i]), "OBJECT_CREATE");
		p_word(&c[i], cmd_word(1, 0, 1));
		p_word(&c[i], OBJ(i));
	}

	for (k = 0; k < 20; k++) {
		for (i = 0; i < ARRAY_SIZE(c); i++) {
			uint32_t n;

			p_word(&c[i], cmd_word(1, 0x208, 16));
			for (n = 0; n < 16; n++)
				p_word(&c[i], 0xbad00000 + k);
			if (ch_submit(&c[i]))
				ch_rewind(&c[i]);
		}
	}

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		int ret = sync_finish(&nv, c[i].done);

		bad += ret != 1 && ret != -ECANCELED;
	}

	equal(bad, 0, "wrong methods of four channels at a time: all fences are signalled");
	equal(ch_query(&c[0]).error, DRM_NVFIFO_ERROR_GRAPH, "M2MF's channel dies of PGRAPH's error");
	check(ch_works(&near) && ch_works(&far) && ch_works(&ch), "channels without mistakes work");

	for (i = 0; i < ARRAY_SIZE(c); i++)
		bad += !!chan_destroy(&nv, c[i].id);

	equal(bad, 0, "all of them are destroyed");
}

/* The end of a SUBMIT waits for its engine, other channels do not. */
static void t_busy(void)
{
	volatile uint32_t *let_go;
	pid_t pid;

	world();
	let_go = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(let_go != MAP_FAILED, "mmap");
	new_engine_object(&ch, OBJ(1), 0x5039);
	mthd(1, 0, OBJ(1));
	mthd(1, 0x104, 0);
	equal((uint32_t)ch_run(&ch), 1, "PGRAPH has the channel");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_ref(&ch, 0x66);
	equal((uint32_t)ch_submit(&ch), 0, "SUBMIT while PGRAPH is busy");
	msleep(HOLD_MS);
	equal((uint32_t)sync_status(&nv, ch.done), 0, "its fence waits for the engine");
	check(ch_works(&near) && ch_works(&far), "channels without objects of it do not");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "the engine is idle, the fence ends");

	/* A kick asks the engine too. */
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		msleep(700);
		*let_go = 1;
		ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
		_exit(0);
	}

	check(!chan_destroy(&nv, ch.id), "CHANNEL_DESTROY while PGRAPH is busy with it");
	equal(*let_go, 1, "it took until the engine let go");
	waitpid(pid, NULL, 0);
	munmap((void *)let_go, 4096);
	check(ch_works(&near) && ch_works(&far), "others work");
	ch = new_channel(&nv, vm);
	hw = ch_query(&ch).hw_id;
	memset(&parser, 0, sizeof(parser));
	fresh();
	new_engine_object(&ch, OBJ(1), 0x502d);
	mthd(1, 0, OBJ(1));
	mthd(1, 0x100, 5);
	equal((uint32_t)ch_run(&ch), 1, "a new channel in its place");
	expect_check_all(&want, hw, "is known to the engine by its own objects");
}

/* Destroyed in the middle of many methods, by number or with its file. */
static void t_kick(void)
{
	uint32_t round, i;

	world();

	for (round = 0; round < 6; round++) {
		struct ch c;
		struct nv n;

		nv_open(&n);
		c = new_channel(&n, new_vm(&n));
		need(!object_engine(&n, c.id, OBJ(1), 0x5039), "OBJECT_CREATE");
		p_word(&c, cmd_word(1, 0, 1));
		p_word(&c, OBJ(1));
		for (i = 0; i < 30; i++) {
			p_word(&c, 0x40000000 | cmd_word(1, 0x300, 500));
			while (c.n % 501 != 2)
				p_word(&c, i);
			p_word(&c, 0);
		}
		need(!ch_submit(&c), "SUBMIT");
		if (round & 1)
			check(!chan_destroy(&n, c.id), "CHANNEL_DESTROY in the middle of methods");
		nv_close(&n);
		check(ch_works(&near) && ch_works(&far), "others work after that");
	}

	new_engine_object(&ch, OBJ(1), 0x5039);
	fresh();
	mthd(1, 0, OBJ(1));
	mthd(1, 0x104, 1);
	equal((uint32_t)ch_run(&ch), 1, "the engine works for others");
	expect_check_all(&want, hw, "and knows the channel of the methods");
}

/* --- Long commands over entries --------------------------------------------------------------- */

#define LONG_WORDS	6000

static void long_command(const uint32_t *cuts, uint32_t n_cuts, const char *what)
{
	struct drm_nvfifo_entry e[64];
	struct drm_nvfifo_sync s = sync_signal(ch.done);
	uint32_t i, start = ch.n, n = 0, at = 0;

	fresh();
	mthd(1, 0, OBJ(1));

	/* Methods that M2MF has: each other one would be an error, with an interrupt. */
	word(0x00030000 | 1 << 13 | 0x310);
	word(LONG_WORDS);

	for (i = 0; i < LONG_WORDS; i++)
		word(i * 0x9e3779b9);

	mthd(1, 0x30c, 0x31415926);
	word(0x00030000 | 1 << 13 | 0x314);
	word(0);
	mthd(1, 0x318, 1);

	for (i = 0; i <= n_cuts; i++) {
		uint32_t end = i < n_cuts ? cuts[i] : ch.n - start;

		e[n++] = (struct drm_nvfifo_entry){
			.address = ch.push_va + (start + at) * 4ull,
			.words = end - at,
			.flags = i % 4,
		};
		at = end;
	}

	ch.start = ch.n;
	need(!submit_raw(&nv, ch.id, e, n, &s, 1, NULL), "SUBMIT");
	check(sync_finish(&nv, ch.done) == 1, "%s is executed", what);
	expect_check(&want, hw, what);
	check(!parser.left && !parser.wrong, "%s: it is a whole number of commands", what);
	ch_rewind(&ch);
}

static void t_long(void)
{
	static const uint32_t none[] = { 0 };

	/* Cuts after the header, after the count, in the data, before and after the last word */
	static const uint32_t cuts[] = {
		1, 2, 3, 4, 5, 100, 101, 612, 2000, LONG_WORDS + 3, LONG_WORDS + 4, LONG_WORDS + 5,
		LONG_WORDS + 7,
	};
	uint32_t many[40], i;

	world();
	new_engine_object(&ch, OBJ(1), 0x5039);
	long_command(none, 0, "a long command in one entry");
	long_command(cuts, ARRAY_SIZE(cuts), "a long command, cut in all places");

	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = 4 + i;

	long_command(many, ARRAY_SIZE(many), "a long command in entries of a word each");
}

static uint64_t rng;

static uint32_t rnd(uint32_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(rng >> 33) % n;
}

static void random_commands(void)
{
	uint32_t k;

	for (k = 0; k < 60; k++) {
		uint32_t subc = rnd(7), count = rnd(12), m = 0x200 + 4 * rnd(0x700);

		switch (rnd(5)) {
		case 0:
			word(0x00030000 | subc << 13 | m);
			word(count);
			break;
		case 1:
			word(0x40000000 | cmd_word(subc, m, count));
			break;
		case 2:
			mthd(subc, 0, OBJ(rnd(3)));
			word(0x00010010 | rnd(0xfff) << 4);
			count = 0;
			break;
		default:
			/* Stay below 0x2000, where no document is sure. */
			if (m > 0x1fc0)
				m = 0x1fc0;
			word(cmd_word(subc, m, count));
		}
		while (count--)
			word((uint32_t)rng * 2654435761u);
	}
}

static uint32_t random_entries(struct drm_nvfifo_entry *e, uint32_t max)
{
	uint32_t n = 0, at = ch.start;

	while (at < ch.n) {
		uint32_t len = 1 + rnd(40);

		if (len > ch.n - at || n == max - 1)
			len = ch.n - at;
		e[n++] = (struct drm_nvfifo_entry){
			.address = ch.push_va + at * 4ull, .words = len, .flags = rnd(4),
		};
		at += len;
	}

	return n;
}

/* Random commands, in segments of random length. */
static void t_random(void)
{
	static const uint32_t oclass[3] = { 0x502d, 0x5039, 0x50c0 };
	const char *env = getenv("NVFIFO_SEED");
	uint32_t i, round;

	world();
	rng = env ? nvfifo_text_value(env, 0) : 20240607;
	diag("NVFIFO_SEED=%llu", (unsigned long long)rng);

	for (i = 0; i < 3; i++)
		new_engine_object(&ch, OBJ(i), oclass[i]);

	for (i = 0; i < 7; i++)
		mthd(i, 0, OBJ(i % 3));

	for (round = 0; round < 20; round++) {
		struct drm_nvfifo_entry e[128];
		struct drm_nvfifo_sync s = sync_signal(ch.done);
		uint32_t n;

		random_commands();
		n = random_entries(e, ARRAY_SIZE(e));
		ch.start = ch.n;
		need(!submit_raw(&nv, ch.id, e, n, &s, 1, NULL), "SUBMIT");
		need(sync_finish(&nv, ch.done) == 1, "round %u is executed", round);
		if (ch.n > PUSH_BYTES / 8)
			ch_rewind(&ch);
	}

	check(!parser.wrong && !parser.left, "the parser understands all of it");
	expect_check(&want, hw, "random commands in random pieces");
}

static const struct test tests[] = {
	TEST(t_classes),	TEST(t_many_objects), TEST(t_rebind), TEST(t_null),
	TEST(t_unbound),	TEST(t_bad_dma),      TEST(t_foreign), TEST(t_interleaved),
	TEST(t_busy),		TEST(t_kick),	      TEST(t_long),   TEST_ONCE(t_random),
	TEST(t_one_engine),	TEST(t_wrong_at_once),
};

int main(int argc, char **argv)
{
	int ret = run_tests(argc, argv, tests, ARRAY_SIZE(tests));

	/* Restore the model's default for later tests. */
	ctl(NVSIM_CTL_ENGINE_CONTEXT, NVSIM_ENGINE_REQUIRE);
	return ret;
}
