"""What mails that answer others say themselves: without what they quote, diffs and signatures."""

import re
from collections.abc import Iterator, Sequence

from ...dataclass import dataclass
from .mail import Mail
from .quoting import unquoted
from .subjects import is_reply

_ENDS = re.compile(r"-- |-{2,}\s*(?:Original Message|Forwarded message)\s*-{2,}|_{20,}|diff --git ")
"""Lines after which nothing is the writer's own."""
_WROTE = re.compile(r"On .{1,200}\bwrote:")


@dataclass(frozen=True, slots=True)
class MailedAnswer:
    """text: the mail's, with empty lines for all that is not its writer's own."""

    mail: Mail
    text: str

    @property
    def place(self) -> str:
        return self.mail.place

    def line_in_file(self, line: int) -> int | None:
        """The line of the file that a line of the text is; None where the text was encoded."""
        return self.mail.first + line - 1 if self.mail.first else None


def answers(mails: Sequence[Mail]) -> Iterator[MailedAnswer]:
    """The answers among mails that say something, in order; those with patches of their own are
    none."""
    for mail in mails:
        if is_reply(mail.subject) or unquoted(mail.text)[1]:
            text = _own(mail)
            if text.strip():
                yield MailedAnswer(mail, text)


def _own(mail: Mail) -> str:
    lines = []
    for line in mail.text.split("\n"):
        said = line.strip()
        if _ENDS.match(line):
            break
        is_own = not said.startswith((">", "|")) and not _WROTE.fullmatch(said)
        # of an archive's page, the subject is in the text
        lines.append(line if is_own and said != mail.subject else "")
    return "\n".join(lines)
