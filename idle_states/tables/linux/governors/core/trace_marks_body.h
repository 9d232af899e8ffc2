/* mark() for one instruction set. */

#if LEVEL >= 4
/* A bit for each letter. */
typedef u64 LEVELED(sum);
#elif LEVEL >= 3
typedef __m256i LEVELED(sum);
#else
typedef letters LEVELED(sum);
#endif

/* What a word of marks is made from; of all words so far: whether letters have their highest bit. */
struct LEVELED(found) {
	u64 ends, names;
	LEVELED(sum) odd, capital;
};

INLINE bool LEVELED(any_high)(LEVELED(sum) sum)
{
#if LEVEL >= 4
	return sum != 0;
#elif LEVEL >= 3
	return _mm256_movemask_epi8(sum) != 0;
#else
	return ((((halves)sum)[0] | ((halves)sum)[1]) & EIGHT(0x80)) != 0;
#endif
}

/* Looks at 64 bytes; those of the name's length that follow are there. */
#if LEVEL >= 4
INLINE void LEVELED(look)(struct LEVELED(found) *found, const char *at)
{
	const __m512i here = _mm512_loadu_si512(at);
	const __m512i last = _mm512_loadu_si512(at + NAME_LENGTH - 1);
	const u64 begins = _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8(NAME[0]));

	found->ends = _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8('\n'));
	found->names = begins & _mm512_cmpeq_epi8_mask(last, _mm512_set1_epi8(NAME[NAME_LENGTH - 1]));
	/* A NUL less one is above 127, too. */
	found->odd |= _mm512_movepi8_mask(here | _mm512_sub_epi8(here, _mm512_set1_epi8(1)));
	found->capital |= _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8('P'));
}
#elif LEVEL >= 3
/* A bit for each letter whose highest is set. */
INLINE u64 LEVELED(high)(__m256i some)
{
	return (u32)_mm256_movemask_epi8(some);
}

INLINE void LEVELED(look)(struct LEVELED(found) *found, const char *at)
{
	found->ends = found->names = 0;
	for (int i = 0; i < 64; i += 32) {
		const __m256i here = _mm256_loadu_si256((const __m256i *)(at + i));
		const __m256i last = _mm256_loadu_si256((const __m256i *)(at + i + NAME_LENGTH - 1));
		const __m256i begins = _mm256_cmpeq_epi8(here, _mm256_set1_epi8(NAME[0]));
		const __m256i closes = _mm256_cmpeq_epi8(last, _mm256_set1_epi8(NAME[NAME_LENGTH - 1]));

		found->ends |= LEVELED(high)(_mm256_cmpeq_epi8(here, _mm256_set1_epi8('\n'))) << i;
		found->names |= LEVELED(high)(begins & closes) << i;
		found->odd |= here | _mm256_sub_epi8(here, _mm256_set1_epi8(1));
		found->capital |= _mm256_cmpeq_epi8(here, _mm256_set1_epi8('P'));
	}
}
#else
INLINE void LEVELED(look)(struct LEVELED(found) *found, const char *at)
{
	letters ends[4], names[4];

	for (int i = 0; i < 4; i++) {
		const letters here = letters_at(at + 16 * i);
		const letters last = letters_at(at + 16 * i + NAME_LENGTH - 1);

		ends[i] = (letters)(here == LETTERS('\n'));
		names[i] = (letters)(here == LETTERS(NAME[0])) &
			   (letters)(last == LETTERS(NAME[NAME_LENGTH - 1]));
		/* A NUL less one is above 127, too. */
		found->odd |= here | (here - 1);
		found->capital |= (letters)(here == LETTERS('P'));
	}
	found->ends = bits(ends);
	found->names = bits(names);
}
#endif

static void LEVELED(mark)(struct marks *marks, const char *text, size_t length)
{
	char rest[64 + 16];
	struct LEVELED(found) found = {0};
	u64 earlier = 1ull << 63;
	u32 lines = 0, named = 0;
	bool ended = length && text[length - 1] == '\n', has_short = false;
	/* The end of a last line without newline is marked behind it. */
	u32 words = (u32)((length + !ended + 63) / 64);

	for (u32 word = 0; word < words; word++) {
		const char *at = text + 64 * word;
		size_t left = length - 64 * word;

		if (left < 64 + NAME_LENGTH - 1) {
			memset(rest, ' ', sizeof(rest));
			memcpy(rest, at, left);
			if (!ended)
				rest[left] = '\n';
			at = rest;
		}
		LEVELED(look)(&found, at);
		marks->ends[word] = found.ends;
		marks->names[word] = found.names;
		marks->before[word] = (u16)lines;
		/* Most words have one at most, or none: no branch depends on that. */
		marks->named[named] = (u16)word;
		named += found.names != 0;
		marks->end_at[lines] = (u16)(64 * word + (u32)__builtin_ctzll(found.ends | 1ull << 63));
		lines += found.ends != 0;
		/* Two in a word, or one in the last bytes of a word and in the first of the next. */
		if ((found.ends & (found.ends - 1)) |
		    ((found.ends << (64 - SHORT_LINE) != 0) & (earlier >> (64 - SHORT_LINE) != 0)))
			has_short |= ends_short(found.ends, earlier);
		for (u64 more = found.ends & (found.ends - 1); more; more &= more - 1)
			marks->end_at[lines++] = (u16)(64 * word + (u32)__builtin_ctzll(more));
		earlier = found.ends;
	}
	marks->lines = lines;
	marks->named_words = named;
	marks->odd = LEVELED(any_high)(found.odd);
	marks->capital = LEVELED(any_high)(found.capital);
	marks->has_short = has_short;
}
