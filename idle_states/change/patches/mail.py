"""Patches as `git format-patch` writes them, ready for `git am`. The same input gives the same
bytes: the date is SOURCE_DATE_EPOCH's, else the description's, else today's.
"""

import datetime
import hashlib
import re
from collections.abc import Mapping, Sequence
from email.utils import format_datetime

from ... import __version__
from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.report.diff import blob, counts, encoded, file_diff, quoted
from ...base.report.escapes import mail as escapes
from ...base.report.escapes.mail import address, header
from ...base.report.escapes.text import printable
from ...base.report.tables import wrapped
from ...tables.check.accepted import source_date
from .plan import PatchStep, Plan, listed
from .revision_text import added_lines, left_lines
from .sheet import described

_FROM = f"From {'0' * 40} Mon Sep 17 00:00:00 2001\n"
_NOBODY = "idle-states <idle-states@localhost>"
_SLUG_CHARACTERS = 52
_WIDTH = 72


def file_name(step: PatchStep, number: int) -> str:
    """Returns the name that git gives a patch's file: 0001-slw-Modify-....patch."""
    slug = re.sub(r"[^A-Za-z0-9._]+", "-", step.patch.subject).strip("-.")
    return f"{number:04}-{re.sub(r'[.]+', '.', slug)[:_SLUG_CHARACTERS].rstrip('-.')}.patch"


@dataclass(frozen=True, slots=True)
class Posting:
    """The options for sending a series.

    sign_off  whether the author signs off, who then must be known
    version   of the series, from 1
    before    the version before
    changes   what is different from it, a line each, for below the first mail's ---
    cover     what a cover letter says of the review, in lines; None: there is no cover letter, and
              the mails are no thread
    """

    sign_off: bool = False
    version: int = 1
    before: int = 0
    changes: tuple[str, ...] = ()
    cover: str | None = None


def mails(plan: Plan, posting: Posting = Posting()) -> list[tuple[str, bytes]]:
    """Returns (file name, content) of a mail for each patch that changes something, a cover letter
    before them. Raises UsageError where nobody is known who could sign off."""
    sign_off = posting.sign_off
    if sign_off and plan.tree.identity is None:
        raise UsageError(
            "expected an author who signs off, found none; git config user.name and user.email, or "
            "GIT_AUTHOR_NAME and GIT_AUTHOR_EMAIL, name one"
        )
    lead = "" if posting.version == 1 else f"v{posting.version}-"
    found = [
        (f"{lead}{file_name(step, number)}", _mail(plan, step, number, posting))
        for number, step in enumerate(plan.made, 1)
    ]
    if posting.cover is not None and found:
        found.insert(0, (f"{lead}0000-cover-letter.patch", _cover(plan, posting)))
    return found


def _headers(plan: Plan, step: PatchStep, number: int, subject: str, posting: Posting) -> list[str]:
    """number: 0 for the cover letter."""
    identity = plan.tree.identity
    total = len(plan.made)
    version = "" if posting.version == 1 else f" v{posting.version}"
    place = "" if total == 1 and posting.cover is None else f" {number}/{total}"
    author = address(identity.name, identity.email) if identity else _NOBODY
    headers = [f"From: {author}\n", f"Date: {_date(step)}\n"]
    if posting.cover is not None:
        headers.append(f"Message-Id: {_message_id(plan, number, posting)}\n")
        first = _message_id(plan, 0, posting)
        headers += [f"In-Reply-To: {first}\n", f"References: {first}\n"] if number else []
    return [*headers, f"Subject: [PATCH{version}{place}] {header(subject)}\n"]


def _message_id(plan: Plan, number: int, posting: Posting) -> str:
    """A mail's Message-Id, by the number in its series: that of equal patches of one version is
    equal, so that a series written again replies to the same mails."""
    digest = hashlib.sha256(f"{posting.version}\0".encode())
    for step in plan.made:
        for name, text in step.after.items():
            digest.update(encoded(f"{step.patch.subject}\0{name}\0{blob(text)}\0"))
    return f"<{digest.hexdigest()[:20]}-{number}@idle-states.invalid>"


def mime(text: str) -> list[str]:
    """Returns the headers of a mail whose text is not ASCII; none where it is."""
    if text.isascii():
        return []
    return [
        "MIME-Version: 1.0\n",
        "Content-Type: text/plain; charset=UTF-8\n",
        "Content-Transfer-Encoding: 8bit\n",
    ]


