"""Logs of firmware and kernel: the errors they report and what they say of the machine. There is no
table in them: they name states without values."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Finding, Location, Severity, Unreadable
from ...base.reading import limits
from ...base.wording import few
from .source import File, Source

if TYPE_CHECKING:
    from ..linux.log import LinuxLog
    from ..skiboot.log import NamedState, OpalLog

_LINE = re.compile(
    rb"SLW: (?:Enabling|Disabling|No stop levels)|cpuidle-powernv ?: |cpuidle: using governor "
    rb"|Invalid psscr 0x|\] (?:OPAL|SkiBoot) \S+ starting"
)


def recognises(head: bytes, path: Path) -> bool:
    return b"\0" not in head[:4096] and bool(_LINE.search(head))


_PATCHED = re.compile(r"-p[0-9a-f]{7}|dirty")
_NAMED = 32
"""Greatest number of states named in one line of facts."""
_Fault = tuple[str, str, Location]
"""A rule's code, its message and its place."""
_RULES = {
    "IS701": ("logged-invalid-state", Severity.ERROR),
    "IS702": ("logged-only-snooze", Severity.ERROR),
    "IS703": ("logged-no-stop-levels", Severity.ERROR),
    "IS704": ("logged-no-deep-states", Severity.WARNING),
    "IS705": ("logged-forced-state", Severity.WARNING),
    "IS706": ("logged-missing-property", Severity.ERROR),
    "IS707": ("logged-nvram-mask", Severity.WARNING),
}


def read(file: File) -> list[Source]:
    """One source for the last boot in the log, without a table, and those of the device trees that
    were printed in it."""
    from ..linux import log as linux_log
    from ..skiboot import log as opal_log

    opal = opal_log.read(file.data)
    linux = linux_log.read(file.data)
    faults: list[_Fault] = []
    facts: list[tuple[str, str]] = []
    if opal:
        faults += _of_firmware(opal[-1], file.shown)
        facts += _firmware_facts(opal[-1])
    if linux:
        faults += _of_kernel(linux[-1], file.shown)
        facts += _kernel_facts(linux[-1])
    findings = [Finding(code, *_RULES[code], message, where) for code, message, where in faults]
    more = sum(boots[-1].more for boots in (opal, linux) if boots)
    if more:
        facts.append(("not shown", f"{more} more lines about idle states"))
    trees = list(_printed_trees(file, findings))
    texts = {file.shown: _lines(file.text)} if len(file.data) <= limits.LOG_SHOWN_BYTES else {}
    log = Source(
        file.shown, file.shown, file.sha256, None, tuple(findings), texts=texts, facts=tuple(facts)
    )
    return [log, *trees]


def _printed_trees(file: File, findings: list[Finding]) -> Iterator[Source]:
    """The device trees that dtc printed into a console's log. findings: takes their faults."""
    from . import format_dts

    end = 0
    for _ in range(limits.LOG_BOOTS):
        start = file.data.find(b"\n/dts-v1/;", end) + 1
        end = file.data.find(b"\n};", start) + 3
        if not start or end < start:
            return
        above = b"\n" * file.data.count(b"\n", 0, start)
        try:
            found = format_dts.read(File(file.path, above + file.data[start:end], file.shown))
        except Unreadable as error:
            findings += error.findings
            continue
        yield from (replace(source, sha256=file.sha256) for source in found)


def _lines(text: str) -> str:
    """The text without a console's other ends of lines, which line numbers do not count."""
    return "\n".join(" ".join(line.splitlines()) for line in text.split("\n"))


def _of_firmware(log: "OpalLog", file: str) -> Iterator[_Fault]:
    from ..skiboot.log import masked_by_nvram

    if log.no_levels:
        text = "firmware found no stop levels enabled; it exports no state"
        yield "IS703", text, _at(file, log, "SLW: No stop levels available")
    if log.no_deep:
        text = "firmware could not set up the wake-up from deep states; they are lost"
        yield "IS704", text, _at(file, log, "Disabling deep stop states")
    for state in log.forced:
        text = f"{state.name} is exported against OPAL's own mask, because NVRAM says so"
        yield "IS705", text, Location(state.name, file, state.line, 1)
    unsure = log.nvram_mask is None and _PATCHED.search(log.version or "")
    unless = f", unless a patch of this build ({log.version}) changes it" if unsure else ""
    for state in masked_by_nvram(log):
        text = "withheld by NVRAM's opal-stop-state-disable-mask: OPAL's own mask leaves its level"
        yield "IS707", f"{text} enabled{unless}", Location(state.name, file, state.line, 1)


def _of_kernel(log: "LinuxLog", file: str) -> Iterator[_Fault]:
    for refused in log.refused:
        text = f"the kernel refuses PSSCR {refused.psscr:#018x}: {refused.reason}"
        yield "IS701", text, Location(f"psscr {refused.psscr:#x}", file, refused.line, 1)
    if log.only_snooze:
        text = "the kernel registered no state of the table; idle CPUs only snooze"
        yield "IS702", text, _at(file, log, "Only Snooze")
    if log.no_full_loss:
        text = "the kernel dropped the states that lose full context; firmware does not take the"
        yield "IS704", f"{text} registers they need", _at(file, log, "lose full context")
    for name in log.missing:
        text = f"the kernel did not find {name}; it takes no state of the tree"
        yield "IS706", text, _at(file, log, name)


def _firmware_facts(log: "OpalLog") -> Iterator[tuple[str, str]]:
    if log.version:
        yield "firmware", f"skiboot {log.version}"
    if log.generation or log.pvr is not None:
        pvr = "" if log.pvr is None else f" (PVR {log.pvr:#010x})"
        yield "processor", f"{log.generation or 'unknown'}{pvr}"
    if log.enabled:
        yield "exports", _names(log.enabled)
    if log.disabled:
        yield "withholds", _names(log.disabled)
    if log.nvram_mask:
        yield "nvram", f"opal-stop-state-disable-mask {log.nvram_mask:#x}"


def _names(states: "Sequence[NamedState]") -> str:
    return few([state.name for state in states], _NAMED)


def _kernel_facts(log: "LinuxLog") -> Iterator[tuple[str, str]]:
    if log.version:
        yield "kernel", f"Linux {log.version}"
    if log.governor:
        yield "governor", log.governor
    for what, stop in (("default", log.default_stop), ("deepest", log.deepest_stop)):
        if stop is not None:
            yield what, f"PSSCR {stop.psscr:#x}, mask {stop.mask:#x}"


def _at(file: str, log: "OpalLog | LinuxLog", text: str) -> Location:
    """Place of the line with this text; if there is none, of the log's first line about idle
    states."""
    for message in log.messages:
        if text in message.text:
            return Location(text, file, message.line, 1)
    return Location(text, file, log.messages[0].line if log.messages else None, 1)
