// SPDX-License-Identifier: MIT
/*
 * The preloaded library: ioctl() and close() in front of the C library's. Files of nvfifo's
 * nodes look like nouveau's, all others are left alone.
 *
 * The kernel's objects belong to the open file, and a process may have several descriptors of it
 * (Mesa duplicates them). kcmp() tells whether two are of the same file.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gl.h"
#include "node.h"
#include "nvfifo_text.h"

#define EXPORT __attribute__((visibility("default")))

/**
 * struct open_file - An open file of nvfifo's
 * @next: The list.
 * @state: The translation.
 * @fd: One of its file descriptors.
 * @number: Another one for each open file of the process.
 * @users: Calls that are inside.
 * @closed: Its last file descriptor is gone.
 */
struct open_file {
	struct open_file *next;
	struct gl_file *state;
	int fd;
	unsigned int number;
	unsigned int users;
	bool closed;
};

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static struct open_file *files;

static int kernel_ioctl(void *cookie, unsigned long request, void *arg)
{
	const struct open_file *file = cookie;

	return gl_node_ioctl(file->fd, file->number, request, arg);
}

static bool same_file(int a, int b)
{
	pid_t pid = getpid();

	return a == b || !syscall(SYS_kcmp, pid, pid, KCMP_FILE, a, b);
}

static struct open_file *find(int fd)
{
	struct open_file *file;

	for (file = files; file; file = file->next) {
		if (same_file(fd, file->fd))
			return file;
	}
	return NULL;
}

/* NULL if the file is not nvfifo's, and with @ret set if it should be but cannot be. */
static struct open_file *create(int fd, int *ret)
{
	static unsigned int numbers;
	struct open_file *file = calloc(1, sizeof(*file));
	struct gl_kernel kernel = { .ioctl = kernel_ioctl, .cookie = file };
	int err;

	if (!file) {
		*ret = -ENOMEM;
		return NULL;
	}

	file->fd = fd;
	file->number = ++numbers;
	err = gl_file_create(&kernel, fd, &file->state);
	if (err) {
		if (err != -ENODEV)
			*ret = err;
		free(file);
		return NULL;
	}
	file->next = files;
	files = file;
	return file;
}

/* The state of an open file, held until put(). */
static struct open_file *get(int fd, int *ret)
{
	struct open_file *file;

	pthread_mutex_lock(&files_lock);
	file = find(fd);
	if (!file)
		file = create(fd, ret);
	if (file)
		file->users++;
	pthread_mutex_unlock(&files_lock);
	return file;
}

static void free_file(struct open_file *file)
{
	gl_file_destroy(file->state);
	free(file);
}

static void put(struct open_file *file)
{
	bool last;

	pthread_mutex_lock(&files_lock);
	last = !--file->users && file->closed;
	pthread_mutex_unlock(&files_lock);
	if (last)
		free_file(file);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct open_file *file;
	va_list args;
	void *arg;
	int ret = 0;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);

	if (_IOC_TYPE(request) != DRM_IOCTL_BASE || !gl_node_is(fd))
		return (int)syscall(SYS_ioctl, fd, request, arg);

	file = get(fd, &ret);
	if (!file && !ret)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	if (file) {
		ret = gl_ioctl(file->state, request, arg);
		put(file);
	}
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* Another file descriptor of the same file, or -1 */
static int other_descriptor(int fd)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int other = -1;

	if (!dir)
		return -1;

	while (other < 0 && (entry = readdir(dir))) {
		int n = (int)nvfifo_text_value(entry->d_name, 10);

		if (entry->d_name[0] != '.' && n != fd && n != dirfd(dir) && gl_node_is(n) &&
		    same_file(fd, n))
			other = n;
	}
	closedir(dir);
	return other;
}

/* Take a file out of the list, whose last descriptor is being closed. */
static void forget(struct open_file *file)
{
	struct open_file **link = &files;

	while (*link != file)
		link = &(*link)->next;
	*link = file->next;
	file->closed = true;
	if (!file->users)
		free_file(file);
}

static void closing(int fd)
{
	struct open_file *file;
	int other;

	pthread_mutex_lock(&files_lock);
	for (file = files; file; file = file->next) {
		if (file->fd == fd)
			break;
	}
	if (file) {
		other = other_descriptor(fd);
		if (other >= 0) {
			file->fd = other;
			file->state->fd = other;
		} else {
			forget(file);
		}
	}
	pthread_mutex_unlock(&files_lock);
}

EXPORT int close(int fd)
{
	int saved = errno;

	/* The state has only one of the file's descriptors. */
	if (__atomic_load_n(&files, __ATOMIC_RELAXED))
		closing(fd);
	errno = saved;
	return (int)syscall(SYS_close, fd);
}
