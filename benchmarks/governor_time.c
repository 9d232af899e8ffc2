/*
 * Times a kernel's own governor over rows in memory. Governor and what answers it are one unit, so
 * that the compiler may inline the answers. Prints the seconds of each pass, passed and of CPU time,
 * and writes the decisions of the last one.
 *
 *     program ROWS DECISIONS STATES PASSES
 *
 * STATES: u64 triples exit_ns, residency_ns, polling. Macros: GOVERNOR_SOURCE, GOVERNOR_SELECT,
 * GOVERNOR_REFLECT, HZ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gov_kernel.h"

#include GOVERNOR_SOURCE

struct state {
	u64 exit_ns, residency_ns, polling;
};

struct row {
	s64 sleep_length_ns, delta_next_ns;
	u64 clock_ns, reflect_clock_ns, residency_ns, load;
	u32 latency_req_us, nr_iowaiters;
	u16 disabled;
	u8 tick_stopped, rejected, got_tick, poll_time_limit, entered, recorded;
	u32 cpu_util, cpu_capacity;
};
_Static_assert(sizeof(struct row) == 72, "as the core packs");

extern char __start_gov_percpu[] __attribute__((weak));
extern char __stop_gov_percpu[] __attribute__((weak));

static struct cpuidle_governor *governor;
static struct cpuidle_driver driver;
static struct cpuidle_device device;
static const struct row *row;
static u64 now_ns;
static bool got_tick;

int cpuidle_register_governor(struct cpuidle_governor *registered)
{
	governor = registered;
	return 0;
}

s64 cpuidle_governor_latency_req(unsigned int cpu)
{
	(void)cpu;
	return (s64)row->latency_req_us * NSEC_PER_USEC;
}

ktime_t tick_nohz_get_sleep_length(ktime_t *delta_next)
{
	*delta_next = row->delta_next_ns;
	return row->sleep_length_ns;
}

bool tick_nohz_tick_stopped(void)
{
	return row->tick_stopped;
}

bool tick_nohz_idle_got_tick(void)
{
	bool got = got_tick;

	got_tick = false;
	return got;
}

u64 local_clock(void)
{
	return now_ns;
}

unsigned int nr_iowait_cpu(int cpu)
{
	(void)cpu;
	return row->nr_iowaiters;
}

static void *contents(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *data;

	if (!file || fseek(file, 0, SEEK_END))
		exit(2);
	*size = (size_t)ftell(file);
	rewind(file);
	data = malloc(*size);
	if (!data || fread(data, 1, *size, file) != *size)
		exit(2);
	fclose(file);
	return data;
}

static void boot(const struct state *states, size_t count, const char *image, size_t size)
{
	memcpy(__start_gov_percpu, image, size);
	memset(&driver, 0, sizeof(driver));
	memset(&device, 0, sizeof(device));
	driver.state_count = (int)count;
	for (size_t i = 0; i < count; i++) {
		driver.states[i].flags = states[i].polling ? CPUIDLE_FLAG_POLLING : 0;
		driver.states[i].exit_latency_ns = (s64)states[i].exit_ns;
		driver.states[i].target_residency_ns = (s64)states[i].residency_ns;
		driver.states[i].exit_latency = (unsigned int)(states[i].exit_ns / 1000);
		driver.states[i].target_residency = (unsigned int)(states[i].residency_ns / 1000);
	}
	if (governor->enable && governor->enable(&driver, &device))
		exit(2);
}

static void pass(const struct row *rows, size_t count, u8 *decisions)
{
	u32 disabled = 0;

	for (size_t n = 0; n < count; n++) {
		bool stop_tick = true;
		int index;

		row = &rows[n];
		if (row->disabled != disabled) {
			disabled = row->disabled;
			for (int i = 0; i < driver.state_count; i++)
				device.states_usage[i].disable = disabled >> i & 1;
		}
		now_ns = row->clock_ns;
		index = GOVERNOR_SELECT(&driver, &device, &stop_tick);
		decisions[2 * n] = (u8)index;
		decisions[2 * n + 1] = stop_tick;
		if (row->rejected) {
			device.last_residency_ns = 0;
			continue;
		}
		if (driver.states[index].flags & CPUIDLE_FLAG_POLLING)
			device.poll_time_limit = row->poll_time_limit;
		device.last_residency_ns = row->residency_ns;
		got_tick = row->got_tick;
		now_ns = row->reflect_clock_ns;
		GOVERNOR_REFLECT(&device, index);
	}
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	size_t percpu = (size_t)(__stop_gov_percpu - __start_gov_percpu), size, table;
	char *image = malloc(percpu + 1);
	const struct state *states;
	const struct row *rows;
	u8 *decisions;
	FILE *out;

	if (argc != 5 || !image || gov_initcall() || !governor)
		return 2;
	memcpy(image, __start_gov_percpu, percpu);
	rows = contents(argv[1], &size);
	size /= sizeof(*rows);
	states = contents(argv[3], &table);
	decisions = malloc(2 * size + 1);
	if (!decisions)
		return 2;
	memset(decisions, 1, 2 * size);
	for (int i = atoi(argv[4]); i > 0; i--) {
		double wall, cpu;

		boot(states, table / sizeof(*states), image, percpu);
		wall = seconds(CLOCK_MONOTONIC);
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		pass(rows, size, decisions);
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		printf("%.9f %.9f\n", seconds(CLOCK_MONOTONIC) - wall, cpu);
	}
	out = fopen(argv[2], "wb");
	return !out || fwrite(decisions, 2, size, out) != size || fclose(out);
}
