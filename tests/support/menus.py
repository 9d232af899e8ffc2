"""menu governors and situations for tests."""

from collections.abc import Iterable

from idle_states.tables.linux.governors.interface import Outcome, Situation, State
from idle_states.tables.linux.governors.menu import Menu
from idle_states.tables.linux.governors.menu_features import features
from idle_states.tables.linux.releases import MAINLINE, release, version_key

NO_LIMIT_US = 2_000_000_000
FAR_US = 100_000
KERNELS = [name for name in MAINLINE if version_key(name) >= (4, 4)]


def table(*rows: tuple[int, int], polling: bool = False) -> list[State]:
    """Returns snooze and states of (exit latency, target residency) in us."""
    states = [State(exit_us * 1000, residency_us * 1000) for exit_us, residency_us in rows]
    return [State(0, 0, polling), *states]


P9 = ((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))


def menu(kernel: str, states: list[State], history_us: Iterable[int] = (), hz: int = 250) -> Menu:
    """Returns a menu governor that has seen idle periods of these lengths in state 0, with no timer
    near."""
    governor = Menu(states, features(release(kernel)), hz)
    for interval_us in history_us:
        governor.select(idle(10_000_000))
        governor.finished(Outcome(0, interval_us * 1000))
    return governor


def idle(
    timer_us: int,
    *,
    limit_us: int = NO_LIMIT_US,
    delta_us: int | None = None,
    stopped: bool = False,
    iowait: int = 0,
    load: int = 0,
    disabled: Iterable[int] = (),
) -> Situation:
    delta_us = timer_us if delta_us is None else delta_us
    return Situation(
        limit_us,
        timer_us * 1000,
        delta_us * 1000,
        stopped,
        iowait,
        load,
        disabled=frozenset(disabled),
    )
