"""Compares the findings before and after a change: which are new, and which are fixed.

Two findings are the same if rule and logical path are (`findings.identities`), with rows identified
by name, and a renamed row by its new one, so that moving or renaming makes no finding new; nor does
a node's new path, where all that is said stays. Findings that hold on some kernels are compared
kernel by kernel. A finding whose severity rises is new; one whose severity falls is fixed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import INTERNAL_ERROR, Finding, identities, sort_findings
from ...base.model.table import IdleTable
from ...base.patterns import pattern
from .match import renamed_states
from .suppressions import Known, revealed

_ROW = pattern(r"\[([0-9]+)\]")


@dataclass(frozen=True, slots=True)
class FindingsOutcome:
    """The effect of a change on the findings; it holds for each finding's `kernels`.

    new       findings only after the change, with places after it
    fixed     findings only before the change, with places before it
    silenced  findings that the change suppresses, with places before it and the suppression's
              reason
    """

    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    silenced: tuple[Finding, ...] = ()


def in_all(outcomes: Sequence[FindingsOutcome]) -> FindingsOutcome:
    """The findings that all outcomes have, as in the first: given a merge's outcome against each
    parent, what no parent had."""
    first, *others = outcomes

    def common(found: Sequence[Finding], which: str) -> tuple[Finding, ...]:
        known = [{_kind(f) for f in getattr(other, which)} for other in others]
        return tuple(f for f in found if all(_kind(f) in some for some in known))

    return FindingsOutcome(
        common(first.new, "new"),
        common(first.fixed, "fixed"),
        common(first.silenced, "silenced"),
    )


def _kind(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.table, finding.message


Side = tuple[IdleTable | None, Sequence[Finding]]
_Key = tuple[str, str]


def outcome(before: Side, after: Side, is_known: Known = lambda finding: True) -> FindingsOutcome:
    """Compares the findings before and after.

    before, after  a table (None if there is none) and all findings on it
    is_known       whether a finding that is suppressed afterwards was accepted before
    """
    table, other = before[0], after[0]
    renamed = renamed_states(table, other) if table is not None and other is not None else {}
    old, new = _keyed(*before, renamed), _keyed(*after, {})
    shown = _unaccepted(new, old, is_known)
    gone = _only(old, new)
    silenced = []
    fixed = []
    for finding, keys in gone:
        now = next((new[key] for key in keys if key in new), None)
        if now is not None and now.suppressed is not None:
            silenced.append(replace(finding, suppressed=now.suppressed, kept_in=now.kept_in))
        else:
            fixed.append(finding)
    # a table on which the tool fails before and after is not judged
    judged = {key: finding for key, finding in old.items() if finding.rule != INTERNAL_ERROR}
    appeared = [finding for finding, _ in _only(shown, judged)]
    # of a node that moves within a tree, the path is another
    stays = Counter(map(_content, appeared)) & Counter(map(_content, fixed))
    return FindingsOutcome(
        tuple(sort_findings(_without(appeared, stays))),
        tuple(sort_findings(_without(fixed, stays))),
        tuple(sort_findings(silenced)),
    )


def _content(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.severity, finding.message, finding.kernels


def _without(findings: Sequence[Finding], stays: Counter[tuple[object, ...]]) -> Iterator[Finding]:
    """The findings, but for so many of each kind."""
    left = stays.copy()
    for finding in findings:
        if left[_content(finding)]:
            left[_content(finding)] -= 1
        else:
            yield finding


def _unaccepted(
    new: dict[_Key, Finding], old: dict[_Key, Finding], is_known: Known
) -> dict[_Key, Finding]:
    """The findings after the change; a suppression that the change itself adds is undone."""
    made: dict[int, Finding] = {}
    found = {}
    for key, finding in new.items():
        before = old.get(key)
        accepted = before is not None and not before.counts
        if finding.counts or accepted or is_known(finding):
            found[key] = finding
        else:
            found[key] = made.setdefault(id(finding), revealed(finding))
    return found


def _only(
    these: dict[_Key, Finding], those: dict[_Key, Finding]
) -> list[tuple[Finding, list[_Key]]]:
    """Findings of `these` that are missing from `those`, suppressed or less severe there, each with
    the keys for which that holds."""
    found: dict[int, tuple[Finding, list[_Key]]] = {}
    for key, finding in these.items():
        other = those.get(key)
        if finding.counts and (
            other is None or not other.counts or other.severity < finding.severity
        ):
            found.setdefault(id(finding), (finding, []))[1].append(key)
    return [
        (_on(finding, {kernel for kernel, _ in keys}), keys) for finding, keys in found.values()
    ]


def _on(finding: Finding, kernels: set[str]) -> Finding:
    return replace(finding, kernels=tuple(name for name in finding.kernels if name in kernels))


def _keyed(
    table: IdleTable | None, findings: Sequence[Finding], renamed: Mapping[str, str]
) -> dict[_Key, Finding]:
    """(kernel or "", identity) -> finding. renamed: name of a state -> its name after."""
    rows = _rows(table, renamed)
    neutral = [replace(f, location=f.location.at(_neutral(f, table, rows))) for f in findings]
    kernels = dict.fromkeys(kernel for finding in findings for kernel in finding.kernels)
    found: dict[_Key, Finding] = {}
    for kernel in ("", *kernels):
        here = [
            number
            for number, finding in enumerate(findings)
            if (kernel in finding.kernels if kernel else not finding.kernels)
        ]
        for number, name in zip(here, identities([neutral[n] for n in here]), strict=True):
            found[kernel, name] = findings[number]
    return found


def _rows(table: IdleTable | None, renamed: Mapping[str, str]) -> list[str]:
    """The name of each row after the change, with the number of rows of that name before it."""
    seen: Counter[str] = Counter()
    rows = []
    for state in table.states if table is not None else ():
        name = renamed.get(state.name, state.name)
        rows.append(f"{name}#{seen[name]}")
        seen[name] += 1
    return rows


def _neutral(finding: Finding, table: IdleTable | None, rows: Sequence[str]) -> str:
    """The logical path without the table's name, and with what `_rows` calls a row for its
    number."""
    path = finding.location.path
    if table is None or not path.startswith(table.name):
        return path

    def named(match: re.Match[str]) -> str:
        row = int(match[1])
        return f"[{rows[row]}]" if row < len(rows) else match[0]

    return "table" + _ROW.sub(named, path[len(table.name) :], count=1)
