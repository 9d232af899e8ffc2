"""Tests of what a partition's kernel makes of the hypervisor's extended-cede records."""

import pytest

from idle_states.base.model.table import CedeRecord, Cpu, IdleTable, Partition, Register
from idle_states.tables.linux import register
from idle_states.tables.linux.pseries import tb_to_ns
from idle_states.tables.linux.releases import release
from idle_states.tables.spec import registry

POWER9, POWER10 = Cpu(registry.named("power9"), 0x4E), Cpu(registry.named("power10"), 0x80)


def cede(cpu: Cpu, kernel: str, *ticks: int) -> tuple[int, int]:
    """Exit latency and target residency of CEDE, in us."""
    records = tuple(CedeRecord(number, latency, True) for number, latency in enumerate(ticks))
    table = IdleTable(
        "partition", (), Register.NONE, cpu=cpu, partition=Partition(False, extended_cede=records)
    )
    state = register(None, cpu, release(kernel), table).states[1]
    return state.exit_latency_us, state.target_residency_us


@pytest.mark.parametrize(
    ("kernel", "ticks", "times"),
    [
        # odd ticks at 512 MHz: whole ns are even, so 10001 ns are 10000
        ("5.15", (5121,), (10, 100)),
        ("6.12", (5121,), (10, 100)),
        ("5.9", (9 * 512 + 1,), (8, 80)),
        # one tick is 0 ns, so the record is skipped; two are 2 ns
        ("5.15", (1,), (10, 100)),
        ("5.15", (1, 8000), (16, 160)),
        ("5.15", (2,), (1, 10)),
        # unsigned int: 2**40 ticks are 2147483648 us
        ("6.1", (2**40,), (2147483648, 0)),
        # UINT_MAX us and more count as none
        ("6.1", ((2**32 - 1) * 512,), (10, 100)),
        ("6.1", ((2**32 - 2) * 512,), (4294967294, 4294967276)),
    ],
)
def test_arithmetic_is_the_kernels(
    kernel: str, ticks: tuple[int, ...], times: tuple[int, int]
) -> None:
    assert cede(POWER10, kernel, *ticks) == times


def test_fix_up_of_5_10_and_of_5_15() -> None:
    """5.10 takes one less than the lowest below 10 us, on any processor; 5.15 takes the lowest, on
    POWER10 only."""
    assert cede(POWER9, "5.10", 199, 81, 15, 218) == (1, 10)
    assert cede(POWER9, "5.15", 199, 81, 15, 218) == (10, 100)
    assert cede(POWER10, "5.10", 4096) == (7, 70)
    assert cede(POWER10, "5.15", 4096) == (8, 80)


@pytest.mark.parametrize(("hz", "step"), [(512_000_000, 2), (31_250_000, 64), (10**9, 2)])
def test_nanoseconds_are_multiples_of_the_shift(hz: int, step: int) -> None:
    assert {tb_to_ns(ticks, hz) % step for ticks in range(4000)} == {0}
    assert tb_to_ns(hz, hz) == 10**9
    assert tb_to_ns(2**64 - 1, hz) == (2**64 - 1) * 10**9 // hz // step * step % 2**64
