/* SPDX-License-Identifier: MIT */
/* Completion of command lines in shells */
#ifndef NVFIFO_COMPLETE_H
#define NVFIFO_COMPLETE_H

#include "tools.h"

/**
 * complete_subcommand() - Print the candidates for a word
 * @cmd: the subcommand
 * @count: number of @words, at least 1
 * @words: the words after its name; the last one is completed and may be empty
 */
void complete_subcommand(const struct subcommand *cmd, int count, char **words);

#endif
