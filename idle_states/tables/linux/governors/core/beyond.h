/* Comparison with all states of a table at once. Included once per instruction set. */
/* Bit n: limits[n] exceeds value. Bits beyond the table are 0 or masked by the caller. */
INLINE u32 LEVELED(beyond)(const u64 *limits, u64 value)
{
#if LEVEL >= 3
	/* No limit reaches 2^63, so that a greater value may be taken for less. */
	__m256i all = _mm256_set1_epi64x((long long)least(value, INT64_MAX));
	u32 mask = 0;
	for (int i = 0; i < 12; i += 4) {
		__m256i four = _mm256_loadu_si256((const __m256i *)(limits + i));
		__m256i more = _mm256_cmpgt_epi64(four, all);
		mask |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(more)) << i;
	}
	return mask;
#else
	u32 mask = 0;
	for (int i = 0; i < STATES_MAX; i++)
		mask |= (u32)(limits[i] > value) << i;
	return mask;
#endif
}

/* The same of eight limits. */
INLINE u32 LEVELED(beyond_few)(const s32 *limits, s32 value)
{
#if LEVEL >= 3
	__m256i eight = _mm256_loadu_si256((const __m256i *)limits);
	__m256i more = _mm256_cmpgt_epi32(eight, _mm256_set1_epi32(value));

	return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(more));
#else
	u32 mask = 0;

	for (int i = 0; i < FEW_STATES; i++)
		mask |= (u32)(limits[i] > value) << i;
	return mask;
#endif
}
