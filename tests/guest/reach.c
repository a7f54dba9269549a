// SPDX-License-Identifier: MIT
/*
 * Isolation: a client must not reach memory of other files, other clients' VRAM, or the kernel's
 * memory. Each test is an attack, while a witness in another process checks its own memory.
 *
 * Guards memory and its charges (threat-model.rst), on one chip.
 */
#include <linux/capability.h>

#include "nvfifo_text.h"
#include "raw.h"

#include <sys/mount.h>

#define PAGE		(4 * KIB)
#define HANDLE(i)	(0xbeef0000 + (i))
#define PATTERN		0x600dda7a

static struct nv nv;
static uint32_t vm;

/* --- Privileges ----------------------------------------------------------------- */

/* Drop root's capabilities in this process, or take them back. */
static void privileged(bool on)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	unsigned int i;

	need(!syscall(SYS_capget, &head, data), "capget: %s", strerror(errno));
	for (i = 0; i < 2; i++)
		data[i].effective = on ? data[i].permitted : 0;
	need(!syscall(SYS_capset, &head, data), "capset: %s", strerror(errno));
}

/* --- The witness ------------------------------------------------------------------ */

/* A witness: a process with a page of its own that is mapped for the card. */
struct witness {
	pid_t pid;
	int end;		/* closed: it looks at its page and ends */
	uint64_t address;	/* of the page, on the bus */
};

/* Bus address of a page of an address space by debugfs's number; 0 if debugfs does not show it. */
static uint64_t bus_address(uint32_t space, uint64_t va)
{
	char *text = debug_translate(space, va);
	const char *at = strstr(text, "memory   ");
	unsigned long long address = 0;

	if (at)
		sscanf(at, "memory   %*s %llx", &address);
	free(text);
	return address;
}

static int witness_main(int answer, int end)
{
	struct nv own;
	struct bo page;
	uint32_t i, bad = 0;
	uint64_t address;
	char c;

	nv_open(&own);
	page = sys_bo(&own, PAGE);
	for (i = 0; i < PAGE / 4; i++)
		((volatile uint32_t *)page.map)[i] = PATTERN;
	address = map(&own, new_vm(&own), &page);
	address = bus_address(debug_last_vm(), address);
	if (write(answer, &address, sizeof(address)) != sizeof(address))
		return 98;
	while (read(end, &c, 1) > 0)
		;
	for (i = 0; i < PAGE / 4; i++)
		bad += ((volatile uint32_t *)page.map)[i] != PATTERN;
	return bad ? 1 : 0;
}

static struct witness witness_start(void)
{
	struct witness w = { 0 };
	int answer[2], end[2];

	need(!pipe(answer) && !pipe(end), "pipe: %s", strerror(errno));
	fflush(stdout);
	w.pid = fork();
	need(w.pid >= 0, "fork: %s", strerror(errno));
	if (!w.pid) {
		close(answer[0]);
		close(end[1]);
		tap_env_set = false;
		_exit(witness_main(answer[1], end[0]));
	}
	close(answer[1]);
	close(end[0]);
	need(read(answer[0], &w.address, sizeof(w.address)) == sizeof(w.address) && w.address,
	     "the witness has a page");
	close(answer[0]);
	w.end = end[1];
	return w;
}

