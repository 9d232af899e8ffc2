/*
 * Groups of lanes (menu_sweep.h) through the rows of a trace: from what each table's governor
 * remembers, to what it remembers then.
 */
INLINE void LEVELED(boot_lanes)(const struct menu_features *f, struct LEVELED(lanes) *m,
				const struct state *states, const u32 *counts, u32 hz, u32 wanted)
{
	memset(m, 0, sizeof(*m));
	for (u32 lane = 0; lane < LANES; lane++) {
		u32 one = lane < wanted ? lane : 0;
		struct table table;

		make_table(&table, states + one * STATES_MAX, counts[one], hz, f->nanoseconds);
		m->tick = (s64)table.tick;
		m->states = (u32)greatest(m->states, table.count);
		m->present[lane] = (1 << table.count) - 1;
		m->polling[lane] = table.polling;
		for (u32 i = 0; i < 16; i++) {
			m->exit[i][lane] = (s64)table.exit[i];
			m->residency[i][lane] = (s64)table.residency[i];
		}
	}
	m->asked = all_of(-1);
}

INLINE void LEVELED(note_entered)(struct LEVELED(lanes) *m, vec entered)
{
	m->entered = entered;
	m->entered_exit = from(m->exit, entered);
	m->entered_polls = (shr(m->polling, entered) & 1) > 0;
}

/*
 * What each table's governor remembers. The last row is yet to be reflected upon: *before is made
 * of it, all zero at first, and whether there is one is returned.
 */
INLINE bool LEVELED(remember)(const struct menu_features *f, struct LEVELED(lanes) *m,
			      const char *memories, u32 wanted, struct row *before, bool *unknown)
{
	vec timers, entered, limits;
	struct LEVELED(menu) one;
	bool small = true;

	m->next_timer = KTIME_MAX;
	m->far_bucket = BINS - 1;
	for (u32 lane = 0; lane < LANES; lane++) {
		memcpy(&one, memories + (lane < wanted ? lane : 0) * MEMORY_SIZE, sizeof(one));
		if (!one.booted)
			LEVELED(boot)(&one);
		for (u32 i = 0; i < INTERVALS; i++) {
			s64 sample = one.ring[(one.next + i) % INTERVALS];

			m->ring[i][lane] = sample;
			m->sorted[i][lane] = one.sorted[i];
			m->sum[lane] += sample;
			m->squares[lane] += sample * sample;
			small &= sample < SMALL_US;
		}
		for (u32 i = 0; i < 2 * BINS; i++)
			m->factors[i][lane] = one.factors[i];
		timers[lane] = (s64)one.next_timer;
		entered[lane] = one.entered;
		limits[lane] = one.poll_time_limit;
		before->poll_time_limit |= one.poll_time_limit;
		if (one.next_timer == KTIME_MAX) {
			m->far_bucket = one.bucket;
		} else {
			m->next_timer = (s64)one.next_timer;
			m->bucket = one.bucket;
		}
	}
	if (m->next_timer == KTIME_MAX)
		m->bucket = m->far_bucket;
	m->asked = timers == m->next_timer;
	m->odd = small ? 0 : INTERVALS;
	LEVELED(note_entered)(m, entered);
	m->entered_polls &= limits > 0;
	before->residency_ns = one.residency_ns;
	before->got_tick = one.got_tick;
	*unknown = f->rejected_is_unknown && !one.reflected && one.residency_ns == 0;
	return one.reflected;
}

/* The reverse. before: the last row, NULL if there was none. */
INLINE void LEVELED(memorise)(const struct menu_features *f, const struct LEVELED(lanes) *m,
			      char *memories, u32 wanted, const struct row *before)
{
	vec timers = LEVELED(timer_lanes)(f, m);

	if (!before)
		return;
	for (u32 lane = 0; lane < wanted; lane++) {
		u32 entered = (u32)m->entered[lane];
		struct LEVELED(menu) one;

		LEVELED(boot)(&one);
		for (u32 i = 0; i < INTERVALS; i++)
			LEVELED(push)(f, &one, (u32)m->ring[(m->next + i) % INTERVALS][lane]);
		for (u32 i = 0; i < 2 * BINS; i++)
			one.factors[i] = (u32)m->factors[i][lane];
		one.next_timer = (u64)timers[lane];
		one.bucket = m->asked[lane] ? m->bucket : m->far_bucket;
		LEVELED(finished)(&one, before, entered);
		one.entered = entered;
		memcpy(memories + lane * MEMORY_SIZE, &one, sizeof(one));
	}
}

