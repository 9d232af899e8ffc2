"""Reviews a change before it is merged: reads a git repository at both ends of BASE..HEAD and
reports what lies between. Without a range: the last commit. BASE...HEAD is what HEAD brings since
the two parted.

A change may also come as it is mailed: files of git format-patch, an mbox, a maildir, a diff, a
reply that quotes one; of several versions of a series, the newest. The commit it was made on is
found in the repository, and what was repaired to read it is said. Without --tree a diff is reviewed
from the lines that it shows, with the packaged table that agrees with them, if there is one.

setup.cfg is read as the commits have it, not from the current folder, unless --config names one;
suppressions that the change adds are listed, and do not hide what the change itself brings.

--format reply is a mail's text that quotes what it answers; --format markdown a comment for a pull
request, whose first line is the same for every version of the change.

The repository is skiboot, one with device-tree sources (Linux, U-Boot, Zephyr), or with --specs one
of specs; bare ones will do. Nothing is checked out. Of device-tree sources the boards are reviewed
whose tables the change concerns, each table once with the boards that have it.

Of Linux the tables built into drivers are reviewed, too: those of intel_idle.c, with the processors
that get another one, and of drivers/cpuidle.

Exits 1 if the change brings findings at or above --fail-on, and 3 if changed lines of a diff
without its tree could not be read, which the first line says."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..review.request import ReviewRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .findings_options import add_accepted, add_criteria, add_report
    from .options import add_hz

    parser.add_argument(
        "subject",
        metavar="BASE..HEAD|MAIL",
        nargs="?",
        help="commits; or a file or directory of mails or patches, or - for standard input "
        "(default: the last commit)",
    )
    parser.add_argument(
        "--tree", metavar="DIR", help="the git repository; needed but for mails of skiboot"
    )
    parser.add_argument(
        "--base", metavar="REVISION", help="what mailed patches were made on (default: found)"
    )
    parser.add_argument("--specs", action="store_true", help="its tables are specs, not C")
    parser.add_argument("--per-commit", action="store_true", help="each commit by itself")
    parser.add_argument(
        "--governor",
        choices=("menu", "teo", "ladder"),
        default="menu",
        help="whose selection is compared (default: menu)",
    )
    add_hz(parser)
    parser.add_argument(
        "--runs",
        metavar="N",
        type=int,
        default=1,
        help="seeds of the workloads that are simulated before and after a change (default: 1; "
        "0: none is)",
    )
    add_criteria(parser)
    add_accepted(parser, revision=False)
    add_report(parser, ("markdown", "reply"))


def request(arguments: argparse.Namespace) -> "ReviewRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from pathlib import Path

    from ..reading.opening import STANDARD_INPUT, kind_of
    from ..review.request import ReviewRequest
    from .findings_options import acceptance, criteria

    subject = arguments.subject
    is_mail = subject == STANDARD_INPUT or (
        # ".." is no directory here, but a range without ends
        subject is not None and subject.strip(".") != "" and kind_of(subject) is not None
    )
    return ReviewRequest(
        tree=None if arguments.tree is None else Path(arguments.tree),
        range=None if is_mail else subject,
        mail=subject if is_mail else None,
        base=arguments.base or "",
        criteria=criteria(arguments),
        specs=arguments.specs,
        per_commit=arguments.per_commit,
        governor=arguments.governor,
        hz=arguments.hz,
        acceptance=acceptance(arguments),
        runs=arguments.runs,
    )


def run(arguments: argparse.Namespace) -> int:
    from ..report import review_markdown, review_reply, review_text, review_words
    from ..report.documents.review import Review, compared
    from ..report.formats import render
    from ..report.json_output import envelope
    from ..review.request import reviewed
    from .findings_options import shown
    from .missing_core import note_missing_core
    from .options import output, say
    from .status import UNREADABLE

    out, show = output(arguments), shown(arguments)
    asked = request(arguments)
    if asked.governor:
        note_missing_core()
    found = reviewed(asked, say)
    inputs = compared(found)
    if out.format == "text":
        out.text(review_text.render(found, notes=show.notes, suppressed=show.suppressed))
    elif out.format == "reply":
        out.text(review_reply.render(found, notes=show.notes))
    elif out.format == "markdown":
        out.text(review_markdown.render(found, notes=show.notes))
    elif out.format == "json":
        out.document(envelope("review", Review, found, inputs, asked.criteria.kernels))
    else:
        if found.unread_lines:
            say(review_words.unread_lines(found))
        findings = show.annotated(out.format, found.new)
        out.document(render(out.format, "review", findings, inputs, found.texts))
    return UNREADABLE if found.unread_lines else show.status_of(found.new)
