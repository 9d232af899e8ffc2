"""The power-mgt node with a version for each state, as proposed and never merged.

Older kernels find the states of requested level 0 in the arrays they know. Every other state
is a node below ibm,idle-states whose compatible names state and version; a kernel that does not
know a version leaves out that state and all that are deeper.

    power-mgt {
        ibm,cpu-idle-state-names = "stop0_lite", "stop0";
        ibm,idle-states {
            stop4 {
                compatible = "stop4,v1";
                flags = <0x207000>;
                latency-ns = <0x186a0>;
                residency-ns = <0x989680>;
                psscr = <0x0 0x300374>;
                psscr-mask = <0x0 0x3003ff>;

Source: skiboot issue 177; skiboot list, RFC "New device-tree format", 2019-08-09; Linux RFC "New
idle device-tree format and support for versioned stop state", 2019-08-23, whose parser reads
flags as 64 bits where its own example and skiboot have 32.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from ...base.model.power_mgt import CELL_BYTES, NAMES, encode
from ...base.model.table import IdleState, Register
from ...base.patterns import pattern
from .tree import Node

NODE = "ibm,idle-states"
VERSION = 1

_NAME = pattern(r"[A-Za-z0-9,._+-]{1,31}", re.ASCII)
"""Devicetree Specification, section 2.2.1: what a node may be called."""

_ARRAYS = {NAMES, *CELL_BYTES}

Problem = tuple[int | None, str, str]


def problems(states: Sequence[IdleState], register: Register) -> Iterator[Problem]:
    """(position, field, message) of what this form cannot express; position None: the table."""
    if register is not Register.PSSCR:
        yield None, "", f"expected stop states requested through PSSCR, found {register.upper()}"
        return
    first: dict[str, int] = {}
    for position, state in enumerate(states):
        if state.residency_ns is None:
            message = f"expected a target residency for {state.name!a}, found none"
            yield position, "residency", message
        if not state.level:
            continue
        if not _NAME.fullmatch(state.name):
            message = (
                "expected a name that can be a node's (1 to 31 letters, digits and ,._+-), found "
                f"{state.name!a}"
            )
            yield position, "name", message
        if first.setdefault(state.name, position) != position:
            yield position, "name", f"expected each name once, found {state.name!a} again"


def power_mgt(properties: Mapping[str, bytes], states: Sequence[IdleState]) -> Node:
    """The node in this form, from the properties of the merged form and the states it carries."""
    arrays = encode((state for state in states if not state.level), Register.PSSCR)
    rest = {name: data for name, data in properties.items() if name not in _ARRAYS}
    deeper = tuple(_state(state) for state in states if state.level)
    return Node("power-mgt", rest | arrays, (Node(NODE, {}, deeper),))


def _state(state: IdleState) -> Node:
    return Node(
        state.name,
        {
            "compatible": f"{state.name},v{VERSION}\0".encode("ascii"),
            "flags": state.flags.to_bytes(4, "big"),
            "latency-ns": state.latency_ns.to_bytes(4, "big"),
            "residency-ns": (state.residency_ns or 0).to_bytes(4, "big"),
            "psscr": state.control.to_bytes(8, "big"),
            "psscr-mask": state.mask.to_bytes(8, "big"),
        },
    )
