/* The structure block of a flattened device tree, read in one go.
 *
 * Takes only what is right through and through; of anything else it says nothing, and fdt.py, which
 * says the same more slowly, finds what is wrong and where.
 * Source: Devicetree Specification v0.4, section 5.4.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BEGIN_NODE = 1, END_NODE, PROP, NOP, END = 9 };
enum { NAMES = 4096 };

struct open_node {
	PyObject *name, *properties, *children;
	bool has_children, is_opal;
};

/* Bounds are those of tree.py and fdt.py, which passes them. */
struct reader {
	const uint8_t *data;
	Py_ssize_t at, end, strings, strings_end;
	Py_ssize_t max_depth, max_name, max_tokens;
	bool judged;
	PyObject *node_class;
	struct open_node *stack;
	Py_ssize_t depth;
	PyObject *root;
	/* names by their offset in the strings block, the last one of each slot */
	struct { uint32_t offset; PyObject *name; } names[NAMES];
};

static uint32_t word(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A name as text, of `least` characters or more; NULL where it is none, with no exception. */
static PyObject *name_at(struct reader *r, Py_ssize_t at, Py_ssize_t end, Py_ssize_t least)
{
	Py_ssize_t room = end - at, length = 0;

	if (room > r->max_name + 1)
		room = r->max_name + 1;
	while (length < room && r->data[at + length]) {
		uint8_t c = r->data[at + length];

		if (c < 0x21 || c > 0x7E || c == '/')
			return NULL;
		length++;
	}
	if (length >= room || length < least)
		return NULL;
	return PyUnicode_DecodeASCII((const char *)r->data + at, length, NULL);
}

static PyObject *property_name(struct reader *r, uint32_t offset)
{
	Py_ssize_t start = r->strings + (Py_ssize_t)offset;
	uint32_t slot = (offset ^ offset >> 12) % NAMES;
	PyObject *name;

	if (r->names[slot].name && r->names[slot].offset == offset)
		return r->names[slot].name;
	if (start >= r->strings_end)
		return NULL;
	name = name_at(r, start, r->strings_end, 1);
	if (!name)
		return NULL;
	PyUnicode_InternInPlace(&name);
	Py_XDECREF(r->names[slot].name);
	r->names[slot].name = name;
	r->names[slot].offset = offset;
	return name;
}

/* Whether an audit looks at the node of that name: at all below /cpus, /ibm,opal/power-mgt and the
 * firmware's versions, see _judged.c. */
static bool is_judged(const struct reader *r, const char *name)
{
	if (r->depth == 1)
		return !strcmp(name, "cpus") || !strcmp(name, "ibm,opal") ||
		       !strcmp(name, "ibm,firmware-versions");
	if (r->depth == 2 && r->stack[1].is_opal)
		return !strcmp(name, "power-mgt") || !strcmp(name, "firmware");
	return true;
}

/* To the end of the node whose name is next. */
static bool pass_over(struct reader *r)
{
	Py_ssize_t depth = 0;

	r->at -= 4;
	do {
		const uint8_t *at = r->data + r->at, *nul;
		Py_ssize_t left = r->end - r->at;

		if (left < 4)
			return false;
		switch (word(at)) {
		case BEGIN_NODE:
			nul = memchr(at + 4, 0, left - 4);
			if (!nul)
				return false;
			depth++;
			r->at = (nul - r->data + 4) & ~(Py_ssize_t)3;
			break;
		case PROP:
			if (left < 12 || word(at + 4) > left - 12)
				return false;
			r->at = (r->at + 12 + word(at + 4) + 3) & ~(Py_ssize_t)3;
			break;
		case END_NODE:
			depth--;
			r->at += 4;
			break;
		case NOP:
			r->at += 4;
			break;
		default:
			return false;
		}
	} while (depth);
	return true;
}

static bool begin(struct reader *r)
{
	struct open_node *node = &r->stack[r->depth];
	PyObject *name;

	if (r->root || r->depth >= r->max_depth)
		return false;
	name = name_at(r, r->at, r->end, r->depth ? 1 : 0);
	if (!name)
		return false;
	if (!r->depth && PyUnicode_GetLength(name)) {
		Py_DECREF(name);
		return false;
	}
	if (r->judged && r->depth && !is_judged(r, (const char *)r->data + r->at)) {
		Py_DECREF(name);
		r->stack[r->depth - 1].has_children = true;
		return pass_over(r);
	}
	*node = (struct open_node){ name, PyDict_New(), PyDict_New(), false, false };
	node->is_opal = r->depth == 1 && !strcmp((const char *)r->data + r->at, "ibm,opal");
	r->depth++;
	if (!node->properties || !node->children)
		return false;
	r->at = (r->at + PyUnicode_GetLength(name) + 4) & ~(Py_ssize_t)3;
	if (r->depth > 1) {
		struct open_node *parent = node - 1;
		int known = PyDict_Contains(parent->children, name);

		if (known)
			return false;
		/* holds the place, so that children stay in their order */
		if (PyDict_SetItem(parent->children, name, Py_None))
			return false;
		parent->has_children = true;
	}
	return true;
}

static bool property(struct reader *r)
{
	struct open_node *node = r->depth ? &r->stack[r->depth - 1] : NULL;
	Py_ssize_t start = r->at + 12, length, before;
	PyObject *name, *value;
	bool stored;

	if (start > r->end || !node || node->has_children)
		return false;
	length = word(r->data + r->at + 4);
	if (length > r->end - start)
		return false;
	name = property_name(r, word(r->data + r->at + 8));
	if (!name)
		return false;
	value = PyBytes_FromStringAndSize((const char *)r->data + start, length);
	if (!value)
		return false;
	before = PyDict_Size(node->properties);
	stored = !PyDict_SetItem(node->properties, name, value);
	Py_DECREF(value);
	if (!stored || PyDict_Size(node->properties) == before)
		return false;
	r->at = (start + length + 3) & ~(Py_ssize_t)3;
	return true;
}

static void forget(struct open_node *node)
{
	Py_CLEAR(node->name);
	Py_CLEAR(node->properties);
	Py_CLEAR(node->children);
}

static bool end_node(struct reader *r)
{
	struct open_node *node = &r->stack[r->depth - 1];
	PyObject *values, *children, *made;
	bool kept = true;

	values = PyDict_Values(node->children);
	children = values ? PyList_AsTuple(values) : NULL;
	Py_XDECREF(values);
	if (!children)
		return false;
	made = PyObject_CallFunctionObjArgs(r->node_class, node->name, node->properties, children,
					    NULL);
	Py_DECREF(children);
	if (!made)
		return false;
	r->depth--;
	if (r->depth) {
		kept = !PyDict_SetItem(r->stack[r->depth - 1].children, node->name, made);
		Py_DECREF(made);
	} else {
		r->root = made;
	}
	forget(node);
	r->at += 4;
	return kept;
}

/* One tree was read, and no more. */
static bool ended(const struct reader *r)
{
	return !r->depth && r->root;
}

#include "_structure.h"

PyDoc_STRVAR(read_doc,
"read(data, start, end, strings, strings_end, closed, max_depth, max_name, max_tokens, Node,\n"
"     judged)\n"
"The root node of the structure block [start, end), or None for whatever is not right. judged: of a\n"
"block that judged() takes, only the nodes that an audit looks at.");

static PyObject *read_structure(PyObject *module, PyObject *arguments)
{
	Py_buffer data;
	Py_ssize_t start, end, strings, strings_end, max_depth, max_name, max_tokens;
	int closed, judged;
	PyObject *node_class, *root = NULL;
	struct reader *r;
	bool right;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "y*nnnnpnnnOp", &data, &start, &end, &strings, &strings_end,
			      &closed, &max_depth, &max_name, &max_tokens, &node_class, &judged))
		return NULL;
	if (start < 0 || start > end || end > data.len || strings < 0 || strings > strings_end ||
	    strings_end > data.len || max_depth < 1 || max_depth > 4096 || max_name < 1) {
		PyBuffer_Release(&data);
		return PyErr_Format(PyExc_ValueError, "expected blocks within the data");
	}
	r = PyMem_Calloc(1, sizeof(*r));
	if (r)
		r->stack = PyMem_Calloc(max_depth + 1, sizeof(*r->stack));
	if (!r || !r->stack) {
		PyMem_Free(r);
		PyBuffer_Release(&data);
		return PyErr_NoMemory();
	}
	r->data = data.buf;
	r->at = start;
	r->end = end;
	r->strings = strings;
	r->strings_end = strings_end;
	r->max_depth = max_depth;
	r->max_name = max_name;
	r->max_tokens = max_tokens;
	r->node_class = node_class;
	r->judged = judged;
	right = structure(r, closed);
	while (r->depth)
		forget(&r->stack[--r->depth]);
	for (int slot = 0; slot < NAMES; slot++)
		Py_XDECREF(r->names[slot].name);
	root = r->root;
	PyMem_Free(r->stack);
	PyMem_Free(r);
	PyBuffer_Release(&data);
	if (PyErr_Occurred()) {
		Py_XDECREF(root);
		return NULL;
	}
	if (right)
		return root;
	Py_XDECREF(root);
	Py_RETURN_NONE;
}

PyDoc_STRVAR(judged_doc,
"judged(data, start, end, strings, strings_end, closed, max_depth, max_name, max_tokens)\n"
"What an audit judges of the structure block: equal bytes for blobs that are judged alike, and the\n"
"root's system-id and serial-number, which are not judged (None for one that is absent). None for\n"
"whatever is not right or not usual.");

/* _judged.c */
PyObject *judged_of(PyObject *module, PyObject *arguments);

static PyMethodDef methods[] = {
	{ "judged", judged_of, METH_VARARGS, judged_doc },
	{ "read", read_structure, METH_VARARGS, read_doc },
	{ NULL, NULL, 0, NULL },
};

static PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "_fdt", "Flattened device trees, read quickly.", -1, methods,
	NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__fdt(void)
{
	return PyModule_Create(&definition);
}
