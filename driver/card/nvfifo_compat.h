/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels from 6.12 on.
 *
 * Stable and distribution kernels backport interfaces of newer versions. So Kbuild searches the
 * kernel's headers and defines NVFIFO_HAVE_*; no code here tests a version.
 */
#ifndef _NVFIFO_COMPAT_H_
#define _NVFIFO_COMPAT_H_

/* No other has been tried. */
#ifndef CONFIG_64BIT
#error "nvfifo needs a 64-bit kernel"
#endif

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/gpu_scheduler.h>

/* 6.15: arguments of drm_sched_init() in a structure. */
static inline int nvfifo_sched_init(struct drm_gpu_scheduler *sched,
				    const struct drm_sched_backend_ops *ops,
				    struct workqueue_struct *wq, u32 credits, const char *name,
				    struct device *dev)
{
#ifdef NVFIFO_HAVE_SCHED_INIT_ARGS
	const struct drm_sched_init_args args = {
		.ops = ops,
		.submit_wq = wq,
#ifdef NVFIFO_HAVE_SCHED_NUM_RQS
		.num_rqs = 1,
#endif
		.credit_limit = credits,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = name,
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
#else
	return drm_sched_init(sched, ops, wq, 1, credits, 0, MAX_SCHEDULE_TIMEOUT, NULL, NULL,
			      name, dev);
#endif
}

/* 6.17: jobs carry the id of the DRM client. */
static inline int nvfifo_sched_job_init(struct drm_sched_job *job,
					struct drm_sched_entity *entity, u32 credits,
					void *owner, u64 client)
{
#ifdef NVFIFO_HAVE_SCHED_CLIENT_ID
	return drm_sched_job_init(job, entity, credits, owner, client);
#else
	return drm_sched_job_init(job, entity, credits, owner);
#endif
}

/* 6.16: the plain names are those of the functions that take the lock. */
#ifdef NVFIFO_HAVE_VMAP_UNLOCKED
#define nvfifo_gem_vmap		drm_gem_vmap_unlocked
#define nvfifo_gem_vunmap	drm_gem_vunmap_unlocked
#else
#define nvfifo_gem_vmap		drm_gem_vmap
#define nvfifo_gem_vunmap	drm_gem_vunmap
#endif

/* 6.15: an event tells user space to rebind the driver; 6.17: with the process. */
static inline void nvfifo_wedged_event(struct drm_device *drm)
{
#if defined(NVFIFO_HAVE_WEDGE_TASK_INFO)
	drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_REBIND, NULL);
#elif defined(NVFIFO_HAVE_WEDGED_EVENT)
	drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_REBIND);
#endif
}

/*
 * Unmap a dma-buf from the card for good. Up to 6.15 an attachment may keep the mapping for the
 * next one, and with it the exporter's pin, until it is detached. It does so for the buffers of DRM
 * drivers.
 */
static inline void nvfifo_dma_buf_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt)
{
	dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);

#ifdef NVFIFO_HAVE_DMA_BUF_CACHE
	dma_resv_lock(attach->dmabuf->resv, NULL);

	if (attach->sgt) {
#ifdef NVFIFO_HIDDEN_PAGES
		struct scatterlist *sg;
		int i;

		/* The kernel has hidden the pages from the importer, and shows them again here. */
		for_each_sgtable_sg(attach->sgt, sg, i)
			sg->page_link ^= ~0xffUL;
#endif
		attach->dmabuf->ops->unmap_dma_buf(attach, attach->sgt, attach->dir);
		attach->sgt = NULL;

		if (dma_buf_is_dynamic(attach->dmabuf))
			attach->dmabuf->ops->unpin(attach);
	}

	dma_resv_unlock(attach->dmabuf->resv);
#endif
}

#ifndef NVFIFO_HAVE_VMA_IS_COW_MAPPING
/* 7.3: another name and another argument. */
static inline bool vma_is_cow_mapping(const struct vm_area_struct *vma)
{
	return is_cow_mapping(vma->vm_flags);
}
#endif

#endif
