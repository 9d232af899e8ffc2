/*
 * teo's second generation, several tables over one trace: a table per lane. Included once per
 * instruction set that has lanes, by teo_body.h, whose decisions these are. The first row is decided
 * table by table: from then on what is learnt comes of the row before. Conditions that are not of a
 * feature are masks, and work that no lane needs is skipped.
 */
#include "words.h"

/* What is the same for all tables. */
struct LEVELED(common) {
	u32 states; /* places for them */
	u32 slot;   /* where recent intercepts are kept next */
	s32 tick;
	u32 disabled, latency_req_us; /* which lanes are prepared for */
};

struct LEVELED(lanes) {
	/* Memory. */
	words hits[PLACES], intercepts[PLACES], recent[PLACES], slots[RECENT];
	words total, tick_hits, tick_intercepts, tick_wakeups, short_idles;
	words asked, entered; /* of the last row; asked: a mask, of timers */
	/* The tables; residency is INT32_MAX behind the last. */
	words last, residency[PLACES], exit[PLACES], span[PLACES];
	words polling, tick_bin; /* polling: bit n, state n; tick_bin: all states are below the tick */
	/* By the states that are switched off; enabled: masks, none: of no choice. */
	words enabled[PLACES], first, none;
	words candidate, constraint;
	struct outgoing decided;
};

#define more(vector, mask, what) ((vector) += (mask) & (s32)(what))

INLINE words LEVELED(decayed_words)(const struct teo_features *f, words metric)
{
	words step = metric >> DECAY_SHIFT;

	metric -= step;
	return f->decays_to_zero ? metric & (step != 0) : metric;
}

INLINE words LEVELED(bin_words)(const struct LEVELED(common) *c, const struct LEVELED(lanes) *m,
				words time)
{
	words bin = words_of(0);

	for (u32 i = 1; i < c->states; i++)
		bin = pick_words(m->residency[i] <= time, words_of(i), bin);
	return bin;
}

/* Learns from a row, with what its lanes asked and entered. */
INLINE void LEVELED(learn_words)(const struct teo_features *f, const struct LEVELED(common) *c,
				 struct LEVELED(lanes) *m, const struct row *row)
{
	const s64 timer_ns = row->sleep_length_ns;
	const s32 residency = cut((s64)row->residency_ns), tick = c->tick;
	words sleep = pick_words(m->asked, words_of(cut(timer_ns)), words_of(MOST));
	words latency, half, long_enough, total = words_of(0), open = words_of(-1);
	words endless = words_of(0), measured, timer, idle, hit, missed;

	if (row->entered == AS_SELECTED)
		latency = of_state(m->exit, c->states, m->entered);
	else
		latency = m->exit[row->entered % 16];
	half = latency >> 1;
	long_enough = latency <= residency;
	if (row->poll_time_limit)
		endless = if_words(row->entered != AS_SELECTED) | (m->entered == (s32)row->recorded);
	if (f->tick_idles == TICK_IDLES_ENDLESS) {
		s64 span = (s64)(row->reflect_clock_ns - row->clock_ns);

		if (row->got_tick)
			endless |= sleep > tick;
		if (!f->wakeup_flag)
			endless |= (m->asked & if_words(span >= timer_ns)) |
				   if_words(span >= KTIME_MAX);
	}
	measured = pick_words(long_enough, residency - half, words_of(residency / 2));
	measured = pick_words(endless, words_of(MOST), measured);

