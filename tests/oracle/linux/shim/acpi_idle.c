/*
 * Starts acpi_idle for the processor of each line of standard input, each in a process of its own.
 */
#include "acpi_idle.h"

#ifdef CSTATE_SOURCE
#undef pr_fmt
#define pr_fmt(format) format
#include CSTATE_SOURCE
#endif
#ifdef PROCESSOR_SOURCE
#undef pr_fmt
#include PROCESSOR_SOURCE
#endif
#undef pr_fmt
#include IDLE_SOURCE
#include <sys/wait.h>
#include <unistd.h>
#include "each_line.h"

#define MOST_PARAMETERS 20

struct oracle_machine oracle;
struct cpuinfo_x86 boot_cpu_data;
struct acpi_processor *processors;
struct acpi_processor_errata errata;
struct acpi_fadt acpi_gbl_FADT;
struct psci_operations psci_ops;
bool osc_pc_lpi_support_confirmed;
int (*oracle_arch_init)(void);
static struct { const char *name, *type; void *variable; } parameters[MOST_PARAMETERS];
static int parameter_count, has_device;
static struct cpuidle_driver *driver;

void oracle_parameter(const char *name, const char *type, void *variable)
{
	parameters[parameter_count].name = name;
	parameters[parameter_count].type = type;
	parameters[parameter_count++].variable = variable;
}

void oracle_append(char *target, const char *source, size_t size)
{
	size_t used = strlen(target);

	snprintf(target + used, size - used, "%s", source);
}

int oracle_feature(int feature)
{
#ifdef CONFIG_X86
	if (feature == X86_FEATURE_ARAT)
		return oracle.arat;
	if (feature == X86_FEATURE_NONSTOP_TSC)
		return oracle.nonstop_tsc;
#ifdef X86_BUG_AMD_APIC_C1E
	if (feature == X86_BUG_AMD_APIC_C1E)
		return oracle.apic_c1e;
#endif
#ifdef X86_FEATURE_ZEN
	/* arch/x86/kernel/cpu/amd.c sets it from family 17h on */
	if (feature == X86_FEATURE_ZEN)
		return oracle.vendor == X86_VENDOR_AMD && oracle.family >= 0x17;
#endif
#endif
	return 0;
}

void cpuid(unsigned int leaf, unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
	   unsigned int *edx)
{
	*eax = *ebx = 0;
	*ecx = oracle.leaf5_ecx;
	*edx = oracle.leaf5_edx;
}

int dmi_check_system(const struct dmi_system_id *list)
{
	for (; list->callback; list++)
		if (!strcmp(list->ident, oracle.dmi))
			list->callback(list);
	return 0;
}

/* ACPI objects: i1f, b0a0b, s4142, t14, p2 and two objects; each ends with '/'. */
static size_t unhex(char *target, const char *text)
{
	unsigned int byte;
	size_t count = 0;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		target[count++] = byte;
	return count;
}

static const char *object(const char *text, union acpi_object *found)
{
	size_t room = strcspn(text, "/");
	char *word = strndup(text + 1, room - 1), kind = *text;

	text += room + 1;
	if (kind == 'i') {
		found->type = ACPI_TYPE_INTEGER;
		found->integer.value = strtoull(word, NULL, 16);
	} else if (kind == 't') {
		found->type = strtoul(word, NULL, 16);
	} else if (kind == 'b') {
		found->type = ACPI_TYPE_BUFFER;
		found->buffer.pointer = calloc(1, room + 32);
		found->buffer.length = unhex((char *)found->buffer.pointer, word);
	} else if (kind == 's') {
		found->type = ACPI_TYPE_STRING;
		found->string.pointer = calloc(1, room + 32);
		found->string.length = unhex(found->string.pointer, word);
	} else {
		found->type = ACPI_TYPE_PACKAGE;
		found->package.count = strtoul(word, NULL, 16);
		/* those behind: some releases look at elements that are not there */
		found->package.elements = calloc(found->package.count + 16, sizeof(*found));
		for (u32 i = 0; i < found->package.count; i++)
			text = object(text, &found->package.elements[i]);
	}
	return text;
}

