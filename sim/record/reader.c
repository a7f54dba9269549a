// SPDX-License-Identifier: MIT
/*
 * Reading of a record. The file may be cut or garbage, so the reader checks every number and length
 * before it uses it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint8_t *record_load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "re");
	size_t room = 1 << 16, len = 0;
	uint8_t *data = NULL;
	int error = 0;

	if (!f)
		return NULL;

	do {
		uint8_t *more = realloc(data, room *= 2);

		if (!more) {
			error = ENOMEM;
			break;
		}

		data = more;
		errno = 0;
		len += fread(data + len, 1, room - len, f);
	} while (len == room);
	if (ferror(f))
		error = errno ? errno : EIO;

	fclose(f);
	if (error) {
		free(data);
		errno = error;
		return NULL;
	}

	*size = len;
	return data;
}

bool record_start(struct record_reader *r, const uint8_t *data, size_t size, char *err,
		  size_t err_len)
{
	const size_t magic = strlen(RECORD_MAGIC);
	const uint8_t *end;

	memset(r, 0, sizeof(*r));

	/* Compare all but the version. */
	if (size < magic || memcmp(data, RECORD_MAGIC, magic - 2)) {
		snprintf(err, err_len, "is not a record of nvsim");
		return false;
	}

	if (memcmp(data, RECORD_MAGIC, magic)) {
		snprintf(err, err_len, "has another version than %d", RECORD_VERSION);
		return false;
	}

	/* The header may be empty: then the magic's own newline precedes the empty line. */
	end = memmem(data + magic - 1, size - magic + 1, "\n\n", 2);
	if (!end) {
		snprintf(err, err_len, "ends within its header");
		return false;
	}

	r->data = data;
	r->size = size;
	r->header = magic;
	r->header_len = (size_t)(end + 1 - data) - magic;
	r->at = (size_t)(end + 2 - data);

	return true;
}

bool record_header_line(struct record_reader *r, char *line, size_t len)
{
	const uint8_t *p = r->data + r->header;
	size_t n = 0, copy;

	if (!r->header_len)
		return false;

	while (p[n] != '\n')
		n++;

	copy = n < len ? n : len - 1;
	memcpy(line, p, copy);
	line[copy] = 0;
	r->header += n + 1;
	r->header_len -= n + 1;

	return true;
}

/* Bytes of a record that is being read */
struct cursor {
	const uint8_t *data;
	size_t at, end;
	bool cut, garbage;
};

static uint64_t number(struct cursor *c)
{
	unsigned int shift = 0;
	uint64_t v = 0;

	while (c->at < c->end) {
		uint8_t b = c->data[c->at++];

		/* The tenth byte has one bit of the number. */
		if (shift == 63 && b > 1)
			c->garbage = true;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80) || c->garbage)
			return v;
		shift += 7;
	}

	c->cut = true;

	return 0;
}

static void bytes(struct cursor *c, struct record *rec, uint64_t len)
{
	if (c->cut || len > c->end - c->at) {
		c->cut = true;
		return;
	}
	rec->bytes = c->data + c->at;
	rec->len = (size_t)len;
	c->at += rec->len;
}

static void place(struct cursor *c, struct record *rec)
{
	uint64_t v = number(c);

	rec->bar = v & 7;
	rec->addr = v >> 3;
}

static uint64_t zigzag(struct cursor *c)
{
	uint64_t v = number(c);

	return v >> 1 ^ (0 - (v & 1));
}

static void dma(struct cursor *c, struct record *rec)
{
	uint64_t v;

	rec->addr = number(c);
	v = number(c);
	rec->failed = v & 1;
	rec->len = (size_t)(v >> 1);
	if (rec->type == RECORD_DMA_WRITE || !rec->failed)
		bytes(c, rec, v >> 1);
}

/* Limits far above the requests of transports, so that a replay of garbage ends */
#define LENGTH_MAX (1ull << 32)
#define BUDGET_MAX (1ull << 20)

static void length(struct cursor *c, struct record *rec)
{
	uint64_t v = number(c);

	if (v > LENGTH_MAX)
		c->garbage = true;
	rec->len = (size_t)v;
}

/* Decode an access of the guest to the card; false if the record is none. */
static bool decode_access(struct cursor *c, struct record *rec)
{
	switch (rec->type) {
	case RECORD_CFG_READ:
		rec->addr = number(c);
		return true;
	case RECORD_CFG_WRITE:
		rec->addr = number(c);
		rec->value = number(c);
		return true;
	case RECORD_BAR_READ:
		place(c, rec);
		return true;
	case RECORD_BAR_WRITE:
		place(c, rec);
		rec->value = number(c);
		return true;
	case RECORD_BLOCK_READ:
		place(c, rec);
		length(c, rec);
		return true;
	case RECORD_BLOCK_WRITE:
		place(c, rec);
		bytes(c, rec, number(c));
		return true;
	case RECORD_FILL:
		place(c, rec);
		length(c, rec);
		rec->value = number(c);
		return true;
	default:
		return false;
	}
}