	for (u32 i = 0; i < c->states; i++) {
		m->hits[i] = LEVELED(decayed_words)(f, m->hits[i]);
		m->intercepts[i] = LEVELED(decayed_words)(f, m->intercepts[i]);
		if (!f->running_total)
			total += m->hits[i] + m->intercepts[i];
	}
	if (f->tick_hits)
		m->tick_hits = LEVELED(decayed_words)(f, m->tick_hits);
	total = f->running_total ? LEVELED(decayed_words)(f, m->total) : total + m->tick_hits;
	m->total = total += PULSE;
	if (COUNTS_TICKS(f))
		m->tick_intercepts = LEVELED(decayed_words)(f, m->tick_intercepts);
	if (f->short_idles) {
		m->short_idles = LEVELED(decayed_words)(f, m->short_idles);
		more(m->short_idles, ~endless & ((measured < SHORT_NS) | ~long_enough), PULSE);
	}
	if (f->deepest_for_ticks)
		m->tick_wakeups = LEVELED(decayed_words)(f, m->tick_wakeups);
	timer = LEVELED(bin_words)(c, m, sleep);
	if (row->got_tick) {
		words deepest = words_of(0), by_timer = words_of(0);

		if (f->deepest_for_ticks) {
			m->tick_wakeups += PULSE;
			deepest = 3 * m->tick_wakeups > 2 * total;
		}
		if (f->tick_idles == TICK_IDLES_UNLESS)
			by_timer = ~deepest & (3 * m->tick_intercepts < 2 * (total - PULSE));
		open = ~(deepest | by_timer);
		if (any_word(~open))
			for (u32 i = 0; i < c->states; i++) {
				more(m->hits[i], deepest & (m->last == (s32)i), PULSE);
				more(m->hits[i], by_timer & (timer == (s32)i), PULSE);
			}
	}
	if (f->recent)
		for (u32 i = 0; i < c->states; i++)
			m->recent[i] += m->slots[c->slot] == (s32)i;
	idle = LEVELED(bin_words)(c, m, measured);
	idle = pick_words(idle < timer, idle, timer);
	if (f->tick_hits) {
		words beyond = m->tick_bin & (sleep >= tick), late = open & beyond & (measured >= tick);

		more(m->tick_hits, late, PULSE);
		open &= ~late;
		timer |= beyond; /* no bin */
	}
	hit = timer == idle;
	if (f->close_hits) {
		words far = (m->asked & if_words(timer_ns < INT64_MAX)) | (half > 0);
		words near = m->asked & if_words(timer_ns < (s64)row->residency_ns);

		near = pick_words(long_enough, near, sleep < half + residency / 2);
		hit &= pick_words(endless, far, near);
	}
	missed = open & ~hit;
	hit &= open;
	for (u32 i = 0; i < c->states; i++) {
		words is_idle = missed & (idle == (s32)i);

		more(m->hits[i], hit & (timer == (s32)i), PULSE);
		more(m->intercepts[i], is_idle, PULSE);
		if (f->recent)
			m->recent[i] -= is_idle;
	}
	if (f->recent)
		m->slots[c->slot] = pick_words(open, idle | hit, m->slots[c->slot]);
	if (COUNTS_TICKS(f)) {
		bool beyond = f->tick_intercepts == TICK_INTERCEPTS_BEYOND;

		more(m->tick_intercepts, missed & (beyond ? measured >= tick : measured <= tick),
		     PULSE);
	}
}

/* The deepest states above those found that a time is long enough for, or the first ones. */
INLINE words LEVELED(shallower_words)(const struct LEVELED(common) *c,
				      const struct LEVELED(lanes) *m, words state, s32 time)
{
	words found = pick_words(m->first < state, m->first, state);

	for (u32 i = 0; i + 1 < c->states; i++)
		found = pick_words(m->enabled[i] & (state > (s32)i) & (m->residency[i] <= time),
				   words_of(i), found);
	return found;
}

/* Candidates of a row. They stay until other states are switched off, where timers are asked later. */
INLINE void LEVELED(find_candidates)(const struct teo_features *f, const struct LEVELED(common) *c,
				     struct LEVELED(lanes) *m, const struct row *row)
{
	s32 latency = cut((s64)row->latency_req_us * NS_PER_US), sleep = cut(row->sleep_length_ns);
	words open = words_of(-1);

	m->candidate = m->first;
	m->constraint = words_of(0);
	for (u32 i = 1; i < c->states; i++) {
		words enabled = m->enabled[i];

		if (!f->lazy_timers) {
			open &= ~enabled | (m->residency[i] <= sleep);
			enabled &= open;
		}
		m->candidate = pick_words(enabled, words_of(i), m->candidate);
		m->constraint = pick_words(enabled & (m->exit[i] <= latency), words_of(i),
					   m->constraint);
	}
}

