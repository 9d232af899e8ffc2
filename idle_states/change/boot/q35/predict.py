"""The models' predictions for a boot of q35, beside the guest's output."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass, replace
from ....base.model.acpi_objects import AcpiProcessor, Fadt
from ....base.model.beyond_opal import AcpiIdle
from ....base.model.stages import Level, Message
from ....base.model.table import IdleTable
from ....base.reading.acpi import tables
from ....base.reading.tar import members
from ....tables.linux.acpi_idle.features import features
from ....tables.linux.acpi_idle.machine import AcpiMachine
from ....tables.linux.acpi_idle.several import SeveralStarted, start_all
from ....tables.linux.acpi_idle.told import on_processors, parameters_of
from ....tables.linux.driver_table import DriverTable
from ....tables.linux.releases import Release, running
from ..booted import Booted
from ..registered import NO_DRIVER, Row, registered_stage
from ..stage import LINUX, REGISTERED, USAGE, Mismatch, Stage, compared_lines
from . import machine
from .objects import Placed

TABLES, SURVIVES = "tables", "survives"
STAGES = (TABLES, SURVIVES, REGISTERED, LINUX, USAGE)

DRIVER = "acpi_idle"
_SSDT = re.compile(r"SSDT\d*", re.ASCII)
_FACP = "FACP"
_LINE = re.compile(r"(?:<(\d+)>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? (.*)", re.ASCII)
_ABOUT = re.compile(
    r"ACPI Warning: \S+\._CST: |"
    r"ACPI: (?:\S+: )?(?:Found \d+ idle states|(?:ACPI: )?processor limited|FW issue: |"
    r"(?:Invalid|Inconsistent) _CST|_CST C|No room for more idle|Limiting number of power states|"
    r"\S.* detected - limiting to C)|\[Firmware Bug\]: ACPI MWAIT|intel_idle|.*_LPI|.*LPI data",
    re.ASCII,
)
_ACPICA = re.compile(r" \(\d{8}/\w+-\d+\)$", re.ASCII)
"""The ACPICA that prints a line, and where."""
_LEVELS: tuple[Level, ...] = (
    "error",
    "error",
    "error",
    "error",
    "warning",
    "notice",
    "info",
    "debug",
)


@dataclass(frozen=True, slots=True)
class Q35Predicted:
    """The models' predictions for objects of processors and a kernel. started: what acpi_idle does
    on the processors; None if `release` is."""

    placed: Placed
    kernel: str
    release: Release | None
    started: SeveralStarted | None

    @property
    def table(self) -> IdleTable:
        return self.placed.tables[0]

    @property
    def number2driver(self) -> Mapping[int, DriverTable]:
        return self.started.number2driver if self.started else {}


def predict(placed: Placed, arguments: Sequence[str], booted: Booted) -> Q35Predicted:
    """Predicts what the kernel that booted makes of the objects. arguments: of its command line."""
    release = running(booted.uname.removeprefix("Linux "))
    if release is None:
        return Q35Predicted(placed, booted.uname, None, None)
    own = tables.blobs(_tables(booted.raw["tables"]).get(_FACP, b""), _FACP)
    machines = machines_of(placed, booted.sections["processor"], tables.fadt(own))
    started = start_all(machines, parameters_of(arguments), features(release), release.name)
    return Q35Predicted(placed, booted.uname, release, started)


def machines_of(placed: Placed, processor: str, fadt: Fadt | None) -> list[AcpiMachine]:
    """Each processor as the kernel finds it. processor: the first, as /proc/cpuinfo has it."""
    found = []
    for number, objects in enumerate(placed.cpus):
        itself = AcpiProcessor(machine.PROCESSOR.format(number), number, is_device=True)
        acpi = AcpiIdle((itself,), objects.get("_CST"), (), fadt, "x86")
        known = on_processors(AcpiMachine(acpi, model=94, stepping=3, cpuid_level=13), processor)
        found.append(
            replace(
                known,
                cpus=len(placed.cpus),
                monitor_ecx=machine.MONITOR_ECX,
                substates=machine.SUBSTATES,
            )
        )
    return found


def stages(predicted: Q35Predicted, booted: Booted, governor: str = "") -> Iterator[Stage]:
    """The stages up to what the kernel says. governor: that it was told to use; "": none."""
    started = predicted.started
    if booted.crash:
        yield Stage.unjudged(TABLES, "the kernel crashed before it showed its tables")
    else:
        yield _given(predicted.placed, booted)
    if started is None:
        why = f"there is no model of {predicted.kernel}"
        yield from (Stage.unjudged(name, why) for name in (SURVIVES, REGISTERED, LINUX))
        return
    yield _survives(started, booted)
    if booted.crash:
        yield Stage.unjudged(REGISTERED, "the kernel crashed before it showed its states")
    else:
        yield _registered(predicted, booted, governor)
    logged = lines_of(booted.sections["dmesg"])
    expected = [message for message in started.messages if message.level != "debug"]
    levels = not booted.crash
    yield compared_lines(
        LINUX,
        [(each.level if levels else "", each.text) for each in expected],
        [(each.level if levels else "", each.text) for each in logged],
    )


def _given(placed: Placed, booted: Booted) -> Stage:
    """The table as the kernel has it, byte for byte."""
    found = [data for name, data in _tables(booted.raw["tables"]).items() if _SSDT.fullmatch(name)]
    given = placed.ssdt
    if given in found:
        return Stage.of(TABLES, (), 1)
    shown = ", ".join(f"{len(data)} bytes" for data in found)
    return Stage.of(TABLES, [Mismatch("SSDT", f"{len(given)} bytes", shown)], 1)


def _survives(started: SeveralStarted, booted: Booted) -> Stage:
    if started.fatal is None:
        found = f"a crash in {booted.crash}"
        return Stage.of(SURVIVES, [Mismatch("kernel", "it runs", found)] if booted.crash else (), 1)
    place, cpus = started.fatal
    expected = [f"{place} on CPU {cpu}" for cpu in cpus]
    if booted.crash in expected:
        return Stage.of(SURVIVES, (), 1, note=f"the kernel crashes in {booted.crash}, as predicted")
    crash = f"a crash in {' or '.join(expected)}"
    return Stage.of(SURVIVES, [Mismatch("kernel", crash, booted.crash or "it runs")], 1)


def _registered(predicted: Q35Predicted, booted: Booted, governor: str) -> Stage:
    started = predicted.started
    assert started is not None
    rows: dict[int, Sequence[Row]] = dict.fromkeys(range(len(predicted.placed.cpus)), ())
    for cpu in started.devices:
        rows[cpu] = [
            (state.name, state.description, state.exit_latency_us, state.target_residency_us, False)
            for state in started.states
        ]
    driver = DRIVER if started.registered else NO_DRIVER
    return registered_stage(driver, rows, booted.sections, governor)


def lines_of(log: str) -> list[Message]:
    """Returns a kernel log's messages about C-states."""
    found = []
    for line in log.splitlines():
        match = _LINE.fullmatch(line)
        if match and _ABOUT.match(match[2]):
            text = _ACPICA.sub("", match[2])
            found.append(Message(_LEVELS[int(match[1] or 6) & 7], text))
    return found


def _tables(archive: bytes) -> dict[str, bytes]:
    """Name -> table; none of a guest that crashed before it printed them."""
    return {member.name: member.data for member in members(archive)} if archive else {}
