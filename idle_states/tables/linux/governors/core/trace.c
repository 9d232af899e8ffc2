#define _GNU_SOURCE
#include <stdlib.h>

#include "trace.h"
#include "trace_digits.h"
#include "trace_marks.h"

#define BLANKS_MAX 4
#define LOSS "PERF_RECORD_LOST"
#define LOSS_BEGINS "CPU:"

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
	for (u64 text = 0; end - at >= 8 && !text; at += text ? __builtin_ctzll(text) / 8 : 8)
		text = le64_at(at) ^ EIGHT(' ');
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
		const char *left;

		if (!(at = LITERAL(at, end, "state=")))
			return false;
		left = LITERAL(at, end, "4294967295");
		state = U32_MAX;
		if (!(at = left ? left : digits(at, end, 10, &state)) ||
		    !(at = LITERAL(at, end, " cpu_id=")) || !(at = digits(at, end, 5, &cpu)))
			return false;
		event->what = state == U32_MAX ? EXIT : (s64)state;
	}
	event->cpu = (u32)cpu;
	return cpu <= CPU_LAST && only_blanks(at, end);
}

/* Nine or six digits between a point and `end`: the decimals of a time, in ns. Returns the point. */
static const char *scan_decimals(const char *line, const char *end, struct event *event)
{
	const char *at = end;
	u64 value = 0;

	if (end - line > 10 && end[-10] == '.' && is_digit(end[-9]) &&
	    eight_digits(le64_at(end - 8), &value)) {
		event->coarse = false;
		event->ns = (u64)(end[-9] - '0') * 100000000 + value;
		return end - 10;
	}
	while (at > line && is_digit(at[-1]))
		at--;
	if ((end - at != 9 && end - at != 6) || at == line || at[-1] != '.')
		return NULL;
	event->coarse = end - at == 6;
	digits(at, end, 9, &value);
	event->ns = value * (event->coarse ? 1000 : 1);
	return at - 1;
}

/* The time whose colon is the last character before `end`: 1082.183820: Returns where it begins. */
static const char *scan_time(struct scan *scan, const char *line, const char *end, struct event *event)
{
	const char *point = scan_decimals(line, end - 1, event), *at = point;
	u64 seconds = 0, before;

	if (!point)
		return NULL;
	/* Most are of the same second as the one before. */
	before = point - line >= 8 ? le64_at(point - 8) : 0;
	if (scan->second_mask && (before & scan->second_mask) == scan->second_text &&
	    point - line >= 8) {
		event->ns += scan->second_ns;
		return point - scan->second_digits;
	}
	while (at > line && is_digit(at[-1]))
		at--;
	if (at == point || point - at > 10 || (at > line && !is_blank(at[-1])))
		return NULL;
	digits(at, point, 10, &seconds);
	event->ns += seconds * NS_PER_SEC;
	if (point - at < 8 && point - line >= 8) {
		/* with the blank before it */
		scan->second_digits = (u32)(point - at);
		scan->second_mask = ~0ull << 8 * (7 - scan->second_digits);
		scan->second_text = before & scan->second_mask;
		scan->second_ns = seconds * NS_PER_SEC;
	}
	return at;
}

/* Whether a colon and a blank are between. */
static bool has_label(const char *at, const char *end)
{
	if (!has_colon(at, end))
		return false;
	for (; (at = memchr(at, ':', (size_t)(end - at))); at++)
		if (is_blank(at[1]))
			return true;
	return false;
}

/* An event of cpu_idle whose name is at `name`, the first of its kind in the line. */
static bool scan_idle(struct scan *scan, struct event *event, const char *line, const char *name,
		      const char *end)
{
	const char *at = name, *from;

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
	if (at == line || at[-1] != ':' || !(from = scan_time(scan, line, at, event)))
		return false;
	/* The first time in the line is meant: no other may be before it. */
	return !has_label(line, from) && scan_payload(name + NAME_LENGTH, end, event);
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
	    (scan->losses && memmem(at, (size_t)(end - at), LOSS, sizeof(LOSS) - 1)))
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

