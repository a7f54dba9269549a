/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_REPORT_H_
#define _NVFIFO_REPORT_H_

struct nvfifo_chan;
struct nvfifo_chan_error;

unsigned int nvfifo_ring_suspects(struct nvfifo_chan *chan, const struct nvfifo_chan_error *pos);
void nvfifo_report(struct nvfifo_chan *chan);

#endif
