"""The states that Linux registers of ACPI's objects, and the reasons why entries have none: by
acpi_idle, or on an x86 machine that is named by intel_idle if it starts."""

from collections.abc import Iterator, Mapping

from ....base.dataclass import replace
from ....base.model.acpi_objects import CstEntry, LpiState
from ....base.model.beyond_opal import AcpiIdle
from ....base.model.findings import UsageError
from ....base.model.stages import Changed, Lost
from ....base.model.table import U32_MAX, IdleTable
from ....base.wording import joined
from ..cpuidle_flags import POLLING, TIMER_STOP
from ..driver_table import DriverState, DriverTable
from ..intel_idle.platform import X86Platform
from ..psci_firmware import USUAL_FIRMWARE, PsciFirmware
from ..releases import Release, began, reached
from .by_intel_idle import by_intel_idle, without_acpi
from .features import OLDEST, features
from .for_intel import on
from .machine import AcpiIdleParameters, AcpiMachine, Place
from .several import Together, together
from .start import AcpiIdleStart, AcpiIdleState, start
from .told import on_processors

_INTEL = "drivers/idle/intel_idle.c intel_idle_init_cstates_acpi()"
_IDLE = "drivers/acpi/processor_idle.c"
_CUT = "the kernel keeps the lowest 32 bits"
_CST = "drivers/acpi/acpi_processor.c acpi_processor_evaluate_cst()"
_COMBINE = "combine_lpi_states()"
_LEADER = f"{_IDLE} acpi_processor_setup_cpuidle_states(), once for all processors"
OTHERS = "other-processor"
"""Cause of a state's loss: the driver's states are those of another processor, which has fewer."""
_LPI = "flatten_lpi_states() and what calls it"
_METHOD2ENTER = {"poll": "", "ffh": "mwait", "halt": "hlt", "io": "port", "integer": ""}
_ARCH2ENTER = {"arm64": "psci", "riscv64": "sbi"}
_FIRST_LPI, _FIRST_CST = 3, 1


def register(
    table: IdleTable,
    release: Release,
    platform: X86Platform | None = None,
    firmware: PsciFirmware = USUAL_FIRMWARE,
    parameters: AcpiIdleParameters = AcpiIdleParameters(),
    cpuinfo: str = "",
) -> DriverTable:
    """Returns what a release registers of a table of ACPI's.

    platform    the x86 machine; None: one whose processors intel_idle leaves to acpi_idle
    firmware    what PSCI's offers, on Arm
    parameters  acpi_idle's
    cpuinfo     /proc/cpuinfo of the machine that the table is from; "": not known
    Raises UsageError for a release that is not modelled, and for a platform that cannot be meant.
    """
    if not reached(release, OLDEST):
        raise UsageError(
            f"expected Linux {began(release, OLDEST)} or later for {table.name}, found "
            f"{release.name}: what Linux made of ACPI's objects before is not modelled"
        )
    assert table.origin.form == "acpi"
    machine = _machine(table.origin, platform, firmware)
    places = _rows(table.origin)
    if platform is not None:
        if not machine.is_x86:
            raise UsageError(
                f"expected a table of an x86 machine for platform {platform.name}, found that "
                f"{table.name} is of {table.origin.arch}"
            )
        if platform.given & {"acpi", "lpi"}:
            raise UsageError(
                f"expected no acpi= or lpi= in platform {platform.name}, found one: {table.name} "
                "has the objects"
            )
        tried = by_intel_idle(table, release, platform, machine, places)
        if isinstance(tried, DriverTable):
            return replace(tried, changed=tuple(_as_registered(table, tried)))
        driver = f"acpi_idle, because intel_idle does not start: {tried}"
        assumed = without_acpi(platform)
    else:
        driver, assumed = "acpi_idle", () if cpuinfo else tuple(_assumed(table.origin))
        machine = on_processors(machine, cpuinfo) if cpuinfo and machine.is_x86 else machine
    found = _by_acpi_idle(table, release, (machine, parameters), places, driver, assumed)
    return replace(found, changed=(*found.changed, *_as_registered(table, found)))


