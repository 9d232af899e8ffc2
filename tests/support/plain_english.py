"""The words that texts do not use, and the plain ones that say the same."""

import re

WORDS = (
    (r"(?:is|are|was|were) said\b", "reports, names, lists"),
    (r"says? so\b", "name what is reported, and where"),
    (r"it is that which|that which", "the noun"),
    (r"those that|of which|what there is", "the noun"),
    (r"at hand", "available, known, installed"),
    (r"speaks? of", "is about, names"),
    (r"reckons?|reckoned", "computes, estimates"),
    (r"held against|holds? (?:it|them|each|\w+ table) against", "compares with"),
    (r"mend(?:s|ed|ing)?\b", "fixes, corrects"),
    (r"otherwise than", "differently from"),
    (r"dear(?:er|est)?\b", "costly, slow, long"),
    (r"whoever|who wants", "name the person, or you"),
    (r"likewise", "also, the same"),
    (r"takes? nothing else", "does not stop the rest"),
    (r"it is had|is had\b", "has"),
    (r"word for it", "the field's word"),
    (r"is behind it", "already reflects"),
    (r"half as much again", "50 % more"),
)
"""Rows of (regular expression, what to write instead); upper or lower case does not matter."""
HEADINGS = "What Whether Which Of Those That As Where How When Who Why".split()
"""The words that no heading begins with: readers search for nouns."""

_FENCED = re.compile(r"^(`{3,}).*?^\1$|^ {4}.*$|<!--.*?-->", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+).+?\1", re.DOTALL)


def faults(text: str) -> list[str]:
    """Returns the unwanted words of a text, each with what to write instead."""
    plain = " ".join(text.split())
    return [
        f"{plain[max(0, found.start() - 30) : found.end() + 20]!r}: {instead}"
        for pattern, instead in WORDS
        for found in re.finditer(rf"\b(?:{pattern})", plain, re.IGNORECASE)
    ]


def prose(page: str) -> str:
    """Returns the text of a Markdown page without screens and code."""
    return _CODE.sub("`code`", _FENCED.sub("", page))


def headings(page: str) -> list[str]:
    """Returns the headings of a Markdown page."""
    return re.findall(r"^#+ (.*)$", _FENCED.sub("", page), re.MULTILINE)
