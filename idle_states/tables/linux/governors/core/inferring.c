/* What Python sees of inputs inferred of traced decisions. */
#include <stdlib.h>

#include "infer.h"
#include "module.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))
#define TIMERS_MAX 60000

PyDoc_STRVAR(infer_doc,
	     "infer(tables, setting, timers, periods, rows, unexplained, decisions, masks)\n--\n\n"
	     "Fills in what lab/replay/inference.py infers of a CPU's periods (start and end in ns,\n"
	     "and state, 8 bytes each). tables: governor, features, states, HZ, memory, latency limit\n"
	     "and mask of the disabled states of each, the traced one first. Decisions and masks are\n"
	     "by table. Returns how many periods the tick ended, and how many began with it stopped.");

/* Whether all that was given has the sizes and values that infer() needs. */
static bool has_sizes(const struct inference *in, const Py_buffer *setting, const Py_buffer *timers,
		      const Py_buffer *rows, const Py_buffer *unexplained,
		      const Py_buffer *decisions, const Py_buffer *masks)
{
	Py_ssize_t periods = (Py_ssize_t)in->period_count, tables = (Py_ssize_t)in->count;

	if (!has_size(setting, SIZE(struct infer_setting), "setting") ||
	    !has_size(timers, (Py_ssize_t)in->timer_count * SIZE(u64), "timers") ||
	    !has_size(rows, periods * SIZE(struct row), "rows") ||
	    !has_size(unexplained, periods, "unexplained") ||
	    !has_size(decisions, tables * periods * SIZE(struct decision), "decisions") ||
	    !has_size(masks, (tables - 1) * periods * SIZE(u16), "masks"))
		return false;
	for (size_t i = 0; i < in->period_count; i++)
		if (in->periods[i].state >= in->tables->table->count ||
		    in->periods[i].end_ns < in->periods[i].start_ns) {
			PyErr_SetString(PyExc_ValueError, "expected periods in states of the table");
			return false;
		}
	if (in->setting->tick_ns && in->setting->phase_ns < in->setting->tick_ns &&
	    in->timer_count <= TIMERS_MAX)
		return true;
	PyErr_SetString(PyExc_ValueError, "expected a tick, a phase in it and fewer timers");
	return false;
}

static bool parse_tables(PyObject *given, struct cpu *cpus, struct asked_table *tables, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		struct cpu *cpu = &cpus[i];
		struct asked_table *table = &tables[i];
		const char *name;
		unsigned int hz;

		if (!PyArg_ParseTuple(PyTuple_GetItem(given, i), "sy*y*Iy*II", &name, &cpu->features,
				      &cpu->states, &hz, &cpu->memory, &table->limit_us,
				      &table->disabled) ||
		    !prepare(cpu, name, hz))
			return false;
		table->features = cpu->features.buf;
		table->states = cpu->states.buf;
		table->table = &cpu->table;
		table->run = code(cpu, true);
		table->boot = cpu->memory.buf;
	}
	return true;
}

static PyObject *infer_of(PyObject *self, PyObject *args)
{
	Py_buffer setting, timers, periods, rows, unexplained, decisions, masks;
	PyObject *given, *result = NULL;
	bool done;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!y*y*y*w*w*w*w*", &PyTuple_Type, &given, &setting, &timers,
			      &periods, &rows, &unexplained, &decisions, &masks))
		return NULL;
	u32 count = (u32)PyTuple_Size(given);
	struct cpu *cpus = calloc(count + 1, sizeof(*cpus));
	struct asked_table *tables = calloc(count + 1, sizeof(*tables));
	struct inference in = {
		.setting = setting.buf,
		.tables = tables,
		.count = count,
		.timers = timers.buf,
		.timer_count = (u32)(timers.len / SIZE(u64)),
		.periods = periods.buf,
		.period_count = (size_t)(periods.len / SIZE(struct traced_period)),
		.rows = rows.buf,
		.unexplained = unexplained.buf,
		.decisions = decisions.buf,
		.masks = masks.buf,
	};

	if (!cpus || !tables) {
		PyErr_NoMemory();
	} else if (!count) {
		PyErr_SetString(PyExc_ValueError, "expected a table");
	} else if (parse_tables(given, cpus, tables, count) &&
		   has_sizes(&in, &setting, &timers, &rows, &unexplained, &decisions, &masks)) {
		Py_BEGIN_ALLOW_THREADS
		done = infer(&in);
		Py_END_ALLOW_THREADS
		result = done ? Py_BuildValue("(KK)", (unsigned long long)in.tick_ended,
					      (unsigned long long)in.stopped)
			      : PyErr_NoMemory();
	}
	for (u32 i = 0; cpus && i < count; i++)
		release(&cpus[i]);
	free(cpus);
	free(tables);
	PyBuffer_Release(&setting);
	PyBuffer_Release(&timers);
	PyBuffer_Release(&periods);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&unexplained);
	PyBuffer_Release(&decisions);
	PyBuffer_Release(&masks);
	return result;
}

PyMethodDef inferring_methods[] = {
	{"infer", infer_of, METH_VARARGS, infer_doc},
	{NULL, NULL, 0, NULL},
};
