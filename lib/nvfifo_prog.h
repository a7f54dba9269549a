/* SPDX-License-Identifier: MIT */
/*
 * Text programs (*.nvp): buffers, an address-space layout, channels, objects, pushbuffers,
 * submissions, and the expected contents of memory. examples/README.md describes the format.
 *
 * This is only the reader. It needs no card; "nvfifo run" executes a program.
 */
#ifndef NVFIFO_PROG_H
#define NVFIFO_PROG_H

#include "nvfifo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVFIFO_PROG_NAME_MAX	32	/* bytes of a name with its final zero */
#define NVFIFO_PROG_BUFFERS	1024	/* most buffers of a program */
#define NVFIFO_PROG_CHANNELS	126	/* most channels: as many as a card has */
#define NVFIFO_PROG_AFTER	8	/* most fences a submission can wait for */
#define NVFIFO_PROG_PIXELS	8192	/* most pixels of an image's side */
#define NVFIFO_PROG_SPACES	16	/* most address spaces */

enum nvfifo_prog_mapping {
	NVFIFO_PROG_MAP_AUTO,	/* the reader chooses the address */
	NVFIFO_PROG_MAP_FIXED,
	NVFIFO_PROG_MAP_NONE,
};

/* An address space */
struct nvfifo_prog_space {
	char name[NVFIFO_PROG_NAME_MAX];	/* name; the first one is "main" and always there */
	/*
	 * it belongs to an open file of its own, which is another client of the driver, as another
	 * process is
	 */
	bool own_file;
};

/* A buffer */
struct nvfifo_prog_buffer {
	/* name; "(push)" is the reader's own, for pushbuffers of a space */
	char name[NVFIFO_PROG_NAME_MAX];
	unsigned int space;		/* index of the address space that it is mapped in */
	__u64 size;			/* bytes */
	__u32 domain;			/* enum drm_nvfifo_domain */
	__u32 bo_flags;			/* enum drm_nvfifo_bo_flags */
	enum nvfifo_prog_mapping mapping;	/* enum nvfifo_prog_mapping */
	__u64 va;			/* virtual address, if it is mapped */
	__u32 flags;			/* enum drm_nvfifo_vm_bind_op_flags */
	__u32 page_shift;		/* 0, 12, 14 or 16 */
	__u32 kind;			/* storage type */
	__u32 compression;		/* enum drm_nvfifo_compression */
	unsigned int line;		/* line in the text, 1 for the reader's own */
	unsigned int map_line;		/* line that says how it is mapped, @line if none does */
};

/* Words that @buffer holds at @offset before the run. */
struct nvfifo_prog_fill {
	unsigned int buffer;
	__u64 offset;
	size_t first;	/* in nvfifo_prog.words */
	size_t count;
};

/* A channel */
struct nvfifo_prog_channel {
	char name[NVFIFO_PROG_NAME_MAX];
	unsigned int space;	/* index of its address space */
	__u32 ring_order;	/* log2 of the ring's entries, 0 for the default */
	__u32 flags;		/* enum drm_nvfifo_channel_flags */
	__u32 timeslice;	/* as in CHANNEL_CREATE, 0 for the default */
	__u32 sli_mask;		/* as in CHANNEL_CREATE, 0 for the default */
	__u32 hang_limit_ms;	/* as in CHANNEL_CREATE, 0 for the default */
	/* of the place where words (DMA mode) or entries (user queue) begin */
	unsigned int buffer;
	__u64 offset;			/* of that place */
	bool has_limit;			/* the pusher reads no word past a place */
	unsigned int limit_buffer;	/* of the last word that it reads */
	__u64 limit_offset;		/* of that word */
	unsigned int line;
};

