"""select, for people and for programs."""

from typing import Any

from ..compare.selection import Mapped, Selection
from ..linux.governors.steady import NO_LIMIT_US, Range
from .style import Style, listed


def text(selection: Selection, style: Style) -> str:
    """One block per map, then what never happens."""
    lines = [
        style(
            "strong", f"{selection.governor} of Linux {selection.release.name}, HZ {selection.hz}"
        ),
        "  " + ", ".join(_state(selection, i) for i in range(len(selection.states))),
    ]
    for title, ranges in _grouped(selection):
        lines += ["", style("strong", title)]
        lines += [f"  {_lengths(r):>18}  {_taken(selection, r)}" for r in ranges]
    lines.append("")
    if selection.unreachable:
        never = [selection.names[i] for i in selection.unreachable]
        lines.append(f"Never selected in any of these: {listed(never)}")
    if selection.level_with_snooze:
        level = [selection.names[i] for i in selection.level_with_snooze]
        lines.append(f"As cheap to leave as snooze: {listed(level)}")
    for number, (first, last) in selection.locked.items():
        lines.append(
            f"Once in {selection.names[number]}, idles of {first} to {last} us keep selecting it: "
            f"its wake-up of {selection.wake_ns} ns counts as idle time"
        )
    if selection.release.basis == "reconstructed":
        lines.append("This kernel's sources were reconstructed from patches, not read")
    return "\n".join(lines).rstrip("\n") + "\n"


def body(selection: Selection) -> dict[str, Any]:
    """The JSON body. Ranges of a map cover all lengths from 0 us; to_us null means without end."""
    return {
        "governor": selection.governor,
        "kernel": selection.release.name,
        "hz": selection.hz,
        "states": [
            {
                "index": number,
                "name": selection.names[number],
                "exit_latency_us": state.exit_ns // 1000,
                "target_residency_us": state.residency_ns // 1000,
                "polling": state.polling,
            }
            for number, state in enumerate(selection.states)
        ],
        "map": [
            {
                "tick": "stopped" if mapped.circumstances.tick_stopped else "running",
                "ended_by": "timer" if mapped.circumstances.timer_driven else "interrupt",
                "latency_limit_us": mapped.circumstances.limit_us,
                "from_us": r.first_us,
                "to_us": r.last_us,
                "state": selection.names[r.states[0]],
                "also": [selection.names[i] for i in r.states[1:]],
            }
            for mapped in selection.maps
            for r in mapped.ranges
        ],
        "unreachable": [selection.names[i] for i in selection.unreachable],
        "level_with_snooze": [selection.names[i] for i in selection.level_with_snooze],
        "lock_in": [
            {"state": selection.names[i], "from_us": first, "to_us": last}
            for i, (first, last) in selection.locked.items()
        ],
    }


def _state(selection: Selection, number: int) -> str:
    state = selection.states[number]
    polling = " polling" if state.polling else ""
    times = f"{state.exit_ns // 1000}/{state.residency_ns // 1000} us"
    return f"{number} {selection.names[number]} {times}{polling}"


def _grouped(selection: Selection) -> list[tuple[str, tuple[Range, ...]]]:
    """Maps with the same ranges under one title."""
    groups: dict[tuple[Range, ...], list[Mapped]] = {}
    for mapped in selection.maps:
        groups.setdefault(mapped.ranges, []).append(mapped)
    return [
        ("Idle ended by " + "; or by ".join(_title(m) for m in maps), ranges)
        for ranges, maps in groups.items()
    ]


def _title(mapped: Mapped) -> str:
    fixed = mapped.circumstances
    what = "the next timer" if fixed.timer_driven else "an interrupt, the next timer far away"
    tick = "stopped" if fixed.tick_stopped else "running"
    limit = "" if fixed.limit_us == NO_LIMIT_US else f", latency limit {fixed.limit_us} us"
    return f"{what}, tick {tick}{limit}"


def _lengths(r: Range) -> str:
    if r.last_us is None:
        return f"{r.first_us} us and more"
    return f"{r.first_us} us" if r.first_us == r.last_us else f"{r.first_us} to {r.last_us} us"


def _taken(selection: Selection, r: Range) -> str:
    names = [selection.names[i] for i in r.states]
    return names[0] if len(names) == 1 else f"{listed(names)} in turn"
