/* The governor as it stands in the kernel tree: a unit of its own, so that none of it is guessed. */
#include "governor.h"

#include GOVERNOR_SOURCE
