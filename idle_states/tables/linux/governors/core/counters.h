/* cpuidle's counters of one CPU, as replay/counters.py has them. */
#ifndef IDLE_STATES_COUNTERS_H
#define IDLE_STATES_COUNTERS_H

#include "core.h"

/* above and below of cpuidle; UNSAID: of a cpu_idle_miss that may have been lost. */
enum verdict { FITS, TOO_DEEP, TOO_SHALLOW, UNSAID };

/* Of a state, in the release's unit. deeper: the residency of the next enabled one below it. */
struct threshold {
	u64 residency, exit, deeper;
	u32 has_deeper, has_shallower;
};

struct counter {
	u64 usage, time_low, time_high, above, below, rejected;
};
_Static_assert(sizeof(struct threshold) == 32 && sizeof(struct counter) == 48, "as packed");

/* What a release counts of an idle period, in its unit. */
INLINE u64 counted_time(bool nanoseconds, u64 residency_ns)
{
	return nanoseconds ? residency_ns : least(residency_ns / NS_PER_US, INT32_MAX);
}

/* How an idle period fits its state. */
INLINE enum verdict verdict_on(const struct threshold *of, u64 time)
{
	if (time < of->residency)
		return of->has_shallower ? TOO_DEEP : FITS;
	if (of->has_deeper && time > of->exit && time - of->exit >= of->deeper)
		return TOO_SHALLOW;
	return FITS;
}

/* Returns the verdict. */
INLINE enum verdict count_idle(const struct threshold *of, bool nanoseconds, struct counter *counter,
		       u64 residency_ns)
{
	u64 time = counted_time(nanoseconds, residency_ns);
	enum verdict verdict = verdict_on(of, time);

	counter->usage++;
	counter->time_low += time;
	counter->time_high += counter->time_low < time;
	counter->above += verdict == TOO_DEEP;
	counter->below += verdict == TOO_SHALLOW;
	return verdict;
}

#define OUTSIDE_MAX 3

/* Rows whose state the table does not have: how many, and the first of them. */
struct outside {
	size_t count, first[OUTSIDE_MAX];
};

void tally(const struct threshold *thresholds, u32 states, bool nanoseconds,
	   const struct row *rows, size_t row_count, const struct decision *decisions,
	   struct counter *counters, struct outside *outside);

#endif
