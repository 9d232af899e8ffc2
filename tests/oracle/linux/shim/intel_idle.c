/*
 * Runs the initialization of intel_idle.c, once for each line of standard input, each in a process
 * of its own; without input words: writes down its tables and lists. tables.h: made from the
 * driver's source.
 */
#include "intel_idle.h"
#include INTEL_SOURCE
#include <sys/wait.h>
#include <unistd.h>
#include "each_line.h"

#undef pr_fmt
#define MOST_PARAMETERS 20

struct oracle_machine oracle;
struct cpuinfo_x86 boot_cpu_data;
struct acpi_processor oracle_acpi;
static struct { const char *name, *type; void *variable; size_t size; } parameters[MOST_PARAMETERS];
static int parameter_count;
int cpu_subsys, oracle_initcall(void);

void oracle_parameter(const char *name, const char *type, void *variable, size_t size)
{
	parameters[parameter_count].name = name;
	parameters[parameter_count].type = type;
	parameters[parameter_count].size = size;
	parameters[parameter_count++].variable = variable;
}

void oracle_warn(int condition)
{
	if (condition)
		puts("warn_on");
}

int oracle_feature(int feature)
{
	return feature == X86_FEATURE_MWAIT ? oracle.mwait
	       : feature == X86_FEATURE_ARAT ? oracle.arat
	       : feature == X86_FEATURE_NONSTOP_TSC ? oracle.nonstop_tsc
#ifdef X86_FEATURE_KERNEL_IBRS
	       : feature == X86_FEATURE_KERNEL_IBRS ? oracle.kernel_ibrs
#endif
	       : 0;
}

void cpuid(unsigned int leaf, unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
	   unsigned int *edx)
{
	*eax = *ebx = *ecx = *edx = 0;
	if (leaf == 5) {
		*ecx = oracle.leaf5_ecx;
		*edx = oracle.leaf5_edx;
	} else if (leaf == 7) {
		*ebx = oracle.leaf7_ebx;
	}
}

unsigned long long oracle_msr(unsigned int number)
{
	switch (number) {
	case 0xe2: /* MSR_PKG_CST_CONFIG_CONTROL, under either name */
		return oracle.pkg_cst;
	case 0x3a: return oracle.feat_ctl; /* IA32_FEATURE_CONTROL, under either name */
	case 0x60b: return oracle.irtl[0]; /* MSR_PKGC6_IRTL */
	case 0x60c: return oracle.irtl[1];
	case 0x633: return oracle.irtl[2];
	case 0x634: return oracle.irtl[3];
	case 0x635: return oracle.irtl[4];
	case MSR_IA32_POWER_CTL: return 0x40002;
	}
	printf("unknown msr %x\n", number);
	return 0;
}

void oracle_wrote(unsigned int number, unsigned long long value)
{
	printf("wrmsr %u %llu\n", number, value);
}

const struct x86_cpu_id *x86_match_cpu(const struct x86_cpu_id *list)
{
	/* as arch/x86/kernel/cpu/match.c does it for these lists, without steppings and types */
	for (; list->vendor | list->family | list->model | list->feature | list->driver_data; list++) {
		if (list->vendor != X86_VENDOR_ANY && list->vendor != boot_cpu_data.x86_vendor)
			continue;
		if (list->family != X86_FAMILY_ANY && list->family != boot_cpu_data.x86)
			continue;
		if (list->model != X86_MODEL_ANY && list->model != boot_cpu_data.x86_model)
			continue;
		if (list->feature != X86_FEATURE_ANY && !oracle_feature(list->feature))
			continue;
		return list;
	}
	return NULL;
}

void cpuidle_poll_state_init(struct cpuidle_driver *driver)
{
	struct cpuidle_state *state = &driver->states[0];

	/* as drivers/cpuidle/poll_state.c */
	strcpy(state->name, "POLL");
	strcpy(state->desc, "CPUIDLE CORE POLL IDLE");
	state->flags = CPUIDLE_FLAG_POLLING;
}

int cpuidle_register_driver(struct cpuidle_driver *driver)
{
#ifdef CORE_POLLS
	cpuidle_poll_state_init(driver);
#endif
	printf("registered %d\n", driver->state_count);
	return 0;
}

struct cpuidle_driver *cpuidle_get_driver(void) { return NULL; }
struct cpuidle_driver *cpuidle_get_cpu_driver(struct cpuidle_device *device) { return NULL; }
struct device *bus_get_dev_root(void *bus) { puts("sysfs"); return NULL; }

int oracle_online(int (*online)(unsigned int))
{
	return online(0);
}

#ifdef TREE_ACPI
int acpi_processor_evaluate_cst(void *handle, u32 cpu, struct acpi_processor_power *info)
{
	if (oracle.cst_count < 0)
		return oracle.cst_count;
	memset(info, 0, sizeof(*info));
	info->count = oracle.cst_count;
	for (int i = 0; i < oracle.cst_count; i++) {
		struct acpi_processor_cx *cx = &info->states[i + 1];

		cx->type = oracle.cst[i].type;
		cx->entry_method = oracle.cst[i].method;
		cx->address = oracle.cst[i].address;
		cx->latency = oracle.cst[i].latency;
		strcpy(cx->desc, oracle.cst[i].desc);
	}
	return 0;
}

