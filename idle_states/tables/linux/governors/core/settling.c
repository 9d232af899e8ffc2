/* What Python sees of settled selections. */
#include "module.h"
#include "settle.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))

PyDoc_STRVAR(settle_doc,
	     "settle(governor, features, states, hz, memory, circumstances, history, lengths,\n"
	     "       selected)\n--\n\n"
	     "Runs the governor from boot on, for each length through equal idle periods. history:\n"
	     "rows before them. selected: 64 bytes a length, the states selected once settled.\n"
	     "memory: to work in.");

static PyObject *settle_of(PyObject *self, PyObject *args)
{
	Py_buffer circumstances, history, lengths, selected;
	PyObject *result = NULL;
	struct cpu cpu;
	const char *name;
	unsigned int hz;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iw*y*y*y*w*", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &circumstances, &history, &lengths, &selected))
		return NULL;
	Py_ssize_t count = lengths.len / SIZE(struct length);
	Py_ssize_t rows = history.len / SIZE(struct row);

	if (prepare(&cpu, name, hz) &&
	    has_size(&circumstances, SIZE(struct circumstances), "circumstances") &&
	    has_size(&history, rows * SIZE(struct row), "history") &&
	    has_size(&lengths, count * SIZE(struct length), "lengths") &&
	    has_size(&selected, count * OBSERVED, "selected")) {
		const struct settle s = {
			.features = cpu.features.buf,
			.table = &cpu.table,
			.fixed = circumstances.buf,
			.run = code(&cpu, true),
			.finish = cpu.governor->finish,
			.memory = cpu.memory.buf,
			.history = history.buf,
			.history_count = (size_t)rows,
		};

		if (s.finish) {
			Py_BEGIN_ALLOW_THREADS
			settle(&s, lengths.buf, (size_t)count, selected.buf);
			Py_END_ALLOW_THREADS
			result = Py_NewRef(Py_None);
		} else {
			PyErr_Format(PyExc_ValueError, "expected another governor than %s", name);
		}
	}
	release(&cpu);
	PyBuffer_Release(&circumstances);
	PyBuffer_Release(&history);
	PyBuffer_Release(&lengths);
	PyBuffer_Release(&selected);
	return result;
}

PyMethodDef settling_methods[] = {
	{"settle", settle_of, METH_VARARGS, settle_doc},
	{NULL, NULL, 0, NULL},
};
