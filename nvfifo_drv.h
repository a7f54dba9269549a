/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the driver know of each other.
 *
 * Lock order, outer first:
 *
 *	nvfifo_file.lock	the file's channels
 *	nvfifo_vm.lock		mappings of one address space; may allocate
 *	nvfifo_vm.pt_lock	its page tables; fences wait for it
 *	nvfifo_chan.lock	RAMHT and objects of one channel
 *	nvfifo_device.fifo_lock	channel table, playlist, kick, freeze
 *	nvfifo_device.bar1_lock	windows in BAR1, clearing of VRAM, PEEPHOLE
 *	nvfifo_device.mmu_lock	TLB flush, fault record
 *	nvfifo_device.objects_lock	lists of address spaces and buffers, labels
 *	nvfifo_device.mem_lock	VRAM, instance memory and tag allocators
 *	nvfifo_device.flush_lock	BAR flush
 *	nvfifo_device.pmem_lock	the PRAMIN window (spinlock)
 *	nvfifo_chan.fence_lock	fences (spinlock, taken in interrupts)
 */
#ifndef _NVFIFO_DRV_H_
#define _NVFIFO_DRV_H_

#include <linux/pci.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_mm.h>
#include <drm/drm_print.h>
#include <drm/gpu_scheduler.h>

#include "kunit/card.h"
#include "nvfifo_chip_table.h"
#include "nvfifo_compat.h"
#include "nvfifo_fmt.h"
#include "nvfifo_grctx.h"
#include "nvfifo_pt.h"
#include "nvfifo_reg_table.h"
#include "uapi/nvfifo_drm.h"

#define NVFIFO_NAME		"nvfifo"

/* TIMEOUT: all known drivers give any procedure two seconds; hardware needs microseconds. */
#define NVFIFO_TIMEOUT_US	(2 * USEC_PER_SEC)

/* User addresses stop where the driver's own mappings begin, in the last PDE. */
#define NVFIFO_VA_START		SZ_64K
#define NVFIFO_VA_END		((1ULL << NVFIFO_VA_BITS) - (1ULL << NVFIFO_PDE_SHIFT))

/* Kept out of the allocator: VGA and firmware at the start, VBIOS data at the end. */
#define NVFIFO_VRAM_RESERVED_LOW	SZ_256K
#define NVFIFO_VRAM_RESERVED_HIGH	(SZ_1M + SZ_64K)

#define NVFIFO_RING_ORDER_MIN		3
#define NVFIFO_RING_ORDER_MAX		12
#define NVFIFO_RING_ORDER_DEFAULT	9

#define NVFIFO_MAX_BIND_OPS	4096
#define NVFIFO_MAX_SYNCS	256

#define NVFIFO_VM_ENGINES	16

struct nvfifo_chan;

/* Works of all cards: channels that end, and submissions. */
extern struct workqueue_struct *nvfifo_wq;
extern struct workqueue_struct *nvfifo_sched_wq;

/* Why the card can no longer be used; sticky until the driver is loaded again. */
enum nvfifo_wedge {
	NVFIFO_OK = 0,
	NVFIFO_LOST,		/* reads return all ones */
	NVFIFO_STUCK,		/* a procedure did not end in time */
};

/* A piece of instance memory. */
struct nvfifo_inst {
	struct drm_mm_node node;
	u64 addr;		/* VRAM address */
};

/* One card. */
struct nvfifo_device {
	struct drm_device drm;
	struct pci_dev *pdev;
	const struct nvfifo_chip *chip;
	u32 boot_0;
	void __iomem *mmio;		/* BAR0 */
	struct nvfifo_fake *fake;	/* KUnit's card, else NULL */
	int wedged;			/* enum nvfifo_wedge */
	bool removing;			/* the driver is being taken off the card: do not wait */
	bool suspending;		/* until the card is back, which it may never be */
	bool asleep;			/* no interrupts */
	struct list_head saved;		/* VRAM, meanwhile */
	u32 saved_pmem;			/* what the firmware had in the PRAMIN window's base */
	u32 saved_sysram;		/* and in the address of the flush page */

	int irq;
	bool msi;
	unsigned int spurious;		/* interrupts in a row that nobody handled */
	atomic_t timeouts;		/* waits that ran out */
	atomic64_t submits, errors;	/* SUBMIT calls, and error interrupts, so far */

