"""Idle states of an Arm or RISC-V machine: from the spec to a tree, as source of every form, and
back."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.architectures import ARM, RISCV
from idle_states.base.model.findings import CannotGenerate
from idle_states.base.model.idle_tree import IdleTree, TreeCpu, TreeDomain, TreeState
from idle_states.tables.devicetree import drafts, dts, fdt, idle_nodes, idle_source
from idle_states.tables.devicetree.idle_import import read_machine
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.spec.write_tree import write_tree
from tests.support.machines import FLAT, MACHINES, NESTED, lists, machine, plain


def tree(idle: IdleTree) -> Node:
    return drafts.finished(drafts.whole(idle))


def with_idle_states(root: Node, idle: IdleTree) -> Node:
    draft = drafts.Draft.of(root)
    drafts.added(draft, idle)
    return drafts.finished(draft)


def imported(root: Node, name: str) -> IdleTree:
    return read_machine(root, idle_nodes.lists_of(root, "tree.dtb"), name)


def dtc(source: str, *words: str) -> bytes:
    """Returns what dtc makes of a source, which it must take without a warning."""
    done = subprocess.run(["dtc", "-O", "dtb", *words], input=source.encode(), capture_output=True)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", MACHINES)
def test_the_generated_source_is_the_tree_of_the_spec(name: str) -> None:
    idle = machine(MACHINES[name])
    source = idle_source.render(idle, idle_source.WHOLE, ["by hand"])
    assert lists(fdt.read(dtc(source), "made.dtb")) == lists(tree(idle))


@pytest.mark.parametrize("name", MACHINES)
def test_imported_again_it_is_the_same_spec(name: str) -> None:
    idle = machine(MACHINES[name])
    root = fdt.read(fdt.write(tree(idle)), "made.dtb")
    again = imported(root, idle.name)
    assert again.cpus == idle.cpus
    assert {s.path: replace(s, label="") for s in idle.states} == {
        s.path: replace(s, label="") for s in again.states
    }
    assert [(d.path, d.states, d.parent) for d in again.domains] == [
        (d.path, d.states, d.parent) for d in idle.domains
    ]
    assert (again.architecture, again.domains_at) == (idle.architecture, idle.domains_at)
    assert machine(write_tree(again)) == again


@pytest.mark.parametrize("name", MACHINES)
def test_an_include_completes_a_board(name: str, tmp_path: Path) -> None:
    idle = machine(MACHINES[name])
    board = idle_source.render(_without_states(idle), idle_source.WHOLE, ())
    (tmp_path / "idle.dtsi").write_text(idle_source.render(idle, idle_source.INCLUDE, ()))
    blob = dtc(f'{board}\n/include/ "idle.dtsi"\n', "-i", str(tmp_path))
    assert lists(fdt.read(blob, "made.dtb")) == lists(tree(idle))


@pytest.mark.parametrize("name", MACHINES)
def test_an_overlay_completes_a_compiled_tree(name: str, tmp_path: Path) -> None:
    idle = machine(MACHINES[name])
    base, over, made = (tmp_path / each for each in ("base.dtb", "over.dtbo", "made.dtb"))
    base.write_bytes(dtc(idle_source.render(_without_states(idle), idle_source.WHOLE, ()), "-@"))
    over.write_bytes(dtc(idle_source.render(idle, idle_source.OVERLAY, ())))
    subprocess.run(["fdtoverlay", "-i", base, "-o", made, over], check=True, capture_output=True)
    # fdtoverlay puts new nodes in front of those that are there
    assert _by_path(fdt.read(made.read_bytes(), "made.dtb")) == _by_path(tree(idle))


def _by_path(root: Node) -> list[object]:
    return [
        plain(replace(each, power_domains=tuple(sorted(each.power_domains, key=lambda d: d.path))))
        for each in idle_nodes.lists_of(root, "tree")
    ]


def _without_states(idle: IdleTree) -> IdleTree:
    cpus = tuple(replace(cpu, states=(), domain="") for cpu in idle.cpus)
    return replace(idle, states=(), domains=(), cpus=cpus)


@pytest.mark.parametrize("name", MACHINES)
def test_states_are_put_into_a_tree_without_any(name: str) -> None:
    idle = machine(MACHINES[name])
    root = with_idle_states(tree(_without_states(idle)), idle)
    assert lists(root) == lists(tree(idle))


def test_states_are_put_in_place_of_others() -> None:
    board = tree(machine(FLAT))
    uart = Node("uart", {"phandle": (77).to_bytes(4, "big")})
    root = with_idle_states(Node("", {}, (*board.children, uart)), machine(NESTED))
    assert root.find("/uart") == uart
    assert root.find("/cpus/cpu@100") == board.find("/cpus/cpu@100")
    first, second, third = idle_nodes.lists_of(root, "board")
    assert [node.name for node in first.nodes()] == ["cpu-sleep"]
    assert (first.flat, second.cpus, third.cpus) == ((), ("/cpus/cpu@1",), ("/cpus/cpu@100",))


def test_labels() -> None:
    source = idle_source.render(machine(NESTED), idle_source.WHOLE, ())
    assert "CORE_OFF: cpu-sleep {" in source
    assert "CLUSTER_RETENTION: cluster-retention {" in source
    assert "power-domains = <&CLUSTER_PD>;" in source
    assert "domain-idle-states = <&CLUSTER_RETENTION>, <&CLUSTER_SLEEP>;" in source
    same = FLAT.replace("description: both", "label: CPU_SLEEP_0, description: both")
    labels = drafts.labels_of(machine(same))
    assert labels["/cpus/idle-states/cluster-sleep-0"] == "CPU_SLEEP_0"
    assert labels["/cpus/idle-states/cpu-sleep-0"] == "CPU_SLEEP_0_2"


def test_labels_of_a_tree_that_has_them_are_imported() -> None:
    idle = machine(NESTED)
    source = idle_source.render(idle, idle_source.WHOLE, ())
    again = imported(fdt.read(dtc(source, "-@"), "made.dtb"), "nested")
    assert drafts.labels_of(again) == drafts.labels_of(idle)
    assert {each.label for each in again.states} == {
        "CORE_OFF",
        "CLUSTER_RETENTION",
        "CLUSTER_SLEEP",
    }


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("exit-latency-us = <650>;", "", "expected exit-latency-us of one cell in "
         "/cpus/idle-states/cpu-sleep-0, found none"),
        ("exit-latency-us = <650>;", "exit-latency-us = <650 1>;", "found 8 bytes"),
        ("local-timer-stop;", "local-timer-stop = <1>;", "expected local-timer-stop without a "),
        ("<&CPU_SLEEP_0>, <&CLUSTER_SLEEP_0>", "<&CPU_SLEEP_0>, <0>",
         "expected a reference to a node, found a phandle of 0"),
        ('status = "disabled";', 'status = "off";', "expected a status of okay, ok, disabled, "),
        ('status = "disabled";', "odd = [00 01 02];", "expected strings or cells, found 3 bytes"),
        ('"both CPUs', '"\\t both CPUs', "expected one text that YAML can hold"),
    ],
)  # fmt: skip
def test_what_a_spec_cannot_say_is_named(before: str, after: str, message: str) -> None:
    source = idle_source.render(machine(FLAT), idle_source.WHOLE, ())
    assert before in source
    root = dts.read(source.replace(before, after, 1), "board.dts")
    with pytest.raises(CannotGenerate) as refused:
        imported(root, "board")
    assert any(message in finding.message for finding in refused.value.findings)


def test_a_domain_of_another_name_cannot_be_said() -> None:
    source = dts.write(tree(machine(NESTED)))
    changed = source.replace('power-domain-names = "psci"', 'power-domain-names = "perf"')
    assert changed != source
    with pytest.raises(CannotGenerate, match="expected psci as the first of power-domain-names"):
        imported(dts.read(changed, "board.dts"), "board")


def test_states_that_nobody_lists_are_kept_if_they_can_be() -> None:
    lone = FLAT.replace("states: [cpu-sleep-1, cpu-off-1]", "states: [cpu-sleep-0]")
    idle = machine(lone)
    assert [s.name for s in imported(tree(idle), "t").states] == [s.name for s in idle.states]
    source = idle_source.render(idle, idle_source.WHOLE, ())
    broken = dts.read(source.replace("exit-latency-us = <550>;", ""), "board.dts")
    assert [s.name for s in imported(broken, "t").states] == [
        "cpu-sleep-0",
        "cluster-sleep-0",
        "cpu-off-1",
    ]


NAMES = st.from_regex(r"(cpu|cluster|domain)-[a-z0-9]{1,8}", fullmatch=True)
MICROSECONDS = st.integers(0, 0xFFFF_FFFF)


@st.composite
def machines(draw: st.DrawFn) -> IdleTree:
    architecture = draw(st.sampled_from([ARM, RISCV]))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    states = []
    for name in names:
        domain = draw(st.booleans())
        folder = "/cpus/domain-idle-states" if domain else "/cpus/idle-states"
        states.append(
            TreeState(
                name=name,
                path=f"{draw(st.sampled_from([folder, '/idle-states']))}/{name}",
                entry_us=draw(MICROSECONDS),
                exit_us=draw(MICROSECONDS),
                residency_us=draw(MICROSECONDS),
                wakeup_us=draw(st.none() | MICROSECONDS),
                timer_stop=draw(st.booleans()),
                parameter=draw(st.none() | MICROSECONDS),
                domain=domain,
                description=draw(st.text(st.characters(min_codepoint=32, max_codepoint=126))),
                status=draw(st.sampled_from(["", "okay", "disabled"])),
            )
        )
    some = st.lists(st.sampled_from(names), max_size=4).map(tuple)
    at = architecture.domains
    count = draw(st.integers(0, 3))
    domains = [
        TreeDomain(f"{at}/pd{number}", draw(some), f"{at}/pd{number + 1}" * (number < count - 1))
        for number in range(count)
    ]
    paths = [""] + [domain.path for domain in domains]
    cpus = [
        TreeCpu(
            f"/cpus/cpu@{number:x}",
            draw(st.sampled_from([architecture.cpu, "vendor,core"])),
            draw(st.sampled_from(["psci", "", "spin-table"])),
            draw(some),
            draw(st.sampled_from(paths)),
        )
        for number in range(draw(st.integers(1, 4)))
    ]
    return IdleTree("made", architecture, tuple(states), tuple(cpus), at, tuple(domains))


@settings(max_examples=25)
@given(machines())
def test_every_machine_survives_yaml(idle: IdleTree) -> None:
    assert machine(write_tree(idle)) == idle


@settings(max_examples=25)
@given(machines())
def test_every_machine_survives_the_tree(idle: IdleTree) -> None:
    root = tree(idle)
    found = idle_nodes.lists_of(root, "t")
    if found:
        assert lists(tree(read_machine(root, found, "made"))) == lists(root)
