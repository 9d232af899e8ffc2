"""menu: worked examples, of the table that beat snooze and of commits."""

import pytest

from idle_states.tables.linux.governors.interface import Decision, Outcome, State
from idle_states.tables.linux.governors.menu import Menu
from idle_states.tables.linux.governors.menu_features import features
from idle_states.tables.linux.releases import release
from tests.support.menus import FAR_US, P9, idle, menu, table

# The table that made stop0_lite beat snooze, and what would have fixed it


def share(
    kernel: str,
    states: list[State],
    idle_us: float,
    *,
    wake_us: float = 0,
    history_us: float = 0,
    iowait: int = 0,
    load: int = 0,
) -> int:
    """Percent of idles of one length in state 1, after the first sixteen.

    wake_us: what state 1 adds to the residency. history_us: eight idles of that length before.
    """
    governor = Menu(states, features(release(kernel)), 250)
    chosen = []
    lengths_us = [history_us] * 8 if history_us else []
    for length_us in lengths_us + [idle_us] * 1016:
        decision = governor.select(idle(FAR_US, delta_us=4000, iowait=iowait, load=load))
        wake = wake_us if decision.state else 0
        governor.finished(Outcome(decision.state, round((length_us + wake) * 1000)))
        chosen.append(decision.state == 1)
    return round(100 * sum(chosen[-1000:]) / 1000)


@pytest.mark.parametrize(
    ("row", "shares"),
    [
        ((0, 2), [0, 100, 100, 100, 100, 100, 100]),
        ((1, 2), [0, 11, 11, 100, 100, 100, 100]),
        ((1, 10), [0, 0, 0, 0, 0, 0, 100]),
        ((0, 10), [0, 0, 0, 0, 0, 0, 100]),
    ],
)
@pytest.mark.parametrize("kernel", ["4.11", "4.15"])
def test_share_of_stop0_lite(kernel: str, row: tuple[int, int], shares: list[int]) -> None:
    lengths_us = (1.5, 2.0, 2.5, 3, 5, 9.9, 12)
    assert [share(kernel, table(row), length) for length in lengths_us] == shares


@pytest.mark.parametrize(("iowait", "load"), [(1, 0), (0, 1024)])
def test_only_latency_0_ignores_iowait_and_load(iowait: int, load: int) -> None:
    assert share("4.15", table((0, 2)), 5, iowait=iowait, load=load) == 100
    assert share("4.15", table((1, 2)), 5, iowait=iowait, load=load) == 0


@pytest.mark.parametrize(
    ("row", "sticks_us", "leaves_us"), [((0, 2), 1.0, 0.5), ((1, 2), 2.2, 1.5)]
)
def test_lock_in(row: tuple[int, int], sticks_us: float, leaves_us: float) -> None:
    """The time that waking takes is in the history: a state keeps itself selected."""
    states = table(row)
    assert share("4.15", states, sticks_us, wake_us=1.3, history_us=5) == 100
    assert share("4.15", states, leaves_us, wake_us=1.3, history_us=5) == 0
    assert share("4.15", states, 1.0, wake_us=1.3) == 0


@pytest.mark.parametrize("kernel", ["5.15", "6.8", "debian-6.12.117", "6.14", "6.17", "7.2"])
def test_a_polling_snooze_undoes_the_fix(kernel: str) -> None:
    assert share(kernel, table(*P9, polling=True), 3) == 100
    assert share(kernel, table(*P9), 3) == 0


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [("6.12", 100), ("6.18", 100), ("debian-6.1.192", 100), ("6.19", 0), ("debian-6.12.117", 0)],
)
def test_residencies_of_15_us_are_exempt_from_6_19_on(kernel: str, expected: int) -> None:
    assert share(kernel, table((1, 15), *P9[1:], polling=True), 3) == expected


# Examples from commits


@pytest.mark.parametrize(
    ("kernel", "expected"), [("6.8", 2), ("6.16", 2), ("6.17", 1), ("debian-6.12.117", 1)]
)
def test_latency_limit_with_the_tick_stopped(kernel: str, expected: int) -> None:
    """779b1a1cb13a: prediction one tick, limit 20 us, no timer soon."""
    states = table((5, 5), (200, 2000))
    governor = menu(kernel, states, [1000] * 8, hz=1000)
    decision = governor.select(idle(50_000, limit_us=20, stopped=True))
    assert decision.why["predicted"] == 1_000_000
    assert decision == Decision(expected, True)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("6.5", 3),
        ("6.8", 6),
        ("6.14", 6),
        ("ubuntu-6.17.0", 6),
        ("6.19", 6),
        ("7.0", 3),
        ("7.2", 0),
    ],
)
def test_timers_are_asked_with_the_tick_stopped(kernel: str, expected: int) -> None:
    """80606f4eb8d7: unasked, KTIME_MAX became the prediction; the timer is 60 us away."""
    governor = menu(kernel, table(*P9), [5] * 8)
    assert governor.select(idle(60, stopped=True)) == Decision(expected, True)
