"""The tables of Linux's drivers that a diff shows, where there is no tree.

A table is whole if one hunk shows it from its first line to its last. Of others, the rows count
that a hunk shows whole. Every value must be a number, a flag of cpuidle or what the diff's own
lines define: what a header of the tree would have to define is not known. Flags of a row that are
not known are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable
from ...base.reading.c.lexer import COMMENT, QUOTED_CHARACTER, QUOTED_STRING, blanks
from ...base.reading.patch import FileChange, HunkLine
from ...base.wording import plural
from ...tables.linux.built_in import reader
from ...tables.linux.built_in.headers import definitions_of
from ...tables.linux.cpuidle_flags import HINT_SHIFT, POLLING, RCU_IDLE, TIMER_STOP
from ...tables.linux.intel_idle.states import NAME2FLAG

_FLAGS = {
    "CPUIDLE_FLAG_NONE": 0,
    "CPUIDLE_FLAG_POLLING": POLLING,
    "CPUIDLE_FLAG_TIMER_STOP": TIMER_STOP,
    "CPUIDLE_FLAG_RCU_IDLE": RCU_IDLE,
    **NAME2FLAG,
}
_WFI = '{ .name = "WFI", .exit_latency = 1, .target_residency = 1, .power_usage = (int) (power) }'
HEADER = (
    "".join(f"#define {name} {value}\n" for name, value in _FLAGS.items())
    + f"#define ARM_CPUIDLE_WFI_STATE_PWR(power) {_WFI}\n"
    + "#define ARM_CPUIDLE_WFI_STATE ARM_CPUIDLE_WFI_STATE_PWR(~0U)\n"
)
"""Stands for the header by which a Linux tree is told (SIGN)."""
_MWAIT = f"#define MWAIT2flg(hint) (((hint) & 0xFF) << {HINT_SHIFT})"
_DECLARED = r"\bstruct\s+cpuidle_(?:driver|state)\s+(\w+)[^;(){}=*]{0,200}(?:\([^()]*\)\s*)?"
_BEGINS = re.compile(rf"{_DECLARED}=\s*\{{")
_OF_TABLE = re.compile(rf"{_DECLARED}(?:=\s*(?:\{{|$)|$)")
_DEFINE = re.compile(r"#\s*define\s+(\w+)\s+[-+\w() \t]+")
_SWITCHED_OFF = re.compile(r"\s*(\w+)\.states(\[\w+\])\.disabled\s*=\s*\w+;")
_MEMBER = re.compile(r"(?<=\n)[ \t]*\.|\A[ \t]*\.")
_NAME = re.compile(r'\.name\s*=\s*"([^"]*)"')
_ARRAY = "struct cpuidle_state array[] = {"
_FLAGS_GIVEN = re.compile(r"\.flags\s*=\s*([^,}]*),")
_BRACE = re.compile(r"[{}]")
_QUIET = re.compile(rf"{QUOTED_STRING}|{QUOTED_CHARACTER}|{COMMENT}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ShownDriver:
    """before, after  the file's text with its whole tables alone, each on its lines; "" for none
    unread   number of changed lines that are of no row that is read
    partial  tables of which some rows are read
    remarks  what the user must know of them
    """

    before: str
    after: str
    unread: int
    partial: frozenset[str]
    remarks: tuple[str, ...]


def is_read(source: bytes | None) -> bool:
    """Tells whether a driver's source is one with tables that need no header but cpuidle's; None
    for one that is not there, of which nothing is to be read."""
    return source is None or _is_read(source.decode("utf-8", "replace"), definitions_of(HEADER))


def shown(change: FileChange) -> ShownDriver:
    """Returns what a diff shows of a driver's tables."""
    is_intel = change.path.endswith("intel_idle.c")
    old = [_Lines(hunk.old, hunk.before, hunk.section, "-") for hunk in change.hunks]
    new = [_Lines(hunk.new, hunk.after, hunk.section, "+") for hunk in change.hunks]
    sides = [_Side(hunks, is_intel, frozenset()) for hunks in (old, new)]
    # a row that is read on one side alone would seem to go or to come
    failed = frozenset().union(*(side.failed for side in sides))
    if failed:
        sides = [_Side(hunks, is_intel, failed) for hunks in (old, new)]
    before, after = sides
    unread = before.unread + after.unread
    partial = before.rows | after.rows
    remarks = [f"of {name} the diff shows some rows: the others are not known" for name in partial]
    if unread:
        remarks.append(
            f"{change.path}: {plural(unread, 'changed line')} of tables left aside, because the "
            "diff does not show the whole row, or because its values need the tree's headers "
            "(--tree)"
        )
    return ShownDriver(before.text, after.text, unread, frozenset(partial), tuple(remarks))


@dataclass(frozen=True, slots=True)
class _Lines:
    """One side of a hunk. mark: of the lines that are on this side alone."""

    first: int
    lines: Sequence[HunkLine]
    section: str
    mark: str

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