static void decode(struct cursor *c, struct record *rec, uint64_t *time)
{
	if (decode_access(c, rec))
		return;

	switch (rec->type) {
	case RECORD_RUN:
		rec->value = number(c);
		if (rec->value > BUDGET_MAX)
			c->garbage = true;
		break;
	case RECORD_SETTLE:
	case RECORD_POWER_UP:
		break;
	case RECORD_TIME:
	case RECORD_STAMP:
		*time += zigzag(c);
		rec->value = *time;
		break;
	case RECORD_DMA_READ:
	case RECORD_DMA_WRITE:
		dma(c, rec);
		break;
	case RECORD_INTX:
		rec->value = number(c);
		break;
	case RECORD_MSI:
		rec->addr = number(c);
		rec->value = number(c);
		break;
	case RECORD_VIOLATION:
	case RECORD_COMMAND:
	case RECORD_NOTE:
	case RECORD_RETURN_BYTES:
		bytes(c, rec, number(c));
		break;
	case RECORD_RETURN:
	case RECORD_END:
		rec->value = number(c);
		break;
	default:
		c->garbage = true;
	}
}

bool record_next(struct record_reader *r, struct record *rec)
{
	struct cursor c = {.data = r->data, .at = r->at, .end = r->size};
	uint64_t time = r->time;

	if (r->end != RECORD_MORE)
		return false;

	memset(rec, 0, sizeof(*rec));
	rec->number = r->count;
	rec->at = r->at;
	if (c.at == c.end) {
		r->end = RECORD_CUT;
		return false;
	}

	rec->size = 1u << (c.data[c.at] >> 6);
	rec->type = (enum record_type)(c.data[c.at++] & 0x3f);
	decode(&c, rec, &time);

	/* A record that needs more bytes than the file has cannot be judged. */
	if (c.garbage || c.cut) {
		r->end = c.garbage ? RECORD_GARBAGE : RECORD_CUT;
		return false;
	}

	if (rec->type == RECORD_END) {
		r->end = rec->value == r->count && c.at == c.end ? RECORD_CLOSED : RECORD_GARBAGE;
		if (r->end == RECORD_CLOSED)
			r->at = c.at;
		return false;
	}

	if (!r->timed && (rec->type == RECORD_TIME || rec->type == RECORD_STAMP)) {
		r->first_time = time;
		r->timed = true;
	}

	r->time = time;
	rec->time = r->timed ? time - r->first_time : 0;
	r->at = c.at;
	r->count++;

	return true;
}

static bool add(struct record_call *call, const struct record *rec)
{
	if (call->count == call->room) {
		size_t room = call->room ? call->room * 2 : 64;
		struct record *more = realloc(call->nested, room * sizeof(*more));

		if (!more)
			return false;
		call->nested = more;
		call->room = room;
	}

	call->nested[call->count++] = *rec;

	return true;
}

/* Whether the return record, or its absence, fits the call */
static bool returns_well(const struct record_call *call)
{
	const struct record *ret = call->ret;

	switch (call->head.type) {
	case RECORD_CFG_READ:
	case RECORD_BAR_READ:
	case RECORD_RUN:
		return ret && ret->type == RECORD_RETURN;
	case RECORD_BLOCK_READ:
		return ret && ret->type == RECORD_RETURN_BYTES && ret->len == call->head.len;
	default:
		return !ret;
	}
}

bool record_next_call(struct record_reader *r, struct record_call *call)
{
	struct record rec;
	size_t i;

	call->count = 0;
	call->ret = NULL;
	call->whole = false;
	if (!record_next(r, &call->head))
		return false;
	if (!record_is_call(call->head.type)) {
		call->whole = !record_is_nested(call->head.type);
		return true;
	}

	for (;;) {
		struct record_reader before = *r;

		if (!record_next(r, &rec)) {
			/* In a file that was cut, records of this call may be missing. */
			call->whole = r->end == RECORD_CLOSED;
			break;
		}

		if (!record_is_nested(rec.type)) {
			*r = before;
			call->whole = true;
			break;
		}

		if (!add(call, &rec)) {
			r->end = RECORD_CUT;
			break;
		}
	}

	for (i = 0; i < call->count; i++) {
		if (call->nested[i].type != RECORD_RETURN &&
		    call->nested[i].type != RECORD_RETURN_BYTES)
			continue;
		call->ret = &call->nested[i];
		if (i + 1 != call->count)
			call->whole = false;
	}

	/* A return record is the last of its call. */
	if (call->ret && call->ret == &call->nested[call->count - 1] && returns_well(call))
		call->whole = true;
	else if (!returns_well(call))
		call->whole = false;

	return true;
}
