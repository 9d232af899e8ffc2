"""genpd's model against the kernel's own code, event by event.

Environment: LINUX=DIR compares with that kernel tree, KERNEL=NAME says what the model is to take it
for, GENPD_DECISIONS=N how many decisions to compare, GENPD_SEED=TEXT draws others.
"""

import gzip
import os
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from idle_states.tables.linux.genpd import governor
from idle_states.tables.linux.genpd.features import GenpdFeatures, features
from idle_states.tables.linux.releases import release, version_key
from tests.oracle import skipping
from tests.oracle.debian import linux_source
from tests.oracle.linux.genpd import GenpdOracle, has_genpd
from tests.oracle.linux.trees import distributed_as
from tests.support import DATA
from tests.support.genpd_cases import drawn, played
from tests.support.shared import kept
from tests.support.thorough import slow

DECISIONS = int(os.environ.get("GENPD_DECISIONS", 100_000 if "LINUX" in os.environ else 20_000))
"""The number of decisions; for a tree that is named, all that make oracle is for."""
BATCH = 500
VECTORS = DATA / "vectors-genpd"


def compare(oracle: GenpdOracle, known: GenpdFeatures, decisions: int) -> int:
    """Returns how many decisions were compared; fails with the first event that differs."""
    rng = Random(os.environ.get("GENPD_SEED", "genpd"))
    compared = 0
    while compared < decisions:
        cases = [drawn(rng) for _ in range(BATCH)]
        answers = iter(oracle.run(cases))
        for case in cases:
            model = played(case, known)
            kernel = [next(answers) for _ in model.lines]
            assert model.lines == kernel, case
            compared += model.decisions
        assert next(answers, None) is None
    return compared


@pytest.mark.slow
def test_same_as_the_kernel() -> None:
    with skipping():
        named = os.environ.get("LINUX")
        tree = Path(named) if named else linux_source()
        if not has_genpd(tree):
            pytest.skip(f"{tree} has no power domains of CPUs")
        known = features(distributed_as(tree))
        with kept("genpd") as directory:
            oracle = GenpdOracle(tree, directory)
        assert compare(oracle, known, DECISIONS) >= DECISIONS


@pytest.mark.parametrize("version", slow("6.12"))
def test_same_as_a_later_kernel(version: str) -> None:
    with skipping(), kept("genpd") as directory:
        oracle = GenpdOracle(linux_source(version), directory)
    known = features(release(f"debian-{version}.107"))
    assert compare(oracle, known, 5_000) >= 5_000


@pytest.mark.slow
def test_the_oracle_tells_a_wrong_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one that keeps the number of a state as what it is."""

    def whole(domain: governor.Domain) -> bool:
        if not domain.changed:
            return True
        was = ok(domain)
        domain.changed = True
        return was

    ok = governor.Domain.default_power_down_ok
    with skipping(), kept("genpd") as directory:
        oracle = GenpdOracle(linux_source(), directory)
    monkeypatch.setattr(governor.Domain, "default_power_down_ok", whole)
    with pytest.raises(AssertionError):
        compare(oracle, features(release("debian-6.1.192")), 1_000)


def recorded(name: str, known: GenpdFeatures) -> tuple[int, int]:
    """Returns how many recorded events the features explain otherwise, and the decisions made."""
    wrong = decided = 0
    lines = iter(gzip.decompress((VECTORS / f"{name}.txt.gz").read_bytes()).decode().splitlines())
    for case in lines:
        model = played(case, known)
        wrong += sum(line.rstrip() != next(lines) for line in model.lines)
        decided += model.decisions
    return wrong, decided


NAMES = sorted(
    (file.name.removesuffix(".txt.gz") for file in VECTORS.glob("*.gz")), key=version_key
)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_decisions(name: str) -> None:
    wrong, decided = recorded(name, features(release(name)))
    assert wrong == 0
    assert decided > 1_000


@pytest.mark.parametrize(("earlier", "later"), [*pairwise(NAMES)])
def test_recorded_decisions_tell_releases_apart(earlier: str, later: str) -> None:
    wrong, _ = recorded(later, features(release(earlier)))
    assert wrong > 0
