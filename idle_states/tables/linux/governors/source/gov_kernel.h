/*
 * A small kernel around one cpuidle governor. Every kernel header that the governor's file includes
 * leads here. Which interface it is written for (kernels 4.4 to today) is said by macros of the
 * command line, found in its text: GOV_IN_NS, GOV_SIGNED_NS, GOV_STOP_TICK, GOV_DELTA_NEXT. HZ and
 * GOV_STATE_START are set there, too.
 */
#ifndef GOV_KERNEL_H
#define GOV_KERNEL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(long) == 8,
	       "the host must be a little-endian machine of 64 bits");

typedef uint8_t u8;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef long long s64;
typedef unsigned long long u64;
typedef s64 ktime_t;

#define U32_MAX UINT32_MAX
#define S32_MAX INT32_MAX
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))

/* Words for the compiler, the linker and the module loader. */
#define __init
#define __initdata
#define __read_mostly
#define __ro_after_init
#undef __always_inline
#define __always_inline inline
#define likely(x) (x)
#define unlikely(x) (x)
#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, value) ((x) = (value))
#define module_param(name, type, mode)
#define MODULE_PARM_DESC(name, text)
#define MODULE_LICENSE(text)
#define EXPORT_SYMBOL_GPL(symbol)
#define THIS_MODULE NULL
#define postcore_initcall(function) int gov_initcall(void) { return function(); }
#define module_init(function) postcore_initcall(function)
#define WARN_ON(condition) ((condition) != 0)
#define WARN_ON_ONCE(condition) WARN_ON(condition)
#define pr_debug(...) ((void)0)
#define pr_info(...) ((void)0)
#define pr_warn(...) ((void)0)
#define pr_err(...) ((void)0)

/* Arithmetic: the types of the operands decide where it wraps, as in the kernel. */
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define GOV_CHOOSE(a, op, b)              \
	({                                \
		__typeof__(a) _left = (a);  \
		__typeof__(b) _right = (b); \
		_left op _right ? _left : _right; \
	})
#define min(a, b) GOV_CHOOSE(a, <, b)
#define max(a, b) GOV_CHOOSE(a, >, b)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp(value, low, high) min(max(value, low), high)
#define clamp_t(type, value, low, high) clamp((type)(value), (type)(low), (type)(high))
#define swap(a, b)                         \
	do {                               \
		__typeof__(a) _kept = (a); \
		(a) = (b);                 \
		(b) = _kept;               \
	} while (0)
#define abs(x) ({ __typeof__(x) _x = (x); _x < 0 ? -_x : _x; })
#define do_div(dividend, divisor)                   \
	({                                          \
		u32 _divisor = (divisor);           \
		u32 _rest = (dividend) % _divisor;  \
		(dividend) = (dividend) / _divisor; \
		_rest;                              \
	})
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
static inline u64 div_u64(u64 dividend, u32 divisor) { return dividend / divisor; }
static inline u64 div64_u64(u64 dividend, u64 divisor) { return dividend / divisor; }
static inline s64 div_s64(s64 dividend, s32 divisor) { return dividend / divisor; }
static inline s64 div64_s64(s64 dividend, s64 divisor) { return dividend / divisor; }
static inline u64 mul_u32_u32(u32 a, u32 b) { return (u64)a * b; }
#define DIV_ROUND_CLOSEST_ULL(dividend, divisor) \
	({ u32 _d = (divisor); div_u64((u64)(dividend) + _d / 2, _d); })
/* The whole part of a square root: menu asks for it before 4.6. */
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
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define TICK_NSEC ((NSEC_PER_SEC + HZ / 2) / HZ)
#define TICK_USEC ((USEC_PER_SEC + HZ / 2) / HZ)
#define KTIME_MAX S64_MAX
#define ktime_to_ns(time) (time)
#define ns_to_ktime(time) ((ktime_t)(time))
#define ktime_to_us(time) ((s64)(time) / NSEC_PER_USEC)
#define ktime_sub(a, b) ((ktime_t)((u64)(a) - (u64)(b)))
#define ktime_add(a, b) ((ktime_t)((u64)(a) + (u64)(b)))
#define ktime_before(a, b) ((a) < (b))

/* One CPU. Its variables lie together, so that it can be kept and taken back. */
#define DEFINE_PER_CPU(type, name) \
	__attribute__((section("gov_percpu"), aligned(128), used)) __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define this_cpu_ptr(pointer) (pointer)
#define raw_cpu_ptr(pointer) (pointer)
#define per_cpu_ptr(pointer, cpu) ((void)(cpu), (pointer))
#define per_cpu(name, cpu) (*per_cpu_ptr(&(name), cpu))
#define smp_processor_id() 0

/* cpuidle: what governors of any release ask of it. A member that a release lacks, none of its
 * governors names. GOV_STRUCTURES is a file with a release's own instead. */
#define CPUIDLE_DRIVER_STATE_START GOV_STATE_START /* before 4.14 */
struct list_head {
	struct list_head *next, *prev;
};
struct module;
struct device;
struct cpuidle_device;
struct cpuidle_driver;

