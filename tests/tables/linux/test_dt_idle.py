"""Idle-state nodes of Arm and RISC-V trees: lists, tables, what each kernel registers of them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Severity, Unreadable
from idle_states.base.model.power_mgt import u32_array
from idle_states.base.model.table import Cpu, IdleTable
from idle_states.cli import main
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import dts, fdt, idle_nodes
from idle_states.tables.devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.diff.tables import diff
from idle_states.tables.linux import dt_idle, register
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.dt_idle_features import features
from idle_states.tables.linux.releases import all_releases, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.sources import read_source, read_sources
from idle_states.tables.spec import registry
from tests.support.thorough import examples

NEWEST = "6.12"
Properties = Mapping[str, bytes]


def cell(value: int) -> bytes:
    return u32_array([value])


def state(
    name: str, phandle: int, entry: int = 100, leave: int = 200, least: int = 1000, **more: bytes
) -> Node:
    """An idle state; properties by name with _ for -, , for __; empty bytes leave one out."""
    properties = {
        "compatible": b"arm,idle-state\0",
        "phandle": cell(phandle),
        "arm,psci-suspend-param": cell(phandle),
        ENTRY: cell(entry),
        EXIT: cell(leave),
        RESIDENCY: cell(least),
    }
    for key, value in more.items():
        properties[key.replace("__", ",").replace("_", "-")] = value
    return Node(name, {key: value for key, value in properties.items() if value != b"gone"})


def cpu(number: int, phandles: Sequence[int] | None, **more: bytes) -> Node:
    properties = {"device_type": b"cpu\0", "enable-method": b"psci\0"}
    if phandles is not None:
        properties["cpu-idle-states"] = u32_array(phandles)
    for key, value in more.items():
        properties[key.replace("__", ",").replace("_", "-")] = value
    return Node(f"cpu@{number}", properties)


def tree(*nodes: Node) -> Node:
    """CPUs under /cpus, everything else below the root."""
    cpus = tuple(node for node in nodes if node.name.startswith("cpu@"))
    others = tuple(node for node in nodes if not node.name.startswith("cpu@"))
    return Node("", {}, (Node("cpus", {}, cpus), *others))


def tables(root: Node) -> list[IdleTable]:
    return [
        idle_nodes.table_of(listed, "dtb", "x.dtb", "")
        for listed in idle_nodes.lists_of(root, "x.dtb")
    ]


def driver(root: Node, kernel: str = NEWEST, which: int = 0) -> DriverTable:
    return register(None, Cpu(registry.named("power9")), release(kernel), tables(root)[which])


def held(found: DriverTable) -> list[tuple[int, str, int, int]]:
    return [(s.index, s.name, s.exit_latency_us, s.target_residency_us) for s in found.states]


def causes(found: DriverTable) -> list[tuple[str, str]]:
    return [(lost.state, lost.cause) for lost in found.lost]


TWO = (state("sleep", 1), state("off", 2, 500, 700, 5000, local_timer_stop=b""))


def test_states_are_registered_behind_wfi_in_the_lists_order() -> None:
    found = driver(tree(cpu(0, [2, 1]), *TWO))
    assert held(found) == [(0, "WFI", 1, 1), (1, "off", 1200, 5000), (2, "sleep", 300, 1000)]
    assert [s.timer_stop for s in found.states] == [False, True, False]
    assert [s.source for s in found.states] == [None, 0, 1]
    assert found.lost == ()


def test_table_has_the_lists_rows_in_nanoseconds() -> None:
    (table,) = tables(tree(cpu(0, [1, 2]), cpu(1, [1, 2]), *TWO))
    assert [(s.name, s.latency_ns, s.residency_ns) for s in table.states] == [
        ("sleep", 300_000, 1_000_000),
        ("off", 1_200_000, 5_000_000),
    ]
    assert table.name == "/cpus/cpu@0"
    assert table.title == "2 CPUs, cpu@0 to cpu@1"
    assert table.states[0].where["residency"].path == f"/sleep:{RESIDENCY}"


def test_wakeup_latency_stands_for_entry_and_exit() -> None:
    node = state("sleep", 1, wakeup_latency_us=cell(250))
    assert held(driver(tree(cpu(0, [1]), node)))[1] == (1, "sleep", 250, 1000)
    bare = replace(
        node, properties={k: v for k, v in node.properties.items() if k not in (ENTRY, EXIT)}
    )
    assert held(driver(tree(cpu(0, [1]), bare)))[1] == (1, "sleep", 250, 1000)


def test_entry_and_exit_wrap_in_u32() -> None:
    node = state("sleep", 1, 2**32 - 1, 3)
    assert held(driver(tree(cpu(0, [1]), node)))[1][2] == 2


def test_first_cell_counts_as_in_the_kernel() -> None:
    node = state("sleep", 1, min_residency_us=cell(7) + b"more")
    assert held(driver(tree(cpu(0, [1]), node)))[1][3] == 7


@pytest.mark.parametrize("gone", [ENTRY, EXIT, RESIDENCY])
@pytest.mark.parametrize("value", [b"gone", b"", b"\0\0\1"])
def test_missing_time_leaves_every_cpu_without_a_driver(gone: str, value: bytes) -> None:
    bad = state("off", 2, **{gone.replace("-", "_"): value})
    root = tree(cpu(0, [1]), cpu(1, [1, 2]), state("sleep", 1), bad)
    first, second = (driver(root, which=which) for which in (0, 1))
    assert first.states == second.states == ()
    assert causes(first) == [("sleep", "other-cpu")]
    assert causes(second) == [("sleep", "missing-time"), ("off", "missing-time")]
    assert second.lost[0].reason == f"no CPU has a driver: off has no {gone}"
    assert [m.text for m in second.messages] == [
        f"DT idle-states:  * /off missing {gone} property",
        "DT idle-states: Parsing idle state node /off failed with err -22",
    ]


def test_foreign_compatible_is_silent() -> None:
    root = tree(cpu(0, [1]), state("sleep", 1, compatible=b"domain-idle-state\0"))
    found = driver(root)
    assert (found.states, found.messages) == ((), ())
    assert causes(found) == [("sleep", "foreign-compatible")]
    old = driver(root, "4.19")
    assert [m.text for m in old.messages] == [
        "DT idle-states: Parsing idle state node /sleep failed with err -19"
    ]


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        (0, True), (0x0301_FFFF, True), (0x4FFF_FFFF, True), (0x4000_0003, True),
        (0x8000_0000, False), (0x3000_0000, False), (0x0400_0001, True), (0x4200_0000, True),
    ],
)  # fmt: skip
def test_psci_parameter(value: int, fine: bool) -> None:
    found = driver(tree(cpu(0, [1]), state("sleep", 1, arm__psci_suspend_param=cell(value))))
    known = not (value & ~0x0301_FFFF and value & ~0x4FFF_FFFF)
    assert known is fine
    assert bool(found.states) is fine
    if not fine:
        assert found.messages[0].text == f"CPUidle PSCI: Invalid PSCI power state {value:#x}"


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        (0, True), (1, False), (0x0FFF_FFFF, False), (0x1000_0000, True), (0x7FFF_FFFF, True),
        (0x8000_0000, True), (0x8000_0001, False), (0x8FFF_FFFF, False), (0x9000_0000, True),
    ],
)  # fmt: skip
def test_sbi_parameter(value: int, fine: bool) -> None:
    node = state("sleep", 1, compatible=b"riscv,idle-state\0", riscv__sbi_suspend_param=cell(value))
    hart = cpu(0, [1], compatible=b"sifive,u74\0riscv\0", riscv__isa=b"rv64\0")
    assert bool(driver(tree(hart, node)).states) is fine
    assert causes(driver(tree(hart, node), "5.17")) == [("sleep", "no-driver")]


def test_parameter_that_is_missing() -> None:
    found = driver(tree(cpu(0, [1]), state("sleep", 1, arm__psci_suspend_param=b"gone")))
    assert [m.text for m in found.messages] == [
        "CPUidle PSCI: /sleep missing arm,psci-suspend-param property",
        "CPUidle PSCI: CPU 0 failed to PSCI idle",
    ]
    other = cpu(0, [1], enable_method=b"qcom,kpss-acc-v2\0")
    assert driver(tree(other, state("sleep", 1, arm__psci_suspend_param=b"gone"))).states


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("5.0", "psci:  * /sleep missing"),
        ("rhel-4.18.0-348", "psci:  * /sleep missing"),
        ("5.2", "psci: /sleep missing"),
        ("5.4", "CPUidle PSCI: /sleep missing"),
    ],
)
def test_who_reports_a_parameter_that_is_missing(kernel: str, said: str) -> None:
    node = state("sleep", 1, arm__psci_suspend_param=b"gone")
    found = driver(tree(cpu(0, [1]), node), kernel)
    assert [m.text for m in found.messages][:1] == [f"{said} arm,psci-suspend-param property"]


def test_cpus_of_a_spin_table_have_no_driver() -> None:
    found = driver(tree(cpu(0, [1], enable_method=b"spin-table\0"), *TWO), "5.0")
    assert causes(found)[0] == ("sleep", "no-suspend")
    assert [m.text for m in found.messages] == ["CPUidle arm: CPU 0 failed to init idle CPU ops"]


@pytest.mark.parametrize(
    ("kernel", "states", "messages"),
    [
        ("rhel-4.18.0-348.23.1", 2, []),
        ("rhel-4.18.0-372.9.1", 0, ["CPUidle arm: CPU 0 failed to init idle CPU ops"]),
        ("rhel-5.14.0-70.30.1", 0, []),
        ("rhel-5.14.0-162.6.1", 2, []),
    ],
)
def test_builds_of_rhel_without_a_driver_for_psci(
    kernel: str, states: int, messages: list[str]
) -> None:
    """8.6 took PSCI's code of Linux 5.4 without the driver that came with it; 9.0 is configured
    without."""
    found = driver(tree(cpu(0, [1]), state("sleep", 1)), kernel)
    assert len(found.states) == states
    assert [m.text for m in found.messages] == messages
    reasons = ["this kernel is built without a driver that enters PSCI's idle states"]
    assert [lost.reason for lost in found.lost] == reasons * (not states)


def test_rhel_8_3_takes_parameters_from_the_cpu_not_from_its_power_domain() -> None:
    """Its parser of nodes is 5.6's, PSCI's code 4.18's."""
    own = state("deep", 3, 500, 700, 9000)
    domain = {"phandle": cell(40), "#power-domain-cells": cell(0)}
    pd = Node("pd", domain | {"domain-idle-states": u32_array([3, 3])})
    one = cpu(0, [1], power_domains=cell(40), power_domain_names=b"psci\0")
    found = driver(tree(one, state("sleep", 1), own, pd), "rhel-4.18.0-240")
    assert [(s.name, s.parameter) for s in found.states[1:]] == [("deep", 1), ("deep", None)]
    (changed, *_) = found.changed
    assert (changed.before, changed.after) == ("0x3", "0x1")


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        (([1, 2],), True),
        (([2, 1],), False),
        (([1], [2]), True),
        (([2], [1]), False),
        (([1, 2], [2, 1]), True),
        (([2, 1], [1, 2]), False),
    ],
)
def test_first_cpus_first_state_decides_whether_psci_says_that_it_failed(
    lists: tuple[list[int], ...], said: bool
) -> None:
    """dt_idle_state_present(): without it, no faux device is made whose creation could fail."""
    foreign = state("odd", 2, compatible=b"vendor,idle-state\0")
    root = tree(*(cpu(number, each) for number, each in enumerate(lists)), TWO[0], foreign)
    for which in range(len(lists)):
        found = driver(root, "6.16", which)
        assert found.states == ()
        assert (dt_idle.FAUX_FAILED in found.messages) == said
        assert dt_idle.FAUX_FAILED not in driver(root, "6.15", which).messages


