/* SPDX-License-Identifier: MIT */
/*
 * What the tests inside the guest have in common: TAP, raw ioctls, syncobjs,
 * pushbuffers, the model's control capability. No library in between: these
 * tests are about the system calls themselves.
 */
#ifndef NVFIFO_TESTS_RAW_H
#define NVFIFO_TESTS_RAW_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "../../uapi/nvfifo_drm.h"
#include "../../hw/nvfifo_cmd.h"
#include "../../sim/nvsim.h"
#include "../../sim/nvsim_ctl.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define KIB		1024ull
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)

/* --- TAP ------------------------------------------------------------------ */

static int tap_count, tap_failed;
static jmp_buf tap_env;
static bool tap_env_set;
static const char *tap_only;

static inline void tap_line(bool ok, const char *file, int line, const char *fmt, va_list ap)
{
	tap_count++;
	if (!ok)
		tap_failed++;
	printf("%sok %d - ", ok ? "" : "not ", tap_count);
	vprintf(fmt, ap);
	printf("\n");
	if (!ok)
		printf("#   failed at %s:%d\n", file, line);
	fflush(stdout);
}

__attribute__((format(printf, 4, 5))) static inline bool check_at(const char *file, int line,
								  bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(ok, file, line, fmt, ap);
	va_end(ap);
	return ok;
}

/* One test. */
#define check(cond, ...) check_at(__FILE__, __LINE__, (cond), __VA_ARGS__)

