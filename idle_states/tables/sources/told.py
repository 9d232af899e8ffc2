"""The machine that a TABLE was read on: the defaults of a command that answers for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...base.model.findings import Unreadable
from ...base.reading import opening
from . import format_tar
from .formats import format_of
from .source import MAX_BYTES, File

if TYPE_CHECKING:
    from ...base.reading.sysfs import Dump


def told_by(text: str) -> dict[str, tuple[str | int, str]]:
    """Returns option -> value and how to show it, such as {"hz": (250, "250")}, of a dump of sysfs
    or a collection, as far as it tells; {} of other tables, and of what cannot be read."""
    names = text, text.rpartition(":")[0]
    path = next((name for name in names if opening.is_file(name) or name == "-"), None)
    try:
        found = path and gathered(opened(path))
    except (Unreadable, OSError):
        found = None
    if not found:
        return {}
    from ..linux.releases import running

    dump, kernel = found
    known = running(kernel)
    told = {
        "kernel": (kernel, known and known.name),
        "governor": (dump.governor, dump.governor),
        "hz": (dump.hz, str(dump.hz)),
    }
    return {name: (value, shown) for name, (value, shown) in told.items() if value and shown}


def opened(path: str) -> File:
    """Opens a file, or standard input. Raises Unreadable."""
    if path == opening.STANDARD_INPUT:
        return File(Path(path), opening.standard_input(MAX_BYTES))
    return File.open(Path(path))


def gathered(file: File) -> "tuple[Dump, str] | None":
    """Returns what a dump of sysfs or a collection holds, and its kernel's name, "" if it does not
    say; None of another file. Raises Unreadable."""
    form = format_of(file)
    texts = format_tar.collected(file.unpacked) if form == "tar" else {}
    if form != "sysfs" and not texts:
        return None
    from ...base.reading import inputs, sysfs

    of_texts = texts.get(format_tar.CPUIDLE) or texts.get(format_tar.MACHINE, b"")
    source = inputs.Input(file.shown, held=file.data if form == "sysfs" else of_texts)
    dump = sysfs.read(source, stateless=True)
    return dump, dump.kernel or format_tar.uname_of(texts)
