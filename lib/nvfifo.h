/* SPDX-License-Identifier: MIT */
/*
 * libnvfifo: a card, or a model of one. It comes with names, decoder and assembler (nvfifo_decode.h)
 * and the builder of commands (nvfifo_push.h).
 *
 * Functions that can fail return 0 or a negative errno; nvfifo_last_error() then returns a sentence
 * for the user. Addresses, sizes and offsets are bytes.
 *
 * A struct nvfifo_dev may be used by several threads at once, as the kernel takes
 * the locks. All other objects belong to one thread at a time.
 * The last error is kept per thread.
 */
#ifndef NVFIFO_H
#define NVFIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvfifo_drm.h"
#include "nvfifo_command.h"
#include "nvfifo_decode.h"
#include "nvfifo_fmt_user.h"
#include "nvfifo_push.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Errors -------------------------------------------------------------- */

/* A sentence without newline, never NULL; valid until the thread's next call that fails */
const char *nvfifo_last_error(void);

/**
 * struct nvfifo_diag - Place of an error in a text, and its reason
 * @line: line, from 1
 * @column: column, from 1, in bytes
 * @text: the value found and the value expected
 */
struct nvfifo_diag {
	unsigned int line;
	unsigned int column;
	char text[240];
};

/* --- Device -------------------------------------------------------------- */

struct nvfifo_dev;

/**
 * nvfifo_open() - Open a card, or a model of one
 * @name: "/dev/dri/renderD128"; a PCI address such as "0000:01:00.0" or "01:00.0"; "model:g84" for
 *	a new card of the model in this process; or NULL for the first card of the nvfifo driver or,
 *	if there is none, for the model that the environment variable NVFIFO_MODEL names
 * @dev: out: the device
 *
 * The model comes from libnvfifo-model.so.0, which is loaded when it is asked for. Its time passes
 * during the calls only, and one thread at a time may use its devices. It has no file descriptor:
 * nvfifo_fd() returns -1. Calls that share with other drivers or processes are -EOPNOTSUPP.
 *
 * Return: 0, -ENOMEM, or the errno of open(). -ENODEV: there is no such card, or another driver has
 * it. -EINVAL: the name has no form above, or the chipset is unknown.
 */
int nvfifo_open(const char *name, struct nvfifo_dev **dev);
void nvfifo_close(struct nvfifo_dev *dev);

/* Get the open file, the path of the node, and the PCI address ("" if unknown). */
int nvfifo_fd(const struct nvfifo_dev *dev);
const char *nvfifo_path(const struct nvfifo_dev *dev);
const char *nvfifo_pci_address(const struct nvfifo_dev *dev);

/* The version of the kernel driver: major, minor, patch level */
int nvfifo_driver_version(struct nvfifo_dev *dev, int version[3]);

int nvfifo_query_device(struct nvfifo_dev *dev, struct drm_nvfifo_query_device *q);
int nvfifo_query_limits(struct nvfifo_dev *dev, struct drm_nvfifo_query_limits *q);
int nvfifo_query_time(struct nvfifo_dev *dev, struct drm_nvfifo_query_time *q);

/**
 * struct nvfifo_bo - A buffer
 * @handle: GEM handle
 * @domain: enum drm_nvfifo_domain
 * @size: bytes, as rounded by the kernel
 * @mmap_offset: for mmap() of the device file
 * @map: the CPU's mapping, or NULL
 */
struct nvfifo_bo {
	__u32 handle;
	__u32 domain;
	__u64 size;
	__u64 mmap_offset;
	void *map;
};

/* Make a buffer of zeroed memory; @domain and @flags are those of drm_nvfifo_bo_create. */
int nvfifo_bo_create(struct nvfifo_dev *dev, __u64 size, __u32 domain, __u32 flags,
		     struct nvfifo_bo *bo);
int nvfifo_bo_info(struct nvfifo_dev *dev, const struct nvfifo_bo *bo,
		   struct drm_nvfifo_bo_info *info);

/* Name the buffer in debugfs and dumps; an empty name removes the label. */
int nvfifo_bo_label(struct nvfifo_dev *dev, const struct nvfifo_bo *bo, const char *label);

