/* Simulations; see simulation/simulate.py, which this follows function by function. */
#include "simulate_idle.h"
#include "simulate_timers.h"

static void wake(struct simulation *s, u32 task, u32 waker, u64 since_ns, bool sync);
static void switch_to_next(struct simulation *s, struct cpu_now *cpu);

static void between(struct simulation *s, struct cpu_now *cpu, u64 time)
{
	set_phase(s, cpu, BETWEEN);
	plan_at(s, cpu, s->now + time);
}

static void settle(struct simulation *s, struct cpu_now *cpu)
{
	set_phase(s, cpu, BETWEEN);
	if (cpu->pending.first != NOWHERE) {
		u32 task = cpu->pending.first, following;
		u64 time = 0;

		cpu->pending.first = NOWHERE;
		for (; task != NOWHERE; task = following) {
			following = s->tasks[task].next;
			wake(s, task, number_of(s, cpu), s->tasks[task].woken_ns, false);
			time += s->set.wake_ns;
		}
		between(s, cpu, time);
	} else if (cpu->queue.first != NOWHERE) {
		switch_to_next(s, cpu);
	} else {
		idle(s, cpu);
	}
}

/* Timers and wake-ups. */

static void enqueue(struct simulation *s, u32 task, u32 number, u32 waker)
{
	struct cpu_now *cpu = &s->cpus[number];

	stretch_ends(s, cpu);
	if (s->set.utilises && s->tasks[task].cpu != number)
		migrate(s, &s->tasks[task], cpu);
	s->tasks[task].cpu = number;
	append(s, &cpu->queue, task);
	placement_add(&s->placement, number);
	if (phase_of(s, cpu) == IDLE) {
		/* Its own timer while it polls: the wake-up is done within the idle period. */
		u64 delay = number == waker ? s->set.wake_ns : polls(s, cpu) ? 0 : s->set.ipi_ns;

		cpu_exits(s, cpu, delay, false);
	} else if (phase_of(s, cpu) == RUNNING) {
		u64 limit = greatest(cpu->slice_end_ns, s->now);

		if (time_of(cpu->planned) > limit)
			plan_at(s, cpu, limit);
	}
}

static u32 placed(struct simulation *s, u32 number, u32 waker, bool sync)
{
	struct task *task = &s->tasks[number];
	const struct program *program = &s->in.programs[task->program];
	u32 previous = task->cpu, recent = task->recent, target, near;

	if (program->cpu != NOWHERE)
		return program->cpu;
	if (program->with_waker)
		return waker;
	target = placement_target(&s->placement, waker, previous, sync);
	near = placement_near(&s->placement, target, previous);
	if (near != NOWHERE)
		return near;
	task->recent = previous;
	return placement_beyond(&s->placement, target, previous, recent);
}

static void wake(struct simulation *s, u32 task, u32 waker, u64 since_ns, bool sync)
{
	s->tasks[task].woken_ns = since_ns;
	enqueue(s, task, placed(s, task, waker, sync), waker);
}

static void timer(struct simulation *s, u32 number)
{
	struct task *task = &s->tasks[number];
	struct cpu_now *cpu = &s->cpus[task->cpu];

	end_timer(s, cpu);
	stretch_ends(s, cpu);
	if (phase_of(s, cpu) == RUNNING || (phase_of(s, cpu) == IDLE && polls(s, cpu))) {
		if (phase_of(s, cpu) == RUNNING && !cpu->spins) {
			worked(s, cpu);
			cpu->work += s->set.wake_ns * WORK;
			run(s, cpu);
		}
		wake(s, number, task->cpu, s->now, false);
		if (s->set.foreseen && phase_of(s, cpu) == IDLE)
			stretch_goes_on(s, cpu); /* another one: it polls on, its task runs elsewhere */
		return;
	}
	task->woken_ns = s->now;
	append(s, &cpu->pending, number);
	if (phase_of(s, cpu) == IDLE)
		cpu_exits(s, cpu, 0, false);
}

/* Tasks on a CPU. */

static void leave(struct simulation *s, struct cpu_now *cpu)
{
	ran_until_now(s, cpu, &s->tasks[cpu->task], true);
	cpu->task = NOWHERE;
	placement_remove(&s->placement, number_of(s, cpu));
	if (cpu->queue.first != NOWHERE)
		switch_to_next(s, cpu);
	else
		between(s, cpu, s->set.idle_entry_ns);
}

static bool paid(struct simulation *s, struct cpu_now *cpu, struct task *task)
{
	if (!task->debt_ns)
		return true;
	cpu->work = task->debt_ns * WORK;
	task->debt_ns = 0;
	run(s, cpu);
	return false;
}

