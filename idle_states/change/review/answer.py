"""The answer to a request for a review."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Unreadable, UsageError, identities
from ...base.patterns import pattern
from ...base.reading.git.repository import Repository
from ...base.report.findings_text import shown as findings_shown
from ...base.wording import few, plural
from .base import Applied
from .request import ReviewRequest
from .result import EarlierVersion, Letter, Review
from .review import Yardstick, ends, has_tables
from .review import review as review_commits

if TYPE_CHECKING:
    from ...base.reading.mail.mail import Mail
    from ...base.reading.mail.series import Series

_NAMED = 3
"""Files that a remark names."""

_SIGNED = pattern(r"^-- \nidle-states ", re.MULTILINE)
"""The end of a reply that a review made."""


def review(request: ReviewRequest, say: Callable[[str], None] = lambda message: None) -> Review:
    """Reviews as requested. say: called with notes for the user. Raises BadRange, Unreadable,
    OSError."""
    with opened_trees(request, say) as trees:
        if request.mail is None:
            (tree,) = trees
            base, head = ends(tree, request.range)
            found = _review(request, Applied(1, base, head, tree), request.runs)
            return replace(found, about=_about(request, tree.prefix))
        from ...base.reading.mail.archive import is_archive
        from ...base.reading.mail.box import read_mails
        from .archived import only_thread

        many = is_archive(request.mail)
        mails = only_thread(request.mail) if many else read_mails(request.mail)[0]
        return review_of(mails, trees, request)


@contextmanager
def opened_trees(request: ReviewRequest, say: Callable[[str], None]) -> Iterator[list[Repository]]:
    """A context manager around the use of the trees that a request names. say: as of `review`."""
    with ExitStack() as opened:
        trees = []
        for tree in _trees(request):
            opened.callback(tree.close)
            trees.append(tree)
            for note in tree.notes:
                say(f"{tree.shown}: {note}")
        yield trees


def review_of(
    mails: "Sequence[Mail]", trees: Sequence[Repository], request: ReviewRequest
) -> Review:
    """Reviews a thread as requested. Raises Unreadable."""
    from ...base.reading.mail.series import series_of

    assert request.mail is not None
    if not trees and (request.base or request.specs):
        raise UsageError("--base and --specs need a repository: add --tree DIR")
    versions = series_of(mails, request.mail)[-2:]
    return _mailed(request, [_placed(trees, series, request) for series in versions])


def _placed(trees: Sequence[Repository], series: "Series", request: ReviewRequest) -> Applied:
    """Returns a series on its base; where it fits no commit, as far as it fits one, or from the
    lines that it shows alone, whichever leaves fewer changed lines unread. Raises DoesNotApply
    where the user names the base, or the tables are specs."""
    from ...base.reading.patch.application import DoesNotApply
    from .context import without_tree
    from .search import BaseSearch

    assert request.mail is not None
    if not trees:
        return without_tree(series, request.mail)
    search = BaseSearch(trees, series)
    try:
        return search.on_base(request.base)
    except DoesNotApply as problem:
        if request.base or request.specs:
            raise
        why = problem.findings[0].message
    made = without_tree(series, request.mail)
    part = search.in_part()
    if part is not None:
        left = dict(part.left)
        headers = series.changed_lines({path for path in left if path.endswith(".h")})
        made = replace(made, unread=made.unread + headers)
        if left and not search.bearing <= {*left, None}:
            shown = without_tree(series, request.mail, left)
            part = replace(part, shown=shown, unread=shown.unread + headers)
        # between one file that fits and one that does not, no table is seen to move
        moves = any(change.after is None for change in series.files)
        if not left or (part.shown and part.unread + moves <= made.unread):
            return part
    where = f"fits no commit of {search.shown}: {why}"
    if part is not None and len(part.left) > 1:
        where += f"; nor fit {few([path for path, _ in part.left], _NAMED)}"
    return replace(made, remarks=(where, *made.remarks))


def _trees(request: ReviewRequest) -> Iterator[Repository]:
    """Yields the repositories that are reviewed or searched; for mails, none where none is named
    and the current folder lies in none with tables."""
    if request.trees or request.mail is None:
        yield from map(Repository, request.trees or (Path(),))
        return
    try:
        here = Repository(Path())
    except Unreadable:
        return
    try:
        if request.specs or has_tables(here, here.resolve("HEAD")):
            yield here
            return
    except Unreadable:
        pass
    here.close()


def _review(request: ReviewRequest, made: Applied, runs: int | None) -> Review:
    """The review of what is applied, and of what other files show. runs: as of Yardstick."""
    found = _reviewed(request, made, runs)
    if made.shown is None:
        return found
    shown = _reviewed(request, made.shown, runs)
    changes = (replace(change, message=(), claims=()) for change in shown.changes)
    return replace(
        found,
        changes=(*found.changes, *(change for change in changes if change.says_something)),
        texts=shown.texts | found.texts,
        remarks=(*found.remarks, *made.shown.remarks, *shown.remarks),
        unread_lines=found.unread_lines + shown.unread_lines,
    )


def _reviewed(request: ReviewRequest, made: Applied, runs: int | None) -> Review:
    circumstances = Yardstick(
        request.criteria,
        request.governor,
        request.hz,
        request.accept,
        of_commits=request.acceptance.config is None,
        runs=runs,
        partial=made.partial,
        hidden=made.hidden,
        compiles=request.run and runs is not None,
    )
    several = made.held.count(made.base, made.head) > 1
    return review_commits(
        made.held,
        made.base,
        made.head,
        circumstances,
        specs=request.specs,
        # without a tree, each of several patches has its own ends
        per_commit=request.per_commit or (bool(made.hidden) and several),
        cover=made.cover,
        answers=made.answers,
    )


def _mailed(request: ReviewRequest, versions: Sequence[Applied]) -> Review:
    """The review of the newest version, with what it brings that the one before it did not."""
    *older, newest = versions
    found = _review(request, newest, request.runs)
    remarks = [*newest.remarks, *found.remarks]
    earlier = None
    for series in older:
        before = _review(request, series, None)
        remarks += _between(before, found, series.version, newest.version)
        if newest.is_whole and not newest.unread:
            earlier = _since(before, found, series.version)
        if series.answers:
            count = plural(len(series.answers), "answer")
            remarks.append(f"{count} to v{series.version} ignored")
    return replace(
        found,
        remarks=tuple(dict.fromkeys(remarks)),
        letters=newest.letters,
        is_mailed=True,
        unread_lines=newest.unread + found.unread_lines,
        about=_about(request, newest.held.prefix, newest.letters),
        earlier=earlier,
        is_answered=any(_SIGNED.search(answer.mail.text) for answer in newest.answers),
    )


def _since(older: Review, newer: Review, number: int) -> EarlierVersion:
    """Returns what became of an older version's findings, by rule and logical path."""
    before, now = (
        dict(zip(identities(shown), shown, strict=True))
        for shown in (findings_shown(one.new, notes=False) for one in (older, newer))
    )
    gone = tuple(finding for name, finding in before.items() if name not in now)
    return EarlierVersion(number, gone, tuple(f for name, f in now.items() if name in before))


