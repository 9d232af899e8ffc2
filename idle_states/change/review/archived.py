"""The threads of an archive of mails that change idle-state tables, told by words of diffs."""

import re

from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading.mail.archive import Archive, mails_of
from ...base.reading.mail.mail import Mail
from ...base.wording import few
from ...tables.devicetree.idle_text import WORDS as OF_TREES

_SEEN = (
    *(b"idle", b"latency", b"residency", b"slw"),
    *(b"local-timer-stop", b"suspend-param", b"entry-method"),
)
"""One of them is in every mail that bears on tables: found faster than a pattern is."""
_OF_C = r"(?:exit_|target_)(?:latency|residency)|(?:latency|residency)_ns|idle_(?:state|driver)"
_DIFF = pattern(rb"^(?:diff --git |--- \S|Index: )", re.MULTILINE)
_BEARS = pattern(
    rf"^(?:\+\+\+ [^\n]*(?:drivers/idle/|drivers/cpuidle/cpuidle-|hw/slw)"
    rf"|[-+][^\n]*(?:{_OF_C}|CPUIDLE_FLAG|{OF_TREES}))".encode(),
    re.MULTILINE,
)
_NAMED = 3


def bears(data: bytes) -> bool:
    """Tells whether a mail has a diff that changes a file with tables of drivers or of skiboot, or
    a line with a word of an idle state in any other."""
    if not any(word in data for word in _SEEN):
        return False
    begins = _DIFF.search(data)
    return begins is not None and _BEARS.search(data, begins.start()) is not None


def only_thread(name: str) -> list[Mail]:
    """Returns the mails of the one thread of an archive that may change tables. Raises OSError;
    Unreadable (IS930) where there is none, or several."""
    threads = [mails_of(raw)[0] for raw in Archive(name).threads(bears)]
    if len(threads) == 1:
        return threads[0]
    subjects = few([repr(mail.subject[:60]) for mail, *_ in threads], _NAMED)
    several = f"{len(threads)} ({subjects}); --format reply -o FOLDER answers each of them"
    found = several if threads else "none"
    raise unreadable(name, f"expected one thread that changes idle states, found {found}")
