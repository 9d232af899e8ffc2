"""diff of two machines of Arm or RISC-V: nodes, CPUs, power domains, what kernels register."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Capture, outcome, run
from tests.support.machines import FLAT, NESTED


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flat.yaml").write_text(FLAT)
    Path("nested.yaml").write_text(NESTED)


def differences(capsys: Capture, a: str, b: str, *words: str) -> list[tuple[str, ...]]:
    status, body = outcome(capsys, "diff", a, b, "--kernel", "6.12", *words)
    found: list[dict[str, Any]] = body["differences"]
    assert (status, body["equal"]) == (int(bool(found)), not found)
    return [(each["stage"], each["path"], each["a"], each["b"]) for each in found]


def changed(capsys: Capture, text: str, *pairs: str) -> list[tuple[str, ...]]:
    """Differences between a spec and the same with replacements."""
    Path("a.yaml").write_text(text)
    for before, after in zip(pairs[::2], pairs[1::2], strict=True):
        assert before in text
        text = text.replace(before, after)
    Path("b.yaml").write_text(text)
    return differences(capsys, "a.yaml", "b.yaml")


@pytest.mark.parametrize("name", ["flat", "nested"])
def test_a_spec_and_its_tree_are_equal(name: str, capsys: Capture) -> None:
    run(capsys, "generate", "--to", "dtb", f"{name}.yaml", "-o", "tree.dtb")
    assert differences(capsys, f"{name}.yaml", "tree.dtb") == []
    status, out, _ = run(capsys, "diff", f"{name}.yaml", "tree.dtb")
    assert status == 0
    assert f"{name}.yaml and tree.dtb are equal at every stage" in out


def test_values_of_a_node(capsys: Capture) -> None:
    found = changed(capsys, FLAT, "residency: 3500us", "residency: 4ms", "0x01010000", "0x01010001")
    node = "states.cluster-sleep-0"
    assert found == [
        ("nodes", f"{node}.min-residency-us", "3500", "4000"),
        ("nodes", f"{node}.arm,psci-suspend-param", "0x01010000", "0x01010001"),
        ("linux 6.12", f"cpus.cpu@0,cpu@1.{node}", "1900/3500 us", "1900/4000 us"),
    ]


def test_what_no_kernel_registers_otherwise_is_a_difference_of_nodes(capsys: Capture) -> None:
    # wakeup-latency-us stands for both: how entry and exit share it, no kernel sees
    found = changed(capsys, FLAT, "entry: 500us, exit: 1600us", "entry: 600us, exit: 1500us")
    assert [path for _, path, _, _ in found] == [
        "states.cluster-sleep-0.entry-latency-us",
        "states.cluster-sleep-0.exit-latency-us",
    ]


def test_lists_of_cpus(capsys: Capture) -> None:
    before, after = "[cpu-sleep-0, cluster-sleep-0]", "[cluster-sleep-0]"
    found = changed(capsys, FLAT, before, after, "nodes: [cpu@100]", "nodes: [cpu@200]")
    assert found[:3] == [
        ("nodes", "cpus.states", "cpu-sleep-0 cluster-sleep-0", "cluster-sleep-0"),
        ("nodes", "cpus.cpu@100", "cpu-sleep-1 cpu-off-1", "absent"),
        ("nodes", "cpus.cpu@200", "absent", "cpu-sleep-1 cpu-off-1"),
    ]
    assert ("linux 6.12", "states.cpu-sleep-0", "1050/1500 us", "absent") in found


def test_power_domains(capsys: Capture) -> None:
    found = changed(capsys, NESTED, "[cluster-retention, cluster-sleep]", "[cluster-sleep]",
                    "domain: [power-domain-cpu0, power-domain-cpu1]",
                    "domain: [power-domain-cpu1, power-domain-cpu0]")  # fmt: skip
    nodes = [each[1:] for each in found if each[0] == "nodes"]
    assert nodes == [
        ("cpus.cpu@0.power-domain", "power-domain-cpu0", "power-domain-cpu1"),
        ("cpus.cpu@1.power-domain", "power-domain-cpu1", "power-domain-cpu0"),
        (
            "domains.power-domain-cluster.states",
            "cluster-retention cluster-sleep",
            "cluster-sleep",
        ),
    ]
    assert any(
        path.endswith(".cluster-retention") for stage, path, _, _ in found if stage[0] == "l"
    )


def test_one_list_of_each_is_compared_as_a_table(capsys: Capture) -> None:
    found = differences(capsys, "flat.yaml:cpu@0", "flat.yaml:cpu@100")
    assert ("table", "states.cpu-sleep-0", "1050us/1500us", "absent") in found


def test_a_machine_and_a_table_do_not_compare(capsys: Capture) -> None:
    status, _, errors = run(capsys, "diff", "flat.yaml", "power9")
    assert status == 2
    assert "flat.yaml has 2 tables; name one" in errors
