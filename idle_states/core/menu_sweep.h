/*
 * menu, several tables over one trace: a table per lane, so that what is the same for all of them
 * (timers, the time idled) is worked out once. Included once per instruction set that has lanes,
 * after menu_body.h, whose decisions these are.
 *
 * Samples of half a minute or more, unknown ones, and timers that far are rare: for these, a lane at
 * a time is asked of the code for one table.
 */
#include "lanes.h"

struct LEVELED(lanes) {
	/* Tables: state by state, then lane by lane. */
	u64 exit[16 * LANES], residency[16 * LANES];
	u64 present[LANES], polling[LANES]; /* bit n: state n */
	/* Memory. */
	u64 ring[INTERVALS * LANES], factors[2 * BINS * LANES];
	vec sorted[INTERVALS], sum, squares;
	vec entered, entered_exit;
	mask entered_polls, asked;
	u64 next_timer, tick;
	u32 states, next, odd; /* odd: samples until all are small again */
	u32 bucket, far_bucket;
	bool odd_table;
};

#define MAX_SMALL (1ull << 35) /* in ns, about 34 s */
#define SMALL_US (1ull << 25)

/* A number below 2^32 divided by 125. */
INLINE vec LEVELED(by_125)(vec a)
{
	return shr(mul(a, all_of(0x10624dd3)), 35);
}

INLINE void LEVELED(push_lanes)(struct LEVELED(lanes) *m, vec sample)
{
	vec old = load(&m->ring[m->next * LANES]);
	vec rest[INTERVALS], below = all_of(0);

	for (int i = 0; i < INTERVALS - 1; i++)
		rest[i] = pick(gt(old, m->sorted[i]), m->sorted[i], m->sorted[i + 1]);
	rest[INTERVALS - 1] = all_of(INT64_MAX);
	for (int i = 0; i < INTERVALS; i++) {
		m->sorted[i] = least_half(greatest_half(below, sample), rest[i]);
		below = rest[i];
	}
	m->sum = add(m->sum, sub(sample, old));
	m->squares = add(m->squares, sub(mul(sample, sample), mul(old, old)));
	store(&m->ring[m->next * LANES], sample);
	m->next = (m->next + 1) % INTERVALS;
	if (m->odd)
		m->odd--;
}

/* See LEVELED(alike). */
INLINE mask LEVELED(alike_lanes)(const struct menu_features *f, vec sum, vec squares, vec count,
				 vec *average)
{
	static const u64 parts[16] = {0, 0x80000000, 0x40000000, 0x2aaaaaab, 0x20000000, 0x1999999a,
				      0x15555556, 0x12492493, 0x10000000};
	vec mean = shr(mul(sum, from(parts, count)), 31);
	vec square = mul(mean, mean), sixth, rest, bound, total;

	*average = mean;
	/* A 36th of the square, rounded up, by way of a sixth of the mean. */
	sixth = shr(mul(mean, all_of(0x2aaaaaab)), 32);
	rest = sub(mean, mul(sixth, all_of(6)));
	bound = mul(rest, add(mul(sixth, all_of(12)), rest));
	bound = shr(mul(add(bound, all_of(35)), all_of(0x38e38e39)), 35);
	bound = add(bound, mul(sixth, sixth));
	bound = only(gt(count, all_of(FEW - 1)), bound);
	bound = greatest_of(bound, all_of(STILL_ALIKE + 1));
	if (f->trims_both_ends) {
		/* squares < count * (bound + square), of which each may exceed 32 bits. */
		total = add(bound, square);
	} else {
		squares = sub(squares, shl(mul(mean, sum), 1));
		squares = add(squares, add(mul(square, count),
					   shl(mul(shr(square, 32), count), 32)));
		total = bound;
	}
	total = add(mul(total, count), shl(mul(shr(total, 32), count), 32));
	return gt(total, squares);
}

