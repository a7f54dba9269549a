// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Jobs and fences
 *
 * A SUBMIT without unsignalled fences goes to the ring directly: its entries, and one more whose
 * segment releases the fence. Then the driver rings the doorbell, IB_PUT. It reads no register. If
 * a fence is not signalled yet, or the ring is full, the SUBMIT becomes a job of the channel's
 * scheduler. The credits of a job are the ring entries it takes. To keep the order, such a job
 * waits for all work that went to the ring directly before it. No SUBMIT goes there directly until
 * the job has run.
 *
 * Each channel has its own scheduler, because PFIFO schedules the channels.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nvfifo_args.h"
#include "nvfifo_bo.h"
#include "nvfifo_chan.h"
#include "nvfifo_chid.h"
#include "nvfifo_clock.h"
#include "nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "nvfifo_fence.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ring.h"
#include "nvfifo_sched.h"
#include "nvfifo_sync.h"
#include "nvfifo_trace.h"
#include "nvfifo_vm.h"
#include "nvfifo_works.h"

/* Most jobs in the scheduler of a channel. SUBMIT sleeps while there are so many. */
#define QUEUED_MAX	1024

/* Most words of a SUBMIT in the event nvfifo_words, because reads of VRAM are slow. */
#define TRACED_MAX	4096

/* --- Jobs ---------------------------------------------------------------- */

/* The scheduler's part of a SUBMIT, until the SUBMIT is written to the ring */
struct queued_job {
	struct drm_sched_job base;
	struct nvfifo_job *job;		/* with a reference to its fence */
	struct nvfifo_chan *chan;	/* with a reference */
	u32 count;
	__le64 entries[] __counted_by(count);
};

/* Number of entries that are copied and checked at once, and that need no allocation */
#define BLOCK_ENTRIES	32

/* A SUBMIT while its call runs */
struct submission {
	struct nvfifo_job *job;
	__le64 *entries;		/* checked, as the ring has them; in DMA mode the new PUT */
	u32 count;
	struct nvfifo_syncs syncs;
	__le64 *few;			/* room for BLOCK_ENTRIES */
};

/* Add a job to the list, which gets its own reference to the fence. */
static void job_start(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	nvfifo_job_init(job, chan->fence_context, ++chan->submitted);
	dma_fence_get(&job->fence);
	list_add_tail(&job->link, &chan->jobs);
}

/* Return: 0 if channel and card are in use, else the errno for new work. */
static int refuse_work(const struct nvfifo_chan *chan)
{
	const int dead = READ_ONCE(chan->dead);

	if (dead)
		return dead;

	return nvfifo_check_wedged(chan->ndev);
}

/* Do entries fit into the ring? One entry stays unused, to tell a full ring from an empty one. */
static bool has_room(const struct nvfifo_chan *chan, u32 slots)
{
	return chan->used + slots < 1u << chan->order;
}

/* --- Running jobs -------------------------------------------------------- */

static void job_write(struct nvfifo_chan *chan, struct nvfifo_job *job, const __le64 *entries,
		      u32 count)
{
	lockdep_assert_held(&chan->fence_lock);

	if (!chan->used)
		chan->progress = jiffies;

	chan->used += job->slots;
	chan->written = job->fence.seqno;
	nvfifo_job_enter_ring(chan, job);
	nvfifo_ring_submit(chan, entries, count, job->fence.seqno, job->word);
	nvfifo_watch_start(chan->ndev);
}

/*
 * Write a queued job to the ring, after its dependencies. The scheduler runs a job only when it has
 * credits for all its entries, so the ring has room.
 */
static struct dma_fence *job_run(struct drm_sched_job *base)
{
	struct queued_job *queued = container_of(base, struct queued_job, base);
	struct nvfifo_chan *chan = queued->chan;
	int ret = 0;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return ERR_PTR(-ENODEV);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = refuse_work(chan);
		if (!ret) {
			chan->queued--;
			job_write(chan, queued->job, queued->entries, queued->count);
		}
	}

	wake_up_all(&chan->waiters);

	return ret ? ERR_PTR(ret) : dma_fence_get(&queued->job->fence);
}

static void job_free(struct drm_sched_job *base)
{
	struct queued_job *queued = container_of(base, struct queued_job, base);

	drm_sched_job_cleanup(base);
	dma_fence_put(&queued->job->fence);
	nvfifo_chan_put(queued->chan);
	kvfree(queued);
}

