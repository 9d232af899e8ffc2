"""acpi_idle's start against the kernel's own code."""

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.base.model.stages import Level
from idle_states.tables.linux.acpi_idle.features import features as features_of
from idle_states.tables.linux.acpi_idle.lpi import flatten
from idle_states.tables.linux.acpi_idle.start import start
from idle_states.tables.linux.releases import release
from tests.oracle import OracleError, skipping
from tests.oracle.debian import linux_source
from tests.oracle.linux import acpi_idle_machines as machines
from tests.oracle.linux.acpi_idle import AcpiIdleOracle, Arch
from tests.oracle.linux.source import release as tree_release
from tests.support.thorough import slow

LEVELS = {"info": "info", "notice": "notice", "warning": "warn", "error": "err"}


def compare(tree: Path, workdir: Path, count: int, arch: Arch) -> Counter[str]:
    """Holds the model to the driver on `count` random machines. Returns how many have states of
    which origin, and how many are beyond the model."""
    oracle = AcpiIdleOracle(tree, workdir, arch)
    features = features_of(release(os.environ.get("RELEASE") or tree_release(tree)))
    seen: Counter[str] = Counter()
    given = machines.cases(random.Random(20261122), arch, count)
    lines = [machines.line(*case) for case in given]
    for case, line, result in zip(given, lines, oracle.run(lines), strict=True):
        outcome = start(*case, features)
        if outcome.flattened is not None and outcome.flattened.overflow:
            # the kernel writes over memory that is not the states'
            assert result.crashed or result.count > 8 or not result.driver, line
            seen["overflow"] += 1
            continue
        assert not result.crashed, line
        found = result.driver, result.device, result.states if result.driver else []
        states = [
            (
                state.name,
                state.description,
                state.exit_latency_us,
                state.target_residency_us,
                state.flags,
                state.s2idle,
            )
            for state in outcome.states
        ]
        assert found == (outcome.registered, outcome.has_device, states), line
        said = [(LEVELS[each.level], each.text) for each in outcome.messages]
        assert [each for each in result.messages if each[0] != "tsc"] == said, line
        unstable = sum(level == "tsc" for level, _ in result.messages)
        assert unstable == outcome.tsc_unstable, line
        seen[outcome.origin if outcome.registered else ""] += 1
        seen["ordered"] += outcome.out_of_order or not features.sorts
    return seen


def told(said: list[tuple[str, str]]) -> Callable[[Level, str], None]:
    """Returns what adds messages to a list, by the oracle's names of levels."""
    return lambda level, text: said.append((LEVELS[level], text))


def compare_strict(tree: Path, workdir: Path, count: int) -> Counter[int]:
    """Holds what intel_idle is given of _LPI to the kernel's code. Returns how often it is how many
    states; -1 where _LPI is refused."""
    oracle = AcpiIdleOracle(tree, workdir)
    if not oracle.has_strict:
        pytest.skip(f"intel_idle of {tree} knows no _LPI")
    features = features_of(release(os.environ.get("RELEASE") or tree_release(tree)))
    # most machines of x86 have no _LPI
    given = machines.cases(random.Random(20261123), "arm64", count)
    lines = [f"{machines.line(*case)} strict=1" for case in given]
    seen: Counter[int] = Counter()
    for (machine, _), line, result in zip(given, lines, oracle.run(lines), strict=True):
        said: list[tuple[str, str]] = []
        found = flatten(machine, features, told(said), strict=True)
        states = [
            ("", state.description, state.latency_us, state.residency_us, state.address, False)
            for state in found.states
        ]
        assert (result.driver, result.states) == (not found.refused, states), line
        assert result.messages == said, line
        seen[len(states) if result.driver else -1] += 1
    return seen


@pytest.mark.slow
def test_lpi_as_intel_idle_is_given_it(tmp_path: Path) -> None:
    """LINUX: a tree of 7.3 or later, as those of Debian's releases are older."""
    with skipping():
        named = os.environ.get("LINUX")
        if named is None:
            pytest.skip("LINUX names no tree of 7.3 or later")
        counts = compare_strict(Path(named), tmp_path, int(os.environ.get("CASES", "8000")))
    assert {-1, 1, 2, 3, 4, 8} <= counts.keys()


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["x86", "arm64", "riscv64"])
def test_start_on_random_machines(arch: Arch, tmp_path: Path) -> None:
    """LINUX: a tree, RELEASE: its release where its Makefile does not say it, CASES: how many."""
    with skipping():
        named = os.environ.get("LINUX")
        if named is None and arch != "x86":
            pytest.skip("LINUX names no tree with the sources of Arm and RISC-V")
        tree = Path(named) if named else linux_source()
        try:
            counts = compare(tree, tmp_path, int(os.environ.get("CASES", "4000")), arch)
        except OracleError as error:
            if "has none of" not in str(error):
                raise
            pytest.skip(str(error))
    cases = sum(counts[origin] for origin in ("", "cst", "fadt", "lpi", "overflow"))
    wanted = ("cst", "fadt") if arch == "x86" else ("lpi",)
    assert all(counts[origin] > cases // 20 for origin in wanted)
    assert counts[""] > cases // 50
    sorts = features_of(release(os.environ.get("RELEASE") or tree_release(tree))).sorts
    assert arch != "x86" or not sorts or counts["ordered"] > cases // 20


@pytest.mark.parametrize("version", slow("6.12"))
def test_start_in_a_later_tree(version: str, tmp_path: Path) -> None:
    with skipping():
        assert compare(linux_source(version), tmp_path, 2500, "x86")["cst"] > 500