	spinlock_t pmem_lock;		/* the PRAMIN window */
	u32 pmem_base;			/* where it is, ~0 if unknown */
	struct mutex flush_lock;	/* BAR flush */
	struct mutex mmu_lock;		/* TLB flush, fault record */

	struct mutex mem_lock;		/* the allocators that follow */
	struct drm_mm vram;
	u64 vram_size, vram_free;	/* free: bytes that BO_CREATE has not given out */
	u64 igp_base;			/* system address of stolen memory */
	struct drm_mm_node heap_node;	/* the instance heap in VRAM */
	struct drm_mm heap;		/* VRAM addresses */
	u64 heap_size;			/* bytes, what of BAR3 is used */
	void __iomem *bar3;		/* shows the heap, if heap_mapped */
	bool bar3_wc;
	bool heap_mapped;
	struct drm_mm tags;		/* compression tag cells */
	u32 num_tags, tags_free;	/* 0 if the card has none */
	u64 bar1_size;			/* bytes of BAR1 that can be mapped */

	struct mutex bar1_lock;		/* windows in BAR1, clear, PEEPHOLE */
	struct drm_mm bar1_va;		/* pages of 64 KiB */
	struct list_head windows;	/* the least recently used first */
	struct drm_mm_node clear;	/* window for clearing VRAM */
	void __iomem *clear_io;		/* NULL if BAR1 is too small */
	struct nvfifo_inst bar_inst;	/* channel structure of the BARs, and their page tables */
	void *flush_page;		/* zeroed, for the read-back flush of system memory */
	dma_addr_t flush_dma;

	struct mutex objects_lock;	/* vms, bos, labels */
	struct list_head vms;
	u32 vm_serial;			/* number of the last one */
	struct dentry *debugfs_vms;
	struct list_head bos;
	wait_queue_head_t waiters;	/* for VM_BINDs, room in a queue, CHANNEL_WAIT */

	struct mutex fifo_lock;		/* channel table, playlist, PFIFO's global state */
	struct xarray chans;		/* by id; NULL until they run */
	atomic_t zombies;		/* channels that are destroyed and not yet freed */
	struct nvfifo_inst playlist;	/* two pages, used in turn */
	unsigned int playlist_cur;	/* which of them the card was given last */
	bool pull_access;		/* the puller ran when PFIFO was paused */
	struct work_struct kill_work;	/* ends channels: those that made PFIFO stop, or all */
	struct nvfifo_grctx gr;		/* what contexts of PGRAPH depend on */
	u32 gr_program[NVFIFO_GRCTX_PROGRAM_MAX];	/* that switches them */
	bool gr_up;			/* PGRAPH is set up */

	struct nvfifo_chan *dump_chan;	/* whose dump is under way, referenced (fifo_lock) */
	struct work_struct dump_work;	/* writes it */
	ktime_t dump_next;		/* not before that */
	u32 dump_regs[NV_DUMP_WORDS + 1];	/* registers at the error */
};

static inline struct nvfifo_device *to_nvfifo(struct drm_device *drm)
{
	return container_of(drm, struct nvfifo_device, drm);
}

/* The card's number in traces: that of its render node. KUnit's has none. */
static inline u32 nvfifo_card(const struct nvfifo_device *ndev)
{
	return ndev->drm.render ? ndev->drm.render->index : 0;
}

/* One open file. */
struct nvfifo_file {
	struct mutex lock;	/* chans */
	struct xarray vms, chans;
};

/* --- Registers ----------------------------------------------------------- */

static inline u32 nvfifo_rd32(struct nvfifo_device *ndev, u32 reg)
{
	if (IS_ENABLED(CONFIG_KUNIT) && ndev->fake)
		return ndev->fake->rd(ndev->fake, reg);
	return ioread32(ndev->mmio + reg);
}

static inline void nvfifo_wr32(struct nvfifo_device *ndev, u32 reg, u32 val)
{
	if (IS_ENABLED(CONFIG_KUNIT) && ndev->fake)
		ndev->fake->wr(ndev->fake, reg, val);
	else
		iowrite32(val, ndev->mmio + reg);
}

static inline u32 nvfifo_mask(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 val)
{
	u32 old = nvfifo_rd32(ndev, reg);

	nvfifo_wr32(ndev, reg, (old & ~mask) | val);
	return old;
}

