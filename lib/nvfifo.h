/* SPDX-License-Identifier: MIT */
/*
 * libnvfifo: device calls, decoder, assembler and text programs for nvfifo.
 *
 * Functions that can fail return 0 or a negative errno; nvfifo_last_error() then returns a sentence
 * for the user. Addresses, sizes and offsets are bytes.
 *
 * A struct nvfifo_dev may be used by several threads at once, as the kernel takes
 * the locks. All other objects belong to one thread at a time.
 * The last error is kept per thread.
 */
#ifndef NVFIFO_H
#define NVFIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvfifo_drm.h"
#include "nvfifo_command.h"
#include "nvfifo_fmt_user.h"
#include "nvfifo_push.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Errors -------------------------------------------------------------- */

/**
 * nvfifo_last_error() - Get the reason why the last call of this thread failed
 *
 * Return: a sentence without newline, never NULL; valid until the next failing
 * call of the same thread.
 */
const char *nvfifo_last_error(void);

/**
 * struct nvfifo_diag - Place of an error in a text, and its reason
 * @line: line, from 1
 * @column: column, from 1, in bytes
 * @text: the value found and the value expected
 */
struct nvfifo_diag {
	unsigned int line;
	unsigned int column;
	char text[240];
};

/* --- Device -------------------------------------------------------------- */

struct nvfifo_dev;

/**
 * nvfifo_open() - Open a card, or a model of one
 * @name: "/dev/dri/renderD128"; a PCI address such as "0000:01:00.0" or "01:00.0"; "model:g84" for
 *	a new card of the model in this process; or NULL for the first card that the nvfifo driver
 *	has, and if there is none for the model that the environment variable NVFIFO_MODEL names
 * @dev: out: the device
 *
 * The model comes from libnvfifo-model.so.0, which is loaded when it is asked for. Its time passes
 * during the calls only, and one thread at a time may use its devices. It has no file descriptor:
 * nvfifo_fd() returns -1. Calls that share with other drivers or processes are -EOPNOTSUPP.
 *
 * Return: 0, -ENOMEM, or the errno of open(). -ENODEV: there is no such card, or another driver has
 * it. -EINVAL: the name has no form above, or the chipset is unknown.
 */
int nvfifo_open(const char *name, struct nvfifo_dev **dev);
void nvfifo_close(struct nvfifo_dev *dev);

/* Get the open file, the path of the node, and the PCI address ("" if unknown). */
int nvfifo_fd(const struct nvfifo_dev *dev);
const char *nvfifo_path(const struct nvfifo_dev *dev);
const char *nvfifo_pci_address(const struct nvfifo_dev *dev);

/**
 * nvfifo_driver_version() - Get the version of the kernel driver
 * @dev: device
 * @version: out: major, minor, patch level
 */
int nvfifo_driver_version(struct nvfifo_dev *dev, int version[3]);

int nvfifo_query_device(struct nvfifo_dev *dev, struct drm_nvfifo_query_device *q);
int nvfifo_query_limits(struct nvfifo_dev *dev, struct drm_nvfifo_query_limits *q);
int nvfifo_query_time(struct nvfifo_dev *dev, struct drm_nvfifo_query_time *q);

/**
 * struct nvfifo_bo - A buffer
 * @handle: GEM handle
 * @domain: enum drm_nvfifo_domain
 * @size: bytes, as rounded by the kernel
 * @mmap_offset: for mmap() of the device file
 * @map: the CPU's mapping, or NULL
 */
struct nvfifo_bo {
	__u32 handle;
	__u32 domain;
	__u64 size;
	__u64 mmap_offset;
	void *map;
};

/**
 * nvfifo_bo_create() - Make a buffer of zeroed memory
 * @dev: device
 * @size: bytes, not 0
 * @domain: DRM_NVFIFO_DOMAIN_SYSTEM or DRM_NVFIFO_DOMAIN_VRAM
 * @flags: enum drm_nvfifo_bo_flags
 * @bo: out: the buffer
 */
int nvfifo_bo_create(struct nvfifo_dev *dev, __u64 size, __u32 domain, __u32 flags,
		     struct nvfifo_bo *bo);
int nvfifo_bo_info(struct nvfifo_dev *dev, const struct nvfifo_bo *bo,
		   struct drm_nvfifo_bo_info *info);

/* Name the buffer in debugfs and dumps; an empty name removes the label. */
int nvfifo_bo_label(struct nvfifo_dev *dev, const struct nvfifo_bo *bo, const char *label);

