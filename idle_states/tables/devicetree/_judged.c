/* What an audit judges of a blob, found without building its tree.
 *
 * Takes the blobs that _fdt.c takes, as strictly; but not those in which what is judged may stand
 * at another place than usual (see `unusual`). Of these, as of damaged ones, it says nothing.
 * Names that may be equal, as their hashes are, count as equal here: then, too, it says nothing.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BEGIN_NODE = 1, END_NODE, PROP, NOP, END = 9 };
enum { SLOTS = 4096, MOST_NAMES = 2048, NODE_SLOTS = 16384, MOST_NODES = 12288, LEVELS = 64 };

enum place { ELSEWHERE, ROOT, CPUS, CPU, OPAL, POWER_MGT, FIRMWARE, VERSIONS };
enum known {
	OTHER, COMPATIBLE, MODEL, SYSTEM_ID, SERIAL_NUMBER, DEVICE_TYPE, CPU_VERSION, SERVERS,
	VERSION, GIT_ID, PHANDLE, LATENCIES, RESIDENCIES
};
#define TEXT(text) { text, sizeof(text) - 1 }
static const struct { const char *text; uint32_t length; } known_names[] = {
	[COMPATIBLE] = TEXT("compatible"), [MODEL] = TEXT("model"), [SYSTEM_ID] = TEXT("system-id"),
	[SERIAL_NUMBER] = TEXT("serial-number"), [DEVICE_TYPE] = TEXT("device_type"),
	[CPU_VERSION] = TEXT("cpu-version"), [SERVERS] = TEXT("ibm,ppc-interrupt-server#s"),
	[VERSION] = TEXT("version"), [GIT_ID] = TEXT("git-id"), [PHANDLE] = TEXT("phandle"),
	[LATENCIES] = TEXT("ibm,cpu-idle-state-latencies-ns"),
	[RESIDENCIES] = TEXT("ibm,cpu-idle-state-residency-ns"),
};
enum { KNOWN = sizeof(known_names) / sizeof(known_names[0]) };

struct span {
	const uint8_t *at;
	uint32_t length;
	bool there;
};

/* A property's name. node: the last one that had it. */
struct name {
	uint32_t start, length, node;
	enum known known;
};

struct reader {
	const uint8_t *data;
	Py_ssize_t at, end, strings, strings_end;
	Py_ssize_t max_depth, max_name, max_tokens;
	Py_ssize_t depth;
	struct { enum place place; uint32_t number; bool has_children; } stack[LEVELS];
	uint32_t nodes;
	bool done, found;
	uint32_t name_count;
	/* of the root, and of the processor that is being read */
	struct span system_id, serial_number, name, version, compatible, servers;
	/* of the idle states: their values stand behind all else that is judged */
	struct span latencies, residencies;
	bool is_cpu;
	uint8_t *out;
	size_t used, room;
	/* names by their offset in the strings block, plus one, the last one of each slot */
	struct { uint32_t offset, name; } by_offset[SLOTS];
	/* names by their text; plus one */
	uint32_t by_text[SLOTS];
	/* from here on not cleared as a whole, for that would take as long as reading does */
	struct name names[MOST_NAMES];
	/* hash of the parent and the name of each node, 0: free; of a power of two slots */
	uint32_t node_slots;
	uint64_t siblings[NODE_SLOTS];
};

