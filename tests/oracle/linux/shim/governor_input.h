/* What the programs with rows read alike from standard input. */
#ifndef ORACLE_GOVERNOR_INPUT_H
#define ORACLE_GOVERNOR_INPUT_H

#include <stdio.h>
#include <stdlib.h>

#include "gov_kernel.h"

/* Fills `target`; false at the end of the input, if that is where a CPU may end. */
static bool take(void *target, size_t size, bool may_end)
{
	size_t got = fread(target, 1, size, stdin);

	if (got == size)
		return true;
	if (got || !may_end) {
		fprintf(stderr, "the input ends early (%zu)\n", got);
		exit(1);
	}
	return false;
}

/* The times of a state; kernels before 5.5 have them in whole microseconds. */
static void set_times(struct cpuidle_state *state, s64 exit_ns, s64 residency_ns)
{
	state->exit_latency = (unsigned int)(exit_ns / NSEC_PER_USEC);
	state->target_residency = (unsigned int)(residency_ns / NSEC_PER_USEC);
#ifdef GOV_IN_NS
	state->exit_latency_ns = exit_ns;
	state->target_residency_ns = residency_ns;
#endif
}

#endif
