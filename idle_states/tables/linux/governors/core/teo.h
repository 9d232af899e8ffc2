/* teo's features, those of TeoFeatures, and what its two generations share. */
#ifndef IDLE_STATES_TEO_H
#define IDLE_STATES_TEO_H

#include "core.h"
#include "teo_features.h"

/* Code for the features of some releases. */
struct teo_era {
	struct teo_features features;
	replay_fn *run;
};

#define PULSE 1024
#define DECAY_SHIFT 3
#define RECENT 9
#define SHORT_NS 15000
#define UTILISED_SHIFT 6
#define TIGHT_NS (SHORT_NS / 2)
#define INTERVALS 8
#define RING_MAX 16

/* One finished idle, as teo learns from it; see teo_table.py. */
struct wakeup {
	s64 sleep_length, time_span;
	u64 residency;
	u32 state;
	bool safety_net, got_tick, poll_limit;
};

/* Keeps what select remembers until the idle is over. */
struct pending {
	struct wakeup wakeup;
	bool unlearnt;
	s64 sleep_length;
	u64 selected_ns;
};

/* A metric of all bins: below 2^14, for an eighth decays. Those beyond the table stay 0. */
typedef u16 by_bin __attribute__((vector_size(32)));

/* How the last row compares with the states, a bit each; slower: than its latency limit. */
struct compared {
	u32 fits, slower, latency_req_us;
};

INLINE void finish(struct pending *p, const struct row *row, const struct table *t,
			  bool is_signed, u32 selected)
{
	bool far = is_signed ? p->sleep_length > (s64)t->tick_ns
			     : (u64)p->sleep_length > t->tick_ns;
	u32 entered = entered_state(row, selected);
	bool limit = limit_holds(row, entered);
	bool net = limit | ((row->got_tick != 0) & far);

	if (row->rejected)
		return;
	p->unlearnt = true;
	p->wakeup.sleep_length = p->sleep_length;
	p->wakeup.time_span =
		net ? p->sleep_length : (s64)(row->reflect_clock_ns - p->selected_ns);
	p->wakeup.residency = row->residency_ns;
	p->wakeup.state = entered;
	p->wakeup.safety_net = net;
	p->wakeup.got_tick = row->got_tick;
	p->wakeup.poll_limit = limit;
}

INLINE void learn_from(struct pending *p, int state, u64 residency_ns)
{
	p->unlearnt = state >= 0;
	p->wakeup.residency = residency_ns;
	p->wakeup.state = (u32)state % 16;
}

/* The states that suit the next timer and what was measured, and other comparisons: of the latter with
 * the tick in two bits, and the rest in eight. */
INLINE u32 looked(u32 timer, u32 measured, u32 tick, u32 rest)
{
	return timer | measured << STATES_MAX | tick << 2 * STATES_MAX | rest << (2 * STATES_MAX + 2);
}

#endif
