"""Replies to all threads of an archive of mails that change idle-state tables."""

import hashlib
import re
from collections.abc import Callable, Iterator

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Unreadable
from ...base.patterns import pattern
from ...base.reading.mail.archive import Archive, mails_of
from ...base.wording import plural
from . import reply_text
from .answer import opened_trees, review_of
from .archived import bears
from .request import ReviewRequest
from .result import Review

_ANSWERED = pattern(r"^In-Reply-To: <(.+)>$", re.MULTILINE)
_UNFIT = pattern(r"[^A-Za-z0-9@=_-]+")


@dataclass(frozen=True, slots=True)
class ThreadReply:
    """The result of reviewing a thread.

    subject  of its first mail
    review   None where it cannot be reviewed
    mail     the reply, "" for none; problem: why there is none
    """

    subject: str
    review: Review | None
    mail: str = ""
    problem: str = ""

    @property
    def file(self) -> str:
        """The name of a file for the reply, by the id of the mail that it answers."""
        found = _ANSWERED.search(self.mail)
        name = found[1] if found else self.mail
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return f"{_UNFIT.sub('-', name if found else 'reply')[:100].lstrip('-')}-{digest}.eml"


def replies(
    request: ReviewRequest, *, notes: bool, say: Callable[[str], None]
) -> Iterator[ThreadReply]:
    """Yields what came of each thread of an archive that may change tables. Raises OSError;
    Unreadable (IS930) where the archive itself cannot be read."""
    assert request.mail is not None
    archive = Archive(request.mail)
    threads = archive.threads(bears)
    say(f"{plural(archive.passed, 'mail')}, of them {plural(len(threads), 'thread')} to review")
    if archive.again:
        say(f"{plural(archive.again, 'mail')} with the id of an earlier one ignored")
    with opened_trees(request, say) as trees:
        while threads:
            mails, unread = mails_of(threads.pop(0))
            subject = mails[0].subject if mails else ""
            if unread:
                say(f"{subject}: {plural(unread, 'mail')} cannot be read")
            try:
                found = review_of(
                    mails, trees, replace(request, mail=mails[0].place if mails else "")
                )
            except Unreadable as problem:
                yield ThreadReply(subject, None, problem=problem.findings[0].message)
                continue
            mail = "" if found.is_answered else reply_text.render(found, notes=notes)
            yield ThreadReply(subject, found, mail, "" if mail else reply_text.silence(found))
