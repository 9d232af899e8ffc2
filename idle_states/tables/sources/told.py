"""The machine that a TABLE was read on: the defaults of a command that answers for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Unreadable
from ...base.reading import opening
from ...base.wording import plural
from . import format_tar
from .format_sysfs import machines
from .formats import format_of
from .source import MAX_BYTES, File, NoSuchTable

if TYPE_CHECKING:
    from ...base.model.beyond_opal import Dump

_SHOWN = 80


def options_from(text: str) -> dict[str, tuple[str | int, str]]:
    """Returns option -> value and how to show it, such as {"hz": (250, "250")}, of a dump of sysfs
    or a collection, as far as it tells; {} of other tables, and of what cannot be read."""
    path, name = opening.longest_file(text)
    is_file = opening.is_file(path) or path == opening.STANDARD_INPUT
    try:
        found = gathered(opened(path), name) if is_file else None
    except (Unreadable, NoSuchTable, OSError):
        found = None
    if not found:
        return {}
    from ..linux.releases import running

    dump, kernel = found
    known = running(kernel)
    options = {
        "kernel": (kernel, known and known.name),
        "governor": (dump.governor, dump.governor),
        "hz": (dump.hz, str(dump.hz)),
    }
    return {name: (value, shown) for name, (value, shown) in options.items() if value and shown}


def opened(path: str) -> File:
    """Opens a file, or standard input. Raises Unreadable."""
    if path == opening.STANDARD_INPUT:
        return File(Path(path), opening.standard_input(MAX_BYTES))
    return File.open(Path(path))


def gathered(file: File, name: str = "") -> "tuple[Dump, str] | None":
    """Returns what a dump of sysfs or a collection holds, and its kernel's name, "" if it does not
    say; None of another file.

    name  of a machine, where a file or archive has dumps of several
    Raises Unreadable, and NoSuchTable where one is to be named.
    """
    form, texts = format_of(file), format_tar.collected(file)
    data = texts.get(format_tar.CPUIDLE) or texts.get(format_tar.MACHINE, b"")
    if not texts:
        given = [file] if form == "sysfs" else format_tar.inputs(file) if form == "tar" else []
        dumps = [each for one in given if format_of(one) == "sysfs" for each in machines(one)]
        if not dumps:
            return None
        called = {each.shown.removeprefix(file.shown).lstrip(":"): each.data for each in dumps}
        # a table may be named behind its machine
        meant = [each for each in called if not each or f"{name}:".startswith(f"{each}:")]
        meant = meant if name else list(called)
        if len(meant) != 1:
            what = f"found {name!r}" if name else "name one"
            message = f"{file.shown} has dumps of {plural(len(called), 'machine')}; {what}"
            raise NoSuchTable(message, [f"{file.shown}:{each}".rstrip(":") for each in called])
        data = called[meant[0]]
    from ...base.reading import inputs, sysfs

    # a line without an end may be a part of it; of what is compressed nobody knows
    whole, _, cut = (data, b"", b"") if data.startswith(b"\x1f\x8b") else data.rpartition(b"\n")
    dump = sysfs.read(inputs.Input(file.shown, held=whole or data), partial=True)
    if whole and cut:
        line = (
            f"the last line, because it is cut short: {cut.decode('utf-8', 'replace')[:_SHOWN]!r}"
        )
        dump = replace(dump, missed=(*dump.missed, line))
    return dump, dump.kernel or format_tar.uname_of(texts)
