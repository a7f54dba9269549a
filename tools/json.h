/* SPDX-License-Identifier: MIT */
/* The command's values of JSON, all through one buffer. */
#ifndef NVFIFO_TOOLS_JSON_H
#define NVFIFO_TOOLS_JSON_H

#include "nvfifo_json.h"

/* Values to two files are not written at the same time. */
extern struct nvfifo_json_text json_out;

#define JSON_TO(file) { .f = (file), .text = &json_out }

#endif
