"""Keeps findings in tables that differ in times alone, by the answers to questions about them."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from ...base.dataclass import replace
from ...base.model.findings import MAX_MESSAGE, Finding, sort_findings
from ..pipeline import Subject
from .engine import once
from .rule import Check, KernelCheck, PartCheck, Rule
from .watched import Answers, TimeAsked, computed, filled

T = TypeVar("T")
MOST = 64
"""The number of results that are kept of each computation."""
_VARYING = re.compile("(\2[^\3]*\3|[0-9]+)(ns|us|ms|s)?")
_Times = Sequence[int]
_Findings = tuple[Finding, ...]


class Answered(Generic[T]):
    """The results of some computations, by the answers to what they ask about times.

    run    computes one of the parts from times that note what is asked
    parts  number of computations
    """

    def __init__(self, run: Callable[[Answers, int], T], parts: int = 1) -> None:
        self._run = run
        # a question, what follows from yes and from no, its function; a result as a tuple of one
        self._tries: list[Any] = [None] * parts
        self._left = [MOST] * parts

    def of(self, times: _Times) -> list[T | None]:
        """Returns each part's result; None where it has to be computed from the times."""
        found: list[T | None] = []
        answers = Answers(times)
        for part, node in enumerate(self._tries):
            try:
                while type(node) is list:
                    node = node[1] if node[3](times) else node[2]
            except ArithmeticError:
                node = (None,)
            if node is None and self._left[part]:
                node = self._learned(answers, part)
            found.append(node and node[0])
        return found

    def _learned(self, answers: Answers, part: int) -> tuple[T | None]:
        self._left[part] -= 1
        answers.known.clear()
        leaf: tuple[T | None] = (None,)
        with suppress(Exception):
            # whatever is raised, the times themselves tell
            leaf = (self._run(answers, part),)
        node, at = self._tries, part
        for question, answer in answers.known.items():
            node[at] = node[at] or [question, None, None, computed(question)]
            node, at = node[at], 1 if answer else 2
            if type(node) is not list or node[0] != question:
                break
        else:
            if node[at] is None:
                node[at] = leaf
                return leaf
        # it asked something else before
        self._tries[part] = (None,)
        return (None,)


class KeptFindings:
    """The findings on tables that differ in times alone.

    watched  returns a new table with times that note what is asked
    rules    that run
    times    of one of the tables
    brief    makes of findings what is wanted of them without texts
    """

    def __init__(
        self,
        watched: Callable[[Answers], Subject],
        rules: Iterable[Rule],
        times: _Times,
        brief: Callable[[Iterable[Finding]], _Findings] = tuple,
    ) -> None:
        self._watched, self._brief = watched, brief
        self._parts: list[list[tuple[Rule, Check]]] = []
        of_kernels: list[tuple[Rule, Check]] = []
        for rule, check in ((each, check) for each in rules for check in each.checks):
            answers = Answers(times)
            if isinstance(check, KernelCheck):
                # most is asked by the drivers, and by these for all rules
                of_kernels.append((rule, check))
                continue
            checks: list[Check] = [check]
            if isinstance(check, PartCheck):
                parts = [*check.parts(watched(answers))]
                apart = [check.of_one(number) for number in range(len(parts))]
                checks = checks if answers.known else apart
            self._parts += [[(rule, each)] for each in checks]
        self._parts.append(of_kernels)
        self._kept = Answered(self._run, len(self._parts))
        self._textless: dict[object, tuple[_Findings, object]] = {}

    def of(self, times: _Times, table: Callable[[], Subject], *, texts: bool) -> _Findings:
        """Returns what `run` does of what `table` makes, in full or without times in `texts`."""
        made: list[_Made] = []
        key: list[object] = []
        for part, kept in enumerate(self._kept.of(times)):
            if kept is None:
                new = self._found(part, table())
                made += [(each, None) for each in new]
                key += [(each.location, each.severity, each.kernels, _kind(each)) for each in new]
            elif kept:
                made += kept
                key.append(id(kept[0]))
        if not texts and (known := self._textless.get(tuple(key))):
            return known[0]
        # of two of a rule at one place, the texts may tell whether they are one
        alone = not texts and len({_kind(each) for each, _ in made}) == len(made)
        filled = (each if alone or not fill else fill(times) for each, fill in made)
        found = sort_findings(once(filled))
        if texts:
            return tuple(found)
        findings = self._brief(found)
        if alone and len(self._textless) < 4 * MOST:
            # with what was made, whose numbers are no others' while it is there
            self._textless[tuple(key)] = findings, made
        return findings

    def _run(self, answers: Answers, part: int) -> "list[_Made]":
        return _made(self._found(part, self._watched(answers)))

    def _found(self, part: int, table: Subject) -> list[Finding]:
        name = table.table.name
        return [rule.finding(v, name) for rule, check in self._parts[part] for v in check(table)]


_Made = tuple[Finding, Callable[[_Times], Finding] | None]


def _made(findings: Sequence[Finding]) -> list[_Made]:
    """Returns findings with what puts times into their texts. Raises TimeAsked where these decide
    whether two verdicts of kernels are one."""
    cut = any(len(each.message) >= MAX_MESSAGE for each in findings)
    if cut or len(set(map(_kind, findings))) < len(findings):
        raise TimeAsked
    return [(each, _filling(each)) for each in findings]


def _kind(finding: Finding) -> str:
    """Returns what tells a finding from others whatever the times are."""
    return f"{finding.rule} {finding.location.path} {_VARYING.sub('', finding.message)}"


def _filling(finding: Finding) -> Callable[[_Times], Finding] | None:
    texts = (finding.message, *(remark for _, remark in finding.related))
    if not any("\2" in text for text in texts):
        return None
    places, fill = [where for where, _ in finding.related], filled(texts)

    def made(times: _Times) -> Finding:
        message, *remarks = fill(times)
        return replace(finding, message=message, related=tuple(zip(places, remarks, strict=True)))

    return made
