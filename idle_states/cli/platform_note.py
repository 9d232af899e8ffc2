"""The note of a command before it begins, where --platform is of another kind than its tables."""

from collections.abc import Iterable

from ..base.model.findings import Rejected
from ..tables.linux.platforms import without_effect
from ..tables.skiboot.platform import BadPlatform, parse_platform
from ..tables.sources import read_sources
from .values import say


def note_platform(text: str, operands: Iterable[str]) -> None:
    """Says on standard error that --platform changes nothing for any of the tables that are named.
    What cannot be read is left to the command."""
    try:
        platform = parse_platform(text)
    except BadPlatform:
        return
    tables = []
    for operand in dict.fromkeys(operands):
        try:
            found = read_sources(operand)
        except (ValueError, OSError, Rejected):
            return
        tables += [source.table for source in found if source.table is not None]
    if note := without_effect(platform, tables):
        say(note)