/* Does the card answer, and has it not been lost in a suspend? */
static inline bool nvfifo_set_up(struct nvfifo_device *ndev)
{
	return !ndev->suspending && nvfifo_rd32(ndev, NV_PMC_BOOT_0) != ~0u;
}

/* A register in a channel's control page. */
static inline u32 nvfifo_user(u32 chid, u32 reg)
{
	return NV_REG_AT(NV_USER_BASE, chid) + reg;
}

static inline u32 nvfifo_timeout_us(const struct nvfifo_device *ndev)
{
	if (IS_ENABLED(CONFIG_KUNIT) && ndev->fake)
		return ndev->fake->timeout_us;
	return NVFIFO_TIMEOUT_US;
}

int nvfifo_card_start(struct nvfifo_device *ndev);
int nvfifo_wait(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want, const char *what);
void nvfifo_wedge(struct nvfifo_device *ndev, enum nvfifo_wedge why);
bool nvfifo_check_lost(struct nvfifo_device *ndev);

/* 0 if the card can be used, else what a system call returns. */
static inline int nvfifo_usable(struct nvfifo_device *ndev)
{
	const int wedged = READ_ONCE(ndev->wedged);

	return wedged == NVFIFO_OK ? 0 : wedged == NVFIFO_LOST ? -ENODEV : -EIO;
}

/* To the end of the scope the card is not taken away; negative if it already is. */
DEFINE_CLASS(nvfifo_enter, int, _T < 0 ? (void)0 : drm_dev_exit(_T),
	     ({ int idx; drm_dev_enter(&ndev->drm, &idx) ? idx : -1; }), struct nvfifo_device *ndev)

/* What must not be so in a user's arguments; the text names the argument and its range. */
struct nvfifo_rule {
	bool broken;
	const char *text;
};

/* 0, or -EINVAL and a message at debug level about the first rule that is broken. */
static inline int nvfifo_check(struct nvfifo_device *ndev, const char *call,
			       const struct nvfifo_rule *rule)
{
	while (rule->text && !rule->broken)
		rule++;
	if (rule->text)
		drm_dbg(&ndev->drm, "%s: %s\n", call, rule->text);
	return rule->text ? -EINVAL : 0;
}

