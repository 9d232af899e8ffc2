/* ladder: up one state after four good idles, down one after a bad one. */
#include <stdlib.h>

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

INLINE u64 measured(bool nanoseconds, const struct row *row)
{
	return row->rejected ? 0 : nanoseconds ? row->residency_ns : row->residency_ns / NS_PER_US;
}

INLINE u64 latency_of(bool nanoseconds, const struct row *row)
{
	return row->latency_req_us * (nanoseconds ? (u64)NS_PER_US : 1);
}

/* Whether another state than that selected may be the last one. */
INLINE bool enters(const struct row *row)
{
	return !row->rejected && row->entered != AS_SELECTED && row->entered % 16;
}

INLINE void finished(struct ladder *l, bool nanoseconds, const struct row *row, u32 selected)
{
	l->residency = measured(nanoseconds, row);
	if (!row->rejected && entered_state(row, selected))
		l->last = entered_state(row, selected);
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

/*
 * A state in its circumstances: a residency less the exit latency below `low` demotes, and above `high`
 * it counts towards `promotions`. Unsigned: what is shorter than the exit latency counts as endless.
 */
struct rung {
	u64 exit, low, high;
	u32 promotions, latency_req_us, disabled;
	bool leaves; /* at once, unless it is promoted */
};

INLINE struct rung rung_of(bool nanoseconds, u32 first, const struct table *t, u32 last,
			   const struct row *row)
{
	const u64 latency = latency_of(nanoseconds, row), exit = t->exit[last];
	struct rung r = {exit, last > first ? exit : 0, last >= first ? exit : 0,
			 last >= first ? PROMOTIONS : 0, row->latency_req_us, row->disabled,
			 !latency || (last > first && (row->disabled >> last & 1 || exit > latency))};

	if (!latency || last + 1 >= t->count || row->disabled >> (last + 1) & 1 ||
	    t->exit[last + 1] > latency)
		r.high = U64_MAX;
	return r;
}

INLINE void climb(bool nanoseconds, u32 first, const struct table *t, void *memory,
		  const struct row *rows, size_t row_count, struct decision *decisions,
		  struct estimate *made)
{
	struct rung rung = {.disabled = U32_MAX};
	struct ladder l;
	u64 residency;
	u32 last;

	memcpy(&l, memory, sizeof(l));
	if (!l.booted)
		boot(&l, first);
	residency = l.residency;
	last = l.last;
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		const struct row *row = &rows[i];
		u64 remainder;
		bool up;

		if (UNLIKELY(row->disabled != rung.disabled ||
			     row->latency_req_us != rung.latency_req_us))
			rung = rung_of(nanoseconds, first, t, last, row);
		remainder = residency - rung.exit;
		up = remainder > rung.high && ++l.promotions[last] >= rung.promotions;
		if (up || remainder < rung.low || UNLIKELY(rung.leaves)) {
			l.promotions[last] = 0;
			last = up ? last + 1 : row->latency_req_us ? last - 1 : 0;
			while (rung.leaves && last > first && t->exit[last] > latency_of(nanoseconds, row))
				last--;
			rung = rung_of(nanoseconds, first, t, last, row);
		}
		decisions[i] = (struct decision){(u8)last, 1};
		if (made)
			estimate_end(made, decisions[i]);
		residency = measured(nanoseconds, row);
		if (enters(row) && row->entered % 16 != last) {
			last = row->entered % 16;
			rung = rung_of(nanoseconds, first, t, last, row);
		}
	}
	l.last = last;
	l.residency = residency;
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

/*
 * How times compare with the states of several tables, a bit each: alike from one place of `from` to the
 * next. Below twice its exit latency a state is demoted, and beyond that promoted.
 */
#define PLACES_MAX (1 + 3 * STATES_MAX * TOGETHER)
#define BLOCK 64
struct threshold {
	u64 enough;
	u32 table, state;
};

struct thresholds {
	u16 promotes[PLACES_MAX][TOGETHER], demotes[PLACES_MAX][TOGETHER];
	u64 from[PLACES_MAX];
	u32 count, first[TOGETHER];
	struct table tables[TOGETHER];
	struct threshold sorted[STATES_MAX * TOGETHER];
} __attribute__((aligned(64)));

static int by_enough(const void *a, const void *b)
{
	const u64 one = ((const struct threshold *)a)->enough;
	const u64 other = ((const struct threshold *)b)->enough;

	return (one > other) - (one < other);
}

INLINE void set_bit(u16 *bits, u32 bit, bool value)
{
	*bits = (u16)((*bits & ~(1u << bit)) | (u32)value << bit);
}

static void compare(struct thresholds *t, const struct sweep *s)
{
	const struct ladder_features *f = (const struct ladder_features *)s->features;
	u32 count = 0, at = 0, next[3] = {0};

	t->from[0] = 0;
	memset(t->promotes[0], 0, sizeof(t->promotes[0]));
	memset(t->demotes[0], 0, sizeof(t->demotes[0]));
	for (u32 table = 0; table < s->tables; table++) {
		struct table *one = &t->tables[table];

		make_table(one, s->states + table * STATES_MAX, s->counts[table], s->hz, f->nanoseconds);
		t->first[table] = first_rung(f, one);
		for (u32 state = 0; state < one->count; state++) {
			t->sorted[count++] = (struct threshold){
				one->exit[state] << (state >= t->first[table]), table, state};
			set_bit(&t->promotes[0][table], state, one->exit[state] > 0);
		}
	}
	qsort(t->sorted, count, sizeof(*t->sorted), by_enough);
	/* Each begins to differ at three times, in the same order: half of enough, enough, and one more. */
	while (next[2] < count) {
		u64 from = t->sorted[next[2]].enough + 1;
		u32 which = 2;

		for (u32 i = 2; i-- > 0;) {
			if (next[i] < count && t->sorted[next[i]].enough >> !i <= from) {
				from = t->sorted[next[i]].enough >> !i;
				which = i;
			}
		}
		const u32 table = t->sorted[next[which]].table, first = t->first[table];
		const u32 state = t->sorted[next[which]++].state;
		const u64 exit = t->tables[table].exit[state];

		if (from > t->from[at]) {
			t->from[++at] = from;
			memcpy(t->promotes[at], t->promotes[at - 1], sizeof(t->promotes[at]));
			memcpy(t->demotes[at], t->demotes[at - 1], sizeof(t->demotes[at]));
		}
		/* Unsigned, as in climb(). */
		set_bit(&t->promotes[at][table], state, from - exit > (state >= first ? exit : 0));
		set_bit(&t->demotes[at][table], state, state > first && from - exit < exit);
	}
	t->count = at + 1;
}

INLINE u32 place_of(const struct thresholds *t, u64 time)
{
	u32 place = 0;

	for (u32 left = t->count, half = left / 2; half; left -= half, half = left / 2)
		place += (t->from[place + half] <= time) * half;
	return place;
}

#define BODY "ladder_lanes.h"
#include "each_level.h"

bool ladder_sweep(const struct sweep *s)
{
	const struct ladder_features *f = (const struct ladder_features *)s->features;
	sweep_fn *some = LANES_OF(sweeping, s->allowed);

	/* Twice a latency is a time, too. */
	return sweep_by(s, some && fits_below(s, 1ull << 62) ? some : NULL, ladder_any, f->nanoseconds);
}
