"""Topologies from files: a device tree as blob or source, or YAML.

    name: two clusters
    cpus: 8
    threads: 2            # the words of the command line: a regular machine
    fused: no
    pair: 2
    cluster: 4

An irregular machine lists the CPUs of each group. Defaults of omitted groupings: every CPU is a
core; small_core is as core, pair as small_core, quad and cluster as pair; all CPUs share one llc:

    name: big and little
    groups:
      core: [[0, 1], [2], [3]]
      llc: [[0, 1], [2, 3]]
"""

from pathlib import Path

from ...base.model.findings import Unreadable, next_step, unreadable
from ...base.reading import opening, scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Sequence, decode, parse
from .topology import CPUS_MAX, GROUPINGS, BadTopology, Shape, Topology, numbered, regular
from .topology_tree import from_tree

_NUMBERS = ("cpus", "threads", "pair", "quad", "cluster", "llc")
_KEYS = ("name", *_NUMBERS, "fused", "groups")
_BLOB = b"\xd0\x0d\xfe\xed"


@next_step('correct the file, or give the machine in words: --topology "cpus=96,threads=4,llc=8"')
def read(path: Path) -> Topology:
    """Raises OSError; Unreadable, with the place of every problem."""
    from ...tables.devicetree import dts, fdt

    file = str(path)
    data = opening.read(path)
    try:
        if data.startswith(_BLOB):
            return from_tree(fdt.read(data, file), file)
        if data.lstrip().startswith(b"/dts-v1/"):
            return from_tree(dts.read(data, file), file)
        return _from_yaml(data, file)
    except BadTopology as error:
        raise unreadable(file, str(error)) from None


def _from_yaml(data: bytes, file: str) -> Topology:
    text = decode(data, file)
    document = parse(text, file)
    problems = SpecProblems()
    problems.unknown_keys(document, _KEYS, "a topology")
    name = file
    if "name" in document.entries:
        name = scalars.text(document.entries["name"], "a name", problems) or file
    made = None
    try:
        if "groups" in document.entries:
            made = _grouped(document, name, problems)
        else:
            made = _regular(document, name, problems)
    except BadTopology as error:
        problems.add("IS924", "out-of-range", str(error), document.where)
    if problems.findings or made is None:
        raise Unreadable(problems.findings, {file: text})
    return made


def _regular(document: Mapping, name: str, problems: SpecProblems) -> Topology | None:
    values: dict[str, int] = {}
    for key in _NUMBERS:
        if key in document.entries:
            node = document.entries[key]
            value = scalars.integer(node, problems, most=CPUS_MAX, what="a number")
            if value is not None:
                values[key] = value
    fused = False
    if "fused" in document.entries:
        fused = bool(scalars.yes_no(document.entries["fused"], problems))
    if "cpus" not in document.entries:
        problems.missing_key("cpus", "a topology", document.where)
    if problems.findings:
        return None
    return regular(Shape(fused=fused, **values), name)


def _grouped(document: Mapping, name: str, problems: SpecProblems) -> Topology | None:
    for key in ("fused", *_NUMBERS):
        if key in document.entries:
            problems.wrong_type("groups alone", f"{key}, too", document.keys[key])
    node = scalars.mapping(document.entries["groups"], "groups of CPUs by name", problems)
    if node is None:
        return None
    found: dict[str, dict[int, int]] = {}
    for key, value in node.entries.items():
        if key not in GROUPINGS:
            problems.unknown_name("a grouping", key, node.keys[key], GROUPINGS)
        elif not isinstance(value, Sequence):
            problems.wrong_type("a list of lists of CPUs", value.kind, value.where)
        else:
            found[key] = _members(value, problems)
    if problems.findings:
        return None
    cpus = sorted(set().union(*found.values()))
    if cpus != list(range(len(cpus))) or not cpus:
        raise BadTopology(f"expected CPUs 0, 1, 2 ..., found {cpus[:8]}")
    for key, members in found.items():
        if len(members) != len(cpus):
            missing = next(cpu for cpu in cpus if cpu not in members)
            raise BadTopology(f"expected CPU {missing} in a {key}, found it in none")
    groups = {key: numbered([of[cpu] for cpu in cpus]) for key, of in found.items()}
    core = groups.setdefault("core", tuple(cpus))
    small = groups.setdefault("small_core", core)
    pair = groups.setdefault("pair", small)
    groups.setdefault("quad", pair)
    groups.setdefault("cluster", pair)
    groups.setdefault("llc", (0,) * len(cpus))
    return Topology(name, **groups)


def _members(value: Sequence, problems: SpecProblems) -> dict[int, int]:
    """Returns CPU -> number of its group."""
    found: dict[int, int] = {}
    for number, group in enumerate(value.items):
        items = group.items if isinstance(group, Sequence) else [group]
        for item in items:
            cpu = scalars.integer(item, problems, most=CPUS_MAX - 1, what="a CPU")
            if cpu is not None and found.setdefault(cpu, number) != number:
                problems.wrong_type(f"CPU {cpu} in one group", "two", item.where)
    return found
