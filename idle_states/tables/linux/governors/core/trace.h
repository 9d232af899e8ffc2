/* Idle events in trace text; see traces/text.py. */
#ifndef IDLE_STATES_TRACE_H
#define IDLE_STATES_TRACE_H

#include "core.h"

#define CPU_LAST 8191
#define EXIT (-1)
#define LOST (-2)
#define MISS (-3)
#define UNUSUAL INT64_MIN

/*
 * what: a state entered, EXIT, LOST (ns is how many), MISS - 2 * state for type above and one less for below; UNUSUAL: the
 * line is not of a plain form, and ns is where it begins. line: from 0 on.
 */
struct event {
	s64 what;
	u64 ns;
	u32 line;
	u16 cpu;
	bool coarse; /* the time has six decimals */
};

/*
 * events: as many as needed, to be freed. coarse: of any event. unusual: whether there are such. Of
 * the part at hand: whether it has what is no ASCII text, PERF_RECORD_LOST, none of both nor anything
 * else that an other event's line may not have. second_*: the last whole second read, with its text up
 * to the point.
 */
struct scan {
	struct event *events;
	size_t room, count;
	u32 lines;
	bool coarse, unusual;
	bool odd_bytes, losses, quiet;
	const char *text;
	u64 second_text, second_mask, second_ns;
	u32 second_digits;
};

/* Reads whole lines; the last newline may have been cut off. Returns false without memory. */
bool scan_events(struct scan *scan, const char *text, size_t length);

#endif
