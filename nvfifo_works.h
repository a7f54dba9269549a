/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_WORKS_H_
#define _NVFIFO_WORKS_H_

struct nvfifo_device;
struct workqueue_struct;

/* Work queues of all devices: channels and watchdogs; jobs of the schedulers. */
extern struct workqueue_struct *nvfifo_wq;
extern struct workqueue_struct *nvfifo_sched_wq;

int nvfifo_works_init(void);
void nvfifo_works_fini(void);
void nvfifo_live_get(struct nvfifo_device *ndev);
void nvfifo_live_put(struct nvfifo_device *ndev);

#endif
