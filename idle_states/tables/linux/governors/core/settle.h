/* Equal idle periods from boot on, as linux/governors/settling.py describes them. */
#ifndef IDLE_STATES_SETTLE_H
#define IDLE_STATES_SETTLE_H

#include "core.h"

#define SETTLING 256
#define OBSERVED 64

/* What all periods share. */
struct circumstances {
	u64 tick_stopped, timer_driven, limit_us, wake_ns, disabled;
};

/* An idle period's length, and the time to the next timer where that does not end it. */
struct length {
	u64 idle_ns, next_timer_ns;
};
_Static_assert(sizeof(struct circumstances) == 40 && sizeof(struct length) == 16, "as packed");

struct settle {
	const u32 *features;
	const struct table *table;
	const struct circumstances *fixed;
	replay_fn *run;
	finish_fn *finish;
	settled_fn *settled; /* or NULL */
	same_fn *same;       /* or NULL */
	look_fn *look;       /* or NULL, and with a history */
	void *memory; /* to work in */
	const struct row *history; /* idle periods before the first one of the length */
	size_t history_count;
};

/* The states selected for each length once settled, OBSERVED of them. */
void settle(const struct settle *s, const struct length *lengths, size_t count, u8 *states);

#endif
