/*
 * Vectors of WORDS 32-bit numbers, as lanes.h has them of 64 bits: sixteen at level 4, eight at level 3,
 * four where a vector has 128 bits. Times are ns, those of tables below TABLE_END and all others cut
 * at MOST: less a state's latency, what was cut is still above every time of a table. Included once
 * per instruction set.
 */
#undef WORDS
#undef words
#undef any_word
#undef of_state
#undef put_decisions
#undef put_pairs
#undef flush_decisions
#undef outgoing
#undef INTERLEAVE
#define TWO(i) i, (i) + WORDS
#define FOUR(i) TWO(i), TWO((i) + 1)
#define EIGHT(i) FOUR(i), FOUR((i) + 2)
#if LEVEL >= 4
#define WORDS 16
#define INTERLEAVE(i) EIGHT(i), EIGHT((i) + 4)
#elif LEVEL >= 3
#define WORDS 8
#define INTERLEAVE(i) EIGHT(i)
#else
#define WORDS 4
#define INTERLEAVE(i) FOUR(i)
#endif
typedef s32 LEVELED(words) __attribute__((vector_size(4 * WORDS)));
#define words LEVELED(words)
#define any_word LEVELED(any_word)
#define of_state LEVELED(of_state)
#define put_decisions LEVELED(put_decisions)
#define put_pairs LEVELED(put_pairs)
#define flush_decisions LEVELED(flush_decisions)

#ifndef IDLE_STATES_WORDS_H
#define IDLE_STATES_WORDS_H
#define PLACES 16           /* of states in lanes */
#define words_of(value) ((words){0} + (s32)(value))
#define if_words(condition) words_of(-(s32)(bool)(condition))
#define pick_words(m, a, b) (((m) & (a)) | (~(m) & (b)))

/* Known to the compiler, so that no loop over states is left: as many places as the tables need. */
#define FOR_PLACES(sweep, s, ...)                              \
	switch (places_of(s)) {                                \
	case 4:                                                \
		LEVELED(sweep)(__VA_ARGS__, s, 4);             \
		break;                                         \
	case 8:                                                \
		LEVELED(sweep)(__VA_ARGS__, s, 8);             \
		break;                                         \
	default:                                               \
		LEVELED(sweep)(__VA_ARGS__, s, PLACES);        \
	}

INLINE u32 places_of(const struct sweep *s)
{
	u32 most = 0;

	for (u32 i = 0; i < s->tables; i++)
		most = (u32)greatest(most, s->counts[i]);
	return most <= 4 ? 4 : most <= 8 ? 8 : PLACES;
}
#endif

INLINE bool any_word(words m)
{
#if LEVEL >= 4
	return _mm512_movepi32_mask((__m512i)m) != 0;
#elif LEVEL >= 3
	return _mm256_movemask_epi8((__m256i)m) != 0;
#else
	u64 halves[2];

	memcpy(halves, &m, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
#endif
}

/* Each lane's entry of its state: bit by bit, from neighbours on. states: a power of two. */
INLINE words of_state(const words *by_state, u32 states, words state)
{
	words found[PLACES / 2];

	for (u32 i = 0; i < states / 2; i++)
		found[i] = pick_words(state << 31 < 0, by_state[2 * i + 1], by_state[2 * i]);
	for (u32 count = states / 4, bit = 1; count; count /= 2, bit++)
		for (u32 i = 0; i < count; i++)
			found[i] = pick_words(state << (31 - bit) < 0, found[2 * i + 1],
					      found[2 * i]);
	return found[0];
}

/* Decisions on their way from lanes to the tables' arrays: of `count` rows, state | stop_tick << 8. */
typedef u16 LEVELED(pairs) __attribute__((vector_size(2 * WORDS)));
struct LEVELED(outgoing) {
	LEVELED(pairs) rows[WORDS];
	u32 count;
};
#define outgoing LEVELED(outgoing)

/* Writes them out, from row `end` - count on, of lanes that have a table. */
INLINE void flush_decisions(struct outgoing *o, struct decision *const *to, size_t end)
{
	const LEVELED(pairs) low = {INTERLEAVE(0)}, high = {INTERLEAVE(WORDS / 2)};
	LEVELED(pairs) other[WORDS], *from = o->rows, *into = other;

	/* A square is turned by interleaving its halves as often as it can be halved. */
	for (u32 side = 1; side < WORDS; side *= 2) {
		LEVELED(pairs) *next = from;

		for (u32 i = 0; i < WORDS / 2; i++) {
			into[2 * i] = __builtin_shuffle(from[i], from[i + WORDS / 2], low);
			into[2 * i + 1] = __builtin_shuffle(from[i], from[i + WORDS / 2], high);
		}
		from = into;
		into = next;
	}
	for (u32 lane = 0; lane < WORDS; lane++)
		if (to[lane])
			memcpy(&to[lane][end - o->count], &from[lane], o->count * sizeof(**to));
	o->count = 0;
}

INLINE void put_pairs(struct outgoing *o, struct decision *const *to, size_t row,
		      LEVELED(pairs) decided)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		decided = decided << 8 | decided >> 8;
	o->rows[o->count] = decided;
	if (++o->count == WORDS)
		flush_decisions(o, to, row + 1);
}

INLINE void put_decisions(struct outgoing *o, struct decision *const *to, size_t row, words decided)
{
	put_pairs(o, to, row, __builtin_convertvector(decided, LEVELED(pairs)));
}
