/*
 * What the governors of the core share: rows, states, decisions, and integers as the references in
 * idle_states/tables/linux/governors have them. Times are in ns unless a name says otherwise.
 *
 * A governor's features are the fields of its Python dataclass that its C reads, each a u32 in the
 * dataclass's order: false and true are 0 and 1, texts have constants. GOVERNOR_features.h is written
 * by tools/eras.py when this is built.
 */
#ifndef IDLE_STATES_CORE_H
#define IDLE_STATES_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define KTIME_MAX INT64_MAX
#define STATES_MAX 10
#define CPU_CAPACITY 1024
#define MEMORY_SIZE 512
#define NS_PER_US 1000
#define NS_PER_SEC 1000000000ull
#define US_PER_SEC 1000000ull

/* Entered what was selected, whatever that is. */
#define AS_SELECTED 255

#ifdef __SANITIZE_ADDRESS__
/* What C leaves undefined does not depend on features being constants: compiled once for all eras. */
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A state as the driver registered it. */
struct state {
	u64 exit_ns, residency_ns, polling;
};

/* One idle period: what the governor is asked with, and what became of its decision. */
struct row {
	s64 sleep_length_ns, delta_next_ns;
	u64 clock_ns, reflect_clock_ns, residency_ns, load;
	u32 latency_req_us, nr_iowaiters;
	u16 disabled; /* bit n: state n is switched off */
	u8 tick_stopped, rejected, got_tick, poll_time_limit;
	u8 entered, recorded; /* recorded: see limit_holds() */
	u32 cpu_util, cpu_capacity;
};
_Static_assert(sizeof(struct state) == 24 && sizeof(struct row) == 72, "as the Python side packs");

/* state: NO_STATE: none, the CPU idles without cpuidle. */
struct decision {
	u8 state, stop_tick;
};
#define NO_STATE 255

struct estimate;

/* Above a tick of 1 HZ, too. */
#define TABLE_END (1 << 30)
#define MOST (INT32_MAX - 1)
#define FEW_STATES 8

/* States in the release's unit, padded so that no comparison has to know how many there are. */
struct table {
	u64 exit[16], residency[16], residency_ns[16];
	u32 count, polling; /* polling: bit n, state n polls */
	u64 tick, tick_ns;
	/* In 32 bits, where all times are below TABLE_END and there are no more states; behind the last,
	 * no time is long enough. */
	s32 few_exits[FEW_STATES], few_residencies[FEW_STATES];
	bool few;
};

/* Times that are only compared with those below TABLE_END. */
INLINE s32 cut(s64 time)
{
	return (s32)(time > MOST ? MOST : time < -MOST ? -MOST : time);
}

INLINE u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

INLINE u64 greatest(u64 a, u64 b)
{
	return a > b ? a : b;
}

INLINE int lowest(u32 mask)
{
	return __builtin_ctz(mask);
}

INLINE int highest(u32 mask)
{
	return 31 - __builtin_clz(mask);
}

INLINE u64 high_product(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> 64);
}

/* Ceiling of 2^64/n: with it a number below 2^61 is divided by multiplying. n = 1 is 2^64 itself. */
static const u64 reciprocal[9] = {
	0, 0, 1ull << 63, U64_MAX / 3 + 1, 1ull << 62, U64_MAX / 5 + 1, U64_MAX / 6 + 1,
	U64_MAX / 7 + 1, 1ull << 61,
};

INLINE u64 divided(u64 sum, u32 count)
{
	return count == 1 ? sum : high_product(sum, reciprocal[count]);
}

/* The unit is ns or us; us are floored. */
static inline void make_table(struct table *table, const struct state *states, u32 count, u32 hz,
			      bool nanoseconds)
{
	u64 unit = nanoseconds ? 1 : NS_PER_US;

	memset(table, 0, sizeof(*table));
	table->count = count;
	table->few = count <= FEW_STATES;
	for (u32 i = 0; i < count; i++) {
		table->exit[i] = states[i].exit_ns / unit;
		table->residency_ns[i] = states[i].residency_ns;
		table->residency[i] = states[i].residency_ns / unit;
		table->polling |= (states[i].polling ? 1u : 0u) << i;
		table->few &= (table->exit[i] | table->residency[i]) < TABLE_END;
	}
	for (u32 i = 0; table->few && i < FEW_STATES; i++) {
		table->few_exits[i] = (s32)table->exit[i];
		table->few_residencies[i] = i < count ? (s32)table->residency[i] : INT32_MAX;
	}
	table->tick_ns = (NS_PER_SEC + hz / 2) / hz;
	table->tick = nanoseconds ? table->tick_ns : (US_PER_SEC + hz / 2) / hz;
}

