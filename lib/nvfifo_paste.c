// SPDX-License-Identifier: MIT
/* Words in the forms in which people paste them. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_capture.h"
#include "nvfifo_fmt_user.h"
#include "nvfifo_log_priv.h"
#include "nvfifo_paste_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"

const char nvfifo_paste_forms[] =
	"hexadecimal or decimal words; libdrm's and Mesa's 'nouveau: 0x...' with krec, buf, psh lines; dedma; "
	"demmt (PB: 0x...); valgrind-mmt (w 13:0x0000, 0x...); xxd; hexdump; od; nvapeek; gdb's x and p; the "
	"kernel's hex dumps; C assignments and arrays; OUT_RING(0x...), PUSH_DATA(push, 0x...), BEGIN_NV04 with "
	"numbers; lists of Python, Rust, Go and JSON; bytes; quoted, in a page or in a log, too";

/* --- Lines ------------------------------------------------------------------ */

/* Lines that terminals and Markdown have around the words: "(gdb) x/8xw pb", "$ xxd pb.bin", "```" */
static bool is_around(const char *s)
{
	static const char *const texts[] = { "(gdb)", "(lldb)", "$ ", "```", "~~~", "crash>" };
	size_t i;

	s = nvfifo_text_skip(s);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (*s == *texts[i] && !strncmp(s, texts[i], strlen(texts[i])))
			return true;
	}

	return false;
}

static void add_line(struct paste *p, char *line)
{
	size_t prefix;

	p->changed = nvfifo_text_clean(line) || p->changed;
	prefix = log_prefix_len(line);
	if (prefix) {
		line += prefix;
		p->changed = true;
	}

	if (is_around(line))
		p->changed = true;
	else if (*nvfifo_text_skip(line) && *nvfifo_text_skip(line) != '#')
		p->lines[p->count++] = line;
}

static void free_paste(struct paste *p)
{
	free(p->lines);
	free(p->text);
}

static bool read_paste(struct paste *p, const char *text, size_t len)
{
	char *line, *newline, *end;
	size_t lines = 1, i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	p->text = malloc(len + 1);
	p->lines = calloc(lines, sizeof(*p->lines));
	if (!p->text || !p->lines) {
		free_paste(p);
		return false;
	}

	memcpy(p->text, text, len);
	p->text[len] = '\0';
	end = p->text + len;
	for (line = p->text; line < end; line = newline + 1) {
		newline = line + (nvfifo_text_line_end(line, end) - line);
		*newline = '\0';
		add_line(p, line);
	}

	return true;
}

/* Digits of an offset, with a colon or a blank after them */
static bool is_offset(const char *s)
{
	size_t n;

	s += 2 * nvfifo_text_is_0x(s);
	n = nvfifo_text_digits(s, 16);

	return n >= 4 && (s[n] == ':' || s[n] == ' ');
}

/* The length of "pb: " or "nouveau 0000:01:00.0: " in front of an offset or an assignment, or 0 */
static size_t label_len(const char *s, bool alone)
{
	const char *colon, *p;
	size_t n = 0;

	if (is_offset(s))
		return 0;

	for (colon = s; (colon = strstr(colon, ": ")); colon += 2) {
		p = nvfifo_text_skip(colon + 2);
		n = (size_t)(p - s);
		if (is_offset(p))
			return alone && !strchr(p, ':') ? 0 : n;
	}

	return n && strchr(s + n, '=') && isalpha((unsigned char)*s) ? n : 0;
}

/* Remove the same label in front of each line: print_hex_dump() has one. */
static void drop_label(struct paste *p)
{
	size_t i, n = p->count ? label_len(p->lines[0], p->count == 1) : 0;

	for (i = 1; i < p->count && n; i++) {
		if (strncmp(p->lines[i], p->lines[0], n))
			return;
	}

	for (i = 0; i < p->count && n; i++)
		p->lines[i] += n;
	p->changed = p->changed || n;
}

/* --- Lists of words ----------------------------------------------------------- */

