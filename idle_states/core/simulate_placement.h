/*
 * Where a task that wakes up runs: simulation/placement.py. Of every last-level cache two sets of bits
 * are kept, of its idle CPUs and of those whose cores are wholly idle.
 */
#ifndef IDLE_STATES_SIMULATE_PLACEMENT_H
#define IDLE_STATES_SIMULATE_PLACEMENT_H

#include "simulate.h"

#define WORD_BITS 64

/* Parts of each whole: those of whole w are parts[first[w]] to parts[first[w + 1] - 1]. */
struct split {
	u32 *first, *parts;
	u32 wholes;
};

/* A CPU. tasks: running or queued. core: for placement. bit: its place in the sets. */
struct seat {
	u32 tasks, llc, core, cluster, bit;
} __attribute__((aligned(32)));

struct placement {
	struct seat *seats;
	u32 *cluster_busy;	  /* CPUs of a cluster with any */
	u32 *smt_busy;		  /* CPUs of a core with any */
	u32 *llc_tasks;
	struct split smt, llc;	  /* into CPUs, ascending */
	u32 *word;		  /* of a last-level cache: its first word of bits */
	u64 *idle, *idle_core;
	u32 cluster;
	bool recent;
};

INLINE void set_bit(u64 *words, u32 at, bool value)
{
	u64 bit = 1ull << at % WORD_BITS;

	if (value)
		words[at / WORD_BITS] |= bit;
	else
		words[at / WORD_BITS] &= ~bit;
}

INLINE bool is_idle(const struct placement *p, u32 cpu)
{
	return p->seats[cpu].tasks == 0;
}

/* A CPU's place among those of its last-level cache. */
INLINE u32 position_of(const struct placement *p, u32 cpu)
{
	return p->seats[cpu].bit - p->word[p->seats[cpu].llc] * WORD_BITS;
}

static inline void placement_turn(struct placement *p, const struct seat *seat, bool idle)
{
	u32 core = seat->core;

	set_bit(p->idle, seat->bit, idle);
	p->cluster_busy[seat->cluster] += idle ? -1u : 1u;
	if (idle ? --p->smt_busy[core] : p->smt_busy[core]++)
		return;
	for (u32 i = p->smt.first[core]; i < p->smt.first[core + 1]; i++)
		set_bit(p->idle_core, p->seats[p->smt.parts[i]].bit, idle);
}

INLINE void placement_add(struct placement *p, u32 cpu)
{
	struct seat *seat = &p->seats[cpu];

	p->llc_tasks[seat->llc]++;
	if (seat->tasks++ == 0)
		placement_turn(p, seat, false);
}

INLINE void placement_remove(struct placement *p, u32 cpu)
{
	struct seat *seat = &p->seats[cpu];

	p->llc_tasks[seat->llc]--;
	if (--seat->tasks == 0)
		placement_turn(p, seat, true);
}

INLINE bool shares_cache(const struct placement *p, u32 one, u32 other)
{
	return p->seats[one].llc == p->seats[other].llc;
}

INLINE u32 placement_target(const struct placement *p, u32 waker, u32 previous, bool sync)
{
	if (is_idle(p, waker) && shares_cache(p, waker, previous))
		return is_idle(p, previous) ? previous : waker;
	if (sync && p->seats[waker].tasks == 1)
		return waker;
	if (!is_idle(p, previous) && p->seats[waker].tasks < p->seats[previous].tasks)
		return waker;
	return previous;
}

/* The first of a cache's bits from `from` on and below `end`, or NOWHERE. */
INLINE u32 next_bit(const u64 *words, u32 from, u32 end)
{
	u32 word = from / WORD_BITS;
	u64 bits;

	if (from >= end)
		return NOWHERE;
	bits = words[word] & (U64_MAX << from % WORD_BITS);
	while (!bits) {
		if (++word * WORD_BITS >= end)
			return NOWHERE;
		bits = words[word];
	}
	from = word * WORD_BITS + (u32)__builtin_ctzll(bits);
	return from < end ? from : NOWHERE;
}

