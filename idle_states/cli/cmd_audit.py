"""Audits what comes from the field: device trees, firmware images, dumps, collections.

FILE is anything the tool can read; a DIR that is no device tree is searched for them; - reads names
from standard input, one a line. Of one input everything is said: the machine, what its firmware
exports and withholds, the nearest packaged table, what kernels register, what fwts and op-test
would say, and all findings. Of many, what they have in common and which stand out.

An input that cannot be read is a finding of its own; the others go on. Exits 1 for findings at or
above --fail-on, 3 if an input cannot be read or there is none."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..audit.audit import Setting
    from ..audit.audited import Audited
    from ..audit.fleet import Summary, Walk
    from ..devicetree.tree import Node

SUMMARY = "audit device trees and images from the field"
_PAGES = 8
"""Up to so many tables get a page each unless told otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .findings_options import add_accepted, add_rules, add_severities
    from .options import add_html, add_kernels, add_output, add_platform

    parser.add_argument("inputs", metavar="FILE|DIR", nargs="+", help="- for names on stdin")
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
    parser.add_argument("--hz", metavar="N", type=int, default=250, help="default: 250")
    parser.add_argument(
        "--redact", action="store_true", help="without serial numbers and MAC addresses"
    )
    parser.add_argument("--jobs", metavar="N", type=int, help="processes (default: one per CPU)")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on a Dask cluster that sees the same files"
    )
    parser.add_argument("--parquet", metavar="FILE", help="a row per table, for further work")
    add_kernels(parser, "the long-term releases, the newest, and two of Debian's")
    add_platform(parser)
    add_rules(parser)
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


def run(arguments: argparse.Namespace) -> int:
    from ..audit.fleet import Summary, Walk
    from ..audit.redact import redacted_name
    from ..findings import Severity
    from .options import UsageError, say

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"expected at least one process, found --jobs {arguments.jobs}")
    setting, walk, summary = _setting(arguments), Walk(), Summary()
    if arguments.redact and setting.against is not None:
        # from here on the name is only shown
        arguments.against = redacted_name(arguments.against, setting.against)
    results = _counted(_results(arguments, walk, setting), summary)
    if arguments.parquet:
        results = _to_parquet(results, Path(arguments.parquet))
    if arguments.html:
        results = _to_html(arguments, results, walk, summary)
    if arguments.format == "jsonl":
        _lines(arguments, results)
    elif arguments.format == "text":
        _text(arguments, results, walk, summary)
    else:
        _document(arguments, results, summary)
    if not summary.inputs:
        say("expected an input, found none")
    if summary.unreadable_count or not summary.inputs:
        return 3
    worst = summary.worst
    return int(worst is not None and worst >= Severity[arguments.fail_on.upper()])


def _setting(arguments: argparse.Namespace) -> "Setting":
    from ..audit.audit import Setting
    from ..linux.releases import DEFAULT
    from .options import kernels, platform, selection

    return Setting(
        tuple(kernels(arguments, DEFAULT)),
        platform(arguments),
        selection(arguments),
        arguments.redact,
        _governor(arguments),
        arguments.hz,
        _other(arguments),
    )


def _governor(arguments: argparse.Namespace) -> str:
    """Raises UnknownGovernor here, not once for every input."""
    if not arguments.governor:
        return ""
    from ..linux.governors.interface import State
    from ..linux.releases import NEWEST, release
    from ..selection.selection import settling_of
    from .options import UsageError

    if arguments.hz not in range(1, 100_001):
        raise UsageError(f"expected HZ from 1 to 100000, found {arguments.hz}")
    settling_of(arguments.governor, release(NEWEST), [State(0, 0)], arguments.hz)
    return str(arguments.governor)


def _results(
    arguments: argparse.Namespace, walk: "Walk", setting: "Setting"
) -> "Iterator[list[Audited]]":
    """By input, in order, what the project accepted marked."""
    from ..audit.fleet import audit_all, audit_on
    from .findings_options import marking

    mark = marking(arguments)

    def accept(results: "list[Audited]") -> "list[Audited]":
        return [replace(audited, findings=tuple(mark(audited.findings))) for audited in results]

    paths = walk.inputs(_names(arguments.inputs))
    if arguments.scheduler:
        from ..cluster import client

        with client(arguments.scheduler) as connected:
            for results in audit_on(connected, paths, setting):
                yield accept(results)
        return
    for results in audit_all(paths, setting, arguments.jobs):
        yield accept(results)


