/* What Python sees of simulations. */
#include <stdlib.h>

#include "module.h"
#include "simulate.h"

#define EVENTS_AT_ONCE 1000000

PyDoc_STRVAR(simulate_doc,
	     "simulate(governor, features, states, hz, inputs, results, watch)\n--\n\n"
	     "inputs: setting, small cores, pairs, quads, clusters, caches, cores for placement,\n"
	     "effects, power domains, their states and CPUs, each CPU's domain, ops, programs,\n"
	     "logarithms, decays, thresholds, what hindsight selects, states of other tables of as many\n"
	     "each. results: counters, reached, scope_ns, domain counters,\n"
	     "how often domains stayed on, latencies, trace, counters of hindsight, totals,\n"
	     "of each other table how many decisions were the same before another one, all 0.\n"
	     "Checked for their sizes only. watch: two numbers that\n"
	     "another thread may use meanwhile, the ns simulated so far and, if not 0, to stop.\n"
	     "Returns whether it ended before its time, stopped or by the most events.");

enum { SETTING, SMALL, PAIR, QUAD, CLUSTER, LLC, SMT, EFFECTS, DOMAINS, DOMAIN_STATES, DOMAIN_CPUS, OWN_DOMAIN, OPS, PROGRAMS, LOG2, DECAYS, THRESHOLDS, FORESEEN, OTHERS, INPUTS };
enum { COUNTERS, REACHED, SCOPE_NS, DOMAIN_COUNTERS, STAYED_ON, LATENCIES, TRACE, HINDSIGHT, TOTALS, AGREED, RESULTS };
enum { NOW, STOP, WATCH };

static bool opened(PyObject *tuple, Py_buffer *buffers, Py_ssize_t count, int flags)
{
	if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
		PyErr_Format(PyExc_ValueError, "expected a tuple of %zd buffers", count);
		return false;
	}
	for (Py_ssize_t i = 0; i < count; i++)
		if (PyObject_GetBuffer(PyTuple_GetItem(tuple, i), &buffers[i], flags))
			return false;
	return true;
}

static bool have_sizes(const Py_buffer *in, const Py_buffer *out)
{
	const struct sim_setting *set = in[SETTING].buf;
	Py_ssize_t cpus, states, domain_states;

	if (!has_size(&in[SETTING], sizeof(*set), "setting"))
		return false;
	cpus = (Py_ssize_t)set->cpus;
	states = (Py_ssize_t)set->states;
	domain_states = (Py_ssize_t)set->domain_states;
	if (set->events_most > EVENTS_MOST) {
		PyErr_Format(PyExc_ValueError, "expected at most %u events", EVENTS_MOST);
		return false;
	}
	for (int i = SMALL; i <= SMT; i++)
		if (!has_size(&in[i], cpus * (Py_ssize_t)sizeof(u32), "groups"))
			return false;
	return has_size(&in[EFFECTS], states * (Py_ssize_t)sizeof(struct effect), "effects") &&
	       has_size(&in[DOMAINS], (Py_ssize_t)(set->domains * sizeof(struct sim_domain)), "domains") &&
	       has_size(&in[DOMAIN_STATES], domain_states * (Py_ssize_t)sizeof(struct sim_domain_state),
			"domain_states") &&
	       has_size(&in[DOMAIN_CPUS], (Py_ssize_t)(set->domain_cpus * sizeof(u32)), "domain_cpus") &&
	       has_size(&in[OWN_DOMAIN], cpus * (Py_ssize_t)sizeof(u32), "own_domain") &&
	       has_size(&out[DOMAIN_COUNTERS],
			domain_states * (Py_ssize_t)sizeof(struct sim_domain_counter),
			"domain_counters") &&
	       has_size(&out[STAYED_ON], (Py_ssize_t)(set->domains * sizeof(u64)), "stayed_on") &&
	       has_size(&in[PROGRAMS], (Py_ssize_t)(set->tasks * sizeof(struct program)), "programs") &&
	       has_size(&in[LOG2], LOG2_SIZE * sizeof(u64), "logarithms") &&
	       has_size(&in[DECAYS], HALF_LIFE * sizeof(u64), "decays") &&
	       has_size(&in[THRESHOLDS], states * (Py_ssize_t)sizeof(struct threshold), "thresholds") &&
	       has_size(&in[FORESEEN], (Py_ssize_t)(set->foreseen * sizeof(struct foreseen)), "foreseen") &&
	       has_size(&out[HINDSIGHT], states * (Py_ssize_t)sizeof(struct counter), "hindsight") &&
	       has_size(&out[COUNTERS], cpus * states * (Py_ssize_t)sizeof(struct counter), "counters") &&
	       has_size(&out[REACHED], states * (Py_ssize_t)sizeof(u64), "reached") &&
	       has_size(&out[SCOPE_NS], SCOPES * (states + 1) * (Py_ssize_t)sizeof(u64), "scope_ns") &&
	       has_size(&out[LATENCIES], HISTOGRAM_SIZE * sizeof(u64), "latencies") &&
	       has_size(&out[TRACE], (Py_ssize_t)(set->trace_most * sizeof(struct traced)), "trace") &&
	       has_size(&out[TOTALS], sizeof(struct sim_totals), "totals");
}

