/* Does not end. */
#include <linux/cpuidle.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tick.h>

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev, bool *stop_tick)
{
	for (volatile int i = 0; drv->state_count;)
		i++;
	return 0;
}

static struct cpuidle_governor governor = {
	.name = "loops",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
