/*
 * Groups of lanes (menu_sweep.h) through the rows of a trace: from what each table's governor
 * remembers, to what it remembers then.
 */
INLINE void LEVELED(boot_lanes)(const struct menu_features *f, struct LEVELED(common) *c,
				struct LEVELED(lanes) *m, struct LEVELED(entry) others[2][ENTRIES],
				const struct state *states, const u32 *counts, u32 hz, u32 wanted)
{
	memset(m, 0, sizeof(*m));
	m->without_zero = others[0];
	m->mixed = others[1];
	for (u32 lane = 0; lane < LANES; lane++) {
		u32 one = lane < wanted ? lane : 0;
		struct table table;

		make_table(&table, states + one * STATES_MAX, counts[one], hz, f->nanoseconds);
		c->tick = (double)table.tick;
		c->half_tick = (double)(table.tick / 2);
		c->states = (u32)greatest(c->states, table.count);
		m->present[lane] = (1 << table.count) - 1;
		m->early_stops[lane] = table.polling & 1 ? 0 : 1 << 8;
		for (u32 i = 0; i < table.count; i++) {
			m->polling[lane] |= (s64)((table.polling >> i & 1ull) << (63 - i));
			m->exit[i][lane] = (double)table.exit[i];
			m->residency[i][lane] = (double)table.residency[i];
			if (m->exit[i][lane] > c->longest_exit)
				c->longest_exit = m->exit[i][lane];
		}
		m->second[lane] = table.count > 1 ? m->residency[1][lane] : ABSENT;
	}
	m->asked = all_of(-1);
	LEVELED(enter)(c->features, m, 0);
}

/*
 * What each table's governor remembers. The last row is yet to be reflected upon: *before is made
 * of it, all zero at first, and whether there is one is returned.
 */
INLINE bool LEVELED(remember)(const struct menu_features *f, struct LEVELED(common) *c,
			      struct LEVELED(lanes) *m, const char *memories, u32 wanted,
			      struct row *before, bool *unknown)
{
	struct LEVELED(menu) one;

	for (u32 lane = 0; lane < LANES; lane++) {
		memcpy(&one, memories + (lane < wanted ? lane : 0) * MEMORY_SIZE, sizeof(one));
		if (!one.booted)
			LEVELED(boot)(&one);
		for (u32 i = 0; i < INTERVALS; i++) {
			double sample = one.ring[(one.next + i) % INTERVALS];

			m->ring[i][lane] = sample;
			m->sum[lane] += sample;
			m->squares[lane] += sample * sample;
			if (sample >= SMALL_US)
				c->odd = INTERVALS;
		}
		for (u32 i = 0; i < 2 * BINS; i++)
			m->factors[i][lane] = one.factors[i];
		m->asked[lane] = -(one.next_timer != KTIME_MAX);
		m->entered_exit[lane] = m->exit[one.entered % 16][lane];
		/* Where polling did not end by its limit: a state that does not poll. */
		m->entered[lane] = one.poll_time_limit ? one.entered : 63;
		before->poll_time_limit |= one.poll_time_limit;
		if (one.next_timer == KTIME_MAX) {
			c->far_bucket = one.bucket;
		} else {
			c->next_timer = (s64)one.next_timer;
			c->bucket = one.bucket;
		}
	}
	before->residency_ns = one.residency_ns;
	before->got_tick = one.got_tick;
	*unknown = f->rejected_is_unknown && !one.reflected && one.residency_ns == 0;
	return one.reflected;
}

/* The reverse. before: the last row, NULL if there was none. */
INLINE void LEVELED(memorise)(const struct menu_features *f, const struct LEVELED(common) *c,
			      const struct LEVELED(lanes) *m, char *memories, u32 wanted,
			      const struct row *before)
{
	vec asked = LEVELED(asked)(f, m);

	if (!before)
		return;
	for (u32 lane = 0; lane < wanted; lane++) {
		u32 entered = (u32)m->entered[lane];
		struct LEVELED(menu) one;

		LEVELED(boot)(&one);
		for (u32 i = 0; i < INTERVALS; i++)
			LEVELED(push)(f, &one, (u32)m->ring[(c->next + i) % INTERVALS][lane]);
		for (u32 i = 0; i < 2 * BINS; i++)
			one.factors[i] = (u32)m->factors[i][lane];
		one.next_timer = asked[lane] ? (u64)c->next_timer : KTIME_MAX;
		one.bucket = asked[lane] ? c->bucket : c->far_bucket;
		LEVELED(finished)(&one, before, entered);
		one.entered = entered;
		memcpy(memories + lane * MEMORY_SIZE, &one, sizeof(one));
	}
}

/* The next decisions of one group of lanes. */
INLINE void LEVELED(step)(const struct menu_features *f, const struct LEVELED(common) *c,
			  struct LEVELED(lanes) *m, struct decision *const *decisions, size_t n)
{
	u32 entered = c->row->entered;
	vec selected = LEVELED(select_lanes)(f, c, m);

	for (u32 lane = 0; lane < LANES; lane++)
		decisions[lane][n] = (struct decision){(u8)selected[lane],
						       (u8)(selected[lane] >> 8)};
	if (entered != AS_SELECTED) {
		m->entered = all_of(entered % 16);
		m->entered_exit = m->exit[entered % 16];
	}
}

