// SPDX-License-Identifier: MIT
/*
 * Dumps: the device coredump of a channel that an error ended, the dump of all channels in debugfs,
 * and registers through debugfs.
 *
 * run-guest.sh --keep keeps the dumps.
 *
 * Guards dumps and debugfs (debugfs.rst), on one chip.
 */
#include "nvfifo_text.h"
#include "raw.h"

#define SEM		0x1234
#define NO_SEM		0x777		/* a handle that no object has */
#define PAGE		4096u

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;

/* --- Dumps ------------------------------------------------------------------ */

static bool coredump_wait(unsigned int ms)
{
	int64_t end = now_ns() + ms * 1000000ll;
	char path[128];

	while (!coredump_path(path, sizeof(path))) {
		if (now_ns() > end)
			return false;
		msleep(5);
	}
	return true;
}

/* Looks without a dump after which none comes. Many short sleeps: the machine may stand still. */
#define LAST_LOOKS	60

/* Drop all dumps, and wait: the driver dumps eight errors of a user at once and four a second. */
static void coredump_drop(void)
{
	unsigned int looks = 0;
	char path[128];
	int ret;

	while (looks++ < LAST_LOOKS) {
		msleep(5);
		if (!coredump_path(path, sizeof(path)))
			continue;

		/* The kernel removes a dropped dump later. */
		ret = file_write(path, "0");
		need(!ret || ret == -ENODEV || ret == -ENOENT, "write to %s: %s", path, strerror(-ret));
		looks = 0;
	}
}

static void keep(const char *name, const char *text)
{
	const char *chipset = getenv("CHIPSET");
	char path[128];
	FILE *f;

	mkdir("/out/keep", 0755);
	snprintf(path, sizeof(path), "/out/keep/%s-%s.dump", chipset ? chipset : "card", name);
	f = fopen(path, "w");
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

/* Wait for a dump and return its text, which the caller frees. */
static char *coredump_take(const char *name)
{
	char path[128] = "", *text;
	struct stat st;

	need(coredump_wait(WAIT_MS), "%s: there is a dump", name);
	need(coredump_path(path, sizeof(path)), "it is still there");
	need(!stat(path, &st), "%s: %s", path, strerror(errno));
	equal(st.st_mode & 0777, 0600, "only root reads it");
	text = file_text(path);
	need(text, "%s: %s", path, strerror(errno));
	coredump_drop();
	keep(name, text);
	return text;
}

/* The next line after @text with this beginning, or NULL */
static const char *next_line(const char *text, const char *begin)
{
	size_t n = strlen(begin);

	for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, begin, n))
			return text;
	return NULL;
}

__attribute__((format(printf, 3, 4))) static bool has_line_at(int line, const char *text,
							      const char *fmt, ...)
{
	char want[256];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	vsnprintf(want, sizeof(want), fmt, ap);
	va_end(ap);
	ok = next_line(text, want) != NULL;
	want[strcspn(want, "\n")] = '\0';
	return check_at(__FILE__, line, ok, "a line '%s'", want);
}

/* One test: the dump has a line with this beginning. */
#define has_line(text, ...) has_line_at(__LINE__, text, __VA_ARGS__)

static uint32_t reg(const char *text, uint32_t offset)
{
	char want[32];
	const char *at;

	snprintf(want, sizeof(want), "reg %06x ", offset);
	at = next_line(text, want);
	need(at, "register %06x is in the dump", offset);
	return (uint32_t)nvfifo_text_value(at + strlen(want), 16);
}

