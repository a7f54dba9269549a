/* SPDX-License-Identifier: MIT */
/*
 * nouveau's ioctls on nvfifo. preload.c finds the files of the node and calls gl_ioctl(); file.c,
 * bo.c, chan.c and nvif.c translate; capture.c records submissions. All calls of the kernel go
 * through struct gl_kernel, so that tests can put a fake in its place.
 */
#ifndef NVFIFO_GL_H
#define NVFIFO_GL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvfifo_drm.h"
#include <libdrm/nouveau_drm.h>

/* Channels of one open file; the driver allows 32 to a user. */
#define GL_CHANNELS 16
/* Bytes of the page of a channel, and where its notifiers end and its commands begin */
#define GL_NOTIFIER_SIZE 4096
#define GL_PROLOGUE	 (GL_NOTIFIER_SIZE - 16)

/**
 * struct gl_kernel - The calls that the translation makes
 * @ioctl: As ioctl(2), but returns 0 or -errno.
 * @cookie: Argument of @ioctl.
 */
struct gl_kernel {
	int (*ioctl)(void *cookie, unsigned long request, void *arg);
	void *cookie;
};

/**
 * struct gl_extent - A used range of the address space, in the list of its arena
 * @va: First address.
 * @range: Bytes.
 * @next: The extent above.
 */
struct gl_extent {
	uint64_t va;
	uint64_t range;
	struct gl_extent *next;
};

/**
 * struct gl_arena - The part of the address space for pages of one size
 * @start: First address.
 * @end: First address above.
 * @page: Bytes of a page; addresses and ranges are multiples of it.
 * @first: Lowest used range.
 *
 * A region of 512 MiB has pages of one size, so pages of different sizes are kept apart.
 */
struct gl_arena {
	uint64_t start;
	uint64_t end;
	uint64_t page;
	struct gl_extent *first;
};

/**
 * struct gl_use - The last work of one channel on a buffer
 * @used: Point of the channel's timeline, 0 for none.
 * @written: The last point that may write the buffer.
 */
struct gl_use {
	uint64_t used;
	uint64_t written;
};

/**
 * struct gl_bo - A GEM handle that has an address
 * @extent: Its virtual address. The first member: gl_file_destroy() frees the list's elements.
 * @arena: To which @extent belongs.
 * @use: By number of the channel.
 * @size: Bytes.
 * @mmap_offset: For mmap() of the file.
 * @handle: GEM handle.
 * @domain: NOUVEAU_GEM_DOMAIN_VRAM or NOUVEAU_GEM_DOMAIN_GART.
 * @tile_mode: As GEM_NEW had it, for GEM_INFO.
 * @tile_flags: Likewise; without the compression that the card had no room for.
 * @lsr: In VRAM of the other bank order.
 * @shadow: Contents according to the capture, NULL before the first submission.
 */
struct gl_bo {
	struct gl_extent extent;
	struct gl_arena *arena;
	struct gl_use use[GL_CHANNELS];
	uint64_t size;
	uint64_t mmap_offset;
	uint32_t handle;
	uint32_t domain;
	uint32_t tile_mode;
	uint32_t tile_flags;
	bool lsr;
	uint32_t *shadow;
};

/**
 * struct gl_channel - A channel of nouveau's interface
 * @id: The driver's number, 0 if there is no channel.
 * @timeline: Timeline syncobj, on which each SUBMIT signals a point.
 * @point: The last point that a SUBMIT signals.
 * @notifier: Handle of the BO of the notifiers and of the first commands.
 * @notifier_used: Bytes of it that notifiers have.
 * @prologue: Address of the two words that each SUBMIT starts with.
 * @told: The channel's death has been reported.
 */
struct gl_channel {
	uint32_t id;
	uint32_t timeline;
	uint64_t point;
	uint32_t notifier;
	uint32_t notifier_used;
	uint64_t prologue;
	bool told;
};

/* Bytes of the longest argument of NVIF */
#define GL_NVIF_SIZE 256
/* struct gl_nvif_object.channel of a device */
#define GL_NVIF_DEVICE (-1)

/**
 * struct gl_nvif_object - An object that NVIF made
 * @next: The list.
 * @cookie: The program's number for it.
 * @channel: Number of its channel, or GL_NVIF_DEVICE.
 * @handle: Its handle in the channel.
 */
struct gl_nvif_object {
	struct gl_nvif_object *next;
	uint64_t cookie;
	int channel;
	uint32_t handle;
};

/**
 * struct gl_file - State of an open file of the node
 * @lock: Held by each call but while it waits for the card in CPU_PREP.
 * @kernel: How to reach the driver.
 * @device: DEVICE_QUERY's answer.
 * @limits: Likewise.
 * @vm: Address space, 0 before the first use.
 * @small: Arena of 4 KiB pages.
 * @large: Arena of 64 KiB pages.
 * @bos: By GEM handle, NULL for those that are not mapped.
 * @bo_room: Elements of @bos.
 * @channels: By the number that CHANNEL_ALLOC gives.
 * @nvif_objects: Objects that NVIF made.
 * @map: As mmap() of the file; tests replace it.
 * @unmap: As munmap().
 * @fd: The file, for @map.
 */
