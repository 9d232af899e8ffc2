/* The SBI driver's initialization, over the parser. What runs later is named only. */
struct generic_pm_domain;
static int sbi_cpuidle_enter_state(), sbi_enter_domain_idle_state(),
	sbi_enter_s2idle_domain_idle_state(), sbi_cpuidle_pd_power_off();
static void sbi_idle_init_cpuhp();

#include DRIVER_SOURCE

static int sbi_cpuidle_enter_state() { return 0; }
static int sbi_enter_domain_idle_state() { return 0; }
static int sbi_enter_s2idle_domain_idle_state() { return 0; }
static int sbi_cpuidle_pd_power_off() { return 0; }
static void sbi_idle_init_cpuhp() { }

u32 oracle_parameter(int cpu, int state)
{
	return sbi_cpuidle_data[cpu].states[state];
}
