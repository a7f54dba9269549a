/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_WORKS_H_
#define _NVFIFO_WORKS_H_

struct nvfifo_device;
struct workqueue_struct;

/* Work queues of all devices */
extern struct workqueue_struct *nvfifo_wq;	/* watchdog, bans of channels after errors, ... */
extern struct workqueue_struct *nvfifo_end_wq;	/* channels that clients destroy */
extern struct workqueue_struct *nvfifo_sched_wq;	/* jobs of SUBMIT, which wait for nothing */
extern struct workqueue_struct *nvfifo_bind_wq;	/* VM_BINDs, which may wait for PGRAPH */

int nvfifo_works_init(void);
void nvfifo_works_fini(void);
void nvfifo_live_get(struct nvfifo_device *ndev);
void nvfifo_live_put(struct nvfifo_device *ndev);

#endif
