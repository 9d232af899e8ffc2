/* What Python sees of the readers of traces and recordings. */
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "perf_data.h"
#include "recording.h"
#include "ring_buffer.h"
#include "trace.h"

/* Plain events, and of the other lines: how many plain events are before it, offset, line. */
static PyObject *listed(struct scan *scan)
{
	PyObject *unusual = PyList_New(0), *result = NULL;
	Py_ssize_t plain = scan->unusual ? 0 : (Py_ssize_t)scan->count;
	bool good = unusual;

	for (size_t i = (size_t)plain; good && i < scan->count; i++) {
		const struct event *event = &scan->events[i];

		if (event->what == UNUSUAL) {
			PyObject *item = Py_BuildValue("(nKI)", plain, (unsigned long long)event->ns,
						       event->line);

			good = item && !PyList_Append(unusual, item);
			Py_XDECREF(item);
		} else {
			scan->events[plain++] = *event;
		}
	}
	if (good)
		result = Py_BuildValue("(y#OIO)", scan->events ? (const char *)scan->events : "",
				       plain * (Py_ssize_t)sizeof(struct event), unusual,
				       scan->lines, scan->coarse ? Py_True : Py_False);
	Py_XDECREF(unusual);
	return result;
}

PyDoc_STRVAR(scan_trace_doc,
	     "scan_trace(text)\n--\n\n"
	     "Idle events of trace text, packed; the lines that are not of a plain form (number of\n"
	     "events before it, offset, line from 0 on); how many lines there are, and whether any time\n"
	     "has six decimals.");

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

PyDoc_STRVAR(read_ring_doc,
	     "read_ring(pages, layout, cpu, latest)\n--\n\n"
	     "Idle events of whole pages of a CPU's ring buffer, packed with the time to merge them by,\n"
	     "and the latest time. None where the reference has to say what is wrong with a page.");

static PyObject *read_ring_of(PyObject *self, PyObject *args)
{
	unsigned long long latest;
	Py_buffer pages, packed;
	PyObject *result = NULL;
	unsigned short cpu;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*y*HK", &pages, &packed, &cpu, &latest))
		return NULL;
	const struct ring_layout *layout = packed.buf;

	if (packed.len != sizeof(*layout) || !is_ring_layout(layout) ||
	    pages.len % layout->page_bytes) {
		PyErr_SetString(PyExc_ValueError, "expected a layout and whole pages of it");
	} else {
		size_t room = ring_room(layout, (size_t)pages.len), count;
		struct ring_event *events = malloc(room * sizeof(*events));
		u64 now = latest;
		bool good;

		if (!events) {
			PyErr_NoMemory();
		} else {
			Py_BEGIN_ALLOW_THREADS
			good = read_ring(layout, pages.buf, (size_t)pages.len, cpu, &now, events,
					 &count);
			Py_END_ALLOW_THREADS
			result = good ? Py_BuildValue("(y#K)", (const char *)events,
						      (Py_ssize_t)(count * sizeof(*events)),
						      (unsigned long long)now)
				      : Py_BuildValue("");
		}
		free(events);
	}
	PyBuffer_Release(&pages);
	PyBuffer_Release(&packed);
	return result;
}

PyDoc_STRVAR(sort_ring_doc,
	     "sort_ring(events)\n--\n\n"
	     "What read_ring gave, one CPU after another, in one order: events, packed as scan_trace\n"
	     "does, with lines from 0 on.");

static PyObject *sort_ring_of(PyObject *self, PyObject *args)
{
	PyObject *result = NULL;
	Py_buffer given;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*", &given))
		return NULL;
	size_t count = (size_t)given.len / sizeof(struct ring_event);
	struct ring_event *events = malloc(2 * count * sizeof(*events) + 1);

	if (!events) {
		PyErr_NoMemory();
	} else {
		struct ring_event *sorted;
		struct event *plain;

		Py_BEGIN_ALLOW_THREADS
		memcpy(events, given.buf, count * sizeof(*events));
		sorted = sort_ring(events, events + count, count);
		plain = (struct event *)sorted;
		for (size_t i = 0; i < count; i++) {
			struct event event = sorted[i].event;

			event.line = (u32)i;
			plain[i] = event;
		}
		Py_END_ALLOW_THREADS
		result = PyBytes_FromStringAndSize((const char *)plain,
						   (Py_ssize_t)(count * sizeof(*plain)));
	}
	free(events);
	PyBuffer_Release(&given);
	return result;
}

