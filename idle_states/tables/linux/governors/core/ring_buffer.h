/* Idle events in pages of ftrace's ring buffer; see traces/ring_buffer.py, which says what is right. */
#ifndef IDLE_STATES_RING_BUFFER_H
#define IDLE_STATES_RING_BUFFER_H

#include "structs.h" /* by tools/eras.py, from structs.py */
#include "trace.h"

/* key: the latest time on the event's CPU until then, by which CPUs are merged. */
struct ring_event {
	struct event event;
	u64 key;
};
_Static_assert(sizeof(struct ring_event) == 32, "as packed");

/* Whether all that is read by a layout lies within a page, or an event of the length checked. */
bool is_ring_layout(const struct ring_layout *layout);

/* The most events of so many bytes of pages. */
size_t ring_room(const struct ring_layout *layout, size_t length);

/*
 * Reads whole pages of a CPU. latest: the greatest time yet. events: as many as ring_room()
 * says. Returns false where anything is not as it should be.
 */
bool read_ring(const struct ring_layout *layout, const u8 *pages, size_t length, u16 cpu, u64 *latest,
	       struct ring_event *events, size_t *count);

/* Sorts by key; equal ones keep their order. spare: of the same size. Returns where they are then. */
struct ring_event *sort_ring(struct ring_event *events, struct ring_event *spare, size_t count);

#endif
