/* What the kernel's parser of idle-state nodes, its PSCI and SBI drivers and their power domains
 * need, over plain nodes. Power domains are known by their node, and do nothing. */
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

#define MAX_CPUS 64
#define MAX_PHANDLE_ARGS 16
#define CPUIDLE_STATE_MAX 10
#define CPUIDLE_NAME_LEN 16
#define CPUIDLE_DESC_LEN 32
#define CPUIDLE_FLAG_TIMER_STOP 8
#define CPUIDLE_FLAG_RCU_IDLE 64
#define IS_ENABLED(option) 0
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define MODULE_LICENSE(text)
#define THIS_MODULE NULL
#define GFP_KERNEL 0
#define __init
#define __initconst
#define __initdata
#define WARN_ON(condition) (condition)
#define device_initcall(function) int oracle_driver_initcall(void) { return function(); }
#define arch_initcall device_initcall
#define subsys_initcall(function) int oracle_domains_initcall(void) { return function(); }
#define core_initcall subsys_initcall
#define builtin_platform_driver(unused)
#define __cpuidle
#define __used
#define __maybe_unused
#define DEFINE_PER_CPU(type, name) type name[MAX_CPUS]
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) type name[MAX_CPUS]
#define per_cpu_ptr(pointer, cpu) (&(*(pointer))[cpu])
#define per_cpu(name, cpu) ((name)[cpu])
#define this_cpu_ptr(pointer) per_cpu_ptr(pointer, 0)
#define raw_spin_lock_irqsave(lock, flags) ((void)(flags = 0))
#define raw_spin_unlock_irqrestore(lock, flags) ((void)flags)

struct property { char name[64]; u8 *value; int length; };
struct fwnode_handle { int dummy; };
struct device_node {
	struct fwnode_handle fwnode; /* first, so that one pointer is the other */
	char path[256];
	const char *name, *full_name;
	struct property properties[64];
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

struct device { struct device_node *of_node; };
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
	struct {
		const char *name;
		const struct of_device_id *of_match_table;
		void (*sync_state)(struct device *);
	} driver;
};
int platform_driver_register(struct platform_driver *driver);
#define platform_driver_unregister(driver) ((void)(driver))
struct platform_device *platform_device_register_simple(const char *name, int id, void *res, int n);
struct faux_device { struct device dev; };
struct faux_device_ops { int (*probe)(struct faux_device *); };
struct faux_device *faux_device_create(const char *name, struct device *parent,
				       const struct faux_device_ops *ops);
struct syscore_ops { int (*suspend)(); void (*resume)(); };
struct syscore { const struct syscore_ops *ops; };

/* Pointers that carry an error, memory, lists. */
#define ERR_PTR(error) ((void *)(long)(error))
#define PTR_ERR(pointer) ((long)(pointer))
#define IS_ERR(pointer) ((unsigned long)(pointer) >= (unsigned long)-4095)
#define IS_ERR_OR_NULL(pointer) (!(pointer) || IS_ERR(pointer))
#define PTR_ERR_OR_ZERO(pointer) (IS_ERR(pointer) ? PTR_ERR(pointer) : 0)
#define EPROBE_DEFER 517
#define kzalloc(size, flags) calloc(1, size)
#define kzalloc_obj(object) calloc(1, sizeof(object))
#define kmalloc(size, flags) malloc(size)
#define kmalloc_obj(object) malloc(sizeof(object))
#define kcalloc(count, size, flags) calloc(count, size)
#define kzalloc_objs(object, count) calloc(count, sizeof(object))
#define kmalloc_objs kzalloc_objs
#define kfree(block) ((void)(block))
#define kfree_const kfree
#define kmemdup(from, size, flags) memcpy(malloc(size), from, size)
#define kstrdup(text, flags) strdup(text)
#define kasprintf(flags, format, node) strdup(of_node_full_name(node))
#define kbasename(path) (strrchr(path, '/') ? strrchr(path, '/') + 1 : (path))
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD(name) struct list_head name = { &name, &name }
static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}
static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
}
#define list_walk(pos, n, head, member, way) \
	for (pos = (void *)((char *)(head)->way - offsetof(typeof(*pos), member)), \
	     n = (void *)((char *)pos->member.way - offsetof(typeof(*pos), member)); \
	     &pos->member != (head); \
	     pos = n, n = (void *)((char *)n->member.way - offsetof(typeof(*pos), member)))
