/* SPDX-License-Identifier: MIT */
/*
 * Readers of recorded words: hex text and captures, which are recorded submissions.
 *
 * A capture is text:
 *
 *	grobj channel 0 handle beef5039 class 5039	an object, its class
 *	submit 1 channel 0 ...				what follows is for channel 0
 *	contents va 0020000000 bytes 64			memory that the CPU has written since
 *	00000001 ...					the last submission, its words
 *	push 0 va 0000002000 bytes 1700 ... ib 00002000 0006a400
 *	0004a000 beef5039 ...				the segment's words
 *
 * Numbers are hexadecimal except those after "push", "bytes", "submit" and
 * "channel". Lines that begin with another word are remarks. For nvfifo_capture_program() some
 * remarks have a meaning:
 *
 *	channel_alloc fb_ctxdma H tt_ctxdma H channel 0	handles of objects over all memory
 *	notifierobj channel 0 handle H size 32		one with memory of its own
 *	mapped va A bytes 65536 domain vram kind 70 compression 0 lsr 0
 *	result va A bytes 12288 crc 1234abcd		memory that the submission before has
 *							changed, its CRC-32
 *	left_out va A bytes 4096			contents that the capture has no room for
 *
 * A buffer holds zeros except where contents have other words.
 */
#ifndef NVFIFO_CAPTURE_H
#define NVFIFO_CAPTURE_H

#include <stdio.h>

#include "nvfifo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVFIFO_CAPTURE_CHANNELS 128

/*
 * Callbacks of the reader.
 *
 * Each gets the caller's pointer and may be NULL; without @segment the text is
 * plain hex words and nothing else. A value other than 0 ends the reading and
 * becomes the reader's return value.
 */
struct nvfifo_capture_ops {
	/* a handle and its class */
	int (*object)(void *ctx, unsigned int channel, __u32 handle, __u32 oclass);
	/* a segment begins: channel, its number, address, words, IB entry */
	int (*segment)(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		       const __u32 ib[2]);
	int (*word)(void *ctx, __u32 word);	/* a word of the segment, or of plain hex text */
	/* a line of another kind, without its newline; also the first line of contents */
	int (*remark)(void *ctx, const char *line, size_t len);
	/* contents of memory begin: address, words */
	int (*contents)(void *ctx, __u64 va, size_t words);
	int (*memory)(void *ctx, __u32 word);	/* a word of contents */
};

/* A capture being read in pieces */
struct nvfifo_capture {
	struct nvfifo_diag diag;	/* after -EINVAL, where and why */
	/* private: */
	const struct nvfifo_capture_ops *ops;
	void *ctx;
	const char *line;	/* being read */
	const char *end;	/* of it */
	const char *pos;
	unsigned int number;
	unsigned int channel;
	bool in_segment;
	bool in_contents;
	size_t left;	/* remaining words of the segment or the contents */
};

/* Begin to read: the reader calls @ops with @ctx for each part of the capture. */
void nvfifo_capture_begin(struct nvfifo_capture *d, const struct nvfifo_capture_ops *ops, void *ctx);

/**
 * nvfifo_capture_feed() - Read the next lines
 * @d: the reader
 * @text: whole lines; only the text of the last call may lack its final newline
 * @len: bytes
 *
 * Return: 0, -EINVAL with @d->diag, or the result of a function of the operations.
 */
int nvfifo_capture_feed(struct nvfifo_capture *d, const char *text, size_t len);

/* End the reading after the last lines: -EINVAL if a segment lacks words. */
int nvfifo_capture_end(struct nvfifo_capture *d);

/**
 * nvfifo_capture_read() - Read hex text or a capture
 * @text: the text
 * @len: its length
 * @ops: the callbacks
 * @ctx: caller's pointer
 * @diag: out: on -EINVAL, where and why
 *
 * Hex text is words of up to 8 hexadecimal digits, with or without "0x", with
 * blanks or commas between them; '#' starts a comment.
 */
int nvfifo_capture_read(const char *text, size_t len, const struct nvfifo_capture_ops *ops, void *ctx,
			struct nvfifo_diag *diag);

/**
 * nvfifo_capture_words() - Read the words of hex text
 * @text: the text, as for nvfifo_capture_read()
 * @len: its length
 * @words: the words are added here, also those before a mistake
 * @diag: out: on -EINVAL, where and why
 *
 * Return: 0, -EINVAL with @diag, -ENOMEM.
 */
int nvfifo_capture_words(const char *text, size_t len, struct nvfifo_words *words,
			 struct nvfifo_diag *diag);

/**
 * nvfifo_capture_program() - Write a capture as a text program
 * @text: the capture
 * @len: its length
 * @chipset: of the names of methods, 0 if unknown
 * @out: output of the program
 * @diag: out: on -EINVAL, where and why; may be NULL
 *
 * The program has the capture's buffers, writes their contents before each submission, and expects
 * its results after it. Addresses that commands set outside of these get buffers of zeros.
 *
 * Return: 0, -EINVAL with @diag, -ENOENT without a segment, -ENOSPC with more channels than a card has,
 * -ENOMEM.
 */
int nvfifo_capture_program(const char *text, size_t len, __u32 chipset, FILE *out,
			   struct nvfifo_diag *diag);

/* True if @text looks like a capture, not like plain hex words. */
bool nvfifo_capture_detect(const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
