"""Real firmware and a real kernel under QEMU: what they do with tables written into the image."""

from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.boot import parts as boot_parts
from idle_states.boot import qemu
from idle_states.boot.boot import boot
from idle_states.boot.parts import Parts
from idle_states.reading import sysfs
from idle_states.reading.inputs import Input
from idle_states.skiboot import lid
from idle_states.skiboot.export import export
from idle_states.skiboot.platform import PRESETS
from idle_states.spec.library import find
from idle_states.table import IdleState
from tests.oracle import skipping
from tests.support.boots import CACHE
from tests.support.trees import power_mgt_properties, registered

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parts() -> Parts:
    with skipping():
        return boot_parts.parts(CACHE)


def states_of(machine: str) -> tuple[str, tuple[IdleState, ...]]:
    """A revision, and states for its table: times and names of our own. In POWER9's there are
    fewer than were compiled in, with the 200 ns of 2017 among them."""
    if machine == "powernv8":
        nap, sleep, winkle = find("power8").states
        return "power8", (replace(nap, latency_ns=4999, residency_ns=123_456), sleep, winkle)
    name = "power9" if machine == "powernv9" else "power10"
    lite, *others = find(name).states
    lite = replace(lite, latency_ns=200, residency_ns=2000)
    others[0] = replace(others[0], name="other", latency_ns=3001)
    return name, (lite, *others) if machine == "powernv10" else (lite, *others[:2])


@pytest.mark.parametrize("machine", qemu.MACHINES)
def test_a_replaced_table_is_exported_and_registered_as_predicted(
    machine: str, parts: Parts, tmp_path: Path
) -> None:
    name, states = states_of(machine)
    table = replace(find(name), states=states)
    image = tmp_path / "patched.lid"
    image.write_bytes(lid.replace(parts.lid.read_bytes(), name, table))
    cpus_of_it = 2 if machine == "powernv9" else 1
    booted = boot(parts, machine, lid=image, smp=cpus_of_it, logs=tmp_path)

    predicted = export(table, replace(PRESETS[f"qemu-{machine}"], skiboot="7.0"))
    assert predicted.node is not None
    assert power_mgt_properties(booted.fdt) == dict(predicted.node.properties)
    driver = registered(table, predicted.node, booted.dmesg)
    dump = tmp_path / "sysfs.txt"
    dump.write_text(booted.sysfs)
    cpus = sysfs.read(Input(str(dump))).cpus
    assert sorted(cpus) == list(range(cpus_of_it))
    for cpu in cpus.values():
        assert [(s.name, s.latency_us, s.residency_us) for s in cpu] == [
            (s.name, s.exit_latency_us, s.target_residency_us) for s in driver.states
        ]
    assert cpus[0][1].latency_us == (5 if machine == "powernv8" else 1)
