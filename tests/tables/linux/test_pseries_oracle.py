"""The partition driver's model against Linux's own, compiled from the Debian package or LINUX."""

import random
from pathlib import Path

import pytest

from idle_states.base.model.table import CedeRecord, Cpu, IdleTable, Partition, Register
from idle_states.tables.linux import register
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.spec import registry
from tests.oracle import skipping
from tests.oracle.linux.cases import cede_latencies
from tests.oracle.linux.pseries import PseriesCase, PseriesOracle, PseriesResult
from tests.oracle.linux.trees import distributed_as
from tests.support.shared import kept
from tests.support.thorough import drawn

CPUS = (
    Cpu(registry.named("power8"), 0x004D),
    Cpu(registry.named("power9"), 0x004E),
    Cpu(registry.named("power10"), 0x0080),
)
TIMEBASES = (512_000_000, 512_000_000, 31_250_000, 1_000_000_000, 188_000_000, 2_000_000_000)
LEVELS = {"err": "error", "warn": "warning", "info": "info"}
LOOPS = {"snooze_loop": "snooze", "dedicated_cede_loop": "cede", "shared_cede_loop": "cede"}
Comparable = dict[str, object]


@pytest.fixture(scope="module")
def oracle(linux_tree: Path) -> PseriesOracle:
    with skipping(), kept("pseries") as directory:
        return PseriesOracle(linux_tree, directory)


def table_of(cpu: Cpu, partition: Partition) -> IdleTable:
    return IdleTable("partition", (), Register.NONE, cpu=cpu, partition=partition)


def random_case(rng: random.Random) -> tuple[Cpu, Partition]:
    """Records near every threshold: whole microseconds, 10 us, 32 and 64 bits."""
    hz = rng.choice(TIMEBASES)
    near = [0, 1, 2, hz // 100_000, hz // 1_000_000 * rng.randrange(1, 20), 2**32, 2**33 // 10]
    near += [2**32 * hz // 10**6, 2**40, 2**63, 2**64 - 1]

    def ticks() -> int:
        about = rng.choice([*near, rng.randrange(1 << rng.randrange(1, 65))])
        return min(max(about + rng.randrange(-2, 3), 0), 2**64 - 1)

    records = tuple(
        CedeRecord(rng.randrange(256), ticks(), rng.random() < 0.5)
        for _ in range(rng.randrange(1, 8))
    )
    return rng.choice(CPUS), Partition(rng.random() < 0.2, hz, records)


def case_of(cpu: Cpu, partition: Partition) -> PseriesCase:
    rows = ((r.hint, r.latency_ticks, int(r.wake_on_irq)) for r in partition.extended_cede)
    return PseriesCase(
        shared=partition.shared,
        pvr=cpu.pvr or 0,
        arch_31=cpu.processor.isa >= (3, 1),
        rtas_buffer=cede_latencies(*rows),
        timebase_hz=partition.timebase_hz,
    )


def comparable_model(table: DriverTable) -> Comparable:
    return {
        "states": [
            (s.name, s.exit_latency_us, s.target_residency_us, s.polling, s.enter)
            for s in table.states
        ],
        "messages": [(m.level, m.text) for m in table.messages],
        "timeout": table.snooze_timeout_us,
    }


def comparable_kernel(result: PseriesResult) -> Comparable:
    return {
        "states": [
            (s.name, s.exit_latency_us, s.target_residency_us, s.polling, LOOPS[s.enter])
            for s in result.states
        ],
        "messages": [(LEVELS[m.level], m.text) for m in result.messages if m.level != "debug"],
        "timeout": result.snooze_timeout_us if result.snooze_timeout_enabled else None,
    }


def test_agrees_with_the_kernel_on_random_records(oracle: PseriesOracle, linux_tree: Path) -> None:
    rng = random.Random("records")
    kernel = distributed_as(linux_tree)
    cases = [random_case(rng) for _ in range(drawn(1000, 4_000))]
    results = oracle.run([case_of(*case) for case in cases])
    for (cpu, partition), result in zip(cases, results, strict=True):
        modelled = register(None, cpu, kernel, table_of(cpu, partition))
        assert comparable_model(modelled) == comparable_kernel(result), (cpu, partition)
