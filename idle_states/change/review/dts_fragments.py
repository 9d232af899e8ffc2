"""Makes a source that compiles of the hunks that show parts of a device-tree source.

Each line stays where it is in the file. All nodes come to lie below /cpus, where CPUs are looked
for: the nodes around them are not shown. A node of which a part is shown is marked; so is one that
stands in for a node that is not shown, see `tables.devicetree.missing_files`. What CPUs are not
shown to list is listed by one CPU for each state.
"""

import re
from collections.abc import Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Finding
from ...base.patterns import pattern
from ...base.reading.c.lexer import blanks
from ...base.reading.patch.unified import FileChange, PatchHunk
from ...base.wording import few
from ...tables.devicetree.idle_nodes import (
    DOMAIN_LIST,
    ENTRY,
    ENTRY_METHOD,
    EXIT,
    LIST,
    RESIDENCY,
    WAKEUP,
    row_nodes,
)
from ...tables.devicetree.missing_files import NOT_SHOWN
from ...tables.devicetree.patching.source import TOKEN, DtsBlock, DtsText, EditRefused
from ...tables.devicetree.patching.values import blanked
from ...tables.sources import Source
from .fragments import FragmentText, HiddenPlace, ShownTables
from .hunk_rows import BEGUN_COMMENT

PARTLY_SHOWN = "idle-states,partly-shown"
"""A property of nodes of which the diff shows a part."""
_TIMES = (ENTRY, EXIT, WAKEUP, RESIDENCY)
_OF_STATES = pattern(
    r"idle-state|(?:latency|residency)-us|suspend-param|local-timer-stop|entry-method"
)
_OF_DOMAINS = pattern(r"power-domain-names|#power-domain-cells|enable-method")
_HEADER = pattern(r"((?:\w+\s*:\s*)*)([\w,.+@-]+)\s*\{")
_STATEMENT = pattern(
    r"""\s*(?:/delete-property/\s*|(?:\w+\s*:\s*)*)[\w,.+*\#?@-]+\s*
        (?:=\s*(?:"(?:[^"\\]|\\.)*"|<[^<>]*(?:<<[^<>]*)*>|\[[^]]*\]|&[\w{}/@,.+-]+|/bits/\s*\w+|[\s,])+)?;""",
    re.VERBOSE | re.DOTALL,
)
_AROUND = pattern(r"/|cpus|[\w,-]*idle-states")
"""Nodes that are left out, so that what they hold lies below /cpus."""
_CPU = pattern(r"cpu-idle-states?\b|enable-method|device_type|capacity-dmips-mhz")
_REG = pattern(r"\breg\s*=\s*<(?:[^>]*\s)?(?:0x)?([0-9a-fA-F]+)>")
_SHOWN = 4
_REFERRED = pattern(r"&(\w+)")


def _of_states(change: FileChange) -> int:
    """Returns the number of lines that go or come in hunks that show an idle state."""
    return sum(
        line.mark != " " for hunk in change.hunks if _shows_states(hunk) for line in hunk.lines
    )


def _shows_states(hunk: PatchHunk, also: re.Pattern[str] | None = None) -> bool:
    return any(
        _OF_STATES.search(line.text) or (also and also.search(line.text)) for line in hunk.lines
    )


def fragments(change: FileChange) -> ShownTables:
    """Returns what the hunks of a change show of idle states."""
    nothing = ShownTables(unread=_of_states(change))
    if not any(map(_shows_states, change.hunks)):
        return nothing
    hunks = [hunk for hunk in change.hunks if _shows_states(hunk, _OF_DOMAINS)]
    try:
        old, new = (_Text(hunks, is_new=is_new) for is_new in (False, True))
    except EditRefused:
        return nothing
    sides = old, new
    hidden = {name for side in sides for name, state in side.states.items() if state.lacks_times}
    listed = old.listed | new.listed
    unlisted = dict.fromkeys(
        name
        for side in sides
        for name, node in side.states.items()
        if name not in hidden and not node.labels & listed
    )
    unlisted |= dict.fromkeys(name for side in sides for name in side.firsts.values())
    if not (hidden or unlisted or listed):
        return nothing
    remarks = []
    for name in dict.fromkeys(name for side in sides for name in side.states):
        how = _changed(old.states.get(name), new.states.get(name)) if name in hidden else ""
        if how:
            remarks.append(f"{change.path} shows a part of {name}, {how}")
    shown = {label for side in sides for node in side.nodes for label in node.labels}
    if absent := sorted(listed - shown):
        remarks.append(f"{change.path} does not show {few(absent, _SHOWN)}")
    if unlisted:
        remarks.append(f"{change.path} does not show which CPUs have {few([*unlisted], _SHOWN)}")
    version = "/dts-v1/; " if change.path.endswith(".dts") else ""
    before, after = (side.fragment(hidden, unlisted, version) for side in sides)
    return ShownTables(before, after, remarks, partial=[change.path])


