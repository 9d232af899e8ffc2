/* What Python sees of settled selections. */
#include <stdlib.h>

#include "module.h"
#include "settle.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))

PyDoc_STRVAR(settle_doc,
	     "settle(governor, features, states, hz, memory, circumstances, history, lengths)\n--\n\n"
	     "Runs the governor from boot on, for each length through equal idle periods. history:\n"
	     "rows before them. Returns the states selected once settled, 64 bytes a length: the same\n"
	     "object as long as they are equal. memory: to work in.");

/* One object for each stretch of equal states. */
static PyObject *stretches(const u8 *states, Py_ssize_t count)
{
	PyObject *list = PyList_New(count), *one = NULL;

	for (Py_ssize_t i = 0; list && i < count; i++, states += OBSERVED) {
		if (one && !memcmp(states, states - OBSERVED, OBSERVED))
			one = Py_NewRef(one);
		else
			one = PyBytes_FromStringAndSize((const char *)states, OBSERVED);
		if (!one || PyList_SetItem(list, i, one))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *settle_of(PyObject *self, PyObject *args)
{
	Py_buffer circumstances, history, lengths;
	PyObject *result = NULL;
	u8 *selected;
	struct cpu cpu;
	const char *name;
	unsigned int hz;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iw*y*y*y*", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &circumstances, &history, &lengths))
		return NULL;
	Py_ssize_t count = lengths.len / SIZE(struct length);
	Py_ssize_t rows = history.len / SIZE(struct row);

	if (prepare(&cpu, name, hz) &&
	    has_size(&circumstances, SIZE(struct circumstances), "circumstances") &&
	    has_size(&history, rows * SIZE(struct row), "history") &&
	    has_size(&lengths, count * SIZE(struct length), "lengths")) {
		const struct settle s = {
			.features = cpu.features.buf,
			.table = &cpu.table,
			.fixed = circumstances.buf,
			.run = code(&cpu, true),
			.finish = cpu.governor->finish,
			.settled = cpu.governor->settled,
			.same = cpu.governor->same,
			.look = rows ? NULL : cpu.governor->look,
			.memory = cpu.memory.buf,
			.history = history.buf,
			.history_count = (size_t)rows,
		};

		if (!s.finish) {
			PyErr_Format(PyExc_ValueError, "expected another governor than %s", name);
		} else if (!(selected = malloc((size_t)count * OBSERVED + 1))) {
			PyErr_NoMemory();
		} else {
			Py_BEGIN_ALLOW_THREADS
			settle(&s, lengths.buf, (size_t)count, selected);
			Py_END_ALLOW_THREADS
			result = stretches(selected, count);
			free(selected);
		}
	}
	release(&cpu);
	PyBuffer_Release(&circumstances);
	PyBuffer_Release(&history);
	PyBuffer_Release(&lengths);
	return result;
}

PyMethodDef settling_methods[] = {
	{"settle", settle_of, METH_VARARGS, settle_doc},
	{NULL, NULL, 0, NULL},
};
