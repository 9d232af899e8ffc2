"""`powertop --csv`: the share of time in each idle state. Steps of 0.1 %, and mean stays, fit no
latency.

Until 2.15 cells are parted by semicolons and titles stand between asterisks; later by commas, and a
title follows a number sign.

Source: powertop v2.9 to v2.15 and 6aa7c4b.
"""

import re

from ...measured import Measured, Stay
from .output import Told, ToolOutput

_TITLE = re.compile(r"\s*(?:\*\s+\*\s+\*|#)\s+(\S.*?)(?:\s+\*\s+\*\s+\*)?\s*")
_REPORT = "Processor Idle State Report"
_CELL = re.compile(r"\s*(\S{1,20}(?: (?:idle|polling|halt))?)(?: \((\S{1,20})\))?\s*")
_SHARE = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%\s*")
_HEAD = re.compile(r"\s*(Package|Core|CPU(?:\(OS\))?)(?: ?([0-9]{1,5}))?\s*")
_HARDWARE = re.compile(r"[pcm]c[0-9]{1,2}", re.IGNORECASE)
_AWAKE = ("C0", "C0 active", "Powered On")


def recognises(output: ToolOutput) -> bool:
    return any(
        _is_report(line) for line in output.data[: 4 << 20].decode("utf-8", "replace").split("\n")
    )


def _is_report(line: str) -> bool:
    return _REPORT in line and bool(_TITLE.fullmatch(line))


def read(output: ToolOutput, told: Told) -> Measured:
    inside = False
    delimiter = ";"
    cpus: list[int | None] = []
    stays: list[Stay] = []
    for number, line in output.numbered():
        if title := _TITLE.fullmatch(line):
            inside = title[1].strip() == _REPORT
            delimiter = "," if line.lstrip().startswith("#") else ";"
            cpus = []
            continue
        if not inside or delimiter not in line:
            continue
        cells = line.split(delimiter)
        if any(_HEAD.fullmatch(cell) for cell in cells):
            cpus = _columns(cells)
            continue
        stays += _row(output, cells, cpus, number)
    if not stays:
        raise output.refused(f"expected shares of idle states below {_REPORT!r}, found none")
    return output.measured(
        "powertop", "shares in steps of 0.1 %: no latency or energy follows from them", stays=stays
    )


def _columns(cells: list[str]) -> list[int | None]:
    """The CPU of each column of shares, None for a package's or core's: CPU;0 or CPU 0;;CPU 4."""
    found: list[int | None] = []
    kind = ""
    for text in map(str.strip, cells):
        match = _HEAD.fullmatch(text)
        number = text if match is None else match[2]
        kind = match[1] if match else kind
        if kind and number and number.isdecimal():
            found.append(int(number) if kind.startswith("CPU") else None)
            kind = ""
    return found


def _row(output: ToolOutput, cells: list[str], cpus: list[int | None], number: int) -> list[Stay]:
    """A state and its shares: of a package or core, or below the CPUs of the head."""
    name = _CELL.fullmatch(cells[0])
    if name is None or not any("%" in cell for cell in cells[1:]):
        return []
    state = name[2] or name[1]
    if name[1] in _AWAKE or state.lower() == "c0":
        return []
    hardware = bool(_HARDWARE.fullmatch(state))
    found = []
    for at, text in enumerate(cell for cell in cells[1:] if "%" in cell):
        match = _SHARE.fullmatch(text)
        if match is None:
            raise output.unexpected("a share in %", text.strip(), number)
        cpu = cpus[at] if at < len(cpus) else None
        share = output.number(match[1], number, "a share in %") / 100
        found.append(Stay(state.upper() if hardware else state, cpu, hardware, share=share))
    return found
