"""Nightly boots of virt machines: every table of virt_tables, some with their governor's decisions
recorded."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from idle_states.change.boot.parts import packages_in
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.result import BootResult
from idle_states.change.boot.run import Surroundings, run_boot
from idle_states.change.boot.virt.boot import VirtResult
from idle_states.change.boot.virt.machines import VIRT
from idle_states.change.boot.workload import EVERYTHING
from idle_states.tables.devicetree import fdt

from .boot_records import Key, Record, verdict, versions
from .guest_kernel import KERNELS, guest_kernel
from .virt_tables import VirtTable, tables

_TIME_LIMIT_S = 150
_RECORDED = ("retention", "power-down", "tie", "arm64-generic")
"""Tables that are booted again for their governors' decisions."""


@dataclass(frozen=True, slots=True)
class VirtNight:
    """One boot.

    governor  whose decisions are recorded; "": the kernel's own, and none are
    suite     Debian suite of the source that the kernel is built of; "": Debian's own kernel
    """

    table: VirtTable
    governor: str = ""
    suite: str = ""

    @property
    def key(self) -> Key:
        return self.table.machine, self.table.name, self.governor, self.suite

    @property
    def name(self) -> str:
        words = self.table.machine, self.table.name, self.governor, self.suite
        return " ".join(filter(None, words))

    @property
    def attempts(self) -> int:
        """Now and then QEMU's RISC-V machine hangs before the kernel has started init."""
        return 2

    def head(self) -> Record:
        return {
            "machine": self.table.machine,
            "table": self.table.name,
            "why": self.table.why,
            **({"governor": self.governor} if self.governor else {}),
            **({"suite": self.suite} if self.suite else {}),
        }

    def run(self, around: Surroundings) -> BootResult:
        machine, governor = self.table.machine, self.governor
        kernel = guest_kernel(VIRT[machine], self.suite, packages_in()) if self.suite else None
        with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
            file = Path(directory, f"{self.table.name}.dtb")
            file.write_bytes(fdt.write(self.table.root))
            request = BootRequest(
                machine,
                str(file),
                kernel=kernel,
                governor=governor,
                workload=EVERYTHING if governor else None,
                time_limit_s=2 * _TIME_LIMIT_S if governor else _TIME_LIMIT_S,
            )
            return run_boot(request, around)

    def seen(self, result: VirtResult) -> Record:
        driver = next(iter(result.predicted.number2driver.values()), None)
        counted = result.counted.get(0, ())
        return {
            **versions(result),
            "registered": [state.name for state in result.found.get(0, ())],
            "lost": [f"{lost.state}: {lost.reason}" for lost in driver.lost] if driver else [],
            **verdict(result),
            "entered": [bool(state.usage) for state in counted],
            "refused_by_firmware": [bool(state.rejected) for state in counted],
            "domains": [[name, state, bool(count)] for name, state, count in result.domains],
        }

    def is_doubtful(self, result: VirtResult) -> str:
        return ""


def boots() -> Iterator[VirtNight]:
    every = tables()
    yield from map(VirtNight, every)
    chosen = [each for each in every if each.machine == "virt-arm64" and each.name in _RECORDED]
    yield from (VirtNight(each, governor) for each in chosen for governor in ("menu", "ladder"))
    for machine, suite in KERNELS:
        yield from (VirtNight(each, "teo", suite) for each in chosen if each.machine == machine)


def key_of(record: Record) -> Key:
    governor, suite = record.get("governor", ""), record.get("suite", "")
    return record["machine"], record["table"], governor, suite
