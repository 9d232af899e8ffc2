/* What genpd's gates and its governor for CPUs need, over domains, devices and CPUs that a case
 * names. No locks; time, limits, interrupts and what is suspended are the case's. */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef s64 ktime_t;
typedef int atomic_t;

#define MAX_CPUS 8
#define MAX_DEVICES 4
#define MAX_DOMAINS 6
#define MAX_STATES 6
#define NSEC_PER_USEC 1000L
#define KTIME_MAX INT64_MAX
#define KTIME_SEC_MAX (KTIME_MAX / 1000000000L)
#define PM_QOS_RESUME_LATENCY_NO_CONSTRAINT_NS ((s64)INT32_MAX * NSEC_PER_USEC)
#define PM_QOS_CPU_DMA_LATENCY 1
#define GENPD_FLAG_CPU_DOMAIN 1
#define GENPD_FLAG_MIN_RESIDENCY 2
#define GENPD_FLAG_ALWAYS_ON 4
#define GENPD_FLAG_RPM_ALWAYS_ON 8
#define READ_ONCE(value) (value)
#define atomic_read(counter) (*(counter))
#define pr_debug(...) ((void)0)
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

/* The names of before 5.9. */
#define master parent
#define slave child
#define master_links parent_links
#define slave_links child_links
#define master_node parent_node
#define slave_node child_node
#define GPD_STATE_ACTIVE GENPD_STATE_ON
#define GPD_STATE_POWER_OFF GENPD_STATE_OFF

struct list_head { struct list_head *next, *prev; };
#define list_entry(pointer, type, member) container_of(pointer, type, member)
#define list_for_each_entry(entry, head, member) \
	for (entry = list_entry((head)->next, __typeof__(*entry), member); \
	     &entry->member != (head); \
	     entry = list_entry(entry->member.next, __typeof__(*entry), member))
#define list_for_each_entry_continue_reverse(entry, head, member) \
	for (entry = list_entry(entry->member.prev, __typeof__(*entry), member); \
	     &entry->member != (head); \
	     entry = list_entry(entry->member.prev, __typeof__(*entry), member))

static inline ktime_t ktime_set(s64 seconds, unsigned long nanoseconds)
{
	return seconds >= KTIME_SEC_MAX ? KTIME_MAX : seconds * 1000000000L + (s64)nanoseconds;
}
#define ktime_before(a, b) ((a) < (b))
#define ktime_sub(a, b) ((a) - (b))
#define ktime_to_ns(time) (time)
ktime_t ktime_get(void);

enum gpd_status { GENPD_STATE_ON, GENPD_STATE_OFF };
enum pm_qos_flags_status { PM_QOS_FLAGS_UNDEFINED = -1, PM_QOS_FLAGS_NONE };
struct device { bool suspended; s64 raw_latency; };
struct fwnode_handle { int dummy; };
struct device_node { struct fwnode_handle fwnode; s64 entry, leave, residency; };
struct cpuidle_device { ktime_t next_hrtimer; };
struct dev_pm_domain { int dummy; };
struct dev_power_governor {
	bool (*power_down_ok)(struct dev_pm_domain *domain);
	bool (*system_power_down_ok)(struct dev_pm_domain *domain);
};
struct gpd_timing_data { s64 effective_constraint_ns; ktime_t next_wakeup; };
struct pm_domain_data { struct list_head list_node; struct device *dev; };
struct generic_pm_domain_data {
	struct pm_domain_data base;
#ifdef GOVERNOR_DATA
	struct gpd_timing_data *td;
#else
	struct gpd_timing_data td;
#endif
	ktime_t next_wakeup;
	bool rpm_always_on;
};
#define GOVERNOR_FIELDS \
	s64 max_off_time_ns; \
	bool max_off_time_changed, cached_power_down_ok; \
	CACHED_INDEX cached_power_down_state_idx; \
	ktime_t next_wakeup, next_hrtimer, last_enter; \
	bool reflect_residency;
struct genpd_governor_data { GOVERNOR_FIELDS };
struct genpd_power_state {
	const char *name;
	s64 power_off_latency_ns, power_on_latency_ns, residency_ns;
	u64 usage, rejected, usage_s2idle;
	struct fwnode_handle *fwnode;
};
struct generic_pm_domain {
	struct dev_pm_domain domain;
	struct list_head parent_links, child_links, dev_list;
	struct dev_power_governor *gov;
	struct genpd_governor_data *gd;
	GOVERNOR_FIELDS
	atomic_t sd_count;
	enum gpd_status status;
	unsigned int device_count, suspended_count, prepared_count;
	unsigned int cpus, flags, state_count, state_idx;
	bool stay_on;
	int (*power_off)(struct generic_pm_domain *domain);
	struct genpd_power_state *states;
};
struct gpd_link {
	struct generic_pm_domain *parent, *child;
	struct list_head parent_node, child_node;
};

#define pd_to_genpd(pd) container_of(pd, struct generic_pm_domain, domain)
#define to_gpd_data(data) container_of(data, struct generic_pm_domain_data, base)
#define genpd_status_on(genpd) ((genpd)->status == GENPD_STATE_ON)
#define genpd_is_always_on(genpd) ((genpd)->flags & GENPD_FLAG_ALWAYS_ON)
#define genpd_is_rpm_always_on(genpd) ((genpd)->flags & GENPD_FLAG_RPM_ALWAYS_ON)
#define genpd_update_accounting(genpd) ((void)(genpd))
#define genpd_reflect_residency(genpd) ((void)(genpd))
#define genpd_lock_nested(genpd, depth) ((void)(depth))
#define genpd_unlock(genpd) ((void)(genpd))
#define genpd_sd_counter_dec(genpd) ((genpd)->sd_count--)
#define genpd_sd_counter_inc(genpd) ((genpd)->sd_count++)
#define _genpd_power_off(genpd, timed) 0
#define _genpd_power_on(genpd, timed) 0
#define irq_safe_dev_in_sleep_domain(device, genpd) false
#define irq_safe_dev_in_no_sleep_domain(device, genpd) false
#define dev_pm_qos_flags(device, mask) PM_QOS_FLAGS_NONE
#define pm_runtime_suspended(device) ((device)->suspended)

extern struct cpuidle_device *cpuidle_devices[MAX_CPUS];
extern struct device cpu_devices[MAX_CPUS];
extern unsigned int cpu_online_mask;
#define per_cpu(name, cpu) ((name)[cpu])
#define get_cpu_device(cpu) (&cpu_devices[cpu])
#define dev_pm_qos_raw_resume_latency(device) ((device)->raw_latency)
#define for_each_cpu_and(cpu, a, b) \
	for ((cpu) = 0; (cpu) < MAX_CPUS; (cpu)++) \
		if ((a) & (b) & 1u << (cpu))
s64 cpu_latency_qos_limit(void);
s64 cpu_wakeup_latency_qos_limit(void);
bool cpus_peek_for_pending_ipi(unsigned int cpus);
#define pm_qos_request(class) cpu_latency_qos_limit()

int of_property_read_u32(const struct device_node *node, const char *name, u32 *value);
#define of_property_read_string(node, name, text) (-EINVAL)
#define of_fwnode_handle(node) (&(node)->fwnode)
