/* SPDX-License-Identifier: MIT */
/* TAP, files of the tree and repeatable numbers, for the library's tests. */
#ifndef NVFIFO_LIB_TESTS_TAP_H
#define NVFIFO_LIB_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/tap.h"

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
