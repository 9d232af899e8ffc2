"""Builds the table of an x86 machine's _CST from an expanded spec. Checks every value and reports
all problems.

Source: ACPI specification 6.5, 8.4.1.1 (_CST); Linux drivers/acpi/acpi_processor.c
acpi_processor_evaluate_cst(), which reads it.
"""

import re
from collections.abc import Mapping

from ...base.model.acpi_objects import HALT, SPACES, AcpiProcessor, AcpiRegister, CstEntry
from ...base.model.beyond_opal import AcpiIdle
from ...base.model.findings import Location
from ...base.model.table import U32_MAX, U64_MAX, IdleState, IdleTable, ReadFrom, Register
from ...base.patterns import pattern
from ...base.reading import limits, scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Node, Scalar
from ...base.wording import joined
from .fields import measured_of, once, optional_text, power_of, required_text
from .inherit import ExpandedSpec, StateSource
from .keys import OF_ACPI, STATE_KEYS, STATE_OF_ACPI, TOP_KEYS

_TOP = (
    *("name", "title", "note", "extends", "architecture", "provenance"),
    *("states", "override", "drop", *OF_ACPI),
)
_STATE = (*("name", "latency", "note", "measured", "power", "provenance", "before"), *STATE_OF_ACPI)
TYPES, MOST_PORT = range(1, 4), 0xFFFF
LPI_RESIDENCY = "lpi-residency"
_REGISTER = (None, 0xFF, 0xFF, U64_MAX, 0xFF)
"""Greatest values of Register (): address space (a name or a number), width, offset, address and
access size."""
_PATH = pattern(r"\\(?:[A-Z_][A-Z0-9_]{0,3}\.)*[A-Z_][A-Z0-9_]{0,3}", re.ASCII)
_NO_RESIDENCY = (
    "expected no residency, which _CST has no place for: Linux makes it of the latency (acpi_idle "
    "twice, intel_idle three times as long); of a _LPI it is lpi-residency"
)


def build_acpi(expanded: ExpandedSpec, file: str, sha256: str, problems: SpecProblems) -> IdleTable:
    """Builds the table of an expanded spec, adding to `problems`. If there are any, the values have
    no meaning."""
    header, top = expanded.header, expanded.document
    for key in header:
        if key in TOP_KEYS and key not in _TOP:
            problems.unknown_key(key, top.keys.get(key, header[key].where), _TOP)
    name = required_text(header, "name", "a spec", top.where, problems)
    states, entries, residencies_us = list[IdleState](), list[CstEntry](), list[int]()
    for index, source in enumerate(expanded.states):
        state, entry = _state(source, f"{name}:states[{index}]", problems)
        states.append(state)
        entries.append(entry)
        if LPI_RESIDENCY in source.entries:
            residencies_us.append(scalars.time_us(source.entries[LPI_RESIDENCY], problems))
    if residencies_us and len(residencies_us) < len(states):
        lacking = next(each for each in expanded.states if LPI_RESIDENCY not in each.entries)
        problems.missing_key(LPI_RESIDENCY, "every state, as in others", lacking.where)
        residencies_us = []
    names = [(state.name, state.where.get("name", state.where["state"])) for state in states]
    once(names, "each name", problems)
    processors: tuple[AcpiProcessor, ...] = ()
    if "processors" in header:
        processors = _processors(header["processors"], problems)
    elif expanded.ok:
        problems.missing_key("processors", "a spec of x86", top.where)
    where = {key: location.at(f"{name}:{key}") for key, location in top.keys.items()}
    where["table"] = where.get("name", top.where.at(name))
    return IdleTable(
        name=name,
        states=tuple(states),
        register=Register.NONE,
        origin=AcpiIdle.of_states(processors, entries, [name for name, _ in names], residencies_us),
        title=optional_text(header, "title", problems),
        note=optional_text(header, "note", problems),
        read_from=ReadFrom("spec", file, sha256, where["table"]),
        where=where,
    )