/* Word @i of the segment of an entry, counting skipped ones; false if it is missing. */
static bool segment_word(const char *text, uint64_t va, uint32_t i, uint32_t *word)
{
	char name[16];
	unsigned long long at;
	unsigned int words, first = 0, n = 0;

	for (text = next_line(text, "segment "); text; text = next_line(text + 1, "segment ")) {
		if (sscanf(text, "segment ib %15[0-9] va %llx words %u", name, &at, &words) != 3 &&
		    sscanf(text, "segment %15[dma] va %llx words %u", name, &at, &words) != 3)
			return false;
		if (va >= at && va < at + words * 4ull)
			break;
	}
	if (!text)
		return false;
	i += (uint32_t)(va - at) / 4;
	text = strchr(text, '\n') + 1;
	if (sscanf(text, "skip %u", &first) == 1)
		text = strchr(text, '\n') + 1;
	for (n = first; !strncmp(text, "data", 4); text = strchr(text, '\n') + 1) {
		const char *w = text + 4;

		for (; *w == ' '; w += 9, n++) {
			if (n == i && sscanf(w, "%x", word) == 1)
				return true;
		}
	}
	return false;
}

/* --- Victims ------------------------------------------------------------------ */

static void world(void)
{
	char path[128];

	/* Remove the dump of an earlier test that failed. */
	if (coredump_path(path, sizeof(path)))
		coredump_drop();
	if (data.map)
		return;
	module_reload("job_timeout_ms=1500");
	nv_open(&nv);
	open_fds[0] = 0;
	vm = new_vm(&nv);
	data = sys_bo(&nv, 64 * KIB);
	data_va = map(&nv, vm, &data);
	coredump_drop();
}

static void world_end(void)
{
	if (!data.map)
		return;
	data.map = NULL;
	nv_close(&nv);
}

static struct ch victim(void)
{
	struct ch c;

	world();
	c = ch_new(&nv, vm);
	new_object(&c, SEM, data_va, data.size);
	return c;
}

/* SEM: the first words of a DMA object are class, limit and start. */
static void object_is(int line, const char *text, unsigned int offset, const char *name)
{
	unsigned int w[8] = { 0 };
	char begin[32];
	const char *at;

	snprintf(begin, sizeof(begin), "object %05x", offset);
	at = next_line(text, begin);
	if (at)
		at += strlen(begin);
	check_at(__FILE__, line,
		 at &&
		 sscanf(at, "%x %x %x %x %x %x %x %x\n", &w[0], &w[1], &w[2], &w[3], &w[4],
			&w[5], &w[6], &w[7]) == 8 &&
		 (w[0] & 0xffff) == NVFIFO_CLASS_DMA_RW && w[1] == data_va + data.size - 1 &&
		 w[2] == data_va, "%s: the object", name);
}

