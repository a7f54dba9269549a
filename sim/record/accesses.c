// SPDX-License-Identifier: MIT
/*
 * Replay of accesses to a real card: do the driver's writes to the model, compare its reads. The
 * accesses are events nvfifo_access of this driver, or an mmiotrace of any driver.
 *
 * Three rules differ from the replay of a record. Of a polled register only the last value is
 * compared. Facts of the board, such as its memory, are no differences. The replay starts no work,
 * because the ring and its words were in host memory, which is not recorded. After the first
 * doorbell it compares only registers that do not depend on work.
 */
#define _GNU_SOURCE
#include "accesses.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../hw/nvfifo_reg_table.h"
#include "../nvsim.h"
#include "mmiotrace.h"
#include "names.h"
#include "nvfifo_text.h"

#define EVENT	"nvfifo_access:"
#define BEGIN	"\naccesses of the card"
#define END	"\nend of accesses\n"

#define PCI_COMMAND	0x04
#define COMMAND_ALL	0x0007	/* I/O, memory, bus master */

struct access {
	uint64_t number;	/* from 1: of the access, or of its line in an mmiotrace */
	uint64_t us, value;
	uint32_t card, offset;
	unsigned int bar, size;	/* size 0: clears a range */
	bool write;
};

struct replay {
	const struct accesses_config *cfg;
	struct accesses_result *result;
	struct names names;
	struct nvsim *sim;
	const char *what;	/* it is that the numbers count */
	bool foreign;		/* the accesses of another driver, which uses all units */
	uint64_t start;		/* of the first access, us */
	uint64_t us;		/* from there to the access that is done */
};

bool accesses_are_in(const char *data, size_t size)
{
	/* A record of the model is binary. */
	return !memchr(data, 0, size) &&
	       (mmiotrace_is(data, size) || memmem(data, size, EVENT, strlen(EVENT)));
}

/* The time is the last number before the event: "insmod-30 [000] ..... 12.345678: nvfifo_access:" */
static uint64_t parse_time(const char *line, const char *event)
{
	unsigned long long s = 0, us = 0;
	const char *begin = event;

	while (begin > line && !isdigit((unsigned char)begin[-1]))
		begin--;
	while (begin > line && (isdigit((unsigned char)begin[-1]) || begin[-1] == '.'))
		begin--;

	/* trace-cmd may print nanoseconds. */
	sscanf(begin, "%llu.%6llu", &s, &us);
	return s * 1000000 + us;
}

static bool parse_line(const char *line, const char *event, struct access *a)
{
	char op[4];
	int end = 0;

	if (sscanf(event,
		   EVENT " card=%" SCNu32 " op=%3s bar=%u offset=%" SCNx32 " value=%8" SCNx64 "%n",
		   &a->card, op, &a->bar, &a->offset, &a->value, &end) != 5)
		return false;

	a->us = parse_time(line, event);
	a->write = op[0] != 'R';
	a->size = op[0] == 'C' ? 0 : nvfifo_text_digit(op[1]);

	return !event[end] && (a->bar == 0 || a->bar == 3) && strchr("RWC", op[0]) &&
	       (a->size == 0 || a->size == 1 || a->size == 4);
}

/* Make room for one more. */
static bool grow(struct access **list, size_t count, size_t *room)
{
	struct access *more;

	if (count < *room)
		return true;

	*room = *room ? 2 * *room : 4096;
	more = realloc(*list, *room * sizeof(**list));
	if (more)
		*list = more;

	return more;
}

/*
 * Read the accesses of the first card in a trace. Returns them, for the caller to free, or NULL and
 * a sentence in @err.
 */
static struct access *parse(char *text, size_t *count, char *err, size_t err_len)
{
	struct access *list = NULL;
	size_t room = 0, number = 0;
	char *line, *next = text;

	*count = 0;
	while ((line = strsep(&next, "\n"))) {
		const char *event = strstr(line, EVENT);

		number++;
		if (!event)
			continue;

		if (!grow(&list, *count, &room) || !parse_line(line, event, &list[*count])) {
			snprintf(err, err_len, "line %zu is not an access", number);
			free(list);
			return NULL;
		}

		list[*count].number = *count + 1;
		if (list[*count].card == list[0].card)
			++*count;
	}

	return list;
}

