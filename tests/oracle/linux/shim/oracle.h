/* The case under test, and how its outcome is written down. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>

/* One number per `key=value` word of a case line; pvr is the version half of the register. */
struct oracle_case {
	unsigned long pvr, arch_300, arch_31, dd1, hz, timebase_hz, powersave_off;
	unsigned long node, stop_api;
	unsigned long splpar, shared, rtas_status;
	const unsigned char *rtas_buffer;
	size_t rtas_length;
};
extern struct oracle_case oracle;

/* Appends a formatted line to the case's report, which outlives the process that runs the case. */
void oracle_emit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A byte string as hexadecimal, "-" when empty; valid until the next four calls. */
const char *oracle_hex(const char *text);

/* Adds a property to the node, if there is room; value NULL: a property without a value. */
bool oracle_add_property(const char *name, const void *value, size_t length);

/* Ends the case: the kernel is about to read memory it has no business with. */
void oracle_overrun(void) __attribute__((noreturn));

/* Each harness provides: run the kernel code and report; look at its state before each message. */
void oracle_run(void);
void oracle_watch(void);

#endif