/* Submit words that end the channel, and check the lines that every dump has. */
static char *dies_at(int line, struct ch *c, uint32_t error, const char *name)
{
	struct drm_nvfifo_channel_query q;
	unsigned int hw_id, slot, context = 0;
	const char *at, *last;
	char *text;

	check_at(__FILE__, line, ch_run(c) == -ECANCELED, "%s: the fence ends", name);
	q = ch_query(c);
	text = coredump_take(name);
	check_at(__FILE__, line, !strncmp(text, "nvfifo dump 1\ncard ", 19), "%s: the format",
		 name);
	last = strlen(text) > 5 ? text + strlen(text) - 5 : text;
	check_at(__FILE__, line, !strcmp(last, "\nend\n"), "%s: the end", name);
	check_at(__FILE__, line, reg(text, 0) == nv.dev.boot_0, "%s: PMC_BOOT_0", name);
	at = next_line(text, "channel ");
	need(at, "%s: a channel", name);
	check_at(__FILE__, line, !next_line(at + 1, "channel "), "%s: one channel", name);
	check_at(__FILE__, line, !next_line(text, "bo "), "%s: no other user's buffers", name);
	has_line_at(line, text, "channel %u state dead mode ib queue kernel inst ", q.hw_id);
	at = strstr(at, " error ");
	check_at(__FILE__, line, at && q.error == error &&
		 sscanf(at, " error %u code ", &hw_id) == 1 && hw_id == error,
		 "%s: error %u",
		 name, error);
	if (at)
		at = strstr(at, " code ");
	{
		char want[128];

		snprintf(want, sizeof(want),
			 " code %08x detail %08x method %08x data %08x errno %d\n", q.error_code,
			 q.error_detail, q.error_method, q.error_data, ECANCELED);
		if (!check_at(__FILE__, line, at && !strncmp(at, want, strlen(want)),
			      "%s: as CHANNEL_QUERY says", name))
			diag("'%.90s', not '%s'", at ? at : "", want);
	}
	has_line_at(line, text, "pos get %010llx put %010llx mget %010llx state %08x ib_get %u ib_put %u ref %08x\n",
		    (unsigned long long)q.get, (unsigned long long)q.put,
		    (unsigned long long)q.mget, q.dma_state, q.ib_get, q.ib_put, q.ref);
	for (at = next_line(text, "ramht "); at; at = next_line(at + 1, "ramht "))
		if (sscanf(at, "ramht %u 00001234 %x", &slot, &context) == 2)
			break;
	if (check_at(__FILE__, line, at != NULL, "%s: the object's handle", name))
		object_is(line, text, (context & 0xffff) << 4, name);
	has_line_at(line, text, "mapping %010llx-%010llx system 0000000000 kind 00 comp 0 label",
		    (unsigned long long)c->push_va,
		    (unsigned long long)(c->push_va + c->push.size - 1));
	has_line_at(line, text, "pte %010llx-", (unsigned long long)c->push_va);
	has_line_at(line, text, "pde %03x ", (unsigned int)(c->push_va >> 29));
	return text;
}

#define dies(c, error, name) dies_at(__LINE__, c, error, name)

static void word_is_at(int line, const char *text, uint64_t va, uint32_t i, uint32_t want,
		       const char *what)
{
	uint32_t w = ~want;

	if (!check_at(__FILE__, line, segment_word(text, va, i, &w) && w == want, "%s", what))
		diag("word %u at 0x%llx is 0x%x, not 0x%x", i, (unsigned long long)va, w, want);
}

#define word_is(...) word_is_at(__LINE__, __VA_ARGS__)

/* --- Errors -------------------------------------------------------------------- */

static void t_pusher(void)
{
	struct ch c = victim();
	char *text;

	p_ref(&c, 0x900d);
	p_word(&c, 0xffffffff);
	p_ref(&c, 0xbad);
	text = dies(&c, DRM_NVFIFO_ERROR_PUSHER, "bad-header");
	word_is(text, c.push_va, 1, 0x900d, "the word before");
	word_is(text, c.push_va, 2, 0xffffffff, "the failing word in its segment");
	equal(reg(text, 0x2100) >> 12 & 1, 1, "PFIFO.INTR as it was");
	equal(reg(text, 0x3228) >> 29, 4, "DMA_STATE as it was");
	check(!next_line(text, "reg 400100 ") && !next_line(text, "fault "), "nothing of PGRAPH");
	has_line(text, "ring address ");
	free(text);
	ch_free(&c);

	c = victim();
	p_mthd(&c, 0x70, 0xdada);
	text = dies(&c, DRM_NVFIFO_ERROR_PUSHER, "bad-method");
	word_is(text, c.push_va, 1, 0xdada, "its data");
	free(text);
	ch_free(&c);
}