/* Map for the CPU; -EOPNOTSUPP or the like for VRAM without FEATURE_VRAM_MMAP. */
int nvfifo_bo_map(struct nvfifo_dev *dev, struct nvfifo_bo *bo);
void nvfifo_bo_unmap(struct nvfifo_bo *bo);

/* Unmap and close the handle; @bo is cleared. */
int nvfifo_bo_close(struct nvfifo_dev *dev, struct nvfifo_bo *bo);

int nvfifo_vm_create(struct nvfifo_dev *dev, __u32 *vm);
int nvfifo_vm_destroy(struct nvfifo_dev *dev, __u32 vm);

/**
 * nvfifo_vm_bind() - Map and unmap, all or nothing
 * @dev: device
 * @vm: address space
 * @ops: operations, in order
 * @count: their number
 */
int nvfifo_vm_bind(struct nvfifo_dev *dev, __u32 vm, const struct drm_nvfifo_vm_bind_op *ops,
		   __u32 count);

/**
 * nvfifo_vm_bind_async() - Map and unmap when fences have signalled
 * @dev: device
 * @vm: address space
 * @ops: operations, in order
 * @count: their number
 * @syncs: syncs to wait for and to signal, may be NULL
 * @nsyncs: their number
 */
int nvfifo_vm_bind_async(struct nvfifo_dev *dev, __u32 vm,
			 const struct drm_nvfifo_vm_bind_op *ops, __u32 count,
			 const struct drm_nvfifo_sync *syncs, __u32 nsyncs);

/* Map a whole buffer at @va; @flags are enum drm_nvfifo_vm_bind_op_flags. */
int nvfifo_vm_map(struct nvfifo_dev *dev, __u32 vm, const struct nvfifo_bo *bo, __u64 va,
		  __u32 flags, __u32 page_shift);
int nvfifo_vm_unmap(struct nvfifo_dev *dev, __u32 vm, __u64 va, __u64 range);

/**
 * nvfifo_channel_create() - Make a channel
 * @dev: device
 * @vm: address space it works in
 * @ring_order: log2 of the IB ring's entries, 0 for the default
 * @channel: out: the channel
 */
int nvfifo_channel_create(struct nvfifo_dev *dev, __u32 vm, __u32 ring_order, __u32 *channel);

/* Make a channel with all attributes, see drm_nvfifo_channel_create; sets @c->id. */
int nvfifo_channel_create_with(struct nvfifo_dev *dev, struct drm_nvfifo_channel_create *c);
int nvfifo_channel_destroy(struct nvfifo_dev *dev, __u32 channel);
int nvfifo_channel_query(struct nvfifo_dev *dev, __u32 channel,
			 struct drm_nvfifo_channel_query *q);

/**
 * nvfifo_channel_wait() - Sleep until the channel's commands have written a word
 * @dev: device
 * @channel: channel
 * @word: in a buffer of system memory, mapped; a multiple of 4
 * @value: wait until the word is this or past it, as a signed difference
 * @timeout_ns: time limit, ns from now; negative: no limit
 *
 * The commands must raise an interrupt after the write: NOTIFY_INTR on G84 and
 * later, on G80 binding object 0x80000001.
 *
 * Return: 0, -ETIME, -ECANCELED if the channel is dead, or another -errno.
 */
int nvfifo_channel_wait(struct nvfifo_dev *dev, __u32 channel, const volatile __u32 *word,
			__u32 value, __s64 timeout_ns);

/* Words of the control page of a user queue, bytes. */
#define NVFIFO_CONTROL_BYTES	0x1000
#define NVFIFO_CONTROL_DMA_PUT	0x40
#define NVFIFO_CONTROL_DMA_GET	0x44
#define NVFIFO_CONTROL_REF	0x48
#define NVFIFO_CONTROL_IB_GET	0x88
#define NVFIFO_CONTROL_IB_PUT	0x8c

/**
 * nvfifo_channel_map_control() - Map the control page of a user queue
 * @dev: device
 * @c: the channel, from nvfifo_channel_create_with()
 * @control: out: NVFIFO_CONTROL_BYTES, for nvfifo_channel_unmap_control()
 *
 * Return: 0; -EINVAL if the channel is no user queue, or the errno of mmap().
 */
int nvfifo_channel_map_control(struct nvfifo_dev *dev, const struct drm_nvfifo_channel_create *c,
			       volatile __u32 **control);
void nvfifo_channel_unmap_control(volatile __u32 *control);

/**
 * union nvfifo_file_event - An event of a channel with DRM_NVFIFO_CHANNEL_EVENT
 * @base: header of each event; base.type selects the other members
 * @dead: DRM_NVFIFO_EVENT_CHANNEL_DEAD
 * @method: DRM_NVFIFO_EVENT_SOFTWARE_METHOD
 */