static const struct drm_sched_backend_ops nvfifo_sched_ops = {
	.run_job = job_run,
	.free_job = job_free,
};

/**
 * nvfifo_chan_sched_init() - Give a channel its scheduler and its fences
 * @chan: the channel, with its fence page allocated
 *
 * Return: 0, or an errno of the scheduler.
 */
int nvfifo_chan_sched_init(struct nvfifo_chan *chan)
{
	__le32 *page = chan->mem + chan->fence_page;

	if (chan->ib)
		WRITE_ONCE(*page, cpu_to_le32(nvfifo_fence_first_word(chan)));

	page[NVFIFO_FENCE_KNOWN / 4] = cpu_to_le32(NVFIFO_FENCE_KNOWN_WORD);

	chan->fence_context = dma_fence_context_alloc(1);

	return nvfifo_queue_init(chan->ndev, &chan->queue, nvfifo_sched_wq, &nvfifo_sched_ops,
				 (1u << chan->order) - 1);
}

/**
 * nvfifo_chan_sched_stop() - Refuse new jobs, and fail queued ones
 * @chan: the channel, which is dead
 *
 * Context: Process context, sleeps. Takes submit_lock.
 */
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan)
{
	if (!nvfifo_queue_is_set_up(&chan->queue))
		return;

	/* Let a SUBMIT that saw the channel alive push its job first. */
	guard(mutex)(&chan->submit_lock);

	nvfifo_queue_kill(&chan->queue);
}

/**
 * nvfifo_chan_sched_pause_all() - Stop running and freeing queued jobs
 * @ndev: the device, about to sleep
 */
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (nvfifo_queue_is_set_up(&chan->queue))
			nvfifo_queue_pause(&chan->queue);
}

/**
 * nvfifo_chan_sched_unpause_all() - Undo nvfifo_chan_sched_pause_all()
 * @ndev: the device, after the resume
 */
void nvfifo_chan_sched_unpause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (nvfifo_queue_is_set_up(&chan->queue))
			nvfifo_queue_unpause(&chan->queue);
}

/**
 * nvfifo_chan_sched_fini() - Free a channel's scheduler
 * @chan: the channel, with all jobs freed
 */
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan)
{
	if (!nvfifo_queue_is_set_up(&chan->queue))
		return;

	nvfifo_queue_fini(&chan->queue);
}

/* --- SUBMIT -------------------------------------------------------------- */

/* Check the rules of an entry one by one, with a message. In DMA mode the entry is the new PUT. */
static int check_entry(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *e)
{
	const bool ib = chan->ib;
	const struct nvfifo_rule rules[] = {
		{ !ib && (e->words || e->flags), "words or flags in DMA mode" },
		{ !ib && (e->address < NVFIFO_VA_START || e->address >= SZ_4G),
		  "address is not in 0x10000 to 0xfffffffc" },
		{ e->address % 4, "address is no multiple of 4" },
		{ e->flags & ~(DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH),
		  "flags has unknown bits" },
		{ ib && (!e->words || e->words > NVFIFO_IB_WORDS_MAX),
		  "words is not in 1 to 2097151" },
		{ e->address < NVFIFO_VA_START || e->address >= NVFIFO_VA_END ||
		  e->words * 4ULL > NVFIFO_VA_END - e->address,
		  "address with words is not in 0x10000 to 0xffe0000000" },
		{}
	};

	return nvfifo_check_rules(chan->ndev, "submit.entries", rules);
}

/*
 * Encode a block of entries, and check them. @first is the number of its first entry, for a
 * message.
 */
static int block_encode(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *block, u32 count,
			u32 first, __le64 *out)
{
	int ret = 0;
	u32 i;

	if (!chan->ib)
		*out = cpu_to_le64(block->address);
	else if (nvfifo_ring_encode(block, count, out))
		return 0;

	for (i = 0; i < count && !ret; i++) {
		ret = check_entry(chan, &block[i]);
		if (ret)
			drm_dbg(&chan->ndev->drm,
				"submit.entries[%u]: %#llx, %u words, flags %#x\n", first + i,
				block[i].address, block[i].words, block[i].flags);
	}

	return ret;
}

