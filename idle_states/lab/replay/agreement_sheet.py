"""A replay's agreement, for people: the traced machine's counters, as traced and as modelled."""

from collections import Counter
from collections.abc import Iterator

from ...base.report.sheet import Line, Lines, Marked, Rows, Section, Worded
from ...base.wording import joined, plural
from .agreement import Agreement, StateAgreement
from .calibrated import Calibration
from .results import Account

_PAIRS = (
    ("Usage", "usage"),
    ("Time_us", "time_us"),
    ("Too deep", "above"),
    ("Too shallow", "below"),
)


def section(
    agreement: Agreement, calibration: Calibration | None, exactness: str, *, per_cpu: bool = False
) -> Section:
    """per_cpu: with the share of each CPU's periods that agree."""
    more = [
        f"CPU {cpu}: {agreed} of {periods} periods"
        for cpu, (periods, agreed) in agreement.cpus.items()
        if per_cpu
    ]
    if calibration is not None and calibration.unexplained:
        more.append(_unexplained(calibration))
    return Section(
        Worded("", "Agreement with the recording"),
        (
            Lines((verdict(agreement, exactness),)),
            Lines(tuple(more), first="  "),
            Lines((Marked("strong", f"{agreement.machine}: traced, and modelled"),)),
            _table(agreement),
        ),
    )


def verdict(agreement: Agreement, exactness: str) -> Line:
    """Returns whether the model decides as the traced kernel did, and the next step if not."""
    word, _, rest = agreement.verdict.partition(": ")
    if not agreement.untrue:
        return Marked("good", word), f": {rest}"
    if exactness == "exact":
        rest += " conform shows the first decision that differs."
    elif agreement.uncalibrated is None:
        rest += " Add --sysfs to calibrate."
    return Marked("warning", word), f": {rest}"


def _unexplained(calibration: Calibration) -> str:
    """Returns the periods that no inputs explain, in words."""
    names: Counter[str] = Counter()
    for each in calibration.unexplained:
        names[each.name] += each.count
    states = joined([f"{count} of {name}" for name, count in names.most_common()])
    left = calibration.periods - calibration.explained
    return (
        f"{plural(left, 'period')} for which no next timer, tick or load leads to the state "
        f"entered: {states}"
    )


def bounds(account: Account) -> Iterator[Section]:
    """Yields what the trace leaves open of each state, if anything."""
    some = account.bounds
    if any(each.least < each.most for each in some):
        rows = tuple(
            (each.name, *map(str, (each.least, each.most, each.least_us, each.most_us)))
            for each in some
        )
        head = ("State", "Least usage", "Most usage", "Least time_us", "Most time_us")
        title = "Range of possible results"
        yield Section(title, (Rows(head, rows, f"{account.machine}: least and most"),))


def _table(agreement: Agreement) -> Rows:
    """The states; with a column of the kernel's own usage where dumps have it."""
    counted = any(held.counted for held in agreement.states)
    head = ("State", *(name for name, _ in _PAIRS), "Off", *(("By the dumps",) if counted else ()))
    return Rows(head, tuple(_row(held, counted) for held in agreement.states))


def _row(held: StateAgreement, counted: bool) -> tuple[str, ...]:
    pairs = (
        f"{getattr(held.traced, counter)}, {getattr(held.modelled, counter)}"
        for _, counter in _PAIRS
    )
    off = "-" if held.off is None else f"{100 * held.off:+.1f} %"
    return held.traced.name, *pairs, off, *((str(held.counted),) if counted else ())
