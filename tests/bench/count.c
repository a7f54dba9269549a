// SPDX-License-Identifier: MIT
/*
 * A plugin of QEMU that counts the guest's instructions between two marks (mark.h) of a program. It
 * counts those of the program, the kernel, interrupts and other processes alike. With one processor
 * the count of a system call without interrupts repeats exactly on a busy host, too.
 *
 *	-plugin count.so,out=FILE
 *
 * FILE gets a line for each row: number of samples, least, median.
 *
 * Debian packages no header of QEMU's plugin interface, so the few declarations are in this file.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"

/* --- QEMU's interface, version 7 of its plugins' --------------------------------- */

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_info;

typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

typedef void (*vcpu_udata_cb)(unsigned int vcpu, void *data);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(struct qemu_plugin_tb *tb, void *data),
					   void *data);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op,
							qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, vcpu_udata_cb cb,
					    int flags, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);

#define EXPORT	__attribute__((visibility("default")))
#define ADD_U64	0
#define NO_REGS	0

EXPORT int qemu_plugin_version = 7;
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

/* --- Counting -------------------------------------------------------------------- */

#define SAMPLES	4000

static qemu_plugin_u64 executed;
static uint64_t start, samples[SAMPLES];
static size_t n;
static FILE *out;

static int less(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void row(void)
{
	if (n) {
		qsort(samples, n, sizeof(samples[0]), less);
		fprintf(out, "%zu %llu %llu\n", n, (unsigned long long)samples[0],
			(unsigned long long)samples[n / 2]);
		fflush(out);
	}
	n = 0;
}

static void marked(unsigned int vcpu, void *data)
{
	const uint64_t now = qemu_plugin_u64_sum(executed);

	(void)vcpu;
	switch ((uintptr_t)data) {
	case MARK_BEGIN:
		start = now;
		break;
	case MARK_END:
		if (n < SAMPLES)
			samples[n++] = now - start;
		break;
	case MARK_ROW:
		row();
		break;
	}
}

static void translate(struct qemu_plugin_tb *tb, void *data)
{
	const size_t count = qemu_plugin_tb_n_insns(tb);
	size_t i;

	(void)data;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, ADD_U64, executed, count);
	for (i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t bytes[7];
		uint32_t mark;

		if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes))
			continue;

		memcpy(&mark, bytes + 3, sizeof(mark));
		if (memcmp(bytes, "\x0f\x1f\x80", 3) || (mark & 0xffff0000) != MARK_BASE)
			continue;

		qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, NO_REGS,
						       (void *)(uintptr_t)(mark & 0xffff));
	}
}

static void at_exit(void *data)
{
	(void)data;
	fclose(out);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "count: needs out=FILE\n");
		return -1;
	}

	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}

	executed.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
