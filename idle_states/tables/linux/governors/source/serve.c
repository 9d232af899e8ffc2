/*
 * Serves one governor over a pipe. Each request is an operation and its operands; each reply has a
 * size known beforehand. CPUs are kept apart: each has its own memory, as it booted or as it was
 * copied.
 *
 *   BOOT    u32 cpu, u32 capacity, u32 states, states        a CPU as it booted
 *   COPY    u32 from, u32 to                                 one CPU's memory becomes another's
 *   BEFORE  u32 cpu, s32 state, u64 residency_ns             idle before the governor was enabled
 *   SELECT  u32 cpu, row                -> 2 bytes           a decision; nothing is entered yet
 *   FINISH  u32 cpu, row                                     what became of it
 *   ROWS    u32 cpu, u32 rows, rows     -> 2 bytes a row     decisions of rows, each entered
 *   SETTLE  u32 cpu, fixed, u32 before, u32 lengths, rows, lengths -> OBSERVED bytes a length
 *   MEMORY  u32 cpu                     -> u32 size, and as many bytes
 *   LIMIT   u32 cpu                     -> u64, for how long state 0 polls next
 *
 * A decision is the number of the state (255: none) and whether the tick is to be stopped.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gov_kernel.h"

enum { BOOT = 1, COPY, BEFORE, SELECT, FINISH, ROWS, SETTLE, MEMORY, LIMIT };
enum { NONE = 255, AS_SELECTED = 255, ANY = 254, SETTLING = 256, OBSERVED = 64, MOST_CPUS = 1 << 16 };

struct state {
	u64 exit_ns, residency_ns, polling;
};

struct row {
	s64 sleep_length_ns, delta_next_ns;
	u64 clock_ns, reflect_clock_ns, residency_ns, load;
	u32 latency_req_us, nr_iowaiters;
	u16 disabled; /* bit n: state n is switched off */
	u8 tick_stopped, rejected, got_tick, poll_time_limit, entered, recorded;
	u32 cpu_util, cpu_capacity;
};
_Static_assert(sizeof(struct state) == 24 && sizeof(struct row) == 72, "as the other side packs");

struct fixed {
	u64 tick_stopped, timer_driven, limit_us, wake_ns, disabled;
};

int gov_initcall(void);

extern char __start_gov_percpu[], __stop_gov_percpu[];

static struct cpuidle_governor *governor;
static struct cpuidle_driver driver;
static struct cpuidle_device device;
static struct row row;
static u64 now_ns;

struct cpu {
	struct cpuidle_driver driver;
	struct cpuidle_device device;
	u32 capacity;
	char memory[];
};
static struct cpu **cpus;
static u32 cpu_count, current = MOST_CPUS;
static size_t memory_size;

static void die(const char *what, long value)
{
	fprintf(stderr, "%s (%ld)\n", what, value);
	exit(3);
}

int cpuidle_register_governor(struct cpuidle_governor *registered)
{
	governor = registered;
	return 0;
}

int pm_qos_request(int class)
{
	(void)class;
	return (int)row.latency_req_us;
}

#ifdef GOV_IN_NS
s64 cpuidle_governor_latency_req(unsigned int cpu)
{
	(void)cpu;
	return (s64)row.latency_req_us * NSEC_PER_USEC;
}
#else
int cpuidle_governor_latency_req(unsigned int cpu)
{
	(void)cpu;
	return (int)row.latency_req_us;
}
#endif

#ifdef GOV_DELTA_NEXT
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
	return row.cpu_capacity;
}

bool tick_nohz_tick_stopped(void)
{
	return row.tick_stopped;
}

/* True once for each tick. */
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

static void take(void *target, size_t size)
{
	if (size && fread(target, size, 1, stdin) != 1) {
		if (feof(stdin))
			exit(0);
		die("a request could not be read", (long)size);
	}
}

static u32 taken(void)
{
	u32 value;

	take(&value, sizeof(value));
	return value;
}

static void give(const void *from, size_t size)
{
	if (size && fwrite(from, size, 1, stdout) != 1)
		die("a reply could not be written", (long)size);
}

static void keep(void)
{
	if (current == MOST_CPUS)
		return;
	memcpy(cpus[current]->memory, __start_gov_percpu, memory_size);
	cpus[current]->driver = driver;
	cpus[current]->device = device;
}

static struct cpu *known(u32 cpu)
{
	if (cpu >= cpu_count || !cpus[cpu])
		die("no such CPU", cpu);
	return cpus[cpu];
}

