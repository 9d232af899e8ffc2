"""What reviews of the same tables work out again and again, kept between them."""

from collections.abc import Callable
from typing import Any

import pytest

from idle_states.linux.governors.settling import Circumstances, Settling
from idle_states.linux.governors.steady import Range
from idle_states.review import machines, workloads
from idle_states.simulation.setup import Setup
from idle_states.simulation.window import Window


def share(patch: pytest.MonkeyPatch) -> None:
    """Each selection map and each simulated window of a review is worked out once in a process.
    Both are functions of frozen values, which are the keys."""
    maps: dict[object, tuple[Range, ...]] = {}
    windows: dict[object, Window] = {}
    selection_map, window = machines.selection_map, workloads.window

    def map_once(settling: Settling, fixed: Circumstances) -> tuple[Range, ...]:
        governor = settling.governor
        key = governor.name, governor.states, governor.features, governor.hz, fixed
        if key not in maps:
            maps[key] = selection_map(settling, fixed)
        return maps[key]

    def window_once(setup: Setup, seed: int, settles_ns: int, run: Callable[..., Any]) -> Window:
        key = setup, seed, settles_ns, run
        if key not in windows:
            windows[key] = window(setup, seed, settles_ns, run)
        return windows[key]

    patch.setattr(machines, "selection_map", map_once)
    patch.setattr(workloads, "window", window_once)
