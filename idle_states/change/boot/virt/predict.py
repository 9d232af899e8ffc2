"""The models' predictions for a boot of a virt machine, beside the guest's output."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import ListedNode
from ....base.model.findings import Unreadable
from ....base.model.stages import Message
from ....base.model.table import IdleTable
from ....tables.devicetree import fdt
from ....tables.devicetree.idle_nodes import lists_of, row_nodes, table_of
from ....tables.devicetree.tree import Node
from ....tables.linux import dt_idle
from ....tables.linux import log as linux_log
from ....tables.linux.driver_table import DriverTable
from ....tables.linux.dt_messages import printed
from ....tables.linux.releases import Release, running
from ..booted import Booted
from ..registered import NO_DRIVER, Row, registered_stage
from ..stage import LINUX, REGISTERED, SELECTED, USAGE, Mismatch, Stage, compared_lines, shown
from .machines import VirtMachine

FIRMWARE, TREE = "firmware", "tree"
DOMAINS, DOMAIN_USAGE = "domains", "domain-usage"
STAGES = (FIRMWARE, TREE, REGISTERED, LINUX, SELECTED, USAGE, DOMAINS, DOMAIN_USAGE)
"""SELECTED only where decisions were to be recorded."""

_DESCRIPTION_LENGTH = 31
_NODE_OF_CPU = re.compile(r"/cpu(\d+):\S*?(/cpus/\S+)", re.ASCII)
_GOVERNOR_LINE = "cpuidle: using governor"


@dataclass(frozen=True, slots=True)
class VirtPredicted:
    """The models' predictions for a tree and a kernel.

    root      the tree that QEMU was given
    tables    what its CPUs list, a table for each distinct list
    cpus      the kernel's number of a CPU -> path of its node
    drivers   path of a CPU's node -> what the kernel registers for it; empty if `release` is None
    messages  warnings and errors that the kernel prints of idle states
    """

    root: Node
    tables: tuple[IdleTable, ...]
    cpus: Mapping[int, str]
    kernel: str
    release: Release | None
    drivers: Mapping[str, DriverTable]
    messages: tuple[Message, ...]

    @property
    def table(self) -> IdleTable:
        return self.tables[0]

    @property
    def number2driver(self) -> dict[int, DriverTable]:
        """The kernel's number of a CPU -> what it registers for it."""
        return {n: self.drivers[path] for n, path in self.cpus.items() if path in self.drivers}

    @property
    def registers(self) -> bool:
        """Tells whether any CPU is predicted to have states."""
        return any(driver.states for driver in self.number2driver.values())

    def driver_of(self, cpu: int) -> DriverTable | None:
        """Returns the states that the kernel registers for a CPU; None if not known."""
        return self.number2driver.get(cpu)


def predict(machine: VirtMachine, root: Node, booted: Booted) -> VirtPredicted:
    """Predicts what the kernel that booted makes of a tree."""
    file = "the tree given to QEMU"
    tables = tuple(table_of(listed, "dtb", file, "") for listed in lists_of(root, file))
    release = running(booted.uname.removeprefix("Linux "))
    cpus = {int(n): path for n, path in _NODE_OF_CPU.findall(booted.sections["cpus"])}
    drivers: dict[str, DriverTable] = {}
    messages: Sequence[Message] = ()
    if release is not None:
        for table in tables:
            driver = dt_idle.register(table, release, machine.offers)
            assert table.origin.form == "nodes"
            drivers |= dict.fromkeys(table.origin.cpus, driver)
        known = {number: path for number, path in cpus.items() if path in drivers}
        messages = printed(tables, known, release, machine.offers) if known else ()
    return VirtPredicted(
        root,
        tables,
        cpus,
        booted.uname,
        release,
        drivers,
        tuple(each for each in messages if each.level in ("error", "warning")),
    )


def stages(
    predicted: VirtPredicted,
    machine: VirtMachine,
    placed: Mapping[str, Mapping[str, bytes]],
    booted: Booted,
    governor: str = "",
) -> Iterator[Stage]:
    """The stages up to what the kernel says.

    placed    nodes that must reach the kernel, by path
    governor  that the kernel was told to use; "": none
    """
    yield _firmware(machine, booted)
    yield _tree(placed, booted.fdt)
    if predicted.release is None:
        why = f"there is no model of {predicted.kernel}"
        yield from (Stage.unjudged(name, why) for name in (REGISTERED, LINUX))
        return
    yield _registered(predicted, machine, booted, governor)
    yield _linux(predicted, booted.sections["dmesg"])


def _firmware(machine: VirtMachine, booted: Booted) -> Stage:
    """Returns the check of the firmware's assumed features, which the kernel prints."""
    text = booted.sections["psci"] + booted.sections["dmesg"]
    missing = [line for line in machine.says if line not in text]
    differences = [Mismatch("the kernel on its firmware", line, "") for line in missing]
    return Stage.of(FIRMWARE, differences, len(machine.says))


def _tree(placed: Mapping[str, Mapping[str, bytes]], blob: bytes) -> Stage:
    try:
        root = fdt.read(blob, "the guest's tree")
    except Unreadable as error:
        return Stage.of(TREE, [Mismatch("tree", "a device tree", str(error))], 1)
    differences, judged = [], 0
    for path, properties in placed.items():
        node = root.find(path)
        there = node.properties if node is not None else {}
        for name, value in properties.items():
            judged += 1
            if there.get(name) != value:
                found = there[name].hex(" ", 4) if name in there else ""
                differences.append(
                    Mismatch(f"{path}:{name}", value.hex(" ", 4) or "(empty)", found)
                )
    return Stage.of(TREE, differences, judged)


def _registered(
    predicted: VirtPredicted, machine: VirtMachine, booted: Booted, governor: str
) -> Stage:
    """Each CPU's states: name, times, description, and whether they are on; the driver, and the
    governor asked for."""
    states = {n: driver.states for n, driver in predicted.number2driver.items()}
    expected = machine.driver if any(states.values()) else NO_DRIVER
    rows = {cpu: _rows(predicted, machine, cpu) for cpu in predicted.cpus}
    return registered_stage(expected, rows, booted.sections, governor)


def _rows(predicted: VirtPredicted, machine: VirtMachine, cpu: int) -> list[Row]:
    driver = predicted.number2driver.get(cpu)
    if driver is None:
        return []
    path = predicted.cpus[cpu]
    origins = (table.origin for table in predicted.tables)
    nodes = row_nodes(next(one for one in origins if one.form == "nodes" and path in one.cpus))
    found: list[Row] = []
    for state in driver.states:
        text = machine.wfi if state.source is None else _description(nodes[state.source])
        times = state.exit_latency_us, state.target_residency_us
        found.append((shown(state.name), shown(text), *times, False))
    return found


def _description(node: ListedNode) -> str:
    """init_state_node(): idle-state-name, where it is a string that ends; else the node's name."""
    data = node.properties.get("idle-state-name", b"")
    text = node.strings("idle-state-name")[0] if b"\0" in data else node.name
    return text[:_DESCRIPTION_LENGTH]


def _linux(predicted: VirtPredicted, dmesg: str) -> Stage:
    boots = linux_log.read(dmesg)
    if not boots or boots[0].version is None:
        return Stage.unjudged(LINUX, "the kernel's log does not reach back to its start")
    found = [
        (line.level, line.text)
        for line in boots[-1].messages
        if line.level in ("error", "warning") and not line.text.startswith(_GOVERNOR_LINE)
    ]
    return compared_lines(LINUX, [(m.level, m.text) for m in predicted.messages], found)
