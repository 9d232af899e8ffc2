/* What Python sees of decisions that are only tried: the governor's memory stays. */
#include "module.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))

PyDoc_STRVAR(try_timers_doc,
	     "try_timers(governor, features, states, hz, memory, row, to_tick, timers, decisions)\n"
	     "--\n\n"
	     "Fills `decisions`, two bytes for each of timers (u64 each, ns): what the governor\n"
	     "decides for the row if the next timer is so far away, and the tick to_tick ns unless\n"
	     "the row has it stopped. memory: stays as it is.");

static PyObject *try_timers(PyObject *self, PyObject *args)
{
	Py_buffer rows, timers, decisions;
	struct cpu cpu;
	const char *name;
	PyObject *result = NULL;
	unsigned int hz;
	unsigned long long to_tick;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iy*y*Ky*w*", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &rows, &to_tick, &timers, &decisions))
		return NULL;
	Py_ssize_t count = timers.len / SIZE(u64);

	if (prepare(&cpu, name, hz) && has_size(&rows, SIZE(struct row), "one row") &&
	    has_size(&timers, count * SIZE(u64), "timers") &&
	    has_size(&decisions, count * SIZE(struct decision), "decisions")) {
		replay_fn *run = code(&cpu, true);
		struct decision *decision = decisions.buf;
		u64 memory[MEMORY_SIZE / sizeof(u64)];
		struct row row;

		memcpy(&row, rows.buf, sizeof(row));
		for (Py_ssize_t i = 0; i < count; i++) {
			u64 timer;

			memcpy(&timer, (const char *)timers.buf + i * SIZE(u64), sizeof(timer));
			memcpy(memory, cpu.memory.buf, MEMORY_SIZE);
			row.sleep_length_ns = (s64)timer;
			row.delta_next_ns = (s64)(row.tick_stopped ? timer : least(timer, to_tick));
			run(cpu.features.buf, &cpu.table, memory, &row, 1, &decision[i], NULL);
		}
		result = Py_NewRef(Py_None);
	}
	release(&cpu);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&timers);
	PyBuffer_Release(&decisions);
	return result;
}

PyMethodDef trying_methods[] = {
	{"try_timers", try_timers, METH_VARARGS, try_timers_doc},
	{NULL, NULL, 0, NULL},
};