/* Where the states of these bits are switched off. */
INLINE void LEVELED(switch_off)(const struct LEVELED(common) *c, struct LEVELED(lanes) *m,
				u32 disabled)
{
	m->none = words_of(-1);
	m->first = words_of(0);
	for (u32 i = c->states; i-- > 0;) {
		m->enabled[i] = (m->last >= (s32)i) & if_words(!(disabled >> i & 1));
		m->first = pick_words(m->enabled[i], words_of(i), m->first);
		m->none &= ~m->enabled[i];
	}
	m->none |= m->last == 0;
}

/* See LEVELED(lookup). Masks: looks, and by what; *duration is set. */
INLINE words LEVELED(lookup_words)(const struct teo_features *f, const struct LEVELED(common) *c,
				   const struct LEVELED(lanes) *m, bool stopped, words looks,
				   words by_sums, words by_recent, words intercepts, words recent,
				   words *duration)
{
	words state = m->candidate, suitable = state, suitable_span = *duration;
	words sums = words_of(0), recent_sum = words_of(0);

	for (u32 i = c->states - 1; i-- > 0;) {
		words here = looks & (m->candidate > (s32)i), fit = words_of(-1), found, kept;

		sums += here & m->intercepts[i];
		found = here & (~by_sums | (2 * sums > intercepts));
		if (f->recent) {
			recent_sum += here & m->recent[i];
			found &= ~by_recent | ((2 * recent_sum ^ INT32_MIN) > (recent ^ INT32_MIN));
		}
		if (stopped && f->stopped_tick == STOPPED_TICK_SPAN)
			fit = m->span[i] >= c->tick;
		else if (stopped && f->stopped_tick == STOPPED_TICK_RESIDENCY)
			fit = m->residency[i] >= c->tick;
		kept = m->enabled[i] & fit;
		suitable = pick_words(here & kept, words_of(i), suitable);
		suitable_span = pick_words(here & kept, m->span[i], suitable_span);
		state = pick_words(found, suitable, state);
		*duration = pick_words(found, suitable_span, *duration);
		looks &= ~found & ~(here & m->enabled[i] & ~fit & (suitable == m->candidate));
	}
	return state;
}

/* See LEVELED(lookup_enabled). */
INLINE words LEVELED(lookup_enabled_words)(const struct teo_features *f,
					   const struct LEVELED(common) *c,
					   const struct LEVELED(lanes) *m, bool stopped,
					   words looks, words intercepts)
{
	words state = m->candidate, low = m->first, peak = state, sums = words_of(0);

	if (stopped && f->stopped_tick == STOPPED_TICK_RESIDENCY) {
		for (u32 i = 0; i < c->states; i++)
			low -= (low == (s32)i) & (state > (s32)i) & (m->residency[i] < c->tick);
		if (f->empty_bins)
			looks &= of_state(m->residency, c->states, low) !=
				 of_state(m->residency, c->states, state);
	}
	if (f->peak_first) {
		words most = m->intercepts[0];

		peak = words_of(0);
		for (u32 i = 1; i + 1 < c->states; i++) {
			words is_peak = (m->last > (s32)i) & (m->intercepts[i] >= most);

			most = pick_words(is_peak, m->intercepts[i], most);
			peak = pick_words(is_peak, words_of(i), peak);
		}
	}
	for (u32 i = c->states - 1; i-- > 0;) {
		words here = looks & (m->candidate > (s32)i) & (low <= (s32)i), found;

		sums += here & m->intercepts[i];
		found = here & m->enabled[i];
		state = pick_words(found, words_of(i), state);
		looks &= ~(found & (2 * sums > intercepts) & (peak >= (s32)i));
	}
	return state;
}

