"""From boards as they are to a TABLE's idle states: the edits of one file that make them equal.

A node that is the same one under another name is renamed; what is left comes or goes.
The power domains themselves, and CPUs, are not changed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ...base.dataclass import dataclass, field, replace
from ...base.model.architectures import ARM, RISCV
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.findings import Faulty, Finding, Location
from ...base.model.idle_tree import STATES, folder_of, name_of
from ...base.wording import joined
from ...tables.devicetree.board_builds import BuiltBoard
from ...tables.devicetree.idle_nodes import METHOD, lists_of
from ...tables.devicetree.patching.edit import Place
from ...tables.devicetree.patching.source import DtsText
from ...tables.devicetree.patching.values import FLAGS, TIMES, DtsValue
from ...tables.devicetree.source_trees import short_name
from .description import Patch
from .dts_boards import path_on, place_on, value_in, value_on
from .dts_edits import DtsEdit, NodeEdit, PropertyEdit, RenameEdit
from .dts_machine import LinkedStates, Owner, WantedMachine, facts_of
from .faults import cannot_patch

_PROPERTIES = (
    "compatible",
    "idle-state-name",
    *FLAGS,
    ARM.parameter,
    RISCV.parameter,
    *TIMES,
    "status",
)
"""Properties of a state's node, in the order of the bindings' examples."""
_VALUES, _NEW, _LISTS, _NAMES, _GONE = range(5)
"""The order in which edits are made. Nodes get other names after all edits but removals, so that
edits before name them as the file did at first."""


_MOST_NAMES = 5
"""Boards of another kind that are named."""


def patch_towards(
    wanted: WantedMachine, path: str, text: str, boards: Mapping[str, BuiltBoard]
) -> Patch:
    """A patch of the file, without edits if the boards have what is wanted.

    path, text  the file, by its path in the tree
    boards      all that include it, by theirs

    Raises Faulty (IS934) with every reason why it cannot be.
    """
    source = DtsText(text, path)
    merged: dict[tuple[str, str], tuple[int, DtsEdit, str]] = {}
    findings: list[Finding] = []
    known = {cpu for board in boards.values() for one in _lists(board) for cpu in one.cpus}
    missing = [cpu for one in wanted.lists for cpu in one.cpus if cpu not in known]
    if missing:
        names = joined([name_of(cpu) for cpu in missing])
        message = f"expected the CPUs of {wanted.name}, found no {names} on any board"
        findings.append(cannot_patch(message, Location(file=path)))
    labels = frozenset(source.label2path).union(*(board.labels for board in boards.values()))
    other_machines: dict[str, tuple[Finding, list[str]]] = {}
    for name, board in boards.items():
        towards = _Towards(wanted, source, path, board, labels)
        for rank, edit in towards.edits():
            key = edit.node, edit.property if isinstance(edit, PropertyEdit) else str(rank)
            other = merged.setdefault(key, (rank, edit, name))
            if other[1] != edit:
                what = f"{edit.node}:{key[1]}" if isinstance(edit, PropertyEdit) else edit.node
                message = f"expected {what} alike on all boards, found {other[2]} and {name}"
                findings.append(cannot_patch(f"{message} otherwise", Location(file=path)))
        findings += [one for one in towards.findings if one not in findings]
        if towards.other_machine:
            one = towards.other_machine
            other_machines.setdefault(one.message, (one, []))[1].append(name_of(name))
    for one, alike in other_machines.values():
        more = f" and {len(alike) - _MOST_NAMES} more" if len(alike) > _MOST_NAMES else ""
        shown = f"{', '.join(alike[:_MOST_NAMES])}{more}" if more else joined(alike)
        findings.append(replace(one, message=f"{one.message} on {shown}"))
    if findings:
        raise Faulty(findings)
    edits = [edit for _, edit, _ in sorted(merged.values(), key=lambda one: one[0])]
    return Patch(
        name=wanted.name,
        subject=f"{_area(path)}: Bring the idle states in line with {name_of(wanted.name)}",
        body="",
        edits=(),
        file=wanted.file,
        sha256=wanted.sha256,
        dts=tuple(edits),
    )


def unlike(wanted: WantedMachine, boards: Mapping[str, BuiltBoard]) -> list[Finding]:
    """The boards whose CPUs' tables, as patched, are not those wanted."""
    facts = facts_of(wanted.lists)
    found = []
    for name, board in boards.items():
        for cpu, own in facts_of(_lists(board)).items():
            if own != facts.get(cpu):
                message = f"expected the states of {cpu} as {wanted.name} has them, found others"
                found.append(cannot_patch(f"{message} on {name}", Location(cpu, board.shown)))
                break
    return found


