/* What the kernel's parser of idle-state nodes and its PSCI driver need, over plain nodes. */
#pragma once
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint32_t __be32;
typedef u32 phandle;

#define MAX_CPUS 16
#define MAX_PHANDLE_ARGS 16
#define CPUIDLE_STATE_MAX 10
#define CPUIDLE_NAME_LEN 16
#define CPUIDLE_DESC_LEN 32
#define CPUIDLE_FLAG_TIMER_STOP 8
#define CPUIDLE_FLAG_RCU_IDLE 64
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define MODULE_LICENSE(text)
#define THIS_MODULE NULL
#define GFP_KERNEL 0
#define __init
#define WARN_ON(condition) (condition)
#define device_initcall(function)
#define DEFINE_PER_CPU(type, name) type name[MAX_CPUS]
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) type name[MAX_CPUS]
#define per_cpu_ptr(pointer, cpu) (&(*(pointer))[cpu])
#define per_cpu(name, cpu) ((name)[cpu])
#define raw_spin_lock_irqsave(lock, flags) ((void)(flags = 0))
#define raw_spin_unlock_irqrestore(lock, flags) ((void)flags)

struct property { char name[64]; u8 *value; int length; };
struct device_node {
	char path[256];
	const char *name;
	struct property properties[24];
	int property_count;
};
struct of_device_id { char compatible[128]; const void *data; };
struct of_phandle_args { struct device_node *np; int args_count; u32 args[MAX_PHANDLE_ARGS]; };
struct of_phandle_iterator {
	const char *cells_name;
	int cell_count;
	const struct device_node *parent;
	const __be32 *list_end, *phandle_end, *cur;
	u32 cur_count;
	phandle phandle;
	struct device_node *node;
};
#define of_for_each_phandle(it, error, np, list, cells, count) \
	for (of_phandle_iterator_init((it), (np), (list), (cells), (count)), \
	     error = of_phandle_iterator_next(it); error == 0; \
	     error = of_phandle_iterator_next(it))

struct device { int dummy; };
struct cpumask { int cpu; };
typedef struct cpumask cpumask_t;
struct cpuidle_device { int cpu; };
struct cpuidle_driver;
typedef int enter_function(struct cpuidle_device *, struct cpuidle_driver *, int);
struct cpuidle_state {
	char name[CPUIDLE_NAME_LEN], desc[CPUIDLE_DESC_LEN];
	unsigned int flags, exit_latency, target_residency;
	int power_usage;
	enter_function *enter, *enter_s2idle;
};
struct cpuidle_driver {
	const char *name;
	void *owner;
	struct cpuidle_state states[CPUIDLE_STATE_MAX];
	int state_count;
	struct cpumask *cpumask;
};
struct platform_device { struct device dev; };
struct platform_driver {
	int (*probe)(struct platform_device *);
	struct { const char *name; } driver;
};
struct syscore_ops { int (*suspend)(void); void (*resume)(void); };

extern struct cpumask oracle_masks[MAX_CPUS];
extern int oracle_cpu_count;
extern struct cpuidle_device *cpuidle_devices[MAX_CPUS];
struct psci_operations { int cpu_suspend; };
extern struct psci_operations psci_ops;

#define cpu_possible_mask (&oracle_masks[0])
#define nr_cpu_ids oracle_cpu_count
#define cpumask_of(cpu) (&oracle_masks[cpu])
#define cpumask_first(mask) ((mask)->cpu)
/* every mask here has a single CPU */
#define for_each_cpu_from(number, mask) for (; 0 && (mask); number++)
#define cpumask_next(number, mask) nr_cpu_ids
#define for_each_possible_cpu(number) for (number = 0; number < oracle_cpu_count; number++)

void oracle_say(const char *level, const char *format, ...);
#ifndef pr_fmt
#define pr_fmt(text) text
#endif
#define pr_err(format, ...) oracle_say("error", pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...) oracle_say("warning", pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...) oracle_say("debug", pr_fmt(format), ##__VA_ARGS__)

static inline u32 be32_to_cpup(const __be32 *cell) { return __builtin_bswap32(*cell); }
static inline struct device_node *of_node_get(struct device_node *node) { return node; }
static inline void of_node_put(struct device_node *node) { (void)node; }
static inline const char *of_node_full_name(const struct device_node *node)
{
	return node ? node->path : "<no-node>";
}
static inline size_t strscpy(char *to, const char *from, size_t size)
{
	return snprintf(to, size, "%s", from);
}

const void *of_get_property(const struct device_node *node, const char *name, int *length);
#define __of_get_property of_get_property
#define of_property_read_bool(node, name) (of_get_property(node, name, NULL) != NULL)
int of_property_read_u32(const struct device_node *node, const char *name, u32 *value);
int of_property_read_string(const struct device_node *node, const char *name, const char **text);
const struct of_device_id *of_match_node(const struct of_device_id *known,
					 const struct device_node *node);
struct device_node *of_find_node_by_phandle(phandle handle);
struct device_node *of_cpu_device_node_get(int cpu);
bool of_device_is_available(const struct device_node *device);
struct device_node *of_get_cpu_state_node(struct device_node *cpu_node, int index);
int __of_parse_phandle_with_args(const struct device_node *np, const char *list_name,
				 const char *cells_name, int cell_count, int index,
				 struct of_phandle_args *out_args);
int of_phandle_iterator_init(struct of_phandle_iterator *it, const struct device_node *np,
			     const char *list_name, const char *cells_name, int cell_count);
int of_phandle_iterator_next(struct of_phandle_iterator *it);
int of_phandle_iterator_args(struct of_phandle_iterator *it, u32 *args, int size);
#define of_parse_phandle_with_args(np, list, cells, index, out) \
	__of_parse_phandle_with_args(np, list, cells, -1, index, out)
static inline struct device_node *of_parse_phandle(const struct device_node *np, const char *name,
						   int index)
{
	struct of_phandle_args args;

	return __of_parse_phandle_with_args(np, name, NULL, 0, index, &args) ? NULL : args.np;
}

int dt_init_idle_driver(struct cpuidle_driver *drv, const struct of_device_id *matches,
			unsigned int start_idx);
int psci_cpuidle_probe_for_oracle(struct platform_device *pdev);
bool psci_power_state_is_valid(u32 state);
void *devm_kzalloc(struct device *dev, size_t size, int flags);
#define devm_kcalloc(dev, count, size, flags) devm_kzalloc(dev, (count) * (size), flags)
int cpuidle_register(struct cpuidle_driver *drv, const void *coupled);
void cpuidle_unregister(struct cpuidle_driver *drv);
#define cpuidle_cooling_register(drv) ((void)(drv))
struct cpuidle_driver *cpuidle_get_cpu_driver(struct cpuidle_device *dev);
#define psci_dt_detach_cpu(dev) ((void)(dev))
#define psci_dt_cpu_init_topology(drv, data, count, cpu) 0
#define psci_idle_init_cpuhp() ((void)0)
#define psci_idle_init_syscore() ((void)0)
