"""audit, for programs: one object per table, the same in JSON and in JSON Lines, and columns.

The keys are a contract: schemas/output.schema.json.
"""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .. import __version__
from ..audit.audited import Audited, Registered
from ..audit.fleet import Summary
from ..audit.trees import Difference
from ..devicetree.machine import Machine
from ..findings import Severity
from .escapes.json import encoded
from .json_output import envelope, finding_json
from .select_output import bounds


def input_json(audited: Audited) -> dict[str, Any]:
    """against is there where two trees were compared."""
    body = _body(audited)
    if audited.against is not None:
        body["against"] = _differences(audited.against)
    return body


def _body(audited: Audited) -> dict[str, Any]:
    return {
        "file": audited.file,
        "sha256": audited.sha256,
        "table": audited.table,
        "kind": audited.kind,
        "cpu": audited.cpu,
        "machine": None if audited.machine is None else _machine(audited.machine),
        "fingerprint": audited.fingerprint,
        "nearest": audited.nearest,
        "differences": list(audited.differences),
        "states": list(audited.states),
        "missing": [{"state": state, "reason": reason} for state, reason in audited.missing],
        "linux": [_registered(group) for group in audited.registered],
        "selected": [
            {
                "kernels": list(group.kernels),
                "map": [
                    {**bounds(first, last), "states": list(names)}
                    for first, last, names in group.ranges
                ],
            }
            for group in audited.selected
        ],
        "verdicts": [
            {
                "tool": verdict.tool,
                "test": verdict.test,
                "passed": verdict.passed,
                "skipped": verdict.skipped,
                "failures": [
                    {"label": label, "detail": detail} for label, detail in verdict.failures
                ],
            }
            for verdict in audited.verdicts
        ],
        "running": None
        if audited.running is None
        else {
            "kernel": audited.running.kernel,
            "modelled_as": audited.running.modelled_as,
            "differences": list(audited.running.differences),
        },
        "facts": dict(audited.facts),
        "findings": [finding_json(finding) for finding in audited.findings],
    }


def document(
    inputs: Iterable[dict[str, Any]], summary: Callable[[], dict[str, Any]]
) -> Iterator[str]:
    """The envelope with one input after the other, and the summary when all are through."""
    head = envelope("audit", {}).rstrip().removesuffix("}").rstrip()
    yield head.replace('"inputs": []', '"inputs": [')
    between = "\n"
    for body in inputs:
        yield between + textwrap.indent(encoded(body), "    ")
        between = ",\n"
    text = encoded(summary())
    yield "\n  ],\n" + textwrap.indent(f'"summary": {text}', "  ") + "\n}\n"


def line(audited: Audited) -> str:
    """One line of JSON, complete in itself."""
    document = {
        "schema_version": 1,
        "tool": {"name": "idle-states", "version": __version__},
        **input_json(audited),
    }
    return encoded(document, indent=None) + "\n"


def summary_json(summary: Summary) -> dict[str, Any]:
    outliers = {group.fingerprint for group in summary.outliers()}
    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for (_, _, severity), count in summary.found.items():
        counts[severity] += count
    return {
        **counts,
        "inputs": summary.inputs,
        "tables": summary.tables,
        "unreadable": summary.unreadable_count,
        "without_table": summary.without_table,
        "groups": [
            {
                "fingerprint": group.fingerprint,
                "cpu": group.cpu,
                "nearest": group.nearest,
                "states": list(group.states),
                "differences": list(group.differences),
                "count": group.count,
                "outlier": group.fingerprint in outliers,
                "examples": group.examples,
            }
            for group in summary.sorted_groups()
        ],
        "rules": [
            {"rule": rule, "name": name, "severity": severity, "inputs": count}
            for (rule, name, severity), count in sorted(summary.found.items())
        ],
    }


def _differences(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    return [
        {"path": difference.path, "a": _value(difference.a), "b": _value(difference.b)}
        for difference in differences
    ]


def _value(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def columns(audited: Audited) -> Mapping[str, Any]:
    """A flat row, for tables of a fleet."""
    machine = audited.machine or Machine()
    counted = [finding for finding in audited.findings if finding.counts]
    return {
        "file": audited.file,
        "sha256": audited.sha256,
        "table": audited.table,
        "kind": audited.kind,
        "cpu": audited.cpu,
        "revision": machine.revision,
        "model": machine.model,
        "serial": machine.serial,
        "skiboot": machine.skiboot,
        "fingerprint": audited.fingerprint,
        "nearest": audited.nearest or "",
        "states": list(audited.states),
        "missing": [state for state, _ in audited.missing],
        "differences": list(audited.differences),
        "rules": sorted({finding.rule for finding in counted}),
        **{
            f"{severity}s": sum(finding.severity is severity for finding in counted)
            for severity in reversed(Severity)
        },
        "failed_by": sorted(
            {f"{v.tool}: {v.test}" for v in audited.verdicts if not v.passed and not v.skipped}
        ),
    }


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "model": machine.model,
        "serial": machine.serial,
        "pvr": machine.pvr,
        "revision": machine.revision,
        "processor": machine.processor,
        "cpus": machine.cpus,
        "threads": machine.threads,
        "skiboot": machine.skiboot,
        "git_id": machine.git_id,
        "versions": dict(machine.versions),
    }


def _registered(group: Registered) -> dict[str, Any]:
    return {
        "kernels": list(group.kernels),
        "states": [
            {
                "index": state.index,
                "name": state.name,
                "exit_latency_us": state.exit_latency_us,
                "target_residency_us": state.target_residency_us,
                "polling": state.polling,
            }
            for state in group.states
        ],
        "lost": [{"state": state, "reason": reason} for state, reason in group.lost],
        "messages": list(group.messages),
        "default_stop": None if group.default_stop is None else group.default_stop.psscr,
        "deepest_stop": None if group.deepest_stop is None else group.deepest_stop.psscr,
        "offline": group.offline,
    }
