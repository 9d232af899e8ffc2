/*
 * The kernel around intel_idle.c: a machine by its CPUID leaves, MSRs, packages and ACPI states.
 * Every header that the driver includes leads here; families, MSRs, the match macros, the structs
 * of cpuidle.h and constants are the tree's own ("tree.h").
 */
#ifndef ORACLE_INTEL_IDLE_H
#define ORACLE_INTEL_IDLE_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8, __u8;
typedef uint16_t u16, __u16;
typedef uint32_t u32, __u32;
typedef unsigned long long u64;
typedef long long s64, ktime_t;
typedef unsigned long kernel_ulong_t;

#define __init
#define __initdata
#define __initconst
#define __read_mostly
#define __cpuidle
#define __percpu
#define __always_inline inline
#define THIS_MODULE NULL
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define _BITUL(n) (1UL << (n))
#define GENMASK(high, low) ((~0UL >> (63 - (high))) & (~0UL << (low)))
#define GENMASK_ULL(high, low) GENMASK(high, low)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define USEC_PER_MSEC 1000L
#define NSEC_PER_USEC 1000L
#define div_u64(a, b) ((a) / (b))
#define div64_u64(a, b) ((a) / (b))
#define WARN_ON_ONCE(condition) oracle_warn(condition)
#define fallthrough
#define uninitialized_var(x) x