/* The next decisions of one group of lanes. */
INLINE void LEVELED(step)(const struct menu_features *f, struct LEVELED(lanes) *m,
			  const struct row *row, struct decision *const *decisions, size_t n,
			  u32 wanted)
{
	vec selected, entered;

	selected = LEVELED(select_lanes)(f, m, row, &entered);
	for (u32 lane = 0; lane < LANES; lane++)
		if (lane < wanted)
			decisions[lane][n] = (struct decision){(u8)selected[lane],
							       (u8)(selected[lane] >> 8)};
	if (row->entered != AS_SELECTED)
		entered = all_of(row->entered % 16);
	LEVELED(note_entered)(m, entered);
}

/*
 * Groups of lanes, row by row, and step by step: what one group waits for, another one fills. A step
 * is short enough that a processor looks ahead from one group to the next. All of them fit into the
 * first-level cache.
 */
INLINE void LEVELED(sweep_groups)(const struct menu_features *f, const struct state *states,
				  const u32 *counts, u32 hz, char *memories,
				  const struct row *rows, size_t row_count,
				  struct decision *const *decisions, u32 tables)
{
	struct LEVELED(lanes) groups[TOGETHER / LANES];
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
			LEVELED(reflect_lanes)(f, &groups[i], before, unknown);
		for (u32 i = 0; i * LANES < tables; i++)
			LEVELED(predict_lanes)(f, &groups[i], row);
		for (u32 i = 0; i * LANES < tables; i++)
			LEVELED(step)(f, &groups[i], row, decisions + i * LANES, n,
				      (u32)least(tables - i * LANES, LANES));
		before = row->rejected ? NULL : row;
		unknown = f->rejected_is_unknown && row->rejected;
	}
	for (u32 i = 0; i * LANES < tables; i++)
		LEVELED(memorise)(f, &groups[i], memories + i * LANES * MEMORY_SIZE,
				  (u32)least(tables - i * LANES, LANES),
				  row_count ? &rows[row_count - 1] : NULL);
}

/* Of any features. */
static void LEVELED(sweep_any)(const struct menu_features *f, const struct state *states,
			       const u32 *counts, u32 hz, char *memories, const struct row *rows,
			       size_t row_count, struct decision *const *decisions, u32 tables)
{
	LEVELED(sweep_groups)(f, states, counts, hz, memories, rows, row_count, decisions, tables);
}

/* Of an era's, as constants: in a sixth less time. Eras in us are too old to be worth the code. */
#define ERA(name, ...)                                                                          \
	static void LEVELED(sweep_##name)(                                                      \
		const struct menu_features *f, const struct state *states, const u32 *counts,   \
		u32 hz, char *memories, const struct row *rows, size_t row_count,               \
		struct decision *const *decisions, u32 tables)                                  \
	{                                                                                       \
		static const struct menu_features era = {__VA_ARGS__};                          \
                                                                                                \
		if (era.nanoseconds)                                                            \
			LEVELED(sweep_groups)(&era, states, counts, hz, memories, rows,         \
					      row_count, decisions, tables);                    \
		else                                                                            \
			LEVELED(sweep_any)(f, states, counts, hz, memories, rows, row_count,    \
					   decisions, tables);                                  \
	}
MENU_ERAS(ERA)
#undef ERA

/* The code for several tables of a governor with these features. */
static sweep_fn *LEVELED(sweeping)(const struct menu_features *features)
{
#define ERA(name, ...) {{__VA_ARGS__}, LEVELED(sweep_##name)},
	static const struct {
		struct menu_features features;
		sweep_fn *sweep;
	} eras[] = {MENU_ERAS(ERA)};
#undef ERA

	for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++)
		if (!memcmp(&eras[i].features, features, sizeof(*features)))
			return eras[i].sweep;
	return LEVELED(sweep_any);
}

#undef LANES
#undef vec
#undef unsigned_vec
#undef double_vec
#undef any
#undef mul
#undef top_bit
#undef from
#undef inverse
