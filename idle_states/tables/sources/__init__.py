"""Reads a TABLE argument: a revision's name, or any file the tool can read.

The kind of a file is told by its content, not its name; each format is a module of its own, see
`formats`. FILE:NAME picks one table of several. A name that is also a file means the revision;
./NAME means the file; - means standard input. intel:NAME is intel_idle's table of a processor.
"""

from pathlib import Path

from ...base.model.findings import Unreadable
from ...base.reading import opening
from ...base.wording import few, nearest, suggestion
from ..linux.intel_idle import PREFIX
from ..spec.packaged import named, resolve_name
from . import format_tar
from .formats import read_file, read_path
from .source import MAX_BYTES, File, NoSuchTable, Source, without_table

__all__ = [
    "MAX_BYTES",
    "File",
    "NoSuchTable",
    "Source",
    "one_table",
    "read_file",
    "read_source",
    "read_sources",
    "read_table",
]


_STANDARD_INPUT = Path(opening.STANDARD_INPUT)


def read_sources(text: str) -> list[Source]:
    """All tables that TABLE stands for.

    Raises NoSuchTable; Unreadable for input that cannot be parsed at all; UsageError and
    UnknownRelease for intel:NAME.
    """
    if text.startswith(PREFIX) and not opening.kind_of(text):
        from ..linux.intel_idle import packaged as intel_idle_tables

        table = intel_idle_tables.table_named(text)
        return [Source(table.name, text, table.read_from.sha256, table)]
    word, colon, wanted = text.partition(":")
    revision = resolve_name(text) or (None if opening.kind_of(text) else resolve_name(word))
    name: str | None
    if revision is not None:
        from . import format_spec

        sources = format_spec.load_spec(revision.file)
        shown, name = word, wanted if colon else None
    else:
        path, name = _split(text)
        shown = str(path)
        if path == _STANDARD_INPUT:
            sources = read_file(File(path, opening.standard_input(MAX_BYTES)))
        else:
            sources = read_path(path)
    if name is None:
        return sources
    chosen = [source for source in sources if name in _called(source, shown)]
    if not chosen and revision is None and name.partition(":")[0] == format_tar.ACPI_NAME:
        file = File.open(path)
        found = format_tar.acpi_of(file, format_tar.collected(file))
        chosen = [source for source in found if name in _called(source, shown)]
    if not chosen:
        known = few([_called(source, shown)[0] for source in sources], _MOST_NAMES)
        raise NoSuchTable(f"expected a table of {shown} ({known}), found {name!r}")
    return chosen


def _called(source: Source, shown: str) -> tuple[str, ...]:
    """Returns what may stand after FILE: for a source, the whole name first; of several trees in
    one file, with or behind the tree's number."""
    names = source.name, source.name.rpartition("/")[2]
    if not source.file.startswith(f"{shown}:"):
        return names
    tree = source.file.removeprefix(f"{shown}:")
    return tree if source.table is None else f"{tree}:{source.name}", tree, *names


def read_source(text: str) -> Source:
    """The one table that TABLE stands for. Raises NoSuchTable also if there are several."""
    return _only(read_sources(text), text)


def _only(sources: list[Source], text: str) -> Source:
    sources = [source for source in sources if not source.facts] or sources  # of a log: its trees
    if len(sources) == 1:
        return sources[0]
    names = [_called(source, text)[0] for source in sources]
    width = max(map(len, names))
    choices = [
        f"{text}:{name:{width}}{_contents(source)}".rstrip()
        for name, source in zip(names, sources, strict=True)
    ]
    raise NoSuchTable(f"{text} has {len(sources)} tables; name one", choices)


def _contents(source: Source) -> str:
    """Returns the words that tell a table from others of its file: its states and processors."""
    if source.table is None:
        return ""
    names = [state.name for state in source.table.states]
    cpus = source.table.origin.cpus if source.table.origin.form == "driver" else ()
    shown = [*names[:_MOST_NAMES], *(["..."] if len(names) > _MOST_NAMES else [])]
    found = f"  {' '.join(shown)}"
    if cpus:
        more = f" and {len(cpus) - 1} more" if len(cpus) > 1 else ""
        found += f"; {cpus[0].name}{more}"
    return found


def read_table(text: str) -> Source:
    """Like read_source, but also raises what `without_table` says if reading gave none."""
    return one_table(read_sources(text), text)


def one_table(sources: list[Source], text: str) -> Source:
    """The same of what read_sources() made of a TABLE."""
    source = _only(sources, text)
    if source.table is None:
        raise without_table(source)
    return source


def _split(text: str) -> tuple[Path, str | None]:
    path, (before, name) = Path(text), opening.longest_file(text)
    if before:
        return Path(before), None if before == text else name
    opening.expect_allowed(path)
    if "/" in text or path.suffix in _SUFFIXES:
        raise NoSuchTable(f"expected a file, found none of that name: {text!r}{_nearest(path)}")
    from ..linux.intel_idle.platform import names as processors

    packaged = [revision.name for revision in named()]
    intel = {name: f"{PREFIX}{name}" for name in processors()}
    cpu, comma, keys = text.partition(",")
    meant = intel.get(cpu.lower(), cpu)
    known = packaged + [f"{name}{comma}{keys}" for name in intel.values()]
    raise NoSuchTable(
        f"expected a revision (see idle-states list) or a file, found {text!r}"
        f"{suggestion(f'{meant}{comma}{keys}', known)}"
    )


_MOST_NAMES = 10
"""States of a table that a list of tables names."""
_SUFFIXES = (".yaml", ".yml", ".c", ".h", ".dts", ".dtb", ".lid", ".tar", ".gz", ".xz", ".txt")
"""The endings that show that a file was meant, not a revision."""


def _nearest(path: Path) -> str:
    """Returns a hint on a file that is not there: its folder is missing, too, or the name that is
    most like it."""
    folder = path.parent
    if not opening.is_directory(folder):
        return f"; there is no folder {folder.as_posix()!r}"
    try:
        with opening.Tree(folder) as tree:
            names = [entry.name for entry in tree.entries("", follow=False)]
    except (OSError, Unreadable):
        return ""
    # ends are alike anyway
    stem2name = {Path(name).stem: name for name in names}
    close = nearest(path.stem, stem2name)
    return f"; did you mean {(folder / stem2name[close]).as_posix()!r}?" if close else ""
