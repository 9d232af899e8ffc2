/* Runs cases through genpd's code, which SOURCE names. A case is numbers, separated by space:
 *
 *   domains, then of each: parent or -1, flags (1 always on, 2 on at run time), governed, CPUs as
 *     mask, states, of each entry, exit and residency in us (-1: no property), devices, of each the
 *     constraint in ns
 *   events, then of each: kind, domain, and
 *     0 power off: one device on, moment    1 power on    2 suspend: moment
 *     3 a device's constraint: device, ns   4 devices in use: how many
 *   a moment is: now, limit, wakeup limit in us, pending, offline as masks, and of each CPU whether
 *     it has a timer, when that expires, and its own limit in us
 *
 * Each event prints a line: of every domain on, state, longest time off and whether it changed. */
#include "genpd.h"

static ktime_t now;
static s64 latency_limit, wakeup_limit;
static unsigned int pending;
struct cpuidle_device *cpuidle_devices[MAX_CPUS];
static struct cpuidle_device timers[MAX_CPUS];
struct device cpu_devices[MAX_CPUS];
unsigned int cpu_online_mask;

ktime_t ktime_get(void) { return now; }
s64 cpu_latency_qos_limit(void) { return latency_limit; }
s64 cpu_wakeup_latency_qos_limit(void) { return wakeup_limit; }
bool cpus_peek_for_pending_ipi(unsigned int cpus) { return cpus & pending; }

int of_property_read_u32(const struct device_node *node, const char *name, u32 *value)
{
	s64 found = !strcmp(name, "entry-latency-us") ? node->entry
		  : !strcmp(name, "exit-latency-us") ? node->leave : node->residency;

	if (found < 0)
		return -EINVAL;
	*value = (u32)found;
	return 0;
}

#include SOURCE

static struct dev_power_governor governor = {
	.power_down_ok = cpu_power_down_ok,
#ifdef HAS_SYSTEM
	.system_power_down_ok = cpu_system_power_down_ok,
#endif
};
static struct generic_pm_domain domains[MAX_DOMAINS];
static struct genpd_governor_data data[MAX_DOMAINS];
static struct genpd_power_state states[MAX_DOMAINS][MAX_STATES];
static struct gpd_link links[MAX_DOMAINS];
static struct generic_pm_domain_data attached[MAX_DOMAINS][MAX_DEVICES];
static struct gpd_timing_data timing[MAX_DOMAINS][MAX_DEVICES];
static struct device devices[MAX_DOMAINS][MAX_DEVICES];

#ifdef GOVERNOR_DATA
#define KEPT(genpd) ((genpd)->gd)
#define TIMING(device) ((device)->td)
#else
#define KEPT(genpd) (genpd)
#define TIMING(device) (&(device)->td)
#endif

static s64 number(void)
{
	long long value;

	if (scanf("%lld", &value) != 1)
		exit(2);
	return value;
}

static int does_nothing(struct generic_pm_domain *genpd)
{
	(void)genpd;
	return 0;
}

static void empty(struct list_head *list) { list->next = list->prev = list; }

static void append(struct list_head *list, struct list_head *entry)
{
	entry->prev = list->prev;
	entry->next = list;
	list->prev->next = entry;
	list->prev = entry;
}

static void set_up(int index)
{
	struct generic_pm_domain *genpd = &domains[index];
	s64 parent = number(), flags = number();
	bool governed = number();

	memset(genpd, 0, sizeof(*genpd));
	memset(states[index], 0, sizeof(states[index]));
	empty(&genpd->parent_links);
	empty(&genpd->child_links);
	empty(&genpd->dev_list);
	genpd->power_off = does_nothing;
	genpd->flags = GENPD_FLAG_CPU_DOMAIN | (flags & 1 ? GENPD_FLAG_ALWAYS_ON : 0) |
		       (flags & 2 ? GENPD_FLAG_RPM_ALWAYS_ON : 0);
	genpd->gov = governed ? &governor : NULL;
	genpd->gd = governed ? &data[index] : NULL;
	memset(&data[index], 0, sizeof(data[index]));
	data[index].max_off_time_ns = genpd->max_off_time_ns = -1;
	data[index].max_off_time_changed = genpd->max_off_time_changed = true;
	data[index].next_wakeup = genpd->next_wakeup = KTIME_MAX;
	genpd->cpus = number();
	genpd->states = states[index];
	genpd->state_count = number();
	for (unsigned int i = 0; i < genpd->state_count; i++) {
		struct device_node node = { .entry = number(), .leave = number() };

		node.residency = number();
		if (genpd_parse_state(&states[index][i], &node))
			exit(3);
	}
	if (genpd->state_count == 0)
		genpd->state_count = 1;
	genpd->device_count = genpd->suspended_count = number();
	for (unsigned int i = 0; i < genpd->device_count; i++) {
		struct generic_pm_domain_data *one = &attached[index][i];

#ifdef GOVERNOR_DATA
		one->td = &timing[index][i];
#endif
		TIMING(one)->effective_constraint_ns = number();
		one->base.dev = &devices[index][i];
		devices[index][i].suspended = true;
		append(&genpd->dev_list, &one->base.list_node);
	}
	if (parent >= 0) {
		struct gpd_link *link = &links[index];

		link->parent = &domains[parent];
		link->child = genpd;
		append(&link->parent->parent_links, &link->parent_node);
		append(&genpd->child_links, &link->child_node);
		link->parent->sd_count++;
	}
}

static void read_moment(void)
{
	now = number();
	latency_limit = number();
	wakeup_limit = number();
	pending = number();
	cpu_online_mask = ~number();
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		cpuidle_devices[cpu] = number() ? &timers[cpu] : NULL;
		timers[cpu].next_hrtimer = number();
		cpu_devices[cpu].raw_latency = number();
	}
}

static void happen(void)
{
	s64 kind = number();
	int index = number();
	struct generic_pm_domain *genpd = &domains[index];
	s64 first = kind == 1 || kind == 2 ? 0 : number();

	if (kind == 0 || kind == 2)
		read_moment();
	switch (kind) {
	case 0:
		genpd_power_off(genpd, first, 0);
		break;
	case 1:
		genpd_power_on(genpd, 0);
		break;
	case 2:
		genpd_sync_power_off(genpd, false, 0);
		break;
	case 3:
		TIMING(&attached[index][first])->effective_constraint_ns = number();
		if (KEPT(genpd))
			KEPT(genpd)->max_off_time_changed = true;
		break;
	default:
		for (unsigned int i = 0; i < genpd->device_count; i++)
			devices[index][i].suspended = i >= first;
		genpd->suspended_count = genpd->device_count - first;
	}
}

int main(void)
{
	int count;

	while (scanf("%d", &count) == 1) {
		for (int i = 0; i < count; i++)
			set_up(i);
		for (s64 events = number(); events > 0; events--) {
			happen();
			for (int i = 0; i < count; i++) {
				struct generic_pm_domain *genpd = &domains[i];

				printf("%d %u %lld %d ", genpd->status == GENPD_STATE_ON,
				       genpd->state_idx,
				       genpd->gov ? (long long)KEPT(genpd)->max_off_time_ns : -1LL,
				       genpd->gov ? KEPT(genpd)->max_off_time_changed : 1);
			}
			putchar('\n');
		}
	}
	return 0;
}
