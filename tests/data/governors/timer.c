/* Selects the deepest state whose target residency the next timer allows. */
#include <linux/cpuidle.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tick.h>

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev, bool *stop_tick)
{
	ktime_t delta_tick;
	s64 sleep_ns = tick_nohz_get_sleep_length(&delta_tick);
	s64 limit_ns = cpuidle_governor_latency_req(dev->cpu);
	int found = 0;

	for (int i = 0; i < drv->state_count; i++)
		if (!dev->states_usage[i].disable && drv->states[i].exit_latency_ns <= limit_ns &&
		    drv->states[i].target_residency_ns <= sleep_ns)
			found = i;
	*stop_tick = drv->states[found].target_residency_ns > delta_tick;
	return found;
}

static struct cpuidle_governor governor = {
	.name = "timer",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
