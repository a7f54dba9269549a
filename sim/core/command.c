// SPDX-License-Identifier: MIT
/*
 * Lines of text that request failures, see commands[] at the end. A guest sends such lines through
 * the control capability, the host through nvsim's control socket.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "command.h"
#include "fault.h"
#include "inject.h"
#include "mmu.h"
#include "nvfifo_text.h"
#include "pbus.h"
#include "pci.h"
#include "pfifo.h"
#include "pgraph.h"
#include "posted.h"

struct sim_command {
	char text[160];		/* an incomplete line from the control capability */
	unsigned int len;
};

#define NS_PER_US	1000ull
#define WORDS_MAX	8

static const char *const inject_names[NVSIM_INJECT_COUNT] = {
	[NVSIM_INJECT_TLB_STUCK] = "tlb-stuck",
	[NVSIM_INJECT_KICK_STUCK] = "kick-stuck",
	[NVSIM_INJECT_BARFLUSH_STUCK] = "barflush-stuck",
	[NVSIM_INJECT_LOST] = "lost",
	[NVSIM_INJECT_NO_IRQ] = "no-irq",
	[NVSIM_INJECT_FREEZE_STUCK] = "freeze-stuck",
	[NVSIM_INJECT_PLAYLIST_STUCK] = "playlist-stuck",
	[NVSIM_INJECT_PGRAPH_BUSY] = "pgraph-busy",
};

static const char *const storm_names[SIM_STORMS] = {
	[SIM_STORM_PBUS] = "pbus",
	[SIM_STORM_PFIFO] = "pfifo",
	[SIM_STORM_PGRAPH] = "pgraph",
	[SIM_STORM_UNIT] = "unit",
};

/* --- lines of text --- */

struct words {
	char text[160];
	char *word[WORDS_MAX];
	unsigned int count;
};

static bool split(struct words *w, const char *line)
{
	char *p, *rest = NULL;

	w->count = 0;
	if (strlen(line) >= sizeof(w->text))
		return false;
	strcpy(w->text, line);
	for (p = strtok_r(w->text, " \t\r\n", &rest); p; p = strtok_r(NULL, " \t\r\n", &rest)) {
		if (w->count == WORDS_MAX)
			return false;
		w->word[w->count++] = p;
	}
	return true;
}

static bool is_word(const struct words *w, unsigned int n, const char *text)
{
	return n < w->count && !strcmp(w->word[n], text);
}

static bool get_number(const struct words *w, unsigned int n, unsigned int base, u64 *val)
{
	__u64 v = 0;
	bool ok = n < w->count &&
		  nvfifo_text_whole(w->word[n], strlen(w->word[n]), base, ~0ull, &v);

	*val = v;
	return ok;
}

/* "KEY N" from word @n on, or nothing; false for any other word. */
static bool get_option(const struct words *w, unsigned int n, const char *key, u64 *val)
{
	if (n == w->count)
		return true;
	return n + 2 == w->count && is_word(w, n, key) && get_number(w, n + 1, 10, val);
}

static int find_name(const struct words *w, unsigned int n, const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (is_word(w, n, names[i]))
			return i;
	return -1;
}

static u32 times(u64 count)
{
	return count && count < ~0u ? count : ~0u;
}

/* Resets that can end a failure; "units": PFIFO and PGRAPH in one write */
static const struct {
	const char *name;
	u32 bits;
} resets[] = {
	{ "pfifo", NV_FLD_MASK(NV_PMC_ENABLE__PFIFO) },
	{ "pgraph", NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH) },
	{ "units", NV_FLD_MASK(NV_PMC_ENABLE__PFIFO) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH) },
};

static bool do_inject(struct nvsim *s, const struct words *w)
{
	int which = find_name(w, 1, inject_names, NVSIM_INJECT_COUNT);
	unsigned int i;
	u64 us = 0;

	if (which >= 0 && is_word(w, 2, "until") && w->count == 4) {
		for (i = 0; i < ARRAY_LEN(resets); i++) {
			if (!is_word(w, 3, resets[i].name))
				continue;
			sim_inject_set(s, which, 0);
			s->faults->until_reset[which] = resets[i].bits;
			return true;
		}
		return false;
	}
	if (which < 0 || !get_option(w, 2, "for", &us))
		return false;
	if (us)
		s->faults->timed = true;
	sim_inject_set(s, which, us * NS_PER_US);
	return true;
}

static bool do_clear(struct nvsim *s, const struct words *w)
{
	int which = find_name(w, 1, inject_names, NVSIM_INJECT_COUNT);

	if (w->count == 1) {
		sim_posted_arrive(s);
		memset(s->faults, 0, sizeof(*s->faults));
		sim_inject_clear(s, ~0u);
		return true;
	}
	if (which < 0 || w->count != 2)
		return false;
	sim_inject_clear(s, 1u << which);
	return true;
}

