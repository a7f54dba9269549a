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

#define MESSAGE_MAX	2048

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

void nvfifo_log_free(struct nvfifo_log *log)
{
	if (!log)
		return;

	free_pieces(log);
	free(log->groups);
	free(log);
}

void nvfifo_log_scan(struct nvfifo_log *log, const char *text, size_t len)
{
	const char *end = text + len, *newline;
	char line[400];
	size_t n;

	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;

		/* Every line about a card has a bracket. */
		n = (size_t)(newline - text);
		if (n < 20 || n >= sizeof(line) || !(memmem(text, n, "NVIDIA", 6) ||
		    memmem(text, n, "nVidia", 6) || memmem(text, n, "Chipset: ", 9) ||
		    memmem(text, n, "generation card", 15) || memmem(text, n, "PMC_BOOT_0 ", 11)))
			continue;

		memcpy(line, text, n);
		line[n] = '\0';
		log_cards_scan(&log->cards, line);
	}
}

/* --- Messages --------------------------------------------------------------- */

/* Messages of nouveau at probe and about other things, which are no findings */
static bool is_ordinary(const char *text)
{
	static const char *const ordinary[] = {
		"NVIDIA ", "bios: ", "fb: ", "DRM: VRAM: ", "DRM: GART: ", "DRM: TMDS", "DRM: DCB", "DRM: BIT",
		"DRM: MM: ", "DRM: allocated ", "vgaarb", "Initialized nouveau", "fbcon", "enabling device",
		"[drm] nouveau", "allocated ", "DRM: Saving", "DRM: Setting dpms", "DRM: evicting",
		"DRM: resuming", "DRM: suspending", "Chipset: ", "Family ", "BOOT0 ", "image #0", "using image",
		"bound ", "fb0: ", "snd_hda", "vga_switcheroo", "Modules linked", "checking ",
		"DRM: waiting for kernel channels", "DRM: failed to create encoder", "pci_device", "i2c: ",
		"clk: ", "volt: ", "therm: ", "vbios ", "hwmon", "Linux agpgart", "nv_backlight",
		"BIOS FP mode", "TMDS table", "BMP version", "DCB entries", "EDID in BIOS",
	};
	size_t i;

	for (i = 0; i < sizeof(ordinary) / sizeof(ordinary[0]); i++) {
		if (strcasestr(text, ordinary[i]))
			return true;
	}

	return false;
}

/* Explain the message, after mending it if that helps. */
static int explain(struct nvfifo_log *log, char *text, __u32 chipset, struct nvfifo_explanation *e,
		   char *note, size_t size)
{
	int ret = nvfifo_explain(text, chipset, e), before, after;
	const bool driver = log_is_driver(text), whole = ret == 1 && !e->cut;
	char mended[MESSAGE_MAX];

	note[0] = '\0';
	if (ret < 0 || !driver)
		return ret;

	snprintf(mended, sizeof(mended), "%s", text);
	if (!log_mend(mended, !whole, note, size)) {
		note[0] = '\0';
		return ret;
	}

	before = log_score(text, chipset);
	after = log_score(mended, chipset);
	if (after < before || (after == before && (ret != 1 || !whole))) {
		note[0] = '\0';
		return ret;
	}

	nvfifo_explanation_free(e);
	log->mended++;

	return nvfifo_explain(mended, chipset, e);
}

static enum nvfifo_record kind_of(struct nvfifo_log *log, struct log_card *card, const char *text,
				  const struct nvfifo_explanation *e, int ret)
{
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

	if (is_ordinary(text)) {
		log->ordinary++;
		return NVFIFO_RECORD_ORDINARY;
	}

	log->unknown++;
	return NVFIFO_RECORD_UNKNOWN;
}

/* One message: explain it, count it, hand it over. */
static int take_message(struct nvfifo_log *log, char *text)
{
	struct nvfifo_log_record r = { .text = text };
	struct log_card *card = NULL;
	struct nvfifo_explanation e;
	struct log_group *group;
	char note[160];
	__u32 chipset = log->chipset;
	int ret;

	log->records++;
	log_cards_scan(&log->cards, text);
	if (log_is_driver(text))
		card = log_card_of(&log->cards, text);
	if (!chipset && card)
		chipset = card->chipset;
	/* Chips before GT215 have no engine d, PCOPY. */
	if (!chipset && strstr(text, "engine 0d [PCE0]"))
		chipset = 0xa3;

	ret = explain(log, text, chipset, &e, note, sizeof(note));
	if (ret < 0) {
		nvfifo_explanation_free(&e);
		return ret;
	}

	r.kind = kind_of(log, card, text, &e, ret);
	r.note = note;
	if (r.kind == NVFIFO_RECORD_EXPLAINED) {
		log->explained++;
		log->cut += e.cut;
		group = log_count(log, card, &e, text);
		if (!group) {
			nvfifo_explanation_free(&e);
			return -ENOMEM;
		}
		r.e = &e;
		/* Each register is another one, in one group of them. */
		r.repeated = group->count > 1 && strcmp(e.cls, "register");
	}

	ret = log->fn ? log->fn(log->ctx, &r) : 0;
	nvfifo_explanation_free(&e);

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
		snprintf(text, sizeof(text), "%s", log->pieces[0]);
	else
		log_join(log->pieces, log->piece_count, log->width, log->chipset, &used, text,
			 sizeof(text));

	ret = take_message(log, text);
	for (i = used; i < log->piece_count && !ret; i++) {
		snprintf(text, sizeof(text), "%s", log->pieces[i]);
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

	/* A message of a driver may go on in a line that begins no other one. */
	if (log->piece_count && log->piece_count < room && len && !log_is_record_start(line)) {
		const size_t last = strlen(log->pieces[log->piece_count - 1]);

		if (last > log->width)
			log->width = last;
		return add_piece(log, line, len);
	}

	ret = nvfifo_log_flush(log);
	if (ret)
		return ret;

	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	if (log_is_driver(text) || log_is_record_start(text))
		return add_piece(log, line, len);

	return take_message(log, text);
}

int nvfifo_log_line(struct nvfifo_log *log, const char *line)
{
	size_t second;
	int ret;

	while ((second = log_second_record(line))) {
		ret = take_part(log, line, second);
		if (ret)
			return ret;
		line += second;
	}

	return take_part(log, line, strlen(line));
}

unsigned long nvfifo_log_explained(const struct nvfifo_log *log)
{
	return log->explained;
}

bool nvfifo_log_needs_summary(const struct nvfifo_log *log)
{
	size_t i;

	for (i = 0; i < log->cards.count; i++) {
		if (log->cards.list[i].skipped)
			return true;
	}

	return log->explained > 1 || log->unknown;
}
