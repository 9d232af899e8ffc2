/*
 * The kernel around the code under test: types, logging, memory, device tree, cpuidle and the
 * PowerPC facilities it names. Every kernel header it includes leads here. Numeric constants come
 * from the kernel tree itself: "constants.h" is written when an oracle is built.
 */
#ifndef ORACLE_SHIM_H
#define ORACLE_SHIM_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(long) == 8,
	       "the host must be like ppc64le");

typedef uint8_t u8;
typedef uint16_t u16, __be16;
typedef uint32_t u32, __be32;
typedef unsigned long long u64, __be64;
typedef int64_t s64;

/* Compiler and module decoration. */
#define __init
#define __initdata
#define __read_mostly
#define __cpuidle
#define __packed __attribute__((packed))
#define likely(x) (x)
#define unlikely(x) (x)
#define EXPORT_SYMBOL_GPL(symbol)
#define THIS_MODULE NULL
#define device_initcall(fn) int oracle_driver_initcall(void) { return fn(); }
#define machine_subsys_initcall(machine, fn) int oracle_platform_initcall(void) { return fn(); }

/* Arithmetic: the operands' types decide where it wraps, as in the kernel. */
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) (((unsigned long long)(n) + (d) - 1) / (d))
#define be16_to_cpu(x) __builtin_bswap16(x)
#define be32_to_cpu(x) __builtin_bswap32(x)
#define be64_to_cpu(x) __builtin_bswap64(x)
#define cpu_to_be64(x) __builtin_bswap64(x)
#define USEC_PER_SEC 1000000L
#define NSEC_PER_USEC 1000L
#define HZ ((long)oracle.hz)
#define USER_HZ 100

#include "constants.h"
#include "oracle.h"

