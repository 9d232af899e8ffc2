"""Watched times note all that is asked about them, or refuse, and what is kept by the answers is
what the times themselves give."""

import random
from collections.abc import Callable
from functools import partial
from itertools import chain
from operator import add, and_, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub
from typing import Any

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.model.power_mgt import (
    LATENCIES,
    RESIDENCIES,
    PowerMgt,
    decode,
    u32_array,
)
from idle_states.base.model.table import IdleTable, ReadFrom
from idle_states.base.model.units import format_time
from idle_states.tables.linux.releases import DEFAULT, Release, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import rules_on
from idle_states.tables.rules.engine import rules_for, run
from idle_states.tables.rules.kept import Answered, KeptFindings
from idle_states.tables.rules.rule import Rule, Severity, Verdict, Verdicts
from idle_states.tables.rules.selection import ALL
from idle_states.tables.rules.watched import Answers, TimeAsked, filled, times_of, watched
from tests.support.random_tables import time_ns
from tests.support.subjects import KERNELS
from tests.support.thorough import examples
from tests.tables.linux.test_powernv_model import random_case

READ_FROM = ReadFrom("dtb", "x.dtb")


def subjects(drawn: random.Random) -> tuple[Subject, Subject]:
    """Two that differ in times alone."""
    cpu, properties, _ = random_case(drawn)
    made = []
    for _ in range(2):
        for name in {LATENCIES, RESIDENCIES} & properties.keys():
            size = len(properties[name])
            properties[name] = u32_array(time_ns(drawn) for _ in range(size // 4 + 1))[:size]
        node = PowerMgt(dict(properties))
        made.append(Subject(decode(node, cpu, READ_FROM), KERNELS, node=node))
    return made[0], made[1]


def times(subject: Subject) -> tuple[int, ...]:
    assert subject.node is not None
    return times_of(*(subject.node.properties.get(name) for name in (LATENCIES, RESIDENCIES)))


def with_answers(subject: Subject, answers: Answers) -> Subject:
    assert subject.node is not None
    return subject.retimed(*watched(subject.table, subject.node, answers))


def of_times(first: Subject, said: dict[str, bytes]) -> Subject:
    """Another of its shape."""
    assert first.node is not None
    node = replace(first.node, properties={**first.node.properties, **said})
    return first.retimed(decode(node, first.table.cpu, READ_FROM), node)


POWER9 = next(
    subject
    for subject, _ in (subjects(random.Random(seed)) for seed in range(99))
    if len(subject.table.states) > 1 and subject.table.states[0].residency_ns is not None
)
REFUSED: dict[str, Callable[[IdleTable, PowerMgt], object]] = {
    "a row's values as a key": lambda table, node: {table.states[0].values(): 1},
    "a time in a range": lambda table, node: range(table.states[0].latency_ns),
    "a time beside a text": lambda table, node: table.states[0].latency_ns == "1",
    "a time with a fraction": lambda table, node: table.states[0].latency_ns < 1.5,
    "a table's hash": lambda table, node: hash(table),
    "a time as text": lambda table, node: str(table.states[0].latency_ns),
    "a time in another form": lambda table, node: f"{table.states[0].latency_ns:#x}",
    "a row as text": lambda table, node: f"{table.states[0]}",
    "equal nodes": lambda table, node: node == POWER9.node,
    "bytes as text": lambda table, node: f"{node.properties[LATENCIES]}",
    "bytes as key": lambda table, node: {node.properties[RESIDENCIES]: 1},
    "bytes": lambda table, node: bytes(node.properties[LATENCIES]),
    "a part of bytes": lambda table, node: node.properties[LATENCIES][:4],
    "bytes one by one": lambda table, node: list(node.properties[LATENCIES]),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_what_cannot_be_noted_is_refused(refused: str) -> None:
    subject = with_answers(POWER9, Answers(times(POWER9)))
    assert subject.node is not None
    with pytest.raises((TypeError, TimeAsked)):
        REFUSED[refused](subject.table, subject.node)


def test_the_length_of_times_is_told() -> None:
    answers = Answers(times(POWER9))
    subject, node = with_answers(POWER9, answers), POWER9.node
    assert subject.node is not None
    assert node is not None
    assert subject.node.count(LATENCIES) == node.count(LATENCIES)
    assert not answers.known


def drawn_result(t: Any, drawn: random.Random) -> object:
    """Asks some things about times; which, the answers decide."""
    result: list[object] = []
    number = t[0]
    for _ in range(drawn.randrange(1, 6)):
        compute = drawn.choice([add, sub, mul, floordiv, mod, and_, divmod])
        number = compute(number, drawn.choice([*t, drawn.randrange(1, 5_000)]))
        number = number[drawn.randrange(2)] if compute is divmod else number
        number = drawn.choice([abs(number), 7 + number, 9 * number, 5000 - number, number])
        if drawn.choice([lt, le, gt, ge, eq, ne])(number, drawn.choice([*t, 0, 3, 1000])):
            result.append("yes")
        elif number:
            return [*result, max(t) is t[0], sorted(t).index(t[1])]
    return result


def test_what_is_kept_is_what_times_give() -> None:
    drawn = random.Random(21)
    reused = computed = 0
    for seed in range(examples(60, 1_000)):

        def run(answers: Answers, part: int, seed: int = seed) -> object:
            nonlocal computed
            computed += 1
            _, node = watched(POWER9.table, THREE, answers)
            return str(drawn_result(node.cells(LATENCIES), random.Random(f"{seed} {part}")))

        kept = Answered(run, 3)
        for _ in range(400):
            given = [drawn.choice([0, 1, 3, 1000, 2000, drawn.randrange(9_000)]) for _ in range(3)]
            for part, result in enumerate(kept.of(given)):
                if result:
                    assert result == str(drawn_result(given, random.Random(f"{seed} {part}")))
                    reused += 1
    assert reused > 10 * computed > 0


THREE = PowerMgt({LATENCIES: bytes(12)})


def test_texts_have_the_times_in_their_places() -> None:
    answers = Answers((1_500, 2_000_000, 0))
    _, node = watched(POWER9.table, THREE, answers)
    a, b, _ = node.cells(LATENCIES)
    texts = (f"{a} ns, {format_time(b)}: {a // 1000 + 1}", "'none'")
    make = filled(texts)
    assert make((1_500, 2_000_000)) == ("1500 ns, 2ms: 2", "'none'")
    assert make((7, 500)) == ("7 ns, 500ns: 1", "'none'")
    assert not answers.known


def test_rules_find_the_same_again() -> None:
    drawn = random.Random(12)
    for _ in range(examples(25, 400)):
        first, _ = subjects(drawn)
        assert first.node is not None
        kept = KeptFindings(partial(with_answers, first), rules_for(first, ALL), times(first))
        for number in range(12):
            said = {}
            for name in {LATENCIES, RESIDENCIES} & first.node.properties.keys():
                size = len(first.node.properties[name])
                said[name] = u32_array(time_ns(drawn) for _ in range(size // 4 + 1))[:size]
            each = of_times(first, said)
            found = kept.of(times(each), partial(of_times, first, said), texts=number % 2 > 0)
            wanted = run(each)
            if number % 2:
                assert list(found) == wanted
            else:
                kinds = [(f.rule, f.severity, f.location) for f in wanted]
                assert [(f.rule, f.severity, f.location) for f in found] == kinds


@pytest.mark.parametrize("texts", [True, False])
def test_findings_that_may_be_equal_are_told_by_their_texts(texts: bool) -> None:
    """Two findings at one place are one if their messages are equal, which no question tells."""
    rules = []
    for parts in (lambda table: [table.states[:2]], lambda table: zip(table.states[:2])):
        rule = Rule("IS201", "doubled", Severity.NOTE)

        @rule.of_each(lambda subject, parts=parts: [(subject, p) for p in parts(subject.table)])
        def check(part: Any) -> Verdicts:
            subject, states = part
            for state in states:
                yield Verdict(subject.at(None), f"a state has {state.latency_ns} ns")

        rules.append(rule)
    assert POWER9.node is not None
    size = len(POWER9.node.properties[LATENCIES])
    for rule in rules:
        kept = KeptFindings(partial(with_answers, POWER9), (rule,), times(POWER9))
        for second, count in ((5, 2), (4, 1), (6, 2), (4, 1)):
            latencies = u32_array([4, second, *([9] * 20)])[:size]
            made = partial(of_times, POWER9, {LATENCIES: latencies})
            assert len(kept.of(times(made()), made, texts=texts)) == count


def test_kernels_are_judged_together_as_each_alone() -> None:
    """Kernels whose drivers are alike are judged by one of them."""
    names = (*DEFAULT, "3.14", "3.18", "4.0", "4.4", "4.8", "4.11", "4.12", "4.14", "4.19", "5.2")
    kernels = tuple(map(release, names))
    drawn = random.Random(13)

    def told(subject: Subject, kernels: tuple[Release, ...]) -> set[tuple[object, ...]]:
        judged = Subject(subject.table, kernels, node=subject.node)
        found = chain.from_iterable(each.rule.findings(judged) for each in rules_on("dt"))
        return {
            (each.rule, each.location, each.message, each.severity, name)
            for each in found
            for name in each.kernels
        }

    for _ in range(examples(15, 200)):
        subject, _ = subjects(drawn)
        alone = [told(subject, (kernel,)) for kernel in kernels]
        assert told(subject, kernels) == set().union(*alone)
