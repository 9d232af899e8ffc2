"""Translates complaints of dt-validate to this tool's rules.

A complaint is identified by its place in the binding, whose allOf is 0 presence, 1 flags, 2
lengths. Expected and found values are taken from the node, since messages are worded by jsonschema.
Only names that are given nowhere else are read from messages.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...base.dataclass import dataclass
from ...base.model.power_mgt import (
    CELL_BYTES,
    FLAGS,
    NAMES,
    PMICR,
    PMICR_MASK,
    PSSCR,
    PSSCR_MASK,
    STOP_LEVELS,
    PowerMgt,
)
from ...base.model.table import (
    KNOWN_FLAGS,
    NAME_BYTES,
    PSSCR_FIELD_BITS,
    STOP_CLASSES,
    Flag,
    Psscr,
    field_mask,
    flag_names,
)
from ..pipeline import Subject
from ..rules.is1_arrays import state_count
from ..rules.is3_control import FLAGS_OF_2014, POWER8_CLASSES, SLEEP_CLASSES, swapped_flags
from .dtschema_program import Record

UNKNOWN_PROPERTY = "IS117"
OTHER = "IS118"
"""Rule for complaints that correspond to no other rule."""

MOST_STATES = 16
MOST_NS = 4_294_966_296
"""Longest time in ns that Linux can round up to us in 32 bits."""

_FIVE_FIELDS = field_mask(["rl", "mtl", "tr", "ec", "esl"])
_PREFIX = "ibm,cpu-idle-state-"
_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class SchemaVerdict:
    """A complaint in terms of this tool's rules.

    rule     code of the rule
    name     property, "" for the node
    index    entry of the property, None for the whole property
    message  what was expected and found
    """

    rule: str
    name: str
    index: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """A complaint about an entry (index) of a property (name) of a node, and its message."""

    subject: Subject
    node: PowerMgt
    name: str
    index: int | None
    message: str

    @property
    def states(self) -> int | None:
        """The binding counts the flags; None where they cannot be counted."""
        return state_count(self.node)

    @property
    def cell(self) -> int | None:
        cells = self.node.cells(self.name) if self.name in CELL_BYTES else ()
        return cells[self.index] if self.index is not None and self.index < len(cells) else None

    def verdict(self, rule: str, message: str) -> SchemaVerdict:
        return SchemaVerdict(rule, self.name, self.index, message)


def verdicts(record: Record, subject: Subject, node: PowerMgt) -> list[SchemaVerdict]:
    """The verdicts for a record, at least one. subject: the table that `node` was exported from."""
    kind, message = record["type"], str(record["message"])
    if kind == "crash":
        return [SchemaVerdict(OTHER, "", None, f"dt-validate gives up on the tree: {message}")]
    where: Sequence[Any] = record.get("property_path") or ()
    index = where[1] if len(where) == 2 and isinstance(where[1], int) else None
    case = Complaint(subject, node, str(where[0]) if where else "", index, message)
    path = kind if kind == "decode" else place(record).replace(_PREFIX, "~")
    judge = next((judge for pattern, judge in _JUDGES if re.fullmatch(pattern, path)), None)
    found = list(judge(case)) if judge else []
    # an entry that is not there: dt-validate made it of a part of one
    found = found or list(_shape(case))
    return found or [case.verdict(OTHER, _reworded(case.name, message))]


def place(record: Record) -> str:
    """The record's path in the binding, without the leading `then`, which all paths have."""
    path = "/".join(str(part) for part in record.get("schema_path") or (record["type"],))
    return path.removeprefix("then/")


def _missing(case: Complaint) -> Iterator[SchemaVerdict]:
    pattern = r"'([^']+)' is a (?:required property|dependency of '([^']+)')"
    match = re.match(pattern, case.message)
    if match and match[1].startswith(_PREFIX):
        beside = f" beside {match[2]}" if match[2] else ""
        message = f"expected the property {match[1]}{beside}, found none"
        yield SchemaVerdict("IS102", match[1], None, message)