/* Read the accesses of an mmiotrace, and the sizes of BARs. The rest is as in parse(). */
static struct access *parse_mmiotrace(const char *data, size_t size, struct nvsim_config *card,
				      struct accesses_result *result, size_t *count, char *err,
				      size_t err_len)
{
	struct access *list = NULL;
	struct mmiotrace_event e;
	struct mmiotrace t;
	size_t room = 0;

	*count = 0;
	if (!mmiotrace_open(&t, data, size, err, err_len))
		return NULL;

	if (t.len[1])
		card->bar1_size = t.len[1];
	if (t.len[3])
		card->bar3_size = t.len[3];

	while (mmiotrace_next(&t, &e, err, err_len)) {
		if (e.kind == MMIOTRACE_NOTE)
			continue;
		if (!grow(&list, *count, &room)) {
			snprintf(err, err_len, "out of memory");
			break;
		}
		list[(*count)++] = (struct access) {
			.number = e.line,
			.us = e.ns / 1000,
			.value = e.value,
			.offset = (uint32_t)e.offset,
			.bar = e.bar,
			.size = e.size,
			.write = e.kind == MMIOTRACE_WRITE,
		};
	}

	if (err[0]) {
		free(list);
		return NULL;
	}

	result->others = t.others;
	result->unknown = t.unknown;
	result->lost = t.lost;
	return list;
}

/* --- The host of the model ----------------------------------------------------------- */

static int host_dma_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	(void)addr;
	memset(buf, 0, len);
	return 0;
}

static int host_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
	(void)ctx;
	(void)addr;
	(void)buf;
	(void)len;
	return 0;
}

static uint64_t host_time(void *ctx)
{
	const struct replay *rp = ctx;

	return rp->us * 1000;
}

static void host_intx(void *ctx, bool level)
{
	(void)ctx;
	(void)level;
}

static void host_msi(void *ctx, uint64_t addr, uint32_t data)
{
	(void)ctx;
	(void)addr;
	(void)data;
}

static void host_line(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

/* --- Comparison ------------------------------------------------------------------------ */

static bool begins(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(name, *list, strlen(*list)))
			return true;
	return false;
}

/* Whether a register holds a fact of the board or its firmware, or the time */
static bool is_fact(const char *name)
{
	static const char *const facts[] = {
		"PMC.BOOT_0", "PBUS.HWUNITS", "PFB.MEM_AMOUNT", "PFB.CFG", "PFB.BANKCFG",
		"PFB.COMP_MAX_TAG", "PFB.RAM_TYPE", "PFB.FAKEFB", "PFB.SYSRAM_ADDR", "PSTRAPS.",
		"PRMIO.", "PROM", "PTIMER.TIME", "PBUS.HOST_MEM_PMEM", NULL,
	};

	return begins(name, facts);
}

/* Whether a register reads the same with and without work in the channels */
static bool is_free_of_work(const char *name)
{
	static const char *const procedures[] = {
		"PMC.ENABLE", "PMC.ENDIAN", "PMC.INTR_EN", "PMC.INTR_MASK", "PFB.TLB_FLUSH",
		"PFLUSH.", "CACHE1.FLUSH_CTRL", "CACHE1.KICK_CHANNEL", "CACHE1.PLAYLIST_LEN",
		"PFIFO.ENGINE_CTRL", "PFIFO.INTR_EN", NULL,
	};

	return begins(name, procedures);
}

static bool is_doorbell(const struct access *a)
{
	uint32_t reg = a->offset & 0x1fff;

	return a->write && a->bar == 0 && a->offset >= NV_USER_BASE && a->offset < NV_BAR0_SIZE &&
	       (reg == NV_USER_IB_PUT || reg == NV_USER_DMA_PUT);
}

static void compare(struct replay *rp, const struct access *a, uint64_t model)
{
	struct record rec = {
		.type = RECORD_BAR_READ, .bar = a->bar, .addr = a->offset, .size = a->size,
	};
	char text[128];
	const char *name = text;

	/* "100c80 PFB.TLB_FLUSH" */
	names_access(&rp->names, &rec, text, sizeof(text));
	if (strchr(text, ' '))
		name = strchr(text, ' ') + 1;

	if (is_fact(name) || (rp->result->doorbell && !is_free_of_work(name)))
		return;

	if (rp->foreign && !names_modelled(&rp->names, &rec)) {
		rp->result->unmodelled++;
		return;
	}

	rp->result->compared++;
	if (model == a->value)
		return;
	if (rp->result->differences++ && !rp->cfg->keep_going)
		return;

	fprintf(rp->cfg->out,
		"%s %" PRIu64 " at %" PRIu64 ".%06" PRIu64 " s: %s: the card %08" PRIx64
		", the model %08" PRIx64 "\n", rp->what, a->number, rp->us / 1000000, rp->us % 1000000, text,
		a->value, model);
}

static void settle(struct replay *rp)
{
	unsigned int i;

	for (i = 0; i < 1000 && !nvsim_run(rp->sim, 1000); i++)
		;
}

static void do_write(struct replay *rp, const struct access *a)
{
	struct record rec = {
		.type = RECORD_BAR_WRITE, .bar = a->bar, .addr = a->offset, .value = a->value,
	};

	if (is_doorbell(a)) {
		if (!rp->result->doorbell)
			rp->result->doorbell = a->number;
		return;
	}

	if (!a->size)
		nvsim_bar_fill(rp->sim, a->bar, a->offset, 0, (size_t)a->value);
	else
		nvsim_bar_write(rp->sim, a->bar, a->offset, a->value, a->size);

	names_follow(&rp->names, &rec);
	settle(rp);
}

