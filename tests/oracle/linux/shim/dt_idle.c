/* Reads trees, line by line, and says what the kernel makes of each, in a process of its own:
 *   node PATH          property NAME HEX        cpu INDEX        run OSI
 */
#include <sys/wait.h>
#include <unistd.h>

#include "dt_idle.h"

int oracle_driver_initcall(void);
__attribute__((weak)) int oracle_domains_initcall(void) { return 0; }
u32 oracle_parameter(int cpu, int state);

struct cpumask oracle_masks[MAX_CPUS];
int oracle_cpu_count;
struct cpuidle_device *cpuidle_devices[MAX_CPUS];
static struct cpuidle_device devices[MAX_CPUS];
static struct cpuidle_driver *drivers[MAX_CPUS];
struct psci_operations psci_ops = { 1 };
struct dev_power_governor pm_domain_cpu_gov;
bool oracle_osi;
static int probe_status;
static struct platform_driver *registered;
static struct device_node *providers[64];
static int provider_count;
int devtree_lock;

static struct device cpu_devices[MAX_CPUS];
static struct device_node nodes[512];
static int node_count, cpu_nodes[MAX_CPUS];

void oracle_say(const char *level, const char *format, ...)
{
	va_list values;

	printf("message %s ", level);
	va_start(values, format);
	for (const char *at = format; *at; at++) {
		if (*at != '%') {
			if (*at != '\n')
				putchar(*at);
		} else if (!strncmp(at, "%pOF", 4)) {
			printf("%s", of_node_full_name(va_arg(values, struct device_node *)));
			at += 3;
		} else if (!strncmp(at, "%#x", 3)) {
			printf("%#x", va_arg(values, unsigned int));
			at += 2;
		} else if (!strncmp(at, "%td", 3)) {
			printf("%td", va_arg(values, ptrdiff_t));
			at += 2;
		} else if (!strncmp(at, "%ld", 3)) {
			printf("%ld", va_arg(values, long));
			at += 2;
		} else if (at[1] == 's') {
			printf("%s", va_arg(values, char *));
			at++;
		} else if (at[1] == 'd') {
			printf("%d", va_arg(values, int));
			at++;
		} else {
			fprintf(stderr, "format %s is not known\n", format);
			exit(2);
		}
	}
	va_end(values);
	putchar('\n');
}

const void *of_get_property(const struct device_node *node, const char *name, int *length)
{
	for (int i = 0; node && i < node->property_count; i++) {
		if (!strcmp(node->properties[i].name, name)) {
			if (length)
				*length = node->properties[i].length;
			return node->properties[i].value;
		}
	}
	return NULL;
}

int of_property_read_u32(const struct device_node *node, const char *name, u32 *value)
{
	int length;
	const void *found = of_get_property(node, name, &length);

	if (!found)
		return -EINVAL;
	if (length < 4)
		return -EOVERFLOW;
	*value = be32_to_cpup(found);
	return 0;
}

int of_property_read_string(const struct device_node *node, const char *name, const char **text)
{
	int length;
	const void *found = of_get_property(node, name, &length);

	if (!found || !length || !memchr(found, 0, length))
		return -EILSEQ;
	*text = found;
	return 0;
}

const struct of_device_id *of_match_node(const struct of_device_id *known,
					 const struct device_node *node)
{
	int length = 0;
	const char *found = of_get_property(node, "compatible", &length);

	for (; known->compatible[0]; known++)
		for (const char *at = found; found && at < found + length; at += strlen(at) + 1)
			if (!strcmp(at, known->compatible))
				return known;
	return NULL;
}

struct device_node *of_find_node_by_phandle(phandle handle)
{
	u32 own;

	for (int i = 0; handle && i < node_count; i++)
		if (!of_property_read_u32(&nodes[i], "phandle", &own) && own == handle)
			return &nodes[i];
	return NULL;
}

struct device_node *of_cpu_device_node_get(int cpu)
{
	return &nodes[cpu_nodes[cpu]];
}

struct device_node *of_find_node_by_path(const char *path)
{
	for (int i = 0; i < node_count; i++)
		if (!strcmp(nodes[i].path, path))
			return &nodes[i];
	return NULL;
}

struct device_node *of_find_matching_node(struct device_node *from,
					  const struct of_device_id *known)
{
	for (from = from ? from + 1 : nodes; from < nodes + node_count; from++)
		if (of_match_node(known, from))
			return from;
	return NULL;
}

struct device_node *oracle_next_child(const struct device_node *parent, struct device_node *child)
{
	size_t length = strlen(parent->path);

	for (child = child ? child + 1 : nodes; child < nodes + node_count; child++)
		if (!strncmp(child->path, parent->path, length) && child->path[length] == '/' &&
		    !strchr(child->path + length + 1, '/'))
			return child;
	return NULL;
}

int of_property_match_string(const struct device_node *node, const char *name, const char *text)
{
	int length, index = 0;
	const char *at = of_get_property(node, name, &length);

	if (!at)
		return -EINVAL;
	for (const char *end = at + length; at < end; at += strlen(at) + 1, index++) {
		if (!memchr(at, 0, end - at))
			return -EILSEQ;
		if (!strcmp(at, text))
			return index;
	}
	return -ENODATA;
}

/* Drivers: one that matches nodes is probed for each, another when its device is registered. */
int platform_driver_register(struct platform_driver *driver)
{
	registered = driver;
	for (int i = 0; driver->driver.of_match_table && i < node_count; i++) {
		struct platform_device device = { { &nodes[i] } };

		if (of_match_node(driver->driver.of_match_table, &nodes[i]))
			driver->probe(&device);
	}
	return 0;
}

struct platform_device *platform_device_register_simple(const char *name, int id, void *res, int n)
{
	static struct platform_device device;

