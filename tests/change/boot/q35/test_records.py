"""The models beside every boot of q35 that the nightly run kept: registered states, messages,
crashes."""

from collections import Counter
from typing import Any

import pytest

from idle_states.base.model.acpi_objects import Fadt
from idle_states.change.boot.q35.objects import Placed
from idle_states.change.boot.q35.predict import DRIVER, machines_of, parameters_of
from idle_states.change.boot.registered import NO_DRIVER
from idle_states.tables.linux.acpi_idle.features import features
from idle_states.tables.linux.acpi_idle.several import SeveralStarted, start_all
from idle_states.tables.linux.releases import release
from tests.support import DOCS
from tools.boot_records import load
from tools.q35_tables import tables

RECORDS = [record for record in load(DOCS / "validation-q35.json") if "agree" in record]
FADT = Fadt(c2_latency_us=4095, c3_latency_us=4095, flags=0x84A5, smi_command=0xB2)
"""QEMU's."""
MODEL2PROCESSOR = {
    "Skylake-Client,+monitor": "vendor_id: GenuineIntel\ncpu family: 6\nmodel: 94\nflags: arat\n",
    "qemu64": "vendor_id: AuthenticAMD\ncpu family: 15\nmodel: 107\nstepping: 1\nflags:\n",
    "EPYC": "vendor_id: AuthenticAMD\ncpu family: 23\nmodel: 1\nstepping: 2\nflags: arat\n",
}
"""Processors as /proc/cpuinfo has them."""
NAME2TABLE = {table.name: table for table in tables()}


def started(record: dict[str, Any]) -> SeveralStarted:
    table = NAME2TABLE[record["table"]]
    assert record["model"] == table.model
    assert record["arguments"] == list(table.arguments)
    placed = Placed(("",) * len(table.cpus), table.cpus, ())
    machines = machines_of(placed, MODEL2PROCESSOR[table.model], FADT)
    kernel = release(record["modelled_as"])
    return start_all(machines, parameters_of(table.arguments), features(kernel), kernel.name)


@pytest.mark.parametrize("record", RECORDS, ids=lambda each: f"{each['suite']}-{each['table']}")
def test_a_boot_is_as_the_models_say(record: dict[str, Any]) -> None:
    found = started(record)
    assert [message.text for message in found.messages] == record["messages"]
    if record["crash"]:
        assert found.fatal is not None
        function, cpus = found.fatal
        assert record["crash"] in [f"{function} on CPU {cpu}" for cpu in cpus]
        return
    assert found.fatal is None
    assert record["driver"] == (DRIVER if found.registered else NO_DRIVER)
    rows = [
        f"{state.name} {state.description!r} {state.exit_latency_us}/{state.target_residency_us}"
        for state in found.states
    ]
    assert record["registered"] == {str(cpu): rows for cpu in found.devices}


def test_what_was_booted() -> None:
    agreed = [record for record in RECORDS if record["agree"]]
    assert agreed == RECORDS
    assert len({record["table"] for record in agreed}) >= 40
    assert len({record["modelled_as"] for record in agreed}) >= 2
    crashes = Counter(record["crash"].partition(" ")[0] for record in agreed)
    assert crashes["acpi_idle_enter"] >= 1
    assert crashes["acpi_ns_repair_CST"] >= 1
