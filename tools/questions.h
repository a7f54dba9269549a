/* SPDX-License-Identifier: MIT */
#ifndef NVFIFO_QUESTIONS_H
#define NVFIFO_QUESTIONS_H

#include <stdbool.h>
#include <stdio.h>

/**
 * questions_write() - Answer the open questions that a card's accesses settle
 * @f: gets the answers, the accesses that say so, and all accesses
 * @text: lines of a trace with the card's events nvfifo_access, from its probe on; may be empty
 *
 * Return: false if there are no accesses, which it says in @f.
 */
bool questions_write(FILE *f, const char *text);

#endif