def _names(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if word == "-":
            yield from (line.rstrip("\n") for line in sys.stdin if line.strip())
        else:
            yield word


def _counted(results: "Iterable[list[Audited]]", summary: "Summary") -> "Iterator[list[Audited]]":
    from .progress import Count

    with Count("audited") as progress:
        for found in results:
            summary.add(found)
            progress.advance()
            yield found


def _to_parquet(results: "Iterable[list[Audited]]", path: Path) -> "Iterator[list[Audited]]":
    from ..report.parquet import writer

    with writer(path) as add:
        for found in results:
            add(found)
            yield found


def _to_html(
    arguments: argparse.Namespace,
    results: "Iterable[list[Audited]]",
    walk: "Walk",
    summary: "Summary",
) -> "Iterator[list[Audited]]":
    """Written when all are through. As in text, a few tables get everything said of them."""
    from ..files import write_file
    from ..report.html import audit as html_audit
    from ..report.html import page

    everything = bool(arguments.pages or arguments.against)
    digests: dict[str, str] = {}
    held: list[Audited] = []
    for found in results:
        digests.update((audited.file, audited.sha256) for audited in found)
        if everything or (not arguments.summary and len(held) <= _PAGES):
            held += found
        yield found
    notes = arguments.notes or arguments.fail_on == "note"
    sections = []
    if len(digests) > 1 or arguments.summary:
        sections += html_audit.fleet(summary, walk.passed_over)
    for audited in held if everything or len(held) <= _PAGES else ():
        against = None if audited.against is None else (arguments.against, audited.against)
        sections += html_audit.sections(audited, notes=notes, against=against)
    title = html_audit.title(summary)
    write_file(Path(arguments.html), page.render("audit", title, sections, digests.items()))


def _lines(arguments: argparse.Namespace, results: "Iterable[list[Audited]]") -> None:
    from ..report.audit_json import line
    from .options import emit_parts

    emit_parts(arguments, (line(audited) for found in results for audited in found))


def _document(
    arguments: argparse.Namespace, results: "Iterable[list[Audited]]", summary: "Summary"
) -> None:
    from ..report.formats import render
    from .options import emit, emit_parts

    if arguments.format == "json":
        emit_parts(arguments, _json(results, summary))
        return
    everything = [audited for found in results for audited in found]
    findings = [finding for audited in everything for finding in audited.findings]
    digests = [(audited.file, audited.sha256) for audited in everything]
    texts = {
        file: text
        for audited in everything
        if audited.source
        for file, text in audited.source.texts.items()
    }
    emit(arguments, render(arguments.format, "audit", findings, digests, texts))


def _json(results: "Iterable[list[Audited]]", summary: "Summary") -> Iterator[str]:
    from ..report.audit_json import document

    yield from document((audited for found in results for audited in found), summary)


def _text(
    arguments: argparse.Namespace,
    results: "Iterable[list[Audited]]",
    walk: "Walk",
    summary: "Summary",
) -> None:
    from ..report import audit_text
    from ..report.printer import text_parts
    from ..report.style import Style

    style = Style(False) if arguments.output else Style.of()
    notes = arguments.notes or arguments.fail_on == "note"

    def pages(audited: "Audited") -> Iterator[str]:
        yield audit_text.page(audited, style, notes=notes) + "\n"
        if audited.against is not None:
            yield audit_text.against(arguments.against, audited.against, style) + "\n"

    def parts() -> Iterator[str]:
        digests: dict[str, str] = {}
        held: list[Audited] = []
        for found in results:
            digests.update((audited.file, audited.sha256) for audited in found)
            if arguments.pages or arguments.against:
                for audited in found:
                    yield from pages(audited)
            elif not arguments.summary and len(held) <= _PAGES:
                held += found
        if len(held) <= _PAGES:
            for audited in held:
                yield from pages(audited)
        if len(digests) > 1 or arguments.summary:
            passed_over = sorted(walk.passed_over.items())
            yield audit_text.fleet(summary, passed_over, style) + "\n"
        yield audit_text.closing(list(digests.items()))

    text_parts(parts(), arguments.output)


def _other(arguments: argparse.Namespace) -> "Node | None":
    """The tree that --against names. Raises UsageError for what is none."""
    from ..findings import Unreadable
    from ..sources import File, read_file
    from .options import UsageError

    if not arguments.against:
        return None
    problem = "another kind of file"
    try:
        source = read_file(File.open(Path(arguments.against)))[0]
    except Unreadable as error:
        problem = error.findings[0].message
    else:
        if source.tree is not None:
            return source.tree
        problem = source.findings[0].message if source.findings else problem
    raise UsageError(f"expected a device tree for --against, found: {problem}")