def _foreign(case: Complaint) -> Iterator[SchemaVerdict]:
    """The complaint does not say which of the two it is about."""
    for name in (PMICR, PMICR_MASK):
        if name in case.node.properties:
            yield SchemaVerdict(
                "IS113", name, None, f"expected no {name} beside {PSSCR}, found both"
            )


def _levels(case: Complaint) -> Iterator[SchemaVerdict]:
    if case.states == 0:
        yield _NO_STATES
    else:
        yield case.verdict("IS331", f"expected the levels of the states in {case.name}, found 0")


_NO_STATES = SchemaVerdict(
    "IS104", FLAGS, None, f"expected at least one state, found {FLAGS} empty"
)


def _length(case: Complaint) -> Iterator[SchemaVerdict]:
    if case.name != NAMES and case.name not in CELL_BYTES:
        yield _unknown_property(case.name)
        return
    wanted, found = case.states, case.node.count(case.name) or 0
    entries = "entries" if wanted is None else f"{wanted} entries"
    message = f"expected {entries} in {case.name}, as many as flags, found {found}"
    if wanted is not None and found > wanted:
        yield SchemaVerdict("IS115", case.name, wanted, message)
    else:
        yield SchemaVerdict("IS107" if case.name == NAMES else "IS101", case.name, None, message)


def _too_many(case: Complaint) -> Iterator[SchemaVerdict]:
    """Too many entries, reported once at the flags."""
    found = case.node.count(case.name) or 0
    if case.states in (None, found):
        name = case.name if case.states is None else FLAGS
        message = f"expected at most {MOST_STATES} states, found {found}"
        yield SchemaVerdict("IS105", name, None, message)
    else:
        yield from _length(case)


def _shape(case: Complaint) -> Iterator[SchemaVerdict]:
    """A property that dt-validate could not split into entries."""
    name, data = case.name, case.node.properties.get(case.name)
    if data is None:
        return
    size = CELL_BYTES.get(name, 1)
    if name == STOP_LEVELS:
        message = f"expected 4 bytes in {name}, found {len(data)}"
        yield SchemaVerdict("IS103", name, None, message)
    elif name.startswith(_PREFIX) and not data:
        yield from [_NO_STATES] if case.states == 0 else _length(case)
    elif name == NAMES and not data.endswith(b"\0"):
        message = f"expected a NUL at the end of {name}, found {data[-1]:#04x}"
        yield SchemaVerdict("IS116", name, None, message)
    elif len(data) % size:
        message = f"expected a multiple of {size} bytes in {name}, found {len(data)}"
        yield SchemaVerdict("IS103", name, None, message)


def _undecoded(case: Complaint) -> Iterator[SchemaVerdict]:
    match = re.match(r"(\S+): size \([0-9]+\) error", case.message)
    if match:
        yield from _shape(Complaint(case.subject, case.node, match[1], None, case.message))


def _unknown(case: Complaint) -> Iterator[SchemaVerdict]:
    match = re.match(r"('.+') do(?:es)? not match ", case.message)
    for name in re.findall(r"'([^']+)'", match[1]) if match else ():
        yield _unknown_property(name)


def _unknown_property(name: str) -> SchemaVerdict:
    message = f"expected a property that the binding knows, found {name}"
    return SchemaVerdict(UNKNOWN_PROPERTY, name, None, message)


def _name(case: Complaint) -> Iterator[SchemaVerdict]:
    names = case.node.names()
    if case.index is None or case.index >= len(names):
        return
    raw = names[case.index]
    shown = ascii(raw.decode("utf-8", "surrogateescape"))
    if not raw or any(not 0x21 <= byte <= 0x7E for byte in raw):
        message = f"expected a name of printable ASCII without blanks, found {shown}"
        yield case.verdict("IS112", message)
    if len(raw) >= NAME_BYTES:
        message = f"expected a name of at most {NAME_BYTES - 1} bytes, found {shown}"
        yield case.verdict("IS108", f"{message} with {len(raw)}")


