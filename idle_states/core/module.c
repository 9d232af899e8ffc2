/* What Python sees of the core. Buffers in, buffers filled; the GIL is released meanwhile. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

#include "core.h"

static const struct governor {
	const char *name;
	const char *const *features;
	replay_fn *any;
	replay_fn *(*specialised)(const u32 *features);
} governors[] = {
	{"haltpoll", haltpoll_names, haltpoll_any, NULL},
	{"ladder", ladder_names, ladder_any, NULL},
	{"menu", menu_names, menu_any, menu_specialised},
	{"teo", teo_names, teo_any, teo_specialised},
};

static const struct governor *find(const char *name)
{
	for (size_t i = 0; i < sizeof(governors) / sizeof(governors[0]); i++)
		if (!strcmp(governors[i].name, name))
			return &governors[i];
	PyErr_Format(PyExc_ValueError, "expected a governor of the core, found %s", name);
	return NULL;
}

static bool has_size(const Py_buffer *buffer, Py_ssize_t size, const char *what)
{
	if (buffer->len == size)
		return true;
	PyErr_Format(PyExc_ValueError, "expected %zd bytes of %s, found %zd", size, what,
		     buffer->len);
	return false;
}

static Py_ssize_t feature_bytes(const struct governor *governor)
{
	Py_ssize_t count = 0;

	while (governor->features[count])
		count++;
	return count * (Py_ssize_t)sizeof(u32);
}

static bool is_hz(unsigned int hz)
{
	if (hz >= 1 && hz <= 1000000)
		return true;
	PyErr_Format(PyExc_ValueError, "expected HZ from 1 to 1000000, found %u", hz);
	return false;
}

static bool is_count(Py_ssize_t states)
{
	if (states >= 1 && states <= STATES_MAX)
		return true;
	PyErr_Format(PyExc_ValueError, "expected 1 to %d states, found %zd", STATES_MAX, states);
	return false;
}

PyDoc_STRVAR(replay_doc,
	     "replay(governor, features, states, hz, rows, decisions, specialised)\n--\n\n"
	     "Fills `decisions`, two bytes a row. specialised: False takes the code for any features.");

static PyObject *replay(PyObject *self, PyObject *args)
{
	Py_buffer features, states, rows, decisions;
	const struct governor *governor;
	const char *name;
	PyObject *result = NULL;
	unsigned int hz;
	int specialised;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iy*w*p", &name, &features, &states, &hz, &rows, &decisions,
			      &specialised))
		return NULL;
	governor = find(name);
	if (governor && is_hz(hz) && has_size(&features, feature_bytes(governor), "features") &&
	    is_count(states.len / (Py_ssize_t)sizeof(struct state)) &&
	    has_size(&states, states.len / (Py_ssize_t)sizeof(struct state) * (Py_ssize_t)sizeof(struct state), "states") &&
	    has_size(&rows, rows.len / (Py_ssize_t)sizeof(struct row) * (Py_ssize_t)sizeof(struct row), "rows") &&
	    has_size(&decisions, rows.len / (Py_ssize_t)sizeof(struct row) * (Py_ssize_t)sizeof(struct decision), "decisions")) {
		replay_fn *run = NULL;
		u32 count = (u32)((size_t)states.len / sizeof(struct state));
		size_t row_count = (size_t)rows.len / sizeof(struct row);

		Py_BEGIN_ALLOW_THREADS
		if (specialised && governor->specialised)
			run = governor->specialised(features.buf);
		if (!run)
			run = governor->any;
		run(features.buf, states.buf, count, hz, rows.buf, row_count, decisions.buf);
		Py_END_ALLOW_THREADS
		result = Py_NewRef(Py_None);
	}
	PyBuffer_Release(&features);
	PyBuffer_Release(&states);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&decisions);
	return result;
}

PyDoc_STRVAR(sweep_doc,
	     "sweep(features, states, counts, hz, rows, decisions, level)\n--\n\n"
	     "menu over several tables: ten places for states each, of which counts (u32 each) are\n"
	     "filled. decisions: table by table. level: of instructions, 0, 3 or 4 at most.");

static PyObject *sweep(PyObject *self, PyObject *args)
{
	Py_buffer features, states, counts, rows, decisions;
	PyObject *result = NULL;
	unsigned int hz;
	int allowed;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*y*y*Iy*w*i", &features, &states, &counts, &hz, &rows,
			      &decisions, &allowed))
		return NULL;
	Py_ssize_t tables = counts.len / (Py_ssize_t)sizeof(u32);
	Py_ssize_t row_count = rows.len / (Py_ssize_t)sizeof(struct row);
	struct decision **each = calloc((size_t)tables + 1, sizeof(*each));
	bool right = each && is_hz(hz) &&
		     has_size(&features, feature_bytes(find("menu")), "features") &&
		     has_size(&states, tables * STATES_MAX * (Py_ssize_t)sizeof(struct state), "states") &&
		     has_size(&rows, row_count * (Py_ssize_t)sizeof(struct row), "rows") &&
		     has_size(&decisions, tables * row_count * (Py_ssize_t)sizeof(struct decision), "decisions");

	for (Py_ssize_t i = 0; right && i < tables; i++) {
		right = is_count((Py_ssize_t)((const u32 *)counts.buf)[i]);
		each[i] = (struct decision *)decisions.buf + i * row_count;
	}
	if (right) {
		Py_BEGIN_ALLOW_THREADS
		menu_sweep(features.buf, states.buf, counts.buf, (u32)tables, hz, rows.buf,
			   (size_t)row_count, each, allowed);
		Py_END_ALLOW_THREADS
		result = Py_NewRef(Py_None);
	} else if (!each) {
		PyErr_NoMemory();
	}
	free(each);
	PyBuffer_Release(&features);
	PyBuffer_Release(&states);
	PyBuffer_Release(&counts);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&decisions);
	return result;
}

PyDoc_STRVAR(names_doc, "features(governor)\n--\n\nNames of the features the core knows, in order.");

static PyObject *names(PyObject *self, PyObject *args)
{
	const struct governor *governor;
	const char *name;
	PyObject *list;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &name) || !(governor = find(name)))
		return NULL;
	list = PyList_New(0);
	for (size_t i = 0; list && governor->features[i]; i++) {
		PyObject *text = PyUnicode_FromString(governor->features[i]);

		if (!text || PyList_Append(list, text))
			Py_CLEAR(list);
		Py_XDECREF(text);
	}
	return list;
}

PyDoc_STRVAR(specialised_doc,
	     "specialised(governor, features)\n--\n\nWhether there is code for just these features.");

static PyObject *specialised(PyObject *self, PyObject *args)
{
	Py_buffer features;
	const struct governor *governor;
	const char *name;
	bool found = false;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*", &name, &features))
		return NULL;
	governor = find(name);
	if (governor && has_size(&features, feature_bytes(governor), "features"))
		found = governor->specialised && governor->specialised(features.buf);
	PyBuffer_Release(&features);
	return PyErr_Occurred() ? NULL : PyBool_FromLong(found);
}

PyDoc_STRVAR(isa_doc, "instruction_set()\n--\n\nThe one menu runs with on this machine.");

static PyObject *isa(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return PyUnicode_FromString(instruction_set());
}

static PyMethodDef methods[] = {
	{"replay", replay, METH_VARARGS, replay_doc},
	{"sweep", sweep, METH_VARARGS, sweep_doc},
	{"features", names, METH_VARARGS, names_doc},
	{"specialised", specialised, METH_VARARGS, specialised_doc},
	{"instruction_set", isa, METH_NOARGS, isa_doc},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "idle_states.core._core",
	.m_size = 0,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__core(void)
{
	return PyModule_Create(&definition);
}
