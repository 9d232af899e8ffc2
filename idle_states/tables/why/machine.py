"""A machine as far as it can be seen: this one, one that was gathered, or one in a directory."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable, unreadable
from ...base.reading import opening, sysfs
from ...base.reading.inputs import Input
from ..linux.asked import ASSUMED_HZ, hz_of
from ..linux.releases import Release, running
from ..sources import Source, read_file, read_sources
from ..sources.told import gathered, opened
from .sampled import Sampled

CPUS = "/sys/devices/system/cpu"
_WANTED = (
    "proc/version",
    "proc/cmdline",
    "sys/devices/system/cpu/o*line",
    "etc/tuned/active_profile",
    "sys/module/*idle*/parameters/*",
    "sys/module/haltpoll/parameters/*",
    "sys/module/processor/parameters/*",
    "sys/devices/system/cpu/cpuidle/*",
    "sys/devices/system/cpu/cpu[0-9]*/power/pm_qos_resume_latency_us",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/driver/name",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/*",
)
_TREES = ("proc/device-tree", "sys/firmware/devicetree/base")
_ATTRIBUTE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class SeenMachine:
    """The facts that are known of a machine.

    kernel     as it calls itself; "" where that is not known
    firmware   what its device tree has; (): not seen
    inputs     (name, SHA-256) of what was read
    sampled    its idle periods in a sample; None: none was taken
    """

    name: str
    dump: sysfs.Dump
    kernel: str
    firmware: tuple[Source, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    sampled: Sampled | None = None

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
        return self.dump.told.get("current_driver") or next(iter(self.dump.drivers.values()), "")

    def told(self, name: str) -> str | None:
        """A text of the machine as a whole, by the last name of its path; None: not seen."""
        return self.dump.told.get(name)

    def parameter(self, module: str, name: str) -> tuple[str, str] | None:
        """A module's parameter, (value, where it stands); the command line, then /sys/module."""
        for word in (self.told("cmdline") or "").split():
            if word.partition("=")[0].replace("-", "_") == f"{module}.{name}":
                return word.partition("=")[2], f"/proc/cmdline: {word}"
        value = self.told(f"{module}/parameters/{name}")
        return None if value is None else (value, f"/sys/module/{module}/parameters/{name}")


def machine_of(text: str) -> SeenMachine:
    """Reads a machine. Raises Unreadable and OSError."""
    if opening.is_directory(text):
        with opening.Tree(text) as tree:
            data = "".join(_lines(tree)).encode("utf-8", "surrogateescape")
            trees = [f"{text.rstrip('/')}/{name}" for name in _TREES if tree.is_directory(name)]
        if not data:
            raise unreadable(text, "expected /sys or /proc of a machine in it, found neither")
        dump = sysfs.read(Input(text, held=data), stateless=True)
        firmware = _firmware(source for path in trees[:1] for source in read_sources(path))
        return SeenMachine(text, dump, dump.kernel, firmware)
    file = opened(text)
    found = gathered(file)
    if found is None:
        message = "expected a collection, a dump of cpuidle's sysfs or a machine's directory"
        raise unreadable(file.shown, f"{message}, found neither")
    firmware = _firmware(source for one in [file] for source in read_file(one))
    return SeenMachine(text, *found, firmware, ((file.shown, file.sha256),))


def _firmware(sources: Iterator[Source]) -> tuple[Source, ...]:
    """Returns firmware's own tables; none where they cannot be read, as without root."""
    try:
        return tuple(s for s in sources if s.table and s.table.origin.form != "sysfs")
    except (Unreadable, OSError):
        return ()


def _lines(tree: opening.Tree) -> Iterator[str]:
    """Yields what grep prints of the files that can be read."""
    for path in (path for wanted in _WANTED for path in _matching(tree, "", wanted)):
        try:
            text = tree.read(path, _ATTRIBUTE_BYTES).decode("utf-8", "surrogateescape")
        except (OSError, Unreadable):
            continue
        yield from (f"/{path}:{line}\n" for line in text.splitlines())


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
