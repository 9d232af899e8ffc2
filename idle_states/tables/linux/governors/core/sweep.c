/* Several tables over one trace, see core.h: in lanes, or one after the other. */
#include "core.h"

bool fits_below(const struct sweep *sweep, u64 end)
{
	for (u32 i = 0; i < sweep->tables; i++)
		for (u32 state = 0; state < sweep->counts[i]; state++) {
			const struct state *one = &sweep->states[i * STATES_MAX + state];

			if (one->exit_ns >= end || one->residency_ns >= end)
				return false;
		}
	return true;
}

bool sweep_by(const struct sweep *sweep, sweep_fn *some, replay_fn *one, bool nanoseconds)
{
	u32 step = some ? TOGETHER : 1;

	for (u32 i = 0; i < sweep->tables; i += step) {
		struct sweep part = *sweep;
		struct table table;

		part.states += i * STATES_MAX;
		part.counts += i;
		part.tables = (u32)least(sweep->tables - i, step);
		part.memories += i * MEMORY_SIZE;
		part.decisions += i;
		if (some) {
			some(&part);
			continue;
		}
		make_table(&table, part.states, *part.counts, part.hz, nanoseconds);
		one(part.features, &table, part.memories, part.rows, part.row_count,
		    *part.decisions, NULL);
	}
	return some;
}
