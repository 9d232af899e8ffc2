/*
 * Reads CPUs and their rows, one for each idle period, has the kernel's idle loop run through them,
 * and writes what it does: pairs of a letter and a number. Input: per CPU a header, its states, its
 * rows (below). Output: per CPU the number of pairs, and the pairs.
 */
#include <setjmp.h>

#include "governor_input.h"
#include "idle_loop.h"

struct header {
	u32 states, rows;
};

struct state {
	s64 exit_ns, residency_ns;
	u32 timer_stop, s2idle, polls, padding;
};

enum {
	STOP_TICK = 1, /* the governor's wish */
	TICK = 2, /* the tick came during the idle period */
	TICK_STAYS = 4, /* it cannot be stopped, for it is due */
	FORCED = 8, /* polling, by idle=poll */
	EXPIRED = 16, /* polling, by a broadcast tick */
	UNAVAILABLE = 32, /* no cpuidle */
	SUSPENDS = 64,
	NO_BROADCAST = 128,
	ASKS_TICK = 256, /* the governor's reflect() asks for the tick */
	NO_REFLECT = 512, /* the governor has no reflect() */
};

struct row {
	s64 idle_ns, forced_ns;
	s32 selects, enters; /* enters: NONE for the state it was told to */
	s32 limit_us, resume_us, wakeup_us;
	u32 resched_at; /* how many times need_resched() is false */
	u16 disabled, flags;
	u32 padding;
};
_Static_assert(sizeof(struct state) == 32 && sizeof(struct row) == 48, "as the Python side packs");
#define NONE INT_MIN
#define RELAX_NS 100
#define MOST_POLLED_NS 20000000

struct cpuidle_device oracle_device;
struct cpuidle_driver oracle_driver;
struct cpuidle_governor *cpuidle_curr_governor;
int oracle_force_poll, off, initialized;

static struct cpuidle_governor governor;
static struct row *rows, row;
static u32 count, next;
static u64 now_ns;
static bool tick_stopped, resched, expired, tick, polls;
static u64 wakes_ns;
static u32 asked;
static jmp_buf scheduled, finished;
static s64 *pairs;
static size_t written, room;

static void die(const char *what, long value)
{
	fprintf(stderr, "%s (%ld)\n", what, value);
	exit(1);
}

static void emit(char kind, s64 value)
{
	if (written + 2 > room) {
		room = room ? 2 * room : 4096;
		pairs = realloc(pairs, room * sizeof(*pairs));
		if (!pairs)
			die("no memory", 0);
	}
	pairs[written++] = kind;
	pairs[written++] = value;
}

static void reflects(struct cpuidle_device *device, int index);

static void load(void)
{
	if (next == count)
		longjmp(finished, 1);
	row = rows[next++];
	asked = 0;
	oracle_force_poll = !!(row.flags & FORCED);
	expired = row.flags & EXPIRED;
	initialized = !(row.flags & UNAVAILABLE);
	governor.reflect = row.flags & NO_REFLECT ? NULL : reflects;
	for (int i = 0; i < oracle_driver.state_count; i++)
		oracle_device.states_usage[i].disable = row.disabled >> i & 1;
#if defined(ORACLE_FORCED_NS)
	oracle_kept(oracle_device).forced_idle_latency_limit_ns = (u64)row.forced_ns;
#elif defined(ORACLE_FORCED)
	oracle_device.use_deepest_state = row.forced_ns != 0;
#endif
}

/* The scheduler. */

bool oracle_need_resched(void)
{
	if (polls)
		resched = now_ns >= wakes_ns;
	resched = resched || asked++ >= row.resched_at;
	return resched;
}

void oracle_schedule(void)
{
	longjmp(scheduled, 1);
}

/* While poll_idle() polls, time alone makes a task runnable. */
bool oracle_polls(void)
{
	tick = tick || row.flags & TICK;
	if (oracle_need_resched())
		return true;
	asked = 0;
	row.resched_at = UINT_MAX;
	wakes_ns = now_ns + (u64)row.idle_ns % MOST_POLLED_NS;
	polls = true;
	return false;
}

void oracle_polled(void)
{
	polls = false;
#ifdef ORACLE_POLL_TIME_LIMIT
	emit('p', oracle_device.poll_time_limit);
#endif
}

bool tick_check_broadcast_expired(void)
{
	return expired;
}

void cpu_relax(void)
{
	now_ns += polls ? RELAX_NS : 0;
	if (polls)
		return;
	emit('x', 0);
	oracle_force_poll = 0;
	expired = false;
}

void arch_cpu_idle_exit(void)
{
	emit('.', 0);
	load();
}

void arch_cpu_idle(void)
{
	emit('d', 0);
	tick = tick || row.flags & TICK;
}

/* The tick. */

bool tick_nohz_tick_stopped(void)
{
	return tick_stopped;
}

bool tick_nohz_idle_got_tick(void)
{
	bool got = tick;

	tick = false;
	return got;
}

void tick_nohz_idle_stop_tick(void)
{
	emit('t', 1);
	tick_stopped = !(row.flags & TICK_STAYS) || tick_stopped;
}

