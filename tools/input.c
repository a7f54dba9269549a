// SPDX-License-Identifier: MIT
/* Input files: read them, and detect their kind. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvfifo_capture.h"
#include "nvfifo_paste.h"
#include "nvfifo_text.h"
#include "tools.h"

/* Far above any real program or capture. The limit bounds the cost of a wrong path. */
#define INPUT_MAX (256u << 20)

const char *input_name(const char *path)
{
	if (!strcmp(path, "-"))
		return "standard input";
	return path;
}

static int no_memory(const char *name)
{
	fprintf(stderr, "nvfifo: no memory for %s\n", name);
	return EXIT_USAGE;
}

static int cannot_read(const char *name)
{
	fflush(stdout);
	fprintf(stderr, "nvfifo: cannot read %s: %s\n", name, strerror(errno));
	return EXIT_USAGE;
}

/* Get a file's size and one byte more, so that one read() is enough. */
static size_t first_room(FILE *f)
{
	struct stat st;

	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size >= INPUT_MAX)
		return 65536;
	return st.st_size < 65536 ? 65536 : (size_t)st.st_size + 1;
}

/* Make twice the room. @what has more than all of that. Return: 0 or an exit code. */
static int grow(char **buf, size_t *room, const char *name, const char *what)
{
	char *bigger;

	if (*room >= INPUT_MAX) {
		fprintf(stderr, "nvfifo: %s has %smore than %u MiB\n", name, what, INPUT_MAX >> 20);
		return EXIT_USAGE;
	}

	bigger = realloc(*buf, 2 * *room);
	if (!bigger)
		return no_memory(name);

	*buf = bigger;
	*room *= 2;

	return EXIT_OK;
}

static int read_stream(FILE *f, const char *name, char **data, size_t *len)
{
	size_t room = first_room(f);
	int ret = EXIT_OK;

	*data = malloc(room);
	if (!*data)
		ret = no_memory(name);

	while (!ret) {
		*len += fread(*data + *len, 1, room - *len, f);
		if (*len < room)
			break;
		ret = grow(data, &room, name, "");
	}

	if (!ret && ferror(f))
		ret = cannot_read(name);
	if (ret) {
		free(*data);
		*data = NULL;
		return ret;
	}

	(*data)[*len] = '\0';
	return EXIT_OK;
}

FILE *open_input(const char *path)
{
	char program[PATH_MAX];
	FILE *f;
	int err;

	if (!strcmp(path, "-")) {
		/* Tell a user who forgot the file why the command waits. */
		if (isatty(STDIN_FILENO))
			fputs("nvfifo: reading from the terminal, to the end of the input (Ctrl-D)\n", stderr);
		return stdin;
	}

	f = fopen(path, "rb");
	if (f)
		return f;

	/* The name of a program may lack its end. */
	err = errno;
	fprintf(stderr, "nvfifo: cannot open %s: %s", path, strerror(err));
	snprintf(program, sizeof(program), "%.4000s.nvp", path);
	if (err == ENOENT && !access(program, F_OK))
		fprintf(stderr, "; did you mean %s?", program);
	fputc('\n', stderr);

	return NULL;
}

void close_input(FILE *f)
{
	if (f != stdin)
		fclose(f);
}

int read_input(const char *path, char **data, size_t *len)
{
	FILE *f;
	int ret;

	*data = NULL;
	*len = 0;

	f = open_input(path);
	if (!f)
		return EXIT_USAGE;

	ret = read_stream(f, input_name(path), data, len);
	close_input(f);

	return ret;
}

/* Size of a piece, which grows only for a longer line */
#define PIECE	(1u << 20)

