/* What Python sees of the core. Buffers in, buffers filled; the GIL is released meanwhile. */
#include <stdlib.h>

#include "module.h"
#include "pairing.h"
#include "recording.h"

static const struct governor governors[] = {
	{.name = "haltpoll", .features = haltpoll_known, .any = haltpoll_any},
	{"ladder", ladder_known, ladder_any, NULL, ladder_finish, ladder_switched_on,
	 ladder_sweep, NULL, NULL, NULL},
	{"menu", menu_known, menu_any, menu_specialised, menu_finish, menu_switched_on,
	 menu_sweep, menu_settled, menu_same, menu_look},
	{"teo", teo_known, teo_any, teo_specialised, teo_finish, teo_switched_on,
	 teo_sweep, NULL, NULL, teo_look},
};

static const struct governor *find(const char *name)
{
	for (size_t i = 0; i < sizeof(governors) / sizeof(governors[0]); i++)
		if (!strcmp(governors[i].name, name))
			return &governors[i];
	PyErr_Format(PyExc_ValueError, "expected a governor of the core, found %s", name);
	return NULL;
}

bool has_size(const Py_buffer *buffer, Py_ssize_t size, const char *what)
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

	while (governor->features[count].name)
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

static bool sweeps(const struct governor *governor)
{
	if (governor->sweep)
		return true;
	PyErr_Format(PyExc_ValueError, "expected another governor than %s", governor->name);
	return false;
}

void release(struct cpu *cpu)
{
	PyBuffer_Release(&cpu->features);
	PyBuffer_Release(&cpu->states);
	PyBuffer_Release(&cpu->memory);
}

bool prepare(struct cpu *cpu, const char *name, unsigned int hz)
{
	Py_ssize_t count = cpu->states.len / (Py_ssize_t)sizeof(struct state);

	cpu->nanoseconds = true;
	cpu->governor = find(name);
	if (!cpu->governor || !is_hz(hz) ||
	    !has_size(&cpu->features, feature_bytes(cpu->governor), "features") ||
	    !is_count(count) ||
	    !has_size(&cpu->states, count * (Py_ssize_t)sizeof(struct state), "states") ||
	    !has_size(&cpu->memory, MEMORY_SIZE, "memory"))
		return false;
	for (size_t i = 0; cpu->governor->features[i].name; i++)
		if (!strcmp(cpu->governor->features[i].name, "nanoseconds"))
			cpu->nanoseconds = ((const u32 *)cpu->features.buf)[i];
	make_table(&cpu->table, cpu->states.buf, (u32)count, hz, cpu->nanoseconds);
	return true;
}

replay_fn *code(const struct cpu *cpu, bool specialised)
{
	const struct governor *governor = cpu->governor;
	replay_fn *found = NULL;

	if (specialised && governor->specialised)
		found = governor->specialised(cpu->features.buf);
	return found ? found : governor->any;
}

PyDoc_STRVAR(replay_doc,
	     "replay(governor, features, states, hz, memory, rows, decisions, specialised)\n--\n\n"
	     "Fills `decisions`, two bytes a row. memory: memory_size bytes, all 0 at boot.\n"
	     "specialised: False takes the code for any features.");

static PyObject *replay(PyObject *self, PyObject *args)
{
	Py_buffer rows, decisions;
	struct cpu cpu;
	const char *name;
	PyObject *result = NULL;
	unsigned int hz;
	int specialised;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iw*y*w*p", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &rows, &decisions, &specialised))
		return NULL;
	Py_ssize_t row_count = rows.len / (Py_ssize_t)sizeof(struct row);
	if (prepare(&cpu, name, hz) &&
	    has_size(&rows, row_count * (Py_ssize_t)sizeof(struct row), "rows") &&
	    has_size(&decisions, row_count * (Py_ssize_t)sizeof(struct decision), "decisions")) {
		replay_fn *run = code(&cpu, specialised);

		Py_BEGIN_ALLOW_THREADS
		run(cpu.features.buf, &cpu.table, cpu.memory.buf, rows.buf, (size_t)row_count,
		    decisions.buf, NULL);
		Py_END_ALLOW_THREADS
		result = Py_NewRef(Py_None);
	}
	release(&cpu);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&decisions);
	return result;
}

PyDoc_STRVAR(switched_on_doc,
	     "switched_on(governor, features, states, hz, memory, state, residency_ns)\n--\n\n"
	     "Sets a memory that was all 0: the last idle period under another governor.");

static PyObject *switched_on(PyObject *self, PyObject *args)
{
	struct cpu cpu;
	const char *name;
	PyObject *result = NULL;
	unsigned int hz;
	unsigned long long residency_ns;
	int state;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*Iw*iK", &name, &cpu.features, &cpu.states, &hz,
			      &cpu.memory, &state, &residency_ns))
		return NULL;
	if (prepare(&cpu, name, hz)) {
		if (cpu.governor->switched_on)
			cpu.governor->switched_on(cpu.features.buf, &cpu.table, cpu.memory.buf,
						  state, residency_ns);
		result = Py_NewRef(Py_None);
	}
	release(&cpu);
	return result;
}

