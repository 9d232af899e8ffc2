"""The result of reading a TABLE (`Source`) and the input of the formats (`File`)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field, replace
from ...base.digests import sha256
from ...base.model.findings import (
    Faulty,
    Finding,
    Location,
    Rejected,
    Severity,
    Unreadable,
    UsageError,
    unreadable,
)
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import IdleTable
from ...base.reading import limits, opening
from ..skiboot.releases import ExportCode

if TYPE_CHECKING:
    from ...base.model.idle_tree import IdleTree
    from ..devicetree.tree import Node
    from ..spec.suppress import Suppression

MAX_BYTES = limits.FILE_BYTES
MAX_UNPACKED_BYTES = limits.UNPACKED_BYTES


@dataclass(frozen=True, slots=True)
class Source:
    """One table as read, with everything that was read with it.

    sha256        of the file, with what it includes: see digest_with
    table         None if reading found errors (see findings) or there is no table in the input
    findings      findings of the reader
    node          raw power-mgt node, for device trees
    suppressions  suppressions in the spec and its ancestors
    texts         file -> text, for quoting lines in reports
    tree          the whole tree, for device trees
    machine       what a spec of an Arm or RISC-V machine says, of all its tables; None for others
    facts         (subject, text) for each fact that a log states about its machine
    alike         equal for sources of a tree's boards that differ in nothing but their names; ""
                  for others
    beside        the other tables of the tree it is from, which its siblings are among; None if it
                  was not read from a tree
    code          the export code of that tree; None if there is none in it
    boards        of a repository of device-tree sources, the boards that have this table, by path
    """

    name: str
    file: str
    sha256: str
    table: IdleTable | None
    findings: tuple[Finding, ...] = ()
    node: PowerMgt | None = None
    suppressions: "tuple[Suppression, ...]" = ()
    texts: dict[str, str] = field(default_factory=dict)
    tree: "Node | None" = field(default=None, repr=False)
    machine: "IdleTree | None" = field(default=None, repr=False)
    facts: tuple[tuple[str, str], ...] = ()
    alike: str = ""
    beside: tuple[IdleTable, ...] | None = field(default=None, repr=False)
    code: ExportCode | None = field(default=None, repr=False)
    boards: tuple[str, ...] = ()


def digest_with(own: str, included: Iterable[str]) -> str:
    """Returns the SHA-256 that stands for a file with what it includes: its own where that is
    nothing, else that of lines of digests, its own first, the others sorted."""
    others = sorted(included)
    if not others:
        return own
    return sha256("\n".join([own, *others, ""]).encode())


def together(sources: Sequence[Source], more: Iterable[IdleTable] = ()) -> list[Source]:
    """The sources of one tree, each with the tables of the others beside it, and these more."""
    tables = [*(source.table for source in sources if source.table is not None), *more]
    return [
        replace(source, beside=tuple(table for table in tables if table is not source.table))
        for source in sources
    ]


def with_findings(sources: Sequence[Source], findings: Sequence[Finding]) -> list[Source]:
    """The sources of one file or tree, the first with what was found about all of them."""
    if not sources or not findings:
        return list(sources)
    first, *others = sources
    return [replace(first, findings=(*first.findings, *findings)), *others]


def with_processor_of(source: Source, specs: Sequence[IdleTable]) -> Source:
    """The source, with the processor that a spec says where no packaged one knows the tree's. IS121
    is then gone."""
    table = source.table
    if not specs or source.node is None or source.tree is None or table is None or table.cpu:
        return source
    from ...base.model.power_mgt import decode
    from ..devicetree.tables import cpu_of

    cpu = cpu_of(source.tree, [spec.cpu.processor for spec in specs if spec.cpu])
    if cpu is None:
        return source
    findings = tuple(finding for finding in source.findings if finding.rule != "IS121")
    return replace(source, table=decode(source.node, cpu, table.read_from), findings=findings)


def of_skiboot(sources: Sequence[Source], texts: Mapping[str, str]) -> list[Source]:
    """The sources of one skiboot tree with what its own export code does. texts: of its C files, by
    their paths."""
    from ..skiboot.export_code import placed, read_export_code

    code = read_export_code(texts)
    found = [replace(s, table=s.table and placed(s.table, code), code=code) for s in sources]
    if found and code is not None and code.unread:
        first, where = found[0], Location(found[0].name, found[0].file)
        problems = tuple(
            Finding("IS932", "unsupported-c", Severity.WARNING, text, where, table=first.name)
            for text in code.unread
        )
        found[0] = replace(first, findings=(*first.findings, *problems))
    return together(found)


class File:
    """A file or directory that a format may read.

    path   where it is
    found  the way to it, if it was found below a directory that the user named
    shown  what messages and reports call it
    data   the bytes of a file; of a directory none
    """

    def __init__(self, where: Path | opening.Found, data: bytes, shown: str | None = None) -> None:
        self._where = where
        self.found = where if isinstance(where, opening.Found) else None
        self.shown = where.as_posix() if shown is None else shown
        self.data = data

    @cached_property
    def path(self) -> Path:
        return self._where.path if isinstance(self._where, opening.Found) else self._where

    @classmethod
    def open(cls, where: Path | opening.Found, beside: opening.Tree | None = None) -> "File":
        """Opens and reads a file or directory.

        where   a path that the user named, or an entry found below a directory that the user named;
                if the latter is a link, it is not followed
        beside  the directory that the entry lies in, if it is open
        Raises Unreadable (IS930) if it is not a regular file, too large, or cannot be read.
        """
        shown = where.as_posix()
        try:
            if isinstance(where, opening.Found):
                if beside is not None:
                    return cls(where, _found(beside, where.name, shown), shown)
                with opening.Tree(where.top) as tree:
                    return cls(where, _found(tree, where.inner, shown), shown)
            kind = opening.kind_of(where)
            if kind == opening.DIRECTORY:
                return cls(where, b"")
            if kind is None:
                message = "expected a regular file or a directory, found nothing of that name"
                raise unreadable(shown, message)
            if kind == opening.PIPE:
                hint = "as standard input it is read: COMMAND | idle-states ... -"
                raise unreadable(shown, f"expected {opening.FILE}, found {kind}; {hint}")
            return cls(where, opening.read(where, MAX_BYTES, shown=shown))
        except OSError as error:
            message = f"expected a readable file, found: {error.strerror}"
            raise unreadable(shown, message) from None

    def opened(self) -> opening.Tree:
        """The directory that it is. Raises OSError."""
        if self.found is None:
            return opening.Tree(self.path)
        with opening.Tree(self.found.top) as top:
            return top.below(self.found.inner)

    def beside(self) -> opening.Tree:
        """The directory that it lies in. Raises OSError."""
        if self.found is None:
            return opening.Tree(self.path.parent)
        with opening.Tree(self.found.top) as top:
            return top.below(PurePosixPath(self.found.inner).parent.as_posix())

    @cached_property
    def text(self) -> str:
        """The data decoded as UTF-8; invalid bytes are replaced."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def sha256(self) -> str:
        return sha256(self.data)

    @cached_property
    def unpacked(self) -> bytes:
        """The data, decompressed if it is compressed. Raises Unreadable (IS930)."""
        from ...base.reading.compressed import DamagedArchive, TooLarge, whole

        try:
            return whole(self.data, MAX_UNPACKED_BYTES)
        except TooLarge:
            message = f"expected at most {MAX_UNPACKED_BYTES} bytes unpacked"
        except DamagedArchive as error:
            message = f"expected a whole archive, found: {error}"
        raise unreadable(self.shown, message)

    def sources(self, tables: Iterable[IdleTable]) -> list[Source]:
        """A Source for each table of a text."""
        return [
            Source(table.name, self.shown, self.sha256, table, texts={self.shown: self.text})
            for table in tables
        ]


def _found(tree: opening.Tree, inner: str, shown: str) -> bytes:
    """The bytes of what was found in a tree; of a directory none."""
    try:
        return tree.read(inner, MAX_BYTES, shown=shown, follow=False)
    except Unreadable:
        if tree.kind_of(inner, follow=False) != opening.DIRECTORY:
            raise
        return b""


def without_table(source: Source) -> Rejected:
    """The exception where a table is needed and reading a source gave none: Faulty with the
    findings, or Unreadable of a log, which has nothing wrong with it."""
    if source.findings:
        return Faulty(source.findings, source.texts)
    message = (
        "expected a table, found a log of firmware or kernel, which names states without values: "
        "check and audit read it; the machine's device tree, or the packaged table of its "
        "processor (idle-states list), has them"
    )
    return unreadable(source.file, message)


class NoSuchTable(UsageError):
    """A TABLE that does not exist, or that stands for several tables where one is needed: a usage
    error.

    choices  lines that say what it may be, one a table; none where it does not exist
    """

    def __init__(self, message: str, choices: Sequence[str] = ()) -> None:
        super().__init__(": ".join([message, ", ".join(choices)]) if choices else message)
        self.message = message
        self.choices = tuple(choices)
