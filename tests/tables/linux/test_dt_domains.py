"""The power domains of CPUs: what a fault in them does to the CPUs' own idle states."""

import pytest

from idle_states.base.model.power_mgt import u32_array
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux import dt_idle
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.suspend_parameter import PsciFirmware
from tests.tables.linux.test_dt_idle import cell, cpu, state

GOOD = state("cluster", 20, compatible=b"domain-idle-state\0")
NO_ENTRY = state("cluster", 20, compatible=b"domain-idle-state\0", entry_latency_us=b"gone")
BAD_PARAMETER = state(
    "cluster", 20, compatible=b"domain-idle-state\0", arm__psci_suspend_param=cell(0xFFFFFFFF)
)


def domain(name: str, phandle: int, states: list[int], **more: bytes) -> Node:
    properties = {"phandle": cell(phandle), "#power-domain-cells": cell(0)}
    if states:
        properties["domain-idle-states"] = u32_array(states)
    return Node(name, properties | {k.replace("_", "-"): v for k, v in more.items()})


def arm(cluster_state: Node, *domains: Node, attached: int = 40) -> Node:
    """A tree of one CPU with one state, in a power domain."""
    one = cpu(0, [1], power_domains=cell(attached), power_domain_names=b"psci\0")
    psci = Node("psci", {"compatible": b"arm,psci-1.0\0"}, domains)
    return Node("", {}, (Node("cpus", {}, (one,)), psci, state("sleep", 1), cluster_state))


def riscv(cluster_state: Node, *domains: Node) -> Node:
    """The same for RISC-V; its CPU names no power domain."""
    one = cpu(0, [1], riscv__isa=b"rv64\0")
    own = state(
        "sleep", 1, compatible=b"riscv,idle-state\0", riscv__sbi_suspend_param=cell(1 << 28)
    )
    cpus = Node("cpus", {}, (one, Node("power-domains", {}, domains)))
    return Node("", {}, (cpus, own, cluster_state))


def register(root: Node, kernel: str, osi: bool = True) -> DriverTable:
    (listed,) = idle_nodes.lists_of(root, "x")
    table = idle_nodes.table_of(listed, "dtb", "x", "")
    return dt_idle.register(table, release(kernel), PsciFirmware(osi=osi))


OFF = state(
    "cluster", 20, compatible=b"domain-idle-state\0", entry_latency_us=b"gone", status=b"no\0"
)
CPU, CLUSTER = domain("cpu-pd0", 40, [], power_domains=cell(41)), domain("cluster-pd", 41, [20])


def lost(found: DriverTable) -> list[tuple[str, str]]:
    return [(one.state, one.cause) for one in found.lost if one.cause != "domain-state"]


@pytest.mark.parametrize("bad", [NO_ENTRY, BAD_PARAMETER])
@pytest.mark.parametrize(
    ("kernel", "registers"),
    [
        # to 5.8 CPUs do without the domains; then, all of them are gone with one of them
        ("5.8", True),
        ("5.9", False),
        ("6.1.46", False),
        # the CPU's domain comes before the bad one, and stays
        ("6.1.47", True),
        ("6.5", False),
        ("6.6", True),
    ],
)
def test_bad_cluster_behind_the_cpus_domain(bad: Node, kernel: str, registers: bool) -> None:
    found = register(arm(bad, domain("cpu-pd0", 40, []), CLUSTER), kernel)
    assert bool(found.states) == registers
    assert lost(found) == ([] if registers else [("sleep", "power-domain")])
    assert any("failed to create CPU PM domains" in m.text for m in found.messages)


def test_bad_cluster_before_the_cpus_domain() -> None:
    for kernel in ("6.1.47", "6.12", "7.0"):
        found = register(arm(NO_ENTRY, CLUSTER, CPU), kernel)
        assert lost(found) == [("sleep", "power-domain")]
        assert "cluster has no entry-latency-us" in found.lost[0].reason
        assert found.messages[1].text == "dt-idle-genpd: failed to alloc PM domain /psci/cluster-pd"
        assert register(arm(GOOD, CLUSTER, CPU), kernel).states