static void t_fault(void)
{
	uint64_t nowhere;
	struct ch c = victim();
	char *text;

	nowhere = va_alloc(&nv, 64 * KIB);
	{
		struct drm_nvfifo_entry e[2] = { ch_entry(&c), { .address = nowhere, .words = 7 } };
		struct drm_nvfifo_sync s = sync_signal(c.done);

		p_ref(&c, 1);
		e[0] = ch_entry(&c);
		need(!submit_raw(&nv, c.id, e, 2, &s, 1, NULL), "SUBMIT");
	}
	need(sync_finish(&nv, c.done) == -ECANCELED, "a fault");
	text = coredump_take("vm-fault");
	has_line(text, "fault %010llx inst ", (unsigned long long)nowhere);
	check(strstr(next_line(text, "fault "), " read\n"), "of a read");
	has_line(text, "ib 1 %08x %08x\n", (uint32_t)nowhere, 7 << 10);
	check(!next_line(text, "segment ib 1 "), "its segment cannot be read");
	free(text);
	ch_free(&c);

	c = victim();
	new_object(&c, 0x20, nowhere, 4096);
	p_sem(&c, 0x20, 0x40);
	p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x5e3);
	text = dies(&c, DRM_NVFIFO_ERROR_SEMAPHORE, "semaphore");
	has_line(text, "fault %010llx inst ", (unsigned long long)nowhere + 0x40);
	check(strstr(next_line(text, "fault "), " write\n"), "of a write");
	word_is(text, c.push_va, 4, 0x5e3, "the value");
	free(text);
	ch_free(&c);
}

static void t_cache(void)
{
	struct ch c = victim();
	char *text;

	p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
	text = dies(&c, DRM_NVFIFO_ERROR_CACHE, "cache");
	check(!strstr(text, " 00000777 00"), "the handle is not in RAMHT");
	equal(reg(text, 0x3250) >> 4 & 1, 1, "PULL0 as it was");
	free(text);
	ch_free(&c);
}

static void t_graph(void)
{
	struct drm_nvfifo_object_create o = {
		.handle = 0xbeef0030, .type = DRM_NVFIFO_OBJECT_ENGINE, .oclass = 0x30,
	};
	struct ch c = victim();
	char *text;

	o.channel_id = c.id;
	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), "a NULL object");
	p_word(&c, cmd_word(2, 0, 1));
	p_word(&c, 0xbeef0030);
	p_word(&c, cmd_word(2, 0x200, 1));
	p_word(&c, 0x6666);
	text = dies(&c, DRM_NVFIFO_ERROR_GRAPH, "graph");
	equal(reg(text, 0x400100), 1 << 4, "PGRAPH.INTR as it was");
	equal(reg(text, 0x400708), 0x6666, "TRAPPED_DATA");
	word_is(text, c.push_va, 3, 0x6666, "the failing word");
	free(text);
	ch_free(&c);
}

static void t_timeout(void)
{
	struct ch c = victim();
	char *text;

	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&c, SEM, 0, 0xabcdef);
	text = dies(&c, DRM_NVFIFO_ERROR_TIMEOUT, "timeout");
	equal(reg(text, 0x3268), 0xabcdef, "ACQUIRE_VALUE");
	word_is(text, c.push_va, 4, 0xabcdef, "the word that it waited for");
	free(text);
	ch_free(&c);
}

static void t_dma_mode(void)
{
	struct lin l;
	uint32_t i;
	char *text;

	world();
	l = lin_order(&nv, vm, 0, 64 * KIB);
	for (i = 0; i < 400; i++)
		l_mthd(&l, NVFIFO_MTHD_REF_CNT, i);
	l_word(&l, 0xffffffff);
	for (i = 0; i < 100; i++)
		l_mthd(&l, NVFIFO_MTHD_REF_CNT, 0xbad);
	need(lin_run(&l) == -ECANCELED, "a bad word in DMA mode");
	text = coredump_take("dma-mode");
	check(strstr(text, " state dead mode dma queue kernel "), "a channel in DMA mode");
	check(!next_line(text, "ring ") && !next_line(text, "ib "), "has no ring");
	word_is(text, l.va + 800 * 4, 0, 0xffffffff, "the failing word");
	word_is(text, l.va + 799 * 4, 0, 399, "and the one before");
	free(text);
	chan_destroy(&nv, l.id);

	/* Nothing is mapped before its start and after its end. */
	l = lin_order(&nv, vm, 0, 64 * KIB);
	l_mthd(&l, NVFIFO_MTHD_REF_CNT, 0xf125);
	l_word(&l, 0xffffffff);
	need(lin_run(&l) == -ECANCELED, "a bad word near the start");
	text = coredump_take("dma-start");
	word_is(text, l.va + 8, 0, 0xffffffff, "is there");
	word_is(text, l.va, 1, 0xf125, "and the word before it");
	has_line(text, "segment dma va %010llx words ", (unsigned long long)l.va);
	free(text);
	chan_destroy(&nv, l.id);
}

