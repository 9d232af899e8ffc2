"""The messages of a change and their diffs, as somebody who answers them quotes them."""

from datetime import datetime

from ...base.dataclass import dataclass
from ...base.reading.git import Commit
from ...base.reading.mail import MailedPatch
from ...base.reading.patch import FileChange


@dataclass(frozen=True, slots=True)
class Letter:
    """A patch of a mail, a cover letter, or a commit.

    commit   hash; "" of a cover letter
    subject  without tags
    message  the whole message, the subject first
    author   name and address, "" where that is not known
    date     when it was written, None likewise
    files    what the diff does, as mailed; empty for a commit of a repository
    """

    commit: str
    subject: str
    message: str
    author: str = ""
    date: datetime | None = None
    files: tuple[FileChange, ...] = ()


def of_mail(patch: MailedPatch, commit: str = "", message: str | None = None) -> Letter:
    """commit: the hash it is reviewed under. message: of a cover letter, what of it is read."""
    mail = patch.mail
    text = patch.message if message is None else message
    author, date = ("", None) if patch.is_quoted else (mail.author, mail.date)
    return Letter(commit, patch.subject, text, author, date, patch.files)


def of_commit(commit: Commit) -> Letter:
    return Letter(commit.hash, commit.subject, commit.message, date=commit.date)


def named(patch: MailedPatch) -> str:
    """What findings call a mailed patch, which no repository has as a commit."""
    return f"the mail {patch.mail.message_id or patch.mail.place}"
