/* Who takes part in a simulation; simulation/actors.py. */
#ifndef IDLE_STATES_SIMULATE_STATE_H
#define IDLE_STATES_SIMULATE_STATE_H

#include "simulate_domains.h"
#include "simulate_placement.h"
#include "simulate_plan.h"
#include "simulate_random.h"
#include "simulate_util.h"

#define CPU_STREAMS (1ull << 32)
#define WORK 1000
#define LEAST_RATE 100
/* Not a power of two: the beginnings, which are used most, would share a few sets of the cache. */
#define MEMORY_STRIDE (MEMORY_SIZE + 64)

enum { BETWEEN, RUNNING, IDLE, EXITING };
enum { BUSY, HOLDS, FREE, TAKES };

/* next: in its CPU's queue, pending list or timers, of which it is in one at most. */
struct task {
	u64 key, draws, work, spins_until_ns, debt_ns, woken_ns, due_ns, tokens;
	struct average average;
	u32 at, turn, cpu, recent, next;
	bool waits, wakes;
};

struct line {
	u32 first, last;
};

struct cpu_now {
	u64 since_ns, until_ns, slice_end_ns, work, rate;
	u64 key, draws;
	struct average average;
	struct line queue, pending;
	u32 timers, task;
	u32 core;
	u8 phase, takes, state, stopped, got_tick, spins;
} __attribute__((aligned(128)));

struct simulation {
	struct sim_input in;
	struct sim_setting set;
	u64 now;
	struct plan plan;
	struct cpu_now *cpus;
	struct task *tasks;
	u32 (*takes)[TAKES];
	struct split siblings;
	struct scopes scopes;
	struct domains domains;
	struct placement placement;
	char *memories;
	void **blocks;
	u32 block_count;
	bool started, ended, failed;
};

INLINE u32 number_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return (u32)(cpu - s->cpus);
}

INLINE void append(struct simulation *s, struct line *line, u32 task)
{
	s->tasks[task].next = NOWHERE;
	if (line->first == NOWHERE)
		line->first = task;
	else
		s->tasks[line->last].next = task;
	line->last = task;
}

INLINE u32 take_first(struct simulation *s, struct line *line)
{
	u32 task = line->first;

	line->first = s->tasks[task].next;
	return task;
}

#endif
