"""Rules for the idle-state nodes of Arm and RISC-V trees: where each begins and ends."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Severity
from idle_states.base.model.power_mgt import u32_array
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.rules.trees import ONE_STATE
from idle_states.tables.skiboot.platform import parse_platform
from tests.support.subjects import dts
from tests.tables.linux.test_dt_idle import NEWEST, cell, cpu, state, tables, tree

ORDER = ("IS111", "IS203", "IS204", "IS205", "IS209", "IS403")
"""The rules that compare rows."""
LEVEL = 100
"""Phandle of the first power domain."""


def found(root: Node, *codes: str, kernels: Sequence[str] = (NEWEST,)) -> list[Finding]:
    """The findings on all tables of a tree, of these rules."""
    releases = tuple(release(name) for name in kernels)
    return [
        finding
        for table in tables(root)
        for finding in run(Subject(table, releases), selection=RuleSelection(codes))
    ]


def codes(root: Node, *asked: str, kernels: Sequence[str] = (NEWEST,)) -> list[str]:
    return [finding.rule for finding in found(root, *asked, kernels=kernels)]


def domain(name: str, phandle: int, states: Sequence[int], parent: int = 0) -> Node:
    properties = {"#power-domain-cells": bytes(4), "phandle": cell(phandle)}
    if states:
        properties["domain-idle-states"] = u32_array(states)
    if parent:
        properties["power-domains"] = cell(parent)
    return Node(name, properties)


def hierarchy(*states: Node, system: Sequence[int] = (), cluster: Sequence[int] = ()) -> Node:
    """One CPU that lists state 1, in a cluster in a system."""
    psci = Node(
        "psci",
        {"compatible": b"arm,psci-1.0\0"},
        (domain("cluster", LEVEL, cluster, LEVEL + 1), domain("system", LEVEL + 1, system)),
    )
    own = domain("own", LEVEL + 2, (), LEVEL)
    psci = replace(psci, children=(*psci.children, own))
    names = {"power_domains": cell(LEVEL + 2), "power_domain_names": b"psci\0"}
    return tree(cpu(0, [1], **names), *states, psci)


def level(name: str, phandle: int, *times: int, **more: bytes) -> Node:
    """A state of a power domain."""
    return state(name, phandle, *times, compatible=b"domain-idle-state\0", **more)


SLEEP = state("sleep", 1, 100, 200, 2000)


# rows that compete


def test_rows_of_cpus_and_of_domains_are_not_compared() -> None:
    """A domain's row on sm6115 and msm8916 has less than the CPUs', or as much."""
    root = hierarchy(
        SLEEP,
        level("sleep", 2, 50, 60, 700),
        level("off", 3, 60, 70, 2000),
        cluster=[2],
        system=[3],
    )
    assert codes(root, *ORDER) == []


def test_rows_of_two_domains_are_not_compared() -> None:
    root = hierarchy(
        SLEEP, level("deep", 2, 50, 60, 9000), level("deep", 3, 5, 6, 70), cluster=[2], system=[3]
    )
    assert codes(root, *ORDER) == []


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((50, 60, 700), ["IS203", "IS205"]),
        ((50, 60, 699), ["IS204", "IS205"]),
        ((40, 60, 900), ["IS205"]),
        ((60, 60, 900), []),
    ],
)
def test_rows_of_one_domain_are_compared(times: tuple[int, ...], expected: list[str]) -> None:
    states = (SLEEP, level("a", 2, 50, 60, 700), level("b", 3, *times))
    assert sorted(codes(hierarchy(*states, cluster=[2, 3]), "IS203", "IS204", "IS205")) == expected


def test_lists_of_different_cpus_are_not_compared() -> None:
    states = (state("a", 1, 100, 100, 3000), state("b", 2, 10, 10, 3000))
    assert codes(tree(cpu(0, [1]), cpu(1, [2]), *states), *ORDER) == []


def test_disabled_rows_do_not_compete() -> None:
    off = state("b", 2, 100, 200, 2000, status=b"disabled\0")
    assert codes(tree(cpu(0, [1, 2]), SLEEP, off), *ORDER) == []


def test_a_state_that_is_listed_twice_is_one_state() -> None:
    root = tree(cpu(0, [1, 1, 2]), SLEEP, state("off", 2, 300, 400, 5000))
    assert codes(root, *ORDER, "IS6") == ["IS612"]
    (finding,) = found(root, "IS612")
    assert "found sleep 2 times" in finding.message


def test_deep_states_in_front_are_found_behind_repeats() -> None:
    """The list of mt8516: cluster, cluster, CPU, CPU, CPU."""
    root = tree(cpu(0, [2, 2, 1, 1, 1]), SLEEP, state("off", 2, 300, 400, 5000))
    assert codes(root, *ORDER) == ["IS204", "IS205"]


def test_a_domain_that_lists_a_state_twice_is_told_once_a_tree() -> None:
    root = hierarchy(SLEEP, level("off", 2, 300, 400, 5000), cluster=[2, 2])
    (finding,) = found(root, "IS612")
    assert "expected /psci/cluster to list each state once, found off 2 times" in finding.message


# times

OneState = Callable[..., Node]


def one(**more: bytes) -> Node:
    return tree(cpu(0, [1]), state("sleep", 1, 100, 200, 1000, **more))


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((100, 200, 300), []),
        ((101, 200, 300), ["IS206"]),
        ((300, 200, 300), ["IS206"]),
        ((301, 200, 300), ["IS609"]),
    ],
)
def test_residency_includes_the_entry_alone(times: tuple[int, ...], expected: list[str]) -> None:
    own = found(tree(cpu(0, [1]), state("sleep", 1, *times)), "IS206", "IS609")
    above = found(hierarchy(SLEEP, level("off", 2, *times), cluster=[2]), "IS206", "IS609")
    for each in own, above:
        assert [finding.rule for finding in each] == expected
        worst = Severity.ERROR if expected == ["IS609"] else Severity.NOTE
        assert all(finding.severity is worst for finding in each)


def test_a_latency_is_named_by_what_it_is_made_of() -> None:
    node = state("sleep", 1, 101, 200, 300)
    known = replace(node, properties={**node.properties, "wakeup-latency-us": cell(400)})
    said = [found(tree(cpu(0, [1]), one), "IS206")[0].message for one in (node, known)]
    assert said[0].startswith("sleep has an entry plus exit latency of 301us, not below")
    assert said[1].startswith("sleep has an exit latency of 400us, not below")


@pytest.mark.parametrize(
    ("wakeup", "expected"), [(199, ["IS610"]), (200, []), (300, []), (301, ["IS608"])]
)
def test_wakeup_lies_between_exit_and_the_sum(wakeup: int, expected: list[str]) -> None:
    assert codes(one(wakeup_latency_us=cell(wakeup)), "IS608", "IS610") == expected


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [("5.5", []), ("5.10", ["IS623"]), ("6.1.38", ["IS623"]), ("6.1.39", []), ("6.6", [])],
)
def test_a_domains_time_wraps_in_older_kernels(kernel: str, expected: list[str]) -> None:
    for us, told in ((4294967, []), (4294968, expected)):
        root = hierarchy(SLEEP, level("off", 2, 1, 1, us), cluster=[2])
        assert codes(root, "IS623", kernels=[kernel]) == told
    own = tree(cpu(0, [1]), state("sleep", 1, 1, 1, 4294968))
    assert codes(own, "IS623", kernels=[kernel]) == []


# lists


@pytest.mark.parametrize("method", [b"gone", b"spin-table\0"])
def test_one_cpu_that_psci_does_not_enable_costs_all(method: bytes) -> None:
    other = cpu(1, [1])
    properties = {**other.properties, "enable-method": method}
    if method == b"gone":
        del properties["enable-method"]
    other = replace(other, properties=properties)
    root = tree(cpu(0, [1]), other, SLEEP)
    (finding,) = found(root, "IS611", "IS607")
    assert finding.rule == "IS611"
    assert finding.location.path == "/cpus/cpu@1"
    assert finding.kernels == (NEWEST,)
    # before PSCI had a driver of its own
    assert codes(root, "IS611", kernels=["5.2"]) == []
    failed = replace(other, properties={**properties, "status": b"fail\0"})
    assert codes(tree(cpu(0, [1]), failed, SLEEP), "IS611") == []
    assert codes(tree(other, SLEEP), "IS611") == []


def test_nodes_that_nobody_lists() -> None:
    deep = partial(state, "deep", 2, 300, 400, 5000)
    root = tree(cpu(0, [1]), cpu(1, [1]), SLEEP, deep())
    assert codes(root, "IS613") == ["IS613"]
    assert codes(tree(cpu(0, [1]), SLEEP, deep(status=b"disabled\0")), "IS613") == []
    # by a power domain that no CPU sits in
    provider = domain("gpu", LEVEL, [2])
    assert codes(tree(cpu(0, [1]), SLEEP, deep(), provider), "IS613") == []
    other = Node("deep", {"compatible": b"maker,system-idle-state\0", "phandle": cell(2)})
    assert codes(tree(cpu(0, [1]), SLEEP, other), "IS613") == []


def test_more_states_than_linux_takes() -> None:
    states = [state(f"s{n}", n, 10 * n, 10 * n, 1000 * n) for n in range(1, 11)]
    assert codes(tree(cpu(0, range(1, 10)), *states), "IS614") == []
    (finding,) = found(tree(cpu(0, range(1, 11)), *states), "IS614")
    assert finding.message.endswith("Linux leaves out s10")
    states[3] = state("s4", 4, 40, 40, 4000, status=b"disabled\0")
    assert codes(tree(cpu(0, range(1, 11)), *states), "IS614") == []


# parameters


def with_parameters(*values: int, **more: bytes) -> Node:
    states = [
        state(f"s{n}", n, 10 * n, 10 * n, 1000 * n, arm__psci_suspend_param=cell(value), **more)
        for n, value in enumerate(values, start=1)
    ]
    return tree(cpu(0, range(1, len(values) + 1)), *states)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0x10000, 0x1010000), []),
        ((0x1, 0x10000), []),
        ((0x2, 0x40000003), []),
        ((0x2, 0x1000044), []),
        ((0x10000, 0x40000003), ["IS615"]),
        ((0x0004_0000, 0x1010000), ["IS615"]),
        # no firmware's: IS605
        ((0x10000, 0x8000_0000), []),
    ],
)
def test_formats_of_parameters(values: tuple[int, ...], expected: list[str]) -> None:
    assert codes(with_parameters(*values), "IS615") == expected


@pytest.mark.parametrize(
    ("value", "stops", "keeps"),
    [
        (0x1, ["IS617"], []),
        (0x10000, [], ["IS616"]),
        (0x4000_0003, [], ["IS616"]),
        (0x3, ["IS617"], []),
    ],
)
def test_type_of_a_state_against_the_timer(value: int, stops: list[str], keeps: list[str]) -> None:
    asked = ("IS616", "IS617")
    kept = with_parameters(value)
    assert codes(kept, *asked) == keeps
    assert codes(with_parameters(value, local_timer_stop=b""), *asked) == stops
    timer = Node("timer", {"compatible": b"arm,armv8-timer\0", "always-on": b""})
    running = replace(kept, children=(*kept.children, timer))
    assert codes(running, *asked) == []
    assert codes(with_parameters(value, status=b"disabled\0"), "IS616") == []


@pytest.mark.parametrize(
    ("value", "stops", "keeps"),
    [(0, ["IS617"], []), (0x1000_0000, ["IS617"], []), (1 << 31, [], ["IS616"])],
)
def test_type_of_a_state_of_riscv(value: int, stops: list[str], keeps: list[str]) -> None:
    def root(**more: bytes) -> Node:
        node = state(
            "s", 1, compatible=b"riscv,idle-state\0", riscv__sbi_suspend_param=cell(value), **more
        )
        hart = Node(
            "cpu@0",
            {"device_type": b"cpu\0", "riscv,isa": b"rv64\0", "cpu-idle-states": u32_array([1])},
        )
        return tree(hart, node)

    assert codes(root(), "IS616", "IS617") == keeps
    assert codes(root(local_timer_stop=b""), "IS616", "IS617") == stops


def test_two_states_with_one_parameter() -> None:
    assert codes(with_parameters(0x10000, 0x1010000, 0x10000), "IS618") == ["IS618"]
    assert codes(tree(cpu(0, [1]), cpu(1, [2]), SLEEP, state("b", 2)), "IS618") == []
    same = {"arm__psci_suspend_param": cell(7)}
    states = (level("a", 2, 1, 1, 10, **same), level("b", 3, 2, 2, 20, **same))
    assert codes(hierarchy(SLEEP, *states, cluster=[2], system=[3]), "IS618") == []
    assert codes(hierarchy(SLEEP, *states, cluster=[2, 3]), "IS618") == ["IS618"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0x4100_0023, 0x4100_0043, 0x4100_0053), []),
        ((0x4100_0043, 0x4100_0023, 0x4100_0053), ["IS630"]),
        ((0x1000_0000, 0x0101_0000), []),  # no firmware's: IS605
        ((0x4000_0003, 0x4000_0003), []),  # IS618
        ((0x4000_0003, 0x0000_0001), []),  # one keeps the CPU powered
        ((0x0101_0000, 0x0001_0000), ["IS630"]),
    ],
)
def test_parameters_grow_with_depth(values: tuple[int, ...], expected: list[str]) -> None:
    assert codes(with_parameters(*values), "IS630") == expected
    off = with_parameters(*values, status=b"disabled\0")
    assert codes(off, "IS630") == []


def test_order_of_parameters_is_left_to_the_times_where_these_are_out_of_order() -> None:
    states = [
        level(name, n, *times, arm__psci_suspend_param=cell(value))
        for name, n, times, value in (
            ("gdhs", 2, (240, 280, 806), 0x4100_0043),
            ("retention", 3, (700, 650, 1972), 0x4100_0023),
        )
    ]
    assert codes(hierarchy(SLEEP, *states, cluster=[2, 3]), "IS630") == ["IS630"]
    swapped = hierarchy(SLEEP, *states, cluster=[3, 2])
    assert codes(swapped, "IS204", "IS205", "IS630") == ["IS204", "IS205"]
    assert codes(hierarchy(SLEEP, *states, cluster=[2], system=[3]), "IS630") == []
    deep_first = with_parameters(0x0001_0000, 0x0101_0000).children
    listed = replace(deep_first[0], children=(cpu(0, [2, 1]),))
    wrong = replace(with_parameters(), children=(listed, *deep_first[1:]))
    assert codes(wrong, "IS204", "IS630") == ["IS204"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (b"psci\0", []),
        (b"arm,psci\0", ["IS629"]),
        (b"psci\0arm,psci\0", ["IS629"]),
        (b"", ["IS629"]),
    ],
)
def test_entry_method_is_psci(method: bytes, expected: list[str]) -> None:
    folder = Node("idle-states", {"entry-method": method}, (SLEEP,))
    assert codes(tree(cpu(0, [1]), cpu(1, [1]), folder), "IS629") == expected
    spin = cpu(0, [1], enable_method=b"spin-table\0")
    assert codes(tree(spin, folder), "IS629") == []


@pytest.mark.parametrize(
    ("own", "above", "expected"),
    [
        (0x4000_0003, 0x4100_0033, None),
        (0x4000_0003, 0x4100_0044, "note"),
        (0x4000_0003, 0x0100_0033, "warning"),
        (0x0000_0004, 0x0100_0054, None),
        (0x0001_0000, 0x0101_0000, None),
        (0x0001_0000, 0x0001_0001, "warning"),
        (0x0001_0000, 0x0100_0000, "warning"),
        (0x0000_0001, 0x0101_0002, None),
    ],
)
def test_a_domains_parameter_says_what_its_cpus_do(
    own: int, above: int, expected: str | None
) -> None:
    sleep = state("sleep", 1, arm__psci_suspend_param=cell(own))
    off = level("off", 2, arm__psci_suspend_param=cell(above))
    told = found(hierarchy(sleep, off, cluster=[2]), "IS619")
    assert [str(finding.severity) for finding in told] == ([expected] if expected else [])


def test_a_domains_bad_parameter_is_found() -> None:
    off = partial(level, "off", 2, arm__psci_suspend_param=cell(1 << 31))
    assert codes(hierarchy(SLEEP, off(), cluster=[2]), "IS605") == ["IS605"]
    disabled = off(status=b"disabled\0")
    assert codes(hierarchy(SLEEP, disabled, cluster=[2]), "IS605") == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("cluster-sleep", 0x10001, ["IS620"]),
        ("cluster-sleep", 0x1010001, []),
        ("cpu-sleep", 0x10001, []),
        ("cluster-sleep", 0x4000_0001, []),
        # of either format
        ("cluster-sleep", 0x1, []),
    ],
)
def test_a_clusters_state_is_of_a_level(name: str, value: int, expected: list[str]) -> None:
    node = state(name, 1, arm__psci_suspend_param=cell(value))
    assert codes(tree(cpu(0, [1]), node), "IS620") == expected


# power domains


@pytest.mark.parametrize("first", ["psci", "perf"])
@pytest.mark.parametrize("states", [True, False])
def test_states_are_read_from_the_first_domain(first: str, states: bool) -> None:
    psci = Node(
        "psci",
        {"compatible": b"arm,psci-1.0\0"},
        (domain("own", LEVEL, [1] if states else []),),
    )
    perf = domain("perf", LEVEL + 1, [])
    order = [LEVEL, LEVEL + 1] if first == "psci" else [LEVEL + 1, LEVEL]
    names = b"psci\0perf\0" if first == "psci" else b"perf\0psci\0"
    member = cpu(0, [2], power_domains=u32_array(order), power_domain_names=names)
    root = tree(member, SLEEP, state("wait", 2, 1, 1, 10), psci, perf)
    expected = ["IS621"] if states and first == "perf" else []
    assert codes(root, "IS621") == expected
    # before, power domains are not looked at
    assert codes(root, "IS621", kernels=["5.5"]) == []


def test_states_that_depend_on_the_mode_are_told_once() -> None:
    off = level("off", 2, 300, 400, 5000)
    (finding,) = found(hierarchy(SLEEP, off, cluster=[2]), "IS622")
    assert finding.severity is Severity.NOTE
    (table,) = tables(hierarchy(SLEEP, off, cluster=[2]))
    without = Subject(table, (release(NEWEST),), parse_platform("psci-mode=pc"))
    (finding,) = run(without, selection=RuleSelection(("IS622",)))
    assert finding.severity is Severity.WARNING
    assert finding.message == "off: never entered: firmware has no OS-initiated mode"
    assert codes(tree(cpu(0, [1]), SLEEP), "IS622") == []
    disabled = level("off", 2, 300, 400, 5000, status=b"disabled\0")
    assert codes(hierarchy(SLEEP, disabled, cluster=[2]), "IS622") == []


# values that a kernel alters


def test_a_sum_of_latencies_wraps_at_32_bits() -> None:
    for entry, fires in ((2**32 - 201, []), (2**32 - 200, ["IS624"])):
        assert codes(tree(cpu(0, [1]), state("sleep", 1, entry, 200, 3000)), "IS624") == fires
    given = state("sleep", 1, 2**32 - 200, 200, 3000, wakeup_latency_us=cell(300))
    assert codes(tree(cpu(0, [1]), given), "IS624") == []


@pytest.mark.parametrize(
    ("kernel", "residency", "latency"),
    [
        ("5.4", [], []),
        ("5.5", ["IS625"], ["IS625"]),
        ("6.8", ["IS625"], ["IS625"]),
        ("6.9", ["IS625"], []),
    ],
)
def test_times_wrap_in_32_bits(kernel: str, residency: list[str], latency: list[str]) -> None:
    for us, fires in ((4294967, []), (4294968, residency)):
        root = tree(cpu(0, [1]), state("sleep", 1, 100, 200, us))
        assert codes(root, "IS625", kernels=[kernel]) == fires
    for entry, fires in ((4294767, []), (4294768, latency)):
        root = tree(cpu(0, [1]), state("sleep", 1, entry, 200, 3000))
        assert codes(root, "IS625", kernels=[kernel]) == fires


def test_names_are_alike_after_15_characters() -> None:
    for names, fires in (
        (("cluster-sleep-1a", "cluster-sleep-2a"), []),
        (("cluster-sleep-0-a", "cluster-sleep-0-b"), ["IS626"]),
        (("cluster-sleep-0", "cluster-sleep-0-b"), ["IS626"]),
    ):
        nodes = [state(name, number) for number, name in enumerate(names, 1)]
        assert codes(tree(cpu(0, [1, 2]), *nodes), "IS626") == fires
        # in lists of different CPUs, sysfs shows them apart
        assert codes(tree(cpu(0, [1]), cpu(1, [2]), *nodes), "IS626") == []


def test_a_property_one_letter_off_is_named_with_what_linux_reads() -> None:
    misspelt = Node("sleep", {**SLEEP.properties, "local-timer-stops": b""})
    (only,) = found(tree(cpu(0, [1]), misspelt), "IS627")
    assert "local-timer-stops of sleep; write local-timer-stop" in only.message
    assert codes(tree(cpu(0, [1], cpu_idle_stats=cell(1)), SLEEP), "IS627") == []  # both there
    assert codes(tree(cpu(0, [1], power_domains_names=b"psci\0"), SLEEP), "IS627") == ["IS627"]
    assert codes(tree(cpu(0, [1], clocks=b"", capacity_dmips=cell(1)), SLEEP), "IS627") == []


def test_a_cpu_has_to_name_the_power_domain_of_its_states() -> None:
    named = hierarchy(SLEEP)
    assert codes(named, "IS628") == []
    cpus = named.children[0]
    without = {
        name: value
        for name, value in cpus.children[0].properties.items()
        if name != "power-domain-names"
    }
    unnamed = replace(cpus, children=(replace(cpus.children[0], properties=without),))
    unnamed_tree = replace(named, children=(unnamed, *named.children[1:]))
    (only,) = found(unnamed_tree, "IS628")
    assert 'power-domain-names = "psci"' in only.message
    assert only.location.path.endswith("cpu@0:power-domains")
    clocks = replace(cpus.children[0], properties={**without, "power-domain-names": b"perf\0"})
    perf = replace(named, children=(replace(cpus, children=(clocks,)), *named.children[1:]))
    assert codes(perf, "IS628") == ["IS628"]
    foreign = {**without, "power-domains": cell(1)}
    elsewhere = replace(cpus, children=(replace(cpus.children[0], properties=foreign),))
    assert codes(replace(named, children=(elsewhere, *named.children[1:])), "IS628") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('min-residency-us = <2000>;\n status = "okay";\n };\n', ["IS632"]),
        ('status = "ok";\n min-residency-us = <2000>;\n };\n', ["IS632"]),
        ('min-residency-us = <2000>;\n status = "disabled";\n };\n', []),
        ("min-residency-us = <2000>;\n };\n", []),
        # a chip's file disables it, its board enables it
        (
            'min-residency-us = <2000>;\n status = "disabled";\n };\n'
            '};\n&sleep {\n status = "okay";\n};\n/ {\n',
            [],
        ),
    ],
)
def test_status_of_a_state_is_needed_to_enable_it_again(
    tmp_path: Path, dtc: str, text: str, expected: list[str]
) -> None:
    start, _, end = ONE_STATE.partition("min-residency-us = <2000>;\n    };\n")
    subject = dts(start + text + end, tmp_path)
    assert [each.rule for each in run(subject, selection=RuleSelection(("IS632",)))] == expected
