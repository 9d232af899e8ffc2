"""The model of idle-state nodes against the kernel's own code, and on a distribution's trees."""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.power_mgt import u32_array
from idle_states.base.model.table import Cpu
from idle_states.base.reading import opening
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.board_builds import build
from idle_states.tables.devicetree.boards import Boards
from idle_states.tables.devicetree.idle_nodes import is_cpu
from idle_states.tables.devicetree.source_trees import Kept, top_of
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux import dt_idle, dt_idle_features, dt_messages, register
from idle_states.tables.linux.releases import Release, release
from idle_states.tables.linux.suspend_parameter import PsciFirmware
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.sources import Source, read_sources
from idle_states.tables.spec import registry
from tests.oracle import skipping
from tests.oracle.debian import binary_tree, elsewhere
from tests.oracle.linux.dt_idle import Driver, DtIdleOracle, DtIdleResult
from tests.oracle.linux.trees import distributed_as, spare_tree
from tests.support.random_trees import random_trees
from tests.support.shared import building
from tests.support.thorough import drawn, examples
from tests.tables.linux.test_dt_idle import DOMAIN, NEWEST, cell, cpu, state, tables, tree

PHANDLES = st.lists(st.integers(0, 6), max_size=6)
STATUS = st.sampled_from([b"gone", b"okay\0", b"disabled\0", b"", b"\xff"])
ODD = st.sampled_from([b"gone", b"", b"\0", cell(1), cell(2**32 - 1), b"12345"])


@st.composite
def trees(draw: st.DrawFn) -> Node:
    """Small trees, most of them broken somewhere."""
    nodes = [
        state(
            f"s{number}",
            number,
            status=draw(STATUS),
            compatible=draw(st.sampled_from([b"arm,idle-state\0", b"domain-idle-state\0", b"x"])),
            min_residency_us=draw(ODD),
            wakeup_latency_us=draw(ODD),
            power_domains=draw(ODD),
        )
        for number in range(1, 4)
    ]
    domains = [
        Node(
            f"pd{number}",
            {
                "phandle": cell(number),
                "domain-idle-states": u32_array(draw(PHANDLES))
                + draw(st.sampled_from([b"", b"\1"])),
                "power-domains": u32_array(draw(PHANDLES)),
                **(DOMAIN if draw(st.booleans()) else {}),
            },
        )
        for number in range(4, 7)
    ]
    cpus = [
        cpu(number, draw(PHANDLES), power_domains=u32_array(draw(PHANDLES)))
        for number in range(draw(st.integers(1, 3)))
    ]
    return tree(*cpus, *nodes, *domains)


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(75, 150))
@given(
    root=trees(),
    kernel=st.sampled_from(["3.17", "4.1", "4.11", "4.14", "5.5", "5.10", "6.1", "6.12"]),
)
def test_every_row_is_registered_or_lost_with_a_reason(root: Node, kernel: str) -> None:
    for table in tables(root):
        subject = Subject(table, [release(kernel)])
        found = subject.linux(release(kernel))
        rows = {s.source for s in found.states if s.source is not None}
        lost = {one.index for one in found.lost}
        names = [s.name for s in table.states]
        # an older kernel's list cannot always be told from another in which a node comes twice
        if len(set(names)) == len(names) or kernel == "6.12":
            assert not rows & lost
            assert rows | lost == set(range(len(table.states)))
        assert all(one.reason and one.ground for one in found.lost)
        for finding in run(subject):
            assert finding.message
            assert "\n" not in finding.message


# the real thing


def started(root: Node) -> Node:
    """A tree without the CPUs that arm64 does not start: the oracle is of code that runs later."""
    cpus, *others = root.children
    boots = next(filter(is_cpu, cpus.children))
    riscv = any("riscv,isa" in child.properties for child in cpus.children)
    kept = [
        child
        for child in cpus.children
        if riscv or child is boots or not is_cpu(child) or "enable-method" in child.properties
    ]
    return Node("", root.properties, (Node(cpus.name, cpus.properties, tuple(kept)), *others))


def modelled(
    root: Node, kernel: Release, osi: bool
) -> tuple[dict[int, list[object]], list[tuple[str, str]]]:
    """CPU -> states as the oracle has them, and what the kernel prints: of its power domains, of
    all CPUs up to the first that fails, in their order, and of the whole."""
    firmware = PsciFirmware(osi=osi)
    cpus = [child.name for child in started(root).children[0].children if is_cpu(child)]
    own = {
        path.rpartition("@")[2]: (listed, idle_nodes.table_of(listed, "dtb", "x", ""))
        for listed in idle_nodes.lists_of(root, "x")
        for path in listed.cpus
    }
    states: dict[int, list[object]] = {}
    for number, name in enumerate(cpus):
        _, table = own[name.partition("@")[2]]
        driver = dt_idle.register(table, kernel, firmware)
        rows = [
            (
                *(each.name, each.exit_latency_us, each.target_residency_us, each.timer_stop),
                (each.parameter or 0) if each.index else 0,
            )
            for each in driver.states
        ]
        if rows:
            states[number] = rows
    paths = {number: f"/cpus/{name}" for number, name in enumerate(cpus)}
    messages = dt_messages.printed([table for _, table in own.values()], paths, kernel, firmware)
    return states, [(message.level, message.text) for message in messages]


SAID = ("DT idle", "CPUidle", "psci: ", "cpuidle-riscv", "PM: Parsing", "dt-idle-genpd: failed")
PASSED_OVER = re.compile(
    r".*(psci-power-state|sbi-state|init(ialized)? (CPU )?PM domain|registered).*", re.I
)
"""Debugging output of what goes well, which the model leaves out."""