union nvfifo_file_event {
	struct drm_event base;
	struct drm_nvfifo_event_channel_dead dead;
	struct drm_nvfifo_event_software_method method;
};

/**
 * nvfifo_event_read_any() - Wait for an event of a channel
 * @dev: device
 * @timeout_ms: time limit; 0 does not wait, negative: no limit
 * @event: filled in
 *
 * Return: 1 with an event, 0 if the time is over, -EINTR after a signal,
 * -EPROTO for an event of neither kind, or another -errno.
 */
int nvfifo_event_read_any(struct nvfifo_dev *dev, int timeout_ms, union nvfifo_file_event *event);

/**
 * nvfifo_event_read() - Wait for a channel with DRM_NVFIFO_CHANNEL_EVENT to die
 * @dev: device
 * @timeout_ms: time limit; 0 does not wait, negative: no limit
 * @event: filled in
 *
 * For programs without software objects: an event of a method is lost.
 *
 * Return: as nvfifo_event_read_any(), -EPROTO for the event of a method.
 */
int nvfifo_event_read(struct nvfifo_dev *dev, int timeout_ms,
		      struct drm_nvfifo_event_channel_dead *event);

/**
 * nvfifo_dma_object_create() - Name a range of the address space for methods
 * @dev: device
 * @channel: channel
 * @handle: name, any value but 0
 * @oclass: 0x02 read, 0x03 write, 0x3d read and write
 * @access: enum drm_nvfifo_object_access
 * @start: first virtual address
 * @size: bytes, not 0
 */
int nvfifo_dma_object_create(struct nvfifo_dev *dev, __u32 channel, __u32 handle, __u32 oclass,
			     __u32 access, __u64 start, __u64 size);

/* Make an object of any type, with all attributes; see drm_nvfifo_object_create. */
int nvfifo_object_create(struct nvfifo_dev *dev, const struct drm_nvfifo_object_create *o);

/* Name an object of an engine's class. */
int nvfifo_engine_object_create(struct nvfifo_dev *dev, __u32 channel, __u32 handle,
				__u32 oclass);
int nvfifo_object_destroy(struct nvfifo_dev *dev, __u32 channel, __u32 handle);

/**
 * nvfifo_submit() - Queue pushbuffer segments
 * @dev: device
 * @channel: channel
 * @entries: segments, executed in order
 * @count: how many; 0 only waits and signals
 * @syncs: syncs to wait for and to signal, may be NULL
 * @nsyncs: their number
 * @seqno: out: number of this submission in its channel; may be NULL
 *
 * Return: 0; -ECANCELED if the channel is dead, and the errnos of the uapi header.
 */
int nvfifo_submit(struct nvfifo_dev *dev, __u32 channel, const struct drm_nvfifo_entry *entries,
		  __u32 count, const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno);

/*
 * Like nvfifo_submit(), but return -EAGAIN and queue nothing if the ring cannot take the entries
 * now.
 */
int nvfifo_submit_try(struct nvfifo_dev *dev, __u32 channel,
		      const struct drm_nvfifo_entry *entries, __u32 count,
		      const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno);

int nvfifo_syncobj_create(struct nvfifo_dev *dev, __u32 *handle);
int nvfifo_syncobj_destroy(struct nvfifo_dev *dev, __u32 handle);

/**
 * nvfifo_syncobj_wait() - Wait until a fence has signalled
 * @dev: device
 * @handle: syncobj
 * @point: 0, or the point of a timeline syncobj
 * @timeout_ns: time limit, ns from now; negative: no limit. It also
 *	waits for the submission that gives the syncobj its fence.
 *
 * Return: 0, -ETIME, or the errno of the call. A fence that ended with an error
 * counts as signalled: ask nvfifo_syncobj_status().
 */
int nvfifo_syncobj_wait(struct nvfifo_dev *dev, __u32 handle, __u64 point, __s64 timeout_ns);

/**
 * nvfifo_syncobj_status() - Query the state of a fence
 * @dev: device
 * @handle: syncobj, binary
 * @status: out: 1 signalled, 0 not yet, negative errno: ended with that error
 */
int nvfifo_syncobj_status(struct nvfifo_dev *dev, __u32 handle, int *status);

/* Get the signalled point of a timeline syncobj. */
int nvfifo_syncobj_point(struct nvfifo_dev *dev, __u32 handle, __u64 *point);

/* --- Names --------------------------------------------------------------- */