void tick_nohz_idle_retain_tick(void)
{
	emit('t', 0);
}

void tick_nohz_idle_restart_tick(void)
{
	emit('t', 2);
	tick_stopped = false;
}

void tick_nohz_idle_exit(void)
{
	tick_stopped = false;
}

int tick_broadcast_enter(void)
{
	return row.flags & NO_BROADCAST ? -EBUSY : 0;
}

u64 local_clock(void)
{
	return now_ns;
}

/* Limits. */

int oracle_latency_limit_us(void)
{
	return row.limit_us;
}

int oracle_resume_latency_us(void)
{
	return row.resume_us;
}

int cpu_wakeup_latency_qos_limit(void)
{
	return row.wakeup_us;
}

/* The governor and the driver. */

#ifdef GOV_STOP_TICK
static int selects(struct cpuidle_driver *driver, struct cpuidle_device *device, bool *stop_tick)
{
	(void)driver, (void)device;
	*stop_tick = row.flags & STOP_TICK;
#else
static int selects(struct cpuidle_driver *driver, struct cpuidle_device *device)
{
	(void)driver, (void)device;
#endif
#ifdef ORACLE_LATENCY_REQ
	emit('l', cpuidle_governor_latency_req(0));
#endif
	emit('s', row.selects);
	return row.selects;
}

static void reflects(struct cpuidle_device *device, int index)
{
	(void)device;
	emit('r', index);
	if (row.flags & ASKS_TICK)
		emit('g', tick_nohz_idle_got_tick());
}

static int enters(struct cpuidle_device *device, struct cpuidle_driver *driver, int index)
{
	(void)device, (void)driver;
	emit('e', index);
	now_ns += (u64)row.idle_ns;
	tick = tick || row.flags & TICK;
	return row.enters == NONE ? index : row.enters;
}

static int suspends(struct cpuidle_device *device, struct cpuidle_driver *driver, int index)
{
	(void)device, (void)driver;
	emit('z', index);
	return index;
}

bool oracle_suspends(void)
{
	return row.flags & SUSPENDS;
}

static void boot(const struct header *header)
{
	memset(&oracle_driver, 0, sizeof(oracle_driver));
	memset(&oracle_device, 0, sizeof(oracle_device));
	oracle_device.enabled = 1;
	tick_stopped = resched = tick = polls = false;
	now_ns = 0;
	next = 0;
	written = 0;
	count = header->rows;
	if (header->states == 0 || header->states > CPUIDLE_STATE_MAX)
		die("not that many states", header->states);
	oracle_driver.state_count = (int)header->states;
	for (u32 i = 0; i < header->states; i++) {
		struct cpuidle_state *target = &oracle_driver.states[i];
		struct state state;

		take(&state, sizeof(state), false);
		target->flags = state.timer_stop ? CPUIDLE_FLAG_TIMER_STOP : 0;
		set_times(target, state.exit_ns, state.residency_ns);
		target->enter = state.polls ? oracle_poll_idle : enters;
		if (state.s2idle)
			target->ORACLE_S2IDLE = (void *)suspends;
	}
	rows = realloc(rows, (count + 1) * sizeof(*rows));
	if (!rows)
		die("no memory", count);
	for (u32 i = 0; i < count; i++)
		take(&rows[i], sizeof(*rows), false);
}

/* What sysfs shows of each state, and what a governor knows of the last idle period. */
static void results(void)
{
	for (int i = 0; i < oracle_driver.state_count; i++) {
		struct cpuidle_state_usage *usage = &oracle_device.states_usage[i];

		emit('u', (s64)usage->usage);
#ifdef GOV_IN_NS
		emit('n', (s64)(usage->time_ns / NSEC_PER_USEC));
#else
		emit('n', (s64)usage->time);
#endif
#ifdef ORACLE_JUDGED
		emit('a', (s64)oracle_judged(oracle_device, i).above);
		emit('b', (s64)oracle_judged(oracle_device, i).below);
#endif
#ifdef ORACLE_REJECTED
		emit('j', (s64)oracle_judged(oracle_device, i).rejected);
#endif
	}
#ifdef GOV_IN_NS
	emit('i', (s64)oracle_kept(oracle_device).last_residency_ns);
#else
	emit('i', (s64)oracle_device.last_residency * NSEC_PER_USEC);
#endif
}

int main(void)
{
	struct header header;

	governor.select = selects;
	while (take(&header, sizeof(header), true)) {
		s64 total;

		boot(&header);
		cpuidle_curr_governor = &governor;
		if (!setjmp(finished)) {
			load();
			/* Each time a task is to run, it runs, and the CPU idles again. */
			if (setjmp(scheduled)) {
				emit('q', 0);
				resched = false;
				asked = 0;
				/* with nothing but this row's limit of 0, no idle period would follow */
				row.resched_at += row.resched_at == 0;
			}
			oracle_do_idle();
		}
		results();
		total = (s64)(written / 2);
		fwrite(&total, sizeof(total), 1, stdout);
		fwrite(pairs, sizeof(*pairs), written, stdout);
	}
	return fflush(stdout) ? 1 : 0;
}
