/*
 * menu, several tables over one trace: a table per lane, so that what is the same for all of them
 * (timers, the time idled) is worked out once. Included once per instruction set that has lanes,
 * after menu_body.h, whose decisions these are; before menu_groups.h, which goes through the rows.
 *
 * Samples of a quarter of a minute or more, unknown ones, and timers that far are rare: for these, a lane at
 * a time is asked of the code for one table.
 */
#include "lanes.h"

struct LEVELED(lanes) {
	vec exit[16], residency[16]; /* by state */
	vec present, polling;        /* bit n: state n */
	/* Memory. */
	vec ring[INTERVALS], sorted[INTERVALS], sum, squares, factors[2 * BINS];
	vec entered, entered_exit;
	vec entered_polls, asked; /* masks */
	vec predicted;            /* for the row to be decided */
	s64 next_timer, tick;
	u32 states, next, odd; /* odd: samples until all are small again */
	u32 bucket, far_bucket;
};

/* About 17 s: sums of eight squares stay below 2^52, where doubles are exact. */
#define MAX_SMALL (1ll << 34) /* in ns */
#define SMALL_US (1ll << 24)

/*
 * A floored quotient: half of what its fraction is at most is subtracted, and the rest rounded. Errors
 * of doubles do not reach the other half while the dividend is below 2^50.
 */
INLINE vec LEVELED(floored)(double_vec dividend, double divisor)
{
	return whole(dividend * (1 / divisor) - (divisor - 1) / (2 * divisor));
}

/* The lowest bit of those set. */
INLINE vec LEVELED(low_bit)(vec bits)
{
	return bits & -bits;
}

INLINE void LEVELED(push_lanes)(struct LEVELED(lanes) *m, vec sample)
{
	vec old = m->ring[m->next], rest[INTERVALS], below = all_of(0);

	for (int i = 0; i < INTERVALS - 1; i++)
		rest[i] = pick(old > m->sorted[i], m->sorted[i], m->sorted[i + 1]);
	rest[INTERVALS - 1] = all_of(INT64_MAX);
	for (int i = 0; i < INTERVALS; i++) {
		vec above = greatest_of(below, sample);

		m->sorted[i] = least_of(above, rest[i]);
		below = rest[i];
	}
	m->sum += sample - old;
	m->squares += mul(sample, sample) - mul(old, old);
	m->ring[m->next] = sample;
	m->next = (m->next + 1) % INTERVALS;
	if (m->odd)
		m->odd--;
}

/* See LEVELED(alike). Quotients by 8 or less, and by 36, are made as in LEVELED(floored). */
INLINE vec LEVELED(alike_lanes)(const struct menu_features *f, double_vec sum, double_vec squares,
				double_vec count, vec *average)
{
	double_vec quotient = sum * inverse(count) - 7.0 / 16, mean = quotient + WHOLE - WHOLE;
	double_vec square = mean * mean, bound, still = (double_vec){0} + (STILL_ALIKE + 1);

	*average = whole(quotient);
	/* A 36th of the square, rounded up. */
	bound = (square + 35 / 2.0) * (1 / 36.0) + WHOLE - WHOLE;
	bound = (double_vec)pick((bound > STILL_ALIKE + 1) & (count >= FEW), (vec)bound, (vec)still);
	if (f->trims_both_ends)
		return squares < count * (bound + square);
	return squares - mean * (2 * sum - count * mean) < count * bound;
}

/* Of each lane in turn, from its ring. */
static __attribute__((noinline)) vec LEVELED(typical_odd)(const struct menu_features *f,
							  const struct LEVELED(lanes) *m,
							  vec timer_us)
{
	vec answers;

	for (int lane = 0; lane < LANES; lane++) {
		struct LEVELED(menu) one;

		LEVELED(boot)(&one);
		for (int i = 0; i < INTERVALS; i++)
			LEVELED(push)(f, &one, (u32)m->ring[i][lane]);
		answers[lane] = LEVELED(typical)(f, &one, (u64)timer_us[lane]);
	}
	return answers;
}