static int take_pieces(FILE *f, const char *name,
		       int (*take)(void *ctx, const char *data, size_t len, bool last, size_t *taken),
		       void *ctx)
{
	size_t room = PIECE, used = 0, taken;
	char *buf = malloc(room);
	bool last = false;
	int ret = buf ? EXIT_OK : no_memory(name);

	while (!ret && !last) {
		used += fread(buf + used, 1, room - used, f);
		last = used < room;
		if (ferror(f)) {
			ret = cannot_read(name);
			break;
		}

		taken = 0;
		ret = take(ctx, buf, used, last, &taken);
		used -= taken;
		memmove(buf, buf + taken, used);
		if (!ret && !taken && !last)
			ret = grow(&buf, &room, name, "a line of ");
	}

	free(buf);
	return ret;
}

int read_pieces(const char *path,
		int (*take)(void *ctx, const char *data, size_t len, bool last, size_t *taken),
		void *ctx)
{
	FILE *f = open_input(path);
	int ret;

	if (!f)
		return EXIT_USAGE;

	ret = take_pieces(f, input_name(path), take, ctx);
	close_input(f);

	return ret;
}

/* Bytes of the UTF-8 character at @s that is no ASCII, or 0 if it is none. */
static size_t utf8_len(const unsigned char *s, size_t len)
{
	size_t i, n = 0;

	if (*s >= 0xc2 && *s <= 0xdf)
		n = 2;
	else if (*s >= 0xe0 && *s <= 0xef)
		n = 3;
	else if (*s >= 0xf0 && *s <= 0xf4)
		n = 4;
	if (!n || n > len)
		return 0;

	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}

	return n;
}

static bool is_text_control(unsigned char c)
{
	return c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

static bool is_control(unsigned char c)
{
	return c == 0x7f || (c < 0x20 && !is_text_control(c));
}

bool input_is_text(const char *data, size_t len, size_t *at)
{
	const unsigned char *s = (const unsigned char *)data;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = 1;
		/* Most characters are printable ASCII. */
		if (s[i] >= ' ' && s[i] <= '~')
			continue;
		if (s[i] >= 0x80)
			n = utf8_len(s + i, len - i);
		else if (is_control(s[i]))
			n = 0;
		if (!n) {
			*at = i;
			return false;
		}
	}

	return true;
}

/* Whether it is text that is not UTF-8: words have control characters, their zeros above all. */
static bool is_other_text(const char *data, size_t len)
{
	size_t i;

	if (len >= 2 && (!memcmp(data, "\xff\xfe", 2) || !memcmp(data, "\xfe\xff", 2)))
		return true;

	for (i = 0; i < len; i++) {
		if (is_control((unsigned char)data[i]))
			return false;
	}

	return true;
}

/* A program declares something, on a line of its own; no capture has such a line. */
static bool has_program_line(const char *data, size_t len)
{
	static const char *const words[] = { "channel ", "buffer ", "title ", "requires ", "push {" };
	const char *s = data, *end = data + len;
	size_t i;

	for (; s < end; s = nvfifo_text_next_line(s, end)) {
		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			size_t n;

			if (s == end || *s != *words[i])
				continue;

			n = strlen(words[i]);
			if ((size_t)(end - s) > n && !memcmp(s, words[i], n))
				return true;
		}
	}

	return false;
}

static bool ends_with(const char *path, const char *end)
{
	size_t len = strlen(path), n = strlen(end);

	return len > n && !strcmp(path + len - n, end);
}

bool input_is_program(const char *path, const char *data, size_t len)
{
	return ends_with(path, ".nvp") || has_program_line(data, len);
}

void print_diag(const char *path, const struct nvfifo_diag *diag)
{
	fflush(stdout);
	fprintf(stderr, "%s:%u:%u: %s\n", input_name(path), diag->line, diag->column, diag->text);
}

void explain_words_input(const char *path)
{
	fprintf(stderr,
		"nvfifo: %s was read as hexadecimal words: it has no line of a recording ('push 0 va ...')"
		" and none of a program ('channel ...'); --input says what a file is\n",
		input_name(path));
	fprintf(stderr, "nvfifo: known forms of words are: %s\n", nvfifo_paste_forms);
}

