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
#ifdef HAS_STOP
	if (state->enter == stop_loop)
		return "stop_loop";
#endif
	return "?";
}

static void report_psscr(const struct cpuidle_state *state, int i)
{
	u64 value = 0, mask = 0;

#ifdef HAS_STOP
	if (state->enter == stop_loop) {
#ifdef HAS_MASK
		value = stop_psscr_table[i].val;
		mask = stop_psscr_table[i].mask;
#else
		value = OLD_FIELDS | stop_psscr_table[i];
		mask = OLD_FIELDS | PSSCR_RL_MASK;
#endif
	}
#endif
	oracle_emit(" %llu %llu\n", value, mask);
}

static void report_snooze(struct cpuidle_driver *driver)
{
#ifdef HAS_TIMEOUT
	struct cpuidle_device device = {};

	oracle_emit("snooze %d %llu\n", snooze_timeout_en, get_snooze_timeout(&device, driver, 0));
	for (int i = 0; i < driver->state_count; i++) {
		device.states_usage[i].disable = 1;
		oracle_emit("snooze_without %llu\n", get_snooze_timeout(&device, driver, 0));
		device.states_usage[i].disable = 0;
	}
#else
	oracle_emit("snooze %d %llu\n", snooze_timeout_en, snooze_timeout);
#endif
}

void oracle_report_driver(void)
{
	struct cpuidle_driver *driver = &powernv_idle_driver;

	for (int i = 0; i < driver->state_count; i++) {
		const struct cpuidle_state *state = &driver->states[i];

		oracle_emit("state %s %s %u %u %u %s", oracle_hex(state->name),
			    oracle_hex(state->desc), state->exit_latency, state->target_residency,
			    state->flags, enter_name(state));
		report_psscr(state, i);
	}
	report_snooze(driver);
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