/* Of each lane in turn, from its ring. */
static __attribute__((noinline)) vec LEVELED(typical_odd)(const struct menu_features *f,
							  const struct LEVELED(lanes) *m,
							  vec timer_us)
{
	u64 timers[LANES], answers[LANES];

	store(timers, timer_us);
	for (int lane = 0; lane < LANES; lane++) {
		struct LEVELED(menu) one;

		LEVELED(boot)(&one);
		for (int i = 0; i < INTERVALS; i++)
			LEVELED(push)(f, &one, (u32)m->ring[i * LANES + lane]);
		answers[lane] = LEVELED(typical)(f, &one, timers[lane]);
	}
	return load(answers);
}

INLINE vec LEVELED(typical_lanes)(const struct menu_features *f, const struct LEVELED(lanes) *m,
				  vec timer_us)
{
	const vec unknown = all_of(UNKNOWN), one = all_of(1);
	vec sum = m->sum, squares = m->squares, count = all_of(INTERVALS), average, answer, maximum;
	vec low = m->sorted[0], high = m->sorted[INTERVALS - 1], dropped, times;
	vec floor = all_of(-1), ceiling = all_of(INT64_MAX);
	mask open = every(), alike, ends, takes_low;

	if (UNLIKELY(m->odd))
		return LEVELED(typical_odd)(f, m, timer_us);
	answer = unknown;
	if (f->typical_unknown == TYPICAL_UNKNOWN_LATE && !f->trims_both_ends)
		open = gt(timer_us, low);
	for (int round = 0; round < 3; round++) {
		alike = LEVELED(alike_lanes)(f, sum, squares, count, &average);
		ends = m_not(gt(count, all_of(FEW)));
		if (f->typical_unknown == TYPICAL_UNKNOWN_ZEROS)
			average = pick(eq(high, all_of(0)), unknown, average);
		answer = pick(m_and(open, alike), average, answer);
		if (f->typical_maximum) {
			maximum = only(m_not(gt(all_of(INTERVALS / 2), count)), high);
			maximum = pick(gt(all_of(INTERVALS / 2), count), unknown, maximum);
			answer = pick(m_and(open, m_and(ends, m_not(alike))), maximum, answer);
		}
		open = m_and(open, m_not(m_or(alike, ends)));
		if (round == 2 || !is_any(open))
			break;
		/* Samples are dropped by moving a bound, so that equals go together. */
		dropped = ceiling = high;
		if (f->trims_both_ends) {
			takes_low = gt(sub(average, low), sub(high, average));
			dropped = set_if(dropped, takes_low, low);
			ceiling = set_if(high, takes_low, add(high, one));
			floor = set_if(floor, takes_low, low);
		}
		times = count;
		count = all_of(0);
		for (int i = 0; i < INTERVALS; i++) {
			mask in = gt(ceiling, m->sorted[i]);

			if (f->trims_both_ends)
				in = m_and(in, gt(m->sorted[i], floor));
			count = add_if(count, in, one);
			high = set_if(high, in, m->sorted[i]);
		}
		if (f->trims_both_ends)
			for (int i = INTERVALS - 1; i >= 0; i--)
				low = set_if(low, gt(m->sorted[i], floor), m->sorted[i]);
		times = sub(times, count);
		sum = sub(sum, mul(times, dropped));
		average = mul(dropped, dropped);
		squares = sub(squares, add(mul(average, times),
					   shl(mul(shr(average, 32), times), 32)));
	}
	return answer;
}

INLINE vec LEVELED(timer_lanes)(const struct LEVELED(lanes) *m)
{
	return pick(m->asked, all_of(least(m->next_timer, INT64_MAX)), all_of(KTIME_MAX));
}

