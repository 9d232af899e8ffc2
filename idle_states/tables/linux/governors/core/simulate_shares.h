/* What tasks get of their CPUs: shares of a core, simulation/shares.py, and how utilised both are. */
#ifndef IDLE_STATES_SIMULATE_SHARES_H
#define IDLE_STATES_SIMULATE_SHARES_H

#include "simulate_state.h"

INLINE u64 rate_of(const struct simulation *s, const struct cpu_now *cpu)
{
	const u16 *takes = core_of(s, cpu)->takes;
	u64 lost = (takes[BUSY] - 1u) * s->set.smt_busy + takes[HOLDS] * s->set.smt_hold;

	if (cpu->spins)
		return WORK;
	return lost > WORK - LEAST_RATE ? LEAST_RATE : WORK - lost;
}

/* Computes on from now, at the rate that the siblings leave. */
static void run(struct simulation *s, struct cpu_now *cpu)
{
	u64 until_ns;

	cpu->since_ns = s->now;
	cpu->rate = (u16)rate_of(s, cpu);
	until_ns = s->now + (cpu->work + cpu->rate - 1) / cpu->rate;
	if (cpu->queue.first != NOWHERE)
		until_ns = least(until_ns, greatest(cpu->slice_end_ns, s->now));
	plan_at(s, cpu, until_ns);
}

INLINE void worked(struct simulation *s, struct cpu_now *cpu)
{
	u64 done = (s->now - cpu->since_ns) * cpu->rate;

	cpu->work = cpu->work > done ? cpu->work - done : 0;
}

static void take(struct simulation *s, struct cpu_now *cpu, u8 takes)
{
	struct instance *core = core_of(s, cpu);
	const u32 *siblings = s->siblings + core->first_thread;

	if (takes == cpu->takes)
		return;
	core->takes[cpu->takes]--;
	core->takes[takes]++;
	cpu->takes = takes;
	for (u32 i = 0; i < core->threads; i++) {
		struct cpu_now *sibling = &s->cpus[siblings[i]];

		if (s->phases[siblings[i]] != RUNNING || sibling == cpu ||
		    sibling->rate == rate_of(s, sibling))
			continue;
		worked(s, sibling);
		run(s, sibling);
	}
}

/* Utilisation. */

INLINE void ran_until_now(struct simulation *s, struct cpu_now *cpu, struct task *task, bool running)
{
	if (!s->set.utilises)
		return;
	average_update(average_of(s, cpu), s->in.decays, s->now, running);
	average_update(&more_of(s, task)->average, s->in.decays, s->now, running);
}

static void migrate(struct simulation *s, struct task *task, struct cpu_now *to)
{
	struct cpu_now *from = &s->cpus[task->cpu];
	struct average *leaves = average_of(s, from), *joins = average_of(s, to);
	struct average *moves = &more_of(s, task)->average;

	average_update(moves, s->in.decays, s->now, false);
	average_update(leaves, s->in.decays, s->now, phase_of(s, from) == RUNNING);
	average_update(joins, s->in.decays, s->now, phase_of(s, to) == RUNNING);
	average_detach(leaves, moves);
	average_attach(joins, moves);
}

#endif
