"""The governors compiled from C: replays hours of trace in seconds, with the reference's decisions.

    rows = core.pack(pairs)                  # pairs of a Situation and an Outcome
    decisions = core.run("menu", features, states, 250, rows)
    decisions.states                         # one byte each

The extension is optional. `supports` tells whether it is installed and knows a governor with its
features; if not, the slower Python reference in `linux.governors` does the work. Input and output
are buffers, and the interpreter's lock is released during the replay.
"""

import warnings

from .. import Governor
from .packing import AS_SELECTED as AS_SELECTED
from .packing import GOVERNORS as GOVERNORS
from .packing import RECORDED as RECORDED
from .packing import ROW as ROW
from .packing import STATES_MAX as STATES_MAX
from .packing import Buffer as Buffer
from .packing import CoreFallsShort as CoreFallsShort
from .packing import CoreMissing as CoreMissing
from .packing import Decisions as Decisions
from .packing import Unsupported as Unsupported
from .packing import compiled as compiled
from .packing import mask as mask
from .packing import pack as pack
from .packing import packed_features as packed_features
from .packing import unpack as unpack
from .streams import FEWEST_TABLES as FEWEST_TABLES
from .streams import SWEPT as SWEPT
from .streams import Stream as Stream
from .streams import Sweep as Sweep
from .streams import processors as processors
from .streams import run as run


def available() -> bool:
    """Tells whether the extension is installed."""
    return compiled is not None


def instruction_set() -> str:
    """Returns the instruction set that menu uses: "x86-64-v3", "baseline"; "": not installed."""
    return str(compiled.instruction_set()) if available() else ""


def supports(governor: str, features: object) -> bool:
    """Tells whether the core can replay this governor with these features. Warns with
    CoreFallsShort if it has the governor, but no code for the features."""
    try:
        packed_features(governor, features)
    except CoreMissing:
        return False
    except Unsupported as error:
        if governor in GOVERNORS:
            message = f"{error}; the Python reference decides instead, about a hundred times slower"
            warnings.warn(message, CoreFallsShort, stacklevel=2)
        return False
    return True


def can_replay(governor: Governor) -> bool:
    """Tells whether the core is installed and supports this governor, its features and its
    states."""
    return 1 <= len(governor.states) <= STATES_MAX and supports(governor.name, governor.features)


def agreed(decisions: Buffer, others: Buffer) -> tuple[int, int]:
    """Compares packed decisions; returns how many agree and the index of the first that does not
    (-1: all agree)."""
    same, first = compiled.agreed(decisions, others, True)
    return same, first


def specialised(governor: str, features: object) -> bool:
    """Tells whether the core has code compiled for exactly these features, as for each release's
    menu."""
    return bool(compiled.specialised(governor, packed_features(governor, features)))
