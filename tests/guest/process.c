// SPDX-License-Identifier: MIT
/*
 * Attacks with services of the kernel for each process: direct access to another's memory, limits,
 * fork, exec, files in sockets. A witness in another process works meanwhile.
 *
 * Guards memory, against the kernel's other services (threat-model.rst), on one chip.
 */
#include "raw.h"
#include "../rig/witness.h"

#include <sched.h>

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PAGE	(4 * KIB)
#define SEM	0x1234
#define PATTERN	0x600dda7a

/* Until a process has ended its work, and longest gap of a witness, on a slow machine */
#define PATIENCE_MS	120000
#define GAP_MS		20000

static struct nv nv;

/* --- Access to a mapping other than by the processor ------------------------------------------- */

/* Let @look see the mapping @p of another process. Return: its result in the process. */
static int beside(volatile uint32_t *p, int (*look)(pid_t pid, volatile uint32_t *p))
{
	pid_t pid, parent = getpid();
	int status = -1;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid)
		_exit(look(parent, p));
	need(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the process ends");

	return WEXITSTATUS(status);
}

/* 0: the call fails. 1: it has the right word. 2: it has another word. */
static int verdict(bool success, uint32_t word)
{
	if (!success)
		return 0;

	return word == PATTERN ? 1 : 2;
}

static int look_readv(pid_t pid, volatile uint32_t *p)
{
	uint32_t word = 0;
	struct iovec local = { &word, sizeof(word) }, remote = { (void *)p, sizeof(word) };

	return verdict(process_vm_readv(pid, &local, 1, &remote, 1, 0) == sizeof(word), word);
}

static int look_mem(pid_t pid, volatile uint32_t *p)
{
	uint32_t word = 0;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);

	return verdict(pread(fd, &word, sizeof(word), (off_t)(uintptr_t)p) == sizeof(word), word);
}

static int look_ptrace(pid_t pid, volatile uint32_t *p)
{
	uint32_t word;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0))
		return 0;

	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	waitpid(pid, NULL, __WALL);
	errno = 0;
	word = (uint32_t)ptrace(PTRACE_PEEKDATA, pid, (void *)p, 0);

	return verdict(!errno, word);
}

/* The pipe would hold the page itself. Return: as verdict(). */
static int give_to_pipe(volatile uint32_t *p)
{
	struct iovec iov = { (void *)p, PAGE };
	uint32_t word = 0;
	int pipes[2];
	ssize_t n;

	need(!pipe(pipes), "pipe");
	n = vmsplice(pipes[1], &iov, 1, SPLICE_F_NONBLOCK);
	if (n > 0)
		need(read(pipes[0], &word, sizeof(word)) == sizeof(word), "read");
	close(pipes[0]);
	close(pipes[1]);

	return verdict(n > 0, word);
}