enum input look_at_input(const char *path, const char *data, size_t len)
{
	size_t lines;
	size_t at = 0;

	/* The name is more reliable than a text with mistakes. */
	if (ends_with(path, ".nvp"))
		return INPUT_PROGRAM;
	if (!input_is_text(data, len, &at)) {
		if (ends_with(path, ".bin"))
			return INPUT_BINARY;
		if (is_other_text(data, len)) {
			fprintf(stderr,
				"nvfifo: %s looks like text that is not UTF-8, the byte 0x%02x at offset %zu: iconv converts it, --input says what it is\n",
				input_name(path), (unsigned char)data[at], at);
			return INPUT_OTHER_TEXT;
		}

		fprintf(stderr,
			"nvfifo: %s is taken for binary words: the byte 0x%02x at offset %zu is not text\n",
			input_name(path), (unsigned char)data[at], at);
		return INPUT_BINARY;
	}

	if (has_program_line(data, len))
		return INPUT_PROGRAM;
	if (nvfifo_capture_detect(data, len))
		return INPUT_CAPTURE;

	/* A piece of a longer input ends within a line. */
	lines = nvfifo_text_whole_lines(data, len);
	if (lines)
		len = lines - 1;

	return nvfifo_paste_detect(data, len) == NVFIFO_PASTE_WORDS ? INPUT_HEX : INPUT_PASTE;
}

/* A text that is not all words is refused before any of them is printed. */
static int check_words(const char *path, const char *data, size_t len)
{
	static const struct nvfifo_capture_ops ops = { .word = NULL };
	struct nvfifo_diag diag = { 0 };

	if (!nvfifo_capture_read(data, len, &ops, NULL, &diag))
		return EXIT_OK;

	print_diag(path, &diag);
	explain_words_input(path);

	return EXIT_USAGE;
}

int convert_input(const char *path, char **data, size_t *len, enum input *input)
{
	const enum nvfifo_paste form = nvfifo_paste_detect(*data, *len);
	size_t out_len = 0;
	char *out;

	if (form == NVFIFO_PASTE_UNKNOWN) {
		*input = INPUT_HEX;
		return check_words(path, *data, *len);
	}

	out = nvfifo_paste_convert(*data, *len, &out_len);
	free(*data);
	*data = out;
	*len = out_len;
	if (!out) {
		fprintf(stderr, "%s: %s. Known forms of words are: %s\n", input_name(path),
			nvfifo_last_error(), nvfifo_paste_forms);
		return EXIT_USAGE;
	}

	*input = nvfifo_capture_detect(out, out_len) ? INPUT_CAPTURE : INPUT_HEX;
	return EXIT_OK;
}

bool refuse_gf100(const char *path, const char *data, size_t len)
{
	if (!nvfifo_words_are_gf100(data, len))
		return false;

	fflush(stdout);
	fprintf(stderr,
		"%s: this looks like a pushbuffer of GF100 (Fermi) or later, whose commands are others; the NV50 family does not read it. 'nvfifo disasm --format nvc0' decodes its headers\n",
		input_name(path));

	return true;
}

int read_tables(const char *path, const char *name, int (*add)(const char *name, const char *text))
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	char *own = NULL, *text;
	size_t len;
	int ret = 0;

	if (!path && config && *config)
		ret = asprintf(&own, "%s/nvfifo/%s", config, name);
	else if (!path && home)
		ret = asprintf(&own, "%s/.config/nvfifo/%s", home, name);
	if (ret < 0)
		return EXIT_USAGE;

	if (!path && (!own || access(own, R_OK))) {
		free(own);
		return EXIT_OK;
	}

	ret = read_input(path ? path : own, &text, &len);
	if (ret)
		text = NULL;
	if (!ret && add(path ? path : own, text)) {
		fprintf(stderr, "%s\n", nvfifo_last_error());
		ret = EXIT_USAGE;
	}

	free(text);
	free(own);

	return ret;
}