#ifdef TREE_LPI
int acpi_processor_extract_lpi_info(void *handle, struct acpi_processor_power *info, bool strict)
{
	if (oracle.lpi_count < 0)
		return oracle.lpi_count;
	memset(info, 0, sizeof(*info));
	info->count = oracle.lpi_count;
	for (int i = 0; i < oracle.lpi_count; i++) {
		struct acpi_lpi_state *state = &info->lpi_states[i];

		state->address = oracle.lpi[i].address;
		state->wake_latency = oracle.lpi[i].latency;
		state->min_residency = oracle.lpi[i].residency;
		strcpy(state->desc, oracle.lpi[i].desc);
	}
	return 0;
}
#endif

bool acpi_processor_claim_cst_control(void) { return oracle.claims; }
#endif

static const char *enter_name(const struct cpuidle_state *state);
static const char *table_name(const void *table);
static void dump(void);
#include "tables.h"

static void say_state(const struct cpuidle_state *state, const char *enter)
{
	printf("state ");
	hex(state->name);
	putchar(' ');
	hex(state->desc);
	printf(" %u %u %u %s\n", state->exit_latency, state->target_residency, state->flags, enter);
}

static void unhex(char *target, const char *text, size_t most)
{
	unsigned int byte;

	for (; most-- > 1 && sscanf(text, "%2x", &byte) == 1; text += 2)
		*target++ = byte;
	*target = 0;
}

static void set_parameter(const char *name, const char *value)
{
	for (int i = 0; i < parameter_count; i++) {
		if (strcmp(parameters[i].name, name))
			continue;
		if (!strcmp(parameters[i].type, "string")) {
			/* param_set_copystring() refuses what has no room for its end */
			if (strlen(value) / 2 >= parameters[i].size)
				puts("too long");
			else
				unhex(parameters[i].variable, value, parameters[i].size);
		} else if (!strcmp(parameters[i].type, "bool")) {
			*(bool *)parameters[i].variable = atoi(value);
		} else {
			*(unsigned int *)parameters[i].variable = strtoul(value, NULL, 0);
		}
		return;
	}
	printf("no parameter %s\n", name);
}

static void acpi_states(char *value, int *count, struct oracle_acpi_state *states)
{
	char *save, *word;

	if (*value == 'x') {
		*count = -ENODEV;
		return;
	}
	for (word = strtok_r(value, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		struct oracle_acpi_state *state = &states[(*count)++];
		char desc[100] = "";

		sscanf(word, "%u:%u:%llu:%u:%u:%99s", &state->type, &state->method,
		       &state->address, &state->latency, &state->residency, desc);
		unhex(state->desc, desc, sizeof(state->desc));
	}
}

static void run(char *line)
{
	static const struct { const char *name; size_t at; int wide; } fields[] = {
#define FIELD(name) { #name, offsetof(struct oracle_machine, name), sizeof(oracle.name) == 8 }
		FIELD(vendor), FIELD(family), FIELD(model), FIELD(cpuid_level), FIELD(mwait),
		FIELD(arat), FIELD(nonstop_tsc), FIELD(kernel_ibrs), FIELD(leaf5_ecx),
		FIELD(leaf5_edx), FIELD(leaf7_ebx), FIELD(pkg_cst), FIELD(feat_ctl),
		FIELD(packages), FIELD(idle_override), FIELD(claims),
		{ "irtl6", offsetof(struct oracle_machine, irtl[0]), 1 },
		{ "irtl7", offsetof(struct oracle_machine, irtl[1]), 1 },
		{ "irtl8", offsetof(struct oracle_machine, irtl[2]), 1 },
		{ "irtl9", offsetof(struct oracle_machine, irtl[3]), 1 },
		{ "irtl10", offsetof(struct oracle_machine, irtl[4]), 1 },
	};
	char *save, *word;
	int status;

	for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		char *value = strchr(word, '=');
		size_t i;

		*value++ = 0;
		if (!strcmp(word, "cst")) {
			acpi_states(value, &oracle.cst_count, oracle.cst);
			continue;
		}
		if (!strcmp(word, "lpi")) {
			acpi_states(value, &oracle.lpi_count, oracle.lpi);
			continue;
		}
		if (!strncmp(word, "param.", 6)) {
			set_parameter(word + 6, value);
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(fields) && strcmp(word, fields[i].name); i++)
			;
		if (i == ARRAY_SIZE(fields))
			printf("no field %s\n", word);
		else if (fields[i].wide)
			*(unsigned long long *)((char *)&oracle + fields[i].at) = strtoull(value, NULL, 0);
		else
			*(unsigned int *)((char *)&oracle + fields[i].at) = strtoul(value, NULL, 0);
	}
	boot_cpu_data.x86_vendor = oracle.vendor;
	boot_cpu_data.x86 = oracle.family;
	boot_cpu_data.x86_model = oracle.model;
	boot_cpu_data.x86_vfm = oracle.vendor << 16 | oracle.family << 8 | oracle.model;
	boot_cpu_data.cpuid_level = oracle.cpuid_level;
	status = oracle_initcall();
	printf("status %d\n", status);
	for (int i = 0; !status && i < intel_idle_driver.state_count; i++)
		say_state(&intel_idle_driver.states[i], enter_name(&intel_idle_driver.states[i]));
}

int main(int count, char **words)
{
	if (count > 1) {
		dump();
		return 0;
	}
	return each_line(run);
}
