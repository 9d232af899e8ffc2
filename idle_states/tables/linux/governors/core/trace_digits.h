/* Eight characters of a trace's text at a time, as one number whose lowest byte is the first. */
#ifndef IDLE_STATES_TRACE_DIGITS_H
#define IDLE_STATES_TRACE_DIGITS_H

#include "core.h"

#define EIGHT(c) (0x0101010101010101ull * (u8)(c))

/* Of eight bytes as they are in memory. */
INLINE u64 first_byte_lowest(u64 value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

INLINE u64 le64_at(const char *at)
{
	u64 value;

	memcpy(&value, at, sizeof(value));
	return first_byte_lowest(value);
}

/* Whether all eight are digits; the number they are. */
INLINE bool eight_digits(u64 text, u64 *value)
{
	if (((text & EIGHT(0xf0)) | ((text + EIGHT(6)) & EIGHT(0xf0)) >> 4) != EIGHT(0x33))
		return false;
	/* Pairs, then fours, then all: ten, a hundred, ten thousand of each and one of the next. */
	text = (text & EIGHT(0x0f)) * (1 + (10 << 8)) >> 8;
	text = (text & 0x00ff00ff00ff00ffull) * (1 + (100 << 16)) >> 16;
	*value = (text & 0x0000ffff0000ffffull) * (1 + (10000ull << 32)) >> 32;
	return true;
}

/* Sixteen letters, in the vectors of any processor that has them: gcc and clang choose. */
typedef u8 letters __attribute__((vector_size(16)));
typedef u64 halves __attribute__((vector_size(16)));

#define LETTERS(c) ((letters){0} + (u8)(c))

INLINE letters letters_at(const char *at)
{
	letters value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Whether there may be a colon: never false where there is one. */
INLINE bool has_colon(const char *at, const char *end)
{
	letters found = {0};

	if (end - at < 16)
		return true;
	for (; end - at > 16; at += 16)
		found |= (letters)(letters_at(at) == LETTERS(':'));
	found |= (letters)(letters_at(end - 16) == LETTERS(':'));
	return (((halves)found)[0] | ((halves)found)[1]) != 0;
}

#endif
