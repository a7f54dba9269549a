// SPDX-License-Identifier: MIT
/*
 * Replay of a record: make its calls into a new model, and compare the model's actions.
 *
 * The actions of a call must come in the order of the record. Requests for the time are excepted,
 * because they have no effect outside the model: their number may differ. Each gets the call's next
 * recorded time, or the last one again.
 */
#include "replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "port.h"

struct replay {
	const struct replay_config *cfg;
	struct replay_result *result;
	struct nvsim_host host;
	struct port port;
	struct names names;
	struct record_call call;
	bool *seen;	   /* per nested record: the model has done it */
	size_t room, next; /* of seen; the first nested record that the model has not done */
	size_t next_time;  /* the first nested record that may be the next time */
	uint64_t time;
};

static bool stopped(const struct replay *rp)
{
	return rp->result->differences && !rp->cfg->keep_going;
}

static void differ(struct replay *rp, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void differ(struct replay *rp, const char *fmt, ...)
{
	const struct record *head = &rp->call.head;
	char name[128];
	va_list ap;

	if (stopped(rp))
		return;

	rp->result->differences++;
	names_access(&rp->names, head, name, sizeof(name));
	fprintf(rp->cfg->out,
		"record %" PRIu64 " at %" PRIu64 ".%06" PRIu64 " s: %s: ", head->number,
		head->time / 1000000000, head->time / 1000 % 1000000, name);
	va_start(ap, fmt);
	vfprintf(rp->cfg->out, fmt, ap);
	va_end(ap);
	fputc('\n', rp->cfg->out);
}

static void describe(const struct record *rec, char *buf, size_t len)
{
	switch (rec->type) {
	case RECORD_DMA_READ:
		snprintf(buf, len, "DMA read of %zu bytes at %010" PRIx64, rec->len, rec->addr);
		break;
	case RECORD_DMA_WRITE:
		snprintf(buf, len, "DMA write of %zu bytes at %010" PRIx64, rec->len, rec->addr);
		break;
	case RECORD_INTX:
		snprintf(buf, len, "INTx %s", rec->value ? "up" : "down");
		break;
	case RECORD_MSI:
		snprintf(buf, len, "MSI %08" PRIx64 " to %" PRIx64, rec->value, rec->addr);
		break;
	case RECORD_VIOLATION:
		snprintf(buf, len, "violation: %.*s", (int)rec->len, (const char *)rec->bytes);
		break;
	default:
		snprintf(buf, len, "return");
	}
}

/* Whether a nested record is an action of the model, and not a time or a return value */
static bool is_deed(const struct record *rec)
{
	return rec->type != RECORD_TIME && rec->type != RECORD_RETURN &&
	       rec->type != RECORD_RETURN_BYTES;
}

static bool same_deed(const struct record *a, const struct record *b)
{
	if (a->type != b->type || a->addr != b->addr || a->len != b->len)
		return false;
	if (a->type == RECORD_VIOLATION)
		return !memcmp(a->bytes, b->bytes, a->len);
	return a->type == RECORD_DMA_READ || a->type == RECORD_DMA_WRITE || a->value == b->value;
}

static void skip_seen(struct replay *rp)
{
	while (rp->next < rp->call.count &&
	       (rp->seen[rp->next] || !is_deed(&rp->call.nested[rp->next])))
		rp->next++;
}

/*
 * The model does @deed: return its record, or NULL if the call has none. An action out of order is
 * a difference, but finds its record: so one missing or new action does not shift all others.
 */
static const struct record *done(struct replay *rp, const struct record *deed)
{
	const struct record_call *call = &rp->call;
	char expected[400] = "nothing more", got[400];
	size_t i;

	skip_seen(rp);
	if (rp->next < call->count && same_deed(&call->nested[rp->next], deed)) {
		rp->seen[rp->next] = true;
		return &call->nested[rp->next++];
	}

	if (rp->next < call->count)
		describe(&call->nested[rp->next], expected, sizeof(expected));

	describe(deed, got, sizeof(got));
	differ(rp, "expected %s, got %s", expected, got);

	for (i = rp->next; i < call->count; i++) {
		if (!rp->seen[i] && is_deed(&call->nested[i]) &&
		    same_deed(&call->nested[i], deed)) {
			rp->seen[i] = true;
			return &call->nested[i];
		}
	}

	return NULL;
}

static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i])
			break;
	return i;
}

