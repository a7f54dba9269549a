// SPDX-License-Identifier: MIT
/* A snapshot of a file's objects from outside, to prove that a failed call changed nothing */
#include "rig.h"

struct state state_of(struct nv *nv, uint32_t chan)
{
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_query_device d;
	struct state s = { 0 };
	uint32_t i;

	need(!query(nv->fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)), "DEVICE_QUERY");
	s.vram_free = d.vram_free;
	s.tags_free = d.tags_free;

	for (i = 1; i < STATE_IDS; i++) {
		struct drm_nvfifo_vm_bind b = { .vm_id = i };
		struct drm_nvfifo_bo_info info = { .handle = i };

		s.vms |= (uint64_t)!nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_BIND, &b) << i;
		s.bos |= (uint64_t)!nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_INFO, &info) << i;
		s.chans |= (uint64_t)!chan_query(nv, i, &q) << i;
	}

	if (chan && !chan_query(nv, chan, &q)) {
		s.submitted = q.submitted;
		s.completed = q.completed;
		s.alive = q.state == DRM_NVFIFO_CHANNEL_ALIVE;
	}

	return s;
}

bool state_same(const struct state *a, const struct state *b)
{
	if (!memcmp(a, b, sizeof(*a)))
		return true;

	diag("VMs %llx -> %llx, channels %llx -> %llx, BOs %llx -> %llx",
	     (unsigned long long)a->vms, (unsigned long long)b->vms,
	     (unsigned long long)a->chans, (unsigned long long)b->chans,
	     (unsigned long long)a->bos, (unsigned long long)b->bos);
	diag("free VRAM 0x%llx -> 0x%llx, free tags %llu -> %llu", (unsigned long long)a->vram_free,
	     (unsigned long long)b->vram_free, (unsigned long long)a->tags_free,
	     (unsigned long long)b->tags_free);
	diag("submitted %llu -> %llu, completed %llu -> %llu, alive %llu -> %llu",
	     (unsigned long long)a->submitted, (unsigned long long)b->submitted,
	     (unsigned long long)a->completed, (unsigned long long)b->completed,
	     (unsigned long long)a->alive, (unsigned long long)b->alive);

	return false;
}
