"""Equal idle periods that keep a state, and changes of the period."""

import pytest

from idle_states.cli import main
from idle_states.tables.linux.governors import State
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.prove.answer import Proven, proven
from idle_states.tables.prove.periods import StateKept
from idle_states.tables.prove.request import ProveRequest

HZ = 250


def found(governor: str, kernel: str, *times_us: tuple[int, int], wake_ns: int = 0) -> Proven:
    states = [State(0, 0), *(State(exit * 1000, res * 1000) for exit, res in times_us)]
    of = GovernorRequest(governor, HZ, "not read")
    request = ProveRequest(of, release(kernel), wake_ns=wake_ns, periods=True)
    return proven(request, states)


def kept(result: Proven, state: int) -> StateKept:
    return next(each for each in result.kept or () if each.state == state)


def test_waking_keeps_a_state() -> None:
    """POWER9 of 2017: 2 us of waking are all of stop0_lite's target residency, none deducted."""
    woken = kept(found("menu", "4.11", (0, 2), wake_ns=2_000), 1)
    assert (woken.least_ns, woken.itself) == (1_000, True)
    fixed = kept(found("menu", "4.11", (1, 10), wake_ns=2_000), 1)
    assert fixed.least_ns
    assert not fixed.itself or fixed.least_ns >= 10_000 - 2_000


def test_ladder_keeps_what_is_too_deep() -> None:
    """An idle period shorter than the exit latency counts as endless."""
    (deep,) = [each for each in found("ladder", "6.1", (100, 1000)).kept or () if each.state]
    assert (deep.least_ns, deep.itself) == (1_000, True)


def test_menu_takes_eight_idles_to_follow() -> None:
    """Eight snoozes, which their time-out of 20 us ends; then eight idles in the first state."""
    slowest = found("menu", "6.1", (2, 20), (50, 500)).slowest
    assert slowest
    assert (slowest.from_ns, slowest.to_ns, slowest.states) == (1_000, 601_000, (2,))
    assert (slowest.idles, slowest.time_ns) == (16, 8 * (20_000 + 601_000))
    assert found("ladder", "6.1").slowest is None


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["prove", "--states", "0/2000", "--kernel", "4.11", "--wake", "2000", "--periods"])
    output = capsys.readouterr().out
    assert "kept from 1us on, below its target residency of 2us" in output
    assert "slowest to follow: from " in output
