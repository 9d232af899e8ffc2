"""Builds an IdleTree from an expanded spec of an Arm or RISC-V machine. Checks every value and
reports all problems."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as MappingType

from ...base.dataclass import dataclass
from ...base.model.architectures import ARCHITECTURES, ARM, OWN_PROPERTIES, Architecture
from ...base.model.findings import Location
from ...base.model.idle_tree import (
    DOMAIN_STATES,
    LABEL,
    STATES,
    STATUSES,
    IdleTree,
    TreeCpu,
    TreeDomain,
    TreeState,
    folder_of,
    is_text,
)
from ...base.model.table import U32_MAX, ReadFrom
from ...base.patterns import pattern
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node, Scalar
from .fields import expect_only, measured_of, once, optional_text, power_of, required_text
from .inherit import ExpandedSpec, StateSource
from .keys import OF_ACPI, OF_TABLES, STATE_OF_ACPI, STATE_OF_TABLES, X86

CPUS = "/cpus"
SCOPES = ("cpu", "domain")
NO_METHOD = "none"
MOST_US = U32_MAX
MOST_CPUS = 4096
MOST_LEVELS = 16

_NODE = pattern(r"[A-Za-z0-9][\w,.+-]{0,30}(?:@[\w,.+-]{1,31})?", re.ASCII)
_PROPERTY = pattern(r"[\w,.+*#?-]{1,31}", re.ASCII)


def build_tree(expanded: ExpandedSpec, file: str, sha256: str, problems: SpecProblems) -> IdleTree:
    """Builds the machine of an expanded spec, adding to `problems`. If there are any, the values
    have no meaning."""
    header, top = expanded.header, expanded.document
    for key in (*OF_TABLES, *OF_ACPI):
        if key in header:
            place = top.keys.get(key, header[key].where)
            problems.add("IS920", "unknown-key", _of_tables(key), place)
    name = required_text(header, "name", "a spec", top.where, problems)
    known = scalars.choice(
        header["architecture"], problems, (*ARCHITECTURES, X86), "an architecture"
    )
    architecture = ARCHITECTURES[known] if known else ARM
    reader = _Reader(architecture, problems)
    states = tuple(
        reader.state(source, f"{name}:states[{index}]")
        for index, source in enumerate(expanded.states)
    )
    once([(state.name, state.where["name"]) for state in states], "each name", problems)
    at = architecture.domains
    if "domains-at" in header:
        at = reader.path(header["domains-at"], "") or at
    names = {state.name for state in states}
    domains = tuple(reader.domains(header.get("domains"), at, names))
    reader.parents(domains)
    cpus: tuple[TreeCpu, ...] = ()
    if "cpus" in header:
        cpus = tuple(reader.cpus(header["cpus"], at, names, domains))
    elif expanded.ok:
        problems.missing_key("cpus", "a spec with an architecture", top.where)
    nodes: tuple[TreeState | TreeDomain | TreeCpu, ...] = (*states, *domains, *cpus)
    once([(node.path, node.where["node"]) for node in nodes], "each node", problems)
    where = {key: location.at(f"{name}:{key}") for key, location in top.keys.items()}
    where["table"] = where.get("name", top.where.at(name))
    return IdleTree(
        name=name,
        architecture=architecture,
        states=states,
        cpus=cpus,
        domains_at=at,
        domains=domains,
        timer_runs=scalars.yes_no(header.get("timer-always-on"), problems) is True,
        title=optional_text(header, "title", problems),
        note=optional_text(header, "note", problems),
        read_from=ReadFrom("spec", file, sha256, where["table"]),
        where=where,
    )


def _of_tables(key: str) -> str:
    others = "x86" if key in (*OF_ACPI, *STATE_OF_ACPI) else "tables of firmware"
    return f"expected a key of specs of Arm and RISC-V machines, found {key!r}, of {others}"


@dataclass(frozen=True, slots=True)
class _Reader:
    """The parts of a spec, for one architecture. What is wrong goes to `problems`."""

    architecture: Architecture
    problems: SpecProblems

    def state(self, source: StateSource, path: str) -> TreeState:
        entries, problems = source.entries, self.problems
        where = {"state": source.where.at(path)}
        for key, node in entries.items():
            where[key] = node.where.at(f"{path}.{key}")
        for key in (*STATE_OF_TABLES, *STATE_OF_ACPI):
            if key in entries:
                problems.add("IS920", "unknown-key", _of_tables(key), where[key])
        name = required_text(entries, "name", "a state", source.where, problems)
        scope = scalars.choice(entries.get("scope"), problems, SCOPES, "a scope of a node")
        domain = scope == "domain"
        folder = DOMAIN_STATES if domain else STATES
        node_path = self.path(entries.get("node", entries.get("name")), folder)
        where.setdefault("name", where["state"])
        where.setdefault("node", where["name"])
        needed = "entry", "exit", "residency"
        problems.missing(needed, entries, "a state", source.where)
        times = [
            scalars.time_us(entries.get(key), problems, most=MOST_US) for key in (*needed, "wakeup")
        ]
        what = "an argument for firmware (u32)"
        parameter = scalars.integer(entries.get("parameter"), problems, most=U32_MAX, what=what)
        status = scalars.choice(entries.get("status"), problems, STATUSES, "a status")
        return TreeState(
            name=name,
            path=node_path or f"{folder}/{name}",
            entry_us=times[0],
            exit_us=times[1],
            residency_us=times[2],
            wakeup_us=times[3] if "wakeup" in entries else None,
            timer_stop=scalars.yes_no(entries.get("timer-stop"), problems) is True,
            parameter=parameter,
            domain=domain,
            description=optional_text(entries, "description", problems),
            compatible=tuple(
                text for text, _ in self.names(entries.get("compatible"), "compatible strings")
            ),
            status=status or "",
            properties=tuple(self.properties(entries.get("properties"))),
            label=self.label(entries),
            note=optional_text(entries, "note", problems),
            measured=measured_of(entries.get("measured"), problems),
            power=power_of(entries.get("power"), problems),
            provenance=source.provenance,
            where=where,
        )

    def properties(self, written: Node | None) -> Iterator[tuple[str, bytes]]:
        """Other properties of a node: yes for an empty one, numbers for cells, quoted strings."""
        node = scalars.mapping(written, "a mapping of properties", self.problems)
        for name, value in node.entries.items() if node else ():
            if not _PROPERTY.fullmatch(name) or name in OWN_PROPERTIES:
                expected = "the name of a property that no key of the spec stands for"
                where = node.keys[name] if node else value.where
                self.problems.out_of_range(expected, repr(name), where)
            elif isinstance(value, Scalar) and not value.quoted and value.text == "yes":
                yield name, b""
            else:
                yield name, b"".join(map(self.value, self.parts(value, "yes, a value or a list")))

    def value(self, node: Node) -> bytes:
        """A string in quotes, or a cell."""
        if isinstance(node, Scalar) and node.quoted:
            data = f"{node.text}\0".encode("utf-8", "replace")
            if not is_text(data):
                expected = "a string of printable ASCII without quotes and backslashes"
                self.problems.wrong_type(expected, repr(node.text), node.where)
            return data
        what = "a string in quotes or a number (u32)"
        number = scalars.integer(node, self.problems, most=U32_MAX, what=what)
        return (number or 0).to_bytes(4, "big")

    def parts(self, node: Node, what: str) -> list[Node]:
        """The items of a list; one alone may stand without it."""
        return [node] if isinstance(node, Scalar) else scalars.items(node, what, self.problems)

    def names(self, node: Node | None, what: str) -> list[tuple[str, Location]]:
        """Names with their places, of one text or a list."""
        if node is None:
            return []
        parts = self.parts(node, what)
        found = [(scalars.text(part, what, self.problems), part.where) for part in parts]
        return [(name, where) for name, where in found if name is not None]

    def label(self, entries: MappingType[str, Node]) -> str:
        found = optional_text(entries, "label", self.problems)
        if found and not LABEL.fullmatch(found):
            message = f"expected a label (letters, digits, _), found {found!a}"
            self.problems.add("IS924", "out-of-range", message, entries["label"].where)
        return found

    def path(self, node: Node | None, folder: str) -> str | None:
        """Path of a node: as it is written, or of that name in the folder."""
        found = scalars.text(node, "the name or path of a node", self.problems)
        return None if found is None or node is None else self.path_of(found, node.where, folder)

    def path_of(self, found: str, where: Location, folder: str) -> str:
        path = found if found.startswith("/") else f"{folder}/{found}"
        parts = path.split("/")[1:]
        if len(parts) > MOST_LEVELS or not all(_NODE.fullmatch(part) for part in parts):
            expected = "a name or path of nodes (letters, digits and ,._+-; at most 31 bytes each)"
            self.problems.add(
                "IS924", "out-of-range", f"expected {expected}, found {found!a}", where
            )
        return path

    def states(self, node: Node | None, known: set[str]) -> tuple[str, ...]:
        """Names of states in a list."""
        found = self.names(node, "a list of states")
        for name, where in found:
            if name not in known:
                self.problems.unknown_name("a state", name, where, sorted(known))
        return tuple(name for name, _ in found)

    def domains(self, node: Node | None, at: str, known: set[str]) -> Iterator[TreeDomain]:
        written = scalars.items(node, "a list of power domains", self.problems)
        for item in scalars.mappings(written, "a power domain as a mapping", self.problems):
            expect_only(item, ("nodes", "states", "parent", "label"), self.problems)
            entries = item.entries
            where = {key: value.where for key, value in entries.items()}
            self.problems.missing(("nodes",), entries, "a power domain", item.where)
            states = self.states(entries.get("states"), known)
            parent = self.path(entries.get("parent"), at)
            label = self.label(entries)
            nodes = self.names(entries.get("nodes"), "names of power domains")
            if label and len(nodes) > 1:
                message = f"expected a label for one node, found {len(nodes)}"
                self.problems.add("IS924", "out-of-range", message, where["label"])
            for name, place in nodes:
                path = self.path_of(name, place, at)
                yield TreeDomain(path, states, parent or "", label, {**where, "node": place})

    def parents(self, domains: Sequence[TreeDomain]) -> None:
        known = {domain.path for domain in domains}
        for domain in domains:
            if domain.parent and domain.parent not in known:
                names = sorted(path.rpartition("/")[2] for path in known)
                found, where = domain.parent.rpartition("/")[2], domain.where["parent"]
                self.problems.unknown_name("a power domain", found, where, names)

    def cpus(
        self, node: Node, at: str, known: set[str], domains: Sequence[TreeDomain]
    ) -> Iterator[TreeCpu]:
        written = scalars.items(node, "a list of CPUs", self.problems)
        count = 0
        for item in scalars.mappings(written, "CPUs as a mapping", self.problems):
            keys = ("nodes", "compatible", "enable-method", "states", "domain")
            expect_only(item, keys, self.problems)
            if self.problems.missing(("nodes",), item.entries, "CPUs", item.where):
                continue
            found = list(self.group(item, at, known, domains))
            count += len(found)
            if count > MOST_CPUS:
                self.problems.out_of_range(f"at most {MOST_CPUS} CPUs", "more", item.where)
                return
            yield from found

    def group(
        self, item: Mapping, at: str, known: set[str], domains: Sequence[TreeDomain]
    ) -> Iterator[TreeCpu]:
        """CPUs that list the same states."""
        entries, problems = item.entries, self.problems
        where = {"cpus": item.where, **{key: value.where for key, value in entries.items()}}
        nodes = self.names(entries["nodes"], "names of CPU nodes")
        method = self.architecture.enable_method
        if "enable-method" in entries:
            method = optional_text(entries, "enable-method", problems)
            method = "" if method == NO_METHOD else method
        compatible = optional_text(entries, "compatible", problems) or self.architecture.cpu
        states = self.states(entries.get("states"), known)
        own = self.names(entries.get("domain"), "names of power domains")
        if len(own) > 1 and len(own) != len(nodes):
            expected = f"one power domain, or one for each of {len(nodes)} CPUs"
            problems.out_of_range(expected, str(len(own)), where["domain"])
            return
        paths = [self.path_of(name, place, at) for name, place in own]
        there = {domain.path for domain in domains}
        for path, (name, place) in zip(paths, own, strict=True):
            if path not in there:
                names = sorted(each.rpartition("/")[2] for each in there)
                problems.unknown_name("a power domain", name, place, names)
        if len(paths) <= 1:
            paths = [*paths, ""][:1] * len(nodes)
        for (name, place), domain in zip(nodes, paths, strict=True):
            path = self.path_of(name, place, CPUS)
            if folder_of(path) != CPUS:
                problems.out_of_range(f"a node below {CPUS}", path, place)
            yield TreeCpu(path, compatible, method, states, domain, {**where, "node": place})
