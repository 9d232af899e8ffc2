/* The PSCI driver's initialization, over the parser. What runs later is named only. */
struct cpuidle_device;
struct cpuidle_driver;
struct generic_pm_domain;
static int psci_enter_idle_state(), psci_enter_domain_idle_state(),
	psci_enter_s2idle_domain_idle_state(), psci_idle_syscore_suspend(),
	psci_idle_cpuhp_up(), psci_idle_cpuhp_down();
static void psci_idle_syscore_resume(), psci_idle_init_cpuhp(), psci_idle_init_syscore();

#include DRIVER_SOURCE

static int psci_enter_idle_state() { return 0; }
static int psci_enter_domain_idle_state() { return 0; }
static int psci_enter_s2idle_domain_idle_state() { return 0; }
static int psci_idle_syscore_suspend() { return 0; }
static int psci_idle_cpuhp_up() { return 0; }
static int psci_idle_cpuhp_down() { return 0; }
static void psci_idle_syscore_resume() { }
static void psci_idle_init_cpuhp() { }
static void psci_idle_init_syscore() { }

u32 oracle_parameter(int cpu, int state)
{
#ifdef ONLY_PARAMETERS
	return psci_power_state[cpu][state - 1];
#else
	return psci_cpuidle_data[cpu].psci_states[state];
#endif
}
