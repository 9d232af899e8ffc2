"""Finds inputs below directories, by way of the gate."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ...base.dataclass import dataclass, field
from ...base.model.findings import Unreadable, UsageError
from ...base.reading import limits, opening
from ...base.reading.opening import Found
from . import format_skiboot
from .formats import format_of
from .source import File

_INPUTS = (".dtb", ".dts", ".lid", ".yaml", ".yml")
"""Ends of names that make a file inside of a directory an input; what is named on its own always
is one."""
_PERHAPS = (".tar", ".tgz", ".gz", ".xz", ".bz2", ".c", ".txt")
"""Ends of names of files that are inputs if their content says so."""

_ENVIRONMENT = "pyvenv.cfg"
"""Stands in each virtual environment of Python's, whatever that is called."""
_FORBIDDEN = "directories that cannot be read"
_TOO_LARGE = f"directories with more than {limits.DIRECTORY_ENTRIES:,} entries"
_UNSEARCHED = (_FORBIDDEN, _TOO_LARGE)


def is_tree(tree: opening.Tree, relative: str = "") -> bool:
    """Whether a directory of the tree is one input: a device tree, the power-mgt node of one, a
    skiboot, or ACPI tables."""
    from ...base.reading.acpi import signs
    from ..devicetree.directory import is_device_tree

    if format_skiboot.is_skiboot(tree, relative or "."):
        return True
    try:
        return signs.is_whole(tree, relative) or is_device_tree(tree, relative)
    except (OSError, Unreadable):
        return False


def is_input(found: Found) -> bool:
    """Whether a file's name makes it an input, or allows it and its content does (the spec format,
    which takes any text, does not count)."""
    if found.inner.endswith(_INPUTS):
        return True
    if not found.inner.endswith(_PERHAPS):
        return False
    try:
        return format_of(File.open(found)) not in (None, "spec")
    except Unreadable:
        return True


@dataclass(slots=True)
class Walk:
    """Finds inputs below directories.

    is_whole     whether a directory is one input as it is
    is_input     whether a file is an input
    hidden       whether directories whose names begin with a dot, and Python's virtual
                 environments (this package may be installed in one), are searched too
    most         entries that are looked at before the search is given up; None: no limit
    partial      whether the search then ends with what was found, instead of raising
    left         directories that were not searched then
    passed_over  reason -> number of entries that are not inputs
    """

    is_whole: Callable[[opening.Tree, str], bool] = is_tree
    is_input: Callable[[Found], bool] = is_input
    hidden: bool = True
    most: int | None = None
    partial: bool = False
    left: list[str] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)

    @property
    def not_searched(self) -> list[tuple[str, int]]:
        """Kinds of directories that were not looked into, and how many there were of each."""
        return [(what, self.passed_over[what]) for what in _UNSEARCHED if self.passed_over[what]]

    def inputs(self, words: Iterable[str]) -> Iterator[Path | Found]:
        """Yields each file, each directory that is a device tree, and the inputs below other
        directories, sorted.

        Links inside of directories are not followed, devices and pipes not opened. Raises
        UsageError for a directory with more than `most` entries below it, unless `partial`.
        """
        for word in words:
            path = Path(word)
            if not opening.is_directory(path):
                yield path
                continue
            try:
                with opening.Tree(path) as tree:
                    if self.is_whole(tree, ""):
                        yield path
                    else:
                        yield from self.below(tree)
            except OSError:
                self.passed_over[_FORBIDDEN] += 1

    def below(self, tree: opening.Tree, start: str = "") -> Iterator[Found]:
        """Yields the inputs below a directory of a tree: "" or a path that ends in a slash. Raises
        UsageError as `inputs` does."""
        waiting = [start]
        looked_at = 0
        while waiting:
            directory = waiting.pop()
            try:
                entries = sorted(tree.entries(directory, follow=False), key=lambda each: each.name)
            except OSError:
                self.passed_over[_FORBIDDEN] += 1
                continue
            except Unreadable:
                self.passed_over[_TOO_LARGE] += 1
                continue
            names = {entry.name for entry in entries}
            if not self.hidden and directory != start and _ENVIRONMENT in names:
                self.passed_over["virtual environments"] += 1
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
            for entry in entries:
                found = Found(tree.path, f"{directory}{entry.name}")
                if entry.kind == opening.LINK:
                    self.passed_over["links"] += 1
                elif entry.kind == opening.DIRECTORY:
                    if not self.hidden and entry.name.startswith("."):
                        self.passed_over["hidden directories"] += 1
                    elif self.is_whole(tree, found.inner):
                        yield found
                    else:
                        below.append(f"{found.inner}/")
                elif entry.kind != opening.FILE:
                    self.passed_over["devices, pipes and sockets"] += 1
                elif self.is_input(found):
                    yield found
                else:
                    self.passed_over["files of another kind"] += 1
            waiting += reversed(below)
