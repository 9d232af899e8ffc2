"""How true a replay is, for people: the traced machine's counters, as traced and as modelled."""

from ..replay.agreement import Agreement, StateAgreement
from .escapes.text import printable
from .style import Style
from .tables import right_aligned

TITLE = "How true this is"
_PAIRS = (
    ("USAGE", "usage"),
    ("TIME_US", "time_us"),
    ("TOO DEEP", "above"),
    ("TOO SHALLOW", "below"),
)


def section(agreement: Agreement, style: Style, *, per_cpu: bool = False) -> str:
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
    title = f"{printable(agreement.machine)}: traced, and modelled"
    printed = [tuple(map(printable, row)) for row in rows]
    return "\n".join([*lines, style("strong", title), right_aligned(head, printed)])


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
