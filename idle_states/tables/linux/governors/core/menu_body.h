/*
 * menu, one table. Included once per instruction set, see levels.h.
 *
 * The typical interval is found without going through the window: its samples are kept sorted, with
 * their sum and the sum of their squares, from which each one dropped is subtracted. Conditions on a
 * floored quotient are turned into conditions on the dividend: floor(s / n) < c iff s < n * c.
 */
#include "beyond.h"

struct LEVELED(menu) {
	u32 sorted[INTERVALS];
	u32 ring[INTERVALS];
	u64 sum, squares; /* of the samples that count, mod 2^64 */
	u64 next_timer;
	u64 residency_ns; /* last, 0 after a rejection */
	u8 next, absent; /* absent: samples that do not count */
	u8 bucket, entered;
	bool booted, reflected, got_tick, poll_time_limit;
	u32 factors[2 * BINS]; /* the second half is of waits for input and output */
};
_Static_assert(sizeof(struct LEVELED(menu)) <= MEMORY_SIZE, "fits");
_Static_assert(offsetof(struct LEVELED(menu), factors[BINS]) == 128, "lines of a cache");

INLINE bool LEVELED(counts)(const struct menu_features *f, u32 sample)
{
	return f->trims_both_ends ? sample != UNKNOWN : sample <= f->typical_ceiling;
}

/* Sorted samples: one `old` out, `sample` in. */
INLINE void LEVELED(resort)(u32 *sorted, u32 old, u32 sample)
{
#if LEVEL >= 3
	const __m256i down = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
	const __m256i up = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
	const __m256i last = _mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, -1);
	const __m256i first = _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, 0);
	__m256i was = _mm256_loadu_si256((const __m256i *)sorted), out, rest, above;

	/* From the old sample's place on, each is replaced by its neighbour. */
	out = _mm256_set1_epi32((int)old);
	out = _mm256_cmpeq_epi32(_mm256_max_epu32(was, out), was);
	rest = _mm256_or_si256(_mm256_permutevar8x32_epi32(was, down), last);
	rest = _mm256_blendv_epi8(was, rest, out);
	/* Each place gets the middle one of its two candidates and the new sample. */
	above = _mm256_andnot_si256(first, _mm256_permutevar8x32_epi32(rest, up));
	above = _mm256_max_epu32(above, _mm256_set1_epi32((int)sample));
	_mm256_storeu_si256((__m256i *)sorted, _mm256_min_epu32(above, rest));
#else
	int place = 0;

	while (sorted[place] != old)
		place++;
	for (; place < INTERVALS - 1 && sorted[place + 1] < sample; place++)
		sorted[place] = sorted[place + 1];
	for (; place > 0 && sorted[place - 1] > sample; place--)
		sorted[place] = sorted[place - 1];
	sorted[place] = sample;
#endif
}

INLINE void LEVELED(push)(const struct menu_features *f, struct LEVELED(menu) *m, u32 sample)
{
	u32 old = m->ring[m->next];

	LEVELED(resort)(m->sorted, old, sample);
	if (LEVELED(counts)(f, old)) {
		m->sum -= old;
		m->squares -= (u64)old * old;
	} else {
		m->absent--;
	}
	if (LEVELED(counts)(f, sample)) {
		m->sum += sample;
		m->squares += (u64)sample * sample;
	} else {
		m->absent++;
	}
	m->ring[m->next] = sample;
	m->next = (m->next + 1) % INTERVALS;
}

/* Whether `count` samples are alike; *average is set. */
INLINE bool LEVELED(alike)(const struct menu_features *f, u64 sum, u64 squares, u32 count,
			   u64 *average)
{
	u64 mean = count == INTERVALS ? sum >> 3 : divided(sum, count);
	u64 square = mean * mean;
	u64 bound = STILL_ALIKE + 1;

	*average = mean;
	/* 36 * variance < square iff variance < square / 36, rounded up. */
	if (f->typical_deviation) {
		/* 6 * the variance's floored root < mean iff variance < (mean / 6, rounded up)^2. */
		u64 sixth = mean / 6 + (mean % 6 != 0);
		bound = (STILL_ALIKE_DEVIATION + 1) * (STILL_ALIKE_DEVIATION + 1);
		if (count >= FEW)
			bound = greatest(bound, sixth * sixth);
		if (f->long_bits == 32)
			bound = least(bound, 1ull << 32);
	} else if (count >= FEW) {
		bound = greatest(bound, square / 36 + (square % 36 != 0));
	}
	if (!f->trims_both_ends)
		return squares - 2 * mean * sum + count * square < count * bound;
	/* The mean of the squares is cut at 64 bits before it is divided. */
	return squares / count - square < bound;
}

