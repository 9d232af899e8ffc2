"""The answer to a request for a review."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...base.dataclass import replace
from ...base.model.findings import Unreadable, UsageError
from ...base.reading.git import Repository
from ...base.reading.mail import Series, read_mails, series_of
from ...base.reading.patch import DoesNotApply
from ...base.wording import plural
from .base import Applied, on_its_base, reaches_tables
from .context import changed_lines, without_tree
from .request import ReviewRequest
from .result import Letter, Review
from .review import Yardstick, ends, has_tables
from .review import review as review_commits


def review(request: ReviewRequest, say: Callable[[str], None] = lambda message: None) -> Review:
    """Reviews as requested. say: called with notes for the user. Raises BadRange, Unreadable,
    OSError."""
    repository = _repository(request)
    if repository is None:
        assert request.mail is not None
        if request.base or request.specs:
            raise UsageError("--base and --specs need a repository: add --tree DIR")
        versions = series_of(read_mails(request.mail)[0], request.mail)
        return _mailed(request, [without_tree(series, request.mail) for series in versions[-2:]])
    try:
        for note in repository.notes:
            say(f"{repository.shown}: {note}")
        if request.mail is None:
            base, head = ends(repository, request.range)
            found = _review(request, Applied(1, base, head, repository), request.runs)
            return replace(found, about=_about(request, repository.prefix))
        versions = series_of(read_mails(request.mail)[0], request.mail)
        made = [_placed(repository, series, request) for series in versions[-2:]]
        return _mailed(request, made)
    finally:
        repository.close()


def _placed(repository: Repository, series: Series, request: ReviewRequest) -> Applied:
    """Returns a series on its base; where it fits no commit, from the lines that it shows. Raises
    DoesNotApply where the user names the base, or the tables are specs."""
    assert request.mail is not None
    try:
        return on_its_base(repository, series, request.base)
    except DoesNotApply as problem:
        if request.base or request.specs:
            raise
        made = without_tree(series, request.mail)
        where = f"fits no commit of {repository.shown}: {problem.findings[0].message}"
        unread = made.unread + sum(
            changed_lines(change)
            for patch in series.patches
            for change in patch.files
            if change.path.endswith(".h") and reaches_tables(change, patch.files)
        )
        return replace(made, remarks=(where, *made.remarks), unread=unread)


def _repository(request: ReviewRequest) -> Repository | None:
    """Returns the repository that is reviewed; for mails, None where none is named and the current
    folder lies in none with tables."""
    if request.tree is not None or request.mail is None:
        return Repository(request.tree or Path())
    try:
        here = Repository(Path())
    except Unreadable:
        return None
    try:
        if request.specs or has_tables(here, here.resolve("HEAD")):
            return here
    except Unreadable:
        pass
    here.close()
    return None


def _review(request: ReviewRequest, made: Applied, runs: int | None) -> Review:
    """runs: as of Yardstick."""
    circumstances = Yardstick(
        request.criteria,
        request.governor,
        request.hz,
        request.accept,
        of_commits=request.acceptance.config is None,
        runs=runs,
        partial=made.partial,
        hidden=made.hidden,
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
    for series in older:
        earlier = _review(request, series, None)
        remarks += _between(earlier, found, series.version, newest.version)
        if series.answers:
            count = plural(len(series.answers), "answer")
            remarks.append(f"{count} to v{series.version} left aside")
    return replace(
        found,
        remarks=tuple(remarks),
        letters=newest.letters,
        is_mailed=True,
        unread_lines=newest.unread,
        about=_about(request, newest.held.prefix, newest.letters),
    )


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
    """What a version changes in tables otherwise than the one before."""
    old, new = _effects(older), _effects(newer)
    versions = f"v{after} against v{before}"
    if old == new:
        yield f"{versions}: the same in all tables"
    for key, text in new.items():
        if old.get(key) != text:
            yield f"{versions}: {': '.join(key)} {text}, was {old.get(key, 'not changed')}"
    for key, text in old.items():
        if key not in new:
            yield f"{versions}: {': '.join(key)} not changed, was {text}"


def _effects(found: Review) -> dict[tuple[str, str], str]:
    """(table, what) -> how it changes."""
    return {
        (table.source.name, difference.path): f"{difference.a} -> {difference.b}"
        for change in found.changes
        for table in change.tables
        for difference in table.differences
    }
