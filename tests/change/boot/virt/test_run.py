"""Tests of what a boot of a virt machine refuses before it boots, each with its exit status."""

from pathlib import Path

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.change.boot.kernel_config import check_governor
from idle_states.cli import main
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from tests.tables.linux.test_dt_idle import cpu, state, tree

Capture = pytest.CaptureFixture[str]
ARM = tree(cpu(0, [1]), state("a", 1))


def refused(capsys: Capture, *words: str) -> tuple[int, str]:
    status = main(["boot", *words])
    output = capsys.readouterr()
    assert output.out == ""
    return status, output.err


@pytest.mark.parametrize(
    ("root", "machine", "status", "told"),
    [
        (ARM, "virt-riscv64", 3, "expected CPUs of RISC-V with virt-riscv64, found Arm's"),
        (ARM, "virt-arm64", 2, "expected --smp 1 or less with"),
        (Node("", {}, (Node("cpus"),)), "virt-arm64", 3, "expected"),
    ],
)
def test_tables_that_do_not_fit(
    root: Node, machine: str, status: int, told: str, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "t.dtb"
    file.write_bytes(fdt.write(root))
    assert (found := refused(capsys, str(file), "--machine", machine))[0] == status
    assert told in found[1]


def test_tables_of_another_form(capsys: Capture) -> None:
    status, err = refused(capsys, "power9", "--machine", "virt-arm64")
    assert status == 3
    assert "expected CPUs that list idle states (Arm, RISC-V), found a table of another form" in err


def test_governors_that_the_kernel_lacks() -> None:
    options = {"CPU_IDLE_GOV_MENU": "y"}
    check_governor("menu", options)
    check_governor("", options)
    check_governor("teo", None)
    with pytest.raises(UsageError) as caught:
        check_governor("teo", options)
    assert "CONFIG_CPU_IDLE_GOV_TEO is not set" in str(caught.value)
