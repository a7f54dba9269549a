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

int main(void)
{
	static const __u32 words[] = {	/* header of one word to a method of PFIFO, and the word */
		0x00040060, HANDLE, 0x00040064, 0x800, 0x0004006c, 0x12345678,
	};
	struct drm_nvfifo_bo_create bo = { .size = 4096, .domain = DRM_NVFIFO_DOMAIN_SYSTEM };
	struct drm_nvfifo_vm_bind_op op = { .op = DRM_NVFIFO_VM_BIND_OP_MAP, .va = VA, .range = 4096 };
	struct drm_nvfifo_vm_bind bind = { .ops = { sizeof(op), 1, (__u64)&op } };
	struct drm_nvfifo_object_create object = { .handle = HANDLE, .oclass = 0x3d,
		.access = DRM_NVFIFO_ACCESS_VM, .start = VA, .size = 4096 };
	struct drm_nvfifo_entry entry = { .address = VA, .words = sizeof(words) / 4 };
	struct drm_nvfifo_submit submit = { .entries = { sizeof(entry), 1, (__u64)&entry } };
	struct drm_nvfifo_channel_wait wait = { .flags = DRM_NVFIFO_WAIT_SUBMIT, .value = 1,
		.timeout_ns = INT64_MAX };
	struct drm_nvfifo_channel_create channel = { 0 };
	struct drm_nvfifo_vm_create vm = { 0 };
	char path[32], name[8] = "";
	int node, fd = -1;
	__u32 *map;

	for (node = 128; node < 192 && memcmp(name, "nvfifo", 6); node++) {
		struct drm_version version = { .name = name, .name_len = sizeof(name) };

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", node);
		fd = open(path, O_RDWR | O_CLOEXEC);
		ioctl(fd, DRM_IOCTL_VERSION, &version);
	}

	DO(NVFIFO_BO_CREATE, &bo);
	DO(NVFIFO_VM_CREATE, &vm);
	op.bo_handle = bo.handle;
	channel.vm_id = bind.vm_id = vm.id;
	DO(NVFIFO_VM_BIND, &bind);
	DO(NVFIFO_CHANNEL_CREATE, &channel);
	object.channel_id = submit.channel_id = wait.channel_id = channel.id;
	DO(NVFIFO_OBJECT_CREATE, &object);

	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)bo.mmap_offset);
	if (map == MAP_FAILED)
		return 1;
	memcpy(map, words, sizeof(words));
	DO(NVFIFO_SUBMIT, &submit);
	DO(NVFIFO_CHANNEL_WAIT, &wait);
	printf("the semaphore is %#x\n", ((volatile __u32 *)map)[0x800 / 4]);
	return 0;
}
