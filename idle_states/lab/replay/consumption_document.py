"""The power of machines, running CPUs included, and a table's effect on it: part of review, replay
and simulate."""

from collections.abc import Sequence
from typing import Annotated, Any

from ...base.model.forms import INLINE, Form, derived
from ...tables.power.energy import PowerModel, Spent
from ...tables.power.energy_document import Power, Table
from . import consumption


class Changed(Form[tuple[str, "consumption.MachineChange"]]):
    """Against the first table, over all that figures allow."""

    table: Annotated[str, "The table."]
    power: Annotated[consumption.Change, "Mean of all CPUs, running ones too."] = derived(
        lambda item: item[1].power
    )
    energy: Annotated[consumption.Change | None, "For each counted unit; null without any."] = (
        derived(lambda item: item[1].energy)
    )


class Consumption(Form[tuple[PowerModel, list[tuple[str, Spent]], Any]]):
    model: Annotated[Power, INLINE]
    tables: Annotated[list[Table], "The machine's energy, table by table."]
    changes: Annotated[
        list[Changed],
        "The change with each table but the first; absent where figures are missing or too vague.",
    ]


def consumption_of(
    names: Sequence[str], drawn: consumption.MachineEnergy | None
) -> tuple[PowerModel, list[tuple[str, Spent]], list[tuple[str, consumption.MachineChange]]] | None:
    """Returns the values that Consumption writes. names: of the tables."""
    if drawn is None:
        return None
    changes = zip(names[1:], drawn.changes, strict=True)
    return (
        drawn.model,
        list(zip(names, drawn.spents, strict=True)),
        [(name, one) for name, one in changes if one is not None],
    )
