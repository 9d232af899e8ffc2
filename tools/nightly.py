"""Boots every packaged spec, and tables meant to break Linux, on every machine that takes them, and
keeps what was confirmed.

    python -m tools.nightly MACHINES [--missing]

MACHINES is powernv, virt or q35; each has a file of records in docs, one for each kind of boot, in
which a new result takes the place of the old. teo runs on kernels of guest_kernel, which are built
first, unless they have been.
--missing leaves out what has booted already and agreed, after an interruption say.
Date: that of the run, or SOURCE_DATE_EPOCH's.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from idle_states.change.boot.debian import Unavailable
from tools.command_line import parsed

from . import nightly_powernv, nightly_q35, nightly_virt
from .boot_records import Key, NightlyBoot, Record, boot_case, load, save


@dataclass(frozen=True, slots=True)
class MachineKind:
    """A kind of machines.

    file    its records
    boots   what is to boot, in the order of the records; raises Unavailable
    key_of  NightlyBoot.key of the boot that a record is of
    """

    file: Path
    boots: Callable[[], Iterable[NightlyBoot]]
    key_of: Callable[[Record], Key]


KINDS = {
    name: MachineKind(Path("docs", file), module.boots, module.key_of)
    for name, file, module in (
        ("powernv", "validation.json", nightly_powernv),
        ("virt", "validation-virt.json", nightly_virt),
        ("q35", "validation-q35.json", nightly_q35),
    )
}


def in_order(wanted: Sequence[NightlyBoot], key2record: Mapping[Key, Record]) -> list[Record]:
    """Returns the records that there are of the boots wanted."""
    return [key2record[each.key] for each in wanted if each.key in key2record]


def outcome_of(record: Record) -> str:
    """Returns agree or differ; for a boot that there was not, or that did not end, why."""
    if "agree" in record:
        return "agree" if record["agree"] else "differ"
    return str(record.get("refused") or record["failed"])


def is_fault(record: Record) -> bool:
    """Tells whether a boot did not end, or not as predicted."""
    return "failed" in record or record.get("agree") is False


def main(words: list[str]) -> int:
    """Returns 1 if anything differed or failed, 3 if a part could not be had."""
    given = parsed(__doc__, "MACHINES", "--missing", words=words)
    kind = KINDS[given.machines]
    key2record = {kind.key_of(old): old for old in load(kind.file)}
    status = 0
    try:
        wanted = list(kind.boots())
        for boot in wanted:
            if given.missing and key2record.get(boot.key, {}).get("agree"):
                continue
            fresh = key2record[boot.key] = boot_case(boot)
            save(kind.file, in_order(wanted, key2record))
            status = max(status, int(is_fault(fresh)))
            print(f"{boot.name}: {outcome_of(fresh)}", flush=True)
    except Unavailable as reason:
        print(f"nightly: {reason}", file=sys.stderr)
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
