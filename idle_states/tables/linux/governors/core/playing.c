/* Histories of idle periods, each from boot on, as tables/prove/history.py plays them. */
#include "module.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))

/* A step's surroundings. Times that there are not are KTIME_MAX. ends: it is its history's last. */
struct step {
	u64 timer_ns, interrupt_ns, tick_ns, late_ns;
	u32 iowaiters, cpu_util, tick_stopped, ends;
};

/* What all steps share. poll_ns: after which polling ends by itself; told: the governor hears of it. */
struct scene {
	u64 limit_us, disabled, wake_ns, poll_ns, told, snoozes, decides_tick;
};

/* Steps first..end-1 lead to a state; end is 0 where none do. */
struct led {
	u64 first, end;
};

_Static_assert(sizeof(struct step) == 48 && sizeof(struct scene) == 56, "as packed");

struct play {
	const u32 *features;
	const struct table *table;
	const struct scene *scene;
	replay_fn *run;
	finish_fn *finish;
	void *memory;
	u64 clock_ns;
	bool stopped; /* the tick, before the step */
};

static void begin(struct play *p)
{
	memset(p->memory, 0, MEMORY_SIZE);
	p->clock_ns = 0;
	p->stopped = false;
}

/* One step, where the tick runs if it was not stopped before. Returns the state. */
static u8 play_step(struct play *p, const struct step *step)
{
	const struct scene *scene = p->scene;
	u64 tick = least(step->tick_ns, p->table->tick_ns), lasts = step->timer_ns;
	bool was_stopped = step->tick_stopped && p->stopped, polls, got_tick = false, timed_out = false;
	struct decision decision;
	struct row row = {
		.sleep_length_ns = (s64)step->timer_ns,
		.delta_next_ns = (s64)(was_stopped ? step->timer_ns : least(step->timer_ns, tick)),
		.clock_ns = p->clock_ns,
		.latency_req_us = (u32)scene->limit_us,
		.nr_iowaiters = step->iowaiters,
		.disabled = (u16)scene->disabled,
		.tick_stopped = was_stopped,
		.rejected = true, /* what becomes of it is not known yet */
		.entered = AS_SELECTED,
		.cpu_util = step->cpu_util,
		.cpu_capacity = CPU_CAPACITY,
	};

	p->run(p->features, p->table, p->memory, &row, 1, &decision, NULL);
	p->stopped = was_stopped || (step->timer_ns > p->table->tick_ns &&
				     (decision.stop_tick || !scene->decides_tick));
	if (!p->stopped && tick < lasts) {
		lasts = tick;
		got_tick = true;
	}
	if (step->interrupt_ns < lasts) {
		lasts = step->interrupt_ns;
		got_tick = false;
	}
	polls = (decision.state == 0 && scene->snoozes) ||
		(decision.state < STATES_MAX && p->table->polling >> decision.state & 1);
	if (polls && lasts > scene->poll_ns) {
		lasts = scene->poll_ns;
		timed_out = true;
	}
	lasts += polls ? step->late_ns : scene->wake_ns;
	p->clock_ns += lasts;
	if (decision.state == NO_STATE)
		return NO_STATE;
	row.rejected = false;
	row.recorded = decision.state;
	row.residency_ns = lasts;
	row.got_tick = got_tick && !timed_out;
	row.poll_time_limit = timed_out && scene->told;
	row.reflect_clock_ns = p->clock_ns;
	p->finish(p->features, p->table, p->memory, &row, decision.state);
	return decision.state;
}

/* Fills in, for each state, the first steps that lead to it. */
static void play_all(struct play *p, const struct step *steps, size_t count, struct led *led)
{
	size_t first = 0;

	begin(p);
	for (size_t i = 0; i < count; i++) {
		u8 state = play_step(p, &steps[i]);

		if (state < p->table->count && !led[state].end)
			led[state] = (struct led){first, i + 1};
		if (steps[i].ends) {
			first = i + 1;
			begin(p);
		}
	}
}

PyDoc_STRVAR(play_doc,
	     "play(governor, features, states, hz, memory, scene, steps, led)\n--\n\n"
	     "Plays histories, each from boot on. led: two numbers (u64) for each state, all 0 at\n"
	     "first: where the first history begins that leads to it, and behind which step it is.\n"
	     "memory: to work in.");

static PyObject *play(PyObject *self, PyObject *args)
{
	Py_buffer scene, steps, led;
	PyObject *result = NULL;
	struct cpu cpu;
	const char *name;
	unsigned int hz;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iw*y*y*w*", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &scene, &steps, &led))
		return NULL;
	Py_ssize_t count = steps.len / SIZE(struct step);

	if (prepare(&cpu, name, hz) && has_size(&scene, SIZE(struct scene), "a scene") &&
	    has_size(&steps, count * SIZE(struct step), "steps") &&
	    has_size(&led, cpu.table.count * SIZE(struct led), "what steps lead to")) {
		struct play p = {
			.features = cpu.features.buf,
			.table = &cpu.table,
			.scene = scene.buf,
			.run = code(&cpu, true),
			.finish = cpu.governor->finish,
			.memory = cpu.memory.buf,
		};

		if (p.finish) {
			Py_BEGIN_ALLOW_THREADS
			play_all(&p, steps.buf, (size_t)count, led.buf);
			Py_END_ALLOW_THREADS
			result = Py_NewRef(Py_None);
		} else {
			PyErr_Format(PyExc_ValueError, "expected another governor than %s", name);
		}
	}
	release(&cpu);
	PyBuffer_Release(&scene);
	PyBuffer_Release(&steps);
	PyBuffer_Release(&led);
	return result;
}

PyMethodDef playing_methods[] = {
	{"play", play, METH_VARARGS, play_doc},
	{NULL, NULL, 0, NULL},
};
