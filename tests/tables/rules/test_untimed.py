"""A table without times refuses to tell any, and rules that need none find in it what they find in
every table of its shape."""

import random
from collections.abc import Callable
from itertools import chain

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
from idle_states.tables.linux.releases import DEFAULT, Release, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import rules_on
from idle_states.tables.rules.engine import begun, run
from idle_states.tables.rules.selection import ALL
from idle_states.tables.rules.untimed import TimeAsked, untimed
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


def bare(subject: Subject) -> Subject:
    assert subject.node is not None
    return subject.retimed(*untimed(subject.table, subject.node))


def test_rules_that_ask_for_no_time_find_the_same() -> None:
    drawn = random.Random(11)
    kept = 0
    for _ in range(examples(60, 1_500)):
        one, other = subjects(drawn)
        known = begun(bare(one), ALL)
        kept += len(known.findings)
        for each in (one, other):
            assert run(each, begun=known) == run(each)
        assert len(known.left) < 45
    assert kept > 60


ASKED: dict[str, Callable[[IdleTable, PowerMgt], object]] = {
    "a latency": lambda table, node: table.states[0].latency_ns,
    "a residency": lambda table, node: table.states[0].residency_ns is None,
    "values": lambda table, node: table.states[0].values(),
    "equal rows": lambda table, node: table.states[0] == table.states[1],
    "another's row": lambda table, node: POWER9.table.states[0] == table.states[0],
    "a row's hash": lambda table, node: hash(table),
    "a row as text": lambda table, node: f"{table.states[0]}",
    "a changed row": lambda table, node: replace(table.states[0], name="x"),
    "equal nodes": lambda table, node: node == POWER9.node,
    "bytes as text": lambda table, node: f"{node.properties[LATENCIES]}",
    "bytes as key": lambda table, node: {node.properties[RESIDENCIES]: 1},
}
POWER9 = next(
    subject
    for subject, _ in (subjects(random.Random(seed)) for seed in range(99))
    if len(subject.table.states) > 1 and subject.table.states[0].residency_ns is not None
)


@pytest.mark.parametrize("asked", ASKED)
def test_whoever_asks_for_a_time_is_refused(asked: str) -> None:
    subject = bare(POWER9)
    assert subject.node is not None
    assert len(subject.table.states) > 1
    with pytest.raises(TimeAsked):
        ASKED[asked](subject.table, subject.node)


def test_the_length_of_times_is_told() -> None:
    subject, node = bare(POWER9), POWER9.node
    assert subject.node is not None
    assert node is not None
    assert subject.node.count(LATENCIES) == node.count(LATENCIES)
    for use in (bytes, list, int.from_bytes, lambda data: data[:4], lambda data: data + b""):
        with pytest.raises((TypeError, TimeAsked)):
            use(subject.node.properties[LATENCIES])  # type: ignore[operator]


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