def test_disabled_state_is_passed_over_and_shifts_parameters() -> None:
    nodes = (state("a", 1, status=b"disabled\0"), state("b", 2), state("c", 3))
    found = driver(tree(cpu(0, [1, 2, 3]), *nodes))
    assert [name for _, name, _, _ in held(found)] == ["WFI", "b", "c"]
    assert causes(found) == [("a", "disabled")]
    assert [(c.state, c.before, c.after) for c in found.changed] == [
        ("b", "0x2", "0x1"),
        ("c", "0x3", "0x2"),
    ]
    last = driver(tree(cpu(0, [2, 3, 1]), *nodes))
    assert last.changed == ()


def test_all_disabled_is_no_driver() -> None:
    root = tree(cpu(0, [1]), state("a", 1, status=b"disabled\0"))
    assert driver(root).states == ()
    assert held(driver(root, "5.10")) == [(0, "WFI", 1, 1)]


@pytest.mark.parametrize("status", [b"okay\0", b"ok\0", b"okay"])
def test_status_that_is_okay(status: bytes) -> None:
    assert driver(tree(cpu(0, [1]), state("a", 1, status=status))).states


def test_cpuidle_has_room_for_ten() -> None:
    nodes = [state(f"s{number}", number) for number in range(1, 13)]
    found = driver(tree(cpu(0, range(1, 13)), *nodes))
    assert len(found.states) == 10
    assert causes(found) == [(f"s{number}", "beyond-ten") for number in (10, 11, 12)]
    assert "State index reached" in found.messages[0].text