/* Decides a row for all lanes; state | stop_tick << 8 in each. */
INLINE words LEVELED(choose_words)(const struct teo_features *f, const struct LEVELED(common) *c,
				   struct LEVELED(lanes) *m, const struct row *row)
{
	const s32 sleep = cut(row->sleep_length_ns), delta = cut(row->delta_next_ns), tick = c->tick;
	const bool stopped = row->tick_stopped;
	words zero = words_of(0), hits = zero, intercepts = zero, recent = zero, by_recent = zero;
	words state, plain, early = m->none, by_sums, rest, duration, residency, ticks, stops;

	if (!f->lazy_timers) {
		LEVELED(find_candidates)(f, c, m, row);
		early |= m->enabled[0] & (m->residency[1] > sleep);
	}
	state = m->candidate & ~early;
	plain = early | (m->candidate == m->first);
	duration = words_of(sleep);
	for (u32 i = 0; i + 1 < c->states; i++) {
		words below = m->candidate > (s32)i;

		hits += below & m->hits[i];
		intercepts += below & m->intercepts[i];
		if (f->recent)
			recent += below & m->recent[i];
	}
	/* More hits than the total are as an endless rest. */
	rest = m->total - hits;
	by_sums = ~plain & (2 * intercepts > rest) & (rest >= 0);
	if (f->recent)
		by_recent = ~plain & ((recent > RECENT / 2) | (recent < 0));
	if (any_word(by_sums | by_recent)) {
		words looks = by_sums | by_recent, found;

		if (f->passes_disabled)
			found = LEVELED(lookup_enabled_words)(f, c, m, stopped, looks, intercepts);
		else
			found = LEVELED(lookup_words)(f, c, m, stopped, looks, by_sums, by_recent,
						      intercepts, recent, &duration);
		state = pick_words(looks, found, state);
	}
	ticks = words_of(-1);
	stops = zero;
	m->asked = words_of(-1);
	if (f->lazy_timers) {
		words found_zero = state == 0, asks, is_short, late;

		state = pick_words(~plain & (state > m->constraint), m->constraint, state);
		residency = of_state(m->residency, c->states, state);
		is_short = residency < SHORT_NS;
		if (!f->short_idles) {
			asks = (state > 0) & ~(is_short & ((m->polling & 1) != 0));
		} else {
			asks = ~((state == 0) | is_short);
			if (row->latency_req_us * 1000ull >= TIGHT_NS)
				asks |= 2 * m->short_idles < m->total;
			if (f->stopped_tick == STOPPED_TICK_LAST && stopped)
				asks = words_of(-1);
		}
		asks &= ~plain;
		m->asked = asks;
		if (f->asks_for_zero)
			m->asked |= ~plain & found_zero;
		if (f->stopped_tick == STOPPED_TICK_LAST && stopped &&
		    row->sleep_length_ns > 2ll * tick) {
			words floor = state;

			stops = asks & (residency < tick);
			for (u32 i = 1; i < c->states; i++)
				state = pick_words(stops & m->enabled[i] & (m->residency[i] <= sleep) &
							   (m->constraint >= (s32)i) &
							   (floor < (s32)i),
						   words_of(i), state);
			asks &= ~stops;
		}
		asks &= state > 0;
		late = asks & (residency > sleep);
		if (any_word(late)) {
			words lower = LEVELED(shallower_words)(c, m, state, sleep), below;

			below = of_state(m->residency, c->states, lower);
			if (stopped && !f->timer_wins)
				late &= below >= tick;
			state = pick_words(late, lower, state);
			residency = pick_words(late, below, residency);
		}
		duration = pick_words(plain, residency, words_of(sleep));
		if (!stopped) {
			words keeps = asks & (residency < tick), weight = m->tick_intercepts;

			if (f->two_thirds) {
				keeps &= 3 * weight >= 2 * m->total;
			} else {
				if (f->tick_intercepts == TICK_INTERCEPTS_ALL) {
					weight = zero;
					for (u32 i = 0; i < c->states; i++)
						weight += m->intercepts[i];
				}
				keeps &= weight > (m->total >> 1) + (m->total >> 3);
			}
			duration = pick_words(keeps, words_of(tick / 2), duration);
		}
		ticks = (plain & ~m->none) | asks;
	} else {
		state = pick_words(~plain & (state > m->constraint), m->constraint, state);
		residency = of_state(m->residency, c->states, state);
	}
	if (stopped) {
		stops |= ticks;
	} else {
		words late, now = ticks & (duration >= tick) & ((m->polling >> state & 1) == 0);

		stops |= now;
		late = ticks & ~now & (residency > delta);
		if (any_word(late))
			state = pick_words(late, LEVELED(shallower_words)(c, m, state, delta), state);
	}
	m->entered = row->entered == AS_SELECTED ? state : words_of(row->entered % 16);
	return state | (stops & 1 << 8);
}

