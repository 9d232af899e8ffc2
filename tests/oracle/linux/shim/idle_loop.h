/*
 * What do_idle() and cpuidle's core stand on. The functions themselves come from the kernel tree,
 * cut out and put behind this header; what they ask for is answered by the row at hand.
 */
#ifndef ORACLE_IDLE_LOOP_H
#define ORACLE_IDLE_LOOP_H

#include <errno.h>

#include "gov_kernel.h"

#ifdef ORACLE_SHADOWED
#define oracle_kept(device) ((device).rh_cpuidle_dev)
#define oracle_judged(device, i) ((device).rh_cpuidle_dev.rh_states_usage[i])
#else
#define oracle_kept(device) (device)
#define oracle_judged(device, i) ((device).states_usage[i])
#endif

#define __cpuidle
#define noinstr
#define noinline
#define WARN_ONCE(condition, ...) ((condition) != 0)

/* Nothing of this says which state is entered. */
#define ORACLE_NOTHING(...) ((void)0)
#define arch_cpu_idle_enter() ORACLE_NOTHING()
#define check_pgt_cache() ORACLE_NOTHING()
#define cond_tick_broadcast_enter() ORACLE_NOTHING()
#define cond_tick_broadcast_exit() ORACLE_NOTHING()
#define ct_cpuidle_enter() ORACLE_NOTHING()
#define ct_cpuidle_exit() ORACLE_NOTHING()
#define ct_idle_enter() ORACLE_NOTHING()
#define ct_idle_exit() ORACLE_NOTHING()
#define rcu_idle_enter() ORACLE_NOTHING()
#define rcu_idle_exit() ORACLE_NOTHING()
#define RCU_NONIDLE(statement) statement
#define rcu_nocb_flush_deferred_wakeup() ORACLE_NOTHING()
#define rcu_cpu_notify(...) ORACLE_NOTHING()
#define flush_smp_call_function_queue() ORACLE_NOTHING()
#define flush_smp_call_function_from_idle() ORACLE_NOTHING()
#define instrumentation_begin() ORACLE_NOTHING()
#define instrumentation_end() ORACLE_NOTHING()
#define irqs_disabled() true
#define BUILD_BUG_ON(condition) ORACLE_NOTHING()
#define leave_mm(...) ORACLE_NOTHING()
#define local_irq_disable() ORACLE_NOTHING()
#define local_irq_enable() ORACLE_NOTHING()
#define raw_local_irq_disable() ORACLE_NOTHING()
#define raw_local_irq_enable() ORACLE_NOTHING()
#define lockdep_hardirqs_on(...) ORACLE_NOTHING()
#define lockdep_hardirqs_on_prepare(...) ORACLE_NOTHING()
#define lockdep_hardirqs_off(...) ORACLE_NOTHING()
#define trace_hardirqs_on() ORACLE_NOTHING()
#define trace_hardirqs_on_prepare() ORACLE_NOTHING()
#define trace_hardirqs_off_finish() ORACLE_NOTHING()
#define nohz_run_idle_balance(cpu) ORACLE_NOTHING()
#define preempt_set_need_resched() ORACLE_NOTHING()
#define quiet_vmstat() ORACLE_NOTHING()
#define rmb() ORACLE_NOTHING()
#define smp_mb() ORACLE_NOTHING()
#define smp_mb__after_atomic() ORACLE_NOTHING()
#define sched_clock_idle_wakeup_event(...) ORACLE_NOTHING()
#define sched_idle_set_state(...) ORACLE_NOTHING()
#define sched_ttwu_pending() ORACLE_NOTHING()
#define start_critical_timings() ORACLE_NOTHING()
#define stop_critical_timings() ORACLE_NOTHING()
#define tick_freeze() ORACLE_NOTHING()
#define tick_unfreeze() ORACLE_NOTHING()
#define tick_broadcast_exit() ORACLE_NOTHING()
#define trace_cpu_idle(...) ORACLE_NOTHING()
#define trace_cpu_idle_rcuidle(...) ORACLE_NOTHING()
#define trace_cpu_idle_miss(...) ORACLE_NOTHING()
#define __current_set_polling() ORACLE_NOTHING()
#define __current_clr_polling() ORACLE_NOTHING()
#define klp_patch_pending(task) false
#define klp_update_patch_state(task) ORACLE_NOTHING()
#define cpuhp_report_idle_dead() ORACLE_NOTHING()
#define arch_cpu_idle_dead() ORACLE_NOTHING()
#define tick_nohz_idle_stop_tick_protected() ORACLE_NOTHING()
#define this_cpu_write(variable, value) ORACLE_NOTHING()
#define cpu_is_offline(cpu) ((void)(cpu), false)
#define cpuidle_state_is_coupled(driver, index) ((void)(driver), (void)(index), false)
#define cpuidle_enter_state_coupled(device, driver, index) (-ENOSYS)
#define tick_nohz_get_next_hrtimer() 0