/* --- Omitted and truncated parts ------------------------------------------------------- */

static void t_long_segment(void)
{
	struct ch c = victim();
	uint32_t i, w;
	char *text;

	for (i = 0; i < 5000; i++)
		p_mthd(&c, NVFIFO_MTHD_REF_CNT, i);
	c.push.map[6001] = 0xffffffff;
	c.push.map[6000] = 0xffffffff;
	text = dies(&c, DRM_NVFIFO_ERROR_PUSHER, "long");
	has_line(text, "segment ib 0 va %010llx words 10000\nskip ", (unsigned long long)c.push_va);
	word_is(text, c.push_va, 6000, 0xffffffff, "the failing word of a long segment");
	word_is(text, c.push_va, 5601, 2800, "and words before it");
	check(!segment_word(text, c.push_va, 0, &w), "not those far away");
	free(text);
	ch_free(&c);
}

/* In VRAM, and over the end of a mapping. */
static void t_vram(void)
{
	struct drm_nvfifo_sync s;
	struct drm_nvfifo_entry e;
	struct ch c = victim();
	struct bo v = vram_bo(&nv, 128 * KIB);
	uint64_t va = map(&nv, vm, &v);
	uint32_t w;
	char *text;

	/* VRAM starts as zeros, which are commands of no words; the card writes the last two. */
	new_object(&c, 0x20, va + 64 * KIB, 64 * KIB);
	p_release(&c, 0x20, 64 * KIB - 8, cmd_word(0, NVFIFO_MTHD_REF_CNT, 1));
	p_release(&c, 0x20, 64 * KIB - 4, 0x1a57);
	need(ch_run(&c) == 1, "release to VRAM");
	e = (struct drm_nvfifo_entry){ .address = va + 128 * KIB - 2000 * 4, .words = 3000 };
	s = sync_signal(c.done);
	need(!submit_raw(&nv, c.id, &e, 1, &s, 1, NULL), "SUBMIT");
	need(sync_finish(&nv, c.done) == -ECANCELED, "a pushbuffer that runs out of VRAM");
	text = coredump_take("vram");
	word_is(text, va + 128 * KIB - 4, 0, 0x1a57, "the last word of the mapping");
	check(!segment_word(text, va + 128 * KIB, 0, &w), "nothing after it");
	has_line(text, "fault %010llx ", (unsigned long long)va + 128 * KIB);
	free(text);
	ch_free(&c);
}

/* A dump of more than 1 MiB is cut. */
static void t_cut(void)
{
	struct drm_nvfifo_vm_bind_op *ops = calloc(4096, sizeof(*ops));
	uint64_t va;
	uint32_t i, k;
	size_t len;
	struct ch c;
	char *text;

	world();
	bo_label(&nv, data.handle, "0123456789 0123456789 0123456789 0123456789 0123456789 01234567");
	c = victim();
	va = va_alloc(&nv, 64 * MIB);
	need(ops, "memory");
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 4096; i++) {
			ops[i] = op_map(&data, va + (k * 4096 + i) * 2ull * PAGE);
			ops[i].range = PAGE;
		}
		need(!vm_bind(&nv, vm, ops, 4096), "4096 mappings");
	}
	free(ops);
	p_word(&c, 0xffffffff);
	need(ch_run(&c) == -ECANCELED, "a bad word");
	text = coredump_take("cut");
	len = strlen(text);
	check(len > MIB - 256 && len <= MIB, "%zu bytes of a dump that does not fit", len);
	check(len > 8 && !strcmp(text + len - 9, "\ncut\nend\n"), "it says so");
	word_is(text, c.push_va, 0, 0xffffffff, "the failing word is there");
	free(text);
	vm_unmap(&nv, vm, va, 8192 * 2 * PAGE);
	bo_label(&nv, data.handle, "");
	ch_free(&c);
}

