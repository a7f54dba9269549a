// SPDX-License-Identifier: MIT
/* Channels in IB mode, their objects and their pushbuffers. */
#include "rig.h"

int chan_create_args(struct nv *nv, struct drm_nvfifo_channel_create *c)
{
	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, c);
}

int chan_create(struct nv *nv, uint32_t vm, uint32_t order, uint32_t *id)
{
	struct drm_nvfifo_channel_create c = { .vm_id = vm, .ring_order = order };
	int ret = chan_create_args(nv, &c);

	*id = c.id;
	return ret;
}

int chan_destroy(struct nv *nv, uint32_t id)
{
	struct drm_nvfifo_channel_destroy d = { .id = id };

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &d);
}

int chan_query(struct nv *nv, uint32_t id, struct drm_nvfifo_channel_query *q)
{
	memset(q, 0, sizeof(*q));
	q->id = id;
	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, q);
}

struct ch ch_order(struct nv *nv, uint32_t vm, uint32_t order)
{
	struct ch c = { .nv = nv, .vm = vm };
	int ret = chan_create(nv, vm, order, &c.id);

	need(!ret && c.id, "CHANNEL_CREATE: %s", strerror(-ret));
	c.push = sys_bo(nv, PUSH_BYTES);
	c.push_va = map(nv, vm, &c.push);
	c.done = sync_new(nv);
	return c;
}

struct ch ch_new(struct nv *nv, uint32_t vm)
{
	return ch_order(nv, vm, 0);
}

void ch_free(struct ch *c)
{
	chan_destroy(c->nv, c->id);
	vm_unmap(c->nv, c->vm, c->push_va, c->push.size);
	bo_unmap(&c->push);
	bo_close(c->nv, c->push.handle);
	sync_free(c->nv, c->done);
}

struct drm_nvfifo_channel_query ch_query(struct ch *c)
{
	struct drm_nvfifo_channel_query q;
	int ret = chan_query(c->nv, c->id, &q);

	need(!ret, "CHANNEL_QUERY: %s", strerror(-ret));
	return q;
}

int object_dma_access(struct nv *nv, uint32_t chan, uint32_t handle, uint64_t start,
		      uint64_t size, uint32_t access)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = chan,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_DMA,
		.oclass = NVFIFO_CLASS_DMA_RW,
		.access = access,
		.start = start,
		.size = size,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

int object_dma(struct nv *nv, uint32_t chan, uint32_t handle, uint64_t start, uint64_t size)
{
	return object_dma_access(nv, chan, handle, start, size, DRM_NVFIFO_ACCESS_VM);
}

int object_destroy(struct nv *nv, uint32_t chan, uint32_t handle)
{
	struct drm_nvfifo_object_destroy d = { .channel_id = chan, .handle = handle };

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &d);
}

void new_object(struct ch *c, uint32_t handle, uint64_t start, uint64_t size)
{
	int ret = object_dma(c->nv, c->id, handle, start, size);

	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));
}

void p_word(struct ch *c, uint32_t w)
{
	need(c->n < PUSH_BYTES / 4, "pushbuffer of the test is full");
	((volatile uint32_t *)c->push.map)[c->n++] = w;
}

uint32_t cmd_word(uint32_t subc, uint32_t mthd, uint32_t count)
{
	return count << 18 | subc << 13 | mthd;
}

void p_mthd(struct ch *c, uint32_t mthd, uint32_t data)
{
	p_word(c, cmd_word(0, mthd, 1));
	p_word(c, data);
}

void p_ref(struct ch *c, uint32_t val)
{
	p_mthd(c, NVFIFO_MTHD_REF_CNT, val);
}

void p_sem(struct ch *c, uint32_t handle, uint32_t offset)
{
	p_word(c, cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2));
	p_word(c, handle);
	p_word(c, offset);
}

