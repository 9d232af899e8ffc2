"""Makes patches from descriptions: for a skiboot tree, there also from a table that the tree's is
to become; for a tree of device-tree sources (Linux, U-Boot, Zephyr).

SERIES is a description, a directory of them, or a packaged one (--list). Only the values that
change are touched; a value already as wanted is left alone, one that is neither old nor new is an
error. Without an option, patches are written like git format-patch's, for git am. --check writes
nothing and exits 1 where tree and series, or tree and specs, differ.

A description of device-tree source says what becomes of properties and nodes in a .dtsi or .dts.
All boards that include the file are built before and after: where one would change otherwise than
was meant, nothing is written, and the board is named. With --file the edits are worked out: those
that make the states of that file's boards a TABLE's, a spec's, a dtb's or another tree's.

Patches that review would refuse, for what they bring to the tree's tables, are not written: the
findings are shown, and the exit status is 1. --force writes them all the same."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings import Finding
    from ..patches.plan import Plan
    from ..patches.request import PatchRequest
    from ..report.patch_mail import Posting
    from ..review.previous import PreviousVersion
    from ..review.result import Review


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .findings_options import add_fail_on

    parser.add_argument(
        "series",
        metavar="SERIES|TABLE",
        nargs="?",
        help="descriptions, or a table; --check without any takes all current revisions",
    )
    parser.add_argument("--tree", metavar="DIR", help="the source, with or without git")
    parser.add_argument(
        "--file",
        metavar="FILE",
        default="",
        help="of device-tree sources: edit this one until all boards that include it have TABLE",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "-o", "--output", metavar="DIR", help="write the patches there (default: here)"
    )
    mode.add_argument("--stdout", action="store_true", help="write the patches to standard output")
    mode.add_argument("--apply", action="store_true", help="edit the tree's files in place")
    mode.add_argument("--check", action="store_true", help="show the difference, write nothing")
    mode.add_argument("--list", action="store_true", help="list the packaged descriptions")
    parser.add_argument(
        "--force",
        action="store_true",
        help="even if the tree has uncommitted changes, or review would refuse the patches",
    )
    add_fail_on(parser, "refuse patches that bring findings as bad as this")
    parser.add_argument(
        "-s", "--signoff", action="store_true", help="the patches' author signs them off"
    )
    parser.add_argument(
        "-v",
        "--reroll-count",
        metavar="N",
        type=int,
        help="version of the series (default: 1, or one more than that of --previous)",
    )
    parser.add_argument(
        "--previous",
        metavar="FILE",
        help="the version before, as it was mailed: what this one does otherwise is listed",
    )
    parser.add_argument(
        "--changes",
        metavar="TEXT",
        default="",
        help="what the version does otherwise, in lines; before those of --previous",
    )
    parser.add_argument(
        "--cover-letter",
        action="store_true",
        help="what changes, and what review says of it, in a mail that the others answer",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def request(arguments: argparse.Namespace) -> "PatchRequest":
    """Raises UsageError."""
    from ..findings import UsageError
    from ..patches.request import PatchRequest

    if not arguments.tree:
        raise UsageError("expected --tree DIR: skiboot's source, or a tree of device-tree sources")
    asked = PatchRequest(
        Path(arguments.tree), arguments.series, arguments.check, arguments.force, arguments.file
    )
    version = arguments.reroll_count
    if version is not None and not 1 <= version <= 999:
        raise UsageError(f"expected -v from 1 to 999, found {version}")
    if arguments.changes and not arguments.previous and (version or 1) == 1:
        raise UsageError("expected -v 2 or later with --changes")
    if arguments.previous and (arguments.check or arguments.apply):
        raise UsageError("expected --previous where patches are written, not with --check, --apply")
    if arguments.stdout and arguments.format == "json":
        raise UsageError("expected --stdout without --format json; a mailbox is no JSON")
    return asked


def run(arguments: argparse.Namespace) -> int:
    from ..findings import Severity
    from ..patches.request import prepare
    from ..report import patch_output, printer
    from ..report.documents.patch import Planned, planned
    from ..report.json_output import envelope
    from ..report.style import Style
    from ..review.planned import refusing, review_of
    from .options import say

    if arguments.list:
        return _list(arguments.format)
    asked = request(arguments)
    prepared = prepare(asked)
    made = prepared.plan
    _note_unknown_release(made)
    previous = _previous(made, arguments)
    written: list[str] = []
    bad: list[Finding] = []
    if not asked.check:
        found = review_of(made)
        bad = refusing(found, Severity[arguments.fail_on.upper()])
        _say_findings(bad, found, forced=asked.force)
        if not bad or asked.force:
            posting = _posting(found, previous, arguments)
            apart = None if arguments.stdout else Path(arguments.output or ".")
            written = _applied(made) if arguments.apply else _mailed(made, posting, apart)
        for note in made.tree.notes:
            say(f"{made.tree.root.as_posix()}: {note}")
    is_refused = bool(bad) and not asked.force
    if arguments.format == "json":
        came = planned(made, list(prepared.absent), written, bad)
        inputs = [*prepared.inputs, *(previous.inputs if previous else ())]
        printer.document(envelope("patch", Planned, came, inputs))
    elif asked.check:
        printer.text(patch_output.check_text(made, list(prepared.absent), Style.of()))
    elif not is_refused:
        tell = printer.say_text if arguments.stdout else printer.text
        tell(patch_output.done_text(made, written))
    return int(is_refused or (asked.check and bool(made.made)))


def _note_unknown_release(made: "Plan") -> None:
    """Nothing else would tell that a patch's bounds could not be looked at."""
    from ..report.patch_output import meant_for
    from .options import say

    if made.tree.version:
        return
    for step in made.made:
        if step.patch.since or step.patch.until:
            message = f"this tree does not tell its release; the patch is {meant_for(step.patch)}"
            say(f"{step.patch.name}: {message}")