def _same_names(case: Complaint) -> Iterator[SchemaVerdict]:
    names = [name.decode("utf-8", "surrogateescape") for name in case.node.names()]
    yield from _repeated(case, "IS111", "name", [ascii(name) for name in names])


def _same_psscr(case: Complaint) -> Iterator[SchemaVerdict]:
    values = [f"{value:#x}" for value in case.node.cells(PSSCR)]
    yield from _repeated(case, "IS323", "PSSCR value", values)


def _repeated(
    case: Complaint, rule: str, what: str, entries: Sequence[str]
) -> Iterator[SchemaVerdict]:
    first: dict[str, int] = {}
    for index, entry in enumerate(entries):
        earlier = first.setdefault(entry, index)
        if earlier != index:
            message = f"expected each {what} once, found {entry} as state {earlier} and {index}"
            yield SchemaVerdict(rule, case.name, index, message)


def _flags(case: Complaint) -> Iterator[SchemaVerdict]:
    """Every fault of a flags word; without PSSCR properties, a stop flag is one."""
    properties, word = case.node.properties, case.cell
    if word is None:
        return
    stop = PSSCR in properties or PSSCR_MASK in properties
    if word & STOP_CLASSES and not stop and PMICR not in properties:
        for name in (PSSCR, PSSCR_MASK):
            message = f"expected the property {name} for states entered by stop, found none"
            yield SchemaVerdict("IS102", name, None, message)
        return
    rows = case.subject.exported_indices
    if case.index is not None and case.index < len(rows):
        state = case.subject.table.states[rows[case.index]]
        swapped = swapped_flags(case.subject, state)
        if swapped is not None:
            message = f"expected flags {swapped:#010x}, found their bytes reversed: {word:#010x}"
            yield case.verdict("IS311", message)
            return
    names = ", ".join(flag_names(word)) or "none"
    faults = list(_flag_faults(word, stop)) or list(_clock_faults(word))
    for rule, expected in faults:
        yield case.verdict(rule, f"expected {expected}, found {word:#010x} ({names})")


def _flag_faults(word: int, stop: bool) -> Iterator[tuple[str, str]]:
    """(rule, what was expected)"""
    if word & ~KNOWN_FLAGS:
        yield "IS310", "defined flags only"
    classes = STOP_CLASSES if stop else POWER8_CLASSES
    if not word & classes:
        yield "IS314", f"one of {', '.join(flag_names(classes))}"
    if sum(bool(word & way) for way in _WAYS_OF_ENTRY) > 1 or (stop and word & Flag.USE_PMICR):
        yield "IS315", "one way of entry"
    if word & Flag.TIMEBASE_STOP and not word & Flag.DEC_STOP:
        yield "IS313", "DEC_STOP with TIMEBASE_STOP"
    steps = (Flag.LOSE_USER_CONTEXT, Flag.LOSE_HYP_CONTEXT, Flag.LOSE_FULL_CONTEXT)
    user, hyp, full = (bool(word & step) for step in steps)
    broken = full > hyp or hyp > user or (not user and word & POWER8_CLASSES)
    if broken and not word & FLAGS_OF_2014:
        yield "IS328", "the lesser losses of context with a greater one"


_WAYS_OF_ENTRY = (
    Flag.STOP_INST_FAST,
    Flag.STOP_INST_DEEP,
    Flag.NAP_ENABLED,
    SLEEP_CLASSES,
    Flag.WINKLE_ENABLED,
)


def _clock_faults(word: int) -> Iterator[tuple[str, str]]:
    """Yields the binding's demands on nap, sleep and winkle that go beyond the rules."""
    if word & SLEEP_CLASSES == SLEEP_CLASSES:
        yield OTHER, "SLEEP_ENABLED or SLEEP_ENABLED_ER1, not both"
    if word & Flag.NAP_ENABLED:
        yield OTHER, "no clock that stops in nap"
    elif not word & Flag.DEC_STOP:
        yield OTHER, "DEC_STOP with sleep and winkle"