static void t_close(void)
{
	struct ch c = victim(), d = victim();

	coredump_drop();
	need(ch_works(&c), "a channel");
	ch_free(&c);
	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&d, SEM, 0, 1);
	need(!ch_submit(&d), "SUBMIT");
	msleep(HOLD_MS);
	ch_free(&d);
	check(!coredump_wait(500), "a channel that its owner destroys leaves no dump, also at work");
}

static void t_one(void)
{
	struct ch c[4];
	uint32_t i, first, hw_id[4];
	char path[128], *text;

	for (i = 0; i < 4; i++) {
		c[i] = victim();
		hw_id[i] = ch_query(&c[i]).hw_id;
		p_word(&c[i], 0xffffffff - i);
	}
	coredump_drop();
	for (i = 0; i < 4; i++)
		need(!ch_submit(&c[i]), "SUBMIT");
	for (i = 0; i < 4; i++)
		need(sync_finish(&nv, c[i].done) == -ECANCELED, "bad words");
	text = coredump_take("one-of-four");
	first = (uint32_t)nvfifo_text_value(next_line(text, "channel ") + 8, 10);
	for (i = 0; i < 4 && hw_id[i] != first; i++)
		;
	check(i < 4 && !next_line(strstr(text, "\nchannel ") + 2, "channel "),
	      "four channels die at once, the dump is of one");
	if (i < 4)
		word_is(text, c[i].push_va, 0, 0xffffffff - i, "and of no other");
	free(text);
	for (i = 0; i < 4; i++)
		ch_free(&c[i]);

	/* The older dump stays, because it is unread. The other three dumps have come by then. */
	coredump_drop();
	for (i = 0; i < 2; i++) {
		c[i] = victim();
		hw_id[i] = ch_query(&c[i]).hw_id;
		p_word(&c[i], 0xffffffff - i);
	}
	need(ch_run(&c[0]) == -ECANCELED && coredump_wait(WAIT_MS), "a dump");
	msleep(300);
	need(ch_run(&c[1]) == -ECANCELED, "another error");
	msleep(300);
	need(coredump_path(path, sizeof(path)), "the dump is there");
	text = coredump_take("older");
	has_line(text, "channel %u state dead", hw_id[0]);
	free(text);
	check(!coredump_wait(300), "the kernel does not take the later one");
	ch_free(&c[0]);
	ch_free(&c[1]);
}

/* The owner is gone before the dump is written. */
static void t_close_at_once(void)
{
	struct nv n;
	struct ch c;
	char *text;

	world();
	coredump_drop();
	nv_open(&n);
	c = ch_new(&n, new_vm(&n));
	p_word(&c, 0xfffffff7);
	need(!ch_submit(&c), "SUBMIT");
	nv_close(&n);
	/* The close may come before the error. */
	if (!coredump_wait(500)) {
		skip("an owner that is gone at once # SKIP it was faster than the card");
		return;
	}
	text = coredump_take("gone");
	word_is(text, c.push_va, 0, 0xfffffff7, "an owner that is gone at once");
	free(text);
}

/* --- debugfs ------------------------------------------------------------------------------ */