/* The state entered after `selected`. */
INLINE u32 entered_state(const struct row *row, u32 selected)
{
	return (row->entered == AS_SELECTED ? selected : row->entered) % 16;
}

/* Polling ended by its time limit: of another state than that recorded, this says nothing. */
INLINE bool limit_holds(const struct row *row, u32 entered)
{
	return row->poll_time_limit && (row->entered != AS_SELECTED || row->recorded == entered);
}

/*
 * Decides rows one after the other. memory: MEMORY_SIZE bytes, all zero at boot, in which a governor
 * keeps what it knows from one call to the next. It is the same whatever the code that runs: for a
 * release's features or for any, for one table or for several. made: NULL where there are rows; else
 * what makes them, one after the other, in the place of the first, until there are no more.
 */
typedef void replay_fn(const u32 *features, const struct table *table, void *memory,
		       const struct row *rows, size_t row_count, struct decision *decisions,
		       struct estimate *made);

/* Makes the next row; false if there is none. Then says what became of its decision. */
bool estimate_begin(struct estimate *estimate);
void estimate_end(struct estimate *estimate, struct decision decision);

INLINE bool has_row(struct estimate *made, size_t at, size_t row_count)
{
	return made ? estimate_begin(made) : at < row_count;
}

/* Tells a governor what became of its last decision, which was replayed as rejected. */
typedef void finish_fn(const u32 *features, const struct table *table, void *memory,
		       const struct row *row, u32 selected);

/* Fills in nothing and returns NULL if no release has these features. */
replay_fn *menu_specialised(const u32 *features), *teo_specialised(const u32 *features);
/* Before the first row: the last idle period under another governor; state -1, there was none. */
typedef void switched_on_fn(const u32 *features, const struct table *table, void *memory, int state,
			    u64 residency_ns);

replay_fn menu_any, teo_any, ladder_any, haltpoll_any;
finish_fn menu_finish, teo_finish, ladder_finish;

/* After an idle period: whether its state is selected again and again as long as all are like it. */
typedef bool settled_fn(const u32 *features, const struct table *table, const void *memory,
			const struct row *row);
/* Whether two memories are, but for where a ring begins. */
typedef bool same_fn(const void *memory, const void *other);
/* How an idle period compares with a table: where that is equal, so is all that a governor does. 0:
 * cannot tell. AVERAGED: what is MEASURED may be averaged with that of other decisions. ONE_TIMER: only
 * as long as the next timer is the same. */
#define ONE_TIMER (1ull << 63)
#define AVERAGED (1ull << 62)
#define MEASURED (0xfffull << STATES_MAX)
typedef u64 look_fn(const u32 *features, const struct table *table, const struct row *row,
		    u32 selected);
same_fn menu_same;
settled_fn menu_settled;
look_fn menu_look, teo_look;
switched_on_fn menu_switched_on, teo_switched_on, ladder_switched_on;

/*
 * Several tables over one trace: STATES_MAX places for states each, of which counts[] are filled.
 * memories: MEMORY_SIZE bytes per table. decisions: an array per table. allowed: the highest level
 * of instructions to use.
 */
struct sweep {
	const u32 *features;
	const struct state *states;
	const u32 *counts;
	u32 tables, hz;
	char *memories;
	const struct row *rows;
	size_t row_count;
	struct decision *const *decisions;
	int allowed;
};
typedef void sweep_fn(const struct sweep *sweep);
/* Returns whether lanes decided; false: the tables were taken one by one. */
typedef bool swept_fn(const struct sweep *sweep);
swept_fn menu_sweep, teo_sweep, ladder_sweep;

/* Tables taken through the rows together. */
#define TOGETHER 32

/* Whether all times of the tables are. */
bool fits_below(const struct sweep *sweep, u64 end);

/* some: lanes, for TOGETHER tables at most, or NULL. */
bool sweep_by(const struct sweep *sweep, sweep_fn *some, replay_fn *one, bool nanoseconds);
const char *instruction_set(void);

/* A feature the core knows, and its texts by their numbers, NULL behind the last; else NULL. */
struct feature {
	const char *name;
	const char *const *texts;
};
/* Each ends with an entry without name. */
extern const struct feature menu_known[], teo_known[], ladder_known[], haltpoll_known[];

#endif
