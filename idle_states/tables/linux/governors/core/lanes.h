/*
 * Vectors of LANES 64-bit numbers, in the extension that gcc and clang share: operators work lane by
 * lane, v[n] is lane n, and a comparison is a mask, whose lanes are -1 or 0. Numbers are doubles,
 * which every architecture compares, and takes the least of, in one instruction; whole ones below
 * 2^52 are exact. Only what the extension cannot say well is left to functions, some of which have
 * an architecture's own instructions. Included once per instruction set: eight lanes at level 4,
 * four at level 3, two where a vector has 128 bits.
 */
#if LEVEL >= 4
#define LANES 8
#elif LEVEL >= 3
#define LANES 4
#else
#define LANES 2
#endif
typedef s64 LEVELED(vec) __attribute__((vector_size(8 * LANES)));
typedef u64 LEVELED(unsigned_vec) __attribute__((vector_size(8 * LANES)));
typedef double LEVELED(numbers) __attribute__((vector_size(8 * LANES)));
#define vec LEVELED(vec)
#define unsigned_vec LEVELED(unsigned_vec)
#define numbers LEVELED(numbers)
#define any LEVELED(any)
#define least_of LEVELED(least_of)
#define greatest_of LEVELED(greatest_of)
#define has_bit LEVELED(has_bit)
#define top_bit LEVELED(top_bit)
#define from LEVELED(from)
#define inverse LEVELED(inverse)

#ifndef IDLE_STATES_LANES_H
#define IDLE_STATES_LANES_H
#if defined(__VSX__)
#include <altivec.h>
#undef vector
#undef pixel
#undef bool
#define bool _Bool
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#define all_of(value) ((vec){0} + (s64)(value))
#define all(value) ((numbers){0} + (double)(value))
/* Compilers make one instruction of it where there is one. */
#define pick(m, a, b) (((m) & (a)) | (~(m) & (b)))
#define choose(m, a, b) ((numbers)pick(m, (vec)(a), (vec)(b)))
/* Added to a double below 2^51, and taken off it again, this leaves the nearest whole number. */
#define WHOLE 0x1.8p52
#define nearest(a) ((a) + WHOLE - WHOLE)
/* Whole numbers below 2^51 and doubles, one made of the other by the mantissa. */
#define integer(a) ((vec)((a) + WHOLE) - 0x4338000000000000)
#define number(a) ((numbers)((a) + 0x4338000000000000) - WHOLE)
#endif

/* Whether a mask has any lane. */
INLINE bool any(vec m)
{
#if LEVEL >= 4
	return _mm512_movepi64_mask((__m512i)m) != 0;
#elif LEVEL >= 3
	return _mm256_movemask_pd((__m256d)m) != 0;
#else
	return (m[0] | m[1]) != 0;
#endif
}

INLINE numbers least_of(numbers a, numbers b)
{
#if LEVEL >= 4
	return (numbers)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif LEVEL >= 3
	return (numbers)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__VSX__)
	return (numbers)vec_min((__vector double)a, (__vector double)b);
#elif defined(__aarch64__)
	return (numbers)vminq_f64((float64x2_t)a, (float64x2_t)b);
#else
	return choose(a < b, a, b);
#endif
}

INLINE numbers greatest_of(numbers a, numbers b)
{
#if LEVEL >= 4
	return (numbers)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif LEVEL >= 3
	return (numbers)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__VSX__)
	return (numbers)vec_max((__vector double)a, (__vector double)b);
#elif defined(__aarch64__)
	return (numbers)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
#else
	return choose(a > b, a, b);
#endif
}

/* Whether each lane has the bit of its number set; bit n is 63 - n here. */
INLINE vec has_bit(vec bits, vec number)
{
	return bits << number < 0;
}

/* The number of the highest bit set in numbers below 2^51, 0 if there is none: the exponent that
 * they have as doubles tells. */
INLINE vec top_bit(vec a)
{
	return ((vec)number(a | 1) >> 52) - 1023;
}

/* Each lane's own entry of a table. */
INLINE numbers from(const numbers *table, vec index)
{
	numbers found = {0};

	for (int lane = 0; lane < LANES; lane++)
		found[lane] = table[index[lane]][lane];
	return found;
}

/* One by a number from 1 to 8. */
INLINE numbers inverse(numbers count)
{
#if LEVEL >= 4
	const numbers inverses = {1 / 8., 1, 1 / 2., 1 / 3., 1 / 4., 1 / 5., 1 / 6., 1 / 7.};

	return __builtin_shuffle(inverses, (vec)(count + 0x1p52));
#else
	return 1 / count;
#endif
}