static void t_debugfs(void)
{
	struct ch c = victim(), d = victim();
	uint32_t c_id = ch_query(&c).hw_id, d_id = ch_query(&d).hw_id;
	char *text, want[64];
	const char *at;

	coredump_drop();
	bo_label(&nv, data.handle, "data here");
	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&c, SEM, 0, 0x77);
	need(!ch_submit(&c), "SUBMIT");
	msleep(HOLD_MS);
	text = debug_text("nvfifo_dump");
	keep("debugfs", text);
	has_line(text, "channel %u state alive mode ib queue kernel inst ", d_id);
	snprintf(want, sizeof(want), "channel %u state alive mode ib queue kernel", c_id);
	at = next_line(text, want);
	need(at, "the channel that waits");
	check(strstr(at, " error 0 code 00000000 "), "it has no error");
	at = next_line(at, "pos get ");
	check(at && strstr(at, " ib_put 2 "), "it has a position");
	word_is(text, c.push_va, 4, 0x77, "which is there");
	has_line(text, "bo system 65536 flags - tags 0 label data here\n");
	check(reg(text, 0x3268) == 0x77, "registers are those of now");
	free(text);
	((volatile uint32_t *)data.map)[0] = 0x77;
	check(sync_finish(&nv, c.done) == 1 && ch_works(&c) && ch_works(&d),
	      "the channels did not notice");
	check(!coredump_wait(100), "that is no device coredump");
	ch_free(&c);
	ch_free(&d);
}

static void t_regs(void)
{
	char path[400];
	uint32_t w[4] = { 0 }, old;
	int fd;

	world();
	snprintf(path, sizeof(path), "%s/nvfifo_regs", debug_dir());
	fd = open(path, O_RDWR | O_CLOEXEC);
	need(fd >= 0, "%s: %s", path, strerror(errno));
	check(pread(fd, w, 4, 0) == 4 && w[0] == nv.dev.boot_0, "PMC_BOOT_0");
	check(pread(fd, w, 4, 0x1154) == 4, "another register");
	check(pread(fd, w + 1, 8, 0x1154) == -1 && errno == EINVAL, "two words at once are refused");
	old = w[0];
	w[0] = 0x5c4a7c4;
	check(pwrite(fd, w, 4, 0x1154) == 4 && pread(fd, w + 3, 4, 0x1154) == 4 && w[3] == w[0],
	      "a register is written");
	if (ctl_present())
		equal(ctl(NVSIM_CTL_READ_REG, 0x1154), 0x5c4a7c4, "the card has it");
	pwrite(fd, &old, 4, 0x1154);
	check(pread(fd, w, 4, 2) == -1 && errno == EINVAL, "an unaligned offset");
	check(pread(fd, w, 6, 4) == -1 && errno == EINVAL, "half a word");
	check(pwrite(fd, w, 4, 0x1155) == -1 && errno == EINVAL, "an unaligned write");
	check(pwrite(fd, w, 3, 0x1154) == -1 && errno == EINVAL, "a write of half a word");
	check(pread(fd, w, 4, 0x1000000) == 0, "the end of BAR0");
	check(pwrite(fd, w, 4, 0x1000000) == -1 && errno == EINVAL, "no write past it");
	close(fd);
	snprintf(path, sizeof(path), "%s/nvfifo_vram", debug_dir());
	fd = open(path, O_RDWR | O_CLOEXEC);
	check(fd < 0 || pwrite(fd, w, 4, 0) < 0, "nvfifo_vram is not written");
	if (fd >= 0)
		close(fd);
}

/* --- Cards that go away --------------------------------------------------------------- */

