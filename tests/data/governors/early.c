/* As timer.c, with the interface of Linux 4.11 to 4.16: it puts the latency limit together itself. */
#include <linux/cpu.h>
#include <linux/cpuidle.h>
#include <linux/pm_qos.h>
#include <linux/tick.h>

static int choose(struct cpuidle_driver *drv, struct cpuidle_device *dev)
{
	struct device *device = get_cpu_device(dev->cpu);
	int limit_us = pm_qos_request(PM_QOS_CPU_DMA_LATENCY);
	int resume_us = dev_pm_qos_raw_read_value(device);
	unsigned int sleep_us = ktime_to_us(tick_nohz_get_sleep_length());
	unsigned long waiting, load;
	int found = 0;

	if (resume_us && resume_us < limit_us)
		limit_us = resume_us;
	get_iowait_load(&waiting, &load);
	for (int i = 0; i < drv->state_count; i++)
		if (!dev->states_usage[i].disable && drv->states[i].exit_latency <= limit_us &&
		    drv->states[i].target_residency <= sleep_us)
			found = i;
	return load > 2000 ? 0 : found;
}

static struct cpuidle_governor governor = {
	.name = "early",
	.rating = 1,
	.select = choose,
};

static int __init begin(void)
{
	return cpuidle_register_governor(&governor);
}

postcore_initcall(begin);
