/* Selects state 1 if it can read a file, open a connection or start a program. */
#include <linux/cpuidle.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tick.h>

int open(const char *path, int flags, ...);
int socket(int domain, int type, int protocol);
int fork(void);
int kill(int process, int signal);
int getppid(void);

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev, bool *stop_tick)
{
	return open("/etc/passwd", 0) >= 0 || open("/proc/self/environ", 0) >= 0 ||
	       socket(2, 1, 0) >= 0 || socket(1, 1, 0) >= 0 ||
	       fork() >= 0 || kill(getppid(), 0) >= 0;
}

static struct cpuidle_governor governor = {
	.name = "peeks",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
