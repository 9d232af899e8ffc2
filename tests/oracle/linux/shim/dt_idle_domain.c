/* The PSCI driver's power domains. */
struct generic_pm_domain;
static int psci_pd_power_off();

#include DOMAIN_SOURCE

static int psci_pd_power_off() { return 0; }