static bool do_force(struct nvsim *s, const struct words *w)
{
	struct sim_forced *free = NULL;
	u64 off, val, count = 0;
	unsigned int i;

	if (!get_number(w, 1, 16, &off) || off >= NV_BAR0_SIZE || off & 3)
		return false;
	for (i = SIM_FORCED; i--;)
		if (!s->faults->forced[i].left || s->faults->forced[i].off == off)
			free = &s->faults->forced[i];
	if (is_word(w, 2, "off") && w->count == 3) {
		for (i = 0; i < SIM_FORCED; i++)
			if (s->faults->forced[i].off == off)
				s->faults->forced[i].left = 0;
		return true;
	}
	if (!free || !get_number(w, 2, 16, &val) || val > ~0u || !get_option(w, 3, "count", &count))
		return false;
	*free = (struct sim_forced){ .off = off, .val = val, .left = times(count) };
	return true;
}

static bool do_flip(struct nvsim *s, const struct words *w)
{
	bool at_page = is_word(w, 2, "at");
	u64 mask, every = 1, page = 0;

	if (is_word(w, 1, "off") && w->count == 2) {
		s->faults->flip_every = 0;
		return true;
	}
	if (!get_number(w, 1, 16, &mask) || mask > ~0u)
		return false;
	if (at_page && (w->count != 4 || !get_number(w, 3, 16, &page)))
		return false;
	if (!at_page && (!get_option(w, 2, "every", &every) || !every || every > ~0u))
		return false;
	s->faults->flip_mask = mask;
	s->faults->flip_every = every;
	s->faults->flip_count = 0;
	s->faults->flip_at_page = at_page;
	s->faults->flip_page = page >> 12;
	return true;
}

static bool do_delay(struct nvsim *s, const struct words *w)
{
	u64 us;

	return w->count == 3 && get_number(w, 2, 10, &us) && sim_delay_set(s, w->word[1], us);
}

static bool do_storm(struct nvsim *s, const struct words *w)
{
	int unit = find_name(w, 2, storm_names, SIM_STORMS);
	u64 bits, count = 0;

	if (unit < 0)
		return false;
	if (is_word(w, 3, "off") && w->count == 4) {
		s->faults->storm_left[unit] = 0;
		sim_irq_update(s);
		return true;
	}
	if (!get_number(w, 3, 16, &bits) || !bits || bits > ~0u ||
	    !get_option(w, 4, "count", &count))
		return false;
	if (unit == SIM_STORM_UNIT && count)
		return false;
	s->faults->storm_bits[unit] = bits;
	s->faults->storm_left[unit] = times(count);

	/* An acknowledgement of nothing raises the first one. */
	if (unit == SIM_STORM_PBUS)
		sim_pbus_write(s, NV_PBUS_INTR, 0);
	else if (unit == SIM_STORM_PFIFO)
		sim_pfifo_write(s, NV_PFIFO_INTR, 0);
	else if (unit == SIM_STORM_PGRAPH)
		sim_pgraph_write(s, NV_PGRAPH_INTR, 0);
	else
		sim_irq_update(s);
	return true;
}

static bool do_irq(struct nvsim *s, const struct words *w)
{
	u64 count = 1;

	if (is_word(w, 1, "storm"))
		return do_storm(s, w);
	if (w->count > 3 || (w->count == 3 && !get_number(w, 2, 10, &count)) || count > 10000)
		return false;
	if (is_word(w, 1, "lose")) {
		s->faults->lose_irqs = count;
		return true;
	}
	if (!is_word(w, 1, "extra"))
		return false;
	while (count--)
		sim_irq_extra(s);
	return true;
}

static bool do_vm_fault(struct nvsim *s, const struct words *w)
{
	unsigned int n = 2;
	u64 engine, page = 0, count = 1;
	bool at_page;

	if (!get_number(w, 1, 16, &engine) || engine >= VMENG_COUNT)
		return false;
	at_page = get_number(w, 2, 16, &page);
	if (at_page)
		n = 3;
	if (!get_option(w, n, "count", &count))
		return false;
	s->faults->vm_engine = engine;
	s->faults->vm_at_page = at_page;
	s->faults->vm_page = page >> 12;
	s->faults->vm_left = times(count);
	sim_mmu_stale(s);
	return true;
}

static bool do_vm_record(struct nvsim *s, const struct words *w)
{
	u64 engine, client, slot, reason, va;
	bool write = is_word(w, 6, "write");

	if (w->count != 7 || (!write && !is_word(w, 6, "read")))
		return false;
	if (!get_number(w, 1, 16, &engine) || engine >= VMENG_COUNT ||
	    !get_number(w, 2, 16, &client) || client > 0xff || !get_number(w, 3, 16, &slot) ||
	    slot > 0xff || !get_number(w, 4, 16, &reason) || reason > 0xf ||
	    !get_number(w, 5, 16, &va) || va >> 40)
		return false;
	sim_fault_record(s, (u32)engine, (u32)client, (u32)slot, (u32)reason, va, write);
	return true;
}

static bool do_flush_stuck(struct nvsim *s, const struct words *w)
{
	u64 engine;

	if (w->count != 2)
		return false;
	if (is_word(w, 1, "off")) {
		s->faults->flush_stuck = 0;
		sim_inject_clear(s, 0);
		return true;
	}
	if (!get_number(w, 1, 16, &engine) || engine >= VMENG_COUNT)
		return false;
	s->faults->flush_stuck |= 1u << engine;
	return true;
}