_OF_TIMES = (
    *("IS201", "IS202", "IS203", "IS204", "IS205", "IS206", "IS207", "IS208", "IS209", "IS210"),
    *("IS211", "IS212", "IS215", "IS216", "IS217", "IS219", "IS401", "IS402", "IS403"),
    *("IS412", "IS608", "IS609", "IS610", "IS623", "IS624", "IS625", "IS627"),
)
"""Rules that need no more of a node than its times."""
_OF_NODES = (
    *("IS602", "IS605", "IS612", "IS614", "IS616", "IS617", "IS618", "IS619", "IS620"),
    *("IS626", "IS629", "IS630", "IS632"),
)
"""Rules that need no more than whole nodes, and what lists them."""


def is_shown(finding: Finding, source: Source) -> bool:
    """Tells whether a finding about a source that is made of hunks depends on nothing else."""
    origin = source.table.origin if source.table is not None else None
    if origin is None:
        return finding.rule == "IS627"
    if origin.form != "nodes":
        return finding.rule in _OF_TIMES
    is_whole = not any(PARTLY_SHOWN in node.properties for node in row_nodes(origin)) and not any(
        broken.reason == NOT_SHOWN for broken in origin.broken
    )
    return finding.rule in _OF_TIMES or (is_whole and finding.rule in _OF_NODES)


@dataclass(frozen=True, slots=True)
class _Node:
    """values: property -> its text."""

    block: DtsBlock
    labels: frozenset[str]
    values: Mapping[str, str]

    def referred(self, *names: str) -> list[str]:
        """The labels that properties refer to."""
        return [label for name in names for label in _REFERRED.findall(self.values.get(name, ""))]

    @property
    def is_state(self) -> bool:
        compatible = self.values.get("compatible", "")
        return "idle-state" in compatible or not self.values.keys().isdisjoint(_TIMES)

    @property
    def lacks_times(self) -> bool:
        """Tells whether the node is shown in part, without all its times."""
        needed = {RESIDENCY} | ({WAKEUP} if WAKEUP in self.values else {ENTRY, EXIT})
        return PARTLY_SHOWN in self.values and not needed <= self.values.keys()


def _node(block: DtsBlock, text: str) -> _Node:
    values = {p.name: text[slice(*p.value)] if p.value else "" for p in block.properties}
    return _Node(block, frozenset(block.labels), values)


def _listed(nodes: Sequence[_Node], by_label: Mapping[str, _Node]) -> set[str]:
    """The labels of the states and power domains that nodes have, by way of other domains, too."""
    found = set[str]()
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        found.update(node.referred(LIST, DOMAIN_LIST))
        above = set(node.referred("power-domains")) - found
        found |= above
        waiting += [by_label[label] for label in above if label in by_label]
    return found


def _changed(old: _Node | None, new: _Node | None) -> str:
    """The change of a node that is shown in part."""
    if old is None or new is None:
        return "which comes" if old is None else "which goes"
    names = [name for name in dict.fromkeys([*old.values, *new.values]) if name != PARTLY_SHOWN]
    return ", ".join(
        f"{name} {old.values.get(name, 'absent')} -> {new.values.get(name, 'absent')}"
        for name in names
        if old.values.get(name) != new.values.get(name)
    )