/* Returns 0 if its page is unchanged. */
static int witness_end(struct witness *w)
{
	int status = -1;

	close(w->end);
	need(waitpid(w->pid, &status, 0) == w->pid, "waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- Objects ------------------------------------------------------------------------ */

static int object_paged(uint32_t chan, uint32_t handle, uint64_t start, uint64_t size)
{
	return object_dma(&nv, chan, handle, start, size);
}

static int object_unpaged(uint32_t chan, uint32_t handle, const struct bo *bo, uint64_t size)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = chan,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_DMA,
		.oclass = NVFIFO_CLASS_DMA_RW,
		.access = DRM_NVFIFO_ACCESS_RW,
		.flags = DRM_NVFIFO_OBJECT_UNPAGED,
		.size = size,
		.bo_handle = bo->handle,
		.user = DRM_NVFIFO_USER_BOTH,
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

/* Two channels yield to each other for ever; one of them writes through an object meanwhile. */
static void start_yielding(struct lin *writer, struct lin *other)
{
	uint64_t loop;

	l_sem(writer, HANDLE(0), 0);
	loop = lin_at(writer);
	l_mthd(writer, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x0badbad0);
	l_mthd(writer, NVFIFO_MTHD_YIELD, 0);
	l_word(writer, JUMP(loop));

	loop = lin_at(other);
	l_mthd(other, NVFIFO_MTHD_YIELD, 0);
	l_word(other, JUMP(loop));

	need(!lin_submit(writer) && !lin_submit(other), "SUBMIT");
}

/*
 * Pages of the attacker on the bus, and the one with the highest address. The order in which the
 * page allocator hands out addresses is unknown. So some of these pages are older than the
 * witness's and some are younger.
 */
struct pages {
	uint32_t space;		/* debugfs's number of the attacker's address space */
	struct bo best;
	uint64_t address;
};

static void pages_add(struct pages *pages, uint32_t n)
{
	uint64_t address;
	struct bo bo;

	while (n--) {
		bo = sys_bo(&nv, PAGE);
		address = bus_address(pages->space, map(&nv, vm, &bo));
		if (address > pages->address) {
			pages->best = bo;
			pages->address = address;
		}
	}
}

/* Has the attacker own a page after @other, so that both objects can end in it. */
static void pages_reach(struct pages *pages, uint64_t other)
{
	uint32_t i;

	for (i = 0; i < 32 && pages->address < other; i++)
		pages_add(pages, 32);
	need(pages->address > other, "a page after the witness's");
}

/*
 * A channel's context keeps the place of its semaphore's object after OBJECT_DESTROY, and PFIFO
 * reads the object again at each switch. The attacker creates paged and unpaged objects there in
 * turn. A paged one starts at a virtual address that equals the bus address of the witness's page.
 * An unpaged one is a page of the attacker. Both end at the same number. If the driver wrote one
 * over the other word by word, a mix would appear: the unpaged target with the paged start.
 */
static void t_object_slot(void)
{
	struct drm_nvfifo_channel_query q;
	struct lin writer, other;
	struct pages pages = { 0 };
	uint64_t address, size;
	struct bo own, stand_in;
	struct witness w;
	int64_t end;
	uint32_t n;
	int ret = 0;

	nv_open(&nv);
	vm = new_vm(&nv);
	pages.space = debug_last_vm();
	pages_add(&pages, 32);
	w = witness_start();
	pages_reach(&pages, w.address);
	own = pages.best;
	address = pages.address;
	stand_in = sys_bo(&nv, PAGE);
	need(!vm_map_at(&nv, vm, &stand_in, w.address, 0, 0) &&
	     !vm_map_at(&nv, vm, &stand_in, address, 0, 0), "map at %#llx and %#llx",
	     (unsigned long long)w.address, (unsigned long long)address);
	writer = lin_order(&nv, vm, 0, 4 * KIB);
	other = lin_order(&nv, vm, 0, 4 * KIB);
	need(!object_paged(writer.id, HANDLE(0), w.address, PAGE), "an object");
	start_yielding(&writer, &other);
	need(poll_word(stand_in.map, 0x0badbad0), "the channel writes");
	need(!object_destroy(&nv, writer.id, HANDLE(0)), "OBJECT_DESTROY");

	end = now_ns() + 6000000000ll;
	for (n = 0; (now_ns() < end || n < 200) && n < 4000 && !ret; n++) {
		/* Each object has other parameters, so that the driver does not reuse one. */
		size = PAGE - 4 * (n % 1000);
		ret = object_paged(writer.id, HANDLE(1), w.address, address + size - w.address);
		if (!ret)
			ret = object_destroy(&nv, writer.id, HANDLE(1));
		if (!ret)
			ret = object_unpaged(writer.id, HANDLE(2), &own, size);
		if (!ret)
			ret = object_destroy(&nv, writer.id, HANDLE(2));
	}
	check(n >= 200, "%u times two objects came and went (%s)", n, strerror(-ret));
	need(!chan_query(&nv, writer.id, &q), "CHANNEL_QUERY");
	diag("the writing channel: state %u, error %u", q.state, q.error);
	chan_destroy(&nv, writer.id);
	chan_destroy(&nv, other.id);
	equal((uint32_t)witness_end(&w), 0, "another process's page is as it was");
}

/* More objects than there is room for, one after the other, while the channel works. */
static void t_object_many(void)
{
	struct bo data;
	struct ch c;
	uint64_t va;
	uint32_t n;
	int ret = 0;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	data = sys_bo(&nv, 64 * KIB);
	va = map(&nv, vm, &data);
	for (n = 0; n < 4000 && !ret; n++) {
		ret = object_paged(c.id, HANDLE(3), va + 4 * n, 4 * (n % 7 + 1));
		if (!ret && n % 100 == 99) {
			p_release(&c, HANDLE(3), 0, n);
			ret = ch_run(&c) == 1 ? 0 : -EIO;
		}
		if (!ret)
			ret = object_destroy(&nv, c.id, HANDLE(3));
	}
	equal(n, 4000, "4000 different objects, one after the other");
	for (n = 99, ret = 0; n < 4000; n += 100)
		ret += ((volatile uint32_t *)data.map)[n] != n;
	equal((uint32_t)ret, 0, "those that were used led to their own words");
	check(ch_works(&c), "the channel works");
}

/* --- Privileged attributes --------------------------------------------------------- */

static struct drm_nvfifo_object_create object_with(uint32_t chan, uint32_t flags)
{
	return (struct drm_nvfifo_object_create){
		.channel_id = chan,
		.handle = HANDLE(9),
		.type = DRM_NVFIFO_OBJECT_DMA,
		.oclass = NVFIFO_CLASS_DMA_RW,
		.flags = flags,
		.start = MIB,
		.size = PAGE,
	};
}

/* Refused without CAP_SYS_ADMIN, and accepted with it. */
static void object_needs_admin(struct drm_nvfifo_object_create o, const char *what)
{
	int ret;

	privileged(false);
	ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
	privileged(true);
	if (!refused(ret, EPERM, what) && !ret)
		object_destroy(&nv, o.channel_id, o.handle);
	equal((uint32_t)nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), 0,
	      "root may have it");
	object_destroy(&nv, o.channel_id, o.handle);
}

static void t_object_privileges(void)
{
	struct drm_nvfifo_object_create o;
	struct bo bo;
	struct ch c;
	int ret;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	bo = sys_bo(&nv, PAGE);
	o = object_with(c.id, DRM_NVFIFO_OBJECT_UNPAGED);
	o.start = 0;
	o.bo_handle = bo.handle;
	o.access = DRM_NVFIFO_ACCESS_RW;
	o.user = DRM_NVFIFO_USER_BOTH;
	object_needs_admin(o, "an unpaged object without CAP_SYS_ADMIN");
	object_needs_admin(object_with(c.id, DRM_NVFIFO_OBJECT_SUPERVISOR),
			   "a supervisor's object without CAP_SYS_ADMIN");
	o = object_with(c.id, DRM_NVFIFO_OBJECT_KIND);
	o.kind = 0x72;
	object_needs_admin(o, "an object with an LSR kind without CAP_SYS_ADMIN");
	if (nv.dev.features & DRM_NVFIFO_FEATURE_ENCRYPTION)
		object_needs_admin(object_with(c.id, DRM_NVFIFO_OBJECT_ENCRYPTED),
				   "an encrypting object without CAP_SYS_ADMIN");
	if (nv.dev.features & DRM_NVFIFO_FEATURE_LONG_CYCLE) {
		o = object_with(c.id, 0);
		o.cycle = DRM_NVFIFO_CYCLE_LONG;
		object_needs_admin(o, "an object with the long cycle without CAP_SYS_ADMIN");
	}
	o = object_with(c.id, DRM_NVFIFO_OBJECT_KIND);
	o.kind = 0x70;
	privileged(false);
	ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
	privileged(true);
	equal((uint32_t)ret, 0, "an object with a kind of the usual bank order is for everybody");
}

static void map_needs_admin(const struct bo *bo, uint32_t flags, const char *what)
{
	int ret;

	privileged(false);
	ret = vm_map_at(&nv, vm, bo, 64 * MIB, flags, 0);
	privileged(true);
	if (!refused(ret, EPERM, what) && !ret)
		vm_unmap(&nv, vm, 64 * MIB, bo->size);
	equal((uint32_t)vm_map_at(&nv, vm, bo, 64 * MIB, flags, 0), 0, "root may have it");
	vm_unmap(&nv, vm, 64 * MIB, bo->size);
}

static void t_map_privileges(void)
{
	struct bo sys, vram;
	int ret;

	nv_open(&nv);
	vm = new_vm(&nv);
	sys = sys_bo(&nv, PAGE);
	vram = vram_bo(&nv, 64 * KIB);
	map_needs_admin(&sys, DRM_NVFIFO_VM_BIND_SUPERVISOR,
			"a supervisor's mapping without CAP_SYS_ADMIN");
	if (nv.dev.features & DRM_NVFIFO_FEATURE_ENCRYPTION)
		map_needs_admin(&sys, DRM_NVFIFO_VM_BIND_ENCRYPTED,
				"an encrypted mapping without CAP_SYS_ADMIN");
	if (nv.dev.features & DRM_NVFIFO_FEATURE_LONG_CYCLE)
		map_needs_admin(&vram, DRM_NVFIFO_VM_BIND_LONG_CYCLE,
				"a mapping with the long cycle without CAP_SYS_ADMIN");
	privileged(false);
	ret = vm_map_at(&nv, vm, &sys, 64 * MIB, DRM_NVFIFO_VM_BIND_READ_ONLY, 0);
	privileged(true);
	equal((uint32_t)ret, 0, "a read-only mapping is for everybody");
}

/* --- Bank types ----------------------------------------------------------------------- */

/* Write a word into each page of a mapping. */
static void write_pages(struct ch *c, uint64_t va, uint64_t size, uint32_t value)
{
	struct drm_nvfifo_channel_query q;
	uint64_t at;
	int ret;

	for (at = 0; at < size; at += PAGE) {
		need(!object_dma(c->nv, c->id, HANDLE(16 + at / PAGE), va + at, PAGE),
		     "OBJECT_CREATE");
		p_release(c, HANDLE(16 + at / PAGE), 0, value);
	}
	ret = ch_run(c);
	if (ret != 1 && !chan_query(c->nv, c->id, &q))
		diag("error %u code %#x, fault %u at %#llx: reason %u", q.error, q.error_code,
		     q.fault, (unsigned long long)q.fault_address, q.fault_reason);
	need(ret == 1, "the pages are written (%d)", ret);
	for (at = 0; at < size; at += PAGE)
		object_destroy(c->nv, c->id, HANDLE(16 + at / PAGE));
}

/* How many pages of a mapping begin with another word, read without the card. */
static uint32_t pages_changed(uint32_t vm_number, uint64_t va, uint64_t size, uint32_t value)
{
	uint32_t word, changed = 0;
	uint64_t at;
	char *text;

	for (at = 0; at < size; at += PAGE) {
		text = debug_translate(vm_number, va + at);
		need(strstr(text, "CPU"), "translate: %s", text);
		changed += sscanf(strstr(text, "CPU"), "CPU %x", &word) != 1 || word != value;
		free(text);
	}
	return changed;
}

/*
 * Write to a small buffer with a storage type of the other bank order, next to buffers of
 * another file. If a driver allocates such memory in units of 64 KiB, the writes reach the
 * neighbour's cells where a row block is larger.
 */
static void t_bank_types(void)
{
	enum { NEIGHBOURS = 6 };
	struct bo theirs[NEIGHBOURS + 1], ours[NEIGHBOURS];
	uint64_t va[NEIGHBOURS + 1], our_va = 256 * MIB;
	struct drm_nvfifo_vm_bind_op op;
	struct drm_nvfifo_bo_info info;
	uint32_t i, number, bad = 0;
	struct nv other;
	struct ch c, o;
	int ret;

	nv_open(&other);
	nv_open(&nv);
	o = ch_new(&other, new_vm(&other));
	number = debug_last_vm();
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	for (i = 0; i <= NEIGHBOURS; i++) {
		theirs[i] = vram_bo(&other, 64 * KIB);
		va[i] = map(&other, o.vm, &theirs[i]);
		write_pages(&o, va[i], theirs[i].size, PATTERN + i);
		/* An unfixed driver does not know the flag, and grants the request. */
		if (i < NEIGHBOURS && bo_create_flags(&nv, &ours[i], DRM_NVFIFO_DOMAIN_VRAM,
						      DRM_NVFIFO_BO_LSR, 64 * KIB))
			ours[i] = vram_bo(&nv, 64 * KIB);
	}
	for (i = 0; i < NEIGHBOURS; i++, our_va += 16 * MIB) {
		op = op_map(&ours[i], our_va);
		op.kind = 0x72;
		ret = vm_bind(&nv, vm, &op, 1);
		need(!ret, "a mapping with kind 72: %s", strerror(-ret));
		write_pages(&c, our_va, ours[i].size, 0x0badbad0);
	}
	for (i = 0; i <= NEIGHBOURS; i++)
		bad += pages_changed(number, va[i], theirs[i].size, PATTERN + i);
	equal(bad, 0, "the pages of another file are as they were");
	need(!bo_info(&nv, ours[0].handle, &info), "BO_INFO");
	check(info.flags & DRM_NVFIFO_BO_LSR, "BO_INFO has the flag");
	op = op_map(&ours[0], our_va);
	refused(vm_bind(&nv, vm, &op, 1), EINVAL, "a BO for LSR kinds with kind 0");
	op = op_map(&theirs[0], our_va);
	op.kind = 0x72;
	refused(vm_bind(&other, o.vm, &op, 1), EINVAL, "an LSR kind for a BO without LSR");
	ret = bo_create_flags(&nv, &ours[0], DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_LSR, PAGE);
	refused(ret, EINVAL, "LSR for system memory");
}

/* --- Limits of a file ---------------------------------------------------------------------------- */

/* VM_CREATE with a place that may still be taken: a work item frees a destroyed address space. */
static int vm_create_soon(struct nv *n, uint32_t *id)
{
	int64_t start = now_ns();
	int ret;

	do
		ret = vm_create(n, id);
	while (ret == -ENOSPC && may_come(start));

	return ret;
}

static void t_vm_limit(void)
{
	uint32_t n, first = 0, id;
	struct nv other;
	int ret = 0;

	nv_open(&nv);
	nv_open(&other);
	privileged(false);
	for (n = 0; n < 400 && !ret; n++) {
		ret = vm_create(&nv, &id);
		if (!n)
			first = id;
	}
	refused(ret, ENOSPC, "address spaces beyond the limit of a file");
	equal(n - 1, nv.lim.file_vms, "as many as DEVICE_QUERY says");
	equal((uint32_t)vm_create(&other, &id), 0, "another file has its own limit");
	need(!vm_destroy(&nv, first), "VM_DESTROY");
	equal((uint32_t)vm_create_soon(&nv, &id), 0, "one that is destroyed makes room");
	privileged(true);
	equal((uint32_t)vm_create(&nv, &id), 0, "root may exceed the limit");
	nv_close(&nv);
	nv_close(&other);
}

static void t_channel_limit(void)
{
	uint32_t n, first = 0, id;
	struct nv other;
	int ret = 0;

	nv_open(&nv);
	nv_open(&other);
	vm = new_vm(&nv);
	privileged(false);
	for (n = 0; n < nv.lim.channels && !ret; n++) {
		ret = chan_create(&nv, vm, 3, &id);
		if (!n)
			first = id;
	}
	refused(ret, ENOSPC, "channels beyond the limit of a file");
	equal(n - 1, nv.lim.file_channels, "as many as DEVICE_QUERY says");
	equal((uint32_t)chan_create(&other, new_vm(&other), 3, &id), 0,
	      "another file has its own limit");
	need(!chan_destroy(&nv, first), "CHANNEL_DESTROY");
	equal((uint32_t)chan_create(&nv, vm, 3, &id), 0, "one that is destroyed makes room");
	privileged(true);
	equal((uint32_t)chan_create(&nv, vm, 3, &id), 0, "root may exceed the limit");
	nv_close(&nv);
	nv_close(&other);
}

/* Each buffer uses mmap offsets, of which the card has 1 TiB, even before it has memory. */
static void t_bytes_limit(void)
{
	uint64_t got = 0;
	struct nv other;
	struct bo bo, last = { 0 };
	int ret;

	nv_open(&nv);
	nv_open(&other);
	privileged(false);
	do {
		ret = bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 16 * MIB);
		if (!ret) {
			got += bo.size;
			last = bo;
		}
	} while (!ret && got < 1024 * GIB);
	refused(ret, ENOSPC, "buffers beyond the limit of a file");
	check(got <= nv.lim.file_bytes && got + 16 * MIB > nv.lim.file_bytes, "%llu MiB of %llu",
	      (unsigned long long)got / MIB, (unsigned long long)nv.lim.file_bytes / MIB);
	equal((uint32_t)bo_create(&other, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 16 * MIB), 0,
	      "another file has its own limit");
	bo_close(&nv, last.handle);
	equal((uint32_t)bo_create(&nv, &last, DRM_NVFIFO_DOMAIN_SYSTEM, 16 * MIB), 0,
	      "one that is closed makes room");
	privileged(true);
	equal((uint32_t)bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 16 * MIB), 0,
	      "root may exceed the limit");
	nv_close(&nv);
	nv_close(&other);
}

