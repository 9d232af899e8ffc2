/* The whole cpuidle driver of a logical partition, with access to its static tables. */
#include DRIVER_SOURCE

int oracle_driver_initcall(void);

/* Before 5.9, nothing is read from the hypervisor. */
#ifndef CEDE_LATENCY_TOKEN
static unsigned int nr_xcede_records;
static struct {
	struct {
		char records[1];
	} payload;
} xcede_latency_parameter;
#endif

static const char *enter_name(const struct cpuidle_state *state)
{
	if (state->enter == snooze_loop)
		return "snooze_loop";
	if (state->enter == dedicated_cede_loop)
		return "dedicated_cede_loop";
	return state->enter == shared_cede_loop ? "shared_cede_loop" : "?";
}

static void report_records(void)
{
	oracle_emit("records %u\n", nr_xcede_records);
}

void oracle_run(void)
{
	const struct cpuidle_driver *driver = &pseries_idle_driver;
	int status = oracle_driver_initcall();

	oracle_emit("status %d\n", status);
	report_records();
	for (int i = 0; i < driver->state_count; i++) {
		const struct cpuidle_state *state = &driver->states[i];

		oracle_emit("state %s %s %u %u %u %s 0 0\n", oracle_hex(state->name),
			    oracle_hex(state->desc), state->exit_latency, state->target_residency,
			    state->flags, enter_name(state));
	}
	oracle_emit("snooze %d %llu\n", snooze_timeout_en, snooze_timeout);
}

/* The kernel believes the length it is given; what it would find behind its buffer is unknown. */
void oracle_watch(void)
{
	if (nr_xcede_records > ARRAY_SIZE(xcede_latency_parameter.payload.records)) {
		report_records();
		oracle_overrun();
	}
}
