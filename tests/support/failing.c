/* Preloaded into a command: system calls on files whose path has FAIL_PATH fail with FAIL_ERRNO, and
 * the wall clock jumps by hours where CLOCK_JUMPS is set. FAIL_CALL: read, write, fsync or rename. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int fails(const char *call, const char *path)
{
	const char *wanted = getenv("FAIL_CALL"), *part = getenv("FAIL_PATH");

	if (!wanted || !part || !path || strcmp(wanted, call) || !strstr(path, part))
		return 0;
	errno = atoi(getenv("FAIL_ERRNO"));
	return 1;
}

static int fails_on(const char *call, int fd)
{
	char link[64], path[4096];
	int kept = errno;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	errno = kept;
	if (length < 0)
		return 0;
	path[length] = 0;
	return fails(call, path);
}

#define NEXT(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

ssize_t read(int fd, void *to, size_t count)
{
	if (fails_on("read", fd))
		return -1;
	return NEXT(ssize_t, read, int, void *, size_t)(fd, to, count);
}

ssize_t pread64(int fd, void *to, size_t count, off64_t at)
{
	if (fails_on("read", fd))
		return -1;
	return NEXT(ssize_t, pread64, int, void *, size_t, off64_t)(fd, to, count, at);
}

ssize_t write(int fd, const void *from, size_t count)
{
	if (fails_on("write", fd))
		return -1;
	return NEXT(ssize_t, write, int, const void *, size_t)(fd, from, count);
}

int fsync(int fd)
{
	if (fails_on("fsync", fd))
		return -1;
	return NEXT(int, fsync, int)(fd);
}

int rename(const char *from, const char *to)
{
	if (fails("rename", to))
		return -1;
	return NEXT(int, rename, const char *, const char *)(from, to);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int calls;
	int done = NEXT(int, clock_gettime, clockid_t, struct timespec *)(clock, now);

	if (!done && clock == CLOCK_REALTIME && getenv("CLOCK_JUMPS"))
		now->tv_sec += (++calls % 3 - 1) * 4 * 3600;
	return done;
}
