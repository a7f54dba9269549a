// SPDX-License-Identifier: MIT
/*
 * "nvfifo disasm --json": words as objects of JSON.
 *
 * Inputs have millions of words, and a word has a dozen members. A line is therefore put together
 * in one buffer, member by member. The library's names, values and texts need no escape, as
 * nvfifo.h says.
 */
#define _GNU_SOURCE
#include <string.h>

#include "disasm_json.h"
#include "nvfifo_json.h"
#include "nvfifo_methods.h"

#define MEMBER NVFIFO_JSON_MEMBER

/* A member of a constant name, which stpcpy() stores without a call when it is inlined. */
#define INLINE NVFIFO_JSON_INLINE

INLINE char *put_number(char *s, const char *member, __u32 value)
{
	return nvfifo_put_decimal(stpcpy(s, member), value);
}

INLINE char *put_hex(char *s, const char *member, unsigned int digits, __u64 value)
{
	return nvfifo_json_put_hex(stpcpy(s, member), digits, value);
}

INLINE char *put_string(char *s, const char *member, const char *value)
{
	return nvfifo_json_put_plain(stpcpy(s, member), value, strlen(value));
}

/* The reasons why the card waits at a word */
static const char *const wait_names[] = {
	[NVFIFO_WAIT_SUBCHANNEL] = "subchannel",
	[NVFIFO_WAIT_IDLE] = "idle",
	[NVFIFO_WAIT_ACQUIRE] = "acquire",
	[NVFIFO_WAIT_RELEASE] = "release",
	[NVFIFO_WAIT_REF] = "ref",
	[NVFIFO_WAIT_QUERY] = "query",
};

static char *put_control(char *s, const struct nvfifo_word *w)
{
	const struct nvfifo_control *c = &nvfifo_controls[w->cmd.type];

	s = put_string(s, MEMBER("command"), c->name);
	if (c->digits == 3)
		s = put_hex(s, MEMBER("mask"), 4, w->cmd.value);
	else if (c->digits)
		s = put_hex(s, MEMBER("target"), 10, w->cmd.value);

	return s;
}

static char *put_value(char *s, const struct nvfifo_word *w, __u32 data)
{
	char text[NVFIFO_WORD_TEXT_MAX];

	size_t len = nvfifo_method_value(w->oclass, w->method, data, text, sizeof(text));

	s = nvfifo_json_put_plain(stpcpy(s, MEMBER("value")), text, len);
	if (w->has_address)
		s = put_hex(s, MEMBER("address"), 10, w->address);

	return s;
}

static char *put_method(char *s, const struct nvfifo_word *w)
{
	const char *name = nvfifo_method_name(w->oclass, w->method);

	s = put_number(s, MEMBER("subchannel"), w->cmd.subc);
	s = put_hex(s, MEMBER("method"), 4, w->method);
	s = put_hex(s, MEMBER("class"), 4, w->oclass);
	s = put_string(s, MEMBER("name"), name ? name : "");

	switch (w->kind) {
	case NVFIFO_WORD_HEADER:
		/* The word after a long command's header has the count. */
		if (w->cmd.type != NVFIFO_COMMAND_LONG_NONINCR)
			s = put_number(s, MEMBER("count"), w->cmd.count);
		if (w->cmd.type == NVFIFO_COMMAND_IMMD) {
			s = put_hex(s, MEMBER("data"), 4, w->cmd.value);
			s = put_value(s, w, w->cmd.value);
		}

		break;
	case NVFIFO_WORD_COUNT:
		s = put_number(s, MEMBER("count"), w->word & NVFIFO_LONG_COUNT_MAX);
		break;
	case NVFIFO_WORD_DATA:
		s = put_value(s, w, w->word);
		break;
	case NVFIFO_WORD_INVALID:
		break;
	}

	return s;
}

/* The assembler's text, without the blanks in front of data */
static char *put_text(char *s, const struct nvfifo_word *w, enum nvfifo_format format)
{
	char text[NVFIFO_WORD_TEXT_MAX];
	const size_t len = nvfifo_word_text(w, format, text), blanks = strspn(text, " ");

	return nvfifo_json_put_plain(stpcpy(s, MEMBER("text")), text + blanks, len - blanks);
}

size_t disasm_json_word(const struct nvfifo_word *w, enum nvfifo_format format, __u64 address,
			bool bad, char *buf)
{
	static const char *const kinds[] = {
		[NVFIFO_WORD_HEADER] = "header",
		[NVFIFO_WORD_COUNT] = "count",
		[NVFIFO_WORD_DATA] = "data",
		[NVFIFO_WORD_INVALID] = "invalid",
	};
	const bool control = w->kind == NVFIFO_WORD_HEADER && nvfifo_controls[w->cmd.type].name;
	char *s = put_hex(buf, "{" NVFIFO_JSON_FIRST("va"), 10, address);

	s = put_hex(s, MEMBER("word"), 8, w->word);
	if (control)
		s = put_control(put_string(s, MEMBER("kind"), "control"), w);
	else
		s = put_string(s, MEMBER("kind"), kinds[w->kind]);
	if (!control && w->kind != NVFIFO_WORD_INVALID)
		s = put_method(s, w);

	/* Most words wait for nothing, and a constant text is copied without a call. */
	if (w->wait == NVFIFO_WAIT_NONE)
		s = put_string(s, MEMBER("wait"), "");
	else
		s = put_string(s, MEMBER("wait"), wait_names[w->wait]);
	if (w->wait == NVFIFO_WAIT_SUBCHANNEL)
		s = put_number(s, MEMBER("from_subchannel"), w->from_subc);
	s = put_text(s, w, format);
	s = stpcpy(s, MEMBER("refused"));
	s = stpcpy(s, bad ? "true" : "false");
	s = stpcpy(s, "}\n");

	return (size_t)(s - buf);
}
