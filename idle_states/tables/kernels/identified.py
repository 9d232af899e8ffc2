"""Which kernels' governor a source is."""

from collections.abc import Sequence

from ...base.model.findings import UsageError
from ...base.report.sheet import Lines, Rows, Section, Sheet
from ...base.wording import plural
from ..linux.governors import State, core
from ..linux.governors.identify import Identification, Kin, identify, trials
from ..linux.governors.source.model import model
from ..linux.grounds import source_remarks
from .said import value

_NAMED = 8


def identified(name: str) -> Identification:
    """Returns which releases decide as the source that --governor names.

    Raises UsageError without the compiled core, and for a governor in Python; Unreadable.
    """
    if name.endswith(".py"):
        raise UsageError(
            f"expected a governor's C file, to compare with those of kernels, found {name}"
        )
    if not core.available():
        raise UsageError("expected the compiled core, which decides for all kernels, found none")

    def ask(states: Sequence[State], hz: int, rows: bytes) -> bytes:
        own = model(name, states, hz)
        return bytes(own.replay(rows).packed)  # type: ignore[attr-defined]

    return identify(name, trials(ask))


def sheet(found: Identification) -> Sheet:
    """Returns the answer: the releases that are equal, or the nearest and what differs."""
    total = found.decisions
    kin, more = found.equal, tuple[Section, ...]()
    if found.equal:
        headline = f"{found.governor} decides as {_named(found.equal[0])}"
    else:
        nearest = found.nearest[0]
        headline = (
            f"{found.governor} decides as no kernel known here; {_named(nearest)} comes nearest: "
            f"{nearest.agree} of {total} decisions ({100 * nearest.agree / total:.2f} %)"
        )
        kin, more = found.nearest, _differs(found) if found.is_near else ()
    rows = tuple(
        (each.governor, f"{100 * each.agree / total:.2f} %", _some(each.kernels)) for each in kin
    )
    tried = (
        f"compared in {plural(total, 'decision')}, on tables and idle periods of this tool's own, "
        "HZ 250 and 1000: another history may tell kernels apart that these do not"
    )
    return Sheet(
        "Kernels",
        (headline,),
        (
            Section("Which kernel this is", (Lines((headline, "")),)),
            Section("", (Rows(("Governor", "Agree", "Linux"), rows, numbers=frozenset()),)),
            *more,
            Section("", (Lines((tried, *source_remarks(found.governor))),)),
        ),
    )


def _differs(found: Identification) -> tuple[Section, ...]:
    lines = [
        f"  {each.feature}: {value(each.nearest)} -> {value(each.value)} ({each.agree} of "
        f"{found.decisions} agree): {each.meaning}"
        for each in found.differs
    ]
    if not lines:
        lines = ["  no single feature of other releases brings it nearer"]
    elif found.differs[-1].agree < found.decisions:
        lines.append("  what else differs is not known")
    title = "Changed features of the nearest, one after the other"
    return (Section(title, (Lines(tuple(lines)),)),)


def _named(kin: Kin) -> str:
    last = f" to {kin.kernels[-1]}" if kin.kernels[1:] else ""
    return f"{kin.governor} of Linux {kin.kernels[0]}{last}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