__attribute__((format(printf, 1, 2))) static inline void diag(const char *fmt, ...)
{
	va_list ap;

	printf("#   ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

__attribute__((format(printf, 1, 2))) static inline void skip(const char *fmt, ...)
{
	va_list ap;

	printf("ok %d - ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

__attribute__((format(printf, 3, 4), noreturn)) static inline void
give_up(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(false, file, line, fmt, ap);
	va_end(ap);
	if (tap_env_set)
		longjmp(tap_env, 1);
	printf("1..%d\n", tap_count);
	exit(1);
}

/* What a test needs to go on: no line when it holds, the end of this test when not. */
#define need(cond, ...) \
	do { \
		if (!(cond)) \
			give_up(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

/* A call that has to be refused with one errno. */
static inline bool refused_at(const char *file, int line, int ret, int err, const char *what)
{
	bool ok = check_at(file, line, ret == -err, "%s: %s", what, strerrorname_np(err));

	if (!ok)
		diag("returned %d (%s)", ret, ret < 0 ? strerror(-ret) : "success");
	return ok;
}

#define refused(ret, err, what) refused_at(__FILE__, __LINE__, ret, err, what)

static inline bool equal_at(const char *file, int line, uint64_t is, uint64_t want,
			    const char *what)
{
	bool ok = check_at(file, line, is == want, "%s", what);

	if (!ok)
		diag("is 0x%llx, not 0x%llx", (unsigned long long)is, (unsigned long long)want);
	return ok;
}

/* One test: two numbers are the same. */
#define equal(is, want, what) equal_at(__FILE__, __LINE__, is, want, what)

static inline void msleep(unsigned int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000l };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* How long a test waits for what has to happen, and for what must not. */
#define WAIT_MS		30000
#define HOLD_MS		60

/* --- The model's control capability --------------------------------------- */

/* Slot of the card as sysfs writes it; empty if there is none. */
static inline const char *card_slot(void)
{
	static char slot[64];
	struct dirent *e;
	DIR *d;

	if (slot[0])
		return slot;
	d = opendir("/sys/bus/pci/devices");
	while (d && (e = readdir(d))) {
		char path[512], buf[16] = "";
		int fd, n;

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = (int)read(fd, buf, sizeof(buf) - 1);
		close(fd);
		if (n > 0 && strtoul(buf, NULL, 16) == 0x10de)
			snprintf(slot, sizeof(slot), "%.63s", e->d_name);
	}
	if (d)
		closedir(d);
	return slot;
}

/* -1 without a model: a real card has no such capability. */
static inline int ctl_open(void)
{
	static int fd = -2;
	char path[512];
	uint32_t sig = 0;

	if (fd != -2)
		return fd;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", card_slot());
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 &&
	    (pread(fd, &sig, 4, NVSIM_CTL_SIGNATURE) != 4 || sig != NVSIM_CTL_MAGIC)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static inline bool ctl_present(void)
{
	return ctl_open() >= 0;
}

static inline uint32_t ctl(enum nvsim_ctl_cmd cmd, uint32_t arg)
{
	uint32_t c = cmd, result = 0;
	int fd = ctl_open();

	if (fd < 0)
		return 0;
	if (pwrite(fd, &arg, 4, NVSIM_CTL_ARG) != 4 || pwrite(fd, &c, 4, NVSIM_CTL_CMD) != 4 ||
	    pread(fd, &result, 4, NVSIM_CTL_RESULT) != 4)
		give_up(__FILE__, __LINE__, "control capability: %s", strerror(errno));
	return result;
}

/* One method that the model saw arrive at an engine; see NVSIM_CTL_REC_NEXT. */
struct rec {
	uint32_t channel, engine, subc, mthd;
	uint32_t data, oclass, object;
};

/* The next one of channel @chid (0: of any) since NVSIM_CTL_REC_SEEK or _RESET; false at the end */
static inline bool rec_next(uint32_t chid, struct rec *r)
{
	uint32_t where = ctl(NVSIM_CTL_REC_NEXT, chid), more[3] = { 0 };

	if (where == ~0u || pread(ctl_open(), more, 4, NVSIM_CTL_RESULT_1) != 4 ||
	    pread(ctl_open(), more + 1, 4, NVSIM_CTL_RESULT_2) != 4 ||
	    pread(ctl_open(), more + 2, 4, NVSIM_CTL_RESULT_3) != 4)
		return false;
	*r = (struct rec){
		.channel = where >> 24, .engine = where >> 20 & 7, .subc = where >> 16 & 7,
		.mthd = where & 0x1ffc, .data = more[0], .oclass = more[1], .object = more[2],
	};
	return true;
}

#define stat_of(field) \
	ctl(NVSIM_CTL_GET_STAT, (uint32_t)(offsetof(struct nvsim_stats, field) / sizeof(uint64_t)))

/*
 * The model takes note of what no correct driver does. Some tests let the card
 * meet what it must not: for these the violations do not count.
 */
#define ALLOWED_MAX 100000
static uint32_t violations_allowed;

static inline void violations_allow(bool on)
{
	uint32_t left = ctl(NVSIM_CTL_EXPECT_VIOLATION, on ? ALLOWED_MAX : 0);

	if (!on && ctl_present())
		violations_allowed += ALLOWED_MAX - left;
}

/* --- Open files ------------------------------------------------------------ */

struct nv {
	int fd;
	bool g84;			/* features of G84 and later */
	uint64_t va;			/* next address that map() gives */
	struct drm_nvfifo_query_device dev;
	struct drm_nvfifo_query_limits lim;
};

#define MAX_OPEN 16
static int open_fds[MAX_OPEN];

/* 0 or -errno */
static inline int nv_ioctl(int fd, unsigned long req, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, req, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

static inline int node_open(void)
{
	char path[64], name[32];
	int i, fd;

	for (i = 128; i < 192; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(name, 0, sizeof(name));
		if (!nv_ioctl(fd, DRM_IOCTL_VERSION, &v) && !strcmp(name, "nvfifo"))
			return fd;
		close(fd);
	}
	return -1;
}

static inline int query(int fd, uint32_t type, void *rec, uint32_t size)
{
	struct drm_nvfifo_device_query q = {
		.type = type, .size = size, .pointer = (uintptr_t)rec,
	};

	return nv_ioctl(fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q);
}

static inline void nv_open(struct nv *nv)
{
	unsigned int i;

	memset(nv, 0, sizeof(*nv));
	nv->fd = node_open();
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

/*
 * A mapping keeps its file open, so a file is closed only when all of these are gone.
 */
#define MAX_MAPS 4096
static struct {
	void *p;
	size_t size;
	int fd;
} maps[MAX_MAPS];

static inline void maps_drop(int fd, void *p)
{
	unsigned int i;

	for (i = 0; i < MAX_MAPS; i++) {
		if (!maps[i].p || (fd >= 0 && maps[i].fd != fd) || (p && maps[i].p != p))
			continue;
		munmap(maps[i].p, maps[i].size);
		maps[i].p = NULL;
	}
}

static inline void nv_close(struct nv *nv)
{
	unsigned int i;

	maps_drop(nv->fd, NULL);
	for (i = 0; i < MAX_OPEN; i++)
		if (open_fds[i] == nv->fd + 1)
			open_fds[i] = 0;
	close(nv->fd);
	nv->fd = -1;
}

static inline uint64_t vram_free(struct nv *nv)
{
	struct drm_nvfifo_query_device d;

	need(!query(nv->fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)), "DEVICE_QUERY");
	return d.vram_free;
}

/* --- BOs and address spaces ------------------------------------------------- */

struct bo {
	uint32_t handle;
	uint64_t size;
	uint64_t offset;
	uint32_t *map;			/* NULL if not mapped */
};

static inline int bo_create_flags(struct nv *nv, struct bo *bo, uint32_t domain, uint32_t flags,
				  uint64_t size)
{
	struct drm_nvfifo_bo_create c = { .size = size, .domain = domain, .flags = flags };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_CREATE, &c);

	memset(bo, 0, sizeof(*bo));
	if (ret)
		return ret;
	bo->handle = c.handle;
	bo->size = c.size;
	bo->offset = c.mmap_offset;
	return 0;
}

static inline int bo_create(struct nv *nv, struct bo *bo, uint32_t domain, uint64_t size)
{
	return bo_create_flags(nv, bo, domain, 0, size);
}

static inline int bo_info(struct nv *nv, uint32_t handle, struct drm_nvfifo_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = handle;
	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_INFO, info);
}

static inline int bo_label(struct nv *nv, uint32_t handle, const char *label)
{
	struct drm_nvfifo_bo_label l = {
		.handle = handle, .size = (uint32_t)strlen(label), .label = (uintptr_t)label,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_LABEL, &l);
}

static inline int bo_close(struct nv *nv, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	return nv_ioctl(nv->fd, DRM_IOCTL_GEM_CLOSE, &c);
}

static inline void bo_mmap(struct nv *nv, struct bo *bo)
{
	void *p = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, nv->fd,
		       (off_t)bo->offset);
	unsigned int i;

	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	bo->map = p;
	for (i = 0; i < MAX_MAPS && maps[i].p; i++)
		;
	need(i < MAX_MAPS, "the test has too many mappings");
	maps[i].p = p;
	maps[i].size = bo->size;
	maps[i].fd = nv->fd;
}

static inline void bo_unmap(struct bo *bo)
{
	if (bo->map)
		maps_drop(-1, bo->map);
	bo->map = NULL;
}

static inline int prime_export(struct nv *nv, uint32_t handle)
{
	struct drm_prime_handle p = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1 };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);

	return ret ? ret : p.fd;
}

static inline int prime_import(struct nv *nv, int fd, uint32_t *handle)
{
	struct drm_prime_handle p = { .fd = fd };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);

	*handle = p.handle;
	return ret;
}

/*
 * Map a BO through its dma-buf: this mapping keeps the memory, but not the file. The
 * caller unmaps it.
 */
static inline uint32_t *bo_map_apart(struct nv *nv, const struct bo *bo)
{
	int fd = prime_export(nv, bo->handle);
	void *p;

	need(fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-fd));
	p = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(p != MAP_FAILED, "mmap of a dma-buf: %s", strerror(errno));
	close(fd);
	return p;
}

/* System memory, mapped. */
static inline struct bo sys_bo(struct nv *nv, uint64_t size)
{
	struct bo bo;
	int ret = bo_create(nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, size);

	need(!ret, "BO_CREATE system: %s", strerror(-ret));
	bo_mmap(nv, &bo);
	return bo;
}

static inline struct bo vram_bo(struct nv *nv, uint64_t size)
{
	struct bo bo;
	int ret = bo_create(nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, size);

	need(!ret, "BO_CREATE VRAM: %s", strerror(-ret));
	return bo;
}

static inline int vm_create(struct nv *nv, uint32_t *id)
{
	struct drm_nvfifo_vm_create c = { 0 };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_CREATE, &c);

	*id = c.id;
	return ret;
}

