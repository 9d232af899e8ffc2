"""The driver model against Linux's own parser and driver, compiled from the Debian package."""

import random
from pathlib import Path

import pytest

from idle_states.base.model.power_mgt import (
    CELL_BYTES,
    FLAGS,
    NAMES,
    PMICR,
    PMICR_MASK,
    PowerMgt,
    encode,
)
from idle_states.base.model.table import Cpu, Register
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.powernv import register
from idle_states.tables.linux.releases import Release, reached
from idle_states.tables.spec import registry
from tests.oracle import skipping
from tests.oracle.linux.powernv import DriverCase, DriverResult, PowernvOracle
from tests.oracle.linux.trees import distributed_as
from tests.support.random_tables import states
from tests.support.shared import kept
from tests.support.thorough import drawn

CPUS = (
    Cpu(registry.named("power8"), 0x004D),
    Cpu(registry.named("power9"), 0x004E),
    Cpu(registry.named("power9"), 0x004E),
    Cpu(registry.named("power10"), 0x0080),
    Cpu(registry.named("power11"), 0x0082),
)
LEVELS = {"err": "error", "warn": "warning", "info": "info", "debug": "debug"}
LOOPS = {
    "snooze_loop": "snooze",
    "nap_loop": "nap",
    "fastsleep_loop": "fastsleep",
    "stop_loop": "stop",
}


@pytest.fixture(scope="module")
def oracle(linux_tree: Path) -> PowernvOracle:
    with skipping(), kept("powernv") as directory:
        return PowernvOracle(linux_tree, directory)


@pytest.fixture(scope="module")
def kernel(linux_tree: Path) -> Release:
    return distributed_as(linux_tree)


def damaged(rng: random.Random, properties: dict[str, bytes]) -> dict[str, bytes]:
    """One property absent, cut, ragged or longer; names fewer or unterminated."""
    name = rng.choice([*properties])
    data = properties[name]
    change = rng.randrange(5)
    if change == 0:
        return {key: value for key, value in properties.items() if key != name}
    if change == 1:
        data = data[: rng.randrange(len(data) + 1)]
    elif change == 2:
        data += bytes(rng.randrange(1, 9))
    elif change == 3:
        data = data[: -CELL_BYTES.get(name, 1)]
    elif name == NAMES and data:
        data = b"\0".join(data.split(b"\0")[: rng.randrange(1, 4)])
    return properties | {name: data}


def random_case(rng: random.Random) -> tuple[Cpu, dict[str, bytes], dict[str, bool]]:
    cpu = rng.choice(CPUS)
    register_kind = Register.PSSCR if cpu.isa300 else Register.PMICR
    properties = encode(states(rng, 12), register_kind)
    if rng.random() < 0.3:
        properties = damaged(rng, properties)
    dd1 = cpu.pvr == 0x4E and rng.random() < 0.3
    return cpu, properties, {"stop_api": rng.random() < 0.7, "dd1": dd1}


def losses(spr: int | None, timebase: int | None) -> tuple[int | None, int | None]:
    """Levels from which registers and timebase are lost. Before 5.2, 15 says that none loses any,
    whether the tree was read or not."""
    return (None, None) if (spr, timebase) == (15, None) else (spr, timebase)


def comparable_model(table: DriverTable, cpu: Cpu) -> dict[str, object]:
    if table.fatal:
        return {"outcome": "oops"}
    default, deepest = table.default_stop, table.deepest_stop
    return {
        "outcome": "ok",
        "states": [
            (
                s.name,
                s.exit_latency_us,
                s.target_residency_us,
                s.polling,
                s.timer_stop,
                s.enter,
                s.psscr or 0,
                s.mask or 0,
            )
            for s in table.states
        ],
        "messages": [(m.level, m.text) for m in table.messages],
        "default": (default.psscr, default.mask) if default else None,
        "deepest": (deepest.psscr, deepest.mask) if deepest else None,
        "losses": losses(table.spr_loss_level, table.tb_loss_level),
        "timeout": table.snooze_timeout_us,
        "offline": table.offline,
    }


def comparable_kernel(result: DriverResult, cpu: Cpu) -> dict[str, object]:
    if result.outcome != "ok":
        return {"outcome": result.outcome}
    default, deepest = result.default_stop, result.deepest_stop
    levels = (result.deep_spr_loss_level, result.first_tb_loss_level)
    judged = any("First stop level" in m.text for m in result.messages) or levels[1] is None
    offline = {"none": "busy wait"}.get(result.offline_type, result.offline_type)
    if cpu.isa300 and levels[1] is not None:
        offline = "stop" if deepest else "busy wait"
    return {
        "outcome": "ok",
        "states": [
            (
                s.name,
                s.exit_latency_us,
                s.target_residency_us,
                s.polling,
                s.timer_stop,
                LOOPS[s.enter],
                s.psscr,
                s.psscr_mask,
            )
            for s in result.states
        ],
        "messages": [(LEVELS[m.level], m.text) for m in result.messages if m.level != "debug"],
        "default": (default.psscr, default.psscr_mask) if default else None,
        "deepest": (deepest.psscr, deepest.psscr_mask) if deepest else None,
        "losses": losses(*levels) if cpu.isa300 and judged else (None, None),
        "timeout": result.snooze_timeout_us if result.snooze_timeout_enabled else None,
        "offline": offline,
    }


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))]
)
def test_agrees_with_the_kernel_on_random_trees(
    oracle: PowernvOracle, kernel: Release, seed: int
) -> None:
    rng = random.Random(seed)
    cases = [random_case(rng) for _ in range(drawn(1500, 1500))]
    results = oracle.run(
        [
            DriverCase(
                properties={k: v for k, v in properties.items() if k not in (PMICR, PMICR_MASK)},
                pvr=cpu.pvr,
                arch_300=cpu.isa300,
                **told,
            )
            for cpu, properties, told in cases
        ]
    )
    for (cpu, properties, told), result in zip(cases, results, strict=True):
        table = register(PowerMgt(properties), cpu, kernel, **told)
        assert comparable_model(table, cpu) == comparable_kernel(result, cpu), properties


def test_the_random_trees_reach_every_branch(kernel: Release) -> None:
    """Guards the test above: its cases must provoke each way of losing a state."""
    if not reached(kernel, "4.19"):
        pytest.skip("Linux before 4.19 loses states in other ways")
    rng = random.Random(0)
    causes: set[str] = set()
    fatal = 0
    for _ in range(1500):
        cpu, properties, told = random_case(rng)
        table = register(PowerMgt(properties), cpu, kernel, **told)
        causes |= {lost.cause for lost in table.lost}
        fatal += table.fatal is not None
    assert {
        "over-threshold",
        "invalid",
        "no-class",
        "first-not-stop",
        "beyond-nine",
        "unsupported-flags",
        "bad-flags",
        "short-array",
        "bad-names",
        "oops",
    } <= causes
    assert fatal > 2


def test_no_node(oracle: PowernvOracle, kernel: Release) -> None:
    result = oracle.run_one(DriverCase(properties=None, pvr=0x4E))
    table = register(None, CPUS[1], kernel)
    assert comparable_model(table, CPUS[1]) == comparable_kernel(result, CPUS[1])


def test_count_of_states_is_from_flags() -> None:
    """Longer arrays are accepted: only the first of two states is registered."""
    properties = encode(states(random.Random(5), 0), Register.PSSCR)
    assert properties[FLAGS] == b""