static int replay_dma_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct record deed = {.type = RECORD_DMA_READ, .addr = addr, .len = len};
	struct replay *rp = ctx;
	const struct record *rec = done(rp, &deed);

	if (rec && !rec->failed) {
		memcpy(buf, rec->bytes, len);
		return 0;
	}

	/* The record does not have these bytes. */
	memset(buf, 0, len);

	return rec ? -1 : 0;
}

static int replay_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
	struct record deed = {.type = RECORD_DMA_WRITE, .addr = addr, .len = len};
	struct replay *rp = ctx;
	const struct record *rec = done(rp, &deed);
	const uint8_t *bytes = buf;
	size_t i;

	if (!rec)
		return 0;

	i = first_difference(rec->bytes, bytes, len);
	if (i < len)
		differ(rp,
		       "byte %zu of the DMA write of %zu bytes at %010" PRIx64
		       ": expected %02x, got %02x",
		       i, len, addr, rec->bytes[i], bytes[i]);

	return rec->failed ? -1 : 0;
}

static void replay_intx(void *ctx, bool level)
{
	struct record deed = {.type = RECORD_INTX, .value = level};

	done(ctx, &deed);
}

static void replay_msi(void *ctx, uint64_t addr, uint32_t data)
{
	struct record deed = {.type = RECORD_MSI, .addr = addr, .value = data};

	done(ctx, &deed);
}

static uint64_t replay_time(void *ctx)
{
	struct replay *rp = ctx;

	while (rp->next_time < rp->call.count) {
		const struct record *rec = &rp->call.nested[rp->next_time++];

		if (rec->type == RECORD_TIME) {
			rp->time = rec->value;
			break;
		}
	}

	return rp->time;
}

static void replay_trace(void *ctx, const char *line)
{
	struct replay *rp = ctx;

	if (rp->cfg->trace)
		rp->cfg->trace(rp->cfg->ctx, line);
}

static void replay_violation(void *ctx, const char *line)
{
	struct record deed = {
	    .type = RECORD_VIOLATION, .bytes = (const uint8_t *)line, .len = strlen(line)};
	struct replay *rp = ctx;

	rp->result->violations++;
	done(rp, &deed);
	if (rp->cfg->violation)
		rp->cfg->violation(rp->cfg->ctx, line);
}

static void returned(struct replay *rp, uint64_t value, unsigned int size)
{
	uint64_t expected = rp->call.ret->value;

	if (value == expected)
		return;

	if (rp->call.head.type == RECORD_RUN)
		differ(rp, "expected the next look after %" PRIu64 " ns, got %" PRIu64 " ns",
		       expected - 1, value - 1);
	else
		differ(rp, "expected %0*" PRIx64 ", got %0*" PRIx64, (int)size * 2, expected,
		       (int)size * 2, value);
}

static void returned_bytes(struct replay *rp, const uint8_t *bytes)
{
	const struct record *ret = rp->call.ret;
	size_t i = first_difference(ret->bytes, bytes, ret->len);

	if (i < ret->len)
		differ(rp, "byte %zu of %zu: expected %02x, got %02x", i, ret->len, ret->bytes[i],
		       bytes[i]);
}

/* A command longer than a line was refused when it was recorded, and is refused now. */
static void command(struct port *port, const struct record *rec)
{
	char line[400], answer[200];
	size_t len = rec->len < sizeof(line) - 1 ? rec->len : sizeof(line) - 1;

	memcpy(line, rec->bytes, len);
	line[len] = 0;
	port_command(port, line, answer, sizeof(answer));
}