/* Reads and writes of a file. A tmpfs copies the words, as a process does. */
static int direct_file(volatile uint32_t *p)
{
	char name[] = "/tmp/direct";
	int fd = open(name, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	ssize_t out, in;

	if (fd < 0)
		return 0;

	out = pwrite(fd, (void *)p, PAGE, 0);
	p[1] = 1;
	in = out == PAGE ? pread(fd, (void *)p, PAGE, 0) : -1;
	close(fd);
	unlink(name);

	return verdict(in == PAGE, *p);
}

static void accesses(volatile uint32_t *p, const char *name)
{
	static int (*const looks[])(pid_t pid, volatile uint32_t *p) = {
		look_readv, look_mem, look_ptrace,
	};
	uint32_t i;
	int ret;

	*p = PATTERN;
	for (i = 0; i < ARRAY_SIZE(looks); i++)
		equal(beside(p, looks[i]), 0, "another process gets no page of it");

	equal(give_to_pipe(p), 0, "a pipe gets no page of it");
	check(direct_file(p) != 2, "%s: a file gets the right word, or nothing", name);
	ret = (int)syscall(SYS_futex, p, FUTEX_WAKE, 1, NULL, NULL, 0);
	check(ret == 0 || (ret == -1 && errno == EFAULT), "%s: a futex (%d)", name, ret);
	equal(*p, PATTERN, "the mapping goes on");
}

/* The kernel refers to no page of a mapping, which belongs to the driver and may go. */
static void t_direct(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	struct bo b, v;

	nv_open(&nv);
	b = sys_bo(&nv, 64 * KIB);
	accesses(b.map, "system memory");
	if (nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP) {
		v = vram_bo(&nv, 64 * KIB);
		bo_mmap(&nv, &v);
		accesses(v.map, "VRAM");
	}

	nv_close(&nv);
	witness_stop(w, GAP_MS, "accesses to mappings");
}

/* --- Limits of a process --------------------------------------------------------------------------- */

static void limit(int what, rlim_t value)
{
	struct rlimit r;

	need(!getrlimit(what, &r), "getrlimit: %s", strerror(errno));
	r.rlim_cur = value;
	need(!setrlimit(what, &r), "setrlimit: %s", strerror(errno));
}

/* Return: 0, or the number of the failed step. */
static int limits_main(void)
{
	uint32_t i, handle, failed = 0;
	struct nv own;
	struct bo b;
	struct ch c;
	void *p;

	nv_open(&own);
	become_nobody();
	c = ch_new(&own, new_vm(&own));

	/* Memory that the card may reach counts for cgroups, and not as locked. */
	limit(RLIMIT_MEMLOCK, 0);
	b = sys_bo(&own, MIB);
	if (!map(&own, c.vm, &b) || !ch_works(&c))
		return 1;

	/* Without a number for a file, nothing of the export remains. */
	limit(RLIMIT_NOFILE, (rlim_t)own.fd + 1);
	for (i = 0; i < 1000; i++)
		failed += prime_export(&own, b.handle) == -EMFILE && sync_export(&own, c.done) < 0;
	if (failed != 1000)
		return 2;
	limit(RLIMIT_NOFILE, (rlim_t)own.fd + 10);

	bo_unmap(&b);
	limit(RLIMIT_AS, 1 * MIB);
	p = mmap(NULL, b.size, PROT_READ, MAP_SHARED, own.fd, (off_t)b.offset);
	if (p != MAP_FAILED || errno != ENOMEM)
		return 3;
	if (bo_close(&own, b.handle) || !ch_works(&c))
		return 4;
	for (i = 0; i < 100; i++) {
		if (bo_create(&own, &b, DRM_NVFIFO_DOMAIN_VRAM, MIB))
			return 5;
		handle = b.handle;
		if (bo_close(&own, handle))
			return 6;
	}

	return 0;
}

/* Wait until a file sees as much free VRAM as before. */
static void vram_returns(struct nv *look, uint64_t before, const char *what)
{
	vram_wait(look, before);
	check(vram_free(look) == before, "%s: all VRAM came back", what);
}

/* A process without privileges that does @act. Return: the process. */
static pid_t process_start(int (*act)(void))
{
	pid_t pid = child_fork();

	if (pid)
		return pid;

	files_close();
	_exit(act());
}

static void t_limits(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	uint64_t before;
	int status = -1;
	struct nv look;
	pid_t pid;

	nv_open(&look);
	before = vram_free(&look);
	pid = process_start(limits_main);
	need(waitpid(pid, &status, 0) == pid, "waitpid");
	check(WIFEXITED(status) && !WEXITSTATUS(status), "calls at a process's limits (%#x)", status);
	vram_returns(&look, before, "limits");
	nv_close(&look);
	witness_stop(w, GAP_MS, "limits");
}

/* --- Processes that become others ------------------------------------------------------------------- */

/* Shared with the processes of a test */
static volatile struct {
	uint32_t ready, go;
} *shared;

static void shared_wait(volatile uint32_t *p)
{
	int64_t start = now_ns();

	while (!*p && ms_since(start) < PATIENCE_MS)
		msleep(5);

	need(*p, "the other process is ready");
}

/* A channel that waits for a word without a writer, and 8 MiB of VRAM in its address space */
static struct ch waiting_channel(struct nv *n)
{
	struct bo word = sys_bo(n, PAGE), vram = vram_bo(n, 8 * MIB);
	struct ch c = ch_new(n, new_vm(n));

	new_object(&c, SEM, map(n, c.vm, &word), PAGE);
	map(n, c.vm, &vram);
	p_acquire(&c, SEM, 0, 1);
	need(!ch_submit(&c), "SUBMIT");

	return c;
}

static int exec_main(void)
{
	struct nv n;

	nv_open(&n);
	waiting_channel(&n);
	shared->ready = 1;
	shared_wait(&shared->go);
	execl("/bin/sleep", "sleep", "1000", NULL);
	execl("/bin/busybox", "sleep", "1000", NULL);

	return 1;
}

/* A process with mappings and work in flight becomes another program, which has none of it. */
static void t_exec(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	uint64_t before;
	struct nv look;
	pid_t pid;

	nv_open(&look);
	before = vram_free(&look);
	shared->ready = shared->go = 0;
	pid = process_start(exec_main);
	shared_wait(&shared->ready);
	check(vram_free(&look) < before, "a process has VRAM");
	shared->go = 1;
	vram_returns(&look, before, "exec");
	check(!waitpid(pid, NULL, WNOHANG), "while the new program runs");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	nv_close(&look);
	witness_stop(w, GAP_MS, "exec");
}

static int heir_main(struct ch *c)
{
	bool good;

	prctl(PR_SET_PDEATHSIG, 0);
	shared->ready = 1;
	shared_wait(&shared->go);
	good = ch_works(c);
	files_close();

	/* The other channel of the file still waits. */
	shared->ready = good ? 2 : 3;

	return 0;
}

static int parent_main(void)
{
	static struct nv n;
	static struct ch c;

	nv_open(&n);
	become_nobody();
	waiting_channel(&n);
	c = ch_new(&n, new_vm(&n));
	if (!fork())
		_exit(heir_main(&c));
	pause();

	return 0;
}

/* The process that opened the node is killed, and its child goes on with the file. */
static void t_heir(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	int64_t start = now_ns();
	uint64_t before;
	struct nv look;
	pid_t pid;

	nv_open(&look);
	before = vram_free(&look);
	shared->ready = shared->go = 0;
	pid = process_start(parent_main);
	shared_wait(&shared->ready);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(vram_free(&look) < before, "the file lives on in a child");
	shared->go = 1;
	while (shared->ready == 1 && ms_since(start) < PATIENCE_MS)
		msleep(5);

	equal(shared->ready, 2, "whose channel works");
	vram_returns(&look, before, "an heir");
	nv_close(&look);
	witness_stop(w, GAP_MS, "an heir");
}

/* --- Files in sockets -------------------------------------------------------------------------------- */

/* Files that one message carries */
#define FILES_MAX	4

static void fds_send(int sock, const int *fds, uint32_t count)
{
	char control[CMSG_SPACE(FILES_MAX * sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = CMSG_SPACE(count * sizeof(int)) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(head), fds, count * sizeof(int));
	need(sendmsg(sock, &m, 0) == 1, "sendmsg: %s", strerror(errno));
}

/* Send the node, a buffer and a fence into a socket that is a part of its own message, and end. */
static int sender_main(void)
{
	int socks[2], fds[FILES_MAX];
	struct nv n;
	struct ch c;
	struct bo b;

	nv_open(&n);
	become_nobody();
	c = waiting_channel(&n);
	b = vram_bo(&n, MIB);
	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, socks), "socketpair");
	fds[0] = n.fd;
	fds[1] = prime_export(&n, b.handle);
	fds[2] = sync_export(&n, c.done);
	fds[3] = socks[1];
	need(fds[1] >= 0 && fds[2] >= 0, "export");
	fds_send(socks[0], fds, FILES_MAX);

	return 0;
}

