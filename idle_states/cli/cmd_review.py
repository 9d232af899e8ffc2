"""Reviews a change before it is merged: reads a git repository at both ends of BASE..HEAD and
reports what lies between. Without a range: the last commit. BASE...HEAD is what HEAD brings since
the two parted.

setup.cfg is read as the commits have it, not from the current folder, unless --config names one;
suppressions that the change adds are listed, and do not hide what the change itself brings.

The repository is skiboot, or with --specs one of specs; bare ones will do. Nothing is checked out.
Exits 1 if the change brings findings at or above --fail-on."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Finding
    from ..review.review import Review

SUMMARY = "review what commits bring to the tables of a repository"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .findings_options import add_accepted, add_report, add_rules
    from .options import add_kernels, add_platform

    parser.add_argument("range", metavar="BASE..HEAD", nargs="?", help="default: the last commit")
    parser.add_argument("--tree", metavar="DIR", required=True, help="the git repository")
    parser.add_argument("--specs", action="store_true", help="its tables are specs, not C")
    parser.add_argument("--per-commit", action="store_true", help="each commit by itself")
    add_kernels(parser, "the long-term releases, the newest, and two of Debian's")
    add_platform(parser)
    parser.add_argument(
        "--governor",
        choices=("menu", "teo", "ladder"),
        default="menu",
        help="whose selection is compared (default: menu)",
    )
    parser.add_argument("--hz", metavar="N", type=int, default=250, help="HZ (default: 250)")
    add_rules(parser)
    add_accepted(parser)
    add_report(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report import review_text
    from ..report.documents.review import Review, compared
    from ..report.formats import render
    from ..report.json_output import envelope
    from .findings_options import status
    from .options import emit, emit_text

    found = _review(arguments)
    inputs = compared(found)
    if arguments.format == "text":
        notes = arguments.notes or arguments.fail_on == "note"
        text = review_text.render(found, notes=notes, suppressed=arguments.suppressed)
        emit_text(arguments, text)
    elif arguments.format == "json":
        emit(arguments, envelope("review", Review, found, inputs))
    else:
        emit(arguments, render(arguments.format, "review", found.new, inputs, found.texts))
    return status(arguments, found.new)


def _review(arguments: argparse.Namespace) -> "Review":
    from pathlib import Path

    from ..linux.releases import DEFAULT
    from ..reading.git import Repository
    from ..review.review import BadRange, Circumstances, ends, review
    from .options import UsageError, kernels, platform, say, selection

    if not 1 <= arguments.hz <= 10_000:
        raise UsageError(f"expected HZ from 1 to 10000, found {arguments.hz}")

    def accept(findings: "Sequence[Finding]") -> "list[Finding]":
        return _accepted(arguments, findings)

    circumstances = Circumstances(
        kernels(arguments, DEFAULT),
        platform(arguments),
        arguments.governor,
        arguments.hz,
        selection(arguments),
        accept,
        of_commits=arguments.config is None,
    )
    repository = Repository(Path(arguments.tree))
    for note in repository.notes:
        say(f"{repository.shown}: {note}")
    try:
        base, head = ends(repository, arguments.range)
        return review(
            repository,
            base,
            head,
            circumstances,
            specs=arguments.specs,
            per_commit=arguments.per_commit,
        )
    except BadRange as error:
        raise UsageError(str(error)) from None
    finally:
        repository.close()


def _accepted(arguments: argparse.Namespace, findings: "Sequence[Finding]") -> "list[Finding]":
    """The findings with those accepted marked; what is wrong with a suppression is no matter of
    the change."""
    from .findings_options import accepted

    if arguments.config is None:
        # the one of the current folder may be the change's own
        arguments = argparse.Namespace(**{**vars(arguments), "config": "none"})
    about = {(finding.rule, finding.location, finding.message) for finding in findings}
    return [
        finding
        for finding in accepted(arguments, findings, [], {})
        if (finding.rule, finding.location, finding.message) in about
    ]
