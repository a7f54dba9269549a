// SPDX-License-Identifier: MIT
/*
 * A library to preload into programs with compute of Mesa 22.3.6. Its nv50 writes the methods that set
 * compute up into the pushbuffer of the screen, and never sends them: contexts have pushbuffers of
 * their own. The first kick of a second pushbuffer sends the first one too.
 */
#define _GNU_SOURCE	/* RTLD_NEXT */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct nouveau_pushbuf;
struct nouveau_object;

EXPORT int nouveau_pushbuf_kick(struct nouveau_pushbuf *push, struct nouveau_object *channel);

EXPORT int nouveau_pushbuf_kick(struct nouveau_pushbuf *push, struct nouveau_object *channel)
{
	static int (*real)(struct nouveau_pushbuf *push, struct nouveau_object *channel);
	static struct nouveau_pushbuf *first;
	static bool sent;
	void *symbol;

	if (!real) {
		symbol = dlsym(RTLD_NEXT, "nouveau_pushbuf_kick");
		/* The C standard has no conversion from a pointer to an object. */
		memcpy(&real, &symbol, sizeof(symbol));
		first = push;
	}
	if (push != first && !sent) {
		sent = true;
		real(first, channel);
	}
	return real(push, channel);
}
