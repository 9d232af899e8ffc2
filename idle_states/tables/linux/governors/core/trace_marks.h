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
 * ends: of lines, of which the last may be where the part ends; end_at: the same as places, so many
 * as lines. before: how many ends are in earlier words. names: where NAME begins, or something like
 * it; named: the words that have one. What few traces have: odd bytes that are no ASCII text, a
 * capital P as in what reports losses, short lines.
 */
struct marks {
	u64 ends[MARK_WORDS], names[MARK_WORDS];
	u16 before[MARK_WORDS], named[MARK_WORDS], end_at[PART + 2];
	u32 named_words, lines;
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

/* How many lines end before the byte `at`. */
INLINE u32 lines_before(const struct marks *marks, size_t at)
{
	u64 ends = marks->ends[at / 64] & ((1ull << at % 64) - 1);

	return marks->before[at / 64] + (u32)ones(ends);
}

/* Where a line begins. */
INLINE size_t begin_of(const struct marks *marks, u32 line)
{
	return line ? marks->end_at[line - 1] + 1u : 0;
}

#endif
