"""cpupower: `idle-info`, also -o, which says what is advertised and was entered, and `monitor`.

Labels follow the locale; English ones are read. Times are microseconds.

Source: tools/power/cpupower of Linux 5.10 to 7.1.
"""

import re
from collections.abc import Sequence

from ...measured import Claimed, Measured, Stay
from .output import Told, ToolOutput

BROKEN = "shares that cpupower could not read (*****)"
_CPU = re.compile(r"analyzing CPU ([0-9]{1,5}):?\s*")
_STATE = re.compile(r"(\S.{0,40}?)(?: \(DISABLED\) ?)?:\s*")
_FIELD = re.compile(r"(Flags/Description|Latency|Residency|Usage|Duration|Idle):\s?(.*)")
_PROC = re.compile(
    r"\s+(\S{1,40}):\s+type\[\S*\] promotion\[\S*\] demotion\[\S*\] latency\[(\S*)\]"
    r"(?: residency\[(\S*)\])? usage\[(\S*)\] duration\[(\S*)\]\s*"
)
_TOPOLOGY = ("PKG", "CORE", "CPU")
_MONITOR = re.compile(r"\s*(?:PKG\s*\|\s*CORE\s*\|\s*)?CPU\s*\|.*\|.*")


def recognises(output: ToolOutput) -> bool:
    return any(
        line.startswith(("CPUidle driver:", "analyzing CPU ")) or _MONITOR.fullmatch(line)
        for line in output.head.split("\n")
    )


def read(output: ToolOutput, told: Told) -> Measured:
    monitor = any(_MONITOR.fullmatch(line) for line in output.head.split("\n"))
    return _monitor(output) if monitor else _Info(output).read()


class _Info:
    def __init__(self, output: ToolOutput) -> None:
        self.output = output
        self.claims: dict[str, Claimed] = {}
        self.stays: list[Stay] = []
        self.notes: list[str] = []
        self.cpu: int | None = None
        self.state: tuple[str, int] | None = None
        self.fields: dict[str, float] = {}

    def read(self) -> Measured:
        for number, line in self.output.numbered():
            if match := _CPU.fullmatch(line):
                self._end()
                self.cpu = int(match[1])
            elif line.startswith(("CPUidle driver:", "CPUidle governor:")):
                self.notes.append(line.strip()[:120].replace("CPUidle ", "", 1))
            elif match := _PROC.fullmatch(line):
                self._end()
                self.state = (match[1], number)
                names = ("Latency", "Residency", "Usage", "Duration")
                for name, text in zip(names, match.groups()[1:], strict=True):
                    if text is not None:
                        self._field(name, text, number)
            elif match := _FIELD.fullmatch(line):
                if self.state is None and match[1] != "Flags/Description":
                    message = "expected the name of a state above its times, found none"
                    raise self.output.refused(message, number)
                if match[1] not in ("Flags/Description", "Idle"):
                    self._field(match[1], match[2].strip(), number)
            elif line[:1].strip() and self.cpu is not None and (match := _STATE.fullmatch(line)):
                self._end()
                self.state = (match[1], number)
        self._end()
        if not self.claims:
            raise self.output.refused("expected idle states with their latencies, found none")
        return self.output.measured(
            "cpupower idle-info", *self.notes, stays=self.stays, claims=self.claims.values()
        )

    def _field(self, name: str, text: str, number: int) -> None:
        self.fields[name] = float(self.output.count(text, number, f"{name} in us"))

    def _end(self) -> None:
        state, fields = self.state, self.fields
        self.state, self.fields = None, {}
        if state is None or not fields:
            return
        name, number = state
        latency, residency = fields.get("Latency"), fields.get("Residency")
        claim = Claimed(
            name,
            None if latency is None else latency * 1000,
            None if residency is None else residency * 1000,
        )
        if self.claims.setdefault(name, claim) != claim:
            self.notes.append(f"line {number}: CPU {self.cpu} advertises other times than before")
        usage, duration = fields.get("Usage"), fields.get("Duration")
        if usage is not None or duration is not None:
            self.stays.append(
                Stay(
                    name,
                    self.cpu,
                    time_ns=None if duration is None else duration * 1000,
                    usage=None if usage is None else int(usage),
                )
            )


def _monitor(output: ToolOutput) -> Measured:
    monitors: Sequence[str] = ()
    columns: list[tuple[str, str]] = []
    stays: list[Stay] = []
    broken = 0
    above = ""
    for number, line in output.numbered():
        if _MONITOR.fullmatch(line):
            monitors = [part.strip(" |") for part in above.split("||")]
            columns = _columns(output, line, monitors, number)
        elif columns and "|" in line:
            cells = [cell.strip() for cell in re.split(r"\|+", line)]
            if len(cells) != len(columns):
                message = f"expected {len(columns)} columns, found {len(cells)}"
                raise output.refused(message, number)
            at = next(i for i, (_, name) in enumerate(columns) if name == "CPU")
            cpu = output.count(cells[at], number, "CPU")
            for (monitor, name), text in zip(columns, cells, strict=True):
                if name in _TOPOLOGY or monitor == "Mperf":
                    continue
                if text.startswith("*"):
                    broken += 1
                    continue
                share = output.number(text, number, f"a share of {name} in %") / 100
                stays.append(Stay(name, cpu, monitor != "Idle_Stats", share=share))
        above = line
    if not stays and not broken:
        raise output.refused("expected rows of CPUs below the states, found none")
    return output.measured(
        "cpupower monitor", stays=stays, left_out={BROKEN: broken} if broken else {}
    )


def _columns(
    output: ToolOutput, line: str, monitors: Sequence[str], number: int
) -> list[tuple[str, str]]:
    """Monitor and name of each column. The topology's stand before the first monitor's."""
    parts = line.split("||")
    if len(parts) != len(monitors):
        message = f"expected the names of {len(parts)} monitors in the line above, found "
        raise output.refused(f"{message}{len(monitors)}", number)
    return [
        (monitor, name.strip())
        for monitor, part in zip(monitors, parts, strict=True)
        for name in part.split("|")
    ]