	probe_status = registered->probe(&device);
	return &device;
}

/* A faux device whose probe fails is gone. */
struct faux_device *faux_device_create(const char *name, struct device *parent,
				       const struct faux_device_ops *ops)
{
	static struct faux_device device;

	return ops->probe(&device) ? NULL : &device;
}

/* Power domains: the errors of drivers/pmdomain/core.c. */
int of_genpd_add_provider_simple(struct device_node *node, struct generic_pm_domain *domain)
{
	providers[provider_count++] = node;
	return 0;
}

void of_genpd_del_provider(struct device_node *node)
{
	for (int i = 0; i < provider_count; i++)
		if (providers[i] == node)
			providers[i] = NULL;
}

static int find_provider(const struct of_phandle_args *wanted)
{
	for (int i = 0; i < provider_count; i++)
		if (providers[i] == wanted->np)
			return wanted->args_count ? -EINVAL : 0;
	return -ENOENT;
}

int of_genpd_add_subdomain(struct of_phandle_args *parent, struct of_phandle_args *child)
{
	int error = find_provider(parent);

	if (!error)
		error = find_provider(child);
	if (!error && parent->np == child->np)
		error = -EINVAL;
	return error == -ENOENT ? -EPROBE_DEFER : error;
}

struct device *get_cpu_device(int cpu)
{
	cpu_devices[cpu].of_node = of_cpu_device_node_get(cpu);
	return &cpu_devices[cpu];
}

struct device *dev_pm_domain_attach_by_name(struct device *device, const char *name)
{
	static struct device virtual;
	struct of_phandle_args args;
	int index = of_property_match_string(device->of_node, "power-domain-names", name);
	int error;

	if (index < 0 || index >= of_count_phandle_with_args(device->of_node, "power-domains",
							     "#power-domain-cells"))
		return NULL;
	error = of_parse_phandle_with_args(device->of_node, "power-domains",
					   "#power-domain-cells", index, &args);
	if (error < 0)
		return ERR_PTR(error);
	return find_provider(&args) ? ERR_PTR(-EPROBE_DEFER) : &virtual;
}

int psci_set_osi_mode()
{
	return 0;
}

bool riscv_sbi_suspend_state_is_valid(u32 state)
{
	return !(state > SBI_HSM_SUSPEND_RET_DEFAULT && state < SBI_HSM_SUSPEND_RET_PLATFORM) &&
	       !(state > SBI_HSM_SUSPEND_NON_RET_DEFAULT &&
		 state < SBI_HSM_SUSPEND_NON_RET_PLATFORM);
}

bool psci_power_state_is_valid(u32 state)
{
	return !(state & ~0x0301ffffu) || !(state & ~0x4fffffffu);
}

void *devm_kzalloc(struct device *dev, size_t size, int flags)
{
	return calloc(1, size + 1);
}

int cpuidle_register(struct cpuidle_driver *drv, const void *coupled)
{
	drivers[drv->cpumask->cpu] = drv;
	return 0;
}

void cpuidle_unregister(struct cpuidle_driver *drv)
{
	drivers[drv->cpumask->cpu] = NULL;
}

struct cpuidle_driver *cpuidle_get_cpu_driver(struct cpuidle_device *dev)
{
	return drivers[dev->cpu];
}

static void report(void)
{
	int status;

	oracle_domains_initcall();
	status = oracle_driver_initcall();
	printf("status %d\n", status ? status : probe_status);
	for (int cpu = 0; cpu < oracle_cpu_count; cpu++) {
		for (int i = 0; drivers[cpu] && i < drivers[cpu]->state_count; i++) {
			struct cpuidle_state *state = &drivers[cpu]->states[i];

			printf("state %d %s %u %u %d %u\n", cpu, state->name, state->exit_latency,
			       state->target_residency,
			       !!(state->flags & CPUIDLE_FLAG_TIMER_STOP),
			       i ? oracle_parameter(cpu, i) : 0);
		}
	}
}

static void run(void)
{
	int status;

	fflush(stdout);
	if (fork() == 0) {
		report();
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	printf(status ? "crash %d\nend\n" : "end\n", status);
	for (int i = 0; i < node_count; i++)
		for (int j = 0; j < nodes[i].property_count; j++)
			free(nodes[i].properties[j].value);
	node_count = oracle_cpu_count = 0;
}

static void add_property(struct device_node *node, const char *name, const char *hex)
{
	struct property *property = &node->properties[node->property_count++];

	snprintf(property->name, sizeof(property->name), "%s", name);
	property->length = strlen(hex) / 2;
	property->value = calloc(1, property->length + 8);
	for (int i = 0; i < property->length; i++)
		sscanf(hex + 2 * i, "%2hhx", &property->value[i]);
}

int main(void)
{
	static char line[65536], name[256], hex[65536];

	while (fgets(line, sizeof(line), stdin)) {
		hex[0] = 0;
		if (sscanf(line, "node %255s", name) == 1) {
			struct device_node *node = &nodes[node_count++];

			memset(node, 0, sizeof(*node));
			snprintf(node->path, sizeof(node->path), "%s", name);
			node->full_name = node->path;
			node->name = strdup(strrchr(name, '/') + 1);
			strtok((char *)node->name, "@");
		} else if (sscanf(line, "property %255s %65535s", name, hex) >= 1) {
			add_property(&nodes[node_count - 1], name, hex);
		} else if (sscanf(line, "cpu %255s", name) == 1) {
			int cpu = oracle_cpu_count++;

			cpu_nodes[cpu] = atoi(name);
			oracle_masks[cpu].cpu = devices[cpu].cpu = cpu;
			cpuidle_devices[cpu] = &devices[cpu];
		} else {
			oracle_osi = line[4] == '1';
			run();
		}
	}
	return 0;
}