/* Log what is wrong with a user's argument, at debug level, and return an errno. */
#define nvfifo_fail(ndev, err, fmt, ...) \
	({ drm_dbg(&(ndev)->drm, fmt "\n", ##__VA_ARGS__); (err); })
#define nvfifo_einval(ndev, fmt, ...) nvfifo_fail(ndev, -EINVAL, fmt, ##__VA_ARGS__)

/* Log what is wrong with the card, and return an errno. */
#define nvfifo_card_err(ndev, err, fmt, ...) \
	({ drm_err(&(ndev)->drm, fmt "\n", ##__VA_ARGS__); (err); })

/* --- Instance memory, VRAM and BARs (nvfifo_mem.c) ----------------------- */

#define NVFIFO_VRAM_IO_MAX	SZ_4M

/* A walk over contiguous parts of a range of a pinned buffer, in pages of 4 KiB. */
struct nvfifo_chunk {
	struct nvfifo_bo *bo;
	u64 offset;	/* this part, bytes from the buffer's start; at first the range's start */
	u64 end;	/* of the range */
	u64 size;	/* of this part, at first 0 */
	u64 address;	/* linear, as PTEs hold it */
	u8 target;	/* enum nvfifo_target */
	struct nvfifo_piece *piece;	/* it is in, in VRAM */
	struct scatterlist *sg;		/* or in system memory */
	u64 piece_end;			/* offset of its end */
};

u32 nvfifo_vram_rd32(struct nvfifo_device *ndev, u64 addr);
void nvfifo_vram_wr32(struct nvfifo_device *ndev, u64 addr, u32 val);
void nvfifo_vram_fill(struct nvfifo_device *ndev, u64 addr, u32 size, u32 val);
int nvfifo_bar_flush(struct nvfifo_device *ndev);
int nvfifo_inst_alloc(struct nvfifo_device *ndev, struct nvfifo_inst *inst, u32 size, u32 align);
void nvfifo_inst_free(struct nvfifo_device *ndev, struct nvfifo_inst *inst);
void nvfifo_bar_map(struct nvfifo_device *ndev, u32 page, const struct nvfifo_chunk *chunk);
int nvfifo_bar1_flush(struct nvfifo_device *ndev);
void nvfifo_bar1_unmap(struct nvfifo_device *ndev, struct drm_mm_node *node);
int nvfifo_vram_clear(struct nvfifo_device *ndev, u64 addr, u64 size);
void __iomem *nvfifo_vram_io(struct nvfifo_device *ndev, u64 addr, u32 size);
int nvfifo_peephole_read(struct nvfifo_chan *chan, u64 va, u32 *word);
u64 nvfifo_pte_vram(struct nvfifo_device *ndev, u64 addr, u8 *target);
int nvfifo_mem_init(struct nvfifo_device *ndev);
int nvfifo_mem_start(struct nvfifo_device *ndev);
void nvfifo_mem_fini(struct nvfifo_device *ndev);
void nvfifo_mem_release(struct drm_device *drm);

/* --- Buffers (nvfifo_bo.c) ----------------------------------------------- */

#define NVFIFO_LABEL_MAX	63

/* A contiguous part of a VRAM buffer; they follow each other in the list. */
struct nvfifo_piece {
	struct drm_mm_node node;
	struct list_head link;
};

/* A GEM object. */
struct nvfifo_bo {
	struct drm_gem_shmem_object shmem;	/* of a VRAM BO only shmem.base is used */
	u32 domain;			/* enum drm_nvfifo_domain */
	struct list_head link;		/* in nvfifo_device.bos */
	char label[NVFIFO_LABEL_MAX + 1];	/* zero terminated (objects_lock) */
	struct list_head pieces;	/* VRAM */
	struct drm_mm_node tags;	/* compression tag cells, while it has users (mem_lock) */
	unsigned int tag_users;		/* mappings and objects that are compressed */
	u8 comp;			/* their compression mode */
	struct list_head windows;	/* parts that BAR1 shows (bar1_lock) */
};

DEFINE_FREE(gem_put, struct drm_gem_object *, drm_gem_object_put(IS_ERR(_T) ? NULL : _T))

static inline struct nvfifo_bo *to_nvfifo_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct nvfifo_bo, shmem);
}

bool nvfifo_chunk_next(struct nvfifo_chunk *c);
int nvfifo_bo_pin(struct nvfifo_bo *bo);
u32 nvfifo_bo_flags(const struct nvfifo_bo *bo);
int nvfifo_bo_tags_get(struct nvfifo_bo *bo, u8 comp);
void nvfifo_bo_tags_put(struct nvfifo_bo *bo);
u64 nvfifo_bo_tag(const struct nvfifo_bo *bo, u64 offset);
void nvfifo_bo_detach_all(struct nvfifo_device *ndev);
struct drm_gem_object *nvfifo_bo_create_vram(struct nvfifo_device *ndev, u64 size, u32 flags,
					     const char *label);
void nvfifo_bo_hide_all(struct nvfifo_device *ndev);
struct drm_gem_object *nvfifo_gem_create_object(struct drm_device *drm, size_t size);
struct drm_gem_object *nvfifo_prime_import_sg_table(struct drm_device *drm,
						    struct dma_buf_attachment *attach,
						    struct sg_table *sgt);
void nvfifo_show_fdinfo(struct drm_printer *p, struct drm_file *file);

/* --- Page directories and TLBs (nvfifo_mmu.c) ---------------------------- */

/* 512 MiB of an address space. All but @pt is plan, and guarded by nvfifo_vm.lock. */
struct nvfifo_region {
	struct nvfifo_pt *pt;	/* that the card has, NULL if none (pt_lock) */
	u32 bytes;		/* that are mapped */
	u32 comp_bytes;		/* those of them with compression */
	u32 top;		/* end of what was mapped since @bytes was 0, from the start */
	u8 type;		/* enum nvfifo_pt_type */
	u8 size;		/* PT_SIZE of a table of 4 KiB pages */
};

/* An address space. */
struct nvfifo_vm {
	struct drm_gpuvm base;		/* mappings; @base and each job refer to the memory */
	struct kref ref;		/* of those who can use it: the file and each channel */
	struct list_head link;		/* in nvfifo_device.vms */
	struct nvfifo_device *ndev;
	u32 serial;			/* its number in debugfs */
	u64 translate;			/* the address that debugfs explains */

	struct mutex lock;		/* mappings, the plan in @regions, @empty and @kernel */
	struct drm_mm kernel;		/* allocator of the driver's part of the address space */
	unsigned int empty;		/* regions that have a table and no mapping, by plan */
	struct drm_gpu_scheduler sched;	/* of asynchronous VM_BINDs */
	struct drm_sched_entity entity;	/* and its only queue */
	u64 fence_context;
	u64 binds;			/* number of the last one's fence */
	atomic_t jobs;			/* asynchronous VM_BINDs that have not been freed */
	struct work_struct work;	/* frees the memory */

	/* What the card has: tables and all that follows. Nothing is allocated under it. */
	struct mutex pt_lock;
	struct nvfifo_region regions[NVFIFO_PD_ENTRIES];
	struct list_head chans;		/* whose page directories are copies of this one */
	struct list_head waiting;	/* asynchronous VM_BINDs that have not ended */
	struct list_head retired;	/* replaced page tables that TLBs may still know */
	unsigned long engines;		/* VM engines whose TLBs may know the address space */
	bool pde_dirty;			/* a directory was written since the last BAR flush */
	bool broken;			/* nothing can be known of what the card sees */
};

/* The way from an address to its page. */
struct nvfifo_walk {
	u64 pde, pte;
	u32 index;	/* of the PTE */
	u8 reason;	/* enum nvfifo_fault_reason if a step fails */
	u64 linear;	/* address of the byte */
};

void nvfifo_mmu_init(struct nvfifo_vm *vm, struct nvfifo_device *ndev);
void nvfifo_mmu_free_tables(struct nvfifo_vm *vm);
void nvfifo_mmu_account(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, bool add);
int nvfifo_mmu_plan_map(struct nvfifo_vm *vm, u64 va, u64 size, unsigned int type, u64 pte,
			bool strict, struct list_head *changes);
int nvfifo_mmu_plan_cut(struct nvfifo_vm *vm, u64 va, struct list_head *changes);
void nvfifo_mmu_plan_unmap(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte,
			   struct list_head *changes);
void nvfifo_mmu_plan_undo(struct nvfifo_vm *vm, struct list_head *changes);
void nvfifo_mmu_changes_free(struct nvfifo_vm *vm, struct list_head *changes);
int nvfifo_mmu_install(struct nvfifo_vm *vm, struct list_head *changes);
void nvfifo_mmu_write(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, const u64 *addresses);
bool nvfifo_mmu_walk(struct nvfifo_vm *vm, u64 va, struct nvfifo_walk *w);
int nvfifo_mmu_flush(struct nvfifo_vm *vm);
int nvfifo_tlb_flush(struct nvfifo_device *ndev, unsigned int engine);
void nvfifo_mmu_attach(struct nvfifo_vm *vm, struct nvfifo_chan *chan);
void nvfifo_mmu_detach(struct nvfifo_vm *vm, struct nvfifo_chan *chan);

/* --- Address spaces (nvfifo_vm.c) ---------------------------------------- */

struct nvfifo_vma {
	struct drm_gpuva base;
	u64 pte;		/* what its PTEs have in common: all but address, target, tag */
	struct list_head link;	/* of what a VM_BIND takes away, in part or whole */
	u64 gone_va, gone_size;	/* the part */
};

static inline struct nvfifo_vma *to_nvfifo_vma(struct drm_gpuva *va)
{
	return container_of(va, struct nvfifo_vma, base);
}

void nvfifo_vm_put(struct nvfifo_vm *vm);
DEFINE_FREE(vm_put, struct nvfifo_vm *, nvfifo_vm_put(_T))
struct nvfifo_vm *nvfifo_vm_lookup(struct drm_file *file, u32 id, const char *argument);
int nvfifo_vm_map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
			 u64 ro_size);
void nvfifo_vm_unmap_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node);
void nvfifo_vm_free_all(struct nvfifo_file *nfile);
bool nvfifo_kind_valid(const struct nvfifo_device *ndev, u32 kind);

/* --- RAMHT and objects (nvfifo_ramht.c) ---------------------------------- */

#define NVFIFO_RAMHT_BITS	9
#define NVFIFO_RAMHT_ENTRIES	BIT(NVFIFO_RAMHT_BITS)
#define NVFIFO_RAMHT_BYTES	(NVFIFO_RAMHT_ENTRIES * 8)
/* Objects lie behind RAMHT, one in 32 bytes. */
#define NVFIFO_OBJECTS		(NVFIFO_CHAN_RAMHT + NVFIFO_RAMHT_BYTES)
#define NVFIFO_OBJECT_BYTES	32
#define NVFIFO_CHAN_BYTES	SZ_64K
#define NVFIFO_OBJECT_SLOTS	((NVFIFO_CHAN_BYTES - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES)

/* Handles that every channel has from the start. */
#define NVFIFO_HANDLE_FENCE	0x80000000	/* DMA object over the fence page */
#define NVFIFO_HANDLE_SW	0x80000001	/* software object, G80's interrupt */

/* A channel's hash table and object space. */
struct nvfifo_ramht {
	struct nvfifo_device *ndev;
	u64 inst;		/* VRAM address of the channel structure */
	struct {
		u32 handle;
		u32 context;
	} shadow[NVFIFO_RAMHT_ENTRIES];	/* what the table holds */
	DECLARE_BITMAP(slots, NVFIFO_OBJECT_SLOTS);	/* object slots that are taken */
};

int nvfifo_ramht_insert(struct nvfifo_ramht *ht, u32 handle, u32 context);
int nvfifo_ramht_find(const struct nvfifo_ramht *ht, u32 handle);
void nvfifo_ramht_remove(struct nvfifo_ramht *ht, int slot);
int nvfifo_object_alloc(struct nvfifo_ramht *ht, u32 *offset);
void nvfifo_object_free(struct nvfifo_ramht *ht, u32 offset);
int nvfifo_dmaobj_new(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj, u32 *offset);

void nvfifo_chan_bos_free(struct nvfifo_chan *chan);
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev);

/* --- PFIFO and channels (nvfifo_pusher.c) -------------------------------- */

/* Tells a file that one of its channels died. */
struct nvfifo_event {
	struct drm_pending_event base;
	struct drm_nvfifo_event_channel_dead event;
};

/* A channel. The file, each job and the interrupt handler hold references. */
struct nvfifo_chan {
	struct kref ref;
	struct nvfifo_device *ndev;
	struct nvfifo_vm *vm;
	struct list_head vm_link;	/* in nvfifo_vm.chans */
	u32 id;				/* PFIFO's number */
	bool ib;			/* IB mode, else NV04's */
	bool user_queue;
	struct nvfifo_inst inst;	/* channel structure */
	struct mutex lock;		/* RAMHT and objects */
	struct nvfifo_ramht ramht;
	struct list_head bos;		/* of unpaged objects, referenced */
	struct drm_gem_object *gr_image;	/* context of PGRAPH, once it has objects of it */
	u32 engines;			/* that have objects, bit n for engine n */
	u32 table;			/* channel table entry without ENABLE */
	bool running;			/* enabled and in the playlist (fifo_lock) */
	struct drm_gem_object *control;	/* page of a user queue */

	/* Ring, fence segments and fence page: contiguous, coherent */
	void *mem;
	dma_addr_t mem_dma;
	size_t mem_size;
	struct drm_mm_node mem_va;	/* where the card sees it */
	u32 fence_page;			/* offset */
	unsigned int order;		/* log2 of the ring's entries */
	u64 ring;			/* where the card sees them, also if they are the owner's */
	u32 put;			/* next ring entry (fence_lock) */

	struct drm_gpu_scheduler sched;	/* for jobs that have to wait */
	struct drm_sched_entity entity;
	struct mutex submit_lock;	/* order of jobs */
	struct delayed_work watchdog;

	spinlock_t fence_lock;		/* up to completed, and death */
	u64 fence_context;
	u64 submitted;			/* number of the last SUBMIT, and of its fence */
	struct list_head jobs;		/* that have not ended: in the ring, then those that wait */
	u32 queued;			/* number of the latter, which the scheduler has */
	u32 used;			/* ring entries of the former */
	unsigned long progress;		/* when the oldest job in the ring became that, jiffies */
	u64 completed;			/* number of the last SUBMIT that has ended */
	int dead;			/* errno of the fences to come, 0 while alive */

	/* fifo_lock: */
	struct nvfifo_event *event;	/* sent when an error ends the channel, or NULL */
	bool killed;			/* it was taken off the card; condemned if only dead */
	struct drm_nvfifo_channel_query error;	/* and where it was, if hw_id is not 0 */

	struct work_struct work;	/* frees it */
};

/* The three parts of nvfifo_chan.mem. */
#define NVFIFO_FENCE_SEG_WORDS	16
#define NVFIFO_FENCE_SEG_BYTES	(NVFIFO_FENCE_SEG_WORDS * 4)

static inline u32 nvfifo_ring_bytes(unsigned int order)
{
	return 8u << order;
}

static inline u32 nvfifo_fence_seg_offset(unsigned int order, u32 slot)
{
	return nvfifo_ring_bytes(order) + slot * NVFIFO_FENCE_SEG_BYTES;
}

/* The fence page is writable for the card, so it has a page of its own. */
static inline u32 nvfifo_fence_page_offset(unsigned int order)
{
	return ALIGN(nvfifo_fence_seg_offset(order, 1u << order), SZ_4K);
}

/* The card releases the low half of a fence's number; fewer than 2^31 are under way. */
static inline bool nvfifo_fence_passed(u32 released, u64 number)
{
	return (s32)(released - (u32)number) >= 0;
}

int nvfifo_module_init(void);
void nvfifo_module_exit(void);
void nvfifo_live_get(struct nvfifo_device *ndev);
void nvfifo_live_put(struct nvfifo_device *ndev);
int nvfifo_fifo_init(struct nvfifo_device *ndev);
void nvfifo_fifo_fini(struct nvfifo_device *ndev);
void nvfifo_fifo_hw_init(struct nvfifo_device *ndev);
void nvfifo_fifo_quiesce(struct nvfifo_device *ndev);
void nvfifo_fifo_suspend(struct nvfifo_device *ndev);
int nvfifo_fifo_resume(struct nvfifo_device *ndev);
int nvfifo_fifo_freeze(struct nvfifo_device *ndev);
void nvfifo_fifo_unfreeze(struct nvfifo_device *ndev);
int nvfifo_playlist_update(struct nvfifo_device *ndev);
int nvfifo_fifo_kick(struct nvfifo_device *ndev, u32 desc, u32 engines);
void nvfifo_chan_structure(struct nvfifo_device *ndev, const struct nvfifo_ramfc *fc);
unsigned int nvfifo_fence_words(const struct nvfifo_chip *chip, u32 seq,
				u32 w[NVFIFO_FENCE_SEG_WORDS]);

struct nvfifo_chan *nvfifo_chan_lookup(struct nvfifo_device *ndev, struct drm_file *file, u32 id,
				       const char *argument);
struct nvfifo_chan *nvfifo_chan_next(struct nvfifo_device *ndev, struct nvfifo_chan *chan);
void nvfifo_chan_put(struct nvfifo_chan *chan);
DEFINE_FREE(chan_put, struct nvfifo_chan *, nvfifo_chan_put(_T))
void nvfifo_chan_kill(struct nvfifo_chan *chan, int err, enum drm_nvfifo_channel_error error);
void nvfifo_chan_condemn(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_query *error);
void nvfifo_chan_kill_all(struct nvfifo_device *ndev, int err);
void nvfifo_chan_position(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *pos);
void nvfifo_chan_detach_all(struct nvfifo_device *ndev);
void nvfifo_chan_free_all(struct nvfifo_device *ndev, struct nvfifo_file *nfile);

/* --- User queues (nvfifo_user.c) ------------------------------------------ */

/* UML's BARs are messages, and a larger page would show two channels. */
#define NVFIFO_USER_QUEUE	(!IS_ENABLED(CONFIG_UML) && PAGE_SIZE <= SZ_8K)

int nvfifo_control_init(struct nvfifo_chan *chan, struct drm_file *file, __u64 *offset);
void nvfifo_control_revoke(struct nvfifo_chan *chan);

/* --- Fences and syncobjs (nvfifo_sync.c) --------------------------------- */

/* What a call waits for and signals, and how much of it has not been signalled. */
struct nvfifo_syncs {
	struct nvfifo_sync *syncs;
	u32 count;
	u32 num_waits;
};

int nvfifo_queue_init(struct nvfifo_device *ndev, struct drm_gpu_scheduler *sched,
		      struct drm_sched_entity *entity, const struct drm_sched_backend_ops *ops,
		      u32 credits);
void nvfifo_fence_init(struct dma_fence *fence, spinlock_t *lock, u64 context, u64 seqno);
int nvfifo_syncs_get(struct nvfifo_device *ndev, struct drm_file *file,
		     const struct drm_nvfifo_array *in, const char *name,
		     struct nvfifo_syncs *syncs);
int nvfifo_syncs_depend(struct nvfifo_syncs *syncs, struct drm_sched_job *job);
void nvfifo_syncs_attach(struct nvfifo_syncs *syncs, struct dma_fence *fence);
void nvfifo_syncs_free(struct nvfifo_syncs *syncs);

/* --- Jobs (nvfifo_sched.c) ----------------------------------------------- */

int nvfifo_chan_sched_init(struct nvfifo_chan *chan);
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan);
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan);
void nvfifo_fences_process(struct nvfifo_chan *chan);
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end);

