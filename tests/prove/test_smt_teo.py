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
    for _ in range(examples(3, 6)):
        states, limit_us = random_table(random), random.choice((NO_LIMIT_US, NO_LIMIT_US, 5, 150))
        off = frozenset(i for i in range(len(states)) if random.random() < 0.15)
        governor = Teo(states, teo_features.features(release(kernel)), HZ)
        scene = Scene(features(release(kernel)), limit_us=limit_us, disabled=off)
        step = teo_step(z3, governor.features, states, HZ, scene)
        holds = z3.And(step.holds)
        rows = islice(random_rows(random, states, HZ, limit_us, off), examples(60, 200))
        for number, (situation, outcome) in enumerate(rows):
            decision = governor.select(situation)
            if number % 5 == 0:
                model = z3.Model()
                for name, value in inputs(governor, situation, decision.why).items():
                    model.update_value(*known(z3, name, value))
                seen = states, off, limit_us, situation, decision
                assert z3.is_true(model.eval(holds)), seen
                assert model.eval(step.selected).as_long() == decision.state, seen
            governor.finished(outcome)


def known(z3: Any, name: str, value: int) -> tuple[Any, Any]:
    """An input of the step, and its value, as the solver has them."""
    if isinstance(value, bool):
        return z3.Bool(name), z3.BoolVal(value)
    if name.startswith("recent"):
        return z3.BitVec(name, 32), z3.BitVecVal(value, 32)
    return z3.Int(name), z3.IntVal(value)


def inputs(teo: Teo, situation: Situation, why: Mapping[str, Any]) -> dict[str, int]:
    """What the step's inputs are, after teo's own select()."""
    table, metrics = TeoTable(teo.states, teo.features, HZ), teo.metrics
    found: dict[str, int] = {
        "sleep": table.time(situation.sleep_length_ns),
        "event": table.time(situation.delta_next_ns),
        "stopped": situation.tick_stopped,
        "utilised": situation.cpu_util > situation.cpu_capacity >> 6,
    }
    if isinstance(metrics, Hits):
        for i, one in enumerate(metrics.states):
            found |= {f"hits{i}": one.hits, f"misses{i}": one.misses, f"early{i}": one.early_hits}
        few = why.get("recent_short", 0)  # the shortest of the recent idles
        average = sum(sorted(metrics.intervals[:INTERVALS])[:few]) // max(few, 1)
        return found | {"short": few > INTERVALS // 2, "average": average}
    assert isinstance(metrics, TeoSelection)
    bins = metrics.bins
    for i in range(table.count):
        found |= {f"hits{i}": bins.hits[i], f"intercepts{i}": bins.intercepts[i]}
        found[f"recent{i}"] = bins.recent[i] if teo.features.recent else 0
    return found | {
        "total": bins.total,
        "short": 2 * bins.short_idles >= bins.total,
        "keeps": metrics._intercepts_keep_tick(),
    }
