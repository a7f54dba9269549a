// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Shares of a user
 *
 * The driver cannot revoke resources, so it limits the share of each user. It does so for VRAM,
 * compression tag cells, address spaces, channels, system memory of buffers, and kernel memory for
 * page tables. Each file has an account, and each user has one for all files that the user has
 * opened, so that opening more files gains nothing. Subordinate ids count as their owner. A process
 * with CAP_SYS_RESOURCE may exceed the shares. A resource that outlives its file, such as a shared
 * buffer, stays on the account of that file.
 *
 * An account also limits the time for which PFIFO waits for the driver. A further limit is for the
 * driver's work on errors: the ban of a channel and its report. The life of the channel, up to a
 * tenth of a second, counts as such work. A loop of errors spends it in calls that create the
 * channel, its objects and its memory. If the calls for channel and objects take longer, they count
 * instead, up to 400 ms. CHANNEL_CREATE waits if the user's channels end by errors faster than
 * user_errors allows, or if the errors take more than a twentieth of the time. Channels that end
 * without an error are not charged. Users over the limit of errors share it, because one person may
 * have many user ids.
 *
 * Jobs that may wait for the card, or take long, run in a work queue that all users share. The jobs
 * of one user occupy a few of its workers; further jobs wait for these without a worker.
 *
 * An account without files is kept while it counts against such a limit. Otherwise a user could
 * evade the limit by opening the node again.
 */
#include <linux/cred.h>
#include <linux/dma-fence.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/timerqueue.h>
#include <linux/user_namespace.h>

#include "nvfifo_args.h"
#include "nvfifo_quota.h"
#include "nvfifo_sched.h"

/* An address space costs some 80 KiB of kernel memory. */
#define VMS_SHARE	256

/*
 * Buffers may have 1/2 of the machine's memory. The kernel's search for a process to kill does not
 * count them, so a user with all of the memory would cost others their processes.
 */
#define SYSTEM_SHARE	2

/* Page tables may use 1/4 of instance memory, which channels need as well. */
#define INST_TABLES_SHARE	4

/* Half of the channels of PFIFO. */
#define CHANNELS_SHARE	64

/* Time in a second for which PFIFO may stand still for a user, and stops that are always free. */
#define STALL_US	(50 * USEC_PER_MSEC)
#define STALLS_FREE	64

/* Threads of a user that each interrupt wakes. An interrupt does not say which word was written. */
#define WAKES_SHARE	16

/* Workers that jobs of a user occupy, of 512 or more */
#define SLOTS_SHARE	4

/* Workers that jobs of all users occupy, before each user gets only one */
#define SLOTS_MANY	128

/* Dumps of a user's channels: a burst, then one in each interval */
#define DUMP_BURST		8
#define DUMP_INTERVAL_MS	250

/* Seconds of errors that a user may make at once, and the longest wait for them */
#define ERROR_BURST_S	8
#define ERROR_WAIT_MS	8000

/*
 * The driver spends at most a twentieth of the time on a user's errors. The user's process takes
 * as much again, before the error and after it.
 */
#define ERROR_PARTS	20
#define ERROR_WORK_NS	(100 * NSEC_PER_MSEC)

/* One channel costs its user no more than the longest wait. */
#define ERROR_LIFE_NS	(ERROR_WAIT_MS / ERROR_PARTS * NSEC_PER_MSEC)

/* Most accounts that are kept without a file */
#define IDLE_USERS	32

static unsigned int user_errors = 32;
module_param(user_errors, uint, 0644);
MODULE_PARM_DESC(user_errors, "Channels of one user that errors may end in a second, before CHANNEL_CREATE makes a user without CAP_SYS_RESOURCE wait; 0: any number (default: 32)");

static unsigned int user_share = 75;
module_param(user_share, uint, 0444);
MODULE_PARM_DESC(user_share, "Percent of VRAM, and of the compression tags, that one user may hold without CAP_SYS_RESOURCE (default: 75)");

