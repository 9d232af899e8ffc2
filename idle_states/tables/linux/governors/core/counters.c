#include "counters.h"

void tally(const struct threshold *thresholds, u32 states, bool nanoseconds,
	   const struct row *rows, size_t row_count, const struct decision *decisions,
	   struct counter *counters, struct outside *outside)
{
	for (size_t i = 0; i < row_count; i++) {
		u32 state = decisions[i].state;

		if (state >= states) {
			if (outside->count < OUTSIDE_MAX)
				outside->first[outside->count] = i;
			outside->count++;
		} else if (rows[i].rejected) {
			counters[state].rejected++;
		} else {
			count_idle(&thresholds[state], nanoseconds, &counters[state],
				   rows[i].residency_ns);
		}
	}
}
