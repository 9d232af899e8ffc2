"""Subjects of mailed patches, [PREFIX PATCH vN M/N] TEXT, and of answers to them."""

import re

_TAGS = re.compile(r"\[([^\[\]]{0,80})\]")
_VERSION = re.compile(r"\bv([0-9]{1,3})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\b([0-9]{1,4})/([0-9]{1,4})\b")
_REPLY = re.compile(r"^(?:(?:re|aw|fwd?|antw)\s*:\s*)+", re.IGNORECASE)


def is_reply(subject: str) -> bool:
    return _REPLY.match(subject) is not None


def parsed(subject: str) -> tuple[str, int, int, int]:
    """Text without tags, version, number, total."""
    bare = _REPLY.sub("", subject)
    version, number, total = 1, 0, 0
    while match := _TAGS.match(bare):
        bare = _REPLY.sub("", bare[match.end() :].lstrip())
        if said := _VERSION.search(match[1]):
            version = int(said[1])
        if said := _NUMBER.search(match[1]):
            number, total = int(said[1]), int(said[2])
    return bare.strip(), version, number, total
