"""The solver's description of teo, with what teo has learnt given: it selects what teo selects."""

from collections.abc import Mapping
from itertools import islice
from random import Random
from typing import Any

import pytest

from idle_states.linux.governors import Situation, teo_features
from idle_states.linux.governors.teo import Teo
from idle_states.linux.governors.teo_hits import INTERVALS, Hits
from idle_states.linux.governors.teo_select import TeoSelection
from idle_states.linux.governors.teo_table import TeoTable
from idle_states.linux.idle_loop import NO_LIMIT_US, features
from idle_states.linux.releases import release
from idle_states.prove.history import Scene
from idle_states.prove.smt_teo import teo_step
from tests.prove.random_rows import random_rows
from tests.prove.test_proof import TEO, random_table
from tests.support.thorough import examples, few

HZ = 250


@pytest.mark.parametrize(
    "kernel", few(3, ["7.1", "6.6", "5.13", *(each for each in TEO if each not in ("6.6", "5.13"))])
)
def test_selects_what_teo_selects(kernel: str) -> None:
    z3 = pytest.importorskip("z3")
    random = Random(f"solver {kernel}")
    for _ in range(examples(3, 30)):
        states, limit_us = random_table(random), random.choice((NO_LIMIT_US, NO_LIMIT_US, 5, 150))
        off = frozenset(i for i in range(len(states)) if random.random() < 0.15)
        governor = Teo(states, teo_features.features(release(kernel)), HZ)
        scene = Scene(features(release(kernel)), limit_us=limit_us, disabled=off)
        step = teo_step(z3, governor.features, states, HZ, scene)
        solver = z3.Solver()
        solver.add(*step.holds)
        rows = islice(random_rows(random, states, HZ, limit_us, off), examples(60, 400))
        for number, (situation, outcome) in enumerate(rows):
            decision = governor.select(situation)
            if number % 5 == 0:
                solver.push()
                solver.add(*inputs(z3, governor, situation, decision.why))
                seen = states, off, limit_us, situation, decision
                assert solver.check() == z3.sat, seen
                assert solver.model().eval(step.selected).as_long() == decision.state, seen
                solver.pop()
            governor.finished(outcome)


def inputs(z3: Any, teo: Teo, situation: Situation, why: Mapping[str, Any]) -> list[Any]:
    """What the step's inputs are, after teo's own select()."""
    table, metrics = TeoTable(teo.states, teo.features, HZ), teo.metrics
    holds = [
        z3.Int("sleep") == table.time(situation.sleep_length_ns),
        z3.Int("event") == table.time(situation.delta_next_ns),
        z3.Bool("stopped") == situation.tick_stopped,
        z3.Bool("utilised") == (situation.cpu_util > situation.cpu_capacity >> 6),
    ]
    if isinstance(metrics, Hits):
        for i, one in enumerate(metrics.states):
            holds.append(z3.Int(f"hits{i}") == one.hits)
            holds.append(z3.Int(f"misses{i}") == one.misses)
            holds.append(z3.Int(f"early{i}") == one.early_hits)
        few = why.get("recent_short", 0)  # the shortest of the recent idles
        holds.append(z3.Bool("short") == (few > INTERVALS // 2))
        if few:
            recent = sorted(metrics.intervals[:INTERVALS])[:few]
            holds.append(z3.Int("average") == sum(recent) // few)
        return holds
    assert isinstance(metrics, TeoSelection)
    bins = metrics.bins
    for i in range(table.count):
        holds.append(z3.Int(f"hits{i}") == bins.hits[i])
        holds.append(z3.Int(f"intercepts{i}") == bins.intercepts[i])
        if teo.features.recent:
            holds.append(z3.BitVec(f"recent{i}", 32) == bins.recent[i])
    return [
        *holds,
        z3.Int("total") == bins.total,
        z3.Bool("short") == (2 * bins.short_idles >= bins.total),
        z3.Bool("keeps") == metrics._intercepts_keep_tick(),
    ]
