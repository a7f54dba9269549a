// SPDX-License-Identifier: MIT
/* Open files of the render node, and the mappings that keep them open. */
#include "rig.h"

#include <grp.h>
#include <sys/prctl.h>

int open_fds[MAX_OPEN];

int nv_ioctl(int fd, unsigned long req, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, req, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

int node_of(const char *kind, int first, const char *driver)
{
	char path[64], name[32];
	int i, fd;

	for (i = first; i < first + 64; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };

		snprintf(path, sizeof(path), "/dev/dri/%s%d", kind, i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;

		memset(name, 0, sizeof(name));
		if (!nv_ioctl(fd, DRM_IOCTL_VERSION, &v) && !strcmp(name, driver))
			return fd;

		close(fd);
	}

	return -1;
}

int node_open(void)
{
	return node_of("renderD", 128, "nvfifo");
}

void node_for_all(void)
{
	char path[64];
	int i;

	for (i = 128; i < 192; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		chmod(path, 0666);
	}
}

int query(int fd, uint32_t type, void *rec, uint32_t size)
{
	struct drm_nvfifo_device_query q = {
		.type = type, .size = size, .pointer = (uintptr_t)rec,
	};

	return nv_ioctl(fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q);
}

void nv_open(struct nv *nv)
{
	nv_take(nv, node_open());
}

void nv_take(struct nv *nv, int fd)
{
	unsigned int i;

	memset(nv, 0, sizeof(*nv));
	nv->fd = fd;
	need(nv->fd >= 0, "no nvfifo render node");
	for (i = 0; i < MAX_OPEN && open_fds[i]; i++)
		;
	if (i < MAX_OPEN)
		open_fds[i] = nv->fd + 1;
	need(!query(nv->fd, DRM_NVFIFO_QUERY_DEVICE, &nv->dev, sizeof(nv->dev)),
	     "DEVICE_QUERY device");
	need(!query(nv->fd, DRM_NVFIFO_QUERY_LIMITS, &nv->lim, sizeof(nv->lim)),
	     "DEVICE_QUERY limits");
	nv->g84 = nv->dev.features & DRM_NVFIFO_FEATURE_SEMAPHORE64;
	nv->va = 1 * MIB;
}

static struct {
	void *p;
	size_t size;
	int fd;
} maps[MAX_MAPS];

void map_keep(int fd, void *p, size_t size)
{
	unsigned int i;

	for (i = 0; i < MAX_MAPS && maps[i].p; i++)
		;
	need(i < MAX_MAPS, "the test has too many mappings");

	maps[i].p = p;
	maps[i].size = size;
	maps[i].fd = fd;
}

void maps_drop(int fd, void *p)
{
	unsigned int i;

	for (i = 0; i < MAX_MAPS; i++) {
		if (!maps[i].p || (fd >= 0 && maps[i].fd != fd) || (p && maps[i].p != p))
			continue;
		munmap(maps[i].p, maps[i].size);
		maps[i].p = NULL;
	}
}

void nv_close(struct nv *nv)
{
	unsigned int i;

	maps_drop(nv->fd, NULL);
	for (i = 0; i < MAX_OPEN; i++)
		if (open_fds[i] == nv->fd + 1)
			open_fds[i] = 0;
	close(nv->fd);
	nv->fd = -1;
}

#define NOBODY 65534

void become_nobody(void)
{
	need(!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	     !setresuid(NOBODY, NOBODY, NOBODY), "dropping root: %s", strerror(errno));
}

pid_t child_fork(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;

	tap_env_set = false;
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return 0;
}

bool coredump_path(char *path, size_t size)
{
	DIR *d = opendir(COREDUMPS);
	bool found = false;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "devcd", 5))
			continue;
		snprintf(path, size, "%s/%.64s/data", COREDUMPS, e->d_name);
		found = true;
	}
	if (d)
		closedir(d);
	return found;
}

void files_close(void)
{
	unsigned int i;

	for (i = 0; i < MAX_OPEN; i++) {
		if (open_fds[i]) {
			maps_drop(open_fds[i] - 1, NULL);
			close(open_fds[i] - 1);
		}
		open_fds[i] = 0;
	}
}

uint64_t vram_free(struct nv *nv)
{
	struct drm_nvfifo_query_device d;

	need(!query(nv->fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)), "DEVICE_QUERY");
	return d.vram_free;
}

bool flush_waits_for_pgraph(const struct nv *nv)
{
	return nv->dev.chipset != 0x50 && nv->dev.chipset != 0xac;
}

void vram_wait(struct nv *nv, uint64_t want)
{
	int64_t start = now_ns();

	while (vram_free(nv) != want && may_come(start))
		;
}