def _cover(plan: Plan, posting: Posting) -> bytes:
    """The cover letter: what changes, the review's summary, the patches, and how much."""
    made = plan.made
    tables = dict.fromkeys(change.table for step in made for change in step.changes)
    subject = made[0].patch.subject if len(made) == 1 else f"Change {', '.join(tables)}"
    steps = [
        f"{printable(step.patch.subject)}:\n"
        + "".join(f"  {printable(line)}\n" for line in _summary(step))
        for step in made
    ]
    parts = ["\n".join(steps), posting.cover or "", _left(made), _changelog(posting)]
    text = escapes.body("\n".join(part for part in parts if part).rstrip("\n")) + "\n\n"
    headers = _headers(plan, made[0], 0, subject, posting)
    end = f"-- \nidle-states {__version__}\n\n"
    before = {name: plan.tree.files[name] for name in plan.files}
    stat = _stat(before, plan.files)
    return encoded("".join([_FROM, *headers, *mime(text), "\n", text, stat, "\n", end]))


def _summary(step: PatchStep) -> list[str]:
    added = list(added_lines(step.added)) if step.added else []
    return [*added, *listed(step.changes).splitlines()]


def _left(steps: Sequence[PatchStep]) -> str:
    """Returns the lines on the edits that patches leave to be made by hand."""
    lines = (line for step in steps if step.added for line in left_lines(step.added.left))
    return "".join(f"{line}\n" for line in lines)


def _changelog(posting: Posting) -> str:
    if not posting.changes:
        return ""
    lines = (
        line for change in posting.changes for line in wrapped(change, "- ", "  ", room=_WIDTH)
    )
    return f"Changes since v{posting.before}:\n" + "".join(f"{line}\n" for line in lines)


def _mail(plan: Plan, step: PatchStep, number: int, posting: Posting) -> bytes:
    identity = plan.tree.identity
    sign_off = posting.sign_off
    diff = "".join(
        file_diff(name, step.before[name], text, plan.tree.mode(name))
        for name, text in step.after.items()
    )
    message = _message(step)
    signed = f"\nSigned-off-by: {printable(str(identity))}\n" if identity and sign_off else ""
    below = "" if number > 1 or posting.cover is not None else _changelog(posting)
    below += "" if posting.cover is not None else _left([step])
    below = f"{escapes.body(below)}\n" if below else ""
    headers = _headers(plan, step, number, step.patch.subject, posting)
    headers += mime(message + signed + below + diff)
    end = f"-- \nidle-states {__version__}\n\n"
    stat = _stat(step.before, step.after)
    return encoded(
        "".join([_FROM, *headers, "\n", message, signed, "---\n", below, stat, "\n", diff, end])
    )


def _message(step: PatchStep) -> str:
    body = step.patch.body or listed(step.changes)
    tables = described(step.tables)
    parts = [body.rstrip("\n"), *([tables.rstrip("\n")] if tables else [])]
    return escapes.body("\n\n".join(parts)) + "\n"


def _date(step: PatchStep) -> str:
    utc = datetime.UTC
    described = step.patch.date
    when = datetime.datetime.combine(described, datetime.time(), utc) if described else None
    return format_datetime(
        source_date() or when or datetime.datetime.now(utc).replace(microsecond=0)
    )


def _stat(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Returns the diffstat as git prints it."""
    rows = [(quoted(name), *counts(before[name], text)) for name, text in after.items()]
    wide = max(len(name) for name, _, _ in rows)
    number = max(len(str(added + removed)) for _, added, removed in rows)
    most = max(added + removed for _, added, removed in rows)
    room = 79 - wide - number - 5
    lines = []
    for name, added, removed in rows:
        scale = min(1.0, room / most)
        bar = "+" * _scaled(added, scale) + "-" * _scaled(removed, scale)
        lines.append(f" {name:<{wide}} | {added + removed:>{number}} {bar}\n")
    plus, minus = sum(row[1] for row in rows), sum(row[2] for row in rows)
    parts = [f"{len(rows)} file{'s' * (len(rows) != 1)} changed"]
    if plus:
        parts.append(f"{plus} insertion{'s' * (plus != 1)}(+)")
    if minus:
        parts.append(f"{minus} deletion{'s' * (minus != 1)}(-)")
    return "".join([*lines, f" {', '.join(parts)}\n"])


def _scaled(count: int, scale: float) -> int:
    return max(1, int(count * scale)) if count else 0
