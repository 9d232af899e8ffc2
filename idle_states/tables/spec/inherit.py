"""Resolves extends, override and drop: merges a spec and its ancestors into one.

Each state keeps the document its values were written in, so that a value inherited from
power9.yaml is shown, and complained about, in power9.yaml.
"""

from collections.abc import Callable, Iterable

from ...base.dataclass import dataclass, field
from ...base.model.findings import Location
from ...base.model.table import Provenance, Replaced
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node, Scalar, written
from ...base.wording import suggestion
from .keys import (
    CONFIDENCES,
    HARDWARE_KEYS,
    OF_ACPI,
    OF_TREES,
    PROVENANCE_KEYS,
    PROVENANCE_KINDS,
    REVISION_KEYS,
    STATE_KEYS,
    TOP_KEYS,
    X86,
)

UNSOURCED = ("name", "note", "reason", "cpuidle", "power", "description", "label", "node", "before")
"""Keys whose values need no provenance or state their source themselves."""
_MERGED = ("cpu", "firmware", "partition")
_INHERITED = (*_MERGED, "register", "mask", *OF_TREES, *OF_ACPI)


@dataclass(slots=True)
class StateSource:
    """A state's raw entries after inheritance, with the provenance of each."""

    entries: dict[str, Node]
    keys: dict[str, Location]
    where: Location
    provenance: dict[str, Provenance] = field(default_factory=dict)
    replaced: dict[str, tuple[Replaced, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        node = self.entries.get("name")
        return node.text if isinstance(node, Scalar) else ""

    def copy(self) -> "StateSource":
        own = dict(self.entries), dict(self.keys), self.where, dict(self.provenance)
        return StateSource(*own, dict(self.replaced))

    def override(self, change: "StateSource") -> None:
        """Takes the values of a change. Each has the provenance that the change gives it, or none:
        that of the value that it replaces says nothing of it."""
        for key in change.entries:
            if key in UNSOURCED:
                continue
            before = self.provenance.get(key)
            if key not in change.provenance:
                self.provenance.pop(key, None)
            if key in self.entries:
                node = self.entries[key]
                replaced = Replaced(written(node), node.where, before)
                self.replaced[key] = (replaced, *self.replaced.get(key, ()))
        self.entries.update(change.entries)
        self.keys.update(change.keys)
        self.provenance.update(change.provenance)


@dataclass(slots=True)
class ExpandedSpec:
    """A spec merged with its ancestors.

    ok         False if an ancestor could not be used
    lineage    names of the spec and its ancestors
    processor  the `cpu` that defines the processor, here or in an ancestor; None where none does
    defines    whether it is this spec that does
    """

    document: Mapping
    header: dict[str, Node]
    states: list[StateSource]
    ok: bool = True
    lineage: tuple[str, ...] = ()
    processor: Mapping | None = None
    defines: bool = False


def is_machine(expanded: ExpandedSpec) -> bool:
    """Tells whether the spec is of an Arm or RISC-V machine, not of a table that firmware
    exports."""
    return "architecture" in expanded.header and not is_acpi(expanded)


def is_acpi(expanded: ExpandedSpec) -> bool:
    """Tells whether the spec is of an x86 machine's _CST."""
    node = expanded.header.get("architecture")
    return isinstance(node, Scalar) and node.text == X86


class EndlessChain(Exception):
    """A spec that is its own ancestor, or has too many. The message says which."""


Parent = Callable[[str], ExpandedSpec | None]


def expand(document: Mapping, parent_of: Parent, problems: SpecProblems) -> ExpandedSpec:
    """Merges a document with its ancestors.

    parent_of  returns the expansion of a parent, given its name; None if there is no such spec.
               Raises EndlessChain
    """
    for key, where in document.keys.items():
        if key not in TOP_KEYS:
            problems.unknown_key(key, where, TOP_KEYS)

    base = _parent(document, parent_of, problems)
    header: dict[str, Node] = {}
    states: list[StateSource] = []
    lineage: tuple[str, ...] = ()
    if base is not None:
        header = {key: base.header[key] for key in _INHERITED if key in base.header}
        states = [state.copy() for state in base.states]
        lineage = base.lineage
    own = document.entries.get("name")
    own_name = own.text if isinstance(own, Scalar) else ""
    if "firmware" in header and _revision(own_name) != _revision(lineage[0]):
        header["firmware"] = _of_kin(header["firmware"])
    for key, node in document.entries.items():
        header[key] = _merge(header.get(key), node) if key in _MERGED else node
    processor = _processor(document, base, header)

    ok = base.ok if base is not None else "extends" not in document.entries
    provenance = _table_provenance(document, problems)
    if ok:
        # names of states that a parent should have are no faults where there is no parent
        _apply_override(document, states, provenance, problems)
        _apply_drop(document, states, problems)
    _append_states(document, states, provenance, problems, ok)
    return ExpandedSpec(
        document, header, states, ok, (own_name, *lineage), processor, _defines(document)
    )


def _revision(name: str) -> str:
    """The revision of a table, of today or of the past (REVISION@COMMIT)."""
    return name.partition("@")[0]


def _of_kin(firmware: Node) -> Node:
    """Returns the part of its parent's `firmware` that a revision has: the file. The array, and
    when it is taken, are the parent's alone."""
    if not isinstance(firmware, Mapping):
        return firmware
    return _only(firmware, ("file",))


def _only(node: Mapping, keys: Iterable[str]) -> Mapping:
    kept = {key: value for key, value in node.entries.items() if key in keys}
    return Mapping(kept, node.where, {key: node.keys[key] for key in kept})


def _defines(document: Mapping) -> bool:
    """Tells whether a document defines a processor."""
    cpu = document.entries.get("cpu")
    return isinstance(cpu, Mapping) and "versions" in cpu.entries


def _processor(
    document: Mapping, base: ExpandedSpec | None, header: dict[str, Node]
) -> Mapping | None:
    """The mapping that defines the processor of a document; its header's `cpu` keeps what is the
    revision's. Of a processor that is another than its parent's nothing is inherited but what a new
    one has of the hardware of the old."""
    before = base.processor if base is not None else None
    own = document.entries.get("cpu")
    if not isinstance(own, Mapping):
        return before
    if _defines(document):
        header["cpu"] = _only(own, [key for key in REVISION_KEYS if key != "levels"])
        hardware = _only(before, HARDWARE_KEYS) if before is not None else own
        merged = _merge(hardware, own)
        return merged if isinstance(merged, Mapping) else own
    below = base.header.get("cpu") if base is not None else None
    if "generation" in own.entries and _generation(below) != _generation(own):
        header["cpu"] = own
        return None
    return before


def _generation(cpu: Node | None) -> str:
    node = cpu.entries.get("generation") if isinstance(cpu, Mapping) else None
    return node.text if isinstance(node, Scalar) else ""


def _parent(document: Mapping, parent_of: Parent, problems: SpecProblems) -> ExpandedSpec | None:
    node = document.entries.get("extends")
    if node is None:
        return None
    name = scalars.text(node, "the name of a spec", problems)
    if name is None:
        return None
    try:
        base = parent_of(name)
    except EndlessChain as error:
        problems.add("IS926", "broken-extends", str(error), node.where)
        return None
    if base is None:
        from .packaged import named

        known = [revision.name for revision in named()]
        problems.add(
            "IS926",
            "broken-extends",
            f"expected the name of a spec, found {name!r}"
            f"{_without_ending(name) or suggestion(name, known)}",
            node.where,
        )
    return base


def _merge(below: Node | None, above: Node) -> Node:
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        return Mapping(
            {**below.entries, **above.entries}, above.where, {**below.keys, **above.keys}
        )
    return above


def _table_provenance(document: Mapping, problems: SpecProblems) -> dict[str, Provenance]:
    """Field -> provenance for every state written in this document; "default" for the rest."""
    written = document.entries.get("provenance")
    node = scalars.mapping(written, "a mapping of fields to provenance", problems)
    return _provenance_map(node, problems) if node else {}


def _provenance_map(node: Mapping, problems: SpecProblems) -> dict[str, Provenance]:
    result, known = {}, (*STATE_KEYS, "default")
    for key, value in node.entries.items():
        if key not in known:
            problems.unknown_key(key, node.keys[key], known)
            continue
        if not isinstance(value, Mapping):
            problems.wrong_type(
                "a mapping with kind, source and confidence", value.kind, value.where
            )
            continue
        entry = _provenance(value, problems)
        if entry is not None:
            result[key] = entry
    return result


def _provenance(node: Mapping, problems: SpecProblems) -> Provenance | None:
    for key, where in node.keys.items():
        if key not in PROVENANCE_KEYS:
            problems.unknown_key(key, where, PROVENANCE_KEYS)
    needed = "kind", "source", "confidence"
    if problems.missing(needed, node.entries, "a provenance", node.where):
        return None
    kind = scalars.choice(node.entries["kind"], problems, PROVENANCE_KINDS, "a kind of source")
    source = scalars.text(node.entries["source"], "a source", problems)
    confidence = scalars.choice(node.entries["confidence"], problems, CONFIDENCES, "a confidence")
    note = scalars.text(node.entries.get("note"), "a note", problems) or ""
    if kind is None or source is None or confidence is None:
        return None
    return Provenance(kind, source, confidence, note)


def _state_source(
    node: Mapping, table_provenance: dict[str, Provenance], problems: SpecProblems
) -> StateSource:
    """A state as written in one document, each of its keys with its provenance."""
    for key, where in node.keys.items():
        if key not in STATE_KEYS:
            problems.unknown_key(key, where, STATE_KEYS)
    entries = {key: value for key, value in node.entries.items() if key in STATE_KEYS}
    own: dict[str, Provenance] = {}
    written = entries.pop("provenance", None)
    if isinstance(written, Mapping):
        own = _provenance_map(written, problems)
    elif written is not None:
        problems.wrong_type("a mapping of fields to provenance", written.kind, written.where)
    provenance = {}
    for key in entries:
        if key in UNSOURCED:
            continue
        for candidate in (
            own.get(key),
            own.get("default"),
            table_provenance.get(key),
            table_provenance.get("default"),
        ):
            if candidate is not None:
                provenance[key] = candidate
                break
    return StateSource(entries, dict(node.keys), node.where, provenance)


def _apply_override(
    document: Mapping,
    states: list[StateSource],
    provenance: dict[str, Provenance],
    problems: SpecProblems,
) -> None:
    written = document.entries.get("override")
    node = scalars.mapping(written, "a mapping of state names", problems)
    if node is None:
        return
    for name, change in node.entries.items():
        target = next((state for state in states if state.name == name), None)
        if target is None:
            _no_such_state("override", name, states, node.keys[name], problems)
            continue
        if not isinstance(change, Mapping):
            problems.wrong_type("a mapping of fields", change.kind, change.where)
            continue
        source = _state_source(change, provenance, problems)
        if "before" in source.entries:
            problems.unknown_key("before", source.keys["before"], STATE_KEYS[:-1])
            del source.entries["before"]
        target.override(source)


def _apply_drop(document: Mapping, states: list[StateSource], problems: SpecProblems) -> None:
    for item in scalars.items(document.entries.get("drop"), "a list of state names", problems):
        name = scalars.text(item, "a state's name", problems)
        if name is None:
            continue
        kept = [state for state in states if state.name != name]
        if len(kept) == len(states):
            _no_such_state("drop", name, states, item.where, problems)
        states[:] = kept


def _append_states(
    document: Mapping,
    states: list[StateSource],
    provenance: dict[str, Provenance],
    problems: SpecProblems,
    ok: bool,
) -> None:
    """ok: whether all inherited states are there, so that `before` must name one."""
    written = scalars.items(document.entries.get("states"), "a list of states", problems)
    for item in scalars.mappings(written, "a state as a mapping", problems):
        source = _state_source(item, provenance, problems)
        before = source.entries.pop("before", None)
        position = len(states)
        if before is not None:
            name = scalars.text(before, "a state's name", problems)
            found = [index for index, state in enumerate(states) if state.name == name]
            if found:
                position = found[0]
            elif name is not None and ok:
                _no_such_state("before", name, states, before.where, problems)
        states.insert(position, source)


def _no_such_state(
    key: str, name: str, states: list[StateSource], where: Location, problems: SpecProblems
) -> None:
    known = [state.name for state in states]
    problems.add(
        "IS927",
        "broken-override",
        f"expected {key} to name an inherited state ({', '.join(known) or 'there is none'}), "
        f"found {name!r}{suggestion(name, known)}",
        where,
    )


def _without_ending(name: str) -> str:
    """A hint where a file's name is given for the spec's, or nothing."""
    stem = name.rpartition("/")[2]
    for ending in (".yaml", ".yml"):
        if stem.endswith(ending):
            return f"; a spec is named without its folder and ending: {stem.removesuffix(ending)!r}"
    return ""
