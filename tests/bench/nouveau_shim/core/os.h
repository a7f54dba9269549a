/* SPDX-License-Identifier: MIT */
/*
 * The kernel's interface for nouveau's NV50 page table code, in user space.
 *
 * The kernel's functions do more: iowrite32() tests for a port, memset_io() for an encrypted
 * machine, sg_next() for chains. These do not, so that the benchmark measures nouveau's own
 * code only.
 */
#ifndef BENCH_CORE_OS_H
#define BENCH_CORE_OS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "../../pt.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef u64 dma_addr_t;

#define __iomem
#define BIT(n)			(1ul << (n))
#define PAGE_SHIFT		12
#define PAGE_SIZE		(1ul << PAGE_SHIFT)
#define IS_ALIGNED(x, a)	(!((x) & ((a) - 1)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define WARN_ON(x)		(!!(x))
#define lower_32_bits(x)	((u32)(x))
#define upper_32_bits(x)	((u32)((u64)(x) >> 32))
#define container_of(p, t, m)	((t *)((char *)(p) - offsetof(t, m)))
#define GFP_KERNEL		0
#define kmalloc(size, gfp)	malloc(size)
#define kfree(p)		free(p)

#define iowrite32_native(v, p)	(*(volatile u32 *)(p) = (v))
#define iowrite64_native(v, p)						\
	do {								\
		iowrite32_native(lower_32_bits(v), (u32 *)(p));		\
		iowrite32_native(upper_32_bits(v), (u32 *)(p) + 1);	\
	} while (0)

/* Bytes that nouveau cleared in one go. */
extern u64 bench_filled;

static inline void memset_io(void *p, int v, size_t n)
{
	bench_filled += n;
	memset(p, v, n);
}

/* Names only. */
struct lock_class_key;
struct nvkm_client;

struct list_head {
	struct list_head *next, *prev;
};

static inline void list_add_tail(struct list_head *e, struct list_head *head)
{
	e->next = head;
	e->prev = head->prev;
	head->prev->next = e;
	head->prev = e;
}

static inline void list_del(struct list_head *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
}

#define list_for_each_entry(pos, head, member)				\
	for (pos = container_of((head)->next, __typeof__(*pos), member);	\
	     &pos->member != (head);					\
	     pos = container_of(pos->member.next, __typeof__(*pos), member))

struct rb_node {
	struct rb_node *left, *right;
};

struct rb_root {
	struct rb_node *node;
};

struct kref {
	int count;
};

typedef struct {
	int count;
} atomic_t, refcount_t;

#define atomic_read(a)		((a)->count)

/* One thread: locks cost nothing. */
struct mutex {
	int unused;
};

#define mutex_lock(m)		((void)(m))
#define mutex_unlock(m)		((void)(m))

#define sg_dma_address(sg)	((sg)->dma_address)
#define sg_dma_len(sg)		((sg)->dma_length)
#define sg_next(sg)		((sg) + 1)

#endif
