/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CHAN_H_
#define _NVFIFO_CHAN_H_

#include <linux/completion.h>

#include <drm/drm_file.h>

#include "nvfifo_mem.h"
#include "nvfifo_ramht.h"
#include "nvfifo_software.h"
#include "nvfifo_sync.h"
#include "nvfifo_clock.h"
#include "uapi/nvfifo_drm.h"

struct nvfifo_capture;
struct nvfifo_file;
struct nvfifo_vm;

/* Of one file without CAP_SYS_NICE: a quarter of what PFIFO has. */
#define NVFIFO_FILE_CHANNELS		32

#define NVFIFO_RING_ORDER_MIN		3
#define NVFIFO_RING_ORDER_MAX		12
#define NVFIFO_RING_ORDER_DEFAULT	9

/* A full ring has 16 jobs in each. */
#define NVFIFO_WORD_BUCKETS		256

/**
 * struct nvfifo_chan_state - All channels of the card
 * @zombies: channels that are destroyed and not yet freed
 * @wedge_told: user space knows that the card is wedged (nvfifo_chan_ban_work())
 */
struct nvfifo_chan_state {
	atomic_t zombies;
	bool wedge_told;
};

/**
 * struct nvfifo_chan_error - Why a channel died, and where it was
 * @error: enum drm_nvfifo_channel_error
 * @error_code: code of the unit that found the error
 * @error_method: method and subchannel
 * @error_data: the method's data
 * @error_detail: what else the unit says
 * @hw_id: number in PFIFO, 0 if the position that follows was not read
 * @get: DMA_GET
 * @put: DMA_PUT
 * @mget: DMA_MGET, if @mget_valid
 * @mget_valid: the pusher is in a segment
 * @ib_get: IB_GET
 * @ib_put: IB_PUT
 * @ref: the reference counter
 * @loaded: the channel is loaded in CACHE1
 * @dma_state: DMA_STATE
 * @method_count: METHOD_COUNT
 * @subroutine: SUBROUTINE
 * @bound: ENGINE
 * @fault: the fields that follow are the MMU's fault record
 * @fault_address: virtual address
 * @fault_engine: VM engine
 * @fault_client: client of the engine
 * @fault_slot: slot of the client
 * @fault_reason: enum nvfifo_fault_reason
 * @fault_write: it was a write
 *
 * CHANNEL_QUERY copies it to the uapi's structure.
 */
struct nvfifo_chan_error {
	u32 error, error_code, error_method, error_data, error_detail;

	u32 hw_id;
	u64 get, put, mget;
	u32 mget_valid;
	u32 ib_get, ib_put;
	u32 ref;
	u32 loaded;
	u32 dma_state, method_count, subroutine, bound;

	u32 fault;
	u64 fault_address;
	u32 fault_engine, fault_client, fault_slot, fault_reason, fault_write;
};

/* Tells a file that one of its channels died. */
struct nvfifo_event {
	struct drm_pending_event base;
	struct drm_nvfifo_event_channel_dead event;
};

/* A channel. The file, each job and the interrupt handler hold references. */
struct nvfifo_chan {
	struct kref ref;
	struct nvfifo_device *ndev;
	struct nvfifo_vm *vm;
	struct list_head vm_link;	/* in nvfifo_vm.chans */

	bool charged;			/* it counts for the user, until it is freed */
	ktime_t born;			/* when its owner asked for it */
	u32 id;				/* PFIFO's number */
	bool ib;			/* IB mode, else NV04's */
	bool user_queue;
	u32 hang_limit_ms;
	u32 faults;			/* VM faults on record (fifo_lock) */

	struct nvfifo_inst inst;	/* channel structure */
	struct mutex lock;		/* RAMHT and objects */
	struct nvfifo_ramht ramht;
	struct list_head bos;		/* of unpaged objects, referenced */
	struct drm_gem_object *gr_image;	/* context of PGRAPH, once it has objects of it */
	u32 engines;			/* that have objects, bit n for engine n */

	u32 table;			/* channel table entry without ENABLE */
	bool listed;			/* in the channel table, enabled or not (fifo_lock) */
	bool running;			/* enabled and in the playlist (fifo_lock) */
	struct drm_gem_object *control;	/* page of a user queue */

	/* Ring, fence segments and fence page: contiguous, coherent */
	void *mem;
	dma_addr_t mem_dma;
	size_t mem_size;
	struct drm_mm_node mem_va;	/* where the card sees it */

	u32 fence_page;			/* offset */
	unsigned int order;		/* log2 of the ring's entries */
	u64 ring;			/* where the card sees them, also if they are the owner's */
	u32 put;			/* next ring entry (fence_lock) */

	struct nvfifo_queue queue;	/* for jobs that have to wait */
	struct mutex submit_lock;	/* order of jobs */

	spinlock_t fence_lock;		/* up to completed, and death */
	u64 fence_context;
	u64 submitted;			/* seqno of the last SUBMIT, and of its fence */

	struct list_head jobs;		/* that have not ended: in the ring, then those that wait */
	u32 queued;			/* number of the latter, which the scheduler has */
	wait_queue_head_t waiters;	/* wait for the end of a SUBMIT, or for room in the queue */
	u32 used;			/* ring entries of the former */
	unsigned long progress;		/* when the oldest job in the ring became that, jiffies */
	struct nvfifo_clock clock;	/* the watchdog's */

	u64 completed;			/* seqno of the last SUBMIT that has ended */
	u64 written;			/* seqno of the last SUBMIT in the ring */

	struct hlist_head words[NVFIFO_WORD_BUCKETS];	/* jobs in the ring, by their words */
	u32 ended_word;			/* of the last job that has ended */
	bool forged;			/* the page held a word that the driver did not release */
	int dead;			/* errno of the fences to come, 0 while alive */

	/* Of CHANNEL_WAIT, without a lock, as they are guesses: */
	unsigned int poll_misses;	/* how many sleep at once after the last poll in vain */
	unsigned int poll_skip;		/* those of them that are left */

	/* fifo_lock: */
	struct nvfifo_event *event;	/* sent when an error ends the channel, or NULL */

	struct nvfifo_software software;

	bool banned;			/* it was taken off the card; condemned if only dead */
	struct nvfifo_chan_error error;	/* and where it was, if hw_id is not 0 */
	struct nvfifo_capture *capture;	/* for its dump, from the error until its fences end */

	struct work_struct end_work;	/* destroys it for its owner, who does not wait for long */
	bool ending;			/* end_work was queued */
	struct completion ended;	/* end_work is done */
	struct work_struct work;	/* frees it */
};

struct nvfifo_chan *nvfifo_chan_create(struct nvfifo_vm *vm, struct drm_file *file,
				       struct drm_nvfifo_channel_create *args);
void nvfifo_chan_destroy(struct nvfifo_chan *chan);
void nvfifo_chan_ban(struct nvfifo_chan *chan, int err, enum drm_nvfifo_channel_error error);
void nvfifo_chan_wake_all(struct nvfifo_device *ndev);
void nvfifo_chan_ban_work(struct work_struct *work);
void nvfifo_chan_stop_all(struct nvfifo_device *ndev);
void nvfifo_chan_ban_all(struct nvfifo_device *ndev, int err);
void nvfifo_chan_detach_all(struct nvfifo_device *ndev);
void nvfifo_chan_free_all(struct nvfifo_device *ndev, struct nvfifo_file *nfile);

void nvfifo_chan_settle(struct nvfifo_device *ndev);
void nvfifo_chan_suspend_all(struct nvfifo_device *ndev);
int nvfifo_chan_resume_all(struct nvfifo_device *ndev);

#endif
