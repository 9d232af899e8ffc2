"""What a command says before it begins where --platform is of another kind than its tables."""

import argparse

from ..findings import Rejected
from ..linux.platforms import without_effect
from ..skiboot.platform import BadPlatform, parse_platform
from ..sources import read_sources
from .options import say

_OPERANDS = ("table", "against", "a", "b")
"""Where arguments name tables, each of one or several. `check` has read its own when it says so."""


def note_platform(arguments: argparse.Namespace) -> None:
    """Says on standard error that --platform changes nothing for any of the tables that are named.
    What cannot be read is left to the command."""
    try:
        platform = parse_platform(arguments.platform)
    except BadPlatform:
        return
    given = vars(arguments)
    texts: list[str] = []
    for operand in _OPERANDS:
        value = given.get(operand) or ()
        texts += [value] if isinstance(value, str) else value
    tables = []
    for text in dict.fromkeys(texts):
        try:
            found = read_sources(text)
        except (ValueError, OSError, Rejected):
            return
        tables += [source.table for source in found if source.table is not None]
    if note := without_effect(platform, tables):
        say(note)
