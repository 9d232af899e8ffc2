/*
 * ladder, several tables over one trace: a table per lane, whose decisions are those of ladder_any().
 * Included once per instruction set.
 */
#if LEVEL >= 3 || defined(BASELINE_LANES)
#include "words.h"

struct LEVELED(lanes) {
	words last, residency;
	words promotions; /* two bits for each state, for there are never four */
	words first, exit[PLACES];
	words reach[PLACES]; /* INT32_MAX less the next state's exit latency, 0 if there is none */
	struct outgoing decided;
};

INLINE void LEVELED(switch_off)(struct LEVELED(lanes) *m, const u32 *counts, u32 disabled)
{
	for (u32 i = 0; i < STATES_MAX; i++)
		for (u32 lane = 0; lane < WORDS; lane++) {
			bool is_next = i + 1 < counts[lane] && !(disabled >> (i + 1) & 1);

			m->reach[i][lane] = is_next ? INT32_MAX - m->exit[i + 1][lane] : 0;
		}
}

/* Decides a row. latency: its limit; exit, reach: of the last state. */
INLINE words LEVELED(climb)(struct LEVELED(lanes) *m, u32 states, const struct row *row, s32 latency,
			    words exit, words reach)
{
	const words last = m->last, above = last >= m->first, place = last << 1;
	words remainder, endless, promotes, up, slow, bad, state;

	if (latency == 0) {
		m->promotions &= ~(words_of(3) << place);
		return words_of(0);
	}
	remainder = m->residency - exit;
	endless = remainder < 0;
	promotes = (endless | (remainder > (exit & above))) & (reach >= INT32_MAX - latency);
	up = promotes & (~above | ((m->promotions >> place & 3) == PROMOTIONS - 1));
	bad = ~up & (last > m->first);
	slow = bad & ((exit > latency) | -(row->disabled >> last & 1));
	bad &= slow | (~endless & (remainder < exit));
	state = last - up + bad;
	m->promotions &= ~(words_of(3) << place & (up | bad));
	m->promotions += words_of(1) << place & promotes & ~(up | bad);
	while (any_word(slow)) {
		slow &= (state > m->first) & (of_state(m->exit, states, state) > latency);
		state += slow;
	}
	return state;
}

INLINE void LEVELED(sweep_places)(const struct ladder_features *f, const struct sweep *s, u32 states)
{
	const u32 count = (s->tables + WORDS - 1) / WORDS;
	const u64 per_us = f->nanoseconds ? NS_PER_US : 1;
	struct LEVELED(lanes) groups[TOGETHER / WORDS];
	struct decision *to[TOGETHER];
	u32 counts[TOGETHER], disabled = 0, entered = AS_SELECTED;

	memset(groups, 0, sizeof(groups));
	/* Lanes to spare decide what a group's first one does. */
	for (u32 i = 0; i < count * WORDS; i++) {
		u32 of = i < s->tables ? i : i / WORDS * WORDS, lane = i % WORDS;
		struct LEVELED(lanes) *m = &groups[i / WORDS];
		struct table table;
		struct ladder one;

		make_table(&table, s->states + of * STATES_MAX, s->counts[of], s->hz, f->nanoseconds);
		memcpy(&one, s->memories + of * MEMORY_SIZE, sizeof(one));
		if (!one.booted)
			boot(&one, first_rung(f, &table));
		m->last[lane] = (s32)one.last;
		m->residency[lane] = cut((s64)least(one.residency, MOST));
		m->first[lane] = (s32)first_rung(f, &table);
		for (u32 state = 0; state < STATES_MAX; state++) {
			m->promotions[lane] |= (s32)(one.promotions[state] << 2 * state);
			m->exit[state][lane] = (s32)table.exit[state];
		}
		to[i] = s->decisions[of];
		counts[i] = table.count;
	}
	for (size_t n = 0; n < s->row_count; n++) {
		const struct row *row = &s->rows[n];
		s32 latency = cut((s64)(row->latency_req_us * per_us));
		u64 idled = f->nanoseconds ? row->residency_ns : row->residency_ns / NS_PER_US;
		s32 residency = row->rejected ? 0 : (s32)least(idled, MOST);
		bool is_given = !row->rejected && row->entered != AS_SELECTED && row->entered % 16;
		u32 entered_next = is_given ? row->entered % 16 : AS_SELECTED;

		for (u32 i = 0; i < count; i++) {
			struct LEVELED(lanes) *m = &groups[i];
			words exit = words_of(0), reach = exit;

			if (!n || row->disabled != disabled)
				LEVELED(switch_off)(m, counts + i * WORDS, row->disabled);
			if (n && entered == AS_SELECTED) {
				exit = of_state(m->exit, states, m->last);
				reach = of_state(m->reach, states, m->last);
			} else {
				for (u32 lane = 0; lane < WORDS; lane++) {
					exit[lane] = m->exit[m->last[lane]][lane];
					reach[lane] = m->reach[m->last[lane]][lane];
				}
			}
			m->last = LEVELED(climb)(m, states, row, latency, exit, reach);
			put_decisions(&m->decided, to + i * WORDS, n, m->last | 1 << 8);
			m->residency = words_of(residency);
			if (entered_next != AS_SELECTED)
				m->last = words_of(entered_next);
		}
		disabled = row->disabled;
		entered = entered_next;
	}
	for (u32 i = 0; i < count; i++)
		flush_decisions(&groups[i].decided, to + i * WORDS, s->row_count);
	for (u32 i = 0; i < s->tables; i++) {
		const struct LEVELED(lanes) *m = &groups[i / WORDS];
		u32 lane = i % WORDS;
		struct ladder one;

		boot(&one, 0);
		one.last = (u32)m->last[lane];
		one.residency = (u64)m->residency[lane];
		for (u32 state = 0; state < STATES_MAX; state++)
			one.promotions[state] = (u32)m->promotions[lane] >> 2 * state & 3;
		memcpy(s->memories + i * MEMORY_SIZE, &one, sizeof(one));
	}
}

static void LEVELED(sweep)(const struct sweep *s)
{
	struct ladder one;
	u32 most = 0;

	/* A recorded state may be beyond all tables, and stays the last one. */
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].entered != AS_SELECTED)
			most = (u32)greatest(most, s->rows[i].entered % 16 + 1);
	for (u32 i = 0; i < s->tables; i++) {
		memcpy(&one, s->memories + i * MEMORY_SIZE, sizeof(one));
		most = (u32)greatest(most, one.last + 1);
	}
	FOR_PLACES(sweep_places, s, most, (const struct ladder_features *)s->features)
}

static sweep_fn *LEVELED(sweeping)(const struct ladder_features *f)
{
	(void)f;
	return LEVELED(sweep);
}
#endif
