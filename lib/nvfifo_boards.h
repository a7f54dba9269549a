/* SPDX-License-Identifier: MIT */
/* Boards by their names and PCI ids. */
#ifndef NVFIFO_BOARDS_H
#define NVFIFO_BOARDS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/**
 * struct nvfifo_board - A board, or a chip in a machine
 * @device: PCI device id, 0 for a machine that is known by its name only
 * @name: as it is sold: "GeForce 8600 GT", "MacBook5,1"
 * @chip: "G84"
 * @chipset: the same as a number
 */
struct nvfifo_board {
	__u16 device;
	const char *name;
	const char *chip;
	__u32 chipset;
};

/**
 * nvfifo_board_next() - Walk over the boards that a text names
 * @text: words of a board's name in any case, such as "GeForce 8600" or "macbook 9400m"; a PCI id
 *	such as "10de:0402" or "0402"; "" for all
 * @at: in and out: 0 at the start
 * @board: out: the board
 *
 * Words that name the maker or the machine only are passed over. Boards whose names have no other
 * words come alone, before all boards whose names have these words. Without any, a word may be the
 * beginning of a word of the name: "9650" finds the 9650M.
 *
 * Return: whether there was one more.
 */
bool nvfifo_board_next(const char *text, size_t *at, struct nvfifo_board *board);

/**
 * nvfifo_board_chipset() - Find the chipset that a text names
 * @text: as for nvfifo_board_next()
 * @chips: out: names of the chips of all boards that fit, with ", " between them; may be NULL
 * @size: size of @chips, bytes
 *
 * Return: the chipset id if all boards that fit have the same, else 0.
 */
__u32 nvfifo_board_chipset(const char *text, char *chips, size_t size);

/* Chipset id of a chip's name such as "G84", 0 if there is none. */
__u32 nvfifo_chipset_of_name(const char *name, size_t len);

#endif
