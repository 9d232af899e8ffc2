/* What the files of infer() share. */
#ifndef IDLE_STATES_INFER_RUN_H
#define IDLE_STATES_INFER_RUN_H

#include "infer.h"

#define OWN_TIMERS 4
#define AT_END 2
#define LIKELY_TIMERS 3
#define OFFERS_MAX 4

#define KINDS 6 /* of histories; histories.py describes them */

struct placed {
	size_t index;
	u64 start_ns, length_ns, to_tick_ns;
	u32 state, possible;
	bool crosses, at_tick, is_short, polled_out;
};

struct offer {
	bool stopped, loaded;
	u32 count;
	u16 *places;
};

/*
 * memories: a governor's for each table. places: of all its offers. offered: the history whose offers
 * it takes; NULL: nothing explains the period.
 */
struct history {
	char *memories;
	u16 *places;
	bool loaded, stopped;
	const struct history *offered;
	u32 offer_count;
	struct offer offers[OFFERS_MAX];
	s32 wins[STATES_MAX][2][2][2][LIKELY_TIMERS];
};

/* timers: those of the period at hand, then those of all. */
struct run {
	struct inference *in;
	u64 *timers;
	u32 timer_count, history_count;
	struct history histories[KINDS];
};

struct choice {
	bool stopped, loaded;
	u32 at; /* place of the timer */
};

INLINE bool tick_stops(const struct infer_setting *set, bool stop, bool stopped)
{
	return stop || stopped || !set->decides_tick;
}

INLINE char *memory_of(const struct history *h, u32 number)
{
	return h->memories + number * (size_t)MEMORY_SIZE;
}

/* A row, to whose timer set_timer() then gives its value. */
struct row row_of(const struct run *run, const struct placed *p, const struct asked_table *table,
		  bool stopped, bool loaded, bool got_tick);
void set_timer(struct row *row, const struct placed *p, u64 timer);

/* Decides a row; a governor that is only tried forgets it. */
struct decision kept(const struct asked_table *table, void *memory, const struct row *row);
struct decision tried(const struct asked_table *table, const void *memory, const struct row *row);

/* Finds the inputs that explain a period in one history. */
void find_offers(const struct run *run, struct history *h, const struct placed *p);

/* Histories that explain the period no more go on as one that does. Returns how many did. */
u32 resample(struct run *run);

/* What the history of this number takes of its offers. */
struct choice choose(struct run *run, u32 number, const struct placed *p);

#endif
