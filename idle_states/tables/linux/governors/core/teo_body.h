/*
 * teo's second generation, 5.14 on: bins with hits and intercepts. Included once per instruction
 * set, see levels.h. All times are signed ns, but for what was measured, which may be endless.
 */
#include "beyond.h"

typedef u32 LEVELED(eight) __attribute__((vector_size(32)));

/* A metric of all bins. Those beyond the table stay 0. Written as a whole, for it is read so. */
struct LEVELED(metric) {
	LEVELED(eight) low, high;
};

struct LEVELED(bins) {
	struct LEVELED(metric) hits, intercepts, recent;
	s32 slots[RECENT];
	u32 next_slot, total, tick_hits, tick_intercepts, tick_wakeups, short_idles;
};

struct LEVELED(teo) {
	u32 booted;
	struct pending pending;
	struct LEVELED(bins) bins;
};
_Static_assert(sizeof(struct LEVELED(teo)) <= MEMORY_SIZE, "fits");

static const LEVELED(eight) LEVELED(low_bins) = {0, 1, 2, 3, 4, 5, 6, 7};
static const LEVELED(eight) LEVELED(high_bins) = {8, 9, 10, 11, 12, 13, 14, 15};

INLINE u32 LEVELED(decayed)(const struct teo_features *f, u32 metric)
{
	u32 step = metric >> DECAY_SHIFT;

	return f->decays_to_zero && !step ? 0 : metric - step;
}

INLINE LEVELED(eight) LEVELED(decayed_eight)(const struct teo_features *f, LEVELED(eight) metric)
{
	LEVELED(eight) step = metric >> DECAY_SHIFT;

	metric -= step;
	return f->decays_to_zero ? metric & (LEVELED(eight))(step != 0) : metric;
}

INLINE void LEVELED(decay)(const struct teo_features *f, bool few, struct LEVELED(metric) *m)
{
	m->low = LEVELED(decayed_eight)(f, m->low);
	if (!few)
		m->high = LEVELED(decayed_eight)(f, m->high);
}

INLINE u32 LEVELED(sum)(LEVELED(eight) a)
{
	typedef u32 four __attribute__((vector_size(16)));
	four low, high;

	memcpy(&low, &a, sizeof(low));
	memcpy(&high, (const char *)&a + sizeof(low), sizeof(high));
	low += high;
	low += __builtin_shuffle(low, (four){2, 3, 0, 1});
	low += __builtin_shuffle(low, (four){1, 0, 3, 2});
	return low[0];
}

/* Of the bins below `count`, in eight sums. */
INLINE LEVELED(eight) LEVELED(sums_below)(bool few, const struct LEVELED(metric) *m, u32 count)
{
	LEVELED(eight) found = m->low & (LEVELED(eight))(LEVELED(low_bins) < count);

	return few ? found : found + (m->high & (LEVELED(eight))(LEVELED(high_bins) < count));
}

INLINE u32 LEVELED(below)(bool few, const struct LEVELED(metric) *m, u32 count)
{
	return LEVELED(sum)(LEVELED(sums_below)(few, m, count));
}

INLINE void LEVELED(add)(bool few, struct LEVELED(metric) *m, u32 bin, u32 what)
{
	m->low += (LEVELED(eight))(LEVELED(low_bins) == bin) & what;
	if (!few)
		m->high += (LEVELED(eight))(LEVELED(high_bins) == bin) & what;
}

INLINE u32 LEVELED(of_bin)(const struct LEVELED(metric) *m, u32 bin)
{
	u32 value;

	memcpy(&value, (const char *)m + bin * sizeof(value), sizeof(value));
	return value;
}

/* Bit n: state n is fit for the time. */
INLINE u32 LEVELED(fit_for)(bool few, const struct table *t, s64 time)
{
	if (few)
		return ~LEVELED(beyond_few)(t->few_residencies, cut(time)) & ((1u << t->count) - 1);
	return time < 0 ? 0 : ~LEVELED(beyond)(t->residency, (u64)time) & ((1u << t->count) - 1);
}

/* Bit n: state n has a longer exit latency. */
INLINE u32 LEVELED(slower)(bool few, const struct table *t, u64 latency)
{
	return few ? LEVELED(beyond_few)(t->few_exits, cut((s64)latency))
		   : LEVELED(beyond)(t->exit, latency);
}

INLINE int LEVELED(bin)(bool few, const struct table *t, s64 time)
{
	return highest(LEVELED(fit_for)(few, t, time) | 1);
}

INLINE bool LEVELED(ticks_prevail)(const struct LEVELED(bins) *b)
{
	return 3 * b->tick_intercepts >= 2 * b->total;
}

