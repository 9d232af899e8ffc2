"""audit, for programs: input by input as they come, in JSON and in JSON Lines."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ...base.model.forms import Form
from ...base.report.encoder import as_json
from ...base.report.escapes.json import encoded
from ..documents.json_output import envelope
from ..linux.releases import Release
from . import audit_document as audit
from .audited import Audited
from .said_alike import Written
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