/* From what a table's governor remembers to its lane. */
INLINE void LEVELED(load)(struct LEVELED(common) *c, struct LEVELED(lanes) *m, u32 lane,
			  const struct table *t, const char *memory)
{
	struct LEVELED(teo) one;

	memcpy(&one, memory, sizeof(one));
	for (u32 i = 0; i < PLACES; i++) {
		m->hits[i][lane] = one.bins.hits[i];
		m->intercepts[i][lane] = one.bins.intercepts[i];
		m->recent[i][lane] = (s32)(i < STATES_MAX ? one.bins.recent[i] + one.unbounded[i] : 0);
		m->residency[i][lane] = i < t->count ? (s32)t->residency[i] : INT32_MAX;
		m->exit[i][lane] = (s32)t->exit[i];
	}
	for (u32 i = 0; i < STATES_MAX; i++)
		m->span[i][lane] = (s32)((t->residency[i] + t->residency[i + 1]) / 2);
	for (u32 i = 0; i < RECENT; i++)
		m->slots[i][lane] = one.slots[i];
	m->total[lane] = (s32)one.bins.total;
	m->tick_hits[lane] = (s32)one.bins.tick_hits;
	m->tick_intercepts[lane] = (s32)one.bins.tick_intercepts;
	m->tick_wakeups[lane] = (s32)one.bins.tick_wakeups;
	m->short_idles[lane] = (s32)one.bins.short_idles;
	m->asked[lane] = -(s32)(one.pending.sleep_length != KTIME_MAX);
	m->entered[lane] = (s32)one.pending.wakeup.state;
	m->last[lane] = (s32)t->count - 1;
	m->polling[lane] = (s32)t->polling;
	m->tick_bin[lane] = -(s32)(t->residency[t->count - 1] < t->tick);
	c->slot = one.bins.next_slot;
	c->tick = (s32)t->tick;
}

/* The reverse. last: the row decided last. */
INLINE void LEVELED(store)(const struct teo_features *f, const struct LEVELED(common) *c,
			   const struct LEVELED(lanes) *m, u32 lane, const struct table *t,
			   char *memory, const struct row *last, struct decision decision)
{
	struct LEVELED(teo) one;

	LEVELED(boot)(&one);
	for (u32 i = 0; i < STATES_MAX; i++) {
		one.bins.hits[i] = (u16)m->hits[i][lane];
		one.bins.intercepts[i] = (u16)m->intercepts[i][lane];
		if (f->tick_hits)
			one.unbounded[i] = (u32)m->recent[i][lane];
		else
			one.bins.recent[i] = (u16)m->recent[i][lane];
	}
	for (u32 i = 0; i < RECENT; i++)
		one.slots[i] = m->slots[i][lane];
	one.bins.next_slot = c->slot;
	one.bins.total = (u32)m->total[lane];
	one.bins.tick_hits = (u32)m->tick_hits[lane];
	one.bins.tick_intercepts = (u32)m->tick_intercepts[lane];
	one.bins.tick_wakeups = (u32)m->tick_wakeups[lane];
	one.bins.short_idles = (u32)m->short_idles[lane];
	one.pending.unlearnt = false;
	one.pending.sleep_length = m->asked[lane] ? last->sleep_length_ns : KTIME_MAX;
	one.pending.selected_ns = last->clock_ns;
	finish(&one.pending, last, t, true, decision.state);
	memcpy(memory, &one, sizeof(one));
}

