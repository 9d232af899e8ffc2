"""A boot of q35 from start to end: gives its processors a TABLE's objects, boots it, and compares
the boot with the models."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ...reading.sysfs import SysfsState
from ...sources import one_table, read_sources
from .. import qemu
from ..guest_parts import DEFAULT_GOVERNOR, GuestParts, check_governor, hz_of, not_set
from ..predict import USAGE, Stage
from ..registered import driver_in, governor_in, held_by
from ..run import EMULATED, Clock, Surroundings, digests, keep
from ..usage import counted_in, refuses_none, usage_stage
from . import machine
from .boot import Q35Booted, boot
from .objects import Placed, placed
from .parts import parts
from .predict import Q35Predicted, lines_of, predict, stages
from .request import Q35Request
from .result import Q35Result

_FILES = {"cpuidle.txt": "cpuidle", "kernel-log.txt": "dmesg"}
_OPTIONS = ("CPU_IDLE", "ACPI_PROCESSOR_IDLE", "INTEL_IDLE")
_NO_MWAIT = (
    "intel_idle, and entries of fixed hardware: QEMU's emulated processors have no sub-states of "
    "MWAIT (CPUID leaf 5), so that intel_idle ends before it looks at a table, and acpi_idle "
    "refuses such entries"
)
_LPI = "_LPI: acpi_idle does not look at it on x86, intel_idle (since 7.3) ends before that"


def run(request: Q35Request, around: Surroundings) -> Q35Result:
    """Boots as requested and compares the boot with the models.

    Raises UsageError, what reading a TABLE raises, CannotGenerate, BootFailure,
    debian.Unavailable, OSError.
    """
    sources = read_sources(request.table)
    if not any(source.table and source.table.acpi for source in sources):
        sources = [one_table(sources, request.table)]
    given = placed(sources, request.smp, sources[0].file)
    return run_with(request, given, (sources[0].file, sources[0].sha256), around)


def run_with(
    request: Q35Request, given: Placed, source: tuple[str, str], around: Surroundings
) -> Q35Result:
    """What `run` does with objects that were read. source: (file, SHA-256) that they are of."""
    around.say("fetching what a boot needs")
    having = parts(around.cache_directory, request.kernel, request.suite)
    check_governor(request.governor, having.options())
    with around.directory(machine.NAME) as directory:
        keep(directory, {"given.aml": given.ssdt})
        inputs = (source, *digests(having.kernel))
    clock = Clock(around.progress)
    booted = boot(having, request, given.ssdt, logs=directory, progress=clock)
    texts = {name: booted.sections[part].encode() for name, part in _FILES.items()}
    keep(directory, {"acpi-tables.tar": booted.tables, **texts})
    return judged(request, given, booted, having, inputs, clock.elapsed_s, directory)


def judged(
    request: Q35Request,
    given: Placed,
    booted: Q35Booted,
    having: GuestParts,
    inputs: tuple[tuple[str, str], ...],
    qemu_s: float,
    directory: Path,
) -> Q35Result:
    """Holds a boot against the models."""
    options = having.options()
    predicted = predict(given, request.arguments, booted)
    governor = governor_in(booted.sections)
    if booted.crash:
        usage = Stage.unjudged(USAGE, "the kernel crashed before any work")
    else:
        usage = usage_stage(
            predicted,
            refuses_none,
            booted.sections,
            governor or DEFAULT_GOVERNOR,
            hz_of(options),
        )
    counted = counted_in(booted.sections)
    return Q35Result(
        request=request,
        table=inputs[0][0],
        places=given.places,
        predicted=predicted,
        stages=(*stages(predicted, booted, request.governor), usage),
        governor=governor,
        driver=driver_in(booted.sections),
        found=held_by(booted.sections),
        counted=counted,
        messages=tuple(message.text for message in lines_of(booted.sections["dmesg"])),
        crash=booted.crash,
        unconfirmed=tuple(_unconfirmed(predicted, options, counted)),
        qemu=qemu.version(having.qemu),
        qemu_s=qemu_s,
        inputs=inputs,
        directory=directory,
    )


def _unconfirmed(
    predicted: Q35Predicted,
    options: Mapping[str, str] | None,
    counted: Mapping[int, tuple[SysfsState, ...]],
) -> Iterator[str]:
    for cpu, driver in sorted(predicted.number2driver.items()):
        for state, counts in zip(driver.states, counted.get(cpu, ()), strict=False):
            if not counts.usage:
                yield f"{state.name}: CPU {cpu} was never led there"
    yield _NO_MWAIT
    if any("_LPI" in objects for objects in predicted.placed.cpus):
        yield _LPI
    yield from not_set(options, _OPTIONS)
    yield EMULATED
