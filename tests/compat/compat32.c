// SPDX-License-Identifier: MIT
/*
 * A 32-bit program on a 64-bit kernel: each kind of call of the driver, and DRM's own calls. Some
 * of these have other structures in 32 bits. The program needs neither a 32-bit C library nor its
 * headers, so that any x86-64 compiler builds it.
 */
#include "nvfifo_drm.h"

#define NR_READ		3
#define NR_WRITE	4
#define NR_OPEN		5
#define NR_CLOSE	6
#define NR_IOCTL	54
#define NR_MMAP2	192
#define O_RDWR		2
#define PROT_RW		3
#define MAP_SHARED	1

#define EFAULT		14
#define ENOENT		2

#define PAGE		4096
#define PUSH_VA		0x10000000ull
#define REF_CNT		0x50	/* method of PFIFO */
#define UNMAPPED_VA	0x20000000ull
#define OBJECT		0x1234
#define USER_DATA	0x123456789abcdef0ull
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

/* The address of a 32-bit pointer whose upper half is not 0: no memory of the program */
static __u64 address_high(const void *p)
{
	return address(p) | 1ull << 32;
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

/* An address space with a pushbuffer, and a channel in it */
struct world {
	__u32 bo, vm, chan;
	__u32 *push;
	__u32 syncobj;
};

static struct world w;

static long bind_page(__u64 (*pointer)(const void *p))
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP, .bo_handle = w.bo, .va = PUSH_VA, .range = PAGE,
	};
	struct drm_nvfifo_vm_bind bind = {
		.vm_id = w.vm,
		.ops = { .stride = sizeof(op), .count = 1, .ptr = pointer(&op) },
	};

	return call(DRM_IOCTL_NVFIFO_VM_BIND, &bind);
}

/* Submit @words words, with a syncobj to signal. */
static long submit(__u64 va, __u32 words, __u64 (*entries)(const void *p),
		   __u64 (*syncs)(const void *p), __u32 *seqno)
{
	struct drm_nvfifo_entry entry = { .address = va, .words = words };
	struct drm_nvfifo_sync sync = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = w.syncobj };
	struct drm_nvfifo_submit submit = {
		.channel_id = w.chan,
		.entries = { .stride = sizeof(entry), .count = 1, .ptr = entries(&entry) },
		.syncs = { .stride = sizeof(sync), .count = 1, .ptr = syncs(&sync) },
	};
	long ret = call(DRM_IOCTL_NVFIFO_SUBMIT, &submit);

	*seqno = (__u32)submit.seqno;

	return ret;
}

static long wait_syncobj(void)
{
	struct drm_syncobj_wait wait = {
		.handles = address(&w.syncobj), .timeout_nsec = deadline(), .count_handles = 1,
	};

	return call(DRM_IOCTL_SYNCOBJ_WAIT, &wait);
}

static void buffers(void)
{
	static const char label[] = "of 32 bits";
	struct drm_nvfifo_bo_label name = {
		.size = sizeof(label) - 1, .label = address(label),
	};
	struct drm_nvfifo_bo_info info = { 0 };
	struct drm_prime_handle prime = { .fd = -1 };

	w.push = push_map(&w.bo);
	info.handle = w.bo;
	check(!call(DRM_IOCTL_NVFIFO_BO_INFO, &info) && info.size == PAGE && info.mmap_offset,
	      "BO_INFO");

	name.handle = w.bo;
	check(!call(DRM_IOCTL_NVFIFO_BO_LABEL, &name), "BO_LABEL");
	name.label = address_high(label);
	check(call(DRM_IOCTL_NVFIFO_BO_LABEL, &name) == -EFAULT, "BO_LABEL above 4 GiB");

	prime.handle = w.bo;
	check(!call(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) && prime.fd >= 0, "PRIME_HANDLE_TO_FD");
	prime.handle = 0;
	check(!call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime) && prime.handle == w.bo,
	      "PRIME_FD_TO_HANDLE");
	system_call(NR_CLOSE, prime.fd, 0, 0, 0, 0, 0);
}

