/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CHAN_H_
#define _NVFIFO_CHAN_H_

#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/ratelimit_types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>

#include "mem/nvfifo_mem.h"
#include "nvfifo_ramht.h"
#include "fifo/nvfifo_sched.h"
#include "uapi/nvfifo_drm.h"

struct nvfifo_class;
struct nvfifo_vm;

/* --- Open files ----------------------------------------------------------- */

/* Channels of one file: a quarter of PFIFO's. */
#define NVFIFO_FILE_CHANNELS	32

/* Address spaces of one file. */
#define NVFIFO_FILE_VMS		64

/**
 * struct nvfifo_file - One open file
 * @ref: references of DRM's file, and of objects that may outlive it
 * @vms: address spaces, by id
 * @chans: channels, by id
 * @num_channels: channels that are not freed yet
 * @num_vms: address spaces that are not freed yet
 * @zombies: channels that are destroyed and not freed yet
 * @bytes: sizes of the buffers that are not freed yet
 * @errors: limits the dumps of channels that errors end
 */
struct nvfifo_file {
	struct kref ref;
	struct xarray vms, chans;
	atomic64_t num_channels;
	atomic64_t num_vms;
	atomic_t zombies;
	atomic64_t bytes;
	struct ratelimit_state errors;
};

struct nvfifo_file *nvfifo_file_create(void);
struct nvfifo_file *nvfifo_file_get(struct nvfifo_file *nfile);
void nvfifo_file_put(struct nvfifo_file *nfile);
u64 nvfifo_file_max_bytes(struct nvfifo_device *ndev);
int nvfifo_file_count(struct nvfifo_device *ndev, atomic64_t *used, u64 amount, u64 limit,
		      const char *what);

/* --- The watchdog --------------------------------------------------------- */

/**
 * struct nvfifo_watch_state - The watchdog of all channels
 * @work: checks all channels that have work
 * @watched: time of the last check
 * @polled: time of the last check for a lost interrupt, jiffies
 */
struct nvfifo_watch_state {
	struct delayed_work work;
	ktime_t watched;
	unsigned long polled;
};

/* Mean interval between two checks of the watchdog, ms */
#define NVFIFO_WATCH_MS		200

/* Time for which a channel has made no progress; all 0 while it has no work. */
struct nvfifo_clock {
	bool running;
	u64 mark;		/* changes when the channel makes progress */
	u32 ran_ms;		/* the channel held up the card, or no other did */
	u32 waited_ms;		/* another channel had the card */
	u32 sharers;		/* most channels that had work at once, itself included */
};

void nvfifo_watch_work(struct work_struct *work);
void nvfifo_watch_stop(struct nvfifo_device *ndev);
void nvfifo_clock_tick(struct nvfifo_clock *clock, u64 mark, u32 ms, bool to_blame, u32 sharers);
u32 nvfifo_clock_excess(const struct nvfifo_clock *clock, u32 limit_ms);
int nvfifo_job_timeout_check(void);
u32 nvfifo_hang_limit_max(void);
u32 nvfifo_job_timeout_us(void);
void nvfifo_watch_start(struct nvfifo_device *ndev);

/* --- Channels ------------------------------------------------------------- */

/* A full ring has 16 jobs in each bucket. */
#define NVFIFO_WORD_BUCKETS		256

#define NVFIFO_SUBCHANNELS	8

/**
 * struct nvfifo_software - The software objects of a channel
 * @objects: set of handles, whose methods the driver accepts
 * @bound: handle of the object bound to each subchannel, or 0 (fifo_lock)
 */
struct nvfifo_software {
	struct xarray objects;
	u32 bound[NVFIFO_SUBCHANNELS];
};

/**
 * struct nvfifo_chan_state - All channels of the card
 * @zombies: channels that are destroyed and not yet freed
 * @wedge_sent: the event about a wedged card was sent (nvfifo_chan_ban_work())
 */
struct nvfifo_chan_state {
	atomic_t zombies;
	bool wedge_sent;
};

/**
 * enum nvfifo_chan_phase - A channel and PFIFO (fifo_lock)
 * @NVFIFO_CHAN_PARKED: not on the card, but it may run: at first, and during a suspend
 * @NVFIFO_CHAN_RUNNING: enabled in the channel table; playlists name it
 * @NVFIFO_CHAN_LEAVING: in the channel table, but disabled; PFIFO or an engine may still hold it
 * @NVFIFO_CHAN_OFF: off the card for good
 */
enum nvfifo_chan_phase {
	NVFIFO_CHAN_PARKED,
	NVFIFO_CHAN_RUNNING,
	NVFIFO_CHAN_LEAVING,
	NVFIFO_CHAN_OFF,
};

/* Event that reports the death of a channel to its file */
struct nvfifo_event {
	struct drm_pending_event base;
	struct drm_nvfifo_event_channel_dead event;
};