static inline uint32_t new_vm(struct nv *nv)
{
	uint32_t id;
	int ret = vm_create(nv, &id);

	need(!ret && id, "VM_CREATE: %s", strerror(-ret));
	return id;
}

static inline int vm_destroy(struct nv *nv, uint32_t id)
{
	struct drm_nvfifo_vm_destroy d = { .id = id };

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_DESTROY, &d);
}

static inline int vm_bind(struct nv *nv, uint32_t vm, const struct drm_nvfifo_vm_bind_op *ops,
			  uint32_t count)
{
	struct drm_nvfifo_vm_bind b = {
		.vm_id = vm,
		.ops = { .stride = sizeof(*ops), .count = count, .ptr = (uintptr_t)ops },
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
}

static inline int vm_bind_async(struct nv *nv, uint32_t vm,
				const struct drm_nvfifo_vm_bind_op *ops, uint32_t count,
				const struct drm_nvfifo_sync *syncs, uint32_t num_syncs)
{
	struct drm_nvfifo_vm_bind b = {
		.vm_id = vm,
		.flags = DRM_NVFIFO_VM_BIND_ASYNC,
		.ops = { .stride = sizeof(*ops), .count = count, .ptr = (uintptr_t)ops },
		.syncs = { .stride = sizeof(*syncs), .count = num_syncs, .ptr = (uintptr_t)syncs },
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
}

static inline struct drm_nvfifo_sync sync_wait_for(uint32_t handle)
{
	return (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = handle };
}

static inline struct drm_nvfifo_sync sync_signal(uint32_t handle)
{
	return (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = handle };
}

/* Wait for one fence, signal another; 0 for none. */
static inline int vm_bind_when(struct nv *nv, uint32_t vm, struct drm_nvfifo_vm_bind_op op,
			       uint32_t wait, uint32_t signal)
{
	struct drm_nvfifo_sync s[2];
	uint32_t n = 0;

	if (wait)
		s[n++] = sync_wait_for(wait);
	if (signal)
		s[n++] = sync_signal(signal);
	return vm_bind_async(nv, vm, &op, 1, s, n);
}

static inline struct drm_nvfifo_vm_bind_op op_map(const struct bo *bo, uint64_t va)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP,
		.bo_handle = bo->handle,
		.va = va,
		.range = bo->size,
	};

	return op;
}

static inline struct drm_nvfifo_vm_bind_op op_unmap(uint64_t va, uint64_t range)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_UNMAP, .va = va, .range = range,
	};

	return op;
}

static inline int vm_map_at(struct nv *nv, uint32_t vm, const struct bo *bo, uint64_t va,
			    uint32_t flags, uint32_t page_shift)
{
	struct drm_nvfifo_vm_bind_op op = op_map(bo, va);

	op.flags = flags;
	op.page_shift = page_shift;
	return vm_bind(nv, vm, &op, 1);
}

static inline int vm_unmap(struct nv *nv, uint32_t vm, uint64_t va, uint64_t range)
{
	struct drm_nvfifo_vm_bind_op op = op_unmap(va, range);

	return vm_bind(nv, vm, &op, 1);
}

/* An address nobody in this file has used, with unmapped space behind it. */
static inline uint64_t va_alloc(struct nv *nv, uint64_t size)
{
	uint64_t va = nv->va;

	nv->va += ((size + 64 * KIB - 1) & ~(64 * KIB - 1)) + 64 * KIB;
	return va;
}

