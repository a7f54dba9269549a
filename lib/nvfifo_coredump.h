/* SPDX-License-Identifier: MIT */
/*
 * Reader of the driver's dumps (devcoredump, and nvfifo_dump of debugfs).
 *
 * A dump is text; the first word of a line is its kind. Documentation/debugfs.rst describes the lines.
 */
#ifndef NVFIFO_COREDUMP_H
#define NVFIFO_COREDUMP_H

#include "nvfifo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVFIFO_COREDUMP_LABEL	64
#define NVFIFO_COREDUMP_NONE	(~(size_t)0)

struct nvfifo_coredump_reg {
	__u32 address;
	__u32 value;
};

/* A record of the MMU */
struct nvfifo_coredump_fault {
	__u64 address;	/* virtual */
	__u64 inst;	/* channel structure that it is about */
	__u32 engine;	/* VM engine */
	__u32 reason;	/* why */
	__u32 client;	/* client of the engine */
	__u32 slot;	/* DMA slot */
	bool write;	/* a write, else a read */
};

struct nvfifo_coredump_ramht {
	__u32 slot;
	__u32 handle;
	__u32 context;
};

#define NVFIFO_COREDUMP_OBJECT_WORDS	8

struct nvfifo_coredump_object {
	__u32 offset;	/* in the channel structure */
	__u32 count;
	__u32 words[NVFIFO_COREDUMP_OBJECT_WORDS];
};

struct nvfifo_coredump_ib {
	__u32 index;
	__u32 words[2];
};

/* Words of the pushbuffer */
struct nvfifo_coredump_segment {
	/* it belongs to the IB entry @index, else it is a piece of NV04's linear buffer */
	bool ib;
	__u32 index;	/* IB entry */
	__u64 va;	/* of the segment's first word, whether it is in @data or not */
	__u32 words;	/* how many the segment has */
	__u32 skip;	/* how many of them come before the first in @data */
	__u32 *data;	/* those that the dump has */
	size_t count;	/* how many it has */
};

struct nvfifo_coredump_mapping {
	__u64 first;
	__u64 last;
	__u64 offset;	/* in the buffer */
	__u32 kind;
	__u32 comp;
	bool vram;
	bool read_only;
	bool supervisor;
	bool long_cycle;
	bool encrypted;
	bool nosnoop;
	char label[NVFIFO_COREDUMP_LABEL];
};

struct nvfifo_coredump_pde {
	__u32 index;
	__u64 value;
};

/* A run of page table entries that continue each other, with the value of the first. */
struct nvfifo_coredump_pte {
	__u64 first;
	__u64 last;
	__u64 value;
};

struct nvfifo_coredump_bo {
	__u64 bytes;
	__u64 tags;
	bool vram;
	char flags[16];
	char label[NVFIFO_COREDUMP_LABEL];
};

#define NVFIFO_COREDUMP_RAMFC_WORDS	64

/* A channel */
struct nvfifo_coredump_channel {
	__u32 id;				/* PFIFO's number */
	bool dead;				/* an error killed it */
	bool dma;				/* NV04's mode, else IB mode */
	bool user;				/* its owner rings the doorbell */
	__u64 inst;				/* VRAM address of its structure */
	__u32 error;				/* enum drm_nvfifo_channel_error */
	__u32 code;				/* as CHANNEL_QUERY's error_code */
	__u32 detail;				/* as error_detail */
	__u32 method;				/* as error_method */
	__u32 data;				/* as error_data */
	__s32 err;				/* errno of its fences */
	bool has_pos;				/* the rest of the position is valid */
	__u64 get;				/* address that the pusher reads next */
	__u64 put;				/* end of the segment */
	__u64 mget;				/* end of the last read from a main buffer */
	__u64 mput;				/* as the dump has it */
	__u32 state;				/* DMA_STATE */
	__u32 ib_get;				/* next entry that the pusher reads */
	__u32 ib_put;				/* next entry that is written */
	__u32 ref;				/* reference counter */
	__u32 ramfc[NVFIFO_COREDUMP_RAMFC_WORDS];	/* RAMFC */
	__u64 ramfc_known;			/* bit n: word n of it is in the dump */
	struct nvfifo_coredump_ramht *ramht;	/* occupied slots of RAMHT */
	size_t ramht_count;
	struct nvfifo_coredump_object *objects;	/* objects in the channel structure */
	size_t object_count;
	__u64 ring;				/* address of the IB ring, 0 if there is none */
	__u32 ring_order;			/* log2 of its entries */
	struct nvfifo_coredump_ib *ibs;		/* entries of the ring */
	size_t ib_count;
	struct nvfifo_coredump_segment *segments;	/* pushbuffer */
	size_t segment_count;
	bool has_vm;				/* the rest is valid */
	__u32 vm;				/* number of the address space */
	struct nvfifo_coredump_mapping *mappings;	/* the mapping, as the dump has it */
	size_t mapping_count;
	struct nvfifo_coredump_pde *pdes;	/* page directory */
	size_t pde_count;
	struct nvfifo_coredump_pte *ptes;	/* page tables */
	size_t pte_count;
};

