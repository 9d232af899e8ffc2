"""Finds inputs below directories, by way of the gate."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from ...base.dataclass import dataclass, field
from ...base.model.findings import Unreadable, UsageError
from ...base.reading import limits, opening
from ...base.reading.compressed import MAGICS
from ...base.reading.opening import Found
from . import format_skiboot, format_spec
from .formats import format_of
from .source import File

_INPUTS = (".dtb", ".dts", ".lid")
"""Ends of names that make a file inside of a directory an input; what is named on its own always
is one."""
_SPECS = (".yaml", ".yml")
_TREE = b"/dts-v1/"
_PROPERTIES = ("compatible", "#address-cells", "model")
"""Properties of a device tree's top."""
_SOURCES = (".c", ".h", ".txt", ".log", "")
"""Ends of the names of texts that are inputs where a table or a log's line stands anywhere in them.
Other texts are inputs by what they begin with: pages quote tables and logs."""
_HEAD_BYTES = 4096
_KINDS = {
    b"\x7fELF": "programs",
    b"MZ": "programs",
    b"\x89PNG": "pictures",
    b"\xff\xd8\xff": "pictures",
    b"GIF8": "pictures",
    b"PK\3\4": "zip archives",
    b"FACP": "ACPI tables without code",
    b"APIC": "ACPI tables without code",
    **dict.fromkeys(MAGICS, "compressed files of another kind"),
}
"""The first bytes of a file -> what it is counted as where it is no input."""

_ENVIRONMENT = "pyvenv.cfg"
"""Stands in each virtual environment of Python's, whatever that is called."""
_FORBIDDEN = "directories that cannot be read"
_TOO_LARGE = f"directories with more than {limits.DIRECTORY_ENTRIES:,} entries"
_UNSEARCHED = (_FORBIDDEN, _TOO_LARGE)
_Where = TypeVar("_Where", Path, Found)


def is_tree(tree: opening.Tree, relative: str = "") -> bool:
    """Tells whether a directory of the tree is one input: a device tree, the power-mgt node of one,
    a skiboot, or ACPI tables."""
    from ...base.reading.acpi import signs

    if format_skiboot.is_skiboot(tree, relative or "."):
        return True
    try:
        if signs.is_whole(tree, relative):
            return True
        entries = {entry.name: entry.kind for entry in tree.entries(relative, follow=False)}
    except (OSError, Unreadable):
        return False
    # a folder of sources may be called model or cpus, a property is a file
    named = any("cpu-idle-state" in name or name == "ibm,opal" for name in entries)
    files = {name for name in _PROPERTIES if entries.get(name) == opening.FILE}
    return named or bool(files - {"model"}) or (bool(files) and "cpus" in entries)


def other_kind(tree: opening.Tree, found: Found) -> str:
    """Returns what a file of the tree is that is no input; "" for an input, and for what cannot be
    read. The content decides; the name does where any text is a spec or a part of a tree."""
    if found.inner.endswith(_INPUTS):
        return ""
    try:
        head = tree.beginning(found.inner, _HEAD_BYTES)
        text = b"\0" not in head
        if _may_be_input(found, head, text) and _is_input(File.open(found), head):
            return ""
    except (OSError, Unreadable):
        return ""
    other = "texts of another kind" if text else "files of another kind"
    other = next((kind for sign, kind in _KINDS.items() if head.startswith(sign)), other)
    return other if head else "empty files"


def _may_be_input(found: Found, head: bytes, text: bool) -> bool:
    from ...base.reading.acpi import signs
    from ..devicetree.images import may_hold_trees
    from ..skiboot.lid.container import is_wrapped
    from . import format_sysfs, format_tar

    if head.startswith(MAGICS) or may_hold_trees(head):
        return True
    if not text:
        return signs.has_code(head) or is_wrapped(head) or format_tar.recognises(head, found.path)
    named = found.inner.endswith(_SPECS) or found.path.suffix in _SOURCES or _TREE in head
    return named or signs.is_dump(head) or format_sysfs.recognises(head, found.path)


def _is_input(file: File, head: bytes) -> bool:
    form = format_of(file)
    if form == "spec":
        return file.path.suffix in _SPECS and format_spec.speaks_of_it(file.data)
    if form == "lid":
        from ..skiboot import lid

        # anything may be compressed
        return lid.has_rows(file.data)
    # a part of a source, which another includes, begins with "/ {"
    return form is not None and (form != "dts" or _TREE in head)


