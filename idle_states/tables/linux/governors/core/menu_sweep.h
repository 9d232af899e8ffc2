/*
 * menu, several tables over one trace: a table per lane, so that what is the same for all of them
 * (timers, the time idled) is worked out once. Included once per instruction set that has lanes,
 * after menu_body.h, whose decisions these are; before menu_groups.h, which goes through the rows.
 *
 * Times are doubles. Those of tables and of what was idled are below 2^50, see fits_lanes(), and
 * exact; timers may be farther, and are compared with these only. Samples of a quarter of a minute
 * or more, unknown ones, and timers that far are rare: for these, a lane at a time is asked of the
 * code for one table.
 */
#include "menu_predict.h"

/* What is searched for. */
struct LEVELED(search) {
	const struct LEVELED(entry) *entries;
	u32 states;
	bool most, limited; /* compared with the prediction: most, not deepest; by latency as well */
	numbers predicted, latency;
};

/* The deepest states that fit, and where the next one is: -1 behind the last. */
struct LEVELED(found) {
	vec state;
	numbers residency, exit, next_residency;
};

INLINE vec LEVELED(fits)(const struct LEVELED(search) *s, const struct LEVELED(entry) *e)
{
	vec fits = (s->most ? e->most : e->deepest) <= s->predicted;

	return s->limited ? fits & (e->slowest <= s->latency) : fits;
}

INLINE struct LEVELED(found) LEVELED(deepest)(const struct LEVELED(search) *s)
{
	const struct LEVELED(entry) *e = s->entries, *end = e + s->states;
	struct LEVELED(found) found = {e->state, e->residency, e->exit, e->residency};

	for (; e < end; e++) {
		vec fits = LEVELED(fits)(s, e);

		found.state = pick(fits, e->state, found.state);
		found.residency = choose(fits, e->residency, found.residency);
		found.exit = choose(fits, e->exit, found.exit);
		found.next_residency = choose(fits, e[1].residency, found.next_residency);
	}
	return found;
}

/* The state after the deepest that fits, and its exit latency. */
INLINE vec LEVELED(after)(const struct LEVELED(search) *s, numbers *exit)
{
	const struct LEVELED(entry) *e = s->entries, *end = e + s->states;
	vec state = e->state;

	*exit = e->exit;
#pragma GCC unroll 1
	for (; e < end; e++) {
		vec fits = LEVELED(fits)(s, e);

		state = pick(fits, e[1].state, state);
		*exit = choose(fits, e[1].exit, *exit);
	}
	return state;
}

/*
 * The entries of one lane. Before 4.13 the first state is taken even if it is switched off, and
 * before 4.11 the search does not stop at a state that does not fit.
 */
INLINE void LEVELED(enter_lane)(const struct menu_features *f, const struct LEVELED(lanes) *m,
				struct LEVELED(entry) *entries, u32 lane, u32 disabled, u32 first)
{
	u32 present = (u32)m->present[lane], found = present & ~disabled & ~((1u << first) - 1);
	u32 state = first;
	double deepest = -1, slowest = -1;

	if (f->zero_disabled)
		state = found ? (u32)lowest(found) : 0;
	else
		found &= ~(1u << first);
	for (u32 i = 0; i < ENTRIES; i++) {
		struct LEVELED(entry) *e = &entries[i];
		bool is_present = present >> i & 1;

		if (found >> i & 1) {
			double residency = m->residency[i][lane], exit = m->exit[i][lane];

			state = i;
			deepest = f->scan_stops && deepest > residency ? deepest : residency;
			slowest = f->scan_stops && slowest > exit ? slowest : exit;
		}
		e->state[lane] = state;
		e->residency[lane] = is_present ? m->residency[state][lane] : -1;
		e->exit[lane] = is_present ? m->exit[state][lane] : -1;
		e->deepest[lane] = is_present ? deepest : ABSENT;
		e->slowest[lane] = is_present ? slowest : ABSENT;
		e->most[lane] = deepest > slowest ? e->deepest[lane] : e->slowest[lane];
	}
}

