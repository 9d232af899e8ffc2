"""Patches as `git format-patch` writes them, ready for `git am`. The same input gives the same
bytes: the date is SOURCE_DATE_EPOCH's, else the description's, else today's.
"""

import datetime
import re
from collections.abc import Sequence
from email.utils import format_datetime

from .. import __version__
from ..check.accepted import source_date
from ..findings import UsageError
from ..patches.plan import PatchStep, Plan, ValueChange
from .escapes import mail as escapes
from .escapes.mail import address, header
from .escapes.text import printable
from .patch_diff import counts, encoded, file_diff, quoted

_FROM = f"From {'0' * 40} Mon Sep 17 00:00:00 2001\n"
_NOBODY = "idle-states <idle-states@localhost>"
_SLUG_CHARACTERS = 52


def file_name(step: PatchStep, number: int) -> str:
    """Returns the name that git gives a patch's file: 0001-slw-Modify-....patch."""
    slug = re.sub(r"[^A-Za-z0-9._]+", "-", step.patch.subject).strip("-.")
    return f"{number:04}-{re.sub(r'[.]+', '.', slug)[:_SLUG_CHARACTERS].rstrip('-.')}.patch"


def mails(plan: Plan, *, sign_off: bool = False) -> list[tuple[str, bytes]]:
    """Returns (file name, content) of a mail for each patch that changes something.

    sign_off  whether the author signs off, who then must be known. Raises UsageError if not.
    """
    if sign_off and plan.tree.identity is None:
        raise UsageError(
            "expected an author who signs off, found none; git config user.name and user.email, or "
            "GIT_AUTHOR_NAME and GIT_AUTHOR_EMAIL, name one"
        )
    made = plan.made
    return [
        (file_name(step, number), _mail(plan, step, number, len(made), sign_off))
        for number, step in enumerate(made, 1)
    ]


def _mail(plan: Plan, step: PatchStep, number: int, total: int, sign_off: bool) -> bytes:
    identity = plan.tree.identity
    mark = "[PATCH]" if total == 1 else f"[PATCH {number}/{total}]"
    author = address(identity.name, identity.email) if identity else _NOBODY
    diff = "".join(
        file_diff(name, step.before[name], text, plan.tree.mode(name))
        for name, text in step.after.items()
    )
    message = _message(step)
    signed = f"\nSigned-off-by: {printable(str(identity))}\n" if identity and sign_off else ""
    headers = [
        f"From: {author}\n",
        f"Date: {_date(step)}\n",
        f"Subject: {mark} {header(step.patch.subject)}\n",
    ]
    if not (message + signed + diff).isascii():
        headers += [
            "MIME-Version: 1.0\n",
            "Content-Type: text/plain; charset=UTF-8\n",
            "Content-Transfer-Encoding: 8bit\n",
        ]
    end = f"-- \nidle-states {__version__}\n\n"
    return encoded(
        "".join([_FROM, *headers, "\n", message, signed, "---\n", _stat(step), "\n", diff, end])
    )


def _message(step: PatchStep) -> str:
    body = step.patch.body or _listed(step.changes)
    return escapes.body(body.rstrip("\n")) + "\n"


def _listed(changes: Sequence[ValueChange]) -> str:
    """Returns one line for each changed value, for a patch without a message of its own."""
    lines = []
    for change in changes:
        if change.field == "row":
            lines.append(f"{change.state}: {'added' if change.after else 'removed'}")
        elif change.field == "order":
            lines.append(f"{change.state}: moved")
        else:
            lines.append(f"{change.state}: {change.field} {change.before} -> {change.after}")
    return "\n".join(lines)


def _date(step: PatchStep) -> str:
    utc = datetime.UTC
    described = step.patch.date
    when = datetime.datetime.combine(described, datetime.time(), utc) if described else None
    return format_datetime(
        source_date() or when or datetime.datetime.now(utc).replace(microsecond=0)
    )


def _stat(step: PatchStep) -> str:
    """Returns the diffstat as git prints it."""
    rows = [(quoted(name), *counts(step.before[name], text)) for name, text in step.after.items()]
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
