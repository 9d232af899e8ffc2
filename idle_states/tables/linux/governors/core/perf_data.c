#include "idle_body.h"
#include "perf_data.h"

#define OFFSET_MAX 4096

enum { LOST_EVENTS = 2, SAMPLE = 9, USER = 64, ROUND = 68, AUXTRACE = 71, PACKED = 81, PACKED_2 = 83 };

static const struct perf_kind *kind_of(const struct perf_file *file, u64 id)
{
	size_t from = 0, to = file->id_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (file->ids[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == file->id_count || file->ids[from].id != id || file->ids[from].kind >= file->kind_count)
		return NULL;
	return &file->kinds[file->ids[from].kind];
}

static void pass(struct perf_times *times, u64 now)
{
	if (now != UINT64_MAX)
		times->latest = greatest(times->latest, now);
}

/* A sample that is whole. Returns false where the reference has to read it. */
static bool read_sample(const struct perf_file *file, const u8 *record, u32 size, struct perf_times *times,
			struct ring_event *events, size_t *count)
{
	const struct perf_kind *kind = file->kinds;
	struct event event = {0};
	u64 now = 0, raw;
	const u8 *body;

	if (file->layout.id_at >= 0) {
		if ((u32)file->layout.id_at + 8 > size)
			return false;
		kind = kind_of(file, u64_at(file->layout.swapped, record + file->layout.id_at));
	}
	if (!kind || (u32)kind->time_at + 8 > size)
		return false;
	if (kind->time_at)
		now = u64_at(file->layout.swapped, record + kind->time_at);
	if (kind->what == PERF_OTHER || kind->raw_at < 0) {
		pass(times, now);
		return true;
	}
	raw = (u64)kind->raw_at;
	if (kind->chain_at >= 0) {
		u64 callers;

		if ((u32)kind->chain_at + 8 > size)
			return false;
		callers = u64_at(file->layout.swapped, record + kind->chain_at);
		if (callers > size / 8)
			return false;
		raw += 8 * callers;
	}
	if (raw + 4 > size || u32_at(file->layout.swapped, record + raw) > size - raw - 4)
		return false;
	body = record + raw + 4;
	size = u32_at(file->layout.swapped, record + raw);
	struct idle_fields fields = {kind->state, kind->cpu, kind->below};

	if (!idle_event(file->layout.swapped, fields, kind->what == PERF_MISS, body, size, &event))
		return false;
	event.ns = now;
	pass(times, now);
	events[(*count)++] = (struct ring_event){event, now};
	return true;
}

/* The time that follows a record of the kernel's. */
static void read_trailing(const struct perf_file *file, const u8 *record, u32 size,
			  struct perf_times *times)
{
	const struct perf_kind *kind = file->kinds;
	s32 back = file->layout.id_back;

	if (back > 0 && (u32)back <= size - 8)
		kind = kind_of(file, u64_at(file->layout.swapped, record + size - back));
	if (kind && kind->time_back > 0 && (u32)kind->time_back <= size - 8)
		pass(times, u64_at(file->layout.swapped, record + size - kind->time_back));
}

static bool is_place(s32 at)
{
	return at >= -1 && at <= OFFSET_MAX;
}

static bool is_field(s32 at)
{
	return at >= 0 && at <= UINT16_MAX * 2;
}

bool is_perf_file(const struct perf_file *file)
{
	if (!file->kind_count || !is_place(file->layout.id_at) || !is_place(file->layout.id_back))
		return false;
	for (size_t i = 0; i < file->kind_count; i++) {
		const struct perf_kind *kind = &file->kinds[i];

		if (kind->time_at < 0 || kind->time_at > OFFSET_MAX || !is_place(kind->time_back) ||
		    !is_place(kind->chain_at) || !is_place(kind->raw_at) ||
		    !is_field(kind->state) || !is_field(kind->cpu) ||
		    !is_field(kind->below))
			return false;
	}
	return true;
}

size_t read_perf(const struct perf_file *file, const u8 *data, size_t length, size_t at,
		 struct perf_times *times, struct ring_event *events, size_t *count)
{
	*count = 0;
	for (u32 size; length - at >= 8; at += size) {
		const u8 *record = data + at;
		u32 type = u32_at(file->layout.swapped, record);

		size = u16_at(file->layout.swapped, record + 6);
		if (size < 8 || size > length - at)
			break;
		if (type == SAMPLE) {
			if (!read_sample(file, record, size, times, events, count))
				break;
		} else if (type == ROUND) {
			times->settled = times->at_round;
			times->at_round = times->latest;
		} else if (type == LOST_EVENTS || type == AUXTRACE || type == PACKED ||
			   type == PACKED_2) {
			break;
		} else if (type < USER) {
			read_trailing(file, record, size, times);
		}
	}
	return at;
}
