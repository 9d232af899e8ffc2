"""The best tables under several governors side by side, and how far each governor stays behind
what no governor decides: every idle period's length is known when it begins."""

from collections.abc import Sequence
from fractions import Fraction

from ...base.dataclass import dataclass, replace
from ...base.report.sheet import Lines, Rows, Section, Sheet, as_is, bullets
from ...base.wording import plural
from .judging import Judged
from .objective import LATENCY
from .sheet import energy_of, energy_text, meaning, p99_us, percent, sheet
from .tuning import Tuning

KNOWN = "lengths known"


@dataclass(frozen=True, slots=True)
class TunedRival:
    """A governor beside others.

    known  tuned with each idle period's length known; None of a simulation, where another table
           leads to other idle periods
    """

    tuning: Tuning
    known: Tuning | None

    @property
    def governor(self) -> str | None:
        """The governor; None where lengths are known."""
        settings = self.tuning.settings
        return None if settings is None else settings.governor

    def beyond(self, judged: Judged) -> Fraction | None:
        """Returns what a table costs more by the objective than the best with lengths known, as a
        share; None where that costs nothing or is not known."""
        least = None if self.known is None else self.known.tuned.best.value
        return judged.value / least - 1 if least else None


def rivals(tunings: Sequence[Tuning]) -> tuple[TunedRival, ...]:
    """Returns the governors beside each other; () of one."""
    if len(tunings) == 1:
        return ()
    known = next((each for each in tunings if each.settings is None), None)
    return tuple(TunedRival(each, known) for each in tunings)


def compared(tunings: Sequence[Tuning]) -> Sheet:
    """Returns the whole result of `tune` under several governors."""
    some = rivals(tunings)
    first = sheet(tunings[0])
    sections = [_table(some)]
    for each in some:
        own = sheet(each.tuning)
        name = each.governor or KNOWN
        sections += [
            replace(part, title=f"{name}: {part.title}") if isinstance(part.title, str) else part
            for part in own.sections
        ]
    names = ", ".join(each.governor or KNOWN for each in some)
    return replace(
        first,
        title=f"{tunings[0].name}, tuned under {names}",
        headline=tuple(_headline(each) for each in some),
        about=Section("Search", (Lines(_sought(tunings[0], names)),)),
        sections=tuple(sections),
    )


def _sought(tuning: Tuning, names: str) -> tuple[str, ...]:
    source = tuning.source
    return (
        f"{source.name}: {plural(tuning.gaps, 'idle gap')} ({source.exactness})",
        f"{tuning.name}: Linux {tuning.release.name}, {names}",
        f"objective: {meaning(tuning.tuned.objective)}",
    )


def _headline(each: TunedRival) -> str:
    best = " ".join(map(str, each.tuning.tuned.best.candidate))
    return f"{each.governor or KNOWN}: best {best} us"


def _table(some: Sequence[TunedRival]) -> Section:
    tuning = some[0].tuning
    names = tuning.table.names[1:]
    energy = energy_of(tuning)
    head = ["Governor", *names, f"{energy[0].upper()}{energy[1:]}", "Wake p99, us"]
    head += ["Present costs more", *(["+Present", "+Best"] if some[0].known else [])]
    rows = []
    for each in some:
        tuned = each.tuning.tuned
        cells = [each.governor or KNOWN, *map(str, tuned.best.candidate)]
        cells += [energy_text(tuned.best), p99_us(tuned.best), percent(tuned.regret(tuned.present))]
        if each.known is not None:
            cells += [percent(each.beyond(judged)) for judged in (tuned.present, tuned.best)]
        rows.append(tuple(cells))
    notes = [
        f"the best residencies in us under each governor ({meaning(tuning.tuned.objective)}), with "
        "their figures; present costs more: than that best one under the same governor"
    ]
    if some[0].known:
        what = "latency" if tuning.tuned.objective.kind == LATENCY else "cost"
        notes.append(
            f"{KNOWN}: no governor decides: each idle period goes to the deepest state whose "
            f"residency it reaches; +Present, +Best: the {what} beyond the best table there, "
            "which no governor can reach without knowing the future"
        )
    else:
        notes.append("no distance to an oracle: another table leads to other idle periods")
    numbers = frozenset(range(1, len(head)))
    table = Rows(tuple(map(as_is, head)), tuple(rows), "Governors", numbers, unbroken=True)
    return Section("Governors compared", (table, bullets(notes)))
