// SPDX-License-Identifier: MIT
/*
 * A card without hardware: the model, in the program's own process. NVFIFO_GL_MODEL names the
 * chipset. model_device.c has the names by which a program finds the card, model_buffer.c its
 * buffers.
 *
 * The node is the file of the model's memory, so that mmap() of it works as it does for a buffer.
 * A submission ends before its call returns: fences have signalled, and waits end at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gl.h"
#include "node.h"
#include "node_model.h"
#include "nvfifo.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct model *model;
static dev_t card_device;
static ino_t card_inode;
static bool has_started;	/* the two above are set */
static bool has_failed;

static void show_trace(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "nvfifo-nouveau: %s\n", line);
}

static bool start(void)
{
	static struct model_watcher watcher = { .trace = show_trace };
	const char *chipset = getenv("NVFIFO_GL_MODEL");
	const char *trace = getenv("NVFIFO_GL_MODEL_TRACE");
	struct nvfifo_dev *dev;
	struct stat st;

	if (model || has_failed)
		return model;

	if (!chipset || !*chipset)
		chipset = "g96";
	if (model_open(chipset, trace && *trace ? &watcher : NULL, &model, &dev)) {
		gl_say("%s", nvfifo_last_error());
		has_failed = true;
		return false;
	}

	if (!gl_model_fstat(model_file(model), &st)) {
		card_device = st.st_dev;
		card_inode = st.st_ino;
		__atomic_store_n(&has_started, true, __ATOMIC_RELEASE);
	}

	return true;
}

/* The end of the program lists the parts that the model left out. */
__attribute__((destructor)) static void tell_missing(void)
{
	const char *quiet = getenv("NVFIFO_GL_QUIET");

	if (model && !(quiet && *quiet))
		model_print_missing(model, "nvfifo-nouveau: ");
}

int gl_model_file(void)
{
	bool has;

	pthread_mutex_lock(&lock);
	has = start();
	pthread_mutex_unlock(&lock);
	return has ? model_file(model) : -1;
}

bool gl_model_is(const struct stat *st)
{
	return __atomic_load_n(&has_started, __ATOMIC_ACQUIRE) && st->st_dev == card_device &&
	       st->st_ino == card_inode;
}

bool gl_node_is(int fd)
{
	struct stat st;

	return gl_model_file() >= 0 && !gl_model_fstat(fd, &st) && gl_model_is(&st);
}

/* --- calls --- */

static int version(struct drm_version *v)
{
	v->version_major = 1;
	v->version_minor = 0;
	v->version_patchlevel = 0;
	if (v->name && v->name_len)
		strncpy(v->name, "nvfifo", v->name_len);
	v->name_len = strlen("nvfifo");
	v->date_len = 0;
	v->desc_len = 0;
	return 0;
}

static int submit(struct drm_nvfifo_submit *args)
{
	struct drm_nvfifo_submit without = *args;
	int ret;

	without.syncs.count = 0;
	ret = model_call(model, DRM_IOCTL_NVFIFO_SUBMIT, &without);
	args->seqno = without.seqno;
	if (!ret)
		model_settle(model);
	return ret;
}

static int bind(const struct drm_nvfifo_vm_bind *args)
{
	struct drm_nvfifo_vm_bind without = *args;

	without.flags &= ~(__u32)DRM_NVFIFO_VM_BIND_ASYNC;
	without.syncs.count = 0;
	return model_call(model, DRM_IOCTL_NVFIFO_VM_BIND, &without);
}

/* As the DRM core on nvfifo.ko. There is nothing of a display. */
static int get_cap(struct drm_get_cap *args)
{
	switch (args->capability) {
	case DRM_CAP_PRIME:
		args->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
		return 0;
	case DRM_CAP_TIMESTAMP_MONOTONIC:
		args->value = 1;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int call(unsigned int file, unsigned long request, void *arg)
{
	static __u32 syncobjs;

	switch (request) {
	case DRM_IOCTL_VERSION:
		return version(arg);
	case DRM_IOCTL_GET_CAP:
		return get_cap(arg);
	case DRM_IOCTL_NVFIFO_BO_CREATE:
		return gl_model_bo_create(model, file, arg);
	case DRM_IOCTL_NVFIFO_BO_INFO:
		return gl_model_bo_info(file, arg);
	case DRM_IOCTL_GEM_CLOSE:
		return gl_model_bo_close(model, file, arg);
	case DRM_IOCTL_PRIME_HANDLE_TO_FD:
		return gl_model_bo_export(file, arg);
	case DRM_IOCTL_PRIME_FD_TO_HANDLE:
		return gl_model_bo_import(file, arg);
	case DRM_IOCTL_NVFIFO_SUBMIT:
		return submit(arg);
	case DRM_IOCTL_NVFIFO_VM_BIND:
		return bind(arg);
	case DRM_IOCTL_SYNCOBJ_CREATE:
		((struct drm_syncobj_create *)arg)->handle = ++syncobjs;
		return 0;
	case DRM_IOCTL_SYNCOBJ_DESTROY:
	case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT:
		return 0;
	default:
		return model_call(model, request, arg);
	}
}

int gl_node_ioctl(int fd, unsigned int file, unsigned long request, void *arg)
{
	int ret;

	(void)fd;
	pthread_mutex_lock(&lock);
	ret = call(file, request, arg);
	pthread_mutex_unlock(&lock);
	return ret;
}