def test_names_are_cut_to_fifteen_and_have_no_address() -> None:
    found = driver(tree(cpu(0, [1]), state("a-name-that-is-too-long@7", 1)))
    assert found.states[1].name == "a-name-that-is-"
    assert [(c.field, c.after) for c in found.changed] == [("name", "a-name-that-is-")]


def test_cpus_with_other_lists_have_tables_of_their_own() -> None:
    root = tree(cpu(0, [1]), cpu(1, [1, 2]), cpu(2, [1]), *TWO)
    little, big = tables(root)
    assert little.origin.form == "nodes"
    assert little.origin.cpus == ("/cpus/cpu@0", "/cpus/cpu@2")
    assert len(driver(root, which=0).states) == 2
    assert len(driver(root, which=1).states) == 3
    assert big.name == "/cpus/cpu@1"


def test_before_4_13_the_first_cpus_list_is_for_all() -> None:
    root = tree(cpu(0, [1]), cpu(1, [1, 2]), *TWO)
    found = driver(root, "4.11", which=1)
    assert held(found) == [(0, "WFI", 1, 1), (1, "sleep", 300, 1000)]
    assert causes(found) == [("off", "other-list")]
    assert causes(driver(tree(cpu(0, [2]), cpu(1, [1]), *TWO), "4.11")) == [
        ("off", "unequal-lists")
    ]
    assert driver(tree(cpu(0, [2]), cpu(1, [1]), *TWO), "4.14").states