static inline uint64_t map_flags(struct nv *nv, uint32_t vm, const struct bo *bo, uint32_t flags)
{
	uint64_t va = va_alloc(nv, bo->size);
	int ret = vm_map_at(nv, vm, bo, va, flags, 0);

	need(!ret, "VM_BIND map: %s", strerror(-ret));
	return va;
}

static inline uint64_t map(struct nv *nv, uint32_t vm, const struct bo *bo)
{
	return map_flags(nv, vm, bo, 0);
}

/* --- Syncobjs ---------------------------------------------------------------- */

static inline uint32_t sync_new(struct nv *nv)
{
	struct drm_syncobj_create c = { 0 };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_CREATE, &c);

	need(!ret, "SYNCOBJ_CREATE: %s", strerror(-ret));
	return c.handle;
}

static inline void sync_free(struct nv *nv, uint32_t handle)
{
	struct drm_syncobj_destroy d = { .handle = handle };

	nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
}

/* 0, -ETIME, -EINVAL (no fence), ... */
static inline int sync_wait_ms(struct nv *nv, uint32_t handle, unsigned int ms)
{
	struct drm_syncobj_wait w = {
		.handles = (uintptr_t)&handle,
		.count_handles = 1,
		.timeout_nsec = ms ? now_ns() + ms * 1000000ll : 0,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_WAIT, &w);
}

static inline int timeline_wait_ms(struct nv *nv, uint32_t handle, uint64_t point, unsigned int ms)
{
	struct drm_syncobj_timeline_wait w = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.timeout_nsec = ms ? now_ns() + ms * 1000000ll : 0,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

static inline int sync_has_fence(struct nv *nv, uint32_t handle)
{
	return sync_wait_ms(nv, handle, 0) != -EINVAL;
}

/* A sync file of a syncobj's fence, or -errno. */
static inline int sync_export(struct nv *nv, uint32_t handle)
{
	struct drm_syncobj_handle h = {
		.handle = handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1,
	};
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h);

	return ret ? ret : h.fd;
}

static inline int sync_import(struct nv *nv, uint32_t handle, int fd)
{
	struct drm_syncobj_handle h = {
		.handle = handle, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fd,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h);
}

/* 1 signalled, 0 not yet, -errno what the fence ended with; -EBADF no fence. */
static inline int sync_status(struct nv *nv, uint32_t handle)
{
	struct sync_file_info info;
	int fd = sync_export(nv, handle), ret;

	if (fd < 0)
		return -EBADF;
	memset(&info, 0, sizeof(info));
	ret = nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info);
	close(fd);
	return ret ? -EBADF : info.status;
}

/* Wait, then the status as above; 0 if the time was not enough. */
static inline int sync_finish(struct nv *nv, uint32_t handle)
{
	int ret = sync_wait_ms(nv, handle, WAIT_MS);

	if (ret == -ETIME)
		return 0;
	if (ret)
		return -EBADF;
	return sync_status(nv, handle);
}

/* --- Channels and pushbuffers -------------------------------------------------- */

#define PUSH_BYTES	(64 * KIB)

struct ch {
	struct nv *nv;
	uint32_t vm;
	uint32_t id;
	struct bo push;
	uint64_t push_va;
	uint32_t start, n;		/* the segment being written, in words */
	uint32_t done;			/* syncobj of the last ch_submit() */
	uint64_t seqno;
};

static inline int chan_create_args(struct nv *nv, struct drm_nvfifo_channel_create *c)
{
	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, c);
}

static inline int chan_create(struct nv *nv, uint32_t vm, uint32_t order, uint32_t *id)
{
	struct drm_nvfifo_channel_create c = { .vm_id = vm, .ring_order = order };
	int ret = chan_create_args(nv, &c);

	*id = c.id;
	return ret;
}

static inline int chan_destroy(struct nv *nv, uint32_t id)
{
	struct drm_nvfifo_channel_destroy d = { .id = id };

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &d);
}

static inline int chan_query(struct nv *nv, uint32_t id, struct drm_nvfifo_channel_query *q)
{
	memset(q, 0, sizeof(*q));
	q->id = id;
	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, q);
}

static inline struct ch ch_order(struct nv *nv, uint32_t vm, uint32_t order)
{
	struct ch c = { .nv = nv, .vm = vm };
	int ret = chan_create(nv, vm, order, &c.id);

	need(!ret && c.id, "CHANNEL_CREATE: %s", strerror(-ret));
	c.push = sys_bo(nv, PUSH_BYTES);
	c.push_va = map(nv, vm, &c.push);
	c.done = sync_new(nv);
	return c;
}

static inline struct ch ch_new(struct nv *nv, uint32_t vm)
{
	return ch_order(nv, vm, 0);
}

static inline void ch_free(struct ch *c)
{
	chan_destroy(c->nv, c->id);
	vm_unmap(c->nv, c->vm, c->push_va, c->push.size);
	bo_unmap(&c->push);
	bo_close(c->nv, c->push.handle);
	sync_free(c->nv, c->done);
}

static inline struct drm_nvfifo_channel_query ch_query(struct ch *c)
{
	struct drm_nvfifo_channel_query q;
	int ret = chan_query(c->nv, c->id, &q);

	need(!ret, "CHANNEL_QUERY: %s", strerror(-ret));
	return q;
}