/* A channel. The file, each job and the interrupt handler hold references. */
struct nvfifo_chan {
	struct kref ref;
	struct rcu_head rcu;		/* nvfifo_chan_get() takes no lock */
	struct nvfifo_device *ndev;
	struct nvfifo_vm *vm;
	struct list_head vm_link;	/* in nvfifo_vm.chans */

	struct nvfifo_file *nfile;	/* file that counts it, until it is freed, or NULL */
	u32 id;				/* id in PFIFO */
	bool ib;			/* IB mode, else NV04's */
	bool user_queue;
	u32 hang_limit_ms;

	struct nvfifo_inst inst;	/* channel structure */
	struct mutex lock;		/* RAMHT and objects */
	struct nvfifo_ramht ramht;
	struct list_head bos;		/* buffers of unpaged objects, referenced */
	struct drm_gem_object *gr_image;	/* PGRAPH context, from the first object on */
	u32 engines;			/* engines with objects, bit n for engine n */

	u32 table;			/* channel table entry without ENABLE */
	enum nvfifo_chan_phase phase;	/* fifo_lock */
	struct drm_gem_object *control;	/* page of a user queue */

	/* Ring, fence segments and fence page: contiguous, coherent */
	void *mem;
	dma_addr_t mem_dma;
	size_t mem_size;
	struct drm_mm_node mem_va;	/* virtual address of mem */

	u32 fence_page;			/* offset */
	unsigned int order;		/* log2 of the ring's entries */
	u64 ring;			/* virtual address of the ring */
	u32 put;			/* next ring entry (fence_lock) */

	struct nvfifo_queue queue;	/* scheduler, for jobs that cannot run at once */
	struct mutex submit_lock;	/* order of jobs */

	spinlock_t fence_lock;		/* guards the fields up to dead */
	u64 fence_context;
	u64 submitted;			/* seqno of the last SUBMIT, and of its fence */

	struct list_head jobs;		/* not ended: in the ring, then queued */
	u32 queued;			/* jobs in the scheduler */
	wait_queue_head_t waiters;	/* threads that wait for a SUBMIT's end or for room */
	u32 used;			/* ring entries of jobs in the ring */
	unsigned long progress;		/* start of the oldest job in the ring, jiffies */
	struct nvfifo_clock clock;	/* the watchdog's */

	u64 completed;			/* seqno of the last SUBMIT that has ended */
	u64 written;			/* seqno of the last SUBMIT in the ring */

	struct hlist_head words[NVFIFO_WORD_BUCKETS];	/* jobs in the ring, by their words */
	u32 ended_word;			/* word of the last job that has ended */
	int dead;			/* errno of the fences to come, 0 while alive */

	/* fifo_lock: */
	struct nvfifo_event *event;	/* sent when an error ends the channel, or NULL */

	struct nvfifo_software software;

	/* The answer of CHANNEL_QUERY after its end. It has no position if hw_id is 0. */
	struct drm_nvfifo_channel_query error;

	struct work_struct work;	/* ends it for its owner, and frees it */
	struct completion ended;	/* its owner has not destroyed it, or it has ended */
};

/* All channels that run, with fifo_lock held. */
#define nvfifo_for_each_chan(ndev, id, chan) xa_for_each(&(ndev)->fifo.chans, id, chan)

int nvfifo_chid_alloc(struct nvfifo_chan *chan);
void nvfifo_chid_publish(struct nvfifo_chan *chan);
void nvfifo_chid_free(struct nvfifo_chan *chan);

bool nvfifo_chid_any_attached(struct nvfifo_device *ndev);
bool nvfifo_chid_any_leaving(struct nvfifo_device *ndev);
bool nvfifo_chid_is_first_of_vm(struct nvfifo_chan *chan);

struct nvfifo_chan *nvfifo_chan_lookup(struct nvfifo_device *ndev, struct drm_file *file, u32 id,
				       const char *argument);
struct nvfifo_chan *nvfifo_chan_get(struct nvfifo_device *ndev, u32 id);
struct nvfifo_chan *nvfifo_chan_next(struct nvfifo_device *ndev, struct nvfifo_chan *chan);
void nvfifo_chan_put(struct nvfifo_chan *chan);
DEFINE_FREE(chan_put, struct nvfifo_chan *, nvfifo_chan_put(_T))

bool nvfifo_chan_may_become(enum nvfifo_chan_phase from, enum nvfifo_chan_phase to);
void nvfifo_chan_set_phase(struct nvfifo_chan *chan, enum nvfifo_chan_phase phase);
int nvfifo_chan_is_dead(struct nvfifo_chan *chan);
void nvfifo_chan_kill(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_query *error);

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
bool nvfifo_chan_suspend_all(struct nvfifo_device *ndev);
int nvfifo_chan_resume(struct nvfifo_chan *chan);
int nvfifo_chan_resume_all(struct nvfifo_device *ndev);

/* Objects */
int nvfifo_object_enter(struct nvfifo_chan *chan, u32 handle, const struct nvfifo_class *class,
			const u32 *w);
void nvfifo_chan_bos_free(struct nvfifo_chan *chan);
int nvfifo_engines_check(void);
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev);

#endif