/* --- PGRAPH (nvfifo_gr.c) ------------------------------------------------ */

#define NVFIFO_ENGINE_PGRAPH	1	/* PFIFO's number */

void nvfifo_gr_reset(struct nvfifo_device *ndev);
void nvfifo_gr_init(struct nvfifo_device *ndev);
int nvfifo_gr_chan_init(struct nvfifo_chan *chan);
void nvfifo_gr_intr(struct nvfifo_device *ndev);
bool nvfifo_gr_unblock(struct nvfifo_device *ndev);

/* --- Interrupts (nvfifo_irq.c) ------------------------------------------- */

int nvfifo_irq_init(struct nvfifo_device *ndev);
void nvfifo_irq_start(struct nvfifo_device *ndev);
void nvfifo_irq_stop(struct nvfifo_device *ndev);
void nvfifo_irq_fini(struct nvfifo_device *ndev);
void nvfifo_irq_heal(struct nvfifo_device *ndev);
void nvfifo_fifo_unblock(struct nvfifo_device *ndev);
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault);
void nvfifo_fault_take(struct nvfifo_device *ndev, const struct nvfifo_chan *chan,
		       struct drm_nvfifo_channel_query *e);

/* --- System sleep (nvfifo_pm.c) ------------------------------------------ */

extern const struct dev_pm_ops nvfifo_pm_ops;

