/*
 * Runs one case per input line, each in a process of its own, and prints its report, closed by
 * "end OUTCOME". A line consists of words: key=number, rtas_buffer=HEX, or prop:HEXNAME=HEXVALUE,
 * where the value "-" stands for none.
 */
#include <signal.h>
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

enum { MALFORMED = 2, FLOOD = 3, OVERRUN = 4, CPU_SECONDS = 1, REPORT_BYTES = 1 << 20 };

struct oracle_case oracle;

static struct report {
	size_t used;
	char text[REPORT_BYTES];
} *report;

static const struct {
	const char *key;
	unsigned long *number;
} numbers[] = {
	{ "pvr", &oracle.pvr },
	{ "arch_300", &oracle.arch_300 },
	{ "arch_31", &oracle.arch_31 },
	{ "dd1", &oracle.dd1 },
	{ "hz", &oracle.hz },
	{ "timebase_hz", &oracle.timebase_hz },
	{ "powersave_off", &oracle.powersave_off },
	{ "node", &oracle.node },
	{ "stop_api", &oracle.stop_api },
	{ "splpar", &oracle.splpar },
	{ "shared", &oracle.shared },
	{ "rtas_status", &oracle.rtas_status },
};

void oracle_emit(const char *format, ...)
{
	size_t room = REPORT_BYTES - report->used;
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(report->text + report->used, room, format, arguments);
	va_end(arguments);
	if ((size_t)length >= room)
		_exit(FLOOD);
	report->used += length;
}

void oracle_overrun(void)
{
	_exit(OVERRUN);
}

const char *oracle_hex(const char *text)
{
	static char ring[4][80];
	static unsigned int turn;
	char *hex = ring[turn++ % 4];

	strcpy(hex, "-");
	for (size_t i = 0; text[i] && 2 * i + 2 < sizeof(ring[0]); i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)text[i]);
	return hex;
}

static int nibble(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	_exit(MALFORMED);
}

/* Decodes in place: the bytes never outrun the digits. A NUL is added after the last byte. */
static size_t unhex(char *text)
{
	size_t length = 0;

	for (const char *digit = text; *digit; digit += 2)
		text[length++] = (char)(nibble(digit[0]) << 4 | nibble(digit[1]));
	text[length] = '\0';
	return length;
}

static void read_word(char *word)
{
	char *value = strchr(word, '=');
	char *rest;

	if (!value)
		_exit(MALFORMED);
	*value++ = '\0';
	if (strncmp(word, "prop:", 5) == 0) {
		bool has_value = strcmp(value, "-") != 0;
		size_t length = has_value ? unhex(value) : 0;

		unhex(word + 5);
		if (!oracle_add_property(word + 5, has_value ? value : NULL, length))
			_exit(MALFORMED);
		return;
	}
	if (strcmp(word, "rtas_buffer") == 0) {
		oracle.rtas_buffer = (unsigned char *)value;
		oracle.rtas_length = unhex(value);
		return;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(word, numbers[i].key) == 0) {
			*numbers[i].number = strtoul(value, &rest, 10);
			if (*value && !*rest)
				return;
		}
	}
	_exit(MALFORMED);
}

static void run_case(char *line)
{
	struct itimerval limit = { .it_value.tv_sec = CPU_SECONDS };
	char *position, *word;

	for (; (word = strtok_r(line, " \n", &position)); line = NULL)
		read_word(word);
	setitimer(ITIMER_PROF, &limit, NULL);
	oracle_run();
	_exit(0);
}

static const char *outcome(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGPROF ? "timeout" : "oops";
	switch (WEXITSTATUS(status)) {
	case 0:
		return "ok";
	case FLOOD:
		return "flood";
	case OVERRUN:
		return "overrun";
	default:
		return "malformed";
	}
}

int main(void)
{
	const struct rlimit no_core = { 0, 0 };
	char *line = NULL;
	size_t capacity = 0;

	setrlimit(RLIMIT_CORE, &no_core);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (report == MAP_FAILED)
		return 1;
	while (getline(&line, &capacity, stdin) > 0) {
		int status;

		report->used = 0;
		pid_t child = fork();
		if (child == 0)
			run_case(line);
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 1;
		fwrite(report->text, 1, report->used, stdout);
		printf("end %s\n", outcome(status));
	}
	return 0;
}
