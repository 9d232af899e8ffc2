/* The idle loop as it stands in the kernel tree, and the ways in. */
#include "idle_loop.h"

#include IDLE_LOOP_SOURCE

int (*const oracle_poll_idle)(struct cpuidle_device *, struct cpuidle_driver *, int) = poll_idle;

void oracle_do_idle(void)
{
	ORACLE_LOOP();
}
