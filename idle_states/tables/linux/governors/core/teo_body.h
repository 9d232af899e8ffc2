/*
 * teo's second generation, 5.14 on: bins with hits and intercepts. Included once per instruction
 * set, see levels.h. All times are signed ns, but for what was measured, which may be endless.
 */
#include "beyond.h"

struct LEVELED(bins) {
	by_bin hits, intercepts, recent;
	u32 next_slot, total, tick_hits, tick_intercepts, tick_wakeups, short_idles;
};

struct LEVELED(teo) {
	u32 booted;
	struct pending pending;
	struct LEVELED(bins) bins;
	s32 slots[RECENT];
	u32 unbounded[STATES_MAX]; /* what is recent, where ticks leave their slot as it is */
};
_Static_assert(sizeof(struct LEVELED(teo)) <= MEMORY_SIZE, "fits");

INLINE u32 LEVELED(decayed)(const struct teo_features *f, u32 value)
{
	u32 step = value >> DECAY_SHIFT;

	return f->decays_to_zero && !step ? 0 : value - step;
}

INLINE by_bin LEVELED(decayed_bins)(const struct teo_features *f, by_bin m)
{
	by_bin step = m >> DECAY_SHIFT;

	m -= step;
	return f->decays_to_zero ? m & (by_bin)(step != 0) : m;
}

INLINE by_bin LEVELED(from)(const u16 *at)
{
	by_bin m;

	memcpy(&m, at, sizeof(m));
	return m;
}

/* 1 in one bin, from 0 to 15; -1 and 16 are none. */
INLINE by_bin LEVELED(one_at)(s32 bin)
{
	static const u16 line[33] = {[16] = 1};

	return LEVELED(from)(line + 16 - bin);
}

