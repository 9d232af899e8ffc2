"""Mailed patches as commits on top of one commit of a clone, or of none."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ...base.dataclass import dataclass, field, replace
from ...base.patterns import pattern
from ...base.reading.git.commits import FILE, Commit, CommitReader
from ...base.reading.git.held import HeldCommits
from ...base.reading.git.repository import Repository
from ...base.reading.mail.series import MailedAnswer, MailedPatch, Series
from ...base.reading.patch.application import DoesNotApply, changed_files
from ...base.reading.patch.unified import FileChange
from ...base.wording import number_ranges
from ...tables.linux.governors.source.named import DIRECTORY
from ...tables.sources.format_driver import has_table
from .fragments import Hidden
from .result import Letter

Contents = dict[str, bytes | None]
"""Path -> content; None: the file goes."""

_SOURCES = (".c", ".dts", ".dtsi", ".yaml", ".yml", ".cfg", ".toml")
LINUX = ("arch/", "drivers/", "kernel/", "lib/")
"""Folders of Linux's C sources."""
_DEFINES = pattern(r"\s*(?:\#|[A-Z][A-Z0-9_]*\s*(?:=[^;]*)?,?\s*(?:/[*/].*)?$|.*\\$)", re.ASCII)
"""A directive, an enumerator, or a part of a macro."""
BEARS_NOT = "left out: it does not apply, and concerns no table"
_DEFINED = pattern(r"\s*#\s*define\s+(\w+)", re.ASCII)
_WORD = pattern(r"\w+", re.ASCII)
_SHORTLOG = pattern(r"^[^\s()][^()\n]{0,100} \([0-9]{1,4}\):\n(?=  \S)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Applied:
    """A series as commits, or commits of a clone.

    version     of the series, from 1
    base, head  hashes; base may be the clone's
    held        where its commits are read
    remarks     how the base was found, and what else the user must know
    partial     tables of which only the rows that the diff shows are known
    cover       the cover letter as a commit without a hash; None: there is none
    letters     its messages and diffs as mailed, the cover letter first
    answers     what others wrote to it
    hidden      commit -> the places in its files that no diff shows, where there is no tree
    unread      number of changed lines that could not be read, or fit nowhere
    left        (path, why) of the files that fit nowhere and are left out
    is_whole    whether all patches of the series are there
    shown       of files that fit nowhere, what their own lines show; None where all fit
    """

    version: int
    base: str
    head: str
    held: CommitReader
    remarks: tuple[str, ...] = ()
    partial: frozenset[str] = frozenset()
    cover: Commit | None = None
    letters: tuple[Letter, ...] = ()
    answers: tuple[MailedAnswer, ...] = ()
    hidden: Mapping[str, Hidden] = field(default_factory=dict)
    unread: int = 0
    left: tuple[tuple[str, str], ...] = ()
    is_whole: bool = True
    shown: "Applied | None" = None


def applied(
    series: Series,
    held: HeldCommits,
    base: str,
    head: str,
    hashes: Sequence[str],
    remarks: Sequence[str],
) -> Applied:
    """A series whose patches are commits. hashes: the commit of each, "" for one without."""
    cover = None
    letters = [
        _letter(patch, name, patch.message)
        for patch, name in zip(series.patches, hashes, strict=True)
    ]
    if series.cover is not None:
        # without the subjects that git lists at its end
        message = _SHORTLOG.split(series.cover.message, maxsplit=1)[0]
        cover = Commit("", "", message, date=series.cover.mail.date)
        letters.insert(0, _letter(series.cover, "", message))
    notes = list(remarks)
    if series.missing:
        notes.append(f"missing: patch {number_ranges(series.missing)} of the series")
    return Applied(
        series.version,
        base,
        head,
        held,
        tuple(dict.fromkeys(notes)),
        cover=cover,
        letters=tuple(letters),
        answers=series.answers,
        is_whole=not series.missing,
    )


def _letter(patch: MailedPatch, commit: str, message: str) -> Letter:
    """commit: the hash it is reviewed under. message: what of it is read."""
    mail = None if patch.is_quoted else patch.mail
    return Letter(commit, patch.subject, message, mail.date if mail else None, patch.files, mail)


def name_of(patch: MailedPatch) -> str:
    """Returns what findings call a mailed patch, which no repository has as a commit."""
    return f"the mail {patch.mail.message_id or patch.mail.place}"


def on_top(
    held: HeldCommits,
    series: Series,
    base: str,
    how: str,
    repository: Repository | None = None,
    *,
    only_once: bool = False,
    in_part: bool = False,
) -> Applied:
    """A series on top of one commit.

    how         a remark: which commit that is
    repository  that the commit is of, whose contents then have git's hashes; None: of none
    only_once   whether a hunk that is not where it says must have one place only
    in_part     whether files that do not fit are left out, with what later patches do to them
    Raises Unreadable (IS930) where it does not apply.
    """
    head = base
    remarks = [how]
    hashes = []
    left: dict[str, str] = {}
    for patch in series.patches:
        files: Contents = {}
        kinds: dict[str, str] = {}

        def content_of(path: str, parent: str = head, made: Contents = files) -> bytes | None:
            if path in made:
                return made[path]
            found = held.named(parent, path)
            return held.content(found[0]) if found else None

        for change in patch.files:
            place = patch.mail.place
            try:
                if left.keys() & {change.before, change.after}:
                    left.setdefault(change.path, "an earlier change does not fit")
                    continue
                made = [*changed_files(change, content_of, place, head[:9], only_once=only_once)]
            except DoesNotApply as problem:
                content = content_of(change.before) if change.before else None
                if reaches_tables(change, patch.files, content):
                    if not in_part:
                        raise
                    left[change.path] = problem.findings[0].message
                    continue
                remarks.append(f"{BEARS_NOT}: {change.path}")
                continue
            kinds[change.path] = change.becomes or FILE
            for path, content in made:
                files[path] = content
                if repository is not None and content is not None and path == change.after:
                    remarks += _differing(repository, change, content, is_same=not only_once)
        remarks += patch.remarks
        head = held.add(
            head, patch.message, files, date=patch.mail.date, mailed=name_of(patch), kinds=kinds
        )
        hashes.append(head)
    made_of = applied(series, held, base, head, hashes, remarks)
    return replace(made_of, unread=series.changed_lines(left), left=tuple(left.items()))


def undone(held: HeldCommits, series: Series, base: str) -> Contents:
    """Returns the files of a commit that has a series, or the first changes of one to a file,
    already, as they were before it."""
    path2changes: dict[str, list[FileChange]] = {}
    for change in series.files:
        path2changes.setdefault(change.path, []).append(change)
    found: Contents = {}
    for path, changes in path2changes.items():
        entry = held.named(base, path)
        content = held.content(entry[0]) if entry else None
        # as it is, then without all changes, without all but the last ones
        for count in (0, *range(len(changes), 0, -1)):
            try:
                before = _made(content, [each.inverse for each in reversed(changes[:count])])
                _made(before, changes)
            except DoesNotApply:
                continue
            if count:
                found[path] = before
            break
    return found


def _made(content: bytes | None, changes: Sequence[FileChange]) -> bytes | None:
    """Returns a file after the changes, one after another; None: there is none. Raises
    DoesNotApply, also for a file that is renamed."""
    for change in changes:
        held = {change.path: content}
        content = dict(changed_files(change, held.get, "", "", only_once=True)).get(change.path)
    return content


def reaches_tables(
    change: FileChange, beside: Sequence[FileChange], content: bytes | None = None
) -> bool:
    """Tells whether what a diff does to a file may bear on an idle-state table or on a governor.

    So do device-tree sources and specs; C sources of Linux with a table in them; headers whose
    macros or enumerators change, or whose new ones the other files of a patch use.

    beside   all files of the patch
    content  the file's before; None where it is not known
    """
    name = PurePosixPath(change.path)
    changed = [line for hunk in change.hunks for line in hunk.lines if line.mark != " "]
    if change.path.startswith(f"{DIRECTORY}/") and name.suffix in (".c", ".h"):
        return True
    if name.suffix == ".c" and change.path.startswith(LINUX):
        shown = [line.text for hunk in change.hunks for line in hunk.lines]
        text = "\n".join((*(hunk.section for hunk in change.hunks), *shown))
        return any(map(has_table, (text.encode("utf-8", "surrogateescape"), content or b"")))
    if name.suffix != ".h":
        return name.suffix in _SOURCES and name.parts[0] != "Documentation"
    if not any(_DEFINES.match(line.text) for line in changed):
        return False
    added = [_DEFINED.match(line.text) for line in changed if line.text.strip()]
    if any(line.mark == "-" for line in changed) or not all(added):
        return True
    names = {match[1] for match in added if match}
    return any(
        not names.isdisjoint(_WORD.findall(line.text))
        for other in beside
        if other is not change
        for hunk in other.hunks
        for line in hunk.lines
        if line.mark == "+"
    )


def _differing(
    repository: Repository, change: FileChange, content: bytes, *, is_same: bool
) -> list[str]:
    """is_same: whether the file before is the sender's."""
    if change.is_opaque:
        return [f"{change.path} has new content that the diff has not as text"]
    says = change.new_blob
    if is_same and says and not repository.blob_name(content).startswith(says):
        return [f"{change.path} differs from the sender's after the change ({says}), by its hash"]
    return []