/**
 * struct nvfifo_user - Account of a user, for one card
 * @link: in users, by uid
 * @idle: in idle_users while no file refers to it
 * @ndev: the card
 * @uid: the user who opened the files
 * @files: number of accounts that refer to this one
 * @used: by resource
 * @stall_since: begin of the second that @stalls and @stalled_us count, jiffies
 * @stalls: number of times that PFIFO stood still for the user
 * @stalled_us: time for which PFIFO stood still, microseconds
 * @wakes: threads that each interrupt wakes
 * @dumps: time at which the dumps so far would end, at one in DUMP_INTERVAL_MS
 * @errors: time at which the errors so far would end, at the rate of the limit
 * @over: in many_errors while the user exceeds the limit of errors
 * @error_charge_ns: sum of the times that errors have added to @errors
 * @slots: workers that its jobs occupy
 * @slot_queue: jobs that wait for a worker, by nvfifo_slot.link
 * @turn: held by the one thread of the user that waits for engine_lock and PGRAPH
 * @error_turn: held by the one thread of the user that waits because of errors, then creates a
 *	channel
 */
struct nvfifo_user {
	struct hlist_node link;
	struct list_head idle;
	const struct nvfifo_device *ndev;
	kuid_t uid;
	unsigned int files;
	u64 used[NVFIFO_RESOURCES];
	unsigned long stall_since;
	u32 stalls;
	u64 stalled_us;
	u32 wakes;
	ktime_t dumps;
	ktime_t errors;
	struct timerqueue_node over;
	u64 error_charge_ns;
	u32 slots;
	struct list_head slot_queue;
	struct mutex turn;	/* before engine_lock */
	struct mutex error_turn;
};

/* User namespaces give one person tens of thousands of uids, so hash them. */
static DEFINE_HASHTABLE(users, 8);
static LIST_HEAD(idle_users);	/* the most recently used first */

/* Users of all cards who exceed the limit of errors, by the end of that, and their number */
static struct timerqueue_head many_errors = { RB_ROOT_CACHED };
static unsigned int num_many_errors;

/* Workers that jobs of all users occupy, for all cards */
static unsigned int num_slots;

/* The tables of users, and all amounts. */
static DEFINE_SPINLOCK(users_lock);

static bool is_idle(const struct nvfifo_user *user)
{
	ktime_t now = ktime_get();

	return ktime_before(user->dumps, ktime_sub_ms(now, DUMP_BURST * DUMP_INTERVAL_MS)) &&
	       ktime_before(user->errors, ktime_sub_ms(now, ERROR_BURST_S * MSEC_PER_SEC)) &&
	       time_after(jiffies, user->stall_since + HZ);
}

/* Take a user off many_errors. */
static void many_errors_del(struct nvfifo_user *user)
{
	lockdep_assert_held(&users_lock);

	if (RB_EMPTY_NODE(&user->over.node))
		return;

	timerqueue_del(&many_errors, &user->over);
	num_many_errors--;
}

/* Free accounts without a file: those that count nothing, and the oldest ones beyond @keep. */
static void users_trim(unsigned int keep)
{
	struct nvfifo_user *user, *tmp;
	unsigned int n = 0;

	lockdep_assert_held(&users_lock);

	list_for_each_entry_safe(user, tmp, &idle_users, idle) {
		if (!is_idle(user) && n++ < keep)
			continue;

		many_errors_del(user);
		hash_del(&user->link);
		list_del(&user->idle);
		kfree(user);
	}
}

/**
 * nvfifo_quota_fini() - Free the accounts that are kept without a file
 *
 * Runs at the module's exit, when no device is left.
 */
void nvfifo_quota_fini(void)
{
	guard(spinlock)(&users_lock);

	users_trim(0);
}

/*
 * Find the user who is accountable for the calling process. A person with subordinate ids can use
 * them only in a user namespace that the person has made. The owner of the outermost one is
 * accountable. Namespaces of root do not count, as the users in them may be different persons.
 */