def test_cpu_without_states_takes_the_drivers_of_all() -> None:
    root = tree(cpu(0, [1]), cpu(1, None), *TWO)
    found = driver(root)
    assert found.states == ()
    assert causes(found) == [("sleep", "other-cpu")]
    assert "cpu@1 gets no driver" in found.lost[0].reason
    assert driver(tree(cpu(0, [1]), cpu(1, None, status=b"fail\0"), *TWO)).states


def test_kernels_from_before_the_binding_have_no_driver() -> None:
    root = tree(cpu(0, [1, 2]), *TWO)
    assert causes(driver(root, "3.17")) == [("sleep", "no-driver"), ("off", "no-driver")]
    for kernel in all_releases():
        found = driver(root, kernel.name)
        known = features(kernel)
        has_driver = kernel.version >= (3, 18) and (known.psci or known.generic)
        assert len(found.states) == (3 if has_driver else 0)
        assert len(found.lost) + max(0, len(found.states) - 1) == 2


# power domains

DOMAIN = {"#power-domain-cells": cell(0)}


def hierarchy(**own: bytes) -> Node:
    """A CPU in a domain of its own within a cluster's."""
    return tree(
        cpu(0, None, power_domains=cell(10)),
        state("sleep", 1),
        state("cluster", 2, compatible=b"domain-idle-state\0"),
        Node(
            "cpu-pd",
            {
                "phandle": cell(10),
                "domain-idle-states": cell(1),
                "power-domains": cell(11),
                **DOMAIN,
                **own,
            },
        ),
        Node("cluster-pd", {"phandle": cell(11), "domain-idle-states": cell(2), **DOMAIN}),
    )


