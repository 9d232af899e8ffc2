"""How true a replay is, for people: the traced machine's counters, as traced and as modelled."""

from collections import Counter
from collections.abc import Sequence

from ..replay.agreement import Agreement, StateAgreement
from ..replay.calibrated import Calibration, StateBounds
from ..wording import joined, plural
from .escapes.text import printable
from .style import Style
from .tables import right_aligned

TITLE = "How true this is"
BOUNDS_HEAD = ("STATE", "LEAST USAGE", "MOST USAGE", "LEAST TIME_US", "MOST TIME_US")
_PAIRS = (
    ("USAGE", "usage"),
    ("TIME_US", "time_us"),
    ("TOO DEEP", "above"),
    ("TOO SHALLOW", "below"),
)


def section(
    agreement: Agreement, calibration: Calibration | None, style: Style, *, per_cpu: bool = False
) -> str:
    """per_cpu: with the share of each CPU's periods that agree."""
    kind = "warning" if agreement.untrue else "good"
    word, _, rest = agreement.verdict.partition(": ")
    head, rows = head_and_rows(agreement)
    lines = [f"{style(kind, word.upper())}: {rest}"]
    if per_cpu:
        lines += [
            f"  CPU {cpu}: {agreed} of {periods} periods"
            for cpu, (periods, agreed) in agreement.cpus.items()
        ]
    if calibration is not None and calibration.unexplained:
        lines.append(f"  {unexplained(calibration)}")
    title = f"{printable(agreement.machine)}: traced, and modelled"
    printed = [tuple(map(printable, row)) for row in rows]
    return "\n".join([*lines, style("strong", title), right_aligned(head, printed)])


def unexplained(calibration: Calibration) -> str:
    """Which periods no inputs explain, in words."""
    names: Counter[str] = Counter()
    for _, _, name, count in calibration.unexplained:
        names[name] += count
    states = joined([f"{count} of {name}" for name, count in names.most_common()])
    left = calibration.periods - calibration.explained
    return (
        f"{plural(left, 'period')} for which no next timer, tick or load leads to the state "
        f"entered: {states}"
    )


def bounds(of_states: Sequence[StateBounds], style: Style) -> str:
    """What the trace leaves open of each state."""
    title = style("strong", "What the trace leaves open: least and most")
    return title + "\n" + right_aligned(BOUNDS_HEAD, bounds_rows(of_states))


def bounds_rows(of_states: Sequence[StateBounds]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            printable(each.name),
            *map(str, (each.least, each.most, each.least_us, each.most_us)),
        )
        for each in of_states
    )


def head_and_rows(agreement: Agreement) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The table of states; with a column of the kernel's own usage where dumps have it."""
    counted = any(held.counted for held in agreement.states)
    head = ("STATE", *(name for name, _ in _PAIRS), "OFF", *(("BY THE DUMPS",) if counted else ()))
    return head, tuple(_row(held, counted) for held in agreement.states)


def _row(held: StateAgreement, counted: bool) -> tuple[str, ...]:
    pairs = (
        f"{getattr(held.traced, counter)}, {getattr(held.modelled, counter)}"
        for _, counter in _PAIRS
    )
    off = "-" if held.off is None else f"{100 * held.off:+.1f} %"
    return held.traced.name, *pairs, off, *((str(held.counted),) if counted else ())
