/* What Python sees of idle periods: pairing, splitting by CPU, and adding up. */
#include <stdlib.h>

#include "module.h"
#include "pairing.h"

#define SIZE(type) ((Py_ssize_t)sizeof(type))
#define COUNT(buffer, type) ((size_t)(buffer).len / sizeof(type))

PyDoc_STRVAR(pair_doc,
	     "pair(cpus, events, start)\n--\n\n"
	     "Pairs events from `start` on, with what is known of the CPUs from before. Returns the\n"
	     "index of the first that is left to the reference, or their number; how many of them\n"
	     "were cpu_idle_miss; and the periods that are complete, packed.");

static PyObject *pair_of(PyObject *self, PyObject *args)
{
	size_t done = 0, found = 0;
	PyObject *result = NULL;
	struct period *periods;
	Py_buffer cpus, events;
	Py_ssize_t start;
	u64 misses = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "w*y*n", &cpus, &events, &start))
		return NULL;
	size_t count = COUNT(events, struct event);

	if (has_size(&cpus, (Py_ssize_t)COUNT(cpus, struct pairing) * SIZE(struct pairing), "CPUs") &&
	    has_size(&events, (Py_ssize_t)count * SIZE(struct event), "events")) {
		if (start < 0 || (size_t)start > count) {
			PyErr_SetString(PyExc_ValueError, "expected a start within the events");
		} else if (!(periods = malloc((count + 1) * sizeof(*periods)))) {
			PyErr_NoMemory();
		} else {
			Py_BEGIN_ALLOW_THREADS
			done = pair(cpus.buf, COUNT(cpus, struct pairing),
				    (const struct event *)events.buf + start,
				    count - (size_t)start, periods, &found, &misses);
			Py_END_ALLOW_THREADS
			result = Py_BuildValue("(nKy#)", start + (Py_ssize_t)done,
					       (unsigned long long)misses, (const char *)periods,
					       (Py_ssize_t)found * SIZE(struct period));
			free(periods);
		}
	}
	PyBuffer_Release(&cpus);
	PyBuffer_Release(&events);
	return result;
}

PyDoc_STRVAR(by_cpu_doc,
	     "by_cpu(periods)\n--\n\n"
	     "(CPU, its periods), in the order of the CPUs' first ones.");

static PyObject *by_cpu(PyObject *self, PyObject *args)
{
	size_t *counts = calloc(CPU_LAST + 1, sizeof(*counts));
	char **to = calloc(CPU_LAST + 1, sizeof(*to));
	PyObject *result = PyList_New(0);
	bool good = counts && to && result;
	Py_buffer periods;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*", &periods)) {
		good = false;
		periods.len = 0;
		periods.obj = NULL;
	}
	const struct period *all = periods.buf;
	size_t count = COUNT(periods, struct period);

	for (size_t i = 0; good && i < count; i++) {
		good = all[i].cpu <= CPU_LAST;
		if (good)
			counts[all[i].cpu]++;
		else
			PyErr_SetString(PyExc_ValueError, "expected CPUs below 8192");
	}
	for (size_t i = 0; good && i < count; i++) {
		u32 cpu = all[i].cpu;

		if (!to[cpu]) {
			PyObject *own = PyBytes_FromStringAndSize(
				NULL, (Py_ssize_t)counts[cpu] * SIZE(struct period));
			PyObject *item = own ? Py_BuildValue("(IO)", cpu, own) : NULL;

			good = item && !PyList_Append(result, item);
			to[cpu] = good ? PyBytes_AsString(own) : NULL;
			Py_XDECREF(item);
			Py_XDECREF(own);
			if (!good)
				break;
		}
		memcpy(to[cpu], &all[i], sizeof(all[i]));
		to[cpu] += sizeof(all[i]);
	}
	if (!good) {
		Py_CLEAR(result);
		if (!PyErr_Occurred())
			PyErr_NoMemory();
	}
	free(counts);
	free(to);
	PyBuffer_Release(&periods);
	return result;
}

PyDoc_STRVAR(idle_doc,
	     "idle_ns(periods)\n--\n\n"
	     "The sum of the periods' lengths, and how often it has passed 2^64.");

static PyObject *idle_of(PyObject *self, PyObject *args)
{
	u64 sum = 0, carried = 0;
	Py_buffer periods;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*", &periods))
		return NULL;
	const struct period *all = periods.buf;

	for (size_t i = 0; i < COUNT(periods, struct period); i++) {
		u64 length = all[i].end_ns - all[i].start_ns;

		sum += length;
		carried += sum < length;
	}
	PyBuffer_Release(&periods);
	return Py_BuildValue("(KK)", (unsigned long long)sum, (unsigned long long)carried);
}

PyDoc_STRVAR(gather_doc,
	     "gather(periods, splits, first, buckets)\n--\n\n"
	     "Adds the periods' lengths to a histogram: splits 8 bytes each, first 4 bytes a bucket,\n"
	     "buckets 32 bytes each, gap_buckets of them and one for each split.");