/* A line that nvfifo_capture_read() reads */
static bool is_plain(const char *s)
{
	size_t n;

	for (;;) {
		s += strspn(s, " \t,");
		if (!*s || *s == '#')
			return true;
		if (nvfifo_text_is_0x(s))
			s += 2;
		n = nvfifo_text_digits(s, 16);
		if (!n || n > 8 || (s[n] && !strchr(" \t,#", s[n])))
			return false;
		s += n;
	}
}

/* The next word of a line, with the suffix that languages give it. Return: the text after it, or NULL. */
static const char *next_word(const char *s, unsigned int base, __u32 *word)
{
	size_t n;
	__u64 v;

	if (base == PASTE_HEX && nvfifo_text_is_0x(s))
		s += 2;
	n = nvfifo_text_digits(s, base);
	if (!nvfifo_text_number(s, n, base, &v) || v > 0xffffffff)
		return NULL;

	*word = (__u32)v;
	s += n;
	s += strspn(s, "uUlLhH");
	s += strspn(s, ";");

	return *s && !strchr(" \t,#", *s) ? NULL : s;
}

/* Add the words of a line to @o, or only count them. Return: how many, or -1 if the line has something else. */
static int line_words(const char *s, unsigned int base, struct paste_out *o)
{
	__u32 word;
	int n = 0;

	for (;; n++) {
		s += strspn(s, " \t,");
		if (!*s || *s == '#')
			return n;
		s = next_word(s, base, &word);
		if (!s)
			return -1;
		if (o)
			paste_put_word(o, word);
	}
}

/* The first words of a list, a few lines more than @room at most */
static struct nvfifo_words first_words(const struct paste *p, unsigned int base, size_t room)
{
	struct paste_out o = { 0 };
	size_t i;

	for (i = 0; i < p->count && o.words.count < room; i++)
		line_words(p->lines[i], base, &o);

	return o.words;
}

unsigned int paste_wrong_words(const __u32 *words, size_t count)
{
	struct nvfifo_decoder *d = malloc(sizeof(*d));
	unsigned int wrong = 0;
	struct nvfifo_word w;
	size_t i;

	if (!d)
		return 0;

	nvfifo_decoder_init(d, NVFIFO_FORMAT_NV04, 0);
	for (i = 0; i < count; i++) {
		nvfifo_decode(d, words[i], &w);
		wrong += w.kind == NVFIFO_WORD_INVALID;
		wrong += w.kind == NVFIFO_WORD_HEADER && !w.cmd.count &&
			 (w.cmd.type == NVFIFO_COMMAND_INCR || w.cmd.type == NVFIFO_COMMAND_NONINCR);
	}

	free(d);
	return wrong;
}

#define LOOK_WORDS	4096

static unsigned int wrong_as(const struct paste *p, unsigned int base)
{
	struct nvfifo_words w = first_words(p, base, LOOK_WORDS);
	unsigned int wrong = paste_wrong_words(w.data, w.count);

	nvfifo_words_free(&w);
	return wrong;
}

/* A number that can only be decimal (1), only hexadecimal (-1), or both (0) */
static int number_base(const char *s, size_t len)
{
	const size_t digits = nvfifo_text_digits(s, 10);

	if (nvfifo_text_is_0x(s) || digits != len || (len > 1 && *s == '0'))
		return -1;

	return len > 8;
}

/* Are the numbers of a list decimal? Without letters and zeros in front the commands decide. */
static bool is_decimal(const struct paste *p)
{
	bool sure = false;
	const char *s;
	size_t i, n;
	int base;

	for (i = 0; i < p->count; i++) {
		if (line_words(p->lines[i], PASTE_DECIMAL, NULL) < 0)
			return false;
		for (s = p->lines[i]; *s; s += n) {
			s += strspn(s, " \t,;");
			n = strcspn(s, " \t,;");
			base = n ? number_base(s, n) : 0;
			if (base < 0)
				return false;
			sure = sure || base > 0;
		}
	}

	return sure || (wrong_as(p, PASTE_HEX) && !wrong_as(p, PASTE_DECIMAL));
}

