/* Simulations: what simulation/simulate.py does, event by event the same. Times in ns. */
#ifndef IDLE_STATES_SIMULATE_H
#define IDLE_STATES_SIMULATE_H

#include "counters.h"
#include "structs.h" /* by tools/eras.py, from structs.py */

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

struct traced {
	u64 time, cpu, task;
};

struct sim_totals {
	u64 switches, counted, events, digest, latency_max_ns, traced, waited, waited_ns, between_ns;
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
	const struct table *table, *others; /* others: asked as well, for whether they decide the same */
	u32 other_count;
	const struct threshold *thresholds;
	const struct foreseen *foreseen;
	replay_fn *run;
	finish_fn *finish;
	/* Results, all 0 before. */
	struct counter *counters; /* CPU by CPU, state by state */
	u64 *reached, *scope_ns, *latencies;
	struct sim_domain_counter *domain_counters; /* state by state */
	u64 *stayed_on; /* domain by domain */
	struct traced *trace;
	struct counter *hindsight; /* state by state, of all CPUs */
	struct sim_totals *totals;
	u64 *agreed; /* of each other table: decisions before its first other one; NEVER: all are the same */
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
