"""Readings of powercap's energy_uj: lines of a time of day in s, each followed by what
`grep . /sys/class/powercap/*/energy_uj` printed then; names and max_energy_range_uj may stand among
them.

    1769500012.504211
    /sys/class/powercap/intel-rapl:0/name:package-0
    /sys/class/powercap/intel-rapl:0/energy_uj:21440912
"""

import re

from ....base.model.measured import Energy, Measured
from .output import Facts, ToolOutput

TITLE = "readings of powercap"
SHORTEST_S = 0.1
"""Counters step about every 1 ms; over less time a step too many or too few is more than 1 %."""
SHORT = "windows of less than 100 ms"
WRAPPED = "windows in which a counter began again at 0"
RAPL = "RAPL may be a model of power, and updates about every 1 ms"
_TIME = re.compile(r"[0-9]{9,11}\.[0-9]{1,9}")
_LINE = re.compile(r"(?:/\S{0,200}/)?([\w:-]{1,60})/(energy_uj|max_energy_range_uj|name):(.{1,60})")


def recognises(output: ToolOutput) -> bool:
    return any(
        (match := _LINE.fullmatch(line.strip())) and match[2] == "energy_uj"
        for line in output.head.split("\n")
    )


def read(output: ToolOutput, facts: Facts) -> Measured:
    state, period_ns = facts.forced(output.shown, "a reading of powercap")
    names: dict[str, str] = {}
    before: dict[str, tuple[float, int]] = {}
    windows: list[tuple[str, float, float, int]] = []
    now: float | None = None
    for number, line in output.numbered():
        text = line.strip()
        if _TIME.fullmatch(text):
            later = output.number(text, number, "a time")
            if now is not None and later < now:
                raise output.unexpected("times to rise", text, number)
            now = later
        elif match := _LINE.fullmatch(text):
            zone, key, value = match[1], match[2], match[3]
            if key == "name":
                names[zone] = value
            elif key == "energy_uj":
                if now is None:
                    raise output.refused("expected a time before the first reading", number)
                energy = output.count(value, number, "energy_uj")
                start, old = before.get(zone, (now, energy))
                before[zone] = now, energy
                if now == start:
                    continue
                if energy < old:
                    output.leave_out(WRAPPED)
                elif now - start < SHORTEST_S:
                    output.leave_out(SHORT)
                else:
                    windows.append((zone, (energy - old) / 1e6, now - start, number))
        elif text:
            raise output.unexpected("a time in s, or .../energy_uj:N", text, number)
    if not windows and not output.left_out:
        raise output.refused("expected two readings of energy_uj at least, found fewer")
    return output.measured(
        "powercap",
        RAPL,
        energies=tuple(
            Energy(
                state,
                period_ns,
                joules / seconds,
                seconds,
                domain=names.get(zone, zone),
                where=output.place(number),
            )
            for zone, joules, seconds, number in windows
        ),
    )