def _about(
    request: ReviewRequest, directory: str, letters: Sequence[Letter] = ()
) -> tuple[str, ...]:
    """For `Review.about`. letters: of what is mailed."""
    by = request.criteria
    how = (request.governor, str(request.hz), *(kernel.name for kernel in by.kernels))
    return (
        "specs" if request.specs else "skiboot",
        directory,
        "each" if request.per_commit else "all",
        *how,
        *(letter.subject for letter in letters[:1]),
    )


def _between(older: Review, newer: Review, before: int, after: int) -> Iterator[str]:
    """Yields the differences between the table changes of a version and of the one before."""
    old, new = _effects(older), _effects(newer)
    versions = f"v{after} against v{before}"
    if old == new:
        yield f"{versions}: the same in all tables"
    for key, text in new.items():
        if old.get(key) != text:
            yield f"{versions}: {': '.join(key)} {text}, was {old.get(key, 'not changed')}"
    for key, text in old.items():
        if key not in new:
            yield f"{versions}: {': '.join(key)} not changed (was {text})"


def _effects(found: Review) -> dict[tuple[str, str], str]:
    """(table, what) -> how it changes."""
    return {
        (table.source.name, difference.path): f"{difference.a} -> {difference.b}"
        for change in found.changes
        for table in change.tables
        for difference in table.differences
    }
