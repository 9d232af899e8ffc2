/*
 * What the function under test sees of its firmware: one chip, one core, two nodes of
 * device tree, a log, memory. Included after the tree's own types and before its own
 * functions; wants from the text before it
 *
 *   PROC_GENS(X), CHIP_TYPES(X), CHIP_QUIRKS(X), WAKEUP_ENGINE_STATES(X)   the enumerators
 *   enum proc_gen, proc_chip_type, wakeup_engine_states; struct cpu_idle_states
 */
#include <ctype.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define STUB static __attribute__((unused))

static const struct oracle_case *the_case;

/* The chip and its core */

struct proc_chip {
	uint32_t id;
	enum proc_chip_type type;
	uint32_t ec_level;
	uint64_t slw_base, slw_bar_size, slw_image_size;
};

struct cpu_thread {
	bool is_fused_core;
};

static struct proc_chip the_chip;
static struct cpu_thread the_cpu;
static enum proc_gen proc_gen;
static unsigned int proc_chip_quirks;
static enum wakeup_engine_states wakeup_engine_state;
STUB bool has_deep_states;

STUB struct proc_chip *next_chip(struct proc_chip *chip)
{
	return chip ? NULL : &the_chip;
}

#define for_each_chip(chip) for (chip = next_chip(NULL); chip; chip = next_chip(chip))

STUB bool chip_quirk(unsigned int quirk)
{
	return proc_chip_quirks & quirk;
}

STUB struct cpu_thread *this_cpu(void)
{
	return &the_cpu;
}

/* The wake-up engine: an image is there if the case says so. Late initialisation, by
 * then, succeeds, or on POWER9 and later turns the engine to failed, as the case says. */

STUB bool engine_is(const char *state)
{
	return !strcmp(the_case->wakeup_engine, state);
}

STUB void late_init(void)
{
	if (engine_is("WAKEUP_ENGINE_FAILED"))
		wakeup_engine_state = WAKEUP_ENGINE_FAILED;
}

#define slw_image_check_p8(chip) (!engine_is("WAKEUP_ENGINE_NOT_PRESENT"))
#define slw_image_check_p9(chip) (!engine_is("WAKEUP_ENGINE_NOT_PRESENT"))
#define slw_init_chip_p8(chip) ((void)(chip))
#define slw_init_chip_p9(chip) ((void)(chip))
#define slw_init_chip_p10(chip) ((void)(chip))
#define slw_late_init_p8(chip) ((void)(chip))
#define slw_late_init_p9(chip) ((void)(chip))
#define slw_late_init_p10(chip) ((void)(chip))
#define slw_init_timer() ((void)0)
#define p8_sbe_init_timer() ((void)0)
#define nx_p9_rng_late_init() ((void)0)
#define xive_late_init() late_init()
#define xive2_late_init() late_init()

/* The device tree: at most one property at either node beforehand */

struct dt_property {
	size_t len;
	const char *prop;
};

struct dt_node {
	const char *name;
	const char *property_name;
	bool has_property;
	struct dt_property property;
};

static struct dt_node root_node = { .property_name = "ibm,enabled-idle-states" };
static struct dt_node power_mgt_node = {
	.name = "power-mgt", .property_name = "ibm,enabled-stop-levels",
};
STUB struct dt_node *dt_root = &root_node;
STUB struct dt_node *opal_node;

STUB struct dt_node *dt_new_check(struct dt_node *parent, const char *name)
{
	return parent == opal_node && !strcmp(name, power_mgt_node.name) ? &power_mgt_node : NULL;
}

#define dt_new dt_new_check

STUB const struct dt_property *dt_find_property(const struct dt_node *node, const char *name)
{
	return node->has_property && !strcmp(name, node->property_name) ? &node->property : NULL;
}

STUB u32 dt_prop_get_u32_def(const struct dt_node *node, const char *name, u32 otherwise)
{
	const struct dt_property *property = dt_find_property(node, name);
	uint32_t cell;

	if (!property)
		return otherwise;
	memcpy(&cell, property->prop, sizeof(cell));
	return be32toh(cell);
}

STUB void dt_add_property(struct dt_node *node, const char *name, const void *value, size_t size)
{
	if (node == &power_mgt_node)
		oracle_property(name, value, size);
}