def said(result: DtIdleResult) -> list[tuple[str, str]]:
    return [
        (level, text)
        for level, text in result.messages
        if text.startswith(SAID) and (level == "error" or not PASSED_OVER.fullmatch(text))
    ]


def differences(
    oracle: DtIdleOracle, roots: list[Node], kernel: Release, osi: bool
) -> Iterator[tuple[Node, object, object]]:
    """Trees of which model and kernel make something else: tree, model's, kernel's."""
    faux = dt_idle_features.features(kernel).faux
    for root, real in zip(roots, oracle.run([*map(started, roots)], osi), strict=True):
        states, messages = modelled(root, kernel, osi)
        status = real.status == 0 and (bool(real.states) or not faux)
        if (states, messages, bool(states)) != (real.states, said(real), status):
            yield root, (states, messages), real


DRIVERS: tuple[Driver, ...] = ("psci", "sbi")


@pytest.mark.parametrize("driver", DRIVERS)
def test_model_is_as_the_kernel(
    linux_tree: Path, tmp_path_factory: pytest.TempPathFactory, driver: Driver
) -> None:
    kernel = distributed_as(linux_tree)
    known = dt_idle_features.features(kernel)
    if not (known.riscv if driver == "sbi" else known.per_cpu):
        pytest.skip(f"Linux {kernel.name} has no such driver")
    roots = random_trees(random.Random(driver), driver == "sbi", drawn(60, 250))
    with skipping(), building(tmp_path_factory, "dt_idle") as directory:
        oracle = DtIdleOracle(linux_tree, directory, driver, known.psci, spare=spare_tree())
        flat = DtIdleOracle(linux_tree, directory, driver, known.psci, False, spare_tree())
    for osi in (False, True) if driver == "psci" else (False,):
        assert not next(differences(oracle, roots, kernel, osi), None)
    registered = [result.states for result in oracle.run(roots)]
    entered = driver == "sbi" or known.psci or known.generic
    assert 0.3 < sum(map(bool, registered)) / len(registered) < 0.9 or not entered
    if driver == "psci":
        # without power domains, it is as in platform-coordinated mode
        assert [result.states for result in flat.run(roots)] == registered


def idle_part(node: Node) -> Node | None:
    """Returns what of a board the parser and the driver look at: CPUs, states, firmware,
    providers."""
    children = tuple(filter(None, map(idle_part, node.children)))
    compatible = node.properties.get("compatible", b"")
    own = is_cpu(node) or b"idle-state" in compatible or b"psci" in compatible
    if not children and not own and "#power-domain-cells" not in node.properties:
        return None
    return Node(node.name, node.properties, children)


def psci_boards(top: Path) -> Iterator[Node]:
    """Boards of a tree of sources with PSCI and idle states, /cpus first."""
    found, layout = top_of(str(top))
    assert layout is not None
    boards, kept = Boards(found, layout), Kept()
    for board in filter(boards.has_idle_states, boards.files()):
        files = opening.Tree(found)
        part = idle_part(build(files, found, layout, board, Path(board), kept).root)
        if part is None or not idle_nodes.lists_of(part, "x"):
            continue
        children = sorted(part.children, key=lambda child: child.name != "cpus")
        if any(b"psci" in cpu.properties.get("enable-method", b"") for cpu in children[0].children):
            yield Node("", part.properties, tuple(children))


@pytest.mark.slow
@pytest.mark.skipif("DTS" not in os.environ, reason="DTS names no tree of sources")
def test_model_is_as_the_kernel_on_every_board(
    linux_tree: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """DTS: a tree of Linux, or its sources alone, whose boards are built."""
    kernel = distributed_as(linux_tree)
    roots = list(psci_boards(Path(os.environ["DTS"])))
    with skipping(), building(tmp_path_factory, "dt_idle") as directory:
        own = dt_idle_features.features(kernel).psci
        oracle = DtIdleOracle(linux_tree, directory, "psci", own, spare=spare_tree())
    for osi in (False, True):
        assert not next(differences(oracle, roots, kernel, osi), None)
    results = oracle.run([*map(started, roots)])
    with capsys.disabled():
        states = sum(len(rows) for result in results for rows in result.states.values())
        print(f"\n{kernel.name}: {len(roots)} boards, {states} states")
    assert states > 0


# the trees of a distribution


@pytest.mark.slow
def test_every_tree_of_debians_arm64_kernel_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    with skipping():
        # later kernels have trees with faults of their own
        suite = elsewhere("bookworm")
        base = binary_tree("linux-image-arm64", ["usr/lib/linux-image-*"], "arm64", suite)
    files = sorted(base.rglob("*.dtb"))
    assert len(files) > 300
    kernels = [release(name) for name in ("4.11", "5.10", "debian-6.1.192", NEWEST)]
    criteria = Criteria(tuple(kernels))
    with_states, rows, without_driver = 0, 0, []
    rules: Counter[str] = Counter()
    for file in files:
        sources = read_sources(str(file))
        rules.update({f"{f.rule} {f.name}" for f in check(sources, criteria)})
        found: list[Source] = [source for source in sources if source.table]
        with_states += bool(found)
        rows += sum(len(source.table.states) for source in found if source.table)
        for source in found:
            assert source.table
            registered = register(None, Cpu(registry.named("power9")), kernels[-1], source.table)
            assert registered.states or registered.lost
            if not registered.states:
                without_driver.append(file.name)
    with capsys.disabled():
        print(f"\n{len(files)} trees, {with_states} with idle states ({rows} rows)")
        print(f"no driver in {NEWEST}: {sorted(set(without_driver)) or 'none'}")
        for rule, count in sorted(rules.items()):
            print(f"  {rule}: {count}")
    assert with_states > 150
    assert not {rule for rule in rules if rule.startswith(("IS1", "IS3", "IS4", "IS602", "IS603"))}