/* Files in a socket without a receiver are closed, and their resources freed. */
static void t_sockets(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	uint32_t i, bad = 0;
	uint64_t before;
	struct nv look;
	int status, s[2];

	nv_open(&look);
	before = vram_free(&look);
	for (i = 0; i < 5; i++) {
		status = -1;
		waitpid(process_start(sender_main), &status, 0);
		bad += status != 0;
	}

	equal(bad, 0, "five processes leave files in sockets");

	/* The kernel looks for such sockets when another one is closed. */
	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, s), "socketpair");
	fds_send(s[0], &s[1], 1);
	close(s[0]);
	close(s[1]);
	vram_returns(&look, before, "files in sockets");
	nv_close(&look);
	witness_stop(w, GAP_MS, "files in sockets");
}

/* Return: the number of files that came. */
static uint32_t fds_receive(int sock, int *fds)
{
	char control[CMSG_SPACE(FILES_MAX * sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *head;
	uint32_t count;

	need(recvmsg(sock, &m, 0) == 1, "recvmsg: %s", strerror(errno));
	head = CMSG_FIRSTHDR(&m);
	if (!head)
		return 0;

	count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(head), count * sizeof(int));

	return count;
}

static int flight_sock;

/* Send the node, a buffer of system memory and a fence that nothing releases, and end. */
static int flight_main(void)
{
	struct nv n;
	struct ch c;
	struct bo b;
	int fds[3];

	nv_open(&n);
	become_nobody();
	c = waiting_channel(&n);
	b = sys_bo(&n, PAGE);
	b.map[0] = PATTERN;
	fds[0] = n.fd;
	fds[1] = prime_export(&n, b.handle);
	fds[2] = sync_export(&n, c.done);
	need(fds[1] >= 0 && fds[2] >= 0, "export");
	fds_send(flight_sock, fds, ARRAY_SIZE(fds));

	return 0;
}

/* The card goes while the only references to its files are in a socket. Then someone takes them. */
static void t_in_flight(void)
{
	uint32_t count, handle, id, *p;
	int socks[2], fds[FILES_MAX], status = -1;
	struct nv look, taken = { 0 };
	uint64_t before;
	struct ch c;

	nv_open(&look);
	before = vram_free(&look);
	nv_close(&look);
	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, socks), "socketpair");
	flight_sock = socks[0];
	need(waitpid(process_start(flight_main), &status, 0) > 0 && !status, "a process sends files");

	equal((uint32_t)card_bind(false), 0, "unbind while the files are in a socket");
	count = fds_receive(socks[1], fds);
	need(count == 3, "%u files", count);
	taken.fd = fds[0];
	refused(vm_create(&taken, &id), ENODEV, "a call with the node");
	equal((uint32_t)sync_file_finish(fds[2]), (uint32_t)-ENODEV, "the fence tells the error");
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
	check(p != MAP_FAILED && p[0] == PATTERN, "the buffer has its word");

	equal((uint32_t)card_bind(true), 0, "bind");
	refused(vm_create(&taken, &id), ENODEV, "the old node stays dead");
	nv_open(&look);
	equal((uint32_t)prime_import(&look, fds[1], &handle), 0, "the buffer of the former card is imported");
	c = ch_new(&look, new_vm(&look));
	new_object(&c, SEM, map(&look, c.vm, &(struct bo){ .handle = handle, .size = PAGE }), PAGE);
	p_release(&c, SEM, 8, PATTERN + 1);
	equal((uint32_t)ch_run(&c), 1, "the card writes to it");
	equal(p[2], PATTERN + 1, "which its mapping shows");

	munmap(p, PAGE);
	close(fds[0]);
	close(fds[1]);
	close(fds[2]);
	ch_free(&c);
	vram_returns(&look, before, "files in flight");
	nv_close(&look);
	close(socks[0]);
	close(socks[1]);
}