typedef uint32_t fdt32_t;
typedef uint64_t fdt64_t;
#define cpu_to_fdt32(value) htobe32(value)
#define cpu_to_fdt64(value) htobe64(value)

/* Settings and log */

STUB const char *nvram_query(const char *key)
{
	return strcmp(key, "opal-stop-state-disable-mask") ? NULL : the_case->nvram;
}

#define nvram_query_dangerous nvram_query
#define prlog(level, ...) oracle_log(#level, __VA_ARGS__)
#define prerror(...) prlog(PR_ERR, __VA_ARGS__)
#define assert(condition) \
	do { if (!(condition)) oracle_assert_failed(#condition); } while (0)

/* The tables. ARRAY_SIZE(name) and the name itself are diverted here by macros that follow
 * the tables, so that the case's rows can stand in for whichever table is picked. */

struct table {
	const char *name;
	struct cpu_idle_states *rows;
	size_t nr_rows;
};

#define TABLE(array) { #array, (void *)array, sizeof(array) / sizeof((array)[0]) }

static struct cpu_idle_states *replacement(void)
{
	/* one row more, all zero: a name without end may be read beyond its row */
	struct cpu_idle_states *rows = calloc(the_case->nr_rows + 1, sizeof(*rows));

	for (size_t i = 0; i < the_case->nr_rows; i++) {
		memcpy(rows[i].name, the_case->rows[i].name, sizeof(the_case->rows[i].name));
		rows[i].latency_ns = the_case->rows[i].latency_ns;
		rows[i].residency_ns = the_case->rows[i].residency_ns;
		rows[i].pm_ctrl_reg_val = the_case->rows[i].control;
		rows[i].pm_ctrl_reg_mask = the_case->rows[i].mask;
		rows[i].flags = the_case->rows[i].flags;
	}
	return rows;
}

static size_t nr_rows(const struct table *table)
{
	return the_case->rows ? the_case->nr_rows : table->nr_rows;
}

static struct cpu_idle_states *pick(const struct table *table)
{
	oracle_table(table->name);
	return the_case->rows ? replacement() : table->rows;
}

/* The case's names as the tree's values */

struct enumerator {
	const char *name;
	long value;
};

#define ENUMERATOR(e) { #e, e },

static const struct enumerator proc_gens[] = { PROC_GENS(ENUMERATOR) { 0 } };
static const struct enumerator chip_types[] = { CHIP_TYPES(ENUMERATOR) { 0 } };
static const struct enumerator chip_quirks[] = { CHIP_QUIRKS(ENUMERATOR) { 0 } };
static const struct enumerator engine_states[] = { WAKEUP_ENGINE_STATES(ENUMERATOR) { 0 } };

static bool look_up(const struct enumerator *e, const char *name, long *value)
{
	while (e->name && strcmp(e->name, name))
		e++;
	*value = e->value;
	return e->name;
}

static bool look_up_quirks(const char *names)
{
	char *rest = strdup(names), *name;
	long quirk;

	while ((name = strsep(&rest, ","))) {
		if (!strcmp(name, "-"))
			continue;
		if (!look_up(chip_quirks, name, &quirk))
			return false;
		proc_chip_quirks |= quirk;
	}
	return true;
}

static bool set_up(const struct oracle_case *c)
{
	static uint32_t levels;
	long gen, chip, engine;

	the_case = c;
	if (!look_up(proc_gens, c->proc_gen, &gen) || !look_up(chip_types, c->chip, &chip) ||
	    !look_up(engine_states, c->wakeup_engine, &engine) || !look_up_quirks(c->quirks))
		return false;
	proc_gen = gen;
	the_chip.type = chip;
	the_chip.ec_level = c->ec_level;
	the_cpu.is_fused_core = c->is_fused_core;
	wakeup_engine_state = engine;
	/* before there was such a state, the image was looked for in the chip */
	the_chip.slw_base = the_chip.slw_bar_size = the_chip.slw_image_size =
		engine_is("WAKEUP_ENGINE_PRESENT");
	root_node.has_property = c->idle_states;
	root_node.property = (struct dt_property){ c->idle_states_size, c->idle_states };
	power_mgt_node.has_property = c->stop_levels;
	levels = htobe32(c->stop_levels ? *c->stop_levels : 0);
	power_mgt_node.property = (struct dt_property){ sizeof(levels), (const char *)&levels };
	return true;
}

#define malloc oracle_malloc
#define free oracle_free
