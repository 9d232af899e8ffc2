/* What Python sees of counters, and of estimates, which count. */
#include <stdlib.h>

#include "estimate.h"
#include "module.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))

PyDoc_STRVAR(tally_doc,
	     "tally(thresholds, nanoseconds, rows, decisions, counters)\n--\n\n"
	     "Adds each row to the counters of the state decided. Returns how many rows have a state\n"
	     "beyond, and the first of these.");

static PyObject *tally_of(PyObject *self, PyObject *args)
{
	Py_buffer thresholds, rows, decisions, counters;
	struct outside outside = {0};
	PyObject *result = NULL, *first;
	int nanoseconds;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*py*y*w*", &thresholds, &nanoseconds, &rows, &decisions,
			      &counters))
		return NULL;
	Py_ssize_t states = thresholds.len / SIZE(struct threshold);
	Py_ssize_t row_count = rows.len / SIZE(struct row);

	if (has_size(&counters, states * SIZE(struct counter), "counters") &&
	    has_size(&decisions, row_count * SIZE(struct decision), "decisions")) {
		Py_BEGIN_ALLOW_THREADS
		tally(thresholds.buf, (u32)states, nanoseconds, rows.buf, (size_t)row_count,
		      decisions.buf, counters.buf, &outside);
		Py_END_ALLOW_THREADS
		first = PyList_New(0);
		for (size_t i = 0; first && i < outside.count && i < OUTSIDE_MAX; i++) {
			PyObject *number = PyLong_FromSize_t(outside.first[i]);

			if (!number || PyList_Append(first, number))
				Py_CLEAR(first);
			Py_XDECREF(number);
		}
		if (first)
			result = Py_BuildValue("(nN)", (Py_ssize_t)outside.count, first);
	}
	PyBuffer_Release(&thresholds);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&decisions);
	PyBuffer_Release(&counters);
	return result;
}

PyDoc_STRVAR(agreed_doc,
	     "agreed(decisions, others, ticks)\n--\n\n"
	     "How many have the same state (ticks: and stop the tick alike), and the first that has\n"
	     "not, -1 if there is none.");

static PyObject *agreed(PyObject *self, PyObject *args)
{
	Py_buffer decisions, others;
	PyObject *result = NULL;
	Py_ssize_t same = 0, other = -1;
	int ticks;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*y*p", &decisions, &others, &ticks))
		return NULL;
	if (has_size(&others, decisions.len, "decisions")) {
		const struct decision *a = decisions.buf, *b = others.buf;

		for (Py_ssize_t i = 0; i < decisions.len / SIZE(struct decision); i++) {
			bool is_same = a[i].state == b[i].state &&
				       (!ticks || a[i].stop_tick == b[i].stop_tick);

			same += is_same;
			if (!is_same && other < 0)
				other = i;
		}
		result = Py_BuildValue("(nn)", same, other);
	}
	PyBuffer_Release(&decisions);
	PyBuffer_Release(&others);
	return result;
}

PyDoc_STRVAR(estimate_doc,
	     "estimate(governor, features, states, hz, memory, setting, thresholds, periods,\n"
	     "         unfinished, counters)\n--\n\n"
	     "Follows traced periods. unfinished: 8 bytes a period, set where one was not followed to\n"
	     "its end. Returns how many decisions there were, how many first ones were the state\n"
	     "traced, how many periods were not finished, how many decisions were for no state, and\n"
	     "start, end and next timer of the times in the state kept, 8 bytes each.");

static PyObject *estimate_of(PyObject *self, PyObject *args)
{
	Py_buffer setting, thresholds, periods, unfinished, counters;
	PyObject *result = NULL;
	struct cpu cpu;
	const char *name;
	unsigned int hz;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iw*y*y*y*w*w*", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &setting, &thresholds, &periods, &unfinished, &counters))
		return NULL;
	Py_ssize_t count = periods.len / SIZE(struct period);

	if (prepare(&cpu, name, hz) && has_size(&setting, SIZE(struct setting), "setting") &&
	    has_size(&thresholds, cpu.table.count * SIZE(struct threshold), "thresholds") &&
	    has_size(&counters, cpu.table.count * SIZE(struct counter), "counters") &&
	    has_size(&periods, count * SIZE(struct period), "periods") &&
	    has_size(&unfinished, count * SIZE(u64), "unfinished")) {
		struct estimate e = {
			.features = cpu.features.buf,
			.table = &cpu.table,
			.setting = setting.buf,
			.thresholds = thresholds.buf,
			.run = code(&cpu, true),
			.memory = cpu.memory.buf,
			.counters = counters.buf,
			.unfinished = unfinished.buf,
		};

		if (cpu.governor->finish) {
			Py_BEGIN_ALLOW_THREADS
			estimate(&e, periods.buf, (size_t)count);
			Py_END_ALLOW_THREADS
			if (e.failed)
				PyErr_NoMemory();
			else
				result = Py_BuildValue("(KKKKy#)", (unsigned long long)e.decisions,
						       (unsigned long long)e.agreed,
						       (unsigned long long)e.unfinished_count,
						       (unsigned long long)e.stateless,
						       e.kept ? (const char *)e.kept : "",
						       (Py_ssize_t)(e.kept_count * sizeof(*e.kept)));
			free(e.kept);
		} else {
			PyErr_Format(PyExc_ValueError, "expected another governor than %s", name);
		}
	}
	release(&cpu);
	PyBuffer_Release(&setting);
	PyBuffer_Release(&thresholds);
	PyBuffer_Release(&periods);
	PyBuffer_Release(&unfinished);
	PyBuffer_Release(&counters);
	return result;
}

PyMethodDef counting_methods[] = {
	{"tally", tally_of, METH_VARARGS, tally_doc},
	{"agreed", agreed, METH_VARARGS, agreed_doc},
	{"estimate", estimate_of, METH_VARARGS, estimate_doc},
	{NULL, NULL, 0, NULL},
};
