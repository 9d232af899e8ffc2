/*
 * The governor, as its file has it: a unit of its own, so that the compiler knows nothing of its
 * caller. Room lies before and behind its variables, however they are laid out: teo up to 5.4
 * writes one element behind its last array, which in the kernel hits nothing it knows.
 */
#include "gov_kernel.h"

static DEFINE_PER_CPU(char, gov_room_before)[128];

#include GOV_SOURCE

static DEFINE_PER_CPU(char, gov_room_behind)[128];
