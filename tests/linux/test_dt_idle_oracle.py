"""The model of idle-state nodes against the kernel's own code, and on a distribution's trees."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from idle_states.check.check import check
from idle_states.devicetree import idle_nodes
from idle_states.devicetree.tree import Node
from idle_states.linux import dt_idle, dt_idle_features, register
from idle_states.linux.releases import release
from idle_states.pipeline import Subject
from idle_states.power_mgt import u32_array
from idle_states.rules.engine import run
from idle_states.sources import Source, read_sources
from idle_states.table import Cpu
from tests.linux.test_dt_idle import DOMAIN, NEWEST, cell, cpu, state, tables, tree
from tests.oracle import Unavailable
from tests.oracle.debian import binary_tree, linux_source
from tests.oracle.linux.dt_idle import DtIdleOracle
from tests.support.shared import building

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


@settings(deadline=None, max_examples=300)
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


@st.composite
def sound_trees(draw: st.DrawFn) -> Node:
    """Trees that most often give a driver."""
    count = draw(st.integers(1, 12))
    times = st.integers(0, 2**32 - 1)
    nodes = [
        state(
            f"s{number}",
            number,
            draw(times),
            draw(times),
            draw(times),
            status=draw(st.sampled_from([b"gone", b"gone", b"okay\0", b"disabled\0"])),
            local_timer_stop=draw(st.sampled_from([b"gone", b""])),
            wakeup_latency_us=draw(st.sampled_from([b"gone", cell(5)])),
        )
        for number in range(1, count + 1)
    ]
    lists = st.lists(st.integers(1, count), min_size=1, max_size=12)
    same = draw(lists)
    cpus = [cpu(number, draw(st.sampled_from([same, draw(lists)]))) for number in range(2)]
    return tree(*cpus, *nodes)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> DtIdleOracle:
    try:
        source = linux_source("6.1")
        with building(tmp_path_factory, "dt_idle") as directory:
            return DtIdleOracle(source, directory)
    except Unavailable as reason:
        pytest.skip(str(reason))


def modelled(root: Node) -> tuple[dict[int, list[object]], list[tuple[str, str]]]:
    """CPU -> states as the oracle has them, and the messages of all CPUs up to the first that
    fails, in the order of the CPUs."""
    debian = release("debian-6.1.192")
    known = dt_idle_features.features(debian)
    cpus = [child.name for child in root.children[0].children if child.name.startswith("cpu@")]
    lists = idle_nodes.lists_of(root, "x")
    own = {
        path.rpartition("@")[2]: (listed, idle_nodes.table_of(listed, "dtb", "x", ""))
        for listed in lists
        for path in listed.cpus
    }
    states: dict[int, list[object]] = {}
    messages: list[tuple[str, str]] = []
    failed = False
    for number, name in enumerate(cpus):
        if name.partition("@")[2] not in own:
            break
        listed, table = own[name.partition("@")[2]]
        found = register(None, Cpu("power9"), debian, table)
        nodes = listed.nodes()
        after = {c.index: int(c.after, 16) for c in found.changed if c.field.endswith("param")}
        rows = []
        for one in found.states:
            node = None if one.source is None else nodes[one.source]
            parameter = node.u32("arm,psci-suspend-param") if node else 0
            times = one.exit_latency_us, one.target_residency_us
            source = -1 if one.source is None else one.source
            rows.append((one.name, *times, one.timer_stop, after.get(source, parameter)))
        if rows:
            states[number] = rows
        if not failed and listed.enable_method == "psci":
            parsed = dt_idle.parse(replace(listed, first=number), known)
            messages += [(m.level, m.text) for m in parsed.messages]
            failed = parsed.failure is not None
        else:
            failed = True
    return states, messages


@settings(
    deadline=None,
    max_examples=12,
    # shrinking twenty trees takes minutes and makes nothing clearer
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(roots=st.lists(st.one_of(trees(), sound_trees()), min_size=20, max_size=20))
def test_model_is_as_the_kernel(kernel: DtIdleOracle, roots: list[Node]) -> None:
    roots = [root for root in roots if idle_nodes.lists_of(root, "x")]
    for root, real in zip(roots, kernel.run(roots), strict=True):
        states, messages = modelled(root)
        assert states == real.states
        assert (real.status == 0) == bool(states)
        said = [m for m in real.messages if "psci-power-state" not in m[1]]
        assert messages == [m for m in said if m[1].startswith(("DT idle", "CPUidle"))]


# the trees of a distribution


@pytest.mark.slow
def test_every_tree_of_debians_arm64_kernel_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        base = binary_tree("linux-image-arm64", ["usr/lib/linux-image-*"], "arm64")
    except Unavailable as reason:
        pytest.skip(str(reason))
    files = sorted(base.rglob("*.dtb"))
    assert len(files) > 300
    kernels = [release(name) for name in ("4.11", "5.10", "debian-6.1.192", NEWEST)]
    with_states, rows, without_driver = 0, 0, []
    rules: Counter[str] = Counter()
    for file in files:
        sources = read_sources(str(file))
        rules.update({f"{f.rule} {f.name}" for f in check(sources, kernels)})
        found: list[Source] = [source for source in sources if source.table]
        with_states += bool(found)
        rows += sum(len(source.table.states) for source in found if source.table)
        for source in found:
            assert source.table
            registered = register(None, Cpu("power9"), kernels[-1], source.table)
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