def _say_findings(bad: Sequence["Finding"], found: "Review", *, forced: bool) -> None:
    """Those for which patches are refused, on standard error."""
    import sys

    from ..report import printer
    from ..report.findings_text import render
    from ..report.style import Style
    from ..wording import plural
    from .options import say

    if bad:
        brought = f"review has {plural(len(bad), 'finding')} against what the patches bring"
        told = "written by --force" if forced else "nothing is written without --force"
        say(f"{brought}; {told}")
        printer.say_text(render(bad, found.texts, Style.of(sys.stderr), notes=True))


def _list(form: str) -> int:
    from ..patches.library import DTS_DIRECTORY, packaged
    from ..report import patch_output, printer
    from ..report.documents.patch import Packaged
    from ..report.json_output import envelope

    patches = [*packaged(), *packaged(DTS_DIRECTORY)]
    if form == "json":
        inputs = [(patch.file, patch.sha256) for patch in patches]
        printer.document(envelope("patch", Packaged, patches, inputs))
    else:
        printer.text(patch_output.list_text(patches))
    return 0


def _applied(made: "Plan") -> list[str]:
    """The tree's files that were changed."""
    from ..patches.write import write

    write(made.tree, made.files)
    return [(made.tree.root / name).as_posix() for name in made.files]


def _summary(found: "Review") -> str:
    """What review says of the patches, for a cover letter."""
    from ..report import review_words as words

    lines = [*words.wrapped(f"Reviewed: {words.verdict(found)}")]
    for finding in found.new:
        if finding.counts:
            lines += words.wrapped(words.said(finding, found), "  ")
    for change in found.changes:
        for table in change.tables:
            for text in words.per_kernel(table.linux, "Linux", found):
                lines += words.wrapped(f"{table.source.name}: {text}", "  ")
    return "".join(f"{line}\n" for line in lines)


def _previous(made: "Plan", arguments: argparse.Namespace) -> "PreviousVersion | None":
    """Raises UsageError, Unreadable, OSError."""
    from ..findings import UsageError
    from ..review.previous import since

    if not arguments.previous:
        return None
    found = since(made, arguments.previous)
    version = arguments.reroll_count
    if version is not None and version <= found.version:
        raise UsageError(
            f"expected -v {found.version + 1} or later, {arguments.previous} being version "
            f"{found.version}, found {version}"
        )
    return found


def _posting(
    found: "Review", previous: "PreviousVersion | None", arguments: argparse.Namespace
) -> "Posting":
    from ..report.patch_mail import Posting

    before = previous.version if previous else (arguments.reroll_count or 1) - 1
    return Posting(
        arguments.signoff,
        arguments.reroll_count or before + 1,
        before,
        (*arguments.changes.strip().splitlines(), *(previous.changes if previous else ())),
        _summary(found) if arguments.cover_letter else None,
    )


def _mailed(made: "Plan", posting: "Posting", directory: Path | None) -> list[str]:
    """The patches, to a directory or standard output; the files that were written."""
    from ..files import naming, write_file
    from ..report import printer
    from ..report.patch_mail import mails

    rendered = mails(made, posting)
    if directory is None:
        with naming("standard output"):
            printer.document(b"".join(content for _, content in rendered))
            printer.flush()
        return []
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in rendered:
        write_file(directory / name, content, named=False)
    return [(directory / name).as_posix() for name, _ in rendered]