/* 1 in each bin below. */
INLINE by_bin LEVELED(ones_below)(s32 bin)
{
	static const u16 line[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

	return LEVELED(from)(line + 16 - bin);
}

INLINE u32 LEVELED(sum)(by_bin m)
{
	u64 fours[4], four;

	memcpy(fours, &m, sizeof(m));
	four = fours[0] + fours[1] + (fours[2] + fours[3]);
	four += four >> 32;
	return (u16)(four + (four >> 16));
}

INLINE void LEVELED(add_recent)(const struct teo_features *f, struct LEVELED(bins) *b,
				u32 *unbounded, s32 bin, s32 more)
{
	if (!f->tick_hits)
		b->recent += LEVELED(one_at)(bin) * (u16)more;
	else if (bin >= 0)
		unbounded[bin] += (u32)more;
}

/* Of the bins below one, and of all bins. */
struct LEVELED(sums) {
	u32 hits, intercepts, recent, total;
};

INLINE struct LEVELED(sums) LEVELED(sums_below)(const struct teo_features *f,
						const struct LEVELED(bins) *b, const u32 *unbounded,
						s32 bin)
{
	const by_bin below = LEVELED(ones_below)(bin);
	struct LEVELED(sums) sums = {0};
#if LEVEL >= 3
	const __m256i hits = _mm256_madd_epi16((__m256i)b->hits, (__m256i)below);
	const __m256i intercepts = _mm256_madd_epi16((__m256i)b->intercepts, (__m256i)below);
	const __m256i one = _mm256_or_si256(hits, _mm256_slli_epi32(intercepts, 16));
	__m256i other = _mm256_setzero_si256(), recent = other;
	__m128i both, halves;
	u64 four;

	if (!f->running_total)
		other = _mm256_madd_epi16((__m256i)(b->hits + b->intercepts), _mm256_set1_epi16(1));
	if (f->recent && !f->tick_hits)
		recent = _mm256_madd_epi16((__m256i)b->recent, (__m256i)below);
	other = _mm256_or_si256(other, _mm256_slli_epi32(recent, 16));
	/* Four sums at once, of 16 bits each. */
	other = _mm256_add_epi32(_mm256_unpacklo_epi32(one, other),
				 _mm256_unpackhi_epi32(one, other));
	both = _mm_add_epi32(_mm256_castsi256_si128(other), _mm256_extracti128_si256(other, 1));
	halves = _mm_add_epi32(both, _mm_unpackhi_epi64(both, both));
	four = (u64)_mm_cvtsi128_si64(halves);
	sums = (struct LEVELED(sums)){(u16)four, (u16)(four >> 16), (u32)(four >> 48),
				      (u16)(four >> 32)};
#else
	sums.hits = LEVELED(sum)(b->hits * below);
	sums.intercepts = LEVELED(sum)(b->intercepts * below);
	if (f->recent && !f->tick_hits)
		sums.recent = LEVELED(sum)(b->recent * below);
	if (!f->running_total)
		sums.total = LEVELED(sum)(b->hits + b->intercepts);
#endif
	for (s32 i = 0; f->recent && f->tick_hits && i < bin; i++)
		sums.recent += unbounded[i];
	return sums;
}

/* Without a running total, it is what the bins hold. */
INLINE u32 LEVELED(total)(const struct teo_features *f, const struct LEVELED(bins) *b)
{
	return f->running_total ? b->total : LEVELED(sum)(b->hits + b->intercepts) + b->tick_hits;
}

/* Bit n: the bins below n have less than half of what all of them have. */
INLINE u32 LEVELED(half_above)(bool few, by_bin m, u32 all)
{
	u32 mask = 0, sum = 0;

#if LEVEL >= 3
	if (few) {
		__m128i before = _mm_slli_si128(_mm256_castsi256_si128((__m256i)m), 2);

		before = _mm_add_epi16(before, _mm_slli_si128(before, 2));
		before = _mm_add_epi16(before, _mm_slli_si128(before, 4));
		before = _mm_add_epi16(before, _mm_slli_si128(before, 8));
		before = _mm_cmpgt_epi16(_mm_set1_epi16((short)all), _mm_add_epi16(before, before));
		return (u32)_mm_movemask_epi8(_mm_packs_epi16(before, before));
	}
#endif
	for (u32 i = 0; i < (few ? FEW_STATES : STATES_MAX); i++) {
		mask |= (u32)(2 * sum < all) << i;
		sum += m[i];
	}
	return mask;
}

/* Bit n: state n is fit for the time. */
INLINE u32 LEVELED(fit_for_span)(bool few, const struct table *t, u64 time)
{
	if (few)
		return LEVELED(beyond_few)(t->few_residencies, (s32)least(time, MOST)) ^
		       ((1u << FEW_STATES) - 1);
	return ~LEVELED(beyond)(t->residency, time) & ((1u << t->count) - 1);
}

INLINE u32 LEVELED(fit_for)(bool few, const struct table *t, s64 time)
{
	return time < 0 ? 0 : LEVELED(fit_for_span)(few, t, (u64)time);
}

/* Bit n: state n has a longer exit latency. */
INLINE u32 LEVELED(slower)(bool few, const struct table *t, u64 latency)
{
	return few ? LEVELED(beyond_few)(t->few_exits, (s32)least(latency, MOST))
		   : LEVELED(beyond)(t->exit, latency);
}

/* Whether intercepts by the tick make a difference. */
#define COUNTS_TICKS(f)                                                                               \
	((f)->tick_intercepts == TICK_INTERCEPTS_BEYOND || (f)->two_thirds ||                         \
	 (f)->tick_intercepts == TICK_INTERCEPTS_WITHIN || (f)->tick_idles == TICK_IDLES_UNLESS)

INLINE void LEVELED(learn)(const struct teo_features *f, bool few, const struct table *t,
			   struct LEVELED(bins) *b, struct LEVELED(teo) *m, const struct wakeup *w,
			   u32 fits)
{
	bool tick_bin = f->tick_hits && t->residency[t->count - 1] < t->tick;
	u64 latency = t->exit[w->state], measured;
	u64 endless;
	bool hit;
	u32 slot;
	s32 timer, idle;
	s64 early;

	switch (f->tick_idles) {
	case TICK_IDLES_ENDLESS:
		endless = f->wakeup_flag ? w->safety_net : w->time_span >= w->sleep_length;
		break;
	case TICK_IDLES_MEASURED:
	case TICK_IDLES_UNLESS:
	default:
		endless = w->poll_limit;
	}
	/* Else of the last row, whose timers were asked for. */
	if (f->lazy_timers)
		fits = LEVELED(fit_for)(few, t, w->sleep_length);
	timer = highest(fits | 1);
	measured = w->residency >= latency ? w->residency - latency / 2 : w->residency / 2;
	measured |= -endless; /* of the greatest length: without a branch that is hard to foresee */

	b->hits = LEVELED(decayed_bins)(f, b->hits);
	b->intercepts = LEVELED(decayed_bins)(f, b->intercepts);
	if (f->running_total)
		b->total = LEVELED(decayed)(f, b->total) + PULSE;
	if (COUNTS_TICKS(f))
		b->tick_intercepts = LEVELED(decayed)(f, b->tick_intercepts);
	if (tick_bin)
		b->tick_hits = LEVELED(decayed)(f, b->tick_hits);
	if (f->short_idles) {
		b->short_idles = LEVELED(decayed)(f, b->short_idles);
		if (!endless && (measured < SHORT_NS || w->residency < latency))
			b->short_idles += PULSE;
	}
	if (f->deepest_for_ticks)
		b->tick_wakeups = LEVELED(decayed)(f, b->tick_wakeups);
	if (w->got_tick && (f->deepest_for_ticks || f->tick_idles == TICK_IDLES_UNLESS)) {
		u32 total = LEVELED(total)(f, b) + (f->running_total ? 0 : PULSE);

		b->tick_wakeups += f->deepest_for_ticks ? PULSE : 0;
		if (f->deepest_for_ticks && 3 * b->tick_wakeups > 2 * total) {
			b->hits += LEVELED(one_at)((s32)t->count - 1) * PULSE;
			return;
		}
		if (f->tick_idles == TICK_IDLES_UNLESS &&
		    3 * b->tick_intercepts < 2 * (total - PULSE)) {
			b->hits += LEVELED(one_at)(timer) * PULSE;
			return;
		}
	}
	slot = b->next_slot;
	b->next_slot = slot + 1 == RECENT ? 0 : slot + 1;
	if (f->recent)
		LEVELED(add_recent)(f, b, m->unbounded, m->slots[slot], -1);
	idle = highest(LEVELED(fit_for_span)(few, t, measured) | 1);
	if (idle > timer)
		idle = timer;
	if (tick_bin && w->sleep_length >= (s64)t->tick) {
		if (measured >= t->tick) {
			b->tick_hits += PULSE;
			return;
		}
		timer = (s32)t->count;
	}
	/* The difference wraps where the idle is endless. */
	early = (s64)((u64)w->sleep_length - least(measured, INT64_MAX));
	hit = timer == idle && (!f->close_hits || early < (s64)(latency / 2));
	/* Hard to foresee, hence without branches: -1 is no bin. */
	b->hits += LEVELED(one_at)(timer | ((s32)hit - 1)) * PULSE;
	idle |= -(s32)hit;
	b->intercepts += LEVELED(one_at)(idle) * PULSE;
	m->slots[slot] = idle;
	if (f->recent)
		LEVELED(add_recent)(f, b, m->unbounded, idle, 1);
	if (COUNTS_TICKS(f)) {
		bool counts = f->tick_intercepts == TICK_INTERCEPTS_BEYOND ? measured >= t->tick
								      : measured <= t->tick;
		b->tick_intercepts += counts && !hit ? PULSE : 0;
	}
}

INLINE int LEVELED(shallower)(bool few, const struct table *t, int state, s64 duration, u32 enabled)
{
	u32 above = enabled & ((1u << state) - 1), fit = above & LEVELED(fit_for)(few, t, duration);

	return fit ? highest(fit) : above ? lowest(above) : state;
}

INLINE bool LEVELED(deep_enough)(const struct table *t, const struct row *row, int state)
{
	return !row->tick_stopped || t->residency[state] >= t->tick;
}

INLINE s64 LEVELED(span)(const struct table *t, int state)
{
	return (s64)((t->residency[state] + t->residency[state + 1]) / 2);
}

/* Whether a state serves where the tick is stopped. */
INLINE bool LEVELED(outlasts)(const struct teo_features *f, const struct table *t, int state)
{
	if (f->stopped_tick == STOPPED_TICK_SPAN)
		return LEVELED(span)(t, state) >= (s64)t->tick;
	return f->stopped_tick != STOPPED_TICK_RESIDENCY || t->residency[state] >= t->tick;
}

/*
 * Up to 6.18: from the candidate down to where most intercepts lie, or else the next deeper state that
 * serves. None does if the tick is stopped and the deepest of these is too shallow for that.
 */
INLINE int LEVELED(lookup)(const struct teo_features *f, bool few, const struct table *t,
			   const struct LEVELED(bins) *b, const u32 *unbounded, const struct row *row,
			   u32 enabled, int state, const struct LEVELED(sums) *below, bool by_sums,
			   bool by_recent, s64 *duration)
{
	const u32 above = (1u << state) - 1;
	u32 most = above, recent = 0, serves;

	most &= LEVELED(half_above)(few, b->intercepts, below->intercepts) | -(u32)!by_sums;
	if (f->recent && !f->tick_hits)
		most &= LEVELED(half_above)(few, b->recent, below->recent) | -(u32)!by_recent;
	for (int i = state; f->recent && by_recent && f->tick_hits && i-- > 0;) {
		recent += unbounded[i];
		most &= ~((u32)(2 * recent <= below->recent) << i);
	}
	if (!most)
		return state;
	serves = enabled & above & ~0u << highest(most);
	if (row->tick_stopped) {
		if (serves >> highest(most) > 1 && !LEVELED(outlasts)(f, t, highest(serves)))
			return state;
		while (serves && !LEVELED(outlasts)(f, t, lowest(serves)))
			serves &= serves - 1;
	}
	if (!serves)
		return state;
	state = lowest(serves);
	*duration = LEVELED(span)(t, state);
	return state;
}

/* From 6.19 on: among enabled states; if they end before, the shallowest. */
INLINE int LEVELED(lookup_enabled)(const struct teo_features *f, const struct table *t,
				   const struct LEVELED(bins) *b, const struct row *row,
				   u32 enabled, int state, u32 intercepts)
{
	int low = lowest(enabled), peak = state;
	u32 sums = 0;

	if (f->stopped_tick == STOPPED_TICK_RESIDENCY && row->tick_stopped) {
		while (low < state && t->residency[low] < t->tick)
			low++;
		if (f->empty_bins && t->residency[low] == t->residency[state])
			return state;
	}
	if (f->peak_first) {
		peak = 0;
		for (int i = 1; i < (int)t->count - 1; i++)
			if (b->intercepts[i] >= b->intercepts[peak])
				peak = i;
	}
	for (int i = state - 1; i >= low; i--) {
		sums += b->intercepts[i];
		if (!(enabled >> i & 1))
			continue;
		state = i;
		if (2 * sums > intercepts && i <= peak)
			break;
	}
	return state;
}

/* Of the features with lazy timers: whether the state is worth asking them. */
INLINE bool LEVELED(worth_asking)(const struct teo_features *f, const struct table *t,
				  const struct LEVELED(bins) *b, const struct row *row, int state,
				  u32 total)
{
	bool is_short = t->residency[state] < SHORT_NS;

	if (!f->short_idles)
		return state > 0 && !(is_short && t->polling & 1);
	if (f->stopped_tick == STOPPED_TICK_LAST && row->tick_stopped)
		return true;
	return !((state == 0 || is_short) &&
		 (2 * b->short_idles >= total || row->latency_req_us * 1000ull < TIGHT_NS));
}

INLINE int LEVELED(by_timer)(const struct teo_features *f, bool few, const struct table *t,
			     const struct row *row, u32 enabled, int state)
{
	s64 sleep = row->sleep_length_ns;

	if ((s64)t->residency[state] > sleep) {
		int lower = LEVELED(shallower)(few, t, state, sleep, enabled);
		if (f->timer_wins || LEVELED(deep_enough)(t, row, lower))
			state = lower;
	}
	return state;
}

/* Fills in what is remembered of the timers, and what is known of this row. */
INLINE struct decision LEVELED(choose)(const struct teo_features *f, bool few,
				       const struct table *t,
				       const struct LEVELED(bins) *b, const u32 *unbounded,
				       const struct row *row, s64 *known, struct compared *compared)
{
	u32 all = (1u << t->count) - 1, enabled = ~(u32)row->disabled & all, usable;
	s64 sleep = row->sleep_length_ns, duration = f->lazy_timers ? KTIME_MAX : sleep;
	struct LEVELED(sums) below = {0};
	int state = 0, first, constraint = 0, found;
	s64 delta = row->delta_next_ns;
	bool utilised = f->utilisation && row->cpu_util > row->cpu_capacity >> UTILISED_SHIFT;
	u32 quiet = enabled & ~t->polling, stop;
	bool by_sums, by_recent;

	*known = duration;
	if (!f->lazy_timers)
		compared->fits = LEVELED(fit_for)(few, t, sleep);
	if (t->count < 2 || !enabled) {
		if (f->lazy_timers)
			return (struct decision){0, 0};
		goto tick;
	}
	if (!f->lazy_timers && enabled & 1 && (s64)t->residency[1] > sleep)
		goto tick;
	if (utilised && t->count == 2 && f->lazy_timers) {
		if ((quiet & 1 && LEVELED(deep_enough)(t, row, 0)) || !(enabled & 2))
			return (struct decision){0, 0};
		state = 1;
		duration = (s64)t->residency[1];
		delta = (s64)(t->tick / 2);
		goto tick;
	}
	if (utilised && t->count == 2 && quiet) {
		state = lowest(quiet);
		goto tick;
	}

	/* The candidate. */
	state = first = lowest(enabled);
	usable = enabled & ~1u;
	if (!f->lazy_timers) {
		u32 deep = usable & ~compared->fits;

		usable &= (deep & -deep) - 1; /* all, if none is too deep */
	}
	if (usable) {
		state = highest(usable);
		if (row->latency_req_us != compared->latency_req_us) {
			compared->latency_req_us = row->latency_req_us;
			compared->slower =
				LEVELED(slower)(few, t, row->latency_req_us * (u64)NS_PER_US);
		}
		constraint = highest((usable & ~compared->slower) | 1);
		below = LEVELED(sums_below)(f, b, unbounded, state);
	}
	if (state == first) {
		if (f->lazy_timers)
			duration = (s64)t->residency[state];
		goto tick;
	}
	if (f->running_total)
		below.total = b->total;
	else
		below.total += b->tick_hits;
	by_sums = 2 * below.intercepts > below.total - below.hits;
	by_recent = f->recent && below.recent > RECENT / 2;
	if ((by_sums | by_recent) && f->passes_disabled)
		state = LEVELED(lookup_enabled)(f, t, b, row, enabled, state, below.intercepts);
	else if (by_sums | by_recent)
		state = LEVELED(lookup)(f, few, t, b, unbounded, row, enabled, state, &below, by_sums,
					by_recent, &duration);
	found = state;
	if (state > constraint)
		state = constraint;
	if (utilised) {
		s64 most = f->lazy_timers ? KTIME_MAX : duration;
		int lower = LEVELED(shallower)(few, t, state, most, quiet);
		if (!f->lazy_timers || LEVELED(deep_enough)(t, row, lower))
			state = lower;
	}

	if (f->lazy_timers) {
		if (!LEVELED(worth_asking)(f, t, b, row, state, below.total)) {
			if (f->asks_for_zero && found == 0)
				*known = sleep;
			return (struct decision){(u8)state, 0};
		}
		*known = duration = sleep;
		/* Neither tick nor timer would end a long stay in so shallow a state. */
		if (f->stopped_tick == STOPPED_TICK_LAST && row->tick_stopped &&
		    sleep > 2 * (s64)t->tick && t->residency[state] < t->tick) {
			u32 deeper = enabled & LEVELED(fit_for)(few, t, sleep) &
				     ((2u << constraint) - 1) & ~((2u << state) - 1);
			return (struct decision){(u8)(deeper ? highest(deeper) : state), 1};
		}
		if (state == 0)
			return (struct decision){0, 0};
		state = LEVELED(by_timer)(f, few, t, row, enabled, state);
		if (t->residency[state] < t->tick) {
			u32 weight = b->tick_intercepts, total = below.total;

			if (f->tick_intercepts == TICK_INTERCEPTS_ALL)
				weight = LEVELED(sum)(b->intercepts);
			if (f->two_thirds ? 3 * weight >= 2 * total : weight > total / 2 + total / 8)
				duration = (s64)(t->tick / 2);
		}
	}
tick:
	stop = row->tick_stopped | ((duration >= (s64)t->tick) & ~(t->polling >> state) & 1);
	if (!stop & ((s64)t->residency[state] > delta))
		state = LEVELED(shallower)(few, t, state, delta, enabled);
	return (struct decision){(u8)state, (u8)stop};
}

INLINE void LEVELED(boot)(struct LEVELED(teo) *teo)
{
	memset(teo, 0, sizeof(*teo));
	teo->booted = teo->pending.unlearnt = true;
	memset(teo->slots, -1, sizeof(teo->slots));
}

/* One table gains nothing from longer vectors. */
#if LEVEL < 4
/* few: see struct table. */
INLINE void LEVELED(run)(const struct teo_features *f, bool few, const struct table *t,
			 void *memory, const struct row *rows, size_t row_count,
			 struct decision *decisions, struct estimate *made)
{
	struct LEVELED(teo) teo;
	struct pending pending; /* variables of their own, of which registers are made */
	struct LEVELED(bins) bins;
	struct compared compared = {.slower = LEVELED(slower)(few, t, 0)};

	memcpy(&teo, memory, sizeof(teo));
	if (!teo.booted)
		LEVELED(boot)(&teo);
	pending = teo.pending;
	bins = teo.bins;
	compared.fits = LEVELED(fit_for)(few, t, pending.wakeup.sleep_length);
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		if (pending.unlearnt)
			LEVELED(learn)(f, few, t, &bins, &teo, &pending.wakeup, compared.fits);
		pending.unlearnt = false;
		decisions[i] = LEVELED(choose)(f, few, t, &bins, teo.unbounded, &rows[i], &pending.sleep_length,
					      &compared);
		pending.selected_ns = rows[i].clock_ns;
		if (made)
			estimate_end(made, decisions[i]);
		finish(&pending, &rows[i], t, true, decisions[i].state);
	}
	teo.pending = pending;
	teo.bins = bins;
	teo.bins.total = LEVELED(total)(f, &bins);
	memcpy(memory, &teo, sizeof(teo));
}

