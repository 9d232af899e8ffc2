"""The kernel parameter that leaves the states of a latency limit: each value that the driver has is
tried on the model of its start, and the one that leaves just these states is taken."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeAlias

from ...base.dataclass import dataclass, replace
from ...base.model.findings import UsageError
from ...base.model.table import U32_MAX, IdleTable, Register
from ...base.wording import joined
from ..linux.acpi_idle.machine import AcpiIdleParameters
from ..linux.acpi_idle.register import register as acpi_idle
from ..linux.driver_table import DriverTable
from ..linux.held import POLL, SNOOZE
from ..linux.intel_idle.features import features
from ..linux.intel_idle.origin import ACPI, INTEL, origin
from ..linux.platforms import AnyPlatform, x86_of
from ..pipeline import Arrival, journey
from ..selection.limit_words import AskedLimit, nowhere
from ..selection.limits import left
from ..skiboot.platform import Platform
from ..sources import Source

Enabled: TypeAlias = tuple[tuple[str, tuple[int, int]], ...]
"""Names and times of the states that may be entered."""
_VALUES = range(1, 10)  # of max_cstate; 0 leaves the processors to another driver
_POLLS = {POLL: "idle=poll", SNOOZE: "powersave=off"}


@dataclass(frozen=True, slots=True)
class BootedTable:
    """A table on its machine, and what a kernel registers of it without a further parameter."""

    source: Source
    table: IdleTable
    platform: AnyPlatform
    arrival: Arrival

    @property
    def by(self) -> str:
        """The driver; "" where a dump does not tell."""
        held = self.table.origin
        if held.form == "sysfs":
            found = origin(held)
            return held.driver if found is None else ACPI if found.kind == ACPI else INTEL
        return ACPI if self.arrival.driver.driver.startswith(ACPI) else self.arrival.subsystem

    def on(self, platform: AnyPlatform) -> Enabled:
        """Returns what is left on another machine."""
        driver = journey(self.source, platform, [self.arrival.release]).arrivals[0].driver
        return _enabled(driver, driver.off)

    def trials(self, gone: Collection[int]) -> Iterator[tuple[str, Enabled]]:
        """Yields parameters, the usual ones first, and what each leaves. gone: states' numbers."""
        driver, release, by = self.arrival.driver, self.arrival.release, self.by
        machine = x86_of(self.platform, self.table)
        for last in _VALUES if by == ACPI else ():
            # of _CST; states of _LPI have other names, and stay
            tried, late = driver, {s.index for s in driver.states if f"C{last}" < s.name < "D"}
            if self.table.origin.form == "acpi":
                given = AcpiIdleParameters(max_cstate=last)
                tried, late = acpi_idle(self.table, release, machine, parameters=given), set()
            yield f"processor.max_cstate={last}", _enabled(tried, late)
        masks = [sum(1 << number for number in gone)] if features(release).states_off else []
        for name, values in ("max_cstate", _VALUES), ("states_off", masks):
            for value in values if by == INTEL else ():
                text = f"{INTEL}.{name}={value if name == 'max_cstate' else hex(value)}"
                if machine:
                    own: Any = machine.parameters
                    changed = replace(machine, parameters=replace(own, **{name: value}))
                    yield text, self.on(changed)
                elif name == "states_off":
                    yield text, _enabled(driver, gone)

    def others(self, wanted: Enabled) -> Iterator[str]:
        """Yields what else does it at boot, and what leaves one state."""
        driver, table = self.arrival.driver, self.table
        if self.by == INTEL and not features(self.arrival.release).states_off:
            yield f"{INTEL}.states_off= of Linux 5.6 and later"
        if len(wanted) == 1 and (word := _POLLS.get(wanted[0][0])):
            yield f"{word}: idle CPUs then poll, without states"
        if isinstance(self.platform, Platform) and table.register is Register.PSSCR:
            rows = self.arrival.registered.items()
            kept = (table.states[row] for row, s in rows if (s.name, s.times_ns) in wanted)
            mask = U32_MAX & ~sum({1 << 31 - state.level for state in kept})
            if self.on(replace(self.platform, nvram_disable_mask=f"{mask:#x}")) == wanted:
                yield f"opal-stop-state-disable-mask={mask:#x} in skiboot's NVRAM, for all kernels"
        default = driver.default_stop.source if driver.default_stop else None
        alone = [s for s in driver.states if default is not None and s.source == default]
        for state in driver.states[:1] if self.by == "dt" else alone:
            yield f"cpuidle.off=1, which leaves only {state.name}"


def parameter(limit: AskedLimit, boot: BootedTable, say: Callable[[str], None]) -> str:
    """Returns the parameter, on a line; no line where the limit leaves every state.

    say: called with what is left. Raises UsageError, with what else does it, where none does.
    """
    driver, kernel = boot.arrival.driver, f"Linux {boot.arrival.release.name}"
    meant, limit_us, rows = left(limit, boot.arrival.release, driver)
    if meant is None:
        raise nowhere(limit, [row.name for row in rows], driver.domains)
    # what a dump has off was switched off as the machine ran, not at boot
    is_dump = boot.table.origin.form == "sysfs"
    off = frozenset() if is_dump else driver.off
    beyond = [row for row in rows if not row.within]
    names = joined([row.name for row in rows if row.within and row.number not in off])
    if not beyond:
        say(f"on {kernel} a limit of {limit_us} us excludes no state here: {names} stay")
        return ""
    gone = off.union(row.number for row in beyond)
    wanted, trials = _enabled(driver, gone), [*boot.trials(gone)]
    if text := next((text for text, enabled in trials if enabled == wanted), ""):
        excluded = joined([f"{row.name} ({row.needs_us} us)" for row in beyond])
        say(f"on {kernel} this leaves {names}, without {excluded}")
        if is_dump and boot.by == ACPI:
            say(
                "assumed: firmware lists C-states by latency; its ACPI tables, given as TABLE, tell"
            )
        return f"{text}\n"
    # the one that leaves most of the wanted states and no other, else the fewest others
    near = [each for each in trials if {*each[1]} < {*wanted} and (each[1] or wanted[1:])]
    near = near or [each for each in trials if {*wanted} < {*each[1]} < {*_enabled(driver, off)}]
    others = [f"a latency limit of {limit_us} us while Linux runs", *boot.others(wanted)]
    for text, kept in sorted(near, key=lambda each: abs(len(each[1]) - len(wanted)))[:1]:
        leaves = joined([name for name, _ in kept]) or "no driver: idle CPUs halt (C1)"
        others.insert(0, f"{text}, which leaves {leaves}")
    raise UsageError(
        f"{kernel} has no parameter that leaves just {names} here. Instead: {'; '.join(others)}"
    )


def _enabled(driver: DriverTable, off: Collection[int]) -> Enabled:
    return tuple((s.name, s.times_ns) for s in driver.states if s.index not in off)