/* Write a job to the ring, with submit_lock held. Return: -EAGAIN if it must be queued. */
static int submit_now(struct nvfifo_chan *chan, const struct submission *sub)
{
	struct nvfifo_job *job = sub->job;
	int ret;

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		/* Jobs may have ended whose interrupt is still pending. */
		if (!has_room(chan, job->slots))
			nvfifo_fences_process_locked(chan);

		ret = refuse_work(chan);
		if (!ret && (chan->queued || !has_room(chan, job->slots)))
			ret = -EAGAIN;
		if (!ret) {
			job_start(chan, job);
			job_write(chan, job, sub->entries, sub->count);
		}
	}

	return ret;
}

/**
 * nvfifo_submit_segment() - Submit a segment to a channel of the driver
 * @chan: the channel; the caller is inside CLASS(nvfifo_enter)
 * @address: of the segment
 * @words: its length
 *
 * Return: the fence with a reference; an error pointer to -EAGAIN if the ring is full, -ENOMEM,
 * -EIO, -ENODEV, or the errno of a dead channel.
 */
struct dma_fence *nvfifo_submit_segment(struct nvfifo_chan *chan, u64 address, u32 words)
{
	__le64 entry = nvfifo_ring_entry(address, words, 0);
	struct submission sub = { .entries = &entry, .count = 1 };
	int ret;

	sub.job = kmalloc(sizeof(*sub.job), GFP_KERNEL);
	if (!sub.job)
		return ERR_PTR(-ENOMEM);

	sub.job->slots = 2;

	guard(mutex)(&chan->submit_lock);

	ret = submit_now(chan, &sub);
	if (ret) {
		kfree(sub.job);
		return ERR_PTR(ret);
	}

	return &sub.job->fence;
}

/* Make the scheduler's part of a job, with the previous job and fences as dependencies. */
static struct queued_job *queued_job_new(struct nvfifo_chan *chan, struct drm_file *file,
					 struct submission *sub)
{
	struct queued_job *queued = kvzalloc(struct_size(queued, entries, sub->count),
					     GFP_KERNEL_ACCOUNT);
	struct dma_fence *last = NULL;
	int ret;

	if (!queued)
		return ERR_PTR(-ENOMEM);

	queued->count = sub->count;
	memcpy(queued->entries, sub->entries, sub->count * sizeof(*sub->entries));

	ret = nvfifo_sched_job_init(&queued->base, &chan->queue.entity, sub->job->slots, chan,
				    file->client_id);
	if (ret) {
		kvfree(queued);
		return ERR_PTR(ret);
	}

	/*
	 * Depend on the last job that went to the ring directly, because the scheduler does not
	 * know it.
	 */
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		if (chan->used && !chan->queued)
			last = dma_fence_get(&list_last_entry(&chan->jobs, struct nvfifo_job,
							      link)->fence);

	ret = drm_sched_job_add_dependency(&queued->base, last);
	if (!ret)
		ret = nvfifo_syncs_depend(&sub->syncs, &queued->base);
	if (ret) {
		drm_sched_job_cleanup(&queued->base);
		kvfree(queued);
		return ERR_PTR(ret);
	}

	return queued;
}

/* Queue a job in the scheduler, with submit_lock held. */
static int submit_later(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub)
{
	struct queued_job *queued = queued_job_new(chan, file, sub);
	int ret;

	if (IS_ERR(queued))
		return PTR_ERR(queued);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = chan->dead;
		if (!ret) {
			job_start(chan, sub->job);
			chan->queued++;
		}
	}

	if (ret) {
		drm_sched_job_cleanup(&queued->base);
		kvfree(queued);
		return ret;
	}

	kref_get(&chan->ref);
	queued->chan = chan;
	dma_fence_get(&sub->job->fence);
	queued->job = sub->job;
	drm_sched_job_arm(&queued->base);
	drm_sched_entity_push_job(&queued->base);

	return 0;
}

/* Submit once. Return: -EAGAIN if the job must be queued, and @try is set or the queue is full. */
static int submit_try(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub,
		      bool try)
{
	int ret;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return -ENODEV;

	ret = nvfifo_user_writes_flush(chan->ndev, &chan->vm->seen);
	if (ret)
		return ret;

	guard(mutex)(&chan->submit_lock);

	ret = -EAGAIN;

	if (!sub->syncs.num_waits)
		ret = submit_now(chan, sub);
	if (ret == -EAGAIN && !try && chan->queued < QUEUED_MAX)
		ret = submit_later(chan, file, sub);

	return ret;
}

