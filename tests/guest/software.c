// SPDX-License-Identifier: MIT
/*
 * Software objects: their methods are events of the owner's file, and can end only the channel.
 *
 * Guards software objects (uapi.rst), on one chip.
 */
#include "raw.h"

#include <poll.h>
#include <sys/wait.h>

#define SEM		0x1234		/* DMA object over the data BO */
#define SOFTWARE	0xcafe0001	/* software objects */
#define SOFTWARE_2	0xcafe0002
#define NULL_OBJECT	0xcafe0030	/* of class 0x30, which PGRAPH executes */
#define CLASS_SOFTWARE	0x506e
#define CLASS_NULL	0x30
#define SUBC		3
#define MARK		0x123456789abcdef0ull

/* A file has room for 4096 bytes of events, with one place for the event of the channel's death. */
#define EVENTS_MAX	((4096 - sizeof(struct drm_nvfifo_event_channel_dead)) / \
			 sizeof(struct drm_nvfifo_event_software_method))

/* Methods of all pushbuffers, more than there is room for */
#define SENT_MAX	128u

/* Methods of a pushbuffer */
#define METHODS	32

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;
static struct ch witness;

static volatile uint32_t *word(uint32_t i)
{
	return (volatile uint32_t *)data.map + i;
}

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
	witness = ch_new(&nv, vm);
	new_object(&witness, SEM, data_va, data.size);
}

static int create(uint32_t channel, uint32_t handle, uint32_t type, uint32_t oclass)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = channel, .handle = handle, .type = type, .oclass = oclass,
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

/* A channel with events, two software objects, and a DMA object. */
static struct ch chan(void)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_EVENT, .user_data = MARK,
	};
	struct ch ch = { .nv = &nv, .vm = vm };
	int ret = chan_create_args(&nv, &c);

	need(!ret, "CHANNEL_CREATE with EVENT: %s", strerror(-ret));

	ch.id = c.id;
	ch.push = sys_bo(&nv, PUSH_BYTES);
	ch.push_va = map(&nv, vm, &ch.push);
	ch.done = sync_new(&nv);
	new_object(&ch, SEM, data_va, data.size);
	ret = create(ch.id, SOFTWARE, DRM_NVFIFO_OBJECT_SOFTWARE, CLASS_SOFTWARE);
	need(!ret, "OBJECT_CREATE of a software object: %s", strerror(-ret));
	ret = create(ch.id, SOFTWARE_2, DRM_NVFIFO_OBJECT_SOFTWARE, CLASS_SOFTWARE);
	need(!ret, "OBJECT_CREATE of another: %s", strerror(-ret));

	return ch;
}

static bool readable(int ms)
{
	struct pollfd p = { .fd = nv.fd, .events = POLLIN };
	int ret;

	do
		ret = poll(&p, 1, ms);
	while (ret < 0 && errno == EINTR);
	return ret == 1 && (p.revents & POLLIN);
}

/* Read one event of either kind, and get that of a method. Return: its type, or 0 if none comes. */
static uint32_t event_read(struct drm_nvfifo_event_software_method *e)
{
	union {
		struct drm_event base;
		struct drm_nvfifo_event_software_method method;
		struct drm_nvfifo_event_channel_dead dead;
	} any = {};
	ssize_t n = 0;

	if (readable(WAIT_MS))
		n = read(nv.fd, &any, sizeof(any));

	*e = any.method;

	return n > 0 && (size_t)n == any.base.length ? any.base.type : 0;
}

static void event_is(const struct ch *c, uint32_t handle, uint32_t subc, uint32_t mthd,
		     uint32_t value)
{
	struct drm_nvfifo_event_software_method e;
	uint32_t type = event_read(&e);

	if (!check(type == DRM_NVFIFO_EVENT_SOFTWARE_METHOD && e.base.length == sizeof(e) &&
		   e.channel_id == c->id && e.user_data == MARK && e.handle == handle &&
		   e.method == (subc << 13 | mthd) && e.data == value,
		   "event of handle 0x%x, subchannel %u, method 0x%x, data 0x%x", handle, subc, mthd,
		   value))
		diag("type 0x%x length %u channel %u handle 0x%x method 0x%x data 0x%x", type,
		     e.base.length, e.channel_id, e.handle, e.method, e.data);
}

static void no_event(const char *what)
{
	check(!readable(HOLD_MS), "%s: no event", what);
}