/* The case. */
struct oracle_acpi_state {
	unsigned int type, method, latency, residency;
	unsigned long long address;
	char desc[32];
};
struct oracle_machine {
	int vendor, family, model, cpuid_level, mwait, arat, nonstop_tsc, kernel_ibrs;
	unsigned int leaf5_ecx, leaf5_edx, leaf7_ebx;
	unsigned long long pkg_cst, feat_ctl, irtl[5];
	int packages, idle_override, claims;
	int cst_count, lpi_count; /* negative: no such object, as the kernel's function returns */
	struct oracle_acpi_state cst[16], lpi[16];
};
extern struct oracle_machine oracle;
void oracle_warn(int condition);
void oracle_parameter(const char *name, const char *type, void *variable, size_t size);
unsigned long long oracle_msr(unsigned int number);
void oracle_wrote(unsigned int number, unsigned long long value);

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)
#define CONCATENATE(a, b) NAME1(a, b)
#define COUNTED(_0, _1, _2, _3, count, ...) count
#define COUNT_ARGS(...) COUNTED(, ##__VA_ARGS__, 3, 2, 1, 0)
#define PARAMETER(name, type, variable, size)                                              \
	__attribute__((constructor)) static void NAME1(add_##name##_, __LINE__)(void)      \
	{                                                                                  \
		oracle_parameter(#name, type, variable, size);                             \
	}
#define module_param(name, type, mode) PARAMETER(name, #type, &name, sizeof(name))
#define module_param_named(name, variable, type, mode) \
	PARAMETER(name, #type, &variable, sizeof(variable))
#define module_param_string(name, text, size, mode) PARAMETER(name, "string", text, size)
#define MODULE_PARM_DESC(...)
#define MODULE_DEVICE_TABLE(...)
#define module_init(function) device_initcall(function)
#define module_exit(function)
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)
#define __exit __attribute__((unused))
#define device_initcall(function) int oracle_initcall(void) { return function(); }
#define subsys_initcall_sync device_initcall
#define device_initcall_sync(function)

int oracle_print(const char *level, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define KBUILD_MODNAME "intel_idle"
#define KERN_DEBUG "\0017"
#define pr_err(format, ...) oracle_print("err", pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...) oracle_print("warn", pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...) oracle_print("info", pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...) oracle_print("debug", pr_fmt(format), ##__VA_ARGS__)
/* what names no level has the default one, a warning's */
#define printk(format, ...) \
	oracle_print(*format == 1 ? "debug" : "warn", format + 2 * (*format == 1), ##__VA_ARGS__)

/* cpuidle.h's own structs follow in tree.h. */
struct cpuidle_device;
struct cpuidle_driver;
struct cpumask;
struct module;
struct device { struct { int unused; } kobj; };
struct device_attribute { struct { int unused; } attr; };
struct notifier_block { int (*notifier_call)(struct notifier_block *, unsigned long, void *); };
struct pm_qos_request { int unused; };
struct list_head { void *next; };
struct cpuidle_state_usage { unsigned long long disable; };
typedef struct { int unused; } cpumask_t;
#define DEVICE_ATTR_RW(name) struct device_attribute dev_attr_##name
#define DEFINE_MUTEX(name) int name
#define container_of(a, b, c) NULL
#define EXPORT_SYMBOL_GPL(symbol)
#define __must_check
#define noinline
#define check_add_overflow(a, b, result) __builtin_add_overflow(a, b, result)
#define check_mul_overflow(a, b, result) __builtin_mul_overflow(a, b, result)
#define unlikely(x) (x)
#define u64_to_user_ptr(x) NULL
#define scnprintf snprintf
#define strscpy(target, source, size) snprintf(target, size, "%s", source)
#define strlcpy(target, source, size) snprintf(target, size, "%s", source)

#include "tree.h"

#ifndef CPUIDLE_FLAG_POLLING
/* Before 4.14 the core makes the state that polls, and tells it by its place. */
#define CPUIDLE_FLAG_POLLING 1
#define CORE_POLLS
#endif

/* The processor. */
struct cpuinfo_x86 {
	u8 x86_vendor, x86, x86_model;
	u32 x86_vfm;
	int cpuid_level;
};
extern struct cpuinfo_x86 boot_cpu_data;
int oracle_feature(int feature);
#define boot_cpu_has(feature) oracle_feature(feature)
#define cpu_feature_enabled(feature) oracle_feature(feature)
#define static_cpu_has(feature) oracle_feature(feature)
#define CPUID_LEAF_MWAIT 5
#define CPUID_MWAIT_LEAF 5
void cpuid(unsigned int leaf, unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
	   unsigned int *edx);
#define rdmsrl(number, value) ((value) = oracle_msr(number))
#define rdmsrq rdmsrl
#define wrmsrl(number, value) oracle_wrote(number, value)
#define wrmsrq wrmsrl
#define mark_tsc_unstable(reason) oracle_print("tsc", "%s", reason)

#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < oracle.packages; (cpu)++)
#define for_each_possible_cpu for_each_online_cpu
#define topology_physical_package_id(cpu) (cpu)
#define IDLE_NO_OVERRIDE 0
#define boot_option_idle_override oracle.idle_override

/* CPU hotplug before 4.10. */
enum { CPU_ONLINE, CPU_TASKS_FROZEN = 0x10, NOTIFY_OK = 1, NOTIFY_BAD };
#define on_each_cpu(function, argument, wait) function(argument)
#define smp_call_function_single(cpu, function, argument, wait) function(argument)
#define cpu_notifier_register_begin()
#define cpu_notifier_register_done()
#define __register_cpu_notifier(block) ((void)(block))
#define __unregister_cpu_notifier(block) ((void)(block))
#define tick_broadcast_disable()

/* cpuidle. */
void cpuidle_poll_state_init(struct cpuidle_driver *driver);
int cpuidle_register_driver(struct cpuidle_driver *driver);
struct cpuidle_driver *cpuidle_get_driver(void);
struct cpuidle_driver *cpuidle_get_cpu_driver(struct cpuidle_device *device);
#define cpuidle_register_device(device) 0
#define cpuidle_unregister_device(device)
#define cpuidle_unregister_driver(driver)
#define alloc_percpu(type) ((type *)calloc(16, sizeof(type)))
#define free_percpu(pointer)
#define per_cpu_ptr(pointer, cpu) ((pointer) + (cpu))
#define per_cpu(variable, cpu) (&oracle_acpi)
#define CPUHP_AP_ONLINE_DYN 0
int oracle_online(int (*online)(unsigned int));
#define cpuhp_setup_state(state, name, online, offline) oracle_online(online)
#define cpu_latency_qos_add_request(request, value)
#define cpu_latency_qos_remove_request(request)
#define cpu_latency_qos_request_active(request) 0
#define tick_broadcast_enable()
#define arch_cpu_rescan_dead_smt_siblings()
extern int cpu_subsys;
struct device *bus_get_dev_root(void *bus);
#define sysfs_add_file_to_group(...) 0
#define sysfs_remove_file_from_group(...)

/* ACPI. */
#define ACPI_STATE_C1 1
#define ACPI_STATE_C2 2
struct acpi_processor { void *handle; };
extern struct acpi_processor oracle_acpi;
#ifdef TREE_ACPI
int acpi_processor_evaluate_cst(void *handle, u32 cpu, struct acpi_processor_power *info);
int acpi_processor_extract_lpi_info(void *handle, struct acpi_processor_power *info, bool strict);
bool acpi_processor_claim_cst_control(void);
#endif
#endif