class _Text:
    """One side of the hunks, as a source."""

    def __init__(self, hunks: Sequence[PatchHunk], *, is_new: bool) -> None:
        lines: dict[int, str] = {}
        self._made_up: list[tuple[int, int]] = []
        for hunk in hunks:
            first, shown = (hunk.new, hunk.after) if is_new else (hunk.old, hunk.before)
            if not shown:
                continue
            scan = _Scan("\n".join(line.text for line in shown), _unseen(hunk))
            lines |= dict(enumerate(scan.text.split("\n"), first))
            last = first + len(shown) - 1
            lines[first - 1] = lines.get(first - 1, "") + " / { cpus { " + scan.opened
            lines[last] += scan.closed + " }; };"
            self._made_up.append((first - 1, last))
        self.text = "\n".join(
            lines.get(number, "") for number in range(1, max(lines, default=0) + 1)
        )
        if 0 in lines:
            self.text = f"{lines[0]} {self.text}"
        source = DtsText(self.text, "")
        self.nodes: list[_Node] = []
        self.states: dict[str, _Node] = {}
        self.domains: dict[str, _Node] = {}
        cpus = []
        by_label: dict[str, _Node] = {}
        for block in source.all_blocks():
            node = _node(block, self.text)
            self.nodes.append(node)
            by_label |= dict.fromkeys(node.labels, node)
            if block.name.startswith("cpu@"):
                cpus.append(node)
            elif DOMAIN_LIST in node.values:
                self.domains[block.name] = node
            elif node.is_state:
                self.states[block.name] = node
        self.listed = _listed(cpus, by_label)
        """Labels of the nodes that shown CPUs have as states or power domains."""
        parents = {
            label for node in self.domains.values() for label in node.referred("power-domains")
        }
        self.firsts: dict[object, str] = {}
        for name, node in self.domains.items():
            if not node.labels & (self.listed | parents):
                list_key = node.values[DOMAIN_LIST], node.values.get("power-domains")
                self.firsts.setdefault(list_key, name)
        self.listed |= _listed([self.domains[name] for name in self.firsts.values()], by_label)

    def fragment(
        self, hidden: set[str], unlisted: Mapping[str, None], version: str
    ) -> FragmentText:
        """The source with its last line: the CPUs that list what no shown one does."""
        text = self.text
        for name in sorted(hidden & self.states.keys(), key=lambda n: -self.states[n].block.opened):
            at = self.states[name].block.opened + 1
            text = f"{text[:at]} {NOT_SHOWN};{text[at:]}"
        made = FragmentText(text)
        if not text:
            return made
        last = text.count("\n") + 1
        nodes = self.states | self.domains
        cpus = "".join(_lister(nodes[name]) for name in unlisted if name in nodes)
        made.text = f"{version}{text}\n/ {{ cpus {{ {cpus} }}; }};\n"
        of = "of a CPU that the diff does not show"
        made.hidden = [
            HiddenPlace(line, 1, 1 << 30, hunk, of)
            for line, hunk in (*self._made_up, (last + 1, self._made_up[-1][1]))
        ]
        return made


def _lister(state: _Node) -> str:
    """A CPU of a power domain, or one that lists one state, its own or its power domain's."""
    name = state.block.name.replace("@", ",")
    here = f"&{{{state.block.path}}}"
    method = 'enable-method = "psci";' if any("psci" in each for each in state.values) else ""
    if any("riscv" in each for each in (*state.values, *state.values.values())):
        method = 'compatible = "riscv";'
    cpu = f'cpu@any,{name} {{ device_type = "cpu"; {method} '
    if DOMAIN_LIST in state.values:
        method = 'enable-method = "psci"; power-domain-names = "psci";'
        return f"{cpu} {method} power-domains = <{here}>; }}; "
    if "domain-idle-state" not in state.values.get("compatible", ""):
        return f"{cpu} {LIST} = <{here}>; }}; "
    above, own = (f"/cpus/{kind}-{name}" for kind in ("above", "own"))
    return (
        f"above-{name} {{ #power-domain-cells = <0>; {DOMAIN_LIST} = <{here}>; }}; "
        f"own-{name} {{ #power-domain-cells = <0>; power-domains = <&{{{above}}}>; }}; "
        f'{cpu} power-domains = <&{{{own}}}>; power-domain-names = "psci"; }}; '
    )


def _unseen(hunk: PatchHunk) -> str:
    """Returns the name of the node that a hunk begins in: by git's own line, its unit address, or
    the line of the file before."""
    begun = []
    for line in hunk.lines:
        if re.search(r"[{}]", line.text):
            break
        begun.append(line.text)
    text = "\n".join(begun)
    named = _HEADER.fullmatch(hunk.section.strip())
    if named is not None and not _AROUND.fullmatch(named[2]):
        return f"{named[1]}{named[2]}"
    if _CPU.search(text):
        reg = _REG.search(text)
        return f"cpu@{format(int(reg[1], 16), 'x') if reg else f'line-{hunk.old}'}"
    return f"{'state' if _OF_STATES.search(text) else 'node'}-at-line-{hunk.old}"


