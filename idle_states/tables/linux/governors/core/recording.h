/* Exact recordings as comma-separated values, in plain lines: digits, commas, nothing else. */
#ifndef IDLE_STATES_RECORDING_H
#define IDLE_STATES_RECORDING_H

#include "core.h"

#define CPUS_MAX 8192

/* One line: the row, and what was recorded of the decision. */
struct record {
	struct row row;
	u64 line, earlier_residency_ns;
	u32 cpu;
	struct decision decision;
	s8 earlier_state;
	u8 padding;
};

/* A column of the file: which field it is, and which values it may have. */
struct column {
	u64 field;
	s64 least;
	u64 greatest;
};
_Static_assert(sizeof(struct record) == 96 && sizeof(struct column) == 24, "as packed");

extern const char *const record_fields[];

/*
 * Reads whole lines until `end` or one that is not plain. Returns where it stopped; *line is the
 * number of the line there, *count how many records were filled, `room` at most.
 * wake_ns: from the end of an idle period to reflect().
 */
const char *scan_records(const char *text, const char *end, const struct column *columns,
			 size_t column_count, u64 wake_ns, u64 *line, struct record *records,
			 size_t room, size_t *count);

/* Whether every field of `columns` is known. */
bool are_fields(const struct column *columns, size_t count);

#endif
