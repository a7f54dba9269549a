// SPDX-License-Identifier: MIT
/* The findings of a log in groups, with their causes, in the order of importance; their summary */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_log_priv.h"
#include "nvfifo_names.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

static const char *get(const struct nvfifo_explanation *e, const char *name)
{
	const char *text = nvfifo_row_get(&e->fields, name);

	return text ? text : "";
}

/* --- What makes findings the same ------------------------------------------ */

/* Kinds with the fields that tell their groups apart, and the title: "$name" stands for a field. */
static const struct {
	const char *cls;
	const char *fields;
	const char *title;
	int rank;
} kinds[] = {
	{ "card_lost", "", "the card does not answer any more", 0 },
	{ "vm_fault", "access engine client subclient reason units owner", "VM fault: $access by $engine, client $client, slot $subclient, $reason$units", 2 },
	{ "dma_pusher", "error channel", "DMA_PUSHER: $error", 1 },
	{ "semaphore", "error channel", "SEMAPHORE: $error", 2 },
	{ "engine_trap", "unit bits units", "trap of $unit$units: $bits", 3 },
	{ "cache_error", "method channel", "CACHE_ERROR at method $method", 4 },
	{ "tlb_flush_timeout", "engine", "a TLB flush, or PGRAPH for one, did not end $engine", 2 },
	{ "data_error", "error code", "DATA_ERROR $code $error", 4 },
	{ "pgraph", "interrupt_bits error units object_class channel", "PGRAPH $interrupt_bits $error $units", 3 },
	{ "illegal_mthd", "interrupt_bits object_class", "methods that PGRAPH stopped at, class $object_class, $interrupt_bits", 5 },
	{ "wait_timeout", "function wait meaning", "a wait did not end: $function$wait", 3 },
	{ "channel_timeout", "meaning owner", "a channel's work did not end, or the channel did not leave the card", 5 },
	{ "channel_killed", "owner", "a channel was ended after an error", 6 },
	{ "mmio_fault", "access register", "access to a register that does not answer", 4 },
	{ "submit_refused", "meaning owner", "a submission was refused: $meaning", 6 },
	{ "request", "text errno", "libdrm's dump of a refused submission $text", 6 },
	{ "engine_error", "engine error", "an engine refused a method or hangs $engine $error", 5 },
	{ "cipher_error", "interrupt_bits", "PCIPHER $interrupt_bits", 5 },
	{ "interrupt", "engine interrupt", "interrupt $engine $interrupt", 7 },
	{ "memory", "meaning", "memory: $meaning", 6 },
	{ "firmware", "engine", "firmware is missing: $engine", 8 },
	{ "lockup", "", "nouveau's console gave the card up", 8 },
	{ "display_error", "meaning error", "display: $meaning $error", 7 },
	{ "probe", "meaning", "start of the driver: $meaning", 7 },
	{ "nvidia", "xid register text", "a line of NVIDIA's driver, Xid $xid", 4 },
	{ "other_family", "generation", "lines of another generation: $generation", 9 },
	{ "warning", "function", "a WARNING of the kernel in $function", 6 },
	{ "register", "", "values of registers that a person or a tool has read", 6 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static size_t kind_of(const char *cls)
{
	size_t i;

	for (i = 0; i < KINDS && strcmp(kinds[i].cls, cls); i++)
		;

	return i;
}

/* Append at most @max characters of @text. */
static void append(char *out, size_t size, size_t *used, const char *text, size_t max)
{
	while (*text && max && *used + 1 < size) {
		out[(*used)++] = *text++;
		max--;
	}

	out[*used] = '\0';
}

static void make_key(const struct nvfifo_explanation *e, const struct log_card *card, size_t kind,
		     char *key, size_t size)
{
	const char *fields = kind < KINDS ? kinds[kind].fields : "meaning";
	size_t used = 0, len, n;
	char name[24];

	append(key, size, &used, card ? card->address : "", size);
	append(key, size, &used, "|", 1);
	append(key, size, &used, e->cls, size);

	/* The words of PROP that have no bits belong to the line before. */
	if (!strcmp(get(e, "unit"), "PROP") && *get(e, "e24")) {
		append(key, size, &used, "|words|", size);
		append(key, size, &used, get(e, "surface"), size);
		return;
	}

	while (*fields) {
		len = strcspn(fields, " ");
		n = 0;
		append(name, sizeof(name), &n, fields, len);
		append(key, size, &used, "|", 1);
		append(key, size, &used, get(e, name), 40);
		fields += len;
		fields += strspn(fields, " ");
	}
}

/* Remove the blank in front of a field that the finding does not have. */
static void remove_gaps(char *s)
{
	const char *start = s;
	char *to = s;

	for (; *s; s++) {
		if (strchr(" ,", *s) && to > start && to[-1] == ' ')
			to--;
		*to++ = *s;
	}

	*to = '\0';
}

/* Copy the value of a field up to a comment, without the marks of a list. Return: its length. */
static size_t put_value(char *title, size_t size, const char *value)
{
	size_t used = 0, n;

	for (n = 0; value[n] && value[n] != '(' && n < 80 && used + 1 < size; n++) {
		if (!strchr("[]\"", value[n]))
			title[used++] = value[n];
	}

	return used;
}

static void make_title(const struct nvfifo_explanation *e, size_t kind, char *title, size_t size)
{
	const char *s = kind < KINDS ? kinds[kind].title : e->cls;
	char name[24];
	size_t used = 0, len;

	if (!strcmp(get(e, "unit"), "PROP") && *get(e, "e24")) {
		snprintf(title, size, "PROP's words: surface %s, storage type %s", get(e, "surface"),
			 get(e, "storage_type"));
		return;
	}

	if (!strcmp(e->cls, "nvidia") && !*get(e, "xid")) {
		snprintf(title, size, "a line of NVIDIA's driver%s%s", *get(e, "register") ? " about register " : "",
			 get(e, "register"));
		return;
	}

	for (; *s && used + 1 < size; s++) {
		if (*s != '$') {
			title[used++] = *s;
			continue;
		}

		len = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz_");
		snprintf(name, sizeof(name), "%.*s", (int)len, s + 1);
		used += put_value(title + used, size - used, get(e, name));
		s += len;
	}

	if (used >= size)
		used = size - 1;
	while (used && strchr(" ,:", title[used - 1]))
		used--;
	title[used] = '\0';
	remove_gaps(title);
}

/* --- Counting --------------------------------------------------------------- */

/* Return: whether the text is a new one. */
static bool add_text(char *list, size_t row, size_t rows, size_t *count, const char *text)
{
	size_t i;

	for (i = 0; i < *count; i++) {
		if (!strncmp(list + i * row, text, row - 1))
			return false;
	}

	if (*count == rows)
		return false;

	snprintf(list + *count * row, row, "%s", text);
	++*count;

	return true;
}

/* Units that a line of a flush timeout names. Return: whether they are new ones. */
static bool add_busy(struct log_group *g, const struct nvfifo_explanation *e)
{
	const char *units = *get(e, "busy") ? get(e, "busy") : get(e, "units");
	char unit[sizeof(g->busy[0])];
	bool news = false;
	size_t n;

	if (strcmp(g->cls, "tlb_flush_timeout"))
		return false;

	for (; *units; units += n) {
		units += strspn(units, " ");
		n = strcspn(units, " ");
		snprintf(unit, sizeof(unit), "%.*s", (int)n, units);
		if (n && strcmp(unit, "BUSY"))
			news = add_text(g->busy[0], sizeof(unit), LOG_UNITS, &g->busy_count, unit) || news;
	}

	return news;
}

static void add_channel(struct log_group *g, const struct nvfifo_explanation *e)
{
	const char *channel = get(e, "channel"), *owner = get(e, "owner");
	char text[64];

	if (!*channel && !*owner)
		return;

	if (*channel)
		snprintf(text, sizeof(text), "channel %.8s%s%.40s", channel, *owner ? " " : "", owner);
	else
		snprintf(text, sizeof(text), "%.40s", owner);
	add_text(g->channels[0], sizeof(g->channels[0]), LOG_CHANNELS, &g->channel_count, text);
}

static void add_method(struct log_group *g, const struct nvfifo_explanation *e)
{
	const char *name;
	__u32 oclass, method;
	char text[48];

	if (!*get(e, "method"))
		return;

	oclass = (__u32)nvfifo_text_value(get(e, "object_class"), 16);
	method = (__u32)nvfifo_text_value(get(e, "method"), 16);
	name = nvfifo_method_name(oclass, method);
	if (name)
		snprintf(text, sizeof(text), "%04x %.40s", method, name);
	else
		snprintf(text, sizeof(text), "%04x", method);
	add_text(g->methods[0], sizeof(g->methods[0]), LOG_METHODS, &g->method_count, text);
}

static void add_address(struct log_group *g, const struct nvfifo_explanation *e)
{
	__u64 va;

	if (!*get(e, "va"))
		return;

	va = nvfifo_text_value(get(e, "va"), 16);
	if (!g->has_address || va < g->low)
		g->low = va;
	if (!g->has_address || va > g->high)
		g->high = va;
	g->has_address = true;
}

static struct log_group *find_group(struct nvfifo_log *log, const char *key)
{
	const unsigned int hash = log_hash(key);
	struct log_group *g;
	size_t i;

	/* The same finding mostly comes again soon. */
	for (i = log->group_count; i > 0; i--) {
		g = &log->groups[i - 1];
		if (g->hash == hash && !strcmp(g->key, key))
			return g;
	}

	g = NVFIFO_ADD(log->groups, log->group_count);
	if (!g)
		return NULL;

	snprintf(g->key, sizeof(g->key), "%s", key);
	g->hash = hash;
	g->cause = -1;

	return g;
}

/* --- Values that make no sense ---------------------------------------------- */

/* Fields with the value of a register, with a bit for each in log_card.values */
static const char *const register_fields[] = {
	"interrupt", "ustatus", "status", "data", "code", "trap", "dma_state", "object_class", "dma_push",
};

static void count_value(struct log_card *card, __u32 value, unsigned int field)
{
	size_t i;

	for (i = 0; i < 16 && card->values[i].count; i++) {
		if (card->values[i].value == value)
			break;
	}

	if (i == 16)
		return;

	card->values[i].value = value;
	card->values[i].count++;
	card->values[i].fields |= 1u << field;
}

/* Count how many lines have values that no chip of the family gives. */
static void look_for_nonsense(struct log_card *card, const struct nvfifo_explanation *e)
{
	const char *bits = get(e, "interrupt_bits"), *oclass = get(e, "object_class"), *text;
	bool odd = false, ones = false;
	size_t i;

	for (i = 0; i < sizeof(register_fields) / sizeof(register_fields[0]); i++) {
		text = get(e, register_fields[i]);
		if (!*text)
			continue;

		ones = ones || !strcmp(text, "ffffffff");
		/* NVIDIA's chips answer so for registers that they do not have. */
		odd = odd || (!strncmp(text, "badf", 4) && strlen(text) == 8);
		if (nvfifo_text_value(text, 16))
			count_value(card, (__u32)nvfifo_text_value(text, 16), (unsigned int)i);
	}

	if (*oclass && !nvfifo_class_exists(0, (__u32)nvfifo_text_value(oclass, 16)) &&
	    strcmp(oclass, "0000") &&
	    strcmp(oclass, "0030"))
		odd = true;
	if (strstr(bits, "UNK") || strstr(get(e, "bits"), "UNK") || strstr(get(e, "units"), "UNK9") ||
	    strstr(get(e, "units"), "UNK1") || strstr(get(e, "units"), "UNK2"))
		odd = true;
	if (*get(e, "code") && !*get(e, "error") && !strcmp(e->cls, "data_error"))
		odd = true;
	if (!strcmp(get(e, "channel"), "-1") && !strcmp(e->cls, "illegal_mthd"))
		odd = true;

	card->lines++;
	card->odd += odd || ones;
	card->ones += ones;
}

bool log_is_nonsense(const struct log_card *card, char *text, size_t size)
{
	size_t i, most = 0;

	text[0] = '\0';
	for (i = 1; i < 16; i++) {
		if (card->values[i].count > card->values[most].count)
			most = i;
	}

	if (card->lines >= 2 && 2 * card->ones >= card->lines) {
		snprintf(text, size, "%lu of %lu lines have values of all ones", card->ones, card->lines);
		return true;
	}

	if (card->lines < 3 || 2 * card->odd < card->lines)
		return false;

	snprintf(text, size, "%lu of %lu lines have values that no chip of the family gives (bits without a name, classes and codes that do not exist)",
		 card->odd, card->lines);
	if (__builtin_popcount(card->values[most].fields) >= 2 && card->values[most].count >= 3)
		nvfifo_text_add(text, size, "; different registers read the same %08x", card->values[most].value);

	return true;
}

/* --- Causes ----------------------------------------------------------------- */

/* A finding of the second kind that comes with, or after, one of the first */
static const struct {
	const char *cause;
	const char *effect;
	unsigned long distance;	/* records between them at most */
	const char *because;
} chains[] = {
	{ "vm_fault", "engine_trap", 40, "the MMU refused the access, so the unit stopped" },
	{ "vm_fault", "pgraph", 8, "the MMU refused the access, so PGRAPH stopped" },
	{ "engine_trap", "illegal_mthd", 3, "the trap's method line: asynchronous, so its method need not be the cause" },
	{ "data_error", "illegal_mthd", 3, "the method whose data the DATA_ERROR is about" },
	{ "vm_fault", "illegal_mthd", 40, "the method line of the fault: asynchronous, so its method need not be the cause" },
	{ "cache_error", "illegal_mthd", 8, "the object of the handle was not found, so none is bound" },
	{ "engine_trap", "data_error", 8, "methods after a trap are refused because the unit lost its state" },
	{ "vm_fault", "interrupt", 4, "the interrupt of the same engine" },
	{ "vm_fault", "engine_error", 8, "the MMU refused the engine's access" },
	{ "mmio_fault", "interrupt", 4, "the interrupt of the access" },
	{ "tlb_flush_timeout", "wait_timeout", 20, "the same hang, in nouveau's wait" },
	{ "wait_timeout", "tlb_flush_timeout", 20, "the busy units of the wait that did not end" },
	{ "submit_refused", "request", 40, "the kernel's reason for the dump" },
};

/* Kinds that are consequences of any error before them on the same card */
static const char *const consequences[] = {
	"channel_timeout", "channel_killed", "lockup", "card_lost", "wait_timeout", "tlb_flush_timeout",
};

static bool is_consequence(const char *cls)
{
	size_t i;

	for (i = 0; i < sizeof(consequences) / sizeof(consequences[0]); i++) {
		if (!strcmp(consequences[i], cls))
			return true;
	}

	return false;
}

static bool is_bar_fault(const struct log_group *g)
{
	return !strcmp(g->cls, "vm_fault") && strstr(g->key, "|06 BAR|");
}

/* Words of PROP belong to the trap of PROP before them. Return: its group, or -1. */
static int trap_of_words(const struct nvfifo_log *log, const struct log_group *words)
{
	const struct log_group *g;
	size_t i;

	for (i = 0; i < log->group_count && strstr(words->key, "|words|"); i++) {
		g = &log->groups[i];
		if (g->count && g->card == words->card && strstr(g->key, "|engine_trap|PROP|") &&
		    g->first_number < words->first_number)
			return (int)i;
	}

	return -1;
}

static int cause_of(const struct nvfifo_log *log, size_t effect)
{
	int trap;

	const struct log_group *e = &log->groups[effect], *c;
	size_t i, k;

	for (k = 0; k < sizeof(chains) / sizeof(chains[0]); k++) {
		if (strcmp(chains[k].effect, e->cls))
			continue;

		for (i = 0; i < log->group_count; i++) {
			c = &log->groups[i];
			if (i == effect || !c->count || strcmp(chains[k].cause, c->cls) || c->card != e->card)
				continue;
			/* The processor's access through a BAR stops no engine. */
			if (is_bar_fault(c) || c->first_number > e->last_number + chains[k].distance ||
			    e->first_number > c->last_number + chains[k].distance)
				continue;
			log->groups[effect].because = chains[k].because;
			return (int)i;
		}
	}

	trap = trap_of_words(log, e);
	if (trap >= 0) {
		log->groups[effect].because = "words of the same trap";
		return trap;
	}

	if (!is_consequence(e->cls))
		return -1;

	for (i = 0; i < log->group_count; i++) {
		c = &log->groups[i];
		if (c->card == e->card && c->rank < 6 && !is_consequence(c->cls) && !is_bar_fault(c) &&
		    c->first_number < e->first_number && strcmp(c->cls, "other_family")) {
			log->groups[effect].because = "a consequence of the error before it";
			return (int)i;
		}
	}

	return -1;
}

/* A cause's cause may be the effect itself: take the chain apart there. */
static void cut_rings(const struct nvfifo_log *log)
{
	size_t i, steps;
	int at;

	for (i = 0; i < log->group_count; i++) {
		at = (int)i;
		for (steps = 0; at >= 0 && steps <= log->group_count; steps++)
			at = log->groups[at].cause;
		if (at >= 0)
			log->groups[i].cause = -1;
	}
}

/*
 * "timeout" of a card and the WARNING after it, which names the function, are one event. The first
 * one is counted no more.
 */
static void drop_nameless_wait(struct nvfifo_log *log, const struct nvfifo_explanation *e)
{
	struct log_group *g;
	size_t i;

	if (strcmp(e->cls, "wait_timeout") || !*get(e, "function"))
		return;

	for (i = log->group_count; i > 0; i--) {
		g = &log->groups[i - 1];
		if (strcmp(g->cls, "wait_timeout") || !g->nameless || !g->count ||
		    g->last_number + 4 < log->records)
			continue;

		g->count--;
		log->explained--;
		return;
	}
}

static const struct nvfifo_log *sorted;

static int compare(const void *a, const void *b)
{
	const struct log_group *x = &sorted->groups[*(const size_t *)a];
	const struct log_group *y = &sorted->groups[*(const size_t *)b];

	if ((x->cause < 0) != (y->cause < 0))
		return x->cause < 0 ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;

	return x->first_number < y->first_number ? -1 : 1;
}

size_t log_order(const struct nvfifo_log *log, size_t *order)
{
	size_t i, n = 0;

	for (i = 0; i < log->group_count; i++)
		log->groups[i].cause = cause_of(log, i);
	cut_rings(log);

	for (i = 0; i < log->group_count; i++) {
		if (log->groups[i].count)
			order[n++] = i;
	}

	sorted = log;
	qsort(order, n, sizeof(*order), compare);

	return n;
}

/*
 * A line that was cut has less to say than a later one that is whole. Among registers, units that
 * are busy say most.
 */
static bool says_more(const struct log_group *g, const struct nvfifo_explanation *e)
{
	if (!e->cut && strstr(g->advice, "This line is cut"))
		return true;
	if (!strcmp(g->cls, "tlb_flush_timeout") && !strncmp(g->advice, "The lines that follow", 21))
		return *get(e, "busy") || *get(e, "units");

	return !strcmp(g->cls, "register") && !strncmp(e->advice, "PGRAPH is busy", 14) &&
	       strncmp(g->advice, "PGRAPH is busy", 14);
}

struct log_group *log_count(struct nvfifo_log *log, struct log_card *card,
			    const struct nvfifo_explanation *e, const char *text, bool *news)
{
	const size_t kind = kind_of(e->cls);
	struct log_group *g;
	char key[160], last[32];

	make_key(e, card, kind, key, sizeof(key));
	g = find_group(log, key);
	if (!g)
		return NULL;

	if (!g->count) {
		g->cls = e->cls;
		g->card = card;
		g->rank = kind < KINDS ? kinds[kind].rank : 7;
		make_title(e, kind, g->title, sizeof(g->title));
		snprintf(g->advice, sizeof(g->advice), "%s", e->advice);
		log_time(text, g->first, sizeof(g->first));
		g->first_number = log->records;
	}

	if (says_more(g, e))
		snprintf(g->advice, sizeof(g->advice), "%s", e->advice);

	drop_nameless_wait(log, e);
	g->nameless = !*get(e, "function") && !*get(e, "wait") && strstr(text, ": timeout");
	*news = add_busy(g, e);
	g->count++;
	log_time(text, last, sizeof(last));
	if (*last)
		snprintf(g->last, sizeof(g->last), "%s", last);
	g->last_number = log->records;
	add_channel(g, e);
	add_method(g, e);
	add_address(g, e);
	if (*get(e, "tp"))
		g->tps |= 1u << (nvfifo_text_value(get(e, "tp"), 10) & 31);
	if (card)
		look_for_nonsense(card, e);

	return g;
}

/* --- The summary, for a person ----------------------------------------------- */

enum { HEAD, GOOD, DIM, OFF };

/* Groups that are printed in full. The rest is counted. */
#define GROUPS_SHOWN	12

static const char *plural(unsigned long count)
{
	return count == 1 ? "" : "s";
}

static void print_cards(const struct nvfifo_log *log, FILE *out)
{
	char why[300];
	size_t i;

	for (i = 0; i < log->cards.count; i++) {
		const struct log_card *c = &log->cards.list[i];
		const char *address = *c->address ? c->address : "a card without an address";

		if (c->generation)
			fprintf(out, "%s is a %s (%s; the log says '%s'), which is not of the NV50 family (G80 to MCP89): %lu line%s of it not explained.\n",
				address, c->name, c->generation, c->from, c->skipped,
				c->skipped == 1 ? " is" : "s are");
		else if (c->chipset)
			fprintf(out, "%s is a %s; the log says '%s'.\n", address, c->name, c->from);
		else if (c->skipped)
			fprintf(out, "%s seems to be of another generation, which is not of the NV50 family: see its lines.\n",
				address);
		else if (c->lines && *c->address && !log->chipset)
			fprintf(out, "%s: the log does not name its chip; --chipset does.\n", address);

		if (log_is_nonsense(c, why, sizeof(why)))
			fprintf(out, "%s: the card or the bus does not answer sensibly; the rest is noise. %s. Read PMC.BOOT_0 (nvfifo peek PMC.BOOT_0, lspci): if it is not the chip, nothing else in this log means anything. The card is off the bus, powered down, or its BAR is mapped to something else (a hypervisor).\n",
				address, why);
	}
}

static void print_count(const struct log_group *g, FILE *out)
{
	if (g->count == 1)
		fputs("once", out);
	else
		fprintf(out, "%lu times", g->count);
	if (*g->first && !strcmp(g->first, g->last))
		fprintf(out, ", at %s", g->first);
	else if (*g->first)
		fprintf(out, ", from %s to %s", g->first, g->last);
}

static void print_list(FILE *out, const char *what, const char *list, size_t row, size_t count,
		       size_t most)
{
	size_t i;

	if (!count)
		return;

	fprintf(out, "   %s", what);
	for (i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? ", " : "", list + i * row);
	fputs(count == most ? " ...\n" : "\n", out);
}

static void print_tps(const struct log_group *g, FILE *out)
{
	unsigned int i;

	if (!g->tps)
		return;

	fputs("   TP", out);
	for (i = 0; i < 32; i++) {
		if (g->tps >> i & 1)
			fprintf(out, " %u", i);
	}
	fputc('\n', out);
}

static void print_group(const struct log_group *g, unsigned int number, int cause, FILE *out,
			const char *const colors[4])
{
	fprintf(out, "\n%u. %s%s%s: ", number, colors[HEAD], g->title, colors[OFF]);
	print_count(g, out);
	fputc('\n', out);
	print_list(out, "", g->channels[0], sizeof(g->channels[0]), g->channel_count, LOG_CHANNELS);
	if (g->has_address && g->low == g->high)
		fprintf(out, "   address %010" PRIx64 "\n", (uint64_t)g->low);
	else if (g->has_address)
		fprintf(out, "   addresses %010" PRIx64 " to %010" PRIx64 "\n", (uint64_t)g->low,
			(uint64_t)g->high);
	print_tps(g, out);
	print_list(out, "methods ", g->methods[0], sizeof(g->methods[0]), g->method_count, LOG_METHODS);
	print_list(out, "busy: ", g->busy[0], sizeof(g->busy[0]), g->busy_count, LOG_UNITS);
	if (cause)
		fprintf(out, "   %sexplained by %d: %s%s\n", colors[DIM], cause, g->because, colors[OFF]);
	if (*g->advice)
		fprintf(out, "   %s=> %s%s\n", colors[GOOD], g->advice, colors[OFF]);
}

int log_place_of(const size_t *order, size_t count, int group)
{
	size_t i;

	for (i = 0; group >= 0 && i < count && i < GROUPS_SHOWN; i++) {
		if (order[i] == (size_t)group)
			return (int)i + 1;
	}

	return 0;
}

static void print_rest(const struct nvfifo_log *log, FILE *out)
{
	if (log->mended)
		fprintf(out, "Lines with damaged characters, which were read as what they most likely were: %lu.\n",
			log->mended);
	if (log->cut)
		fprintf(out, "Lines that are cut: %lu.\n", log->cut);
	if (log->unknown == 1)
		fputs("1 line of the driver was not understood; --all shows it.\n", out);
	else if (log->unknown)
		fprintf(out, "%lu lines of the driver were not understood; --all shows them.\n",
			log->unknown);
}

void nvfifo_log_summary(const struct nvfifo_log *log, FILE *out, const char *const colors[4])
{
	size_t *order = calloc(log->group_count + 1, sizeof(*order)), i, count, roots = 0, hidden = 0;

	if (!order)
		return;

	count = log_order(log, order);
	for (i = 0; i < count; i++)
		roots += log->groups[order[i]].cause < 0;

	fprintf(out, "%sSummary: %lu finding%s in %lu line%s", colors[HEAD], log->explained,
		plural(log->explained), log->records, plural(log->records));
	if (count)
		fprintf(out, "; %zu kind%s, %zu of them without a cause among the others", count, plural(count),
			roots);
	fprintf(out, ".%s\n", colors[OFF]);
	print_cards(log, out);

	for (i = 0; i < count; i++) {
		const struct log_group *g = &log->groups[order[i]];

		if (i < GROUPS_SHOWN)
			print_group(g, (unsigned int)i + 1, log_place_of(order, count, g->cause), out,
				    colors);
		else
			hidden += g->count;
	}

	if (count)
		fputc('\n', out);
	if (hidden)
		fprintf(out, "%zu findings of %zu other kinds are of less weight; --all shows them.\n", hidden,
			count - GROUPS_SHOWN);
	print_rest(log, out);
	free(order);
}
