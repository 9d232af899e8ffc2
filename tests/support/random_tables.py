"""Random rows of idle tables, biased to the values where firmware and kernel decide differently."""

import random

from idle_states.base.model.table import Flag, IdleState

TIMES_NS = (0, 1, 199, 200, 999, 1000, 1001, 5000, 49_000, 199_999, 200_000, 200_001, 10_000_000)
WRAPS_NS = (2**24, 4_294_966_296, 4_294_966_297, 2**32 - 1)
CLASSES = (
    Flag.STOP_INST_FAST,
    Flag.STOP_INST_FAST,
    Flag.STOP_INST_DEEP,
    Flag.NAP_ENABLED,
    Flag.SLEEP_ENABLED,
    Flag.SLEEP_ENABLED_ER1,
    Flag.WINKLE_ENABLED,
    Flag(0),
)
MASKS = (0x3003FF, 0x3003FF, 0x3003FF, 0xF, 0xFF, 0x3F03FF, 0, 2**64 - 1)


def flags(rng: random.Random) -> int:
    value = int(rng.choice(CLASSES))
    for flag in (
        Flag.DEC_STOP,
        Flag.TIMEBASE_STOP,
        Flag.LOSE_USER_CONTEXT,
        Flag.LOSE_HYP_CONTEXT,
        Flag.LOSE_FULL_CONTEXT,
    ):
        if rng.random() < 0.3:
            value |= flag
    if rng.random() < 0.05:
        value |= int(rng.choice(CLASSES))
    return value ^ (1 << rng.randrange(32)) if rng.random() < 0.05 else value


def control(rng: random.Random) -> int:
    stop = rng.choice((0, 0x300000, 0x300000, 0x300000, 0x200000, 0x100000))
    value = stop | rng.randrange(16) | rng.randrange(16) << 4 | 0x300
    return value | 1 << rng.randrange(64) if rng.random() < 0.1 else value


def time_ns(rng: random.Random) -> int:
    choice = rng.random()
    if choice < 0.6:
        return rng.choice(TIMES_NS)
    return (
        rng.choice(WRAPS_NS) if choice < 0.65 else rng.randrange(rng.choice((10**4, 10**6, 2**32)))
    )


def state(rng: random.Random, index: int, longest_name: int = 20) -> IdleState:
    name = f"s{index}" + "x" * (rng.randrange(longest_name - 3) if rng.random() < 0.2 else 0)
    return IdleState(
        name=name,
        latency_ns=time_ns(rng),
        residency_ns=time_ns(rng),
        flags=flags(rng),
        control=control(rng),
        mask=rng.choice(MASKS),
    )


def states(rng: random.Random, most: int, longest_name: int = 20) -> list[IdleState]:
    return [state(rng, index, longest_name) for index in range(rng.randrange(most + 1))]