static inline int object_dma_access(struct nv *nv, uint32_t chan, uint32_t handle, uint64_t start,
				    uint64_t size, uint32_t access)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = chan,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_DMA,
		.oclass = NVFIFO_CLASS_DMA_RW,
		.access = access,
		.start = start,
		.size = size,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

static inline int object_dma(struct nv *nv, uint32_t chan, uint32_t handle, uint64_t start,
			     uint64_t size)
{
	return object_dma_access(nv, chan, handle, start, size, DRM_NVFIFO_ACCESS_VM);
}

static inline int object_destroy(struct nv *nv, uint32_t chan, uint32_t handle)
{
	struct drm_nvfifo_object_destroy d = { .channel_id = chan, .handle = handle };

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &d);
}

static inline void new_object(struct ch *c, uint32_t handle, uint64_t start, uint64_t size)
{
	int ret = object_dma(c->nv, c->id, handle, start, size);

	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));
}

/* Words are appended; the buffer is used from the start again when it runs full. */
static inline void p_word(struct ch *c, uint32_t w)
{
	need(c->n < PUSH_BYTES / 4, "pushbuffer of the test is full");
	((volatile uint32_t *)c->push.map)[c->n++] = w;
}

static inline uint32_t cmd_word(uint32_t subc, uint32_t mthd, uint32_t count)
{
	return count << 18 | subc << 13 | mthd;
}

static inline void p_mthd(struct ch *c, uint32_t mthd, uint32_t data)
{
	p_word(c, cmd_word(0, mthd, 1));
	p_word(c, data);
}

static inline void p_ref(struct ch *c, uint32_t val)
{
	p_mthd(c, NVFIFO_MTHD_REF_CNT, val);
}

static inline void p_sem(struct ch *c, uint32_t handle, uint32_t offset)
{
	p_word(c, cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2));
	p_word(c, handle);
	p_word(c, offset);
}

static inline void p_release(struct ch *c, uint32_t handle, uint32_t offset, uint32_t val)
{
	p_sem(c, handle, offset);
	p_mthd(c, NVFIFO_MTHD_SEMAPHORE_RELEASE, val);
}

static inline void p_acquire(struct ch *c, uint32_t handle, uint32_t offset, uint32_t val)
{
	p_sem(c, handle, offset);
	p_mthd(c, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, val);
}

/* 64-bit semaphore, G84 and later; @addr is logical to the object. */
static inline void p_sem64(struct ch *c, uint32_t handle, uint64_t addr, uint32_t seq,
			   uint32_t trigger)
{
	p_mthd(c, NVFIFO_MTHD_DMA_SEMAPHORE, handle);
	p_word(c, cmd_word(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4));
	p_word(c, (uint32_t)(addr >> 32));
	p_word(c, (uint32_t)addr);
	p_word(c, seq);
	p_word(c, trigger);
}

static inline int submit_raw(struct nv *nv, uint32_t chan, const struct drm_nvfifo_entry *entries,
			     uint32_t n_entries, const struct drm_nvfifo_sync *syncs,
			     uint32_t n_syncs, uint64_t *seqno)
{
	struct drm_nvfifo_submit s = {
		.channel_id = chan,
		.entries = { sizeof(*entries), n_entries, (uintptr_t)entries },
		.syncs = { sizeof(*syncs), n_syncs, (uintptr_t)syncs },
	};
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_SUBMIT, &s);

	if (seqno)
		*seqno = s.seqno;
	return ret;
}

/* The entry of what was written since the last one. */
static inline struct drm_nvfifo_entry ch_entry(struct ch *c)
{
	struct drm_nvfifo_entry e = {
		.address = c->push_va + c->start * 4ull, .words = c->n - c->start,
	};

	c->start = c->n;
	return e;
}

/* Start from the front again; the caller knows that nothing is in flight. */
static inline void ch_rewind(struct ch *c)
{
	c->start = 0;
	c->n = 0;
}

/* Submit what was written; @wait and @signal are syncobjs or 0. */
static inline int ch_submit_sync(struct ch *c, uint32_t wait, uint32_t signal)
{
	struct drm_nvfifo_entry e = ch_entry(c);
	struct drm_nvfifo_sync s[2];
	uint32_t n = 0;

	if (wait)
		s[n++] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = wait };
	if (signal)
		s[n++] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL,
						   .handle = signal };
	return submit_raw(c->nv, c->id, &e, e.words ? 1 : 0, s, n, &c->seqno);
}

/* Submit, the fence goes into c->done. */
static inline int ch_submit(struct ch *c)
{
	return ch_submit_sync(c, 0, c->done);
}

/* Submit and wait: 1, 0 for no end in time, or -errno of the call or of the fence. */
static inline int ch_run(struct ch *c)
{
	int ret = ch_submit(c);

	if (ret)
		return ret;
	ret = sync_finish(c->nv, c->done);
	if (ret != 1 || c->n > PUSH_BYTES / 8)
		ch_rewind(c);
	return ret;
}

/* What a blocked test polls: memory that the card writes. */
static inline bool poll_word(volatile uint32_t *p, uint32_t want)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;

	while (*p != want) {
		if (now_ns() > end)
			return false;
		msleep(2);
	}
	return true;
}

