"""list."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ...base.model.forms import GIVEN, U16, Count, Form, derived
from ...base.model.processors import Processor
from ...base.model.table import IdleTable
from .rules_document import Rules


class Table(Form[IdleTable]):
    name: Annotated[str, "The TABLE of the command line."]
    title: str
    architecture: Annotated[
        Literal["", "arm", "riscv"],
        "The architecture of a machine whose CPUs list states; empty for a table.",
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


class ListedProcessor(Form[Processor]):
    name: str
    title: Annotated[str, "A description in one line."]
    isa: Annotated[str, "Version of the Power ISA."] = derived(
        lambda processor: ".".join(map(str, processor.isa))
    )
    pvrs: Annotated[list[U16], "Upper halves of the Processor Version Register."] = derived(
        lambda processor: [version.pvr for version in processor.versions]
    )
    chips: Annotated[list[str], "The chips' names in skiboot."]
    levels: Annotated[list[Count], "Stop levels; empty without a stop instruction."]
    table: Annotated[str, "The packaged table that skiboot uses for it."]


class Processors(Form[Sequence[Processor]]):
    processors: Annotated[list[ListedProcessor], "The processors that tables are for."] = derived(
        lambda processors: processors
    )


class ListedPlatform(Form[tuple[str, str]]):
    name: Annotated[str, "The name that --platform takes."]
    title: Annotated[str, "A description in one line."]


class Platforms(Form[Sequence[tuple[str, str]]]):
    platforms: Annotated[
        list[ListedPlatform], "The machines with OPAL, then the x86 processors of intel_idle."
    ] = derived(lambda platforms: platforms)


List = Tables | Rules | Processors | Platforms