/* Where the states of these bits are switched off. */
static __attribute__((noinline)) void LEVELED(enter)(const struct menu_features *f,
						     struct LEVELED(lanes) *m, u32 disabled)
{
	for (u32 lane = 0; lane < LANES; lane++) {
		LEVELED(enter_lane)(f, m, m->entries, lane, disabled, 0);
		if (f->polling_loop || f->skips_polling)
			LEVELED(enter_lane)(f, m, m->without_zero, lane, disabled, 1);
	}
}

/* The deepest state above a row's that is reached before `delta`, or the first one; where there is
 * any. */
INLINE vec LEVELED(shallower)(const struct LEVELED(common) *c, const struct LEVELED(lanes) *m,
			      vec state, numbers delta)
{
	vec above = m->present & (u16)~c->row->disabled & ((all_of(1) << state) - 1);
	vec beyond = all_of(0), fit;

	for (u32 i = c->states; i-- > 0;)
		beyond += beyond - (m->residency[i] > delta);
	fit = above & ~beyond;
	fit = pick(fit > 0, fit, above & -above);
	return pick(above > 0, top_bit(fit), state);
}

/* The entries for lanes of which some skip state 0. */
static __attribute__((noinline)) const struct LEVELED(entry) *LEVELED(mixed)(
	struct LEVELED(lanes) *m, vec skips)
{
	const size_t count = ENTRIES * sizeof(*m->entries) / sizeof(vec);
	const vec *with = &m->entries->state, *without = &m->without_zero->state;
	vec *to = &m->mixed->state;

	for (size_t i = 0; i < count; i++)
		to[i] = pick(skips, without[i], with[i]);
	return m->mixed;
}

/* Decides a row for all lanes; state | stop_tick << 8 in each. */
INLINE vec LEVELED(select_lanes)(const struct menu_features *f, const struct LEVELED(common) *c,
				 struct LEVELED(lanes) *m)
{
	const vec zero = all_of(0), stop = all_of(1 << 8), asked = LEVELED(asked)(f, m);
	const double per_us = f->nanoseconds ? NS_PER_US : 1;
	const bool stopped = c->row->tick_stopped, zero_disabled = c->row->disabled & 1;
	const numbers next = LEVELED(timers)(f, c, m), half_tick = all(c->half_tick);
	const numbers event = choose(asked, all(c->event), half_tick);
	const numbers far_event = choose(asked, all(c->far_event), half_tick);
	numbers predicted = m->predicted;
	vec ended, is_deep, settled = zero, early = zero, open, polls, stops = stop;
	struct LEVELED(search) s = {m->entries, c->states, false, c->requested < c->longest_exit,
				    predicted, all(c->requested)};
	struct LEVELED(found) found;

	if (c->requested == 0 && !f->early_return) {
		m->entered = zero;
		m->entered_exit = m->exit[0];
		return f->decides_tick ? zero : stop;
	}

	if (f->early_return) {
		early = zero_disabled ? m->second == ABSENT : m->second > next;
		if (s.limited && !zero_disabled)
			early |= m->exit[1] > c->requested;
		if (c->requested == 0)
			early = all_of(-1);
	}

	if (f->polling_loop || f->skips_polling) {
		vec skips = (next > POLLING_THRESHOLD_US * per_us) & (next > m->residency[1]);

		skips &= m->exit[1] < c->requested;
		skips &= (m->present & (u16)~c->row->disabled & 2) > 0;
		if (!f->polling_loop)
			skips &= has_bit(m->polling, zero);
		if (any(skips))
			s.entries = LEVELED(mixed)(m, skips);
	}

