/* The PSCI driver's probe, over the parser, with what it found printed. */
static enter_function psci_enter_idle_state, psci_enter_domain_idle_state,
	psci_enter_s2idle_domain_idle_state;
static int psci_idle_syscore_suspend(void) { return 0; }
static void psci_idle_syscore_resume(void) { }

#include PSCI_SOURCE

static int psci_enter_idle_state(struct cpuidle_device *d, struct cpuidle_driver *v, int i)
{
	return i;
}

int oracle_probe(void)
{
	struct platform_device device;

	memset(&psci_cpuidle_data, 0, sizeof(psci_cpuidle_data));
	return psci_cpuidle_probe(&device);
}

u32 oracle_parameter(int cpu, int state)
{
	return psci_cpuidle_data[cpu].psci_states[state];
}