def _state(source: StateSource, path: str, problems: SpecProblems) -> tuple[IdleState, CstEntry]:
    """A state, and its element of _CST."""
    entries = source.entries
    where = {"state": source.where.at(path)}
    for key, node in entries.items():
        where[key] = node.where.at(f"{path}.{key}")
        if key == "residency":
            problems.add("IS920", "unknown-key", _NO_RESIDENCY, where[key])
        elif key in STATE_KEYS and key not in _STATE:
            problems.unknown_key(key, source.keys.get(key, node.where), _STATE)
    name = required_text(entries, "name", "a state", source.where, problems)
    problems.missing(("latency", "type"), entries, "a state", source.where)
    latency_us = scalars.time_us(entries.get("latency"), problems)
    what = "a type of C-state, 1 to 3"
    kind = scalars.integer(entries.get("type"), problems, most=TYPES[-1], what=what)
    if kind == 0:
        problems.out_of_range(what, "0", where["type"])
    kind = kind or 1
    register = _register(entries, kind, source.where, problems)
    what = "a power in mW (u32)"
    power_mw = scalars.integer(entries.get("power-mw"), problems, most=U32_MAX, what=what) or 0
    state = IdleState(
        name,
        latency_us * 1000,
        None,
        flags=0,
        note=optional_text(entries, "note", problems) or f"type C{kind}, {register}",
        measured=measured_of(entries.get("measured"), problems),
        power=power_of(entries.get("power"), problems),
        provenance=source.provenance,
        where=where,
    )
    return state, CstEntry(register, kind, latency_us, power_mw)


def _register(
    entries: Mapping[str, Node], kind: int, where: Location, problems: SpecProblems
) -> AcpiRegister:
    """Returns the way to enter the state: by MWAIT, by reading a port, by a register that says
    either in other words, or, for C1 alone, by HLT."""
    ways = [key for key in ("mwait", "port", "register") if key in entries]
    if len(ways) > 1:
        message = f"expected mwait, port or register, found {joined(ways)}"
        problems.add("IS922", "wrong-type", message, entries[ways[-1]].where)
    if "register" in entries:
        return _of_asl(entries["register"], problems)
    for key, made, what, most in (
        ("mwait", AcpiRegister.mwait, "a hint for MWAIT (u32)", U32_MAX),
        ("port", AcpiRegister.port, "an I/O port (u16)", MOST_PORT),
    ):
        if key in entries:
            return made(scalars.integer(entries[key], problems, most=most, what=what) or 0)
    if kind != 1:
        problems.missing_key("mwait or port", f"a state of type {kind}", where)
    return HALT


def _of_asl(written: Node, problems: SpecProblems) -> AcpiRegister:
    """The register that ASL's Register () makes of the same words."""
    what = "a register as in ASL: [SystemIO, 8, 0, 0x414, 1]"
    items = scalars.items(written, what, problems)
    if len(items) != len(_REGISTER):
        problems.wrong_type(what, f"{len(items)} values", written.where)
        return HALT
    name2space = {name: space for space, name in SPACES.items()}
    space, *numbers = (
        name2space[item.text]
        if isinstance(item, Scalar) and most is None and item.text in name2space
        else scalars.integer(item, problems, most=0xFF if most is None else most, what=what) or 0
        for item, most in zip(items, _REGISTER, strict=True)
    )
    width, offset, address, access_size = numbers
    return AcpiRegister(space, width, offset, access_size, address)


def _processors(written: Node, problems: SpecProblems) -> tuple[AcpiProcessor, ...]:
    items = scalars.items(written, "a list of processors", problems)
    if not items:
        problems.wrong_type("at least one processor", "none", written.where)
    if len(items) > limits.ACPI_PROCESSORS:
        expected = f"at most {limits.ACPI_PROCESSORS} processors"
        problems.out_of_range(expected, str(len(items)), written.where)
    texts = [scalars.text(item, "the path of a processor", problems) for item in items]
    found = [(path, item.where) for path, item in zip(texts, items, strict=True) if path]
    for path, where in found:
        if not _PATH.fullmatch(path):
            problems.out_of_range(r"a path such as \_SB.CPU0", repr(path), where)
    once(found, "each name", problems)
    return tuple(AcpiProcessor(path, is_device=True) for path in dict(found))
