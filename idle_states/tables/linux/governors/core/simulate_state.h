/* Who takes part in a simulation; simulation/actors.py. */
#ifndef IDLE_STATES_SIMULATE_STATE_H
#define IDLE_STATES_SIMULATE_STATE_H

#include "simulate_domains.h"
#include "simulate_placement.h"
#include "simulate_plan.h"
#include "simulate_random.h"
#include "simulate_scopes.h"
#include "simulate_util.h"

#define CPU_STREAMS (1ull << 32)
#define WORK 1000
#define LEAST_RATE 100
/* Not a power of two: the beginnings, which are used most, would share a few sets of the cache. */
#define MEMORY_STRIDE (MEMORY_SIZE + 64)

enum { BETWEEN, RUNNING, IDLE, EXITING };

/*
 * Of a task. It fills a line of a cache, for with many of them each event waits for its own.
 * next: in its CPU's queue, pending list or timers, of which it is in one at most. due: of timers, when the
 * next one is, NO_PLAN if there is none, so that its line need not be waited for; of those below another
 * (simulate_timers.h), when it is itself.
 * program: the first task with the same one.
 */
struct task {
	entry due;
	u64 stream, debt_ns;
	union {
		u64 woken_ns;
		u32 below; /* while it is among the timers */
	};
	u32 at, cpu, recent, next, program;
	bool waits, wakes, cut; /* cut: it was made to yield */
} __attribute__((aligned(64)));

/* What is seldom asked for. work, spins_until_ns: what is left of a task that was made to yield. */
struct task_more {
	u64 work, spins_until_ns, tokens;
	u32 turn;
	struct average average;
};

/* A CPU's idle periods of a state. time: in the release's unit. Their number is less than that of all
 * events, which 32 bits hold (EVENTS_MOST). */
struct idled {
	u64 time;
	u32 periods[TOO_SHALLOW + 1]; /* by verdict */
};

/* A CPU's idle time until work comes to it. since: its beginning, NEVER outside; left: the end of its
 * last idle period. */
struct stretch {
	u64 since, left;
};

struct line {
	u32 first, last;
};

/* planned: its next event, but for those of its timers; while it runs, when it has computed. */
struct cpu_now {
	entry planned, timer; /* timer: the first of its timers */
	u64 since_ns, slice_end_ns, work;
	u32 timers, task;
	struct line queue, pending;
	struct seat seat;
	u64 stream;
	struct thread thread;
	u16 rate;
	u8 takes, state, stopped, got_tick, spins;
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct task) == 64 && sizeof(struct cpu_now) == 128, "lines of a cache");
_Static_assert(sizeof(struct cpu_now) == SEAT_STRIDE, "where placement finds each CPU's");

struct simulation {
	struct sim_input in;
	struct sim_setting set;
	u64 now;
	struct cpu_now *current; /* whose event it is */
	struct plan plan;
	struct cpu_now *cpus;
	u8 *phases; /* of CPUs: a core's are looked at together */
	struct average *averages; /* of CPUs */
	struct idled *idled; /* CPU by CPU, state by state */
	struct stretch *stretches; /* of CPUs, where there is hindsight */
	struct task *tasks;
	struct task_more *more;
	u32 *siblings; /* by core, ascending */
	struct scopes scopes;
	struct domains domains;
	struct placement placement;
	char *memories;
	char *other_memories; /* table by table, as memories */
	u32 *alike; /* other tables that have decided the same so far */
	u32 alike_count;
	u64 decided;
	struct piece *memory; /* with all blocks */
	char *unused;
	u64 unused_bytes;
	bool started, ended, failed;
};

INLINE u32 number_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return (u32)(cpu - s->cpus);
}

INLINE u8 phase_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return s->phases[number_of(s, cpu)];
}

INLINE void set_phase(struct simulation *s, const struct cpu_now *cpu, u8 phase)
{
	s->phases[number_of(s, cpu)] = phase;
}

INLINE struct average *average_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return &s->averages[number_of(s, cpu)];
}

INLINE struct task_more *more_of(const struct simulation *s, const struct task *task)
{
	return &s->more[task - s->tasks];
}

/* For the state it entered last. */
INLINE struct idled *idled_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return &s->idled[number_of(s, cpu) * s->set.states + cpu->state];
}

INLINE struct instance *core_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return &s->scopes.instances[CORE][cpu->thread.core];
}

INLINE void *memory_of(const struct simulation *s, const struct cpu_now *cpu)
{
	return s->memories + (size_t)number_of(s, cpu) * MEMORY_STRIDE;
}

INLINE void *other_memory(const struct simulation *s, u32 other, const struct cpu_now *cpu)
{
	return s->other_memories + (other * s->set.cpus + number_of(s, cpu)) * MEMORY_STRIDE;
}

#define LINE 64

INLINE void fetch_line(const void *of, size_t line)
{
	__builtin_prefetch((const char *)of + line * LINE);
}

/* Brings nearer what a coming event looks at. */
INLINE void fetch(const struct simulation *s, entry coming)
{
	if (coming == NO_PLAN)
		return;
	fetch_line(&s->cpus[cpu_of(coming)], 0);
	fetch_line(&s->cpus[cpu_of(coming)], 1);
}

/* What it looks at beyond that. */
INLINE void fetch_more(const struct simulation *s, entry coming)
{
	const struct cpu_now *cpu;

	if (coming == NO_PLAN)
		return;
	cpu = &s->cpus[cpu_of(coming)];
	/* Without branches, which would wait for the CPU's line to be foreseen wrongly. */
	fetch_line(memory_of(s, cpu), 0);
	fetch_line(memory_of(s, cpu), 1);
	fetch_line(&s->tasks[least(cpu->task, s->set.tasks)], 0);
	fetch_line(&s->tasks[least(cpu->timers, s->set.tasks)], 0);
	fetch_line(core_of(s, cpu), 0);
	fetch_line(idled_of(s, cpu), 0);
}

INLINE entry entry_of(const struct cpu_now *cpu)
{
	return soonest(cpu->timer, cpu->planned);
}

/* Instead of what was planned for the CPU. */
INLINE void plan(struct simulation *s, struct cpu_now *cpu, entry planned)
{
	cpu->planned = planned;
	if (cpu != s->current)
		plan_move(&s->plan, number_of(s, cpu), entry_of(cpu));
}

INLINE void plan_at(struct simulation *s, struct cpu_now *cpu, u64 time)
{
	plan(s, cpu, new_entry(&s->plan, number_of(s, cpu), time));
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