/* --- Many users ------------------------------------------------------------------------------------- */

#define USERS		3
#define EACH		2
#define CROWD_MS	4000

static volatile uint32_t *binds;	/* VM_BINDs of the crowd so far */

/* Change mappings that PGRAPH knows, again and again: each change flushes PGRAPH's TLB. */
static int binds_main(void)
{
	struct bo page;
	struct nv n;
	struct ch c;

	nv_open(&n);
	c = ch_new(&n, new_vm(&n));
	page = sys_bo(&n, PAGE);
	graph_bind_m2mf(&c);
	need(ch_run(&c) == 1, "M2MF is bound");
	for (;;) {
		need(!vm_map_at(&n, c.vm, &page, GIB, 0, 0) && !vm_unmap(&n, c.vm, GIB, PAGE),
		     "VM_BIND");
		__atomic_add_fetch(binds, 2, __ATOMIC_SEQ_CST);
	}
}

static uid_t crowd_uid;

static int crowd_main(void)
{
	need(!setresgid(crowd_uid, crowd_uid, crowd_uid) &&
	     !setresuid(crowd_uid, crowd_uid, crowd_uid), "dropping root");

	return binds_main();
}

/*
 * Several processes of several users pause PGRAPH for a flush, one after the other, all the time.
 * PGRAPH must get methods in between.
 */
