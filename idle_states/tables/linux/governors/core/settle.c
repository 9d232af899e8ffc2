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

/* What becomes of a decision. */
static void end(const struct settle *s, struct period *period, struct decision decision)
{
	struct row *row = &period->row;
	bool polls = s->table->polling >> (decision.state % 16) & 1;

	row->rejected = false;
	row->got_tick = period->tick_ns && !decision.stop_tick;
	if (row->got_tick)
		row->residency_ns = period->tick_ns + (polls ? 0 : s->fixed->wake_ns);
	else
		row->residency_ns = polls ? period->polled_ns : period->woken_ns;
	row->reflect_clock_ns = row->residency_ns;
}

/* The decisions of one length, by state and tick, and how their outcomes compare with the table. */
struct way {
	u32 taken;
	u64 looks[32];
	s64 sleep_length_ns;
};

static u64 look(const struct settle *s, const struct period *period, u32 decision)
{
	return s->look(s->features, s->table, &period->row, decision / 2);
}

/* Whether another length compares in the same way throughout, and is decided so. */
static bool goes(const struct settle *s, struct period *period, const struct way *way)
{
	for (u32 left = way->taken; left; left &= left - 1) {
		u32 decision = (u32)lowest(left);
		u64 now = way->looks[decision];

		if (now & ONE_TIMER && period->row.sleep_length_ns != way->sleep_length_ns)
			return false;
		end(s, period, (struct decision){(u8)(decision / 2), decision % 2});
		now = look(s, period, decision);
		if (!now || now != way->looks[decision])
			return false;
		/* An average of times that compare alike does so, too. */
		if (now & AVERAGED && (now ^ way->looks[lowest(way->taken)]) & MEASURED)
			return false;
	}
	return way->taken;
}

/* In the period's own row: copies of it took a quarter of the time. */
static u8 step(const struct settle *s, struct period *period, void *memory, struct way *way)
{
	struct decision decision;

	period->row.rejected = true; /* what becomes of it is not known yet */
	s->run(s->features, s->table, memory, &period->row, 1, &decision, NULL);
	end(s, period, decision);
	s->finish(s->features, s->table, memory, &period->row, decision.state);
	if (s->look) {
		u32 which = decision.state % 16 * 2u + decision.stop_tick;

		if (!(way->taken >> which & 1))
			way->looks[which] = look(s, period, which);
		way->taken |= 1u << which;
	}
	return decision.state;
}

/*
 * Once the memory is what it was before, the states since then repeat. It is compared with a copy,
 * which is made again when a quarter more steps are done, so that long periods are found, too. None
 * are found SOONER, while copies would take longer than the steps.
 */
#define SOONER 8

static void settle_one(const struct settle *s, struct period *period, struct way *way, u8 *states)
{
	char before[MEMORY_SIZE], *memory = s->memory;
	u8 taken[SETTLING + OBSERVED];
	size_t done = 0, kept = 0, at;

	memset(memory, 0, MEMORY_SIZE);
	remember(s, period, memory);
	while (done < sizeof(taken)) {
		taken[done++] = step(s, period, memory, way);
		if (s->settled && s->settled(s->features, s->table, memory, &period->row)) {
			kept = done - 1;
			break;
		}
		if (kept && (s->same ? s->same(memory, before) : !memcmp(memory, before, MEMORY_SIZE)))
			break;
		if (done >= SOONER && done >= kept + kept / 4) {
			memcpy(before, memory, MEMORY_SIZE);
			kept = done;
		}
	}
	if (kept == done - 1) {
		memset(states, taken[kept], OBSERVED);
		return;
	}
	at = SETTLING < done ? SETTLING : kept + (SETTLING - kept) % (done - kept);
	for (size_t i = 0; i < OBSERVED; i++) {
		states[i] = taken[at];
		at = at + 1 == done ? kept : at + 1;
	}
}

void settle(const struct settle *s, const struct length *lengths, size_t count, u8 *states)
{
	struct way way = {0};

	for (size_t i = 0; i < count; i++, states += OBSERVED) {
		struct period period = period_of(s, &lengths[i]);

		if (goes(s, &period, &way)) {
			memcpy(states, states - OBSERVED, OBSERVED);
			continue;
		}
		way = (struct way){.sleep_length_ns = period.row.sleep_length_ns};
		settle_one(s, &period, &way, states);
	}
}
