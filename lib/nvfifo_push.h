/* SPDX-License-Identifier: MIT */
/*
 * Push builder: writes the words of a pushbuffer, and checks them at the same time.
 *
 * Header only. The names are those of the hardware manuals:
 *
 *	P_MTHD	header of increasing methods		NV04 and NVC0 format
 *	P_0INC	header of one method, many data words	both (P_NINC is the same)
 *	P_1INC	header that increases once		NVC0
 *	P_IMMD	one method with 13 bits of data		NVC0; in NV04 header and word
 *	P_LONG	long form of P_0INC, 24 bit count	NV04 in IB mode
 *	P_DATA	a data word of the last header
 *
 *	struct nvfifo_push p;
 *	__u32 words[16];
 *
 *	nvfifo_push_init(&p, words, 16, NVFIFO_FORMAT_NV04);
 *	P_MTHD(&p, 0, NVFIFO_MTHD_REF_CNT, 1);
 *	P_DATA(&p, 0x1234);
 *	if (nvfifo_push_finish(&p))
 *		puts(nvfifo_push_error_text(p.error));
 *	else
 *		submit(words, nvfifo_push_words(&p));
 *
 * A wrong call never aborts and never writes past the buffer. The first error
 * is recorded with its position; calls after it do nothing.
 */
#ifndef NVFIFO_PUSH_H
#define NVFIFO_PUSH_H

#include <errno.h>
#include <string.h>

#include "nvfifo_command.h"

/*
 * Inlined always: then the builder lives in registers, and the checks of constant
 * subchannels, methods and counts cost nothing.
 */
