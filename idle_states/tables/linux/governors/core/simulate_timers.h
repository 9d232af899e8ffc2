/*
 * The timers of a CPU's tasks, the first ones in order. One that is later than WALK of them is put below
 * the last it was compared with, into a pairing heap (Fredman et al., 1986), which is put in order when that one
 * has come: so of thousands no one is passed on the way to another's place.
 */
#ifndef IDLE_STATES_SIMULATE_TIMERS_H
#define IDLE_STATES_SIMULATE_TIMERS_H

#include "simulate_state.h"

#define WALK 8

/* Of two heaps one: whose first is later goes below the other's. */
INLINE u32 melded(struct task *tasks, u32 one, u32 other)
{
	u32 sooner = tasks[other].due < tasks[one].due ? other : one, later = one ^ other ^ sooner;

	tasks[later].next = tasks[sooner].below;
	tasks[sooner].below = later;
	return sooner;
}

/* Of several heaps, of which there is one, one: by pairs, and then those from the last on. */
static u32 all_melded(struct task *tasks, u32 heaps)
{
	u32 pairs = NOWHERE, all;

	while (heaps != NOWHERE) {
		u32 pair = heaps, other = tasks[pair].next;

		heaps = other == NOWHERE ? NOWHERE : tasks[other].next;
		if (other != NOWHERE)
			pair = melded(tasks, pair, other);
		tasks[pair].next = pairs;
		pairs = pair;
	}
	for (all = pairs, pairs = tasks[all].next; pairs != NOWHERE;) {
		u32 pair = pairs;

		pairs = tasks[pair].next;
		all = melded(tasks, all, pair);
	}
	return all;
}

/* With those below it. */
static void put_timer(struct task *tasks, struct cpu_now *cpu, u32 number, entry due)
{
	struct task *task = &tasks[number], *before;
	u32 *first = &cpu->timers, left = WALK;
	entry *first_due = &cpu->timer;

	while (*first_due < due) {
		before = &tasks[*first];
		if (!left--) {
			task->due = due;
			task->next = before->below;
			before->below = number;
			return;
		}
		first = &before->next;
		first_due = &before->due;
	}
	task->next = *first;
	task->due = *first_due;
	*first = number;
	*first_due = due;
}

static void set_timer(struct simulation *s, struct cpu_now *cpu, u32 number, u64 time)
{
	s->tasks[number].below = NOWHERE;
	put_timer(s->tasks, cpu, number, new_entry(&s->plan, number_of(s, cpu), time));
}

/* The first has come. */
static void end_timer(struct simulation *s, struct cpu_now *cpu)
{
	const struct task *first = &s->tasks[cpu->timers];

	cpu->timers = first->next;
	cpu->timer = first->due;
	if (first->below != NOWHERE) {
		u32 below = all_melded(s->tasks, first->below);

		put_timer(s->tasks, cpu, below, s->tasks[below].due);
	}
}

#endif