/* What was idled, less waking up; then factors and samples. */
INLINE void LEVELED(catch_up_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				    const struct row *row)
{
	u64 per_us = f->nanoseconds ? NS_PER_US : 1, next = m->next_timer;
	u64 residency = row->residency_ns;
	vec measured, timer = LEVELED(timer_lanes)(m), factor, far_factor, share, sample;
	mask interesting, small;

	if (!f->nanoseconds)
		residency = least(residency / NS_PER_US, INT32_MAX);
	measured = pick(gt(all_of(residency), shl(m->entered_exit, 1)),
			sub(all_of(residency), m->entered_exit), all_of(residency / 2));
	if (f->poll_limit && row->poll_time_limit) {
		mask limited = m->entered_polls;

		if (row->entered == AS_SELECTED)
			limited = m_and(limited, eq(m->entered, all_of(row->recorded)));
		measured = pick(limited, timer, measured);
	}
	if (f->tick_wakeup && row->got_tick)
		measured = pick(gt(timer, all_of(m->tick)), all_of(TICK_WAKEUP_US * per_us), measured);
	measured = least_of(measured, timer);

	interesting = gt(all_of(INTERESTING_US * per_us), measured);
	share = all_of(0);
	if (next == 0) {
		interesting = m_and(interesting, m_not(m->asked));
	} else if (next < 1ull << 36) {
		/* By a rounded-down reciprocal, which is one too little at most. */
		int shift = least(21 + (63 - __builtin_clzll(next)), 53);
		vec least_share, again, limited = only(interesting, measured);

		least_share = shr(mul(limited, all_of((1ull << (shift + 10)) / next)), shift);
		again = add(mul(least_share, all_of(next)),
			    shl(mul(least_share, all_of(next >> 32)), 32));
		again = sub(shl(limited, 10), again);
		share = add(least_share, only(m_not(gt(all_of(next), again)), all_of(1)));
	}
	share = only(m->asked, share);
	share = pick(interesting, share, all_of(RESOLUTION));
	factor = load(&m->factors[m->bucket * LANES]);
	far_factor = load(&m->factors[m->far_bucket * LANES]);
	if (is_every(m->asked)) {
		factor = add(sub(factor, shr(factor, 3)), share);
		store(&m->factors[m->bucket * LANES], factor);
	} else {
		vec was = pick(m->asked, factor, far_factor);

		was = add(sub(was, shr(was, 3)), share);
		store(&m->factors[m->bucket * LANES], pick(m->asked, was, factor));
		/* Loaded again: both may be the same bucket. */
		far_factor = load(&m->factors[m->far_bucket * LANES]);
		store(&m->factors[m->far_bucket * LANES], pick(m->asked, far_factor, was));
	}

	small = gt(all_of(f->nanoseconds ? MAX_SMALL : SMALL_US), measured);
	if (!UNLIKELY(!is_every(small))) {
		sample = f->nanoseconds ? LEVELED(by_125)(shr(measured, 3)) : measured;
		LEVELED(push_lanes)(m, sample);
	} else {
		u64 each[LANES];

		store(each, measured);
		for (int lane = 0; lane < LANES; lane++)
			each[lane] = (u32)(each[lane] / per_us);
		LEVELED(push_lanes)(m, load(each));
		m->odd = INTERVALS;
	}
}

/* The next timer corrected, in us. */
INLINE vec LEVELED(predicted_lanes)(const struct menu_features *f, const struct LEVELED(lanes) *m)
{
	u64 next = m->next_timer, per_us = f->nanoseconds ? NS_PER_US : 1;
	vec factor = load(&m->factors[m->bucket * LANES]), product;
	u64 each[LANES];

	if (next < 1ull << 34) {
		product = add(mul(factor, all_of(next)), shl(mul(factor, all_of(next >> 32)), 32));
		product = add(product, all_of(UNITY * per_us / 2));
		return f->nanoseconds ? LEVELED(by_125)(shr(product, 16)) : shr(product, 13);
	}
	store(each, factor);
	for (int lane = 0; lane < LANES; lane++)
		each[lane] = (u32)((next * each[lane] + UNITY * per_us / 2) / (UNITY * per_us));
	return load(each);
}

/* Bit n of a lane: its limit of state n exceeds the value. */
INLINE vec LEVELED(beyond_lanes)(const u64 *limits, u32 states, vec value)
{
	vec bits = all_of(0);

	for (u32 i = 0; i < states; i++)
		bits = or_if(bits, gt(load(&limits[i * LANES]), value), all_of(1ull << i));
	return bits;
}

INLINE vec LEVELED(places)(vec state)
{
	const vec lane_numbers =
#if LEVEL >= 4
		_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	return add(shl(state, 3), lane_numbers);
#else
		_mm256_setr_epi64x(0, 1, 2, 3);
	return add(shl(state, 2), lane_numbers);
#endif
}

