/* SPDX-License-Identifier: MIT */
/* Shared by the files of the model in this process */
#ifndef NVFIFO_MODEL_PRIV_H
#define NVFIFO_MODEL_PRIV_H

#include "../../sim/nvsim.h"
#include "model.h"
#include "nvfifo_chip.h"
#include "nvfifo_error.h"
#include "nvfifo_grctx.h"
#include "nvfifo_pfifo.h"
#include "nvfifo_pt.h"
#include "nvfifo_request.h"

/* The browser has less, see tools/playground. */
#ifndef MODEL_VRAM
#define MODEL_VRAM		(256ULL << 20)
#define MODEL_SYSTEM		(16ULL << 30)	/* memory for buffers and tables */
#endif
#define MODEL_SYSTEM_BASE	0x100000000ULL	/* address for the card */
#define MODEL_BUFFERS		8192
#define MODEL_SPACES		64
#define MODEL_FENCES		65536
#define MODEL_SYNCS		16		/* of one SUBMIT */
#define MODEL_EVENTS		256		/* of dead channels, and half as many of methods */
#define MODEL_HANG_LIMIT_MAX	600000	/* ms, the driver's; nothing hangs here for so long */
#define MODEL_PATIENCE_NS	1000000000000LL	/* of the card's time, for a submission */

/* A buffer; its memory is in one piece, and stays here for the next one when it is closed. */
struct model_bo {
	bool used;
	bool vram;
	bool wc;
	bool lsr;
	__u64 size;
	__u64 at;		/* offset in the card's VRAM, or in system memory */
	__u32 tag;		/* first tag cell */
	__u32 comp;		/* mode that it has cells for, 0 for none */
	__u32 mappings;
	char label[64];
};

/* A mapping, to refuse others over it, and to undo it. */
struct model_mapping {
	__u64 va;
	__u64 range;
	struct model_bo *bo;
};

struct model_table {
	struct nvfifo_pt pt;
	__u64 address;		/* address for the card */
};

struct model_vm {
	bool used;
	__u64 driver_next;	/* next address of the driver's part */
	struct model_mapping *mappings;
	size_t mapping_count;
	struct model_table tables[NVFIFO_PD_ENTRIES];
};

/* A SUBMIT that waits for fences. */
struct model_job {
	struct model_job *next;
	__u64 seqno;
	__u32 waits[MODEL_SYNCS];
	unsigned int wait_count;
	__u32 count;
	struct drm_nvfifo_entry entries[];
};

struct model_channel {
	bool used;
	bool dead;
	bool ib;
	bool user_queue;
	bool event;
	__u32 order;
	__u32 id;		/* PFIFO's number */
	__u64 user_data;
	struct model_vm *vm;
	__u64 inst;		/* VRAM address of the structure */
	__u32 table;		/* its entry in the channel table */
	struct nvfifo_ramht_slot ramht[NVFIFO_RAMHT_ENTRIES];
	bool software[NVFIFO_RAMHT_ENTRIES];	/* the slot has a software object */
	__u32 bound[8];		/* handle of the software object of a subchannel, or 0 */
	__u32 objects;		/* slots taken */
	bool has_gr;
	__u64 mem_at;		/* ring, fence segments, fence page: offset in system memory */
	__u64 mem_va;
	__u32 fence_page;	/* offset of the last */
	__u64 control_at;	/* control page of a user queue */
	__u32 control_put;	/* last value written to the card */
	__u32 put;
	__u64 submitted;
	__u64 queued;		/* of these, those that the card has */
	__u64 completed;
	struct model_job *jobs;
	struct drm_nvfifo_channel_query error;
	struct model_mp_stop stop;	/* .trap is 0 if no multiprocessor has stopped */
};

struct model_fence {
	bool used;
	bool attached;		/* a SUBMIT has given it work */
	__u32 channel;
	__u64 seqno;
	int status;		/* 1 signalled, 0 not, or a negative errno */
};

struct model {
	struct nvsim *sim;
	unsigned int files;
	const struct model_watcher *watcher;
	__u64 now;
	bool stopped;		/* the watcher has ended the program */
	bool line;		/* the interrupt */
	bool tells;		/* at its end, the parts that it left out */
	unsigned int violations;