INLINE vec LEVELED(typical_lanes)(const struct menu_features *f, const struct LEVELED(lanes) *m,
				  vec timer_us)
{
	double_vec sum = exact(m->sum), squares = exact(m->squares), times = exact(all_of(INTERVALS));
	vec count = all_of(INTERVALS), average, dropped;
	vec low = m->sorted[0], high = m->sorted[INTERVALS - 1];
	vec floor = all_of(-1), ceiling, open = all_of(-1), answer = all_of(UNKNOWN);

	if (UNLIKELY(m->odd))
		return LEVELED(typical_odd)(f, m, timer_us);
	if (f->typical_unknown == TYPICAL_UNKNOWN_LATE && !f->trims_both_ends)
		open = timer_us > low;
	for (int round = 0; round < 3; round++) {
		vec alike = LEVELED(alike_lanes)(f, sum, squares, times, &average);
		vec ends = count <= FEW;
		double_vec less;

		if (f->typical_unknown == TYPICAL_UNKNOWN_ZEROS)
			average = pick(high == 0, all_of(UNKNOWN), average);
		answer = pick(open & alike, average, answer);
		if (f->typical_maximum)
			answer = pick(open & ends & ~alike & (count >= INTERVALS / 2), high, answer);
		open &= ~(alike | ends);
		if (round == 2 || !any(open))
			break;
		/* Samples are dropped by moving a bound, so that equals go together. */
		dropped = ceiling = high;
		if (f->trims_both_ends) {
			vec takes_low = average - low > high - average;

			dropped = pick(takes_low, low, high);
			ceiling = pick(takes_low, high + 1, high);
			floor = pick(takes_low, low, floor);
		}
		count = all_of(0);
		for (int i = 0; i < INTERVALS; i++) {
			vec in = m->sorted[i] < ceiling;

			if (f->trims_both_ends)
				in &= m->sorted[i] > floor;
			count -= in;
			high = pick(in, m->sorted[i], high);
		}
		if (f->trims_both_ends)
			for (int i = INTERVALS - 1; i >= 0; i--)
				low = pick(m->sorted[i] > floor, m->sorted[i], low);
		less = (times - exact(count)) * exact(dropped);
		times = exact(count);
		sum -= less;
		squares -= less * exact(dropped);
	}
	return answer;
}

/* Where timers were asked: everywhere, before releases that look at the typical interval first. */
INLINE vec LEVELED(asked)(const struct menu_features *f, const struct LEVELED(lanes) *m)
{
	return f->typical_first ? m->asked : all_of(-1);
}

INLINE vec LEVELED(timer_lanes)(const struct menu_features *f, const struct LEVELED(lanes) *m)
{
	return pick(LEVELED(asked)(f, m), all_of(m->next_timer), all_of(KTIME_MAX));
}

/* What was idled, less waking up; then factors and samples. */
INLINE void LEVELED(catch_up_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				    const struct row *row)
{
	s64 per_us = f->nanoseconds ? NS_PER_US : 1, next = m->next_timer;
	s64 residency = (s64)row->residency_ns;
	vec measured, timer = LEVELED(timer_lanes)(f, m), share = all_of(0), *factor, *far_factor;
	vec interesting, was, asked = LEVELED(asked)(f, m);

	if (!f->nanoseconds)
		residency = (s64)least(row->residency_ns / NS_PER_US, INT32_MAX);
	measured = all_of(residency) - m->entered_exit;
	measured = pick(measured > m->entered_exit, measured, all_of(residency / 2));
	if (f->poll_limit && row->poll_time_limit) {
		vec limited = m->entered_polls;

		if (row->entered == AS_SELECTED)
			limited &= m->entered == row->recorded;
		measured = pick(limited, timer, measured);
	}
	if (f->tick_wakeup && row->got_tick)
		measured = pick(timer > m->tick, all_of(TICK_WAKEUP_US * per_us), measured);
	measured = least_of(measured, timer);

	interesting = measured < INTERESTING_US * per_us;
	if (next == 0) {
		interesting &= ~asked;
	} else if (next < 1ll << 36) {
		share = LEVELED(floored)(exact((interesting & measured) << 10), (double)next);
	}
	share = pick(interesting, asked & share, all_of(RESOLUTION));
	factor = &m->factors[m->bucket];
	far_factor = &m->factors[m->far_bucket];
	was = pick(asked, *factor, *far_factor);
	was += share - shr(was, 3);
	/* One after the other: both may be the same bucket. */
	*factor = pick(asked, was, *factor);
	*far_factor = pick(asked, *far_factor, was);

	if (UNLIKELY(any(measured >= (f->nanoseconds ? MAX_SMALL : SMALL_US)))) {
		LEVELED(push_lanes)(m, measured / per_us & U32_MAX);
		m->odd = INTERVALS;
	} else {
		LEVELED(push_lanes)(m, f->nanoseconds ? LEVELED(floored)(exact(measured), NS_PER_US)
						      : measured);
	}
}