INLINE void LEVELED(learn)(const struct teo_features *f, bool few, const struct table *t,
			   struct LEVELED(bins) *b, const struct wakeup *w)
{
	bool tick_bin = f->tick_hits && t->residency[t->count - 1] < t->tick;
	u64 latency = t->exit[w->state], measured = U64_MAX;
	bool endless, hit;
	u32 slot, rest = 0;
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
	if (!endless)
		measured = w->residency >= latency ? w->residency - latency / 2 : w->residency / 2;

	LEVELED(decay)(f, few, &b->hits);
	LEVELED(decay)(f, few, &b->intercepts);
	if (!f->running_total)
		rest = LEVELED(sum)(LEVELED(sums_below)(few, &b->hits, 16) +
				    LEVELED(sums_below)(few, &b->intercepts, 16));
	b->tick_intercepts = LEVELED(decayed)(f, b->tick_intercepts);
	b->tick_wakeups = LEVELED(decayed)(f, b->tick_wakeups);
	b->short_idles = LEVELED(decayed)(f, b->short_idles);
	if (tick_bin)
		b->tick_hits = LEVELED(decayed)(f, b->tick_hits);
	rest = f->running_total ? LEVELED(decayed)(f, b->total) : rest + b->tick_hits;
	b->total = rest + PULSE;