static PyObject *simulated(const struct sim_input *input, volatile u64 *watch)
{
	struct simulation *simulation = simulation_new(input);
	u64 left = input->setting->events_most;
	bool more = true;

	if (!simulation)
		return PyErr_NoMemory();
	while (more && left && !watch[STOP] && !PyErr_CheckSignals()) {
		u64 events = left < EVENTS_AT_ONCE ? left : EVENTS_AT_ONCE;

		Py_BEGIN_ALLOW_THREADS
		more = simulation_run(simulation, events);
		Py_END_ALLOW_THREADS
		left -= events;
		watch[NOW] = simulation_now(simulation);
	}
	simulation_free(simulation);
	return PyErr_Occurred() ? NULL : PyBool_FromLong(more);
}

/* Of as many states as the CPU's own. NULL: no memory. */
static struct table *tables_of(const struct cpu *cpu, const Py_buffer *states, unsigned int hz, u32 count)
{
	struct table *tables = malloc((count + 1) * sizeof(*tables));

	for (u32 i = 0; tables && i < count; i++)
		make_table(&tables[i], (const struct state *)states->buf + i * cpu->table.count, cpu->table.count,
			   hz, cpu->nanoseconds);
	return tables;
}

static PyObject *simulate(PyObject *self, PyObject *args)
{
	Py_buffer in[INPUTS] = {0}, out[RESULTS] = {0}, watch = {0};
	PyObject *inputs, *outputs, *result = NULL;
	struct cpu cpu = {0};
	struct table *others = NULL;
	char memory[MEMORY_SIZE];
	const char *name;
	unsigned int hz;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*IOOw*", &name, &cpu.features, &cpu.states, &hz, &inputs,
			      &outputs, &watch))
		return NULL;
	PyBuffer_FillInfo(&cpu.memory, NULL, memory, MEMORY_SIZE, 0, PyBUF_WRITABLE);
	if (opened(inputs, in, INPUTS, PyBUF_SIMPLE) &&
	    opened(outputs, out, RESULTS, PyBUF_WRITABLE) && prepare(&cpu, name, hz) &&
	    have_sizes(in, out) &&
	    has_size(&in[OTHERS], out[AGREED].len / (Py_ssize_t)sizeof(u64) * cpu.states.len, "other tables") &&
	    has_size(&watch, WATCH * sizeof(u64), "watch")) {
		u32 other_count = (u32)(out[AGREED].len / (Py_ssize_t)sizeof(u64));
		struct sim_input input = {
			.setting = in[SETTING].buf,
			.of = {in[SMALL].buf, in[PAIR].buf, in[QUAD].buf, in[CLUSTER].buf, in[LLC].buf,
			       in[SMT].buf},
			.effects = in[EFFECTS].buf,
			.domains = in[DOMAINS].buf,
			.domain_states = in[DOMAIN_STATES].buf,
			.domain_cpus = in[DOMAIN_CPUS].buf,
			.own_domain = in[OWN_DOMAIN].buf,
			.ops = in[OPS].buf,
			.programs = in[PROGRAMS].buf,
			.log2 = in[LOG2].buf,
			.decays = in[DECAYS].buf,
			.features = cpu.features.buf,
			.table = &cpu.table,
			.others = others = tables_of(&cpu, &in[OTHERS], hz, other_count),
			.other_count = other_count,
			.thresholds = in[THRESHOLDS].buf,
			.foreseen = in[FORESEEN].buf,
			.run = code(&cpu, true),
			.finish = cpu.governor->finish,
			.counters = out[COUNTERS].buf,
			.reached = out[REACHED].buf,
			.scope_ns = out[SCOPE_NS].buf,
			.domain_counters = out[DOMAIN_COUNTERS].buf,
			.stayed_on = out[STAYED_ON].buf,
			.latencies = out[LATENCIES].buf,
			.trace = out[TRACE].buf,
			.hindsight = out[HINDSIGHT].buf,
			.totals = out[TOTALS].buf,
			.agreed = out[AGREED].buf,
		};

		if (!others)
			PyErr_NoMemory();
		else if (input.finish)
			result = simulated(&input, watch.buf);
		else
			PyErr_Format(PyExc_ValueError, "expected a governor to simulate, found %s", name);
	}
	free(others);
	for (int i = 0; i < INPUTS; i++)
		PyBuffer_Release(&in[i]);
	for (int i = 0; i < RESULTS; i++)
		PyBuffer_Release(&out[i]);
	PyBuffer_Release(&watch);
	release(&cpu);
	return result;
}

PyMethodDef simulating_methods[] = {
	{"simulate", simulate, METH_VARARGS, simulate_doc},
	{NULL, NULL, 0, NULL},
};
