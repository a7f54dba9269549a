/* SPDX-License-Identifier: MIT */
/*
 * What a session of either transport needs from the program around it, and what
 * both have in common.
 */
#ifndef NVSIM_SESSION_H
#define NVSIM_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../record/port.h"

struct control;
struct guest_mem;
struct recorder;

struct server_config {
	unsigned int spin_us;
	void *ctx;
	void (*trace)(void *ctx, const char *line);
	void (*violation)(void *ctx, const char *line);
	/* The loop is about to sleep: a good time for slow output. */
	void (*idle)(void *ctx);
	/* Set by a signal handler; the signals are blocked except in ppoll(). */
	const volatile sig_atomic_t *stop;
	const sigset_t *sigmask;
	/* A new card in the place of the old one, for a bus reset; NULL when that failed. */
	struct nvsim *(*reset)(void *ctx);
	/* Commands from the host; NULL if nobody wants it. */
	struct control *control;
	/* Keeps all that goes in and out of the model; NULL if nobody wants it. */
	struct recorder *record;
};

/* What stands between the model and the transport; the first part of each server. */
struct session {
	struct server_config cfg;
	struct port port;
	const struct guest_mem *mem;
};

/*
 * Prepare the callbacks for nvsim_create(), but for intx and msi, which the caller has set in
 * @host. They get @s, which must stay where it is.
 */
void session_init(struct session *s, const struct server_config *cfg, const struct guest_mem *mem,
		  struct nvsim_host *host);
/* A mistake of the other end, to be reported. */
void session_complain(struct session *s, const char *line);

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

/* Steps of the model between two looks at the guest; a read waits that long at most. */
#define RUN_BUDGET 512

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/*
 * Watching for the next access pays only while the guest runs on another CPU and is busy with
 * the card. On the same CPU it even keeps the guest from running. So after two misses only
 * every 16th access is followed by a try, until one is a hit.
 */
static inline bool spin_pays(unsigned int misses)
{
	return misses < 2 || misses % 16 == 0;
}

#endif
