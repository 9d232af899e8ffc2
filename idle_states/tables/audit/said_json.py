"""audit, for programs: input by input as they come, in JSON and in JSON Lines."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...base.model.forms import Form, With
from ...base.report.encoder import as_json
from ...base.report.escapes.json import encoded
from ..documents.json_output import envelope
from ..linux.releases import Release
from . import audit_document as audit
from .alike import Alike
from .audit import Text
from .audited import Audited
from .brief import Brief
from .summary import FleetSummary


def document(
    results: Iterable[Sequence[Audited]], summary: FleetSummary, kernels: Sequence[Release] = ()
) -> Iterator[str]:
    """Yields the JSON document in parts: the envelope with each input as its audit ends, then the
    summary."""
    head = envelope("audit", Form, None, (), kernels).rstrip().removesuffix("}").rstrip()
    yield head.replace('"inputs": []', '"inputs": [')
    between = "\n"
    for text in _written(results, "document"):
        yield between + text
        between = ",\n"
    text = encoded(as_json(audit.Summary, With(summary, groups=())))
    before, key, after = textwrap.indent(f'"summary": {text}', "  ").partition('"groups": []')
    yield f"\n  ],\n{before}{key.removesuffix(']')}"
    between = "\n"
    for group in audit.with_outliers(summary):
        yield between + textwrap.indent(encoded(as_json(audit.Group, group)), " " * 6)
        between = ",\n"
    end = "\n    ]" if summary.tables else "]"
    yield f"{end}{after}\n}}\n"


def lines(results: Iterable[Sequence[Audited]]) -> Iterator[str]:
    """Each audit as a line of JSON, for JSON Lines."""
    return _written(results, "line")


def _written(results: Iterable[Sequence[Audited]], form: Text) -> Iterator[str]:
    write = writer(form)
    for found in results:
        if isinstance(found, Alike) and found.common.pattern:
            yield found.common.pattern.filled(found.own)
        else:
            yield from found.texts if isinstance(found, Brief) else map(write, found)


def writer(form: Text) -> Callable[[Audited], str]:
    """Returns what writes an audit as JSON."""
    if form == "line":
        return lambda audited: encoded(as_json(audit.Line, audited), indent=None) + "\n"
    return lambda audited: textwrap.indent(encoded(as_json(audit.Audited, audited)), "    ")