static size_t level(acpi_handle handle) { return (size_t)handle - 1; }

static const char *named(acpi_handle handle, const char *name)
{
	if (level(handle) >= (size_t)oracle.levels)
		return NULL;
	if (!strcmp(name, "_LPI"))
		return oracle.lpi[level(handle)];
	return level(handle) ? NULL : oracle.cst;
}

acpi_status acpi_evaluate_object(acpi_handle handle, char *name, void *arguments,
				 struct acpi_buffer *buffer)
{
	const char *text = named(handle, name);

	if (!text)
		return AE_NOT_FOUND;
	buffer->pointer = calloc(1, sizeof(union acpi_object));
	object(text, buffer->pointer);
	return AE_OK;
}

bool acpi_has_method(acpi_handle handle, char *name) { return named(handle, name); }

acpi_status acpi_get_parent(acpi_handle handle, acpi_handle *parent)
{
	*parent = (char *)handle + 1;
	return AE_OK;
}

struct acpi_device *acpi_fetch_acpi_dev(acpi_handle handle)
{
	struct acpi_device *device = calloc(1, sizeof(*device));

	strcpy(device->hid,
	       level(handle) < (size_t)oracle.levels ? ACPI_PROCESSOR_CONTAINER_HID : "LNXSYBUS");
	return device;
}

int acpi_bus_get_device(acpi_handle handle, struct acpi_device **device)
{
	*device = acpi_fetch_acpi_dev(handle);
	return 0;
}

void cpuidle_poll_state_init(struct cpuidle_driver *of)
{
	struct cpuidle_state *state = &of->states[0];

	/* as drivers/cpuidle/poll_state.c */
	strcpy(state->name, "POLL");
	strcpy(state->desc, "CPUIDLE CORE POLL IDLE");
	state->flags |= CPUIDLE_FLAG_POLLING;
	state->exit_latency = state->target_residency = 0;
}

int cpuidle_register_driver(struct cpuidle_driver *of)
{
	if (!of->state_count)
		return -EINVAL;
#ifdef CORE_POLLS
	cpuidle_poll_state_init(of);
#endif
	driver = of;
	return 0;
}

void cpuidle_unregister_driver(struct cpuidle_driver *of) { driver = NULL; }
struct cpuidle_driver *cpuidle_get_driver(void) { return driver; }

int cpuidle_register_device(struct cpuidle_device *device)
{
	if (!driver)
		return -EINVAL;
	has_device = 1;
	return 0;
}

static int suspend(u32 state, unsigned long entry) { return 0; }

bool psci_power_state_is_valid(u32 state)
{
	/* as drivers/firmware/psci/psci.c, with the masks of include/uapi/linux/psci.h */
	u32 valid = oracle.extended ? 0x4fffffff : 0x0301ffff;

	return !(state & ~valid);
}

bool riscv_sbi_suspend_state_is_valid(u32 state)
{
	/* as drivers/cpuidle/cpuidle-riscv-sbi.c: the platform's own ranges, and the two defaults */
	if (state > 0 && state < 0x10000000)
		return false;
	if (state > 0x80000000 && state < 0x90000000)
		return false;
	return true;
}

static void set_parameter(const char *name, const char *value)
{
	for (int i = 0; i < parameter_count; i++) {
		if (strcmp(parameters[i].name, name))
			continue;
		if (!strcmp(parameters[i].type, "bool"))
			*(bool *)parameters[i].variable = atoi(value);
		else
			*(unsigned int *)parameters[i].variable = strtoul(value, NULL, 0);
		return;
	}
	printf("no parameter %s\n", name);
}

#ifdef TREE_LPI
/* _LPI as intel_idle asks for it; the flags shown are the addresses. */
static void strictly(void)
{
	struct acpi_processor_power power = { 0 };
	int status = acpi_processor_extract_lpi_info(processors->handle, &power, true);

	printf("registered %d 0 %d\n", !status, status ? 0 : power.count);
	for (int i = 0; !status && i < power.count; i++) {
		struct acpi_lpi_state *state = &power.lpi_states[i];

		printf("state - ");
		hex(state->desc);
		printf(" %u %u %llu 0\n", state->wake_latency, state->min_residency,
		       (unsigned long long)state->address);
	}
}
#else
#define strictly()
#endif

