"""Runs AML by acpiexec, ACPICA's interpreter, which is also the kernel's; and reads what it prints.

acpiexec stands in for the machine: every byte of its ports and memory is what the caller says.
Before _CST is asked for, firmware is told what the kernel can do, as Linux tells it (_PDC, or _OSC
of a processor).
"""

import re
from collections.abc import Iterator, Sequence

from ...dataclass import dataclass
from ...model.acpi_objects import AcpiObject, AcpiReference
from ...model.findings import unreadable
from .. import launching, limits
from .tables import AcpiTable

PROGRAM = "acpiexec"
PACKAGE = "acpica-tools"
"""Debian's package with it."""
CAPABILITIES = 0xBBF
"""The bits that Linux tells ACPI of an Intel processor with MWAIT, EST and thermal monitoring, and
without HWP: arch_acpi_set_proc_cap_bits() of arch/x86/include/asm/acpi.h,
include/acpi/proc_cap_intel.h."""
_RETURNED = re.compile(r"Evaluation of (\S+) returned object \S+, external buffer length [0-9A-F]+")
_FAILED = re.compile(r"Evaluation of (\S+) failed with status (\w+)")
_NOTHING = re.compile(r"No object was returned from evaluation of (\S+)")
_ELEMENT = re.compile(
    r"\s*\[(?:Package\] Contains (?P<count>[0-9]+) Elements:|Integer\] = (?P<number>[0-9A-F]{16})"
    r"|String\] Length [0-9A-F]+ = (?P<text>\".*)"
    r"|Buffer\] Length (?P<size>[0-9A-F]+) =(?P<row>.*)"
    r"|(?P<null>Null Object\].*)|Object Reference\] = \S+ <Node>\s+Name (?P<name>\w+) .*)$"
)
_ROW = re.compile(r"\s*[0-9A-F]{4}: ((?:[0-9A-F]{2} ){1,16})")
_ESCAPE = re.compile(r"\\(x[0-9A-F]{2}|.)")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The result of evaluating a path. value: None if it has none; error: ACPICA's reason."""

    value: AcpiObject
    error: str = ""


def program() -> str | None:
    """The absolute name of acpiexec; None where it is not installed."""
    return launching.find(PROGRAM)


def evaluate(
    tables: Sequence[AcpiTable],
    paths: Sequence[str],
    file: str,
    before: Sequence[str] = (),
    fill: int = 0,
) -> dict[str, Evaluated]:
    """Returns each path's result, in order, with all tables with AML loaded.

    paths   of objects and methods without arguments, absolute
    file    what errors name
    before  commands of acpiexec to give first: see `announcements`
    fill    each byte of the ports and the memory that AML reads
    Raises Unreadable (IS930) if acpiexec is not installed, goes beyond its bounds or loads no
    tables.
    """
    found = program()
    if found is None:
        message = f"{PROGRAM}, which evaluates AML, is not installed; on Debian: apt-get install"
        raise unreadable(file, f"{message} {PACKAGE}")
    bounds = launching.in_proportion(
        sum(len(table.data) for table in tables),
        (limits.ACPIEXEC_S, limits.ACPIEXEC_S_PER_MIB),
        (limits.ACPIEXEC_MEMORY_BYTES, limits.ACPIEXEC_MEMORY_PER_BYTE),
        limits.ACPIEXEC_OUTPUT_BYTES,
    )
    files = {f"{number}.aml": table.data for number, table in enumerate(tables)}
    commands = [*before, *(f"execute {path}" for path in paths), "quit", ""]
    with launching.private_directory(files) as directory:
        done = launching.run(
            found,
            # without -dt it looks through all that is allocated whenever it frees something
            ["-dt", "-to", "2", "-fv", f"{fill:#x}", *files],
            bounds,
            file,
            given="\n".join(commands).encode("ascii"),
            directory=directory,
        )
    output = done.output.decode("utf-8", "replace")
    answers = dict(answered(output, file))
    missing = [path for path in paths if path not in answers]
    if missing:
        last = (output.strip() or done.complaints.strip()).rpartition("\n")[2][:200]
        end = f"signal {-done.status}" if done.status < 0 else last or "nothing"
        raise unreadable(file, f"expected {PROGRAM} to evaluate {missing[0]}, found: {end}")
    return {path: answers[path] for path in paths}


def announcements(methods: Sequence[str], capabilities: int = CAPABILITIES) -> list[str]:
    """The commands that tell firmware what the kernel can do. methods: paths of _PDC and _OSC."""
    capability_bytes = capabilities.to_bytes(4, "little").hex(" ").upper()
    return [
        f"execute {path} (01 00 00 00 01 00 00 00 {capability_bytes})"
        for path in methods
        if path.endswith("._PDC")
    ] + [
        f"execute {path} ({_OSC_UUID}) 1 2 (00 00 00 00 {capability_bytes})"
        for path in methods
        if path.endswith("._OSC")
    ]


_OSC_UUID = "16 A6 77 40 0C 29 BE 47 9E BD D8 70 58 71 39 53"
"""4077A616-290C-47BE-9EBD-D87058713953, as ToUUID makes bytes of it."""


def answered(output: str, file: str) -> Iterator[tuple[str, Evaluated]]:
    """Yields each evaluated path with the result that acpiexec printed. Raises Unreadable (IS930)
    for a value that is not in acpiexec's format."""
    lines = iter(output.split("\n"))
    for line in lines:
        if match := _FAILED.match(line):
            yield match[1], Evaluated(None, match[2])
        elif match := _NOTHING.match(line):
            yield match[1], Evaluated(None)
        elif match := _RETURNED.match(line):
            yield match[1], Evaluated(_value(_Lines(lines, file, match[1]), 0))


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a value. file, path: what errors name."""

    lines: Iterator[str]
    file: str
    path: str

    def take(self) -> str:
        return next(self.lines, "")


def _value(lines: _Lines, depth: int) -> AcpiObject:
    line = lines.take()
    match = _ELEMENT.match(line)
    if match is None or depth > limits.ACPI_DEPTH:
        message = f"expected a value of {lines.path} as {PROGRAM} prints it, found"
        raise unreadable(lines.file, f"{message} {line[:80]!r}")
    if match["count"]:
        return tuple(_value(lines, depth + 1) for _ in range(int(match["count"])))
    if match["number"]:
        return int(match["number"], 16)
    if match["text"]:
        return _text(match["text"])
    if match["size"]:
        return _buffer(int(match["size"], 16), match["row"], lines)
    return None if match["null"] else AcpiReference(match["name"])


def _buffer(size: int, first: str, lines: _Lines) -> bytes:
    found = b""
    row = first
    while len(found) < size:
        match = _ROW.match(row) or _ROW.match(row := lines.take())
        if match is None:
            message = f"expected {size} bytes of {lines.path}, found {len(found)}"
            raise unreadable(lines.file, message)
        found += bytes.fromhex(match[1])
        row = ""
    return found


def _text(quoted: str) -> str:
    inner = quoted[1 : quoted.rindex('"')]
    return _ESCAPE.sub(
        lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 3 else _ESCAPES.get(m[1], m[1]), inner
    )
