// SPDX-License-Identifier: MIT
/* A whole log: from lines to messages, each explained by the chip of its card. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_log_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"

#define MESSAGE_MAX	2048
#define HEX_DIGITS	"0123456789abcdefABCDEF"

struct nvfifo_log *nvfifo_log_new(__u32 chipset, nvfifo_log_fn fn, void *ctx)
{
	struct nvfifo_log *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;

	log->chipset = chipset;
	log->fn = fn;
	log->ctx = ctx;
	log->bunch = -1;

	return log;
}

static void free_pieces(struct nvfifo_log *log)
{
	while (log->piece_count)
		free(log->pieces[--log->piece_count]);
}

static void forget(struct log_answer *a)
{
	nvfifo_explanation_free(&a->e);
	free(a->text);
	a->text = NULL;
}

void nvfifo_log_free(struct nvfifo_log *log)
{
	size_t i;

	if (!log)
		return;

	for (i = 0; i < LOG_ANSWERS; i++)
		forget(&log->answers[i]);
	free_pieces(log);
	free(log->groups);
	free(log);
}

/* Texts of lines that name a card */
static const char *const card_texts[] = {
	"NVIDIA", "nVidia", "Chipset: ", "generation card", "PMC_BOOT_0 ",
};

#define CARD_TEXTS	(sizeof(card_texts) / sizeof(card_texts[0]))

/* The next line that may name a card, or @end. @next: where each text comes next. */
static const char *next_card(const char *text, const char *end, const char *next[CARD_TEXTS])
{
	const char *first = end;
	size_t i;

	for (i = 0; i < CARD_TEXTS; i++) {
		if (next[i] < text)
			next[i] = memmem(text, (size_t)(end - text), card_texts[i], strlen(card_texts[i]));
		if (!next[i])
			next[i] = end;
		if (next[i] < first)
			first = next[i];
	}

	return first;
}

void nvfifo_log_scan(struct nvfifo_log *log, const char *text, size_t len)
{
	const char *end = text + len, *next[CARD_TEXTS] = { NULL }, *at, *from, *newline;
	char line[400];
	size_t n;

	for (; (at = next_card(text, end, next)) < end; text = newline + 1) {
		from = text + nvfifo_text_whole_lines(text, (size_t)(at - text));
		newline = nvfifo_text_line_end(at, end);

		n = (size_t)(newline - from);
		if (n >= 20 && n < sizeof(line)) {
			memcpy(line, from, n);
			line[n] = '\0';
			log_cards_scan(&log->cards, line);
		}

		if (newline == end)
			break;
	}
}

static void copy_text(char *out, size_t size, const char *text, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(out, text, len);
	out[len] = '\0';
}

/* --- Messages --------------------------------------------------------------- */

