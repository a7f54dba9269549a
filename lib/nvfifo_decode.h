/* SPDX-License-Identifier: MIT */
/*
 * libnvfifo without a device: names of classes and methods, decoder and assembler. The rules of
 * nvfifo.h, which includes this header, hold here too.
 */
#ifndef NVFIFO_DECODE_H
#define NVFIFO_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "nvfifo_command.h"
#include "nvfifo_push.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nvfifo_diag;

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

/*
 * The pusher's state between two words.
 *
 * Set it up with nvfifo_decoder_init(). The state outlives the end of a segment
 * as the card's does: a command may begin in one segment and end in another.
 */
struct nvfifo_decoder {
	enum nvfifo_format format;	/* enum nvfifo_format */
	__u32 chipset;		/* chipset id, 0 if unknown; decides which PFIFO methods exist */
	__u32 left;		/* remaining data words of the current command */
	bool long_pending;	/* the next word is the count of a long command */
	struct nvfifo_command cmd;	/* the current command; its method moves on with the data */
	__u32 oclass[8];	/* class bound to each subchannel, 0 unknown */
	struct {
		__u32 handle;
		__u32 oclass;
	} handles[NVFIFO_DECODE_HANDLES];	/* handles whose class is known */
	unsigned int handle_count;
	int last_subc;	/* subchannel of the last method of an engine, -1 before the first */
	/* method of the upper half of an address, if that was the last data word, else 0 */
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

/* Waits of the card at a word */
enum nvfifo_wait {
	NVFIFO_WAIT_NONE,	/* nothing */
	/*
	 * a header for another subchannel than the one before: PGRAPH ends the work of that one
	 * first
	 */
	NVFIFO_WAIT_SUBCHANNEL,
	NVFIFO_WAIT_IDLE,	/* the object's engine is idle (SERIALIZE) */
	NVFIFO_WAIT_ACQUIRE,	/* a semaphore has a value; other channels run during the wait */
	NVFIFO_WAIT_RELEASE,	/* the engine's work is done, then a semaphore is written */
	NVFIFO_WAIT_REF,	/* the engine's work is done, then REF is set */
	NVFIFO_WAIT_QUERY,	/* a query with SYNC has its value */
};

/* One word of a stream, decoded */
struct nvfifo_word {
	__u32 word;
	enum nvfifo_word_kind kind;	/* kind of the word */
	struct nvfifo_command cmd;	/* the command that it is, or belongs to */
	__u32 method;			/* method that a data word goes to, bytes */
	/* class bound to the subchannel, 0 unknown; after an OBJECT data word the new one */
	__u32 oclass;
	bool refused;		/* the pusher would answer this method with INVALID_MTHD */
	enum nvfifo_wait wait;	/* wait of the card at this word */
	/* with NVFIFO_WAIT_SUBCHANNEL, the subchannel whose work it waits for */
	__u32 from_subc;
	/* the word completes an address, its lower half after the upper one */
	bool has_address;
	__u64 address;
	/* for the library: @method of class @oclass, NULL if it has no name there */
	const struct nvfifo_method *named;
	unsigned int form;	/* for the library: how that method's data are written */
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

/* A place in a text */
struct nvfifo_place {
	unsigned int line;	/* from 1 */
	unsigned int column;	/* bytes, from 1 */
};

/* Words in memory of malloc() */
struct nvfifo_words {
	__u32 *data;	/* the words, or NULL */
	size_t count;
	size_t room;	/* number that fits before the next realloc() */
	/* line of the text that the next word comes from; 0 keeps no places */
	unsigned int line;
	unsigned int column;		/* its column */
	struct nvfifo_place *places;	/* line and column of each word, or NULL */
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
 * @text: assembler text, see Documentation/guides/text-format.rst
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