def test_states_of_a_cpus_own_domain_are_cpuidles() -> None:
    found = driver(hierarchy())
    assert held(found) == [(0, "WFI", 1, 1), (1, "sleep", 300, 1000)]
    assert causes(found) == [("cluster", "domain-state")]
    (table,) = tables(hierarchy())
    assert [(s.name, s.cpuidle) for s in table.states] == [("sleep", True), ("cluster", False)]


def test_before_5_6_power_domains_are_not_looked_at() -> None:
    found = driver(hierarchy(), "5.5")
    assert found.states == ()
    assert causes(found) == [("sleep", "no-list"), ("cluster", "domain-state")]


def test_own_domain_comes_before_the_flat_list() -> None:
    nodes = [node for node in hierarchy().children if node.name != "cpus"]
    both = tree(cpu(0, [3, 4], power_domains=cell(10)), *nodes, state("x", 3), state("y", 4))
    assert [name for _, name, _, _ in held(driver(both))] == ["WFI", "sleep", "y"]
    old = driver(both, "5.5")
    assert [(s.name, s.source) for s in old.states] == [("WFI", None), ("x", None), ("y", 1)]


def test_domains_that_go_round_in_circles_end() -> None:
    loop = Node(
        "cluster-pd",
        {"phandle": cell(11), "domain-idle-states": cell(2), "power-domains": cell(10), **DOMAIN},
    )
    nodes = [node for node in hierarchy().children if node.name not in ("cpus", "cluster-pd")]
    root = tree(cpu(0, None, power_domains=cell(10)), *nodes, loop)
    assert causes(driver(root)) == [("cluster", "domain-state")]
    own = Node(
        "self",
        {"phandle": cell(20), "power-domains": cell(20), "domain-idle-states": cell(1), **DOMAIN},
    )
    assert len(driver(tree(cpu(0, None, power_domains=cell(20)), own, state("s", 1))).states) == 2


# what is broken


@pytest.mark.parametrize(
    ("data", "index", "reason"),
    [
        (cell(1) + cell(99) + cell(2), 1, "phandle 0x63 is no node's"),
        (cell(0) + cell(1), 0, "a phandle of 0"),
        (cell(1) + b"\0\0", 1, "6 bytes are no whole number of phandles"),
        (b"\0", 0, "1 bytes are no whole number of phandles"),
    ],
)
def test_list_ends_where_a_reference_leads_nowhere(data: bytes, index: int, reason: str) -> None:
    root = tree(cpu(0, None, cpu_idle_states=data), *TWO)
    (table,) = tables(root)
    assert table.origin.form == "nodes"
    assert [(one.index, one.reason) for one in table.origin.broken] == [(index, reason)]
    assert len(table.states) == index
    found = run(Subject(table, [release(NEWEST)]))
    assert [f.rule for f in found if f.rule == "IS603"] == ["IS603"]


def test_empty_list_is_a_cpu_without_states() -> None:
    assert tables(tree(cpu(0, []), *TWO)) == []


def test_reference_to_the_list_itself_and_to_a_cpu() -> None:
    root = tree(cpu(0, [7], phandle=cell(7)))
    (table,) = tables(root)
    assert table.states[0].name == "cpu"
    assert causes(driver(root)) == [("cpu", "foreign-compatible")]


def test_ten_thousand_nodes_are_read() -> None:
    nodes = [state(f"s{number}", number) for number in range(1, 5001)]
    cpus = [cpu(number, [1, 2, 3]) for number in range(5000)]
    (table,) = tables(tree(*cpus, *nodes))
    assert run(Subject(table, [release(NEWEST)])) is not None
    assert table.origin.form == "nodes"
    assert len(table.origin.cpus) == 5000


def test_limits() -> None:
    with pytest.raises(Unreadable, match="at most 1024 states"):
        tables(tree(cpu(0, [1] * 1025), *TWO))
    many = [cpu(number, [1] * (number + 1)) for number in range(65)]
    with pytest.raises(Unreadable, match="at most 64 different lists"):
        tables(tree(*many, *TWO))


# sources

