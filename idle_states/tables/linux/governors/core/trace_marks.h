/* Where lines end and names may begin in a part of a trace's text: a bit for each byte. */
#ifndef IDLE_STATES_TRACE_MARKS_H
#define IDLE_STATES_TRACE_MARKS_H

#include "trace_digits.h"

#define NAME "cpu_idle"
#define NAME_LENGTH 8
#define SHORT_LINE 40 /* what is shorter is no event, or may be broken */
#define PART (32 << 10) /* bytes gone through twice: they stay in the nearest cache */
#define MARK_WORDS (PART / 64 + 1)

/*
 * ends: of lines, of which the last may be where the part ends. before: how many ends are in earlier
 * words. names: where NAME begins, or something like it. What few traces have: odd bytes that are no
 * ASCII text, a capital P as in what reports losses, short lines.
 */
struct marks {
	u64 ends[MARK_WORDS], names[MARK_WORDS];
	u16 before[MARK_WORDS];
	size_t words;
	bool odd, capital, has_short;
};

/* At most PART bytes. mark_at: by what a level of instruction sets has, which the machine must have. */
void mark(struct marks *marks, const char *text, size_t length);
void mark_at(int level, struct marks *marks, const char *text, size_t length);

INLINE int ones(u64 bits)
{
	bits -= bits >> 1 & 0x5555555555555555ull;
	bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (int)(bits * 0x0101010101010101ull >> 56);
}

/* Where the line with the byte `at` ends. */
INLINE size_t end_of_line(const struct marks *marks, size_t at)
{
	size_t word = at / 64;
	u64 ends = marks->ends[word] & ~0ull << at % 64;

	while (!ends)
		ends = marks->ends[++word];
	return 64 * word + (size_t)__builtin_ctzll(ends);
}

/* Where it begins. */
INLINE size_t begin_of_line(const struct marks *marks, size_t at)
{
	size_t word = at / 64;
	u64 ends = marks->ends[word] & ((1ull << at % 64) - 1);

	while (!ends && word)
		ends = marks->ends[--word];
	return ends ? 64 * word + 64 - (size_t)__builtin_clzll(ends) : 0;
}

/* How many lines end before the byte `at`. */
INLINE u32 lines_before(const struct marks *marks, size_t at)
{
	u64 ends = marks->ends[at / 64] & ((1ull << at % 64) - 1);

	return marks->before[at / 64] + (u32)ones(ends);
}

/* How many lines there are. */
INLINE u32 lines_in(const struct marks *marks)
{
	return lines_before(marks, 64 * marks->words - 1) + (u32)(marks->ends[marks->words - 1] >> 63);
}

/* Where NAME is next from a byte of the part on; `length` if it is no more. */
INLINE size_t next_name(const struct marks *marks, const char *text, size_t length, size_t from)
{
	size_t word = from / 64;
	u64 names = marks->names[word] & ~0ull << from % 64;

	for (;;) {
		for (; names; names &= names - 1) {
			size_t at = 64 * word + (size_t)__builtin_ctzll(names);

			if (at + NAME_LENGTH <= length && !memcmp(text + at, NAME, NAME_LENGTH))
				return at;
		}
		if (++word >= marks->words)
			return length;
		names = marks->names[word];
	}
}

#endif
