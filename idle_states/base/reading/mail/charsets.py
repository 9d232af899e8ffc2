"""The character sets that mails use: each takes time in proportion to the text.

Python knows more codecs under names that any mail may give: punycode takes the square of the
length, and others are no character sets.
"""

import codecs

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