static u64 drawn(struct simulation *s, struct task *task, const struct op *op)
{
	if (op->spread == FIXED)
		return op->low;
	if (op->spread == UNIFORM)
		return uniform(draw(&task->stream), op->low, op->high);
	return exponential(s->in.log2, draw(&task->stream), op->low);
}

static u32 chosen(struct simulation *s, struct task *task, const struct op *op)
{
	if (op->which == SAME)
		return op->first + s->in.programs[task - s->tasks].number % op->count;
	if (op->which == NEXT)
		return op->first + more_of(s, task)->turn++ % op->count;
	return op->first + (u32)uniform(draw(&task->stream), 0, op->count - 1);
}

static void sleep_for(struct simulation *s, struct cpu_now *cpu, u32 number, const struct op *op)
{
	struct task *task = &s->tasks[number];
	u64 duration = greatest(drawn(s, task, op), 1);

	if (op->kind == EVERY)
		duration -= s->now % duration;
	set_timer(s, cpu, number, s->now + duration);
	leave(s, cpu);
}

static void wake_some(struct simulation *s, struct cpu_now *cpu, struct task *task,
		      const struct op *op)
{
	u32 first = op->first, count = op->count;

	task->wakes = false;
	if (op->which != ALL) {
		first = chosen(s, task, op);
		count = 1;
	}
	for (u32 other = first; other < first + count; other++) {
		if (s->tasks[other].waits) {
			s->tasks[other].waits = false;
			wake(s, other, number_of(s, cpu), s->now, op->sync);
		} else {
			s->more[other].tokens++;
		}
	}
}

/* Through the program until something takes time. */
static void advance(struct simulation *s, struct cpu_now *cpu, u32 number)
{
	struct task *task = &s->tasks[number];
	const struct program *program = &s->in.programs[task->program];

	for (;;) {
		const struct op *op;

		if (task->at == program->count) {
			if (program->once) {
				if (paid(s, cpu, task))
					leave(s, cpu);
				return;
			}
			task->at = program->again;
		}
		op = &s->in.ops[program->first + task->at];
		if (op->kind == RUN) {
			task->at++;
			cpu->work = (greatest(drawn(s, task, op), 1) + task->debt_ns) * WORK;
			task->debt_ns = 0;
			run(s, cpu);
			return;
		}
		if (op->kind == WAKE && !task->wakes) {
			task->wakes = true;
			task->debt_ns += s->set.wake_ns * (op->which == ALL ? op->count : 1);
		}
		if (!paid(s, cpu, task))
			return;
		task->at++;
		if (op->kind == SPIN) {
			u64 duration = greatest(drawn(s, task, op), 1);

			cpu->work = (duration - s->now % duration) * WORK;
			cpu->spins = true;
			run(s, cpu);
			return;
		}
		if (op->kind == COUNT) {
			s->in.totals->counted++;
		} else if (op->kind == WAKE) {
			wake_some(s, cpu, task, op);
		} else if (op->kind == WAIT) {
			struct task_more *more = more_of(s, task);

			if (!more->tokens) {
				task->waits = true;
				leave(s, cpu);
				return;
			}
			more->tokens--;
		} else {
			sleep_for(s, cpu, number, op);
			return;
		}
	}
}

INLINE u32 bucket_of(u64 value)
{
	int bits = 63 - __builtin_clzll(value | 1);
	u32 shift = bits > HISTOGRAM_BITS ? (u32)(bits - HISTOGRAM_BITS) : 0;

	return (shift << HISTOGRAM_BITS) + (u32)(value >> shift);
}

static void switch_to_next(struct simulation *s, struct cpu_now *cpu)
{
	u32 number = take_first(s, &cpu->queue), here = number_of(s, cpu);
	struct task *task = &s->tasks[number];
	struct sim_totals *totals = s->in.totals;

	ran_until_now(s, cpu, task, false);
	cpu->task = number;
	set_phase(s, cpu, RUNNING);
	cpu->stopped = cpu->got_tick = false;
	cpu->slice_end_ns = s->now + s->set.slice_ns;
	task->cpu = here;
	totals->switches++;
	if (totals->traced < s->set.trace_most)
		s->in.trace[totals->traced++] = (struct traced){s->now, here, number};
	if (task->woken_ns != NEVER) {
		u64 latency = s->now + s->set.switch_ns - task->woken_ns;

		s->in.latencies[bucket_of(latency)]++;
		totals->latency_max_ns = greatest(totals->latency_max_ns, latency);
		task->woken_ns = NEVER;
	}
	if (task->cut) {
		struct task_more *more = more_of(s, task);

		task->cut = false;
		if (more->spins_until_ns) {
			u64 until = more->spins_until_ns;

			cpu->work = greatest(until > s->now ? until - s->now : 0, s->set.switch_ns) * WORK;
			cpu->spins = true;
		} else {
			cpu->work = more->work + s->set.switch_ns * WORK;
		}
		run(s, cpu);
	} else {
		task->debt_ns = s->set.switch_ns;
		advance(s, cpu, number);
	}
}