	int fd;			/* VRAM, then system memory */
	__u8 *memory;
	__u64 vram_next;
	__u64 inst_next;	/* downwards from the end */
	__u64 system_next;

	const struct nvfifo_chip *facts;
	enum nv_chip chip;
	__u32 chipset;
	__u32 boot_0;
	__u64 igp_base;
	__u32 tags;
	__u32 tag_next;
	bool g84;
	bool igp;

	__u64 playlist;		/* two pages */
	unsigned int playlist_page;
	struct nvfifo_grctx gr;
	bool gr_up;

	struct model_bo bos[MODEL_BUFFERS];
	struct model_vm *vms[MODEL_SPACES];
	struct model_channel channels[NVFIFO_CHANNELS];
	struct model_fence *fences;
	__u32 fence_count;
	union nvfifo_file_event events[MODEL_EVENTS];
	unsigned int event_count;
};

/* card.c */
int model_card_start(struct model *m, const char *chipset);
void model_card_stop(struct model *m);
__u32 model_read(struct model *m, __u32 reg);
void model_write(struct model *m, __u32 reg, __u32 value);
__u32 model_mask(struct model *m, __u32 reg, __u32 clear, __u32 set);
struct nvfifo_port model_port(struct model *m);
__u32 model_vram_read(struct model *m, __u64 address);
void model_vram_write(struct model *m, __u64 address, __u32 value);
void model_bar_flush(struct model *m);
void model_tlb_flush(struct model *m);
void model_gr_start(struct model *m);
bool model_work(struct model *m, bool (*done)(void *arg), void *arg, __s64 timeout_ns);
void *model_system(struct model *m, __u64 at);

/*
 * pages.c, or tools/playground/pages.c where there is no mmap(): zeroed memory for VRAM and, after
 * it, system memory. Return: 0, or a negative errno with nvfifo_last_error().
 */
int model_pages_get(struct model *m);
void model_pages_put(struct model *m);
/* As mmap(): MAP_FAILED and errno on failure. */
void *model_pages_map(struct model *m, __u64 offset, __u64 size);

/* memory.c */
__u64 model_system_alloc(struct model *m, __u64 size);
__u64 model_inst_alloc(struct model *m, __u64 size);
int model_bo_create(struct model *m, struct drm_nvfifo_bo_create *args);
int model_bo_label(struct model *m, const struct drm_nvfifo_bo_label *args);
struct model_bo *model_bo_find(struct model *m, __u32 handle);
__u32 model_bo_tags(struct model *m, struct model_bo *bo, __u32 mode);
__u64 model_linear(const struct model *m, const struct model_bo *bo, __u8 *target);
int model_vm_create(struct model *m, struct drm_nvfifo_vm_create *args);
int model_vm_destroy(struct model *m, const struct drm_nvfifo_vm_destroy *args);
struct model_vm *model_vm_find(struct model *m, __u32 id);
int model_vm_bind(struct model *m, const struct drm_nvfifo_vm_bind *args);
int model_map_driver(struct model *m, struct model_vm *vm, __u64 at, __u64 size, __u64 read_only,
		     __u64 *va);
void model_vm_attach(struct model *m, const struct model_channel *c);

/* channel.c */
int model_channel_create(struct model *m, struct drm_nvfifo_channel_create *args);
int model_channel_destroy(struct model *m, const struct drm_nvfifo_channel_destroy *args);
int model_channel_query(struct model *m, struct drm_nvfifo_channel_query *q);
int model_object_create(struct model *m, const struct drm_nvfifo_object_create *args);
int model_submit(struct model *m, struct drm_nvfifo_submit *args);
bool model_jobs_start(struct model *m);
bool model_fences_process(struct model *m);
struct model_fence *model_fence_find(struct model *m, __u32 handle);
void model_channel_position(struct model *m, const struct model_channel *c,
			    struct drm_nvfifo_channel_query *q);
void model_playlist_update(struct model *m);

/* error.c */
bool model_interrupts(struct model *m);

#endif
