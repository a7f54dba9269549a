/* SPDX-License-Identifier: MIT */
/*
 * A witness: a process that works on the card while a test attacks it. It checks its own memory,
 * fences and progress, and counts the failures, so that the test sees whether the attack harmed it.
 */
#ifndef NVFIFO_TESTS_WITNESS_H
#define NVFIFO_TESTS_WITNESS_H

#include "rig.h"

/**
 * enum witness_kind - The work of a witness in each round
 * @WITNESS_PFIFO: Sets the channel's reference counter and releases a semaphore.
 * @WITNESS_M2MF: Copies a pattern to VRAM and back with PGRAPH's M2MF.
 */
enum witness_kind {
	WITNESS_PFIFO,
	WITNESS_M2MF,
};

/**
 * struct witness - Results of a witness, in memory shared with its process
 * @kind: enum witness_kind.
 * @pid: Its process.
 * @pause_ms: How long it sleeps between two rounds; 0 at first. The gap does not count it.
 * @stop: The test wants the process to end.
 * @rest: The test wants it to do nothing.
 * @rests: It does nothing, and all its work has ended.
 * @rounds: Rounds whose fence ended with success.
 * @wrong: Rounds whose fence said success and whose memory or counter was wrong.
 * @deaths: Times that a call or a fence failed. The witness starts again with a new file.
 * @guard_hits: Changed words in memory that no address space maps.
 * @gap_ns: Longest time from the end of a round and its pause to the end of the next.
 * @last_ns: End of the last round.
 * @gap: As @gap_ns, in pulses.
 * @last: As @last_ns, in pulses.
 * @pulse_pid: A process that only sleeps, for 20 ms at a time, and counts.
 * @pulses: How often it has slept. A machine that stands still for seconds adds one.
 * @why: The first failure as text.
 */
struct witness {
	enum witness_kind kind;
	pid_t pid;
	volatile uint32_t pause_ms;
	volatile bool stop;
	volatile bool rest;
	volatile bool rests;
	volatile uint32_t rounds;
	volatile uint32_t wrong;
	volatile uint32_t deaths;
	volatile uint32_t guard_hits;
	volatile int64_t gap_ns;
	volatile int64_t last_ns;
	volatile uint32_t gap;
	volatile uint32_t last;
	pid_t pulse_pid;
	volatile uint32_t pulses;
	char why[200];
};

/**
 * witness_start() - Fork a witness and wait for its first round
 * @kind: Its work.
 *
 * Call it before the test starts threads. Ends the test if the witness cannot work.
 *
 * Return: the witness, in memory that both processes share.
 */
struct witness *witness_start(enum witness_kind kind);

/* Forget the gap so far, for a phase of the test that has a limit of its own. */
void witness_new_phase(struct witness *w);

/* Let the witness end its round, and keep it from the next until witness_go(). */
void witness_rest(struct witness *w);
void witness_go(struct witness *w);

/* Whether the witness ends a round within @ms from now on. */
bool witness_lives(struct witness *w, unsigned int ms);

/* End its processes without a verdict. Afterwards no child has a file of the card. */
void witness_end(struct witness *w);

/**
 * witness_stop() - End the process and judge
 * @w: The witness, freed here.
 * @gap_ms: Longest permitted time between two rounds, counted in pulses. So the time in which the
 *	machine does not run the guest, or runs it slowly, does not count.
 * @name: Of the tests, whose lines this prints.
 *
 * Return: whether it was not harmed.
 */
bool witness_stop(struct witness *w, unsigned int gap_ms, const char *name);

#endif
