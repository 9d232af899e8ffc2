"""Boots every table of virt_tables in QEMU's virt machines, and keeps what was confirmed.

    python -m tools.virt_nightly docs/validation-virt.json [--missing]

The file is a list of records, one for each table; a new result takes the place of the old.
--missing leaves out what has booted already and agreed.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from idle_states.boot.boot import BootFailure
from idle_states.boot.debian import Unavailable
from idle_states.boot.run import Surroundings
from idle_states.boot.virt.request import VirtRequest
from idle_states.boot.virt.result import VirtResult
from idle_states.boot.virt.run import run
from idle_states.devicetree import fdt
from idle_states.findings import Rejected

from .nightly import load, save, today
from .virt_tables import VirtTable, tables

_TIME_LIMIT_S = 150
_ATTEMPTS = 2
"""Now and then QEMU's RISC-V machine hangs before the kernel has started init."""


def boot_table(table: VirtTable, logs: Path | None = None) -> dict[str, Any]:
    """The record of a boot, or of why there was none: "refused" for a table that does not fit,
    "failed" for a boot that did not end. Raises Unavailable."""
    with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
        file = Path(directory, f"{table.name}.dtb")
        file.write_bytes(fdt.write(table.root))
        request = VirtRequest(table.machine, str(file), time_limit_s=_TIME_LIMIT_S)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                outcome = {"attempts": attempt, **record(run(request, Surroundings(logs)))}
                break
            except Rejected as rejected:
                outcome = {"refused": rejected.findings[0].message}
                break
            except BootFailure as failure:
                outcome = {"failed": str(failure)}
    return {
        "machine": table.machine,
        "table": table.name,
        "why": table.why,
        "date": today(),
        **outcome,
    }


def record(result: VirtResult) -> dict[str, Any]:
    predicted = result.predicted
    driver = next(iter(predicted.number2driver.values()), None)
    return {
        "qemu": result.qemu,
        "linux": predicted.kernel,
        "modelled_as": predicted.release.name if predicted.release else None,
        "registered": [state.name for state in result.found.get(0, ())],
        "lost": [f"{lost.state}: {lost.reason}" for lost in driver.lost] if driver else [],
        "agree": result.agree,
        "stages": {stage.name: stage.agree for stage in result.stages},
        "judged": {stage.name: stage.judged for stage in result.stages},
        "entered": [bool(state.usage) for state in result.counted.get(0, ())],
        "refused_by_firmware": [bool(state.rejected) for state in result.counted.get(0, ())],
        "domains": [[name, state, bool(count)] for name, state, count in result.domains],
        "differences": [
            [stage.name, each.path, each.predicted, each.found]
            for stage in result.stages
            for each in stage.differences
        ],
        "unconfirmed": list(result.unconfirmed),
    }


def main(words: list[str]) -> int:
    """1 if anything differed or failed, 3 if a part could not be had."""
    path, missing = Path(words[0]), words[1:] == ["--missing"]
    name2record = {(old["machine"], old["table"]): old for old in load(path)}
    status = 0
    wanted = tables()
    try:
        for table in wanted:
            key = table.machine, table.name
            if missing and name2record.get(key, {}).get("agree"):
                continue
            fresh = name2record[key] = boot_table(table)
            known = [name2record.get((each.machine, each.name)) for each in wanted]
            save(path, [each for each in known if each])
            said = fresh.get("refused") or fresh.get("failed") or "agree"
            if "agree" in fresh and not fresh["agree"]:
                said = "differ"
            status = max(status, int(said == "differ" or "failed" in fresh))
            print(f"{table.machine} {table.name}: {said}", flush=True)
    except Unavailable as reason:
        print(f"virt_nightly: {reason}", file=sys.stderr)
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
