/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SUBDEV_TIMER_H
#define BENCH_SUBDEV_TIMER_H

/* The registers answer at the first read, which leaves the loop with break. */
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
