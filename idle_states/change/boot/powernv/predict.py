"""Compares a boot with the models' predictions, stage by stage."""

import re
from collections.abc import Mapping, Sequence

from ....base.dataclass import dataclass, replace
from ....base.model.findings import Unreadable
from ....base.model.power_mgt import NODE, is_of_idle_states
from ....base.model.stages import Message
from ....base.model.table import IdleTable
from ....tables.devicetree import fdt
from ....tables.linux import log as linux_log
from ....tables.linux import register
from ....tables.linux.driver_table import DriverTable
from ....tables.linux.releases import Release, running
from ....tables.skiboot import log as opal_log
from ....tables.skiboot.export import Export, export
from ....tables.skiboot.platform import PRESETS, Platform
from ....tables.skiboot.releases import UnknownSkiboot, skiboot_features
from ....tables.spec.library import find
from ....tables.spec.registry import processors
from .. import console
from ..booted import Booted
from ..registered import rows_stage
from ..stage import LINUX, REGISTERED, SELECTED, USAGE, Mismatch, Stage, compared_lines, shown

MACHINE_TABLE = {
    machine: next(processor.name for processor in processors() if processor.machine == machine)
    for machine in dict.fromkeys(processor.machine for processor in processors())
    if machine
}
"""QEMU machine -> revision of the table that firmware uses on it."""

EXPORT, OPAL = "export", "opal-messages"
STAGES = (EXPORT, OPAL, REGISTERED, LINUX, SELECTED, USAGE)

_OPAL_VERSION = re.compile(r"(?:OPAL|SkiBoot) (\S{1,200}) starting")
_RELEASE = re.compile(r"(?:skiboot-)?v?([0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-rc[0-9]+)?)")
_FIRST_LINE = "CPU idle state device tree init"
_OTHERS = re.compile(
    r"SLW: (?:Init chip|Configuring self-restore|Failed to set) ?|Disabling deep stop"
)
"""Messages about restoring registers, for which QEMU has no engine. The export model does not
predict them."""
_GOVERNOR_LINE = "cpuidle: using governor"


@dataclass(frozen=True, slots=True)
class PowernvPredicted:
    """The models' predictions for a machine, firmware and kernel.

    platform  the machine; its `skiboot` is the firmware release modelled, None for the newest
    firmware  version that OPAL printed
    export    what firmware exports
    driver    what the kernel registers; None if `release` is
    """

    table: IdleTable
    platform: Platform
    firmware: str
    kernel: str
    release: Release | None
    export: Export
    driver: DriverTable | None

    @property
    def registers(self) -> bool:
        """Tells whether the CPUs are predicted to have states."""
        return self.driver is not None and bool(self.driver.states)

    def driver_of(self, cpu: int) -> DriverTable | None:
        """Returns the states that the kernel registers for a CPU: the same for all."""
        return self.driver


def predict(
    table: IdleTable, machine: str, booted: Booted, levels: int | None = None
) -> PowernvPredicted:
    """Predicts what the firmware and the kernel that booted make of the table in that firmware.

    levels  as of BootRequest
    """
    printed = console.read(booted.log) if booted.log.is_file() else ""
    firmware, skiboot = firmware_in(booted.sections["msglog"] or printed)
    platform = replace(PRESETS[f"qemu-{machine}"], skiboot=skiboot)
    if levels is not None:
        platform = replace(platform, enabled_stop_levels=levels)
    spec = find(MACHINE_TABLE[machine])
    assert spec.cpu is not None
    placed = replace(table, cpu=spec.cpu)
    exported = export(placed, platform)
    release = running(booted.uname.removeprefix("Linux "))
    driver = None
    if release is not None:
        api = platform.stop_api
        driver = register(exported.node, spec.cpu, release, placed, stop_api=api)
    return PowernvPredicted(placed, platform, firmware, booted.uname, release, exported, driver)


