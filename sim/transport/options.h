/* SPDX-License-Identifier: MIT */
/*
 * nvsim's command line. The card's options are also text in the header of a record.
 */
#ifndef NVSIM_OPTIONS_H
#define NVSIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../nvsim.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_TRANSPORT = 1,
	EXIT_DIFFERENT = 1,
	EXIT_USAGE = 2,
	EXIT_BAD_RECORD = 2,
	EXIT_VIOLATIONS = 3,
};

struct options {
	const char *socket_path;
	bool vfio;
	const char *trace_path;
	const char *report_path;
	const char *stats_path;
	const char *control_path;
	bool strict;
	unsigned int spin_us;
	struct nvsim_config card;

	const char *record_path;
	const char *replay_path;
	bool keep_going;
	const char *decode_path;
	uint64_t from, to;
	unsigned int only; /* enum decode_kind */
	bool all;
	bool describe; /* the card, and exit */
};

/* Print "nvsim: ..." and a newline to stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Parse the command line. @card holds the card's defaults; NULL: the usual ones. Returns -1 to
 * continue, or the exit status. May be called again.
 */
int options_parse(int argc, char **argv, const struct nvsim_config *card, struct options *o);

/* The chipset and the card's options that differ from the default, a line each. */
void options_card_text(const struct nvsim_config *card, char *buf, size_t len);
/* Set the card's options to their defaults; the chipset stays NULL. */
void options_card_init(struct nvsim_config *card);
/* Parse one such line; false after a complaint. */
bool options_card_line(struct nvsim_config *card, const char *line);

#endif