/*
 * Groups of lanes, row by row, and step by step: what one group waits for, another one fills. A step
 * is short enough that a processor looks ahead from one group to the next. All of them fit into the
 * first-level cache. f: those of the sweep, of which a compiler need not know that they stay.
 */
INLINE void LEVELED(sweep_groups)(const struct menu_features *f, const struct sweep *s)
{
	const struct menu_features *features = (const struct menu_features *)s->features;
	struct LEVELED(common) c = {.features = features, .next_timer = KTIME_MAX, .far_bucket = BINS - 1};
	struct LEVELED(lanes) groups[TOGETHER / LANES];
	struct LEVELED(entry) others[TOGETHER / LANES][2][ENTRIES];
	struct decision *to[TOGETHER];
	const struct row *before = NULL;
	struct row earlier = {0};
	const u32 count = (s->tables + LANES - 1) / LANES;
	bool unknown = false;

	for (u32 i = 0; i < count; i++) {
		u32 at = i * LANES, wanted = (u32)least(s->tables - at, LANES);

		LEVELED(boot_lanes)(f, &c, &groups[i], others[i], s->states + at * STATES_MAX,
				    s->counts + at, s->hz, wanted);
		if (LEVELED(remember)(f, &c, &groups[i], s->memories + at * MEMORY_SIZE, wanted,
				      &earlier, &unknown))
			before = &earlier;
		/* Lanes to spare decide what the first one does. */
		for (u32 lane = 0; lane < LANES; lane++)
			to[at + lane] = s->decisions[at + (lane < wanted ? lane : 0)];
	}
	if (c.next_timer == KTIME_MAX)
		c.bucket = c.far_bucket;
	LEVELED(note_timer)(f, &c);
	for (size_t n = 0; n < s->row_count; n++) {
		const struct row *row = &s->rows[n];
		bool odd = c.odd > 0;

		if (before || unknown) {
			if (odd)
				c.odd--;
			for (u32 i = 0; i < count; i++)
				if (before)
					LEVELED(catch_up_lanes)(f, &c, &groups[i], before, odd);
				else
					LEVELED(push_unknown)(&c, &groups[i], odd);
			c.next = (c.next + 1) % INTERVALS;
		}
		if (row->disabled != c.disabled)
			for (u32 i = 0; i < count; i++)
				LEVELED(enter)(features, &groups[i], row->disabled);
		c.disabled = row->disabled;
		LEVELED(note)(f, &c, row);
		for (u32 i = 0; i < count; i++)
			LEVELED(predict_lanes)(f, &c, &groups[i]);
		for (u32 i = 0; i < count; i++)
			LEVELED(step)(f, &c, &groups[i], to + i * LANES, n);
		before = row->rejected ? NULL : row;
		unknown = f->rejected_is_unknown && row->rejected;
	}
	for (u32 i = 0; i < count; i++)
		LEVELED(memorise)(f, &c, &groups[i], s->memories + i * LANES * MEMORY_SIZE,
				  (u32)least(s->tables - i * LANES, LANES),
				  s->row_count ? &s->rows[s->row_count - 1] : NULL);
}

/* Of any features. */
static void LEVELED(sweep_any)(const struct sweep *s)
{
	LEVELED(sweep_groups)((const struct menu_features *)s->features, s);
}

/*
 * Features as constants: what all releases since 5.5 share, and how one of their three kinds finds the
 * typical interval, which takes most of the time. What is asked once a row costs little as a variable.
 */
INLINE void LEVELED(fix)(struct menu_features *f, int kind)
{
	f->nanoseconds = f->tick_wakeup = f->poll_limit = f->halves_short = 1;
	f->zero_disabled = f->scan_stops = f->early_return = f->decides_tick = 1;
	f->polling_override = f->shallow_escape = f->stopped_tick_stays = 1;
	f->none_fits = f->typical_replaces = f->typical_deviation = f->load = 0;
	f->polling_loop = f->skips_polling = f->latency_shortens = 0;
	f->long_bits = 64;
	f->early_tick = EARLY_TICK_POLLS;
	f->typical_unknown = kind == 0 ? TYPICAL_UNKNOWN_LATE : TYPICAL_UNKNOWN_ZEROS;
	f->typical_first = kind > 0;
	f->trims_both_ends = kind > 1;
}

#define KINDS(KIND) KIND(0) KIND(1) KIND(2)
#define KIND(kind)                                                                         \
	static void LEVELED(sweep_##kind)(const struct sweep *s)                           \
	{                                                                                  \
		struct menu_features fixed = *(const struct menu_features *)s->features;   \
                                                                                           \
		LEVELED(fix)(&fixed, kind);                                                \
		LEVELED(sweep_groups)(&fixed, s);                                          \
	}
KINDS(KIND)
#undef KIND

/* The code for several tables of a governor with these features. */
static sweep_fn *LEVELED(sweeping)(const struct menu_features *features)
{
#define KIND(kind) LEVELED(sweep_##kind),
	static sweep_fn *const kinds[] = {KINDS(KIND)};
#undef KIND

	for (int kind = 0; kind < 3; kind++) {
		struct menu_features fixed = *features;

		LEVELED(fix)(&fixed, kind);
		if (!memcmp(&fixed, features, sizeof(fixed)))
			return kinds[kind];
	}
	return LEVELED(sweep_any);
}

#undef KINDS
#undef LANES
#undef vec
#undef unsigned_vec
#undef numbers
#undef any
#undef least_of
#undef greatest_of
#undef has_bit
#undef top_bit
#undef from
#undef inverse
