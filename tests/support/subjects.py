"""Subjects for rules, from spec fragments, rows and device-tree source, in each of the forms."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    AcpiProcessor,
    AcpiRegister,
    LpiLevel,
)
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.base.model.findings import Finding
from idle_states.base.model.power_mgt import PowerMgt, decode, encode
from idle_states.base.model.table import Cpu, IdleState, IdleTable, ReadFrom, Register
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.built_in import reader as built_in_reader
from idle_states.tables.linux.driver_table import DriverState
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import rule_named
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS, parse_platform
from idle_states.tables.sources import Source, format_acpi, read_source, read_sources
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find, load, packaged
from tests.support import acpi

KERNELS = tuple(release(name) for name in DEFAULT)
POWER8 = Cpu(registry.named("power8"), 0x004D)
POWER9 = Cpu(registry.named("power9"), 0x004E)


def fired(code: str, subject: Subject) -> list[Finding]:
    """Returns the findings of one rule on a subject, as `run` would call the rule."""
    return run(subject, selection=RuleSelection((code,)))


def spec_file(text: str, directory: Path) -> Path:
    """Writes a spec fragment to a file, with a name if it has none, and returns the path."""
    if not any(line.startswith("name:") for line in text.splitlines()):
        text = f"name: example\n{text}"
    file = directory / "example.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def spec(
    text: str, directory: Path, kernels: Sequence[str] = DEFAULT, platform: str = "all-levels"
) -> Subject:
    loaded = load(spec_file(text, directory))
    assert loaded.table, [finding.message for finding in loaded.findings]
    releases = tuple(release(name) for name in kernels)
    return Subject(loaded.table, releases, parse_platform(platform))


def in_form(subject: Subject, form: str) -> Subject:
    """Returns the subject of a spec as if its rows had been read in another form: C, a device tree,
    a dump of sysfs, nodes of an Arm tree, the source of a Linux driver, or ACPI's _LPI."""
    if form == "spec":
        return subject
    if form == "c":
        return Subject(as_c(subject.table), subject.kernels, subject.platform)
    if form in ("sysfs", "nodes", "driver", "acpi"):
        return beyond_opal(subject, form)
    return tree(encode(subject.table.states, subject.table.register), subject.table.cpu, subject)


def asl(example: str, directory: Path) -> Subject:
    """The last processor's table of an ACPI table's source."""
    file = directory / "dsdt.aml"
    file.write_bytes(acpi.compiled(example))
    *_, found = read_sources(str(file))
    return Subject.of(found, KERNELS)


_REGISTER = bytes(AcpiRegister(FIXED_HARDWARE, 32, 0, 3, 0x10))


def beyond_opal(subject: Subject, form: str) -> Subject:
    """Returns the states that the first kernel registers as if read from a dump of sysfs, from
    nodes of an Arm tree, from the source of a driver, or from _LPI."""
    states = subject.linux(subject.kernels[0]).states
    if form == "sysfs":
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "dump.txt"
            file.write_text(
                "".join(
                    f"/sys/devices/system/cpu/cpu0/cpuidle/state{state.index}/{attribute}:{value}\n"
                    for state in states
                    for attribute, value in (
                        ("latency", state.exit_latency_us),
                        ("name", state.name),
                        ("residency", state.target_residency_us),
                    )
                )
            )
            table = read_source(str(file)).table
    elif form == "driver":
        rows = "".join(
            f'{{ .name = "{state.name}", .exit_latency = {state.exit_latency_us}, '
            f".target_residency = {state.target_residency_us} }},\n"
            for state in states
        )
        text = f"static struct cpuidle_driver driver = {{ .states = {{\n{rows}}} }};\n"
        (table,) = built_in_reader.read(text, "cpuidle-x.c", defines={})
    elif form == "acpi":
        entries = [
            (s.target_residency_us, s.exit_latency_us, 1, 0, 0, 0, _REGISTER, 0, 0, s.name)
            for s in states[1:]
        ]
        levels = (LpiLevel("\\_SB.CPU0", (0, 1, len(entries), *entries)),)
        idle = AcpiIdle((AcpiProcessor("\\_SB.CPU0", 0),), lpi=levels, arch="arm64")
        table = format_acpi.table_of(idle, {}, "dsdt.aml")
    else:
        (listed,) = idle_nodes.lists_of(arm_tree(states[1:]), "arm.dtb")
        table = idle_nodes.table_of(listed, "dtb", "arm.dtb", "")
    assert table
    return Subject(table, subject.kernels)


