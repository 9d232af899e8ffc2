/* Random numbers that count: simulation/programs.py. */
#ifndef IDLE_STATES_SIMULATE_RANDOM_H
#define IDLE_STATES_SIMULATE_RANDOM_H

#include "simulate.h"

#define GOLDEN 0x9E3779B97F4A7C15ull
#define LN2_Q32 2977044472ull

typedef unsigned __int128 u128;

INLINE u64 mix(u64 value)
{
	value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
	value = (value ^ value >> 27) * 0x94D049BB133111EBull;
	return value ^ value >> 31;
}

INLINE u64 stream_key(u64 seed, u64 stream)
{
	return mix(mix(seed + GOLDEN) ^ mix(stream * GOLDEN + 1));
}

/* The next of a stream, which begins with its key. */
INLINE u64 draw(u64 *stream)
{
	return mix(*stream += GOLDEN);
}

INLINE u64 uniform(u64 bits, u64 low, u64 high)
{
	return low + (u64)((u128)bits * (high - low + 1) >> 64);
}

INLINE u64 exponential(const u64 *log2, u64 bits, u64 mean)
{
	u64 zeros, mantissa, below, above, rest;

	bits |= 1;
	zeros = (u64)__builtin_clzll(bits);
	mantissa = bits << zeros;
	below = log2[mantissa >> 55 & 0xFF];
	above = log2[(mantissa >> 55 & 0xFF) + 1];
	rest = mantissa >> 23 & 0xFFFFFFFF;
	below += (above - below) * rest >> 32;
	return (u64)((u128)mean * (((zeros + 1) << 32) - below) * LN2_Q32 >> 64);
}

#endif