static void t_flush_users(void)
{
	struct witness *w = witness_start(WITNESS_M2MF);
	pid_t pids[USERS * EACH];
	uint32_t i, rounds;
	int64_t start;

	node_for_all();
	*binds = 0;
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		crowd_uid = 60000 + i / EACH;
		pids[i] = process_start(crowd_main);
	}

	start = now_ns();
	while (!*binds && ms_since(start) < PATIENCE_MS)
		msleep(10);

	witness_new_phase(w);
	rounds = w->rounds;
	*binds = 0;
	start = now_ns();
	while ((ms_since(start) < CROWD_MS || *binds < 100 || w->rounds < rounds + 10) &&
	       ms_since(start) < PATIENCE_MS)
		msleep(20);

	check(*binds >= 100 && w->rounds >= rounds + 10,
	      "copies go on beside VM_BINDs of many users (%u, %u)", w->rounds - rounds, *binds);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}

	witness_stop(w, GAP_MS, "VM_BINDs of many users");
}

/* --- Namespaces -------------------------------------------------------------------------------- */

#define NO_NAMESPACE	77

/* Whether a call fails with an errno; its number in the exit status otherwise */
static void must_fail(int ret, int err, int number)
{
	if (ret != -err)
		_exit(number);
}

/* A user who is root of a new user namespace, with all capabilities there */
static int namespace_main(void)
{
	struct drm_nvfifo_channel_create slow = { .timeslice = 0x1ffff };
	struct drm_nvfifo_object_create o = {
		.handle = SEM, .type = DRM_NVFIFO_OBJECT_DMA, .oclass = 0x3d,
		.flags = DRM_NVFIFO_OBJECT_UNPAGED, .size = PAGE,
		.access = DRM_NVFIFO_ACCESS_RW, .user = DRM_NVFIFO_USER_BOTH,
	};
	uint32_t vm, id, n;
	struct bo page;
	struct nv own;
	int ret = 0;

	become_nobody();
	if (unshare(CLONE_NEWUSER))
		return NO_NAMESPACE;

	nv_open(&own);
	vm = new_vm(&own);
	slow.vm_id = vm;
	must_fail(chan_create_args(&own, &slow), EPERM, 1);
	page = sys_bo(&own, PAGE);
	must_fail(vm_map_at(&own, vm, &page, GIB, DRM_NVFIFO_VM_BIND_SUPERVISOR, 0), EPERM, 2);

	if (chan_create(&own, vm, 3, &o.channel_id))
		return 3;

	o.bo_handle = page.handle;
	must_fail(nv_ioctl(own.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), EPERM, 4);

	for (n = 1; n < 200 && !ret; n++)
		ret = chan_create(&own, vm, 3, &id);

	/* A file has 32 channels, unless its process may set priorities. */
	must_fail(ret, ENOSPC, 5);

	return n == 33 ? 0 : 6;
}

/* Capabilities in a namespace of one's own are none here. */
static void t_namespace(void)
{
	int status = -1;
	pid_t pid;

	node_for_all();
	pid = process_start(namespace_main);
	need(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the process ends");
	if (WEXITSTATUS(status) == NO_NAMESPACE) {
		skip("a user namespace # SKIP the kernel has none");
		return;
	}

	equal((uint32_t)WEXITSTATUS(status), 0, "root of a namespace has no privileges");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_direct), TEST_ONCE(t_limits), TEST_ONCE(t_exec), TEST_ONCE(t_heir),
		TEST_ONCE(t_sockets), TEST_ONCE(t_in_flight), TEST_ONCE(t_flush_users),
		TEST_ONCE(t_namespace), 
	};

	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;

	binds = (volatile uint32_t *)((char *)shared + 512);

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
