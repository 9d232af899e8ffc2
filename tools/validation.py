"""docs/validation.md, from the records that the nightly boots keep.

python -m tools.validation docs/validation{,-virt,-q35}.json > docs/validation.md
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from idle_states.change.boot.powernv.predict import STAGES
from tools.command_line import parsed

from . import validation_q35, validation_virt
from .boot_records import load
from .boot_words import not_booted, stages_of
from .wide_table import wide_table

_HEAD = """\
# Confirmed by booting

Made by `make validation` from `docs/validation.json`, `docs/validation-virt.json` and
`docs/validation-q35.json`, which `make nightly` writes; not edited by hand. Arm, RISC-V and x86
come last. Before that, each line is a boot of real skiboot and a real Linux under QEMU, with a
packaged table in the machine's place: written into a copy of QEMU's image, or built from source.
Each stage's prediction was compared with what the guest showed: *export* the properties of
`/ibm,opal/power-mgt`, byte for byte;
*opal-messages* and *linux-messages* the log lines; *registered* the states in sysfs; *selected* the
governor's decisions, each made again from its recorded inputs, from the moment the governor was
switched on; *usage* the counters usage, time, above, below and rejected.
"""

_LEVELS = """\
## Stop levels beyond QEMU's

QEMU's powernv9 and powernv10 say in `ibm,enabled-stop-levels` that levels 0 and 1 are enabled
(0xc0000000, built in). Ways to have more enabled, tried with QEMU 7.2:

"""
_WAYS = (
    (
        "`-dtb` with an edited copy of what `-M MACHINE,dumpdtb=FILE` gives",
        "accepted, but not used: the machine's reset makes the tree anew",
    ),
    (
        "halted before its first instruction (`-S`), and the property's bytes changed in memory "
        "through the GDB stub",
        "works: skiboot exports and Linux registers the levels named. This is `boot --levels`",
    ),
    (
        "kexec in the guest, with an edited tree",
        "not tried: it would leave out the firmware, which the way above does not",
    ),
)
_LIMITS = """
States that lose full context (stop4 and deeper on POWER9) are exported then, but Linux drops them:
QEMU's HOMER holds no image that could restore registers, so the stop API fails. The models predict
that, too. On POWER9 and POWER10, skiboot's own mask ends at level 5.
"""


def text(
    records: Sequence[dict[str, Any]],
    virt: Sequence[dict[str, Any]] = (),
    q35: Sequence[dict[str, Any]] = (),
) -> str:
    """The page. virt, q35: the records of nightly_virt and nightly_q35."""
    booted = [each for each in records if "agree" in each]
    parts = [
        _HEAD,
        _versions(booted),
        _LEVELS + wide_table(("way", "what came of it"), _WAYS) + _LIMITS,
    ]
    for machine in dict.fromkeys(each["machine"] for each in records):
        parts.append(_machine(machine, [each for each in records if each["machine"] == machine]))
    parts.append(_unconfirmed(booted))
    if virt:
        parts.append(validation_virt.text(virt))
    if q35:
        parts.append(validation_q35.text(q35))
    return "\n".join(parts)


def _versions(records: Sequence[dict[str, Any]]) -> str:
    rows = dict.fromkeys(
        (each["qemu"], each["skiboot"], each["linux"], each["modelled_as"] or "no model")
        for each in records
    )
    decisions = sum(each["decisions"]["judged"] for each in records)
    alike = sum(each["decisions"]["agree"] for each in records)
    missing = sum(each["decisions"]["undetermined"] for each in records)
    agree = sum(each["agree"] for each in records)
    head = (
        f"{agree} of {len(records)} boots agree in every stage; {alike} of {decisions} recorded "
        f"decisions were made alike, {missing} more could not be judged.\n\n"
    )
    return head + wide_table(("QEMU", "skiboot", "Linux", "modelled as"), rows)


def _machine(machine: str, records: Sequence[dict[str, Any]]) -> str:
    rows = []
    for each in records:
        levels = "QEMU's" if each["levels"] is None else f"{each['levels']:#010x}"
        name = each["table"] + (", built" if each["built"] else "")
        rows.append((name, levels, each["governor"], *_outcome(each), each["date"]))
    head = ("table", "levels", "governor", "registered", "stages", "decisions", "date")
    return f"## {machine}\n\n" + wide_table(head, rows)


def _outcome(each: dict[str, Any]) -> tuple[str, str, str]:
    if "agree" not in each:
        return "", not_booted(each), ""
    decisions = each["decisions"]
    count = f"{decisions['agree']} of {decisions['judged']}"
    count += f", {decisions['undetermined']} undetermined" if decisions["undetermined"] else ""
    return ", ".join(each["registered"]), stages_of(each, STAGES), count


def _unconfirmed(records: Sequence[dict[str, Any]]) -> str:
    """By state and reason, with the machines. Left out is what another boot of the machine had
    registered, and what was due to a workload only."""
    registered = {(each["machine"], name) for each in records for name in each["registered"]}
    found: dict[str, set[str]] = {}
    for each in records:
        for line in each["unconfirmed"]:
            state = line.partition(":")[0]
            if "this workload" not in line and (each["machine"], state) not in registered:
                found.setdefault(line, set()).add(each["machine"])
    lines = [f"- {line} ({', '.join(sorted(found[line]))})" for line in sorted(found)]
    return "\n".join(["## Not confirmed by booting", "", *lines, ""])


if __name__ == "__main__":
    sys.stdout.write(text(*(load(Path(name)) for name in parsed(__doc__, "FILE...").file)))
