"""The output and the files of a guest's boot."""

from collections.abc import Mapping
from pathlib import Path

from ...base.dataclass import dataclass
from .kernel_config import options_in

RAW = ("fdt", "recording", "tables")
"""Sections that are no text."""


@dataclass(frozen=True, slots=True)
class RecordedWorkload:
    """The governor's decisions recorded while a workload ran in the guest.

    recording      standard output of the recording script; empty if the script refused to record
    complaints     its standard error
    before, after  dumps of the CPUs' idle-state attributes, read before and after the workload
    """

    recording: bytes
    complaints: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Booted:
    """The output of a guest.

    sections  name -> text; of a kernel that crashed only its name and its log
    raw       name -> content of the sections of RAW
    log       file with all the console showed
    crash     where the kernel crashed, "acpi_idle_enter on CPU 1"; "" if it did not
    """

    sections: Mapping[str, str]
    raw: Mapping[str, bytes]
    log: Path
    crash: str = ""

    @property
    def uname(self) -> str:
        """The kernel's name, release, version and machine."""
        return self.sections["uname"].strip()

    @property
    def fdt(self) -> bytes:
        """The flat device tree that the kernel was given."""
        return self.raw["fdt"]

    @property
    def recorded(self) -> RecordedWorkload | None:
        """The decisions recorded during the work; None: none were to be."""
        if "recording" not in self.raw:
            return None
        texts = [self.sections[name] for name in ("recorder", "before", "after")]
        return RecordedWorkload(self.raw["recording"], *texts)

    def content(self, section: str) -> bytes:
        """Returns what a section holds."""
        return self.raw[section] if section in RAW else self.sections[section].encode()

    @property
    def options(self) -> dict[str, str] | None:
        """Returns the options that the kernel has, without CONFIG_; None if it tells none."""
        return options_in(self.sections.get("config", "")) or None


def booted_of(found: Mapping[str, bytes], log: Path) -> Booted:
    """Returns what a guest printed. found: name -> content of its sections."""
    texts = {
        name: content.decode("utf-8", "replace")
        for name, content in found.items()
        if name not in RAW
    }
    if "msglog" in texts:
        # OPAL shows its whole buffer
        texts["msglog"] = texts["msglog"].replace("\0", "")
    return Booted(texts, {name: found[name] for name in RAW if name in found}, log)
