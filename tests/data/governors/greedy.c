/* Takes all memory. */
#include <linux/cpuidle.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tick.h>

void *malloc(unsigned long size);

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev, bool *stop_tick)
{
	for (size_t size = 1 << 20; size; size += 1 << 20)
		memset(malloc(size), 1, size);
	return 0;
}

static struct cpuidle_governor governor = {
	.name = "greedy",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
