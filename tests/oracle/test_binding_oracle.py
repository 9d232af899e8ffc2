"""Tests of what `generate` makes of Arm and RISC-V machines, by the kernel's bindings and
dt-validate."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from idle_states.tables.generate.answer import of_machine
from idle_states.tables.generate.request import Generated
from idle_states.tables.sources import read_sources
from idle_states.tables.sources.machines import is_machine, machine_behind
from idle_states.tables.spec.packaged import machines
from tests.support.dtschema import program
from tests.support.machines import MACHINES

from .debian import linux_source

BINDINGS = "Documentation/devicetree/bindings"
OF_IDLE_STATES = (
    f"{BINDINGS}/arm/cpus.yaml",
    f"{BINDINGS}/arm/psci.yaml",
    f"{BINDINGS}/cpu/idle-states.yaml",
    f"{BINDINGS}/power/domain-idle-state.yaml",
    f"{BINDINGS}/power/power-domain.yaml",
    f"{BINDINGS}/riscv/cpus.yaml",
)
LINUX_AGAINST_BINDING = (
    # where cpuidle-riscv-sbi.c looks for power domains, and what it requires of their states: see
    # docs/errata.md
    "cpus: power-domains: {",
    "domain-idle-states: cluster-sleep: 'riscv,sbi-suspend-param' does not match any of",
)


@pytest.fixture(scope="module")
def bindings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bindings")
    source = linux_source()
    for member in OF_IDLE_STATES:
        file = folder / Path(member).relative_to(BINDINGS)
        file.parent.mkdir(exist_ok=True)
        shutil.copy(source / member, file)
    return folder


def complaints(tree: bytes, bindings: Path, folder: Path) -> list[str]:
    """Returns what dt-validate says of a tree, without where the schema is."""
    validate = program("dt-validate")
    file = folder / "tree.dtb"
    file.write_bytes(tree)
    environment = {**os.environ, "PATH": f"{Path(validate).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [validate, "-s", str(bindings), str(file)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    lines = (done.stdout + done.stderr).splitlines()
    return [line.removeprefix(f"{file}: ") for line in lines if line.startswith(f"{file}: ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MACHINES, *(revision.name for revision in machines())])
def test_the_bindings_accept_what_is_generated(name: str, bindings: Path, tmp_path: Path) -> None:
    table = name
    if name in MACHINES:
        table = str(tmp_path / f"{name}.yaml")
        # folders of old and vendors' properties are no part of the binding
        text = MACHINES[name].replace("node: /idle-states/cluster-sleep, ", "")
        Path(table).write_text(re.sub(r",\n +properties:.*}}", "}", text))
    sources = read_sources(table)
    assert is_machine(sources)
    tree = of_machine(Generated("dtb"), machine_behind(sources[0]))
    assert isinstance(tree, bytes)
    said = complaints(tree, bindings, tmp_path)
    assert [line for line in said if not line.startswith(LINUX_AGAINST_BINDING)] == []
    assert len(said) == (2 if name == "riscv64-generic" else 0)


@pytest.mark.slow
def test_the_bindings_reject_what_is_not_theirs(bindings: Path, tmp_path: Path) -> None:
    spec = tmp_path / "board.yaml"
    spec.write_text(MACHINES["flat"].replace("cpu-sleep-0", "sleep-0"))
    sources = read_sources(str(spec))
    assert is_machine(sources)
    tree = of_machine(Generated("dtb"), machine_behind(sources[0]))
    assert isinstance(tree, bytes)
    assert any("sleep-0" in line for line in complaints(tree, bindings, tmp_path))
