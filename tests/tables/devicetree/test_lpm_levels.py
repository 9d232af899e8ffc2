"""Qualcomm's qcom,lpm-levels, in its three forms, as Linux's bindings have them."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.model.power_mgt import u32_array
from idle_states.cli import main
from idle_states.tables.devicetree import fdt, lpm_levels
from idle_states.tables.devicetree.lpm_levels import Energy, break_even, least_residencies
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.sources import read_sources

Values = dict[str, int | str]


def node(name: str, values: Values, *children: Node) -> Node:
    made = {
        k: u32_array([v]) if isinstance(v, int) else f"{v}\0".encode() for k, v in values.items()
    }
    made = {k: b"" if v == b"\0" else v for k, v in made.items()}
    return Node(name, made, children)


def energy(latency: int, power: int, used: int, time: int) -> Values:
    words = "latency-us", "ss-power", "energy-overhead", "time-overhead"
    return dict(zip((f"qcom,{w}" for w in words), (latency, power, used, time), strict=True))


def times(entry: int, leave: int, residency: int, prefix: str = "qcom,") -> Values:
    words = "entry-latency-us", "exit-latency-us", "min-residency-us"
    return dict(zip((prefix + w for w in words), (entry, leave, residency), strict=True))


def level(number: int, label: str, mode: int, values: Values, **more: int | str) -> Node:
    words = {k.replace("_", "-"): v for k, v in more.items()}
    own = {"reg": number, "label": label, "qcom,psci-cpu-mode": mode, **values}
    return node(
        f"qcom,pm-cpu-level@{number}", {**own, **{f"qcom,{k}": v for k, v in words.items()}}
    )


def cluster_level(number: int, label: str, mode: int, values: Values, reset: bool = True) -> Node:
    own: Values = {"reg": number, "label": label, "qcom,psci-mode": mode, **values}
    more: Values = {"qcom,is-reset": "", "qcom,min-child-idx": 1} if reset else {}
    return node(f"qcom,pm-cluster-level@{number}", {**own, **more})


def cluster(number: int, shift: int, *children: Node, **more: bytes) -> Node:
    mask = {"qcom,psci-mode-shift": shift, "qcom,psci-mode-mask": 0xFFF if shift == 4 else 0xF}
    made = node(f"qcom,pm-cluster@{number}", dict(mask), *children)
    words = {k.replace("_", ","): v for k, v in more.items()}
    return Node(made.name, {**made.properties, **words}, made.children)


def cpus(*phandles: int) -> Node:
    listed = [
        node(
            f"cpu@{number}",
            {"device_type": "cpu", "reg": number, "enable-method": "psci", "phandle": phandle},
        )
        for number, phandle in enumerate(phandles)
    ]
    return Node("cpus", {"#address-cells": u32_array([1]), "#size-cells": b"\0" * 4}, tuple(listed))


def tree(top: Node, *phandles: int, **more: bytes) -> Node:
    levels = Node("qcom,lpm-levels", {"compatible": b"qcom,lpm-levels\0", **more}, (top,))
    psci = Node("psci", {"compatible": b"arm,psci-1.0\0", "method": b"smc\0"})
    return Node("", {}, (cpus(*phandles), psci, Node("soc", {}, (levels,))))


def rows(root: Node, tmp_path: Path) -> dict[str, list[tuple[str, int, int | None, int]]]:
    """Name of a CPU -> (state, exit latency and residency in us, parameter)."""
    place = tmp_path / "x.dtb"
    place.write_bytes(fdt.write(root))
    found = {}
    for source in read_sources(str(place)):
        assert source.table is not None
        assert source.tree is not None
        nodes = {n.name: n for _, n in source.tree.walk()}
        found[source.name] = [
            (
                state.name,
                state.latency_ns // 1000,
                state.residency_ns and state.residency_ns // 1000,
                nodes[state.name].u32("arm,psci-suspend-param") or 0,
            )
            for state in source.table.states
        ]
    return found


def two_groups(*levels: tuple[Node, ...], **more: bytes) -> Node:
    groups = [
        Node(f"qcom,pm-cpu@{n}", {"qcom,cpu": u32_array([7 + n])}, each)
        for n, each in enumerate(levels)
    ]
    system = (
        cluster_level(0, "l3-wfi", 1, times(48, 51, 99), reset=False),
        cluster_level(1, "llcc-off", 0xC24, times(3263, 6562, 9987)),
    )
    return tree(cluster(0, 4, *system, *groups), 7, 8, **more)


def test_latencies_and_residencies_are_taken_over(tmp_path: Path) -> None:
    """The figures of SM8150: in Linux's sm8150.dtsi cpu-sleep-0-0 and -1-0 and cluster-sleep-0."""
    little = (
        level(0, "wfi", 1, times(57, 43, 100)),
        level(1, "rail-pc", 4, times(355, 909, 3934), is_reset="", use_broadcast_timer=""),
    )
    big = (little[0], level(1, "rail-pc", 4, times(241, 1461, 4488), is_reset=""))
    deep = ("cluster-llcc-off", 9825, 9987, 0x4100C244)
    assert rows(two_groups(little, big), tmp_path) == {
        "/cpus/cpu@0": [("cpu-rail-pc-0", 1264, 3934, 0x40000004), deep],
        "/cpus/cpu@1": [("cpu-rail-pc-1", 1702, 4488, 0x40000004), deep],
    }


