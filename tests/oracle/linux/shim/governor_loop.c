/*
 * The idle loop: reads CPUs and their rows, has the governor decide each row, and tells it what
 * became of its decision as cpuidle does. Input: per CPU a header, its states, its rows (below).
 * Output: per row two bytes, the state (255: none) and whether the tick is to be stopped.
 */
#include "governor_input.h"

struct header {
	u32 states, rows, cpu_capacity;
};

struct state {
	s64 exit_ns, residency_ns;
	u64 polling;
};

struct row {
	s64 sleep_length_ns, delta_next_ns;
	u64 clock_ns, reflect_clock_ns, residency_ns, load;
	s32 latency_req_us;
	u32 nr_iowaiters;
	u16 disabled; /* bit n: state n is switched off */
	u8 tick_stopped, rejected, got_tick, poll_time_limit;
	u16 cpu_util;
};
_Static_assert(sizeof(struct state) == 24 && sizeof(struct row) == 64, "as the Python side packs");

int oracle_governor_initcall(void);

extern char __start_oracle_percpu[], __stop_oracle_percpu[];

static struct cpuidle_governor *governor;
static struct cpuidle_driver driver;
static struct cpuidle_device device;
static struct row row;
static unsigned long cpu_capacity;
static u64 now_ns;

static void die(const char *what, unsigned long cpu, unsigned long row_number, long value)
{
	fprintf(stderr, "CPU %lu, row %lu: %s (%ld)\n", cpu, row_number, what, value);
	exit(1);
}

int cpuidle_register_governor(struct cpuidle_governor *registered)
{
	governor = registered;
	return 0;
}

int oracle_latency_limit_us(void)
{
	return row.latency_req_us;
}

#ifdef ORACLE_IN_NS
s64 cpuidle_governor_latency_req(unsigned int cpu)
{
	(void)cpu;
	return (s64)row.latency_req_us * NSEC_PER_USEC;
}
#else
int cpuidle_governor_latency_req(unsigned int cpu)
{
	(void)cpu;
	return row.latency_req_us;
}

int cpuidle_get_last_residency(struct cpuidle_device *asked)
{
	return asked->last_residency;
}
#endif

#ifdef ORACLE_STOP_TICK
ktime_t tick_nohz_get_sleep_length(ktime_t *delta_next)
{
	*delta_next = row.delta_next_ns;
	return row.sleep_length_ns;
}
#else
ktime_t tick_nohz_get_sleep_length(void)
{
	return row.sleep_length_ns;
}
#endif

unsigned long sched_cpu_util(int cpu)
{
	(void)cpu;
	return row.cpu_util;
}

unsigned long arch_scale_cpu_capacity(int cpu)
{
	(void)cpu;
	return cpu_capacity;
}

bool tick_nohz_tick_stopped(void)
{
	return row.tick_stopped;
}

/* True once per tick. */
bool tick_nohz_idle_got_tick(void)
{
	bool got = row.got_tick;

	row.got_tick = 0;
	return got;
}

u64 local_clock(void)
{
	return now_ns;
}

unsigned int nr_iowait_cpu(int cpu)
{
	(void)cpu;
	return row.nr_iowaiters;
}

void get_iowait_load(unsigned long *nr_waiters, unsigned long *load)
{
	*nr_waiters = row.nr_iowaiters;
	*load = row.load;
}

/* A CPU as it booted: nothing remembered, the governor just enabled. */
static void boot(const struct header *header, const char *percpu_image, unsigned long cpu)
{
	memcpy(__start_oracle_percpu, percpu_image,
	       (size_t)(__stop_oracle_percpu - __start_oracle_percpu));
	memset(&driver, 0, sizeof(driver));
	memset(&device, 0, sizeof(device));
	if (header->states == 0 || header->states > CPUIDLE_STATE_MAX)
		die("not that many states", cpu, 0, header->states);
	cpu_capacity = header->cpu_capacity;
	driver.state_count = (int)header->states;
	for (u32 i = 0; i < header->states; i++) {
		struct cpuidle_state *target = &driver.states[i];
		struct state state;

		take(&state, sizeof(state), false);
		target->flags = state.polling ? CPUIDLE_FLAG_POLLING : 0;
		set_times(target, state.exit_ns, state.residency_ns);
	}
	if (governor->enable && governor->enable(&driver, &device))
		die("the governor cannot be enabled", cpu, 0, 0);
}

static void set_last_residency(u64 residency_ns)
{
#ifdef ORACLE_IN_NS
	device.last_residency_ns = residency_ns;
#else
	u64 us = residency_ns / NSEC_PER_USEC;

	device.last_residency = us > INT_MAX ? INT_MAX : (int)us;
#endif
}

static int decide(bool *stop_tick)
{
	for (int i = 0; i < driver.state_count; i++)
		device.states_usage[i].disable = row.disabled >> i & 1;
	now_ns = row.clock_ns;
#ifdef ORACLE_STOP_TICK
	return governor->select(&driver, &device, stop_tick);
#else
	(void)stop_tick;
	return governor->select(&driver, &device);
#endif
}

/* Without a state the CPU idles without cpuidle, and the governor hears nothing of it. */
static void enter(int index)
{
	if (index < 0)
		return;
	if (row.rejected) {
		set_last_residency(0);
		return;
	}
#ifdef ORACLE_POLL_TIME_LIMIT
	if (driver.states[index].flags & CPUIDLE_FLAG_POLLING)
		device.poll_time_limit = row.poll_time_limit;
#endif
	set_last_residency(row.residency_ns);
	now_ns = row.reflect_clock_ns;
	if (governor->reflect)
		governor->reflect(&device, index);
}

int main(void)
{
	size_t percpu_size = (size_t)(__stop_oracle_percpu - __start_oracle_percpu);
	char *percpu_image = malloc(percpu_size);
	struct header header;

	if (oracle_governor_initcall() || !governor || !percpu_image)
		die("no governor was registered", 0, 0, 0);
	memcpy(percpu_image, __start_oracle_percpu, percpu_size);
	for (unsigned long cpu = 0; take(&header, sizeof(header), true); cpu++) {
		boot(&header, percpu_image, cpu);
		for (u32 i = 0; i < header.rows; i++) {
			bool stop_tick = true;
			int index;

			take(&row, sizeof(row), false);
			index = decide(&stop_tick);
			if (index < -1 || index >= CPUIDLE_STATE_MAX)
				die("the governor selects a state beyond any table", cpu, i, index);
			putchar_unlocked(index);
			putchar_unlocked(stop_tick);
			enter(index);
		}
	}
	return fflush(stdout) ? 1 : 0;
}