/* How many samples equal this one. */
INLINE u32 LEVELED(equal)(const u32 *sorted, u32 sample)
{
#if LEVEL >= 3
	__m256i eight = _mm256_loadu_si256((const __m256i *)sorted);
	__m256i same = _mm256_cmpeq_epi32(eight, _mm256_set1_epi32((int)sample));
	return (u32)__builtin_popcount(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
#else
	u32 count = 0;
	for (int i = 0; i < INTERVALS; i++)
		count += sorted[i] == sample;
	return count;
#endif
}

/*
 * The typical interval of eight samples that count, by dropping the greatest. There are three rounds
 * at most, for six samples or less are the end.
 */
INLINE u32 LEVELED(typical_of_eight)(const struct menu_features *f, const u32 *sorted, u64 sum,
				     u64 squares, u64 timer_us)
{
	u32 count = INTERVALS;

	if (f->typical_unknown == TYPICAL_UNKNOWN_LATE && sorted[0] >= timer_us)
		return UNKNOWN;
	for (int round = 0; round < 3; round++) {
		u32 top = sorted[count - 1], dropped;
		u64 average;

		if (f->typical_unknown == TYPICAL_UNKNOWN_ZEROS && top == 0)
			return UNKNOWN;
		if (LEVELED(alike)(f, sum, squares, count, &average))
			return (u32)average;
		if (count <= FEW)
			return f->typical_maximum && count >= INTERVALS / 2 ? top : UNKNOWN;
		/* Never all: equal ones are alike. */
		dropped = LEVELED(equal)(sorted, top);
		sum -= (u64)dropped * top;
		squares -= (u64)dropped * top * top;
		count -= dropped;
	}
	__builtin_unreachable();
}

/* Whether samples from the least to the greatest one have no typical interval at all. */
INLINE bool LEVELED(is_unknown)(const struct menu_features *f, u32 least_one, u32 greatest_one,
				u64 timer_us)
{
	switch (f->typical_unknown) {
	case TYPICAL_UNKNOWN_LATE:
		return least_one >= timer_us;
	case TYPICAL_UNKNOWN_ZEROS:
		return greatest_one == 0;
	case TYPICAL_UNKNOWN_NONE:
	default:
		return false;
	}
}

INLINE u32 LEVELED(typical)(const struct menu_features *f, const struct LEVELED(menu) *m,
			    u64 timer_us)
{
	u32 low = 0, high = INTERVALS - m->absent; /* sorted[low .. high - 1] are considered */
	u64 sum = m->sum, squares = m->squares, average;
	const u32 *sorted = m->sorted;

	if (high == 0)
		return UNKNOWN;
	if (!f->trims_both_ends && high == INTERVALS)
		return LEVELED(typical_of_eight)(f, sorted, sum, squares, timer_us);
	for (;;) {
		u32 least_one, greatest_one, dropped;

		least_one = sorted[low];
		greatest_one = sorted[high - 1];
		if (LEVELED(is_unknown)(f, least_one, greatest_one, timer_us))
			return UNKNOWN;
		if (LEVELED(alike)(f, sum, squares, high - low, &average))
			return (u32)average;
		if (high - low <= FEW) {
			bool enough = f->typical_maximum && high - low >= INTERVALS / 2;
			return enough ? greatest_one : UNKNOWN;
		}
		if (f->trims_both_ends && (s64)average - least_one > (s64)greatest_one - (s64)average) {
			dropped = least_one;
			do {
				sum -= dropped;
				squares -= (u64)dropped * dropped;
				low++;
			} while (low < high && sorted[low] == dropped);
		} else {
			dropped = greatest_one;
			do {
				sum -= dropped;
				squares -= (u64)dropped * dropped;
				high--;
			} while (low < high && sorted[high - 1] == dropped);
		}
		if (low == high)
			return UNKNOWN;
	}
}

/* What an idle period teaches. */
INLINE u64 LEVELED(measured)(const struct menu_features *f, const struct table *t,
			     const struct LEVELED(menu) *m)
{
	u64 per_us = f->nanoseconds ? NS_PER_US : 1, exit_latency = t->exit[m->entered];
	u64 measured = m->residency_ns;

	if (f->tick_wakeup && m->got_tick && m->next_timer > t->tick)
		return least(TICK_WAKEUP_US * per_us, m->next_timer);
	if (f->poll_limit && m->poll_time_limit && t->polling >> m->entered & 1)
		return m->next_timer;
	if (!f->nanoseconds)
		measured = least(measured / NS_PER_US, INT32_MAX);
	if (f->halves_short)
		measured = measured > 2 * exit_latency ? measured - exit_latency : measured / 2;
	else if (measured > exit_latency)
		measured -= exit_latency;
	return least(measured, m->next_timer);
}

/* Its part of the time to the next timer. */
INLINE u32 LEVELED(share)(const struct menu_features *f, u64 measured, u64 next_timer)
{
	if (next_timer > 0 && measured < INTERESTING_US * (f->nanoseconds ? NS_PER_US : 1))
		return (u32)(RESOLUTION * measured / next_timer);
	return RESOLUTION;
}

INLINE void LEVELED(catch_up)(const struct menu_features *f, const struct table *t,
			      struct LEVELED(menu) *m)
{
	u64 measured;
	u32 factor;

	if (!m->reflected) {
		if (f->rejected_is_unknown && m->residency_ns == 0)
			LEVELED(push)(f, m, UNKNOWN);
		return;
	}
	m->reflected = false;
	measured = LEVELED(measured)(f, t, m);
	factor = m->factors[m->bucket];
	m->factors[m->bucket] =
		factor - factor / DECAY + LEVELED(share)(f, measured, m->next_timer);
	LEVELED(push)(f, m, (u32)((s64)measured / (s64)(f->nanoseconds ? NS_PER_US : 1)));
}

/* The typical interval where it does not depend on the next timer. */
INLINE u64 LEVELED(first_typical)(const struct menu_features *f, const struct LEVELED(menu) *m)
{
	u64 interval = LEVELED(typical)(f, m, UNKNOWN) * (u64)(f->nanoseconds ? NS_PER_US : 1);

	return f->long_bits == 32 ? (u32)interval : interval;
}

/* The lesser of the next timer, corrected, and the typical interval, which may be known. */
INLINE u64 LEVELED(predict)(const struct menu_features *f, const struct LEVELED(menu) *m, u32 factor,
			    u64 interval)
{
	u64 per_us = f->nanoseconds ? NS_PER_US : 1;
	u64 product = m->next_timer * factor + UNITY * per_us / 2;
	u32 timer_us = (u32)(product / (UNITY * per_us));
	u64 predicted = timer_us * per_us;

	if (!f->typical_first)
		interval = LEVELED(typical)(f, m, timer_us) * per_us;
	return interval < (f->typical_replaces ? m->next_timer : predicted) ? interval : predicted;
}

INLINE u32 LEVELED(bin)(u64 next_timer, u64 per_us)
{
	return (u32)(next_timer >= 10 * per_us) + (next_timer >= 100 * per_us) +
	       (next_timer >= 1000 * per_us) + (next_timer >= 10000 * per_us) +
	       (next_timer >= 100000 * per_us);
}

INLINE u32 LEVELED(divisor)(const struct menu_features *f, const struct row *row)
{
	u64 divisor = 1;

	if (f->load)
		divisor += 2 * ((row->load >> 11) * 10 + ((row->load & 2047) * 100 >> 11) / 10);
	if (f->iowait)
		divisor += 10 * (u64)row->nr_iowaiters;
	return (u32)divisor;
}

INLINE struct decision LEVELED(select)(const struct menu_features *f, const struct table *t,
				       struct LEVELED(menu) *m, const struct row *row)
{
	u64 per_us = f->nanoseconds ? NS_PER_US : 1;
	u32 enabled = ~(u32)row->disabled & ((1u << t->count) - 1);
	u64 requested = row->latency_req_us * per_us, latency = requested;
	bool stopped = row->tick_stopped, waiting = row->nr_iowaiters, asks = true, settled = false;
	bool keeps = f->io_waiters == IO_WAITERS_TICK && waiting && !stopped;
	u64 interval = 0, predicted, next_timer;
	u32 deep, slow, found, bad, below;
	int state = -1, first = 0, end;
	s64 delta;

	LEVELED(catch_up)(f, t, m);
	if (requested == 0 && !f->early_return)
		return (struct decision){0, !f->decides_tick};

	/* What is to come. */
	if (f->typical_first) {
		interval = LEVELED(first_typical)(f, m);
		asks = interval > THRESHOLD_US * per_us || (f->stopped_asks_timers && stopped);
	}
	if (asks) {
		s64 sleep = row->sleep_length_ns;
		delta = row->delta_next_ns;
		if (f->negative_is_zero && sleep < 0)
			sleep = delta = 0;
		next_timer = f->nanoseconds ? (u64)sleep : (u32)(sleep / NS_PER_US);
		if (!f->nanoseconds)
			delta /= NS_PER_US;
		else if (!f->signed_event && delta < 0)
			delta = INT64_MAX; /* unsigned, and no residency is more */
	} else {
		next_timer = KTIME_MAX;
		delta = (s64)(t->tick / 2);
	}
	m->next_timer = next_timer;
	m->bucket = LEVELED(bin)(next_timer, per_us) + (f->iowait && row->nr_iowaiters ? BINS : 0);
	predicted = asks ? LEVELED(predict)(f, m, m->factors[m->bucket], interval) : interval;

	/* State 0 whatever the prediction. */
	if (f->early_return) {
		bool excluded = t->count == 1 || requested == 0;
		if (!excluded && enabled & 1)
			excluded = next_timer < t->residency[1] || requested < t->exit[1];
		if (excluded)
			return (struct decision){0, !(f->early_tick == EARLY_TICK_KEEP || t->polling & 1)};
	}

	/* Its limits. */
	if (stopped && f->stopped_tick != STOPPED_TICK_NONE) {
		if (predicted < t->tick) {
			u64 event = f->nanoseconds ? (u64)delta : (u32)delta;
			if (f->stopped_tick == STOPPED_TICK_CAPPED)
				predicted = least(t->tick, event);
			else if (f->stopped_tick == STOPPED_TICK_EVENT)
				predicted = event;
			else if (f->stopped_tick == STOPPED_TICK_TIMER &&
				 (!f->stopped_margin || next_timer > 2 * t->tick))
				predicted = next_timer;
		}
	} else if (f->predicted_limit) {
		u32 divisor = LEVELED(divisor)(f, row);
		latency = least(latency, divisor == 1 ? predicted : predicted / divisor);
	}

	/* The deepest state that fits. */
	if ((f->polling_loop || (f->skips_polling && t->polling & 1)) && enabled & 2) {
		u64 far = greatest(POLLING_THRESHOLD_US * per_us, t->residency[1]);
		first = next_timer > far && requested > t->exit[1];
	}
	if (f->none_fits)
		state = next_timer > NEAR_TIMER_US && enabled & 1 ? 0 : -1;
	else if (!f->zero_disabled)
		state = first++;
	found = enabled & ~((1u << first) - 1);
	deep = LEVELED(beyond)(t->residency, predicted);
	slow = LEVELED(beyond)(t->exit, latency);
	bad = found & (deep | slow);
	if (!f->scan_stops) {
		below = found & ~(deep | slow);
		if (f->latency_first && found & slow)
			below &= (1u << lowest(found & slow)) - 1;
		end = -1;
	} else {
		end = bad ? lowest(bad) : -1;
		below = bad ? found & ((1u << end) - 1) : found;
	}
	if (f->io_waiters == IO_WAITERS_FIRST && waiting && below) {
		/* The first that does not poll; the search goes on to the next, and ends if that fits. */
		u32 deeper = below, enough;

		if (state < 0 && !f->none_fits)
			state = lowest(below);
		enough = state < 0 ? 0 : 1u << state;
		enough = (enough | below) & ~t->polling;
		if (enough) {
			deeper = below & ~((2u << lowest(enough)) - 1);
			if (state == lowest(enough))
				deeper = below;
			if (deeper)
				end = -1;
			below &= (2u << lowest(enough)) - 1;
		}
	}
	if (below)
		state = highest(below);
	else if (state < 0 && f->none_fits)
		return (struct decision){NO_STATE, 1};
	else if (state < 0)
		state = found ? lowest(found) : 0;
	if (end >= 0 && state >= 0 && !(f->latency_first && slow >> end & 1)) {
		u64 reached = t->residency[state], depth = t->residency[end];
		if (!(deep >> end & 1)) {
			if (f->latency_shortens)
				predicted = reached;
		} else if (f->polling_override && t->polling >> state & 1 && depth <= next_timer &&
			   (!f->override_in_limit || !(slow >> end & 1)) &&
			   (!f->override_in_time || t->exit[end] <= predicted) &&
			   (!f->override_short || depth < THRESHOLD_US * per_us)) {
			state = end;
			predicted = depth;
		} else if (f->shallow_escape && predicted >= t->tick) {
			if (!stopped) {
				predicted = reached;
			} else {
				if (reached < t->tick && (s64)depth <= delta)
					state = end;
				settled = true;
			}
		}
	}

	/* The tick. */
	if (!f->decides_tick || settled)
		return (struct decision){(u8)state, 1};
	if (!keeps && !(t->polling >> state & 1) && predicted >= t->tick)
		return (struct decision){(u8)state, 1};
	if (stopped && !f->stopped_shallower)
		return (struct decision){(u8)state, (u8)f->stopped_tick_stays};
	if (!f->nanoseconds)
		delta = (u32)delta;
	if (keeps && (s64)latency < delta)
		delta = (s64)latency;
	if ((s64)t->residency[state] > delta) {
		u32 shallower = enabled & ((1u << state) - 1), fit = 0;
		if (delta >= 0)
			fit = shallower & ~LEVELED(beyond)(t->residency, (u64)delta);
		if (fit)
			state = highest(fit);
		else if (shallower)
			state = lowest(shallower);
	}
	return (struct decision){(u8)state, 0};
}

INLINE void LEVELED(finished)(struct LEVELED(menu) *m, const struct row *row, u32 selected)
{
	if (row->entered == AS_SELECTED && selected == NO_STATE)
		return;
	m->reflected = !row->rejected;
	m->residency_ns = row->rejected ? 0 : row->residency_ns;
	if (!row->rejected) {
		m->entered = entered_state(row, selected);
		m->got_tick = row->got_tick;
		m->poll_time_limit = limit_holds(row, m->entered);
	}
}

INLINE void LEVELED(boot)(struct LEVELED(menu) *m)
{
	memset(m, 0, sizeof(*m));
	m->booted = true;
	for (int i = 0; i < 2 * BINS; i++)
		m->factors[i] = UNITY;
}

/* One table gains nothing from longer vectors; lanes, see menu_sweep.h, do. */
#if LEVEL < 4
INLINE void LEVELED(run)(const struct menu_features *f, const struct table *table, void *memory,
			 const struct row *rows, size_t row_count, struct decision *decisions,
			 struct estimate *made)
{
	struct LEVELED(menu) *restrict menu = memory;

	if (!menu->booted)
		LEVELED(boot)(menu);
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		decisions[i] = LEVELED(select)(f, table, menu, &rows[i]);
		if (made)
			estimate_end(made, decisions[i]);
		LEVELED(finished)(menu, &rows[i], decisions[i].state);
	}
}

