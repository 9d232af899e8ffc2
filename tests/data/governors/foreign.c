/* Has an interface that no kernel has. */
#include <linux/cpuidle.h>

struct cpuidle_context;

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev, struct cpuidle_context *context)
{
	return 0;
}

static struct cpuidle_governor governor = {
	.name = "foreign",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
