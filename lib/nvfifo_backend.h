/* SPDX-License-Identifier: MIT */
/*
 * Executor of device calls instead of the kernel: "nvfifo run --model" has the model of the card
 * in its own process. The calls are those of uapi/nvfifo_drm.h and DRM's syncobjs.
 */
#ifndef NVFIFO_BACKEND_H
#define NVFIFO_BACKEND_H

#include "nvfifo.h"

/*
 * Functions that replace the kernel.
 *
 * Each gets the @ctx of nvfifo_open_backend().
 */
struct nvfifo_backend {
	/* another open file, which nvfifo_close() gives back; returns 0 or a negative errno */
	int (*open)(void *ctx);
	void (*close)(void *ctx);	/* an open file is closed */
	/* an ioctl; returns 0 or a negative errno */
	int (*call)(void *ctx, unsigned long request, void *arg);
	/*
	 * as mmap() of the file; returns MAP_FAILED with errno set on failure. munmap() ends the
	 * mapping; it may do nothing if the memory is no file's
	 */
	void *(*map)(void *ctx, __u64 offset, __u64 size);
	/* as nvfifo_syncobj_status() */
	int (*fence_status)(void *ctx, __u32 handle, int *status);
	/* as nvfifo_event_read_any() */
	int (*event)(void *ctx, int timeout_ms, union nvfifo_file_event *event);
	__s64 (*now)(void *ctx);		/* time that passes for the card, ns */
	void (*sleep)(void *ctx, __s64 ns);	/* let that time pass, ns */
};

/**
 * nvfifo_open_backend() - Open a card that the kernel does not have
 * @backend: executes the calls; must live until nvfifo_close()
 * @ctx: for its functions
 * @path: result of nvfifo_path()
 * @dev: out: the device
 *
 * Return: 0 or a negative errno.
 */
int nvfifo_open_backend(const struct nvfifo_backend *backend, void *ctx, const char *path,
			struct nvfifo_dev **dev);

/**
 * nvfifo_model_open() - Open a card of the model in this process
 * @chipset: chipset name, "g84"
 * @dev: out: the device
 *
 * The command and libnvfifo-model.so contain the model's function. libnvfifo.so contains a function
 * that loads libnvfifo-model.so.0 and calls it. In other programs with libnvfifo.a it is NULL.
 *
 * Return: 0 or a negative errno.
 */
int nvfifo_model_open(const char *chipset, struct nvfifo_dev **dev) __attribute__((weak));

/* Open the same card again, as another client of the driver. Return: 0 or a negative errno. */
int nvfifo_open_again(const struct nvfifo_dev *dev, struct nvfifo_dev **again);

/* Get the card's time, or let time pass for the card, ns. */
__s64 nvfifo_now(const struct nvfifo_dev *dev);
void nvfifo_sleep(const struct nvfifo_dev *dev, __s64 ns);

#endif
