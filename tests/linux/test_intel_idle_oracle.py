"""intel_idle's tables and its list of processors, read from its source, against what gcc stores."""

import os
from pathlib import Path

import pytest

from idle_states.beyond_opal import MatchedCpu
from idle_states.linux.releases import release
from idle_states.pipeline import Subject
from idle_states.sources import Source, read_sources
from tests.oracle import skipping
from tests.oracle.debian import linux_source
from tests.oracle.linux.intel_idle import DRIVER, MEMBERS, IntelIdleOracle, Started
from tests.support.thorough import slow

LEAST = 18
"""Arrays of the oldest release that was compared, 5.2; 7.3 has 30."""
NEUTRAL = "pkg_cst=7 feat_ctl=0 cst=x lpi=x packages=1 cpuid_level=13"
"""A machine that asks for no change of any table: no limit of package states, one package, no ACPI
states."""


def sources_of(tree: Path) -> list[Source]:
    return read_sources(str(tree / DRIVER))


def rows(source: Source) -> list[tuple[str, str, int, int, int]]:
    assert source.table is not None
    assert source.table.built_in is not None
    return [
        (each.name, each.description, each.exit_latency_us, each.target_residency_us, each.flags)
        for each in source.table.built_in.states
    ]


def cpus(source: Source) -> tuple[MatchedCpu, ...]:
    assert source.table is not None
    assert source.table.built_in is not None
    return source.table.built_in.cpus


def compare(tree: Path, workdir: Path) -> int:
    """Returns how many tables were compared; fails where one differs."""
    oracle = IntelIdleOracle(tree, workdir)
    stored, found = oracle.stored(), sources_of(tree)
    assert {source.name: rows(source) for source in found} == stored.tables
    listed = [
        (cpu.vendor, cpu.family, cpu.model, cpu.entry, cpu.table, dict(cpu.settings))
        for source in found
        for cpu in cpus(source)
    ]
    # a processor without a table has ACPI's states
    kept = [cpu for cpu in stored.cpus if cpu[4]]
    assert sorted(listed, key=str) == sorted(kept, key=str)
    compare_registered(oracle, found)
    return len(found)


def compare_registered(oracle: IntelIdleOracle, found: list[Source]) -> None:
    """What is said to be registered on a machine with all hints and no wishes is."""
    cases, expected = [], []
    for source in found:
        driver = Subject.of(source, []).linux(release("6.12"))
        for cpu in cpus(source):
            cases.append(
                f"vendor={cpu.vendor} family={cpu.family} model={cpu.model} mwait=1 arat=1 "
                f"nonstop_tsc=1 leaf5_ecx=3 leaf5_edx=0x11111111 {NEUTRAL}"
            )
            expected.append(
                [
                    (each.name, each.exit_latency_us, each.target_residency_us)
                    for each in driver.states
                ]
            )
    results: list[Started] = oracle.run(cases)
    assert [result.status for result in results] == [0] * len(cases)
    assert [
        [(name, latency, residency) for name, _, latency, residency, *_ in result.states]
        for result in results
    ] == expected


@pytest.mark.slow
def test_same_as_the_compiler(tmp_path: Path) -> None:
    with skipping():
        named = os.environ.get("LINUX")
        tree = Path(named) if named else linux_source("6.1", MEMBERS)
        assert compare(tree, tmp_path) >= (LEAST if named else 24)


@pytest.mark.parametrize("version", slow("6.12"))
def test_same_as_the_compiler_in_a_later_tree(version: str, tmp_path: Path) -> None:
    with skipping():
        assert compare(linux_source(version, MEMBERS), tmp_path) >= 28
