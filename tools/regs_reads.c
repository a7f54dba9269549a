// SPDX-License-Identifier: MIT
/*
 * "nvfifo peek --reads" decodes a list of registers and their values, in the forms of nvapeek,
 * of mmiotrace and of hand-written notes. A summary of all of them follows.
 */
#include <stdlib.h>
#include <string.h>

#include "nvfifo_names.h"
#include "nvfifo_text.h"
#include "regs.h"

#define STATUS		0x400700
#define VSTATUS		0x400380
#define CTXCTL_STATUS	0x400300

struct reads {
	struct regs *r;
	const char *name;
	unsigned long line;
	unsigned long count;
	unsigned long wrong;
	unsigned long ones;
	__u64 bar0;		/* address of BAR0 in mmiotrace's lines */
	__u32 status;
	__u32 vstatus[3];
	__u32 ctxctl;
	bool has_status;
	bool has_ctxctl;
	unsigned int vstatus_read;	/* a bit for each */
};

static void note(struct reads *s, __u32 address, __u32 value)
{
	s->count++;
	s->ones += value == 0xffffffff;
	if (value == 0xffffffff)
		return;

	if (address == STATUS) {
		s->status = value;
		s->has_status = true;
	} else if (address == CTXCTL_STATUS) {
		s->ctxctl = value;
		s->has_ctxctl = true;
	} else if (address >= VSTATUS && address < VSTATUS + 12) {
		s->vstatus[(address - VSTATUS) / 4] = value;
		s->vstatus_read |= 1u << (address - VSTATUS) / 4;
	}

	/* The chip's own number decides the fields of the registers after it. */
	if (!address && !s->r->chipset && nvfifo_chipset_name(value >> 20 & 0x1ff))
		s->r->chipset = value >> 20 & 0x1ff;
}

static void take(struct reads *s, const struct nvfifo_reg_ref *ref, __u32 value)
{
	note(s, ref->address, value);
	regs_show(s->r, ref, value);
}

/* "MAP ts id 0xfd000000 virt 0x1000000 ..." and "R 4 ts id 0xfd400700 0x00000503 ..." of mmiotrace */
static bool take_trace(struct reads *s, const char *line)
{
	struct nvfifo_reg_ref ref;
	unsigned long long phys, value, len;

	if (sscanf(line, "MAP %*s %*s %llx %*s %llx", &phys, &len) == 2) {
		if (len >= NVFIFO_BAR0_BYTES && !s->bar0)
			s->bar0 = phys;
		return true;
	}

	if ((*line != 'R' && *line != 'W') ||
	    sscanf(line + 1, " 4 %*s %*s %llx %llx", &phys, &value) != 2)
		return false;

	if (s->bar0 && phys - s->bar0 >= NVFIFO_BAR0_BYTES)
		return true;

	nvfifo_reg_at((__u32)((s->bar0 ? phys - s->bar0 : phys) & (NVFIFO_BAR0_BYTES - 4)), s->r->chipset,
		      &ref);
	printf("%c ", *line);
	take(s, &ref, (__u32)value);

	return true;
}

/* "00400700: 00000503 00000000", the form of nvapeek, with a word for each register from there on */
static bool take_row(struct reads *s, const char *line)
{
	struct nvfifo_reg_ref ref;
	__u64 address, value;
	size_t digits;
	const char *p = nvfifo_text_hex(line, &address, &digits), *next;

	if (!p || (*p != ':' && *p != '='))
		return false;

	for (p++; (next = nvfifo_text_hex(p, &value, &digits)); p = next, address += 4) {
		if (digits > 8 || address >= NVFIFO_BAR0_BYTES)
			return false;
		nvfifo_reg_at((__u32)address & ~3u, s->r->chipset, &ref);
		take(s, &ref, (__u32)value);
	}

	return !p[strspn(p, " \t\r")];
}

/* "NAME VALUE", "ADDRESS VALUE", or "VALUE ADDRESS" if only the first has eight digits */
static bool take_pair(struct reads *s, char *line)
{
	struct nvfifo_reg_ref ref;
	char *first = strtok(line, " \t\r:="), *second = strtok(NULL, " \t\r:="), *swap;
	__u64 value;
	size_t digits, other;

	if (!first || !second || strtok(NULL, " \t\r"))
		return false;

	if (nvfifo_text_hex(first, &value, &digits) && nvfifo_text_hex(second, &value, &other) &&
	    digits == 8 && other < 8) {
		swap = first;
		first = second;
		second = swap;
	}

	if (!nvfifo_text_hex(second, &value, &digits) || digits > 8 ||
	    (nvfifo_reg_parse(first, s->r->chipset, &ref) && nvfifo_reg_typed(first, s->r->chipset, &ref)))
		return false;

	take(s, &ref, (__u32)value);
	return true;
}

static void take_line(struct reads *s, char *line)
{
	nvfifo_text_chomp(line);
	line += strspn(line, " \t");
	s->line++;
	if (!*line || *line == '#' || !strncmp(line, "...", 3) || take_trace(s, line) || take_row(s, line))
		return;
	if (take_pair(s, line))
		return;

	fflush(stdout);
	fprintf(stderr, "%s:%lu: no register and value; known are 'NAME VALUE', 'ADDRESS VALUE', 'VALUE ADDRESS', nvapeek's 'ADDRESS: VALUE ...' and mmiotrace's 'R 4 ...'\n",
		s->name, s->line);
	s->wrong++;
}

/* --- What they say together -------------------------------------------------- */

static void say_busy(const struct reads *s)
{
	char names[400], states[160];
	unsigned int i, used = 0;

	names[0] = '\0';
	for (i = 0; i < 3; i++) {
		nvfifo_vstatus_text(i, s->vstatus[i], 1, states, sizeof(states));
		if (*states)
			used += (unsigned int)snprintf(names + used, sizeof(names) - used, "%s%s",
						       used ? " " : "", states);
	}

	if (!used && s->has_status)
		nvfifo_bits_text(nvfifo_pgraph_status_bits, s->status & ~1u, "UNK", " ", names,
				 sizeof(names));
	if (*names)
		printf("PGRAPH is busy: %s\n", names);
	else if (s->has_status || s->vstatus_read == 7)
		puts("PGRAPH is idle");
	if (s->has_status && s->status >> 8 & 1)
		puts("A context switch is under way (CTXPROG) and waits for the units that are busy.");
	else if (s->has_ctxctl && s->ctxctl & 1)
		puts("The context program runs.");
}

int regs_reads(struct regs *r, const char *path)
{
	struct reads s = { .r = r, .name = input_name(path) };
	char *line = NULL;
	size_t room = 0;
	FILE *f = open_input(path);

	if (!f)
		return EXIT_USAGE;

	while (getline(&line, &room, f) >= 0)
		take_line(&s, line);
	free(line);
	close_input(f);

	if (!r->json) {
		printf("%lu registers\n", s.count);
		if (s.count > 2 && 2 * s.ones > s.count)
			puts("Most read as all ones: the card is gone from the bus or powered down.");
		say_busy(&s);
	}

	return s.wrong || !s.count ? EXIT_USAGE : EXIT_OK;
}
