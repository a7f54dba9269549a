/* SPDX-License-Identifier: MIT */
/*
 * The rig of the tests in tests/guest: raw ioctls, buffers, syncobjs, channels, pushbuffers and the
 * model's control capability. The rig does not use the library, because its tests are about the
 * system calls themselves.
 *
 * A test program runs in a guest with the driver loaded, as tests/run-in-guest.sh starts it, and
 * prints TAP. Its argument selects tests by a part of their name. Without the model it skips the
 * checks of the model's counters.
 *
 * A function that says "ends the test" does so through need().
 */
#ifndef NVFIFO_TESTS_RIG_H
#define NVFIFO_TESTS_RIG_H

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
#include "../../hw/nvfifo_command.h"
#include "../../hw/nvfifo_fmt_user.h"
#include "../../sim/nvsim.h"
#include "../../sim/nvsim_ctl.h"
#include "../tap.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define KIB		1024ull
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)

/* --- Results --------------------------------------------------------------- */

/* One test; the guest's tests have these names for the functions of tests/tap.h. */
#define check		tap
#define check_at	tap_at
#define diag		tap_diag
#define skip		tap_skip

/* Run only tests with this text in their name; NULL: all. */
extern const char *tap_only;

/* Whether need() returns to run_test(). A child process sets it to false and then ends. */
extern bool tap_env_set;
extern jmp_buf tap_env;

/* Text of the last failed need() */
extern char give_up_text[200];

__attribute__((format(printf, 3, 4), noreturn)) void
give_up(const char *file, int line, const char *fmt, ...);