/* Asynchronous VM_BINDs that wait for a channel that hangs: at some number the call sleeps. */
static void t_bind_queue(void)
{
	uint32_t *count = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			       0);
	struct bo page, gate;
	uint32_t last, i;
	struct ch c;
	int64_t start;
	int status;
	pid_t pid;

	need(count != MAP_FAILED, "mmap: %s", strerror(errno));
	nv_open(&nv);
	vm = new_vm(&nv);
	page = sys_bo(&nv, PAGE);
	/* A channel that waits for a word that is never written, until the watchdog ends it. */
	c = ch_new(&nv, new_vm(&nv));
	gate = sys_bo(&nv, PAGE);
	new_object(&c, HANDLE(5), map(&nv, c.vm, &gate), PAGE);
	p_acquire(&c, HANDLE(5), 0, 1);
	need(!ch_submit(&c), "SUBMIT");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		for (i = 0; i < 4 * nv.lim.binds; i++) {
			if (vm_bind_when(&nv, vm, op_map(&page, GIB + i * 64 * KIB), c.done, 0))
				_exit(4);
			__atomic_store_n(count, i + 1, __ATOMIC_RELEASE);
		}
		_exit(5);
	}
	start = now_ns();
	while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < nv.lim.binds && may_come(start))
		;
	msleep(1000);
	last = __atomic_load_n(count, __ATOMIC_ACQUIRE);
	equal(last, nv.lim.binds, "the call sleeps when so many wait");
	kill(pid, SIGKILL);
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	check(WIFSIGNALED(status), "the process can be killed (status %#x)", status);
	munmap(count, PAGE);
}

