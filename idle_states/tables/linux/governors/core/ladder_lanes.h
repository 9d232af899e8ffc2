/*
 * ladder, several tables over one trace: a table per lane of 16 bits, a state per bit, whose
 * decisions are those of ladder_any(). Included once per instruction set.
 */
#if LEVEL >= 3 || defined(BASELINE_LANES)
#include "beyond.h"
#include "words.h"

#undef bits
#undef any_bit
typedef u16 LEVELED(bits) __attribute__((vector_size(4 * WORDS)));
#define bits LEVELED(bits)
#define any_bit LEVELED(any_bit)
#define BITS (2 * WORDS)

struct LEVELED(lanes) {
	bits last, decided;     /* the same state: its bit, and its number beside the tick's bit */
	bits ones, twos;        /* promotions from each state, in two bits */
	bits known, under, low; /* states of the table, below the first, up to the first */
	bits next, slow, fit;   /* states to promote from, to leave at once, to stop at then */
	struct outgoing out[2];
};

INLINE bool any_bit(bits b)
{
	return any_word((words)b != 0);
}

/* Takes a row's limit and the states that are switched off. Returns whether there are states to leave.
 * lanes: of the group that have a table. */
INLINE bool LEVELED(limit)(struct LEVELED(lanes) *m, const struct table *tables, u32 lanes, u64 latency,
			   u16 disabled)
{
	bits beyond = {0}, off;

	for (u32 i = 0; i < lanes; i++)
		beyond[i] = (u16)LEVELED(beyond)(tables[i].exit, latency);
	off = beyond | disabled;
	m->next = (m->known & ~off) >> 1;
	m->slow = off & ~m->low;
	m->fit = ~beyond | m->low;
	return any_bit(m->slow);
}

INLINE void LEVELED(enter)(struct LEVELED(lanes) *m, u32 state)
{
	m->last = (bits){0} + (u16)(1u << state);
	m->decided = (bits){0} + (u16)(state | 1 << 8);
}

INLINE void LEVELED(climb)(struct LEVELED(lanes) *m, const u16 *promotes, const u16 *demotes,
			   bool is_slow)
{
	const bits last = m->last, good = *(const bits *)promotes & m->next & last;
	const bits up = good & ((m->ones & m->twos) | m->under);
	const bits down = (*(const bits *)demotes | m->slow) & last & ~up, moved = up | down;

	m->twos = (m->twos ^ (m->ones & good)) & ~moved;
	m->ones = (m->ones ^ good) & ~moved;
	m->last = (last & ~moved) | up << 1 | down >> 1;
	m->decided += (bits)(up == 0) - (bits)(down == 0);
	if (UNLIKELY(is_slow)) {
		bits falls = (bits)((m->slow & down) != 0);

		while (any_bit(falls &= (bits)((m->last & m->fit) == 0))) {
			m->last = pick_words(falls, m->last >> 1, m->last);
			m->decided += falls;
		}
	}
}

/* The first row is decided table by table: from then on what was measured is the same for all. */
static void LEVELED(sweep)(const struct sweep *s)
{
	const bool nanoseconds = ((const struct ladder_features *)s->features)->nanoseconds;
	const u32 count = (s->tables + BITS - 1) / BITS;
	struct LEVELED(lanes) groups[TOGETHER / BITS];
	struct decision *to[TOGETHER] = {NULL};
	struct thresholds *t = aligned_alloc(64, sizeof(*t)); /* large for a thread's stack */
	struct ladder one[TOGETHER];
	u32 places[BLOCK];
	bool is_slow = false;

	if (!t) {
		sweep_by(s, NULL, ladder_any, nanoseconds);
		return;
	}
	memset(groups, 0, sizeof(groups));
	compare(t, s);
	/* Lanes to spare have no state to leave. */
	for (u32 i = 0; i < count; i++)
		groups[i].low = ~groups[i].low;
	for (u32 i = 0; i < s->tables; i++) {
		struct LEVELED(lanes) *m = &groups[i / BITS];
		const u32 first = t->first[i], lane = i % BITS;
		char *memory = s->memories + i * MEMORY_SIZE;

		ladder_any(s->features, &t->tables[i], memory, s->rows, least(s->row_count, 1),
			   s->decisions[i], NULL);
		memcpy(&one[i], memory, sizeof(one[i]));
		m->last[lane] = (u16)(1u << one[i].last);
		m->decided[lane] = (u16)(one[i].last | 1 << 8);
		for (u32 state = 0; state < 16; state++) {
			m->ones[lane] |= (u16)((one[i].promotions[state] & 1) << state);
			m->twos[lane] |= (u16)(one[i].promotions[state] >> 1 << state);
		}
		m->known[lane] = (u16)((1u << s->counts[i]) - 1);
		m->under[lane] = (u16)((1u << first) - 1);
		m->low[lane] = (u16)((2u << first) - 1);
		to[i] = s->decisions[i];
	}
	for (size_t n = 1; n < s->row_count; n++) {
		const struct row *row = &s->rows[n], *before = row - 1;
		const u32 place = (u32)(n - 1) % BLOCK;

		/* Searches do not wait for each other. */
		for (u32 i = 0; !place && i < least(BLOCK, s->row_count - n); i++)
			places[i] = place_of(t, measured(nanoseconds, &before[i]));
		if (n == 1 || row->latency_req_us != before->latency_req_us ||
		    row->disabled != before->disabled) {
			is_slow = false;
			for (u32 i = 0; i < count; i++)
				is_slow |= LEVELED(limit)(&groups[i], &t->tables[i * BITS],
							  (u32)least(BITS, s->tables - i * BITS),
							  latency_of(nanoseconds, row), row->disabled);
		}
		for (u32 i = 0; i < count; i++) {
			const u32 at = places[place];
			struct LEVELED(lanes) *m = &groups[i];
			LEVELED(pairs) decided[2];

			if (UNLIKELY(!row->latency_req_us)) {
				m->ones &= ~m->last;
				m->twos &= ~m->last;
				LEVELED(enter)(m, 0);
			} else {
				LEVELED(climb)(m, &t->promotes[at][i * BITS],
					       &t->demotes[at][i * BITS], is_slow);
			}
			memcpy(decided, &m->decided, sizeof(decided));
			put_pairs(&m->out[0], to + i * BITS, n, decided[0]);
			put_pairs(&m->out[1], to + i * BITS + WORDS, n, decided[1]);
			if (enters(row))
				LEVELED(enter)(m, row->entered % 16);
		}
	}
	for (u32 i = 0; s->row_count && i < s->tables; i++) {
		struct LEVELED(lanes) *m = &groups[i / BITS];
		u32 lane = i % BITS;

		if (lane % WORDS == 0)
			flush_decisions(&m->out[lane / WORDS], to + i, s->row_count);
		one[i].last = m->decided[lane] % 16;
		one[i].residency = measured(nanoseconds, &s->rows[s->row_count - 1]);
		for (u32 state = 0; state < 16; state++)
			one[i].promotions[state] = (m->ones[lane] >> state & 1) +
						   2u * (m->twos[lane] >> state & 1);
		memcpy(s->memories + i * MEMORY_SIZE, &one[i], sizeof(one[i]));
	}
	free(t);
}

static sweep_fn *LEVELED(sweeping)(void)
{
	return LEVELED(sweep);
}
#undef BITS
#endif