def test_energy_and_power_become_residencies_as_the_driver_reckons_them(tmp_path: Path) -> None:
    """The figures of SDM845, of which Linux's sdm845.dtsi has the cluster's."""
    levels = (
        level(0, "wfi", 1, energy(43, 150, 10000, 100)),
        level(1, "pc", 3, energy(461, 100, 400000, 500), is_reset=""),
        level(2, "rail-pc", 4, energy(531, 73, 500000, 600), is_reset=""),
    )
    system = (
        cluster_level(0, "l3-wfi", 1, energy(51, 452, 69355, 99), reset=False),
        cluster_level(1, "llcc-off", 0xC24, energy(6562, 108, 4000000, 5000)),
    )
    group = Node("qcom,pm-cpu@0", {}, levels)
    assert rows(tree(cluster(0, 4, *system, group), 7), tmp_path) == {
        "/cpus/cpu@0": [
            ("cpu-pc", 461, 5990, 0x40000003),
            ("cpu-rail-pc", 531, 3934, 0x40000004),
            ("cluster-llcc-off", 6562, 9987, 0x4100C244),
        ]
    }


def test_levels_that_are_idle_states_keep_their_parameter(tmp_path: Path) -> None:
    def own(number: int, name: str, values: Values, parameter: int) -> Node:
        words: Values = {"compatible": "arm,idle-state", "idle-state-name": name}
        words |= {"reg": number, "arm,psci-suspend-param": parameter, "qcom,psci-cpu-mode": 4}
        return node(f"qcom,pm-cpu-level@{number}", {**words, **values})

    # as a tree put together from /proc/device-tree may have them
    levels = (
        own(1, "rail-pc", times(360, 531, 3934, ""), 0x40000004),
        own(0, "wfi", times(57, 43, 100, ""), 1),
    )
    (first, *_) = rows(two_groups(levels, levels), tmp_path).values()
    assert first[0] == ("cpu-rail-pc-0", 891, 3934, 0x40000004)
    assert main(["check", str(tmp_path / "x.dtb"), "--select", "IS613", "--fail-on", "note"]) == 0


def test_clusters_within_clusters_add_a_level_of_affinity(tmp_path: Path) -> None:
    """The figures of MSM8998's modes. Its CPUs are named by their cluster."""
    levels = (
        level(0, "", 0, times(1, 1, 1)),
        level(1, "", 3, times(81, 86, 504), spm_cpu_mode="pc", is_reset=""),
    )
    inner = [
        cluster(
            n,
            4,
            cluster_level(0, f"{name}-l2-wfi", 1, times(1, 1, 1), reset=False),
            cluster_level(1, f"{name}-l2-pc", 4, times(800, 2118, 8078)),
            Node("qcom,pm-cpu", {}, tuple(without(each, "label") for each in levels)),
            qcom_cpu=u32_array([7 + n]),
        )
        for n, name in enumerate(("pwr", "perf"))
    ]
    top = (
        cluster_level(0, "system-wfi", 0, times(1, 1, 1), reset=False),
        cluster_level(1, "system-pc", 3, times(10831, 4506, 15338)),
    )
    found = rows(tree(cluster(0, 8, *top, *inner), 7, 8), tmp_path)
    assert found["/cpus/cpu@1"] == [
        ("cpu-pc-1", 167, 504, 0x40000003),
        ("cluster-perf-l2-pc", 2918, 8078, 0x41000043),
        ("cluster-system-pc", 15337, 15338, 0x42000343),
    ]


