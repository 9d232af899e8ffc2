#define _GNU_SOURCE
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "trace.h"

#define NAME "cpu_idle"
#define NAME_LENGTH 8
#define SHORT_LINE 40 /* what is shorter is no event, or may be broken */
#define BLANKS_MAX 4
#define LOSS "PERF_RECORD_LOST"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return (u8)(c - '0') < 10;
}

static bool is_word(char c)
{
	return is_digit(c) || (u8)((c | 32) - 'a') < 26 || c == '_' || c == '-';
}

static bool has_odd_bytes(const char *at, const char *end)
{
	u8 odd = 0;

	/* A NUL less one is above 127, too. */
	for (; at < end; at++)
		odd |= (u8)*at | (u8)((u8)*at - 1);
	return odd >> 7;
}

/* memmem(), with first and last letter looked for sixteen places at a time. */
INLINE const char *find(const char *at, const char *end, const char *what, size_t length)
{
#ifdef __SSE2__
	const __m128i first = _mm_set1_epi8(what[0]), last = _mm_set1_epi8(what[length - 1]);

	for (; end - at >= (ptrdiff_t)(16 + length); at += 16) {
		__m128i begins = _mm_loadu_si128((const __m128i *)at);
		__m128i ends = _mm_loadu_si128((const __m128i *)(at + length - 1));
		u32 both = (u32)_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(begins, first),
								_mm_cmpeq_epi8(ends, last)));

		for (; both; both &= both - 1)
			if (!memcmp(at + lowest(both), what, length))
				return at + lowest(both);
	}
#endif
	return memmem(at, (size_t)(end - at), what, length);
}
#define FIND(at, end, what) find(at, end, what, sizeof(what) - 1)

/* Digits from `at` on. Returns what follows; NULL if there are none or more than `most`. */
static const char *digits(const char *at, const char *end, int most, u64 *value)
{
	const char *from = at;
	u64 found = 0;

	for (; at < end && is_digit(*at); at++) {
		if (at - from == most)
			return NULL;
		found = found * 10 + (u64)(*at - '0');
	}
	*value = found;
	return at == from ? NULL : at;
}

static const char *literal(const char *at, const char *end, const char *text, size_t length)
{
	return at && (size_t)(end - at) >= length && !memcmp(at, text, length) ? at + length : NULL;
}
#define LITERAL(at, end, text) literal(at, end, text, sizeof(text) - 1)

static bool only_blanks(const char *at, const char *end)
{
	if (!at || end - at > BLANKS_MAX)
		return false;
	for (; at < end; at++)
		if (!is_blank(*at) && *at != '\r')
			return false;
	return true;
}

/* What follows the name. */
static bool scan_payload(const char *at, const char *end, struct event *event)
{
	const char *miss = LITERAL(at, end, "_miss");
	u64 state, cpu;

	if (miss)
		at = miss;
	at = LITERAL(at, end, ":");
	if (!at || at == end || !is_blank(*at))
		return false;
	while (at < end && is_blank(*at))
		at++;
	if (miss) {
		bool below;

		if (!(at = LITERAL(at, end, "cpu_id=")) || !(at = digits(at, end, 5, &cpu)) ||
		    !(at = LITERAL(at, end, " state=")) || !(at = digits(at, end, 10, &state)) ||
		    !(at = LITERAL(at, end, " type=")))
			return false;
		below = LITERAL(at, end, "below") != NULL;
		at = below ? at + 5 : LITERAL(at, end, "above");
		event->what = MISS - 2 * (s64)state - below;
	} else {
		if (!(at = LITERAL(at, end, "state=")) || !(at = digits(at, end, 10, &state)) ||
		    !(at = LITERAL(at, end, " cpu_id=")) || !(at = digits(at, end, 5, &cpu)))
			return false;
		event->what = state == U32_MAX ? EXIT : (s64)state;
	}
	event->cpu = (u32)cpu;
	return cpu <= CPU_LAST && only_blanks(at, end);
}