#define ktime_us_delta(later, earlier) ktime_to_us(ktime_sub(later, earlier))
#define ktime_get() ((ktime_t)local_clock())
#define local_clock_noinstr() local_clock()

/* The scheduler. */
bool oracle_need_resched(void);
void oracle_schedule(void) __attribute__((noreturn));
#undef need_resched
#define need_resched() oracle_need_resched()
#define tif_need_resched() oracle_need_resched()
#define current_clr_polling_and_test() oracle_need_resched()
bool oracle_polls(void);
void oracle_polled(void);
#define current_set_polling_and_test() oracle_polls()
#define current_clr_polling() oracle_polled()
#define schedule_idle() oracle_schedule()
#define schedule_preempt_disabled() oracle_schedule()

/* Polling that is forced: idle=poll, or a broadcast tick that is due. */
extern int oracle_force_poll;
#define cpu_idle_force_poll oracle_force_poll
bool tick_check_broadcast_expired(void);
void cpu_relax(void);

/* The tick. */
#define tick_nohz_idle_enter() ORACLE_NOTHING()
void tick_nohz_idle_exit(void);
void tick_nohz_idle_stop_tick(void);
void tick_nohz_idle_retain_tick(void);
void tick_nohz_idle_restart_tick(void);
int tick_broadcast_enter(void);

/* cpuidle, its driver, its limits. */
extern struct cpuidle_device oracle_device;
extern struct cpuidle_driver oracle_driver;
extern struct cpuidle_governor *cpuidle_curr_governor;
extern int off, initialized;
#define cpuidle_devices (&oracle_device)
#define __this_cpu_read(variable) (variable)
#define cpuidle_get_device() (&oracle_device)
#define cpuidle_get_cpu_driver(device) ((void)(device), &oracle_driver)
bool oracle_suspends(void);
#define idle_should_enter_s2idle() oracle_suspends()
#define idle_should_freeze() oracle_suspends()
void arch_cpu_idle(void);
void arch_cpu_idle_exit(void);
void default_idle_call(void);

#undef dev_pm_qos_raw_read_value
#undef dev_pm_qos_read_value
int oracle_latency_limit_us(void);
int oracle_resume_latency_us(void);
int cpu_wakeup_latency_qos_limit(void);
#define pm_qos_request(class) oracle_latency_limit_us()
#define cpu_latency_qos_limit() oracle_latency_limit_us()
#define dev_pm_qos_raw_read_value(device) ((void)(device), oracle_resume_latency_us())
#define dev_pm_qos_raw_resume_latency(device) ((void)(device), oracle_resume_latency_us())
#define dev_pm_qos_read_value(device, type) ((void)(device), oracle_resume_latency_us())

/* What was cut out of the tree. */
#ifdef GOV_STOP_TICK
int cpuidle_select(struct cpuidle_driver *driver, struct cpuidle_device *device, bool *stop_tick);
#else
int cpuidle_select(struct cpuidle_driver *driver, struct cpuidle_device *device);
#endif
bool cpuidle_not_available(struct cpuidle_driver *driver, struct cpuidle_device *device);
int cpuidle_enter(struct cpuidle_driver *driver, struct cpuidle_device *device, int index);
int cpuidle_enter_state(struct cpuidle_device *device, struct cpuidle_driver *driver, int index);
void cpuidle_reflect(struct cpuidle_device *device, int index);
extern int (*const oracle_poll_idle)(struct cpuidle_device *, struct cpuidle_driver *, int);
u64 cpuidle_poll_time(struct cpuidle_driver *driver, struct cpuidle_device *device);
void oracle_do_idle(void);

#endif
