/* What a binary trace has of an idle event, in the file's byte order. */
#ifndef IDLE_STATES_IDLE_BODY_H
#define IDLE_STATES_IDLE_BODY_H

#include <string.h>

#include "trace.h"

static inline u16 u16_at(bool swapped, const u8 *at)
{
	u16 value;

	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap16(value) : value;
}

static inline u32 u32_at(bool swapped, const u8 *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap32(value) : value;
}

static inline u64 u64_at(bool swapped, const u8 *at)
{
	u64 value;

	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap64(value) : value;
}

/* Offsets of an event's fields. below: of cpu_idle_miss, else 0. */
struct idle_fields {
	s32 state, cpu, below;
};

/* Fills in an event from the bytes of its tracepoint. Returns false where they are not its. */
static inline bool idle_event(bool swapped, struct idle_fields fields, bool is_miss, const u8 *body,
			      u32 length, struct event *event)
{
	u32 state, cpu;

	if ((u32)fields.state + 4 > length || (u32)fields.cpu + 4 > length ||
	    (u32)fields.below + 1 > length)
		return false;
	state = u32_at(swapped, body + fields.state);
	cpu = u32_at(swapped, body + fields.cpu);
	if (is_miss)
		event->what = MISS - 2 * (s64)state - (body[fields.below] != 0);
	else
		event->what = state == U32_MAX ? EXIT : (s64)state;
	event->cpu = (u16)cpu;
	return cpu <= CPU_LAST;
}

#endif