static kuid_t accountable_uid(void)
{
	const struct cred *cred = current_cred();
	const struct user_namespace *ns;
	kuid_t uid = cred->uid;

	for (ns = cred->user_ns; ns->level; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;

	return uid;
}

/* Get the account of the calling user, or NULL without memory. */
static struct nvfifo_user *user_get(const struct nvfifo_device *ndev)
{
	const kuid_t uid = accountable_uid();
	struct nvfifo_user *fresh __free(kfree) = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	struct nvfifo_user *user;

	if (!fresh)
		return NULL;

	guard(spinlock)(&users_lock);

	users_trim(IDLE_USERS);
	hash_for_each_possible(users, user, link, __kuid_val(uid)) {
		if (user->ndev == ndev && uid_eq(user->uid, uid)) {
			list_del_init(&user->idle);
			user->files++;
			return user;
		}
	}

	fresh->ndev = ndev;
	fresh->uid = uid;
	fresh->files = 1;
	fresh->dumps = ktime_sub_ms(ktime_get(), DUMP_BURST * DUMP_INTERVAL_MS);
	fresh->errors = ktime_sub_ms(ktime_get(), ERROR_BURST_S * MSEC_PER_SEC);
	timerqueue_init(&fresh->over);
	INIT_LIST_HEAD(&fresh->slot_queue);
	mutex_init(&fresh->turn);
	mutex_init(&fresh->error_turn);
	INIT_LIST_HEAD(&fresh->idle);
	hash_add(users, &fresh->link, __kuid_val(uid));

	return no_free_ptr(fresh);
}

static void user_put(struct nvfifo_user *user)
{
	guard(spinlock)(&users_lock);

	if (--user->files)
		return;

	list_add(&user->idle, &idle_users);
	users_trim(IDLE_USERS);
}

/**
 * nvfifo_quota_create() - Open the account of a file
 * @ndev: the card
 *
 * Context: in a call of the user who opens the file.
 *
 * Return: the account with one reference, NULL without memory.
 */
struct nvfifo_quota *nvfifo_quota_create(const struct nvfifo_device *ndev)
{
	struct nvfifo_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;

	kref_init(&quota->ref);
	quota->user = user_get(ndev);
	if (quota->user)
		return quota;

	kfree(quota);

	return NULL;
}

/**
 * nvfifo_quota_get() - Take a reference
 * @quota: the account, NULL for the driver's own
 *
 * Return: @quota.
 */
struct nvfifo_quota *nvfifo_quota_get(struct nvfifo_quota *quota)
{
	if (quota)
		kref_get(&quota->ref);

	return quota;
}

static void quota_free(struct kref *ref)
{
	struct nvfifo_quota *quota = container_of(ref, struct nvfifo_quota, ref);

	user_put(quota->user);
	kfree(quota);
}

/**
 * nvfifo_quota_put() - Drop a reference
 * @quota: the account, or NULL
 */
void nvfifo_quota_put(struct nvfifo_quota *quota)
{
	if (quota)
		kref_put(&quota->ref, quota_free);
}

/**
 * nvfifo_quota_limit() - Get the share of one user
 * @ndev: the card
 * @what: resource
 *
 * Return: the share, in the resource's unit.
 */
u64 nvfifo_quota_limit(const struct nvfifo_device *ndev, enum nvfifo_resource what)
{
	const u32 percent = min(user_share, 100u);

	switch (what) {
	case NVFIFO_TABLES:
		return nvfifo_mem_facts(ndev)->heap_size / INST_TABLES_SHARE;
	case NVFIFO_VRAM:
		return div_u64(nvfifo_mem_facts(ndev)->vram_pool * percent, 100);
	case NVFIFO_TAGS:
		return nvfifo_mem_facts(ndev)->num_tags * percent / 100;
	case NVFIFO_CHANNELS_OPEN:
		return CHANNELS_SHARE;
	case NVFIFO_SYSTEM:
		return (u64)totalram_pages() * PAGE_SIZE / SYSTEM_SHARE;
	default:
		return VMS_SHARE;
	}
}

/**
 * nvfifo_quota_used() - Get the amount that a file holds
 * @quota: its account
 * @what: resource
 *
 * Return: the amount, in the resource's unit.
 */
u64 nvfifo_quota_used(struct nvfifo_quota *quota, enum nvfifo_resource what)
{
	guard(spinlock)(&users_lock);

	return quota->used[what];
}

/**
 * nvfifo_quota_user() - Identify the user of an account
 * @quota: the account of a file, NULL for the driver's own
 *
 * Return: a pointer that is unique to the user; it must not be dereferenced.
 */
const void *nvfifo_quota_user(const struct nvfifo_quota *quota)
{
	if (!quota)
		return NULL;

	return quota->user;
}

/**
 * nvfifo_quota_may_dump() - May the driver dump a channel of a user?
 * @quota: the account of a file
 *
 * A client can cause thousands of errors, and each dump costs time. Each user has a budget, so that
 * the errors of one do not use up the dumps of others.
 *
 * Context: any.
 *
 * Return: true if it may; the dump is counted.
 */
bool nvfifo_quota_may_dump(struct nvfifo_quota *quota)
{
	ktime_t now = ktime_get();
	struct nvfifo_user *user;

	if (!quota)
		return true;

	user = quota->user;
	guard(spinlock)(&users_lock);
	if (ktime_before(user->dumps, ktime_sub_ms(now, DUMP_BURST * DUMP_INTERVAL_MS)))
		user->dumps = ktime_sub_ms(now, DUMP_BURST * DUMP_INTERVAL_MS);
	if (ktime_after(ktime_add_ms(user->dumps, DUMP_INTERVAL_MS), now))
		return false;

	user->dumps = ktime_add_ms(user->dumps, DUMP_INTERVAL_MS);

	return true;
}

/* Return: number of users who exceed the limit of errors, with @user itself. */
static unsigned int error_sharers(const struct nvfifo_user *user)
{
	struct timerqueue_node *first;

	lockdep_assert_held(&users_lock);

	/* Each user who leaves was added by an error, so an error costs one step on average. */
	while ((first = timerqueue_getnext(&many_errors)) &&
	       !ktime_after(first->expires, ktime_get()))
		many_errors_del(container_of(first, struct nvfifo_user, over));

	return num_many_errors + RB_EMPTY_NODE(&user->over.node);
}

/* Charge a user, who may exceed the limit by the longest wait: more would not slow errors down. */
static void error_charge(struct nvfifo_user *user, s64 ns)
{
	const ktime_t most = ktime_add_ms(ktime_get(), ERROR_WAIT_MS);

	ns *= error_sharers(user);
	user->error_charge_ns += ns;
	user->errors = ktime_add_ns(user->errors, ns);
	if (ktime_after(user->errors, most))
		user->errors = most;

	many_errors_del(user);
	if (!ktime_after(user->errors, ktime_get()))
		return;

	user->over.expires = user->errors;
	timerqueue_add(&many_errors, &user->over);
	num_many_errors++;
}

/**
 * nvfifo_quota_error() - Count a channel that an error ends
 * @quota: the account of its file, or NULL
 *
 * Context: any.
 */
void nvfifo_quota_error(struct nvfifo_quota *quota)
{
	struct nvfifo_user *user;
	ktime_t first;

	if (!quota || !user_errors)
		return;

	user = quota->user;
	guard(spinlock)(&users_lock);
	first = ktime_sub_ms(ktime_get(), ERROR_BURST_S * MSEC_PER_SEC /
			     error_sharers(user));
	if (ktime_before(user->errors, first))
		user->errors = first;

	error_charge(user, NSEC_PER_SEC / user_errors);
}

/**
 * nvfifo_quota_work() - Measure the driver's work for a user since a point in time
 * @start: begin of the work
 *
 * Return: nanoseconds until now, at most 100 ms. A longer time includes waits for other users.
 */
s64 nvfifo_quota_work(ktime_t start)
{
	return clamp_t(s64, ktime_to_ns(ktime_sub(ktime_get(), start)), 0, ERROR_WORK_NS);
}

/**
 * nvfifo_quota_life() - Compute the charge for the life of a channel that an error ends
 * @born: time of CHANNEL_CREATE
 * @made_us: duration of CHANNEL_CREATE and of the channel's OBJECT_CREATEs, microseconds
 *
 * Return: nanoseconds since @born, at most 100 ms or, if more, @made_us up to 400 ms.
 */
s64 nvfifo_quota_life(ktime_t born, u32 made_us)
{
	const s64 most = clamp_t(s64, made_us * (s64)NSEC_PER_USEC, ERROR_WORK_NS, ERROR_LIFE_NS);

	return clamp_t(s64, ktime_to_ns(ktime_sub(ktime_get(), born)), 0, most);
}

/**
 * nvfifo_quota_error_work() - Charge the driver's time for a channel with an error
 * @quota: the account of the channel's file, or NULL
 * @ns: a result of nvfifo_quota_work(), or the sum of several
 *
 * Must follow nvfifo_quota_error() of the same channel.
 *
 * Context: any.
 */
void nvfifo_quota_error_work(struct nvfifo_quota *quota, s64 ns)
{
	if (!quota || !user_errors)
		return;

	guard(spinlock)(&users_lock);

	error_charge(quota->user, ERROR_PARTS * ns);
}

/**
 * nvfifo_quota_error_charge() - Get the time charged for a user's errors so far
 * @quota: the account of a file
 *
 * Context: any.
 *
 * Return: milliseconds since the creation of the user's account.
 */
u64 nvfifo_quota_error_charge(struct nvfifo_quota *quota)
{
	guard(spinlock)(&users_lock);

	return div_u64(quota->user->error_charge_ns, NSEC_PER_MSEC);
}

/**
 * nvfifo_quota_error_delay() - Get the delay of a user's next channel because of errors
 * @quota: the account of a file
 *
 * Context: any.
 *
 * Return: milliseconds, 0 if the user's errors are within the limit.
 */
u32 nvfifo_quota_error_delay(struct nvfifo_quota *quota)
{
	s64 ms;

	scoped_guard(spinlock, &users_lock)
		ms = ktime_ms_delta(quota->user->errors, ktime_get());

	return clamp_t(s64, ms, 0, ERROR_WAIT_MS);
}

/**
 * nvfifo_quota_error_wait() - Compute the wait of CHANNEL_CREATE because of a user's errors
 * @quota: the account of the file
 *
 * Context: in a call of the user.
 *
 * Return: milliseconds, 0 if the user's errors are within the limit, or with CAP_SYS_RESOURCE.
 */
u32 nvfifo_quota_error_wait(struct nvfifo_quota *quota)
{
	u32 ms = nvfifo_quota_error_delay(quota);

	if (!ms || capable(CAP_SYS_RESOURCE))
		return 0;

	return ms;
}

/**
 * nvfifo_quota_error_turn_begin() - Let one thread of a user wait because of errors
 * @quota: the account of the thread's file
 *
 * The wait has a limit. If many threads waited at once, each would create a channel after it,
 * however many errors the user has made. The caller must call nvfifo_quota_error_turn_end().
 *
 * Context: in a call of the user, sleeps.
 *
 * Return: 0 or -EINTR.
 */
int nvfifo_quota_error_turn_begin(struct nvfifo_quota *quota)
{
	return mutex_lock_interruptible(&quota->user->error_turn);
}

/**
 * nvfifo_quota_error_turn_end() - Undo nvfifo_quota_error_turn_begin()
 * @quota: the account
 */
void nvfifo_quota_error_turn_end(struct nvfifo_quota *quota)
{
	mutex_unlock(&quota->user->error_turn);
}

static bool quota_take(struct nvfifo_quota *quota, enum nvfifo_resource what, u64 amount,
		       u64 limit)
{
	guard(spinlock)(&users_lock);

	if (amount > limit || quota->user->used[what] > limit - amount)
		return false;

	quota->user->used[what] += amount;
	quota->used[what] += amount;

	return true;
}

/**
 * nvfifo_quota_charge() - Charge an amount to a file's account
 * @ndev: the card
 * @quota: the account, NULL for the driver's own
 * @what: resource
 * @amount: in the resource's unit
 *
 * Context: In a call of the process that is charged: its capabilities count.
 *
 * Return: 0, or -ENOSPC if the user would hold more than the share.
 */
int nvfifo_quota_charge(struct nvfifo_device *ndev, struct nvfifo_quota *quota,
			enum nvfifo_resource what, u64 amount)
{
	static const char * const names[] = {
		"bytes of page tables", "bytes of VRAM", "compression tags", "address spaces",
		"channels", "bytes of system memory",
	};
	const u64 limit = nvfifo_quota_limit(ndev, what);

	if (!quota || quota_take(quota, what, amount, limit))
		return 0;

	if (capable(CAP_SYS_RESOURCE) && quota_take(quota, what, amount, U64_MAX))
		return 0;

	return nvfifo_fail(ndev, -ENOSPC, "a user's share is %llu %s", limit, names[what]);
}

/**
 * nvfifo_quota_uncharge() - Take an amount off a file's account
 * @quota: the account, or NULL
 * @what: resource
 * @amount: amount that was charged
 */
void nvfifo_quota_uncharge(struct nvfifo_quota *quota, enum nvfifo_resource what, u64 amount)
{
	if (!quota)
		return;

	guard(spinlock)(&users_lock);

	quota->user->used[what] -= amount;
	quota->used[what] -= amount;
}

/**
 * nvfifo_quota_take_wake() - May one more thread of a user be woken by each interrupt?
 * @quota: the account of the thread's file
 *
 * Return: true if it may. Then the caller must call nvfifo_quota_give_wake().
 */
bool nvfifo_quota_take_wake(struct nvfifo_quota *quota)
{
	guard(spinlock)(&users_lock);

	if (quota->user->wakes >= WAKES_SHARE)
		return false;

	quota->user->wakes++;

	return true;
}

/**
 * nvfifo_quota_give_wake() - Undo nvfifo_quota_take_wake()
 * @quota: the account
 */
void nvfifo_quota_give_wake(struct nvfifo_quota *quota)
{
	guard(spinlock)(&users_lock);

	quota->user->wakes--;
}

/**
 * nvfifo_quota_turn_begin() - Let one thread of a user wait for PGRAPH
 * @quota: the account of the thread's file, or NULL
 *
 * A kick and a freeze wait for the present work of PGRAPH under engine_lock, one after the other.
 * Without turns, N threads of one user would delay those of others by N jobs. The caller must call
 * nvfifo_quota_turn_end().
 *
 * Context: Process context, sleeps. Without engine_lock and fifo_lock.
 */
void nvfifo_quota_turn_begin(struct nvfifo_quota *quota)
{
	if (quota)
		mutex_lock(&quota->user->turn);
}

/**
 * nvfifo_quota_turn_try() - As nvfifo_quota_turn_begin(), but killable
 * @quota: the account of the thread's file, or NULL
 *
 * Return: 0, or -EINTR without a turn if the process is killed.
 */
int nvfifo_quota_turn_try(struct nvfifo_quota *quota)
{
	if (!quota)
		return 0;

	return mutex_lock_killable(&quota->user->turn);
}

/**
 * nvfifo_quota_turn_end() - Undo nvfifo_quota_turn_begin()
 * @quota: the account, or NULL
 */
void nvfifo_quota_turn_end(struct nvfifo_quota *quota)
{
	if (quota)
		mutex_unlock(&quota->user->turn);
}

/**
 * nvfifo_slot_init() - Prepare the slot of a job
 * @slot: zeroed; the caller must call nvfifo_slot_fini() even after an error
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_slot_init(struct nvfifo_slot *slot)
{
	INIT_LIST_HEAD(&slot->link);
	slot->ready = nvfifo_fence_new();
	if (!slot->ready)
		return -ENOMEM;

	return 0;
}

/* May one more job of a user occupy a worker? One job of each user always may. */
static bool user_has_slot(const struct nvfifo_user *user)
{
	lockdep_assert_held(&users_lock);

	return !user->slots || (user->slots < SLOTS_SHARE && num_slots < SLOTS_MANY);
}

/**
 * nvfifo_slot_take() - Take a slot for a job, or queue the job for one
 * @quota: the account of the job's file, NULL for the driver's own
 * @slot: the job's
 *
 * A job that waited calls this again when the fence is signalled, and then holds the slot.
 *
 * Context: Process context. Allocates nothing.
 *
 * Return: NULL if the job may run, else a fence with a reference, which is signalled when it may
 * run.
 */
struct dma_fence *nvfifo_slot_take(struct nvfifo_quota *quota, struct nvfifo_slot *slot)
{
	struct nvfifo_user *user;

	if (!quota)
		return NULL;

	user = quota->user;
	guard(spinlock)(&users_lock);

	if (slot->held)
		return NULL;

	if (user_has_slot(user)) {
		user->slots++;
		num_slots++;
		slot->held = true;
		return NULL;
	}

	if (list_empty(&slot->link))
		list_add_tail(&slot->link, &user->slot_queue);

	return dma_fence_get(slot->ready);
}

/**
 * nvfifo_slot_give() - Pass the slot of a job on to the user's next job
 * @quota: the account of the job's file, or NULL
 * @slot: slot of the job; a job without a slot leaves the queue
 *
 * Context: Process context.
 */
void nvfifo_slot_give(struct nvfifo_quota *quota, struct nvfifo_slot *slot)
{
	struct dma_fence *ready = NULL;
	struct nvfifo_slot *next;

	if (!quota)
		return;

	scoped_guard(spinlock, &users_lock) {
		list_del_init(&slot->link);
		if (!slot->held)
			break;

		slot->held = false;
		next = list_first_entry_or_null(&quota->user->slot_queue, struct nvfifo_slot, link);
		if (next) {
			list_del_init(&next->link);
			next->held = true;
			ready = dma_fence_get(next->ready);
		} else {
			quota->user->slots--;
			num_slots--;
		}
	}

	if (ready)
		dma_fence_signal(ready);

	dma_fence_put(ready);
}

/**
 * nvfifo_slot_fini() - Undo nvfifo_slot_init(), whether the job has run or not
 * @quota: the account of the job's file, or NULL
 * @slot: the job's
 *
 * Context: Process context.
 */
void nvfifo_slot_fini(struct nvfifo_quota *quota, struct nvfifo_slot *slot)
{
	if (!slot->ready)
		return;

	nvfifo_slot_give(quota, slot);
	dma_fence_signal(slot->ready);
	dma_fence_put(slot->ready);
}

/**
 * nvfifo_quota_zombie() - Count a destroyed channel that is not freed yet
 * @quota: the account of its file, or NULL
 * @change: 1 at the destruction, -1 when it is freed
 */
void nvfifo_quota_zombie(struct nvfifo_quota *quota, int change)
{
	if (quota)
		atomic_add(change, &quota->zombies);
}

/**
 * nvfifo_quota_has_zombies() - Has a file destroyed channels that are not freed yet?
 * @quota: its account
 *
 * Return: true if it has.
 */
bool nvfifo_quota_has_zombies(const struct nvfifo_quota *quota)
{
	return atomic_read(&quota->zombies);
}

/**
 * nvfifo_quota_stall() - Count the time that PFIFO has stood still for a user
 * @quota: the account of the file whose channel made PFIFO wait for the driver, not NULL
 * @us: the time, microseconds
 *
 * Return: true while the user's stalls are within the limit for each second.
 */
bool nvfifo_quota_stall(struct nvfifo_quota *quota, u32 us)
{
	struct nvfifo_user *user = quota->user;

	guard(spinlock)(&users_lock);

	if (time_after(jiffies, user->stall_since + HZ)) {
		user->stall_since = jiffies;
		user->stalls = 0;
		user->stalled_us = 0;
	}

	user->stalls++;
	user->stalled_us += us;

	return user->stalls <= STALLS_FREE || user->stalled_us <= STALL_US;
}