/* Bytes in two digits, four or more of them */
static bool is_bytes(const char *s)
{
	size_t count = 0;

	for (s = nvfifo_text_skip(s); nvfifo_text_digits(s, 16) == 2; s = nvfifo_text_skip(s + 2))
		count++;

	return count >= 4 && !*s;
}

/* Digits without blanks, of more than a word, as xxd -p has them */
static bool is_digits(const char *s)
{
	size_t n;

	s = nvfifo_text_skip(s);
	n = nvfifo_text_digits(s, 16);

	return n >= 8 && n % 2 == 0 && !s[n];
}

/* --- IB entries ---------------------------------------------------------------- */

static bool is_typed_ib(const char *s)
{
	s = nvfifo_text_skip(s);
	return !strncasecmp(s, "ib[", 3) || !strncasecmp(s, "ib entry", 8) || !strncasecmp(s, "ib ", 3) ||
	       !strncasecmp(s, "ib_entry", 8);
}

/* Pairs of words that are no commands, but segments of the pushbuffer */
static bool is_ib_list(const struct paste *p)
{
	bool is = p->count && wrong_as(p, PASTE_HEX);
	struct nvfifo_words w;
	size_t i;

	for (i = 0; i < p->count && is && p->count != 2; i++)
		is = line_words(p->lines[i], PASTE_HEX, NULL) == 2;
	if (!is)
		return false;

	w = first_words(p, PASTE_HEX, LOOK_WORDS);
	is = w.count && w.count % 2 == 0 && (p->count != 2 || w.count == 2 || w.count == 4);
	for (i = 0; i + 1 < w.count && is; i += 2) {
		const struct nvfifo_ib_entry e = nvfifo_ib_decode(w.data + i);

		is = !(w.data[i] & 3) && e.address && e.words && e.words < 0x10000 &&
		     !(w.data[i + 1] & 0x100);
	}

	nvfifo_words_free(&w);
	return is;
}

static int refuse_ib(const struct paste *p)
{
	struct nvfifo_words w = first_words(p, PASTE_HEX, 2);
	struct nvfifo_ib_entry e;
	char text[120] = "";

	if (w.count >= 2) {
		e = nvfifo_ib_decode(w.data);
		snprintf(text, sizeof(text), ": %08x %08x is a segment of %u words at %010llx", w.data[0],
			 w.data[1], e.words, (unsigned long long)e.address);
	}

	nvfifo_words_free(&w);
	return nvfifo_error(-EINVAL, "an IB entry is not a command%s. 'nvfifo calc ib WORD WORD' decodes it, and the segment that it names has the words",
			    text);
}

/* --- Traces --------------------------------------------------------------------- */

/* "w 13:0x0000, 0x00040060" */
static const char *mmt_text(const char *s)
{
	const char *p = strstr(s, "w ");

	if (!p || (p != s && p[-1] != ' '))
		return NULL;

	p += 2;
	p += strspn(p, "0123456789");
	if (strncmp(p, ":0x", 3))
		return NULL;

	p = strstr(p, ", ");
	return p ? p + 2 : NULL;
}

static const char *demmt_text(const char *s)
{
	const char *p = strstr(s, "PB: 0x");

	return p ? p + 4 : NULL;
}

static bool is_dedma(const char *s)
{
	s = nvfifo_text_skip(s);
	if (nvfifo_text_digits(s, 16) != 8 || !isspace((unsigned char)s[8]))
		return false;

	s = nvfifo_text_skip(s + 8);
	return strstr(s, "size ") || strchr(s, '.') || strstr(s, "NV") || isalpha((unsigned char)*s);
}

static bool is_mmiotrace(const char *s)
{
	return !strncmp(s, "R 4 ", 4) || !strncmp(s, "W 4 ", 4) || !strncmp(s, "MAP ", 4) ||
	       !strncmp(s, "PCIDEV ", 7) || !strncmp(s, "UNMAP ", 6);
}

/* --- Detection -------------------------------------------------------------------- */

static bool all_lines(const struct paste *p, bool (*is)(const char *s))
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		if (!is(p->lines[i]))
			return false;
	}

	return p->count;
}

