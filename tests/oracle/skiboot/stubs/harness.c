/*
 * Reads one case a line on standard input, runs each in a process of its own, and prints
 * what happened. Fields of a line, separated by spaces, '-' for absent, text as x<hex>:
 *
 *   entry proc_gen chip ec_level stop_levels wakeup_engine fused quirks nvram
 *   idle_states rows
 *
 * rows is the hex of 44 bytes each, big-endian: name[16] latency residency control mask
 * flags. Output per case: "table", "log", "property" and "overrun" lines, then "end OUTCOME DETAIL".
 *
 * Argument: the processor time in ms after which a case is taken for an endless loop.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle.h"

enum {
	ROW_SIZE = 44,
	SLACK = 16 * 1024,	/* more than 255 runaway names can overrun */
	UNTOUCHED = 0xa5,	/* seen in a property: a byte the firmware never wrote */
	MAX_BLOCKS = 16,
};

enum status { DONE, ASSERTED = 20, UNKNOWN_NAME };

/*
 * Output: written by the child, printed by its parent, so that none is lost in a crash.
 * What does not fit any more is dropped.
 */

static struct transcript {
	size_t used;
	char text[8 * 1024 * 1024];
} *transcript;

static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
	size_t room = sizeof(transcript->text) - transcript->used;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(transcript->text + transcript->used, room, format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < room)
		transcript->used += length;
}

static void tell_hex(const char *event, const char *name, const void *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;
	char hex[2 * size + 1];

	for (size_t i = 0; i < size; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 0xf];
	}
	hex[2 * size] = '\0';
	tell("%s %s x%s\n", event, name, hex);
}

void oracle_log(const char *level, const char *format, ...)
{
	char line[320];		/* the firmware's own limit */
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	tell_hex("log", level, line, strlen(line));
}

void oracle_property(const char *name, const void *value, size_t size)
{
	tell_hex("property", name, value, size);
}

void oracle_table(const char *name)
{
	tell("table %s\n", name);
}

/* Memory */

static struct block {
	unsigned char *memory;
	size_t size;
} blocks[MAX_BLOCKS];
static size_t nr_blocks;

void *oracle_malloc(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t usable = (size + SLACK + page - 1) / page * page;
	unsigned char *memory;

	memory = mmap(NULL, usable + page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory + usable, page, PROT_NONE))
		err(1, "mmap");
	memset(memory, UNTOUCHED, size + SLACK);
	if (nr_blocks == MAX_BLOCKS)
		errx(1, "more than %d allocations", MAX_BLOCKS);
	blocks[nr_blocks++] = (struct block){ memory, size };
	return memory;
}

void oracle_free(void *memory)
{
	(void)memory;		/* the process ends soon, and the overrun is measured then */
}

static bool untouched(const unsigned char *memory, size_t size)
{
	return *memory == UNTOUCHED && !memcmp(memory, memory + 1, size - 1);
}

static void tell_overruns(void)
{
	for (struct block *block = blocks; block < blocks + nr_blocks; block++) {
		unsigned char *end = block->memory + block->size;
		size_t beyond = SLACK;

		if (untouched(end, SLACK))
			continue;
		while (end[beyond - 1] == UNTOUCHED)
			beyond--;
		tell("overrun %zu\n", beyond);
	}
}

_Noreturn void oracle_assert_failed(const char *expression)
{
	tell_overruns();
	tell_hex("assertion", "-", expression, strlen(expression));
	_exit(ASSERTED);
}

/* Input */

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	if (!at)
		errx(2, "'%c' is no hexadecimal digit", c);
	return at - digits;
}

/* The bytes of x<hex>, with a NUL after them; NULL for '-'. */
static char *bytes_of(const char *field, size_t *size)
{
	char *bytes;

	*size = 0;
	if (*field++ != 'x')
		return NULL;
	*size = strlen(field) / 2;
	bytes = calloc(*size + 1, 1);
	for (size_t i = 0; bytes && i < *size; i++)
		bytes[i] = digit(field[2 * i]) << 4 | digit(field[2 * i + 1]);
	return bytes;
}

static uint64_t big_endian(const char **bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | (unsigned char)*(*bytes)++;
	return value;
}

static struct row *rows_of(const char *field, size_t *nr_rows)
{
	size_t size;
	const char *bytes = bytes_of(field, &size);
	struct row *rows = bytes ? calloc(size / ROW_SIZE + 1, sizeof(*rows)) : NULL;

	*nr_rows = size / ROW_SIZE;
	for (struct row *row = rows; row < rows + *nr_rows; row++) {
		memcpy(row->name, bytes, sizeof(row->name));
		bytes += sizeof(row->name);
		row->latency_ns = big_endian(&bytes, 4);
		row->residency_ns = big_endian(&bytes, 4);
		row->control = big_endian(&bytes, 8);
		row->mask = big_endian(&bytes, 8);
		row->flags = big_endian(&bytes, 4);
	}
	return rows;
}

static const char *next_field(char **line)
{
	const char *field = strsep(line, " \n");

	if (!field || !*field)
		errx(2, "a case has too few fields");
	return field;
}

static struct oracle_case parse(char *line)
{
	static uint32_t stop_levels;
	struct oracle_case c = { .entry = next_field(&line) };
	const char *levels;
	size_t size;

	c.proc_gen = next_field(&line);
	c.chip = next_field(&line);
	c.ec_level = strtoul(next_field(&line), NULL, 0);
	levels = next_field(&line);
	stop_levels = strtoul(levels, NULL, 0);
	c.stop_levels = strcmp(levels, "-") ? &stop_levels : NULL;
	c.wakeup_engine = next_field(&line);
	c.is_fused_core = !strcmp(next_field(&line), "1");
	c.quirks = next_field(&line);
	c.nvram = bytes_of(next_field(&line), &size);
	c.idle_states = bytes_of(next_field(&line), &c.idle_states_size);
	c.rows = rows_of(next_field(&line), &c.nr_rows);
	return c;
}

/* Processes */

static void limit_processor_time(long ms)
{
	struct itimerval limit = { .it_value = { ms / 1000, ms % 1000 * 1000 } };
	struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	setitimer(ITIMER_PROF, &limit, NULL);
}

static _Noreturn void run_in_child(char *line, long ms)
{
	struct oracle_case c = parse(line);
	bool known;

	limit_processor_time(ms);
	known = firmware_run(&c);
	tell_overruns();
	_exit(known ? DONE : UNKNOWN_NAME);
}

static void print_events(int status)
{
	fwrite(transcript->text, 1, transcript->used, stdout);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
		puts("end timeout");
	else if (WIFSIGNALED(status))
		printf("end crash %s\n", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == ASSERTED)
		puts("end assert");
	else if (WEXITSTATUS(status) == DONE)
		puts("end ok");
	else
		errx(2, "a case the firmware tree does not know");
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 200;
	char *line = NULL;
	size_t room = 0;

	transcript = mmap(NULL, sizeof(*transcript), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (transcript == MAP_FAILED)
		err(1, "mmap");
	while (getline(&line, &room, stdin) > 0) {
		int status;
		pid_t child;

		transcript->used = 0;
		child = fork();
		if (child < 0)
			err(1, "fork");
		if (!child)
			run_in_child(line, ms);
		if (waitpid(child, &status, 0) < 0)
			err(1, "waitpid");
		print_events(status);
		fflush(stdout);	/* before the next fork */
	}
	return 0;
}
