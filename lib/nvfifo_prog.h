/* SPDX-License-Identifier: MIT */
/*
 * Text programs (*.nvp): buffers, an address-space layout, channels, objects,
 * pushbuffers, submissions, and what memory must hold afterwards. The format is
 * described in nvfifo_prog.c and, for people, in examples/README.md.
 *
 * This is only the reader. It needs no card; "nvfifo run" does what it says.
 */
#ifndef NVFIFO_PROG_H
#define NVFIFO_PROG_H

#include "nvfifo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVFIFO_PROG_NAME_MAX	32	/* bytes of a name with its final zero */
#define NVFIFO_PROG_BUFFERS	256	/* most buffers of a program */
#define NVFIFO_PROG_CHANNELS	126	/* most channels: as many as a card has */
#define NVFIFO_PROG_AFTER	8	/* most fences a submission can wait for */
#define NVFIFO_PROG_PIXELS	8192	/* most pixels of an image's side */

enum nvfifo_prog_mapping {
	NVFIFO_PROG_MAP_AUTO,	/* the reader chooses the address */
	NVFIFO_PROG_MAP_FIXED,
	NVFIFO_PROG_MAP_NONE,
};

/**
 * struct nvfifo_prog_buffer - A buffer
 * @name: name; "(push)" is the reader's own, for pushbuffers
 * @size: bytes
 * @domain: enum drm_nvfifo_domain
 * @bo_flags: enum drm_nvfifo_bo_flags
 * @mapping: enum nvfifo_prog_mapping
 * @va: virtual address, if it is mapped
 * @flags: enum drm_nvfifo_vm_bind_op_flags
 * @page_shift: 0, 12, 14 or 16
 * @kind: storage type
 * @compression: enum drm_nvfifo_compression
 * @line: line in the text, 1 for the reader's own
 */
struct nvfifo_prog_buffer {
	char name[NVFIFO_PROG_NAME_MAX];
	__u64 size;
	__u32 domain;
	__u32 bo_flags;
	enum nvfifo_prog_mapping mapping;
	__u64 va;
	__u32 flags;
	__u32 page_shift;
	__u32 kind;
	__u32 compression;
	unsigned int line;
};

/* Words that @buffer holds at @offset before the run. */
struct nvfifo_prog_fill {
	unsigned int buffer;
	__u64 offset;
	size_t first;		/* in nvfifo_prog.words */
	size_t count;
};

struct nvfifo_prog_channel {
	char name[NVFIFO_PROG_NAME_MAX];
	__u32 ring_order;	/* 0 is the default */
};

/**
 * struct nvfifo_prog_object - An object
 * @channel: index, or -1 for every channel
 * @handle: its name in methods
 * @oclass: class
 * @engine: an engine's object, not a DMA object
 * @any_3d: of the 3D class that the card has, see nvfifo_prog_class()
 * @access: enum drm_nvfifo_object_access
 * @flags: enum drm_nvfifo_object_flags
 * @start: first virtual address of a DMA object
 * @size: bytes of it
 */
struct nvfifo_prog_object {
	int channel;
	__u32 handle;
	__u32 oclass;
	bool engine;
	bool any_3d;
	__u32 access;
	__u32 flags;
	__u64 start;
	__u64 size;
};

enum nvfifo_prog_format {
	NVFIFO_PROG_X8R8G8B8,
	NVFIFO_PROG_R5G6B5,
	NVFIFO_PROG_R8,
};

/* A picture, to be written as a file if "nvfifo run" is told where. */
struct nvfifo_prog_image {
	char name[NVFIFO_PROG_NAME_MAX];
	enum nvfifo_prog_format format;
	__u32 width;		/* pixels */
	__u32 height;
	__u32 pitch;		/* bytes from line to line */
};

/* A pushbuffer: @words at @offset of @buffer. */
struct nvfifo_prog_push {
	char name[NVFIFO_PROG_NAME_MAX];
	bool placed;		/* by the program, not by the reader */
	unsigned int buffer;
	__u64 offset;
	unsigned int line;
	struct nvfifo_words words;
};

struct nvfifo_prog_entry {
	unsigned int push;
	__u32 flags;		/* enum drm_nvfifo_entry_flags */
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
};

/**
 * struct nvfifo_prog_step - One thing to do, in the order of the text
 * @type: what
 * @line: line in the text
 * @channel: index (SUBMIT, REF, DEAD)
 * @fence: index, or -1 (SUBMIT, WAIT, PENDING)
 * @after: fences that a SUBMIT waits for
 * @after_count: how many
 * @first: first entry (SUBMIT) or word (EXPECT, POLL), index of an image (IMAGE)
 * @count: entries or words; words to show (SHOW); bytes (SAME, CRC)
 * @buffer: of the place in memory
 * @offset: of the place in memory, bytes
 * @buffer2: of the second place (ORDER, SAME)
 * @offset2: of the second place
 * @value: REF's value, milliseconds (PENDING), error code (DEAD), CRC-32
 * @error: enum drm_nvfifo_channel_error (DEAD), NONE for any
 * @has_code: @value is to be compared (DEAD)
 * @detail: error detail (DEAD)
 * @has_detail: @detail is to be compared (DEAD)
 */
struct nvfifo_prog_step {
	enum nvfifo_prog_step_type type;
	unsigned int line;
	unsigned int channel;
	int fence;
	unsigned int after[NVFIFO_PROG_AFTER];
	unsigned int after_count;
	size_t first;
	size_t count;
	unsigned int buffer;
	__u64 offset;
	unsigned int buffer2;
	__u64 offset2;
	__u64 value;
	__u32 error;
	bool has_code;
	__u32 detail;
	bool has_detail;
};

/**
 * struct nvfifo_prog - A program
 * @title: its title, "" if it has none
 * @requires_features: DRM_NVFIFO_FEATURE_* that the card must have
 * @words: words of fills, EXPECT and POLL
 * @buffers: buffers, the reader's own last
 * @buffer_count: how many
 * @fills: contents before the run
 * @fill_count: how many
 * @channels: channels
 * @channel_count: how many
 * @objects: objects
 * @object_count: how many
 * @pushes: pushbuffers
 * @push_count: how many
 * @entries: IB entries of all submissions
 * @entry_count: how many
 * @images: pictures
 * @image_count: how many
 * @steps: what to do, in order
 * @step_count: how many
 * @fences: names of the submissions' fences, "#N" for those without one
 * @fence_count: how many
 */
struct nvfifo_prog {
	char title[128];
	__u64 requires_features;
	struct nvfifo_words words;
	struct nvfifo_prog_buffer *buffers;
	size_t buffer_count;
	struct nvfifo_prog_fill *fills;
	size_t fill_count;
	struct nvfifo_prog_channel *channels;
	size_t channel_count;
	struct nvfifo_prog_object *objects;
	size_t object_count;
	struct nvfifo_prog_push *pushes;
	size_t push_count;
	struct nvfifo_prog_entry *entries;
	size_t entry_count;
	struct nvfifo_prog_image *images;
	size_t image_count;
	struct nvfifo_prog_step *steps;
	size_t step_count;
	char (*fences)[NVFIFO_PROG_NAME_MAX];
	size_t fence_count;
};

/* What the address space looks like when no card was asked. */
#define NVFIFO_PROG_VA_START	0x10000ULL
#define NVFIFO_PROG_VA_END	(1ULL << 40)

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

/* An object's class on a chipset; of "3D", with chipset 0, it is the first one's. */
__u32 nvfifo_prog_class(const struct nvfifo_prog_object *object, __u32 chipset);

#ifdef __cplusplus
}
#endif

#endif