static bool has_room_or_end(struct nvfifo_chan *chan)
{
	return READ_ONCE(chan->queued) < QUEUED_MAX || READ_ONCE(chan->dead) ||
	       READ_ONCE(chan->ndev->removing);
}

/* Submit, and sleep while the channel's queue is full. Return: -EAGAIN only with @try. */
static int submit(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub,
		  bool try)
{
	int ret;

	for (;;) {
		ret = submit_try(chan, file, sub, try);
		if (ret != -EAGAIN || try)
			return ret;

		ret = wait_event_interruptible(chan->waiters, has_room_or_end(chan));
		if (ret)
			return ret;

		/*
		 * Early in the card's removal the gate is open and the channel alive, so check
		 * @removing.
		 */
		if (READ_ONCE(chan->ndev->removing))
			return -ENODEV;
	}
}

/* Trace the submitted words at once, before the client can change them. */
static void trace_words(struct nvfifo_chan *chan, const struct submission *sub)
{
	struct nvfifo_words_part part = { .number = sub->job->fence.seqno };
	struct nvfifo_ib_entry entry;
	u32 left = TRACED_MAX;
	u32 *data, w[2];

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return;

	data = kmalloc_array(NVFIFO_WORDS_PART, sizeof(*data), GFP_KERNEL);
	if (!data)
		return;

	part.data = data;
	for (part.index = 0; part.index < sub->count; part.index++) {
		w[0] = lower_32_bits(le64_to_cpu(sub->entries[part.index]));
		w[1] = upper_32_bits(le64_to_cpu(sub->entries[part.index]));
		entry = nvfifo_ib_decode(w);
		part.va = entry.address;
		part.words = entry.words;

		for (part.first = 0; part.first < part.words && left; part.first += part.count) {
			part.count = min3(part.words - part.first, (u32)NVFIFO_WORDS_PART, left);
			part.count = nvfifo_vm_read(chan->vm, NULL, part.va + part.first * 4ULL,
						    data, part.count);
			if (!part.count)
				break;

			trace_nvfifo_words(chan, &part);
			left -= part.count;
		}
	}

	kfree(data);
}

static int entries_fault(struct nvfifo_chan *chan, const struct drm_nvfifo_array *in)
{
	return nvfifo_fail(chan->ndev, -EFAULT, "submit.entries.ptr %#llx: %d", in->ptr, -EFAULT);
}

/* Copy a few entries. One load for each field is faster than a call of copy_from_user(). */
static int few_entries_copy(struct nvfifo_chan *chan, const struct drm_nvfifo_array *in, u32 first,
			    u32 count, struct drm_nvfifo_entry *few)
{
	const struct drm_nvfifo_entry __user *user = u64_to_user_ptr(in->ptr);
	u32 i;

	user += first;
	if (!user_read_access_begin(user, count * sizeof(*user)))
		return entries_fault(chan, in);

	for (i = 0; i < count; i++) {
		unsafe_get_user(few[i].address, &user[i].address, fault);
		unsafe_get_user(few[i].words, &user[i].words, fault);
		unsafe_get_user(few[i].flags, &user[i].flags, fault);
	}

	user_read_access_end();

	return 0;

fault:
	user_read_access_end();

	return entries_fault(chan, in);
}

/* Copy a block of entries. Copies of a constant size need no checks of the kernel's memory. */
static int block_copy(struct nvfifo_chan *chan, const struct drm_nvfifo_array *in, u32 first,
		      u32 count, struct drm_nvfifo_entry *block)
{
	const struct drm_nvfifo_entry __user *user = u64_to_user_ptr(in->ptr);

	if (in->stride != sizeof(*block))
		return nvfifo_array_copy(chan->ndev, in, first, count, sizeof(*block), block,
					 "submit.entries");

	if (count < BLOCK_ENTRIES)
		return few_entries_copy(chan, in, first, count, block);

	if (copy_from_user(block, user + first, BLOCK_ENTRIES * sizeof(*block)))
		return entries_fault(chan, in);

	return 0;
}

/* Copy the entries of a SUBMIT, check and encode them, one block after the other. */
static noinline_for_stack int blocks_get(struct nvfifo_chan *chan,
					 const struct drm_nvfifo_array *in, __le64 *out)
{
	struct drm_nvfifo_entry block[BLOCK_ENTRIES];
	u32 first, count;
	int ret;

	for (first = 0; first < in->count; first += count) {
		count = min(in->count - first, BLOCK_ENTRIES);
		ret = block_copy(chan, in, first, count, block);
		if (!ret)
			ret = block_encode(chan, block, count, first, out + first);
		if (ret)
			return ret;
	}

	return 0;
}

