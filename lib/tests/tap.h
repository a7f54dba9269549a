/* SPDX-License-Identifier: MIT */
/* TAP output and test files, for the library's tests. */
#ifndef NVFIFO_TESTS_TAP_H
#define NVFIFO_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool tap(bool ok, const char *fmt, ...)
{
	va_list args;

	printf("%sok %u - ", ok ? "" : "not ", ++tap_count);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tap_failed += !ok;
	return ok;
}

/* Print the plan. Return: the program's exit code. */
__attribute__((unused)) static int tap_end(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

/* A whole file of the tree, zero terminated; the tests run at its top. */
__attribute__((unused)) static char *tap_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *data = f ? malloc(1 << 20) : NULL;

	if (!data) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	*len = fread(data, 1, (1 << 20) - 1, f);
	data[*len] = '\0';
	fclose(f);
	return data;
}

/* Numbers that are the same in every run. */
__attribute__((unused)) static uint32_t tap_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 32) ^ (uint32_t)*state;
}

#endif
