"""The tables of Linux's drivers that a diff shows whole, where there is no tree.

A table counts if one hunk shows it from its first line to its last, and if every value is a number,
a flag of cpuidle or what the diff's own lines define: what a header of the tree would have to
define is not known.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable
from ...base.reading.c.lexer import COMMENT, QUOTED_CHARACTER, QUOTED_STRING
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
_DECLARED = r"\bstruct\s+cpuidle_(?:driver|state)\s+[^;(){}=*]{1,200}(?:\([^()]*\)\s*)?"
_BEGINS = re.compile(rf"{_DECLARED}=\s*\{{")
_OF_TABLE = re.compile(rf"{_DECLARED}(?:=\s*(?:\{{|$)|$)")
_DEFINE = re.compile(r"#\s*define\s+(\w+)\s+[-+\w() \t]+")
_BRACE = re.compile(r"[{}]")
_QUIET = re.compile(rf"{QUOTED_STRING}|{QUOTED_CHARACTER}|{COMMENT}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ShownDriver:
    """before, after  the file's text with its whole tables alone, each on its lines; "" for none
    unread   number of changed lines that are of other tables
    remarks  what the user must know of them
    """

    before: str
    after: str
    unread: int
    remarks: tuple[str, ...]


def shown(change: FileChange) -> ShownDriver:
    """Returns what a diff shows of a driver's tables."""
    is_intel = change.path.endswith("intel_idle.c")
    before = _Side([(hunk.old, hunk.before, hunk.section) for hunk in change.hunks], "-", is_intel)
    after = _Side([(hunk.new, hunk.after, hunk.section) for hunk in change.hunks], "+", is_intel)
    unread = before.unread + after.unread
    remark = (
        f"{change.path}: {plural(unread, 'changed line')} of tables left aside, because the diff "
        "does not show the whole table, or because its values need the tree's headers (--tree)"
    )
    return ShownDriver(before.text, after.text, unread, (remark,) if unread else ())


class _Side:
    """One side of a file. hunks: number of the first line, lines and section of each."""

    def __init__(
        self, hunks: Sequence[tuple[int, Sequence[HunkLine], str]], mark: str, is_intel: bool
    ) -> None:
        self.unread = 0
        kept: dict[int, str] = {}
        own = _own_definitions(hunks)
        known = HEADER + (_MWAIT if is_intel else "") + "\n" + "\n".join(own.values()) + "\n"
        defines = definitions_of(known)
        for first, lines, section in hunks:
            text = "\n".join(line.text for line in lines)
            whole: set[int] = set()
            for start, end in _tables(text):
                numbers = range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)
                if _is_read("\n".join(lines[n].text for n in numbers), defines):
                    whole.update(numbers)
            kept |= {first + n: lines[n].text for n in whole}
            of_table = bool(_OF_TABLE.search(section))
            for number, line in enumerate(lines):
                of_table = of_table or bool(_OF_TABLE.search(line.text))
                changed = line.mark == mark and line.text.strip(" \t{},;")
                self.unread += bool(of_table and changed and number not in whole)
                if line.text.startswith("}"):
                    of_table = False
        kept = own | kept if kept else {}
        shown_lines = [kept.get(number, "") for number in range(1, max(kept, default=0) + 1)]
        if shown_lines and is_intel:
            # a diff never begins with a table: the licence stands on the first line
            shown_lines[0] = shown_lines[0] or _MWAIT
        self.text = "\n".join([*shown_lines, ""]) if shown_lines else ""


def _own_definitions(hunks: Sequence[tuple[int, Sequence[HunkLine], str]]) -> dict[int, str]:
    """Returns the lines that define a name, by number; of a name with several, none is known."""
    found = {
        first + number: match
        for first, lines, _ in hunks
        for number, line in enumerate(lines)
        if (match := _DEFINE.fullmatch(line.text))
    }
    names = Counter(match[1] for match in found.values())
    return {number: match[0] for number, match in found.items() if names[match[1]] == 1}


def _tables(text: str) -> Iterator[tuple[int, int]]:
    """Yields start and end of each table whose braces close in a text."""
    code = _QUIET.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _BEGINS.finditer(code):
        depth, at = 1, match.end()
        while depth and (brace := _BRACE.search(code, at)):
            depth += 1 if brace[0] == "{" else -1
            at = brace.end()
        if not depth:
            yield match.start(), at


def _is_read(text: str, defines: Mapping[str, str]) -> bool:
    """Tells whether a table's text is a table without what other headers define."""
    try:
        return bool(reader.read(text + ";", "", defines=defines))
    except Unreadable:
        return False