@dataclass(slots=True)
class Walk:
    """Finds inputs below directories.

    is_whole     whether a directory is one input as it is
    other_kind   what a file is that is no input; "" for an input
    hidden       whether directories whose names begin with a dot, and Python's virtual
                 environments (this package may be installed in one), are searched too
    most         entries that are looked at before the search is given up; None: no limit
    partial      whether the search then ends with what was found, instead of raising
    left         directories that were not searched then
    passed_over  what entries are that are not inputs -> their number
    report       is told each of them, what it is and its path
    found        number of inputs so far
    reached      share of what is to be searched that was: each entry of a directory has an equal
                 one of its own; 0 where it is not known how much there is
    """

    is_whole: Callable[[opening.Tree, str], bool] = is_tree
    other_kind: Callable[[opening.Tree, Found], str] = other_kind
    hidden: bool = True
    most: int | None = None
    partial: bool = False
    left: list[str] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)
    report: Callable[[str, str], None] = lambda what, path: None
    found: int = 0
    reached: float = 0.0

    @property
    def expected(self) -> int | None:
        """An estimate of the number of inputs; None where nothing is known yet."""
        return max(self.found, round(self.found / self.reached)) if self.reached else None

    @property
    def not_searched(self) -> list[tuple[str, int]]:
        """Kinds of directories that were not looked into, and how many there were of each."""
        return [(what, self.passed_over[what]) for what in _UNSEARCHED if self.passed_over[what]]

    def pass_over(self, what: str, path: Path | Found) -> None:
        """Counts an entry that is no input."""
        self.passed_over[what] += 1
        self.report(what, path.as_posix())

    def inputs(self, words: Iterable[str]) -> Iterator[Path | Found]:
        """Yields each file, each directory that is a device tree, and the inputs below other
        directories, sorted.

        Links inside of directories are not followed, devices and pipes not opened. Raises
        UsageError for a directory with more than `most` entries below it, unless `partial`.
        """
        whole = 1 / len(words) if isinstance(words, Sequence) and words else 0.0
        for path in map(Path, words):
            if not opening.is_directory(path):
                yield self._input(path, whole)
                continue
            try:
                with opening.Tree(path) as tree:
                    if self.is_whole(tree, ""):
                        yield self._input(path, whole)
                    else:
                        yield from self.below(tree, whole=whole)
            except OSError:
                self.pass_over(_FORBIDDEN, path)

    def _input(self, where: _Where, share: float) -> _Where:
        self.found += 1
        self.reached += share
        return where

    def below(self, tree: opening.Tree, start: str = "", whole: float = 0.0) -> Iterator[Found]:
        """Yields the inputs below a directory of a tree: "" or a path that ends in a slash. whole:
        its share of all that is searched. Raises UsageError as `inputs` does."""
        waiting, shares = [start], [whole]
        looked_at = 0
        while waiting:
            directory, whole = waiting.pop(), shares.pop()
            try:
                entries = sorted(tree.entries(directory, follow=False), key=lambda each: each.name)
            except OSError:
                self.pass_over(_FORBIDDEN, Found(tree.path, directory))
                continue
            except Unreadable:
                self.pass_over(_TOO_LARGE, Found(tree.path, directory))
                continue
            names = {entry.name for entry in entries}
            if not self.hidden and directory != start and _ENVIRONMENT in names:
                self.pass_over("virtual environments", Found(tree.path, directory))
                continue
            looked_at += len(entries)
            if self.most is not None and looked_at > self.most:
                if self.partial:
                    self.left += [directory, *reversed(waiting)]
                    return
                raise UsageError(
                    f"expected at most {self.most:,} files below {tree.path}, found more; "
                    "name the files"
                )
            below = []
            share = whole / (len(entries) or 1)
            for entry in entries:
                found = Found(tree.path, f"{directory}{entry.name}")
                if entry.kind == opening.LINK:
                    self.pass_over("links", found)
                elif entry.kind == opening.DIRECTORY:
                    if not self.hidden and entry.name.startswith("."):
                        self.pass_over("hidden directories", found)
                    elif self.is_whole(tree, found.inner):
                        yield self._input(found, share)
                        continue
                    else:
                        below.append(f"{found.inner}/")
                        continue
                elif entry.kind != opening.FILE:
                    self.pass_over("devices, pipes and sockets", found)
                elif other := self.other_kind(tree, found):
                    self.pass_over(other, found)
                else:
                    yield self._input(found, share)
                    continue
                self.reached += share
            waiting += reversed(below)
            shares += [share] * len(below)