def without(each: Node, name: str) -> Node:
    kept = {k: v for k, v in each.properties.items() if k != name}
    return Node(each.name, kept, each.children)


def test_what_is_shown_is_said_not_to_be_read_by_linux(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = (
        level(0, "wfi", 1, times(57, 43, 100)),
        level(1, "pc", 3, times(355, 909, 3934), is_reset="", use_broadcast_timer="", made_up=1),
    )
    rows(two_groups(levels, levels), tmp_path)
    assert main(["check", str(tmp_path / "x.dtb"), "--notes"]) == 0
    shown = capsys.readouterr().out
    assert "[IS631 vendor-idle-states]" in shown
    assert "no equivalent of qcom,made-up, qcom,min-child-idx" in shown
    assert main(["show", f"{tmp_path / 'x.dtb'}:/cpus/cpu@0"]) == 0
    assert "Linux does not read them" in " ".join(capsys.readouterr().out.split())
    spec, made = tmp_path / "x.yaml", tmp_path / "made.dts"
    assert main(["import", str(tmp_path / "x.dtb"), "-o", str(spec)]) == 0
    assert main(["generate", str(spec), "--to", "dts", "-o", str(made)]) == 0
    assert "arm,psci-suspend-param = <0x4100c243>" in made.read_text()
    assert main(["check", str(made)]) == 0


def test_a_tree_with_lists_is_not_converted(tmp_path: Path) -> None:
    """A tree of Linux's bindings is read as it is, whatever else is in it."""
    levels = (level(0, "wfi", 1, times(1, 1, 1)), level(1, "pc", 3, times(1, 1, 1)))
    root = lpm_levels.converted(two_groups(levels, levels))
    assert root is not None
    assert lpm_levels.converted(Node("", {}, (cpus(7),))) is None
    (tmp_path / "x.dtb").write_bytes(fdt.write(root.root))
    assert not any(s.findings for s in read_sources(str(tmp_path / "x.dtb")))


def test_more_levels_than_any_tree_has_are_refused() -> None:
    many = tuple(level(n, "pc", 3, times(1, 1, 1)) for n in range(1100))
    with pytest.raises(Unreadable, match="expected at most 1024 levels"):
        lpm_levels.converted(two_groups(many))


WORD = st.integers(0, (1 << 32) - 1)
SMALL = st.integers(0, 5_000_000)
LEVEL = st.tuples(WORD | SMALL, WORD | SMALL, WORD | SMALL)

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
int main(void)
{
    uint32_t bp, be, bt, np, ne, nt;
    while (scanf("%u%u%u%u%u%u", &bp, &be, &bt, &np, &ne, &nt) == 6) {
        int32_t used = (int32_t)(ne - be);
        int32_t idle = (int32_t)((uint32_t)(int32_t)(np * nt) - (uint32_t)(int32_t)(bp * bt));
        int32_t rest = (int32_t)((uint32_t)used - (uint32_t)idle);
        int32_t saved = (int32_t)(bp - np);
        if (saved && !(rest == INT32_MIN && saved == -1))
            rest /= saved;
        printf("%u\n", rest < 0 ? nt : (uint32_t)rest < nt ? nt : (uint32_t)rest);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def reckoned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C program of our own with the driver's types: what it divides and compares."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    place = tmp_path_factory.mktemp("lpm")
    (place / "x.c").write_text(PROGRAM)
    subprocess.run([compiler, "-fwrapv", "-o", place / "x", place / "x.c"], check=True)
    return place / "x"


@given(pairs=st.lists(st.tuples(LEVEL, LEVEL), min_size=1, max_size=20))
def test_break_even_has_the_driver_s_arithmetic(
    reckoned: Path, pairs: list[tuple[Energy, Energy]]
) -> None:
    lines = "".join(f"{' '.join(map(str, (*a, *b)))}\n" for a, b in pairs)
    done = subprocess.run([reckoned], input=lines, capture_output=True, text=True, check=True)
    assert [break_even(a, b) for a, b in pairs] == [int(line) for line in done.stdout.split()]


def test_a_level_without_energy_has_no_residency_nor_the_next() -> None:
    one = (100, 1000, 10)
    assert least_residencies([one, None, one, one]) == [10, None, None, 11]