static PyObject *gather_of(PyObject *self, PyObject *args)
{
	Py_buffer periods, splits, first, buckets;
	PyObject *result = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*y*y*w*", &periods, &splits, &first, &buckets))
		return NULL;
	size_t split_count = COUNT(splits, u64);

	if (has_size(&first, BUCKETS * SIZE(u32), "first") &&
	    has_size(&buckets, (Py_ssize_t)(BUCKETS + split_count) * SIZE(struct bucket), "buckets")) {
		Py_BEGIN_ALLOW_THREADS
		gather(periods.buf, COUNT(periods, struct period), splits.buf, split_count,
		       first.buf, buckets.buf);
		Py_END_ALLOW_THREADS
		result = Py_NewRef(Py_None);
	}
	PyBuffer_Release(&periods);
	PyBuffer_Release(&splits);
	PyBuffer_Release(&first);
	PyBuffer_Release(&buckets);
	return result;
}

PyDoc_STRVAR(observe_doc,
	     "observe(thresholds, exits, nanoseconds, periods, counters, suspects, refused)\n--\n\n"
	     "Counts a CPU's periods as entered. exits: 8 bytes a state, in ns. suspects: counters of\n"
	     "those that the driver refused if the trace has cpu_idle_miss. refused: it has; a byte a\n"
	     "period, 1 for these, which are counted as rejected; or empty. Returns how many disagree\n"
	     "with their cpu_idle_miss, how many of these say above and below, how many are suspects,\n"
	     "and how many are of states beyond.");

static PyObject *observe_of(PyObject *self, PyObject *args)
{
	Py_buffer thresholds, exits, periods, counters, suspects, refused;
	struct observed observed = {0};
	PyObject *result = NULL;
	int nanoseconds;

	(void)self;
	if (!PyArg_ParseTuple(args, "y*y*py*w*w*w*", &thresholds, &exits, &nanoseconds, &periods,
			      &counters, &suspects, &refused))
		return NULL;
	Py_ssize_t states = thresholds.len / SIZE(struct threshold);

	if (has_size(&exits, states * SIZE(u64), "exits") &&
	    has_size(&counters, states * SIZE(struct counter), "counters") &&
	    has_size(&suspects, states * SIZE(struct counter), "suspects") &&
	    (!refused.len ||
	     has_size(&refused, (Py_ssize_t)COUNT(periods, struct period), "refused"))) {
		Py_BEGIN_ALLOW_THREADS
		observe(thresholds.buf, exits.buf, (u32)states, nanoseconds, periods.buf,
			COUNT(periods, struct period), counters.buf, suspects.buf,
			refused.len ? refused.buf : NULL, &observed);
		Py_END_ALLOW_THREADS
		result = Py_BuildValue("(KKKKK)", (unsigned long long)observed.disagreements,
				       (unsigned long long)observed.above,
				       (unsigned long long)observed.below,
				       (unsigned long long)observed.refused,
				       (unsigned long long)observed.beyond);
	}
	PyBuffer_Release(&thresholds);
	PyBuffer_Release(&exits);
	PyBuffer_Release(&periods);
	PyBuffer_Release(&counters);
	PyBuffer_Release(&suspects);
	PyBuffer_Release(&refused);
	return result;
}

PyDoc_STRVAR(without_doc,
	     "without(periods, refused)\n--\n\n"
	     "The periods but for those refused. refused: CPU, and a byte a period of it, 1 for these;\n"
	     "of CPUs that are not in it, none are.");

static PyObject *without(PyObject *self, PyObject *args)
{
	struct left {
		const u8 *at, *end;
	} *lefts = calloc((CPU_LAST + 1), sizeof(*lefts));
	PyObject *refused, *result = NULL;
	Py_buffer periods = {0};
	bool good = lefts && PyArg_ParseTuple(args, "y*O!", &periods, &PyList_Type, &refused);

	(void)self;
	for (Py_ssize_t i = 0; good && i < PyList_Size(refused); i++) {
		const char *bytes;
		Py_ssize_t count;
		unsigned short cpu;

		good = PyArg_ParseTuple(PyList_GetItem(refused, i), "Hy#", &cpu, &bytes, &count);
		if (good && cpu <= CPU_LAST)
			lefts[cpu] = (struct left){(const u8 *)bytes, (const u8 *)bytes + count};
	}
	struct period *kept = good ? malloc((size_t)periods.len + 1) : NULL;

	if (kept) {
		const struct period *all = periods.buf;
		struct period *next = kept;

		for (size_t i = 0; i < COUNT(periods, struct period); i++) {
			struct left *left = &lefts[all[i].cpu & CPU_LAST];

			if (left->at == left->end || !*left->at++)
				*next++ = all[i];
		}
		result = PyBytes_FromStringAndSize((const char *)kept,
						   (next - kept) * SIZE(struct period));
	}
	free(kept);
	if (!result && !PyErr_Occurred())
		PyErr_NoMemory();
	free(lefts);
	PyBuffer_Release(&periods);
	return result;
}

PyMethodDef period_methods[] = {
	{"pair", pair_of, METH_VARARGS, pair_doc},
	{"by_cpu", by_cpu, METH_VARARGS, by_cpu_doc},
	{"idle_ns", idle_of, METH_VARARGS, idle_doc},
	{"gather", gather_of, METH_VARARGS, gather_doc},
	{"observe", observe_of, METH_VARARGS, observe_doc},
	{"without", without, METH_VARARGS, without_doc},
	{NULL, NULL, 0, NULL},
};
