/* The kernel's services, as far as the idle drivers can tell them from the real ones. */
#include "shim.h"

#include <stdlib.h>

bool oracle_fastsleep_control;
struct paca_struct paca[1];
struct paca_struct *paca_ptrs[1] = { paca };
unsigned int oracle_offline;
struct machdep_calls ppc_md;

int printk(const char *format, ...)
{
	static const char *const level_names[] = { "emerg", "alert",  "crit", "err",
						   "warn",  "notice", "info", "debug" };
	const char *level = "default";
	char text[512];
	va_list arguments;

	oracle_watch();
	if (format[0] == '\001') {
		level = level_names[format[1] - '0'];
		format += 2;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text[strcspn(text, "\n")] = '\0';
	oracle_emit("message %s %s\n", level, text);
	return 0;
}

bool oracle_warn_on(bool condition)
{
	if (condition)
		oracle_emit("warn_on\n");
	return condition;
}

/* A size that overflows fails; an empty block is the address 16, which must not be followed. */
void *kcalloc(size_t count, size_t size, int gfp)
{
	size_t bytes;

	(void)gfp;
	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return bytes ? calloc(1, bytes) : (void *)16;
}

/* The process ends with the case, so nothing needs to be given back. */
void kfree(const void *block)
{
	(void)block;
}

/* Copies at most size - 1 bytes and terminates them; a NULL source faults, as in the kernel. */
ssize_t strscpy(char *target, const char *source, size_t size)
{
	size_t length;

	if (size == 0)
		return -E2BIG;
	for (length = 0; length < size - 1 && ((volatile const char *)source)[length]; length++)
		target[length] = source[length];
	target[length] = '\0';
	return source[length] ? -E2BIG : (ssize_t)length;
}

/* Multiplies by a fraction shifted right until it fits 64 bits: the result's low bits are lost. */
unsigned long long tb_to_ns(unsigned long long ticks)
{
	unsigned __int128 scale = ((unsigned __int128)1000000000 << 64) / oracle.timebase_hz;
	unsigned int shift = 0;

	while (scale >> 64) {
		scale >>= 1;
		shift++;
	}
	return (unsigned long long)((scale * ticks) >> 64) << shift;
}

/* ibm,get-system-parameter: (parameter, buffer, size). The answer is cut at the caller's size. */
int rtas_call(int token, int inputs, int outputs, int *results, ...)
{
	va_list arguments;

	(void)token, (void)inputs, (void)outputs, (void)results;
	va_start(arguments, results);
	(void)va_arg(arguments, int);
	char *buffer = (char *)va_arg(arguments, unsigned long);
	size_t size = va_arg(arguments, size_t);
	va_end(arguments);
	if (oracle.rtas_status == 0)
		memcpy(buffer, oracle.rtas_buffer, oracle.rtas_length < size ? oracle.rtas_length : size);
	return (int)oracle.rtas_status;
}

struct lppaca *get_lppaca(void)
{
	static struct lppaca lppaca;

	return &lppaca;
}

void power7_idle_type(unsigned long type)
{
	(void)type;
}

void arch300_idle_type(unsigned long psscr, unsigned long mask)
{
	(void)psscr, (void)mask;
}