/* Decides one row for all lanes; state | stop_tick << 8 in each. */
INLINE vec LEVELED(select_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				 const struct row *row, vec *entered)
{
	const vec zero = all_of(0), one = all_of(1), tick = all_of(m->tick);
	u64 per_us = f->nanoseconds ? NS_PER_US : 1;
	u64 requested = row->latency_req_us * per_us;
	bool stopped = row->tick_stopped;
	vec enabled, polling = load(m->polling), interval = zero, timer_us = zero, predicted;
	vec latency, next, delta, found, deep, slow, bad, below, end, low, state, reached, depth;
	vec stops, exit_of_end, shallower, index;
	mask early = none(), settled = none(), ended, is_deep, is_slow, overrides, open, polls;
	s64 event = row->delta_next_ns, sleep = row->sleep_length_ns;

	enabled = and(load(m->present), all_of((u64)(u16)~row->disabled));
	if (requested == 0 && !f->early_return) {
		*entered = zero;
		return f->decides_tick ? zero : all_of(1 << 8);
	}

	if (f->typical_first) {
		interval = LEVELED(typical_lanes)(f, m, all_of(UNKNOWN));
		interval = f->nanoseconds ? mul(interval, all_of(NS_PER_US)) : interval;
		if (f->long_bits == 32)
			interval = and(interval, all_of(U32_MAX));
		m->asked = m_or(gt(interval, all_of(THRESHOLD_US * per_us)),
				mask_of(f->stopped_asks_timers && stopped));
	}
	if (f->negative_is_zero && sleep < 0)
		sleep = event = 0;
	m->next_timer = f->nanoseconds ? (u64)sleep : (u32)(sleep / NS_PER_US);
	if (!f->nanoseconds)
		event /= NS_PER_US;
	else if (!f->signed_event && event < 0)
		event = INT64_MAX;
	m->bucket = LEVELED(bin)(m->next_timer, per_us);
	m->far_bucket = BINS - 1;
	if (f->iowait && row->nr_iowaiters) {
		m->bucket += BINS;
		m->far_bucket += BINS;
	}
	next = LEVELED(timer_lanes)(m);
	delta = pick(m->asked, all_of(event), all_of(m->tick / 2));
	predicted = interval;
	if (is_any(m->asked)) {
		timer_us = LEVELED(predicted_lanes)(f, m);
		if (!f->typical_first) {
			interval = LEVELED(typical_lanes)(f, m, timer_us);
			interval = f->nanoseconds ? mul(interval, all_of(NS_PER_US)) : interval;
		}
		if (f->nanoseconds)
			timer_us = mul(timer_us, all_of(NS_PER_US));
		predicted = pick(m->asked, least_of(timer_us, interval), interval);
	}

	if (f->early_return) {
		early = m_or(mask_of(requested == 0), eq(load(m->present), one));
		if (!(row->disabled & 1)) {
			early = m_or(early, gt(load(&m->residency[LANES]), next));
			early = m_or(early, gt(load(&m->exit[LANES]), all_of(requested)));
		}
	}

	latency = all_of(requested);
	if (stopped && f->stopped_tick != STOPPED_TICK_NONE) {
		vec instead = f->nanoseconds ? delta : and(delta, all_of(U32_MAX));
		mask replaced = gt(tick, predicted);

		/* As unsigned ones, negative times are endless. */
		instead = pick(gt(zero, instead), all_of(INT64_MAX), instead);
		if (f->stopped_tick == STOPPED_TICK_CAPPED)
			instead = least_of(instead, tick);
		if (f->stopped_tick == STOPPED_TICK_TIMER) {
			instead = next;
			if (f->stopped_margin)
				replaced = m_and(replaced, gt(next, shl(tick, 1)));
		}
		predicted = pick(replaced, instead, predicted);
	} else if (f->predicted_limit) {
		u32 divisor = LEVELED(divisor)(f, row);
		vec limit = predicted;

		if (divisor != 1) {
			u64 each[LANES];

			store(each, limit);
			for (int lane = 0; lane < LANES; lane++)
				each[lane] /= divisor;
			limit = load(each);
		}
		latency = least_of(latency, limit);
	}

	/* The deepest state that fits. */
	found = enabled;
	if (f->polling_loop || f->skips_polling) {
		vec far = greatest_of(all_of(POLLING_THRESHOLD_US * per_us),
				      load(&m->residency[LANES]));
		mask skips = m_and(gt(next, far), gt(all_of(requested), load(&m->exit[LANES])));

		skips = m_and(skips, eq(and(enabled, all_of(2)), all_of(2)));
		if (!f->polling_loop)
			skips = m_and(skips, eq(and(polling, one), one));
		state = only(skips, one);
	} else {
		state = zero;
	}
	/* First one to look at: `state`, or the one after it. */
	if (f->zero_disabled)
		found = and_not(found, sub(shl_each(one, state), one));
	else
		found = and_not(found, sub(shl_each(all_of(2), state), one));
	deep = LEVELED(beyond_lanes)(m->residency, m->states, predicted);
	slow = LEVELED(beyond_lanes)(m->exit, m->states, latency);
	if (f->scan_stops) {
		bad = and(found, or(deep, slow));
		end = and(bad, sub(zero, bad));
		below = and(found, sub(end, one));
	} else {
		below = and_not(found, or(deep, slow));
		if (f->latency_first) {
			bad = and(found, slow);
			below = and(below, sub(and(bad, sub(zero, bad)), one));
		}
		end = zero;
	}
	low = and(found, sub(zero, found));
	if (f->zero_disabled)
		state = only(gt(found, zero), top_bit(or(low, only(eq(low, zero), one))));
	state = pick(gt(below, zero), top_bit(or(below, only(eq(below, zero), one))), state);

	ended = gt(end, zero);
	is_deep = gt(and(end, deep), zero);
	is_slow = gt(and(end, slow), zero);
	if (f->latency_first)
		ended = m_and(ended, m_not(is_slow));
	index = LEVELED(places)(state);
	reached = from(m->residency, index);
	polls = gt(and(shr_each(polling, state), one), zero);
	if (f->latency_shortens)
		predicted = pick(m_and(ended, m_not(is_deep)), reached, predicted);
	is_deep = m_and(ended, is_deep);
	overrides = none();
	if (is_any(is_deep)) {
		vec end_state = top_bit(or(end, only(eq(end, zero), one)));

		index = LEVELED(places)(end_state);
		depth = from(m->residency, index);
		if (f->polling_override) {
			overrides = m_and(m_and(is_deep, polls), m_not(gt(depth, next)));
			if (f->override_in_limit)
				overrides = m_and(overrides, m_not(is_slow));
			if (f->override_in_time) {
				exit_of_end = from(m->exit, index);
				overrides = m_and(overrides, m_not(gt(exit_of_end, predicted)));
			}
			if (f->override_short)
				overrides = m_and(overrides,
						  gt(all_of(THRESHOLD_US * per_us), depth));
		}
		if (f->shallow_escape) {
			mask escapes = m_and(is_deep, m_not(overrides));

			escapes = m_and(escapes, m_not(gt(tick, predicted)));
			if (!stopped) {
				predicted = pick(escapes, reached, predicted);
			} else {
				mask until = m_and(gt(tick, reached), m_not(gt(depth, delta)));

				state = pick(m_and(escapes, until), end_state, state);
				settled = escapes;
			}
		}
		state = pick(overrides, end_state, state);
		predicted = pick(overrides, depth, predicted);
		polls = gt(and(shr_each(polling, state), one), zero);
	}

	/* The tick. */
	stops = one;
	if (f->decides_tick) {
		open = m_and(m_not(settled), m_or(polls, gt(tick, predicted)));
		if (stopped) {
			stops = only(m_or(m_not(open), mask_of(f->stopped_tick_stays)), one);
		} else {
			stops = only(m_not(open), one);
			if (!f->nanoseconds)
				delta = and(delta, all_of(U32_MAX));
			index = LEVELED(places)(state);
			open = m_and(open, gt(from(m->residency, index), delta));
			open = m_and(open, m_not(early));
			if (is_any(open)) {
				vec fit = LEVELED(beyond_lanes)(m->residency, m->states, delta);

				shallower = and(enabled, sub(shl_each(one, state), one));
				open = m_and(open, gt(shallower, zero));
				fit = and_not(shallower, fit);
				low = and(shallower, sub(zero, shallower));
				fit = pick(gt(fit, zero), fit, low);
				fit = or(fit, only(eq(fit, zero), one));
				state = pick(open, top_bit(fit), state);
			}
		}
	}
	if (f->early_return) {
		vec early_stops = zero;

		if (f->early_tick == EARLY_TICK_POLLS)
			early_stops = sub(one, and(polling, one));
		state = pick(early, zero, state);
		stops = pick(early, early_stops, stops);
	}
	*entered = state;
	return or(state, shl(stops, 8));
}

