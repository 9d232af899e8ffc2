/* What happens next: a tournament with one entry for whomever, which can be moved. */
#ifndef IDLE_STATES_SIMULATE_PLAN_H
#define IDLE_STATES_SIMULATE_PLAN_H

#include "core.h"

#define WHOM_BITS 24

struct entry {
	u64 time, order; /* order: sequence number, whom */
};

static const struct entry NO_PLAN = {UINT64_MAX, UINT64_MAX};

/* next[leaves + whom] is whomever's entry, or NO_PLAN; next[i] the sooner of next[2i] and next[2i+1]. */
struct plan {
	struct entry *next;
	u32 leaves; /* a power of 2 */
	u64 sequence;
};

INLINE u32 leaves_for(u64 count)
{
	u32 leaves = 2;

	while (leaves < count)
		leaves *= 2;
	return leaves;
}

INLINE void plan_start(struct plan *p)
{
	for (u32 i = 0; i < 2 * p->leaves; i++)
		p->next[i] = NO_PLAN;
}

INLINE u32 whom_of(const struct entry *entry)
{
	return (u32)entry->order & ((1u << WHOM_BITS) - 1);
}

INLINE bool sooner(const struct entry *a, const struct entry *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Plays the matches of an entry again, up to one whose winner stays the same. */
INLINE void play(struct plan *p, u32 whom, struct entry entry)
{
	u32 at = p->leaves + whom;

	for (p->next[at] = entry; at > 1; p->next[at] = entry) {
		const struct entry *other = &p->next[at ^ 1];

		if (sooner(other, &entry))
			entry = *other;
		at /= 2;
		if (p->next[at].order == entry.order)
			return;
	}
}

/* Instead of what was planned for it. */
INLINE void plan_at(struct plan *p, u32 whom, u64 time)
{
	play(p, whom, (struct entry){time, ++p->sequence << WHOM_BITS | whom});
}

INLINE void plan_never(struct plan *p, u32 whom)
{
	play(p, whom, NO_PLAN);
}

/* An entry that has come to pass, unless something else is planned by now. */
INLINE void plan_done(struct plan *p, u32 whom, struct entry entry)
{
	if (p->next[p->leaves + whom].order == entry.order)
		plan_never(p, whom);
}

#endif
