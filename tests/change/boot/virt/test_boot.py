"""idle-states boot on QEMU's virt machines of Arm and RISC-V, for real, with Debian's kernels."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from idle_states.change.boot.boot import BootFailure, boot
from idle_states.change.boot.parts import parts
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.stage import SELECTED
from idle_states.change.boot.virt.boot import VirtBoot, tree_of
from idle_states.change.boot.virt.graft import Grafted
from idle_states.change.boot.virt.machines import ARM64, VIRT
from idle_states.change.boot.virt.predict import STAGES
from idle_states.cli import main
from idle_states.tables.devicetree import fdt
from tests.base.report.test_output_schema import STRICT, Validator
from tests.oracle import skipping
from tests.support import ROOT
from tests.support.boots import CACHE, HOME
from tools.virt_tables import VirtTable, tables

pytestmark = pytest.mark.slow

LOGS = ROOT / "build" / "boot"
BOOTED = {("virt-arm64", "disabled-first"), ("virt-riscv64", "cluster")}


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(HOME))
        yield


def document(capsys: pytest.CaptureFixture[str], file: Path, machine: str) -> dict[str, Any]:
    """Returns what a boot that agrees in everything says."""
    words = ["boot", str(file), "--machine", machine, "--logs", str(LOGS), "--format", "json"]
    if machine == "virt-arm64":
        words += ["--workload", "idle", "--governor", "menu"]
    status = main(words)
    output = capsys.readouterr()
    assert status == 0, output.out + output.err
    found: dict[str, Any] = json.loads(output.out)
    Validator(STRICT).validate(found)
    return found


@pytest.mark.parametrize(
    "table",
    [table for table in tables() if (table.machine, table.name) in BOOTED],
    ids=lambda table: table.machine,
)
def test_a_boot_is_as_predicted(
    table: VirtTable, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with skipping():
        parts(VIRT[table.machine], CACHE)
    file = tmp_path / "table.dtb"
    file.write_bytes(fdt.write(table.root))
    found = document(capsys, file, table.machine)
    judged = {stage["stage"]: stage["judged"] for stage in found["stages"]}
    assert all(stage["agree"] for stage in found["stages"])
    recorded = table.machine == "virt-arm64"
    assert list(judged) == [name for name in STAGES if name != SELECTED or recorded]
    if recorded:
        assert judged[SELECTED] > 100
    states = found["found"][0]["states"]
    if table.machine == "virt-arm64":
        # the disabled node before them makes the first state ask for what the disabled one would
        assert [state["name"] for state in states] == ["WFI", "cpu-sleep-0", "cpu-sleep-1"]
        assert states[1]["entered"] == 0
        assert sum(state["refused"] for cpu in found["found"] for state in cpu["states"]) > 0
    else:
        entered = {(one["domain"], one["state"]): one["entered"] for one in found["domains"]}
        assert entered["cluster-pd", 1] > 0
    assert any("CONFIG_CPU_IDLE_GOV_TEO" in line for line in found["unconfirmed"])


def test_a_guest_that_does_not_end_says_how_far_it_came(tmp_path: Path) -> None:
    with skipping():
        having = parts(ARM64, CACHE)
    blob = tree_of(having, ARM64, 1, tmp_path)
    request = BootRequest("virt-arm64", "", smp=1, time_limit_s=1)
    tree = fdt.write(blob.root, blob.reservations, blob.boot_cpu)
    with pytest.raises(BootFailure) as caught:
        boot(VirtBoot(request, having, (), tmp_path, tree, Grafted(blob.root, (), {})))
    assert "expected the guest to end within 1 s" in str(caught.value)
    assert caught.value.log == tmp_path / "virt-arm64.log"
