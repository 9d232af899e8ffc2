/* An idle period of a trace. */
#ifndef IDLE_STATES_PERIOD_H
#define IDLE_STATES_PERIOD_H

#include "core.h"

struct period {
	u64 start_ns, end_ns;
	u32 state;
	u16 cpu;
	u8 miss;    /* enum verdict, of its cpu_idle_miss; FITS: there was none */
	u8 settles; /* followed for what the governor remembers of it, and not counted */
};
_Static_assert(sizeof(struct period) == 24, "as packed");

#endif