/* Lines of a form, up to @most of them */
static size_t count_lines(const struct paste *p, bool (*is)(const char *s), size_t most)
{
	size_t i, n = 0;

	for (i = 0; i < p->count && n < most; i++)
		n += is(p->lines[i]);

	return n;
}

static bool is_hdr(const char *s)
{
	return strstr(s, "HDR ") && strstr(s, "subch ");
}

static bool is_mmt(const char *s)
{
	return mmt_text(s);
}

static bool is_demmt(const char *s)
{
	return demmt_text(s);
}

static bool is_dedma_header(const char *s)
{
	return strstr(s, "subchannel") && strstr(s, "size ");
}

static bool is_list_line(const char *s)
{
	return line_words(s, PASTE_HEX, NULL) >= 0;
}

static bool is_decimal_line(const char *s)
{
	return line_words(s, PASTE_DECIMAL, NULL) >= 0;
}

static bool is_star_or_list(const char *s)
{
	return !strcmp(nvfifo_text_skip(s), "*") || is_list_line(s) || is_decimal_line(s);
}

static bool is_c(const char *s)
{
	return strpbrk(s, ";{}[");
}

static bool is_list(const char *s)
{
	return !strncmp(s, "(0x", 3) || strstr(s, "\\x") || strstr(s, ".pack(");
}

/* Registers, as nvapeek prints them, whose values are no commands */
static bool is_registers(const struct paste *p, const struct paste_dump *d)
{
	struct nvfifo_reg_ref ref;
	struct paste_out o = { 0 };
	bool is;

	if (d->characters || d->big || d->base != 16 || d->in_words || d->first < 0x100 ||
	    d->first >= NVFIFO_BAR0_BYTES || d->first >> 20 == 7)
		return false;

	nvfifo_reg_at((__u32)d->first, 0, &ref);
	if (!ref.reg)
		return false;

	is = paste_dump_put(p, d, &o) || paste_wrong_words(o.words.data, o.words.count);
	nvfifo_words_free(&o.words);

	return is;
}

/* Words with nothing around them that nvfifo_capture_read() would not take */
static enum nvfifo_paste detect_list(const struct paste *p)
{
	if (all_lines(p, is_bytes))
		return NVFIFO_PASTE_BYTES;
	if (is_decimal(p))
		return NVFIFO_PASTE_DECIMAL;
	if (is_ib_list(p))
		return NVFIFO_PASTE_IB;

	return p->changed || !all_lines(p, is_plain) ? NVFIFO_PASTE_LIST : NVFIFO_PASTE_WORDS;
}

static enum nvfifo_paste detect(struct paste *p, struct paste_dump *d)
{
	static const struct {
		bool (*is)(const char *s);
		enum nvfifo_paste form;
	} marks[] = {
		{ is_hdr, NVFIFO_PASTE_HDR }, { paste_is_libdrm, NVFIFO_PASTE_LIBDRM },
		{ is_demmt, NVFIFO_PASTE_DEMMT }, { is_mmt, NVFIFO_PASTE_MMT },
		{ is_mmiotrace, NVFIFO_PASTE_MMIOTRACE },
	};
	size_t i;

	if (!p->count)
		return NVFIFO_PASTE_WORDS;

	/* Most lines of a long text are words, and none of the other forms. */
	for (i = 0; !all_lines(p, is_plain) && i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (count_lines(p, marks[i].is, 1))
			return marks[i].form;
	}

	drop_label(p);
	if (paste_dump_look(p, d))
		return is_registers(p, d) ? NVFIFO_PASTE_REGISTERS : NVFIFO_PASTE_DUMP;
	if (all_lines(p, is_list_line))
		return detect_list(p);
	if (all_lines(p, is_decimal_line) && is_decimal(p))
		return NVFIFO_PASTE_DECIMAL;
	if (all_lines(p, is_digits))
		return NVFIFO_PASTE_BYTES;
	if (all_lines(p, is_dedma) && count_lines(p, is_dedma_header, 1))
		return NVFIFO_PASTE_DEDMA;
	if (2 * count_lines(p, paste_is_call, p->count) >= p->count)
		return NVFIFO_PASTE_CALLS;
	if (all_lines(p, is_typed_ib))
		return NVFIFO_PASTE_IB;

