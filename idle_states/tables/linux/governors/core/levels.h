/*
 * Instruction sets. A body is included once for each: LEVEL is 0 for what every processor of the
 * architecture has, 3 for x86-64-v3, 4 for x86-64-v4; LEVELED(name) makes names differ. Which one
 * runs is decided when a replay starts.
 */
#ifndef IDLE_STATES_LEVELS_H
#define IDLE_STATES_LEVELS_H

#include "core.h"

#define PASTE_(name, level) name##_##level
#define PASTE(name, level) PASTE_(name, level)
#define LEVELED(name) PASTE(name, LEVEL)

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(BASELINE_ALONE)
#include <immintrin.h>
#define LEVELS 1
#endif
/*
 * Several tables go through the vectors that every processor of 64-bit POWER (VSX) or Arm (NEON) has:
 * a decision of 5.13 takes 297 instructions on POWER8 then, and 204 on Arm, instead of 617 and 478.
 * With -DBASELINE_ALONE no other level is compiled, for whoever asks only whether it compiles.
 */
#if defined(__VSX__) || defined(__aarch64__)
#define BASELINE_LANES 1
#endif

/* The highest level this machine has. */
static inline int level(void)
{
#ifdef LEVELS
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
	    !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
		return 0;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw"))
		return 3;
	return 4;
#else
	return 0;
#endif
}

/* What name_LEVEL() returns of the best code for several tables that this machine has and is allowed,
 * NULL if there is none. */
#ifdef LEVELS
#define LANES_OF(name, allowed, ...)                                              \
	(level() >= 4 && (allowed) >= 4	  ? name##_4(__VA_ARGS__)                 \
	 : level() >= 3 && (allowed) >= 3 ? name##_3(__VA_ARGS__)                 \
					  : NULL)
#elif defined(BASELINE_LANES)
#define LANES_OF(name, allowed, ...) ((void)(allowed), name##_0(__VA_ARGS__))
#else
#define LANES_OF(name, allowed, ...) ((void)(allowed), NULL)
#endif

#endif