def test_domain_without_states_is_an_error_at_first() -> None:
    for kernel, made in (("5.6.4", False), ("5.6.5", True), ("5.7", True)):
        found = register(arm(GOOD, CPU, CLUSTER), kernel)
        assert found.states
        assert any(m.text.endswith("ret=-2") for m in found.messages) is not made
        assert all(bool(domain.dead) is not made for domain in found.domains)


def test_platform_coordinated_mode_does_not_look_at_domains() -> None:
    found = register(arm(NO_ENTRY, CLUSTER, CPU), "6.12", osi=False)
    assert [one.name for one in found.states] == ["WFI", "sleep"]


def test_domain_of_another_driver_is_taken_to_come() -> None:
    other = domain("other", 50, [])
    root = arm(GOOD, CPU, CLUSTER, attached=50)
    assert register(Node("", {}, (*root.children, other)), "6.12").states


def test_domain_within_itself() -> None:
    found = register(arm(GOOD, domain("cpu-pd0", 40, [], power_domains=cell(40))), "6.12")
    assert lost(found) == [("sleep", "power-domain")]
    assert "CPUidle PSCI: failed to create CPU PM domains ret=-22" in [
        message.text for message in found.messages
    ]


def test_sbi_needs_its_domains_even_where_no_cpu_uses_them() -> None:
    good, bad = GOOD, NO_ENTRY
    parameter = {"riscv,sbi-suspend-param": cell(0x90000000)}
    good, bad = (Node(n.name, {**n.properties, **parameter}) for n in (good, bad))
    assert register(riscv(good, CLUSTER), "6.12").states
    found = register(riscv(bad, CLUSTER), "6.12")
    assert lost(found) == [("sleep", "power-domain")]
    assert [m.text for m in found.messages][-1] == (
        "cpuidle-riscv-sbi: failed to create CPU PM domains ret=-12"
    )


@pytest.mark.parametrize(
    ("before", "since"),
    [("5.10.162", "5.10.163"), ("5.15.85", "5.15.86"), ("6.1.1", "6.1.2")],
)
def test_disabled_nodes_counted_in_stable_releases(before: str, since: str) -> None:
    """A disabled node's parameter is checked, too, where such nodes count."""
    bad = {"status": b"disabled\0", "arm__psci_suspend_param": cell(0xFFFFFFFF)}
    nodes = (state("sleep", 1), state("off", 2, **bad))
    root = Node("", {}, (Node("cpus", {}, (cpu(0, [1, 2]),)), *nodes))
    assert not register(root, before).states
    assert register(root, since).states
    # there, cpuidle-psci counts the list for itself
    assert not register(root, "5.4.229").states


def test_silent_where_the_first_state_is_missing() -> None:
    """From 6.16 to 7.1 the driver is not tried, and says nothing."""
    foreign = state("sleep", 1, compatible=b"qcom,idle-state-spc\0")
    root = Node("", {}, (Node("cpus", {}, (cpu(0, [1]),)), foreign))
    assert register(root, "6.17").messages == ()
    late = state("off", 2, arm__psci_suspend_param=b"gone")
    root = Node("", {}, (Node("cpus", {}, (cpu(0, [1, 2]),)), state("sleep", 1), late))
    texts = {kernel: register(root, kernel).messages[-1].text for kernel in ("6.14", "6.17", "7.2")}
    assert texts["6.17"] == "CPUidle PSCI: Failed to create psci-cpuidle device"
    assert texts["6.14"] == texts["7.2"] == "CPUidle PSCI: CPU 0 failed to PSCI idle"


@pytest.mark.parametrize(
    ("kernel", "reads"),
    [
        *(("5.15.76", True), ("5.15.77", False), ("6.0", True), ("6.1", False)),
        *(("rhel-5.14.0-284.30.1", True), ("rhel-5.14.0-362.8.1", False)),
    ],
)
def test_a_domain_s_state_that_is_switched_off(kernel: str, reads: bool) -> None:
    """Read all the same, it takes the domain with it if it is bad."""
    found = register(arm(OFF, CPU, CLUSTER), kernel)
    failed = any("failed to init PM domain" in message.text for message in found.messages)
    assert failed is reads
