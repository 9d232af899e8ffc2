/* Utilisation of tasks and CPUs; simulation/utilisation.py, which says what is assumed. */
#ifndef IDLE_STATES_SIMULATE_UTIL_H
#define IDLE_STATES_SIMULATE_UTIL_H

#include "simulate.h"

#define PERIOD 1024
#define SUM_MAX 47742
#define UTIL_SHIFT 10

struct average {
	u64 last_us, sum, util;
};

INLINE u64 decayed(const u64 *decays, u64 value, u64 periods)
{
	if (periods > HALF_LIFE * 63)
		return 0;
	value >>= periods / HALF_LIFE;
	return (u64)((unsigned __int128)value * decays[periods % HALF_LIFE] >> 32);
}

INLINE u64 divider_of(const struct average *a)
{
	return SUM_MAX - PERIOD + a->last_us % PERIOD;
}

static inline void average_update(struct average *a, const u64 *decays, u64 now_ns, bool running)
{
	u64 now_us = now_ns >> UTIL_SHIFT, before = a->last_us % PERIOD;
	u64 ran = now_us - a->last_us, periods = (before + ran) / PERIOD;

	a->last_us = now_us;
	if (periods) {
		a->sum = decayed(decays, a->sum, periods);
		ran = decayed(decays, PERIOD - before, periods) + SUM_MAX -
		      decayed(decays, SUM_MAX, periods) - PERIOD + now_us % PERIOD;
	}
	if (running)
		a->sum += ran << UTIL_SHIFT;
	if (periods)
		a->util = a->sum / divider_of(a);
}

INLINE void average_attach(struct average *a, struct average *task)
{
	task->sum = task->util * divider_of(a);
	a->util += task->util;
	a->sum += task->sum;
}

INLINE void average_detach(struct average *a, const struct average *task)
{
	u64 gone = task->util * divider_of(a);

	a->util = a->util > task->util ? a->util - task->util : 0;
	a->sum = a->sum > gone ? a->sum - gone : 0;
	a->sum = greatest(a->sum, a->util * (SUM_MAX - PERIOD));
}

#endif