void p_release(struct ch *c, uint32_t handle, uint32_t offset, uint32_t val)
{
	p_sem(c, handle, offset);
	p_mthd(c, NVFIFO_MTHD_SEMAPHORE_RELEASE, val);
}

void p_acquire(struct ch *c, uint32_t handle, uint32_t offset, uint32_t val)
{
	p_sem(c, handle, offset);
	p_mthd(c, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, val);
}

void p_sem64(struct ch *c, uint32_t handle, uint64_t addr, uint32_t seq, uint32_t trigger)
{
	p_mthd(c, NVFIFO_MTHD_DMA_SEMAPHORE, handle);
	p_word(c, cmd_word(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4));
	p_word(c, (uint32_t)(addr >> 32));
	p_word(c, (uint32_t)addr);
	p_word(c, seq);
	p_word(c, trigger);
}

int submit_raw(struct nv *nv, uint32_t chan, const struct drm_nvfifo_entry *entries,
	       uint32_t n_entries, const struct drm_nvfifo_sync *syncs, uint32_t n_syncs,
	       uint64_t *seqno)
{
	struct drm_nvfifo_submit s = {
		.channel_id = chan,
		.entries = { sizeof(*entries), n_entries, (uintptr_t)entries },
		.syncs = { sizeof(*syncs), n_syncs, (uintptr_t)syncs },
	};
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_SUBMIT, &s);

	if (seqno)
		*seqno = s.seqno;
	return ret;
}

struct drm_nvfifo_entry ch_entry(struct ch *c)
{
	struct drm_nvfifo_entry e = {
		.address = c->push_va + c->start * 4ull, .words = c->n - c->start,
	};

	c->start = c->n;
	return e;
}

void ch_rewind(struct ch *c)
{
	c->start = 0;
	c->n = 0;
}

int ch_submit_sync(struct ch *c, uint32_t wait, uint32_t signal)
{
	struct drm_nvfifo_entry e = ch_entry(c);
	struct drm_nvfifo_sync s[2];
	uint32_t n = 0;

	if (wait)
		s[n++] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = wait };
	if (signal)
		s[n++] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL,
						   .handle = signal };
	return submit_raw(c->nv, c->id, &e, e.words ? 1 : 0, s, n, &c->seqno);
}

int ch_submit(struct ch *c)
{
	return ch_submit_sync(c, 0, c->done);
}

int ch_run(struct ch *c)
{
	int ret = ch_submit(c);

	if (ret)
		return ret;
	ret = sync_finish(c->nv, c->done);
	if (ret != 1 || c->n > PUSH_BYTES / 8)
		ch_rewind(c);
	return ret;
}

bool poll_word(volatile uint32_t *p, uint32_t want)
{
	int64_t start = now_ns();

	while (*p != want && may_come(start))
		;

	return *p == want;
}

bool ch_works(struct ch *c)
{
	static uint32_t magic = 0x600d0000;
	struct drm_nvfifo_channel_query q;
	int ret;

	p_ref(c, ++magic);
	ret = ch_run(c);
	if (ret != 1) {
		diag("channel %u: run gave %d", c->id, ret);
		return false;
	}
	if (chan_query(c->nv, c->id, &q))
		return false;
	if (q.state != DRM_NVFIFO_CHANNEL_ALIVE || q.ref != magic)
		diag("channel %u: state %u ref 0x%x, not 0x%x", c->id, q.state, q.ref, magic);
	return q.state == DRM_NVFIFO_CHANNEL_ALIVE && q.ref == magic;
}

#define SLEEP_MS	10

int ch_sleep(struct ch *c, uint32_t handle, volatile uint32_t *word)
{
	pid_t pid;
	int ret;

	*word = 0;
	p_acquire(c, handle, 0, 1);
	need(!ch_submit(c), "SUBMIT");

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		msleep(SLEEP_MS);
		*word = 1;
		_exit(0);
	}

	ret = sync_finish(c->nv, c->done);
	need(waitpid(pid, NULL, 0) == pid, "the end of the child");

	return ret;
}
