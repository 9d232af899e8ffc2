#include "settle.h"

/* What the governor is asked with in each period, and how long this lasts. */
struct period {
	struct row row;
	u64 woken_ns, polled_ns, tick_ns; /* tick_ns: the tick ends it unless it was stopped; 0: never */
};

static struct period period_of(const struct settle *s, const struct length *length)
{
	const struct circumstances *c = s->fixed;
	u64 tick = s->table->tick_ns;
	u64 sleep = c->timer_driven ? length->idle_ns : length->next_timer_ns;

	return (struct period){
		.row = {
			.sleep_length_ns = (s64)sleep,
			.delta_next_ns = (s64)(c->tick_stopped ? sleep : least(sleep, tick)),
			.latency_req_us = (u32)c->limit_us,
			.tick_stopped = c->tick_stopped != 0,
			.disabled = (u16)c->disabled,
			.cpu_capacity = CPU_CAPACITY,
			.entered = AS_SELECTED,
		},
		.woken_ns = length->idle_ns + c->wake_ns,
		.polled_ns = length->idle_ns,
		.tick_ns = !c->tick_stopped && length->idle_ns > tick ? tick : 0,
	};
}

/* The first of the idle periods, in the states that the history says. */
static void remember(const struct settle *s, const struct period *period, void *memory)
{
	for (size_t i = 0; i < s->history_count; i++) {
		struct row row = s->history[i];
		struct decision decision;

		row.sleep_length_ns = period->row.sleep_length_ns;
		row.delta_next_ns = period->row.delta_next_ns;
		row.latency_req_us = period->row.latency_req_us;
		row.tick_stopped = period->row.tick_stopped;
		row.disabled = period->row.disabled;
		s->run(s->features, s->table, memory, &row, 1, &decision, NULL);
	}
}

/* In the period's own row: copies of it took a quarter of the time. */
static u8 step(const struct settle *s, struct period *period, void *memory)
{
	struct row *row = &period->row;
	struct decision decision;
	bool polls;

	row->rejected = true; /* what becomes of it is not known yet */
	row->got_tick = 0;
	row->residency_ns = row->reflect_clock_ns = 0;
	row->recorded = 0;
	s->run(s->features, s->table, memory, row, 1, &decision, NULL);
	polls = s->table->polling >> (decision.state % 16) & 1;
	row->rejected = false;
	row->recorded = decision.state;
	row->got_tick = period->tick_ns && !decision.stop_tick;
	if (row->got_tick)
		row->residency_ns = period->tick_ns + (polls ? 0 : s->fixed->wake_ns);
	else
		row->residency_ns = polls ? period->polled_ns : period->woken_ns;
	row->reflect_clock_ns = row->residency_ns;
	s->finish(s->features, s->table, memory, row, decision.state);
	return decision.state;
}

/*
 * Once the memory is what it was before, the states since then repeat. It is compared with that
 * after the last power of two of steps, so that any period is found.
 */
static void settle_one(const struct settle *s, const struct length *length, u8 *states)
{
	char before[MEMORY_SIZE], *memory = s->memory;
	struct period period = period_of(s, length);
	u8 taken[SETTLING + OBSERVED];
	size_t done = 0, kept = 0;

	memset(memory, 0, MEMORY_SIZE);
	remember(s, &period, memory);
	memcpy(before, memory, MEMORY_SIZE);
	while (done < sizeof(taken)) {
		taken[done++] = step(s, &period, memory);
		if (!memcmp(memory, before, MEMORY_SIZE))
			break;
		if (!(done & (done - 1))) {
			memcpy(before, memory, MEMORY_SIZE);
			kept = done;
		}
	}
	for (size_t i = done; i < sizeof(taken); i++)
		taken[i] = taken[i - (done - kept)];
	memcpy(states, taken + SETTLING, OBSERVED);
}

void settle(const struct settle *s, const struct length *lengths, size_t count, u8 *states)
{
	for (size_t i = 0; i < count; i++)
		settle_one(s, &lengths[i], states + i * OBSERVED);
}
