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

static void begin_period(struct estimate *e)
{
	e->now_ns = e->period->start_ns;
	e->piece = 0;
	e->stopped = e->got_tick = false;
}

bool estimate_begin(struct estimate *e)
{
	const struct setting *s = e->setting;
	u64 left, sleep;

	if (e->period == e->end)
		return false;
	left = least(e->period->end_ns - e->now_ns, KTIME_MAX);
	sleep = s->timer_far ? KTIME_MAX : left;
	e->to_tick_ns = e->stopped ? KTIME_MAX : s->tick_ns - e->now_ns % s->tick_ns;
	e->left_ns = left;
	e->row.sleep_length_ns = (s64)sleep;
	e->row.delta_next_ns = (s64)least(sleep, e->to_tick_ns);
	e->row.clock_ns = e->now_ns;
	e->row.tick_stopped = e->stopped;
	return true;
}

void estimate_end(struct estimate *e, struct decision decision)
{
	const struct setting *s = e->setting;
	u64 left = e->left_ns, until, residency;
	bool polled_out = false, told = false, interrupted, counts = !e->period->settles;

	if (e->piece == 0)
		e->agreed += decision.state == e->period->state;
	e->stopped |= decision.stop_tick || !s->decides_tick;
	until = e->stopped || s->polls_only ? KTIME_MAX : e->to_tick_ns;
	if (decision.state == 0 && s->poll_limit_ns < until) {
		until = s->poll_limit_ns;
		polled_out = true;
		told = s->poll_told;
	}
	interrupted = until < left;
	if (interrupted && e->piece == s->pieces_max - 1) {
		interrupted = false;
		e->unfinished[e->period - e->first] = left;
		e->unfinished_count++;
	}
	residency = interrupted ? until : left;
	e->row.residency_ns = residency;
	e->row.got_tick = interrupted && !polled_out;
	e->row.poll_time_limit = interrupted && told;
	e->row.recorded = decision.state;
	e->row.reflect_clock_ns = e->now_ns + residency + s->wake_ns;
	e->got_tick = !e->stopped && residency >= e->to_tick_ns;
	if (decision.state == NO_STATE)
		e->stateless += counts;
	else if (counts)
		count_idle(&e->thresholds[decision.state], s->counts_ns,
			   &e->counters[decision.state], residency);
	if (decision.state == s->kept && decision.state != NO_STATE) {
		u64 timer = least((u64)e->row.sleep_length_ns,
				  e->stopped ? KTIME_MAX : e->to_tick_ns);

		keep(e, (struct kept){e->now_ns, e->now_ns + residency, e->now_ns + timer});
	}
	e->decisions++;
	e->now_ns += residency + s->turn_ns;
	if (++e->piece == s->pieces_max || e->now_ns >= e->period->end_ns) {
		e->period++;
		if (e->period != e->end)
			begin_period(e);
	}
}

void estimate(struct estimate *e, const struct period *periods, size_t count)
{
	const struct setting *s = e->setting;
	struct decision decision;

	e->first = e->period = periods;
	e->end = periods + count;
	e->row = (struct row){
		.latency_req_us = s->latency_req_us,
		.disabled = (u16)s->disabled,
		.entered = AS_SELECTED,
	};
	if (count)
		begin_period(e);
	if (s->asks) {
		e->run(e->features, e->table, e->memory, &e->row, 0, &decision, e);
		return;
	}
	while (estimate_begin(e))
		estimate_end(e, (struct decision){0, s->got_tick_stops && e->got_tick});
}
