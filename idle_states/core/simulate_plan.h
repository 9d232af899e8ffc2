/* What happens next: a heap of four branches with one entry for whomever, which can be moved. */
#ifndef IDLE_STATES_SIMULATE_PLAN_H
#define IDLE_STATES_SIMULATE_PLAN_H

#include "core.h"

#define WHOM_BITS 24
#define ABSENT UINT32_MAX

struct entry {
	u64 time, order; /* order: sequence number, whom */
};

struct plan {
	struct entry *heap;
	u32 *place; /* whom -> index, or ABSENT */
	u32 count;
	u64 sequence;
};

INLINE u32 whom_of(const struct entry *entry)
{
	return (u32)entry->order & ((1u << WHOM_BITS) - 1);
}

INLINE bool sooner(const struct entry *a, const struct entry *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

INLINE void put(struct plan *p, u32 at, struct entry entry)
{
	p->heap[at] = entry;
	p->place[whom_of(&entry)] = at;
}

INLINE void rise(struct plan *p, u32 at, struct entry entry)
{
	while (at > 0 && sooner(&entry, &p->heap[(at - 1) / 4])) {
		put(p, at, p->heap[(at - 1) / 4]);
		at = (at - 1) / 4;
	}
	put(p, at, entry);
}

INLINE void sink(struct plan *p, u32 at, struct entry entry)
{
	for (;;) {
		u32 child = 4 * at + 1, last = child + 4 < p->count ? child + 4 : p->count;
		u32 first = child;

		if (child >= p->count)
			break;
		for (u32 i = child + 1; i < last; i++)
			if (sooner(&p->heap[i], &p->heap[first]))
				first = i;
		if (!sooner(&p->heap[first], &entry))
			break;
		put(p, at, p->heap[first]);
		at = first;
	}
	put(p, at, entry);
}

INLINE void settle_entry(struct plan *p, u32 at, struct entry entry)
{
	if (at > 0 && sooner(&entry, &p->heap[(at - 1) / 4]))
		rise(p, at, entry);
	else
		sink(p, at, entry);
}

/* Instead of what was planned for it. */
INLINE void plan_at(struct plan *p, u32 whom, u64 time)
{
	struct entry entry = {time, ++p->sequence << WHOM_BITS | whom};

	if (p->place[whom] == ABSENT)
		rise(p, p->count++, entry);
	else
		settle_entry(p, p->place[whom], entry);
}

INLINE void plan_never(struct plan *p, u32 whom)
{
	u32 at = p->place[whom];
	struct entry last;

	if (at == ABSENT)
		return;
	p->place[whom] = ABSENT;
	last = p->heap[--p->count];
	if (at < p->count)
		settle_entry(p, at, last);
}

#endif