static u32 use(u32 cpu)
{
	if (cpu != current) {
		known(cpu);
		keep();
		memcpy(__start_gov_percpu, cpus[cpu]->memory, memory_size);
		driver = cpus[cpu]->driver;
		device = cpus[cpu]->device;
		current = cpu;
	}
	return cpu;
}

static struct cpu *room(u32 cpu)
{
	if (cpu >= MOST_CPUS)
		die("too many CPUs", cpu);
	if (cpu >= cpu_count) {
		cpus = realloc(cpus, (cpu + 1) * sizeof(*cpus));
		if (!cpus)
			die("no memory for CPUs", cpu);
		memset(cpus + cpu_count, 0, (cpu + 1 - cpu_count) * sizeof(*cpus));
		cpu_count = cpu + 1;
	}
	if (!cpus[cpu]) {
		cpus[cpu] = calloc(1, sizeof(struct cpu) + memory_size);
		if (!cpus[cpu])
			die("no memory for a CPU", cpu);
	}
	return cpus[cpu];
}

static void set_last_residency(u64 residency_ns)
{
	u64 us = residency_ns / NSEC_PER_USEC;

	device.last_residency_ns = residency_ns;
	device.last_residency = us > INT_MAX ? INT_MAX : (int)us;
}

/* A CPU as it booted: nothing remembered, the governor just enabled. */
static void boot(const char *at_boot)
{
	u32 cpu = taken(), capacity = taken(), states = taken();

	if (states < 1 || states > CPUIDLE_STATE_MAX)
		die("not that many states", states);
	room(cpu)->capacity = capacity;
	keep();
	current = cpu;
	memcpy(__start_gov_percpu, at_boot, memory_size);
	memset(&driver, 0, sizeof(driver));
	memset(&device, 0, sizeof(device));
	memset(&row, 0, sizeof(row));
	row.cpu_capacity = capacity;
	driver.state_count = (int)states;
	for (u32 i = 0; i < states; i++) {
		struct cpuidle_state *target = &driver.states[i];
		struct state given;

		take(&given, sizeof(given));
		target->flags = given.polling ? CPUIDLE_FLAG_POLLING : CPUIDLE_FLAG_NONE;
		target->exit_latency = (unsigned int)(given.exit_ns / NSEC_PER_USEC);
		target->target_residency = (unsigned int)(given.residency_ns / NSEC_PER_USEC);
		target->exit_latency_ns = (gov_time_ns)given.exit_ns;
		target->target_residency_ns = (gov_time_ns)given.residency_ns;
	}
	device.registered = device.enabled = 1;
	if (governor->enable && governor->enable(&driver, &device))
		die("the governor refuses to be enabled", cpu);
}

static int decide(bool *stop_tick)
{
	int state;

	*stop_tick = true;
	for (int i = 0; i < driver.state_count; i++)
		device.states_usage[i].disable = row.disabled >> i & 1;
	now_ns = row.clock_ns;
#ifdef GOV_STOP_TICK
	state = governor->select(&driver, &device, stop_tick);
#else
	state = governor->select(&driver, &device);
#endif
	/* ladder selects state 1 of a table with a polling state alone, as kernels' own does */
	if (state < -1 || state >= CPUIDLE_STATE_MAX ||
	    (state >= driver.state_count && driver.state_count > 1))
		die("it selects a state that the table does not have", state);
	return state;
}

/* Without a state the CPU idles without cpuidle, and the governor hears nothing of it. */
static void enter(int state)
{
	if (state < 0)
		return;
	if (row.rejected) {
		set_last_residency(0);
		return;
	}
	if (driver.states[state].flags & CPUIDLE_FLAG_POLLING)
		device.poll_time_limit = row.poll_time_limit;
	set_last_residency(row.residency_ns);
	now_ns = row.reflect_clock_ns;
	if (governor->reflect)
		governor->reflect(&device, state);
}

static void enter_as_row_says(int selected)
{
	int state = row.entered;

	if (row.entered == AS_SELECTED) {
		state = selected;
		if (row.recorded != ANY)
			row.poll_time_limit = row.poll_time_limit && row.recorded == selected;
	}
	enter(state);
}

static void reply(int state, bool stop_tick)
{
	unsigned char decision[2] = { state < 0 ? NONE : (unsigned char)state, stop_tick };

	give(decision, sizeof(decision));
}

static void rows(void)
{
	use(taken());
	for (u32 left = taken(); left; left--) {
		bool stop_tick;
		int state;

		take(&row, sizeof(row));
		state = decide(&stop_tick);
		reply(state, stop_tick);
		enter_as_row_says(state);
	}
}