#define NVFIFO_COREDUMP_PROBLEMS	32

/* A dump */
struct nvfifo_coredump {
	__u32 version;		/* of its format */
	char card[64];		/* name of the device */
	char kernel[64];	/* release of the kernel that wrote it */
	char machine[32];	/* and its processor */
	__u32 chipset;		/* id, 0 if unknown */
	__u32 boot_0;		/* PMC_BOOT_0 */
	__u64 vram;		/* bytes */
	char wedged[16];	/* "ok", "lost", "stuck" or "" */
	bool has_counters;	/* the next four are valid */
	__u64 timeouts;		/* waits for the card that ran out */
	__u64 errors;		/* error interrupts */
	__u64 submits;		/* submissions */
	__u64 vram_free;	/* bytes */
	bool complete;		/* the line "end" was there */
	bool cut;		/* the driver truncated the dump */
	struct nvfifo_coredump_reg *regs;
	size_t reg_count;
	/* faults, each of the channel with that structure */
	struct nvfifo_coredump_fault *faults;
	size_t fault_count;
	struct nvfifo_coredump_channel *channels;
	size_t channel_count;
	struct nvfifo_coredump_bo *bos;	/* buffers of the card */
	size_t bo_count;
	/* the first lines with an error, and the reasons */
	struct nvfifo_diag problems[NVFIFO_COREDUMP_PROBLEMS];
	size_t problem_count;	/* how many there were */
	size_t unknown;		/* lines of an unknown kind, which are no problem */
};

/**
 * nvfifo_coredump_read() - Read a dump
 * @text: the text
 * @len: its length
 * @dump: out: the parsed dump, for nvfifo_coredump_free()
 *
 * Takes all lines that it understands, also of a dump that is damaged or ends too early.
 *
 * Return: 0, -EINVAL if it is no dump of the driver, -ENOMEM.
 */
int nvfifo_coredump_read(const char *text, size_t len, struct nvfifo_coredump *dump);
void nvfifo_coredump_free(struct nvfifo_coredump *dump);

/* True if the text begins like a dump. */
bool nvfifo_coredump_detect(const char *text, size_t len);

/* The fault that a channel's error came with, or NULL. */
const struct nvfifo_coredump_fault *
nvfifo_coredump_channel_fault(const struct nvfifo_coredump *dump,
			      const struct nvfifo_coredump_channel *c);

/* The object that a RAMHT entry leads to, or NULL; the entry of a handle, or NULL. */
const struct nvfifo_coredump_object *
nvfifo_coredump_object(const struct nvfifo_coredump_channel *c, __u32 offset);
const struct nvfifo_coredump_ramht *
nvfifo_coredump_handle(const struct nvfifo_coredump_channel *c, __u32 handle);

/**
 * nvfifo_coredump_ramfc() - Get a word of RAMFC
 * @c: channel
 * @offset: enum nvfifo_ramfc_offset
 * @value: out
 *
 * Return: whether the dump has it.
 */
bool nvfifo_coredump_ramfc(const struct nvfifo_coredump_channel *c, __u32 offset, __u32 *value);

/* Translation of an address */
struct nvfifo_coredump_walk {
	bool present;				/* there is a page */
	__u32 reason;				/* if not, enum nvfifo_fault_reason */
	const struct nvfifo_coredump_pde *pde;	/* the page directory's entry, or NULL */
	/* the run of entries that the page is in, or NULL */
	const struct nvfifo_coredump_pte *pte;
	__u32 index;	/* of the entry in its table */
	__u64 linear;	/* address in memory, of a present page */
};

void nvfifo_coredump_walk(const struct nvfifo_coredump_channel *c, __u64 va,
			  struct nvfifo_coredump_walk *w);

/**
 * nvfifo_coredump_mapping() - Find the mapping of an address
 * @c: channel
 * @va: address
 * @below: out: if there is none, the nearest below, or NULL
 * @above: out: and above
 *
 * Return: the mapping, or NULL.
 */
const struct nvfifo_coredump_mapping *
nvfifo_coredump_mapping(const struct nvfifo_coredump_channel *c, __u64 va,
			const struct nvfifo_coredump_mapping **below,
			const struct nvfifo_coredump_mapping **above);

