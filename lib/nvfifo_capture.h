/* SPDX-License-Identifier: MIT */
/*
 * Readers of recorded words: hex text and captures, which are recorded submissions.
 *
 * A capture is text:
 *
 *	grobj channel 0 handle beef5039 class 5039	an object, its class
 *	submit 1 channel 0 ...				what follows is for channel 0
 *	push 0 va 0000002000 bytes 1700 ... ib 00002000 0006a400
 *	0004a000 beef5039 ...				the segment's words
 *
 * Numbers are hexadecimal except those after "push", "bytes", "submit" and
 * "channel". Lines that begin with another word are remarks.
 */
#ifndef NVFIFO_CAPTURE_H
#define NVFIFO_CAPTURE_H

#include "nvfifo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVFIFO_CAPTURE_CHANNELS 128

/**
 * struct nvfifo_capture_ops - What the reader calls for what it finds
 * @object: a handle and its class
 * @segment: a segment begins: channel, its number, address, words, IB entry
 * @word: a word of the segment, or of plain hex text
 * @remark: a line of another kind, without its newline
 *
 * Each gets the caller's pointer and may be NULL; without @segment the text is
 * plain hex words and nothing else. A value other than 0 ends the reading and
 * becomes the reader's return value.
 */
struct nvfifo_capture_ops {
	int (*object)(void *ctx, unsigned int channel, __u32 handle, __u32 oclass);
	int (*segment)(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		       const __u32 ib[2]);
	int (*word)(void *ctx, __u32 word);
	int (*remark)(void *ctx, const char *line, size_t len);
};

/**
 * nvfifo_capture_read() - Read hex text or a capture
 * @text: the text
 * @len: its length
 * @ops: what to call
 * @ctx: caller's pointer
 * @diag: out: on -EINVAL, where and why
 *
 * Hex text is words of up to 8 hexadecimal digits, with or without "0x", with
 * blanks or commas between them; '#' starts a comment.
 */
int nvfifo_capture_read(const char *text, size_t len, const struct nvfifo_capture_ops *ops, void *ctx,
		     struct nvfifo_diag *diag);

/* True if @text looks like a capture, not like plain hex words. */
bool nvfifo_capture_detect(const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