INLINE void LEVELED(boot_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				const struct state *states, const u32 *counts, u32 hz, u32 wanted)
{
	memset(m, 0, sizeof(*m));
	for (u32 lane = 0; lane < LANES; lane++) {
		u32 one = lane < wanted ? lane : 0;
		struct table table;

		make_table(&table, states + one * STATES_MAX, counts[one], hz, f->nanoseconds);
		m->tick = table.tick;
		m->states = (u32)greatest(m->states, table.count);
		m->present[lane] = (1u << table.count) - 1;
		m->polling[lane] = table.polling;
		for (u32 i = 0; i < 16; i++) {
			m->exit[i * LANES + lane] = table.exit[i];
			m->residency[i * LANES + lane] = table.residency[i];
		}
	}
	m->asked = every();
}

INLINE void LEVELED(note_entered)(struct LEVELED(lanes) *m, vec entered)
{
	m->entered = entered;
	m->entered_exit = from(m->exit, LEVELED(places)(entered));
	m->entered_polls = gt(and(shr_each(load(m->polling), entered), all_of(1)), all_of(0));
}

/*
 * What each table's governor remembers. The last row is yet to be reflected upon: *before is made
 * of it, all zero at first, and whether there is one is returned.
 */
INLINE bool LEVELED(remember)(const struct menu_features *f, struct LEVELED(lanes) *m,
			      const char *memories, u32 wanted, struct row *before, bool *unknown)
{
	u64 timers[LANES], entered[LANES], limits[LANES];
	u64 sums[LANES], squares[LANES], sorted[INTERVALS][LANES];
	struct LEVELED(menu) one;
	bool small = true;

	m->next_timer = KTIME_MAX;
	m->far_bucket = BINS - 1;
	for (u32 lane = 0; lane < LANES; lane++) {
		memcpy(&one, memories + (lane < wanted ? lane : 0) * MEMORY_SIZE, sizeof(one));
		if (!one.booted)
			LEVELED(boot)(&one);
		sums[lane] = squares[lane] = 0;
		for (u32 i = 0; i < INTERVALS; i++) {
			u64 sample = one.ring[(one.next + i) % INTERVALS];

			m->ring[i * LANES + lane] = sample;
			small &= sample < SMALL_US;
			sums[lane] += sample;
			squares[lane] += sample * sample;
			sorted[i][lane] = one.sorted[i];
		}
		for (u32 i = 0; i < 2 * BINS; i++)
			m->factors[i * LANES + lane] = one.factors[i];
		timers[lane] = one.next_timer;
		entered[lane] = one.entered;
		limits[lane] = one.poll_time_limit;
		before->poll_time_limit |= one.poll_time_limit;
		if (one.next_timer == KTIME_MAX) {
			m->far_bucket = one.bucket;
		} else {
			m->next_timer = one.next_timer;
			m->bucket = one.bucket;
		}
	}
	if (m->next_timer == KTIME_MAX)
		m->bucket = m->far_bucket;
	m->asked = eq(load(timers), all_of(m->next_timer));
	m->sum = load(sums);
	m->squares = load(squares);
	for (u32 i = 0; i < INTERVALS; i++)
		m->sorted[i] = load(sorted[i]);
	m->odd = small ? 0 : INTERVALS;
	LEVELED(note_entered)(m, load(entered));
	m->entered_polls = m_and(m->entered_polls, gt(load(limits), all_of(0)));
	before->residency_ns = one.residency_ns;
	before->got_tick = one.got_tick;
	*unknown = f->rejected_is_unknown && !one.reflected && one.residency_ns == 0;
	return one.reflected;
}