/**
 * typedef nvfifo_coredump_word_fn - Gets the words of a channel's segments, decoded
 * @ctx: caller's pointer
 * @segment: number of the segment in the channel
 * @word: number of the word in the segment's data
 * @w: the word, decoded
 * @known: false for words at the begin of a window whose command began before it
 *
 * Return: 0 to go on.
 */
typedef int (*nvfifo_coredump_word_fn)(void *ctx, size_t segment, size_t word,
				       const struct nvfifo_word *w, bool known);

/* The format of a channel's words. */
enum nvfifo_format nvfifo_coredump_format(const struct nvfifo_coredump_channel *c);

/**
 * nvfifo_coredump_decode() - Decode the pushbuffer of a channel
 * @dump: dump
 * @c: one of its channels
 * @fn: called for each word, in order; the state goes on from segment to segment
 * @ctx: for @fn
 *
 * Return: 0, or the result of @fn.
 */
int nvfifo_coredump_decode(const struct nvfifo_coredump *dump,
			   const struct nvfifo_coredump_channel *c, nvfifo_coredump_word_fn fn,
			   void *ctx);

/* A submission, as the driver's event submit has it */
struct nvfifo_coredump_submission {
	__u32 channel;	/* PFIFO's number of the channel */
	__u32 ib_put;	/* IB_PUT after the submission */
	__u32 entries;	/* entries of the ring that the program gave, before the driver's own one */
};

/**
 * typedef nvfifo_coredump_found_fn - Gets the words of a submission, decoded
 * @ctx: caller's pointer
 * @va: address of the word
 * @w: the word
 */
typedef void (*nvfifo_coredump_found_fn)(void *ctx, __u64 va, const struct nvfifo_word *w);

/**
 * nvfifo_coredump_find() - Find the words of a submission
 * @dump: dump
 * @s: the submission
 * @dead: the dump is that of a dead channel
 * @fn: called for each word, in order
 * @ctx: for @fn
 *
 * Later submissions overwrite the entries of the ring, and the number of a dead channel is used again.
 * With @dead only the last submission of a dead channel is found.
 *
 * Return: number of words, 0 if the dump does not have them.
 */
size_t nvfifo_coredump_find(const struct nvfifo_coredump *dump,
			    const struct nvfifo_coredump_submission *s, bool dead,
			    nvfifo_coredump_found_fn fn, void *ctx);

/* Place of the failing word */
struct nvfifo_coredump_blame {
	/*
	 * number of the segment with the failing word, or NVFIFO_COREDUMP_NONE; if the error is not
	 * about a word, the puller's segment
	 */
	size_t segment;
	size_t word;	/* its number in the segment's data */
	__u64 va;	/* its address */
	unsigned int matches;	/* number of words that may have failed; @word is the likeliest */
	bool stale;	/* the dump has another word there than @seen, which the card read */
	__u32 seen;	/* the word that the card refused */
	size_t get_segment;	/* segment in which GET is, or NVFIFO_COREDUMP_NONE */
	size_t get_word;	/* word in its data that GET is at; may be the one after its last */
	size_t ib;	/* number of the failing IB entry, or NVFIFO_COREDUMP_NONE */
};

void nvfifo_coredump_blame(const struct nvfifo_coredump *dump,
			   const struct nvfifo_coredump_channel *c,
			   struct nvfifo_coredump_blame *b);

/**
 * nvfifo_coredump_line() - Write the error of a channel as the driver logs it
 * @dump: dump
 * @c: one of its channels
 * @buf: out: a line for nvfifo_explain(), or ""
 * @size: its size
 */
void nvfifo_coredump_line(const struct nvfifo_coredump *dump,
			  const struct nvfifo_coredump_channel *c, char *buf, size_t size);

/**
 * nvfifo_coredump_unit_line() - Write a unit of PGRAPH that has trapped as the driver logs it
 * @dump: The dump.
 * @c: One of its channels.
 * @unit: In: 0 for the first line. Out: for the next one.
 * @buf: The line, without the names of classes and methods.
 * @size: Its size; 400 is enough.
 *
 * Return: false if there is no further line.
 */
bool nvfifo_coredump_unit_line(const struct nvfifo_coredump *dump,
			       const struct nvfifo_coredump_channel *c, unsigned int *unit,
			       char *buf, size_t size);

/**
 * nvfifo_coredump_fault_line() - Write a VM fault as the driver logs it
 * @dump: dump
 * @f: one of its faults
 * @buf: out: a line for nvfifo_explain()
 * @size: its size
 */
void nvfifo_coredump_fault_line(const struct nvfifo_coredump *dump,
				const struct nvfifo_coredump_fault *f, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif
