"""Records of the nightly boots: one boot, what is kept of it, and the files."""

import datetime
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from idle_states.base.files import write_file
from idle_states.base.model.findings import Rejected
from idle_states.change.boot.boot import BootFailure
from idle_states.change.boot.powernv.build import BuildFailure
from idle_states.change.boot.result import BootResult
from idle_states.change.boot.run import Surroundings
from idle_states.change.boot.stage import Stage

from .guest_kernel import BuildFailed

Record = dict[str, Any]
Key = tuple[Any, ...]


class NightlyBoot(Protocol):
    """One boot.

    key       tells it from others
    name      as the run prints it
    attempts  how often it is tried if it does not end
    """

    @property
    def key(self) -> Key: ...
    @property
    def name(self) -> str: ...
    @property
    def attempts(self) -> int: ...

    def head(self) -> Record:
        """Returns what a record says of the boot itself."""

    def run(self, around: Surroundings) -> BootResult:
        """Raises what a boot raises, and guest_kernel.BuildFailed."""

    def seen(self, result: Any) -> Record:
        """Returns what is kept of a result."""

    def is_doubtful(self, result: Any) -> str:
        """Returns why a result is tried again; "" for one that counts."""


def boot_case(boot: NightlyBoot, logs: Path | None = None) -> Record:
    """Returns the record of a boot, or of why there was none: "refused" for a table that does not
    fit, "failed" for a boot that did not end, or a kernel or firmware that cannot be built.

    "before" says what an attempt came to that was tried again. Raises Unavailable.
    """
    outcome: Record = {}
    before = ""
    for attempt in range(1, boot.attempts + 1):
        tried: Record = {"attempts": attempt} if boot.attempts > 1 else {}
        tried |= {"before": before} if before else {}
        try:
            result = boot.run(Surroundings(logs))
            outcome = {**tried, **boot.seen(result)}
            before = boot.is_doubtful(result)
            if not before:
                break
        except Rejected as rejected:
            outcome = {"refused": rejected.findings[0].message}
            break
        except (BuildFailure, BuildFailed) as failure:
            outcome = {"failed": str(failure)}
            break
        except BootFailure as failure:
            outcome = {"failed": str(failure)}
            before = str(failure).partition("\n")[0]
    return {**boot.head(), "date": today(), **outcome}


def versions(result: BootResult) -> Record:
    """Returns what was booted."""
    release = result.predicted.release
    return {
        "qemu": result.qemu,
        "linux": result.predicted.kernel,
        "modelled_as": release.name if release else None,
    }


def verdict(result: BootResult) -> Record:
    """Returns what came of the boot, and how much was compared."""
    return {
        "agree": result.agree,
        "stages": {stage.name: stage.agree for stage in result.stages},
        "judged": {stage.name: stage.judged for stage in result.stages},
        "differences": _differences(result.stages),
        "unconfirmed": list(result.unconfirmed),
    }


def _differences(stages: Iterable[Stage]) -> list[list[str]]:
    """Stage, place, what was predicted and what was found of each value that differs."""
    return [
        [stage.name, each.path, each.predicted, each.found]
        for stage in stages
        for each in stage.differences
    ]


def today() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    if epoch:
        now = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return now.date().isoformat()


def load(path: Path) -> list[Record]:
    found: list[Record] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


def save(path: Path, records: list[Record]) -> None:
    write_file(path, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
