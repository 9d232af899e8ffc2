"""Checks tables against all rules.

TABLE may also be a directory, for all tables below it, or - for standard input. Without TABLE: the
tables of the current repository or folder, found by content; if there are none, all current
revisions.

A baseline lists today's findings, so that only new ones count: --write-baseline writes the file,
which is JSON and meant to be committed. Findings are recognised by rule and logical path."""

from functools import partial
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.model.findings import UsageError
from ..base.options import STANDARD_INPUT, Annotated, Option, Options
from ..tables.check.request import CheckRequest
from .output import FINDINGS, USUAL, Output
from .shown import USUAL as SHOWN
from .shown import Shown
from .status import UNREADABLE

if TYPE_CHECKING:
    from ..tables.check.answer import Checked


@dataclass(frozen=True, slots=True)
class CheckCommand:
    """Options of `check`.

    write_baseline  file that is to list today's findings
    fix             mend files; diff: show what that would do
    watch           answer at each save
    """

    request: CheckRequest
    write_baseline: Annotated[
        str | None,
        Option(
            "--write-baseline",
            "write the present findings to this file, for --baseline; together with --baseline, "
            "keep only its findings that are still there",
            metavar="FILE",
            after="--baseline",
        ),
    ] = None
    shown: Annotated[Shown, Options(after="--config-from")] = SHOWN
    out: Annotated[Output, Options(format=FINDINGS, after="--suppressed")] = USUAL
    fix: Annotated[
        bool,
        Option(
            "--fix",
            "correct what has one right answer (a mask that does not cover its value) in specs "
            "and C, and show the difference",
            only="mending",
        ),
    ] = False
    diff: Annotated[
        bool, Option("--diff", "show what --fix would do, and write nothing", only="mending")
    ] = False
    watch: Annotated[
        bool,
        Option(
            "--watch",
            "keep running; after each save of a file print which findings are new and which "
            "are fixed; Ctrl-C ends",
            only="mending",
        ),
    ] = False

    def __post_init__(self) -> None:
        if not self.watch:
            return
        if self.write_baseline or self.out.file or self.out.format != "text":
            raise UsageError(
                "expected text on standard output with --watch, found --write-baseline, -o or "
                "--format; run check without --watch for those"
            )
        if self.shown.statistics or STANDARD_INPUT in self.request.tables:
            raise UsageError(
                "expected findings of files with --watch, found --statistics or standard input"
            )

    def status(self, found: "Checked") -> int:
        """The exit status of an answer."""
        return self.shown.status_of(found.findings) if found.complete else UNREADABLE


TELLS_ENDS = True
"""It follows kernels that are not known to their ends itself."""


def run(given: CheckCommand) -> int:
    from ..tables.check.answer import check
    from .shown import note_rules

    request = given.request
    note_rules(request.criteria)
    if given.write_baseline:
        return _write_baseline(request, given.write_baseline)
    if given.watch:
        from ..tables.check.dtschema_program import staying
        from .check_watch import watch

        with staying():
            return watch(request, given.shown, partial(_report, given), given.status)
    found = check(request)
    if given.fix or given.diff:
        mended = _fix(found, write=given.fix)
        if given.diff:
            return given.status(found)
        found = check(request) if mended else found
    return _report(given, found)


def _report(given: CheckCommand, found: "Checked") -> int:
    """Prints an answer, and returns its exit status."""
    from ..tables.check.answer import check
    from ..tables.linux.platforms import without_effect
    from .shown import turned, unconfigured
    from .values import say

    request, out, show = given.request, given.out, given.shown
    if found.what:
        say(f"looked at {found.what}")
    for line in found.left_out:
        say(line)
    tables = [source.table for source in found.sources if source.table is not None]
    if note := without_effect(request.criteria.platform, tables):
        say(note)
    if found.without:
        say(f"device trees were not checked by the dt-schema binding: {found.without}")
    status = given.status(found)
    hides = ""
    if not status:
        again = unconfigured(request)
        hidden = show.failing(check(again).findings) if again else show.hidden(found.findings)
        hides = turned(hidden, request.acceptance)
    if out.html:
        from ..tables.check.sheet import sheet

        failing = show.failing(found.findings)
        out.page("check", sheet(found, failing, show.fail_on), found.inputs)
    if out.format == "text":
        known = [*found.remarks, *([hides] if hides else [])]
        out.text(show.text(found.findings, found.texts, found.size, out.style, known))
    else:
        from ..base.report.findings_text import FoundPart
        from ..tables.check.formats import render

        findings = show.annotated(out.format, found.findings)
        part = FoundPart(findings, found.inputs, found.texts)
        homes, kernels = found.homes, found.kernels
        out.document(render(out.format, "check", part, homes, kernels, show.fail_on))
        if hides:
            say(hides)
    return status


def _fix(found: "Checked", *, write: bool) -> int:
    """Shows what can be mended as a difference, and writes it; the number of masks."""
    from pathlib import Path

    from ..base.files import write_file
    from ..base.report import printer
    from ..base.report.diff import file_diff
    from ..base.wording import plural
    from ..tables.check.fix import fixes, left
    from .values import say

    made = fixes(found.sources, found.findings)
    show = printer.say_text if write else printer.verbatim
    for fix in made:
        show(file_diff(fix.file, fix.before, fix.after))
        if write:
            write_file(Path(fix.file), fix.after.encode("utf-8", "surrogateescape"))
    masks = sum(len(fix.places) for fix in made)
    if masks:
        done = "corrected" if write else "can be corrected with --fix"
        say(f"{plural(masks, 'mask')} in {plural(len(made), 'file')} {done}")
    else:
        say("nothing here can be corrected automatically")
    for place, macro in left(found.sources, found.findings, made):
        why = "--fix edits a mask on one line of a checked file whose value sets no other bits"
        say(f"{place}: left: {f'the macro {macro} makes it; change it by hand' if macro else why}")
    if not write and not masks and found.findings:
        say(f"{plural(len(found.findings), 'finding')} remain; check without --diff shows them")
    return masks


def _write_baseline(request: CheckRequest, file: str) -> int:
    """Writes the findings that count, of a baseline that is given those which it knows."""
    from pathlib import Path

    from ..base.dataclass import replace
    from ..base.files import write_file
    from ..base.report import printer
    from ..base.report.escapes.text import printable
    from ..base.wording import plural
    from ..tables.check import baseline
    from ..tables.check.answer import check

    known = request.acceptance
    before = baseline.read(Path(known.baseline)) if known.baseline else None
    findings = check(replace(request, acceptance=replace(known, baseline=None))).findings
    after = baseline.of(findings, file) if before is None else before.pruned(findings)
    write_file(Path(file), after.text())
    dropped = f", {len(before.known) - len(after.known)} dropped" if before else ""
    printer.say_text(f"{printable(file)}: {plural(len(after.known), 'finding')}{dropped}\n")
    return 0
