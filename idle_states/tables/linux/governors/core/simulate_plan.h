/* What happens next: a tournament with one entry for each CPU, which can be moved. */
#ifndef IDLE_STATES_SIMULATE_PLAN_H
#define IDLE_STATES_SIMULATE_PLAN_H

#include "simulate.h"

#define CPU_BITS 24
#define WAYS 4 /* so many entries fill a line of a cache */

/* Some 30 and some 8 events before one of 2,048 CPUs, what it looks at is brought nearer: first what its
 * CPU's number tells, then what the CPU's state does. Of a smaller machine all of it is near. */
#define AHEAD 64
#define NEAR 16

/* Time, sequence number and CPU, the time above: one number, for compilers then choose the lesser one
 * without a branch, which could not be foreseen. */
typedef unsigned __int128 entry;

#define NO_PLAN (~(entry)0)

struct coming {
	entry later, sooner;
};

/* next[leaves + cpu] is a CPU's entry, or NO_PLAN; next[i] the soonest of the WAYS from next[WAYS * i] on. */
struct plan {
	entry *next;
	u32 leaves; /* a power of WAYS */
	u64 sequence;
};

INLINE u32 leaves_for(u64 count)
{
	u32 leaves = WAYS;

	while (leaves < count)
		leaves *= WAYS;
	return leaves;
}

INLINE void plan_start(struct plan *p)
{
	for (u32 i = 0; i < 2 * p->leaves; i++)
		p->next[i] = NO_PLAN;
}

INLINE u64 time_of(entry of)
{
	return (u64)(of >> 64);
}

INLINE u32 cpu_of(entry of)
{
	return (u32)of & ((1u << CPU_BITS) - 1);
}

INLINE entry new_entry(struct plan *p, u32 cpu, u64 time)
{
	return (entry)time << 64 | (++p->sequence << CPU_BITS | cpu);
}

INLINE entry soonest(entry a, entry b)
{
	return b < a ? b : a;
}

/* The winner of the match that `winner` has come to, at `at`. */
INLINE entry match(const struct plan *p, u32 at, entry winner)
{
	return soonest(winner, soonest(p->next[at ^ 1], soonest(p->next[at ^ 2], p->next[at ^ 3])));
}

/* Instead of a CPU's entry. Plays its matches again, up to one whose winner stays the same. */
INLINE void plan_move(struct plan *p, u32 cpu, entry winner)
{
	u32 at = p->leaves + cpu;

	for (p->next[at] = winner; at > 1; p->next[at] = winner) {
		winner = match(p, at, winner);
		at /= WAYS;
		if (p->next[at] == winner)
			return;
	}
}

/* Plays on from `at`, that `winner` has come to, to below `end`. */
INLINE entry play(struct plan *p, u32 *at, u32 end, entry winner)
{
	while (*at >= end) {
		winner = match(p, *at, winner);
		*at /= WAYS;
		p->next[*at] = winner;
	}
	return winner;
}

/* The same for the CPU whose entry was the soonest, of which all matches have to be played. Returns the
 * soonest of its AHEAD'th and its NEAR'th part of all. */
INLINE struct coming plan_replace(struct plan *p, u32 cpu, entry winner)
{
	u32 at = p->leaves + cpu;
	struct coming coming;

	p->next[at] = winner;
	coming.later = play(p, &at, WAYS * AHEAD, winner);
	coming.sooner = play(p, &at, WAYS * NEAR, coming.later);
	play(p, &at, WAYS, coming.sooner);
	return coming;
}

#endif
