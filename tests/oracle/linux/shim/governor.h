/*
 * The kernel around a cpuidle governor. Every kernel header that a governor includes leads here.
 * The structures and constants of cpuidle come from the kernel tree itself: "cpuidle_extract.h" is
 * written when an oracle is built, for their members' signedness decides comparisons and differs
 * from release to release. HZ is set by the compiler's command line.
 */
#ifndef ORACLE_GOVERNOR_H
#define ORACLE_GOVERNOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(long) == 8,
	       "the host must be like ppc64le");

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef unsigned long long u64;
typedef long long s64;
typedef s64 ktime_t;

#define U32_MAX UINT32_MAX
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))

/* Compiler and module decoration. */
#define __init
#define __initdata
#define __read_mostly
#define __ro_after_init
#define likely(x) (x)
#define unlikely(x) (x)
#define module_param(name, type, mode)
#define THIS_MODULE NULL /* before 4.14 */
#define postcore_initcall(fn) int oracle_governor_initcall(void) { return fn(); }

/* Arithmetic: the operands' types decide where it wraps, as in the kernel. */
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ORACLE_CHOOSE(a, op, b)         \
	({                              \
		__typeof__(a) _a = (a); \
		__typeof__(b) _b = (b); \
		_a op _b ? _a : _b;     \
	})
#define min(a, b) ORACLE_CHOOSE(a, <, b)
#define max(a, b) ORACLE_CHOOSE(a, >, b)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp(value, low, high) min(max(value, low), high)
#define clamp_t(type, value, low, high) clamp((type)(value), (type)(low), (type)(high))
#define do_div(dividend, divisor)                    \
	({                                           \
		u32 _divisor = (divisor);            \
		u32 _rest = (dividend) % _divisor;   \
		(dividend) = (dividend) / _divisor;  \
		_rest;                               \
	})
static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}
static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}
static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}
#define DIV_ROUND_CLOSEST_ULL(dividend, divisor) \
	({ u32 _d = (divisor); div_u64((u64)(dividend) + _d / 2, _d); })

/* Before 4.6; powerpc's architecture has no polling loop of its own. */
#define CPUIDLE_DRIVER_STATE_START 0
static inline unsigned long int_sqrt(unsigned long x)
{
	unsigned long root = 0;

	for (unsigned long bit = 1UL << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

/* Time. */
#define NSEC_PER_USEC 1000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_SEC 1000000L
#define TICK_NSEC ((NSEC_PER_SEC + HZ / 2) / HZ)
#define TICK_USEC ((USEC_PER_SEC + HZ / 2) / HZ)
#define KTIME_MAX S64_MAX
#define ktime_to_ns(time) (time)
#define ns_to_ktime(time) ((ktime_t)(time))
#define ktime_to_us(time) ((s64)(time) / NSEC_PER_USEC)

/* One CPU. Its per-CPU variables lie together, so that it can be taken back to how it booted. */
#define DEFINE_PER_CPU(type, name) \
	__attribute__((section("oracle_percpu"), aligned(128), used)) __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define this_cpu_ptr(pointer) (pointer)
#define raw_cpu_ptr(pointer) (pointer)
#define per_cpu_ptr(pointer, cpu) ((void)(cpu), (pointer))
#define per_cpu(name, cpu) (*per_cpu_ptr(&(name), cpu))

/* cpuidle. */
struct list_head {
	struct list_head *next, *prev;
};
struct module;
struct cpumask;
/* RHEL 8 changes structures so that modules still know them, and keeps some members elsewhere. */
#define RH_KABI_DEPRECATE(type, name) type name;
#define RH_KABI_EXTEND(member) member;
#define RH_KABI_FILL_HOLE(member) member;
#define RH_KABI_REPLACE(old, member) member;
#include "cpuidle_extract.h"
#ifdef ORACLE_SHADOWED
#define oracle_kept(device) ((device).rh_cpuidle_dev)
#define oracle_judged(device, i) ((device).rh_cpuidle_dev.rh_states_usage[i])
#else
#define oracle_kept(device) (device)
#define oracle_judged(device, i) ((device).states_usage[i])
#endif
#ifndef CPUIDLE_FLAG_POLLING
#define CPUIDLE_FLAG_POLLING 0x01000000 /* before 4.14 no governor asks for it */
#endif
int cpuidle_register_governor(struct cpuidle_governor *governor);
#ifdef ORACLE_IN_NS
s64 cpuidle_governor_latency_req(unsigned int cpu);
#else
int cpuidle_governor_latency_req(unsigned int cpu);
int cpuidle_get_last_residency(struct cpuidle_device *device);
#endif

/* Before 4.19 governors put the latency limit together themselves. */
#define PM_QOS_CPU_DMA_LATENCY 1
#define PM_QOS_RESUME_LATENCY_NO_CONSTRAINT INT_MAX
#define pm_qos_request(class) oracle_latency_limit_us()
#define get_cpu_device(cpu) ((struct device *)NULL)
#define dev_pm_qos_raw_read_value(device) ((void)(device), PM_QOS_RESUME_LATENCY_NO_CONSTRAINT)
int oracle_latency_limit_us(void);

/* The idle loop, the tick and the scheduler: the row at hand answers. */
#ifdef ORACLE_STOP_TICK
ktime_t tick_nohz_get_sleep_length(ktime_t *delta_next);
#else
ktime_t tick_nohz_get_sleep_length(void);
#endif
bool tick_nohz_tick_stopped(void);
bool tick_nohz_idle_got_tick(void);
u64 local_clock(void);
unsigned int nr_iowait_cpu(int cpu);
void get_iowait_load(unsigned long *nr_waiters, unsigned long *load);
#define tick_nohz_enabled true
#define kvm_para_available() true
#define FSHIFT 11
#define FIXED_1 (1 << FSHIFT)

/* CPU utilisation, which teo of 6.3 to 6.10 looks at. */
#define CONFIG_SMP 1
unsigned long sched_cpu_util(int cpu);
unsigned long arch_scale_cpu_capacity(int cpu);

#define trace_guest_halt_poll_ns_grow(new_value, old_value)
#define trace_guest_halt_poll_ns_shrink(new_value, old_value)

#endif
