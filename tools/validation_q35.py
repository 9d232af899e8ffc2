"""The part of docs/validation.md that is about x86, from what nightly_q35 keeps."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from idle_states.change.boot.q35.machine import CPU
from idle_states.change.boot.q35.predict import STAGES

from .boot_words import not_booted, stages_of
from .wide_table import wide_table

_HEAD = """\
## x86

Each line is a boot of QEMU's machine q35 (emulated, not KVM) with Debian's kernel, whose processors
have the `_CST` or `_LPI` of `tools/q35_tables.py`: as firmware writes them, or meant to break the
kernel's reading. *tables*: the SSDT as the kernel was given it, byte for byte; *survives*: whether
the kernel crashes, and in which function on which CPU; *registered*: the driver, and of each CPU
the states' names, descriptions, times and whether they are on; *linux-messages*: what the kernel,
and ACPICA in it, say of C-states; *usage*: which states are entered while the guest works for some
seconds. Counts are not predicted: emulated time is too uneven.

"""
_LIMITS = """
MWAIT has no sub-states of any C-state there (CPUID leaf 5): intel_idle, where the kernel has it,
ends with ENODEV, without a word, and acpi_idle refuses entries of fixed hardware. KVM would hand
through the host's.

Emulation itself fails now and then: in 2026-11 Linux 6.12 with the table type-0 ended once in a
double fault in `__kmalloc()` when it started init, with flags that no processor has; booted three
times more, it did not. A boot that crashes unlike the prediction is therefore repeated, and the
line mentions it.

"""
_OF_STATE = re.compile(r"\w+: CPU \d+ (?:never reached it|was never led there)")


def text(records: Sequence[dict[str, Any]]) -> str:
    booted = [each for each in records if "agree" in each]
    judged = sum(sum(each["judged"].values()) for each in booted)
    agree = sum(each["agree"] for each in booted)
    names = {each["table"] for each in booted}
    crashed = sum(bool(each["crash"]) for each in booted)
    versions = dict.fromkeys(
        (each["qemu"], each["linux"], each["modelled_as"] or "no model") for each in booted
    )
    parts = [
        _HEAD
        + f"{agree} of {len(booted)} boots, of {len(names)} tables, agree in every stage; {judged} "
        + f"values, lines and counters were judged. In {crashed} the kernel crashed, as predicted "
        + "where the stages agree.\n\n"
        + wide_table(("QEMU", "Linux", "modelled as"), versions)
        + _LIMITS.rstrip()
        + "\n"
    ]
    for suite in dict.fromkeys(each["suite"] for each in records):
        own = [each for each in records if each["suite"] == suite]
        kernel = next((each["linux"].split()[1] for each in own if "agree" in each), "")
        rows = [_row(each) for each in own]
        head = ("table", "what it tries", "registered", "stages", "entered", "date")
        parts.append(f"### q35, Linux {kernel} ({suite})\n\n" + wide_table(head, rows))
    parts.append("\n".join(["### Limits of boots of q35", "", *_unconfirmed(booted), ""]))
    return "\n".join(parts)


def _unconfirmed(records: Sequence[dict[str, Any]]) -> list[str]:
    """Returns what is no table's fault, with the kernels' Debian releases."""
    found: dict[str, dict[str, None]] = {}
    for each in records:
        for line in each["unconfirmed"]:
            if not _OF_STATE.match(line):
                found.setdefault(line, {})[each["suite"]] = None
    return [f"- {line} ({', '.join(found[line])})" for line in sorted(found)]


def _row(each: dict[str, Any]) -> tuple[str, ...]:
    why = each["why"]
    if each["model"] != CPU and each["model"] not in why:
        why += f" ({each['model']})"
    first = each["table"], why
    if "agree" not in each:
        return (*first, "", not_booted(each), "", each["date"])
    counts = stages_of(each, STAGES)
    counts += f"; at the second attempt, after {each['before']}" if each.get("before") else ""
    return (*first, _registered(each), counts, ", ".join(_entered(each)), each["date"])


def _registered(each: dict[str, Any]) -> str:
    if each["crash"]:
        return f"**crash** in {each['crash']}"
    found = {
        cpu: ", ".join(_times(row) for row in rows) for cpu, rows in each["registered"].items()
    }
    if len(set(found.values())) == 1 and len(found) > 1:
        return next(iter(found.values()))
    return "; ".join(f"CPU {cpu}: {shown}" for cpu, shown in found.items()) or "none"


def _times(row: str) -> str:
    """Name, and latency/residency where they say anything."""
    name, *_, times = row.split()
    return name if name == "POLL" else f"{name} {times}"


def _entered(each: dict[str, Any]) -> Iterator[str]:
    """Yields the entries of the first CPU that has states."""
    for cpu, rows in each["registered"].items():
        entered = each["entered"].get(cpu, [])
        yield from (row.split()[0] for row, did in zip(rows, entered, strict=False) if did)
        break