def _psscr(case: Complaint) -> Iterator[SchemaVerdict]:
    value = case.cell
    if value is None:
        return
    psscr = Psscr.from_int(value)
    if psscr.other:
        yield case.verdict("IS324", f"expected no bits {psscr.other:#x} in PSSCR, found {value:#x}")
    if psscr.psll not in (0, 15):
        message = f"expected a PSLL of 0 or 15 in PSSCR, found {psscr.psll} in {value:#x}"
        yield case.verdict("IS324", message)
    if psscr.esl != psscr.ec:
        message = f"expected ESL and EC alike, found ESL={psscr.esl} and EC={psscr.ec}"
        yield case.verdict("IS301", f"{message} in {value:#x}")


def _mask(case: Complaint) -> Iterator[SchemaVerdict]:
    mask = case.cell
    if mask is None:
        return
    expected = f"expected a mask of {_FIVE_FIELDS:#x}, {PSSCR_FIELD_BITS:#x} or 0xf"
    rule = "IS308" if _FIVE_FIELDS & ~mask else "IS324"
    yield case.verdict(rule, f"{expected}, found {mask:#x}")


def _pmicr(case: Complaint) -> Iterator[SchemaVerdict]:
    if case.cell is not None:
        what = "PMICR mask" if case.name == PMICR_MASK else "PMICR value"
        message = f"expected a {what} that skiboot defines, found {case.cell:#x}"
        yield case.verdict("IS326", message)


def _time(case: Complaint) -> Iterator[SchemaVerdict]:
    if case.cell:
        expected = f"expected at most {MOST_NS} ns, which 32 bits can round up"
        yield case.verdict("IS216", f"{expected}, found {case.cell}")
    elif case.cell == 0:
        yield case.verdict("IS215", "expected a time of at least 1 ns, found 0")


_JUDGES: tuple[tuple[str, Callable[[Complaint], Iterator[SchemaVerdict]]], ...] = (
    # ~ is ibm,cpu-idle-state-; the first that matches counts
    (r"decode", _undecoded),
    (r".*/type(Size)?", _shape),
    (r"allOf/0/then/required|dependentRequired", _missing),
    (r"dependentSchemas/~psscr/properties(/~pmicr(-mask)?)?", _foreign),
    (r"dependentSchemas/~psscr/properties/ibm,enabled-stop-levels/minimum", _levels),
    (r"allOf/1/(then|else)/properties/~flags/items/enum", _flags),
    (r"allOf/2/.*/(minItems|maxItems)", _length),
    (r"properties/~[^/]+/maxItems", _too_many),
    (r"properties/~names/items/pattern", _name),
    (r"properties/~names/.*uniqueItems", _same_names),
    (r"properties/~psscr/uniqueItems", _same_psscr),
    (r"properties/~psscr/items/(maximum|allOf/[0-9]/not)", _psscr),
    (r"properties/~psscr-mask/items/enum", _mask),
    (r"properties/~pmicr(-mask)?/items/enum", _pmicr),
    (r"properties/~(latencies|residency)-ns/items/(minimum|maximum)", _time),
    (r"additionalProperties", _unknown),
)

_WORDINGS = (
    (r"(.+) is not one of (.+)", r"expected one of \2, found \1"),
    (r"(.+) is less than the minimum of (.+)", r"expected at least \2, found \1"),
    (r"(.+) is greater than the maximum of (.+)", r"expected at most \2, found \1"),
    (r"'(.+)' is a dependency of '(.+)'", r"expected \1 beside \2, found none"),
)


def _reworded(name: str, message: str) -> str:
    """dt-validate's message; the most common one is reworded as "expected X, found Y"."""
    for pattern, ours in _WORDINGS:
        match: re.Match[str] | None = re.fullmatch(pattern, message, re.DOTALL)
        if match:
            message = match.expand(ours)
            break
    text = f"{name}: {message}" if name else message
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[: _LONGEST_MESSAGE - 3]}..."
