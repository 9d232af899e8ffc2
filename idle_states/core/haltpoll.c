/* haltpoll: state 0 polls, state 1 halts; how long to poll adapts. The module's defaults. */
#include "core.h"

#define HALTPOLL_FEATURES(X) X(nanoseconds) X(shrinks_to_zero)
#define HALTPOLL_FIELD(name) u32 name;
#define HALTPOLL_NAME(name) #name,
#define MAX_NS 200000
#define GROW 2
#define GROW_START_NS 50000
#define SHRINK 2

struct haltpoll_features {
	HALTPOLL_FEATURES(HALTPOLL_FIELD)
};

const char *const haltpoll_names[] = {HALTPOLL_FEATURES(HALTPOLL_NAME) NULL};

void haltpoll_any(const u32 *features, const struct state *states, u32 count, u32 hz,
		  const struct row *rows, size_t row_count, struct decision *decisions)
{
	struct haltpoll_features f;
	struct table t;
	u64 limit = 0, blocked;
	u32 last = 0;
	bool timed_out = false;

	memcpy(&f, features, sizeof(f));
	make_table(&t, states, count, hz, true);
	for (size_t i = 0; i < row_count; i++) {
		const struct row *row = &rows[i];
		bool as_selected = row->entered == AS_SELECTED;
		bool halts = row->latency_req_us != 0 && (limit == 0 || (last == 0 && timed_out));

		decisions[i] = (struct decision){halts, halts};
		if (row->rejected)
			continue;
		last = as_selected ? halts : row->entered;
		/* Only polling writes the flag: it outlives idles in other states. */
		if (last < count && t.polling >> last & 1)
			timed_out = row->poll_time_limit;
		if (last == 0)
			continue;
		blocked = row->residency_ns;
		if (!f.nanoseconds)
			blocked = blocked / NS_PER_US * NS_PER_US;
		if (limit < blocked && blocked <= MAX_NS) {
			limit = least(greatest(limit * GROW, GROW_START_NS), MAX_NS);
		} else if (blocked > MAX_NS) {
			limit /= SHRINK;
			if (f.shrinks_to_zero && limit < GROW_START_NS)
				limit = 0;
		}
	}
}
