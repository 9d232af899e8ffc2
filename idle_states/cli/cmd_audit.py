"""Audits what comes from the field: device trees, firmware images, dumps, collections.

FILE is anything the tool can read; a DIR that is not a device tree is searched for such files; -
reads names from standard input, one a line; --tree takes the boards of a kernel's or a boot
loader's sources. The report on one input is complete: the machine, what its firmware exports and
withholds, the nearest packaged table, what kernels register, the verdicts of fwts and op-test, and
all findings; for a running machine also why states are unused, and for a collection how it differs
from the model of its kernel. The report on many inputs shows what they share and which ones stand
out; for boards, each table once with its boards.

An input that cannot be read is a finding of its own and does not stop the others. Exits 1 for
findings at or above --fail-on, 3 if an input cannot be read or there is none."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass, replace
from ..base.model.findings import UsageError
from ..base.options import Annotated, Option, Options
from ..tables.audit.request import AuditRequest
from .output import USUAL, Output, formats
from .shown import USUAL as SHOWN
from .shown import Shown

if TYPE_CHECKING:
    from pathlib import Path

    from ..tables.audit.audit import Setting, Text
    from ..tables.audit.audited import Audited
    from ..tables.sources.walk import Walk


@dataclass(frozen=True, slots=True)
class AuditCommand:
    """Options of `audit`.

    summary  only the summary; pages: a page for each input; None of both: as many as there are
    parquet  file of a row per table; sqlite: of a database
    """

    request: AuditRequest
    summary: Annotated[
        bool, Option("--summary", "print only the summary, as for many inputs", after="--against")
    ] = False
    pages: Annotated[
        bool,
        Option("--pages", "print a page for each input, even if there are many", after="--summary"),
    ] = False
    parquet: Annotated[
        "Path | None",
        Option(
            "--parquet",
            "write a Parquet file with one row per table",
            metavar="FILE",
            after="--scheduler",
        ),
    ] = None
    sqlite: Annotated[
        "Path | None",
        Option(
            "--sqlite",
            "write an SQLite database of inputs, states and findings",
            metavar="FILE",
            after="--parquet",
        ),
    ] = None
    shown: Annotated[Shown, Options(suppressed=None, statistics=None, after="--config-from")] = (
        SHOWN
    )
    out: Annotated[
        Output,
        Options(
            format=replace(
                formats("json", "jsonl", "sarif", "github", "junit"),
                help="jsonl: a line per table, as soon as it is audited",
                after="--notes",
            ),
            after="--format",
        ),
    ] = USUAL

    def __post_init__(self) -> None:
        self.out.expect_apart("--parquet", self.parquet)
        self.out.expect_apart("--sqlite", self.sqlite)
        if self.request.resume is None:
            return
        self.out.expect_apart("--resume", self.request.resume)
        if self.pages or self.sqlite or self.out.format not in ("text", "jsonl"):
            other = "--sqlite" if self.sqlite else f"--format {self.out.format}"
            what = "--pages" if self.pages else other
            raise UsageError(f"expected a summary or --format jsonl with --resume, found {what}")

    def setting(self) -> "Setting":
        """The settings of the run, and what its reports take of each input. Raises as setting_of
        does."""
        from ..tables.audit.answer import setting_of

        texts: dict[str, Text] = {"text": "", "json": "document", "jsonl": "line"}
        form = self.out.format
        text: Text = "line" if self.request.resume else texts.get(form, "")
        pages = (form == "text" or self.out.html) and (self.pages or self.request.against)
        sources = bool(pages) or form == "sarif"
        everything = sources or form not in texts or self.sqlite is not None
        setting = setting_of(self.request)
        return replace(setting, everything=everything, sources=sources, text=text)


TELLS_ENDS = True
"""It follows kernels that are not known to their ends itself."""


def run(given: AuditCommand) -> int:
    from functools import partial
    from pathlib import Path

    from ..base.report import printer
    from ..base.wording import joined, plural
    from ..tables.audit import json_report as audit_json
    from ..tables.audit import whole_report as audit_whole
    from ..tables.audit.answer import audit, shown_name
    from ..tables.audit.summary import FleetSummary
    from ..tables.check import formats
    from ..tables.sources.walk import Walk
    from .missing_core import note_missing_core
    from .shown import note_rules
    from .status import UNREADABLE
    from .values import say

    request, out, show = given.request, given.out, given.shown
    note_rules(request.criteria)
    if request.governor and not request.scheduler:
        note_missing_core()
    setting, walk = given.setting(), Walk()
    summary = FleetSummary(select=bool(request.criteria.rules.select))
    if request.passed_over:
        walk.report = lambda what, path: say(f"skipped: {what}: {path}")
    against = shown_name(request, setting)
    view = audit_whole.View(
        given.summary or request.resume is not None, given.pages, show.notes, against
    )
    hiding = _Hiding(show)
    adds, writers = [summary.add, hiding.add], ExitStack()
    if request.since:
        from ..tables.audit.since import since

        summary.since = since(request.since)
        adds.append(summary.since.add)
    if given.parquet:
        from ..tables.audit import parquet

        adds.append(writers.enter_context(parquet.writer(given.parquet)))
    if given.sqlite:
        from ..tables.audit import sqlite

        adds.append(writers.enter_context(sqlite.writer(given.sqlite)))
    results = _passed(audit(request, setting, walk, say), adds, writers, walk)
    if out.html:
        results = audit_whole.to_html(results, view, walk, summary, Path(out.html))

    def closing() -> Iterator[str]:
        if not (summary.unreadable_count or summary.failed or show.status(summary.worst)):
            yield from hiding.lines(request, summary.inputs)

    if out.format == "text":
        parts = audit_whole.text_parts(results, view, walk, summary, out.style)
        counted = (f"{each}\n" for each in [summary] if each.inputs)
        printer.text_parts(chain(parts, closing(), counted), out.file)
    elif out.format == "jsonl":
        printer.document_parts(audit_json.lines(results, setting), out.file)
    elif out.format == "json":
        document = audit_json.document(results, summary, setting)
        printer.document_parts(document, out.file)
    else:
        each_found = audit_json.found(results, partial(show.annotated, out.format))
        parts = formats.parts(out.format, "audit", each_found, {}, show.fail_on)
        printer.document_parts(parts, out.file)
    if out.format != "text":
        for line in closing():
            say(line.rstrip())
    for change in request.acceptance.changes():
        say(f"{change.location}: {change.message}")
    if summary.not_looked_at:
        say(
            f"not audited: {summary.not_looked_at} of {plural(summary.inputs, 'input')}, "
            "because the cluster went away; --format jsonl lists them, --resume FILE continues "
            "from the others"
        )
    for what, count in walk.not_searched:
        say(f"not searched: {what}: {count}")
    if not summary.inputs:
        others = [f"{what}: {count}" for what, count in sorted(walk.passed_over.items())]
        found = f", found none ({'; '.join(others)})" if others else ", found none"
        below = joined([*request.inputs, *request.trees])
        say(f"expected inputs below {below}{found}")
    if summary.unreadable_count or summary.failed or not summary.inputs:
        return UNREADABLE
    return show.status(summary.worst)


class _Hiding:
    """Counts what the configuration hides of findings that make the exit status 1."""

    def __init__(self, show: "Shown") -> None:
        self._show = show
        self._suppressed = 0

    def add(self, found: "Sequence[Audited]") -> None:
        from ..tables.audit.alike import Alike

        if not isinstance(found, Alike):
            self._suppressed += sum(self._show.hidden(each.findings) for each in found)

    def lines(self, request: "AuditRequest", inputs: int) -> Iterator[str]:
        """Yields a closing line, if anything is hidden. Rules that the configuration leaves out
        are asked in a second audit, unless that would take long."""
        from ..base.reading.opening import STANDARD_INPUT
        from ..tables.audit.answer import audit, setting_of
        from ..tables.audit.fleet import FEW
        from ..tables.sources.walk import Walk
        from .shown import turned, unconfigured

        again, count = unconfigured(request), self._suppressed
        if again and (STANDARD_INPUT in request.inputs or inputs >= FEW):
            rules = " and ".join(request.criteria.rules.configured)
            hides = f"the configuration sets {rules}; findings that it hides are not counted"
            yield f"{hides}: --config none shows them\n"
        elif again:
            results = audit(replace(again, resume=None), setting_of(again), Walk())
            count = sum(self._show.failing(e.findings) for found in results for e in found)
        if line := turned(count, request.acceptance):
            yield f"{line}\n"


def _passed(
    results: "Iterable[Sequence[Audited]]",
    adds: "Sequence[Callable[[Sequence[Audited]], None]]",
    writers: ExitStack,
    walk: "Walk",
) -> "Iterator[Sequence[Audited]]":
    """Yields the results, each once all have taken it."""
    from .progress import Count

    with writers, Count("audited", lambda: walk.expected) as progress:
        for found in results:
            for add in adds:
                add(found)
            progress.advance()
            yield found
