"""check --engine dtschema: the dt-schema binding as a second opinion, by way of dt-validate.

A tree's own node is validated, of specs and C the node that firmware exports on the platform;
pseries tables have none. Child nodes (OCCs, power caps) carry no idle states and stay out. What
dt-validate says is told under the rule that means the same, with the rule's severity, at the
place the value was read from; the path in the binding stands beside it.

Source: schemas/powerpc/opal-power-mgt.yaml, whose allOf is 0 presence, 1 flags, 2 lengths;
dtschema's --json-output. dt-validate exits with 0 whatever it finds, with an empty list also
where its -l matches nothing, and with a traceback and no list where it cannot decode a tree.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..devicetree import fdt
from ..devicetree.power_mgt import (
    CELL_BYTES,
    FLAGS,
    LATENCIES,
    NAMES,
    NODE,
    PMICR,
    PMICR_MASK,
    PSSCR,
    PSSCR_MASK,
    RESIDENCIES,
    STOP_LEVELS,
    PowerMgt,
)
from ..devicetree.tree import Node
from ..findings import Finding, Location, Severity, Unreadable, sort_findings
from ..resources import resource
from ..rules.catalogue import rule_named
from ..rules.engine import ALL, Selection, suppress
from ..rules.is3_control import POWER8_CLASSES, swapped_flags
from ..rules.subject import Subject
from ..skiboot.platform import ALL_LEVELS, Platform
from ..sources import Source
from ..table import (
    KNOWN_FLAGS,
    NAME_BYTES,
    PSSCR_FIELD_BITS,
    PSSCR_MASK as FIVE_FIELDS,
    STOP_CLASSES,
    Flag,
    Psscr,
    flag_names,
)

BINDING = "powerpc/opal-power-mgt.yaml"
INSTALL = "pip install idle-states[dtschema]"
TIMEOUT_S = 300
OTHER = ("IS118", "dt-schema-other")
UNKNOWN = ("IS117", "unknown-property")

_PREFIX = "ibm,cpu-idle-state-"
_FIELD = {NAMES: "name", LATENCIES: "latency", RESIDENCIES: "residency", FLAGS: "flags",
          PSSCR: "control", PMICR: "control", PSSCR_MASK: "mask", PMICR_MASK: "mask"}  # fmt: skip
_CANARY = "canary"
"""A tree that breaks the binding, so that a run which validates nothing is noticed."""


def check(
    sources: Sequence[Source], platform: Platform = ALL_LEVELS, selection: Selection = ALL
) -> list[Finding]:
    """Findings of reading and of the binding on all sources, in stable order.

    Raises Unreadable (IS930) if dt-validate is missing or does not work.
    """
    validator = Validator.installed()
    found: list[Finding] = []
    trees = []
    for source in sources:
        own = list(source.findings)
        tree = Tree.of(source, platform)
        if tree is not None and not (bad := list(tree.undecodable())):
            trees.append(tree)
        elif tree is not None:
            own += bad
        found += suppress(own, source.suppressions)
    for tree, records in zip(trees, validator.records(trees), strict=True):
        judged = (finding for record in records for finding in tree.findings(record))
        # one slip can break several parts of the binding: the first says it
        unique = {(f.rule, f.location, f.message): f for f in reversed(list(judged))}
        found += suppress(unique.values(), tree.source.suppressions)
    return sort_findings(dict.fromkeys(f for f in found if selection.takes(f.rule)))


# Running dt-validate


@dataclass(frozen=True, slots=True)
class Validator:
    """An installed dtschema; both programs are of one installation."""

    validate: str
    make: str

    @classmethod
    def installed(cls) -> "Validator":
        """From this interpreter's environment, else from PATH. Raises Unreadable (IS930)."""
        for directory in (os.path.dirname(sys.executable), None):
            validate = shutil.which("dt-validate", path=directory)
            make = validate and shutil.which("dt-mk-schema", path=os.path.dirname(validate))
            if validate and make:
                return cls(validate, make)
        raise _unusable(f"expected the program dt-validate, found none; {INSTALL}")

    def records(self, trees: "Sequence[Tree]") -> list[list[dict[str, Any]]]:
        """dt-validate's records on each tree; {"type": "crash"} for one it gives up on."""
        with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
            work = Path(directory)
            schema = self._schema(work)
            (work / f"{_CANARY}.dtb").write_bytes(_blob({STOP_LEVELS: b""}))
            for number, tree in enumerate(trees):
                (work / f"{number}.dtb").write_bytes(_blob(tree.properties))
            stems = [_CANARY, *(str(number) for number in range(len(trees)))]
            stem2records: dict[str, list[dict[str, Any]]] = {stem: [] for stem in stems}
            for record in self._run(schema, stems, work):
                stem2records[Path(record["file"]).stem].append(record)
        canary = stem2records.pop(_CANARY)
        if [record["type"] for record in canary] != ["validation"]:
            said = canary[0]["message"] if canary else "no complaint"
            raise _unusable(
                f"expected {self.validate} to complain about a faulty tree by {schema}, "
                f"found: {said}"
            )
        return list(stem2records.values())

    def _run(self, schema: Path, stems: Sequence[str], work: Path) -> list[dict[str, Any]]:
        """All trees in one call; in halves if there is one among them that it cannot decode."""
        out = work / "records.json"
        out.unlink(missing_ok=True)
        files = [f"{stem}.dtb" for stem in stems]
        limit = Path(BINDING).stem
        done = _call(
            [self.validate, "-s", str(schema), "-l", limit, "--json-output", out.name, *files], work
        )
        try:
            found = json.loads(out.read_bytes()) if done.returncode == 0 else None
        except (OSError, ValueError):
            found = None
        if isinstance(found, list):
            return found
        if len(stems) == 1:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            return [{"type": "crash", "file": files[0], "message": lines[-1]}]
        half = len(stems) // 2
        return [*self._run(schema, stems[:half], work), *self._run(schema, stems[half:], work)]

    def _schema(self, work: Path) -> Path:
        """The binding as dt-mk-schema prepares it, made once per binding and dtschema version."""
        binding = resource("schemas", *BINDING.split("/"))
        version = _call([self.make, "--version"], work).stdout.strip()
        digest = hashlib.sha256(binding.read_bytes()).hexdigest()[:16]
        directory = _cache() or work
        kept = directory / f"{binding.stem}-{re.sub(r'[^0-9A-Za-z.]', '_', version)}-{digest}.json"
        if kept.is_file():
            return kept
        fresh = work / "schema.json"
        done = _call([self.make, "-j", "-o", str(fresh), str(binding)], work)
        if done.returncode or not fresh.is_file():
            raise _unusable(f"expected {self.make} to read {binding}, found: {done.stderr.strip()}")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            handle, beside = tempfile.mkstemp(dir=directory, prefix=f".{kept.name}.")
        except OSError:
            return fresh
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(fresh.read_bytes())
            os.replace(beside, kept)
        except BaseException as reason:
            os.unlink(beside)
            if isinstance(reason, OSError):
                return fresh
            raise
        return kept