@dataclass(slots=True)
class _Statement:
    """name: its last word before "="; follows_out: whether it follows a brace that is left out."""

    start: int = -1
    name: str = ""
    is_value: bool = False
    follows_out: bool = False


class _Scan:
    """The text of a hunk's side with whole statements alone, in nodes that are closed.

    text            on as many lines
    opened, closed  what has to stand before it and after it
    """

    def __init__(self, text: str, unseen: str) -> None:
        self.text = blanked(BEGUN_COMMENT.sub(lambda match: blanks(match[0]), text))
        self.opened = self.closed = ""
        self._edits: list[tuple[int, int, str]] = []
        self._open: list[int] = []
        """The place of each open node's brace; -1 for one that is left out."""
        self._in_unseen = True
        self._has_unseen = self._is_out = self._has_method = False
        self._done = 0
        self._run(unseen)

    def _run(self, unseen: str) -> None:
        current = _Statement()
        for token in TOKEN.finditer(self.text):
            kind, text = token.lastgroup, token[0]
            if kind == "skip":
                continue
            if current.start < 0:
                current.start = token.start()
            if kind == "mark" and (text == ";" or (text in "{}" and not current.is_value)):
                if text == ";":
                    self._statement(current, token.end())
                elif text == "{":
                    self._enter(current, token.start())
                else:
                    self._leave(current, token.start())
                self._done = token.end()
                current = _Statement(follows_out=text == "}" and self._is_out)
            elif kind == "mark":
                current.is_value = True
            elif kind in ("word", "reference") and not current.is_value:
                current.name = text
        self._cut(self._done, len(self.text))
        kept = [at for at in self._open if at >= 0]
        self._edits += [(at + 1, at + 1, f" {PARTLY_SHOWN};") for at in kept]
        if self._has_unseen:
            self.opened = f"{unseen} {{ {PARTLY_SHOWN}; "
        self.closed = " };" * (len(kept) + (self._has_unseen and self._in_unseen))
        for start, end, made in sorted(self._edits, reverse=True):
            self.text = self.text[:start] + made + self.text[end:]

    def _cut(self, start: int, end: int) -> None:
        if start < end:
            self._edits.append((start, end, blanks(self.text[start:end])))

    def _statement(self, stmt: _Statement, end: int) -> None:
        is_whole = _STATEMENT.fullmatch(self.text[self._done : end]) is not None
        if stmt.start == end - 1:
            is_kept = not stmt.follows_out
        elif not self._open and self._in_unseen:
            self._has_unseen = True
            is_kept = is_whole
        else:
            is_kept = is_whole and bool(self._open) and self._open[-1] >= 0
            if stmt.name == ENTRY_METHOD and is_whole and not (is_kept or self._has_method):
                # of the node around the states, whose braces are left out
                is_kept = self._has_method = True
                self._edits += [(stmt.start, stmt.start, "idle-states { "), (end, end, " };")]
        if not is_kept:
            self._cut(self._done, end)

    def _enter(self, stmt: _Statement, at: int) -> None:
        if not self._open and self._in_unseen:
            if self._has_unseen:
                self._edits.append((stmt.start, stmt.start, "}; "))
            self._in_unseen = False
        name = stmt.name
        if not name or _AROUND.fullmatch(name):
            self._cut(self._done, at + 1)
            self._open.append(-1)
            return
        if name.startswith("&"):
            kind = "cpu@" if LIST in self.text[at : self.text.find("}", at)] else "ref-"
            self._edits.append((stmt.start, at, f"{kind}{name.strip('&{}/').replace('/', '-')} "))
        self._open.append(at)

    def _leave(self, stmt: _Statement, at: int) -> None:
        self._cut(self._done, at)
        if self._open:
            self._is_out = self._open.pop() < 0
        else:
            self._is_out = not (self._in_unseen and self._has_unseen)
            self._in_unseen = False
        if self._is_out:
            self._cut(at, at + 1)
