#include <string.h>

#include "idle_body.h"
#include "ring_buffer.h"

#define SIZE_MASK ((1u << 27) - 1)
#define MISSING_STORED (1u << 30)
#define MISSING (1u << 31)
#define DELTA_BITS 27
#define TOP_BITS (0xf8ull << 56) /* which an absolute time lacks */

enum { LONG = 0, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

static u64 long_at(const struct ring_layout *layout, const u8 *at)
{
	return layout->commit_bytes == 8 ? u64_at(layout->swapped, at) : u32_at(layout->swapped, at);
}

static u32 type_of(const struct ring_layout *layout, const u8 *body)
{
	return layout->big ? (u32)body[0] << 8 | body[1] : (u32)body[1] << 8 | body[0];
}

/* Whether the body of an event is that of a plain idle event, which it then is. */
static bool read_idle(const struct ring_layout *layout, const u8 *body, u32 length,
		      struct event *event)
{
	s32 type = (s32)type_of(layout, body);

	if (type == layout->idle) {
		struct idle_fields fields = {layout->idle_state, layout->idle_cpu, 0};

		return idle_event(layout->swapped, fields, false, body, length, event);
	}
	if (type == layout->miss) {
		struct idle_fields fields = {layout->miss_state, layout->miss_cpu, layout->miss_below};

		return idle_event(layout->swapped, fields, true, body, length, event);
	}
	return false;
}

static bool is_idle(const struct ring_layout *layout, const u8 *body)
{
	s32 type = (s32)type_of(layout, body);

	return type == layout->idle || type == layout->miss;
}

static void add(struct ring_event *events, size_t *count, struct event event, u64 key)
{
	events[*count].event = event;
	events[(*count)++].key = key;
}

static bool read_page(const struct ring_layout *layout, const u8 *page, u16 cpu, u64 *latest,
		      struct ring_event *events, size_t *count)
{
	u64 now = u64_at(layout->swapped, page), commit = long_at(layout, page + 8);
	u32 room = layout->page_bytes - layout->data_at, size = commit & SIZE_MASK;
	const u8 *at = page + layout->data_at, *end = at + size;
	struct event loss = {.what = LOST, .cpu = cpu};
	bool lost = commit & MISSING;

	if (size > room)
		return false;
	if (lost && (commit & MISSING_STORED) && size + layout->commit_bytes <= room)
		loss.ns = long_at(layout, end);
	while (at < end) {
		struct event event = {0};
		u32 word, kind, length;
		u64 delta, extended;

		if (end - at < 4)
			return false;
		word = u32_at(layout->swapped, at);
		kind = layout->big ? word >> DELTA_BITS : word & 31;
		delta = layout->big ? word & SIZE_MASK : word >> 5;
		at += 4;
		if (kind == PADDING && !delta)
			break;
		length = kind * 4;
		if (kind == LONG || kind >= PADDING) {
			if (end - at < 4)
				return false;
			length = u32_at(layout->swapped, at);
		}
		extended = delta + ((u64)length << DELTA_BITS);
		if (kind == PADDING) {
			now += delta;
			if (length >= (size_t)(end - at))
				break;
			at += length;
			continue;
		}
		if (kind == TIME_EXTEND) {
			now += extended;
			at += 4;
			continue;
		}
		if (kind == TIME_STAMP) {
			u64 full = extended | (now & TOP_BITS);

			now = full < now && (now & TOP_BITS) ? full + (1ull << 59) : full;
			at += 4;
			continue;
		}
		now += delta;
		if (kind == LONG) {
			if (length < 4 || length > SIZE_MASK)
				return false;
			length = (length - 4 + 3) & ~3u;
			at += 4;
		}
		if (length > (size_t)(end - at))
			return false;
		if (now > *latest)
			*latest = now;
		if (lost)
			add(events, count, loss, *latest);
		lost = false;
		if (length >= 2 && read_idle(layout, at, length, &event)) {
			event.ns = now;
			add(events, count, event, *latest);
		} else if (length >= 2 && is_idle(layout, at)) {
			return false;
		}
		at += length;
	}
	if (lost)
		add(events, count, loss, *latest);
	return true;
}

bool is_ring_layout(const struct ring_layout *layout)
{
	const s32 offsets[] = {layout->idle_state, layout->idle_cpu, layout->miss_cpu,
			       layout->miss_state, layout->miss_below};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		if (offsets[i] < 0 || offsets[i] > UINT16_MAX)
			return false;
	return (layout->commit_bytes == 4 || layout->commit_bytes == 8) && layout->data_at >= 8 + layout->commit_bytes &&
	       layout->data_at < layout->page_bytes;
}

/* An idle event takes more than 8 bytes, its head included, and a page reports one loss. */
size_t ring_room(const struct ring_layout *layout, size_t length)
{
	return length / 8 + length / layout->page_bytes + 1;
}

bool read_ring(const struct ring_layout *layout, const u8 *pages, size_t length, u16 cpu, u64 *latest,
	       struct ring_event *events, size_t *count)
{
	*count = 0;
	for (size_t at = 0; at < length; at += layout->page_bytes)
		if (!read_page(layout, pages + at, cpu, latest, events, count))
			return false;
	return true;
}

struct ring_event *sort_ring(struct ring_event *events, struct ring_event *spare, size_t count)
{
	for (size_t width = 1; width < count; width *= 2) {
		struct ring_event *sorted = spare;

		for (size_t from = 0; from < count; from += 2 * width) {
			size_t middle = from + width < count ? from + width : count;
			size_t end = from + 2 * width < count ? from + 2 * width : count;
			size_t one = from, other = middle, to = from;

			while (one < middle && other < end)
				sorted[to++] = events[other].key < events[one].key ? events[other++]
										    : events[one++];
			memcpy(sorted + to, events + one, (middle - one) * sizeof(*events));
			to += middle - one;
			memcpy(sorted + to, events + other, (end - other) * sizeof(*events));
		}
		spare = events;
		events = sorted;
	}
	return events;
}