def _cache() -> Path | None:
    """$XDG_CACHE_HOME/idle-states; a relative path does not count, says the specification."""
    for base in (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")):
        if os.path.isabs(base):
            return Path(base, "idle-states")
    return None


def _call(words: Sequence[str], work: Path) -> subprocess.CompletedProcess[str]:
    """An interrupt ends the program too: run() kills and awaits it before it raises."""
    try:
        return subprocess.run(
            words, cwd=work, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise _unusable(f"expected {words[0]} to end within {TIMEOUT_S} s, found it busy") from None
    except OSError as error:
        raise _unusable(f"expected {words[0]} to run, found: {error.strerror}") from None


def _unusable(message: str) -> Unreadable:
    return Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, Location())])


def _blob(properties: dict[str, bytes]) -> bytes:
    """The smallest tree with such a node."""
    return fdt.write(Node("", {}, (Node("ibm,opal", {}, (Node("power-mgt", properties),)),)))


# Telling what it found


Verdict = tuple[str, str, int | None, str]
"""Rule, property ("" for the node), index of its entry, message."""


class Tree:
    """A node handed to dt-validate, and the source it comes from."""

    def __init__(self, source: Source, subject: Subject, node: PowerMgt) -> None:
        self.source = source
        self.subject = subject
        self.node = node

    @classmethod
    def of(cls, source: Source, platform: Platform) -> "Tree | None":
        """None where there is no node: reading failed, pseries, or skiboot never gets there."""
        if source.table is None:
            return None
        subject = Subject(source.table, (), platform, source.node)
        node = source.node or (subject.export.node if subject.export else None)
        return cls(source, subject, node) if node is not None else None

    @property
    def properties(self) -> dict[str, bytes]:
        """Without `name`, which Linux adds to every node in /proc/device-tree."""
        return {key: data for key, data in self.node.properties.items() if key != "name"}

    @cached_property
    def wanted(self) -> int:
        """The number of states: the binding counts the flags."""
        return self.node.count(FLAGS) or 0

    def undecodable(self) -> Iterator[Finding]:
        """IS112 for each name that dt-validate would end with a traceback on."""
        for index, name in enumerate(self.node.names()):
            bad = next((byte for byte in name if byte >= 0x80), None)
            if bad is not None:
                message = (
                    f"expected printable ASCII in a name, found byte {bad:#04x} in "
                    f"{name.decode('utf-8', 'surrogateescape')!a}; dt-validate cannot read the tree"
                )
                yield self._finding("IS112", NAMES, index, message, "")

    def findings(self, record: dict[str, Any]) -> Iterator[Finding]:
        """What a record of dt-validate's amounts to; nearly always one finding."""
        path = "/".join(map(str, record.get("schema_path", ()))).removeprefix("then/")
        for code, name, index, message in self._verdicts(record, path):
            yield self._finding(code, name, index, message, path or record["type"])

    def _verdicts(self, record: dict[str, Any], path: str) -> Iterator[Verdict]:
        if record["type"] == "crash":
            yield OTHER[0], "", None, f"dt-validate gives up on the tree: {record['message']}"
            return
        where = record.get("property_path", ())
        name = str(where[0]) if where else ""
        index = where[1] if len(where) == 2 and isinstance(where[1], int) else None
        key = "decode" if record["type"] == "decode" else path.replace(_PREFIX, "~")
        for pattern, judge in _JUDGES:
            if pattern.fullmatch(key):
                verdicts = list(judge(self, name, index, record["message"]))
                if verdicts:
                    yield from verdicts
                    return
        yield OTHER[0], name, index, _reworded(name, record["message"])

    def _finding(
        self, code: str, name: str, index: int | None, message: str, path: str
    ) -> Finding:
        loaded = rule_named(code)
        severity = loaded.rule.severity if loaded else Severity.ERROR
        title = loaded.rule.name if loaded else dict([OTHER, UNKNOWN])[code]
        place = self.node.at(name, index) if name else self.node.where
        related = [(Location(path=f"dt-schema {BINDING}"), path)] if path else []
        if self.source.node is None:
            related.insert(0, (place, f"as exported on {self.subject.platform.name}"))
            place = self._place(name, index)
        return Finding(
            code, title, severity, message, place, related=tuple(related), table=self.source.name
        )

    def _place(self, name: str, index: int | None) -> Location:
        """Where a table says what became an entry of the exported node."""
        rows = self.subject.exported_indices
        if index is None or name not in _FIELD or index >= len(rows):
            return self.subject.at(None)
        return self.subject.at(rows[index], _FIELD[name])

    def cell(self, name: str, index: int | None) -> int:
        cells = self.node.cells(name)
        return cells[index] if index is not None and index < len(cells) else 0


