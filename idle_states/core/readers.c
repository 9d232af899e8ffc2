/* What Python sees of the readers of traces and recordings. */
#include <stdlib.h>

#include "module.h"
#include "recording.h"
#include "trace.h"

#define KEYS 1024

/* (CPU, what): traces have few, which are made once. */
struct key {
	PyObject *pair;
	u32 cpu;
	s64 what;
};

static PyObject *key_of(struct key *keys, const struct event *event)
{
	struct key *key = &keys[(event->cpu * 37u + (u32)event->what) % KEYS];

	if (!key->pair || key->cpu != event->cpu || key->what != event->what) {
		Py_XDECREF(key->pair);
		key->pair = Py_BuildValue("(iL)", (int)event->cpu, (long long)event->what);
		key->cpu = event->cpu;
		key->what = event->what;
	}
	return Py_XNewRef(key->pair);
}

/* Puts an item, which may be NULL for an error, into its place. */
static bool placed(PyObject *list, Py_ssize_t place, PyObject *item)
{
	return item && !PyList_SetItem(list, place, item);
}

/* Plain lines: what, times, lines (u32 each); of the others: index, offset, line. */
static PyObject *listed(const struct scan *scan)
{
	struct key *keys = calloc(KEYS, sizeof(*keys));
	u32 *numbers = malloc(scan->count * sizeof(*numbers) + 1);
	PyObject *whats, *times, *lines = NULL, *unusual = PyList_New(0), *result = NULL;
	Py_ssize_t plain = 0, made = 0;

	for (size_t i = 0; i < scan->count; i++)
		plain += scan->events[i].what != UNUSUAL;
	whats = PyList_New(plain);
	times = PyList_New(plain);
	bool good = keys && numbers && whats && times && unusual;

	for (size_t i = 0; good && i < scan->count; i++) {
		const struct event *event = &scan->events[i];

		if (event->what == UNUSUAL) {
			PyObject *item = Py_BuildValue("(nKI)", made, (unsigned long long)event->ns,
						       event->line);

			good = item && !PyList_Append(unusual, item);
			Py_XDECREF(item);
		} else {
			good = placed(whats, made, key_of(keys, event)) &&
			       placed(times, made, PyLong_FromUnsignedLongLong(event->ns));
			numbers[made++] = event->line;
		}
	}
	if (good)
		lines = PyBytes_FromStringAndSize((char *)numbers, made * (Py_ssize_t)sizeof(u32));
	if (lines)
		result = Py_BuildValue("(OOOOIO)", whats, times, lines, unusual, scan->lines,
				       scan->coarse ? Py_True : Py_False);
	else if (!PyErr_Occurred())
		PyErr_NoMemory();
	for (size_t i = 0; keys && i < KEYS; i++)
		Py_XDECREF(keys[i].pair);
	free(keys);
	free(numbers);
	Py_XDECREF(whats);
	Py_XDECREF(times);
	Py_XDECREF(lines);
	Py_XDECREF(unusual);
	return result;
}

PyDoc_STRVAR(scan_trace_doc,
	     "scan_trace(text)\n--\n\n"
	     "Idle events of trace text: lists of (CPU, what) and of times in ns, their lines from 0 on\n"
	     "(u32 each); the lines that are not of a plain form (index into the lists, offset, line);\n"
	     "how many lines there are, and whether any time has six decimals.");

static PyObject *scan_trace(PyObject *self, PyObject *args)
{
	struct scan scan = {0};
	PyObject *result = NULL;
	Py_buffer text;
	bool done;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*", &text))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	done = scan_events(&scan, text.buf, (size_t)text.len);
	Py_END_ALLOW_THREADS
	result = done ? listed(&scan) : PyErr_NoMemory();
	free(scan.events);
	PyBuffer_Release(&text);
	return result;
}

PyDoc_STRVAR(scan_records_doc,
	     "scan_records(text, offset, columns, wake_ns, line, records)\n--\n\n"
	     "Reads whole, plain lines of a recording into `records`, record_size bytes each. columns:\n"
	     "a field's number (see record_fields), least and greatest value, 8 bytes each. Returns\n"
	     "where it stopped, offset and line, and how many records there are.");

