// SPDX-License-Identifier: MIT
/* System calls alone: find the node, run a pushbuffer that releases a semaphore, read the result. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "nvfifo_drm.h"

#define VA	0x20000000ull	/* the buffer: pushbuffer at its start, semaphore at byte 0x800 */
#define HANDLE	0xbeef0001	/* of the semaphore's DMA object, any number */
#define DO(request, arg) \
	do { if (ioctl(fd, DRM_IOCTL_##request, arg)) { perror(#request); return 1; } } while (0)

static int open_node(void)
{
	char path[32], name[16];
	struct drm_version version;
	int i, fd;

	for (i = 128; i < 192; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		version = (struct drm_version){ .name = name, .name_len = sizeof(name) };
		if (fd >= 0 && !ioctl(fd, DRM_IOCTL_VERSION, &version) && !strncmp(name, "nvfifo", 6))
			return fd;
	}
	return -1;
}

int main(void)
{
	static const __u32 words[] = {	/* header of one word to a method of PFIFO, and the word */
		0x00040060, HANDLE, 0x00040064, 0x800, 0x0004006c, 0x12345678,
	};
	struct drm_nvfifo_bo_create bo = { .size = 4096, .domain = DRM_NVFIFO_DOMAIN_SYSTEM };
	struct drm_nvfifo_vm_create vm = { 0 };
	struct drm_nvfifo_vm_bind_op op = { .op = DRM_NVFIFO_VM_BIND_OP_MAP, .va = VA, .range = 4096 };
	struct drm_nvfifo_channel_create channel = { 0 };
	struct drm_syncobj_create done = { 0 };
	int fd = open_node();
	__u32 *map;

	DO(NVFIFO_BO_CREATE, &bo);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)bo.mmap_offset);
	if (map == MAP_FAILED)
		return 1;
	memcpy(map, words, sizeof(words));

	DO(NVFIFO_VM_CREATE, &vm);
	op.bo_handle = bo.handle;
	DO(NVFIFO_VM_BIND, (&(struct drm_nvfifo_vm_bind){ .vm_id = vm.id, .ops = { sizeof(op), 1, (__u64)&op } }));
	channel.vm_id = vm.id;
	DO(NVFIFO_CHANNEL_CREATE, &channel);
	DO(NVFIFO_OBJECT_CREATE, (&(struct drm_nvfifo_object_create){
		.channel_id = channel.id, .handle = HANDLE, .oclass = 0x3d,
		.access = DRM_NVFIFO_ACCESS_VM, .start = VA, .size = 4096 }));
	DO(SYNCOBJ_CREATE, &done);
	DO(NVFIFO_SUBMIT, (&(struct drm_nvfifo_submit){
		.channel_id = channel.id,
		.entries = { sizeof(struct drm_nvfifo_entry), 1, (__u64)&(struct drm_nvfifo_entry){
			.address = VA, .words = sizeof(words) / 4 } },
		.syncs = { sizeof(struct drm_nvfifo_sync), 1, (__u64)&(struct drm_nvfifo_sync){
			.flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = done.handle } } }));
	DO(SYNCOBJ_WAIT, (&(struct drm_syncobj_wait){
		.handles = (__u64)&done.handle, .count_handles = 1, .timeout_nsec = INT64_MAX }));
	printf("the semaphore is %#x\n", ((volatile __u32 *)map)[0x800 / 4]);
	return 0;
}
