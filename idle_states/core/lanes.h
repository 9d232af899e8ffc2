/*
 * Vectors of LANES signed 64-bit numbers, in the extension that gcc and clang share: operators work
 * lane by lane, v[n] is lane n, and a comparison is a mask, whose lanes are -1 or 0. Only what the
 * extension cannot say well is left to functions, some of which have an architecture's own
 * instructions. Included once per instruction set: eight lanes at level 4, four at level 3, two where
 * a vector has 128 bits.
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
typedef double LEVELED(double_vec) __attribute__((vector_size(8 * LANES)));
#define vec LEVELED(vec)
#define unsigned_vec LEVELED(unsigned_vec)
#define double_vec LEVELED(double_vec)
#define any LEVELED(any)
#define mul LEVELED(mul)
#define top_bit LEVELED(top_bit)
#define from LEVELED(from)
#define inverse LEVELED(inverse)

#ifndef IDLE_STATES_LANES_H
#define IDLE_STATES_LANES_H
#define all_of(value) ((vec){0} + (s64)(value))
#define shr(a, n) ((vec)((unsigned_vec)(a) >> (n)))
/* Compilers make one instruction of it where there is one. */
#define pick(m, a, b) (((m) & (a)) | (~(m) & (b)))
#define least_of(a, b) pick((a) < (b), a, b)
#define greatest_of(a, b) pick((a) > (b), a, b)
/*
 * Whole numbers below 2^52 make the mantissa of a double. Added to doubles, 3 * 2^51 leaves a whole
 * number, the nearest, in the mantissa.
 */
#define MANTISSA 0x4330000000000000
#define exact(a) ((double_vec)((a) | MANTISSA) - 0x1p52)
#define WHOLE 0x1.8p52
#define whole(a) ((vec)((a) + WHOLE) - 0x4338000000000000)
#endif

/* Whether a mask has any lane. */
INLINE bool any(vec m)
{
#if LEVEL >= 4
	return _mm512_movepi64_mask((__m512i)m) != 0;
#elif LEVEL >= 3
	return _mm256_movemask_epi8((__m256i)m) != 0;
#else
	return (m[0] | m[1]) != 0;
#endif
}

/* The products of numbers below 2^32; of others, their lower halves'. */
INLINE vec mul(vec a, vec b)
{
#if LEVEL >= 4
	return (vec)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif LEVEL >= 3
	return (vec)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
	return (a & U32_MAX) * (b & U32_MAX);
#endif
}

/* The number of the highest bit set in numbers below 2^52, 0 if there is none: the exponent that
 * they have as doubles tells. */
INLINE vec top_bit(vec a)
{
	return shr((vec)exact(a | 1), 52) - 1023;
}

/* Each lane's own entry of a table. */
INLINE vec from(const vec *table, vec index)
{
#if LEVEL >= 4
	const vec lanes = {0, 1, 2, 3, 4, 5, 6, 7};

	return (vec)_mm512_i64gather_epi64((__m512i)(index * LANES + lanes), table, 8);
#else
	vec found;

	for (int lane = 0; lane < LANES; lane++)
		found[lane] = table[index[lane]][lane];
	return found;
#endif
}

/* One by a number from 1 to 8. */
INLINE double_vec inverse(double_vec count)
{
#if LEVEL >= 4
	const double_vec inverses = {1 / 8., 1, 1 / 2., 1 / 3., 1 / 4., 1 / 5., 1 / 6., 1 / 7.};

	return __builtin_shuffle(inverses, (vec)(count + 0x1p52));
#else
	return 1 / count;
#endif
}