static PyObject *scan_records_of(PyObject *self, PyObject *args)
{
	Py_buffer text, columns, records;
	unsigned long long wake_ns, line;
	PyObject *result = NULL;
	Py_ssize_t offset;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*ny*KKw*", &text, &offset, &columns, &wake_ns, &line,
			      &records))
		return NULL;
	size_t column_count = (size_t)columns.len / sizeof(struct column), count;
	size_t room = (size_t)records.len / sizeof(struct record);
	u64 number = line;

	if (offset < 0 || offset > text.len || !are_fields(columns.buf, column_count)) {
		PyErr_SetString(PyExc_ValueError, "expected an offset in the text and known fields");
	} else {
		const char *from = text.buf, *stop;

		Py_BEGIN_ALLOW_THREADS
		stop = scan_records(from + offset, from + text.len, columns.buf, column_count,
				    wake_ns, &number, records.buf, room, &count);
		Py_END_ALLOW_THREADS
		result = Py_BuildValue("(nKn)", (Py_ssize_t)(stop - from),
				       (unsigned long long)number, (Py_ssize_t)count);
	}
	PyBuffer_Release(&text);
	PyBuffer_Release(&columns);
	PyBuffer_Release(&records);
	return result;
}

PyDoc_STRVAR(split_doc,
	     "split(records)\n--\n\n"
	     "Records by CPU, in the order of the CPUs' first: CPU, rows, decisions, lines, and of the\n"
	     "first record the state and residency of the idle period before.");

static PyObject *split(PyObject *self, PyObject *args)
{
	Py_ssize_t *counts = calloc(CPUS_MAX, sizeof(*counts));
	PyObject **parts = calloc(CPUS_MAX, sizeof(*parts)), *result = PyList_New(0);
	bool good = counts && parts && result;
	Py_buffer records;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*", &records)) {
		good = false;
		records.len = 0;
		records.obj = NULL;
	}
	const struct record *all = records.buf;
	size_t count = (size_t)records.len / sizeof(struct record);

	for (size_t i = 0; good && i < count; i++) {
		good = all[i].cpu < CPUS_MAX;
		if (good)
			counts[all[i].cpu]++;
		else
			PyErr_SetString(PyExc_ValueError, "expected CPUs below 8192");
	}
	for (size_t i = 0; good && i < count; i++) {
		u32 cpu = all[i].cpu;
		Py_ssize_t n = counts[cpu];

		if (parts[cpu])
			continue;
		parts[cpu] = Py_BuildValue(
			"(iNNNiK)", (int)cpu,
			PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof(struct row)),
			PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof(struct decision)),
			PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof(u64)),
			(int)all[i].earlier_state,
			(unsigned long long)all[i].earlier_residency_ns);
		good = parts[cpu] && !PyList_Append(result, parts[cpu]);
		counts[cpu] = 0;
		Py_XDECREF(parts[cpu]);
	}
	for (size_t i = 0; good && i < count; i++) {
		PyObject *part = parts[all[i].cpu];
		Py_ssize_t n = counts[all[i].cpu]++;

		((struct row *)PyBytes_AsString(PyTuple_GetItem(part, 1)))[n] = all[i].row;
		((struct decision *)PyBytes_AsString(PyTuple_GetItem(part, 2)))[n] = all[i].decision;
		((u64 *)PyBytes_AsString(PyTuple_GetItem(part, 3)))[n] = all[i].line;
	}
	if (!good) {
		Py_CLEAR(result);
		if (!PyErr_Occurred())
			PyErr_NoMemory();
	}
	free(counts);
	free(parts);
	PyBuffer_Release(&records);
	return result;
}

PyMethodDef reader_methods[] = {
	{"scan_trace", scan_trace, METH_VARARGS, scan_trace_doc},
	{"scan_records", scan_records_of, METH_VARARGS, scan_records_doc},
	{"split", split, METH_VARARGS, split_doc},
	{NULL, NULL, 0, NULL},
};
