/* SPDX-License-Identifier: MIT */
/*
 * Replay of a record: the model gets the calls, times and bytes of the record. Each of its actions
 * that differs from the record is a difference.
 */
#ifndef NVSIM_REPLAY_H
#define NVSIM_REPLAY_H

#include <stdio.h>

#include "../nvsim.h"
#include "record.h"

struct replay_config {
	struct nvsim_config card;
	bool keep_going; /* after the first difference */
	FILE *out;	 /* gets a line for each difference */
	void *ctx;
	/* Trace and violation lines of the model; may be NULL. */
	void (*trace)(void *ctx, const char *line);
	void (*violation)(void *ctx, const char *line);
};

struct replay_result {
	uint64_t records, calls, differences;
	uint64_t time; /* of the guest, ns */
	enum record_end end;
	size_t end_at; /* in the file */
	uint64_t violations;
	struct nvsim *sim; /* the model at the end, which the caller destroys; may be NULL */
};

/* @r is after the header. False and a sentence in @err if the model cannot be created. */
bool replay_run(const struct replay_config *cfg, struct record_reader *r,
		struct replay_result *result, char *err, size_t err_len);

#endif
