// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Work queues and the life of the module
 *
 * All cards share the work queues, so only the module's exit may wait for a whole queue. A queue
 * has a limited number of workers. Items that wait for the card, or for work of clients, have their
 * own queues. So the watchdog and the jobs of SUBMIT never wait for a worker of theirs.
 *
 * A work item may free channels and address spaces after the last file was closed. Each of these
 * objects keeps the device and the module: nvfifo_live_get() counts them, and the module's exit
 * waits for the last one.
 */
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"
#include "nvfifo_works.h"

struct workqueue_struct *nvfifo_wq;
struct workqueue_struct *nvfifo_end_wq;
struct workqueue_struct *nvfifo_sched_wq;
struct workqueue_struct *nvfifo_bind_wq;

static const struct {
	const char *name;
	struct workqueue_struct **wq;
	int workers;	/* 0: the kernel's default */
} queues[] = {
	{ NVFIFO_NAME, &nvfifo_wq },
	{ NVFIFO_NAME "-end", &nvfifo_end_wq },
	{ NVFIFO_NAME "-sched", &nvfifo_sched_wq },
	{ NVFIFO_NAME "-bind", &nvfifo_bind_wq, WQ_MAX_ACTIVE },
};

/* Number of channels and address spaces. The module's exit waits until it is 0. */
static atomic_t live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(live_wq);

/**
 * nvfifo_live_get() - Keep the device and the module until a work item has freed an object
 * @ndev: the device
 */
void nvfifo_live_get(struct nvfifo_device *ndev)
{
	drm_dev_get(&ndev->drm);
	atomic_inc(&live);
}

/**
 * nvfifo_live_put() - Undo nvfifo_live_get()
 * @ndev: the device, which the caller does not use any more
 *
 * The work item calls it last.
 */
void nvfifo_live_put(struct nvfifo_device *ndev)
{
	drm_dev_put(&ndev->drm);
	atomic_dec(&live);
	wake_up_all(&live_wq);
}

static void queues_destroy(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++) {
		if (*queues[i].wq)
			destroy_workqueue(*queues[i].wq);

		*queues[i].wq = NULL;
	}
}

/**
 * nvfifo_works_init() - Make the work queues
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_works_init(void)
{
	unsigned int i;

	/*
	 * Not freezable: other drivers may wait for fences during a suspend until the card sleeps.
	 */
	for (i = 0; i < ARRAY_SIZE(queues); i++) {
		*queues[i].wq = alloc_workqueue("%s", WQ_UNBOUND | WQ_MEM_RECLAIM,
						queues[i].workers, queues[i].name);
		if (!*queues[i].wq) {
			queues_destroy();
			return -ENOMEM;
		}
	}

	return 0;
}

/**
 * nvfifo_works_fini() - Wait for the last channel and address space, and destroy the work queues
 *
 * Context: The exit of the module, sleeps.
 */
void nvfifo_works_fini(void)
{
	wait_event(live_wq, !atomic_read(&live));
	queues_destroy();
}
