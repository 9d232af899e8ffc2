"""audit, for programs: input by input as they come, in JSON and in JSON Lines."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from weakref import WeakKeyDictionary

from ...base.model.forms import Form
from ...base.report.encoder import as_json
from ...base.report.escapes.json import encoded
from ..documents.json_output import envelope
from ..linux.releases import Release
from . import audit_document as audit
from .alike import Alike, Common
from .audited import Audited
from .summary import FleetSummary


def document(
    results: Iterable[Sequence[Audited]], summary: FleetSummary, kernels: Sequence[Release] = ()
) -> Iterator[str]:
    """Yields the JSON document in parts: the envelope with each input as its audit ends, then the
    summary."""
    head = envelope("audit", Form, None, (), kernels).rstrip().removesuffix("}").rstrip()
    yield head.replace('"inputs": []', '"inputs": [')
    between = "\n"
    written = Written(_in_document)
    for found in results:
        for text in written.texts(found):
            yield between + text
            between = ",\n"
    text = encoded(as_json(audit.Summary, summary))
    yield "\n  ],\n" + textwrap.indent(f'"summary": {text}', "  ") + "\n}\n"


def lines(results: Iterable[Sequence[Audited]]) -> Iterator[str]:
    """Each audit as a line of JSON, for JSON Lines."""
    written = Written(line)
    for found in results:
        yield from written.texts(found)


def line(audited: Audited) -> str:
    """One audit as a line of JSON."""
    return encoded(as_json(audit.Line, audited), indent=None) + "\n"


def _in_document(audited: Audited) -> str:
    return textwrap.indent(encoded(as_json(audit.Audited, audited)), "    ")


class _Pattern:
    """The text of what is alike, and where in it the inputs differ."""

    def __init__(self, text: str, marks: tuple[str, ...]) -> None:
        """marks: strings of JSON in the text, in whose places others come."""
        self._parts = re.split("(" + "|".join(map(re.escape, marks)) + ")", text)
        self._order = [marks.index(mark) for mark in self._parts[1::2]]

    def filled(self, values: tuple[str, ...]) -> str:
        parts = self._parts.copy()
        parts[1::2] = [values[which] for which in self._order]
        return "".join(parts)


class Written:
    """Writes audits as JSON with a function; of alike ones, what they share once."""

    def __init__(self, write: Callable[[Audited], str]) -> None:
        """write: returns the JSON of one audit."""
        self._write = write
        self._patterns: WeakKeyDictionary[Common, _Pattern | None] = WeakKeyDictionary()

    def texts(self, found: Sequence[Audited]) -> Iterator[str]:
        """The text of each audit of one input."""
        if isinstance(found, Alike):
            yield self._alike(found)
        else:
            yield from map(self._write, found)

    def _alike(self, found: Alike) -> str:
        if found.common not in self._patterns:
            self._patterns[found.common] = self._pattern(found)
        pattern = self._patterns[found.common]
        return self._write(found.audited) if pattern is None else pattern.filled(_values(found))

    def _pattern(self, found: Alike) -> _Pattern | None:
        """None where the inputs' texts differ in more than in what is filled in."""
        text = self._write(found.audited)
        mark = next(mark for number in count() if (mark := f"@{number}@") not in text)
        marked = Alike(found.common, f"{mark}file", f"{mark}sha256", f"{mark}serial")
        pattern = _Pattern(self._write(marked.audited), _values(marked))
        return pattern if pattern.filled(_values(found)) == text else None


def _values(found: Alike) -> tuple[str, ...]:
    return _string(found.file), _string(found.sha256), _string(found.serial)


def _string(text: str) -> str:
    plain = text.isascii() and text.isalnum()
    return f'"{text}"' if plain else encoded(text, indent=None)