/* The reverse. before: the last row, NULL if there was none. */
INLINE void LEVELED(memorise)(const struct menu_features *f, const struct LEVELED(lanes) *m,
			      char *memories, u32 wanted, const struct row *before)
{
	u64 timers[LANES], entered[LANES], asked[LANES];

	if (!before)
		return;
	store(timers, LEVELED(timer_lanes)(m));
	store(entered, m->entered);
	store(asked, only(m->asked, all_of(1)));
	for (u32 lane = 0; lane < wanted; lane++) {
		struct LEVELED(menu) one;

		LEVELED(boot)(&one);
		for (u32 i = 0; i < INTERVALS; i++)
			LEVELED(push)(f, &one, (u32)m->ring[(m->next + i) % INTERVALS * LANES + lane]);
		for (u32 i = 0; i < 2 * BINS; i++)
			one.factors[i] = (u32)m->factors[i * LANES + lane];
		one.next_timer = timers[lane];
		one.bucket = asked[lane] ? m->bucket : m->far_bucket;
		LEVELED(finished)(&one, before, (u32)entered[lane]);
		one.entered = (u32)entered[lane];
		memcpy(memories + lane * MEMORY_SIZE, &one, sizeof(one));
	}
}

/* The next decisions of one group of lanes. before: the row reflected upon, or NULL. */
INLINE void LEVELED(step)(const struct menu_features *f, struct LEVELED(lanes) *m,
			  const struct row *before, bool unknown, const struct row *row,
			  struct decision *const *decisions, size_t n, u32 wanted)
{
	u64 packed[LANES];
	vec entered;