class _Side:
    """One side of a file.

    text    with what is read alone, on as many lines
    unread  the number of changed lines of tables that are not read
    rows    table of which some rows are read -> their lines
    failed  the names of the rows that cannot be read
    """

    def __init__(self, hunks: Sequence[_Lines], is_intel: bool, failed: frozenset[str]) -> None:
        self.unread = 0
        self.rows: dict[str, dict[int, str]] = {}
        self.failed = set(failed)
        own = _own_definitions(hunks)
        macros = "\n".join([*own.values(), _MWAIT if is_intel else "", ""])
        self._defines = definitions_of(HEADER + macros)
        kept: dict[int, str] = {}
        for hunk in hunks:
            kept |= self._read(hunk)
        for name, lines in self.rows.items():
            begun, ended = min(lines), max(lines)
            kept[begun] = f"struct cpuidle_state {name}[] = {{{kept[begun]}"
            kept[ended] += "};"
        kept = self._switched_off(hunks) | own | kept if kept else {}
        known = [kept.get(number, "") for number in range(1, max(kept, default=0) + 1)]
        if known and is_intel:
            # a diff never begins with a table: the licence stands on the first line
            known[0] = known[0] or _MWAIT
        self.text = "\n".join([*known, ""]) if known else ""

    def _read(self, hunk: _Lines) -> dict[int, str]:
        """Returns number of a line in the file -> its text, of what is read of a hunk."""
        text, read = hunk.text, dict[int, str]()
        for start, end in _tables(text):
            if self._is_read(f"{text[start:end]};"):
                numbers = range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)
                read |= {n: hunk.lines[n].text for n in numbers}
        table, opened = _OF_TABLE.search(hunk.section), -1
        for number, line in enumerate([*hunk.lines, HunkLine(" ", "}")]):
            if begins := _OF_TABLE.search(line.text):
                table, opened = begins, number
            if not line.text.startswith("}"):
                continue
            if table is not None:
                if number - 1 not in read and (rows := self._rows(hunk, opened + 1, number)):
                    read |= rows
                    lines = self.rows.setdefault(table[1], {})
                    lines |= {hunk.first + n: row for n, row in rows.items()}
                self.unread += sum(
                    n > opened and each.mark == hunk.mark and not read.get(n, "").strip()
                    for n, each in enumerate(hunk.lines[:number])
                    if each.text.strip(" \t{},;")
                )
            table, opened = None, number
        return {hunk.first + n: text for n, text in read.items()}

    def _switched_off(self, hunks: Sequence[_Lines]) -> dict[int, str]:
        """Returns number of a line -> a function with its statement, of those that switch a state
        off. Of a table that is shown in part, the number of the state says nothing."""
        return {
            hunk.first + number: f"void line_{hunk.first + number}(void) {{ "
            f"{match[1]}.states{'[any]' if match[1] in self.rows else match[2]}.disabled = true; }}"
            for hunk in hunks
            for number, line in enumerate(hunk.lines)
            if (match := _SWITCHED_OFF.fullmatch(line.text)) and "false" not in line.text
        }

    def _rows(self, hunk: _Lines, first: int, end: int) -> dict[int, str]:
        """Returns number of a line -> its text, of the whole rows between two lines."""
        text = "\n".join(line.text for line in hunk.lines[first:end])
        code = _quiet(text)
        found: dict[int, str] = {}
        opened: list[int] = []
        begun = _MEMBER.search(code)
        for brace in _BRACE.finditer(code):
            if brace[0] == "{":
                opened.append(brace.start())
                continue
            # the first row may begin before the hunk
            start = opened.pop() if opened else begun.start() if begun else brace.start()
            row = ("" if code[start] == "{" else "{") + text[start : brace.end()]
            begun = None
            row = _FLAGS_GIVEN.sub(self._known_flags, row)
            name = _NAME.search(row)
            if name is None or ".exit_latency" not in row or row.count("{") > 1:
                continue
            if self._is_read(f"{_ARRAY}{row}}};"):
                number = first + code.count("\n", 0, start)
                found |= dict(enumerate(f"{row},".split("\n"), number))
            else:
                self.failed.add(name[1])
        return found

    def _known_flags(self, match: re.Match[str]) -> str:
        """The flags of a row; nothing where one is not known."""
        known = {head.partition("(")[0] for head in self._defines}
        names = set(re.findall(r"[A-Za-z_]\w*", match[1]))
        return match[0] if names <= known else "\n" * match[0].count("\n")

    def _is_read(self, text: str) -> bool:
        return self.failed.isdisjoint(_NAME.findall(text)) and _is_read(text, self._defines)


def _own_definitions(hunks: Sequence[_Lines]) -> dict[int, str]:
    """Returns the lines that define a name, by number; of a name with several, none is known."""
    found = {
        hunk.first + number: match
        for hunk in hunks
        for number, line in enumerate(hunk.lines)
        if (match := _DEFINE.fullmatch(line.text))
    }
    names = Counter(match[1] for match in found.values())
    return {number: match[0] for number, match in found.items() if names[match[1]] == 1}


def _quiet(text: str) -> str:
    """A text without its comments and strings, each character in its place."""
    return _QUIET.sub(lambda match: blanks(match[0]), text)


def _tables(text: str) -> Iterator[tuple[int, int]]:
    """Yields start and end of each table whose braces close in a text."""
    code = _quiet(text)
    for match in _BEGINS.finditer(code):
        depth, at = 1, match.end()
        while depth and (brace := _BRACE.search(code, at)):
            depth += 1 if brace[0] == "{" else -1
            at = brace.end()
        if not depth:
            yield match.start(), at


def _is_read(text: str, defines: Mapping[str, str]) -> bool:
    """Tells whether a text has tables, and none that needs other definitions."""
    try:
        return bool(reader.read(text, "", defines=defines))
    except Unreadable:
        return False
