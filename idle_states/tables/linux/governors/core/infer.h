/* Inputs that traced decisions may have had; see lab/replay/inference.py, histories.py and placed.py. */
#ifndef IDLE_STATES_INFER_H
#define IDLE_STATES_INFER_H

#include "core.h"
#include "structs.h"

/* A table and its governor. boot: what the governor knows at the beginning. */
struct asked_table {
	const u32 *features;
	const struct state *states;
	const struct table *table;
	replay_fn *run;
	const void *boot;
	u32 limit_us, disabled;
};

struct traced_period {
	u64 start_ns, end_ns, state;
};

/*
 * tables: the traced one, then the others, `count` in all. timers: those that all periods have,
 * ascending. For each period: rows, unexplained (0 or 1); for each table the decisions of all
 * periods; for each other one the masks of states that are open.
 */
struct inference {
	const struct infer_setting *setting;
	const struct asked_table *tables;
	u32 count;
	const u64 *timers;
	u32 timer_count;
	const struct traced_period *periods;
	size_t period_count;
	struct row *rows;
	u8 *unexplained;
	struct decision *decisions;
	u16 *masks;
	u64 tick_ended, stopped;
};

/* States are of the traced table. Returns false without memory. */
bool infer(struct inference *inference);

#endif
