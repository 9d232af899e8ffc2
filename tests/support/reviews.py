"""The answers that reviews and patches of the same tables work out again and again, kept between
them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from idle_states.base.model.table import IdleTable
from idle_states.change.review import machines, workloads
from idle_states.lab.simulation.setup import Setup
from idle_states.lab.simulation.window import Window
from idle_states.tables.linux.governors.settling import Circumstances, Settling
from idle_states.tables.linux.governors.steady import Range
from idle_states.tables.skiboot import c_table


def share(patch: pytest.MonkeyPatch) -> None:
    """Each selection map and each simulated window of a review is worked out once in a process, and
    each C source that has no fault is read once. All are functions of values, which are the
    keys."""
    maps: dict[object, tuple[Range, ...]] = {}
    windows: dict[object, Window] = {}
    texts: dict[object, list[IdleTable]] = {}
    selection_map, window, read = machines.selection_map, workloads.window, c_table.read

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

    def read_once(
        text: str,
        file: str,
        *,
        defines: Mapping[str, str] | None = None,
        sha256: str | None = None,
    ) -> list[IdleTable]:
        key = text, file, frozenset((defines or {}).items()), sha256
        if key not in texts:
            texts[key] = read(text, file, defines=defines, sha256=sha256)
        return list(texts[key])

    patch.setattr(c_table, "read", read_once)
    patch.setattr(machines, "selection_map", map_once)
    patch.setattr(workloads, "window", window_once)
