/*
 * menu, several tables over one trace: what a table per lane remembers, and predicts. Included by
 * menu_sweep.h, once per instruction set that has lanes.
 */
#include "lanes.h"

/* What is the same for all tables. Times are in the release's unit. */
struct LEVELED(common) {
	const struct menu_features *features;
	const struct row *row; /* to be decided */
	s64 next_timer;
	double timer, per_timer, per_timer_less; /* see LEVELED(floored): RESOLUTION by the timer */
	double per_factor;           /* the timer in us, by a factor's unit */
	double event, far_event;     /* far: as unsigned numbers, of which negative ones are endless */
	double requested, tick, half_tick, longest_exit;
	u32 states, divisor; /* states: of the longest table */
	u32 bucket, far_bucket;
	u32 next, odd; /* odd: samples until all are small again */
	u32 disabled;  /* which the entries are for */
};

/*
 * Tables as the search for the deepest state that fits goes through them: one entry after the other,
 * as long as they fit. A state switched off is entered as the one before it, which fits where that
 * does, and the first ones as the first that is not, which is taken whether it fits or not.
 */
struct LEVELED(entry) {
	vec state;
	numbers residency, exit; /* -1 behind the last */
	/* The greatest residency so far, the greatest exit latency, and of both; ABSENT behind. */
	numbers deepest, slowest, most;
};
#define ENTRIES (STATES_MAX + 1)

struct LEVELED(lanes) {
	/* Memory. */
	numbers ring[INTERVALS], sum, squares, factors[2 * BINS];
	numbers entered_exit, predicted; /* predicted: for the row to be decided */
	vec entered, asked;              /* asked: a mask */
	/* The tables. */
	vec present, polling; /* bit n: state n; of polling, bit 63 - n */
	vec early_stops;      /* 1 << 8 where state 0 does not poll */
	numbers second;       /* residency of state 1, ABSENT if there is none */
	struct LEVELED(entry) entries[ENTRIES];
	struct LEVELED(entry) *without_zero, *mixed; /* where state 0 may be skipped */
	numbers exit[16], residency[16]; /* by state */
};

/* About 17 s: sums of eight squares stay below 2^52, where doubles are exact. */
#define MAX_SMALL (1ll << 34) /* in ns */
#define SMALL_US (1ll << 24)
#define ENDLESS 0x1p63
#define ABSENT (2 * ENDLESS)
/*
 * A floored quotient: half of what its fraction is at most is subtracted, and the rest rounded. Errors
 * of doubles do not reach the other half while the dividend is below 2^50.
 */
INLINE numbers LEVELED(floored)(numbers dividend, double divisor)
{
	return nearest(dividend * (1 / divisor) - (divisor - 1) / (2 * divisor));
}

/* Samples of which some are not small. */
static __attribute__((noinline)) numbers LEVELED(odd_samples)(const struct LEVELED(common) *c,
							      numbers measured, vec asked)
{
	const s64 per_us = c->features->nanoseconds ? NS_PER_US : 1;
	numbers samples;

	for (int lane = 0; lane < LANES; lane++) {
		s64 timer = asked[lane] ? c->next_timer : KTIME_MAX;
		/* What was idled is below; a timer of as much is not exact as a double. */
		s64 exactly = measured[lane] >= 0x1p52 ? timer : (s64)measured[lane];

		samples[lane] = (u32)(exactly / per_us);
	}
	return samples;
}

/* odd: some sample was not small before. */
INLINE void LEVELED(push_lanes)(struct LEVELED(lanes) *m, u32 next, bool odd, numbers sample)
{
	numbers old = m->ring[next];

	m->sum += sample - old;
	m->squares += sample * sample - old * old;
	m->ring[next] = sample;
	if (UNLIKELY(odd)) {
		m->sum = m->squares = all(0);
		for (int i = 0; i < INTERVALS; i++) {
			m->sum += m->ring[i];
			m->squares += m->ring[i] * m->ring[i];
		}
	}
}

INLINE void LEVELED(push_unknown)(struct LEVELED(common) *c, struct LEVELED(lanes) *m, bool odd)
{
	LEVELED(push_lanes)(m, c->next, odd, all(UNKNOWN));
	c->odd = INTERVALS;
}

/* See LEVELED(alike). Quotients by 8 or less, and by 36, are made as in LEVELED(floored). */
INLINE vec LEVELED(alike_lanes)(const struct menu_features *f, numbers sum, numbers squares,
				numbers count, numbers *average)
{
	numbers mean = nearest(sum * inverse(count) - 7.0 / 16), square = mean * mean, bound, still;

	*average = mean;
	still = all(STILL_ALIKE + 1);
	/* A 36th of the square, rounded up. */
	bound = greatest_of(nearest((square + 35 / 2.0) * (1 / 36.0)), still);
	bound = choose(count >= FEW, bound, still);
	if (f->trims_both_ends)
		return squares < count * (bound + square);
	return squares - mean * (2 * sum - count * mean) < count * bound;
}

