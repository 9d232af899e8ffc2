"""Nightly boots of powernv machines: every packaged spec on the machine that takes it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from idle_states.change.boot import parts as boot_parts
from idle_states.change.boot.powernv.boot import PowernvResult
from idle_states.change.boot.powernv.machines import POWERNV
from idle_states.change.boot.powernv.predict import MACHINE_TABLE
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.result import BootResult
from idle_states.change.boot.run import Surroundings, run_boot
from idle_states.change.boot.stage import SELECTED
from idle_states.change.boot.workload import MIXED, workload
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import revisions

from .boot_records import Key, Record, verdict, versions

MACHINES = tuple(POWERNV)
LEVELS = {"powernv9": 0xEC00_0000, "powernv10": 0xB010_0000}
"""Machine -> the stop levels of a real one (skiboot's op920.wsp.dts and p10-rainier.dts)."""
GOVERNORS = ("menu", "ladder")
_NOT_KEPT = ("judged", "differences")


@dataclass(frozen=True, slots=True)
class PowernvNight:
    """One boot. built: firmware is built from source instead of changed in its image."""

    machine: str
    table: str
    built: bool
    levels: int | None
    governor: str

    @property
    def key(self) -> Key:
        return key_of(asdict(self))

    @property
    def name(self) -> str:
        levels = f" {self.levels:#010x}" if self.levels else ""
        built = " built" if self.built else ""
        return f"{self.machine} {self.table}{built}{levels} {self.governor}"

    @property
    def attempts(self) -> int:
        return 1

    def head(self) -> Record:
        return asdict(self)

    def run(self, around: Surroundings) -> BootResult:
        request = BootRequest(
            self.machine,
            self.table,
            tree=_source() if self.built else None,
            governor=self.governor,
            workload=workload(MIXED),
            levels=self.levels,
            time_limit_s=600,
        )
        return run_boot(request, around)

    def seen(self, result: PowernvResult) -> Record:
        predicted = result.predicted
        selected = next(stage for stage in result.stages if stage.name == SELECTED)
        judged = {key: value for key, value in verdict(result).items() if key not in _NOT_KEPT}
        return {
            **versions(result),
            "skiboot": predicted.firmware,
            "registered": [s.name for s in predicted.driver.states] if predicted.driver else [],
            **judged,
            "decisions": {
                "judged": selected.judged,
                "agree": selected.judged - len(selected.differences),
                "undetermined": selected.undetermined,
            },
        }

    def is_doubtful(self, result: PowernvResult) -> str:
        return ""


@cache
def _source() -> Path:
    """skiboot's source. Raises Unavailable."""
    return boot_parts.packages_in().source_tree("qemu", "roms/skiboot")


def boots() -> Iterator[PowernvNight]:
    every = [case for machine in MACHINES for case in cases(machine)]
    yield from sorted(every, key=lambda case: case.key)


def cases(machine: str) -> Iterator[PowernvNight]:
    """Every spec of the machine's generation with QEMU's stop levels, and with a real machine's
    under each governor; the machine's own table also in firmware built from source, as is every
    table that has more rows than an image has room for."""
    levels = LEVELS.get(machine)
    place = MACHINE_TABLE[machine]
    for revision in revisions():
        table = find(revision.name)
        if table.partition is not None or table.cpu is None:
            continue
        if table.cpu.processor.machine == machine:
            built = len(table.states) > len(find(place).states)
            if levels is not None:
                yield PowernvNight(machine, revision.name, built, None, GOVERNORS[0])
            for governor in GOVERNORS:
                yield PowernvNight(machine, revision.name, built, levels, governor)
    yield PowernvNight(machine, place, True, levels, GOVERNORS[0])


def key_of(record: dict[str, Any]) -> Key:
    names = ("machine", "table", "built", "levels", "governor")
    machine, table, built, levels, governor = (record[name] for name in names)
    return MACHINES.index(machine), table, built, levels or 0, governor
