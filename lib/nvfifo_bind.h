/* SPDX-License-Identifier: MIT */
/* Gives one card to the driver, and takes it back, by the files of sysfs. */
#ifndef NVFIFO_BIND_H
#define NVFIFO_BIND_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a PCI address such as "0000:01:00.0" with its end */
#define NVFIFO_PCI_ADDRESS_MAX	16

/* Why the driver cannot have a card yet */
enum nvfifo_holder {
	NVFIFO_HOLDER_NONE,	/* another reason, or none */
	NVFIFO_HOLDER_MODULE,	/* the module is not loaded */
	NVFIFO_HOLDER_CONSOLE,	/* a console or the boot screen is on the card */
	/* the module accepts no boot console without its parameter console=1 */
	NVFIFO_HOLDER_PARAMETER,
	NVFIFO_HOLDER_DRIVER,	/* another driver has it */
	NVFIFO_HOLDER_PROGRAM,	/* a program has a node of the card open */
};

/* One card, and the drivers that may have it */
struct nvfifo_binding {
	const char *sysfs;	/* mount point of sysfs; NULL: /sys */
	/* PCI address of the card, as from nvfifo_bind_address() */
	char address[NVFIFO_PCI_ADDRESS_MAX];
	bool console;	/* bind the card although a console or the boot screen is on it */
	bool take;	/* take the card away from its driver */
	/* called for each write to sysfs instead of the write, for a trial; NULL: write */
	void (*write)(void *ctx, const char *path, const char *text);
	void *ctx;		/* for @write */
	char driver[64];	/* out: driver of the card, "" for none */
	char override[64];	/* out: the only driver that may bind the card, "" for any */
	enum nvfifo_holder holder;	/* out: the reason for EBUSY or ENOENT */
};

/**
 * nvfifo_bind_address() - Complete a PCI address
 * @text: "0000:01:00.0", or "01:00.0" in domain 0
 * @address: out: with four digits of domain
 *
 * Return: false if @text is no PCI address; the device is 00 to 1f, the function 0 to 7.
 */
bool nvfifo_bind_address(const char *text, char address[NVFIFO_PCI_ADDRESS_MAX]);

/**
 * nvfifo_bind() - Give a card to the driver nvfifo
 * @b: the card, with @console and @take
 *
 * The module must be loaded. All checks come before the first write. If nvfifo refuses the card, the
 * kernel gives it to its usual driver again.
 *
 * Return: 0 or a negative errno, and nvfifo_last_error() has a sentence: ENODEV: no such card, no
 * card of NVIDIA, or nvfifo has refused it. EALREADY: nvfifo has it. ENOENT: the module is not
 * loaded. EBUSY: see @holder of the card. Others: of a write. The first obstacle counts.
 */
int nvfifo_bind(struct nvfifo_binding *b);

/**
 * nvfifo_bind_obstacles() - Find everything for which nvfifo_bind() would refuse a card
 * @b: the card, with @console and @take; nothing is written
 * @tell: called with @ctx of the card and a sentence, for each obstacle
 *
 * Return: a bit 1 << enum nvfifo_holder for each obstacle, 0 if there is none.
 */
unsigned int nvfifo_bind_obstacles(struct nvfifo_binding *b,
				   void (*tell)(void *ctx, const char *why));

/**
 * nvfifo_unbind() - Take a card away from the driver nvfifo
 * @b: the card; @console and @take have no meaning
 *
 * The kernel then gives it to the driver that usually has it, if that is loaded. Channels of programs
 * end.
 *
 * Return: 0 or a negative errno, and nvfifo_last_error() has a sentence: ENODEV: as nvfifo_bind(), or
 * nvfifo does not have the card. Others: of a write.
 */
int nvfifo_unbind(struct nvfifo_binding *b);

#ifdef __cplusplus
}
#endif

#endif
