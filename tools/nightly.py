"""Boots every packaged spec on every machine that takes it, and keeps what was confirmed.

    python -m tools.nightly docs/validation.json [--missing]

The file is a list of records, one for each kind of boot; a new result takes the place of the old.
--missing leaves out what has booted already, after an interruption say.
Date: that of the run, or SOURCE_DATE_EPOCH's.
"""

import datetime
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from idle_states.boot import build
from idle_states.boot import parts as boot_parts
from idle_states.boot.boot import BootFailure
from idle_states.boot.debian import Unavailable
from idle_states.boot.predict import MACHINE_TABLE, SELECTED, Stage
from idle_states.boot.qemu import MACHINES
from idle_states.boot.request import BootRequest
from idle_states.boot.result import BootResult
from idle_states.boot.run import Surroundings, run
from idle_states.boot.workload import MIXED, workload
from idle_states.files import write_file
from idle_states.findings import Rejected
from idle_states.spec.library import find
from idle_states.spec.packaged import revisions
from tools.command_line import asked

LEVELS = {"powernv9": 0xEC00_0000, "powernv10": 0xB010_0000}
"""Machine -> the stop levels of a real one (skiboot's op920.wsp.dts and p10-rainier.dts)."""
GOVERNORS = ("menu", "ladder")
_KEY = ("machine", "table", "built", "levels", "governor")


@dataclass(frozen=True, slots=True)
class NightlyBoot:
    """One boot. built: firmware is built from source instead of changed in its image."""

    machine: str
    table: str
    built: bool
    levels: int | None
    governor: str


def cases(machine: str) -> Iterator[NightlyBoot]:
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
                yield NightlyBoot(machine, revision.name, built, None, GOVERNORS[0])
            for governor in GOVERNORS:
                yield NightlyBoot(machine, revision.name, built, levels, governor)
    yield NightlyBoot(machine, place, True, levels, GOVERNORS[0])


def today() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    if epoch:
        now = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return now.date().isoformat()


def boot_case(case: NightlyBoot, tree: Path | None, logs: Path | None = None) -> dict[str, Any]:
    """The record of a boot, or of why there was none: "refused" for a table that does not fit,
    "failed" for a boot that did not end. Raises Unavailable."""
    request = BootRequest(
        case.machine,
        case.table,
        tree=tree if case.built else None,
        governor=case.governor,
        workload=workload(MIXED),
        levels=case.levels,
        time_limit_s=600,
    )
    try:
        outcome = record(run(request, Surroundings(logs)))
    except Rejected as rejected:
        outcome = {"refused": rejected.findings[0].message}
    except (BootFailure, build.BuildFailure) as failure:
        outcome = {"failed": str(failure)}
    return {**asdict(case), "date": today(), **outcome}


def record(result: BootResult) -> dict[str, Any]:
    predicted = result.predicted
    selected = next(stage for stage in result.stages if stage.name == SELECTED)
    return {
        "qemu": result.qemu,
        "skiboot": predicted.firmware,
        "linux": predicted.kernel,
        "modelled_as": predicted.release.name if predicted.release else None,
        "registered": [s.name for s in predicted.driver.states] if predicted.driver else [],
        "agree": result.agree,
        "stages": {stage.name: stage.agree for stage in result.stages},
        "decisions": {
            "judged": selected.judged,
            "agree": selected.judged - len(selected.differences),
            "undetermined": selected.undetermined,
        },
        "unconfirmed": list(result.unconfirmed),
    }


def merged(records: list[dict[str, Any]], fresh: dict[str, Any]) -> list[dict[str, Any]]:
    """With the record of the same kind of boot replaced; sorted."""

    def key(of: dict[str, Any]) -> tuple[Any, ...]:
        machine, table, built, levels, governor = (of[name] for name in _KEY)
        return MACHINES.index(machine), table, built, levels or 0, governor

    others = [old for old in records if key(old) != key(fresh)]
    return sorted([*others, fresh], key=key)


def _case(of: dict[str, Any]) -> NightlyBoot:
    return NightlyBoot(**{name: of[name] for name in _KEY})


def load(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


def save(path: Path, records: list[dict[str, Any]]) -> None:
    write_file(path, json.dumps(records, indent=1, ensure_ascii=False) + "\n")


def differences_of(stages: Iterable[Stage]) -> list[list[str]]:
    """Stage, place, what was predicted and what was found of each value that differs."""
    return [
        [stage.name, each.path, each.predicted, each.found]
        for stage in stages
        for each in stage.differences
    ]


def outcome_of(record: dict[str, Any]) -> str:
    """agree or differ; for a boot that there was not, or that did not end, why."""
    if "agree" in record:
        return "agree" if record["agree"] else "differ"
    return str(record.get("refused") or record["failed"])


def is_fault(record: dict[str, Any]) -> bool:
    """Whether a boot did not end, or not as predicted."""
    return "failed" in record or record.get("agree") is False


def main(words: list[str]) -> int:
    """1 if anything differed or failed, 3 if a part could not be had."""
    given = asked(__doc__, "FILE", "--missing", words=words)
    path, missing = Path(given.file), given.missing
    wanted = [case for machine in MACHINES for case in cases(machine)]
    records = [old for old in load(path) if _case(old) in wanted]
    if missing:
        booted = {_case(old) for old in records if old.get("agree")}
        wanted = [case for case in wanted if case not in booted]
    status = 0
    try:
        tree = boot_parts.skiboot_source(boot_parts.packages_in())
        for case in wanted:
            fresh = boot_case(case, tree)
            records = merged(records, fresh)
            save(path, records)
            status = max(status, int(is_fault(fresh)))
            levels = f" {case.levels:#010x}" if case.levels else ""
            built = " built" if case.built else ""
            name = f"{case.machine} {case.table}{built}{levels} {case.governor}"
            print(f"{name}: {outcome_of(fresh)}", flush=True)
    except Unavailable as reason:
        print(f"boot_nightly: {reason}", file=sys.stderr)
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
