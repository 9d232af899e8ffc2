"""intel_idle's tables and processors as a kernel's source tree has them."""

from functools import lru_cache
from typing import cast

from ....base.model.beyond_opal import BuiltInState
from ....base.model.findings import Unreadable, unreadable
from ....base.reading import limits
from ....base.reading.c.lexer import UnsupportedC
from ...devicetree.source_trees import SourceFiles
from ..built_in import reader
from ..built_in.headers import Headers
from ..cpuidle_flags import HINT_SHIFT
from ..governors.source.named import Read, tree_reader
from .states import NAME2FLAG, IntelIdleData, StartedState

DRIVER = "drivers/idle/intel_idle.c"


class _Files:
    """The part of `SourceFiles` that definitions are read by."""

    def __init__(self, read: Read) -> None:
        self._text = read

    def is_file(self, relative: str) -> bool:
        return self._text(relative) is not None

    def read(self, relative: str, limit: int = limits.FILE_BYTES) -> bytes:
        return (self._text(relative) or "").encode("utf-8", "surrogateescape")[:limit]


@lru_cache(16)
def data_in(tree: str) -> IntelIdleData | None:
    """Returns what the driver of a tree has; None for a tree without it. tree: as --kernel-source
    names it. Raises Unreadable for tables that cannot be evaluated, UsageError, OSError."""
    read = tree_reader(tree)
    text = read(DRIVER)
    if text is None:
        return None
    shown = f"{tree}:{DRIVER}"
    defines = Headers(cast(SourceFiles, _Files(read)), DRIVER).definitions(text, "x86")
    try:
        cpus = reader.listed_cpus(text, shown, defines=defines)
    except UnsupportedC as error:
        raise unreadable(shown, error.message) from None
    arrays = {}
    for table in reader.read(text, shown, defines=defines, arch="x86"):
        assert table.origin.form == "driver"
        arrays[table.name] = tuple(_started(state, shown) for state in table.origin.states)
    return IntelIdleData(arrays, cpus)


def _started(state: BuiltInState, shown: str) -> StartedState:
    flags = (state.mwait_hint or 0) << HINT_SHIFT
    for name in state.flag_names:
        if name not in NAME2FLAG:
            raise _unknown(name, state, shown)
        flags |= NAME2FLAG[name]
    return StartedState(
        state.name, state.description, state.exit_latency_us, state.target_residency_us, flags
    )


def _unknown(name: str, state: BuiltInState, shown: str) -> Unreadable:
    known = ", ".join(NAME2FLAG)
    return unreadable(shown, f"expected flags of {state.name} among {known}, found {name}")