PyDoc_STRVAR(sweep_doc,
	     "sweep(governor, features, states, counts, hz, memories, rows, decisions, level)\n--\n\n"
	     "Several tables: ten places for states each, of which counts (u32 each) are filled.\n"
	     "governor: not haltpoll. memories, decisions: table by table. level: of instructions, 0, 3\n"
	     "or 4 at most. Returns whether lanes decided, and not table by table.");

static PyObject *sweep(PyObject *self, PyObject *args)
{
	Py_buffer features, states, counts, memories, rows, decisions;
	const struct governor *governor;
	PyObject *result = NULL;
	const char *name;
	unsigned int hz;
	bool in_lanes;
	int allowed;

	(void)self;
	if (!PyArg_ParseTuple(args, "sy*y*y*Iw*y*w*i", &name, &features, &states, &counts, &hz,
			      &memories, &rows, &decisions, &allowed))
		return NULL;
	Py_ssize_t tables = counts.len / (Py_ssize_t)sizeof(u32);
	Py_ssize_t row_count = rows.len / (Py_ssize_t)sizeof(struct row);
	Py_ssize_t each_size = row_count * (Py_ssize_t)sizeof(struct decision);
	struct decision **each = calloc((size_t)tables + 1, sizeof(*each));
	bool right = each && is_hz(hz) && (governor = find(name)) && sweeps(governor) &&
		     has_size(&features, feature_bytes(governor), "features") &&
		     has_size(&states, tables * STATES_MAX * (Py_ssize_t)sizeof(struct state), "states") &&
		     has_size(&memories, tables * MEMORY_SIZE, "memories") &&
		     has_size(&rows, row_count * (Py_ssize_t)sizeof(struct row), "rows") &&
		     has_size(&decisions, tables * each_size, "decisions");

	for (Py_ssize_t i = 0; right && i < tables; i++) {
		right = is_count((Py_ssize_t)((const u32 *)counts.buf)[i]);
		each[i] = (struct decision *)decisions.buf + i * row_count;
	}
	if (right) {
		struct sweep swept = {
			.features = features.buf,
			.states = states.buf,
			.counts = counts.buf,
			.tables = (u32)tables,
			.hz = hz,
			.memories = memories.buf,
			.rows = rows.buf,
			.row_count = (size_t)row_count,
			.decisions = each,
			.allowed = allowed,
		};

		Py_BEGIN_ALLOW_THREADS
		in_lanes = governor->sweep(&swept);
		Py_END_ALLOW_THREADS
		result = PyBool_FromLong(in_lanes);
	} else if (!each) {
		PyErr_NoMemory();
	}
	free(each);
	PyBuffer_Release(&features);
	PyBuffer_Release(&states);
	PyBuffer_Release(&counts);
	PyBuffer_Release(&memories);
	PyBuffer_Release(&rows);
	PyBuffer_Release(&decisions);
	return result;
}

PyDoc_STRVAR(known_doc,
	     "features(governor)\n--\n\n"
	     "The features the core knows, in order: a name, and a list of texts or None, each.");

static PyObject *named(const char *const *names)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && names[i]; i++) {
		PyObject *text = PyUnicode_FromString(names[i]);

		if (!text || PyList_Append(list, text))
			Py_CLEAR(list);
		Py_XDECREF(text);
	}
	return list;
}

static PyObject *known(PyObject *self, PyObject *args)
{
	const struct governor *governor;
	const char *name;
	PyObject *list;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &name) || !(governor = find(name)))
		return NULL;
	list = PyList_New(0);
	for (const struct feature *f = governor->features; list && f->name; f++) {
		PyObject *texts = f->texts ? named(f->texts) : Py_NewRef(Py_None);
		PyObject *pair = texts ? Py_BuildValue("(sN)", f->name, texts) : NULL;

		if (!pair || PyList_Append(list, pair))
			Py_CLEAR(list);
		Py_XDECREF(pair);
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
	{"switched_on", switched_on, METH_VARARGS, switched_on_doc},
	{"sweep", sweep, METH_VARARGS, sweep_doc},
	{"features", known, METH_VARARGS, known_doc},
	{"specialised", specialised, METH_VARARGS, specialised_doc},
	{"instruction_set", isa, METH_NOARGS, isa_doc},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "idle_states.tables.linux.governors.core._core",
	.m_size = 0,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__core(void)
{
	PyObject *module = PyModule_Create(&definition), *fields;

	if (!module)
		return NULL;
	fields = named(record_fields);
	if (PyModule_AddFunctions(module, reader_methods) ||
	    PyModule_AddFunctions(module, period_methods) ||
	    PyModule_AddFunctions(module, counting_methods) ||
	    PyModule_AddFunctions(module, settling_methods) ||
	    PyModule_AddFunctions(module, trying_methods) ||
	    PyModule_AddFunctions(module, inferring_methods) ||
	    PyModule_AddFunctions(module, playing_methods) ||
	    PyModule_AddFunctions(module, simulating_methods) ||
	    PyModule_AddIntConstant(module, "digest_of_sources", DIGEST_OF_SOURCES) ||
	    PyModule_AddIntConstant(module, "memory_size", MEMORY_SIZE) ||
	    PyModule_AddIntConstant(module, "gap_buckets", BUCKETS) ||
	    PyModule_AddIntConstant(module, "record_size", sizeof(struct record)) || !fields ||
	    PyModule_AddObjectRef(module, "record_fields", fields))
		Py_CLEAR(module);
	Py_XDECREF(fields);
	return module;
}