/* Map for the CPU; -EOPNOTSUPP or the like for VRAM without FEATURE_VRAM_MMAP. */
int nvfifo_bo_map(struct nvfifo_dev *dev, struct nvfifo_bo *bo);
void nvfifo_bo_unmap(struct nvfifo_bo *bo);

/* Unmap and close the handle; @bo is cleared. */
int nvfifo_bo_close(struct nvfifo_dev *dev, struct nvfifo_bo *bo);

int nvfifo_vm_create(struct nvfifo_dev *dev, __u32 *vm);
int nvfifo_vm_destroy(struct nvfifo_dev *dev, __u32 vm);

/* Map and unmap in the order of @ops, all or nothing. */
int nvfifo_vm_bind(struct nvfifo_dev *dev, __u32 vm, const struct drm_nvfifo_vm_bind_op *ops,
		   __u32 count);

/* The same when the fences of @syncs have signalled; others of @syncs are signalled then. */
int nvfifo_vm_bind_async(struct nvfifo_dev *dev, __u32 vm,
			 const struct drm_nvfifo_vm_bind_op *ops, __u32 count,
			 const struct drm_nvfifo_sync *syncs, __u32 nsyncs);

/* Map a whole buffer at @va; @flags are enum drm_nvfifo_vm_bind_op_flags. */
int nvfifo_vm_map(struct nvfifo_dev *dev, __u32 vm, const struct nvfifo_bo *bo, __u64 va,
		  __u32 flags, __u32 page_shift);
int nvfifo_vm_unmap(struct nvfifo_dev *dev, __u32 vm, __u64 va, __u64 range);

/* Make a channel with an IB ring of 1 << @ring_order entries, 0 for the default. */
int nvfifo_channel_create(struct nvfifo_dev *dev, __u32 vm, __u32 ring_order, __u32 *channel);

/* Make a channel with all attributes, see drm_nvfifo_channel_create; sets @c->id. */
int nvfifo_channel_create_with(struct nvfifo_dev *dev, struct drm_nvfifo_channel_create *c);
int nvfifo_channel_destroy(struct nvfifo_dev *dev, __u32 channel);
int nvfifo_channel_query(struct nvfifo_dev *dev, __u32 channel,
			 struct drm_nvfifo_channel_query *q);

/**
 * nvfifo_channel_wait() - Sleep until the channel's commands have written a word
 * @dev: device
 * @channel: channel
 * @word: in a buffer of system memory, mapped; a multiple of 4
 * @value: wait until the word is this or past it, as a signed difference
 * @timeout_ns: time limit, ns from now; negative: no limit
 *
 * The commands must raise an interrupt after the write: NOTIFY_INTR on G84 and
 * later, on G80 binding object 0x80000001.
 *
 * Return: 0, -ETIME, -ECANCELED if the channel is dead, or another -errno.
 */
int nvfifo_channel_wait(struct nvfifo_dev *dev, __u32 channel, const volatile __u32 *word,
			__u32 value, __s64 timeout_ns);

/* The control page of a user queue, and its words, bytes */
#define NVFIFO_CONTROL_BYTES	0x1000
#define NVFIFO_CONTROL_DMA_PUT	0x40
#define NVFIFO_CONTROL_DMA_GET	0x44
#define NVFIFO_CONTROL_REF	0x48
#define NVFIFO_CONTROL_IB_GET	0x88
#define NVFIFO_CONTROL_IB_PUT	0x8c

/**
 * nvfifo_channel_map_control() - Map the control page of a user queue
 * @dev: device
 * @c: the channel, from nvfifo_channel_create_with()
 * @control: out: NVFIFO_CONTROL_BYTES, for nvfifo_channel_unmap_control()
 *
 * Return: 0; -EINVAL if the channel is no user queue, or the errno of mmap().
 */
int nvfifo_channel_map_control(struct nvfifo_dev *dev, const struct drm_nvfifo_channel_create *c,
			       volatile __u32 **control);
void nvfifo_channel_unmap_control(volatile __u32 *control);

