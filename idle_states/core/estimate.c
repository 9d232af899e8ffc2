#include <stdlib.h>

#include "estimate.h"

static void keep(struct estimate *e, struct kept kept)
{
	if (e->kept_count == e->kept_room) {
		size_t room = e->kept_room ? 2 * e->kept_room : 1024;
		struct kept *more = realloc(e->kept, room * sizeof(*more));

		if (!more) {
			e->failed = true;
			return;
		}
		e->kept = more;
		e->kept_room = room;
	}
	e->kept[e->kept_count++] = kept;
}

/* Returns the first state selected. */
static u32 follow(struct estimate *e, const struct period *period, u64 *unfinished)
{
	const struct setting *s = e->setting;
	u64 now = period->start_ns;
	bool stopped = false, got_tick = false;
	u32 first = 0;

	for (u64 piece = 0; piece < s->pieces_max; piece++) {
		u64 left = least(period->end_ns - now, KTIME_MAX);
		u64 to_tick = stopped ? KTIME_MAX : s->tick_ns - now % s->tick_ns;
		u64 sleep = s->timer_far ? KTIME_MAX : left, until, residency;
		bool polled_out = false, told = false, interrupted;
		struct decision decision = {0, s->got_tick_stops && got_tick};
		struct row row = {
			.sleep_length_ns = (s64)sleep,
			.delta_next_ns = (s64)least(sleep, to_tick),
			.clock_ns = now,
			.latency_req_us = s->latency_req_us,
			.disabled = (u16)s->disabled,
			.tick_stopped = stopped,
			.rejected = true, /* what becomes of it is not known yet */
			.entered = AS_SELECTED,
		};

		if (s->asks)
			e->run(e->features, e->table, e->memory, &row, 1, &decision);
		if (piece == 0)
			first = decision.state;
		stopped = decision.stop_tick || stopped || !s->decides_tick;
		until = stopped || s->polls_only ? KTIME_MAX : to_tick;
		if (decision.state == 0 && s->poll_limit_ns < until) {
			until = s->poll_limit_ns;
			polled_out = true;
			told = s->poll_told;
		}
		interrupted = until < left;
		if (interrupted && piece == s->pieces_max - 1) {
			interrupted = false;
			*unfinished = left;
			e->unfinished_count++;
		}
		residency = interrupted ? until : left;
		row.rejected = false;
		row.residency_ns = residency;
		row.got_tick = interrupted && !polled_out;
		row.poll_time_limit = interrupted && told;
		row.recorded = decision.state;
		row.reflect_clock_ns = now + residency + s->wake_ns;
		if (s->asks)
			e->finish(e->features, e->table, e->memory, &row, decision.state);
		got_tick = !stopped && residency >= to_tick;
		if (decision.state == NO_STATE)
			e->stateless++;
		else
			count_idle(&e->thresholds[decision.state], s->counts_ns,
				   &e->counters[decision.state], residency);
		if (decision.state == s->kept && decision.state != NO_STATE) {
			u64 timer = stopped ? sleep : least(sleep, to_tick);

			keep(e, (struct kept){now, now + residency, now + timer});
		}
		e->decisions++;
		now += residency + s->turn_ns;
		if (now >= period->end_ns)
			break;
	}
	return first;
}

void estimate(struct estimate *e, const struct period *periods, size_t count)
{
	for (size_t i = 0; i < count; i++)
		e->agreed += follow(e, &periods[i], &e->unfinished[i]) == periods[i].state;
}