/* An object */
struct nvfifo_prog_object {
	int channel;	/* index, or -1 for every channel */
	__u32 handle;	/* its name in methods */
	__u32 oclass;
	bool engine;	/* an engine's object, not a DMA object; or a software object */
	bool software;	/* a software object, whose methods are events */
	bool any_3d;	/* of the 3D class that the card has, see nvfifo_prog_class() */
	__u32 access;	/* enum drm_nvfifo_object_access */
	__u32 flags;	/* enum drm_nvfifo_object_flags */
	__u64 start;	/* first virtual address of a DMA object, or with UNPAGED byte of @buffer */
	__u64 size;	/* bytes of it */
	unsigned int buffer;	/* with UNPAGED the buffer */
	__u32 user;	/* enum drm_nvfifo_object_user */
	__u32 kind;	/* storage type with OBJECT_KIND */
	__u32 compression;	/* enum drm_nvfifo_compression with OBJECT_COMPRESSION */
	__u32 cycle;	/* enum drm_nvfifo_object_cycle */
	unsigned int line;
};

enum nvfifo_prog_format {
	NVFIFO_PROG_X8R8G8B8,
	NVFIFO_PROG_R5G6B5,
	NVFIFO_PROG_R8,
};

/* A picture, which "nvfifo run --images" writes to a file */
struct nvfifo_prog_image {
	char name[NVFIFO_PROG_NAME_MAX];
	enum nvfifo_prog_format format;
	__u32 width;	/* pixels */
	__u32 height;
	__u32 pitch;	/* bytes from line to line */
};

/* A pushbuffer: @words at @offset of @buffer. */
struct nvfifo_prog_push {
	char name[NVFIFO_PROG_NAME_MAX];
	bool placed;		/* by the program, not by the reader */
	bool linear;		/* for DMA mode: jumps and calls, no IB entry */
	unsigned int space;	/* address space of @buffer */
	unsigned int buffer;
	__u64 offset;
	unsigned int line;
	struct nvfifo_words words;
};

struct nvfifo_prog_entry {
	unsigned int push;
	__u32 flags;	/* enum drm_nvfifo_entry_flags */
};

enum nvfifo_prog_step_type {
	NVFIFO_STEP_SUBMIT,
	NVFIFO_STEP_WAIT,	/* until a fence has signalled; all if none is named */
	NVFIFO_STEP_PENDING,	/* a fence must stay unsignalled for a while */
	NVFIFO_STEP_POLL,	/* until memory holds a word */
	NVFIFO_STEP_EXPECT,	/* memory must hold these words now */
	NVFIFO_STEP_ORDER,	/* of two 64-bit times */
	NVFIFO_STEP_REF,	/* a channel's REF */
	NVFIFO_STEP_DEAD,	/* a channel must be dead */
	NVFIFO_STEP_SHOW,	/* words to show before and after */
	NVFIFO_STEP_SAME,	/* two stretches of memory must hold the same */
	NVFIFO_STEP_CRC,	/* memory must have this CRC-32 */
	NVFIFO_STEP_IMAGE,	/* memory is a picture */
	NVFIFO_STEP_EVENT,	/* the driver sends the event of a dead channel */
	NVFIFO_STEP_METHOD,	/* the driver sends the event of a software method */
	NVFIFO_STEP_WRITE,	/* the CPU writes words to memory */
};

/* One thing to do, in the order of the text */
struct nvfifo_prog_step {
	enum nvfifo_prog_step_type type;	/* kind of the step */
	unsigned int line;
	unsigned int channel;			/* index (SUBMIT, REF, DEAD, EVENT, METHOD) */
	int fence;				/* index, or -1 (SUBMIT, WAIT, PENDING) */
	unsigned int after[NVFIFO_PROG_AFTER];	/* fences that a SUBMIT waits for */
	unsigned int after_count;
	/* first entry (SUBMIT) or word (EXPECT, POLL, WRITE), index of an image (IMAGE) */
	size_t first;
	size_t count;		/* entries or words; words to show (SHOW); bytes (SAME, CRC) */
	unsigned int buffer;	/* of the place in memory */
	__u64 offset;		/* of the place in memory, bytes */
	unsigned int buffer2;	/* of the second place (ORDER, SAME) */
	__u64 offset2;		/* of the second place */
	/* REF's value, milliseconds (PENDING), error code (DEAD, EVENT), data (METHOD), CRC-32 */
	__u64 value;
	__u32 error;		/* enum drm_nvfifo_channel_error (DEAD, EVENT), NONE for any */
	bool has_code;		/* compare @value (DEAD, EVENT) */
	__u32 detail;		/* error detail (DEAD), method without subchannel (METHOD) */
	bool has_detail;	/* compare @detail (DEAD) */
	__u32 handle;		/* of the object (METHOD) */
};

