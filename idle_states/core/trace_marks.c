#include "trace_digits.h"
#include "trace_marks.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Sixteen letters, in the vectors of any processor that has them: gcc and clang choose. */
typedef u8 letters __attribute__((vector_size(16)));
typedef u64 halves __attribute__((vector_size(16)));

#define LETTERS(c) ((letters){0} + (u8)(c))

/* What a word of marks is made from. */
struct found {
	u64 ends, names;
	letters odd, capital;
};

INLINE letters letters_at(const char *at)
{
	letters value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* A bit for each letter that is 0xff; the others are 0. */
INLINE u64 bits(letters which)
{
#ifdef __SSE2__
	return (u64)_mm_movemask_epi8((__m128i)which);
#else
	const halves two = (halves)which;
	u64 found = 0;

	for (int half = 0; half < 2; half++) {
		u64 eight = first_byte_lowest(two[half]) & EIGHT(1);

		found |= (eight * 0x0102040810204080ull >> 56) << 8 * half;
	}
	return found;
#endif
}

/* Looks at 64 bytes; those of the name's length that follow are there. */
INLINE void look(struct found *found, const char *at)
{
	letters names[4], any = {0};

	found->ends = found->names = 0;
	for (int i = 0; i < 4; i++) {
		const letters here = letters_at(at + 16 * i);
		const letters last = letters_at(at + 16 * i + NAME_LENGTH - 1);

		found->ends |= bits((letters)(here == LETTERS('\n'))) << 16 * i;
		names[i] = (letters)(here == LETTERS(NAME[0])) &
			   (letters)(last == LETTERS(NAME[NAME_LENGTH - 1]));
		any |= names[i];
		/* A NUL less one is above 127, too. */
		found->odd |= here | (here - 1);
		found->capital |= (letters)(here == LETTERS('P'));
	}
	/* Bits take more than all the rest where a processor has no instruction for them. */
	if (((halves)any)[0] | ((halves)any)[1])
		for (int i = 0; i < 4; i++)
			found->names |= bits(names[i]) << 16 * i;
}

/* Whether a line is short that ends in this word, the one before having ended in it or the last. */
static bool ends_short(u64 ends, u64 earlier)
{
	int last = earlier ? -1 - __builtin_clzll(earlier) : -64;

	for (; ends; ends &= ends - 1) {
		int end = __builtin_ctzll(ends);

		if (end - last <= SHORT_LINE)
			return true;
		last = end;
	}
	return false;
}

void mark(struct marks *marks, const char *text, size_t length)
{
	char rest[64 + 16];
	struct found found = {0};
	u64 earlier = 1ull << 63;
	u32 lines = 0;
	bool ended = length && text[length - 1] == '\n', has_short = false;
	/* The end of a last line without newline is marked behind it. */
	size_t words = (length + !ended + 63) / 64;

	for (size_t word = 0; word < words; word++) {
		const char *at = text + 64 * word;
		size_t left = length - 64 * word;

		if (left < 64 + NAME_LENGTH - 1) {
			memset(rest, ' ', sizeof(rest));
			memcpy(rest, at, left);
			if (!ended)
				rest[left] = '\n';
			at = rest;
		}
		look(&found, at);
		marks->ends[word] = found.ends;
		marks->names[word] = found.names;
		marks->before[word] = (u16)lines;
		lines += (u32)ones(found.ends);
		/* Two in a word, or one in the last bytes of a word and in the first of the next. */
		if ((found.ends & (found.ends - 1)) ||
		    (found.ends << (64 - SHORT_LINE) && earlier >> (64 - SHORT_LINE)))
			has_short |= ends_short(found.ends, earlier);
		earlier = found.ends;
	}
	marks->words = words;
	const halves odd = (halves)found.odd, capital = (halves)found.capital;

	marks->odd = ((odd[0] | odd[1]) & EIGHT(0x80)) != 0;
	marks->capital = (capital[0] | capital[1]) != 0;
	marks->has_short = has_short;
}