#define list_for_each_entry(pos, head, member) \
	for (pos = (void *)((char *)(head)->next - offsetof(typeof(*pos), member)); \
	     &pos->member != (head); \
	     pos = (void *)((char *)pos->member.next - offsetof(typeof(*pos), member)))
#define list_for_each_entry_safe(pos, n, head, member) list_walk(pos, n, head, member, next)
#define list_for_each_entry_safe_reverse(pos, n, head, member) \
	list_walk(pos, n, head, member, prev)

extern struct cpumask oracle_masks[MAX_CPUS];
extern int oracle_cpu_count;
extern struct cpuidle_device *cpuidle_devices[MAX_CPUS];
struct psci_operations { int cpu_suspend; };
extern struct psci_operations psci_ops;

/* What firmware says: PSCI's OS-initiated mode; SBI's hart state management. */
extern bool oracle_osi;
#define psci_has_osi_support() oracle_osi
int psci_set_osi_mode();
#define riscv_sbi_hsm_is_supported() true
#define sbi_probe_extension(extension) 1
#define SBI_EXT_HSM 0
#define SBI_SPEC_VERSION_DEFAULT 1
#define sbi_spec_version 2
#define sbi_mk_version(major, minor) (major)
#define SBI_HSM_SUSPEND_RET_DEFAULT 0x0u
#define SBI_HSM_SUSPEND_RET_PLATFORM 0x10000000u
#define SBI_HSM_SUSPEND_NON_RET_DEFAULT 0x80000000u
#define SBI_HSM_SUSPEND_NON_RET_PLATFORM 0x90000000u
bool riscv_sbi_suspend_state_is_valid(u32 state);
#define cpuidle_disabled() false
#define cpuid_to_hartid_map(cpu) ((long)(cpu))

/* Power domains. */
enum {
	GENPD_FLAG_IRQ_SAFE = 1,
	GENPD_FLAG_CPU_DOMAIN = 2,
	GENPD_FLAG_ALWAYS_ON = 4,
	GENPD_FLAG_RPM_ALWAYS_ON = 8,
	GENPD_FLAG_ACTIVE_WAKEUP = 16,
	GENPD_FLAG_NO_SYNC_STATE = 32,
};
struct genpd_power_state {
	int64_t power_off_latency_ns, power_on_latency_ns, residency_ns;
	struct fwnode_handle *fwnode;
	void *data;
};
struct generic_pm_domain {
	const char *name;
	unsigned int flags, state_count, state_idx;
	struct genpd_power_state *states;
	int (*power_off)(struct generic_pm_domain *);
	void (*free_states)(struct genpd_power_state *, unsigned int);
};
struct dev_power_governor { int dummy; };
extern struct dev_power_governor pm_domain_cpu_gov;
#define pm_genpd_init(domain, governor, is_off) 0
#define pm_genpd_remove(domain) ((void)(domain))
int of_genpd_add_provider_simple(struct device_node *node, struct generic_pm_domain *domain);
void of_genpd_del_provider(struct device_node *node);
#define of_genpd_remove_last(node) ((struct generic_pm_domain *)ERR_PTR(-ENOENT))
int of_genpd_add_subdomain(struct of_phandle_args *parent, struct of_phandle_args *child);
#define of_genpd_sync_state(node) ((void)(node))
#define of_genpd_remove_subdomain(parent, child) 0
int of_genpd_parse_idle_states(struct device_node *node, struct genpd_power_state **states,
			       int *count);
struct device *dev_pm_domain_attach_by_name(struct device *device, const char *name);
#define dev_pm_domain_detach(device, off) ((void)(device))
#define dev_pm_syscore_device(device, yes) ((void)(device))
#define pm_runtime_irq_safe(device) ((void)(device))
#define pm_runtime_get_sync(device) ((void)(device))
#define cpu_online(cpu) true
struct device *get_cpu_device(int cpu);
#define to_of_node(handle) ((struct device_node *)(handle))

