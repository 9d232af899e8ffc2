"""Compares an audit with an earlier one of the same machines: what is new, gone and otherwise."""

import io
import json
import marshal
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...base.dataclass import dataclass, field
from ...base.model.findings import Severity, UsageError
from ...base.reading import limits, opening
from ...base.spill import Spill, name_key, name_of
from .audited import Audited

RuleFound = tuple[str, str, str]
"""(rule, name, severity)"""
Known = tuple[set[str], set[RuleFound]]
"""The fingerprints of an input's tables, and its findings."""


@dataclass(slots=True)
class EarlierAudit:
    """An earlier audit, and what differs from it: complete once all results were passed.

    earlier   name of its file
    before    input -> what the earlier audit had of it, NULL for those that were met again
    new       inputs that it had not
    changed   inputs with other tables than then
    appeared  finding -> inputs that have it and had not
    fixed     finding -> inputs that had it and have not
    """

    earlier: str
    before: Spill
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    appeared: dict[RuleFound, list[str]] = field(default_factory=dict)
    fixed: dict[RuleFound, list[str]] = field(default_factory=dict)

    @property
    def gone(self) -> list[str]:
        """The inputs of the earlier audit that this one has not, by name."""
        rows = self.before.query("SELECT key FROM t WHERE known IS NOT NULL ORDER BY key")
        return [name_of(key) for (key,) in rows]

    def add(self, found: Iterable[Audited]) -> None:
        """Compares the audits of an input."""
        now: dict[str, Known] = {}
        for audited in found:
            _add(now, audited.file, audited.fingerprint, findings_of(audited))
        for file, known in now.items():
            self._compare(file, known)

    def _compare(self, file: str, now: Known) -> None:
        row = self.before.get(name_key(file))
        self.before.put(name_key(file), None)
        if row is None:
            self.new.append(file)
        if row in (None, (None,)):
            return
        then: Known = marshal.loads(row[0])
        if now[0] != then[0]:
            self.changed.append(file)
        for rule in sorted(now[1] - then[1]):
            self.appeared.setdefault(rule, []).append(file)
        for rule in sorted(then[1] - now[1]):
            self.fixed.setdefault(rule, []).append(file)


def worst_first(rule: RuleFound, count: int) -> tuple[int, int, str]:
    """Returns what sorts findings by severity, and of one severity the most frequent first."""
    code, _, severity = rule
    return -Severity[severity.upper()], -count, code


def since(name: str) -> EarlierAudit:
    """Reads an earlier audit, JSON or JSON Lines as `audit` writes them. Raises UsageError for
    anything else, Unreadable and OSError."""
    before = Spill("known")
    try:
        for file, entries in groupby(_entries(name), itemgetter("file")):
            known: dict[str, Known] = {}
            for entry in entries:
                findings = {
                    (each["rule"], each["name"], each["severity"])
                    for each in entry["findings"]
                    if not each["suppressed"]
                }
                _add(known, file, entry["fingerprint"], findings)
            before.put(name_key(file), marshal.dumps(known[file]))
    except (AttributeError, KeyError, TypeError):
        raise _other(name) from None
    return EarlierAudit(name, before)


def by_severity(found: dict[RuleFound, list[str]]) -> list[tuple[RuleFound, list[str]]]:
    """Returns findings and the inputs of each, the worst first."""
    return sorted(found.items(), key=lambda item: worst_first(item[0], len(item[1])))


def _entries(name: str) -> Iterator[Any]:
    """Yields the inputs of a document, or of lines of which each is one. A document may be as long
    as a file may be, lines without end."""
    with io.BufferedReader(opening.open_file(name)) as file:
        first = file.readline(limits.FILE_BYTES)
        try:
            if first.strip() == b"{":
                rest = opening.bounded(file, limits.FILE_BYTES, name)
                yield from json.loads(first + rest)["inputs"]
                return
            while first:
                yield json.loads(first)
                first = file.readline(limits.FILE_BYTES)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise _other(name) from None


def _other(name: str) -> UsageError:
    return UsageError(
        f"expected an earlier audit for --since, as audit --format jsonl writes it, found {name}"
    )


def _add(known: dict[str, Known], file: str, table: str, findings: set[RuleFound]) -> None:
    tables, found = known.setdefault(file, (set(), set()))
    tables.add(table)
    found |= findings


def findings_of(audited: Audited) -> set[RuleFound]:
    """Returns the findings of an input that count."""
    return {(f.rule, f.name, str(f.severity)) for f in audited.findings if f.counts}