/* Does this channel still work? Its own reference counter proves it. */
static inline bool ch_works(struct ch *c)
{
	static uint32_t magic = 0x600d0000;
	struct drm_nvfifo_channel_query q;
	int ret;

	p_ref(c, ++magic);
	ret = ch_run(c);
	if (ret != 1) {
		diag("channel %u: run gave %d", c->id, ret);
		return false;
	}
	if (chan_query(c->nv, c->id, &q))
		return false;
	if (q.state != DRM_NVFIFO_CHANNEL_ALIVE || q.ref != magic)
		diag("channel %u: state %u ref 0x%x, not 0x%x", c->id, q.state, q.ref, magic);
	return q.state == DRM_NVFIFO_CHANNEL_ALIVE && q.ref == magic;
}

/* --- The linear buffer of DMA mode ---------------------------------------------- */

struct lin {
	struct nv *nv;
	uint32_t vm;
	uint32_t id;
	struct bo buf;
	uint64_t va;
	uint32_t n;			/* where the next word goes, in words */
	uint32_t done;			/* syncobj of the last lin_submit() */
	uint64_t seqno;			/* of the last SUBMIT */
};

#define FENCE_HANDLE	0x80000000
#define SW_HANDLE	0x80000001

/* What the driver writes behind a SUBMIT in IB mode, and the owner in DMA mode. */
static inline uint32_t fence_words(const struct nv *nv, uint64_t seqno, uint32_t w[16])
{
	uint32_t n = 0;

	w[n++] = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1);
	w[n++] = FENCE_HANDLE;
	if (nv->g84) {
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4);
		w[n++] = 0;
		w[n++] = 0;
		w[n++] = (uint32_t)seqno;
		w[n++] = NVFIFO_TRIGGER_RELEASE;
		w[n++] = cmd_word(0, NVFIFO_MTHD_WRCACHE_FLUSH, 1);
		w[n++] = 0;
		w[n++] = cmd_word(0, NVFIFO_MTHD_NOTIFY_INTR, 1);
		w[n++] = 0;
	} else {
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_OFFSET, 1);
		w[n++] = 0;
		w[n++] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
		w[n++] = (uint32_t)seqno;
		w[n++] = cmd_word(7, NVFIFO_MTHD_OBJECT, 1);
		w[n++] = SW_HANDLE;
	}
	return n;
}

static inline struct lin lin_order(struct nv *nv, uint32_t vm, uint32_t order, uint64_t bytes)
{
	struct lin l = { .nv = nv, .vm = vm };
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_DMA_MODE, .ring_order = order,
	};
	int ret;

	l.buf = sys_bo(nv, bytes);
	l.va = map(nv, vm, &l.buf);
	c.start = l.va;
	ret = chan_create_args(nv, &c);
	need(!ret && c.id, "CHANNEL_CREATE in DMA mode: %s", strerror(-ret));
	l.id = c.id;
	l.done = sync_new(nv);
	return l;
}

static inline uint64_t lin_at(const struct lin *l)
{
	return l->va + l->n * 4ull;
}

static inline void l_word(struct lin *l, uint32_t w)
{
	need(l->n < l->buf.size / 4, "linear buffer of the test is full");
	((volatile uint32_t *)l->buf.map)[l->n++] = w;
}

static inline void l_mthd(struct lin *l, uint32_t mthd, uint32_t data)
{
	l_word(l, cmd_word(0, mthd, 1));
	l_word(l, data);
}

static inline void l_sem(struct lin *l, uint32_t handle, uint32_t offset)
{
	l_word(l, cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2));
	l_word(l, handle);
	l_word(l, offset);
}

static inline void l_release(struct lin *l, uint32_t handle, uint32_t offset, uint32_t val)
{
	l_sem(l, handle, offset);
	l_mthd(l, NVFIFO_MTHD_SEMAPHORE_RELEASE, val);
}

static inline void l_acquire(struct lin *l, uint32_t handle, uint32_t offset, uint32_t val)
{
	l_sem(l, handle, offset);
	l_mthd(l, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, val);
}

#define JUMP(addr)	((uint32_t)(addr) | 1)
#define OLD_JUMP(addr)	((uint32_t)(addr) | 0x20000000)
#define CALL(addr)	((uint32_t)(addr) | 2)
#define RETURN		0x00020000

/* Release the fence of the SUBMIT that comes next. */
static inline void l_fence(struct lin *l)
{
	uint32_t w[16], n = fence_words(l->nv, l->seqno + 1, w), i;

	for (i = 0; i < n; i++)
		l_word(l, w[i]);
}

static inline int lin_put(struct lin *l, uint64_t put, const struct drm_nvfifo_sync *syncs,
			  uint32_t n)
{
	struct drm_nvfifo_entry e = { .address = put };
	uint64_t seqno;
	int ret = submit_raw(l->nv, l->id, &e, 1, syncs, n, &seqno);

	if (!ret)
		l->seqno = seqno;
	return ret;
}

/* PUT behind what was written; @wait and @signal are syncobjs or 0. */
static inline int lin_submit_sync(struct lin *l, uint32_t wait, uint32_t signal)
{
	struct drm_nvfifo_sync s[2];
	uint32_t n = 0;

	if (wait)
		s[n++] = sync_wait_for(wait);
	if (signal)
		s[n++] = sync_signal(signal);
	return lin_put(l, lin_at(l), s, n);
}

static inline int lin_submit(struct lin *l)
{
	return lin_submit_sync(l, 0, l->done);
}

