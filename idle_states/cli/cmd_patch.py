"""Makes patches for a skiboot tree from descriptions, or from a table that the tree's is to become.

SERIES is a description, a directory of them, or a packaged one (--list). Only the values that
change are touched; a value already as wanted is left alone, one that is neither old nor new is an
error. Without an option, patches are written like git format-patch's, for git am. --check writes
nothing and exits 1 where tree and series, or tree and specs, differ."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..patches.plan import Plan
    from ..patches.request import PatchRequest

SUMMARY = "make patches for a skiboot tree, or apply or check them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "series",
        metavar="SERIES|TABLE",
        nargs="?",
        help="descriptions, or a table; --check without any takes all current revisions",
    )
    parser.add_argument("--tree", metavar="DIR", help="skiboot's source, with or without git")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "-o", "--output", metavar="DIR", help="write the patches there (default: here)"
    )
    mode.add_argument("--stdout", action="store_true", help="write the patches to standard output")
    mode.add_argument("--apply", action="store_true", help="edit the tree's files in place")
    mode.add_argument("--check", action="store_true", help="show the difference, write nothing")
    mode.add_argument("--list", action="store_true", help="list the packaged descriptions")
    parser.add_argument(
        "--force", action="store_true", help="even if the tree has uncommitted changes"
    )
    parser.add_argument(
        "-s", "--signoff", action="store_true", help="the patches' author signs them off"
    )
    parser.add_argument(
        "-v", "--reroll-count", metavar="N", type=int, default=1, help="version of the series"
    )
    parser.add_argument(
        "--changes",
        metavar="TEXT",
        default="",
        help="what the version does otherwise, in lines",
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
        raise UsageError("expected --tree DIR, skiboot's source")
    asked = PatchRequest(Path(arguments.tree), arguments.series, arguments.check, arguments.force)
    if not 1 <= arguments.reroll_count <= 999:
        raise UsageError(f"expected -v from 1 to 999, found {arguments.reroll_count}")
    if arguments.changes and arguments.reroll_count == 1:
        raise UsageError("expected -v 2 or later with --changes")
    if arguments.stdout and arguments.format == "json":
        raise UsageError("expected --stdout without --format json; a mailbox is no JSON")
    return asked


def run(arguments: argparse.Namespace) -> int:
    from ..patches.request import prepare
    from ..report import patch_output, printer
    from ..report.documents.patch import Planned, planned
    from ..report.json_output import envelope
    from ..report.style import Style
    from .options import say

    if arguments.list:
        return _list(arguments.format)
    asked = request(arguments)
    prepared = prepare(asked)
    made = prepared.plan
    _note_unknown_release(made)
    written: list[str] = []
    if not asked.check:
        apart = None if arguments.stdout else Path(arguments.output or ".")
        written = _applied(made) if arguments.apply else _mailed(made, apart, arguments)
        for note in made.tree.notes:
            say(f"{made.tree.root.as_posix()}: {note}")
    if arguments.format == "json":
        came = planned(made, list(prepared.absent), written)
        printer.document(envelope("patch", Planned, came, prepared.inputs))
    elif asked.check:
        printer.text(patch_output.check_text(made, list(prepared.absent), Style.of()))
    else:
        tell = printer.say_text if arguments.stdout else printer.text
        tell(patch_output.done_text(made, written))
    return int(asked.check and bool(made.made))


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


def _list(form: str) -> int:
    from ..patches.library import packaged
    from ..report import patch_output, printer
    from ..report.documents.patch import Packaged
    from ..report.json_output import envelope

    patches = packaged()
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


def _summary(made: "Plan") -> str:
    """What review says of the patches, for a cover letter."""
    from ..report import review_words as words
    from ..review.planned import review_of

    found = review_of(made)
    lines = [*words.wrapped(f"Reviewed: {words.verdict(found)}")]
    for finding in found.new:
        if finding.counts:
            lines += words.wrapped(words.said(finding, found), "  ")
    for change in found.changes:
        for table in change.tables:
            for text in words.per_kernel(table.linux, "Linux", found):
                lines += words.wrapped(f"{table.source.name}: {text}", "  ")
    return "".join(f"{line}\n" for line in lines)


def _mailed(made: "Plan", directory: Path | None, arguments: argparse.Namespace) -> list[str]:
    """The patches, to a directory or standard output; the files that were written."""
    from ..files import naming, write_file
    from ..report import printer
    from ..report.patch_mail import Posting, mails

    cover = _summary(made) if arguments.cover_letter and made.made else None
    posting = Posting(arguments.signoff, arguments.reroll_count, arguments.changes, cover)
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
