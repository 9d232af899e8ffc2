/*
 * The kernel around processor_idle.c, acpi_processor.c and cstate.c: a machine by its processors,
 * FADT and ACPI objects. Every header that they include leads here; structs and constants are the
 * tree's own ("tree.h").
 */
#ifndef ORACLE_ACPI_IDLE_H
#define ORACLE_ACPI_IDLE_H

#include <ctype.h>
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

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32, acpi_object_type, acpi_status;
typedef unsigned long long u64, acpi_io_address;
typedef long long s64, ktime_t;
typedef unsigned long kernel_ulong_t;
typedef void *acpi_handle;

#define __init
#define __exit
#define __initdata
#define __read_mostly
#define __cpuidle
#define __percpu
#define __noreturn
#define __always_inline inline
#define __attribute_const__
#define __weak __attribute__((weak))
#define __packed __attribute__((packed))
#define fallthrough
#define noinline
#define THIS_MODULE NULL
#define IS_ENABLED(option) option
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define GENMASK(high, low) ((~0UL >> (63 - (high))) & (~0UL << (low)))
#define GENMASK_ULL(high, low) GENMASK(high, low)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define swap(a, b) do { __typeof__(a) one = (a); (a) = (b); (b) = one; } while (0)
#define unlikely(x) (x)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define EXPORT_SYMBOL(symbol)
#define EXPORT_SYMBOL_GPL(symbol)
#define EXPORT_SYMBOL_NS_GPL(symbol, space)
#define MODULE_IMPORT_NS(space)
#define MODULE_LICENSE(text)
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define GFP_KERNEL 0
#define kcalloc(count, size, how) calloc(count, size)
#define kzalloc(size, how) calloc(1, size)
#define kzalloc_obj(object) ((__typeof__(object) *)calloc(1, sizeof(object)))
#define kzalloc_objs(object, count) ((__typeof__(object) *)calloc(count, sizeof(object)))
#define kfree(pointer) ((void)(pointer))
#define DEFINE_PER_CPU(type, name) __typeof__(type) name
#define per_cpu(variable, cpu) (variable)
#define this_cpu_read(variable) (variable)
#define __this_cpu_read(variable) (variable)
#define alloc_percpu(type) ((__typeof__(type) *)calloc(1, sizeof(type)))
#define free_percpu(pointer)
#define per_cpu_ptr(pointer, cpu) (pointer)
#define DEFINE_RAW_SPINLOCK(name) int name
#define scnprintf snprintf
/* all that they fill here is of 32 bytes: CPUIDLE_DESC_LEN, ACPI_CX_DESC_LEN */
#define strscpy(target, source, ...) snprintf(target, 32, "%s", source)
#define strlcpy strscpy
#define strlcat(target, source, size) oracle_append(target, source, size)
void oracle_append(char *target, const char *source, size_t size);