/* It ends with an error of the cache at this method, and sends the event of its death. */
static void dies(struct ch *c, uint32_t method, const char *what)
{
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_event_software_method e;

	equal((uint32_t)sync_finish(&nv, c->done), (uint32_t)-ECANCELED, what);

	q = ch_query(c);
	if (!check(q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == DRM_NVFIFO_ERROR_CACHE &&
		   q.error_method == method, "%s: the channel ends at the method", what))
		diag("error %u method 0x%x, not 0x%x", q.error, q.error_method, method);
	equal(event_read(&e), DRM_NVFIFO_EVENT_CHANNEL_DEAD, "with the event of its death");
	check(ch_works(&witness), "%s: another channel works", what);
	ch_free(c);
}

static void t_methods(void)
{
	uint32_t i;
	struct ch c;

	world();
	c = chan();
	p_subc_mthd(&c, SUBC, 0, SOFTWARE);
	p_subc_mthd(&c, 5, 0, SOFTWARE_2);

	for (i = 0; i < 4; i++) {
		p_subc_mthd(&c, SUBC, 0x100 + 4 * i, i);
		p_subc_mthd(&c, 5, 0x1ffc - 4 * i, ~i);
	}

	p_ref(&c, 77);
	equal((uint32_t)ch_run(&c), 1, "a pushbuffer with software methods ends well");
	equal(ch_query(&c).ref, 77, "the channel has gone on");

	for (i = 0; i < 4; i++) {
		event_is(&c, SOFTWARE, SUBC, 0x100 + 4 * i, i);
		event_is(&c, SOFTWARE_2, 5, 0x1ffc - 4 * i, ~i);
	}

	no_event("there were eight methods");

	/* The subchannels keep their objects from one pushbuffer to the next. */
	p_subc_mthd(&c, SUBC, 0x100, 1);
	equal((uint32_t)ch_run(&c), 1, "a pushbuffer that binds nothing");
	event_is(&c, SOFTWARE, SUBC, 0x100, 1);

	/* A subchannel that gets an engine's object and the software object again. */
	need(!create(c.id, NULL_OBJECT, DRM_NVFIFO_OBJECT_ENGINE, CLASS_NULL), "NULL object");

	p_subc_mthd(&c, SUBC, 0, NULL_OBJECT);
	p_subc_mthd(&c, SUBC, 0, SOFTWARE_2);
	p_subc_mthd(&c, SUBC, 0x104, 2);
	equal((uint32_t)ch_run(&c), 1, "a subchannel that changes its object");

	event_is(&c, SOFTWARE_2, SUBC, 0x104, 2);
	ch_free(&c);
	no_event("a channel that is destroyed");
}

/* The owner's answer is a semaphore. Others work while the channel waits for it. */
static void t_answer(void)
{
	uint32_t i;
	struct ch c;

	world();
	c = chan();
	*word(0) = 0;
	p_subc_mthd(&c, SUBC, 0, SOFTWARE);

	for (i = 1; i <= 3; i++) {
		p_subc_mthd(&c, SUBC, 0x200, i);
		p_acquire(&c, SEM, 0, i);
	}

	p_release(&c, SEM, 4, 99);
	need(!ch_submit(&c), "SUBMIT");

	for (i = 1; i <= 3; i++) {
		event_is(&c, SOFTWARE, SUBC, 0x200, i);
		no_event("the channel waits for the answer");
		check(ch_works(&witness), "others work meanwhile");
		*word(0) = i;
	}

	equal((uint32_t)sync_finish(&nv, c.done), 1, "the channel goes on after the last answer");
	equal(*word(1), 99, "it has executed the next words");
	ch_free(&c);
}

static void t_unclaimed(void)
{
	uint32_t before = stat_of(interrupts);
	struct ch c, other;

	world();
	c = chan();
	p_subc_mthd(&c, SUBC, 0x100, 5);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, SUBC << 13 | 0x100, "a method of a subchannel without an object");

	c = chan();
	p_subc_mthd(&c, SUBC, 0, SOFTWARE);
	equal((uint32_t)ch_run(&c), 1, "binding");
	need(!object_destroy(&nv, c.id, SOFTWARE), "OBJECT_DESTROY");
	p_subc_mthd(&c, SUBC, 0x100, 5);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, SUBC << 13 | 0x100, "a method of an object that was destroyed");

	c = chan();
	p_subc_mthd(&c, SUBC, 0, SEM);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, SUBC << 13, "binding of a DMA object");

	/* Handles are those of the channel. */
	c = chan();
	other = chan();
	need(!object_destroy(&nv, other.id, SOFTWARE), "OBJECT_DESTROY");
	p_subc_mthd(&other, SUBC, 0, SOFTWARE);
	need(!ch_submit(&other), "SUBMIT");

	dies(&other, SUBC << 13, "binding of another channel's object");
	p_subc_mthd(&c, SUBC, 0, SOFTWARE);
	p_subc_mthd(&c, SUBC, 0x100, 6);
	equal((uint32_t)ch_run(&c), 1, "the other channel");
	event_is(&c, SOFTWARE, SUBC, 0x100, 6);

	/* As a DMA object it leads nowhere. */
	p_release(&c, SOFTWARE, 0x1000, 1);
	check(ch_run(&c) == -ECANCELED, "a semaphore in a software object ends the channel");
	check(ch_works(&witness), "another channel works");
	ch_free(&c);

	/* The handler has let the card send the next message after each one. */
	if (ctl_present())
		check(stat_of(interrupts) - before >= 3, "the card has raised an interrupt for each");
}