	if (stopped && f->stopped_tick != STOPPED_TICK_NONE) {
		numbers instead = far_event;
		vec replaced = predicted < c->tick;

		if (f->stopped_tick == STOPPED_TICK_CAPPED)
			instead = least_of(instead, all(c->tick));
		if (f->stopped_tick == STOPPED_TICK_TIMER) {
			instead = next;
			if (f->stopped_margin)
				replaced &= next > 2 * c->tick;
		}
		predicted = choose(replaced, instead, predicted);
	} else if (f->predicted_limit) {
		numbers limit = predicted;

		if (c->divisor != 1) {
			limit = LEVELED(floored)(predicted, c->divisor);
			s.limited = true;
		}
		s.latency = least_of(s.latency, limit);
		s.most = !s.limited;
	}

	s.predicted = predicted;
	/* Known to the compiler where it loops. */
	if (s.limited)
		found = LEVELED(deepest)(&(struct LEVELED(search)){s.entries, s.states, false, true,
								   predicted, s.latency});
	else if (s.most)
		found = LEVELED(deepest)(&(struct LEVELED(search)){s.entries, s.states, true, false,
								   predicted, s.latency});
	else
		found = LEVELED(deepest)(&(struct LEVELED(search)){s.entries, s.states, false, false,
								   predicted, s.latency});
	polls = has_bit(m->polling, found.state);
	ended = f->scan_stops ? found.next_residency >= 0 : zero;
	if (f->latency_first && (s.limited || f->predicted_limit)) {
		numbers next_exit;

		LEVELED(after)(&s, &next_exit);
		ended &= next_exit <= s.latency;
	}
	is_deep = ended & (found.next_residency > predicted);
	if (f->latency_shortens)
		predicted = choose(ended & ~is_deep, found.residency, predicted);
	if ((f->polling_override || f->shallow_escape) && any(is_deep)) {
		numbers next_exit, reach = found.next_residency;
		vec overrides = zero, next_state;

		if (f->polling_override) {
			overrides = is_deep & polls & (reach <= next);
			if (f->override_short)
				overrides &= reach < THRESHOLD_US * per_us;
			if ((f->override_in_limit || f->override_in_time) && any(overrides)) {
				LEVELED(after)(&s, &next_exit);
				if (f->override_in_limit)
					overrides &= next_exit <= s.latency;
				if (f->override_in_time)
					overrides &= next_exit <= predicted;
			}
		}
		predicted = choose(overrides, reach, predicted);
		if (f->shallow_escape) {
			vec escapes = is_deep & ~overrides & (predicted >= c->tick);

			if (!stopped) {
				predicted = choose(escapes, found.residency, predicted);
			} else {
				vec until = (found.residency < c->tick) & (reach <= event);

				overrides |= escapes & until;
				settled = escapes;
			}
		}
		if (any(overrides)) {
			next_state = LEVELED(after)(&s, &next_exit);
			found.state = pick(overrides, next_state, found.state);
			found.residency = choose(overrides, reach, found.residency);
			found.exit = choose(overrides, next_exit, found.exit);
			polls = has_bit(m->polling, found.state);
		}
	}

	if (f->decides_tick) {
		open = ~settled & (polls | (predicted < c->tick));
		stops = f->stopped_tick_stays && stopped ? stop : ~open & stop;
		if (!stopped) {
			numbers delta = f->nanoseconds ? event : far_event;

			open &= ~early & (found.residency > delta);
			if (any(open)) {
				vec shallower = LEVELED(shallower)(c, m, found.state, delta);

				found.state = pick(open, shallower, found.state);
				found.exit = choose(open, from(m->exit, found.state), found.exit);
			}
		}
	}
	if (f->early_return) {
		stops = pick(early, f->early_tick == EARLY_TICK_POLLS ? m->early_stops : zero, stops);
		found.state &= ~early;
		found.exit = choose(early, m->exit[0], found.exit);
	}
	m->entered = found.state;
	m->entered_exit = found.exit;
	return found.state | stops;
}