/**
 * nvfifo_class_name() - Get the name of an object class
 * @oclass: class, 16 bits
 *
 * Return: for instance "M2MF" for 0x5039, or NULL.
 */
const char *nvfifo_class_name(__u32 oclass);

/* Does a chipset have objects of a class? With chipset 0: does any chipset of the family? */
bool nvfifo_class_exists(__u32 chipset, __u32 oclass);

/* Get the next class above @oclass, 0 after the last one. */
__u32 nvfifo_class_next(__u32 oclass);

/**
 * nvfifo_method_name() - Get the name of a method
 * @oclass: class bound to the subchannel, 0 if unknown
 * @method: bytes
 *
 * Return: for instance "REF_CNT" for 0x50 of any class, "M2MF.LINE_COUNT" for
 * 0x320 of class 0x5039; NULL if there is no name for it. Names need no escape in JSON.
 */
const char *nvfifo_method_name(__u32 oclass, __u32 method);

/* Are the methods of a class known, so that a method without a name does not exist? */
bool nvfifo_class_has_methods(__u32 oclass);

/**
 * nvfifo_method_value() - Describe the data of a method
 * @oclass: class bound to the subchannel
 * @method: bytes
 * @data: the data word
 * @buf: out: text, zero terminated: "PITCH", "{ X = 32 | Y = 8 }", "1.000000"
 * @size: its size, not 0; longer text is cut
 *
 * The text needs no escape in JSON: it is ASCII without quotation marks and backslashes.
 *
 * Return: length of the text, 0 if the method has no name.
 */
size_t nvfifo_method_value(__u32 oclass, __u32 method, __u32 data, char *buf, size_t size);

/* Find a method by its name, in upper or lower case. Return: the method, or -1. */
int nvfifo_method_by_name(const char *name, size_t len);

/* --- Decoder ------------------------------------------------------------- */

#define NVFIFO_DECODE_HANDLES	64

/**
 * struct nvfifo_decoder - The pusher's state between two words
 * @format: enum nvfifo_format
 * @chipset: chipset id, 0 if unknown; decides which PFIFO methods exist
 * @left: remaining data words of the current command
 * @long_pending: the next word is the count of a long command
 * @cmd: the current command; its method moves on with the data
 * @oclass: class bound to each subchannel, 0 unknown
 * @handles: handles whose class is known
 * @handle_count: their number
 * @last_subc: subchannel of the last method of an engine, -1 before the first
 * @high_method: method of the upper half of an address, if that was the last data
 *	word, else 0
 * @high: the word
 *
 * Set it up with nvfifo_decoder_init(). The state outlives the end of a segment
 * as the card's does: a command may begin in one segment and end in another.
 */
struct nvfifo_decoder {
	enum nvfifo_format format;
	__u32 chipset;
	__u32 left;
	bool long_pending;
	struct nvfifo_command cmd;
	__u32 oclass[8];
	struct {
		__u32 handle;
		__u32 oclass;
	} handles[NVFIFO_DECODE_HANDLES];
	unsigned int handle_count;
	int last_subc;
	__u32 high_method;
	__u32 high;
};

struct nvfifo_method;

enum nvfifo_word_kind {
	NVFIFO_WORD_HEADER,	/* a command word */
	NVFIFO_WORD_COUNT,	/* the count of a long command */
	NVFIFO_WORD_DATA,	/* data for a method */
	NVFIFO_WORD_INVALID,	/* a command word that the pusher refuses */
};

/**
 * enum nvfifo_wait - Waits of the card at a word
 * @NVFIFO_WAIT_NONE: nothing
 * @NVFIFO_WAIT_SUBCHANNEL: a header for another subchannel than the one before:
 *	PGRAPH ends the work of that one first
 * @NVFIFO_WAIT_IDLE: the object's engine is idle (SERIALIZE)
 * @NVFIFO_WAIT_ACQUIRE: a semaphore has a value; other channels run during the wait
 * @NVFIFO_WAIT_RELEASE: the engine's work is done, then a semaphore is written
 * @NVFIFO_WAIT_REF: the engine's work is done, then REF is set
 * @NVFIFO_WAIT_QUERY: a query with SYNC has its value
 */
enum nvfifo_wait {
	NVFIFO_WAIT_NONE,
	NVFIFO_WAIT_SUBCHANNEL,
	NVFIFO_WAIT_IDLE,
	NVFIFO_WAIT_ACQUIRE,
	NVFIFO_WAIT_RELEASE,
	NVFIFO_WAIT_REF,
	NVFIFO_WAIT_QUERY,
};