/**
 * union nvfifo_file_event - An event of a channel with DRM_NVFIFO_CHANNEL_EVENT
 * @base: header of each event; base.type selects the other members
 * @dead: DRM_NVFIFO_EVENT_CHANNEL_DEAD
 * @method: DRM_NVFIFO_EVENT_SOFTWARE_METHOD
 */
union nvfifo_file_event {
	struct drm_event base;
	struct drm_nvfifo_event_channel_dead dead;
	struct drm_nvfifo_event_software_method method;
};

/**
 * nvfifo_event_read_any() - Wait for an event of a channel
 * @dev: device
 * @timeout_ms: time limit; 0 does not wait, negative: no limit
 * @event: filled in
 *
 * Return: 1 with an event, 0 if the time is over, -EINTR after a signal,
 * -EPROTO for an event of neither kind, or another -errno.
 */
int nvfifo_event_read_any(struct nvfifo_dev *dev, int timeout_ms, union nvfifo_file_event *event);

/* The same for programs without software objects; -EPROTO, and lost, is the event of a method. */
int nvfifo_event_read(struct nvfifo_dev *dev, int timeout_ms,
		      struct drm_nvfifo_event_channel_dead *event);

/*
 * Name a range of the address space for methods. @handle is any value but 0; @oclass is 0x02 to
 * read, 0x03 to write, 0x3d for both; @access is an enum drm_nvfifo_object_access.
 */
int nvfifo_dma_object_create(struct nvfifo_dev *dev, __u32 channel, __u32 handle, __u32 oclass,
			     __u32 access, __u64 start, __u64 size);

/* Make an object of any type, with all attributes; see drm_nvfifo_object_create. */
int nvfifo_object_create(struct nvfifo_dev *dev, const struct drm_nvfifo_object_create *o);

/* Name an object of an engine's class. */
int nvfifo_engine_object_create(struct nvfifo_dev *dev, __u32 channel, __u32 handle,
				__u32 oclass);
int nvfifo_object_destroy(struct nvfifo_dev *dev, __u32 channel, __u32 handle);

/**
 * nvfifo_submit() - Queue pushbuffer segments
 * @dev: device
 * @channel: channel
 * @entries: segments, executed in order
 * @count: how many; 0 only waits and signals
 * @syncs: syncs to wait for and to signal, may be NULL
 * @nsyncs: their number
 * @seqno: out: number of this submission in its channel; may be NULL
 *
 * Return: 0; -ECANCELED if the channel is dead, and the errnos of the uapi header.
 */
int nvfifo_submit(struct nvfifo_dev *dev, __u32 channel, const struct drm_nvfifo_entry *entries,
		  __u32 count, const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno);

/* The same; -EAGAIN, and nothing queued, if the ring cannot take the entries now. */
int nvfifo_submit_try(struct nvfifo_dev *dev, __u32 channel,
		      const struct drm_nvfifo_entry *entries, __u32 count,
		      const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno);

int nvfifo_syncobj_create(struct nvfifo_dev *dev, __u32 *handle);
int nvfifo_syncobj_destroy(struct nvfifo_dev *dev, __u32 handle);

/**
 * nvfifo_syncobj_wait() - Wait until a fence has signalled
 * @dev: device
 * @handle: syncobj
 * @point: 0, or the point of a timeline syncobj
 * @timeout_ns: time limit, ns from now; negative: no limit. It also
 *	waits for the submission that gives the syncobj its fence.
 *
 * Return: 0, -ETIME, or the errno of the call. A fence that ended with an error
 * counts as signalled: ask nvfifo_syncobj_status().
 */
int nvfifo_syncobj_wait(struct nvfifo_dev *dev, __u32 handle, __u64 point, __s64 timeout_ns);

/* The state of a binary syncobj: 1 signalled, 0 not yet, negative errno: ended with that error */
int nvfifo_syncobj_status(struct nvfifo_dev *dev, __u32 handle, int *status);

/* Get the signalled point of a timeline syncobj. */
int nvfifo_syncobj_point(struct nvfifo_dev *dev, __u32 handle, __u64 *point);

#ifdef __cplusplus
}
#endif

#endif
