/* SPDX-License-Identifier: MIT */
/*
 * The part of a session that both transports share, and its configuration by the program.
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
	/* Called before the loop sleeps, when slow output delays no access. */
	void (*idle)(void *ctx);
	/* Set by a signal handler; the signals are blocked except in ppoll(). */
	const volatile sig_atomic_t *stop;
	const sigset_t *sigmask;
	/* Replace the card by a new one, for a bus reset; NULL if that fails. */
	struct nvsim *(*reset)(void *ctx);
	/* The control socket, or NULL */
	struct control *control;
	/* The recorder of all traffic at the card's port, or NULL */
	struct recorder *record;
};

/* The state between model and transport; the first member of each server */
struct session {
	struct server_config cfg;
	struct port port;
	const struct guest_mem *mem;
};

/*
 * Prepare the callbacks for nvsim_create(). The caller has set intx and msi in @host. All callbacks
 * get @s, which must keep its address.
 */
void session_init(struct session *s, const struct server_config *cfg, const struct guest_mem *mem,
		  struct nvsim_host *host);
/* Report a mistake of the client as a violation. */
void session_complain(struct session *s, const char *line);

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

/* Steps of the model between two polls of the guest; a read waits for at most these steps. */
#define RUN_BUDGET 512

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/*
 * Whether to poll for the next access. Polling pays only while the guest runs on another CPU and is
 * busy with the card. On the same CPU it even keeps the guest from running. So after two misses the
 * server polls after every 16th access only, until a poll succeeds.
 */
static inline bool spin_pays(unsigned int misses)
{
	return misses < 2 || misses % 16 == 0;
}

#endif