/* Submit with a fence and wait, as ch_run(). */
static inline int lin_run(struct lin *l)
{
	int ret;

	l_fence(l);
	ret = lin_submit(l);
	return ret ? ret : sync_finish(l->nv, l->done);
}

/* --- What exists, seen from outside ------------------------------------------- */

#define STATE_IDS	40

/*
 * A call that was refused or that failed must leave this as it was. Bit n of the
 * first three: the file has something of that kind with the identifier n.
 */
struct state {
	uint64_t vms, chans, bos;
	uint64_t vram_free, tags_free;
	uint64_t submitted, completed, alive;	/* of the channel that is looked at */
};

static inline struct state state_of(struct nv *nv, uint32_t chan)
{
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_query_device d;
	struct state s = { 0 };
	uint32_t i;

	need(!query(nv->fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)), "DEVICE_QUERY");
	s.vram_free = d.vram_free;
	s.tags_free = d.tags_free;
	for (i = 1; i < STATE_IDS; i++) {
		struct drm_nvfifo_vm_bind b = { .vm_id = i };
		struct drm_nvfifo_bo_info info = { .handle = i };

		s.vms |= (uint64_t)!nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_BIND, &b) << i;
		s.bos |= (uint64_t)!nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_INFO, &info) << i;
		s.chans |= (uint64_t)!chan_query(nv, i, &q) << i;
	}
	if (chan && !chan_query(nv, chan, &q)) {
		s.submitted = q.submitted;
		s.completed = q.completed;
		s.alive = q.state == DRM_NVFIFO_CHANNEL_ALIVE;
	}
	return s;
}

static inline bool state_same(const struct state *a, const struct state *b)
{
	if (!memcmp(a, b, sizeof(*a)))
		return true;
	diag("VMs %llx -> %llx, channels %llx -> %llx, BOs %llx -> %llx",
	     (unsigned long long)a->vms, (unsigned long long)b->vms,
	     (unsigned long long)a->chans, (unsigned long long)b->chans,
	     (unsigned long long)a->bos, (unsigned long long)b->bos);
	diag("free VRAM 0x%llx -> 0x%llx, free tags %llu -> %llu", (unsigned long long)a->vram_free,
	     (unsigned long long)b->vram_free, (unsigned long long)a->tags_free,
	     (unsigned long long)b->tags_free);
	diag("submitted %llu -> %llu, completed %llu -> %llu, alive %llu -> %llu",
	     (unsigned long long)a->submitted, (unsigned long long)b->submitted,
	     (unsigned long long)a->completed, (unsigned long long)b->completed,
	     (unsigned long long)a->alive, (unsigned long long)b->alive);
	return false;
}

/* --- debugfs -------------------------------------------------------------------------- */

/* Where the driver's files are, or "" if there are none. */
static inline const char *debug_dir(void)
{
	static char dir[300];
	char state[340];
	struct dirent *e;
	DIR *d = opendir("/sys/kernel/debug/dri");

	dir[0] = '\0';
	while (d && !dir[0] && (e = readdir(d))) {
		snprintf(dir, sizeof(dir), "/sys/kernel/debug/dri/%s", e->d_name);
		snprintf(state, sizeof(state), "%s/nvfifo_vram", dir);
		if (e->d_name[0] == '.' || access(state, F_OK))
			dir[0] = '\0';
	}
	if (d)
		closedir(d);
	return dir;
}

/* All that can be read from here on; to be freed. NULL on error. */
static inline char *read_all(int fd)
{
	size_t len = 0, room = 0;
	char *text = NULL;
	ssize_t n;

	do {
		if (len + 1 >= room) {
			char *more;

			room = room ? room * 2 : 4096;
			more = realloc(text, room);
			if (!more) {
				free(text);
				return NULL;
			}
			text = more;
		}
		n = read(fd, text + len, room - len - 1);
		if (n > 0)
			len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[len] = '\0';
	if (n < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static inline char *file_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd);
	close(fd);
	return text;
}

/* One of the driver's files in debugfs; the caller frees the text. */
__attribute__((format(printf, 1, 2))) static inline char *debug_text(const char *fmt, ...)
{
	char file[128], path[512];
	char *text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(file, sizeof(file), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", debug_dir(), file);
	text = file_text(path);
	need(text, "%s: %s", path, strerror(errno));
	return text;
}

/* Does the text of a tables file have a page directory entry with pages of this size? */
static inline bool has_pde(const char *text, enum nvfifo_pt_type type)
{
	unsigned long long val;

	for (text = strstr(text, "pde "); text; text = strstr(text + 1, "pde "))
		if (sscanf(text, "pde %*x %llx", &val) == 1 && nvfifo_pde_decode(val).type == type)
			return true;
	return false;
}

/* Or a page table entry that has these bits so? */
static inline bool has_pte(const char *text, uint64_t mask, uint64_t want)
{
	unsigned long long val;

	for (text = strstr(text, "pte "); text; text = strstr(text + 1, "pte "))
		if (sscanf(text, "pte %*x-%*x %llx", &val) == 1 && (val & mask) == want)
			return true;
	return false;
}

#define PTE_READ_ONLY		(1ull << 3)
#define PTE_TARGET(target)	((uint64_t)(target) << NVFIFO_PTE_TARGET_SHIFT)
#define PTE_SUPERVISOR		(1ull << 6)

/* Number of the youngest address space, as debugfs counts them. */
static inline uint32_t debug_last_vm(void)
{
	char path[400];
	struct dirent *e;
	uint32_t last = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/nvfifo_vm", debug_dir());
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (strtoul(e->d_name, NULL, 10) > last)
			last = (uint32_t)strtoul(e->d_name, NULL, 10);
	if (d)
		closedir(d);
	return last;
}

/* What debugfs says of one address in an address space; to be freed. */
static inline char *debug_translate(uint32_t vm, uint64_t va)
{
	char path[400], text[32], *answer;
	int fd, len;

	snprintf(path, sizeof(path), "%s/nvfifo_vm/%u/translate", debug_dir(), vm);
	fd = open(path, O_RDWR | O_CLOEXEC);
	need(fd >= 0, "%s: %s", path, strerror(errno));
	len = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)va);
	need(write(fd, text, (size_t)len) == len, "write to %s: %s", path, strerror(errno));
	lseek(fd, 0, SEEK_SET);
	answer = read_all(fd);
	close(fd);
	need(answer, "read of %s: %s", path, strerror(errno));
	return answer;
}