	if (!endless && (measured < SHORT_NS || w->residency < latency))
		b->short_idles += PULSE;
	if (w->got_tick) {
		b->tick_wakeups += PULSE;
		if (f->deepest_for_ticks && 3 * b->tick_wakeups > 2 * b->total) {
			LEVELED(add)(few, &b->hits, t->count - 1, PULSE);
			return;
		}
		if (f->tick_idles == TICK_IDLES_UNLESS &&
		    3 * b->tick_intercepts < 2 * (b->total - PULSE)) {
			LEVELED(add)(few, &b->hits, (u32)LEVELED(bin)(few, t, w->sleep_length), PULSE);
			return;
		}
	}
	slot = b->next_slot;
	b->next_slot = slot + 1 == RECENT ? 0 : slot + 1;
	/* -1 is no bin. */
	if (f->recent)
		LEVELED(add)(few, &b->recent, (u32)b->slots[slot], U32_MAX);
	timer = LEVELED(bin)(few, t, w->sleep_length);
	idle = LEVELED(bin)(few, t, (s64)least(measured, INT64_MAX));
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
	/* Hard to foresee, hence without branches. */
	LEVELED(add)(few, &b->hits, hit ? (u32)timer : U32_MAX, PULSE);
	idle = hit ? -1 : idle;
	LEVELED(add)(few, &b->intercepts, (u32)idle, PULSE);
	b->slots[slot] = idle;
	if (f->recent)
		LEVELED(add)(few, &b->recent, (u32)idle, 1);
	if (f->tick_intercepts == TICK_INTERCEPTS_BEYOND ||
	    f->tick_intercepts == TICK_INTERCEPTS_WITHIN || f->two_thirds ||
	    f->tick_idles == TICK_IDLES_UNLESS) {
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

/* Up to 6.18: from the candidate down to where most intercepts lie. */
INLINE int LEVELED(lookup)(const struct teo_features *f, const struct table *t,
			   const struct LEVELED(bins) *b, const struct row *row, u32 enabled,
			   int state, u32 intercepts, u32 recent, bool by_sums, bool by_recent,
			   s64 *duration)
{
	int suitable = state;
	s64 suitable_span = *duration;
	u32 sums = 0, recent_sum = 0;

	for (int i = state - 1; i >= 0; i--) {
		s64 span = (s64)((t->residency[i] + t->residency[i + 1]) / 2);
		bool fit = true, is_enabled = enabled >> i & 1;

		sums += LEVELED(of_bin)(&b->intercepts, (u32)i);
		if (f->recent)
			recent_sum += LEVELED(of_bin)(&b->recent, (u32)i);
		if (f->stopped_tick == STOPPED_TICK_SPAN)
			fit = !row->tick_stopped || span >= (s64)t->tick;
		else if (f->stopped_tick == STOPPED_TICK_RESIDENCY)
			fit = LEVELED(deep_enough)(t, row, i);
		if ((!by_sums || 2 * sums > intercepts) &&
		    (!by_recent || 2 * recent_sum > recent)) {
			if (fit && is_enabled) {
				*duration = span;
				return i;
			}
			*duration = suitable_span;
			return suitable;
		}
		if (!is_enabled)
			continue;
		if (fit) {
			suitable = i;
			suitable_span = span;
		} else if (suitable == state) {
			break;
		}
	}
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
			if (LEVELED(of_bin)(&b->intercepts, (u32)i) >=
			    LEVELED(of_bin)(&b->intercepts, (u32)peak))
				peak = i;
	}
	for (int i = state - 1; i >= low; i--) {
		sums += LEVELED(of_bin)(&b->intercepts, (u32)i);
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
				  const struct LEVELED(bins) *b, const struct row *row, int state)
{
	bool is_short = t->residency[state] < SHORT_NS;

	if (!f->short_idles)
		return state > 0 && !(is_short && t->polling & 1);
	if (f->stopped_tick == STOPPED_TICK_LAST && row->tick_stopped)
		return true;
	return !((state == 0 || is_short) &&
		 (2 * b->short_idles >= b->total || row->latency_req_us * 1000ull < TIGHT_NS));
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

/* Fills in what is remembered of the timers. */
INLINE struct decision LEVELED(choose)(const struct teo_features *f, bool few,
				       const struct table *t,
				       const struct LEVELED(bins) *b, const struct row *row,
				       s64 *known)
{
	u32 all = (1u << t->count) - 1, enabled = ~(u32)row->disabled & all, usable, within;
	s64 sleep = row->sleep_length_ns, duration = f->lazy_timers ? KTIME_MAX : sleep;
	u32 hits = 0, intercepts = 0, recent = 0;
	int state = 0, first, constraint = 0, found;
	s64 delta = row->delta_next_ns;
	bool utilised = f->utilisation && row->cpu_util > row->cpu_capacity >> UTILISED_SHIFT;
	u32 quiet = enabled & ~t->polling;
	bool by_sums, by_recent;

	*known = duration;
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
		u32 deep = usable & ~LEVELED(fit_for)(few, t, sleep);
		if (deep)
			usable &= (1u << lowest(deep)) - 1;
	}
	if (usable) {
		state = highest(usable);
		within = usable & ~LEVELED(slower)(few, t, row->latency_req_us * (u64)NS_PER_US);
		constraint = highest(within | 1);
		/* Both at once: all hits and intercepts are below 2^14, for an eighth decays. */
		hits = LEVELED(sum)(LEVELED(sums_below)(few, &b->hits, (u32)state) +
				    (LEVELED(sums_below)(few, &b->intercepts, (u32)state) << 16));
		intercepts = hits >> 16;
		hits &= 0xffff;
		if (f->recent)
			recent = LEVELED(below)(few, &b->recent, (u32)state);
	}
	if (state == first) {
		if (f->lazy_timers)
			duration = (s64)t->residency[state];
		goto tick;
	}
	by_sums = 2 * intercepts > b->total - hits;
	by_recent = f->recent && recent > RECENT / 2;
	if ((by_sums || by_recent) && f->passes_disabled)
		state = LEVELED(lookup_enabled)(f, t, b, row, enabled, state, intercepts);
	else if (by_sums || by_recent)
		state = LEVELED(lookup)(f, t, b, row, enabled, state, intercepts, recent, by_sums,
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
		if (!LEVELED(worth_asking)(f, t, b, row, state)) {
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
			u32 weight = b->tick_intercepts;
			bool kept;
			if (f->tick_intercepts == TICK_INTERCEPTS_ALL)
				weight = LEVELED(below)(few, &b->intercepts, 16);
			kept = f->two_thirds ? LEVELED(ticks_prevail)(b)
					     : weight > b->total / 2 + b->total / 8;
			if (kept)
				duration = (s64)(t->tick / 2);
		}
	}
tick:
	if (row->tick_stopped || (duration >= (s64)t->tick && !(t->polling >> state & 1)))
		return (struct decision){(u8)state, 1};
	if ((s64)t->residency[state] > delta)
		state = LEVELED(shallower)(few, t, state, delta, enabled);
	return (struct decision){(u8)state, 0};
}

INLINE void LEVELED(boot)(struct LEVELED(teo) *teo)
{
	memset(teo, 0, sizeof(*teo));
	teo->booted = teo->pending.unlearnt = true;
	memset(teo->bins.slots, -1, sizeof(teo->bins.slots));
}

/* One table gains nothing from longer vectors. */
#if LEVEL < 4
/* few: see struct table. */
INLINE void LEVELED(run)(const struct teo_features *f, bool few, const struct table *t,
			 void *memory, const struct row *rows, size_t row_count,
			 struct decision *decisions, struct estimate *made)
{
	struct LEVELED(teo) teo;
	struct pending pending; /* a variable of its own, of which registers are made */

	memcpy(&teo, memory, sizeof(teo));
	if (!teo.booted)
		LEVELED(boot)(&teo);
	pending = teo.pending;
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		if (pending.unlearnt)
			LEVELED(learn)(f, few, t, &teo.bins, &pending.wakeup);
		pending.unlearnt = false;
		decisions[i] = LEVELED(choose)(f, few, t, &teo.bins, &rows[i], &pending.sleep_length);
		pending.selected_ns = rows[i].clock_ns;
		if (made)
			estimate_end(made, decisions[i]);
		finish(&pending, &rows[i], t, true, decisions[i].state);
	}
	teo.pending = pending;
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
		if (t->few)                                                                     \
			LEVELED(run)(&era, true, t, memory, rows, row_count, decisions, made);  \
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
