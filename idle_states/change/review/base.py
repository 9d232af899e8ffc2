"""Finds the commit of a clone that mailed patches were made on.

By the commit that a mail names; else by the hashes of the files' contents, which git puts into a
diff (lines "index"); else, where the clone has never had these contents, by the lines themselves.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ...base.dataclass import dataclass, field
from ...base.model.findings import Unreadable, unreadable
from ...base.reading import limits
from ...base.reading.git import FILE, Commit, CommitReader, HeldCommits, Repository
from ...base.reading.mail import MailedAnswer, MailedPatch, Series
from ...base.reading.patch import DoesNotApply, FileChange, changed_files
from ...base.wording import number_ranges
from ...tables.sources.format_driver import has_table
from .fragments import Hidden
from .result import Letter

Contents = dict[str, bytes | None]
"""Path -> content; None: the file goes."""

_DAY = 86_400
_SOURCES = (".c", ".dts", ".dtsi", ".yaml", ".yml", ".cfg", ".toml")
LINUX = ("arch/", "drivers/", "kernel/", "lib/")
"""Folders of Linux's C sources."""
_DEFINES = re.compile(r"\s*(?:\#|[A-Z][A-Z0-9_]*\s*(?:=[^;]*)?,?\s*(?:/[*/].*)?$|.*\\$)", re.ASCII)
"""A directive, an enumerator, or a part of a macro."""
_DEFINED = re.compile(r"\s*#\s*define\s+(\w+)", re.ASCII)
_WORD = re.compile(r"\w+", re.ASCII)
_SHORTLOG = re.compile(r"^[^\s()][^()\n]{0,100} \([0-9]{1,4}\):\n(?=  \S)", re.MULTILINE)


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
    unread      number of changed lines that could not be read, where there is no tree
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
    said = list(remarks)
    if series.missing:
        said.append(f"not there: patch {number_ranges(series.missing)} of the series")
    return Applied(
        series.version,
        base,
        head,
        held,
        tuple(dict.fromkeys(said)),
        cover=cover,
        letters=tuple(letters),
        answers=series.answers,
    )


def _letter(patch: MailedPatch, commit: str, message: str) -> Letter:
    """commit: the hash it is reviewed under. message: what of it is read."""
    author, date = ("", None) if patch.is_quoted else (patch.mail.author, patch.mail.date)
    return Letter(commit, patch.subject, message, author, date, patch.files)


def name_of(patch: MailedPatch) -> str:
    """Returns what findings call a mailed patch, which no repository has as a commit."""
    return f"the mail {patch.mail.message_id or patch.mail.place}"


def on_its_base(repository: Repository, series: Series, named: str = "") -> Applied:
    """A series on top of the commit it was made on.

    named: a revision that the user names as its base, or ""
    Raises Unreadable (IS930) where it applies to no commit.
    """
    if named:
        base = repository.resolve(named)
        return _with(repository, series, base, f"applied to {_named(repository, base)}, as told")
    wanted, added = _first_seen(series)
    date = max((int(p.mail.date.timestamp()) for p in series.patches if p.mail.date), default=None)
    head = repository.resolve("HEAD")
    # a commit that removes what a mail adds again may be its base
    paths = sorted({*wanted, *added})
    touching = repository.touching(paths, limits.MAIL_COMMITS) if wanted else []
    if series.base and repository.has(series.base):
        how = f"applied to {_named(repository, series.base)}, the base that it names"
        return _with(repository, series, series.base, how)
    if wanted and all(wanted.values()):
        candidates = [(head, 0), *touching]
        found = _by_contents(repository, wanted, added, candidates, date)
        if found:
            how = f"applied to {_named(repository, found)}, found by the hashes in its diff"
            return _with(repository, series, found, how)
        missing = "the clone has not the contents that the diff's hashes name"
    else:
        missing = "the diff has no hashes of contents"
    commits = _ordered(head, touching, date)
    bearing = {
        change.before
        for patch in series.patches
        for change in patch.files
        if reaches_tables(change, patch.files)
    }
    needed = [path for path in sorted(wanted) if path in bearing]
    return _by_lines(repository, series, needed, commits, missing)