def _lists(board: BuiltBoard) -> tuple[IdleList, ...]:
    return lists_of(board.root, board.shown, bare=True)


def _area(path: str) -> str:
    """Returns the prefix of subjects for patches to a file: "arm64: dts: qcom: sm8250"."""
    arch, _, rest = short_name(path).partition("/")
    parts = rest.rpartition(".")[0].split("/")
    return ": ".join([arch if arch != "arm" else "ARM", "dts", *parts])


@dataclass(slots=True)
class _Towards:
    """The edits for one board.

    used     labels that a new node cannot have
    same     path of a wanted node -> that of the board's that it is
    labels   path of a wanted node -> how lists refer to it
    written  path of a node that the file writes -> how the file calls it
    folders  paths of nodes that hold states and come with them
    other_machine   why the board cannot have what is wanted at all
    """

    wanted: WantedMachine
    source: DtsText
    path: str
    board: BuiltBoard
    used: frozenset[str]
    findings: list[Finding] = field(default_factory=list)
    other_machine: Finding | None = None
    have: LinkedStates = field(init=False)
    want: LinkedStates = field(init=False)
    same: Mapping[str, str] = field(init=False)
    labels: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def edits(self) -> Iterator[tuple[int, DtsEdit]]:
        lists = _lists(self.board)
        cpus = {cpu for one in lists for cpu in one.cpus}
        wanted_cpus = [cpu for one in self.wanted.lists for cpu in one.cpus]
        others = sorted(cpus - set(wanted_cpus))
        if not lists or others:
            listed = ", ".join(map(name_of, others)) or "no CPU with idle states"
            self.refuse_machine(f"expected the CPUs of {self.wanted.name}, found {listed}")
            return
        self.have = LinkedStates.of(lists)
        self.want = LinkedStates.of(
            self.wanted.lists, [cpu for cpu in wanted_cpus if cpu not in cpus]
        )
        if self.have.domain_names() != self.want.domain_names():
            message = f"expected the power domains of {self.wanted.name}, which are changed by hand"
            self.refuse_machine(f"{message}, found others")
            return
        self.same = same_nodes(self.want, self.have)
        yield from self.values()
        yield from self.new_nodes()
        yield from self.methods()
        yield from self.list_edits()
        for new, old in self.same.items():
            if name_of(new) != name_of(old):
                named = self.named(old)
                if named:
                    edit = RenameEdit(self.path, named, name_of(old), name_of(new))
                    yield _NAMES, edit
        for old in self.have.nodes:
            if old not in self.same.values():
                named = self.named(old)
                if named:
                    yield _GONE, NodeEdit(self.path, named)

    def values(self) -> Iterator[tuple[int, DtsEdit]]:
        for new, old in self.same.items():
            node = self.want.nodes[new]
            for name in _PROPERTIES:
                after = self.given(node, name)
                before = value_on(self.board, old, name)
                if before == after:
                    continue
                if name == "status" and node.available and self.is_available(old):
                    continue
                yield from self.property(old, name, before, after, _VALUES)

    def is_available(self, path: str) -> bool:
        node = self.board.root.find(path)
        return node is not None and ListedNode(path, node.properties).available

    def given(self, node: ListedNode, name: str) -> DtsValue:
        """A property of a wanted node."""
        data = node.properties.get(name)
        value = None if data is None else value_in(data, name)
        if isinstance(value, bytes):
            self.findings.append(
                cannot_patch(f"expected a value of {name}, found {len(value)} bytes", node.at(name))
            )
            return None
        return value

    def property(
        self, path: str, name: str, before: object, after: DtsValue, rank: int
    ) -> Iterator[tuple[int, DtsEdit]]:
        if isinstance(before, bytes):
            found = f"expected a value of {name} of {path}, found {len(before)} bytes"
            self.refuse(f"{found}; change it by hand", path, name)
            return
        named = self.named(path, name)
        if named:
            assert before is None or isinstance(before, bool | int | str | tuple)
            yield rank, PropertyEdit(self.path, named, name, before, after)

    def new_nodes(self) -> Iterator[tuple[int, DtsEdit]]:
        self.labels = {new: self.label(old) for new, old in self.same.items()}
        used = set(self.used)
        for new, node in self.want.nodes.items():
            if new in self.same:
                continue
            label = unique = self.wanted.labels.get(new) or _label(new)
            number = 2
            while unique in used:
                unique, number = f"{label}_{number}", number + 1
            used.add(unique)
            beside, place = self.beside(new)
            folder = folder_of(new)
            if not beside:
                beside, place = self.in_file(folder), "in"
            if not beside and folder not in self.folders and not self.has(folder):
                yield from self.new_folder(folder)
            if not beside and folder in self.folders:
                beside = folder
            if not beside:
                message = f"expected a node that {name_of(new)} can stand beside or in"
                self.refuse(f"{message}, found none in {self.path}", "/cpus")
                continue
            self.labels[new] = unique
            given = {name: self.given(node, name) for name in _PROPERTIES}
            properties = {name: value for name, value in given.items() if value is not None}
            yield (_NEW, NodeEdit(self.path, unique, properties, name_of(new), beside, place))

    def has(self, path: str) -> bool:
        return self.board.root.find(path) is not None

    def new_folder(self, path: str) -> Iterator[tuple[int, DtsEdit]]:
        """The node that is to hold the states, where the file writes the one around it."""
        around = self.in_file(folder_of(path) or "/")
        if around:
            self.folders.add(path)
            psci = path == STATES and any(
                one.enable_method == "psci" for one in self.want.cpus.values()
            )
            given: dict[str, DtsValue] = {"entry-method": "psci"} if psci else {}
            yield _NEW, NodeEdit(self.path, path, given, name_of(path), around, "in")

    def beside(self, path: str) -> tuple[str, Place]:
        """The node that a new one stands after, or before, by how the file calls it: its neighbour
        in a list, else any of its kind; "" for none."""
        found: list[tuple[str, Place]] = []
        for nodes in self.want.lists.values():
            if path in nodes:
                at = nodes.index(path)
                found += [(one, "after") for one in nodes[:at][::-1]]
                found += [(one, "before") for one in nodes[at + 1 :]]
        for one, place in found:
            named = self.in_file(self.same[one]) if one in self.same else self.labels.get(one)
            if named:
                return named, place
        kind = self.want.nodes[path].strings("compatible")
        alike = [old for old, node in self.have.nodes.items() if node.strings("compatible") == kind]
        return next((named for old in alike[::-1] if (named := self.in_file(old))), ""), "after"

    def methods(self) -> Iterator[tuple[int, DtsEdit]]:
        for cpu, one in self.want.cpus.items():
            before = value_on(self.board, cpu, METHOD)
            after = one.enable_method or None
            if before != after:
                yield from self.property(cpu, METHOD, before, after, _VALUES)

    def list_edits(self) -> Iterator[tuple[int, DtsEdit]]:
        mine = {(name_of(owner), name): (owner, name) for owner, name in self.have.lists}
        for (owner, name), nodes in self.want.lists.items():
            key: Owner | None = mine.get((name_of(owner), name))
            if key is None or any(node not in self.labels for node in nodes):
                # refused already
                continue
            before = self.have.lists[key]
            if tuple(self.same.get(node, "") for node in nodes) == before:
                continue
            labels = tuple(self.labels[node] for node in nodes)
            if "" in labels:
                continue
            old = tuple(self.label(node) for node in before)
            yield from self.property(key[0], name, old or None, labels or None, _LISTS)

    def label(self, path: str) -> str:
        """Returns the label by which lists refer to a node of the board."""
        labels = [label for label, other in self.board.labels.items() if other == path]
        if not labels:
            self.refuse(f"expected a label of {path}, which lists refer to, found none", path)
        own = [label for label in labels if label in self.source.label2path]
        return next(iter([*own, *labels]), "")

    def named(self, path: str, name: str = "") -> str:
        """Returns the file's name for a node of the board; "" after refusing if it has none."""
        found = self.in_file(path)
        if not found:
            self.refuse(f"expected {path} in {self.path}, found it in another file", path, name)
        return found

    def in_file(self, path: str) -> str:
        """Returns the file's name for a node of the board; "" if it does not write the node."""
        if not self.written:
            labels = {own: label for label, own in self.source.label2path.items()}
            for block in self.source.all_blocks():
                own = labels.get(block.path) or block.path.removeprefix("&")
                known = self.written.setdefault(path_on(self.board, block.path), own)
                if "/" in known and "/" not in own:
                    self.written[path_on(self.board, block.path)] = own
        return self.written.get(path, "")

    def refuse_machine(self, message: str) -> None:
        """For what the board is, not for a value; said once of all boards that are so."""
        self.other_machine = cannot_patch(message, place_on(self.board, "/cpus", ""))

    def refuse(self, message: str, path: str, name: str = "") -> None:
        finding = cannot_patch(message, place_on(self.board, path, name))
        if finding not in self.findings:
            self.findings.append(finding)


