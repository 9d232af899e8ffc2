"""A review as a page: what kernels register before and after, machine by machine, then the findings
by the place that is to be edited."""

from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import replace
from ...base.model.findings import Severity, worst
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.sheet import (
    NO_NUMBERS,
    Cell,
    Drawing,
    FindingsPart,
    Line,
    Lines,
    Marked,
    Part,
    Picture,
    Rows,
    Section,
    Sheet,
)
from ...base.wording import joined, plural
from ...tables.diff.tables import ABSENT, registered_as
from ...tables.linux.driver_table import DriverState
from ...tables.linux.kernel_ranges import kernel_ranges
from ...tables.linux.platforms import AnyPlatform
from ...tables.linux.releases import release
from ...tables.pipeline import journey
from . import words as words
from .result import Review, Reviewed, TableChange

PICTURED = 24
"""Tables that have a picture; what a change does to others is listed alone."""


def sheet(review: Review, platform: AnyPlatform, *, notes: bool) -> Sheet:
    """Returns the page. platform: as of the request; notes: notes are shown, too."""
    sections, pictured = [Section("Commits", (_commits(review),))], 0
    for change in review.changes:
        of = f", commit {change.commit.short}" if change.commit else ""
        for table in change.tables:
            effects = [
                each.partition(": ") for kind in words.effects(table, review) for each in kind
            ]
            cells = tuple((what, how) if how else ("-", what) for what, _, how in effects)
            parts: list[Part] = [Rows(("What", "Change"), cells, "Effects", NO_NUMBERS)]
            if table.linux and pictured < PICTURED:
                pictured += 1
                parts.insert(0, _registered(table, platform))
            sections.append(Section(f"{words.title(table)}{of}", tuple(parts)))
    sections += [Section(head, (Lines((*some,)),)) for head, some in words.beside(review.changes)]
    for head, findings, folded in (
        ("New findings, by place to edit", review.new, False),
        ("Fixed", review.fixed, True),
    ):
        part = FindingsPart(findings, review.texts, notes, placed=True)
        sections.append(Section(head, (part,), folded=folded))
    claims = [words.claimed(claim) for change in review.changes for claim in change.claims]
    for head, some in (("Numbers in the message", claims), *words.grounds_of_all(review)):
        sections.append(Section(head, (Lines((*some,)),), folded=True))
    about = Section("What was reviewed", (Lines((words.looked_at(review),)),))
    one = review.commits == 1 and review.letters
    subject = one[0].subject if one else words.looked_at(review)
    return Sheet(f"Review: {subject}", tuple(_headline(review)), tuple(sections), about)


def _headline(review: Review) -> Iterator[Line]:
    """Yields the answer first: how many machines are affected, and how many errors that brings."""
    found = words.worst(review)
    errors = sum(f.counts and f.severity is Severity.ERROR for f in review.new)
    first = f"{_machines(review.changes)}, {plural(errors, 'error') if errors else 'no error'}."
    yield Marked(str(found.severity), first) if found else first
    yield words.verdict(review)
    if found:
        yield f"Worst: {words.sentence(found, review)}"


def _machines(changes: Sequence[Reviewed]) -> str:
    """Returns how many machines are affected: boards, of tables that are no board's the tables."""
    tables = [t for change in changes for t in change.tables if t.is_changed or t.differences]
    boards = {board for table in tables for board in table.source.boards}
    others = {table.source.name for table in tables if not table.source.boards}
    counts = [(len(boards), "machine"), (len(others), "table")]
    counted = joined([plural(count, noun) for count, noun in counts if count]) or "No machine"
    return f"{counted} {'are' if len(boards) + len(others) > 1 else 'is'} affected"


def _commits(review: Review) -> Rows:
    """Returns a row for each of several commits or mails; where each is reviewed by itself, with
    the verdict."""
    hash2change = {change.commit.hash: change for change in review.changes if change.commit}
    rows = []
    for number, letter in enumerate(review.letters, 1):
        name = str(number) if review.is_mailed else letter.commit[:9]
        cells: list[Cell] = ["-"] if hash2change else []
        if change := hash2change.get(letter.commit):
            verdict = words.verdict(replace(review, changes=(change,)))
            cells = [Marked(str(worst(change.new)), verdict)]
        date = str(letter.date.date()) if letter.date else "-"
        rows.append((f"{name} {letter.subject}", *cells, date))
    head = ("Commit", *(("Verdict",) if hash2change else ()), "Date")
    return Rows(head, (*rows,) if len(rows) > 1 else (), "In order", NO_NUMBERS)


def _registered(table: TableChange, platform: AnyPlatform) -> Picture:
    """Draws the states that kernels register before and after, kernels that do alike together."""
    kernels = [release(name) for name in table.kernels]
    before, after = (
        [one.driver.states for one in journey(source, platform, kernels).arrivals]
        if source
        else [()] * len(kernels)
        for source in (table.before, table.after)
    )
    groups: dict[tuple[tuple[DriverState, ...], ...], list[str]] = {}
    for name, *ends in zip(table.kernels, before, after, strict=True):
        groups.setdefault(tuple(ends), []).append(name)
    every = (state for sides in groups for side in sides for state in side)
    names = [*dict.fromkeys(s.name for s in sorted(every, key=lambda s: s.times_ns[::-1]))]
    rows, columns = list[BandRow](), dict[str, dict[str, Cell]]()
    for sides, same in groups.items():
        linux = f"Linux {kernel_ranges(same, table.kernels)}"
        old, new = ({state.name: registered_as(state) for state in side} for side in sides)
        moved = {
            name: f"{old.get(name, ABSENT)} → {new.get(name, ABSENT)}"
            for name in names
            if old.get(name) != new.get(name)
        }
        columns[linux] = {**old, **new, **{name: Marked("strong", moved[name]) for name in moved}}
        if moved:
            rows.append(_row(f"{linux}, before", names, old, {}))
        rows.append(_row(f"{linux}, {'after' if moved else 'as before'}", names, new, moved))
    caption = "States that kernels register, before and after"

    def draw() -> Drawing:
        drawn = pictures.bands(
            caption,
            "A row for kernels that register the same, before and after, with a band for each "
            "state; what differs is underlined.",
            rows,
            svg.Axis(0, max(1, len(names)), (), "states, by target residency"),
        )
        samples = [(svg.swatch_band(number), name) for number, name in enumerate(names)]
        return Drawing(drawn, (*samples, (svg.swatch_near("marked"), "differs")))

    lines = ((n, *(column.get(n, ABSENT) for column in columns.values())) for n in names)
    head = ("Exit latency/target residency", *columns)
    return Picture(draw, Rows(head, (*lines,), caption, NO_NUMBERS))


def _row(
    label: str, names: Sequence[str], name2times: Mapping[str, str], moved: Mapping[str, str]
) -> BandRow:
    """Returns a band for each state that is registered, in its place among all names. moved: name
    -> what becomes of a state that differs."""
    bands, marked = list[Band](), list[tuple[float, float, str]]()
    for place, name in enumerate(names):
        if times := name2times.get(name):
            text = f"{name} {times}"
            bands.append(Band(place, place + 1, (place,), name, text, f"{label}: {text}"))
        if name in moved:
            marked.append((place, place + 1, f"{label}: {name} {moved[name]}"))
    return BandRow(label, (*bands,), (*marked,))