/* before: the row reflected upon, or NULL. */
INLINE void LEVELED(reflect_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				   const struct row *before, bool unknown)
{
	if (before) {
		LEVELED(catch_up_lanes)(f, m, before);
	} else if (unknown) {
		LEVELED(push_lanes)(m, all_of(UNKNOWN));
		m->odd = INTERVALS;
	}
}

/* The next timer corrected, in us. */
INLINE vec LEVELED(predicted_lanes)(const struct menu_features *f, const struct LEVELED(lanes) *m)
{
	s64 per_us = f->nanoseconds ? NS_PER_US : 1;
	vec factor = m->factors[m->bucket], product;
	double_vec exactly;

	if (UNLIKELY(m->next_timer >= 1ll << 34)) {
		product = factor * m->next_timer + UNITY * per_us / 2;
		return (vec)((unsigned_vec)product / (u64)(UNITY * per_us)) & U32_MAX;
	}
	exactly = exact(factor) * (double)m->next_timer;
	if (f->nanoseconds)
		return LEVELED(floored)(exactly + UNITY * NS_PER_US / 2, UNITY * NS_PER_US);
	return LEVELED(floored)(exactly + UNITY / 2, UNITY);
}

/* Bit n of a lane: its limit of state n exceeds the value. */
INLINE vec LEVELED(beyond_lanes)(const vec *limits, u32 states, vec value)
{
	vec bits = all_of(0);

	for (u32 i = states; i-- > 0;)
		bits += bits - (limits[i] > value);
	return bits;
}

/* The time to the next event where timers are asked, in the release's unit. */
INLINE s64 LEVELED(event)(const struct menu_features *f, const struct row *row)
{
	s64 event = row->delta_next_ns;

	if (f->negative_is_zero && row->sleep_length_ns < 0)
		return 0;
	if (!f->nanoseconds)
		return event / NS_PER_US;
	return !f->signed_event && event < 0 ? INT64_MAX : event;
}

/* Predicts for all lanes. */
INLINE void LEVELED(predict_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				   const struct row *row)
{
	s64 per_us = f->nanoseconds ? NS_PER_US : 1, sleep = row->sleep_length_ns;
	vec interval = all_of(0), timer_us;

	if (row->latency_req_us == 0 && !f->early_return)
		return;
	if (f->typical_first) {
		interval = LEVELED(typical_lanes)(f, m, all_of(UNKNOWN));
		interval = f->nanoseconds ? mul(interval, all_of(NS_PER_US)) : interval;
		if (f->long_bits == 32)
			interval &= U32_MAX;
		m->asked = interval > THRESHOLD_US * per_us;
		if (f->stopped_asks_timers && row->tick_stopped)
			m->asked = all_of(-1);
	}
	if (f->negative_is_zero && sleep < 0)
		sleep = 0;
	m->next_timer = f->nanoseconds ? sleep : (u32)(sleep / NS_PER_US);
	m->bucket = LEVELED(bin)((u64)m->next_timer, (u64)per_us);
	m->far_bucket = BINS - 1;
	if (f->iowait && row->nr_iowaiters) {
		m->bucket += BINS;
		m->far_bucket += BINS;
	}
	m->predicted = interval;
	if (!f->typical_first || any(m->asked)) {
		timer_us = LEVELED(predicted_lanes)(f, m);
		if (!f->typical_first) {
			interval = LEVELED(typical_lanes)(f, m, timer_us);
			interval = f->nanoseconds ? mul(interval, all_of(NS_PER_US)) : interval;
		}
		if (f->nanoseconds)
			timer_us = mul(timer_us, all_of(NS_PER_US));
		m->predicted = pick(LEVELED(asked)(f, m) & (timer_us < interval), timer_us, interval);
	}
}

