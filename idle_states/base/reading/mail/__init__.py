"""Mails as they come: read from files, boxes and pipes, taken apart, and put in order as series.

`mail` takes one mail apart, `box` finds the mails of a file or directory, `quoting` takes a patch
out of a reply, `answers` has what replies say themselves, and `series` puts the patches of a thread
in order; `subjects` reads their subjects. What a diff says and does is the business of
`reading.patch`.
"""

from .answers import MailedAnswer
from .box import read_mails
from .mail import Mail, has_headers, parse
from .series import MailedPatch, Series, series_of

__all__ = [
    "Mail",
    "MailedAnswer",
    "MailedPatch",
    "Series",
    "has_headers",
    "parse",
    "read_mails",
    "series_of",
]
