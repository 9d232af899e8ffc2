"""The kernel and the governor of the machine that a TABLE was read on: defaults of a command."""

from pathlib import Path

from ...base.model.findings import Unreadable
from ...base.reading import opening
from . import format_tar
from .formats import format_of
from .source import MAX_BYTES, File


def told_by(text: str) -> dict[str, tuple[str, str]]:
    """Returns option -> word and how to show it, such as {"governor": ("menu", "menu")}, of a sysfs
    dump or a collection, as far as it tells; {} of other tables, and of what cannot be read."""
    names = text, text.rpartition(":")[0]
    path = next((name for name in names if opening.is_file(name)), None)
    try:
        if text == opening.STANDARD_INPUT:
            file = File(Path(text), opening.standard_input(MAX_BYTES))
        elif path is None:
            return {}
        else:
            file = File.open(Path(path))
        form = format_of(file)
        texts = format_tar.collected(file.unpacked) if form == "tar" else {}
        data = file.data if form == "sysfs" else texts.get(format_tar.CPUIDLE, b"")
        if not data and not texts:
            return {}
        from ...base.reading import inputs, sysfs
        from ..linux.releases import running

        source = inputs.Input(file.shown, held=data)
        dump = sysfs.read(source) if data else sysfs.Dump(file.shown, {})
    except (Unreadable, OSError):
        return {}
    kernel = dump.kernel or format_tar.uname_of(texts)
    told = {"kernel": (kernel, known.name)} if (known := running(kernel)) else {}
    return told | ({"governor": (dump.governor,) * 2} if dump.governor else {})
