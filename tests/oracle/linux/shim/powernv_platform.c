/* The platform's device-tree parser, with access to its static results. */
#include PLATFORM_SOURCE

#include "powernv_harness.h"

static const char *power_save_name(void)
{
#ifdef HAS_STOP
	if (ppc_md.power_save == arch300_idle)
		return "arch300_idle";
#endif
	return ppc_md.power_save == power7_idle ? "power7_idle" : "-";
}

/* Before 4.19 the driver parses the tree for itself. */
static void report_parsed(void)
{
#ifdef HAS_PARSED
	for (int i = 0; i < nr_pnv_idle_states; i++) {
		const struct pnv_idle_states_t *state = &pnv_idle_states[i];

		oracle_emit("parsed %s %u %u %u %llu %llu %u\n", oracle_hex(state->name),
			    state->latency_ns, state->residency_ns, state->flags, state->psscr_val,
			    state->psscr_mask, state->valid);
	}
#endif
}

/* Before 4.12 values are used whether one was found or not, before 4.11 with all other fields set
 * by the code that enters a state. */
static void report_choices(void)
{
#ifdef HAS_FOUND
	if (default_stop_found)
		oracle_emit("default_stop %llu %llu\n", pnv_default_stop_val, pnv_default_stop_mask);
	if (deepest_stop_found)
		oracle_emit("deepest_stop %llu %llu\n", pnv_deepest_stop_psscr_val,
			    pnv_deepest_stop_psscr_mask);
#elif defined(HAS_STOP)
	bool stops = strcmp(power_save_name(), "arch300_idle") == 0;
#ifdef HAS_LEVEL
	u64 pnv_default_stop_val = OLD_FIELDS, pnv_default_stop_mask = OLD_FIELDS | PSSCR_RL_MASK;
	u64 pnv_deepest_stop_psscr_val = OLD_FIELDS | pnv_deepest_stop_state;
	u64 pnv_deepest_stop_psscr_mask = OLD_FIELDS | PSSCR_RL_MASK;
#endif
	if (stops)
		oracle_emit("default_stop %llu %llu\n", pnv_default_stop_val, pnv_default_stop_mask);
	if (oracle.arch_300)
		oracle_emit("deepest_stop %llu %llu\n", pnv_deepest_stop_psscr_val,
			    pnv_deepest_stop_psscr_mask);
#endif
#ifdef HAS_TIMEBASE
	oracle_emit("loss_levels %llu %llu\n", deep_spr_loss_state, pnv_first_tb_loss_level);
#elif defined(HAS_STOP)
	oracle_emit("loss_levels %llu\n", pnv_first_deep_stop_state);
#endif
}

static void report_offline(void)
{
#ifdef HAS_OFFLINE_TYPE
	oracle_emit("offline_type %lu\n", power7_offline_type);
	oracle_emit("fastsleep %d %d\n", power7_fastsleep_workaround_entry,
		    oracle_fastsleep_control);
#else
	oracle_restarts = 0;
	oracle_offline = OFFLINE_NONE;
#ifdef HAS_CPU_OFFLINE
	pnv_cpu_offline(0);
#else
	pnv_smp_cpu_kill_self();
#endif
	oracle_emit("offline_type %u\n", oracle_offline);
	oracle_emit("fastsleep %d %d\n", oracle_fastsleep_control, oracle_fastsleep_control);
#endif
}

void oracle_report_platform(void)
{
	report_parsed();
	report_choices();
	oracle_emit("supported %u\n", supported_cpuidle_states);
	oracle_emit("power_save %s\n", power_save_name());
	report_offline();
}
