// SPDX-License-Identifier: MIT
/* Reader of hex text and of captures. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nvfifo_capture.h"
#include "nvfifo_hex.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

static const unsigned char chars[256] = {
	[' '] = NVFIFO_TEXT_BLANK, ['\t'] = NVFIFO_TEXT_BLANK, ['\r'] = NVFIFO_TEXT_BLANK,
	[','] = NVFIFO_TEXT_BLANK, ['\v'] = NVFIFO_TEXT_BLANK, ['\f'] = NVFIFO_TEXT_BLANK,
	['#'] = NVFIFO_TEXT_STOP,
};

static bool is_blank(char c)
{
	return chars[(unsigned char)c] == NVFIFO_TEXT_BLANK;
}

static bool next_piece(struct nvfifo_capture *d, struct nvfifo_piece *p)
{
	return nvfifo_text_piece(&d->pos, d->end, chars, p);
}

__attribute__((format(printf, 3, 4))) static int refuse(struct nvfifo_capture *d, const char *at,
							const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(d->diag.text, sizeof(d->diag.text), fmt, args);
	va_end(args);
	d->diag.line = d->number;
	d->diag.column = (unsigned int)(at - d->line) + 1;

	return -EINVAL;
}

/* "NAME NUMBER" with the name that must come next. */
static int field(struct nvfifo_capture *d, const char *name, unsigned int base, __u64 max, __u64 *value)
{
	struct nvfifo_piece p;

	if (!next_piece(d, &p) || !nvfifo_piece_is(&p, name))
		return refuse(d, p.start, "expected '%s'", name);

	if (!next_piece(d, &p) || !nvfifo_text_whole(p.start, p.len, base, max, value))
		return refuse(d, p.start, "expected a %s number up to 0x%llx after '%s'",
			      base == 16 ? "hexadecimal" : "decimal", (unsigned long long)max,
			      name);

	return 0;
}

static int segment_end(struct nvfifo_capture *d)
{
	if ((d->in_segment || d->in_contents) && d->left)
		return refuse(d, d->line, "the %s before this line lacks %zu of the words that its 'bytes' says",
			      d->in_segment ? "segment" : "memory", d->left);
	d->in_segment = false;
	d->in_contents = false;

	return 0;
}

static int read_object(struct nvfifo_capture *d)
{
	__u64 channel = 0, handle = 0, oclass = 0;
	int ret = field(d, "channel", 10, NVFIFO_CAPTURE_CHANNELS - 1, &channel);

	if (!ret)
		ret = field(d, "handle", 16, 0xffffffff, &handle);
	if (!ret)
		ret = field(d, "class", 16, 0xffff, &oclass);
	if (ret || !d->ops->object)
		return ret;

	return d->ops->object(d->ctx, (unsigned int)channel, (__u32)handle, (__u32)oclass);
}

static int read_submit(struct nvfifo_capture *d)
{
	struct nvfifo_piece p;
	__u64 v;
	int ret;

	if (!next_piece(d, &p) || !nvfifo_text_whole(p.start, p.len, 10, 0xffffffff, &v))
		return refuse(d, p.start, "expected the number of the submission");

	ret = field(d, "channel", 10, NVFIFO_CAPTURE_CHANNELS - 1, &v);
	d->channel = (unsigned int)v;

	return ret;
}

static int read_segment(struct nvfifo_capture *d)
{
	__u64 index = 0, va = 0, bytes = 0, noprefetch, w0 = 0, w1 = 0;
	__u32 ib[2];
	struct nvfifo_piece p;
	int ret;

	if (!next_piece(d, &p) || !nvfifo_text_whole(p.start, p.len, 10, 0xffffffff, &index))
		return refuse(d, p.start, "expected the number of the segment");

	ret = field(d, "va", 16, NVFIFO_VA_MASK, &va);
	if (!ret)
		ret = field(d, "bytes", 10, 0xffffffff, &bytes);
	if (!ret)
		ret = field(d, "noprefetch", 10, 1, &noprefetch);
	if (!ret)
		ret = field(d, "ib", 16, 0xffffffff, &w0);
	if (ret)
		return ret;
	if (!next_piece(d, &p) || !nvfifo_text_whole(p.start, p.len, 16, 0xffffffff, &w1))
		return refuse(d, p.start, "expected the second word of the IB entry");
	if (bytes % 4)
		return refuse(d, p.start, "the segment's bytes are not a multiple of 4");

	d->in_segment = true;
	d->left = (size_t)bytes / 4;
	ib[0] = (__u32)w0;
	ib[1] = (__u32)w1;

	return d->ops->segment(d->ctx, d->channel, (unsigned int)index, va, d->left, ib);
}

static int read_contents(struct nvfifo_capture *d)
{
	__u64 va = 0, bytes = 0;
	int ret = field(d, "va", 16, NVFIFO_VA_MASK, &va);

	if (!ret)
		ret = field(d, "bytes", 10, 0xffffffff, &bytes);
	if (ret)
		return ret;
	if (va % 4 || bytes % 4)
		return refuse(d, d->line, "the address and the bytes of contents are multiples of 4");

	d->in_contents = true;
	d->left = (size_t)bytes / 4;

	return d->ops->contents ? d->ops->contents(d->ctx, va, d->left) : 0;
}

/* Eight digits with a blank or the line's end after them, as most words are. */
static bool is_plain_word(const char *s, const char *end, __u32 *v)
{
	if (end - s < 8 || (end - s > 8 && !is_blank(s[8])))
		return false;

	return nvfifo_get_word(s, v);
}

