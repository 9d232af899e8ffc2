"""audit, for programs: input by input as they come, in JSON and in JSON Lines."""

import hashlib
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from ... import __version__
from ...base.dataclass import replace
from ...base.model.findings import Finding, files_of
from ...base.model.forms import Form, With
from ...base.report.encoder import as_json
from ...base.report.escapes.json import encoded, listed
from ...base.report.findings_text import FoundPart
from ...base.spill import Spill, name_key
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
    yield head.replace('"inputs": []', '"inputs": ')
    write = writer("document", setting)
    yield from listed((text for found in results for text in texts(found, write)), 2)
    text = encoded(as_json(audit.Summary, With(summary, groups=())))
    before, key, after = textwrap.indent(f'"summary": {text}', "  ").partition('"groups": []')
    yield f",\n{before}{key.removesuffix('[]')}"
    groups = (encoded(as_json(audit.Group, group), depth=6) for group in summary.groups)
    yield from listed(groups, 4)
    yield f"{after}\n}}\n"


def found(
    results: Iterable[Sequence[Audited]], shown: Callable[[Sequence[Finding]], Sequence[Finding]]
) -> Iterator[FoundPart]:
    """Yields the findings of each input. An input that comes again has none, and boards that share
    what they include share what is found there. shown: returns those that a form has."""
    known, elsewhere = Spill("digest"), set[str]()
    for audits in results:
        new = [each for each in audits if known.get(name_key(each.file)) is None]
        for each in new:
            known.put(name_key(each.file), each.sha256)
        own = {each.file: each.sha256 for each in new}
        found = {repr(each): each for audited in new for each in audited.findings}
        shared = {text for text, each in found.items() if each.location.file not in own}
        findings = [each for text, each in found.items() if text not in elsewhere]
        elsewhere |= shared
        quoted = files_of(findings)
        sources = [each.source for each in new if each.source]
        texts = {f: t for source in sources for f, t in source.texts.items() if f in quoted}
        yield FoundPart(tuple(shown(findings)), tuple(own.items()), texts)


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
        return lambda audited: encoded(as_json(audit.Audited, audited), depth=4)
    given = With(None, setting=setting_digest(setting))
    head = encoded(as_json(audit.Line, given), indent=None).removesuffix("}")
    return lambda audited: f"{head},{encoded(as_json(audit.Audited, audited), indent=None)[1:]}\n"


def setting_digest(setting: Setting) -> str:
    """Returns a digest of the tool's version and of all that a result depends on beside its
    input."""
    bearing = replace(setting, everything=True, sources=True, text=""), setting.against is None
    return hashlib.sha256(repr((__version__, bearing)).encode()).hexdigest()[:12]
