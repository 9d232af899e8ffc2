/* The driver of Arm's CPUs before PSCI had its own, over the parser, and the parts of the kernel
 * that it asks for the CPU's method: PSCI's, or one that cannot suspend. */
struct cpuidle_device;
struct cpuidle_driver;
static int arm_enter_idle_state();
int arm_cpuidle_init(unsigned int cpu);

#include DRIVER_SOURCE

static int arm_enter_idle_state() { return 0; }

struct cpu_operations {
	int (*cpu_init_idle)(unsigned int);
	bool cpu_suspend;
};
int psci_cpu_init_idle(unsigned int cpu);
static const struct cpu_operations psci = { PSCI_INIT_IDLE, true }, other;
static const struct cpu_operations *get_cpu_ops(int cpu)
{
	const char *method;

	if (of_property_read_string(of_cpu_device_node_get(cpu), "enable-method", &method))
		return NULL;
	return strcmp(method, "psci") ? &other : &psci;
}
#define cpu_ops(cpu) get_cpu_ops(cpu)

#undef pr_fmt
#define pr_fmt(text) "psci: " text
#undef kcalloc
/* the driver may ask for states beyond those that the list has: 0, not what memory holds */
#define kcalloc(count, size, flags) calloc((count) + CPUIDLE_STATE_MAX, size)
#include METHOD_SOURCE

u32 oracle_parameter(int cpu, int state) { return PARAMETER; }