/* A line left to the reader in Python. */
static bool add_unusual(struct scan *scan, const char *line)
{
	if (!has_room(scan))
		return false;
	scan->unusual = true;
	scan->events[scan->count++] = (struct event){
		.what = UNUSUAL,
		.ns = (u64)(line - scan->text),
		.line = scan->lines,
	};
	return true;
}

/* A line of other events, or none. Of most, nothing but how long they are is looked at. */
static bool scan_other(struct scan *scan, const char *line, const char *end)
{
	return (scan->quiet && end - line >= SHORT_LINE) || is_nothing(scan, line, end) ||
	       add_unusual(scan, line);
}

/* Both that report losses have a P. */
static void look_for_losses(struct scan *scan, const char *part, const char *end)
{
	for (const char *at = part; (at = memchr(at, 'P', (size_t)(end - at))); at++) {
		bool begins = at > part && LITERAL(at - 1, end, LOSS_BEGINS);

		scan->losses |= LITERAL(at, end, LOSS) != NULL;
		scan->quiet &= !begins && !scan->losses;
	}
}

/* Lines without a name, from the number `done` on and before `until`. */
static bool scan_others(struct scan *scan, const struct marks *marks, const char *part, u32 done,
			u32 until, u32 first)
{
	if (scan->quiet && !marks->has_short)
		return true;
	for (; done < until; done++) {
		scan->lines = first + done;
		if (!scan_other(scan, part + begin_of(marks, done), part + marks->end_at[done]))
			return false;
	}
	return true;
}

/* Reads whole lines, PART bytes at most. `first` is the number of the first. */
static bool scan_part(struct scan *scan, struct marks *marks, const char *part, size_t length)
{
	const u32 first = scan->lines;
	u32 done = 0;

	mark(marks, part, length);
	scan->odd_bytes = marks->odd;
	scan->losses = false;
	scan->quiet = !marks->odd;
	if (marks->capital)
		look_for_losses(scan, part, part + length);
	for (u32 each = 0; each < marks->named_words; each++) {
		u32 word = marks->named[each];

		for (u64 names = marks->names[word]; names; names &= names - 1) {
			size_t name = 64 * word + (size_t)__builtin_ctzll(names);
			u32 line = lines_before(marks, name);

			if (line < done || name + NAME_LENGTH > length ||
			    memcmp(part + name, NAME, NAME_LENGTH))
				continue;
			if (!scan_others(scan, marks, part, done, line, first) || !has_room(scan))
				return false;
			scan->lines = first + line;
			struct event *event = &scan->events[scan->count];

			event->line = scan->lines;
			if (scan_idle(scan, event, part + begin_of(marks, line), part + name,
				      part + marks->end_at[line])) {
				scan->coarse |= event->coarse;
				scan->count++;
			} else if (!add_unusual(scan, part + begin_of(marks, line))) {
				return false;
			}
			done = line + 1;
		}
	}
	if (!scan_others(scan, marks, part, done, marks->lines, first))
		return false;
	scan->lines = first + marks->lines;
	return true;
}

bool scan_events(struct scan *scan, const char *text, size_t length)
{
	const char *end = text + length;
	struct marks marks;

	scan->text = text;
	for (const char *at = text; at < end;) {
		const char *stop = end;

		if (end - at > PART) {
			stop = memrchr(at, '\n', PART);
			if (!stop) {
				/* A line as long as that. */
				if (!add_unusual(scan, at))
					return false;
				scan->lines++;
				stop = memchr(at + PART, '\n', (size_t)(end - at - PART));
				at = stop ? stop + 1 : end;
				continue;
			}
			stop++;
		}
		if (!scan_part(scan, &marks, at, (size_t)(stop - at)))
			return false;
		at = stop;
	}
	return true;
}
