/* The whole cpuidle driver, with access to its static tables, and the sequence of a boot. */
#include DRIVER_SOURCE

#include "powernv_harness.h"

static const char *enter_name(const struct cpuidle_state *state)
{
	if (state->enter == snooze_loop)
		return "snooze_loop";
	if (state->enter == nap_loop)
		return "nap_loop";
	if (state->enter == fastsleep_loop)
		return "fastsleep_loop";
	return state->enter == stop_loop ? "stop_loop" : "?";
}

void oracle_report_driver(void)
{
	struct cpuidle_driver *driver = &powernv_idle_driver;
	struct cpuidle_device device = {};

	for (int i = 0; i < driver->state_count; i++) {
		const struct cpuidle_state *state = &driver->states[i];

		oracle_emit("state %s %s %u %u %u %s %llu %llu\n", oracle_hex(state->name),
			    oracle_hex(state->desc), state->exit_latency, state->target_residency,
			    state->flags, enter_name(state), stop_psscr_table[i].val,
			    stop_psscr_table[i].mask);
	}
	oracle_emit("snooze %d %llu\n", snooze_timeout_en, get_snooze_timeout(&device, driver, 0));
	for (int i = 0; i < driver->state_count; i++) {
		device.states_usage[i].disable = 1;
		oracle_emit("snooze_without %llu\n", get_snooze_timeout(&device, driver, 0));
		device.states_usage[i].disable = 0;
	}
}

void oracle_run(void)
{
	int platform_status = oracle_platform_initcall();
	int driver_status = oracle_driver_initcall();

	oracle_emit("status %d %d\n", platform_status, driver_status);
	oracle_report_platform();
	if (driver_status == 0)
		oracle_report_driver();
}

void oracle_watch(void)
{
}
