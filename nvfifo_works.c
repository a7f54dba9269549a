// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Work queues and the life of the module
 *
 * A work item may free channels and address spaces when no file is open any more. They keep the
 * device and the module: nvfifo_live_get() counts them, and the module's exit waits for the last
 * one.
 */
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"
#include "nvfifo_works.h"

/* Channels and watchdogs of all devices; jobs of the schedulers. */
struct workqueue_struct *nvfifo_wq;
struct workqueue_struct *nvfifo_sched_wq;

/* Channels and address spaces that exist. The module stays until the last one has been freed. */
static atomic_t live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(live_wq);

/**
 * nvfifo_live_get - Keep the device and the module for what a work item frees
 * @ndev: the device
 */
void nvfifo_live_get(struct nvfifo_device *ndev)
{
	drm_dev_get(&ndev->drm);
	atomic_inc(&live);
}

/**
 * nvfifo_live_put - Undo nvfifo_live_get()
 * @ndev: the device, which the caller does not use any more
 *
 * It is the last call that the work item makes.
 */
void nvfifo_live_put(struct nvfifo_device *ndev)
{
	drm_dev_put(&ndev->drm);
	atomic_dec(&live);
	wake_up_all(&live_wq);
}

/**
 * nvfifo_works_init - Make the work queues
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_works_init(void)
{
	/* Not freezable: during a suspend others may wait for fences until the card sleeps. */
	nvfifo_wq = alloc_workqueue(NVFIFO_NAME, WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!nvfifo_wq)
		return -ENOMEM;

	nvfifo_sched_wq = alloc_workqueue(NVFIFO_NAME "-sched", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!nvfifo_sched_wq)
		destroy_workqueue(nvfifo_wq);

	return nvfifo_sched_wq ? 0 : -ENOMEM;
}

/**
 * nvfifo_works_fini - Wait for all that is still alive, and destroy the work queues
 *
 * Context: The exit of the module, sleeps.
 */
void nvfifo_works_fini(void)
{
	wait_event(live_wq, !atomic_read(&live));
	destroy_workqueue(nvfifo_sched_wq);
	destroy_workqueue(nvfifo_wq);
}
