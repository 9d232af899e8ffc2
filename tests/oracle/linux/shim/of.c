/*
 * Device-tree access with the kernel's error codes: -EINVAL for an absent property, -ENODATA for
 * one without a value, -EOVERFLOW for one that is too short, -EILSEQ for a string without its NUL.
 * A property may be longer than what is asked of it.
 */
#include "shim.h"

#define NODE_PATH "/ibm,opal/power-mgt"
enum { MAX_PROPERTIES = 256 };

struct device_node {
	struct property {
		const char *name;
		const char *value;
		size_t length;
	} properties[MAX_PROPERTIES];
	size_t count;
};

static struct device_node power_mgt;

bool oracle_add_property(const char *name, const void *value, size_t length)
{
	if (power_mgt.count == MAX_PROPERTIES)
		return false;
	power_mgt.properties[power_mgt.count++] = (struct property){ name, value, length };
	return true;
}

struct device_node *of_find_node_by_path(const char *path)
{
	return oracle.node && strcmp(path, NODE_PATH) == 0 ? &power_mgt : NULL;
}

void of_node_put(struct device_node *node)
{
	(void)node;
}

/* The first property of that name; 0 or the error every reader starts with. */
static int find(const struct device_node *node, const char *name, const struct property **found)
{
	for (size_t i = 0; i < node->count; i++) {
		if (strcmp(node->properties[i].name, name) == 0) {
			*found = &node->properties[i];
			return (*found)->value ? 0 : -ENODATA;
		}
	}
	return -EINVAL;
}

static int count_elems(const struct device_node *node, const char *name, size_t size)
{
	const struct property *property;
	int error = find(node, name, &property);

	if (error)
		return error;
	if (property->length % size) {
		pr_err(OF_PREFIX "size of %s in node %s is not a multiple of %d\n", name, NODE_PATH,
		       (int)size);
		return -EINVAL;
	}
	return (int)(property->length / size);
}

int of_property_count_u32_elems(const struct device_node *node, const char *name)
{
	return count_elems(node, name, sizeof(u32));
}

int of_property_count_u64_elems(const struct device_node *node, const char *name)
{
	return count_elems(node, name, sizeof(u64));
}

/* The value of a property of at least `bytes` bytes. */
static int find_sized(const struct device_node *node, const char *name, size_t bytes,
		      const char **value)
{
	const struct property *property;
	int error = find(node, name, &property);

	if (error)
		return error;
	if (property->length < (u32)bytes)
		return -EOVERFLOW;
	*value = property->value;
	return 0;
}

int of_property_read_u32_array(const struct device_node *node, const char *name, u32 *values,
			       size_t count)
{
	const char *bytes;
	int error = find_sized(node, name, count * sizeof(*values), &bytes);

	for (size_t i = 0; !error && i < count; i++) {
		u32 cell;

		memcpy(&cell, bytes + i * sizeof(cell), sizeof(cell));
		values[i] = be32_to_cpu(cell);
	}
	return error;
}

int of_property_read_u64_array(const struct device_node *node, const char *name, u64 *values,
			       size_t count)
{
	const char *bytes;
	int error = find_sized(node, name, count * sizeof(*values), &bytes);

	for (size_t i = 0; !error && i < count; i++) {
		u64 cell;

		memcpy(&cell, bytes + i * sizeof(cell), sizeof(cell));
		values[i] = be64_to_cpu(cell);
	}
	return error;
}

/* Up to `count` strings: how many there were, -ENODATA for none. What follows is not looked at. */
int of_property_read_string_array(const struct device_node *node, const char *name,
				  const char **strings, size_t count)
{
	const struct property *property;
	int error = find(node, name, &property);
	size_t start = 0, found;

	if (error)
		return error;
	for (found = 0; found < count && start < property->length; found++) {
		const char *text = property->value + start;
		size_t length = strnlen(text, property->length - start);

		if (start + length == property->length)
			return -EILSEQ;
		if (strings)
			strings[found] = text;
		start += length + 1;
	}
	return found ? (int)found : -ENODATA;
}

int of_property_count_strings(const struct device_node *node, const char *name)
{
	return of_property_read_string_array(node, name, NULL, SIZE_MAX);
}
