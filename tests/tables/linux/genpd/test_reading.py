"""The power domains that a kernel makes of a tree, and the rows that they take."""

import pytest

from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux import dt_idle
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.genpd.features import features
from idle_states.tables.linux.genpd.reading import cautions, levels
from idle_states.tables.linux.genpd.tables import DomainState
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.suspend_parameter import PsciFirmware
from tests.tables.linux.test_dt_domains import domain
from tests.tables.linux.test_dt_idle import cell, cpu, state


def of_domain(name: str, phandle: int, **more: bytes) -> Node:
    more = {"compatible": b"domain-idle-state\0", "arm__psci_suspend_param": cell(2), **more}
    return state(name, phandle, **more)


def board(*states: Node, cluster: list[int] | None = None, **of_cpu: bytes) -> Node:
    """Two clusters of two CPUs in a system, each CPU in a power domain of its own."""
    cpus = []
    domains = [
        domain("system", 60, [22]),
        domain("cluster0", 50, cluster or [20, 21], power_domains=cell(60)),
        domain("cluster1", 51, [20, 21], power_domains=cell(60)),
    ]
    for number in range(4):
        properties = {
            "power_domains": cell(40 + number),
            "power_domain_names": b"psci\0",
            **of_cpu,
        }
        cpus.append(cpu(number, [1], **properties))
        domains.append(
            domain(f"cpu-pd{number}", 40 + number, [], power_domains=cell(50 + number // 2))
        )
    psci = Node("psci", {"compatible": b"arm,psci-1.0\0"}, domains)
    named = [of_domain("retention", 20), of_domain("off", 21), of_domain("all-off", 22)]
    changed = {node.name: node for node in (*named, *states)}
    return Node("", {}, (Node("cpus", {}, cpus), psci, state("sleep", 1), *changed.values()))


def registered(root: Node, kernel: str = "6.12.40", osi: bool = True) -> DriverTable:
    listed = idle_nodes.lists_of(root, "x")[0]
    table = idle_nodes.table_of(listed, "dtb", "x", "")
    return dt_idle.register(table, release(kernel), PsciFirmware(osi=osi))


def test_hierarchy() -> None:
    found = registered(board())
    assert [(one.name, one.level, one.parent, one.cpus) for one in found.domains] == [
        ("cpu-pd0", "CPU", "/psci/cluster0", ("cpu@0",)),
        ("cluster0", "cluster", "/psci/system", ("cpu@0", "cpu@1")),
        ("system", "system", "", ("cpu@0", "cpu@1", "cpu@2", "cpu@3")),
    ]
    assert [one.governed for one in found.domains] == [False, True, True]
    assert [[one.row for one in domain.states] for domain in found.domains] == [[], [1, 2], [3]]
    assert found.lost == ()


def test_levels_of_rows() -> None:
    assert levels(idle_nodes.lists_of(board(), "x")[0]) == ("CPU", "cluster", "cluster", "system")


def test_times_are_kept_apart_and_wakeup_latency_is_not_read() -> None:
    node = of_domain(
        "off",
        21,
        entry_latency_us=cell(7),
        exit_latency_us=cell(8),
        min_residency_us=b"gone",
        wakeup_latency_us=cell(99),
    )
    root = board(node)
    found = registered(root).domains[1].states[1]
    assert found == DomainState("off", 7_000, 8_000, 0, 2, 2)
    table = idle_nodes.table_of(idle_nodes.lists_of(root, "x")[0], "dtb", "x", "")
    assert table.states[2].latency_ns == 15_000


@pytest.mark.parametrize(
    ("kernel", "residency_ns"),
    [("5.10.187", 4_294_968_000 - 2**32), ("5.10.188", 4_294_968_000)],
)
def test_times_that_do_not_fit_into_32_bits(kernel: str, residency_ns: int) -> None:
    node = of_domain("off", 21, min_residency_us=cell(4_294_968))
    assert registered(board(node), kernel).domains[1].states[1].residency_ns == residency_ns


def reasons(found: DriverTable) -> dict[str, str]:
    return {one.state: one.reason for one in found.lost if one.cause == "domain-state"}


def test_nodes_that_are_passed_over() -> None:
    off = of_domain("off", 21, status=b"disabled\0")
    foreign = state("foreign", 24, arm__psci_suspend_param=cell(2))
    found = registered(board(off, foreign, cluster=[20, 21, 24]))
    assert [one.name for one in found.domains[1].states] == ["retention"]
    assert reasons(found) == {
        "off": "its status is not okay",
        "foreign": "it is not compatible with domain-idle-state: skipped",
    }


@pytest.mark.parametrize(
    ("kernel", "osi", "reason"),
    [
        ("5.5", True, "does not look at power domains"),
        ("5.8", False, "no OS-initiated mode, without which the domain is always on"),
        ("6.12.40", False, "no OS-initiated mode, without which the domain is always on"),
    ],
)
def test_all_are_dead(kernel: str, osi: bool, reason: str) -> None:
    found = registered(board(), kernel, osi)
    assert list(reasons(found)) == ["retention", "off", "all-off"]
    assert all(reason in why for why in reasons(found).values())


def test_parameter_that_no_firmware_can_mean() -> None:
    bad = of_domain("off", 21, arm__psci_suspend_param=cell(0xFFFF_FFFF))
    assert "off has arm,psci-suspend-param 0xffffffff" in reasons(registered(board(bad)))["all-off"]


def test_cpus_that_name_no_domain() -> None:
    other = registered(board(power_domain_names=b"perf\0"))
    assert other.domains == ()
    assert set(reasons(other).values()) == {"the CPUs name no power domain psci of the driver's"}


def test_no_driver_for_the_cpus() -> None:
    broken = state("sleep", 1, arm__psci_suspend_param=b"gone")
    root = board()
    root = Node("", {}, tuple(broken if n.name == "sleep" else n for n in root.children))
    found = registered(root)
    assert not found.states
    assert set(reasons(found).values()) == {"no CPU has a driver, and none asks for more than WFI"}


def test_no_governor_in_5_18() -> None:
    assert not registered(board(), "5.18.2").domains[1].governed
    assert registered(board(), "5.18.3").domains[1].governed


def test_what_the_tree_does_not_tell() -> None:
    listed = idle_nodes.lists_of(board(), "x")[0]

    def said(kernel: str) -> str:
        return "; ".join(cautions(listed, features(release(kernel))))

    assert "OS-initiated" in said("6.2")
    assert "PREEMPT_RT" not in said("6.2")
    assert "PREEMPT_RT, power domains stay on" in said("6.3")
    assert "PREEMPT_RT, power domains are off in suspend only" in said("6.12")
    assert ("turning it off" in said("5.18"), "turning it off" in said("5.19")) == (True, False)


def test_riscv_needs_names_on_every_cpu() -> None:
    def tree(*named: bool) -> Node:
        cpus = [
            cpu(
                number,
                [1],
                riscv__isa=b"rv64\0",
                power_domains=cell(40 + number),
                **({"power_domain_names": b"sbi\0"} if names else {}),
            )
            for number, names in enumerate(named)
        ]
        own = {"riscv__sbi_suspend_param": cell(1 << 28)}
        domains = [
            domain("cluster", 50, [20]),
            *(domain(f"pd{n}", 40 + n, [], power_domains=cell(50)) for n in range(len(cpus))),
        ]
        nodes = (
            state("sleep", 1, compatible=b"riscv,idle-state\0", **own),
            of_domain("off", 20, **own),
        )
        return Node("", {}, (Node("cpus", {}, (*cpus, Node("power-domains", {}, domains))), *nodes))

    assert [one.dead for one in registered(tree(True, True)).domains] == ["", ""]
    assert "not every CPU has" in registered(tree(True, False)).domains[1].dead
    found = registered(tree(True, True), "5.17")
    assert {one.dead for one in found.domains} == {"this kernel does not look at power domains"}
