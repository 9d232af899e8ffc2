"""audit, for programs: input by input as they come, in JSON and in JSON Lines."""

import hashlib
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from ... import __version__
from ...base.dataclass import replace
from ...base.model.forms import Form, With
from ...base.report.encoder import as_json
from ...base.report.escapes.json import encoded
from ..documents.json_output import envelope
from . import audit_document as audit
from .alike import Alike
from .audit import Setting, Text
from .audited import Audited
from .brief import Brief
from .summary import FleetSummary


def document(
    results: Iterable[Sequence[Audited]], summary: FleetSummary, setting: Setting
) -> Iterator[str]:
    """Yields the JSON document in parts: the envelope with each input as its audit ends, then the
    summary."""
    head = (
        envelope("audit", Form, None, (), setting.criteria.kernels)
        .rstrip()
        .removesuffix("}")
        .rstrip()
    )
    yield head.replace('"inputs": []', '"inputs": [')
    between, write = "\n", writer("document", setting)
    for found in results:
        for text in texts(found, write):
            yield between + text
            between = ",\n"
    text = encoded(as_json(audit.Summary, With(summary, groups=())))
    before, key, after = textwrap.indent(f'"summary": {text}', "  ").partition('"groups": []')
    yield f"\n  ],\n{before}{key.removesuffix(']')}"
    between = "\n"
    for group in summary.groups:
        yield between + textwrap.indent(encoded(as_json(audit.Group, group)), " " * 6)
        between = ",\n"
    end = "\n    ]" if summary.tables else "]"
    yield f"{end}{after}\n}}\n"


def lines(results: Iterable[Sequence[Audited]], setting: Setting) -> Iterator[str]:
    """Each audit as a line of JSON, for JSON Lines."""
    write = writer("line", setting)
    return (text for found in results for text in texts(found, write))


def texts(found: Sequence[Audited], write: Callable[[Audited], str]) -> Iterable[str]:
    """The JSON of each audit of one input, which may be there already."""
    if isinstance(found, Alike) and found.common.pattern:
        return (found.common.pattern.filled(found.own),)
    return found.texts if isinstance(found, Brief) else map(write, found)


def writer(form: Text, setting: Setting) -> Callable[[Audited], str]:
    """Returns what writes an audit as JSON."""
    if form == "document":
        return lambda audited: textwrap.indent(encoded(as_json(audit.Audited, audited)), "    ")
    given = With(None, setting=setting_digest(setting))
    head = encoded(as_json(audit.Line, given), indent=None).removesuffix("}")
    return lambda audited: f"{head},{encoded(as_json(audit.Audited, audited), indent=None)[1:]}\n"


def setting_digest(setting: Setting) -> str:
    """Returns a digest of the tool's version and of all that a result depends on beside its
    input."""
    asked = replace(setting, everything=True, sources=True, text=""), setting.against is None
    return hashlib.sha256(repr((__version__, asked)).encode()).hexdigest()[:12]
