"""Makes patches for a skiboot tree from descriptions, or from a table that the tree's is to become.

SERIES is a description, a directory of them, or a packaged one (--list). Only the values that
change are touched; a value already as wanted is left alone, one that is neither old nor new is an
error. Without an option, patches are written like git format-patch's, for git am. --check writes
nothing and exits 1 where tree and series, or tree and specs, differ."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..patches.description import Patch
    from ..patches.plan import Plan
    from ..patches.tree import Tree

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
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    from .options import UsageError

    if arguments.list:
        return _list(arguments)
    if not arguments.tree:
        raise UsageError("expected --tree DIR, skiboot's source")
    if not arguments.series and not arguments.check:
        raise UsageError("expected a SERIES or TABLE (see --list and idle-states list)")
    if arguments.stdout and arguments.format == "json":
        raise UsageError("expected --stdout without --format json; a mailbox is no JSON")
    return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from ..patches.plan import plan
    from ..patches.tree import Tree
    from .options import say

    tree = Tree(Path(arguments.tree))
    patches, absent = _patches(arguments, tree)
    if not arguments.check:
        _refuse_dirty(tree, arguments.force)
    made = plan(tree, patches)
    _note_unknown_release(made)
    if arguments.check:
        return _check(arguments, made, absent)
    written = _write(arguments, made)
    for note in tree.notes:
        say(f"{tree.root.as_posix()}: {note}")
    _report(arguments, made, absent, written)
    return 0


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


def _list(arguments: argparse.Namespace) -> int:
    from ..patches.library import packaged
    from ..report import patch_output, printer
    from ..report.documents.patch import Packaged
    from ..report.json_output import envelope

    patches = packaged()
    if arguments.format == "json":
        inputs = [(patch.file, patch.sha256) for patch in patches]
        printer.document(envelope("patch", Packaged, patches, inputs))
    else:
        printer.text(patch_output.list_text(patches))
    return 0


def _patches(arguments: argparse.Namespace, tree: "Tree") -> tuple[list["Patch"], list[str]]:
    """What is asked for; and the current revisions whose table the tree has not got."""
    from ..patches.library import patch_for, series
    from ..sources import NoSuchTable, read_table

    if arguments.series is None:
        return _current(tree)
    found = series(arguments.series)
    if found is not None:
        return found, []
    try:
        source = read_table(arguments.series)
    except NoSuchTable as error:
        raise NoSuchTable(f"{error}; packaged patches are listed by patch --list") from None
    assert source.table is not None
    return [patch_for(source.table, arguments.series, source.file, source.sha256)], []


def _current(tree: "Tree") -> tuple[list["Patch"], list[str]]:
    """A patch for each array of the tree that a current revision has, and the arrays left."""
    from ..patches.library import FORMER_NAMES, patch_for
    from ..spec.library import find
    from ..spec.packaged import current

    patches: dict[str, Patch] = {}
    absent = []
    for name in current():
        table = find(name)
        array = table.firmware.array
        if not array or array in patches:
            continue
        if any(known in tree.arrays for known in (array, *FORMER_NAMES.get(array, ()))):
            patches[array] = patch_for(table, name, table.origin.file, table.origin.sha256)
        else:
            absent.append(f"{name} ({array})")
    return list(patches.values()), absent


def _refuse_dirty(tree: "Tree", force: bool) -> None:
    from .options import UsageError

    if tree.modified and not force:
        names = ", ".join(tree.modified[:5]) + (", ..." if len(tree.modified) > 5 else "")
        raise UsageError(
            f"expected a tree without uncommitted changes, found {names}; --force goes on anyway"
        )


def _check(arguments: argparse.Namespace, made: "Plan", absent: list[str]) -> int:
    from ..report import patch_output, printer
    from ..report.style import Style

    if arguments.format == "json":
        _report(arguments, made, absent, [])
    else:
        printer.text(patch_output.check_text(made, absent, Style.of()))
    return int(bool(made.made))


def _write(arguments: argparse.Namespace, made: "Plan") -> list[str]:
    """The patches or files; what was written."""
    from pathlib import Path

    from ..files import naming, write_file
    from ..patches.write import write
    from ..report import printer
    from ..report.patch_mail import mails

    if arguments.apply:
        write(made.tree, made.files)
        return [(made.tree.root / name).as_posix() for name in made.files]
    rendered = mails(made)
    if arguments.stdout:
        with naming("standard output"):
            printer.document(b"".join(content for _, content in rendered))
            printer.flush()
        return []
    directory = Path(arguments.output or ".")
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in rendered:
        write_file(directory / name, content)
    return [(directory / name).as_posix() for name, _ in rendered]


def _report(
    arguments: argparse.Namespace, made: "Plan", absent: list[str], written: list[str]
) -> None:
    import hashlib

    from ..report import patch_output, printer
    from ..report.documents.patch import Planned, planned
    from ..report.json_output import envelope
    from ..report.patch_diff import encoded

    if arguments.format == "json":
        inputs = [(step.patch.file, step.patch.sha256) for step in made.steps if step.patch.file]
        for name, text in made.tree.files.items():
            digest = hashlib.sha256(encoded(text)).hexdigest()
            inputs.append(((made.tree.root / name).as_posix(), digest))
        came = planned(made, absent, written)
        printer.document(envelope("patch", Planned, came, inputs))
        return
    tell = printer.say_text if arguments.stdout else printer.text
    tell(patch_output.done_text(made, written))