/* Logging. A level is a start byte and a digit in front of the format. */
#define KERN_ERR "\0013"
#define KERN_WARNING "\0014"
#define KERN_INFO "\0016"
#define KERN_DEBUG "\0017"
#ifndef pr_fmt
#define pr_fmt(format) format
#endif
#define pr_err(format, ...) printk(KERN_ERR pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...) printk(KERN_WARNING pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...) printk(KERN_INFO pr_fmt(format), ##__VA_ARGS__)
#define WARN_ON(condition) oracle_warn_on(!!(condition))
int printk(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool oracle_warn_on(bool condition);

/* Memory and strings. */
#define GFP_KERNEL 0
void *kcalloc(size_t count, size_t size, int gfp);
#define kzalloc(size, gfp) kcalloc(1, size, gfp)
#define kmalloc_node(size, gfp, node) kcalloc(1, size, gfp)
#define kzalloc_objs(object, count) kcalloc(count, sizeof(object), GFP_KERNEL)
void kfree(const void *block);
ssize_t strscpy(char *target, const char *source, size_t size);
#define strlcpy strscpy

/* Device tree. */
struct device_node;
struct device_node *of_find_node_by_path(const char *path);
void of_node_put(struct device_node *node);
int of_property_count_u32_elems(const struct device_node *node, const char *name);
int of_property_count_u64_elems(const struct device_node *node, const char *name);
int of_property_count_strings(const struct device_node *node, const char *name);
int of_property_read_u32_array(const struct device_node *node, const char *name, u32 *values,
			       size_t count);
int of_property_read_u64_array(const struct device_node *node, const char *name, u64 *values,
			       size_t count);
int of_property_read_string_array(const struct device_node *node, const char *name,
				  const char **strings, size_t count);

/* cpuidle. */
struct cpuidle_driver;
struct cpuidle_device;
struct cpuidle_state {
	char name[CPUIDLE_NAME_LEN];
	char desc[CPUIDLE_DESC_LEN];
	unsigned int flags;
	bool disabled;
	unsigned int exit_latency;
	unsigned int target_residency;
	int (*enter)(struct cpuidle_device *, struct cpuidle_driver *, int);
};
struct cpuidle_driver {
	const char *name;
	void *owner;
	struct cpuidle_state states[CPUIDLE_STATE_MAX];
	int state_count;
	struct cpumask *cpumask;
};
struct cpuidle_device {
	unsigned int poll_time_limit : 1;
	struct cpuidle_state_usage {
		unsigned long long disable;
	} states_usage[CPUIDLE_STATE_MAX];
};
#define cpuidle_register(driver, mask) 0
#define cpuidle_get_driver() false
#define cpuidle_pause_and_lock()
#define cpuidle_resume_and_unlock()
#define cpuidle_enable_device(device)
#define cpuidle_disable_device(device)
#define per_cpu(variable, cpu) ((void *)NULL)
#define cpuhp_setup_state_nocalls(state, name, online, offline) 0
#define cpu_present_mask NULL

/* What the processor and the firmware answer. */
enum { CPU_FTR_ARCH_207S, CPU_FTR_ARCH_300, CPU_FTR_ARCH_31, CPU_FTR_POWER9_DD1 };
enum { FW_FEATURE_OPAL, FW_FEATURE_OPALv3, FW_FEATURE_SPLPAR };
enum { IDLE_NO_OVERRIDE, IDLE_POWERSAVE_OFF };
#define cpu_has_feature(feature)                                \
	((feature) == CPU_FTR_ARCH_300     ? oracle.arch_300 != 0 \
	 : (feature) == CPU_FTR_ARCH_31    ? oracle.arch_31 != 0  \
	 : (feature) == CPU_FTR_POWER9_DD1 ? oracle.dd1 != 0      \
					   : true)
#define firmware_has_feature(feature) ((feature) == FW_FEATURE_SPLPAR ? oracle.splpar != 0 : true)
#define cpuidle_disable (oracle.powersave_off ? IDLE_POWERSAVE_OFF : IDLE_NO_OVERRIDE)
#define pvr_version_is(version) (oracle.pvr == (version))
#define opal_slw_set_reg(pir, spr, value) ((void)(pir), (void)(value), oracle.stop_api ? 0 : -1)
#define lppaca_shared_proc(...) (oracle.shared != 0)
#define tb_ticks_per_usec (oracle.timebase_hz / 1000000)
unsigned long long tb_to_ns(unsigned long long ticks);
#define rtas_token(service) 0
#define __pa(address) ((unsigned long)(address))
int rtas_call(int token, int inputs, int outputs, int *results, ...);

/* One CPU, one thread. */
#define for_each_present_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_possible_cpu(cpu) for_each_present_cpu(cpu)
#define smp_processor_id() 0
#define cpu_nr_cores() 1
#define cpu_to_node(cpu) 0
#define cpu_first_thread_sibling(cpu) 0
#define cpu_thread_in_core(cpu) 0
#define threads_per_core 1
#define get_hard_smp_processor_id(cpu) 0
struct paca_struct {
	unsigned long idle_state;
	unsigned long thread_idle_state;
	unsigned long thread_mask;
	unsigned long irq_happened;
	u32 *core_idle_state_ptr;
	struct paca_struct **thread_sibling_pacas;
};
extern struct paca_struct paca[1], *paca_ptrs[1];
extern struct machdep_calls {
	void (*power_save)(void);
} ppc_md;

/* The sysfs control of the fast-sleep workaround. */
struct device_attribute {
	char unused;
};
#define DEVICE_ATTR(name, mode, show, store) struct device_attribute dev_attr_##name
#define device_create_file(root, attribute) ((void)(attribute), oracle_fastsleep_control = true)
#define bus_get_dev_root(bus) ((struct device *)&oracle_fastsleep_control)
#define put_device(device) ((void)(device))
extern bool oracle_fastsleep_control;

/* Named by code that is compiled but never entered, or without effect on what is reported. */
#define mfspr(spr) 0UL
#define mtspr(spr, value) ((void)(value))
#define MSR_IDLE 0UL
#define LPCR_PECE1 0UL
#define SYSTEM_RUNNING 1
#define system_state SYSTEM_RUNNING
#define powersave_nap 0
#define update_subcore_sibling_mask()
#define set_thread_flag(flag)
#define clear_thread_flag(flag)
#define local_irq_enable()
#define local_irq_disable()
#define raw_local_irq_enable()
#define raw_local_irq_disable()
#define irqs_disabled() false
#define need_resched() true
#define smp_mb()
#define get_tb() 0ULL
#define ppc64_runlatch_on()
#define ppc64_runlatch_off()
#define HMT_very_low()
#define HMT_low()
#define HMT_medium()
#define pseries_idle_prolog()
#define pseries_idle_epilog()
#define prep_irq_for_idle() false
#define cede_processor()
struct lppaca {
	u8 donate_dedicated_cpu;
	u8 cede_latency_hint;
	u8 idle;
	__be64 wait_state_cycles;
};
struct lppaca *get_lppaca(void);
/* CPU hotplug before 4.10. */
struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long action, void *cpu);
};
enum { CPU_ONLINE, CPU_ONLINE_FROZEN, CPU_DEAD, CPU_DEAD_FROZEN, NOTIFY_DONE, NOTIFY_OK };
#define register_cpu_notifier(block) ((void)(block))
void power7_idle_type(unsigned long type);
void arch300_idle_type(unsigned long psscr, unsigned long mask);
/* Before 5.2: instructions of which an offline CPU's is told, 0 to 3 as in power7_offline_type. */
enum { OFFLINE_NONE, OFFLINE_NAP, OFFLINE_SLEEP, OFFLINE_WINKLE, OFFLINE_STOP };
extern unsigned int oracle_offline;
#define power7_idle_insn(type) (oracle_offline = (type), 0UL)
#define power7_nap(check) (oracle_offline = OFFLINE_NAP, 0UL)
#define power7_sleep() (oracle_offline = OFFLINE_SLEEP, 0UL)
#define power7_winkle() (oracle_offline = OFFLINE_WINKLE, 0UL)
#define power9_idle_stop(...) (oracle_offline = OFFLINE_STOP, 0UL)
#define power9_offline_stop(psscr) (oracle_offline = OFFLINE_STOP, 0UL)
static __attribute__((unused)) void oracle_power7_idle(void)
{
}
#define pnv_program_cpu_hotplug_lpcr(cpu, value) ((void)(value))
#define patch_instruction(address, instruction) 0
#define opal_config_cpu_idle_state(state, flag) 0
#define generic_check_cpu_restart(cpu) (oracle_restarts++ > 0)
static __attribute__((unused)) unsigned int oracle_restarts;
/* Before 4.12 an offline CPU's loop is its own. */
static __attribute__((unused)) struct {
	void *active_mm;
} oracle_task, *current = &oracle_task;
#define local_paca (&paca[0])
#define PACA_IRQ_DEC 1
#define PACA_IRQ_HMI 2
#define PACA_IRQ_EE 4
#define PACA_IRQ_DBELL 8
#define PACA_IRQ_HARD_DIS 16
#define SRR1_WAKEMASK 1
#define SRR1_WAKEMASK_P8 1
#define SRR1_WAKEEE 1
#define SRR1_WAKEHVI 1
#define SRR1_WAKEHDBELL 2
#define PPC_DBELL_TYPE(type) 0
#define PPC_MSGCLR(operand) ""
#define DBG(...)
#define hard_irq_disable()
#define idle_task_exit()
#define generic_set_cpu_dead(cpu)
#define smp_wmb()
#define kvmppc_set_host_ipi(cpu, value)
#define icp_native_flush_interrupt()
#define icp_opal_flush_interrupt()
#define xics_on_xive() false
#define cpu_core_split_required() false
#define __ppc64_runlatch_on()
#define __ppc64_runlatch_off()
/* Before 5.10. */
#define power9_idle_type arch300_idle_type
#define power9_idle arch300_idle

#endif
