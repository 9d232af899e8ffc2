/* The idle loop as it stands in the kernel tree, and a way in. */
#include "idle_loop.h"

#include IDLE_LOOP_SOURCE

void oracle_do_idle(void)
{
	ORACLE_LOOP();
}