static void LEVELED(run_any)(const u32 *features, const struct table *t, void *memory,
			     const struct row *rows, size_t row_count, struct decision *decisions,
			     struct estimate *made)
{
	if (t->few)
		LEVELED(run)((const struct teo_features *)features, true, t, memory, rows,
			     row_count, decisions, made);
	else
		LEVELED(run)((const struct teo_features *)features, false, t, memory, rows,
			     row_count, decisions, made);
}

#define ERA(name, ...)                                                                          \
	static void LEVELED(run_##name)(const u32 *features, const struct table *t,             \
					void *memory, const struct row *rows,                   \
					size_t row_count, struct decision *decisions,           \
					struct estimate *made)                                  \
	{                                                                                       \
		static const struct teo_features era = {__VA_ARGS__};                           \
		if (t->few && !made)                                                            \
			LEVELED(run)(&era, true, t, memory, rows, row_count, decisions, NULL);  \
		else                                                                            \
			LEVELED(run_any)(features, t, memory, rows, row_count, decisions, made); \
	}
TEO_ERAS(ERA)
#undef ERA

#define ERA(name, ...) {{__VA_ARGS__}, LEVELED(run_##name)},
static const struct teo_era LEVELED(eras)[] = {TEO_ERAS(ERA)};
#undef ERA

static replay_fn *LEVELED(specialised)(const u32 *features)
{
	for (size_t i = 0; i < sizeof(LEVELED(eras)) / sizeof(LEVELED(eras)[0]); i++)
		if (!memcmp(&LEVELED(eras)[i].features, features, sizeof(struct teo_features)))
			return LEVELED(eras)[i].run;
	return NULL;
}
#endif

#if LEVEL >= 3 || defined(BASELINE_LANES)
#include "teo_lanes.h"
#endif
