"""The causes for which a stage changes a value: what follows, and the rule that reports it.

A cause that no rule reports says why none is needed.
"""

from typing import Literal

from ...base.dataclass import dataclass, replace
from ...base.model.stages import Changed
from ...base.model.table import IdleTable

Kind = Literal[
    "truncated", "rounded up", "wrapped", "cut", "replaced", "exchanged", "converted", "dropped"
]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a changed value.

    follows  for whoever wrote the table
    rules    codes, of which one reports it
    none     why no rule is needed; "" where one reports it
    quiet    whether nothing is lost that any later stage would read
    """

    kind: Kind
    follows: str
    rules: tuple[str, ...] = ()
    none: str = ""
    quiet: bool = False


_FIGURE = "governors compare the rounded figure, and neighbours can become equal"
_PSSCR = "the state is entered with other PSSCR fields than its row says"
_OWN_FIGURE = "changing the row changes nothing in this kernel"
_EXACT = "nothing is lost: the conversion is exact"

CAUSES: dict[str, Meaning] = {
    # firmware
    "run-on": Meaning("cut", "logs, sysfs and scripts show another name", ("IS108",)),
    "shifted-name": Meaning("replaced", "sysfs shows the name of another state", ("IS108",)),
    "not-exported": Meaning(
        "dropped",
        "kernels use a residency of their own",
        none="that firmware is older than the property (before 0d7b1161a), whatever the table says",
    ),
    "mask-is-value": Meaning(
        "replaced", "nothing: Linux reads no PMICR mask", none="no kernel reads the property"
    ),
    # powernv
    "truncated": Meaning("truncated", _FIGURE, ("IS212",)),
    "rounded-up": Meaning("rounded up", _FIGURE, ("IS212",)),
    "wrapped": Meaning("wrapped", "the longest residency becomes the shortest, 0 us", ("IS216",)),
    "built-in": Meaning("replaced", _OWN_FIGURE, ("IS412", "IS422")),
    "own-default": Meaning(
        "replaced",
        "the driver's own residency decides when the state is selected",
        ("IS214", "IS102"),
    ),
    "class-name": Meaning(
        "replaced",
        "sysfs shows Nap or FastSleep, whatever the row is called",
        none="the name says the same state; no time or register depends on it",
        quiet=True,
    ),
    "cut": Meaning("cut", "sysfs and scripts show the first 15 bytes", ("IS108",)),
    "old-format": Meaning("replaced", _PSSCR, ("IS309",)),
    "mask-unread": Meaning("replaced", _PSSCR, ("IS423",)),
    "of-another-state": Meaning(
        "replaced", "the state enters another level than its row requests", ("IS405", "IS606")
    ),
    "uninitialised": Meaning(
        "replaced",
        "the state enters the level that happens to be in memory",
        none="all states of a firmware's table are stop states, or none is",
    ),
    "over-threshold": Meaning("dropped", "the state serves offlined CPUs only", ("IS404", "IS208")),
    "flags": Meaning(
        "dropped",
        "TIMER_STOP makes Linux wake the CPU by a broadcast timer; no other flag is cpuidle's",
        none="all flags are read before, by firmware and platform code; IS310 to IS315 judge them",
        quiet=True,
    ),
    "unread": Meaning(
        "dropped",
        "nothing",
        none="no modelled kernel reads PMICR values; firmware sets them",
        quiet=True,
    ),
    "ticks": Meaning(
        "converted", _EXACT, none="512 MHz are 512 ticks a microsecond: exact", quiet=True
    ),
    "ticks-truncated": Meaning(
        "truncated",
        "snooze ends early, by less than one tick for each microsecond of the time-out",
        none="partitions and OPAL have 512 MHz, where it is exact",
    ),
    # pseries
    "cede-records": Meaning(
        "replaced",
        "CEDE has the hypervisor's latency and ten times that as residency",
        none="a partition has no table that a kernel reads: its rows say what is expected",
    ),
    "ticks-to-ns": Meaning("converted", _EXACT, none="the ticks are whole ns", quiet=True),
    "ticks-to-ns-truncated": Meaning(
        "truncated",
        "less than 2 ns are lost, which matters only where they would begin another microsecond",
        none="at most 1 us of CEDE's latency depends on it, and the hypervisor sets the ticks",
    ),
    "record-rounded-up": Meaning(
        "rounded up", _FIGURE, none="the hypervisor sets the ticks; no row of a table does"
    ),
    # Arm and RISC-V
    "summed": Meaning(
        "converted",
        "a latency limit is compared with the sum",
        none="it is what the binding says, and exact",
        quiet=True,
    ),
    "wakeup": Meaning(
        "replaced",
        "a latency limit is compared with wakeup-latency-us alone",
        none="it is what the binding says; IS608 and IS610 report figures that contradict",
        quiet=True,
    ),
    "sum-wrapped": Meaning("wrapped", "the slowest state looks like a fast one", ("IS624",)),
    "wrapped-on-32-bits": Meaning(
        "wrapped", "a 32-bit kernel treats the longest state as a short one", ("IS625",)
    ),
    "unit": Meaning(
        "converted", _EXACT, none="a product of 32 and 10 bits fits 64: exact", quiet=True
    ),
    # ACPI
    "numbered": Meaning(
        "replaced",
        "sysfs shows the number as name, and firmware's name as desc",
        none="the description keeps the name",
        quiet=True,
    ),
    "by-latency": Meaning(
        "replaced",
        "the residency follows the latency, and processor.latency_factor",
        none="_CST has no residency to lose",
    ),
    "by-latency-wrapped": Meaning(
        "wrapped", "the slowest state is selected for every idle period", ("IS424",)
    ),
    "of-leader": Meaning(
        "replaced", "governors choose by another processor's times", ("IS417", "IS425")
    ),
    "combined": Meaning(
        "replaced",
        "the CPU's state and its container's are one, with both latencies and the longer residency",
        none="it is what ACPI says of composite states",
    ),
    "exchanged": Meaning("exchanged", "a state has the latency of another", ("IS205", "IS424")),
    # intel_idle
    "by-release": Meaning(
        "replaced",
        "the release has these figures",
        none="the table is the driver's own, and each release has its own",
    ),
    "by-machine": Meaning(
        "replaced",
        "the driver changes the row for this machine",
        none="the driver intends it; --platform names the machine",
    ),
    "by-parameter": Meaning(
        "replaced",
        "the figure is that of the command line",
        none="it was requested; IS416 reports what the kernel refuses",
    ),
    "switched-off": Meaning(
        "dropped",
        "governors pass the state over until default_status is overruled",
        none="firmware or the command line asks for it; show says which",
    ),
}
"""Cause of a `Changed` -> what it means; `judged` adds what depends on the value."""

OF_FORM = {
    ("pseries", "built-in"): Meaning(
        "replaced",
        _OWN_FIGURE,
        none="a partition has no table that a kernel reads: its rows say what is expected",
    ),
    ("nodes", "cut"): Meaning(
        "cut",
        "sysfs shows the first 15 bytes; desc has 31",
        none="desc tells the states apart; IS626 reports names that become equal",
    ),
    ("nodes", "wrapped"): Meaning(
        "wrapped", "the domain is turned off for idles that are far too short", ("IS623",)
    ),
    ("acpi", "wrapped"): Meaning("wrapped", "the slowest state looks like a fast one", ("IS424",)),
}
"""(form of the table, cause) -> what it means there instead."""
ZERO = {
    "latency": "the state seems as cheap as polling, and passes every latency limit",
    "residency": "every idle period is long enough, and snooze before it ends at once",
}


def judged(changed: Changed, stage: str, table: IdleTable) -> Meaning:
    """Returns what a change that a stage makes of a table's value means."""
    form = "pseries" if table.partition is not None else table.origin.form
    found = OF_FORM.get((form, changed.cause)) or CAUSES[changed.cause]
    if changed.cause in ("truncated", "rounded-up") and _below_1_us(changed.before):
        code = "IS201" if changed.field == "latency" else "IS202"
        zero = changed.after == "0 us"
        return Meaning(found.kind, ZERO[changed.field] if zero else _FIGURE, (code,))
    if found.rules == CAUSES["built-in"].rules:
        return replace(found, rules=("IS422" if changed.field == "latency" else "IS412",))
    if found.rules == CAUSES["of-another-state"].rules:
        return replace(found, rules=("IS606" if form == "nodes" else "IS405",))
    if changed.cause == "own-default" and stage == "driver" and _has_residency(changed, table):
        return CAUSES["not-exported"]
    if changed.cause == "over-threshold":
        state = table.states[changed.index]
        if not state.cpuidle:
            return Meaning(found.kind, found.follows, none=f"intended: {state.reason}")
    return found


def _below_1_us(text: str) -> bool:
    number, _, unit = text.partition(" ")
    return unit == "ns" and int(number) < 1000


def _has_residency(changed: Changed, table: IdleTable) -> bool:
    """Tells whether the table has the residency that the kernel misses, because firmware exported
    none."""
    row = table.state(changed.state)
    return table.origin.form == "spec" and row is not None and row.residency_ns is not None