/* Decides one row for all lanes; state | stop_tick << 8 in each. */
INLINE vec LEVELED(select_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				 const struct row *row, vec *entered)
{
	const vec zero = all_of(0), one = all_of(1), polling = m->polling;
	s64 per_us = f->nanoseconds ? NS_PER_US : 1, tick = m->tick;
	s64 requested = row->latency_req_us * per_us;
	bool stopped = row->tick_stopped;
	vec enabled = m->present & (u16)~row->disabled, predicted = m->predicted;
	vec next = LEVELED(timer_lanes)(f, m);
	vec delta = pick(LEVELED(asked)(f, m), all_of(LEVELED(event)(f, row)), all_of(tick / 2));
	vec latency = all_of(requested), found, deep, slow, bad, below, end, state, reached;
	vec depth, stops = one, early = zero, settled = zero, ended, is_deep, is_slow, open, polls;

	if (requested == 0 && !f->early_return) {
		*entered = zero;
		return f->decides_tick ? zero : all_of(1 << 8);
	}

	if (f->early_return) {
		early = requested == 0 ? all_of(-1) : m->present == 1;
		if (!(row->disabled & 1))
			early |= (m->residency[1] > next) | (m->exit[1] > requested);
	}

	if (stopped && f->stopped_tick != STOPPED_TICK_NONE) {
		vec instead = f->nanoseconds ? delta : delta & U32_MAX, replaced = predicted < tick;

		/* As unsigned ones, negative times are endless. */
		instead = pick(instead < 0, all_of(INT64_MAX), instead);
		if (f->stopped_tick == STOPPED_TICK_CAPPED)
			instead = least_of(instead, all_of(tick));
		if (f->stopped_tick == STOPPED_TICK_TIMER) {
			instead = next;
			if (f->stopped_margin)
				replaced &= next > 2 * tick;
		}
		predicted = pick(replaced, instead, predicted);
	} else if (f->predicted_limit) {
		u32 divisor = LEVELED(divisor)(f, row);
		vec limit = divisor == 1 ? predicted : predicted / (s64)divisor;

		latency = least_of(latency, limit);
	}

	/* The deepest state that fits; the first one to look at is `state`, or the one after it. */
	state = zero;
	if (f->polling_loop || f->skips_polling) {
		vec skips = (next > POLLING_THRESHOLD_US * per_us) & (next > m->residency[1]);

		skips &= (m->exit[1] < requested) & ((enabled & 2) > 0);
		if (!f->polling_loop)
			skips &= (polling & 1) > 0;
		state = skips & 1;
	}
	found = enabled & -((f->zero_disabled ? one : one + 1) << state);
	deep = slow = zero;
	for (u32 i = m->states; i-- > 0;) {
		deep += deep - (m->residency[i] > predicted);
		slow += slow - (m->exit[i] > latency);
	}
	bad = found & (deep | slow);
	end = zero;
	if (f->scan_stops) {
		end = LEVELED(low_bit)(bad);
		below = found & (end - 1);
	} else {
		below = found & ~bad;
		if (f->latency_first)
			below &= LEVELED(low_bit)(found & slow) - 1;
	}
	if (f->zero_disabled)
		state = top_bit(LEVELED(low_bit)(found));
	state = pick(below > 0, top_bit(below), state);

	ended = end > 0;
	is_deep = (end & deep) > 0;
	is_slow = (end & slow) > 0;
	if (f->latency_first)
		ended &= ~is_slow;
	reached = from(m->residency, state);
	polls = (shr(polling, state) & 1) > 0;
	if (f->latency_shortens)
		predicted = pick(ended & ~is_deep, reached, predicted);
	is_deep &= ended;
	if (any(is_deep)) {
		vec end_state = top_bit(end), overrides = zero;

		depth = from(m->residency, end_state);
		if (f->polling_override) {
			overrides = is_deep & polls & (depth <= next);
			if (f->override_in_limit)
				overrides &= ~is_slow;
			if (f->override_in_time)
				overrides &= from(m->exit, end_state) <= predicted;
			if (f->override_short)
				overrides &= depth < THRESHOLD_US * per_us;
		}
		predicted = pick(overrides, depth, predicted);
		if (f->shallow_escape) {
			vec escapes = is_deep & ~overrides & (predicted >= tick);

			if (!stopped) {
				predicted = pick(escapes, reached, predicted);
			} else {
				vec until = (reached < tick) & (depth <= delta);

				overrides |= escapes & until;
				settled = escapes;
			}
		}
		state = pick(overrides, end_state, state);
		reached = pick(overrides, depth, reached);
		polls = (shr(polling, state) & 1) > 0;
	}

	if (f->decides_tick) {
		open = ~settled & (polls | (predicted < tick));
		if (stopped) {
			stops = f->stopped_tick_stays ? one : ~open & 1;
		} else {
			stops = ~open & 1;
			if (!f->nanoseconds)
				delta &= U32_MAX;
			open &= ~early & (reached > delta);
			if (any(open)) {
				vec shallower = enabled & ((one << state) - 1), fit;

				fit = LEVELED(beyond_lanes)(m->residency, m->states, delta);
				fit = shallower & ~fit;
				fit = pick(fit > 0, fit, LEVELED(low_bit)(shallower));
				state = pick(open & (shallower > 0), top_bit(fit), state);
			}
		}
	}
	if (f->early_return) {
		vec early_stops = f->early_tick == EARLY_TICK_POLLS ? ~polling & 1 : zero;

		state &= ~early;
		stops = pick(early, early_stops, stops);
	}
	*entered = state;
	return state | stops << 8;
}