static void run(char *line)
{
	static const struct { const char *name; size_t at; } fields[] = {
#define FIELD(name) { #name, offsetof(struct oracle_machine, name) }
		FIELD(vendor), FIELD(family), FIELD(model), FIELD(stepping), FIELD(cpuid_level),
		FIELD(arat), FIELD(nonstop_tsc), FIELD(apic_c1e), FIELD(cpus), FIELD(leaf5_ecx),
		FIELD(leaf5_edx), FIELD(timer_c2_ok), FIELD(bm_control), FIELD(fdma), FIELD(idle), FIELD(strict),
		FIELD(osc_lpi), FIELD(suspends), FIELD(hsm), FIELD(extended), FIELD(pblk),
		FIELD(fadt_flags), FIELD(c2_latency), FIELD(c3_latency), FIELD(cst_control),
		FIELD(claims),
	};
	struct cpuidle_driver *found;
	char *save, *word;

	for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		char *value = strchr(word, '=');
		size_t i;

		*value++ = 0;
		if (!strcmp(word, "cst")) {
			oracle.cst = value;
			continue;
		}
		if (!strcmp(word, "lpi")) { /* the processor's first; x: a level without */
			oracle.lpi[oracle.levels++] = strcmp(value, "x") ? value : NULL;
			continue;
		}
		if (!strcmp(word, "dmi")) {
			unhex(oracle.dmi, value);
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
		else
			*(unsigned int *)((char *)&oracle + fields[i].at) = strtoul(value, NULL, 0);
	}
	if (!oracle.levels)
		oracle.levels = 1;
	boot_cpu_data.x86_vendor = oracle.vendor;
	boot_cpu_data.x86 = oracle.family;
	boot_cpu_data.x86_model = oracle.model;
	boot_cpu_data.x86_stepping = oracle.stepping;
	boot_cpu_data.x86_vfm = oracle.vendor << 16 | oracle.family << 8 | oracle.model;
	boot_cpu_data.cpuid_level = oracle.cpuid_level;
	acpi_gbl_FADT.flags = oracle.fadt_flags;
	acpi_gbl_FADT.c2_latency = oracle.c2_latency;
	acpi_gbl_FADT.c3_latency = oracle.c3_latency;
	acpi_gbl_FADT.cst_control = oracle.cst_control;
	errata.piix4.fdma = oracle.fdma;
	osc_pc_lpi_support_confirmed = oracle.osc_lpi;
	psci_ops.cpu_suspend = oracle.suspends ? suspend : NULL;
	processors = calloc(1, sizeof(*processors));
	processors->handle = (acpi_handle)1;
	processors->pblk = oracle.pblk;
	processors->flags.bm_control = oracle.bm_control;
	if (oracle.strict) {
		strictly();
		return;
	}
	if (oracle_arch_init)
		oracle_arch_init();
	/* as drivers/acpi/processor_driver.c */
#ifdef TREE_REGISTERS
	acpi_processor_register_idle_driver();
#endif
	found = cpuidle_get_driver();
	if (!found || found == &acpi_idle_driver)
		acpi_processor_power_init(processors);
	printf("registered %d %d %d\n", driver != NULL, has_device, acpi_idle_driver.state_count);
	for (int i = 0; i < acpi_idle_driver.state_count && i < CPUIDLE_STATE_MAX; i++) {
		struct cpuidle_state *state = &acpi_idle_driver.states[i];

		printf("state ");
		hex(state->name);
		putchar(' ');
		hex(state->desc);
		printf(" %u %u %u %d", state->exit_latency, state->target_residency, state->flags,
		       state->enter_s2idle != NULL);
		printf("\n");
	}
}

int main(void)
{
	return each_line(run);
}
