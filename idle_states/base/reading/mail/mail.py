"""One mail: who sent it when, and its text, decoded.

Forms: RFC 5322 (headers), RFC 2045-2047 (MIME), RFC 3676 (format=flowed), and text without headers,
as archives show a mail or as git diff prints a change.
"""

import codecs
import email
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from ...dataclass import dataclass, replace
from ...model.findings import unreadable
from ...patterns import pattern
from .. import limits

if TYPE_CHECKING:
    from email.message import Message
    from email.policy import Compat32

_HEADER = pattern(rb"(?:From |>From |)[!-9;-~]+:[ \t]", re.ASCII)
_KNOWN = pattern(
    rb"^(?:from|subject|date|message-id|received|return-path|mime-version|to|cc|x-[\w-]+):",
    re.IGNORECASE | re.MULTILINE,
)
_NESTING = pattern(rb"boundary\s*[*=]|^content-type:\s*message/", re.IGNORECASE | re.MULTILINE)
_HEADERS = ("Subject", "From", "Date", "Message-Id", "References", "In-Reply-To")
_TEXTS = ("text/plain", "text/x-patch", "text/x-diff", "application/x-patch", "application/mbox")
_PATCH_NAME = (".patch", ".diff", ".txt")
_SHOWN_SUBJECT = pattern(r"^(?:Subject:?[ \t]*)?((?:\[[^\]\n]{1,60}\][ \t]*)+\S.*)$", re.MULTILINE)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_SHOWN_DATE = pattern(
    r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>[A-Z][a-z]{2}) {1,2}(?P<day>[0-9]{1,2}) "
    r"(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2}) (?:[A-Z]{2,5} )?(?P<year>[0-9]{4})\b"
)
_SHOWN_ADDRESS = pattern(
    r"\b([\w.+-]{1,64}) at ((?:[\w-]{1,64}\.){1,8}[A-Za-z]{2,24})(?![\w.-])", re.ASCII
)
_IN_BRACKETS = pattern(r"<[^<>\n]{1,300}>")
_BLANK = pattern(rb"\n[ \t]*\r?\n")
_ID = pattern(r"<[^<>\s]{1,998}>")
SERIES = "make a mailbox of patches: git format-patch --stdout BASE..HEAD > series.mbox"


@cache
def _policy() -> "Compat32":
    """Returns a policy that cuts each header where it is first seen: the standard library takes the
    square of a parameter's or an encoded word's length."""
    from email.policy import Compat32

    class Policy(Compat32):
        def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
            name, value = super().header_source_parse(sourcelines)
            return name, value[: limits.MAIL_HEADER_BYTES]

    return Policy()


@dataclass(frozen=True, slots=True)
class Mail:
    """place       what messages call it: the file, and in a box the mail's number
    subject     one line, decoded; "" where there is none
    author      name and address of the header From; "" where there is none
    date        when it was sent; None where it does not say so, or not legibly
    message_id  "<...>", or ""
    references  ids of the mails it answers, the oldest first
    text        of all its plain parts and patches attached, lines parted by "\\n"
    remarks     what was done to the text, or left aside, for the user to know
    file        that it is in; "" where there is none
    first       the line of the file that the text begins with; 0 where the text was encoded, or is
                of several parts
    recipients  (name, address) of the headers To and Cc, in order
    sent        the header Date, in the sender's time; "" where there is none
    """

    place: str
    subject: str
    author: str
    date: datetime | None
    message_id: str
    references: tuple[str, ...]
    text: str
    remarks: tuple[str, ...] = ()
    file: str = ""
    first: int = 0
    recipients: tuple[tuple[str, str], ...] = ()
    sent: str = ""


def parse(data: bytes, place: str, file: str = "", at: int = 1) -> Mail:
    """Takes a mail apart. Text without headers is a mail too: its subject and date are those that
    an archive's page shows.

    file, at  where it begins
    Raises Unreadable (IS930) for more bytes, parts or levels than limits allow.
    """
    if len(data) > limits.MAIL_BYTES:
        raise unreadable(place, f"expected a mail of at most {limits.MAIL_BYTES} bytes")
    remarks: list[str] = []
    if not has_headers(data):
        return replace(_shown(_lines(decoded(data, "", remarks)), place), file=file, first=at)
    if len(_NESTING.findall(data)) > limits.MAIL_NESTING:
        raise unreadable(place, f"expected at most {limits.MAIL_NESTING} nested parts in a mail")
    try:
        message = email.message_from_bytes(data, policy=_policy())
    except ValueError:
        # a boundary in a codec that is no character set
        raise unreadable(place, "expected boundaries of a mail's parts in UTF-8") from None
    texts: list[str] = []
    for number, part in enumerate(message.walk()):
        if number >= limits.MAIL_PARTS:
            raise unreadable(place, f"expected at most {limits.MAIL_PARTS} parts in a mail")
        if not part.is_multipart():
            texts += _text_of(part, remarks)
    header = {name: _header(message, name, remarks) for name in _HEADERS}
    return Mail(
        place,
        header["Subject"],
        addressed(header["From"]),
        _date(header["Date"]),
        next(iter(_ID.findall(header["Message-Id"])), ""),
        tuple(dict.fromkeys(_ID.findall(f"{header['References']} {header['In-Reply-To']}"))),
        "\n".join(texts),
        tuple(dict.fromkeys(remarks)),
        file,
        _first_line(data, texts, at),
        tuple(_recipients(message, remarks)),
        header["Date"],
    )


def _first_line(data: bytes, texts: Sequence[str], at: int) -> int:
    """The line of a file at which the text of a mail stands as it is, or 0."""
    head = _BLANK.search(data)
    if head is None or len(texts) != 1:
        return 0
    body = _lines(decoded(data[head.end() :], "", []))
    return at + data.count(b"\n", 0, head.end()) if body == texts[0] else 0


