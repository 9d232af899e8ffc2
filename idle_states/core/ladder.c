/* ladder: up one state after four good idles, down one after a bad one. */
#include "core.h"

#define LADDER_FEATURES(X) X(skips_polling) X(nanoseconds)
#define LADDER_FIELD(name) u32 name;
#define LADDER_NAME(name) #name,
#define PROMOTIONS 4

struct ladder_features {
	LADDER_FEATURES(LADDER_FIELD)
};

const char *const ladder_names[] = {LADDER_FEATURES(LADDER_NAME) NULL};

void ladder_any(const u32 *features, const struct state *states, u32 count, u32 hz,
		const struct row *rows, size_t row_count, struct decision *decisions)
{
	struct ladder_features f;
	struct table t;
	u32 promotions[16 + 1] = {0};
	u32 first, last;
	u64 residency = 0, per_us;

	memcpy(&f, features, sizeof(f));
	make_table(&t, states, count, hz, f.nanoseconds);
	per_us = f.nanoseconds ? NS_PER_US : 1;
	first = last = f.skips_polling && t.polling & 1;
	for (size_t i = 0; i < row_count; i++) {
		const struct row *row = &rows[i];
		u64 latency = row->latency_req_us * per_us;
		/* Unsigned: what is shorter than the exit latency counts as endless. */
		u64 remainder = residency - t.exit[last];
		u32 state = last, entered;
		bool promotes = last + 1 < count && !(row->disabled >> (last + 1) & 1) &&
				remainder > (last >= first ? t.exit[last] : 0) &&
				t.exit[last + 1] <= latency;

		if (latency == 0) {
			promotions[last] = 0;
			state = 0;
		} else if (promotes && ++promotions[last] >= (last >= first ? PROMOTIONS : 0)) {
			promotions[last] = 0;
			state = last + 1;
		} else if (last > first) {
			if (row->disabled >> last & 1 || t.exit[last] > latency) {
				promotions[last] = 0;
				do
					state--;
				while (state > first && t.exit[state] > latency);
			} else if (remainder < t.exit[last]) {
				promotions[last] = 0;
				state--;
			}
		}
		last = state;
		decisions[i] = (struct decision){(u8)state, 1};
		residency = 0;
		if (!row->rejected) {
			residency = f.nanoseconds ? row->residency_ns : row->residency_ns / NS_PER_US;
			entered = (row->entered == AS_SELECTED ? state : row->entered) % 16;
			if (entered > 0)
				last = entered;
		}
	}
}
