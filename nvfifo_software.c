// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Software objects
 *
 * A software object belongs to no unit of the card. PFIFO stops with a CACHE_ERROR when a client
 * binds it, and at each of its methods. All channels stand still until the driver has handled the
 * interrupt.
 *
 * The owner of a channel may create such objects (OBJECT_CREATE). The driver sends each method to
 * the owner as an event, and PFIFO continues at once. A pushbuffer that needs the owner's answer
 * acquires a semaphore that the owner releases. Other channels run during that wait.
 *
 * A method that cannot be delivered gets its channel banned. The reason is a destroyed object, too
 * many unread events of the file, or a used up share of PFIFO's time.
 *
 * On G80 a fence raises its interrupt by binding the driver's own object. A pushbuffer may bind it
 * once for each SUBMIT that has ended.
 */
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_fence.h"
#include "nvfifo_software.h"
#include "nvfifo_vm.h"

/* Bindings of the driver's object that a channel may make in addition to its SUBMITs */

/* Event that reports a method to the file */
struct software_event {
	struct drm_pending_event base;
	struct drm_nvfifo_event_software_method event;
};

/**
 * nvfifo_software_init() - Initialise the software objects of a channel
 * @chan: the channel
 */
void nvfifo_software_init(struct nvfifo_chan *chan)
{
	xa_init_flags(&chan->software.objects, XA_FLAGS_ACCOUNT);
}

/**
 * nvfifo_software_fini() - Free the software objects of a channel
 * @chan: the channel, off the card
 */
void nvfifo_software_fini(struct nvfifo_chan *chan)
{
	xa_destroy(&chan->software.objects);
}

/**
 * nvfifo_software_add() - Accept the methods of an object
 * @chan: the channel
 * @handle: handle of the object, not yet in RAMHT
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_software_add(struct nvfifo_chan *chan, u32 handle)
{
	return xa_err(xa_store(&chan->software.objects, handle, xa_mk_value(1),
			       GFP_KERNEL_ACCOUNT));
}

/**
 * nvfifo_software_remove() - Refuse the methods of an object
 * @chan: the channel
 * @handle: handle of any object
 */
void nvfifo_software_remove(struct nvfifo_chan *chan, u32 handle)
{
	xa_erase(&chan->software.objects, handle);
}

/*
 * Send a method to the file. The event of the channel's death has a pointer to the file until the
 * file is closed. A channel that is not banned still has that event.
 */
static bool event_send(struct nvfifo_chan *chan, u32 handle, u32 method, u32 data)
{
	struct drm_device *drm = &chan->ndev->drm;
	struct software_event *event;
	struct drm_file *file;

	/* The allocation must not wait, because signalling fences waits for this handler. */
	event = kzalloc(sizeof(*event), GFP_ATOMIC);
	if (!event)
		return false;

	event->event.base.type = DRM_NVFIFO_EVENT_SOFTWARE_METHOD;
	event->event.base.length = sizeof(event->event);
	event->event.channel_id = chan->event->event.channel_id;
	event->event.user_data = chan->event->event.user_data;
	event->event.handle = handle;
	event->event.method = method;
	event->event.data = data;

	guard(spinlock_irqsave)(&drm->event_lock);

	file = chan->event->base.file_priv;
	if (!file || drm_event_reserve_init_locked(drm, file, &event->base, &event->event.base)) {
		kfree(event);
		return false;
	}

	drm_send_event_locked(drm, &event->base);

	return true;
}

/**
 * nvfifo_software_method() - Handle a method that PFIFO has stopped for
 * @chan: the channel that is loaded, with fifo_lock held
 * @subc: subchannel
 * @mthd: method, a multiple of 4 below 0x2000; 0 binds an object
 * @data: data word; a handle for method 0
 *
 * Return: true if the method was handled; false if it is an error.
 */
bool nvfifo_software_method(struct nvfifo_chan *chan, u32 subc, u32 mthd, u32 data)
{
	struct nvfifo_software *software = &chan->software;
	u32 handle = software->bound[subc];

	lockdep_assert_held(&chan->ndev->fifo_lock);

	if (mthd == NVFIFO_MTHD_OBJECT)
		handle = data;

	if (mthd == NVFIFO_MTHD_OBJECT && handle == NVFIFO_HANDLE_SW) {
		software->bound[subc] = 0;
		return !chan->ndev->chip->g84;
	}

	if (chan->dead || !xa_load(&software->objects, handle))
		return false;

	if (mthd == NVFIFO_MTHD_OBJECT) {
		software->bound[subc] = handle;
		return true;
	}

	return event_send(chan, handle, subc << 13 | mthd, data);
}
