// SPDX-License-Identifier: MIT
/*
 * Buffers of the model as open files see them. The model has one set of handles for the process. A
 * handle here belongs to the open files that have made or imported it. The buffer lives as long as
 * one of these files or an exported descriptor has it.
 *
 * An exported descriptor is a file of the buffer's size without its contents, open for writing
 * only, so that mmap() of it fails. It has a meaning in this process only.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "node_model.h"

/**
 * struct buffer - A handle of the model
 * @info: Result of BO_INFO; its handle is 0 where there is no buffer.
 * @files: Numbers of the open files that have the handle.
 * @file_count: How many.
 */
struct buffer {
	struct drm_nvfifo_bo_info info;
	unsigned int *files;
	unsigned int file_count;
};

/**
 * struct export - An exported file
 * @next: The list.
 * @device: With @inode, which file.
 * @inode: See @device.
 * @handle: The buffer's.
 */
struct export {
	struct export *next;
	dev_t device;
	ino_t inode;
	__u32 handle;
};

/* By handle */
static struct buffer *buffers;
static __u32 room;
static struct export *exports;

static unsigned int *find_file(const struct buffer *b, unsigned int file)
{
	unsigned int i;

	for (i = 0; i < b->file_count; i++) {
		if (b->files[i] == file)
			return &b->files[i];
	}
	return NULL;
}

static struct buffer *find(unsigned int file, __u32 handle)
{
	if (handle >= room || !buffers[handle].info.handle || !find_file(&buffers[handle], file))
		return NULL;

	return &buffers[handle];
}

static int add_file(struct buffer *b, unsigned int file)
{
	unsigned int *files = realloc(b->files, (b->file_count + 1) * sizeof(*files));

	if (!files)
		return -ENOMEM;

	b->files = files;
	files[b->file_count++] = file;
	return 0;
}

static int need_room(__u32 handle)
{
	__u32 more = handle + 64;
	struct buffer *array;

	if (handle < room)
		return 0;

	array = realloc(buffers, more * sizeof(*array));
	if (!array)
		return -ENOMEM;

	memset(array + room, 0, (more - room) * sizeof(*array));
	buffers = array;
	room = more;
	return 0;
}

static int free_buffer(struct model *m, struct buffer *b)
{
	struct drm_gem_close args = { .handle = b->info.handle };

	free(b->files);
	*b = (struct buffer){ 0 };
	return model_call(m, DRM_IOCTL_GEM_CLOSE, &args);
}

/* --- exported descriptors --- */

static bool is_exported(__u32 handle)
{
	struct export *e;

	for (e = exports; e; e = e->next) {
		if (e->handle == handle)
			return true;
	}
	return false;
}

/* Whether the process has a descriptor of the file; true if there is no /proc to look in. */
static bool is_open(const struct export *e)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	bool found = false;
	struct stat st;

	if (!dir)
		return true;

	while (!found && (entry = readdir(dir)))
		found = !fstatat(dirfd(dir), entry->d_name, &st, 0) && st.st_ino == e->inode &&
			st.st_dev == e->device;
	closedir(dir);
	return found;
}

/* Forget exports whose last descriptor is closed, and free buffers that nothing else has. */
static void sweep(struct model *m)
{
	struct export **link = &exports, *e;
	struct buffer *b;

	while ((e = *link)) {
		if (is_open(e)) {
			link = &e->next;
			continue;
		}

		*link = e->next;
		b = &buffers[e->handle];
		if (!b->file_count && !is_exported(e->handle))
			free_buffer(m, b);
		free(e);
	}
}

static int make_file(__u64 size, struct export *e)
{
	int all = memfd_create("nvfifo buffer", MFD_CLOEXEC), fd = -1;
	char path[32];
	struct stat st;

	if (all < 0)
		return -errno;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", all);
	if (!ftruncate(all, (off_t)size) && !gl_model_fstat(all, &st))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
	} else {
		e->device = st.st_dev;
		e->inode = st.st_ino;
	}

	close(all);
	return fd;
}

int gl_model_bo_export(unsigned int file, struct drm_prime_handle *args)
{
	const struct buffer *b = find(file, args->handle);
	struct export *e;
	int fd;

	if (!b)
		return -ENOENT;
	if (args->flags & ~(__u32)(DRM_CLOEXEC | DRM_RDWR))
		return -EINVAL;

	e = malloc(sizeof(*e));
	if (!e)
		return -ENOMEM;

	fd = make_file(b->info.size, e);
	if (fd < 0) {
		free(e);
		return fd;
	}
	if (!(args->flags & DRM_CLOEXEC))
		fcntl(fd, F_SETFD, 0);

	e->handle = args->handle;
	e->next = exports;
	exports = e;
	args->fd = fd;
	return 0;
}

int gl_model_bo_import(unsigned int file, struct drm_prime_handle *args)
{
	const struct export *e;
	struct stat st;

	if (args->flags)
		return -EINVAL;
	if (gl_model_fstat(args->fd, &st))
		return -errno;

	for (e = exports; e; e = e->next) {
		if (e->inode == st.st_ino && e->device == st.st_dev)
			break;
	}
	if (!e)
		return -EINVAL;

	args->handle = e->handle;
	if (find(file, e->handle))
		return 0;
	return add_file(&buffers[e->handle], file);
}

/* --- handles --- */

int gl_model_bo_create(struct model *m, unsigned int file, struct drm_nvfifo_bo_create *args)
{
	struct drm_gem_close undo;
	struct buffer *b;
	int ret;

	sweep(m);
	ret = model_call(m, DRM_IOCTL_NVFIFO_BO_CREATE, args);
	if (ret)
		return ret;

	ret = need_room(args->handle);
	if (!ret)
		ret = add_file(&buffers[args->handle], file);
	if (ret) {
		undo = (struct drm_gem_close){ .handle = args->handle };
		model_call(m, DRM_IOCTL_GEM_CLOSE, &undo);
		return ret;
	}

	b = &buffers[args->handle];
	b->info = (struct drm_nvfifo_bo_info){
		.handle = args->handle,
		.domain = args->domain,
		.size = args->size,
		.mmap_offset = args->mmap_offset,
		.flags = args->flags,
	};
	return 0;
}

int gl_model_bo_info(unsigned int file, struct drm_nvfifo_bo_info *args)
{
	const struct buffer *b = find(file, args->handle);

	if (!b)
		return -ENOENT;

	*args = b->info;
	return 0;
}

int gl_model_bo_close(struct model *m, unsigned int file, const struct drm_gem_close *args)
{
	struct buffer *b = find(file, args->handle);

	if (!b)
		return -ENOENT;

	*find_file(b, file) = b->files[b->file_count - 1];
	b->file_count--;
	sweep(m);
	if (b->info.handle && !b->file_count && !is_exported(args->handle))
		return free_buffer(m, b);
	return 0;
}