#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif
#define NVFIFO_PUSH_UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef __cplusplus
extern "C" {
#endif

/* How the words of a stream are to be read */
enum nvfifo_format {
	NVFIFO_FORMAT_NV04 = 0,		/* NV04 format on a channel in IB mode (this family) */
	NVFIFO_FORMAT_NV04_DMA = 1,	/* NV04 format in a linear buffer, with jumps and calls */
	NVFIFO_FORMAT_NVC0 = 2,		/* format of GF100 and later */
};

/* The first mistake that the builder has found */
enum nvfifo_push_error {
	NVFIFO_PUSH_OK = 0,
	NVFIFO_PUSH_NO_SPACE,	/* the buffer is too small */
	NVFIFO_PUSH_SUBC,	/* subchannel above 7 */
	NVFIFO_PUSH_METHOD,	/* method not a multiple of 4, or too large */
	NVFIFO_PUSH_COUNT,	/* count is 0 or too large, or the methods run past the end */
	NVFIFO_PUSH_VALUE,	/* immediate value or mask has too many bits */
	NVFIFO_PUSH_ADDRESS,	/* target of a jump or call unaligned or too large */
	NVFIFO_PUSH_DATA_MISSING,	/* a header came, or the end, before all data words */
	NVFIFO_PUSH_DATA_EXTRA,	/* more data words than the header announced */
	NVFIFO_PUSH_FORMAT,	/* the command does not exist in this format */
};

/* A pushbuffer under construction */
struct nvfifo_push {
	__u32 *start;	/* first word of the buffer */
	__u32 *cur;	/* position of the next word */
	__u32 *end;	/* end of the buffer; equal to @cur after an error */
	__u32 *open;	/* header of nvfifo_push_open() whose count still grows, else NULL */
	__u32 left;	/* data words that the last header still waits for */
	__u32 format;	/* enum nvfifo_format */
	__u32 error;	/* enum nvfifo_push_error of the first mistake */
	__u32 error_word;	/* number of words that were good when it happened */
};

/**
 * nvfifo_push_init() - Begin a pushbuffer
 * @p: the builder
 * @words: buffer
 * @count: its size, words
 * @format: the words to write
 */
static __always_inline void nvfifo_push_init(struct nvfifo_push *p, __u32 *words, size_t count,
					     enum nvfifo_format format)
{
	p->start = words;
	p->cur = words;
	p->end = words + count;
	p->open = NULL;
	p->left = 0;
	p->format = format;
	p->error = NVFIFO_PUSH_OK;
	p->error_word = 0;
}

/* Words written so far. */
static __always_inline size_t nvfifo_push_words(const struct nvfifo_push *p)
{
	return (size_t)(p->cur - p->start);
}

/* Record the first mistake and make every later call do nothing. */
static __always_inline void nvfifo_push_fail(struct nvfifo_push *p, enum nvfifo_push_error error)
{
	if (p->error)
		return;

	p->error = error;
	p->error_word = (__u32)nvfifo_push_words(p);
	p->end = p->cur;
	p->open = NULL;
	p->left = 0;
}

/* End the header that grows, if there is one. It must have got data. */
static __always_inline void nvfifo_push_close(struct nvfifo_push *p)
{
	if (NVFIFO_PUSH_UNLIKELY(p->open && p->cur == p->open + 1))
		nvfifo_push_fail(p, NVFIFO_PUSH_DATA_MISSING);
	p->open = NULL;
}

/**
 * nvfifo_push_finish() - End a pushbuffer
 * @p: the builder
 *
 * Return: 0, -ENOSPC if the buffer was too small, -EINVAL for any other mistake; @p->error has the
 * reason.
 */
static __always_inline int nvfifo_push_finish(struct nvfifo_push *p)
{
	nvfifo_push_close(p);
	if (p->left)
		nvfifo_push_fail(p, NVFIFO_PUSH_DATA_MISSING);
	if (!p->error)
		return 0;

	return p->error == NVFIFO_PUSH_NO_SPACE ? -ENOSPC : -EINVAL;
}

/* A sentence about an enum nvfifo_push_error. */
static __always_inline const char *nvfifo_push_error_text(__u32 error)
{
	static const char *const texts[] = {
		"no error",
		"the buffer is too small for the next command",
		"subchannel must be 0 to 7",
		"method must be a multiple of 4, up to 0x1ffc (NVC0 format: 0x3ffc)",
		"count must be 1 to 2047 (NVC0 format: 8191; long form: 0xffffff), and the methods must not run past the last one",
		"immediate values have 13 bits, SLI masks 12",
		"jump and call targets must be multiples of 4 below 4 GiB, old jumps below 512 MiB",
		"fewer data words than the header announced",
		"more data words than the header announced",
		"this command does not exist in the chosen format",
	};

	return error < sizeof(texts) / sizeof(texts[0]) ? texts[error] : "unknown error";
}

/*
 * Check a header; @run is how far the method increases, in bytes. After an error
 * there is no space, so that nothing more is written.
 */
static __always_inline int nvfifo_push_check(struct nvfifo_push *p, __u32 subc, __u32 mthd,
					     __u32 count, __u32 max, __u32 run, size_t space)
{
	__u32 last = p->format == NVFIFO_FORMAT_NVC0 ? 0x3ffc : 0x1ffc;

	nvfifo_push_close(p);
	if (NVFIFO_PUSH_UNLIKELY(p->left))
		nvfifo_push_fail(p, NVFIFO_PUSH_DATA_MISSING);
	else if (NVFIFO_PUSH_UNLIKELY(subc > 7))
		nvfifo_push_fail(p, NVFIFO_PUSH_SUBC);
	else if (NVFIFO_PUSH_UNLIKELY(mthd & 3 || mthd > last))
		nvfifo_push_fail(p, NVFIFO_PUSH_METHOD);
	else if (NVFIFO_PUSH_UNLIKELY(!count || count > max || run > last - mthd))
		nvfifo_push_fail(p, NVFIFO_PUSH_COUNT);
	else if (NVFIFO_PUSH_UNLIKELY((size_t)(p->end - p->cur) < space))
		nvfifo_push_fail(p, NVFIFO_PUSH_NO_SPACE);
	else
		return 1;

	return 0;
}

static __always_inline __u32 nvfifo_push_count_max(const struct nvfifo_push *p)
{
	return p->format == NVFIFO_FORMAT_NVC0 ? NVFIFO_NVC0_COUNT_MAX : NVFIFO_NV04_COUNT_MAX;
}

/* Is the format the one that a command needs? */
static __always_inline int nvfifo_push_is(struct nvfifo_push *p, enum nvfifo_format format)
{
	if (p->format == (__u32)format)
		return 1;

	nvfifo_push_fail(p, NVFIFO_PUSH_FORMAT);
	return 0;
}

/* A header in either format, by the bits of its kind */
static __always_inline void nvfifo_push_header(struct nvfifo_push *p, __u32 subc, __u32 mthd,
					       __u32 count, __u32 run, __u32 nv04, __u32 nvc0)
{
	if (!nvfifo_push_check(p, subc, mthd, count, nvfifo_push_count_max(p), run,
			       (size_t)count + 1))
		return;

	if (p->format == NVFIFO_FORMAT_NVC0)
		*p->cur++ = nvc0 | count << 16 | subc << 13 | mthd >> 2;
	else
		*p->cur++ = nv04 | count << 18 | subc << 13 | mthd;
	p->left = count;
}

/**
 * P_MTHD() - Header of increasing methods
 * @p: the builder
 * @subc: subchannel, 0 to 7
 * @mthd: first method, bytes, a multiple of 4
 * @count: data words that follow, 1 to 2047 (NVC0: 8191)
 */
static __always_inline void P_MTHD(struct nvfifo_push *p, __u32 subc, __u32 mthd, __u32 count)
{
	nvfifo_push_header(p, subc, mthd, count, (count - 1) * 4, 0, 0x20000000);
}

/**
 * P_0INC() - Header of one method that gets all the data words
 * @p: the builder
 * @subc: subchannel, 0 to 7
 * @mthd: method, bytes, a multiple of 4
 * @count: data words that follow, 1 to 2047 (NVC0: 8191)
 */
static __always_inline void P_0INC(struct nvfifo_push *p, __u32 subc, __u32 mthd, __u32 count)
{
	nvfifo_push_header(p, subc, mthd, count, 0, 0x40000000, 0x60000000);
}

static __always_inline void P_NINC(struct nvfifo_push *p, __u32 subc, __u32 mthd, __u32 count)
{
	P_0INC(p, subc, mthd, count);
}

/**
 * P_1INC() - Header that increases the method once, after the first data word
 * @p: the builder, NVC0 format
 * @subc: subchannel, 0 to 7
 * @mthd: first method, bytes, a multiple of 4
 * @count: data words that follow, 1 to 8191
 */
static __always_inline void P_1INC(struct nvfifo_push *p, __u32 subc, __u32 mthd, __u32 count)
{
	if (nvfifo_push_is(p, NVFIFO_FORMAT_NVC0))
		nvfifo_push_header(p, subc, mthd, count, count > 1 ? 4 : 0, 0, 0xa0000000);
}

/**
 * P_LONG() - Header of one method with a 24 bit count, two words
 * @p: the builder, NV04 format in IB mode
 * @subc: subchannel, 0 to 7
 * @mthd: method, bytes, a multiple of 4
 * @count: data words that follow, 1 to 0xffffff
 */
static __always_inline void P_LONG(struct nvfifo_push *p, __u32 subc, __u32 mthd, __u32 count)
{
	if (!nvfifo_push_is(p, NVFIFO_FORMAT_NV04) ||
	    !nvfifo_push_check(p, subc, mthd, count, NVFIFO_LONG_COUNT_MAX, 0, (size_t)count + 2))
		return;

	*p->cur++ = 0x00030000 | subc << 13 | mthd;
	*p->cur++ = count;
	p->left = count;
}

/**
 * nvfifo_push_open() - Header of increasing methods whose count grows with the data
 * @p: the builder
 * @subc: subchannel, 0 to 7
 * @mthd: first method, bytes, a multiple of 4
 *
 * Each data word that follows adds 1 to the count, up to the next header.
 * P_MTHD(p, CLASS, METHOD) of nvfifo_class.h is this.
 */
static __always_inline void nvfifo_push_open(struct nvfifo_push *p, __u32 subc, __u32 mthd)
{
	if (!nvfifo_push_check(p, subc, mthd, 1, 1, 0, 2))
		return;

	p->open = p->cur;
	if (p->format == NVFIFO_FORMAT_NVC0)
		*p->cur++ = 0x20000000 | subc << 13 | mthd >> 2;
	else
		*p->cur++ = subc << 13 | mthd;
}

/* The same for one method that gets all data words: P_0INC(p, CLASS, METHOD) */
static __always_inline void nvfifo_push_open_0inc(struct nvfifo_push *p, __u32 subc, __u32 mthd)
{
	nvfifo_push_open(p, subc, mthd);
	if (p->open)
		*p->open |= 0x40000000;
}

/* The same for a method that increases once, NVC0 format: P_1INC(p, CLASS, METHOD) */
static __always_inline void nvfifo_push_open_1inc(struct nvfifo_push *p, __u32 subc, __u32 mthd)
{
	if (!nvfifo_push_is(p, NVFIFO_FORMAT_NVC0))
		return;

	nvfifo_push_open(p, subc, mthd);
	if (p->open)
		*p->open |= 0x80000000;
}

/* The method that the next data word of the header that grows belongs to */
static __always_inline __u32 nvfifo_push_next(const struct nvfifo_push *p)
{
	const int nvc0 = p->format == NVFIFO_FORMAT_NVC0;
	__u32 count = (__u32)(p->cur - p->open) - 1;
	__u32 mthd = nvc0 ? (*p->open & 0xfff) << 2 : *p->open & 0x1ffc;

	if (*p->open & 0x40000000)
		return mthd;
	if (*p->open & 0x80000000 && count)
		count = 1;
	return mthd + count * 4;
}

/* A data word for the header that grows. */
static __always_inline void nvfifo_push_grow(struct nvfifo_push *p, __u32 data)
{
	const int nvc0 = p->format == NVFIFO_FORMAT_NVC0;
	__u32 count = (__u32)(p->cur - p->open) - 1;

	if (count == nvfifo_push_count_max(p) || nvfifo_push_next(p) > (nvc0 ? 0x3ffcu : 0x1ffcu)) {
		nvfifo_push_fail(p, NVFIFO_PUSH_COUNT);
		return;
	}

	if (p->cur == p->end) {
		nvfifo_push_fail(p, NVFIFO_PUSH_NO_SPACE);
		return;
	}

	*p->open += nvc0 ? 1u << 16 : 1u << 18;
	*p->cur++ = data;
}

/* P_DATA() - One data word of the last header */
static __always_inline void P_DATA(struct nvfifo_push *p, __u32 data)
{
	if (NVFIFO_PUSH_UNLIKELY(!p->left)) {
		if (p->open)
			nvfifo_push_grow(p, data);
		else
			nvfifo_push_fail(p, NVFIFO_PUSH_DATA_EXTRA);
		return;
	}

	*p->cur++ = data;
	p->left--;
}

/*
 * A data word that checks its method: P_NV502D_SET_DST_FORMAT(p, v) of nvfifo_class.h. It follows
 * a header with a class.
 */
static __always_inline void nvfifo_push_typed(struct nvfifo_push *p, __u32 mthd, __u32 data)
{
	if (p->open && nvfifo_push_next(p) == mthd)
		P_DATA(p, data);
	else
		nvfifo_push_fail(p, NVFIFO_PUSH_METHOD);
}

/* P_DATAH(), P_DATAL() - Upper and lower half of an address as data words */
static __always_inline void P_DATAH(struct nvfifo_push *p, __u64 address)
{
	P_DATA(p, (__u32)(address >> 32));
}

static __always_inline void P_DATAL(struct nvfifo_push *p, __u64 address)
{
	P_DATA(p, (__u32)address);
}

/* P_DATAf() - A data word that is a float */
static __always_inline void P_DATAf(struct nvfifo_push *p, float data)
{
	__u32 word;

	memcpy(&word, &data, sizeof(word));
	P_DATA(p, word);
}

/* P_DATAp() - Many data words */
static __always_inline void P_DATAp(struct nvfifo_push *p, const __u32 *data, size_t count)
{
	size_t i;

	if (p->open) {
		for (i = 0; i < count; i++)
			P_DATA(p, data[i]);
		return;
	}

	if (NVFIFO_PUSH_UNLIKELY(count > p->left)) {
		nvfifo_push_fail(p, NVFIFO_PUSH_DATA_EXTRA);
		return;
	}

	memcpy(p->cur, data, count * sizeof(*data));
	p->cur += count;
	p->left -= (__u32)count;
}

/**
 * P_IMMD() - One method with its data
 * @p: the builder
 * @subc: subchannel, 0 to 7
 * @mthd: method, bytes, a multiple of 4
 * @data: the data word
 *
 * The NVC0 format has room for 13 bits of data in the header. Larger data, and the NV04
 * formats, take a header and a data word as P_MTHD() and P_DATA() write them.
 */
static __always_inline void P_IMMD(struct nvfifo_push *p, __u32 subc, __u32 mthd, __u32 data)
{
	if (p->format != NVFIFO_FORMAT_NVC0 || data > 0x1fff) {
		P_MTHD(p, subc, mthd, 1);
		if (p->left)
			P_DATA(p, data);
		return;
	}

	if (nvfifo_push_check(p, subc, mthd, 1, 1, 0, 1))
		*p->cur++ = 0x80000000 | data << 16 | subc << 13 | mthd >> 2;
}

/* A command of one word that has no data. */
static __always_inline void nvfifo_push_single(struct nvfifo_push *p, __u32 word)
{
	if (nvfifo_push_check(p, 0, 0, 1, 1, 0, 1))
		*p->cur++ = word;
}

/* P_NOP() - A word that does nothing */
static __always_inline void P_NOP(struct nvfifo_push *p)
{
	nvfifo_push_single(p, 0);
}

static __always_inline void nvfifo_push_mask(struct nvfifo_push *p, __u32 word, __u32 mask)
{
	if (mask > 0xfff)
		nvfifo_push_fail(p, NVFIFO_PUSH_VALUE);
	else
		nvfifo_push_single(p, word | mask << 4);
}

/**
 * P_SLI_COND() - Restrict the words that follow to some cards of an SLI group
 * @p: the builder
 * @mask: one bit per card, 12 bits
 */
static __always_inline void P_SLI_COND(struct nvfifo_push *p, __u32 mask)
{
	nvfifo_push_mask(p, 0x00010000, mask);
}

/* P_SLI_STORE_MASK() - NVC0 format: remember a mask, 12 bits */
static __always_inline void P_SLI_STORE_MASK(struct nvfifo_push *p, __u32 mask)
{
	if (nvfifo_push_is(p, NVFIFO_FORMAT_NVC0))
		nvfifo_push_mask(p, 0x00020000, mask);
}

/* P_SLI_USE_MASK() - NVC0 format: use the remembered mask */
static __always_inline void P_SLI_USE_MASK(struct nvfifo_push *p)
{
	if (nvfifo_push_is(p, NVFIFO_FORMAT_NVC0))
		nvfifo_push_single(p, 0x00030000);
}

/* P_END_SEGMENT() - NVC0 format: ignore the rest of the segment */
static __always_inline void P_END_SEGMENT(struct nvfifo_push *p)
{
	if (nvfifo_push_is(p, NVFIFO_FORMAT_NVC0))
		nvfifo_push_single(p, 0xe0000000);
}

static __always_inline void nvfifo_push_branch(struct nvfifo_push *p, __u64 address, __u64 max,
					       __u32 bits)
{
	if (!nvfifo_push_is(p, NVFIFO_FORMAT_NV04_DMA))
		return;
	if (address & 3 || address > max)
		nvfifo_push_fail(p, NVFIFO_PUSH_ADDRESS);
	else
		nvfifo_push_single(p, (__u32)address | bits);
}

/* P_JUMP(), P_OLD_JUMP(), P_CALL(), P_RETURN() - NV04 format, linear buffer only */
static __always_inline void P_JUMP(struct nvfifo_push *p, __u64 address)
{
	nvfifo_push_branch(p, address, 0xfffffffc, 1);
}

static __always_inline void P_OLD_JUMP(struct nvfifo_push *p, __u64 address)
{
	nvfifo_push_branch(p, address, 0x1ffffffc, 0x20000000);
}

static __always_inline void P_CALL(struct nvfifo_push *p, __u64 address)
{
	nvfifo_push_branch(p, address, 0xfffffffc, 2);
}

static __always_inline void P_RETURN(struct nvfifo_push *p)
{
	if (nvfifo_push_is(p, NVFIFO_FORMAT_NV04_DMA))
		nvfifo_push_single(p, 0x00020000);
}

#ifdef __cplusplus
}
#endif

#endif