/* The first of a walk that begins behind the target, as a position. */
INLINE u32 first_of_walk(const u64 *words, u32 target, u32 size)
{
	u32 found = next_bit(words, target + 1, size);

	return found == NOWHERE ? next_bit(words, 0, target + 1) : found;
}

static inline u32 by_cluster(const struct placement *p, u32 target)
{
	u32 llc = p->seats[target].llc, size = p->llc.first[llc + 1] - p->llc.first[llc];
	const u64 *idle = p->idle + p->word[llc], *cores = p->idle_core + p->word[llc];
	const u32 *cpus = p->llc.parts + p->llc.first[llc];
	u32 best = NOWHERE, best_busy = 0, inside = NOWHERE;

	for (int looks = 0; looks < 2; looks++) {
		/* First for the cluster, then in it. */
		for (u32 step = 1; step <= size; step++) {
			u32 at = (position_of(p, target) + step) % size, cluster;

			if (!(idle[at / WORD_BITS] >> at % WORD_BITS & 1))
				continue;
			cluster = p->seats[cpus[at]].cluster;
			if (looks == 0) {
				u32 busy = p->cluster_busy[cluster];

				if (best == NOWHERE ||
				    (p->cluster == CLUSTERS_PACK ? busy > best_busy : busy < best_busy)) {
					best = cluster;
					best_busy = busy;
				}
			} else if (cluster == best) {
				if (cores[at / WORD_BITS] >> at % WORD_BITS & 1)
					return cpus[at];
				if (inside == NOWHERE)
					inside = cpus[at];
			}
		}
	}
	return inside == NOWHERE ? target : inside;
}

/* NOWHERE: neither will do. */
INLINE u32 placement_near(const struct placement *p, u32 target, u32 previous)
{
	if (is_idle(p, target))
		return target;
	if (shares_cache(p, previous, target) && is_idle(p, previous))
		return previous;
	return NOWHERE;
}

INLINE u32 placement_beyond(const struct placement *p, u32 target, u32 previous, u32 recent)
{
	u32 llc = p->seats[target].llc, size, found;
	const u32 *cpus;

	if (p->recent && shares_cache(p, recent, target) && is_idle(p, recent))
		return recent;
	if (p->cluster != CLUSTERS_OFF)
		return by_cluster(p, target);
	size = p->llc.first[llc + 1] - p->llc.first[llc];
	cpus = p->llc.parts + p->llc.first[llc];
	found = first_of_walk(p->idle_core + p->word[llc], position_of(p, target), size);
	if (found != NOWHERE)
		return cpus[found];
	if (shares_cache(p, previous, target)) {
		u32 core = p->seats[previous].core;

		for (u32 i = p->smt.first[core]; i < p->smt.first[core + 1]; i++)
			if (is_idle(p, p->smt.parts[i]) &&
			    shares_cache(p, p->smt.parts[i], target))
				return p->smt.parts[i];
	}
	found = first_of_walk(p->idle + p->word[llc], position_of(p, target), size);
	return found == NOWHERE ? target : cpus[found];
}

/* Where a new task begins. */
static inline u32 placement_first(const struct placement *p)
{
	u32 best = 0, best_idle = 0, best_tasks = 0, cpu, near;

	for (u32 llc = 0; llc < p->llc.wholes; llc++) {
		u32 idle = 0, tasks = p->llc_tasks[llc];

		for (u32 word = p->word[llc]; word < p->word[llc + 1]; word++)
			idle += (u32)__builtin_popcountll(p->idle[word]);
		if (p->cluster == CLUSTERS_PACK && idle) {
			idle = 1;
			tasks = 0;
		}
		if (llc == 0 || idle > best_idle || (idle == best_idle && tasks < best_tasks)) {
			best = llc;
			best_idle = idle;
			best_tasks = tasks;
		}
	}
	cpu = p->llc.parts[p->llc.first[best]];
	near = placement_near(p, cpu, cpu);
	return near == NOWHERE ? placement_beyond(p, cpu, cpu, cpu) : near;
}

#endif