def _machine(acpi: AcpiIdle, platform: X86Platform | None, firmware: PsciFirmware) -> AcpiMachine:
    """The machine as acpi_idle finds it. Tables without an architecture are of x86 if they have
    _CST, else of Arm."""
    arch = acpi.arch or ("x86" if acpi.cst is not None or not acpi.lpi else "arm64")
    machine = AcpiMachine(replace(acpi, arch=arch), psci=firmware)
    if platform is None:
        return machine
    return on(machine, platform)


def _assumed(acpi: AcpiIdle) -> Iterator[str]:
    """Yields the assumptions on a machine of which only the tables are known."""
    if not acpi.arch:
        arch = "x86" if acpi.cst is not None else "Arm"
        yield f"the processors are of {arch} (the input has no MADT)"
    if acpi.arch in ("x86", "") and acpi.cst is not None:
        yield "intel_idle leaves the processors to acpi_idle (--platform names a machine)"
        yield "they are several, of Intel; CPUID leaf 5 has every MWAIT sub-state"
        yield "the local timer runs in every state"
    if acpi.fadt is None and acpi.arch in ("x86", ""):
        yield "the FADT, which the input lacks, gives no C2 or C3 of its own"
    if acpi.lpi:
        yield "firmware confirms _LPI by _OSC"


def _rows(acpi: AcpiIdle) -> Mapping[Place, int]:
    """Entry -> row of the table."""
    level2number = {f"{level.path}._LPI": number for number, level in enumerate(acpi.lpi)}
    result = {}
    for row, each in enumerate(acpi.rows):
        if each.index is None:
            continue
        if isinstance(each.entry, LpiState):
            result[level2number[each.object], each.index - _FIRST_LPI] = row
        else:
            result[-1, each.index - _FIRST_CST] = row
    return result


def _as_registered(table: IdleTable, driver: DriverTable) -> Iterator[Changed]:
    """The values of registered states that are not their rows', of those that `driver.changed` does
    not have."""
    assert table.origin.form == "acpi"
    known = {(each.index, each.field) for each in driver.changed}
    by = driver.driver.partition(",")[0]
    ground = _INTEL if by == "intel_idle" else _IDLE
    for state in driver.states:
        if state.source is None:
            continue
        row = table.states[state.source]
        if state.name != row.name and (state.source, "times") not in known:
            reason = f"{by} numbers its states"
            yield Changed(
                state.source, row.name, "name", row.name, state.name, reason, ground, "numbered"
            )
        for field, ns, us in (
            ("latency", row.latency_ns, state.exit_latency_us),
            ("residency", row.residency_ns, state.target_residency_us),
        ):
            if ns == us * 1000 or {(state.source, field), (state.source, "times")} & known:
                continue
            before, after = "none" if ns is None else f"{ns // 1000} us", f"{us} us"
            reason, cause = _CUT, "wrapped"
            if ns is None:
                factor = _factor(table.origin, state.source, by)
                reason = "its latency" if factor == 1 else f"{factor} times its latency"
                reason = f"_CST has no residencies, and {by} uses {reason}"
                fits = factor * state.exit_latency_us <= U32_MAX
                cause = "by-latency" if fits else "by-latency-wrapped"
            yield Changed(state.source, row.name, field, before, after, reason, ground, cause)


def _factor(acpi: AcpiIdle, row: int, driver: str) -> int:
    """Returns the ratio of a C-state's residency to its latency: processor.latency_factor, or the
    one that intel_idle has built in."""
    if driver != "intel_idle":
        return AcpiIdleParameters().latency_factor
    entry = acpi.rows[row].entry
    return 1 if isinstance(entry, CstEntry) and entry.kind == 1 else 3


# acpi_idle


