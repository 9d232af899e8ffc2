"""The part of docs/validation.md that is about Arm and RISC-V, from what nightly_virt keeps."""

from collections.abc import Iterator, Sequence
from typing import Any

from idle_states.change.boot.stage import SELECTED
from idle_states.change.boot.virt.predict import STAGES

from .boot_words import not_booted, stages_of
from .nightly_virt import key_of
from .wide_table import wide_table

_HEAD = """\
## Arm and RISC-V

Each line is a boot of QEMU's virt machine with two CPUs and Debian's kernel, with a table of
`tools/virt_tables.py` put into the machine's own device tree: a packaged spec, or one that is meant
to break the kernel's reading. *firmware*: what the kernel says of PSCI or SBI; *tree*: the nodes as
the kernel was given them, byte for byte; *registered*: of each CPU, the states' names,
descriptions, times and whether they are on, and the driver; *linux-messages*: warnings and errors;
*usage*: which counters grow while the guest works for some seconds (which states can be selected,
which firmware refuses); *domains*: the power domains in debugfs, their states, what is within them
and attached to them; *domain-usage*: which of their states are entered. Counts are not predicted:
emulated time is too uneven. Where decisions are recorded, they are: *selected* is each of the
governor's decisions, made again from its recorded inputs, and *usage* then also each counter beside
what the decisions add up to.

"""
_LIMITS = """
QEMU's PSCI takes the 16 bits of a StateID for WFI. It returns from a power-down state, which for
Linux is a refusal; it does refuse all other parameters. It offers no OS-initiated mode and no
SET_SUSPEND_MODE, so that Linux from 6.1.47 on makes no power domains there. OpenSBI has the two
default suspend types. RISC-V has power domains without any help of firmware: they are judged there.

"""
_BUILT = """\
Debian's kernels leave out teo: `tools/guest_kernel.py` builds a small one of the linux-source
package of the suite named. *decisions*: how many were judged. teo before 6.14 cannot be recorded
(it compared readings of the clock that a recording does not have), and nothing is on RISC-V, where
the recording script does not run: which states are entered is judged there, under menu alone.

"""
_MACHINES = ("virt-arm64", "virt-riscv64")


def text(records: Sequence[dict[str, Any]]) -> str:
    booted = [each for each in records if "agree" in each]
    judged = sum(sum(each["judged"].values()) for each in booted)
    agree = sum(each["agree"] for each in booted)
    versions = dict.fromkeys(
        (each["machine"], each["qemu"], each["linux"], each["modelled_as"] or "no model")
        for each in booted
    )
    parts = [
        _HEAD
        + f"{agree} of {len(booted)} boots agree in every stage; {judged} values, lines and "
        + "counters were judged.\n\n"
        + wide_table(("machine", "QEMU", "Linux", "modelled as"), versions)
        + _LIMITS.rstrip()
        + "\n"
    ]
    for machine in _MACHINES:
        own = [each for each in records if each["machine"] == machine]
        plain = [each for each in own if not each.get("governor")]
        recorded = [each for each in own if each.get("governor")]
        head = ("table", "what it tries", "registered", "stages", "entered", "date")
        parts.append(f"### {machine}\n\n" + wide_table(head, map(_row, plain)))
        if recorded:
            heads = ("table", "governor", "kernel", "registered", "stages", "decisions", "date")
            rows = map(_recorded_row, recorded)
            title = f"### Decisions recorded on {machine}\n\n"
            parts.append(title + _BUILT + wide_table(heads, rows))
    parts.append("\n".join(["### Limits of these boots", "", *_unconfirmed(booted), ""]))
    return "\n".join(parts)


def _row(each: dict[str, Any]) -> tuple[str, ...]:
    first = each["table"], each["why"]
    if "agree" not in each:
        return (*first, "", not_booted(each), "", each["date"])
    registered = ", ".join(each["registered"]) or "none"
    return (*first, registered, _stages(each), ", ".join(_entered(each)), each["date"])


def _recorded_row(each: dict[str, Any]) -> tuple[str, ...]:
    _, table, governor, suite = key_of(each)
    first = table, governor, f"built, {suite}" if suite else "Debian's"
    if "agree" not in each:
        return (*first, "", not_booted(each), "", each["date"])
    registered = ", ".join(each["registered"]) or "none"
    return (*first, registered, _stages(each), str(each["judged"].get(SELECTED, 0)), each["date"])


def _stages(each: dict[str, Any]) -> str:
    return stages_of(each, [name for name in STAGES if name in each["stages"]])


def _entered(each: dict[str, Any]) -> Iterator[str]:
    """Yields which of CPU 0's states and of the power domains' were entered and which refused."""
    rows = zip(each["registered"], each["entered"], each["refused_by_firmware"], strict=False)
    for name, entered, refused in rows:
        if entered or refused:
            yield name if not refused else f"{name} (refused)"
    for name, state, entered in each["domains"]:
        if entered:
            yield f"{name} S{state}"


def _unconfirmed(records: Sequence[dict[str, Any]]) -> list[str]:
    """Returns what is no table's fault and no boot confirmed, with the machines."""
    found: dict[str, set[str]] = {}
    for machine in _MACHINES:
        of_each = [set(each["unconfirmed"]) for each in records if each["machine"] == machine]
        for line in set[str]().union(*of_each):
            # what one kernel is configured without, another may have
            lacking = all(line in lines for lines in of_each) or not line.startswith("CONFIG_")
            if line.startswith(("CONFIG_", "times ", "power domains ")) and lacking:
                found.setdefault(line, set()).add(machine)
    return [f"- {line} ({', '.join(sorted(found[line]))})" for line in sorted(found)]
