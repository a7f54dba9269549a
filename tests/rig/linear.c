// SPDX-License-Identifier: MIT
/* Channels in DMA mode and their linear buffer. */
#include "rig.h"

uint32_t fence_words(const struct nv *nv, uint64_t seqno, uint32_t w[16])
{
	uint32_t n = 0;

	w[n++] = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1);
	w[n++] = FENCE_HANDLE;
	if (nv->g84) {
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4);
		w[n++] = 0;
		w[n++] = 0;
		w[n++] = (uint32_t)seqno;
		w[n++] = NVFIFO_TRIGGER_RELEASE;
		w[n++] = cmd_word(0, NVFIFO_MTHD_NOTIFY_INTR, 1);
		w[n++] = 0;
	} else {
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_OFFSET, 1);
		w[n++] = 0;
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
		w[n++] = (uint32_t)seqno;
		w[n++] = cmd_word(7, NVFIFO_MTHD_OBJECT, 1);
		w[n++] = SW_HANDLE;
	}

	return n;
}

struct lin lin_order(struct nv *nv, uint32_t vm, uint32_t order, uint64_t bytes)
{
	struct lin l = { .nv = nv, .vm = vm };
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_DMA_MODE, .ring_order = order,
	};
	int ret;

	l.buf = sys_bo(nv, bytes);
	l.va = map(nv, vm, &l.buf);
	c.start = l.va;
	ret = chan_create_args(nv, &c);
	need(!ret && c.id, "CHANNEL_CREATE in DMA mode: %s", strerror(-ret));
	l.id = c.id;
	return l;
}

uint64_t lin_at(const struct lin *l)
{
	return l->va + l->n * 4ull;
}

void l_word(struct lin *l, uint32_t w)
{
	need(l->n < l->buf.size / 4, "linear buffer of the test is full");
	((volatile uint32_t *)l->buf.map)[l->n++] = w;
}

void l_mthd(struct lin *l, uint32_t mthd, uint32_t data)
{
	l_word(l, cmd_word(0, mthd, 1));
	l_word(l, data);
}

void l_sem(struct lin *l, uint32_t handle, uint32_t offset)
{
	l_word(l, cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2));
	l_word(l, handle);
	l_word(l, offset);
}

void l_release(struct lin *l, uint32_t handle, uint32_t offset, uint32_t val)
{
	l_sem(l, handle, offset);
	l_mthd(l, NVFIFO_MTHD_SEMAPHORE_RELEASE, val);
}

void l_acquire(struct lin *l, uint32_t handle, uint32_t offset, uint32_t val)
{
	l_sem(l, handle, offset);
	l_mthd(l, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, val);
}

void l_fence(struct lin *l)
{
	uint32_t w[16], n = fence_words(l->nv, l->seqno + 1, w), i;

	for (i = 0; i < n; i++)
		l_word(l, w[i]);
}

int lin_put(struct lin *l, uint64_t put, const struct drm_nvfifo_sync *syncs, uint32_t n)
{
	struct drm_nvfifo_entry e = { .address = put };
	uint64_t seqno;
	int ret = submit_raw(l->nv, l->id, &e, 1, syncs, n, &seqno);

	if (!ret)
		l->seqno = seqno;
	return ret;
}

int lin_submit_when(struct lin *l, uint32_t wait)
{
	struct drm_nvfifo_sync s = sync_wait_for(wait);

	return lin_put(l, lin_at(l), &s, wait ? 1 : 0);
}

int lin_submit(struct lin *l)
{
	return lin_submit_when(l, 0);
}

int lin_wait_ms(struct lin *l, uint64_t seqno, unsigned int ms)
{
	struct drm_nvfifo_channel_wait w = {
		.channel_id = l->id,
		.value = (uint32_t)seqno,
		.timeout_ns = ms ? now_ns() + ms * 1000000ll : 0,
		.flags = DRM_NVFIFO_WAIT_SUBMIT,
	};
	int ret = nv_ioctl(l->nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);

	if (ret == -ETIME)
		return 0;
	return ret ? ret : 1;
}

int lin_finish(struct lin *l, uint64_t seqno)
{
	return lin_wait_ms(l, seqno, WAIT_MS);
}

bool lin_has_ended(struct lin *l, uint64_t seqno)
{
	return lin_wait_ms(l, seqno, 0) == 1;
}

int lin_run(struct lin *l)
{
	int ret;

	l_fence(l);
	ret = lin_submit(l);
	if (ret)
		return ret;

	return lin_finish(l, l->seqno);
}
