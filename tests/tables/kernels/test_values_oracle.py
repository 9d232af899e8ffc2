"""The account of changed values against Linux's own parsers and drivers, compiled from Debian's."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from idle_states.base.model.power_mgt import PMICR, PMICR_MASK, PowerMgt, decode, encode
from idle_states.base.model.table import IdleState, IdleTable, ReadFrom, Register
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.kernels.values import Value, changed_values
from idle_states.tables.linux.releases import Release
from idle_states.tables.pipeline import Arrival, journey
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import Source
from tests.oracle import skipping
from tests.oracle.linux.dt_idle import DtIdleOracle
from tests.oracle.linux.powernv import DriverCase, PowernvOracle
from tests.oracle.linux.trees import distributed_as, spare_tree
from tests.support import random_tables
from tests.support.random_trees import random_trees
from tests.support.shared import kept
from tests.support.thorough import examples
from tests.tables.kernels.test_values import CPUS
from tests.tables.linux.test_dt_idle import cell, cpu, state, tree

TICKS_A_US = 512


@pytest.fixture(scope="module")
def kernel(linux_tree: Path) -> Release:
    return distributed_as(linux_tree)


def told(source: Source, kernel: Release) -> tuple[Arrival, list[Value]]:
    """Returns what the model registers of a table, and every value that the account says
    changes."""
    way = journey(source, ALL_LEVELS, [kernel])
    return way.arrivals[0], list(changed_values(way, way.arrivals[0]))


def said_of(own: IdleState, row: int, account: list[Value]) -> Mapping[str, str]:
    """A row's values as the account leaves them: those of the table, as far as none is changed."""
    said = {
        "name": own.name,
        "latency": f"{own.latency_ns // 1000} us",
        "residency": f"{(own.residency_ns or 0) // 1000} us",
        "psscr": f"{own.control:#x}",
        "mask": f"{own.mask:#x}",
    }
    changed = [each for each in account if each.row == row and each.stage == "driver"]
    return said | {each.field: each.after for each in changed}


def drawn(rng: random.Random) -> IdleTable:
    """A tree's table of which most states are registered."""
    own = rng.choice(CPUS)
    register = Register.PSSCR if own.isa300 else Register.PMICR
    rows = random_tables.states(rng, 9)
    node = PowerMgt(encode(rows, register))
    return decode(node, own, ReadFrom("dtb"))


def test_of_opal_s_trees_the_account_is_what_the_compiled_driver_makes(
    linux_tree: Path, kernel: Release
) -> None:
    with skipping(), kept("powernv") as directory:
        oracle = PowernvOracle(linux_tree, directory)
    rng = random.Random(30)
    tables = [drawn(rng) for _ in range(examples(700, 3000))]
    nodes = [encode(table.states, table.register) for table in tables]
    cases = []
    for table, properties in zip(tables, nodes, strict=True):
        assert table.cpu
        read = {name: each for name, each in properties.items() if name not in (PMICR, PMICR_MASK)}
        cases.append(DriverCase(read, pvr=table.cpu.pvr, arch_300=table.cpu.isa300))
    compared = changed = 0
    for table, properties, real in zip(tables, nodes, oracle.run(cases), strict=True):
        source = Source("drawn", "x", "", table, node=PowerMgt(properties))
        arrival, account = told(source, kernel)
        registered = [each for each in arrival.driver.states if each.source is not None]
        assert real.outcome == "ok"
        assert len(registered) == len(real.states[1:])
        for modelled, held in zip(registered, real.states[1:], strict=True):
            assert modelled.source is not None
            row = table.states[modelled.source]
            said = said_of(row, modelled.source, account)
            compared += 1
            changed += any(each.row == modelled.source for each in account if not each.judged.quiet)
            assert said["name"] == held.name
            assert said["latency"] == f"{held.exit_latency_us} us"
            assert said["residency"] == f"{held.target_residency_us} us"
            if held.enter == "stop_loop":
                assert (said["psscr"], said["mask"]) == (
                    f"{held.psscr:#x}",
                    f"{held.psscr_mask:#x}",
                )
        ticks = [each.after for each in account if each.field == "time-out"]
        if real.snooze_timeout_enabled:
            assert real.snooze_timeout_us is not None
            assert ticks == [f"{real.snooze_timeout_us * TICKS_A_US} ticks"]
    assert compared > len(tables)
    assert changed > len(tables) // 2


def test_of_nodes_the_account_is_what_the_compiled_parser_makes(
    linux_tree: Path, kernel: Release
) -> None:
    with skipping(), kept("dt-values") as directory:
        oracle = DtIdleOracle(linux_tree, directory, spare=spare_tree())
    wraps = tree(
        cpu(0, [1, 2, 3]),
        state("fits", 1, entry=2**32 - 201, leave=200),
        state("wraps-and-is-cut", 2, entry=2**32 - 100, leave=200),
        state("wakes", 3, entry=2**32 - 1, wakeup_latency_us=cell(250)),
    )
    roots = [wraps, *random_trees(random.Random(30), False, examples(100, 500))]
    compared = 0
    for root, real in zip(roots, oracle.run(roots, True), strict=True):
        for listed in idle_nodes.lists_of(root, "x"):
            table = idle_nodes.table_of(listed, "dtb", "x", "")
            arrival, account = told(Source("drawn", "x", "", table), kernel)
            held = real.states.get(listed.numbers[0], [])
            if not arrival.driver.states or not held:
                continue
            for modelled, (name, latency, residency, _, _) in zip(
                arrival.driver.states, held, strict=True
            ):
                if modelled.source is not None:
                    row = table.states[modelled.source]
                    said = said_of(row, modelled.source, account)
                    assert said["name"] == name
                    assert said["latency"] == f"{latency} us"
                    assert said["residency"] == f"{residency} us"
                    compared += 1
    assert compared > 100
