// SPDX-License-Identifier: MIT
/* A card that the kernel has: nodes of DRM. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "node.h"

/* Major number of DRM nodes */
#define DRM_MAJOR 226

bool gl_node_is(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev >> 8 == DRM_MAJOR;
}

int gl_node_ioctl(int fd, unsigned int file, unsigned long request, void *arg)
{
	(void)file;
	if (!syscall(SYS_ioctl, fd, request, arg))
		return 0;
	return -errno;
}