	if (all_lines(p, is_star_or_list))
		return NVFIFO_PASTE_LEFT_OUT;

	if (count_lines(p, is_c, 1) || count_lines(p, is_list, 1))
		return NVFIFO_PASTE_SOURCE;

	return NVFIFO_PASTE_UNKNOWN;
}

enum nvfifo_paste nvfifo_paste_detect(const char *text, size_t len)
{
	enum nvfifo_paste form;
	struct paste_dump d;
	struct paste p;

	if (!read_paste(&p, text, len))
		return NVFIFO_PASTE_UNKNOWN;

	form = detect(&p, &d);
	free_paste(&p);

	return form;
}

/* --- Words ------------------------------------------------------------------ */

void paste_put_word(struct paste_out *o, __u32 v)
{
	if (!o->err)
		o->err = nvfifo_words_add(&o->words, v);
}

void paste_put_byte(struct paste_out *o, unsigned int v)
{
	o->bytes[o->count++] = (unsigned char)v;
	if (o->count < 4)
		return;

	paste_put_word(o, o->bytes[0] | o->bytes[1] << 8 | o->bytes[2] << 16 | (__u32)o->bytes[3] << 24);
	o->count = 0;
}

void paste_print(struct paste_out *o)
{
	for (; o->printed < o->words.count; o->printed++)
		fprintf(o->f, "%08x\n", o->words.data[o->printed]);
}

static int put_bytes(const char *s, struct paste_out *o)
{
	__u64 v;

	for (s = nvfifo_text_skip(s); *s; s = nvfifo_text_skip(s + 2)) {
		nvfifo_text_number(s, 2, 16, &v);
		paste_put_byte(o, (unsigned int)v);
	}

	return 0;
}

/* A word at @s, and more after commas if @all. A longer number is of another tool's field. */
static int put_word_at(const char *s, bool all, struct paste_out *o)
{
	size_t digits;
	__u64 v;

	while (s && (s = nvfifo_text_hex(s, &v, &digits)) && digits <= 8) {
		paste_put_word(o, (__u32)v);
		if (!all || *s != ',')
			break;
		s++;
	}

	return 0;
}

/* The program's text, with its lines again */
static int put_source(const struct paste *p, struct paste_out *o)
{
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return nvfifo_error(-ENOMEM, "out of memory");

	for (i = 0; i < p->count; i++)
		fprintf(f, "%s\n", p->lines[i]);
	fclose(f);
	paste_source_put(text, len, o);
	free(text);

	return 0;
}

/* A line of one of the forms that have their words line by line */
static int put_line(struct paste_out *o, enum nvfifo_paste form, const char *s)
{
	switch (form) {
	case NVFIFO_PASTE_WORDS:
	case NVFIFO_PASTE_LIST:
		line_words(s, PASTE_HEX, o);
		return 0;
	case NVFIFO_PASTE_DECIMAL:
		line_words(s, PASTE_DECIMAL, o);
		return 0;
	case NVFIFO_PASTE_BYTES:
		return put_bytes(s, o);
	case NVFIFO_PASTE_MMT:
		return put_word_at(mmt_text(s), true, o);
	case NVFIFO_PASTE_DEMMT:
		return put_word_at(demmt_text(s), false, o);
	default:
		return put_word_at(nvfifo_text_skip(s), false, o);
	}
}