static void replay_all(struct replay *rp, const struct access *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct access *a = &list[i], *next = a + 1;
		uint64_t value;

		rp->us = a->us - rp->start;
		rp->result->accesses++;
		if (a->write) {
			do_write(rp, a);
			continue;
		}
		value = nvsim_bar_read(rp->sim, a->bar, a->offset, a->size);
		settle(rp);
		if (i + 1 < count && !next->write && next->bar == a->bar &&
		    next->offset == a->offset)
			continue;
		compare(rp, a, value);
		if (rp->result->differences && !rp->cfg->keep_going)
			return;
	}
}

/*
 * Take the card's options from the facts in the trace: chipset, PMC_BOOT_0 and memory. The first
 * read of PMC_BOOT_0 may be in the other byte order.
 */
static void take_facts(struct nvsim_config *card, const struct access *list, size_t count)
{
	bool have_vram = false;
	size_t i;

	card->chipset = NULL;

	for (i = 0; i < count; i++) {
		if (list[i].write || list[i].bar)
			continue;
		if (list[i].offset == NV_PMC_BOOT_0 && !card->chipset) {
			card->chipset = nvsim_chipset_of((uint32_t)list[i].value);
			if (card->chipset && !card->boot0)
				card->boot0 = (uint32_t)list[i].value;
		}
		if (list[i].offset == NV_PFB_MEM_AMOUNT && !have_vram && list[i].value >> 20) {
			card->vram_size = list[i].value & ~0xfffffull;
			have_vram = true;
		}

		/* MEM_AMOUNT of an IGP may be 0. */
		if (list[i].offset == NV_PFB_FAKEFB_SIZE && !have_vram && list[i].value >> 8) {
			card->vram_size = (list[i].value << 12) & ~0xfffffull;
			have_vram = true;
		}
	}
}

/* The probe of this driver begins with a read of PMC_BOOT_0. */
static bool is_probe(const struct access *list, size_t count)
{
	return count && !list[0].write && !list[0].bar && list[0].offset == NV_PMC_BOOT_0;
}

/* Make the model of the card in the trace. False and a sentence in @err if that cannot be. */
static bool make_card(struct replay *rp, struct nvsim_config *card, const struct nvsim_host *host,
		      const struct access *list, size_t count, char *err, size_t err_len)
{
	const char *wanted = card->chipset;

	take_facts(card, list, count);
	if (rp->foreign) {
		card->whole_card = true;
		if (!card->chipset)
			card->chipset = wanted;
		if (!card->chipset) {
			snprintf(err, err_len, "the trace has no read of PMC_BOOT_0: name the card "
					       "with --chipset NAME");
			return false;
		}
	} else if (!is_probe(list, count) || !card->chipset) {
		snprintf(err, err_len, "the trace does not begin with PMC_BOOT_0, as a probe does");
		return false;
	}

	rp->start = list[0].us;
	rp->sim = nvsim_create(card, host, err, err_len);
	return rp->sim;
}

static struct access *parse_text(const char *data, size_t size, size_t *count, char *err,
				 size_t err_len)
{
	struct access *list = NULL;
	char *text = strndup(data, size);

	*count = 0;
	if (!text)
		snprintf(err, err_len, "out of memory");
	else if (strstr(text, BEGIN) && !strstr(text, END))
		snprintf(err, err_len, "the report ends before the last of its accesses");
	else
		list = parse(text, count, err, err_len);

	free(text);
	return list;
}

bool accesses_replay(const struct accesses_config *cfg, const char *data, size_t size,
		     struct accesses_result *result, char *err, size_t err_len)
{
	struct replay rp = { .cfg = cfg, .result = result, .what = "access" };
	const struct nvsim_host host = {
		.ctx = &rp,
		.dma_read = host_dma_read,
		.dma_write = host_dma_write,
		.intx = host_intx,
		.msi = host_msi,
		.time_ns = host_time,
		.trace = host_line,
		.violation = host_line,
	};
	struct nvsim_config card = cfg->card;
	struct access *list;
	size_t count;

	memset(result, 0, sizeof(*result));
	if (mmiotrace_is(data, size)) {
		rp.what = "line";
		rp.foreign = true;
		list = parse_mmiotrace(data, size, &card, result, &count, err, err_len);
	} else {
		list = parse_text(data, size, &count, err, err_len);
	}

	if (!list)
		return false;

	if (make_card(&rp, &card, &host, list, count, err, err_len)) {
		names_init(&rp.names, card.chipset);
		nvsim_cfg_write(rp.sim, PCI_COMMAND, COMMAND_ALL, 2);
		replay_all(&rp, list, count);
		nvsim_destroy(rp.sim);
	}

	free(list);

	return rp.sim != NULL;
}