/* The case. */
#define MOST_LEVELS 6
struct oracle_machine {
	int vendor, family, model, stepping, cpuid_level, arat, nonstop_tsc, apic_c1e, cpus;
	unsigned int leaf5_ecx, leaf5_edx;
	int timer_c2_ok, bm_control, fdma, idle, strict, osc_lpi, suspends, hsm, extended;
	unsigned int pblk, fadt_flags, c2_latency, c3_latency, cst_control, claims;
	char *cst, *lpi[MOST_LEVELS], dmi[64]; /* objects as written; NULL: none */
	int levels;
};
extern struct oracle_machine oracle;
void oracle_parameter(const char *name, const char *type, void *variable);
int oracle_print(const char *level, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern int (*oracle_arch_init)(void);

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)
#define module_param(name, type, mode)                                                     \
	__attribute__((constructor)) static void NAME1(add_##name##_, __LINE__)(void)      \
	{                                                                                  \
		oracle_parameter(#name, #type, &name);                                     \
	}
#define arch_initcall(function)                                                            \
	__attribute__((constructor)) static void NAME1(init_, __LINE__)(void)              \
	{                                                                                  \
		oracle_arch_init = function;                                               \
	}
#define __exitcall(function)

#define KERN_ERR "\0013"
#define KERN_WARNING "\0014"
#define KERN_NOTICE "\0015"
#define KERN_DEBUG "\0017"
#define pr_fmt(format) format
#define FW_BUG "[Firmware Bug]: "
#define pr_err(format, ...) oracle_print("err", pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...) oracle_print("warn", pr_fmt(format), ##__VA_ARGS__)
#define pr_notice(format, ...) oracle_print("notice", pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...) oracle_print("info", pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...) ((void)0)
#define printk(format, ...)                                                             \
	((format)[1] < '6' ? (void)oracle_print((const char *[]){"err", "warn", "notice"}  \
							[(format)[1] - '3'], (format) + 2, ##__VA_ARGS__)  \
			   : (void)0)
#define ACPI_DEBUG_PRINT(words) ((void)0)
#define ACPI_EXCEPTION(words) ((void)0)
#define ACPI_MODULE_NAME(name)
#define HANDLE_PATH(handle) "\\_SB_.PR00"
/* as acpi_handle_printk() of drivers/acpi/utils.c */
#define acpi_handle_warn(handle, format, ...) \
	oracle_print("warn", "ACPI: %s: " format, HANDLE_PATH(handle), ##__VA_ARGS__)
#define acpi_handle_info(handle, format, ...) \
	oracle_print("info", "ACPI: %s: " format, HANDLE_PATH(handle), ##__VA_ARGS__)
#define acpi_handle_debug(handle, format, ...) ((void)0)

struct module;
struct cpumask;
struct cpuidle_device;
struct cpuidle_driver;
struct list_head { void *next; };
struct cpuidle_state_usage { unsigned long long disable; };
typedef struct { int unused; } cpumask_t;
typedef int (*cmp_r_func_t)(const void *, const void *, const void *);
typedef int (*cmp_func_t)(const void *, const void *);
typedef void (*swap_r_func_t)(void *, void *, int, const void *);
typedef void (*swap_func_t)(void *, void *, int);

#include "tree.h"

/* room: the kernel's sort reads behind the states for a large max_cstate, and finds nothing here */
struct acpi_processor {
	acpi_handle handle;
	u32 acpi_id, id, pblk;
	struct acpi_processor_flags flags;
	struct acpi_processor_power power;
	char room[4096];
};
extern struct acpi_processor *processors;
extern struct acpi_processor_errata errata;
extern bool osc_pc_lpi_support_confirmed;

/* ACPI */
#define AE_OK 0
#define AE_NOT_FOUND 5
#define AE_BAD_PARAMETER 0x1001
#define AE_INFO 0
#define ACPI_FAILURE(status) ((status) != AE_OK)
#define ACPI_SUCCESS(status) ((status) == AE_OK)
#define ACPI_ALLOCATE_BUFFER ((size_t)-1)
#define ACPI_FULL_PATHNAME 0
struct acpi_buffer { size_t length; void *pointer; };
struct acpi_device { char hid[16]; };
struct acpi_fadt {
	u32 flags, smi_command;
	u16 c2_latency, c3_latency;
	u8 cst_control;
	struct { u64 address; } xpm_timer_block;
};
extern struct acpi_fadt acpi_gbl_FADT;
acpi_status acpi_evaluate_object(acpi_handle handle, char *name, void *arguments,
				 struct acpi_buffer *buffer);
acpi_status acpi_get_parent(acpi_handle handle, acpi_handle *parent);
bool acpi_has_method(acpi_handle handle, char *name);
struct acpi_device *acpi_fetch_acpi_dev(acpi_handle handle);
int acpi_bus_get_device(acpi_handle handle, struct acpi_device **device);
#define acpi_device_hid(device) ((device)->hid)
#define acpi_os_write_port(port, value, width) (oracle.claims ? AE_OK : AE_BAD_PARAMETER)
enum { ACPI_BITREG_BUS_MASTER_RLD, ACPI_BITREG_BUS_MASTER_STATUS, ACPI_BITREG_ARB_DISABLE };
#define acpi_write_bit_register(number, value) AE_OK

#ifndef CPUIDLE_FLAG_POLLING
/* Before 4.14 the core makes the state that polls, and tells it by its place. */
#define CPUIDLE_FLAG_POLLING 1
#define CORE_POLLS
#endif
#ifndef ACPI_PROCESSOR_CONTAINER_HID
#define ACPI_PROCESSOR_CONTAINER_HID "ACPI0010"
#endif

/* Processors. */
struct cpuinfo_x86 {
	u8 x86, x86_vendor, x86_model, x86_stepping;
#define x86_mask x86_stepping
#define amd_e400_c1e_detected oracle.apic_c1e
	u32 x86_vfm;
	int cpuid_level;
};
extern struct cpuinfo_x86 boot_cpu_data;
#define cpu_data(cpu) boot_cpu_data
int oracle_feature(int feature);
#define boot_cpu_has(feature) oracle_feature(feature)
#define boot_cpu_has_bug(feature) oracle_feature(feature)
#define cpu_feature_enabled(feature) oracle_feature(feature)
#define cpu_has(processor, feature) oracle_feature(feature)
#define CPUID_MWAIT_LEAF 5
#define CPUID_LEAF_MWAIT 5
void cpuid(unsigned int leaf, unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
	   unsigned int *edx);
#define num_online_cpus() oracle.cpus
#define smp_processor_id() 0
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_online_cpu for_each_possible_cpu
#define for_each_cpu(cpu, mask) for_each_possible_cpu(cpu)
#define smp_call_function_single(cpu, function, argument, wait) (function)(argument)
#define work_on_cpu(cpu, function, argument) (function)(argument)
#define call_on_cpu(cpu, function, argument, direct) (function)(argument)
#define local_apic_timer_c2_ok oracle.timer_c2_ok
#define mark_tsc_unstable(reason) oracle_print("tsc", "%s", reason)
#define tick_broadcast_enable()
#define tick_broadcast_disable()
enum { IDLE_NO_OVERRIDE, IDLE_HALT, IDLE_NOMWAIT, IDLE_POLL };
#define boot_option_idle_override oracle.idle

struct dmi_system_id {
	int (*callback)(const struct dmi_system_id *);
	const char *ident;
	struct { int unused; } matches[4];
	void *driver_data;
};
#define DMI_MATCH(field, text) { 0 }
int dmi_check_system(const struct dmi_system_id *list);

/* cpuidle. */
#define CPUIDLE_DEVICE_ROOM 4096
void cpuidle_poll_state_init(struct cpuidle_driver *driver);
int cpuidle_register_driver(struct cpuidle_driver *driver);
void cpuidle_unregister_driver(struct cpuidle_driver *driver);
struct cpuidle_driver *cpuidle_get_driver(void);
int cpuidle_register_device(struct cpuidle_device *device);
#define cpuidle_unregister_device(device)
#define cpuidle_unregister_device_no_lock(device)
#define cpuidle_pause_and_lock()
#define cpuidle_resume_and_unlock()
#define cpuidle_disable_device(device)
#define cpuidle_enable_device(device) 0
void sort(void *base, size_t count, size_t size, cmp_func_t compare, swap_func_t exchange);

/* PSCI and SBI. */
struct psci_operations { int (*cpu_suspend)(u32 state, unsigned long entry); };
extern struct psci_operations psci_ops;
bool psci_power_state_is_valid(u32 state);
#define riscv_sbi_hsm_is_supported() oracle.hsm
bool riscv_sbi_suspend_state_is_valid(u32 state);

#include "functions.h"
#endif