static int put_all(struct paste_out *o, enum nvfifo_paste form, const struct paste *p,
		   const struct paste_dump *d)
{
	size_t i;
	int ret = 0;

	switch (form) {
	case NVFIFO_PASTE_UNKNOWN:
		return nvfifo_error(-EINVAL, "the form of these words is not known");
	case NVFIFO_PASTE_LEFT_OUT:
		return nvfifo_error(-EINVAL, "'*' stands for lines that were left out, and no offset says how many: hexdump -v and od -v print all");
	case NVFIFO_PASTE_HDR:
		return nvfifo_error(-EINVAL, "a dump of headers (HDR ... subch ...) that Mesa writes for GF100 and later; this family does not read it");
	case NVFIFO_PASTE_IB:
		return refuse_ib(p);
	case NVFIFO_PASTE_MMIOTRACE:
		return nvfifo_error(-EINVAL, "this is a trace of registers (mmiotrace), not a pushbuffer: 'nvsim --decode FILE' decodes it");
	case NVFIFO_PASTE_REGISTERS:
		return nvfifo_error(-EINVAL, "these are registers (%06llx on), not a pushbuffer: 'nvfifo peek --reads FILE' and 'nvfifo explain FILE' decode them",
				    (unsigned long long)d->first);
	case NVFIFO_PASTE_DUMP:
		return paste_dump_put(p, d, o);
	case NVFIFO_PASTE_LIBDRM:
		return paste_libdrm_put(p, o);
	case NVFIFO_PASTE_CALLS:
		return paste_calls_put(p, o);
	case NVFIFO_PASTE_SOURCE:
		return put_source(p, o);
	default:
		break;
	}

	for (i = 0; i < p->count && !ret; i++)
		ret = put_line(o, form, p->lines[i]);
	if (!ret && o->count)
		ret = nvfifo_error(-EINVAL, "the bytes are not a multiple of 4");

	return ret;
}

char *nvfifo_paste_convert(const char *text, size_t len, size_t *out_len)
{
	struct paste_out o = { 0 };
	struct paste_dump d = { 0 };
	enum nvfifo_paste form;
	char *result = NULL;
	struct paste p;
	int ret;

	if (!read_paste(&p, text, len)) {
		nvfifo_error(-ENOMEM, "out of memory");
		return NULL;
	}

	form = detect(&p, &d);
	o.f = open_memstream(&result, out_len);
	ret = o.f ? put_all(&o, form, &p, &d) : nvfifo_error(-ENOMEM, "out of memory");
	if (!ret)
		ret = o.err;
	if (!ret && !o.words.count)
		ret = nvfifo_error(-EINVAL, "there are no words in it");
	if (!ret)
		paste_print(&o);
	nvfifo_words_free(&o.words);
	free_paste(&p);
	if ((o.f && fclose(o.f)) || ret) {
		free(result);
		return NULL;
	}

	return result;
}

/* --- Other generations -------------------------------------------------------- */

struct walk {
	struct nvfifo_decoder nv04;
	struct nvfifo_decoder nvc0;
	unsigned int wrong_nv04;
	unsigned int wrong_nvc0;
	unsigned int headers;
	unsigned int words;
};

static int walk_word(void *ctx, __u32 word)
{
	struct nvfifo_word w;
	struct walk *k = ctx;

	/* The first word of a pushbuffer is a command. Later ones may be data that were miscounted. */
	nvfifo_decode(&k->nv04, word, &w);
	k->wrong_nv04 += !k->words && w.kind == NVFIFO_WORD_INVALID;
	nvfifo_decode(&k->nvc0, word, &w);
	k->wrong_nvc0 += w.kind == NVFIFO_WORD_INVALID;
	k->headers += w.kind == NVFIFO_WORD_HEADER;

	return ++k->words > 4096;
}

bool nvfifo_words_are_gf100(const char *text, size_t len)
{
	static const struct nvfifo_capture_ops ops = { .word = walk_word };
	struct walk *k = calloc(1, sizeof(*k));
	bool is;

	if (!k)
		return false;

	nvfifo_decoder_init(&k->nv04, NVFIFO_FORMAT_NV04, 0);
	nvfifo_decoder_init(&k->nvc0, NVFIFO_FORMAT_NVC0, 0);
	nvfifo_capture_read(text, len, &ops, k, NULL);
	is = k->words >= 6 && k->headers >= 2 && k->wrong_nv04 && !k->wrong_nvc0;
	free(k);

	return is;
}