static inline int take_word(struct nvfifo_capture *d, const char *at, __u32 v)
{
	if ((d->in_segment || d->in_contents) && !d->left--)
		return refuse(d, at, "the %s has more words than its 'bytes' says",
			      d->in_segment ? "segment" : "memory");
	if (d->in_contents)
		return d->ops->memory ? d->ops->memory(d->ctx, v) : 0;

	return d->ops->word ? d->ops->word(d->ctx, v) : 0;
}

/* Is a line at @s a plain word and nothing else? */
static inline bool is_word_line(const char *s, const char *end, __u32 *v)
{
	return end - s > 8 && s[8] == '\n' && nvfifo_get_word(s, v);
}

/* The plain words that a line begins with; @any: out: there were some. Return: 0, or why reading ends. */
static int read_plain_words(struct nvfifo_capture *d, bool *any)
{
	int ret = 0;
	__u32 v;

	while (!ret) {
		while (d->pos < d->end && is_blank(*d->pos))
			d->pos++;
		if (!is_plain_word(d->pos, d->end, &v))
			break;
		ret = take_word(d, d->pos, v);
		d->pos += 8;
		*any = true;
	}

	return ret;
}

static int read_words(struct nvfifo_capture *d, struct nvfifo_piece p)
{
	__u64 v;
	int ret = 0;

	do {
		if (!nvfifo_text_whole(p.start, p.len, 16, 0xffffffff, &v))
			return refuse(d, p.start, "'%.*s' is not a word of up to 8 hexadecimal digits",
				      (int)(p.len > 40 ? 40 : p.len), p.start);
		ret = take_word(d, p.start, (__u32)v);
	} while (!ret && next_piece(d, &p));

	return ret;
}

/* A remark begins with a letter and its first word is no hexadecimal number. */
static bool is_remark(const struct nvfifo_piece *p)
{
	__u64 v;

	return p->len > 2 && (*p->start | 0x20) >= 'a' && (*p->start | 0x20) <= 'z' &&
	       !nvfifo_text_whole(p->start, p->len, 16, UINT64_MAX, &v);
}

static int read_line(struct nvfifo_capture *d)
{
	static const struct {
		const char *name;
		int (*read)(struct nvfifo_capture *d);
	} kinds[] = {
		{ "push", read_segment }, { "grobj", read_object },
		{ "submit", read_submit }, { "contents", read_contents },
	};
	struct nvfifo_piece p;
	bool any = false;
	size_t i;
	int ret = read_plain_words(d, &any);

	if (ret || d->pos == d->end || !next_piece(d, &p))
		return ret;

	/* After a word, and without segments, everything must be a word. */
	if (any || !d->ops->segment || !is_remark(&p))
		return read_words(d, p);

	ret = segment_end(d);
	for (i = 0; !ret && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (nvfifo_piece_is(&p, kinds[i].name))
			ret = kinds[i].read(d);
	}

	/* The operation for a segment has its line. */
	if (ret || nvfifo_piece_is(&p, "push") || !d->ops->remark)
		return ret;

	return d->ops->remark(d->ctx, d->line, (size_t)(d->end - d->line));
}

void nvfifo_capture_begin(struct nvfifo_capture *d, const struct nvfifo_capture_ops *ops, void *ctx)
{
	memset(d, 0, sizeof(*d));
	d->ops = ops;
	d->ctx = ctx;
}

int nvfifo_capture_feed(struct nvfifo_capture *d, const char *text, size_t len)
{
	const char *end = text + len;
	int ret = 0;

	d->line = text;

	/* The byte order mark that some editors write. */
	if (!d->number && len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		d->line += 3;

	while (!ret && d->line < end) {
		__u32 v;

		d->number++;
		/* Long texts have a word on each line, whose end needs no search. */
		if (is_word_line(d->line, end, &v)) {
			ret = take_word(d, d->line, v);
			if (!ret)
				d->line += 9;
			continue;
		}

		d->end = nvfifo_text_line_end(d->line, end);
		d->pos = d->line;
		ret = read_line(d);
		if (!ret)
			d->line = d->end + (d->end < end);
	}

	return ret;
}

int nvfifo_capture_end(struct nvfifo_capture *d)
{
	return segment_end(d);
}

int nvfifo_capture_read(const char *text, size_t len, const struct nvfifo_capture_ops *ops, void *ctx,
			struct nvfifo_diag *diag)
{
	struct nvfifo_capture d;
	int ret;

	nvfifo_capture_begin(&d, ops, ctx);
	ret = nvfifo_capture_feed(&d, text, len);
	if (!ret)
		ret = nvfifo_capture_end(&d);
	if (ret == -EINVAL)
		nvfifo_error(ret, "line %u, column %u: %s", d.diag.line, d.diag.column,
			     d.diag.text);
	if (diag)
		*diag = d.diag;

	return ret;
}

static int add_word(void *ctx, __u32 word)
{
	return nvfifo_words_add(ctx, word);
}

int nvfifo_capture_words(const char *text, size_t len, struct nvfifo_words *words,
			 struct nvfifo_diag *diag)
{
	static const struct nvfifo_capture_ops ops = { .word = add_word };

	return nvfifo_capture_read(text, len, &ops, words, diag);
}

bool nvfifo_capture_detect(const char *text, size_t len)
{
	const char *s = text, *end = text + len;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s += 3;

	for (; s < end; s = nvfifo_text_next_line(s, end)) {
		if (end - s > 5 && (!memcmp(s, "push ", 5) || !memcmp(s, "grobj", 5)))
			return true;
	}

	return false;
}