static void LEVELED(run_any)(const u32 *features, const struct table *table, void *memory,
			     const struct row *rows, size_t row_count, struct decision *decisions,
			     struct estimate *made)
{
	LEVELED(run)((const struct menu_features *)features, table, memory, rows, row_count,
		     decisions, made);
}

#define ERA(name, ...)                                                                          \
	static void LEVELED(run_##name)(const u32 *features, const struct table *table,         \
					void *memory, const struct row *rows,                   \
					size_t row_count, struct decision *decisions,           \
					struct estimate *made)                                  \
	{                                                                                       \
		static const struct menu_features era = {__VA_ARGS__};                          \
		(void)features;                                                                 \
		LEVELED(run)(&era, table, memory, rows, row_count, decisions, made);            \
	}
MENU_ERAS(ERA)
#undef ERA

#define ERA(name, ...) {{__VA_ARGS__}, LEVELED(run_##name)},
static const struct menu_era LEVELED(eras)[] = {MENU_ERAS(ERA)};
#undef ERA

static replay_fn *LEVELED(specialised)(const u32 *features)
{
	for (size_t i = 0; i < sizeof(LEVELED(eras)) / sizeof(LEVELED(eras)[0]); i++)
		if (!memcmp(&LEVELED(eras)[i].features, features, sizeof(struct menu_features)))
			return LEVELED(eras)[i].run;
	return NULL;
}
#endif

#if LEVEL >= 3 || defined(BASELINE_LANES)
#include "menu_sweep.h"
#include "menu_groups.h"
#endif
