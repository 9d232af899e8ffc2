/* Idle events in records of a perf.data; see traces/perf_data.py, which says what is right. */
#ifndef IDLE_STATES_PERF_DATA_H
#define IDLE_STATES_PERF_DATA_H

#include "idle_body.h"
#include "ring_buffer.h" /* and so structs.h: struct perf_layout, struct perf_kind */

enum { PERF_OTHER, PERF_IDLE, PERF_MISS };

struct perf_id {
	u64 id, kind;
};

/* Times: the latest, that at the last round, and that at the round before. */
struct perf_times {
	u64 latest, at_round, settled;
};

struct perf_file {
	struct perf_layout layout;
	const struct perf_kind *kinds;
	const struct perf_id *ids; /* ascending */
	size_t kind_count, id_count;
};

/* Whether all offsets are such that only ends of records have to be looked at. */
bool is_perf_file(const struct perf_file *file);

/*
 * Reads records from `at` on. Returns where it stopped: at one that is not whole, or that is left to
 * the reference. events: room for one in 16 bytes.
 */
size_t read_perf(const struct perf_file *file, const u8 *data, size_t length, size_t at,
		 struct perf_times *times, struct ring_event *events, size_t *count);

#endif