/**
 * struct nvfifo_word - One word of a stream, decoded
 * @word: the word
 * @kind: kind of the word
 * @cmd: the command that it is, or belongs to
 * @method: method that a data word goes to, bytes
 * @oclass: class bound to the subchannel, 0 unknown; after an OBJECT data word
 *	the new one
 * @refused: the pusher would answer this method with INVALID_MTHD
 * @wait: wait of the card at this word
 * @from_subc: with NVFIFO_WAIT_SUBCHANNEL, the subchannel whose work it waits for
 * @has_address: the word completes an address, its lower half after the upper one
 * @address: the address
 * @named: for the library: @method of class @oclass, NULL if it has no name there
 * @form: for the library: how that method's data are written
 */
struct nvfifo_word {
	__u32 word;
	enum nvfifo_word_kind kind;
	struct nvfifo_command cmd;
	__u32 method;
	__u32 oclass;
	bool refused;
	enum nvfifo_wait wait;
	__u32 from_subc;
	bool has_address;
	__u64 address;
	const struct nvfifo_method *named;
	unsigned int form;
};

void nvfifo_decoder_init(struct nvfifo_decoder *d, enum nvfifo_format format, __u32 chipset);

/**
 * nvfifo_decoder_handle() - Set the class of a handle for the decoder
 * @d: decoder
 * @handle: handle, as in OBJECT's data
 * @oclass: its class
 *
 * Return: 0, or -ENOSPC after NVFIFO_DECODE_HANDLES handles.
 */
int nvfifo_decoder_handle(struct nvfifo_decoder *d, __u32 handle, __u32 oclass);

/* Decode one word: fill @w and update the state. */
void nvfifo_decode(struct nvfifo_decoder *d, __u32 word, struct nvfifo_word *w);

#define NVFIFO_WORD_TEXT_MAX	512

/**
 * nvfifo_word_text() - Write a decoded word as assembler text
 * @w: the word
 * @format: format it was decoded with
 * @buf: out: NVFIFO_WORD_TEXT_MAX bytes, zero terminated; at most one line, no
 *	newline. The assembler gives the same word back. JSON needs no escape in it.
 *
 * Return: length of the text.
 */
size_t nvfifo_word_text(const struct nvfifo_word *w, enum nvfifo_format format, char *buf);

/**
 * nvfifo_listing_line() - Write offset, word and text as one line
 * @w: the word
 * @format: format it was decoded with
 * @address: byte offset or address to print, 40 bits
 * @buf: out: 2 * NVFIFO_WORD_TEXT_MAX bytes
 *
 * Return: length of the line; the assembler skips offset and word.
 */
size_t nvfifo_listing_line(const struct nvfifo_word *w, enum nvfifo_format format, __u64 address,
			   char *buf);

/* --- Growing array of words ---------------------------------------------- */

/**
 * struct nvfifo_place - A place in a text
 * @line: from 1
 * @column: bytes, from 1
 */
struct nvfifo_place {
	unsigned int line;
	unsigned int column;
};

/**
 * struct nvfifo_words - Words in memory of malloc()
 * @data: the words, or NULL
 * @count: their number
 * @room: number that fits before the next realloc()
 * @line: line of the text that the next word comes from; 0 keeps no places
 * @column: its column
 * @places: line and column of each word, or NULL
 */
struct nvfifo_words {
	__u32 *data;
	size_t count;
	size_t room;
	unsigned int line;
	unsigned int column;
	struct nvfifo_place *places;
};

int nvfifo_words_add(struct nvfifo_words *w, __u32 word);
void nvfifo_words_free(struct nvfifo_words *w);

/* --- Assembler ----------------------------------------------------------- */

/**
 * typedef nvfifo_symbol_fn - Value of a name in an expression
 * @ctx: caller's pointer
 * @name: the name, not terminated
 * @len: its length
 * @value: out
 *
 * Return: 0, or -ENOENT if there is no such name.
 */
typedef int (*nvfifo_symbol_fn)(void *ctx, const char *name, size_t len, __u64 *value);

/**
 * nvfifo_assemble() - Translate text to words
 * @text: assembler text, see nvfifo_asm.c
 * @len: its length
 * @format: the words to write
 * @symbol: looks names up; NULL if there are none
 * @ctx: for @symbol
 * @words: out: words are added at its end
 * @diag: out: on error, where and why; may be NULL
 *
 * Return: 0, -EINVAL for an error in the text, -ENOMEM.
 */
int nvfifo_assemble(const char *text, size_t len, enum nvfifo_format format,
		    nvfifo_symbol_fn symbol, void *ctx, struct nvfifo_words *words,
		    struct nvfifo_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
