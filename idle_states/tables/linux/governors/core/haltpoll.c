/* haltpoll: state 0 polls, state 1 halts; how long to poll adapts. The module's defaults. */
#include "core.h"
#include "haltpoll_features.h"

#define MAX_NS 200000
#define GROW 2
#define GROW_START_NS 50000
#define SHRINK 2

const struct feature haltpoll_known[] = {HALTPOLL_KNOWN {NULL, NULL}};

struct haltpoll {
	u64 limit;
	u32 last;
	bool timed_out;
};
_Static_assert(sizeof(struct haltpoll) <= MEMORY_SIZE, "fits");

void haltpoll_any(const u32 *features, const struct table *t, void *memory,
		  const struct row *rows, size_t row_count, struct decision *decisions,
		  struct estimate *made)
{
	const struct haltpoll_features f = *(const struct haltpoll_features *)features;
	struct haltpoll h;

	memcpy(&h, memory, sizeof(h));
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		const struct row *row = &rows[i];
		bool halts = row->latency_req_us != 0 &&
			     (h.limit == 0 || (h.last == 0 && h.timed_out));
		u64 blocked;

		decisions[i] = (struct decision){halts, halts};
		if (made)
			estimate_end(made, decisions[i]);
		if (row->rejected)
			continue;
		h.last = row->entered == AS_SELECTED ? halts : row->entered;
		/* Only polling writes the flag: it outlives idles in other states. */
		if (h.last < t->count && t->polling >> h.last & 1)
			h.timed_out = limit_holds(row, h.last);
		if (h.last == 0)
			continue;
		blocked = row->residency_ns;
		if (!f.nanoseconds)
			blocked = blocked / NS_PER_US * NS_PER_US;
		if (h.limit < blocked && blocked <= MAX_NS) {
			h.limit = least(greatest(h.limit * GROW, GROW_START_NS), MAX_NS);
		} else if (blocked > MAX_NS) {
			h.limit /= SHRINK;
			if (f.shrinks_to_zero && h.limit < GROW_START_NS)
				h.limit = 0;
		}
	}
	memcpy(memory, &h, sizeof(h));
}
