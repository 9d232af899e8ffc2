/* Simulations: what simulation/simulate.py does, event by event the same. Times in ns. */
#ifndef IDLE_STATES_SIMULATE_H
#define IDLE_STATES_SIMULATE_H

#include "counters.h"

#define SCOPES 4 /* thread, core, pair, quad */
#define HISTOGRAM_BITS 7
#define HISTOGRAM_SIZE ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)
#define LOG2_SIZE 257
#define HALF_LIFE 32
#define NOWHERE UINT32_MAX
#define NEVER U64_MAX
#define EVENTS_MOST U32_MAX

enum { RUN, SLEEP, EVERY, WAKE, WAIT, COUNT, SPIN };
enum { FIXED, UNIFORM, EXPONENTIAL };
enum { SAME, NEXT, RANDOM, ALL };
enum { CLUSTERS_OFF, CLUSTERS_SPREAD, CLUSTERS_PACK };

struct sim_setting {
	u64 cpus, tasks, states, seed, duration_ns, tick_ns, poll_limit_ns, poll_told, polls;
	u64 asks, got_tick_stops, decides_tick, disabled, latency_req_us, counts_ns;
	u64 switch_ns, wake_ns, idle_entry_ns, turn_ns, ipi_ns, overshoot_ns, jitter_ns, slice_ns;
	u64 background_ns, utilises;
	u64 smt_busy, smt_hold, recent, cluster, trace_most, events_most;
	/* domain_limit_ns: the CPU latency that is allowed; NEVER: limits do not hold. */
	u64 domains, domain_states, domain_cpus, deepest_children, domain_limit_ns;
};

struct effect {
	u64 exit_ns;
	u32 scope, holds;
};

/* A power domain: its states, all its CPUs, and the number of those of its own. parent: NOWHERE for
 * none. */
struct sim_domain {
	u32 parent, first_state, states, first_cpu, cpus, own, governed;
};

struct sim_domain_state {
	u64 off_ns, on_ns, residency_ns;
};

struct sim_domain_counter {
	u64 usage, time_ns, above, below;
};

struct op {
	u64 low, high;
	u32 kind, spread, first, count, which, sync;
};

struct program {
	u32 first, count, number, cpu, with_waker, once, again; /* cpu: NOWHERE, it is placed */
};

struct traced {
	u64 time, cpu, task;
};

struct sim_totals {
	u64 switches, counted, events, digest, latency_max_ns, traced, waited, waited_ns;
};

/* Groups of CPUs: of each CPU, its number. */
struct groupings {
	const u32 *small_core, *pair, *quad, *cluster, *llc, *smt;
};

struct sim_input {
	const struct sim_setting *setting;
	struct groupings of;
	const struct effect *effects;
	const struct sim_domain *domains;
	const struct sim_domain_state *domain_states;
	const u32 *domain_cpus, *own_domain; /* own_domain: of each CPU, or NOWHERE */
	const struct op *ops;
	const struct program *programs;
	const u64 *log2; /* LOG2_SIZE */
	const u64 *decays; /* HALF_LIFE */
	const u32 *features;
	const struct table *table;
	const struct threshold *thresholds;
	replay_fn *run;
	finish_fn *finish;
	/* Results, all 0 before. */
	struct counter *counters; /* CPU by CPU, state by state */
	u64 *reached, *scope_ns, *latencies;
	struct sim_domain_counter *domain_counters; /* state by state */
	u64 *stayed_on; /* domain by domain */
	struct traced *trace;
	struct sim_totals *totals;
};

struct simulation;

/* NULL: no memory. */
struct simulation *simulation_new(const struct sim_input *input);
/* So many events more; whether that was not the end. */
bool simulation_run(struct simulation *s, u64 events);
/* Time of the last event, in ns. */
u64 simulation_now(const struct simulation *s);
void simulation_free(struct simulation *s);

#endif