/* A program */
struct nvfifo_prog {
	char title[128];			/* its title, "" if it has none */
	__u64 requires_features;		/* DRM_NVFIFO_FEATURE_* that the card must have */
	struct nvfifo_words words;		/* words of fills, EXPECT, POLL and WRITE */
	struct nvfifo_prog_space *spaces;	/* address spaces, the first one always there */
	size_t space_count;
	struct nvfifo_prog_buffer *buffers;	/* buffers, the reader's own last */
	size_t buffer_count;
	struct nvfifo_prog_fill *fills;		/* contents before the run */
	size_t fill_count;
	struct nvfifo_prog_channel *channels;
	size_t channel_count;
	struct nvfifo_prog_object *objects;
	size_t object_count;
	struct nvfifo_prog_push *pushes;	/* pushbuffers */
	size_t push_count;
	struct nvfifo_prog_entry *entries;	/* IB entries of all submissions */
	size_t entry_count;
	struct nvfifo_prog_image *images;
	size_t image_count;
	struct nvfifo_prog_step *steps;		/* the steps, in order */
	size_t step_count;
	/* names of the submissions' fences, "#N" for those without one */
	char (*fences)[NVFIFO_PROG_NAME_MAX];
	size_t fence_count;
};

/* Limits of the address space without a card; the driver has the same on every chip */
#define NVFIFO_PROG_VA_START	0x10000ULL
#define NVFIFO_PROG_VA_END	0xffe0000000ULL

/**
 * nvfifo_prog_read() - Read a program
 * @text: the program
 * @len: its length, bytes
 * @va_start: first virtual address that the card takes
 * @va_end: first one above
 * @prog: out: the program, to be freed with nvfifo_prog_free(); cleared on error
 * @diag: out: on -EINVAL, where and why
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int nvfifo_prog_read(const char *text, size_t len, __u64 va_start, __u64 va_end,
		     struct nvfifo_prog *prog, struct nvfifo_diag *diag);
void nvfifo_prog_free(struct nvfifo_prog *prog);

/**
 * nvfifo_prog_map_error() - Find an attribute with which a buffer cannot be mapped
 * @prog: the program; its requirements count as met
 * @buffer: one of its buffers
 * @chipset: chipset id, 0 for any card
 *
 * Return: NULL, or the attribute that is wrong and why, in words.
 */
const char *nvfifo_prog_map_error(const struct nvfifo_prog *prog,
				  const struct nvfifo_prog_buffer *buffer, __u32 chipset);

/**
 * nvfifo_prog_object_error() - Find an attribute with which a DMA object cannot be made
 * @prog: the program; its requirements count as met
 * @object: one of its objects
 * @chipset: chipset id, 0 for any card
 *
 * Return: NULL, or the attribute that is wrong and why, in words.
 */
const char *nvfifo_prog_object_error(const struct nvfifo_prog *prog,
				     const struct nvfifo_prog_object *object, __u32 chipset);

/**
 * nvfifo_prog_column() - Find the argument of a line that an error is about
 * @text: the program
 * @len: its length
 * @line: the line, from 1
 * @error: result of nvfifo_prog_map_error() or nvfifo_prog_object_error()
 *
 * Return: the column of the attribute, from 1; 1 if the line does not name it.
 */
unsigned int nvfifo_prog_column(const char *text, size_t len, unsigned int line,
				const char *error);

/* Get an object's class on a chipset. With chipset 0, "3D" is that of the first chipset. */
__u32 nvfifo_prog_class(const struct nvfifo_prog_object *object, __u32 chipset);

#ifdef __cplusplus
}
#endif

#endif
