/*
 * The governor as it stands in the kernel tree: a unit of its own, so that the compiler knows
 * nothing about who calls it. Behind its variables is room, whichever way they are laid out: teo
 * up to 5.4 writes one element behind its last array, and in the kernel that hits no one it knows.
 */
#include "governor.h"

static DEFINE_PER_CPU(char, oracle_room_before)[128];

#include GOVERNOR_SOURCE

static DEFINE_PER_CPU(char, oracle_room_after)[128];
