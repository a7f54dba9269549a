// SPDX-License-Identifier: MIT
/*
 * A 32-bit program on a 64-bit kernel: each kind of call of the driver, and DRM's own calls. Some
 * of these have other structures in 32 bits. The program needs neither a 32-bit C library nor its
 * headers, so that any x86-64 compiler builds it.
 */
#include "nvfifo_drm.h"

#define NR_WRITE	4
#define NR_OPEN		5
#define NR_IOCTL	54
#define NR_MMAP2	192
#define O_RDWR		2
#define PROT_RW		3
#define MAP_SHARED	1

#define PAGE		4096
#define PUSH_VA		0x10000000ull
#define REF_CNT		0x50	/* method of PFIFO */
#define WAIT_NS		60000000000ll
#define CLOCK_MONOTONIC	1
#define NR_CLOCK_GETTIME64 403

int start(void);
long system_call(long nr, long a, long b, long c, long d, long e, long f);

/* Arguments go to ebx, ecx, edx, esi, edi, ebp. */
__asm__(".globl _start, system_call\n"
	"_start:\n"
	"	andl $-16, %esp\n"
	"	call start\n"
	"	movl %eax, %ebx\n"
	"	movl $1, %eax\n"
	"	int $0x80\n"
	"system_call:\n"
	"	pushl %ebp\n"
	"	pushl %edi\n"
	"	pushl %esi\n"
	"	pushl %ebx\n"
	"	movl 20(%esp), %eax\n"
	"	movl 24(%esp), %ebx\n"
	"	movl 28(%esp), %ecx\n"
	"	movl 32(%esp), %edx\n"
	"	movl 36(%esp), %esi\n"
	"	movl 40(%esp), %edi\n"
	"	movl 44(%esp), %ebp\n"
	"	int $0x80\n"
	"	popl %ebx\n"
	"	popl %esi\n"
	"	popl %edi\n"
	"	popl %ebp\n"
	"	ret\n"
	".section .note.GNU-stack,\"\",@progbits\n"
	".text\n");

static int fd = -1;
static unsigned int count, failed;

static void print(const char *text)
{
	unsigned int n = 0;

	while (text[n])
		n++;
	system_call(NR_WRITE, 1, (long)text, n, 0, 0, 0);
}

static void print_number(unsigned int number)
{
	char digits[11];
	unsigned int at = sizeof(digits) - 1;

	digits[at] = 0;

	do {
		digits[--at] = '0' + number % 10;
		number /= 10;
	} while (number);
	print(digits + at);
}

static _Bool check(_Bool ok, const char *what)
{
	count++;
	if (!ok) {
		failed++;
		print("not ");
	}

	print("ok ");
	print_number(count);
	print(" - ");
	print(what);
	print("\n");

	return ok;
}

static long call(unsigned long request, void *arg)
{
	return system_call(NR_IOCTL, fd, (long)request, (long)arg, 0, 0, 0);
}

static __u64 address(const void *p)
{
	return (unsigned long)p;
}

/* The first render node; the guest has one card. */
static void node_open(void)
{
	char path[] = "/dev/dri/renderD128";
	int i;

	for (i = 0; i < 8 && fd < 0; i++) {
		path[sizeof(path) - 2] = '0' + (8 + i) % 10;
		path[sizeof(path) - 3] = '2' + (8 + i) / 10;
		fd = (int)system_call(NR_OPEN, (long)path, O_RDWR, 0, 0, 0, 0);
	}

	check(fd >= 0, "a 32-bit program opens the node");
}

/* struct drm_version has pointers and sizes of the program's. */
static void version(void)
{
	static const char want[] = "nvfifo";
	struct drm_version v = { 0 };
	char name[16] = "";
	unsigned int i, same = 0;

	v.name = name;
	v.name_len = sizeof(name);
	check(!call(DRM_IOCTL_VERSION, &v), "DRM_IOCTL_VERSION");

	for (i = 0; i < sizeof(want); i++)
		same += name[i] == want[i];

	check(same == sizeof(want) && v.name_len == sizeof(want) - 1, "which tells the name");
}

static void query(void)
{
	struct drm_nvfifo_query_device device = { 0 };
	struct drm_nvfifo_device_query q = {
		.type = DRM_NVFIFO_QUERY_DEVICE, .size = sizeof(device), .pointer = address(&device),
	};

	check(!call(DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), "DEVICE_QUERY");
	check(q.size == sizeof(device) && device.va_end > 1ull << 32,
	      "the structure is as large as that of a 64-bit program");
}

static __s64 deadline(void)
{
	__s64 now[2] = { 0, 0 };

	system_call(NR_CLOCK_GETTIME64, CLOCK_MONOTONIC, (long)now, 0, 0, 0, 0);
	return now[0] * 1000000000ll + now[1] + WAIT_NS;
}

static void *push_map(__u32 *handle)
{
	struct drm_nvfifo_bo_create bo = { .size = PAGE, .domain = DRM_NVFIFO_DOMAIN_SYSTEM };
	long p;

	if (!check(!call(DRM_IOCTL_NVFIFO_BO_CREATE, &bo), "BO_CREATE"))
		return 0;

	*handle = bo.handle;
	p = system_call(NR_MMAP2, 0, PAGE, PROT_RW, MAP_SHARED, fd, (long)(bo.mmap_offset / PAGE));
	if (!check(p > 0 || p < -4095, "mmap"))
		return 0;

	return (void *)p;
}

static void work(void)
{
	struct drm_nvfifo_entry entry = { .address = PUSH_VA, .words = 2 };
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP, .va = PUSH_VA, .range = PAGE,
	};
	struct drm_nvfifo_vm_create vm = { 0 };
	struct drm_nvfifo_vm_bind bind = {
		.ops = { .stride = sizeof(op), .count = 1, .ptr = address(&op) },
	};
	struct drm_nvfifo_channel_create chan = { 0 };
	struct drm_nvfifo_submit submit = {
		.entries = { .stride = sizeof(entry), .count = 1, .ptr = address(&entry) },
	};
	struct drm_nvfifo_channel_wait wait = { .flags = DRM_NVFIFO_WAIT_SUBMIT };
	struct drm_nvfifo_channel_query state = { 0 };
	volatile __u32 *push = push_map(&op.bo_handle);

	if (!push)
		return;

	push[0] = 1 << 18 | REF_CNT;
	push[1] = 0x600d32;
	check(!call(DRM_IOCTL_NVFIFO_VM_CREATE, &vm), "VM_CREATE");
	bind.vm_id = vm.id;
	chan.vm_id = vm.id;
	check(!call(DRM_IOCTL_NVFIFO_VM_BIND, &bind), "VM_BIND");
	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &chan), "CHANNEL_CREATE");
	submit.channel_id = chan.id;
	check(!call(DRM_IOCTL_NVFIFO_SUBMIT, &submit), "SUBMIT");

	wait.channel_id = chan.id;
	wait.value = (__u32)submit.seqno;
	wait.timeout_ns = deadline();
	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &wait), "CHANNEL_WAIT");
	state.id = chan.id;
	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_QUERY, &state), "CHANNEL_QUERY");
	check(state.ref == 0x600d32 && state.completed == 1, "the card has executed the pushbuffer");
}

int start(void)
{
	node_open();
	if (fd >= 0) {
		version();
		query();
		work();
	}

	print("1..");
	print_number(count);
	print("\n");

	return failed > 0;
}
