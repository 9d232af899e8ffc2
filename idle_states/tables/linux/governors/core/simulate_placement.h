/*
 * Where a task that wakes up runs: simulation/placement.py. Of every last-level cache two sets of bits
 * are kept, of its idle CPUs and of those whose cores are wholly idle.
 */
#ifndef IDLE_STATES_SIMULATE_PLACEMENT_H
#define IDLE_STATES_SIMULATE_PLACEMENT_H

#include "simulate.h"

#define WORD_BITS 64
#define SEAT_STRIDE 128

/* Parts of each whole: those of whole w are parts[first[w]] to parts[first[w + 1] - 1]. */
struct split {
	u32 *first, *parts;
	u32 wholes;
};

/* A CPU. tasks: running or queued. core: for placement. bit: its place in the sets. */
struct seat {
	u32 tasks, llc, core, bit;
};

/* Those of a core's CPUs that are in one word of the sets. next: of the same core, or NOWHERE. */
struct span {
	u64 mask;
	u32 word, next;
};

struct placement {
	char *seats; /* each SEAT_STRIDE behind the one before */
	const u32 *clusters;
	u32 *cluster_busy; /* CPUs of a cluster with any task */
	u32 *llc_tasks;
	struct span *spans; /* of each core its first, then all others */
	struct split llc; /* into CPUs, ascending */
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

INLINE struct seat *seat_of(const struct placement *p, u32 cpu)
{
	return (struct seat *)(p->seats + (size_t)cpu * SEAT_STRIDE);
}

INLINE bool is_idle(const struct placement *p, u32 cpu)
{
	return seat_of(p, cpu)->tasks == 0;
}

/* A CPU's place among those of its last-level cache. */
INLINE u32 position_of(const struct placement *p, u32 cpu)
{
	return seat_of(p, cpu)->bit - p->word[seat_of(p, cpu)->llc] * WORD_BITS;
}

static inline void placement_turn(struct placement *p, u32 cpu, bool idle)
{
	const struct seat *seat = seat_of(p, cpu);
	u64 busy = 0;

	set_bit(p->idle, seat->bit, idle);
	if (p->cluster != CLUSTERS_OFF)
		p->cluster_busy[p->clusters[cpu]] += idle ? -1u : 1u;
	for (u32 i = seat->core; i != NOWHERE; i = p->spans[i].next)
		busy |= p->spans[i].mask & ~p->idle[p->spans[i].word];
	for (u32 i = seat->core; i != NOWHERE; i = p->spans[i].next)
		p->idle_core[p->spans[i].word] =
			(p->idle_core[p->spans[i].word] & ~p->spans[i].mask) | (busy ? 0 : p->spans[i].mask);
}

INLINE void placement_add(struct placement *p, u32 cpu)
{
	struct seat *seat = seat_of(p, cpu);

	p->llc_tasks[seat->llc]++;
	if (seat->tasks++ == 0)
		placement_turn(p, cpu, false);
}

INLINE void placement_remove(struct placement *p, u32 cpu)
{
	struct seat *seat = seat_of(p, cpu);

	p->llc_tasks[seat->llc]--;
	if (--seat->tasks == 0)
		placement_turn(p, cpu, true);
}

INLINE bool shares_cache(const struct placement *p, u32 one, u32 other)
{
	return seat_of(p, one)->llc == seat_of(p, other)->llc;
}

INLINE u32 placement_target(const struct placement *p, u32 waker, u32 previous, bool sync)
{
	if (is_idle(p, waker) && shares_cache(p, waker, previous))
		return is_idle(p, previous) ? previous : waker;
	if (sync && seat_of(p, waker)->tasks == 1)
		return waker;
	if (!is_idle(p, previous) && seat_of(p, waker)->tasks < seat_of(p, previous)->tasks)
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
	u32 llc = seat_of(p, target)->llc, size = p->llc.first[llc + 1] - p->llc.first[llc];
	const u64 *idle = p->idle + p->word[llc], *cores = p->idle_core + p->word[llc];
	const u32 *cpus = p->llc.parts + p->llc.first[llc];
	u32 best = NOWHERE, best_busy = 0, inside = NOWHERE;

	for (int looks = 0; looks < 2; looks++) {
		/* First for the cluster, then in it. */
		for (u32 step = 1; step <= size; step++) {
			u32 at = (position_of(p, target) + step) % size, cluster;

			if (!(idle[at / WORD_BITS] >> at % WORD_BITS & 1))
				continue;
			cluster = p->clusters[cpus[at]];
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
	u32 llc = seat_of(p, target)->llc, size, found;
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
	if (shares_cache(p, previous, target))
		for (u32 i = seat_of(p, previous)->core; i != NOWHERE; i = p->spans[i].next) {
			const struct span *span = &p->spans[i];
			u64 idle = p->idle[span->word] & span->mask;

			if (idle && span->word >= p->word[llc] && span->word < p->word[llc + 1])
				return cpus[(span->word - p->word[llc]) * WORD_BITS +
					    (u32)__builtin_ctzll(idle)];
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