/* Make the call. False if the model could not be created. */
static bool carry_out(struct replay *rp, char *err, size_t err_len)
{
	const struct record *rec = &rp->call.head;
	struct port *port = &rp->port;
	uint8_t *bytes;

	if (rec->type == RECORD_POWER_UP)
		return port_power_up(port, &rp->cfg->card, &rp->host, err, err_len) != NULL;
	if (!port->sim) {
		snprintf(err, err_len, "record %" PRIu64 ": comes before any card", rec->number);
		return false;
	}

	switch (rec->type) {
	case RECORD_CFG_READ:
		returned(rp, port_cfg_read(port, (uint32_t)rec->addr, rec->size), rec->size);
		break;
	case RECORD_CFG_WRITE:
		port_cfg_write(port, (uint32_t)rec->addr, (uint32_t)rec->value, rec->size);
		break;
	case RECORD_BAR_READ:
		returned(rp, port_bar_read(port, rec->bar, rec->addr, rec->size), rec->size);
		break;
	case RECORD_BAR_WRITE:
		port_bar_write(port, rec->bar, rec->addr, rec->value, rec->size);
		break;
	case RECORD_BLOCK_READ:
		bytes = malloc(rec->len + 1);
		if (!bytes) {
			snprintf(err, err_len, "out of memory");
			return false;
		}

		port_bar_read_block(port, rec->bar, rec->addr, bytes, rec->len);
		returned_bytes(rp, bytes);
		free(bytes);
		break;
	case RECORD_BLOCK_WRITE:
		port_bar_write_block(port, rec->bar, rec->addr, rec->bytes, rec->len);
		break;
	case RECORD_FILL:
		port_bar_fill(port, rec->bar, rec->addr, (uint8_t)rec->value, rec->len);
		break;
	case RECORD_RUN:
		returned(rp, port_run(port, (unsigned int)rec->value) + 1, 0);
		break;
	case RECORD_SETTLE:
		port_settle(port);
		break;
	case RECORD_COMMAND:
		command(port, rec);
		break;
	default:
		break;
	}

	return true;
}

/* Report recorded actions that the model did not do in the call. */
static void check_rest(struct replay *rp)
{
	char text[400];

	for (skip_seen(rp); rp->next < rp->call.count; skip_seen(rp)) {
		describe(&rp->call.nested[rp->next], text, sizeof(text));
		differ(rp, "expected %s, got nothing more", text);
		rp->seen[rp->next] = true;
	}
}

static bool make_room(struct replay *rp)
{
	if (rp->call.count > rp->room) {
		bool *more = realloc(rp->seen, rp->call.room);

		if (!more)
			return false;
		rp->seen = more;
		rp->room = rp->call.room;
	}

	if (rp->seen)
		memset(rp->seen, 0, rp->room);

	rp->next = 0;
	rp->next_time = 0;

	return true;
}

static bool replay_all(struct replay *rp, struct record_reader *r, char *err, size_t err_len)
{
	while (!stopped(rp) && record_next_call(r, &rp->call)) {
		const struct record *head = &rp->call.head;

		if (!rp->call.whole) {
			if (r->end == RECORD_MORE) {
				r->end = RECORD_GARBAGE;
				r->at = head->at;
			}
			break;
		}

		if (!record_is_call(head->type))
			continue;
		if (!make_room(rp)) {
			snprintf(err, err_len, "out of memory");
			return false;
		}

		if (!carry_out(rp, err, err_len))
			return false;
		check_rest(rp);
		names_follow(&rp->names, head);
		rp->result->calls++;
		rp->result->time = head->time;
	}

	return true;
}

bool replay_run(const struct replay_config *cfg, struct record_reader *r,
		struct replay_result *result, char *err, size_t err_len)
{
	struct replay rp = {.cfg = cfg, .result = result};
	bool ok;

	memset(result, 0, sizeof(*result));
	rp.host = (struct nvsim_host){
	    .ctx = &rp,
	    .dma_read = replay_dma_read,
	    .dma_write = replay_dma_write,
	    .intx = replay_intx,
	    .msi = replay_msi,
	    .time_ns = replay_time,
	    .trace = replay_trace,
	    .violation = replay_violation,
	};
	names_init(&rp.names, cfg->card.chipset);
	port_init(&rp.port, NULL, &rp.host);
	ok = replay_all(&rp, r, err, err_len);
	result->records = r->count;
	result->end = r->end;
	result->end_at = r->at;
	result->sim = rp.port.sim;
	free(rp.call.nested);
	free(rp.seen);

	return ok;
}