/* Of TOGETHER tables at most; see LEVELED(learn) and LEVELED(choose), whose steps are these. */
INLINE void LEVELED(sweep_places)(const struct teo_features *f, const struct sweep *s, u32 states)
{
	struct LEVELED(common) c = {.states = states};
	struct LEVELED(lanes) groups[TOGETHER / WORDS];
	struct table tables[TOGETHER];
	struct decision *to[TOGETHER];
	const u32 count = (s->tables + WORDS - 1) / WORDS;

	if (!s->row_count)
		return;
	memset(groups, 0, sizeof(groups));
	for (u32 i = 0; i < s->tables; i++) {
		make_table(&tables[i], s->states + i * STATES_MAX, s->counts[i], s->hz, true);
		run_any_0(s->features, &tables[i], s->memories + i * MEMORY_SIZE, s->rows, 1,
			  s->decisions[i], NULL);
	}
	/* Lanes to spare decide what a group's first one does. */
	for (u32 i = 0; i < count * WORDS; i++) {
		u32 of = i < s->tables ? i : i / WORDS * WORDS;

		LEVELED(load)(&c, &groups[i / WORDS], i % WORDS, &tables[of],
			      s->memories + of * MEMORY_SIZE);
		to[i] = s->decisions[of];
	}
	for (size_t n = 1; n < s->row_count; n++) {
		const struct row *row = &s->rows[n], *before = row - 1;
		bool others = n == 1 || row->disabled != c.disabled;
		bool moved = others || row->latency_req_us != c.latency_req_us;

		for (u32 i = 0; i < count; i++) {
			if (others)
				LEVELED(switch_off)(&c, &groups[i], row->disabled);
			if (moved && f->lazy_timers)
				LEVELED(find_candidates)(f, &c, &groups[i], row);
			if (!before->rejected)
				LEVELED(learn_words)(f, &c, &groups[i], before);
			put_decisions(&groups[i].decided, to + i * WORDS, n,
				      LEVELED(choose_words)(f, &c, &groups[i], row));
		}
		if (!before->rejected)
			c.slot = c.slot + 1 == RECENT ? 0 : c.slot + 1;
		c.disabled = row->disabled;
		c.latency_req_us = row->latency_req_us;
	}
	for (u32 i = 0; i < count; i++)
		flush_decisions(&groups[i].decided, to + i * WORDS, s->row_count);
	for (u32 i = 0; i < s->tables; i++)
		LEVELED(store)(f, &c, &groups[i / WORDS], i % WORDS, &tables[i],
			       s->memories + i * MEMORY_SIZE, &s->rows[s->row_count - 1],
			       to[i][s->row_count - 1]);
}

static void LEVELED(sweep_any)(const struct sweep *s)
{
	FOR_PLACES(sweep_places, s, (const struct teo_features *)s->features)
}

#define ERA(name, ...)                                                   \
	static void LEVELED(sweep_##name)(const struct sweep *s)         \
	{                                                                \
		static const struct teo_features era = {__VA_ARGS__};    \
		LEVELED(sweep_places)(&era, s, 8);                       \
	}
TEO_ERAS(ERA)
#undef ERA

/* The code for several tables of a governor with these features. */
static sweep_fn *LEVELED(sweeping)(const struct teo_features *features, const struct sweep *s)
{
#define ERA(name, ...) {{__VA_ARGS__}, LEVELED(sweep_##name)},
	static const struct {
		struct teo_features features;
		sweep_fn *sweep;
	} eras[] = {TEO_ERAS(ERA)};
#undef ERA

	if (places_of(s) > 8)
		return LEVELED(sweep_any);
	for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++)
		if (!memcmp(&eras[i].features, features, sizeof(*features)))
			return eras[i].sweep;
	return LEVELED(sweep_any);
}
