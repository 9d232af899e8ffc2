"""A boot of q35, whose processors have a TABLE's objects, from the request to the verdict."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from ....base.dataclass import dataclass
from ....base.files import naming
from ....base.model.beyond_opal import SysfsState
from ....tables.sources import one_table, read_sources
from .. import console
from ..boot import PreparedBoot, Preparing, Say
from ..booted import Booted
from ..guest import GuestScript
from ..kept import EMULATED, digests, keep
from ..kernel_config import DEFAULT_GOVERNOR, check_governor, hz_of, not_set
from ..parts import Parts
from ..registered import driver_in, governor_in, held_by
from ..request import BootRequest
from ..result import GuestResult
from ..stage import USAGE, Stage
from ..usage import counted_in, usage_stage
from .machine import CPU
from .objects import Placed, placed
from .predict import Q35Predicted, lines_of, predict, stages

SCRIPT = GuestScript(
    "guest_q35.sh.j2",
    (
        *("uname", "cpuidle", "dmesg", "cpus", "governors", "processor", "parameters", "tables"),
        *("before", "after"),
    ),
    seconds=1,
)
"""The guest prints the kernel's name, attributes of every CPU's idle states, the kernel's log, the
numbers of CPUs, the governors, the first CPU as /proc/cpuinfo has it, the drivers' parameters,
ACPI's tables as a tar archive; the states' attributes before and after the work."""
_KEPT = {"acpi-tables.tar": "tables", "cpuidle.txt": "cpuidle", "kernel-log.txt": "dmesg"}
_VERSION = re.compile(r"Linux version (\S{1,100}) .{0,1000}?(#[0-9][^\r\n]*)")
_CRASHED_IN = re.compile(r"RIP: 0010:(\w+)\+0x", re.ASCII)
_CRASHED_ON = re.compile(r"\bCPU: (\d+) ", re.ASCII)
_OPTIONS = ("CPU_IDLE", "ACPI_PROCESSOR_IDLE", "INTEL_IDLE")
_NO_MWAIT = (
    "intel_idle, and entries of fixed hardware: QEMU's emulated processors have no sub-states of "
    "MWAIT (CPUID leaf 5), so intel_idle ends before it reads a table, and acpi_idle refuses such "
    "entries"
)
_LPI = "_LPI: acpi_idle does not read it on x86, and intel_idle (since 7.3) ends before that"


@dataclass(frozen=True, slots=True)
class Q35Result(GuestResult):
    """The objects of `places` are those that the machine's processors have.

    driver    the guest's; "" if its kernel crashed
    messages  what the kernel says of C-states
    crash     where the kernel crashed; "" if it did not
    """

    predicted: Q35Predicted
    driver: str
    messages: tuple[str, ...]
    crash: str


@dataclass(frozen=True, slots=True)
class Q35Boot(PreparedBoot):
    script = SCRIPT
    kept = _KEPT
    objects: Placed

    def given(self, scratch: Path) -> list[str]:
        table = scratch / "ssdt.aml"
        with naming(table):
            table.write_bytes(self.objects.ssdt)
        return ["-cpu", self.request.cpu or CPU, "-acpitable", f"file={table}"]

    def crashed(self, log: Path) -> Booted | None:
        return crash_of(log)

    def judged(self, booted: Booted, qemu: str, qemu_s: float) -> Q35Result:
        sections, options = booted.sections, self.parts.options()
        predicted = predict(self.objects, self.request.arguments, booted)
        governor = governor_in(sections)
        if booted.crash:
            usage = Stage.unjudged(USAGE, "the kernel crashed before any work")
        else:
            selecting = governor or DEFAULT_GOVERNOR
            # no firmware is asked
            usage = usage_stage(predicted, lambda _: "", sections, selecting, hz_of(options))
        counted = counted_in(sections)
        return Q35Result(
            request=self.request,
            predicted=predicted,
            stages=(*stages(predicted, booted, self.request.governor), usage),
            found=held_by(sections),
            unconfirmed=tuple(_unconfirmed(predicted, options, counted)),
            qemu=qemu,
            qemu_s=qemu_s,
            inputs=self.inputs,
            directory=self.directory,
            table=self.inputs[0][0],
            places=self.objects.places,
            governor=governor,
            counted=counted,
            driver=driver_in(sections),
            messages=tuple(message.text for message in lines_of(sections["dmesg"])),
            crash=booted.crash,
        )


def read(request: BootRequest) -> Preparing:
    """Reads the TABLE. Raises UsageError, what reading a TABLE raises, CannotGenerate."""
    assert request.table is not None
    sources = read_sources(request.table)
    if not any(source.table and source.table.origin.form == "acpi" for source in sources):
        sources = [one_table(sources, request.table)]
    objects = placed(sources, request.cpus, sources[0].file)
    return partial(prepared, request, objects, (sources[0].file, sources[0].sha256))


def prepared(
    request: BootRequest,
    objects: Placed,
    source: tuple[str, str],
    parts: Parts,
    directory: Path,
    cache: Path,
    say: Say,
) -> Q35Boot:
    """Keeps the table of the objects. source: (file, SHA-256) that they are of. Raises UsageError
    for a governor that the kernel lacks, OSError."""
    check_governor(request.governor, parts.options())
    keep(directory, {"given.aml": objects.ssdt})
    return Q35Boot(request, parts, (source, *digests(parts.kernel)), directory, objects)


def crash_of(log: Path) -> Booted | None:
    """Returns the console's record of a kernel crash; None without a crash or its place."""
    text = console.read(log).replace("\r", "")
    version, place, cpu = (regex.search(text) for regex in (_VERSION, _CRASHED_IN, _CRASHED_ON))
    if not (console.panicked(text) and version and place and cpu):
        return None
    texts = dict.fromkeys(SCRIPT.sections, "")
    texts["uname"] = f"Linux {version[1]} {version[2]} x86_64"
    texts["dmesg"] = text
    return Booted(texts, {"tables": b""}, log, f"{place[1]} on CPU {cpu[1]}")


def _unconfirmed(
    predicted: Q35Predicted,
    options: Mapping[str, str] | None,
    counted: Mapping[int, tuple[SysfsState, ...]],
) -> Iterator[str]:
    for cpu, driver in sorted(predicted.number2driver.items()):
        for state, counts in zip(driver.states, counted.get(cpu, ()), strict=False):
            if not counts.usage:
                yield f"{state.name}: CPU {cpu} never reached it"
    yield _NO_MWAIT
    if any("_LPI" in objects for objects in predicted.placed.cpus):
        yield _LPI
    yield from not_set(options, _OPTIONS)
    yield EMULATED
