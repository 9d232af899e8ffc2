"""IS203 residency-tie: two states have the same target residency.

What it does
    Compares the target residencies of all states of a table that compete: of an Arm or RISC-V
    tree, those of one CPU's list, and those of one power domain.

Why is this bad
    Governors and the platform code order states by residency. Of two states with the same one,
    the deeper never gets its turn by residency; and where the tie is for the greatest, the stop
    state for offlined CPUs is the first of the two, that is, the shallower. Where a kernel of x86
    or Arm holds both, a latency limit that excludes the deeper leaves the shallower, as C7s beside
    Skylake's C8, C6 beside Ivy Bridge's C7. Without one, menu and teo hardly ever take it: menu up
    to 6.12 while tasks wait for I/O, which lower the latency that it allows, teo of 6.3 to 6.10 on
    a utilised CPU, and both, of a tie above a tick, while the tick is stopped. The finding says for
    each kernel what `prove` decides.

Example
    extends: power9
    drop: [stop8, stop11]
    override:
      stop4: {residency: 20ms}

Use instead
    -   stop4: {residency: 20ms}
    +   stop4: {residency: 10ms}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init() takes the deepest stop
    with "strictly greater"; op-test DeviceTreeValidation.py asserts strictly increasing values.
"""

from functools import partial
from itertools import pairwise

from ...base.model.units import format_time
from ...base.wording import joined
from ..linux.governors import known_in
from .competing import columns
from .is2_times import Time
from .is4_kernels import row_of
from .rows import StateRow, repeated
from .rule import FORMS, Rule, Severity, Subject, Verdicts

RULE = Rule(
    "IS203",
    "residency-tie",
    Severity.WARNING,
    aliases=("op-test:Non monotonicity observed for residency values",),
    forms=FORMS,
    requires=("IS204",),
)


@RULE.of_each(partial(columns, field="residency"))
def check(group: list[Time]) -> Verdicts:
    if all(before.ns < after.ns for before, after in pairwise(group)):
        return
    rows = [time.row for time in group]
    for first, row in repeated(rows, lambda each: each.state.residency_ns):
        residency = format_time(row.state.residency_ns or 0)
        both = f"{first.name} and {row.name} both have a target residency of {residency}"
        yield row.verdict(
            "residency",
            both + _passed_over(first, row),
            related=[(first.at("residency"), f"{first.name} is here")],
        )


def _passed_over(first: StateRow, last: StateRow) -> str:
    """Returns the governors' treatment of the two, where Linux holds the rows as they stand."""
    if first.subject.form not in ("driver", "sysfs"):
        return ""
    known, others = _exceptions(first.subject, first.number)
    if not known:
        return ""
    never = f"{joined(known)} never select{'' if len(known) > 1 else 's'} {first.name}"
    if others:
        never = f"{never}, but for {joined(others)}"
    if last.state.latency_ns <= first.state.latency_ns:
        return f"; {never}"
    limit = f"a latency limit below {format_time(last.state.latency_ns)} excludes {last.name}"
    return f"; unless {limit}, {never}"


def _exceptions(subject: Subject, row: int) -> tuple[list[str], list[str]]:
    """Governors of the kernels, and when which of them select the state of a row after all."""
    from ..prove.conditions import Conditions

    known, others = [], []
    for governor in filter(subject.runs, ("menu", "teo")):
        conditions, selectable = Conditions(governor), {}
        for release in subject.kernels:
            driver = subject.linux(release)
            numbers = [i for i, s in enumerate(driver.states) if row_of(subject, s.source) == row]
            if numbers and known_in(governor, release):
                selectable[release.name] = conditions.of(release, driver, numbers[0])
        if selectable:
            known.append(governor)
        for each in dict.fromkeys(selectable.values()):
            if each.never:
                continue
            names = [name for name, one in selectable.items() if one == each]
            by = f"{governor} of {', '.join(names)}" if len(names) < len(selectable) else governor
            when = f" while {joined(each.only, 'or')}" if each.only else " after some idle periods"
            others.append(by + (when if each.found else f"{when}, perhaps"))
    return known, others
