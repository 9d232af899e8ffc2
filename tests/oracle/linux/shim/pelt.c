/* The kernel around its load tracking: times and whether it ran come in, sums and averages go out. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define __maybe_unused __attribute__((unused))
#define __always_inline inline __attribute__((always_inline))
#define unlikely(x) (x)
#define WRITE_ONCE(target, value) ((target) = (value))
#define SCHED_CAPACITY_SHIFT 10

struct sched_avg {
	u64 last_update_time, load_sum, runnable_sum;
	u32 util_sum, period_contrib;
	unsigned long load_avg, runnable_avg, util_avg;
};

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return (u64)((unsigned __int128)a * b >> shift);
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#include "pelt_extract.h"

int main(void)
{
	struct sched_avg average = {0};
	int running;
	u64 now;

	while (scanf("%" SCNu64 " %d", &now, &running) == 2) {
		if (___update_load_sum(now, &average, running, running, running))
			___update_load_avg(&average, 1);
		printf("%u %lu\n", average.util_sum, average.util_avg);
	}
	return 0;
}