def _label(path: str) -> str:
    made = re.sub(r"\W", "_", name_of(path).partition("@")[0].upper(), flags=re.ASCII)
    return f"_{made}" if made[:1].isdigit() else made


def same_nodes(want: LinkedStates, have: LinkedStates) -> dict[str, str]:
    """Maps the path of each wanted node to the board's node; unmatched nodes are left out."""
    own = {**have.unlisted, **have.nodes}
    found: dict[str, str] = {}
    for key in (name_of, str):
        of_want, of_have = (Counter(map(key, nodes)) for nodes in (want.nodes, own))
        name2path = {key(path): path for path in own}
        for path in want.nodes:
            name = key(path)
            if path in found or not of_want[name] == of_have[name] == 1:
                continue
            if name2path[name] not in found.values():
                found[path] = name2path[name]
    for alike in (_places, _parameter):
        left = [path for path in want.nodes if path not in found]
        free = [path for path in have.nodes if path not in found.values()]
        wants, haves = (
            Counter(alike(linked, path) for path in paths)
            for linked, paths in ((want, left), (have, free))
        )
        for path in left:
            mark = alike(want, path)
            if mark is not None and wants[mark] == haves[mark] == 1:
                found[path] = next(other for other in free if alike(have, other) == mark)
    return found


def _places(linked: LinkedStates, path: str) -> object:
    """The places of a node in lists of CPUs and domains, by their names."""
    return tuple(
        sorted(
            (name_of(owner), name, index, len(nodes))
            for (owner, name), nodes in linked.lists.items()
            for index, node in enumerate(nodes)
            if node == path
        )
    )


def _parameter(linked: LinkedStates, path: str) -> object:
    node = linked.nodes[path]
    name = next((p for p in (ARM.parameter, RISCV.parameter) if p in node.properties), "")
    return (node.strings("compatible"), node.u32(name)) if name else None
