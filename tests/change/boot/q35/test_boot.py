"""idle-states boot on QEMU's q35, for real, with Debian's kernel."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from idle_states.change.boot.parts import parts
from idle_states.change.boot.q35.machine import Q35
from idle_states.change.boot.q35.predict import STAGES
from idle_states.cli import main
from tests.base.report.test_output_schema import STRICT, Validator
from tests.oracle import skipping
from tests.support import ROOT
from tests.support.boots import CACHE, HOME
from tools.q35_tables import tables

pytestmark = pytest.mark.slow

LOGS = ROOT / "build" / "boot"


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(HOME))
        yield


@pytest.mark.parametrize("name", ["tumbled", "second-short"])
def test_a_boot_is_as_predicted(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with skipping():
        parts(Q35, CACHE)
    file = tmp_path / "ssdt.aml"
    file.write_bytes(next(table for table in tables() if table.name == name).ssdt)
    words = ["boot", str(file), "--machine", "q35", "--workload", "storm", "--logs", str(LOGS)]
    status = main([*words, "--format", "json"])
    output = capsys.readouterr()
    assert status == 0, output.out + output.err
    found = json.loads(output.out)
    Validator(STRICT).validate(found)
    assert [stage["stage"] for stage in found["stages"]] == list(STAGES)
    assert [cpu["objects_of"] for cpu in found["found"]] == ["\\_SB.CPUS.C000", "\\_SB.CPUS.C001"]
    if name == "second-short":
        assert found["crash"] == "acpi_idle_enter on CPU 1"
        assert all(stage["agree"] is not False for stage in found["stages"])
    else:
        assert all(stage["agree"] for stage in found["stages"])
        states = found["found"][0]["states"]
        # latencies out of order were put in order; ports and names stayed
        assert [state["latency_us"] for state in states] == [0, 90, 300, 500, 700]
        assert any("out of order" in message for message in found["messages"])
        assert states[1]["description"] == "ACPI HLT"