/* Messages of nouveau at probe and about other things, which are no findings */
static bool is_ordinary(const char *text)
{
	static const char *const ordinary[] = {
		"nvidia ", "bios: ", "fb: ", "drm: vram: ", "drm: gart: ", "drm: tmds", "drm: dcb", "drm: bit",
		"drm: mm: ", "drm: allocated ", "vgaarb", "initialized nouveau", "fbcon", "enabling device",
		"[drm] nouveau", "allocated ", "drm: saving", "drm: setting dpms", "drm: evicting",
		"drm: resuming", "drm: suspending", "chipset: ", "family ", "boot0 ", "image #0", "using image",
		"bound ", "fb0: ", "snd_hda", "vga_switcheroo", "modules linked", "checking ",
		"drm: waiting for kernel channels", "drm: failed to create encoder", "pci_device", "i2c: ",
		"clk: ", "volt: ", "therm: ", "vbios ", "hwmon", "linux agpgart", "nv_backlight",
		"workqueue: ", "hardware name: ", "rip: ", " comm: ", "bios fp mode", "tmds table", "bmp version", "dcb entries", "edid in bios",
	};
	const char *word = strstr(text, "nouveau:");
	char lower[MESSAGE_MAX];
	size_t i;

	/* A frame of a call trace */
	if (strstr(text, " [nouveau]") && strstr(text, "+0x"))
		return true;

	/* A word of libdrm's dump, which its psh line announces */
	if (word) {
		word += strlen("nouveau:");
		word += strspn(word, " \t");
		if (!strncmp(word, "#011", 4))
			word += 4;
		if (!strncmp(word, "0x", 2))
			return true;
	}

	for (i = 0; text[i] && i < sizeof(lower) - 1; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	lower[i] = '\0';

	for (i = 0; i < sizeof(ordinary) / sizeof(ordinary[0]); i++) {
		if (strstr(lower, ordinary[i]))
			return true;
	}

	return false;
}

/* Are the unknown messages undamaged? The search takes long, and few of the last ones were mended. */
static bool is_mending_vain(const struct nvfifo_log *log)
{
	return log->looks > 200 && 8 * log->found < log->looks;
}

/* Say that a part of the message is lost, which its reader might take for a whole one. */
static void add_lost(struct nvfifo_explanation *e, const char *lost)
{
	const char *gap = *e->advice ? " " : "";

	if (e->cut)
		return;

	e->cut = true;
	nvfifo_text_add(e->advice, sizeof(e->advice), "%sThis line is cut or damaged: %s.", gap, lost);
}

/* Explain the message of a driver, after mending it if that helps. */
static void explain(struct nvfifo_log *log, struct log_answer *a, const char *text, __u32 chipset)
{
	struct log_damage damage;
	char mended[MESSAGE_MAX];

	a->ret = nvfifo_explain(text, chipset, &a->e);
	a->ordinary = !a->ret && is_ordinary(text);
	a->mended = false;
	a->note[0] = '\0';
	/* libdrm's lines, such as "nouveau: ch11: krec", and NVIDIA's have words of their own. */
	if (a->ret < 0 || strstr(text, "nouveau: ch") || (strstr(text, "NVRM") && !strstr(text, "Xid")))
		return;
	/* The table has not all words of this driver, whose logs come from this machine. */
	if (a->ret == 1 && !a->e.cut && !strcmp(a->e.driver, "nvfifo"))
		return;

	if (!a->ret && !a->ordinary) {
		if (is_mending_vain(log))
			return;
		log->looks++;
	}

	copy_text(mended, sizeof(mended), text, strlen(text));
	if (log_mend(mended, chipset, !a->ret && !a->ordinary, &damage)) {
		log->found += !a->ret;
		nvfifo_explanation_free(&a->e);
		a->mended = true;
		snprintf(a->note, sizeof(a->note), "%s", damage.note);
		a->ret = nvfifo_explain(mended, chipset, &a->e);
	}

	if (a->ret == 1 && *damage.lost)
		add_lost(&a->e, damage.lost);
}

/* --- Messages that come again ------------------------------------------------ */

/* The part in front of the driver's name differs in its time, whose digits do not count. */
static size_t prefix_len(const char *text)
{
	const char *p = strstr(text, "nouveau");

	return p ? (size_t)(p - text) : 0;
}

static bool is_same(const char *a, const char *b, size_t prefix)
{
	size_t i;

	for (i = 0; i < prefix; i++) {
		if (a[i] != b[i] && !(isdigit((unsigned char)a[i]) && isdigit((unsigned char)b[i])))
			return false;
	}

	return !strcmp(a + prefix, b + prefix);
}

unsigned int log_hash(const char *text)
{
	unsigned int hash = 5381;

	for (; *text; text++)
		hash = hash * 33 + (unsigned char)*text;

	return hash;
}

/*
 * The answer to a message of a driver. Logs repeat themselves, so the last answers are kept.
 * Return: NULL without memory.
 */
static struct log_answer *answer_of(struct nvfifo_log *log, const char *text, __u32 chipset)
{
	const size_t prefix = prefix_len(text);
	struct log_answer *a = &log->answers[log_hash(text + prefix) % LOG_ANSWERS];

	if (a->text && a->chipset == chipset && prefix_len(a->text) == prefix && is_same(a->text, text, prefix))
		return a;

	forget(a);
	a->text = strdup(text);
	if (!a->text)
		return NULL;

	a->chipset = chipset;
	explain(log, a, text, chipset);
	if (a->ret < 0) {
		forget(a);
		return NULL;
	}

	return a;
}

static enum nvfifo_record kind_of(struct nvfifo_log *log, struct log_card *card, const char *text,
				  const struct log_answer *a)
{
	const struct nvfifo_explanation *e = &a->e;
	const int ret = a->ret;

	if (ret == 1 && card && card->generation && strcmp(e->cls, "nvidia")) {
		card->skipped++;
		return NVFIFO_RECORD_FOREIGN;
	}

	if (ret == 1 && card && !strcmp(e->cls, "other_family") && !card->chipset)
		card->skipped++;
	if (ret == 1)
		return NVFIFO_RECORD_EXPLAINED;

	if (!log_is_driver(text))
		return NVFIFO_RECORD_OTHER;
	if (card && card->generation) {
		card->skipped++;
		return NVFIFO_RECORD_FOREIGN;
	}

	if (a->ordinary) {
		log->ordinary++;
		return NVFIFO_RECORD_ORDINARY;
	}

	log->unknown++;
	return NVFIFO_RECORD_UNKNOWN;
}

/* One message: explain it, count it, hand it over. */
static int take_message(struct nvfifo_log *log, char *text)
{
	const bool driver = log_is_driver(text);
	struct nvfifo_log_record r = { .text = text, .note = "" };
	struct log_answer other = { 0 }, *answer = &other;
	struct log_card *card = NULL;
	struct log_group *group;
	__u32 chipset = log->chipset;
	bool news = false;
	int ret;

	log->records++;
	log_cards_scan(&log->cards, text);
	if (driver)
		card = log_card_of(&log->cards, text);
	if (!chipset && card)
		chipset = card->chipset;
	/* Chips before GT215 have no engine d, PCOPY. */
	if (!chipset && strstr(text, "engine 0d [PCE0]"))
		chipset = 0xa3;

	if (driver)
		answer = answer_of(log, text, chipset);
	else
		other.ret = nvfifo_explain(text, chipset, &other.e);
	if (!answer || answer->ret < 0) {
		nvfifo_explanation_free(&other.e);
		return -ENOMEM;
	}

	r.kind = kind_of(log, card, text, answer);
	r.note = answer->note;
	log->mended += answer->mended;
	if (r.kind == NVFIFO_RECORD_EXPLAINED) {
		log->explained++;
		log->cut += answer->e.cut;
		group = log_count(log, card, &answer->e, text, &news);
		if (!group) {
			nvfifo_explanation_free(&other.e);
			return -ENOMEM;
		}
		r.e = &answer->e;
		/* Each register and each line of a dump is another one, in one group of them. */
		r.repeated = group->count > 1 && !news && strcmp(answer->e.cls, "register") &&
			     strcmp(answer->e.cls, "request");
	}

	ret = log->fn ? log->fn(log->ctx, &r) : 0;
	nvfifo_explanation_free(&other.e);

	return ret;
}

/* --- Lines ------------------------------------------------------------------ */

int nvfifo_log_flush(struct nvfifo_log *log)
{
	char text[MESSAGE_MAX];
	size_t used = 1, i;
	int ret = 0;

	if (!log->piece_count)
		return 0;

	if (log->piece_count == 1)
		copy_text(text, sizeof(text), log->pieces[0], strlen(log->pieces[0]));
	else
		log_join(log->pieces, log->piece_count, log->width, log->chipset, &used, text,
			 sizeof(text));

	ret = take_message(log, text);
	for (i = used; i < log->piece_count && !ret; i++) {
		copy_text(text, sizeof(text), log->pieces[i], strlen(log->pieces[i]));
		ret = take_message(log, text);
	}

	free_pieces(log);
	return ret;
}

static int add_piece(struct nvfifo_log *log, const char *line, size_t len)
{
	char *piece = strndup(line, len);

	if (!piece)
		return -ENOMEM;

	log->pieces[log->piece_count++] = piece;
	return 0;
}

/* A part of a line with one message, or with a piece of one */
static int take_part(struct nvfifo_log *log, const char *line, size_t len)
{
	const size_t room = sizeof(log->pieces) / sizeof(log->pieces[0]);
	char text[MESSAGE_MAX];
	int ret;

	if (len >= sizeof(text))
		len = sizeof(text) - 1;

	/* A message of a driver may go on in a line that begins no other one. Mail may add empty ones. */
	if (log->piece_count && !len)
		return 0;
	if (log->piece_count && log->piece_count < room && !log_is_record_start(line)) {
		const size_t last = strlen(log->pieces[log->piece_count - 1]);

		if (last > log->width)
			log->width = last;
		return add_piece(log, line, len);
	}

	ret = nvfifo_log_flush(log);
	if (ret)
		return ret;

	copy_text(text, sizeof(text), line, len);
	if (log_is_driver(text) || log_is_record_start(text))
		return add_piece(log, line, len);

	return take_message(log, text);
}

/*
 * "00400380: 00000000 00000008 00240000", a row of nvapeek: a message for each register.
 * Return: whether the line is one; @ret: out: of the messages.
 */
static bool take_row(struct nvfifo_log *log, const char *line, int *ret)
{
	const char *s = line + strspn(line, " \t");
	const size_t digits = strspn(s, HEX_DIGITS);
	struct nvfifo_reg_ref ref;
	__u32 address, values[9];
	char text[32];
	size_t count = 0, i;

	if (digits < 6 || digits > 8 || s[digits] != ':')
		return false;

	address = (__u32)nvfifo_text_value(s, 16);
	for (s += digits + 1; *s == ' ' && strspn(s + 1, HEX_DIGITS) == 8 && count < 9; s += 9)
		values[count++] = (__u32)nvfifo_text_value(s + 1, 16);
	if (count < 2 || count > 8 || s[strspn(s, " \t")] || address < 0x1000 ||
	    address >= NVFIFO_BAR0_BYTES - 4 * count || address % 4)
		return false;

	nvfifo_reg_at(address, log->chipset, &ref);
	if (!ref.reg)
		return false;

	*ret = nvfifo_log_flush(log);
	for (i = 0; i < count && !*ret; i++) {
		snprintf(text, sizeof(text), "%08x: %08x", address + 4 * (__u32)i, values[i]);
		*ret = take_message(log, text);
	}

	return true;
}

int nvfifo_log_line(struct nvfifo_log *log, const char *line)
{
	char mended[MESSAGE_MAX];
	size_t second;
	int ret;

	if (take_row(log, line, &ret))
		return ret;

	if (!log_is_driver(line) && strlen(line) < sizeof(mended)) {
		memcpy(mended, line, strlen(line) + 1);
		if (log_mend_driver(mended))
			line = mended;
	}

	while ((second = log_second_record(line))) {
		ret = take_part(log, line, second);
		if (ret)
			return ret;
		line += second;
	}

	return take_part(log, line, strlen(line));
}

bool nvfifo_log_other_cards(const struct nvfifo_log *log)
{
	size_t i;

	for (i = 0; i < log->cards.count; i++) {
		if (log->cards.list[i].skipped)
			return true;
	}

	return false;
}