static void t_unbind(void)
{
	struct ch c[3];
	char *text;
	int i, k;

	for (k = 0; k < 3; k++) {
		for (i = 0; i < 3; i++) {
			c[i] = victim();
			p_word(&c[i], 0xffffffff);
		}
		coredump_drop();
		for (i = 0; i < 3; i++)
			need(!ch_submit(&c[i]), "SUBMIT");
		msleep(k * 4);
		equal((uint32_t)card_bind(false), 0, "unbind while channels die");
		world_end();
		text = NULL;
		if (coredump_wait(300)) {
			text = coredump_take("unbind");
			check(strlen(text) > 9 && !strcmp(text + strlen(text) - 5, "\nend\n"),
			      "the dump is complete");
			free(text);
		} else {
			skip("unbind came first # SKIP no dump");
		}
		need(!card_bind(true), "bind");
	}

	c[0] = victim();
	p_word(&c[0], 0xfffffff5);
	need(ch_run(&c[0]) == -ECANCELED && coredump_wait(WAIT_MS), "a dump");
	world_end();
	equal((uint32_t)module_unload_soon(), 0, "the module is unloaded while there is a dump");
	text = coredump_take("unloaded");
	word_is(text, c[0].push_va, 0, 0xfffffff5, "which can be read later");
	free(text);
	need(!module_load(""), "insmod");
}

static void t_lost(void)
{
	const char *slow = "the card's interrupts do not arrive";
	unsigned int before;
	struct ch c;
	char *text;
	char path[400];
	uint32_t w;
	int fd;

	if (!ctl_present()) {
		skip("a lost card # SKIP only the model can do that");
		return;
	}
	c = victim();
	coredump_drop();
	before = log_count(slow);
	snprintf(path, sizeof(path), "%s/nvfifo_regs", debug_dir());
	fd = open(path, O_RDWR | O_CLOEXEC);
	((volatile uint32_t *)data.map)[0] = 0;
	p_acquire(&c, SEM, 0, 0x1057);
	need(!ch_submit(&c), "SUBMIT");
	msleep(HOLD_MS);
	/* The driver cannot stop such a card, which may continue to read memory. */
	violations_allow(true);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	check(vm_unmap(&nv, vm, data_va, data.size) == -ENODEV, "the card is gone");
	sync_finish(&nv, c.done);
	equal(log_count(slow), before, "its registers, all ones, are not taken for interrupts that are lost");
	text = coredump_take("lost");
	has_line(text, "wedged lost\n");
	check(!next_line(text, "reg ") && !next_line(text, "ramfc "), "nothing is read from it");
	word_is(text, c.push_va, 4, 0x1057, "but the words in memory");
	free(text);
	check(pread(fd, &w, 4, 0) == -1 && errno == ENODEV, "nvfifo_regs: ENODEV");
	close(fd);
	text = debug_text("nvfifo_dump");
	check(!next_line(text, "reg ") && next_line(text, "channel "), "debugfs the same");
	free(text);
	world_end();
	ctl(NVSIM_CTL_CLEAR, ~0u);
	need(!module_unload_soon(), "rmmod");
	need(!module_load(""), "insmod");
	violations_allow(false);
	c = victim();
	check(ch_works(&c), "it works when loaded anew");
	ch_free(&c);
}

/* A dump must not contain the owner's words that are unrelated to the error. */
static void t_contents(void)
{
	struct ch c = ch_new(&nv, vm);
	char *text;

	p_ref(&c, 0x5ec7e7);
	need(ch_run(&c) == 1, "SUBMIT");
	p_word(&c, 0xffffffff);
	need(!ch_submit(&c), "SUBMIT");
	text = coredump_take("contents");
	check(next_line(text, "ib 0 "), "the dump has the entries that went well");
	check(!next_line(text, "segment ib 0 "), "not their contents");
	check(next_line(text, "segment ib 2 "), "but those of the one that failed");
	free(text);
	ch_free(&c);
}

static const struct test tests[] = {
	TEST(t_pusher),
	TEST(t_fault),
	TEST(t_cache),
	TEST(t_graph),
	TEST_ONCE(t_timeout),
	TEST(t_dma_mode),
	TEST(t_long_segment),
	TEST(t_contents),
	TEST(t_vram),
	TEST_ONCE(t_cut),
	TEST(t_close),
	TEST_ONCE(t_one),
	TEST(t_close_at_once),
	TEST(t_debugfs),
	TEST(t_regs),
	TEST_ONCE(t_unbind),
	TEST_ONCE(t_lost),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
