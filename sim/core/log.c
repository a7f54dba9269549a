// SPDX-License-Identifier: MIT
/*
 * The ways from the card to its host: trace lines, violations, and the clock.
 */
#include <stdarg.h>
#include <stdio.h>

#include "core.h"

void sim_trace(struct nvsim *s, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	if (!s->host.trace)
		return;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->host.trace(s->host.ctx, line);
}

void sim_violation(struct nvsim *s, const char *fmt, ...)
{
	char line[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);

	s->st.violations++;
	if (s->expect_violations) {
		s->expect_violations--;
		sim_trace(s, "EXPECTED VIOLATION %s", line);
		return;
	}

	if (s->host.violation)
		s->host.violation(s->host.ctx, line);
}

u64 sim_now(struct nvsim *s)
{
	return s->host.time_ns ? s->host.time_ns(s->host.ctx) : 0;
}
