"""Findings as SARIF 2.1.0 (OASIS standard), for code scanning.

Source: SARIF Version 2.1.0 Plus Errata 01, sections 3.14 (run), 3.27 (result), 3.35 (suppression),
3.49 (reportingDescriptor).
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

from ... import __version__
from ...base.model.findings import Finding, Location, Severity, files_of, identities
from ...base.report.escapes.json import encoded, listed
from ...base.report.escapes.uri import uri
from ...base.report.findings_text import FoundPart, lines_of
from ...base.report.help_pages import page_of
from ...base.spill import Spill, name_key, name_of
from ..rules.catalogue import rules
from ..rules.loaded import LoadedRule

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_RANKS = {"low": 25.0, "medium": 50.0, "high": 90.0}
FINGERPRINT = "idleStatesRuleAndPath/v1"


def render(command: str, parts: Iterable[FoundPart]) -> Iterator[str]:
    """Yields a SARIF log with one run, part by part. Goes through the parts twice: rules and files
    come before the results that point to them."""
    fired, files, count = set[str](), Spill("number", "digest"), 0
    for part in parts:
        fired |= {finding.rule for finding in part.findings}
        others = sorted(files_of(part.findings) - dict(part.inputs).keys())
        for file, digest in (*part.inputs, *zip(others, repeat(""))):
            number, known = files.get(name_key(file)) or (count, "")
            files.put(name_key(file), number, digest or known)
            count += number == count
    described = [loaded for loaded in rules() if loaded.rule.code in fired]
    place = {loaded.rule.code: index for index, loaded in enumerate(described)}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "idle-states",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(loaded) for loaded in described],
                    }
                },
                "automationDetails": {"id": f"idle-states/{command}/"},
                "invocations": [{"executionSuccessful": True}],
                "columnKind": "unicodeCodePoints",
                "artifacts": [],
                "results": [],
            }
        ],
    }
    between = ",\n" + " " * 6
    head, _, rest = encoded(document).partition(f'[]{between}"results": []')
    yield head
    rows = files.query("SELECT key, digest FROM t ORDER BY number")
    artifacts = (_artifact(name_of(key), digest) for key, digest in rows)
    yield from listed((encoded(each, depth=8) for each in artifacts), 6)
    yield between + '"results": '
    results = _results(parts, lambda file: files.get(name_key(file))[0], place)
    yield from listed((encoded(each, depth=8) for each in results), 6)
    yield rest + "\n"


def _results(
    parts: Iterable[FoundPart], number: Callable[[str], int], place: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    seen: dict[str, int] = {}
    for part in parts:
        own, names = dict(part.inputs), identities(part.findings, seen)
        for finding, identity in zip(part.findings, names, strict=True):
            yield _result(finding, identity, place.get(finding.rule), number, part.texts)
            where = finding.location
            if where.path[:1] in ("", "/") and where.file in own:
                # no other part has it: the identity names the input
                seen.pop(identity, None)


def _rule(loaded: LoadedRule) -> dict[str, Any]:
    rule = loaded.rule
    title, _, body = loaded.page.partition("\n")
    markdown = f"**{title}**\n\n```text\n{body.strip()}\n```\n"
    page = page_of(rule.code)
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": f"{loaded.summary}."},
        **({"helpUri": page} if page else {}),
        "help": {"text": loaded.page.strip(), "markdown": markdown},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "precision": "very-high" if rule.confidence == "high" else str(rule.confidence),
            "tags": [rule.name, *rule.aliases],
        },
    }


def _artifact(file: str, digest: str) -> dict[str, Any]:
    artifact: dict[str, Any] = {"location": {"uri": uri(file)}}
    if digest:
        artifact["hashes"] = {"sha-256": digest}
    return artifact


def _result(
    finding: Finding,
    identity: str,
    rule_index: int | None,
    number: Callable[[str], int],
    texts: Mapping[str, str],
) -> dict[str, Any]:
    message = finding.message
    if finding.kernels:
        message += f" (on Linux {', '.join(finding.kernels)})"
    result: dict[str, Any] = {"ruleId": finding.rule}
    if rule_index is not None:
        result["ruleIndex"] = rule_index
    result |= {
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [_location(finding.location, number, texts)],
        "partialFingerprints": {FINGERPRINT: _fingerprint(identity)},
        "rank": _RANKS[finding.confidence],
        "properties": {"table": finding.table, "kernels": list(finding.kernels)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {**_location(where, number, texts), "id": index, "message": {"text": remark}}
            for index, (where, remark) in enumerate(finding.related, start=1)
        ]
    if finding.suppressed is not None:
        kind = "inSource" if finding.kept_in == "source" else "external"
        result["suppressions"] = [
            {"kind": kind, "status": "accepted", "justification": finding.suppressed}
        ]
        if finding.kept_in == "baseline":
            result["baselineState"] = "unchanged"
    return result


def _location(
    where: Location, number: Callable[[str], int], texts: Mapping[str, str]
) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if where.file is not None:
        physical: dict[str, Any] = {
            "artifactLocation": {"uri": uri(where.file), "index": number(where.file)}
        }
        if where.line is not None:
            physical["region"] = _region(where, texts)
        location["physicalLocation"] = physical
    if where.path:
        location["logicalLocations"] = [{"fullyQualifiedName": where.path, "kind": "member"}]
    return location


def _region(where: Location, texts: Mapping[str, str]) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": where.line}
    if where.column is not None:
        region |= {"startColumn": where.column, "endColumn": where.column + max(1, where.length)}
    lines = lines_of(texts.get(where.file or "", ""))
    if where.line is not None and where.line <= len(lines) and len(lines[where.line - 1]) < 400:
        region["snippet"] = {"text": lines[where.line - 1]}
    return region


def _fingerprint(identity: str) -> str:
    """The name of a file may have bytes that are not UTF-8."""
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