def has_headers(data: bytes) -> bool:
    """Tells whether a text begins with the headers of a mail, with or without a box's line
    before."""
    start = data.lstrip()
    if start.startswith(b"From "):
        start = start.partition(b"\n")[2]
    head = re.split(rb"\r?\n[ \t]*\r?\n", start[: limits.MAIL_HEAD_BYTES], maxsplit=1)[0]
    first = head.partition(b"\n")[0]
    return bool(_HEADER.match(first)) and bool(_KNOWN.search(head))


def addressed(text: str) -> str:
    """Addresses as they are, where an archive has "name at host"."""
    return _SHOWN_ADDRESS.sub(r"\1@\2", text)


def addressed_in_prose(text: str) -> str:
    """The same for those in angle brackets alone: of prose, "at" is a word."""
    return _IN_BRACKETS.sub(lambda match: addressed(match[0]), text)


def _shown(text: str, place: str) -> Mail:
    """Returns the mail that a page or plain text shows."""
    head = text[:4096]
    subject = _SHOWN_SUBJECT.search(head)
    found = _SHOWN_DATE.search(head)
    date = None
    if found and found["month"] in _MONTHS:
        month = _MONTHS.index(found["month"]) + 1
        written = f"{found['year']}-{month:02}-{int(found['day']):02} {found['time']}"
        try:
            # the zone's letters mean several: a day's accuracy is enough
            date = datetime.fromisoformat(written).replace(tzinfo=UTC)
        except ValueError:
            date = None
    return Mail(place, subject[1].strip() if subject else "", "", date, "", (), text)


def _text_of(part: "Message", remarks: list[str]) -> Iterator[str]:
    kind = part.get_content_type()
    named = _parameter(part, "filename", remarks, "content-disposition").lower()
    named = named or _parameter(part, "name", remarks).lower()
    if kind not in _TEXTS and not named.endswith(_PATCH_NAME):
        if kind == "text/html":
            remarks.append("an HTML part is ignored")
        elif kind.partition("/")[0] != "multipart":
            remarks.append(f"an attached {kind:.60} is ignored")
        return
    charset = _parameter(part, "charset", remarks)
    flowed = _parameter(part, "format", remarks).lower() == "flowed"
    # without it, the standard library decodes nothing
    del part["Content-Type"]
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return
    text = _lines(decoded(payload, charset, remarks))
    if flowed:
        remarks.append("format=flowed: stuffed spaces are removed")
        text = "\n".join(line[1:] if line.startswith(" ") else line for line in text.split("\n"))
    yield text


def _parameter(part: "Message", name: str, remarks: list[str], header: str = "content-type") -> str:
    """Returns a parameter of a header, also one of RFC 2231; "" where there is none."""
    found = part.get_param(name, "", header)
    if not isinstance(found, tuple):
        return str(found or "")
    charset, _, value = found
    return decoded(value.encode("latin-1", "replace"), charset or "", remarks)


def _lines(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _header(message: "Message", name: str, remarks: list[str]) -> str:
    """A header's text in one line, encoded words decoded."""
    return _decoded_words(str(message.get(name, "")), remarks)


def _decoded_words(raw: str, remarks: list[str]) -> str:
    from email.errors import HeaderParseError
    from email.header import decode_header

    try:
        parts = decode_header(raw)
        text = "".join(
            part if isinstance(part, str) else decoded(part, charset or "", remarks)
            for part, charset in parts
        )
    except (HeaderParseError, ValueError):
        text = raw
    return re.sub(r"\s+", " ", text).strip()


def _recipients(message: "Message", remarks: list[str]) -> Iterator[tuple[str, str]]:
    """Yields name and address of To and Cc, told apart before names, with commas, are decoded."""
    from email.utils import getaddresses

    fields = [str(value) for name in ("To", "Cc") for value in message.get_all(name, ())]
    for name, address in getaddresses(fields):
        if "@" in address:
            yield _decoded_words(name, remarks), address


def _date(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        found = parsedate_to_datetime(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


_CODECS = frozenset(
    [
        *"ascii utf-8 utf-7 utf-16 utf-16-be utf-16-le".split(),
        *(f"iso8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)),
        *(f"cp{page}" for page in (874, *range(1250, 1259))),
        *"koi8-r koi8-u koi8-t cp866 tis-620 mac-roman".split(),
        *"gb2312 gbk gb18030 hz big5 big5hkscs cp950".split(),
        *"euc_jp euc_jis_2004 shift_jis shift_jis_2004 cp932 euc_kr johab cp949".split(),
        *"iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3".split(),
        *"iso2022_jp_ext iso2022_kr".split(),
    ]
)
"""By the names that Python's codecs have for them."""
_UNSAID = ("", "unknown-8bit")
_LONGEST = 40
"""Characters of a name."""


def known(charset: str) -> bool:
    """Returns whether a mail's name for a character set stands for one of the list."""
    if not charset.isascii() or len(charset) > _LONGEST:
        return False
    try:
        return codecs.lookup(charset).name in _CODECS
    except (LookupError, ValueError):
        return False


def decoded(data: bytes, charset: str, remarks: list[str]) -> str:
    """Returns a text of a mail.

    charset  the name that the mail gives; "": none
    remarks  gets a line where that is none of the list, and the text is read as UTF-8
    """
    if charset.lower() not in _UNSAID:
        if known(charset):
            try:
                return data.decode(charset)
            except ValueError:
                pass
        else:
            remarks.append(f"the character set {charset[:_LONGEST]!a} is not known; read as UTF-8")
    return data.decode("utf-8", "surrogateescape")
