/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SUBDEV_TIMER_H
#define BENCH_SUBDEV_TIMER_H

/* The first read of a register has the answer, and the loop's body then breaks. */
#define nvkm_msec(device, ms, ...)		\
	({					\
		int _left = (ms);		\
						\
		do {				\
			__VA_ARGS__		\
		} while (--_left);		\
		_left ? 0 : -ETIMEDOUT;		\
	})

#endif
