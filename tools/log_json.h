/* SPDX-License-Identifier: MIT */
/* The summary of a log as an object of JSON. */
#ifndef NVFIFO_LOG_JSON_H
#define NVFIFO_LOG_JSON_H

#include "json.h"
#include "nvfifo_log.h"

void log_summary_json(struct nvfifo_json *j, const struct nvfifo_log *log);

#endif
