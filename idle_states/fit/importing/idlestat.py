"""idlestat's CSV: how long CPUs stayed in states, and how often; no latency.

Its columns over and under count estimates of the idle period: over, and the CPU woke up before the
state's residency, so that the state was too deep; under, and it was too shallow.

Source: idlestat's csv_report.c and idlestat.c.
"""

from ...measured import Measured, Stay
from .collected import counted
from .output import Told, ToolOutput

_NAMES = "C-state,min (us),max (us),avg (us),total (us),hits,over,under".split(",")
_WIDTH = 3 + len(_NAMES)
SHARED = "states of clusters and cores, which are the CPUs' together"


def recognises(output: ToolOutput) -> bool:
    return any(_cells(line)[3:] == _NAMES for line in output.head.split("\n"))


def read(output: ToolOutput, told: Told) -> Measured:
    stays: list[Stay] = []
    left_out: dict[str, int] = {}
    begun = False
    cpu: int | None = None
    for number, line in output.numbered():
        cells = _cells(line)
        if cells[3:] == _NAMES:
            begun = True
        elif begun and len(cells) == 1 and "Table" in line:
            # of P-states, of wake-ups
            begun = False
        elif begun and line.strip():
            if len(cells) > _WIDTH:
                message = f"expected at most {_WIDTH} columns, found {len(cells)}"
                raise output.refused(message, number)
            name = cells[2].removeprefix("cpu") if len(cells) > 2 else ""
            if name:
                cpu = output.count(name, number, "cpu")
            elif any(cells[:2]):
                cpu = None
            if len(cells) < _WIDTH or not cells[3]:
                continue
            total = output.time_ns(cells[7], number, "total", "us")
            hits, over, under = (
                output.count(text or "0", number, what)
                for text, what in zip(cells[8:], ("hits", "over", "under"), strict=True)
            )
            if cpu is None:
                counted(left_out, SHARED)
                continue
            stays.append(
                Stay(cells[3][:64], cpu, time_ns=total, usage=hits, above=over, below=under)
            )
    if not stays:
        raise output.refused("expected rows of CPUs and their states, found none")
    return output.measured("idlestat", stays=stays, left_out=left_out)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")]