def _by_acpi_idle(
    table: IdleTable,
    release: Release,
    given: tuple[AcpiMachine, AcpiIdleParameters],
    places: Mapping[Place, int],
    driver: str,
    assumptions: tuple[str, ...],
) -> DriverTable:
    machine, _ = given
    started = start(*given, features(release))
    whole = together(*given, features(release), release.name)
    if whole is not None and whole.fatal and not whole.states:
        why = f"the kernel crashes: {whole.fatal}"
        return DriverTable(
            release.name,
            (),
            tuple(Lost(row, s.name, "crash", why, _CST) for row, s in enumerate(table.states)),
            offline="",
            fatal=whole.fatal,
            crashing=whole.crashing,
            assumptions=assumptions,
        )
    states = started.states if started.has_device else ()
    sources = _sources(states, places)
    shown = list(whole.states if whole is not None and states else states)
    entered = [*states, *shown[len(states) :]][: len(shown)]
    if whole is not None:
        assumptions = (*assumptions, "CPUs are numbered in the order of the name space")
    flattened = started.flattened
    if flattened is not None and flattened.overflow:
        room = len(flattened.states)
        written = f"{flattened.overflow} states of _LPI exceed the room for {room}"
        assumptions = (*assumptions, f"the kernel survives writing {written}")
    return DriverTable(
        kernel=release.name,
        states=tuple(
            DriverState(
                number,
                state.name,
                state.exit_latency_us,
                state.target_residency_us,
                _enter(own, machine),
                sources[own.name] if number < len(states) else None,
                polling=bool(state.flags & POLLING),
                timer_stop=bool(state.flags & TIMER_STOP),
                parameter=state.address if state.method == "ffh" and not machine.is_x86 else None,
            )
            for number, (state, own) in enumerate(zip(shown, entered, strict=True))
        ),
        lost=(
            *_lost(table, started, places),
            *_lost_to_leader(table, states, len(shown), sources, whole),
        ),
        changed=(
            *_reordered(table, started, states, sources),
            *_led(states, shown, sources, whole),
            *_combined(table, states, places),
        ),
        messages=started.messages,
        offline="",
        assumptions=assumptions,
        driver=driver if states else "",
        fatal=whole.fatal if whole is not None else None,
        crashing=whole.crashing if whole is not None else (),
    )


def _lost_to_leader(
    table: IdleTable,
    states: tuple[AcpiIdleState, ...],
    count: int,
    sources: Mapping[str, int | None],
    whole: Together | None,
) -> Iterator[Lost]:
    """Yields the states of a processor beyond those of the first, which are the driver's."""
    for state in states[count:]:
        row = sources[state.name]
        if row is not None and whole is not None:
            reason = f"all processors have the states of {whole.leader}, {count - 1} of its _CST"
            yield Lost(row, table.states[row].name, OTHERS, reason, _LEADER)


def _led(
    states: tuple[AcpiIdleState, ...],
    shown: list[AcpiIdleState],
    sources: Mapping[str, int | None],
    whole: Together | None,
) -> Iterator[Changed]:
    """The times of the first processor's states, which all show."""
    for own, state in zip(states, shown, strict=False):
        row = sources[own.name]
        before, after = (
            f"{each.name} {each.exit_latency_us}/{each.target_residency_us} us"
            for each in (own, state)
        )
        if row is not None and whole is not None and before != after:
            reason = f"all processors have the states of {whole.leader}"
            yield Changed(row, own.name, "times", before, after, reason, _LEADER, "of-leader")


def _enter(state: AcpiIdleState, machine: AcpiMachine) -> str:
    if state.method == "ffh" and not machine.is_x86:
        return _ARCH2ENTER[machine.acpi.arch]
    return _METHOD2ENTER[state.method]


def _sources(
    states: tuple[AcpiIdleState, ...], places: Mapping[Place, int]
) -> Mapping[str, int | None]:
    """State -> its row: of a combined one, the row of its outermost level, if no other state has
    it."""
    result: dict[str, int | None] = {}
    for state in states:
        own = _places(state)
        row = places.get(own[-1]) if own else None
        result[state.name] = None if row in result.values() else row
    return result


