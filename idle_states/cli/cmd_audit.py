"""Audits what comes from the field: device trees, firmware images, dumps, collections.

FILE is anything the tool can read; a DIR that is no device tree is searched for them; - reads names
from standard input, one a line; --tree takes the boards of a kernel's or a loader's sources. Of one
input everything is said: the machine, what its firmware exports and withholds, the nearest packaged
table, what kernels register, what fwts and op-test would say, and all findings. Of many, what they
have in common and which stand out; of boards, each table once with those that have it.

An input that cannot be read is a finding of its own; the others go on. Exits 1 for findings at or
above --fail-on, 3 if an input cannot be read or there is none."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..audit.audited import Audited
    from ..audit.request import AuditRequest
    from ..audit.summary import FleetSummary
    from .findings_options import Shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .findings_options import add_accepted, add_criteria, add_severities
    from .options import add_html, add_hz, add_output

    parser.add_argument("inputs", metavar="FILE|DIR", nargs="*", help="- for names on stdin")
    parser.add_argument(
        "--tree",
        metavar="DIR",
        action="append",
        default=[],
        help="all boards of a tree of device-tree sources (Linux, U-Boot, Zephyr)",
    )
    parser.add_argument("--against", metavar="OTHER", help="a tree to compare each input with")
    parser.add_argument(
        "--summary", action="store_true", help="only the summary, as for many inputs"
    )
    parser.add_argument(
        "--pages", action="store_true", help="a page for each input, however many there are"
    )
    parser.add_argument(
        "--governor", metavar="G", help="menu, teo or ladder: say what it selects, by kernel"
    )
    add_hz(parser)
    parser.add_argument(
        "--redact", action="store_true", help="without serial numbers and MAC addresses"
    )
    parser.add_argument("--jobs", metavar="N", type=int, help="processes (default: one per CPU)")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on a Dask cluster that sees the same files"
    )
    parser.add_argument("--parquet", metavar="FILE", help="a row per table, for further work")
    add_criteria(parser)
    add_accepted(parser)
    add_severities(parser)
    parser.add_argument(
        "--format",
        choices=("text", "json", "jsonl", "sarif", "github", "junit"),
        default="text",
        help="jsonl: a line per table, as they are done",
    )
    add_html(parser)
    add_output(parser)
    # None: the configuration is asked first, see configured()
    parser.set_defaults(platform=None, fail_on=None, format=None)


def request(arguments: argparse.Namespace) -> "AuditRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot, Unreadable."""
    from ..audit.request import AuditRequest
    from .findings_options import acceptance, configured, criteria

    configured(arguments)
    return AuditRequest(
        inputs=tuple(arguments.inputs),
        criteria=criteria(arguments),
        redact=arguments.redact,
        governor=arguments.governor or "",
        hz=arguments.hz,
        against=arguments.against,
        jobs=arguments.jobs,
        scheduler=arguments.scheduler,
        acceptance=acceptance(arguments),
        trees=tuple(arguments.tree),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..audit.request import audited, shown_name
    from ..audit.summary import FleetSummary
    from ..report import audit_json, audit_whole, formats, printer
    from ..sources.walk import Walk
    from ..wording import joined, plural
    from .findings_options import shown
    from .missing_core import note_missing_core
    from .options import output, say
    from .status import UNREADABLE

    asked, out, show = request(arguments), output(arguments), shown(arguments)
    if asked.governor and not asked.scheduler:
        note_missing_core()
    setting, walk, summary = asked.setting(), Walk(), FleetSummary()
    against = shown_name(asked, setting)
    view = audit_whole.View(arguments.summary, arguments.pages, show.notes, against)
    hiding = _Hiding(show)
    results = _counted(hiding.passed(audited(asked, setting, walk)), summary)
    if arguments.parquet:
        from ..report import parquet

        results = parquet.passed(results, Path(arguments.parquet))
    if out.html:
        results = audit_whole.to_html(results, view, walk, summary, Path(out.html))

    def closing() -> Iterator[str]:
        if not (summary.unreadable_count or summary.failed or show.status(summary.worst)):
            yield from hiding.lines(arguments, asked)

    if out.format == "text":
        parts = audit_whole.text_parts(results, view, walk, summary, out.style)
        printer.text_parts(chain(parts, closing()), out.file)
    elif out.format == "jsonl":
        printer.document_parts(audit_json.lines(results), out.file)
    elif out.format == "json":
        document = audit_json.document(results, summary, asked.criteria.kernels)
        printer.document_parts(document, out.file)
    else:
        everything = [each for found in results for each in found]
        # boards share what they include, and what is found there
        findings = list(
            {repr(found): found for each in everything for found in each.findings}.values()
        )
        digests = [(each.file, each.sha256) for each in everything]
        sources = [each.source for each in everything if each.source]
        texts = {file: text for source in sources for file, text in source.texts.items()}
        findings = list(show.annotated(out.format, findings))
        out.document(formats.render(out.format, "audit", findings, digests, texts, {}))
    if out.format != "text":
        for line in closing():
            say(line.rstrip())
    for change in asked.acceptance.changes():
        say(f"{change.location}: {change.message}")
    if summary.not_looked_at:
        say(
            f"not looked at: {summary.not_looked_at} of {plural(summary.inputs, 'input')}, for the "
            "cluster went away; --format jsonl lists them"
        )
    for what, count in walk.not_searched:
        say(f"not searched: {what}: {count}")
    if not summary.inputs:
        others = [f"{what}: {count}" for what, count in sorted(walk.passed_over.items())]
        found = f", found none ({'; '.join(others)})" if others else ", found none"
        below = joined([*asked.inputs, *asked.trees])
        say(f"expected inputs below {below}{found}")
    if summary.unreadable_count or summary.failed or not summary.inputs:
        return UNREADABLE
    return show.status(summary.worst)


class _Hiding:
    """Counts what the configuration hides of findings that make the exit status 1."""

    def __init__(self, show: "Shown") -> None:
        self._show = show
        self._suppressed = 0

    def passed(self, results: "Iterable[Sequence[Audited]]") -> "Iterator[Sequence[Audited]]":
        """Yields the results unchanged."""
        from ..audit.alike import Alike

        for found in results:
            if not isinstance(found, Alike):
                self._suppressed += sum(self._show.hidden(each.findings) for each in found)
            yield found

    def lines(self, arguments: argparse.Namespace, asked: "AuditRequest") -> Iterator[str]:
        """Yields a closing line, if anything is hidden. Rules that the configuration leaves out
        are asked in a second audit."""
        from ..audit.request import audited
        from ..reading.opening import STANDARD_INPUT
        from ..sources.walk import Walk
        from .findings_options import turned, unconfigured

        again, count = unconfigured(arguments, asked), self._suppressed
        if again and STANDARD_INPUT in asked.inputs:
            rules = " and ".join(arguments.rules_set)
            yield f"the configuration sets {rules}; what that hides is not counted\n"
        elif again:
            results = audited(again, again.setting(), Walk())
            count = sum(self._show.failing(e.findings) for found in results for e in found)
        if line := turned(count, asked.acceptance):
            yield f"{line}\n"


def _counted(
    results: "Iterable[Sequence[Audited]]", summary: "FleetSummary"
) -> "Iterator[Sequence[Audited]]":
    from .progress import Count

    with Count("audited") as progress:
        for found in results:
            summary.add(found)
            progress.advance()
            yield found
