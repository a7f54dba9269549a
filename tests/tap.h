/* SPDX-License-Identifier: MIT */
/*
 * The only writer of TAP (Test Anything Protocol) for tests in C: those of the library, the model
 * and the guest. It is a header only, so that a test stays one file.
 */
#ifndef NVFIFO_TESTS_TAP_H
#define NVFIFO_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * struct tap_state - The results so far
 * @count: Tests that have a line.
 * @failed: How many of them failed.
 */
struct tap_state {
	unsigned int count;
	unsigned int failed;
};

/* The linker merges weak definitions, so that all files of a program share one state. */
__attribute__((weak)) struct tap_state tap_state;

static inline void tap_vline(bool ok, const char *file, int line, const char *fmt, va_list args)
{
	tap_state.count++;
	if (!ok)
		tap_state.failed++;

	printf("%sok %u - ", ok ? "" : "not ", tap_state.count);
	vprintf(fmt, args);
	printf("\n");
	if (!ok)
		printf("#   failed at %s:%d\n", file, line);

	fflush(stdout);
}

__attribute__((format(printf, 4, 5))) static inline bool tap_at(const char *file, int line,
								bool ok, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tap_vline(ok, file, line, fmt, args);
	va_end(args);
	return ok;
}

/**
 * tap() - Print the line of one test
 * @ok: Whether it passed.
 *
 * The other arguments are the test's name, as for printf().
 *
 * Return: @ok.
 */
#define tap(ok, ...) tap_at(__FILE__, __LINE__, (ok), __VA_ARGS__)

/* Print a line that explains the result above it. */
__attribute__((format(printf, 1, 2))) static inline void tap_diag(const char *fmt, ...)
{
	va_list args;

	printf("#   ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* Count a test that did not run; its text ends with "# SKIP reason". */
__attribute__((format(printf, 1, 2))) static inline void tap_skip(const char *fmt, ...)
{
	va_list args;

	tap_state.count++;
	printf("ok %u - ", tap_state.count);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* Print the plan. Return: the program's exit status. */
static inline int tap_end(void)
{
	printf("1..%u\n", tap_state.count);
	fflush(stdout);
	return tap_state.failed ? 1 : 0;
}

#endif