	if (before) {
		LEVELED(catch_up_lanes)(f, m, before);
	} else if (unknown) {
		LEVELED(push_lanes)(m, all_of(UNKNOWN));
		m->odd = INTERVALS;
	}
	store(packed, LEVELED(select_lanes)(f, m, row, &entered));
	for (u32 lane = 0; lane < wanted; lane++) {
		u16 both = (u16)packed[lane];

		memcpy(&decisions[lane][n], &both, sizeof(both));
	}
	if (row->entered != AS_SELECTED)
		entered = all_of(row->entered % 16);
	LEVELED(note_entered)(m, entered);
}

/*
 * GROUPS groups of lanes at most, row by row: what one group waits for, another one fills. All of
 * them fit into the first-level cache.
 */
static void LEVELED(sweep_groups)(const struct menu_features *f, const struct state *states,
				  const u32 *counts, u32 hz, char *memories,
				  const struct row *rows, size_t row_count,
				  struct decision *const *decisions, u32 tables)
{
	struct LEVELED(lanes) groups[GROUPS];
	const struct row *before = NULL;
	struct row earlier = {0};
	bool unknown = false;

	for (u32 i = 0; i * LANES < tables; i++) {
		u32 wanted = (u32)least(tables - i * LANES, LANES);

		LEVELED(boot_lanes)(f, &groups[i], states + i * LANES * STATES_MAX,
				    counts + i * LANES, hz, wanted);
		if (LEVELED(remember)(f, &groups[i], memories + i * LANES * MEMORY_SIZE, wanted,
				      &earlier, &unknown))
			before = &earlier;
	}
	for (size_t n = 0; n < row_count; n++) {
		const struct row *row = &rows[n];

		for (u32 i = 0; i * LANES < tables; i++)
			LEVELED(step)(f, &groups[i], before, unknown, row, decisions + i * LANES, n,
				      (u32)least(tables - i * LANES, LANES));
		before = row->rejected ? NULL : row;
		unknown = f->rejected_is_unknown && row->rejected;
	}
	for (u32 i = 0; i * LANES < tables; i++)
		LEVELED(memorise)(f, &groups[i], memories + i * LANES * MEMORY_SIZE,
				  (u32)least(tables - i * LANES, LANES),
				  row_count ? &rows[row_count - 1] : NULL);
}

#include "lanes_end.h"
