"""Witnesses on the kernel's own governors, compiled from its tree."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from idle_states.tables.linux.governors import known_in
from idle_states.tables.linux.releases import Release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.pipeline import held_by
from idle_states.tables.prove.answer import proven
from idle_states.tables.prove.history import Played
from idle_states.tables.prove.request import ProveRequest
from tests.oracle import skipping
from tests.oracle.linux.governors import Cpu, GovernorOracle, Row, State, taken_as
from tests.support.thorough import few

TABLES = ("power9", "intel:skl", "power8", "power9@1953b41e1", "power10", "intel:snb", "intel:spr")


def rows(witness: Iterable[Played]) -> list[Row]:
    return [
        Row(
            latency_req_us=one.situation.latency_req_us,
            sleep_length_ns=one.situation.sleep_length_ns,
            delta_next_ns=one.situation.delta_next_ns,
            tick_stopped=one.situation.tick_stopped,
            nr_iowaiters=one.situation.nr_iowaiters,
            clock_ns=one.situation.clock_ns,
            disabled=one.situation.disabled,
            residency_ns=one.outcome.residency_ns,
            got_tick=one.outcome.got_tick,
            poll_time_limit=one.outcome.poll_time_limit,
            reflect_clock_ns=one.outcome.clock_ns,
            cpu_util=one.situation.cpu_util,
        )
        for one in witness
    ]


@pytest.mark.parametrize(
    ("governor", "table"),
    few(2, [(name, table) for table in TABLES for name in ("menu", "teo", "ladder", "haltpoll")]),
)
def test_the_kernel_selects_it_too(governor_tree: Path, governor: str, table: str) -> None:
    kernel: Release = taken_as(governor_tree)
    if not known_in(governor, kernel):
        pytest.skip(f"Linux {kernel.name} has no {governor}")
    request = ProveRequest(GovernorRequest(governor, table=table), kernel)
    found = proven(request, held_by(kernel, request.of))
    shown = [(proof, proof.witness) for proof in found.proofs if proof.witness]
    states = [State(each.exit_ns, each.residency_ns, each.polling) for each in found.states]
    with skipping():
        oracle = GovernorOracle(governor_tree, governor)
        answers = oracle.run([Cpu(states, rows(witness)) for _, witness in shown])
    assert len(shown) >= 2
    for (proof, witness), answer in zip(shown, answers, strict=True):
        assert answer[-1][0] == proof.number, proof.name
        assert [state for state, _ in answer] == [one.decision.state for one in witness]