def _first_seen(series: Series) -> tuple[dict[str, str], list[str]]:
    """Returns path -> beginning of the hash of its content before the series ("" if not said), of
    files that are there before; and the files that it adds before it changes them."""
    found: dict[str, str] = {}
    made: set[str] = set()
    before: set[str] = set()
    added: dict[str, None] = {}
    for change in (change for patch in series.patches for change in patch.files):
        if change.before is not None:
            before.add(change.before)
            if change.before not in made:
                found.setdefault(change.before, change.old_blob)
        elif change.after is not None and change.after not in before:
            added[change.after] = None
        if change.after is not None:
            made.add(change.after)
    return found, list(added)


def _by_contents(
    repository: Repository,
    wanted: dict[str, str],
    added: Sequence[str],
    commits: list[tuple[str, int]],
    date: int | None,
) -> str:
    """The newest commit with these contents, and without the files that are added, that is not
    later than the mail; "" for none."""
    later = ""
    for name, seconds in commits:
        if all(_has(repository, name, path, start) for path, start in wanted.items()) and not any(
            repository.named(name, path) for path in added
        ):
            if date is None or seconds <= date + _DAY:
                return name
            later = name
    return later


def _has(repository: Repository, commit: str, path: str, start: str) -> bool:
    found = repository.named(commit, path)
    return bool(found) and found[0].hash.startswith(start)


def _ordered(head: str, touching: list[tuple[str, int]], date: int | None) -> list[str]:
    """Commits to try: those before the mail, the newest first, then HEAD, then those after it."""
    before = [name for name, seconds in touching if date is not None and seconds <= date + _DAY]
    return list(dict.fromkeys([*before, head, *(name for name, _ in touching)]))


def _by_lines(
    repository: Repository, series: Series, paths: list[str], commits: list[str], missing: str
) -> Applied:
    """On the first commit whose files have the lines of every hunk, and each only once."""
    tried = set()
    problem: Unreadable | None = None
    for name in commits:
        contents = tuple(entry.hash for path in paths for entry in repository.named(name, path))
        if contents in tried or len(contents) < len(paths):
            continue
        tried.add(contents)
        try:
            how = f"{missing}: applied to {_named(repository, name)}, by the lines of its hunks"
            return _with(repository, series, name, how, only_once=True)
        except DoesNotApply as found:
            problem = problem or found
    if problem is not None:
        raise problem
    where = series.patches[0].mail.place
    listed = ", ".join(paths[:3])
    raise unreadable(where, f"expected a commit of {repository.shown} with {listed}, found none")


def _with(
    repository: Repository, series: Series, base: str, how: str, *, only_once: bool = False
) -> Applied:
    held = HeldCommits(repository, repository.shown)
    return on_top(held, series, base, how, repository, only_once=only_once)


def on_top(
    held: HeldCommits,
    series: Series,
    base: str,
    how: str,
    repository: Repository | None = None,
    *,
    only_once: bool = False,
) -> Applied:
    """A series on top of one commit.

    how         a remark: which commit that is
    repository  that the commit is of, whose contents then have git's hashes; None: of none
    only_once   whether a hunk that is not where it says must have one place only
    Raises Unreadable (IS930) where it does not apply.
    """
    head = base
    remarks = [how]
    hashes = []
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
                made = [*changed_files(change, content_of, place, head[:9], only_once=only_once)]
            except DoesNotApply:
                content = content_of(change.before) if change.before else None
                if reaches_tables(change, patch.files, content):
                    raise
                remarks.append(
                    f"left out, as it does not apply and bears on no table: {change.path}"
                )
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
    return applied(series, held, base, head, hashes, remarks)


def reaches_tables(
    change: FileChange, beside: Sequence[FileChange], content: bytes | None = None
) -> bool:
    """Tells whether what a diff does to a file may bear on an idle-state table.

    So do device-tree sources and specs; C sources of Linux with a table in them; headers whose
    macros or enumerators change, or whose new ones the other files of a patch use.

    beside   all files of the patch
    content  the file's before; None where it is not known
    """
    name = PurePosixPath(change.path)
    changed = [line for hunk in change.hunks for line in hunk.lines if line.mark != " "]
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
        return [f"{change.path} becomes another than the sender's ({says}), by its hash"]
    return []


def _named(repository: Repository, commit: str) -> str:
    found = repository.commit(commit)
    return f"{found.short} ({found.subject[:60]})"
