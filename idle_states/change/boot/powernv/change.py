"""The application of a series to a skiboot tree, before it is built: patch descriptions, or
patches as they are mailed. Nothing is written."""

from collections.abc import Mapping
from pathlib import Path

from ....base.dataclass import dataclass, field
from ....base.model.findings import UsageError, unreadable
from ....base.reading import opening
from ....base.reading.mail.box import read_mails
from ....base.reading.mail.series import series_of
from ....base.reading.patch.application import changed_files
from ...patches.library import series as descriptions
from ...patches.plan import Plan, plan
from ...patches.tree import PatchedTree
from ...patches.work_tree import as_bytes


@dataclass(frozen=True, slots=True)
class TreeChange:
    """Files of a tree that are other than the tree's own.

    subjects  of the patches, in order; none for the tree as it is
    files     path -> content; None for a file that is removed
    remarks   what the user must know of how the patches were read
    """

    subjects: tuple[str, ...] = ()
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


UNCHANGED = TreeChange()


def change_of(tree: PatchedTree, text: str) -> TreeChange:
    """The change that a SERIES makes.

    text  a patch description, a directory of them, the name of a packaged one; or a file or a
          directory of mails or diffs, of which the newest version counts
    Raises UsageError for what is neither, and for descriptions that change nothing in this tree;
    Faulty, Unreadable where they do not apply.
    """
    found = descriptions(text)
    if found is not None:
        return _described(plan(tree, found))
    if not (opening.is_file(Path(text)) or opening.is_directory(Path(text))):
        raise UsageError(
            "expected a patch description, a directory of them, a packaged one (patch --list), or "
            f"patches as git format-patch writes them, found {text!r}"
        )
    return _mailed(tree, text)


def _described(made: Plan) -> TreeChange:
    left = [
        f"{step.patch.name}: {step.status}{f', {step.reason}' if step.reason else ''}"
        for step in made.steps
        if step not in made.made
    ]
    if not made.made:
        raise UsageError(f"expected patches that change this tree, found {'; '.join(left)}")
    return TreeChange(
        tuple(step.patch.subject for step in made.made), as_bytes(made.files), tuple(left)
    )


def _mailed(tree: PatchedTree, text: str) -> TreeChange:
    *_, newest = series_of(read_mails(text)[0], text)
    if newest.missing:
        numbers = ", ".join(map(str, newest.missing))
        raise unreadable(text, f"expected the whole series, found no patch {numbers} of it")
    files: dict[str, bytes | None] = {}
    remarks: list[str] = []

    def content_of(path: str) -> bytes | None:
        return files[path] if path in files else tree.content(path)

    for patch in newest.patches:
        for change in patch.files:
            if change.is_opaque:
                message = f"expected the new content of {change.path} as text, found none"
                raise unreadable(patch.mail.place, message)
            shown = tree.root.as_posix()
            place = patch.mail.place
            files.update(changed_files(change, content_of, place, shown, only_once=True))
        remarks += patch.remarks
    return TreeChange(tuple(patch.subject for patch in newest.patches), files, tuple(remarks))
