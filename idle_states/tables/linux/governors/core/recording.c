#include "recording.h"

#define LINE_MAX_PLAIN 2000

enum { CPU, STATE, STOP_TICK, SLEEP, DELTA, CLOCK, RESIDENCY, LOAD, LATENCY, IOWAITERS, STOPPED,
       REJECTED, GOT_TICK, POLL_LIMIT, EARLIER_STATE, EARLIER_RESIDENCY, UTIL, CAPACITY, FIELDS };

const char *const record_fields[] = {
	"cpu", "state", "stop_tick", "sleep_length_ns", "delta_next_ns", "clock_at_select_ns",
	"residency_ns", "load", "latency_req_us", "nr_iowaiters", "tick_stopped", "rejected",
	"got_tick", "poll_time_limit", "earlier_state", "earlier_residency_ns", "cpu_util",
	"cpu_capacity", NULL,
};

static void put(struct record *r, u64 field, u64 value)
{
	switch (field) {
	case CPU:
		r->cpu = (u32)value;
		break;
	case STATE:
		r->decision.state = r->row.recorded = (u8)value;
		break;
	case STOP_TICK:
		r->decision.stop_tick = (u8)value;
		break;
	case SLEEP:
		r->row.sleep_length_ns = (s64)value;
		break;
	case DELTA:
		r->row.delta_next_ns = (s64)value;
		break;
	case CLOCK:
		r->row.clock_ns = value;
		break;
	case RESIDENCY:
		r->row.residency_ns = value;
		break;
	case LOAD:
		r->row.load = value;
		break;
	case LATENCY:
		r->row.latency_req_us = (u32)value;
		break;
	case IOWAITERS:
		r->row.nr_iowaiters = (u32)value;
		break;
	case STOPPED:
		r->row.tick_stopped = (u8)value;
		break;
	case REJECTED:
		r->row.rejected = (u8)value;
		break;
	case GOT_TICK:
		r->row.got_tick = (u8)value;
		break;
	case POLL_LIMIT:
		r->row.poll_time_limit = (u8)value;
		break;
	case EARLIER_STATE:
		r->earlier_state = (s8)value;
		break;
	case EARLIER_RESIDENCY:
		r->earlier_residency_ns = value;
		break;
	case UTIL:
		r->row.cpu_util = (u32)value;
		break;
	default:
		r->row.cpu_capacity = value ? (u32)value : CPU_CAPACITY;
	}
}

/* One value and what ends it, a comma or the line. Returns what follows, NULL if it is not plain. */
static const char *scan_value(const char *at, const char *end, bool last,
			      const struct column *column, u64 *value)
{
	bool negative = *at == '-';
	const char *from;
	u64 found = 0;

	from = at += negative;
	while (at < end && (u8)(*at - '0') < 10) {
		u64 digit = (u64)(*at++ - '0');

		if (found > (U64_MAX - digit) / 10)
			return NULL;
		found = found * 10 + digit;
	}
	if (at == from)
		return NULL;
	if (negative ? found > (u64)INT64_MAX || -(s64)found < column->least
		     : found > column->greatest || (column->least > 0 && found < (u64)column->least))
		return NULL;
	*value = negative ? (u64)-(s64)found : found;
	if (last) {
		while (at < end && *at == '\r')
			at++;
		return at == end ? at : NULL;
	}
	return at < end && *at == ',' ? at + 1 : NULL;
}

const char *scan_records(const char *text, const char *end, const struct column *columns,
			 size_t column_count, u64 wake_ns, u64 *line, struct record *records,
			 size_t room, size_t *count)
{
	for (*count = 0; text < end && *count < room; (*count)++, (*line)++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *at = text;
		struct record *r = &records[*count];

		if (!newline || newline - text > LINE_MAX_PLAIN)
			return text;
		memset(r, 0, sizeof(*r));
		r->row.cpu_capacity = CPU_CAPACITY;
		for (size_t i = 0; i < column_count; i++) {
			u64 value = 0;

			/* What follows a comma, if only the newline, may be read. */
			at = scan_value(at, newline, i + 1 == column_count, &columns[i], &value);
			if (!at)
				return text;
			put(r, columns[i].field, value);
		}
		r->row.reflect_clock_ns = r->row.clock_ns + r->row.residency_ns + wake_ns;
		r->row.entered = AS_SELECTED;
		r->line = *line;
		text = newline + 1;
	}
	return text;
}

bool are_fields(const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].field >= FIELDS)
			return false;
	return true;
}