/* --- The dump (nvfifo_dump.c) --------------------------------------------- */

void nvfifo_print_bos(struct nvfifo_device *ndev, struct drm_printer *p);
void nvfifo_print_pde(struct drm_printer *p, u64 val);
void nvfifo_print_pte(struct drm_printer *p, u64 val);
void nvfifo_print_mappings(struct nvfifo_vm *vm, struct drm_printer *p);
void nvfifo_print_tables(struct nvfifo_vm *vm, struct drm_printer *p);
u32 nvfifo_vm_read(struct nvfifo_vm *vm, struct nvfifo_chan *chan, u64 va, u32 *words, u32 count);
void nvfifo_dump(struct nvfifo_device *ndev, struct nvfifo_chan *dead, struct drm_printer *p);
void nvfifo_dump_work(struct work_struct *work);
void nvfifo_dump_capture(struct nvfifo_chan *chan);

/* --- Looking in (nvfifo_debugfs.c) --------------------------------------- */

#ifdef CONFIG_DEBUG_FS
void nvfifo_debugfs_init(struct drm_minor *minor);
void nvfifo_debugfs_add_vm(struct nvfifo_vm *vm);
void nvfifo_debugfs_remove_vm(struct nvfifo_vm *vm);
void nvfifo_debugfs_fini(struct nvfifo_device *ndev);
#else
static inline void nvfifo_debugfs_fini(struct nvfifo_device *ndev) {}
static inline void nvfifo_debugfs_add_vm(struct nvfifo_vm *vm) {}
static inline void nvfifo_debugfs_remove_vm(struct nvfifo_vm *vm) {}
#endif

/* --- Calls of user space (nvfifo_main.c has their table) ------------------ */

void *nvfifo_array_get(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, size_t room,
		       size_t known, u32 max, const char *name);

drm_ioctl_t nvfifo_ioctl_bo_create, nvfifo_ioctl_bo_info, nvfifo_ioctl_bo_label,
	    nvfifo_ioctl_vm_create, nvfifo_ioctl_vm_destroy, nvfifo_ioctl_vm_bind,
	    nvfifo_ioctl_channel_create, nvfifo_ioctl_channel_destroy, nvfifo_ioctl_channel_query,
	    nvfifo_ioctl_channel_wait, nvfifo_ioctl_object_create, nvfifo_ioctl_object_destroy,
	    nvfifo_ioctl_submit;

#endif
