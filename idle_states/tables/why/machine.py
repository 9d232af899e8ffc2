"""A machine as far as it can be seen: this one, one that was gathered, or one in a directory."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import Dump
from ...base.model.findings import Unreadable, next_step, unreadable
from ...base.model.table_formats import STEPS
from ...base.reading import opening, sysfs
from ...base.reading.compressed import DamagedArchive, TooLarge, whole
from ...base.reading.inputs import Input
from ..linux.releases import Release, running
from ..linux.request_parts import ASSUMED_HZ, hz_of
from ..sources import File, Source, format_acpi, format_tar, read_file
from ..sources.format_tar import APART, WANTED
from ..sources.told import gathered, opened
from .sampled import Sampled

CPUS = "/sys/devices/system/cpu"
_TABLES = ("sys/firmware/acpi/tables", "sys/firmware/devicetree/base", "proc/device-tree")
_CPUINFO = "/proc/cpuinfo:"
_ATTRIBUTE_BYTES = 1 << 22
"""The most that is read of a file; /proc/cpuinfo is the largest, with 2 KiB for a CPU."""
_DIGITS = 18
_RELEASE = 2
"""The word of /proc/version that is the kernel's release."""


@dataclass(frozen=True, slots=True)
class SeenMachine:
    """The facts that are known of a machine.

    kernel     as it calls itself; "" where that is not known
    firmware   what its device tree or its ACPI tables have; (): not seen
    inputs     (name, SHA-256) of what was read
    cpuinfo    /proc/cpuinfo; "" where it was not seen
    unread     what is there and could not be read, each with why
    sampled    its idle periods in a sample; None: none was taken
    """

    name: str
    dump: Dump
    kernel: str
    firmware: tuple[Source, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    cpuinfo: str = ""
    unread: tuple[str, ...] = ()
    sampled: Sampled | None = None

    @property
    def is_this(self) -> bool:
        """Tells whether it is the machine on which this runs."""
        return self.name == "/"

    @property
    def release(self) -> Release | None:
        """The kernel's model; None where none is known."""
        return running(self.kernel) if self.kernel else None

    @property
    def hz(self) -> int:
        """The tick rate: as configured, by the distribution, or assumed."""
        return hz_of(self.dump.hz or ASSUMED_HZ, [self.release] if self.release else [])

    @property
    def driver(self) -> str:
        """The cpuidle driver; "" where it is not known."""
        return self.dump.texts.get("current_driver") or next(iter(self.dump.drivers.values()), "")

    def text_of(self, name: str) -> str | None:
        """A text of the machine as a whole, by the last name of its path; None: not seen."""
        return self.dump.texts.get(name)

    def interrupts(self, cpus: Sequence[int]) -> str:
        """The interrupt that CPUs had most often since boot, in words; "" where none was seen."""
        head, *lines = (self.text_of("interrupts") or "").split("\n")
        names, counts = [f"CPU{cpu}" for cpu in cpus], dict[str, int]()
        columns = [n for n, name in enumerate(head.split(), 1) if name in names]
        for words in map(str.split, lines):
            which = " ".join([words[0], *words[len(head.split()) + 1 :]]) if words else ""
            counted = [words[n][:_DIGITS] for n in columns if n < len(words)]
            counts[which] = sum(int(text) for text in counted if text.isdecimal())
        most, total = max(counts, key=lambda each: counts[each], default=""), sum(counts.values())
        return f"{most}, {counts[most]:,} of {total:,} since boot" if total else ""

    def parameter(self, module: str, name: str) -> tuple[str, str] | None:
        """A module's parameter, (value, where it stands); the command line, then /sys/module."""
        for word in (self.text_of("cmdline") or "").split():
            if word.partition("=")[0].replace("-", "_") == f"{module}.{name}":
                return word.partition("=")[2], f"/proc/cmdline: {word}"
        value = self.text_of(f"{module}/parameters/{name}")
        return None if value is None else (value, f"/sys/module/{module}/parameters/{name}")


@next_step(STEPS["sysfs"])
def machine_of(text: str) -> SeenMachine:
    """Reads a machine. Raises Unreadable, NoSuchTable and OSError."""
    path, name = opening.longest_file(text)
    if opening.is_directory(path):
        return _of_directory(path)
    file = opened(path)
    found = gathered(file, name)
    if found is None:
        message = "expected a collection, a dump of cpuidle's sysfs or a machine's directory"
        raise unreadable(file.shown, f"{message}, found neither")
    texts = format_tar.collected(file)
    acpi, unread = _firmware(lambda: format_tar.acpi_of(file, texts, bare=True))
    tables = acpi or _firmware(lambda: read_file(file) if texts else ())[0]
    cpuinfo = texts.get(format_tar.CPUINFO, b"").decode("utf-8", "replace")
    inputs = ((file.shown, file.sha256),)
    return SeenMachine(text, *found, tables, inputs, cpuinfo, (*unread, *found[0].missed))


def _of_directory(path: str) -> SeenMachine:
    unread: list[str] = []
    with opening.Tree(path) as tree:
        lines = list(_lines(tree, unread))
        found = [name for name in _TABLES if tree.is_directory(name)]
    if not lines:
        raise unreadable(path, "expected /sys or /proc of a machine in it, found neither")
    data = "".join(lines).encode("utf-8", "surrogateescape")
    dump = sysfs.read(Input(path, held=data), partial=True)
    cpuinfo = "".join(line.removeprefix(_CPUINFO) for line in lines if line.startswith(_CPUINFO))
    tables, reasons = _firmware(lambda: _read(opening.Found(Path(path), found[0])) if found else ())
    return SeenMachine(
        path, dump, dump.kernel, tables, (), cpuinfo, (*reasons, *dump.missed, *unread)
    )


def _read(found: opening.Found) -> list[Source]:
    file = File.open(found)
    return format_acpi.read(file, bare=True) if found.inner == _TABLES[0] else read_file(file)


def _firmware(read: Callable[[], Iterable[Source]]) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """Returns firmware's own tables, or why they cannot be read, as without root."""
    try:
        found = [source for source in read() if not source.facts]
        tables = tuple(s for s in found if s.table and s.table.origin.form != "sysfs")
        if any(s.table.origin.form == "acpi" and s.table.origin.depends for s in tables if s.table):
            # what they give on this machine is not in them
            where = tables[0].file
            return (), (f"{where}: its C-states depend on memory or ports, which no table has",)
        findings = tuple(f for s in found for f in s.findings if s.table is None)
    except Unreadable as error:
        tables, findings = (), error.findings
    except OSError as error:
        return (), (f"firmware's table: {error.strerror}",)
    return tables, tuple(f"{each.location.file}: {each.message}" for each in findings)


def _lines(tree: opening.Tree, unread: list[str]) -> Iterator[str]:
    """Yields what grep prints of the files that can be read; of others unread gets the reasons."""
    for path in (path for wanted in (*WANTED, *APART) for path in _matching(tree, "", wanted)):
        try:
            text = tree.read(path, _ATTRIBUTE_BYTES).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, Unreadable):
            continue
        except OSError as error:
            unread.append(f"/{path}: {error.strerror}")
            continue
        yield from (f"/{path}:{line}\n" for line in text.splitlines())
    yield from _configured(tree)
    if tree.path == Path("/"):
        with suppress(OSError):
            word = opening.device_beginning("/dev/cpu_dma_latency", 4)
            yield f"/dev/cpu_dma_latency:{int.from_bytes(word, sys.byteorder, signed=True)}\n"


