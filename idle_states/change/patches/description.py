"""Patch descriptions: YAML -> frozen values, with a place for everything that may be wrong.

A description holds facts only: which field of which row, or which property of which node, goes from
what to what, why, and on what evidence. No text of skiboot or Linux is in it; hunks are made
against the tree in hand.
"""

import datetime
import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.dataclass import field as attribute
from ...base.model.findings import Faulty, Location
from ...base.model.table import IdleTable
from ...base.patterns import pattern
from ...base.reading import opening, scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping as Entries
from ...base.reading.document import Node, Sequence, decode, parse
from ...base.reading.git_am import is_scissors, misread
from ...base.wording import suggestion
from ...tables.skiboot.releases import UnknownSkiboot, version_key
from .dts_edits import DtsEdit, edit_of, is_dts_edit
from .fields import FIELDS, Value, parsed_value

KEYS = ("name", "subject", "body", "date", "since", "until", "evidence", "aliases", "edits")
_EDIT = ("table", "state", "field", "from", "to", "becomes", "file")
_ALIASES = ("tables", "files")
_EVIDENCE = ("claim", "source", "command")
_NAME = pattern(r"[a-z0-9][a-z0-9.-]*")
_ARRAY = pattern(r"[A-Za-z_]\w*", re.ASCII)
_FILE = pattern(r"(?:[\w-]+/)*[\w.-]+\.c", re.ASCII)
_BEGINS_MAIL = pattern(r"From [^\n]*[0-9]:[0-9]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim, and where it comes from: a source, a command that shows it, or both."""

    claim: str
    source: Annotated[str, "Commit or document; may be empty."] = ""
    command: Annotated[str, "A command that shows it; may be empty."] = ""


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """An edit of one field of one row.

    before, after  old and new value, as `fields.parsed_value` returns them
    file           file with the table, "" for any
    """

    table: str
    state: str
    field: str
    before: Value
    after: Value
    file: str = ""
    where: Location = attribute(default=Location(), compare=False)


@dataclass(frozen=True, slots=True)
class TableEdit:
    """An edit that replaces a whole table.

    becomes  the new table as a TABLE; names of files are relative to `directory`
    read     the new table, if it has been read already
    whole    the new table is a spec's, whose array and case are made where the tree lacks them
    """

    table: str
    becomes: str
    directory: Path
    file: str = ""
    read: IdleTable | None = attribute(default=None, compare=False)
    whole: bool = False
    where: Location = attribute(default=Location(), compare=False)


Edit = FieldEdit | TableEdit


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch description.

    edits         of skiboot's tables
    dts           of device-tree source; a description has either
    since, until  first and last skiboot release the patch is meant for; "" for no bound
    aliases       array or file -> its names in other releases
    """

    name: str
    subject: str
    body: str
    edits: tuple[Edit, ...]
    evidence: tuple[Evidence, ...] = ()
    date: datetime.date | None = None
    since: str = ""
    until: str = ""
    aliases: Mapping[str, tuple[str, ...]] = attribute(default_factory=dict)
    file: str = ""
    sha256: str = ""
    where: Location = attribute(default=Location(), compare=False)
    dts: tuple[DtsEdit, ...] = ()


def read(path: Path, shown: str) -> Patch:
    """Reads a description file. Raises Unreadable, Faulty with every error in it, OSError."""
    data = opening.read(path, shown=shown)
    text = decode(data, shown)
    return _Reader(path, shown, hashlib.sha256(data).hexdigest()).patch(parse(text, shown), text)


class _Reader:
    def __init__(self, path: Path, shown: str, digest: str) -> None:
        self.path = path
        self.shown = shown
        self.digest = digest
        self.problems = SpecProblems()

    def patch(self, root: Entries, text: str) -> Patch:
        self.only(root, KEYS)
        aliases = self.aliases(root.entries.get("aliases"))
        edits, dts = self.all_edits(root)
        found = Patch(
            name=self.required(root, "name", "a description", _NAME, "a name such as mambo-stop4"),
            subject=self.subject(root),
            body=self.body(root),
            edits=edits,
            evidence=tuple(self.evidence(root)),
            date=self.date(root),
            since=self.release(root, "since"),
            until=self.release(root, "until"),
            aliases=aliases,
            file=self.shown,
            sha256=self.digest,
            where=root.where,
            dts=dts,
        )
        if found.since and found.until and version_key(found.since) > version_key(found.until):
            message = f"expected until after since {found.since}, found {found.until}"
            self.problems.add("IS924", "out-of-range", message, root.entries["until"].where)
        if self.problems.findings:
            raise Faulty(self.problems.findings, {self.shown: text})
        return found

    def only(self, node: Entries, known: Iterable[str]) -> None:
        known = list(known)
        for key, where in node.keys.items():
            if key not in known:
                message = f"expected one of {', '.join(known)}, found {key!r}"
                self.problems.add("IS920", "unknown-key", message + suggestion(key, known), where)

    def required(
        self,
        node: Entries,
        key: str,
        what: str,
        pattern: re.Pattern[str] | None = None,
        expected: str = "text",
    ) -> str:
        if key not in node.entries:
            self.problems.missing_key(key, what, node.where)
            return ""
        return self.optional(node, key, pattern, expected)

    def optional(
        self,
        node: Entries,
        key: str,
        pattern: re.Pattern[str] | None = None,
        expected: str = "text",
    ) -> str:
        value = node.entries.get(key)
        found = scalars.text(value, expected, self.problems) if value is not None else ""
        if value is not None and found and pattern and not pattern.fullmatch(found):
            self.problems.wrong_type(expected, repr(found), value.where)
        return found or ""

    def subject(self, root: Entries) -> str:
        found = self.required(root, "subject", "a description")
        if found and (found.startswith("[") or found.strip() != found or "\n" in found):
            where = root.entries["subject"].where
            self.problems.wrong_type("a subject of one line without [ first", repr(found), where)
        return found

    def body(self, root: Entries) -> str:
        found = self.required(root, "body", "a description").strip()
        lines = found.splitlines()
        misreadable = misread(lines)
        bad = [
            line
            for at, line in enumerate(lines)
            if at in misreadable or is_scissors(line) or _BEGINS_MAIL.match(line)
        ]
        if bad:
            message = (
                "a body without lines that git takes for a header, a diff or its end, scissors or "
                "a signature"
            )
            self.problems.wrong_type(message, repr(bad[0][:60]), root.entries["body"].where)
        return found

    def date(self, root: Entries) -> datetime.date | None:
        found = self.optional(root, "date")
        if not found:
            return None
        try:
            return datetime.date.fromisoformat(found)
        except ValueError:
            where = root.entries["date"].where
            self.problems.wrong_type("a date such as 2017-04-19", repr(found), where)
            return None

    def release(self, root: Entries, key: str) -> str:
        found = self.optional(root, key)
        try:
            if found:
                version_key(found)
            return found
        except UnknownSkiboot as error:
            self.problems.add("IS925", "unknown-name", str(error), root.entries[key].where)
            return ""

    def evidence(self, root: Entries) -> Iterable[Evidence]:
        for node in self.mappings(root.entries.get("evidence")):
            self.only(node, _EVIDENCE)
            claim = self.required(node, "claim", "a piece of evidence")
            source, command = self.optional(node, "source"), self.optional(node, "command")
            if not source and not command:
                self.problems.missing_key("source or command", "a piece of evidence", node.where)
            yield Evidence(" ".join(claim.split()), source, command)

    def mappings(self, node: Node | None) -> list[Entries]:
        items = scalars.items(node, "a list", self.problems)
        return list(scalars.mappings(items, "a mapping", self.problems))

    def aliases(self, node: Node | None) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        node = scalars.mapping(node, "a mapping", self.problems)
        if node is None:
            return found
        self.only(node, _ALIASES)
        for kind, expression, what in (
            ("tables", _ARRAY, "names of C arrays"),
            ("files", _FILE, "paths in the tree such as hw/slw.c"),
        ):
            group = node.entries.get(kind)
            if group is not None and not isinstance(group, Entries):
                self.problems.wrong_type("a mapping", group.kind, group.where)
            for key, names in group.entries.items() if isinstance(group, Entries) else ():
                items = names.items if isinstance(names, Sequence) else [names]
                texts = [scalars.text(item, what, self.problems) or "" for item in items]
                for text, item in zip(texts, items, strict=True):
                    if text and not expression.fullmatch(text):
                        self.problems.wrong_type(what, repr(text), item.where)
                found[key] = tuple(texts)
        return found

    def all_edits(self, root: Entries) -> tuple[tuple[Edit, ...], tuple[DtsEdit, ...]]:
        """The edits of skiboot's tables, and the edits of device-tree sources, in order; one of the
        two is empty."""
        if "edits" not in root.entries:
            self.problems.missing_key("edits", "a description", root.where)
        nodes = self.mappings(root.entries.get("edits"))
        if not nodes and "edits" in root.entries:
            self.problems.wrong_type("at least one edit", "none", root.entries["edits"].where)
        sources = [node for node in nodes if is_dts_edit(node)]
        tables = [node for node in nodes if not is_dts_edit(node)]
        if sources and tables:
            message = "edits of device-tree source, as others have a key node"
            self.problems.wrong_type(message, "an edit of a table", tables[0].where)
        for key in ("since", "until", "aliases") if sources else ():
            if key in root.entries:
                message = f"no {key} beside edits of device-tree source"
                self.problems.wrong_type(message, key, root.entries[key].where)
        found = [edit_of(node, self.problems) for node in sources]
        return tuple(self.edits(tables)), tuple(edit for edit in found if edit is not None)

    def edits(self, nodes: Iterable[Entries]) -> Iterable[Edit]:
        for node in nodes:
            self.only(node, _EDIT)
            table = self.required(node, "table", "an edit", _ARRAY, "the name of a C array")
            file = self.optional(node, "file", _FILE, "a path in the tree such as hw/slw.c")
            if "becomes" in node.entries:
                for key in ("state", "field", "from", "to"):
                    if key in node.entries:
                        message = f"no {key} beside becomes"
                        self.problems.wrong_type(message, key, node.entries[key].where)
                becomes = self.required(node, "becomes", "an edit")
                yield TableEdit(table, becomes, self.path.parent, file, where=node.where)
                continue
            state = self.required(node, "state", "an edit")
            name = self.required(node, "field", "an edit")
            if name and name not in FIELDS:
                where = node.entries["field"].where
                self.problems.unknown_name("a field", name, where, FIELDS)
                continue
            yield FieldEdit(
                table,
                state,
                name,
                self.value(node, "from", name),
                self.value(node, "to", name),
                file,
                node.where,
            )

    def value(self, node: Entries, key: str, name: str) -> Value:
        if key not in node.entries:
            self.problems.missing_key(key, "an edit", node.where)
            return 0
        return parsed_value(node.entries[key], name, self.problems) if name else 0
