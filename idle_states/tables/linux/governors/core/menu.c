/* menu: the body for each instruction set, and for each release's features. */
#include "levels.h"
#include "menu.h"

#define BODY "menu_body.h"
#include "each_level.h"

const struct feature menu_known[] = {MENU_KNOWN {NULL, NULL}};

const char *instruction_set(void)
{
	switch (level()) {
	case 4:
		return "x86-64-v4";
	case 3:
		return "x86-64-v3";
	default:
#if defined(__VSX__)
		return "VSX";
#elif defined(__aarch64__)
		return "NEON";
#else
		return "baseline";
#endif
	}
}

replay_fn *menu_specialised(const u32 *features)
{
#ifdef LEVELS
	if (level() >= 3)
		return specialised_3(features);
#endif
	return specialised_0(features);
}

void menu_any(const u32 *features, const struct table *table, void *memory,
	      const struct row *rows, size_t row_count, struct decision *decisions,
	      struct estimate *made)
{
#ifdef LEVELS
	if (level() >= 3) {
		run_any_3(features, table, memory, rows, row_count, decisions, made);
		return;
	}
#endif
	run_any_0(features, table, memory, rows, row_count, decisions, made);
}

void menu_finish(const u32 *features, const struct table *table, void *memory,
		 const struct row *row, u32 selected)
{
	(void)features;
	(void)table;
	finished_0(memory, row, selected);
}

/*
 * Where the history holds no other idle period than the last one, decisions differ by the corrected
 * timer alone. That only rises or only falls, and predictions with it, to where its factor stays: in
 * between, there is none of the times that they are compared with.
 */
bool menu_settled(const u32 *features, const struct table *t, const void *memory, const struct row *row)
{
	const struct menu_features *f = (const struct menu_features *)features;
	const struct menu_0 *m = memory;
	u64 interval = 0, measured, low, high;
	u32 factor, stays;

	if (!m->reflected || m->sorted[0] != m->sorted[INTERVALS - 1])
		return false;
	measured = measured_0(f, t, m);
	if (m->sorted[0] != (u32)((s64)measured / (f->nanoseconds ? NS_PER_US : 1)))
		return false;
	/* Timers that were not asked; products that wrap. */
	if (m->next_timer >> 50)
		return m->next_timer == KTIME_MAX && row->sleep_length_ns != KTIME_MAX;
	if (f->typical_first)
		interval = first_typical_0(f, m);
	factor = m->factors[m->bucket];
	stays = DECAY * share_0(f, measured, m->next_timer);
	stays = factor < stays ? stays : (u32)least(factor, stays + DECAY - 1);
	low = predict_0(f, m, (u32)least(factor, stays), interval);
	high = predict_0(f, m, (u32)greatest(factor, stays), interval);
	for (u32 i = 0; i < t->count; i++)
		if ((low < t->residency[i] && t->residency[i] <= high) ||
		    (low < t->exit[i] && t->exit[i] <= high))
			return false;
	return high < t->tick || t->tick <= low;
}

/* What the idle period teaches where it ends before the next timer: a sample and a share of that. */
u64 menu_look(const u32 *features, const struct table *t, const struct row *row, u32 selected)
{
	const struct menu_features *f = (const struct menu_features *)features;
	u64 sleep = (u64)row->sleep_length_ns, per_us = f->nanoseconds ? NS_PER_US : 1;
	struct menu_0 m = {
		.residency_ns = row->residency_ns,
		.next_timer = f->nanoseconds ? sleep : (u32)(sleep / NS_PER_US),
		.entered = (u8)selected,
		.got_tick = row->got_tick,
	};
	u64 measured;

	if (row->residency_ns > sleep || sleep >> 62 || selected >= t->count)
		return 0;
	measured = measured_0(f, t, &m);
	return (u32)((s64)measured / (s64)per_us) | (u64)share_0(f, measured, m.next_timer) << 32 |
	       (u64)row->got_tick << 48 | ONE_TIMER;
}

bool menu_same(const void *memory, const void *other)
{
	const struct menu_0 *m = memory, *o = other;
	struct menu_0 turned;

	if (m->residency_ns != o->residency_ns || m->factors[m->bucket] != o->factors[m->bucket])
		return false;
	turned = *m;
	turned.next = o->next;
	for (u32 i = 0; i < INTERVALS; i++)
		turned.ring[(o->next + i) % INTERVALS] = m->ring[(m->next + i) % INTERVALS];
	return !memcmp(&turned, o, sizeof(turned));
}

void menu_switched_on(const u32 *features, const struct table *table, void *memory, int state,
		      u64 residency_ns)
{
	struct menu_0 menu;

	(void)features;
	(void)table;
	(void)state;
	boot_0(&menu);
	menu.residency_ns = residency_ns;
	memcpy(memory, &menu, sizeof(menu));
}

/* Lanes take what is idled, and times of tables, below 2^50 ns, which is 13 days. */
#define TOO_LONG (1ull << 50)

static bool fits_lanes(const struct menu_features *f, const struct sweep *s)
{
	struct menu_0 first, other;

	if (!s->tables || !fits_below(s, TOO_LONG))
		return false;
	memcpy(&first, s->memories, sizeof(first));
	for (u32 i = 0; i < s->tables; i++) {
		memcpy(&other, s->memories + i * MEMORY_SIZE, sizeof(other));
		if (other.next_timer >> 63 || other.residency_ns >= TOO_LONG ||
		    other.residency_ns != first.residency_ns || other.reflected != first.reflected)
			return false;
	}
	/* Before 4.6: too old for lanes of its own. */
	if (f->none_fits || f->typical_replaces || f->typical_deviation || !f->halves_short)
		return false;
	/* SUSE's. */
	if (f->io_waiters != IO_WAITERS_NONE || f->stopped_tick == STOPPED_TICK_KEPT)
		return false;
	if (f->stopped_shallower)
		return false;
	/* Of no release. */
	if (f->trims_both_ends && f->typical_unknown == TYPICAL_UNKNOWN_LATE)
		return false;
	if (f->latency_first && !f->scan_stops)
		return false;
	for (size_t i = 0; i < s->row_count; i++) {
		if (s->rows[i].residency_ns >= TOO_LONG)
			return false;
		/* An unsigned sleep length, of 5.5 to 5.12. */
		if (f->nanoseconds && !f->negative_is_zero && s->rows[i].sleep_length_ns < 0)
			return false;
	}
	return true;
}

bool menu_sweep(const struct sweep *s)
{
	const struct menu_features *f = (const struct menu_features *)s->features;
	replay_fn *one = menu_specialised(s->features);
	sweep_fn *some = LANES_OF(sweeping, s->allowed, f);

	return sweep_by(s, some && fits_lanes(f, s) ? some : NULL, one ? one : menu_any, f->nanoseconds);
}