/* Of each lane in turn, from its ring. */
static __attribute__((noinline)) numbers LEVELED(typical_odd)(const struct menu_features *f,
							      const struct LEVELED(lanes) *m,
							      numbers timer_us)
{
	numbers answers;

	for (int lane = 0; lane < LANES; lane++) {
		struct LEVELED(menu) one;

		LEVELED(boot)(&one);
		for (int i = 0; i < INTERVALS; i++)
			LEVELED(push)(f, &one, (u32)m->ring[i][lane]);
		answers[lane] = LEVELED(typical)(f, &one, (u64)timer_us[lane]);
	}
	return answers;
}

INLINE numbers LEVELED(typical_lanes)(const struct menu_features *f,
				      const struct LEVELED(common) *c,
				      const struct LEVELED(lanes) *m, numbers timer_us)
{
	bool late = f->typical_unknown == TYPICAL_UNKNOWN_LATE && !f->trims_both_ends;
	numbers sum = m->sum, squares = m->squares, count = all(INTERVALS), average, less;
	numbers low = m->ring[0], high = m->ring[0], answer = all(UNKNOWN);
	numbers floor = all(-1), ceiling, dropped;
	vec open = all_of(-1);

	if (UNLIKELY(c->odd))
		return LEVELED(typical_odd)(c->features, m, timer_us);
	for (int i = 1; i < INTERVALS; i++) {
		high = greatest_of(high, m->ring[i]);
		if (late || f->trims_both_ends)
			low = least_of(low, m->ring[i]);
	}
	if (late)
		open = timer_us > low;
#pragma GCC unroll 3
	for (int round = 0; round < 3; round++) {
		vec alike = LEVELED(alike_lanes)(f, sum, squares, count, &average);
		vec ends = count <= FEW, kept = all_of(0);

		if (f->typical_unknown == TYPICAL_UNKNOWN_ZEROS)
			average = choose(high == 0, all(UNKNOWN), average);
		answer = choose(open & alike, average, answer);
		if (f->typical_maximum)
			answer = choose(open & ends & ~alike & (count >= INTERVALS / 2), high,
					answer);
		open &= ~(alike | ends);
		if (round == 2 || !any(open))
			break;
		/* Samples are dropped by moving a bound, so that equals go together. */
		dropped = ceiling = high;
		if (f->trims_both_ends) {
			vec takes_low = average - low > high - average;

			dropped = choose(takes_low, low, high);
			ceiling = choose(takes_low, high + 1, high);
			floor = choose(takes_low, low, floor);
			low = all(ENDLESS);
		}
		high = all(0);
		for (int i = 0; i < INTERVALS; i++) {
			numbers sample = m->ring[i];
			vec below = sample < ceiling;

			high = greatest_of(high, (numbers)(below & (vec)sample));
			if (f->trims_both_ends) {
				vec above = sample > floor;

				low = least_of(low, choose(above, sample, all(ENDLESS)));
				below &= above;
			}
			kept -= below;
		}
		less = count;
		count = number(kept);
		less = (less - count) * dropped;
		sum -= less;
		squares -= less * dropped;
	}
	return answer;
}

/* Where timers were asked: everywhere, before releases that look at the typical interval first. */
INLINE vec LEVELED(asked)(const struct menu_features *f, const struct LEVELED(lanes) *m)
{
	return f->typical_first ? m->asked : all_of(-1);
}

INLINE numbers LEVELED(timers)(const struct menu_features *f, const struct LEVELED(common) *c,
			       const struct LEVELED(lanes) *m)
{
	return choose(LEVELED(asked)(f, m), all(c->timer), all(ENDLESS));
}

/* What was idled in the row before, less waking up; then factors and samples. */
INLINE void LEVELED(catch_up_lanes)(const struct menu_features *f, struct LEVELED(common) *c,
				    struct LEVELED(lanes) *m, const struct row *row, bool odd)
{
	const s64 per_us = f->nanoseconds ? NS_PER_US : 1;
	const s64 small = f->nanoseconds ? MAX_SMALL : SMALL_US;
	s64 idled = (s64)row->residency_ns;
	numbers measured, sample, timer = LEVELED(timers)(f, c, m), share = all(0), was;
	numbers *factor = &m->factors[c->bucket], *far_factor = &m->factors[c->far_bucket];
	vec interesting, asked = LEVELED(asked)(f, m);
	bool limit = f->poll_limit && row->poll_time_limit;

	if (!f->nanoseconds)
		idled = (s64)least(row->residency_ns / NS_PER_US, INT32_MAX);
	measured = all(idled) - m->entered_exit;
	measured = choose(measured > m->entered_exit, measured, all(idled / 2));
	if (limit) {
		vec limited = has_bit(m->polling, m->entered);

		if (row->entered == AS_SELECTED)
			limited &= m->entered == row->recorded;
		measured = choose(limited, timer, measured);
	}
	if (f->tick_wakeup && row->got_tick)
		measured = choose(timer > c->tick, all(TICK_WAKEUP_US * per_us), measured);
	measured = least_of(measured, timer);

