"""Writes an IdleTree as a spec in YAML, without inheritance. Reading the result gives an equal
one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ...base.model.architectures import Architecture
from ...base.model.idle_tree import (
    DOMAIN_STATES,
    STATES,
    IdleTree,
    TreeCpu,
    TreeDomain,
    TreeState,
    folder_of,
    is_text,
    name_of,
)
from ...base.model.units import format_time
from .build_tree import CPUS, NO_METHOD
from .write import scalar, state_notes, texts


def write_tree(idle: IdleTree) -> str:
    """Returns the spec's text."""
    return "\n".join(_lines(idle)) + "\n"


def _lines(idle: IdleTree) -> Iterator[str]:
    yield f"name: {scalar(idle.name)}"
    yield from texts("", ("title", idle.title), ("note", idle.note))
    yield f"architecture: {idle.architecture.name}"
    at = idle.domains_at
    if at != idle.architecture.domains:
        yield f"domains-at: {_path(at)}"
    yield "cpus:" if idle.cpus else "cpus: []"
    alike = groupby(
        idle.cpus, key=lambda c: (c.compatible, c.enable_method, c.states, bool(c.domain))
    )
    for _, cpus in alike:
        yield from _cpus(list(cpus), idle.architecture, at)
    if idle.domains:
        yield "domains:"
    for _, domains in groupby(idle.domains, key=lambda d: (d.states, d.parent, d.label)):
        yield from _domains(list(domains), at)
    if idle.timer_runs:
        yield "timer-always-on: yes"
    yield "states:" if idle.states else "states: []"
    for state in idle.states:
        yield from _state(state)


def _path(path: str) -> str:
    return f'"{path}"'


def _short(path: str, folder: str) -> str:
    """A node as its name in the folder, else as its path."""
    return scalar(name_of(path)) if folder_of(path) == folder else _path(path)


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"


def _wrapped(key: str, names: Sequence[str]) -> Iterator[str]:
    """A list on one line, or if that is long on one line for each."""
    line = f"    {key}: {_list(names)}"
    if len(line) <= 100:
        yield line
        return
    yield f"    {key}:"
    for name in names:
        yield f"      - {name}"


def _cpus(cpus: Sequence[TreeCpu], architecture: Architecture, at: str) -> Iterator[str]:
    yield from _as_item(_wrapped("nodes", [_short(cpu.path, CPUS) for cpu in cpus]))
    first = cpus[0]
    yield f"    compatible: {scalar(first.compatible)}"
    if first.enable_method != architecture.enable_method:
        yield f"    enable-method: {scalar(first.enable_method or NO_METHOD)}"
    if first.states:
        yield from _wrapped("states", [scalar(name) for name in first.states])
    domains = [_short(cpu.domain, at) for cpu in cpus if cpu.domain]
    if len(set(domains)) == 1:
        yield f"    domain: {domains[0]}"
    elif domains:
        yield from _wrapped("domain", domains)


def _domains(domains: Sequence[TreeDomain], at: str) -> Iterator[str]:
    first = domains[0]
    yield from _as_item(_wrapped("nodes", [_short(domain.path, at) for domain in domains]))
    if first.states:
        yield from _wrapped("states", [scalar(name) for name in first.states])
    if first.parent:
        yield f"    parent: {_short(first.parent, at)}"
    yield from texts("    ", ("label", first.label))


def _as_item(lines: Iterable[str]) -> Iterator[str]:
    """The lines as the first of a list's item."""
    for number, line in enumerate(lines):
        yield line if number else f"  - {line.removeprefix('    ')}"


def _value(data: bytes) -> str:
    """Returns the spec's words for a property's value."""
    if not data:
        return "yes"
    if is_text(data):
        return _list(f'"{each}"' for each in data[:-1].decode("ascii").split("\0"))
    cells = [data[at : at + 4] for at in range(0, len(data), 4)]
    return _list(f"{int.from_bytes(cell, 'big'):#x}" for cell in cells)


def _state(state: TreeState) -> Iterator[str]:
    yield f"  - name: {scalar(state.name)}"
    if state.domain:
        yield "    scope: domain"
    folder = DOMAIN_STATES if state.domain else STATES
    if state.path != f"{folder}/{state.name}":
        yield f"    node: {_path(state.path)}"
    yield from texts("    ", ("label", state.label), ("description", state.description))
    if state.compatible:
        yield f"    compatible: {_list(scalar(each) for each in state.compatible)}"
    for key, value in (
        ("entry", state.entry_us),
        ("exit", state.exit_us),
        ("wakeup", state.wakeup_us),
        ("residency", state.residency_us),
    ):
        if value is not None:
            yield f"    {key}: {format_time(value * 1000)}"
    if state.timer_stop:
        yield "    timer-stop: yes"
    if state.parameter is not None:
        yield f"    parameter: {state.parameter:#010x}"
    if state.status:
        yield f"    status: {state.status}"
    if state.properties:
        yield "    properties:"
        for name, data in state.properties:
            yield f"      {scalar(name)}: {_value(data)}"
    yield from state_notes(state)