/* The time whose colon is the last character before `end`: 1082.183820: Sets where it begins. */
static bool scan_time(const char *line, const char *end, struct event *event, const char **from)
{
	const char *at = end - 1, *point;
	u64 fraction = 0, seconds = 0;

	while (at > line && is_digit(at[-1]))
		at--;
	if ((end - 1 - at != 9 && end - 1 - at != 6) || at - line < 2 || at[-1] != '.')
		return false;
	event->coarse = end - 1 - at == 6;
	digits(at, end - 1, 9, &fraction);
	point = at - 1;
	for (at = point; at > line && is_digit(at[-1]); at--)
		;
	if (at == point || point - at > 10 || (at > line && !is_blank(at[-1])))
		return false;
	digits(at, point, 10, &seconds);
	event->ns = seconds * NS_PER_SEC + fraction * (event->coarse ? 1000 : 1);
	*from = at;
	return true;
}

/* An event of cpu_idle whose name is at `name`, the first of its kind in the line. */
static bool scan_idle(struct event *event, const char *line, const char *name, const char *end)
{
	const char *at = name, *from, *colon;

	/* A subsystem, in perf's text. */
	if (at > line && at[-1] == ':') {
		for (at--; at > line && is_word(at[-1]); at--)
			;
		if (at == name - 1)
			return false;
	}
	if (at == line || !is_blank(at[-1]))
		return false;
	while (at > line && is_blank(at[-1]))
		at--;
	if (at == line || at[-1] != ':' || !scan_time(line, at, event, &from))
		return false;
	/* The first time in the line is meant: no other may be before it. */
	for (colon = line; (colon = memchr(colon, ':', (size_t)(from - colon))); colon++)
		if (is_blank(colon[1]))
			return false;
	return scan_payload(name + NAME_LENGTH, end, event);
}

/* Whether the line has the time and the name of an event. It has no cpu_idle. */
static bool is_event(const char *line, const char *end)
{
	for (const char *at = line; at < end; at++) {
		const char *to;
		u64 value;

		if (!is_digit(*at) || (at > line && !is_blank(at[-1])) ||
		    !(to = digits(at, end, 10, &value)) || !(to = LITERAL(to, end, ".")))
			continue;
		at = to;
		to = digits(at, end, 9, &value);
		if (!to || (to - at != 9 && to - at != 6) || end - to < 3 || *to != ':' ||
		    !is_blank(to[1]))
			continue;
		for (to++; to < end && is_blank(*to); to++)
			;
		if (to < end && is_word(*to))
			return true;
	}
	return false;
}

static bool is_odd(char c)
{
	return (u8)c > 127 || c == 0;
}

/* Whether a line without cpu_idle means nothing, for sure. */
static bool is_nothing(const struct scan *scan, const char *line, const char *end)
{
	const char *at = line;
	bool odd = false;

	while (at < end && (is_blank(*at) || (u8)(*at - '\v') < 3))
		at++;
	if (LITERAL(at, end, "CPU:") ||
	    (scan->losses && FIND(at, end, LOSS)))
		return false;
	if (scan->odd_bytes)
		for (const char *each = line; each < end && !odd; each++)
			odd = is_odd(*each);
	if (odd)
		return is_event(line, end);
	return end - line >= SHORT_LINE || at == end || *at == '#' || LITERAL(at, end, "=> ") ||
	       is_event(line, end);
}

static bool has_room(struct scan *scan)
{
	struct event *more;

	if (scan->count < scan->room)
		return true;
	more = realloc(scan->events, (scan->room * 2 + 1024) * sizeof(*more));
	if (more) {
		scan->events = more;
		scan->room = scan->room * 2 + 1024;
	}
	return more != NULL;
}

bool scan_events(struct scan *scan, const char *text, size_t length)
{
	const char *end = text + length, *at = text;
	const char *name = FIND(text, end, NAME);

	scan->odd_bytes = has_odd_bytes(text, end);
	scan->losses = FIND(text, end, LOSS) != NULL;
	for (; at < end; scan->lines++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct event *event;
		bool plain;

		if (!has_room(scan))
			return false;
		event = &scan->events[scan->count];
		event->line = scan->lines;
		if (name && name < stop) {
			plain = scan_idle(event, at, name, stop);
			scan->coarse |= plain && event->coarse;
			name = FIND(stop, end, NAME);
			scan->count++;
		} else {
			plain = is_nothing(scan, at, stop);
			scan->count += !plain;
		}
		if (!plain) {
			event->what = UNUSUAL;
			event->ns = (u64)(at - text);
		}
		at = stop + (newline != NULL);
	}
	return true;
}