def firmware_in(log: str) -> tuple[str, str | None]:
    """The version that firmware printed ("" if none), and the skiboot release to model it as (None:
    the newest)."""
    match = _OPAL_VERSION.search(log)
    name = match[1] if match else ""
    version = _RELEASE.match(name)
    try:
        skiboot_features(version[1] if version else None)
    except UnknownSkiboot:
        return name, None
    return name, version[1] if version else None


def stages(predicted: PowernvPredicted, booted: Booted, smp: int) -> tuple[Stage, ...]:
    """The stages that need no recording, in the order of STAGES."""
    return (
        _export(predicted.export, booted.fdt),
        _opal(predicted.export.messages, booted.sections["msglog"]),
        _registered(predicted, booted.sections["cpuidle"], smp),
        _linux(predicted, booted.sections["dmesg"]),
    )


def _export(exported: Export, tree: bytes) -> Stage:
    if exported.outcome != "ok":
        crash = Mismatch("boot", f"firmware does not survive: {exported.outcome}", "it booted")
        return Stage.of(EXPORT, [crash], 1)
    try:
        node = fdt.read(tree, "the guest's tree").find(NODE)
    except Unreadable as error:
        return Stage.of(EXPORT, [Mismatch("tree", "a device tree", str(error))], 1)
    properties = {} if node is None else node.properties
    found = {name: value for name, value in properties.items() if is_of_idle_states(name)}
    predicted: Mapping[str, bytes] = exported.node.properties if exported.node else {}
    names = list(dict.fromkeys([*predicted, *found]))
    differences = [
        Mismatch(name, _bytes(predicted.get(name)), _bytes(found.get(name)))
        for name in names
        if predicted.get(name) != found.get(name)
    ]
    return Stage.of(EXPORT, differences, len(names))


def _bytes(value: bytes | None) -> str:
    return "" if value is None else value.hex(" ", 4) or "(empty)"


def _opal(messages: Sequence[Message], msglog: str) -> Stage:
    boots = opal_log.read(msglog)
    if not boots:
        return Stage.unjudged(OPAL, "the kernel showed no log of OPAL's")
    logged = [(line.level, line.text) for line in boots[-1].messages]
    begin = next((at for at, (_, text) in enumerate(logged) if text == _FIRST_LINE), len(logged))
    found = [(level, text) for level, text in logged[begin:] if not _OTHERS.match(text)]
    return compared_lines(OPAL, [(message.level, message.text) for message in messages], found)


def _linux(predicted: PowernvPredicted, dmesg: str) -> Stage:
    if predicted.driver is None:
        return Stage.unjudged(LINUX, _no_model(predicted))
    boots = linux_log.read(dmesg)
    if not boots or boots[0].version is None:
        return Stage.unjudged(LINUX, "the kernel's log does not reach back to its start")
    found = [line.text for line in boots[-1].messages if not line.text.startswith(_GOVERNOR_LINE)]
    # debug messages are printed only with dynamic debugging; dmesg shows no levels
    expected = [message.text for message in predicted.driver.messages if message.level != "debug"]
    return compared_lines(LINUX, [("", text) for text in expected], [("", text) for text in found])


def _no_model(predicted: PowernvPredicted) -> str:
    return f"there is no model of {predicted.kernel}"


def _registered(predicted: PowernvPredicted, dump: str, smp: int) -> Stage:
    if predicted.driver is None:
        return Stage.unjudged(REGISTERED, _no_model(predicted))
    if predicted.driver.fatal:
        crash = Mismatch("boot", f"the kernel crashes: {predicted.driver.fatal}", "it booted")
        return Stage.of(REGISTERED, [crash], 1)
    wanted = [
        (shown(state.name), state.exit_latency_us, state.target_residency_us)
        for state in predicted.driver.states
    ]
    return rows_stage(dict.fromkeys(range(smp), wanted), dump, lambda state: state.row, _row)


def _row(row: tuple[str, int, int] | None) -> str:
    return "" if row is None else f"{row[0]} {row[1]}/{row[2]} us"