PyDoc_STRVAR(read_perf_doc,
	     "read_perf(data, at, layout, kinds, ids, times)\n--\n\n"
	     "Idle events of a perf.data's records from an offset on, packed as read_ring does; the offset\n"
	     "of the record at which it stopped, which the reference has to read. times: the latest, that\n"
	     "at the last round, and up to which all are known, 8 bytes each; kept up to date.");

static PyObject *read_perf_of(PyObject *self, PyObject *args)
{
	Py_buffer data, layout, kinds, ids, times;
	PyObject *result = NULL;
	Py_ssize_t at;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*ny*y*y*w*", &data, &at, &layout, &kinds, &ids, &times))
		return NULL;
	struct perf_file file = {
		.kinds = kinds.buf,
		.ids = ids.buf,
		.kind_count = (size_t)kinds.len / sizeof(*file.kinds),
		.id_count = (size_t)ids.len / sizeof(*file.ids),
	};

	if (layout.len == sizeof(file.layout))
		memcpy(&file.layout, layout.buf, sizeof(file.layout));
	if (layout.len != sizeof(file.layout) || times.len != sizeof(struct perf_times) || at < 0 ||
	    at > data.len || !is_perf_file(&file)) {
		PyErr_SetString(PyExc_ValueError, "expected a layout, events of it and an offset");
	} else {
		size_t room = (size_t)(data.len - at) / 16 + 1, count, stop;
		struct ring_event *events = malloc(room * sizeof(*events));

		if (!events) {
			PyErr_NoMemory();
		} else {
			Py_BEGIN_ALLOW_THREADS
			stop = read_perf(&file, data.buf, (size_t)data.len, (size_t)at, times.buf,
					 events, &count);
			Py_END_ALLOW_THREADS
			result = Py_BuildValue("(y#n)", (const char *)events,
					       (Py_ssize_t)(count * sizeof(*events)),
					       (Py_ssize_t)stop);
		}
		free(events);
	}
	PyBuffer_Release(&data);
	PyBuffer_Release(&layout);
	PyBuffer_Release(&kinds);
	PyBuffer_Release(&ids);
	PyBuffer_Release(&times);
	return result;
}

PyDoc_STRVAR(part_ring_doc,
	     "part_ring(events, until)\n--\n\n"
	     "Events as read_ring packs them: those to be merged by a time up to `until`, and the others,\n"
	     "both in their order.");

static PyObject *part_ring_of(PyObject *self, PyObject *args)
{
	unsigned long long until;
	PyObject *result = NULL;
	Py_buffer given;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*K", &given, &until))
		return NULL;
	size_t count = (size_t)given.len / sizeof(struct ring_event), first = 0, last = 0;
	struct ring_event *events = malloc(count * sizeof(*events) + 1), *event = given.buf;
	struct ring_event *later = malloc(count * sizeof(*events) + 1);

	if (!events || !later) {
		PyErr_NoMemory();
	} else {
		Py_BEGIN_ALLOW_THREADS
		for (size_t i = 0; i < count; i++, event++) {
			if (event->key <= until)
				events[first++] = *event;
			else
				later[last++] = *event;
		}
		Py_END_ALLOW_THREADS
		result = Py_BuildValue("(y#y#)", (const char *)events,
				       (Py_ssize_t)(first * sizeof(*events)), (const char *)later,
				       (Py_ssize_t)(last * sizeof(*events)));
	}
	free(events);
	free(later);
	PyBuffer_Release(&given);
	return result;
}

PyMethodDef reader_methods[] = {
	{"read_perf", read_perf_of, METH_VARARGS, read_perf_doc},
	{"part_ring", part_ring_of, METH_VARARGS, part_ring_doc},
	{"read_ring", read_ring_of, METH_VARARGS, read_ring_doc},
	{"sort_ring", sort_ring_of, METH_VARARGS, sort_ring_doc},
	{"scan_trace", scan_trace, METH_VARARGS, scan_trace_doc},
	{"scan_records", scan_records_of, METH_VARARGS, scan_records_doc},
	{"split", split, METH_VARARGS, split_doc},
	{NULL, NULL, 0, NULL},
};
