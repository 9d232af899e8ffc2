/*
 * Between the harness (protocol, processes, memory) and the firmware's function: one
 * case going in, events coming out. Nothing here depends on a firmware tree.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row {
	char name[16];		/* padded with NULs, not terminated */
	uint32_t latency_ns;
	uint32_t residency_ns;
	uint32_t flags;
	uint64_t control;
	uint64_t mask;
};

/* One call. Names are the enumerators of the tree; a NULL pointer means absent. */
struct oracle_case {
	const char *entry;
	const char *proc_gen;
	const char *chip;
	uint32_t ec_level;
	const uint32_t *stop_levels;
	const char *wakeup_engine;
	bool is_fused_core;
	const char *quirks;		/* comma-separated */
	const char *nvram;
	const char *idle_states;	/* strings, each with its NUL */
	size_t idle_states_size;
	const struct row *rows;		/* in place of the table the function picks */
	size_t nr_rows;
};

/* Made of the tree: run the case's entry; false if the tree lacks a name of the case. */
bool firmware_run(const struct oracle_case *c);

/* Events */
void oracle_log(const char *level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void oracle_property(const char *name, const void *value, size_t size);
void oracle_table(const char *name);
_Noreturn void oracle_assert_failed(const char *expression);

/* Memory with room for a modest overrun, which is measured, and a guard page after it. */
void *oracle_malloc(size_t size);
void oracle_free(void *memory);

#endif
