/* Idle periods of CPUs, from the governor's decision to what it is told; simulation/idle_periods.py. */
#ifndef IDLE_STATES_SIMULATE_IDLE_H
#define IDLE_STATES_SIMULATE_IDLE_H

#include "simulate_shares.h"

INLINE bool polls(const struct simulation *s, const struct cpu_now *cpu)
{
	return cpu->state == 0 && s->set.polls;
}

static void wakes(struct simulation *s, struct cpu_now *cpu)
{
	scopes_ask(&s->scopes, &cpu->thread, AWAKE, s->now);
	take(s, cpu, BUSY);
}

static void foresee(struct simulation *s, u64 length)
{
	u64 at = s->set.foreseen, state;

	while (s->in.foreseen[--at].length_ns > length)
		;
	state = s->in.foreseen[at].state;
	count_idle(&s->in.thresholds[state], s->set.counts_ns, &s->in.hindsight[state],
		   length + s->in.effects[state].exit_ns);
}

/* Hindsight: idle time that began with a task that blocked ends, for there is work for the CPU. */
static void stretch_ends(struct simulation *s, struct cpu_now *cpu)
{
	struct stretch *stretch;

	if (!s->set.foreseen || (stretch = &s->stretches[number_of(s, cpu)])->since == NEVER)
		return;
	if (phase_of(s, cpu) == BETWEEN)
		s->in.totals->between_ns += s->now - stretch->left;
	foresee(s, s->now - stretch->since);
	stretch->since = NEVER;
}

/* At the end: of a stretch that goes on, what lies in idle periods that are over. */
static void stretch_is_cut(struct simulation *s, struct cpu_now *cpu)
{
	struct stretch *stretch = &s->stretches[number_of(s, cpu)];

	if (stretch->since == NEVER || stretch->left <= stretch->since)
		return;
	if (phase_of(s, cpu) != BETWEEN)
		s->in.totals->between_ns -= cpu->since_ns - stretch->left;
	foresee(s, stretch->left - stretch->since);
}

static void stretch_goes_on(struct simulation *s, struct cpu_now *cpu)
{
	struct stretch *stretch = &s->stretches[number_of(s, cpu)];

	if (stretch->since == NEVER)
		stretch->since = s->now;
	else
		s->in.totals->between_ns += s->now - stretch->left;
}

/* Asks the governor with each other table that has decided the same so far. */
static void others_decide(struct simulation *s, const struct cpu_now *cpu, const struct row *row,
			  struct decision decision)
{
	for (u32 i = 0; i < s->alike_count;) {
		u32 other = s->alike[i];
		struct decision theirs;

		s->in.run(s->in.features, &s->in.others[other], other_memory(s, other, cpu), row, 1, &theirs,
			  NULL);
		if (theirs.state == decision.state && theirs.stop_tick == decision.stop_tick) {
			i++;
		} else {
			s->in.agreed[other] = s->decided;
			s->alike[i] = s->alike[--s->alike_count];
		}
	}
	s->decided++;
}

static void idle(struct simulation *s, struct cpu_now *cpu)
{
	u64 now = s->now, to_tick = s->set.tick_ns - now % s->set.tick_ns;
	u64 background = s->set.background_ns - now % s->set.background_ns, sleep = background;
	struct decision decision = {0, s->set.got_tick_stops && cpu->got_tick};
	u32 number = number_of(s, cpu);

	if (cpu->timers != NOWHERE)
		sleep = least(sleep, time_of(cpu->timer) - now);
	if (s->set.asks) {
		struct row row = {
			.sleep_length_ns = (s64)sleep,
			.delta_next_ns = (s64)least(sleep, cpu->stopped ? (u64)KTIME_MAX : to_tick),
			.clock_ns = now,
			.latency_req_us = (u32)s->set.latency_req_us,
			.disabled = (u16)s->set.disabled,
			.tick_stopped = cpu->stopped,
			.rejected = true, /* what becomes of it is not known yet */
			.entered = AS_SELECTED,
			.cpu_capacity = CPU_CAPACITY,
		};

		if (s->set.utilises) {
			average_update(average_of(s, cpu), s->in.decays, now, false);
			row.cpu_util = (u32)least(average_of(s, cpu)->util, CPU_CAPACITY);
		}
		s->in.run(s->in.features, s->in.table, memory_of(s, cpu), &row, 1, &decision, NULL);
		if (UNLIKELY(s->alike_count))
			others_decide(s, cpu, &row, decision);
	}
	cpu->stopped = decision.stop_tick || cpu->stopped || !s->set.decides_tick;
	set_phase(s, cpu, IDLE);
	cpu->state = decision.state;
	cpu->since_ns = now;
	cpu->got_tick = false;
	if (s->set.foreseen)
		stretch_goes_on(s, cpu);
	scopes_ask(&s->scopes, &cpu->thread, decision.state, now);
	if (cpu->state == s->set.states - 1)
		domains_idle(&s->domains, number, now,
			     now + (cpu->stopped ? sleep : least(sleep, to_tick)));
	take(s, cpu, s->in.effects[decision.state].holds ? HOLDS : FREE);
	if (polls(s, cpu)) {
		if (s->set.poll_limit_ns == NEVER)
			plan(s, cpu, NO_PLAN);
		else
			plan_at(s, cpu, now + s->set.poll_limit_ns + s->set.overshoot_ns);
	} else {
		plan_at(s, cpu, now + (cpu->stopped ? background : least(background, to_tick)));
	}
}

static void cpu_exits(struct simulation *s, struct cpu_now *cpu, u64 delay_ns, bool got_tick)
{
	u32 number = number_of(s, cpu), state = scopes_reached(&s->scopes, &cpu->thread);
	u64 done;

	s->in.reached[state]++;
	wakes(s, cpu);
	done = s->now + delay_ns + s->in.effects[state].exit_ns;
	if (cpu->state == s->set.states - 1)
		done += domains_wake(&s->domains, number, s->now);
	if (s->set.jitter_ns)
		done += uniform(draw(&cpu->stream), 0, s->set.jitter_ns);
	set_phase(s, cpu, EXITING);
	cpu->got_tick = got_tick;
	plan_at(s, cpu, scopes_wake(&s->scopes, &cpu->thread, state, done));
}

static void idled(struct simulation *s, struct cpu_now *cpu, bool time_limit)
{
	u64 residency = s->now - cpu->since_ns;
	u64 time = counted_time(s->set.counts_ns, residency);
	struct idled *idled = idled_of(s, cpu);

	if (polls(s, cpu) && !cpu->stopped)
		cpu->got_tick = s->now / s->set.tick_ns > cpu->since_ns / s->set.tick_ns;
	if (s->set.asks) {
		struct row row = {
			.residency_ns = residency,
			.got_tick = cpu->got_tick,
			.poll_time_limit = time_limit,
			.reflect_clock_ns = s->now,
			.entered = cpu->state,
			.recorded = cpu->state,
		};

		s->in.finish(s->in.features, s->in.table, memory_of(s, cpu), &row, cpu->state);
		for (u32 i = 0; i < s->alike_count; i++)
			s->in.finish(s->in.features, &s->in.others[s->alike[i]],
				     other_memory(s, s->alike[i], cpu), &row, cpu->state);
	}
	if (s->set.foreseen)
		s->stretches[number_of(s, cpu)].left = s->now;
	idled->time += time;
	idled->periods[verdict_on(&s->in.thresholds[cpu->state], time)]++;
	if (cpu->state == s->set.states - 1)
		domains_awake(&s->domains, number_of(s, cpu), s->now);
}

#endif
