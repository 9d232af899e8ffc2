"""A table as a device tree: /ibm,opal/power-mgt as skiboot would leave it, in a tree around it.

Scan, then generate: everything that cannot be expressed is found before anything is made.
"""

from collections.abc import Iterator, Sequence

from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import NAME_BYTES, IdleState, IdleTable, Register
from ..skiboot.export import export
from ..skiboot.platform import Platform
from . import versioned as versioned_form
from .tree import Node

MOST_FINDINGS = 100


def tree_of(
    table: IdleTable,
    platform: Platform,
    node: PowerMgt | None = None,
    *,
    versioned: bool = False,
) -> Node:
    """The root of a small tree: the node skiboot exports on the platform, and the CPU.

    node       the node a table was read from; its ibm,* properties are taken as they are,
               whatever the platform
    versioned  the proposed form with one node per state, see `versioned`

    Raises CannotGenerate (IS933) with everything that stands in the way.
    """
    if table.register is Register.NONE:
        raise CannotGenerate([_finding(table, None, _NO_FIRMWARE)])
    states: Sequence[IdleState] = table.states
    indices: Sequence[int] = range(len(states))
    problems: list[Finding] = []
    if node is None:
        exported = export(table, platform.expect_chip(table.cpu))
        if exported.node is None or exported.outcome != "ok":
            raise CannotGenerate([_finding(table, None, _OUTCOMES[exported.outcome])])
        node, indices = exported.node, exported.indices
        states = [table.states[index] for index in indices]
        problems += _array_problems(table, indices)
    if versioned:
        problems += (
            _finding(table, None if position is None else indices[position], message, field)
            for position, field, message in versioned_form.problems(states, table.register)
        )
    if problems:
        raise CannotGenerate(problems[:MOST_FINDINGS])
    # others belong to children (occ@, psr) that this tree does not have
    own = {name: data for name, data in node.properties.items() if name.startswith("ibm,")}
    if versioned:
        return _around(table, versioned_form.power_mgt(own, states))
    return _around(table, Node("power-mgt", own))


_NO_FIRMWARE = "expected a table that firmware exports, found one compiled into the kernel"
_OUTCOMES = {
    "hang": "expected a table that skiboot can export, found one on which its loop never ends",
    "abort": "expected a table that skiboot can export, found one on which its assert stops the "
    "boot: the names are longer than its u8 can count",
}


def _array_problems(table: IdleTable, indices: Sequence[int]) -> Iterator[Finding]:
    """Yields the problems of exported rows that skiboot's struct or the arrays cannot hold."""
    timed = [table.states[index].residency_ns is not None for index in indices]
    for index in indices:
        state = table.states[index]
        bad = next((char for char in state.name if not " " <= char <= "~"), None)
        if bad is not None:
            message = f"expected a name of printable ASCII, found {state.name!a}"
            yield _finding(table, index, message, "name")
        elif len(state.name) >= NAME_BYTES:
            message = (
                f"expected a name of at most {NAME_BYTES - 1} bytes, found {state.name!a}, which "
                "skiboot's struct cannot hold with its NUL"
            )
            yield _finding(table, index, message, "name")
        if any(timed) and state.residency_ns is None:
            message = f"expected a target residency for {state.name!a} as for others, found none"
            yield _finding(table, index, message, "residency")


def _finding(table: IdleTable, index: int | None, message: str, field: str = "") -> Finding:
    if index is None:
        where = table.where.get("table", Location(path=table.name))
    else:
        places = table.states[index].where
        where = places.get(field) or places.get("state") or Location(path=table.path(index, field))
    return cannot_generate(message, where, table.name)


def _around(table: IdleTable, power_mgt: Node) -> Node:
    """Returns the smallest tree that dtc accepts without warnings and that names the processor."""
    two = (2).to_bytes(4, "big")
    opal = b"ibm,opal-v3\0" if table.register is Register.PSSCR else b"ibm,opal-v2\0ibm,opal-v3\0"
    return Node(
        "",
        {"#address-cells": two, "#size-cells": two, "compatible": b"ibm,powernv\0"},
        (*_cpus(table), Node("ibm,opal", {"compatible": opal}, (power_mgt,))),
    )


def _cpus(table: IdleTable) -> Iterator[Node]:
    """One CPU of the table's kind, none if it is unknown. The PVR's revision is left at 0."""
    if table.cpu is None:
        return
    properties = {"device_type": b"cpu\0", "reg": bytes(4)}
    if table.cpu.pvr:
        properties["cpu-version"] = (table.cpu.pvr << 16).to_bytes(4, "big")
    cpu = Node(f"{table.cpu.processor.node}@0", properties)
    cells = {"#address-cells": (1).to_bytes(4, "big"), "#size-cells": bytes(4)}
    yield Node("cpus", cells, (cpu,))