static uint32_t word(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#define EACH(byte) (0x0101010101010101 * (uint64_t)(byte))

/* Whether each of eight bytes is a character of names: ASCII, and then printable, no blank or '/'. */
static bool are_of_names(uint64_t bytes)
{
	uint64_t right = (bytes + EACH(0x80 - '!')) & ~(bytes + EACH(1)) &
			 ((bytes ^ EACH('/')) + EACH(0x7F));

	return (right & ~bytes & EACH(0x80)) == EACH(0x80);
}

static uint64_t mixed(uint64_t hash, uint64_t bytes)
{
	hash = (hash ^ bytes) * 0x9E3779B97F4A7C15;
	return hash ^ hash >> 32;
}

/* Length of a name of `least` characters or more; -1 where it is none. */
static Py_ssize_t name_length(const struct reader *r, Py_ssize_t at, Py_ssize_t end,
			      Py_ssize_t least, uint64_t *hash)
{
	const uint8_t *name = r->data + at;
	Py_ssize_t room = end - at, length = 0;
	uint64_t bytes;

	*hash = 0;
	if (room > r->max_name + 1)
		room = r->max_name + 1;
	for (; room - length >= 8; length += 8) {
		memcpy(&bytes, name + length, 8);
		if (!are_of_names(bytes))
			break;
		*hash = mixed(*hash, bytes);
	}
	for (bytes = 0; length < room && name[length]; length++) {
		if (name[length] < '!' || name[length] > '~' || name[length] == '/')
			return -1;
		bytes = bytes << 8 | name[length];
	}
	*hash = mixed(*hash, bytes);
	return length >= room || length < least ? -1 : length;
}

static bool put(struct reader *r, const void *data, size_t length)
{
	if (length > r->room - r->used) {
		size_t room = 2 * r->room + length + 4096;
		uint8_t *out = PyMem_Realloc(r->out, room);

		if (!out)
			return false;
		r->out = out;
		r->room = room;
	}
	if (length)
		memcpy(r->out + r->used, data, length);
	r->used += length;
	return true;
}

/* What kind of thing follows, how long it is, and the thing: so that no two sequences of things
 * are the same bytes. */
static bool put_span(struct reader *r, char kind, const void *data, uint32_t length)
{
	uint8_t head[8] = { (uint8_t)kind };

	memcpy(head + 4, &length, 4);
	return put(r, head, 8) && put(r, data, length);
}

static bool put_found(struct reader *r, char kind, const struct span *span)
{
	return !span->there || put_span(r, kind, span->at, span->length);
}

static inline bool equals(const uint8_t *text, Py_ssize_t length, const char *other)
{
	return (size_t)length == strlen(other) && !memcmp(text, other, length);
}

static inline bool starts(const uint8_t *text, Py_ssize_t length, const char *start)
{
	return (size_t)length >= strlen(start) && !memcmp(text, start, strlen(start));
}

static struct name *property_name(struct reader *r, uint32_t offset)
{
	uint32_t slot = (offset ^ offset >> 12) % SLOTS;
	Py_ssize_t start = r->strings + (Py_ssize_t)offset, length;
	uint64_t hash;
	struct name *name;

	if (r->by_offset[slot].name && r->by_offset[slot].offset == offset)
		return &r->names[r->by_offset[slot].name - 1];
	if (start >= r->strings_end)
		return NULL;
	length = name_length(r, start, r->strings_end, 1, &hash);
	if (length < 0)
		return NULL;
	for (uint32_t at = hash % SLOTS;; at = (at + 1) % SLOTS) {
		uint32_t number = r->by_text[at];

		name = number ? &r->names[number - 1] : NULL;
		if (!name) {
			if (r->name_count == MOST_NAMES)
				return NULL;
			name = &r->names[r->name_count++];
			*name = (struct name){ (uint32_t)offset, (uint32_t)length, 0, OTHER };
			for (int known = 1; known < KNOWN; known++)
				if (length == known_names[known].length &&
				    !memcmp(r->data + start, known_names[known].text, length))
					name->known = known;
			r->by_text[at] = r->name_count;
			break;
		}
		if (name->length == (uint32_t)length &&
		    !memcmp(r->data + r->strings + name->start, r->data + start, length))
			break;
	}
	r->by_offset[slot].offset = offset;
	r->by_offset[slot].name = (uint32_t)(name - r->names) + 1;
	return name;
}

/* Once for each child: false where its parent has one of that name, or may have. */
static bool first_of_name(struct reader *r, uint32_t parent, uint64_t hash)
{
	hash = (hash ^ (uint64_t)parent * 0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93;
	hash ^= hash >> 32;
	hash += !hash;
	for (uint32_t at = hash & (r->node_slots - 1);; at = (at + 1) & (r->node_slots - 1)) {
		if (r->siblings[at] == hash)
			return false;
		if (!r->siblings[at]) {
			r->siblings[at] = hash;
			return true;
		}
	}
}

/* Whether another tool, which ignores unit addresses, may take this node for one that is judged. */
static bool unusual(enum place parent, const uint8_t *name, Py_ssize_t length)
{
	if (parent == ROOT)
		return starts(name, length, "cpus@") || starts(name, length, "ibm,opal@");
	return parent == OPAL && starts(name, length, "power-mgt@");
}

static enum place place_of(enum place parent, const uint8_t *name, Py_ssize_t length)
{
	switch (parent) {
	case ROOT:
		return equals(name, length, "cpus")			? CPUS
		       : equals(name, length, "ibm,opal")		? OPAL
		       : equals(name, length, "ibm,firmware-versions") ? VERSIONS
									: ELSEWHERE;
	case CPUS:
		return CPU;
	case OPAL:
		return equals(name, length, "power-mgt")  ? POWER_MGT
		       : equals(name, length, "firmware") ? FIRMWARE
							  : ELSEWHERE;
	default:
		return ELSEWHERE;
	}
}

/* A processor, when all its properties are known; other children of /cpus are not looked at. Of
 * its name what tells the processor, for the rest differs where cores are guarded. */
static bool put_cpu(struct reader *r)
{
	const uint8_t *at;
	uint32_t threads = r->servers.length;

	if (!r->name.there)
		return true;
	at = memchr(r->name.at, '@', r->name.length);
	if (at)
		r->name.length = (uint32_t)(at - r->name.at);
	if (!starts(r->name.at, r->name.length, "PowerPC,POWER"))
		r->name.length = 0;
	r->name.there = false;
	if (!r->is_cpu && !r->version.there && !r->name.length)
		return true;
	return put_span(r, r->is_cpu ? 'C' : 'c', r->name.at, r->name.length) &&
	       put_found(r, 'v', &r->version) && put_found(r, 'k', &r->compatible) &&
	       (!r->servers.there || put_span(r, 't', &threads, sizeof(threads)));
}

static bool begin(struct reader *r)
{
	enum place parent = r->depth ? r->stack[r->depth - 1].place : ELSEWHERE, place = ROOT;
	const uint8_t *name = r->data + r->at;
	uint64_t hash;
	Py_ssize_t length;

	if (r->done || r->depth >= r->max_depth || r->depth >= LEVELS || r->nodes == MOST_NODES)
		return false;
	length = name_length(r, r->at, r->end, r->depth ? 1 : 0, &hash);
	if (length < 0 || (!r->depth && length))
		return false;
	if (r->depth) {
		if (unusual(parent, name, length) ||
		    !first_of_name(r, r->stack[r->depth - 1].number, hash) || !put_cpu(r))
			return false;
		r->stack[r->depth - 1].has_children = true;
		place = place_of(parent, name, length);
	}
	r->stack[r->depth].place = place;
	r->stack[r->depth].number = ++r->nodes;
	r->stack[r->depth].has_children = false;
	r->depth++;
	r->at = (r->at + length + 4) & ~(Py_ssize_t)3;
	if (place == CPU) {
		r->name = (struct span){ name, (uint32_t)length, true };
		r->version.there = r->compatible.there = r->servers.there = r->is_cpu = false;
		return true;
	}
	r->found |= place == POWER_MGT;
	return place == ELSEWHERE || put_span(r, 'N', &place, sizeof(place));
}

/* The name and length of a property of times. */
static bool put_times(struct reader *r, const struct name *name, struct span value)
{
	*(name->known == LATENCIES ? &r->latencies : &r->residencies) = value;
	return put_span(r, 'P', r->data + r->strings + name->start, name->length) &&
	       put_span(r, '-', &value.length, sizeof(value.length));
}

static bool keep(struct reader *r, enum place place, const struct name *name, struct span value)
{
	bool whole = place == POWER_MGT || place == VERSIONS;

	if (name->known == DEVICE_TYPE && value.length == 4 && !memcmp(value.at, "cpu", 4)) {
		r->is_cpu = true;
		if (place != CPU)
			return false;
	}
	switch (name->known) {
	case MODEL:
		whole |= place == ROOT;
		break;
	case COMPATIBLE:
		whole |= place == ROOT;
		if (place == CPU)
			r->compatible = value;
		break;
	case SYSTEM_ID:
		if (place == ROOT)
			r->system_id = value;
		break;
	case SERIAL_NUMBER:
		if (place == ROOT)
			r->serial_number = value;
		break;
	case CPU_VERSION:
		if (place != CPU)
			break;
		r->version = value;
		/* of an empty one fwts reads what follows */
		if (!value.length)
			return false;
		break;
	case SERVERS:
		if (place == CPU)
			r->servers = value;
		break;
	case VERSION:
	case GIT_ID:
		whole |= place == FIRMWARE;
		break;
	case LATENCIES:
	case RESIDENCIES:
		if (place == POWER_MGT)
			return put_times(r, name, value);
		break;
	default:
		break;
	}
	/* a number, which differs where firmware made other nodes before */
	return !whole || (put_span(r, 'P', r->data + r->strings + name->start, name->length) &&
			  (name->known == PHANDLE || put_span(r, '=', value.at, value.length)));
}

static bool property(struct reader *r)
{
	Py_ssize_t start = r->at + 12, length;
	struct name *name;
	uint32_t node;

	if (start > r->end || !r->depth || r->stack[r->depth - 1].has_children)
		return false;
	node = r->stack[r->depth - 1].number;
	length = word(r->data + r->at + 4);
	if (length > r->end - start)
		return false;
	name = property_name(r, word(r->data + r->at + 8));
	if (!name || name->node == node)
		return false;
	name->node = node;
	r->at = (start + length + 3) & ~(Py_ssize_t)3;
	return keep(r, r->stack[r->depth - 1].place, name,
		    (struct span){ r->data + start, (uint32_t)length, true });
}

static bool end_node(struct reader *r)
{
	enum place place = r->stack[r->depth - 1].place;

	if (place == CPU && !put_cpu(r))
		return false;
	if (place != ELSEWHERE && place != CPU &&
	    !put_span(r, r->stack[r->depth - 1].has_children ? 'E' : 'e', NULL, 0))
		return false;
	r->done = !--r->depth;
	r->at += 4;
	return true;
}

/* One tree was read, which has idle states. */
static bool ended(const struct reader *r)
{
	return r->done && r->found;
}

#include "_structure.h"

PyObject *judged_of(PyObject *module, PyObject *arguments);

/* One, for who calls holds the interpreter's lock: to take and return as much memory each time would
 * take as long as reading does. */
static struct reader only;

PyObject *judged_of(PyObject *module, PyObject *arguments)
{
	Py_buffer data;
	Py_ssize_t start, end, strings, strings_end, max_depth, max_name, max_tokens;
	int closed;
	PyObject *result = NULL;
	struct reader *r = &only;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "y*nnnnpnnn", &data, &start, &end, &strings, &strings_end,
			      &closed, &max_depth, &max_name, &max_tokens))
		return NULL;
	if (start < 0 || start > end || end > data.len || strings < 0 || strings > strings_end ||
	    strings_end > data.len || data.len > INT32_MAX || max_depth < 1 || max_name < 1) {
		PyBuffer_Release(&data);
		return PyErr_Format(PyExc_ValueError, "expected blocks within the data");
	}
	memset(r, 0, offsetof(struct reader, names));
	/* a node takes twelve bytes or more, and leaves one slot in three free at least */
	r->node_slots = 64;
	while (r->node_slots < NODE_SLOTS && r->node_slots < (end - start) / 8)
		r->node_slots *= 2;
	memset(r->siblings, 0, r->node_slots * sizeof(*r->siblings));
	r->data = data.buf;
	r->at = start;
	r->end = end;
	r->strings = strings;
	r->strings_end = strings_end;
	r->max_depth = max_depth;
	r->max_name = max_name;
	r->max_tokens = max_tokens;
	if (structure(r, closed))
		result = Py_BuildValue("y#y#y#y#y#", (const char *)r->out, (Py_ssize_t)r->used,
				       r->latencies.at, (Py_ssize_t)r->latencies.length,
				       r->residencies.at, (Py_ssize_t)r->residencies.length,
				       r->system_id.at, (Py_ssize_t)r->system_id.length,
				       r->serial_number.at, (Py_ssize_t)r->serial_number.length);
	else
		result = Py_NewRef(Py_None);
	PyMem_Free(r->out);
	PyBuffer_Release(&data);
	return result;
}