static void spaces(void)
{
	struct drm_nvfifo_device_query q = {
		.type = DRM_NVFIFO_QUERY_DEVICE, .size = 8, .pointer = address_high(&q),
	};
	struct drm_syncobj_create sync = { 0 };
	struct drm_nvfifo_vm_create vm = { 0 };

	check(call(DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) == -EFAULT, "DEVICE_QUERY above 4 GiB");
	check(!call(DRM_IOCTL_NVFIFO_VM_CREATE, &vm), "VM_CREATE");
	w.vm = vm.id;
	check(bind_page(address_high) == -EFAULT, "VM_BIND with operations above 4 GiB");
	check(!bind_page(address), "VM_BIND");
	check(!call(DRM_IOCTL_SYNCOBJ_CREATE, &sync), "SYNCOBJ_CREATE");
	w.syncobj = sync.handle;
}

static void channel(void)
{
	struct drm_nvfifo_channel_create chan = {
		.vm_id = w.vm, .flags = DRM_NVFIFO_CHANNEL_EVENT, .user_data = USER_DATA,
	};
	struct drm_nvfifo_object_create object = {
		.handle = OBJECT, .type = DRM_NVFIFO_OBJECT_DMA, .oclass = 0x3d, .start = PUSH_VA,
		.size = PAGE,
	};
	struct drm_nvfifo_object_destroy gone = { .handle = OBJECT };

	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &chan), "CHANNEL_CREATE");
	w.chan = chan.id;
	object.channel_id = chan.id;
	gone.channel_id = chan.id;
	check(!call(DRM_IOCTL_NVFIFO_OBJECT_CREATE, &object), "OBJECT_CREATE");
	check(!call(DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &gone), "OBJECT_DESTROY");
	check(call(DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &gone) == -ENOENT, "OBJECT_DESTROY, again");
}

static void work(void)
{
	struct drm_nvfifo_channel_wait wait = { .flags = DRM_NVFIFO_WAIT_SUBMIT };
	struct drm_nvfifo_channel_query state = { 0 };

	w.push[0] = 1 << 18 | REF_CNT;
	w.push[1] = 0x600d32;
	check(submit(PUSH_VA, 2, address_high, address, &wait.value) == -EFAULT,
	      "SUBMIT with entries above 4 GiB");
	check(submit(PUSH_VA, 2, address, address_high, &wait.value) == -EFAULT,
	      "SUBMIT with syncs above 4 GiB");
	check(!submit(PUSH_VA, 2, address, address, &wait.value), "SUBMIT");
	check(!wait_syncobj(), "SYNCOBJ_WAIT");

	wait.channel_id = w.chan;
	wait.timeout_ns = deadline();
	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &wait), "CHANNEL_WAIT");
	wait.flags = 0;
	wait.address = address_high(w.push + 1);
	check(call(DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &wait) == -EFAULT, "CHANNEL_WAIT above 4 GiB");
	state.id = w.chan;
	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_QUERY, &state), "CHANNEL_QUERY");
	check(state.ref == 0x600d32 && state.completed == 1, "the card has executed the pushbuffer");
}

/* An event has a 64-bit field, which 32-bit programs align to 4 bytes. */
static void death(void)
{
	struct drm_nvfifo_event_channel_dead event = { .channel_id = 0 };
	__u32 seqno;

	check(!submit(UNMAPPED_VA, 2, address, address, &seqno) && !wait_syncobj(),
	      "SUBMIT of memory that is absent");
	check(system_call(NR_READ, fd, (long)&event, sizeof(event), 0, 0, 0) == sizeof(event),
	      "read of an event");
	check(event.base.type == DRM_NVFIFO_EVENT_CHANNEL_DEAD && event.channel_id == w.chan &&
	      event.user_data == USER_DATA, "which has the channel and its data");
}

static void end(void)
{
	struct drm_nvfifo_channel_destroy chan = { .id = w.chan };
	struct drm_nvfifo_vm_destroy vm = { .id = w.vm };
	struct drm_gem_close bo = { .handle = w.bo };

	check(!call(DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &chan), "CHANNEL_DESTROY");
	check(!call(DRM_IOCTL_NVFIFO_VM_DESTROY, &vm), "VM_DESTROY");
	check(!call(DRM_IOCTL_GEM_CLOSE, &bo), "GEM_CLOSE");
}

int start(void)
{
	node_open();
	if (fd >= 0) {
		version();
		query();
		buffers();
		spaces();
		channel();
		if (w.push)
			work();
		death();
		end();
	}

	print("1..");
	print_number(count);
	print("\n");

	return failed > 0;
}
