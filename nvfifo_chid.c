// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Channels by number
 *
 * The table of channels by PFIFO's number, and the references that keep a channel. The last
 * reference queues nvfifo_chan.work, which frees the channel in nvfifo_chan.c.
 */
#include "nvfifo_chan.h"
#include "nvfifo_chid.h"
#include "nvfifo_drv.h"
#include "nvfifo_works.h"

/**
 * nvfifo_chid_alloc() - Take a number for a channel
 * @chan: the channel, whose id is set; it stays 0 after an error
 *
 * Lookups find the channel after nvfifo_chid_publish().
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int nvfifo_chid_alloc(struct nvfifo_chan *chan)
{
	u32 id;
	int ret = xa_alloc(&chan->ndev->fifo.chans, &id, NULL,
			   XA_LIMIT(NVFIFO_CHAN_MIN, NVFIFO_CHAN_MAX), GFP_KERNEL);

	if (ret == -EBUSY)
		return -ENOSPC;

	/* Without memory xa_alloc() sets a number that another channel may take. */
	if (ret)
		return ret;

	chan->id = id;

	return 0;
}

/**
 * nvfifo_chid_publish() - Let look-ups find a channel
 * @chan: the channel, with fifo_lock held
 */
void nvfifo_chid_publish(struct nvfifo_chan *chan)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);

	/* nvfifo_chid_alloc() has reserved the entry, so this cannot fail. */
	xa_store(&chan->ndev->fifo.chans, chan->id, chan, GFP_KERNEL);
}

/**
 * nvfifo_chid_free() - Free a channel's number
 * @chan: the channel, without references; it may have no number
 *
 * Context: Takes fifo_lock.
 */
void nvfifo_chid_free(struct nvfifo_chan *chan)
{
	guard(mutex)(&chan->ndev->fifo_lock);

	xa_erase(&chan->ndev->fifo.chans, chan->id);
}

static void chan_release(struct kref *ref)
{
	struct nvfifo_chan *chan = container_of(ref, struct nvfifo_chan, ref);

	queue_work(nvfifo_end_wq, &chan->work);
}

/**
 * nvfifo_chan_put() - Drop a reference
 * @chan: the channel, or NULL
 *
 * Context: Any. After the last reference a work item frees the channel.
 */
void nvfifo_chan_put(struct nvfifo_chan *chan)
{
	if (chan)
		kref_put(&chan->ref, chan_release);
}

/**
 * nvfifo_chan_lookup() - Find the channel that a call names
 * @ndev: the device
 * @file: the caller's file
 * @id: the file's number of the channel
 * @argument: name of the argument, for a message at debug level
 *
 * Return: the channel with a reference, or NULL if the file has none of that number.
 */
struct nvfifo_chan *nvfifo_chan_lookup(struct nvfifo_device *ndev, struct drm_file *file, u32 id,
				       const char *argument)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_chan *chan;

	/* The file drops its reference after it has erased the channel under this lock. */
	xa_lock(&nfile->chans);
	chan = xa_load(&nfile->chans, id);
	if (chan)
		kref_get(&chan->ref);
	xa_unlock(&nfile->chans);

	if (!chan)
		drm_dbg(&ndev->drm, "%s %u is unknown\n", argument, id);

	return chan;
}

/**
 * nvfifo_chan_get() - Find the channel with one of PFIFO's numbers
 * @ndev: the device
 * @id: the number, below NVFIFO_CHANNELS
 *
 * Context: Any, also the hard interrupt handler.
 *
 * Return: the channel with a reference, or NULL if no channel has the number.
 */
struct nvfifo_chan *nvfifo_chan_get(struct nvfifo_device *ndev, u32 id)
{
	struct nvfifo_chan *chan;

	/* A channel's memory is freed after a grace period. */
	guard(rcu)();

	chan = xa_load(&ndev->fifo.chans, id);
	if (chan && !kref_get_unless_zero(&chan->ref))
		return NULL;

	return chan;
}

/**
 * nvfifo_chan_next() - Walk over all channels of a card
 * @ndev: the device
 * @chan: the channel to go on from, whose reference is dropped, or NULL
 *
 * Return: the next channel with a reference, NULL after the last one.
 */
struct nvfifo_chan *nvfifo_chan_next(struct nvfifo_device *ndev, struct nvfifo_chan *chan)
{
	unsigned long id = chan ? chan->id : 0;

	nvfifo_chan_put(chan);
	xa_lock(&ndev->fifo.chans);

	do
		chan = xa_find_after(&ndev->fifo.chans, &id, NVFIFO_CHAN_MAX, XA_PRESENT);
	while (chan && !kref_get_unless_zero(&chan->ref));
	xa_unlock(&ndev->fifo.chans);

	return chan;
}

static bool is_attached(struct nvfifo_chan *chan)
{
	return READ_ONCE(chan->mem) || !kref_read(&chan->ref);
}

static bool is_leaving(struct nvfifo_chan *chan)
{
	if (!kref_read(&chan->ref))
		return true;

	return READ_ONCE(chan->ending) && !completion_done(&chan->ended);
}

/*
 * Is there a channel that @matches, or one with a number that was never published? The latter is a
 * channel whose creation has failed, and that a work item will free.
 */
static bool any_channel(struct nvfifo_device *ndev, bool (*matches)(struct nvfifo_chan *chan))
{
	XA_STATE(xas, &ndev->fifo.chans, 0);
	bool found = false;
	void *entry;

	xa_lock(&ndev->fifo.chans);
	/* Unlike xa_for_each(), this also visits numbers without a published channel. */
	xas_for_each(&xas, entry, NVFIFO_CHAN_MAX)
		found |= xa_is_zero(entry) || matches(entry);

	xa_unlock(&ndev->fifo.chans);

	return found;
}

/**
 * nvfifo_chid_any_attached() - Is there a channel with a ring, or one that is being freed?
 * @ndev: the device, on which no call creates channels any more
 *
 * Return: true if there is one.
 */
bool nvfifo_chid_any_attached(struct nvfifo_device *ndev)
{
	return any_channel(ndev, is_attached);
}

/**
 * nvfifo_chid_any_leaving() - Will a work item end or free a channel?
 * @ndev: the device, on which no call creates channels any more
 *
 * Return: true if there is one.
 */
bool nvfifo_chid_any_leaving(struct nvfifo_device *ndev)
{
	return any_channel(ndev, is_leaving);
}

/**
 * nvfifo_chid_is_first_of_vm() - Is a channel the first one of its address space?
 * @chan: the channel
 *
 * Return: true if no channel of the address space has a lower number.
 */
bool nvfifo_chid_is_first_of_vm(struct nvfifo_chan *chan)
{
	struct nvfifo_chan *other;
	unsigned long id;

	xa_lock(&chan->ndev->fifo.chans);
	xa_for_each(&chan->ndev->fifo.chans, id, other)
		if (other->vm == chan->vm)
			break;

	xa_unlock(&chan->ndev->fifo.chans);

	return other == chan;
}
