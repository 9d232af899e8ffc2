/* Idle entries and exits in pairs, as traces/periods.py has them, and what idle periods add up to. */
#ifndef IDLE_STATES_PAIRING_H
#define IDLE_STATES_PAIRING_H

#include "counters.h"
#include "period.h"
#include "trace.h"

#define AWAKE (-1)

/* A CPU. known: seen, and nothing about it is more than fits here; else the reference goes on. */
struct pairing {
	s64 state;
	u64 since_ns, last_ns, limit;
	struct period done; /* where has_done: the last period, which a cpu_idle_miss may follow */
	u8 has_done, known, lost, padding[5];
};
_Static_assert(sizeof(struct pairing) == 64, "as packed");

/*
 * Pairs events. Returns how many were: fewer than `count` where the next is left to the reference,
 * which is any but an entry, an exit or a miss in their plain order. periods: room for one an event.
 */
size_t pair(struct pairing *cpus, size_t cpu_count, const struct event *events, size_t count,
	    struct period *periods, size_t *period_count, u64 *misses);

/* A histogram's bucket for every value whose first eleven bits are the same; see tune/gaps.py. */
#define BUCKETS (55 * 1024)

struct bucket {
	u64 count, sum_low, sum_high, greatest;
};

/*
 * Adds each period's length to a bucket. splits: ascending; the gaps of a bucket from a split on are
 * added to the bucket at BUCKETS and the split's place. first: of a bucket, 1 and the place of its
 * first split; 0: it has none.
 */
void gather(const struct period *periods, size_t count, const u64 *splits, size_t split_count,
	    const u32 *first, struct bucket *buckets);

/* What replay/observed.py sums up of a CPU's periods. */
struct observed {
	u64 disagreements, above, below, refused, beyond;
};

/*
 * exits: exit latencies in ns. suspects: those without the cpu_idle_miss that they should have; where
 * `refused` is not NULL, they are counted as such only, and marked in it.
 */
void observe(const struct threshold *thresholds, const u64 *exits, u32 states, bool nanoseconds,
	     const struct period *periods, size_t count, struct counter *counters,
	     struct counter *suspects, u8 *refused, struct observed *observed);

#endif
