/* Selects by a variable that is never set. */
#include <linux/cpuidle.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tick.h>

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev, bool *stop_tick)
{
	int found[2];
	volatile int which = drv->state_count & 1;

	return found[which] >> 4 & 1;
}

static struct cpuidle_governor governor = {
	.name = "guesses",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
