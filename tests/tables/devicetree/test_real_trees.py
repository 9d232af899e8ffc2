"""The whole chain of models held to boots of real firmware and a real kernel under QEMU.

The data in data/trees come from `make trees`, which says what each file is.
"""

import re
from dataclasses import replace

import pytest

from idle_states.base.model.power_mgt import PowerMgt
from idle_states.base.reading import sysfs
from idle_states.base.reading.inputs import Input
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.skiboot.export import Export, export
from idle_states.tables.skiboot.platform import PRESETS
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from tests.support import DATA
from tests.support.trees import power_mgt_properties, registered

TREES = DATA / "trees"
MACHINES = {"powernv8": "power8", "powernv9": "power9", "powernv10": "power10"}

OPAL_LEVELS = {3: "error", 4: "warning", 5: "notice", 6: "info", 7: "debug"}
_OPAL_LINE = re.compile(r"\[[ \d.]+,(\d)\] (.*)")
_LINUX_LINE = re.compile(r"\[[ \d.]+\] (.*)")


def log(machine: str) -> tuple[list[str], list[str]]:
    """Lines of OPAL and of Linux."""
    text = (TREES / f"{machine}.log.txt").read_text()
    opal, linux = text.partition("# OPAL\n")[2].split("# Linux\n")
    return opal.splitlines(), linux.splitlines()


def exported(machine: str) -> Export:
    opal, _ = log(machine)
    (era,) = re.findall(r"OPAL v(\S+) starting", "\n".join(opal))
    return export(find(MACHINES[machine]), replace(PRESETS[f"qemu-{machine}"], skiboot=era))


def driver(machine: str, node: PowerMgt | None) -> DriverTable:
    _, linux = log(machine)
    return registered(find(MACHINES[machine]), node, "\n".join(linux))


def tree_node(machine: str) -> dict[str, bytes]:
    return power_mgt_properties((TREES / f"{machine}.dtb").read_bytes())


@pytest.mark.parametrize("machine", MACHINES)
def test_firmware_chose_and_exported_as_predicted(machine: str) -> None:
    predicted = exported(machine)
    assert predicted.chosen == MACHINES[machine]
    assert predicted.outcome == "ok"
    assert predicted.node is not None
    assert tree_node(machine) == dict(predicted.node.properties)


@pytest.mark.parametrize("machine", MACHINES)
def test_arrays_stand_in_skiboots_order(machine: str) -> None:
    node = exported(machine).node
    assert node is not None

    def arrays(names: object) -> list[str]:
        return [name for name in list(names) if "cpu-idle-state" in name]  # type: ignore[call-overload]

    assert arrays(tree_node(machine)) == arrays(node.properties)


@pytest.mark.parametrize("machine", MACHINES)
def test_linux_registered_the_states_predicted(machine: str) -> None:
    """From the spec alone, through both stages, to what sysfs showed."""
    predicted = driver(machine, exported(machine).node)
    dump = sysfs.read(Input(str(TREES / f"{machine}.sysfs.txt")))
    for states in dump.cpus.values():
        assert [(state.name, state.latency_us, state.residency_us) for state in states] == [
            (state.name, state.exit_latency_us, state.target_residency_us)
            for state in predicted.states
        ]


@pytest.mark.parametrize("machine", MACHINES)
def test_opal_logged_what_was_predicted(machine: str) -> None:
    """From the beginning of the stage to the end of what OPAL said about idle states."""
    opal, _ = log(machine)
    parsed = [match.groups() for line in opal if (match := _OPAL_LINE.fullmatch(line))]
    said = [(OPAL_LEVELS[int(level)], text) for level, text in parsed]
    beginning = said.index(("debug", "CPU idle state device tree init"))
    predicted = [(message.level, message.text) for message in exported(machine).messages]
    assert said[beginning:] == predicted


@pytest.mark.parametrize("machine", MACHINES)
def test_linux_logged_what_was_predicted(machine: str) -> None:
    _, linux = log(machine)
    said = [match[1] for line in linux if (match := _LINUX_LINE.fullmatch(line))]
    predicted = driver(machine, exported(machine).node)
    assert [text for text in said if text.startswith("cpuidle-powernv")] == [
        message.text for message in predicted.messages if message.text.startswith("cpuidle-powernv")
    ]
    assert said[-1] == "powernv_idle_driver registered"


@pytest.mark.parametrize("machine", MACHINES)
def test_the_tree_read_back_is_the_exported_part_of_the_spec(machine: str) -> None:
    """Through the front door: FILE as a TABLE."""
    source = read_table(str(TREES / f"{machine}.dtb"))
    assert source.table is not None
    spec = find(MACHINES[machine])
    kept = [spec.states[index].values() for index in exported(machine).indices]
    assert [state.values() for state in source.table.states] == kept
    assert driver(machine, source.node) == driver(machine, exported(machine).node)