def _combined(
    table: IdleTable, states: tuple[AcpiIdleState, ...], places: Mapping[Place, int]
) -> Iterator[Changed]:
    """Yields the times of each state that combines several entries of _LPI."""
    for state in states:
        rows = [places[place] for place in state.lpi if place in places]
        if len(state.lpi) < 2 or len(rows) < len(state.lpi):
            continue
        *inner, outer = (table.states[row] for row in rows)
        before = f"{outer.latency_ns // 1000}/{(outer.residency_ns or 0) // 1000} us"
        after = f"{state.name} {state.exit_latency_us}/{state.target_residency_us} us"
        below = joined([each.name for each in inner])
        reason = f"entered with {below}: latencies are added, and the longest residency counts"
        yield Changed(rows[-1], outer.name, "times", before, after, reason, _COMBINE, "combined")


def _lost(table: IdleTable, started: AcpiIdleStart, places: Mapping[Place, int]) -> Iterator[Lost]:
    """The rows without a state, each with the kernel's reason."""
    used = {place for state in started.states for place in _places(state)}
    entry2skipped = {skipped.index: skipped for skipped in started.skipped}
    shown = started.states if started.has_device else ()
    for place, row in places.items():
        level, entry = place
        name = table.states[row].name
        if place in used and shown:
            continue
        if level >= 0:
            yield Lost(row, name, *_lost_lpi(started, place))
        elif started.origin != "cst":
            reason = joined(started.refused) or "states of _LPI are registered"
            yield Lost(row, name, "no-driver", reason, _IDLE)
        elif entry in entry2skipped:
            skipped = entry2skipped[entry]
            yield Lost(row, name, skipped.cause, skipped.reason, _CST)
        else:
            yield Lost(row, name, *_lost_cstate(started, entry))


def _places(state: AcpiIdleState) -> tuple[Place, ...]:
    return state.lpi or (() if state.source is None else ((-1, state.source),))


def _lost_cstate(started: AcpiIdleStart, entry: int) -> tuple[str, str, str]:
    """Cause, reason and ground for an entry of _CST that has a slot and no state."""
    number, slot = next(
        (number, slot) for number, slot in enumerate(started.slots) if slot.source == entry
    )
    ground = f"{_IDLE} acpi_processor_power_verify()"
    if number > started.max_cstate:
        return "max-cstate", f"processor.max_cstate is {started.max_cstate}", ground
    if slot.kind == 2 or (slot.kind == 3 and not slot.address):
        return "address", "its register has no address", ground
    if slot.kind == 3:
        reason = "C3 needs caches to be flushed, and the FADT has no WBINVD"
        return "c3", reason, f"{_IDLE} acpi_processor_power_verify_c3()"
    return "type", f"the driver does not know type {slot.kind}", ground


def _lost_lpi(started: AcpiIdleStart, place: Place) -> tuple[str, str, str]:
    """Cause, reason and ground for a state of _LPI that is no part of any that is registered."""
    found, (level, entry) = started.flattened, place
    if found is None or not started.has_device:
        reason = started.refused[0] if started.refused else "the architecture refuses a state"
        return "no-driver", reason, _IDLE
    if level >= len(found.levels):
        return "level", "the kernel takes no more levels", _LPI
    known = found.levels[level][entry]
    if known.reason:
        return "disabled" if known.entry else "entry", known.reason, _LPI
    if level and known.entry == "integer" and not known.address:
        return "automatic", "an integer of 0 asks for nothing", _LPI
    return "no-part", "no state below allows it, or there was no room", _LPI


def _reordered(
    table: IdleTable,
    started: AcpiIdleStart,
    states: tuple[AcpiIdleState, ...],
    sources: Mapping[str, int | None],
) -> Iterator[Changed]:
    for state in states:
        row = sources[state.name]
        if row is None or not started.out_of_order:
            continue
        name, own = table.states[row].name, table.states[row].latency_ns // 1000
        before = own & U32_MAX
        if before != own:
            words = f"{own} us", f"{before} us", _CUT, _IDLE, "wrapped"
            yield Changed(row, name, "latency", *words)
        if before != state.exit_latency_us:
            yield Changed(
                row,
                name,
                "latency",
                f"{before} us",
                f"{state.exit_latency_us} us",
                "latencies out of order are exchanged, and names, types and registers are not",
                f"{_IDLE} acpi_processor_power_verify()",
                "exchanged",
            )
