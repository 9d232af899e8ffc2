/*
 * What the programs share that start a driver once for each line of standard input: texts in hex,
 * the driver's messages, and a process of its own for each line.
 */
#ifndef EACH_LINE_H
#define EACH_LINE_H

static void hex(const char *text)
{
	if (!*text)
		putchar('-');
	while (*text)
		printf("%02x", (unsigned char)*text++);
}

int oracle_print(const char *level, const char *format, ...)
{
	char text[2000];
	va_list words;

	va_start(words, format);
	vsnprintf(text, sizeof(text), format, words);
	va_end(words);
	printf("message %s ", level);
	hex(text);
	putchar('\n');
	return 0;
}

static int each_line(void (*run)(char *line))
{
	static char line[65536];

	while (fgets(line, sizeof(line), stdin)) {
		pid_t child;
		int status;

		fflush(stdout);
		child = fork();
		if (!child) {
			run(line);
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, &status, 0);
		printf("end %d\n", status);
	}
	return 0;
}

#endif