struct gl_file {
	pthread_mutex_t lock;
	struct gl_kernel kernel;
	struct drm_nvfifo_query_device device;
	struct drm_nvfifo_query_limits limits;
	uint32_t vm;
	struct gl_arena small;
	struct gl_arena large;
	struct gl_bo **bos;
	uint32_t bo_room;
	struct gl_channel channels[GL_CHANNELS];
	struct gl_nvif_object *nvif_objects;
	void *(*map)(int fd, uint64_t offset, size_t size);
	int (*unmap)(void *map, size_t size);
	int fd;
};

/* --- file.c --- */

/**
 * gl_file_create() - Start to translate for an open file
 * @kernel: How to reach the driver; copied.
 * @fd: The file, for mmap().
 * @file: out: the state; gl_file_destroy() frees it.
 *
 * Return: 0 or -errno; -ENODEV if the file is not nvfifo's.
 */
int gl_file_create(const struct gl_kernel *kernel, int fd, struct gl_file **file);

/* Free the state. The kernel's objects are freed when the file is closed. */
void gl_file_destroy(struct gl_file *file);

/**
 * gl_ioctl() - One call of a program that believes to talk to nouveau
 * @file: The open file.
 * @request: As for ioctl(2).
 * @arg: As for ioctl(2).
 *
 * Return: 0 or -errno.
 */
int gl_ioctl(struct gl_file *file, unsigned long request, void *arg);

/* A call of the driver; 0 or -errno. */
int gl_call(struct gl_file *file, unsigned long request, void *arg);

/* Copy from, or to, memory of the program whose address may be wrong; 0 or -EFAULT. */
int gl_copy_in(void *to, const void *from, size_t size);
int gl_copy_out(void *to, const void *from, size_t size);

/* The file's address space exists when this returns 0. */
int gl_need_vm(struct gl_file *file);

/* A sentence on stderr, once NVFIFO_GL_QUIET is not set. */
__attribute__((format(printf, 1, 2))) void gl_say(const char *fmt, ...);

/* --- bo.c --- */

struct gl_bo *gl_bo_find(struct gl_file *file, uint32_t handle);

/**
 * gl_bo_create() - Create a buffer and map it
 * @file: The open file, locked.
 * @info: in: the request of GEM_NEW. out: the buffer's attributes.
 * @bo: out: the buffer.
 *
 * Return: 0 or -errno.
 */
int gl_bo_create(struct gl_file *file, struct drm_nouveau_gem_info *info, struct gl_bo **bo);

/* Unmap a buffer after its last use, and close its handle. Return: 0 or -errno. */
int gl_bo_close(struct gl_file *file, struct gl_bo *bo);

/* Remove a destroyed channel from all buffers. */
void gl_bo_forget_channel(struct gl_file *file, uint32_t number);

int gl_gem_new(struct gl_file *file, void *arg);
int gl_gem_info(struct gl_file *file, void *arg);
int gl_gem_cpu_prep(struct gl_file *file, void *arg);
int gl_gem_cpu_fini(struct gl_file *file, void *arg);
int gl_gem_close(struct gl_file *file, void *arg);

/* Wait for points of timelines; @timeout_ns as for the ioctl. Return: 0, -ETIME or another -errno. */
int gl_wait_points(struct gl_file *file, const uint32_t *timelines, const uint64_t *points,
		   uint32_t count, int64_t timeout_ns);

/* CLOCK_MONOTONIC in @seconds from now */
int64_t gl_deadline(int seconds);

/* --- chan.c --- */

int gl_channel_alloc(struct gl_file *file, void *arg);
int gl_channel_free(struct gl_file *file, void *arg);
int gl_grobj_alloc(struct gl_file *file, void *arg);
int gl_notifierobj_alloc(struct gl_file *file, void *arg);
int gl_gpuobj_free(struct gl_file *file, void *arg);
int gl_gem_pushbuf(struct gl_file *file, void *arg);

/* --- nvif.c --- */

/* The call NVIF; @arg has GL_NVIF_SIZE bytes. Return: 0 or -errno. */
int gl_nvif(struct gl_file *file, void *arg);

/* Free the objects of a destroyed channel, or all objects. */
void gl_nvif_forget_channel(struct gl_file *file, int channel);
void gl_nvif_forget_all(struct gl_file *file);

/* --- capture.c --- */

/**
 * struct gl_push - A segment of a pushbuffer
 * @bo: Its place.
 * @offset: Bytes from the start of @bo.
 * @size: Bytes.
 * @no_prefetch: As nouveau's flag.
 */
struct gl_push {
	struct gl_bo *bo;
	uint64_t offset;
	uint64_t size;
	bool no_prefetch;
};

/**
 * gl_capture_submission() - Write a submission to $NVFIFO_GL_CAPTURE
 * @file: The open file, locked.
 * @bos: The buffers that it uses. The capture first records the CPU's writes to them.
 * @bo_count: How many.
 * @pushes: Its segments.
 * @push_count: How many.
 */
void gl_capture_submission(struct gl_file *file, struct gl_bo *const *bos, uint32_t bo_count,
			   const struct gl_push *pushes, uint32_t push_count);

/* After its end: write down which of the buffers' memory the card has changed. */
void gl_capture_results(struct gl_file *file, struct gl_bo *const *bos, uint32_t bo_count);

/* A line of the captured file, if there is one. */
__attribute__((format(printf, 1, 2))) void gl_capture_line(const char *fmt, ...);

/* Whether pushbuffers are captured */
bool gl_capturing(void);

#endif
