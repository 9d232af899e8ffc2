"""The tables of Linux's drivers that a diff shows, where there is no tree.

A table is whole if one hunk shows it from its first line to its last. Of others, the rows count
that a hunk shows whole. Every value must be a number, a flag of cpuidle or what the diff's own
lines define: what a header of the tree would have to define is not known. Flags of a row that are
not known are left out.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

from ...base.model.findings import Unreadable
from ...base.patterns import pattern
from ...base.reading.patch.unified import FileChange, PatchHunk
from ...base.wording import plural
from ...tables.linux import cpuidle_flags as flags
from ...tables.linux.built_in import reader
from ...tables.linux.built_in.headers import definitions_of
from ...tables.linux.intel_idle.states import NAME2FLAG
from .fragments import FragmentText, ShownTables
from .hunk_rows import HunkSide, TablePart

_FLAGS = {
    "CPUIDLE_FLAG_NONE": 0,
    "CPUIDLE_FLAG_POLLING": flags.POLLING,
    "CPUIDLE_FLAG_COUPLED": flags.COUPLED,
    "CPUIDLE_FLAG_TIMER_STOP": flags.TIMER_STOP,
    "CPUIDLE_FLAG_OFF": flags.OFF,
    "CPUIDLE_FLAG_RCU_IDLE": flags.RCU_IDLE,
    "TPAUSE_C01_STATE": flags.TPAUSE_C01_STATE,
    "TPAUSE_C02_STATE": flags.TPAUSE_C02_STATE,
    **NAME2FLAG,
}
_WFI = '{ .name = "WFI", .exit_latency = 1, .target_residency = 1, .power_usage = (int) (power) }'
HEADER = (
    "".join(f"#define {name} {value}\n" for name, value in _FLAGS.items())
    + f"#define ARM_CPUIDLE_WFI_STATE_PWR(power) {_WFI}\n"
    + "#define ARM_CPUIDLE_WFI_STATE ARM_CPUIDLE_WFI_STATE_PWR(~0U)\n"
)
"""Stands for the header by which a Linux tree is told (SIGN)."""
_MWAIT = f"#define MWAIT2flg(hint) (((hint) & 0xFF) << {flags.HINT_SHIFT})"
_DECLARED = (
    r"\bstruct\s+cpuidle_(?:driver|state)\s+(?P<table>\w+)[^;(){}=*]{0,200}(?:\([^()]*\)\s*)?"
)
_BOUNDARY = pattern(rf"{_DECLARED}=\s*\{{|^\}}", re.MULTILINE)
_OF_TABLE = pattern(rf"{_DECLARED}(?:=\s*(?:\{{|$)|$)")
_DEFINE = pattern(r"#\s*define\s+(\w+)\s+[-+\w() \t]+")
_EXITS = frozenset({"exit_latency", "exit_latency_ns"})
_SWITCHED_OFF = pattern(r"\s*(\w+)\.states(\[\w+\])\.disabled\s*=\s*\w+;")
_OF_TIME = r"\.(?:exit_latency|target_residency)(?:_ns)?\s*[-+*/]?=(?!=)"
_TIME = pattern(rf"\s*{_OF_TIME}")
_WRITTEN = pattern(rf"\s*[\w.]+\[[^]]*\]{_OF_TIME}")
_NAME = pattern(r'\.name\s*=\s*"([^"]*)"')
_ARRAY = "struct cpuidle_state array[] = {"
_FLAGS_GIVEN = pattern(r"\.flags\s*=\s*([^,}]*),")


def is_read(source: bytes | None) -> bool:
    """Tells whether a driver's source is one with tables that need no header but cpuidle's; None
    for one that is not there, of which nothing is to be read."""
    return source is None or _is_read(source.decode("utf-8", "replace"), definitions_of(HEADER))


def shown(change: FileChange) -> ShownTables:
    """Returns what a diff shows of a driver's tables."""
    is_intel = change.path.endswith("intel_idle.c")
    old = [HunkSide(hunk.before, hunk.old, _section(hunk)) for hunk in change.hunks]
    new = [HunkSide(hunk.after, hunk.new, _section(hunk)) for hunk in change.hunks]
    sides = [_Side(hunks, is_intel, frozenset()) for hunks in (old, new)]
    # a row that is read on one side alone would seem to go or to come
    failed = frozenset().union(*(side.failed for side in sides))
    if failed:
        sides = [_Side(hunks, is_intel, failed) for hunks in (old, new)]
    before, after = sides
    changed = (line for hunk in change.hunks for line in hunk.lines if line.mark != " ")
    written = sum(_WRITTEN.match(line.text) is not None for line in changed)
    unread = before.unread + after.unread + written
    partial = before.rows | after.rows
    remarks = [f"of {name} the diff shows some rows: the others are not known" for name in partial]
    if unread:
        remarks.append(
            f"{change.path}: {plural(unread, 'changed line')} of tables ignored, because the "
            "diff does not show the whole row, or because code writes into it or its values need "
            "the tree's headers (--tree)"
        )
    texts = FragmentText(before.text), FragmentText(after.text)
    return ShownTables(*texts, remarks, unread, partial)