/* A condition that a test requires to continue. Prints a line only if it does not hold. */
#define need(cond, ...) \
	do { \
		if (!(cond)) \
			give_up(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

bool refused_at(const char *file, int line, int ret, int err, const char *what);

/* One test: the call returned this errno. */
#define refused(ret, err, what) refused_at(__FILE__, __LINE__, ret, err, what)

bool equal_at(const char *file, int line, uint64_t is, uint64_t want, const char *what);

/* One test: two numbers are the same. */
#define equal(is, want, what) equal_at(__FILE__, __LINE__, is, want, what)

void msleep(unsigned int ms);

/* CLOCK_MONOTONIC */
int64_t now_ns(void);
/* Milliseconds since a time of now_ns() */
uint32_t ms_since(int64_t start);

/*
 * Time limits: for an event that must happen, and for one that must not. The first one is far more
 * than a machine needs that is slow, loaded and stands still for seconds.
 */
#define WAIT_MS		120000
#define HOLD_MS		60

/* Limits of a test, in seconds, after which the program ends */
#define TEST_S		900

/* Sleep for a moment. Return: whether an event that a test waits for since @start may still come. */
bool may_come(int64_t start);

/* --- The model's control capability ---------------------------------------- */

/* Slot of the card as sysfs writes it; empty if there is none. */
const char *card_slot(void);

/* Which of several cards all of this file, and card_bind(), is about from now on */
void card_choose(const char *name);

/* -1 without a model: a real card has no such capability. */
int ctl_open(void);
/* Without the driver: power the card down and up, and keep the kernel's state of it. */
void card_power_cycle(void);
bool ctl_present(void);
uint32_t ctl(enum nvsim_ctl_cmd cmd, uint32_t arg);
/* Whether the model takes the other side of the quirk */
bool model_quirk(enum nvsim_quirk quirk);

/* A line of Documentation/model.rst, Failures by text. Return: whether the model took it. */
__attribute__((format(printf, 1, 2))) bool ctl_line(const char *fmt, ...);

/* A method in the model's record; see NVSIM_CTL_REC_NEXT. */
struct rec {
	uint32_t channel, engine, subc, mthd;
	uint32_t data, oclass, object;
};

/* The next one of channel @chid (0: any) since NVSIM_CTL_REC_SEEK or _RESET; false at the end */
bool rec_next(uint32_t chid, struct rec *r);

#define stat_of(field) \
	ctl(NVSIM_CTL_GET_STAT, (uint32_t)(offsetof(struct nvsim_stats, field) / sizeof(uint64_t)))

/*
 * Whether violations of the model are allowed. Some tests cause them on purpose, with mistakes that
 * no correct driver makes.
 */
#define ALLOWED_MAX 100000000u

extern uint32_t violations_allowed;

void violations_allow(bool on);

/* --- Open files ------------------------------------------------------------ */

struct nv {
	int fd;
	bool g84;			/* features of G84 and later */
	uint64_t va;			/* next address that map() gives */
	struct drm_nvfifo_query_device dev;
	struct drm_nvfifo_query_limits lim;
};

#define MAX_OPEN 16

extern int open_fds[MAX_OPEN];

/* 0 or -errno */
int nv_ioctl(int fd, unsigned long req, void *arg);
int node_open(void);

/* Open a node of another kind: @kind and a number from @first on. Return: its file, or -1. */
int node_of(const char *kind, int first, const char *driver);
/* Let every user open all render nodes. */
void node_for_all(void);
int query(int fd, uint32_t type, void *rec, uint32_t size);
void nv_open(struct nv *nv);
/* The same for a node that is open, of any card */
void nv_take(struct nv *nv, int fd);

/*
 * A mapping keeps its file open, so nv_close() unmaps the mappings that map_keep() registered. A
 * negative @fd or a @p of NULL means all.
 */
#define MAX_MAPS 4096

void map_keep(int fd, void *p, size_t size);
void maps_drop(int fd, void *p);
void nv_close(struct nv *nv);

/* Drop root's rights for good, for a process that attacks. */
void become_nobody(void);

/*
 * Fork a process that prints nothing, ends with its first failure, and dies with the test. Return:
 * the process, 0 in itself.
 */
pid_t child_fork(void);

/* Find a device coredump of any card. Return: false if there is none. */
#define COREDUMPS "/sys/class/devcoredump"
bool coredump_path(char *path, size_t size);

/* Close all files that nv_open() opened and that are still open. */
void files_close(void);
uint64_t vram_free(struct nv *nv);

/* Nouveau waits for an idle PGRAPH before it flushes PGRAPH's TLB, but not on G80 and MCP79. */
bool flush_waits_for_pgraph(const struct nv *nv);
/* Wait until so much VRAM is free: a work item frees it. */
void vram_wait(struct nv *nv, uint64_t want);

/* --- BOs and address spaces ------------------------------------------------ */

struct bo {
	uint32_t handle;
	uint64_t size;
	uint64_t offset;
	uint32_t *map;			/* NULL if not mapped */
};

int bo_create_flags(struct nv *nv, struct bo *bo, uint32_t domain, uint32_t flags,
		    uint64_t size);
int bo_create(struct nv *nv, struct bo *bo, uint32_t domain, uint64_t size);
int bo_info(struct nv *nv, uint32_t handle, struct drm_nvfifo_bo_info *info);
int bo_label(struct nv *nv, uint32_t handle, const char *label);
int bo_close(struct nv *nv, uint32_t handle);
void bo_mmap(struct nv *nv, struct bo *bo);
void bo_unmap(struct bo *bo);
int prime_export(struct nv *nv, uint32_t handle);
int prime_import(struct nv *nv, int fd, uint32_t *handle);

/*
 * Map a BO through its dma-buf: this mapping keeps the memory, but not the file. The
 * caller unmaps it.
 */
uint32_t *bo_map_apart(struct nv *nv, const struct bo *bo);

/* System memory, mapped. */
struct bo sys_bo(struct nv *nv, uint64_t size);
struct bo vram_bo(struct nv *nv, uint64_t size);
int vm_create(struct nv *nv, uint32_t *id);
uint32_t new_vm(struct nv *nv);
int vm_destroy(struct nv *nv, uint32_t id);
int vm_bind(struct nv *nv, uint32_t vm, const struct drm_nvfifo_vm_bind_op *ops,
	    uint32_t count);
int vm_bind_async(struct nv *nv, uint32_t vm, const struct drm_nvfifo_vm_bind_op *ops,
		  uint32_t count, const struct drm_nvfifo_sync *syncs, uint32_t num_syncs);
struct drm_nvfifo_sync sync_wait_for(uint32_t handle);
struct drm_nvfifo_sync sync_signal(uint32_t handle);

/* Wait for one fence, signal another; 0 for none. */
int vm_bind_when(struct nv *nv, uint32_t vm, struct drm_nvfifo_vm_bind_op op, uint32_t wait,
		 uint32_t signal);
struct drm_nvfifo_vm_bind_op op_map(const struct bo *bo, uint64_t va);
struct drm_nvfifo_vm_bind_op op_unmap(uint64_t va, uint64_t range);
int vm_map_at(struct nv *nv, uint32_t vm, const struct bo *bo, uint64_t va, uint32_t flags,
	      uint32_t page_shift);
int vm_unmap(struct nv *nv, uint32_t vm, uint64_t va, uint64_t range);

/* An address that this file has not used, with unmapped space after it. */
uint64_t va_alloc(struct nv *nv, uint64_t size);
uint64_t map_flags(struct nv *nv, uint32_t vm, const struct bo *bo, uint32_t flags);
uint64_t map(struct nv *nv, uint32_t vm, const struct bo *bo);

/* --- Syncobjs -------------------------------------------------------------- */

uint32_t sync_new(struct nv *nv);
void sync_free(struct nv *nv, uint32_t handle);

/* 0, -ETIME, -EINVAL (no fence), ... */
int sync_wait_ms(struct nv *nv, uint32_t handle, unsigned int ms);
int timeline_wait_ms(struct nv *nv, uint32_t handle, uint64_t point, unsigned int ms);
int sync_has_fence(struct nv *nv, uint32_t handle);

/* A sync file of a syncobj's fence, or -errno. */
int sync_export(struct nv *nv, uint32_t handle);
int sync_import(struct nv *nv, uint32_t handle, int fd);

/* 1 signalled, 0 pending, -errno the fence's error; -EBADF no fence. */
int sync_status(struct nv *nv, uint32_t handle);

/* Wait, then return the status as above; 0 after a time-out. */
int sync_finish(struct nv *nv, uint32_t handle);
/* Waits until a sync file has ended. Returns its status: 1, a negative errno, 0 after WAIT_MS. */
int sync_file_finish(int fd);

/* --- Channels and pushbuffers ---------------------------------------------- */

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

int chan_create_args(struct nv *nv, struct drm_nvfifo_channel_create *c);
int chan_create(struct nv *nv, uint32_t vm, uint32_t order, uint32_t *id);
int chan_destroy(struct nv *nv, uint32_t id);
int chan_query(struct nv *nv, uint32_t id, struct drm_nvfifo_channel_query *q);
struct ch ch_order(struct nv *nv, uint32_t vm, uint32_t order);
struct ch ch_new(struct nv *nv, uint32_t vm);
void ch_free(struct ch *c);
struct drm_nvfifo_channel_query ch_query(struct ch *c);
int object_dma_access(struct nv *nv, uint32_t chan, uint32_t handle, uint64_t start,
		      uint64_t size, uint32_t access);
int object_dma(struct nv *nv, uint32_t chan, uint32_t handle, uint64_t start, uint64_t size);
int object_destroy(struct nv *nv, uint32_t chan, uint32_t handle);
void new_object(struct ch *c, uint32_t handle, uint64_t start, uint64_t size);

/* Append a word. A full buffer is used from its start again. */
void p_word(struct ch *c, uint32_t w);
uint32_t cmd_word(uint32_t subc, uint32_t mthd, uint32_t count);
void p_mthd(struct ch *c, uint32_t mthd, uint32_t data);
void p_ref(struct ch *c, uint32_t val);
void p_sem(struct ch *c, uint32_t handle, uint32_t offset);
void p_release(struct ch *c, uint32_t handle, uint32_t offset, uint32_t val);
void p_acquire(struct ch *c, uint32_t handle, uint32_t offset, uint32_t val);

/* 64-bit semaphore, G84 and later; @addr is logical to the object. */
void p_sem64(struct ch *c, uint32_t handle, uint64_t addr, uint32_t seq, uint32_t trigger);
int submit_raw(struct nv *nv, uint32_t chan, const struct drm_nvfifo_entry *entries,
	       uint32_t n_entries, const struct drm_nvfifo_sync *syncs, uint32_t n_syncs,
	       uint64_t *seqno);

/* The IB entry for the words since the last one. */
struct drm_nvfifo_entry ch_entry(struct ch *c);

/* Use the buffer from its start again. The caller ensures that no work is in flight. */
void ch_rewind(struct ch *c);

/* Submit the words since the last entry; @wait and @signal are syncobjs or 0. */
int ch_submit_sync(struct ch *c, uint32_t wait, uint32_t signal);

/* Submit, the fence goes into c->done. */
int ch_submit(struct ch *c);

/* Submit and wait: 1, 0 for no end in time, or -errno of the call or of the fence. */
int ch_run(struct ch *c);

/* Poll memory that the card writes; false after a time-out. */
bool poll_word(volatile uint32_t *p, uint32_t want);

/* Whether the channel works: it must set its reference counter. */
bool ch_works(struct ch *c);

/*
 * Run a job that ends while this process sleeps. It acquires the semaphore @handle, whose word at 0
 * is @word, and a child process releases it. Returns as ch_run().
 */
int ch_sleep(struct ch *c, uint32_t handle, volatile uint32_t *word);

/* --- PGRAPH ---------------------------------------------------------------- */

#define GRAPH_M2MF_HANDLE	0x600d5039
#define GRAPH_ALL_HANDLE	0x600d0002	/* DMA object over the address space */
#define GRAPH_NOTIFY_HANDLE	0x600d0003	/* over a page for notifiers */

/* 0 or -errno */
int graph_object_new(struct nv *nv, uint32_t chan, uint32_t handle, uint32_t oclass);
void p_subc_mthd(struct ch *c, uint32_t subc, uint32_t mthd, uint32_t data);

/* Create and bind an M2MF object on subchannel 5, with its DMA objects and a notifier page. */
void graph_bind_m2mf(struct ch *c);

/* Set the format of the following launches: @lines of @bytes, @pitch bytes apart. */
void graph_m2mf_format(struct ch *c, uint32_t bytes, uint32_t lines, uint32_t pitch);
void graph_m2mf_launch(struct ch *c, uint64_t from, uint64_t to);

/* --- The linear buffer of DMA mode ----------------------------------------- */

struct lin {
	struct nv *nv;
	uint32_t vm;
	uint32_t id;
	struct bo buf;
	uint64_t va;
	uint32_t n;			/* position of the next word, in words */
	uint64_t seqno;			/* of the last SUBMIT */
};

#define FENCE_HANDLE	0x80000000
#define SW_HANDLE	0x80000001

/* The words of a fence: the driver writes them after a SUBMIT in IB mode, the owner in DMA mode. */
uint32_t fence_words(const struct nv *nv, uint64_t seqno, uint32_t w[16]);
struct lin lin_order(struct nv *nv, uint32_t vm, uint32_t order, uint64_t bytes);
uint64_t lin_at(const struct lin *l);
void l_word(struct lin *l, uint32_t w);
void l_mthd(struct lin *l, uint32_t mthd, uint32_t data);
void l_sem(struct lin *l, uint32_t handle, uint32_t offset);
void l_release(struct lin *l, uint32_t handle, uint32_t offset, uint32_t val);
void l_acquire(struct lin *l, uint32_t handle, uint32_t offset, uint32_t val);

#define JUMP(addr)	((uint32_t)(addr) | 1)
#define OLD_JUMP(addr)	((uint32_t)(addr) | 0x20000000)
#define CALL(addr)	((uint32_t)(addr) | 2)
#define RETURN		0x00020000

/* Append the release of the next SUBMIT's number. */
void l_fence(struct lin *l);
int lin_put(struct lin *l, uint64_t put, const struct drm_nvfifo_sync *syncs, uint32_t n);

/* Move PUT after the words; @wait is a syncobj or 0. A channel in DMA mode signals none. */
int lin_submit_when(struct lin *l, uint32_t wait);
int lin_submit(struct lin *l);

/* Wait until SUBMIT @seqno has ended: 1, 0 after a time-out, or -errno. */
int lin_wait_ms(struct lin *l, uint64_t seqno, unsigned int ms);
int lin_finish(struct lin *l, uint64_t seqno);
bool lin_has_ended(struct lin *l, uint64_t seqno);

/* Submit with a number and wait, as ch_run(). */
int lin_run(struct lin *l);

/* --- Objects, counted from outside ----------------------------------------- */

#define STATE_IDS	40

/*
 * State that a refused or failed call must not change. Bit n of the first three members: the file
 * has an object of that kind with the identifier n.
 */
struct state {
	uint64_t vms, chans, bos;
	uint64_t vram_free, tags_free;
	uint64_t submitted, completed, alive;	/* of the channel that is looked at */
};

struct state state_of(struct nv *nv, uint32_t chan);
bool state_same(const struct state *a, const struct state *b);

/* --- debugfs --------------------------------------------------------------- */

/* Directory of the driver's files in debugfs, or "" if there is none. */
const char *debug_dir(void);

/* Read the rest of a file into text, which the caller frees. NULL on error. */
char *read_all(int fd);
char *file_text(const char *path);

/* One of the driver's files in debugfs; the caller frees the text. */
__attribute__((format(printf, 1, 2))) char *debug_text(const char *fmt, ...);

/* The number in a line of nvfifo_recovery, such as how often the driver reset PFIFO. */
unsigned int recovery_count(const char *name);

/* Whether the text of a tables file has a page directory entry with pages of this size. */
bool has_pde(const char *text, enum nvfifo_pt_type type);

/* Whether it has a page table entry whose bits of @mask equal @want. */
bool has_pte(const char *text, uint64_t mask, uint64_t want);

#define PTE_READ_ONLY		(1ull << 3)
#define PTE_TARGET(target)	((uint64_t)(target) << NVFIFO_PTE_TARGET_SHIFT)
#define PTE_SUPERVISOR		(1ull << 6)

/* Number of the youngest address space, as debugfs counts them. */
uint32_t debug_last_vm(void);

/* The translation of one address by debugfs; the caller frees the text. */
char *debug_translate(uint32_t vm, uint64_t va);

/* Whether the kernel's log has this text anywhere. */
bool log_has(const char *text);
unsigned int log_count(const char *text);

/* --- The module ------------------------------------------------------------ */

int file_write(const char *path, const char *text);

/*
 * Let each suspend end at @stage of /sys/power/pm_test and wake. Return: false after a skip of
 * @what, if the kernel does not have that.
 */
bool pm_test_begin(const char *stage, const char *what);

/* 0 or -errno; @params as for insmod. $MODULE is the file. */
int module_load(const char *params);
int module_unload(void);

/* After a wait the kernel may hold a reference to the fence for a moment, and so to the module. */
int module_unload_soon(void);
bool module_loaded(void);

/* Bind the card to the driver, or unbind it. Returns the result of the write to sysfs. */
int card_bind(bool bind);

/* Reload the driver with these parameters; an error ends the test. */
void module_reload(const char *params);

/* --- Running --------------------------------------------------------------- */

struct test {
	const char *name;
	void (*fn)(void);
	bool once;
};

#define TEST(fn) { #fn, fn, false }

/*
 * A long test that does not depend on the chipset. With NVFIFO_SHORT, the reason, it runs only by
 * its name.
 */
#define TEST_ONCE(fn) { #fn, fn, true }

/* Run a test with its own time limit, and close its open files afterwards. */
void run_test(const struct test *t, unsigned int seconds);

/*
 * Run all tests, or those whose name contains the program's argument. A violation of the model
 * during the tests is a failure, too.
 */
int run_tests(int argc, char **argv, const struct test *tests, size_t n);

#endif
