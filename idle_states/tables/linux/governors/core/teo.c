/* teo: which generation, and which instruction set. */
#include "levels.h"
#include "teo_hits.h"

#define BODY "teo_body.h"
#include "each_level.h"

const struct feature teo_known[] = {TEO_KNOWN {NULL, NULL}};

/* The first generation is not specialised. */
replay_fn *teo_specialised(const u32 *features)
{
#ifdef LEVELS
	if (level() >= 3)
		return specialised_3(features);
#endif
	return specialised_0(features);
}

void teo_any(const u32 *features, const struct table *table, void *memory,
	     const struct row *rows, size_t row_count, struct decision *decisions,
	     struct estimate *made)
{
	const struct teo_features *f = (const struct teo_features *)features;

	if (!f->bins)
		teo_hits(f, table, memory, rows, row_count, decisions, made);
#ifdef LEVELS
	else if (level() >= 3)
		run_any_3(features, table, memory, rows, row_count, decisions, made);
#endif
	else
		run_any_0(features, table, memory, rows, row_count, decisions, made);
}

void teo_finish(const u32 *features, const struct table *table, void *memory,
		const struct row *row, u32 selected)
{
	const struct teo_features *f = (const struct teo_features *)features;
	char *place = (char *)memory + offsetof(struct teo_0, pending);
	struct pending pending;

	if (!f->bins) {
		teo_hits_finish(f, table, memory, row, selected);
		return;
	}
	memcpy(&pending, place, sizeof(pending));
	finish(&pending, row, table, true, selected);
	memcpy(place, &pending, sizeof(pending));
}

/* All comparisons of the second generation; see learn() and choose(). */
u64 teo_look(const u32 *features, const struct table *t, const struct row *row, u32 selected)
{
	const struct teo_features *f = (const struct teo_features *)features;
	u64 latency = t->exit[selected], residency = row->residency_ns, measured;
	s64 sleep = row->sleep_length_ns, tick = (s64)t->tick, early;

	if ((residency | (u64)sleep) >> 62)
		return 0;
	if (!f->bins)
		return teo_hits_look(f, t, row, selected);
	measured = residency >= latency ? residency - latency / 2 : residency / 2;
	early = sleep - (s64)measured;
	return looked(fit_for_0(false, t, sleep), fit_for_0(false, t, (s64)measured),
		      (measured >= t->tick) + (measured > t->tick),
		      (u32)((sleep >= tick) + (sleep > tick) + (sleep > 2 * tick)) |
			      (u32)(residency >= latency) << 2 | (u32)(measured < SHORT_NS) << 3 |
			      (u32)((s64)residency >= sleep) << 4 |
			      (u32)(early < (s64)(latency / 2)) << 5 | (u32)row->got_tick << 6 |
			      1u << 7);
}

void teo_switched_on(const u32 *features, const struct table *table, void *memory, int state,
		     u64 residency_ns)
{
	const struct teo_features *f = (const struct teo_features *)features;
	struct teo_0 teo;

	(void)table;
	if (!f->bins) {
		teo_hits_switched_on(f, memory, state, residency_ns);
		return;
	}
	boot_0(&teo);
	learn_from(&teo.pending, state, residency_ns);
	memcpy(memory, &teo, sizeof(teo));
}

/*
 * The second generation has lanes; rows and tables of theirs are those of words.h. Of the first, of a
 * CPU that is utilised where a release asks for that, and of negative times, tables go one by one.
 */
static bool has_lanes(const struct teo_features *f, const struct sweep *s)
{
	struct teo_0 first, other;

	/* Of no release. */
	if (f->recent && (f->deepest_for_ticks || f->tick_idles == TICK_IDLES_UNLESS))
		return false;
	if (!f->bins || !s->tables || !fits_below(s, TABLE_END))
		return false;
	memcpy(&first, s->memories, sizeof(first));
	for (u32 i = 1; i < s->tables; i++) {
		memcpy(&other, s->memories + i * MEMORY_SIZE, sizeof(other));
		if (other.bins.next_slot != first.bins.next_slot || other.booted != first.booted ||
		    other.pending.unlearnt != first.pending.unlearnt)
			return false;
	}
	for (size_t i = 0; i < s->row_count; i++) {
		const struct row *row = &s->rows[i];

		if (row->sleep_length_ns < 0 || row->residency_ns >> 62 ||
		    (f->utilisation && row->cpu_util > row->cpu_capacity >> UTILISED_SHIFT))
			return false;
	}
	return true;
}

bool teo_sweep(const struct sweep *s)
{
	const struct teo_features *f = (const struct teo_features *)s->features;
	replay_fn *one = teo_specialised(s->features);
	sweep_fn *some = LANES_OF(sweeping, s->allowed, f, s);

	return sweep_by(s, some && has_lanes(f, s) ? some : NULL, one ? one : teo_any, f->nanoseconds);
}
