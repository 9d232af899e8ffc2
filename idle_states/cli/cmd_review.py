"""Reviews a change before it is merged: compares a git repository at both ends of BASE..HEAD.
Without a range: the last commit. BASE...HEAD is what HEAD adds since it left BASE.

A change may also be mail: files of git format-patch, an mbox, a maildir, a diff, a reply that
quotes one; of several versions of a series, the newest counts. The commit that it was made on is
found in the repository, and repairs to the mail are reported. Several --tree are searched by the
commit that the mail names, by the hashes in its diff and by the lines of its hunks; the answer
names the tree, the commit, and files that fit nowhere. Without a repository, a diff is reviewed
from the lines that it shows, with the packaged table that agrees with them.

setup.cfg is read from the commits, not from the current folder, unless --config names one.
Suppressions that the change adds are listed, and do not hide findings of the change itself.

--format reply is a mail that answers a thread once, with quotes; it lists new errors and new
warnings of high confidence, and is empty if there are none. With a folder as -o, each thread of a
mailbox that changes idle states gets one; DIR@OLD..NEW are the mails of a list kept in git, one a
commit. --format markdown is a comment for a pull request, with the same first line for every
version of the change.

The repository is skiboot, one with device-tree sources (Linux, U-Boot, Zephyr), or with --specs one
of specs; it may be bare. Nothing is checked out. For device-tree sources, every board with a
changed table is reviewed, each table once with its boards.

For Linux, the tables built into drivers are reviewed too: intel_idle.c, with the processors that
get another table, and drivers/cpuidle.

--run compiles each changed governor (drivers/cpuidle/governors) before and after the change, runs
both confined over packaged tables, and reports the decisions that differ.

Exits 1 if the change adds findings at or above --fail-on, and 3 if changed lines of a diff without
its tree could not be read, or a governor not compared; the first line says so."""

from ..base.dataclass import dataclass, replace
from ..base.options import Annotated, Options
from ..change.review.request import ReviewRequest
from .output import USUAL, Output, formats
from .shown import USUAL as SHOWN
from .shown import Shown


@dataclass(frozen=True, slots=True)
class ReviewCommand:
    """Options of `review`."""

    request: ReviewRequest
    shown: Annotated[Shown, Options(statistics=None, after="--config")] = SHOWN
    out: Annotated[
        Output,
        Options(
            format=formats("markdown", "reply", "json", "sarif", "github", "junit"),
            after="--suppressed",
        ),
    ] = USUAL


TELLS_ENDS = True
"""It follows kernels that are not known to their ends itself."""


def run(given: ReviewCommand) -> int:
    from ..base.model.findings import UsageError
    from ..base.reading.opening import is_directory
    from ..base.report.findings_text import FoundPart
    from ..base.resources import in_package
    from ..change.review.answer import review
    from .missing_core import note_missing_core
    from .shown import note_rules
    from .status import UNREADABLE
    from .values import say

    request, out, show = given.request, given.out, given.shown
    note_rules(request.criteria)
    if request.governor:
        note_missing_core()
    if request.mail is not None and out.format == "reply" and out.file and is_directory(out.file):
        if out.html:
            raise UsageError("expected one review with --html, found a folder of replies as -o")
        return _answer_all(given, out.file)
    found = review(request, say)
    inputs = found.inputs
    if out.html:
        from ..change.review import page as review_page

        page = review_page.sheet(found, request.criteria.platform, notes=show.notes)
        out.page("review", page, inputs)
    if out.format == "text":
        from ..change.review import plain_text as review_text

        out.text(review_text.render(found, notes=show.notes, suppressed=show.suppressed))
    elif out.format == "reply":
        from ..change.review import reply_text as review_reply

        mail = in_package(review_reply.render(found, notes=show.notes))
        if mail and not found.is_answered:
            out.text(mail)
        else:
            say(review_reply.silence(found))
    elif out.format == "markdown":
        from ..change.review import markdown as review_markdown

        out.text(in_package(review_markdown.render(found, notes=show.notes)))
    elif out.format == "json":
        from ..change.review.review_document import Review
        from ..tables.documents.json_output import envelope

        out.document(envelope("review", Review, found, inputs, request.criteria.kernels))
    else:
        from ..change.review import words as review_words
        from ..tables.check.formats import render

        if found.unread_lines:
            say(review_words.unread_lines(found))
        findings = show.annotated(out.format, found.new)
        part = FoundPart(findings, inputs, found.texts)
        out.document(render(out.format, "review", part, fail_on=show.fail_on))
    return UNREADABLE if found.unread_lines or found.has_failed else show.status_of(found.new)


def _answer_all(given: ReviewCommand, folder: str) -> int:
    """Writes a reply to each thread into a folder."""
    from pathlib import Path

    from ..base.resources import in_package
    from ..change.review.replies import replies
    from .status import UNREADABLE
    from .values import say

    out, show = given.out, given.shown
    status = count = 0
    for one in replies(given.request, notes=show.notes, say=say):
        if one.mail:
            count += 1
            replace(out, file=str(Path(folder, one.file))).text(in_package(one.mail))
        else:
            say(f"{one.subject}: {one.problem}")
        found = one.review
        lost = found is None or found.unread_lines or found.has_failed
        status = max(status, UNREADABLE if lost else show.status_of(found.new if found else ()))
    say(f"{count} {'reply' if count == 1 else 'replies'} in {folder}")
    return status