def arm_tree(states: Sequence[DriverState]) -> Node:
    """Returns a device tree of one CPU that lists these states, each a node."""
    nodes = tuple(
        Node(
            f"idle-states-{state.index}",
            {},
            (
                Node(
                    state.name,
                    {
                        "compatible": b"arm,idle-state\0",
                        "phandle": dt.u32_array([state.index]),
                        "arm,psci-suspend-param": dt.u32_array([0x10000]),
                        "entry-latency-us": dt.u32_array([0]),
                        "exit-latency-us": dt.u32_array([state.exit_latency_us]),
                        "min-residency-us": dt.u32_array([state.target_residency_us]),
                    },
                ),
            ),
        )
        for state in states
    )
    cpu = Node(
        "cpu@0",
        {
            "device_type": b"cpu\0",
            "enable-method": b"psci\0",
            "cpu-idle-states": dt.u32_array(state.index for state in states),
        },
    )
    return Node("", {}, (Node("cpus", {}, (cpu, *nodes)),))


def _alike(one: IdleTable, other: IdleTable) -> bool:
    """Tells whether firmware takes two tables for the same machines of one processor."""
    return (
        one.cpu is not None
        and other.cpu is not None
        and (one.cpu.generation, one.cpu.supported) == (other.cpu.generation, other.cpu.supported)
        and one.firmware.quirk == other.firmware.quirk
        and one.firmware.fused_core == other.firmware.fused_core
    )


def as_c(table: IdleTable) -> IdleTable:
    """Writes the table as C and reads that; a table that the writer refuses is only marked as read
    from C. One without an array of its own gets that of the packaged table for the same machines,
    by which a reader of C knows whose it is."""
    if not table.firmware.array and table.cpu:
        alike = (each for each in packaged(lambda one: not one.historical) if _alike(each, table))
        usual = next(alike, None)
        if usual:
            named = replace(table.firmware, array=usual.firmware.array)
            table = replace(table, firmware=named)
    try:
        text = c_table.write([table])
    except c_table.CannotGenerate:
        return replace(table, read_from=ReadFrom("c"), name=table.firmware.array)
    return c_table.read(text, "slw.c")[0]


def tree(
    properties: Mapping[str, bytes], cpu: Cpu | None = None, like: Subject | None = None
) -> Subject:
    """Returns a node power-mgt with these properties, and with all stop levels on an ISA 3.0
    processor."""
    if cpu is not None and cpu.isa300:
        properties = {dt.STOP_LEVELS: b"\xff" * 4, **properties}
    node = PowerMgt(properties)
    kernels = like.kernels if like else KERNELS
    return Subject(decode(node, cpu, ReadFrom("dtb")), kernels, node=node)


def node_of(name: str) -> dict[str, bytes]:
    """Returns the array properties of a packaged table with all its rows."""
    table = find(name)
    return encode(table.states, table.register)


def source(text: str, directory: Path) -> Source:
    """Reads the first table of a device-tree or C source as the tool does. Raises Unreadable."""
    file = directory / "example"
    file.write_text(f"/dts-v1/;\n{text}" if text.startswith("/ {") else text, encoding="utf-8")
    return read_sources(str(file))[0]


def driver(
    text: str,
    directory: Path,
    kernels: Sequence[str] = DEFAULT,
    platform: str = ALL_LEVELS.name,
) -> Subject:
    """Returns the first table of a driver's source."""
    read = source(text, directory)
    assert read.table, [finding.message for finding in read.findings]
    return Subject(read.table, [release(name) for name in kernels], parse(platform))


def dts(text: str, directory: Path) -> Subject:
    """Returns the node power-mgt, or the first list, of a device-tree source that dtc compiled."""
    read = source(text, directory)
    assert read.table, [finding.message for finding in read.findings]
    return Subject(read.table, KERNELS, node=read.node)


def changed(table: IdleTable, index: int, **values: Any) -> IdleTable:
    """Returns the table with some values of one row replaced."""
    states = list(table.states)
    states[index] = replace(states[index], **values)
    return replace(table, states=tuple(states))


def rows(*times: tuple[int, int | None], register: Register = Register.PSSCR) -> IdleTable:
    """Returns a table of fast stop states (or naps) named s0, s1, ..., from (latency, residency) in
    ns."""
    flags = 0x10_0000 if register is Register.PSSCR else 0x1_0000
    states = tuple(
        IdleState(f"s{index}", latency, residency, flags, 0x330, 0x3003FF)
        for index, (latency, residency) in enumerate(times)
    )
    cpu = POWER9 if register is Register.PSSCR else POWER8
    return IdleTable("table", states, register, cpu=cpu)


def severities(code: str, subject: Subject) -> list[str]:
    assert rule_named(code) is not None
    return [str(finding.severity) for finding in fired(code, subject)]