#define cpu_possible_mask (&oracle_masks[0])
#define nr_cpu_ids oracle_cpu_count
#define acpi_disabled true
#define psci_acpi_cpu_init_idle(cpu) 0
#define cpumask_of(cpu) (&oracle_masks[cpu])
#define cpumask_first(mask) ((mask)->cpu)
/* every mask here has a single CPU */
#define for_each_cpu_from(number, mask) for (; 0 && (mask); number++)
#define cpumask_next(number, mask) nr_cpu_ids
#define for_each_possible_cpu(number) for (number = 0; number < oracle_cpu_count; number++)
#define for_each_present_cpu for_each_possible_cpu

void oracle_say(const char *level, const char *format, ...);
#ifndef pr_fmt
#define pr_fmt(text) text
#endif
#define pr_err(format, ...) oracle_say("error", pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...) oracle_say("warning", pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...) oracle_say("info", pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...) oracle_say("debug", pr_fmt(format), ##__VA_ARGS__)

static inline u32 be32_to_cpup(const __be32 *cell) { return __builtin_bswap32(*cell); }
static inline struct device_node *of_node_get(struct device_node *node) { return node; }
static inline void of_node_put(struct device_node *node) { (void)node; }
static inline const char *of_node_full_name(const struct device_node *node)
{
	return node ? node->path : "<no-node>";
}
/* The size may be left out where the target is an array. */
#define strscpy(to, from, ...) \
	snprintf(to, sizeof(#__VA_ARGS__) > 1 ? __VA_ARGS__ + 0 : sizeof(to), "%s", from)

const void *of_get_property(const struct device_node *node, const char *name, int *length);
#define __of_get_property of_get_property
#define of_property_present of_property_read_bool
#define of_find_property(node, name, length) of_get_property(node, name, length)
#define of_property_read_bool(node, name) (of_get_property(node, name, NULL) != NULL)
int of_property_read_u32(const struct device_node *node, const char *name, u32 *value);
int of_property_read_string(const struct device_node *node, const char *name, const char **text);
const struct of_device_id *of_match_node(const struct of_device_id *known,
					 const struct device_node *node);
struct device_node *of_find_matching_node(struct device_node *from,
					  const struct of_device_id *known);
struct device_node *of_find_node_by_phandle(phandle handle);
struct device_node *of_cpu_device_node_get(int cpu);
#define of_get_cpu_node(cpu, thread) of_cpu_device_node_get(cpu)
struct device_node *of_find_node_by_path(const char *path);
struct device_node *oracle_next_child(const struct device_node *parent, struct device_node *child);
#define for_each_child_of_node(parent, child) \
	for (child = oracle_next_child(parent, NULL); child; child = oracle_next_child(parent, child))
#define for_each_child_of_node_scoped(parent, child) \
	for (struct device_node *child = oracle_next_child(parent, NULL); child; \
	     child = oracle_next_child(parent, child))
#define __free(cleanup)
#define of_fwnode_handle(node) (&(node)->fwnode)
int of_property_match_string(const struct device_node *node, const char *name, const char *text);
int of_count_phandle_with_args(const struct device_node *node, const char *list_name,
			       const char *cells_name);
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
bool psci_power_state_is_valid(u32 state);
void *devm_kzalloc(struct device *dev, size_t size, int flags);
#define devm_kcalloc(dev, count, size, flags) devm_kzalloc(dev, (count) * (size), flags)
int cpuidle_register(struct cpuidle_driver *drv, const void *coupled);
void cpuidle_unregister(struct cpuidle_driver *drv);
#define cpuidle_cooling_register(drv) ((void)(drv))
static inline int cpuidle_register_driver(struct cpuidle_driver *drv)
{
	return cpuidle_register(drv, NULL);
}
#define cpuidle_unregister_driver cpuidle_unregister
#define cpuidle_register_device(dev) 0
#define cpuidle_unregister_device(dev)
struct cpuidle_driver *cpuidle_get_cpu_driver(struct cpuidle_device *dev);
