/* SPDX-License-Identifier: MIT */
/*
 * Reader of the driver's dumps (devcoredump, and nvfifo_dump of debugfs).
 *
 * A dump is text; the first word of a line is its kind:
 *
 *	nvfifo dump 1
 *	card 0000:01:00.0 chipset 84 boot0 084300a2 vram 268435456
 *	kernel 6.12.117 machine x86_64
 *	counters timeouts 0 errors 1 submits 5 vram_free 262144000
 *	wedged ok
 *	reg 002500 00000001
 *	fault 0020225800 inst 00105000 engine 5 reason 2 client 08 slot 01 write
 *	channel 1 state dead mode ib queue kernel inst 00105000 error 1 code 00000004 ...
 *
 * More lines belong to the channel above them: pos, ramfc, ramht, object, ring, ib,
 * segment, skip, data, vm, mapping, pde and pte. The last lines are bo and end.
 * Numbers are hexadecimal but for ids, sizes and indices.
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

/**
 * struct nvfifo_coredump_fault - A record of the MMU
 * @address: virtual
 * @inst: channel structure that it is about
 * @engine: VM engine
 * @reason: why
 * @client: client of the engine
 * @slot: DMA slot
 * @write: a write, else a read
 */
struct nvfifo_coredump_fault {
	__u64 address;
	__u64 inst;
	__u32 engine;
	__u32 reason;
	__u32 client;
	__u32 slot;
	bool write;
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

/**
 * struct nvfifo_coredump_segment - Words of the pushbuffer
 * @ib: it belongs to the IB entry @index, else it is a piece of NV04's linear buffer
 * @index: IB entry
 * @va: of the segment's first word, whether it is in @data or not
 * @words: how many the segment has
 * @skip: how many of them come before the first in @data
 * @data: those that the dump has
 * @count: how many it has
 */
struct nvfifo_coredump_segment {
	bool ib;
	__u32 index;
	__u64 va;
	__u32 words;
	__u32 skip;
	__u32 *data;
	size_t count;
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

/**
 * struct nvfifo_coredump_channel - A channel
 * @id: PFIFO's number
 * @dead: an error killed it
 * @dma: NV04's mode, else IB mode
 * @user: its owner rings the doorbell
 * @inst: VRAM address of its structure
 * @error: enum drm_nvfifo_channel_error
 * @code: as CHANNEL_QUERY's error_code
 * @detail: as error_detail
 * @method: as error_method
 * @data: as error_data
 * @err: errno of its fences
 * @has_pos: the rest of the position is valid
 * @get: address that the pusher reads next
 * @put: end of the segment
 * @mget: end of the last read from a main buffer
 * @mput: as the dump has it
 * @state: DMA_STATE
 * @ib_get: next entry that the pusher reads
 * @ib_put: next entry that is written
 * @ref: reference counter
 * @ramfc: RAMFC
 * @ramfc_known: bit n: word n of it is in the dump
 * @ramht: occupied slots of RAMHT
 * @ramht_count: their number
 * @objects: objects in the channel structure
 * @object_count: their number
 * @ring: address of the IB ring, 0 if there is none
 * @ring_order: log2 of its entries
 * @ibs: entries of the ring
 * @ib_count: their number
 * @segments: pushbuffer
 * @segment_count: their number
 * @has_vm: the rest is valid
 * @vm: number of the address space
 * @mappings: the mapping, as the dump has it
 * @mapping_count: their number
 * @pdes: page directory
 * @pde_count: their number
 * @ptes: page tables
 * @pte_count: their number
 */
struct nvfifo_coredump_channel {
	__u32 id;
	bool dead;
	bool dma;
	bool user;
	__u64 inst;
	__u32 error;
	__u32 code;
	__u32 detail;
	__u32 method;
	__u32 data;
	__s32 err;
	bool has_pos;
	__u64 get;
	__u64 put;
	__u64 mget;
	__u64 mput;
	__u32 state;
	__u32 ib_get;
	__u32 ib_put;
	__u32 ref;
	__u32 ramfc[NVFIFO_COREDUMP_RAMFC_WORDS];
	__u64 ramfc_known;
	struct nvfifo_coredump_ramht *ramht;
	size_t ramht_count;
	struct nvfifo_coredump_object *objects;
	size_t object_count;
	__u64 ring;
	__u32 ring_order;
	struct nvfifo_coredump_ib *ibs;
	size_t ib_count;
	struct nvfifo_coredump_segment *segments;
	size_t segment_count;
	bool has_vm;
	__u32 vm;
	struct nvfifo_coredump_mapping *mappings;
	size_t mapping_count;
	struct nvfifo_coredump_pde *pdes;
	size_t pde_count;
	struct nvfifo_coredump_pte *ptes;
	size_t pte_count;
};

#define NVFIFO_COREDUMP_PROBLEMS	32

/**
 * struct nvfifo_coredump - A dump
 * @version: of its format
 * @card: name of the device
 * @kernel: release of the kernel that wrote it
 * @machine: and its processor
 * @chipset: id, 0 if unknown
 * @boot_0: PMC_BOOT_0
 * @vram: bytes
 * @wedged: "ok", "lost", "stuck" or ""
 * @has_counters: the next four are valid
 * @timeouts: waits for the card that ran out
 * @errors: error interrupts
 * @submits: submissions
 * @vram_free: bytes
 * @complete: the line "end" was there
 * @cut: the driver truncated the dump
 * @regs: registers
 * @reg_count: their number
 * @faults: faults, each of the channel with that structure
 * @fault_count: their number
 * @channels: the channels
 * @channel_count: their number
 * @bos: buffers of the card
 * @bo_count: their number
 * @problems: the first lines with an error, and the reasons
 * @problem_count: how many there were
 * @unknown: lines of an unknown kind, which are no problem
 */
struct nvfifo_coredump {
	__u32 version;
	char card[64];
	char kernel[64];
	char machine[32];
	__u32 chipset;
	__u32 boot_0;
	__u64 vram;
	char wedged[16];
	bool has_counters;
	__u64 timeouts;
	__u64 errors;
	__u64 submits;
	__u64 vram_free;
	bool complete;
	bool cut;
	struct nvfifo_coredump_reg *regs;
	size_t reg_count;
	struct nvfifo_coredump_fault *faults;
	size_t fault_count;
	struct nvfifo_coredump_channel *channels;
	size_t channel_count;
	struct nvfifo_coredump_bo *bos;
	size_t bo_count;
	struct nvfifo_diag problems[NVFIFO_COREDUMP_PROBLEMS];
	size_t problem_count;
	size_t unknown;
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

/**
 * struct nvfifo_coredump_walk - Translation of an address
 * @present: there is a page
 * @reason: if not, enum nvfifo_fault_reason
 * @pde: the page directory's entry, or NULL
 * @pte: the run of entries that the page is in, or NULL
 * @index: of the entry in its table
 * @linear: address in memory, of a present page
 */
struct nvfifo_coredump_walk {
	bool present;
	__u32 reason;
	const struct nvfifo_coredump_pde *pde;
	const struct nvfifo_coredump_pte *pte;
	__u32 index;
	__u64 linear;
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

/**
 * struct nvfifo_coredump_submission - A submission, as the driver's event submit has it
 * @channel: PFIFO's number of the channel
 * @ib_put: IB_PUT after the submission
 * @entries: entries of the ring that the program gave, before the driver's own one
 */
struct nvfifo_coredump_submission {
	__u32 channel;
	__u32 ib_put;
	__u32 entries;
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

/**
 * struct nvfifo_coredump_blame - Place of the failing word
 * @segment: number of the segment with the failing word, or NVFIFO_COREDUMP_NONE; if the error is
 *	not about a word, the puller's segment
 * @word: its number in the segment's data
 * @va: its address
 * @matches: number of words that may have failed; @word is the likeliest
 * @stale: the dump has another word there than @seen, which the card read
 * @seen: the word that the card refused
 * @get_segment: segment in which GET is, or NVFIFO_COREDUMP_NONE
 * @get_word: word in its data that GET is at; may be the one after its last
 * @ib: number of the failing IB entry, or NVFIFO_COREDUMP_NONE
 */
struct nvfifo_coredump_blame {
	size_t segment;
	size_t word;
	__u64 va;
	unsigned int matches;
	bool stale;
	__u32 seen;
	size_t get_segment;
	size_t get_word;
	size_t ib;
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