/* The commit of a VM_BIND, which cannot be undone, must not take long. */
static void t_bind_bytes(void)
{
	const uint32_t n = 4096;
	struct drm_nvfifo_vm_bind_op *ops = calloc(n, sizeof(*ops));
	struct bo big;
	uint32_t i;

	need(ops, "calloc");
	nv_open(&nv);
	vm = new_vm(&nv);
	need(!bo_create(&nv, &big, DRM_NVFIFO_DOMAIN_VRAM, 32 * MIB), "BO_CREATE");
	for (i = 0; i < n; i++) {
		ops[i] = op_map(&big, GIB);
		ops[i].flags = DRM_NVFIFO_VM_BIND_REPLACE;
	}
	refused(vm_bind(&nv, vm, ops, n), E2BIG, "more than bind_bytes in one call");
	equal((uint32_t)vm_bind(&nv, vm, ops, 2), 0, "the same with fewer operations");
	free(ops);
}

/* --- mmap() ---------------------------------------------------------------------------- */

/* The kernel would copy pages that have no struct page, and has a BUG for that. */
static void no_private_map(const struct bo *bo, int prot, const char *name)
{
	void *p = mmap(NULL, PAGE, prot, MAP_PRIVATE, nv.fd, (off_t)bo->offset);

	check(p == MAP_FAILED && errno == EINVAL, "%s cannot be mapped privately (%s)", name,
	      p == MAP_FAILED ? strerror(errno) : "success");
}

static void t_private_map(void)
{
	struct bo bo;

	nv_open(&nv);
	bo = vram_bo(&nv, 64 * KIB);
	no_private_map(&bo, PROT_READ | PROT_WRITE, "VRAM");
	no_private_map(&bo, PROT_READ, "VRAM for reading");
	bo = sys_bo(&nv, 64 * KIB);
	no_private_map(&bo, PROT_READ | PROT_WRITE, "system memory");
	no_private_map(&bo, PROT_READ, "system memory for reading");
}

/* --- Windows of BAR1 ---------------------------------------------------------------- */

#define OWN_WORD	0x0b5e55ed

/* A witness whose buffers take all places of BAR1, one each. It lives until the test ends. */
static pid_t places_take(void)
{
	uint64_t places;
	int filled[2];
	struct bo bo;
	struct nv own;
	pid_t pid;
	char c = 0;

	need(!pipe(filled), "pipe: %s", strerror(errno));
	pid = child_fork();
	if (!pid) {
		nv_open(&own);
		for (places = own.dev.bar1_size / (64 * KIB); places; places--) {
			bo = vram_bo(&own, 64 * KIB);
			bo_mmap(&own, &bo);
			*(volatile uint32_t *)bo.map = PATTERN;
		}

		need(write(filled[1], &c, 1) == 1, "write: %s", strerror(errno));
		for (;;)
			pause();
	}

	close(filled[1]);
	need(read(filled[0], &c, 1) == 1, "the witness has filled its VRAM");
	close(filled[0]);

	return pid;
}