Judge = Callable[[Tree, str, int | None, str], Iterator[Verdict]]


def _missing(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    match = re.match(r"'([^']+)' is a (?:required property|dependency of '([^']+)')", message)
    if match and match[1].startswith(_PREFIX):
        beside = f" beside {match[2]}" if match[2] else ""
        yield "IS102", match[1], None, f"expected the property {match[1]}{beside}, found none"


def _foreign(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    for foreign in (PMICR, PMICR_MASK):
        if foreign in tree.node.properties:
            yield "IS113", foreign, None, f"expected no {foreign} beside {PSSCR}, found both"


def _levels(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    if tree.wanted:
        yield "IS331", name, None, f"expected the levels of {tree.wanted} states in {name}, found 0"
    else:
        yield from _no_states()


def _no_states() -> Iterator[Verdict]:
    yield "IS104", FLAGS, None, f"expected at least one state, found {FLAGS} empty"


def _length(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    found = tree.node.count(name)
    text = f"expected {tree.wanted} entries in {name}, as many as flags, found {found}"
    if found is not None and found > tree.wanted:
        yield "IS115", name, tree.wanted, text
    else:
        yield "IS107" if name == NAMES else "IS101", name, None, text


def _too_many(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    yield "IS105", FLAGS, None, f"expected at most 16 states, found {tree.wanted}"


def _shape(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    """Something that dt-validate could not take apart into entries."""
    data = tree.node.properties.get(name)
    if data is None:
        return
    if name == STOP_LEVELS:
        yield "IS103", name, None, f"expected 4 bytes in {name}, found {len(data)}"
    elif name == NAMES and data and not data.endswith(b"\0"):
        yield "IS116", name, None, f"expected a NUL at the end of {name}, found {data[-1]:#04x}"
    elif name.startswith(_PREFIX) and not data:
        yield from _length(tree, name, None, message) if tree.wanted else _no_states()
    elif name in CELL_BYTES and len(data) % CELL_BYTES[name]:
        size = CELL_BYTES[name]
        yield "IS103", name, None, f"expected a multiple of {size} bytes in {name}, found {len(data)}"


def _undecoded(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    match = re.match(r"(\S+): size \(\d+\) error", message)
    if match:
        yield from _shape(tree, match[1], None, message)


def _unknown(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    names, found, _ = re.split(r" do(es)? not match ", message, maxsplit=1) if (
        " not match " in message
    ) else ("", None, "")
    for unknown in re.findall(r"'([^']+)'", names):
        text = f"expected a property that the binding knows, found {unknown}"
        yield UNKNOWN[0], unknown, None, text


def _name(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    names = tree.node.names()
    if index is None or index >= len(names):
        return
    found = names[index].decode("utf-8", "surrogateescape")
    if not found or any(not "!" <= char <= "~" for char in found):
        yield "IS112", name, index, f"expected a name of printable ASCII without blanks, found {found!a}"
    if len(names[index]) >= NAME_BYTES:
        size = len(names[index])
        text = f"expected a name of at most {NAME_BYTES - 1} bytes, found {found!a} with {size}"
        yield "IS108", name, index, text


def _twice(code: str, what: str) -> Judge:
    """A judge for entries that must all differ: each that repeats an earlier one."""

    def judge(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
        entries: Sequence[Any] = tree.node.names() if name == NAMES else tree.node.cells(name)
        first: dict[Any, int] = {}
        for position, entry in enumerate(entries):
            earlier = first.setdefault(entry, position)
            if earlier != position:
                shown = f"{entry:#x}" if isinstance(entry, int) else ascii(entry.decode("latin-1"))
                text = f"expected each {what} once, found {shown} as state {earlier} and {position}"
                yield code, name, position, text

    return judge


def _flags(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    if index is None:
        return
    properties = tree.node.properties
    stop = PSSCR in properties or PSSCR_MASK in properties
    word = tree.cell(name, index)
    if not stop and word & STOP_CLASSES and PMICR not in properties:
        for missing in (PSSCR, PSSCR_MASK):
            text = f"expected the property {missing} for states entered by stop, found none"
            yield "IS102", missing, None, text
        return
    if index < len(tree.subject.exported_indices):
        row = tree.subject.exported_indices[index]
        swapped = swapped_flags(tree.subject, tree.subject.table.states[row])
        if swapped is not None:
            text = f"expected flags as {swapped:#010x}, found the bytes reversed: {word:#010x}"
            yield "IS311", name, index, text
            return
    for code, expected in _flag_faults(word, stop):
        named = ", ".join(flag_names(word)) or "none"
        yield code, name, index, f"expected {expected}, found {word:#010x} ({named})"


def _flag_faults(word: int, stop: bool) -> Iterator[tuple[str, str]]:
    """(rule, what was expected) for all that makes a flag word impossible."""
    if word & ~KNOWN_FLAGS:
        yield "IS310", "defined flags only"
    classes = STOP_CLASSES if stop else POWER8_CLASSES
    if not word & classes:
        yield "IS314", f"one of {', '.join(flag_names(classes))}"
    several = (word & (STOP_CLASSES | POWER8_CLASSES)).bit_count() > 1
    if several or stop and word & Flag.USE_PMICR:
        yield "IS315", "one way of entry"
    winkle = word & POWER8_CLASSES == Flag.WINKLE_ENABLED
    if winkle and not stop and not word & Flag.LOSE_FULL_CONTEXT:
        yield "IS315", "LOSE_FULL_CONTEXT with WINKLE_ENABLED"
    if word & Flag.TIMEBASE_STOP and not word & Flag.DEC_STOP:
        yield "IS313", "DEC_STOP with TIMEBASE_STOP"
    steps = [Flag.LOSE_USER_CONTEXT, Flag.LOSE_HYP_CONTEXT, Flag.LOSE_FULL_CONTEXT]
    lost = [bool(word & step) for step in steps]
    if lost != sorted(lost, reverse=True) or not stop and not lost[0]:
        yield "IS328", "the lesser losses of context with a greater one"


def _psscr(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    value = tree.cell(name, index)
    psscr = Psscr.from_int(value)
    if psscr.other:
        yield "IS324", name, index, f"expected no bits {psscr.other:#x} in PSSCR, found {value:#x}"
    if psscr.psll not in (0, 15):
        yield "IS324", name, index, f"expected a PSLL of 0 or 15, found {psscr.psll} in {value:#x}"
    if psscr.esl != psscr.ec:
        text = f"expected ESL and EC alike, found ESL={psscr.esl} and EC={psscr.ec} in {value:#x}"
        yield "IS301", name, index, text


def _mask(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    mask = tree.cell(name, index)
    text = f"expected a mask of {FIVE_FIELDS:#x}, {PSSCR_FIELD_BITS:#x} or 0xf, found {mask:#x}"
    if FIVE_FIELDS & ~mask:
        yield "IS308", name, index, text
    else:
        yield "IS324", name, index, text


def _pmicr(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    value = tree.cell(name, index)
    yield "IS326", name, index, f"expected a {name} that skiboot defines, found {value:#x}"


def _time(tree: Tree, name: str, index: int | None, message: str) -> Iterator[Verdict]:
    value = tree.cell(name, index)
    if not value:
        yield "IS215", name, index, "expected a time of at least 1 ns, found 0"
    else:
        text = f"expected at most 4294966296 ns, what rounds up in 32 bits, found {value}"
        yield "IS216", name, index, text


_JUDGES: tuple[tuple[re.Pattern[str], Judge], ...] = tuple(
    (re.compile(pattern), judge)
    for pattern, judge in (
        (r"decode", _undecoded),
        (r".*/type(Size)?", _shape),
        (r"allOf/0/then/required|dependentRequired", _missing),
        (r"dependentSchemas/~psscr/properties", _foreign),
        (r"dependentSchemas/~psscr/properties/ibm,enabled-stop-levels/minimum", _levels),
        (r"allOf/1/(then|else)/properties/~flags/items/enum", _flags),
        (r"allOf/2/.*/(minItems|maxItems)", _length),
        (r"properties/~[^/]+/maxItems", _too_many),
        (r"properties/~names/items/pattern", _name),
        (r"properties/~names/.*uniqueItems", _twice("IS111", "name")),
        (r"properties/~psscr/uniqueItems", _twice("IS323", "PSSCR value")),
        (r"properties/~psscr/items/(maximum|allOf/\d/not)", _psscr),
        (r"properties/~psscr-mask/items/enum", _mask),
        (r"properties/~pmicr(-mask)?/items/enum", _pmicr),
        (r"properties/~(latencies|residency)-ns/items/(minimum|maximum)", _time),
        (r"additionalProperties", _unknown),
    )
)


def _reworded(name: str, message: str) -> str:
    """dt-validate's own words, the most common of them turned round."""
    for pattern, ours in (
        (r"(.+) is not one of (.+)", r"expected one of \2, found \1"),
        (r"(.+) is less than the minimum of (.+)", r"expected at least \2, found \1"),
        (r"(.+) is greater than the maximum of (.+)", r"expected at most \2, found \1"),
        (r"'(.+)' is a (?:required property|dependency of '.+')", r"expected \1, found none"),
    ):
        match = re.fullmatch(pattern, message, re.DOTALL)
        if match:
            message = match.expand(ours)
            break
    text = f"{name or NODE.rpartition('/')[2]}: {message}"
    return text if len(text) <= 200 else f"{text[:197]}..."
