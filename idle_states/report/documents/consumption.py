"""What machines draw, running CPUs included, and what a table changes in that: part of review and
simulate."""

from typing import Annotated, Any

from ...forms import INLINE, Form, derived
from ...replay.energy import PowerModel, Spent
from ...simulation import consumption
from .energy import Power, Table

Percent = Annotated[float, "In percent."]


class Range(Form[consumption.Change]):
    """A change in percent of what it was before."""

    least: Percent = derived(lambda change: round(change.least, 3))
    most: Percent = derived(lambda change: round(change.most, 3))


class Changed(Form[tuple[str, "consumption.MachineChange"]]):
    """Against the first table, over all that figures allow."""

    table: Annotated[str, "The table."] = derived(lambda item: item[0])
    power: Annotated[Range, "Mean of all CPUs, running ones too."] = derived(
        lambda item: item[1].power
    )
    energy: Annotated[Range | None, "For each counted unit; null without any."] = derived(
        lambda item: item[1].energy
    )


class Consumption(Form[tuple[PowerModel, list[tuple[str, Spent]], Any]]):
    model: Annotated[Power, INLINE]
    tables: Annotated[list[Table], "What the machine drew, table by table."]
    changes: Annotated[
        list[Changed],
        "Of each table but the first; left out where figures are missing, or too many are ranges.",
    ]