/*
 * When BAR1 is full, a new window takes the place of the oldest one. All mappings of the old one
 * must go first, also those through a dma-buf.
 */
static void t_window_place(void)
{
	volatile uint32_t *apart;
	struct bo bo;
	pid_t pid;

	nv_open(&nv);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP) || nv.dev.bar1_size > 16 * MIB) {
		skip("places of windows # SKIP no VRAM can be mapped, or BAR1 is larger than VRAM");
		nv_close(&nv);
		return;
	}

	bo = vram_bo(&nv, 64 * KIB);
	bo_mmap(&nv, &bo);
	apart = bo_map_apart(&nv, &bo);
	*(volatile uint32_t *)bo.map = OWN_WORD;
	equal(*apart, OWN_WORD, "a mapping of the dma-buf shows the same word");

	pid = places_take();
	equal(*(volatile uint32_t *)bo.map, OWN_WORD, "a mapping does not show the witness's VRAM");
	equal(*apart, OWN_WORD, "nor does the one of the dma-buf");

	kill(pid, SIGKILL);
	need(waitpid(pid, NULL, 0) == pid, "waitpid: %s", strerror(errno));
	munmap((void *)apart, bo.size);
	nv_close(&nv);
}

/* --- Allocations of page faults ----------------------------------------------------- */

#define TRACING		"/sys/kernel/tracing"
#define FAR_APART	(64 * GIB)	/* in the address space of the process: no page table is shared */

/* The stacks of calls that allocate a page table, while the process touches new mappings of VRAM */
static char *stacks_of_faults(void)
{
	volatile uint32_t *word;
	struct bo bo;
	uint64_t at;

	for (at = 1; at <= 4; at++) {
		bo = vram_bo(&nv, 64 * KIB);
		word = mmap((void *)(at * FAR_APART), bo.size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED_NOREPLACE, nv.fd, (off_t)bo.offset);
		need(word != MAP_FAILED, "mmap: %s", strerror(errno));
		*word = OWN_WORD;
		munmap((void *)word, bo.size);
	}

	return file_text(TRACING "/trace");
}

/*
 * A memory cgroup may stall the allocation of a page table for long. The lock of BAR1 is for all
 * clients, so a page fault must not hold it meanwhile: it is held during vmf_insert_pfn().
 */
static void t_fault_tables(void)
{
	char *text;

	nv_open(&nv);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP)) {
		skip("page tables of faults # SKIP no VRAM can be mapped");
		nv_close(&nv);
		return;
	}

	if (access(TRACING "/kprobe_events", F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);

	need(!file_write(TRACING "/kprobe_events", "p:nvfifo_table pte_alloc_one"), "a probe");
	need(!file_write(TRACING "/events/kprobes/nvfifo_table/trigger", "stacktrace") &&
	     !file_write(TRACING "/events/kprobes/nvfifo_table/enable", "1"), "stacks of the probe");
	text = stacks_of_faults();
	need(!file_write(TRACING "/events/kprobes/nvfifo_table/enable", "0") &&
	     !file_write(TRACING "/events/kprobes/nvfifo_table/trigger", "!stacktrace") &&
	     !file_write(TRACING "/kprobe_events", "-:nvfifo_table"), "no probe");
	need(text, "the trace");

	check(strstr(text, "nvfifo_vram_fault"), "a page fault in VRAM allocates a page table");
	check(!strstr(text, "vmf_insert_pfn"), "not with the lock of BAR1 held");
	free(text);
	nv_close(&nv);
}

