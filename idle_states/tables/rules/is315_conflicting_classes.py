"""IS315 conflicting-classes: a state's flags name two classes, or one that its losses contradict.

What it does
    Looks for STOP_INST_FAST together with STOP_INST_DEEP, stop classes together with those of
    POWER8, two of nap, sleep and winkle, and USE_PMICR on a stop state; for STOP_INST_FAST with
    LOSE_HYP_CONTEXT or LOSE_FULL_CONTEXT; and for STOP_INST_DEEP or WINKLE_ENABLED without
    LOSE_FULL_CONTEXT.

Why is this bad
    The class decides whether firmware exports the state (deep ones and winkle need a wakeup
    engine, fast ones none) and how Linux enters it. Of two classes each takes the one it looks
    for first, NAP before stop, and not necessarily the same. A FAST state that loses context is
    exported on machines without the engine that restores it, and Linux may idle in it by
    default. From 4.13 on it never uses winkle without LOSE_FULL_CONTEXT.

Example
    extends: power9
    override:
      stop4:
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_FAST]

Use instead
    -     flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_FAST]
    +     flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), supported_states_mask; Linux
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), order of the classes, and
    arch/powerpc/platforms/powernv/idle.c pnv_init_idle_states() for winkle.
"""

from collections.abc import Iterator

from ...base.model.table import STOP_CLASSES, Flag, IdleState, flag_names
from ...base.wording import joined
from .is3_control import FLAGS_OF_2014, POWER8_CLASSES, SLEEP_CLASSES
from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS315", "conflicting-classes", Severity.ERROR, requires=("IS311",))

_POWER8 = (int(Flag.NAP_ENABLED), SLEEP_CLASSES, int(Flag.WINKLE_ENABLED))
_HYP_OR_FULL = Flag.LOSE_HYP_CONTEXT | Flag.LOSE_FULL_CONTEXT


@RULE.of_each(every_row)
def check(row: StateRow) -> Verdicts:
    for conflict in _conflicts(row.state):
        yield row.verdict("flags", f"{row.name} has {conflict}")


def _conflicts(state: IdleState) -> Iterator[str]:
    stop, power8 = state.flags & STOP_CLASSES, state.flags & POWER8_CLASSES
    two_of_power8 = sum(bool(power8 & kind) for kind in _POWER8) > 1
    if (stop and power8) or stop == STOP_CLASSES or two_of_power8:
        yield f"classes that exclude each other: {joined(flag_names(stop | power8))}"
    if stop and state.has(Flag.USE_PMICR):
        yield "USE_PMICR, but a stop state is entered through PSSCR"
    losses = state.flags & _HYP_OR_FULL
    if stop == Flag.STOP_INST_FAST and losses:
        yield f"STOP_INST_FAST with {joined(flag_names(losses))}; a state that loses it is deep"
    if not state.flags & (Flag.LOSE_FULL_CONTEXT | FLAGS_OF_2014):
        if stop == Flag.STOP_INST_DEEP:
            yield "STOP_INST_DEEP without LOSE_FULL_CONTEXT; a state that keeps it is fast"
        if power8 == Flag.WINKLE_ENABLED:
            yield "WINKLE_ENABLED without LOSE_FULL_CONTEXT; winkle powers the core off"
