"""list."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ...base.model.forms import GIVEN, U16, Form, derived
from ...base.model.table import IdleTable
from .rules_document import Rules


class Table(Form[IdleTable]):
    name: Annotated[str, "What the command line takes as TABLE."]
    title: str
    architecture: Annotated[
        Literal["", "arm", "riscv"], "Of a machine whose CPUs list states; empty for a table."
    ] = GIVEN
    historical: Annotated[bool, "True for a table of the past, checked only when named."]
    states: list[str] = derived(lambda table: [state.name for state in table.states])
    array: Annotated[str, "C array in skiboot; empty if there is none."] = derived("firmware.array")
    pvr: Annotated[U16, "Upper half of the Processor Version Register, 0 where unknown."] = derived(
        lambda table: table.cpu.pvr if table.cpu else 0
    )


class Tables(Form[Sequence[IdleTable]]):
    tables: Annotated[list[Table], "The packaged tables, then the packaged machines."] = derived(
        lambda tables: tables
    )


List = Tables | Rules