/* --- Memory cgroups ----------------------------------------------------------------- */

#define GROUPS	"/tmp/nvfifo-groups"
#define GROUP	GROUPS "/attacker"

/* A cgroup whose memory the kernel counts. Return: whether the kernel can do that. */
static bool group_make(void)
{
	mkdir(GROUPS, 0755);
	if (mount("none", GROUPS, "cgroup2", 0, NULL))
		return false;

	return !file_write(GROUPS "/cgroup.subtree_control", "+memory") &&
	       (!mkdir(GROUP, 0755) || errno == EEXIST);
}

static uint64_t group_bytes(void)
{
	char *text = file_text(GROUP "/memory.current");
	uint64_t bytes;

	need(text, "memory.current");
	bytes = nvfifo_text_value(text, 10);
	free(text);

	return bytes;
}

static void take_pages(void)
{
	struct bo bo = sys_bo(&nv, 4 * MIB);

	memset(bo.map, 1, bo.size);
}

/* A page at the end of a region takes the longest table. */
static void take_tables(void)
{
	struct bo page = sys_bo(&nv, PAGE);
	uint32_t n;

	for (n = 1; n <= 6; n++)
		need(!vm_map_at(&nv, vm, &page, n * 512 * MIB - PAGE, 0, 0), "map");
}

static void take_rings(void)
{
	uint32_t n, id;

	for (n = 0; n < 16; n++)
		need(!chan_create(&nv, vm, nv.lim.ring_order_max, &id), "CHANNEL_CREATE");
}

static void take_spaces(void)
{
	uint32_t n;

	for (n = 0; n < 64; n++)
		new_vm(&nv);
}

/* A fence that does not come. */
static struct drm_nvfifo_sync never(void)
{
	struct bo gate = sys_bo(&nv, PAGE);
	struct ch c = ch_new(&nv, vm);

	new_object(&c, HANDLE(1), map(&nv, vm, &gate), PAGE);
	p_acquire(&c, HANDLE(1), 0, 1);
	need(!ch_submit(&c), "SUBMIT");

	return sync_wait_for(c.done);
}

#define LONG_JOB	2000

static void take_jobs(void)
{
	static struct drm_nvfifo_entry entries[LONG_JOB];
	struct drm_nvfifo_sync late = never();
	struct bo words = sys_bo(&nv, PAGE);
	uint64_t va = map(&nv, vm, &words);
	uint32_t n, id;

	for (n = 0; n < LONG_JOB; n++)
		entries[n] = (struct drm_nvfifo_entry){ .address = va, .words = 1 };

	need(!chan_create(&nv, vm, nv.lim.ring_order_max, &id), "CHANNEL_CREATE");
	for (n = 0; n < 128; n++)
		need(!submit_raw(&nv, id, entries, LONG_JOB, &late, 1, NULL), "SUBMIT");
}

#define LONG_BIND	2048

static void take_binds(void)
{
	static struct drm_nvfifo_vm_bind_op ops[LONG_BIND];
	struct drm_nvfifo_sync late = never();
	struct bo page = sys_bo(&nv, PAGE);
	uint32_t n, i;

	for (n = 0; n < 8; n++) {
		for (i = 0; i < LONG_BIND; i++)
			ops[i] = op_map(&page, 64 * GIB + (n * LONG_BIND + i) * PAGE);

		need(!vm_bind_async(&nv, vm, ops, LONG_BIND, &late, 1), "VM_BIND");
	}
}

#define LINES	256	/* submit_syncs */
#define POINTS	128

/* A process of the group. */
static int taker_main(void (*take)(void), volatile uint64_t *grown)
{
	uint64_t before;

	tap_env_set = false;
	if (file_write(GROUP "/cgroup.procs", "0"))
		return 1;

	nv_open(&nv);
	vm = new_vm(&nv);
	before = group_bytes();
	take();
	*grown = group_bytes() - before;
	nv_close(&nv);

	return 0;
}