/* The state that each of the last OBSERVED equal idle periods selects; the CPU stays as it was. */
static void settle(void)
{
	u32 cpu = use(taken()), before, lengths;
	struct fixed fixed;
	struct row *history;
	static char kept[1 << 20];
	struct cpuidle_device device_kept;

	take(&fixed, sizeof(fixed));
	before = taken();
	lengths = taken();
	history = calloc(before + 1, sizeof(*history));
	if (!history || memory_size > sizeof(kept))
		die("no memory for a history", before);
	take(history, before * sizeof(*history));
	memcpy(kept, __start_gov_percpu, memory_size);
	device_kept = device;
	for (u32 i = 0; i < lengths; i++) {
		unsigned char selected[OBSERVED];
		u64 length[2], sleep_ns, cut;
		struct row usual = { .latency_req_us = (u32)fixed.limit_us };

		take(length, sizeof(length));
		memcpy(__start_gov_percpu, kept, memory_size);
		device = device_kept;
		sleep_ns = fixed.timer_driven ? length[0] : length[1];
		cut = !fixed.tick_stopped && length[0] > TICK_NSEC ? TICK_NSEC : 0;
		usual.sleep_length_ns = (s64)sleep_ns;
		usual.delta_next_ns = !fixed.tick_stopped && sleep_ns > TICK_NSEC ? TICK_NSEC
										   : (s64)sleep_ns;
		usual.tick_stopped = fixed.tick_stopped != 0;
		usual.disabled = (u16)fixed.disabled;
		usual.cpu_capacity = cpus[cpu]->capacity;
		for (u32 j = 0; j < before + SETTLING + OBSERVED; j++) {
			bool stop_tick, polls;
			int state;

			row = usual;
			state = decide(&stop_tick);
			if (j < before) {
				u8 entered = history[j].entered;

				row = history[j];
				enter(entered);
				continue;
			}
			polls = state >= 0 && state < driver.state_count &&
				driver.states[state].flags & CPUIDLE_FLAG_POLLING;
			row.got_tick = cut && !stop_tick;
			row.residency_ns = (row.got_tick ? cut : length[0]) + (polls ? 0 : fixed.wake_ns);
			row.reflect_clock_ns = row.residency_ns;
			enter(state);
			if (j >= before + SETTLING)
				selected[j - before - SETTLING] = state < 0 ? NONE : (unsigned char)state;
		}
		give(selected, sizeof(selected));
	}
	memcpy(__start_gov_percpu, kept, memory_size);
	device = device_kept;
	free(history);
}

static void copy(void)
{
	u32 from = use(taken()), to = taken();
	struct cpu *target = room(to);

	keep();
	memcpy(target, cpus[from], sizeof(struct cpu) + memory_size);
	if (to == current)
		current = MOST_CPUS;
}

static void idle_before(void)
{
	struct {
		s32 state;
		u64 residency_ns;
	} __attribute__((packed)) earlier;

	use(taken());
	take(&earlier, sizeof(earlier));
	device.last_state_idx = earlier.state;
	set_last_residency(earlier.residency_ns);
}

static void one(bool selects)
{
	bool stop_tick = true;
	struct row given;

	use(taken());
	take(&given, sizeof(given));
	row = given;
	if (selects) {
		int state = decide(&stop_tick);

		reply(state, stop_tick);
	} else {
		enter(row.entered);
	}
}

static void remembered(void)
{
	u32 size = (u32)(memory_size + sizeof(device));

	use(taken());
	give(&size, sizeof(size));
	give(__start_gov_percpu, memory_size);
	give(&device, sizeof(device));
}

int main(void)
{
	char *at_boot;

	memory_size = (size_t)(__stop_gov_percpu - __start_gov_percpu);
	at_boot = malloc(memory_size);
	if (!at_boot || gov_initcall() || !governor || !governor->select)
		die("no governor is registered", 0);
	memcpy(at_boot, __start_gov_percpu, memory_size);
	for (;;) {
		u8 operation;

		if (fflush(stdout))
			die("a reply could not be written", 0);
		take(&operation, sizeof(operation));
		switch (operation) {
		case BOOT:
			boot(at_boot);
			break;
		case COPY:
			copy();
			break;
		case BEFORE:
			idle_before();
			break;
		case SELECT:
		case FINISH:
			one(operation == SELECT);
			break;
		case ROWS:
			rows();
			break;
		case SETTLE:
			settle();
			break;
		case MEMORY:
			remembered();
			break;
		case LIMIT:
			use(taken());
			give(&device.poll_limit_ns, sizeof(device.poll_limit_ns));
			break;
		default:
			die("no such operation", operation);
		}
	}
}