/* Does the kernel's log hold this? All of it is looked at, the log is large. */
static inline bool log_has(const char *text)
{
	int size = klogctl(10, NULL, 0);	/* SYSLOG_ACTION_SIZE_BUFFER */
	char *buf;
	bool ok;
	int n;

	if (size <= 0)
		return false;
	buf = calloc(1, (size_t)size + 1);
	if (!buf)
		return false;
	n = klogctl(3, buf, size);		/* SYSLOG_ACTION_READ_ALL */
	ok = n > 0 && strstr(buf, text);
	free(buf);
	return ok;
}

/* --- The module ------------------------------------------------------------------- */

static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* 0 or -errno; @params as for insmod. $MODULE is the file. */
static inline int module_load(const char *params)
{
	const char *path = getenv("MODULE");
	int fd, ret;

	fd = open(path ? path : "/src/build/uml-module/nvfifo.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = (int)syscall(SYS_finit_module, fd, params, 0);
	if (ret)
		ret = -errno;
	close(fd);
	return ret;
}

static inline int module_unload(void)
{
	return syscall(SYS_delete_module, "nvfifo", O_NONBLOCK) ? -errno : 0;
}

static inline bool module_loaded(void)
{
	return !access("/sys/module/nvfifo", F_OK);
}

/* Give the card to the driver, or take it away: what probe or remove return. */
static inline int card_bind(bool bind)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/nvfifo/%s", bind ? "bind" : "unbind");
	return file_write(path, card_slot());
}

/* The driver loaded anew with these parameters; an error ends the test. */
static inline void module_reload(const char *params)
{
	int ret = module_loaded() ? module_unload() : 0;

	need(!ret, "rmmod: %s", strerror(-ret));
	ret = module_load(params);
	need(!ret, "insmod %s: %s", params, strerror(-ret));
}

/* --- Running ---------------------------------------------------------------------- */

static inline void tap_alarm(int sig)
{
	static const char msg[] = "Bail out! the watchdog of the test program fired\n";
	ssize_t n;

	(void)sig;
	n = write(1, msg, sizeof(msg) - 1);
	(void)n;
	_exit(2);
}

struct test {
	const char *name;
	void (*fn)(void);
	bool once;
};

#define TEST(fn) { #fn, fn, false }
/* Takes long and does not depend on the chipset: with NVFIFO_SHORT only if it is asked for. */
#define TEST_ONCE(fn) { #fn, fn, true }

/* Every test gets its own time, and its open files are closed behind it. */
static inline void run_test(const struct test *t, unsigned int seconds)
{
	int64_t start = now_ns();
	unsigned int i;

	if (tap_only && !strstr(t->name, tap_only))
		return;
	if (t->once && !tap_only && getenv("NVFIFO_SHORT")) {
		skip("%s # SKIP %s", t->name, getenv("NVFIFO_SHORT"));
		return;
	}
	printf("# %s\n", t->name);
	fflush(stdout);
	if (ctl_present())
		ctl(NVSIM_CTL_MARK, (uint32_t)tap_count + 1);
	alarm(seconds);
	tap_env_set = true;
	if (!setjmp(tap_env))
		t->fn();
	tap_env_set = false;
	alarm(0);
	printf("# %s took %lld ms\n", t->name, (long long)(now_ns() - start) / 1000000);
	for (i = 0; i < MAX_OPEN; i++) {
		if (open_fds[i]) {
			maps_drop(open_fds[i] - 1, NULL);
			close(open_fds[i] - 1);
		}
		open_fds[i] = 0;
	}
}

/*
 * A name as the argument runs the tests that have it in theirs. The model
 * counts what it does not like; none of that may happen while the tests run.
 */
static inline int run_tests(int argc, char **argv, const struct test *tests, size_t n)
{
	uint32_t violations;
	size_t i;

	if (argc > 1)
		tap_only = argv[1];
	signal(SIGALRM, tap_alarm);
	signal(SIGPIPE, SIG_IGN);
	violations = stat_of(violations);
	for (i = 0; i < n; i++)
		run_test(&tests[i], 300);
	if (ctl_present())
		equal(stat_of(violations) - violations, violations_allowed,
		      "the model saw no violation");
	else
		skip("violations # SKIP no model");
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