def _configured(tree: opening.Tree) -> Iterator[str]:
    """Yields the kernel's tick rate as collect's script writes it, where its configuration is."""
    with suppress(OSError, Unreadable, DamagedArchive, TooLarge):
        if tree.is_file("proc/config.gz"):
            path = "proc/config.gz"
        else:
            words = tree.read("proc/version", _ATTRIBUTE_BYTES).decode("utf-8", "replace").split()
            path = f"boot/config-{words[_RELEASE]}" if len(words) > _RELEASE else ""
        text = whole(tree.read(path, _ATTRIBUTE_BYTES), _ATTRIBUTE_BYTES).decode("utf-8", "replace")
        for line in text.splitlines():
            if line.startswith("CONFIG_HZ="):
                yield f"/proc/config/{line.replace('=', ':', 1)}\n"


def _matching(tree: opening.Tree, folder: str, wanted: str) -> Iterator[str]:
    """Yields the paths of a folder that a pattern names."""
    first, _, rest = wanted.partition("/")
    names = [first]
    if "*" in first:
        try:
            names = sorted(e.name for e in tree.entries(folder) if fnmatchcase(e.name, first))
        except (OSError, Unreadable):
            return
    for name in names:
        path = f"{folder}/{name}".lstrip("/")
        yield from _matching(tree, path, rest) if rest else [path]
