/*
 * Prints a table of idle states: its name on a line, then a line for each row, with the
 * row's name in hex and the values in decimal. Included after struct cpu_idle_states.
 */
#include <stdint.h>
#include <stdio.h>

#define DUMP(table) dump(#table, table, sizeof(table) / sizeof((table)[0]))

static void dump(const char *table, const struct cpu_idle_states *rows, size_t count)
{
	puts(table);
	for (const struct cpu_idle_states *row = rows; row < rows + count; row++) {
		for (size_t i = 0; i < sizeof(row->name) && row->name[i]; i++)
			printf("%02x", (unsigned char)row->name[i]);
		printf(",%ju,%ju,%ju,%ju,%ju\n", (uintmax_t)row->latency_ns,
		       (uintmax_t)row->residency_ns, (uintmax_t)row->flags,
		       (uintmax_t)row->pm_ctrl_reg_val, (uintmax_t)row->pm_ctrl_reg_mask);
	}
}