static void ran(struct simulation *s, struct cpu_now *cpu)
{
	worked(s, cpu);
	if (!cpu->work) {
		cpu->spins = false;
		advance(s, cpu, cpu->task);
	} else if (cpu->queue.first != NOWHERE) {
		s->tasks[cpu->task].cut = true;
		s->more[cpu->task].spins_until_ns = cpu->spins ? s->now + cpu->work / WORK : 0;
		s->more[cpu->task].work = cpu->work;
		cpu->spins = false;
		ran_until_now(s, cpu, &s->tasks[cpu->task], true);
		append(s, &cpu->queue, cpu->task);
		switch_to_next(s, cpu);
	} else {
		run(s, cpu);
	}
}

static void cpu_event(struct simulation *s, struct cpu_now *cpu)
{
	switch (phase_of(s, cpu)) {
	case RUNNING:
		ran(s, cpu);
		break;
	case IDLE:
		if (!polls(s, cpu)) {
			cpu_exits(s, cpu, 0, !cpu->stopped && s->now % s->set.tick_ns == 0);
			break;
		}
		s->in.reached[0]++;
		wakes(s, cpu);
		idled(s, cpu, s->set.poll_told);
		between(s, cpu, s->set.turn_ns);
		break;
	case EXITING:
		idled(s, cpu, false);
		if (cpu->pending.first != NOWHERE || cpu->queue.first != NOWHERE)
			settle(s, cpu);
		else
			between(s, cpu, s->set.turn_ns);
		break;
	default:
		settle(s, cpu);
	}
}

static void start(struct simulation *s)
{
	for (u32 cpu = 0; cpu < s->set.cpus; cpu++)
		plan_at(s, &s->cpus[cpu], 0);
	for (u32 task = 0; task < s->set.tasks; task++) {
		u32 cpu = s->in.programs[task].cpu;

		enqueue(s, task, cpu == NOWHERE ? placement_first(&s->placement) : cpu, 0);
	}
	s->started = true;
}

u64 simulation_now(const struct simulation *s)
{
	return s->now;
}

/* The CPU's event or its first timer's, whichever is sooner. */
static void happen(struct simulation *s, struct cpu_now *cpu)
{
	struct sim_totals *totals = s->in.totals;
	bool is_timer = cpu->timer < cpu->planned;
	entry planned = cpu->planned;
	struct coming coming;
	u32 whom = is_timer ? (u32)s->set.cpus + cpu->timers : number_of(s, cpu);

	totals->events++;
	totals->digest = mix(totals->digest ^ s->now * GOLDEN) + whom;
	s->current = cpu;
	if (is_timer)
		timer(s, cpu->timers);
	else
		cpu_event(s, cpu);
	if (!is_timer && cpu->planned == planned)
		cpu->planned = NO_PLAN;
	s->current = NULL;
	coming = plan_replace(&s->plan, number_of(s, cpu), entry_of(cpu));
	fetch(s, coming.later);
	fetch_more(s, coming.sooner);
}

static void close(struct simulation *s)
{
	for (u32 i = 0; i < s->set.cpus; i++) {
		struct thread *thread = &s->cpus[i].thread;

		account(&s->scopes, THREAD, thread->level, &thread->since, s->set.duration_ns);
		if (s->set.foreseen)
			stretch_is_cut(s, &s->cpus[i]);
	}
	scopes_close(&s->scopes, s->set.duration_ns);
	for (u64 i = 0; i < s->set.cpus * s->set.states; i++) {
		const struct idled *idled = &s->idled[i];
		const u64 above = idled->periods[TOO_DEEP], below = idled->periods[TOO_SHALLOW];

		s->in.counters[i] = (struct counter){.usage = idled->periods[FITS] + above + below,
						     .time_low = idled->time,
						     .above = above,
						     .below = below};
	}
}

bool simulation_run(struct simulation *s, u64 events)
{
	if (!s->started)
		start(s);
	for (; events; events--) {
		const entry next = s->plan.next[1];

		if (time_of(next) >= s->set.duration_ns)
			break;
		s->now = time_of(next);
		happen(s, &s->cpus[cpu_of(next)]);
	}
	if (!events)
		return true;
	if (!s->ended)
		close(s);
	s->ended = true;
	return false;
}
