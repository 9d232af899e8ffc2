/* What the files that Python sees share. */
#ifndef IDLE_STATES_MODULE_H
#define IDLE_STATES_MODULE_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core.h"

struct governor {
	const char *name;
	const struct feature *features;
	replay_fn *any;
	replay_fn *(*specialised)(const u32 *features);
	finish_fn *finish;
	switched_on_fn *switched_on;
	swept_fn *sweep;
	settled_fn *settled;
	same_fn *same;
	look_fn *look;
};

/* One CPU's governor as Python names it. */
struct cpu {
	Py_buffer features, states, memory;
	const struct governor *governor;
	struct table table;
	bool nanoseconds; /* the table's unit */
};

/* Checks what was parsed, and makes the table; false with an exception set. */
bool prepare(struct cpu *cpu, const char *name, unsigned int hz);
void release(struct cpu *cpu);
replay_fn *code(const struct cpu *cpu, bool specialised);
bool has_size(const Py_buffer *buffer, Py_ssize_t size, const char *what);

/* Each ends with an entry without name. */
extern PyMethodDef reader_methods[], period_methods[], counting_methods[], settling_methods[],
	simulating_methods[], trying_methods[], playing_methods[], inferring_methods[];

#endif