static void t_refused(void)
{
	struct drm_nvfifo_object_create more = {
		.handle = 1, .type = DRM_NVFIFO_OBJECT_SOFTWARE, .oclass = CLASS_SOFTWARE, .size = 1,
	};
	struct ch c;

	world();
	c = chan();
	refused(create(witness.id, 1, DRM_NVFIFO_OBJECT_SOFTWARE, CLASS_SOFTWARE), EINVAL,
		"a software object of a channel without EVENT");
	refused(create(c.id, 1, DRM_NVFIFO_OBJECT_SOFTWARE, 0), EINVAL, "class 0");
	refused(create(c.id, 1, DRM_NVFIFO_OBJECT_SOFTWARE + 1, CLASS_SOFTWARE), EINVAL, "type 3");
	refused(create(c.id, 0, DRM_NVFIFO_OBJECT_SOFTWARE, CLASS_SOFTWARE), EINVAL, "handle 0");
	refused(create(c.id, SOFTWARE, DRM_NVFIFO_OBJECT_SOFTWARE, CLASS_SOFTWARE), EEXIST,
		"a handle that exists");
	more.channel_id = c.id;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &more), EINVAL, "with a size");
	need(!object_destroy(&nv, c.id, SOFTWARE), "OBJECT_DESTROY");
	equal((uint32_t)create(c.id, SOFTWARE, DRM_NVFIFO_OBJECT_SOFTWARE, CLASS_SOFTWARE), 0,
	      "a handle that was destroyed can be used again");
	ch_free(&c);
}

/* An owner who does not read events: the file stores some, and then the channel ends. */
static void t_unread(void)
{
	struct drm_nvfifo_event_software_method e;
	uint32_t i, sent = 0, read = 0, alive = 0, n;
	struct ch c;

	world();
	c = chan();
	p_subc_mthd(&c, SUBC, 0, SOFTWARE);
	equal((uint32_t)ch_run(&c), 1, "binding");

	while (sent < SENT_MAX) {
		n = SENT_MAX - sent;
		if (n > METHODS)
			n = METHODS;
		for (i = 0; i < n; i++)
			p_subc_mthd(&c, SUBC, 0x100, sent++);
		need(!ch_submit(&c), "SUBMIT");
		alive += sync_finish(&nv, c.done) == 1;
	}

	equal(alive, SENT_MAX / METHODS - 1, "all but the last pushbuffer end well");

	while (event_read(&e) == DRM_NVFIFO_EVENT_SOFTWARE_METHOD)
		read += e.data == read;

	equal(read, EVENTS_MAX, "the file has kept these events");
	equal(e.base.type, DRM_NVFIFO_EVENT_CHANNEL_DEAD, "and then that of the channel's death");
	equal(ch_query(&c).error, DRM_NVFIFO_ERROR_CACHE, "which ended at a method");
	check(ch_works(&witness), "another channel of the file works");
	ch_free(&c);
}

/* A file that is closed while methods arrive, by its owner or because the owner is killed. */
static void t_closed(void)
{
	uint32_t i, k, status = 0;
	struct ch c;
	pid_t pid;

	for (k = 0; k < 20; k++) {
		pid = fork();
		need(pid >= 0, "fork");
		if (!pid) {
			world();
			c = chan();
			p_subc_mthd(&c, SUBC, 0, SOFTWARE);
			for (i = 0; i < METHODS; i++)
				p_subc_mthd(&c, SUBC, 0x100, i);
			need(!ch_submit(&c), "SUBMIT");
			if (k % 2)
				raise(SIGKILL);
			nv_close(&nv);
			_exit(0);
		}

		waitpid(pid, (int *)&status, 0);
	}

	world();
	c = chan();
	check(ch_works(&witness) && ch_works(&c), "the card works after 20 files were closed");
	no_event("the last file");
	ch_free(&c);
}

static const struct test tests[] = {
	TEST(t_methods), TEST(t_answer), TEST(t_unclaimed), TEST(t_refused),
	TEST_ONCE(t_unread), TEST_ONCE(t_closed),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