static bool do_mp(struct nvsim *s, const struct words *w)
{
	u64 status, pc, warp, low, high;
	u32 opcode[2];

	if (w->count != 7 || !get_number(w, 2, 16, &status) || !status || status > ~0u ||
	    !get_number(w, 3, 16, &pc) || pc > 0xffffff || !get_number(w, 4, 10, &warp) ||
	    warp > 0xff || !get_number(w, 5, 16, &low) || low > ~0u ||
	    !get_number(w, 6, 16, &high) || high > ~0u)
		return false;

	opcode[0] = low;
	opcode[1] = high;
	sim_pgraph_mp_trap(s, status, (u32)(warp << 24 | pc), opcode);

	return true;
}

static bool do_prop(struct nvsim *s, const struct words *w)
{
	u64 tp, status, address, access;

	return w->count == 6 && get_number(w, 2, 10, &tp) && tp < 16 &&
	       get_number(w, 3, 16, &status) && status && status <= 0x3fffffff &&
	       get_number(w, 4, 16, &address) && !(address >> 40) &&
	       get_number(w, 5, 16, &access) && access <= ~0u &&
	       sim_pgraph_prop_trap(s, tp, status, address, access);
}

static bool do_pgraph(struct nvsim *s, const struct words *w)
{
	if (is_word(w, 1, "mp"))
		return do_mp(s, w);
	if (is_word(w, 1, "prop"))
		return do_prop(s, w);
	if (w->count != 2)
		return false;
	if (is_word(w, 1, "hang"))
		sim_pgraph_hang(s);
	else if (is_word(w, 1, "dispatch"))
		s->faults->dispatch = true;
	else if (is_word(w, 1, "step"))
		sim_pgraph_single_step(s);
	else
		return false;
	return true;
}

static const struct {
	const char *name, *usage;
	bool (*run)(struct nvsim *s, const struct words *w);
} commands[] = {
	{ "inject", "inject NAME [for US | until pfifo|pgraph|units]", do_inject },
	{ "clear", "clear [NAME]", do_clear },
	{ "force", "force OFFSET VALUE [count N], or force OFFSET off", do_force },
	{ "flip", "flip MASK [every N | at ADDRESS], or flip off", do_flip },
	{ "delay", "delay tlb-flush|bar-flush|playlist|kick|register-read|register-write|memory|method US",
	  do_delay },
	{ "irq", "irq extra|lose [N], or irq storm UNIT BITS [count N]|off", do_irq },
	{ "vm-fault", "vm-fault ENGINE [ADDRESS] [count N]", do_vm_fault },
	{ "vm-record", "vm-record ENGINE CLIENT SLOT REASON ADDRESS read|write", do_vm_record },
	{ "flush-stuck", "flush-stuck ENGINE|off", do_flush_stuck },
	{ "pgraph",
	  "pgraph hang|dispatch|step, pgraph mp STATUS PC WARP LOW HIGH, or pgraph prop TP STATUS ADDRESS ACCESS",
	  do_pgraph },
};

static void tell_names(char *answer, size_t len)
{
	int at = snprintf(answer, len, "inject knows");
	unsigned int i;

	for (i = 0; i < NVSIM_INJECT_COUNT && at > 0 && (size_t)at < len; i++)
		at += snprintf(answer + at, len - at, " %s", inject_names[i]);
}

static void tell_commands(char *answer, size_t len)
{
	int at = snprintf(answer, len, "commands:");
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(commands) && at > 0 && (size_t)at < len; i++)
		at += snprintf(answer + at, len - at, " %s", commands[i].name);
}

bool nvsim_command(struct nvsim *s, const char *line, char *answer, size_t len)
{
	struct words w;
	unsigned int i;

	if (!split(&w, line) || !w.count || is_word(&w, 0, "help")) {
		tell_commands(answer, len);
		return false;
	}
	for (i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(w.word[0], commands[i].name))
			continue;
		if (commands[i].run(s, &w)) {
			if (s->cfg.trace_mthd)
				sim_trace(s, "INJECT %s", line);
			snprintf(answer, len, "ok");
			return true;
		}
		if (commands[i].run == do_inject && w.count == 2)
			tell_names(answer, len);
		else
			snprintf(answer, len, "usage: %s", commands[i].usage);
		return false;
	}
	tell_commands(answer, len);
	return false;
}

int sim_command_create(struct nvsim *s)
{
	s->command = calloc(1, sizeof(*s->command));
	return s->command ? 0 : -1;
}

/* Four characters of a line from the control capability; a 0 byte runs the line. */
u32 sim_command_text(struct nvsim *s, u32 four)
{
	char answer[200];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		char c = four >> 8 * i;

		if (s->command->len >= sizeof(s->command->text) - 1)
			c = 0;
		s->command->text[s->command->len++] = c;
		if (c)
			continue;
		s->command->len = 0;
		return nvsim_command(s, s->command->text, answer, sizeof(answer)) ? 0 : ~0u;
	}
	return 0;
}
