"""Checks tables against all rules.

TABLE may also be a directory, which stands for all tables below it, or - for standard input.
Without TABLE: the tables of the repository or folder that one is in, found by content; where there
are none, all current revisions."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..check.request import Checked, CheckRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_check(parser)
    from .findings_options import add_accepted, add_report

    add_accepted(parser)
    add_report(parser)
    mending = parser.add_mutually_exclusive_group()
    mending.add_argument(
        "--fix",
        action="store_true",
        help="mend what has one right answer (a mask that does not cover its value), in specs and "
        "C; the difference is shown",
    )
    mending.add_argument(
        "--diff", action="store_true", help="show what --fix would do, and write nothing"
    )
    parser.add_argument(
        "--statistics", action="store_true", help="as text, counts by rule instead of findings"
    )
    # None: the configuration is asked first, see configured()
    parser.set_defaults(platform=None, fail_on=None, format=None)


def add_check(parser: argparse.ArgumentParser) -> None:
    """What is checked, and how."""
    from .findings_options import add_criteria

    parser.add_argument(
        "tables",
        metavar="TABLE",
        nargs="*",
        help="revision, file or directory; without it, what the folder or repository has, or the "
        "table of the x86 machine that --platform names",
    )
    add_criteria(
        parser,
        "the long-term releases, the newest, two of Debian's, those of the processor's time",
    )
    parser.add_argument(
        "--engine",
        choices=("native", "dtschema", "all"),
        default="native",
        help="rules of this tool, the dt-schema binding, or both (default: native)",
    )


def request(arguments: argparse.Namespace) -> "CheckRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot, Unreadable."""
    from ..check.request import CheckRequest
    from ..dataclass import replace
    from .findings_options import acceptance, configured, criteria
    from .options import machine_table

    configuration = configured(arguments)
    tables = list(arguments.tables)
    if not tables and (machine := machine_table(arguments)):
        tables.append(machine)
    within = None
    if configuration and configuration.tables:
        within = (Path(configuration.file).parent, configuration.tables)
    return CheckRequest(
        tables=tuple(tables),
        criteria=replace(criteria(arguments), own_time=not arguments.kernel),
        engine=arguments.engine,
        acceptance=acceptance(arguments),
        within=within,
    )


def run(arguments: argparse.Namespace) -> int:
    from ..check.request import checked
    from ..linux.platforms import without_effect
    from ..wording import plural
    from .findings_options import shown, turned, unconfigured
    from .options import output, say
    from .status import UNREADABLE

    asked, out, show = request(arguments), output(arguments), shown(arguments)
    found = checked(asked)
    if arguments.fix or arguments.diff:
        mended = _fix(found, write=arguments.fix)
        if arguments.diff:
            return show.status_of(found.findings) if found.complete else UNREADABLE
        found = checked(asked) if mended else found
    if found.what:
        say(f"looked at {found.what}")
    for line in found.left_out(asked.criteria):
        say(line)
    tables = [source.table for source in found.sources if source.table is not None]
    if note := without_effect(asked.criteria.platform, tables):
        say(note)
    kernels = found.kernels(asked.criteria)
    status = show.status_of(found.findings) if found.complete else UNREADABLE
    hides = ""
    if not status:
        again = unconfigured(arguments, asked)
        hidden = show.failing(checked(again).findings) if again else show.hidden(found.findings)
        hides = turned(hidden, asked.acceptance)
    if out.format == "text":
        what = f"{plural(len(found.sources), 'table')}, {plural(len(kernels), 'kernel')}"
        known = [*found.remarks(asked.criteria), *([hides] if hides else [])]
        out.text(show.text(found.findings, found.texts, what, out.style, known))
    else:
        from ..report.formats import render

        findings = show.annotated(out.format, found.findings)
        texts, homes = found.texts, found.homes
        out.document(render(out.format, "check", findings, found.inputs, texts, homes, kernels))
        if hides:
            say(hides)
    return status


def _fix(found: "Checked", *, write: bool) -> int:
    """Shows what can be mended as a difference, and writes it; the number of masks."""
    from ..check.fix import fixes, left
    from ..files import write_file
    from ..report import printer
    from ..report.patch_diff import file_diff
    from ..wording import plural
    from .options import say

    made = fixes(found.sources, found.findings)
    show = printer.say_text if write else printer.verbatim
    for fix in made:
        show(file_diff(fix.file, fix.before, fix.after))
        if write:
            write_file(Path(fix.file), fix.after.encode("utf-8", "surrogateescape"))
    masks = sum(len(fix.places) for fix in made)
    done = "mended" if write else "to mend with --fix"
    say(f"{plural(masks, 'mask')} in {plural(len(made), 'file')} {done}")
    for place in left(found.findings, made):
        say(
            f"{place}: left: --fix edits a mask on one line of a checked file whose value sets no "
            "other bits"
        )
    if not write and not masks and found.findings:
        say("other findings are not for --fix to mend; check without --diff shows them")
    return masks
