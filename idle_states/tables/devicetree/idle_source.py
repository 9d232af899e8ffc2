"""The idle states of a machine as device-tree source, with labels.

Three forms: a whole small tree; a file that a board's source includes; an overlay for a tree that
was compiled. Written as the bindings' examples are: times as decimal numbers, parameters as
hexadecimal ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from ...base.model.architectures import RISCV
from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.model.idle_tree import IdleTree, folder_of, is_text
from ...base.patterns import pattern
from ...base.resources import template
from .drafts import Draft, NodeReferences, Value, added, labels_of, whole
from .dts_text import TAB, WIDTH, Items, assignment, comment_text, strings_of
from .idle_nodes import CPUS

SourcePart = Literal["tree", "include", "overlay"]
WHOLE: SourcePart = "tree"
INCLUDE: SourcePart = "include"
OVERLAY: SourcePart = "overlay"

_DECIMAL = pattern(r"#.*-cells|.*-us")
_STRING_LISTS = {
    "compatible",
    "device_type",
    "enable-method",
    "entry-method",
    "idle-state-name",
    "method",
    "model",
    "power-domain-names",
    "riscv,isa",
    "status",
}
_NUMBERS = pattern(r"#.*-cells|.*-us|reg|.*-suspend-param")
_VERSION = {WHOLE: "/dts-v1/;", INCLUDE: "", OVERLAY: "/dts-v1/;\n/plugin/;"}


def render(idle: IdleTree, form: SourcePart, about: Sequence[str]) -> str:
    """Source that dtc takes. An include is merged into the nodes of the same paths.

    about  lines of a comment at the top

    Raises CannotGenerate (IS933) with all that source cannot say.
    """
    problems = list(_problems(idle))
    if problems:
        raise CannotGenerate(problems)
    labels = labels_of(idle)
    if form == WHOLE:
        roots = [_shown("/", whole(idle), labels, 1)]
    else:
        root = Draft("")
        added(root, idle)
        if form == INCLUDE:
            roots = [_shown("/", root, labels, 1)]
        else:
            parts = list(_targets(root, idle))
            roots = [_shown(f"&{{{path}}}", draft, labels, 1) for path, draft in parts]
    comment = [comment_text(line) for line in about]
    source = template("idle_states.dts.j2")
    return source.render(roots=roots, about=comment, version=_VERSION[form])


def _problems(idle: IdleTree) -> Iterator[Finding]:
    for state in idle.states:
        for key, texts in (
            ("description", [state.description]),
            ("compatible", state.compatible),
        ):
            bad = next((text for text in texts if re.search(r"[^ -~]", text)), None)
            if bad is not None:
                where = state.where.get(key) or Location(path=state.path)
                message = f"expected printable ASCII, found {bad!a}"
                yield cannot_generate(message, where, idle.name)


def _targets(root: Draft, idle: IdleTree) -> Iterator[tuple[str, Draft]]:
    """The parts of an overlay: each node that the tree has already, with what is new in it."""
    there = {"/", CPUS, *(cpu.path for cpu in idle.cpus)}
    if idle.architecture != RISCV:
        # the node of firmware's interface
        folder = idle.domains_at
        while folder:
            there.add(folder)
            folder = folder_of(folder)
    waiting = [("/", root)]
    while waiting:
        path, draft = waiting.pop(0)
        below = [(f"{path.rstrip('/')}/{child.name}", child) for child in draft.children]
        waiting += [each for each in below if each[0] in there]
        new = Draft("", draft.properties, [child for at, child in below if at not in there])
        if new.properties or new.children:
            yield path, new


def _shown(name: str, draft: Draft, labels: Mapping[str, str], depth: int) -> dict[str, Any]:
    """A node as the template wants it; `depth` tabs stand before its properties."""
    width = WIDTH - TAB * depth
    lines = [
        line
        for prop, value in draft.properties.items()
        for line in _property(prop, value, labels, width)
    ]
    children = [_shown(_name(child), child, labels, depth + 1) for child in draft.children]
    return {"name": name, "lines": lines, "children": children}


def _name(draft: Draft) -> str:
    return f"{draft.label}: {draft.name}" if draft.label else draft.name


def _property(name: str, value: Value, labels: Mapping[str, str], width: int) -> Iterator[str]:
    if value == b"":
        yield f"{name};"
    else:
        yield from assignment(name, _items(name, value, labels), width)


def _items(name: str, value: Value, labels: Mapping[str, str]) -> Items:
    if isinstance(value, NodeReferences):
        return "", [f"<&{labels[path]}>" for path in value.paths], ", ", ""
    if name in _STRING_LISTS or (not _NUMBERS.fullmatch(name) and is_text(value)):
        return strings_of(value)
    cells = [int.from_bytes(value[at : at + 4], "big") for at in range(0, len(value), 4)]
    if _DECIMAL.fullmatch(name):
        return "<", [str(cell) for cell in cells], " ", ">"
    width = 10 if name.endswith("-suspend-param") else 1
    return "<", [f"{cell:#0{width}x}" for cell in cells], " ", ">"