	interesting = measured < (double)(INTERESTING_US * per_us);
	if (c->next_timer == 0)
		interesting &= ~asked;
	else if (c->next_timer < 1ll << 36)
		share = nearest(measured * c->per_timer - c->per_timer_less);
	share = choose(interesting, (numbers)(asked & (vec)share), all(RESOLUTION));
	was = choose(asked, *factor, *far_factor);
	/* Less an eighth, floored. */
	was = nearest(was * (7 / 8.0) + 7 / 16.0) + share;
	/* One after the other: both may be the same bucket. */
	*factor = choose(asked, was, *factor);
	*far_factor = choose(asked, *far_factor, was);

	if (UNLIKELY(idled >= small || limit) && any(measured >= (double)small)) {
		sample = LEVELED(odd_samples)(c, measured, asked);
		c->odd = INTERVALS;
	} else {
		sample = f->nanoseconds ? LEVELED(floored)(measured, NS_PER_US) : measured;
	}
	LEVELED(push_lanes)(m, c->next, odd, sample);
}

/* Far timers corrected, in us. */
static __attribute__((noinline)) numbers LEVELED(predicted_far)(s64 per_us, s64 next_timer,
								numbers factor)
{
	numbers timer_us;

	for (int lane = 0; lane < LANES; lane++) {
		u64 product = (u64)factor[lane] * (u64)next_timer + UNITY * (u64)per_us / 2;

		timer_us[lane] = (u32)(product / (UNITY * (u64)per_us));
	}
	return timer_us;
}

/* The next timer corrected, in us. */
INLINE numbers LEVELED(predicted_lanes)(const struct menu_features *f,
					const struct LEVELED(common) *c,
					const struct LEVELED(lanes) *m)
{
	const s64 per_us = f->nanoseconds ? NS_PER_US : 1;
	numbers factor = m->factors[c->bucket];

	if (UNLIKELY(c->next_timer >= 1ll << 34))
		return LEVELED(predicted_far)(per_us, c->next_timer, factor);
	/* Rounded to the nearest, halves up: of what is floored, halves of UNITY remain. */
	return nearest(factor * c->per_factor + 0.5 / (double)(UNITY * per_us));
}

/* What follows of the next timer for all tables. */
INLINE void LEVELED(note_timer)(const struct menu_features *f, struct LEVELED(common) *c)
{
	const s64 per_us = f->nanoseconds ? NS_PER_US : 1;

	c->timer = (double)c->next_timer;
	c->per_timer = RESOLUTION / c->timer;
	c->per_timer_less = (c->timer - 1) / (2 * c->timer);
	c->per_factor = c->timer * (1 / (double)(UNITY * per_us));
}

/* What a row asks of all tables. */
INLINE void LEVELED(note)(const struct menu_features *f, struct LEVELED(common) *c,
			  const struct row *row)
{
	const s64 per_us = f->nanoseconds ? NS_PER_US : 1;
	s64 sleep = row->sleep_length_ns, event = row->delta_next_ns, far_event;

	c->row = row;
	c->requested = (double)(row->latency_req_us * (u64)per_us);
	c->divisor = LEVELED(divisor)(f, row);
	if (row->latency_req_us == 0 && !f->early_return)
		return;
	if (f->negative_is_zero && sleep < 0)
		sleep = event = 0;
	if (!f->nanoseconds)
		event /= NS_PER_US;
	else if (!f->signed_event && event < 0)
		event = INT64_MAX;
	far_event = f->nanoseconds ? (event < 0 ? INT64_MAX : event) : (s64)(u32)event;
	c->event = (double)event;
	c->far_event = (double)far_event;
	c->next_timer = f->nanoseconds ? sleep : (u32)(sleep / NS_PER_US);
	LEVELED(note_timer)(f, c);
	c->bucket = LEVELED(bin)((u64)c->next_timer, (u64)per_us);
	c->far_bucket = BINS - 1;
	if (f->iowait && row->nr_iowaiters) {
		c->bucket += BINS;
		c->far_bucket += BINS;
	}
}

/* Predicts for all lanes. */
INLINE void LEVELED(predict_lanes)(const struct menu_features *f, const struct LEVELED(common) *c,
				   struct LEVELED(lanes) *m)
{
	const double per_us = f->nanoseconds ? NS_PER_US : 1;
	numbers interval = all(0), timer_us;

	if (c->requested == 0 && !f->early_return)
		return;
	if (f->typical_first) {
		interval = LEVELED(typical_lanes)(f, c, m, all(UNKNOWN)) * per_us;
		if (f->long_bits == 32)
			interval = number(integer(interval) & U32_MAX);
		m->asked = interval > THRESHOLD_US * per_us;
		if (f->stopped_asks_timers && c->row->tick_stopped)
			m->asked = all_of(-1);
	}
	m->predicted = interval;
	if (!f->typical_first || any(m->asked)) {
		timer_us = LEVELED(predicted_lanes)(f, c, m);
		if (!f->typical_first)
			interval = LEVELED(typical_lanes)(f, c, m, timer_us) * per_us;
		timer_us = least_of(timer_us * per_us, interval);
		m->predicted = choose(LEVELED(asked)(f, m), timer_us, interval);
	}
}
