"""IS203 residency-tie: two states have the same target residency.

What it does
    Compares the target residencies of all states of a table that compete: of an Arm or RISC-V
    tree, those of one CPU's list, and those of one power domain.

Why is this bad
    Governors and the platform code order states by residency. Of two states with the same one,
    the deeper never gets its turn by residency; and where the tie is for the greatest, the stop
    state for offlined CPUs is the first of the two, that is, the shallower. Where a kernel of x86
    or Arm holds both, menu and teo take the deeper for every idle that fits the shallower, unless a
    latency limit excludes it: C7s beside Skylake's C8, C6 beside Ivy Bridge's C7.

Example
    extends: power9
    drop: [stop8, stop11]
    override:
      stop4: {residency: 20ms}

Use instead
    extends: power9
    drop: [stop8, stop11]
    override:
      stop4: {residency: 10ms}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init() takes the deepest stop
    with "strictly greater"; op-test DeviceTreeValidation.py asserts strictly increasing values.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .competing import columns
from .rule import FORMS, Rule

RULE = Rule(
    "IS203",
    "residency-tie",
    Severity.WARNING,
    aliases=("op-test:Non monotonicity observed for residency values",),
    forms=FORMS,
    requires=("IS204",),
)


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    for times in columns(subject, "residency"):
        first: dict[int, int] = {}
        for index, _, residency in times:
            earlier = first.setdefault(residency, index)
            if earlier == index:
                continue
            tie = f"{states[earlier].name} and {states[index].name} both have a target residency of"
            yield RULE.finding(
                subject,
                f"{tie} {format_time(residency)}{_passed_over(subject, earlier, index)}",
                subject.at(index, "residency"),
                related=[(subject.at(earlier, "residency"), f"{states[earlier].name} is here")],
            )


def _passed_over(subject: Subject, shallower: int, deeper: int) -> str:
    """What governors make of the two, where Linux holds the rows as they stand."""
    if subject.form not in ("driver", "sysfs"):
        return ""
    first, last = (subject.table.states[row] for row in (shallower, deeper))
    if last.latency_ns <= first.latency_ns:
        return f"; wherever {first.name} fits, menu and teo take {last.name}"
    return (
        f"; wherever {first.name} fits, menu and teo take {last.name}, unless a latency limit "
        f"below {format_time(last.latency_ns)} excludes it"
    )