def _section(hunk: PatchHunk) -> str:
    """The line that a hunk's part of the file opens with; a table's that git does not name."""
    begun = takewhile(lambda line: line.text[:1] not in ("{", "}"), hunk.lines)
    is_table = any(line.mark != " " and _TIME.match(line.text) for line in begun)
    if not is_table or _OF_TABLE.search(hunk.section):
        return hunk.section
    return f"static struct cpuidle_state table_at_line_{hunk.old}[] ="


class _Side:
    """One side of a file.

    text    with what is read alone, on as many lines
    unread  the number of changed lines of tables that are not read
    rows    table of which some rows are read -> their lines
    failed  the names of the rows that cannot be read
    """

    def __init__(self, hunks: Sequence[HunkSide], is_intel: bool, failed: frozenset[str]) -> None:
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

    def _read(self, hunk: HunkSide) -> dict[int, str]:
        """Returns number of a line in the file -> its text, of what is read of a hunk."""
        read: dict[int, str] = {}
        for part in hunk.parts(_BOUNDARY, _OF_TABLE):
            is_cut = part.end == len(hunk.text)
            if not part.table or not (part.closed or is_cut):
                continue
            first, last = hunk.line_at(part.start), hunk.line_at(part.end)
            if part.opened is not None and part.closed:
                begun = hunk.line_at(part.opened)
                if self._is_read(f"{hunk.text[part.opened : part.end]}}};"):
                    read |= {n: hunk.lines[n - hunk.first].text for n in range(begun, last + 1)}
                    continue
            if rows := self._rows(hunk, part):
                read |= rows
                self.rows.setdefault(part.table, {}).update(rows)
            self.unread += sum(
                each.mark != " "
                and bool(each.text.strip(" \t{},;"))
                and not read.get(n, "").strip()
                for n, each in hunk.numbered
                if first + (part.opened is not None) <= n < last + is_cut
            )
        return read

    def _switched_off(self, hunks: Sequence[HunkSide]) -> dict[int, str]:
        """Returns number of a line -> a function with its statement, of those that switch a state
        off. Of a table that is shown in part, the number of the state says nothing."""
        return {
            number: f"void line_{number}(void) {{ "
            f"{match[1]}.states{'[any]' if match[1] in self.rows else match[2]}.disabled = true; }}"
            for hunk in hunks
            for number, line in hunk.numbered
            if (match := _SWITCHED_OFF.fullmatch(line.text)) and "false" not in line.text
        }

    def _rows(self, hunk: HunkSide, part: TablePart) -> dict[int, str]:
        """Returns number of a line in the file -> its text, of the whole rows of a part."""
        found: dict[int, str] = {}
        for row in hunk.rows(part):
            if not row.is_whole or not row.name or _EXITS.isdisjoint(row.members):
                continue
            text = f"{{{_FLAGS_GIVEN.sub(self._known_flags, hunk.text[row.start : row.end])}}}"
            if self._is_read(f"{_ARRAY}{text}}};"):
                found |= dict(enumerate(f"{text},".split("\n"), hunk.line_at(row.start)))
            else:
                self.failed.add(row.name)
        return found

    def _known_flags(self, match: re.Match[str]) -> str:
        """The flags of a row; nothing where one is not known."""
        known = {head.partition("(")[0] for head in self._defines}
        names = set(re.findall(r"\b[A-Za-z_]\w*", match[1]))
        return match[0] if names <= known else "\n" * match[0].count("\n")

    def _is_read(self, text: str) -> bool:
        return self.failed.isdisjoint(_NAME.findall(text)) and _is_read(text, self._defines)


def _own_definitions(hunks: Sequence[HunkSide]) -> dict[int, str]:
    """Returns the lines that define a name, by number; of a name with several, none is known."""
    numbered = (each for hunk in hunks for each in hunk.numbered)
    found = {n: match for n, line in numbered if (match := _DEFINE.fullmatch(line.text))}
    names = Counter(match[1] for match in found.values())
    return {number: match[0] for number, match in found.items() if names[match[1]] == 1}


def _is_read(text: str, defines: Mapping[str, str]) -> bool:
    """Tells whether a text has tables, and none that needs other definitions."""
    try:
        return bool(reader.read(text, "", defines=defines))
    except Unreadable:
        return False