#ifdef GOV_STRUCTURES
#include GOV_STRUCTURES
#else
#define CPUIDLE_STATE_MAX 10
#define CPUIDLE_NAME_LEN 16
#define CPUIDLE_DESC_LEN 32
#define CPUIDLE_FLAG_NONE 0
#define CPUIDLE_FLAG_POLLING BIT(0)
#define CPUIDLE_FLAG_COUPLED BIT(1)
#define CPUIDLE_FLAG_TIMER_STOP BIT(2)
#define CPUIDLE_FLAG_UNUSABLE BIT(3)
#define CPUIDLE_FLAG_OFF BIT(4)
#define CPUIDLE_FLAG_TLB_FLUSHED BIT(5)
#define CPUIDLE_FLAG_RCU_IDLE BIT(6)

#ifdef GOV_SIGNED_NS
typedef s64 gov_time_ns;
#else
typedef u64 gov_time_ns;
#endif

struct cpuidle_state {
	char name[CPUIDLE_NAME_LEN];
	char desc[CPUIDLE_DESC_LEN];
	gov_time_ns exit_latency_ns, target_residency_ns;
	unsigned int flags, exit_latency, target_residency;
	int power_usage;
	bool disabled;
	int (*enter)(struct cpuidle_device *, struct cpuidle_driver *, int);
};

struct cpuidle_state_usage {
	unsigned long long disable, usage, time, above, below, rejected;
	u64 time_ns;
};

/* RHEL 8 has what came after 4.18 in a structure within this one; it is the same to both names. */
#define GOV_LATER_MEMBERS                                                    \
	ktime_t next_hrtimer;                                                \
	u64 last_residency_ns, poll_limit_ns, forced_idle_latency_limit_ns;  \
	int last_state_idx;                                                  \
	unsigned int poll_time_limit : 1;

struct cpuidle_device {
	unsigned int registered : 1, enabled : 1, use_deepest_state : 1;
	unsigned int cpu;
	int last_residency;
	union {
		struct {
			GOV_LATER_MEMBERS
		};
		struct {
			GOV_LATER_MEMBERS
		} rh_cpuidle_dev;
	};
	struct cpuidle_state_usage states_usage[CPUIDLE_STATE_MAX];
};

struct cpuidle_driver {
	const char *name;
	struct module *owner;
	struct cpuidle_state states[CPUIDLE_STATE_MAX];
	int state_count, safe_state_index;
	const char *governor;
};

struct cpuidle_governor {
	char name[CPUIDLE_NAME_LEN];
	struct list_head governor_list;
	unsigned int rating;
	int (*enable)(struct cpuidle_driver *, struct cpuidle_device *);
	void (*disable)(struct cpuidle_driver *, struct cpuidle_device *);
#ifdef GOV_STOP_TICK
	int (*select)(struct cpuidle_driver *, struct cpuidle_device *, bool *);
#else
	int (*select)(struct cpuidle_driver *, struct cpuidle_device *);
#endif
	void (*reflect)(struct cpuidle_device *, int);
	struct module *owner;
};
#endif

int cpuidle_register_governor(struct cpuidle_governor *governor);
#ifdef GOV_IN_NS
s64 cpuidle_governor_latency_req(unsigned int cpu);
#else
int cpuidle_governor_latency_req(unsigned int cpu);
#endif
#define cpuidle_get_last_residency(device) ((device)->last_residency)

/* Before 4.19 governors put the latency limit together themselves. */
#define PM_QOS_CPU_DMA_LATENCY 1
#define PM_QOS_RESUME_LATENCY_NO_CONSTRAINT INT_MAX
#define PM_QOS_RESUME_LATENCY_NO_CONSTRAINT_NS ((s64)INT_MAX * NSEC_PER_USEC)
#define PM_QOS_LATENCY_ANY INT_MAX
#define get_cpu_device(cpu) ((struct device *)NULL)
/* Before 4.15 no limit was 0; no governor tells that from the greatest. */
#define dev_pm_qos_raw_read_value(device) \
	((void)(device), PM_QOS_RESUME_LATENCY_NO_CONSTRAINT)
#define dev_pm_qos_read_value(device) dev_pm_qos_raw_read_value(device)
int pm_qos_request(int class);

/* The idle loop, the tick and the scheduler. */
#ifdef GOV_DELTA_NEXT
ktime_t tick_nohz_get_sleep_length(ktime_t *delta_next);
#else
ktime_t tick_nohz_get_sleep_length(void);
#endif
bool tick_nohz_tick_stopped(void);
bool tick_nohz_idle_got_tick(void);
u64 local_clock(void);
unsigned int nr_iowait_cpu(int cpu);
void get_iowait_load(unsigned long *nr_waiters, unsigned long *load);
unsigned long sched_cpu_util(int cpu);
unsigned long arch_scale_cpu_capacity(int cpu);
#define CONFIG_SMP 1
#define tick_nohz_enabled true
#define kvm_para_available() true
#define need_resched() false
#define FSHIFT 11
#define FIXED_1 (1 << FSHIFT)
#define LOAD_INT(x) ((x) >> FSHIFT)
#define LOAD_FRAC(x) LOAD_INT(((x) & (FIXED_1 - 1)) * 100)
#define trace_guest_halt_poll_ns_grow(...) ((void)0)
#define trace_guest_halt_poll_ns_shrink(...) ((void)0)
#define trace_guest_halt_poll_ns(...) ((void)0)

#endif
