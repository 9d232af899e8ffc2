"""Boots every table of virt_tables in QEMU's virt machines, some with their governor's decisions
recorded, and keeps what was confirmed.

    python -m tools.virt_nightly docs/validation-virt.json [--missing]

The file is a list of records, one for each boot; a new result takes the place of the old. teo runs
on kernels of guest_kernel, which are built first, unless they have been.
--missing leaves out what has booted already and agreed.
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from idle_states.boot.boot import BootFailure
from idle_states.boot.debian import Unavailable
from idle_states.boot.parts import packages_in
from idle_states.boot.run import Surroundings
from idle_states.boot.virt.machines import VIRT
from idle_states.boot.virt.request import VirtRequest
from idle_states.boot.virt.result import VirtResult
from idle_states.boot.virt.run import run
from idle_states.devicetree import fdt
from idle_states.findings import Rejected
from tools.command_line import asked

from .guest_kernel import KERNELS, BuildFailed, guest_kernel
from .nightly import differences_of, is_fault, load, outcome_of, save, today
from .virt_tables import VirtTable, tables

_TIME_LIMIT_S = 150
_ATTEMPTS = 2
"""Now and then QEMU's RISC-V machine hangs before the kernel has started init."""
_RECORDED = ("retention", "power-down", "tie", "arm64-generic")
"""Tables that are booted again for their governors' decisions."""


@dataclass(frozen=True, slots=True)
class VirtBoot:
    """One boot.

    governor  whose decisions are recorded; "": the kernel's own, and none are
    suite     Debian suite of the source that the kernel is built of; "": Debian's own kernel
    """

    table: VirtTable
    governor: str = ""
    suite: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.table.machine, self.table.name, self.governor, self.suite

    @property
    def name(self) -> str:
        return " ".join(filter(None, self.key))


def boots() -> Iterator[VirtBoot]:
    every = tables()
    yield from map(VirtBoot, every)
    chosen = [each for each in every if each.machine == "virt-arm64" and each.name in _RECORDED]
    yield from (VirtBoot(each, governor) for each in chosen for governor in ("menu", "ladder"))
    for machine, suite in KERNELS:
        yield from (VirtBoot(each, "teo", suite) for each in chosen if each.machine == machine)


def key_of(record: dict[str, Any]) -> tuple[str, str, str, str]:
    """VirtBoot.key of the boot that a record is of."""
    governor, suite = record.get("governor", ""), record.get("suite", "")
    return record["machine"], record["table"], governor, suite


def boot_table(boot: VirtBoot, logs: Path | None = None) -> dict[str, Any]:
    """The record of a boot, or of why there was none: "refused" for a table that does not fit,
    "failed" for a boot that did not end, or a kernel that cannot be built. Raises Unavailable."""
    table = boot.table
    outcome: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
        file = Path(directory, f"{table.name}.dtb")
        file.write_bytes(fdt.write(table.root))
        try:
            request = _request(boot, str(file))
        except BuildFailed as failure:
            outcome = {"failed": str(failure)}
        for attempt in range(1, _ATTEMPTS + 1) if not outcome else ():
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
        **({"governor": boot.governor} if boot.governor else {}),
        **({"suite": boot.suite} if boot.suite else {}),
        "date": today(),
        **outcome,
    }


def _request(boot: VirtBoot, file: str) -> VirtRequest:
    """Raises Unavailable, BuildFailed."""
    machine, limit_s = boot.table.machine, _TIME_LIMIT_S
    if not boot.governor:
        return VirtRequest(machine, file, time_limit_s=limit_s)
    kernel = guest_kernel(VIRT[machine], boot.suite, packages_in()) if boot.suite else None
    return VirtRequest(
        machine, file, kernel, governor=boot.governor, recorded=True, time_limit_s=2 * limit_s
    )


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
        "differences": differences_of(result.stages),
        "unconfirmed": list(result.unconfirmed),
    }


def main(words: list[str]) -> int:
    """1 if anything differed or failed, 3 if a part could not be had."""
    given = asked(__doc__, "FILE", "--missing", words=words)
    path, missing = Path(given.file), given.missing
    key2record = {key_of(old): old for old in load(path)}
    status = 0
    wanted = list(boots())
    try:
        for boot in wanted:
            if missing and key2record.get(boot.key, {}).get("agree"):
                continue
            fresh = key2record[boot.key] = boot_table(boot)
            known = [key2record.get(each.key) for each in wanted]
            save(path, [each for each in known if each])
            status = max(status, int(is_fault(fresh)))
            print(f"{boot.name}: {outcome_of(fresh)}", flush=True)
    except Unavailable as reason:
        print(f"virt_nightly: {reason}", file=sys.stderr)
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
