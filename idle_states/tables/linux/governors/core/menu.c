/* menu: the body for each instruction set, and for each release's features. */
#include "levels.h"
#include "menu.h"

/* Decides the rows for TOGETHER tables at most. */
typedef void sweep_fn(const struct menu_features *f, const struct state *states, const u32 *counts,
		      u32 hz, char *memories, const struct row *rows, size_t row_count,
		      struct decision *const *decisions, u32 tables);

/* Tables taken through the rows together. */
#define TOGETHER 32

#define LEVEL 0
#include "menu_body.h"
#ifdef BASELINE_LANES
#include "menu_sweep.h"
#include "menu_groups.h"
#endif
#undef LEVEL

#ifdef LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define LEVEL 3
#include "menu_body.h"
#include "menu_sweep.h"
#include "menu_groups.h"
#undef LEVEL
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#define LEVEL 4
#include "menu_body.h"
#include "menu_sweep.h"
#include "menu_groups.h"
#undef LEVEL
#pragma GCC pop_options
#endif

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
#define TOO_LONG(ns) ((ns) >> 50)

static bool fits_lanes(const struct menu_features *f, const struct state *states, const u32 *counts,
		       const char *memories, u32 tables, const struct row *rows, size_t row_count)
{
	struct menu_0 first, other;

	if (!tables)
		return false;
	memcpy(&first, memories, sizeof(first));
	for (u32 i = 0; i < tables; i++) {
		memcpy(&other, memories + i * MEMORY_SIZE, sizeof(other));
		for (u32 state = 0; state < counts[i]; state++) {
			const struct state *one = &states[i * STATES_MAX + state];

			if (TOO_LONG(one->exit_ns | one->residency_ns))
				return false;
		}
		if (other.next_timer >> 63 || TOO_LONG(other.residency_ns) ||
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
	for (size_t i = 0; i < row_count; i++) {
		if (TOO_LONG(rows[i].residency_ns))
			return false;
		/* An unsigned sleep length, of 5.5 to 5.12. */
		if (f->nanoseconds && !f->negative_is_zero && rows[i].sleep_length_ns < 0)
			return false;
	}
	return true;
}

/* The best code for several tables that this machine has and is allowed, NULL if there is none. */
static sweep_fn *lanes_of(const struct menu_features *f, int allowed)
{
#ifdef LEVELS
	int chosen = level() < allowed ? level() : allowed;

	return chosen >= 4 ? sweeping_4(f) : chosen >= 3 ? sweeping_3(f) : NULL;
#elif defined(BASELINE_LANES)
	(void)allowed;
	return sweeping_0(f);
#else
	(void)f;
	(void)allowed;
	return NULL;
#endif
}

void menu_sweep(const u32 *features, const struct state *states, const u32 *counts, u32 tables,
		u32 hz, char *memories, const struct row *rows, size_t row_count,
		struct decision *const *decisions, int allowed)
{
	const struct menu_features *f = (const struct menu_features *)features;
	replay_fn *one = menu_specialised(features);
	sweep_fn *some = lanes_of(f, allowed);

	if (some && fits_lanes(f, states, counts, memories, tables, rows, row_count)) {
		for (u32 i = 0; i < tables; i += TOGETHER)
			some(f, states + i * STATES_MAX, counts + i, hz,
			     memories + i * MEMORY_SIZE, rows, row_count, decisions + i,
			     (u32)least(tables - i, TOGETHER));
		return;
	}
	for (u32 i = 0; i < tables; i++) {
		struct table table;

		make_table(&table, states + i * STATES_MAX, counts[i], hz, f->nanoseconds);
		(one ? one : menu_any)(features, &table, memories + i * MEMORY_SIZE, rows, row_count,
				       decisions[i], NULL);
	}
}