ARM = """\
/dts-v1/;
/ {
    cpus {
        #address-cells = <1>;
        #size-cells = <0>;
        cpu@0 {
            device_type = "cpu";
            reg = <0>;
            compatible = "arm,cortex-a53";
            enable-method = "psci";
            cpu-idle-states = <&sleep>;
        };
        idle-states {
            sleep: cpu-sleep {
                compatible = "arm,idle-state";
                arm,psci-suspend-param = <0x10000>;
                entry-latency-us = <40>;
                exit-latency-us = <100>;
                min-residency-us = <150>;
                local-timer-stop;
            };
        };
    };
};
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.dts"
    path.write_text(ARM)
    return path


@pytest.mark.usefixtures("dtc")
def test_source_has_lines(arm: Path) -> None:
    source = read_source(str(arm))
    assert source.table
    (row,) = source.table.states
    lines = ARM.splitlines()
    for field, text in (
        ("state", "sleep: cpu-sleep"),
        ("latency", "exit-lat"),
        ("residency", "min-"),
    ):
        line = row.where[field].line
        assert line
        assert text in lines[line - 1]


@pytest.mark.usefixtures("dtc")
def test_dtb_directory_and_source_are_the_same_table(arm: Path, tmp_path: Path) -> None:
    root = dts.read(ARM, "x")
    (tmp_path / "a.dtb").write_bytes(fdt.write(root))
    base = tmp_path / "tree"
    for path, node in root.walk():
        (base / path[1:]).mkdir()
        for name, value in node.properties.items():
            (base / path[1:] / name).write_bytes(value)
    found = [read_source(str(path)).table for path in (arm, tmp_path / "a.dtb", base)]
    assert found[0] == found[1]
    assert found[0]
    assert found[2]
    assert found[0].same_values(found[2])


@pytest.mark.usefixtures("dtc")
def test_commands_take_an_arm_tree(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(arm), "--kernel", "6.12"]) == 0
    text = capsys.readouterr().out
    assert "registers 2 states: WFI and cpu-sleep; WFI is 1/1 us" in text
    assert "1: 140/150 us" in text
    assert "SAVES" not in text
    assert main(["check", str(arm), "--kernel", "6.12", "--notes"]) == 0
    assert "0 errors, 0 warnings and 0 notes" in capsys.readouterr().out
    assert main(["select", f"{arm}:cpu@0", "--kernel", "6.12", "--governor", "teo"]) == 0
    assert "cpu-sleep" in capsys.readouterr().out
    assert main(["show", str(arm), "--kernel", "6.12", "--format", "json"]) == 0


@pytest.mark.usefixtures("dtc")
def test_trees_are_compared_by_what_linux_reads(arm: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.dts"
    other.write_text(ARM.replace("<0x10000>", "<0x20000>").replace("local-timer-stop;", ""))
    a, b = (read_source(str(path)) for path in (arm, other))
    found = diff(a, b, [release(NEWEST)], parse_platform("all-levels"))
    assert [(d.path, d.a, d.b) for d in found] == [
        ("states.cpu-sleep.timer-stop", "yes", "no"),
        ("states.cpu-sleep.arm,psci-suspend-param", "0x10000", "0x20000"),
    ]


def test_tree_without_idle_states_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "a.dtb"
    path.write_bytes(fdt.write(tree(cpu(0, None))))
    (source,) = read_sources(str(path))
    assert source.table is None
    assert [finding.rule for finding in source.findings] == ["IS601"]
    assert main(["check", str(path)]) == 0


def test_states_that_no_cpu_lists_and_a_misspelt_list_are_warnings(tmp_path: Path) -> None:
    path = tmp_path / "a.dtb"
    misspelt = replace(
        cpu(0, None), properties={**cpu(0, None).properties, "cpu-idle-state": cell(1)}
    )
    path.write_bytes(fdt.write(tree(misspelt, state("sleep", 1))))
    (source,) = read_sources(str(path))
    warned = [each for each in source.findings if each.severity is Severity.WARNING]
    assert [each.rule for each in warned] == ["IS613", "IS627"]
    assert "write cpu-idle-states" in warned[1].message
    assert main(["check", str(path), "--fail-on", "warning"]) == 1


@settings(deadline=None, max_examples=examples(25, 100))
@given(at=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_damaged_tree_is_read_or_refused(
    at: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(fdt.write(hierarchy()))
    data[at % len(data)] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.dtb"
    path.write_bytes(data)
    with suppress(Unreadable):
        check(read_sources(str(path)), Criteria((release(NEWEST),)))