static void charged(void (*take)(void), uint64_t least, const char *name)
{
	volatile uint64_t *grown = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	need(grown != MAP_FAILED, "mmap: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(taker_main(take, grown));

	need(waitpid(pid, &status, 0) == pid && !status, "%s: the process ended with %d", name,
	     status);
	check(*grown >= least && *grown < 16 * least, "%s: %llu KiB are charged, at least %llu",
	      name, (unsigned long long)*grown / KIB, (unsigned long long)least / KIB);
	munmap((void *)grown, PAGE);
}

/*
 * The kernel's memory that a client causes counts for the client's memory cgroup. The kernel counts
 * in batches, so each amount is a few MiB.
 */
static void t_charged(void)
{
	if (!group_make()) {
		skip("memory cgroups # SKIP the kernel has none");
		return;
	}

	charged(take_pages, 3 * MIB, "system memory");
	charged(take_tables, 5 * MIB, "page tables");
	charged(take_rings, 3 * MIB, "rings of channels");
	charged(take_spaces, 2 * MIB, "address spaces");
	charged(take_jobs, 2 * MIB, "SUBMITs that wait");
	charged(take_binds, 3 * MIB, "VM_BINDs that wait");
	/* Long enough that the fence does not end before all wait for it, on a slow machine also. */
	module_reload("job_timeout_ms=90000");
	module_reload("");
	umount(GROUPS);
}

/* --- A memory cgroup that holds a process back ------------------------------------------ */

/* The kernel lets a process above memory.high sleep for up to 2 s for each page table. */
#define THROTTLED_TABLES 50
#define REMOVE_MS	40000

/* Shared with the process: it is ready, and it may begin. */
struct throttled {
	volatile bool ready, go;
};

/* Its only call after the start is a VM_BIND, so that the kernel holds it back in there. */
static void throttled_main(struct throttled *t)
{
	static struct drm_nvfifo_vm_bind_op ops[THROTTLED_TABLES];
	struct bo page;
	uint32_t n;

	tap_env_set = false;
	need(!file_write(GROUP "/cgroup.procs", "0"), "cgroup.procs");
	nv_open(&nv);
	vm = new_vm(&nv);
	page = sys_bo(&nv, PAGE);
	for (n = 0; n < THROTTLED_TABLES; n++)
		ops[n] = op_map(&page, (n + 1) * 512ULL * MIB - PAGE);

	t->ready = true;
	while (!t->go)
		;

	vm_bind(&nv, vm, ops, THROTTLED_TABLES);
	_exit(0);
}

/*
 * The nth time that the kernel holds a process back, counted by its cgroup, when it is in a VM_BIND
 * now. Return: 0 when it is not held back there.
 */
static uint64_t held_in_bind(pid_t pid)
{
	char path[64], *stack, *events, *high;
	uint64_t count = 0;

	/* The stack first: a number that has not changed is then of the same time. */
	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	stack = file_text(path);
	events = file_text(GROUP "/memory.events");
	high = events ? strstr(events, "high ") : NULL;
	if (high && stack && strstr(stack, "mem_cgroup_handle_over_high") &&
	    strstr(stack, "nvfifo_ioctl_vm_bind"))
		count = nvfifo_text_value(high + strlen("high "), 10);
	free(events);
	free(stack);

	return count;
}

/*
 * Does a DEVICE_QUERY, which takes a lock of the card, begin and end while the process is held back
 * once? The hold may end at any time, so try again: a query that waits for its end never returns.
 */
static bool query_returns(pid_t pid)
{
	int64_t start = now_ns();
	uint64_t before;

	do {
		msleep(1);
		before = held_in_bind(pid);
		if (!before)
			continue;

		vram_free(&nv);
		if (held_in_bind(pid) == before)
			return true;
	} while (may_come(start));

	return false;
}

/*
 * Another process queries the card, and the card goes, while a process that allocates page tables
 * in a VM_BIND is held back.
 */
static void t_throttled(void)
{
	int64_t start = now_ns();
	struct throttled *t;
	bool held = false;
	int ret;
	pid_t pid;

	if (!group_make()) {
		skip("a memory cgroup that holds back # SKIP the kernel has none");
		return;
	}

	nv_open(&nv);
	t = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(t != MAP_FAILED, "mmap: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		throttled_main(t);

	while (!t->ready && may_come(start))
		msleep(10);

	need(!file_write(GROUP "/memory.high", "64K"), "memory.high");
	t->go = true;
	while (!held && may_come(start)) {
		held = held_in_bind(pid);
		msleep(1);
	}

	check(held, "the kernel holds the VM_BIND back");
	check(query_returns(pid), "DEVICE_QUERY of another process does not wait for it");
	start = now_ns();
	ret = card_bind(false);
	check(!ret && ms_since(start) < REMOVE_MS, "an unbind does not wait for all of it (%u ms)",
	      ms_since(start));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	need(!file_write(GROUP "/memory.high", "max"), "memory.high");
	nv_close(&nv);
	need(!card_bind(true), "bind");
	munmap(t, PAGE);
	umount(GROUPS);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST_ONCE(t_object_slot), TEST_ONCE(t_object_many), TEST(t_object_privileges),
		TEST(t_map_privileges), TEST(t_bank_types), TEST(t_private_map),
		TEST_ONCE(t_window_place), TEST_ONCE(t_fault_tables),
		TEST_ONCE(t_vm_limit), TEST_ONCE(t_channel_limit), TEST_ONCE(t_bytes_limit),
		TEST_ONCE(t_bind_queue),
		TEST(t_bind_bytes), TEST_ONCE(t_charged), TEST_ONCE(t_throttled),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
