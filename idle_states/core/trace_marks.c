#include "trace_digits.h"
#include "trace_marks.h"

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__AARCH64EL__)
#include <arm_neon.h>
#endif

/* What a word of marks is made from. */
struct found {
	u64 ends, names;
	letters odd, capital;
};

/* A bit for each of 64 letters that is 0xff; the others are 0. */
INLINE u64 bits(const letters which[4])
{
#if defined(__SSE2__)
	u64 found = 0;

	for (int i = 0; i < 4; i++)
		found |= (u64)_mm_movemask_epi8((__m128i)which[i]) << 16 * i;
	return found;
#elif defined(__AARCH64EL__)
	/* Each letter its own bit of eight; added in pairs, three times, they are a byte. */
	const letters own = (letters)((halves){0} + 0x8040201008040201ull);
	uint8x16_t sums = vpaddq_u8(vpaddq_u8(which[0] & own, which[1] & own),
				    vpaddq_u8(which[2] & own, which[3] & own));

	return ((halves)vpaddq_u8(sums, sums))[0];
#elif defined(__POWER8_VECTOR__)
	/* Where the bits asked for are, counted from the highest: a byte's own highest. */
	const __vector signed char asked = {120, 112, 104, 96, 88, 80, 72, 64,
					    56, 48, 40, 32, 24, 16, 8, 0};
	u64 found = 0;

	for (int i = 4; i--;) {
		const __vector signed char here = (__vector signed char)which[i];
		const halves sixteen = (halves)__builtin_altivec_vbpermq(here, asked);

		found = found << 16 | (u16)sixteen[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__];
	}
	return found;
#else
	/* Bit n of byte m is of letter 8n + m; then rows become columns. */
	letters sum = {0};

	for (u64 i = 0; i < 4; i++)
		sum |= which[i] & (letters)(halves){EIGHT(1) << 2 * i, EIGHT(2) << 2 * i};
	u64 found = first_byte_lowest(((halves)sum)[0] | ((halves)sum)[1]), swapped;

	if (!found)
		return 0;
	swapped = (found ^ found >> 7) & 0x00aa00aa00aa00aaull;
	found ^= swapped ^ swapped << 7;
	swapped = (found ^ found >> 14) & 0x0000cccc0000ccccull;
	found ^= swapped ^ swapped << 14;
	swapped = (found ^ found >> 28) & 0x00000000f0f0f0f0ull;
	return found ^ swapped ^ swapped << 28;
#endif
}

/* Looks at 64 bytes; those of the name's length that follow are there. */
INLINE void look(struct found *found, const char *at)
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
