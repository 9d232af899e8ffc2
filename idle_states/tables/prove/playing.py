"""Finds which of many histories lead to states: the compiled core plays them, a million steps in a
fraction of a second."""

import struct
from collections.abc import Collection, Sequence

from ..linux.governors import Governor, core
from ..linux.governors.interface import KTIME_MAX
from .history import IdleStep, Scene

History = tuple[IdleStep, ...]

_STEP = struct.Struct("<QQQQIIII")
_SCENE = struct.Struct("<7Q")
_ENDS = struct.pack("<I", 1)


class CorePlayer:
    """Plays histories of one governor in one scene."""

    def __init__(self, governor: Governor, scene: Scene) -> None:
        self._stream = core.Stream.of(governor)
        polled_ns, is_reported = scene.polls_for(governor)
        self._scene = _SCENE.pack(
            scene.limit_us,
            core.mask(scene.disabled),
            scene.wake_ns,
            KTIME_MAX if polled_ns is None else polled_ns,
            is_reported,
            scene.snoozes,
            scene.loop.governor_decides_tick,
        )

    def leading(self, histories: Sequence[History], wanted: Collection[int]) -> list[History]:
        """Returns the beginnings of histories that are the first to lead to a state, in their
        order, up to the history by which all wanted states are reached."""
        packed = b"".join(map(_packed, histories))
        led = self._stream.led(self._scene, packed)
        last = max(led[state][0] if led[state][1] else len(packed) for state in wanted)
        reached = {first: end for first, end in sorted(led) if end and first <= last}
        found, first = [], 0
        for history in histories:
            if first in reached:
                found.append(history[: reached[first] - first])
            first += len(history)
        return found


def player_of(governor: Governor, scene: Scene) -> CorePlayer | None:
    """Returns a player; None where the core does not have the governor, or cannot follow it step
    by step."""
    if governor.name == "haltpoll" or governor.source or not core.can_replay(governor):
        return None
    return CorePlayer(governor, scene)


def _packed(history: History) -> bytes:
    parts, before = [], None
    for step in history:
        if step is not before:
            before, packed = step, _step(step)
        parts.append(packed)
    return b"".join(parts)[: -len(_ENDS)] + _ENDS


def _step(step: IdleStep) -> bytes:
    return _STEP.pack(
        step.timer_ns,
        KTIME_MAX if step.interrupt_ns is None else step.interrupt_ns,
        KTIME_MAX if step.tick_ns is None else step.tick_ns,
        step.late_ns,
        step.iowaiters,
        step.cpu_util,
        step.tick_stopped,
        0,
    )
