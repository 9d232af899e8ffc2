/* ladder: up one state after four good idles, down one after a bad one. */
#include "core.h"
#include "ladder_features.h"
#include "levels.h"

#define PROMOTIONS 4

const struct feature ladder_known[] = {LADDER_KNOWN {NULL, NULL}};

struct ladder {
	u32 booted, last, promotions[16 + 1];
	u64 residency;
};
_Static_assert(sizeof(struct ladder) <= MEMORY_SIZE, "fits");

INLINE void finished(struct ladder *l, bool nanoseconds, const struct row *row, u32 selected)
{
	u32 entered = entered_state(row, selected);

	l->residency = 0;
	if (row->rejected)
		return;
	l->residency = nanoseconds ? row->residency_ns : row->residency_ns / NS_PER_US;
	if (entered > 0)
		l->last = entered;
}

static u32 first_rung(const struct ladder_features *f, const struct table *t)
{
	return f->skips_polling && t->polling & 1;
}

static void boot(struct ladder *l, u32 first)
{
	memset(l, 0, sizeof(*l));
	l->booted = true;
	l->last = first;
}

#define BODY "ladder_lanes.h"
#include "each_level.h"

INLINE void climb(bool nanoseconds, u32 first, const struct table *t, void *memory,
		  const struct row *rows, size_t row_count, struct decision *decisions,
		  struct estimate *made)
{
	const u64 per_us = nanoseconds ? NS_PER_US : 1;
	struct ladder l, now; /* now: all but promotions, of which registers are made */

	memcpy(&l, memory, sizeof(l));
	if (!l.booted)
		boot(&l, first);
	now.last = l.last;
	now.residency = l.residency;
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		const struct row *row = &rows[i];
		const u64 latency = row->latency_req_us * per_us;
		const u32 last = now.last;
		const u64 exit = t->exit[last];
		/* Unsigned: what is shorter than the exit latency counts as endless. */
		u64 remainder = now.residency - exit;
		u32 state = last;
		bool promotes = last + 1 < t->count && !(row->disabled >> (last + 1) & 1) &&
				remainder > (last >= first ? exit : 0) &&
				t->exit[last + 1] <= latency;

		if (UNLIKELY(latency == 0)) {
			l.promotions[last] = 0;
			state = 0;
		} else if (promotes && ++l.promotions[last] >= (last >= first ? PROMOTIONS : 0)) {
			l.promotions[last] = 0;
			state = last + 1;
		} else if (last > first) {
			if (UNLIKELY(row->disabled >> last & 1 || exit > latency)) {
				l.promotions[last] = 0;
				do
					state--;
				while (state > first && t->exit[state] > latency);
			} else if (remainder < exit) {
				l.promotions[last] = 0;
				state--;
			}
		}
		now.last = state;
		decisions[i] = (struct decision){(u8)state, 1};
		if (made)
			estimate_end(made, decisions[i]);
		finished(&now, nanoseconds, row, state);
	}
	l.last = now.last;
	l.residency = now.residency;
	memcpy(memory, &l, sizeof(l));
}

/* Most often rows are given, in ns: known to the compiler, which has few registers to spare. */
void ladder_any(const u32 *features, const struct table *t, void *memory,
		const struct row *rows, size_t row_count, struct decision *decisions,
		struct estimate *made)
{
	const struct ladder_features *f = (const struct ladder_features *)features;
	u32 first = first_rung(f, t);

	if (f->nanoseconds && !made)
		climb(true, first, t, memory, rows, row_count, decisions, NULL);
	else
		climb(f->nanoseconds, first, t, memory, rows, row_count, decisions, made);
}

void ladder_finish(const u32 *features, const struct table *table, void *memory,
		   const struct row *row, u32 selected)
{
	const struct ladder_features *f = (const struct ladder_features *)features;
	struct ladder l;

	(void)table;
	memcpy(&l, memory, sizeof(l));
	finished(&l, f->nanoseconds, row, selected);
	memcpy(memory, &l, sizeof(l));
}

void ladder_switched_on(const u32 *features, const struct table *table, void *memory, int state,
			u64 residency_ns)
{
	const struct ladder_features *f = (const struct ladder_features *)features;
	struct ladder l;

	(void)state;
	boot(&l, first_rung(f, table));
	l.residency = f->nanoseconds ? residency_ns : residency_ns / NS_PER_US;
	memcpy(memory, &l, sizeof(l));
}

bool ladder_sweep(const struct sweep *s)
{
	const struct ladder_features *f = (const struct ladder_features *)s->features;
	sweep_fn *some = fits_below(s, TABLE_END) ? LANES_OF(sweeping, s->allowed, f) : NULL;

	return sweep_by(s, some, ladder_any, f->nanoseconds);
}