/*
 * Get the entries of a SUBMIT from user space. Each is read once, so the client cannot change it
 * after the check.
 */
static int entries_get(struct nvfifo_chan *chan, const struct drm_nvfifo_array *in,
		       struct submission *sub)
{
	/* One entry of the ring stays unused, one is for the fence. */
	const u32 max = (1u << chan->order) - 2;
	struct drm_nvfifo_entry one;
	int ret;

	sub->count = in->count;

	/* Most SUBMITs have one entry, so they get the shortest path. */
	if (in->count == 1 && in->stride == sizeof(one)) {
		ret = few_entries_copy(chan, in, 0, 1, &one);
		if (ret)
			return ret;

		return block_encode(chan, &one, 1, 0, sub->entries);
	}

	ret = nvfifo_array_check(chan->ndev, in, sizeof(one), max, "submit.entries");
	if (ret)
		return ret;

	if (!chan->ib && in->count != 1)
		return nvfifo_einval(chan->ndev, "submit.entries.count %u is not 1 in DMA mode",
				     in->count);

	if (in->count > BLOCK_ENTRIES)
		sub->entries = kvmalloc_array(in->count, sizeof(*sub->entries), GFP_KERNEL_ACCOUNT);
	if (!sub->entries)
		return -ENOMEM;

	return blocks_get(chan, in, sub->entries);
}

static void submission_free(struct submission *sub)
{
	nvfifo_syncs_free(&sub->syncs);

	if (sub->entries != sub->few)
		kvfree(sub->entries);
}

/* Check a SUBMIT, and make its job. The caller frees both even after an error. */
static int submission_get(struct nvfifo_chan *chan, struct drm_file *file,
			  const struct drm_nvfifo_submit *args, struct submission *sub)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	ret = entries_get(chan, &args->entries, sub);
	if (ret)
		return ret;

	ret = nvfifo_syncs_get(ndev, file, &args->syncs, "submit.syncs", &sub->syncs);
	if (ret)
		return ret;

	if (!chan->ib && nvfifo_syncs_signal(&sub->syncs))
		return nvfifo_fail(ndev, -EOPNOTSUPP,
				   "submit.syncs: a channel in DMA mode signals none");

	sub->job = kmalloc(sizeof(*sub->job), GFP_KERNEL_ACCOUNT);
	if (!sub->job)
		return -ENOMEM;

	sub->job->slots = 1;
	if (chan->ib)
		sub->job->slots += sub->count;

	return 0;
}

/**
 * nvfifo_ioctl_submit() - SUBMIT
 * @drm: the card
 * @data: struct drm_nvfifo_submit
 * @file: whose channel it is
 *
 * Context: Outside of CLASS(nvfifo_enter), because it may wait for room in the queue.
 *
 * Return: 0 or an errno as uapi/nvfifo_drm.h has them.
 */
int nvfifo_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_submit *args = data;
	__le64 few[BLOCK_ENTRIES];
	struct submission sub = { .entries = few, .few = few };
	int ret;

	if (args->flags & ~DRM_NVFIFO_SUBMIT_TRY)
		return nvfifo_einval(ndev, "submit.flags %#x: unknown bits", args->flags);

	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "submit.channel_id");
	if (!chan)
		return -ENOENT;

	ret = refuse_work(chan);
	if (ret)
		return ret;

	if (chan->user_queue)
		return nvfifo_fail(ndev, -EOPNOTSUPP, "submit.channel_id %u has a user queue",
				   args->channel_id);

	ret = submission_get(chan, file, args, &sub);
	if (!ret)
		ret = submit(chan, file, &sub, args->flags & DRM_NVFIFO_SUBMIT_TRY);
	if (ret) {
		kfree(sub.job);
	} else {
		args->seqno = sub.job->fence.seqno;
		nvfifo_syncs_attach(&sub.syncs, &sub.job->fence);
		if (trace_nvfifo_words_enabled())
			trace_words(chan, &sub);
		dma_fence_put(&sub.job->fence);
		atomic64_inc(&ndev->counters.submits);
	}

	submission_free(&sub);

	return ret;
}
