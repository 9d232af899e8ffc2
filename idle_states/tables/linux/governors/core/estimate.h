/* Traced idle periods through a governor, as replay/replay.py describes it. */
#ifndef IDLE_STATES_ESTIMATE_H
#define IDLE_STATES_ESTIMATE_H

#include "counters.h"
#include "period.h"

/* What all periods share. poll_limit_ns: U64_MAX without limit. */
struct setting {
	u64 tick_ns, poll_limit_ns, turn_ns, wake_ns, pieces_max;
	u32 poll_told, timer_far, decides_tick, disabled, latency_req_us, counts_ns;
	/* asks: the governor; if not, got_tick_stops: the tick stops once it ended an idle period;
	 * polls_only: there is but a state that polls, which the tick does not end. */
	u32 asks, got_tick_stops, polls_only;
	u32 kept; /* the state whose times are kept; none has NO_STATE */
};
_Static_assert(sizeof(struct setting) == 80, "as packed");

/* A time in the state kept, and when the next timer expires. */
struct kept {
	u64 start_ns, end_ns, timer_ns;
};

struct estimate {
	const u32 *features;
	const struct table *table;
	const struct setting *setting;
	const struct threshold *thresholds;
	replay_fn *run;
	void *memory;
	struct counter *counters;
	u64 decisions, agreed;
	u64 *unfinished; /* of a period: what was left when it was followed no further, else 0 */
	u64 unfinished_count;
	u64 stateless; /* decisions for no state, which are not counted */
	struct kept *kept; /* to be freed */
	size_t kept_count, kept_room;
	bool failed; /* no memory */
	/* Where it is: the period, and which of its pieces, from when, until the tick and the end. */
	const struct period *first, *period, *end;
	u64 piece, now_ns, to_tick_ns, left_ns;
	bool stopped, got_tick; /* the tick: stopped in this period, ended the piece before */
	struct row row;
};

void estimate(struct estimate *e, const struct period *periods, size_t count);

#endif
