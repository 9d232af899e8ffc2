/* The platform's device-tree parser, with access to its static results. */
#include PLATFORM_SOURCE

#include "powernv_harness.h"

static const char *power_save_name(void)
{
	if (ppc_md.power_save == arch300_idle)
		return "arch300_idle";
	return ppc_md.power_save == power7_idle ? "power7_idle" : "-";
}

void oracle_report_platform(void)
{
	for (int i = 0; i < nr_pnv_idle_states; i++) {
		const struct pnv_idle_states_t *state = &pnv_idle_states[i];

		oracle_emit("parsed %s %u %u %u %llu %llu %u\n", oracle_hex(state->name),
			    state->latency_ns, state->residency_ns, state->flags, state->psscr_val,
			    state->psscr_mask, state->valid);
	}
	if (default_stop_found)
		oracle_emit("default_stop %llu %llu\n", pnv_default_stop_val, pnv_default_stop_mask);
	if (deepest_stop_found)
		oracle_emit("deepest_stop %llu %llu\n", pnv_deepest_stop_psscr_val,
			    pnv_deepest_stop_psscr_mask);
	oracle_emit("loss_levels %llu %llu\n", pnv_first_tb_loss_level, deep_spr_loss_state);
	oracle_emit("supported %u\n", supported_cpuidle_states);
	oracle_emit("power_save %s\n", power_save_name());
	oracle_emit("offline_type %lu\n", power7_offline_type);
	oracle_emit("fastsleep %d %d\n", power7_fastsleep_workaround_entry,
		    oracle_fastsleep_control);
}
